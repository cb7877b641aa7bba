/* Which pipeline has which counters; bookkeeping only, no memory of the device is touched.
 *
 * Slots hang in chains by the low bits of the pipeline hash. Counters are handed out in order of arrival;
 * the directory (directory.h) leads a pipeline's shaders there. Counters given back are handed out first.
 *
 *     slots:     [ - | A -> C | - | B | ... ]                             chain = hash & (count - 1)
 *     counters:  [ scratch ........ | B: c0 c1 c2 ... | A: c0 c1 ... | free ... ]     64 bits each
 *
 * Owns: the slots, until they are dropped or wpg_layout_finish.
 * Threads: one at a time; the caller locks. */
#ifndef WPG_RUNTIME_COUNTERS_LAYOUT_H
#define WPG_RUNTIME_COUNTERS_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

/* One pipeline's place. Lives until wpg_layout_drop or wpg_layout_finish. Any thread reads the atomic
 * members. */
typedef struct wpg_counter_slot {
    wpg_hash128 hash;
    struct wpg_counter_slot *next; /* of the same chain, claimed before */
    bool entered;                  /* the directory leads to it; under the lock of counters.c */
    atomic_uint users;             /* claims that were not given back */
    atomic_uint claims;            /* all there ever were */
    atomic_size_t count;           /* counters; 0 until placed */
    atomic_size_t first; /* index of the first, in 64-bit counters from the start of counter memory */
    atomic_bool listed;  /* somebody keeps a record of it: the layer lists a pipeline once */
    /* Sampling by bind: times the pipeline was bound, and of these bound so that it counts; else 0. */
    atomic_uint_least64_t binds, binds_counted;
} wpg_counter_slot;

typedef struct wpg_counter_range {
    size_t first, count;
} wpg_counter_range;

typedef struct wpg_layout {
    wpg_counter_slot **slots;
    size_t slot_count; /* chains; a power of two */
    size_t scratch;    /* counters of the scratch block; no pipeline may have more */
    size_t capacity;   /* counters in all */
    size_t unit;       /* counters begin at a multiple of so many; 1 unless the caller sets another */
    size_t used;       /* counters behind it were never handed out */
    WPG_VEC(wpg_counter_range) given_back; /* sorted, none touches the next */
} wpg_layout;

/* Counters of the scratch block for a capacity: as many as the largest pipeline may have. */
size_t wpg_layout_scratch_for(size_t capacity);
/* `slot_count` is rounded up to a power of two. WPG_E_NOMEM; WPG_E_ARGUMENT: capacity below two counters. */
wpg_status wpg_layout_init(wpg_layout *layout, size_t slot_count, size_t capacity, wpg_error *err);
void wpg_layout_finish(wpg_layout *layout);

/* The slot of that hash, made if there is none; it has one user more. */
wpg_status wpg_layout_claim(wpg_counter_slot **slot, wpg_layout *layout, wpg_hash128 hash, wpg_error *err);

/* Gives the slot `count` counters; fine if it has them already. *placed tells whether this call did it.
 * WPG_E_LIMIT: memory is used up, or more than the scratch block has; WPG_E_MISMATCH: it has another count
 * (the same pipeline hash instrumented differently). */
wpg_status wpg_layout_place(bool *placed, wpg_layout *layout, wpg_counter_slot *slot, size_t count,
                            wpg_error *err);

/* Takes the slot out of its chain: the next claim of that hash makes another. The caller owns it. */
void wpg_layout_take_out(wpg_layout *layout, wpg_counter_slot *slot);
/* Frees a slot that was taken out. `reuse`: its counters are handed out again. */
void wpg_layout_drop(wpg_layout *layout, wpg_counter_slot *slot, bool reuse);

#endif
