/* Settings and patterns: defaults, environment, file, precedence, every bad value reported and harmless. */
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

#include "runtime/base/log.h"
#include "runtime/config/pattern.h"
#include "runtime/config/settings.h"
#include "tests/support/locales.h"

static int clear(void **state)
{
    size_t count;
    const wpg_setting_info *table = wpg_settings_table(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "WAVEPGO_%s", table[i].key);
        (void)unsetenv(name);
    }
    (void)unsetenv("LLVM_PROFILE_FILE");
    (void)unsetenv("LLVM_PROFILE_VERBOSE");
    (void)setenv("VK_LAYER_SETTINGS_PATH", "/nonexistent/vk_layer_settings.txt", 1);
    (void)setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    return 0;
}

/* Each default must be a value that its own setting accepts. */
static void defaults_hold(void **state)
{
    size_t count;
    const wpg_setting_info *table = wpg_settings_table(&count);
    wpg_settings settings;
    wpg_error err;
    (void)state;
    wpg_settings_load(&settings);
    assert_int_equal(settings.mode, WPG_MODE_OFF);
    for (size_t i = 0; i < count; i++) {
        if (table[i].type >= WPG_SETTING_TEXT)
            assert_string_equal(*(const char **)((char *)&settings + table[i].offset), table[i].preset);
        if (wpg_settings_set(&settings, table[i].key, table[i].preset, &err) != WPG_OK)
            fail_msg("%s", err.message);
        assert_true(strlen(table[i].help) > 10);
    }
    wpg_settings_finish(&settings);
}

static void environment_wins_over_file(void **state)
{
    char path[] = "/tmp/wavepgo-settings.XXXXXX";
    int fd = mkstemp(path);
    const char text[] =
        "# comment\nkhronos_validation.mode = use\nwavepgo_shader_pgo.mode = use # trailing\n"
        "wavepgo_shader_pgo.flush_interval=2.5\r\nwavepgo_shader_pgo.nonsense = 1\nno equals\n";
    wpg_settings settings;
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    (void)close(fd);
    (void)setenv("VK_LAYER_SETTINGS_PATH", path, 1);
    wpg_settings_load(&settings);
    assert_int_equal(settings.mode, WPG_MODE_USE);
    assert_true(settings.flush_interval == 2.5);
    wpg_settings_finish(&settings);
    (void)setenv("WAVEPGO_MODE", "GENERATE", 1);
    wpg_settings_load(&settings);
    assert_int_equal(settings.mode, WPG_MODE_GENERATE);
    wpg_settings_finish(&settings);
    (void)unlink(path);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

/* All programs' file, then the program's own, then vk_layer_settings.txt, then the environment. */
static void configuration_files(void **state)
{
    char folder[] = "/tmp/wavepgo-test-config-XXXXXX", path[256], exe[128], text[64];
    wpg_settings settings;
    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)setenv("XDG_CONFIG_HOME", folder, 1);
    (void)snprintf(path, sizeof path, "%s/wavepgo", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/wavepgo/wavepgo.conf", folder);
    write_text(
        path,
        "# all programs\nmode = use\nSAMPLE=1/8\nslots = 512\nraw_version = 8\nnonsense\nno_such = 1\n");
    wpg_executable_name(exe, sizeof exe);
    (void)snprintf(path, sizeof path, "%s/wavepgo/%s.conf", folder, exe);
    write_text(path, "  mode = generate  # this one counts\nslots = 1024\nraw_version = 9\n");
    (void)snprintf(path, sizeof path, "%s/wavepgo/game.exe.conf", folder);
    write_text(path, "slots = 2048\n");
    (void)snprintf(path, sizeof path, "%s/vk_layer_settings.txt", folder);
    write_text(path, "wavepgo_shader_pgo.raw_version = 11\nwavepgo_shader_pgo.flush_interval = 3\n");
    (void)setenv("VK_LAYER_SETTINGS_PATH", folder, 1);
    (void)setenv("WAVEPGO_FLUSH_INTERVAL", "4", 1);
    wpg_settings_load(&settings);
    assert_int_equal(settings.mode, WPG_MODE_GENERATE);
    assert_int_equal(settings.sample, 8);
    assert_int_equal(settings.slots, 1024);
    assert_int_equal(settings.raw_version, 11);
    assert_true(settings.flush_interval == 4);
    wpg_settings_finish(&settings);
    wpg_settings_load_for(&settings, "game.exe");
    assert_int_equal(settings.mode, WPG_MODE_USE);
    assert_int_equal(settings.slots, 2048);
    wpg_settings_finish(&settings);
    wpg_settings_load_for(&settings, "../wavepgo/game.exe"); /* a name is no path */
    assert_int_equal(settings.slots, 512);
    wpg_settings_finish(&settings);
    (void)snprintf(text, sizeof text, "rm -r '%s'", folder);
    assert_int_equal(system(text), 0);
}

static void bad_values_leave_the_default(void **state)
{
    static const char *const bad[][2] = {
        {"MODE", "fast"},          {"RAW_VERSION", "7"},    {"RAW_VERSION", "10x"},
        {"RAW_VERSION", ""},       {"VALIDATE", "perhaps"}, {"FLUSH_INTERVAL", "-1"},
        {"FLUSH_INTERVAL", "nan"}, {"SLOTS", "1e5"},        {"SLOTS", "99999999999999999999"},
        {"UNIFORM_SHARE", "1.01"}, {"NO_SUCH_KEY", "1"},    {"MODE", "generat"},
        {"SLOTS", "1000"},         {"SKIP_PASSES", "axe"},  {"SKIP_PASSES", "A"},
        {"PROFILE_FILE", "%q"},    {"PROFILE_FILE", "a%"},  {"BUNDLE", "x/%%%b"},
        {"PROBES", "frob"},        {"PROBES", "loops,f"},   {"FRAMES", "200-100"},
        {"FRAMES", "0"},           {"FRAMES", "1,5"},
    };
    wpg_settings settings;
    wpg_error err;
    (void)state;
    wpg_settings_load(&settings);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        err.message[0] = '\0';
        assert_int_equal(wpg_settings_set(&settings, bad[i][0], bad[i][1], &err), WPG_E_ARGUMENT);
        assert_non_null(strstr(err.message, bad[i][0]));
    }
    assert_int_equal(settings.mode, WPG_MODE_OFF);
    assert_int_equal(settings.raw_version, 10);
    assert_int_equal(settings.slots, 262144);
    static const char *const good[][2] = {{"SLOTS", "1024"},        {"SKIP_PASSES", "aw"},
                                          {"SKIP_PASSES", ""},      {"PROFILE_FILE", "%e/%%q%b"},
                                          {"PROFILE_FILE", "%m"},   {"PROFILE_FILE", "x-%4m"},
                                          {"PROBES", "loops, ALL"}, {"FRAMES", "100-"}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (wpg_settings_set(&settings, good[i][0], good[i][1], &err) != WPG_OK)
            fail_msg("%s", err.message);
    wpg_settings_finish(&settings);
}

/* What the layer only logs, the command refuses, before the program starts. */
static void environment_is_checked(void **state)
{
    static const char *const bad[][3] = {
        {"WAVEPGO_PROFIL_FILE", "x", "did you mean WAVEPGO_PROFILE_FILE?"},
        {"WAVEPGO_ENABEL", "1", "did you mean WAVEPGO_ENABLE?"},
        {"WAVEPGO_mode", "use", "did you mean WAVEPGO_MODE?"},
        {"WAVEPGO_PERFECTLY_OTHER", "1", "no setting is called WAVEPGO_PERFECTLY_OTHER"},
        {"WAVEPGO_FRAMES", "9-1", "WAVEPGO_FRAMES: '9-1'"}};
    wpg_error err = {0};
    wpg_settings settings;
    (void)state;
    assert_int_equal(wpg_settings_set(&(wpg_settings){0}, "FOO", "1", &err), WPG_E_ARGUMENT);
    assert_null(strstr(err.message, "did you mean"));
    (void)setenv("WAVEPGO_ENABLE", "1", 1);
    (void)setenv("WAVEPGO_NOTHING_AT_ALL", "", 1);
    if (wpg_settings_check_environment(&err) != WPG_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        (void)setenv(bad[i][0], bad[i][1], 1);
        assert_int_equal(wpg_settings_check_environment(&err), WPG_E_ARGUMENT);
        assert_non_null(strstr(err.message, bad[i][2]));
        (void)unsetenv(bad[i][0]);
    }
    (void)unsetenv("WAVEPGO_ENABLE");
    (void)unsetenv("WAVEPGO_NOTHING_AT_ALL");
    (void)setenv("WAVEPGO_BUNDLE", "run-%q", 1); /* the run's files are kept, under that name */
    wpg_settings_load(&settings);
    assert_string_equal(settings.bundle, "run-%q");
    wpg_settings_finish(&settings);
}

static void llvm_variables_stand_in(void **state)
{
    wpg_settings settings;
    (void)state;
    (void)setenv("LLVM_PROFILE_FILE", "/a.b/out-%p.profraw", 1);
    (void)setenv("LLVM_PROFILE_VERBOSE", "1", 1);
    wpg_settings_load(&settings);
    assert_string_equal(settings.profile_file, "/a.b/out-%p.vulkan-%b.profraw");
    assert_int_equal(settings.log, WPG_LOG_DEBUG);
    wpg_settings_finish(&settings);
    (void)setenv("LLVM_PROFILE_FILE", "/a.b/out", 1);
    wpg_settings_load(&settings);
    assert_string_equal(settings.profile_file, "/a.b/out.vulkan-%b");
    wpg_settings_finish(&settings);
    (void)setenv("WAVEPGO_PROFILE_FILE", "mine", 1);
    wpg_settings_load(&settings);
    assert_string_equal(settings.profile_file, "mine");
    wpg_settings_finish(&settings);
}

static void patterns_expand(void **state)
{
    char path[256], want[256], exe[128];
    wpg_error err;
    (void)state;
    wpg_executable_name(exe, sizeof exe);
    assert_non_null(strstr(exe, "test_settings"));
    assert_int_equal(wpg_pattern_expand(path, sizeof path, "%e.d/%%-%b-%p-%q%", "abc", &err), WPG_OK);
    (void)snprintf(want, sizeof want, "%s.d/%%-abc-%ld-%%q%%", exe, (long)getpid());
    assert_string_equal(path, want);
    assert_int_equal(wpg_pattern_expand(path, sizeof path, "x/%b", "../../etc/passwd", &err), WPG_OK);
    assert_string_equal(path, "x/.._.._etc_passwd");
    assert_int_equal(wpg_pattern_expand(path, 8, "123456789", NULL, &err), WPG_E_LIMIT);
    (void)setenv("TMPDIR", "/var/tmp", 1);
    assert_int_equal(wpg_pattern_expand(path, sizeof path, "%t/x%b", NULL, &err), WPG_OK);
    assert_string_equal(path, "/var/tmp/x");
    /* A merge pool: of one name in every process, or one of N. */
    char pool[4096], *end;
    assert_int_equal(wpg_pattern_expand(pool, sizeof pool, "%m", NULL, &err), WPG_OK);
    assert_true(strtoull(pool, &end, 10) > 0);
    assert_string_equal(end, "_0");
    size_t signature = (size_t)(end - pool);
    assert_int_equal(wpg_pattern_expand(path, sizeof path, "%4m", NULL, &err), WPG_OK);
    assert_memory_equal(path, pool, signature + 1);
    assert_int_equal(strtol(path + signature + 1, &end, 10), getpid() % 4);
    assert_string_equal(end, "");
    assert_int_equal(wpg_pattern_expand(path, sizeof path, "%0m%44m", NULL, &err), WPG_OK);
    assert_string_equal(path, "%0m%44m");
    assert_true(wpg_pattern_has("a%m", 'm') && wpg_pattern_has("a%2m", 'm'));
    assert_false(wpg_pattern_has("a%%2m", 'm') || wpg_pattern_has("a%0m", 'm') || wpg_pattern_has("m", 'm'));
    assert_true(wpg_pattern_has("a%b", 'b'));
    assert_false(wpg_pattern_has("a%%b", 'b'));
}

/* Numbers and letters are read as in C, whatever the program did to its locale. */
static void any_locale(void **state)
{
    char path[] = "/tmp/wavepgo-settings.XXXXXX";
    const char file[] = "wavepgo_shader_pgo.pipelines = a*\nwavepgo_shader_pgo.rare_share = 0.25\n";
    wpg_settings settings;
    wpg_error err;
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, file, sizeof file - 1), sizeof file - 1);
    (void)close(fd);
    (void)setenv("VK_LAYER_SETTINGS_PATH", path, 1);
    (void)setenv("WAVEPGO_UNIFORM_SHARE", "0.75", 1);
    if (!wpg_enter_comma_locale())
        skip();
    wpg_settings_load(&settings);
    wpg_status comma = wpg_settings_set(&settings, "VALUE_SHARE", "0,5", &err);
    wpg_leave_comma_locale();
    (void)unlink(path);
    assert_true(settings.uniform_share == 0.75 && settings.rare_share == 0.25);
    assert_true(settings.value_share == 0.9);
    assert_int_equal(comma, WPG_E_ARGUMENT);
    assert_string_equal(settings.pipelines, "a*");
    wpg_settings_finish(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(defaults_hold, clear),
        cmocka_unit_test_setup(environment_wins_over_file, clear),
        cmocka_unit_test_setup(configuration_files, clear),
        cmocka_unit_test_setup(bad_values_leave_the_default, clear),
        cmocka_unit_test_setup(environment_is_checked, clear),
        cmocka_unit_test_setup(llvm_variables_stand_in, clear),
        cmocka_unit_test_setup(patterns_expand, clear),
        cmocka_unit_test_setup(any_locale, clear),
    };
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
