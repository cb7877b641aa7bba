/* The light block view of the CFG tier: targets, structured reverse post-order, constructs, reachability.
 *
 * Structured reverse post-order is depth first over the targets of a terminator. A header's merge block and
 * continue target are visited before its targets. So arms come before continue targets, and continue targets
 * before merge blocks. The order depends on the graph and the order of targets alone, never on the input's
 * block order. A block comes before the blocks it dominates. Owner: wpg_flow_init/finish. Threads: one.
 * Source: SPIR-V 1.6, 2.11. */
#include "compiler/normalize/internal.h"

#include <stdlib.h>
#include <string.h>

bool wpg_switch_is_wide(const wpg_module *module, const wpg_inst *terminator)
{
    const wpg_inst *selector = wpg_module_def(module, terminator->words[1]);
    const wpg_inst *type = selector ? wpg_module_def(module, selector->type) : NULL;
    return type && type->opcode == SpvOpTypeInt && type->words[2] > 32;
}

wpg_status wpg_flow_init(wpg_flow *flow, wpg_module *module, wpg_error *err)
{
    *flow = (wpg_flow){.module = module, .index_capacity = module->bound};
    flow->index_of = calloc(module->bound, sizeof *flow->index_of);
    return flow->index_of ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory for %u ids", module->bound);
}

void wpg_flow_finish(wpg_flow *flow)
{
    free(flow->blocks);
    free(flow->order);
    free(flow->stack);
    free(flow->cursor);
    free(flow->parent);
    free(flow->index_of);
    *flow = (wpg_flow){0};
}

static bool resize(uint32_t **array, uint32_t count)
{
    uint32_t *moved = realloc(*array, count * sizeof **array);
    if (moved)
        *array = moved;
    return moved;
}

static wpg_status grow(wpg_flow *flow, wpg_error *err)
{
    uint32_t want = flow->capacity ? flow->capacity * 2 : 64;
    wpg_flow_block *blocks = realloc(flow->blocks, want * sizeof *blocks);
    if (blocks)
        flow->blocks = blocks;
    if (!blocks || !resize(&flow->order, want) || !resize(&flow->stack, want) ||
        !resize(&flow->cursor, want) || !resize(&flow->parent, want))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for %u blocks", want);
    flow->capacity = want;
    return WPG_OK;
}

static wpg_status grow_index(wpg_flow *flow, uint32_t id, wpg_error *err)
{
    const uint32_t least = flow->module->bound > id ? flow->module->bound : id + 1;
    const uint32_t want = least + least / 2, old = flow->index_capacity;
    if (!resize(&flow->index_of, want))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for %u ids", want);
    memset(flow->index_of + old, 0, (want - old) * sizeof *flow->index_of);
    flow->index_capacity = want;
    return WPG_OK;
}

void wpg_flow_begin(wpg_flow *flow, wpg_inst *function)
{
    for (uint32_t i = 0; i < flow->count; i++)
        flow->index_of[flow->blocks[i].label->result] = 0;
    flow->function = function;
    flow->end = NULL;
    flow->count = flow->order_count = 0;
    flow->two_merges = false;
}

static wpg_status add_block(wpg_flow *flow, const wpg_flow_block *block, wpg_error *err)
{
    const uint32_t id = block->label->result;
    if (flow->count == flow->capacity)
        WPG_TRY(grow(flow, err));
    if (id >= flow->index_capacity)
        WPG_TRY(grow_index(flow, id, err));
    flow->blocks[flow->count++] = *block;
    flow->index_of[id] = flow->count;
    return WPG_OK;
}

wpg_status wpg_flow_note_marked(wpg_flow *flow, wpg_inst *inst, wpg_error *err)
{
    if (inst->opcode == SpvOpLabel)
        return add_block(flow, &(wpg_flow_block){.label = inst, .rank = WPG_NONE, .construct = WPG_NONE},
                         err);
    if (!flow->count)
        return WPG_OK;
    wpg_flow_block *block = &flow->blocks[flow->count - 1];
    if (inst->opcode == SpvOpSelectionMerge || inst->opcode == SpvOpLoopMerge) {
        flow->two_merges |= block->merge != NULL;
        block->merge = inst;
    } else if (wpg_opcode_is_terminator((SpvOp)inst->opcode)) {
        block->terminator = inst;
    }
    return WPG_OK;
}

static wpg_status read_blocks(wpg_flow *flow, wpg_inst *function, wpg_error *err)
{
    wpg_flow_begin(flow, function);
    wpg_inst *inst = function->next;
    for (; wpg_in_function(inst); inst = inst->next)
        WPG_TRY(wpg_flow_note(flow, inst, err));
    flow->end = inst;
    return WPG_OK;
}

static wpg_status check_label(const wpg_flow *flow, uint32_t label, wpg_error *err)
{
    if (wpg_flow_find(flow, label) < flow->count)
        return WPG_OK;
    return wpg_fail(err, WPG_E_FORMAT, "branch to %%%u, which is no block of function %%%u", label,
                    flow->function->result);
}

static wpg_status check_targets(const wpg_flow *flow, wpg_error *err)
{
    for (uint32_t i = 0; i < flow->count; i++) {
        const wpg_flow_block *block = &flow->blocks[i];
        if (!block->terminator)
            return wpg_fail(err, WPG_E_FORMAT, "block %%%u has no terminator", block->label->result);
        wpg_targets t = wpg_targets_of(flow->module, block->terminator);
        for (uint32_t at = t.at; at < t.end; at += t.step)
            WPG_TRY(check_label(flow, t.words[at], err));
        if (block->merge)
            WPG_TRY(check_label(flow, block->merge->words[1], err));
        if (block->merge && block->merge->opcode == SpvOpLoopMerge)
            WPG_TRY(check_label(flow, block->merge->words[2], err));
    }
    return WPG_OK;
}

/* -- Structured order ---------------------------------------------------------------------------------- */

typedef enum edge_kind { EDGE_MERGE, EDGE_CONTINUE, EDGE_BRANCH, EDGE_NONE } edge_kind;

/* The cursor-th structured successor: merge, continue target, then the targets from last to first. */
static edge_kind structured_edge(const wpg_flow *flow, const wpg_flow_block *block, uint32_t cursor,
                                 uint32_t *to)
{
    bool loop = block->merge && block->merge->opcode == SpvOpLoopMerge;
    uint32_t extra = block->merge ? (loop ? 2 : 1) : 0;
    if (cursor < extra) {
        *to = wpg_flow_find(flow, block->merge->words[1 + cursor]);
        return cursor ? EDGE_CONTINUE : EDGE_MERGE;
    }
    wpg_targets t = wpg_targets_of(flow->module, block->terminator);
    uint32_t targets = t.end > t.at ? (t.end - t.at + t.step - 1) / t.step : 0;
    cursor -= extra;
    if (cursor >= targets)
        return EDGE_NONE;
    *to = wpg_flow_find(flow, t.words[t.at + (targets - 1 - cursor) * t.step]);
    return EDGE_BRANCH;
}

/* A block is in the construct of the block that depth first search came from, or in the one it heads; a merge
 * block is where its header is. Tree edges never leave a construct: exits go to merges and continue targets,
 * which their headers reached first. */
static void place(wpg_flow *flow, uint32_t from, uint32_t to, edge_kind kind)
{
    const wpg_flow_block *f = &flow->blocks[from];
    wpg_flow_block *t = &flow->blocks[to];
    t->construct = kind == EDGE_MERGE || !f->merge ? f->construct : from;
    t->in_continue = f->in_continue || kind == EDGE_CONTINUE;
}

/* Computes rank and order. */
static void rank_blocks(wpg_flow *flow)
{
    for (uint32_t i = 0; i < flow->count; i++)
        flow->blocks[i].rank = WPG_NONE;
    flow->order_count = 0;
    if (!flow->count)
        return;
    uint32_t depth = 0, done = flow->count;
    flow->stack[0] = 0;
    flow->cursor[0] = 0;
    flow->blocks[0].rank = 0; /* visited; the position is set below */
    for (depth = 1; depth;) {
        uint32_t from = flow->stack[depth - 1], to;
        edge_kind kind = structured_edge(flow, &flow->blocks[from], flow->cursor[depth - 1]++, &to);
        if (kind == EDGE_NONE) {
            flow->order[--done] = from;
            depth--;
        } else if (flow->blocks[to].rank == WPG_NONE) {
            flow->blocks[to].rank = 0;
            flow->parent[to] = from << 2 | (uint32_t)kind;
            flow->stack[depth] = to;
            flow->cursor[depth++] = 0;
        }
    }
    flow->order_count = flow->count - done;
    memmove(flow->order, flow->order + done, flow->order_count * sizeof *flow->order);
    for (uint32_t i = 0; i < flow->order_count; i++)
        flow->blocks[flow->order[i]].rank = i;
    /* Parents come first in the order. */
    for (uint32_t i = 1; i < flow->order_count; i++) {
        uint32_t b = flow->order[i];
        place(flow, flow->parent[b] >> 2, b, (edge_kind)(flow->parent[b] & 3));
    }
}

/* -- Reachability -------------------------------------------------------------------------------------- */

static void mark_exits(wpg_flow *flow, const wpg_flow_block *block)
{
    if (!block->merge)
        return;
    bool loop = block->merge->opcode == SpvOpLoopMerge;
    if (loop || block->terminator->opcode == SpvOpSwitch)
        flow->blocks[wpg_flow_find(flow, block->merge->words[1])].is_exit = true;
    if (loop)
        flow->blocks[wpg_flow_find(flow, block->merge->words[2])].is_exit = true;
}

void wpg_flow_reach(wpg_flow *flow)
{
    for (uint32_t i = 0; i < flow->count; i++) {
        flow->blocks[i].reachable = flow->blocks[i].is_exit = false;
        flow->blocks[i].preds = 0;
        flow->parent[i] = WPG_NONE; /* last block seen to branch here, so that one block counts once */
    }
    if (!flow->count)
        return;
    uint32_t depth = 1;
    flow->stack[0] = 0;
    flow->blocks[0].reachable = true;
    while (depth) {
        uint32_t from = flow->stack[--depth];
        wpg_targets t = wpg_targets_of(flow->module, flow->blocks[from].terminator);
        mark_exits(flow, &flow->blocks[from]);
        for (uint32_t at = t.at; at < t.end; at += t.step) {
            if (flow->only && flow->only[from] && flow->only[from] != t.words[at])
                continue;
            uint32_t to = wpg_flow_find(flow, t.words[at]);
            wpg_flow_block *block = &flow->blocks[to];
            block->preds += flow->parent[to] != from;
            flow->parent[to] = from;
            if (!block->reachable) {
                block->reachable = true;
                flow->stack[depth++] = to;
            }
        }
    }
}

wpg_status wpg_flow_finish_blocks(wpg_flow *flow, wpg_inst *end, wpg_error *err)
{
    flow->end = end;
    WPG_TRY(check_targets(flow, err));
    rank_blocks(flow);
    wpg_flow_reach(flow);
    return WPG_OK;
}

wpg_status wpg_flow_read(wpg_flow *flow, wpg_inst *function, wpg_error *err)
{
    WPG_TRY(read_blocks(flow, function, err));
    return wpg_flow_finish_blocks(flow, flow->end, err);
}

wpg_status wpg_flow_take(wpg_flow *flow, wpg_inst *function, wpg_inst *end, const wpg_flow_block *blocks,
                         uint32_t count, wpg_error *err)
{
    wpg_flow_begin(flow, function);
    for (uint32_t i = 0; i < count; i++) {
        const wpg_flow_block block = {.label = blocks[i].label,
                                      .merge = blocks[i].merge,
                                      .terminator = blocks[i].terminator,
                                      .rank = WPG_NONE,
                                      .construct = WPG_NONE};
        WPG_TRY(add_block(flow, &block, err));
    }
    return wpg_flow_finish_blocks(flow, end, err);
}

wpg_status wpg_flow_keep(wpg_flow *flow, const bool *kept, wpg_error *err)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < flow->count; i++) {
        wpg_flow_block block = flow->blocks[i];
        flow->index_of[block.label->result] = 0;
        if (!kept[i])
            continue;
        block.construct = WPG_NONE;
        block.in_continue = false;
        flow->blocks[count++] = block;
        flow->index_of[block.label->result] = count;
    }
    flow->count = count;
    return wpg_flow_finish_blocks(flow, flow->end, err);
}

bool wpg_flow_arrange(wpg_flow *flow)
{
    wpg_flow_block *blocks = malloc(flow->capacity * sizeof *blocks);
    if (!blocks)
        return false;
    for (uint32_t i = 0; i < flow->count; i++) {
        blocks[i] = flow->blocks[flow->order[i]];
        if (blocks[i].construct != WPG_NONE)
            blocks[i].construct = flow->blocks[blocks[i].construct].rank;
        flow->index_of[blocks[i].label->result] = i + 1;
        flow->order[i] = i;
    }
    free(flow->blocks);
    flow->blocks = blocks;
    return true;
}
