/* Push constants by value: which loads become constants, with which bits; each rule that must leave one. */
#include "tests/unit/compiler/optimize/use.h"

#define HEAD                                                                                                 \
    "#version 450\n"                                                                                         \
    "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"                                         \
    "layout(local_size_x = 64) in;\n"                                                                        \
    "layout(std430, binding = 0) readonly buffer In { float data[]; } src;\n"                                \
    "layout(std430, binding = 1) buffer Out { float data[]; } dst;\n"                                        \
    "layout(std430, binding = 2) buffer Ints { uint data[]; } ints;\n"
#define MAIN "void main() { uint at = gl_GlobalInvocationID.x; float x = src.data[at];\n"

static bool keep_trips; /* of the runs that follow */
static uint64_t along;  /* likewise */
static const wpg_push_sets *sets;
static wpg_float_choice floats = WPG_FLOAT_FRAGMENTS;

static void run(use_result *r, const char *head, const char *body, const char *stage, SpvExecutionModel model,
                const uint32_t *words, const uint64_t known, const char *passes)
{
    use_shader s;
    wpg_push_value values[WPG_PUSH_FOLD_WORDS];
    wpg_optimize_options options;
    char *source = malloc(strlen(head) + strlen(body) + 1);
    assert_non_null(source);
    strcat(strcpy(source, head), body);
    use_glsl(&s, source, stage, model);
    free(source);
    wpg_optimize_defaults(&options);
    options.pushes = values;
    options.keep_trips = keep_trips;
    options.push_along = along;
    options.push_sets = sets;
    options.floats = floats;
    for (uint32_t i = 0; i < WPG_PUSH_FOLD_WORDS; i++)
        if (known >> i & 1)
            values[options.push_count++] = (wpg_push_value){i * 4, words[i]};
    (void)snprintf(options.passes, sizeof options.passes, "%s", passes);
    use_profile(&s);
    use_run(r, &s, &options, true);
    use_free(&s);
}

static void compute(use_result *r, const char *body, const uint32_t *words, uint64_t known)
{
    char source[4096];
    (void)snprintf(source, sizeof source, "%s", body);
    run(r, HEAD, source, "comp", SpvExecutionModelGLCompute, words, known, "uta");
}

static void folds_flags(void **state)
{
    (void)state;
    use_result r;
    const char *body = "layout(push_constant) uniform P { uint other; uint flags; } p;\n" MAIN
                       "if ((p.flags & 2u) != 0u) x = sin(x); dst.data[at] = x; }";
    compute(&r, body, (uint32_t[]){9, 1}, 3);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "(words 0x2), 1 blocks fall away");
    assert_int_equal(r.remarks->push_words, 2);
    assert_true(r.changed);
    use_done(&r);
    /* The flag set: nothing falls away but the test; sin feeds a store only. */
    compute(&r, body, (uint32_t[]){9, 2}, 3);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "0 blocks fall away");
    use_done(&r);
    /* Another word is known. */
    compute(&r, body, (uint32_t[]){9, 2}, 1);
    assert_int_equal(r.remarks->push_words, 0);
    assert_false(r.changed);
    use_expect(&r, WPG_REMARK_REFUSED, "push-fold", "not all of its words are known");
    use_done(&r);
    run(&r, HEAD, body, "comp", SpvExecutionModelGLCompute, (uint32_t[]){9, 2}, 3, "utap");
    assert_int_equal(r.remarks->push_words, 0);
    use_done(&r);
}

/* Words that decide nothing are not asked for. */
static void leaves_what_decides_nothing(void **state)
{
    (void)state;
    use_result r;
    compute(&r,
            "layout(push_constant) uniform P { uint add; } p;\n" MAIN
            "ints.data[at] = at + p.add; dst.data[at] = x; }",
            (uint32_t[]){9}, 1);
    assert_int_equal(r.remarks->push_words, 0);
    assert_false(r.changed);
    use_expect(&r, WPG_REMARK_REFUSED, "push-fold", "would be decided");
    use_done(&r);
}

/* Words of one value go along where another word decides something, if an operation gets their constant. */
static void folds_along(void **state)
{
    (void)state;
    use_result r;
    const char *body =
        "layout(push_constant) uniform P { uint flags; uint add; uint two; float scale; } p;\n" MAIN
        "if ((p.flags & 2u) != 0u) x = sin(x);\n"
        "ints.data[at] = at * p.add + p.two; dst.data[at] = x * p.scale + float(p.two); }";
    const uint32_t words[] = {1, 9, 5, 0x3f800000u};
    compute(&r, body, words, 15);
    assert_int_equal(r.remarks->push_words, 1);
    use_done(&r);
    along = 2;
    compute(&r, body, words, 15);
    assert_int_equal(r.remarks->push_words, 3);
    use_done(&r);
    /* Float work keeps its load, so the float is not asked for. */
    along = UINT64_MAX;
    compute(&r, body, words, 15);
    assert_int_equal(r.remarks->push_words, 7);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "4 loads of push constants are constants (words 0x7)");
    use_done(&r);
    /* Nothing decides anything: nothing goes along. */
    compute(&r, body, words, 14);
    assert_int_equal(r.remarks->push_words, 0);
    assert_false(r.changed);
    use_done(&r);
    along = 0;
}

/* With sets, words go along that follow from the words that decide; what they are overall does not matter. */
static void folds_what_follows(void **state)
{
    (void)state;
    use_result r;
    wpg_push_sets table = {0};
    const char *body =
        "layout(push_constant) uniform P { uint size, stride, offset, other; } p;\n" MAIN
        "ints.data[at] = at / p.size * p.stride + p.offset + (p.other & at); dst.data[at] = x; }";
    const uint32_t words[] = {4, 9, 7, 1};
    /* A stride belongs to each size, the offset is free, and `other` is 1 in 99 of 100. */
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t values[WPG_PUSH_SET_WORDS] = {3 + i % 3, 8 + i % 3, 6 + i % 2, 1};
        wpg_push_sets_count(&table, 15, values, 1000, 0);
    }
    wpg_push_sets_count(&table, 15, (const uint32_t[WPG_PUSH_SET_WORDS]){4, 9, 7, 2}, 30, 0);
    sets = &table;
    along = UINT64_MAX; /* is not asked for */
    compute(&r, body, words, 15);
    assert_int_equal(r.remarks->push_words, 11);
    use_done(&r);
    /* Not given: it stays. */
    compute(&r, body, words, 3);
    assert_int_equal(r.remarks->push_words, 3);
    use_done(&r);
    /* Values that no set has: nothing goes along. */
    const uint32_t mixed[] = {4, 8, 7, 1};
    compute(&r, body, mixed, 15);
    assert_int_equal(r.remarks->push_words, 1 | 8);
    use_done(&r);
    /* Nothing decides anything. */
    compute(&r, body, words, 14);
    assert_int_equal(r.remarks->push_words, 0);
    use_done(&r);
    sets = NULL;
    along = 0;
    wpg_push_sets_finish(&table);
}

/* Each value decides a branch of its own where its bytes are read as they lie in memory. */
static void reads_every_layout(void **state)
{
    (void)state;
    static const struct {
        const char *block, *condition;
        uint32_t words[24];
        uint64_t known, used;
    } cases[] = {
        {"uvec4 v;", "p.v.z == 7u", {0, 0, 7}, 15, 4},
        {"uint a[4];", "p.a[2] == 7u", {0, 0, 7}, 15, 4},
        {"layout(offset = 16) uint a; uint b;", "p.b == 7u", {0, 0, 0, 0, 0, 7}, 63, 32},
        {"layout(column_major) mat4x3 m;",
         "p.m[1][2] == 0.5",
         {0, 0, 0, 0, 0, 0, 0x3f000000},
         0xffff,
         1 << 6},
        {"layout(row_major) mat4x3 m;",
         "p.m[1][2] == 0.5",
         {0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3f000000},
         0xffff,
         1 << 9},
        {"layout(row_major) mat2 m[2];",
         "p.m[1][0].y == 0.5",
         {0, 0, 0, 0, 0, 0, 0x3f000000},
         0xffff,
         1 << 6},
        {"uint8_t a; uint8_t b; int8_t c;", "p.c == int8_t(-2)", {0xfe0102}, 1, 1},
        {"uint16_t a; int16_t b;", "p.b == int16_t(-2)", {0xfffe0000u}, 1, 1},
        {"uint a; uint64_t b;", "p.b == 0x700000005ul", {0, 0, 5, 7}, 15, 12},
        {"int a;", "p.a < -5", {(uint32_t)-6}, 1, 1},
        {"float f;", "p.f < -0.25", {0xbf000000u}, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[1024];
        use_result r;
        (void)snprintf(
            body, sizeof body,
            "layout(push_constant) uniform P { %s } p;\n" MAIN
            "if (%s) ints.data[at] = 11u; else { if (x > 0.0) ints.data[at] = 12u; ints.data[0] = 1u; } }",
            cases[i].block, cases[i].condition);
        compute(&r, body, cases[i].words, cases[i].known);
        use_expect(&r, WPG_REMARK_DONE, "push-fold", "3 blocks fall away");
        assert_int_equal(r.remarks->push_words, cases[i].used);
        use_done(&r);
        /* With another value the other side falls away, so that both values were really told apart. */
        uint32_t other[24] = {0};
        if (strcmp(cases[i].condition, "p.f < -0.25") == 0)
            other[0] = 0x80000000u;
        compute(&r, body, other, cases[i].known);
        use_expect(&r, WPG_REMARK_DONE, "push-fold", "1 blocks fall away");
        use_done(&r);
    }
}

/* Which side stays is seen by solving the result once more: its text names the constant that decides. */
static void the_right_side_stays(void **state)
{
    (void)state;
    use_result r;
    for (uint32_t flag = 0; flag < 2; flag++) {
        compute(&r,
                "layout(push_constant) uniform P { uint a; uint b; } p;\n" MAIN
                "if (p.b == 0x1234u) ints.data[at] = 11u; }",
                (uint32_t[]){0, flag ? 0x1234 : 0x4321}, 3);
        use_expect(&r, WPG_REMARK_DONE, "push-fold", flag ? "0 blocks fall away" : "1 blocks fall away");
        assert_int_equal(use_occurrences(&r, flag ? " %uint_4660 %uint_4660" : "%uint_17185 %uint_4660"), 1);
        use_done(&r);
    }
}

static void whole_structs(void **state)
{
    (void)state;
    use_result r;
    const char *body = "struct S { uint a; float f; uvec2 v; };\n"
                       "layout(push_constant) uniform P { uint pad; layout(offset = 16) S s; } p;\n" MAIN
                       "S s = p.s; if (s.v.y == 3u) dst.data[at] = x; }";
    compute(&r, body, (uint32_t[]){0, 0, 0, 0, 1, 2, 4, 3}, 0xff);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "0 blocks fall away");
    use_done(&r);
}

static void stays(const char *body, const uint32_t *words, uint64_t known, const char *why)
{
    use_result r;
    compute(&r, body, words, known);
    use_expect(&r, WPG_REMARK_REFUSED, "push-fold", why);
    assert_int_equal(r.remarks->push_words, 0);
    use_done(&r);
}

static void refuses_dynamic_indices(void **state)
{
    (void)state;
    stays("layout(push_constant) uniform P { uint a[4]; } p;\n" MAIN
          "if (p.a[at & 3u] == 1u) dst.data[at] = x; }",
          (uint32_t[]){1, 1, 1, 1}, 15, "an index is not constant");
}

/* 8-bit storage alone gives no 8-bit constants. */
static void refuses_types_without_constants(void **state)
{
    (void)state;
    stays("layout(push_constant) uniform P { uint8_t a; } p;\n" MAIN "if (int(p.a) == 2) dst.data[at] = x; }",
          (uint32_t[]){2}, 1, "its type has no constants");
}

/* The exposed word stays, and with it what it would decide; a flag beside it is folded all the same. */
static void leaves_floats_to_run_time(void **state)
{
    (void)state;
    static const char *const uses[] = {
        "x * p.f",          "sin(p.f)",         "x + 12.0 / float(p.n)",
        "x + float(p.n)",   "mix(x, p.f, 0.5)", "ldexp(x, int(p.n))",
        "fma(x, p.f, 1.0)", "(p.f + 1.0) * x",  "vec2(p.f, x).yx.y * 2.0 + uintBitsToFloat(p.n) * 3.0",
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        char body[1024];
        use_result r;
        (void)snprintf(body, sizeof body,
                       "layout(push_constant) uniform P { uint flag; uint n; float f; } p;\n" MAIN
                       "float y = %s; if (p.flag == 5u) ints.data[at] = 1u; if (p.n == 7u) ints.data[0] = 2u;"
                       " dst.data[at] = y; }",
                       uses[i]);
        compute(&r, body, (uint32_t[]){5, 7, 0x3f000000}, 7);
        use_expect(&r, WPG_REMARK_DONE, "push-fold", "");
        /* Where n has a float use, that use of it stays; the branches have constants. */
        assert_int_equal(r.remarks->push_words, 3);
        assert_int_equal(use_occurrences(&r, "OpBranchConditional %true"), 2);
        assert_int_equal(use_occurrences(&r, "OpConvertUToF %float %uint_7"), 0);
        assert_int_equal(use_occurrences(&r, "OpBitcast %float %uint_7"), 0);
        assert_int_equal(use_occurrences(&r, "OpBitcast %int %uint_7"), 0);
        use_done(&r);
    }
}

static void refuses_what_is_no_number(void **state)
{
    (void)state;
    const char *body =
        "layout(push_constant) uniform P { float f; } p;\n" MAIN "if (p.f > 0.0) dst.data[at] = x; }";
    stays(body, (uint32_t[]){0x7fc12345}, 1, "no branch, loop bound"); /* NaN */
    stays(body, (uint32_t[]){0x00000123}, 1, "no branch, loop bound"); /* denormal */
    use_result r;
    compute(&r, body, (uint32_t[]){0x7f800000}, 1); /* infinity is a number to compare with */
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "");
    use_done(&r);
}

/* Copied, never computed: the payload is in the constant as it was pushed. */
static void keeps_payloads(void **state)
{
    (void)state;
    use_result r;
    compute(
        &r,
        "layout(push_constant) uniform P { uint flag; float f; } p;\n" MAIN
        "if (p.flag == 5u) ints.data[floatBitsToUint(p.f) & 1u] = floatBitsToUint(p.f); dst.data[at] = x; }",
        (uint32_t[]){5, 0xffc12345u}, 3);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x3");
    assert_true(use_occurrences(&r, "OpConstant %float -0x1.824") >= 1);
    use_done(&r);
}

static void refuses_own_variables(void **state)
{
    (void)state;
    stays("layout(push_constant) uniform P { uint n; } p;\n" MAIN
          "float t[4] = float[](x, 0.5, x + 1.0, 2.0); t[at & 3u] = 3.0; dst.data[at] = t[p.n] * x; }",
          (uint32_t[]){1}, 1, "no branch, loop bound");
}

/* An array that is written in the side that falls away: if it is read after, a driver could know what is in
 * it. */
static void asks_who_reads_what_falls_away(void **state)
{
    (void)state;
    use_result r;
    stays("layout(push_constant) uniform P { uint flag; } p;\n" MAIN
          "float t[4] = float[](0.25, 0.5, 0.75, 1.0); if (p.flag == 1u) t[at & 3u] = x;"
          " dst.data[at] = t[(at >> 2) & 3u] * x; }",
          (uint32_t[]){2}, 1, "a store to a variable of the shader's own falls away");
    compute(&r,
            "layout(push_constant) uniform P { uint flag; } p;\n" MAIN
            "if (p.flag == 1u) { float t[4]; t[at & 3u] = x; ints.data[at] = uint(t[(at >> 2) & 3u]); }"
            " dst.data[at] = x; }",
            (uint32_t[]){2}, 1);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x1");
    use_done(&r);
}

/* A bound of a loop: unrolling integers is fine, unrolling a sine of the counter is not. */
/* What decides the end of a loop of float work, where no trips can be counted or the phis cannot keep them
 * apart: by a branch in it, through what varies, with an implicit derivative's operand or not. */
static void leaves_the_ends_of_loops(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "bool flag = p.n == 1u; for (uint i = 0u; i < 16u; ++i) { if (flag && x > 3.0) break; x = x * 0.5 + "
        "sin(x); }",
        "for (uint i = 0u; i < 400u;) { x = x * 0.5 + sin(x); if (p.n == 1u) i += 100u; else i += "
        "ints.data[at]; }",
        "for (uint i = at; i < p.n; ++i) x = x * 0.5 + sin(x);",
        "for (uint i = 0u; i < p.n; ++i) { if (i == 0u || x > 3.0) x *= 0.5; x = x * 0.5 + sin(x); }",
        "for (uint i = 0u; i < p.n; ++i) { if (i * at == 0u) x *= 0.5; x = x * 0.5 + sin(x); }",
        "for (uint i = 0u; i < p.n; ++i) { if (at % (i + 1u) == 0u) x *= 0.5; x = x * 0.5 + sin(x); }",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "layout(push_constant) uniform P { uint n; } p;\n" MAIN "%s dst.data[at] = x; }", bodies[i]);
        stays(body, (uint32_t[]){1}, 1, "no branch, loop bound");
    }
}

/* Trips that can be counted now: barriers keep them apart. Branches of the body ask what varies: an id kept
 * in memory, times a step that is not 0; a short-circuit. */
static void frees_the_ends_of_loops(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        ("here = at; uint first = here * p.n; for (uint i = 0u; i < p.n; ++i)"
         " { if (first + i < 2u || first + i > ints.data[i]) continue; x = x * 0.5 + sin(x); }"),
        "bool flag = p.n == 1u; for (uint i = 0u; i < 16u; ++i) { x = x * 0.5 + sin(x); if (flag) break; }",
        "for (uint i = 8u; i > p.n; --i) x = x * 0.5 + sin(x);",
        "for (uint i = 0u; i < p.n; ++i) x = x * 0.5 + sin(x);",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char body[512];
        use_result r;
        snprintf(body, sizeof body,
                 "layout(push_constant) uniform P { uint n; } p; uint here;\n" MAIN "%s dst.data[at] = x; }",
                 bodies[i]);
        compute(&r, body, (uint32_t[]){1}, 1);
        use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x1");
        assert_in_range(use_occurrences(&r, "OpBitwiseOr"), 1, 2);
        use_done(&r);
    }
}

/* A driver unrolls the loop anyway, and its trips share no floats: branches in it are decided. Where a float
 * goes from trip to trip, through a phi or memory, they stay. */
static void frees_trips_that_share_nothing(void **state)
{
    (void)state;
    static const char head[] = "layout(push_constant) uniform P { uint n; } p;\n";
    char body[512];
    use_result r;
    snprintf(body, sizeof body,
             "%s" MAIN "for (uint i = 0u; i < 2u; ++i) { uint k = at + i * 8u; if (k >= 99u) continue;"
             " if (p.n == 1u) dst.data[k] = src.data[k] * 2.0; else dst.data[k] = src.data[k] + 3.0; } }",
             head);
    compute(&r, body, (uint32_t[]){1}, 1);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x1");
    assert_int_equal(use_occurrences(&r, "OpBitwiseOr"), 0);
    use_done(&r);
    static const char *const sharing[] = {
        "for (uint i = 0u; i < 2u; ++i) { if (p.n == 1u) x = x * 2.0 + 1.0; else x += 3.0; } dst.data[at] = "
        "x; }",
        "for (uint i = 0u; i < 2u; ++i) { if (p.n == 1u) dst.data[at] = dst.data[at] * 2.0 + x;"
        " else dst.data[at] += 3.0; } }",
    };
    for (size_t i = 0; i < sizeof sharing / sizeof *sharing; i++) {
        snprintf(body, sizeof body, "%s" MAIN "%s", head, sharing[i]);
        stays(body, (uint32_t[]){1}, 1, "no branch, loop bound");
    }
}

static void asks_what_loops_fold(void **state)
{
    (void)state;
    use_result r;
    compute(&r,
            "layout(push_constant) uniform P { uint n; } p;\n" MAIN
            "uint sum = at; for (uint i = 0u; i < p.n; ++i) sum = sum * 31u + ints.data[i];"
            " ints.data[at] = sum; dst.data[at] = x; }",
            (uint32_t[]){4}, 1);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x1");
    use_done(&r);
    stays("layout(push_constant) uniform P { uint n; } p;\n" MAIN
          "for (uint i = 0u; i < p.n; ++i) x += sin(float(i)); dst.data[at] = x; }",
          (uint32_t[]){4}, 1, "no branch, loop bound"); /* its trips are not to be counted */
}

/* Where a driver unrolls too much: loops of integers keep their trips, too. A divisor beside them folds. */
static void keeps_every_loop(void **state)
{
    (void)state;
    static const char loop[] =
        "layout(push_constant) uniform P { uint n, m; } p;\n" MAIN
        "uint sum = at; for (uint i = 0u; i < p.n; ++i) sum = sum * 31u + ints.data[i];"
        " ints.data[at] = sum / p.m; dst.data[at] = x; }";
    use_result r;
    keep_trips = true;
    compute(&r, loop, (uint32_t[]){4, 7}, 3);
    keep_trips = false;
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x2");
    use_done(&r);
    compute(&r, loop, (uint32_t[]){4, 7}, 3);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x3");
    use_done(&r);
}

/* The arm that always runs brings a product to a sum, or a sum: a barrier stands between, as the phi did. */
static void keeps_products_apart(void **state)
{
    (void)state;
    use_result r;
    const char *body =
        "layout(push_constant) uniform P { uint flag; } p;\n" MAIN
        "float y = x + 1.0; if (p.flag == 1u) y = y * src.data[at + 7u]; dst.data[at] = y + x; }";
    for (uint32_t flag = 1; flag < 3; flag++) {
        compute(&r, body, &flag, 1);
        use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x1");
        assert_int_equal(use_occurrences(&r, "NoContraction"), 0);
        assert_int_equal(use_occurrences(&r, "OpBitwiseOr"), 1);
        use_done(&r);
    }
}

/* An array that loses a store: what is left to be stored gets barriers, two here. */
static void hides_what_is_stored(void **state)
{
    (void)state;
    use_result r;
    const char *body =
        "layout(push_constant) uniform P { uint flag; } p;\n" MAIN
        "float t[4]; t[at & 3u] = x * 2.0; t[at >> 1 & 3u] = 0.5; if (p.flag == 1u) t[at >> 2 & 3u] = "
        "x; dst.data[at] = t[at >> 3 & 3u] * x; }";
    compute(&r, body, (uint32_t[]){2}, 1);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "1 blocks fall away");
    assert_int_equal(use_occurrences(&r, "OpBitwiseOr"), 2);
    use_done(&r);
    compute(&r, body, (uint32_t[]){1}, 1); /* the store stays: so do all */
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "0 blocks fall away");
    assert_int_equal(use_occurrences(&r, "OpBitwiseOr"), 0);
    use_done(&r);
}

/* A constant that a decided phi leaves, in arithmetic. */
/* The branch is decided; the zero it leaves is computed with, so a barrier hides it. */
static void hides_constants_left_by_phis(void **state)
{
    (void)state;
    use_result r;
    compute(&r,
            "layout(push_constant) uniform P { uint flag; } p;\n" MAIN
            "float w = 0.0; if (p.flag == 1u) w = src.data[at + 7u]; dst.data[at] = w * x; }",
            (uint32_t[]){2}, 1);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "1 blocks fall away");
    assert_int_equal(use_occurrences(&r, "OpBitwiseOr"), 1);
    assert_int_equal(use_occurrences(&r, "OpBranchConditional %true") +
                         use_occurrences(&r, "OpBranchConditional %false"),
                     1);
    use_done(&r);
}

static void refuses_exact_outputs(void **state)
{
    (void)state;
    use_result r;
    run(&r, "#version 450\nlayout(location = 0) in vec4 at;\nlayout(location = 0) out vec4 color;\n",
        "layout(push_constant) uniform P { uint flag; uint tint; } p;\n"
        "void main() { vec4 v = at; if (p.flag == 1u) v = at.yxzw; gl_Position = v; }",
        "vert", SpvExecutionModelVertex, (uint32_t[]){1, 1}, 3, "uta");
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x1");
    assert_int_equal(use_occurrences(&r, "OpBitwiseOr"), 1);
    use_done(&r);
    /* What the next stage gets is not made constant. */
    run(&r, "#version 450\nlayout(location = 0) out float tint;\n",
        "layout(push_constant) uniform P { float tint; uint flag; } p;\n"
        "void main() { gl_Position = vec4(1.0); tint = p.tint; }",
        "vert", SpvExecutionModelVertex, (uint32_t[]){0x3f000000, 1}, 3, "uta");
    use_expect(&r, WPG_REMARK_REFUSED, "push-fold", "no branch, loop bound");
    use_done(&r);
}

/* A float that becomes an integer, and decides as such. */
static void folds_converted_floats(void **state)
{
    (void)state;
    use_result r;
    compute(&r,
            "layout(push_constant) uniform P { float kind; } p;\n" MAIN
            "int k = int(floor(p.kind + 0.5)); if (k == 1) x = sin(x); else if (k == 2) x = cos(x);"
            " dst.data[at] = x; }",
            (uint32_t[]){0x40000000}, 1);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "1 blocks fall away");
    use_done(&r);
}

/* Where a variant is made anyway, what a word weighs by 0 falls away, too. */
static void folds_weights(void **state)
{
    (void)state;
    static const char head[] =
        "#version 450\nlayout(location = 0) in vec4 at; layout(location = 0) out vec4 color;\n"
        "layout(binding = 0) uniform sampler2D image;\n";
    static const char body[] = "layout(push_constant) uniform P { uint kind; float coat; } p;\n"
                               "void main() { vec4 x = at; if (p.kind == 1u) x = sin(x);"
                               " color = x + texture(image, at.xy) * p.coat; }";
    for (uint32_t half = 0; half < 2; half++) {
        use_result r;
        run(&r, head, body, "frag", SpvExecutionModelFragment, (uint32_t[]){0, half ? 0x3f000000 : 0}, 3,
            "uta");
        use_expect(&r, WPG_REMARK_DONE, "push-fold", half ? " 0 operations had" : " 1 operations had");
        assert_int_equal(r.remarks->push_words, half ? 1 : 3);
        use_done(&r);
    }
}

/* An exponent decides nothing. Where known floats become constants, it saves work all the same. */
static void folds_what_saves_work(void **state)
{
    (void)state;
    static const char pow[] = "layout(push_constant) uniform P { float gamma; } p;\n" MAIN
                              "dst.data[at] = pow(x, 1.0 / p.gamma); }";
    static const char sum[] = "layout(push_constant) uniform P { float shift; } p;\n" MAIN
                              "vec4 y = vec4(x, x + 1.0, x + 2.0, x + 3.0); y = pow(abs(sin(y)), cos(y));"
                              " dst.data[at] = dot(y, vec4(1.0)) + p.shift; }";
    static const struct {
        const char *body;
        bool spec, done;
    } cases[] = {{pow, false, false}, {pow, true, true}, {sum, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use_result r;
        floats = cases[i].spec ? WPG_FLOAT_SPEC : WPG_FLOAT_FRAGMENTS;
        compute(&r, cases[i].body, (uint32_t[]){0x3f800000}, 1);
        floats = WPG_FLOAT_FRAGMENTS;
        assert_int_equal(use_said(&r, WPG_REMARK_DONE, "push-fold", ""), cases[i].done);
        assert_int_equal(r.remarks->push_words, cases[i].done);
        if (cases[i].spec && !cases[i].done)
            use_expect(&r, WPG_REMARK_REFUSED, "push-fold", "next to nothing would be saved");
        use_done(&r);
    }
}

static void folds_switches(void **state)
{
    (void)state;
    use_result r;
    compute(&r,
            "layout(push_constant) uniform P { uint kind; } p;\n" MAIN
            "switch (p.kind) { case 1u: ints.data[at] = 1u; break; case 2u: ints.data[at] = 2u; break;"
            " default: ints.data[at] = 3u; } dst.data[at] = x; }",
            (uint32_t[]){2}, 1);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "2 blocks fall away");
    use_done(&r);
}

/* Divisors alone are worth it; a remainder by one is a constant, in a vector too. */
static void folds_divisors(void **state)
{
    (void)state;
    use_result r;
    compute(&r,
            "layout(push_constant) uniform P { uint w; uint h; uint n; } p;\n" MAIN
            "ints.data[at] = at / p.w % p.h + p.n; dst.data[at] = x; }",
            (uint32_t[]){24, 12, 3}, 7);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "(words 0x3), 0 blocks fall away");
    assert_int_equal(r.remarks->push_words, 3);
    use_done(&r);
    const char *scalar =
        "layout(push_constant) uniform P { uint w; } p;\n" MAIN "dst.data[at] = x * float(at % p.w); }";
    compute(&r, scalar, (uint32_t[]){3}, 1);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x1");
    use_done(&r);
    /* x % 1 is 0: the float gets it behind a barrier. */
    compute(&r, scalar, (uint32_t[]){1}, 1);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x1");
    assert_int_equal(use_occurrences(&r, "OpBitwiseOr"), 1);
    use_done(&r);
    /* Addresses get the number itself. */
    compute(&r,
            "layout(push_constant) uniform P { uint w; } p;\n" MAIN
            "uint c = at % p.w; dst.data[at + c] = x * float(c); }",
            (uint32_t[]){1}, 1);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x1");
    assert_int_equal(use_occurrences(&r, "OpBitwiseOr"), 1);
    assert_int_equal(use_occurrences(&r, "OpConvertUToF %float %uint_0"), 0);
    use_done(&r);
    const char *vector = "layout(push_constant) uniform P { uvec2 size; } p;\n" MAIN
                         "uvec2 v = uvec2(at, at + 1u) % p.size; dst.data[at] = x * float(v.x + v.y); }";
    compute(&r, vector, (uint32_t[]){3, 5}, 3);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "words 0x3");
    use_done(&r);
    stays(vector, (uint32_t[]){1, 5}, 3, "no branch, loop bound"); /* a part would be decided */
    compute(&r,
            "layout(push_constant) uniform P { uvec2 scale; } p;\n" MAIN
            "uvec2 v = uvec2(at, x) * p.scale; if (p.scale.y == 3u) dst.data[at] = x * float(v.x + v.y); }",
            (uint32_t[]){0, 3}, 3);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "1 loads");
    assert_int_equal(r.remarks->push_words, 2);
    use_done(&r);
}

/* Offsets in an array of the shader's own, as llama.cpp's concat has them: what is read there goes into
 * addresses alone. */
static void folds_index_memory(void **state)
{
    (void)state;
    use_result r;
    const char *head = "layout(push_constant) uniform P { uint dim; uint n; } p;\n" MAIN
                       "uint o[4] = uint[](0u, 0u, 0u, 0u);"
                       "o[p.dim] = p.n; uint i = at / p.n;";
    char body[1024];
    (void)snprintf(body, sizeof body, "%s%s", head,
                   "dst.data[at] = src.data[(i - o[at & 3u]) * p.n + at]; }");
    compute(&r, body, (uint32_t[]){2, 12}, 3);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "(words 0x3)");
    assert_int_equal(r.remarks->push_words, 3);
    use_done(&r);
    /* A float, a branch and a comparison see what is read: the index stays. */
    static const char *const seen[] = {
        "dst.data[at] = x * float(o[at & 3u]); }",
        "if (o[at & 3u] > 3u) dst.data[at] = x; }",
        "dst.data[at] = o[at & 3u] == i ? x : 0.0; }",
        "dst.data[at] = src.data[min(o[at & 3u], floatBitsToUint(x * uintBitsToFloat(o[1])))]; }",
    };
    for (size_t k = 0; k < sizeof seen / sizeof *seen; k++) {
        (void)snprintf(body, sizeof body, "%s%s", head, seen[k]);
        compute(&r, body, (uint32_t[]){2, 12}, 3);
        assert_int_equal(r.remarks->push_words & 1, 0);
        use_done(&r);
    }
}

/* A switch of one way stands around all there is: spirv-opt makes that of a return in the middle. */
static void finds_a_zero_behind_the_entry(void **state)
{
    (void)state;
    use_result r;
    compute(&r,
            "layout(push_constant) uniform P { uint n; uint flag; } p;\n"
            "void main() { switch (0) { default: uint at = gl_GlobalInvocationID.x; if (at >= p.n) break;"
            " float x = src.data[at], y = x + 1.0; if (p.flag == 1u) y = y * src.data[at + 7u];"
            " dst.data[at] = y + x; } }",
            (uint32_t[]){64, 1}, 3);
    use_expect(&r, WPG_REMARK_DONE, "push-fold", "(words 0x2)");
    assert_int_equal(use_occurrences(&r, "OpBitwiseOr"), 1);
    use_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hides_what_is_stored),
        cmocka_unit_test(folds_index_memory),
        cmocka_unit_test(finds_a_zero_behind_the_entry),
        cmocka_unit_test(folds_flags),
        cmocka_unit_test(leaves_what_decides_nothing),
        cmocka_unit_test(folds_along),
        cmocka_unit_test(folds_what_follows),
        cmocka_unit_test(reads_every_layout),
        cmocka_unit_test(the_right_side_stays),
        cmocka_unit_test(whole_structs),
        cmocka_unit_test(refuses_dynamic_indices),
        cmocka_unit_test(refuses_types_without_constants),
        cmocka_unit_test(leaves_floats_to_run_time),
        cmocka_unit_test(refuses_what_is_no_number),
        cmocka_unit_test(keeps_payloads),
        cmocka_unit_test(refuses_own_variables),
        cmocka_unit_test(asks_who_reads_what_falls_away),
        cmocka_unit_test(leaves_the_ends_of_loops),
        cmocka_unit_test(frees_the_ends_of_loops),
        cmocka_unit_test(frees_trips_that_share_nothing),
        cmocka_unit_test(asks_what_loops_fold),
        cmocka_unit_test(keeps_every_loop),
        cmocka_unit_test(keeps_products_apart),
        cmocka_unit_test(hides_constants_left_by_phis),
        cmocka_unit_test(refuses_exact_outputs),
        cmocka_unit_test(folds_converted_floats),
        cmocka_unit_test(folds_weights),
        cmocka_unit_test(folds_what_saves_work),
        cmocka_unit_test(folds_switches),
        cmocka_unit_test(folds_divisors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
