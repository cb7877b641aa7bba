/* Sampling inside a shader: 1 of N groups of invocations is counted, the rest runs the normal form as it is.
 *
 *     main:  group chosen? --yes--> seen += lanes; the instrumented function; every addition times the weight
 *                          --no---> a copy of the function without any counting
 *
 * A guard at every block costs 1.2-2.0 times the shader's time (DESIGN 4); one branch at the entry costs next
 * to nothing. Both bodies are functions that drivers inline. What a group is, and why a wave is never split:
 * sample_choose.c. Additions are scaled in the shader, by the number of groups that the chosen one stands
 * for, so that counters are estimates of the exact ones and profiles of any rate add up. Ownership, threads:
 * as inject.h. */
#ifndef WPG_COMPILER_INSTRUMENT_SAMPLING_SAMPLE_H
#define WPG_COMPILER_INSTRUMENT_SAMPLING_SAMPLE_H

#include "compiler/instrument/code/inject.h"

/* The plan's part: gives the map its rate and the counters of what was seen, or notes why all is counted. */
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
/* Code for dispatches of fewer workgroups than N, where they are laid end to end: `small` is the id of a
 * bool. Gives the id of the u32 of workgroups before this dispatch (wpg_sample_small_begin). */
typedef uint32_t (*wpg_sample_lay_fn)(wpg_inject *in, uint32_t small);
/* Code that chooses, at in->where: id of a bool, equal in all lanes of a wave. *weight: id of the u32 that a
 * chosen group's additions are multiplied by. `lay` is called for compute stages that may lay dispatches. */
uint32_t wpg_sample_choose(wpg_inject *in, uint32_t *weight, wpg_sample_lay_fn lay);

/* For code that varies its behaviour by group, with or without sampling: wpg_sample_inputs declares what
 * tells groups apart, false if nothing does; wpg_sample_group gives the id of a u32, mixed, of this lane's
 * group. */
bool wpg_sample_inputs(wpg_inject *in);
uint32_t wpg_sample_group(wpg_inject *in);

/* -- Small dispatches (sample_small.c) ----------------------------------------------------------------- */

/* Whether a compute stage's dispatches of fewer workgroups than N are laid end to end. */
bool wpg_sample_may_lay(const wpg_plan *plan);
void wpg_sample_small_declare(wpg_inject *in);
/* At the entry, `small` (bool) = this is such a dispatch: id of the u32 of workgroups before it, 0 in others.
 */
uint32_t wpg_sample_small_begin(wpg_inject *in, uint32_t small);
/* At the end, which every invocation comes to; `total`: workgroups of the dispatch. */
void wpg_sample_small_end(wpg_inject *in, uint32_t total);
/* Whether a wave can be told its first lane's value. */
bool wpg_sample_can_broadcast(const wpg_plan *plan);

/* -- Copying (sample_clone.c) -------------------------------------------------------------------------- */

/* Whether every id of the module's functions can be seen. */
bool wpg_sample_can_clone(const wpg_module *module);
/* Appends a copy of every function of the plan, decorations included; the id of the entry function's. 0 when
 * memory runs out. */
uint32_t wpg_sample_clone(wpg_inject *in);

#endif
