/* Unswitching: what it makes, and each rule that must stop it. */
#include "tests/unit/compiler/optimize/ways.h"

#define PARTED(condition) "if (" condition ") { " CHEAP " } else { " DEAR " }"
#define MAIN(loop, body)                                                                                     \
    "void main() { uint i = gl_GlobalInvocationID.x, h = src.data[i]; float x = float(h & 255u), v = x; "    \
    "int c = int(src.data[0]);\n"                                                                            \
    "for (int k = 0; k < " loop "; k++) { " body " } dst.data[i] = floatBitsToUint(v) ^ h; }\n"

static void expect_refused(const use_shader *s, const wpg_optimize_options *options, const char *why)
{
    use_result r;
    use_run(&r, s, options, true);
    if (*why)
        use_expect(&r, WPG_REMARK_REFUSED, "unswitch", why);
    if (use_said(&r, WPG_REMARK_DONE, "unswitch", ""))
        fail_msg("unswitched");
    use_done(&r);
}

static void refuses(const char *head, const char *body, const char *why)
{
    use_shader s;
    ways_make(&s, head, body, "comp", SpvExecutionModelGLCompute);
    ways_take(&s, 0, PARTS, false);
    expect_refused(&s, NULL, why);
    use_free(&s);
}

/* The branch is decided in both loops, one way each; the phi behind it has an optimisation barrier in both.
 * */
static void makes_two_loops(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    ways_make_compute(&s, MAIN("c", PARTED("params.m == 6")));
    ways_take(&s, 0, PARTS, false);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unswitch", "decides 1 branches for 100 % of lanes");
    assert_int_equal(use_occurrences(&r, "OpLoopMerge"), 2);
    assert_int_equal(use_occurrences(&r, "OpBranchConditional %true"), 1);
    assert_int_equal(use_occurrences(&r, "OpBranchConditional %false"), 1);
    assert_int_equal(use_occurrences(&r, "OpBitwiseOr %uint"), 2); /* optimisation barriers */
    use_done(&r);
    use_free(&s);
}

/* The other side is hot: the copy is for that. */
static void decides_the_hot_side(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    ways_make_compute(&s, MAIN("c", "if (params.m == 6) { " DEAR " } else { " CHEAP " }"));
    ways_take(&s, 0, 1, false);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unswitch", "for 88 % of lanes");
    assert_int_equal(use_occurrences(&r, "OpLogicalNot"), 1);
    use_done(&r);
    use_free(&s);
}

/* Known before the loop, loaded by all who enter it, loaded behind its test: the last needs a load of its
 * own. */
static void asks_as_the_loop_does(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "void main() { uint i = gl_GlobalInvocationID.x, h = i; bool six = params.m == 6;"
        " for (int k = 0; k < int(src.data[0]); k++) { if (six) h *= 3u; else { h ^= 7u; h /= 5u; } }"
        " dst.data[i] = h; }",
        "void main() { uint i = gl_GlobalInvocationID.x, h = i; int k = 0;"
        " do { if (params.m == 6) h *= 3u; else { h ^= 7u; h /= 5u; } } while (++k < 9);"
        " dst.data[i] = h; }",
        "void main() { uint i = gl_GlobalInvocationID.x, h = i; int c = int(src.data[0]);"
        " for (int k = 0; k < c; k++) { if (params.m == 6) h *= 3u; else { h ^= 7u; h /= 5u; } }"
        " dst.data[i] = h; }",
    };
    for (size_t i = 0; i < 3; i++) {
        use_shader s;
        use_result r;
        ways_make_compute(&s, bodies[i]);
        ways_take(&s, 0, PARTS, false);
        use_run(&r, &s, NULL, true);
        use_expect(&r, WPG_REMARK_DONE, "unswitch", "");
        assert_int_equal(use_occurrences(&r, "OpSelectionMerge"), i == 2 ? 4 : 3);
        use_done(&r);
        use_free(&s);
    }
}

/* One guard for all that is inside. */
static void takes_the_outermost_loop(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    ways_make_compute(&s, "void main() { uint i = gl_GlobalInvocationID.x, h = i; bool six = params.m == 6;"
                          " for (int k = 0; k < 9; k++) for (int q = 0; q < 9; q++)"
                          " if (six) h *= 3u; else { h ^= 7u; h /= 5u; } dst.data[i] = h; }");
    ways_take(&s, 0, PARTS, false);
    use_run(&r, &s, NULL, true);
    assert_int_equal(use_said(&r, WPG_REMARK_DONE, "unswitch", ""), 1);
    assert_int_equal(use_occurrences(&r, "OpLoopMerge"), 4);
    use_done(&r);
    use_free(&s);
}

/* Each in turn, in both loops while both run; no more than three. */
static void decides_several(void **state)
{
    (void)state;
#define ASK(bit) "if ((params.m & " bit ") == 0) h += 3u; else { h ^= 7u; h /= 5u; h /= 7u; }"
    static const unsigned loops[] = {4, 8, 8};
    for (unsigned n = 0; n < 3; n++) { /* by two, three, four conditions; half of the lanes each way */
        use_shader s;
        use_result r;
        wpg_optimize_options options;
        char body[1024];
        snprintf(body, sizeof body,
                 "void main() { uint i = gl_GlobalInvocationID.x, h = i; for (int k = 0; k < 9; k++) { %s %s "
                 "%s %s }"
                 " dst.data[i] = h; }",
                 ASK("1"), ASK("2"), n > 0 ? ASK("4") : "", n > 1 ? ASK("8") : "");
        ways_make_compute(&s, body);
        for (unsigned i = 0; i < n + 2; i++)
            ways_take(&s, i, PARTS / 2, false);
        wpg_optimize_defaults(&options);
        options.max_growth = 1000;
        use_run(&r, &s, &options, true);
        use_expect(&r, WPG_REMARK_DONE, "unswitch", "unswitched again");
        assert_int_equal(use_occurrences(&r, "OpLoopMerge"), loops[n]);
        use_done(&r);
        use_free(&s);
    }
}

/* The hottest case; the other loop keeps its switch. */
static void guards_a_switch(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    ways_make_compute(&s, MAIN("c", "switch (params.m) { case 6: " CHEAP " break; case 1: " DEAR " break;"
                                    " default: v = log2(abs(v)) + x / v; }"));
    ways_take(&s, 0, 0, false); /* nobody goes the default way, half each of the cases */
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unswitch", "for 50 % of lanes");
    assert_true(use_occurrences(&r, "OpSwitch %int_") >= 1);
    assert_true(use_occurrences(&r, "OpIEqual") >= 1);
    use_done(&r);
    use_free(&s);
}

/* Where lanes may differ in it, the profile says whether they do. */
static void asks_whether_lanes_agree(void **state)
{
    (void)state;
    static const char body[] =
        "void main() { uint i = gl_GlobalInvocationID.x, h = src.data[i]; bool flag = (h & 1u) == 0u;"
        " float x = float(h & 255u), v = x; for (int k = 0; k < 300; k++) { " PARTED(
            "flag") " }"
                    " dst.data[i] = floatBitsToUint(v) ^ h; }";
    use_shader s;
    use_result r;
    ways_make_compute(&s, body);
    ways_take(&s, 0, PARTS * 3 / 4, false);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unswitch", "for 75 % of lanes");
    use_done(&r);
    s.weights.waves = s.weights.uniform = NULL;
    expect_refused(&s, NULL, "was not measured");
    use_free(&s);
    ways_make_compute(&s, body);
    ways_take(&s, 0, PARTS * 3 / 4, true);
    expect_refused(&s, NULL, "lanes may differ in the condition in 1024 of 1024 waves");
    use_free(&s);
}

/* What is left of the profile serves what comes next: the copy has the counts of the loop. */
static void keeps_the_counts(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    ways_make_compute(
        &s, "void main() { uint i = gl_GlobalInvocationID.x, h = i;"
            " for (int k = 0; k < params.n; k++) if (params.m == 6) h += 3u; else { h ^= 7u; h /= 5u; }"
            " dst.data[i] = h; }");
    ways_take(&s, 0, PARTS, false);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unswitch", "for 100 % of lanes");
    use_expect(&r, WPG_REMARK_DONE, "trip-guard", "8 trips in all 1024 entries");
    use_done(&r);
    use_free(&s);
}

static void refuses_what_changes(void **state)
{
    (void)state;
    refuses(USE_COMPUTE_HEAD, MAIN("c", PARTED("k < params.m")), "");
    refuses(USE_COMPUTE_HEAD, MAIN("c", PARTED("dst.data[3] == 6u") " dst.data[i] = h;"), "");
    refuses(USE_COMPUTE_HEAD, MAIN("c", PARTED("src.data[k] == 6u")), "");
    refuses(USE_COMPUTE_HEAD, MAIN("c", PARTED("params.m == 6") " h += atomicAdd(dst.data[0], 1u);"),
            "calls or atomics");
    refuses(USE_COMPUTE_HEAD,
            MAIN("c", "if ((h & 1u) == uint(k)) h += 3u; else { " PARTED("params.m == 6") " }"), "");
    refuses(USE_COMPUTE_HEAD, MAIN("c", PARTED("params.f * 3.0 > 1.0")), "");
}

/* In a block that may not run. */
static void refuses_to_speculate_loads(void **state)
{
    (void)state;
    use_shader s;
    ways_make_compute(&s,
                      MAIN("c", "if ((h & uint(k)) == 0u) { " PARTED("params.m == 6") " } h ^= h >> 3u;"));
    ways_take(&s, 1, PARTS, false);
    expect_refused(&s, NULL, "speculate the load");
    use_free(&s);
}

static void refuses_fixed_work(void **state)
{
    (void)state;
    refuses(USE_COMPUTE_HEAD, MAIN("c", PARTED("params.m == 6") " barrier();"), "barrier");
    refuses("#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : require\n"
            "layout(local_size_x = 64) in;\n"
            "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"
            "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"
            "layout(std140, binding = 2) uniform Params { int n; int m; float f; } params;\n",
            MAIN("c", PARTED("params.m == 6") " h += subgroupAdd(h);"), "subgroup");
    use_shader s;
    ways_make(&s,
              "#version 450\nlayout(location = 0) in vec2 at;\nlayout(location = 0) out vec4 colour;\n"
              "layout(binding = 0) uniform sampler2D image;\n"
              "layout(std140, binding = 2) uniform Params { int n; int m; float f; } params;\n",
              "void main() { float v = at.x, x = at.y; for (int k = 0; k < 300; k++) { " PARTED(
                  "params.m == 6") " v += texture(image, at).x; } colour = vec4(v); }",
              "frag", SpvExecutionModelFragment);
    ways_take(&s, 0, PARTS, false);
    expect_refused(&s, NULL, "implicit-lod");
    use_free(&s);
}

/* Lanes that part would do their atomics in another order, though none stands in the way of the condition. */
static void refuses_another_order(void **state)
{
    (void)state;
    refuses(USE_COMPUTE_HEAD,
            "void main() { uint i = gl_GlobalInvocationID.x, h = src.data[i]; bool flag = (h & 1u) == 0u;"
            " float x = float(h & 255u), v = x; for (int k = 0; k < 300; k++) { " PARTED(
                "flag") " h += atomicAdd(dst.data[0], 1u); } dst.data[i] = floatBitsToUint(v) ^ h; }",
            "another order");
}

/* Where a driver could compute otherwise than in the loop as it was. */
static void refuses_what_would_change_bits(void **state)
{
    (void)state;
    refuses(USE_COMPUTE_HEAD,
            MAIN("c", "float t = v * x + 1.0; if (params.m == 6) v = t; else { v = t; " DEAR " } v += t;"),
            "drivers fuse by uses");
    refuses(USE_COMPUTE_HEAD, MAIN("c", PARTED("params.m == 6") " v += float(params.m) * x;"),
            "depends on the value");
    refuses(USE_COMPUTE_HEAD, MAIN("c", PARTED("params.f == 6.0") " v += params.f * x;"),
            "depends on the value");
    refuses(USE_COMPUTE_HEAD, MAIN("c", PARTED("params.m == 6") " v = mix(v * x, v, params.m == 6);"),
            "a choice of floating-point values");
    refuses(USE_COMPUTE_HEAD,
            MAIN("c", PARTED("params.m == 6") " for (int q = 0; q < params.m; q++) h += h >> 3u;"),
            "a loop's test depends on the value");
    refuses(USE_COMPUTE_HEAD, MAIN("20", PARTED("params.m == 6")), "counted trips");
    refuses(USE_COMPUTE_HEAD,
            "void main() { uint i = gl_GlobalInvocationID.x, h = src.data[i]; float x = float(h), v = x;"
            " for (int q = 0; q < 3; q++) for (int k = 0; k < int(h); k++) { " PARTED(
                "params.m == 6") " }"
                                 " dst.data[i] = floatBitsToUint(v); }",
            "counted trips");
    refuses(USE_COMPUTE_HEAD,
            MAIN("c", "uint seen; if (params.m == 6) { v -= x; seen = 1u; } else { " DEAR " seen = h; }"
                      " if (seen == 1u) v = v * x; else v = v + x;"),
            "not followed here");
    refuses(USE_COMPUTE_HEAD,
            MAIN("c", "float a[4]; a[h & 3u] = v; " PARTED(
                          "params.m == 6") " a[k & 3] += v; v += a[(h >> 3u) & 3u];"),
            "floating-point memory");
}

static void refuses_exact_outputs(void **state)
{
    (void)state;
    use_shader s;
    ways_make(
        &s,
        "#version 450\nlayout(location = 0) in vec4 place;\n"
        "layout(std140, binding = 2) uniform Params { int n; int m; float f; } params;\n",
        "void main() { vec4 p = place; for (int k = 0; k < 300; k++) { if (params.m == 6) p = p * 1.5; else {"
        " p = sin(p.yxzw) + p; p = p * p; } } gl_Position = p; }",
        "vert", SpvExecutionModelVertex);
    ways_take(&s, 0, PARTS, false);
    expect_refused(&s, NULL, "feeds Position");
    use_free(&s);
}

/* What is asked once an entry, or saves nothing, is not worth a copy; nor is there room for every copy. */
static void leaves_the_rest_alone(void **state)
{
    (void)state;
    use_shader s;
    wpg_optimize_options options;
    use_glsl(&s, USE_COMPUTE_HEAD MAIN("params.n", PARTED("params.m == 6")), "comp",
             SpvExecutionModelGLCompute);
    s.trips[0] = 2;
    use_profile(&s);
    ways_take(&s, 0, PARTS, false);
    expect_refused(&s, NULL, "");
    use_free(&s);
    refuses(USE_COMPUTE_HEAD, MAIN("c", "if (params.m == 6) { " DEAR " } else { " CHEAP " }"), "");
    ways_make_compute(&s, MAIN("c", PARTED("params.m == 6")));
    ways_take(&s, 0, PARTS, false);
    wpg_optimize_defaults(&options);
    options.max_growth = 10;
    expect_refused(&s, &options, "too large");
    wpg_optimize_defaults(&options);
    snprintf(options.passes, sizeof options.passes, "l");
    expect_refused(&s, &options, "");
    use_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_two_loops),
        cmocka_unit_test(decides_the_hot_side),
        cmocka_unit_test(asks_as_the_loop_does),
        cmocka_unit_test(takes_the_outermost_loop),
        cmocka_unit_test(decides_several),
        cmocka_unit_test(guards_a_switch),
        cmocka_unit_test(asks_whether_lanes_agree),
        cmocka_unit_test(keeps_the_counts),
        cmocka_unit_test(refuses_what_changes),
        cmocka_unit_test(refuses_to_speculate_loads),
        cmocka_unit_test(refuses_fixed_work),
        cmocka_unit_test(refuses_another_order),
        cmocka_unit_test(refuses_what_would_change_bits),
        cmocka_unit_test(refuses_exact_outputs),
        cmocka_unit_test(leaves_the_rest_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
