/* Sampling inside a shader: 1 of N groups of invocations is counted. The others run the normal form
 * unchanged.
 *
 *     main:  group chosen? --yes--> seen += lanes; the instrumented function; every addition times the weight
 *                          --no---> a copy of the function without any counting
 *
 * A guard at every block would cost up to twice the shader's time; one branch at the entry costs next to
 * nothing. Both bodies are functions that drivers inline. sample_choose.c defines a group, and says why a
 * wave is never split. The shader multiplies its additions by the number of groups that the chosen one stands
 * for. So counters estimate the exact ones, and profiles of any rate add up. Ownership, threads: as
 * inject.h. */
#ifndef WPG_COMPILER_INSTRUMENT_SAMPLING_SAMPLE_H
#define WPG_COMPILER_INSTRUMENT_SAMPLING_SAMPLE_H

#include "compiler/instrument/code/inject.h"

/* Planning: gives the map its rate and the counters of unscaled lanes, or notes why all groups are
 * counted. */
void wpg_sample_plan(wpg_plan *plan);

/* Before any code is injected, all declarations made: copies the functions as they are. */
void wpg_sample_begin(wpg_inject *in);
/* After all code was injected: the new entry function. */
void wpg_sample_end(wpg_inject *in);

/* -- Choosing (sample_choose.c) ------------------------------------------------------------------------ */

/* NULL if the stage's groups can be told apart, else why not (static). */
const char *wpg_sample_refuses(const wpg_plan *plan);
/* Built-in variables and types. */
void wpg_sample_declare(wpg_inject *in);
/* At a function's start: id of the u32 by which additions are multiplied, 0 if by nothing. */
uint32_t wpg_sample_weight(wpg_inject *in);
/* Code for dispatches of fewer workgroups than N, where such dispatches are laid end to end. `small` is the
 * id of a bool. Returns the id of the u32 number of workgroups before this dispatch
 * (wpg_sample_small_begin). */
typedef uint32_t (*wpg_sample_lay_fn)(wpg_inject *in, uint32_t small);
/* Emits the choice at in->where. Returns the id of a bool, equal in all lanes of a wave. *weight: id of the
 * u32 by which a chosen group's additions are multiplied. `lay` is called for compute stages that may lay
 * dispatches end to end. */
uint32_t wpg_sample_choose(wpg_inject *in, uint32_t *weight, wpg_sample_lay_fn lay);

/* For code that varies its behaviour by group, with or without sampling. wpg_sample_inputs declares the
 * built-ins that tell groups apart; false if there are none. wpg_sample_group returns the id of a mixed u32
 * number of this lane's group. */
bool wpg_sample_inputs(wpg_inject *in);
uint32_t wpg_sample_group(wpg_inject *in);
/* Copies of counters, by workgroup: compute stages only. wpg_sample_copy returns the id of a u32 below
 * WPG_COPIES, another one for each neighbour of a workgroup. */
bool wpg_sample_has_copies(const wpg_plan *plan);
void wpg_sample_declare_copies(wpg_inject *in);
uint32_t wpg_sample_copy(wpg_inject *in);

/* -- Small dispatches (sample_small.c) ----------------------------------------------------------------- */

/* True if a compute stage's dispatches of fewer workgroups than N are laid end to end. */
bool wpg_sample_may_lay(const wpg_plan *plan);
void wpg_sample_small_declare(wpg_inject *in);
/* At the entry: `small` (bool) says whether this is such a dispatch. Returns the id of the u32 number of
 * workgroups before it, 0 in other dispatches. */
uint32_t wpg_sample_small_begin(wpg_inject *in, uint32_t small);
/* At the end of the shader, where every invocation comes; `total`: workgroups of the dispatch. */
void wpg_sample_small_end(wpg_inject *in, uint32_t total);
/* True if a wave can read its first lane's value. */
bool wpg_sample_can_broadcast(const wpg_plan *plan);

/* -- Copying (sample_clone.c) -------------------------------------------------------------------------- */

/* True if every id in the module's functions can be found. */
bool wpg_sample_can_clone(const wpg_module *module);
/* Appends a copy of every function of the plan, decorations included; the id of the entry function's. 0 when
 * memory runs out. */
uint32_t wpg_sample_clone(wpg_inject *in);

#endif
