/* Which pipelines are blamed for a lost device: those of the last submissions that were not seen to finish.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "layer/base/loss_attribution.h"

static wpg_device device;

enum { BUFFERS = 16 };
static wpg_bound_set sets[BUFFERS]; /* of command buffers */

static VkPipeline pipeline(uintptr_t number)
{
    return (VkPipeline)(number << 4);
}
static wpg_hash128 hash(uint64_t number)
{
    return (wpg_hash128){number, ~number};
}

static int start(void **state)
{
    (void)state;
    device = (wpg_device){.attribution = wpg_attribution_create()};
    for (uintptr_t i = 1; i <= 200; i++)
        wpg_attribution_add(&device, pipeline(i), hash(i));
    return device.attribution ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    for (int i = 0; i < BUFFERS; i++)
        wpg_bound_set_finish(&sets[i]);
    wpg_attribution_destroy(device.attribution);
    return 0;
}

/* Whether exactly these, 0 ends the list, are suspected. */
static void expect(const uint64_t *numbers)
{
    size_t count, wanted = 0;
    wpg_hash128 *list = wpg_attribution_list(&count, &device);
    while (numbers[wanted])
        wanted++;
    assert_int_equal(count, wanted);
    for (size_t i = 0; i < count; i++)
        assert_true(wpg_hash_equal(list[i], hash(numbers[i])));
    free(list);
}
#define EXPECT(...) expect((const uint64_t[]){__VA_ARGS__, 0})

static void record(uintptr_t buffer, uintptr_t first, uintptr_t last)
{
    wpg_bound_set_clear(&sets[buffer]);
    for (uintptr_t i = first; i <= last; i++)
        wpg_attribution_bind(&device, &sets[buffer], pipeline(i));
}

static void submit(uintptr_t buffer)
{
    wpg_attribution_submission(&device, VK_NULL_HANDLE);
    wpg_attribution_submit(&device, &sets[buffer]);
}

static void submitted_and_not_finished(void **state)
{
    (void)state;
    expect((const uint64_t[]){0});
    record(1, 1, 2);
    record(2, 199, 200);
    expect((const uint64_t[]){0}); /* recorded is not submitted */
    submit(1);
    EXPECT(1, 2);
    submit(2);
    EXPECT(1, 2, 199, 200);
    wpg_attribution_idle(&device);
    expect((const uint64_t[]){0});
    submit(2); /* submitted again without being recorded again */
    EXPECT(199, 200);
}

static void only_the_last_submissions(void **state)
{
    (void)state;
    record(1, 7, 7);
    record(2, 8, 8);
    submit(1);
    for (int i = 0; i < WPG_SUSPECT_SUBMISSIONS - 1; i++)
        submit(2);
    EXPECT(7, 8);
    submit(2);
    EXPECT(8);
}

static void recorded_anew(void **state)
{
    (void)state;
    record(1, 1, 3);
    record(1, 5, 5);
    submit(1);
    EXPECT(5);
}

static void secondaries(void **state)
{
    (void)state;
    record(10, 20, 21);
    record(11, 90, 90);
    record(1, 3, 3);
    wpg_attribution_execute(&sets[1], &sets[10]);
    wpg_attribution_execute(&sets[1], &sets[11]);
    submit(1);
    EXPECT(3, 20, 21, 90);
}

static void links_and_strangers(void **state)
{
    (void)state;
    wpg_attribution_add(&device, pipeline(500), hash(4)); /* a link: two parts, both known */
    wpg_attribution_add(&device, pipeline(500), hash(9));
    record(1, 500, 501); /* 501 is none of ours */
    wpg_attribution_submission(&device, VK_NULL_HANDLE);
    wpg_attribution_submit(&device, &sets[7]); /* nothing was recorded */
    submit(1);
    EXPECT(4, 9);
    /* A destroyed pipeline's handle comes again as something else; what was submitted stays suspected. */
    wpg_attribution_remove(&device, pipeline(500));
    record(2, 500, 500);
    submit(2);
    EXPECT(4, 9);
}

/* Pipelines without end: numbers are used again, but not while one is suspected. */
static void come_and_go(void **state)
{
    (void)state;
    record(1, 7, 7);
    submit(1);
    wpg_attribution_remove(&device, pipeline(7));
    for (uintptr_t i = 1000; i < 3000; i++) {
        wpg_attribution_add(&device, pipeline(i), hash(i));
        record(2, i, i);
        assert_true(sets[2].count <= 4); /* words of 64 numbers: 201 pipelines are alive at most */
        wpg_attribution_remove(&device, pipeline(i));
    }
    EXPECT(7);
    wpg_attribution_idle(&device);
    wpg_attribution_add(&device, pipeline(8000), hash(8000));
    record(1, 8000, 8000);
    submit(1);
    EXPECT(8000);
    /* One hash, two handles: the number stays until both are gone. */
    wpg_attribution_add(&device, pipeline(8001), hash(8000));
    wpg_attribution_remove(&device, pipeline(8000));
    wpg_attribution_idle(&device);
    wpg_attribution_add(&device, pipeline(9000), hash(9000));
    record(1, 8001, 8001);
    submit(1);
    EXPECT(8000);
}

/* What compiles at its first use: the dearest that is new and may not have finished, once. */
static void the_dearest_new(void **state)
{
    wpg_hash128 found;
    (void)state;
    for (uintptr_t i = 1; i <= 9; i++)
        wpg_attribution_weigh(&device, hash(i), 100 * i);
    assert_false(wpg_attribution_has_new(&device));
    assert_false(wpg_attribution_dearest_new(&device, &found)); /* none was submitted */
    record(1, 3, 4);
    record(2, 3, 3);
    record(3, 150, 150); /* nothing is known of its code */
    submit(3);
    assert_false(wpg_attribution_has_new(&device));
    submit(1);
    assert_true(wpg_attribution_has_new(&device));
    assert_true(wpg_attribution_dearest_new(&device, &found));
    assert_true(wpg_hash_equal(found, hash(4)));
    assert_true(wpg_attribution_dearest_new(&device, &found));
    assert_true(wpg_hash_equal(found, hash(3)));
    assert_false(wpg_attribution_dearest_new(&device, &found));
    assert_false(wpg_attribution_has_new(&device));
    submit(2); /* not for the first time */
    assert_false(wpg_attribution_has_new(&device));
    record(4, 5, 5);
    submit(4);
    wpg_attribution_idle(&device);
    assert_false(wpg_attribution_has_new(&device));
    assert_false(wpg_attribution_dearest_new(&device, &found)); /* it was seen to finish */
    record(4, 6, 6);
    submit(4);
    for (int i = 0; i < WPG_SUSPECT_SUBMISSIONS; i++)
        submit(2);
    assert_false(wpg_attribution_dearest_new(&device, &found)); /* long ago */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(submitted_and_not_finished, start, stop),
        cmocka_unit_test_setup_teardown(only_the_last_submissions, start, stop),
        cmocka_unit_test_setup_teardown(recorded_anew, start, stop),
        cmocka_unit_test_setup_teardown(secondaries, start, stop),
        cmocka_unit_test_setup_teardown(links_and_strangers, start, stop),
        cmocka_unit_test_setup_teardown(come_and_go, start, stop),
        cmocka_unit_test_setup_teardown(the_dearest_new, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
