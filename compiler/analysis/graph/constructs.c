/* Structured constructs of a function (SPIR-V 1.6, 2.11).
 *
 * A construct is the set of blocks that its header dominates and its merge block does not. Dominance here is
 * structural dominance: the graph gets an extra edge from every header to its merge block and to its continue
 * target. So a continue target that no branch reaches still has its place.
 *
 * In a well-structured function the immediate structural dominator of a merge block is its header. So one
 * walk down the structural dominator tree suffices: the innermost construct of a block follows from its
 * parent's. */
#include "compiler/analysis/graph/internal.h"

enum { NO = WPG_NO_BLOCK };

static wpg_status broken(wpg_error *err, const wpg_cfg *cfg, uint32_t block, const char *what)
{
    return wpg_fail(err, WPG_E_UNSUPPORTED, "block %%%u %s", cfg->blocks[block].id, what);
}

static wpg_status structural_dominance(wpg_cfg_private *w, wpg_error *err)
{
    wpg_cfg *cfg = &w->cfg;
    wpg_edge *edges = WPG_ARENA_ARRAY(&cfg->arena, wpg_edge, w->edge_count + 2 * (size_t)cfg->count);
    if (!edges)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    size_t count = 0;
    for (size_t i = 0; i < w->edge_count; i++)
        edges[count++] = w->edges[i];
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_inst *merge = cfg->blocks[b].merge;
        for (unsigned i = 1; merge && i <= (merge->opcode == SpvOpLoopMerge ? 2u : 1u); i++) {
            uint32_t to = wpg_cfg_find(cfg, merge->words[i]);
            if (to == NO)
                return wpg_fail(err, WPG_E_FORMAT, "merge or continue target %%%u is no block",
                                merge->words[i]);
            edges[count++] = (wpg_edge){b, to};
        }
    }
    wpg_graph forward, backward;
    if (!wpg_graph_make(&forward, cfg->count, edges, count, false, &cfg->arena) ||
        !wpg_graph_make(&backward, cfg->count, edges, count, true, &cfg->arena) ||
        !wpg_dominators(&w->structural, &forward, &backward, 0, &cfg->arena))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    return WPG_OK;
}

static bool reachable(const wpg_cfg *cfg, uint32_t block)
{
    return cfg->blocks[block].rpo != NO;
}

/* A new construct headed by block b, inside `parent`. */
static wpg_status open_construct(wpg_cfg_private *w, uint32_t b, uint32_t parent, wpg_error *err)
{
    wpg_cfg *cfg = &w->cfg;
    const wpg_block *block = &cfg->blocks[b];
    bool loop = block->merge->opcode == SpvOpLoopMerge;
    uint32_t index = cfg->construct_count, merge = wpg_cfg_find(cfg, block->merge->words[1]);
    uint32_t target = loop ? wpg_cfg_find(cfg, block->merge->words[2]) : NO;
    if (merge == b || w->structural.idom[merge] != b || cfg->blocks[merge].merges != NO) {
        if (!reachable(cfg, b))
            return WPG_OK;
        return broken(err, cfg, b, "has a merge block that is not its own");
    }
    if (loop &&
        (!wpg_dom_tree_dominates(&w->structural, b, target) ||
         wpg_dom_tree_dominates(&w->structural, merge, target) || cfg->blocks[target].continues != NO)) {
        if (!reachable(cfg, b))
            return WPG_OK;
        return broken(err, cfg, b, "has a continue target outside its loop");
    }
    cfg->constructs[index] = (wpg_construct){
        .kind = loop                                       ? WPG_CONSTRUCT_LOOP
                : block->terminator->opcode == SpvOpSwitch ? WPG_CONSTRUCT_SWITCH
                                                           : WPG_CONSTRUCT_SELECTION,
        .header = b,
        .merge = merge,
        .continue_target = target,
        .back_edge = NO,
        .parent = parent,
    };
    cfg->blocks[b].heads = cfg->blocks[merge].merges = index;
    if (loop)
        cfg->blocks[target].continues = index;
    cfg->construct_count++;
    return WPG_OK;
}

static wpg_status nest(wpg_cfg_private *w, uint32_t *loop_of, wpg_error *err)
{
    wpg_cfg *cfg = &w->cfg;
    for (uint32_t i = 0; i < w->structural.reached; i++) {
        uint32_t b = w->structural.preorder[i], above = w->structural.idom[b];
        uint32_t outer = cfg->blocks[b].merges != NO ? cfg->constructs[cfg->blocks[b].merges].parent
                         : above != NO               ? cfg->blocks[above].construct
                                                     : NO;
        wpg_block *block = &cfg->blocks[b];
        block->construct = outer;
        if (block->merge) {
            WPG_TRY(open_construct(w, b, outer, err));
            if (cfg->blocks[b].heads != NO) {
                uint32_t own = cfg->blocks[b].heads;
                block->construct = own;
                loop_of[own] = cfg->constructs[own].kind == WPG_CONSTRUCT_LOOP ? own
                               : outer != NO                                   ? loop_of[outer]
                                                                               : NO;
            }
        }
        block->loop = block->construct != NO ? loop_of[block->construct] : NO;
    }
    return WPG_OK;
}

/* What one edge does, seen from the constructs around its origin. */
typedef struct crossing {
    bool exits;      /* to a merge block or continue target of a construct around it, or a back edge */
    uint32_t around; /* constructs deeper than this one are left early; NO = every one */
} crossing;

static wpg_status cross(crossing *out, wpg_cfg_private *w, uint32_t from, uint32_t to, wpg_error *err)
{
    wpg_cfg *cfg = &w->cfg;
    uint32_t merged = cfg->blocks[to].merges, continued = cfg->blocks[to].continues,
             headed = cfg->blocks[to].heads;
    *out = (crossing){0};
    if (merged != NO && wpg_construct_holds(cfg, merged, from)) {
        *out = (crossing){true, merged};
        return WPG_OK;
    }
    bool back = cfg->blocks[to].rpo <= cfg->blocks[from].rpo;
    if (back) {
        if (headed == NO || cfg->constructs[headed].kind != WPG_CONSTRUCT_LOOP ||
            !wpg_construct_holds(cfg, headed, from))
            return broken(err, cfg, from, "branches backwards to no loop header");
        wpg_construct *loop = &cfg->constructs[headed];
        if (loop->back_edge != NO)
            return broken(err, cfg, to, "has more than one back edge");
        loop->back_edge = from;
        *out = (crossing){true, headed};
        return WPG_OK;
    }
    if (headed != NO && !wpg_construct_holds(cfg, headed, from))
        out->around = cfg->constructs[headed].parent;
    else
        out->around = cfg->blocks[to].construct;
    if (out->around != NO && !wpg_construct_holds(cfg, out->around, from))
        return broken(err, cfg, from, "branches into a construct other than by its header");
    out->exits = continued != NO && wpg_construct_holds(cfg, continued, from);
    return WPG_OK;
}

/* The lowest nesting depth that control goes to from each construct's own blocks, returns counting as 0. A
 * construct is left early if something inside it goes to a depth lower than its own other than by its merge
 * block, which `cross` counts as the construct's own depth. */
static wpg_status find_exits(wpg_cfg_private *w, const uint32_t *depth, uint32_t *lowest, wpg_error *err)
{
    wpg_cfg *cfg = &w->cfg;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        uint32_t b = cfg->order[i], inside = 0;
        const wpg_block *block = &cfg->blocks[b];
        uint32_t floor = block->successor_count ? UINT32_MAX : 0;
        for (uint32_t s = 0; s < block->successor_count; s++) {
            crossing edge;
            WPG_TRY(cross(&edge, w, b, block->successors[s], err));
            uint32_t to = edge.around == NO ? 0 : depth[edge.around];
            floor = to < floor ? to : floor;
            inside += !edge.exits;
        }
        /* Lanes that part here would meet nowhere: structured rules ask for a selection merge. */
        if (inside > 1 && (!block->merge || block->merge->opcode != SpvOpSelectionMerge))
            return broken(err, cfg, b, "branches two ways without a selection merge");
        if (block->construct != NO && floor < lowest[block->construct])
            lowest[block->construct] = floor;
    }
    return WPG_OK;
}

wpg_status wpg_cfg_find_constructs(wpg_cfg_private *w, wpg_error *err)
{
    wpg_cfg *cfg = &w->cfg;
    wpg_arena *arena = &cfg->arena;
    WPG_TRY(structural_dominance(w, err));
    uint32_t headers = 0;
    for (uint32_t b = 0; b < cfg->count; b++)
        headers += cfg->blocks[b].merge != NULL;
    cfg->constructs = WPG_ARENA_ARRAY(arena, wpg_construct, headers);
    uint32_t *loop_of = WPG_ARENA_ARRAY(arena, uint32_t, headers);
    uint32_t *depth = WPG_ARENA_ARRAY(arena, uint32_t, headers);
    uint32_t *lowest = WPG_ARENA_ARRAY(arena, uint32_t, headers);
    if (arena->failed)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; b < cfg->count; b++)
        cfg->blocks[b].heads = cfg->blocks[b].merges = cfg->blocks[b].continues = NO;
    WPG_TRY(nest(w, loop_of, err));
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        uint32_t parent = cfg->constructs[c].parent;
        depth[c] = parent == NO ? 1 : depth[parent] + 1;
        lowest[c] = UINT32_MAX;
    }
    WPG_TRY(find_exits(w, depth, lowest, err));
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const wpg_block *block = &cfg->blocks[cfg->order[i]];
        if (block->construct == NO)
            continue;
        wpg_construct *c = &cfg->constructs[block->construct];
        uint8_t effects = w->effects[cfg->order[i]];
        c->changes_mask |= effects != 0;
        c->has_demote |= (effects & WPG_EFFECT_DEMOTE) != 0;
        /* What a call may kill leaves every construct around it. */
        if (effects & WPG_EFFECT_CALL)
            lowest[block->construct] = 0;
    }
    for (uint32_t i = cfg->construct_count; i-- > 0;) {
        wpg_construct *c = &cfg->constructs[i];
        c->leaves_early = lowest[i] < depth[i];
        if (c->parent == NO)
            continue;
        wpg_construct *parent = &cfg->constructs[c->parent];
        parent->changes_mask |= c->changes_mask;
        parent->has_demote |= c->has_demote;
        if (lowest[i] < lowest[c->parent])
            lowest[c->parent] = lowest[i];
    }
    return WPG_OK;
}
