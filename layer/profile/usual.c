/* Usual values of push constants, from a bundle's facts. See variants.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/profile/usual.h"
#include "layer/base/state.h"
#include "runtime/base/map.h"
#include "runtime/base/log.h"
#include "runtime/bundle/bundle.h"

typedef struct known {
    wpg_hash128 pipeline;
    wpg_usual usual;
} known;

static struct {
    WPG_VEC(known *) all;
    wpg_map by_pipeline; /* low half of the hash -> index */
} usual;

/* One word: its values if few of them make up `least_share` of all draws and dispatches. */
static bool word_from(wpg_usual *into, unsigned word, const wpg_facts *facts, double least_share)
{
    char key[24];
    (void)snprintf(key, sizeof key, "push.%02u", word);
    const wpg_fact *fact = wpg_facts_find(facts, key);
    if (!fact || fact->rule != WPG_FACT_COUNT)
        return false;
    (void)snprintf(key, sizeof key, "unpushed.%02u", word);
    double total = (double)fact->n + (double)wpg_facts_get_sum(facts, key), few = 0;
    for (size_t i = 0; i < fact->value_count; i++)
        total += (double)fact->values[i].n;
    uint32_t count = 0;
    for (size_t i = 0; i < fact->value_count && count < WPG_USUAL_VALUES; i++) {
        char *end;
        unsigned long long value = strtoull(fact->values[i].value, &end, 16);
        if (*end || value > UINT32_MAX || fact->values[i].n == 0)
            return false;
        into->word[word].values[count++] = (uint32_t)value;
        few += (double)fact->values[i].n;
    }
    if (!count || few < least_share * total)
        return false;
    into->word[word].count = count;
    into->word[word].share = (double)fact->values[0].n / total;
    return true;
}

/* From the facts of one pipeline; false: no word has any. */
static bool usual_from(wpg_usual *into, const wpg_facts *facts, double least_share)
{
    *into = (wpg_usual){0};
    for (unsigned word = 0; word < WPG_PUSH_WORDS; word++)
        if (word_from(into, word, facts, least_share))
            into->words |= UINT64_C(1) << word;
    return into->words != 0;
}

static void keep(const wpg_facts *facts, double least_share)
{
    known *made = calloc(1, sizeof *made);
    if (!made)
        return;
    if (wpg_hash_from_hex(&made->pipeline, wpg_facts_subject(facts)) &&
        usual_from(&made->usual, facts, least_share) &&
        wpg_map_set(&usual.by_pipeline, made->pipeline.low, usual.all.count) &&
        wpg_vec_push(&usual.all, made))
        return;
    free(made);
}

void wpg_usual_load(const char *path)
{
    wpg_bundle bundle = {0};
    wpg_error err = {0};
    if (wpg_the_process.settings.variants == 0 || !wpg_is_bundle(path))
        return;
    if (wpg_bundle_load(&bundle, path, 1, &err) != WPG_OK)
        wpg_log_warn("no variants: the bundle's facts: %s", err.message);
    else
        for (size_t i = 0; i < bundle.sets.count; i++)
            if (strcmp(wpg_facts_kind(bundle.sets.data[i]), "pipeline") == 0)
                keep(bundle.sets.data[i], wpg_the_process.settings.variant_share);
    wpg_bundle_finish(&bundle);
}

void wpg_usual_unload(void)
{
    for (size_t i = 0; i < usual.all.count; i++)
        free(usual.all.data[i]);
    wpg_vec_free(&usual.all);
    wpg_map_free(&usual.by_pipeline);
}

bool wpg_usual_any(void)
{
    return usual.all.count != 0;
}

const wpg_usual *wpg_usual_of(wpg_hash128 pipeline)
{
    uint64_t index;
    if (!wpg_map_get(&usual.by_pipeline, pipeline.low, &index) || index >= usual.all.count)
        return NULL;
    const known *found = usual.all.data[index];
    return wpg_hash_equal(found->pipeline, pipeline) ? &found->usual : NULL;
}
