/* Copies a function's body to the place of its call. Every result gets a fresh id. Parameters become the
 * arguments' ids, pointers and opaque objects included. Variables move to the caller's entry block; their
 * initialisers become stores at the start of the body. Names and decorations are copied for the copies.
 *
 *     returns once                      returns early                         the call in a loop header
 *
 *     P: before the call                P: before the call                    P: phis, before the call
 *        callee's entry                    OpSelectionMerge post                 OpLoopMerge M C
 *     ...                                  OpSwitch 0 entry                      OpBranch entry
 *     R: callee's last block            entry: ...                            entry: ...
 *        after the call                 R1: OpBranch post                     R: ..., after the call
 *                                       R2: OpBranch post
 *                                       post: OpPhi of the values
 *                                             after the call
 *
 * A break of that switch is a legal exit from any nesting of ifs. A loop of one block is its own continue
 * target: there the block behind the call becomes the continue target. Source: SPIR-V 1.6, 2.11. */
#include "compiler/normalize/context_recorder.h"

#include "compiler/spirv/grammar.h"

/* -- Ids ----------------------------------------------------------------------------------------------- */

static uint32_t fresh(wpg_inliner *in)
{
    uint32_t id = wpg_module_fresh_id(in->module);
    if (id >= in->id_count && !wpg_inline_reserve(in))
        in->out_of_memory = true;
    return id;
}

static void set_map(wpg_inliner *in, uint32_t id, uint32_t to)
{
    if (id >= in->id_count || !to)
        return;
    in->ids[id].map = to;
    in->has[id] |= WPG_INLINE_MAPPED;
}

/* Copies names and decorations of `from` for `to`, each behind its original. */
static void copy_notes(wpg_inliner *in, uint32_t from, uint32_t to)
{
    if (from >= in->id_count || to >= in->id_count)
        return;
    for (uint32_t at = in->ids[from].note; at; at = in->notes.data[at - 1].next) {
        wpg_inst *note = in->notes.data[at - 1].inst, *copy;
        if (note->opcode == SpvOpGroupDecorate)
            copy = wpg_inst_add(in->module, note->next, SpvOpGroupDecorate, note->words[1], to);
        else {
            copy = wpg_inst_insert(in->module, note->next, (SpvOp)note->opcode, note->words + 1,
                                   note->count - 1u);
            copy->words[1] = to;
        }
        if (!wpg_vec_push(&in->notes, (wpg_inline_note){.inst = copy, .next = in->ids[to].note})) {
            in->out_of_memory = true;
            return;
        }
        in->ids[to].note = (uint32_t)in->notes.count;
    }
}

static void map_results(wpg_inliner *in, const wpg_call_site *site, const wpg_inline_function *callee,
                        bool join_entry)
{
    uint32_t argument = 4;
    wpg_inst *inst = callee->inst->next;
    for (; inst != callee->blocks[0].label; inst = inst->next)
        if (inst->opcode == SpvOpFunctionParameter)
            set_map(in, inst->result, site->call->words[argument++]);
    for (uint32_t i = 0; i < callee->order_count; i++) {
        const wpg_flow_block *block = &callee->blocks[callee->order[i]];
        for (inst = block->label;; inst = inst->next) {
            if (inst == block->label && !i && join_entry) {
                set_map(in, inst->result, site->label);
            } else if (inst->result) {
                uint32_t id = fresh(in);
                set_map(in, inst->result, id);
                copy_notes(in, inst->result, id);
            }
            if (inst == block->terminator)
                break;
        }
    }
}

static void unmap_results(wpg_inliner *in, const wpg_inline_function *callee)
{
    for (wpg_inst *inst = callee->inst->next; inst->opcode != SpvOpFunctionEnd; inst = inst->next)
        if (inst->result < in->id_count)
            in->has[inst->result] &= (uint8_t)~WPG_INLINE_MAPPED;
}

/* -- Instructions -------------------------------------------------------------------------------------- */

/* Maps the operands of a copy. Functions with instructions that the grammar does not know are not inlined. */
static void map_operands(wpg_inliner *in, wpg_inst *copy)
{
    if (copy->type &&
        wpg_inline_mapped(in, copy->type) != copy->type) /* no type is mapped, in a module that is valid */
        copy->type = copy->words[1] = wpg_inline_mapped(in, copy->type);
    if (wpg_used_ids(&in->operands, in->module, copy)) {
        for (size_t i = 0; i < in->operands.count; i++)
            copy->words[in->operands.data[i]] = wpg_inline_mapped(in, copy->words[in->operands.data[i]]);
        return;
    }
    wpg_operand_walk walk = wpg_operands(in->module, copy);
    wpg_operand operand;
    while (wpg_operand_next(&walk, &operand))
        if (wpg_operand_is_id(&operand) && operand.kind != WPG_OPERAND_RESULT)
            copy->words[operand.at] = wpg_inline_mapped(in, copy->words[operand.at]);
}

static void copy_inst(wpg_inliner *in, wpg_inst *where, const wpg_inst *inst)
{
    wpg_inst *copy =
        wpg_inst_copy(in->module, where, inst, inst->result ? wpg_inline_mapped(in, inst->result) : 0);
    if (in->module->arena.failed)
        return;
    if (wpg_inline_has_any(in, copy, WPG_INLINE_MAPPED))
        map_operands(in, copy);
}

/* OpVariable of the callee: declared in the caller's entry block, initialised here. */
static void copy_variable(wpg_inliner *in, wpg_inst *where, const wpg_inst *variable)
{
    uint32_t id = wpg_inline_mapped(in, variable->result);
    in->last_variable = wpg_inst_add(in->module, in->last_variable->next, SpvOpVariable, variable->type, id,
                                     variable->words[3]);
    if (variable->count > 4)
        wpg_inst_add(in->module, where, SpvOpStore, id, variable->words[4]);
}

static bool is_return(const wpg_inst *inst)
{
    return inst->opcode == SpvOpReturn || inst->opcode == SpvOpReturnValue;
}

/* The blocks of the body before `where`. post: label returns branch to, 0 = fall through to what follows. */
static void copy_blocks(wpg_inliner *in, const wpg_inline_function *callee, wpg_inst *where, bool join_entry,
                        uint32_t post)
{
    for (uint32_t i = 0; i < callee->order_count; i++) {
        const wpg_flow_block *block = &callee->blocks[callee->order[i]];
        if (i || !join_entry)
            wpg_inst_add(in->module, where, SpvOpLabel, wpg_inline_mapped(in, block->label->result));
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
            if (inst->opcode == SpvOpVariable)
                copy_variable(in, where, inst);
            else
                copy_inst(in, where, inst);
        }
        const wpg_inst *end = block->terminator;
        if (!is_return(end)) {
            copy_inst(in, where, end);
        } else if (!block->reachable) {
            wpg_inst_insert(in->module, where, SpvOpUnreachable, NULL, 0);
        } else {
            if (end->opcode == SpvOpReturnValue &&
                (!wpg_vec_push(&in->values, wpg_inline_mapped(in, end->words[1])) ||
                 !wpg_vec_push(&in->values, wpg_inline_mapped(in, block->label->result))))
                in->out_of_memory = true;
            if (post)
                wpg_inst_add(in->module, where, SpvOpBranch, post);
        }
    }
}

/* -- The rest of the block ----------------------------------------------------------------------------- */

static bool uses(const wpg_inst *inst, uint32_t id)
{
    for (uint32_t i = 1; i < inst->count; i++)
        if (inst->words[i] == id)
            return true;
    return false;
}

static void replace_in(wpg_inliner *in, wpg_inst *inst, uint32_t from, uint32_t to)
{
    wpg_operand_walk walk = wpg_operands(in->module, inst);
    wpg_operand operand;
    while (wpg_operand_next(&walk, &operand))
        if (operand.kind == WPG_OPERAND_ID && inst->words[operand.at] == from)
            inst->words[operand.at] = to;
}

/* An OpSampledImage must be used in its own block (3.52.10): those of the first part are made again. */
static void repeat_sampled(wpg_inliner *in, wpg_inst *first, const wpg_call_site *site)
{
    for (size_t i = 0; i < in->sampled.count; i++) {
        const wpg_inst *old = in->sampled.data[i];
        uint32_t id = 0;
        for (wpg_inst *inst = first; inst; inst = inst->next) {
            if (uses(inst, old->result)) {
                if (!id) {
                    id = fresh(in);
                    copy_notes(in, old->result, id);
                    in->sampled.data[i] = wpg_inst_add(in->module, first, SpvOpSampledImage, old->type, id,
                                                       old->words[3], old->words[4]);
                }
                replace_in(in, inst, old->result, id);
            }
            if (inst == site->terminator)
                break;
        }
    }
}

/* In a module that is not valid the value may come from the call itself: renames stay free of cycles. */
static void rename_result(wpg_inliner *in, const wpg_inst *call, uint32_t value)
{
    if (call->result >= in->id_count)
        return;
    if (wpg_inline_renamed(in, value) == call->result)
        value = wpg_undef(in->module, call->type);
    in->ids[call->result].rename = value;
    in->has[call->result] |= WPG_INLINE_RENAMED;
    if (!wpg_vec_push(&in->renamed, call->result))
        in->out_of_memory = true;
}

/* The call's value: that of the only return, or a phi of them under the call's id. The call is gone. */
static void give_value(wpg_inliner *in, wpg_inst *where, const wpg_inst *call,
                       const wpg_inline_function *callee)
{
    if (wpg_module_opcode_of(in->module, call->type) == SpvOpTypeVoid)
        return;
    if (!in->values.count) {
        rename_result(in, call, wpg_undef(in->module, call->type));
    } else if (callee->shape == WPG_RETURNS_ONCE) {
        rename_result(in, call, in->values.data[0]);
    } else {
        wpg_vec_clear(&in->words);
        bool ok = wpg_vec_push(&in->words, call->type) && wpg_vec_push(&in->words, call->result);
        for (size_t i = 0; i < in->values.count && ok; i++)
            ok = wpg_vec_push(&in->words, in->values.data[i]);
        if (ok)
            wpg_inst_insert(in->module, where, SpvOpPhi, in->words.data, in->words.count);
        else
            in->out_of_memory = true;
    }
}

/* The caller's line again, after a body that had lines or in a new block. */
static void restore_line(wpg_inliner *in, const wpg_call_site *site, wpg_inst *where, bool new_block,
                         const wpg_inline_function *callee)
{
    bool line = site->line && site->line->opcode == SpvOpLine;
    if (line && (new_block || callee->has_lines))
        wpg_inst_insert(in->module, where, SpvOpLine, site->line->words + 1, site->line->count - 1u);
    else if (!line && !new_block && callee->has_lines)
        wpg_inst_insert(in->module, where, SpvOpNoLine, NULL, 0);
}

/* Is the block of the callee's only return the last that is copied, so that it can go on? */
static bool last_returns(const wpg_inline_function *callee)
{
    const wpg_flow_block *last = &callee->blocks[callee->order[callee->order_count - 1]];
    return last->reachable && is_return(last->terminator);
}

/* What comes before the body when it needs a block of its own: the loop header's merge, the one-trip switch.
 */
static void open_body(wpg_inliner *in, wpg_call_site *site, uint32_t entry, uint32_t post, bool wrap)
{
    wpg_module *module = in->module;
    if (site->loop_merge) {
        uint32_t next = wrap ? fresh(in) : entry;
        wpg_inst_move(module, site->loop_merge, site->call);
        if (site->is_own_continue)
            site->loop_merge->words[2] = post;
        wpg_inst_add(module, site->call, SpvOpBranch, next);
        if (wrap)
            wpg_inst_add(module, site->call, SpvOpLabel, next);
    }
    if (wrap) {
        uint32_t zero = wpg_const_u32(module, 0);
        wpg_inst_add(module, site->call, SpvOpSelectionMerge, post, SpvSelectionControlMaskNone);
        wpg_inst_add(module, site->call, SpvOpSwitch, zero, entry);
    }
}

void wpg_inline_splice(wpg_inliner *in, wpg_call_site *site, const wpg_inline_function *callee)
{
    wpg_inst *call = site->call, *rest = call->next;
    bool one_block = callee->order_count == 1 && callee->shape == WPG_RETURNS_ONCE;
    bool wrap = callee->shape == WPG_RETURNS_EARLY;
    bool join_entry = one_block || (!wrap && !site->loop_merge);
    bool join_exit = one_block || (callee->shape == WPG_RETURNS_ONCE && last_returns(callee) &&
                                   !(site->loop_merge && site->is_own_continue));
    uint32_t post = join_exit ? 0 : fresh(in);
    wpg_vec_clear(&in->values);
    map_results(in, site, callee, join_entry);
    if (in->recorder)
        wpg_record_splice(in->recorder, in, site, callee, join_entry, post);
    const wpg_flow_block *entry = &callee->blocks[0];
    const wpg_flow_block *last = &callee->blocks[callee->order[callee->order_count - 1]];
    if (!join_entry)
        open_body(in, site, wpg_inline_mapped(in, entry->label->result), post, wrap);
    copy_blocks(in, callee, call, join_entry, post);
    uint32_t label = post ? post : wpg_inline_mapped(in, last->label->result);
    unmap_results(in, callee);
    if (post)
        wpg_inst_add(in->module, call, SpvOpLabel, post);
    wpg_inst_remove(in->module, call);
    give_value(in, rest, call, callee);
    if (!one_block)
        repeat_sampled(in, rest, site);
    restore_line(in, site, rest, !one_block, callee);
    if (!one_block) {
        site->label = label;
        site->loop_merge = NULL;
    }
}
