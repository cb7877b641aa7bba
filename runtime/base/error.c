#include "runtime/base/error.h"

#include <stdarg.h>

#include "runtime/base/text.h"

wpg_status wpg_fail(wpg_error *err, wpg_status status, const char *fmt, ...)
{
    if (err) {
        va_list args;
        va_start(args, fmt);
        err->status = status;
        if (wpg_format_list(err->message, sizeof err->message, fmt, args) < 0)
            err->message[0] = '\0';
        va_end(args);
    }
    return status;
}
