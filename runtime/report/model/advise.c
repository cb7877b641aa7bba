/* The author's list: what the counts say could be written otherwise, best first. Each rule is a function; a
 * rule adds what it finds with the evidence and, where the counts tell, the share of the shader's work that
 * would go. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/probe_records.h"
#include "runtime/profile/value_records.h"
#include "runtime/report/text/figures.h"
#include "runtime/report/model/internal.h"

/* Less is not worth a line. */
static const double LEAST_IDLE = 0.02;
enum { LEAST_NEVER = 8, LEAST_ASKED = 4, TEXT = 800 };

const char *wpg_report_advice_name(wpg_report_advice_kind kind)
{
    static const char *const names[WPG_ADVICE_KINDS] = {"constant", "divergence", "trips",   "never",
                                                        "uniform",  "output",     "use mode"};
    return kind < WPG_ADVICE_KINDS ? names[kind] : "";
}

typedef struct adviser {
    wpg_report *report;
    uint32_t shader; /* index */
    double all;      /* cost of all shaders */
    bool failed;
} adviser;

static const char *format(adviser *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static const char *format(adviser *a, const char *fmt, ...)
{
    char text[TEXT];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const char *kept = wpg_arena_strdup(&a->report->arena, text);
    a->failed |= !kept;
    return kept ? kept : "";
}

/* saving negative: not known. */
static void add(adviser *a, wpg_report_advice_kind kind, uint32_t function, uint32_t block, double saving,
                const char *what, const char *evidence)
{
    const wpg_report_shader *shader = &a->report->shaders[a->shader];
    const double part = a->all > 0 ? shader->cost / a->all : 0;
    const wpg_report_advice advice = {.kind = kind,
                                      .shader = a->shader,
                                      .function = function,
                                      .block = block,
                                      .what = what,
                                      .evidence = evidence,
                                      .saving = saving > 1 ? 1 : saving,
                                      .of_all = saving < 0 ? -1 : (saving > 1 ? 1 : saving) * part};
    a->failed |= !wpg_vec_push(&a->report->advice, advice);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* -- Rules */

/* "..., 43 % of its work is saved": the share, -1 if there is none. */
static double saved_by(const char *text)
{
    const char *end = strstr(text, " % of its work is saved"), *at = end;
    while (at && at > text && ((at[-1] >= '0' && at[-1] <= '9') || at[-1] == '.'))
        at--;
    return end && at < end ? strtod(at, NULL) / 100 : -1;
}

/* What use mode's version of the stage saves by its words; -1: use mode makes none. */
static double saved_by_version(const wpg_report_shader *shader)
{
    for (size_t i = 0; i < shader->remarks.count; i++)
        if (shader->remarks.data[i].done && strcmp(shader->remarks.data[i].pass, "versions") == 0)
            return saved_by(shader->remarks.data[i].text);
    return -1;
}

typedef struct word_list {
    char text[TEXT * 3 / 4];
    size_t length, count;
    uint64_t asked;
    uint32_t block;
} word_list;

/* Front ends cast: a word that is loaded as an integer may be a float. Its value as one stands beside. */
static void value_text(char text[64], const wpg_value_site_counts *site)
{
    enum { LEAST = 0x30000000, MOST = 0x4f000000 }; /* 5e-10 to 2e9 */
    const uint32_t bits = (uint32_t)site->values[0].value, size = bits & 0x7fffffff;
    wpg_value_site_counts real = *site;
    char value[24], other[24];
    real.type = WPG_VALUES_FLOAT;
    (void)snprintf(text, 64, "%s", wpg_value_text(value, site, bits));
    if (site->type != WPG_VALUES_FLOAT && size >= LEAST && size < MOST)
        (void)snprintf(text, 64, "0x%08x (%s as a float)", bits, wpg_value_text(other, &real, bits));
}

static void list_word(word_list *list, const char *name, const wpg_value_site_counts *site)
{
    enum { MOST_NAMED = 6 };
    char value[64];
    value_text(value, site);
    if (!list->count++)
        list->block = site->block;
    list->asked = list->asked && list->asked < site->asked ? list->asked : site->asked;
    if (list->count <= MOST_NAMED && list->length < sizeof list->text)
        list->length +=
            (size_t)snprintf(list->text + list->length, sizeof list->text - list->length, "%s%s = %s",
                             list->count > 1 ? ", " : "", name ? name : "a word without a name", value);
    else if (list->count == MOST_NAMED + 1 && list->length < sizeof list->text)
        list->length +=
            (size_t)snprintf(list->text + list->length, sizeof list->text - list->length, ", ...");
}

/* All words of one value together: what they decide depends on all of them. */
static void advise_words(adviser *a, const wpg_report_function *function)
{
    const wpg_profile_record *record = function->counts->records[WPG_RECORD_WORDS];
    word_list list = {.text = ""};
    for (size_t i = 0; i < wpg_value_site_count(record); i++) {
        wpg_value_site_counts site;
        if (!wpg_value_site_at(&site, record, i)) {
            a->failed = true;
            return;
        }
        if (site.asked >= LEAST_ASKED && site.value_count && site.values[0].count >= site.asked)
            list_word(&list, i < function->word_count ? function->word_names[i] : NULL, &site);
        wpg_value_site_finish(&site);
    }
    if (!list.count)
        return;
    const double saving = saved_by_version(&a->report->shaders[a->shader]);
    add(a, WPG_ADVICE_CONSTANT, function->counts->function, list.block, saving,
        format(a, "make %s specialisation constant%s: %s",
               list.count == 1 ? "this uniform a" : "these uniforms", list.count == 1 ? "" : "s", list.text),
        format(a, "%zu word%s had one value in all of at least %" PRIu64 " waves that were asked%s",
               list.count, list.count == 1 ? "" : "s", list.asked,
               saving < 0 ? "" : "; use mode does this behind a test at the entry"));
}

static void advise_indices(adviser *a, const wpg_report_function *function)
{
    const wpg_profile_record *record = function->counts->records[WPG_RECORD_VALUES];
    for (size_t i = 0; i < wpg_value_site_count(record); i++) {
        wpg_value_site_counts site;
        if (!wpg_value_site_at(&site, record, i)) {
            a->failed = true;
            return;
        }
        const bool index = strcmp(site.kind, "index") == 0 || strcmp(site.kind, "descriptor") == 0 ||
                           strcmp(site.kind, "address") == 0;
        if (index && site.asked >= LEAST_ASKED && site.agreed == site.asked)
            add(a, WPG_ADVICE_UNIFORM, function->counts->function, site.block, -1,
                format(
                    a,
                    "this %s is one value in each wave: read it by subgroupBroadcastFirst, or from a uniform "
                    "block",
                    strcmp(site.kind, "descriptor") == 0 ? "descriptor index"
                    : strcmp(site.kind, "index") == 0    ? "buffer index"
                                                         : "address"),
                format(a, "all lanes agreed in all %" PRIu64 " waves that were asked", site.asked));
        wpg_value_site_finish(&site);
    }
}

static double work_in_lanes(const wpg_report_shader *shader)
{
    return shader->work_lanes ? (double)shader->work_lanes : 1;
}

static void advise_branches(adviser *a, const wpg_report_function *function)
{
    const wpg_report_shader *shader = &a->report->shaders[a->shader];
    for (size_t i = 0; i < function->branch_count; i++) {
        const wpg_report_branch *branch = &function->branches[i];
        const double slots = work_in_lanes(shader) + branch->idle;
        if (branch->idle > LEAST_IDLE * slots)
            add(a, WPG_ADVICE_DIVERGE, function->counts->function, branch->block, branch->idle / slots,
                "lanes part here and wait for each other: sort or group the work, so that a wave takes one "
                "side",
                branch->has_waves && branch->both
                    ? format(a,
                             "%.1f %% of %" PRIu64
                             " waves went both ways; idle lanes cost %.1f %% of the lane slots",
                             percent(branch->both, branch->waves), branch->waves, 100 * branch->idle / slots)
                    : format(a, "idle lanes behind it cost %.1f %% of the lane slots",
                             100 * branch->idle / slots));
    }
}

static int most_instructions(const void *left, const void *right)
{
    const wpg_report_branch *a = *(const wpg_report_branch *const *)left,
                            *b = *(const wpg_report_branch *const *)right;
    if (a->never_instructions != b->never_instructions)
        return a->never_instructions > b->never_instructions ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

/* All sides that never ran together: each saves little, and nothing that was executed. */
static void advise_never(adviser *a, const wpg_report_function *function)
{
    enum { MOST_NAMED = 4 };
    const wpg_report_shader *shader = &a->report->shaders[a->shader];
    const wpg_report_branch **sides = calloc(function->branch_count + 1, sizeof *sides);
    size_t count = 0, length = 0, instructions = 0;
    char list[TEXT / 2] = "", place[120];
    if (!sides) {
        a->failed = true;
        return;
    }
    for (size_t i = 0; i < function->branch_count; i++)
        if (function->branches[i].never != WPG_REPORT_NONE &&
            function->branches[i].never_instructions >= LEAST_NEVER) {
            sides[count++] = &function->branches[i];
            instructions += function->branches[i].never_instructions;
        }
    if (count)
        qsort(sides, count, sizeof *sides, most_instructions);
    for (size_t i = 0; i < count && i < MOST_NAMED && length < sizeof list; i++)
        length +=
            (size_t)snprintf(list + length, sizeof list - length, "%s%s (%u instructions)", i ? ", " : "",
                             wpg_report_place(place, sizeof place, a->report, shader,
                                              function->counts->function, sides[i]->never),
                             sides[i]->never_instructions);
    if (count)
        add(a, WPG_ADVICE_NEVER, function->counts->function, sides[0]->never, 0,
            format(
                a,
                "%s of branches never ran: leave %s out by specialisation constants, for fewer registers and "
                "less code: %s%s",
                count == 1 ? "one side" : "some sides", count == 1 ? "it" : "them", list,
                count > MOST_NAMED ? ", ..." : ""),
            format(a, "no lane took %zu side%s, %zu instructions in all, of branches that ran", count,
                   count == 1 ? "" : "s", instructions));
    free(sides);
}

/* Exact where least and most trips are known, by one full bucket of one count else. */
static void advise_loop(adviser *a, const wpg_report_function *function, const wpg_loop_counts *loop)
{
    char key[WPG_FACTS_WORD], lanes[28];
    const wpg_shader_counts *counts = function->counts;
    uint64_t all = 0;
    unsigned used = 0, bucket = 0;
    for (unsigned i = 0; i < WPG_TRIP_BUCKETS; i++) {
        all += loop->buckets[i];
        used += loop->buckets[i] != 0;
        bucket = loop->buckets[i] ? i : bucket;
    }
    const wpg_facts *facts =
        wpg_bundle_find(&a->report->bundle, "extremes", a->report->shaders[a->shader].hex);
    wpg_bundle_trips_key(key, counts->function, loop->block, counts->checksum);
    const wpg_fact *range = facts ? wpg_facts_find(facts, key) : NULL;
    const bool ranged = range && range->rule == WPG_FACT_RANGE && range->low == range->high;
    if (!all || used != 1 || (!ranged && bucket > 1))
        return;
    const unsigned long long trips = ranged ? (unsigned long long)range->low : bucket;
    add(a, WPG_ADVICE_TRIPS, counts->function, loop->block, -1,
        trips > 64
            ? format(a, "the loop always runs %llu times: make the bound a constant", trips)
            : format(a, "the loop always runs %llu times: a constant bound lets the driver unroll it", trips),
        format(a, "all %s lanes that entered", wpg_group_digits(lanes, loop->lanes)));
}

static void advise_loops(adviser *a, const wpg_report_function *function)
{
    const wpg_profile_record *record = function->counts->records[WPG_RECORD_TRIPS],
                             *by_lane = function->counts->records[WPG_RECORD_LANE_TRIPS];
    wpg_loop_counts loop;
    for (size_t i = 0; i < wpg_loop_count(record); i++) {
        wpg_loop_at(&loop, record, i);
        advise_loop(a, function, &loop);
    }
    for (size_t i = 0; i < wpg_lane_loop_count(by_lane); i++) {
        wpg_lane_loop_at(&loop, by_lane, i);
        advise_loop(a, function, &loop);
    }
}

static void advise_remarks(adviser *a)
{
    const wpg_report_shader *shader = &a->report->shaders[a->shader];
    for (size_t i = 0; i < shader->remarks.count; i++) {
        const wpg_report_remark *remark = &shader->remarks.data[i];
        if (!remark->done || strcmp(remark->pass, "annotate") == 0 || strcmp(remark->pass, "flatten") == 0 ||
            strcmp(remark->pass, "ssa") == 0 ||
            strcmp(remark->pass, "versions") == 0) /* said with the words */
            continue;
        add(a, strcmp(remark->pass, "outputs") == 0 ? WPG_ADVICE_OUTPUT : WPG_ADVICE_USE, remark->function,
            remark->block, saved_by(remark->text),
            format(a, "use mode does this by itself (%s); in the source it would need no test", remark->pass),
            remark->text);
    }
}

/* -- All */

static int best_first(const void *left, const void *right)
{
    const wpg_report_advice *a = left, *b = right;
    if (a->of_all != b->of_all)
        return a->of_all > b->of_all ? -1 : 1;
    if (a->shader != b->shader)
        return a->shader < b->shader ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

wpg_status wpg_report_advise(wpg_report *report, wpg_error *err)
{
    adviser a = {.report = report};
    for (size_t i = 0; i < report->shader_count; i++)
        a.all += report->shaders[i].cost;
    wpg_vec_clear(&report->advice);
    for (size_t i = 0; i < report->shader_count; i++) {
        a.shader = (uint32_t)i;
        for (size_t f = 0; f < report->shaders[i].function_count; f++) {
            const wpg_report_function *function = &report->shaders[i].functions[f];
            advise_branches(&a, function);
            advise_never(&a, function);
            advise_loops(&a, function);
            advise_words(&a, function);
            advise_indices(&a, function);
        }
        advise_remarks(&a);
    }
    if (report->advice.count)
        qsort(report->advice.data, report->advice.count, sizeof *report->advice.data, best_first);
    return a.failed ? wpg_fail(err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}

bool wpg_report_remark_add(wpg_report *report, uint32_t shader, const wpg_report_remark *remark)
{
    wpg_report_remark copy = *remark;
    copy.pass = wpg_arena_strdup(&report->arena, remark->pass);
    copy.text = wpg_arena_strdup(&report->arena, remark->text);
    return copy.pass && copy.text && wpg_vec_push(&report->shaders[shader].remarks, copy);
}
