/* Divergence analysis: what is claimed to be uniform is uniform in every tangle of random programs, and the
 * analysis is not so careful that it claims nothing; named cases for each source and each way to diverge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "compiler/analysis/values/divergence.h"
#include "compiler/spirv/builder.h"
#include "tests/support/assemble.h"
#include "tests/support/vk_compute.h"
#include "tests/unit/compiler/analysis/program_values.h"
#include "tests/support/effort.h"

/* -- Random programs ----------------------------------------------------------------------------------- */

enum { PHI, MINE, SHARED, FUEL, FAR, NUMBERS };

/* One claim: an id of a block. */
typedef struct claim {
    uint32_t id;
    wpg_uniformity level;
    bool varies;
    bool seen, differed; /* in some tangle the lanes disagreed */
    uint32_t first;      /* value seen first */
} claim;

typedef struct observer {
    const program *p;
    const program_run *run;
    const int *far;
    claim (*claims)[NUMBERS];    /* [block] */
    uint32_t (*last)[MAX_LANES]; /* [block] `shared` of each lane when it ran the block last */
    bool violated;
    char what[160];
} observer;

static uint32_t number_of(const observer *o, int block, int which, int lane)
{
    const program_lane *l = &o->run->lanes[lane];
    switch (which) {
    case PHI:
        return program_phi_value(block, l->from);
    case MINE:
        return l->mine;
    case SHARED:
        return l->shared;
    case FUEL:
        return (uint32_t)l->fuel;
    default:
        return o->last[o->far[block]][lane] + program_constant(block);
    }
}

static void hold(observer *o, int block, int which, uint64_t mask)
{
    claim *c = &o->claims[block][which];
    bool any = false, differ = false;
    uint32_t first = 0;
    for (int l = 0; l < MAX_LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        uint32_t value = number_of(o, block, which, l);
        differ |= any && value != first;
        first = any ? first : value;
        any = true;
    }
    c->differed |= differ;
    bool moved = c->seen && c->first != first;
    if ((differ && c->level < WPG_DIVERGENT) || (moved && c->level <= WPG_UNIFORM_DISPATCH && !c->varies)) {
        o->violated = true;
        (void)snprintf(o->what, sizeof o->what, "block %d, number %d (%%%u) claimed %d%s: %s", block, which,
                       c->id, c->level, c->varies ? ", varies" : "", differ ? "lanes differ" : "it changed");
    }
    if (!c->seen)
        c->first = first;
    c->seen = true;
}

static void observe(void *context, int block, uint64_t mask)
{
    observer *o = context;
    for (int l = 0; l < MAX_LANES; l++) {
        if (mask >> l & 1)
            o->last[block][l] = o->run->lanes[l].shared;
    }
    for (int which = 0; which < NUMBERS; which++) {
        if (o->claims[block][which].id)
            hold(o, block, which, mask);
    }
}

/* For some blocks a block that dominates it, however far. */
static void choose_far(int *far, const wpg_cfg *cfg, program *random)
{
    for (uint32_t b = 0; b < cfg->count; b++) {
        far[b] = NONE;
        if (cfg->blocks[b].rpo == WPG_NO_BLOCK || !program_chance(random, 5))
            continue;
        uint32_t at = cfg->blocks[b].idom;
        for (uint32_t steps = program_random(random, 6); steps > 0 && at != WPG_NO_BLOCK; steps--) {
            if (cfg->blocks[at].idom != WPG_NO_BLOCK)
                at = cfg->blocks[at].idom;
        }
        far[b] = at == WPG_NO_BLOCK || at > b ? NONE : (int)at;
    }
}

static wpg_cfg *graph_of(wpg_module **module, const program_values *v)
{
    wpg_error err = {0};
    wpg_cfg *cfg = NULL;
    if (wpg_module_parse(module, v->spirv.words.data, v->spirv.words.count, &err) != WPG_OK ||
        wpg_cfg_create(&cfg, *module, wpg_next_function((*module)->first), &err) != WPG_OK)
        fail_msg("%s", err.message);
    return cfg;
}

typedef struct tally {
    size_t claimed, uniform; /* numbers claimed uniform; found uniform in every tangle of a program */
} tally;

static void check(observer *o, const program_values *v, const wpg_divergence *d, uint64_t seed, tally *t)
{
    for (size_t b = 0; b < o->p->blocks.count; b++) {
        const block_values *ids = &v->blocks[b];
        const uint32_t list[NUMBERS] = {ids->phi, ids->mine, ids->shared, ids->fuel, ids->far};
        for (int which = 0; which < NUMBERS; which++)
            o->claims[b][which] = (claim){.id = list[which],
                                          .level = wpg_divergence_at(d, list[which], (uint32_t)b),
                                          .varies = wpg_divergence_varies(d, list[which])};
    }
    program_run *run = malloc(sizeof *run);
    assert_non_null(run);
    program_run_init(run, o->p);
    run->split_fall_through = seed % 4 < 2;
    run->observe = observe;
    run->observer = o;
    o->run = run;
    for (uint32_t wave = 0; wave < 8; wave++)
        program_wave(run, wave * 64, wave == 5 ? 3 : 64);
    if (o->violated)
        fail_msg("program %llu: %s", (unsigned long long)seed, o->what);
    for (size_t b = 0; b < o->p->blocks.count; b++) {
        for (int which = 0; which < NUMBERS; which++) {
            const claim *c = &o->claims[b][which];
            t->claimed += c->seen && c->level < WPG_DIVERGENT;
            t->uniform += c->seen && !c->differed;
        }
    }
    program_run_finish(run);
    free(run);
}

static void run_program(uint64_t seed, tally *t)
{
    program p, random = {.random = seed * UINT64_C(0x2545f4914f6cdd1d) + 3};
    program_values plain = {0}, v = {0};
    wpg_module *module;
    program_make(&p, seed, 3 + (int)(seed % 40), false);
    int *far = calloc(p.blocks.count, sizeof *far);
    observer o = {.p = &p, .far = far};
    o.claims = calloc(p.blocks.count, sizeof *o.claims);
    o.last = calloc(p.blocks.count, sizeof *o.last);
    assert_true(far && o.claims && o.last);
    program_values_make(&plain, &p, false, NULL);
    wpg_cfg *cfg = graph_of(&module, &plain);
    choose_far(far, cfg, &random);
    wpg_cfg_destroy(cfg);
    wpg_module_destroy(module);
    program_values_finish(&plain);
    program_values_make(&v, &p, seed % 4 == 3, far);
    cfg = graph_of(&module, &v);
    wpg_divergence *d;
    assert_int_equal(wpg_divergence_compute(&d, cfg, &cfg->arena), WPG_OK);
    check(&o, &v, d, seed, t);
    wpg_cfg_destroy(cfg);
    wpg_module_destroy(module);
    program_values_finish(&v);
    free(far);
    free(o.claims);
    free(o.last);
    program_finish(&p);
}

static void test_random(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = 1; seed <= effort_count(1500, 10000); seed++)
        run_program(seed, &t);
    print_message("claimed uniform %zu, uniform in every run %zu\n", t.claimed, t.uniform);
    /* Eight waves do not show everything that may happen, so the claims stay below. */
    assert_true(t.claimed * 3 > t.uniform);
}

/* -- On a driver --------------------------------------------------------------------------------------- */

/* Claims of one program, checked by the shader itself. */
static size_t run_on_driver(vkc_device *device, vkc_buffer *failures, uint64_t seed)
{
    program p, random = {.random = seed * UINT64_C(0x2545f4914f6cdd1d) + 3};
    program_values v = {0};
    wpg_module *module;
    wpg_divergence *d;
    size_t claims = 0;
    program_make(&p, seed, 3 + (int)(seed % 8), false); /* LLVM 15 crashes on some larger ones */
    size_t blocks = p.blocks.count;
    int *far = calloc(blocks, sizeof *far);
    bool(*checked)[NUMBERS] = calloc(blocks, sizeof *checked);
    assert_true(far && checked && blocks * NUMBERS * 4 <= failures->size);
    for (int pass = 0; pass < 3; pass++) { /* its graph, the claims, the shader that checks them */
        program_values_finish(&v);
        v.checked = pass == 2 ? (const bool(*)[NUMBERS])checked : NULL;
        program_values_make(&v, &p, seed % 4 == 3, pass ? far : NULL);
        if (pass == 2)
            break;
        wpg_cfg *cfg = graph_of(&module, &v);
        if (pass == 0)
            choose_far(far, cfg, &random);
        else
            assert_int_equal(wpg_divergence_compute(&d, cfg, &cfg->arena), WPG_OK);
        for (size_t b = 0; pass == 1 && b < blocks; b++) {
            const block_values *ids = &v.blocks[b];
            const uint32_t list[NUMBERS] = {ids->phi, ids->mine, ids->shared, ids->fuel, ids->far};
            for (int which = 0; which < NUMBERS; which++)
                claims += checked[b][which] =
                    list[which] && wpg_divergence_at(d, list[which], (uint32_t)b) < WPG_DIVERGENT;
        }
        wpg_cfg_destroy(cfg);
        wpg_module_destroy(module);
    }
    uint32_t push[VKC_PUSH_BYTES / 4] = {PROGRAM_SHARED};
    memset(failures->data, 0, failures->size);
    vkc_job job = {.words = v.spirv.words.data,
                   .word_count = v.spirv.words.count,
                   .bindings = {{failures, VKC_STORAGE}},
                   .binding_count = 1,
                   .push = push,
                   .groups = {4, 1, 1}};
    assert_true(vkc_run(device, &job, NULL));
    const uint32_t *counts = failures->data;
    for (size_t i = 0; i < blocks * NUMBERS; i++)
        if (counts[i])
            fail_msg("program %llu, block %zu, number %zu: claimed uniform, %u lanes saw others differ",
                     (unsigned long long)seed, i / NUMBERS, i % NUMBERS, counts[i]);
    program_values_finish(&v);
    program_finish(&p);
    free(far);
    free(checked);
    return claims;
}

static void test_on_driver(void **state)
{
    (void)state;
    const char *why = NULL;
    vkc_buffer failures;
    vkc_device *device = vkc_open(&why);
    if (!device) {
        print_message("no driver: %s\n", why);
        skip();
    }
    assert_true(vkc_buffer_make(&failures, device, 1 << 16));
    size_t claims = 0;
    for (uint64_t seed = 1; seed <= 60; seed++)
        claims += run_on_driver(device, &failures, seed);
    print_message("%s: %zu claims hold\n", vkc_driver(device), claims);
    assert_true(claims > 500);
    vkc_buffer_free(&failures, device);
    vkc_close(device);
}

/* -- Cases --------------------------------------------------------------------------------------------- */

typedef struct subject {
    uint32_t *words;
    wpg_module *module;
    wpg_cfg *cfg;
    wpg_divergence *d;
} subject;

static void make(subject *s, const char *source, const char *stage)
{
    size_t count;
    wpg_error err = {0};
    if (!assemble_glsl(&s->words, &count, source, stage, "vulkan1.1"))
        skip();
    if (wpg_module_parse(&s->module, s->words, count, &err) != WPG_OK)
        fail_msg("%s", err.message);
    wpg_inst *entry = NULL;
    for (wpg_inst *f = wpg_next_function(s->module->first); f; f = wpg_next_function(f->next))
        entry = entry ? entry : f;
    if (wpg_cfg_create(&s->cfg, s->module, entry, &err) != WPG_OK)
        fail_msg("%s", err.message);
    assert_int_equal(wpg_divergence_compute(&s->d, s->cfg, &s->cfg->arena), WPG_OK);
}

static void drop(subject *s)
{
    wpg_cfg_destroy(s->cfg);
    wpg_module_destroy(s->module);
    free(s->words);
}

/* Each case stores `probe` values to a buffer: result[N] = value, N a constant. What is stored at N. */
static uint32_t stored_at(const subject *s, uint32_t n, uint32_t *block)
{
    for (uint32_t b = 0; b < s->cfg->count; b++) {
        const wpg_block *at = &s->cfg->blocks[b];
        for (const wpg_inst *inst = at->label; inst != at->terminator; inst = inst->next) {
            const wpg_inst *chain =
                inst->opcode == SpvOpStore ? wpg_module_def(s->module, inst->words[1]) : NULL;
            uint64_t bits;
            uint32_t width;
            if (!chain || chain->opcode != SpvOpAccessChain || chain->count != 6 ||
                !wpg_const_value(s->module, chain->words[5], &bits, &width) || bits != n)
                continue;
            *block = b;
            return inst->words[2];
        }
    }
    fail_msg("nothing stored at %u", n);
    return 0;
}

static void expect(const subject *s, uint32_t n, wpg_uniformity level)
{
    uint32_t block, id = stored_at(s, n, &block);
    wpg_uniformity found = wpg_divergence_at(s->d, id, block);
    if (found != level)
        fail_msg("result[%u]: %d, expected %d", n, found, level);
}

static void expect_varies(const subject *s, uint32_t n, bool varies)
{
    uint32_t block, id = stored_at(s, n, &block);
    if (wpg_divergence_varies(s->d, id) != varies)
        fail_msg("result[%u] %s", n, varies ? "does not vary" : "varies");
}

#define HEAD                                                                                                 \
    "#version 450\n"                                                                                         \
    "#extension GL_KHR_shader_subgroup_ballot : require\n"                                                   \
    "#extension GL_KHR_shader_subgroup_arithmetic : require\n"                                               \
    "layout(local_size_x = 64) in;\n"                                                                        \
    "layout(push_constant) uniform P { uint n; uint m; };\n"                                                 \
    "layout(binding = 0) uniform U { uint u[4]; };\n"                                                        \
    "layout(binding = 1) readonly buffer R { uint r[]; };\n"                                                 \
    "layout(binding = 2) buffer W { uint w[]; };\n"                                                          \
    "layout(binding = 3) buffer Result { uint result[]; };\n"                                                \
    "layout(binding = 4) volatile buffer V { uint v[]; };\n"                                                 \
    "void main() {\n uint lane = gl_LocalInvocationID.x;\n"

static void test_sources(void **state)
{
    (void)state;
    subject s;
    make(&s,
         HEAD " result[0] = n; result[1] = u[2] + 1u; result[2] = r[n]; result[3] = w[n]; result[4] = v[n];\n"
              " result[5] = gl_WorkGroupID.x; result[6] = gl_NumWorkGroups.y; result[7] = lane;\n"
              " result[8] = subgroupBroadcastFirst(lane); result[9] = subgroupAdd(lane);\n"
              " result[10] = subgroupExclusiveAdd(lane); result[11] = atomicAdd(w[0], 1u);\n"
              " result[12] = u[lane & 3u]; result[13] = gl_SubgroupID; result[14] = 7u * 3u;\n"
              " result[15] = r.length(); result[16] = gl_GlobalInvocationID.x;\n"
              " result[17] = floatBitsToUint(sin(uintBitsToFloat(n)));\n}\n",
         "comp");
    static const wpg_uniformity levels[] = {WPG_UNIFORM_DISPATCH, WPG_UNIFORM_DISPATCH, WPG_UNIFORM_DISPATCH,
                                            WPG_UNIFORM_SUBGROUP, WPG_DIVERGENT,        WPG_UNIFORM_WORKGROUP,
                                            WPG_UNIFORM_DISPATCH, WPG_DIVERGENT,        WPG_UNIFORM_SUBGROUP,
                                            WPG_UNIFORM_SUBGROUP, WPG_DIVERGENT,        WPG_DIVERGENT,
                                            WPG_DIVERGENT,        WPG_UNIFORM_SUBGROUP, WPG_UNIFORM_CONSTANT,
                                            WPG_UNIFORM_DISPATCH, WPG_DIVERGENT,        WPG_UNIFORM_DISPATCH};
    for (uint32_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        expect(&s, i, levels[i]);
    expect_varies(&s, 0, false);
    expect_varies(&s, 2, false);
    expect_varies(&s, 3, true);
    drop(&s);
}

static void test_control(void **state)
{
    (void)state;
    subject s;
    make(&s,
         HEAD " uint a = 1u, b = 1u, c = 5u, e = n;\n"
              " if (n > 3u) a = 2u;\n"
              " if (lane > 3u) b = 2u;\n"
              " if (lane > 3u) { if (n > 2u) c = 6u; else c = 7u; result[10] = c; }\n"
              " result[0] = a; result[1] = b; result[2] = c;\n"
              " if (lane > 60u) return;\n"
              " if (m > 3u) e += 2u;\n"
              " result[3] = e;\n"
              " uint parts[2] = uint[2](n, m);\n"
              " if (m > 4u) parts[0] = 1u;\n"
              " result[4] = parts[1];\n"
              " uint bad[2] = uint[2](n, m);\n"
              " if (lane > 4u) bad[0] = 1u;\n"
              " result[5] = bad[0];\n}\n",
         "comp");
    expect(&s, 0, WPG_UNIFORM_DISPATCH);
    expect_varies(&s, 0, false);
    expect(&s, 1, WPG_DIVERGENT);
    expect(&s, 2, WPG_DIVERGENT);
    expect(&s, 10, WPG_UNIFORM_DISPATCH);
    expect(&s, 3, WPG_UNIFORM_DISPATCH);
    expect(&s, 4, WPG_UNIFORM_DISPATCH);
    expect(&s, 5, WPG_DIVERGENT);
    drop(&s);
}

static void test_loops(void **state)
{
    (void)state;
    subject s;
    make(&s,
         HEAD " uint i, j, k, sum = 0u;\n"
              " for (i = 0u; i < n; i++) { result[0] = i; sum += u[i & 3u]; }\n"
              " result[1] = i; result[2] = sum;\n"
              " for (j = 0u; j < lane; j++) result[3] = j;\n"
              " result[4] = j;\n"
              " for (k = 0u; k < n; k++) { if (r[lane + k] == 0u) break; result[5] = k; }\n"
              " result[6] = k;\n"
              " uint skips = 0u, l;\n"
              " for (l = 0u; l < n; l++) { if (r[lane + l] == 0u) continue; skips++; result[7] = skips; }\n"
              " result[8] = l;\n}\n",
         "comp");
    expect(&s, 0, WPG_UNIFORM_CONSTANT);
    expect_varies(&s, 0, true);
    expect(&s, 1, WPG_UNIFORM_DISPATCH);
    expect(&s, 2, WPG_UNIFORM_DISPATCH);
    expect(&s, 3, WPG_UNIFORM_CONSTANT);
    expect(&s, 4, WPG_DIVERGENT);
    expect(&s, 5, WPG_UNIFORM_CONSTANT);
    expect(&s, 6, WPG_DIVERGENT);
    expect(&s, 7, WPG_DIVERGENT);
    expect(&s, 8, WPG_UNIFORM_DISPATCH);
    drop(&s);
}

static void test_fragment(void **state)
{
    (void)state;
    subject s;
    make(&s,
         "#version 450\n"
         "layout(location = 0) in vec2 uv; layout(location = 1) flat in uint id;\n"
         "layout(binding = 0) uniform sampler2D t;\n"
         "layout(binding = 1) buffer Result { float result[]; };\n"
         "layout(push_constant) uniform P { vec2 at; };\n"
         "void main() { result[0] = uv.x; result[1] = gl_FragCoord.x; result[2] = texture(t, uv).x;\n"
         " result[3] = textureLod(t, at, 0.0).x; result[4] = dFdx(uv.x); result[5] = float(id);\n"
         " result[6] = texture(t, at).x; result[7] = gl_FrontFacing ? 1.0 : 0.0; }\n",
         "frag");
    for (uint32_t i = 0; i < 8; i++)
        expect(&s, i, i == 3 ? WPG_UNIFORM_SUBGROUP : WPG_DIVERGENT);
    drop(&s);
}

/* Gathers read as fetches do: equal coordinates give equal texels, for the wave. */
static void test_gathers(void **state)
{
    (void)state;
    subject s;
    make(&s,
         "#version 450\n"
         "layout(location = 0) in vec2 uv;\n"
         "layout(binding = 0) uniform sampler2D t;\n"
         "layout(binding = 1) buffer Result { float result[]; };\n"
         "layout(binding = 2) uniform sampler2DShadow depth;\n"
         "layout(push_constant) uniform P { vec2 at; };\n"
         "void main() { result[0] = textureGather(t, at).x; result[1] = textureGather(t, uv).x;\n"
         " result[2] = textureGather(depth, at, 0.5).x; result[3] = textureGather(depth, uv, 0.5).x;\n"
         " result[4] = textureGather(depth, at, uv.x).x; }\n",
         "frag");
    for (uint32_t i = 0; i < 5; i++)
        expect(&s, i, i == 0 || i == 2 ? WPG_UNIFORM_SUBGROUP : WPG_DIVERGENT);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gathers),  cmocka_unit_test(test_sources),
                                       cmocka_unit_test(test_control),  cmocka_unit_test(test_loops),
                                       cmocka_unit_test(test_fragment), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_on_driver)};
    return cmocka_run_group_tests_name("divergence", tests, NULL, NULL);
}
