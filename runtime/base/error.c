#include "runtime/base/error.h"

#include <stdarg.h>
#include <stdio.h>

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

const char *wpg_status_name(wpg_status status)
{
    switch (status) {
    case WPG_OK:
        return "ok";
    case WPG_E_NOMEM:
        return "out of memory";
    case WPG_E_IO:
        return "input/output error";
    case WPG_E_FORMAT:
        return "malformed";
    case WPG_E_VERSION:
        return "unsupported version";
    case WPG_E_UNSUPPORTED:
        return "unsupported";
    case WPG_E_NOT_FOUND:
        return "not found";
    case WPG_E_MISMATCH:
        return "mismatch";
    case WPG_E_LIMIT:
        return "limit reached";
    case WPG_E_ARGUMENT:
        return "bad argument";
    }
    return "unknown";
}
