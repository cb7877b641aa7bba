/* Counts taken on a real driver against the SIMT interpreter: random structured programs, all three kinds and
 * the select sites, with counters that start just below 2^32, by 64-bit atomics and by 32-bit ones with
 * carry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "compiler/instrument/code/instrument.h"
#include "tests/support/assemble.h"
#include "tests/support/vk_compute.h"
#include "tests/unit/compiler/analysis/program_spirv.h"
#include "tests/support/effort.h"

enum { LOCAL_SIZE = 61, GROUPS = 3, LANES = LOCAL_SIZE * GROUPS, COUNTER_BYTES = 1 << 19 };
static const uint64_t start = (UINT64_C(1) << 32) - 2;

static unsigned loops_compared;

typedef struct fixture {
    vkc_device *device;
    vkc_buffer memory; /* the directory entry, then at 256 the counters */
    vkc_buffer state;  /* of the lanes */
} fixture;

static void set_up_run(fixture *f)
{
    uint64_t *words = f->memory.data;
    words[0] = f->memory.address + 256;
    for (size_t i = 32; i < f->memory.size / 8; i++)
        words[i] = start;
    uint32_t *state = f->state.data;
    for (size_t i = 0; i < LANES; i++) {
        program_lane lane = program_lane_start((uint32_t)i);
        state[3 * i] = lane.mine;
        state[3 * i + 1] = lane.shared;
        state[3 * i + 2] = (uint32_t)lane.fuel;
    }
}

/* A counter by its place in memory, and a count by its index in the map. */
static uint64_t counted(const fixture *f, uint32_t counter)
{
    return ((const uint64_t *)f->memory.data)[32 + counter] - start;
}

static uint64_t value(const fixture *f, const wpg_counter_map *map, uint32_t index)
{
    static uint64_t values[COUNTER_BYTES / 8];
    size_t have = map->first_counter + (size_t)map->counter_count;
    for (size_t i = 0; i < have; i++)
        values[i] = counted(f, (uint32_t)i);
    return wpg_counter_value(map, index, values, have);
}

static void expect(uint64_t got, uint64_t want, const char *what, uint64_t seed, size_t block)
{
    if (got != want)
        fail_msg("program %llu, block %zu: %s is %llu, should be %llu", (unsigned long long)seed, block, what,
                 (unsigned long long)got, (unsigned long long)want);
}

static void compare_blocks(const fixture *f, const wpg_counter_map *map, const program_run *run,
                           uint64_t seed)
{
    const wpg_function_counters *c = &map->functions[0];
    for (size_t b = 0; b < c->block_count; b++) {
        uint64_t lanes = 0, *mask;
        WPG_VEC_EACH (mask, &run->visits[b])
            lanes += (uint64_t)__builtin_popcountll(*mask);
        if (c->lanes[b] == WPG_NO_COUNTER) {
            expect(0, lanes, "lanes of an unreachable block", seed, b);
            continue;
        }
        expect(value(f, map, c->lanes[b]), lanes, "lanes", seed, b);
        if (!c->waves)
            continue;
        expect(value(f, map, c->waves[b]), run->visits[b].count, "waves", seed, b);
        expect(value(f, map, c->uniform[b]), run->uniform[b], "uniform", seed, b);
    }
}

static void compare_selects(const fixture *f, const wpg_counter_map *map, const program_run *run,
                            uint64_t seed)
{
    const wpg_function_counters *c = &map->functions[0];
    uint32_t site = 0;
    for (size_t b = 0; b < c->block_count; b++) {
        if (!run->p->blocks.data[b].selects || c->lanes[b] == WPG_NO_COUNTER)
            continue;
        assert_true(site < c->select_count);
        for (unsigned k = 0; k < WPG_SELECT_COUNTERS; k++)
            expect(value(f, map, c->selects[site] + k), run->select_counts[b][k], "a select's count", seed,
                   b);
        site++;
    }
    assert_int_equal(site, c->select_count);
}

/* A word of a probe's record. */
static uint64_t probe_word(const fixture *f, const wpg_counter_map *map, const wpg_probe_table *table,
                           uint32_t word)
{
    static uint64_t values[COUNTER_BYTES / 8];
    size_t have = map->first_counter + map->counter_count;
    for (uint32_t i = 0; i < have; i++)
        values[i] = counted(f, i);
    assert_true(word < table->word_count);
    return wpg_probe_value(map, &map->functions[0], table, word, values, have);
}

static const wpg_probe_table *probe_table(const wpg_function_counters *c, const char *record)
{
    for (uint32_t i = 0; i < c->table_count; i++)
        if (strcmp(c->tables[i].record, record) == 0)
            return &c->tables[i];
    return NULL;
}

static void compare_branches(const fixture *f, const wpg_counter_map *map, const program_run *run,
                             uint64_t seed)
{
    const wpg_function_counters *c = &map->functions[0];
    const wpg_probe_table *table = probe_table(c, "branches");
    uint32_t word = 1;
    for (size_t b = 0; b < c->block_count; b++) {
        const program_edges *edges = &run->edges[b];
        if (run->p->blocks.data[b].end != END_IF || c->lanes[b] == WPG_NO_COUNTER)
            continue;
        assert_non_null(table);
        expect(probe_word(f, map, table, word), b, "a branch's block", seed, b);
        for (uint32_t t = 0; t < 2; t++) {
            expect(probe_word(f, map, table, word + 1 + t), edges->lanes[t], "lanes of a direction", seed, b);
            expect(probe_word(f, map, table, word + 3 + t), edges->waves[t], "waves of a direction", seed, b);
        }
        expect(probe_word(f, map, table, word + 5), edges->all_waves, "waves at a branch", seed, b);
        word += 6;
    }
    assert_int_equal(table ? table->word_count : 1, word);
}

static void compare_switches(const fixture *f, const wpg_counter_map *map, const program_run *run,
                             uint64_t seed)
{
    const wpg_function_counters *c = &map->functions[0];
    const wpg_probe_table *table = probe_table(c, "cases");
    uint32_t word = 1;
    for (size_t b = 0; b < c->block_count; b++) {
        const program_block *block = &run->p->blocks.data[b];
        if (block->end != END_SWITCH || c->lanes[b] == WPG_NO_COUNTER)
            continue;
        assert_non_null(table);
        for (int t = 0; t < block->target_count; t++, word += 5) {
            const program_edges *edges = &run->edges[b];
            expect(probe_word(f, map, table, word), b, "a switch's block", seed, b);
            expect(probe_word(f, map, table, word + 1), (uint64_t)block->targets[t], "a target", seed, b);
            expect(probe_word(f, map, table, word + 2), edges->lanes[t], "lanes of a target", seed, b);
            expect(probe_word(f, map, table, word + 3), edges->waves[t], "waves of a target", seed, b);
            expect(probe_word(f, map, table, word + 4), edges->all_waves, "waves at a switch", seed, b);
        }
    }
    assert_int_equal(table ? table->word_count : 1, word);
}

static void compare_loops(const fixture *f, const wpg_counter_map *map, const program_run *run, uint64_t seed)
{
    const wpg_probe_table *table = probe_table(&map->functions[0], "trips");
    for (uint32_t word = 1; table && word < table->word_count; word += 36) {
        size_t b = (size_t)probe_word(f, map, table, word);
        const program_loop_seen *seen = &run->loops[b];
        expect(probe_word(f, map, table, word + 1), seen->lanes, "lanes that enter a loop", seed, b);
        expect(probe_word(f, map, table, word + 2), seen->waves, "waves that enter a loop", seed, b);
        expect(probe_word(f, map, table, word + 3), seen->trips, "trips of a loop", seed, b);
        for (uint32_t i = 0; i < 32; i++)
            expect(probe_word(f, map, table, word + 4 + i), seen->buckets[i], "lanes of a bucket", seed, b);
        loops_compared++;
    }
}

/* The compute programs are one-dimensional: the last wave of a group has what is left over. */
static void compare_entry(const fixture *f, const wpg_counter_map *map, uint64_t size, uint64_t seed)
{
    const wpg_probe_table *table = probe_table(&map->functions[0], "entry_mask");
    uint64_t whole = LOCAL_SIZE / size, rest = LOCAL_SIZE % size, waves = whole + (rest != 0);
    assert_non_null(table);
    assert_int_equal(table->word_count, 15);
    const uint64_t want[] = {1, GROUPS * waves, LANES, 0, GROUPS * whole, GROUPS * waves * size};
    for (uint32_t w = 0; w < 6; w++)
        expect(probe_word(f, map, table, w), want[w], "how waves enter", seed, w);
    for (uint32_t i = 0; i < 9; i++) {
        uint64_t of_rest = rest && rest * 8 / size == i ? GROUPS : 0;
        expect(probe_word(f, map, table, 6 + i), (i == 8 ? GROUPS * whole : 0) + of_rest, "fullness", seed,
               i);
    }
}

static void compare_state(const fixture *f, const program_lane *lanes, uint64_t seed)
{
    const uint32_t *state = f->state.data;
    for (size_t i = 0; i < LANES; i++)
        expect(state[3 * i], lanes[i].mine, "a lane's output", seed, i);
}

static void run_program(fixture *f, uint64_t seed, int budget, bool wide, wpg_strategy_choice strategy)
{
    bool subgroups = strategy != WPG_STRATEGY_LANE;
    program p;
    program_words spirv;
    wpg_error err = {0};
    wpg_module *module;
    wpg_counter_map *map;
    uint32_t *words;
    size_t count;
    program_make(&p, seed, budget, false);
    program_spirv(&spirv, &p, LOCAL_SIZE);
    assert_int_equal(wpg_module_parse(&module, spirv.words.data, spirv.words.count, &err), WPG_OK);
    wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    wpg_instrument_options options = {.target = {.subgroup_basic = subgroups,
                                                 .subgroup_ballot = subgroups,
                                                 .subgroup_arithmetic = subgroups,
                                                 .subgroup_size = vkc_subgroup_size(f->device),
                                                 .subgroup_most = seed % 2 ? vkc_subgroup_size(f->device) : 0,
                                                 .int64_atomics = wide,
                                                 .max_spirv_minor = 3},
                                      .directory_entry = f->memory.address,
                                      .first_counter = 5,
                                      .select_sites = true,
                                      .probes = seed % 2 ? WPG_PROBES_ALL & ~WPG_PROBE_VALUES : 0,
                                      .strategy = strategy};
    wpg_status status = wpg_instrument(&map, module, &stage, &options, &err);
    if (status != WPG_OK)
        fail_msg("program %llu: %s", (unsigned long long)seed, err.message);
    assert_int_equal(wpg_module_emit(&words, &count, module, &err), WPG_OK);
    assert_true(8 * (size_t)(5 + map->counter_count) + 256 <= f->memory.size);

    set_up_run(f);
    vkc_job job = {.words = words,
                   .word_count = count,
                   .bindings = {{&f->state, VKC_STORAGE}},
                   .binding_count = 1,
                   .groups = {GROUPS, 1, 1}};
    assert_true(vkc_run(f->device, &job, NULL));

    program_run *run = malloc(sizeof *run);
    program_lane lanes[LANES];
    assert_non_null(run);
    program_run_init(run, &p);
    uint32_t size = vkc_subgroup_size(f->device);
    for (uint32_t group = 0; group < GROUPS; group++) {
        for (uint32_t lane = 0; lane < LOCAL_SIZE; lane += size) {
            uint32_t in_wave = LOCAL_SIZE - lane < size ? LOCAL_SIZE - lane : size;
            program_wave(run, group * LOCAL_SIZE + lane, in_wave);
            memcpy(&lanes[group * LOCAL_SIZE + lane], run->lanes, in_wave * sizeof lanes[0]);
        }
    }
    compare_state(f, lanes, seed);
    assert_int_equal(map->functions[0].block_count, p.blocks.count);
    compare_blocks(f, map, run, seed);
    if (map->functions[0].kinds & WPG_KIND_WAVES && options.probes) {
        compare_branches(f, map, run, seed);
        compare_switches(f, map, run, seed);
        compare_loops(f, map, run, seed);
        compare_entry(f, map, size, seed);
    }
    if (map->functions[0].kinds & WPG_KIND_SELECTS)
        compare_selects(f, map, run, seed);
    /* Nothing outside the stage's counters was touched. */
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(counted(f, i), 0);
    assert_int_equal(counted(f, 5 + map->counter_count), 0);

    program_run_finish(run);
    free(run);
    free(words);
    wpg_counter_map_destroy(map);
    wpg_module_destroy(module);
    wpg_vec_free(&spirv.words);
    program_finish(&p);
}

/* A function that stays a call, called from divergent and from uniform control flow: its counts go by E of
 * the entry function. Lane i calls once if i % 3 == 0, and once more always; the loop runs i % 4 times. */
static const char function_source[] =
    "#version 450\nlayout(local_size_x = 61) in;\nlayout(set = 0, binding = 0) buffer Data { uint words[]; "
    "};\n"
    "uint f(uint i) { uint r = 1; for (uint k = 0; k < (i & 3u); k++) r += words[i]; return r; }\n"
    "void main() { uint i = gl_GlobalInvocationID.x, r = 0;\n"
    "  if (i % 3u == 0u) r = f(i);\n  words[i] = r + f(i); }\n";

static void run_functions(fixture *f, wpg_strategy_choice strategy)
{
    uint32_t *glsl, *words;
    size_t glsl_count, count;
    wpg_error err = {0};
    wpg_module *module;
    wpg_counter_map *map;
    assert_true(assemble_glsl(&glsl, &glsl_count, function_source, "comp", "vulkan1.1"));
    assert_int_equal(wpg_module_parse(&module, glsl, glsl_count, &err), WPG_OK);
    wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    wpg_instrument_options options = {.target = {.subgroup_basic = true,
                                                 .subgroup_ballot = true,
                                                 .subgroup_arithmetic = true,
                                                 .subgroup_size = vkc_subgroup_size(f->device),
                                                 .max_spirv_minor = 3},
                                      .directory_entry = f->memory.address,
                                      .strategy = strategy};
    assert_int_equal(wpg_instrument(&map, module, &stage, &options, &err), WPG_OK);
    assert_int_equal(wpg_module_emit(&words, &count, module, &err), WPG_OK);
    set_up_run(f);
    vkc_job job = {.words = words,
                   .word_count = count,
                   .bindings = {{&f->state, VKC_STORAGE}},
                   .binding_count = 1,
                   .groups = {GROUPS, 1, 1}};
    assert_true(vkc_run(f->device, &job, NULL));

    uint64_t waves = 0, lanes = 0, trips = 0, size = vkc_subgroup_size(f->device);
    for (uint64_t group = 0; group < GROUPS; group++) {
        for (uint64_t first = 0; first < LOCAL_SIZE; first += size) {
            bool called = false;
            for (uint64_t lane = first; lane < first + size && lane < LOCAL_SIZE; lane++) {
                uint64_t i = group * LOCAL_SIZE + lane, calls = 1 + (i % 3 == 0);
                called |= i % 3 == 0;
                lanes += calls;
                trips += calls * (i & 3);
            }
            waves += 1 + called;
        }
    }
    assert_int_equal(map->function_count, 2);
    const wpg_function_counters *c = &map->functions[1];
    assert_int_equal(c->ordinal, 1);
    expect(value(f, map, c->waves[0]), waves, "waves of a function", 0, 0);
    expect(value(f, map, c->lanes[0]), lanes, "lanes of a function", 0, 0);
    /* Every wave has more than one lane and no call by a third of them is uniform, but the last one always
     * is. */
    expect(value(f, map, c->uniform[0]), GROUPS * ((LOCAL_SIZE + size - 1) / size), "uniform of a function",
           0, 0);
    /* Blocks of the loop as glslang lays them: entry, header, test, body, continue, merge. */
    assert_int_equal(c->block_count, 6);
    expect(value(f, map, c->lanes[3]), trips, "trips", 0, 3);
    wpg_counter_map_destroy(map);
    wpg_module_destroy(module);
    free(words);
    free(glsl);
}

static void test_functions(void **state)
{
    for (wpg_strategy_choice strategy = WPG_STRATEGY_AUTO; strategy <= WPG_STRATEGY_NAIVE; strategy++)
        run_functions(*state, strategy);
}

static void test_wide(void **state)
{
    fixture *f = *state;
    if (!vkc_has_int64_atomics(f->device))
        skip();
    for (uint64_t seed = 1; seed <= effort_count(4, 16); seed++)
        run_program(f, seed, 3 + (int)(seed % 9) / 2, true,
                    seed % 4 == 0   ? WPG_STRATEGY_NAIVE
                    : seed % 4 == 1 ? WPG_STRATEGY_ADDITIVE
                                    : WPG_STRATEGY_AUTO);
}

static unsigned loops_in(uint64_t seed, int budget)
{
    program p;
    unsigned loops = 0;
    program_make(&p, seed, budget, false);
    for (size_t b = 0; b < p.blocks.count; b++)
        loops += p.blocks.data[b].continue_target != NONE;
    program_finish(&p);
    return loops;
}

/* Small programs with several loops each. */
static void test_loops(void **state)
{
    unsigned run = 0;
    const unsigned programs = effort_count(4, 24);
    for (uint64_t seed = 1001; run < programs; seed += 2) {
        if (loops_in(seed, 3) < 2)
            continue;
        run_program(*state, seed, 3, vkc_has_int64_atomics(((fixture *)*state)->device), true);
        run++;
    }
    assert_true(loops_compared >= programs * 5 / 3);
}

static void test_narrow(void **state)
{
    for (uint64_t seed = 41; seed <= 40 + effort_count(4, 16); seed++)
        run_program(*state, seed, 3 + (int)((seed - 40) % 9) / 2, false,
                    seed % 4 == 0   ? WPG_STRATEGY_NAIVE
                    : seed % 4 == 1 ? WPG_STRATEGY_ADDITIVE
                                    : WPG_STRATEGY_AUTO);
}

static void test_per_lane(void **state)
{
    for (uint64_t seed = 81; seed <= 86; seed++)
        run_program(*state, seed, (int)seed - 78, seed % 2, WPG_STRATEGY_LANE);
}

int main(void)
{
    fixture f = {0};
    const char *why = "";
    f.device = vkc_open(&why);
    if (!f.device) {
        (void)printf("skipped: %s\n", why);
        return 77;
    }
    if (!vkc_buffer_make(&f.memory, f.device, COUNTER_BYTES) ||
        !vkc_buffer_make(&f.state, f.device, (size_t)LANES * 3 * sizeof(uint32_t)) || !f.memory.address) {
        (void)printf("skipped: no buffer with a device address\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_wide, &f), cmocka_unit_test_prestate(test_loops, &f),
        cmocka_unit_test_prestate(test_narrow, &f), cmocka_unit_test_prestate(test_per_lane, &f),
        cmocka_unit_test_prestate(test_functions, &f)};
    int failed = cmocka_run_group_tests_name("counts on a driver", tests, NULL, NULL);
    vkc_buffer_free(&f.memory, f.device);
    vkc_buffer_free(&f.state, f.device);
    vkc_close(f.device);
    return failed;
}
