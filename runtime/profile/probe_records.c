/* See probe_records.h. */
#include "runtime/profile/probe_records.h"

enum { BRANCH_WORDS = 6 };

/* How many sites of that many words follow the first word. */
static size_t sites(const wpg_profile_record *record, size_t words)
{
    bool good = record && record->counter_count > 1 && (record->counter_count - 1) % words == 0;
    return good ? (record->counter_count - 1) / words : 0;
}

/* A word that describes. Profiles that disagree (they do not, under one checksum) would give a mixture. */
static uint32_t described(const wpg_profile_record *record, uint64_t word)
{
    uint64_t weight = record->counters[0];
    return weight ? (uint32_t)(word / weight) : 0;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    uint64_t both;
    return __builtin_add_overflow(a, b, &both) ? UINT64_MAX : both;
}

size_t wpg_branch_count(const wpg_profile_record *record)
{
    return sites(record, BRANCH_WORDS);
}

void wpg_branch_at(wpg_branch_counts *branch, const wpg_profile_record *record, size_t i)
{
    const uint64_t *words = record->counters + 1 + i * BRANCH_WORDS;
    *branch = (wpg_branch_counts){.block = described(record, words[0]),
                                  .lanes = {words[1], words[2]},
                                  .waves = {words[3], words[4]},
                                  .all_waves = words[5],
                                  .both = less(sum(words[3], words[4]), words[5])};
}
