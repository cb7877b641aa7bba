/* A SPIR-V module in memory: one doubly linked list of instructions in module order, and an index from result
 * id to defining instruction. Parsing copies the words. Parse then emit of an unmodified module is
 * word-identical, unknown instructions included. compiler/analysis makes blocks and functions as views of the
 * module. After a change of labels or terminators, build these views again.
 *
 * Ownership: everything an instruction points to lives in the module's arena until wpg_module_destroy.
 * Failure: insertions never return NULL. When memory runs out they set module->arena.failed and return a
 * scratch instruction outside the list, its operands cut to 63 words. wpg_module_emit checks the flag: test
 * once, at the end. Threads: one module, one thread. Source: SPIR-V 1.6 unified specification, sections 2.3,
 * 2.4. */
#ifndef WPG_COMPILER_SPIRV_MODULE_H
#define WPG_COMPILER_SPIRV_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/arena.h"
#include "runtime/base/error.h"

/* The C header of SPIRV-Headers, for opcode and enumerant names (SpvOpIAdd, ...). */
#include <spirv/unified1/spirv.h>

typedef struct wpg_inst {
    struct wpg_inst *prev, *next;
    uint32_t *words; /* words[0] = count << 16 | opcode; edit in place, length by wpg_inst_set_operands */
    uint16_t opcode, count; /* count in words, the first included */
    uint32_t type, result;  /* result type id and result id; 0 = none (or unknown opcode) */
} wpg_inst;

/* Logical layout of a module (specification 2.4); every module-scope instruction belongs to one. */
typedef enum wpg_section {
    WPG_SECTION_CAPABILITY,
    WPG_SECTION_EXTENSION,
    WPG_SECTION_IMPORT,
    WPG_SECTION_MEMORY_MODEL,
    WPG_SECTION_ENTRY_POINT,
    WPG_SECTION_EXECUTION_MODE,
    WPG_SECTION_DEBUG,      /* OpString, OpSource*, OpName, OpMemberName, OpModuleProcessed */
    WPG_SECTION_ANNOTATION, /* decorations */
    WPG_SECTION_GLOBAL,     /* types, constants, global variables */
    WPG_SECTION_FUNCTION,
    WPG_SECTION_COUNT,
} wpg_section;

typedef struct wpg_module {
    wpg_arena arena;
    uint32_t version, generator, bound, schema; /* header words 1..4; bound grows with wpg_module_fresh_id */
    wpg_inst *first, *last;
    wpg_inst **defs; /* [defs_capacity] defining instruction or NULL; NULL from the bound on */
    uint32_t defs_capacity;
    struct wpg_globals *globals;   /* index of module-scope declarations; made when first needed */
    struct wpg_section_ends *ends; /* where sections end, kept from edit to edit */
    uint32_t edits;                /* grows with every insertion, removal, move and rewriting */
    bool decorates_late;           /* when parsed, a decoration stood behind a type or another declaration */
    bool has_unknown; /* an opcode, or operands of one, that the grammar table does not know occur: ids may
                         hide there */
} wpg_module;

#define WPG_INST_EACH(inst, module) for (wpg_inst *inst = (module)->first; inst; inst = inst->next)

enum {
    WPG_SPIRV_MAX_WORDS = 64u << 20, /* larger inputs are refused */
    WPG_SPIRV_MAX_BOUND = 4u << 20,  /* the specification's universal limit is 4,194,303 */
};

/* Parses `count` words in either byte order; emitting writes native order. Checks magic, version 1.0 to 1.6,
 * bound, every word count, and the nesting of functions and blocks. Checks every known instruction against
 * the grammar: ids below the bound, at most one definition an id. Operands of a newer SPIR-V (further words,
 * enumerants with parameters) are let through and set has_unknown. This is no validator: a module that
 * spirv-val refuses may pass. */
wpg_status wpg_module_parse(wpg_module **module, const uint32_t *words, size_t count, wpg_error *err);
void wpg_module_destroy(wpg_module *module);

/* The module that parsing the emitted words would give, in less time. WPG_E_NOMEM also if an earlier
 * insertion failed. */
wpg_status wpg_module_copy(wpg_module **copy, const wpg_module *module, wpg_error *err);

/* Writes the module. *words is malloc'd; the caller frees it. WPG_E_NOMEM also if an earlier insertion
 * failed. */
wpg_status wpg_module_emit(uint32_t **words, size_t *count, const wpg_module *module, wpg_error *err);

/* The instruction defining `id`, NULL if none is known. Any id may be asked. */
static inline wpg_inst *wpg_module_def(const wpg_module *module, uint32_t id)
{
    return id < module->defs_capacity ? module->defs[id] : NULL;
}
/* Opcode of the definition of `id`, SpvOpNop if there is none. */
static inline SpvOp wpg_module_opcode_of(const wpg_module *module, uint32_t id)
{
    const wpg_inst *def = wpg_module_def(module, id);
    return def ? (SpvOp)def->opcode : SpvOpNop;
}
/* What an OpCompositeExtract takes out of the struct or array that an OpCompositeConstruct made: that
 * operand's id. 0: the instruction is none such. */
uint32_t wpg_member_taken_out(const wpg_module *module, const wpg_inst *inst);
/* True if the OpLoad or OpStore says Volatile. Source: SPIR-V 1.6, 3.26 Memory Operands. */
static inline bool wpg_access_is_volatile(const wpg_inst *access)
{
    const unsigned at = access->opcode == SpvOpLoad ? 4 : 3;
    return access->count > at && (access->words[at] & SpvMemoryAccessVolatileMask) != 0;
}
uint32_t wpg_module_fresh_id(wpg_module *module);

/* -- Edit ---------------------------------------------------------------------------------------------- */

/* Inserts a new instruction before `where` (NULL: at the module's end). `operands` are the words after the
 * first one, type and result included where the opcode has them. They are copied. defs is kept up to date. */
wpg_inst *wpg_inst_insert(wpg_module *module, wpg_inst *where, SpvOp opcode, const uint32_t *operands,
                          size_t count);
/* The same with the operands written out: wpg_inst_add(m, where, SpvOpIAdd, type, result, a, b). */
#define wpg_inst_add(module, where, opcode, ...)                                                             \
    wpg_inst_insert((module), (where), (opcode), (const uint32_t[]){__VA_ARGS__},                            \
                    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
/* Inserts a copy of an instruction of this module. `result` is the copy's result where the original has
 * one. */
wpg_inst *wpg_inst_copy(wpg_module *module, wpg_inst *where, const wpg_inst *from, uint32_t result);
/* Removes the instruction from the list and clears defs[result]. Its memory stays until the module is
 * destroyed. */
void wpg_inst_remove(wpg_module *module, wpg_inst *inst);
/* Moves the instruction before `where` (NULL: to the end). */
void wpg_inst_move(wpg_module *module, wpg_inst *inst, wpg_inst *where);
/* Gives an instruction new operand words and keeps the opcode. Reads type and result again and updates
 * defs. */
void wpg_inst_set_operands(wpg_module *module, wpg_inst *inst, const uint32_t *operands, size_t count);
/* As wpg_inst_set_operands, with a new opcode. */
void wpg_inst_rewrite(wpg_module *module, wpg_inst *inst, SpvOp opcode, const uint32_t *operands,
                      size_t count);

/* The instruction before which one more of `section` may be inserted (NULL = at the end). For
 * WPG_SECTION_GLOBAL that is before the first OpFunction. Constant time, but after an edit that left the end
 * unknown. */
wpg_inst *wpg_module_section_end(const wpg_module *module, wpg_section section);
wpg_section
wpg_inst_section(const wpg_inst *inst); /* by opcode; instructions inside functions give _FUNCTION */

/* -- Walks --------------------------------------------------------------------------------------------- */

/* The first OpFunction, NULL if none. Constant time, as wpg_module_section_end. */
wpg_inst *wpg_first_function(const wpg_module *module);
/* Next OpFunction at or after `from`, NULL if none; and its OpFunctionEnd. */
wpg_inst *wpg_next_function(wpg_inst *from);
wpg_inst *wpg_function_end(wpg_inst *function);
/* For walks from an OpFunction to its OpFunctionEnd. */
static inline bool wpg_in_function(const wpg_inst *inst)
{
    return inst && inst->opcode != SpvOpFunctionEnd;
}
/* Next OpPhi at or after `from`, past lines; NULL if another instruction comes first. Start behind a
 * label. */
wpg_inst *wpg_next_phi(wpg_inst *from);

/* For walks over decorations and their groups, from begin to end. Where the module is valid, few other
 * instructions stand in between. NULL: the module's end. Constant time, as wpg_module_section_end. */
const wpg_inst *wpg_annotations_begin(const wpg_module *module);
const wpg_inst *wpg_annotations_end(const wpg_module *module);

/* First OpDecorate of `id` with that decoration (groups are not looked through), NULL if none. */
const wpg_inst *wpg_find_decoration(const wpg_module *module, uint32_t id, SpvDecoration decoration);

bool wpg_opcode_compares_ints(uint16_t opcode); /* two integers (vectors of them), and gives a bool */
/* What an instruction does with an image. */
typedef enum wpg_image_access {
    WPG_IMAGE_NONE,     /* nothing of the following */
    WPG_IMAGE_IMPLICIT, /* samples, or asks for the level, by derivatives: needs its neighbours */
    WPG_IMAGE_EXPLICIT, /* samples at a given level */
    WPG_IMAGE_FETCH,    /* reads a texel of a sampled image */
    WPG_IMAGE_GATHER,   /* at level 0; a Bias operand asks for derivatives */
    WPG_IMAGE_QUERY     /* size, levels, samples: no texel */
} wpg_image_access;

/* Sparse forms are listed where they need derivatives, and nowhere else. */
wpg_image_access wpg_opcode_image_access(uint16_t opcode);
/* The opcode reads texels of a sampled image, without derivatives but for a gather's Bias operand. */
bool wpg_opcode_reads_sampled(uint16_t opcode);
/* As that, or with derivatives: operand 4 is where. */
static inline bool wpg_opcode_takes_texels(uint16_t opcode)
{
    return (opcode >= SpvOpImageSampleImplicitLod && opcode <= SpvOpImageDrefGather) ||
           opcode == SpvOpImageSparseSampleImplicitLod || opcode == SpvOpImageSparseSampleDrefImplicitLod ||
           opcode == SpvOpImageSparseSampleProjImplicitLod ||
           opcode == SpvOpImageSparseSampleProjDrefImplicitLod;
}
bool wpg_opcode_is_annotation(uint16_t opcode); /* decorations and their groups */
bool wpg_opcode_is_terminator(
    SpvOp opcode); /* ends a block: branches, returns, kills, Unreachable, TerminateInvocation,
                      IgnoreIntersection, TerminateRay, EmitMeshTasks */

/* -- Strings ------------------------------------------------------------------------------------------- */

/* The literal string that starts at word `at` of `inst`, NUL-terminated within the instruction (little-endian
 * words), or NULL. Borrowed. */
const char *wpg_inst_string(const wpg_inst *inst, size_t at);
/* Words of a literal string as operands; returns how many (written to words if not NULL). */
size_t wpg_string_words(uint32_t *words, const char *text);

#endif
