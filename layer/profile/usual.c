/* See usual.h and variants.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/profile/usual.h"
#include "layer/base/state.h"
#include "runtime/base/map.h"
#include "runtime/base/log.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/push_facts.h"
#include "runtime/profile/profile_format.h"
#include "runtime/profile/push_record.h"
#include "runtime/profile/push_set_record.h"

typedef struct known {
    wpg_hash128 pipeline;
    wpg_usual usual;
} known;

static struct {
    WPG_VEC(known *) all;
    wpg_map by_pipeline; /* low half of the hash -> index */
    wpg_map facts;       /* low half of the hash of any pipeline with facts -> 0 */
} usual;

/* One word: its values if few of them make up `least_share` of all draws and dispatches. */
static bool word_from(wpg_usual *into, unsigned word, const wpg_profile_record *record, double least_share)
{
    const wpg_profile_site *site = word < record->site_count ? &record->sites[word] : NULL;
    wpg_profile_value *values = site && site->count ? wpg_site_by_count(site) : NULL;
    double few = 0, total = (double)wpg_push_record_others(record, word) +
                            (double)wpg_push_record_unpushed(record, word);
    uint32_t count = 0;
    for (size_t i = 0; values && i < site->count; i++) {
        total += (double)values[i].count;
        if (count == WPG_USUAL_VALUES || values[i].value > UINT32_MAX || !values[i].count)
            continue;
        into->word[word].values[count++] = (uint32_t)values[i].value;
        few += (double)values[i].count;
    }
    bool good = count && few >= least_share * total;
    if (good) {
        into->word[word].count = count;
        into->word[word].share = (double)values[0].count / total;
    }
    free(values);
    return good;
}

/* From the record of one pipeline; false: no word has any. */
static bool words_from(wpg_usual *into, const wpg_profile_record *record, double least_share)
{
    for (unsigned word = 0; word < WPG_PUSH_WORDS; word++)
        if (word_from(into, word, record, least_share))
            into->words |= UINT64_C(1) << word;
    return into->words != 0;
}

/* From the record of sets, if there is one and few sets make up `least_share`; false: there are no such. */
static bool sets_from(wpg_usual *into, const wpg_profile_record *record, double least_share)
{
    wpg_push_sets sets = {0};
    uint64_t words = 0;
    if (!record || !wpg_push_set_record_read(&sets, record) || !wpg_push_sets_listed(&sets)) {
        wpg_push_sets_finish(&sets);
        return false;
    }
    const double all = (double)wpg_push_sets_listed(&sets) + (double)sets.others;
    into->usual_sets = wpg_push_sets_narrow(&words, &sets, WPG_USUAL_SETS, least_share);
    if (!into->usual_sets) {
        wpg_push_sets_finish(&sets);
        return false;
    }
    into->words = words;
    into->sets = sets;
    into->set_share = (double)sets.sets[0].n / all;
    for (uint32_t i = 0; i < WPG_PUSH_WORDS; i++) {
        into->word[i].count = words >> i & 1;
        into->word[i].values[0] = sets.sets[0].values[i];
    }
    return true;
}

static void keep(wpg_hash128 pipeline, const wpg_profile_record *record, const wpg_profile_record *sets,
                 double least_share)
{
    known *made = calloc(1, sizeof *made);
    if (!made)
        return;
    made->pipeline = pipeline;
    if ((sets_from(&made->usual, sets, least_share) || words_from(&made->usual, record, least_share)) &&
        wpg_map_set(&usual.by_pipeline, pipeline.low, usual.all.count) && wpg_vec_push(&usual.all, made))
        return;
    wpg_push_sets_finish(&made->usual.sets);
    free(made);
}

/* Adds the facts of the bundle at `path`, and notes each pipeline in it. */
static wpg_status add_bundle(wpg_profile *into, const char *path, wpg_error *err)
{
    wpg_bundle bundle = {0};
    wpg_status status = wpg_bundle_load_kind(&bundle, path, "pipeline", err);
    for (size_t i = 0; status == WPG_OK && i < bundle.sets.count; i++) {
        const wpg_facts *facts = bundle.sets.data[i];
        wpg_hash128 pipeline;
        if (wpg_hash_from_hex(&pipeline, wpg_facts_subject(facts)))
            (void)wpg_map_set(&usual.facts, pipeline.low, 0);
        status = wpg_push_facts_add(into, facts, err);
    }
    wpg_bundle_finish(&bundle);
    return status;
}

/* Adds the records of push constants alone. */
static wpg_status add_records(wpg_profile *into, const wpg_profile *from, wpg_error *err)
{
    wpg_status status = WPG_OK;
    for (size_t i = 0; i < wpg_profile_count(from) && status == WPG_OK; i++) {
        const wpg_profile_record *record = wpg_profile_at(from, i);
        wpg_hash128 pipeline;
        if (!wpg_push_record_parse(&pipeline, record) && !wpg_push_set_record_parse(&pipeline, record))
            continue;
        status = wpg_profile_add(into, record->name, record->func_hash, record->counters,
                                 record->counter_count, 1, err);
        for (size_t s = 0; s < record->site_count && status == WPG_OK; s++)
            for (size_t v = 0; v < record->sites[s].count && status == WPG_OK; v++)
                status = wpg_profile_add_value(into, record->name, record->func_hash, s,
                                               record->sites[s].pairs[v].value,
                                               record->sites[s].pairs[v].count, err);
    }
    return status;
}

static const wpg_profile_record *sets_of(const wpg_profile *profile, wpg_hash128 pipeline)
{
    char name[WPG_PUSH_SET_RECORD_NAME];
    wpg_push_set_record_compose(name, pipeline);
    const wpg_profile_record *found = wpg_profile_find(profile, name, WPG_PUSH_SET_RECORD_HASH);
    return found && wpg_push_set_record_parse(&pipeline, found) ? found : NULL;
}

void wpg_usual_load(const char *path, const wpg_profile *profile)
{
    wpg_error err = {0};
    wpg_profile *all = wpg_profile_create();
    wpg_status status = all ? add_records(all, profile, &err) : wpg_fail(&err, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK && wpg_is_bundle(path))
        status = add_bundle(all, path, &err);
    if (status != WPG_OK && wpg_the_process.settings.variants > 0)
        wpg_log_warn("no variants: the values of push constants: %s", err.message);
    for (size_t i = 0; status == WPG_OK && i < wpg_profile_count(all); i++) {
        const wpg_profile_record *record = wpg_profile_at(all, i);
        wpg_hash128 pipeline;
        if (!wpg_push_record_parse(&pipeline, record))
            continue;
        (void)wpg_map_set(&usual.facts, pipeline.low, 0);
        if (wpg_the_process.settings.variants > 0)
            keep(pipeline, record, sets_of(all, pipeline), wpg_the_process.settings.variant_share);
    }
    wpg_profile_destroy(all);
}

void wpg_usual_unload(void)
{
    for (size_t i = 0; i < usual.all.count; i++) {
        wpg_push_sets_finish(&usual.all.data[i]->usual.sets);
        free(usual.all.data[i]);
    }
    wpg_vec_free(&usual.all);
    wpg_map_free(&usual.by_pipeline);
    wpg_map_free(&usual.facts);
}

size_t wpg_usual_count(void)
{
    return usual.all.count;
}

bool wpg_usual_knows(wpg_hash128 pipeline)
{
    uint64_t unused;
    return wpg_map_get(&usual.facts, pipeline.low, &unused);
}

bool wpg_usual_at(wpg_hash128 *pipeline, size_t number)
{
    if (number >= usual.all.count)
        return false;
    *pipeline = usual.all.data[number]->pipeline;
    return true;
}

const wpg_usual *wpg_usual_of(wpg_hash128 pipeline)
{
    uint64_t index;
    if (!wpg_map_get(&usual.by_pipeline, pipeline.low, &index) || index >= usual.all.count)
        return NULL;
    const known *found = usual.all.data[index];
    return wpg_hash_equal(found->pipeline, pipeline) ? &found->usual : NULL;
}
