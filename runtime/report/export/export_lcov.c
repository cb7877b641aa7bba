/* Line coverage of shaders in lcov's tracefile format. Several shaders of one source file are added up, line
 * by line. Source: geninfo(1), "FILES".
 *
 *     report: shaders --collect--> lines, functions, branches by file --sort, add up--> one record a file
 *
 * DA and FNDA are lanes, or waves. A BRDA pair is a conditional branch: how often it held, and not. A branch
 * that was never executed has "-". FN is the first line with code: SPIR-V has no line of a declaration. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/arithmetic.h"
#include "runtime/report/export/export.h"
#include "runtime/report/model/source_names.h"

typedef struct line_row {
    uint32_t file, line;
    uint64_t count;
} line_row;

typedef struct function_row {
    uint32_t file, line;
    const char *name;
    uint64_t count;
} function_row;

typedef struct branch_row {
    uint32_t file, line, ordinal;
    uint64_t count[2];
} branch_row;

typedef struct coverage {
    const wpg_report *report;
    wpg_source_names names;
    WPG_VEC(line_row) lines;
    WPG_VEC(function_row) functions;
    WPG_VEC(branch_row) branches;
} coverage;

static bool collect(coverage *all, const wpg_report_shader *shader, bool waves)
{
    const wpg_source_name *files = all->names.files;
    bool done = true;
    for (size_t i = 0; i < shader->line_count && done; i++) {
        const wpg_report_line *line = &shader->lines[i];
        done = wpg_vec_push(
            &all->lines, (line_row){files[line->file].file, line->line, waves ? line->waves : line->lanes});
    }
    for (size_t i = 0; i < shader->source_function_count && done; i++) {
        const wpg_report_source_function *function = &shader->source_functions[i];
        if (function->file != WPG_REPORT_NONE)
            done = wpg_vec_push(&all->functions,
                                (function_row){files[function->file].file, function->line, function->name,
                                               waves ? function->waves : function->lanes});
    }
    for (size_t i = 0; i < shader->source_branch_count && done; i++) {
        const wpg_report_source_branch *branch = &shader->source_branches[i];
        const uint64_t *count = waves ? branch->waves : branch->lanes;
        if (!waves || branch->has_waves)
            done = wpg_vec_push(
                &all->branches,
                (branch_row){files[branch->file].file, branch->line, branch->ordinal, {count[0], count[1]}});
    }
    return done;
}

/* -- In order, each key once */

#define COMPARE(a, b, key)                                                                                   \
    if ((a)->key != (b)->key)                                                                                \
    return (a)->key < (b)->key ? -1 : 1

static int by_line(const void *left, const void *right)
{
    const line_row *a = left, *b = right;
    COMPARE(a, b, file);
    COMPARE(a, b, line);
    return 0;
}

static int by_function(const void *left, const void *right)
{
    const function_row *a = left, *b = right;
    COMPARE(a, b, file);
    COMPARE(a, b, line);
    return strcmp(a->name, b->name);
}

static int by_branch(const void *left, const void *right)
{
    const branch_row *a = left, *b = right;
    COMPARE(a, b, file);
    COMPARE(a, b, line);
    COMPARE(a, b, ordinal);
    return 0;
}

static void add_up_lines(coverage *all)
{
    size_t kept = 0;
    line_row *rows = all->lines.data;
    for (size_t i = 0; i < all->lines.count; i++)
        if (kept && by_line(&rows[kept - 1], &rows[i]) == 0)
            rows[kept - 1].count = wpg_add_saturating(rows[kept - 1].count, rows[i].count);
        else
            rows[kept++] = rows[i];
    all->lines.count = kept;
}

static void add_up_functions(coverage *all)
{
    size_t kept = 0;
    function_row *rows = all->functions.data;
    for (size_t i = 0; i < all->functions.count; i++)
        if (kept && by_function(&rows[kept - 1], &rows[i]) == 0)
            rows[kept - 1].count = wpg_add_saturating(rows[kept - 1].count, rows[i].count);
        else
            rows[kept++] = rows[i];
    all->functions.count = kept;
}

static void add_up_branches(coverage *all)
{
    size_t kept = 0;
    branch_row *rows = all->branches.data;
    for (size_t i = 0; i < all->branches.count; i++)
        if (kept && by_branch(&rows[kept - 1], &rows[i]) == 0)
            for (unsigned way = 0; way < 2; way++)
                rows[kept - 1].count[way] = wpg_add_saturating(rows[kept - 1].count[way], rows[i].count[way]);
        else
            rows[kept++] = rows[i];
    all->branches.count = kept;
}

static void sort(coverage *all)
{
    if (all->lines.count)
        qsort(all->lines.data, all->lines.count, sizeof *all->lines.data, by_line);
    if (all->functions.count)
        qsort(all->functions.data, all->functions.count, sizeof *all->functions.data, by_function);
    if (all->branches.count)
        qsort(all->branches.data, all->branches.count, sizeof *all->branches.data, by_branch);
    add_up_lines(all);
    add_up_functions(all);
    add_up_branches(all);
}

/* -- Records */

static void print_plain(FILE *out, const char *text)
{
    for (; *text; text++)
        (void)fputc((unsigned char)*text < ' ' || *text == ',' || *text == 0x7f ? '_' : *text, out);
}

/* lcov keeps one function of a name in a file: another one of that name gets its line, too. */
static void print_function_name(FILE *out, const coverage *all, size_t index)
{
    const function_row *row = &all->functions.data[index];
    bool is_first = true;
    for (size_t i = index; i-- > 0 && all->functions.data[i].file == row->file;)
        is_first &= strcmp(all->functions.data[i].name, row->name) != 0;
    print_plain(out, row->name);
    if (!is_first)
        (void)fprintf(out, ":%u", row->line);
}

static void print_functions(FILE *out, const coverage *all, uint32_t file)
{
    size_t found = 0, hit = 0;
    for (size_t i = 0; i < all->functions.count; i++) {
        const function_row *row = &all->functions.data[i];
        if (row->file != file)
            continue;
        found++;
        hit += row->count > 0;
        (void)fprintf(out, "FN:%u,", row->line);
        print_function_name(out, all, i);
        (void)fprintf(out, "\nFNDA:%" PRIu64 ",", row->count);
        print_function_name(out, all, i);
        (void)fputc('\n', out);
    }
    (void)fprintf(out, "FNF:%zu\nFNH:%zu\n", found, hit);
}

static void print_branches(FILE *out, const coverage *all, uint32_t file)
{
    size_t found = 0, hit = 0;
    for (size_t i = 0; i < all->branches.count; i++) {
        const branch_row *row = &all->branches.data[i];
        for (unsigned way = 0; row->file == file && way < 2; way++) {
            (void)fprintf(out, "BRDA:%u,%u,%u,", row->line, row->ordinal, way);
            if (row->count[0] || row->count[1])
                (void)fprintf(out, "%" PRIu64 "\n", row->count[way]);
            else
                (void)fputs("-\n", out);
            found++;
            hit += row->count[way] > 0;
        }
    }
    if (found)
        (void)fprintf(out, "BRF:%zu\nBRH:%zu\n", found, hit);
}

static void print_lines(FILE *out, const coverage *all, uint32_t file)
{
    size_t found = 0, hit = 0;
    for (size_t i = 0; i < all->lines.count; i++) {
        const line_row *row = &all->lines.data[i];
        if (row->file != file)
            continue;
        found++;
        hit += row->count > 0;
        (void)fprintf(out, "DA:%u,%" PRIu64 "\n", row->line, row->count);
    }
    (void)fprintf(out, "LF:%zu\nLH:%zu\n", found, hit);
}

static void print_test(FILE *out, const char *test)
{
    (void)fputs("TN:", out);
    for (; test && *test; test++) {
        const char c = *test;
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        (void)fputc(is_plain ? c : '_', out);
    }
    (void)fputc('\n', out);
}

static void print(FILE *out, const coverage *all, const char *test)
{
    for (size_t i = 0; i < all->lines.count; i++) {
        const uint32_t file = all->lines.data[i].file;
        if (i && all->lines.data[i - 1].file == file)
            continue;
        print_test(out, test);
        (void)fprintf(out, "SF:%s\n", all->names.files[file].name);
        print_functions(out, all, file);
        print_branches(out, all, file);
        print_lines(out, all, file);
        (void)fputs("end_of_record\n", out);
    }
}

wpg_status wpg_report_lcov(FILE *out, const wpg_report *report, const wpg_report_export *options)
{
    coverage all = {.report = report};
    wpg_status status = wpg_source_names_make(&all.names, report, options->sources);
    if (status != WPG_OK)
        return status;
    for (size_t i = 0; i < report->shader_count && status == WPG_OK; i++) {
        const wpg_report_shader *shader = &report->shaders[i];
        if (!shader->is_generated && (options->waves ? shader->has_waves : shader->has_lanes) &&
            !collect(&all, shader, options->waves))
            status = WPG_E_NOMEM;
    }
    if (status == WPG_OK) {
        sort(&all);
        print(out, &all, options->test);
    }
    wpg_vec_free(&all.lines);
    wpg_vec_free(&all.functions);
    wpg_vec_free(&all.branches);
    wpg_source_names_finish(&all.names);
    return status;
}
