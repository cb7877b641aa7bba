/* An interpreter of SPIR-V for tests: runs a shader lane by lane and says of every block how often it
 * must be counted.
 *
 * No mask, no dominance, no counter occurs here, and nothing of compiler/analysis or compiler/instrument is
 * used. Each lane runs alone and notes the blocks it enters, each with where it was: the calls that led there
 * and the iteration of every loop around it. Under structured reconvergence lanes of a wave run a block
 * together exactly if those notes agree; such a group is one execution by the wave: waves is the
 * number of groups, lanes their members, uniform those groups that hold every lane of the wave. Lanes that
 * demote run on and count no more.
 *
 * Knows the instructions of integer shaders that work on their own words of storage buffers: 32-bit integers,
 * bools, vectors, small arrays, functions, barriers, kill and demote. Anything else is refused by name.
 * Threads: one run a thread. */
#ifndef WPG_TESTS_E2E_RANDOM_SIMT_H
#define WPG_TESTS_E2E_RANDOM_SIMT_H

#include "compiler/spirv/module.h"

enum { SIMT_BINDINGS = 4, SIMT_FUNCTIONS = 64 };

typedef struct simt_launch {
    uint32_t local_size, groups; /* along x */
    uint32_t width, pixels;      /* fragment shaders: of a row, and of a primitive; the located input is a
                                    primitive's first number */
    const uint32_t *waves;       /* [local_size * groups] name of the wave each invocation runs in */
    uint32_t wave_size;          /* what SubgroupSize reads */
    const bool *helpers;         /* [local_size * groups] invocations that start as helpers; NULL: none */
    uint32_t *buffers[SIMT_BINDINGS]; /* storage buffers of set 0 by binding; written as the shader does */
    size_t buffer_words[SIMT_BINDINGS];
    /* What OpTypePointer PhysicalStorageBuffer reaches (simt_run_waves). */
    uint64_t memory_address;
    uint32_t *memory;
    size_t memory_words;
} simt_launch;

/* Live lanes that came somewhere, and waves with any of them. */
typedef struct simt_tally {
    uint64_t lanes, waves;
} simt_tally;

/* A way from a block to one of its targets, both numbered in module order over all functions. */
typedef struct simt_edge {
    uint32_t from, to;
    simt_tally went;
} simt_edge;

typedef struct simt_select {
    uint32_t id;        /* result of the OpSelect */
    simt_tally took[2]; /* true, false */
} simt_select;

enum { SIMT_TRIP_BUCKETS = 32 };
/* By header. A trip: a live lane goes round. */
typedef struct simt_loop {
    simt_tally entered;
    uint64_t trips, buckets[SIMT_TRIP_BUCKETS]; /* lanes that entered, by trips: 0, 1, 2-3, 4-7, ... */
    uint32_t least, most;                       /* trips of one of them */
} simt_loop;

typedef struct simt_function {
    uint32_t first_block;              /* number of the entry block among all functions' */
    uint32_t id, block_count;          /* blocks in module order, as the profile numbers them */
    uint64_t *waves, *lanes, *uniform; /* [block_count] */
    /* [block_count] Where lanes of a wave demote, uniform is not what one lane can tell (compiler/
     * instrument/code/live.c): what it may be at most; `uniform` is then what it must be at least. Equal
     * where nothing demotes. */
    uint64_t *uniform_most;
} simt_function;

typedef struct simt_counts {
    simt_function functions[SIMT_FUNCTIONS]; /* in module order */
    uint32_t function_count;
    uint32_t block_count;
    simt_tally *ends; /* [block_count] at the block's end */
    simt_loop *loops; /* [block_count] */
    simt_edge *edges; /* by block, each target once, in the order of the terminator */
    uint32_t edge_count;
    simt_select *selects; /* in module order */
    uint32_t select_count;
    char error[160]; /* why the run could not be done */
} simt_counts;

/* Runs the module's only entry point. False with counts->error set: an instruction it does not know, an
 * access out of bounds, a lane that does not end. Free with simt_counts_finish in either case. */
bool simt_run(simt_counts *counts, const wpg_module *module, const simt_launch *launch);
/* Runs the module wave by wave, the lanes of a wave in step: instrumented shaders, with ballots, elections
 * and atomics. Lanes reconverge at merge blocks, as SPIR-V lays them out; waves has no more than 64 lanes to
 * a name. A second way to run a shader, for wave sizes that no driver at hand has. Counts nothing itself. */
bool simt_run_waves(simt_counts *counts, const wpg_module *module, const simt_launch *launch);
void simt_counts_finish(simt_counts *counts);

#endif
