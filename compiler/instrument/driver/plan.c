/* Makes the plan: refusals, the strategy, and a counter for every class and site. Only reads the module. */
#include "compiler/instrument/code/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/graph/normal_form.h"
#include "compiler/instrument/code/strategy.h"
#include "compiler/instrument/probes/probe.h"
#include "compiler/instrument/sampling/sample.h"
#include "compiler/spirv/grammar.h"

enum { MOST_IN_SLOTS = 256 }; /* counters that are copied: two such stages fit the room of a pipeline */

/* Upper bounds of the ids that code takes: for the module, a point, a select tally. The real ones are lower;
 * the bound of 2^22 ids is far from what shaders need. */
enum { IDS_MODULE = 64, IDS_FUNCTION = 32, IDS_POINT = 160, IDS_TALLY = 160 };

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
    case SpvExecutionModelTaskEXT:
    case SpvExecutionModelMeshEXT:
    case SpvExecutionModelRayGenerationKHR:
    case SpvExecutionModelIntersectionKHR:
    case SpvExecutionModelAnyHitKHR:
    case SpvExecutionModelClosestHitKHR:
    case SpvExecutionModelMissKHR:
    case SpvExecutionModelCallableKHR:
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
        plan->segments |= wpg_ends_segment(inst);
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
    for (wpg_inst *f = wpg_first_function(plan->module); f; f = wpg_next_function(f->next))
        count++;
    plan->functions = WPG_ARENA_ARRAY(&plan->arena, wpg_function_plan, count);
    plan->map->functions = WPG_ARENA_ARRAY(&plan->map->arena, wpg_function_counters, count);
    if (!plan->functions || !plan->map->functions)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (!entry || entry->opcode != SpvOpFunction)
        return wpg_fail(err, WPG_E_FORMAT, "the entry point names no function");
    plan->functions[plan->function_count++] = (wpg_function_plan){.function = entry, .is_entry = true};
    for (wpg_inst *f = wpg_first_function(plan->module); f; f = wpg_next_function(f->next)) {
        if (f != entry)
            plan->functions[plan->function_count++].function = f;
    }
    return WPG_OK;
}

/* -- The map */

/* The index of a count: of a counter where it is one, else of a new sum, which becomes an index at last. */
static uint32_t index_of(wpg_plan *plan, const wpg_function_plan *f, uint32_t tally, uint32_t kind)
{
    wpg_term_list terms = {0};
    uint32_t index = WPG_NO_COUNTER;
    bool good = wpg_tally_terms(plan, f, &terms, tally, kind, 1);
    if (good && terms.count == 1 && terms.data[0].factor == 1)
        index = terms.data[0].counter;
    else if (good)
        index = wpg_plan_add_sum(plan, terms.data, terms.count);
    plan->failed |= !good;
    wpg_vec_free(&terms);
    return index;
}

/* Where sums begin is known once all counters are. */
static void settle_sums(wpg_plan *plan, uint32_t *indices, size_t count)
{
    for (size_t i = 0; indices && i < count; i++)
        if (indices[i] >= WPG_FIRST_SUM && indices[i] != WPG_NO_COUNTER)
            indices[i] = indices[i] - WPG_FIRST_SUM + plan->options->first_counter + plan->counter_count;
}

static void settle_tables(wpg_plan *plan, wpg_function_counters *counters)
{
    for (uint32_t i = 0; i < counters->table_count; i++) {
        wpg_probe_table *table = &counters->tables[i];
        for (uint32_t t = 0; t < table->first[table->word_count]; t++)
            if (table->terms[t].source == WPG_TERM_COUNTER)
                settle_sums(plan, &table->terms[t].index, 1);
    }
}

static void settle_map(wpg_plan *plan)
{
    wpg_counter_map *map = plan->map;
    for (uint32_t i = 0; i < plan->function_count; i++) {
        wpg_function_counters *counters = &map->functions[i];
        settle_sums(plan, counters->lanes, counters->block_count);
        settle_sums(plan, counters->waves, counters->block_count);
        settle_sums(plan, counters->uniform, counters->block_count);
        settle_sums(plan, counters->selects, counters->select_count);
        settle_tables(plan, counters);
    }
    map->sums = wpg_arena_memdup(&map->arena, plan->sums.data, plan->sums.count * sizeof *plan->sums.data);
    map->terms =
        wpg_arena_memdup(&map->arena, plan->terms.data, plan->terms.count * sizeof *plan->terms.data);
    map->sum_count = (uint32_t)plan->sums.count;
    map->term_count = (uint32_t)plan->terms.count;
    map->paths =
        wpg_arena_memdup(&map->arena, plan->paths.data, plan->paths.count * sizeof *plan->paths.data);
    map->path_fields = wpg_arena_memdup(&map->arena, plan->path_fields.data,
                                        plan->path_fields.count * sizeof *plan->path_fields.data);
    map->spreads =
        wpg_arena_memdup(&map->arena, plan->spreads.data, plan->spreads.count * sizeof *plan->spreads.data);
    map->spread_count = (uint32_t)plan->spreads.count;
    map->path_count = (uint32_t)plan->paths.count;
    map->path_field_count = (uint32_t)plan->path_fields.count;
    plan->failed |= !map->sums || !map->terms || !map->paths || !map->path_fields || !map->spreads;
}

/* Gives each block its indices: equal ones within a class. */
static bool map_blocks(wpg_plan *plan, const wpg_function_plan *f, wpg_function_counters *counters)
{
    wpg_arena *arena = &plan->map->arena;
    const struct {
        uint32_t kind, **indices;
    } columns[] = {{WPG_KIND_LANES, &counters->lanes},
                   {WPG_KIND_WAVES, &counters->waves},
                   {WPG_KIND_UNIFORM, &counters->uniform}};
    for (unsigned i = 0; i < 3; i++) {
        if (!(plan->strategy->kinds & columns[i].kind))
            continue;
        uint32_t *indices = WPG_ARENA_ARRAY(arena, uint32_t, f->cfg->count);
        if (!indices)
            return false;
        for (uint32_t b = 0; b < f->cfg->count; b++)
            indices[b] = WPG_NO_COUNTER;
        for (uint32_t class = 0; class < f->classes.class_count; class ++)
            indices[f->classes.representative[class]] =
                index_of(plan, f, f->tally_of[class], columns[i].kind);
        for (uint32_t b = 0; b < f->cfg->count; b++) {
            uint32_t class = f->classes.class_of[b];
            if (class != WPG_NO_BLOCK)
                indices[b] = indices[f->classes.representative[class]];
        }
        *columns[i].indices = indices;
    }
    counters->methods = WPG_ARENA_ARRAY(arena, uint8_t, f->cfg->count);
    for (uint32_t b = 0; counters->methods && b < f->cfg->count; b++)
        if (f->classes.class_of[b] != WPG_NO_BLOCK)
            counters->methods[b] = (uint8_t)f->tallies[f->tally_of[f->classes.class_of[b]]].method;
    return counters->methods != NULL && !plan->failed;
}

/* Constructs watched for demotes (code/live.c): those whose lanes, unless they demote, all come to the merge
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

/* Order of points: by block; at its start, before an instruction, at its end; of one place, as the kinds are
 * listed. */
typedef struct placed_point {
    wpg_point point;
    uint32_t at;
} placed_point;

static int compare_points(const void *a, const void *b)
{
    const placed_point *x = a, *y = b;
    if (x->point.block != y->point.block)
        return x->point.block < y->point.block ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->point.kind != y->point.kind)
        return x->point.kind < y->point.kind ? -1 : 1;
    return x->point.index < y->point.index ? -1 : x->point.index > y->point.index;
}

static uint32_t place_of(const wpg_block *block, const wpg_point *point)
{
    uint32_t at = 0;
    if (!point->before)
        return 0;
    for (const wpg_inst *inst = block->label; inst != point->before && inst != block->terminator;
         inst = inst->next)
        at++;
    return at;
}

static bool sort_points(wpg_plan *plan, wpg_function_plan *f, const wpg_point_list *points)
{
    placed_point *placed = malloc((points->count + 1) * sizeof *placed);
    f->points = WPG_ARENA_ARRAY(&plan->arena, wpg_point, points->count + 1);
    if (placed && f->points) {
        for (size_t i = 0; i < points->count; i++) {
            const wpg_point *point = &points->data[i];
            placed[i] = (placed_point){*point, place_of(&f->cfg->blocks[point->block], point)};
        }
        qsort(placed, points->count, sizeof *placed, compare_points);
        for (size_t i = 0; i < points->count; i++)
            f->points[i] = placed[i].point;
        f->point_count = (uint32_t)points->count;
    }
    bool good = placed && f->points;
    free(placed);
    return good;
}

/* A point where a class is counted in place, at its representative; for each end of a watched construct; and
 * for each block and stretch with sites counted in place. Every reachable block can hold
 * code (code/split.c). */
static bool place_points(wpg_plan *plan, wpg_function_plan *f, wpg_point_list *points,
                         const wpg_select_plan *select_plan)
{
    const wpg_cfg *cfg = f->cfg;
    uint32_t *heads, *merges;
    bool good = watch_constructs(plan, f, &heads, &merges);
    for (uint32_t b = 0; b < cfg->count && good; b++) {
        uint32_t class = f->classes.class_of[b], tally = WPG_NO_TALLY;
        if (class != WPG_NO_BLOCK && f->classes.representative[class] == b &&
            f->tallies[f->tally_of[class]].method == plan->strategy->method)
            tally = f->tally_of[class];
        uint32_t selects = select_plan->starts ? select_plan->starts[b].count : 0;
        if (tally == WPG_NO_TALLY && !selects && heads[b] == WPG_NO_BLOCK && merges[b] == WPG_NO_BLOCK)
            continue;
        wpg_point point = {
            .kind = WPG_POINT_COUNT,
            .block = b,
            .tally = tally,
            .record = heads[b],
            .resolve = merges[b],
            .selects = selects ? select_plan->starts[b].selects : NULL,
            .select_count = selects,
        };
        good = wpg_vec_push(points, point);
    }
    for (uint32_t i = 0; i < select_plan->late_count && good; i++)
        good = wpg_vec_push(points, select_plan->late[i]);
    return good && sort_points(plan, f, points);
}

/* Behind each instruction that ends a wave segment. */
static bool place_segments(const wpg_plan *plan, const wpg_cfg *cfg, wpg_point_list *points)
{
    bool good = true;
    if (!plan->segments || !(plan->strategy->kinds & WPG_KIND_UNIFORM))
        return true;
    for (uint32_t b = 0; b < cfg->count && good; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (block->rpo == WPG_NO_BLOCK || !block->changes_mask)
            continue;
        for (const wpg_inst *inst = block->label; inst != block->terminator && good; inst = inst->next)
            if (wpg_ends_segment(inst))
                good = wpg_vec_push(points, ((wpg_point){.kind = WPG_POINT_SEGMENT,
                                                         .block = b,
                                                         .before = inst->next,
                                                         .tally = WPG_NO_TALLY,
                                                         .record = WPG_NO_BLOCK,
                                                         .resolve = WPG_NO_BLOCK}));
    }
    return good;
}

static wpg_status plan_points(wpg_plan *plan, wpg_function_plan *f, wpg_function_counters *counters,
                              wpg_point_list *points)
{
    wpg_select_plan selects = {0};
    bool wanted = plan->options->select_sites && plan->strategy->kinds & WPG_KIND_SELECTS;
    WPG_TRY(wpg_plan_methods(plan, f, wanted ? &selects : NULL, points));
    if (!map_blocks(plan, f, counters))
        return WPG_E_NOMEM;
    if (wanted)
        WPG_TRY(wpg_map_selects(plan, f, &selects, counters));
    else
        counters->kinds &= ~(uint32_t)WPG_KIND_SELECTS;
    if (!place_segments(plan, f->cfg, points))
        return WPG_E_NOMEM;
    return place_points(plan, f, points, &selects) ? WPG_OK : WPG_E_NOMEM;
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
    wpg_point_list points = {0};
    wpg_status status = wpg_mask_classes_compute(&f->classes, f->cfg, &plan->arena);
    if (status == WPG_OK)
        status = wpg_block_graph_of(&counters->flow, f->cfg, &plan->map->arena);
    if (status == WPG_OK)
        status = plan_points(plan, f, counters, &points);
    wpg_vec_free(&points);
    if (status != WPG_OK)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (wpg_plan_probes(plan, f, counters) != WPG_OK)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    return WPG_OK;
}

/* How many tallies go to memory at the point. */
static uint32_t tallies_at(const wpg_function_plan *f, const wpg_point *point)
{
    uint32_t region = point->index;
    if (point->kind == WPG_POINT_LEAVE)
        region = f->loops[point->index].region;
    else if (point->kind != WPG_POINT_FLUSH && point->kind != WPG_POINT_SPLIT && point->kind != WPG_POINT_CUT)
        return 0;
    return f->regions[region].group_start[WPG_FLUSH_GROUPS] + WPG_FLUSH_GROUPS;
}

static wpg_status check_limits(const wpg_plan *plan, wpg_error *err)
{
    uint64_t ids = IDS_MODULE + (uint64_t)plan->module->bound + plan->probe_ids;
    for (uint32_t i = 0; i < plan->function_count; i++) {
        const wpg_function_plan *f = &plan->functions[i];
        ids += IDS_FUNCTION + f->cell_count;
        for (uint32_t p = 0; p < f->point_count; p++)
            ids +=
                IDS_POINT + (uint64_t)IDS_TALLY * (f->points[p].select_count + tallies_at(f, &f->points[p]));
    }
    /* Words of counters are addressed by 32-bit signed indices. */
    return ids >= WPG_SPIRV_MAX_BOUND ||
                   (uint64_t)plan->options->first_counter + plan->counter_count > INT32_MAX / 2
               ? wpg_fail(err, WPG_E_LIMIT, "too large to count")
               : WPG_OK;
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
    map->slots = 1;
    if (plan->options->strategy == WPG_STRATEGY_SLOTS && plan->counter_count <= MOST_IN_SLOTS) {
        map->slots = WPG_SLOTS;
        plan->counter_count *= WPG_SLOTS;
    }
    for (uint32_t i = 0; i < plan->function_count; i++)
        map->cells += plan->functions[i].cell_count;
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
    settle_map(plan);
    if (plan->failed)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    return WPG_OK;
}

static wpg_status make_by(wpg_plan *plan, const wpg_module *module, const wpg_stage *stage,
                          const wpg_instrument_options *options, wpg_strategy_choice strategy, wpg_error *err)
{
    *plan = (wpg_plan){.module = module, .stage = stage, .own_options = *options};
    plan->own_options.strategy = strategy;
    if (options->by_binding)
        plan->own_options.target.int64_atomics = false;
    plan->options = &plan->own_options;
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

/* Where lanes leave the shader, all private counters are summed: code by places times counters. A shader of
 * thousands of blocks is counted in place, where code goes by blocks alone. */
wpg_status wpg_plan_make(wpg_plan *plan, const wpg_module *module, const wpg_stage *stage,
                         const wpg_instrument_options *options, wpg_error *err)
{
    wpg_status status = make_by(plan, module, stage, options, options->strategy, err);
    if (status == WPG_E_LIMIT && options->strategy != WPG_STRATEGY_LANE)
        status = make_by(plan, module, stage, options, WPG_STRATEGY_NAIVE, err);
    if (status == WPG_OK && plan->own_options.strategy != options->strategy && !plan->map->note[0])
        (void)snprintf(plan->map->note, sizeof plan->map->note,
                       "counted in place: too many ways out to sum counters at each");
    return status == WPG_E_LIMIT ? unsupported(err, "too large to count") : status;
}

void wpg_plan_finish(wpg_plan *plan)
{
    for (uint32_t i = 0; i < plan->function_count; i++)
        wpg_cfg_destroy(plan->functions[i].cfg);
    wpg_counter_map_destroy(plan->map);
    wpg_vec_free(&plan->sums);
    wpg_vec_free(&plan->terms);
    wpg_vec_free(&plan->paths);
    wpg_vec_free(&plan->path_fields);
    wpg_vec_free(&plan->spreads);
    wpg_arena_finish(&plan->arena);
    *plan = (wpg_plan){0};
}
