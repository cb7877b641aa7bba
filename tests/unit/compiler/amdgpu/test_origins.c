/* Counts of the normal form carried over to structurised blocks: always a possible flow, near the counts
 * where blocks have an origin. Rounding: whole, conserving, near. */
#include <glob.h>
#include <math.h>

#include <llvm-c/Core.h>

#include "compiler/amdgpu/flow/blocks.h"
#include "compiler/amdgpu/driver/emit.h"
#include "compiler/amdgpu/flow/flow_round.h"
#include "compiler/amdgpu/profile/origins.h"
#include "compiler/amdgpu/profile/placement.h"
#include "compiler/amdgpu/profile/verify.h"
#include "tests/unit/compiler/amdgpu/amdgpu_test.h"
#include "tests/unit/compiler/optimize/biased.h"

/* -- Rounding */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Blocks in a line, each with one more edge: forwards or back. */
static void random_graph(wpg_flow_graph *graph, uint32_t *first, uint32_t *targets, double *probabilities,
                         uint32_t blocks, uint64_t seed)
{
    uint64_t state = seed;
    uint32_t edges = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        first[b] = edges;
        if (b + 1 == blocks)
            continue;
        bool one = next_random(&state) % 3 == 0;
        double share = (double)(next_random(&state) % 1001) / 1000;
        uint32_t back = b ? 1 + (uint32_t)(next_random(&state) % b) : 0; /* not to the entry */
        bool goes_back = b && next_random(&state) % 4 == 0;
        probabilities[edges] = one ? 1 : goes_back ? 1 - share * 0.9 : 1 - share;
        targets[edges++] = b + 1;
        if (one)
            continue;
        probabilities[edges] = 1 - probabilities[edges - 1];
        targets[edges++] = goes_back ? back : b + 1 + (uint32_t)(next_random(&state) % (blocks - b - 1));
    }
    first[blocks] = edges;
    *graph = (wpg_flow_graph){blocks, first, targets};
}

static void rounds_to_a_flow(void **state)
{
    enum { BLOCKS = 24 };
    uint32_t first[BLOCKS + 1], targets[2 * BLOCKS], done = 0;
    double probabilities[2 * BLOCKS];
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        wpg_flow_graph graph;
        wpg_arena arena;
        wpg_error err;
        uint64_t counts[BLOCKS];
        double scale = 1, frequencies[BLOCKS];
        random_graph(&graph, first, targets, probabilities, BLOCKS, seed);
        wpg_arena_init(&arena);
        if (wpg_flow_round(counts, &scale, &graph, probabilities, 1000, &arena, &err) == WPG_OK) {
            wpg_amdgpu_counts table = {.block_count = BLOCKS, .waves = counts};
            wpg_counts_verdict verdict;
            assert_int_equal(wpg_flow_solve(frequencies, &graph, probabilities, &arena, NULL), WPG_OK);
            assert_int_equal(wpg_counts_verify(&verdict, &graph, &table, 32, &arena, NULL), WPG_OK);
            if (verdict.problems)
                fail_msg("seed %llu: block %u", (unsigned long long)seed, verdict.first[0].block);
            assert_true(scale >= 1 && scale == floor(scale));
            for (uint32_t b = 0; b < BLOCKS; b++)
                assert_true(fabs((double)counts[b] - frequencies[b] * 1000 * scale) <= 2 * BLOCKS);
            done++;
        }
        wpg_arena_finish(&arena);
    }
    assert_true(done > 1800); /* the rest has flows that lie too far apart */
}

/* -- Shaders */

typedef struct looked {
    const use_shader *s;
    const char *name;
    bool by_lines, lanes;
    uint32_t placed;
    double difference;
} looked;

/* How far the counts are from those they were made of: sum of differences over sum of the greater. By the
 * placement's own sums, whose blocks each should run as often together. */
static double difference_of(const wpg_amdgpu_counts *counts, const wpg_origins *origins,
                            const wpg_blocks *blocks, const wpg_origin_counts *from, wpg_arena *arena)
{
    wpg_placement p;
    double apart = 0, most = 0;
    assert_int_equal((origins->by_lines ? wpg_place_by_lines
                                        : wpg_place_by_probes)(&p, blocks, from->block_count, arena, NULL),
                     WPG_OK);
    assert_int_equal(p.placed, origins->placed);
    for (uint32_t i = 0; i < p.sum_count; i++) {
        double ours = 0;
        for (uint32_t b = 0; b < p.sums[i].block_count; b++)
            ours += (double)counts->waves[p.sums[i].blocks[b]] / origins->scale;
        if (!p.sums[i].block_count)
            continue;
        double its = (double)from->waves[p.from[i]] / p.parts[i];
        apart += fabs(ours - its);
        most += ours > its ? ours : its;
    }
    return most > 0 ? apart / most : 0;
}

static wpg_status look(void *data, LLVMModuleRef llvm, LLVMValueRef function,
                       const wpg_translation_options *options, wpg_error *err)
{
    looked *l = data;
    const wpg_function_weights *w = &l->s->weights;
    const wpg_origin_counts from = {w->block_count, l->s->waves, l->s->lanes, l->s->uniform};
    wpg_amdgpu_counts counts;
    wpg_origins origins;
    wpg_arena arena;
    wpg_blocks blocks;
    wpg_counts_verdict verdict;
    (void)llvm;
    wpg_arena_init(&arena);
    if (wpg_origins_counts(&counts, &origins, function, &from, l->by_lines, options->wave_size, &arena,
                           err) != WPG_OK)
        fail_msg("%s: %s", l->name, err->message);
    assert_int_equal(wpg_blocks_of(&blocks, function, NULL), WPG_OK);
    const wpg_flow_graph graph = {blocks.count, blocks.first, blocks.to};
    assert_int_equal(counts.checksum, blocks.checksum);
    assert_int_equal(wpg_counts_verify(&verdict, &graph, &counts, options->wave_size, &arena, NULL), WPG_OK);
    assert_int_equal(verdict.problems, 0);
    assert_true(fabs((double)counts.waves[0] / origins.scale - (double)l->s->waves[0]) < 1);
    assert_true(origins.placed > 1);
    l->placed = origins.placed;
    l->lanes = counts.lanes != NULL;
    l->difference = difference_of(&counts, &origins, &blocks, &from, &arena);
    wpg_blocks_finish(&blocks);
    wpg_arena_finish(&arena);
    return WPG_OK;
}

static double carry_over(const char *path, bool by_lines, unsigned *with_lanes)
{
    amd_shader shader;
    use_shader s = {0};
    wpg_error err = {0};
    wpg_amdgpu_code *code;
    amd_open_file(&shader, path);
    s.stage = shader.stage;
    assert_int_equal(wpg_module_emit(&s.words, &s.count, shader.module, &err), WPG_OK);
    looked l = {.s = &s, .name = path, .by_lines = by_lines};
    if (biased_profile(&s, 2)) {
        const wpg_amdgpu_options options = {
            .gpu = "gfx1100", .until = WPG_AMDGPU_STRUCTURISED, .lines = by_lines, .probes = !by_lines};
        if (wpg_amdgpu_compile_hooked(&code, shader.module, &shader.stage, &options, look, &l, &err) !=
            WPG_OK)
            fail_msg("%s: %s", path, err.message);
        wpg_amdgpu_code_destroy(code);
    }
    *with_lanes += l.lanes;
    use_free(&s);
    amd_close(&shader);
    return l.placed ? l.difference : -1;
}

static void carry_all_over(bool by_lines, double bound)
{
    glob_t found;
    char pattern[4096];
    double sum = 0;
    unsigned count = 0, with_lanes = 0;
    (void)snprintf(pattern, sizeof pattern, "%s/shaders/*.comp.spv", WPG_BINARY_DIR);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        double difference = carry_over(found.gl_pathv[i], by_lines, &with_lanes);
        if (difference < 0)
            continue;
        print_message("%s: %.3f\n", strrchr(found.gl_pathv[i], '/') + 1, difference);
        sum += difference;
        count++;
    }
    globfree(&found);
    print_message("mean: %.4f; lanes fit in %u of %u\n", sum / count, with_lanes, count);
    assert_true(count > 5);
    assert_true(sum / count < bound);
}

/* Made-up counts know nothing of conditions that hold together, which LLVM knows (push_stride, uber). */
static void by_probes(void **state)
{
    (void)state;
    carry_all_over(false, 0.05);
}

/* What LLVM hoisted says that it comes from a loop. */
static void by_lines(void **state)
{
    (void)state;
    carry_all_over(true, 0.25);
}

/* Counts that cannot be are not made to fit. */
static void impossible_counts(void **state)
{
    (void)state;
    static const char source[] =
        "#version 450\nlayout(local_size_x = 64) in;\n"
        "layout(binding = 0) buffer B { uint b[]; };\n"
        "void main() { uint i = gl_GlobalInvocationID.x, n = b[i];\n"
        "for (uint k = 0u; k < n; k++) { if ((b[k] & 1u) == 0u) b[i] += b[k + n] * 3u; }\n"
        "b[i] ^= n; }";
    amd_shader s;
    wpg_amdgpu_counts counts;
    wpg_origins origins;
    wpg_arena arena;
    wpg_error err = {0};
    const wpg_amdgpu_options options = {.gpu = "gfx1100"};
    uint64_t made[64];
    wpg_cfg *cfg;
    amd_open_glsl(&s, source);
    assert_int_equal(wpg_cfg_create(&cfg, s.module, wpg_next_function(s.module->first), &err), WPG_OK);
    const wpg_origin_counts from = {cfg->count, made, made, NULL};
    wpg_amdgpu_graph graph;
    assert_true(cfg->count > 4 && cfg->count <= 64);
    assert_int_equal(wpg_amdgpu_graph_of(&graph, s.module, &s.stage, &options, &err), WPG_OK);
    wpg_arena_init(&arena);
    for (uint32_t b = 0; b < cfg->count; b++) /* more end than come */
        made[b] = cfg->blocks[b].successor_count ? 10 : 1000000;
    assert_int_equal(wpg_amdgpu_origin_counts(&counts, &origins, s.module, &s.stage, &options, &from,
                                              graph.checksum, &arena, &err),
                     WPG_E_MISMATCH);
    assert_non_null(strstr(err.message, "no flow"));
    for (uint32_t b = 0; b < cfg->count; b++) /* all come by once */
        made[b] = 10;
    if (wpg_amdgpu_origin_counts(&counts, &origins, s.module, &s.stage, &options, &from, graph.checksum,
                                 &arena, &err) != WPG_OK)
        fail_msg("%s", err.message);
    assert_true(origins.rest < 0.5);
    assert_int_equal(counts.checksum, graph.checksum);
    assert_int_equal(counts.block_count, graph.block_count);
    assert_int_equal(wpg_amdgpu_origin_counts(&counts, &origins, s.module, &s.stage, &options, &from,
                                              graph.checksum + 1, &arena, &err),
                     WPG_E_MISMATCH);
    wpg_cfg_destroy(cfg);
    wpg_arena_finish(&arena);
    amd_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounds_to_a_flow), cmocka_unit_test(by_probes),
                                       cmocka_unit_test(by_lines), cmocka_unit_test(impossible_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
