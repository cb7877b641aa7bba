/* COMPILE_THREADS: so many of the program's threads make pipelines at once; the others wait. Threads: any. */
#ifndef WPG_LAYER_BASE_GATE_H
#define WPG_LAYER_BASE_GATE_H

/* Waits for a place and takes it; gives it back. Nothing where COMPILE_THREADS is 0. */
void wpg_gate_enter(void);
void wpg_gate_leave(void);
/* Returns once a place is free, and takes none: a compile in the background starts then. */
void wpg_gate_wait(void);

#endif
