/* COMPILE_THREADS limits how many of the program's threads make pipelines at once; the others wait. Threads:
 * any. */
#ifndef WPG_LAYER_BASE_GATE_H
#define WPG_LAYER_BASE_GATE_H

/* Enter waits for a place and takes it; leave gives it back. Both do nothing if COMPILE_THREADS is 0. */
void wpg_gate_enter(void);
void wpg_gate_leave(void);
/* Returns once a place is free, without taking it: a compile in the background waits so before it starts. */
void wpg_gate_wait(void);

#endif
