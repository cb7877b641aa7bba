/* The author's list: what the counts say could be written otherwise, best first. Each rule is a function; a
 * rule adds what it finds with the evidence and, where the counts tell, the share of the shader's work that
 * would go. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/probe_records.h"
#include "runtime/report/text/figures.h"
#include "runtime/report/model/advise.h"

/* Less is not worth a line. */
static const double LEAST_IDLE = 0.02;
enum { LEAST_NEVER = 8, TEXT = WPG_ADVICE_TEXT };

const char *wpg_report_advice_name(wpg_report_advice_kind kind)
{
    static const char *const names[WPG_ADVICE_KINDS] = {"constant", "divergence", "trips",  "never",
                                                        "uniform",  "input",      "output", "use mode"};
    return kind < WPG_ADVICE_KINDS ? names[kind] : "";
}

const char *wpg_report_no_prediction(const wpg_report_advice *advice)
{
    if (advice->saving >= 0)
        return advice->kind == WPG_ADVICE_NEVER
                   ? "predicted: nothing of what ran; registers and code size are not predicted"
                   : "predicted: no instruction that ran; what else it saves is not predicted";
    switch (advice->kind) {
    case WPG_ADVICE_TRIPS:
        return "not predicted: the driver decides what it unrolls";
    case WPG_ADVICE_UNIFORM:
        return "not predicted: it saves memory work, not instructions";
    case WPG_ADVICE_CONSTANT:
        return "not predicted: use mode makes no version for it, or was not asked";
    case WPG_ADVICE_INPUT:
        return "not predicted: use mode was not asked";
    case WPG_ADVICE_USE:
        return "not predicted: no fewer instructions run, or another piece of advice has all that the pass "
               "saves";
    default:
        return "not predicted: counts of instructions do not tell";
    }
}

const char *wpg_advise_text(wpg_adviser *a, const char *fmt, ...)
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

void wpg_advise_add(wpg_adviser *a, wpg_report_advice_kind kind, uint32_t function, uint32_t block,
                    double saving, const char *what, const char *evidence)
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

double wpg_advise_saved_by(const char *text)
{
    const char *end = strstr(text, " % of its work is saved"), *at = end;
    while (at && at > text && ((at[-1] >= '0' && at[-1] <= '9') || at[-1] == '.'))
        at--;
    return end && at < end ? strtod(at, NULL) / 100 : -1;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* -- Rules */

static double work_in_lanes(const wpg_report_shader *shader)
{
    return shader->work_lanes ? (double)shader->work_lanes : 1;
}

static void advise_branches(wpg_adviser *a, const wpg_report_function *function)
{
    const wpg_report_shader *shader = &a->report->shaders[a->shader];
    for (size_t i = 0; i < function->branch_count; i++) {
        const wpg_report_branch *branch = &function->branches[i];
        const double slots = work_in_lanes(shader) + branch->idle;
        if (branch->idle > LEAST_IDLE * slots)
            wpg_advise_add(
                a, WPG_ADVICE_DIVERGE, function->counts->function, branch->block, branch->idle / slots,
                "lanes part here and wait for each other: sort or group the work, so that a wave takes one "
                "side",
                branch->has_waves && branch->both
                    ? wpg_advise_text(a,
                                      "%.1f %% of %" PRIu64
                                      " waves went both ways; idle lanes cost %.1f %% of the lane slots",
                                      percent(branch->both, branch->waves), branch->waves,
                                      100 * branch->idle / slots)
                    : wpg_advise_text(a, "idle lanes behind it cost %.1f %% of the lane slots",
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
static void advise_never(wpg_adviser *a, const wpg_report_function *function)
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
        wpg_advise_add(
            a, WPG_ADVICE_NEVER, function->counts->function, sides[0]->never, 0,
            wpg_advise_text(
                a,
                "%s of branches never ran: leave %s out by specialisation constants, for fewer registers and "
                "less code: %s%s",
                count == 1 ? "one side" : "some sides", count == 1 ? "it" : "them", list,
                count > MOST_NAMED ? ", ..." : ""),
            wpg_advise_text(a, "no lane took %zu side%s, %zu instructions in all, of branches that ran",
                            count, count == 1 ? "" : "s", instructions));
    free(sides);
}

/* Exact where least and most trips are known, by one full bucket of one count else. */
static void advise_loop(wpg_adviser *a, const wpg_report_function *function, const wpg_loop_counts *loop)
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
    wpg_advise_add(
        a, WPG_ADVICE_TRIPS, counts->function, loop->block, -1,
        trips > 64
            ? wpg_advise_text(a, "the loop always runs %llu times: make the bound a constant", trips)
            : wpg_advise_text(
                  a, "the loop always runs %llu times: a constant bound lets the driver unroll it", trips),
        wpg_advise_text(a, "all %s lanes that entered", wpg_group_digits(lanes, loop->lanes)));
}

static void advise_loops(wpg_adviser *a, const wpg_report_function *function)
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

static void advise_remarks(wpg_adviser *a)
{
    const wpg_report_shader *shader = &a->report->shaders[a->shader];
    for (size_t i = 0; i < shader->remarks.count; i++) {
        const wpg_report_remark *remark = &shader->remarks.data[i];
        if (!remark->done || strcmp(remark->pass, "annotate") == 0 || strcmp(remark->pass, "flatten") == 0 ||
            strcmp(remark->pass, "ssa") == 0 ||
            strcmp(remark->pass, "versions") == 0) /* said with the words */
            continue;
        wpg_advise_add(
            a, strcmp(remark->pass, "outputs") == 0 ? WPG_ADVICE_OUTPUT : WPG_ADVICE_USE, remark->function,
            remark->block, remark->saving,
            wpg_advise_text(a, "use mode does this by itself (%s); in the source it would need no test",
                            remark->pass),
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
    wpg_adviser a = {.report = report};
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
            wpg_advise_words(&a, function);
            wpg_advise_indices(&a, function);
            wpg_advise_inputs(&a, function);
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
