/* Value sites of one shader function: how often all lanes of a wave agreed, and which values were seen. */
#include <inttypes.h>

#include "runtime/report/text/figures.h"
#include "runtime/cli/show/show.h"
#include "runtime/profile/value_records.h"

static const char *type_name(const wpg_value_site_counts *site)
{
    static const char *const names[] = {"bool", "uint", "int", "float", "64 bit"};
    return names[site->type];
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* "1 to 60: 59 (7.0%), 1 (5.3%); 24 not kept: approximate" */
static void print_values(FILE *out, const wpg_value_site_counts *site)
{
    enum { MOST = 5 };
    char text[28], most[28];
    if (site->has_range && site->least != site->most)
        (void)fprintf(out, "  %s to %s:", wpg_value_text(text, site, site->least),
                      wpg_value_text(most, site, site->most));
    else if (site->has_range)
        (void)fputs("  always", out);
    size_t shown = site->value_count < MOST ? site->value_count : MOST;
    for (size_t i = 0; i < shown; i++) {
        const wpg_profile_value *value = &site->values[i];
        (void)fprintf(out, "%s %s", i ? "," : "", wpg_value_text(text, site, value->value));
        if (site->least != site->most)
            (void)fprintf(out, " (%.1f%%)", share(value->count, site->asked));
    }
    if (shown < site->value_count)
        (void)fprintf(out, ", %zu more", site->value_count - shown);
    if (site->others)
        (void)fprintf(out, "; %s not kept: approximate", wpg_group_digits(text, site->others));
}

static void print_site(FILE *out, size_t number, const wpg_value_site_counts *site)
{
    char text[28];
    (void)fprintf(out, "    %4zu %-10s %-6s %6u", number, site->kind, type_name(site), site->block);
    if (site->line)
        (void)fprintf(out, " %6u", site->line);
    else
        (void)fprintf(out, " %6s", "-");
    (void)fprintf(out, " %15s", wpg_group_digits(text, site->came));
    (void)fprintf(out, " %6.1f%%", share(site->asked, site->came));
    if (!(site->ask & 1))
        (void)fprintf(out, "  %7s", "proved");
    else if (site->asked)
        (void)fprintf(out, "  %6.1f%%", share(site->agreed, site->asked));
    else
        (void)fprintf(out, "  %7s", "-");
    if (site->ask & 2)
        print_values(out, site);
    (void)fputc('\n', out);
}

/* -- Words together */

static bool varies(const wpg_word_visit *visits, uint32_t count, size_t word)
{
    for (uint32_t v = 1; v < count; v++)
        if (visits[v].bits[word] != visits[0].bits[word])
            return true;
    return false;
}

/* "     21.7%  0: 512, 1: 8192": what words held together. Words that never changed are left out. */
static void print_visits(FILE *out, const wpg_profile_record *record, const wpg_word_visit *visits,
                         uint32_t count)
{
    enum { MOST = 8 };
    uint64_t whole = 0;
    for (uint32_t v = 0; v < count; v++)
        whole += visits[v].waves;
    (void)fprintf(out, "    %-10s %s\n", "TOGETHER", "WORDS THAT CHANGE (share of asked, sampled)");
    for (uint32_t v = 0; v < count && v < MOST; v++) {
        const char *between = "";
        (void)fprintf(out, "    %9.1f%%  ", share(visits[v].waves, whole));
        for (size_t w = 0; w < wpg_value_site_count(record); w++) {
            wpg_value_site_counts site;
            char text[28];
            if (varies(visits, count, w) && wpg_value_site_at(&site, record, w)) {
                (void)fprintf(out, "%s%zu: %s", between, w, wpg_value_text(text, &site, visits[v].bits[w]));
                between = ", ";
                wpg_value_site_finish(&site);
            }
        }
        (void)fputc('\n', out);
    }
    if (count > MOST)
        (void)fprintf(out, "    %10s  %u more\n", "", (unsigned)(count - MOST));
}

static void show_visits(FILE *out, const wpg_profile_record *record)
{
    const wpg_word_visit *visits;
    uint32_t count;
    wpg_arena arena;
    wpg_arena_init(&arena);
    if (wpg_visits_read(&visits, &count, record, &arena) == WPG_OK && count > 1)
        print_visits(out, record, visits, count);
    wpg_arena_finish(&arena);
}

/* -- Sites */

void wpg_show_values_text(FILE *out, const wpg_shader_counts *shader)
{
    const wpg_record_kind kinds[] = {WPG_RECORD_VALUES, WPG_RECORD_WORDS, WPG_RECORD_INPUTS};
    if (wpg_value_site_count(shader->records[kinds[0]]) || wpg_value_site_count(shader->records[kinds[1]]) ||
        wpg_value_site_count(shader->records[kinds[2]]))
        (void)fprintf(out, "    %4s %-10s %-6s %6s %6s %15s %7s  %7s  %s\n", "SITE", "KIND", "TYPE", "BLOCK",
                      "LINE", "WAVES", "ASKED", "AGREE", "VALUES (share of asked)");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const wpg_profile_record *record = shader->records[kinds[k]];
        for (size_t i = 0; i < wpg_value_site_count(record); i++) {
            wpg_value_site_counts site;
            if (wpg_value_site_at(&site, record, i))
                print_site(out, i, &site);
            wpg_value_site_finish(&site);
        }
    }
    show_visits(out, shader->records[WPG_RECORD_WORDS]);
}

/* Values as text, as JSON has no infinities; their bits beside it. */
static void print_value(FILE *out, const wpg_value_site_counts *site, uint64_t value)
{
    char text[28];
    (void)fprintf(out, "{\"value\": \"%s\", \"bits\": %" PRIu64, wpg_value_text(text, site, value), value);
}

static void print_json_site(FILE *out, const wpg_value_site_counts *site)
{
    (void)fprintf(out, "{\"kind\": \"%s\", \"type\": \"%s\", \"block\": %u, \"line\": ", site->kind,
                  type_name(site), site->block);
    (void)(site->line ? fprintf(out, "%u", site->line) : fputs("null", out));
    (void)fprintf(out,
                  ", \"waves\": %" PRIu64 ", \"agreed\": %" PRIu64 ", \"came\": %" PRIu64 ", \"proved\": %s",
                  site->asked, site->agreed, site->came, site->ask & 1 ? "false" : "true");
    if (!(site->ask & 2)) {
        (void)fputs(", \"values\": null}", out);
        return;
    }
    (void)fputs(", \"values\": [", out);
    for (size_t i = 0; i < site->value_count; i++) {
        (void)fputs(i ? ", " : "", out);
        print_value(out, site, site->values[i].value);
        (void)fprintf(out, ", \"waves\": %" PRIu64 "}", site->values[i].count);
    }
    (void)fprintf(out, "], \"not_kept\": %" PRIu64 ", \"approximate\": %s, \"least\": ", site->others,
                  site->others ? "true" : "false");
    if (site->has_range) {
        print_value(out, site, site->least);
        (void)fputs("}, \"most\": ", out);
        print_value(out, site, site->most);
        (void)fputs("}}", out);
    } else {
        (void)fputs("null, \"most\": null}", out);
    }
}

void wpg_show_values_json(FILE *out, const wpg_profile_record *record)
{
    size_t count = wpg_value_site_count(record);
    (void)fputs(count ? "[" : "null", out);
    for (size_t i = 0; i < count; i++) {
        wpg_value_site_counts site;
        (void)fputs(i ? ",\n    " : "\n    ", out);
        if (wpg_value_site_at(&site, record, i))
            print_json_site(out, &site);
        else
            (void)fputs("null", out);
        wpg_value_site_finish(&site);
    }
    (void)fputs(count ? "]" : "", out);
}
