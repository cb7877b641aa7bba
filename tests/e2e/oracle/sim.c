/* See sim.h. A record's key is the path to the block: for each loop or call around it (its number, its
 * iteration), then the block's own number. Keys compare in the order in which a wave runs blocks, so that
 * "demoted before" is a comparison too. */
#include "tests/e2e/oracle/sim.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 8, KEY = 2 * DEPTH + 2 };

typedef struct key {
    uint16_t word[KEY];
} key;

enum { NOTHING = UINT32_MAX };

typedef struct record {
    key where;
    uint32_t lane, mark;
    bool is_select, condition; /* a select site: `mark` is its number */
    bool is_asked;             /* a value site, likewise */
    bool is_segment;           /* the lanes that come back from a call begin a wave segment */
    uint32_t value;
    uint32_t next; /* the block the lane came to from this one; NOTHING if none */
} record;

/* A loop that the lane is in; calls have a place in the stack too, and no number. */
typedef struct loop_state {
    uint32_t mark, trips; /* NOTHING: no block of it yet, or counted already */
} loop_state;

static struct {
    const sim_launch *launch;
    sim_counts *counts;
    uint64_t weight;
    loop_state loops[DEPTH];
    size_t previous; /* the lane's last record of a block, SIZE_MAX for none */
    uint32_t id, lane, depth;
    uint16_t stack[2 * DEPTH];
    uint32_t calls, call_depth[DEPTH];
    bool demoted;
    jmp_buf end; /* of the lane that runs */
    key last;
    uint16_t segments; /* in this run of the block */
    bool segmented;    /* this wave: some lane has begun a segment */
    record *records;
    size_t count, capacity;
    key *demotes; /* of this wave's lanes that demoted */
    size_t demote_count, demote_capacity;
} sim;

static void *grow(void *data, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return data;
    *capacity = *capacity ? *capacity * 2 : 1024;
    data = realloc(data, *capacity * size);
    if (!data) {
        fprintf(stderr, "out of memory\n");
        exit(3);
    }
    return data;
}

static void need(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "kernel text: %s\n", what);
        exit(3);
    }
}

static void add_record(record r)
{
    if (sim.demoted)
        return;
    sim.records = grow(sim.records, sim.count, &sim.capacity, sizeof *sim.records);
    sim.records[sim.count++] = r;
}

void sim_mark(uint32_t mark)
{
    need(mark < SIM_MARKS, "block number too large");
    sim.segments = 0;
    memset(&sim.last, 0, sizeof sim.last);
    memcpy(sim.last.word, sim.stack, sim.depth * sizeof sim.stack[0]);
    /* One more than the number: a block after a loop sorts after the loop's own blocks of the same prefix. */
    sim.last.word[sim.depth] = (uint16_t)(mark + 1);
    add_record((record){.where = sim.last, .lane = sim.lane, .mark = mark, .next = NOTHING});
    if (sim.demoted)
        return;
    if (sim.previous != SIZE_MAX)
        sim.records[sim.previous].next = mark;
    sim.previous = sim.count - 1;
    for (uint32_t d = 0; d < sim.depth / 2; d++)
        if (sim.loops[d].mark == NOTHING && sim.loops[d].trips == 0)
            sim.loops[d].mark = mark;
}

bool sim_select(uint32_t site, bool condition)
{
    need(site < SIM_SELECTS, "select number too large");
    record r = {.where = sim.last, .lane = sim.lane, .mark = site, .is_select = true, .condition = condition};
    /* Behind its block and before whatever is nested deeper: a number no block has. */
    r.where.word[KEY - 1] = (uint16_t)(site + 1);
    add_record(r);
    return condition;
}

void sim_asked(uint32_t site, uint32_t value)
{
    need(site < SIM_SITES, "value site number too large");
    record r = {.where = sim.last, .lane = sim.lane, .mark = site, .is_asked = true, .value = value};
    r.where.word[KEY - 1] = (uint16_t)(SIM_SELECTS + site + 1);
    add_record(r);
}

uint32_t sim_segment(uint32_t value)
{
    record r = {.where = sim.last, .lane = sim.lane, .is_segment = true};
    sim.segmented = true;
    r.where.word[KEY - 1] = (uint16_t)(SIM_SELECTS + SIM_SITES + ++sim.segments);
    add_record(r);
    return value;
}

/* Loops deeper than `depth` are left. */
static void count_trips(uint32_t depth)
{
    for (uint32_t d = sim.depth / 2; d-- > depth / 2;) {
        loop_state *state = &sim.loops[d];
        if (state->mark != NOTHING) {
            sim_loop *loop = &sim.counts->loops[state->mark];
            uint32_t bucket = 0;
            while (bucket < SIM_TRIP_BUCKETS - 1 && state->trips >> bucket)
                bucket++;
            if (!loop->lanes || state->trips < loop->least)
                loop->least = state->trips;
            if (!loop->lanes || state->trips > loop->most)
                loop->most = state->trips;
            loop->lanes += sim.weight;
            loop->trips += sim.weight * state->trips;
            loop->buckets[bucket] += sim.weight;
        }
        *state = (loop_state){NOTHING, NOTHING};
    }
}

static void push(uint32_t number)
{
    need(sim.depth + 2 <= 2 * DEPTH, "nested too deep");
    sim.stack[sim.depth] = (uint16_t)(number + 1);
    sim.stack[sim.depth + 1] = 0;
    sim.loops[sim.depth / 2] = (loop_state){NOTHING, NOTHING};
    sim.depth += 2;
}

void sim_loop_enter(uint32_t mark)
{
    push(mark);
    sim.loops[sim.depth / 2 - 1].trips = sim.demoted ? NOTHING : 0;
}
void sim_loop_next(void)
{
    if (sim.loops[sim.depth / 2 - 1].mark != NOTHING)
        sim.loops[sim.depth / 2 - 1].trips++;
    sim.stack[sim.depth - 1]++;
    need(sim.stack[sim.depth - 1] != 0, "a loop ran 65536 times");
}
bool sim_loop_again(bool condition)
{
    /* Counted before the condition was known. */
    if (!condition && sim.loops[sim.depth / 2 - 1].mark != NOTHING)
        sim.loops[sim.depth / 2 - 1].trips--;
    return condition;
}
void sim_loop_leave(void)
{
    count_trips(sim.depth - 2);
    sim.depth -= 2;
}

void sim_call(uint32_t site)
{
    need(sim.calls < DEPTH, "calls nested too deep");
    sim.call_depth[sim.calls++] = sim.depth;
    push(site);
}

uint32_t sim_return(uint32_t value)
{
    count_trips(sim.call_depth[sim.calls - 1]);
    sim.depth = sim.call_depth[--sim.calls]; /* a return from inside a loop leaves the loop's entry behind */
    return value;
}

void sim_demote(void)
{
    if (sim.demoted)
        return;
    count_trips(0);
    sim.demoted = true;
    sim.demotes = grow(sim.demotes, sim.demote_count, &sim.demote_capacity, sizeof *sim.demotes);
    sim.demotes[sim.demote_count++] = sim.last;
}

void sim_kill(void)
{
    longjmp(sim.end, 1);
}

void sim_result(uint32_t value)
{
    if (!sim.demoted)
        sim.launch->results[sim.id] = value;
}
uint32_t sim_input(uint32_t k)
{
    return sim.launch->inputs[(size_t)sim.id * 4 + k];
}
uint32_t sim_shared(uint32_t k)
{
    return sim.launch->inputs[k];
}
uint32_t sim_lane(void)
{
    return sim.launch->lanes ? sim.launch->lanes[sim.id] : 0;
}
uint32_t sim_spec(void)
{
    return sim.launch->spec;
}
uint32_t sim_id(void)
{
    return sim.id;
}

static int by_key(const void *a, const void *b)
{
    const record *x = a, *y = b;
    for (size_t i = 0; i < KEY; i++)
        if (x->where.word[i] != y->where.word[i])
            return x->where.word[i] < y->where.word[i] ? -1 : 1;
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

static bool before(const key *a, const key *b)
{
    for (size_t i = 0; i < KEY; i++)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i];
    return false;
}

static void count_select(sim_counts *counts, const record *group, size_t count, uint64_t weight)
{
    uint64_t *site = counts->selects + (size_t)group->mark * SIM_SELECT_COUNTERS;
    size_t taken = 0;
    for (size_t i = 0; i < count; i++)
        taken += group[i].condition;
    site[SIM_LANES_TRUE] += weight * taken;
    site[SIM_LANES_FALSE] += weight * (count - taken);
    site[SIM_WAVES_TRUE] += taken ? weight : 0;
    site[SIM_WAVES_FALSE] += taken < count ? weight : 0;
    if (counts->select_count <= group->mark)
        counts->select_count = group->mark + 1;
}

static void count_asked(sim_counts *counts, const record *group, size_t count, uint64_t weight)
{
    sim_site *site = &counts->sites[group->mark];
    bool agree = true;
    for (size_t i = 1; i < count; i++)
        agree &= group[i].value == group[0].value;
    site->asked += weight;
    site->agreed += agree ? weight : 0;
    uint32_t v = 0;
    while (v < site->value_count && site->values[v].value != group[0].value)
        v++;
    need(v < SIM_VALUES, "too many values of one site");
    site->values[v].value = group[0].value;
    site->values[v].count += weight;
    site->value_count += v == site->value_count;
    if (counts->site_count <= group->mark)
        counts->site_count = group->mark + 1;
}

/* Where the lanes of one execution of a block went next. */
static void count_edges(sim_counts *counts, const record *group, size_t count, uint64_t weight)
{
    bool seen[SIM_MARKS] = {0};
    for (size_t i = 0; i < count; i++) {
        if (group[i].next == NOTHING)
            continue;
        counts->edge_lanes[group->mark][group[i].next] += weight;
        counts->edge_waves[group->mark][group[i].next] += seen[group[i].next] ? 0 : weight;
        seen[group[i].next] = true;
    }
}

static uint64_t lanes_of(const record *group, size_t count)
{
    uint64_t lanes = 0;
    for (size_t i = 0; i < count; i++)
        lanes |= UINT64_C(1) << group[i].lane;
    return lanes;
}

/* Whether nobody is missing of the segments that the lanes of one execution are in. They are in one from
 * here. */
static bool is_whole(uint64_t *segment_of, const record *group, size_t count)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all |= segment_of[group[i].lane];
    for (size_t i = 0; i < count; i++)
        segment_of[group[i].lane] = all;
    return lanes_of(group, count) == all;
}

/* To the end of the kernel, or of the invocation. */
static void run_lane(void)
{
    if (setjmp(sim.end) == 0)
        sim.launch->kernel();
}

void sim_wave(sim_counts *counts, const sim_launch *launch, const uint32_t *ids, size_t count,
              uint64_t weight)
{
    sim.launch = launch;
    sim.counts = counts;
    sim.weight = weight;
    sim.count = sim.demote_count = 0;
    uint64_t segment_of[64] = {0};
    sim.segmented = false;
    for (size_t i = 0; i < count; i++) {
        sim.id = ids[i];
        sim.lane = (uint32_t)i;
        sim.depth = sim.calls = 0;
        sim.previous = SIZE_MAX;
        sim.demoted = false;
        run_lane();
        count_trips(0);
    }
    need(!sim.segmented || count <= 64, "segments of a wave of more than 64 lanes");
    for (size_t i = 0; sim.segmented && i < count; i++)
        segment_of[i] = count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    qsort(sim.records, sim.count, sizeof *sim.records, by_key);
    for (size_t i = 0; i < sim.count;) {
        size_t end = i + 1;
        while (end < sim.count && memcmp(&sim.records[end].where, &sim.records[i].where, sizeof(key)) == 0)
            end++;
        if (sim.records[i].is_select) {
            count_select(counts, &sim.records[i], end - i, weight);
            i = end;
            continue;
        }
        if (sim.records[i].is_asked) {
            count_asked(counts, &sim.records[i], end - i, weight);
            i = end;
            continue;
        }
        if (sim.records[i].is_segment) {
            uint64_t lanes = lanes_of(&sim.records[i], end - i);
            for (size_t r = i; r < end; r++)
                segment_of[sim.records[r].lane] = lanes;
            i = end;
            continue;
        }
        uint32_t mark = sim.records[i].mark;
        size_t demoted = 0;
        for (size_t d = 0; d < sim.demote_count; d++)
            demoted += before(&sim.demotes[d], &sim.records[i].where);
        count_edges(counts, &sim.records[i], end - i, weight);
        counts->marked[mark] = true;
        counts->waves[mark] += weight;
        counts->lanes[mark] += weight * (end - i);
        bool whole =
            sim.segmented ? is_whole(segment_of, &sim.records[i], end - i) : end - i == count - demoted;
        counts->uniform[mark] += whole ? weight : 0;
        i = end;
    }
}
