/* Counters are handed out from the first range given back that has room, else from behind all others. */
#include "runtime/counters/layout.h"

#include <stdlib.h>
#include <string.h>

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
    layout->used = layout->scratch;
    return WPG_OK;
}

void wpg_layout_finish(wpg_layout *layout)
{
    for (size_t i = 0; layout->slots && i < layout->slot_count; i++) {
        for (wpg_counter_slot *at = layout->slots[i], *next; at; at = next) {
            next = at->next;
            free(at);
        }
    }
    free(layout->slots);
    layout->slots = NULL;
    wpg_vec_free(&layout->given_back);
}

static wpg_counter_slot **chain_of(wpg_layout *layout, wpg_hash128 hash)
{
    return &layout->slots[(size_t)hash.low & (layout->slot_count - 1)];
}

wpg_status wpg_layout_claim(wpg_counter_slot **slot, wpg_layout *layout, wpg_hash128 hash, wpg_error *err)
{
    wpg_counter_slot **chain = chain_of(layout, hash), *found = *chain;
    while (found && !wpg_hash_equal(found->hash, hash))
        found = found->next;
    if (!found) {
        found = calloc(1, sizeof *found);
        if (!found)
            return wpg_fail(err, WPG_E_NOMEM, "out of memory for a counter slot");
        found->hash = hash;
        found->next = *chain;
        *chain = found;
    }
    atomic_fetch_add(&found->claims, 1);
    atomic_fetch_add(&found->users, 1);
    *slot = found;
    return WPG_OK;
}

/* From counters given back. */
static bool take_again(size_t *first, wpg_layout *layout, size_t count)
{
    for (size_t i = 0; i < layout->given_back.count; i++) {
        wpg_counter_range *range = &layout->given_back.data[i];
        const size_t start = (range->first + layout->unit - 1) / layout->unit * layout->unit;
        const size_t skipped = start - range->first;
        if (skipped || range->count < count)
            continue;
        *first = start;
        range->first += count;
        range->count -= count;
        if (!range->count) {
            memmove(range, range + 1, (layout->given_back.count - i - 1) * sizeof *range);
            layout->given_back.count--;
        }
        return true;
    }
    return false;
}

static wpg_status take(size_t *first, wpg_layout *layout, size_t count, wpg_error *err)
{
    if (count == 0 || count > layout->scratch)
        return wpg_fail(err, WPG_E_LIMIT, "%zu counters are more than one pipeline may have (%zu)", count,
                        layout->scratch);
    if (take_again(first, layout, count))
        return WPG_OK;
    const size_t start = (layout->used + layout->unit - 1) / layout->unit * layout->unit;
    if (start > layout->capacity || count > layout->capacity - start)
        return wpg_fail(err, WPG_E_LIMIT, "counter memory is full: %zu counters, see COUNTER_MEMORY",
                        layout->capacity);
    layout->used = start + count;
    *first = start;
    return WPG_OK;
}

wpg_status wpg_layout_place(bool *placed, wpg_layout *layout, wpg_counter_slot *slot, size_t count,
                            wpg_error *err)
{
    const size_t has = atomic_load(&slot->count);
    size_t first;
    *placed = false;
    if (has && has != count)
        return wpg_fail(err, WPG_E_MISMATCH, "it was counted before with %zu counters, now %zu", has, count);
    if (has)
        return WPG_OK;
    WPG_TRY(take(&first, layout, count, err));
    atomic_store(&slot->first, first);
    atomic_store(&slot->count, count);
    *placed = true;
    return WPG_OK;
}

void wpg_layout_take_out(wpg_layout *layout, wpg_counter_slot *slot)
{
    wpg_counter_slot **at = chain_of(layout, slot->hash);
    while (*at && *at != slot)
        at = &(*at)->next;
    if (*at)
        *at = slot->next;
    slot->next = NULL;
}

/* Without memory for the note they are not handed out again. */
static void give_back(wpg_layout *layout, wpg_counter_range range)
{
    size_t at = 0, end = layout->given_back.count;
    while (at < end) {
        const size_t middle = at + (end - at) / 2;
        if (layout->given_back.data[middle].first < range.first)
            at = middle + 1;
        else
            end = middle;
    }
    wpg_counter_range *list = layout->given_back.data;
    const bool joins_last = at && list[at - 1].first + list[at - 1].count == range.first;
    const bool joins_next = at < layout->given_back.count && range.first + range.count == list[at].first;
    if (joins_last && joins_next) {
        list[at - 1].count += range.count + list[at].count;
        memmove(list + at, list + at + 1, (layout->given_back.count - at - 1) * sizeof *list);
        layout->given_back.count--;
    } else if (joins_last) {
        list[at - 1].count += range.count;
    } else if (joins_next) {
        list[at].first = range.first;
        list[at].count += range.count;
    } else if (wpg_vec_reserve(&layout->given_back, 1)) {
        list = layout->given_back.data;
        memmove(list + at + 1, list + at, (layout->given_back.count - at) * sizeof *list);
        list[at] = range;
        layout->given_back.count++;
    }
}

void wpg_layout_drop(wpg_layout *layout, wpg_counter_slot *slot, bool reuse)
{
    const wpg_counter_range range = {atomic_load(&slot->first), atomic_load(&slot->count)};
    if (reuse && range.count)
        give_back(layout, range);
    free(slot);
}
