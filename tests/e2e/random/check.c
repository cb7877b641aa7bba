/* See check.h. */
#include "tests/e2e/random/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/normalize/normalize.h"
#include "compiler/spirv/builder.h"
#include "tests/e2e/random/launch.h"

/* More words of counted shader than a driver compiles in about a second. */
enum { MOST_WORDS = 10000 };
enum { FIRST_WORD = 32, FIRST_COUNTER = 5 };

const check_config check_configs[] = {
    {"naive", WPG_STRATEGY_NAIVE, 3, false},     {"additive", WPG_STRATEGY_ADDITIVE, 1, false},
    {"derived", WPG_STRATEGY_DERIVED, 1, false}, {"auto", WPG_STRATEGY_AUTO, 2, false},
    {"lane", WPG_STRATEGY_LANE, 6, false},       {"lane-marks", WPG_STRATEGY_LANE, 4, true},
};
const size_t check_config_count = sizeof check_configs / sizeof *check_configs;

static wpg_stage stage_of(const random_source *source)
{
    return (wpg_stage){.model = source->stage, .entry = "main"};
}

/* -- What must come out -------------------------------------------------------------------------------- */

typedef struct expectation {
    simt_counts counts;
    wpg_module *plain; /* without counting */
    bool settle;       /* where uniform may be one of several numbers, the next count decides */
    uint32_t buffers[RANDOM_BUFFERS][RANDOM_WORDS];
} expectation;

static bool interpret(expectation *e, const wpg_module *module, const random_source *source,
                      const uint32_t *waves, const bool *helpers)
{
    simt_launch launch = {.local_size = source->local_size,
                          .groups = source->groups,
                          .width = RANDOM_WIDTH,
                          .pixels = RANDOM_PIXELS,
                          .waves = waves,
                          .helpers = helpers};
    memcpy(e->buffers, source->buffers, sizeof e->buffers);
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++) {
        launch.buffers[i] = e->buffers[i];
        launch.buffer_words[i] = RANDOM_WORDS;
    }
    return simt_run(&e->counts, module, &launch);
}

static bool same_output(char *message, const checker *c, const expectation *e, const char *what)
{
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++) {
        const uint32_t *got = c->buffers[i].data;
        for (uint32_t k = 0; k < RANDOM_WORDS; k++) {
            if (got[k] == e->buffers[i][k])
                continue;
            (void)snprintf(message, CHECK_MESSAGE, "%s: word %u of buffer %u is %#x, should be %#x", what, k,
                           i, got[k], e->buffers[i][k]);
            return false;
        }
    }
    return true;
}

static bool same_counts(char *message, checker *c, expectation *e, const wpg_counter_map *map, uint64_t start)
{
    uint64_t *counters = (uint64_t *)c->counters.data + FIRST_WORD;
    size_t have = map->first_counter + map->counter_count;
    for (size_t i = 0; i <= have; i++)
        counters[i] -= start;
    comparison *compared = &c->compared;
    compared->map = map;
    compared->values = counters;
    compared->have = have;
    compared->plain = e->plain;
    compared->want = &e->counts;
    compared->from_zero = start == 0;
    compared->settle = e->settle;
    compared->message = message;
    if (!compare_counts(compared))
        return false;
    for (uint32_t i = 0; i < FIRST_COUNTER; i++) {
        if (counters[i] || counters[have]) {
            (void)snprintf(message, CHECK_MESSAGE, "a counter of another stage was touched");
            return false;
        }
    }
    return true;
}

/* -- Judging ------------------------------------------------------------------------------------------- */

static bool parse(wpg_module **module, const uint32_t *words, size_t count, char *message)
{
    wpg_error err = {0};
    if (wpg_module_parse(module, words, count, &err) == WPG_OK)
        return true;
    (void)snprintf(message, CHECK_MESSAGE, "parse: %s", err.message);
    return false;
}

/* Counters start where adding carries: just below 2^32, a different step below it for each program. */
static uint64_t counter_start(uint64_t seed)
{
    return seed % 3 ? (UINT64_C(1) << 32) - 1 - seed % 61 : 0;
}

/* Values, and those of inputs, are read by atomics that the interpreter in step does not know. No interpreter
 * says what they are. */
static uint32_t probes_of(const checker *c, const random_source *source)
{
    uint32_t probes = WPG_PROBES_ALL & ~(uint32_t)(WPG_PROBE_VALUES | WPG_PROBE_INPUTS);
    /* Fragment shaders have even seeds, unless asked for by stage. */
    if (source->stage == SpvExecutionModelFragment ? source->seed / 8 % 4 == 1 : source->seed % 4 != 1)
        return 0;
    return source->seed % 16 == 5 && !c->simulated ? WPG_PROBES_ALL : probes;
}

/* As the layer says of the driver; a fifth of the simulated shaders is counted that way, too. */
static bool loses_exit_values(const checker *c, const random_source *source)
{
    unsigned major = c->simulated ? 0 : vkc_mesa_major(c->device);
    return c->simulated ? source->seed % 5 == 0 : (major > 0 && major < 23) || vkc_is_swiftshader(c->device);
}

/* What the layer says of lavapipe 25 alone is right on every driver that keeps what leaves loops. */
static bool loops_over_lanes(const checker *c, const random_source *source, const check_config *config)
{
    const bool asked = config->marks || source->seed / 4 % 2;
    return asked && (c->simulated || !loses_exit_values(c, source));
}

static bool instrument(uint32_t **words, size_t *count, wpg_counter_map **map, wpg_module *module,
                       const checker *c, const random_source *source, const check_config *config,
                       char *message)
{
    wpg_error err = {0};
    wpg_stage stage = stage_of(source);
    bool subgroups = checker_has_subgroups(c, source->stage);
    wpg_instrument_options options = {
        .target = {.subgroup_basic = subgroups,
                   .subgroup_ballot = subgroups,
                   .subgroup_arithmetic = subgroups,
                   .subgroup_size = check_wave_size(c, source),
                   .subgroup_most = source->seed % 3 ? check_wave_size(c, source) : 0,
                   .int64_atomics = source->seed % 2 && (c->simulated || vkc_has_int64_atomics(c->device)),
                   .demote_to_helper = true,
                   .loses_exit_values = loses_exit_values(c, source),
                   .loops_over_lanes = loops_over_lanes(c, source, config),
                   .max_spirv_minor = 3},
        .directory_entry = c->counters.address,
        .first_counter = FIRST_COUNTER,
        .strategy = config->strategy,
        .select_sites = source->seed % 3 != 0,
        .select_work = source->seed % 5 == 0 ? 4 : 0,
        .small_arms = source->seed / 2 % 2,
        .probes = probes_of(c, source)};
    if (launch_wants_report(c, source))
        random_source_report(module, source);
    if (wpg_instrument(map, module, &stage, &options, &err) == WPG_OK) {
        if (wpg_module_emit(words, count, module, &err) == WPG_OK)
            return true;
        wpg_counter_map_destroy(*map);
        *map = NULL;
    }
    (void)snprintf(message, CHECK_MESSAGE, "instrument: %s", err.message);
    return false;
}

static check_verdict judge(checker *c, expectation *e, wpg_module *module, const random_source *source,
                           const check_config *config, char *message)
{
    uint32_t *words = NULL;
    size_t count;
    wpg_counter_map *map = NULL;
    uint64_t start = counter_start(source->seed), *memory = c->counters.data;
    if (!instrument(&words, &count, &map, module, c, source, config, message))
        return CHECK_WRONG;
    bool good = FIRST_COUNTER + map->counter_count < COUNTER_BYTES / 8 - FIRST_WORD &&
                (c->simulated || count <= MOST_WORDS);
    if (!good) {
        (void)snprintf(message, CHECK_MESSAGE, "%u counters, %zu words: too large", map->counter_count,
                       count);
        wpg_counter_map_destroy(map);
        free(words);
        return CHECK_UNUSABLE;
    }
    memory[0] = c->counters.address + FIRST_WORD * sizeof *memory;
    for (size_t i = FIRST_WORD; i < COUNTER_BYTES / sizeof *memory; i++)
        memory[i] = start;
    good = launch_run(c, words, count, source);
    if (!good)
        (void)snprintf(message, CHECK_MESSAGE, "the instrumented shader does not run%s%s",
                       c->refused[0] ? ": " : "", c->refused);
    good =
        good && same_output(message, c, e, "instrumented output") && same_counts(message, c, e, map, start);
    wpg_counter_map_destroy(map);
    free(words);
    return good ? CHECK_EXACT : CHECK_WRONG;
}

/* Every strategy gives the same numbers: after demotes naive says which of those that are possible. */
static bool settle(checker *c, expectation *e, const uint32_t *words, size_t count,
                   const random_source *source, const check_config *config, char *message)
{
    wpg_module *module = NULL;
    bool open = false;
    for (uint32_t f = 0; f < e->counts.function_count; f++)
        for (uint32_t b = 0; b < e->counts.functions[f].block_count; b++)
            open |= e->counts.functions[f].uniform[b] != e->counts.functions[f].uniform_most[b];
    if (!open || config->strategy == WPG_STRATEGY_NAIVE || config->strategy == WPG_STRATEGY_LANE)
        return true;
    e->settle = true;
    bool good = parse(&module, words, count, message) &&
                judge(c, e, module, source, &check_configs[0], message) == CHECK_EXACT;
    e->settle = false;
    wpg_module_destroy(module);
    return good;
}

/* The driver alone. */
static check_verdict run_plain(checker *c, expectation *e, wpg_module *module, const random_source *source,
                               char *message)
{
    uint32_t *words = NULL;
    size_t count;
    if (launch_wants_report(c, source))
        random_source_report(module, source);
    bool good =
        wpg_module_emit(&words, &count, module, NULL) == WPG_OK && launch_run(c, words, count, source);
    free(words);
    if (!good) {
        (void)snprintf(message, CHECK_MESSAGE, "the shader does not run: %s", c->refused);
        return CHECK_UNUSABLE;
    }
    return same_output(message, c, e, "output") ? CHECK_EXACT : CHECK_DRIVER;
}

check_verdict check_words(checker *c, const uint32_t *words, size_t count, const random_source *source,
                          const check_config *config, char *message)
{
    wpg_module *module = NULL;
    const uint32_t *waves = launch_waves(c, source);
    expectation *e = calloc(1, sizeof *e);
    check_verdict verdict = CHECK_UNUSABLE;
    message[0] = 0;
    if (e && waves && parse(&e->plain, words, count, message) && parse(&module, words, count, message)) {
        if (!interpret(e, module, source, waves, launch_helpers(c, source))) {
            (void)snprintf(message, CHECK_MESSAGE, "interpreter: %s", e->counts.error);
        } else if (config) {
            verdict = settle(c, e, words, count, source, config, message)
                          ? judge(c, e, module, source, config, message)
                          : CHECK_WRONG;
        } else {
            verdict = run_plain(c, e, module, source, message);
        }
        simt_counts_finish(&e->counts);
    }
    wpg_module_destroy(module);
    if (e)
        wpg_module_destroy(e->plain);
    free(e);
    return verdict;
}

/* -- Barriers ------------------------------------------------------------------------------------------ */

/* A barrier is legal where the workgroup's invocations all come together: the interpreter says where, with
 * workgroups for waves. Every third such block gets one. */
static void add_barriers(wpg_module *module, const random_source *source, expectation *e)
{
    uint32_t groups[RANDOM_WORDS], f = 0, block = 0, place = (uint32_t)source->seed;
    for (uint32_t i = 0; i < RANDOM_WORDS; i++)
        groups[i] = i / source->local_size;
    if (!interpret(e, module, source, groups, NULL))
        return;
    uint32_t workgroup = wpg_const_u32(module, SpvScopeWorkgroup);
    uint32_t semantics =
        wpg_const_u32(module, SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask);
    for (wpg_inst *function = wpg_next_function(module->first); function;
         function = wpg_next_function(wpg_function_end(function)), f++, block = 0) {
        const simt_function *counts = &e->counts.functions[f];
        for (wpg_inst *inst = function; inst->opcode != SpvOpFunctionEnd; inst = inst->next) {
            if (inst->opcode != SpvOpLabel)
                continue;
            wpg_inst *at = inst->next;
            while (at->opcode == SpvOpPhi || at->opcode == SpvOpVariable || at->opcode == SpvOpLine)
                at = at->next;
            bool together = counts->waves[block] && counts->waves[block] == counts->uniform[block];
            block++;
            if (together && ++place % 3 == 0)
                wpg_inst_add(module, at, SpvOpControlBarrier, workgroup, workgroup, semantics);
        }
    }
}

bool check_normal_form(uint32_t **words, size_t *count, const checker *c, const random_source *source,
                       bool barriers, char *message)
{
    (void)c;
    wpg_module *module = NULL;
    wpg_stage stage = stage_of(source);
    wpg_error err = {0};
    expectation *e = calloc(1, sizeof *e);
    bool good = e && parse(&module, source->words, source->count, message);
    if (good && wpg_normalize(module, &stage, NULL, &err) != WPG_OK) {
        (void)snprintf(message, CHECK_MESSAGE, "normalise: %s", err.message);
        good = false;
    }
    if (good && barriers)
        add_barriers(module, source, e);
    if (e)
        simt_counts_finish(&e->counts);
    good = good && wpg_module_emit(words, count, module, &err) == WPG_OK;
    wpg_module_destroy(module);
    free(e);
    return good;
}
