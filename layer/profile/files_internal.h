/* Shared by files.c and retired.c: the profile files, and what they do with lists of counted pipelines.
 * Threads: under the files lock. */
#ifndef WPG_LAYER_PROFILE_FILES_INTERNAL_H
#define WPG_LAYER_PROFILE_FILES_INTERNAL_H

#include "layer/profile/files.h"
#include "layer/files/spill.h"

/* Destroyed pipelines whose records are made together; so many wake the writer. */
enum { WPG_RETIRED_AT_ONCE = 512 };

typedef struct wpg_file {
    wpg_hash128 pipeline; /* zero: the one file of all pipelines */
    char *path;
    char *pool;           /* that `path` is merged into at the end; NULL: none */
    bool shared;          /* by pipelines without end */
    wpg_profile *retired; /* what destroyed pipelines and devices counted; NULL until there is any */
    wpg_spill spill;      /* shared: and what of that was too much for memory */
    bool rests;           /* else: and what was in memory before is in the file on disk */
    size_t counting;      /* pipelines that have it as theirs, of all devices */
    wpg_profile *now;     /* while writing */
    wpg_hash128 written;  /* of the bytes on disk */
    wpg_hash128 writing;  /* of those in the batch */
    bool on_disk, failed;
    bool replaces; /* a profile of an earlier run lay there */
    bool changed;  /* since it was written */
} wpg_file;

/* Before counts are read: which file, and whether it counts the run. At creation only if no file is being
 * written: making a pipeline never waits for that. */
bool wpg_files_assign(const wpg_device *device, wpg_counted *counted);
/* The device's list as it is now. It grows at its head only, and only retiring takes it away (under the files
 * lock): the rest of it can be walked while pipelines are made. */
wpg_counted *wpg_files_counted(wpg_device *device);
/* Reads counters of a device; notes which files have news. True if some counter rose. */
bool wpg_files_read(wpg_device *device, wpg_counted *head);
/* Puts what was read into the profiles of the files that have news; into the lasting part when pipelines or
 * their device retire. */
void wpg_files_add_records(wpg_counted *head, bool retiring);
/* Writes those of the files whose counts are all of destroyed pipelines: they leave memory. */
void wpg_files_write_ended(wpg_file *const *list, size_t count);
/* The format of every profile that is written. */
wpg_profile_format wpg_files_format(void);

/* -- retired.c */

/* What these counted outlives a killed process without their counters from here on. `all`: the device has no
 * others. */
void wpg_files_keep_ended(const wpg_device *device, const wpg_counted *head, bool all);
/* Much of what was retired goes to the disk. */
void wpg_files_spill(wpg_file *file);
/* The disk has all of the file's counts: those of destroyed pipelines leave memory, where no other pipeline
 * adds to them. */
void wpg_files_rest(wpg_file *file);
/* They come back, since the file will be written again. */
wpg_status wpg_files_recall(wpg_file *file, wpg_error *err);
/* Retires what the program has destroyed, of every device of the list, where that needs no wait. `writes`:
 * also what has a file of its own, which is written at once. */
void wpg_files_retire_list(wpg_device *head, bool writes);

#endif
