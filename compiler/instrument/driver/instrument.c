/* The injector: carries out a plan.
 *
 *     plan stands --> declarations --> per function: entry code, then each point in block order --> phis
 *
 * Injection refuses nothing: the plan has refused all that cannot be counted. Only memory may run out. Then
 * the module is spoilt, and the caller passes the original through. */
#include "compiler/instrument/code/instrument.h"

#include <string.h>

#include "compiler/instrument/code/strategy.h"
#include "compiler/instrument/counting/paths.h"
#include "compiler/instrument/driver/budget.h"
#include "compiler/instrument/probes/probe.h"
#include "compiler/instrument/sampling/sample.h"

/* SPV_KHR_maximal_reconvergence, by number: headers before 2024 do not name it. */
enum { MAXIMALLY_RECONVERGES = 6023 };

static void declare(wpg_inject *in)
{
    wpg_module *m = in->module;
    in->t_bool = wpg_type_bool(m);
    in->t_u32 = wpg_type_u32(m);
    in->t_uvec2 = wpg_type_vector(m, in->t_u32, 2);
    in->t_uvec4 = wpg_type_vector(m, in->t_u32, 4);
    in->c_true = wpg_const_bool(m, true);
    in->c_zero = wpg_const_u32(m, 0);
    in->c_one = wpg_const_u32(m, 1);
    in->plan->strategy->declare(in);
    wpg_memory_declare(in);
    wpg_paths_declare(in);
    wpg_probes_declare(in);
    const uint32_t function = in->plan->entry_point->words[2];
    if (in->plan->declare_early_tests)
        wpg_inst_add(m, wpg_module_section_end(m, WPG_SECTION_EXECUTION_MODE), SpvOpExecutionMode, function,
                     SpvExecutionModeEarlyFragmentTests);
    if (!in->plan->options->target.maximal_reconvergence || !(in->plan->strategy->kinds & WPG_KIND_WAVES) ||
        wpg_find_execution_mode(m, function, (SpvExecutionMode)MAXIMALLY_RECONVERGES))
        return;
    wpg_require_extension(m, "SPV_KHR_maximal_reconvergence");
    wpg_inst_add(m, wpg_module_section_end(m, WPG_SECTION_EXECUTION_MODE), SpvOpExecutionMode, function,
                 MAXIMALLY_RECONVERGES);
}

/* The strategy's points of block b that go before an instruction, or those at its start. */
static void count_points(wpg_inject *in, const wpg_function_plan *f, uint32_t b, uint32_t first, bool start)
{
    for (uint32_t i = first; i < f->point_count && f->points[i].block == b; i++) {
        if (start != !f->points[i].before)
            continue;
        if (!start)
            wpg_block_seek(in, f->cfg, b, f->points[i].before);
        if (f->points[i].kind == WPG_POINT_COUNT)
            in->plan->strategy->count(in, f, &f->points[i]);
        else if (f->points[i].kind == WPG_POINT_SEGMENT)
            wpg_live_begin_segment(in);
        else
            wpg_cells_at(in, f, &f->points[i]);
    }
}

static void inject_function(wpg_inject *in, const wpg_function_plan *f)
{
    wpg_map_free(&in->tails);
    wpg_note_lengths(in, f->cfg);
    uint32_t next = 0, probe = 0;
    for (uint32_t b = 0; b < f->cfg->count; b++) {
        uint32_t first = next;
        while (next < f->point_count && f->points[next].block == b)
            next++;
        bool probed = probe < f->probe_count && f->probes[probe].block == b;
        if (next == first && !probed && b != 0)
            continue;
        wpg_block_open(in, f->cfg, b);
        if (b == 0) {
            wpg_memory_enter(in);
            wpg_cells_enter(in, f);
            in->plan->strategy->enter(in, f);
        }
        wpg_inst *start = in->where;
        count_points(in, f, b, first, true);
        for (; probe < f->probe_count && f->probes[probe].block == b; probe++) {
            in->where = start;
            if (f->probes[probe].before)
                wpg_block_seek(in, f->cfg, b, f->probes[probe].before);
            f->probes[probe].probe->emit(in, f, &f->probes[probe]);
        }
        count_points(in, f, b, first, false);
        wpg_block_close(in, f->cfg, b);
    }
    wpg_fix_phis(in, f->function);
    wpg_keep_rolled(in, f->cfg);
}

wpg_status wpg_instrument(wpg_counter_map **map, wpg_module *module, const wpg_stage *stage,
                          const wpg_instrument_options *options, wpg_error *err)
{
    if (!options->by_binding &&
        (!options->directory_entry || options->directory_entry % (options->directory_cells ? 4 : 8) ||
         options->directory_cells % 8 || options->directory_shift > 31))
        return wpg_fail(err, WPG_E_ARGUMENT, "directory entry or cells at no multiple of their size");
    wpg_plan plan;
    wpg_instrument_options own = *options;
    char why[sizeof plan.map->note] = "";
    if (own.strategy == WPG_STRATEGY_AUTO && own.budget)
        WPG_TRY(wpg_budget_choose(&own, why, sizeof why, module, stage, err));
    WPG_TRY(wpg_plan_make(&plan, module, stage, &own, err));
    if (why[0])
        memcpy(plan.map->note, why, sizeof why);
    plan.map->over_budget = why[0] != '\0';
    wpg_inject in = {.module = module, .plan = &plan};
    declare(&in);
    wpg_sample_begin(&in);
    for (uint32_t i = 0; i < plan.function_count; i++)
        inject_function(&in, &plan.functions[i]);
    wpg_sample_end(&in);
    wpg_map_free(&in.tails);
    bool failed = in.failed || module->arena.failed;
    if (!failed) {
        *map = plan.map;
        plan.map = NULL;
    }
    wpg_plan_finish(&plan);
    return failed ? wpg_fail(err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}
