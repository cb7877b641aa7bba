/* The variables of cells, and what is read from them. cells.c says what cells hold. */
#include <string.h>

#include "compiler/instrument/code/strategy.h"

void wpg_cells_declare(wpg_inject *in)
{
    bool any = false;
    for (uint32_t i = 0; i < in->plan->function_count; i++)
        any |= in->plan->functions[i].cell_count != 0;
    if (!any)
        return;
    in->p_cell = wpg_type_pointer(in->module, SpvStorageClassFunction, in->t_u32);
    if (!in->plan->strategy->private_cells)
        return;
    wpg_require_capability(in->module, SpvCapabilityGroupNonUniformArithmetic);
    wpg_live_declare_lane(in);
}

void wpg_cells_enter(wpg_inject *in, const wpg_function_plan *function)
{
    in->cells = NULL;
    if (function->cell_count)
        in->cells = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, function->cell_count);
    in->function = function;
    in->cfg = function->cfg;
    memset(in->scratch, 0, sizeof in->scratch);
}

/* The variable of a cell. Those of a loop are zeroed where it is entered; the function's begin at zero, but
 * for the mark that all lanes have. */
static uint32_t variable(wpg_inject *in, uint32_t cell)
{
    if (!in->cells)
        return in->c_zero; /* out of memory: the module is spoilt */
    if (!in->cells[cell]) {
        uint32_t start = in->c_zero;
        for (uint32_t i = 0; i < in->function->region_count; i++)
            if (in->function->regions[i].start_cell == cell)
                start = wpg_const_u32(in->module, in->function->regions[i].start_value);
        in->cells[cell] = wpg_module_fresh_id(in->module);
        wpg_inst_add(in->module, in->cfg->blocks[0].label->next, SpvOpVariable, in->p_cell, in->cells[cell],
                     SpvStorageClassFunction, start);
    }
    return in->cells[cell];
}

uint32_t wpg_cell_load(wpg_inject *in, uint32_t cell)
{
    return WPG_EMIT(in, SpvOpLoad, in->t_u32, variable(in, cell));
}

void wpg_cell_store(wpg_inject *in, uint32_t cell, uint32_t value)
{
    wpg_inst_add(in->module, in->where, SpvOpStore, variable(in, cell), value);
}

uint32_t wpg_select_u32(wpg_inject *in, uint32_t condition, uint32_t yes, uint32_t no)
{
    return WPG_EMIT(in, SpvOpSelect, in->t_u32, condition, yes, no);
}

uint32_t wpg_either(wpg_inject *in, uint32_t a, uint32_t b)
{
    return a && b ? WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, a, b) : a ? a : b;
}

uint32_t wpg_both(wpg_inject *in, uint32_t a, uint32_t b)
{
    return WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, a, b);
}

uint32_t wpg_is_set(wpg_inject *in, uint32_t value)
{
    return WPG_EMIT(in, SpvOpINotEqual, in->t_bool, value, in->c_zero);
}

uint32_t wpg_scratch_load(wpg_inject *in, unsigned which)
{
    return WPG_EMIT(in, SpvOpLoad, in->t_u32, wpg_local_variable(in, &in->scratch[which]));
}

void wpg_scratch_store(wpg_inject *in, unsigned which, uint32_t value)
{
    wpg_inst_add(in->module, in->where, SpvOpStore, wpg_local_variable(in, &in->scratch[which]), value);
}

uint32_t wpg_reduce(wpg_inject *in, SpvOp opcode, uint32_t value)
{
    return WPG_EMIT(in, opcode, in->t_u32, in->subgroup_scope, SpvGroupOperationReduce, value);
}

uint32_t wpg_any_in(wpg_inject *in, uint32_t mask)
{
    uint32_t none = wpg_const_null(in->module, in->t_uvec4);
    uint32_t differ = WPG_EMIT(in, SpvOpINotEqual, wpg_type_vector(in->module, in->t_bool, 4), mask, none);
    return WPG_EMIT(in, SpvOpAny, in->t_bool, differ);
}

uint32_t wpg_cell_trips(wpg_inject *in, const wpg_function_plan *f, const wpg_tally *t)
{
    const wpg_loop_plan *loop = &f->loops[t->loop];
    uint32_t trips = wpg_cell_load(in, loop->trips_cell), passed = 0, count = 0;
    for (uint32_t i = 0; i < loop->exit_count; i++)
        count += t->passes[i];
    if (count == 0)
        return trips;
    if (count == loop->exit_count)
        return WPG_EMIT(in, SpvOpIAdd, in->t_u32, trips, in->c_one);
    uint32_t exit = wpg_cell_load(in, loop->exit_cell);
    for (uint32_t i = 0; i < loop->exit_count; i++) {
        if (!t->passes[i])
            continue;
        uint32_t here = WPG_EMIT(in, SpvOpIEqual, in->t_bool, exit, wpg_const_u32(in->module, i));
        passed = passed ? WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, passed, here) : here;
    }
    return WPG_EMIT(in, SpvOpIAdd, in->t_u32, trips, wpg_select_u32(in, passed, in->c_one, in->c_zero));
}

uint32_t wpg_cell_visits(wpg_inject *in, const wpg_function_plan *f, const wpg_tally *t)
{
    return t->lanes_cell != WPG_NO_CELL ? wpg_cell_load(in, t->lanes_cell) : wpg_cell_trips(in, f, t);
}

/* A uniform visit is by all of E. In a scope and in a loop's region, all of them leave together, so each
 * knows the number. From a function, some lanes may leave earlier. */
bool wpg_shares_uniform(const wpg_region *r)
{
    return r->loop != WPG_NO_BLOCK || r->exit != WPG_NO_BLOCK;
}
