/* Status codes and error messages of every folder.
 *
 * A function that can fail returns wpg_status. Its last parameter is a `wpg_error *`, which may be NULL.
 * On failure the function fills in a message for people, without a newline at the end.
 * Out parameters come first and are written on success only.
 *
 * Owns: nothing; the message lies in the caller's wpg_error.
 * Threads: any. */
#ifndef WPG_RUNTIME_BASE_ERROR_H
#define WPG_RUNTIME_BASE_ERROR_H

typedef enum wpg_status {
    WPG_OK = 0,
    WPG_E_NOMEM,       /* an allocation failed */
    WPG_E_IO,          /* the operating system refused a read, write or rename */
    WPG_E_FORMAT,      /* the input is malformed: truncated, out of range, contradictory */
    WPG_E_VERSION,     /* well-formed, but of a version this build does not read */
    WPG_E_UNSUPPORTED, /* well-formed, but outside what the operation handles: pass it through */
    WPG_E_NOT_FOUND,   /* the thing asked for is not there */
    WPG_E_MISMATCH,    /* two things that should agree (a checksum, a count) do not */
    WPG_E_LIMIT,       /* a stated limit was reached */
    WPG_E_ARGUMENT,    /* the caller asked for something meaningless */
} wpg_status;

typedef struct wpg_error {
    wpg_status status;
    char message[256];
} wpg_error;

#ifdef __cplusplus
extern "C" {
#endif

/* Fills *err (if not NULL) and returns `status`, so that `return wpg_fail(err, WPG_E_FORMAT, "...")` reads
 * well. */
wpg_status wpg_fail(wpg_error *err, wpg_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif

#define WPG_TRY(expr)                                                                                        \
    do {                                                                                                     \
        wpg_status wpg_try_status_ = (expr);                                                                 \
        if (wpg_try_status_ != WPG_OK)                                                                       \
            return wpg_try_status_;                                                                          \
    } while (0)

#endif
