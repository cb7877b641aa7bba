/* Prints a comparison: the hot order, then the changes of each shader, the gravest first. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "runtime/base/text.h"
#include "runtime/cli/diff/diff.h"
#include "runtime/report/text/figures.h"
#include "runtime/report/model/places.h"
#include "runtime/report/text/table.h"

static uint64_t lanes_of(const wpg_report *report)
{
    uint64_t lanes = 0;
    for (size_t i = 0; i < report->shader_count; i++)
        lanes += report->shaders[i].lanes;
    return lanes;
}

static int graver(const void *left, const void *right, void *context)
{
    const wpg_diff *diff = context;
    const wpg_diff_pair *a = &diff->pairs.data[*(const uint32_t *)left],
                        *b = &diff->pairs.data[*(const uint32_t *)right];
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->shares[1] != b->shares[1])
        return a->shares[1] > b->shares[1] ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Indices of the pairs by their gravest change; pairs without one behind, by cost. malloc'd. */
static uint32_t *order_of(const wpg_diff *diff)
{
    uint32_t *order = malloc((diff->pairs.count + 1) * sizeof *order);
    for (uint32_t i = 0; order && i < diff->pairs.count; i++)
        order[i] = i;
    if (order && diff->pairs.count)
        qsort_r(order, diff->pairs.count, sizeof *order, graver, (void *)diff);
    return order;
}

/* -- Text */

static void print_side(FILE *out, char letter, const wpg_report *report)
{
    char lanes[28];
    (void)fprintf(out, "%c %s: %zu pipeline%s, %zu shader%s, %s lanes at entry\n", letter, report->path,
                  report->pipeline_count, wpg_plural(report->pipeline_count), report->shader_count,
                  wpg_plural(report->shader_count), wpg_group_digits(lanes, lanes_of(report)));
}

static const wpg_column columns[] = {{.title = "COST A"},
                                     {.title = "COST B"},
                                     {.title = "RANK", .left = true},
                                     {.title = "CHANGES", .drop = 1},
                                     {.title = "SHADER", .left = true, .is_name = true}};

static size_t changes_of(const wpg_diff *diff, uint32_t pair)
{
    size_t count = 0;
    for (size_t i = 0; i < diff->changes.count; i++)
        count += diff->changes.data[i].pair == pair;
    return count;
}

static void add_pair(wpg_table *table, const wpg_diff *diff, uint32_t index)
{
    const wpg_diff_pair *pair = &diff->pairs.data[index];
    char name[WPG_PLACE_SIZE];
    for (unsigned side = 0; side < 2; side++)
        wpg_table_share(table, pair->shaders[side] != NULL, pair->shares[side], 1);
    if (pair->ranks[0] && pair->ranks[1] && pair->ranks[0] != pair->ranks[1])
        wpg_table_text(table, "%" PRIu32 " -> %" PRIu32, pair->ranks[0], pair->ranks[1]);
    else
        wpg_table_text(table, "%" PRIu32, pair->ranks[0] ? pair->ranks[0] : pair->ranks[1]);
    wpg_table_number(table, true, changes_of(diff, index));
    wpg_table_copy(table, wpg_diff_name(name, pair));
}

static bool print_order(const wpg_terminal *terminal, const wpg_diff *diff, const uint32_t *order,
                        size_t shown)
{
    wpg_table table;
    wpg_table_init(&table, columns, sizeof columns / sizeof *columns, false);
    for (size_t i = 0; i < shown; i++)
        add_pair(&table, diff, order[i]);
    (void)fputc('\n', terminal->out);
    wpg_table_print(&table, terminal, 0);
    const bool good = wpg_table_good(&table);
    wpg_table_finish(&table);
    return good;
}

static void print_changes(const wpg_terminal *terminal, const wpg_diff *diff, uint32_t index)
{
    char name[WPG_PLACE_SIZE];
    if (!changes_of(diff, index))
        return;
    (void)fputc('\n', terminal->out);
    wpg_terminal_color(terminal, WPG_COLOR_HEAD);
    (void)fputs(wpg_diff_name(name, &diff->pairs.data[index]), terminal->out);
    wpg_terminal_color(terminal, WPG_COLOR_PLAIN);
    (void)fputc('\n', terminal->out);
    for (size_t i = 0; i < diff->changes.count; i++)
        if (diff->changes.data[i].pair == index)
            (void)fprintf(terminal->out, "  %-10s  %s\n", diff->changes.data[i].what,
                          diff->changes.data[i].text);
}

bool wpg_diff_text(const wpg_terminal *terminal, const wpg_diff *diff, size_t top)
{
    uint32_t *order = order_of(diff);
    const size_t count = diff->pairs.count, shown = top && top < count ? top : count;
    if (!order)
        return false;
    print_side(terminal->out, 'A', diff->reports[0]);
    print_side(terminal->out, 'B', diff->reports[1]);
    const bool good = print_order(terminal, diff, order, shown);
    for (size_t i = 0; i < shown; i++)
        print_changes(terminal, diff, order[i]);
    if (!diff->changes.count)
        (void)fprintf(terminal->out,
                      diff->threshold > 0 ? "\nnothing changed by %.4g%% or more\n" : "\nnothing changed\n",
                      diff->threshold);
    if (shown < count)
        (void)fprintf(terminal->out, "\n(%zu more shaders; --top 0 shows all)\n", count - shown);
    free(order);
    return good;
}

/* -- CSV */

static const wpg_report_shader *either(const wpg_diff_pair *pair)
{
    return pair->shaders[0] ? pair->shaders[0] : pair->shaders[1];
}

bool wpg_diff_csv(FILE *out, const wpg_diff *diff)
{
    static const wpg_column titles[] = {{.title = "shader"}, {.title = "name"},   {.title = "what"},
                                        {.title = "block"},  {.title = "before"}, {.title = "after"},
                                        {.title = "weight"}, {.title = "text"}};
    wpg_table table;
    wpg_table_init(&table, titles, sizeof titles / sizeof *titles, true);
    for (size_t i = 0; i < diff->changes.count; i++) {
        const wpg_diff_change *change = &diff->changes.data[i];
        const wpg_report_shader *shader = either(&diff->pairs.data[change->pair]);
        wpg_table_copy(&table, shader->hex);
        wpg_table_copy(&table, shader->name);
        wpg_table_copy(&table, change->what);
        wpg_table_number(&table, change->has_block, change->block);
        wpg_table_text(&table, "%.6g", change->values[0]);
        wpg_table_text(&table, "%.6g", change->values[1]);
        wpg_table_text(&table, "%.6g", change->weight);
        wpg_table_copy(&table, change->text);
    }
    wpg_table_csv(&table, out);
    const bool good = wpg_table_good(&table);
    wpg_table_finish(&table);
    return good;
}

/* -- JSON */

static void json_number(FILE *out, const char *key, bool known, double value)
{
    if (known && isfinite(value))
        (void)fprintf(out, ", \"%s\": %.6g", key, value);
    else
        (void)fprintf(out, ", \"%s\": null", key);
}

static void json_pair(FILE *out, const wpg_diff_pair *pair)
{
    static const char *const hashes[] = {"a", "b"}, *const costs[] = {"cost-a", "cost-b"},
                             *const ranks[] = {"rank-a", "rank-b"};
    (void)fputs("{\"name\": ", out);
    wpg_json_string(out, either(pair)->name);
    (void)fprintf(out, ", \"stage\": \"%s\"", either(pair)->stage);
    for (unsigned side = 0; side < 2; side++) {
        const bool known = pair->shaders[side] != NULL;
        (void)fprintf(out, known ? ", \"%s\": \"%s\"" : ", \"%s\": null", hashes[side],
                      known ? pair->shaders[side]->hex : "");
        json_number(out, costs[side], known, pair->shares[side]);
        json_number(out, ranks[side], known, pair->ranks[side]);
    }
    (void)fprintf(out, ", \"changed-code\": %s", pair->changed_code ? "true" : "false");
}

static void json_changes(FILE *out, const wpg_diff *diff, uint32_t index)
{
    const char *between = "";
    (void)fputs(", \"changes\": [", out);
    for (size_t i = 0; i < diff->changes.count; i++) {
        const wpg_diff_change *change = &diff->changes.data[i];
        if (change->pair != index)
            continue;
        (void)fprintf(out, "%s\n    {\"what\": \"%s\"", between, change->what);
        json_number(out, "function", change->has_block, change->function);
        json_number(out, "block", change->has_block, change->block);
        json_number(out, "before", true, change->values[0]);
        json_number(out, "after", true, change->values[1]);
        json_number(out, "weight", true, change->weight);
        (void)fputs(", \"text\": ", out);
        wpg_json_string(out, change->text);
        (void)fputc('}', out);
        between = ",";
    }
    (void)fputs("]}", out);
}

void wpg_diff_json(FILE *out, const wpg_diff *diff)
{
    uint32_t *order = order_of(diff);
    (void)fputs("{\"wavepgo-diff\": 1, \"a\": ", out);
    wpg_json_string(out, diff->reports[0]->path);
    (void)fputs(", \"b\": ", out);
    wpg_json_string(out, diff->reports[1]->path);
    (void)fprintf(out, ", \"threshold\": %.6g,\n \"shaders\": [", diff->threshold);
    for (size_t i = 0; order && i < diff->pairs.count; i++) {
        (void)fputs(i ? ",\n  " : "\n  ", out);
        json_pair(out, &diff->pairs.data[order[i]]);
        json_changes(out, diff, order[i]);
    }
    (void)fputs("]}\n", out);
    free(order);
}
