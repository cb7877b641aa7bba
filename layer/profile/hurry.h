/* What the writer thread sleeps on (writer.c), and how it is woken early. Threads: any. */
#ifndef WPG_LAYER_PROFILE_HURRY_H
#define WPG_LAYER_PROFILE_HURRY_H

#include <pthread.h>
#include <stdbool.h>

/* The writer's; all but `lock` under it. */
extern struct wpg_hurry {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool running, condition_made;
    bool hurried;        /* files are to be written now */
    unsigned generation; /* a thread ends once this is no longer its own */
} wpg_hurry;

/* Files are written soon, without a drain. false: no thread runs that could. Waits for no file. */
bool wpg_writer_hurry(void);

#endif
