/* SPIR-V instruction grammar: the kind of each operand of an instruction. compiler/spirv/generate/ makes the
 * table (grammar_table.inc) from the JSON of SPIRV-Headers; the table is committed. Shader identity (stage.h)
 * depends on the table. Threads: constant data. Source: SPIR-V 1.6 unified specification, section 3. */
#ifndef WPG_COMPILER_SPIRV_GRAMMAR_H
#define WPG_COMPILER_SPIRV_GRAMMAR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "compiler/spirv/module.h"
#include "runtime/base/vec.h"

/* SPV_KHR_relaxed_extended_instruction: laid out as OpExtInst, with operands that are declared later. Headers
 * and table are older than the instruction; glslang 15 writes it into debug information. */
enum { WPG_OP_EXT_INST_WITH_FORWARD_REFS = 4433 };

/* The kind of one operand. Masks and values of enumerations are WPG_OPERAND_ENUM. Parameters of an enumerant
 * follow as operands of their own kinds. */
typedef enum wpg_operand_kind {
    WPG_OPERAND_RESULT_TYPE, /* id */
    WPG_OPERAND_RESULT,      /* id, defined here */
    WPG_OPERAND_ID,          /* id, used */
    WPG_OPERAND_SCOPE,       /* id, used */
    WPG_OPERAND_SEMANTICS,   /* id, used */
    WPG_OPERAND_LITERAL,     /* one or more literal words (numbers, context-dependent numbers) */
    WPG_OPERAND_STRING,      /* NUL-terminated, padded to a word */
    WPG_OPERAND_ENUM,        /* one word: enumerant or mask */
} wpg_operand_kind;

typedef struct wpg_operand {
    wpg_operand_kind kind;
    uint16_t at;    /* index of its first word in inst->words */
    uint16_t count; /* words */
} wpg_operand;

static inline bool wpg_operand_is_id(const wpg_operand *operand)
{
    return operand->kind <= WPG_OPERAND_SEMANTICS;
}

/* Why a walk ended early. */
typedef enum wpg_operand_fault {
    WPG_OPERAND_FAULT_NONE,
    WPG_OPERAND_FAULT_UNKNOWN,   /* opcode, enumerant with parameters, or further words that the table does
                                    not know: a newer SPIR-V, most likely */
    WPG_OPERAND_FAULT_TRUNCATED, /* a required operand is missing */
    WPG_OPERAND_FAULT_STRING,    /* a string without its end */
} wpg_operand_fault;

/* Walks the operands of one instruction:
 *
 *     wpg_operand_walk walk = wpg_operands(module, inst);
 *     wpg_operand operand;
 *     while (wpg_operand_next(&walk, &operand)) ...
 *     if (walk.malformed) ...
 *
 * `malformed` is set when the opcode is unknown, or when the words do not fit the grammar: too few, too many,
 * or an unknown enumerant with unknown parameters. No word outside the instruction is read. The width of a
 * literal that depends on a type (OpConstant, OpSwitch) comes from the module's types. */
typedef struct wpg_operand_walk {
    const wpg_module *module;
    const wpg_inst *inst;
    uint32_t state[8]; /* the walker's own */
    uint16_t at;
    bool malformed;
    wpg_operand_fault fault; /* not NONE exactly when malformed */
} wpg_operand_walk;

wpg_operand_walk wpg_operands(const wpg_module *module, const wpg_inst *inst);
bool wpg_operand_next(wpg_operand_walk *walk, wpg_operand *operand);

typedef struct wpg_opcode_info {
    const char *name; /* "OpIAdd" */
    bool has_type, has_result;
} wpg_opcode_info;

/* NULL for an opcode the table does not know. */
const wpg_opcode_info *wpg_opcode_lookup(uint16_t opcode);

typedef WPG_VEC(uint16_t) wpg_operand_list;

enum {
    WPG_USED_RUNS = 6500, /* the grammar table's opcodes are lower */
    WPG_SHORT_RUN = 8,    /* words that are written at once */
    WPG_RUN_STARTS = 18   /* a run starts behind the lead at the latest: WPG_MOST_LEAD + 2 */
};

/* By opcode: are the ids that an instruction uses one short run of its words? So it is with most. */
typedef struct wpg_used_run {
    uint8_t from;  /* first word of the run; 0: not so */
    uint8_t least; /* words that the instruction has at least */
    uint8_t more;  /* further words, at most */
    uint8_t odd;   /* 1: of these an even number alone */
    uint8_t fixed; /* 1 + ids of the run, where literals follow; 0: it goes on to the end */
} wpg_used_run;

extern const wpg_used_run wpg_used_runs[WPG_USED_RUNS + 1];          /* the last one is no run */
extern const uint16_t wpg_run_words[WPG_RUN_STARTS + WPG_SHORT_RUN]; /* 0, 1, 2, ... */

/* wpg_used_ids for what is no short run. */
bool wpg_used_ids_by_grammar(wpg_operand_list *list, const wpg_module *module, const wpg_inst *inst);

/* Indices in inst->words of every id that the instruction uses, apart from its result and result type. False
 * when memory ran out or the instruction does not fit the grammar. `list` is cleared first. Inline: most
 * passes ask it of every instruction. */
static inline bool wpg_used_ids(wpg_operand_list *list, const wpg_module *module, const wpg_inst *inst)
{
    const wpg_used_run *run = &wpg_used_runs[inst->opcode < WPG_USED_RUNS ? inst->opcode : WPG_USED_RUNS];
    const unsigned more = (unsigned)inst->count - run->least; /* huge where words are missing */
    if (!run->from || more > run->more || (more & run->odd) || list->capacity < WPG_SHORT_RUN)
        return wpg_used_ids_by_grammar(list, module, inst);
    memcpy(list->data, wpg_run_words + run->from, WPG_SHORT_RUN * sizeof *list->data);
    list->count = run->fixed ? run->fixed - 1u : (size_t)inst->count - run->from;
    return true;
}

#endif
