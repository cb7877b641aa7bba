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
#include "runtime/base/vec.h"
#include "runtime/bundle/denied.h"
#include "runtime/bundle/flight.h"
#include "runtime/config/pattern.h"

static pthread_once_t read_once = PTHREAD_ONCE_INIT;
static wpg_denied denied;
static pthread_mutex_t noted_lock = PTHREAD_MUTEX_INITIALIZER;
static wpg_map noted, noted_fine; /* by this process: low halves of hashes, under noted_lock */

const char *wpg_denials_mode(void)
{
    return wpg_the_process.mode == WPG_MODE_GENERATE ? "generate" : "use";
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

static void fill_entry(wpg_denied_entry *entry, wpg_hash128 hash, const char *mode, const char *ending)
{
    *entry = (wpg_denied_entry){.pipeline = hash, .when = (int64_t)time(NULL)};
    (void)snprintf(entry->mode, sizeof entry->mode, "%.8s%.7s", mode, ending);
    wpg_executable_name(entry->program, sizeof entry->program);
}

/* -- Processes that ended with pipelines in the driver's hands */

typedef struct ended {
    WPG_VEC(wpg_hash128) of[WPG_ENDED_MOST]; /* by how many in a row ended so before */
    WPG_VEC(wpg_denied_entry) entries;
} ended;

/* One run may have several processes: what several of them had in hand is noted once. */
static bool note_pipeline(ended *all, const wpg_flight *flight, wpg_hash128 hash)
{
    static const char *const endings[WPG_ENDED_MOST] = {WPG_DENIED_ENDED, WPG_DENIED_ENDED2,
                                                        WPG_DENIED_ENDED3};
    const int before = wpg_denied_ended(&denied, hash, flight->mode);
    wpg_denied_entry entry;
    for (size_t i = 0; i < all->entries.count; i++)
        if (wpg_hash_equal(all->entries.data[i].pipeline, hash))
            return true;
    if (before == WPG_ENDED_MOST)
        return true;
    fill_entry(&entry, hash, flight->mode, endings[before]);
    (void)snprintf(entry.program, sizeof entry.program, "%s", flight->program);
    return wpg_vec_push(&all->entries, entry) && wpg_vec_push(&all->of[before], hash);
}

/* A run that is stopped by hand ends so, too: the first time is no warning. */
static void say_ended(const ended *all, const char *program)
{
    char text[WPG_ENDED_MOST][512];
    for (int i = 0; i < WPG_ENDED_MOST; i++)
        list_hashes(text[i], sizeof text[i], all->of[i].data, all->of[i].count);
    if (all->of[0].count)
        wpg_log_info("the last run of %s ended while the driver had changed pipelines in hand: %s", program,
                     text[0]);
    if (all->of[1].count)
        wpg_log_warn("two runs of %s in a row ended while the driver had these changed pipelines in hand. "
                     "Should a third end so, they pass through from then on (CRASH_GUARD): %s",
                     program, text[1]);
    if (all->of[2].count)
        wpg_log_warn("three runs of %s in a row ended while the driver had these changed pipelines in hand. "
                     "They pass through from now on ('wavepgo clean --denied' forgets them): %s",
                     program, text[2]);
}

/* What processes that are gone had in hand goes on the list. */
static void note_ended(void)
{
    const char *folder = wpg_disk_cache()->folder;
    wpg_flights flights;
    wpg_error err;
    ended all = {0};
    bool fits = true;
    if (wpg_flights_take(&flights, folder, &err) != WPG_OK)
        wpg_log_warn("flight records: %s", err.message);
    for (size_t i = 0; i < flights.count; i++)
        for (size_t k = 0; k < flights.entries[i].count && fits; k++)
            fits = note_pipeline(&all, &flights.entries[i], flights.entries[i].pipelines[k]);
    if (all.entries.count) {
        say_ended(&all, flights.entries[0].program);
        if (wpg_denied_append(folder, all.entries.data, all.entries.count, &err) != WPG_OK)
            wpg_log_warn("the deny list cannot be written: %s", err.message);
        wpg_denied_finish(&denied);
        if (wpg_denied_read(&denied, folder, &err) != WPG_OK)
            wpg_log_warn("deny list: %s", err.message);
    }
    wpg_flights_finish(&flights);
    for (int i = 0; i < WPG_ENDED_MOST; i++)
        wpg_vec_free(&all.of[i]);
    wpg_vec_free(&all.entries);
}

static void read_denied(void)
{
    wpg_error err;
    if (wpg_denied_read(&denied, wpg_disk_cache()->folder, &err) != WPG_OK)
        wpg_log_warn("deny list: %s", err.message);
    if (wpg_the_process.settings.crash_guard)
        note_ended();
}

void wpg_denials_read(void)
{
    (void)pthread_once(&read_once, read_denied);
}

bool wpg_is_denied(wpg_hash128 hash)
{
    const char *mode = wpg_denials_mode();
    wpg_denials_read();
    if (!wpg_denied_has(&denied, hash, mode) &&
        !(wpg_the_process.settings.crash_guard && wpg_denied_ended(&denied, hash, mode) == WPG_ENDED_MOST))
        return false;
    wpg_log_once(
        WPG_LOG_WARN,
        "pipelines on the deny list pass through: a device was lost, or the program ended, with them "
        "in the driver's hands ('wavepgo doctor' lists them, 'wavepgo clean' forgets them)");
    return true;
}

void wpg_denials_finish(void)
{
    wpg_denied_finish(&denied);
    wpg_map_free(&noted);
    wpg_map_free(&noted_fine);
}

wpg_pace wpg_pace_of(wpg_hash128 hash)
{
    wpg_denials_read();
    return wpg_denied_has(&denied, hash, WPG_DENIED_SLOWER) ? WPG_PACE_SLOWER
           : wpg_denied_has(&denied, hash, WPG_DENIED_SLOW) ? WPG_PACE_SLOW
                                                            : WPG_PACE_USUAL;
}

/* Whether nothing was noted of this pipeline yet. Where memory runs out it is noted again. */
static bool is_first_note(wpg_map *notes, wpg_hash128 hash)
{
    uint64_t unused;
    (void)pthread_mutex_lock(&noted_lock);
    const bool first = !wpg_map_get(notes, hash.low, &unused);
    (void)wpg_map_set(notes, hash.low, 1);
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
    if (!is_first_note(&noted, hash))
        return;
    wpg_hash_to_hex(hex, hash);
    (void)wpg_format(took, sizeof took, "%.1f", seconds);
    fill_entry(&entry, hash, pace == WPG_PACE_USUAL ? WPG_DENIED_SLOW : WPG_DENIED_SLOWER, "");
    if (wpg_denied_append(wpg_disk_cache()->folder, &entry, 1, &err) != WPG_OK)
        wpg_log_warn("pipeline %s: the driver took %s s %s, and that could not be noted: %s", hex, took, what,
                     err.message);
    else
        wpg_log_warn("pipeline %s: the driver took %s s %s: from the next run on %s (COMPILE_LIMIT; 'wavepgo "
                     "clean --denied' forgets it)",
                     hex, took, what,
                     pace == WPG_PACE_USUAL ? "only its lanes are counted" : "it passes through");
}

void wpg_denials_fine(wpg_hash128 hash)
{
    wpg_error err;
    wpg_denied_entry entry;
    wpg_denials_read();
    const int times = denied.count ? wpg_denied_ended(&denied, hash, wpg_denials_mode()) : 0;
    if (!times || times == WPG_ENDED_MOST || !wpg_process_is_owner() || !is_first_note(&noted_fine, hash))
        return;
    fill_entry(&entry, hash, wpg_denials_mode(), WPG_DENIED_FINE);
    if (wpg_denied_append(wpg_disk_cache()->folder, &entry, 1, &err) != WPG_OK)
        wpg_log_warn("the deny list cannot be written: %s", err.message);
}

void wpg_denials_add(const wpg_hash128 *hashes, size_t count)
{
    wpg_error err;
    char text[512];
    wpg_denied_entry *entries = calloc(count, sizeof *entries);
    wpg_status status = entries ? WPG_OK : wpg_fail(&err, WPG_E_NOMEM, "out of memory");
    for (size_t i = 0; entries && i < count; i++)
        fill_entry(&entries[i], hashes[i], wpg_denials_mode(), "");
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
