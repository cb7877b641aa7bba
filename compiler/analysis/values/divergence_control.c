/* Which branches matter where.
 *
 * A construct is closed if every edge out of it goes to its merge block. Lanes that return or are killed
 * inside do not count: no later value is compared with theirs. All other lanes that enter a closed construct
 * together come to its merge block together, whatever branches they took. So the effect of a branch ends with
 * the innermost closed construct around it.
 *
 *   loops    lanes may leave loop l in different iterations by branch x in l, unless the effect of x ends
 *            within l, or x only makes lanes continue and no exit can be skipped by that (temporal).
 *   phis     at block j the incoming edges are chosen by the branches between idom(j) and j: those on the
 *            backward paths from j that end at idom(j), with two ways on to j. Loops on these paths that do
 *            not hold j count with all that makes lanes leave them in different iterations: which exit a
 *            lane takes depends on when it gets there. Back edges into j choose nothing: all lanes that are
 *            at a loop's header in the same iteration came over the same one.
 *   memory   how often a block was run before, by lanes that meet now, is decided by the branches whose
 *            effect has not ended: those inside the constructs around it (reach).
 *
 *
 * This is coarser than the disjoint-path labels of the paper (divergence.h): a branch on the way counts even
 * if its ways meet again before j outside a closed construct. */
#include "compiler/analysis/values/divergence_internal.h"
#include "runtime/base/vec.h"

enum { NO = WPG_NO_BLOCK };

typedef struct region_walk {
    wpg_divergence *d;
    uint32_t *seen, *loop_seen; /* stamps: block + 1 */
    WPG_VEC(uint32_t) stack, region, parting;
    size_t budget; /* blocks still to be looked at, over all regions */
    bool failed;
} region_walk;

static void find_closed(wpg_divergence *d)
{
    const wpg_cfg *cfg = d->cfg;
    for (uint32_t c = 0; c < cfg->construct_count; c++)
        d->closed[c] = true;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const wpg_block *block = &cfg->blocks[cfg->order[i]];
        for (uint32_t s = 0; s < block->successor_count; s++) {
            uint32_t to = block->successors[s];
            for (uint32_t c = block->construct; c != NO && !wpg_construct_holds(cfg, c, to);
                 c = cfg->constructs[c].parent) {
                if (cfg->constructs[c].merge != to)
                    d->closed[c] = false;
                uint32_t loop = cfg->blocks[cfg->constructs[c].header].loop == c
                                    ? d->outer_loop[c]
                                    : cfg->blocks[cfg->constructs[c].header].loop;
                if (cfg->constructs[c].merge != to &&
                    (loop == NO || cfg->constructs[loop].continue_target != to))
                    d->wanders[c] = true;
            }
        }
    }
}

static void find_outer_loops(wpg_divergence *d)
{
    const wpg_cfg *cfg = d->cfg;
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        uint32_t parent = cfg->constructs[c].parent;
        d->outer_loop[c] = parent == NO                                         ? NO
                           : cfg->constructs[parent].kind == WPG_CONSTRUCT_LOOP ? parent
                                                                                : d->outer_loop[parent];
    }
}

/* Whether lanes parted at or in what `head` heads, which lies in loop `loop` and leaves it to the continue
 * target at most, still leave the loop in the same iteration: each exit is taken before they part, or after
 * the continue target. Too many exits are not looked at. */
static bool keeps_step(const wpg_divergence *d, uint32_t loop, uint32_t head)
{
    enum { MOST = 64 };
    const wpg_cfg *cfg = d->cfg;
    uint32_t first = d->exits_at[loop], count = d->exits_at[loop + 1] - first;
    if (wpg_cfg_dominates(cfg, cfg->constructs[loop].continue_target, head))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t exit = d->exits[first + i];
        bool before = exit != head && wpg_cfg_dominates(cfg, exit, head);
        if (count > MOST || (!before && !wpg_cfg_dominates(cfg, cfg->constructs[loop].continue_target, exit)))
            return false;
    }
    return true;
}

/* Blocks that branch out of each loop, in rows by construct. */
static bool find_exits(wpg_divergence *d)
{
    const wpg_cfg *cfg = d->cfg;
    d->exits_at = WPG_ARENA_ARRAY(d->arena, uint32_t, (size_t)cfg->construct_count + 1);
    uint32_t *filled = WPG_ARENA_ARRAY(d->arena, uint32_t, cfg->construct_count);
    for (int fill = 0; fill < 2 && d->exits_at && filled; fill++) {
        for (uint32_t i = 0; i < cfg->order_count; i++) {
            uint32_t b = cfg->order[i];
            for (uint32_t s = 0; s < cfg->blocks[b].successor_count; s++) {
                uint32_t to = cfg->blocks[b].successors[s];
                for (uint32_t loop = cfg->blocks[b].loop; loop != NO && !wpg_construct_holds(cfg, loop, to);
                     loop = d->outer_loop[loop]) {
                    if (fill)
                        d->exits[d->exits_at[loop] + filled[loop]++] = b;
                    else
                        d->exits_at[loop + 1]++;
                }
            }
        }
        for (uint32_t c = 0; !fill && c < cfg->construct_count; c++)
            d->exits_at[c + 1] += d->exits_at[c];
        if (!fill)
            d->exits = WPG_ARENA_ARRAY(d->arena, uint32_t, d->exits_at[cfg->construct_count]);
        if (!d->exits)
            return false;
    }
    return d->exits_at && filled;
}

static bool is_branch(const wpg_block *block)
{
    return block->successor_count > 1;
}

/* Whether what happens in construct `c` makes a difference at block j: no closed construct around it ends
 * before j. */
static bool reaches(const wpg_divergence *d, uint32_t c, uint32_t j)
{
    const wpg_cfg *cfg = d->cfg;
    for (; c != NO; c = cfg->constructs[c].parent) {
        if (d->closed[c])
            return cfg->constructs[c].merge == j || wpg_construct_holds(cfg, c, j);
    }
    return true;
}

static void push(region_walk *w, uint32_t block, uint32_t stamp)
{
    if (w->seen[block] == stamp || w->d->cfg->blocks[block].rpo == NO)
        return;
    w->seen[block] = stamp;
    if (!wpg_vec_push(&w->stack, block))
        w->failed = true;
}

/* The blocks on the ways from idom(j) to j, both included; false if that is too much work. */
static bool find_region(region_walk *w, uint32_t j)
{
    const wpg_cfg *cfg = w->d->cfg;
    const wpg_block *block = &cfg->blocks[j];
    uint32_t stamp = j + 1;
    wpg_vec_clear(&w->stack);
    wpg_vec_clear(&w->region);
    w->seen[j] = stamp;
    for (uint32_t p = 0; p < block->predecessor_count; p++) {
        uint32_t from = block->predecessors[p];
        if (cfg->blocks[from].rpo < block->rpo)
            push(w, from, stamp);
    }
    push(w, block->idom, stamp);
    while (w->stack.count && !w->failed) {
        uint32_t b = wpg_vec_pop(&w->stack);
        const wpg_block *from = &cfg->blocks[b];
        if (!w->budget)
            return false;
        w->budget--;
        if (!wpg_vec_push(&w->region, b))
            w->failed = true;
        for (uint32_t p = 0; b != block->idom && p < from->predecessor_count; p++)
            push(w, from->predecessors[p], stamp);
    }
    return true;
}

static void take_branch(region_walk *w, uint32_t x, uint32_t j)
{
    const wpg_divergence *d = w->d;
    const wpg_cfg *cfg = d->cfg;
    const wpg_block *block = &cfg->blocks[x];
    uint32_t loop = block->loop, ways = 0;
    for (; loop != NO && !wpg_construct_holds(cfg, loop, j); loop = d->outer_loop[loop]) {
        if (w->loop_seen[loop] != j + 1 && reaches(d, loop, j) &&
            !wpg_vec_push(&w->parting, cfg->count + loop))
            w->failed = true;
        w->loop_seen[loop] = j + 1;
    }
    if (loop != block->loop || !is_branch(block) || !reaches(d, block->construct, j))
        return; /* in a loop that does not hold j: part of what the loop counts with */
    for (uint32_t s = 0; s < block->successor_count; s++)
        ways += w->seen[block->successors[s]] == j + 1;
    if (ways > 1 && !wpg_vec_push(&w->parting, x))
        w->failed = true;
}

static uint32_t forward_predecessors(const wpg_cfg *cfg, uint32_t j)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < cfg->blocks[j].predecessor_count; p++)
        count += cfg->blocks[cfg->blocks[j].predecessors[p]].rpo < cfg->blocks[j].rpo;
    return count;
}

static void find_parting(region_walk *w, uint32_t j)
{
    wpg_divergence *d = w->d;
    struct wpg_control *control = &d->control[j];
    *control = (struct wpg_control){.first = (uint32_t)w->parting.count};
    if (forward_predecessors(d->cfg, j) < 2)
        return;
    if (!find_region(w, j)) {
        control->unknown = true;
        return;
    }
    for (size_t i = 0; i < w->region.count; i++)
        take_branch(w, w->region.data[i], j);
    control->count = (uint32_t)w->parting.count - control->first;
}

bool wpg_divergence_control(wpg_divergence *d)
{
    const wpg_cfg *cfg = d->cfg;
    wpg_arena *arena = d->arena;
    enum { REGIONS = 64, LEAST = 1 << 20 };
    region_walk w = {.d = d, .budget = (size_t)REGIONS * cfg->count + LEAST};
    d->closed = WPG_ARENA_ARRAY(arena, bool, cfg->construct_count);
    d->wanders = WPG_ARENA_ARRAY(arena, bool, cfg->construct_count);
    d->outer_loop = WPG_ARENA_ARRAY(arena, uint32_t, cfg->construct_count);
    d->temporal = WPG_ARENA_ARRAY(arena, wpg_state, cfg->construct_count);
    d->inside = WPG_ARENA_ARRAY(arena, wpg_state, (size_t)cfg->construct_count + 1);
    d->control = wpg_arena_alloc(arena, cfg->count, sizeof *d->control);
    w.seen = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count);
    w.loop_seen = WPG_ARENA_ARRAY(arena, uint32_t, cfg->construct_count);
    if (arena->failed)
        return false;
    find_outer_loops(d);
    find_closed(d);
    if (!find_exits(d))
        return false;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        if (d->phis_at[cfg->order[i]] != UINT32_MAX)
            find_parting(&w, cfg->order[i]);
    }
    d->parting = wpg_arena_memdup(arena, w.parting.data, w.parting.count * sizeof *d->parting);
    wpg_vec_free(&w.stack);
    wpg_vec_free(&w.region);
    wpg_vec_free(&w.parting);
    return !w.failed && d->parting;
}

static bool raise_state(wpg_state *to, wpg_state by)
{
    wpg_state joined = wpg_state_join(*to, by);
    bool changed = joined != *to;
    *to = joined;
    return changed;
}

bool wpg_divergence_branch(wpg_divergence *d, uint32_t b, wpg_state state)
{
    const wpg_cfg *cfg = d->cfg;
    bool changed = false, wanders = false;
    uint32_t c = cfg->blocks[b].construct, head = b;
    for (; c != NO; c = cfg->constructs[c].parent) {
        bool loop = cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP;
        if (loop && !wanders && head != cfg->constructs[c].header && keeps_step(d, c, head))
            break;
        if (loop)
            changed |= raise_state(&d->temporal[c], state);
        if (d->closed[c])
            break;
        wanders = d->wanders[c];
        head = cfg->constructs[c].header;
    }
    return raise_state(&d->inside[c == NO ? cfg->construct_count : c], state) || changed;
}

wpg_state wpg_divergence_reach(const wpg_divergence *d, uint32_t b)
{
    const wpg_cfg *cfg = d->cfg;
    wpg_state state = d->inside[cfg->construct_count];
    for (uint32_t c = cfg->blocks[b].construct; c != NO; c = cfg->constructs[c].parent)
        state = wpg_state_join(state, d->inside[c]);
    return state;
}

wpg_state wpg_divergence_parted(const wpg_divergence *d, uint32_t b)
{
    const wpg_cfg *cfg = d->cfg;
    const struct wpg_control *control = &d->control[b];
    if (control->unknown)
        return WPG_DIVERGENT | WPG_STATE_VARIES;
    wpg_state state = WPG_UNIFORM_CONSTANT;
    for (uint32_t i = 0; i < control->count; i++) {
        uint32_t by = d->parting[control->first + i];
        if (by >= cfg->count)
            state = wpg_state_join(state, d->temporal[by - cfg->count]);
        else
            state = wpg_state_join(state, wpg_divergence_seen(d, cfg->blocks[by].terminator->words[1], by));
    }
    return state;
}

wpg_state wpg_divergence_seen(const wpg_divergence *d, uint32_t node, uint32_t block)
{
    const wpg_cfg *cfg = d->cfg;
    if (node >= d->node_count)
        return WPG_DIVERGENT | WPG_STATE_VARIES;
    wpg_state state = d->states[node];
    uint32_t at = d->block_of[node];
    if (at == NO || block == NO || cfg->blocks[at].loop == cfg->blocks[block].loop)
        return state;
    for (uint32_t loop = cfg->blocks[at].loop; loop != NO && !wpg_construct_holds(cfg, loop, block);
         loop = d->outer_loop[loop])
        state = wpg_state_join(state, d->temporal[loop]);
    return state;
}
