/* Push descriptors: what a command buffer has pushed into one set, so that it can be pushed again.
 *
 *     shape     the set's bindings. Descriptors lie one after the other by binding number: an update that
 *               goes beyond a binding's last descriptor goes on in the next binding
 *     pushed    the last value of each descriptor, whatever command brought it
 *     template  what vkCmdPushDescriptorSetWithTemplate reads its values by
 *
 * What was pushed is pushed again only in the same command buffer: as long as that may be executed the
 * program keeps the objects alive. Owns: copies of all that the program passes. Threads: shapes and templates
 * any; pushed: as the command buffer. Source: Vulkan 1.4, 14.2.3 (consecutive binding updates), 14.2.9 (push
 * descriptors). */
#ifndef WPG_LAYER_COMMANDS_PUSHED_DESCRIPTORS_H
#define WPG_LAYER_COMMANDS_PUSHED_DESCRIPTORS_H

#include <stdatomic.h>
#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "runtime/base/hash.h"

typedef struct wpg_push_shape {
    atomic_uint references;
    wpg_hash128 definition; /* of the set layout: equal ones hold the same descriptors */
    bool known;             /* all types are known here, so that values can be kept */
    uint32_t descriptors;   /* in all */
    uint32_t binding_count;
    struct wpg_push_binding {
        uint32_t number, first, count; /* `first` of all descriptors */
    } bindings[];                      /* by number */
} wpg_push_shape;

/* NULL: memory runs out. Held once, by the caller. */
wpg_push_shape *wpg_push_shape_make(const VkDescriptorSetLayoutCreateInfo *info, wpg_hash128 definition);
wpg_push_shape *wpg_push_shape_hold(wpg_push_shape *shape); /* returns it; NULL: nothing */
void wpg_push_shape_drop(wpg_push_shape *shape);            /* NULL: nothing */

typedef struct wpg_pushed wpg_pushed;

/* Nothing is pushed yet. NULL: memory runs out. The shape is held. */
wpg_pushed *wpg_pushed_make(wpg_push_shape *shape);
void wpg_pushed_free(wpg_pushed *pushed); /* NULL: nothing */
const wpg_push_shape *wpg_pushed_shape(const wpg_pushed *pushed);
void wpg_pushed_clear(wpg_pushed *pushed);

/* Takes the values in. False: one names no descriptor of the shape, or a type that is not known here; what is
 * held is then not all that was pushed. */
bool wpg_pushed_write(wpg_pushed *pushed, uint32_t count, const VkWriteDescriptorSet *writes);

typedef struct wpg_push_template {
    VkPipelineBindPoint point;
    uint32_t count;
    VkDescriptorUpdateTemplateEntry entries[];
} wpg_push_template;

/* Of a template of type PUSH_DESCRIPTORS. NULL: memory runs out. free() it. */
wpg_push_template *wpg_push_template_make(const VkDescriptorUpdateTemplateCreateInfo *info);
/* As wpg_pushed_write. `data` is the program's, laid out as the template says. */
bool wpg_pushed_write_by(wpg_pushed *pushed, const wpg_push_template *by, const void *data);

/* All that is held, as vkCmdPushDescriptorSet takes it; returns how many. Theirs until the next change. */
uint32_t wpg_pushed_all(const VkWriteDescriptorSet **writes, wpg_pushed *pushed);

#endif
