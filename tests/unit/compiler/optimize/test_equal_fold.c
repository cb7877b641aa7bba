/* Vectors of equal words: what becomes one value, each rule that must keep it, and on a driver random
 * mixtures: equal bits for words that were not counted, and with FLOAT=strict; else equal but for the
 * driver's rounding. */
#include "tests/unit/compiler/optimize/words_driver.h"

enum { HALF = 0x3f000000, OTHER = 0x3f400000 };

#define HEAD                                                                                                 \
    "layout(location = 0) in vec3 at; layout(location = 0) out vec4 color;\n"                                \
    "layout(std140, binding = 1) uniform P { vec3 radius; vec3 tint; } p;\n"

/* With loops of so many trips. */
static void fragment(use_result *r, const char *head, const char *body, uint32_t trips,
                     const wpg_optimize_options *options)
{
    static const uint32_t halves[WORDS_MOST] = {HALF, HALF, HALF, HALF, HALF, HALF};
    char source[4096];
    use_shader s;
    snprintf(source, sizeof source, "#version 450\n%s%s", head, body);
    use_glsl(&s, source, "frag", SpvExecutionModelFragment);
    s.trips[0] = trips;
    words_use(r, &s, halves, 1000, options);
    use_free(&s);
}

/* Vectors that became their first component, over and over. */
static unsigned repeated(const use_result *r)
{
    wpg_module *module;
    unsigned found = 0;
    assert_int_equal(wpg_module_parse(&module, r->words, r->count, NULL), WPG_OK);
    for (const wpg_inst *inst = module->first; inst; inst = inst->next) {
        bool all = inst->opcode == SpvOpVectorShuffle;
        for (unsigned i = 5; all && i < inst->count; i++)
            all = inst->words[i] == 0;
        found += all;
    }
    wpg_module_destroy(module);
    return found;
}

/* Comparisons of a loop whose counter goes through an optimisation barrier. */
static unsigned hidden_counters(const use_result *r)
{
    wpg_module *module;
    unsigned found = 0;
    assert_int_equal(wpg_module_parse(&module, r->words, r->count, NULL), WPG_OK);
    for (const wpg_inst *inst = module->first; inst; inst = inst->next)
        found +=
            inst->opcode == SpvOpSLessThan && wpg_module_opcode_of(module, inst->words[3]) == SpvOpBitwiseOr;
    wpg_module_destroy(module);
    return found;
}

#define DEAR "exp(sin(p.radius * at.x) / 3.0) * cos(sqrt(p.radius + 2.0))"

static void computes_once(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        unsigned vectors, counters;
    } cases[] = {
        {"void main() { color = vec4(at * " DEAR ", 1); }", 2, 0},
        /* Through variables and loops of unknown trips. */
        {"void main() { vec3 a = vec3(0); for (int i = 0; i < int(at.y); i++) a += " DEAR " * at.z;"
         " color = vec4(at * a, 1); }",
         2, 0},
        /* A loop that no driver unrolled: it must stay one. */
        {"void main() { vec3 a = vec3(0); for (int i = 0; i < 200; i++) a += " DEAR " * float(i);"
         " color = vec4(at * a, 1); }",
         2, 1},
        /* Components meet: behind barriers. */
        {"void main() { color = vec4(dot(" DEAR ", at)); }", 2, 0},
        /* Two vectors are needed for one value. */
        {"void main() { color = vec4(at * exp(sin(p.radius * p.tint * at.x)), 1); }", 2, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use_result r;
        fragment(&r, HEAD, cases[i].body, 200, NULL);
        use_expect(&r, WPG_REMARK_DONE, "versions", "");
        if (repeated(&r) != cases[i].vectors || hidden_counters(&r) != cases[i].counters)
            fail_msg("%s: %u vectors, %u counters", cases[i].body, repeated(&r), hidden_counters(&r));
        use_done(&r);
    }
}

static void keeps(void **state)
{
    (void)state;
    wpg_optimize_options strict;
    wpg_optimize_defaults(&strict);
    strict.floats = WPG_FLOAT_STRICT;
    static const struct {
        const char *head, *body;
        bool strict;
    } cases[] = {
        {HEAD, "void main() { color = vec4(at * " DEAR ", 1); }", true},
        {HEAD "layout(std430, binding = 2) buffer B { float b; };\n",
         "void main() { color = vec4(at * " DEAR ", 1); b = color.x; }", false},
        {HEAD, "void main() { gl_FragDepth = (at * " DEAR ").x; color = vec4(1); }", false},
        /* Something that differs by component comes first. */
        {HEAD, "void main() { color = vec4(exp(sin(p.radius * at)), 1); }", false},
        {HEAD, "void main() { vec3 a = p.radius; a.y = at.x; color = vec4(exp(sin(a * at.x)), 1); }", false},
        /* A driver may unroll it already, and might not: it would get shorter. */
        {HEAD,
         "void main() { vec3 a = vec3(0); for (int i = 0; i < 8; i++) a += " DEAR " * float(i);"
         " color = vec4(at * a, 1); }",
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        use_result r;
        fragment(&r, cases[i].head, cases[i].body, 8, cases[i].strict ? &strict : NULL);
        if (use_said(&r, WPG_REMARK_DONE, "versions", ""))
            fail_msg("%s: a version is made", cases[i].body);
        use_done(&r);
    }
}

/* The words differ: nothing is equal. */
static void needs_equal_words(void **state)
{
    (void)state;
    static const uint32_t differ[WORDS_MOST] = {HALF, HALF, OTHER, HALF, OTHER, HALF};
    use_result r;
    words_run(&r, HEAD, "void main() { color = vec4(at * " DEAR ", 1); }", "frag", SpvExecutionModelFragment,
              differ, 1000, NULL);
    assert_false(use_said(&r, WPG_REMARK_DONE, "versions", ""));
    use_done(&r);
}

/* -- On a driver -- */

/* One statement over the vectors a0 to a2 of four and b0, b1 of two, and the uniform p.c of four and p.d of
 * two. Numbers stay finite. */
static void statement(char *out, size_t size, uint32_t *seed)
{
    const uint32_t a = next(seed) % 3, b = next(seed) % 3, x = next(seed) % 2, k = next(seed) % 4;
    switch (next(seed) % 12) {
    case 0:
        snprintf(out, size, "a%u = exp(-abs(p.c * v)) + a%u * 0.5;\n", a, b);
        break;
    case 1:
        snprintf(out, size, "a%u = sin(p.c * v) / (p.c * p.c + 1.0);\n", a);
        break;
    case 2:
        snprintf(out, size, "v = dot(a%u, a%u) * 0.1 + dot(p.c, a%u);\n", a, b, b);
        break;
    case 3:
        snprintf(out, size, "a%u = a%u * a%u + cos(a%u);\n", a, a, b, b);
        break;
    case 4:
        snprintf(out, size, "v += a%u[%u] * a%u.x + a%u.y;\n", a, k, a, a);
        break;
    case 5:
        snprintf(out, size, "b%u = sqrt(abs(p.d)) * v + b%u;\n", x, 1 - x);
        break;
    case 6:
        snprintf(out, size, "v = length(b%u) + length(a%u.xyz);\n", x, a);
        break;
    case 7:
        snprintf(out, size, "for (int k = 0; k < int(h & 7u); k++) a%u = sin(a%u + p.c * float(k));\n", a, a);
        break;
    case 8:
        snprintf(out, size, "a%u = v > 1.0 ? p.c * v : a%u;\n", a, b);
        break;
    case 9:
        snprintf(out, size, "a%u.xy = b%u; a%u.z += v;\n", a, x, a);
        break;
    case 10:
        snprintf(out, size, "a%u = mix(a%u, exp2(p.c * 0.5), vec4(v * 0.1));\n", a, b);
        break;
    default:
        snprintf(out, size, "for (int k = 0; k < 150; k++) a%u = cos(a%u * p.c + float(k) * v);\n", a, b);
        break;
    }
}

static void random_source(char *source, size_t size, uint32_t *seed)
{
    int used = snprintf(source, size,
                        WORDS_BUFFERS
                        "layout(std140, binding = 2) uniform P { vec4 c; vec2 d; } p;\n"
                        "void main() { uint i = gl_GlobalInvocationID.x, h = src.data[i];\n"
                        "float v = float(h & 255u) * 0.01; vec4 a0 = vec4(v), a1 = p.c * v, a2 = vec4(0.5, "
                        "v, 0.25, 1);\n"
                        "vec2 b0 = p.d + v, b1 = vec2(v, 0.5);\n");
    for (unsigned n = 0; n < 12 && used > 0 && (size_t)used < size; n++) {
        char line[256];
        statement(line, sizeof line, seed);
        used += snprintf(source + used, size - (size_t)used,
                         "%sv = clamp(v, -4.0, 4.0); a0 = clamp(a0, -4.0, 4.0); a1 = clamp(a1, -4.0, 4.0); "
                         "a2 = clamp(a2, -4.0, 4.0); b0 = clamp(b0, -4.0, 4.0); b1 = clamp(b1, -4.0, 4.0);\n",
                         line);
    }
    (void)snprintf(source + used, size - (size_t)used,
                   "dst.data[i] = floatBitsToUint(v + dot(a0, vec4(1, 2, 3, 4)) + a1.x + a1.y * 0.5 + a1.z + "
                   "a1.w + a2.x + a2.y + a2.z * a2.w + b0.x + b0.y + b1.x * 0.5 + b1.y + 80.0); }\n");
}

/* The results are sums above 1: a millionth or so of them is rounding, and more where a sine amplifies it. */
static const float rounding = 2e-2f;

static void random_vectors(void **state)
{
    (void)state;
    if (!device)
        skip();
    static const uint32_t some[] = {HALF, OTHER, 0x3fa00000};
    unsigned kernels_with = 0, rounded = 0, kernels = effort_count(24, 150);
    for (unsigned k = 0; k < kernels; k++) {
        char source[8192];
        uint32_t seed = 1009 * k + 3, values[WORDS_MOST], held[WORDS_HELD];
        use_shader s;
        use_result r;
        wpg_optimize_options options;
        random_source(source, sizeof source, &seed);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        for (unsigned w = 0; w < WORDS_HELD; w++)
            held[w] = some[w < 4 ? k % 3 : (k + 1) % 3];
        words_of(values, &s, held);
        wpg_optimize_defaults(&options);
        const bool strict = k % 4 == 3;
        options.floats = strict ? WPG_FLOAT_STRICT : WPG_FLOAT_STAGES;
        words_use(&r, &s, values, 1000, &options);
        kernels_with += use_said(&r, WPG_REMARK_DONE, "versions", "") && repeated(&r) != 0;
        for (unsigned round = 0; round < 3; round++) { /* as counted, then others */
            const bool differs =
                words_compare(&s, &r, held, strict || round > 0 ? 0 : rounding, k, round, source);
            rounded += round == 0 && differs;
            held[next(&seed) % WORDS_HELD] = 0x3fb00000u + round; /* never counted */
        }
        use_done(&r);
        use_free(&s);
    }
    printf("random kernels: %u, with vectors of equal words %u, rounded otherwise %u\n", kernels,
           kernels_with, rounded);
    assert_true(kernels_with * 3 >= kernels);
    assert_true(rounded * 10 <= kernels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes_once),
        cmocka_unit_test(keeps),
        cmocka_unit_test(needs_equal_words),
        cmocka_unit_test(random_vectors),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
