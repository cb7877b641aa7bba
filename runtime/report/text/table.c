/* Tables: cells, widths, rows, CSV. */
#include "runtime/report/text/table.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "runtime/report/text/figures.h"

enum { GAP = 2, LEAST_NAME = 16, CELL_SIZE = 512 };

void wpg_table_init(wpg_table *table, const wpg_column *columns, size_t count, bool raw)
{
    *table = (wpg_table){.columns = columns,
                         .column_count = count < WPG_TABLE_COLUMNS ? count : WPG_TABLE_COLUMNS,
                         .raw = raw};
    wpg_arena_init(&table->arena);
}

void wpg_table_finish(wpg_table *table)
{
    wpg_vec_free(&table->cells);
    wpg_arena_finish(&table->arena);
}

size_t wpg_table_rows(const wpg_table *table)
{
    return table->cells.count / table->column_count;
}

bool wpg_table_good(const wpg_table *table)
{
    return !table->arena.failed;
}

/* -- Cells */

static void add(wpg_table *table, const char *text)
{
    const char *copy = wpg_arena_strdup(&table->arena, text);
    if (!copy || !wpg_vec_push(&table->cells, (wpg_cell){copy, WPG_COLOR_PLAIN}))
        table->arena.failed = true;
}

void wpg_table_text(wpg_table *table, const char *fmt, ...)
{
    char text[CELL_SIZE];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    add(table, text);
}

void wpg_table_copy(wpg_table *table, const char *text)
{
    add(table, text);
}

void wpg_table_empty(wpg_table *table)
{
    add(table, "");
}

void wpg_table_number(wpg_table *table, bool measured, uint64_t value)
{
    char text[28];
    if (!measured)
        add(table, table->raw ? "" : "-");
    else if (table->raw)
        wpg_table_text(table, "%llu", (unsigned long long)value);
    else
        add(table, wpg_group_digits(text, value));
}

void wpg_table_share(wpg_table *table, bool measured, double part, double whole)
{
    if (!measured || whole <= 0)
        add(table, table->raw ? "" : "-");
    else if (table->raw)
        wpg_table_text(table, "%.6g", part / whole);
    else
        wpg_table_text(table, "%.1f%%", 100.0 * part / whole);
}

void wpg_table_ratio(wpg_table *table, bool measured, double part, double whole)
{
    if (!measured || whole <= 0)
        add(table, table->raw ? "" : "-");
    else
        wpg_table_text(table, table->raw ? "%.6g" : "%.1f", part / whole);
}

void wpg_table_color(wpg_table *table, wpg_color color)
{
    if (table->cells.count)
        table->cells.data[table->cells.count - 1].color = color;
}

/* -- Widths */

/* Characters of UTF-8; bytes where the text is no UTF-8. */
static int length_of(const char *text)
{
    int length = 0;
    for (; *text; text++)
        length += ((unsigned char)*text & 0xc0) != 0x80;
    return length;
}

static int whole_width(const wpg_table *table, int indent)
{
    int width = indent - GAP;
    for (size_t c = 0; c < table->column_count; c++)
        width += table->left_out[c] ? 0 : table->widths[c] + GAP;
    return width;
}

/* The column to leave out next; column_count: none. */
static size_t next_to_drop(const wpg_table *table)
{
    size_t found = table->column_count;
    for (size_t c = 0; c < table->column_count; c++)
        if (!table->left_out[c] && table->columns[c].drop &&
            (found == table->column_count || table->columns[c].drop >= table->columns[found].drop))
            found = c;
    return found;
}

/* Columns that a name gives up, as far as the least length of a name. */
static int shrink_names(wpg_table *table, int excess)
{
    for (size_t c = table->column_count; c-- > 0 && excess > 0;) {
        const int most = table->widths[c] - LEAST_NAME;
        if (!table->columns[c].is_name || table->left_out[c] || most <= 0)
            continue;
        const int less = most < excess ? most : excess;
        table->widths[c] -= less;
        excess -= less;
    }
    return excess;
}

void wpg_table_fit(wpg_table *table, const wpg_terminal *terminal, int indent)
{
    for (size_t c = 0; c < table->column_count; c++) {
        table->widths[c] = length_of(table->columns[c].title);
        table->left_out[c] = false;
    }
    for (size_t i = 0; i < table->cells.count; i++) {
        const int length = length_of(table->cells.data[i].text);
        int *width = &table->widths[i % table->column_count];
        *width = length > *width ? length : *width;
    }
    if (!terminal->width)
        return;
    int excess = shrink_names(table, whole_width(table, indent) - terminal->width);
    for (size_t c = next_to_drop(table); excess > 0 && c < table->column_count; c = next_to_drop(table)) {
        table->left_out[c] = true;
        excess -= table->widths[c] + GAP;
    }
}

/* -- Rows */

static void print_cut(FILE *out, const char *text, int width)
{
    static const char ellipsis[] = "...";
    int left = width - (int)strlen(ellipsis);
    for (; *text && left > 0; left--) {
        (void)fputc(*text++, out);
        while (((unsigned char)*text & 0xc0) == 0x80)
            (void)fputc(*text++, out);
    }
    (void)fputs(ellipsis, out);
}

static void print_cell(const wpg_table *table, const wpg_terminal *terminal, size_t c, const wpg_cell *cell,
                       bool last)
{
    const int length = length_of(cell->text), width = table->widths[c];
    const int blanks = width > length ? width - length : 0;
    if (!table->columns[c].left)
        (void)fprintf(terminal->out, "%*s", blanks, "");
    if (cell->color != WPG_COLOR_PLAIN)
        wpg_terminal_color(terminal, cell->color);
    if (length > width && table->columns[c].is_name)
        print_cut(terminal->out, cell->text, width);
    else
        (void)fputs(cell->text, terminal->out);
    if (cell->color != WPG_COLOR_PLAIN)
        wpg_terminal_color(terminal, WPG_COLOR_PLAIN);
    if (table->columns[c].left && !last)
        (void)fprintf(terminal->out, "%*s", blanks, "");
}

/* Blanks at a line's end are not printed: the last cell with a text ends the line. */
static void print_cells(const wpg_table *table, const wpg_terminal *terminal, int indent,
                        const wpg_cell *cells)
{
    size_t last = 0;
    int before = indent;
    for (size_t c = 0; c < table->column_count; c++)
        if (!table->left_out[c] && *cells[c].text)
            last = c;
    for (size_t c = 0; c <= last; c++) {
        if (table->left_out[c])
            continue;
        (void)fprintf(terminal->out, "%*s", before, "");
        print_cell(table, terminal, c, &cells[c], c == last);
        before = GAP;
    }
    (void)fputc('\n', terminal->out);
}

void wpg_table_title(const wpg_table *table, const wpg_terminal *terminal, int indent)
{
    wpg_cell cells[WPG_TABLE_COLUMNS];
    for (size_t c = 0; c < table->column_count; c++)
        cells[c] = (wpg_cell){table->columns[c].title, WPG_COLOR_HEAD};
    if (wpg_table_good(table))
        print_cells(table, terminal, indent, cells);
}

void wpg_table_row(const wpg_table *table, const wpg_terminal *terminal, int indent, size_t row)
{
    if (wpg_table_good(table) && row < wpg_table_rows(table))
        print_cells(table, terminal, indent, &table->cells.data[row * table->column_count]);
}

void wpg_table_print(wpg_table *table, const wpg_terminal *terminal, int indent)
{
    wpg_table_fit(table, terminal, indent);
    wpg_table_title(table, terminal, indent);
    for (size_t row = 0; row < wpg_table_rows(table); row++)
        wpg_table_row(table, terminal, indent, row);
}

void wpg_table_csv(const wpg_table *table, FILE *out)
{
    if (!wpg_table_good(table))
        return;
    for (size_t c = 0; c < table->column_count; c++) {
        (void)fputs(c ? "," : "", out);
        for (const char *at = table->columns[c].title; *at; at++)
            (void)fputc(tolower((unsigned char)*at), out);
    }
    (void)fputc('\n', out);
    for (size_t i = 0; i < table->cells.count; i++) {
        wpg_csv_string(out, table->cells.data[i].text);
        (void)fputc((i + 1) % table->column_count ? ',' : '\n', out);
    }
}
