/* The file of TIMES: what is written is read again; what is damaged is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/tune/times.h"

static char *encoded(void)
{
    wpg_times times = {.program = "a\nb",
                       .device = "llvmpipe (x)",
                       .pid = 7,
                       .presents = 3,
                       .made = 5,
                       .changed = 2,
                       .driver = 13};
    wpg_writer out = {0};
    wpg_times_pipeline one = {.hash = {1, 2},
                              .changed = true,
                              .runs = 3,
                              .commands = 9,
                              .nanoseconds = 900,
                              .first_commands = 3,
                              .first_nanoseconds = 600};
    assert_true(wpg_vec_push(&times.pipelines, one));
    assert_true(wpg_vec_push(&times.frames, UINT64_C(16600000)));
    assert_true(wpg_vec_push(&times.frames, UINT64_C(1)));
    wpg_times_encode(&out, &times);
    wpg_write_u8(&out, 0);
    assert_false(out.out_of_memory);
    wpg_times_finish(&times);
    return (char *)out.data;
}

static void round_trip(void **state)
{
    (void)state;
    char *text = encoded();
    wpg_times times;
    wpg_error err;
    assert_int_equal(wpg_times_decode(&times, text, &err), WPG_OK);
    assert_string_equal(times.program, "a b");
    assert_string_equal(times.device, "llvmpipe (x)");
    assert_true(times.pid == 7 && times.presents == 3 && times.made == 5 && times.changed == 2 &&
                times.driver == 13);
    assert_int_equal(times.pipelines.count, 1);
    const wpg_times_pipeline *one = &times.pipelines.data[0];
    assert_true(one->changed && one->runs == 3 && one->commands == 9 && one->first_nanoseconds == 600);
    assert_int_equal(times.frames.count, 2);
    assert_true(times.frames.data[0] == 16600000 && times.frames.data[1] == 1);
    wpg_times_finish(&times);
    free(text);
}

/* However many bytes are cut off, nothing is read of the rest. */
static void cut(void **state)
{
    (void)state;
    char *text = encoded();
    wpg_times times;
    for (size_t length = strlen(text) - 1; length; length--) {
        text[length] = '\0';
        assert_int_not_equal(wpg_times_decode(&times, text, NULL), WPG_OK);
    }
    free(text);
}

static void damaged(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "end\n",
        "wavepgo-times 2\nend\n",
        "wavepgo-times 1\nnonsense\nend\n",
        "wavepgo-times 1\nframe x\nend\n",
        "wavepgo-times 1\nframe 1 2\nend\n",
        "wavepgo-times 1\npresents\nend\n",
        "wavepgo-times 1\npipeline 12 0 1 1 1 1 1\nend\n",
        /* More in the first run than in all. */
        "wavepgo-times 1\npipeline 00000000000000010000000000000002 0 1 1 1 2 1\nend\n",
        "wavepgo-times 1\nend\nmore\n",
    };
    wpg_times times;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_not_equal(wpg_times_decode(&times, bad[i], NULL), WPG_OK);
}

/* The first run is left out where there are others. */
static void steady(void **state)
{
    (void)state;
    uint64_t commands;
    wpg_times_pipeline several = {.runs = 3,
                                  .commands = 9,
                                  .nanoseconds = 900,
                                  .first_commands = 3,
                                  .first_nanoseconds = 600},
                       single = {.runs = 1,
                                 .commands = 3,
                                 .nanoseconds = 600,
                                 .first_commands = 3,
                                 .first_nanoseconds = 600},
                       none = {0};
    assert_true(fabs(wpg_times_steady(&commands, &several) - 50) < 1e-9);
    assert_int_equal(commands, 6);
    assert_true(fabs(wpg_times_steady(&commands, &single) - 200) < 1e-9);
    assert_int_equal(commands, 3);
    assert_true(wpg_times_steady(&commands, &none) == 0);
    assert_int_equal(commands, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(cut),
        cmocka_unit_test(damaged),
        cmocka_unit_test(steady),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
