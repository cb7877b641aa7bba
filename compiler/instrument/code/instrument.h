/* Puts counters into a normalised module.
 *
 *     normal form --analyse--> classes, sites --plan--> counter map --inject--> instrumented module
 *
 * Analysis and plan change nothing. The module is changed only once the plan stands. The caller owns the
 * counter memory. The shader finds its 64-bit device address by two loads: a seed at one literal address, and
 * a cell of an array at another. The shader adds to 64-bit little-endian counters there, through
 * SPV_KHR_physical_storage_buffer. Definitions of waves, lanes and uniform: the README of
 * compiler/instrument. Threads: one module, one thread. */
#ifndef WPG_COMPILER_INSTRUMENT_CODE_INSTRUMENT_H
#define WPG_COMPILER_INSTRUMENT_CODE_INSTRUMENT_H

#include "compiler/analysis/graph/block_graph.h"
#include "compiler/analysis/graph/cfg.h"
#include "compiler/spirv/stage.h"
#include "runtime/base/weights.h"

/* What device and pipeline allow for this stage. The layer fills this from enabled features, the command line
 * from options. */
typedef struct wpg_instrument_target {
    bool subgroup_basic, subgroup_ballot; /* subgroup operations available in this stage */
    bool subgroup_arithmetic;
    uint32_t subgroup_size; /* lanes a full wave usually has, 0 = not known; counts are exact for any size */
    uint32_t subgroup_most; /* lanes a wave has at most, 0 = not known: 128 */
    bool int64_atomics;     /* shaderInt64 + shaderBufferInt64Atomics: else 32-bit low with carry into high */
    bool demote_to_helper;  /* shaderDemoteToHelperInvocation: OpIsHelperInvocationEXT may be used */
    /* The driver computes a value that leaves a loop without a phi again, for lanes that left before
     * (lavapipe 22.3.6, SwiftShader): a private counter made of a ballot would be wrong. */
    bool loses_exit_values;
    /* The driver makes coroutines of compute shaders with barriers (lavapipe, SwiftShader): the time to
     * compile grows with the barriers (driver/budget.h). */
    bool suspends_at_barriers;
    /* The driver makes a loop over the lanes of each atomic operation, and runs both arms of each branch
     * (lavapipe): counting/lane_marks.c. */
    bool loops_over_lanes;
    bool maximal_reconvergence; /* shaderMaximalReconvergence enabled and allowed in this stage */
    bool early_tests; /* fragment: the pipeline's state gives equal results with early and with late depth and
                         stencil tests: known to have no alpha to coverage and no depth feedback */
    bool memory_model_device_scope; /* vulkanMemoryModelDeviceScope, matters when the module uses the Vulkan
                                       memory model */
    unsigned max_spirv_minor;       /* highest SPIR-V 1.x the device takes; subgroup operations need 3 */
} wpg_instrument_target;

/* How blocks are counted (setting STRATEGY): see strategy.h. All but `lane` give the same numbers. */
typedef enum wpg_strategy_choice {
    WPG_STRATEGY_AUTO,     /* per class, by cost */
    WPG_STRATEGY_DERIVED,  /* derive wherever it is right */
    WPG_STRATEGY_ADDITIVE, /* private counters for every class */
    WPG_STRATEGY_NAIVE,    /* atomics at every class: the oracle */
    WPG_STRATEGY_SLOTS,    /* as naive, into one of WPG_SLOTS copies of the counters: less contention */
    WPG_STRATEGY_LANE,     /* per lane: lanes only, as without subgroup operations */
} wpg_strategy_choice;
/* The strategy with that name in the setting; false if there is none. */
bool wpg_strategy_find(wpg_strategy_choice *choice, const char *name);

typedef struct wpg_instrument_options {
    wpg_instrument_target target;
    /* Where the address of the pipeline's counters stands, as literals: in cell (tag * seed) >> shift of an
     * array of 8-byte cells. The seed is the 32-bit word at `directory_entry`. No cells: the entry is the one
     * cell. */
    uint64_t directory_entry, directory_cells;
    uint32_t directory_tag, directory_shift; /* below 32; tag 0 leads to cell 0 */
    /* Or, without any address: the pipeline's counters are the storage buffer at binding 0 of this descriptor
     * set. The counters are 32-bit words then, whatever the target has. */
    bool by_binding;
    uint32_t counter_set;
    uint32_t first_counter; /* index of this stage's first 64-bit counter in the pipeline's counter memory */
    bool select_sites;      /* count select sites too */
    /* Of these, only where a side has so much own work (compiler/analysis/values/select_work.h); 0: all. */
    uint32_t select_work;
    wpg_strategy_choice strategy;
    uint32_t budget; /* AUTO: the most that counting may multiply the cost of compiling by, as predicted
                        (driver/budget.h); 0: no limit */
    uint32_t probes; /* WPG_PROBE_* wanted, see probes/probe.h; where waves are not counted, few of them */
    uint32_t sample; /* 1 of so many groups of invocations is counted, at most WPG_SAMPLE_MAX; 0, 1 = all */
    uint32_t sample_seed; /* which ones: a constant of the pipeline */
    bool no_paths;        /* no table of paths (counting/paths.h): shorter code, which runs longer */
    bool small_arms;      /* for tests: arms of few blocks are scopes, too (code/structure.h) */
    bool high_start;      /* counters do not start at zero: no tables of values, no extremes */
} wpg_instrument_options;

/* Kinds of counter a function may have; absent is not zero. */
enum { WPG_KIND_LANES = 1, WPG_KIND_WAVES = 2, WPG_KIND_UNIFORM = 4, WPG_KIND_SELECTS = 8 };

enum { WPG_NO_COUNTER = UINT32_MAX };
enum { WPG_SAMPLE_MAX = 65536, WPG_SLOTS = 256 };

/* How a class of blocks is counted; for people, in `methods`. */
typedef enum wpg_method {
    WPG_METHOD_NONE,     /* unreachable */
    WPG_METHOD_LANE,     /* an atomic by every lane */
    WPG_METHOD_NAIVE,    /* ballot, election, atomics where it stands */
    WPG_METHOD_ADDITIVE, /* private counters */
    WPG_METHOD_EDGE,     /* private counters, from a ballot of the branch that leads to it */
    WPG_METHOD_TRIPS,    /* from the trips of its loop */
    WPG_METHOD_MARK,     /* a bit, looked at where lanes leave */
    WPG_METHOD_SELECT,   /* private counters, of one side of a select */
    WPG_METHOD_SUM,      /* a sum of others */
} wpg_method;
const char *wpg_method_name(wpg_method method);
/* Probes: measurements besides blocks and selects (compiler/instrument/README.md). */
enum {
    WPG_PROBE_BRANCHES = 1, /* each direction of a conditional branch */
    WPG_PROBE_SWITCH = 2,   /* each target of a switch */
    WPG_PROBE_LOOPS = 4,    /* entries and trips of loops */
    WPG_PROBE_ENTRY = 8,    /* how waves start: live and helper lanes, wave size */
    WPG_PROBE_VALUES = 16,  /* indices, bounds, selectors: uniform? which values? */
    WPG_PROBE_WORDS = 64,   /* words of uniform blocks: which values? */
    WPG_PROBE_INPUTS = 128, /* inputs of fragment stages: which values? */
    WPG_PROBE_EVERY = 32, /* values at every visit, in loops too, where else a part of the visits is asked */
};
/* Probes at no or little cost: on unless the user says otherwise. */
enum { WPG_PROBES_DEFAULT = WPG_PROBE_WORDS, WPG_PROBES_ALL = 31 | WPG_PROBE_WORDS | WPG_PROBE_INPUTS };
/* "branches,loops", "all", "none", "default", or several of these joined by commas. WPG_E_ARGUMENT names the
 * unknown word; *probes then has the others. */
wpg_status wpg_probes_parse(uint32_t *probes, const char *text, wpg_error *err);

/* The result of a probe: one record of the profile. Each word of the record is a sum of terms over the
 * function's counts, so the reader of counters needs to know no probe. Word w is the sum of terms[first[w]]
 * .. terms[first[w + 1] - 1]. A negative sum reads as zero (counters read while the GPU runs). */
typedef enum wpg_term_source {
    WPG_TERM_CONSTANT, /* `index` itself */
    WPG_TERM_COUNTER,  /* 64-bit counter `index` from the pipeline's base */
    WPG_TERM_LANES,    /* count of block `index` */
    WPG_TERM_WAVES,
    WPG_TERM_UNIFORM,
    WPG_TERM_SOURCES
} wpg_term_source;
typedef struct wpg_probe_term {
    uint8_t source; /* wpg_term_source */
    bool minus;
    uint32_t index;
} wpg_probe_term;
/* Tables of values in counter memory (probe_values.c). Offsets count from the table's first counter. The
 * number of entries is a power of two. */
enum {
    WPG_VALUES_ENTRIES = 16,
    WPG_VALUES_ZERO = 0,                            /* how often the value 0 was seen */
    WPG_VALUES_OTHERS = 1 + 2 * WPG_VALUES_ENTRIES, /* how often a value found no room */
    WPG_VALUES_GREATEST,                            /* the greatest such value, in the low word; see order */
    WPG_VALUES_LEAST,                               /* the greatest complement of such a value */
    WPG_VALUES_COUNTERS
};
#define WPG_VALUES_VALUE(entry) (1 + 2 * (uint32_t)(entry)) /* the value, in the low word; 0: free */
#define WPG_VALUES_COUNT(entry) (2 + 2 * (uint32_t)(entry))
/* How values are ordered for extremes: as 32-bit numbers that compare as unsigned. */
typedef enum wpg_value_order {
    WPG_ORDER_UNSIGNED,
    WPG_ORDER_SIGNED,
    WPG_ORDER_FLOAT,
    WPG_ORDERS
} wpg_value_order;
typedef struct wpg_probe_site {
    uint32_t first; /* counter; WPG_NO_COUNTER: no values are kept */
    uint8_t order;  /* wpg_value_order */
} wpg_probe_site;

/* A sample of visits, each with the values of all sites (probes/reservoir.h). */
enum { WPG_RESERVOIR_PLACES = 32 };
#define WPG_RESERVOIR_STRIDE(width)   (((uint32_t)(width) + 1) / 2) /* counters a place */
#define WPG_RESERVOIR_COUNTERS(width) (1 + WPG_RESERVOIR_PLACES * WPG_RESERVOIR_STRIDE(width))
typedef struct wpg_probe_reservoir {
    uint32_t first; /* counter */
    uint32_t width; /* 32-bit words a place; 0: no reservoir */
} wpg_probe_reservoir;

/* The least and the greatest value of a measurement. A merge cannot add them, so they stand in two words that
 * only rise. */
typedef struct wpg_probe_range {
    uint32_t first; /* counter: the greatest, in the low word; the next one: the greatest complement */
    uint32_t block; /* what it is about: the loop whose header this is */
} wpg_probe_range;

typedef struct wpg_probe_table {
    const char *record; /* kind of the record: "branches", ... */
    uint32_t word_count;
    uint32_t *first; /* [word_count + 1], rising, first[0] = 0 */
    wpg_probe_term *terms;
    uint32_t site_count; /* value sites: [0, n) values with counts, [n, 2n) extremes of what found no room */
    wpg_probe_site *sites;
    uint32_t range_count;
    wpg_probe_range *ranges;
    wpg_probe_reservoir reservoir; /* a word for each site */
} wpg_probe_table;

/* The counters of one function. Its record in the profile has block_count counters of each kind. Index
 * WPG_NO_COUNTER: the block never runs (count 0). An index beyond the stage's counters names a sum.
 * wpg_counter_value reads both. */
typedef struct wpg_function_counters {
    uint32_t function; /* id of the OpFunction in the normal form */
    uint32_t ordinal; /* 0 = the entry function; else its number among the functions left uninlined, from 1 */
    uint64_t checksum; /* wpg_cfg_checksum of the normal form */
    uint32_t kinds;    /* WPG_KIND_* present */
    uint32_t block_count;
    wpg_block_graph flow; /* what the counts must fit; count 0: not kept */
    uint32_t *lanes, *waves,
        *uniform;     /* [block_count] counter indices from the pipeline's base; NULL if the kind is absent */
    uint8_t *methods; /* [block_count] wpg_method */
    uint32_t select_count;
    uint32_t *selects; /* [select_count] index of the first of WPG_SELECT_COUNTERS counters, WPG_NO_COUNTER
                         of a site that is not counted; NULL if absent */
    uint32_t table_count;
    wpg_probe_table *tables; /* of probes */
} wpg_function_counters;

/* A count without a counter of its own: the sum of factor x counter. Sum i has the index first_counter +
 * counter_count + i. */
typedef struct wpg_counter_term {
    uint32_t counter; /* in memory */
    int32_t factor;
} wpg_counter_term;
typedef struct wpg_counter_sum {
    uint32_t first, count; /* of the map's terms */
} wpg_counter_sum;

/* Waves counted by their path, in place of by tallies (counting/paths.h). A table has keys, and behind them a
 * counter for each, several times. A key tells how many lanes the wave had, and how often they came to each
 * of `count` tallies. A tally's counters lie side by side: full, lanes, waves, uniform. */
enum { WPG_PATH_WORDS = 24, WPG_PATH_BITS = 10, WPG_PATH_LANES = 128 }; /* at most */
/* Bits of a word of a key. The next one says that it was written. The last one stays zero: a counter that has
 * it is taken for a torn read (runtime/counters/counters.c). */
enum { WPG_KEY_BITS = 30 };
enum { WPG_COPIES = 8, WPG_TALLY_COUNTERS = 4 };
/* Where a key holds a number: bits of a word. */
typedef struct wpg_path_field {
    uint8_t word, shift, width, plus; /* `plus` is added to the number */
} wpg_path_field;
typedef struct wpg_path_table {
    uint32_t first; /* counter */
    uint8_t words;  /* u32 of a key, each 0 until a path has the place; key k's word w is u32 number
                       (w << bits) + k */
    uint8_t bits;   /* there are 1 << bits places */
    uint8_t copies; /* of the counts, one after the other; a path's count is their sum */
    /* Not zero: the place itself tells the key, of waves of at most so many lanes, and there are no keys in
     * memory. A place is the sum of digits, the lowest first: lanes - 1 (of `most`), whether none of E is
     * missing (of two, where `part` is set), then each tally's number: lanes that came (of `most` + 1) or, of
     * a mark that all have alike, one bit. */
    uint8_t most;
    bool part; /* some waves lack lanes of E */
} wpg_path_table;
typedef struct wpg_counter_path {
    wpg_path_table table;
    bool mixed;    /* lanes differ: a tally has three fields (wpg_wave_fields) */
    uint32_t full; /* first counter of the first tally */
    uint32_t size; /* so many lanes are a full wave */
    wpg_path_field lanes;
    uint32_t first, count; /* of the map's path_fields; tallies */
} wpg_counter_path;
/* A tally's numbers of a wave whose lanes differ (counting/waves.h). No width of `waves`: a mark, to which so
 * many of the wave's lanes came. No width of `lanes`: all came, as often as `waves` says. The bit
 * behind the number of the wave's lanes is set unless some had left before. */
enum { WPG_WAVE_FIELDS = 3, WPG_LANES_WIDTH = 8 /* a wave has 128 lanes at most */ };
typedef struct wpg_wave_fields {
    wpg_path_field lanes, waves, uniform;
} wpg_wave_fields;
/* How many fields of the map the path has. */
uint32_t wpg_path_field_count(const wpg_counter_path *path);
/* Copies of a counter, by workgroup, each in a cache line of its own: WPG_SPREAD counters apart. */
enum { WPG_SPREAD = 8 };
typedef struct wpg_counter_spread {
    uint32_t counter; /* gains the sum of */
    uint32_t first;   /* WPG_COPIES counters */
} wpg_counter_spread;
/* In counters: a table's keys, and the whole table. */
uint32_t wpg_path_keys(const wpg_path_table *table);
uint32_t wpg_path_counters(const wpg_path_table *table);

typedef struct wpg_counter_map {
    wpg_arena arena;
    wpg_function_counters *functions;
    uint32_t function_count;
    uint32_t first_counter, counter_count; /* this stage's 64-bit counters: [first, first + count) */
    uint32_t slots; /* the counters are so many copies, one after the other, of which a count is the sum */
    uint32_t cells; /* private counters; for people, 0 where not known */
    wpg_counter_sum *sums;
    uint32_t sum_count;
    wpg_counter_term *terms;
    uint32_t term_count;
    wpg_counter_path *paths;
    uint32_t path_count;
    wpg_path_field *path_fields;
    uint32_t path_field_count;
    wpg_counter_spread *spreads;
    uint32_t spread_count;
    /* In-shader sampling (sample.h): counters estimate all invocations from 1 of sample_rate. The two
     * counters hold what was really seen at the entry, unscaled; WPG_NO_COUNTER where not counted. */
    uint32_t sample_rate; /* 1: everything is counted */
    uint32_t seen_lanes, seen_waves;
    bool without_early_tests; /* fragment: counting disabled implicit early tests */
    bool over_budget;         /* counted in a cheaper way than asked for (driver/budget.h); `note` says why */
    char note[128];           /* what could not be counted and why; "" if nothing */
} wpg_counter_map;

void wpg_counter_map_destroy(wpg_counter_map *map);
/* The chosen methods as text: "154 blocks: 42 mark, 21 trips, ...; 90 private counters, 301 in memory". */
void wpg_counter_map_describe(char *text, size_t size, const wpg_counter_map *map);
/* The count with that index, from the first `have` counters of the pipeline's memory. 0 if the index lies
 * behind them. */
uint64_t wpg_counter_value(const wpg_counter_map *map, uint32_t index, const uint64_t *values, size_t have);
/* Word `word` of a probe's record. */
uint64_t wpg_probe_value(const wpg_counter_map *map, const wpg_function_counters *function,
                         const wpg_probe_table *table, uint32_t word, const uint64_t *values, size_t have);

/* The values of a site and how often each was seen, in no order. Returns their number, at most
 * WPG_VALUES_ENTRIES + 1. */
typedef struct wpg_value_count {
    uint64_t value, count;
} wpg_value_count;
uint32_t wpg_probe_pairs(wpg_value_count pairs[WPG_VALUES_ENTRIES + 1], const wpg_probe_site *site,
                         const uint64_t *values, size_t have);
/* The smallest and the largest value that found no room; false if every value found room. */
bool wpg_probe_extremes(uint64_t extremes[2], const wpg_probe_site *site, const uint64_t *values,
                        size_t have);

/* How many places of the reservoir are taken; *offered gets the number of visits they stand for. */
uint32_t wpg_probe_samples(uint64_t *offered, const wpg_probe_reservoir *reservoir, const uint64_t *values,
                           size_t have);
/* A word of place `place`, which must be taken. */
uint32_t wpg_probe_sample_word(const wpg_probe_reservoir *reservoir, uint32_t place, uint32_t word,
                               const uint64_t *values);

/* Least and greatest; false if nothing was seen. */
bool wpg_probe_range_value(uint64_t extremes[2], const wpg_probe_range *range, const uint64_t *values,
                           size_t have);

/* Instruments the module in place and returns the map. WPG_E_UNSUPPORTED if the stage cannot be instrumented:
 * the module is untouched, so log why and pass the original through. */
wpg_status wpg_instrument(wpg_counter_map **map, wpg_module *module, const wpg_stage *stage,
                          const wpg_instrument_options *options, wpg_error *err);

#endif
