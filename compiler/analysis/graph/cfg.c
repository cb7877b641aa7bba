/* The control-flow graph of one function: blocks, edges, order. dominance.c and constructs.c add the rest.
 * Every walk is a loop over arrays or an explicit stack, because real functions have tens of thousands of
 * blocks. */
#include "compiler/analysis/graph/internal.h"

#include "compiler/spirv/grammar.h"
#include "runtime/base/vec.h"

enum { NO = WPG_NO_BLOCK };

/* The label's slot, or the free one where it would stand. Multiplicative hashing: Knuth, "The Art of Computer
 * Programming", volume 3, 6.4. */
static wpg_label_index *slot_of(const wpg_cfg_private *w, uint32_t label_id)
{
    const uint32_t mask = (UINT32_C(1) << w->label_bits) - 1;
    uint32_t slot = (label_id * UINT32_C(2654435769)) >> (32 - w->label_bits);
    while (w->labels[slot].id && w->labels[slot].id != label_id)
        slot = (slot + 1) & mask;
    return &w->labels[slot];
}

uint32_t wpg_cfg_find(const wpg_cfg *cfg, uint32_t label_id)
{
    const wpg_label_index *slot = slot_of(wpg_cfg_whole(cfg), label_id);
    return slot->id ? slot->index : NO;
}

static bool index_labels(wpg_cfg_private *w)
{
    wpg_cfg *cfg = &w->cfg;
    w->label_bits = 1;
    while (cfg->count >= UINT32_C(1) << (w->label_bits - 1))
        w->label_bits++;
    w->labels = WPG_ARENA_ARRAY(&cfg->arena, wpg_label_index, (size_t)1 << w->label_bits);
    for (uint32_t b = 0; w->labels && b < cfg->count; b++)
        *slot_of(w, cfg->blocks[b].id) = (wpg_label_index){cfg->blocks[b].id, b};
    return w->labels != NULL;
}

bool wpg_ends_segment(const wpg_inst *inst)
{
    switch ((SpvOp)inst->opcode) {
    case SpvOpTraceRayKHR:
    case SpvOpExecuteCallableKHR:
    case SpvOpReportIntersectionKHR:
    case SpvOpTraceNV:
    case SpvOpTraceMotionNV:
    case SpvOpTraceRayMotionNV:
    case SpvOpExecuteCallableNV:
    case SpvOpHitObjectTraceRayNV:
    case SpvOpHitObjectTraceRayMotionNV:
    case SpvOpHitObjectExecuteShaderNV:
    case SpvOpReorderThreadWithHintNV:
    case SpvOpReorderThreadWithHitObjectNV:
        return true;
    default:
        return false;
    }
}

/* What an instruction other than a call may do to the live mask. */
static uint8_t effect_of(const wpg_module *module, const wpg_inst *inst)
{
    switch ((SpvOp)inst->opcode) {
    case SpvOpDemoteToHelperInvocation:
        return WPG_EFFECT_DEMOTE;
    case SpvOpIgnoreIntersectionNV: /* no terminators, unlike their KHR successors */
    case SpvOpTerminateRayNV:
        return WPG_EFFECT_CALL;
    default:
        if (wpg_ends_segment(inst))
            return WPG_EFFECT_SEGMENT;
        /* An instruction this build does not know may do anything. */
        return module->has_unknown && !wpg_opcode_lookup(inst->opcode) ? WPG_EFFECT_CALL : 0;
    }
}

/* Whether a call may take lanes away: some function of the module kills, demotes or ends a wave segment. Not
 * per callee: after normalisation calls are rare, and calls to what kills are the usual reason one was left.
 */
static bool calls_change_masks(const wpg_module *module)
{
    for (const wpg_inst *inst = wpg_first_function(module); inst; inst = inst->next) {
        switch ((SpvOp)inst->opcode) {
        case SpvOpKill:
        case SpvOpTerminateInvocation:
        case SpvOpIgnoreIntersectionKHR:
        case SpvOpTerminateRayKHR:
        case SpvOpEmitMeshTasksEXT:
            return true;
        default:
            if (effect_of(module, inst))
                return true;
        }
    }
    return false;
}

/* The common case, for speed: neither of the block's frame nor of any effect. */
static bool is_plain(const wpg_module *module, const wpg_inst *inst)
{
    return inst->opcode < SpvOpLoopMerge && inst->opcode != SpvOpFunctionCall && !module->has_unknown;
}

/* A block without anything but its label. */
static wpg_block new_block(wpg_inst *label)
{
    return (wpg_block){
        .id = label->result, .label = label, .rpo = NO, .idom = NO, .construct = NO, .loop = NO};
}

typedef struct block_list {
    WPG_VEC(wpg_block) blocks;
    WPG_VEC(uint8_t) effects;
} block_list;

/* One walk: it waits for memory more than it computes. */
static wpg_status list_blocks(block_list *list, const wpg_cfg *cfg, wpg_error *err)
{
    int calls = -1;
    wpg_block *block = NULL;
    wpg_inst *inst = cfg->function;
    for (; wpg_in_function(inst); inst = inst->next) {
        if (is_plain(cfg->module, inst))
            continue;
        if (inst->opcode == SpvOpLabel) {
            if (block && !block->terminator)
                return wpg_fail(err, WPG_E_FORMAT, "block %%%u has no terminator", block->id);
            if (!wpg_vec_push(&list->blocks, new_block(inst)) || !wpg_vec_push(&list->effects, 0))
                return wpg_fail(err, WPG_E_NOMEM, "out of memory");
            block = &list->blocks.data[list->blocks.count - 1];
            continue;
        }
        if (!block || block->terminator)
            continue;
        uint8_t *effects = &list->effects.data[list->effects.count - 1];
        if (wpg_opcode_is_terminator((SpvOp)inst->opcode)) {
            block->terminator = inst;
        } else if (inst->opcode == SpvOpSelectionMerge || inst->opcode == SpvOpLoopMerge) {
            block->merge = inst;
        } else if (inst->opcode == SpvOpFunctionCall) {
            calls = calls < 0 ? calls_change_masks(cfg->module) : calls;
            *effects |= calls ? WPG_EFFECT_CALL : 0;
        } else {
            *effects |= effect_of(cfg->module, inst);
        }
        block->changes_mask = *effects != 0;
    }
    if (!block || !inst)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "function %%%u has no body", cfg->function->result);
    return block->terminator ? WPG_OK : wpg_fail(err, WPG_E_FORMAT, "the last block has no terminator");
}

static wpg_status find_blocks(wpg_cfg_private *w, wpg_error *err)
{
    wpg_cfg *cfg = &w->cfg;
    block_list list = {0};
    wpg_status status = list_blocks(&list, cfg, err);
    if (status == WPG_OK) {
        cfg->count = (uint32_t)list.blocks.count;
        cfg->blocks = wpg_arena_memdup(&cfg->arena, list.blocks.data, cfg->count * sizeof *cfg->blocks);
        w->effects = wpg_arena_memdup(&cfg->arena, list.effects.data, cfg->count);
        if (cfg->arena.failed || !index_labels(w))
            status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    }
    wpg_vec_free(&list.blocks);
    wpg_vec_free(&list.effects);
    return status;
}

/* Words of one literal of an OpSwitch: its selector's width. */
static uint32_t switch_literal_words(const wpg_module *module, const wpg_inst *inst)
{
    const wpg_inst *selector = wpg_module_def(module, inst->words[1]);
    const wpg_inst *type = selector ? wpg_module_def(module, selector->type) : NULL;
    return type && type->opcode == SpvOpTypeInt && type->count > 2 && type->words[2] > 32 ? 2 : 1;
}

/* Word positions of a terminator's targets: the first, the step to the next, and the end. */
typedef struct target_words {
    uint32_t first, step, end;
} target_words;

static bool targets_of(target_words *out, const wpg_module *module, const wpg_inst *inst)
{
    *out = (target_words){0, 1, 0};
    switch ((SpvOp)inst->opcode) {
    case SpvOpBranch:
        *out = (target_words){1, 1, 2};
        break;
    case SpvOpBranchConditional:
        *out = (target_words){2, 1, 4};
        break;
    case SpvOpSwitch:
        /* The default's target is word 2, then come pairs of literal and target. */
        *out = (target_words){2, inst->count > 3 ? switch_literal_words(module, inst) + 1 : 1, inst->count};
        break;
    default:
        break;
    }
    return out->end <= inst->count;
}

bool wpg_cfg_takes_several_values(const wpg_cfg *cfg, uint32_t from, uint32_t to)
{
    const wpg_inst *inst = cfg->blocks[from].terminator;
    target_words at;
    uint32_t values = 0;
    if (inst->opcode != SpvOpSwitch || !targets_of(&at, cfg->module, inst))
        return false;
    for (uint32_t i = at.first; i < at.end; i += at.step)
        if (inst->words[i] == cfg->blocks[to].id)
            values += i == at.first ? 2 : 1; /* the default: all that is no literal */
    return values > 1;
}

static wpg_status find_edges(wpg_cfg_private *w, wpg_error *err)
{
    wpg_cfg *cfg = &w->cfg;
    size_t most = 0;
    for (uint32_t b = 0; b < cfg->count; b++)
        most += cfg->blocks[b].terminator->count;
    w->edges = WPG_ARENA_ARRAY(&cfg->arena, wpg_edge, most);
    uint32_t *seen =
        WPG_ARENA_ARRAY(&cfg->arena, uint32_t, cfg->count); /* 1 + the last block that went there */
    if (cfg->arena.failed)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_inst *terminator = cfg->blocks[b].terminator, *merge = cfg->blocks[b].merge;
        target_words at;
        if (!targets_of(&at, cfg->module, terminator) ||
            (merge && merge->count < (merge->opcode == SpvOpLoopMerge ? 4 : 3)))
            return wpg_fail(err, WPG_E_FORMAT, "block %%%u ends in a cut instruction", cfg->blocks[b].id);
        for (uint32_t i = at.first; i < at.end; i += at.step) {
            uint32_t to = wpg_cfg_find(cfg, terminator->words[i]);
            if (to == NO)
                return wpg_fail(err, WPG_E_FORMAT,
                                "block %%%u branches to %%%u, which is no block of its function",
                                cfg->blocks[b].id, terminator->words[i]);
            if (seen[to] == b + 1)
                continue;
            seen[to] = b + 1;
            w->edges[w->edge_count++] = (wpg_edge){b, to};
        }
    }
    return WPG_OK;
}

/* Reverse post-order by an iterative depth-first search that takes successors in terminator order. */
static bool find_order(wpg_cfg_private *w, const wpg_graph *forward)
{
    wpg_cfg *cfg = &w->cfg;
    uint32_t *order = WPG_ARENA_ARRAY(&cfg->arena, uint32_t, cfg->count);
    uint32_t *next = WPG_ARENA_ARRAY(&cfg->arena, uint32_t, cfg->count);
    uint32_t *stack = WPG_ARENA_ARRAY(&cfg->arena, uint32_t, cfg->count);
    bool *seen = WPG_ARENA_ARRAY(&cfg->arena, bool, cfg->count);
    if (cfg->arena.failed)
        return false;
    uint32_t depth = 0, at = cfg->count;
    for (uint32_t b = 0; b < cfg->count; b++)
        next[b] = forward->at[b];
    stack[depth++] = 0;
    seen[0] = true;
    while (depth) {
        uint32_t b = stack[depth - 1];
        if (next[b] == forward->at[b + 1]) {
            order[--at] = b;
            depth--;
            continue;
        }
        uint32_t to = forward->to[next[b]++];
        if (!seen[to]) {
            seen[to] = true;
            stack[depth++] = to;
        }
    }
    cfg->order = order + at;
    cfg->order_count = cfg->count - at;
    for (uint32_t i = 0; i < cfg->order_count; i++)
        cfg->blocks[cfg->order[i]].rpo = i;
    return true;
}

/* Over the reversed graph, where node `count` is the virtual exit. */
const wpg_dom_tree *wpg_cfg_post_dominance(const wpg_cfg *cfg, wpg_arena *arena)
{
    const wpg_cfg_private *w = wpg_cfg_whole(cfg);
    wpg_dom_tree *post = WPG_ARENA_NEW(arena, wpg_dom_tree);
    wpg_edge *edges = WPG_ARENA_ARRAY(arena, wpg_edge, w->edge_count + cfg->count);
    if (!post || !edges)
        return NULL;
    size_t count = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!cfg->blocks[b].successor_count)
            edges[count++] = (wpg_edge){b, cfg->count};
    }
    for (size_t i = 0; i < w->edge_count; i++)
        edges[count++] = w->edges[i];
    wpg_graph forward, backward;
    return wpg_graph_make(&forward, cfg->count + 1, edges, count, false, arena) &&
                   wpg_graph_make(&backward, cfg->count + 1, edges, count, true, arena) &&
                   wpg_dominators(post, &backward, &forward, cfg->count, arena)
               ? post
               : NULL;
}

static wpg_status build(wpg_cfg_private *w, wpg_error *err)
{
    wpg_cfg *cfg = &w->cfg;
    WPG_TRY(find_blocks(w, err));
    WPG_TRY(find_edges(w, err));
    wpg_graph forward, backward;
    if (!wpg_graph_make(&forward, cfg->count, w->edges, w->edge_count, false, &cfg->arena) ||
        !wpg_graph_make(&backward, cfg->count, w->edges, w->edge_count, true, &cfg->arena) ||
        !find_order(w, &forward) || !wpg_dominators(&w->dom, &forward, &backward, 0, &cfg->arena))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; b < cfg->count; b++) {
        wpg_block *block = &cfg->blocks[b];
        block->successors = forward.to + forward.at[b];
        block->successor_count = forward.at[b + 1] - forward.at[b];
        block->predecessors = backward.to + backward.at[b];
        block->predecessor_count = backward.at[b + 1] - backward.at[b];
        block->idom = w->dom.idom[b];
    }
    return wpg_cfg_find_constructs(w, err);
}

wpg_status wpg_cfg_create(wpg_cfg **out, const wpg_module *module, wpg_inst *function, wpg_error *err)
{
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_cfg_private *w = WPG_ARENA_NEW(&arena, wpg_cfg_private);
    if (!w)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    /* The cfg lives in the arena it holds: the arena moves in here, and out again in wpg_cfg_destroy. */
    w->cfg.arena = arena;
    w->cfg.module = module;
    w->cfg.function = function;
    wpg_status status = build(w, err);
    if (status != WPG_OK) {
        wpg_cfg_destroy(&w->cfg);
        return status;
    }
    *out = &w->cfg;
    return WPG_OK;
}

void wpg_cfg_destroy(wpg_cfg *cfg)
{
    if (!cfg)
        return;
    wpg_arena arena = cfg->arena;
    wpg_arena_finish(&arena);
}

bool wpg_cfg_dominates(const wpg_cfg *cfg, uint32_t a, uint32_t b)
{
    return wpg_dom_tree_dominates(&wpg_cfg_whole(cfg)->dom, a, b);
}

const uint32_t *wpg_cfg_dominated(uint32_t *count, const wpg_cfg *cfg, uint32_t block)
{
    const wpg_dom_tree *tree = &wpg_cfg_whole(cfg)->dom;
    const bool reached = wpg_dom_tree_has(tree, block);
    *count = reached ? tree->size[block] : 0;
    return tree->by_first + (reached ? tree->first[block] : 0);
}

bool wpg_post_dominates(const wpg_dom_tree *post, uint32_t a, uint32_t b)
{
    return wpg_dom_tree_dominates(post, a, b);
}

bool wpg_cfg_comes_only_from(const wpg_cfg *cfg, uint32_t from, uint32_t to)
{
    const wpg_block *block = &cfg->blocks[to];
    for (uint32_t i = 0; i < block->predecessor_count; i++)
        if (block->predecessors[i] != from && cfg->blocks[block->predecessors[i]].rpo != WPG_NO_BLOCK)
            return false;
    return true;
}

bool wpg_construct_holds(const wpg_cfg *cfg, uint32_t construct, uint32_t block)
{
    const wpg_dom_tree *tree = &wpg_cfg_whole(cfg)->structural;
    const wpg_construct *c = &cfg->constructs[construct];
    return wpg_dom_tree_dominates(tree, c->header, block) && !wpg_dom_tree_dominates(tree, c->merge, block);
}
