/* The value guard: what it makes, and each rule that must stop it. */
#include "tests/unit/compiler/optimize/biased.h"

enum { SEEN = 6 };

/* A kernel whose loops run eight trips, and whose value sites all saw SEEN. */
static void make(use_shader *s, const char *head, const char *body, const char *stage,
                 SpvExecutionModel model)
{
    char source[2048];
    snprintf(source, sizeof source, "%s%s", head, body);
    use_glsl(s, source, stage, model);
    for (size_t i = 0; i < 4; i++)
        s->trips[i] = 8;
    use_profile(s);
    biased_add_values(s, SEEN);
}

#define SWITCH                                                                                               \
    "switch (params.m) { case 6: v = v * x; break; case 1: v = sin(v); h ^= 3u; break; default: v -= x; }"
#define MAIN(loop, body)                                                                                     \
    "void main() { uint i = gl_GlobalInvocationID.x, h = src.data[i]; float x = float(h & 255u), v = x; "    \
    "int c = int(src.data[0]);\n"                                                                            \
    "for (int k = 0; k < " loop "; k++) { " body " } dst.data[i] = floatBitsToUint(v) ^ h; }\n"

static void runs(use_result *r, use_shader *s, const char *body)
{
    make(s, USE_COMPUTE_HEAD, body, "comp", SpvExecutionModelGLCompute);
    use_run(r, s, NULL, true);
}

static void refuses(const char *head, const char *body, const char *why)
{
    use_shader s;
    use_result r;
    make(&s, head, body, "comp", SpvExecutionModelGLCompute);
    use_run(&r, &s, NULL, true);
    if (*why)
        use_expect(&r, WPG_REMARK_REFUSED, "value-guard", why);
    assert_false(use_said(&r, WPG_REMARK_DONE, "value-guard", ""));
    use_done(&r);
    use_free(&s);
}

/* The branch is decided in one of two loops, behind one test; the phi behind the switch has an optimisation
 * barrier. */
static void makes_a_guard(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    runs(&r, &s, MAIN("c", SWITCH));
    use_expect(&r, WPG_REMARK_DONE, "value-guard", "guarded on 1 value (6)");
    use_expect(&r, WPG_REMARK_DONE, "value-guard", "decides 1 branches");
    assert_int_equal(use_occurrences(&r, "OpLoopMerge"), 2);
    assert_int_equal(use_occurrences(&r, "OpSwitch"), 2);
    assert_int_equal(use_occurrences(&r, "OpSwitch %int_6"), 1);
    assert_int_equal(use_occurrences(&r, "OpIEqual %bool"), 1);
    assert_int_equal(use_occurrences(&r, "OpBitwiseXor %uint"), 3); /* an arm's, its copy's, the end's */
    assert_int_equal(use_occurrences(&r, "OpBitwiseOr %uint"), 1);  /* an optimisation barrier */
    use_done(&r);
    use_free(&s);
}

/* Loaded before the loop: no phi for a loop that is not entered; loaded behind the test: one. */
static void loads_as_the_loop_does(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "void main() { uint i = gl_GlobalInvocationID.x, h = i; int m = params.m;"
        " for (int k = 0; k < int(src.data[0]); k++) { if (m == 6) h = h * 3u; else { h ^= 7u; h *= h; h += "
        "5u; h *= h ^ 9u; } }"
        " dst.data[i] = h; }",
        "void main() { uint i = gl_GlobalInvocationID.x, h = i; int c = int(src.data[0]);"
        " for (int k = 0; k < c; k++) { if (params.m == 6) h = h * 3u; else { h ^= 7u; h *= h; h += 5u; h *= "
        "h ^ 9u; } }"
        " dst.data[i] = h; }",
    };
    for (size_t i = 0; i < 2; i++) {
        use_shader s;
        use_result r;
        runs(&r, &s, bodies[i]);
        use_expect(&r, WPG_REMARK_DONE, "value-guard", "guarded on 1 value (6)");
        assert_int_equal(use_occurrences(&r, "OpSelectionMerge"), i ? 4 : 3);
        use_done(&r);
        use_free(&s);
    }
}

static void guards_on_several_values(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    runs(&r, &s,
         "void main() { uint i = gl_GlobalInvocationID.x, h = i; int a = params.m, b = params.n;"
         " for (int k = 0; k < 99; k++) { if (a == 6) h = h * 3u; else { h ^= 7u; h *= h; h += 5u; h *= h ^ "
         "9u; }"
         " if (b > 4) h += 5u; else { h = h * h; h ^= 5u; } } dst.data[i] = h; }");
    use_expect(&r, WPG_REMARK_DONE, "value-guard", "guarded on 2 values (6, 6)");
    use_expect(&r, WPG_REMARK_DONE, "value-guard", "decides 2 branches");
    use_done(&r);
    use_free(&s);
}

/* Read-only storage that nothing aliases is as good as a uniform block. */
static void asks_about_storage_buffers(void **state)
{
    (void)state;
#define STORAGE(qualifiers)                                                                                  \
    "#version 450\nlayout(local_size_x = 64) in;\n"                                                          \
    "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"                                 \
    "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"                                         \
    "layout(std430, binding = 2) " qualifiers " buffer Params { int n; int m; } params;\n"
    use_shader s;
    use_result r;
    make(&s, STORAGE("readonly restrict"), MAIN("c", SWITCH), "comp", SpvExecutionModelGLCompute);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "value-guard", "guarded on 1 value");
    use_done(&r);
    use_free(&s);
    refuses(STORAGE(""), MAIN("c", SWITCH), "");
    refuses(STORAGE("readonly"), MAIN("c", SWITCH), "");
    refuses(STORAGE("readonly restrict volatile"), MAIN("c", SWITCH), "");
}

static void refuses_what_was_not_always_so(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    make(&s, USE_COMPUTE_HEAD, MAIN("c", SWITCH), "comp", SpvExecutionModelGLCompute);
    s.share->waves = BIASED_WAVES / 2;
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_REFUSED, "value-guard", "was seen by 16 of 32 waves");
    assert_false(use_said(&r, WPG_REMARK_DONE, "value-guard", ""));
    use_done(&r);
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    options.value_share = 0.5;
    use_run(&r, &s, &options, true);
    use_expect(&r, WPG_REMARK_DONE, "value-guard", "");
    use_done(&r);
    s.share->waves = BIASED_WAVES;
    snprintf(options.passes, sizeof options.passes, "v");
    use_run(&r, &s, &options, true);
    assert_false(use_said(&r, WPG_REMARK_DONE, "value-guard", ""));
    use_done(&r);
    s.values[0].block++; /* of another shader */
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_REFUSED, "value-guard", "are not the shader's");
    use_done(&r);
    use_free(&s);
}

static void refuses_fixed_work(void **state)
{
    (void)state;
    refuses(USE_COMPUTE_HEAD, MAIN("c", SWITCH " barrier();"), "barrier");
    refuses("#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : require\n"
            "layout(local_size_x = 64) in;\n"
            "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"
            "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"
            "layout(std140, binding = 2) uniform Params { int n; int m; float f; } params;\n",
            MAIN("c", SWITCH " h += subgroupAdd(h);"), "subgroup");
}

/* Where a driver could compute otherwise than in the loop as it was. */
static void refuses_what_would_change_bits(void **state)
{
    (void)state;
    refuses(USE_COMPUTE_HEAD,
            MAIN("c", "float t = v * x + 1.0; switch (params.m) { case 6: v = t; break; "
                      "case 1: v = t + sin(v); break; default: v -= x; } v += t;"),
            "drivers fuse by uses");
    refuses(USE_COMPUTE_HEAD, MAIN("c", SWITCH " v += float(params.m) * x;"), "depends on the value");
    refuses(USE_COMPUTE_HEAD, MAIN("c", SWITCH " for (int q = 0; q < params.m; q++) h += h >> 3u;"),
            "a loop's test depends on the value");
    refuses(USE_COMPUTE_HEAD,
            MAIN("c", "float a[4]; a[h & 3u] = v; " SWITCH " a[k & 3] += v; v += a[(h >> 3u) & 3u];"),
            "floating-point memory");
    refuses(USE_COMPUTE_HEAD,
            MAIN("c", "mat2 a = mat2(v, x, x, v); if (params.m == 6) a = a * v; else { a = a + a; "
                      "h ^= 5u; h *= h; } v = a[0][0] + a[1][1];"),
            "");
}

static void refuses_exact_outputs(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    make(&s,
         "#version 450\nlayout(location = 0) in vec4 place;\n"
         "layout(std140, binding = 2) uniform Params { int n; int m; float f; } params;\n",
         "void main() { vec4 p = place; for (int k = 0; k < 20; k++) { if (params.m == 6) p = p * 1.5; else {"
         " p = p.yxzw + p; p = p * p; } } gl_Position = p; }",
         "vert", SpvExecutionModelVertex);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_REFUSED, "value-guard", "feeds Position");
    use_done(&r);
    use_free(&s);
}

/* Push constants are chosen by variants; what is asked once an entry is not worth a copy. */
static void leaves_the_rest_alone(void **state)
{
    (void)state;
    refuses("#version 450\nlayout(local_size_x = 64) in;\n"
            "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"
            "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"
            "layout(push_constant) uniform Params { int n; int m; } params;\n",
            MAIN("c", SWITCH), "");
    use_shader s;
    use_result r;
    use_glsl(&s, USE_COMPUTE_HEAD MAIN("params.n", SWITCH), "comp", SpvExecutionModelGLCompute);
    s.trips[0] = 2;
    use_profile(&s);
    biased_add_values(&s, SEEN);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_REFUSED, "value-guard", "too few to pay");
    use_done(&r);
    use_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_a_guard),
        cmocka_unit_test(loads_as_the_loop_does),
        cmocka_unit_test(guards_on_several_values),
        cmocka_unit_test(asks_about_storage_buffers),
        cmocka_unit_test(refuses_what_was_not_always_so),
        cmocka_unit_test(refuses_fixed_work),
        cmocka_unit_test(refuses_what_would_change_bits),
        cmocka_unit_test(refuses_exact_outputs),
        cmocka_unit_test(leaves_the_rest_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
