/* The entries of a recording: what each pipeline did in it. */
#include "layer/commands/record.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/variant_choice.h"
#include "runtime/base/log.h"

void wpg_record_forget_state(wpg_recording *recording)
{
    for (int i = 0; i < WPG_BIND_POINTS; i++)
        recording->bound[i] = (wpg_bound){.entry = WPG_NOTHING_BOUND};
    memset(recording->objects, 0, sizeof recording->objects);
    recording->pushed = 0;
}

void wpg_record_drop(wpg_recording *recording)
{
    if (!recording->dropped)
        wpg_log_once(WPG_LOG_WARN, "out of memory: the commands of a command buffer are not recorded");
    recording->dropped = true;
    for (int i = 0; i < WPG_BIND_POINTS; i++)
        wpg_variants_restore(recording, &recording->bound[i]);
    wpg_record_forget_state(recording);
}

static wpg_record_entry *add_entry(wpg_recording *recording, wpg_totals *totals)
{
    size_t index = recording->entries.count;
    if (index == recording->entries_made) {
        if (!wpg_vec_push(&recording->entries, (wpg_record_entry){.totals = totals}))
            return NULL;
        recording->entries_made++;
    } else { /* an entry of an earlier recording, with its memory */
        wpg_record_entry *old = &recording->entries.data[recording->entries.count++];
        wpg_record_entry fresh = {
            .totals = totals, .words = old->words, .word_count = old->word_count, .sets = old->sets};
        if (fresh.words)
            memset(fresh.words, 0, fresh.word_count * sizeof *fresh.words);
        wpg_push_sets_clear(&fresh.sets);
        *old = fresh;
    }
    wpg_record_entry *entry = &recording->entries.data[index];
    entry->counters[WPG_RECORD_SUBMISSIONS] = 1;
    return wpg_map_set(&recording->by_totals, (uint64_t)(uintptr_t)totals, index) ? entry : NULL;
}

/* Room for the values of every word up to the last one that a layout has: few have the 256 bytes there may
 * be. */
static bool reserve_words(wpg_record_entry *entry, uint64_t push_words)
{
    size_t need = push_words ? 64 - (size_t)__builtin_clzll(push_words) : 0;
    if (need <= entry->word_count)
        return true;
    wpg_word_values *grown = realloc(entry->words, need * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + entry->word_count, 0, (need - entry->word_count) * sizeof *grown);
    entry->words = grown;
    entry->word_count = need;
    return true;
}

ptrdiff_t wpg_record_entry_of(wpg_recording *recording, wpg_totals *totals, uint64_t push_words)
{
    uint64_t index;
    wpg_record_entry *entry;
    if (recording->dropped)
        return WPG_NOTHING_BOUND;
    if (wpg_map_get(&recording->by_totals, (uint64_t)(uintptr_t)totals, &index))
        entry = &recording->entries.data[index];
    else
        entry = add_entry(recording, totals);
    if (!entry || !reserve_words(entry, push_words)) {
        wpg_record_drop(recording);
        return WPG_NOTHING_BOUND;
    }
    entry->push_words |= push_words;
    return entry - recording->entries.data;
}

static void settle(wpg_recording *recording, wpg_bound *bound)
{
    if (!bound->pending)
        return;
    wpg_record_entry *entry = &recording->entries.data[bound->entry];
    uint64_t valid = bound->push_signature == recording->push_signature ? recording->pushed : 0;
    for (uint64_t left = bound->push_words; left; left &= left - 1) {
        int word = __builtin_ctzll(left);
        if (valid >> word & 1)
            wpg_word_count(&entry->words[word], recording->push[word], bound->pending);
        else
            entry->words[word].unpushed += bound->pending;
    }
    if (bound->push_words && recording->device->mode == WPG_MODE_GENERATE)
        wpg_push_sets_count(
            &entry->sets, valid & bound->push_words, recording->push, bound->pending,
            entry->sets.count == WPG_PUSH_SETS ? wpg_words_many_valued(entry->words, bound->push_words) : 0);
    bound->pending = 0;
}

void wpg_record_settle(wpg_recording *recording)
{
    for (int i = 0; i < WPG_BIND_POINTS; i++)
        settle(recording, &recording->bound[i]);
}
