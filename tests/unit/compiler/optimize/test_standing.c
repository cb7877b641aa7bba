/* Loops of float work whose bounds are words of uniform blocks: which get their trips as constants, behind
 * barriers, and which keep their tests. On a driver: random loops with equal bits, for the values that were
 * counted and for others. */
#include "tests/unit/compiler/optimize/words_driver.h"

enum { WORDS = WORDS_HELD };

#define HEAD                                                                                                 \
    "layout(local_size_x = 64) in;\n"                                                                        \
    "layout(std430, binding = 0) buffer In { float data[]; } src;\n"                                         \
    "layout(std430, binding = 1) buffer Out { float data[]; } dst;\n"                                        \
    "layout(std140, binding = 2) uniform P { uint n, m; } p;\n"
#define START "void main() { uint at = gl_GlobalInvocationID.x; float x = src.data[at], y = x + 1.0;\n"
#define END   " dst.data[at] = x; }"

typedef struct loop_case {
    const char *body;
    int barriers; /* in the version; 0: the bound stays a load */
} loop_case;

/* The bound is decided in each beside a division, so that there is a version anyway. */
static void frees_and_leaves(void **state)
{
    (void)state;
    static const loop_case cases[] = {
        {"for (uint i = 0u; i < p.n; i++) x += src.data[at + i];", 1},
        {"for (uint i = 0u; i < p.n; i++) x = max(x, src.data[at + i]);", 1},
        {"for (uint i = 0u; i < p.n; i++) { if (src.data[at + i] > 9.0) continue; x += src.data[at + i] * x; "
         "}",
         1},
        {"for (uint i = 0u; i < p.n; i++) { x += src.data[at + i]; y = y * x; } x += y;", 2},
        {"for (uint i = 0u; i < p.n; i++) for (uint j = 0u; j < p.m; j++) x += src.data[at + i * 7u + j];",
         2},
        /* A way out whose value is the loop's own: the phi behind the loop has one way left. */
        {"float z = 0.0; for (uint i = 0u; i < p.n; i++) { z = x * src.data[at + i]; x += z; if (x > 9.0) "
         "break; } x += z;",
         4},
        /* A branch on a part of a vector that has another, constant part. */
        {"uvec2 b = uvec2(7u); b.x = at; b = b.yx; for (uint i = 0u; i < p.n; i++) { if (b.y + i < 9u) "
         "continue; "
         "x += src.data[at + i]; }",
         1},
        {"uvec2 b = uvec2(7u); b.x = at; b = b.yx; for (uint i = 0u; i < p.n; i++) { if (b.x + i < 9u) x *= "
         "y; "
         "x += src.data[at + i]; }",
         0},
        /* The counter in arithmetic: constants would be rounded by the compiler. */
        {"for (uint i = 0u; i < p.n; i++) x += sin(float(i)) * src.data[at];", 0},
        /* Unrolling would decide a branch between sums. */
        {"for (uint i = 0u; i < p.n; i++) { if (i == 2u) x = x * src.data[at]; x += src.data[at + i]; }", 0},
        /* A product from before the loop, used in every trip. */
        {"float z = x * y; for (uint i = 0u; i < p.n; i++) x = z + x * src.data[at + i];", 0},
        /* Floats go from trip to trip through memory. */
        {"for (uint i = 0u; i < p.n; i++) { x += dst.data[at + i]; dst.data[at + i + 1u] = x; }", 0},
        /* Doubles have no barrier. */
        {"dvec2 d = dvec2(x); for (uint i = 0u; i < p.n; i++) d = d * 0.5 + double(x); x = float(d.x);", 0},
        /* Its trips differ between lanes. */
        {"for (uint i = at & 3u; i < p.n; i++) x += src.data[at + i];", 0},
    };
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    options.passes[0] = WPG_PASS_TRIP_GUARD; /* it has barriers of its own */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[1024];
        use_result r;
        snprintf(body, sizeof body, START "%s src.data[at / p.m] = y;" END, cases[i].body);
        words_run(&r, HEAD, body, "comp", SpvExecutionModelGLCompute, (const uint32_t[]){5, 5}, 1000,
                  &options);
        use_expect(&r, WPG_REMARK_DONE, "versions", "a version of the stage");
        /* One more makes the test of a single word. */
        int barriers = (int)use_occurrences(&r, "OpBitwiseOr") - 1;
        if (barriers != cases[i].barriers)
            fail_msg("%s: %d barriers, not %d", cases[i].body, barriers, cases[i].barriers);
        use_done(&r);
    }
}

/* A loop that runs long by the profile keeps its bound: no driver unrolls it. */
static void leaves_long_loops(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             "#version 450\n" HEAD START
             "for (uint i = 0u; i < p.n; i++) x += src.data[at + i]; src.data[at / "
             "p.m] = y;" END,
             "comp", SpvExecutionModelGLCompute);
    s.trips[0] = 100;
    words_use(&r, &s, (const uint32_t[]){100, 7}, 1000, NULL);
    /* The divisor alone, which saves little beside the loop. */
    use_expect(&r, WPG_REMARK_REFUSED, "versions",
               "1 words of uniform blocks: refused: hardly more than its test costs");
    use_done(&r);
    use_free(&s);
}

/* -- On a driver -- */

/* A float made of the floats v0 to v3 and the loop's input. */
static void expression(char *out, size_t size, uint32_t *seed)
{
    unsigned a = next(seed) % 4, b = next(seed) % 4;
    static const char *const forms[] = {"v%u * 0.5 + v%u",    "v%u * in0(k) + v%u",
                                        "v%u * v%u - in0(k)", "max(v%u, v%u) + in0(k)",
                                        "sin(v%u) * v%u",     "in0(k) * v%u + in0(k + 1u) * v%u",
                                        "v%u - v%u * 0.25",   "abs(v%u) * (v%u + 1.0)"};
    (void)snprintf(out, size, forms[next(seed) % (sizeof forms / sizeof *forms)], a, b);
}

static void body(char *out, size_t size, uint32_t *seed, unsigned depth);

/* A loop up to a word, of one of the shapes front ends make. */
static void loop(char *out, size_t size, uint32_t *seed, unsigned depth)
{
    char inside[2048];
    unsigned w = next(seed) % WORDS;
    body(inside, sizeof inside, seed, depth + 1);
    switch (next(seed) % 5) {
    case 0:
        (void)snprintf(out, size, "for (uint i%u = 0u; i%u < p.w%u; i%u++) { k += 3u; %s }\n", depth, depth,
                       w, depth, inside);
        break;
    case 1:
        (void)snprintf(
            out, size,
            "{ uint i%u = 0u; while (true) { if (!(i%u < p.w%u)) { break; } %s i%u += 1u; k += i%u; } }\n",
            depth, depth, w, inside, depth, depth);
        break;
    case 2:
        (void)snprintf(out, size,
                       "for (int i%u = int(p.w%u); i%u > 0; i%u--) { if (v%u > 30.0) break; %s }\n", depth, w,
                       depth, depth, next(seed) % 4, inside);
        break;
    case 3:
        (void)snprintf(out, size,
                       "for (uint i%u = 0u; i%u < p.w%u; i%u += 2u) { if (in0(i%u) > 0.8) continue; %s }\n",
                       depth, depth, w, depth, depth, inside);
        break;
    default:
        (void)snprintf(out, size, "{ uint i%u = 0u; do { %s i%u++; } while (i%u < p.w%u); }\n", depth, inside,
                       depth, depth, w);
        break;
    }
}

static void body(char *out, size_t size, uint32_t *seed, unsigned depth)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned n = 1 + next(seed) % 3; n && used < size; n--) {
        char value[128], line[2048];
        expression(value, sizeof value, seed);
        switch (next(seed) % (depth < 2 ? 7 : 4)) {
        case 0:
            (void)snprintf(line, sizeof line, "if (in0(k + %uu) > 0.5) v%u = %s;\n", next(seed) % 9,
                           next(seed) % 4, value);
            break;
        case 1:
            (void)snprintf(line, sizeof line, "if (p.w%u == %uu) v%u = %s; else v%u *= 0.5;\n",
                           next(seed) % WORDS, next(seed) % 4, next(seed) % 4, value, next(seed) % 4);
            break;
        case 2:
        case 3:
            (void)snprintf(line, sizeof line, "v%u = %s;\n", next(seed) % 4, value);
            break;
        default:
            loop(line, sizeof line, seed, depth);
            break;
        }
        used += (size_t)snprintf(out + used, size - used, "%s", line);
    }
}

static void random_source(char *source, size_t size, uint32_t *seed)
{
    int used =
        snprintf(source, size,
                 WORDS_BUFFERS "layout(std140, binding = 2) uniform P { uint w0, w1, w2, w3, w4, w5; } p;\n"
                               "float in0(uint k) { return float(src.data[k & 127u] & 255u) * 0.00390625; }\n"
                               "void main() { uint at = gl_GlobalInvocationID.x, k = at;\n"
                               "float v0 = in0(at), v1 = in0(at + 1u), v2 = 0.75, v3 = in0(at + 2u) * v1;\n");
    for (unsigned n = 0; n < 4 && used > 0 && (size_t)used < size; n++) {
        char line[4096];
        loop(line, sizeof line, seed, 0);
        used += snprintf(source + used, size - (size_t)used,
                         "%sv0 = clamp(v0, -40.0, 40.0); v1 = clamp(v1, -40.0, 40.0);\n", line);
    }
    /* The sign of a NaN is nobody's. */
    (void)snprintf(source + used, size - (size_t)used,
                   "uint bits = floatBitsToUint(v0 + v1 + v2 * 0.5 + v3);\n"
                   "if ((bits & 0x7fffffffu) > 0x7f800000u) bits = 1u;\n"
                   "dst.data[at] = bits ^ (k / max(p.w0, 1u)); }\n");
}

static void random_loops(void **state)
{
    (void)state;
    if (!device)
        skip();
    unsigned kernels = effort_count(24, 200), versions = 0, hidden = 0;
    for (unsigned k = 0; k < kernels; k++) {
        char source[32768];
        uint32_t seed = 1973 * k + 11, values[WORDS_MOST], held[WORDS];
        use_shader s;
        use_result r;
        random_source(source, sizeof source, &seed);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        for (unsigned w = 0; w < WORDS; w++)
            held[w] = next(&seed) % 6;
        for (unsigned l = 0; l < 16; l++)
            s.trips[l] = 1 + next(&seed) % 5;
        words_of(values, &s, held);
        words_use(&r, &s, values, 1000, NULL);
        bool made = use_said(&r, WPG_REMARK_DONE, "versions", "");
        versions += made;
        hidden += made && use_occurrences(&r, "OpBitwiseOr") > 2;
        for (unsigned round = 0; round < 3; round++) {
            (void)words_compare(&s, &r, held, 0, k, round, source);
            held[next(&seed) % WORDS] = next(&seed) % 7;
        }
        use_done(&r);
        use_free(&s);
    }
    printf("random kernels: %u, with a version %u, with barriers %u\n", kernels, versions, hidden);
    assert_true(versions * 2 >= kernels);
    assert_true(hidden * 4 >= kernels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frees_and_leaves),
        cmocka_unit_test(leaves_long_loops),
        cmocka_unit_test(random_loops),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
