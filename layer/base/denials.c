#include "layer/base/denials.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "layer/base/disk_cache.h"
#include "layer/base/state.h"
#include "runtime/base/log.h"
#include "runtime/base/map.h"
#include "runtime/base/text.h"
#include "runtime/bundle/denied.h"
#include "runtime/config/pattern.h"

static pthread_once_t read_once = PTHREAD_ONCE_INIT;
static wpg_denied denied;
static pthread_mutex_t noted_lock = PTHREAD_MUTEX_INITIALIZER;
static wpg_map noted; /* by this process: low halves of hashes, under noted_lock */

static const char *mode_name(void)
{
    return wpg_the_process.mode == WPG_MODE_GENERATE ? "generate" : "use";
}

static void read_denied(void)
{
    wpg_error err;
    if (wpg_denied_read(&denied, wpg_disk_cache()->folder, &err) != WPG_OK)
        wpg_log_warn("deny list: %s", err.message);
}

bool wpg_is_denied(wpg_hash128 hash)
{
    (void)pthread_once(&read_once, read_denied);
    if (!wpg_denied_has(&denied, hash, mode_name()))
        return false;
    wpg_log_once(WPG_LOG_WARN, "pipelines on the deny list pass through: a device was lost while they ran "
                               "('wavepgo doctor' lists them, 'wavepgo clean' forgets them)");
    return true;
}

void wpg_denials_finish(void)
{
    wpg_denied_finish(&denied);
    wpg_map_free(&noted);
}

/* Hashes as many as fit a line. */
static void list_hashes(char *text, size_t size, const wpg_hash128 *hashes, size_t count)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < count && used + WPG_HASH_HEX + 2 < size; i++) {
        char hex[WPG_HASH_HEX + 1];
        wpg_hash_to_hex(hex, hashes[i]);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", hex);
    }
}

static void fill_entry(wpg_denied_entry *entry, wpg_hash128 hash, const char *mode)
{
    entry->pipeline = hash;
    entry->when = (int64_t)time(NULL);
    (void)snprintf(entry->mode, sizeof entry->mode, "%s", mode);
    wpg_executable_name(entry->program, sizeof entry->program);
}

wpg_pace wpg_pace_of(wpg_hash128 hash)
{
    (void)pthread_once(&read_once, read_denied);
    return wpg_denied_has(&denied, hash, WPG_DENIED_SLOWER) ? WPG_PACE_SLOWER
           : wpg_denied_has(&denied, hash, WPG_DENIED_SLOW) ? WPG_PACE_SLOW
                                                            : WPG_PACE_USUAL;
}

/* Whether nothing was noted of this pipeline yet. Where memory runs out it is noted again. */
static bool is_first_note(wpg_hash128 hash)
{
    uint64_t unused;
    (void)pthread_mutex_lock(&noted_lock);
    const bool first = !wpg_map_get(&noted, hash.low, &unused);
    (void)wpg_map_set(&noted, hash.low, 1);
    (void)pthread_mutex_unlock(&noted_lock);
    return first;
}

void wpg_pace_note(wpg_hash128 hash, wpg_pace pace, double seconds, wpg_paced when)
{
    wpg_error err;
    wpg_denied_entry entry = {0};
    char hex[WPG_HASH_HEX + 1], took[32];
    const char *what =
        when == WPG_AT_CREATION ? "to make it with counters" : "at its first use, with counters";
    if (!is_first_note(hash))
        return;
    wpg_hash_to_hex(hex, hash);
    (void)wpg_format(took, sizeof took, "%.1f", seconds);
    fill_entry(&entry, hash, pace == WPG_PACE_USUAL ? WPG_DENIED_SLOW : WPG_DENIED_SLOWER);
    if (wpg_denied_append(wpg_disk_cache()->folder, &entry, 1, &err) != WPG_OK)
        wpg_log_warn("pipeline %s: the driver took %s s %s, and that could not be noted: %s", hex, took, what,
                     err.message);
    else
        wpg_log_warn("pipeline %s: the driver took %s s %s: from the next run on %s (COMPILE_LIMIT; 'wavepgo "
                     "clean --denied' forgets it)",
                     hex, took, what,
                     pace == WPG_PACE_USUAL ? "only its lanes are counted" : "it passes through");
}

void wpg_denials_add(const wpg_hash128 *hashes, size_t count)
{
    wpg_error err;
    char text[512];
    wpg_denied_entry *entries = calloc(count, sizeof *entries);
    wpg_status status = entries ? WPG_OK : wpg_fail(&err, WPG_E_NOMEM, "out of memory");
    for (size_t i = 0; entries && i < count; i++)
        fill_entry(&entries[i], hashes[i], mode_name());
    if (status == WPG_OK)
        status = wpg_denied_append(wpg_disk_cache()->folder, entries, count, &err);
    free(entries);
    list_hashes(text, sizeof text, hashes, count);
    if (status == WPG_OK)
        wpg_log_warn("the device was lost; the changed pipelines that ran last pass through next time "
                     "('wavepgo clean --denied' forgets them): %s",
                     text);
    else
        wpg_log_warn(
            "the device was lost; the changed pipelines that ran last could not be put on the deny list "
            "(%s): %s",
            err.message, text);
}
