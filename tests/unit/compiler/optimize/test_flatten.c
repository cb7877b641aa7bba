/* Flatten: selections that part nearly every wave, with short arms, are marked Flatten, those that hardly any
 * wave is parted by DontFlatten; each rule that must stop a mark; the application's own marks stay. */
#include "tests/unit/compiler/optimize/use.h"

/* A selection of the kernel below, whose arms run `waves` waves each, `uniform` of them full, the first
 * `lanes` lanes; `other` is NULL for an if without an else. */
static void run(use_result *r, const char *arm, const char *other, const char *before, uint64_t lanes,
                uint64_t waves, uint64_t uniform)
{
    use_shader s;
    char source[2048];
    snprintf(source, sizeof source,
             USE_COMPUTE_HEAD
             "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i]; float x = "
             "float(h); bool q = false; %s"
             " if ((h & 1u) == 0u) { %s } %s %s %s dst.data[i] = h + uint(x) + uint(q); }",
             before, arm, other ? "else {" : "", other ? other : "", other ? "}" : "");
    use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    assert_int_equal(s.weights.block_count, other ? 4 : 3);
    for (unsigned b = 1; b < (other ? 3 : 2); b++)
        s.lanes[b] = b == 1 ? lanes : USE_LANES - lanes, s.waves[b] = waves, s.uniform[b] = uniform;
    use_run(r, &s, NULL, true);
    use_free(&s);
}

/* The whole control, NULL for none. */
static void expect(const char *arm, const char *other, uint64_t lanes, uint64_t waves, uint64_t uniform,
                   const char *control)
{
    use_result r;
    run(&r, arm, other, "", lanes, waves, uniform);
    if (control)
        use_expect(&r, WPG_REMARK_DONE, "flatten", control);
    else
        assert_false(use_said(&r, WPG_REMARK_DONE, "flatten", ""));
    assert_int_equal(use_occurrences(&r, " DontFlatten\n"),
                     control && strstr(control, "DontFlatten") ? 1 : 0);
    assert_int_equal(use_occurrences(&r, " Flatten\n"), control && strstr(control, "; Flatten") ? 1 : 0);
    use_done(&r);
}

#define LIGHT "h = h * 2u + 1u;"
/* Cost 11. */
#define MEDIUM "h ^= h << 13; h ^= h >> 17; h ^= h << 5; h = h * 3u + i; h ^= h >> 11; h += 7u;"
#define HEAVY  MEDIUM MEDIUM MEDIUM MEDIUM MEDIUM

static void marks_what_waves_do(void **state)
{
    (void)state;
    /* Both ways by all waves: short arms flat, with and without an else. */
    expect(MEDIUM, LIGHT, 512, 128, 0, "128 of 128 waves ran both short arms (cost 13); Flatten");
    expect(LIGHT, NULL, 512, 128, 0, "128 of 128 waves ran both short arms (cost 2); Flatten");
    /* All waves one way. */
    expect(MEDIUM, MEDIUM, 512, 64, 64, "128 of 128 waves went one way only (cost 22); DontFlatten");
    expect(MEDIUM, NULL, 512, 64, 64, "DontFlatten");
    expect("dst.data[i + 1u] = h;" MEDIUM, NULL, 512, 64, 64, "DontFlatten");
}

static void leaves_others(void **state)
{
    (void)state;
    expect(LIGHT, NULL, 512, 64, 64, NULL);    /* an arm so small is not worth saying */
    expect(HEAVY, NULL, 512, 128, 0, NULL);    /* too much side by side */
    expect(MEDIUM, MEDIUM, 512, 80, 40, NULL); /* a quarter of the waves goes both ways */
    /* Six of ten waves do: cheap arms, and arms dearer than the branch for the waves that need one only. */
    expect(LIGHT, LIGHT, 512, 102, 0, "; Flatten");
    expect(MEDIUM MEDIUM, MEDIUM MEDIUM, 512, 102, 0, NULL);
}

static void refuses_to_speculate(void **state)
{
    (void)state;
    expect("h = src.data[h & 255u];", NULL, 512, 128, 0, NULL);
    expect("h = 100u / (h | 1u);", NULL, 512, 128, 0, NULL);
    expect("h = 100u % (h | 1u);", LIGHT, 512, 128, 0, NULL);
    expect("dst.data[i + 1u] = h;", NULL, 512, 128, 0, NULL);
    expect("atomicAdd(dst.data[0], 1u);", NULL, 512, 128, 0, NULL);
    expect(LIGHT, "return;", 512, 128, 0, NULL);
}

/* Floats that a driver could contract otherwise, or see through a select. */
static void refuses_floats(void **state)
{
    (void)state;
    static const char *const arms[] = {
        "x = x * 2.0 + 1.0;",             /* arithmetic */
        "x = 3.0;" LIGHT,                 /* joined */
        "q = x * 0.3 + 2.0 > 5.0;" LIGHT, /* arithmetic of which only a comparison is left */
        "h += uint(sin(x) * 9.0);",
    };
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++)
        for (unsigned apart = 0; apart < 2; apart++) {
            char arm[512];
            use_result r;
            snprintf(arm, sizeof arm, "%s%s", arms[i], apart ? "" : MEDIUM);
            run(&r, arm, NULL, "", 512, apart ? 128 : 64, apart ? 0 : 64);
            use_expect(&r, WPG_REMARK_REFUSED, "flatten", apart ? "no Flatten: " : "no DontFlatten: ");
            use_expect(&r, WPG_REMARK_REFUSED, "flatten", "its arms make floats");
            assert_int_equal(use_occurrences(&r, "latten"), 0);
            use_done(&r);
        }
    /* What has one value everywhere may stand there. */
    expect("q = max(x, 3.0) > floor(x);" LIGHT, NULL, 512, 128, 0, "; Flatten");
}

/* A loop with floats that a driver may count: whether it is unrolled hangs on what is in it. */
static void refuses_in_counted_loops(void **state)
{
    (void)state;
    for (unsigned floats = 0; floats < 2; floats++) {
        use_shader s;
        use_result r;
        char source[1024];
        snprintf(source, sizeof source,
                 USE_COMPUTE_HEAD
                 "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i]; float x = float(h);"
                 " for (int k = 0; k < 4; k++) { if ((h & 1u) == 0u) { " MEDIUM " } h += i; %s }"
                 " dst.data[i] = h + uint(x); }",
                 floats ? "x = x * 0.3 + 1.0;" : "");
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        s.trips[0] = 4;
        use_profile(&s);
        uint32_t arm = 0;
        wpg_module *module = NULL;
        wpg_view *view = use_view(&module, &s);
        for (uint32_t b = 0; b < view->cfg->count; b++)
            if (view->cfg->blocks[b].merge && view->cfg->blocks[b].merge->opcode == SpvOpSelectionMerge)
                arm = view->cfg->blocks[b].successors[0];
        wpg_view_destroy(view);
        wpg_module_destroy(module);
        assert_int_not_equal(arm, 0);
        s.lanes[arm] /= 2, s.uniform[arm] = 0;
        use_run(&r, &s, NULL, true);
        use_expect(&r, floats ? WPG_REMARK_REFUSED : WPG_REMARK_DONE, "flatten",
                   floats ? "a loop around it makes floats" : "; Flatten");
        use_done(&r);
        use_free(&s);
    }
}

static void needs_waves(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             USE_COMPUTE_HEAD "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i];"
                              " if ((h & 1u) == 0u) { " MEDIUM " } dst.data[i] = h; }",
             "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    s.weights.waves = s.weights.uniform = NULL;
    use_run(&r, &s, NULL, true);
    assert_int_equal(use_occurrences(&r, "latten"), 0);
    use_done(&r);
    use_free(&s);
}

static void keeps_the_applications_hints(void **state)
{
    (void)state;
    static const char *const marks[][2] = {{"flatten", " Flatten\n"}, {"dont_flatten", " DontFlatten\n"}};
    for (size_t i = 0; i < 4; i++) {
        use_shader s;
        use_result r;
        char source[1024];
        snprintf(source, sizeof source,
                 "#version 450\n#extension GL_EXT_control_flow_attributes : enable\nlayout(local_size_x = "
                 "64) in;\n"
                 "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"
                 "void main() { uint i = gl_GlobalInvocationID.x, h = i;"
                 " [[%s]] if ((i & 1u) == 0u) { " MEDIUM " } dst.data[i] = h; }",
                 marks[i % 2][0]);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        use_profile(&s);
        if (i < 2)
            s.lanes[1] = 512, s.uniform[1] = 0;
        use_run(&r, &s, NULL, true);
        assert_int_equal(use_occurrences(&r, marks[i % 2][1]), 1);
        assert_int_equal(use_occurrences(&r, marks[1 - i % 2][1]), 0);
        assert_false(use_said(&r, WPG_REMARK_DONE, "flatten", ""));
        use_done(&r);
        use_free(&s);
    }
}

static void is_left_out_by_its_letter(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    strcpy(options.passes, "f");
    use_glsl(&s,
             USE_COMPUTE_HEAD "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i];"
                              " if ((h & 1u) == 0u) { " MEDIUM " } dst.data[i] = h; }",
             "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    use_run(&r, &s, &options, true);
    assert_int_equal(use_occurrences(&r, "latten"), 0);
    use_done(&r);
    use_run(&r, &s, NULL, true);
    assert_int_equal(use_occurrences(&r, "latten"), 1);
    use_done(&r);
    use_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_what_waves_do),          cmocka_unit_test(leaves_others),
        cmocka_unit_test(refuses_to_speculate),         cmocka_unit_test(refuses_floats),
        cmocka_unit_test(refuses_in_counted_loops),     cmocka_unit_test(needs_waves),
        cmocka_unit_test(keeps_the_applications_hints), cmocka_unit_test(is_left_out_by_its_letter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
