/* The plan: what will be counted and where, made before the module is touched.
 *
 *     module --cfg, classes, sites--> points, one for each place that gets code --> counter map
 *
 * Ownership: everything here lives in `arena` and in the cfgs; wpg_plan_finish frees both. The caller takes
 * over the map. */
#ifndef WPG_COMPILER_INSTRUMENT_CODE_PLAN_H
#define WPG_COMPILER_INSTRUMENT_CODE_PLAN_H

#include "compiler/analysis/graph/mask.h"
#include "compiler/analysis/values/sites.h"
#include "compiler/instrument/code/instrument.h"
#include "compiler/instrument/code/steady.h"
#include "runtime/base/vec.h"

/* How the code tells a live lane from a helper. */
typedef enum wpg_helper_test {
    WPG_HELPER_NONE,    /* every active lane is live: no fragment stage */
    WPG_HELPER_OP,      /* OpIsHelperInvocationEXT */
    WPG_HELPER_BUILTIN, /* BuiltIn HelperInvocation: right only where nothing demotes */
    WPG_HELPER_UNKNOWN, /* fragment, but neither: helper lanes' atomics have no effect by Vulkan's rules, and
                           that is all there is */
} wpg_helper_test;

enum { WPG_NO_TALLY = UINT32_MAX, WPG_NO_CELL = UINT32_MAX };

typedef struct wpg_tally_term {
    uint32_t tally;
    int32_t factor;
} wpg_tally_term;

/* A tally: counted once, for one class of blocks or for classes whose counts are always equal. Counters in
 * memory are numbers from the pipeline's base, WPG_NO_COUNTER where absent. */
typedef struct wpg_tally {
    wpg_method method;
    uint32_t full; /* visits by full waves, which need no other counter (sampling/memory.c) */
    uint32_t lanes, waves, uniform;
    uint32_t spread;     /* `full` has copies from here (instrument.h), by workgroup */
    bool always_uniform; /* uniform is waves */
    uint32_t parts[2];   /* SUM: of these tallies; or of these terms, which are tallies that are counted */
    const wpg_tally_term *terms;
    uint32_t term_count;
    /* Not counted in place: */
    uint32_t region;
    uint32_t lanes_cell, waves_cell, uniform_cell; /* numbers of private cells, WPG_NO_CELL for none */
    uint32_t mark;                                 /* MARK: bit of the lanes cell */
    /* The lanes that leave the region have run it together each time. So each knows all numbers from its own
     * visits, and the lanes cell is the only cell. */
    bool steady;
    bool equal;    /* waves and uniform cells: every lane adds the wave's; else one lane does */
    uint32_t loop; /* TRIPS: number of its loop */
    /* Number of a loop. Of the lanes that entered the loop, the last one to leave has the most visits of each
     * tally it leads, or the largest waves and uniform cells. The first one has the fewest visits (rules.c,
     * Led). WPG_NO_BLOCK: no loop leads the tally. */
    uint32_t led_by;
    /* TRIPS: [exit_count] true: a lane that leaves by that exit ran the block once more than it has trips.
     * NULL: each lane counts its visits in its cell. */
    const bool *passes;
} wpg_tally;

/* One condition of select sites, counted in place: WPG_SELECT_COUNTERS counters from `first`. */
typedef struct wpg_select_tally {
    uint32_t condition, first;
} wpg_select_tally;

/* A loop that is a region, or from whose trips tallies are derived. */
typedef struct wpg_loop_plan {
    uint32_t construct;
    uint32_t region;                /* number of the region it lies in or is */
    uint32_t trips_cell, exit_cell; /* WPG_NO_CELL where not needed */
    const uint32_t *exits;          /* [exit_count] blocks that branch to the merge block */
    uint32_t exit_count;
    uint32_t led_by; /* of tallies whose cells its merge block adds to; every lane of the wave adds then */
    bool steady;     /* all lanes leave it in the same iteration */
    bool own;        /* the outermost whole loop, entered once while its region's cells live */
} wpg_loop_plan;

enum { WPG_MARKS_OF_A_CELL = 32 };

/* How the tallies of a region are combined over the wave (flush.c), in this order. */
typedef enum wpg_flush_group {
    WPG_FLUSH_STEADY,  /* marks that all lanes which leave have alike (steady.h) */
    WPG_FLUSH_VISITS,  /* visits that all lanes which leave have alike */
    WPG_FLUSH_MARKS,   /* by the ballot of a bit */
    WPG_FLUSH_TRIPS,   /* lanes added up; waves the most, uniform the fewest visits of a lane */
    WPG_FLUSH_LARGEST, /* lanes added up; waves and uniform the largest of the lanes' */
    WPG_FLUSH_SUMS,    /* all added up */
    WPG_FLUSH_GROUPS
} wpg_flush_group;

/* A part of a path: consecutive marks of a cell from `tally` on, or the visits of `tally`. */
typedef struct wpg_path_part {
    uint32_t tally;
    bool of_trips; /* the trips of the tally's loop, in place of its visits */
    wpg_path_field field;
} wpg_path_part;

/* How lanes' numbers make up a path (counting/paths.h). */
typedef struct wpg_path_plan {
    wpg_path_table table;
    wpg_path_field lanes;
    const wpg_path_part *parts;
    uint32_t part_count;
} wpg_path_plan;

/* Lanes from which a wave takes the numbers of all tallies that a loop leads (counting/waves.h). */
typedef struct wpg_wave_leaders {
    uint32_t loop;
    bool last, first; /* to leave the loop; false: the wave does without that lane */
} wpg_wave_leaders;

/* How a wave's numbers are found, many at a time (counting/waves.h). */
typedef struct wpg_wave_plan {
    wpg_path_table table; /* of waves; no words: there is none */
    /* [words] hold the numbers of a wave; the first `sums` are the sums of the lanes'. */
    uint32_t words, sums;
    uint32_t width;                /* bits of a lane's number of visits; 0: there are marks alone */
    wpg_path_field lanes, rest;    /* rest: how many lanes have numbers that are wider */
    const wpg_wave_fields *fields; /* [count of the region's told tallies] */
    const wpg_wave_leaders *leaders;
    uint32_t leader_count;
} wpg_wave_plan;

/* A region: where cells live. It is a scope (structure.h), or goes from an outermost whole loop's entry to
 * its merge block, or over the whole function. */
typedef struct wpg_region {
    uint32_t loop; /* number of the loop, WPG_NO_BLOCK if it is none */
    uint32_t exit; /* block of the scope's exit, WPG_NO_BLOCK if it is no scope; neither: the function */
    uint32_t mark_count, start_mark;  /* tallies; the mark that all lanes have, WPG_NO_TALLY if none */
    uint32_t start_cell, start_value; /* a cell that does not start at zero, WPG_NO_CELL if none */
    uint32_t *tallies;                /* its own, by group, in the order of their counters */
    uint32_t group_start[WPG_FLUSH_GROUPS + 1];
    uint32_t told;             /* tallies that `path` and `wave` tell: all, or those before SUMS */
    const wpg_path_plan *path; /* of waves whose lanes are alike; or NULL */
    const wpg_wave_plan *wave; /* of all others; NULL: each tally is combined by itself */
} wpg_region;

/* The kind of counting code at a point. */
typedef enum wpg_point_kind {
    WPG_POINT_LEAVE, /* merge block of loop `index` */
    WPG_POINT_COUNT, /* counts in place (strategy.h): the tally and selects; records and resolves demotes */
    WPG_POINT_MARK,  /* block start: sets the mark of tally `index` */
    WPG_POINT_MARK_SELECT, /* sets that of `index` or `other`, by the condition */
    WPG_POINT_SELECT,      /* adds to the cells of tallies `index` and `other`, by the condition */
    WPG_POINT_ADD,         /* block start: adds to the cells of tally `index` */
    WPG_POINT_EDGE,    /* before a branch: adds to the cells of the tallies of its true and false target */
    WPG_POINT_EXIT,    /* loop `index` may be left from here, by exit number `other` */
    WPG_POINT_BACK,    /* back edge of loop `index` */
    WPG_POINT_ENTER,   /* loop `index` is entered from here */
    WPG_POINT_FLUSH,   /* region `index` goes to memory: lanes leave the function, or may, by a demote */
    WPG_POINT_SPLIT,   /* before a branch: if lanes part there, the marks of region `index` go to memory */
    WPG_POINT_CUT,     /* lanes leave the function: the marks of region `index` go to memory */
    WPG_POINT_SEGMENT, /* behind what ends a wave segment: E is taken anew */
} wpg_point_kind;

/* A place that gets counting code. */
typedef struct wpg_point {
    wpg_point_kind kind;
    uint32_t block;   /* block index */
    wpg_inst *before; /* code goes before it; NULL: at the block's start, after phis and variables */
    uint32_t tally;   /* COUNT: WPG_NO_TALLY if only selects or demotes are */
    uint32_t index, other, condition;
    uint32_t record,
        resolve; /* construct watched for demotes that the block heads, or merges; WPG_NO_BLOCK if none */
    const wpg_select_tally *selects;
    uint32_t select_count;
} wpg_point;

typedef struct wpg_function_plan {
    wpg_inst *function;
    wpg_cfg *cfg;
    wpg_mask_classes classes;
    wpg_steady *steady; /* NULL: nothing is kept in registers, or lanes may change within a block */
    wpg_point *points;  /* by block, and within a block in instruction order */
    uint32_t point_count;
    bool watches;                   /* some point records */
    struct wpg_probe_point *probes; /* by block (probes/probe.h) */
    uint32_t probe_count;
    wpg_tally *tallies;
    uint32_t tally_count, *tally_of; /* tally_of: [class_count] */
    wpg_loop_plan *loops;
    uint32_t loop_count;
    wpg_region *regions;
    uint32_t region_count, cell_count;
    struct wpg_probe_cell *probe_cells; /* private counters of probes (probe_cells.c) */
    uint32_t probe_cell_count;
    /* Tallies of both directions of branches, for the probe; [blocks] WPG_NO_TALLY where none; NULL: no
     * branch */
    uint32_t *branch_yes, *branch_no;
    bool is_entry;
} wpg_function_plan;

typedef struct wpg_plan {
    wpg_arena arena;
    const wpg_module *module;
    const wpg_stage *stage;
    wpg_instrument_options own_options;    /* the caller's, but for what the plan itself decides */
    const wpg_instrument_options *options; /* of own_options: a plan is not moved */
    wpg_inst *entry_point;
    const struct wpg_strategy *strategy;
    wpg_helper_test helper_test;
    bool demotes;                 /* some function of the module demotes */
    bool segments;                /* some function of the module ends a wave segment (live.c) */
    bool declare_early_tests;     /* fragment: the stage had them implicitly and loses them by counting */
    wpg_function_plan *functions; /* the entry function first */
    uint32_t function_count;
    uint32_t counter_count;
    uint32_t sample_ended; /* two counters of small dispatches (sample_small.c), or WPG_NO_COUNTER */
    uint64_t probe_ids;    /* upper bound of the ids that probes take */
    wpg_counter_map *map;
    WPG_VEC(wpg_counter_sum) sums;
    WPG_VEC(wpg_counter_term) terms;
    WPG_VEC(wpg_counter_path) paths;
    WPG_VEC(wpg_path_field) path_fields;
    WPG_VEC(wpg_counter_spread) spreads;
    bool failed; /* memory ran out */
} wpg_plan;

/* True if E, the live lanes at the entry, is an SSA value (live.c): nothing changes E, and only the entry
 * function asks for E. */
bool wpg_plan_keeps_entry_mask(const wpg_plan *plan);

/* Sums have indices from here until the plan is settled. */
#define WPG_FIRST_SUM (UINT32_C(1) << 31)
/* Adds a sum for the map. Returns its index until the plan is settled; consecutive calls give consecutive
 * indices. */
uint32_t wpg_plan_add_sum(wpg_plan *plan, const wpg_counter_term *terms, size_t count);

wpg_status wpg_plan_make(wpg_plan *plan, const wpg_module *module, const wpg_stage *stage,
                         const wpg_instrument_options *options, wpg_error *err);
/* Frees all but the map. Also frees the map if no caller took it: set plan->map to NULL when you take the
 * map. */
void wpg_plan_finish(wpg_plan *plan);

/* Select sites of a function (selects.c). A site is counted by tallies where rules.c knows a way, else in
 * place. `starts` has, for each block, the conditions counted at the block's start; `late` has the other
 * points, by block. */
typedef struct wpg_select_starts {
    const wpg_select_tally *selects;
    uint32_t count;
} wpg_select_starts;
/* One condition of a function's select sites. */
typedef struct wpg_select_condition {
    uint32_t block;
    uint32_t first;   /* counted in place: its first counter; else WPG_NO_COUNTER */
    uint32_t yes, no; /* tallies */
} wpg_select_condition;
typedef struct wpg_select_plan {
    wpg_select_starts *starts; /* [blocks] */
    wpg_point *late;           /* [late_count] */
    uint32_t late_count, site_count;
    uint32_t *condition_of; /* [sites] */
    wpg_select_condition *conditions;
} wpg_select_plan;
struct wpg_chooser;
/* False when memory ran out. */
bool wpg_plan_selects(struct wpg_chooser *chooser, wpg_select_plan *selects);
/* Fills counters->selects with the indices of the sites' counts, once counters have numbers. */
wpg_status wpg_map_selects(wpg_plan *plan, const wpg_function_plan *function, const wpg_select_plan *selects,
                           wpg_function_counters *counters);
/* Appends to *terms the counters that make up one kind of a tally, each times `sign`. False when memory ran
 * out. */
typedef WPG_VEC(wpg_counter_term) wpg_term_list;
bool wpg_tally_terms(wpg_plan *plan, const wpg_function_plan *f, wpg_term_list *terms, uint32_t tally,
                     uint32_t kind, int32_t sign);
/* The counters that make up each number of a select site: of both sides of its condition (wpg_choose_select)
 * in `block`. Where only waves are counted of the false side, its lanes are the block's less the true
 * side's. */
bool wpg_side_terms(wpg_plan *plan, const wpg_function_plan *f, wpg_term_list terms[WPG_SELECT_COUNTERS],
                    uint32_t yes, uint32_t no, uint32_t block);

/* Decides how each class of a function is counted, and each select site if `selects` is not NULL: by which
 * cells and counters (methods.c). Appends the points for that to *points, unsorted. */
typedef WPG_VEC(wpg_point) wpg_point_list;
wpg_status wpg_plan_methods(wpg_plan *plan, wpg_function_plan *function, wpg_select_plan *selects,
                            wpg_point_list *points);

/* True if the stage's own code left early depth and stencil tests possible (early_tests.c). */
bool wpg_had_early_tests(const wpg_module *module, const wpg_inst *entry_point);
/* True if counting may declare early tests without another effect: the stage's work cannot tell early tests
 * from late ones. Implies wpg_had_early_tests. The pipeline's state must allow it too: target.early_tests. */
bool wpg_may_declare_early_tests(const wpg_module *module, const wpg_inst *entry_point);

#endif
