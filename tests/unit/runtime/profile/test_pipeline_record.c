/* Pipeline records' names: compose and parse are inverses; what compose does not give is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/profile/pipeline_record.h"
#include "runtime/profile/profile.h"

static void round_trip(void **state)
{
    static const char *const entries[] = {"main", "a.b", "x#entry", "", ":", "z.fn3", "\n"};
    (void)state;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        wpg_hash128 pipeline = {0x1122334455667788u, 0x99aabbccddeeff00u}, back;
        wpg_record_name stage = {.shader = {7, 9}, .stage = "frag", .entry = (char *)(uintptr_t)entries[i]},
                        parsed;
        char *name;
        wpg_error err;
        assert_int_equal(wpg_pipeline_record_compose(&name, pipeline, &stage, &err), WPG_OK);
        assert_true(wpg_profile_name_is_valid(name));
        assert_int_equal(wpg_pipeline_record_parse(&back, &parsed, name, &err), WPG_OK);
        assert_true(wpg_hash_equal(back, pipeline));
        assert_true(wpg_hash_equal(parsed.shader, stage.shader));
        assert_string_equal(parsed.entry, entries[i]);
        assert_string_equal(parsed.stage, "frag");
        wpg_record_name_finish(&parsed);
        /* Every proper prefix and every name with one character changed to '!' is refused. */
        for (size_t cut = 0; cut < strlen(name); cut++) {
            char saved = name[cut];
            name[cut] = '\0';
            assert_int_equal(wpg_pipeline_record_parse(&back, &parsed, name, &err), WPG_E_FORMAT);
            name[cut] = '!';
            assert_int_equal(wpg_pipeline_record_parse(&back, &parsed, name, &err), WPG_E_FORMAT);
            name[cut] = saved;
        }
        free(name);
    }
}

static void function_records_are_no_pipelines(void **state)
{
    wpg_hash128 pipeline;
    wpg_record_name stage;
    wpg_error err;
    (void)state;
    assert_int_equal(wpg_pipeline_record_parse(&pipeline, &stage,
                                               "pipeline.00000000000000000000000000000001."
                                               "00000000000000000000000000000002.frag.main.fn2#entry",
                                               &err),
                     WPG_E_FORMAT);
}

/* A name is spelled in one way, or two records would be one. */
static void capitals_are_refused(void **state)
{
    wpg_hash128 pipeline;
    wpg_record_name stage;
    wpg_error err;
    (void)state;
    assert_int_equal(wpg_pipeline_record_parse(&pipeline, &stage,
                                               "pipeline.0000000000000000000000000000000A."
                                               "00000000000000000000000000000002.frag.main#entry",
                                               &err),
                     WPG_E_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip),
                                       cmocka_unit_test(function_records_are_no_pipelines),
                                       cmocka_unit_test(capitals_are_refused)};
    return cmocka_run_group_tests_name("pipeline_record", tests, NULL, NULL);
}
