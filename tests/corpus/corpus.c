/* What must hold for any SPIR-V module a program hands to a driver, checked on as many as are given:
 *
 *     corpus [--out FOLDER] FILE.spv...      one line an entry point, in the order given: file, stage, entry,
 *                                            shader hash, checksum of each function, what was done;
 *                                            "FAIL" lines, and exit code 1, where something is wrong
 *
 *     words --parse--> module --emit--> the same words
 *     module --normalise--> normal form --instrument--> valid under the options the input is valid under
 *                                       --optimise, with a made-up profile--> valid too
 *     normal form --SSA tier--> valid too
 *     normal form --cut and folded (`wavepgo estimate`), with blocks dead at random--> valid too
 *
 * A module that nothing makes valid is only checked for crashes. "-" as a file reads names from standard
 * input. The lines hold nothing of the machine or the build: two builds must print the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/graph/normal_form.h"
#include "compiler/analysis/values/sites.h"
#include "compiler/instrument/code/instrument.h"
#include "compiler/normalize/contexts.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/optimize/passes/cut_dead.h"
#include "compiler/optimize/ir/optimize.h"
#include "runtime/base/file.h"
#include "tests/support/weights.h"
#include "tests/support/targets.h"

static unsigned failures, modules, entries, weighable, invalid, instrumented, optimised, cut, contexts;

typedef struct subject {
    const char *file;
    const uint32_t *words;
    size_t count;
    bool valid;
    wpg_validate_options options; /* under which it is valid */
    wpg_stage stage;
    bool first; /* entry point of the module */
} subject;

static const char *out_folder;

static void fail(const subject *s, const char *what, const char *why)
{
    printf("FAIL %s %s: %s: %s\n", s->file, s->stage.entry ? s->stage.entry : "", what, why);
    failures++;
}

static const wpg_validate_options option_sets[] = {
    {.vulkan_minor = 0},
    {.vulkan_minor = 1},
    {.vulkan_minor = 3},
    {.vulkan_minor = 3, .uniform_buffer_standard_layout = true},
    {.vulkan_minor = 3, .scalar_block_layout = true, .workgroup_scalar_block_layout = true},
    {.vulkan_minor = 3,
     .uniform_buffer_standard_layout = true,
     .scalar_block_layout = true,
     .workgroup_scalar_block_layout = true,
     .relax_block_layout = true,
     .local_size_id = true},
};

/* The first set of options under which the input passes. Emitted words may need SPIR-V 1.3: Vulkan 1.1. */
static void find_options(subject *s)
{
    for (size_t i = 0; i < sizeof option_sets / sizeof *option_sets && !s->valid; i++) {
        s->options = option_sets[i];
        s->valid = wpg_spirv_validate(s->words, s->count, &s->options, NULL) == WPG_OK;
    }
    if (s->options.vulkan_minor < 1)
        s->options.vulkan_minor = 1;
}

static void check_words(const subject *s, const char *what, const uint32_t *words, size_t count)
{
    wpg_error err = {0};
    wpg_module *again = NULL;
    if (wpg_module_parse(&again, words, count, &err) != WPG_OK)
        fail(s, what, err.message);
    wpg_module_destroy(again);
    if (s->valid && wpg_spirv_validate(words, count, &s->options, &err) != WPG_OK)
        fail(s, what, err.message);
}

/* For corpus_driver: what was made of the first entry point. */
static void keep(const subject *s, const char *form, const wpg_module *module)
{
    char path[4096];
    wpg_error err = {0};
    uint32_t *words = NULL;
    size_t count = 0;
    if (!out_folder || !s->first || !s->valid)
        return;
    (void)snprintf(path, sizeof path, "%s/%s.%s.spv", out_folder, s->file, form);
    FILE *file = wpg_module_emit(&words, &count, module, &err) == WPG_OK ? fopen(path, "wb") : NULL;
    if (!file || fwrite(words, sizeof *words, count, file) != count)
        fail(s, "keep", path);
    if (file)
        (void)fclose(file);
    free(words);
}

static void check_module(const subject *s, const char *what, const wpg_module *module)
{
    wpg_error err = {0};
    uint32_t *words = NULL;
    size_t count = 0;
    if (wpg_module_emit(&words, &count, module, &err) != WPG_OK)
        fail(s, what, err.message);
    else
        check_words(s, what, words, count);
    free(words);
}

static wpg_module *normal_form(const subject *s, wpg_error *err)
{
    wpg_module *module = NULL;
    if (wpg_module_parse(&module, s->words, s->count, err) != WPG_OK)
        return NULL;
    if (wpg_normalize(module, &s->stage, NULL, err) == WPG_OK)
        return module;
    wpg_module_destroy(module);
    return NULL;
}

/* Call paths: the words are those of the normal form, every block that starts somewhere has its home there.
 */
static void check_contexts(const subject *s, const wpg_module *normal)
{
    wpg_error err = {0};
    wpg_module *module = NULL;
    wpg_context_table *table = NULL;
    uint32_t *words = NULL, *want = NULL;
    size_t count = 0, want_count = 0;
    if (wpg_module_parse(&module, s->words, s->count, &err) != WPG_OK ||
        wpg_normalize_contexts(&table, module, &s->stage, NULL, &err) != WPG_OK ||
        wpg_module_emit(&words, &count, module, &err) != WPG_OK ||
        wpg_module_emit(&want, &want_count, normal, &err) != WPG_OK)
        fail(s, "contexts", err.message);
    else if (count != want_count || memcmp(words, want, count * 4) != 0)
        fail(s, "contexts", "not the words of the normal form");
    for (uint32_t o = 0; table && o < table->normal_count; o++)
        for (uint32_t b = 0; b < table->normal[o].block_count; b++)
            for (uint32_t i = table->normal[o].first[b]; i < table->normal[o].first[b + 1]; i++) {
                const wpg_context_origin *origin = &table->normal[o].origins[i];
                if (table->contexts[origin->context].home[origin->block] != b)
                    fail(s, "contexts", "a block with two homes");
            }
    contexts += table ? table->context_count - table->normal_count : 0;
    wpg_context_table_destroy(table);
    wpg_module_destroy(module);
    free(words);
    free(want);
}

/* One way to instrument: a device, a strategy, probes. */
typedef struct counting_form {
    wpg_strategy_choice strategy;
    bool least; /* with the least that a device may have; else with everything */
    uint32_t probes;
} counting_form;

static void check_instrumented(const subject *s)
{
    static const wpg_instrument_target least = {.max_spirv_minor = 3};
    static const counting_form forms[] = {
        {.strategy = WPG_STRATEGY_AUTO},
        {.strategy = WPG_STRATEGY_DERIVED, .probes = ~0u},
        {.strategy = WPG_STRATEGY_ADDITIVE},
        {.strategy = WPG_STRATEGY_NAIVE, .probes = ~0u},
        {.strategy = WPG_STRATEGY_AUTO, .least = true, .probes = ~0u},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        wpg_error err = {0};
        wpg_module *module = normal_form(s, &err);
        if (!module)
            return;
        const wpg_instrument_options options = {.target = forms[i].least ? least : wpg_target_of_most,
                                                .directory_entry = UINT64_C(0x100000000000),
                                                .select_sites = true,
                                                .strategy = forms[i].strategy,
                                                .probes = forms[i].probes};
        wpg_counter_map *map = NULL;
        wpg_status status = wpg_instrument(&map, module, &s->stage, &options, &err);
        if (status == WPG_OK) {
            instrumented += i == 0;
            check_module(s, "instrumented", module);
            if (i == 0)
                keep(s, "generate", module);
        } else if (status != WPG_E_UNSUPPORTED) {
            fail(s, "instrument", err.message);
        }
        wpg_counter_map_destroy(map);
        wpg_module_destroy(module);
    }
}

static void check_optimised(const subject *s, const wpg_module *normal, const wpg_counter_map *plan)
{
    wpg_error err = {0};
    wpg_function_weights *functions = calloc(plan->function_count, sizeof *functions);
    for (uint32_t f = 0; functions && f < plan->function_count; f++)
        if (!test_weights(&functions[f], normal, &plan->functions[f], 0, &err))
            fail(s, "profile", err.message);
    wpg_module *module = normal_form(s, &err);
    const wpg_weights weights = {functions, plan->function_count};
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    options.unflatten_cost = 2;
    options.scalarise = true;
    options.floats = s->count % 2 ? WPG_FLOAT_SPEC : WPG_FLOAT_FRAGMENTS;
    options.outputs.known = true; /* every other location is read */
    for (uint32_t i = 0; i < WPG_OUTPUT_LOCATIONS; i += 2)
        options.outputs.read[i] = 15;
    wpg_remarks *remarks = NULL;
    bool changed = false;
    if (module && functions) {
        wpg_status status =
            wpg_optimize(&remarks, &changed, &module, &s->stage, &weights, &options, wpg_ssa_tier, &err);
        if (status != WPG_OK && status != WPG_E_UNSUPPORTED)
            fail(s, "optimise", err.message);
        if (status == WPG_OK && changed) {
            optimised++;
            check_module(s, "optimised", module);
            keep(s, "use", module);
        }
    }
    wpg_remarks_destroy(remarks);
    wpg_module_destroy(module);
    for (uint32_t f = 0; functions && f < plan->function_count; f++)
        test_weights_finish(&functions[f]);
    free(functions);
}

/* Blocks dead at random, which no program can run like that: what is left is valid all the same. */
static void check_cut(const subject *s, const wpg_counter_map *plan)
{
    wpg_function_weights *functions = calloc(plan->function_count + 1u, sizeof *functions);
    for (uint64_t seed = 1; functions && seed <= 3; seed++) {
        wpg_error err = {0};
        wpg_cut_info info;
        wpg_module *module = normal_form(s, &err);
        uint64_t random = seed;
        for (uint32_t f = 0; module && f < plan->function_count; f++) {
            uint64_t *counts = calloc(plan->functions[f].block_count + 1u, sizeof *counts);
            for (uint32_t b = 0; counts && b < plan->functions[f].block_count; b++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
                counts[b] = b == 0 || (random >> 40) % 8 < 2 * seed;
            }
            functions[f] = (wpg_function_weights){.ordinal = plan->functions[f].ordinal,
                                                  .checksum = plan->functions[f].checksum,
                                                  .block_count = plan->functions[f].block_count,
                                                  .waves = counts};
        }
        const wpg_weights weights = {functions, plan->function_count};
        if (module && (wpg_cut_dead(&info, module, &s->stage, &weights, &err) != WPG_OK || info.mismatch ||
                       wpg_fold_branches(module, NULL, &err) != WPG_OK))
            fail(s, "cut", err.message);
        else if (module && info.decided + info.cases) {
            cut += seed == 1;
            check_module(s, "cut", module);
        }
        wpg_module_destroy(module);
        for (uint32_t f = 0; f < plan->function_count; f++) {
            free((void *)(uintptr_t)functions[f].waves);
            functions[f] = (wpg_function_weights){0};
        }
    }
    free(functions);
}

static void check_ssa(const subject *s, const wpg_module *module)
{
    wpg_error err = {0};
    uint32_t *words = NULL, *better = NULL;
    size_t count = 0, better_count = 0;
    if (wpg_module_emit(&words, &count, module, &err) != WPG_OK)
        fail(s, "emit", err.message);
    else if (s->valid) {
        wpg_status status = wpg_ssa_tier(&better, &better_count, words, count, &err);
        if (status ==
            WPG_E_UNSUPPORTED) /* SPIRV-Tools made something invalid of it: the tier is gone without */
            printf(" no SSA tier: %s\n", err.message);
        else if (status != WPG_OK)
            fail(s, "SSA tier", err.message);
        else
            check_words(s, "SSA tier", better, better_count);
    }
    free(words);
    free(better);
}

static void check_entry(subject *s, const wpg_module *module)
{
    entries++;
    wpg_error err = {0};
    wpg_hash128 hash;
    char hex[WPG_HASH_HEX + 1];
    if (wpg_shader_hash(&hash, module, &s->stage, &err) != WPG_OK) {
        fail(s, "hash", err.message);
        return;
    }
    wpg_hash_to_hex(hex, hash);
    printf("%s %s %s %s", s->file, wpg_stage_name(s->stage.model), s->stage.entry, hex);
    wpg_module *normal = normal_form(s, &err);
    if (!normal) {
        printf(" not normalised: %s\n", err.message);
        return;
    }
    wpg_counter_map *plan = NULL;
    if (test_plan(&plan, normal, &s->stage, &err) == WPG_OK) {
        weighable +=
            plan->function_count && (plan->functions[0].block_count > 3 || plan->functions[0].select_count);
        for (uint32_t f = 0; f < plan->function_count; f++)
            printf(" %u:%016llx/%u+%u", plan->functions[f].ordinal,
                   (unsigned long long)plan->functions[f].checksum, plan->functions[f].block_count,
                   plan->functions[f].select_count);
        printf("\n");
        check_module(s, "normal form", normal);
        check_contexts(s, normal);
        check_ssa(s, normal);
        check_instrumented(s);
        check_optimised(s, normal, plan);
        check_cut(s, plan);
    } else {
        printf(" not instrumented: %s\n", err.message);
    }
    wpg_counter_map_destroy(plan);
    wpg_module_destroy(normal);
}

static void check_file(const char *file)
{
    subject s = {.file = file};
    wpg_error err = {0};
    uint8_t *data = NULL;
    size_t size = 0;
    modules++;
    if (wpg_file_read(&data, &size, file, (size_t)64 << 20, &err) != WPG_OK) {
        fail(&s, "read", err.message);
        return;
    }
    s.words = (const uint32_t *)(const void *)data;
    s.count = size / 4;
    /* Names in the output must not depend on where the corpus lies. */
    const char *slash = strrchr(file, '/');
    s.file = slash ? slash + 1 : file;
    find_options(&s);
    invalid += !s.valid;
    wpg_module *module = NULL;
    if (wpg_module_parse(&module, s.words, s.count, &err) != WPG_OK) {
        if (s.valid)
            fail(&s, "parse", err.message);
        free(data);
        return;
    }
    uint32_t *words = NULL;
    size_t count = 0;
    if (wpg_module_emit(&words, &count, module, &err) != WPG_OK)
        fail(&s, "emit", err.message);
    else if (count != s.count || memcmp(words, s.words, count * 4) != 0)
        fail(&s, "emit", "not the words that were parsed");
    free(words);
    WPG_INST_EACH (inst, module) {
        if (inst->opcode != SpvOpEntryPoint)
            continue;
        s.stage = (wpg_stage){.model = (SpvExecutionModel)inst->words[1], .entry = wpg_inst_string(inst, 3)};
        if (s.stage.entry && wpg_stage_name(s.stage.model)) {
            s.first = inst->prev == NULL || inst->prev->opcode != SpvOpEntryPoint;
            check_entry(&s, module);
        }
    }
    wpg_module_destroy(module);
    free(data);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: corpus [--out FOLDER] FILE.spv... (- reads names from standard input)\n");
        return 2;
    }
    int from = 1;
    if (argc > 3 && strcmp(argv[1], "--out") == 0) {
        out_folder = argv[2];
        from = 3;
    }
    for (int i = from; i < argc; i++) {
        if (strcmp(argv[i], "-") != 0) {
            check_file(argv[i]);
            continue;
        }
        char line[4096];
        while (fgets(line, sizeof line, stdin)) {
            line[strcspn(line, "\n")] = 0;
            check_file(line);
        }
    }
    /* Something can be done in many shaders with a branch or a select: a profile that is always refused would
     * check nothing. */
    if (weighable > 100 && optimised < weighable / 4) {
        printf("FAIL only %u of %u entry points with a branch were optimised\n", optimised, weighable);
        failures++;
    }
    if (weighable > 100 && cut < weighable / 4) {
        printf("FAIL only %u of %u entry points with a branch were cut\n", cut, weighable);
        failures++;
    }
    printf("%u modules (%u not valid under any option), %u entry points (%u with a branch), %u instrumented, "
           "%u optimised, %u cut, "
           "%u calls followed, %u failures\n",
           modules, invalid, entries, weighable, instrumented, optimised, cut, contexts, failures);
    return failures != 0;
}
