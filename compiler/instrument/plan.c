/* Making the plan: refusals, the strategy, and a counter for every class and site. Reads the module only. */
#include "compiler/instrument/plan.h"

#include <stdio.h>
#include <string.h>

#include "compiler/analysis/normal_form.h"
#include "compiler/instrument/probe.h"
#include "compiler/instrument/sample.h"
#include "compiler/instrument/strategy.h"
#include "compiler/spirv/grammar.h"

/* Upper bounds of the ids that code takes: for the module, a point, a select tally. The real ones are lower;
 * the bound of 2^22 ids is far from what shaders need. */
enum { IDS_MODULE = 64, IDS_FUNCTION = 32, IDS_POINT = 80, IDS_TALLY = 48 };

static wpg_status unsupported(wpg_error *err, const char *why)
{
    return wpg_fail(err, WPG_E_UNSUPPORTED, "%s", why);
}

static bool stage_is_counted(SpvExecutionModel model)
{
    switch (model) {
    case SpvExecutionModelVertex:
    case SpvExecutionModelTessellationControl:
    case SpvExecutionModelTessellationEvaluation:
    case SpvExecutionModelGeometry:
    case SpvExecutionModelFragment:
    case SpvExecutionModelGLCompute:
        return true;
    default:
        return false;
    }
}

/* What can be seen from the instructions in one walk. */
static wpg_status survey(wpg_plan *plan, wpg_error *err)
{
    bool in_functions = false, has_model = false;
    unsigned entry_points = 0;
    WPG_INST_EACH (inst, plan->module) {
        in_functions |= inst->opcode == SpvOpFunction;
        entry_points += inst->opcode == SpvOpEntryPoint;
        plan->demotes |= inst->opcode == SpvOpDemoteToHelperInvocation;
        if (inst->opcode == SpvOpMemoryModel && inst->count > 2) {
            has_model = true;
            if (inst->words[1] != SpvAddressingModelLogical &&
                inst->words[1] != SpvAddressingModelPhysicalStorageBuffer64)
                return unsupported(err, "addressing model of a kernel");
        }
        if (in_functions && plan->module->has_unknown && !wpg_opcode_lookup(inst->opcode))
            return wpg_fail(err, WPG_E_UNSUPPORTED, "unknown instruction %u in a function", inst->opcode);
    }
    if (!has_model)
        return wpg_fail(err, WPG_E_FORMAT, "module without a memory model");
    if (entry_points != 1)
        return unsupported(err, "more than one entry point left");
    return WPG_OK;
}

static wpg_helper_test choose_helper_test(const wpg_plan *plan)
{
    if (plan->stage->model != SpvExecutionModelFragment)
        return WPG_HELPER_NONE;
    if (plan->options->target.demote_to_helper ||
        wpg_has_capability(plan->module, SpvCapabilityDemoteToHelperInvocation))
        return WPG_HELPER_OP;
    return plan->demotes ? WPG_HELPER_UNKNOWN : WPG_HELPER_BUILTIN;
}

static void choose_strategy(wpg_plan *plan)
{
    if (plan->options->strategy == WPG_STRATEGY_LANE) {
        plan->strategy = &wpg_strategy_per_lane;
        (void)snprintf(plan->map->note, sizeof plan->map->note,
                       "waves and uniform absent: asked to count per lane");
        return;
    }
    for (unsigned i = 0; wpg_strategies[i]; i++) {
        const char *reason = wpg_strategies[i]->refuses(plan);
        plan->strategy = wpg_strategies[i];
        if (!reason)
            return;
        if (!plan->map->note[0])
            (void)snprintf(plan->map->note, sizeof plan->map->note, "waves and uniform absent: %s", reason);
    }
}

static wpg_status list_functions(wpg_plan *plan, wpg_error *err)
{
    wpg_inst *entry = wpg_module_def(plan->module, plan->entry_point->words[2]);
    uint32_t count = 0;
    for (wpg_inst *f = wpg_next_function(plan->module->first); f; f = wpg_next_function(f->next))
        count++;
    plan->functions = WPG_ARENA_ARRAY(&plan->arena, wpg_function_plan, count);
    plan->map->functions = WPG_ARENA_ARRAY(&plan->map->arena, wpg_function_counters, count);
    if (!plan->functions || !plan->map->functions)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (!entry || entry->opcode != SpvOpFunction)
        return wpg_fail(err, WPG_E_FORMAT, "the entry point names no function");
    plan->functions[plan->function_count++] = (wpg_function_plan){.function = entry, .is_entry = true};
    for (wpg_inst *f = wpg_next_function(plan->module->first); f; f = wpg_next_function(f->next)) {
        if (f != entry)
            plan->functions[plan->function_count++].function = f;
    }
    return WPG_OK;
}

/* Counters of a function's classes, kind by kind within a class, so that one class's counters share a line.
 */
static bool number_blocks(wpg_plan *plan, const wpg_function_plan *f, wpg_function_counters *counters)
{
    wpg_arena *arena = &plan->map->arena;
    uint32_t kinds = plan->strategy->kinds, per_class = 0;
    const struct {
        uint32_t kind, **indices;
    } columns[] = {{WPG_KIND_LANES, &counters->lanes},
                   {WPG_KIND_WAVES, &counters->waves},
                   {WPG_KIND_UNIFORM, &counters->uniform}};
    for (unsigned i = 0; i < 3; i++)
        per_class += (kinds & columns[i].kind) != 0;
    uint32_t first = plan->options->first_counter + plan->counter_count, column = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (!(kinds & columns[i].kind))
            continue;
        uint32_t *indices = WPG_ARENA_ARRAY(arena, uint32_t, f->cfg->count);
        if (!indices)
            return false;
        for (uint32_t b = 0; b < f->cfg->count; b++) {
            uint32_t class = f->classes.class_of[b];
            indices[b] = class == WPG_NO_BLOCK ? WPG_NO_COUNTER : first + per_class * class + column;
        }
        *columns[i].indices = indices;
        column++;
    }
    plan->counter_count += per_class * f->classes.class_count;
    counters->methods = WPG_ARENA_ARRAY(arena, uint8_t, f->cfg->count);
    for (uint32_t b = 0; counters->methods && b < f->cfg->count; b++)
        if (f->classes.class_of[b] != WPG_NO_BLOCK)
            counters->methods[b] = (uint8_t)plan->strategy->method;
    return counters->methods != NULL;
}

static uint32_t counter_at(const uint32_t *indices, bool counted, uint32_t block)
{
    return counted && indices ? indices[block] : WPG_NO_COUNTER;
}

/* Constructs watched for demotes (live.c): those whose lanes, unless they demote, all come to the merge
 * block. Gives each block the one it heads and the one it merges. */
static bool watch_constructs(wpg_plan *plan, wpg_function_plan *f, uint32_t **heads, uint32_t **merges)
{
    const wpg_cfg *cfg = f->cfg;
    *heads = WPG_ARENA_ARRAY(&plan->arena, uint32_t, cfg->count);
    *merges = WPG_ARENA_ARRAY(&plan->arena, uint32_t, cfg->count);
    if (!*heads || !*merges)
        return false;
    for (uint32_t b = 0; b < cfg->count; b++)
        (*heads)[b] = (*merges)[b] = WPG_NO_BLOCK;
    for (uint32_t c = 0; c < cfg->construct_count && plan->strategy->kinds & WPG_KIND_UNIFORM; c++) {
        const wpg_construct *construct = &cfg->constructs[c];
        if (!construct->has_demote || construct->leaves_early ||
            cfg->blocks[construct->header].rpo == WPG_NO_BLOCK ||
            cfg->blocks[construct->merge].rpo == WPG_NO_BLOCK)
            continue;
        (*heads)[construct->header] = (*merges)[construct->merge] = c;
        f->watches = true;
    }
    return true;
}

/* One point for each class, at its representative, for each end of a watched construct, and for each block
 * and stretch with sites. Every reachable block can hold code (split.c), so no class needs another place. */
static bool place_points(wpg_plan *plan, wpg_function_plan *f, const wpg_function_counters *counters,
                         const wpg_select_starts *starts, const wpg_point *late, uint32_t late_count)
{
    const wpg_cfg *cfg = f->cfg;
    f->points = WPG_ARENA_ARRAY(&plan->arena, wpg_point, (size_t)cfg->count + late_count);
    if (!f->points)
        return false;
    uint32_t next_late = 0, *heads, *merges;
    if (!watch_constructs(plan, f, &heads, &merges))
        return false;
    for (uint32_t b = 0; b < cfg->count; b++) {
        uint32_t class = f->classes.class_of[b];
        bool counted = class != WPG_NO_BLOCK && f->classes.representative[class] == b;
        uint32_t selects = starts ? starts[b].count : 0;
        if (counted || selects || heads[b] != WPG_NO_BLOCK || merges[b] != WPG_NO_BLOCK) {
            f->points[f->point_count++] = (wpg_point){
                .block = b,
                .lanes = counter_at(counters->lanes, counted, b),
                .waves = counter_at(counters->waves, counted, b),
                .uniform = counter_at(counters->uniform, counted, b),
                .record = heads[b],
                .resolve = merges[b],
                .selects = selects ? starts[b].selects : NULL,
                .select_count = selects,
            };
        }
        while (next_late < late_count && late[next_late].block == b)
            f->points[f->point_count++] = late[next_late++];
    }
    return true;
}

static wpg_status plan_function(wpg_plan *plan, uint32_t index, wpg_error *err)
{
    wpg_function_plan *f = &plan->functions[index];
    wpg_function_counters *counters = &plan->map->functions[index];
    WPG_TRY(wpg_cfg_create(&f->cfg, plan->module, f->function, err));
    *counters = (wpg_function_counters){
        .function = f->function->result,
        .ordinal = index,
        .checksum = wpg_cfg_checksum(f->cfg, WPG_NORMAL_FORM_VERSION),
        .kinds = plan->strategy->kinds,
        .block_count = f->cfg->count,
    };
    wpg_select_starts *starts = NULL;
    wpg_point *late = NULL;
    uint32_t late_count = 0;
    if (wpg_mask_classes_compute(&f->classes, f->cfg, &plan->arena) != WPG_OK ||
        !number_blocks(plan, f, counters))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (plan->options->select_sites && plan->strategy->kinds & WPG_KIND_SELECTS) {
        if (wpg_plan_selects(plan, f, counters, &starts, &late, &late_count) != WPG_OK)
            return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    } else {
        counters->kinds &= ~(uint32_t)WPG_KIND_SELECTS;
    }
    if (!place_points(plan, f, counters, starts, late, late_count))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (wpg_plan_probes(plan, f, counters) != WPG_OK)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    return WPG_OK;
}

static wpg_status check_limits(const wpg_plan *plan, wpg_error *err)
{
    uint64_t ids = IDS_MODULE + (uint64_t)plan->module->bound + plan->probe_ids;
    for (uint32_t i = 0; i < plan->function_count; i++) {
        ids += IDS_FUNCTION;
        for (uint32_t p = 0; p < plan->functions[i].point_count; p++)
            ids += IDS_POINT + (uint64_t)IDS_TALLY * plan->functions[i].points[p].select_count;
    }
    /* Words of counters are addressed by 32-bit signed indices. */
    if (ids >= WPG_SPIRV_MAX_BOUND ||
        (uint64_t)plan->options->first_counter + plan->counter_count > INT32_MAX / 2)
        return unsupported(err, "too large to count");
    return WPG_OK;
}

static wpg_status make(wpg_plan *plan, wpg_error *err)
{
    wpg_counter_map *map = plan->map;
    plan->entry_point = wpg_find_entry_point(plan->module, plan->stage->model, plan->stage->entry);
    if (!plan->entry_point)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no entry point '%s' of that stage", plan->stage->entry);
    if (!stage_is_counted(plan->stage->model))
        return unsupported(err, "stages of this kind are not counted");
    WPG_TRY(survey(plan, err));
    plan->helper_test = choose_helper_test(plan);
    choose_strategy(plan);
    wpg_sample_plan(plan);
    WPG_TRY(list_functions(plan, err));
    for (uint32_t i = 0; i < plan->function_count; i++)
        WPG_TRY(plan_function(plan, i, err));
    WPG_TRY(check_limits(plan, err));
    map->function_count = plan->function_count;
    map->first_counter = plan->options->first_counter;
    map->counter_count = plan->counter_count;
    if (plan->stage->model == SpvExecutionModelFragment &&
        wpg_had_early_tests(plan->module, plan->entry_point)) {
        plan->declare_early_tests =
            plan->options->target.early_tests && wpg_may_declare_early_tests(plan->module, plan->entry_point);
        map->without_early_tests = !plan->declare_early_tests;
    }
    return WPG_OK;
}

wpg_status wpg_plan_make(wpg_plan *plan, const wpg_module *module, const wpg_stage *stage,
                         const wpg_instrument_options *options, wpg_error *err)
{
    *plan = (wpg_plan){.module = module, .stage = stage, .options = options};
    wpg_arena_init(&plan->arena);
    wpg_arena arena;
    wpg_arena_init(&arena);
    plan->map = WPG_ARENA_NEW(&arena, wpg_counter_map);
    if (!plan->map)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    /* The map lives in the arena it holds. */
    plan->map->arena = arena;
    wpg_status status = make(plan, err);
    if (status != WPG_OK)
        wpg_plan_finish(plan);
    return status;
}

void wpg_plan_finish(wpg_plan *plan)
{
    for (uint32_t i = 0; i < plan->function_count; i++)
        wpg_cfg_destroy(plan->functions[i].cfg);
    wpg_counter_map_destroy(plan->map);
    wpg_arena_finish(&plan->arena);
    *plan = (wpg_plan){0};
}
