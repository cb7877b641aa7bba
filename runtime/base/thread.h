/* Starts the layer's threads in the program's process.
 *
 * Owns: nothing; the caller joins the thread.
 * Threads: any. */
#ifndef WPG_RUNTIME_BASE_THREAD_H
#define WPG_RUNTIME_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts run(argument) in a thread of this name, of 15 characters at most ("wavepgo-NAME").
 * The thread blocks every signal but those of its own faults: the others are the program's to receive, and
 * its handlers may expect its own threads. The program's crash handler still sees a fault of ours. false:
 * there is no thread (*thread is undefined). */
bool wpg_thread_start(pthread_t *thread, const char *name, void *(*run)(void *argument), void *argument);

/* The calling thread steps back behind the program's: nice 10 above what it has, and SCHED_BATCH. The program
 * wakes this thread whenever it creates a pipeline. A batch thread that wakes up preempts nobody; a thread
 * that is only nice may. Not SCHED_IDLE: a driver may hold a lock of its own while it compiles, and a thread
 * that gets no time would keep the program's waiting for the lock. A SCHED_IDLE thread stays one. Source:
 * sched(7), setpriority(2) (on Linux of the thread alone). */
void wpg_thread_step_back(void);

#endif
