/* What the profile fuzzers share. Threads: none. */
#ifndef WPG_TESTS_PROFILE_FUZZ_H
#define WPG_TESTS_PROFILE_FUZZ_H

#include "runtime/base/arithmetic.h"
#include "runtime/profile/profile_format.h"
#include "runtime/profile/push_set_record.h"
#include "tests/fuzz/common/fuzz.h"

static inline wpg_profile *fuzz_sample(void)
{
    wpg_profile *p = wpg_profile_create();
    const uint64_t counters[] = {3, 0, 70000, UINT64_C(1) << 40};
    fuzz_check(wpg_profile_add(p, "a.comp.main#lanes", 5, counters, 4, 1, NULL) == WPG_OK, "sample");
    fuzz_check(wpg_profile_add(p, "a.comp.main#lanes", 6, counters, 1, 1, NULL) == WPG_OK, "sample");
    fuzz_check(wpg_profile_add(p, "b.frag.main#values", 7, counters, 2, 1, NULL) == WPG_OK, "sample");
    fuzz_check(wpg_profile_add_value(p, "b.frag.main#values", 7, 1, 16, 2, NULL) == WPG_OK, "sample");
    fuzz_check(wpg_profile_add_value(p, "b.frag.main#values", 7, 1, 17, 2, NULL) == WPG_OK, "sample");
    const char *name = "pipeline.99aabbccddeeff001122334455667788#push-sets";
    const uint32_t values[WPG_PUSH_SET_WORDS] = {5, 6, 7};
    const uint64_t loose[WPG_PUSH_SET_WORDS] = {1};
    fuzz_check(wpg_push_set_record_add(p, name, 9, 4, loose, NULL) == WPG_OK, "sample");
    fuzz_check(wpg_push_set_record_count(p, name, 7, values, 9, NULL) == WPG_OK, "sample");
    fuzz_check(wpg_push_set_record_count(p, name, 5, values, 3, NULL) == WPG_OK, "sample");
    return p;
}

/* Whatever a record of sets holds: no draw is lost, and no set has a word that is loose. */
static inline void fuzz_push_sets(const wpg_profile_record *record)
{
    wpg_push_sets sets = {0};
    wpg_hash128 pipeline;
    if (!wpg_push_set_record_parse(&pipeline, record))
        return;
    uint64_t all = record->counters[1], words;
    for (size_t i = 0; record->site_count && i < record->sites[0].count; i++)
        all = wpg_add_saturating(all, record->sites[0].pairs[i].count);
    fuzz_check(wpg_push_set_record_read(&sets, record), "memory");
    fuzz_check(wpg_add_saturating(wpg_push_sets_listed(&sets), sets.others) == all, "draws were lost");
    for (uint32_t i = 0; i < sets.count; i++)
        fuzz_check(!(sets.sets[i].words & sets.loose), "a set follows a loose word");
    const uint32_t few = wpg_push_sets_narrow(&words, &sets, 16, 0.9);
    for (uint32_t i = 0; few && i < sets.count; i++)
        fuzz_check(sets.sets[i].words == words, "a set lacks a word");
    wpg_push_sets_finish(&sets);
}

static inline void fuzz_seeds(const wpg_profile_format *formats, size_t count)
{
    wpg_profile *sample = fuzz_sample();
    for (size_t i = 0; i < count; i++) {
        char name[32];
        uint8_t *data;
        size_t size;
        (void)snprintf(name, sizeof name, "format-%d", (int)formats[i]);
        fuzz_check(wpg_profile_encode(&data, &size, sample, formats[i], NULL) == WPG_OK, "sample");
        fuzz_seed(name, data, size);
        free(data);
    }
    wpg_profile_destroy(sample);
}

/* What was read can be written, and read again as the same: the same records, written to the same bytes. */
static inline void fuzz_round_trip(const wpg_profile *profile, wpg_profile_format format)
{
    uint8_t *data, *again;
    size_t size, again_size;
    if (wpg_profile_encode(&data, &size, profile, format, NULL) != WPG_OK)
        return; /* names that the format cannot hold, or that share an MD5 half */
    wpg_profile *back = wpg_profile_create();
    fuzz_check(wpg_profile_read_memory(back, NULL, data, size, NULL) == WPG_OK, "own output is not read");
    fuzz_check(wpg_profile_count(back) == wpg_profile_count(profile), "records were lost");
    fuzz_check(wpg_profile_encode(&again, &again_size, back, format, NULL) == WPG_OK,
               "own output is not written");
    fuzz_check(size == again_size && memcmp(data, again, size) == 0, "own output changes");
    free(data);
    free(again);
    wpg_profile_destroy(back);
}

static inline void fuzz_read(wpg_status (*read)(wpg_profile *, wpg_profile_stats *, const uint8_t *, size_t,
                                                wpg_error *),
                             const uint8_t *data, size_t size, wpg_profile_format format)
{
    wpg_profile *p = wpg_profile_create();
    wpg_profile_stats stats = {0};
    wpg_error err = {0};
    wpg_status status = read(p, &stats, data, size, &err);
    fuzz_check(status == WPG_OK || (err.status == status && err.message[0]), "a failure without a message");
    if (status == WPG_OK) {
        fuzz_check(stats.added == wpg_profile_count(p), "records were miscounted");
        fuzz_round_trip(p, format);
        for (size_t i = 0; i < wpg_profile_count(p); i++)
            fuzz_push_sets(wpg_profile_at(p, i));
    }
    wpg_profile_destroy(p);
}

#endif
