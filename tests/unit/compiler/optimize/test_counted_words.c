/* Versions for words that a loop's counter chooses among, or that its one trip reads: what is put in place
 * of the reads, and where none is. On a driver: random loops with equal bits, for the values that were
 * counted and for others. */
#define WORDS_IN_BLOCK 16
#include "tests/unit/compiler/optimize/words_driver.h"

#define HEAD                                                                                                 \
    "layout(local_size_x = 64) in;\n"                                                                        \
    "layout(std430, binding = 0) buffer Out { uint data[]; } dst;\n"                                         \
    "layout(std140, binding = 1) uniform P { uvec4 shape[4]; } p;\n"                                         \
    "void main() { uint x = gl_GlobalInvocationID.x;\n"
#define TAIL " dst.data[gl_GlobalInvocationID.x] = x; }"

static const uint32_t held[WORDS_MOST] = {7, 11, 13, 17, 19, 23}; /* in the order of sites */

static void compute(use_result *r, const char *body, uint64_t waves, const wpg_optimize_options *options)
{
    words_run(r, HEAD, body, "comp", SpvExecutionModelGLCompute, held, waves, options);
}

/* Two divisors: two comparisons with the index, and two choices that end in the load itself. */
static void chooses_divisors(void **state)
{
    (void)state;
    use_result r;
    compute(&r, "for (int i = 0; i < 2; i++) x = x / p.shape[i].y + x % p.shape[i].y;" TAIL, 1000, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 2 words of uniform blocks (shape[0].y, shape[1].y): ");
    assert_int_equal(use_occurrences(&r, "OpFunctionCall"), 2);
    assert_int_equal(use_occurrences(&r, "OpBitwiseXor"), 2);
    assert_true(use_occurrences(&r, "OpSelect %uint") >= 2);
    assert_true(use_occurrences(&r, " %uint_7") > 2 && use_occurrences(&r, " %uint_11") > 2);
    assert_int_equal(use_occurrences(&r, "OpUDiv"), 2);
    use_done(&r);
}

/* By an index and a component: their number together. */
static void chooses_components(void **state)
{
    (void)state;
    use_result r;
    compute(&r, "for (uint i = 6u; i < 10u; i++) x = x / p.shape[i >> 2][i & 3u] + i;" TAIL, 1000, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 4 words of uniform blocks (");
    for (uint32_t i = 0; i < 4; i++) {
        char choice[64];
        snprintf(choice, sizeof choice, " %%uint_%u %%", (unsigned)held[i]); /* and else another value */
        assert_int_equal(use_occurrences(&r, choice), 1);
        snprintf(choice, sizeof choice, " %%uint_%u\n", 6 + i); /* compared with its number */
        assert_true(use_occurrences(&r, choice) >= 1);
    }
    use_done(&r);
}

/* A second way out that is never taken, as a short circuit. */
static void looks_through_short_circuits(void **state)
{
    (void)state;
    use_result r;
    words_run(&r,
              "layout(local_size_x = 64) in;\n"
              "layout(std430, binding = 0) buffer Out { uint data[]; } dst;\n"
              "layout(std140, binding = 1) uniform P { uvec4 shape[4]; } p;\n"
              "bool done = false; bool is_done() { return done; }\n",
              "void main() { uint x = gl_GlobalInvocationID.x;\n"
              "for (int i = 0; i < 2 && !is_done(); i++) x = x / p.shape[i].y + x % p.shape[i].y;" TAIL,
              "comp", SpvExecutionModelGLCompute, held, 1000, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 2 words of uniform blocks (shape[0].y, shape[1].y): ");
    use_done(&r);
}

/* A word that is read by a constant index, too, is tested once. */
static void shares_words(void **state)
{
    (void)state;
    use_result r;
    compute(&r, "x /= p.shape[1].x; for (int i = 0; i < 3; i++) x = x / p.shape[i].x + 3u;" TAIL, 1000, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 3 words of uniform blocks (");
    assert_int_equal(use_occurrences(&r, "OpBitwiseXor"), 3);
    use_done(&r);
}

static void leaves(const char *body, uint64_t waves)
{
    use_result r;
    compute(&r, body, waves, NULL);
    if (use_occurrences(&r, "OpFunctionCall") || use_occurrences(&r, "OpSelect "))
        fail_msg("%s: changed", body);
    use_done(&r);
}

static void leaves_others(void **state)
{
    (void)state;
    leaves("for (int i = 0; i < 2; i++) x += p.shape[i].y;" TAIL, 1000);        /* decides nothing */
    leaves("for (int i = 0; i < 2; i++) x /= p.shape[x & 3u].y;" TAIL, 1000);   /* no counter */
    leaves("for (int i = 0; i < 2; i++) x = x / p.shape[i].y + 1u;" TAIL, 300); /* many values */
    /* Another way out: no driver unrolls it. */
    leaves("bool done = false; for (int i = 0; i < 2 && !done; i++) { x = x / p.shape[i].y + 1u; done = x == "
           "5u; "
           "}" TAIL,
           1000);
    leaves("for (uint i = 0u; i < x; i++) x = x / p.shape[i & 1u].y;" TAIL, 1000);
}

/* Floats that are made of them keep the load: which float it is, a driver may not know. */
static void leaves_floats(void **state)
{
    (void)state;
    use_result r;
    compute(
        &r,
        "for (int i = 0; i < 2; i++) x = x / p.shape[i].y + floatBitsToUint(sin(float(p.shape[i].y)));" TAIL,
        1000, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 2 words of uniform blocks (");
    assert_true(use_occurrences(&r, "OpSelect %uint") >= 2);
    assert_int_equal(use_occurrences(&r, "OpConvertUToF"), 2);
    for (const char *at = strstr(r.text, "OpConvertUToF"); at; at = strstr(at + 1, "OpConvertUToF")) {
        char made[32];
        const char *type = strchr(at, '%'), *id = type ? strchr(type + 1, '%') : NULL;
        assert_non_null(id);
        snprintf(made, sizeof made, "%.*s = OpLoad", (int)strcspn(id, " \n"), id);
        assert_non_null(strstr(r.text, made));
    }
    use_done(&r);
}

/* -- Loops of one trip -- */

/* The bound is the first site, and the word that the first trip reads the second. */
static void one_trip(const char *loop, uint32_t bound, bool folds)
{
    const uint32_t values[WORDS_MOST] = {bound, 7};
    char body[512];
    use_result r;
    snprintf(body, sizeof body, "%s { x = x / p.shape[i].y + x %% p.shape[i].y; }" TAIL, loop);
    words_run(&r, HEAD, body, "comp", SpvExecutionModelGLCompute, values, 1000, NULL);
    const bool done = use_said(&r, WPG_REMARK_DONE, "versions", "for 2 words of uniform blocks (") &&
                      use_occurrences(&r, "OpUDiv %uint") == 2 && strstr(r.text, "%uint_7\n");
    if (done != folds)
        fail_msg("%s, bound %u: %s", loop, (unsigned)bound, done ? "folded" : "not folded");
    assert_int_equal(use_occurrences(&r, "OpSelect %uint"), 0);
    use_done(&r);
}

static void folds_one_trip(void **state)
{
    (void)state;
    one_trip("for (uint i = 0u; i <= p.shape[3].w; i++)", 0, true);
    one_trip("for (uint i = 0u; i < p.shape[3].w; i++)", 1, true);
    one_trip("for (int i = 0; i < int(p.shape[3].w); i++)", 1, true);
    one_trip("for (uint i = 0u; i <= bitfieldExtract(p.shape[3].w, 10, 4); i++)", 17, true);
    one_trip("for (uint i = 2u; i > p.shape[3].w; i--)", 1, true);
    one_trip("for (uint i = 0u; i < p.shape[3].w; i += 3u)", 2, true);
    one_trip("for (uint i = 0u; p.shape[3].w > i; i++)", 1, true);
    one_trip("for (uint i = 0u; !(i >= p.shape[3].w); i++)", 1, true);
    one_trip("for (uint i = 0u; i < p.shape[3].w; i++) if (x != 3u)", 1, true);
}

/* A branch on a number that the counter makes chooses the divisor. */
static void decides_by_counter(void **state)
{
    (void)state;
    static const struct {
        const char *loop;
        uint32_t bound;
        bool decides;
    } cases[] = {
        {"for (uint i = 0u; i <= p.shape[3].w; i++) { uint w = p.shape[i].y; if ((i & 1u) == 1u) w >>= 12;",
         0, true},
        {"for (uint i = 2u; i > p.shape[3].w; i--) { uint w = p.shape[i].y; if (i / 2u != 1u) w += x;", 1,
         true},
        {"for (uint i = 0u; i <= p.shape[3].w; i++) { uint w = p.shape[i].y; if ((i & 1u) == 1u) w >>= 12;",
         1, false},
        /* It may be the next trip's number. */
        {"for (uint i = 0u; i <= p.shape[3].w; i++) { uint w = p.shape[i].y; if (i + 1u == 2u) w >>= 12;", 0,
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t values[WORDS_MOST] = {cases[i].bound, 7};
        char body[512];
        use_result r;
        snprintf(body, sizeof body, "%s x = x / w + 1u; }" TAIL, cases[i].loop);
        words_run(&r, HEAD, body, "comp", SpvExecutionModelGLCompute, values, 1000, NULL);
        bool decided = false;
        for (const char *at = strstr(r.text, "OpUDiv"); at; at = strstr(at + 1, "OpUDiv"))
            decided |= strncmp(at + strcspn(at, "\n") - 7, "%uint_7", 7) == 0;
        if (decided != cases[i].decides)
            fail_msg("%s, bound %u: the divisor is %s", cases[i].loop, (unsigned)cases[i].bound,
                     decided ? "known" : "not known");
        use_done(&r);
    }
}

/* A word that is known already, by an index of known words. */
static void follows_indices(void **state)
{
    (void)state;
    static const uint32_t values[WORDS_MOST] = {7, 5};
    for (uint32_t at = 0; at < 2; at++) { /* for shape[2].y there is no site */
        char body[256];
        use_result r;
        snprintf(body, sizeof body, "x = x / p.shape[1].y + x / p.shape[(p.shape[3].w + %uu) & 3u].y;" TAIL,
                 (unsigned)at);
        words_run(&r, HEAD, body, "comp", SpvExecutionModelGLCompute, values, 1000, NULL);
        use_expect(&r, WPG_REMARK_DONE, "versions", "for 2 words");
        unsigned known = 0;
        for (const char *div = strstr(r.text, "OpUDiv"); div; div = strstr(div + 1, "OpUDiv"))
            known += strncmp(div + strcspn(div, "\n") - 7, "%uint_7", 7) == 0;
        assert_int_equal(known, 2 - at);
        use_done(&r);
    }
}

/* A member of a struct, beside one that varies, goes through a copy of the struct. */
static void looks_into_structs(void **state)
{
    (void)state;
    static const uint32_t seven[WORDS_MOST] = {7};
    use_result r;
    words_run(&r,
              "layout(local_size_x = 64) in;\n"
              "layout(std430, binding = 0) buffer Out { uint data[]; } dst;\n"
              "layout(std140, binding = 1) uniform P { uvec4 shape[4]; } p;\n"
              "struct stage { uint index, word; };\n"
              "uint run(stage s) { stage t = s; uint x = t.index; if (t.word == 7u) return x + 1u;\n"
              "for (uint i = 0u; i < 9u; i++) x = x * x + x / (i + 3u); return x; }\n",
              "void main() { uint x = gl_GlobalInvocationID.x; x = run(stage(x, p.shape[0].x));" TAIL, "comp",
              SpvExecutionModelGLCompute, seven, 1000, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 1 words of uniform blocks (shape[0].x): ");
    assert_int_equal(use_occurrences(&r, "OpBranchConditional %true"), 1);
    use_done(&r);
}

static void leaves_more_trips(void **state)
{
    (void)state;
    one_trip("for (uint i = 0u; i <= p.shape[3].w; i++)", 1, false);
    one_trip("for (uint i = 0u; i < p.shape[3].w; i++)", 2, false);
    one_trip("for (uint i = 0u; i <= bitfieldExtract(p.shape[3].w, 10, 4); i++)", 1024, false);
    /* A trip that does not pass the test goes on. */
    one_trip("for (uint i = 0u; i < x; i++) if (i < p.shape[3].w)", 1, false);
    /* The counter moves without the test. */
    one_trip("for (uint i = 0u; i < p.shape[3].w; i++) for (; i < x; i++)", 1, false);
    /* The test is at the end. */
    one_trip("uint i = 0u; do { if (x > 9u) i++; x++; } while (i < p.shape[3].w);", 1, false);
}

/* -- On a driver -- */

/* A word by the counter c, or by a number made of it. */
static void word(char *out, size_t size, uint32_t *seed, char c)
{
    const unsigned part = next(seed) % 4, first = next(seed) % 3;
    switch (next(seed) % 6) {
    case 5:
        (void)snprintf(out, size, "p.shape[p.shape[%u].%c & 3u].%c", part, "xyzw"[first], "xyzw"[part]);
        break;
    case 0:
        (void)snprintf(out, size, "p.shape[%c].%c", c, "xyzw"[part]);
        break;
    case 1:
        (void)snprintf(out, size, "p.shape[%u][%c]", part, c);
        break;
    case 2: /* as Tint writes it */
        (void)snprintf(out, size, "p.shape[(%uu + 4u * uint(%c)) / 16u][((%uu + 4u * uint(%c)) & 15u) >> 2]",
                       16 * first, c, 16 * first, c);
        break;
    case 3:
        (void)snprintf(out, size, "p.shape[min(uint(%c) + %uu, 3u)].%c", c, first, "xyzw"[part]);
        break;
    default:
        (void)snprintf(out, size, "p.shape[%u].%c", part, "xyzw"[first]);
        break;
    }
}

static void statement(char *out, size_t size, uint32_t *seed, char c)
{
    char w[128];
    word(w, sizeof w, seed, c);
    switch (next(seed) % 9) {
    case 7:
        (void)snprintf(out, size, "if ((uint(%c) & 1u) == 1u) x = x / %s; else v = v * 0.75 + 1.5;\n", c, w);
        break;
    case 8:
        (void)snprintf(out, size,
                       "{ float f = v * 0.25; if (uint(%c) >> 1 == 0u) f = f * f; v += f; k ^= %s; }\n", c,
                       w);
        break;
    case 0:
        (void)snprintf(out, size, "x = x / %s + uint(%c);\n", w, c);
        break;
    case 1:
        (void)snprintf(out, size, "y ^= (x + uint(%c)) %% %s;\n", c, w);
        break;
    case 2:
        (void)snprintf(out, size, "k += uint(%c) * %s + x;\n", c, w);
        break;
    case 3:
        (void)snprintf(out, size, "if (x %% %s == uint(%c)) y += 3u;\n", w, c);
        break;
    case 4:
        (void)snprintf(out, size, "v = v * 0.5 + float(x %% %s);\n", w);
        break;
    case 5:
        (void)snprintf(out, size, "v += float(%s) * 0.25; x ^= k / %s;\n", w, w);
        break;
    default:
        (void)snprintf(out, size, "y += src.data[(k / %s + uint(%c)) & 127u];\n", w, c);
        break;
    }
}

/* Within four elements, but for a loop whose counter nothing is known of. */
static void loop(char *out, size_t size, uint32_t *seed, char c)
{
    char inside[1024] = "";
    size_t used = 0;
    for (unsigned n = 1 + next(seed) % 3; n; n--) {
        statement(inside + used, sizeof inside - used, seed, c);
        used = strlen(inside);
    }
    switch (next(seed) % 8) {
    case 0:
        (void)snprintf(out, size, "for (int %c = 0; %c < %u; %c++) { %s }\n", c, c, 1 + next(seed) % 4, c,
                       inside);
        break;
    case 5: /* of one trip, where the word's bits say so */
        (void)snprintf(out, size,
                       "for (uint %c = 0u; %c <= bitfieldExtract(p.shape[%u].y, 0, 2); %c++) { %s }\n", c, c,
                       next(seed) % 4, c, inside);
        break;
    case 6:
        (void)snprintf(out, size, "for (int %c = 0; %c < int(p.shape[%u].z & 3u); %c++) { %s %s }\n", c, c,
                       next(seed) % 4, c, next(seed) % 2 ? "if (x == 5u) break;" : "", inside);
        break;
    case 1:
        (void)snprintf(out, size, "for (int %c = 3; %c >= %u; %c--) { %s }\n", c, c, next(seed) % 4, c,
                       inside);
        break;
    case 2:
        (void)snprintf(out, size, "for (uint %c = 1u; %c < 4u; %c += 2u) { %s }\n", c, c, c, inside);
        break;
    case 3:
        (void)snprintf(out, size, "{ uint %c = 0u; while (true) { if (%c >= 2u) break; %s %c++; } }\n", c, c,
                       inside, c);
        break;
    case 4:
        (void)snprintf(out, size,
                       "for (uint %c = 0u; %c < 3u; %c++) { if ((x & 1u) != 0u && %c < 2u) %c++; %s }\n", c,
                       c, c, c, c, inside);
        break;
    default:
        (void)snprintf(out, size, "for (uint %c = x & 1u; %c < 4u; %c++) { %s }\n", c, c, c, inside);
        break;
    }
}

static void random_source(char *source, size_t size, uint32_t *seed)
{
    size_t used = (size_t)snprintf(
        source, size,
        WORDS_BUFFERS
        "layout(std140, binding = 2) uniform P { uvec4 shape[4]; } p;\n"
        "void main() { uint at = gl_GlobalInvocationID.x, x = src.data[at], y = at, k = x >> 5;\n"
        "float v = float(x & 255u) * 0.01;\n");
    for (unsigned n = 0; n < 5; n++) {
        loop(source + used, size - used, seed, (char)('a' + n));
        used += strlen(source + used);
    }
    (void)snprintf(source + used, size - used, "dst.data[at] = x + y * 31u + k ^ floatBitsToUint(v); }\n");
}

static void random_loops(void **state)
{
    (void)state;
    if (!device)
        skip();
    const unsigned kernels = effort_count(24, 200);
    unsigned versions = 0, chosen = 0;
    for (unsigned n = 0; n < kernels; n++) {
        char source[16384];
        uint32_t seed = 2879 * n + 5, values[WORDS_MOST], in_block[WORDS_HELD];
        use_shader s;
        use_result r;
        wpg_value_weight words[WORDS_MOST];
        wpg_value_share shares[WORDS_MOST];
        const wpg_word_visit visit = {1000, values};
        random_source(source, sizeof source, &seed);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        for (unsigned w = 0; w < WORDS_HELD; w++)
            in_block[w] = 1 + next(&seed) % 9;
        for (unsigned l = 0; l < 16; l++)
            s.trips[l] = 1 + next(&seed) % 4;
        words_of(values, &s, in_block);
        use_profile(&s);
        words_give(&s, words, shares, values, 1000);
        s.weights.visits = &visit;
        s.weights.visit_count = 1;
        use_run(&r, &s, NULL, true);
        versions += use_said(&r, WPG_REMARK_DONE, "versions", "");
        chosen += use_occurrences(&r, "OpSelect %uint") > 0;
        for (unsigned round = 0; round < 3; round++) {
            (void)words_compare(&s, &r, in_block, 0, n, round, source);
            in_block[next(&seed) % WORDS_HELD] = 1 + next(&seed) % 9;
        }
        use_done(&r);
        use_free(&s);
    }
    printf("random kernels: %u, with a version %u, with choices %u\n", kernels, versions, chosen);
    assert_true(versions * 2 >= kernels);
    assert_true(chosen * 2 >= kernels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_divisors),
        cmocka_unit_test(chooses_components),
        cmocka_unit_test(looks_through_short_circuits),
        cmocka_unit_test(shares_words),
        cmocka_unit_test(leaves_others),
        cmocka_unit_test(leaves_floats),
        cmocka_unit_test(folds_one_trip),
        cmocka_unit_test(decides_by_counter),
        cmocka_unit_test(follows_indices),
        cmocka_unit_test(looks_into_structs),
        cmocka_unit_test(leaves_more_trips),
        cmocka_unit_test(random_loops),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
