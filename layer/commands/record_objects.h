/* Draws and dispatches of shader objects, for the recordings of record.h. Threads: objects as Vulkan says of
 * them; recordings as record.h says. Ownership: the device's, until the object or the device is destroyed. */
#ifndef WPG_LAYER_COMMANDS_RECORD_OBJECTS_H
#define WPG_LAYER_COMMANDS_RECORD_OBJECTS_H

#include "layer/base/newer.h"
#include "layer/commands/record.h"

/* A bound object's place is its stage's rank (rewrite.h). Compute has a bind point of its own. */
enum { WPG_OBJECT_COMPUTE = WPG_OBJECT_STAGES - 1 };

void wpg_record_objects_init(wpg_device *device);
void wpg_record_objects_finish(wpg_device *device);

/* The program got `shader`, made as `info` says. Notes it if the plan knows its hash. */
void wpg_record_object(wpg_device *device, wpg_shader shader, const wpg_pipeline_plan *plan,
                       const wpg_shader_create_info *info);
void wpg_record_object_gone(wpg_device *device, wpg_shader shader);

/* A pipeline was bound at the point: objects are no longer bound there. */
void wpg_record_objects_taken(wpg_recording *recording, wpg_bind_point point);

#endif
