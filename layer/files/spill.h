/* What destroyed pipelines counted, once it is much: on the disk, so that memory stays flat.
 *
 *     retired records --SPILL bytes of them--> a raw profile, behind those before --> the file without a name
 *     a flush:  [ raw profile | raw profile | ... ] [ raw profile of the rest ] --> the profile's file
 *
 * Raw profiles may stand behind each other in a file, and a reader adds up records of one name (LLVM's
 * RawInstrProfReader reads on at the next header). So nothing has to be sorted or merged.
 *
 * The file has no name (O_TMPFILE, or unlinked): it goes with the process. A killed process has the counts in
 * the profile's file as of the last flush, and in its journal (live.h). Where the disk is full or the folder
 * cannot be written, records stay in memory.
 *
 * Owns: the descriptor. Threads: under the files lock. */
#ifndef WPG_LAYER_FILES_SPILL_H
#define WPG_LAYER_FILES_SPILL_H

#include "runtime/profile/profile_io.h"

enum { WPG_SPILL_BYTES = 1 << 20 }; /* of records in memory (wpg_profile_bytes) before they are spilled */

typedef struct wpg_spill {
    int file;      /* valid while there is a size */
    uint64_t size; /* whole profiles only; 0: nothing was spilled */
    bool refused;  /* the last attempt failed: there is no other */
} wpg_spill;

/* Writes the records behind what is there; `path` is the profile's file, in whose folder it lies. On failure
 * the spill is as it was. WPG_E_IO, and those of wpg_profile_encode. */
wpg_status wpg_spill_add(wpg_spill *spill, const char *path, const wpg_profile *records,
                         wpg_profile_format format, wpg_error *err);
/* Adds everything spilled to `profile`. */
wpg_status wpg_spill_read(wpg_profile *profile, const wpg_spill *spill, wpg_error *err);
/* Drops everything spilled. */
void wpg_spill_clear(wpg_spill *spill);

#endif
