/* Counts that survive the end of the process, however it ends. This needs counters in pages of our own
 * (software drivers).
 *
 *     <folder of the profiles>/wavepgo-<pid>-<token>.live        journal: what the counters mean
 *                              wavepgo-<pid>-<token>.live.<n>    counters of device n, mapped
 *                                                                (LLVM's %c, by file)
 *
 * Both files are made with the first counted pipeline, and removed when the process ends in order. Profiles
 * of a killed process's counts are made by the next run that writes into the folder, or by `wavepgo merge` or
 * `show` (recover.h). The kernel writes the pages and nothing is synchronised: a power cut may lose them.
 *
 * The journal is a header and frames. A checksum makes each frame whole or absent for the reader. A frame
 * holds entries:
 *
 *     M device name                       of the record that says who counts on the device (made_record.h)
 *     P device first count rate pipeline shader-only name stages...   a pipeline counts from now on
 *     A device pipeline first-run name    the pipeline's file, and whether it counts the run
 *     E device pipeline binds counted n values...   it was destroyed, or the device: these are its last
 *                                         counts, and its counters may be another pipeline's
 *     B name profile                      the E entries of that file before this one are void: the file's
 *                                         counts so far are `profile`; empty: they are in a pool
 *     R device                            its counters are gone
 *
 * The process locks the journal (fcntl). Threads: any. Locks: after those of files.c. */
#ifndef WPG_LAYER_PROFILE_LIVE_H
#define WPG_LAYER_PROFILE_LIVE_H

#include "layer/profile/files.h"
#include "runtime/base/bytes.h"
#include "runtime/profile/profile.h"

#define WPG_LIVE_MAGIC   "wavepgo-live 4\n" /* a new number when an entry or map_codec.h changes */
#define WPG_LIVE_MAGIC_3 "wavepgo-live 3\n" /* had no E entries */
#define WPG_LIVE_MAGIC_2 "wavepgo-live 2\n" /* nor M entries */
enum {
    WPG_LIVE_FRAME = 0x46504757, /* a frame: this, its size (32 bits), its checksum (64 bits), its entries */
    WPG_LIVE_FRAME_SIZE = 16,
};

/* Notes that a pipeline of the device counts from here on, into `path` unless another process owns it. Called
 * before the program gets the pipeline. */
void wpg_live_pipeline(wpg_device *device, const wpg_counted *counted, const char *path);
/* Notes the file that the pipeline counts into. */
void wpg_live_assign(const wpg_device *device, const wpg_counted *counted, const char *path);

/* Entries that are written together: all of them outlive the process, or none. */
typedef struct wpg_live_frame {
    wpg_writer out;
} wpg_live_frame;
/* The pipeline counts no more: its values are the last. Before its counters are another's. */
void wpg_live_ended(wpg_live_frame *frame, const wpg_device *device, const wpg_counted *counted);
/* The counts of the file are in a pool: it starts from zero. */
void wpg_live_pooled(wpg_live_frame *frame, const char *path);
/* Writes the frame. device NULL: no device retires. */
void wpg_live_commit(wpg_live_frame *frame, const wpg_device *device);
/* Removes the device's counters. */
void wpg_live_retired(const wpg_device *device);

/* True for the name of this process's journal. The process number alone does not tell: containers number
 * their processes anew, so that a killed run may have had the same. */
bool wpg_live_is_own(const char *name);

/* The process ends in order: everything is in its profiles. */
void wpg_live_finish(void);

#endif
