/* Steady control: where the lanes of a tangle stay one tangle.
 *
 *     steady branch   its condition is proved equal for all lanes (divergence.h)
 *     steady loop     all lanes that enter leave in the same iteration: the loop is whole (structure.h), its
 *                     exits are steady, and every exit is reached by all of its lanes
 *
 * A group joins active-mask classes (mask.h). Whenever a tangle runs a block of a group, its live lanes are
 * those of the tangle that ran the group's first block. Proof, by what joins groups: a steady branch sends
 * all lanes of its block to the one target it takes, and no other lane comes there. All lanes that enter a
 * steady loop are at its header in each iteration, for none has left before the others.
 *
 * Owns: nothing; all lives in the arena given. Threads: immutable once made. Source of "tangle": SPIR-V 1.6,
 * section 2.22. */
#ifndef WPG_COMPILER_INSTRUMENT_CODE_STEADY_H
#define WPG_COMPILER_INSTRUMENT_CODE_STEADY_H

#include "compiler/analysis/values/divergence.h"
#include "compiler/instrument/code/structure.h"

typedef struct wpg_steady {
    const wpg_divergence *divergence;
    uint32_t *group_of; /* [class_count] a class of the same group */
    uint32_t *place_of; /* [blocks] outside of steady loops, the block of the same lanes; else itself */
    bool *loop;         /* [constructs] true for steady loops */
} wpg_steady;

/* Of a function in which nothing demotes and no wave segment ends. False when memory ran out. */
bool wpg_steady_make(wpg_steady *steady, const wpg_structure *structure, const wpg_mask_classes *classes,
                     wpg_arena *arena);

/* True if `id` is proved equal for all lanes that are at block `block` together. */
bool wpg_is_steady_value(const wpg_steady *steady, uint32_t id, uint32_t block);

#endif
