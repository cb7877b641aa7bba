/* Declarations shared by the files of compiler/analysis alone: the whole of a wpg_cfg, graphs as arrays,
 * dominator trees. Everything lives in the cfg's arena. */
#ifndef WPG_COMPILER_ANALYSIS_INTERNAL_H
#define WPG_COMPILER_ANALYSIS_INTERNAL_H

#include "compiler/analysis/graph/cfg.h"

/* A directed graph in compressed rows: the successors of node v are to[at[v]] .. to[at[v + 1] - 1]. */
typedef struct wpg_graph {
    uint32_t count;
    uint32_t *at; /* [count + 1] */
    uint32_t *to; /* [at[count]] */
} wpg_graph;

/* Edges as pairs, turned into rows by wpg_graph_make; `reversed` swaps them. Order of the pairs is kept
 * within each row. False when memory ran out. */
typedef struct wpg_edge {
    uint32_t from, to;
} wpg_edge;
bool wpg_graph_make(wpg_graph *graph, uint32_t count, const wpg_edge *edges, size_t edge_count, bool reversed,
                    wpg_arena *arena);

/* Dominator tree. Nodes the root does not reach have idom WPG_NO_BLOCK and first WPG_NO_BLOCK. `first` and
 * `size` number the tree in preorder: a dominates b exactly if first[a] <= first[b] < first[a] + size[a]. */
typedef struct wpg_dom_tree {
    uint32_t *idom, *first, *size; /* [count] */
    uint32_t *by_first;            /* [reached]: reached nodes in the order of `first` */
    uint32_t *preorder;            /* [reached]: reached nodes in depth-first order, dominators first */
    uint32_t reached;
} wpg_dom_tree;
bool wpg_dominators(wpg_dom_tree *tree, const wpg_graph *successors, const wpg_graph *predecessors,
                    uint32_t root, wpg_arena *arena);

static inline bool wpg_dom_tree_has(const wpg_dom_tree *tree, uint32_t node)
{
    return tree->first[node] != WPG_NO_BLOCK;
}

static inline bool wpg_dom_tree_dominates(const wpg_dom_tree *tree, uint32_t a, uint32_t b)
{
    return a == b || (wpg_dom_tree_has(tree, a) && wpg_dom_tree_has(tree, b) &&
                      tree->first[b] - tree->first[a] < tree->size[a]);
}

/* What the instructions of a block may do to the live mask. */
enum { WPG_EFFECT_DEMOTE = 1, WPG_EFFECT_CALL = 2, WPG_EFFECT_SEGMENT = 4 };

/* A slot of the hash table of labels. */
typedef struct wpg_label_index {
    uint32_t id, index; /* id 0: free */
} wpg_label_index;

typedef struct wpg_cfg_private {
    wpg_cfg cfg;             /* first: a wpg_cfg * is a wpg_cfg_private * */
    wpg_label_index *labels; /* [1 << label_bits] open addressing; half of the slots at least are free */
    unsigned label_bits;
    wpg_edge *edges;
    size_t edge_count;
    wpg_dom_tree dom;        /* over the graph */
    wpg_dom_tree structural; /* over the graph with merge and continue edges (specification 2.11) */
    uint8_t *effects;        /* [count] WPG_EFFECT_* of each block */
} wpg_cfg_private;

static inline const wpg_cfg_private *wpg_cfg_whole(const wpg_cfg *cfg)
{
    return (const wpg_cfg_private *)cfg;
}

/* Fills cfg.constructs and the blocks' fields that name a construct. */
wpg_status wpg_cfg_find_constructs(wpg_cfg_private *whole, wpg_error *err);

#endif
