/* The setting FLOAT on a driver, with inputs and weights that are infinite, NaN, zeros of both signs and
 * denormals. strict: equal bits, whatever the input. Else: equal but for rounding wherever no infinity or NaN
 * arises; Vulkan leaves the others open (1.3, Precision and Operation of SPIR-V Instructions). A second
 * kernel tells where one arises: the same, which looks at every value that it computes. */
#include "tests/unit/compiler/optimize/words_driver.h"

static const uint32_t special[] = {
    0x00000000, 0x80000000, /* zeros */
    0x7f800000, 0xff800000, /* infinities */
    0x7fc00000, 0xff800001, /* NaN */
    0x00000001, 0x807fffff, /* denormals */
    0x3f800000, 0xbf800000, 0x3f000000, 0x40490fdb, 0x7f7fffff, 0x33800000, 0xc0200000, 0x3f7fffff,
};
enum { SPECIALS = sizeof special / sizeof *special };

/* One statement over v0 to v2, the raw input v3 and the weights w0 to w5; C(x) looks at x. One operation at a
 * time, so that nothing arises unseen. */
static void statement(char *out, size_t size, uint32_t *seed)
{
    const uint32_t a = next(seed) % 3, b = next(seed) % 4, c = next(seed) % 4, w = next(seed) % WORDS_HELD,
                   x = next(seed) % WORDS_HELD;
    switch (next(seed) % 14) {
    case 0:
        snprintf(out, size, "{ float u = v%u * p.w%u; C(u) v%u = u + v%u; }", b, w, a, c);
        break;
    case 1:
        snprintf(out, size, "{ float u = p.w%u * p.w%u; C(u) u = u * v%u; C(u) v%u -= u; }", w, x, b, a);
        break;
    case 2:
        snprintf(out, size, "{ float u = 1.0 - p.w%u; C(u) u = u * v%u; C(u) v%u = u; }", w, b, a);
        break;
    case 3: /* mix is x * (1 - w) + y * w */
        snprintf(out, size,
                 "{ float u = sin(v%u), r = u * (1.0 - p.w%u), s = v%u * p.w%u; C(u) C(r) C(s) v%u = mix(u, "
                 "v%u, p.w%u); }",
                 b, w, c, w, a, c, w);
        break;
    case 4:
        snprintf(out, size, "{ float u = abs(v%u); C(u) v%u = pow(u, p.w%u); }", b, a, w);
        break;
    case 5:
        snprintf(out, size, "v%u = clamp(v%u, -abs(p.w%u), 2.0);", a, b, w);
        break;
    case 6:
        snprintf(out, size, "v%u = p.w%u < 0.25 ? v%u : cos(v%u);", a, w, b, c);
        break;
    case 7:
        snprintf(out, size, "{ float u = v%u + p.w%u; C(u) v%u = u; }", b, w, a);
        break;
    case 8:
        snprintf(out, size, "{ float u = exp(v%u); C(u) u = u * p.w%u; C(u) v%u += u; }", a, w, a);
        break;
    case 9:
        snprintf(out, size, "if (p.w%u != 0.0) { v%u = v%u / p.w%u; C(v%u) }", w, a, b, w, a);
        break;
    case 10:
        snprintf(out, size,
                 "{ vec3 t = vec3(v%u, 0.5, v%u) * p.w%u; C(t.x) C(t.y) C(t.z) float u = dot(t, vec3(1, 2, "
                 "3)); C(u) v%u = u; }",
                 b, c, w, a);
        break;
    case 11:
        snprintf(out, size, "v%u = max(v%u, p.w%u);", a, b, w);
        break;
    case 12:
        snprintf(out, size, "{ float u = -p.w%u; C(u) u = u * v%u; C(u) v%u = u; }", w, b, a);
        break;
    default:
        snprintf(out, size, "for (int k = 0; k < 3; k++) { v%u = v%u * p.w%u + 0.25; C(v%u) }", a, a, w, a);
        break;
    }
}

static void random_source(char *source, size_t size, uint32_t seed, bool watched)
{
    int used = snprintf(
        source, size,
        "#version 450\nlayout(local_size_x = 64) in;\n"
        "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"
        "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"
        "layout(std140, binding = 2) uniform P { float w0, w1, w2, w3, w4, w5; } p;\n"
        "%s\n"
        "void main() { uint i = gl_GlobalInvocationID.x, h = src.data[i];\n"
        "bool bad = false;\n"
        "float v0 = float(h & 255u) * 0.01, v1 = float(h >> 8 & 255u) * 0.02, v2 = 0.75;\n"
        "const uint some[16] = uint[](0x00000000u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, "
        "0xff800001u, 0x00000001u, 0x807fffffu, 0x3f800000u, 0xbf800000u, 0x3f000000u, 0x40490fdbu, "
        "0x7f7fffffu, 0x33800000u, 0xc0200000u, 0x3f7fffffu);\n"
        "float v3 = uintBitsToFloat(some[h >> 24 & 15u]); C(v3) C(p.w0) C(p.w1) C(p.w2) C(p.w3) C(p.w4) "
        "C(p.w5)\n",
        watched ? "#define C(x) bad = bad || (floatBitsToUint(x) & 0x7f800000u) == 0x7f800000u;"
                : "#define C(x)");
    for (unsigned n = 0; n < 8 && used > 0 && (size_t)used < size; n++) {
        char line[384];
        statement(line, sizeof line, &seed);
        used += snprintf(source + used, size - (size_t)used,
                         "%s C(v0) C(v1) C(v2)\n"
                         "v0 = clamp(v0, -2.0, 2.0); v1 = clamp(v1, -2.0, 2.0); v2 = clamp(v2, -2.0, 2.0);\n",
                         line);
    }
    /* No zero at the end: its sign is not kept. */
    (void)snprintf(source + used, size - (size_t)used, "dst.data[i] = %s; }\n",
                   watched ? "bad ? 1u : 0u" : "floatBitsToUint(v0 + v1 * 0.5 + v2 + 40.0)");
}

static const float rounding = 1e-3f;

typedef struct tally {
    unsigned kernels, versions, equal, rounded, open;
} tally;

static void one_kernel(tally *t, unsigned k, wpg_float_choice floats)
{
    char source[16384], watch[16384];
    uint32_t seed = 1013 * k + 7, values[WORDS_MOST], weights[WORDS_HELD];
    uint32_t before[INVOCATIONS], after[INVOCATIONS], bad[INVOCATIONS];
    use_shader s, watcher;
    use_result r;
    wpg_optimize_options options;
    random_source(source, sizeof source, seed, false);
    random_source(watch, sizeof watch, seed, true);
    use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
    use_glsl(&watcher, watch, "comp", SpvExecutionModelGLCompute);
    for (unsigned w = 0; w < WORDS_HELD; w++) /* zeros and ones more often than others */
        weights[w] = next(&seed) % 3 == 0 ? special[next(&seed) % SPECIALS]
                                          : (uint32_t[]){0, 0x3f800000, 0xbf800000}[next(&seed) % 3];
    words_of(values, &s, weights);
    wpg_optimize_defaults(&options);
    options.floats = floats;
    words_use(&r, &s, values, 1000, &options);
    t->versions += use_said(&r, WPG_REMARK_DONE, "versions", "") != 0;
    use_normalize(&watcher);
    run_on(before, s.words, s.count, weights);
    run_on(after, r.words, r.count, weights);
    run_on(bad, watcher.words, watcher.count, weights);
    for (unsigned i = 0; i < INVOCATIONS; i++) {
        t->equal += before[i] == after[i];
        t->open += before[i] != after[i] && bad[i];
        t->rounded += before[i] != after[i] && !bad[i];
        if (before[i] != after[i] &&
            (floats == WPG_FLOAT_STRICT || (!bad[i] && !is_near(before[i], after[i], rounding))))
            fail_msg("kernel %u: invocation %u has %08x, had %08x\n%s", k, i, after[i], before[i], source);
    }
    use_done(&r);
    use_free(&s);
    use_free(&watcher);
}

static tally kernels(wpg_float_choice floats, const char *name)
{
    const unsigned count = effort_count(40, 400);
    tally t = {.kernels = count};
    for (unsigned k = 0; k < count; k++)
        one_kernel(&t, k, floats);
    printf("FLOAT=%s: %u kernels, versions of %u; results equal %u, rounded otherwise %u, open %u\n", name,
           count, t.versions, t.equal, t.rounded, t.open);
    return t;
}

static void strict_keeps_every_bit(void **state)
{
    (void)state;
    if (!device)
        skip();
    const tally t = kernels(WPG_FLOAT_STRICT, "strict");
    assert_true(t.versions > 0 && t.rounded == 0 && t.open == 0);
}

static void spec_does_what_vulkan_allows(void **state)
{
    (void)state;
    if (!device)
        skip();
    const tally t = kernels(WPG_FLOAT_SPEC, "spec");
    assert_true(t.versions * 2 > t.kernels);
    assert_true(t.open > 0); /* else no input was one of those */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_keeps_every_bit),
        cmocka_unit_test(spec_does_what_vulkan_allows),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
