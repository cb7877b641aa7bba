/* Bit-equality on a real driver: original and optimised kernels over inputs the profile saw and inputs it did
 * not. Kernels: fixed ones and random structured programs; a profile that asks for every transformation. */
#include "compiler/optimize/ir/legality.h"
#include "tests/support/vk_compute.h"
#include "tests/unit/compiler/optimize/biased.h"
#include "tests/support/effort.h"

enum { INVOCATIONS = 256, TRIPS = 6 };

static vkc_device *device;

typedef struct params {
    int32_t n, m;
    float f;
    int32_t pad;
} params;

/* Runs one module over the fixed inputs; `out` receives INVOCATIONS words. */
static void run_words(uint32_t *out, const uint32_t *words, size_t count, params p)
{
    vkc_buffer in, result, uniform;
    assert_true(vkc_buffer_make(&in, device, INVOCATIONS * 4));
    assert_true(vkc_buffer_make(&result, device, INVOCATIONS * 4));
    assert_true(vkc_buffer_make(&uniform, device, sizeof p));
    uint32_t value = 12345;
    for (unsigned i = 0; i < INVOCATIONS; i++)
        ((uint32_t *)in.data)[i] = value = value * 1664525u + 1013904223u;
    for (unsigned i = 0; i < 8; i++) /* and values that no training run had */
        ((uint32_t *)in.data)[i * 31] =
            (uint32_t[]){0, ~0u, 0x80000000u, 1, 0x7fc00000u, 0x7f800000u, 1024, 3}[i];
    memcpy(uniform.data, &p, sizeof p);
    vkc_job job = {.words = words,
                   .word_count = count,
                   .bindings = {{&in, VKC_STORAGE}, {&result, VKC_STORAGE}, {&uniform, VKC_UNIFORM}},
                   .binding_count = 3,
                   .groups = {INVOCATIONS / 64, 1, 1}};
    assert_true(vkc_run(device, &job, NULL));
    memcpy(out, result.data, INVOCATIONS * 4);
    vkc_buffer_free(&in, device);
    vkc_buffer_free(&result, device);
    vkc_buffer_free(&uniform, device);
}

/* Compares over trained and adversarial parameters; true if equal everywhere. */
static void expect_equal(const use_shader *s, const use_result *r, const char *source)
{
    static const int32_t bounds[] = {TRIPS, 0, 1, TRIPS - 1, TRIPS + 1, 2 * TRIPS, 500, -3};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        uint32_t before[INVOCATIONS], after[INVOCATIONS];
        params p = {.n = bounds[i], .m = bounds[(i * 3) % 8], .f = 0.25f};
        if (getenv("WPG_TEST_VERBOSE"))
            fprintf(stderr, "n %d m %d\n", p.n, p.m);
        run_words(before, s->words, s->count, p);
        run_words(after, r->words, r->count, p);
        if (memcmp(before, after, sizeof before) == 0)
            continue;
        for (unsigned j = 0; j < INVOCATIONS; j++)
            if (before[j] != after[j]) {
                fprintf(stderr, "%s\n", source);
                fail_msg("n %d m %d: invocation %u has %08x, had %08x", p.n, p.m, j, after[j], before[j]);
            }
    }
}

static void all_rare(use_shader *s)
{
    for (uint32_t i = 0; i < s->weights.select_count; i++)
        use_rare(s, i, 0, 0);
}

static unsigned transformed(const use_result *r)
{
    return use_said(r, WPG_REMARK_DONE, "unflatten", "") + use_said(r, WPG_REMARK_DONE, "trip-guard", "");
}

static void fixed_kernels(void **state)
{
    (void)state;
    if (!device)
        skip();
    static const char *const names[] = {"select_rare.comp", "trip_uniform.comp"};
    for (size_t i = 0; i < 2; i++) {
        use_shader s;
        use_result r;
        use_golden(&s, names[i]);
        s.trips[0] = TRIPS;
        use_profile(&s);
        all_rare(&s);
        use_run(&r, &s, NULL, true);
        assert_int_equal(transformed(&r), 1);
        expect_equal(&s, &r, names[i]);
        use_done(&r);
        use_free(&s);
    }
}

/* Arms that a driver runs side by side when told so. */
static void flat_arms(void **state)
{
    (void)state;
    if (!device)
        skip();
    use_shader s;
    use_result r;
    use_golden(&s, "divergent_short.comp");
    use_profile(&s);
    for (unsigned b = 1; b < 3; b++)
        s.lanes[b] = USE_LANES / 2, s.uniform[b] = 0;
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "flatten", "; Flatten");
    expect_equal(&s, &r, "divergent_short.comp");
    use_done(&r);
    use_free(&s);
}

/* Loads by indices that the profile saw agree: lanes do for some parameters, and do not for others. */
static void agreed_indices(void **state)
{
    (void)state;
    if (!device)
        skip();
    static const char *const bodies[] = {
        "sum = PART(k, 0) * PART(k, 1) + PART(k, 2) * x + PART(k, 3) * PART(k, 4) + PART(k, 5) * x + PART(k, "
        "6) * "
        "PART(k, 7) + x;",
        "for (int j = 0; j < min(params.m, 9); j++) { uint q = k + uint(j) * 3u;"
        " sum += PART(q, 0) * x + PART(q, 1) * PART(q, 2) + PART(q, 3) * x + PART(q, 4) * PART(q, 5) + "
        "PART(q, 6) -"
        " PART(q, 7); x = fract(sum); }",
        "uint q = src.data[k + 5u] & 63u, t = src.data[q + 9u] & 31u;" /* what is loaded loads */
        " sum = PART(q, 0) * x + PART(t, 1) * PART(q, 2) + PART(t, 3) * x + PART(q, 4) + PART(t, 5) * "
        "PART(q, 6);",
        "if ((i & 3u) != 1u) { sum = PART(k, 0) * x + PART(k, 1) * PART(k, 2) + PART(k, 3) * x + PART(k, 4) "
        "* PART(k, "
        "5) + PART(k, 6) - PART(k, 7); } else { sum = x * 3.0 + PART(k, 8); }",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        use_shader s;
        use_result r;
        wpg_optimize_options options;
        char source[2048];
        snprintf(source, sizeof source,
                 USE_COMPUTE_HEAD
                 "#define PART(k, n) uintBitsToFloat((src.data[(k) + uint(n)] & 0x7fffffu) | 0x3f800000u)\n"
                 "void main() { uint i = gl_GlobalInvocationID.x;"
                 " uint k = src.data[params.n > 3 ? i & ~63u : params.n > 0 ? i & ~3u : i] & 127u;"
                 " float x = float(i) * 0.37 + params.f, sum = 0.0; %s dst.data[i] = floatBitsToUint(sum); }",
                 bodies[i]);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        for (size_t t = 0; t < 4; t++)
            s.trips[t] = 8;
        use_profile(&s);
        biased_add_values(&s, 1);
        wpg_optimize_defaults(&options);
        options.scalarise = true;
        options.max_growth = 1000;
        use_run(&r, &s, &options, true);
        use_expect(&r, WPG_REMARK_DONE, "scalarise", "behind one guard");
        expect_equal(&s, &r, source);
        use_done(&r);
        use_free(&s);
    }
}

static void loop_forms(void **state)
{
    (void)state;
    if (!device)
        skip();
    static const char *const loops[] = {
        "for (int k = 0; k <= params.n; k++)",         "for (int k = 20; k > params.n; k -= 3)",
        "for (int k = 9; k >= params.n; k--)",         "for (uint k = 0u; k < uint(params.n & 1023); k++)",
        "for (int k = 0; k != (params.n & 511); k++)", "for (int k = 0; params.n > k; k += 2)",
        "for (int k = -3; k < params.n * 2; k += 4)",
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        use_shader s;
        use_result r;
        char source[1024];
        snprintf(source, sizeof source,
                 USE_COMPUTE_HEAD
                 "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i], e = 0u;\n"
                 "%s { h = h * 1664525u + uint(k); if ((h & 7u) == 3u) continue; h ^= h >> 3u;"
                 " e = h; if ((h & 255u) == 9u) break; }\n"
                 "dst.data[i] = h ^ (e << 1u); }\n",
                 loops[i]);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        s.trips[0] = TRIPS;
        use_profile(&s);
        use_run(&r, &s, NULL, true);
        assert_int_equal(use_said(&r, WPG_REMARK_DONE, "trip-guard", ""), 1);
        expect_equal(&s, &r, source);
        use_done(&r);
        use_free(&s);
    }
}

/* Loops whose first trip meets the value it starts from again: unrolled, x * a + x * b, which drivers factor
 * unless something keeps the trips apart (compiler/optimize/loops/opt_barrier.h). On lavapipe 25 the third
 * and the fourth fail without optimisation barriers; the last has its factorable sum within one trip, where
 * the driver may do with the copy what it does with the loop. */
static void carried_floats(void **state)
{
    (void)state;
    /* Mesa 22.3 specialises larger shaders on uniform values by itself, and factors what it unrolls. */
    if (!device || vkc_mesa_major(device) < 25)
        skip();
    static const char *const bodies[] = {
        "float v = x; for (int k = 0; k < params.n; k++) { v = v * a + x * b; v = clamp(v, -9.0, 9.0); }",
        "float v = x; for (int k = 0; k < params.n; k++) v = v * a - (x - float(k)) * b; ",
        "vec3 w = vec3(x, a, b), u = w; for (int k = 0; k < params.n; k++) w = w * a + u * b; float v = w.x "
        "+ "
        "w.y * w.z;",
        "float v = x, w = b; for (int k = 0; k < params.n; k++) { float t = v * a + x * w; w = w * b + v * "
        "b; v "
        "= t; }",
        "float v = a; for (int k = 0; k < params.n; k++) v = v * b + a * x; v = v * x + a * x;",
        "float v = x; for (int k = 0; k < params.n; k++) v = clamp(v + (x * a + x * b), -9.0, 9.0);",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        use_shader s;
        use_result r;
        char source[1024];
        snprintf(
            source, sizeof source,
            USE_COMPUTE_HEAD
            "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i];\n"
            "float x = float(h & 4095u) * 0.013, a = 0.37 + params.f * float(h >> 28u), b = 0.1 + float(h >> "
            "24u & 15u) * 0.017;\n"
            "%s\ndst.data[i] = floatBitsToUint(v); }\n",
            bodies[i]);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        s.trips[0] = TRIPS;
        use_profile(&s);
        use_run(&r, &s, NULL, true);
        assert_int_equal(use_said(&r, WPG_REMARK_DONE, "trip-guard", ""), 1);
        expect_equal(&s, &r, source);
        use_done(&r);
        use_free(&s);
    }
}

/* Floats that loops of counted trips make of constants: lavapipe folds them where it unrolls these loops,
 * which hangs on what is around them. The first one's nine cosines are folded in Function memory and computed
 * as values (Mesa 25.0.7). So these loops stay in memory while the rest becomes values. */
static void folded_floats(void **state)
{
    (void)state;
    if (!device || vkc_mesa_major(device) < 25)
        skip();
    static const char *const loops[] = {
        "for (int k = 0; k < 3; k++) { for (int q = 0; q < 3; q++) { if (++budget > 3000u) break;"
        " y = cos(y + 1.5); } if ((h & 8u) == 1u) continue; }",
        "for (int k = 0; k < 4; k++) { y = sin(y * 0.7) + float(k); x = mix(x + y, sqrt(abs(x * x - y)) / "
        "(0.5 + abs(x - 3.5)), x > 20.5); }",
        "for (int k = 0; k < 9; k++) y = y / (1.5 + y * y);",
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        use_shader s;
        use_result r;
        char source[1200];
        snprintf(source, sizeof source,
                 USE_COMPUTE_HEAD
                 "void main() { uint i = gl_GlobalInvocationID.x, h = src.data[i], budget = 0u;\n"
                 "float x = float(h & 4095u) * 0.01, y = 0.5;\n%s\n"
                 "x = mix(y * params.f, sqrt(abs((x + y - y * x) / (0.5 + abs(float(h & 255u) + y + 1.5)))), "
                 "x > 7.5);\n"
                 "dst.data[i] = h ^ floatBitsToUint(x) ^ floatBitsToUint(y); }\n",
                 loops[i]);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        for (unsigned t = 0; t < 4; t++)
            s.trips[t] = TRIPS;
        use_profile(&s);
        all_rare(&s);
        wpg_optimize_options options;
        wpg_optimize_defaults(&options);
        options.unflatten_cost = 4;
        use_run(&r, &s, &options, true);
        use_expect(&r, WPG_REMARK_DONE, "unflatten", "select");
        expect_equal(&s, &r, source);
        use_done(&r);
        use_free(&s);
    }
}

/* Switches and conditions on a uniform value in loops: loaded before the loop, in every trip, and behind the
 * first test; with floats that merge behind them, breaks and continues in arms. */
static void decided_branches(void **state)
{
    (void)state;
    if (!device)
        skip();
    static const char *const bodies[] = {
        "switch (params.m) { case 6: v = v * 0.75 + x; break; case 1: v = sin(v); break; default: v -= x; }",
        "int m = params.m; for (int q = 0; q < (c & 7); q++) switch (m) { case 0: v += x; break; case 6: v = "
        "v * x;"
        " break; case 7: v = x / (1.0 + v * v); break; } v = v + x * 0.5;",
        "if (params.m == 6) { h ^= h << 3; v = v * y + x * y; } else { h += 77u; v = cos(v) + x; } v = v * "
        "x;",
        "if (params.m > 5) { if ((h & 15u) == 3u) continue; v = v * 0.5; h += 3u; } else { v "
        "+= "
        "1.0; h *= 7u; h ^= h >> 2u; v *= x; h += 9u; }",
        "switch (params.m) { case 6: if ((h & 63u) == 9u) break; h ^= h >> 3; v += x; case 5: v = v * x; "
        "break;"
        " case 2: v = exp2(-abs(v)); break; } v = clamp(v, -8.0, 8.0); h = h * 1664525u + 1u;",
        "vec3 t = vec3(v, x, y); switch (params.m) { case 6: t = t.zxy * 0.5; break; case 3: t = t * t + 1.0;"
        " break; default: t.x = x; } v = t.x + t.y;",
        "if (params.m >= 5) v = fract(v * 1.7); else v = cos(v) - floor(v) + x; h += uint(k);",
        "for (int q = 0; q < params.n; q++) { if (params.m != 6) { v = sqrt(abs(v)); continue; } v = v * y + "
        "x; }",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        use_shader s;
        use_result r;
        char source[1024];
        snprintf(source, sizeof source,
                 USE_COMPUTE_HEAD "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i];\n"
                                  "float x = float(h & 255u) * 0.01, y = float(h >> 24) * 0.1, v = x;\n"
                                  "int c = int(src.data[4] & 31u) + 9; for (int k = 0; k < c; k++) { %s }\n"
                                  "dst.data[i] = floatBitsToUint(v) ^ h; }\n",
                 bodies[i]);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        for (size_t t = 0; t < 4; t++)
            s.trips[t] = TRIPS;
        use_profile(&s);
        biased_add_values(&s, TRIPS);
        use_run(&r, &s, NULL, true);
        use_expect(&r, WPG_REMARK_DONE, "value-guard", "guarded on");
        expect_equal(&s, &r, source);
        use_done(&r);
        use_free(&s);
    }
}

/* Conditions that stand still in loops: of a uniform value, of the workgroup, of one lane; several, one in
 * the other, decided by the rest of the loop; with breaks, continues and sums that a driver could factor once
 * a branch is gone. The profile has the first side hot, the inputs both. */
static void standing_conditions(void **state)
{
    (void)state;
    if (!device)
        skip();
    static const char *const bodies[] = {
        "if (params.m == 6) v = v * y + x * y; else { v = cos(v) + sin(v * x) + sqrt(abs(v)); }",
        "if (params.m > 2) v += x; else { v = exp2(-abs(v)) + sin(x) + cos(v); } if ((params.m & 1) == 0) v "
        "= v * x; "
        "else { h ^= h << 3; v = sin(v) + sin(x) + x * y; } v = clamp(v, -8.0, 8.0);",
        "if (uint(params.m) > gl_WorkGroupID.x) { if ((h & 15u) == 3u) continue; v = v * 0.5; } else { h /= "
        "3u; h /= 5u; "
        "v += 1.0; }",
        "if (own) v = v * x + y; else { if ((h & 31u) == 5u) break; v = sin(v) + cos(x) * exp2(-abs(v)); } h "
        "+= uint(k);",
        "switch (params.m) { case 6: v = v * x; break; case 1: v = sin(v) + cos(v); break; case 0: v = x; "
        "default: v = "
        "log2(1.0 + abs(v)) + sin(x); } v = v * 0.5;",
        "for (int q = 0; q < (c & 3); q++) { if (params.m != 6) v = v * 0.75 + x * y; else { v = "
        "sqrt(abs(v)) + "
        "sin(v) + cos(y); "
        "continue; } v = v * y + x; } ",
        "if (params.m == 6 && params.n > 3) v = v * y + x * 0.5; else { v = sin(v) + cos(v) + exp2(-abs(v)); "
        "} if (params.m "
        "== 6 && h == 3u) break; h = h * 1664525u + 1u;",
        "vec3 t = vec3(v, x, y); if (params.f > 0.5) { t = sin(t) * 0.5 + cos(t.zxy); } else t = t * t.yzx; "
        "v = t.x + t.y;",
        "if (own) { if (params.m == 6) v += x * y; else v = sin(v * x) + cos(v) + exp2(-abs(x)); } else { v "
        "= sin(v) + "
        "cos(x) + sqrt(abs(v)); }",
    };
    static const char *const trips[] = {"c", "7", "params.n"};
    unsigned done = 0;
    for (size_t i = 0; i < 3 * (sizeof bodies / sizeof *bodies); i++) {
        use_shader s;
        use_result r;
        char source[1200];
        wpg_optimize_options options;
        snprintf(source, sizeof source,
                 USE_COMPUTE_HEAD "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i];\n"
                                  "float x = float(h & 255u) * 0.01, y = float(h >> 24) * 0.1, v = x;\n"
                                  "bool own = (h & 64u) == 0u;\n"
                                  "int c = int(src.data[4] & 31u) + 9; for (int k = 0; k < %s; k++) { %s }\n"
                                  "dst.data[i] = floatBitsToUint(v) ^ h; }\n",
                 trips[i % 3], bodies[i / 3]);
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        for (size_t t = 0; t < 4; t++)
            s.trips[t] = TRIPS;
        use_profile(&s);
        wpg_optimize_defaults(&options);
        options.max_growth = 1000;
        use_run(&r, &s, &options, true);
        done += use_said(&r, WPG_REMARK_DONE, "unswitch", "") != 0;
        if (vkc_mesa_major(device) >= 25 ||
            i % 3 == 0) /* older ones unroll by uniform values: see carried_floats */
            expect_equal(&s, &r, source);
        use_done(&r);
        use_free(&s);
    }
    assert_true(done >= 12);
}

/* Cost of the blocks that only this way leads to; scales their counts by parts of TRIPS where `parts`. */
static uint32_t way_cost(use_shader *s, const wpg_cfg *cfg, uint32_t way, uint64_t parts)
{
    uint32_t cost = 0;
    for (uint32_t b = 0; cfg->blocks[way].predecessor_count == 1 && b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (block->rpo == WPG_NO_BLOCK || !wpg_cfg_dominates(cfg, way, b))
            continue;
        for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next)
            cost += wpg_inst_cost(cfg->module, inst);
        s->lanes[b] = parts ? s->lanes[b] * parts / TRIPS : s->lanes[b];
        s->waves[b] = s->uniform[b] = parts ? s->waves[b] * parts / TRIPS : s->waves[b];
    }
    return cost;
}

/* The dearest way that is chosen in a loop was taken in one of its trips, the others in the rest: what a
 * profile of set-up in first trips says. */
static void one_in_trips(use_shader *s)
{
    wpg_module *module = NULL;
    wpg_view *view = use_view(&module, s);
    const wpg_cfg *cfg = view->cfg;
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        uint32_t most = 0, at = WPG_NO_BLOCK, dear = 0;
        for (uint32_t b = 0; cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP && b < cfg->count; b++)
            for (uint32_t w = 0;
                 cfg->blocks[b].loop == c && cfg->blocks[b].merge &&
                 cfg->blocks[b].merge->opcode == SpvOpSelectionMerge && w < cfg->blocks[b].successor_count;
                 w++) {
                uint32_t cost = way_cost(s, cfg, cfg->blocks[b].successors[w], 0);
                bool merges = cfg->blocks[cfg->blocks[b].successors[w]].id == cfg->blocks[b].merge->words[1];
                if (cost <= most || merges)
                    continue;
                most = cost;
                at = b;
                dear = w;
            }
        for (uint32_t w = 0; at != WPG_NO_BLOCK && w < cfg->blocks[at].successor_count; w++)
            way_cost(s, cfg, cfg->blocks[at].successors[w],
                     w == dear ? 1 : (TRIPS - 1) / (cfg->blocks[at].successor_count - 1));
    }
    wpg_view_destroy(view);
    wpg_module_destroy(module);
}

/* Conditions that only the first trip holds, or only it does not: breaks, continues and inner loops around
 * them, values that leave the loop by all of its ways, loops that take no trip, one trip and many. */
static void first_trips(void **state)
{
    (void)state;
    if (!device)
        skip();
    static const char *const bodies[] = {
        "if (k == 0) v = sin(v) * cos(x + v) + sqrt(abs(v)); else v = v * y + x * y;",
        "if (k > 0) { v = v * y + x; if ((h & 15u) == 3u) break; } else { if ((h & 7u) == 1u) continue; v = "
        "exp2(-abs(x)) + sin(x * y); } h = h * 1664525u + 1u; v = clamp(v, -9.0, 9.0);",
        "if (first) { v = cos(v) + sin(y) + v * x; first = false; } h += uint(k); if ((h & 31u) == 5u) "
        "break; v = v "
        "* 0.75 + x;",
        "for (int q = 0; q < (c & 3) + k; q++) { if (k == 0) v = sqrt(abs(v)) + sin(v) + cos(y); else v = v "
        "* y + "
        "x; if ((h & 63u) == 9u) break; h ^= h << 3; }",
        "switch (mode) { case 0: v = sin(v) + cos(v * x); break; case 2: v = v * x + y; break; default: v -= "
        "x; } "
        "mode = 2; if (v > 50.0) { h ^= 77u; break; } h ^= h >> 2;",
        "w = w.yzx * y + w; if (k < 1) { w = sin(w) + cos(w.zxy); h += 3u; } v = w.x * w.y + v; v = clamp(v, "
        "-9.0, "
        "9.0);",
        "if (k == 0 && h != 3u) { v = sin(v) + cos(v) + exp2(-abs(v)); dst.data[i] = h; } else v = v - x * "
        "y; e = v; "
        "if ((h & 7u) == uint(k)) break; ",
        /* One optimisation barrier behind another in the first trip. */
        "if (k < 1) e = sin(v) + cos(e + v) + exp2(-abs(v)); else v = y - v; v = v * 1.5;",
        "v = v * float(k) + x * w.x; if (k == 0) { v += sin(v) + cos(y) + exp2(-abs(x)); } w.x = v * 0.5;",
    };
    static const char *const heads[] = {
        "for (int k = 0; k < c; k++) {",
        "for (int k = 0; k < params.n; k++) {",
        "int k = 0; do {",
        "for (int r = 0; r < (c & 3); r++) for (int k = 0; k < params.m + r; k++) {",
    };
    unsigned done = 0;
    for (size_t i = 0; i < 4 * (sizeof bodies / sizeof *bodies); i++) {
        use_shader s;
        use_result r;
        char source[1200];
        wpg_optimize_options options;
        if (i % 4 == 2 && strstr(bodies[i / 4], "continue"))
            continue; /* would go round without a step */
        snprintf(source, sizeof source,
                 USE_COMPUTE_HEAD
                 "void main() { uint i = gl_GlobalInvocationID.x; uint h = src.data[i];\n"
                 "float x = float(h & 255u) * 0.01, y = float(h >> 24) * 0.1, v = x, e = 0.5;\n"
                 "vec3 w = vec3(x, 1.0, 0.0); bool first = true; int mode = 0;\n"
                 "int c = int(src.data[4] & 31u) + 9; %s %s %s\n"
                 "dst.data[i] += floatBitsToUint(v) ^ h ^ floatBitsToUint(e + w.y * 3.0); }\n",
                 heads[i % 4], bodies[i / 4], i % 4 == 2 ? "k++; } while (k < params.n);" : "}");
        use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
        for (size_t t = 0; t < 4; t++)
            s.trips[t] = TRIPS;
        use_profile(&s);
        one_in_trips(&s);
        wpg_optimize_defaults(&options);
        options.max_growth = 1000;
        snprintf(options.passes, sizeof options.passes, "lt");
        use_run(&r, &s, &options, true);
        done += use_said(&r, WPG_REMARK_DONE, "peel", "") != 0;
        if (!use_said(&r, WPG_REMARK_DONE, "peel", "") && getenv("WPG_TEST_VERBOSE"))
            printf("not peeled: %s\n", source);
        if (vkc_mesa_major(device) >= 25)
            expect_equal(&s, &r, source);
        use_done(&r);
        use_free(&s);
    }
    printf("loops peeled: %u\n", done);
    assert_true(done >= 12);
}

/* -- Random structured programs -- */

typedef struct maker {
    char text[1 << 15];
    size_t length;
    uint32_t seed;
    unsigned depth, loops, statements;
    bool standing; /* most conditions stand still, and nobody can count the loops */
    bool opening;  /* first trips are asked for */
} maker;

static unsigned draw(maker *m, unsigned below)
{
    m->seed = m->seed * 1664525u + 1013904223u;
    return (m->seed >> 12) % below;
}

static void put(maker *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(maker *m, const char *fmt, ...)
{
    va_list arguments;
    va_start(arguments, fmt);
    m->length += (size_t)vsnprintf(m->text + m->length, sizeof m->text - m->length, fmt, arguments);
    va_end(arguments);
    assert_true(m->length < sizeof m->text - 256);
}

static void put_float(maker *m, unsigned depth)
{
    static const char *const leaves[] = {"x", "y", "params.f", "1.5", "float(h & 255u)"};
    static const char *const unary[] = {"sin(", "exp2(0.001 * ", "sqrt(abs(",
                                        "cos("}; /* finite for all that is finite */
    if (depth == 0 || draw(m, 4) == 0) {
        put(m, "%s", leaves[draw(m, 5)]);
        return;
    }
    unsigned kind = draw(m, 6);
    if (kind < 2) {
        unsigned f = draw(m, 4);
        put(m, "%s", unary[f]);
        put_float(m, depth - 1);
        put(m, f == 2 ? "))" : ")");
        return;
    }
    put(m, "(");
    put_float(m, depth - 1);
    static const char *const binary[] = {" + ", " - ", " * ", " / (0.5 + abs("};
    unsigned operation = draw(m, 4);
    put(m, "%s", binary[operation]);
    put_float(m, depth - 1);
    put(m, operation == 3 ? ")))" : ")");
}

static void put_condition(maker *m)
{
    static const char *const standing[] = {"mode == 6", "mode < 6", "(mode & 2) != 0", "own", "strong"};
    if (m->standing && draw(m, 4)) {
        put(m, "%s", standing[draw(m, 5)]);
        return;
    }
    switch (draw(m, 5)) {
    case 0:
    case 1:
        put(m, "(h & %uu) == %uu", 1u << draw(m, 4), draw(m, 2));
        break;
    case 2:
        put(m, "params.m %s %u", draw(m, 2) ? "==" : "<", 5 + draw(m, 3));
        break;
    default:
        put(m, "x > %u.5", draw(m, 20));
    }
}

static void put_statements(maker *m, unsigned count);

static void put_loop(maker *m)
{
    static const char *const bounds[] = {"params.n", "params.m", "(params.n + 1)", "3", "int(h & 3u)"};
    unsigned number = m->loops++, bound = draw(m, 5);
    if (m->opening)
        put(m, "bool first%u = true;\n", number);
    put(m, "for (int k%u = 0; k%u < %s; k%u++) {\n", number, number,
        m->standing && bound == 3 ? "int(few)" : bounds[bound], number);
    put(m, "if (++budget > 3000u) break;\nh += uint(k%u);\n", number);
    m->depth++;
    if (m->opening) {
        static const char *const firsts[] = {"k%u == 0", "k%u < 1", "first%u", "!(k%u != 0)"};
        unsigned f = draw(m, 4);
        put(m, "if (");
        put(m, firsts[f], number);
        put(m, ") {\nx = small(sin(y) + cos(x) * x + exp2(0.001 * y));\n");
        put_statements(m, draw(m, 3));
        put(m, "} else {\n");
        put_statements(m, 1 + draw(m, 2));
        put(m, "}\n");
        if (f == 2)
            put(m, "first%u = false;\n", number);
    }
    put_statements(m, 1 + draw(m, 3));
    if (draw(m, 3) == 0) {
        put(m, "if (");
        put_condition(m);
        put(m, ") %s;\n", draw(m, 2) ? "break" : "continue");
    }
    put_statements(m, draw(m, 2));
    m->depth--;
    put(m, "}\n");
}

static void put_if(maker *m)
{
    put(m, "if (");
    put_condition(m);
    put(m, ") {\n");
    m->depth++;
    put_statements(m, 1 + draw(m, 2));
    if (draw(m, 2)) {
        put(m, "} else {\n");
        put_statements(m, 1 + draw(m, 2));
    }
    m->depth--;
    put(m, "}\n");
}

static void put_statement(maker *m)
{
    unsigned kind = draw(m, m->depth < 3 ? 9 : 6);
    m->statements++;
    switch (kind) {
    case 0:
        put(m, "h = h * %uu + bits(y);\n", 3 + 2 * draw(m, 50));
        break;
    case 1:
        put(m, "%s = small(", draw(m, 2) ? "x" : "y");
        put_float(m, 2);
        put(m, ");\n");
        break;
    case 2:
    case 3:
    case 4:
        put(m, "%s = small(mix(", draw(m, 2) ? "x" : "y");
        put_float(m, 1);
        put(m, ", ");
        put_float(m, 4);
        put(m, ", ");
        put_condition(m);
        put(m, "));\n");
        break;
    case 5:
        put(m, "dst.data[i] ^= h;\n");
        break;
    case 6:
        put_if(m);
        break;
    case 7:
        put_loop(m);
        break;
    default:
        put(m, "switch (h & 3u) { case 0u: x += 1.0; break; case 1u: h ^= 77u; default: y = x - y; }\n");
    }
}

static void put_statements(maker *m, unsigned count)
{
    for (unsigned i = 0; i < count && m->statements < 40; i++)
        put_statement(m);
}

static void random_kernels(void **state)
{
    (void)state;
    /* Mesa 22.3 compiles some of the originals wrong (a value that leaves a divergent loop without a phi):
     * nothing to compare with. */
    if (!device || vkc_mesa_major(device) < 25)
        skip();
    unsigned branches = 0, guards = 0, unswitched = 0;
    static maker m;
    const char *only = getenv("WPG_TEST_SEED"),
               *from = getenv("WPG_TEST_FROM"); /* one seed, or a later start */
    uint32_t first = only ? (uint32_t)strtoul(only, NULL, 10) : from ? (uint32_t)strtoul(from, NULL, 10) : 1;
    uint32_t last = only ? first : first + effort_count(12, 96) - 1;
    for (uint32_t seed = first; seed <= last; seed++) {
        use_shader s;
        use_result r;
        m = (maker){.seed = seed * 2654435761u};
        put(&m, USE_COMPUTE_HEAD
            "#define bits(v) floatBitsToUint(v)\n#define small(v) clamp(v, -90.0, 90.0)\n" /* no NaN: which
                                                                                              one is promised
                                                                                              nowhere */
            "void main() {\nuint i = gl_GlobalInvocationID.x, h = src.data[i], budget = 0u;\n"
            "float x = float(h & 4095u) * 0.01");
        /* Where y is a constant, a driver may fold what loops make of it. */
        put(&m, ", y = %s;\n", seed % 4 ? "float(h >> 20) * 0.002" : "0.5");
        put_statements(&m, 4);
        put_loop(&m);
        put_statements(&m, 3);
        put(&m, "dst.data[i] += h ^ bits(x) ^ bits(y);\n}\n");
        use_glsl(&s, m.text, "comp", SpvExecutionModelGLCompute);
        for (unsigned i = 0; i < 16; i++)
            s.trips[i] = TRIPS;
        use_profile(&s);
        all_rare(&s);
        wpg_optimize_options options;
        wpg_optimize_defaults(&options);
        options.unflatten_cost = 4;
        if (getenv("WPG_TEST_LEAVE_OUT"))
            snprintf(options.passes, sizeof options.passes, "%s", getenv("WPG_TEST_LEAVE_OUT"));
        use_run(&r, &s, &options, true);
        if (getenv("WPG_TEST_DUMP"))
            printf("%s\n%s\n", m.text, r.text);
        branches += use_said(&r, WPG_REMARK_DONE, "unflatten", "");
        guards += use_said(&r, WPG_REMARK_DONE, "trip-guard", "");
        unswitched += use_said(&r, WPG_REMARK_DONE, "unswitch", "");
        char *numbered = malloc(m.length + 64);
        assert_non_null(numbered);
        snprintf(numbered, m.length + 64, "seed %u\n%s", seed, m.text);
        expect_equal(&s, &r, numbered);
        free(numbered);
        use_done(&r);
        use_free(&s);
    }
    printf("random kernels: %u, branches made %u, loops guarded %u, unswitched %u\n", last - first + 1,
           branches, guards, unswitched);
    if (!only) {
        assert_true(branches > (last - first + 1) / 2);
        assert_true(guards > (last - first + 1) / 8);
    }
}

/* Programs of the same kind whose conditions mostly stand still in their loops, with both sides dear. */
static void random_standing(void **state)
{
    (void)state;
    if (!device || vkc_mesa_major(device) < 25)
        skip();
    unsigned unswitched = 0;
    static maker m;
    const char *only = getenv("WPG_TEST_SEED"), *from = getenv("WPG_TEST_FROM");
    uint32_t first = only ? (uint32_t)strtoul(only, NULL, 10) : from ? (uint32_t)strtoul(from, NULL, 10) : 1;
    uint32_t last = only ? first : first + effort_count(12, 96) - 1;
    for (uint32_t seed = first; seed <= last; seed++) {
        use_shader s;
        use_result r;
        wpg_optimize_options options;
        m = (maker){.seed = seed * 2246822519u, .standing = true};
        put(&m, USE_COMPUTE_HEAD
            "#define bits(v) floatBitsToUint(v)\n#define small(v) clamp(v, -90.0, 90.0)\n"
            "void main() {\nuint i = gl_GlobalInvocationID.x, h = src.data[i], budget = 0u, few = "
            "src.data[9] & 7u;\n"
            "bool own = (h & 64u) == 0u, strong = params.f > 0.5;\nint mode = params.m;\nfloat x = float(h & "
            "4095u) * 0.01, y = float(h >> 20) * 0.002;\n");
        for (unsigned i = 0; i < 3; i++)
            put_loop(&m);
        put(&m, "dst.data[i] += h ^ bits(x) ^ bits(y);\n}\n");
        use_glsl(&s, m.text, "comp", SpvExecutionModelGLCompute);
        for (unsigned i = 0; i < 16; i++)
            s.trips[i] = TRIPS;
        use_profile(&s);
        wpg_optimize_defaults(&options);
        options.max_growth = 1000;
        use_run(&r, &s, &options, true);
        if (getenv("WPG_TEST_DUMP"))
            printf("%s\n%s\n", m.text, r.text);
        unswitched += use_said(&r, WPG_REMARK_DONE, "unswitch", "");
        char *numbered = malloc(m.length + 64);
        assert_non_null(numbered);
        snprintf(numbered, m.length + 64, "seed %u\n%s", seed, m.text);
        expect_equal(&s, &r, numbered);
        free(numbered);
        use_done(&r);
        use_free(&s);
    }
    printf("random kernels: %u, loops unswitched %u\n", last - first + 1, unswitched);
    if (!only)
        assert_true(unswitched > (last - first + 1) / 8);
}

/* Programs whose loops ask for their first trip, in the ways that people do. */
static void random_first_trips(void **state)
{
    (void)state;
    if (!device || vkc_mesa_major(device) < 25)
        skip();
    unsigned peeled = 0;
    static maker m;
    const char *only = getenv("WPG_TEST_SEED"), *from = getenv("WPG_TEST_FROM"),
               *many = getenv("WPG_TEST_MANY");
    uint32_t first = only ? (uint32_t)strtoul(only, NULL, 10) : from ? (uint32_t)strtoul(from, NULL, 10) : 1;
    uint32_t last =
        only ? first : first + (many ? (uint32_t)strtoul(many, NULL, 10) : effort_count(12, 96)) - 1;
    for (uint32_t seed = first; seed <= last; seed++) {
        use_shader s;
        use_result r;
        wpg_optimize_options options;
        m = (maker){.seed = seed * 3266489917u, .standing = true, .opening = true};
        put(&m, USE_COMPUTE_HEAD
            "#define bits(v) floatBitsToUint(v)\n#define small(v) clamp(v, -90.0, 90.0)\n"
            "void main() {\nuint i = gl_GlobalInvocationID.x, h = src.data[i], budget = 0u, few = "
            "src.data[9] & 7u;\n"
            "bool own = (h & 64u) == 0u, strong = params.f > 0.5;\nint mode = params.m;\nfloat x = float(h & "
            "4095u) * 0.01, y = float(h >> 20) * 0.002;\n");
        for (unsigned i = 0; i < 2; i++)
            put_loop(&m);
        put(&m, "dst.data[i] += h ^ bits(x) ^ bits(y);\n}\n");
        use_glsl(&s, m.text, "comp", SpvExecutionModelGLCompute);
        for (unsigned i = 0; i < 16; i++)
            s.trips[i] = TRIPS;
        use_profile(&s);
        one_in_trips(&s);
        wpg_optimize_defaults(&options);
        options.max_growth = 1000;
        snprintf(options.passes, sizeof options.passes, "%s%s", seed & 1 ? "t" : "lt",
                 getenv("WPG_TEST_LEAVE_OUT") ? getenv("WPG_TEST_LEAVE_OUT") : "");
        use_run(&r, &s, &options, true);
        if (getenv("WPG_TEST_DUMP"))
            printf("%s\n%s\n", m.text, r.text);
        peeled += use_said(&r, WPG_REMARK_DONE, "peel", "");
        char *numbered = malloc(m.length + 64);
        assert_non_null(numbered);
        snprintf(numbered, m.length + 64, "seed %u\n%s", seed, m.text);
        expect_equal(&s, &r, numbered);
        free(numbered);
        use_done(&r);
        use_free(&s);
    }
    printf("random kernels: %u, loops peeled %u\n", last - first + 1, peeled);
    if (!only)
        assert_true(peeled > (last - first + 1) / 8);
}

static int open_device(void **state)
{
    (void)state;
    const char *why = "";
    device = vkc_open(&why);
    printf("driver: %s\n", device ? vkc_driver(device) : why);
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    vkc_close(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_kernels),       cmocka_unit_test(flat_arms),
        cmocka_unit_test(agreed_indices),      cmocka_unit_test(loop_forms),
        cmocka_unit_test(carried_floats),      cmocka_unit_test(decided_branches),
        cmocka_unit_test(standing_conditions), cmocka_unit_test(folded_floats),
        cmocka_unit_test(first_trips),         cmocka_unit_test(random_first_trips),
        cmocka_unit_test(random_kernels),      cmocka_unit_test(random_standing),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
