/* The zero guard: what goes behind a branch on a weight, each rule that must keep it where it is, and on a
 * driver random mixtures: equal but for the driver's rounding, for every weight, counted or not. */
#include "tests/unit/compiler/optimize/words_driver.h"

#include "compiler/spirv/builder.h"

enum { ZERO = 0, ONE = 0x3f800000, HALF = 0x3f000000, WEIGHTS = WORDS_HELD };

#define HEAD_OF(words)                                                                                       \
    "layout(location = 0) in vec4 at; layout(location = 0) out vec4 color;\n"                                \
    "layout(binding = 0) uniform sampler2D image;\n"                                                         \
    "layout(std140, binding = 1) uniform P { " words " } p;\n"                                               \
    "vec4 lobe(vec4 x) { return texture(image, x.xy) * sin(x.z) + exp(x) * cos(x.w) + sin(exp(x)) * "        \
    "cos(x.zwyx); }\n"                                                                                       \
    "vec4 sum(vec4 x) { for (int i = 0; i < int(at.x * 9.0); i++) x += lobe(x); return x; }\n"

#define HEAD HEAD_OF("float coat; float metal;")

static void fragment(use_result *r, const char *head, const char *body, uint32_t coat, uint32_t metal,
                     const wpg_optimize_options *options)
{
    words_run(r, head, body, "frag", SpvExecutionModelFragment, (const uint32_t[]){coat, metal}, 1000,
              options);
}

/* Of one function. */
static unsigned guarded_in(wpg_module *module, uint32_t function)
{
    wpg_view *view;
    unsigned found = 0;
    assert_int_equal(wpg_view_create(&view, module, function, NULL), WPG_OK);
    const wpg_cfg *cfg = view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        bool guarded = false;
        for (uint32_t c = cfg->blocks[b].construct; c != WPG_NO_BLOCK; c = cfg->constructs[c].parent) {
            const wpg_inst *end = cfg->blocks[cfg->constructs[c].header].terminator;
            const uint32_t condition = end->opcode == SpvOpBranchConditional ? end->words[1] : 0;
            guarded |=
                b != cfg->constructs[c].header && condition &&
                wpg_module_opcode_of(module, condition) == SpvOpINotEqual &&
                wpg_module_opcode_of(module, wpg_module_def(module, condition)->words[3]) == SpvOpBitcast;
        }
        for (const wpg_inst *inst = cfg->blocks[b].label; guarded && inst != cfg->blocks[b].terminator;
             inst = inst->next)
            found += inst->opcode == SpvOpImageSampleImplicitLod;
    }
    wpg_view_destroy(view);
    return found;
}

/* Samples that stand behind a branch on a word of a uniform block. */
static unsigned guarded_samples(const use_result *r)
{
    wpg_module *module;
    unsigned found = 0;
    assert_int_equal(wpg_module_parse(&module, r->words, r->count, NULL), WPG_OK);
    for (const wpg_inst *inst = wpg_next_function(module->first); inst; inst = inst->next)
        if (inst->opcode == SpvOpFunction)
            found += guarded_in(module, inst->result);
    wpg_module_destroy(module);
    return found;
}

static void guards_what_weighs_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint32_t coat, metal;
        unsigned guarded; /* samples */
    } cases[] = {
        {"void main() { color = at + lobe(at) * p.coat; }", ZERO, ONE, 1},
        {"void main() { color = at * 0.5 + lobe(at) * (1.0 - p.coat); }", ONE, ONE, 1},
        {"void main() { color = mix(lobe(at), lobe(at.wzyx), p.coat); }", ZERO, ONE, 1},
        {"void main() { color = mix(lobe(at), lobe(at.wzyx), p.coat); }", ONE, ONE, 1},
        {"void main() { color = mix(at, lobe(at), vec4(p.metal * p.coat)); }", ONE, ZERO, 1},
        {"void main() { color = at + sum(at) * p.coat; }", ZERO, ONE, 1},
        {"void main() { vec4 x = at; if (at.y > 0.5) x = sum(at); color = at + x * p.coat; }", ZERO, ONE, 1},
        {"void main() { vec4 x = sum(at), y = sum(at.wzyx); color = at + x * p.coat + y * p.metal; }", ZERO,
         ZERO, 2},
        {"void main() { vec4 x = sum(at), y = sum(at.wzyx); color = mix(x, y, p.coat) + sum(y) * p.metal; }",
         ONE, ZERO, 2},
        {"void main() { vec4 x = sum(at); if (at.w > 0.9) discard; color = at + (x * 2.0 + at) * p.coat; }",
         ZERO, ONE, 1},
        /* In two pieces. The first alone would leave normalize(0). */
        {"void main() { vec4 x = sum(at); if (at.w > 0.9) discard; color = at + normalize(x) * sin(exp(x)) * "
         "p.coat; }",
         ZERO, ONE, 1},
        /* Through a structure, one part of which is needed. */
        {"struct S { vec4 a, b; }; S parts(vec4 x) { return S(lobe(x), x); }\n"
         "void main() { S s = parts(at); color = s.a * p.coat + s.b; }",
         ZERO, ONE, 1},
        /* An array of the shader's own, written in the loop. */
        {"void main() { vec4 a[4]; for (int i = 0; i < int(at.x); i++) a[i & 3] = lobe(at * float(i));\n"
         "color = at + a[int(at.y) & 3] * p.coat; }",
         ZERO, ONE, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use_result r;
        wpg_optimize_options options;
        wpg_optimize_defaults(&options);
        /* In two pieces: versions would save more than the first. */
        options.passes[0] = strstr(cases[i].body, "normalize") ? WPG_PASS_VERSIONS : '\0';
        fragment(&r, HEAD, cases[i].body, cases[i].coat, cases[i].metal, &options);
        if (guarded_samples(&r) != cases[i].guarded)
            fail_msg("%s: %u samples are guarded, not %u", cases[i].body, guarded_samples(&r),
                     cases[i].guarded);
        use_expect(&r, WPG_REMARK_DONE, "zero-guard", " in 100 % of waves");
        use_expect(&r, WPG_REMARK_DONE, "zero-guard",
                   strstr(cases[i].body, "p.coat") ? " on coat, which is " : " on metal, which is ");
        if (use_said(&r, WPG_REMARK_DONE, "versions", ""))
            fail_msg("%s: a version beside the guard", cases[i].body);
        use_done(&r);
    }
}

/* One word weighs a lobe, and another moves nine samples: a version saves the samples, too. */
static void leaves_to_versions(void **state)
{
    (void)state;
    use_result r;
    fragment(&r, HEAD,
             "vec4 blur(vec2 x) { vec4 c = vec4(0.0); float d = p.metal / 1024.0;\n"
             "c += texture(image, x + vec2(-1.6, 0.25) * d) + texture(image, x + vec2(-1.0, -0.55) * d);\n"
             "c += texture(image, x + vec2(-0.55, 1.0) * d) + texture(image, x + vec2(-0.25, -1.6) * d);\n"
             "c += texture(image, x + vec2(0.25, 1.6) * d) + texture(image, x + vec2(0.55, -1.0) * d);\n"
             "c += texture(image, x + vec2(1.0, 0.55) * d) + texture(image, x + vec2(1.6, -0.25) * d);\n"
             "return c; }\n"
             "void main() { color = blur(at.xy) + lobe(at) * p.coat; }",
             ZERO, ZERO, NULL);
    use_expect(&r, WPG_REMARK_REFUSED, "zero-guard", "weights of 0 would skip");
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 2 words");
    use_done(&r);
}

/* As many words as a stage may have, each a weight by 0 and by 1: as many questions as are asked at once. All
 * stands in one block, so that each branch takes a round. */
static void asks_all_words_at_once(void **state)
{
    (void)state;
    char words[512] = "", body[2048] = "void main() { color = at;\n", head[2048];
    uint32_t values[WORDS_MOST] = {ZERO};
    for (unsigned w = 0; w < WPG_MOST_FLOAT_SITES; w++) {
        (void)snprintf(words + strlen(words), sizeof words - strlen(words), "float w%u; ", w);
        (void)snprintf(body + strlen(body), sizeof body - strlen(body),
                       "color += mix(lobe(at * %u.0), lobe(at.wzyx * %u.0), p.w%u);\n", w + 1, w + 1, w);
    }
    (void)snprintf(body + strlen(body), sizeof body - strlen(body), "}");
    (void)snprintf(head, sizeof head, HEAD_OF("%s"), words);
    use_result r;
    words_run(&r, head, body, "frag", SpvExecutionModelFragment, values, 1000, NULL);
    const unsigned guarded = use_said(&r, WPG_REMARK_DONE, "zero-guard", " in 100 % of waves");
    if (guarded != 12)
        fail_msg("%u words are guarded, not 12", guarded);
    assert_int_equal(guarded_samples(&r), 12);
    use_done(&r);
}

/* No lane came into a selection. */
static void skip_selections(use_shader *s)
{
    wpg_module *module;
    wpg_view *view = use_view(&module, s);
    const wpg_cfg *cfg = view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++)
        for (uint32_t c = cfg->blocks[b].construct; c != WPG_NO_BLOCK; c = cfg->constructs[c].parent)
            if (cfg->constructs[c].kind == WPG_CONSTRUCT_SELECTION && b != cfg->constructs[c].header)
                s->lanes[b] = s->waves[b] = s->uniform[b] = 0;
    wpg_view_destroy(view);
    wpg_module_destroy(module);
}

/* No word was 0 or 1. A version serves the values that were seen. In the body for all others the samples go
 * behind a branch, in case another run has a weight of 0: also where they never ran. */
static void guards_beside_versions(void **state)
{
    (void)state;
    static const char head[] =
        HEAD_OF("float coat; uint size;") "uint share(uint x, uint d) { x ^= x / d; x += (x >> 3) / d;"
                                          "x ^= (x << 5) / d; return x; }\n";
    static const struct {
        const char *body;
        unsigned guarded; /* samples */
    } cases[] = {
        {"void main() { uint d = max(p.size, 1u), h = floatBitsToUint(at.x);\n"
         "h = share(share(share(share(h, d), d), d), d);\n"
         "color = at * float(h) + sum(sum(sum(sum(sum(at))))) * p.coat; }",
         5},
        {"void main() { uint d = max(p.size, 1u), h = floatBitsToUint(at.x);\n"
         "h = share(share(share(share(h, d), d), d), d); vec4 x = at;\n"
         "if (p.size > 99u) x = sum(sum(sum(sum(sum(at))))) + sum(sum(sum(sum(sum(at.wzyx)))));\n"
         "color = at * float(h) + x * p.coat; }",
         10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use_shader s;
        use_result r;
        wpg_value_weight words[WORDS_MOST];
        wpg_value_share shares[WORDS_MOST];
        uint32_t values[WORDS_MOST];
        char source[4096];
        (void)snprintf(source, sizeof source, "#version 450\n%s%s", head, cases[i].body);
        use_glsl(&s, source, "frag", SpvExecutionModelFragment);
        words_of(values, &s, (const uint32_t[]){HALF, 7});
        use_profile(&s);
        skip_selections(&s);
        words_give(&s, words, shares, values, 1000);
        use_run(&r, &s, NULL, true);
        s.weights.words = NULL;
        s.weights.word_count = 0;
        use_expect(&r, WPG_REMARK_DONE, "versions", "a version of the stage");
        use_expect(&r, WPG_REMARK_DONE, "zero-guard", "was never 0");
        if (guarded_samples(&r) != cases[i].guarded)
            fail_msg("case %zu: %u samples are guarded, not %u", i, guarded_samples(&r), cases[i].guarded);
        use_done(&r);
        use_free(&s);
    }
}

/* The same bodies, and a reason why nothing may go behind a branch. */
static void keeps(void **state)
{
    (void)state;
    wpg_optimize_options usual, strict, spec, alone;
    wpg_optimize_defaults(&usual);
    strict = spec = alone = usual;
    strict.floats = WPG_FLOAT_STRICT;
    spec.floats = WPG_FLOAT_SPEC;
    alone.alone = 1;
    const struct {
        const char *head, *body;
        const wpg_optimize_options *options;
    } cases[] = {
        {HEAD, "void main() { color = at + sum(at) * p.coat; }", &strict},
        {HEAD, "void main() { color = at + sum(at) * p.coat; }", &spec},
        {HEAD, "void main() { color = at + sum(at) * p.coat; }", &alone},
        {HEAD "layout(std430, binding = 2) buffer B { float b; };\n",
         "void main() { color = at + sum(at) * p.coat; b = color.x; }", &usual},
        {HEAD, "void main() { precise vec4 c = sum(at) * p.coat; color = at + c; }", &usual},
        {HEAD, "void main() { gl_FragDepth = (at + sum(at) * p.coat).x; color = at; }", &usual},
        /* It is used beside the product. */
        {HEAD, "void main() { vec4 x = sum(at); color = x + sin(x) * p.coat; }", &usual},
        /* It has an effect. */
        {HEAD,
         "void main() { vec4 x = at; for (int i = 0; i < int(at.x); i++) { x += lobe(x); if (x.x > 9.0) "
         "discard; }\n"
         "color = at + x * p.coat; }",
         &usual},
        /* What is left of it would make NaN of null, and NaN * 0 is NaN. */
        {HEAD, "void main() { vec4 x = sum(at); if (at.w > 0.9) discard; color = at + at / x * p.coat; }",
         &usual},
        /* A loop would never end. */
        {HEAD,
         "void main() { float s = abs(sum(at).x); if (at.w > 0.9) discard; float y = 0.0;\n"
         "for (float k = 0.0; k < 9.0; k += s) y += 0.5; color = at + y * p.coat; }",
         &usual},
        /* Little work. */
        {HEAD, "void main() { color = at + (at.wzyx + 1.0) * p.coat; }", &usual},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use_result r;
        fragment(&r, cases[i].head, cases[i].body, ZERO, ONE, cases[i].options);
        if (use_said(&r, WPG_REMARK_DONE, "zero-guard", "") || guarded_samples(&r))
            fail_msg("%s (case %zu): something is guarded", cases[i].body, i);
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
    switch (next(seed) % 12) {
    case 0:
        snprintf(out, size, "v%u = mix(v%u, dear(v%u, h), p.w%u);\n", a, b, c, w);
        break;
    case 1:
        snprintf(out, size, "v%u = dear(v%u, h >> 3) * p.w%u + v%u;\n", a, b, w, c);
        break;
    case 2:
        snprintf(out, size, "v%u = dear(v%u, h) * v%u * (1.0 - p.w%u) + sin(v%u);\n", a, b, c, w, a);
        break;
    case 3:
        snprintf(out, size, "if (p.w%u < 0.25) v%u = v%u * 0.5 - v%u; else v%u += dear(v%u, h);\n", w, a, b,
                 c, a, b);
        break;
    case 4:
        snprintf(out, size, "t%u = mix(t%u * v%u, lobe(t%u, h), vec3(p.w%u * p.w%u));\n", t, 1 - t, a, t, w,
                 x);
        break;
    case 5:
        snprintf(out, size, "t%u = lobe(t%u, h >> 2) * p.w%u + t%u * v%u;\n", t, 1 - t, w, t, a);
        break;
    case 6:
        snprintf(out, size, "v%u = dot(t%u, lobe(t%u, h) * p.w%u) - v%u;\n", a, t, 1 - t, w, b);
        break;
    case 7:
        snprintf(out, size, "for (int k = 0; k < 3; k++) v%u = sin(v%u + p.w%u * dear(v%u, h));\n", a, a, w,
                 b);
        break;
    case 8:
        snprintf(out, size,
                 "{ float a[4]; for (uint k = 0u; k < (h & 7u); k++) a[k & 3u] = cos(v%u * float(k));\n"
                 "v%u += ((h & 7u) > 3u ? a[h >> 4 & 3u] : 0.5) * p.w%u; }\n",
                 b, a, w);
        break;
    case 9:
        snprintf(out, size,
                 "{ float x = v%u; if ((h & 16u) != 0u) { x = dear(x, h); if (x > 0.5) x *= 0.5; } else x = "
                 "cos(x);\n"
                 "v%u = clamp(p.w%u * 2.0 - p.w%u, 0.0, 1.0) * x + v%u; }\n",
                 b, a, w, x, c);
        break;
    case 10:
        snprintf(out, size, "v%u = parts(S(v%u, t%u), h).a * p.w%u + v%u;\n", a, b, t, w, c);
        break;
    default:
        snprintf(out, size,
                 "{ S s = parts(S(v%u, t%u), h); t%u = mix(s.b, t%u, p.w%u); v%u += s.a * 0.25; }\n", a, t,
                 1 - t, t, w, b);
        break;
    }
}

/* `beside`: more work, and divisions that a version by w5 makes cheap. */
static void random_source(char *source, size_t size, uint32_t *seed, bool beside)
{
    int used = snprintf(
        source, size,
        WORDS_BUFFERS
        "layout(std140, binding = 2) uniform P { float w0, w1, w2, w3, w4, w5; } p;\n"
        "struct S { float a; vec3 b; };\n"
        "float more(float x, float y) { return sin(y) + cos(x * y) * 0.5 + sqrt(abs(y)) * sqrt(abs(x)) * "
        "0.25; }\n"
        "float dear(float x, uint n) { float y = x; for (uint k = 0u; k < (n & 3u) + 1u; k++) {\n"
        "y = more(x, y); %s } return y; }\n"
        "vec3 lobe(vec3 x, uint n) { vec3 y = x; if ((n & 8u) != 0u) y = sin(x.zyx) * dear(x.x, n);\n"
        "return normalize(y + 2.0) + exp(-y * y); }\n"
        "uint share(uint x, uint d) { x ^= x / d; x += (x >> 3) / d; x ^= (x << 5) / d; return x + ~x / d; "
        "}\n"
        "S parts(S s, uint n) { return S(dear(s.a, n), lobe(s.b, n)); }\n" WORDS_MAIN "%s",
        beside ? "y = more(x, more(y, more(x, more(y, more(x, more(y, more(x, y)))))));" : "",
        beside ? "uint d = max(floatBitsToUint(p.w5) >> 20, 1u);\n"
                 "h = share(share(share(share(h, d), d), d), d);\n"
               : "");
    for (unsigned n = 0; n < 10 && used > 0 && (size_t)used < size; n++) {
        char line[320];
        statement(line, sizeof line, seed);
        used += snprintf(source + used, size - (size_t)used, "%s", line);
        if (n % 3 == 2)
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
    unsigned kernels_with = 0, beside = 0, rounded = 0, runs = 0, kernels = effort_count(24, 150);
    for (unsigned k = 0; k < kernels; k++) {
        char source[8192];
        uint32_t seed = 977 * k + 5, values[WORDS_MOST], weights[WEIGHTS];
        use_shader s;
        use_result r;
        wpg_optimize_options options;
        random_source(source, sizeof source, &seed, k % 3 == 2);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        for (unsigned w = 0; w < WEIGHTS; w++) /* a third: no weight is 0 or 1 in the profile */
            weights[w] = k % 3 == 2 ? HALF : some[next(&seed) % 5];
        words_of(values, &s, weights);
        wpg_optimize_defaults(&options);
        options.floats = WPG_FLOAT_STAGES;
        words_use(&r, &s, values, 1000, &options);
        kernels_with += use_said(&r, WPG_REMARK_DONE, "zero-guard", "") != 0;
        beside +=
            use_said(&r, WPG_REMARK_DONE, "zero-guard", "") && use_said(&r, WPG_REMARK_DONE, "versions", "");
        for (unsigned round = 0; round < 5; round++) { /* as counted, then others */
            runs++;
            rounded += words_compare(&s, &r, weights, rounding, k, round, source);
            for (unsigned w = 0; w < WEIGHTS; w++)
                weights[w] = round == 3 ? 0x3fc00000u + w : some[next(&seed) % 5];
        }
        use_done(&r);
        use_free(&s);
    }
    printf(
        "random kernels: %u, with guards %u, of these beside versions %u; of %u runs %u rounded otherwise\n",
        kernels, kernels_with, beside, runs, rounded);
    assert_true(kernels_with * 2 >= kernels);
    assert_true(beside * 20 >= kernels);
    assert_true(rounded * 20 <= runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guards_what_weighs_nothing),
        cmocka_unit_test(leaves_to_versions),
        cmocka_unit_test(asks_all_words_at_once),
        cmocka_unit_test(guards_beside_versions),
        cmocka_unit_test(keeps),
        cmocka_unit_test(random_weights),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
