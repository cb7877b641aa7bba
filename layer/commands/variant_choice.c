/* Which pipeline a draw or dispatch runs. A variant, if the words it depends on are valid, were pushed for
 * the stages they were folded in, and are equal. Otherwise the program's own. See variants.h. */
#include <string.h>
#include <time.h>

#include "layer/base/loss_attribution.h"
#include "layer/variants/variants_internal.h"
#include "layer/commands/variant_choice.h"

enum {
    TUNE_WAIT = 10, /* seconds */
    PATIENCE = 256, /* draws and dispatches */
};

static struct {
    atomic_uint_least64_t used, seen;
} counts;

void wpg_variants_choices(uint64_t *used, uint64_t *seen)
{
    *used = atomic_load(&counts.used);
    *seen = atomic_load(&counts.seen);
}

static bool serves(const wpg_variant *v, const wpg_recording *recording, uint64_t valid)
{
    if (v->words & ~valid)
        return false;
    for (uint64_t left = v->words; left; left &= left - 1) {
        int word = __builtin_ctzll(left);
        if (v->values[word] != recording->push[word] || (v->stages[word] & ~recording->push_stages[word]))
            return false;
    }
    return true;
}

static VkPipeline find(const wpg_variant_set *set, const wpg_recording *recording, uint64_t valid)
{
    unsigned ready = atomic_load_explicit(&set->ready, memory_order_acquire);
    for (unsigned i = 0; i < ready; i++)
        if (serves(set->variants[i], recording, valid))
            return set->variants[i]->pipeline;
    return VK_NULL_HANDLE;
}

static bool words_are_usual(const wpg_usual *usual, const wpg_recording *recording)
{
    for (uint64_t left = usual->words; left; left &= left - 1) {
        int word = __builtin_ctzll(left);
        uint32_t i = 0;
        while (i < usual->word[word].count && usual->word[word].values[i] != recording->push[word])
            i++;
        if (i == usual->word[word].count)
            return false;
    }
    return true;
}

/* *which: the usual set, where there are sets. */
static bool is_usual(uint32_t *which, const wpg_usual *usual, const wpg_recording *recording, uint64_t valid)
{
    if (usual->words & ~valid)
        return false;
    if (!usual->usual_sets)
        return words_are_usual(usual, recording);
    const uint64_t key = wpg_push_set_key(usual->words, recording->push);
    *which = 0;
    while (*which < usual->usual_sets && usual->sets.sets[*which].key != key)
        ++*which;
    return *which < usual->usual_sets;
}

/* Commoner sets come first: this one has its turn once there is a variant to be had beyond those for commoner
 * ones, or when draws and dispatches show that this run is another than the profile's. */
static bool has_turn(wpg_variant_set *set, uint32_t which, unsigned most)
{
    const wpg_push_set *sets = set->usual->sets.sets;
    const unsigned closed = atomic_load(&set->closed);
    unsigned commoner = 0;
    if (!set->usual->usual_sets)
        return true;
    if (closed >> which & 1)
        return false;
    for (uint32_t i = 0; i < which && sets[i].n > sets[which].n; i++)
        commoner += !(closed >> i & 1);
    return commoner + atomic_load(&set->ready) < most ||
           atomic_fetch_add_explicit(&set->passed_over, 1, memory_order_relaxed) >= PATIENCE;
}

/* A combination that was never tried is asked for, one at a time. false: another one is being built, and this
 * one may be asked for later. */
static bool maybe_ask(wpg_device *device, wpg_variant_set *set, const wpg_recording *recording,
                      uint32_t which)
{
    unsigned most = (unsigned)wpg_the_process.settings.variants;
    unsigned tries = atomic_load(&set->tries);
    if (tries >= most * 2 || tries >= WPG_MOST_VARIANT_TRIES || atomic_load(&set->ready) >= most)
        return true;
    uint64_t hash = wpg_variant_hash(set->usual, recording->push);
    for (unsigned i = 0; i < tries; i++)
        if (atomic_load(&set->tried[i]) == hash)
            return true;
    if (atomic_load(&set->asked))
        return false;
    if (!has_turn(set, which, most))
        return true;
    (void)pthread_mutex_lock(&device->variants->lock);
    bool asks = !atomic_load(&set->asked) && atomic_load(&set->tries) == tries && !device->variants->stop;
    if (asks) {
        atomic_store(&set->asked, true);
        memcpy(set->job, recording->push, sizeof set->job);
        set->has_job = true;
        atomic_store(&set->tried[tries], hash);
        atomic_store(&set->tries, tries + 1);
        if (set->usual->usual_sets)
            (void)atomic_fetch_or(&set->closed, 1u << which);
        wpg_variant_ask(device, set);
    }
    (void)pthread_mutex_unlock(&device->variants->lock);
    return asks;
}

static struct timespec deadline(double seconds)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}

/* Until what the set is building is there; false: it is too late. */
static bool wait_for(wpg_device *device, wpg_variant_set *set, const struct timespec *until)
{
    bool in_time = true;
    (void)pthread_mutex_lock(&device->variants->lock);
    while (in_time && atomic_load(&set->asked) && !device->variants->stop)
        in_time = pthread_cond_timedwait(&device->variants->done, &device->variants->lock, until) == 0;
    in_time &= !device->variants->stop;
    (void)pthread_mutex_unlock(&device->variants->lock);
    return in_time;
}

/* VARIANT_WAIT, and while tuning: the recording waits until its own combination was tried. */
static void ask(wpg_device *device, wpg_variant_set *set, const wpg_recording *recording, uint32_t which)
{
    const double given = wpg_the_process.settings.variant_wait;
    const double most =
        device->mode == WPG_MODE_TUNE && given < (double)TUNE_WAIT ? (double)TUNE_WAIT : given;
    bool done = maybe_ask(device, set, recording, which);
    if (most <= 0)
        return;
    struct timespec until = deadline(most);
    while (wait_for(device, set, &until) && !done)
        done = maybe_ask(device, set, recording, which);
}

/* A job that is under way may have begun without them: the draws behind its end ask again. */
static void ask_for_contents(wpg_device *device, wpg_variant_set *set)
{
    if (atomic_exchange(&set->contents_due, true) && atomic_load(&set->asked))
        return;
    (void)pthread_mutex_lock(&device->variants->lock);
    if (!atomic_load(&set->contents_tried) && !atomic_load(&set->asked) && !device->variants->stop) {
        atomic_store(&set->asked, true);
        wpg_variant_ask(device, set);
    }
    (void)pthread_mutex_unlock(&device->variants->lock);
}

/* The first draw asks for the pipelines for contents: programs make many pipelines that they never draw with.
 * VARIANT_WAIT goes for these pipelines, too. */
static void want_contents(wpg_device *device, wpg_variant_set *set)
{
    const double most = wpg_the_process.settings.variant_wait;
    if (!atomic_load(&set->contents_wanted) || atomic_load(&set->contents_tried))
        return;
    ask_for_contents(device, set);
    if (most <= 0)
        return;
    const struct timespec until = deadline(most);
    while (wait_for(device, set, &until) && !atomic_load(&set->contents_tried))
        ask_for_contents(device, set);
}

VkPipeline wpg_variants_bind(wpg_device *device, wpg_variant_set *set)
{
    const double most = wpg_the_process.settings.variant_wait;
    if (atomic_load_explicit(&set->rests, memory_order_relaxed))
        wpg_base_wake(device, set);
    if (most > 0 && atomic_load(&set->waiting)) {
        const struct timespec until = deadline(most);
        atomic_store(&set->hurried, true);
        (void)wait_for(device, set, &until);
    }
    return wpg_variant_base(set);
}

static void bind(wpg_recording *recording, wpg_bound *bound, VkPipeline pipeline)
{
    if (bound->actual == pipeline)
        return;
    bound->actual = pipeline;
    wpg_attribution_bind(recording->device, &recording->blamed, pipeline);
    recording->device->next.CmdBindPipeline(recording->handle, bound->variants->point, pipeline);
}

void wpg_variants_before(wpg_recording *recording, wpg_bound *bound)
{
    wpg_variant_set *set = bound->variants;
    if (!set)
        return;
    want_contents(recording->device, set);
    const wpg_usual *usual = atomic_load_explicit(&set->usual, memory_order_acquire);
    if (!usual)
        return;
    uint64_t valid = bound->push_signature == recording->push_signature ? recording->pushed : 0;
    VkPipeline chosen = find(set, recording, valid);
    uint32_t which = 0;
    if (!chosen && is_usual(&which, usual, recording, valid)) {
        ask(recording->device, set, recording, which);
        chosen = find(set, recording, valid);
        if (!chosen && atomic_load(&set->asked))
            bound->trial.tuned = NULL; /* tune: it would be the original's time */
    }
    atomic_fetch_add_explicit(&counts.seen, 1, memory_order_relaxed);
    if (chosen)
        atomic_fetch_add_explicit(&counts.used, 1, memory_order_relaxed);
    bind(recording, bound, chosen ? chosen : bound->base);
}

void wpg_variants_restore(wpg_recording *recording, wpg_bound *bound)
{
    if (bound->variants && bound->actual != bound->base)
        bind(recording, bound, bound->base);
}
