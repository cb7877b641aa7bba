/* Facts: supplementary profiles of one subject, a pipeline or a shader, in which each key has a merge rule.
 *
 * A file is text, one fact a line, sorted by key. The first line names the format's version, the kind of file
 * and the subject. The last line is `end`: a file that was cut is refused.
 *
 *     wavepgo-facts 1 KIND SUBJECT
 *     is KEY TEXT...            a property; merging keeps it (two that differ: the smaller text, and a
 *                               conflict)
 *     sum KEY N                 added up                    (0 .. 2^64-1, saturating)
 *     range KEY MIN MAX         smallest and largest seen   (-2^63 .. 2^63-1)
 *     count KEY VALUE N         how often VALUE was seen, the commonest first; VALUE * = all others together
 *     end
 *
 * KIND, KEY and VALUE are words of printable ASCII without spaces. TEXT is the rest of the line, with \n, \\
 * and \xHH for what is not printable. A table (`count`) holds at most WPG_FACTS_VALUES values; one that is
 * being merged WPG_FACTS_MERGING, and encoding keeps the commonest. Where `*` is not zero, the other counts
 * are lower bounds, and their total is exact. Files are untrusted: limits below.
 *
 * Owns: wpg_facts owns its words and texts, until wpg_facts_destroy.
 * Threads: one set of facts, one thread at a time. */
#ifndef WPG_RUNTIME_BUNDLE_FACTS_H
#define WPG_RUNTIME_BUNDLE_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/bytes.h"
#include "runtime/base/error.h"
#include "runtime/base/file_batch.h"

enum {
    WPG_FACTS_VERSION = 1,
    WPG_FACTS_VALUES = 16,      /* values a table of a file, beside the others */
    WPG_FACTS_MERGING = 4096,   /* values a table while facts are merged: the order makes no difference */
    WPG_FACTS_WORD = 120,       /* characters of a kind, subject, key or value */
    WPG_FACTS_TEXT = 4096,      /* of a text, unescaped */
    WPG_FACTS_MANY = 1 << 18,   /* facts a file */
    WPG_FACTS_FILE = 64u << 20, /* bytes a file */
};

typedef enum wpg_fact_rule { WPG_FACT_IS, WPG_FACT_SUM, WPG_FACT_RANGE, WPG_FACT_COUNT } wpg_fact_rule;

typedef struct wpg_fact_value {
    char *value;
    uint64_t n;
} wpg_fact_value;

typedef struct wpg_fact {
    wpg_fact_rule rule;
    char *key;
    char *text;             /* IS */
    uint64_t n;             /* SUM; COUNT: the others (`*`) */
    int64_t low, high;      /* RANGE */
    wpg_fact_value *values; /* COUNT: commonest first once sorted (wpg_facts_sort, or after decoding) */
    size_t value_count;
} wpg_fact;

typedef struct wpg_facts wpg_facts;

/* NULL when memory runs out or a word is not one. */
wpg_facts *wpg_facts_create(const char *kind, const char *subject);
void wpg_facts_destroy(wpg_facts *facts);
const char *wpg_facts_kind(const wpg_facts *facts);
const char *wpg_facts_subject(const wpg_facts *facts);

/* Each adds to what is known of the key, as merging would. WPG_E_MISMATCH: the key has another rule;
 * WPG_E_ARGUMENT: not a word, or a text that is too long; WPG_E_NOMEM, WPG_E_LIMIT. `is` replaces. */
wpg_status wpg_facts_is(wpg_facts *facts, const char *key, const char *text, wpg_error *err);
wpg_status wpg_facts_sum(wpg_facts *facts, const char *key, uint64_t n, wpg_error *err);
wpg_status wpg_facts_range(wpg_facts *facts, const char *key, int64_t low, int64_t high, wpg_error *err);
/* value "*": the others. n 0 only makes the table known. When the table is full, the rarest value gives way
 * to one that is at least as common, and counts among the others. */
wpg_status wpg_facts_count(wpg_facts *facts, const char *key, const char *value, uint64_t n, wpg_error *err);

/* By key: the fact, or NULL. A pointer is good until the next change. */
const wpg_fact *wpg_facts_find(const wpg_facts *facts, const char *key);
uint64_t wpg_facts_get_sum(const wpg_facts *facts, const char *key);     /* 0 if there is none */
const char *wpg_facts_get_text(const wpg_facts *facts, const char *key); /* "" if there is none */
/* By position; in the order of keys after wpg_facts_sort. */
size_t wpg_facts_size(const wpg_facts *facts);
const wpg_fact *wpg_facts_at(const wpg_facts *facts, size_t index);
void wpg_facts_sort(wpg_facts *facts);

/* Merges `from`, whose sums and counts weigh `weight` times; `from` is unchanged. Of two rules for one key
 * the first of wpg_fact_rule stays. *conflicts (may be NULL) grows by the properties that differ and the keys
 * whose rules do. Kind and subject must agree
 * (WPG_E_MISMATCH). */
wpg_status wpg_facts_merge(wpg_facts *into, const wpg_facts *from, uint64_t weight, size_t *conflicts,
                           wpg_error *err);

/* Appends the file's text, sorted. */
void wpg_facts_encode(wpg_writer *out, wpg_facts *facts);
/* Errors name the line. */
wpg_status wpg_facts_decode(wpg_facts **facts, const void *data, size_t size, wpg_error *err);
wpg_status wpg_facts_read_file(wpg_facts **facts, const char *path, wpg_error *err);
/* Puts the file into the batch; `done` is called with `who` NULL. */
wpg_status wpg_facts_put_file(wpg_file_batch *batch, const char *path, wpg_facts *facts, wpg_error *err);
wpg_status wpg_facts_write_file(const char *path, wpg_facts *facts, wpg_error *err);

#endif
