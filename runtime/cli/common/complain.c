/* Messages on standard error. Control characters in names are escaped, and on standard output too if it is a
 * terminal. */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/text.h"
#include "runtime/cli/common/command.h"
#include "runtime/report/text/terminal.h"

static void complain(const char *command, const char *fmt, va_list args)
{
    char text[2048], shown[4 * sizeof text + 1];
    unsigned char before = 0;
    (void)vsnprintf(text, sizeof text, fmt, args);
    (void)wpg_escape_controls(shown, text, strlen(text), &before);
    (void)fprintf(stderr, "wavepgo%s%s: %s\n", command ? " " : "", command ? command : "", shown);
}

int wpg_complain(int code, const char *command, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    complain(command, fmt, args);
    va_end(args);
    return code;
}

int wpg_usage_error(const char *command, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    complain(command, fmt, args);
    va_end(args);
    (void)fprintf(stderr, "See 'wavepgo %s%s--help'.\n", command ? command : "", command ? " " : "");
    return WPG_EXIT_USAGE;
}

void wpg_escape_terminal(void)
{
    if (isatty(STDOUT_FILENO))
        wpg_terminal_escape_stdout();
}
