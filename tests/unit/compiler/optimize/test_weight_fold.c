/* Weights of 0: what falls away, each rule that must keep it, and on a driver random mixtures: equal bits for
 * weights that were not counted, and with FLOAT=strict; else equal but for the driver's rounding. */
#include "tests/unit/compiler/optimize/words_driver.h"

enum { ZERO = 0, ONE = 0x3f800000, HALF = 0x3f000000, WEIGHTS = WORDS_HELD };

#define HEAD                                                                                                 \
    "layout(location = 0) in vec4 at; layout(location = 0) out vec4 color;\n"                                \
    "layout(binding = 0) uniform sampler2D image;\n"                                                         \
    "layout(std140, binding = 1) uniform P { float coat; float metal; } p;\n"                                \
    "vec4 lobe(vec4 x) { return texture(image, x.xy) * sin(x.z) + exp(x) * cos(x.w); }\n"

/* Without the zero guard (test_zero_guard.c), which would leave nothing to versions. */
static wpg_optimize_options versions_alone(void)
{
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    options.passes[0] = WPG_PASS_ZERO_GUARD;
    return options;
}

static void fragment(use_result *r, const char *body, uint32_t coat, uint32_t metal)
{
    const wpg_optimize_options options = versions_alone();
    words_run(r, HEAD, body, "frag", SpvExecutionModelFragment, (const uint32_t[]){coat, metal}, 1000,
              &options);
}

/* Behind the version's function: what the module still computes for its color, after dead code went. */
static int needed_samples(use_result *r)
{
    uint32_t *words;
    size_t count;
    assert_int_equal(wpg_ssa_tier(&words, &count, r->words, r->count, NULL), WPG_OK);
    wpg_module *module;
    assert_int_equal(wpg_module_parse(&module, words, count, NULL), WPG_OK);
    int found = 0;
    for (const wpg_inst *inst = module->first; inst; inst = inst->next)
        found += inst->opcode == SpvOpImageSampleImplicitLod;
    wpg_module_destroy(module);
    free(words);
    return found;
}

/* The copy has its samples; the version loses those of weight 0. */
static void drops_what_weighs_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint32_t coat, metal;
        int left; /* samples in version and copy */
    } cases[] = {
        {"void main() { color = at + lobe(at) * p.coat; }", ZERO, ONE, 1},
        {"void main() { color = at + p.coat * lobe(at); }", ZERO, ONE, 1},
        {"void main() { color = at * 0.5 + lobe(at) * (1.0 - p.coat); }", ONE, ONE, 1},
        {"void main() { color = mix(lobe(at), lobe(at.wzyx), p.coat); }", ZERO, ONE, 3},
        {"void main() { color = mix(at, lobe(at), vec4(p.metal * p.coat)); }", ONE, ZERO, 1},
        {"void main() { color = mix(lobe(at), at, p.coat); }", ONE, ONE, 1},
        {"void main() { color = mix(at, lobe(at), dot(at, -vec4(p.coat))); }", ZERO, ONE, 1},
        /* Through a structure: drivers look through it, SPIRV-Tools does not. */
        {"struct S { vec4 a, b; }; S weigh(S s, float w) { return S(s.a * w, s.b); }\n"
         "void main() { S s = weigh(S(lobe(at), at), p.coat); color = s.a + s.b; }",
         ZERO, ONE, 2},
        {"void main() { float w = clamp(p.coat * 2.0, 0.0, 1.0); color = vec4(dot(lobe(at), vec4(w))) + at; "
         "}",
         ZERO, ONE, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use_result r;
        fragment(&r, cases[i].body, cases[i].coat, cases[i].metal);
        use_expect(&r, WPG_REMARK_DONE, "versions", "had a weight of 0");
        if (needed_samples(&r) != cases[i].left)
            fail_msg("%s: %d samples are needed, not %d", cases[i].body, needed_samples(&r), cases[i].left);
        use_done(&r);
    }
}

/* Samples that coincide where an offset is 0: the drivers' own work, and what the version is worth. */
static void counts_what_coincides(void **state)
{
    (void)state;
#define BLUR(sum)                                                                                            \
    "vec4 blur(vec2 x, float d) { " sum "return texture(image, x + vec2(1.0, 0.5) * d)"                      \
    " + texture(image, x + vec2(0.5, 0.25) * d) + texture(image, x - vec2(0.25, 1.0) * d)"                   \
    " + texture(image, x); }\n"
    static const struct {
        const char *body;
        uint32_t coat;
        bool made;
    } cases[] = {
        {BLUR("") "void main() { color = blur(at.xy, p.coat * 0.001); }", ZERO, true},
        {BLUR("x += vec2(0.0, d);") "void main() { color = blur(at.xy, floor(p.coat) * 0.25); }", ZERO, true},
        {BLUR("") "void main() { color = blur(at.xy, p.coat * 0.001); }", HALF, false},
        /* One sample alone: the test costs more. */
        {"void main() { color = texture(image, at.xy + p.coat * vec2(0.5)); }", ZERO, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use_result r;
        fragment(&r, cases[i].body, cases[i].coat, ONE);
        if (use_said(&r, WPG_REMARK_DONE, "versions", "for 1 words") != cases[i].made)
            fail_msg("%s: %s", cases[i].body, cases[i].made ? "no version" : "a version");
        use_done(&r);
    }
#undef BLUR
}

/* A weight alone is worth the version. What another word makes, and nothing tests, stays. */
static void leaves_other_words(void **state)
{
    (void)state;
    const wpg_optimize_options options = versions_alone();
    use_result r;
    words_run(&r,
              "layout(location = 0) in vec4 at; layout(location = 0) out vec4 color;\n"
              "layout(binding = 0) uniform sampler2D image;\n"
              "layout(std140, binding = 1) uniform P { int row; float coat; } p;\n"
              "vec4 lobe(vec4 x) { return texture(image, x.xy) * sin(x.z) + exp(x) * cos(x.w); }\n",
              "void main() { color = texelFetch(image, ivec2(at.xy) + p.row * 7, 0) + lobe(at) * p.coat; }",
              "frag", SpvExecutionModelFragment, (const uint32_t[]){3, ZERO}, 1000, &options);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 1 words");
    assert_int_equal(use_occurrences(&r, "%int_21"), 0);
    use_done(&r);
}

/* The same bodies, and a reason why nothing may fall away. */
static void keeps(void **state)
{
    (void)state;
    const wpg_optimize_options usual = versions_alone();
    wpg_optimize_options strict = usual;
    strict.floats = WPG_FLOAT_STRICT;
    static const struct {
        const char *head, *body;
        bool strict;
    } cases[] = {
        {HEAD, "void main() { color = at + lobe(at) * p.coat; }", true},
        {HEAD "layout(std430, binding = 2) buffer B { float b; };\n",
         "void main() { color = at + lobe(at) * p.coat; b = color.x; }", false},
        {HEAD, "void main() { precise vec4 c = lobe(at) * p.coat; color = at + c; }", false},
        {HEAD, "void main() { gl_FragDepth = (at + lobe(at) * p.coat).x; color = at; }", false},
        {HEAD "layout(location = 1) out vec4 other;\n",
         "void main() { color = at * pow(lobe(at).x, p.coat); other = at; }", false},
        /* Counted trips: a part of the loop's work may not go alone. */
        {HEAD,
         "void main() { vec4 a = at, b = at; for (int i = 0; i < 4; i++) { a = sin(a) + at; b += lobe(b) * "
         "float(i); }"
         " color = a + b * p.coat; }",
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use_result r;
        words_run(&r, cases[i].head, cases[i].body, "frag", SpvExecutionModelFragment,
                  (const uint32_t[]){ZERO, ONE}, 1000, cases[i].strict ? &strict : &usual);
        if (use_said(&r, WPG_REMARK_DONE, "versions", ""))
            fail_msg("%s: a version is made", cases[i].body);
        if (i < 2)
            use_expect(&r, WPG_REMARK_REFUSED, "versions", "(FLOAT)");
        use_done(&r);
    }
}

/* -- On a driver -- */

/* One statement over the floats v0 to v3, the vectors t0 and t1, and the weights w0 to w5. Numbers stay
 * finite. */
static void statement(char *out, size_t size, uint32_t *seed)
{
    uint32_t a = next(seed) % 4, b = next(seed) % 4, c = next(seed) % 4, w = next(seed) % WEIGHTS,
             x = next(seed) % WEIGHTS, t = next(seed) % 2;
    switch (next(seed) % 15) {
    case 0:
        snprintf(out, size, "v%u = mix(v%u, sin(v%u), p.w%u);\n", a, b, c, w);
        break;
    case 1:
        snprintf(out, size, "v%u = cos(v%u) * p.w%u + v%u;\n", a, b, w, c);
        break;
    case 2:
        snprintf(out, size, "v%u = v%u * v%u * (1.0 - p.w%u) + sin(v%u);\n", a, b, c, w, a);
        break;
    case 3:
        snprintf(out, size, "if (p.w%u < 0.25) v%u = v%u * 0.5 - v%u; else v%u += cos(v%u);\n", w, a, b, c, a,
                 b);
        break;
    case 4:
        snprintf(out, size, "t%u = mix(t%u * v%u, sin(t%u), vec3(p.w%u * p.w%u));\n", t, 1 - t, a, t, w, x);
        break;
    case 5:
        snprintf(out, size, "t%u = t%u * p.w%u + t%u * v%u;\n", t, 1 - t, w, t, a);
        break;
    case 6:
        snprintf(out, size, "v%u = dot(t%u, t%u * p.w%u) - v%u;\n", a, t, 1 - t, w, b);
        break;
    case 7:
        snprintf(out, size, "for (int k = 0; k < 3; k++) v%u = sin(v%u + p.w%u * v%u);\n", a, a, w, b);
        break;
    case 8:
        snprintf(out, size,
                 "for (int k = 0; k < int(h & 7u); k++) { v%u = cos(v%u) * p.w%u; v%u += v%u * 0.1; }\n", a,
                 b, w, c, a);
        break;
    case 9:
        snprintf(out, size, "v%u = clamp(p.w%u * 2.0 - p.w%u, 0.0, 1.0) * v%u + v%u;\n", a, w, x, b, c);
        break;
    case 10:
        snprintf(out, size, "t%u.xy = vec2(v%u, v%u) * p.w%u; t%u.z -= p.w%u;\n", t, a, b, w, t, x);
        break;
    case 11:
        snprintf(out, size, "v%u = (p.w%u > p.w%u ? v%u : sin(v%u)) - p.w%u * v%u;\n", a, w, x, b, c, w, a);
        break;
    case 12:
        snprintf(out, size, "v%u = lobe(S(v%u, t%u), p.w%u).a + v%u;\n", a, b, t, w, c);
        break;
    case 13: /* the same where both weights are 0 */
        snprintf(out, size, "v%u = atan(v%u + p.w%u * 0.5) * 0.3 - atan(v%u + p.w%u * 0.25) * 0.7;\n", a, b,
                 w, b, x);
        break;
    default:
        snprintf(out, size, "t%u = lobe(S(v%u, t%u), p.w%u).b;\n", t, a, 1 - t, w);
        break;
    }
}

static void random_source(char *source, size_t size, uint32_t *seed)
{
    int used = snprintf(source, size,
                        WORDS_BUFFERS
                        "layout(std140, binding = 2) uniform P { float w0, w1, w2, w3, w4, w5; } p;\n"
                        "struct S { float a; vec3 b; };\n"
                        "S lobe(S s, float w) { if (w < 1e-6) return S(0.0, s.b); s.a = sin(s.a) * w; s.b = "
                        "mix(s.b, cos(s.b), w);"
                        " return s; }\n" WORDS_MAIN);
    for (unsigned n = 0; n < 14 && used > 0 && (size_t)used < size; n++) {
        char line[256];
        statement(line, sizeof line, seed);
        used += snprintf(source + used, size - (size_t)used, "%s", line);
        if (n % 4 == 3)
            used += snprintf(source + used, size - (size_t)used, "%s", WORDS_CLAMPS);
    }
    (void)snprintf(source + used, size - (size_t)used, WORDS_SUM);
}

/* The results are sums above 1: a millionth or so of them is rounding. */
static const float rounding = 1e-3f;

static void random_weights(void **state)
{
    (void)state;
    if (!device)
        skip();
    static const uint32_t some[] = {ZERO, ONE, ZERO, HALF, ONE};
    unsigned kernels_with = 0, rounded = 0, kernels = effort_count(24, 150);
    for (unsigned k = 0; k < kernels; k++) {
        char source[8192];
        uint32_t seed = 977 * k + 5, values[WORDS_MOST], weights[WEIGHTS];
        use_shader s;
        use_result r;
        wpg_optimize_options options = versions_alone();
        random_source(source, sizeof source, &seed);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        for (unsigned w = 0; w < WEIGHTS; w++)
            weights[w] = some[next(&seed) % 5];
        words_of(values, &s, weights);
        bool strict = k % 3 == 2;
        options.floats = strict ? WPG_FLOAT_STRICT : WPG_FLOAT_STAGES;
        words_use(&r, &s, values, 1000, &options);
        kernels_with += use_said(&r, WPG_REMARK_DONE, "versions", "") &&
                        !use_said(&r, WPG_REMARK_DONE, "versions", " 0 operations");
        for (unsigned round = 0; round < 4; round++) { /* as counted, then others */
            const bool differs =
                words_compare(&s, &r, weights, strict || round == 3 ? 0 : rounding, k, round, source);
            rounded += round == 0 && differs;
            weights[next(&seed) % WEIGHTS] = 0x3fa00000u + round; /* 1.25 and a little: never counted */
            for (unsigned w = 0; w < WEIGHTS && round == 2; w++)
                weights[w] = 0x3fc00000u + w;
        }
        use_done(&r);
        use_free(&s);
    }
    printf("random kernels: %u, with weights of 0 %u, rounded otherwise %u\n", kernels, kernels_with,
           rounded);
    assert_true(kernels_with * 3 >= kernels);
    assert_true(rounded * 20 <= kernels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_what_weighs_nothing),
        cmocka_unit_test(counts_what_coincides),
        cmocka_unit_test(leaves_other_words),
        cmocka_unit_test(keeps),
        cmocka_unit_test(random_weights),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
