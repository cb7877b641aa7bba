#include "compiler/analysis/graph/conservation.h"

#include "runtime/base/arithmetic.h"

typedef struct solver {
    wpg_conservation *flow;
    uint32_t *work, work_count; /* blocks whose equations may decide something */
    bool *waits;                /* by block: is in `work` */
} solver;

static void list_arriving(wpg_conservation *flow)
{
    const uint32_t blocks = flow->block_count, edges = flow->first[blocks];
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t e = flow->first[b]; e < flow->first[b + 1]; e++) {
            flow->sources[e] = b;
            flow->out[b].unknown++;
            flow->in[flow->targets[e]].unknown++;
            flow->first_in[flow->targets[e] + 2]++;
        }
    /* First shifted by two, so that filling moves each start to its place. */
    for (uint32_t b = 2; b < blocks + 2; b++)
        flow->first_in[b] += flow->first_in[b - 1];
    for (uint32_t e = 0; e < edges; e++)
        flow->incoming[flow->first_in[flow->targets[e] + 1]++] = e;
}

bool wpg_conservation_create(wpg_conservation *flow, uint32_t block_count, const uint32_t *first,
                             const uint32_t *targets, wpg_arena *arena)
{
    const uint32_t edges = first[block_count];
    *flow = (wpg_conservation){.block_count = block_count, .first = first, .targets = targets};
    flow->arriving = WPG_ARENA_ARRAY(arena, wpg_side_kind, block_count);
    flow->leaving = WPG_ARENA_ARRAY(arena, wpg_side_kind, block_count);
    flow->counts = WPG_ARENA_ARRAY(arena, uint64_t, block_count);
    flow->known = WPG_ARENA_ARRAY(arena, bool, block_count);
    flow->edges = WPG_ARENA_ARRAY(arena, uint64_t, edges);
    flow->edge_known = WPG_ARENA_ARRAY(arena, bool, edges);
    flow->in = WPG_ARENA_ARRAY(arena, wpg_side, block_count);
    flow->out = WPG_ARENA_ARRAY(arena, wpg_side, block_count);
    flow->sources = WPG_ARENA_ARRAY(arena, uint32_t, edges);
    flow->first_in = WPG_ARENA_ARRAY(arena, uint32_t, (size_t)block_count + 2);
    flow->incoming = WPG_ARENA_ARRAY(arena, uint32_t, edges);
    if (arena->failed)
        return false;
    list_arriving(flow);
    for (uint32_t b = 0; b < block_count; b++) {
        flow->arriving[b] = b ? WPG_SIDE_EXACT : WPG_SIDE_OPEN;
        flow->leaving[b] = first[b] < first[b + 1] ? WPG_SIDE_EXACT : WPG_SIDE_OPEN;
    }
    return true;
}

static void ask_again(solver *s, uint32_t block)
{
    if (!s->waits[block]) {
        s->waits[block] = true;
        s->work[s->work_count++] = block;
    }
}

static void add_to(wpg_side *side, uint64_t count)
{
    side->unknown--;
    side->sum = wpg_add_saturating(side->sum, count);
}

/* Every unknown edge of the side gets `count`. */
static void settle(solver *s, uint32_t block, bool leaving, uint64_t count)
{
    wpg_conservation *flow = s->flow;
    const uint32_t *first = leaving ? flow->first : flow->first_in;
    for (uint32_t i = first[block]; i < first[block + 1]; i++) {
        uint32_t e = leaving ? i : flow->incoming[i];
        if (flow->edge_known[e])
            continue;
        flow->edges[e] = count;
        flow->edge_known[e] = true;
        add_to(&flow->out[flow->sources[e]], count);
        add_to(&flow->in[flow->targets[e]], count);
        ask_again(s, flow->sources[e]);
        ask_again(s, flow->targets[e]);
    }
}

static uint64_t rest_of(uint64_t whole, uint64_t part)
{
    return whole > part ? whole - part : 0;
}

/* A side of a block whose count is known. */
static void use_side(solver *s, uint32_t block, bool leaving)
{
    const wpg_conservation *flow = s->flow;
    const wpg_side_kind kind = (leaving ? flow->leaving : flow->arriving)[block];
    const wpg_side side = (leaving ? flow->out : flow->in)[block];
    const uint64_t count = flow->counts[block];
    if (kind == WPG_SIDE_OPEN || !side.unknown)
        return;
    if (kind == WPG_SIDE_EXACT && side.unknown == 1)
        settle(s, block, leaving, rest_of(count, side.sum));
    else if (flow->exact && side.sum == count)
        settle(s, block, leaving, 0);
}

/* A block whose count is not known: it follows from a side, or one side from the other. */
static void use_block(solver *s, uint32_t block)
{
    wpg_conservation *flow = s->flow;
    const bool in_exact = flow->arriving[block] == WPG_SIDE_EXACT;
    const bool out_exact = flow->leaving[block] == WPG_SIDE_EXACT;
    const wpg_side in = flow->in[block], out = flow->out[block];
    if (in_exact && !in.unknown) {
        flow->counts[block] = in.sum;
        flow->known[block] = true;
    } else if (out_exact && !out.unknown) {
        flow->counts[block] = out.sum;
        flow->known[block] = true;
    } else if (in_exact && out_exact && in.unknown + out.unknown == 1) {
        settle(s, block, out.unknown == 1, out.unknown ? rest_of(in.sum, out.sum) : rest_of(out.sum, in.sum));
    }
    if (flow->known[block])
        ask_again(s, block);
}

static void use_equations(solver *s, uint32_t block)
{
    if (!s->flow->known[block]) {
        use_block(s, block);
        return;
    }
    use_side(s, block, true);
    use_side(s, block, false);
}

bool wpg_conservation_solve(wpg_conservation *flow, wpg_arena *arena)
{
    solver s = {.flow = flow};
    s.work = WPG_ARENA_ARRAY(arena, uint32_t, flow->block_count);
    s.waits = WPG_ARENA_ARRAY(arena, bool, flow->block_count);
    if (arena->failed)
        return false;
    for (uint32_t b = flow->block_count; b > 0; b--)
        ask_again(&s, b - 1);
    while (s.work_count) { /* each turn settles an edge or a count, or takes one from the list */
        uint32_t block = s.work[--s.work_count];
        s.waits[block] = false;
        use_equations(&s, block);
    }
    return true;
}

wpg_side_verdict wpg_conservation_check(const wpg_conservation *flow, uint32_t block, bool leaving)
{
    const wpg_side_kind kind = (leaving ? flow->leaving : flow->arriving)[block];
    const wpg_side side = (leaving ? flow->out : flow->in)[block];
    if (kind == WPG_SIDE_OPEN || !flow->known[block])
        return WPG_SIDE_AGREES;
    if (side.sum > flow->counts[block])
        return WPG_SIDE_TOO_MUCH;
    return kind == WPG_SIDE_EXACT && !side.unknown && side.sum < flow->counts[block] ? WPG_SIDE_TOO_LITTLE
                                                                                     : WPG_SIDE_AGREES;
}
