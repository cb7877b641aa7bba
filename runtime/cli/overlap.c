/* wavepgo overlap: how alike two profiles are, by the score of `llvm-profdata overlap`, and by shader. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"
#include "runtime/bundle/folder.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/common/output.h"
#include "runtime/cli/common/recover.h"
#include "runtime/profile/quality.h"
#include "runtime/report/text/figures.h"
#include "runtime/report/model/places.h"
#include "runtime/report/text/table.h"

static const char command_name[] = "overlap";

typedef struct overlap_job {
    wpg_output output;
    const char *paths[2];
    size_t top;
    wpg_report *reports[2];
    wpg_profile_overlap overlap;
    wpg_quality quality;
} overlap_job;

static const wpg_column columns[] = {{.title = "LANES"},
                                     {.title = "WAVES"},
                                     {.title = "UNIFORM"},
                                     {.title = "SHADER", .left = true},
                                     {.title = "STAGE", .left = true},
                                     {.title = "NAME", .left = true, .is_name = true}};

/* The least overlap first, by lanes. */
static int least_first(const void *left, const void *right)
{
    const wpg_quality_function *a = left, *b = right;
    const double x = a->scores[WPG_QUALITY_LANES].overlap, y = b->scores[WPG_QUALITY_LANES].overlap;
    if (x != y)
        return x < y ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static void add_function(wpg_table *table, const overlap_job *job, const wpg_quality_function *function)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, function->first->shader);
    const wpg_report_shader *shader = wpg_report_shader_of(job->reports[0], hex);
    for (unsigned kind = 0; kind < WPG_QUALITY_KINDS; kind++)
        wpg_table_share(table, function->scores[kind].known, function->scores[kind].overlap, 1);
    wpg_table_text(table, "%.*s", table->raw ? WPG_HASH_HEX : 8, hex);
    wpg_table_copy(table, function->first->stage);
    if (function->first->function)
        wpg_table_text(table, "%s fn%u", shader ? shader->name : "", function->first->function);
    else
        wpg_table_copy(table, shader ? shader->name : "");
}

static bool print_table(const wpg_terminal *terminal, const overlap_job *job)
{
    const size_t count = job->quality.count, top = job->top;
    const size_t shown = top && top < count && !job->output.csv ? top : count;
    wpg_table table;
    wpg_table_init(&table, columns, sizeof columns / sizeof *columns, job->output.csv);
    for (size_t i = 0; i < shown; i++)
        add_function(&table, job, &job->quality.functions[i]);
    if (job->output.csv) {
        wpg_table_csv(&table, terminal->out);
    } else if (shown) {
        (void)fputs("\nBlock overlap by shader function, the least first:\n", terminal->out);
        wpg_table_print(&table, terminal, 0);
    }
    if (shown < count)
        (void)fprintf(terminal->out, "(%zu more; --top 0 shows all)\n", count - shown);
    const bool good = wpg_table_good(&table);
    wpg_table_finish(&table);
    return good;
}

static void print_head(FILE *out, const overlap_job *job)
{
    const wpg_profile_overlap *o = &job->overlap;
    (void)fprintf(out, "overlap of %s and %s: %.3f%%\n", job->paths[0], job->paths[1], o->whole * 100);
    (void)fprintf(out,
                  "records: %zu in both (over these alone: %.3f%%), %zu of other sizes, %zu only in the "
                  "first, %zu only in "
                  "the second\n",
                  o->shared, o->common * 100, o->mismatched, o->only_first, o->only_second);
    (void)fprintf(out, "sums of counters: %.0f, %.0f\n", o->total_first, o->total_second);
}

static void print_json(FILE *out, const overlap_job *job)
{
    const wpg_profile_overlap *o = &job->overlap;
    (void)fprintf(
        out,
        "{\"wavepgo-overlap\": 1, \"overlap\": %.8f, \"overlap-of-common\": %.8f, \"records\": %zu, "
        "\"mismatched\": "
        "%zu, \"only-first\": %zu, \"only-second\": %zu, \"sums\": [%.0f, %.0f],\n \"functions\": [",
        o->whole, o->common, o->shared, o->mismatched, o->only_first, o->only_second, o->total_first,
        o->total_second);
    for (size_t i = 0; i < job->quality.count; i++) {
        const wpg_quality_function *f = &job->quality.functions[i];
        char hex[WPG_HASH_HEX + 1];
        wpg_hash_to_hex(hex, f->first->shader);
        const wpg_report_shader *shader = wpg_report_shader_of(job->reports[0], hex);
        (void)fprintf(out, "%s\n  {\"shader\": \"%s\", \"name\": ", i ? "," : "", hex);
        wpg_json_string(out, shader ? shader->name : hex);
        (void)fprintf(out, ", \"stage\": \"%s\", \"function\": %u", f->first->stage, f->first->function);
        for (unsigned kind = 0; kind < WPG_QUALITY_KINDS; kind++)
            if (f->scores[kind].known)
                (void)fprintf(out, ", \"%s\": %.6f", wpg_quality_kind_name(kind), f->scores[kind].overlap);
        (void)fputc('}', out);
    }
    (void)fputs("]}\n", out);
}

static int print(const overlap_job *job)
{
    wpg_terminal terminal;
    bool good = true;
    wpg_output_open(&terminal, &job->output);
    if (job->output.json) {
        print_json(terminal.out, job);
    } else {
        if (!job->output.csv)
            print_head(terminal.out, job);
        good = print_table(&terminal, job);
    }
    const int code = wpg_output_close(&terminal, command_name, 0);
    return good ? code : wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
}

static int measure(overlap_job *job)
{
    wpg_error err;
    for (unsigned i = 0; i < 2; i++) {
        const wpg_report_options options = {.path = job->paths[i], .may_be_empty = true};
        wpg_recover_folder(command_name, job->paths[i], true);
        if (wpg_report_load(&job->reports[i], &options, &err) != WPG_OK)
            return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    }
    if (wpg_quality_measure(&job->quality, job->reports[0]->view, job->reports[1]->view, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    wpg_profile_measure_overlap(&job->overlap, job->reports[0]->profile, job->reports[1]->profile);
    if (job->quality.count > 1)
        qsort(job->quality.functions, job->quality.count, sizeof *job->quality.functions, least_first);
    const int code = print(job);
    wpg_quality_finish(&job->quality);
    return code;
}

static int parse(overlap_job *job, int argc, char **argv)
{
    size_t count = 0;
    for (int at = 1; at < argc; at++) {
        const int taken = wpg_output_option(&job->output, command_name, argc, argv, &at);
        char *end = NULL;
        if (taken < 0)
            return WPG_EXIT_USAGE;
        if (taken)
            continue;
        if (strcmp(argv[at], "--top") == 0) {
            job->top = at + 1 < argc ? strtoul(argv[at + 1], &end, 10) : 0;
            if (!end || end == argv[at + 1] || *end || *argv[at + 1] == '-')
                return wpg_usage_error(command_name, "--top takes a number");
            at++;
        } else if (argv[at][0] == '-' && argv[at][1]) {
            return wpg_usage_error(command_name, "no option is called '%s'", argv[at]);
        } else if (count == 2) {
            return wpg_usage_error(command_name, "give two profiles");
        } else {
            job->paths[count++] = argv[at];
        }
    }
    return count == 2 ? 0 : wpg_usage_error(command_name, "give two profiles");
}

int wpg_command_overlap(int argc, char **argv)
{
    overlap_job job = {.top = 20};
    int code = parse(&job, argc, argv);
    if (code == 0)
        code = measure(&job);
    wpg_report_destroy(job.reports[0]);
    wpg_report_destroy(job.reports[1]);
    return code;
}
