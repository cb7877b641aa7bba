/* Where only lanes are counted, a part of the classes is: the counts of the others follow from flow.
 *
 *     EXIT --entry--> in(b) ==block b==> out(b) --branch--> in(c) ==block c==> ... --return, kill--> EXIT
 *
 * Lanes that arrive at a node leave it. Flow over the edges outside a spanning tree decides the flow over the
 * tree's. Only the edges of blocks (==) can be counted, so branches, returns and what a block loses (a
 * demote, lanes that end in a call) go into the tree first. Where such an edge closes a circle, that circle
 * has no edge of a block, and the edge's flow concerns none. Then blocks, the deepest first: a block that
 * joins two parts is derived, one that closes a circle is counted. So deep loops are counted by what runs
 * around them.
 *
 * Source: Knuth, Stevenson, "Optimal measurement points for program frequency counts" (1973); Ball, Larus,
 * "Optimally profiling and tracing programs" (TOPLAS 1994). Waves do not conserve flow: both arms of a
 * divergent branch run. */
#include "compiler/instrument/counting/methods.h"

enum {
    NO = WPG_NO_BLOCK,
    MOST_BLOCKS = 4096, /* the time to find terms goes by classes squared */
    MOST_TERMS = 16,    /* a class that needs more is counted */
};

typedef struct tree {
    const wpg_cfg *cfg;
    const wpg_mask_classes *classes;
    uint32_t nodes;      /* in(b) = 1 + 2 b, out(b) = 2 + 2 b, EXIT = 0 */
    uint32_t *part;      /* [nodes] union-find: which nodes the tree joins so far */
    uint32_t *first;     /* [nodes] newest link of the tree at the node */
    uint32_t *next, *to; /* [2 nodes] links: pairs, one for each direction of an edge */
    uint32_t links;
    uint32_t *enter, *leave; /* [nodes] times of a walk from EXIT: a node's subtree is an interval */
    bool *in_tree;           /* [blocks] */
} tree;

static uint32_t in_of(uint32_t block)
{
    return 1 + 2 * block;
}
static uint32_t out_of(uint32_t block)
{
    return 2 + 2 * block;
}

static uint32_t part_of(tree *t, uint32_t node)
{
    while (t->part[node] != node)
        node = t->part[node] = t->part[t->part[node]];
    return node;
}

static void add_link(tree *t, uint32_t from, uint32_t to)
{
    t->to[t->links] = to;
    t->next[t->links] = t->first[from];
    t->first[from] = t->links++;
}

/* True: the edge is in the tree now. */
static bool join(tree *t, uint32_t from, uint32_t to)
{
    uint32_t a = part_of(t, from), b = part_of(t, to);
    if (a == b)
        return false;
    t->part[a] = b;
    add_link(t, from, to);
    add_link(t, to, from);
    return true;
}

static bool set_up(tree *t, wpg_chooser *c)
{
    wpg_arena *arena = &c->plan->arena;
    t->cfg = c->cfg;
    t->classes = &c->f->classes;
    t->nodes = 1 + 2 * c->cfg->count;
    t->part = WPG_ARENA_ARRAY(arena, uint32_t, t->nodes);
    t->first = WPG_ARENA_ARRAY(arena, uint32_t, t->nodes);
    t->next = WPG_ARENA_ARRAY(arena, uint32_t, 2 * t->nodes);
    t->to = WPG_ARENA_ARRAY(arena, uint32_t, 2 * t->nodes);
    t->enter = WPG_ARENA_ARRAY(arena, uint32_t, t->nodes);
    t->leave = WPG_ARENA_ARRAY(arena, uint32_t, t->nodes);
    t->in_tree = WPG_ARENA_ARRAY(arena, bool, c->cfg->count);
    if (arena->failed)
        return false;
    for (uint32_t n = 0; n < t->nodes; n++) {
        t->part[n] = n;
        t->first[n] = NO;
    }
    return true;
}

/* Edges that cannot be counted. */
static void join_branches(tree *t)
{
    (void)join(t, 0, in_of(0));
    for (uint32_t b = 0; b < t->cfg->count; b++) {
        const wpg_block *block = &t->cfg->blocks[b];
        if (block->rpo == NO)
            continue;
        for (uint32_t s = 0; s < block->successor_count; s++)
            (void)join(t, out_of(b), in_of(block->successors[s]));
        if (block->successor_count == 0 || block->changes_mask)
            (void)join(t, out_of(b), 0);
    }
}

/* Blocks, the deepest first. */
static void join_blocks(tree *t, const uint32_t *depth)
{
    uint32_t deepest = 0;
    for (uint32_t class = 0; class < t->classes->class_count; class ++)
        deepest = depth[class] > deepest ? depth[class] : deepest;
    for (uint32_t level = deepest + 1; level-- > 0;)
        for (uint32_t b = 0; b < t->cfg->count; b++)
            if (t->classes->class_of[b] != NO && depth[t->classes->class_of[b]] == level)
                t->in_tree[b] = join(t, in_of(b), out_of(b));
}

/* Numbers the tree's nodes from EXIT. `stack` has room for all. */
static void walk(tree *t, uint32_t *stack)
{
    uint32_t depth = 0, now = 1;
    stack[depth++] = 0;
    t->enter[0] = now++;
    while (depth) {
        uint32_t node = stack[depth - 1], link = t->first[node];
        while (link != NO && t->enter[t->to[link]])
            link = t->next[link];
        if (link == NO) {
            t->leave[node] = now++;
            depth--;
            continue;
        }
        t->first[node] = t->next[link]; /* seen */
        t->enter[t->to[link]] = now++;
        stack[depth++] = t->to[link];
    }
}

static bool is_below(const tree *t, uint32_t node, uint32_t top)
{
    return t->enter[node] >= t->enter[top] && t->leave[node] <= t->leave[top];
}

/* The count of a block in the tree: what goes into the part of the tree behind it, over counted blocks, comes
 * out over this block. `factor` and `touched` are working room by class. False: too many terms. */
static bool terms_of(const tree *t, uint32_t b, int32_t *factor, uint32_t *touched, uint32_t *count)
{
    bool out_is_lower = t->enter[out_of(b)] > t->enter[in_of(b)];
    uint32_t top = out_is_lower ? out_of(b) : in_of(b);
    *count = 0;
    for (uint32_t d = 0; d < t->cfg->count; d++) {
        uint32_t class = t->classes->class_of[d];
        if (class == NO || t->in_tree[d])
            continue;
        bool comes = is_below(t, out_of(d), top), goes = is_below(t, in_of(d), top);
        if (comes == goes)
            continue;
        if (!factor[class]) {
            if (*count == MOST_TERMS)
                return false;
            touched[(*count)++] = class;
        }
        /* Below `top`: if out(b) is there, b brings in what else goes out. */
        factor[class] += comes == out_is_lower ? -1 : 1;
    }
    return true;
}

static void derive(wpg_chooser *c, uint32_t class, const int32_t *factor, const uint32_t *touched,
                   uint32_t count)
{
    wpg_tally *t = &c->tallies.data[c->f->tally_of[class]];
    wpg_tally_term *terms = WPG_ARENA_ARRAY(&c->plan->arena, wpg_tally_term, count + 1);
    if (!terms) {
        c->failed = true;
        return;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (factor[touched[i]])
            terms[kept++] = (wpg_tally_term){c->f->tally_of[touched[i]], factor[touched[i]]};
    t->method = WPG_METHOD_SUM;
    t->terms = terms;
    t->term_count = kept;
}

void wpg_derive_by_flow(wpg_chooser *c, const uint32_t *depth)
{
    tree t = {0};
    const uint32_t classes = c->f->classes.class_count;
    if (c->cfg->count > MOST_BLOCKS)
        return;
    wpg_arena *arena = &c->plan->arena;
    uint32_t *stack = WPG_ARENA_ARRAY(arena, uint32_t, 1 + 2 * c->cfg->count);
    int32_t *factor = WPG_ARENA_ARRAY(arena, int32_t, classes);
    bool *counted = WPG_ARENA_ARRAY(arena, bool, classes);
    uint32_t touched[MOST_TERMS], count;
    if (!set_up(&t, c) || arena->failed) {
        c->failed = true;
        return;
    }
    join_branches(&t);
    join_blocks(&t, depth);
    walk(&t, stack);
    for (uint32_t b = 0; b < c->cfg->count; b++)
        if (c->f->classes.class_of[b] != NO && !t.in_tree[b])
            counted[c->f->classes.class_of[b]] = true;
    for (uint32_t class = 0; class < classes && !c->failed; class ++) {
        if (counted[class])
            continue;
        bool few = terms_of(&t, c->f->classes.representative[class], factor, touched, &count);
        if (few)
            derive(c, class, factor, touched, count);
        for (uint32_t i = 0; i < count; i++)
            factor[touched[i]] = 0;
    }
}
