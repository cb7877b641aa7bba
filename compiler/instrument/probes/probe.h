/* Probes: measurements of generate mode besides block counts.
 *
 *     cfg --plan--> sites, counters, words of the record --emit--> code at the sites
 *                                 |
 *                                 +--> wpg_probe_table in the counter map --> one record of the profile
 *
 * A kind of probe is constant data, one file each (probe_*.c), listed in wpg_probes. A probe reads the
 * function's cfg. It gives the words of its record, each a sum of the probe's own counters and of block
 * counts. It places points for what the block counts do not tell. Probes run beside the counting strategy.
 * Most need that the strategy counts lanes and waves of blocks. A plan changes nothing. Only emit adds code,
 * through inject.h, which keeps the structure valid.
 *
 * Records are additive, since merging adds profiles. A word that describes rather than counts (a block id) is
 * written as a constant times the record's first word. That first word is 1 in every profile written, and
 * becomes the number of profiles merged: wpg_probe_describe. */
#ifndef WPG_COMPILER_INSTRUMENT_PROBES_PROBE_H
#define WPG_COMPILER_INSTRUMENT_PROBES_PROBE_H

#include "compiler/instrument/code/inject.h"
#include "runtime/base/vec.h"

struct wpg_probe;

/* A counter that is kept in a private variable until lanes leave. */
typedef struct wpg_probe_cell {
    uint32_t counter, variable;
} wpg_probe_cell;

/* A place that gets a probe's code. */
typedef struct wpg_probe_point {
    uint32_t block;
    wpg_inst *before; /* NULL: at the block's start; the block's terminator: at its end */
    const struct wpg_probe *probe;
    void *site; /* the probe's own, in the plan's arena; emit may write to it */
} wpg_probe_point;

/* One function's plan of one probe while it is made. The wpg_probe_* functions below set `failed` and return:
 * test it when the probe is done. */
typedef struct wpg_probe_plan {
    wpg_plan *plan;
    wpg_function_plan *function;
    const wpg_function_counters *counters;
    const struct wpg_probe *probe;
    WPG_VEC(wpg_probe_point) points;
    WPG_VEC(uint32_t) first;
    WPG_VEC(wpg_probe_term) terms;
    WPG_VEC(wpg_probe_site) sites;
    WPG_VEC(wpg_probe_range) ranges;
    wpg_probe_reservoir reservoir;
    bool has_lines; /* else nobody walks back through long blocks for one */
    bool failed;
} wpg_probe_plan;

typedef struct wpg_probe {
    const char *name;   /* in the setting PROBES */
    const char *record; /* kind of its record (runtime/profile/record_name.h) */
    uint32_t bit;       /* WPG_PROBE_* */
    bool by_lane;       /* for functions whose waves are not counted */
    bool by_either;     /* for both, where the stage has wave operations */
    uint32_t ids;       /* most ids that emit takes at one point, for the bound */
    /* A plan without a word: the function has no record of this probe. */
    void (*plan)(wpg_probe_plan *p);
    /* Types, capabilities, variables of the module; may be NULL. Called once if some point is the probe's. */
    void (*declare)(wpg_inject *in);
    void (*emit)(wpg_inject *in, const wpg_function_plan *function, const wpg_probe_point *point);
} wpg_probe;

extern const wpg_probe wpg_probe_lane_branches, wpg_probe_lane_loops;
extern const wpg_probe wpg_probe_branches, wpg_probe_switch, wpg_probe_loops, wpg_probe_entry,
    wpg_probe_values_of_sites, wpg_probe_words, wpg_probe_inputs;
extern const wpg_probe *const wpg_probes[]; /* NULL at the end */

/* -- Planning: called by wpg_probe.plan ---------------------------------------------------------------- */

/* `count` counters of the probe's own, consecutive; index of the first from the pipeline's base. */
uint32_t wpg_probe_counters(wpg_probe_plan *p, uint32_t count);
/* Are the waves of the function's blocks counted? */
static inline bool wpg_probe_has_waves(const wpg_probe_plan *p)
{
    return p->counters->kinds & WPG_KIND_WAVES;
}
/* The record's next word, so far an empty sum. */
void wpg_probe_word(wpg_probe_plan *p);
void wpg_probe_add(wpg_probe_plan *p, wpg_term_source source, uint32_t index);
void wpg_probe_subtract(wpg_probe_plan *p, wpg_term_source source, uint32_t index);
/* The next word, a constant: `value` in this profile, value times the first word in merged ones. */
void wpg_probe_describe(wpg_probe_plan *p, uint32_t value);
/* The record's next value site: a table of WPG_VALUES_COUNTERS counters, or WPG_NO_COUNTER for none. */
void wpg_probe_values(wpg_probe_plan *p, uint32_t first, wpg_value_order order);
/* Two counters for the extremes of something in `block` (wpg_probe_note_extremes): the first one, or
 * WPG_NO_COUNTER where memory does not start at zero. */
uint32_t wpg_probe_range_of(wpg_probe_plan *p, uint32_t block);
void wpg_probe_place(wpg_probe_plan *p, uint32_t block, wpg_inst *before, void *site);
/* Allows counter `counter` to be private if `block` is in a loop. The counter gets at most one addition a
 * visit, by the elected lane. */
void wpg_probe_keep(wpg_probe_plan *p, uint32_t block, uint32_t counter);
/* After all probes of a function: places the points where private counters go to memory. */
void wpg_probe_place_flushes(wpg_probe_plan *p);
/* Zeroed memory that lives as long as the plan; NULL when it ran out. */
void *wpg_probe_alloc(wpg_probe_plan *p, size_t count, size_t size);

/* Plans every wanted probe of a function whose blocks have their counters; fills function->probes and
 * counters->tables. */
wpg_status wpg_plan_probes(wpg_plan *plan, wpg_function_plan *function, wpg_function_counters *counters);

/* -- Injecting ----------------------------------------------------------------------------------------- */

void wpg_probes_declare(wpg_inject *in);

/* Id of a bool: this lane is live; 0 = every active lane is. */
uint32_t wpg_probe_live(wpg_inject *in);
/* a and b, either of which may be 0 for "true"; 0 if both are. */
uint32_t wpg_probe_and(wpg_inject *in, uint32_t a, uint32_t b);
/* How many active lanes have the condition (0 = all). */
uint32_t wpg_probe_lanes(wpg_inject *in, uint32_t condition);
/* 1 if the count is not 0, else 0. */
uint32_t wpg_probe_some(wpg_inject *in, uint32_t count);
/* Index (u32 id) of counter `first` + `offset`, the latter an id. */
uint32_t wpg_probe_index(wpg_inject *in, uint32_t first, uint32_t offset);
/* Widens the range that starts at the given counter by this lane's number (u32 id). A number inside the range
 * costs two loads. The counters must be declared as words. */
void wpg_probe_note_extremes(wpg_inject *in, uint32_t first, uint32_t number);
/* One of the live lanes (`live` as above) adds. */
void wpg_probe_add_elected(wpg_inject *in, const wpg_function_plan *function, uint32_t live,
                           const wpg_add *adds, size_t count);
/* This lane adds, to a private counter or to memory. */
void wpg_probe_add_here(wpg_inject *in, const wpg_function_plan *function, const wpg_add *adds, size_t count);

#endif
