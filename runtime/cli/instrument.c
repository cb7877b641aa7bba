/* wavepgo instrument: one module through the layer's own steps, for inspection, tests and corpora.
 *
 *     IN.spv --parse--> --normalise--> --instrument | optimise--> OUT.spv
 */
#include "runtime/cli/common/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/graph/pseudo_probe.h"
#include "compiler/analysis/values/select_work.h"
#include "compiler/instrument/code/instrument.h"
#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/optimize/ir/optimize.h"
#include "runtime/base/file.h"
#include "runtime/base/vec.h"
#include "runtime/bundle/folder.h"
#include "runtime/report/model/shader_source.h"
#include "runtime/cli/common/spec_option.h"
#include "runtime/profile/weights.h"

static const char command_name[] = "instrument";

/* Stand in for the layer's directory: any aligned addresses give the same code. */
static const uint64_t example_directory_cells = UINT64_C(0x100000000000),
                      example_directory_entry = UINT64_C(0x100000200000);

typedef struct instrument_options {
    const char *in, *out, *entry, *stage, *use, *strategy, *probes;
    bool normalize_only, validate, map, hash, pseudo_probes, list_probes, all_selects;
    wpg_instrument_options counting;
    WPG_VEC(wpg_spec_value) spec;
} instrument_options;

static int failed(const instrument_options *options, const wpg_error *err)
{
    return wpg_complain(WPG_EXIT_FAILED, command_name, "%s: %s", options->in, err->message);
}

/* "1/N" or "N". */
static bool parse_rate(uint32_t *rate, const char *text)
{
    char *end;
    const char *number = strncmp(text, "1/", 2) == 0 ? text + 2 : text;
    unsigned long value = strtoul(number, &end, 10);
    *rate = (uint32_t)value;
    return end != number && !*end && value >= 1 && value <= WPG_SAMPLE_MAX;
}

/* A power of two up to the 128 lanes of a ballot (Vulkan 1.3, VkPhysicalDeviceVulkan11Properties). */
static bool parse_wave_size(wpg_instrument_target *target, const char *text)
{
    char *end;
    unsigned long lanes = strtoul(text, &end, 10);
    if (end == text || *end || lanes < 1 || lanes > WPG_PATH_LANES || (lanes & (lanes - 1)))
        return false;
    target->subgroup_size = target->subgroup_most = (uint32_t)lanes;
    return true;
}

static int parse(instrument_options *options, int argc, char **argv)
{
    struct {
        const char *name;
        const char **value;
    } texts[] = {
        {"-o", &options->out},    {"--entry", &options->entry},       {"--stage", &options->stage},
        {"--use", &options->use}, {"--strategy", &options->strategy}, {"--probes", &options->probes}};
    struct {
        const char *name;
        bool *flag, value;
    } flags[] = {{"--normalize-only", &options->normalize_only, true},
                 {"--validate", &options->validate, true},
                 {"--map", &options->map, true},
                 {"--hash", &options->hash, true},
                 {"--pseudo-probes", &options->pseudo_probes, true},
                 {"--list-probes", &options->list_probes, true},
                 {"--no-subgroups", &options->counting.target.subgroup_ballot, false},
                 {"--no-int64-atomics", &options->counting.target.int64_atomics, false},
                 {"--lane-loops", &options->counting.target.loops_over_lanes, true},
                 {"--all-selects", &options->all_selects, true},
                 {"--no-selects", &options->counting.select_sites, false}};
    for (int at = 1; at < argc; at++) {
        bool known = false;
        for (size_t i = 0; i < sizeof flags / sizeof flags[0] && !known; i++) {
            if ((known = strcmp(argv[at], flags[i].name) == 0))
                *flags[i].flag = flags[i].value;
        }
        for (size_t i = 0; i < sizeof texts / sizeof texts[0] && !known; i++) {
            if (!(known = strcmp(argv[at], texts[i].name) == 0))
                continue;
            if (at + 1 >= argc)
                return wpg_usage_error(command_name, "'%s' needs a value", argv[at]);
            *texts[i].value = argv[++at];
        }
        if (known)
            continue;
        if (strcmp(argv[at], "--sample") == 0) {
            if (at + 1 >= argc || !parse_rate(&options->counting.sample, argv[at + 1]))
                return wpg_usage_error(command_name, "--sample takes 1/N, N up to %d", WPG_SAMPLE_MAX);
            at++;
        } else if (strcmp(argv[at], "--wave-size") == 0) {
            if (at + 1 >= argc || !parse_wave_size(&options->counting.target, argv[at + 1]))
                return wpg_usage_error(command_name, "--wave-size takes a power of two up to %d",
                                       WPG_PATH_LANES);
            at++;
        } else if (strcmp(argv[at], "--spec") == 0) {
            wpg_spec_value value;
            if (at + 1 >= argc || !wpg_spec_option(&value, argv[at + 1]))
                return wpg_usage_error(command_name, "--spec takes ID=VALUE");
            if (!wpg_vec_push(&options->spec, value))
                return wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
            at++;
        } else if (argv[at][0] == '-') {
            return wpg_usage_error(command_name, "no option is called '%s'", argv[at]);
        } else if (options->in) {
            return wpg_usage_error(command_name, "give one module");
        } else {
            options->in = argv[at];
        }
    }
    if (options->strategy && !wpg_strategy_find(&options->counting.strategy, options->strategy))
        return wpg_usage_error(command_name, "no strategy is called '%s'", options->strategy);
    wpg_error err;
    if (wpg_probes_parse(&options->counting.probes, options->probes ? options->probes : "default", &err) !=
        WPG_OK)
        return wpg_usage_error(command_name, "%s", err.message);
    if (!options->in || (!options->out && !options->map && !options->hash && !options->list_probes))
        return wpg_usage_error(command_name, "give a module and an output: IN.spv -o OUT.spv");
    return 0;
}

/* The entry point meant: by name and stage where given; else the only one; else "main". */
static wpg_status choose_entry(wpg_stage *stage, const wpg_module *module, const instrument_options *options,
                               wpg_error *err)
{
    const char *first = NULL;
    unsigned matches = 0;
    bool found_main = false;
    WPG_INST_EACH (inst, module) {
        const char *name =
            inst->opcode == SpvOpEntryPoint && inst->count > 3 ? wpg_inst_string(inst, 3) : NULL;
        if (!name)
            continue;
        SpvExecutionModel model = (SpvExecutionModel)inst->words[1];
        const char *stage_name = wpg_stage_name(model);
        if ((options->entry && strcmp(name, options->entry) != 0) ||
            (options->stage && (!stage_name || strcmp(stage_name, options->stage) != 0)))
            continue;
        bool is_main = strcmp(name, "main") == 0;
        if (!matches++ || (is_main && !found_main)) {
            first = name;
            stage->model = model;
        }
        found_main |= is_main;
    }
    if (!matches)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no such entry point");
    if (matches > 1 && !found_main)
        return wpg_fail(err, WPG_E_ARGUMENT, "%u entry points: choose with --entry and --stage", matches);
    stage->entry = first;
    return WPG_OK;
}

static void print_map(const wpg_counter_map *map)
{
    for (uint32_t f = 0; f < map->function_count; f++) {
        const wpg_function_counters *function = &map->functions[f];
        (void)printf("function %u checksum %016" PRIx64 " blocks %u selects %u\n", function->ordinal,
                     function->checksum, function->block_count, function->select_count);
        for (uint32_t b = 0; b < function->block_count; b++) {
            const uint32_t *kinds[] = {function->lanes, function->waves, function->uniform};
            static const char *const names[] = {"lanes", "waves", "uniform"};
            (void)printf("  block %u", b);
            for (size_t k = 0; k < 3; k++)
                if (kinds[k] && kinds[k][b] != WPG_NO_COUNTER)
                    (void)printf(" %s@%u", names[k], kinds[k][b]);
            if (function->methods)
                (void)printf(" %s", wpg_method_name((wpg_method)function->methods[b]));
            (void)putchar('\n');
        }
    }
    for (uint32_t i = 0; i < map->sum_count; i++) {
        (void)printf("  sum @%u =", map->first_counter + map->counter_count + i);
        for (uint32_t j = 0; j < map->sums[i].count; j++) {
            const wpg_counter_term *term = &map->terms[map->sums[i].first + j];
            (void)printf(" %+" PRId32 "*@%" PRIu32, term->factor, term->counter);
        }
        (void)putchar('\n');
    }
    for (uint32_t i = 0; i < map->path_count; i++) {
        const wpg_counter_path *path = &map->paths[i];
        (void)printf("  %s @%u: %u places, %u words, %u copies; %u tallies from @%u:",
                     path->table.most ? "all waves"
                     : path->mixed    ? "mixed waves"
                                      : "paths",
                     path->table.first, 1u << path->table.bits, path->table.words, path->table.copies,
                     path->count, path->full);
        for (uint32_t j = 0; j < wpg_path_field_count(path); j++) {
            const wpg_path_field *field = &map->path_fields[path->first + j];
            (void)printf(" %u.%u:%u%s", field->word, field->shift, field->width, field->plus ? "+1" : "");
        }
        (void)putchar('\n');
    }
    (void)printf("counters %u\n", map->counter_count);
    if (map->sample_rate > 1)
        (void)printf("sampled 1/%u\n", map->sample_rate);
    if (*map->note)
        (void)printf("note: %s\n", map->note);
}

static wpg_status weights_from_view(wpg_weights *weights, wpg_arena *arena, const wpg_shader_view *view,
                                    const wpg_shader_names *names, const wpg_stage *stage, wpg_error *err)
{
    const wpg_shader_counts *first;
    size_t found = wpg_shader_names_find(&first, view, names, wpg_stage_name(stage->model), stage->entry);
    if (!found)
        return wpg_fail(err, WPG_E_NOT_FOUND, "the profile does not know this shader");
    wpg_status status = wpg_weights_of_shader(weights, arena, first, found);
    return status == WPG_OK ? WPG_OK : wpg_fail(err, status, "out of memory");
}

static void print_remarks(const wpg_remarks *remarks)
{
    for (uint32_t i = 0; i < remarks->count; i++)
        (void)printf("%s: %s: %s\n", remarks->items[i].pass,
                     remarks->items[i].kind == WPG_REMARK_DONE ? "done" : "refused", remarks->items[i].text);
    if (remarks->mismatch)
        (void)printf("the profile is of another version of this shader: not applied\n");
}

static wpg_status optimise(wpg_module **module, const wpg_stage *stage, const wpg_shader_names *names,
                           const instrument_options *options, wpg_error *err)
{
    wpg_profile *profile = wpg_profile_create();
    wpg_shader_view *view = NULL;
    wpg_weights weights = {0};
    wpg_remarks *remarks = NULL;
    wpg_optimize_options how;
    wpg_arena arena;
    bool changed;
    wpg_arena_init(&arena);
    wpg_optimize_defaults(&how);
    wpg_status status = profile ? wpg_profile_load(profile, NULL, options->use, err)
                                : wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK)
        status = wpg_shader_view_create(&view, profile, err);
    if (status == WPG_OK)
        status = weights_from_view(&weights, &arena, view, names, stage, err);
    if (status == WPG_OK)
        status = wpg_optimize(&remarks, &changed, module, stage, &weights, &how, wpg_ssa_tier, err);
    if (status == WPG_OK)
        print_remarks(remarks);
    wpg_remarks_destroy(remarks);
    wpg_arena_finish(&arena);
    wpg_shader_view_destroy(view);
    wpg_profile_destroy(profile);
    return status;
}

static int write_module(const wpg_module *module, const instrument_options *options)
{
    uint32_t *words;
    size_t count;
    wpg_error err;
    if (wpg_module_emit(&words, &count, module, &err) != WPG_OK)
        return failed(options, &err);
    int code = 0;
    wpg_validate_options allowed = {.vulkan_minor = 3,
                                    .uniform_buffer_standard_layout = true,
                                    .scalar_block_layout = true,
                                    .workgroup_scalar_block_layout = true,
                                    .relax_block_layout = true,
                                    .local_size_id = true};
    if (options->validate && wpg_spirv_validate(words, count, &allowed, &err) != WPG_OK)
        code = failed(options, &err);
    if (!code && options->out &&
        wpg_file_write_atomic(options->out, words, count * sizeof *words, &err) != WPG_OK)
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    free(words);
    return code;
}

static int list_probes(const wpg_module *module, const instrument_options *options)
{
    wpg_arena arena;
    wpg_pseudo_probe *list;
    size_t count, malformed;
    wpg_error err;
    wpg_arena_init(&arena);
    wpg_status status = wpg_pseudo_probes_list(&list, &count, &malformed, module, &arena, &err);
    for (size_t i = 0; status == WPG_OK && i < count; i++) {
        char hex[WPG_HASH_HEX + 1];
        wpg_hash_to_hex(hex, list[i].shader);
        (void)printf("%s.%s function %" PRIu32 " block %" PRIu32 " checksum %016" PRIx64
                     " in function %" PRIu32 " block %" PRIu32 " %%%" PRIu32 "\n",
                     hex, list[i].stage, list[i].function, list[i].block, list[i].checksum,
                     list[i].in_function, list[i].in_block, list[i].label);
    }
    wpg_arena_finish(&arena);
    if (status != WPG_OK)
        return failed(options, &err);
    if (malformed)
        (void)wpg_complain(0, command_name, "%s: %zu malformed probes left out", options->in, malformed);
    return 0;
}

static int rewrite(wpg_module **module, const instrument_options *options)
{
    wpg_error err;
    wpg_shader_names names;
    wpg_counter_map *map = NULL;
    wpg_stage stage = {.spec = options->spec.data, .spec_count = options->spec.count};
    wpg_status status = choose_entry(&stage, *module, options, &err);
    char *entry = status == WPG_OK ? strdup(stage.entry) : NULL; /* the module's own words change below */
    stage.entry = entry;
    if (status == WPG_OK && !entry)
        status = wpg_fail(&err, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK)
        status = wpg_shader_names_of(&names, *module, &stage, &err);
    if (status == WPG_OK && options->hash) {
        char hex[WPG_HASH_HEX + 1];
        wpg_hash_to_hex(hex, names.now);
        (void)printf("%s.%s.%s\n", hex, wpg_stage_name(stage.model) ? wpg_stage_name(stage.model) : "?",
                     entry);
    }
    bool rewriting = options->out || options->map;
    if (status == WPG_OK && rewriting)
        status = wpg_normalize(*module, &stage, NULL, &err);
    if (status == WPG_OK && rewriting && options->pseudo_probes)
        status = wpg_pseudo_probes_insert(*module, &stage, names.now, &err);
    if (status == WPG_OK && rewriting && options->use)
        status = optimise(module, &stage, &names, options, &err);
    else if (status == WPG_OK && rewriting && !options->normalize_only && !options->pseudo_probes)
        status = wpg_instrument(&map, *module, &stage, &options->counting, &err);
    if (status == WPG_OK && map && options->map)
        print_map(map);
    wpg_counter_map_destroy(map);
    free(entry);
    return status == WPG_OK ? 0 : failed(options, &err);
}

int wpg_command_instrument(int argc, char **argv)
{
    instrument_options options = {.counting = {.target = {.subgroup_basic = true,
                                                          .subgroup_ballot = true,
                                                          .subgroup_arithmetic = true,
                                                          .subgroup_size = 32,
                                                          .int64_atomics = true,
                                                          .demote_to_helper = true,
                                                          .memory_model_device_scope = true,
                                                          .max_spirv_minor = 6},
                                               .directory_entry = example_directory_entry,
                                               .directory_cells = example_directory_cells,
                                               .directory_tag = 1,
                                               .directory_shift = 14,
                                               .select_sites = true,
                                               .select_work = WPG_SELECT_WORK}};
    uint8_t *data = NULL;
    size_t size;
    wpg_error err;
    wpg_module *module = NULL;
    int code = parse(&options, argc, argv);
    if (options.all_selects)
        options.counting.select_work = 0;
    if (!code && wpg_file_read(&data, &size, options.in, (size_t)WPG_SPIRV_MAX_WORDS * 4, &err) != WPG_OK)
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    if (!code && size % 4)
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s: not a whole number of words", options.in);
    if (!code && wpg_module_parse(&module, (const uint32_t *)(const void *)data, size / 4, &err) != WPG_OK)
        code = failed(&options, &err);
    if (!code && options.list_probes)
        code = list_probes(module, &options);
    if (!code && (options.out || options.map || options.hash))
        code = rewrite(&module, &options);
    if (!code && options.out)
        code = write_module(module, &options);
    wpg_module_destroy(module);
    free(data);
    wpg_vec_free(&options.spec);
    return code;
}
