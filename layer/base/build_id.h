/* The build id of the layer's library: another build meets no cached words (build_id.c). Threads: any. */
#ifndef WPG_LAYER_BASE_BUILD_ID_H
#define WPG_LAYER_BASE_BUILD_ID_H

#include <stddef.h>

/* The bytes of the build id, static storage; NULL and size 0 if the library was linked without one. */
const void *wpg_build_id(size_t *size);

#endif
