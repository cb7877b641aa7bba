/* Facts in memory: makes, finds and merges them. The text is facts_text.c's. */
#include "runtime/bundle/facts.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/arithmetic.h"
#include "runtime/base/file.h"
#include "runtime/base/hash.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"

struct wpg_facts {
    char *kind, *subject;
    WPG_VEC(wpg_fact) list;
    wpg_map by_key; /* hash of the key -> index */
};

/* -- Words */

static bool is_word(const char *text)
{
    size_t length = 0;
    for (; text[length]; length++)
        if (text[length] <= ' ' || text[length] > '~' || length >= WPG_FACTS_WORD)
            return false;
    return length > 0;
}

/* -- Life */

wpg_facts *wpg_facts_create(const char *kind, const char *subject)
{
    if (!is_word(kind) || !is_word(subject))
        return NULL;
    wpg_facts *facts = calloc(1, sizeof *facts);
    if (!facts)
        return NULL;
    facts->kind = strdup(kind);
    facts->subject = strdup(subject);
    if (facts->kind && facts->subject)
        return facts;
    wpg_facts_destroy(facts);
    return NULL;
}

void wpg_facts_destroy(wpg_facts *facts)
{
    if (!facts)
        return;
    for (size_t i = 0; i < facts->list.count; i++) {
        wpg_fact *fact = &facts->list.data[i];
        for (size_t j = 0; j < fact->value_count; j++)
            free(fact->values[j].value);
        free(fact->values);
        free(fact->key);
        free(fact->text);
    }
    wpg_vec_free(&facts->list);
    wpg_map_free(&facts->by_key);
    free(facts->kind);
    free(facts->subject);
    free(facts);
}

const char *wpg_facts_kind(const wpg_facts *facts)
{
    return facts->kind;
}

const char *wpg_facts_subject(const wpg_facts *facts)
{
    return facts->subject;
}

/* -- Finding */

static wpg_fact *find(const wpg_facts *facts, const char *key)
{
    uint64_t index;
    if (!wpg_map_get(&facts->by_key, wpg_hash64_bytes(key, strlen(key)), &index))
        return NULL;
    wpg_fact *fact = &facts->list.data[index];
    return strcmp(fact->key, key) == 0 ? fact : NULL;
}

const wpg_fact *wpg_facts_find(const wpg_facts *facts, const char *key)
{
    return find(facts, key);
}

uint64_t wpg_facts_get_sum(const wpg_facts *facts, const char *key)
{
    const wpg_fact *fact = find(facts, key);
    return fact && fact->rule == WPG_FACT_SUM ? fact->n : 0;
}

const char *wpg_facts_get_text(const wpg_facts *facts, const char *key)
{
    const wpg_fact *fact = find(facts, key);
    return fact && fact->rule == WPG_FACT_IS ? fact->text : "";
}

size_t wpg_facts_size(const wpg_facts *facts)
{
    return facts->list.count;
}

const wpg_fact *wpg_facts_at(const wpg_facts *facts, size_t index)
{
    return &facts->list.data[index];
}

/* -- Adding */

/* The key's fact, made if it is new (*made). */
static wpg_status demand(wpg_fact **out, bool *made, wpg_facts *facts, const char *key, wpg_fact_rule rule,
                         wpg_error *err)
{
    wpg_fact *fact = find(facts, key);
    *made = false;
    if (fact && fact->rule != rule)
        return wpg_fail(err, WPG_E_MISMATCH, "fact %s has another rule", key);
    if (!fact) {
        uint64_t hash = wpg_hash64_bytes(key, strlen(key));
        if (!is_word(key))
            return wpg_fail(err, WPG_E_ARGUMENT, "a key is a word of at most %d characters", WPG_FACTS_WORD);
        if (facts->list.count >= WPG_FACTS_MANY)
            return wpg_fail(err, WPG_E_LIMIT, "more than %d facts", WPG_FACTS_MANY);
        if (wpg_map_get(&facts->by_key, hash, NULL))
            return wpg_fail(err, WPG_E_LIMIT, "the hash of key %s is taken", key);
        wpg_fact fresh = {.rule = rule, .key = strdup(key)};
        if (!fresh.key || !wpg_vec_reserve(&facts->list, 1) ||
            !wpg_map_set(&facts->by_key, hash, facts->list.count)) {
            free(fresh.key);
            return wpg_fail(err, WPG_E_NOMEM, "no memory for facts");
        }
        fact = &facts->list.data[facts->list.count++];
        *fact = fresh;
        *made = true;
    }
    *out = fact;
    return WPG_OK;
}

wpg_status wpg_facts_is(wpg_facts *facts, const char *key, const char *text, wpg_error *err)
{
    wpg_fact *fact;
    bool made;
    if (strlen(text) > WPG_FACTS_TEXT)
        return wpg_fail(err, WPG_E_ARGUMENT, "the text of %s is longer than %d bytes", key, WPG_FACTS_TEXT);
    char *copy = strdup(text);
    if (!copy)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for facts");
    wpg_status status = demand(&fact, &made, facts, key, WPG_FACT_IS, err);
    if (status != WPG_OK) {
        free(copy);
        return status;
    }
    free(fact->text);
    fact->text = copy;
    return WPG_OK;
}

wpg_status wpg_facts_sum(wpg_facts *facts, const char *key, uint64_t n, wpg_error *err)
{
    wpg_fact *fact;
    bool made;
    WPG_TRY(demand(&fact, &made, facts, key, WPG_FACT_SUM, err));
    fact->n = wpg_add_saturating(fact->n, n);
    return WPG_OK;
}

wpg_status wpg_facts_range(wpg_facts *facts, const char *key, int64_t low, int64_t high, wpg_error *err)
{
    wpg_fact *fact;
    bool made;
    if (low > high)
        return wpg_fail(err, WPG_E_ARGUMENT, "range %s is empty", key);
    WPG_TRY(demand(&fact, &made, facts, key, WPG_FACT_RANGE, err));
    if (made || low < fact->low)
        fact->low = low;
    if (made || high > fact->high)
        fact->high = high;
    return WPG_OK;
}

static wpg_fact_value *find_value(const wpg_fact *fact, const char *value)
{
    for (size_t i = 0; i < fact->value_count; i++)
        if (strcmp(fact->values[i].value, value) == 0)
            return &fact->values[i];
    return NULL;
}

/* The one that has to go first: the rarest, of equals the last by name. */
static wpg_fact_value *rarest(const wpg_fact *fact)
{
    wpg_fact_value *worst = &fact->values[0];
    for (size_t i = 1; i < fact->value_count; i++) {
        wpg_fact_value *at = &fact->values[i];
        if (at->n < worst->n || (at->n == worst->n && strcmp(at->value, worst->value) > 0))
            worst = at;
    }
    return worst;
}

/* Counts a value in a table of at most `most` values. */
static wpg_status count_value(wpg_facts *facts, const char *key, const char *value, uint64_t n, size_t most,
                              wpg_error *err)
{
    wpg_fact *fact;
    bool made;
    if (!is_word(value))
        return wpg_fail(err, WPG_E_ARGUMENT, "a value of %s is no word", key);
    WPG_TRY(demand(&fact, &made, facts, key, WPG_FACT_COUNT, err));
    wpg_fact_value *known = find_value(fact, value);
    if (known) {
        known->n = wpg_add_saturating(known->n, n);
        return WPG_OK;
    }
    if (strcmp(value, "*") == 0 || n == 0) {
        fact->n = wpg_add_saturating(fact->n, n);
        return WPG_OK;
    }
    bool full = fact->value_count >= most;
    wpg_fact_value *place = full ? rarest(fact) : NULL;
    if (full && (place->n > n || (place->n == n && strcmp(place->value, value) < 0))) {
        fact->n = wpg_add_saturating(fact->n, n);
        return WPG_OK;
    }
    char *copy = strdup(value);
    if (copy && !full) {
        wpg_fact_value *grown = realloc(fact->values, (fact->value_count + 1) * sizeof *grown);
        if (grown) {
            fact->values = grown;
            place = &grown[fact->value_count];
        }
    }
    if (!copy || !place) {
        free(copy);
        return wpg_fail(err, WPG_E_NOMEM, "no memory for facts");
    }
    if (full) {
        fact->n = wpg_add_saturating(fact->n, place->n);
        free(place->value);
    } else
        fact->value_count++;
    *place = (wpg_fact_value){copy, n};
    return WPG_OK;
}

wpg_status wpg_facts_count(wpg_facts *facts, const char *key, const char *value, uint64_t n, wpg_error *err)
{
    return count_value(facts, key, value, n, WPG_FACTS_VALUES, err);
}

/* -- Order */

static int by_key(const void *a, const void *b)
{
    return strcmp(((const wpg_fact *)a)->key, ((const wpg_fact *)b)->key);
}

static int by_count(const void *left, const void *right)
{
    const wpg_fact_value *a = left, *b = right;
    return a->n != b->n ? (a->n > b->n ? -1 : 1) : strcmp(a->value, b->value);
}

void wpg_facts_sort(wpg_facts *facts)
{
    if (facts->list.count)
        qsort(facts->list.data, facts->list.count, sizeof *facts->list.data, by_key);
    for (size_t i = 0; i < facts->list.count; i++) {
        wpg_fact *fact = &facts->list.data[i];
        if (fact->value_count)
            qsort(fact->values, fact->value_count, sizeof *fact->values, by_count);
        /* The keys are there already: setting one needs no memory. */
        (void)wpg_map_set(&facts->by_key, wpg_hash64_bytes(fact->key, strlen(fact->key)), i);
    }
}

/* -- Merging */

/* The fact starts anew, with another rule. */
static void forget(wpg_fact *fact, wpg_fact_rule rule)
{
    for (size_t i = 0; i < fact->value_count; i++)
        free(fact->values[i].value);
    free(fact->values);
    free(fact->text);
    *fact = (wpg_fact){.rule = rule, .key = fact->key};
}

static wpg_status merge_fact(wpg_facts *into, const wpg_fact *fact, uint64_t weight, size_t *conflicts,
                             wpg_error *err)
{
    wpg_fact *there = find(into, fact->key);
    if (there && there->rule != fact->rule) {
        ++*conflicts;
        if (there->rule < fact->rule)
            return WPG_OK;
        forget(there, fact->rule); /* the first of the rules stays, whichever came first */
        if (fact->rule == WPG_FACT_RANGE) {
            there->low = fact->low;
            there->high = fact->high;
        }
    }
    switch (fact->rule) {
    case WPG_FACT_IS:
        if (there && there->text && strcmp(there->text, fact->text) != 0) {
            ++*conflicts;
            if (strcmp(there->text, fact->text) < 0)
                return WPG_OK;
        }
        return wpg_facts_is(into, fact->key, fact->text, err);
    case WPG_FACT_SUM:
        return wpg_facts_sum(into, fact->key, wpg_multiply_saturating(fact->n, weight), err);
    case WPG_FACT_RANGE:
        return wpg_facts_range(into, fact->key, fact->low, fact->high, err);
    case WPG_FACT_COUNT:
        WPG_TRY(wpg_facts_count(into, fact->key, "*", wpg_multiply_saturating(fact->n, weight), err));
        for (size_t i = 0; i < fact->value_count; i++)
            WPG_TRY(count_value(into, fact->key, fact->values[i].value,
                                wpg_multiply_saturating(fact->values[i].n, weight), WPG_FACTS_MERGING, err));
        return WPG_OK;
    }
    return WPG_OK;
}

wpg_status wpg_facts_merge(wpg_facts *into, const wpg_facts *from, uint64_t weight, size_t *conflicts,
                           wpg_error *err)
{
    size_t unwanted = 0;
    if (strcmp(into->kind, from->kind) != 0 || strcmp(into->subject, from->subject) != 0)
        return wpg_fail(err, WPG_E_MISMATCH, "facts of %s %s are not of %s %s", from->kind, from->subject,
                        into->kind, into->subject);
    for (size_t i = 0; i < from->list.count; i++)
        WPG_TRY(merge_fact(into, &from->list.data[i], weight, conflicts ? conflicts : &unwanted, err));
    return WPG_OK;
}

/* -- Files */

wpg_status wpg_facts_read_file(wpg_facts **facts, const char *path, wpg_error *err)
{
    uint8_t *data;
    size_t size;
    wpg_error inner;
    WPG_TRY(wpg_file_read(&data, &size, path, WPG_FACTS_FILE, err));
    wpg_status status = wpg_facts_decode(facts, data, size, &inner);
    free(data);
    return status == WPG_OK ? WPG_OK : wpg_fail(err, status, "%s: %s", path, inner.message);
}

wpg_status wpg_facts_put_file(wpg_file_batch *batch, const char *path, wpg_facts *facts, wpg_error *err)
{
    wpg_writer out = {0};
    wpg_facts_encode(&out, facts);
    wpg_status status = out.out_of_memory ? wpg_fail(err, WPG_E_NOMEM, "no memory to write %s", path)
                                          : wpg_file_batch_put(batch, path, out.data, out.size, NULL, err);
    wpg_writer_finish(&out);
    return status;
}

wpg_status wpg_facts_write_file(const char *path, wpg_facts *facts, wpg_error *err)
{
    wpg_writer out = {0};
    wpg_facts_encode(&out, facts);
    wpg_status status = out.out_of_memory ? wpg_fail(err, WPG_E_NOMEM, "no memory to write %s", path)
                                          : wpg_file_write_atomic(path, out.data, out.size, err);
    wpg_writer_finish(&out);
    return status;
}
