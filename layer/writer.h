/* The background thread that asks for drains and writes the profile files every FLUSH_INTERVAL, so that a
 * killed program loses no more. It lives while a device counts. Threads: start and stop from any. */
#ifndef WPG_LAYER_WRITER_H
#define WPG_LAYER_WRITER_H

void wpg_writer_start(void); /* does nothing if it runs, or when FLUSH_INTERVAL is 0 */
void wpg_writer_stop(void);  /* joins; fine if it does not run */

#endif
