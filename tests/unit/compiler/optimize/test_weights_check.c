/* The check of weights: counts that fit pass, and each rule sees its contradiction. The tests' own check of
 * branches (tests/support/pass_check.h): a branch without weights must be called unknown. */
#include "compiler/optimize/ir/weights_check.h"
#include "tests/support/pass_check.h"
#include "tests/unit/compiler/optimize/use.h"

/* A loop of `trips` rounds with an if in it that a quarter of the lanes take, one of two waves each time. */
static const char source[] = USE_COMPUTE_HEAD
    "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i];\n"
    "for (int k = 0; k < params.n; k++) { if ((h & 3u) == 0u) h = h * 3u + 1u; else h ^= uint(k); }\n"
    "dst.data[i] = h; }\n";

typedef struct checked {
    use_shader s;
    wpg_module *module;
    wpg_view *view;
    wpg_arena arena;
    wpg_weights_findings findings;
    uint32_t arm[2], header; /* of the if */
} checked;

static void set_up(checked *t)
{
    *t = (checked){0};
    use_glsl(&t->s, source, "comp", SpvExecutionModelGLCompute);
    t->s.trips[0] = 4;
    use_profile(&t->s);
    t->view = use_view(&t->module, &t->s);
    wpg_arena_init(&t->arena);
    const wpg_cfg *cfg = t->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++)
        if (cfg->blocks[b].merge && cfg->blocks[b].merge->opcode == SpvOpSelectionMerge)
            for (uint32_t s = t->header = b, i = 0; i < 2; i++)
                t->arm[i] = cfg->blocks[s].successors[i];
    uint64_t lanes = t->s.lanes[t->header], waves = t->s.waves[t->header];
    t->s.lanes[t->arm[0]] = lanes / 4;
    t->s.lanes[t->arm[1]] = lanes - lanes / 4;
    t->s.waves[t->arm[0]] = waves / 2;
    t->s.waves[t->arm[1]] = waves;
    t->s.uniform[t->arm[0]] = t->s.uniform[t->arm[1]] = 0;
}

static void check(checked *t, unsigned rules, double slack)
{
    t->findings = (wpg_weights_findings){0};
    assert_int_equal(wpg_weights_check(&t->findings, t->view->cfg, &t->s.weights, rules, slack, &t->arena),
                     WPG_OK);
}

static void tear_down(checked *t)
{
    wpg_arena_finish(&t->arena);
    wpg_view_destroy(t->view);
    wpg_module_destroy(t->module);
    use_free(&t->s);
}

static void counts_that_fit_pass(void **state)
{
    (void)state;
    checked t;
    set_up(&t);
    check(&t, WPG_CHECK_COUNTS, 0);
    for (uint32_t i = 0; i < t.findings.count; i++)
        print_error("%s\n", t.findings.items[i].text);
    assert_int_equal(t.findings.total, 0);
    tear_down(&t);
}

/* Breaks one count and expects the rule to see it. */
static void sees(uint64_t *count, uint64_t value, unsigned rules, checked *t, double slack, const char *what)
{
    uint64_t before = *count;
    *count = value;
    check(t, rules, slack);
    *count = before;
    bool found = false;
    for (uint32_t i = 0; i < t->findings.count; i++)
        found |= t->findings.items[i].rule == rules && strstr(t->findings.items[i].text, what);
    if (!found)
        fail_msg("not seen: %s", what);
}

static void each_rule_sees_its_contradiction(void **state)
{
    (void)state;
    checked t;
    set_up(&t);
    uint64_t *lanes = t.s.lanes, *waves = t.s.waves;
    uint32_t header = t.header, few = t.arm[0], many = t.arm[1];
    sees(&waves[few], lanes[few] + 1, WPG_CHECK_KINDS, &t, 0, "more waves than lanes");
    sees(&waves[few], 0, WPG_CHECK_KINDS, &t, 0, "lanes without a wave");
    sees(&lanes[few], waves[few] * WPG_LARGEST_WAVE + 1, WPG_CHECK_KINDS, &t, 0,
         "more lanes than its waves hold");
    sees(&t.s.uniform[few], waves[few] + 1, WPG_CHECK_KINDS, &t, 0, "more uniform waves");
    sees(&lanes[few], lanes[header] + 1, WPG_CHECK_INFLOW, &t, 0, "than its predecessors sent");
    sees(&lanes[few], lanes[few] + 1, WPG_CHECK_LANES, &t, 0, "lanes");
    sees(&lanes[few], lanes[few] - 1, WPG_CHECK_LANES, &t, 0, "lanes");
    sees(&waves[many], waves[header] + 1, WPG_CHECK_WAVES, &t, 0, "than the branch that leads to it");
    sees(&waves[many], waves[header] / 2 - 1, WPG_CHECK_WAVES, &t, 0, "than its ways together");
    sees(&lanes[few], lanes[few] * 2, WPG_CHECK_LANES, &t, 0.01, "lanes");
    /* Within the slack, or not asked about. */
    lanes[few]++;
    check(&t, WPG_CHECK_LANES, 0.01);
    assert_int_equal(t.findings.total, 0);
    check(&t, WPG_CHECK_KINDS | WPG_CHECK_INFLOW | WPG_CHECK_WAVES, 0);
    assert_int_equal(t.findings.total, 0);
    t.s.weights.block_count--;
    check(&t, WPG_CHECK_COUNTS, 0);
    assert_int_equal(t.findings.total, 1);
    tear_down(&t);
}

/* Kinds that were not measured are not asked about. */
static void absent_counts_are_no_contradiction(void **state)
{
    (void)state;
    checked t;
    set_up(&t);
    t.s.weights.waves = t.s.weights.uniform = NULL;
    check(&t, WPG_CHECK_COUNTS, 0);
    assert_int_equal(t.findings.total, 0);
    t.s.weights.lanes = NULL;
    check(&t, WPG_CHECK_COUNTS, 0);
    assert_int_equal(t.findings.total, 0);
    tear_down(&t);
}

/* Counts of a block that is not known say nothing, of the block or of its neighbours. */
static void unknown_blocks_are_no_contradiction(void **state)
{
    (void)state;
    checked t;
    set_up(&t);
    bool *known = malloc(t.view->cfg->count * sizeof *known);
    assert_non_null(known);
    memset(known, true, t.view->cfg->count * sizeof *known);
    t.s.weights.known = known;
    t.s.lanes[t.arm[0]] *= 3;
    t.s.waves[t.arm[0]] *= 9;
    t.s.uniform[t.arm[0]] = t.s.waves[t.arm[0]] + 1;
    check(&t, WPG_CHECK_COUNTS, 0);
    assert_true(t.findings.total > 0);
    known[t.arm[0]] = false;
    check(&t, WPG_CHECK_COUNTS, 0);
    assert_int_equal(t.findings.total, 0);
    t.s.weights.known = NULL;
    free(known);
    tear_down(&t);
}

static void branches_carry_weights_or_are_called_unknown(void **state)
{
    (void)state;
    checked t;
    set_up(&t);
    const wpg_cfg *cfg = t.view->cfg;
    wpg_unknown_branch unknown[2] = {{0}};
    test_faults faults;
    uint32_t conditional[2], count = 0;
    for (uint32_t b = 0; b < cfg->count; b++)
        if (cfg->blocks[b].terminator->opcode == SpvOpBranchConditional)
            conditional[count++] = b;
    assert_int_equal(count, 2);
    assert_int_equal(test_branch_faults(cfg, NULL, 0).count, 2);
    unknown[0] = (wpg_unknown_branch){cfg->blocks[conditional[0]].id, "annotate"};
    unknown[1] = (wpg_unknown_branch){cfg->blocks[conditional[1]].id, ""}; /* names no pass */
    faults = test_branch_faults(cfg, unknown, 2);
    assert_int_equal(faults.count, 1);
    assert_int_equal(faults.block, conditional[1]);
    static const uint32_t weights[][2] = {{3, 1}, {0, 0}, {UINT32_MAX, 1}};
    for (size_t i = 0; i < 3; i++) {
        wpg_inst *branch = cfg->blocks[conditional[1]].terminator;
        const uint32_t words[] = {branch->words[1], branch->words[2], branch->words[3], weights[i][0],
                                  weights[i][1]};
        wpg_inst_set_operands(t.module, branch, words, 5);
        assert_int_equal(test_branch_faults(cfg, unknown, 1).count, i ? 1 : 0);
    }
    tear_down(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_that_fit_pass),
        cmocka_unit_test(each_rule_sees_its_contradiction),
        cmocka_unit_test(absent_counts_are_no_contradiction),
        cmocka_unit_test(unknown_blocks_are_no_contradiction),
        cmocka_unit_test(branches_carry_weights_or_are_called_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
