/* What the trip guard plans (trip_guard.c) and carries out (loop_clone.c). Private to compiler/optimize. */
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

/* Makes the guard and the copy; the view is stale afterwards. Enters the new blocks into the profile. */
wpg_status wpg_guard_apply(wpg_context *context, wpg_function_profile *profile, const wpg_view *view,
                           const wpg_guard_plan *plan);

#endif
