/* The thread that acts once a second: a line for STATS, the file for TIMES. It starts with the first device
 * that does not pass through, and acts a last time as the program ends. A forked child has no such thread.
 * Threads: start and stop from any; the thread takes no signal of the program's. */
#ifndef WPG_LAYER_PROFILE_TICKER_H
#define WPG_LAYER_PROFILE_TICKER_H

#include <stdbool.h>

/* Whether something is to be done each second. Command buffers are then followed. */
bool wpg_ticker_wanted(void);
void wpg_ticker_start(void); /* does nothing if it runs or is not wanted */
void wpg_ticker_stop(void);  /* joins, after a last time; fine if it does not run */

#endif
