/* Bundles: what is saved is loaded, facts of equal subjects meet, an index that lies is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/base/file.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/shader_info.h"

#define HASH_A "000000000000000000000000000000aa"
#define HASH_B "000000000000000000000000000000bb"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    (void)strcpy(folder, "/tmp/wavepgo-test-bundle-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
    (void)state;
    wpg_bundle_remove(folder);
    return access(folder, F_OK) == 0 ? -1 : 0;
}

static void write_text(const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(wpg_file_write_atomic(path, text, strlen(text), NULL), WPG_OK);
}

static void same_subject_meets(void **state)
{
    (void)state;
    wpg_bundle bundle = {0};
    wpg_error err;
    assert_false(wpg_is_bundle(folder));
    write_text("pipelines/" HASH_A ".facts", "wavepgo-facts 1 pipeline " HASH_A "\nsum draws 3\nend\n");
    write_text("pipelines/" HASH_A ".4711.facts",
               "wavepgo-facts 1 pipeline " HASH_A "\nsum draws 4\nis x y\nend\n");
    write_text("shaders/" HASH_B ".spv", "word");
    write_text("pipelines/leftover.tmp.123456", "of a killed process");
    assert_int_equal(wpg_bundle_write_index(folder, &err), WPG_OK);
    assert_true(wpg_is_bundle(folder));
    assert_int_equal(wpg_bundle_load(&bundle, folder, 2, &err), WPG_OK);
    assert_int_equal(bundle.sets.count, 1);
    assert_int_equal(bundle.spirv.count, 1);
    assert_string_equal(bundle.spirv.data[0].subject, HASH_B);
    assert_int_equal(wpg_facts_get_sum(wpg_bundle_find(&bundle, "pipeline", HASH_A), "draws"), 14);
    assert_null(wpg_bundle_find(&bundle, "pipeline", HASH_B));
    assert_null(wpg_bundle_find(&bundle, "shader", HASH_A));

    char other[80];
    (void)snprintf(other, sizeof other, "%s-other", folder);
    assert_int_equal(wpg_bundle_save(other, &bundle, &err), WPG_OK);
    wpg_bundle again = {0};
    assert_int_equal(wpg_bundle_load(&again, other, 1, &err), WPG_OK);
    assert_int_equal(again.spirv.count, 1);
    assert_int_equal(wpg_facts_get_sum(wpg_bundle_find(&again, "pipeline", HASH_A), "draws"), 14);
    wpg_bundle_finish(&again);
    wpg_bundle_finish(&bundle);
    wpg_bundle_remove(other);
    assert_int_not_equal(access(other, F_OK), 0);
    char path[128];
    (void)snprintf(path, sizeof path, "%s/pipelines/leftover.tmp.123456", folder);
    assert_int_equal(unlink(path), 0);
}

/* Files of other kinds may be missing or broken. A missing file of the kind is named. */
static void one_kind_alone(void **state)
{
    (void)state;
    wpg_error err;
    write_text("pipelines/" HASH_A ".facts", "wavepgo-facts 1 pipeline " HASH_A "\nsum draws 3\nend\n");
    write_text("shaders/" HASH_A ".info", "broken");
    write_text("shaders/" HASH_B ".spv", "word");
    assert_int_equal(wpg_bundle_write_index(folder, &err), WPG_OK);
    char path[256];
    (void)snprintf(path, sizeof path, "%s/shaders/" HASH_B ".spv", folder);
    assert_int_equal(unlink(path), 0);
    static const struct {
        const char *kind;
        wpg_status status;
        size_t sets;
    } cases[] = {{"pipeline", WPG_OK, 1},
                 {"verdict", WPG_OK, 0},
                 {"shader", WPG_E_FORMAT, 0},
                 {"spirv", WPG_E_NOT_FOUND, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wpg_bundle bundle = {0};
        assert_int_equal(wpg_bundle_load_kind(&bundle, folder, cases[i].kind, &err), cases[i].status);
        assert_int_equal(bundle.sets.count, cases[i].sets);
        assert_int_equal(bundle.spirv.count, 0);
        assert_true(cases[i].status != WPG_E_NOT_FOUND ||
                    strstr(err.message, "lacks shaders/" HASH_B ".spv"));
        wpg_bundle_finish(&bundle);
    }
    (void)snprintf(path, sizeof path, "%s/pipelines/" HASH_A ".facts", folder);
    assert_int_equal(unlink(path), 0);
    wpg_bundle bundle = {0};
    assert_int_equal(wpg_bundle_load_kind(&bundle, folder, "pipeline", &err), WPG_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "lacks pipelines/" HASH_A ".facts"));
    wpg_bundle_finish(&bundle);
}

/* A shader's words may differ between processes: names stripped, say. Its stage may not. */
static void words_of_a_shader_may_differ(void **state)
{
    (void)state;
    static const char *const infos[] = {"is stage comp\nis words a\n", "is stage comp\nis words b\n",
                                        "is stage frag\nis words c\n"};
    wpg_bundle bundle = {0};
    wpg_error err;
    for (size_t i = 0; i < 3; i++) {
        char text[160];
        (void)snprintf(text, sizeof text, "wavepgo-facts 1 shader " HASH_A "\n%send\n", infos[i]);
        write_text("shaders/" HASH_A ".info", text);
        assert_int_equal(wpg_bundle_write_index(folder, &err), WPG_OK);
        assert_int_equal(wpg_bundle_load(&bundle, folder, 1, &err), WPG_OK);
        assert_non_null(wpg_bundle_find(&bundle, "shader", HASH_A));
        assert_int_equal(bundle.conflicts, i == 2);
    }
    wpg_bundle_finish(&bundle);
}

static void index_that_lies(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        wpg_status status;
    } cases[] = {
        {"is pipelines/" HASH_A ".facts pipeline", WPG_E_NOT_FOUND},
        {"is ../pipelines/" HASH_A ".facts pipeline", WPG_E_FORMAT},
        {"is pipelines/../../" HASH_A ".facts pipeline", WPG_E_FORMAT},
        {"is pipelines/..facts pipeline", WPG_E_FORMAT},
        {"is /etc/passwd.facts pipeline", WPG_E_FORMAT},
        {"is shaders/" HASH_A ".facts pipeline", WPG_E_FORMAT},
        {"is pipelines/" HASH_A ".info pipeline", WPG_E_FORMAT},
        {"is shaders/" HASH_B ".info shader", WPG_E_FORMAT}, /* there, but it is a pipeline's */
        {"is later/" HASH_B ".thing later-kind", WPG_OK},    /* a later version's: left alone */
    };
    write_text("shaders/" HASH_B ".info", "wavepgo-facts 1 pipeline " HASH_A "\nend\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        wpg_bundle bundle = {0};
        wpg_error err = {0};
        (void)snprintf(text, sizeof text, "wavepgo-facts 1 bundle wavepgo\n%s\nend\n", cases[i].line);
        write_text(WPG_BUNDLE_INDEX, text);
        assert_int_equal(wpg_bundle_load(&bundle, folder, 1, &err), cases[i].status);
        assert_true(cases[i].status == WPG_OK || err.message[0]);
        wpg_bundle_finish(&bundle);
    }
    write_text(WPG_BUNDLE_INDEX, "wavepgo-facts 1 pipeline " HASH_A "\nend\n");
    wpg_bundle bundle = {0};
    wpg_error err;
    assert_int_equal(wpg_bundle_load(&bundle, folder, 1, &err), WPG_E_FORMAT);
    wpg_bundle_finish(&bundle);
}

static void paths(void **state)
{
    (void)state;
    char path[128];
    assert_int_equal(wpg_bundle_facts_path(path, sizeof path, "b", "pipeline", HASH_A, ".7", NULL), WPG_OK);
    assert_string_equal(path, "b/pipelines/" HASH_A ".7.facts");
    assert_int_equal(wpg_bundle_facts_path(path, sizeof path, "b", "nothing", HASH_A, "", NULL),
                     WPG_E_ARGUMENT);
    assert_int_equal(wpg_bundle_facts_path(path, sizeof path, "b", "pipeline", "../x", "", NULL),
                     WPG_E_ARGUMENT);
    assert_int_equal(wpg_bundle_facts_path(path, 20, "b", "pipeline", HASH_A, "", NULL), WPG_E_LIMIT);
}

static void words(void **state)
{
    (void)state;
    uint32_t *read;
    size_t count;
    wpg_error err;
    write_text("shaders/" HASH_A ".spv", "12345678");
    write_text("shaders/" HASH_B ".spv", "1234567");
    assert_int_equal(wpg_bundle_shader_words(&read, &count, folder, (wpg_hash128){.low = 0xaa}, &err),
                     WPG_OK);
    assert_int_equal(count, 2);
    free(read);
    assert_int_equal(wpg_bundle_shader_words(&read, &count, folder, (wpg_hash128){.low = 0xbb}, &err),
                     WPG_E_FORMAT);
    assert_int_equal(wpg_bundle_shader_words(&read, &count, folder, (wpg_hash128){.low = 0xcc}, &err),
                     WPG_E_NOT_FOUND);
    wpg_shader_info info;
    assert_int_equal(wpg_bundle_shader_info(&info, folder, (wpg_hash128){.low = 0xaa}, &err),
                     WPG_E_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_subject_meets, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(one_kind_alone, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(words_of_a_shader_may_differ, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(index_that_lies, make_folder, drop_folder),
        cmocka_unit_test(paths),
        cmocka_unit_test_setup_teardown(words, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
