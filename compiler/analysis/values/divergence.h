/* Divergence analysis: which values are proved equal for all lanes of a subgroup, a workgroup, a draw or a
 * dispatch. The proof looks at one function.
 *
 *     constant < dispatch < workgroup < subgroup < divergent
 *
 * A value is uniform over a scope if two lanes of one instance of the scope always get the same bits. The two
 * lanes run the instruction in the same dynamic instance: the same iterations of the loops around it.
 * Structured reconvergence puts lanes back into one dynamic instance. So "uniform over the subgroup" means:
 * all active lanes agree. Lower is stronger: a dispatch-uniform value is subgroup-uniform.
 *
 * Three ways to diverge, after Rosemann, Moll, Hack, "An Abstract Interpretation for SPMD Divergence on
 * Reducible Control Flow Graphs" (POPL 2021), and LLVM's UniformityAnalysis:
 *   data       an operand diverges, or the operation itself does (an invocation's number, an atomic);
 *   control    a phi whose incoming values differ, joined by lanes that a divergent branch had parted;
 *   temporal   a value made in a loop and used behind it, where lanes left in different iterations.
 *
 * Function variables that are loaded and stored whole are followed as if in SSA form. So are Private
 * variables if the module has one function. Any other variable counts as all values ever stored to it.
 *
 * Assumed: no data races (undefined in Vulkan); uniform blocks and NonWritable memory do not change during a
 * draw or dispatch; a variable is written before one of its elements is read.
 *
 * Ownership: everything lives in the arena given. Threads: immutable once computed. */
#ifndef WPG_COMPILER_ANALYSIS_DIVERGENCE_H
#define WPG_COMPILER_ANALYSIS_DIVERGENCE_H

#include "compiler/analysis/graph/cfg.h"

typedef enum wpg_uniformity {
    WPG_UNIFORM_CONSTANT,  /* known from the module alone, but for specialisation */
    WPG_UNIFORM_DISPATCH,  /* push constants, uniform blocks, dispatch size */
    WPG_UNIFORM_WORKGROUP, /* number of the workgroup */
    WPG_UNIFORM_SUBGROUP,  /* ballots, votes, number of the subgroup, writable memory at a uniform address */
    WPG_DIVERGENT,         /* nothing proved */
} wpg_uniformity;

typedef struct wpg_divergence wpg_divergence;

/* WPG_E_NOMEM only. */
wpg_status wpg_divergence_compute(wpg_divergence **divergence, const wpg_cfg *cfg, wpg_arena *arena);

/* The uniformity of `id` as seen by an instruction of block `block` (for a phi: the block of the phi). An id
 * that is no value of this function or module is divergent. */
wpg_uniformity wpg_divergence_at(const wpg_divergence *divergence, uint32_t id, uint32_t block);

/* True if one invocation may see several values of `id`: the value depends on a loop's iteration, or on
 * memory that may change. A dispatch-uniform value that does not vary is one value for the whole dispatch. */
bool wpg_divergence_varies(const wpg_divergence *divergence, uint32_t id);

/* Two ids with equal origin in one block have equal values: the origin of a load is the stored value. */
uint32_t wpg_divergence_origin(const wpg_divergence *divergence, uint32_t id);

/* True if the value was made before construct `construct` is entered or behind it, not inside. */
bool wpg_divergence_is_outside(const wpg_divergence *divergence, uint32_t id, uint32_t construct);

#endif
