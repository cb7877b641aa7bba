/* A driver that ends itself at exit, as NVIDIA's seems to (shim_layer.c, SHIM_END=1). Once a device was made,
 * and again at its first submission, it registers a handler. That takes away all memory that is mapped then.
 * A pipeline that is made after that, or while it is done, aborts the process. SHIM_END_COMPILE=SECONDS:
 * making a pipeline takes so long. SHIM_HIDE=host keeps counters in the driver's memory. Threads: any. */
#ifndef WPG_TEST_SHIM_END_H
#define WPG_TEST_SHIM_END_H

#include <stdbool.h>

bool shim_ends(void);
/* A device was made; or something is submitted. */
void shim_end_watch(bool submits);
/* The driver is about to make a pipeline, or has made it. */
void shim_end_make(bool begins);

#endif
