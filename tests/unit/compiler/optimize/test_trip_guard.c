/* The trip guard: what it makes, and each rule that must stop it. */
#include "tests/unit/compiler/optimize/use.h"

static void guards(const use_shader *s, use_result *r, const char *what)
{
    use_run(r, s, NULL, true);
    use_expect(r, WPG_REMARK_DONE, "trip-guard", what);
    assert_true(r->changed);
}

static void makes_a_guard(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_golden(&s, "trip_uniform.comp");
    s.trips[0] = 16;
    use_profile(&s);
    guards(&s, &r, "16 trips in all 1024 entries (lanes); guarded");
    assert_int_equal(use_occurrences(&r, "OpLoopMerge"), 2);
    assert_int_equal(use_occurrences(&r, " Unroll"), 1);
    assert_int_equal(use_occurrences(&r, "OpIEqual %bool"), 1);
    assert_non_null(strstr(r.text, "%int_16"));
    assert_non_null(strstr(r.text, " 128 0\n")); /* the guard's weights */
    use_done(&r);
    use_free(&s);
}

/* Bounds in every form a front end gives; each must be guarded, and the output valid (use_run checks). */
static void reads_many_bounds(void **state)
{
    (void)state;
    static const char *const loops[] = {
        "for (int k = 0; k < params.n; k++)",
        "for (int k = params.m - params.m; k < 1; k++) ; for (int k = 0; k < params.n; k++)",
        "for (int k = 0; k <= params.n; k++)",
        "for (int k = 100; k > params.n; k -= 3)",
        "for (int k = 7; k >= params.n; k--)",
        "for (uint k = 2u; k < uint(params.n); k++)",
        "for (int k = 0; k != params.n; k++)",
        "for (int k = 0; params.n > k; k += 2)",
        "int q = params.n * 2 + 1; for (int k = 0; k < q; k++)",
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        use_shader s;
        use_result r;
        char source[1024];
        snprintf(source, sizeof source,
                 USE_COMPUTE_HEAD
                 "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i];\n"
                 "%s { h = h * 1664525u + uint(k); if ((h & 7u) == 3u) continue; h ^= h >> 3u; }\n"
                 "dst.data[i] = h; }\n",
                 loops[i]);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        s.trips[0] = s.trips[1] = 12;
        use_profile(&s);
        guards(&s, &r, "12 trips");
        /* Steps of more than one leave several bounds with as many trips: a range. */
        bool range = strstr(loops[i], "-= 3") || strstr(loops[i], "+= 2");
        assert_int_equal(use_occurrences(&r, "OpLogicalAnd"), range ? 1 : 0);
        use_done(&r);
        use_free(&s);
    }
}

static void reads_push_constants_and_do_while(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             "#version 450\nlayout(local_size_x = 64) in;\nlayout(push_constant) uniform P { int n; } pc;\n"
             "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"
             "void main() { uint i = gl_GlobalInvocationID.x, h = i; int k = 0;"
             " do { h = h * 3u + uint(k); k++; } while (k < pc.n); dst.data[i] = h; }",
             "comp", SpvExecutionModelGLCompute);
    s.trips[0] = 8;
    use_profile(&s);
    guards(&s, &r, "8 trips");
    use_done(&r);
    use_free(&s);
}

/* Nested loops: the inner one is guarded; values of both are used after, the outer one is left alone. */
static void guards_inner_loops(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             USE_COMPUTE_HEAD "void main() { uint i = gl_GlobalInvocationID.x, h = i, last = 0u;"
                              " for (int a = 0; a < params.m; a++) { for (int k = 0; k < params.n; k++) {"
                              "  h = h * 3u + uint(k); last = h ^ uint(a); switch (h & 3u) { case 0u: h += "
                              "5u; break; case 1u: h ^= 9u;"
                              "  default: h -= 1u; } } h += last; } dst.data[i] = h; }",
             "comp", SpvExecutionModelGLCompute);
    s.trips[0] = 3;
    s.trips[1] = 4;
    use_profile(&s);
    guards(&s, &r, "4 trips");
    use_expect(&r, WPG_REMARK_REFUSED, "trip-guard", "a loop inside it is guarded already");
    use_done(&r);
    use_free(&s);
}

/* A loop with loops inside is copied whole, returns and unreachable merge blocks included. */
static void copies_structured_bodies(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             USE_COMPUTE_HEAD
             "void main() { uint i = gl_GlobalInvocationID.x, h = i;"
             " for (int a = 0; a < params.m; a++) { for (int k = 0; k < 5; k++) { h = h * 3u + uint(k); }"
             "  if ((h & 1023u) == 1u) { if (h > 5u) { dst.data[i] = 1u; return; } else { dst.data[i] = 2u; "
             "return; } }"
             "  if (h == 77u) break; } dst.data[i] = h; }",
             "comp", SpvExecutionModelGLCompute);
    s.trips[0] = 6;
    s.trips[1] = 5;
    use_profile(&s);
    guards(&s, &r, "6 trips");
    assert_int_equal(use_occurrences(&r, "OpReturn\n"), 5);
    use_done(&r);
    use_free(&s);
}

static void refuses_source(const char *source, const char *stage, SpvExecutionModel model, uint32_t trips,
                           const char *why)
{
    use_shader s;
    use_result r;
    use_glsl(&s, source, stage, model);
    s.trips[0] = trips;
    use_profile(&s);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_REFUSED, "trip-guard", why);
    assert_false(use_said(&r, WPG_REMARK_DONE, "trip-guard", ""));
    use_done(&r);
    use_free(&s);
}

#define BODY(head, loop, body)                                                                               \
    head "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i];\n" loop "{" body             \
         "} dst.data[i] = h; }\n"
#define PLAIN_LOOP "for (int k = 0; k < params.n; k++)"

static void refuses_too_many_trips(void **state)
{
    (void)state;
    refuses_source(BODY(USE_COMPUTE_HEAD, PLAIN_LOOP, "h = h * 3u + uint(k);"), "comp",
                   SpvExecutionModelGLCompute, 1000, "outside what is guarded");
}

static void refuses_counts_that_vary(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_golden(&s, "trip_uniform.comp");
    s.trips[0] = 4;
    use_profile(&s);
    for (uint32_t b = 0; b < s.weights.block_count; b++)
        if (s.lanes[b] > USE_LANES) /* some lanes did one trip less */
            s.lanes[b] -= 100;
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_REFUSED, "trip-guard", "not always the same count");
    use_done(&r);
    use_free(&s);
}

static void refuses_bounds_that_vary(void **state)
{
    (void)state;
    refuses_source(BODY(USE_COMPUTE_HEAD, "for (int k = 0; k < int(src.data[i]); k++)", "h = h * 3u;"),
                   "comp", SpvExecutionModelGLCompute, 4, "an index that is no constant");
    refuses_source(BODY(USE_COMPUTE_HEAD, "int q = int(i); for (int k = 0; k < q; k++)", "h = h * 3u;"),
                   "comp", SpvExecutionModelGLCompute, 4, "not constant for a draw");
    refuses_source(BODY(USE_COMPUTE_HEAD, "for (int k = 0; k < int(dst.data[0]); k++)", "h = h * 3u;"),
                   "comp", SpvExecutionModelGLCompute, 4, "writable memory");
    refuses_source(BODY("#version 450\nlayout(local_size_x = 64) in;\nshared int bound;\n"
                        "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"
                        "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n",
                        "for (int k = 0; k < bound; k++)", "h = h * 3u;"),
                   "comp", SpvExecutionModelGLCompute, 4, "not constant for a draw");
}

#define SSBO_HEAD(qualifiers)                                                                                \
    "#version 450\nlayout(local_size_x = 64) in;\n"                                                          \
    "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"                                 \
    "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"                                         \
    "layout(std430, binding = 2) " qualifiers " buffer Params { int n; } params;\n"

static void asks_about_storage_buffers(void **state)
{
    (void)state;
    refuses_source(BODY(SSBO_HEAD(""), PLAIN_LOOP, "h = h * 3u;"), "comp", SpvExecutionModelGLCompute, 4,
                   "writable memory");
    refuses_source(BODY(SSBO_HEAD("readonly"), PLAIN_LOOP, "h = h * 3u;"), "comp", SpvExecutionModelGLCompute,
                   4, "may be aliased");
    refuses_source(BODY(SSBO_HEAD("readonly restrict volatile"), PLAIN_LOOP, "h = h * 3u;"), "comp",
                   SpvExecutionModelGLCompute, 4, "volatile or coherent");
    refuses_source(BODY(SSBO_HEAD("readonly restrict coherent"), PLAIN_LOOP, "h = h * 3u;"), "comp",
                   SpvExecutionModelGLCompute, 4, "volatile or coherent");
    refuses_source(
        BODY(SSBO_HEAD("readonly restrict"), PLAIN_LOOP, "h = h * 3u + atomicAdd(dst.data[0], 1u);"), "comp",
        SpvExecutionModelGLCompute, 4, "calls or atomics");
    use_shader s;
    use_result r;
    use_glsl(&s, BODY(SSBO_HEAD("readonly restrict"), PLAIN_LOOP, "h = h * 3u;"), "comp",
             SpvExecutionModelGLCompute);
    s.trips[0] = 4;
    use_profile(&s);
    guards(&s, &r, "4 trips");
    use_done(&r);
    use_free(&s);
}

/* The bound is loaded after a break: the first iteration may not come to it. */
/* As Tint and Zink write loops: the test is negated, leaves through a block of its own, and the counter goes
 * through bitcasts. A second way out that no lane took does not matter. */
static void reads_loops_of_front_ends(void **state)
{
    (void)state;
    static const char *const loops[] = {
        "for (uint k = 0u; ; k = uint(int(k) + 1)) { if (!(int(k) < params.n)) break; h = h * 3u + k; }",
        "for (uint k = 0u; ; k = uint(int(k) + 1)) { if (!(int(k) < params.n)) break; h = h * 3u + k;"
        " if (h == 4000000001u) break; h++; }",
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        use_shader s;
        use_result r;
        char body[1024];
        snprintf(body, sizeof body,
                 USE_COMPUTE_HEAD "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i]; %s"
                                  " dst.data[i] = h; }",
                 loops[i]);
        use_glsl(&s, body, "comp", SpvExecutionModelGLCompute);
        s.trips[0] = 4;
        use_profile(&s);
        use_run(&r, &s, NULL, true);
        use_expect(&r, WPG_REMARK_DONE, "trip-guard", "with bound");
        use_done(&r);
        use_free(&s);
    }
}

static void refuses_to_speculate_loads(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             USE_COMPUTE_HEAD
             "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i]; int k = 0;"
             " do { h = h * 3u; k++; if ((h & 7u) != 9u) { h++; if ((h & 3u) == 1u) break; } } while (k < "
             "params.n);"
             " dst.data[i] = h; }",
             "comp", SpvExecutionModelGLCompute);
    s.trips[0] = 4;
    use_profile(&s);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_REFUSED, "trip-guard", "speculate the load");
    use_done(&r);
    use_free(&s);
}

static void refuses_fixed_work(void **state)
{
    (void)state;
    refuses_source(
        "#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : enable\nlayout(local_size_x = 64) in;\n"
        "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"
        "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"
        "layout(std140, binding = 2) uniform Params { int n; } params;\n"
        "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i];"
        " for (int k = 0; k < params.n; k++) h = h * 3u + subgroupAdd(h); dst.data[i] = h; }",
        "comp", SpvExecutionModelGLCompute, 4, "a subgroup or quad operation");
    refuses_source(
        "#version 450\nlayout(local_size_x = 64) in;\nshared uint mem[64];\n"
        "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"
        "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"
        "layout(std140, binding = 2) uniform Params { int n; } params;\n"
        "void main() { uint i = gl_LocalInvocationIndex; uint h = src.data[i];"
        " for (int k = 0; k < params.n; k++) { mem[i] = h; barrier(); h += mem[63u - i]; barrier(); }"
        " dst.data[i] = h; }",
        "comp", SpvExecutionModelGLCompute, 4, "a barrier");
    refuses_source(
        "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 color;\n"
        "layout(binding = 0) uniform sampler2D tex;\nlayout(binding = 1) uniform Params { int n; } params;\n"
        "void main() { vec4 c = vec4(0); for (int k = 0; k < params.n; k++) c += texture(tex, uv * c.x);"
        " color = c; }",
        "frag", SpvExecutionModelFragment, 4, "an implicit-lod sample or derivative");
    refuses_source(
        "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 color;\n"
        "layout(binding = 0) uniform sampler2D tex;\nlayout(binding = 1) uniform Params { int n; } params;\n"
        "void main() { float c = uv.x; for (int k = 0; k < params.n; k++) c = c * 1.5 + 0.25;"
        " color = texture(tex, vec2(c)); }",
        "frag", SpvExecutionModelFragment, 4, "it feeds an implicit-lod sample");
}

static void refuses_exact_outputs(void **state)
{
    (void)state;
    refuses_source(
        "#version 450\nlayout(location = 0) in vec4 p;\nlayout(binding = 1) uniform Params { int n; } "
        "params;\n"
        "void main() { vec4 c = p; for (int k = 0; k < params.n; k++) c = c * 1.5 + p; gl_Position = c; }",
        "vert", SpvExecutionModelVertex, 4, "feeds Position");
    refuses_source("#version 450\nlayout(location = 0) in vec4 p;\nlayout(binding = 1) uniform Params { int "
                   "n; } params;\n"
                   "void main() { float c = p.x; for (int k = 0; k < params.n; k++) c = c * 1.5 + p.y;"
                   " gl_FragDepth = c; }",
                   "frag", SpvExecutionModelFragment, 4, "feeds Position, FragDepth");
    /* By control: the loop's float decides what Position is. */
    refuses_source("#version 450\nlayout(location = 0) in vec4 p;\nlayout(binding = 1) uniform Params { int "
                   "n; } params;\n"
                   "void main() { float c = p.x; for (int k = 0; k < params.n; k++) c = c * 1.5 + p.y;"
                   " gl_Position = p; if (c > 1.0) gl_Position = p.yxzw; }",
                   "vert", SpvExecutionModelVertex, 4, "feeds Position");
}

static void keeps_dont_unroll(void **state)
{
    (void)state;
    refuses_source(BODY("#version 450\n#extension GL_EXT_control_flow_attributes : "
                        "enable\nlayout(local_size_x = 64) in;\n"
                        "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"
                        "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"
                        "layout(std140, binding = 2) uniform Params { int n; } params;\n",
                        "[[dont_unroll]] for (int k = 0; k < params.n; k++)", "h = h * 3u;"),
                   "comp", SpvExecutionModelGLCompute, 4, "asks not to unroll");
}

/* Unrolled, the first copy would compute a constant's sine, which a driver folds with another library. */
/* A loop that gathers from a storage buffer waits for memory: unrolling it does not help. */
static void refuses_loops_that_gather(void **state)
{
    (void)state;
    const char *gather =
        "h += src.data[h & 255u] ^ src.data[(h >> 8u) & 255u] ^ src.data[(h >> 16u) & 255u];";
    for (unsigned trips = 8; trips <= 32; trips += 24) {
        use_shader s;
        use_result r;
        char source[1024];
        snprintf(source, sizeof source,
                 USE_COMPUTE_HEAD
                 "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i];\n" PLAIN_LOOP
                 "{ %s } dst.data[i] = h; }\n",
                 gather);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        s.trips[0] = trips;
        use_profile(&s);
        use_run(&r, &s, NULL, true);
        use_expect(&r, trips == 8 ? WPG_REMARK_DONE : WPG_REMARK_REFUSED, "trip-guard",
                   trips == 8 ? "8 trips" : "it waits for memory");
        use_done(&r);
        use_free(&s);
    }
}

static void refuses_to_expose_inexact_constants(void **state)
{
    (void)state;
    static const char *const bodies[] = {"y = sin(y) + float(h);", "y += float(h) * cos(float(k));",
                                         "y += float(h) / (7.0 / float(k + 1));",
                                         "y = y * 0.3 + 1.1; h += uint(y);"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char source[1024];
        snprintf(source, sizeof source,
                 USE_COMPUTE_HEAD
                 "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i]; float y = 0.5;"
                 "for (int k = 0; k < params.n; k++) { h = h * 3u; %s } dst.data[i] = h + uint(y); }",
                 bodies[i]);
        refuses_source(source, "comp", SpvExecutionModelGLCompute, 4, "becomes a constant");
    }
}

/* Floating-point values that go from trip to trip and can have no optimisation barrier. */
static void refuses_what_cannot_be_sewn(void **state)
{
    (void)state;
    refuses_source(BODY(USE_COMPUTE_HEAD, "mat2 m = mat2(float(h)); for (int k = 0; k < params.n; k++)",
                        "{ m = m * params.f; h += uint(m[0].x); }"),
                   "comp", SpvExecutionModelGLCompute, 4, "goes from trip to trip");
    refuses_source(
        BODY(USE_COMPUTE_HEAD,
             "float ring[4] = float[4](1.0, params.f, 3.0, float(i)); for (int k = 0; k < params.n; "
             "k++)",
             "{ ring[h & 3u] = ring[h >> 30u] * params.f; h ^= uint(ring[h & 1u]) + uint(k); }"),
        "comp", SpvExecutionModelGLCompute, 4, "floating-point memory is written and read");
}

static void refuses_large_loops(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    options.max_growth = 10;
    use_golden(&s, "trip_uniform.comp");
    s.trips[0] = 16;
    use_profile(&s);
    use_run(&r, &s, &options, true);
    use_expect(&r, WPG_REMARK_REFUSED, "trip-guard", "too large");
    use_done(&r);
    use_free(&s);
}

static void remarks_on_other_exits(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s, BODY(USE_COMPUTE_HEAD, PLAIN_LOOP, "h = h * 3u + uint(k); if (h == 5u) break;"), "comp",
             SpvExecutionModelGLCompute);
    s.trips[0] = 4;
    use_profile(&s);
    for (uint32_t b = 0; b < s.weights.block_count; b++)
        if (!s.lanes[b])
            s.lanes[b] = s.waves[b] = s.uniform[b] = 8;
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_REFUSED, "trip-guard", "a break, return or kill");
    use_done(&r);
    use_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_a_guard),
        cmocka_unit_test(reads_many_bounds),
        cmocka_unit_test(reads_push_constants_and_do_while),
        cmocka_unit_test(guards_inner_loops),
        cmocka_unit_test(copies_structured_bodies),
        cmocka_unit_test(refuses_too_many_trips),
        cmocka_unit_test(refuses_counts_that_vary),
        cmocka_unit_test(refuses_bounds_that_vary),
        cmocka_unit_test(asks_about_storage_buffers),
        cmocka_unit_test(reads_loops_of_front_ends),
        cmocka_unit_test(refuses_to_speculate_loads),
        cmocka_unit_test(refuses_fixed_work),
        cmocka_unit_test(refuses_exact_outputs),
        cmocka_unit_test(keeps_dont_unroll),
        cmocka_unit_test(refuses_loops_that_gather),
        cmocka_unit_test(refuses_to_expose_inexact_constants),
        cmocka_unit_test(refuses_what_cannot_be_sewn),
        cmocka_unit_test(refuses_large_loops),
        cmocka_unit_test(remarks_on_other_exits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
