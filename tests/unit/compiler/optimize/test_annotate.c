/* Annotate: every conditional branch carries weights, or a remark says why not (as LLVM's profcheck asks);
 * hints are what the counts say; the application's are kept. And binding: profiles that do not fit are not
 * applied. */
#include "compiler/optimize/ir/branch_weights.h"
#include "tests/unit/compiler/optimize/use.h"

static const char BRANCHES[] = USE_COMPUTE_HEAD
    "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i]; float x = float(h);\n"
    "if ((h & 1u) == 0u) { x = sin(x) * exp(x) + pow(x, 3.0); dst.data[i] = 1u; } else { x = cos(x) * "
    "sqrt(x); h = 3u; }\n"
    "if (h == 77u) { h += 5u; }\n"
    "for (int k = 0; k < params.n; k++) { h = h * 3u; if (h == 9u) break; if (h == 10u) continue; h ^= 1u; "
    "}\n"
    "if (h == 78u && x > 5.0) { dst.data[i] = 2u; return; }\n"
    "switch (h & 3u) { case 0u: h += 2u; break; case 1u: h += 3u; }\n"
    "dst.data[i] = h + uint(x); }\n";

/* Conditional branches of a result and how many of them carry weights; each pair must not be 0:0 and its sum
 * must fit 32 bits. */
static unsigned count_branches(const use_result *r, unsigned *weighted)
{
    wpg_module *module = NULL;
    unsigned branches = 0;
    assert_int_equal(wpg_module_parse(&module, r->words, r->count, NULL), WPG_OK);
    *weighted = 0;
    WPG_INST_EACH (inst, module) {
        if (inst->opcode != SpvOpBranchConditional)
            continue;
        branches++;
        if (inst->count != 6)
            continue;
        (*weighted)++;
        assert_true(inst->words[4] || inst->words[5]);
        assert_true((uint64_t)inst->words[4] + inst->words[5] <= UINT32_MAX);
    }
    wpg_module_destroy(module);
    return branches;
}

/* Random lanes that flow allows: no block has more than its predecessors sent. */
static void bias(use_shader *s, uint32_t seed)
{
    wpg_module *module = NULL;
    wpg_view *view = use_view(&module, s);
    uint32_t value = seed * 2654435761u;
    for (uint32_t b = 1; b < s->weights.block_count; b++) {
        value = value * 1664525u + 1013904223u;
        s->lanes[b] = value & 0x3000 ? s->lanes[b] * (value >> 24) / 256 : 0;
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 1; b < s->weights.block_count; b++) {
            uint64_t in = 0;
            for (uint32_t p = 0; p < view->cfg->blocks[b].predecessor_count; p++)
                in += s->lanes[view->cfg->blocks[b].predecessors[p]];
            again |= s->lanes[b] > in;
            s->lanes[b] = s->lanes[b] > in ? in : s->lanes[b];
        }
    }
    for (uint32_t b = 0; b < s->weights.block_count; b++) {
        s->lanes[b] *= seed % 3 == 0 ? UINT64_C(1) << 44 : 1;
        s->waves[b] = s->lanes[b] / 8 + (s->lanes[b] % 8 != 0);
        s->uniform[b] = s->waves[b] / 2;
    }
    wpg_view_destroy(view);
    wpg_module_destroy(module);
}

static void every_branch_has_weights_or_a_reason(void **state)
{
    (void)state;
    unsigned total = 0;
    for (uint32_t seed = 0; seed < 64; seed++) {
        use_shader s;
        use_result r;
        unsigned weighted;
        use_glsl(&s, BRANCHES, "comp", SpvExecutionModelGLCompute);
        s.trips[0] = seed % 7 + 1;
        use_profile(&s);
        bias(&s, seed);
        if (seed % 4 == 3)
            s.weights.waves = s.weights.uniform = NULL;
        wpg_optimize_options options;
        wpg_optimize_defaults(&options);
        strcpy(options.passes, "ut");
        use_run(&r, &s, &options, false);
        assert_int_equal(use_said(&r, WPG_REMARK_REFUSED, "weights", ""), 0);
        unsigned branches = count_branches(&r, &weighted);
        assert_true(branches > 5);
        assert_int_equal(branches, weighted + use_said(&r, WPG_REMARK_REFUSED, "annotate", "no weights: "));
        total += weighted;
        use_done(&r);
        use_free(&s);
    }
    assert_true(total > 100);
}

static void takes_wave_counts(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             USE_COMPUTE_HEAD
             "void main() { uint i = gl_GlobalInvocationID.x; if ((i & 1u) == 0u) dst.data[i] = 1u;"
             " else dst.data[i] = 2u; }",
             "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    assert_int_equal(s.weights.block_count, 4); /* head, two arms, merge */
    s.lanes[1] = 100, s.waves[1] = 90, s.uniform[1] = 0;
    s.lanes[2] = 924, s.waves[2] = 128, s.uniform[2] = 38;
    use_run(&r, &s, NULL, true);
    assert_non_null(strstr(r.text, " 90 128\n"));
    assert_int_equal(use_occurrences(&r, "DontFlatten"), 0);
    use_done(&r);
    s.weights.waves = s.weights.uniform = NULL; /* lanes where waves were not measured */
    use_run(&r, &s, NULL, true);
    assert_non_null(strstr(r.text, " 100 924\n"));
    use_done(&r);
    use_free(&s);
}

static void scales_weights(void **state)
{
    (void)state;
    uint32_t w[2];
    assert_false(wpg_scale_weights(w, 0, 0));
    assert_true(wpg_scale_weights(w, 3, 0));
    assert_int_equal(w[0], 3);
    assert_int_equal(w[1], 0);
    assert_true(wpg_scale_weights(w, UINT64_MAX, 1));
    assert_int_equal(w[1], 1);
    assert_true((uint64_t)w[0] + w[1] <= UINT32_MAX && w[0] > INT32_MAX / 2);
    assert_true(wpg_scale_weights(w, UINT32_MAX, UINT32_MAX));
    assert_true((uint64_t)w[0] + w[1] <= UINT32_MAX);
    assert_int_equal(w[0], w[1]);
}

static void controls_loops(void **state)
{
    (void)state;
    static const struct {
        uint32_t trips;
        int64_t off; /* lanes more or less in the loop */
        const char *loop, *expect;
        uint32_t version;
    } cases[] = {
        {4, 0, "for (int k = 0; k < 4; k++) h = h * 3u;", " Unroll\n", 0},
        {4, 0, "for (int k = 0; k < 4; k++) { h = h * 3u; if (h == 7u) break; }", NULL, 0}, /* two ways out */
        {40, 0, "for (int k = 0; k < 40; k++) h = h * 3u;", NULL, 0},
        {40, 0, "for (int k = 0; k < 40; k++) h = h * 3u;", " PartialCount 4\n", 0x00010400},
        {3, -20, "for (int k = 0; k < int(h & 3u); k++) h = h * 3u;", NULL, 0},
        {3, -20, "for (int k = 0; k < int(h & 3u); k++) h = h * 3u;", " PeelCount 3\n", 0x00010400},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use_shader s;
        use_result r;
        char source[512];
        snprintf(
            source, sizeof source,
            USE_COMPUTE_HEAD
            "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i]; %s dst.data[i] = h; }",
            cases[i].loop);
        s = (use_shader){.stage = {.model = SpvExecutionModelGLCompute, .entry = "main"}};
        assert_true(assemble_glsl(&s.words, &s.count, source, "comp",
                                  cases[i].version ? "vulkan1.1 --target-env spirv1.4" : "vulkan1.1"));
        s.trips[0] = cases[i].trips;
        use_profile(&s);
        for (uint32_t b = 0; b < s.weights.block_count; b++)
            if (s.lanes[b] > USE_LANES)
                s.lanes[b] = (uint64_t)((int64_t)s.lanes[b] + cases[i].off);
        use_run(&r, &s, NULL, false);
        if (cases[i].expect)
            assert_non_null(strstr(r.text, cases[i].expect));
        else
            assert_non_null(strstr(r.text, " None\n"));
        assert_int_equal(use_occurrences(&r, "MinIterations") + use_occurrences(&r, "MaxIterations"), 0);
        use_done(&r);
        use_free(&s);
    }
}

/* A driver would unroll a nest to the product of all trips. */
static void controls_innermost_loops_alone(void **state)
{
    use_shader s;
    use_result r;
    (void)state;
    use_glsl(&s,
             USE_COMPUTE_HEAD
             "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i];\n"
             "for (int k = 0; k < 2; k++) for (int j = 0; j < 2; j++) h = h * 3u; dst.data[i] = h; }",
             "comp", SpvExecutionModelGLCompute);
    s.trips[0] = s.trips[1] = 2;
    use_profile(&s);
    use_run(&r, &s, NULL, false);
    assert_int_equal(use_occurrences(&r, " Unroll\n"), 1);
    assert_int_equal(use_occurrences(&r, " None\n"), 1);
    use_done(&r);
    use_free(&s);
}

/* No hint about a loop whose work feeds Position; the same work for another output is hinted at. */
static void leaves_exact_work_alone(void **state)
{
    (void)state;
    for (unsigned exact = 0; exact < 2; exact++) {
        use_shader s;
        use_result r;
        char text[1024];
        snprintf(text, sizeof text,
                 "#version 450\nlayout(location = 0) in vec4 p;\nlayout(location = 0) out vec4 o;\n"
                 "void main() { vec4 c = p; "
                 " for (int k = 0; k < 4; k++) c = c * p.y + p;"
                 " gl_Position = %s; o = %s; }",
                 exact ? "c" : "p", exact ? "p" : "c");
        use_glsl(&s, text, "vert", SpvExecutionModelVertex);
        s.trips[0] = 4;
        use_profile(&s);
        use_run(&r, &s, NULL, true);
        assert_int_equal(use_occurrences(&r, " Unroll\n"), exact ? 0 : 1);
        use_done(&r);
        use_free(&s);
    }
}

static void refuses_other_checksums(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_golden(&s, "select_rare.comp");
    use_profile(&s);
    use_rare(&s, 0, 1, 0);
    s.weights.checksum ^= 1;
    use_run(&r, &s, NULL, true);
    assert_true(r.remarks->mismatch);
    assert_false(r.changed);
    assert_int_equal(r.count, s.count);
    assert_memory_equal(r.words, s.words, r.count * sizeof(uint32_t));
    use_expect(&r, WPG_REMARK_REFUSED, "weights", "checksum");
    use_done(&r);
    s.weights.checksum ^= 1;
    s.weights.block_count++; /* a lie about the arrays' length must not be read */
    use_run(&r, &s, NULL, true);
    assert_true(r.remarks->mismatch);
    use_done(&r);
    use_free(&s);
}

static void refuses_counts_that_contradict(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        use_shader s;
        use_result r;
        use_golden(&s, "trip_uniform.comp");
        s.trips[0] = 4;
        use_profile(&s);
        if (i == 0)
            s.waves[2] = s.lanes[2] + 1;
        else if (i == 1)
            s.uniform[2] = s.waves[2] + 1;
        else if (i == 2)
            s.lanes[s.weights.block_count - 1] *= 100;
        else
            s.waves[2] = s.uniform[2] = 0;
        use_run(&r, &s, NULL, true);
        use_expect(&r, WPG_REMARK_REFUSED, "weights", "contradict");
        assert_false(r.changed);
        assert_false(r.remarks->mismatch);
        use_done(&r);
        use_free(&s);
    }
}

static void refuses_other_select_counts(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_golden(&s, "select_rare.comp");
    use_profile(&s);
    s.weights.select_count = 7;
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_REFUSED, "weights", "select sites");
    assert_false(r.remarks->mismatch);
    use_done(&r);
    use_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_branch_has_weights_or_a_reason),
        cmocka_unit_test(takes_wave_counts),
        cmocka_unit_test(scales_weights),
        cmocka_unit_test(controls_loops),
        cmocka_unit_test(controls_innermost_loops_alone),
        cmocka_unit_test(leaves_exact_work_alone),
        cmocka_unit_test(refuses_other_checksums),
        cmocka_unit_test(refuses_counts_that_contradict),
        cmocka_unit_test(refuses_other_select_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
