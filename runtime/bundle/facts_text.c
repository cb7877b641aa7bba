/* The text of facts: writes and strictly reads the lines that facts.h describes. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/arithmetic.h"
#include "runtime/bundle/facts.h"

static const char magic[] = "wavepgo-facts";

/* -- Writing */

static void write_text(wpg_writer *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '\\')
            wpg_write_text(out, "\\\\");
        else if (c == '\n')
            wpg_write_text(out, "\\n");
        else if (c < ' ' || c > '~')
            wpg_write_text(out, "\\x%02x", c);
        else
            wpg_write_u8(out, c);
    }
}

/* The commonest values; a merge may have held more. */
static void write_table(wpg_writer *out, const wpg_fact *fact)
{
    uint64_t others = fact->n;
    for (size_t i = 0; i < fact->value_count; i++) {
        const wpg_fact_value *value = &fact->values[i];
        if (i < WPG_FACTS_VALUES)
            wpg_write_text(out, "count %s %s %" PRIu64 "\n", fact->key, value->value, value->n);
        else
            others = wpg_add_saturating(others, value->n);
    }
    if (others || fact->value_count == 0)
        wpg_write_text(out, "count %s * %" PRIu64 "\n", fact->key, others);
}

void wpg_facts_encode(wpg_writer *out, wpg_facts *facts)
{
    wpg_facts_sort(facts);
    wpg_write_text(out, "%s %d %s %s\n", magic, WPG_FACTS_VERSION, wpg_facts_kind(facts),
                   wpg_facts_subject(facts));
    for (size_t i = 0; i < wpg_facts_size(facts); i++) {
        const wpg_fact *fact = wpg_facts_at(facts, i);
        switch (fact->rule) {
        case WPG_FACT_IS:
            wpg_write_text(out, "is %s ", fact->key);
            write_text(out, fact->text);
            wpg_write_u8(out, '\n');
            break;
        case WPG_FACT_SUM:
            wpg_write_text(out, "sum %s %" PRIu64 "\n", fact->key, fact->n);
            break;
        case WPG_FACT_RANGE:
            wpg_write_text(out, "range %s %" PRId64 " %" PRId64 "\n", fact->key, fact->low, fact->high);
            break;
        case WPG_FACT_COUNT:
            write_table(out, fact);
            break;
        }
    }
    wpg_write_text(out, "end\n");
}

/* -- Reading */

typedef struct line {
    char *at; /* what is left of the line, NUL-terminated; words are cut off its front */
    size_t number;
} line;

static wpg_status bad(const line *l, const char *what, wpg_error *err)
{
    return wpg_fail(err, WPG_E_FORMAT, "line %zu: %s", l->number, what);
}

/* The next word, ended by one space or by the line's end; NULL if there is none. */
static char *word(line *l)
{
    char *start = l->at;
    size_t length = strcspn(start, " ");
    if (length == 0 || length > WPG_FACTS_WORD)
        return NULL;
    l->at = start + length;
    if (*l->at)
        *l->at++ = '\0';
    else
        l->at = NULL; /* nothing may follow */
    return start;
}

static bool last_word(char **out, line *l)
{
    *out = l->at ? word(l) : NULL;
    return *out && !l->at;
}

static bool unsigned_number(uint64_t *n, const char *text)
{
    char *end;
    if (text[0] < '0' || text[0] > '9' || (text[0] == '0' && text[1]))
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *n = value;
    return errno == 0 && *end == '\0';
}

static bool signed_number(int64_t *n, const char *text)
{
    char *end;
    const char *digits = text + (text[0] == '-');
    if (digits[0] < '0' || digits[0] > '9' || (digits[0] == '0' && (digits[1] || digits != text)))
        return false;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *n = value;
    return errno == 0 && *end == '\0';
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* In place. */
static bool unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++) {
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
            return false;
        if (*at != '\\') {
            *to++ = *at;
            continue;
        }
        at++;
        if (*at == '\\')
            *to++ = '\\';
        else if (*at == 'n')
            *to++ = '\n';
        else if (*at == 'x' && hex_digit(at[1]) >= 0 && hex_digit(at[2]) >= 0) {
            int c = hex_digit(at[1]) * 16 + hex_digit(at[2]);
            if (c == 0)
                return false; /* would end the text */
            *to++ = (char)c;
            at += 2;
        } else
            return false;
    }
    *to = '\0';
    return true;
}

static wpg_status read_count(wpg_facts *facts, const char *key, line *l, wpg_error *err)
{
    uint64_t n;
    char *value = l->at ? word(l) : NULL, *number;
    if (!value || !last_word(&number, l) || !unsigned_number(&n, number))
        return bad(l, "count takes a key, a value and a number", err);
    const wpg_fact *there = wpg_facts_find(facts, key);
    if (strcmp(value, "*") == 0 && there && (there->rule != WPG_FACT_COUNT || there->n))
        return bad(l, "a key stands twice", err);
    if (strcmp(value, "*") != 0) {
        if (n == 0)
            return bad(l, "a value that was never seen", err);
        for (size_t i = 0; there && there->rule == WPG_FACT_COUNT && i < there->value_count; i++)
            if (strcmp(there->values[i].value, value) == 0)
                return bad(l, "a value stands twice", err);
        if (there && there->rule == WPG_FACT_COUNT && there->value_count == WPG_FACTS_VALUES)
            return bad(l, "too many values", err);
    }
    return wpg_facts_count(facts, key, value, n, err);
}

static wpg_status read_fact(wpg_facts *facts, line *l, wpg_error *err)
{
    char *rule = word(l), *key = rule && l->at ? word(l) : NULL, *first, *second;
    uint64_t n;
    int64_t low, high;
    if (!key)
        return bad(l, "a rule and a key are expected", err);
    if (strcmp(rule, "count") == 0)
        return read_count(facts, key, l, err);
    if (wpg_facts_find(facts, key))
        return bad(l, "a key stands twice", err);
    if (strcmp(rule, "is") == 0) {
        if (!l->at || !unescape(l->at) || strlen(l->at) > WPG_FACTS_TEXT)
            return bad(l, "is takes a key and a text", err);
        return wpg_facts_is(facts, key, l->at, err);
    }
    if (strcmp(rule, "sum") == 0) {
        if (!last_word(&first, l) || !unsigned_number(&n, first))
            return bad(l, "sum takes a key and a number", err);
        return wpg_facts_sum(facts, key, n, err);
    }
    if (strcmp(rule, "range") == 0) {
        first = l->at ? word(l) : NULL;
        if (!first || !last_word(&second, l) || !signed_number(&low, first) ||
            !signed_number(&high, second) || low > high)
            return bad(l, "range takes a key and two numbers, the smaller first", err);
        return wpg_facts_range(facts, key, low, high, err);
    }
    return bad(l, "no rule is called so: is, sum, range, count", err);
}

static wpg_status read_head(wpg_facts **facts, line *l, wpg_error *err)
{
    uint64_t version;
    char *name = word(l), *number = name && l->at ? word(l) : NULL, *kind, *subject;
    if (!name || strcmp(name, magic) != 0 || !number || !unsigned_number(&version, number))
        return wpg_fail(err, WPG_E_FORMAT, "this is no file of facts");
    if (version != WPG_FACTS_VERSION)
        return wpg_fail(err, WPG_E_VERSION, "facts of version %s, not %d", number, WPG_FACTS_VERSION);
    kind = l->at ? word(l) : NULL;
    if (!kind || !last_word(&subject, l))
        return bad(l, "a kind and a subject are expected", err);
    *facts = wpg_facts_create(kind, subject);
    return *facts ? WPG_OK : bad(l, "a kind and a subject are words", err);
}

static wpg_status read_lines(wpg_facts **facts, char *text, size_t size, wpg_error *err)
{
    wpg_error inner;
    line l = {.number = 0};
    size_t at = 0;
    bool ended = false;
    while (at < size) {
        char *end = memchr(text + at, '\n', size - at);
        l.number++;
        if (!end)
            return bad(&l, "cut short", err);
        *end = '\0';
        l.at = text + at;
        if (strlen(l.at) != (size_t)(end - l.at))
            return bad(&l, "a zero byte", err);
        if (ended)
            return bad(&l, "something follows the end", err);
        at = (size_t)(end - text) + 1;
        ended = *facts && strcmp(l.at, "end") == 0;
        if (ended)
            continue;
        wpg_status status = *facts ? read_fact(*facts, &l, &inner) : read_head(facts, &l, &inner);
        if (status != WPG_OK)
            return strncmp(inner.message, "line ", 5) == 0 || l.number == 1
                       ? wpg_fail(err, status, "%s", inner.message)
                       : wpg_fail(err, status, "line %zu: %s", l.number, inner.message);
    }
    if (!*facts)
        return wpg_fail(err, WPG_E_FORMAT, "this is no file of facts: it is empty");
    return ended ? WPG_OK : bad(&l, "cut short: the last line is `end`", err);
}

wpg_status wpg_facts_decode(wpg_facts **out, const void *data, size_t size, wpg_error *err)
{
    wpg_facts *facts = NULL;
    if (size > WPG_FACTS_FILE)
        return wpg_fail(err, WPG_E_LIMIT, "more than %u bytes of facts", (unsigned)WPG_FACTS_FILE);
    char *copy = malloc(size + 1);
    if (!copy)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for facts");
    memcpy(copy, data, size);
    copy[size] = '\0';
    wpg_status status = read_lines(&facts, copy, size, err);
    free(copy);
    if (status != WPG_OK) {
        wpg_facts_destroy(facts);
        return status;
    }
    wpg_facts_sort(facts);
    *out = facts;
    return WPG_OK;
}
