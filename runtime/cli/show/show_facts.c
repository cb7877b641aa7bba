/* Prints a bundle's facts: as text the program's use of each pipeline, as JSON everything. Shares are
 * computed here, after merging, each over its own denominator. */
#include "runtime/report/text/figures.h"
#include "runtime/report/model/places.h"
#include "runtime/report/text/table.h"
#include "runtime/cli/show/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/push_facts.h"

/* -- Text */

typedef struct row {
    const wpg_facts *facts;
    uint64_t heat;
} row;

static int hotter(const void *left, const void *right)
{
    const row *a = left, *b = right;
    if (a->heat != b->heat)
        return a->heat > b->heat ? -1 : 1;
    return strcmp(wpg_facts_subject(a->facts), wpg_facts_subject(b->facts));
}

/* "stage.comp" -> "comp"; NULL if the key is no such. */
static const char *after(const char *key, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(key, prefix, length) == 0 ? key + length : NULL;
}

/* A name is the program's text: what would steer a terminal is left out. */
static void print_clean(FILE *out, const char *text)
{
    for (; *text; text++)
        (void)fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, out);
    (void)fputc('\n', out);
}

/* Names that the program gave: "name.<n>" of the pipeline, "module.<stage>.<n>" of its modules. */
static void print_names(FILE *out, const wpg_facts *facts)
{
    for (size_t i = 0; i < wpg_facts_size(facts); i++) {
        const wpg_fact *fact = wpg_facts_at(facts, i);
        const char *stage = after(fact->key, "module.");
        if (fact->rule != WPG_FACT_IS || !(stage || after(fact->key, "name.")))
            continue;
        if (stage)
            (void)fprintf(out, "    %.*s module named ", (int)strcspn(stage, "."), stage);
        else
            (void)fputs("    named ", out);
        print_clean(out, fact->text);
    }
}

static void print_specialisation(FILE *out, const wpg_facts *facts)
{
    for (size_t i = 0; i < wpg_facts_size(facts); i++) {
        const wpg_fact *fact = wpg_facts_at(facts, i);
        const char *name = after(fact->key, "spec.");
        const char *dot = name ? strchr(name, '.') : NULL;
        if (dot && fact->rule == WPG_FACT_IS)
            (void)fprintf(out, "    %.*s constant %s = %s (%llu)\n", (int)(dot - name), name, dot + 1,
                          fact->text, strtoull(fact->text, NULL, 16));
    }
}

static void print_values(FILE *out, const wpg_fact *fact, uint64_t unpushed)
{
    double total = (double)fact->n + (double)unpushed;
    for (size_t i = 0; i < fact->value_count; i++)
        total += (double)fact->values[i].n;
    const char *separator = "";
    for (size_t i = 0; i < fact->value_count; i++) {
        unsigned long value = strtoul(fact->values[i].value, NULL, 16);
        (void)fprintf(out, "%s%s (%lu) %.1f%%", separator, fact->values[i].value, value,
                      100.0 * (double)fact->values[i].n / total);
        separator = ", ";
    }
    if (fact->n)
        (void)fprintf(out, "%sothers %.1f%%", separator, 100.0 * (double)fact->n / total);
    if (unpushed && total > (double)unpushed)
        (void)fprintf(out, "%snot pushed %.1f%%", *separator || fact->n ? ", " : "",
                      100.0 * (double)unpushed / total);
    else if (unpushed)
        (void)fputs("never pushed", out);
    else if (total == 0)
        (void)fputs("never used", out);
    (void)fputc('\n', out);
}

static void print_pushes(FILE *out, const wpg_facts *facts)
{
    char key[WPG_FACTS_WORD + 16];
    for (size_t i = 0; i < wpg_facts_size(facts); i++) {
        const wpg_fact *fact = wpg_facts_at(facts, i);
        const char *word = after(fact->key, "push.");
        if (!word || fact->rule != WPG_FACT_COUNT)
            continue;
        (void)snprintf(key, sizeof key, "unpushed.%s", word);
        (void)fprintf(out, "    push constant at byte %-3lu ", strtoul(word, NULL, 10) * 4);
        print_values(out, fact, wpg_facts_get_sum(facts, key));
    }
}

/* Words that are not the same in all sets. */
static uint64_t varying_words(const wpg_push_sets *sets)
{
    uint64_t varying = 0;
    for (uint32_t i = 1; i < sets->count; i++) {
        varying |= sets->sets[i].words ^ sets->sets[0].words;
        for (unsigned word = 0; word < WPG_PUSH_SET_WORDS; word++)
            if (sets->sets[i].values[word] != sets->sets[0].values[word])
                varying |= UINT64_C(1) << word;
    }
    return varying;
}

/* "        60.0%  byte 0: 0x00000001, byte 8: not pushed": what words held together. */
static void print_sets(FILE *out, const wpg_push_sets *sets)
{
    enum { MOST = 8 };
    const uint64_t varying = varying_words(sets);
    const double total = (double)wpg_push_sets_listed(sets) + (double)sets->others;
    (void)fputs("    push constants together (those that change)\n", out);
    for (uint32_t i = 0; i < sets->count && i < MOST; i++) {
        const wpg_push_set *set = &sets->sets[i];
        const char *separator = " ";
        (void)fprintf(out, "    %9.1f%% ", 100.0 * (double)set->n / total);
        for (uint64_t left = varying; left; left &= left - 1) {
            const int word = __builtin_ctzll(left);
            (void)fprintf(out, "%sbyte %d: ", separator, word * 4);
            if (set->words >> word & 1)
                (void)fprintf(out, "0x%08" PRIx32, set->values[word]);
            else
                (void)fputs("not pushed", out);
            separator = ", ";
        }
        (void)fputc('\n', out);
    }
    if (sets->count > MOST)
        (void)fprintf(out, "    %10s  %u more\n", "", (unsigned)(sets->count - MOST));
    if (sets->others)
        (void)fprintf(out, "    %9.1f%%  others\n", 100.0 * (double)sets->others / total);
    if (sets->loose)
        (void)fprintf(out, "    %10s  (%d words of many values are not followed)\n", "",
                      __builtin_popcountll(sets->loose));
}

static void print_together(FILE *out, const wpg_facts *facts)
{
    wpg_push_sets sets = {0};
    if (wpg_push_facts_sets(&sets, facts, NULL) == WPG_OK && sets.count > 1)
        print_sets(out, &sets);
    wpg_push_sets_finish(&sets);
}

/* Sums that have no column: pipeline statistics, say. */
static void print_statistics(FILE *out, const wpg_facts *facts)
{
    char text[28];
    uint64_t over = wpg_facts_get_sum(facts, "statistics-commands");
    uint64_t hardware_over = wpg_facts_get_sum(facts, "hardware-commands");
    for (size_t i = 0; i < wpg_facts_size(facts); i++) {
        const wpg_fact *fact = wpg_facts_at(facts, i);
        const char *name = after(fact->key, "statistic.");
        if (name && fact->rule == WPG_FACT_SUM && fact->n)
            (void)fprintf(out, "    %s %s in %" PRIu64 " command%s\n", name, wpg_group_digits(text, fact->n),
                          over, wpg_plural(over));
        name = after(fact->key, "counter.");
        if (name && fact->rule == WPG_FACT_SUM)
            (void)fprintf(out, "    %s %s in %" PRIu64 " command%s\n", name, wpg_group_digits(text, fact->n),
                          hardware_over, wpg_plural(hardware_over));
    }
}

static const wpg_column columns[] = {{.title = "PIPELINE (as recorded)", .left = true},
                                     {.title = "SUBMITTED", .drop = 1},
                                     {.title = "BINDS", .drop = 5},
                                     {.title = "DRAWS"},
                                     {.title = "DISPATCHES"},
                                     {.title = "WORKGROUPS", .drop = 4},
                                     {.title = "VERTICES", .drop = 3},
                                     {.title = "GPU MS", .drop = 2},
                                     {.title = "STAGES", .left = true},
                                     {.title = "NAME", .left = true, .is_name = true}};

static void add_sum(wpg_table *table, const wpg_facts *facts, const char *key)
{
    const wpg_fact *fact = wpg_facts_find(facts, key);
    const bool known = fact && fact->rule == WPG_FACT_SUM;
    wpg_table_number(table, known, known ? fact->n : 0);
}

static void add_stages(wpg_table *table, const wpg_facts *facts)
{
    char text[128] = "";
    size_t length = 0;
    for (size_t i = 0; i < wpg_facts_size(facts); i++) {
        const char *stage = after(wpg_facts_at(facts, i)->key, "stage.");
        if (stage && length < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", length ? "+" : "", stage);
    }
    wpg_table_copy(table, text);
}

static void add_pipeline(wpg_table *table, const wpg_facts *facts, const wpg_show_options *options)
{
    char hash[WPG_HASH_HEX + 1];
    static const char *const sums[] = {"submissions", "binds",      "draws",
                                       "dispatches",  "workgroups", "vertices"};
    const wpg_fact *time = wpg_facts_find(facts, "gpu-nanoseconds");
    const wpg_report_pipeline *known = wpg_report_pipeline_of(options->report, wpg_facts_subject(facts));
    wpg_table_copy(table, wpg_show_hash(hash, wpg_facts_subject(facts), options));
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        add_sum(table, facts, sums[i]);
    if (time && time->rule == WPG_FACT_SUM)
        wpg_table_text(table, "%.3f", (double)time->n * 1e-6);
    else
        wpg_table_text(table, "-");
    add_stages(table, facts);
    wpg_table_copy(table, known ? known->name : "");
}

static void print_details(FILE *out, const wpg_facts *facts)
{
    print_names(out, facts);
    print_specialisation(out, facts);
    print_pushes(out, facts);
    print_together(out, facts);
    print_statistics(out, facts);
}

static void print_rows(const wpg_terminal *terminal, const wpg_show_options *options, const row *rows,
                       size_t count)
{
    const size_t top = options->top, shown = top && top < count ? top : count;
    wpg_table table;
    wpg_table_init(&table, columns, sizeof columns / sizeof *columns, false);
    for (size_t i = 0; i < shown; i++)
        add_pipeline(&table, rows[i].facts, options);
    (void)fputc('\n', terminal->out);
    wpg_table_fit(&table, terminal, 0);
    wpg_table_title(&table, terminal, 0);
    for (size_t i = 0; i < shown; i++) {
        wpg_table_row(&table, terminal, 0, i);
        print_details(terminal->out, rows[i].facts);
    }
    if (shown < count)
        (void)fprintf(terminal->out, "(%zu more; --top 0 shows all)\n", count - shown);
    wpg_table_finish(&table);
}

void wpg_show_facts_text(const wpg_terminal *terminal, const wpg_show_options *options)
{
    const wpg_bundle *bundle = options->bundle;
    size_t count = 0;
    row *rows = malloc((bundle->sets.count + 1) * sizeof *rows);
    for (size_t i = 0; rows && i < bundle->sets.count; i++) {
        const wpg_facts *facts = bundle->sets.data[i];
        if (strcmp(wpg_facts_kind(facts), "pipeline") != 0)
            continue;
        rows[count++] =
            (row){facts, wpg_facts_get_sum(facts, "draws") + wpg_facts_get_sum(facts, "dispatches")};
    }
    if (count) {
        qsort(rows, count, sizeof *rows, hotter);
        print_rows(terminal, options, rows, count);
    }
    free(rows);
}

/* -- JSON */

static void print_fact(FILE *out, const wpg_fact *fact)
{
    wpg_json_string(out, fact->key);
    (void)fputs(": ", out);
    switch (fact->rule) {
    case WPG_FACT_IS:
        wpg_json_string(out, fact->text);
        break;
    case WPG_FACT_SUM:
        (void)fprintf(out, "%" PRIu64, fact->n);
        break;
    case WPG_FACT_RANGE:
        (void)fprintf(out, "{\"min\": %" PRId64 ", \"max\": %" PRId64 "}", fact->low, fact->high);
        break;
    case WPG_FACT_COUNT:
        (void)fputs("{\"values\": {", out);
        for (size_t i = 0; i < fact->value_count; i++) {
            (void)fputs(i ? ", " : "", out);
            wpg_json_string(out, fact->values[i].value);
            (void)fprintf(out, ": %" PRIu64, fact->values[i].n);
        }
        (void)fprintf(out, "}, \"others\": %" PRIu64 "}", fact->n);
        break;
    }
}

void wpg_show_facts_json(FILE *out, const wpg_bundle *bundle)
{
    (void)fputs(",\n \"facts\": [", out);
    for (size_t i = 0; i < bundle->sets.count; i++) {
        const wpg_facts *facts = bundle->sets.data[i];
        (void)fprintf(out, "%s\n  {\"kind\": ", i ? "," : "");
        wpg_json_string(out, wpg_facts_kind(facts));
        (void)fputs(", \"subject\": ", out);
        wpg_json_string(out, wpg_facts_subject(facts));
        (void)fputs(", \"facts\": {", out);
        for (size_t j = 0; j < wpg_facts_size(facts); j++) {
            (void)fputs(j ? ", " : "", out);
            print_fact(out, wpg_facts_at(facts, j));
        }
        (void)fputs("}}", out);
    }
    (void)fputc(']', out);
}
