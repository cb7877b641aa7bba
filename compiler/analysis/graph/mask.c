/* Active-mask classes.
 *
 * Model. A wave executes a function in *tangles*: sets of lanes that run together. A tangle splits at a
 * branch that its lanes take differently; under structured reconvergence the parts of a tangle that entered a
 * construct's header together become one again at the construct's merge block (and, of one iteration of a
 * loop, at its continue target). wpg_cfg_create refuses a function in which lanes may part otherwise than
 * at a construct's header or by leaving a construct. Two blocks are of one class when in every run each
 * tangle executing the one is matched, in order, by one tangle of the same live lanes executing the other.
 *
 * A loop header starts once per iteration, so what is entered once per loop is a node of its own here:
 * entry(b) is "control comes to b from outside the loop that b heads", and entry(b) = b where b heads no
 * loop. The relation is the smallest equivalence with these three rules. In each, `changes_mask` says that
 * lanes may demote (stay active, but dead), die in a call, or regroup (a ray-tracing wave segment ends).
 *
 * (chain)
 *
 *     b ~ entry(s), if s is b's only successor, b is s's only predecessor (but for s's own back edge), b
 *     changes no mask, s is no merge block, and s is a continue target only of the loop that is b's innermost
 *     construct (or of the loop s itself heads).
 *
 *     Proof: a tangle at the start of b keeps all its lanes to its end and takes them all to s; nobody else
 *     comes to s. That no two tangles of b become one in s: tangles become one at merge blocks, which s is
 *     not, and at continue targets, per iteration; then b lies in its loop and in no construct within, so
 *     that an iteration's lanes that come to b come as one tangle: they parted at headers of constructs whose
 *     merge blocks lie before b on the way, or left.
 *
 *     Without "no merge block" it is wrong: `loop { if (c) { b; break; } }` runs b once per iteration in
 *     which some lane breaks, and the loop's merge block, whose only predecessor b is, once.
 *
 * (selection)
 *
 *     h ~ entry(m), h the header of a selection or switch, m its merge block, if the construct is not left
 *     early, nothing in it changes masks, and m's predecessors (but for m's own back edge) lie in it.
 *
 *     Proof: all lanes of the tangle at h are in the construct; a lane that leaves it does so to m, alive; no
 *     lane comes to m from elsewhere; at m they become one again. (A lane that never leaves an inner loop
 *     makes a program that never ends, of which no profile is asked.)
 *
 * (loop)
 *
 *     entry(h) ~ entry(m), h a loop's header, m its merge block, under the same conditions. Same proof.
 *
 * Representative: every rule joins a node with one it dominates, and each node is the later one of a single
 * rule at most (or of two with the same earlier one), so the first block of a class dominates the others. A
 * class may hold entry nodes alone; that is none of a block, and gets no number. */
#include "compiler/analysis/graph/mask.h"

enum { NO = WPG_NO_BLOCK };

/* Nodes: block b is b; entry(b) for a loop header is count + b. */
static uint32_t entry(const wpg_cfg *cfg, uint32_t block)
{
    uint32_t own = cfg->blocks[block].heads;
    bool loop = own != NO && cfg->constructs[own].kind == WPG_CONSTRUCT_LOOP;
    return loop ? cfg->count + block : block;
}

/* Whether each reachable predecessor p of s that is no back edge of s satisfies: in the construct if one is
 * given, else equal to `only`. */
static bool comes_only_from(const wpg_cfg *cfg, uint32_t s, uint32_t only, uint32_t construct)
{
    const wpg_block *block = &cfg->blocks[s];
    for (uint32_t i = 0; i < block->predecessor_count; i++) {
        uint32_t p = block->predecessors[i];
        if (cfg->blocks[p].rpo == NO || cfg->blocks[p].rpo >= block->rpo)
            continue;
        if (construct != NO ? !wpg_construct_holds(cfg, construct, p) : p != only)
            return false;
    }
    return true;
}

uint32_t wpg_loop_entry_block(const wpg_cfg *cfg, const wpg_mask_classes *classes, uint32_t loop)
{
    uint32_t class = classes->entry_class[cfg->constructs[loop].header];
    return class == NO ? NO : classes->representative[class];
}

bool wpg_edge_runs_block(const wpg_cfg *cfg, uint32_t from, uint32_t to)
{
    /* The proof of (chain), with the lanes of `from` that go to `to` in place of all its lanes. A loop header
     * starts more often than control comes to it. */
    const wpg_block *block = &cfg->blocks[to];
    uint32_t continued = cfg->blocks[to].continues, headed = cfg->blocks[to].heads;
    if (headed != NO && cfg->constructs[headed].kind == WPG_CONSTRUCT_LOOP)
        return false;
    return block->rpo > cfg->blocks[from].rpo && cfg->blocks[to].merges == NO &&
           comes_only_from(cfg, to, from, NO) &&
           (continued == NO || cfg->blocks[from].construct == continued);
}

static bool is_chain(const wpg_cfg *cfg, uint32_t b)
{
    const wpg_block *block = &cfg->blocks[b];
    if (block->rpo == NO || block->successor_count != 1 || block->changes_mask)
        return false;
    uint32_t s = block->successors[0], continued = cfg->blocks[s].continues;
    if (cfg->blocks[s].rpo <= block->rpo || cfg->blocks[s].merges != NO || !comes_only_from(cfg, s, b, NO))
        return false;
    return continued == NO || block->construct == continued || cfg->constructs[continued].header == s;
}

bool wpg_construct_is_whole(const wpg_cfg *cfg, uint32_t index)
{
    const wpg_construct *c = &cfg->constructs[index];
    return !c->leaves_early && !c->changes_mask && cfg->blocks[c->header].rpo != NO &&
           cfg->blocks[c->merge].rpo != NO && comes_only_from(cfg, c->merge, NO, index);
}

static uint32_t root_of(uint32_t *up, uint32_t node)
{
    while (up[node] != node) {
        up[node] = up[up[node]];
        node = up[node];
    }
    return node;
}

static void join(uint32_t *up, uint32_t a, uint32_t b)
{
    a = root_of(up, a);
    b = root_of(up, b);
    if (a != b)
        up[b] = a;
}

wpg_status wpg_mask_classes_compute(wpg_mask_classes *classes, const wpg_cfg *cfg, wpg_arena *arena)
{
    size_t nodes = 2 * (size_t)cfg->count;
    uint32_t *up = WPG_ARENA_ARRAY(arena, uint32_t, nodes);
    uint32_t *number = WPG_ARENA_ARRAY(arena, uint32_t, nodes);
    uint32_t *class_of = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count);
    uint32_t *representative = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count);
    uint32_t *entry_class = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count);
    if (!up || !number || !class_of || !representative || !entry_class)
        return WPG_E_NOMEM;
    for (uint32_t i = 0; i < nodes; i++) {
        up[i] = i;
        number[i] = NO;
    }
    for (uint32_t b = 0; b < cfg->count; b++) {
        class_of[b] = NO;
        if (is_chain(cfg, b))
            join(up, b, entry(cfg, cfg->blocks[b].successors[0]));
    }
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        uint32_t header = cfg->constructs[c].header, merge = cfg->constructs[c].merge;
        if (wpg_construct_is_whole(cfg, c))
            join(up, entry(cfg, header), entry(cfg, merge));
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        uint32_t b = cfg->order[i], root = root_of(up, b);
        if (number[root] == NO) {
            representative[count] = b;
            number[root] = count++;
        }
        class_of[b] = number[root];
    }
    for (uint32_t b = 0; b < cfg->count; b++) {
        uint32_t own = entry(cfg, b);
        entry_class[b] = own == b ? NO : number[root_of(up, own)];
    }
    *classes = (wpg_mask_classes){class_of, representative, count, entry_class};
    return WPG_OK;
}
