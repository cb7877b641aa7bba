#include <stdarg.h>

#include "runtime/cli/command.h"

static void complain(const char *command, const char *fmt, va_list args)
{
    (void)fprintf(stderr, "wavepgo%s%s: ", command ? " " : "", command ? command : "");
    (void)vfprintf(stderr, fmt, args);
    (void)fputc('\n', stderr);
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
