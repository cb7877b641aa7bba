/* The condition that the writer thread sleeps on (writer.c), and its early wake-up. Threads: any. */
#ifndef WPG_LAYER_FILES_HURRY_H
#define WPG_LAYER_FILES_HURRY_H

#include <pthread.h>
#include <stdbool.h>

/* The writer's; all but `lock` under it. */
extern struct wpg_hurry {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool running, condition_made;
    bool hurried;        /* files are to be written now */
    bool retires;        /* destroyed pipelines are to be retired now */
    unsigned generation; /* a thread ends once this is no longer its own */
} wpg_hurry;

/* Requests a write of the files soon, without a drain. False: no thread runs that could. Waits for no
 * file. */
bool wpg_writer_hurry(void);
/* Wakes the writer to retire destroyed pipelines. False: no thread runs that could. */
bool wpg_writer_retire(void);

#endif
