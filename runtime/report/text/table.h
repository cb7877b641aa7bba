/* A table for people, or the same cells as CSV.
 *
 *     columns --wpg_table_init--> cells, row by row --wpg_table_fit--> widths --> title, rows
 *
 * Columns are as wide as their cells. On a terminal that is too narrow, columns that may be left out are left
 * out, and names are cut with an ellipsis. A number is never cut. As CSV a number has no grouping, a share is
 * 0 to 1, and what was not measured is empty.
 *
 * Owns: copies of all cells, until wpg_table_finish. A table that ran out of memory prints nothing.
 * Threads: one table, one thread. */
#ifndef WPG_RUNTIME_REPORT_TEXT_TABLE_H
#define WPG_RUNTIME_REPORT_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/arena.h"
#include "runtime/base/vec.h"
#include "runtime/report/text/terminal.h"

enum { WPG_TABLE_COLUMNS = 20 };

typedef struct wpg_column {
    const char *title;
    bool left;     /* aligned left */
    bool is_name;  /* may be cut; the rightmost such column is cut first */
    unsigned drop; /* 0: always there; the highest number is left out first */
} wpg_column;

typedef struct wpg_cell {
    const char *text;
    wpg_color color;
} wpg_cell;

typedef struct wpg_table {
    wpg_arena arena;
    const wpg_column *columns;
    size_t column_count;
    WPG_VEC(wpg_cell) cells; /* row by row */
    int widths[WPG_TABLE_COLUMNS];
    bool left_out[WPG_TABLE_COLUMNS];
    bool raw; /* for CSV */
} wpg_table;

/* The columns must outlive the table; at most WPG_TABLE_COLUMNS. */
void wpg_table_init(wpg_table *table, const wpg_column *columns, size_t count, bool raw);
void wpg_table_finish(wpg_table *table);
size_t wpg_table_rows(const wpg_table *table);

/* The next cell of the row. */
void wpg_table_text(wpg_table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void wpg_table_copy(wpg_table *table, const char *text); /* of any length */
void wpg_table_empty(wpg_table *table);
void wpg_table_number(wpg_table *table, bool measured, uint64_t value);
void wpg_table_share(wpg_table *table, bool measured, double part, double whole); /* "57.3%" */
void wpg_table_ratio(wpg_table *table, bool measured, double part, double whole); /* "25.6" */
/* Of the cell that was added last. */
void wpg_table_color(wpg_table *table, wpg_color color);

/* Call once all rows are there. */
void wpg_table_fit(wpg_table *table, const wpg_terminal *terminal, int indent);
void wpg_table_title(const wpg_table *table, const wpg_terminal *terminal, int indent);
void wpg_table_row(const wpg_table *table, const wpg_terminal *terminal, int indent, size_t row);
/* Fits, and prints everything. */
void wpg_table_print(wpg_table *table, const wpg_terminal *terminal, int indent);
/* Titles in lower case, then rows. */
void wpg_table_csv(const wpg_table *table, FILE *out);
/* False: memory ran out. */
bool wpg_table_good(const wpg_table *table);

#endif
