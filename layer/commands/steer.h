/* Tunes dispatches that are recorded once and submitted many times. A dispatch is recorded once for each
 * alternative. Before each submission the host chooses the alternative that does the work.
 *
 *     bind      --> the program's own; nothing is chosen
 *     dispatch  --> for each alternative: bind, vkCmdDispatchIndirect, barrier; one run is timed around all
 *     submit    --> one is chosen (runtime/tune): its workgroups go into our buffer, the others have none
 *     read      --> one sample of each submission
 *
 * Each submission is one randomised trial, as each bind is where command buffers are recorded anew. A
 * dispatch without workgroups does nothing (Vulkan 1.3, 28). Barriers make the costs of the empty dispatches
 * equal for all alternatives.
 *
 * Steered are vkCmdDispatch in primary command buffers without VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT
 * and not for simultaneous use, at most WPG_STEERED in each. Without memory for the buffer, alternatives are
 * chosen at binds. The buffer is written while the command buffer is not pending: Vulkan requires that of a
 * program that submits it again. Threads: as the command buffer. */
#ifndef WPG_LAYER_COMMANDS_STEER_H
#define WPG_LAYER_COMMANDS_STEER_H

#include "layer/commands/record.h"

enum { WPG_STEERED = 64 };

typedef struct wpg_steering wpg_steering; /* of one command buffer; kept with its runs */

/* Tune: makes what steering needs of the device; without it nothing is steered. */
void wpg_steer_plan(wpg_device *device, VkPhysicalDevice physical);
void wpg_steer_forget(wpg_device *device);

/* True if dispatches of a bind of `pipeline` will be steered: then the program's own is bound, and no
 * alternative is chosen. *steering is made if needed. */
bool wpg_steer_bind(wpg_steering **steering, wpg_device *device, VkPipeline pipeline);
/* True if the next dispatch of that pipeline is steered; returns the tuned record for the run's trial. */
bool wpg_steer_next(const wpg_steering *steering, wpg_device *device, VkPipeline pipeline,
                    struct wpg_tuned **tuned);
/* Records the alternatives of a dispatch, timed as `run`, and binds the program's own again. */
void wpg_steer_dispatch(wpg_steering *steering, wpg_recording *recording, wpg_bound *bound, uint32_t run,
                        const uint32_t groups[3]);

/* The command buffer is recorded anew. */
void wpg_steer_begin(wpg_steering *steering);
/* The command buffer goes to a queue: chooses an alternative for each dispatch, and sets the trial of its
 * run. `trial_of` finds the trial. */
void wpg_steer_choose(wpg_steering *steering, wpg_trial *(*trial_of)(void *context, uint32_t run),
                      void *context);
void wpg_steer_destroy(wpg_steering *steering, wpg_device *device);

#endif
