/* The oracle's tracer: runs a kernel's C reading once per invocation, records which block it entered with
 * which loop iterations and call sites around it, and adds the records of a wave up to waves, lanes and
 * uniform.
 *
 * Under structured reconvergence two invocations of a wave execute a block together exactly if they agree on
 * the iteration of every loop around it and on the calls that led there. Such a group is one execution by the
 * wave. So the counts of a block are: groups (waves), their members (lanes), and groups that hold every lane
 * that entered the kernel less those demoted before (uniform). That is the meaning of the
 * counters (compiler/instrument/README.md), written a second time without a mask in sight. A call
 * that ends a wave segment is a mark too: who executed it together is a segment from there, and lanes of
 * several segments that meet are one of all of these. One kernel at a time; threads: one. */
#ifndef WPG_TESTS_E2E_ORACLE_SIM_H
#define WPG_TESTS_E2E_ORACLE_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_MARKS = 64 }; /* block numbers are below this */
enum { SIM_SELECTS = 8, SIM_SITES = 32, SIM_VALUES = 4096 };
/* Counts of one select site, as the profile has them. */
enum { SIM_LANES_TRUE, SIM_LANES_FALSE, SIM_WAVES_TRUE, SIM_WAVES_FALSE, SIM_SELECT_COUNTERS };

/* Of one value site: waves that asked, waves that agreed, and how often each value was the first lane's. */
typedef struct sim_site {
    uint64_t asked, agreed;
    struct sim_value {
        uint32_t value;
        uint64_t count;
    } values[SIM_VALUES];
    uint32_t value_count;
} sim_site;

enum { SIM_TRIP_BUCKETS = 32 };
/* Of one loop: lanes that entered, their trips (back edges), and lanes by trips: 0, 1, 2-3, 4-7, ... Its
 * number is that of the first block run in it. */
typedef struct sim_loop {
    uint64_t lanes, trips, buckets[SIM_TRIP_BUCKETS];
    uint32_t least, most; /* trips of a lane, of all that entered */
} sim_loop;

typedef struct sim_counts {
    uint64_t waves[SIM_MARKS], lanes[SIM_MARKS], uniform[SIM_MARKS];
    bool marked[SIM_MARKS];
    uint64_t selects[SIM_SELECTS * SIM_SELECT_COUNTERS];
    uint32_t select_count; /* sites seen: highest number plus one */
    sim_site sites[SIM_SITES];
    uint64_t edge_lanes[SIM_MARKS][SIM_MARKS],
        edge_waves[SIM_MARKS][SIM_MARKS]; /* from a block to the next */
    sim_loop loops[SIM_MARKS];
    uint32_t site_count;
} sim_counts;

/* Called by kernels, see lang.h. */
void sim_mark(uint32_t mark);
void sim_loop_enter(uint32_t mark);
void sim_loop_next(void);
bool sim_loop_again(bool condition);
void sim_loop_leave(void);
void sim_call(uint32_t site);
uint32_t sim_return(uint32_t value);
bool sim_select(uint32_t site, bool condition);
void sim_asked(uint32_t site, uint32_t value);
uint32_t sim_shared(uint32_t k);
uint32_t sim_segment(uint32_t value);
void sim_demote(void);
__attribute__((noreturn)) void sim_kill(void);
void sim_result(uint32_t value);
uint32_t sim_input(uint32_t k);
uint32_t sim_lane(void);
uint32_t sim_spec(void);
uint32_t sim_id(void);

typedef struct sim_launch {
    void (*kernel)(void);
    const uint32_t *inputs; /* 4 words an invocation */
    uint32_t *results;      /* out: what each invocation writes; untouched where it writes nothing */
    const uint32_t *lanes;  /* subgroup invocation numbers, or NULL */
    uint32_t spec;
} sim_launch;

/* One wave: `ids` are its invocations (those that entered live), `weight` how often the whole wave ran. Adds
 * to counts. */
void sim_wave(sim_counts *counts, const sim_launch *launch, const uint32_t *ids, size_t count,
              uint64_t weight);

#endif
