/* Region scalarisation: what it makes of loads by an index that lanes agree on, and each rule that must stop
 * it. */
#include "tests/unit/compiler/optimize/biased.h"

#define HEAD(qualifiers)                                                                                     \
    "#version 450\n#extension GL_KHR_memory_scope_semantics : enable\nlayout(local_size_x = 64) in;\n"       \
    "struct Item { vec4 a; vec4 b; uint next; };\n"                                                          \
    "layout(std430, binding = 0) readonly buffer List { uint list[]; };\n"                                   \
    "layout(std430, binding = 1) buffer Out { vec4 result[]; };\n"                                           \
    "layout(std430, binding = 2) " qualifiers " buffer Items { Item items[]; };\n"                           \
    "layout(std140, binding = 3) uniform Params { uint n; float f; } params;\n"
#define READONLY HEAD("readonly")

/* A kernel that asked all its sites, and saw `agreed` of the waves agree, but for the number of the
 * invocation. */
static void make(use_shader *s, const char *head, const char *body, const char *stage,
                 SpvExecutionModel model, uint64_t agreed)
{
    char source[4096];
    snprintf(source, sizeof source, "%s%s", head, body);
    use_glsl(s, source, stage, model);
    for (size_t i = 0; i < 4; i++)
        s->trips[i] = 8;
    use_profile(s);
    biased_add_values(s, 1);
    for (uint32_t i = 0; i < s->weights.value_count; i++)
        s->values[i].agreed = i == 0 && model == SpvExecutionModelGLCompute ? 0 : agreed; /* 0: of list[i] */
}

static void run(use_result *r, const use_shader *s, bool scalarise)
{
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    options.scalarise = scalarise;
    options.max_growth = 1000;
    use_run(r, s, &options, true);
}

#define LOADS                                                                                                \
    "void main() { uint i = gl_GlobalInvocationID.x; uint k = list[i];\n"                                    \
    "Item item = items[k]; result[i] = item.a * params.f + item.b; }\n"

/* One guard for the whole struct; the index of the list is divergent, but its loads are one word. */
static void makes_one_guard(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    make(&s, READONLY, LOADS, "comp", SpvExecutionModelGLCompute, BIASED_WAVES - 2);
    run(&r, &s, true);
    use_expect(&r, WPG_REMARK_DONE, "scalarise", "lanes agree in 30 of 32 waves asked; 1 loads (9 words)");
    assert_int_equal(use_said(&r, WPG_REMARK_DONE, "scalarise", ""), 1);
    assert_int_equal(use_occurrences(&r, "OpGroupNonUniformAll "), 1);
    assert_int_equal(use_occurrences(&r, "OpGroupNonUniformBroadcastFirst"), 1);
    assert_int_equal(use_occurrences(&r, "OpCapability GroupNonUniform"), 3);
    assert_int_equal(use_occurrences(&r, "OpLoad %Item"), 2);
    assert_int_equal(use_occurrences(&r, "OpPhi %v4float"), 2);
    assert_int_equal(use_occurrences(&r, "OpFMul") + use_occurrences(&r, "OpVectorTimesScalar"), 1);
    assert_int_equal(use_occurrences(&r, "DontFlatten"), 1);
    /* 120 and 8 of the 128 waves. */
    assert_non_null(strstr(r.text, " 120 8\n"));
    use_done(&r);
    use_free(&s);
}

/* What is loaded by what is loaded goes into the same region, and so do offsets from one root. */
static void follows_loads_and_offsets(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    make(&s, READONLY,
         "void main() { uint i = gl_GlobalInvocationID.x; uint k = list[i];\n"
         "uint first = items[k].next, second = items[k + 1u].next;"
         "result[i] = items[first].a + items[second * 2u + params.n].b; }\n",
         "comp", SpvExecutionModelGLCompute, BIASED_WAVES);
    run(&r, &s, true);
    use_expect(&r, WPG_REMARK_DONE, "scalarise", "4 loads (10 words) behind one guard");
    assert_int_equal(use_occurrences(&r, "OpGroupNonUniformAll "), 1);
    assert_int_equal(use_occurrences(&r, "OpPhi %v4float"), 2);
    assert_int_equal(use_occurrences(&r, "OpPhi %uint"), 0);
    use_done(&r);
    use_free(&s);
}

/* Equal parts of what is loaded stay one value. */
static void keeps_one_value_one(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    make(&s, READONLY,
         "void main() { uint i = gl_GlobalInvocationID.x; uint k = list[i]; Item item = items[k];\n"
         "result[i] = vec4(item.a.w * params.f + item.a.w * item.b.x); }\n",
         "comp", SpvExecutionModelGLCompute, BIASED_WAVES);
    run(&r, &s, true);
    use_expect(&r, WPG_REMARK_DONE, "scalarise", "");
    assert_int_equal(use_occurrences(&r, "OpPhi %float"), 2);
    assert_int_equal(use_occurrences(&r, "OpCopyObject %float"), 1);
    use_done(&r);
    use_free(&s);
}

static void splits_a_loop_body(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    make(&s, READONLY,
         "void main() { uint i = gl_GlobalInvocationID.x; uint k = list[i]; vec4 sum = vec4(0.0);\n"
         "for (uint j = 0u; j < params.n; j++) { Item item = items[k + j]; sum += item.a * item.b; }"
         " result[i] = sum; }\n",
         "comp", SpvExecutionModelGLCompute, BIASED_WAVES);
    run(&r, &s, true);
    use_expect(&r, WPG_REMARK_DONE, "scalarise", "1 loads (9 words)");
    assert_true(strstr(r.text, "OpGroupNonUniformAll ") > strstr(r.text, "OpLoopMerge"));
    use_done(&r);
    use_free(&s);
}

static void does_nothing(const char *head, const char *body, uint64_t agreed, bool scalarise)
{
    use_shader s;
    use_result r;
    make(&s, head, body, "comp", SpvExecutionModelGLCompute, agreed);
    run(&r, &s, scalarise);
    assert_false(use_said(&r, WPG_REMARK_DONE, "scalarise", ""));
    assert_int_equal(use_occurrences(&r, "GroupNonUniform"), 0);
    use_done(&r);
    use_free(&s);
}

static void asks_first(void **state)
{
    (void)state;
    does_nothing(READONLY, LOADS, BIASED_WAVES, false);
    does_nothing(READONLY, LOADS, BIASED_WAVES / 2, true);
    does_nothing(READONLY, LOADS, 0, true);
    does_nothing(HEAD("volatile readonly"), LOADS, BIASED_WAVES, true);
    does_nothing(HEAD("coherent readonly"), LOADS, BIASED_WAVES, true);
    does_nothing(HEAD("volatile"), LOADS, BIASED_WAVES, true);
    /* Written through the chain; an index that nothing loads by. */
    does_nothing(HEAD(""), "void main() { uint i = gl_GlobalInvocationID.x; items[list[i]].a = vec4(1.0); }",
                 BIASED_WAVES, true);
    does_nothing(HEAD(""),
                 "void main() { uint i = gl_GlobalInvocationID.x; atomicAdd(items[list[i]].next, 1u); }",
                 BIASED_WAVES, true);
    /* Provably uniform. */
    does_nothing(READONLY,
                 "void main() { uint i = gl_GlobalInvocationID.x; Item item = items[params.n];"
                 " result[i] = item.a + item.b; }",
                 BIASED_WAVES, true);
    /* Another index in the chain differs between lanes. */
    does_nothing(READONLY,
                 "void main() { uint i = gl_GlobalInvocationID.x;"
                 " result[i] = vec4(items[list[i]].a[i & 3u], items[list[i]].b[i & 3u], 0.0, 0.0); }",
                 BIASED_WAVES, true);
    use_shader s;
    use_result r;
    make(&s, READONLY, LOADS, "comp", SpvExecutionModelGLCompute, BIASED_WAVES);
    s.weights.waves = s.weights.uniform = NULL;
    run(&r, &s, true);
    assert_int_equal(use_occurrences(&r, "GroupNonUniform"), 0);
    use_done(&r);
    use_free(&s);
}

/* Before 1.3 there are no such operations. */
static void needs_spirv_1_3(void **state)
{
    (void)state;
    for (unsigned minor = 0; minor < 4; minor += 3) {
        use_shader s = {.stage = {.model = SpvExecutionModelGLCompute, .entry = "main"}};
        use_result r;
        assert_true(assemble_glsl(&s.words, &s.count, READONLY LOADS, "comp",
                                  minor ? "vulkan1.1" : "vulkan1.1 --target-env spirv1.0"));
        use_profile(&s);
        biased_add_values(&s, 1);
        run(&r, &s, true);
        assert_int_equal(use_said(&r, WPG_REMARK_DONE, "scalarise", ""), minor ? 1 : 0);
        use_done(&r);
        use_free(&s);
    }
}

static void refuses(const char *head, const char *body, const char *stage, SpvExecutionModel model,
                    const char *why)
{
    use_shader s;
    use_result r;
    make(&s, head, body, stage, model, BIASED_WAVES);
    run(&r, &s, true);
    use_expect(&r, WPG_REMARK_REFUSED, "scalarise", why);
    assert_false(use_said(&r, WPG_REMARK_DONE, "scalarise", ""));
    assert_int_equal(use_occurrences(&r, "GroupNonUniform"), 0);
    use_done(&r);
    use_free(&s);
}

static void refuses_compute(void **state)
{
    (void)state;
    static const struct {
        const char *head, *body, *why;
    } cases[] = {
        {READONLY, "void main() { uint i = gl_GlobalInvocationID.x; result[i] = items[list[i]].a; }",
         "4 words are loaded with it, less than 8"},
        {HEAD(""),
         "void main() { uint i = gl_GlobalInvocationID.x; uint k = list[i]; vec4 a = items[k].a;"
         " items[i].b = vec4(3.0); vec4 b = items[k].b; result[i] = a + b; }",
         "something between the loads writes, waits or demotes"},
        {READONLY,
         "void main() { uint i = gl_GlobalInvocationID.x; uint k = list[i]; vec4 a = items[k].a; barrier();"
         " vec4 b = items[k].b; result[i] = a + b; }",
         "something between the loads writes, waits or demotes"},
        {READONLY,
         "void main() { uint i = gl_GlobalInvocationID.x; uint k = list[i]; Item item = items[k];"
         " result[i] = item.a + item.b; if (params.n > 3u) { Item again = items[k]; result[i + 1u] = "
         "again.a; } }",
         "a value loaded with it is read elsewhere, too"},
        {HEAD(""),
         "void main() { uint i = gl_GlobalInvocationID.x; uint k = list[i];"
         " Item one = items[k], two = items[k]; result[i] = one.a * 3.0 + two.a * params.f; }",
         "a value loaded with it is read elsewhere, too"},
        {READONLY,
         "void main() { uint i = gl_GlobalInvocationID.x; uint k = list[i]; vec4 sum = vec4(0.0);"
         " for (uint j = 0u; j < 8u; j++) { Item item = items[k + j]; sum += item.a * item.b; } result[i] = "
         "sum; }",
         "a loop around it makes floats"},
        {READONLY,
         "void main() { uint i = gl_GlobalInvocationID.x; uint k = list[i]; uint sum = 0u;"
         " for (uint j = 0u; j < params.n; j += 1u + uint(items[k + j].a.x + items[k + j].b.y)) { sum++; }"
         " result[i] = vec4(sum); }",
         "it is in a continue construct"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuses(cases[i].head, cases[i].body, "comp", SpvExecutionModelGLCompute, cases[i].why);
}

#define FRAGMENT                                                                                             \
    "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\n"                                       \
    "layout(location = 0) in flat uint k;\nlayout(location = 1) in vec2 uv;\n"                               \
    "layout(location = 0) out vec4 color;\n"                                                                 \
    "struct Item { vec4 a; vec4 b; };\n"                                                                     \
    "layout(std430, binding = 0) readonly buffer Items { Item items[]; };\n"                                 \
    "layout(binding = 1) uniform sampler2D images[16];\nlayout(binding = 3) uniform sampler2D image;\n"

static void refuses_what_feeds_neighbours(void **state)
{
    (void)state;
    refuses(FRAGMENT, "void main() { Item item = items[k]; color = dFdx(item.a) + item.b; }", "frag",
            SpvExecutionModelFragment, "it feeds an implicit-lod sample, derivative");
    refuses(FRAGMENT, "void main() { Item item = items[k]; color = texture(image, item.a.xy) + item.b; }",
            "frag", SpvExecutionModelFragment, "it feeds an implicit-lod sample, derivative");
}

static void refuses_to_split_exact_arithmetic(void **state)
{
    (void)state;
    refuses("#version 450\nlayout(location = 0) in vec4 p;\nlayout(location = 1) in uint k;\n"
            "layout(location = 0) out vec4 o;\nstruct Item { vec4 a; vec4 b; };\n"
            "layout(std430, binding = 0) readonly buffer Items { Item items[]; };\n",
            "void main() { vec4 product = p * p.w; Item item = items[k]; o = item.a + item.b;"
            " gl_Position = product + p; }",
            "vert", SpvExecutionModelVertex, "split exact floating-point arithmetic");
}

/* A descriptor by such an index: in the arm where it is one number, nothing is NonUniform; samples go along,
 * with coordinates of each lane's own. */
static void samples_by_one_descriptor(void **state)
{
    (void)state;
    for (unsigned implicit = 0; implicit < 2; implicit++) {
        use_shader s;
        use_result r;
        char body[512];
        snprintf(body, sizeof body,
                 "void main() { vec2 at = uv * 3.0; color = %s + textureLod(images[nonuniformEXT(k)], at.yx, "
                 "1.0); }",
                 implicit ? "texture(images[nonuniformEXT(k)], at)"
                          : "textureLod(images[nonuniformEXT(k)], at, 0.0)");
        make(&s, FRAGMENT, body, "frag", SpvExecutionModelFragment, BIASED_WAVES);
        run(&r, &s, true);
        if (implicit) { /* the one that needs its neighbours stays, and is read elsewhere from the region's
                           view */
            assert_int_equal(use_occurrences(&r, "OpImageSampleImplicitLod"), 1);
        } else {
            use_expect(&r, WPG_REMARK_DONE, "scalarise", "behind one guard");
            assert_int_equal(use_occurrences(&r, "OpImageSampleExplicitLod"), 4);
            assert_int_equal(use_occurrences(&r, "OpPhi %v4float"), 2);
            char *taken = strstr(r.text, "OpGroupNonUniformBroadcastFirst");
            assert_non_null(taken);
            unsigned marked = use_occurrences(&r, " NonUniform\n");
            assert_true(marked > 0 && marked <= 6); /* as many as before */
        }
        use_done(&r);
        use_free(&s);
    }
}

static void is_deterministic(void **state)
{
    (void)state;
    use_shader s;
    use_result a, b;
    make(&s, READONLY, LOADS, "comp", SpvExecutionModelGLCompute, BIASED_WAVES);
    run(&a, &s, true);
    run(&b, &s, true);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.words, b.words, a.count * sizeof(uint32_t));
    use_done(&a);
    use_done(&b);
    use_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_one_guard),
        cmocka_unit_test(follows_loads_and_offsets),
        cmocka_unit_test(keeps_one_value_one),
        cmocka_unit_test(splits_a_loop_body),
        cmocka_unit_test(asks_first),
        cmocka_unit_test(needs_spirv_1_3),
        cmocka_unit_test(refuses_compute),
        cmocka_unit_test(refuses_what_feeds_neighbours),
        cmocka_unit_test(refuses_to_split_exact_arithmetic),
        cmocka_unit_test(samples_by_one_descriptor),
        cmocka_unit_test(is_deterministic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
