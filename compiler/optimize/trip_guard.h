/* What the trip guard plans (trip_guard.c, induction.c) and carries out (loop_clone.c). Private to
 * compiler/optimize. */
#ifndef WPG_COMPILER_OPTIMIZE_TRIP_GUARD_H
#define WPG_COMPILER_OPTIMIZE_TRIP_GUARD_H

#include "compiler/optimize/loops.h"

typedef struct wpg_guard_plan {
    wpg_loop loop;
    uint32_t preheader;   /* the one block outside that leads to the header */
    uint32_t test;        /* block whose branch leaves the loop */
    wpg_inst *compare;    /* the comparison it branches on */
    unsigned bound_at;    /* index in compare->words of the bound */
    bool stays_on;        /* value of the comparison that stays in the loop */
    uint32_t evaluations; /* of the test, per entry, as measured */
    uint64_t entries;     /* lanes that entered */
    uint32_t trips;       /* runs of the body per entry */
    uint32_t value;       /* the bound that gives them: what the copy has in its place */
    bool range; /* other bounds give as many trips: guard on the comparison at the last two values */
    uint32_t last, leaving; /* induction values at the last test that stays and the one that leaves */
} wpg_guard_plan;

/* -- The test (induction.c) -- */

typedef struct wpg_induction {
    uint32_t first, step; /* value at the first test; added for each further one (modulo 2^32) */
} wpg_induction;

/* The value of a 32-bit scalar constant. */
bool wpg_is_u32_const(const wpg_module *module, uint32_t id, uint32_t *value);
bool wpg_is_int_compare(SpvOp opcode);
/* Reads `id` as an induction variable of the loop (a phi of its header with constant start and step), or as
 * its value after the step. */
bool wpg_read_induction(wpg_induction *out, const wpg_view *view, const wpg_loop *loop, uint32_t id);
/* Fills value, range, last and leaving from evaluations; NULL, or why no bound serves (static storage). */
const char *wpg_bound_value_refusal(wpg_guard_plan *plan, const wpg_induction *i);

/* -- The copy (loop_clone.c) -- */

/* Makes the guard and the copy; the view is stale afterwards. Enters the new blocks into the profile. */
wpg_status wpg_guard_apply(wpg_context *context, wpg_function_profile *profile, const wpg_view *view,
                           const wpg_guard_plan *plan);

#endif
