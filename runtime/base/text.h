/* Formats and parses text in the C locale, whatever locale the program has set.
 *
 * So files, settings and logs read alike in every program. A call changes the calling thread's locale and
 * puts it back. No call uses setlocale, which would change every thread of the program.
 *
 * Owns: nothing.
 * Threads: any.
 * Source: POSIX uselocale; ISO C 7.11, the "C" locale. */
#ifndef WPG_RUNTIME_BASE_TEXT_H
#define WPG_RUNTIME_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* As snprintf and vsnprintf: returns the length of the whole text, negative on failure. */
int wpg_format(char *buffer, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int wpg_format_list(char *buffer, size_t size, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));

/* The whole text is one number; false for anything else, for what is out of range, and for NaN. */
bool wpg_parse_real(double *out, const char *text);

/* Compare without regard to the case of ASCII letters. strcasecmp depends on the locale: in tr_TR.UTF-8 it
 * tells "I" from "i". */
bool wpg_same_word(const char *a, const char *b);
bool wpg_same_start(const char *a, const char *b, size_t length);
char wpg_upper(char letter);

/* Text for a terminal: control characters (C0 but newline and tab, DEL, C1 as UTF-8 or as bytes) become \xNN,
 * since a name in a shader may hold a terminal's commands. `out` has room for 4 * length + 1 bytes; returns
 * how many were written before the final zero. *before: the last byte of what came before this text, 0 at the
 * start; updated. */
size_t wpg_escape_controls(char *out, const char *text, size_t length, unsigned char *before);

/* The ending of a noun that is counted: "%zu file%s". */
static inline const char *wpg_plural(unsigned long long count)
{
    return count == 1 ? "" : "s";
}

#endif
