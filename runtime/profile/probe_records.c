/* See probe_records.h. */
#include "runtime/profile/probe_records.h"
#include "runtime/base/arithmetic.h"

#include <string.h>

enum {
    BRANCH_WORDS = 6,
    LANE_BRANCH_WORDS = 3,
    CASE_WORDS = 5,
    LANE_LOOP_WORDS = 3 + WPG_TRIP_BUCKETS,
    LOOP_WORDS = 4 + WPG_TRIP_BUCKETS,
    ENTRY_WORDS = 5 + WPG_FULLNESS_BUCKETS
};

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
                                  .both = less(wpg_add_saturating(words[3], words[4]), words[5])};
}

size_t wpg_case_count(const wpg_profile_record *record)
{
    return sites(record, CASE_WORDS);
}

void wpg_case_at(wpg_case_counts *target, const wpg_profile_record *record, size_t i)
{
    const uint64_t *words = record->counters + 1 + i * CASE_WORDS;
    *target = (wpg_case_counts){.block = described(record, words[0]),
                                .target = described(record, words[1]),
                                .lanes = words[2],
                                .waves = words[3],
                                .all_waves = words[4]};
}

size_t wpg_loop_count(const wpg_profile_record *record)
{
    return sites(record, LOOP_WORDS);
}

void wpg_loop_at(wpg_loop_counts *loop, const wpg_profile_record *record, size_t i)
{
    const uint64_t *words = record->counters + 1 + i * LOOP_WORDS;
    *loop = (wpg_loop_counts){
        .block = described(record, words[0]), .lanes = words[1], .waves = words[2], .trips = words[3]};
    memcpy(loop->buckets, words + 4, sizeof loop->buckets);
}

bool wpg_entry_read(wpg_entry_counts *entry, const wpg_profile_record *record)
{
    if (sites(record, ENTRY_WORDS) != 1)
        return false;
    const uint64_t *words = record->counters + 1;
    *entry = (wpg_entry_counts){
        .waves = words[0], .lanes = words[1], .helpers = words[2], .whole = words[3], .sizes = words[4]};
    memcpy(entry->eighths, words + 5, sizeof entry->eighths);
    return true;
}

size_t wpg_lane_branch_count(const wpg_profile_record *record)
{
    return sites(record, LANE_BRANCH_WORDS);
}

void wpg_lane_branch_at(wpg_branch_counts *branch, const wpg_profile_record *record, size_t i)
{
    const uint64_t *words = record->counters + 1 + i * LANE_BRANCH_WORDS;
    *branch = (wpg_branch_counts){.block = described(record, words[0]), .lanes = {words[1], words[2]}};
}

size_t wpg_lane_loop_count(const wpg_profile_record *record)
{
    return sites(record, LANE_LOOP_WORDS);
}

void wpg_lane_loop_at(wpg_loop_counts *loop, const wpg_profile_record *record, size_t i)
{
    const uint64_t *words = record->counters + 1 + i * LANE_LOOP_WORDS;
    *loop = (wpg_loop_counts){.block = described(record, words[0]), .lanes = words[1], .trips = words[2]};
    memcpy(loop->buckets, words + 3, sizeof loop->buckets);
}
