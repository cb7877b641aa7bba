/* Peeling: what it makes, and each rule that must stop it. */
#include "tests/support/pass_check.h"
#include "tests/unit/compiler/optimize/ways.h"

enum { FIRST = PARTS / 8 }; /* of eight trips one is the first */

#define LOOP(head, body)                                                                                     \
    "void main() { uint i = gl_GlobalInvocationID.x, h = src.data[i]; float x = float(h & 255u), v = x; "    \
    "int c = int(src.data[0]), s = int(h & 7u);\n" head " { " body                                           \
    " } dst.data[i] = floatBitsToUint(v) ^ h; }\n"
#define UP               "for (int k = 0; k < c; k++)"
#define ASKED(condition) "if (" condition ") { " DEAR " } else { " CHEAP " }"

/* `first`: lanes of the first way of the first selection, in eighths. */
static void run(use_result *r, use_shader *s, const char *body, uint64_t first)
{
    ways_make_compute(s, body);
    ways_take(s, 0, first, false);
    use_run(r, s, NULL, true);
}

static void peels(const char *body, uint64_t first)
{
    use_shader s;
    use_result r;
    run(&r, &s, body, first);
    if (!use_said(&r, WPG_REMARK_DONE, "peel", ""))
        fprintf(stderr, "%s\n", body);
    use_expect(&r, WPG_REMARK_DONE, "peel", "first trip peeled");
    use_done(&r);
    use_free(&s);
}

static void expect_refused(const use_shader *s, const wpg_optimize_options *options, const char *why)
{
    use_result r;
    use_run(&r, s, options, true);
    if (*why)
        use_expect(&r, WPG_REMARK_REFUSED, "peel", why);
    if (use_said(&r, WPG_REMARK_DONE, "peel", ""))
        fail_msg("peeled\n%s", r.text);
    use_done(&r);
}

static void refuses_of(const char *head, const char *body, const char *why)
{
    use_shader s;
    ways_make(&s, head, body, "comp", SpvExecutionModelGLCompute);
    ways_take(&s, 0, FIRST, false);
    expect_refused(&s, NULL, why);
    use_free(&s);
}

static void refuses(const char *body, const char *why)
{
    refuses_of(USE_COMPUTE_HEAD, body, why);
}

/* The branch is decided in both, one way each; the copy's back edge is never taken; optimisation barriers
 * keep the start of k and v, and what both arms end in, apart. */
static void makes_a_first_trip(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    run(&r, &s, LOOP(UP, ASKED("k == 0")), FIRST);
    use_expect(&r, WPG_REMARK_DONE, "peel",
               "first trip peeled; 1 branches decided in it, 1 in all further trips");
    assert_int_equal(use_occurrences(&r, "OpLoopMerge"), 2);
    assert_int_equal(use_occurrences(&r, "OpBranchConditional %true"), 1);
    assert_int_equal(use_occurrences(&r, "OpBranchConditional %false"), 2);
    assert_int_equal(use_occurrences(&r, "OpBitwiseOr"), 4); /* copy: k, v, behind; loop: behind */
    use_done(&r);
    use_free(&s);
}

/* By counters, however the test and the condition are written. */
static void follows_counters(void **state)
{
    (void)state;
    static const char *const hold[] = {
        LOOP(UP, ASKED("k == 0")),
        LOOP(UP, ASKED("0 == k")),
        LOOP(UP, ASKED("k < 1")),
        LOOP(UP, ASKED("!(1 <= k)")),
        LOOP("for (uint k = 0u; k < uint(c); k++)", ASKED("k == 0u")),
        LOOP("for (uint k = 5u; k <= 4000u; k += 3u)", ASKED("k < 6u")),
        LOOP("for (int k = -4; c > k; k++)", ASKED("k <= -4")),
        LOOP("for (int k = 9; k >= -300; k--)", ASKED("k == 9")),
        LOOP("for (int k = 9; k > c; k--)", ASKED("k > 8")),
        LOOP("for (int k = 0; k < 5000; k += 2)", ASKED("k == 0")),
        LOOP("for (int k = s; k < c; k++)", ASKED("k == s")),
        LOOP("for (int k = s; k < c; k++)", ASKED("s >= k")),
        LOOP("for (int k = s; k != c; k++)", ASKED("k == s")),
        LOOP("for (int k = 0; k != c; k++)", ASKED("k == 0")),
        LOOP("int k = 0; do", ASKED("k == 0") " k++; } while (k < c); {"),
        LOOP(UP, ASKED("k == 0") " if (v > 9e9) break; if (v < 0.5) continue; v *= x;"),
    };
    for (size_t i = 0; i < sizeof hold / sizeof *hold; i++)
        peels(hold[i], FIRST);
    peels(LOOP(UP, "if (k != 0) { " CHEAP " } else { " DEAR " }"), PARTS - FIRST);
    peels(LOOP(UP, "if (k == 0 && h == 77u) { " DEAR " } else { " CHEAP " }"), 0);
}

/* By what goes from trip to trip. */
static void follows_values(void **state)
{
    (void)state;
    peels(LOOP("bool first = true; " UP, ASKED("first") " first = false;"), FIRST);
    peels(LOOP("bool first = true; " UP, "if (first) { " DEAR " first = false; } else { " CHEAP " }"), FIRST);
    peels(LOOP("int mode = 3; " UP, ASKED("mode == 3") " mode = 5;"), FIRST);
    peels(LOOP("int mode = s; " UP, ASKED("mode == 3") " mode = 5;"), FIRST);
    peels(LOOP("bool a = true, b = true; " UP, ASKED("a && b") " a = !b; b = b && a;"), FIRST);
}

/* Tests are of something else than the first trip, or the counter may come round. */
static void leaves_other_conditions(void **state)
{
    (void)state;
    static const char *const others[] = {
        LOOP(UP, ASKED("k == 3")),
        LOOP(UP, ASKED("k < c / 2")),
        LOOP(UP, ASKED("(k & 1) == 0")),
        LOOP(UP, ASKED("h == 3u")),
        LOOP("for (int k = 0; k < c; k += 2)", ASKED("k == 0")), /* wraps for c = INT_MAX */
        LOOP("for (int k = 0; k <= c; k++)", ASKED("k == 0")),   /* so does this */
        LOOP("for (uint k = 0u; k <= uint(c); k++)", ASKED("k == 0u")),
        LOOP("for (int k = 0; k != c; k += 2)", ASKED("k == 0")),                       /* c may be odd */
        LOOP("for (int k = 0; k != int(h); k++)", "h = h * 5u + 1u; " ASKED("k == 0")), /* h moves, too */
        LOOP("for (int k = 0; k < c; k--)", ASKED("k == 0")),
        LOOP("for (int k = 0; k > c; k++)", ASKED("k == 0")),
        LOOP("for (int k = s; k < c; k++)", ASKED("k == 3")),
        LOOP("for (int k = s; k < c; k++)", ASKED("uint(k) <= uint(s)")),
        LOOP("for (int k = 0; v < 9e9; k++)", ASKED("k == 0") " v += 1.0;"),
        LOOP("int k = s; do", ASKED("k == s") " k++; } while (k < c); {"), /* s = INT_MAX */
        LOOP("bool first = true; " UP, ASKED("first") " first = h == 5u;"),
        LOOP("bool odd = true; " UP, ASKED("odd") " odd = !odd;"),
        LOOP("bool first = true; " UP, ASKED("first") " if (h == 9u) first = false;"),
        LOOP("int mode = 3; " UP, ASKED("mode == 3") " mode = mode + 1 & 3;"),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        refuses(others[i], "");
}

/* All lanes went the same ways, so most counts of both are told, and fit. */
static void keeps_the_counts(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        LOOP(UP, ASKED("k == 0")),
        LOOP("int k = 0; do", ASKED("k == 0") " k++; } while (k < c); {"),
        LOOP(UP, ASKED("k == 0") " for (int q = 0; q < c; q++) h = h * 5u + 1u; if (v > 9e9) break;"),
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        use_shader s;
        wpg_optimize_options options;
        wpg_remarks remarks = {0};
        wpg_module *module = NULL, *values = NULL;
        wpg_error err = {0};
        bool changed = false;
        ways_make_compute(&s, bodies[i]);
        ways_take(&s, 0, FIRST, false);
        wpg_weights weights = {&s.weights, 1};
        wpg_optimize_defaults(&options);
        wpg_arena_init(&remarks.arena);
        assert_int_equal(wpg_module_parse(&module, s.words, s.count, &err), WPG_OK);
        wpg_context context = {
            .module = module, .stage = &s.stage, .options = &options, .remarks = &remarks, .err = &err};
        assert_int_equal(wpg_profiles_bind(&context, &weights), WPG_OK);
        assert_int_equal(wpg_ssa_form(&values, &context, wpg_ssa_tier), WPG_OK);
        assert_non_null(values);
        context.module = values;
        wpg_function_profile *profile = &context.profiles[0];
        size_t before = profile->blocks.count;
        assert_int_equal(wpg_pass_peel(&changed, &context, profile), WPG_OK);
        assert_true(changed);
        test_faults faults = test_profile_faults(&context, profile);
        if (faults.count)
            fail_msg("%s", faults.first);
        unsigned unknown = 0, of_loop = 0;
        for (uint32_t b = 2; b < s.weights.block_count; b++) { /* what both have is what the loop had */
            uint64_t lanes = 0;
            bool told = true;
            for (size_t k = 0; k < profile->blocks.count; k++) {
                const wpg_block_weight *weight = &profile->blocks.data[k];
                lanes += weight->origin == b ? weight->lanes : 0;
                told &= weight->origin != b || !weight->unknown_by;
            }
            if (told)
                assert_int_equal(lanes, s.lanes[b]);
            of_loop += told;
        }
        for (size_t k = before; k < profile->blocks.count; k++)
            unknown += profile->blocks.data[k].unknown_by != NULL;
        assert_true(profile->blocks.count > before && of_loop > 3);
        /* Who left by the second's test in the first trip, and the inner loop's trips there, nobody counted.
         */
        assert_true(i == 0 ? unknown == 0 : i == 1 ? unknown == 2 : unknown > 2);
        wpg_profiles_finish(&context);
        wpg_module_destroy(module);
        wpg_module_destroy(values);
        wpg_arena_finish(&remarks.arena);
        use_free(&s);
    }
}

/* What the profile does not show, or what is not worth a copy. */
static void asks_the_profile(void **state)
{
    (void)state;
    use_shader s;
    wpg_optimize_options options;
    use_glsl(&s, USE_COMPUTE_HEAD LOOP(UP, ASKED("k == 0")), "comp", SpvExecutionModelGLCompute);
    s.trips[0] = 3;
    use_profile(&s);
    ways_take(&s, 0, 2, false);
    expect_refused(&s, NULL, "");
    use_free(&s);
    ways_make_compute(&s, LOOP(UP, ASKED("k == 0")));
    ways_take(&s, 0, PARTS / 2, false);
    expect_refused(&s, NULL, "the profile is not of this loop");
    use_free(&s);
    refuses(LOOP(UP, "if (k == 0) { " CHEAP " } else { " DEAR " }"), "");
    ways_make_compute(&s, LOOP(UP, ASKED("k == 0")));
    ways_take(&s, 0, FIRST, false);
    wpg_optimize_defaults(&options);
    options.max_growth = 10;
    expect_refused(&s, &options, "too large");
    wpg_optimize_defaults(&options);
    snprintf(options.passes, sizeof options.passes, "e");
    expect_refused(&s, &options, "");
    use_free(&s);
}

static void refuses_fixed_work(void **state)
{
    (void)state;
    refuses(LOOP(UP, ASKED("k == 0") " barrier();"), "barrier");
    refuses_of("#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : require\n"
               "layout(local_size_x = 64) in;\n"
               "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"
               "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n",
               LOOP(UP, ASKED("k == 0") " h += subgroupAdd(h);"), "subgroup");
    use_shader s;
    ways_make(&s,
              "#version 450\nlayout(location = 0) in vec2 at;\nlayout(location = 0) out vec4 colour;\n"
              "layout(binding = 0) uniform sampler2D image;\n"
              "layout(std140, binding = 2) uniform Params { int n; } params;\n",
              "void main() { float v = at.x, x = at.y; for (int k = 0; k < params.n; k++) { " ASKED(
                  "k == 0") " v += texture(image, at).x; } colour = vec4(v); }",
              "frag", SpvExecutionModelFragment);
    ways_take(&s, 0, FIRST, false);
    expect_refused(&s, NULL, "implicit-lod");
    use_free(&s);
}

/* Where a driver could compute otherwise than in the loop as it was. */
/* Of how many trips the loop takes; SPIR-V 1.4 has such. */
static void refuses_promises(void **state)
{
    static const char *const promises[] = {"min_iterations(4)", "max_iterations(40)",
                                           "iteration_multiple(2)"};
    (void)state;
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        char source[2048];
        use_shader s = {.stage = {.model = SpvExecutionModelGLCompute, .entry = "main"}};
        snprintf(source, sizeof source,
                 "#version 450\n#extension GL_EXT_control_flow_attributes : require\n"
                 "layout(local_size_x = 64) in;\n"
                 "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"
                 "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n" LOOP("[[%s]] " UP,
                                                                                       ASKED("k == 0")),
                 promises[i]);
        assert_true(assemble_glsl(&s.words, &s.count, source, "comp", "vulkan1.2"));
        s.words[1] = 0x00010400; /* the latest that use_run validates */
        for (size_t t = 0; t < 4; t++)
            s.trips[t] = 8;
        use_profile(&s);
        ways_take(&s, 0, FIRST, false);
        expect_refused(&s, NULL, "promises how many trips");
        use_free(&s);
    }
}

static void refuses_what_would_change_bits(void **state)
{
    (void)state;
    refuses(LOOP(UP, "float t = v * x + 1.0; if (k == 0) { v = t; " DEAR " } else v = t - x; v += t;"),
            "drivers fuse by uses");
    refuses(LOOP("for (int k = 0; k < 20; k++)", ASKED("k == 0")), "counted trips");
    refuses("void main() { uint i = gl_GlobalInvocationID.x, h = src.data[i]; float x = float(h), v = x;"
            " for (int q = 0; q < 3; q++) for (int k = 0; k < int(h); k++) { " ASKED(
                "k == 0") " }"
                          " dst.data[i] = floatBitsToUint(v); }",
            "counted trips");
    refuses(LOOP(UP, "float a[4]; a[h & 3u] = v; " ASKED("k == 0") " a[k & 3] += v; v += a[(h >> 3u) & 3u];"),
            "floating-point memory");
    refuses(LOOP("float w = x; " UP, ASKED("k == 0") " v = v * w; w = 0.5;"),
            "a constant after the first trip");
    refuses(LOOP("vec2 w = vec2(x); " UP, ASKED("k == 0") " v = v * w.x + w.y; w = vec2(1.0, 0.5);"),
            "a constant after the first trip");
    refuses(LOOP("mat2 w = mat2(x); " UP, ASKED("k == 0") " w = w * x; v += w[1].x;"),
            "cannot be kept from knowing");
    refuses(LOOP("bvec2 w = bvec2(true); " UP, ASKED("k == 0") " w = bvec2(w.y, h == 3u); v += w.x ? x : v;"),
            "cannot be kept from knowing");
    refuses(LOOP("int mode = 3; " UP, ASKED("mode == 3") " v = v * float(mode); mode = 5;"),
            "depends on the value");
    refuses_of("#version 450\n#extension GL_EXT_control_flow_attributes : require\n"
               "layout(local_size_x = 64) in;\n"
               "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"
               "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n",
               LOOP("[[unroll]] " UP, ASKED("k == 0")), "asks to unroll");
    use_shader s;
    ways_make(&s,
              "#version 450\nlayout(location = 0) in vec4 place;\n"
              "layout(std140, binding = 2) uniform Params { int n; } params;\n",
              "void main() { vec4 p = place; for (int k = 0; k < params.n; k++) { if (k == 0) {"
              " p = sin(p.yxzw) + p; p = p * p; } else p = p * 1.5; } gl_Position = p; }",
              "vert", SpvExecutionModelVertex);
    ways_take(&s, 0, FIRST, false);
    expect_refused(&s, NULL, "feeds Position");
    use_free(&s);
}

/* Integers are what they are: no optimisation barriers, whatever stands in the loop. */
static void leaves_integers_plain(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    run(&r, &s,
        "void main() { uint i = gl_GlobalInvocationID.x, h = i; for (int k = 0; k < 20; k++) if (k == 0) { h "
        "+= 9u; "
        "h /= 5u; h %= 77u; } else h *= 3u; dst.data[i] = h; }",
        FIRST);
    use_expect(&r, WPG_REMARK_DONE, "peel", "");
    assert_int_equal(use_occurrences(&r, "OpBitwiseOr"), 0);
    use_done(&r);
    use_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_a_first_trip),
        cmocka_unit_test(follows_counters),
        cmocka_unit_test(follows_values),
        cmocka_unit_test(leaves_other_conditions),
        cmocka_unit_test(keeps_the_counts),
        cmocka_unit_test(asks_the_profile),
        cmocka_unit_test(refuses_fixed_work),
        cmocka_unit_test(refuses_promises),
        cmocka_unit_test(refuses_what_would_change_bits),
        cmocka_unit_test(leaves_integers_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
