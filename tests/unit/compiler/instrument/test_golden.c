/* Structural forms, stages and targets: every input of tests/golden/instrument is assembled, normalised
 * (unless it says raw), instrumented twice (the words must be equal), validated, and its disassembly compared
 * with what its own comments say:
 *
 *     OPTIONS: raw narrow no-subgroups no-demote no-selects probes values auto additive inputs device-scope
 *              spirv-1.0 sample-N early-state words small-waves
 *     TARGET: vulkan1.0 ... vulkan1.3       (default vulkan1.1)
 *     EXPECT: text                          in this order; %{} stands for any id
 *     EXPECT-ANYWHERE: text    ABSENT: text    ONCE: text
 *     COUNTERS: n   FUNCTIONS: n   SELECTS: n   SAMPLED: n   NOTE: text   EARLY: lost|kept
 *     REFUSED: text                         refused with this in the message, the module untouched
 *
 * Then the random programs and all shaders of the tree are validated in every variant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <ctype.h>
#include <dirent.h>

#include "compiler/instrument/code/instrument.h"
#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "tests/support/assemble.h"
#include "tests/support/disassemble.h"
#include "tests/unit/compiler/analysis/program_spirv.h"
#include "tests/support/effort.h"

typedef struct golden {
    char path[600];
    char *text, *options;
    const char *stage; /* "comp"; NULL for SPIR-V text */
    unsigned vulkan;   /* 1.x */
} golden;

/* -- Directives ---------------------------------------------------------------------------------------- */

/* The next line "; KEY: value" or "// KEY: value" at or after *at; value is malloc'd. NULL if none. */
static char *directive(const char **at, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = *at; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *start = line + (line[0] == ';' ? 2 : line[0] == '/' && line[1] == '/' ? 3 : 0);
        if (start == line || strncmp(start, key, length) != 0 || start[length] != ':')
            continue;
        const char *value = start + length + 2, *end = strchr(value, '\n');
        char *copy = strndup(value, (size_t)(end - value));
        *at = end + 1;
        return copy;
    }
    return NULL;
}

static char *only(const golden *g, const char *key)
{
    const char *at = g->text;
    return directive(&at, key);
}

static bool option(const golden *g, const char *name)
{
    return g->options && strstr(g->options, name);
}

/* Where `pattern` ends in `text` if it stands there, else NULL. */
static const char *match(const char *text, const char *pattern)
{
    while (*pattern) {
        if (strncmp(pattern, "%{}", 3) == 0) {
            if (*text++ != '%')
                return NULL;
            while (isalnum((unsigned char)*text) || *text == '_')
                text++;
            pattern += 3;
        } else if (*pattern++ != *text++) {
            return NULL;
        }
    }
    return text;
}

static const char *find(const char *text, const char *pattern)
{
    for (; *text; text++) {
        const char *end = match(text, pattern);
        if (end)
            return end;
    }
    return NULL;
}

static void check_text(const golden *g, const char *text)
{
    const char *at = g->text, *place = text;
    char *value;
    while ((value = directive(&at, "EXPECT"))) {
        place = find(place, value);
        if (!place)
            fail_msg("%s: '%s' is not there (in order) in\n%s", g->path, value, text);
        free(value);
    }
    for (at = g->text; (value = directive(&at, "EXPECT-ANYWHERE")); free(value)) {
        if (!find(text, value))
            fail_msg("%s: '%s' is not there in\n%s", g->path, value, text);
    }
    for (at = g->text; (value = directive(&at, "ABSENT")); free(value)) {
        if (find(text, value))
            fail_msg("%s: '%s' is there in\n%s", g->path, value, text);
    }
    for (at = g->text; (value = directive(&at, "ONCE")); free(value)) {
        const char *first = strstr(text, value);
        if (!first || strstr(first + 1, value))
            fail_msg("%s: '%s' is not there once in\n%s", g->path, value, text);
    }
}

static void check_number(const golden *g, const char *key, uint32_t number)
{
    char *value = only(g, key);
    if (value && (uint32_t)atoi(value) != number)
        fail_msg("%s: %s is %u", g->path, key, number);
    free(value);
}

static void check_map(const golden *g, const wpg_counter_map *map)
{
    check_number(g, "COUNTERS", map->counter_count);
    check_number(g, "FUNCTIONS", map->function_count);
    check_number(g, "SELECTS", map->functions[0].select_count);
    check_number(g, "SAMPLED", map->sample_rate);
    char *value = only(g, "NOTE");
    assert_string_equal(map->note, value ? value : "");
    free(value);
    value = only(g, "EARLY");
    if (value)
        assert_int_equal(map->without_early_tests, strcmp(value, "lost") == 0);
    free(value);
}

/* -- One module ---------------------------------------------------------------------------------------- */

static wpg_stage stage_of(const wpg_module *module)
{
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpEntryPoint)
            return (wpg_stage){.model = (SpvExecutionModel)inst->words[1], .entry = wpg_inst_string(inst, 3)};
    }
    fail_msg("no entry point");
    return (wpg_stage){0};
}

static void validate(const uint32_t *words, size_t count, unsigned vulkan, const char *what)
{
    wpg_error err = {0};
    /* Instrumented modules are SPIR-V 1.3: Vulkan 1.1. */
    wpg_validate_options options = {.vulkan_minor = vulkan ? vulkan : 1};
    if (wpg_spirv_validate(words, count, &options, &err) == WPG_OK)
        return;
    char *text = disassemble(words, count);
    fail_msg("%s: %s in\n%s", what, err.message, text ? text : "words that are no module");
}

/* Instruments `words`; the status, and on success the result and the map. */
static wpg_status rewrite(uint32_t **out, size_t *out_count, wpg_counter_map **map, const uint32_t *words,
                          size_t count, const wpg_instrument_options *options, bool normalize, wpg_error *err)
{
    wpg_module *module;
    *out = NULL;
    *out_count = 0;
    *map = NULL;
    assert_int_equal(wpg_module_parse(&module, words, count, err), WPG_OK);
    /* The names of the entry point live in the module's words, which normalisation may change. */
    wpg_stage stage = stage_of(module);
    char *entry = strdup(stage.entry);
    stage.entry = entry;
    wpg_status status = normalize ? wpg_normalize(module, &stage, NULL, err) : WPG_OK;
    if (status == WPG_OK)
        status = wpg_instrument(map, module, &stage, options, err);
    if (status != WPG_OK && !normalize) {
        assert_int_equal(wpg_module_emit(out, out_count, module, NULL), WPG_OK);
        assert_int_equal(*out_count, count);
        assert_memory_equal(*out, words, count * sizeof *words);
        free(*out);
        *out = NULL;
    }
    if (status == WPG_OK)
        assert_int_equal(wpg_module_emit(out, out_count, module, err), WPG_OK);
    wpg_module_destroy(module);
    free(entry);
    return status;
}

static wpg_instrument_options options_of(const golden *g)
{
    bool subgroups = !option(g, "no-subgroups");
    const char *sample = g->options ? strstr(g->options, "sample-") : NULL;
    return (wpg_instrument_options){
        .target = {.subgroup_basic = subgroups,
                   .subgroup_ballot = subgroups,
                   .subgroup_arithmetic = subgroups && !option(g, "no-arithmetic"),
                   .subgroup_size = option(g, "small-waves") ? 8 : 32,
                   .subgroup_most = option(g, "small-waves") ? 8 : 0,
                   .int64_atomics = !option(g, "narrow"),
                   .demote_to_helper = !option(g, "no-demote"),
                   .memory_model_device_scope = option(g, "device-scope"),
                   .early_tests = option(g, "early-state"),
                   .max_spirv_minor = option(g, "spirv-1.0") ? 0 : 3},
        .directory_entry = UINT64_C(0x123456789ab0),
        .by_binding = option(g, "bound"),
        .counter_set = 3,
        .first_counter = 2,
        .select_sites = !option(g, "no-selects"),
        .probes = option(g, "probes")   ? WPG_PROBES_ALL
                  : option(g, "inputs") ? WPG_PROBE_INPUTS
                  : option(g, "values") ? WPG_PROBE_VALUES
                  : option(g, "words")  ? WPG_PROBE_WORDS
                                        : 0,
        .sample = sample ? (uint32_t)atoi(sample + strlen("sample-")) : 0,
        .sample_seed = 0x5eed,
        .strategy = option(g, "auto")       ? WPG_STRATEGY_AUTO
                    : option(g, "additive") ? WPG_STRATEGY_ADDITIVE
                                            : WPG_STRATEGY_NAIVE,
    };
}

static void check_golden(golden *g)
{
    uint32_t *words = NULL, *out = NULL, *again = NULL;
    size_t count = 0, out_count = 0, again_count = 0;
    wpg_counter_map *map, *other;
    wpg_error err = {0};
    char *target = only(g, "TARGET"), *refused = only(g, "REFUSED");
    g->options = only(g, "OPTIONS");
    g->vulkan = target ? (unsigned)atoi(target + strlen("vulkan1.")) : 1;
    if (g->stage)
        assert_true(assemble_glsl(&words, &count, g->text, g->stage, target ? target : "vulkan1.1"));
    else
        assert_true(assemble_text(&words, &count, g->text, "spv1.0"));
    wpg_instrument_options options = options_of(g);
    wpg_status status = rewrite(&out, &out_count, &map, words, count, &options, !option(g, "raw"), &err);
    if (refused) {
        assert_int_equal(status, WPG_E_UNSUPPORTED);
        assert_non_null(strstr(err.message, refused));
    } else {
        if (status != WPG_OK)
            fail_msg("%s: %s", g->path, err.message);
        assert_int_equal(
            rewrite(&again, &again_count, &other, words, count, &options, !option(g, "raw"), &err), WPG_OK);
        assert_int_equal(out_count, again_count);
        assert_memory_equal(out, again, out_count * sizeof *out);
        validate(out, out_count, g->vulkan, g->path);
        char *text = disassemble(out, out_count);
        assert_non_null(text);
        check_text(g, text);
        check_map(g, map);
        free(text);
        free(out);
        free(again);
        wpg_counter_map_destroy(map);
        wpg_counter_map_destroy(other);
    }
    free(words);
    free(target);
    free(refused);
    free(g->options);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Calls `check` for every shader of a folder; how many there were. */
static unsigned each_shader(const char *folder, void (*check)(golden *g))
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, by_name);
    unsigned checked = 0;
    for (int i = 0; i < count; i++) {
        static const char *const stages[] = {"comp", "vert", "tesc", "tese", "geom",
                                             "frag", "task", "rgen", "rint"};
        const char *dot = strrchr(entries[i]->d_name, '.');
        golden g = {0};
        for (unsigned s = 0; dot && s < sizeof stages / sizeof stages[0]; s++)
            g.stage = strcmp(dot + 1, stages[s]) == 0 ? stages[s] : g.stage;
        if (g.stage || (dot && strcmp(dot, ".spvasm") == 0)) {
            (void)snprintf(g.path, sizeof g.path, "%s/%s", folder, entries[i]->d_name);
            g.text = read_text(g.path);
            assert_non_null(g.text);
            check(&g);
            checked++;
            free(g.text);
        }
        free(entries[i]);
    }
    free(count >= 0 ? entries : NULL);
    return checked;
}

static void test_golden(void **state)
{
    (void)state;
    assert_true(each_shader(WPG_SOURCE_DIR "/tests/golden/instrument", check_golden) >= 22);
}

/* -- Many modules -------------------------------------------------------------------------------------- */

static const char *const variants[] = {"",
                                       "narrow",
                                       "no-subgroups",
                                       "narrow no-subgroups no-demote",
                                       "raw",
                                       "raw narrow no-selects",
                                       "probes",
                                       "raw narrow probes",
                                       "sample-16",
                                       "sample-16 narrow probes",
                                       "sample-3 narrow",
                                       "sample-5 probes",
                                       "sample-4 no-subgroups no-demote",
                                       "bound",
                                       "raw bound probes",
                                       "bound sample-3 no-subgroups"};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* The counters are the same ones, whichever way leads to them. */
static void same_by_address(const wpg_counter_map *map, const uint32_t *words, size_t count,
                            wpg_instrument_options options, bool normalise)
{
    uint32_t *out = NULL;
    size_t out_count = 0;
    wpg_counter_map *other;
    wpg_error err = {0};
    options.by_binding = false;
    assert_int_equal(rewrite(&out, &out_count, &other, words, count, &options, normalise, &err), WPG_OK);
    assert_int_equal(map->counter_count, other->counter_count);
    assert_int_equal(map->sum_count, other->sum_count);
    assert_int_equal(map->function_count, other->function_count);
    for (uint32_t i = 0; i < map->function_count; i++) {
        const wpg_function_counters *a = &map->functions[i], *b = &other->functions[i];
        assert_int_equal(a->checksum, b->checksum);
        assert_int_equal(a->kinds, b->kinds);
        assert_int_equal(a->block_count, b->block_count);
        assert_memory_equal(a->lanes, b->lanes, a->block_count * sizeof *a->lanes);
        if (a->waves)
            assert_memory_equal(a->waves, b->waves, a->block_count * sizeof *a->waves);
    }
    wpg_counter_map_destroy(other);
    free(out);
}

static void check_valid(const uint32_t *words, size_t count, unsigned vulkan, const char *what)
{
    for (unsigned v = 0; v < VARIANTS; v++) {
        golden g = {.options = (char *)variants[v]};
        uint32_t *out = NULL;
        size_t out_count = 0;
        wpg_counter_map *map;
        wpg_error err = {0};
        wpg_instrument_options options = options_of(&g);
        bool raw = option(&g, "raw");
        wpg_status status = rewrite(&out, &out_count, &map, words, count, &options, !raw, &err);
        if (status != WPG_OK)
            fail_msg("%s (%s): %s", what, variants[v], err.message);
        validate(out, out_count, vulkan, what);
        if (options.by_binding)
            same_by_address(map, words, count, options, !raw);
        free(out);
        wpg_counter_map_destroy(map);
    }
}

static void check_shader(golden *g)
{
    static size_t number;
    const size_t n = number++;
    for (unsigned vulkan = 0; vulkan <= 3; vulkan += 3) {
        if (!effort_pair(n, vulkan / 3, 2, 1))
            continue;
        char target[16];
        uint32_t *words;
        size_t count;
        /* Shaders that include others are assembled elsewhere. */
        if (strstr(g->text, "#include"))
            return;
        (void)snprintf(target, sizeof target, "vulkan1.%u",
                       strstr(g->text, "subgroup") && !vulkan ? 1 : vulkan);
        assert_true(assemble_glsl(&words, &count, g->text, g->stage, target));
        check_valid(words, count, vulkan, g->path);
        free(words);
    }
}

static void test_shaders(void **state)
{
    (void)state;
    assert_true(each_shader(WPG_SOURCE_DIR "/shaders", check_shader) >= 8);
}

static void test_programs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 80; seed++) {
        if (!effort_pair((size_t)seed / 6, (size_t)seed % 6, 6, 2))
            continue;
        program p;
        program_words spirv;
        char name[32];
        program_make(&p, seed, 2 + (int)seed / 2, seed % 2);
        program_spirv(&spirv, &p, 64);
        (void)snprintf(name, sizeof name, "program %llu", (unsigned long long)seed);
        check_valid(spirv.words.data, spirv.words.count, 1, name);
        wpg_vec_free(&spirv.words);
        program_finish(&p);
    }
}

/* Whatever cannot be done is refused before anything is changed. */
static void test_unknown_instruction(void **state)
{
    (void)state;
    program p;
    program_words spirv, changed = {0};
    wpg_counter_map *map;
    uint32_t *out;
    size_t out_count;
    wpg_error err = {0};
    program_make(&p, 3, 5, false);
    program_spirv(&spirv, &p, 64);
    for (size_t i = 0; i < spirv.words.count; i++) {
        assert_true(wpg_vec_push(&changed.words, spirv.words.data[i]));
        if (i + 1 < spirv.words.count && spirv.words.data[i + 1] == (1u << 16 | SpvOpFunctionEnd)) {
            /* Before the last block's terminator. */
            uint32_t last = wpg_vec_pop(&changed.words);
            assert_true(wpg_vec_push(&changed.words, 1u << 16 | 0xfffe));
            assert_true(wpg_vec_push(&changed.words, last));
        }
    }
    golden g = {0};
    wpg_instrument_options options = options_of(&g);
    assert_int_equal(
        rewrite(&out, &out_count, &map, changed.words.data, changed.words.count, &options, false, &err),
        WPG_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "unknown instruction"));
    options.directory_entry = 4;
    assert_int_equal(
        rewrite(&out, &out_count, &map, spirv.words.data, spirv.words.count, &options, false, &err),
        WPG_E_ARGUMENT);
    wpg_vec_free(&spirv.words);
    wpg_vec_free(&changed.words);
    program_finish(&p);
}

/* Counters are the stage's, and no two kinds share one. */
static void test_counters(void **state)
{
    (void)state;
    program p;
    program_words spirv;
    wpg_module *module;
    wpg_counter_map *map;
    wpg_error err = {0};
    program_make(&p, 9, 20, false);
    program_spirv(&spirv, &p, 64);
    assert_int_equal(wpg_module_parse(&module, spirv.words.data, spirv.words.count, &err), WPG_OK);
    wpg_stage stage = stage_of(module);
    golden g = {0};
    wpg_instrument_options options = options_of(&g);
    assert_int_equal(wpg_instrument(&map, module, &stage, &options, &err), WPG_OK);
    for (uint32_t b = 0; b < map->functions[0].block_count; b++) {
        uint32_t lanes = map->functions[0].lanes[b];
        if (lanes == WPG_NO_COUNTER)
            continue;
        assert_true(lanes >= map->first_counter && lanes + 2 < map->first_counter + map->counter_count);
        assert_int_equal(map->functions[0].waves[b], lanes + 1);
        assert_int_equal(map->functions[0].uniform[b], lanes + 2);
    }
    wpg_counter_map_destroy(map);
    wpg_module_destroy(module);
    wpg_vec_free(&spirv.words);
    program_finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden), cmocka_unit_test(test_shaders), cmocka_unit_test(test_programs),
        cmocka_unit_test(test_unknown_instruction), cmocka_unit_test(test_counters)};
    return cmocka_run_group_tests_name("instrumented modules", tests, NULL, NULL);
}
