/* Assembly of the counters: the text for one block, one loop header, the entry and an exit, for one
 * generation of GPU and wave size. Text only; counters.c decides its place.
 *
 *     s[40:41]  mask of the lanes that the wave was started with
 *     s42       scratch, nothing lives in it
 *     s43       loop headers passed, in steps of 2^(32 - epoch)
 *     s44...    accumulators, up to s99 (gfx9) or s101
 *     then      an even pair: address of the array of counters
 *
 * LLVM is told to stay below s40 (amdgpu-num-sgpr), and so neither reads nor writes these registers. Other
 * registers that the text uses are named as clobbered: scc, and where stated v0 to v2, vcc, m0.
 *
 * Accumulators have 32 bits, hence the epoch. Between two passes of loop headers each block runs at most
 * once. So after 2^epoch passes no accumulator is above 64 * (2^epoch + 1). Then s43 carries out of its top,
 * and the wave adds all accumulators to memory and starts again from zero. With epoch 25 they stay below 2^31
 * + 65.
 *
 * Sources: the RDNA 1-4 and CDNA 1-3 instruction set manuals of AMD; LLVM 22, GCNHazardRecognizer (LLVM does
 * not see hazards through inline assembly: the text waits for them). Threads: no shared state. */
#ifndef WPG_COMPILER_AMDGPU_COUNTERS_COUNTER_TEXT_H
#define WPG_COMPILER_AMDGPU_COUNTERS_COUNTER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WPG_COUNTER_LIMIT = 40, /* LLVM's registers are below */
    WPG_COUNTER_MASK = 40,  /* and 41 */
    WPG_COUNTER_SCRATCH = 42,
    WPG_COUNTER_TICKS = 43,
    WPG_COUNTER_FIRST = 44,
    WPG_COUNTER_EPOCH = 25, /* log2 of the passes of loop headers between two flushes, at most */
};

/* Text that grows. A failed allocation sticks: test once, at the end. */
typedef struct wpg_text {
    char *data;
    size_t size, room;
    bool failed;
} wpg_text;

void wpg_text_finish(wpg_text *text);

typedef struct wpg_counter_target {
    unsigned major, wave_size;
    unsigned epoch;
    unsigned base; /* first of the pair that holds the address */
} wpg_counter_target;

/* One accumulator: its register, and the counter it belongs to. */
typedef struct wpg_accumulator {
    uint32_t slot; /* in the array of 64-bit counters */
    uint8_t sgpr;
} wpg_accumulator;

/* Registers for accumulators: s44 up to here, exclusively. */
unsigned wpg_counter_end(unsigned major);

/* Code for the start of the kernel: saves the mask of lanes, zeroes the ticks and the accumulators. */
void wpg_text_begin(wpg_text *text, const wpg_counter_target *target, const wpg_accumulator *all,
                    size_t count);
/* Moves the array's address into its registers, from operand $0, a pair of scalar registers. */
void wpg_text_address(wpg_text *text, const wpg_counter_target *target);
/* Counts one block in registers; a register 0: that kind is not counted. */
typedef struct wpg_block_registers {
    uint8_t waves, lanes, uniform;
} wpg_block_registers;
void wpg_text_count(wpg_text *text, const wpg_counter_target *target, wpg_block_registers registers);
/* Counts one block for which no registers are left: the lowest active lane adds to memory. Uses v0 to v2 and
 * vcc. A slot UINT32_MAX: that kind is not counted. */
typedef struct wpg_block_slots {
    uint32_t waves, lanes, uniform;
} wpg_block_slots;
void wpg_text_count_in_memory(wpg_text *text, const wpg_counter_target *target, wpg_block_slots slots);
/* Counts a pass of loop header number `loop`, and jumps to its flush when s43 carries. Uses vcc and m0. */
void wpg_text_tick(wpg_text *text, const wpg_counter_target *target, unsigned loop);
/* Before a return: adds all accumulators to memory, one accumulator a lane in each atomic. Uses v0 to v2 and
 * vcc. `loops` is not 0: the flush that this many loop headers jump to follows. */
void wpg_text_flush(wpg_text *text, const wpg_counter_target *target, const wpg_accumulator *all,
                    size_t count, unsigned loops);

#endif
