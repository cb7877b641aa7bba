/* A slot joins its chain by compare-and-swap on the chain's head, and never leaves. Counters are handed out
 * by compare-and-swap on one running total. */
#include "runtime/counters/layout.h"

#include <stdlib.h>

enum { SCRATCH_COUNTERS = 1 << 17 }; /* 1 MiB */

size_t wpg_layout_scratch_for(size_t capacity)
{
    size_t quarter = capacity / 4;
    return quarter < SCRATCH_COUNTERS ? quarter : SCRATCH_COUNTERS;
}

wpg_status wpg_layout_init(wpg_layout *layout, size_t slot_count, size_t capacity, wpg_error *err)
{
    size_t rounded = 1;
    while (rounded < slot_count && rounded < (SIZE_MAX >> 1))
        rounded <<= 1;
    if (capacity < 8)
        return wpg_fail(err, WPG_E_ARGUMENT, "counter memory for %zu counters is too small", capacity);
    *layout = (wpg_layout){
        .slot_count = rounded, .capacity = capacity, .scratch = wpg_layout_scratch_for(capacity), .unit = 1};
    layout->slots = calloc(rounded, sizeof *layout->slots);
    if (!layout->slots)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for %zu directory slots", rounded);
    atomic_store(&layout->used, layout->scratch);
    return WPG_OK;
}

void wpg_layout_finish(wpg_layout *layout)
{
    for (size_t i = 0; layout->slots && i < layout->slot_count; i++) {
        wpg_counter_slot *at = atomic_load_explicit(&layout->slots[i], memory_order_relaxed);
        for (wpg_counter_slot *next; at; at = next) {
            next = at->next;
            free(at);
        }
    }
    free(layout->slots);
    layout->slots = NULL;
}

static wpg_counter_slot *find(wpg_counter_slot *chain, wpg_hash128 hash)
{
    while (chain && !wpg_hash_equal(chain->hash, hash))
        chain = chain->next;
    return chain;
}

wpg_status wpg_layout_claim(wpg_counter_slot **slot, wpg_layout *layout, wpg_hash128 hash, wpg_error *err)
{
    _Atomic(wpg_counter_slot *) *chain = &layout->slots[(size_t)hash.low & (layout->slot_count - 1)];
    wpg_counter_slot *first = atomic_load_explicit(chain, memory_order_acquire);
    wpg_counter_slot *mine = NULL;
    while (!(*slot = find(first, hash))) {
        if (!mine) {
            mine = calloc(1, sizeof *mine);
            if (!mine)
                return wpg_fail(err, WPG_E_NOMEM, "out of memory for a counter slot");
            mine->hash = hash;
            atomic_flag_clear(&mine->placing);
        }
        mine->next = first;
        if (atomic_compare_exchange_strong(chain, &first, mine)) {
            *slot = mine;
            return WPG_OK;
        }
    }
    free(mine);
    return WPG_OK;
}

static wpg_status take(size_t *first, wpg_layout *layout, size_t count, wpg_error *err)
{
    if (count == 0 || count > layout->scratch)
        return wpg_fail(err, WPG_E_LIMIT, "%zu counters are more than one pipeline may have (%zu)", count,
                        layout->scratch);
    size_t used = atomic_load(&layout->used), start;
    do {
        start = (used + layout->unit - 1) / layout->unit * layout->unit;
        if (start > layout->capacity || count > layout->capacity - start)
            return wpg_fail(err, WPG_E_LIMIT, "counter memory is full: %zu counters, see COUNTER_MEMORY",
                            layout->capacity);
    } while (!atomic_compare_exchange_weak(&layout->used, &used, start + count));
    *first = start;
    return WPG_OK;
}

wpg_status wpg_layout_place(bool *placed, wpg_layout *layout, wpg_counter_slot *slot, size_t count,
                            wpg_error *err)
{
    *placed = false;
    /* Held for a few instructions only: two threads that make the same pipeline at the same time. */
    while (atomic_flag_test_and_set_explicit(&slot->placing, memory_order_acquire))
        ;
    wpg_status status = WPG_OK;
    size_t has = atomic_load(&slot->count), first;
    if (has && has != count)
        status =
            wpg_fail(err, WPG_E_MISMATCH, "it was counted before with %zu counters, now %zu", has, count);
    else if (!has && (status = take(&first, layout, count, err)) == WPG_OK) {
        atomic_store(&slot->first, first);
        atomic_store(&slot->count, count);
        *placed = true;
    }
    atomic_flag_clear_explicit(&slot->placing, memory_order_release);
    return status;
}
