/* Splits blocks and keeps the structure valid.
 *
 * Counting code is straight code and ifs. An if placed before instruction X of block b turns
 *
 *     b: phis, A, X, B, [merge], terminator
 *
 * into
 *
 *     b: phis, A, SelectionMerge m, BranchConditional then m
 *     then: ..., Branch m
 *     m: X, B, [merge], terminator
 *
 * b stays the target of every edge that led to it. So b keeps its role: merge block, continue target, case of
 * a switch (a case that falls through does so from m). m takes over the roles of b's end: header of a
 * selection, back edge, break. Edges out of b now come from m, and wpg_fix_phis corrects the phis at the end.
 *
 * A loop header cannot be split that way: OpLoopMerge must stay in the block the back edge leads to. There
 *
 *     b: phis, A, LoopMerge M C, terminator
 *
 * becomes
 *
 *     b: phis, LoopMerge M C, Branch n
 *     n: A, terminator
 *
 * and the ifs go into n. A terminator with a condition may stand in n without a merge instruction:
 * wpg_cfg_create refused a function in which it branches to two blocks neither of which leaves the loop or
 * continues it. If C is b itself and b the whole loop, the terminator gets a block of its own, the new
 * continue target and back edge:
 *
 *     b: phis, LoopMerge M c, Branch n
 *     n: A, Branch c
 *     c: terminator
 *
 * If C is b but the back edge is elsewhere, the whole loop is its continue construct, and n takes b's place
 * at its head. */
#include "compiler/instrument/code/inject.h"

uint32_t wpg_emit(wpg_inject *in, SpvOp opcode, uint32_t type, const uint32_t *operands, size_t count)
{
    enum { MOST = 16 };
    uint32_t words[MOST + 2] = {type, wpg_module_fresh_id(in->module)};
    for (size_t i = 0; i < count && i < MOST; i++)
        words[i + 2] = operands[i];
    wpg_inst_insert(in->module, in->where, opcode, words, count + 2);
    return words[1];
}

/* Starts a new block at `where`; the id of its label. */
static void start_block(wpg_inject *in, uint32_t label)
{
    wpg_inst_add(in->module, in->where, SpvOpLabel, label);
}

/* The first instruction behind the block's phis and variables. */
static wpg_inst *block_start(const wpg_block *block)
{
    wpg_inst *start = block->label->next;
    for (wpg_inst *inst = start; inst != block->terminator; inst = inst->next) {
        if (inst->opcode == SpvOpPhi || inst->opcode == SpvOpVariable)
            start = inst->next;
    }
    return start;
}

void wpg_block_open(wpg_inject *in, const wpg_cfg *cfg, uint32_t index)
{
    const wpg_block *block = &cfg->blocks[index];
    in->own_back_edge = false;
    in->where = block_start(block);
    if (!block->merge || block->merge->opcode != SpvOpLoopMerge)
        return;
    uint32_t rest = wpg_module_fresh_id(in->module);
    if (in->where == block->merge)
        in->where = block->merge->next;
    else
        wpg_inst_move(in->module, block->merge, in->where);
    wpg_inst_add(in->module, in->where, SpvOpBranch, rest);
    start_block(in, rest);
    if (block->merge->words[2] != block->id)
        return;
    block->merge->words[2] = rest;
    bool single = false;
    for (uint32_t i = 0; i < block->successor_count; i++)
        single |= block->successors[i] == index;
    if (!single)
        return;
    uint32_t back = wpg_module_fresh_id(in->module);
    block->merge->words[2] = back;
    wpg_inst_add(in->module, block->terminator, SpvOpBranch, back);
    wpg_inst *label = wpg_inst_add(in->module, block->terminator, SpvOpLabel, back);
    /* Code for the end of the block goes before the branch to the new one, not into it. */
    if (in->where == block->terminator)
        in->where = label->prev;
    in->own_back_edge = true;
}

/* The label of the block that now holds an instruction. */
static wpg_inst *label_of(wpg_inst *inst)
{
    while (inst->opcode != SpvOpLabel)
        inst = inst->prev;
    return inst;
}

void wpg_block_seek(wpg_inject *in, const wpg_cfg *cfg, uint32_t index, wpg_inst *before)
{
    const wpg_block *block = &cfg->blocks[index];
    in->where = before;
    if (before != block->terminator)
        return;
    if (in->own_back_edge)
        in->where = label_of(before)->prev;
    else if (block->merge && block->merge->opcode == SpvOpSelectionMerge)
        in->where = block->merge;
}

wpg_inst *wpg_block_end(const wpg_cfg *cfg, uint32_t index)
{
    const wpg_block *block = &cfg->blocks[index];
    return block->merge ? block->merge : block->terminator;
}

void wpg_block_close(wpg_inject *in, const wpg_cfg *cfg, uint32_t index)
{
    uint32_t id = cfg->blocks[index].id, tail = label_of(cfg->blocks[index].terminator)->result;
    if (tail != id && !wpg_map_set(&in->tails, id, tail))
        in->failed = true;
}

wpg_if wpg_if_begin(wpg_inject *in, uint32_t condition)
{
    wpg_if branch = {.merge = wpg_module_fresh_id(in->module)};
    uint32_t then = wpg_module_fresh_id(in->module);
    wpg_inst_add(in->module, in->where, SpvOpSelectionMerge, branch.merge, SpvSelectionControlMaskNone);
    wpg_inst_add(in->module, in->where, SpvOpBranchConditional, condition, then, branch.merge);
    start_block(in, then);
    return branch;
}

void wpg_if_end(wpg_inject *in, wpg_if branch)
{
    wpg_inst_add(in->module, in->where, SpvOpBranch, branch.merge);
    start_block(in, branch.merge);
}

uint32_t wpg_local_variable(wpg_inject *in, uint32_t *variable)
{
    wpg_module *m = in->module;
    if (!*variable) {
        *variable = wpg_module_fresh_id(m);
        wpg_inst_add(m, in->cfg->blocks[0].label->next, SpvOpVariable,
                     wpg_type_pointer(m, SpvStorageClassFunction, in->t_u32), *variable,
                     SpvStorageClassFunction);
    }
    return *variable;
}

wpg_repeat wpg_repeat_begin(wpg_inject *in)
{
    wpg_module *m = in->module;
    wpg_repeat repeat = {.header = wpg_module_fresh_id(m)};
    uint32_t body = wpg_module_fresh_id(m);
    repeat.next = wpg_module_fresh_id(m);
    repeat.merge = wpg_module_fresh_id(m);
    wpg_inst_add(m, in->where, SpvOpBranch, repeat.header);
    start_block(in, repeat.header);
    wpg_inst_add(m, in->where, SpvOpLoopMerge, repeat.merge, repeat.next, SpvLoopControlDontUnrollMask);
    wpg_inst_add(m, in->where, SpvOpBranch, body);
    start_block(in, body);
    return repeat;
}

void wpg_repeat_end(wpg_inject *in, wpg_repeat repeat, uint32_t more)
{
    wpg_inst_add(in->module, in->where, SpvOpBranch, repeat.next);
    start_block(in, repeat.next);
    wpg_inst_add(in->module, in->where, SpvOpBranchConditional, more, repeat.header, repeat.merge);
    start_block(in, repeat.merge);
}

void wpg_fix_phis(wpg_inject *in, wpg_inst *function)
{
    const wpg_inst *end = wpg_function_end(function);
    for (wpg_inst *inst = function; in->tails.count && inst && inst != end; inst = inst->next) {
        if (inst->opcode != SpvOpPhi)
            continue;
        for (unsigned i = 4; i < inst->count; i += 2) {
            uint64_t tail;
            if (wpg_map_get(&in->tails, inst->words[i], &tail))
                inst->words[i] = (uint32_t)tail;
        }
    }
}
