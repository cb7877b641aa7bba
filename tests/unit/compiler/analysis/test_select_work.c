/* Which selects may be worth a branch: own work that is enough by one and too little by one, work that others
 * need too, and groups of selects with one condition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/analysis/values/select_work.h"
#include "tests/support/assemble.h"

/* Each division costs 6. */
#define HEAD                                                                                                 \
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"main\"\n"               \
    "OpExecutionMode %1 LocalSize 64 1 1\n%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%4 = OpTypeFloat 32\n"    \
    "%5 = OpTypeBool\n%6 = OpTypePointer Workgroup %4\n%7 = OpVariable %6 Workgroup\n%8 = OpConstant %4 7\n" \
    "%1 = OpFunction %2 None %3\n%10 = OpLabel\n%11 = OpLoad %4 %7\n%12 = OpFOrdLessThan %5 %11 %8\n"        \
    "%13 = OpFOrdLessThan %5 %8 %11\n"
#define CHAIN                                                                                                \
    "%20 = OpFDiv %4 %11 %8\n%21 = OpFDiv %4 %20 %8\n%22 = OpFDiv %4 %21 %20\n%23 = OpFDiv %4 %22 %8\n"
#define TAIL "OpReturn\nOpFunctionEnd\n"

typedef struct subject {
    const char *text, *expected; /* a letter for each site: y pays, n does not */
    uint32_t least;
} subject;

static const subject subjects[] = {
    {HEAD CHAIN "%30 = OpSelect %4 %12 %23 %11\nOpStore %7 %30\n" TAIL, "y", 24},
    {HEAD CHAIN "%30 = OpSelect %4 %12 %23 %11\nOpStore %7 %30\n" TAIL, "n", 25},
    {HEAD CHAIN "%30 = OpSelect %4 %12 %11 %23\nOpStore %7 %30\n" TAIL, "y", 24},
    {HEAD CHAIN "%30 = OpSelect %4 %12 %23 %11\nOpStore %7 %30\n" TAIL, "y", 0},
    /* Values that are there anyway. */
    {HEAD "%30 = OpSelect %4 %12 %11 %8\nOpStore %7 %30\n" TAIL, "n", 1},
    {HEAD "%30 = OpSelect %4 %12 %11 %8\nOpStore %7 %30\n" TAIL, "y", 0},
    {HEAD CHAIN "%30 = OpSelect %4 %12 %23 %11\nOpStore %7 %30\nOpStore %7 %23\n" TAIL, "n", 1},
    /* The middle is needed by others: what is left is the end. */
    {HEAD CHAIN "%30 = OpSelect %4 %12 %23 %11\nOpStore %7 %30\nOpStore %7 %21\n" TAIL, "y", 12},
    {HEAD CHAIN "%30 = OpSelect %4 %12 %23 %11\nOpStore %7 %30\nOpStore %7 %21\n" TAIL, "n", 13},
    /* One condition: the same side needs it, or both sides do. */
    {HEAD CHAIN "%30 = OpSelect %4 %12 %23 %11\n%31 = OpSelect %4 %12 %23 %8\nOpStore %7 %30\n"
                "OpStore %7 %31\n" TAIL,
     "yy", 24},
    {HEAD CHAIN "%30 = OpSelect %4 %12 %23 %11\n%31 = OpSelect %4 %12 %8 %23\nOpStore %7 %30\n"
                "OpStore %7 %31\n" TAIL,
     "nn", 1},
    /* Two conditions. */
    {HEAD CHAIN "%30 = OpSelect %4 %12 %23 %11\n%31 = OpSelect %4 %13 %23 %8\nOpStore %7 %30\n"
                "OpStore %7 %31\n" TAIL,
     "nn", 1},
    /* A select in the chain of another: its own work belongs to both. */
    {HEAD CHAIN "%30 = OpSelect %4 %12 %23 %11\n%31 = OpSelect %4 %13 %30 %8\nOpStore %7 %31\n" TAIL, "yy",
     24},
};

static void judges(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        const subject *s = &subjects[i];
        uint32_t *words, count;
        size_t size;
        wpg_error err = {0};
        wpg_module *module;
        wpg_cfg *cfg;
        wpg_select_site *sites;
        bool *pays;
        assert_true(assemble_text(&words, &size, s->text, "spv1.3"));
        assert_int_equal(wpg_module_parse(&module, words, size, &err), WPG_OK);
        assert_int_equal(wpg_cfg_create(&cfg, module, wpg_next_function(module->first), &err), WPG_OK);
        assert_int_equal(wpg_select_sites(&sites, &count, cfg, &cfg->arena), WPG_OK);
        assert_int_equal(count, strlen(s->expected));
        assert_int_equal(wpg_select_pays(&pays, sites, count, s->least, cfg, &cfg->arena), WPG_OK);
        for (uint32_t k = 0; k < count; k++)
            if (pays[k] != (s->expected[k] == 'y'))
                fail_msg("case %zu, least %u, site %u: %s", i, s->least, k, pays[k] ? "pays" : "does not");
        wpg_cfg_destroy(cfg);
        wpg_module_destroy(module);
        free(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(judges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
