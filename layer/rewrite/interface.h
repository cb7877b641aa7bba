/* Between the stages of one pipeline: which outputs of a stage somebody reads. Needs all stages at hand.
 * What a stage's next one is, where only parts are at hand, is not known: its outputs are left alone.
 * Threads: one plan, one thread. Source: Vulkan 1.3, 15.1 (Shader Input and Output Interfaces). */
#ifndef WPG_LAYER_REWRITE_INTERFACE_H
#define WPG_LAYER_REWRITE_INTERFACE_H

#include "layer/rewrite/pipeline_plan.h"

/* Tells the plan's stages who reads their outputs (wpg_rewrite.outputs). The stages are parsed. `targets`:
 * what reaches an attachment; NULL: not known. plan->later: it would have to be asked (plan->when). */
void wpg_interface_note(wpg_pipeline_plan *plan, const wpg_output_use *targets);

#endif
