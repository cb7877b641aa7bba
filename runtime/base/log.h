/* Log: one-line messages to standard error or to a file, each "wavepgo: LEVEL: TEXT".
 *
 * Control characters in names are escaped. Before wpg_log_open, warnings and errors go to standard error.
 *
 * Owns: the log file's descriptor, from wpg_log_open to wpg_log_close.
 * Threads: any; one message is one write. */
#ifndef WPG_RUNTIME_BASE_LOG_H
#define WPG_RUNTIME_BASE_LOG_H

#include <stdbool.h>

typedef enum wpg_log_level { WPG_LOG_ERROR, WPG_LOG_WARN, WPG_LOG_INFO, WPG_LOG_DEBUG } wpg_log_level;

/* Sets the level (messages above it are dropped) and the file (NULL or "" = stderr; appended to).
 * A file that cannot be opened leaves stderr in place and says so. */
void wpg_log_open(wpg_log_level level, const char *path);
void wpg_log_close(void);
bool wpg_log_enabled(wpg_log_level level);
void wpg_log(wpg_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define wpg_log_error(...) wpg_log(WPG_LOG_ERROR, __VA_ARGS__)
#define wpg_log_warn(...)  wpg_log(WPG_LOG_WARN, __VA_ARGS__)
#define wpg_log_info(...)  wpg_log(WPG_LOG_INFO, __VA_ARGS__)
#define wpg_log_debug(...) wpg_log(WPG_LOG_DEBUG, __VA_ARGS__)

/* As wpg_log, but once per call site for the process's life. */
#define wpg_log_once(level, ...)                                                                             \
    do {                                                                                                     \
        static bool wpg_said_;                                                                               \
        if (!__atomic_exchange_n(&wpg_said_, true, __ATOMIC_RELAXED))                                        \
            wpg_log(level, __VA_ARGS__);                                                                     \
    } while (0)

/* True the first time in the process for a text. The part before the first colon is the key. After 16 keys
 * every further one gives false, too. */
bool wpg_log_is_first(const char *text);

#endif
