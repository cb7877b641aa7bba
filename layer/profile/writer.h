/* The background thread that asks for drains and writes the profile files: about a second after the first
 * counts, then every FLUSH_INTERVAL. A killed program loses no more than that. The thread lives while a
 * device counts. Threads: all from any. */
#ifndef WPG_LAYER_PROFILE_WRITER_H
#define WPG_LAYER_PROFILE_WRITER_H

void wpg_writer_start(void); /* does nothing if it runs, or when FLUSH_INTERVAL is 0 */
void wpg_writer_stop(void);  /* joins; fine if it does not run */

#endif
