/* Standard output as a terminal: its width, colours, a pager. Piped output is plain, and of any width.
 *
 * Names come from programs: on a terminal every control character of a text is escaped. Colours therefore
 * pass the stream by: wpg_terminal_color flushes the stream and writes to the file descriptor.
 *
 * Owns: wpg_terminal_open may start a pager, wpg_terminal_close waits for the pager to end.
 * Threads: one.
 * Source: ECMA-48, 8.3.117 (SGR); https://no-color.org. */
#ifndef WPG_RUNTIME_REPORT_TEXT_TERMINAL_H
#define WPG_RUNTIME_REPORT_TEXT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

typedef enum wpg_color_choice { WPG_COLOR_AUTO, WPG_COLOR_ALWAYS, WPG_COLOR_NEVER } wpg_color_choice;

typedef enum wpg_color {
    WPG_COLOR_PLAIN,
    WPG_COLOR_HEAD, /* titles of columns */
    WPG_COLOR_DIM,  /* what never ran, remarks */
    WPG_COLOR_WARM, /* heat, three steps */
    WPG_COLOR_HOT,
    WPG_COLOR_HOTTEST,
    WPG_COLORS
} wpg_color;

typedef struct wpg_terminal_options {
    wpg_color_choice color;
    bool no_pager;
} wpg_terminal_options;

typedef struct wpg_terminal {
    FILE *out; /* stdout */
    int width; /* columns; 0: not a terminal, lines may be as long as they are */
    bool color;
    int pager; /* its process, 0: none */
} wpg_terminal;

/* Colour by itself: on a terminal that is not "dumb", unless NO_COLOR is set. A pager (PAGER, else less with
 * -FRX): on such a terminal, unless PAGER is empty or "cat". */
void wpg_terminal_open(wpg_terminal *terminal, const wpg_terminal_options *options);
/* Flushes, and waits for the pager. False: something could not be written (errno). A reader that left the
 * pager early is no error. */
bool wpg_terminal_close(wpg_terminal *terminal);

/* What is printed from now on; nothing where there are no colours. */
void wpg_terminal_color(const wpg_terminal *terminal, wpg_color color);
/* `part` over the hottest of its kind. */
wpg_color wpg_heat_color(double part, double hottest);

/* stdout escapes control characters from now on. */
void wpg_terminal_escape_stdout(void);

#endif
