/* The gate of divergence: what few lanes need is rare only if few waves run it. Switched off, for
 * experiments, each lane counts as a wave of its own. */
#include "tests/unit/compiler/optimize/use.h"

/* Few lanes need the side, and most waves have one of them. */
static void run_select(use_result *r, bool lanes_alone)
{
    use_shader s;
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    options.lanes_alone = lanes_alone;
    use_golden(&s, "select_rare.comp");
    use_profile(&s);
    use_rare(&s, 0, 40, 0);
    s.selects[WPG_SELECT_WAVES_TRUE] = 100;
    use_run(r, &s, &options, true);
    use_free(&s);
}

static void cold_by_lanes_is_not_cold(void **state)
{
    (void)state;
    use_result r;
    run_select(&r, false);
    assert_false(use_said(&r, WPG_REMARK_DONE, "unflatten", ""));
    assert_int_equal(use_occurrences(&r, "OpSelect "), 1);
    use_done(&r);
    run_select(&r, true);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "40 of 1024 waves need it");
    assert_int_equal(use_occurrences(&r, "OpSelect "), 0);
    use_done(&r);
}

/* Weights of the only branch, and the control of its selection. */
static void run_branch(uint32_t weights[2], uint32_t *control, bool lanes_alone)
{
    static const char source[] =
        USE_COMPUTE_HEAD "void main() { uint i = gl_GlobalInvocationID.x;\n"
                         "if (src.data[i] == 77u) { dst.data[i] = (i / 3u) ^ (i / 5u) ^ (i / 7u); } }\n";
    use_shader s;
    use_result r;
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    options.lanes_alone = lanes_alone;
    use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
    use_normalize(&s);
    use_profile(&s);
    assert_int_equal(s.weights.block_count, 3);
    wpg_module *module;
    wpg_view *view = use_view(&module, &s);
    uint32_t arm = wpg_cfg_find(view->cfg, view->cfg->blocks[0].terminator->words[2]);
    wpg_view_destroy(view);
    wpg_module_destroy(module);
    s.lanes[arm] = 110; /* of 1024, in 100 waves of 128 */
    s.waves[arm] = 100;
    s.uniform[arm] = 0;
    use_run(&r, &s, &options, true);
    module = NULL;
    *control = weights[0] = weights[1] = 0;
    assert_int_equal(wpg_module_parse(&module, r.words, r.count, NULL), WPG_OK);
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpSelectionMerge)
            *control = inst->words[2];
        if (inst->opcode == SpvOpBranchConditional && inst->count == 6)
            memcpy(weights, inst->words + 4, 2 * sizeof *weights);
    }
    wpg_module_destroy(module);
    use_done(&r);
    use_free(&s);
}

static void branches_weigh_waves(void **state)
{
    (void)state;
    uint32_t weights[2], control;
    run_branch(weights, &control, false);
    assert_int_equal(weights[0], 100);
    assert_int_equal(weights[1], 128); /* no wave had all lanes in the arm */
    assert_int_equal(control, SpvSelectionControlMaskNone);
    run_branch(weights, &control, true);
    assert_int_equal(weights[0], 110);
    assert_int_equal(weights[1], 914);
    assert_int_equal(control, SpvSelectionControlDontFlattenMask); /* a wave of one lane goes one way */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cold_by_lanes_is_not_cold),
        cmocka_unit_test(branches_weigh_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
