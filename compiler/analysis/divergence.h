/* Divergence analysis: which values are the same for all lanes of a subgroup, a workgroup, or a whole draw or
 * dispatch, as far as can be proved from one function.
 *
 *     constant < dispatch < workgroup < subgroup < divergent
 *
 * A value is uniform over a scope if any two lanes of one instance of the scope that run its instruction in
 * the same dynamic instance (the same iterations of the loops around it) get the same bits. What structured
 * reconvergence brings together is of one dynamic instance, so "uniform over the subgroup" means: all active
 * lanes agree. Lower is stronger: what is dispatch-uniform is subgroup-uniform.
 *
 * Three ways to diverge, after Rosemann, Moll, Hack, "An Abstract Interpretation for SPMD Divergence on
 * Reducible Control Flow Graphs" (POPL 2021), and LLVM's UniformityAnalysis:
 *   data       an operand diverges, or the operation itself does (an invocation's number, an atomic);
 *   control    a phi whose incoming values differ, joined by lanes that a divergent branch had parted;
 *   temporal   a value made in a loop and used behind it, where lanes left in different iterations.
 *
 * Function (and, where the module has one function, Private) variables are followed as if they were in SSA
 * form when they are loaded and stored whole; others by all that is ever stored.
 *
 * Assumed: no data races (undefined in Vulkan), uniform blocks and NonWritable memory do not change during a
 * draw or dispatch, variables of which an element is read were written.
 *
 * Ownership: everything lives in the arena given. Threads: immutable once computed. */
#ifndef WPG_COMPILER_ANALYSIS_DIVERGENCE_H
#define WPG_COMPILER_ANALYSIS_DIVERGENCE_H

#include "compiler/analysis/cfg.h"

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

/* The value `id` as an instruction of block `block` sees it (a phi: the block of the phi). Ids that are no
 * value of this function or module are divergent. */
wpg_uniformity wpg_divergence_at(const wpg_divergence *divergence, uint32_t id, uint32_t block);

/* Whether one invocation may see more than one value of `id`: it depends on a loop's iteration, or on memory
 * that may change. A dispatch-uniform value that does not vary is one value for the whole dispatch. */
bool wpg_divergence_varies(const wpg_divergence *divergence, uint32_t id);

/* Of two ids with equal origin in one block, the values are equal: a load of a variable is what was stored.
 */
uint32_t wpg_divergence_origin(const wpg_divergence *divergence, uint32_t id);

/* Whether the value was made before construct `construct` is entered (or behind it), not in it. */
bool wpg_divergence_is_outside(const wpg_divergence *divergence, uint32_t id, uint32_t construct);

#endif
