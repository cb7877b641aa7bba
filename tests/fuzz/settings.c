/* Settings and patterns from arbitrary text: the first line is a key, the second a value, the third a
 * file-name pattern. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/config/pattern.h"
#include "runtime/config/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *rest = NULL, path[256];
    wpg_error err;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    wpg_settings settings;
    wpg_settings_load(&settings);
    const char *key = strtok_r(text, "\n", &rest), *value = strtok_r(NULL, "\n", &rest),
               *pattern = strtok_r(NULL, "\n", &rest);
    if (key && value && wpg_settings_set(&settings, key, value, &err) == WPG_OK) {
        size_t count;
        char buffer[64];
        const wpg_setting_info *table = wpg_settings_table(&count);
        /* What was accepted prints as something that is accepted again. */
        for (size_t i = 0; i < count; i++) {
            const char *shown = wpg_settings_get(&settings, &table[i], buffer, sizeof buffer);
            if (table[i].type != WPG_SETTING_TEXT &&
                wpg_settings_set(&settings, table[i].key, shown, &err) != WPG_OK)
                abort();
        }
    }
    if (pattern && wpg_pattern_expand(path, sizeof path, pattern, value, &err) == WPG_OK &&
        strlen(path) >= sizeof path)
        abort();
    wpg_settings_finish(&settings);
    free(text);
    return 0;
}
