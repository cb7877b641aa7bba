/* Private cells of probes. A branch in a loop counts into a 32-bit variable of the elected lane. The variable
 * goes to memory when the lane leaves the function or demotes: sums do not depend on the order of exits
 * (additive). Counts are exact for any control flow, because every way out flushes: blocks without
 * successors, and demotes. Only waves are kept so, one a visit: a cell overflows after 2^32 visits in one
 * invocation. Not used in functions that call a function which may kill or demote, or that end wave
 * segments. */
#include "compiler/instrument/probes/probe.h"

enum { MOST_CELLS = 12, IDS_CELL = 24, IDS_FLUSH = 16, NO = WPG_NO_BLOCK };

typedef struct flush_site {
    bool stays; /* lanes go on after it */
} flush_site;

static bool repeats(const wpg_cfg *cfg, uint32_t block)
{
    for (uint32_t c = cfg->blocks[block].loop; c != NO; c = cfg->constructs[c].parent)
        if (cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP && cfg->constructs[c].back_edge != NO)
            return true;
    return false;
}

static bool calls_what_changes(const wpg_cfg *cfg)
{
    for (uint32_t b = 0; b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label;
             cfg->blocks[b].changes_mask && inst != cfg->blocks[b].terminator; inst = inst->next)
            if (inst->opcode == SpvOpFunctionCall || wpg_ends_segment(inst))
                return true;
    return false;
}

void wpg_probe_keep(wpg_probe_plan *p, uint32_t block, uint32_t counter)
{
    wpg_function_plan *f = p->function;
    if (counter == WPG_NO_COUNTER || f->probe_cell_count == MOST_CELLS || !repeats(f->cfg, block) ||
        calls_what_changes(f->cfg))
        return;
    if (!f->probe_cells)
        f->probe_cells = wpg_probe_alloc(p, MOST_CELLS, sizeof *f->probe_cells);
    if (f->probe_cells)
        f->probe_cells[f->probe_cell_count++].counter = counter;
}

static wpg_probe_cell *find_cell(const wpg_function_plan *f, uint32_t counter)
{
    for (uint32_t i = 0; i < f->probe_cell_count; i++)
        if (f->probe_cells[i].counter == counter)
            return &f->probe_cells[i];
    return NULL;
}

static uint32_t variable_of(wpg_inject *in, const wpg_function_plan *f, wpg_probe_cell *cell)
{
    wpg_module *m = in->module;
    if (!cell->variable) {
        uint32_t pointer = wpg_type_pointer(m, SpvStorageClassFunction, in->t_u32);
        cell->variable = wpg_module_fresh_id(m);
        wpg_inst_add(m, f->cfg->blocks[0].label->next, SpvOpVariable, pointer, cell->variable,
                     SpvStorageClassFunction, in->c_zero);
    }
    return cell->variable;
}

static void store(wpg_inject *in, uint32_t variable, uint32_t value)
{
    wpg_inst_add(in->module, in->where, SpvOpStore, variable, value);
}

void wpg_probe_add_here(wpg_inject *in, const wpg_function_plan *f, const wpg_add *adds, size_t count)
{
    wpg_add *others = WPG_ARENA_ARRAY(&in->module->arena, wpg_add, count);
    size_t other_count = 0;
    for (size_t i = 0; others && i < count; i++) {
        wpg_probe_cell *cell = find_cell(f, adds[i].counter);
        if (!cell) {
            others[other_count++] = adds[i];
            continue;
        }
        uint32_t variable = variable_of(in, f, cell), held = WPG_EMIT(in, SpvOpLoad, in->t_u32, variable);
        store(in, variable, WPG_EMIT(in, SpvOpIAdd, in->t_u32, held, adds[i].value));
    }
    if (other_count)
        wpg_memory_add(in, others, other_count);
}

/* Only elected lanes hold anything, so this is a branch for most. */
static void emit(wpg_inject *in, const wpg_function_plan *f, const wpg_probe_point *point)
{
    const flush_site *site = point->site;
    wpg_add adds[MOST_CELLS];
    uint32_t all = 0;
    for (uint32_t i = 0; i < f->probe_cell_count; i++) {
        uint32_t variable = variable_of(in, f, &f->probe_cells[i]);
        uint32_t held = WPG_EMIT(in, SpvOpLoad, in->t_u32, variable);
        adds[i] = (wpg_add){f->probe_cells[i].counter, held};
        all = all ? WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, all, held) : held;
    }
    wpg_if some = wpg_if_begin(in, WPG_EMIT(in, SpvOpINotEqual, in->t_bool, all, in->c_zero));
    wpg_memory_add(in, adds, f->probe_cell_count);
    wpg_if_end(in, some);
    for (uint32_t i = 0; site->stays && i < f->probe_cell_count; i++)
        store(in, f->probe_cells[i].variable, in->c_zero);
}

static const wpg_probe flush = {.name = "", .record = "", .ids = IDS_FLUSH, .emit = emit};

static void place(wpg_probe_plan *p, uint32_t block, wpg_inst *before, bool stays)
{
    flush_site *site = wpg_probe_alloc(p, 1, sizeof *site);
    if (!site)
        return;
    site->stays = stays;
    p->plan->probe_ids += (uint64_t)IDS_CELL * p->function->probe_cell_count;
    wpg_probe_place(p, block, before, site);
}

void wpg_probe_place_flushes(wpg_probe_plan *p)
{
    const wpg_cfg *cfg = p->function->cfg;
    if (!p->function->probe_cell_count)
        return;
    p->probe = &flush;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (block->rpo == NO)
            continue;
        for (wpg_inst *inst = block->label; block->changes_mask && inst != block->terminator;
             inst = inst->next)
            if (inst->opcode == SpvOpDemoteToHelperInvocation)
                place(p, b, inst, true);
        if (block->successor_count == 0 && block->terminator->opcode != SpvOpUnreachable)
            place(p, b, block->terminator, false);
    }
}
