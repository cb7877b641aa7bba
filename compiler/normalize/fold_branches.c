/* Pass: folds branches on constants, removes unreachable blocks, puts blocks into canonical order.
 *
 * Folded are conditions that are constant expressions (evaluate.h), to a fixpoint. The structured rules
 * (SPIR-V 1.6, 2.11.2) decide what happens to a header:
 *   - OpLoopMerge stays, its branch becomes unconditional. A loop always keeps exactly one back edge. A latch
 *     that would lose the back edge stays conditional. An unreachable continue target becomes
 *     { label; branch to header }.
 *   - OpSelectionMerge goes if no branch from inside leads to its merge block, or a single plain one that
 *     is not nested: then nothing needs the construct. Otherwise a switch keeps its merge and one target,
 *     because its breaks may be nested in ifs. An if is left as it is.
 *   - An unreachable merge block of a remaining header becomes { label; OpUnreachable }.
 *
 * Straight-line blocks are not merged: a merge would have to respect every role a block can have. Block order
 * of the output: structured reverse post-order (flow.c).
 *
 * Needs: a parsed module. Keeps: ids of what stays. Source: SPIR-V 1.6, 2.11. */
#include "compiler/normalize/evaluate.h"
#include "runtime/base/vec.h"

#include <stdlib.h>
#include <string.h>

struct wpg_folder {
    wpg_module *module;
    wpg_flow flow;
    wpg_marks gone;
    wpg_evaluator known;
    uint32_t folded, removed;
    uint32_t *only;          /* by block: the only label it goes to, 0 if several or none */
    bool *veto, *dissolves;  /* by block: must stay as it is; loses its OpSelectionMerge */
    bool is_reached;         /* the flow's reachability is that of all branches as they stand */
    WPG_VEC(uint32_t) words; /* scratch operands */
    bool out_of_memory;
};
typedef struct wpg_folder folder;

/* -- Branches ------------------------------------------------------------------------------------------ */

/* The only label a terminator can go to, 0 if there are several. */
static uint32_t single_target(folder *f, const wpg_inst *terminator)
{
    wpg_targets t = wpg_targets_of(f->module, terminator);
    uint32_t target = t.words[t.at], width;
    uint64_t bits;
    for (uint32_t at = t.at; at < t.end; at += t.step)
        if (t.words[at] != target)
            target = 0;
    if (target || !wpg_evaluate(&f->known, terminator->words[1], &bits, &width))
        return target;
    if (terminator->opcode == SpvOpBranchConditional)
        return terminator->words[bits ? 2 : 3];
    uint64_t mask = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
    target = terminator->words[2];
    for (uint32_t at = t.at + t.step; at < t.end; at += t.step) {
        uint64_t literal = t.words[at - t.step + 1];
        if (t.step == 3)
            literal |= (uint64_t)t.words[at - 1] << 32;
        if ((literal & mask) == bits)
            return t.words[at];
    }
    return target;
}

/* Would `block` lose a back edge if it went to `target` only? */
static bool loses_back_edge(const folder *f, const wpg_flow_block *block, uint32_t target)
{
    wpg_targets t = wpg_targets_of(f->module, block->terminator);
    for (uint32_t at = t.at; at < t.end; at += t.step) {
        const wpg_flow_block *to = &f->flow.blocks[wpg_flow_find(&f->flow, t.words[at])];
        if (t.words[at] != target && to->merge && to->merge->opcode == SpvOpLoopMerge &&
            to->rank <= block->rank)
            return true;
    }
    return false;
}

/* The block that follows `block` at the same nesting: its merge, or where it branches to, looking past
 * conditional exits; WPG_NONE if control does not go on. */
static uint32_t next_on_spine(const wpg_flow *flow, const wpg_flow_block *block)
{
    if (block->merge)
        return wpg_flow_find(flow, block->merge->words[1]);
    wpg_targets t = wpg_targets_of(flow->module, block->terminator);
    uint32_t next = WPG_NONE;
    for (uint32_t at = t.at; at < t.end; at += t.step) {
        uint32_t to = wpg_flow_find(flow, t.words[at]);
        if (t.end - t.at > t.step && flow->blocks[to].is_exit)
            continue;
        if (next != WPG_NONE && next != to)
            return WPG_NONE;
        next = to;
    }
    return next;
}

/* May a header whose only way on is `target` lose its OpSelectionMerge? See the top of the file. The flow's
 * reachability takes the branch as folded. */
static bool may_dissolve(const wpg_flow *flow, const wpg_flow_block *header, uint32_t target)
{
    uint32_t merge = wpg_flow_find(flow, header->merge->words[1]), at = wpg_flow_find(flow, target);
    uint32_t inner = flow->blocks[merge].preds - (at == merge);
    if (!inner)
        return true;
    bool inside = false; /* `at` is the merge block of a construct on the way: an exit of that, not of ours */
    for (uint32_t steps = 0; inner == 1 && steps < flow->count; steps++) {
        const wpg_flow_block *block = &flow->blocks[at];
        if (!block->reachable || (block->is_exit && !inside))
            return false;
        uint32_t next = next_on_spine(flow, block);
        if (next == merge)
            return !block->merge && block->terminator->opcode == SpvOpBranch;
        if (next == WPG_NONE)
            return false;
        inside = block->merge != NULL;
        at = next;
    }
    return false;
}

/* Marks the branches of reachable blocks that have one way on; true if there is a new one. */
static bool mark_single(folder *f)
{
    bool any = false;
    for (uint32_t i = 0; i < f->flow.order_count; i++) {
        uint32_t b = f->flow.order[i];
        wpg_flow_block *block = &f->flow.blocks[b];
        SpvOp opcode = (SpvOp)block->terminator->opcode;
        if (!block->reachable || f->only[b] || f->veto[b] ||
            (opcode != SpvOpBranchConditional && opcode != SpvOpSwitch))
            continue;
        uint32_t target = single_target(f, block->terminator);
        if (!target || loses_back_edge(f, block, target))
            continue;
        f->only[b] = target;
        any = true;
    }
    wpg_evaluator_forget(&f->known);
    return any;
}

/* Which branches fold: to a fixpoint of what is reachable and what is constant then. An if that must keep its
 * construct is left alone, and all is asked again without it. */
static void plan(folder *f)
{
    for (bool vetoed = true; vetoed;) {
        memset(f->only, 0, f->flow.count * sizeof *f->only);
        if (!f->is_reached)
            wpg_flow_reach(&f->flow);
        f->is_reached = true;
        while (mark_single(f)) {
            f->is_reached = false;
            wpg_flow_reach(&f->flow);
        }
        vetoed = false;
        for (uint32_t b = 0; b < f->flow.count; b++) {
            const wpg_flow_block *block = &f->flow.blocks[b];
            if (!f->only[b] || !block->merge || block->merge->opcode != SpvOpSelectionMerge)
                continue;
            f->dissolves[b] = may_dissolve(&f->flow, block, f->only[b]);
            if (f->dissolves[b] || block->terminator->opcode == SpvOpSwitch)
                continue;
            f->veto[b] = true;
            vetoed = true;
        }
    }
}

static bool fold_block(folder *f, uint32_t b)
{
    wpg_flow_block *block = &f->flow.blocks[b];
    wpg_inst *term = block->terminator;
    uint32_t target = f->only[b];
    if (!target)
        return false;
    if (block->merge && block->merge->opcode == SpvOpSelectionMerge && !f->dissolves[b]) {
        if (term->count <= 3) /* a switch of one target already */
            return false;
        wpg_inst_set_operands(f->module, term, (const uint32_t[]){term->words[1], target}, 2);
        return true;
    }
    if (block->merge && block->merge->opcode == SpvOpSelectionMerge) {
        wpg_remove_inst(f->module, block->merge, &f->gone);
        block->merge = NULL;
    }
    wpg_inst_rewrite(f->module, term, SpvOpBranch, &target, 1);
    return true;
}

/* Is there a branch with a condition? */
static bool may_fold(const wpg_flow *flow)
{
    for (uint32_t b = 0; b < flow->count; b++)
        if (flow->blocks[b].terminator->opcode == SpvOpBranchConditional ||
            flow->blocks[b].terminator->opcode == SpvOpSwitch)
            return true;
    return false;
}

static wpg_status fold_to_fixpoint(folder *f, const wpg_fold_job *job, wpg_error *err)
{
    uint32_t count = f->flow.count;
    if (!may_fold(&f->flow))
        return WPG_OK;
    WPG_TRY(wpg_evaluator_begin(&f->known, job, err));
    f->only = calloc(count, sizeof *f->only);
    f->veto = calloc(count, sizeof *f->veto);
    f->dissolves = calloc(count, sizeof *f->dissolves);
    bool ok = f->only && f->veto && f->dissolves;
    for (bool changed = ok; changed;) {
        f->flow.only = f->only;
        memset(f->veto, 0, count * sizeof *f->veto);
        plan(f);
        changed = false;
        for (uint32_t b = 0; b < count; b++)
            if (fold_block(f, b)) {
                f->folded++;
                changed = true;
            }
    }
    f->flow.only = NULL;
    free(f->only);
    free(f->veto);
    free(f->dissolves);
    return ok && !f->out_of_memory && !f->known.out_of_memory
               ? WPG_OK
               : wpg_fail(err, WPG_E_NOMEM, "out of memory for %u blocks", count);
}

/* -- Unreachable blocks -------------------------------------------------------------------------------- */

enum { ROLE_NONE, ROLE_MERGE, ROLE_CONTINUE };

/* Marks what control would reach from the block. */
static void reach_from(wpg_flow *flow, uint32_t block)
{
    uint32_t depth = 1;
    flow->stack[0] = block;
    flow->blocks[block].reachable = true;
    while (depth) {
        wpg_targets t = wpg_targets_of(flow->module, flow->blocks[flow->stack[--depth]].terminator);
        for (uint32_t at = t.at; at < t.end; at += t.step) {
            uint32_t to = wpg_flow_find(flow, t.words[at]);
            if (flow->blocks[to].reachable)
                continue;
            flow->blocks[to].reachable = true;
            flow->stack[depth++] = to;
        }
    }
}

/* From every merge block in a continue construct the structure has to lead on to the back edge, also where an
 * endless loop stands before it: there OpUnreachable would be as wrong as OpKill. Blocks in order: outer
 * headers come before what is in their constructs. True: there is such a way. */
static bool keep_ways_to_back_edges(wpg_flow *flow)
{
    bool any = false;
    for (uint32_t i = 0; i < flow->order_count; i++) {
        const wpg_flow_block *header = &flow->blocks[flow->order[i]];
        uint32_t merge = header->merge ? wpg_flow_find(flow, header->merge->words[1]) : WPG_NONE;
        if (header->reachable && header->in_continue && merge != WPG_NONE && !flow->blocks[merge].reachable) {
            reach_from(flow, merge);
            any = true;
        }
    }
    return any;
}

static void empty_block(folder *f, wpg_flow_block *block)
{
    for (wpg_inst *inst = block->label->next, *next; inst != block->terminator; inst = next) {
        next = inst->next;
        wpg_remove_inst(f->module, inst, &f->gone);
    }
    block->merge = NULL;
}

/* Empties what is kept for its role, in the parent array: role and header. */
static void reduce_roles(folder *f, uint8_t *roles)
{
    wpg_flow *flow = &f->flow;
    memset(roles, ROLE_NONE, flow->count);
    for (uint32_t i = 0; i < flow->count; i++) {
        wpg_flow_block *header = &flow->blocks[i];
        if (!header->reachable || !header->merge)
            continue;
        uint32_t merge = wpg_flow_find(flow, header->merge->words[1]);
        if (!flow->blocks[merge].reachable && roles[merge] == ROLE_NONE)
            roles[merge] = ROLE_MERGE;
        if (header->merge->opcode != SpvOpLoopMerge)
            continue;
        uint32_t target = wpg_flow_find(flow, header->merge->words[2]);
        if (!flow->blocks[target].reachable) {
            roles[target] = ROLE_CONTINUE;
            flow->parent[target] = i;
        }
    }
    for (uint32_t i = 0; i < flow->count; i++) {
        wpg_flow_block *block = &flow->blocks[i];
        if (roles[i] == ROLE_NONE)
            continue;
        empty_block(f, block);
        if (roles[i] == ROLE_MERGE)
            wpg_inst_rewrite(f->module, block->terminator, SpvOpUnreachable, NULL, 0);
        else
            wpg_inst_rewrite(f->module, block->terminator, SpvOpBranch,
                             &flow->blocks[flow->parent[i]].label->result, 1);
    }
}

static wpg_inst *range_end(const wpg_flow *flow, uint32_t block)
{
    return block + 1 < flow->count ? flow->blocks[block + 1].label : flow->end;
}

/* Fills f->words with the phi's operands after unreachable parents went; true if they differ. */
static bool new_phi(folder *f, const wpg_inst *phi, const wpg_flow_block *latch, const uint8_t *roles)
{
    bool changed = false, has_latch = false;
    wpg_vec_clear(&f->words);
    if (!wpg_vec_reserve(&f->words, phi->count + 2u)) {
        f->out_of_memory = true;
        return false;
    }
    memcpy(f->words.data, phi->words + 1, 2 * sizeof *f->words.data);
    f->words.count = 2;
    for (uint32_t i = 3; i + 1 < phi->count; i += 2) {
        uint32_t value = phi->words[i], parent = wpg_flow_find(&f->flow, phi->words[i + 1]);
        bool lives = parent < f->flow.count && (f->flow.blocks[parent].reachable || roles[parent]);
        const wpg_flow_block *from = lives ? &f->flow.blocks[parent] : NULL;
        wpg_targets t = {0};
        if (from)
            t = wpg_targets_of(f->module, from->terminator);
        bool edge = false;
        for (uint32_t at = t.at; at < t.end; at += t.step)
            edge |= f->flow.blocks[wpg_flow_find(&f->flow, t.words[at])].label == latch->label;
        if (!edge) {
            changed = true;
            continue;
        }
        if (roles[parent] && wpg_module_opcode_of(f->module, value) != SpvOpUndef) {
            value = wpg_undef(f->module, phi->type);
            changed = true;
        }
        has_latch |= roles[parent] != ROLE_NONE;
        f->words.data[f->words.count++] = value;
        f->words.data[f->words.count++] = phi->words[i + 1];
    }
    uint32_t target = latch->merge && latch->merge->opcode == SpvOpLoopMerge
                          ? wpg_flow_find(&f->flow, latch->merge->words[2])
                          : WPG_NONE;
    if (target != WPG_NONE && roles[target] == ROLE_CONTINUE && !has_latch) {
        f->words.data[f->words.count++] = wpg_undef(f->module, phi->type);
        f->words.data[f->words.count++] = f->flow.blocks[target].label->result;
        changed = true;
    }
    return changed;
}

static void fix_phis(folder *f, const uint8_t *roles)
{
    for (uint32_t i = 0; i < f->flow.count; i++) {
        wpg_flow_block *block = &f->flow.blocks[i];
        if (!block->reachable)
            continue;
        for (wpg_inst *phi = wpg_next_phi(block->label->next); phi; phi = wpg_next_phi(phi->next))
            if (new_phi(f, phi, block, roles))
                wpg_inst_set_operands(f->module, phi, f->words.data, f->words.count);
    }
}

static void remove_unreachable(folder *f, uint8_t *roles)
{
    f->is_reached = !keep_ways_to_back_edges(&f->flow);
    reduce_roles(f, roles);
    fix_phis(f, roles);
    for (uint32_t i = 0; i < f->flow.count; i++) {
        if (f->flow.blocks[i].reachable || roles[i] != ROLE_NONE)
            continue;
        wpg_remove_range(f->module, f->flow.blocks[i].label, range_end(&f->flow, i), &f->gone);
        f->removed++;
    }
}

/* -- Order --------------------------------------------------------------------------------------------- */

/* True: the blocks stood in another order. */
static bool reorder(folder *f)
{
    bool in_order = f->flow.order_count == f->flow.count;
    for (uint32_t i = 0; i < f->flow.order_count && in_order; i++)
        in_order = f->flow.order[i] == i;
    if (in_order)
        return false;
    /* A line after a terminator belongs to no instruction. */
    for (uint32_t i = 0; i < f->flow.count; i++)
        wpg_remove_range(f->module, f->flow.blocks[i].terminator->next, range_end(&f->flow, i), &f->gone);
    for (uint32_t i = 0; i < f->flow.order_count; i++) {
        const wpg_flow_block *block = &f->flow.blocks[f->flow.order[i]];
        for (wpg_inst *inst = block->label, *next;; inst = next) {
            next = inst->next;
            wpg_inst_move(f->module, inst, f->flow.end);
            if (inst == block->terminator)
                break;
        }
    }
    return true;
}

/* The flow after blocks went. */
static wpg_status update_flow(folder *f, const uint8_t *roles, wpg_error *err)
{
    if (f->flow.two_merges)
        return wpg_flow_read(&f->flow, f->flow.function, err);
    bool *kept = malloc(f->flow.count * sizeof *kept);
    if (!kept)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for %u blocks", f->flow.count);
    for (uint32_t i = 0; i < f->flow.count; i++)
        kept[i] = f->flow.blocks[i].reachable || roles[i] != ROLE_NONE;
    const wpg_status status = wpg_flow_keep(&f->flow, kept, err);
    free(kept);
    return status;
}

static wpg_status fold_blocks(folder *f, const wpg_fold_job *job, wpg_error *err)
{
    const uint32_t edits = f->module->edits;
    f->is_reached = true;
    WPG_TRY(fold_to_fixpoint(f, job, err));
    uint8_t *roles = malloc(f->flow.count);
    if (!roles)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for %u blocks", f->flow.count);
    if (!f->is_reached)
        wpg_flow_reach(&f->flow);
    remove_unreachable(f, roles);
    wpg_status status = WPG_OK;
    if (f->module->edits != edits)
        status = update_flow(f, roles, err);
    else if (!f->is_reached)
        wpg_flow_reach(&f->flow); /* without the ways to back edges */
    free(roles);
    if (status || !reorder(f))
        return status;
    if (f->flow.order_count != f->flow.count)
        return wpg_flow_read(&f->flow, job->function, err);
    return wpg_flow_arrange(&f->flow) ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory for blocks");
}

wpg_status wpg_folder_run(folder *f, wpg_fold_job *job, wpg_error *err)
{
    const uint32_t edits = f->module->edits, code = f->gone.code;
    if (job->blocks)
        WPG_TRY(wpg_flow_take(&f->flow, job->function, job->end, job->blocks, job->block_count, err));
    else
        WPG_TRY(wpg_flow_read(&f->flow, job->function, err));
    job->end = f->flow.end;
    job->flow = &f->flow;
    if (f->flow.count)
        WPG_TRY(fold_blocks(f, job, err));
    job->changed = f->module->edits != edits;
    job->removed = f->gone.code - code;
    return WPG_OK;
}

wpg_status wpg_folder_create(wpg_folder **folder_out, wpg_module *module, wpg_error *err)
{
    folder *f = calloc(1, sizeof *f);
    if (!f)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for folding");
    f->module = module;
    wpg_evaluator_init(&f->known, module, &f->flow);
    const wpg_status status = wpg_flow_init(&f->flow, module, err);
    if (status)
        free(f);
    else
        *folder_out = f;
    return status;
}

wpg_status wpg_folder_begin(wpg_folder *f, wpg_error *err)
{
    f->folded = f->removed = 0;
    wpg_marks_finish(&f->gone);
    return wpg_marks_init(&f->gone, f->module, err);
}

wpg_status wpg_folder_end(wpg_folder *f, wpg_normal_info *info, wpg_error *err)
{
    if (info) {
        info->branches_folded += f->folded;
        info->blocks_removed += f->removed;
    }
    return wpg_remove_annotations(f->module, &f->gone, err);
}

void wpg_folder_destroy(wpg_folder *f)
{
    if (!f)
        return;
    wpg_marks_finish(&f->gone);
    wpg_flow_finish(&f->flow);
    wpg_vec_free(&f->words);
    wpg_evaluator_finish(&f->known);
    free(f);
}

wpg_status wpg_fold_branches(wpg_module *module, wpg_normal_info *info, wpg_error *err)
{
    folder *f = NULL;
    wpg_status status = wpg_folder_create(&f, module, err);
    if (!status)
        status = wpg_folder_begin(f, err);
    wpg_fold_job job;
    for (wpg_inst *at = wpg_first_function(module); at && !status; at = wpg_next_function(job.end)) {
        job = (wpg_fold_job){.function = at};
        status = wpg_folder_run(f, &job, err);
    }
    if (!status)
        status = wpg_folder_end(f, info, err);
    wpg_folder_destroy(f);
    return status;
}
