/* Flight records: which changed pipelines a driver had in hand when a process ended.
 *
 * A driver's compiler may crash on words that are right, and takes the program with it. No handler can tell:
 * the program has its own. So each process keeps a file of one page, mapped and shared, in the cache folder:
 *
 *     <cache folder>/flights/<pid>-<token>      header, then WPG_FLIGHT_SLOTS hashes; zero: the slot is free
 *
 * A hash stands there while the driver compiles the pipeline, and during its first use. The process locks the
 * file (fcntl), and removes it when it ends in order. A file that nobody locks is of a process that was ended
 * from outside, or crashed. A torn hash names no pipeline.
 *
 * Owns: wpg_flights owns its entries, until wpg_flights_finish; wpg_flight_record its page and file.
 * Threads: any. Records are untrusted input. */
#ifndef WPG_RUNTIME_BUNDLE_FLIGHT_H
#define WPG_RUNTIME_BUNDLE_FLIGHT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

#define WPG_FLIGHT_MAGIC "wavepgo-flight1"
enum { WPG_FLIGHT_SLOTS = 248, WPG_FLIGHT_ORDER = 0x01020304 };

/* As it lies in the file. Numbers are in the machine's byte order, which `order` tells. */
typedef struct wpg_flight_page {
    char magic[16];
    uint32_t order;
    char mode[16]; /* "generate", "use": the other mode's words are others */
    char program[92];
    wpg_hash128 slots[WPG_FLIGHT_SLOTS];
} wpg_flight_page;
static_assert(sizeof(wpg_flight_page) == 4096, "one page");

typedef struct wpg_flight {
    char mode[16], program[92];
    wpg_hash128 pipelines[WPG_FLIGHT_SLOTS];
    size_t count;
} wpg_flight;

/* Reads a record: each pipeline once. WPG_E_FORMAT: it is none, or another machine's. */
wpg_status wpg_flight_read(wpg_flight *flight, const uint8_t *data, size_t size, wpg_error *err);

typedef struct wpg_flights {
    wpg_flight *entries; /* owned; those with pipelines */
    size_t count;
} wpg_flights;

/* Reads the records of processes that are gone, and removes them. "" or a folder without any: none. Always
 * usable afterwards. Not by a process that has a record: it would take its own, whose lock is no obstacle to
 * itself. (Names do not tell: containers number their processes anew.) */
wpg_status wpg_flights_take(wpg_flights *flights, const char *folder, wpg_error *err);
void wpg_flights_finish(wpg_flights *flights);

/* A record of this process. */
typedef struct wpg_flight_record {
    wpg_flight_page *page; /* mapped; NULL: there is no record */
    int file;              /* open while the record is locked */
    char path[4200];
} wpg_flight_record;

/* Makes a record, all free, and locks it. WPG_E_NOT_FOUND: there is no cache folder; WPG_E_IO. */
wpg_status wpg_flight_open(wpg_flight_record *record, const char *folder, const char *mode,
                           const char *program, wpg_error *err);
/* Removes the file; the page stays mapped, and may be written. */
void wpg_flight_remove(const wpg_flight_record *record);
/* Unmaps and closes it. No thread writes to the page any more. */
void wpg_flight_close(wpg_flight_record *record);

#endif
