/* STATS: one line of JSON a second about the process, for overlays and scripts. layer/README.md has the
 * fields.
 *
 * The file is a FIFO, a regular file (appended to; made if it is not there), or a device. Nothing ever waits
 * for it:
 *
 *     a FIFO without a reader      no line is written; it is opened anew each second
 *     a FIFO whose reader left     EPIPE: the same. The thread blocks SIGPIPE with all other signals
 *                                  (runtime/base/thread.h), and no other thread writes
 *     a FIFO that is full          the line is dropped: a line is shorter than PIPE_BUF, so it goes whole
 *     a full disk                  said once; a line that was cut is ended before the next
 *     a missing folder             said once; looked for again each second
 *
 * Threads: the ticker's alone writes. */
#ifndef WPG_LAYER_PROFILE_STATS_H
#define WPG_LAYER_PROFILE_STATS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether lines are wanted; constant once the settings are settled. */
bool wpg_stats_on(void);
/* One line: of the time since the last, or since the thread began (by wpg_now). */
void wpg_stats_write(uint64_t began);
/* After the last line. */
void wpg_stats_close(void);

#endif
