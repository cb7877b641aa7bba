/* Plans one pipeline. */
#include "layer/rewrite/pipeline_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/values/select_work.h"
#include "layer/base/chain.h"
#include "layer/base/denials.h"
#include "layer/base/summary.h"
#include "layer/base/window.h"
#include "layer/profile/bundle_files.h"
#include "layer/profile/ticker.h"
#include "layer/profile/times.h"
#include "layer/profile/totals.h"
#include "layer/profile/use.h"
#include "layer/base/sampling.h"
#include "layer/rewrite/filter.h"
#include "layer/rewrite/object_names.h"
#include "layer/rewrite/plan_passes.h"
#include "layer/rewrite/wave_size.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"

void wpg_pipeline_plan_give_up(wpg_pipeline_plan *plan, bool expected, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)wpg_format_list(plan->why, sizeof plan->why, fmt, args);
    va_end(args);
    plan->expected = expected;
    plan->changed = false;
}

static const char *object_name(const VkPipelineShaderStageCreateInfo *info)
{
    const VkDebugUtilsObjectNameInfoEXT *name =
        wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
    return name && name->pObjectName ? name->pObjectName : "";
}

/* What the program calls the stages' modules, for the facts of a pipeline that is there. */
static void tell_names(const wpg_pipeline_plan *plan)
{
    for (size_t i = 0; plan->program && i < plan->count; i++)
        wpg_object_names_stage(plan->device, plan->hash, wpg_stage_name(plan->stages[i].stage.model),
                               plan->program[plan->at[i]].module, object_name(&plan->program[plan->at[i]]));
}

static void label_without_hash(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos,
                               uint32_t count)
{
    if (count == 0) {
        (void)snprintf(plan->label, sizeof plan->label, "without stages of its own");
        return;
    }
    const char *name = object_name(&infos[0]);
    if (!*name)
        name = infos[0].pName ? infos[0].pName : "no entry point";
    (void)snprintf(plan->label, sizeof plan->label, "of %u stages (%s)", (unsigned)count, name);
}

void wpg_pipeline_plan_pass(wpg_pipeline_plan *plan, wpg_device *device,
                            const VkPipelineShaderStageCreateInfo *infos, uint32_t count, const char *why)
{
    *plan = (wpg_pipeline_plan){.device = device};
    label_without_hash(plan, infos, count);
    wpg_pipeline_plan_give_up(plan, true, "%s", why);
}

/* -- Identity */

/* Arrays for so many stages. */
static bool make_room(wpg_pipeline_plan *plan, uint32_t count)
{
    plan->stages = WPG_ARENA_ARRAY(&plan->arena, wpg_rewrite, count);
    plan->at = WPG_ARENA_ARRAY(&plan->arena, uint32_t, count);
    plan->records = WPG_ARENA_ARRAY(&plan->arena, wpg_shader_module *, count);
    plan->modules = WPG_ARENA_ARRAY(&plan->arena, VkShaderModule, count);
    plan->infos = WPG_ARENA_ARRAY(&plan->arena, VkPipelineShaderStageCreateInfo, count);
    plan->counted = WPG_ARENA_ARRAY(&plan->arena, wpg_counted *, count);
    plan->held = WPG_ARENA_ARRAY(&plan->arena, wpg_counter_slot *, count);
    plan->info_count = plan->arena.failed ? 0 : count;
    return !plan->arena.failed;
}

/* All stages are identified. */
static void name_it(wpg_pipeline_plan *plan)
{
    plan->hash =
        plan->part && plan->count == 1 ? plan->stages[0].hash : wpg_pipeline_hash(plan->stages, plan->count);
    plan->identified = true;
    wpg_hash_to_hex(plan->label, plan->hash);
}

void wpg_pipeline_plan_pass_known(wpg_pipeline_plan *plan, wpg_device *device,
                                  const wpg_rewrite *const known[], uint32_t count, const char *why)
{
    *plan = (wpg_pipeline_plan){.device = device};
    label_without_hash(plan, NULL, 0);
    wpg_pipeline_plan_give_up(plan, true, "%s", why);
    if (!make_room(plan, count))
        return;
    for (unsigned rank = 0; rank <= wpg_stage_rank((VkShaderStageFlagBits)0); rank++)
        for (uint32_t i = 0; i < count; i++)
            if (wpg_stage_rank(known[i]->stage_bit) == rank) {
                if (!wpg_rewrite_recall(&plan->stages[plan->count], known[i], NULL))
                    return;
                plan->count++;
            }
    if (plan->count)
        name_it(plan);
}

static bool identify(wpg_pipeline_plan *plan, wpg_rewrite *stage, wpg_shader_module **record,
                     const VkPipelineShaderStageCreateInfo *info)
{
    wpg_error err;
    const VkShaderModuleCreateInfo *inside =
        info->module ? NULL : wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    if (inside)
        wpg_shader_module_note(plan->device, inside);
    else if (info->module)
        *record = wpg_shader_module_retain(plan->device, info->module);
    else
        *record = wpg_shader_module_retain_by_identifier(plan->device, info);
    if (!*record && !inside) {
        if (info->module)
            wpg_pipeline_plan_give_up(plan, false, "the words of a shader module are not known");
        else
            wpg_pipeline_plan_give_up(plan, true, "made of a module identifier alone");
        return false;
    }
    stage->stage_bit = info->stage;
    stage->words = inside ? inside->pCode : (*record)->words;
    stage->word_count = inside ? inside->codeSize / sizeof(uint32_t) : (*record)->word_count;
    stage->entry = info->pName;
    stage->specialization = info->pSpecializationInfo;
    if (wpg_rewrite_identify(stage, &err) == WPG_OK)
        return true;
    wpg_pipeline_plan_give_up(plan, false, "a shader cannot be read: %s", err.message);
    return false;
}

typedef struct place {
    unsigned rank;
    wpg_hash128 hash;
    uint32_t at;
} place;

static int by_place(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->hash.high != b->hash.high)
        return a->hash.high < b->hash.high ? -1 : 1;
    if (a->hash.low != b->hash.low)
        return a->hash.low < b->hash.low ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* Puts the stages, which are in the application's order, into stage order; those of one kind by hash, so that
 * pipelines of the same shaders are the same. */
static bool sort_stages(wpg_pipeline_plan *plan)
{
    place *places = WPG_ARENA_ARRAY(&plan->arena, place, plan->count);
    wpg_rewrite *stages = wpg_arena_memdup(&plan->arena, plan->stages, plan->count * sizeof *stages);
    wpg_shader_module **records =
        wpg_arena_memdup(&plan->arena, plan->records, plan->count * sizeof *records);
    if (!places || !stages || !records)
        return false;
    for (uint32_t i = 0; i < plan->count; i++)
        places[i] = (place){wpg_stage_rank(stages[i].stage_bit), stages[i].hash, i};
    qsort(places, plan->count, sizeof *places, by_place);
    for (size_t i = 0; i < plan->count; i++) {
        plan->at[i] = places[i].at;
        plan->stages[i] = stages[places[i].at];
        plan->records[i] = records[places[i].at];
    }
    return true;
}

/* A stage whose words were read before: nothing is parsed. */
static bool recall(wpg_pipeline_plan *plan, uint32_t i, const VkPipelineShaderStageCreateInfo *info,
                   const wpg_plan_state *state)
{
    if (!wpg_rewrite_recall(&plan->stages[i], state->known[i], NULL)) {
        wpg_pipeline_plan_give_up(plan, false, "out of memory");
        return false;
    }
    plan->stages[i].specialization = info->pSpecializationInfo;
    if (state->records[i])
        wpg_shader_module_share(plan->records[i] = state->records[i]);
    return true;
}

static bool gather_stages(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos,
                          uint32_t count, const wpg_plan_state *state)
{
    plan->program = infos;
    for (uint32_t i = 0; i < count; i++) {
        plan->count = i + 1;
        if (state && state->known && state->known[i]) {
            if (!recall(plan, i, &infos[i], state))
                return false;
        } else if (!identify(plan, &plan->stages[i], &plan->records[i], &infos[i]))
            return false;
    }
    if (!sort_stages(plan)) {
        wpg_pipeline_plan_give_up(plan, false, "out of memory");
        return false;
    }
    name_it(plan);
    return true;
}

static bool is_wanted(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos)
{
    const char *setting = wpg_the_process.settings.pipelines;
    wpg_filter_stage *stages;
    char stored[256];
    if (!setting || !*setting)
        return true;
    /* One more for the name that the pipeline itself was given in an earlier run. */
    stages = WPG_ARENA_ARRAY(&plan->arena, wpg_filter_stage, plan->count + 1);
    for (size_t i = 0; stages && i < plan->count; i++) {
        const VkPipelineShaderStageCreateInfo *info = &infos[plan->at[i]];
        const char *name = object_name(info);
        (void)wpg_rewrite_parse(&plan->stages[i], NULL); /* for the strings in it */
        stages[i] =
            (wpg_filter_stage){.shader = plan->stages[i].hash,
                               .entry = plan->stages[i].entry,
                               .name = *name ? name : wpg_object_names_module(plan->device, info->module),
                               .module = plan->stages[i].module};
    }
    wpg_object_names_stored(stored, sizeof stored, plan->hash);
    if (stages)
        stages[plan->count] = (wpg_filter_stage){.shader = plan->hash, .entry = stored, .name = stored};
    return stages && wpg_filter_wants(setting, plan->hash, stages, plan->count + (*stored != 0));
}

/* Its own hash, or, as parts of libraries are counted, that of a stage. */
static bool is_denied(const wpg_pipeline_plan *plan)
{
    bool denied = wpg_is_denied(plan->hash);
    for (size_t i = 0; i < plan->count && !denied; i++)
        denied = wpg_is_denied(plan->stages[i].hash);
    return denied;
}

/* -- Generate */

static void say_stage(const wpg_pipeline_plan *plan, const wpg_rewrite *stage, const char *why)
{
    wpg_log_info("pipeline %s: stage %s (%s) is not counted: %s", plan->label,
                 wpg_stage_name(stage->stage.model), stage->entry, why);
}

/* An earlier stage of the same words: its rewritten words serve again, and it counts for both. */
static bool same_as_before(wpg_pipeline_plan *plan, size_t from, size_t i)
{
    wpg_rewrite *stage = &plan->stages[i];
    const wpg_rewrite *before = &plan->stages[i - 1];
    if (i == from || before->stage_bit != stage->stage_bit || !wpg_hash_equal(before->hash, stage->hash) ||
        !before->changed || before->word_count != stage->word_count ||
        memcmp(before->words, stage->words, stage->word_count * sizeof *stage->words) != 0)
        return false;
    stage->out_words = malloc(before->out_count * sizeof *stage->out_words);
    if (!stage->out_words)
        return false;
    memcpy(stage->out_words, before->out_words, before->out_count * sizeof *stage->out_words);
    stage->out_count = before->out_count;
    stage->changed = true;
    return true;
}

/* Instruments the stages [from, to) that can be; how many counters that takes. */
static uint32_t instrument_stages(wpg_pipeline_plan *plan, const wpg_counter_slot *slot, size_t from,
                                  size_t to)
{
    wpg_device *device = plan->device;
    uint32_t counters = 0;
    const wpg_counters_way way = wpg_counters_way_of(device->counters, slot);
    wpg_instrument_options options = {
        .by_binding = device->counter_sets != NULL,
        .counter_set = plan->counter_set,
        .directory_entry = way.seed,
        .directory_cells = way.cells,
        .directory_tag = way.tag,
        .directory_shift = way.shift,
        .select_sites = wpg_the_process.settings.selects != WPG_SELECTS_NONE,
        .select_work = wpg_the_process.settings.selects == WPG_SELECTS_ALL ? 0 : WPG_SELECT_WORK,
        .strategy = plan->pace == WPG_PACE_SLOW ? WPG_STRATEGY_LANE
                                                : (wpg_strategy_choice)wpg_the_process.settings.strategy,
        .budget = (uint32_t)wpg_the_process.settings.budget,
        .probes = wpg_the_process.probes,
        .high_start = wpg_the_process.settings.counter_start != 0,
        .sample = (plan->by_bind && wpg_sampling_has_twins()) || wpg_sampling_is_by_pipeline()
                      ? 1
                      : (uint32_t)wpg_the_process.settings.sample};
    bool stable = wpg_counters_address_kind(device->counters) != WPG_ADDRESS_ORDINARY;
    for (size_t i = from; i < to; i++) {
        wpg_rewrite *stage = &plan->stages[i];
        const char *why = NULL;
        if (same_as_before(plan, from, i))
            continue;
        if (!wpg_features_target(&options.target, &why, &device->features, stage->stage_bit)) {
            (void)wpg_fail(&stage->why, WPG_E_UNSUPPORTED, "%s", why);
            say_stage(plan, stage, why);
            continue;
        }
        options.target.early_tests = plan->early_tests;
        options.first_counter = counters;
        options.sample_seed = (uint32_t)(slot->hash.high ^ stage->hash.low);
        if (wpg_rewrite_generate(stage, &options, &device->features.validate, stable) != WPG_OK) {
            stage->changed = false;
            say_stage(plan, stage, stage->why.message);
            continue;
        }
        const bool cheaper = stage->map->over_budget || plan->pace == WPG_PACE_SLOW;
        if (cheaper)
            wpg_summary_cheaper();
        if (stage->map->note[0])
            wpg_log(cheaper ? WPG_LOG_INFO : WPG_LOG_DEBUG, "pipeline %s: stage %s: %s%s", plan->label,
                    wpg_stage_name(stage->stage.model), stage->map->note,
                    plan->pace == WPG_PACE_SLOW ? " (COMPILE_LIMIT)" : "");
        char chosen[256];
        wpg_counter_map_describe(chosen, sizeof chosen, stage->map);
        wpg_log_debug("pipeline %s: stage %s: %s", plan->label, wpg_stage_name(stage->stage.model), chosen);
        counters += stage->map->counter_count;
    }
    return counters;
}

static bool make_counted(wpg_pipeline_plan *plan, wpg_counter_slot *slot, size_t from, size_t to)
{
    size_t count = 0, at = 0;
    for (size_t i = from; i < to; i++)
        count += plan->stages[i].map != NULL;
    wpg_counted *counted = wpg_counted_create(slot->hash, slot, count);
    if (wpg_sampling_is_by_pipeline()) { /* this pipeline stands for N */
        atomic_store(&slot->binds, wpg_sampling_rate());
        atomic_store(&slot->binds_counted, 1);
    }
    if (!counted)
        return false;
    plan->counted[plan->counted_count++] = counted;
    counted->made = plan->device->made;
    counted->sampled = plan->by_bind && wpg_sampling_has_twins();
    counted->shader_only = plan->part;
    for (size_t i = from; i < to; i++) {
        wpg_rewrite *stage = &plan->stages[i];
        if (!stage->map)
            continue;
        wpg_counted_stage *to_stage = &counted->stages[at++];
        to_stage->shader = stage->hash;
        (void)snprintf(to_stage->stage, sizeof to_stage->stage, "%s", wpg_stage_name(stage->stage.model));
        to_stage->map = stage->map;
        stage->map = NULL;
        to_stage->entry = strdup(stage->entry);
        if (!to_stage->entry) {
            counted->stage_count = at;
            return false;
        }
    }
    return true;
}

/* The stages [from, to) count in the slot of `hash`. WPG_E_UNSUPPORTED: none of them can. */
static wpg_status plan_slot(wpg_pipeline_plan *plan, wpg_hash128 hash, size_t from, size_t to, wpg_error *err)
{
    wpg_counter_slot *slot;
    WPG_TRY(wpg_counters_claim(&slot, plan->device->counters, hash, err));
    plan->held[plan->held_count++] = slot;
    uint32_t counters = instrument_stages(plan, slot, from, to);
    if (!counters)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "no stage can be counted: %s",
                        plan->stages[from].why.message[0] ? plan->stages[from].why.message
                                                          : "nothing to count");
    WPG_TRY(wpg_counters_place(plan->device->counters, slot, counters, err));
    plan->bound_slot = plan->device->counter_sets ? slot : NULL;
    return make_counted(plan, slot, from, to) ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

static void plan_generate(wpg_pipeline_plan *plan)
{
    wpg_error err = {0};
    wpg_status status = WPG_OK;
    if (!plan->part)
        status = plan_slot(plan, plan->hash, 0, plan->count, &err);
    /* A part: each stage by itself, whatever becomes of the others. */
    for (size_t i = 0; plan->part && i < plan->count; i++) {
        status = plan_slot(plan, plan->stages[i].hash, i, i + 1, &err);
        if (status == WPG_E_NOMEM)
            break;
        plan->stages[i].changed &= status == WPG_OK;
    }
    if (status == WPG_OK || (plan->part && status != WPG_E_NOMEM && plan->counted_count))
        plan->changed = true;
    else {
        wpg_pipeline_plan_give_up(plan, false, "%s", err.message);
        plan->limit = status == WPG_E_LIMIT;
    }
}

/* -- Modules of ours */

#define STRUCTURE_IDENTIFIER VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT

/* A module of the rewritten words, in place of the program's. */
static bool make_module(wpg_pipeline_plan *plan, const wpg_rewrite *stage, VkShaderModule *module,
                        VkPipelineShaderStageCreateInfo *made)
{
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = stage->out_count * sizeof *stage->out_words,
                                     .pCode = stage->out_words};
    VkResult result = plan->device->next.CreateShaderModule(plan->device->handle, &info, NULL, module);
    if (result != VK_SUCCESS) {
        *module = VK_NULL_HANDLE;
        wpg_pipeline_plan_give_up(plan, false, "the driver refuses a rewritten module: VkResult %d",
                                  (int)result);
        return false;
    }
    made->module = *module;
    made->pSpecializationInfo = NULL; /* the values are in the words */
    /* A module goes before words in the chain; at its head they are left out, and so is an identifier. */
    const VkBaseInStructure *head = made->pNext;
    while (head && (head->sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO ||
                    head->sType == STRUCTURE_IDENTIFIER))
        head = head->pNext;
    made->pNext = head;
    if (wpg_chain_find(head, STRUCTURE_IDENTIFIER)) {
        wpg_pipeline_plan_give_up(plan, false,
                                  "a module identifier stands behind structures that cannot be copied");
        return false;
    }
    return true;
}

void wpg_pipeline_plan_stages(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos,
                              uint32_t count, const wpg_rewrite *stages, VkShaderModule *modules,
                              VkPipelineShaderStageCreateInfo *made)
{
    memcpy(made, infos, count * sizeof *infos);
    for (size_t i = 0; i < plan->count; i++) {
        const wpg_rewrite *stage = &stages[i];
        uint32_t at = plan->at[i];
        if (stage->changed && !make_module(plan, stage, &modules[at], &made[at]))
            return;
        if (stage->wave_size && !wpg_wave_size_require(&made[at], stage->wave_size, &plan->arena)) {
            wpg_pipeline_plan_give_up(plan, false, "out of memory");
            return;
        }
    }
}

/* Words that would have to be made are made later, when what `state` points to is gone. */
static void defer(wpg_pipeline_plan *plan)
{
    const wpg_output_use *targets =
        plan->targets ? wpg_arena_memdup(&plan->arena, plan->targets, sizeof *targets) : NULL;
    if (plan->targets && !targets)
        return;
    plan->targets = targets;
    plan->when = WPG_REWRITE_IF_KEPT;
}

void wpg_pipeline_plan_make(wpg_pipeline_plan *plan, wpg_device *device,
                            const VkPipelineShaderStageCreateInfo *infos, uint32_t count, wpg_plan_kind kind,
                            const wpg_plan_state *state)
{
    *plan = (wpg_pipeline_plan){.device = device,
                                .part = kind == WPG_PLAN_PART || kind == WPG_PLAN_SHADER,
                                .uses = device->mode == WPG_MODE_USE || kind == WPG_PLAN_UNCOUNTED,
                                .whole = kind == WPG_PLAN_PIPELINE || kind == WPG_PLAN_LINK ||
                                         kind == WPG_PLAN_UNCOUNTED,
                                .targets = state ? &state->targets : NULL,
                                .early_tests = state && state->early_tests};
    label_without_hash(plan, infos, count);
    if (count == 0 || count > WPG_MOST_STAGES) {
        wpg_pipeline_plan_give_up(plan, true, "a number of stages that is not handled: %u", (unsigned)count);
        return;
    }
    bool tunes = device->mode == WPG_MODE_TUNE;
    if ((plan->uses || tunes) && wpg_use_missing() && !wpg_the_process.settings.pseudo_probes) {
        /* Who it is, is asked for by STATS and TIMES, which tell what it runs. */
        if (!wpg_ticker_wanted() || !make_room(plan, count) || gather_stages(plan, infos, count, state))
            wpg_pipeline_plan_give_up(plan, true, wpg_times_on() ? "it is timed alone" : "no profile");
        return;
    }
    if (!make_room(plan, count)) {
        wpg_pipeline_plan_give_up(plan, false, "out of memory");
        return;
    }
    if (!gather_stages(plan, infos, count, state))
        return;
    if (!is_wanted(plan, infos)) {
        wpg_pipeline_plan_give_up(plan, true, "not selected by PIPELINES");
        return;
    }
    if (is_denied(plan)) {
        wpg_pipeline_plan_give_up(plan, true, "on the deny list");
        return;
    }
    if (device->mode == WPG_MODE_GENERATE && wpg_the_process.settings.compile_limit > 0)
        plan->pace = wpg_pace_of(plan->hash);
    if (plan->pace == WPG_PACE_SLOWER) {
        wpg_pipeline_plan_give_up(plan, true,
                                  "the driver took long to make it with counters (COMPILE_LIMIT)");
        return;
    }
    if (tunes) {
        wpg_plan_tune(plan, infos, count, kind);
        return;
    }
    if (!plan->uses && !wpg_sampling_takes_pipeline(plan->part ? plan->stages[0].hash : plan->hash)) {
        wpg_pipeline_plan_give_up(plan, true, "not sampled in this process (SAMPLE_BY)");
        return;
    }
    if (device->mode == WPG_MODE_USE && device->variants &&
        wpg_the_process.settings.compile == WPG_COMPILE_BACKGROUND)
        defer(plan);
    if (state && state->behind) {
        plan->later = plan->when == WPG_REWRITE_IF_KEPT;
        if (!plan->later)
            wpg_pipeline_plan_give_up(plan, false, "out of memory");
        return;
    }
    bool beside = !plan->uses && device->binds;
    plan->by_bind = beside && (kind == WPG_PLAN_PIPELINE || kind == WPG_PLAN_LINK);
    if (beside && state && state->links_count) {
        wpg_pipeline_plan_give_up(plan, true, "a part, counted where it is linked");
        return;
    }
    if (beside && !plan->by_bind && wpg_window_exists()) {
        wpg_pipeline_plan_give_up(plan, true,
                                  "counting of rays and shader objects cannot be switched on "
                                  "and off (FRAMES, TRIGGER)");
        return;
    }
    if (!plan->uses && device->counter_sets) {
        const bool whole = kind == WPG_PLAN_PIPELINE && state;
        const char *why = whole
                              ? state->no_counters
                              : "counters by binding: parts, links and ray-tracing pipelines are not counted";
        if (why) {
            wpg_pipeline_plan_give_up(plan, true, "%s", why);
            return;
        }
        plan->counter_set = state->counter_set;
    }
    if (plan->uses)
        wpg_plan_use(plan, infos, plan->whole);
    else
        plan_generate(plan);
    if (plan->changed && kind != WPG_PLAN_SHADER)
        wpg_pipeline_plan_stages(plan, infos, count, plan->stages, plan->modules, plan->infos);
}

/* -- Later */

bool wpg_pipeline_plan_keep(wpg_pipeline_plan *kept, wpg_pipeline_plan *plan)
{
    wpg_arena *arena = &plan->arena;
    for (size_t i = 0; i < plan->count; i++) {
        wpg_rewrite *stage = &plan->stages[i];
        const char *entry = wpg_arena_strdup(arena, stage->entry);
        const uint32_t *words =
            plan->records[i] ? stage->words
                             : wpg_arena_memdup(arena, stage->words, stage->word_count * sizeof *words);
        if (!entry || !words)
            return false;
        stage->entry = stage->stage.entry = entry;
        stage->words = words;
    }
    for (size_t i = 0; i < plan->count; i++) {
        wpg_rewrite_reset(&plan->stages[i]);   /* a parsed module is many times as large as its words */
        plan->stages[i].specialization = NULL; /* read already: stage->spec */
    }
    plan->program = NULL;
    *kept = *plan;
    *plan = (wpg_pipeline_plan){
        .device = kept->device, .hash = kept->hash, .identified = true, .uses = true, .later = true};
    memcpy(plan->label, kept->label, sizeof plan->label);
    return true;
}

bool wpg_pipeline_plan_copy(wpg_pipeline_plan *copy, const wpg_pipeline_plan *plan)
{
    *copy = (wpg_pipeline_plan){.device = plan->device,
                                .hash = plan->hash,
                                .identified = plan->identified,
                                .part = plan->part,
                                .uses = plan->uses};
    memcpy(copy->label, plan->label, sizeof copy->label);
    bool good = make_room(copy, (uint32_t)plan->count);
    copy->info_count = 0;
    if (good && plan->targets) {
        copy->targets = wpg_arena_memdup(&copy->arena, plan->targets, sizeof *plan->targets);
        good = copy->targets != NULL;
    }
    for (size_t i = 0; good && i < plan->count; i++) {
        wpg_rewrite *stage = &copy->stages[i];
        good = wpg_rewrite_recall(stage, &plan->stages[i], &copy->arena);
        copy->count = i + 1;
        if (plan->records[i])
            wpg_shader_module_share(copy->records[i] = plan->records[i]);
        else
            stage->words =
                wpg_arena_memdup(&copy->arena, stage->words, stage->word_count * sizeof *stage->words);
        good &= stage->words != NULL;
    }
    if (!good)
        wpg_pipeline_plan_finish(copy);
    return good;
}

void wpg_pipeline_plan_resume(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos)
{
    wpg_error err;
    plan->when = WPG_REWRITE_NOW;
    plan->later = false;
    for (size_t i = 0; i < plan->count; i++) {
        wpg_rewrite_reset(&plan->stages[i]);
        if (wpg_rewrite_parse(&plan->stages[i], &err) != WPG_OK) {
            wpg_pipeline_plan_give_up(plan, false, "a shader cannot be read again: %s", err.message);
            return;
        }
    }
    wpg_plan_use(plan, infos, plan->whole);
}

static void say_passed(const wpg_pipeline_plan *plan)
{
    bool first = plan->limit && wpg_log_is_first(plan->why);
    if (first)
        wpg_log_warn("pipeline %s passes through: %s (logged once, others may follow)", plan->label,
                     plan->why);
    else
        wpg_log(plan->expected || plan->limit ? WPG_LOG_INFO : WPG_LOG_WARN, "pipeline %s passes through: %s",
                plan->label, plan->why);
}

wpg_bundle_subject wpg_pipeline_plan_subject(const wpg_pipeline_plan *plan)
{
    return (wpg_bundle_subject){.pipeline = plan->hash,
                                .stages = plan->stages,
                                .count = plan->count,
                                .counted = plan->counted,
                                .counted_count = plan->counted_count,
                                .part = plan->part};
}

void wpg_pipeline_plan_commit(wpg_pipeline_plan *plan, bool made)
{
    bool ours = made && plan->changed;
    if (plan->uses && plan->values_by_rule)
        plan->by_value = plan->identified && !plan->why[0];
    plan->by_value &= made;
    if (plan->changed && !made)
        wpg_pipeline_plan_give_up(plan, false, "the driver refuses the rewritten pipeline");
    if (plan->why[0])
        say_passed(plan);
    else if (ours)
        wpg_log_debug("pipeline %s: %s", plan->label,
                      plan->tuned  ? "tuned"
                      : plan->uses ? "optimised"
                                   : "instrumented");
    bool generates = plan->device->mode == WPG_MODE_GENERATE;
    if (!generates || !plan->uses) { /* else the counted one tells */
        wpg_summary_pipeline(plan->why[0] ? plan->why : NULL);
        if (ours)
            wpg_summary_changed(plan->hash);
    }
    if (made && generates && !plan->uses) {
        const wpg_bundle_subject subject = wpg_pipeline_plan_subject(plan);
        if (plan->identified)
            wpg_bundle_pipeline(&subject);
        if (plan->identified && !plan->part)
            tell_names(plan);
    }
    for (size_t i = 0; i < plan->counted_count; i++)
        if (ours && plan->counted[i] && wpg_counters_readable(plan->device->counters)) {
            wpg_files_add(plan->device, plan->counted[i]);
            plan->counted[i] = NULL;
        }
    if (plan->uses && ours && plan->device->records)
        wpg_totals_optimised(plan->hash);
    if (plan->uses && plan->identified) {
        for (size_t i = 0; i < plan->count; i++)
            if ((plan->stages[i].changed || plan->stages[i].wave_size) && !ours) {
                plan->stages[i].changed = false;
                plan->stages[i].wave_size = 0;
                (void)wpg_fail(&plan->stages[i].why, WPG_E_IO, "%s", plan->why);
            } else if (plan->why[0] && !plan->stages[i].why.message[0])
                (void)wpg_fail(&plan->stages[i].why, WPG_E_UNSUPPORTED, "%s", plan->why);
        wpg_use_report(plan->hash, plan->stages, plan->count, plan->verdict);
    }
}

void wpg_pipeline_plan_hold(wpg_pipeline_plan *plan, VkPipeline pipeline,
                            const VkPipelineLibraryCreateInfoKHR *parts)
{
    const size_t own = plan->changed ? plan->held_count : 0;
    if (plan->device->mode != WPG_MODE_GENERATE)
        return;
    wpg_holds_add(plan->device, pipeline, plan->held, own, parts ? parts->pLibraries : NULL,
                  parts ? parts->libraryCount : 0);
    plan->held_count -= own;
}

wpg_hold *wpg_pipeline_plan_take_hold(wpg_pipeline_plan *plan)
{
    wpg_hold *hold = wpg_hold_make(plan->held, plan->held_count);
    plan->held_count = 0;
    return hold;
}

uint64_t wpg_pipeline_plan_words(const wpg_pipeline_plan *plan)
{
    uint64_t words = 0;
    for (size_t i = 0; i < plan->count; i++)
        words += plan->stages[i].word_count + plan->stages[i].out_count;
    return words;
}

void wpg_pipeline_plan_finish(wpg_pipeline_plan *plan)
{
    for (size_t i = 0; i < plan->info_count; i++)
        if (plan->modules[i])
            plan->device->next.DestroyShaderModule(plan->device->handle, plan->modules[i], NULL);
    for (size_t i = 0; i < plan->candidate_count; i++)
        for (size_t j = 0; plan->candidates[i].modules && j < plan->info_count; j++)
            if (plan->candidates[i].modules[j])
                plan->device->next.DestroyShaderModule(plan->device->handle, plan->candidates[i].modules[j],
                                                       NULL);
    for (size_t i = 0; i < plan->count; i++) {
        wpg_rewrite_finish(&plan->stages[i]);
        wpg_shader_module_release(plan->records[i]);
    }
    for (size_t i = 0; i < plan->counted_count; i++)
        wpg_counted_destroy(plan->counted[i]);
    for (size_t i = 0; i < plan->held_count; i++)
        wpg_files_release(plan->device, plan->held[i]);
    wpg_arena_finish(&plan->arena);
}
