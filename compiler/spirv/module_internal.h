/* Declarations shared by the files of compiler/spirv alone. */
#ifndef WPG_COMPILER_SPIRV_MODULE_INTERNAL_H
#define WPG_COMPILER_SPIRV_MODULE_INTERNAL_H

#include "compiler/spirv/module.h"

/* The id of the module-scope declaration (type, constant, undefined value) with that opcode, result type (0:
 * the opcode has none) and further operands. Made at the end of the globals if the module has none. */
uint32_t wpg_globals_get(wpg_module *module, SpvOp opcode, uint32_t type, const uint32_t *rest, size_t count);
/* Always a new one. */
uint32_t wpg_globals_new(wpg_module *module, SpvOp opcode, uint32_t type, const uint32_t *rest, size_t count);

/* Where the sections of a module end, as far as that is known (sections.c). */
typedef struct wpg_section_ends {
    struct {
        bool known;
        wpg_inst *end;   /* wpg_module_section_end's answer */
        wpg_inst *later; /* the first instruction of a later section; undecided ones may stand before */
    } of[WPG_SECTION_FUNCTION];
} wpg_section_ends;

/* The section by opcode alone. WPG_SECTION_COUNT: undecided, the instruction may stand at module scope or in
 * a function. */
wpg_section wpg_inst_own_section(const wpg_inst *inst);
/* The end of a section by a walk from the module's start. */
wpg_inst *wpg_section_end_by_walk(const wpg_module *module, wpg_section section);
/* True: it stands behind an instruction that only functions hold, so no section ends there. False: perhaps.
 * Ranges of numbers without a gap, and inline: most edits stand in functions. */
static inline bool wpg_follows_code(const wpg_inst *inst)
{
    const unsigned before = inst->prev ? inst->prev->opcode : 0;
    return (before >= SpvOpFunction && before <= SpvOpFunctionCall) ||
           (before >= SpvOpImageTexelPointer && before <= SpvOpInBoundsPtrAccessChain) ||
           (before >= SpvOpVectorExtractDynamic && before <= SpvOpTranspose) ||
           (before >= SpvOpSNegate && before <= SpvOpSMulExtended) ||
           (before >= SpvOpPhi && before <= SpvOpUnreachable);
}
/* Reports of edits: after an insertion, before a removal, after a rewrite. `before`: the section by the old
 * opcode. */
void wpg_ends_inserted(wpg_module *module, wpg_inst *inst);
void wpg_ends_removing(wpg_module *module, const wpg_inst *inst);
void wpg_ends_rewritten(wpg_module *module, const wpg_inst *inst, wpg_section before);

/* A module with the scratch instruction that insertions return when memory runs out. */
typedef struct wpg_module_box {
    wpg_module module; /* first: the box is found from it */
    wpg_section_ends ends;
    wpg_inst scratch;
    uint32_t scratch_words[64];
} wpg_module_box;

/* Reads type and result again from the words, by the grammar. 0 where the opcode has no type or no result. */
void wpg_inst_read_ids(wpg_inst *inst);
/* defs[id] = inst, growing defs and bound as needed; id 0 is ignored. */
void wpg_module_set_def(wpg_module *module, uint32_t id, wpg_inst *inst);

/* The builder's index (globals.c). wpg_globals_note reports a module-scope declaration that was inserted or
 * changed. It does nothing before the index is made. */
void wpg_globals_note(wpg_module *module, wpg_inst *inst);
void wpg_globals_destroy(struct wpg_globals *globals);

#endif
