/* See descriptor_state.h. */
#include "layer/commands/descriptor_state.h"

#include <stdlib.h>
#include <string.h>

/* Of a set that was disturbed by a layout without it, or perhaps: compatible with nothing. */
static const wpg_hash128 no_layout = {1, 1};

static uint32_t bit(uint32_t index)
{
    return UINT32_C(1) << index;
}

static bool is_bound(wpg_hash128 by)
{
    return by.low || by.high;
}

void wpg_descriptors_reset(wpg_descriptor_state *state)
{
    state->known = state->clean = 0;
    state->mixed = false;
    state->ours = VK_NULL_HANDLE;
    for (uint32_t k = 0; k < WPG_MOST_SETS; k++)
        state->sets[k].meant = state->sets[k].really = (wpg_hash128){0, 0};
}

void wpg_descriptors_finish(wpg_descriptor_state *state)
{
    for (uint32_t k = 0; k < WPG_MOST_SETS; k++) {
        free(state->sets[k].offsets);
        wpg_pushed_free(state->sets[k].pushed);
    }
}

static wpg_hash128 *reading(wpg_descriptor_state *state, uint32_t index, bool really)
{
    return really ? &state->sets[index].really : &state->sets[index].meant;
}

/* Sets [first, first + count) are bound by `layout`, the layer's own at `layout->count` among them: what
 * becomes of the others. Returns the mask of those that are disturbed. */
static uint32_t disturb(wpg_descriptor_state *state, bool really, const wpg_counter_layout *layout,
                        uint32_t first, uint32_t count)
{
    uint32_t disturbed = 0;
    bool replaced = false, certain = false;
    for (uint32_t k = 0; k < first + count; k++) {
        wpg_hash128 *by = reading(state, k, really);
        const bool other = is_bound(*by) && !wpg_hash_equal(*by, layout->compatible[k]);
        if (k < first)
            disturbed |= other ? bit(k) : 0;
        else if (other) {
            replaced = true;
            certain |= !wpg_hash_equal(*by, no_layout); /* else perhaps nothing is disturbed */
        }
        if (k >= first || other)
            *by = layout->compatible[k];
    }
    for (uint32_t k = first + count; replaced && k < WPG_MOST_SETS; k++) {
        wpg_hash128 *by = reading(state, k, really);
        if (!is_bound(*by))
            continue;
        *by = certain && k < layout->count ? layout->compatible[k] : no_layout;
        disturbed |= bit(k);
    }
    return disturbed;
}

/* These sets are no longer what they were. */
static void lose(wpg_descriptor_state *state, uint32_t sets)
{
    state->clean &= ~sets;
    if (state->ours && sets & bit(state->ours_at))
        state->ours = VK_NULL_HANDLE;
}

/* The driver binds sets [first, first + count), or pushes into one: those themselves are new, too. */
static void change(wpg_descriptor_state *state, const wpg_counter_layout *layout, uint32_t first,
                   uint32_t count, bool pushes)
{
    const uint32_t disturbed = disturb(state, true, layout, first, count);
    for (uint32_t k = 0; k < WPG_MOST_SETS && pushes; k++)
        if (disturbed & bit(k))
            state->sets[k].really = no_layout; /* perhaps */
    lose(state, disturbed);
    if (state->ours_at >= first && state->ours_at - first < count)
        state->ours = VK_NULL_HANDLE;
}

static void forget_all(wpg_descriptor_state *state)
{
    state->known = 0;
    lose(state, UINT32_MAX);
    for (uint32_t k = 0; k < WPG_MOST_SETS; k++)
        state->sets[k].meant = state->sets[k].really = no_layout;
}

void wpg_descriptors_forget(wpg_descriptor_state *state, uint32_t index)
{
    state->known &= ~bit(index);
    state->clean &= ~bit(index);
}

static bool keep_offsets(wpg_descriptor_set *set, const uint32_t *offsets, uint32_t count)
{
    if (count > set->offset_room) {
        uint32_t *more = realloc(set->offsets, count * sizeof *more);
        if (!more)
            return false;
        set->offsets = more;
        set->offset_room = count;
    }
    if (count)
        memcpy(set->offsets, offsets, count * sizeof *offsets);
    set->offset_count = count;
    return true;
}

void wpg_descriptors_bound(wpg_descriptor_state *state, const wpg_counter_layout *layout, uint32_t first,
                           uint32_t count, const VkDescriptorSet *sets, uint32_t offset_count,
                           const uint32_t *offsets)
{
    if (!count)
        return;
    if (!layout || first >= layout->count || count > layout->count - first) {
        forget_all(state);
        return;
    }
    state->known &= ~disturb(state, false, layout, first, count);
    change(state, layout, first, count, false);
    for (uint32_t k = first; k < first + count; k++) {
        wpg_descriptor_set *set = &state->sets[k];
        const uint32_t takes = layout->dynamic[k];
        set->set = sets[k - first];
        wpg_descriptors_forget(state, k);
        if (takes > offset_count)
            continue;
        if (set->set && keep_offsets(set, offsets, takes)) {
            state->known |= bit(k);
            state->clean |= bit(k);
        }
        offsets = takes ? offsets + takes : offsets;
        offset_count -= takes;
    }
    state->clean &= state->known;
}

/* Room for what is pushed into a set of that shape; what it holds is of equal shape, or nothing. */
static bool reserve(wpg_descriptor_set *set, wpg_push_shape *shape)
{
    if (set->pushed && wpg_hash_equal(wpg_pushed_shape(set->pushed)->definition, shape->definition))
        return true;
    wpg_pushed_free(set->pushed);
    set->pushed = shape->known ? wpg_pushed_make(shape) : NULL;
    return set->pushed;
}

wpg_pushed *wpg_descriptors_pushed(wpg_descriptor_state *state, const wpg_counter_layout *layout,
                                   uint32_t index)
{
    if (!layout || !layout->pushed || index != layout->push_set) {
        forget_all(state);
        return NULL;
    }
    wpg_descriptor_set *set = &state->sets[index];
    /* Earlier values stay. What the layer took away meanwhile is given back with the new ones. */
    const bool goes_on =
        (state->known & bit(index)) && !set->set &&
        wpg_hash_equal(wpg_pushed_shape(set->pushed)->definition, layout->pushed->definition);
    state->known &= ~disturb(state, false, layout, index, 1);
    change(state, layout, index, 1, true);
    if (goes_on)
        return set->pushed;
    wpg_descriptors_forget(state, index);
    set->set = VK_NULL_HANDLE;
    if (!reserve(set, layout->pushed))
        return NULL;
    wpg_pushed_clear(set->pushed);
    state->known |= bit(index);
    state->clean |= bit(index);
    return set->pushed;
}

/* -- The layer's own binds */

bool wpg_descriptors_lost(const wpg_descriptor_state *state, const wpg_counter_layout *layout, uint32_t index)
{
    return (state->known & ~state->clean & bit(index)) && index < layout->count &&
           wpg_hash_equal(state->sets[index].meant, layout->compatible[index]);
}

void wpg_descriptors_given_back(wpg_descriptor_state *state, const wpg_counter_layout *layout, uint32_t index)
{
    change(state, layout, index, 1, !state->sets[index].set);
    state->clean |= bit(index);
}

bool wpg_descriptors_have_ours(const wpg_descriptor_state *state, const wpg_counter_layout *layout,
                               VkDescriptorSet counters)
{
    const uint32_t index = layout->count;
    return state->ours == counters && state->ours_at == index &&
           wpg_hash_equal(state->sets[index].really, layout->compatible[index]);
}

void wpg_descriptors_bound_ours(wpg_descriptor_state *state, const wpg_counter_layout *layout,
                                VkDescriptorSet counters)
{
    const uint32_t index = layout->count;
    change(state, layout, index, 1, false);
    state->clean &= ~bit(index);
    state->mixed = true;
    state->ours = counters;
    state->ours_at = index;
}
