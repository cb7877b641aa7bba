/* Prints results of probes for a shader function (runtime/profile/probe_records.h), as tables and as JSON.
 * Tables leave out branches, switches and loops that no lane reached; JSON has all. */
#include <inttypes.h>
#include <string.h>

#include "runtime/bundle/bundle.h"
#include "runtime/report/text/figures.h"
#include "runtime/report/model/places.h"
#include "runtime/cli/show/show.h"
#include "runtime/profile/probe_records.h"

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static const wpg_profile_record *record_of(const wpg_shader_counts *shader, wpg_record_kind kind)
{
    return shader->records[kind];
}

/* -- Text */

static void print_entry(FILE *out, const wpg_shader_counts *shader)
{
    wpg_entry_counts e;
    char waves[28];
    if (!wpg_entry_read(&e, record_of(shader, WPG_RECORD_ENTRY_MASK)) || !e.waves)
        return;
    (void)fprintf(
        out,
        "    entry: %s waves of size %.1f, %.1f lanes each, %.1f%% tail waves, %.1f%% of the lanes helpers\n",
        wpg_group_digits(waves, e.waves), (double)e.sizes / (double)e.waves,
        (double)e.lanes / (double)e.waves, percent(e.waves > e.whole ? e.waves - e.whole : 0, e.waves),
        percent(e.helpers, e.lanes + e.helpers));
    (void)fputs("           waves by live lanes, in eighths of the size:", out);
    for (unsigned i = 0; i < WPG_FULLNESS_BUCKETS; i++)
        if (e.eighths[i])
            (void)fprintf(out, " %u: %.1f%%", i, percent(e.eighths[i], e.waves));
    (void)fputc('\n', out);
}

/* Branches of both records, those without waves last; false past the end. */
static bool branch_of(wpg_branch_counts *branch, bool *waves, const wpg_shader_counts *shader, size_t i)
{
    const wpg_profile_record *record = record_of(shader, WPG_RECORD_BRANCHES);
    const wpg_profile_record *by_lane = record_of(shader, WPG_RECORD_LANE_BRANCHES);
    size_t count = wpg_branch_count(record);
    *waves = i < count;
    if (*waves)
        wpg_branch_at(branch, record, i);
    else if (i - count < wpg_lane_branch_count(by_lane))
        wpg_lane_branch_at(branch, by_lane, i - count);
    else
        return false;
    return true;
}

static bool loop_of(wpg_loop_counts *loop, bool *waves, const wpg_shader_counts *shader, size_t i)
{
    const wpg_profile_record *record = record_of(shader, WPG_RECORD_TRIPS);
    const wpg_profile_record *by_lane = record_of(shader, WPG_RECORD_LANE_TRIPS);
    size_t count = wpg_loop_count(record);
    *waves = i < count;
    if (*waves)
        wpg_loop_at(loop, record, i);
    else if (i - count < wpg_lane_loop_count(by_lane))
        wpg_lane_loop_at(loop, by_lane, i - count);
    else
        return false;
    return true;
}

/* "block 2 (march.comp:14 loop)", as far as known. */
static const char *block_text(char text[WPG_PLACE_SIZE], const wpg_shader_counts *shader, uint32_t block,
                              const wpg_show_options *options)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, shader->shader);
    return wpg_report_block_text(text, options->report, wpg_report_shader_of(options->report, hex),
                                 shader->function, block);
}

/* The title is as wide as the longest of the rows' heads. */
static int branch_width(const wpg_shader_counts *shader, const wpg_show_options *options)
{
    enum { LEAST = 14 };
    int most = LEAST;
    wpg_branch_counts b;
    bool known;
    for (size_t i = 0; branch_of(&b, &known, shader, i); i++) {
        char place[WPG_PLACE_SIZE];
        const int length = (int)strlen(block_text(place, shader, b.block, options)) + 7; /* "  0 in " */
        most = length > most ? length : most;
    }
    return most;
}

static void print_branches(FILE *out, const wpg_shader_counts *shader, const wpg_show_options *options)
{
    const int width = branch_width(shader, options);
    bool headed = false, known;
    wpg_branch_counts b;
    for (size_t i = 0; branch_of(&b, &known, shader, i); i++) {
        char lanes[28], waves[28], place[WPG_PLACE_SIZE];
        uint64_t all = b.lanes[0] + b.lanes[1];
        if (!all)
            continue;
        if (!headed)
            (void)fprintf(out, "    %-*s %15s %17s %9s %9s %9s\n", width, "BRANCH", "WAVES", "LANES", "TRUE",
                          "FALSE", "SPLIT");
        headed = true;
        (void)fprintf(out, "    %3zu in %-*s %15s %17s %8.1f%% %8.1f%%", i, width - 7,
                      block_text(place, shader, b.block, options),
                      known ? wpg_group_digits(waves, b.all_waves) : "-", wpg_group_digits(lanes, all),
                      percent(b.lanes[0], all), percent(b.lanes[1], all));
        if (known)
            (void)fprintf(out, " %8.1f%%\n", percent(b.both, b.all_waves));
        else
            (void)fprintf(out, " %9s\n", "-");
    }
}

static void print_cases(FILE *out, const wpg_shader_counts *shader, const wpg_show_options *options)
{
    const wpg_profile_record *record = record_of(shader, WPG_RECORD_CASES);
    size_t count = wpg_case_count(record);
    for (size_t i = 0, end; i < count; i = end) {
        wpg_case_counts first, c;
        uint64_t lanes = 0;
        char text[28], place[WPG_PLACE_SIZE];
        wpg_case_at(&first, record, i);
        for (end = i; end < count; end++) {
            wpg_case_at(&c, record, end);
            if (c.block != first.block)
                break;
            lanes += c.lanes;
        }
        if (!lanes)
            continue;
        (void)fprintf(out, "    switch in %s: %s waves, by target (lanes, waves):",
                      block_text(place, shader, first.block, options),
                      wpg_group_digits(text, first.all_waves));
        for (size_t k = i; k < end; k++) {
            wpg_case_at(&c, record, k);
            (void)fprintf(out, "%s %s%u: %.1f%%, %.1f%%", k > i ? ";" : "", k == i ? "default to " : "",
                          c.target, percent(c.lanes, lanes), percent(c.waves, c.all_waves));
        }
        (void)fputc('\n', out);
    }
}

/* "0", "1", "2-3", "4-7", ... */
static const char *bucket_name(char *text, size_t size, unsigned bucket)
{
    uint64_t low = bucket ? UINT64_C(1) << (bucket - 1) : 0;
    if (bucket < 2)
        (void)snprintf(text, size, "%u", bucket);
    else if (bucket == WPG_TRIP_BUCKETS - 1)
        (void)snprintf(text, size, "%" PRIu64 "-", low);
    else
        (void)snprintf(text, size, "%" PRIu64 "-%" PRIu64, low, 2 * low - 1);
    return text;
}

/* Least and most trips of a lane; NULL where no bundle has them. */
static const wpg_fact *trips_range(const wpg_bundle *bundle, const wpg_shader_counts *shader, uint32_t block)
{
    char hex[WPG_HASH_HEX + 1], key[WPG_FACTS_WORD];
    wpg_hash_to_hex(hex, shader->shader);
    const wpg_facts *facts = bundle ? wpg_bundle_find(bundle, "extremes", hex) : NULL;
    wpg_bundle_trips_key(key, shader->function, block, shader->checksum);
    const wpg_fact *fact = facts ? wpg_facts_find(facts, key) : NULL;
    return fact && fact->rule == WPG_FACT_RANGE ? fact : NULL;
}

static void print_loops(FILE *out, const wpg_shader_counts *shader, const wpg_show_options *options)
{
    wpg_loop_counts l;
    bool known;
    for (size_t i = 0; loop_of(&l, &known, shader, i); i++) {
        char text[28], place[WPG_PLACE_SIZE];
        if (!l.lanes)
            continue;
        (void)fprintf(out, "    loop at %s: entered by ", block_text(place, shader, l.block, options));
        if (known)
            (void)fprintf(out, "%s waves, ", wpg_group_digits(text, l.waves));
        (void)fprintf(out, "%s lanes; %.1f trips a lane", wpg_group_digits(text, l.lanes),
                      (double)l.trips / (double)l.lanes);
        const wpg_fact *range = trips_range(options->bundle, shader, l.block);
        if (range)
            (void)fprintf(out, ", %" PRId64 " to %" PRId64, range->low, range->high);
        (void)fputc('\n', out);
        for (unsigned k = 0; k < WPG_TRIP_BUCKETS; k++) {
            char name[48];
            int bar = (int)(percent(l.buckets[k], l.lanes) / 100.0 * 24.0 + 0.5);
            if (l.buckets[k])
                (void)fprintf(out, "      %15s %16s %6.1f%%  %.*s\n", bucket_name(name, sizeof name, k),
                              wpg_group_digits(text, l.buckets[k]), percent(l.buckets[k], l.lanes), bar,
                              "########################");
        }
    }
}

void wpg_show_probes_text(FILE *out, const wpg_shader_counts *shader, const wpg_show_options *options)
{
    print_entry(out, shader);
    print_branches(out, shader, options);
    print_cases(out, shader, options);
    print_loops(out, shader, options);
}

/* -- JSON */

static void json_array(FILE *out, const char *name, const uint64_t *values, size_t count)
{
    (void)fprintf(out, ", \"%s\": [", name);
    while (count > 1 && !values[count - 1])
        count--;
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out, "%s%" PRIu64, i ? ", " : "", values[i]);
    (void)fputc(']', out);
}

/* A number; null where waves were not counted. */
static void json_waves(FILE *out, const char *name, bool known, uint64_t value)
{
    (void)fprintf(out, known ? ", \"%s\": %" PRIu64 : ", \"%s\": null", name, value);
}

static void json_branches(FILE *out, const wpg_shader_counts *shader)
{
    wpg_branch_counts b;
    bool known, any = branch_of(&b, &known, shader, 0) || record_of(shader, WPG_RECORD_BRANCHES);
    (void)fprintf(out, ", \"branches\": %s", any ? "[" : "null");
    for (size_t i = 0; branch_of(&b, &known, shader, i); i++) {
        (void)fprintf(out,
                      "%s{\"block\": %u, \"lanes\": [%" PRIu64 ", %" PRIu64 "], \"waves\": ", i ? ", " : "",
                      b.block, b.lanes[0], b.lanes[1]);
        if (known)
            (void)fprintf(out, "[%" PRIu64 ", %" PRIu64 "]", b.waves[0], b.waves[1]);
        else
            (void)fputs("null", out);
        json_waves(out, "all_waves", known, b.all_waves);
        json_waves(out, "both", known, b.both);
        (void)fputc('}', out);
    }
    if (any)
        (void)fputc(']', out);
}

static void json_cases(FILE *out, const wpg_profile_record *record)
{
    for (size_t i = 0; i < wpg_case_count(record); i++) {
        wpg_case_counts c;
        wpg_case_at(&c, record, i);
        (void)fprintf(out,
                      "%s{\"block\": %u, \"target\": %u, \"lanes\": %" PRIu64 ", \"waves\": %" PRIu64
                      ", \"all_waves\": %" PRIu64 "}",
                      i ? ", " : "", c.block, c.target, c.lanes, c.waves, c.all_waves);
    }
}

static void json_loops(FILE *out, const wpg_shader_counts *shader, const wpg_bundle *bundle)
{
    wpg_loop_counts l;
    bool known, any = loop_of(&l, &known, shader, 0) || record_of(shader, WPG_RECORD_TRIPS);
    (void)fprintf(out, ", \"loops\": %s", any ? "[" : "null");
    for (size_t i = 0; loop_of(&l, &known, shader, i); i++) {
        (void)fprintf(out, "%s{\"block\": %u, \"lanes\": %" PRIu64, i ? ", " : "", l.block, l.lanes);
        json_waves(out, "waves", known, l.waves);
        (void)fprintf(out, ", \"trips\": %" PRIu64, l.trips);
        const wpg_fact *range = trips_range(bundle, shader, l.block);
        if (range)
            (void)fprintf(out, ", \"least_trips\": %" PRId64 ", \"most_trips\": %" PRId64, range->low,
                          range->high);
        json_array(out, "lanes_by_log2_trips", l.buckets, WPG_TRIP_BUCKETS);
        (void)fputc('}', out);
    }
    if (any)
        (void)fputc(']', out);
}

static void json_entry(FILE *out, const wpg_profile_record *record)
{
    wpg_entry_counts e;
    (void)fputs(", \"entry_mask\": ", out);
    if (!wpg_entry_read(&e, record)) {
        (void)fputs("null", out);
        return;
    }
    (void)fprintf(out,
                  "{\"waves\": %" PRIu64 ", \"lanes\": %" PRIu64 ", \"helper_lanes\": %" PRIu64
                  ", \"whole_waves\": %" PRIu64 ", \"sum_of_sizes\": %" PRIu64,
                  e.waves, e.lanes, e.helpers, e.whole, e.sizes);
    json_array(out, "waves_by_eighths", e.eighths, WPG_FULLNESS_BUCKETS);
    (void)fputc('}', out);
}

void wpg_show_probes_json(FILE *out, const wpg_shader_counts *shader, const wpg_bundle *bundle)
{
    const wpg_profile_record *cases = record_of(shader, WPG_RECORD_CASES);
    json_branches(out, shader);
    (void)fprintf(out, ", \"cases\": %s", cases ? "[" : "null");
    json_cases(out, cases);
    if (cases)
        (void)fputc(']', out);
    json_loops(out, shader, bundle);
    json_entry(out, record_of(shader, WPG_RECORD_ENTRY_MASK));
}
