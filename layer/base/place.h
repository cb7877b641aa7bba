/* Where a setting's pattern leads. Threads: any. */
#ifndef WPG_LAYER_BASE_PLACE_H
#define WPG_LAYER_BASE_PLACE_H

#include <stdbool.h>

enum { WPG_PLACE = 8300 };

/* A relative path counts from the process's folder. false: it cannot be expanded, said once. */
bool wpg_place(char path[WPG_PLACE], const char *key, const char *pattern);

#endif
