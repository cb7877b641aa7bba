/* From counters to profile files.
 *
 *     counted pipelines --read--> records
 *         --merge with what earlier devices left--> one profile a file --> disk
 *
 * A file belongs to one pipeline hash (pattern with %b) or to all. A file is written again only when its
 * counts changed, whole, by rename. Threads: any; one write at a time. Locks are taken in the order files,
 * process, device. */
#ifndef WPG_LAYER_PROFILE_FILES_H
#define WPG_LAYER_PROFILE_FILES_H

#include "layer/profile/records.h"

/* Takes over `counted` and counts it from now on. A second one of the same pipeline hash on the device is
 * dropped, since its counters are the same. */
void wpg_files_add(wpg_device *device, wpg_counted *counted);

/* Reads a device's counters for the last time, forgets its pipelines, and removes the device from the list.
 * True if it was the last device. */
bool wpg_files_retire(wpg_device *device);

/* A pipeline is gone, or was not made: it no longer uses the slot that its plan claimed. Once no pipeline
 * does, the slot's counts go to their file, and its memory is used again. The writer does so, or, if no
 * writer runs, this call, for files that many pipelines share. */
void wpg_files_release(wpg_device *device, wpg_counter_slot *slot);
/* Does that for every slot that waits, and whose last counts can be read without waiting. */
void wpg_files_retire_unused(void);
/* True if every drain that was asked for has been submitted and has finished. False for a lost device. */
bool wpg_device_drained(wpg_device *device);

/* True if a pipeline of the device counts. */
bool wpg_files_has(wpg_device *device);
/* Reads the counters of every device. True if some counter rose since the last read. */
bool wpg_files_read_all(void);

/* Writes every file whose counts changed. `unloading`: as the process ends, from its handler of exit and
 * again from the destructor. Then it waits for no lock, because another thread may hold it for ever. */
void wpg_files_write_all(bool unloading);
/* Writes what is new in the bundle, without counts (wpg_bundle_write_new). */
void wpg_files_write_new(void);
void wpg_files_finish(void);

#endif
