/* Dominator trees: Lengauer and Tarjan's algorithm with path compression, O(m log n), without recursion. The
 * iterative algorithm of Cooper, Harvey and Kennedy is shorter. It is quadratic on ladders, such as a switch
 * that falls through 50 000 cases. Every array below is indexed by depth-first number, so "earlier" is
 * "smaller". */
#include "compiler/analysis/graph/internal.h"

bool wpg_graph_make(wpg_graph *graph, uint32_t count, const wpg_edge *edges, size_t edge_count, bool reversed,
                    wpg_arena *arena)
{
    graph->count = count;
    graph->at = WPG_ARENA_ARRAY(arena, uint32_t, (size_t)count + 2);
    graph->to = WPG_ARENA_ARRAY(arena, uint32_t, edge_count);
    if (!graph->at || !graph->to)
        return false;
    /* Counting sort: at[v + 2] counts, then at[v + 1] is the next free place of v, in the end the start of v
     * + 1. */
    for (size_t i = 0; i < edge_count; i++)
        graph->at[(reversed ? edges[i].to : edges[i].from) + 2]++;
    for (uint32_t v = 0; v < count; v++)
        graph->at[v + 2] += graph->at[v + 1];
    for (size_t i = 0; i < edge_count; i++) {
        uint32_t from = reversed ? edges[i].to : edges[i].from, to = reversed ? edges[i].from : edges[i].to;
        graph->to[graph->at[from + 1]++] = to;
    }
    return true;
}

typedef struct search {
    uint32_t *number; /* of a node; WPG_NO_BLOCK while not reached */
    uint32_t *node;   /* of a number */
    uint32_t *parent; /* in the depth-first tree */
    uint32_t reached;
} search;

static bool depth_first(search *s, const wpg_graph *graph, uint32_t root, wpg_arena *arena)
{
    s->number = WPG_ARENA_ARRAY(arena, uint32_t, graph->count);
    s->node = WPG_ARENA_ARRAY(arena, uint32_t, graph->count);
    s->parent = WPG_ARENA_ARRAY(arena, uint32_t, graph->count);
    uint32_t *next = WPG_ARENA_ARRAY(arena, uint32_t, graph->count);
    if (!s->number || !s->node || !s->parent || !next)
        return false;
    for (uint32_t v = 0; v < graph->count; v++) {
        s->number[v] = WPG_NO_BLOCK;
        next[v] = graph->at[v];
    }
    s->number[root] = 0;
    s->node[0] = root;
    s->reached = 1;
    /* The tree's own parent links are the stack. */
    for (uint32_t v = root;;) {
        if (next[v] < graph->at[v + 1]) {
            uint32_t w = graph->to[next[v]++];
            if (s->number[w] != WPG_NO_BLOCK)
                continue;
            s->number[w] = s->reached;
            s->node[s->reached] = w;
            s->parent[s->reached++] = s->number[v];
            v = w;
        } else if (v == root) {
            return true;
        } else {
            v = s->node[s->parent[s->number[v]]];
        }
    }
}

typedef struct forest {
    uint32_t *ancestor, *label, *semi, *stack;
} forest;

/* The number of smallest semidominator on the path from v up to, not including, its tree's root. */
static uint32_t evaluate(forest *f, uint32_t v)
{
    if (f->ancestor[v] == WPG_NO_BLOCK)
        return v;
    uint32_t depth = 0;
    for (uint32_t u = v; f->ancestor[f->ancestor[u]] != WPG_NO_BLOCK; u = f->ancestor[u])
        f->stack[depth++] = u;
    while (depth) {
        uint32_t u = f->stack[--depth], above = f->ancestor[u];
        if (f->semi[f->label[above]] < f->semi[f->label[u]])
            f->label[u] = f->label[above];
        f->ancestor[u] = f->ancestor[above];
    }
    return f->label[v];
}

/* idom[] over numbers. */
static bool immediate_dominators(uint32_t *idom, const search *s, const wpg_graph *predecessors,
                                 wpg_arena *arena)
{
    uint32_t n = s->reached;
    uint32_t *bucket = WPG_ARENA_ARRAY(arena, uint32_t, n), *chain = WPG_ARENA_ARRAY(arena, uint32_t, n);
    forest f = {WPG_ARENA_ARRAY(arena, uint32_t, n), WPG_ARENA_ARRAY(arena, uint32_t, n),
                WPG_ARENA_ARRAY(arena, uint32_t, n), WPG_ARENA_ARRAY(arena, uint32_t, n)};
    if (!bucket || !chain || !f.ancestor || !f.label || !f.semi || !f.stack)
        return false;
    for (uint32_t v = 0; v < n; v++) {
        f.ancestor[v] = bucket[v] = WPG_NO_BLOCK;
        f.label[v] = f.semi[v] = v;
    }
    for (uint32_t w = n - 1; w > 0; w--) {
        uint32_t node = s->node[w], parent = s->parent[w];
        for (uint32_t i = predecessors->at[node]; i < predecessors->at[node + 1]; i++) {
            uint32_t v = s->number[predecessors->to[i]];
            if (v == WPG_NO_BLOCK)
                continue;
            uint32_t u = evaluate(&f, v);
            if (f.semi[u] < f.semi[w])
                f.semi[w] = f.semi[u];
        }
        chain[w] = bucket[f.semi[w]];
        bucket[f.semi[w]] = w;
        f.ancestor[w] = parent;
        for (uint32_t v = bucket[parent]; v != WPG_NO_BLOCK; v = chain[v]) {
            uint32_t u = evaluate(&f, v);
            idom[v] = f.semi[u] < f.semi[v] ? u : parent;
        }
        bucket[parent] = WPG_NO_BLOCK;
    }
    for (uint32_t w = 1; w < n; w++) {
        if (idom[w] != f.semi[w])
            idom[w] = idom[idom[w]];
    }
    idom[0] = WPG_NO_BLOCK;
    return true;
}

bool wpg_dominators(wpg_dom_tree *tree, const wpg_graph *successors, const wpg_graph *predecessors,
                    uint32_t root, wpg_arena *arena)
{
    uint32_t count = successors->count;
    search s;
    tree->idom = WPG_ARENA_ARRAY(arena, uint32_t, count);
    tree->first = WPG_ARENA_ARRAY(arena, uint32_t, count);
    tree->size = WPG_ARENA_ARRAY(arena, uint32_t, count);
    if (!tree->idom || !tree->first || !tree->size || !depth_first(&s, successors, root, arena))
        return false;
    uint32_t n = s.reached;
    tree->by_first = wpg_arena_alloc_raw(arena, n, sizeof *tree->by_first);
    uint32_t *idom = WPG_ARENA_ARRAY(arena, uint32_t, n), *size = WPG_ARENA_ARRAY(arena, uint32_t, n),
             *first = WPG_ARENA_ARRAY(arena, uint32_t, n), *free_at = WPG_ARENA_ARRAY(arena, uint32_t, n);
    if (!tree->by_first || !idom || !size || !first || !free_at ||
        !immediate_dominators(idom, &s, predecessors, arena))
        return false;
    for (uint32_t w = n; w-- > 0;) {
        size[w]++;
        if (w)
            size[idom[w]] += size[w];
    }
    free_at[0] = 1;
    for (uint32_t w = 1; w < n; w++) {
        first[w] = free_at[idom[w]];
        free_at[idom[w]] += size[w];
        free_at[w] = first[w] + 1;
    }
    for (uint32_t v = 0; v < count; v++)
        tree->idom[v] = tree->first[v] = WPG_NO_BLOCK;
    for (uint32_t w = 0; w < n; w++) {
        tree->idom[s.node[w]] = w ? s.node[idom[w]] : WPG_NO_BLOCK;
        tree->first[s.node[w]] = first[w];
        tree->by_first[first[w]] = s.node[w];
        tree->size[s.node[w]] = size[w];
    }
    tree->preorder = s.node;
    tree->reached = n;
    return true;
}
