/* Versions of a stage for words of uniform blocks: what is made, and each rule that must stop it. */
#include "compiler/optimize/fold/divisor_table.h"
#include "compiler/optimize/passes/localise.h"
#include "tests/unit/compiler/optimize/words.h"

#define HEAD                                                                                                 \
    "layout(local_size_x = 64) in;\n"                                                                        \
    "layout(std430, binding = 0) buffer Out { uint data[]; } dst;\n"                                         \
    "layout(std140, binding = 1) uniform P { uint size; uint stride; uvec4 shape; int sign; float f; } p;\n"

static void compute(use_result *r, const char *body, const uint32_t *values, uint64_t waves)
{
    words_run(r, HEAD, body, "comp", SpvExecutionModelGLCompute, values, waves, NULL);
}

/* The divisor is a constant of the body, and a load of the copy; one test, two calls. */
static void makes_a_version(void **state)
{
    (void)state;
    use_result r;
    compute(
        &r,
        "void main() { uint i = gl_GlobalInvocationID.x; if (i < p.size) dst.data[i] = i / p.stride + i % "
        "p.stride; }",
        (const uint32_t[]){120000, 48}, 1000);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 1 words of uniform blocks (stride): ");
    assert_int_equal(use_occurrences(&r, "OpFunctionCall"), 2);
    assert_int_equal(use_occurrences(&r, "OpEntryPoint"), 1);
    assert_int_equal(use_occurrences(&r, " %uint_48"), 4); /* its constant, the test's, two divisions' */
    assert_int_equal(use_occurrences(&r, "OpUDiv"), 2);
    assert_int_equal(use_occurrences(&r, "OpBitwiseXor"), 1);
    assert_int_equal(use_occurrences(&r, "OpIEqual"), 1);
    use_done(&r);
}

enum { SETS = 3, MOST_SETS = 20 };

/* A use of the shader in which words had `count` sets of values, in shares of 1000 waves. */
static void several_of(use_result *r, const char *body, const uint32_t (*held)[WORDS_MOST],
                       const uint64_t *shares_of, unsigned count, const wpg_optimize_options *options)
{
    char source[4096];
    use_shader s;
    uint32_t bits[MOST_SETS][WORDS_MOST];
    wpg_value_weight words[WORDS_MOST];
    wpg_value_share shares[WORDS_MOST];
    wpg_word_visit visits[MOST_SETS];
    snprintf(source, sizeof source, "#version 450\n%s%s", HEAD, body);
    use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
    for (unsigned i = 0; i < count; i++) {
        words_of(bits[i], &s, held[i]);
        visits[i] = (wpg_word_visit){shares_of[i], bits[i]};
    }
    s.trips[0] = 16; /* of a loop, if there is one */
    use_profile(&s);
    words_give(&s, words, shares, bits[0], 1000);
    for (unsigned w = 0; w < s.weights.word_count; w++)
        for (unsigned i = 1; i < count; i++)
            shares[w].waves -= bits[i][w] != bits[0][w] ? shares_of[i] : 0;
    s.weights.visits = visits;
    s.weights.visit_count = count;
    use_run(r, &s, options, true);
    use_free(&s);
}

static void several(use_result *r, const char *body, const uint32_t held[SETS][WORDS_MOST],
                    const uint64_t shares_of[SETS])
{
    several_of(r, body, held, shares_of, SETS, NULL);
}

static const char DIVIDES[] =
    "void main() { uint i = gl_GlobalInvocationID.x; if (i < p.size) dst.data[i] = i / "
    "p.stride + i % p.stride + (i ^ 5u) / p.stride; }";

/* Two sets that come back get a version each, a third that hardly does gets none. */
static void makes_a_version_for_each_set(void **state)
{
    (void)state;
    use_result r;
    several(&r, DIVIDES, (const uint32_t[SETS][WORDS_MOST]){{120000, 48}, {4096, 7}, {77, 13}},
            (const uint64_t[SETS]){600, 390, 10});
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 60 % of waves, by 1 words");
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 39 % of waves, by 1 words");
    assert_int_equal(use_occurrences(&r, "OpFunctionCall"), 3);
    assert_int_equal(use_occurrences(&r, "OpIEqual"), 2);
    assert_true(use_occurrences(&r, " %uint_48") > 1 && use_occurrences(&r, " %uint_7") > 1);
    assert_int_equal(use_occurrences(&r, "%uint_13"), 0);
    use_done(&r);
}

/* A word that decides nothing, where a loop computes with it and a version is made anyway: if it had one
 * value with the words that decide. */
static void takes_words_along(void **state)
{
    (void)state;
    static const char
        often[] = "void main() { uint i = gl_GlobalInvocationID.x, x = i / p.size; for (uint k = 0u; k < "
                  "64u; k++) x ^= k * p.stride + i; dst.data[i] = x; }",
        once[] = "void main() { uint i = gl_GlobalInvocationID.x; dst.data[i] = i / p.size + i % p.size + "
                 "i * p.stride; }";
    static const struct {
        const char *body;
        uint32_t strides[2]; /* with one size */
        const char *words;
    } cases[] = {{often, {48, 48}, "for 2 words of uniform blocks (size, stride): "},
                 {often, {48, 47}, "for 1 words of uniform blocks (size): "},
                 {once, {48, 48}, "for 1 words of uniform blocks (size): "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use_result r;
        const uint32_t held[2][WORDS_MOST] = {{12, cases[i].strides[0]}, {12, cases[i].strides[1]}};
        several_of(&r, cases[i].body, held, (const uint64_t[]){500, 500}, 2, NULL);
        use_expect(&r, WPG_REMARK_DONE, "versions", cases[i].words);
        assert_int_equal(use_occurrences(&r, " %uint_48") > 1, i == 0);
        use_done(&r);
    }
}

/* The word divides, too, and the quotient alone gets the constant: with a constant step the loop could be
 * unrolled. */
static void leaves_steps_of_loops(void **state)
{
    (void)state;
    use_result r;
    const uint32_t held[1][WORDS_MOST] = {{120000, 48}};
    several_of(
        &r,
        "void main() { uint i = gl_GlobalInvocationID.x, x = i / p.stride; for (uint k = 0u; k < 640u; k += "
        "p.stride) x ^= k + i; dst.data[i] = x; }",
        held, (const uint64_t[]){1000}, 1, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 1 words of uniform blocks (stride): ");
    assert_int_equal(use_occurrences(&r, " %uint_48"), 3); /* its constant, the test's, the division's */
    use_done(&r);
}

/* A use of the shader in which the stride had five values, one as often as the other. */
static void of_five_strides(use_result *r, const char *body, const wpg_optimize_options *options)
{
    uint32_t held[MOST_SETS][WORDS_MOST] = {{0}};
    uint64_t shares[MOST_SETS];
    for (unsigned i = 0; i < 5; i++) {
        held[i][0] = 120000;
        held[i][1] = 7 + 1000 * i;
        shares[i] = 200;
    }
    several_of(r, body, (const uint32_t(*)[WORDS_MOST])held, shares, 5, options);
}

/* No product was made, but versions. */
static void expect_versions(use_result *r)
{
    assert_int_equal(use_occurrences(r, "OpUMulExtended"), 0);
    assert_true(use_occurrences(r, "OpFunctionCall") > 1);
    use_done(r);
}

/* Many values of a word that decides divisors alone: products by a table of values, in the one body there is.
 * Equal divisions share a product. All values of the word beside the commonest 16 divide as before. */
static void divides_by_a_table(void **state)
{
    (void)state;
    use_result r;
    uint32_t held[MOST_SETS][WORDS_MOST] = {{0}};
    uint64_t shares[MOST_SETS];
    wpg_optimize_options software;
    wpg_optimize_defaults(&software);
    software.no_scalar_unit = true;
    of_five_strides(&r, DIVIDES, NULL);
    use_expect(
        &r, WPG_REMARK_DONE, "versions",
        "3 divisions by what a word of uniform blocks (stride) decides: a product for each of 5 values, "
        "which 100 % of the sampled waves had");
    assert_int_equal(use_occurrences(&r, "OpFunctionCall"), 0);
    assert_int_equal(use_occurrences(&r, "OpUMulExtended"), 3);
    assert_int_equal(use_occurrences(&r, "OpUDiv"), 2);
    assert_int_equal(use_occurrences(&r, "OpUMod"), 1);
    assert_true(use_occurrences(&r, "%uint_4007") > 1);
    use_done(&r);
    for (unsigned i = 0; i < MOST_SETS; i++) {
        held[i][0] = 120000;
        held[i][1] = 3 + i;
        shares[i] = i ? 40 : 240; /* one comes back often enough for a version */
    }
    several_of(
        &r,
        "void main() { uint i = gl_GlobalInvocationID.x; if (i < p.size) dst.data[i] = i / p.stride * 3u + "
        "(i - i / p.stride * p.stride); }",
        (const uint32_t(*)[WORDS_MOST])held, shares, MOST_SETS, &software);
    use_expect(
        &r, WPG_REMARK_DONE, "versions",
        "1 division by what a word of uniform blocks (stride) decides: a product for each of 16 values, "
        "which 84 % of the sampled waves had");
    assert_int_equal(use_occurrences(&r, "OpUMulExtended"), 1);
    assert_int_equal(use_occurrences(&r, "OpUDiv"), 1);
    use_done(&r);
}

/* What is uniform is divided once a wave where there is a scalar unit: there versions as ever. */
static void divides_uniform_numbers(void **state)
{
    static const char BODY[] =
        "void main() { dst.data[gl_GlobalInvocationID.x] = gl_WorkGroupID.x / p.stride + "
        "(gl_WorkGroupID.x ^ 5u) / p.stride; }";
    (void)state;
    use_result r;
    wpg_optimize_options software;
    wpg_optimize_defaults(&software);
    software.no_scalar_unit = true;
    of_five_strides(&r, BODY, NULL);
    expect_versions(&r);
    of_five_strides(&r, BODY, &software);
    assert_int_equal(use_occurrences(&r, "OpUMulExtended"), 2);
    use_done(&r);
}

/* A word that decides a branch, too, or divides signed numbers: versions as ever. */
static void divides_by_no_table(void **state)
{
    (void)state;
    use_result r;
    of_five_strides(
        &r,
        "void main() { uint i = gl_GlobalInvocationID.x; uint v = i / p.stride + (i ^ 5u) / p.stride; "
        "if (p.stride > 2000u) v += uint(sin(float(i)) * 9.0); dst.data[i] = v; }",
        NULL);
    expect_versions(&r);
    of_five_strides(
        &r,
        "void main() { int i = int(gl_GlobalInvocationID.x); dst.data[i] = uint(i / int(p.stride) + "
        "(i ^ 5) / int(p.stride)); }",
        NULL);
    expect_versions(&r);
}

/* Between a sampled image and its use a block is not split. */
static void parts_no_sampled_image(void **state)
{
    (void)state;
    use_result r;
    of_five_strides(
        &r,
        "layout(binding = 2) uniform texture2D t; layout(binding = 3) uniform sampler s;\n"
        "void main() { uint i = gl_GlobalInvocationID.x; dst.data[i] = uint(textureLod(sampler2D(t, s), "
        "vec2(float(i / p.stride), 0.5), 0.0).x); }",
        NULL);
    expect_versions(&r);
}

static uint32_t quotient_of(uint32_t n, wpg_divisor_product by)
{
    const uint32_t high = (uint32_t)((uint64_t)n * by.factor >> 32);
    return (((n - high) >> by.halving) + high) >> by.shift;
}

static void expect_quotients(uint32_t divisor)
{
    const wpg_divisor_product by = wpg_divisor_product_of(divisor);
    const uint32_t most = UINT32_MAX / divisor;
    assert_int_not_equal(by.factor, 0);
    for (uint32_t k = 0; k < 300; k++) { /* beside multiples, where a product would be wrong first */
        const uint32_t at = k < 100   ? k
                            : k < 200 ? most - (k - 100)
                                      : (uint32_t)((uint64_t)most * (k - 200) / 100);
        for (uint32_t d = 0; d < 3; d++) {
            const uint32_t n = at * divisor - 1 + d;
            assert_int_equal(quotient_of(n, by), n / divisor);
        }
    }
    for (uint32_t n = UINT32_MAX - 3; n != 3; n++)
        assert_int_equal(quotient_of(n, by), n / divisor);
}

/* The product is the quotient: small divisors, and those beside powers of two. */
static void products_are_quotients(void **state)
{
    (void)state;
    for (uint32_t divisor = 1; divisor < 2000; divisor++)
        expect_quotients(divisor);
    for (unsigned bit = 11; bit < 32; bit++)
        for (uint32_t d = 0; d < 41; d++)
            expect_quotients((UINT32_C(1) << bit) - 20 + d);
    for (uint32_t d = 0; d < 20; d++)
        expect_quotients(UINT32_MAX - d);
}

/* A word that never comes back, such as the number of a frame, does not keep the others apart. */
static void leaves_out_what_never_comes_back(void **state)
{
    (void)state;
    use_result r;
    several(&r, DIVIDES, (const uint32_t[SETS][WORDS_MOST]){{120000, 48}, {120000, 48}, {120000, 7}},
            (const uint64_t[SETS]){500, 460, 40});
    use_expect(&r, WPG_REMARK_DONE, "versions", "a version of the stage for 1 words");
    assert_int_equal(use_occurrences(&r, "OpFunctionCall"), 2);
    use_done(&r);
}

/* A component of a vector, through what only moves components. */
static void follows_components(void **state)
{
    (void)state;
    use_result r;
    compute(&r,
            "void main() { uint i = gl_GlobalInvocationID.x; uvec3 s = p.shape.wyx; ivec3 t = ivec3(s);"
            " dst.data[i] = i / uint(t.x) + i % s.z; }",
            (const uint32_t[]){3, 5, 9}, 1000); /* z is not used, and not asked */
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 3 words");
    assert_true(use_occurrences(&r, "%uint_9") > 1);
    use_done(&r);
}

/* The version as the whole stage: no test, no copy, and where the words lie that it holds for. */
static void makes_a_version_alone(void **state)
{
    (void)state;
    use_result r;
    wpg_optimize_options options;
    static const wpg_word_test wanted[] = {{2, 5, 0, 3}, {2, 5, 48, 5}, {2, 5, 84, 7}, {2, 5, 104, 9}};
    const char *head =
        "layout(local_size_x = 64) in;\n"
        "layout(std430, binding = 0) buffer Out { uint data[]; } dst;\n"
        "struct S { uint x; uint y; };\n"
        "layout(std140, set = 2, binding = 5) uniform P { uint first; uint a[3]; S s[2]; uvec4 v; } p;\n";
    const char *body =
        "void main() { uint i = gl_GlobalInvocationID.x; dst.data[i] = i / p.first + i / p.a[2] + "
        "i / p.s[1].y + i / p.v.z; }";
    wpg_optimize_defaults(&options);
    options.alone = 1;
    words_run(&r, head, body, "comp", SpvExecutionModelGLCompute, (const uint32_t[]){3, 5, 7, 9}, 1000,
              &options);
    use_expect(&r, WPG_REMARK_DONE, "versions", "by 4 words");
    assert_int_equal(use_occurrences(&r, "OpFunctionCall"), 0);
    assert_int_equal(use_occurrences(&r, "OpIEqual"), 0);
    assert_int_equal(r.remarks->test_count, 4);
    assert_memory_equal(r.remarks->tests, wanted, sizeof wanted);
    use_done(&r);
    options.alone = 2; /* there is no second one */
    words_run(&r, head, body, "comp", SpvExecutionModelGLCompute, (const uint32_t[]){3, 5, 7, 9}, 1000,
              &options);
    assert_int_equal(r.remarks->test_count, 0);
    assert_false(r.changed);
    use_done(&r);
}

/* An array that only a branch reads which never runs: within the stage it is there all the same, and drivers
 * clear it. Alone it is not. */
static void tells_what_one_alone_would_save(void **state)
{
    (void)state;
    use_result r;
    const uint32_t held[] = {5, 48};
    compute(&r,
            "void main() { uint i = gl_GlobalInvocationID.x, x = i / p.stride; uint w[64];"
            " if (p.size == 3u) { w[i & 63u] = x; x += w[x & 63u]; } dst.data[i] = x; }",
            held, 1000);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 2 words");
    assert_true(r.remarks->saved_within > 0);
    assert_true(r.remarks->saved_alone > r.remarks->saved_within + 300);
    use_done(&r);
    compute(&r,
            "void main() { uint i = gl_GlobalInvocationID.x, x = i / p.stride; uint w[64];"
            " w[i & 63u] = x; if (p.size == 3u) x += dst.data[i]; dst.data[i] = x + w[x & 63u]; }",
            held, 1000);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 2 words");
    assert_in_range(r.remarks->saved_alone, r.remarks->saved_within, r.remarks->saved_within + 300);
    use_done(&r);
    /* No version within: less work is saved than the test takes. */
    words_run(
        &r,
        "layout(location = 0) out vec4 colour;\nlayout(std140, binding = 1) uniform P { uint size; } p;\n",
        "void main() { colour = vec4(p.size == 3u ? gl_FragCoord.x : gl_FragCoord.y); }", "frag",
        SpvExecutionModelFragment, (const uint32_t[]){5}, 1000, NULL);
    assert_int_equal(r.remarks->saved_within, 0);
    use_done(&r);
}

/* An array is there once for all versions. A table of constants is filled before the test. */
static void shares_arrays(void **state)
{
    (void)state;
    use_result r, whole;
    compute(
        &r,
        "void main() { uint i = gl_GlobalInvocationID.x; const uint t[4] = uint[](9u, 2u, 7u, 4u); uint w[2];"
        " w[i & 1u] = i; dst.data[i] = i / p.stride + i % p.stride + t[i & 3u] + w[i >> 1u & 1u]; }",
        (const uint32_t[]){48}, 1000);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 1 words");
    assert_int_equal(use_occurrences(&r, " = OpVariable %_ptr_Private__arr_uint_uint_4 Private %"), 1);
    assert_int_equal(use_occurrences(&r, " = OpVariable %_ptr_Private__arr_uint_uint_2 Private\n"), 1);
    assert_int_equal(use_occurrences(&r, " = OpAccessChain %_ptr_Private_uint "), 6);
    use_done(&r);
    /* Filled with what is computed, as a whole. */
    compute(&whole,
            "void main() { uint i = gl_GlobalInvocationID.x; uint x = dst.data[1]; uint w[2] = uint[](x, i);"
            " dst.data[i] = i / p.stride + i % p.stride + w[i & 1u]; }",
            (const uint32_t[]){48}, 1000);
    use_expect(&whole, WPG_REMARK_DONE, "versions", "for 1 words");
    assert_int_equal(use_occurrences(&whole, " = OpVariable %_ptr_Private__arr_uint_uint_2 Private\n"), 1);
    assert_int_equal(use_occurrences(&whole, " = OpVariable %_ptr_Function_"), 0);
    use_done(&whole);
}

/* A float made of a size is computed where it was, of the load; the division gets the constant. */
static void leaves_floats_to_run_time(void **state)
{
    (void)state;
    use_result r;
    compute(&r,
            "void main() { uint i = gl_GlobalInvocationID.x; dst.data[i / p.stride] = "
            "floatBitsToUint(float(i) / float(p.stride)); }",
            (const uint32_t[]){48}, 1000);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 1 words");
    assert_int_equal(use_occurrences(&r, "OpConvertUToF %float %uint_48"), 0);
    use_done(&r);
}

#define WEIGHTS                                                                                              \
    "layout(std140, binding = 2) uniform W { float coat; float sheen; vec4 tint; float scale; } w;\n"        \
    "float lobe(float weight, float x) { if (weight < 1e-6) return 0.0; return weight * sin(x) * cos(x); "   \
    "}\n"

/* A weight that decides a branch is asked, through an argument; one that is only computed with is not. */
static void decides_by_floats(void **state)
{
    (void)state;
    use_result r;
    compute(&r,
            WEIGHTS "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i);"
                    " dst.data[i] = floatBitsToUint(lobe(w.coat, x) + lobe(w.tint.y, x) * w.scale); }",
            (const uint32_t[]){0, 0x3f800000, 0x40000000}, 1000);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 2 words");
    /* The zero that the decided branch leaves meets a sum: it is hidden. */
    assert_int_equal(use_occurrences(&r, "OpFMul %float %float_0"), 0);
    assert_true(use_occurrences(&r, "OpBitwiseOr") >= 2);
    use_done(&r);
}

/* A float that is made a whole number, and decides as such. */
static void decides_by_rounded_floats(void **state)
{
    (void)state;
    static const char *const kinds[] = {"int(w.coat)", "int(floor(w.coat + 0.25))", "int(uint(abs(-w.coat)))",
                                        "int(round(w.coat))", "int(trunc(w.coat))"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char body[512];
        use_result r;
        (void)snprintf(body, sizeof body,
                       WEIGHTS
                       "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i); int k = %s;"
                       " if (k == 0) x = sin(cos(x)); else if (k == 2) x = exp(tan(x)); else x = atan(x);"
                       " dst.data[i] = floatBitsToUint(x + w.scale); }",
                       kinds[i]);
        compute(&r, body, (const uint32_t[]){0x40000000}, 1000);
        if (!use_said(&r, WPG_REMARK_DONE, "versions",
                      "for 1 words of uniform blocks (coat): 1 loads are constants, "))
            fail_msg("%s decides nothing", kinds[i]);
        use_done(&r);
    }
}

/* Tint's form: blocks of unsigned vectors that are cast, variables of the module. A word that is only cast
 * and added is not asked. A weight is: as itself, as a part of a shuffled vector, and as a whole vector. */
static void follows_casts_and_module_variables(void **state)
{
    (void)state;
    use_result r;
    words_run(&r,
              "layout(location = 0) in vec2 at; layout(location = 0) out vec4 color;\n"
              "layout(std140, binding = 1) uniform T { uvec4 x; } t; float coat; vec3 tint;\n",
              "void main() { coat = uintBitsToFloat(t.x.x); tint = uintBitsToFloat(t.x.zyz);"
              " float x = at.x + uintBitsToFloat(t.x.w); if (coat > 1e-6) x += sin(x) * coat;"
              " vec3 lit = vec3(sin(x), cos(x), tan(x)) * tint; color = vec4(lit + at.y, 1.0); }",
              "frag", SpvExecutionModelFragment, (const uint32_t[WORDS_MOST]){0}, 1000, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 3 words");
    use_expect(&r, WPG_REMARK_DONE, "versions", "1 operations had a weight of 0");
    use_done(&r);
    compute(&r,
            "layout(std140, binding = 2) uniform T { uvec4 x; } t;\n"
            "void main() { uint i = gl_GlobalInvocationID.x; dst.data[i] = i / t.x.y +"
            " floatBitsToUint(float(i) + uintBitsToFloat(t.x.w)); }",
            (const uint32_t[WORDS_MOST]){48}, 1000);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 1 words");
    use_done(&r);
}

/* A variable of the module that the entry function alone names becomes local. One that another function
 * names, too, stays where it is. */
static void leaves_shared_module_variables(void **state)
{
    (void)state;
    use_shader s = {0};
    wpg_module *module;
    unsigned count[2] = {0};
    use_glsl(&s,
             "#version 450\n" HEAD "float own, both, passed; void more(inout float a) { a += both; }\n"
             "void main() { own = float(p.size); both = p.f; passed = own; more(passed);"
             " dst.data[0] = floatBitsToUint(own + passed); }",
             "comp", SpvExecutionModelGLCompute);
    assert_int_equal(wpg_module_parse(&module, s.words, s.count, NULL), WPG_OK);
    assert_true(wpg_localise_globals(module));
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        count[0] += inst->opcode == SpvOpVariable && inst->words[3] == SpvStorageClassPrivate;
    for (const wpg_inst *inst = wpg_next_function(module->first); inst; inst = inst->next) {
        const wpg_inst *type = inst->type ? wpg_module_def(module, inst->type) : NULL;
        count[1] += inst->opcode == SpvOpVariable && type->words[2] == SpvStorageClassFunction;
    }
    assert_int_equal(count[0], 1); /* both */
    assert_int_equal(count[1], 3); /* own, passed, the argument */
    wpg_module_destroy(module);
    use_free(&s);
}

/* A weight compared with what varies decides nothing, and is not asked; a factor is. */
static void asks_no_idle_floats(void **state)
{
    (void)state;
    use_result r;
    compute(&r,
            WEIGHTS "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i);"
                    " if (w.coat < x) dst.data[i] = floatBitsToUint(lobe(x, x) * w.sheen); }",
            (const uint32_t[]){0}, 1000);
    assert_false(use_said(&r, WPG_REMARK_DONE, "versions", ""));
    use_expect(&r, WPG_REMARK_REFUSED, "versions", "no branch, loop bound");
    use_done(&r);
}

/* What a driver would see as one value behind the test of a single word is hidden from it. */
static void hides_a_single_word(void **state)
{
    (void)state;
    use_result r;
    compute(&r, "void main() { uint i = gl_GlobalInvocationID.x; dst.data[i] = i / p.stride; }",
            (const uint32_t[]){48}, 1000);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 1 words");
    assert_int_equal(use_occurrences(&r, "OpIMul"), 1); /* n * (n + 1) & 1 */
    use_done(&r);
}

static void refuses_what_varies(void **state)
{
    (void)state;
    use_result r;
    compute(&r, "void main() { uint i = gl_GlobalInvocationID.x; dst.data[i] = i / p.stride; }",
            (const uint32_t[]){48}, 500);
    assert_int_equal(use_said(&r, WPG_REMARK_REFUSED, "versions", "1 of 1 words"), 1);
    assert_false(use_said(&r, WPG_REMARK_DONE, "versions", ""));
    assert_false(r.changed && use_occurrences(&r, "OpFunctionCall"));
    use_done(&r);
}

static void refuses_what_gains_nothing(void **state)
{
    (void)state;
    use_result r;
    compute(
        &r,
        "void main() { uint i = gl_GlobalInvocationID.x; float x = float(dst.data[i]); if (p.size > 3u) x "
        "= sin(x) + cos(x) * exp(x) + pow(x, 1.3) + tan(x) + atan(x) + sinh(x) + cosh(x) + "
        "asin(x) * acos(x) + sin(x * 2.0) * tan(x * 2.0) * pow(x, 2.1) + acos(x * 0.3) + cos(x * 3.0) + "
        "tan(x * 4.0) + exp(x * 5.0); dst.data[i] = "
        "floatBitsToUint(x); }",
        (const uint32_t[]){4}, 1000);
    use_expect(&r, WPG_REMARK_REFUSED, "versions", "hardly more than its test costs");
    use_done(&r);
}

/* A small share of a long loop is much work: as in matrix products, which read past a border by a word. */
static void gains_little_of_much(void **state)
{
    (void)state;
    for (uint32_t trips = 1; trips <= 20; trips += 19) {
        use_shader s;
        use_result r;
        use_glsl(
            &s,
            "#version 450\n" HEAD
            "void main() { uint i = gl_GlobalInvocationID.x; float x = float(dst.data[i]); for (uint k = "
            "0u; k < dst.data[i]; k++) { if (p.size > 3u) x += 1.0; x = sin(x) + cos(x) * exp(x) + "
            "pow(x, 1.3) + tan(x) + atan(x) + sinh(x) + cosh(x) + asin(x) * acos(x) + sin(x * 2.0) * "
            "tan(x * 2.0) * pow(x, 2.1) + acos(x * 0.3) + cos(x * 3.0) + tan(x * 4.0) + exp(x * 5.0); } "
            "dst.data[i] = floatBitsToUint(x); }",
            "comp", SpvExecutionModelGLCompute);
        s.trips[0] = trips;
        words_use(&r, &s, (const uint32_t[]){4}, 1000, NULL);
        if (trips == 1)
            use_expect(&r, WPG_REMARK_REFUSED, "versions", "hardly more than its test costs");
        else
            use_expect(&r, WPG_REMARK_DONE, "versions", "for 1 words");
        use_done(&r);
        use_free(&s);
    }
}

/* No word sites: arrays of blocks, dynamic indices, storage buffers, floats. */
static void asks_only_of_plain_blocks(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "layout(std140, binding = 2) uniform Q { uint n; } q[2];"
        "void main() { dst.data[0] = gl_GlobalInvocationID.x / q[1].n; }",
        "layout(std140, binding = 2) uniform Q { uvec4 n[4]; } q;"
        "void main() { uint i = gl_GlobalInvocationID.x; dst.data[0] = i / q.n[i & 3u].x; }",
        "layout(std430, binding = 2) readonly buffer Q { uint n; } q;"
        "void main() { dst.data[0] = gl_GlobalInvocationID.x / q.n; }",
        "void main() { dst.data[0] = uint(p.f) / gl_GlobalInvocationID.x; }",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        use_result r;
        compute(&r, bodies[i], (const uint32_t[]){3, 3, 3, 3}, 1000);
        assert_false(use_said(&r, WPG_REMARK_DONE, "versions", ""));
        use_done(&r);
    }
}

/* Derivatives and discards stand in either arm of a uniform branch. */
static void fragment_stages_too(void **state)
{
    (void)state;
    use_result r;
    words_run(&r,
              "layout(location = 0) in vec2 at; layout(location = 0) out vec4 color;\n"
              "layout(binding = 0) uniform sampler2D image;\n"
              "layout(std140, binding = 1) uniform P { int mode; int kinds; } p;\n",
              "void main() { vec4 c = texture(image, at); int k = int(gl_FragCoord.x) % p.kinds;"
              " k += int(gl_FragCoord.y) / p.kinds; k = k * k % p.kinds;"
              " if (p.mode == 1) c = vec4(dFdx(c.x)); if (k == 7) discard; color = c; }",
              "frag", SpvExecutionModelFragment, (const uint32_t[]){0, 12}, 1000, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "a version of the stage");
    assert_int_equal(use_occurrences(&r, "OpImageSampleImplicitLod"), 2);
    assert_int_equal(use_occurrences(&r, "OpExecutionMode"), 1);
    use_done(&r);
}

/* Branches alone: a test costs as much. */
static void small_fragments_stay(void **state)
{
    (void)state;
    use_result r;
    words_run(&r,
              "layout(location = 0) in vec2 at; layout(location = 0) out vec4 color;\n"
              "layout(std140, binding = 1) uniform P { int a; int b; int c; } p;\n",
              "void main() { vec4 c = at.xyxy; if (p.a == 1) c *= 2.0; if (p.b == 1) c += 1.0;"
              " if (p.c == 1) discard; color = c; }",
              "frag", SpvExecutionModelFragment, (const uint32_t[]){0, 0, 0}, 1000, NULL);
    use_expect(&r, WPG_REMARK_REFUSED, "versions", "hardly more than its test costs");
    assert_false(use_said(&r, WPG_REMARK_DONE, "versions", ""));
    use_done(&r);
}

/* What is decorated in the body is decorated in the copy, and nothing else. */
static void copies_decorations(void **state)
{
    (void)state;
    use_result r;
    compute(&r,
            "void main() { uint i = gl_GlobalInvocationID.x; precise float x = float(i) * 3.0 + 1.0;"
            " dst.data[i / p.stride % p.size] = floatBitsToUint(x); }",
            (const uint32_t[]){48, 1000}, 1000);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 2 words");
    assert_int_equal(use_occurrences(&r, "OpFMul"), 2);
    assert_int_equal(use_occurrences(&r, "NoContraction"), 4);
    assert_int_equal(use_occurrences(&r, "OpDecorate %gl_GlobalInvocationID"), 1);
    use_done(&r);
}

/* Descriptors that no invocation uses may be invalid: then only blocks that every invocation reads are
 * tested. */
static void heeds_partial_descriptors(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        bool made;
    } cases[] = {
        {"void main() { uint i = gl_GlobalInvocationID.x; dst.data[i] = i / p.stride; }", true},
        {"void main() { uint i = gl_GlobalInvocationID.x; if (dst.data[0] == 7u) dst.data[i] = i / p.stride; "
         "}",
         false},
        /* Read elsewhere by all. */
        {"void main() { uint i = gl_GlobalInvocationID.x; uint s = p.size; if (dst.data[0] == 7u) "
         "dst.data[i] = "
         "i / p.stride; dst.data[1] = s; }",
         true},
        /* Some leave before. */
        {"void main() { uint i = gl_GlobalInvocationID.x; if (dst.data[0] == 7u) return; dst.data[i] = i / "
         "p.stride; }",
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use_result r;
        wpg_optimize_options options;
        wpg_optimize_defaults(&options);
        options.partial_descriptors = true;
        words_run(&r, HEAD, cases[i].body, "comp", SpvExecutionModelGLCompute, (const uint32_t[]){48, 48},
                  1000, &options);
        assert_int_equal(use_said(&r, WPG_REMARK_DONE, "versions", ""), cases[i].made);
        if (!cases[i].made)
            use_expect(&r, WPG_REMARK_REFUSED, "versions", "descriptors may be invalid");
        use_done(&r);
        options.partial_descriptors = false;
        words_run(&r, HEAD, cases[i].body, "comp", SpvExecutionModelGLCompute, (const uint32_t[]){48, 48},
                  1000, &options);
        use_expect(&r, WPG_REMARK_DONE, "versions", "");
        use_done(&r);
    }
}

/* The body's instructions stand once more, and no id twice: the validator says so of every result. */
static void the_copy_is_as_it_was(void **state)
{
    (void)state;
    use_result r;
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    (void)snprintf(options.passes, sizeof options.passes, "aeflrtuv");
    words_run(
        &r, HEAD,
        "void main() { uint i = gl_GlobalInvocationID.x, s = 0u; for (uint k = 0u; k < p.size; k++) { if "
        "(k % "
        "p.stride == 0u) continue; s += dst.data[k]; } switch (i % p.stride) { case 0u: s++; break; case "
        "1u: s "
        "*= 3u; default: s ^= 5u; } dst.data[i] = s; }",
        "comp", SpvExecutionModelGLCompute, (const uint32_t[]){100, 7}, 1000, &options);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 2 words");
    assert_int_equal(use_occurrences(&r, "OpLoopMerge"), 2);
    assert_int_equal(use_occurrences(&r, "OpSwitch"), 2);
    assert_int_equal(use_occurrences(&r, "OpUMod"), 4);
    assert_int_equal(use_occurrences(&r, "OpFunctionEnd"), 3);
    assert_true(use_occurrences(&r, "%uint_100") > 1);
    use_done(&r);
}

/* Of a signed word the test compares the bits. */
static void signed_words(void **state)
{
    (void)state;
    use_result r;
    compute(&r, "void main() { int i = int(gl_GlobalInvocationID.x); dst.data[i] = uint(i / p.sign); }",
            (const uint32_t[]){(uint32_t)-3}, 1000);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 1 words");
    assert_int_equal(use_occurrences(&r, "%uint_4294967293"), 2); /* declared, compared */
    use_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_a_version_for_each_set),
        cmocka_unit_test(takes_words_along),
        cmocka_unit_test(leaves_steps_of_loops),
        cmocka_unit_test(divides_by_a_table),
        cmocka_unit_test(divides_uniform_numbers),
        cmocka_unit_test(divides_by_no_table),
        cmocka_unit_test(parts_no_sampled_image),
        cmocka_unit_test(products_are_quotients),
        cmocka_unit_test(leaves_out_what_never_comes_back),
        cmocka_unit_test(makes_a_version),
        cmocka_unit_test(follows_components),
        cmocka_unit_test(makes_a_version_alone),
        cmocka_unit_test(tells_what_one_alone_would_save),
        cmocka_unit_test(shares_arrays),
        cmocka_unit_test(leaves_floats_to_run_time),
        cmocka_unit_test(decides_by_floats),
        cmocka_unit_test(decides_by_rounded_floats),
        cmocka_unit_test(follows_casts_and_module_variables),
        cmocka_unit_test(leaves_shared_module_variables),
        cmocka_unit_test(asks_no_idle_floats),
        cmocka_unit_test(hides_a_single_word),
        cmocka_unit_test(refuses_what_varies),
        cmocka_unit_test(refuses_what_gains_nothing),
        cmocka_unit_test(gains_little_of_much),
        cmocka_unit_test(asks_only_of_plain_blocks),
        cmocka_unit_test(fragment_stages_too),
        cmocka_unit_test(small_fragments_stay),
        cmocka_unit_test(copies_decorations),
        cmocka_unit_test(heeds_partial_descriptors),
        cmocka_unit_test(the_copy_is_as_it_was),
        cmocka_unit_test(signed_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
