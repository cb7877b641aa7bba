/* The value of a 32-bit integer that is computed of constants and of values that the caller knows. Threads:
 * no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_INT_VALUE_H
#define WPG_COMPILER_ANALYSIS_INT_VALUE_H

#include "compiler/spirv/module.h"

typedef enum wpg_int_leaf {
    WPG_INT_COMPUTED, /* the caller does not know the value: the operands tell */
    WPG_INT_KNOWN,
    WPG_INT_UNKNOWN,
} wpg_int_leaf;

/* Begin a larger struct with it to give `leaf` more to know. */
typedef struct wpg_int_walk {
    const wpg_module *module;
    /* Asked about each instruction that is no constant. `depth` is for a wpg_int_value of its own. */
    wpg_int_leaf (*leaf)(uint32_t *out, struct wpg_int_walk *walk, const wpg_inst *def, unsigned depth);
    unsigned steps; /* so far: a sum of sums of one number has many ways to it */
} wpg_int_walk;

/* False: the value hangs on something unknown, is not defined, or takes too long to follow. A new question
 * has a depth of 0. */
bool wpg_int_value(uint32_t *out, wpg_int_walk *walk, uint32_t id, unsigned depth);

#endif
