/* Which variant a command buffer binds for what it pushed. Threads: as the command buffer. */
#ifndef WPG_LAYER_COMMANDS_VARIANT_CHOICE_H
#define WPG_LAYER_COMMANDS_VARIANT_CHOICE_H

#include "layer/commands/record.h"

/* What a bind of the set's pipeline runs, where no variant serves: ours once it is made
 * (COMPILE=background). */
VkPipeline wpg_variants_bind(wpg_device *device, struct wpg_variant_set *set);
/* Before a draw or dispatch: binds the variant for the pushed values, else the program's own pipeline. */
void wpg_variants_before(wpg_recording *recording, wpg_bound *bound);
/* Binds the program's own pipeline again, before a recording is given up. */
void wpg_variants_restore(wpg_recording *recording, wpg_bound *bound);

/* For the summary: draws and dispatches that used a variant, and those of pipelines with usual values. */
void wpg_variants_choices(uint64_t *used, uint64_t *seen);

#endif
