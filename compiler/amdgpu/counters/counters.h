/* Puts counters into LLVM's module.
 *
 *     block                        --> inline assembly on reserved scalar registers (counter_text.h)
 *     each return, and once in     --> all of these registers are added to memory
 *     2^25 passes of loop headers
 *     more blocks than registers   --> the outermost and last of them: one active lane adds to memory at once
 *
 * The counters are registers of the wave, not values of LLVM's. A value (a phi, a variable) is one per lane,
 * and in a divergent block only the active lanes' copies change. The counts are exact. Behind structurising a
 * wave runs a block with the lanes in exec, and nothing later in code generation adds or removes a block with
 * instructions of its own.
 *
 * A failure may leave the module half changed: dispose it. Threads: as LLVM's, one context, one thread. */
#ifndef WPG_COMPILER_AMDGPU_COUNTERS_COUNTERS_H
#define WPG_COMPILER_AMDGPU_COUNTERS_COUNTERS_H

#include <llvm-c/Types.h>

#include "compiler/amdgpu/counters/generate.h"

/* A callback that emits the address of the array as an i64, equal in all lanes, at the builder's place in the
 * entry block. NULL: refused, *err is filled. */
typedef LLVMValueRef (*wpg_counter_address)(void *data, LLVMBuilderRef builder, wpg_error *err);

/* Counts every block of `function`, which is structurised and for a GPU of that generation (9 to 12).
 * WPG_E_UNSUPPORTED: a call is left, or there is no return. */
wpg_status wpg_counters_insert(wpg_counter_table *table, LLVMModuleRef llvm, LLVMValueRef function,
                               unsigned gpu_major, unsigned wave_size, const wpg_counter_options *options,
                               wpg_counter_address address, void *data, wpg_error *err);

/* The same per lane, before structurising (lane_counters.c). With WPG_PLACE_LANE each lane counts in 64 bits
 * of its own, a variable that becomes phis, and adds them to memory at returns. With WPG_PLACE_LANE_MEMORY
 * each lane adds one to memory at each block (LLVM makes that one addition a wave). Inserts no block. */
wpg_status wpg_lane_counters_insert(wpg_counter_table *table, LLVMModuleRef llvm, LLVMValueRef function,
                                    const wpg_counter_options *options, wpg_counter_address address,
                                    void *data, wpg_error *err);

/* Adds the symbol WPG_COUNTER_BOUNDS to the module. */
wpg_status wpg_counter_bounds_add(LLVMModuleRef llvm, LLVMValueRef function, const wpg_counter_table *table,
                                  wpg_error *err);

#endif
