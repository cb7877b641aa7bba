/* How often a driver may copy a loop's body: by constant bounds, by hints, by an array's length; loop
 * variables in memory, as glslang leaves them, and as phis, as use mode does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "compiler/instrument/code/copies.h"
#include "compiler/instrument/driver/budget.h"
#include "compiler/normalize/normalize.h"
#include "tests/support/assemble.h"

static wpg_module *module_of(const char *body)
{
    char source[2048];
    uint32_t *words;
    size_t count;
    wpg_module *module;
    const wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    (void)snprintf(source, sizeof source,
                   "#version 450\n#extension GL_EXT_control_flow_attributes : require\n"
                   "layout(local_size_x = 8) in;\nlayout(set = 0, binding = 0) buffer B { uint w[]; };\n"
                   "void main() { uint x = gl_GlobalInvocationID.x, t[6];\n%s\nw[x] += t[x %% 6]; }\n",
                   body);
    assert_true(assemble_glsl(&words, &count, source, "comp", "vulkan1.1"));
    assert_int_equal(wpg_module_parse(&module, words, count, NULL), WPG_OK);
    assert_int_equal(wpg_normalize(module, &stage, NULL, NULL), WPG_OK);
    free(words);
    return module;
}

static wpg_cfg *graph_of(const wpg_module *module)
{
    wpg_cfg *cfg = NULL;
    for (wpg_inst *inst = module->first; inst && !cfg; inst = inst->next)
        if (inst->opcode == SpvOpFunction)
            assert_int_equal(wpg_cfg_create(&cfg, module, inst, NULL), WPG_OK);
    assert_non_null(cfg);
    return cfg;
}

static uint32_t copies_of(const char *body)
{
    wpg_module *module = module_of(body);
    wpg_cfg *cfg = graph_of(module);
    uint32_t copies = 0;
    for (uint32_t c = 0; c < cfg->construct_count && !copies; c++)
        if (cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP)
            copies = wpg_loop_copies(module, cfg, c);
    wpg_cfg_destroy(cfg);
    wpg_module_destroy(module);
    return copies;
}

static void by_bound(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint32_t least, most;
    } cases[] = {
        {"for (int i = 0; i < 6; i++) w[i] = x;", 6, 7},
        {"for (int i = 8; i > 0; i--) w[i] = x;", 8, 9},
        {"for (int i = -4; i < 4; i++) w[i + 4] = x;", 8, 9},
        {"for (uint i = 3u; i != 20u; i++) w[i] = x;", 17, 18},
        {"uint i = 0; while (true) { if (i >= 5u) break; w[i++] = x; }", 5, 6},
        {"for (int i = 0; i < 500; i++) w[i] = x;", 1, 1},
        {"[[unroll]] for (int i = 0; i < 500; i++) w[i] = x;", 500, 501},
        {"[[unroll]] for (int i = 0; i < 5000; i++) w[i] = x;", 1024, 1024},
        {"[[dont_unroll]] for (int i = 0; i < 6; i++) w[i] = x;", 1, 1},
        {"for (uint i = 0; i < w[x]; i++) w[i] = x;", 1, 1},
        {"for (uint i = 0; i < w[x]; i++) t[i] = x;", 2, 32}, /* by an array's length, at a guess */
        {"for (float f = 0.0; f < 4.0; f += 0.5) w[uint(f)] = x;", 8, 32},
        {"for (int i = 0; i < 30; i++) { if (i == 4) break; w[i] = x; }", 4,
         6}, /* the first way out counts */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t copies = copies_of(cases[i].body);
        if (copies < cases[i].least || copies > cases[i].most)
            fail_msg("%s: %u copies", cases[i].body, copies);
    }
}

/* Loops of the body that are marked once they count. */
static unsigned kept(const char *body, bool *inner_is)
{
    wpg_module *module = module_of(body);
    wpg_counter_map *map = NULL;
    const wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    const wpg_instrument_options options = {.target = {.subgroup_basic = true,
                                                       .subgroup_ballot = true,
                                                       .subgroup_arithmetic = true,
                                                       .subgroup_size = 8,
                                                       .int64_atomics = true,
                                                       .max_spirv_minor = 3},
                                            .strategy = WPG_STRATEGY_NAIVE,
                                            .directory_entry = UINT64_C(0x1000)};
    assert_int_equal(wpg_instrument(&map, module, &stage, &options, NULL), WPG_OK);
    unsigned marked = 0;
    WPG_INST_EACH (inst, module)
        if (inst->opcode == SpvOpLoopMerge) {
            *inner_is = inst->words[3] & SpvLoopControlDontUnrollMask; /* of the last one */
            marked += *inner_is;
        }
    wpg_counter_map_destroy(map);
    wpg_module_destroy(module);
    return marked;
}

static void by_size(void **state)
{
    (void)state;
    bool inner;
    assert_int_equal(kept("for (int i = 0; i < 4; i++) if (w[i] > x) w[i] = x;", &inner), 0);
    /* Both together are too long, not the inner one alone: that may be unrolled. */
    assert_int_equal(
        kept("for (int i = 0; i < 20; i++) for (int k = 0; k < 6; k++) if (w[i] > x) w[k] = x;", &inner), 1);
    assert_false(inner);
    /* The inner one, and then the outer one is short. */
    assert_int_equal(kept("for (int i = 0; i < 3; i++) [[unroll]] for (int k = 0; k < 200; k++)"
                          " if (w[i] > x) w[k] = x;",
                          &inner),
                     1);
    assert_true(inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_bound), cmocka_unit_test(by_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
