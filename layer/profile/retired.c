/* Retires the counts of pipelines that the program has destroyed:
 *
 *     no user --[drain]--> out of directory and list --> last read --> records of its file --> journal
 *                                                                   --> slot and counters are used again
 *
 * Vulkan lets a program destroy a pipeline only once the device has finished with it. What the device wrote
 * reaches the host by a drain that is submitted afterwards; on software devices it is there. Records of a
 * file that many share go to its spill (spill.h) when they are much. Those of a pipeline's own file go to
 * that file at once, and are read again if the pipeline is made again. */
#include <stdlib.h>

#include "layer/profile/check_counts.h"
#include "layer/profile/files_internal.h"
#include "layer/profile/live.h"
#include "runtime/base/file.h"
#include "runtime/base/log.h"

void wpg_files_keep_ended(const wpg_device *device, const wpg_counted *head, bool all)
{
    wpg_live_frame frame = {.out = {0}};
    for (const wpg_counted *counted = head; counted; counted = counted->next)
        if (counted->file)
            wpg_live_ended(&frame, device, counted);
    wpg_live_commit(&frame, all ? device : NULL);
}

/* Once it fails, the file's counts stay in memory. */
void wpg_files_spill(wpg_file *file)
{
    wpg_error err;
    if (!file->shared || !file->retired || file->spill.refused ||
        wpg_profile_bytes(file->retired) < WPG_SPILL_BYTES)
        return;
    wpg_profile *rest = wpg_profile_create();
    if (rest && wpg_spill_add(&file->spill, file->path, file->retired, wpg_files_format(), &err) == WPG_OK) {
        wpg_profile_destroy(file->retired);
        file->retired = rest;
        return;
    }
    wpg_profile_destroy(rest);
    file->spill.refused = true;
    wpg_log_once(WPG_LOG_WARN,
                 "counts of destroyed pipelines stay in memory: none can be put beside %s: %s (logged once)",
                 file->path, rest ? err.message : "out of memory");
}

void wpg_files_rest(wpg_file *file)
{
    if (file->shared || file->pool || file->counting || !file->retired)
        return;
    wpg_profile_destroy(file->retired);
    file->retired = NULL;
    file->rests = true;
}

wpg_status wpg_files_recall(wpg_file *file, wpg_error *err)
{
    uint8_t *data = NULL;
    size_t size = 0;
    if (!file->rests)
        return WPG_OK;
    if (!file->retired && !(file->retired = wpg_profile_create()))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_status status = wpg_file_read(&data, &size, file->path, SIZE_MAX, err);
    if (status == WPG_OK && wpg_hash_equal(wpg_hash_bytes(data, size), file->written))
        status = wpg_profile_read_memory(file->retired, NULL, data, size, err);
    else if (status == WPG_OK || status == WPG_E_NOT_FOUND) {
        status = WPG_OK;
        wpg_log_warn("%s was removed or changed during the run: the counts that it had are not in the next",
                     file->path);
    }
    free(data);
    file->rests = status != WPG_OK;
    return status;
}

/* True if no shader of the pipeline runs any more, and its last counts can be read: its slot is retired then.
 * Else, where a drain is needed for that, `unused` marks it: one that is asked for from here on serves,
 * unless the pipeline is made again. */
static bool may_go(wpg_device *device, wpg_counted *counted, bool writes)
{
    const unsigned claims = atomic_load(&counted->slot->claims);
    const bool marked = counted->unused && counted->unused_claims == claims;
    counted->unused = false;
    if (!wpg_files_assign(device, counted) || (!counted->file->shared && !writes) ||
        atomic_load(&counted->slot->users))
        return false;
    if (!wpg_counters_direct(device->counters) && !marked) {
        counted->unused = true;
        counted->unused_claims = claims;
        return false;
    }
    return wpg_counters_retire(device->counters, counted->slot, claims);
}

/* The head of the list, or what was: a new one may stand before it. */
static void unlink_head(wpg_device *device, wpg_counted *gone)
{
    wpg_counted **at = &device->counted;
    (void)pthread_mutex_lock(&device->counted_lock);
    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    (void)pthread_mutex_unlock(&device->counted_lock);
}

/* Takes up to WPG_RETIRED_AT_ONCE pipelines that the program has destroyed out of the device's list. Behind
 * its head nobody else changes a link. */
static wpg_counted *take_unused(size_t *count, wpg_device *device, bool writes)
{
    wpg_counted *taken = NULL, *head = wpg_files_counted(device), *last = head;
    bool marked = false;
    *count = 0;
    for (wpg_counted *counted = head, *next; counted && *count < WPG_RETIRED_AT_ONCE; counted = next) {
        next = counted->next;
        const bool goes = may_go(device, counted, writes);
        marked |= counted->unused;
        if (!goes) {
            last = counted;
            continue;
        }
        ++*count;
        if (counted == head)
            unlink_head(device, counted);
        else
            last->next = next;
        if (counted == head)
            head = last = next;
        counted->next = taken;
        taken = counted;
    }
    if (marked)
        atomic_store(&device->drain_wanted, true);
    return taken;
}

/* Their counts go to their files, and their memory is used again. */
static size_t retire_some(wpg_device *device, bool writes)
{
    wpg_file *of[WPG_RETIRED_AT_ONCE];
    size_t count, ended = 0;
    wpg_counted *taken = take_unused(&count, device, writes);
    (void)wpg_files_read(device, taken);
    wpg_check_counts(&device->impossible, taken);
    wpg_files_add_records(taken, true);
    wpg_files_keep_ended(device, taken, false);
    while (taken) {
        wpg_counted *next = taken->next;
        taken->file->changed = true;
        if (--taken->file->counting == 0 && !taken->file->shared)
            of[ended++] = taken->file;
        wpg_files_spill(taken->file);
        wpg_counters_reuse(device->counters, taken->slot);
        wpg_counted_destroy(taken);
        taken = next;
    }
    wpg_files_write_ended(of, ended);
    return count;
}

bool wpg_device_drained(wpg_device *device)
{
    wpg_drain *drain = wpg_counters_drain(device->counters);
    /* In this order: the queue hooks are `draining` before they take `drain_wanted`. */
    if (!drain || atomic_load(&device->lost) || atomic_load(&device->drain_wanted) ||
        atomic_load(&device->draining))
        return false;
    const wpg_status status = wpg_drain_wait(drain, 0);
    if (status == WPG_E_IO)
        atomic_store(&device->lost, true);
    return status == WPG_OK;
}

void wpg_files_retire_list(wpg_device *head, bool writes)
{
    for (wpg_device *device = head; device; device = device->next_device)
        while ((wpg_counters_direct(device->counters) ||
                (!atomic_load(&device->drain_failed) && wpg_device_drained(device))) &&
               retire_some(device, writes) == WPG_RETIRED_AT_ONCE)
            ;
}
