#include "layer/base/sampling.h"

#include <stdatomic.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/arithmetic.h"

static struct {
    uint64_t rate, seed, random;
    wpg_sample_by_setting by;
    bool drawn, takes_process;
    atomic_uint_fast64_t frame; /* the one that runs, from 0 */
    atomic_bool takes_frame;
} sampling = {.rate = 1, .takes_process = true};

static uint64_t draw(void)
{
    uint64_t number;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
        return number;
    return wpg_mix64((uint64_t)time(NULL) ^ (uint64_t)getpid() << 32);
}

/* Whether place `index` of a row is the one of its N that counts. */
static bool is_chosen(uint64_t index, uint64_t salt)
{
    return index % sampling.rate == wpg_mix64(wpg_mix64(index / sampling.rate) ^ salt) % sampling.rate;
}

void wpg_sampling_set_up(const wpg_settings *settings)
{
    if (!sampling.drawn)
        sampling.random = draw();
    sampling.by = (wpg_sample_by_setting)settings->sample_by;
    sampling.rate = sampling.by == WPG_SAMPLE_BY_WORKGROUP ? 1 : (uint64_t)settings->sample;
    sampling.seed = settings->sample_seed < 0    ? sampling.random
                    : settings->sample_seed == 0 ? 0
                                                 : wpg_mix64((uint64_t)settings->sample_seed);
    if (!sampling.drawn) {
        const uint64_t number =
            settings->sample_seed > 0 ? wpg_mix64(~sampling.seed) : wpg_mix64(sampling.random);
        sampling.takes_process = number % (uint64_t)settings->sample_processes == 0;
    }
    sampling.drawn = true;
    atomic_store(&sampling.takes_frame, is_chosen(0, sampling.seed));
}

bool wpg_sampling_takes_process(void)
{
    return sampling.takes_process;
}

uint64_t wpg_sampling_seed(void)
{
    return sampling.seed;
}

uint64_t wpg_sampling_rate(void)
{
    return sampling.rate;
}

bool wpg_sampling_has_twins(void)
{
    return sampling.rate > 1 && (sampling.by == WPG_SAMPLE_BY_BIND || sampling.by == WPG_SAMPLE_BY_FRAME);
}

bool wpg_sampling_is_by_frame(void)
{
    return sampling.rate > 1 && sampling.by == WPG_SAMPLE_BY_FRAME;
}

bool wpg_sampling_takes_frame(void)
{
    return atomic_load_explicit(&sampling.takes_frame, memory_order_relaxed);
}

void wpg_sampling_frame(void)
{
    if (!wpg_sampling_is_by_frame())
        return;
    const uint64_t frame = 1 + atomic_fetch_add_explicit(&sampling.frame, 1, memory_order_relaxed);
    atomic_store_explicit(&sampling.takes_frame, is_chosen(frame, sampling.seed), memory_order_relaxed);
}

bool wpg_sampling_is_by_pipeline(void)
{
    return sampling.rate > 1 && sampling.by == WPG_SAMPLE_BY_PIPELINE;
}

bool wpg_sampling_takes_pipeline(wpg_hash128 hash)
{
    return !wpg_sampling_is_by_pipeline() ||
           wpg_mix64(hash.low ^ wpg_mix64(hash.high ^ sampling.seed)) % sampling.rate == 0;
}
