/* What a stage of vertices or fragments takes and gives by location, component by component. Threads: no
 * state. Source: Vulkan 1.3, "Location and Component Assignment". */
#ifndef WPG_TESTS_CORPUS_INTERFACE_H
#define WPG_TESTS_CORPUS_INTERFACE_H

#include "compiler/spirv/module.h"

enum { INTERFACE_SLOTS = 64 };
typedef enum interface_kind { INTERFACE_FLOAT, INTERFACE_INT, INTERFACE_UINT } interface_kind;

/* One scalar or vector of 32-bit numbers at a location. */
typedef struct interface_slot {
    uint32_t location, component, components;
    interface_kind kind;
} interface_slot;

typedef struct interface {
    interface_slot slots[INTERFACE_SLOTS];
    uint32_t count;
    bool place; /* the built-in Position is among the variables */
} interface;

/* The variables of one storage class of an entry point. False: *why says what it has that this does not
 * know. */
bool interface_read(interface *to, const char **why, const wpg_module *module, const wpg_inst *entry,
                    SpvStorageClass storage);

#endif
