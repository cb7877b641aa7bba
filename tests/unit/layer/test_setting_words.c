/* The words and letters that settings.inc allows are those that the compiler knows: neither list names what
 * the other lacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/instrument/probes/probe.h"
#include "compiler/optimize/ir/optimize.h"
#include "compiler/optimize/ir/pass.h"
#include "runtime/base/arena.h"
#include "runtime/config/settings.h"

static const char *choices_of(const char *key)
{
    size_t count;
    const wpg_setting_info *table = wpg_settings_table(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].key, key) == 0)
            return table[i].choices;
    fail_msg("no setting %s", key);
    return "";
}

static void probes(void **state)
{
    char words[256], *rest = NULL;
    uint32_t bits, all = 0;
    (void)state;
    (void)snprintf(words, sizeof words, "%s", choices_of("PROBES"));
    for (char *word = strtok_r(words, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
        wpg_error err;
        if (wpg_probes_parse(&bits, word, &err) != WPG_OK)
            fail_msg("%s", err.message);
        if (strcmp(word, "all") != 0 && strcmp(word, "default") != 0)
            all |= bits;
    }
    (void)wpg_probes_parse(&bits, "all", NULL);
    assert_int_equal(all & bits, bits); /* each probe has a word of its own */
}

static void passes(void **state)
{
    static const char outside_the_table[] =
        "copswz"; /* versions, outputs, push constants, SSA tier, wave size, zero guard: passes/optimize.c */
    const char *letters = choices_of("SKIP_PASSES");
    (void)state;
    for (size_t i = 0; i < wpg_pass_count; i++)
        assert_non_null(strchr(letters, wpg_passes[i].letter));
    assert_int_equal(strlen(letters), wpg_pass_count + sizeof outside_the_table - 1);
    for (size_t i = 0; i < sizeof outside_the_table - 1; i++)
        assert_non_null(strchr(letters, outside_the_table[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(probes), cmocka_unit_test(passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
