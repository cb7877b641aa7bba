/* Which pipeline has which counters; bookkeeping only, no memory of the device is touched.
 *
 * Slots hang in chains by the low bits of the pipeline hash. Counters are handed out in order of arrival;
 * the directory (directory.h) leads a pipeline's shaders there.
 *
 *     slots:     [ - | A -> C | - | B | ... ]                             chain = hash & (count - 1)
 *     counters:  [ scratch ........ | B: c0 c1 c2 ... | A: c0 c1 ... | free ... ]     64 bits each
 *
 * Owns: the slots, until wpg_layout_finish.
 * Threads: any, without locks. */
#ifndef WPG_RUNTIME_COUNTERS_LAYOUT_H
#define WPG_RUNTIME_COUNTERS_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

/* One pipeline's place. Lives until wpg_layout_finish. */
typedef struct wpg_counter_slot {
    wpg_hash128 hash;
    struct wpg_counter_slot *next; /* of the same chain, claimed before */
    bool entered;                  /* the directory leads to it; under the lock of counters.c */
    atomic_size_t count;           /* counters; 0 until placed */
    atomic_size_t first; /* index of the first, in 64-bit counters from the start of counter memory */
    atomic_flag placing; /* held while one thread places it */
    atomic_bool listed;  /* somebody keeps a record of it: the layer lists a pipeline once */
    /* Sampling by bind: times the pipeline was bound, and of these bound so that it counts; else 0. */
    atomic_uint_least64_t binds, binds_counted;
} wpg_counter_slot;

typedef struct wpg_layout {
    _Atomic(wpg_counter_slot *) *slots;
    size_t slot_count; /* chains; a power of two */
    size_t scratch;    /* counters of the scratch block; no pipeline may have more */
    size_t capacity;   /* counters in all */
    size_t unit;       /* counters begin at a multiple of so many; 1 unless the caller sets it */
    atomic_size_t used;
} wpg_layout;

/* Counters of the scratch block for a capacity: as many as the largest pipeline may have. */
size_t wpg_layout_scratch_for(size_t capacity);
/* `slot_count` is rounded up to a power of two. WPG_E_NOMEM; WPG_E_ARGUMENT: capacity below two counters. */
wpg_status wpg_layout_init(wpg_layout *layout, size_t slot_count, size_t capacity, wpg_error *err);
void wpg_layout_finish(wpg_layout *layout);

/* The slot of that hash, made if there is none. */
wpg_status wpg_layout_claim(wpg_counter_slot **slot, wpg_layout *layout, wpg_hash128 hash, wpg_error *err);

/* Gives the slot `count` counters; fine if it has them already. *placed tells whether this call did it.
 * WPG_E_LIMIT: memory is used up, or more than the scratch block has; WPG_E_MISMATCH: it has another count
 * (the same pipeline hash instrumented differently). */
wpg_status wpg_layout_place(bool *placed, wpg_layout *layout, wpg_counter_slot *slot, size_t count,
                            wpg_error *err);

#endif
