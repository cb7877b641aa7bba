/* One log line: what generate mode counts on a device, stage by stage. `wavepgo doctor` shows the same line,
 * so its report is what the layer does. Threads: no shared state. */
#ifndef WPG_LAYER_BASE_STAGES_REPORT_H
#define WPG_LAYER_BASE_STAGES_REPORT_H

#include "layer/base/features.h"

/* "lanes and waves: frag comp; lanes only (without subgroup operations): vert; not counted: mesh (why)". */
void wpg_stages_report(char *text, size_t size, const wpg_device_features *features);

#endif
