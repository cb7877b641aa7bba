#include "runtime/bundle/verdicts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/text.h"

/* -- Who */

static int describe(char *text, size_t size, const wpg_device_key *key)
{
    return snprintf(text, size, "%.255s %08" PRIx32 " %08" PRIx32 " %" PRIu32 " %08" PRIx32, key->name,
                    key->vendor, key->device, key->driver, key->version);
}

wpg_hash128 wpg_device_key_hash(const wpg_device_key *key)
{
    char text[400];
    int length = describe(text, sizeof text - sizeof key->uuid, key);
    memcpy(text + length, key->uuid, sizeof key->uuid);
    return wpg_hash_bytes(text, (size_t)length + sizeof key->uuid);
}

wpg_hash128 wpg_verdict_subject(wpg_hash128 device_key, wpg_hash128 pipeline)
{
    char text[2 * WPG_HASH_HEX + 1];
    wpg_hash_to_hex(text, device_key);
    wpg_hash_to_hex(text + WPG_HASH_HEX, pipeline);
    return wpg_hash_bytes(text, 2 * (size_t)WPG_HASH_HEX);
}

const wpg_candidate *wpg_verdict_winner(const wpg_verdict *verdict)
{
    const wpg_candidate *best = NULL;
    for (size_t i = 1; i < verdict->count; i++) {
        const wpg_candidate *at = &verdict->alternatives[i];
        if (at->outcome == WPG_OUTCOME_WINS && strcmp(at->passes, WPG_VERDICT_BY_VALUE) != 0 &&
            (!best || at->ratio < best->ratio))
            best = at;
    }
    return best;
}

const wpg_candidate *wpg_verdict_by_value(const wpg_verdict *verdict)
{
    const wpg_candidate *winner = wpg_verdict_winner(verdict);
    for (size_t i = 1; i < verdict->count; i++) {
        const wpg_candidate *at = &verdict->alternatives[i];
        if (at->outcome == WPG_OUTCOME_WINS && strcmp(at->passes, WPG_VERDICT_BY_VALUE) == 0)
            return winner && winner->ratio < at->ratio ? NULL : at;
    }
    return NULL;
}

void wpg_verdict_join(char passes[WPG_VERDICT_PASSES], const char *set, bool by_value)
{
    size_t used = 0;
    for (char letter = 'a'; letter <= 'z'; letter++)
        if (strchr(set, letter) || (by_value && letter == *WPG_VERDICT_BY_VALUE))
            passes[used++] = letter;
    if (!used)
        passes[used++] = '-';
    passes[used] = '\0';
}

bool wpg_verdict_settled(const wpg_verdict *verdict)
{
    for (size_t i = 1; i < verdict->count; i++)
        if (verdict->alternatives[i].outcome == WPG_OUTCOME_OPEN)
            return false;
    return true;
}

bool wpg_verdict_unfinished(const wpg_verdict *verdict)
{
    return !verdict->is_static && !wpg_verdict_settled(verdict) && !wpg_verdict_winner(verdict) &&
           !wpg_verdict_by_value(verdict);
}

uint32_t wpg_verdict_looks(const wpg_verdict *verdict)
{
    uint32_t looks = 0;
    for (size_t i = 1; i < verdict->count; i++)
        looks += verdict->alternatives[i].looks;
    return looks;
}

static const char *const outcomes[] = {"open", "wins", "loses", "undecided"};

const char *wpg_outcome_name(wpg_outcome outcome)
{
    return outcomes[outcome];
}

/* -- Facts out of a verdict */

static wpg_status say(wpg_facts *facts, wpg_error *err, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static wpg_status say(wpg_facts *facts, wpg_error *err, const char *key, const char *fmt, ...)
{
    char text[320];
    va_list args;
    va_start(args, fmt);
    (void)wpg_format_list(text, sizeof text, fmt, args);
    va_end(args);
    return wpg_facts_is(facts, key, text, err);
}

static const char *name_of(const wpg_candidate *candidate)
{
    return *candidate->passes ? candidate->passes : "-";
}

static wpg_status say_samples(wpg_facts *facts, const wpg_candidate *candidate, wpg_error *err)
{
    char key[16 + WPG_VERDICT_PASSES], text[WPG_VERDICT_SAMPLES * 30 + 1];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < candidate->count; i++) {
        const wpg_sample *at = &candidate->samples[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRIx32 ":%" PRIx32 ":%" PRIx64,
                                 i ? " " : "", at->shape, at->push,
                                 at->nanoseconds & UINT64_C(0xffffffffff)); /* 18 minutes */
    }
    (void)snprintf(key, sizeof key, "samples.%s", name_of(candidate));
    return wpg_facts_is(facts, key, text, err);
}

static wpg_status say_candidate(wpg_facts *facts, const wpg_candidate *candidate, wpg_error *err)
{
    char key[16 + WPG_VERDICT_PASSES], words[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(words, candidate->words);
    (void)snprintf(key, sizeof key, "candidate.%s", name_of(candidate));
    return say(facts, err, key, "%s %.6f %.6f %.6f %" PRIu32 " %" PRIu32 " %s",
               wpg_outcome_name(candidate->outcome), candidate->ratio, candidate->low, candidate->high,
               candidate->looks, candidate->count, words);
}

static wpg_status fill(wpg_facts *facts, const wpg_verdict *verdict, wpg_error *err)
{
    const wpg_device_key *device = &verdict->device;
    const wpg_candidate *winner = wpg_verdict_winner(verdict);
    char hex[WPG_HASH_HEX + 1], uuid[2 * sizeof device->uuid + 1];
    wpg_hash_to_hex(hex, verdict->pipeline);
    WPG_TRY(wpg_facts_is(facts, "pipeline", hex, err));
    wpg_hash_to_hex(hex, wpg_device_key_hash(device));
    WPG_TRY(wpg_facts_is(facts, "device.key", hex, err));
    WPG_TRY(wpg_facts_is(facts, "device", device->name, err));
    WPG_TRY(say(facts, err, "device.id", "%08" PRIx32 " %08" PRIx32, device->vendor, device->device));
    WPG_TRY(say(facts, err, "driver.id", "%" PRIu32 " %08" PRIx32, device->driver, device->version));
    for (size_t i = 0; i < sizeof device->uuid; i++)
        (void)snprintf(uuid + 2 * i, 3, "%02x", device->uuid[i]);
    WPG_TRY(wpg_facts_is(facts, "driver.uuid", uuid, err));
    WPG_TRY(wpg_facts_is(facts, "build", verdict->build, err));
    WPG_TRY(wpg_facts_is(facts, "method", verdict->is_static ? "static" : "timestamps", err));
    WPG_TRY(say(facts, err, "confidence", "%.6f", verdict->confidence));
    WPG_TRY(say(facts, err, "margin", "%.6f", verdict->margin));
    char passes[WPG_VERDICT_PASSES];
    wpg_verdict_join(passes, winner ? winner->passes : "", wpg_verdict_by_value(verdict) != NULL);
    WPG_TRY(wpg_facts_is(facts, "winner", passes, err));
    for (size_t i = 0; i < verdict->count; i++) {
        if (i)
            WPG_TRY(say_candidate(facts, &verdict->alternatives[i], err));
        WPG_TRY(say_samples(facts, &verdict->alternatives[i], err));
    }
    return WPG_OK;
}

wpg_status wpg_verdict_encode(wpg_facts **out, const wpg_verdict *verdict, wpg_error *err)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, wpg_verdict_subject(wpg_device_key_hash(&verdict->device), verdict->pipeline));
    wpg_facts *facts = wpg_facts_create("verdict", hex);
    if (!facts)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a verdict");
    wpg_status status = fill(facts, verdict, err);
    if (status == WPG_OK)
        *out = facts;
    else
        wpg_facts_destroy(facts);
    return status;
}

/* -- A verdict out of facts */

static wpg_status malformed(wpg_error *err, const char *key, const char *text)
{
    return wpg_fail(err, WPG_E_FORMAT, "%.60s of a verdict is malformed: %.40s", key, text);
}

/* A number between 0 and `most`, written as "%.6f" writes it (no locale, no exponent, no infinity). */
static bool number(double *value, const char **at, double most)
{
    const char *text = *at;
    size_t digits = strspn(text, "0123456789");
    if (!digits || digits > 9 || text[digits] != '.' || strspn(text + digits + 1, "0123456789") != 6)
        return false;
    *value = (double)strtoul(text, NULL, 10) + (double)strtoul(text + digits + 1, NULL, 10) * 1e-6;
    *at = text + digits + 7;
    return *value <= most;
}

/* A whole number of at most so many digits: no blanks, no sign. */
static bool whole(uint32_t *value, const char **at, int base, size_t most_digits)
{
    size_t digits = strspn(*at, base == 10 ? "0123456789" : "0123456789abcdef");
    if (!digits || digits > most_digits)
        return false;
    *value = (uint32_t)strtoul(*at, NULL, base);
    *at += digits;
    return true;
}

static bool pair(uint32_t *first, uint32_t *second, const char *text, int base, size_t most_digits)
{
    return whole(first, &text, base, most_digits) && *text++ == ' ' && whole(second, &text, 16, 8) && !*text;
}

static bool is_set(const char *passes)
{
    size_t length = strlen(passes);
    if (!length || length >= WPG_VERDICT_PASSES)
        return false;
    for (size_t i = 0; i < length; i++)
        if (passes[i] < 'a' || passes[i] > 'z' || (i && passes[i] <= passes[i - 1]))
            return false;
    return true;
}

static wpg_status take_samples(wpg_candidate *into, const char *key, const char *text, wpg_error *err)
{
    const char *at = text;
    into->count = 0;
    while (*at) {
        uint64_t parts[3];
        static const uint64_t most[3] = {UINT32_MAX, UINT32_MAX, UINT64_C(0xffffffffff)};
        for (int i = 0; i < 3; i++) {
            size_t length = strspn(at, "0123456789abcdef");
            parts[i] = length && length <= 10 ? strtoull(at, NULL, 16) : UINT64_MAX;
            at += length;
            if (parts[i] > most[i] || (i < 2 && *at++ != ':'))
                return malformed(err, key, text);
        }
        if (into->count == WPG_VERDICT_SAMPLES || (*at && (*at != ' ' || !at[1])))
            return malformed(err, key, text);
        into->samples[into->count++] = (wpg_sample){(uint32_t)parts[0], (uint32_t)parts[1], parts[2]};
        at += *at == ' ';
    }
    return WPG_OK;
}

static wpg_status take_candidate(wpg_verdict *verdict, const char *key, const char *text, wpg_error *err)
{
    const char *passes = strchr(key, '.') + 1, *at = text;
    wpg_candidate *into = &verdict->alternatives[verdict->count];
    if (!is_set(passes) || verdict->count > WPG_VERDICT_CANDIDATES)
        return malformed(err, key, text);
    memcpy(into->passes, passes, strlen(passes) + 1);
    int outcome = -1;
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        size_t length = strlen(outcomes[i]);
        if (strncmp(text, outcomes[i], length) == 0 && text[length] == ' ') {
            outcome = (int)i;
            at = text + length;
        }
    }
    if (outcome < 0)
        return malformed(err, key, text);
    into->outcome = (wpg_outcome)outcome;
    double *const numbers[] = {&into->ratio, &into->low, &into->high};
    for (size_t i = 0; i < 3; i++)
        if (*at++ != ' ' || !number(numbers[i], &at, 1e8))
            return malformed(err, key, text);
    uint32_t count;
    if (*at++ != ' ' || !whole(&into->looks, &at, 10, 9) || *at++ != ' ' || !whole(&count, &at, 10, 9) ||
        *at++ != ' ' || strlen(at) != WPG_HASH_HEX || !wpg_hash_from_hex(&into->words, at))
        return malformed(err, key, text);
    verdict->count++;
    return count <= WPG_VERDICT_SAMPLES ? WPG_OK : malformed(err, key, text);
}

static wpg_status take_device(wpg_verdict *verdict, const wpg_facts *facts, wpg_error *err)
{
    wpg_device_key *key = &verdict->device;
    const char *id = wpg_facts_get_text(facts, "device.id"), *driver = wpg_facts_get_text(facts, "driver.id");
    const char *uuid = wpg_facts_get_text(facts, "driver.uuid"), *name = wpg_facts_get_text(facts, "device");
    if (strlen(name) >= sizeof key->name)
        return malformed(err, "device", name);
    memcpy(key->name, name, strlen(name) + 1);
    if (!pair(&key->vendor, &key->device, id, 16, 8))
        return malformed(err, "device.id", id);
    if (!pair(&key->driver, &key->version, driver, 10, 9))
        return malformed(err, "driver.id", driver);
    if (strlen(uuid) != 2 * sizeof key->uuid || strspn(uuid, "0123456789abcdef") != 2 * sizeof key->uuid)
        return malformed(err, "driver.uuid", uuid);
    for (size_t i = 0; i < sizeof key->uuid; i++) {
        char byte[3] = {uuid[2 * i], uuid[2 * i + 1], '\0'};
        key->uuid[i] = (uint8_t)strtoul(byte, NULL, 16);
    }
    return WPG_OK;
}

static wpg_status decode(wpg_verdict *verdict, const wpg_facts *facts, wpg_error *err)
{
    wpg_hash128 subject;
    const char *pipeline = wpg_facts_get_text(facts, "pipeline"), *build = wpg_facts_get_text(facts, "build");
    const char *confidence = wpg_facts_get_text(facts, "confidence"),
               *margin = wpg_facts_get_text(facts, "margin");
    const char *method = wpg_facts_get_text(facts, "method");
    if (strcmp(wpg_facts_kind(facts), "verdict") != 0 || strlen(wpg_facts_subject(facts)) != WPG_HASH_HEX ||
        !wpg_hash_from_hex(&subject, wpg_facts_subject(facts)))
        return wpg_fail(err, WPG_E_FORMAT, "these facts are no verdict");
    if (strlen(pipeline) != WPG_HASH_HEX || !wpg_hash_from_hex(&verdict->pipeline, pipeline))
        return malformed(err, "pipeline", pipeline);
    WPG_TRY(take_device(verdict, facts, err));
    if (strlen(build) >= sizeof verdict->build)
        return malformed(err, "build", build);
    memcpy(verdict->build, build, strlen(build) + 1);
    verdict->is_static = strcmp(method, "static") == 0;
    if (!verdict->is_static && strcmp(method, "timestamps") != 0)
        return malformed(err, "method", method);
    const char *at = confidence;
    if (!number(&verdict->confidence, &at, 1) || *at)
        return malformed(err, "confidence", confidence);
    at = margin;
    if (!number(&verdict->margin, &at, 1) || *at)
        return malformed(err, "margin", margin);
    verdict->count = 1;
    for (size_t i = 0; i < wpg_facts_size(facts); i++) {
        const wpg_fact *fact = wpg_facts_at(facts, i);
        if (fact->rule == WPG_FACT_IS && strncmp(fact->key, "candidate.", 10) == 0)
            WPG_TRY(take_candidate(verdict, fact->key, fact->text, err));
    }
    for (size_t i = 0; i < verdict->count; i++) {
        char key[16 + WPG_VERDICT_PASSES];
        (void)snprintf(key, sizeof key, "samples.%s", name_of(&verdict->alternatives[i]));
        const wpg_fact *fact = wpg_facts_find(facts, key);
        if (fact && fact->rule == WPG_FACT_IS)
            WPG_TRY(take_samples(&verdict->alternatives[i], key, fact->text, err));
    }
    if (!wpg_hash_equal(subject,
                        wpg_verdict_subject(wpg_device_key_hash(&verdict->device), verdict->pipeline)))
        return wpg_fail(err, WPG_E_MISMATCH, "a verdict names another device or pipeline than its file");
    return WPG_OK;
}

wpg_status wpg_verdict_decode(wpg_verdict **out, const wpg_facts *facts, wpg_error *err)
{
    wpg_verdict *made = calloc(1, sizeof *made);
    if (!made)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a verdict");
    wpg_status status = decode(made, facts, err);
    if (status == WPG_OK)
        *out = made;
    else
        free(made);
    return status;
}

/* -- Merging */

/* How much a verdict rests on: looks, then its samples; a settled one before an open one of as many. */
static uint64_t weight_of(wpg_facts *facts)
{
    wpg_verdict *verdict;
    uint64_t samples = 1;
    if (wpg_verdict_decode(&verdict, facts, NULL) != WPG_OK)
        return 0;
    for (size_t i = 0; i < verdict->count; i++)
        samples += verdict->alternatives[i].count;
    samples = samples * 2 + wpg_verdict_settled(verdict);
    if (!verdict->is_static && wpg_verdict_looks(verdict))
        samples += UINT64_C(1) << 32; /* more than there can be samples */
    free(verdict);
    return samples;
}

static int compare_text(wpg_facts *a, wpg_facts *b)
{
    wpg_writer left = {0}, right = {0};
    wpg_facts_encode(&left, a);
    wpg_facts_encode(&right, b);
    size_t common = left.size < right.size ? left.size : right.size;
    int order = common ? memcmp(left.data, right.data, common) : 0;
    if (!order)
        order = left.size < right.size ? -1 : left.size > right.size;
    wpg_writer_finish(&left);
    wpg_writer_finish(&right);
    return order;
}

wpg_facts *wpg_verdict_merge(wpg_facts *into, wpg_facts *from)
{
    uint64_t a = weight_of(into), b = weight_of(from);
    bool keep = a != b ? a > b : compare_text(into, from) <= 0;
    wpg_facts_destroy(keep ? from : into);
    return keep ? into : from;
}
