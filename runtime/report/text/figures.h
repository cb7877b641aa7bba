/* Numbers as people read them, strings as JSON wants them. Threads: no shared state. */
#ifndef WPG_RUNTIME_REPORT_TEXT_FIGURES_H
#define WPG_RUNTIME_REPORT_TEXT_FIGURES_H

#include <stdint.h>
#include <stdio.h>

/* "1,234,567"; buffer of at least 28 bytes. */
const char *wpg_group_digits(char *buffer, uint64_t value);
void wpg_json_string(FILE *out, const char *text);
/* As text or as an attribute in quotes; control characters but tabs become blanks. */
void wpg_html_text(FILE *out, const char *text);
/* A cell of CSV, quoted where needed. Source: RFC 4180. */
void wpg_csv_string(FILE *out, const char *text);

#endif
