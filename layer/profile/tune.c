#include "layer/profile/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/optimize/ir/optimize.h"
#include "layer/base/build_id.h"
#include "layer/profile/bundle_files.h"
#include "layer/files/file_locks.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "runtime/bundle/bundle.h"
#include "layer/profile/tune_records.h"

static struct {
    pthread_mutex_t lock; /* guards the list */
    wpg_tuned *list;
    pthread_mutex_t write_lock; /* one writes at a time; guards what follows */
    wpg_map paths;              /* subject's low half -> path, once it was claimed */
} tune = {.lock = PTHREAD_MUTEX_INITIALIZER, .write_lock = PTHREAD_MUTEX_INITIALIZER};

wpg_tuned *wpg_tune_first(void)
{
    (void)pthread_mutex_lock(&tune.lock);
    wpg_tuned *first = tune.list;
    (void)pthread_mutex_unlock(&tune.lock);
    return first;
}

/* -- Who */

void wpg_tune_know_device(wpg_device *device, VkPhysicalDevice physical)
{
    const wpg_instance_commands *ask = &device->instance->next;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &driver};
    wpg_device_key *key = &device->key;
    ask->GetPhysicalDeviceProperties(physical, &properties);
    /* A driver's id is of 1.2; an older one's version number and cache UUID tell it from others. */
    if (ask->GetPhysicalDeviceProperties2 && device->instance->api_version >= VK_API_VERSION_1_2 &&
        properties.apiVersion >= VK_API_VERSION_1_2)
        ask->GetPhysicalDeviceProperties2(physical, &all);
    *key = (wpg_device_key){.vendor = properties.vendorID,
                            .device = properties.deviceID,
                            .driver = (uint32_t)driver.driverID,
                            .version = properties.driverVersion};
    (void)snprintf(key->name, sizeof key->name, "%s", properties.deviceName);
    memcpy(key->uuid, properties.pipelineCacheUUID, sizeof key->uuid);
    device->key_hash = wpg_device_key_hash(key);
}

bool wpg_tune_times(const wpg_device *device, VkPhysicalDevice physical)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = sizeof families / sizeof *families;
    const int64_t method = wpg_the_process.settings.tune_method;
    if (method != WPG_TUNE_AUTO)
        return method == WPG_TUNE_TIMESTAMPS;
    device->instance->next.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (uint32_t i = 0; i < count; i++)
        if (families[i].timestampValidBits)
            return true;
    wpg_log_warn("tune: device %s has no timestamps: verdicts are static, by what its driver says",
                 device->key.name);
    return false;
}

void wpg_tune_leave_out(char letters[WPG_VERDICT_PASSES], const char *passes)
{
    size_t used = 0;
    for (char letter = 'a'; letter <= 'z'; letter++)
        if (letter != WPG_PASS_SSA && !strchr(passes, letter))
            letters[used++] = letter;
    letters[used] = '\0';
}

static void write_build(char *hex, size_t size)
{
    size_t bytes;
    const uint8_t *build = wpg_build_id(&bytes);
    hex[0] = '\0';
    for (size_t i = 0; i < bytes && 2 * i + 3 <= size; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", build[i]);
}

/* -- Records */

static wpg_candidate *find_set(wpg_verdict *verdict, const wpg_tune_set *set)
{
    for (size_t i = 1; i < verdict->count; i++)
        if (strcmp(verdict->alternatives[i].passes, set->passes) == 0 &&
            wpg_hash_equal(verdict->alternatives[i].words, set->words))
            return &verdict->alternatives[i];
    return NULL;
}

static wpg_status read_verdict(wpg_verdict **verdict, wpg_hash128 subject, wpg_error *err)
{
    char path[4200], hex[WPG_HASH_HEX + 1];
    wpg_facts *facts;
    wpg_hash_to_hex(hex, subject);
    WPG_TRY(wpg_bundle_facts_path(path, sizeof path, wpg_bundle_folder(), "verdict", hex, "", err));
    if (access(path, F_OK) != 0)
        return wpg_fail(err, WPG_E_NOT_FOUND, "there is none");
    WPG_TRY(wpg_facts_read_file(&facts, path, err));
    wpg_status status = wpg_verdict_decode(verdict, facts, err);
    wpg_facts_destroy(facts);
    return status;
}

/* Takes up what the bundle has, if it was measured of the same words at the same level; of a static verdict
 * the samples, for what it says is asked anew. */
static bool take_up(wpg_verdict *verdict, wpg_hash128 subject, bool times, const wpg_tune_set *sets,
                    size_t count)
{
    wpg_verdict *known;
    wpg_error err;
    wpg_status status = read_verdict(&known, subject, &err);
    if (status != WPG_OK) {
        if (status != WPG_E_NOT_FOUND)
            wpg_log_warn("a verdict is not used: %s", err.message);
        return false;
    }
    /* As written: with six digits. */
    bool same =
        known->count == count + 1 &&
        (known->is_static ||
         (known->confidence - verdict->confidence < 1e-6 && verdict->confidence - known->confidence < 1e-6 &&
          known->margin - verdict->margin < 1e-6 && verdict->margin - known->margin < 1e-6));
    for (size_t i = 0; i < count; i++)
        same = same && find_set(known, &sets[i]);
    /* What was measured of the same words stays where nothing is timed, though candidates differ: variants
     * are none there. */
    for (size_t i = 0; !times && !known->is_static && wpg_verdict_looks(known) && i < count; i++)
        same = same || find_set(known, &sets[i]);
    if (same) {
        memcpy(verdict->alternatives, known->alternatives, sizeof verdict->alternatives);
        verdict->count = known->count;
    }
    for (size_t i = 1; same && known->is_static && i < verdict->count; i++) {
        wpg_candidate *at = &verdict->alternatives[i];
        at->outcome = WPG_OUTCOME_OPEN;
        at->ratio = at->low = at->high = 0;
        at->looks = 0;
    }
    free(known);
    return same;
}

static wpg_tuned *create(const wpg_device *device, wpg_hash128 pipeline, wpg_hash128 subject,
                         const wpg_tune_set *sets, size_t count)
{
    const wpg_settings *settings = &wpg_the_process.settings;
    char hex[WPG_HASH_HEX + 1];
    wpg_tuned *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    wpg_verdict *verdict = &made->verdict;
    made->subject = subject;
    verdict->pipeline = pipeline;
    verdict->device = device->key;
    verdict->confidence = settings->tune_confidence;
    verdict->margin = settings->tune_margin;
    write_build(verdict->build, sizeof verdict->build);
    wpg_hash_to_hex(hex, pipeline);
    if (take_up(verdict, subject, device->times, sets, count))
        wpg_log_info("pipeline %s: tuning goes on from %u sample%s of the original", hex,
                     verdict->alternatives[0].count, wpg_plural(verdict->alternatives[0].count));
    else {
        verdict->count = 1 + count;
        for (size_t i = 0; i < count; i++) {
            memcpy(verdict->alternatives[i + 1].passes, sets[i].passes, sizeof sets[i].passes);
            verdict->alternatives[i + 1].words = sets[i].words;
        }
        made->changed = true;
    }
    (void)pthread_mutex_init(&made->lock, NULL);
    wpg_tuning_init(&made->tuning, verdict);
    made->had = verdict->alternatives[0].count;
    return made;
}

wpg_tuned *wpg_tune_pipeline(wpg_device *device, wpg_hash128 pipeline, const wpg_tune_set *sets, size_t count)
{
    wpg_hash128 subject = wpg_verdict_subject(device->key_hash, pipeline);
    (void)pthread_mutex_lock(&tune.lock);
    wpg_tuned *found = tune.list;
    while (found && !wpg_hash_equal(found->subject, subject))
        found = found->next;
    if (!found) {
        found = create(device, pipeline, subject, sets, count);
        if (found) {
            found->next = tune.list;
            tune.list = found;
        }
    }
    (void)pthread_mutex_unlock(&tune.lock);
    return found;
}

size_t wpg_tune_open(wpg_tuned *tuned, const wpg_tune_set *set)
{
    (void)pthread_mutex_lock(&tuned->lock);
    const wpg_candidate *found = find_set(&tuned->verdict, set);
    size_t index =
        found && found->outcome == WPG_OUTCOME_OPEN ? (size_t)(found - tuned->verdict.alternatives) : 0;
    (void)pthread_mutex_unlock(&tuned->lock);
    return index;
}

static bool is_open(const wpg_verdict *verdict)
{
    return wpg_verdict_looks(verdict) == 0;
}

bool wpg_tune_wants_estimates(wpg_tuned *tuned)
{
    (void)pthread_mutex_lock(&tuned->lock);
    bool wants = is_open(&tuned->verdict) && !tuned->judged;
    (void)pthread_mutex_unlock(&tuned->lock);
    return wants;
}

void wpg_tune_judge(wpg_tuned *tuned, const wpg_estimate *original, const wpg_tune_set *sets,
                    const wpg_estimate *candidates, size_t count, const double waves[WPG_MOST_EXECUTABLES])
{
    char hex[WPG_HASH_HEX + 1];
    (void)pthread_mutex_lock(&tuned->lock);
    wpg_hash_to_hex(hex, tuned->verdict.pipeline);
    for (size_t i = 0; i < count; i++) {
        const wpg_candidate *found = find_set(&tuned->verdict, &sets[i]);
        if (!found)
            continue;
        double ratio;
        wpg_outcome outcome = wpg_estimate_compare(&ratio, original, &candidates[i], waves,
                                                   wpg_the_process.settings.tune_static_margin);
        size_t at = (size_t)(found - tuned->verdict.alternatives);
        tuned->judgements[at].outcome = outcome;
        tuned->judgements[at].ratio = ratio < 1e6 ? ratio : 1e6;
        tuned->judged |= outcome != WPG_OUTCOME_OPEN;
        tuned->changed = true;
        wpg_log_info("pipeline %s: passes %s: %s by the driver's figures, %.3f of the cost", hex,
                     sets[i].passes, wpg_outcome_name(outcome), ratio);
    }
    (void)pthread_mutex_unlock(&tuned->lock);
}

wpg_trial wpg_tune_choose(wpg_tuned *tuned)
{
    (void)pthread_mutex_lock(&tuned->lock);
    wpg_trial trial = {.tuned = tuned, .alternative = wpg_tuning_choose(&tuned->tuning)};
    if (wpg_verdict_settled(&tuned->verdict))
        trial.tuned = NULL;
    (void)pthread_mutex_unlock(&tuned->lock);
    return trial;
}

static void say_decided(const wpg_verdict *verdict)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, verdict->pipeline);
    for (size_t i = 1; i < verdict->count; i++) {
        const wpg_candidate *at = &verdict->alternatives[i];
        wpg_log_info("pipeline %s: passes %s: %s, %.3f of the time (%.3f to %.3f), %u sample%s", hex,
                     at->passes, wpg_outcome_name(at->outcome), at->ratio, at->low, at->high, at->count,
                     wpg_plural(at->count));
    }
}

void wpg_tune_add(wpg_trial trial, wpg_sample sample)
{
    wpg_tuned *tuned = trial.tuned;
    (void)pthread_mutex_lock(&tuned->lock);
    bool decided = wpg_tuning_add(&tuned->tuning, trial.alternative, sample);
    tuned->changed = true;
    if (decided && wpg_verdict_settled(&tuned->verdict))
        say_decided(&tuned->verdict);
    (void)pthread_mutex_unlock(&tuned->lock);
    wpg_tune_tell();
}

void wpg_tune_missed(wpg_tuned *tuned, wpg_tune_miss miss)
{
    (void)pthread_mutex_lock(&tuned->lock);
    tuned->misses[miss] += !wpg_verdict_settled(&tuned->verdict);
    (void)pthread_mutex_unlock(&tuned->lock);
}

/* -- Writing */

/* Ours as long as we live: another process that tunes into the same bundle writes beside it, and `merge`
 * keeps the one with more samples. NULL when memory runs out. */
static const char *path_of(wpg_hash128 subject)
{
    uint64_t known;
    bool alone;
    if (wpg_map_get(&tune.paths, subject.low, &known))
        return (const char *)(uintptr_t)known;
    char *path = wpg_file_lock_facts(&alone, wpg_bundle_folder(), "verdict", subject);
    if (path && wpg_map_set(&tune.paths, subject.low, (uint64_t)(uintptr_t)path))
        return path;
    free(path);
    return NULL;
}

/* What is known: by time as soon as a candidate was looked at, until then by the driver's figures; samples
 * stay for the tuning that goes on. */
static wpg_status encode(wpg_facts **facts, const wpg_tuned *tuned, wpg_error *err)
{
    if (!tuned->judged || !is_open(&tuned->verdict))
        return wpg_verdict_encode(facts, &tuned->verdict, err);
    wpg_verdict *copy = malloc(sizeof *copy);
    if (!copy)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    *copy = tuned->verdict;
    copy->is_static = true;
    copy->confidence = 0;
    copy->margin = wpg_the_process.settings.tune_static_margin;
    for (size_t i = 1; i < copy->count; i++) {
        wpg_candidate *at = &copy->alternatives[i];
        at->outcome = tuned->judgements[i].outcome;
        at->ratio = at->low = at->high = tuned->judgements[i].ratio;
    }
    wpg_status status = wpg_verdict_encode(facts, copy, err);
    free(copy);
    return status;
}

static wpg_status write_one(wpg_tuned *tuned, bool *wrote, wpg_error *err)
{
    wpg_facts *facts = NULL;
    wpg_status status = WPG_OK;
    (void)pthread_mutex_lock(&tuned->lock);
    bool changed = tuned->changed;
    if (changed)
        status = encode(&facts, tuned, err);
    tuned->changed = false;
    (void)pthread_mutex_unlock(&tuned->lock);
    if (!changed || status != WPG_OK)
        return status;
    const char *path = path_of(tuned->subject);
    status = path ? wpg_facts_write_file(path, facts, err) : wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_facts_destroy(facts);
    *wrote |= status == WPG_OK;
    if (status != WPG_OK) { /* the next write has it again */
        (void)pthread_mutex_lock(&tuned->lock);
        tuned->changed = true;
        (void)pthread_mutex_unlock(&tuned->lock);
    }
    return status;
}

void wpg_tune_write(void)
{
    bool wrote = false;
    wpg_error err;
    if (!wpg_process_is_owner())
        return;
    (void)pthread_mutex_lock(&tune.write_lock);
    (void)pthread_mutex_lock(&tune.lock);
    wpg_tuned *at = tune.list; /* what is in the list stays there */
    (void)pthread_mutex_unlock(&tune.lock);
    for (; at; at = at->next)
        if (write_one(at, &wrote, &err) != WPG_OK)
            wpg_log_once(WPG_LOG_ERROR, "a verdict is not written: %s", err.message);
    if (wrote && wpg_bundle_write_index(wpg_bundle_folder(), &err) != WPG_OK)
        wpg_log_once(WPG_LOG_ERROR, "the bundle's index is not written: %s", err.message);
    (void)pthread_mutex_unlock(&tune.write_lock);
}

void wpg_tune_finish(void)
{
    while (tune.list) {
        wpg_tuned *at = tune.list;
        tune.list = at->next;
        (void)pthread_mutex_destroy(&at->lock);
        free(at);
    }
    for (size_t i = 0; i < tune.paths.capacity; i++)
        if (tune.paths.slots[i].used)
            free((void *)(uintptr_t)tune.paths.slots[i].value);
    wpg_map_free(&tune.paths);
}

/* -- Use */

typedef struct winner {
    wpg_hash128 pipeline;
    wpg_tune_win win;
} winner;

/* What did not win, and may not be applied as safe by rule either. */
static void keep_losers(wpg_tune_win *win, const wpg_verdict *verdict)
{
    for (size_t i = 1; i < verdict->count; i++) {
        const wpg_candidate *at = &verdict->alternatives[i];
        if (at->outcome != WPG_OUTCOME_LOSES && at->outcome != WPG_OUTCOME_UNDECIDED)
            continue;
        if (strcmp(at->passes, WPG_VERDICT_BY_VALUE) == 0)
            win->values_lost = true;
        else
            win->lost[win->lost_count++] = at->words;
    }
}

/* One verdict of this device; whether it is one. */
static bool keep_verdict(wpg_device *device, const wpg_facts *facts)
{
    wpg_verdict *verdict;
    wpg_error err;
    if (wpg_verdict_decode(&verdict, facts, &err) != WPG_OK) {
        wpg_log_warn("a verdict is not used: %s", err.message);
        return false;
    }
    bool ours = wpg_hash_equal(wpg_device_key_hash(&verdict->device), device->key_hash);
    const wpg_candidate *best = ours ? wpg_verdict_winner(verdict) : NULL;
    const wpg_candidate *values = ours ? wpg_verdict_by_value(verdict) : NULL;
    winner *made = ours ? calloc(1, sizeof *made) : NULL;
    if (made) {
        made->pipeline = verdict->pipeline;
        made->win.is_static = verdict->is_static;
        if (best) {
            made->win.base = true;
            made->win.set.words = best->words;
            memcpy(made->win.set.passes, best->passes, sizeof best->passes);
            made->win.ratio = best->ratio;
        }
        if (values) {
            made->win.by_value = true;
            made->win.value_words = values->words;
        }
        made->win.open = wpg_verdict_unfinished(verdict);
        made->win.progress = wpg_tune_progress_of(verdict);
        keep_losers(&made->win, verdict);
        device->tuned_open += made->win.open;
        free(wpg_handles_remove(&device->verdicts, made->pipeline.low));
        if (!wpg_handles_set(&device->verdicts, made->pipeline.low, made))
            free(made);
    }
    free(verdict);
    return ours;
}

void wpg_tune_load_verdicts(wpg_device *device, const char *bundle)
{
    wpg_bundle all = {0};
    wpg_error err;
    size_t count = 0, others = 0;
    if (!bundle || !wpg_is_bundle(bundle))
        return;
    if (wpg_bundle_load_kind(&all, bundle, "verdict", &err) != WPG_OK)
        wpg_log_warn("verdicts are not read: %s", err.message);
    else
        for (size_t i = 0; i < all.sets.count; i++)
            if (keep_verdict(device, all.sets.data[i]))
                count++;
            else
                others++;
    wpg_bundle_finish(&all);
    device->tuned = count > 0;
    if (count)
        wpg_log_info(
            "device %s: %zu pipeline%s tuned: what won there is applied and nothing else; passes that "
            "are safe by rule are applied to pipelines without a verdict",
            device->key.name, count - device->tuned_open, wpg_plural(count - device->tuned_open));
    if (device->tuned_open)
        wpg_log_info(
            "device %s: the tuning of %zu pipeline%s is not finished: passes that are safe by rule are "
            "applied there; `wavepgo run --tune` goes on",
            device->key.name, device->tuned_open, wpg_plural(device->tuned_open));
    if (!count)
        wpg_log_info("device %s: no verdicts of it (%zu of others): passes that are safe by rule are applied",
                     device->key.name, others);
}

void wpg_tune_forget_verdicts(wpg_device *device)
{
    wpg_handles_free(&device->verdicts);
}

const wpg_tune_win *wpg_tune_winner(wpg_device *device, wpg_hash128 pipeline)
{
    const winner *found = wpg_handles_get(&device->verdicts, pipeline.low);
    return found && wpg_hash_equal(found->pipeline, pipeline) ? &found->win : NULL;
}
