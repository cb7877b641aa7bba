/* Which frames, pipelines and processes count where not all do: the right share, one of each N frames, the
 * same in every run or another in each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "layer/base/sampling.h"

static wpg_settings settings_of(int64_t rate, wpg_sample_by_setting by, int64_t seed)
{
    wpg_settings settings = {0};
    settings.sample = rate;
    settings.sample_by = (int)by;
    settings.sample_seed = seed;
    settings.sample_processes = 1;
    return settings;
}

static uint64_t frames_taken(uint8_t *taken, size_t frames)
{
    uint64_t count = 0;
    for (size_t i = 0; i < frames; i++) {
        taken[i] = wpg_sampling_takes_frame();
        count += taken[i];
        wpg_sampling_frame();
    }
    return count;
}

/* In a child: frames are counted from the start of a process. */
static int in_child(int (*work)(void *), void *argument)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(work(argument));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int by_frame(void *argument)
{
    enum { RATE = 8, FRAMES = 80 };
    uint8_t taken[FRAMES];
    const wpg_settings settings = settings_of(RATE, WPG_SAMPLE_BY_FRAME, *(const int64_t *)argument);
    uint32_t places = 0, hash = 0;
    wpg_sampling_set_up(&settings);
    if (!wpg_sampling_is_by_frame() || !wpg_sampling_has_twins() || wpg_sampling_rate() != RATE ||
        frames_taken(taken, FRAMES) != FRAMES / RATE)
        return 0;
    for (unsigned i = 0; i < FRAMES; i++)
        if (taken[i]) {
            places |= 1u << i % RATE;
            hash = hash * 31 + i;
        }
    /* Not on one beat; and one in each eight. */
    return __builtin_popcount(places) < 3 ? 0 : 1 + (int)(hash % 250);
}

static void one_frame_of_n(void **state)
{
    (void)state;
    int64_t seed = 0;
    const int first = in_child(by_frame, &seed);
    assert_int_not_equal(first, 0);
    assert_int_equal(in_child(by_frame, &seed), first);
    seed = 7;
    const int seventh = in_child(by_frame, &seed);
    assert_int_not_equal(seventh, 0);
    assert_int_not_equal(seventh, first);
    assert_int_equal(in_child(by_frame, &seed), seventh);
    seed = -1; /* drawn once in a process: children have their parent's */
    assert_int_not_equal(in_child(by_frame, &seed), 0);
}

static void one_pipeline_of_n(void **state)
{
    (void)state;
    enum { RATE = 16, MANY = 16000 };
    for (int64_t seed = 0; seed < 4; seed++) {
        const wpg_settings settings = settings_of(RATE, WPG_SAMPLE_BY_PIPELINE, seed);
        uint32_t count = 0;
        wpg_sampling_set_up(&settings);
        assert_false(wpg_sampling_has_twins());
        assert_true(wpg_sampling_is_by_pipeline());
        for (uint64_t i = 0; i < MANY; i++)
            count += wpg_sampling_takes_pipeline(wpg_hash_bytes(&i, sizeof i));
        assert_in_range(count, 850, 1150); /* 1000; a deviation is 31 */
    }
    /* With all seeds a pipeline has its turn as often as others. */
    const uint64_t one = 1;
    const wpg_hash128 hash = wpg_hash_bytes(&one, sizeof one);
    uint32_t turns = 0;
    for (int64_t seed = 1; seed <= MANY; seed++) {
        const wpg_settings settings = settings_of(RATE, WPG_SAMPLE_BY_PIPELINE, seed);
        wpg_sampling_set_up(&settings);
        turns += wpg_sampling_takes_pipeline(hash);
    }
    assert_in_range(turns, 850, 1150);
    const wpg_settings all = settings_of(1, WPG_SAMPLE_BY_PIPELINE, 0);
    wpg_sampling_set_up(&all);
    assert_true(wpg_sampling_takes_pipeline(hash));
    const wpg_settings inside = settings_of(RATE, WPG_SAMPLE_BY_WORKGROUP, 0);
    wpg_sampling_set_up(&inside);
    assert_true(wpg_sampling_takes_pipeline(hash));
    assert_false(wpg_sampling_has_twins());
    assert_int_equal(wpg_sampling_rate(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_frame_of_n), cmocka_unit_test(one_pipeline_of_n)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
