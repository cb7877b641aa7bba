/* A compute shader that counts its own structurised blocks, in machine code.
 *
 *     translate -> O2 -> (lanes) -> structurise -> (waves) -> code generation
 *
 * Waves, and lanes and uniform with them, are counted behind structurising, where a block is what the
 * hardware runs: counters.h. The meanings: compiler/instrument/README.md. E is the lanes that a wave starts
 * with, which leave only by returning. Lanes alone can also be counted before structurising, by ordinary code
 * per lane (lane_counters.c), for comparison.
 *
 * The array has 64 bits a counter: waves[blocks], lanes[blocks], uniform[blocks], as far as they are counted.
 * The caller that runs the kernel zeroes it. Its address is an argument (code->counters_offset). The ELF
 * describes the array in the symbol __wpg_counters_bounds. Ownership: wpg_counter_table_finish. Threads: any,
 * as wpg_amdgpu_compile. */
#ifndef WPG_COMPILER_AMDGPU_COUNTERS_GENERATE_H
#define WPG_COMPILER_AMDGPU_COUNTERS_GENERATE_H

#include "compiler/amdgpu/llvm/amdgpu.h"
#include "compiler/amdgpu/llvm/counts.h"

typedef enum wpg_counter_kind { WPG_COUNT_WAVES, WPG_COUNT_LANES, WPG_COUNT_UNIFORM } wpg_counter_kind;

typedef enum wpg_counter_placement {
    WPG_PLACE_WAVE, /* scalar registers of the wave, behind structurising */
    WPG_PLACE_LANE, /* a variable a lane before structurising, added to memory at returns: lanes only */
    WPG_PLACE_LANE_MEMORY, /* each lane to memory at once, before structurising: lanes only */
} wpg_counter_placement;

/* How a block is counted. */
typedef enum wpg_counted {
    WPG_COUNTED_IN_REGISTERS,
    WPG_COUNTED_IN_MEMORY, /* by one active lane, past the registers there are */
    WPG_COUNTED_PER_LANE,
} wpg_counted;

typedef struct wpg_counter_options {
    wpg_counter_placement placement;
    bool lanes, uniform;   /* beside waves */
    unsigned epoch;        /* log2 of loop iterations between flushes, 1..25; 0 = 25. For tests. */
    unsigned accumulators; /* registers to use at most; 0 = what there is. For tests. */
} wpg_counter_options;

/* The counters of an instrumented kernel and their places. Blocks are those of the structurised function;
 * with a placement per lane, those of the optimised one. */
typedef struct wpg_counter_table {
    uint64_t checksum; /* of the graph (blocks.h) */
    uint32_t block_count;
    bool has[3];                        /* by wpg_counter_kind */
    uint8_t *how;                       /* [block_count] wpg_counted */
    uint32_t count;                     /* counters in the array */
    uint32_t registers, loops, flushes; /* accumulators; loop headers that may flush; returns, which do */
} wpg_counter_table;

/* As wpg_amdgpu_compile; *table is written on success only. Also WPG_E_UNSUPPORTED: the kernel never returns.
 */
wpg_status wpg_amdgpu_generate(wpg_amdgpu_code **code, wpg_counter_table *table, const wpg_module *normal,
                               const wpg_stage *stage, const wpg_amdgpu_options *options,
                               const wpg_counter_options *counters, wpg_error *err);
void wpg_counter_table_finish(wpg_counter_table *table);

/* Where a block's counter of that kind is in the array; UINT32_MAX: it is not counted. */
uint32_t wpg_counter_slot(const wpg_counter_table *table, wpg_counter_kind kind, uint32_t block);
/* Points *counts into the array ([table->count]), which must live as long. counts->waves is NULL, against its
 * rule, with a placement per lane. */
void wpg_counters_view(wpg_amdgpu_counts *counts, const wpg_counter_table *table, uint64_t *array);

/* In the ELF, section .wpg_counters. One kernel a code object. */
#define WPG_COUNTER_BOUNDS "__wpg_counters_bounds"
typedef struct wpg_counter_bounds {
    uint64_t checksum;
    uint32_t first, count; /* of the array */
    uint32_t block_count;
    uint32_t kinds;  /* bit i: wpg_counter_kind i */
    char kernel[64]; /* cut off if it is longer; NUL-terminated */
} wpg_counter_bounds;

#endif
