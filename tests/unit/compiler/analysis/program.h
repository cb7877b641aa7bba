/* Random structured programs for the tests of analysis and instrument: the control flow as a table, the same
 * as a SPIR-V shader, and a SIMT interpreter that runs it as a wave does. The interpreter works on the table
 * alone and knows nothing of the analyses under test.
 *
 * Every lane has two numbers and some fuel. Each block steps the numbers; a branch looks at `mine`, which
 * starts different in every lane, or at `shared`, which starts equal; loops end when the fuel does. The
 * shader keeps all three in a storage buffer with volatile accesses, so that no driver carries them over a
 * loop's end in a register (lavapipe 22.3 does that wrongly). */
#ifndef WPG_TESTS_UNIT_PROGRAM_H
#define WPG_TESTS_UNIT_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "runtime/base/vec.h"

#define PROGRAM_INLINE static inline __attribute__((unused))

enum { NONE = -1, MAX_TARGETS = 5, MAX_LANES = 64 };

typedef enum end_kind {
    END_BRANCH,
    END_IF,     /* targets[0] when the condition holds, else targets[1] */
    END_SWITCH, /* targets[0] default, targets[i] for the value i - 1 */
    END_RETURN,
    END_KILL,
    END_UNREACHABLE
} end_kind;

typedef struct program_block {
    end_kind end;
    int targets[MAX_TARGETS], target_count;
    int merge, continue_target; /* NONE without; a loop has both */
    bool on_shared, needs_fuel; /* the condition: of which number, and only while there is fuel */
    uint32_t threshold;         /* of 8: the condition holds for smaller values */
    bool demotes, selects;
    bool select_late; /* its condition is of the number now, else of what it was at the start */
    bool has_phi;
    int predecessors[8], predecessor_count;
} program_block;

typedef struct program {
    WPG_VEC(program_block) blocks;
    uint64_t random;
    int max_depth, budget;
    bool fragment; /* may kill and demote */
} program;

/* -- Generator ----------------------------------------------------------------------------------------- */

PROGRAM_INLINE uint32_t program_random(program *p, uint32_t below)
{
    p->random ^= p->random << 13;
    p->random ^= p->random >> 7;
    p->random ^= p->random << 17;
    return (uint32_t)((p->random >> 11) % below);
}

PROGRAM_INLINE bool program_chance(program *p, uint32_t of_eight)
{
    return program_random(p, 8) < of_eight;
}

/* Blocks are numbered when they are placed: labels of the table are handles until program_layout. */
PROGRAM_INLINE int program_block_new(program *p)
{
    program_block b = {.end = END_UNREACHABLE,
                       .merge = NONE,
                       .continue_target = NONE,
                       .on_shared = program_chance(p, 3),
                       .threshold = 1 + program_random(p, 7),
                       .selects = program_chance(p, 1),
                       .select_late = program_chance(p, 4),
                       .has_phi = program_chance(p, 4)};
    if (!wpg_vec_push(&p->blocks, b))
        abort();
    return (int)p->blocks.count - 1;
}

PROGRAM_INLINE void program_branch(program *p, int from, int to)
{
    program_block *b = &p->blocks.data[from];
    b->end = END_BRANCH;
    b->targets[0] = to;
    b->target_count = 1;
}

PROGRAM_INLINE void program_if(program *p, int from, int yes, int no)
{
    program_block *b = &p->blocks.data[from];
    b->end = END_IF;
    b->targets[0] = yes;
    b->targets[1] = no;
    b->target_count = 2;
}

/* Where code may go to from inside: the innermost loop's merge and continue target, the innermost switch's
 * merge if it is further in. NONE if there is none. */
typedef struct program_scope {
    int loop_merge, loop_continue, switch_merge;
    bool closed; /* inside a continue construct: nothing in it returns */
} program_scope;

typedef struct order_list {
    WPG_VEC(int) order; /* blocks in the order they are placed */
} order_list;

PROGRAM_INLINE void program_place(order_list *o, int block)
{
    if (!wpg_vec_push(&o->order, block))
        abort();
}

PROGRAM_INLINE int program_sequence(program *p, order_list *o, int at, program_scope scope, int depth);

/* Leaves somewhere from block `at`; false if there is nowhere to go. */
PROGRAM_INLINE bool program_leave(program *p, int at, program_scope scope)
{
    int where[3], count = 0;
    if (scope.loop_merge != NONE) {
        where[count++] = scope.loop_merge;
        where[count++] = scope.loop_continue;
    }
    if (scope.switch_merge != NONE)
        where[count++] = scope.switch_merge;
    if (scope.closed && !count)
        return false;
    uint32_t ways = (uint32_t)count + (scope.closed ? 0 : p->fragment ? 2 : 1);
    uint32_t pick = program_random(p, ways);
    if ((int)pick < count)
        program_branch(p, at, where[pick]);
    else
        p->blocks.data[at].end = (int)pick == count ? END_RETURN : END_KILL;
    return true;
}

/* An arm that starts at `start` and ends in `merge`, unless it leaves. */
PROGRAM_INLINE void program_arm(program *p, order_list *o, int start, int merge, program_scope scope,
                                int depth)
{
    program_place(o, start);
    int end = program_sequence(p, o, start, scope, depth + 1);
    if (end == NONE || (program_chance(p, 2) && program_leave(p, end, scope)))
        return;
    program_branch(p, end, merge);
}

PROGRAM_INLINE int program_selection(program *p, order_list *o, int at, program_scope scope, int depth)
{
    int yes = program_block_new(p), merge = program_block_new(p);
    int no = program_chance(p, 4) ? program_block_new(p) : merge;
    if (program_chance(p, 4))
        program_if(p, at, yes, no);
    else
        program_if(p, at, no, yes);
    p->blocks.data[at].merge = merge;
    program_arm(p, o, yes, merge, scope, depth);
    if (no != merge)
        program_arm(p, o, no, merge, scope, depth);
    program_place(o, merge);
    return merge;
}

PROGRAM_INLINE int program_switch(program *p, order_list *o, int at, program_scope scope, int depth)
{
    int cases[MAX_TARGETS - 1], count = 1 + (int)program_random(p, MAX_TARGETS - 1);
    int merge = program_block_new(p);
    for (int i = 0; i < count; i++)
        cases[i] = program_block_new(p);
    program_block *b = &p->blocks.data[at];
    b->end = END_SWITCH;
    b->merge = merge;
    b->targets[0] = program_chance(p, 4) ? merge : cases[count - 1];
    b->target_count = 1;
    for (int i = 0; i < count - (b->targets[0] == merge ? 0 : 1); i++)
        b->targets[b->target_count++] = cases[i];
    scope.switch_merge = merge;
    for (int i = 0; i < count; i++) {
        program_place(o, cases[i]);
        int end = program_sequence(p, o, cases[i], scope, depth + 1);
        if (end == NONE)
            continue;
        program_branch(p, end, i + 1 < count && program_chance(p, 3) ? cases[i + 1] : merge);
    }
    program_place(o, merge);
    return merge;
}

/* A loop of one block. */
PROGRAM_INLINE int program_small_loop(program *p, order_list *o, int header)
{
    int merge = program_block_new(p);
    program_if(p, header, header, merge);
    program_block *b = &p->blocks.data[header];
    b->merge = merge;
    b->continue_target = header;
    b->needs_fuel = true;
    program_place(o, merge);
    return merge;
}

PROGRAM_INLINE int program_loop(program *p, order_list *o, int at, program_scope scope, int depth)
{
    int header = at;
    /* A block that is fresh (a merge block, say) may head the loop itself. */
    if (at == 0 || scope.closed || p->blocks.data[at].end != END_UNREACHABLE || program_chance(p, 4)) {
        header = program_block_new(p);
        program_branch(p, at, header);
        program_place(o, header);
    }
    if (program_chance(p, 2))
        return program_small_loop(p, o, header);
    int merge = program_block_new(p), again = program_block_new(p), body = program_block_new(p);
    uint32_t form = program_random(p, 5);
    p->blocks.data[header].merge = merge;
    p->blocks.data[header].continue_target = again;
    if (form == 0) { /* the header tests */
        program_if(p, header, body, merge);
        p->blocks.data[header].needs_fuel = true;
        program_place(o, body);
    } else if (form == 1) { /* a block behind the header tests */
        int test = program_block_new(p);
        program_branch(p, header, test);
        program_if(p, test, body, merge);
        p->blocks.data[test].needs_fuel = true;
        program_place(o, test);
        program_place(o, body);
    } else if (form == 4) { /* an arm breaks, and nothing else need */
        int test = program_block_new(p), arm = program_block_new(p);
        program_branch(p, header, test);
        program_if(p, test, body, arm);
        p->blocks.data[test].needs_fuel = true;
        p->blocks.data[test].merge = body;
        program_branch(p, arm, merge);
        program_place(o, test);
        program_place(o, arm);
        program_place(o, body);
    } else { /* the back edge tests */
        program_branch(p, header, body);
        program_place(o, body);
    }
    program_scope inner = {merge, again, NONE, scope.closed};
    int end = program_sequence(p, o, body, inner, depth + 1);
    if (end != NONE)
        program_branch(p, end, again);
    program_place(o, again);
    int back = again;
    if (program_chance(p, 3)) {
        program_scope closed = {NONE, NONE, NONE, true};
        back = program_sequence(p, o, again, closed, depth + 2);
    }
    if (form == 2 || form == 3) {
        program_if(p, back, header, merge);
        p->blocks.data[back].needs_fuel = true;
    } else {
        program_branch(p, back, header);
    }
    program_place(o, merge);
    return merge;
}

/* if (c) break; or continue; without a selection merge, as optimisers write it. */
PROGRAM_INLINE int program_bare_exit(program *p, order_list *o, int at, program_scope scope)
{
    int next = program_block_new(p);
    program_if(p, at, program_chance(p, 4) ? scope.loop_merge : scope.loop_continue, next);
    program_place(o, next);
    return next;
}

/* Statements from block `at` on; the block control ends in, or NONE if it left. */
PROGRAM_INLINE int program_sequence(program *p, order_list *o, int at, program_scope scope, int depth)
{
    for (uint32_t n = 1 + program_random(p, 3); n > 0; n--) {
        if (p->budget <= 0 || depth > p->max_depth)
            return at;
        p->budget--;
        uint32_t kind = program_random(p, 16);
        if (kind < 5) {
            at = program_selection(p, o, at, scope, depth);
        } else if (kind < 7) {
            at = program_switch(p, o, at, scope, depth);
        } else if (kind < 11) {
            at = program_loop(p, o, at, scope, depth);
        } else if (kind < 13 && scope.loop_merge != NONE && scope.switch_merge == NONE) {
            at = program_bare_exit(p, o, at, scope);
        } else if (kind == 13 && p->fragment) {
            p->blocks.data[at].demotes = true;
        } else {
            int next = program_block_new(p);
            program_branch(p, at, next);
            program_place(o, next);
            at = next;
        }
    }
    return at;
}

/* Renumbers blocks in the order they were placed and finds predecessors. */
PROGRAM_INLINE void program_layout(program *p, const order_list *o)
{
    int *number = calloc(p->blocks.count, sizeof *number);
    program_block *laid = calloc(p->blocks.count, sizeof *laid);
    if (!number || !laid || o->order.count != p->blocks.count)
        abort();
    for (size_t i = 0; i < o->order.count; i++)
        number[o->order.data[i]] = (int)i;
    for (size_t i = 0; i < o->order.count; i++) {
        program_block b = p->blocks.data[o->order.data[i]];
        for (int t = 0; t < b.target_count; t++)
            b.targets[t] = number[b.targets[t]];
        b.merge = b.merge == NONE ? NONE : number[b.merge];
        b.continue_target = b.continue_target == NONE ? NONE : number[b.continue_target];
        laid[i] = b;
    }
    memcpy(p->blocks.data, laid, p->blocks.count * sizeof *laid);
    for (size_t i = 0; i < p->blocks.count; i++) {
        program_block *b = &p->blocks.data[i];
        for (int t = 0; t < b->target_count; t++) {
            program_block *to = &p->blocks.data[b->targets[t]];
            bool known = false;
            for (int k = 0; k < to->predecessor_count && k < 8; k++)
                known |= to->predecessors[k] == (int)i;
            if (known)
                continue;
            if (to->predecessor_count < 8)
                to->predecessors[to->predecessor_count] = (int)i;
            to->predecessor_count++;
        }
    }
    for (size_t i = 0; i < p->blocks.count; i++) {
        program_block *b = &p->blocks.data[i];
        b->has_phi &= b->predecessor_count > 0 && b->predecessor_count <= 8;
    }
    free(number);
    free(laid);
}

PROGRAM_INLINE void program_make(program *p, uint64_t seed, int budget, bool fragment)
{
    *p = (program){.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
                   .max_depth = 5,
                   .budget = budget,
                   .fragment = fragment};
    for (int i = 0; i < 8; i++)
        program_random(p, 2);
    order_list o = {0};
    int entry = program_block_new(p);
    program_place(&o, entry);
    int end = program_sequence(p, &o, entry, (program_scope){NONE, NONE, NONE, false}, 0);
    if (end != NONE)
        p->blocks.data[end].end = END_RETURN;
    program_layout(p, &o);
    wpg_vec_free(&o.order);
}

PROGRAM_INLINE void program_finish(program *p)
{
    wpg_vec_free(&p->blocks);
}

/* -- What lanes do ------------------------------------------------------------------------------------- */

typedef struct program_lane {
    uint32_t mine, shared, start;
    int32_t fuel;
    int from; /* block it came from */
} program_lane;

enum { PROGRAM_FUEL = 40, PROGRAM_SHARED = 12345 };

PROGRAM_INLINE uint32_t program_constant(int block)
{
    return (uint32_t)(block + 1) * UINT32_C(2654435761);
}

PROGRAM_INLINE uint32_t program_phi_value(int block, int from)
{
    return (uint32_t)(block * 131 + from * 7 + 1);
}

PROGRAM_INLINE program_lane program_lane_start(uint32_t number)
{
    uint32_t start = number * UINT32_C(2246822519) + 1;
    return (program_lane){start, PROGRAM_SHARED, start, PROGRAM_FUEL, NONE};
}

PROGRAM_INLINE bool program_select_condition(uint32_t mine)
{
    return (mine >> 9 & 3) == 1;
}

/* Runs the block's body; *selected is the select's condition. */
PROGRAM_INLINE void program_step(program_lane *lane, const program_block *b, int index, bool *selected)
{
    uint32_t add = program_constant(index);
    if (b->selects && !b->select_late)
        *selected = program_select_condition(lane->start);
    if (b->has_phi)
        add += program_phi_value(index, lane->from);
    lane->mine = lane->mine * 1664525 + add;
    lane->shared = lane->shared * 1664525 + program_constant(index);
    lane->fuel--;
    if (b->selects && b->select_late)
        *selected = program_select_condition(lane->mine);
    if (b->selects)
        lane->mine ^= *selected ? 0x5a5a5 : 0x1234567;
}

PROGRAM_INLINE int program_next(const program_lane *lane, const program_block *b)
{
    uint32_t number = (b->on_shared ? lane->shared : lane->mine) >> 16 & 7;
    switch (b->end) {
    case END_BRANCH:
        return b->targets[0];
    case END_IF: {
        bool holds = number < b->threshold;
        /* A loop goes on into whichever target is not its merge block: that is always targets[0]. */
        if (b->needs_fuel)
            holds &= lane->fuel > 0;
        return b->targets[holds ? 0 : 1];
    }
    case END_SWITCH:
        return (int)number < b->target_count - 1 ? b->targets[number + 1] : b->targets[0];
    default:
        return NONE;
    }
}

/* -- Interpreter --------------------------------------------------------------------------------------- */

typedef WPG_VEC(uint64_t) program_visits;

/* What went along a block's edges: live lanes and waves by target; waves with any live lane at its end. */
typedef struct program_edges {
    uint64_t lanes[MAX_TARGETS], waves[MAX_TARGETS], all_waves;
} program_edges;

/* What a loop was seen to do, at its header's index. Trips: back edges that a lane took while it lived. */
typedef struct program_loop_seen {
    uint64_t lanes, waves, trips, buckets[32];
} program_loop_seen;

typedef struct program_run {
    const program *p;
    program_lane lanes[MAX_LANES];
    uint64_t entry, demoted;
    bool split_fall_through;      /* lanes that fall into a case run it apart from those that jump to it */
    program_visits *visits;       /* [block] live masks, in time order, empty ones left out */
    uint64_t *uniform;            /* [block] */
    uint64_t (*select_counts)[4]; /* [block] lanes true, lanes false, waves true, waves false */
    program_edges *edges;         /* [block] */
    program_loop_seen *loops;     /* [block] */
    struct {
        int label;
        uint64_t waiting;
    } stack[256];
    int depth;
    /* Called when a tangle has run a block's body: all its lanes, helpers too. May be NULL. */
    void (*observe)(void *context, int block, uint64_t mask);
    void *observer;
} program_run;

PROGRAM_INLINE void program_record(program_run *r, int block, uint64_t mask)
{
    uint64_t live = mask & ~r->demoted;
    if (!live)
        return;
    program_visits *v = &r->visits[block];
    if (!wpg_vec_push(v, live))
        abort();
    r->uniform[block] += live == (r->entry & ~r->demoted);
}

/* Hands lanes to whoever waits at `label`; false if nobody does. */
PROGRAM_INLINE bool program_wait(program_run *r, int label, uint64_t lanes)
{
    for (int i = r->depth; i-- > 0;) {
        if (r->stack[i].label == label) {
            r->stack[i].waiting |= lanes;
            return true;
        }
    }
    return false;
}

PROGRAM_INLINE int program_push(program_run *r, int label)
{
    if (r->depth == 256)
        abort();
    r->stack[r->depth].label = label;
    r->stack[r->depth].waiting = 0;
    return r->depth++;
}

PROGRAM_INLINE void program_body(program_run *r, int block, uint64_t mask)
{
    const program_block *b = &r->p->blocks.data[block];
    program_record(r, block, mask);
    uint64_t yes = 0;
    for (int l = 0; l < MAX_LANES; l++) {
        bool selected = false;
        if (!(mask >> l & 1))
            continue;
        program_step(&r->lanes[l], b, block, &selected);
        yes |= (uint64_t)selected << l;
    }
    if (r->observe)
        r->observe(r->observer, block, mask);
    if (b->selects) {
        uint64_t live = mask & ~r->demoted;
        r->select_counts[block][0] += (uint64_t)__builtin_popcountll(live & yes);
        r->select_counts[block][1] += (uint64_t)__builtin_popcountll(live & ~yes);
        r->select_counts[block][2] += (live & yes) != 0;
        r->select_counts[block][3] += (live & ~yes) != 0;
    }
    if (b->demotes) {
        for (int l = 0; l < MAX_LANES; l++)
            r->demoted |= (mask >> l & 1 && (r->lanes[l].mine >> 20 & 3) == 0) ? UINT64_C(1) << l : 0;
    }
}

PROGRAM_INLINE void program_tangle(program_run *r, int block, uint64_t mask);

/* Sends a block's lanes to their targets, in the targets' own order; those that somebody waits for, there. */
PROGRAM_INLINE void program_fan_out(program_run *r, int block, uint64_t mask)
{
    const program_block *b = &r->p->blocks.data[block];
    uint64_t going[MAX_TARGETS] = {0};
    int at[MAX_TARGETS];
    if (!b->target_count)
        return;
    for (int l = 0; l < MAX_LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        int to = program_next(&r->lanes[l], b);
        r->lanes[l].from = block;
        for (int t = 0; t < b->target_count; t++) {
            if (b->targets[t] == to) {
                going[t] |= UINT64_C(1) << l;
                break;
            }
        }
    }
    uint64_t live = mask & ~r->demoted;
    r->edges[block].all_waves += live != 0;
    for (int t = 0; t < b->target_count; t++) {
        r->edges[block].lanes[t] += (uint64_t)__builtin_popcountll(going[t] & live);
        r->edges[block].waves[t] += (going[t] & live) != 0;
    }
    /* Cases in the order they stand, each waited at until its turn, for those that fall through. */
    int sorted[MAX_TARGETS], count = 0;
    for (int t = 0; t < b->target_count; t++) {
        int k = count++;
        for (; k > 0 && b->targets[sorted[k - 1]] > b->targets[t]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = t;
    }
    int base = r->depth;
    for (int i = count; b->end == END_SWITCH && i-- > 0;) {
        bool outer = b->targets[sorted[i]] == b->merge;
        at[i] = outer ? NONE : program_push(r, b->targets[sorted[i]]);
    }
    for (int i = 0; i < count; i++) {
        int t = sorted[i], to = b->targets[t];
        if (b->end == END_SWITCH && at[i] != NONE) {
            /* Cases were pushed last first, so this one is on top. */
            uint64_t fell = r->stack[at[i]].waiting;
            r->depth = at[i];
            if (r->split_fall_through && fell && going[t]) {
                program_tangle(r, to, fell);
                program_tangle(r, to, going[t]);
            } else if (fell | going[t]) {
                program_tangle(r, to, fell | going[t]);
            }
        } else if (going[t] && !program_wait(r, to, going[t])) {
            program_tangle(r, to, going[t]);
        }
    }
    r->depth = base;
}

/* The loop is done: every lane that entered it alive has its number of trips. */
PROGRAM_INLINE void program_loop_done(program_loop_seen *seen, uint64_t entered, const uint32_t *trips)
{
    seen->waves += entered != 0;
    for (int l = 0; l < MAX_LANES; l++) {
        if (!(entered >> l & 1))
            continue;
        uint32_t bucket = 0;
        while (bucket < 31 && trips[l] >> bucket)
            bucket++;
        seen->lanes++;
        seen->trips += trips[l];
        seen->buckets[bucket]++;
    }
}

PROGRAM_INLINE void program_loop_run(program_run *r, int header, uint64_t mask, uint64_t *out)
{
    const program_block *b = &r->p->blocks.data[header];
    int base = r->depth;
    int merge = program_push(r, b->merge), head = program_push(r, header);
    uint64_t entered = mask & ~r->demoted;
    uint32_t trips[MAX_LANES] = {0};
    while (mask) {
        r->stack[head].waiting = 0;
        int again = b->continue_target == header ? NONE : program_push(r, b->continue_target);
        program_body(r, header, mask);
        program_fan_out(r, header, mask);
        if (again != NONE) {
            uint64_t on = r->stack[again].waiting;
            r->depth = again;
            if (on)
                program_tangle(r, b->continue_target, on);
        }
        mask = r->stack[head].waiting;
        for (int l = 0; l < MAX_LANES; l++)
            trips[l] += (uint32_t)((mask & ~r->demoted) >> l & 1);
    }
    program_loop_done(&r->loops[header], entered, trips);
    *out = r->stack[merge].waiting;
    r->depth = base;
}

/* Runs a tangle from `block` on, until its lanes wait somewhere further out or have left. */
PROGRAM_INLINE void program_tangle(program_run *r, int block, uint64_t mask)
{
    while (mask) {
        const program_block *b = &r->p->blocks.data[block];
        if (b->continue_target != NONE) {
            program_loop_run(r, block, mask, &mask);
        } else if (b->merge != NONE) {
            int merge = program_push(r, b->merge);
            program_body(r, block, mask);
            program_fan_out(r, block, mask);
            mask = r->stack[merge].waiting;
            r->depth = merge;
        } else {
            program_body(r, block, mask);
            if (b->end == END_BRANCH && !program_wait(r, b->targets[0], 0)) {
                for (int l = 0; l < MAX_LANES; l++) {
                    if (mask >> l & 1)
                        r->lanes[l].from = block;
                }
                block = b->targets[0];
                continue;
            }
            program_fan_out(r, block, mask);
            return;
        }
        block = b->merge;
        if (program_wait(r, block, mask))
            return;
    }
}

PROGRAM_INLINE void program_run_init(program_run *r, const program *p)
{
    memset(r, 0, sizeof *r);
    r->p = p;
    r->visits = calloc(p->blocks.count, sizeof *r->visits);
    r->uniform = calloc(p->blocks.count, sizeof *r->uniform);
    r->select_counts = calloc(p->blocks.count, sizeof *r->select_counts);
    r->edges = calloc(p->blocks.count, sizeof *r->edges);
    r->loops = calloc(p->blocks.count, sizeof *r->loops);
    if (!r->visits || !r->uniform || !r->select_counts || !r->edges || !r->loops)
        abort();
}

/* One wave of lanes numbered from `first`. May be called again: counts add up, visits append. */
PROGRAM_INLINE void program_wave(program_run *r, uint32_t first, uint32_t count)
{
    r->entry = count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    r->demoted = 0;
    r->depth = 0;
    for (uint32_t l = 0; l < count; l++)
        r->lanes[l] = program_lane_start(first + l);
    program_tangle(r, 0, r->entry);
}

PROGRAM_INLINE void program_run_finish(program_run *r)
{
    for (size_t b = 0; b < r->p->blocks.count; b++)
        wpg_vec_free(&r->visits[b]);
    free(r->visits);
    free(r->uniform);
    free(r->select_counts);
    free(r->edges);
    free(r->loops);
}

#endif
