/* Draws by contents of uniform blocks: what a command buffer records for it (layer/contents/contents.h).
 *
 * Followed are primary command buffers that are not for simultaneous use, in passes that begin in them, are
 * drawn inline, and resume nothing. Not while the program has a query, conditional rendering or transform
 * feedback of its own active, nor where shader objects are bound for compute: the comparison's pipeline would
 * unbind them.
 *
 * Threads: as the command buffer. */
#ifndef WPG_LAYER_COMMANDS_CONTENT_RECORD_H
#define WPG_LAYER_COMMANDS_CONTENT_RECORD_H

#include "layer/commands/record.h"

/* A primary command buffer has begun; it begins anew or is reset; it goes. */
void wpg_content_begin(wpg_recording *recording, VkCommandBufferUsageFlags flags);
void wpg_content_reset(wpg_recording *recording);
void wpg_content_destroy(wpg_recording *recording);
/* What was bound is no longer certain. */
void wpg_content_forget_state(wpg_recording *recording);

/* Before a draw: how many draws it becomes. 1: as it is. Else, for each turn from 0: wpg_content_choose, the
 * draw; and at the end wpg_content_chosen. */
uint32_t wpg_content_choices(wpg_recording *recording, wpg_bound *bound);
void wpg_content_choose(wpg_recording *recording, uint32_t turn);
void wpg_content_chosen(wpg_recording *recording);

/* For the summary: draws that had a choice; comparisons recorded. */
uint64_t wpg_content_draws(void);
uint64_t wpg_content_comparisons(void);

/* The hooks: HOOK(command), on devices with contents; NEW: commands newer than the oldest headers. */
#define WPG_CONTENT_COMMANDS(HOOK)                                                                           \
    WPG_PASS_COMMANDS(HOOK)                                                                                  \
    HOOK(CmdBindDescriptorSets)                                                                              \
    HOOK(CmdWaitEvents)                                                                                      \
    HOOK(CmdWaitEvents2)                                                                                     \
    HOOK(CmdWaitEvents2KHR)                                                                                  \
    HOOK(CmdBeginConditionalRenderingEXT)                                                                    \
    HOOK(CmdEndConditionalRenderingEXT)                                                                      \
    HOOK(CmdBeginTransformFeedbackEXT)
#define HOOK(command) extern __typeof__(vk##command) wpg_content_##command;
WPG_CONTENT_COMMANDS(HOOK)
#undef HOOK

/* Commands of newer headers that bind descriptors in ways that are not followed: from there on the sets are
 * unknown. Each has the command buffer first, and is called with the arguments as they came. */
/* The hook of that name; NULL: none. */
PFN_vkVoidFunction wpg_content_new_hook(const char *name);

#endif
