/* Settings from arbitrary text: the whole as vk_layer_settings.txt and as a configuration file; its first
 * line as a key, the second as a value of every kind of setting, the third as a file-name pattern. */
#include "compiler/instrument/code/instrument.h"
#include "layer/rewrite/filter.h"
#include "layer/base/window.h"
#include "runtime/config/values.h"
#include "runtime/base/log.h"
#include "runtime/config/pattern.h"
#include "runtime/config/settings.h"
#include "tests/fuzz/common/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    wpg_log_open(WPG_LOG_ERROR, NULL); /* not a line for each bad setting */
    return 0;
}

/* Of "a|b|c": 3. */
static int choices_in(const char *choices)
{
    int count = 1;
    while ((choices = strchr(choices, '|'))) {
        choices++;
        count++;
    }
    return count;
}

/* Every number lies within its range, and every choice is one. */
static void check_accepted(const wpg_settings *settings)
{
    size_t count;
    const wpg_setting_info *table = wpg_settings_table(&count);
    for (size_t i = 0; i < count; i++) {
        const void *field = (const char *)settings + table[i].offset;
        double number = table[i].low;
        switch (table[i].type) {
        case WPG_SETTING_INT:
        case WPG_SETTING_POWER:
        case WPG_SETTING_SAMPLE:
            number = (double)*(const int64_t *)field;
            break;
        case WPG_SETTING_REAL:
            number = *(const double *)field;
            break;
        case WPG_SETTING_CHOICE:
            fuzz_check(*(const int *)field >= 0 && *(const int *)field < choices_in(table[i].choices),
                       "a choice that is none");
            break;
        default:
            break;
        }
        fuzz_check(number >= table[i].low && number <= table[i].high, "a number outside its range");
    }
}

static void check_file(const uint8_t *data, size_t size)
{
    wpg_settings settings;
    fuzz_check(setenv("VK_LAYER_SETTINGS_PATH", fuzz_file(data, size), 1) == 0, "environment");
    wpg_settings_load_for(&settings, "fuzz");
    check_accepted(&settings);
    wpg_settings_finish(&settings);
    (void)unsetenv("VK_LAYER_SETTINGS_PATH");
}

/* What values mean to those who read them. */
static void read_value(const char *value)
{
    uint32_t probes;
    uint64_t first, last;
    const wpg_filter_stage stage = {.shader = {1, 2}, .entry = "main", .name = "a name"};
    (void)wpg_probes_parse(&probes, value, NULL);
    fuzz_check((probes & ~(uint32_t)(WPG_PROBES_ALL | WPG_PROBE_EVERY)) == 0, "a probe that is none");
    if (wpg_frames_parse(&first, &last, value))
        fuzz_check(first >= 1 && first <= last, "no range of frames");
    (void)wpg_filter_wants(value, (wpg_hash128){3, 4}, &stage, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = NULL, path[256];
    wpg_settings settings;
    check_file(data, size);
    wpg_settings_load(&settings);
    const char *key = strtok_r(text, "\n", &rest), *value = strtok_r(NULL, "\n", &rest),
               *pattern = strtok_r(NULL, "\n", &rest);
    if (key && value && wpg_settings_set(&settings, key, value, NULL) == WPG_OK)
        check_accepted(&settings);
    if (value)
        read_value(value);
    if (pattern && wpg_pattern_expand(path, sizeof path, pattern, value, NULL) == WPG_OK)
        fuzz_check(strlen(path) < sizeof path, "a path longer than its buffer");
    wpg_settings_finish(&settings);
    free(text);
    return 0;
}
