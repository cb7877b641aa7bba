/* The operand walker over the committed grammar table (grammar_table.inc). Any words may be walked: every
 * read is checked against the instruction's word count, and every id before its definition is looked up.
 * Threads: constant data. Sources: SPIR-V 1.6, section 3 (instruction and enumerant operands), 2.2.1
 * (literals), 3.32.2 OpSpecConstantOp. */
#include "compiler/spirv/grammar.h"

#include <string.h>

#include "compiler/spirv/grammar_table.h"

static const uint8_t patterns[] = {
#define WPG_TABLE_PATTERNS
#include "compiler/spirv/grammar_table.inc"
    /* Runs of the walker's own, see ANY_* below. */
    WPG_PATTERN_ID | WPG_PATTERN_REPEATED,
    WPG_PATTERN_LITERAL | WPG_PATTERN_REPEATED,
    WPG_PATTERN_STRING | WPG_PATTERN_REPEATED,
};
enum { ANY_IDS = sizeof patterns - 3, ANY_LITERALS, ANY_STRINGS };
_Static_assert(sizeof patterns < 65536, "pattern indices are 16-bit");
_Static_assert((int)WPG_PATTERN_SEMANTICS == (int)WPG_OPERAND_SEMANTICS &&
                   (int)WPG_PATTERN_LITERAL == (int)WPG_OPERAND_LITERAL,
               "the walker turns the first patterns into operand kinds as they are");

typedef struct opcode_row {
    wpg_opcode_info info;
    uint16_t at, count; /* run of patterns */
} opcode_row;

static const opcode_row rows[] = {
#define WPG_TABLE_OPCODE(opcode, name, at, count, type, result, lead, uses, rest)                            \
    {{name, type, result}, at, count},
#include "compiler/spirv/grammar_table.inc"
};

/* By opcode: what an instruction uses at a glance (grammar_table.h). */
static const struct glance {
    uint16_t uses;
    uint8_t end_of_lead; /* word behind it; 0: no such opcode */
    uint8_t rest;
} glances[] = {
#define WPG_TABLE_OPCODE(opcode, name, at, count, type, result, lead, uses, rest)                            \
    [opcode] = {uses, lead + 1, rest},
#include "compiler/spirv/grammar_table.inc"
};

enum row_number {
#define WPG_TABLE_OPCODE(opcode, name, at, count, type, result, lead, uses, rest) ROW_##opcode,
#include "compiler/spirv/grammar_table.inc"
};

/* Row number + 1, 0 for no such opcode. */
static const uint16_t row_of[] = {
#define WPG_TABLE_OPCODE(opcode, name, at, count, type, result, lead, uses, rest) [opcode] = ROW_##opcode + 1,
#include "compiler/spirv/grammar_table.inc"
};

typedef struct enumerant_row {
    uint16_t kind, count, at;
    uint32_t value;
} enumerant_row;

/* Sorted by kind, then value. */
static const enumerant_row enumerants[] = {
#define WPG_TABLE_ENUMERANT(kind, value, at, count) {kind, count, at, value},
#include "compiler/spirv/grammar_table.inc"
};

static const bool kind_is_mask[WPG_PATTERN_KINDS] = {
#define WPG_TABLE_KIND(kind, is_mask, name) [kind] = is_mask,
#include "compiler/spirv/grammar_table.inc"
};

typedef struct ext_inst_row {
    const char *set;
    uint32_t number;
    uint16_t at, count;
} ext_inst_row;

static const ext_inst_row ext_insts[] = {
#define WPG_TABLE_EXT_INST(set, number, at, count) {set, number, at, count},
#include "compiler/spirv/grammar_table.inc"
};

static const opcode_row *find_row(uint32_t opcode)
{
    if (opcode == WPG_OP_EXT_INST_WITH_FORWARD_REFS)
        opcode = SpvOpExtInst;
    return opcode < sizeof row_of / sizeof *row_of && row_of[opcode] ? &rows[row_of[opcode] - 1] : NULL;
}

const wpg_opcode_info *wpg_opcode_lookup(uint16_t opcode)
{
    const opcode_row *row = find_row(opcode);
    return row ? &row->info : NULL;
}

static const enumerant_row *find_enumerant(unsigned kind, uint32_t value)
{
    size_t low = 0, high = sizeof enumerants / sizeof *enumerants;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const enumerant_row *row = &enumerants[middle];
        if (row->kind == kind && row->value == value)
            return row;
        if (row->kind < kind || (row->kind == kind && row->value < value))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* What wpg_operand_walk.state holds. */
enum {
    TOP_AT,  /* next pattern of the instruction */
    TOP_END, /* end of its run */
    SUB_AT,  /* next pattern of an enumerant's parameters; they come first */
    SUB_END, /* */
    MASK,    /* mask bits whose parameters are still to come */
    MASK_KIND /* */,
    SECOND, /* pattern of a pair's second half + 1 when the first half was given */
};

wpg_operand_walk wpg_operands(const wpg_module *module, const wpg_inst *inst)
{
    wpg_operand_walk walk = {.module = module, .inst = inst, .at = 1};
    const opcode_row *row = find_row(inst->opcode);
    if (row) {
        walk.state[TOP_AT] = row->at;
        walk.state[TOP_END] = (uint32_t)row->at + row->count;
    } else {
        walk.malformed = true;
        walk.fault = WPG_OPERAND_FAULT_UNKNOWN;
    }
    return walk;
}

static bool stop(wpg_operand_walk *walk, wpg_operand_fault fault)
{
    walk->malformed = true;
    walk->fault = fault;
    return false;
}

static bool give(wpg_operand_walk *walk, wpg_operand *operand, wpg_operand_kind kind, uint32_t count)
{
    if (count > (uint32_t)(walk->inst->count - walk->at))
        return stop(walk, WPG_OPERAND_FAULT_TRUNCATED);
    *operand = (wpg_operand){.kind = kind, .at = walk->at, .count = (uint16_t)count};
    walk->at = (uint16_t)(walk->at + count);
    return true;
}

static bool give_string(wpg_operand_walk *walk, wpg_operand *operand)
{
    for (uint32_t end = walk->at; end < walk->inst->count; end++) {
        uint32_t word = walk->inst->words[end];
        if (!(word & 0xff) || !(word & 0xff00) || !(word & 0xff0000) || !(word & 0xff000000))
            return give(walk, operand, WPG_OPERAND_STRING, end - walk->at + 1);
    }
    return stop(walk, WPG_OPERAND_FAULT_STRING);
}

/* Words of a literal of that scalar type, 0 if the type is none that we know. */
static uint32_t literal_words(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = wpg_module_def(module, type);
    if (!def || (def->opcode != SpvOpTypeInt && def->opcode != SpvOpTypeFloat) || def->count < 3)
        return 0;
    uint32_t width = def->words[2];
    return width ? width / 32 + (width % 32 != 0) : 1;
}

/* OpConstant, OpSpecConstant. Of a type that is no known number, the literal is the rest. */
static bool give_typed_literal(wpg_operand_walk *walk, wpg_operand *operand)
{
    uint32_t words = literal_words(walk->module, walk->inst->type);
    return give(walk, operand, WPG_OPERAND_LITERAL, words ? words : (uint32_t)(walk->inst->count - walk->at));
}

/* OpSwitch: literals as wide as the selector. */
static bool give_case(wpg_operand_walk *walk, wpg_operand *operand)
{
    const wpg_inst *selector = walk->inst->opcode == SpvOpSwitch && walk->inst->count > 1
                                   ? wpg_module_def(walk->module, walk->inst->words[1])
                                   : NULL;
    uint32_t words = selector ? literal_words(walk->module, selector->type) : 0;
    if (!words)
        return stop(walk, WPG_OPERAND_FAULT_UNKNOWN);
    walk->state[SECOND] = WPG_PATTERN_ID + 1;
    return give(walk, operand, WPG_OPERAND_LITERAL, words);
}

/* Parameters of an enumerant that the table does not know: these instructions say by their opcode what theirs
 * are. */
static bool unknown_parameters(wpg_operand_walk *walk)
{
    switch (walk->inst->opcode) {
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpExecutionMode:
        walk->state[SUB_AT] = ANY_LITERALS;
        break;
    case SpvOpDecorateId:
    case SpvOpExecutionModeId:
        walk->state[SUB_AT] = ANY_IDS;
        break;
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
        walk->state[SUB_AT] = ANY_STRINGS;
        break;
    default:
        /* Without further words there are no parameters to be unknown. */
        return walk->at == walk->inst->count || stop(walk, WPG_OPERAND_FAULT_UNKNOWN);
    }
    walk->state[SUB_END] = walk->state[SUB_AT] + 1;
    return true;
}

static bool open_enumerant(wpg_operand_walk *walk, unsigned kind, uint32_t value)
{
    const enumerant_row *row = find_enumerant(kind, value);
    if (!row)
        return unknown_parameters(walk);
    walk->state[SUB_AT] = row->at;
    walk->state[SUB_END] = (uint32_t)row->at + row->count;
    return true;
}

static bool give_enum(wpg_operand_walk *walk, wpg_operand *operand, unsigned kind)
{
    uint32_t value = walk->inst->words[walk->at];
    if (!give(walk, operand, WPG_OPERAND_ENUM, 1))
        return false;
    if (!kind_is_mask[kind])
        return open_enumerant(walk, kind, value);
    walk->state[MASK] = value;
    walk->state[MASK_KIND] = kind;
    return true;
}

static bool give_ext_inst(wpg_operand_walk *walk, wpg_operand *operand)
{
    uint32_t number = walk->inst->words[walk->at];
    const wpg_inst *import = wpg_module_def(walk->module, walk->inst->words[walk->at - 1]);
    walk->state[TOP_AT] = ANY_IDS;
    walk->state[TOP_END] = ANY_IDS + 1;
    const char *set = import && import->opcode == SpvOpExtInstImport ? wpg_inst_string(import, 2) : NULL;
    for (size_t i = 0; set && (*set == 'D' || *set == 'O') && i < sizeof ext_insts / sizeof *ext_insts; i++) {
        if (ext_insts[i].number == number && !strcmp(ext_insts[i].set, set)) {
            walk->state[TOP_AT] = ext_insts[i].at;
            walk->state[TOP_END] = (uint32_t)ext_insts[i].at + ext_insts[i].count;
        }
    }
    return give(walk, operand, WPG_OPERAND_LITERAL, 1);
}

/* The rest are the embedded opcode's operands, its type and result left out. */
static bool give_spec_op(wpg_operand_walk *walk, wpg_operand *operand)
{
    const opcode_row *row = find_row(walk->inst->words[walk->at]);
    if (!row || !row->info.has_type || !row->info.has_result)
        return stop(walk, WPG_OPERAND_FAULT_UNKNOWN);
    for (unsigned i = 2; i < row->count; i++) {
        unsigned kind = patterns[row->at + i] & WPG_PATTERN_KIND;
        if (kind == WPG_PATTERN_SPEC_OP || kind == WPG_PATTERN_EXT_INST || kind == WPG_PATTERN_TYPED_LITERAL)
            return stop(walk, WPG_OPERAND_FAULT_UNKNOWN);
    }
    walk->state[TOP_AT] = row->at + 2u;
    walk->state[TOP_END] = (uint32_t)row->at + row->count;
    return give(walk, operand, WPG_OPERAND_LITERAL, 1);
}

/* Opens the parameters of the mask's next bit. */
static bool next_mask_bit(wpg_operand_walk *walk)
{
    uint32_t bit = walk->state[MASK] & (0u - walk->state[MASK]);
    walk->state[MASK] ^= bit;
    const enumerant_row *row = find_enumerant(walk->state[MASK_KIND], bit);
    if (!row) {
        /* Parameters come in bit order, so nothing after an unknown bit can be told apart. */
        walk->state[MASK] = 0;
        return walk->at == walk->inst->count || stop(walk, WPG_OPERAND_FAULT_UNKNOWN);
    }
    walk->state[SUB_AT] = row->at;
    walk->state[SUB_END] = (uint32_t)row->at + row->count;
    return true;
}

static bool give_pattern(wpg_operand_walk *walk, wpg_operand *operand, unsigned kind)
{
    switch (kind) {
    case WPG_PATTERN_RESULT_TYPE:
    case WPG_PATTERN_RESULT:
    case WPG_PATTERN_ID:
    case WPG_PATTERN_SCOPE:
    case WPG_PATTERN_SEMANTICS:
        return give(walk, operand, (wpg_operand_kind)kind, 1);
    case WPG_PATTERN_LITERAL:
        return give(walk, operand, WPG_OPERAND_LITERAL, 1);
    case WPG_PATTERN_STRING:
        return give_string(walk, operand);
    case WPG_PATTERN_ENUM:
        return give(walk, operand, WPG_OPERAND_ENUM, 1);
    case WPG_PATTERN_TYPED_LITERAL:
        return give_typed_literal(walk, operand);
    case WPG_PATTERN_EXT_INST:
        return give_ext_inst(walk, operand);
    case WPG_PATTERN_SPEC_OP:
        return give_spec_op(walk, operand);
    case WPG_PATTERN_PAIR_LITERAL_ID:
        return give_case(walk, operand);
    case WPG_PATTERN_PAIR_ID_LITERAL:
        walk->state[SECOND] = WPG_PATTERN_LITERAL + 1;
        return give(walk, operand, WPG_OPERAND_ID, 1);
    case WPG_PATTERN_PAIR_ID_ID:
        walk->state[SECOND] = WPG_PATTERN_ID + 1;
        return give(walk, operand, WPG_OPERAND_ID, 1);
    default:
        return give_enum(walk, operand, kind);
    }
}

bool wpg_operand_next(wpg_operand_walk *walk, wpg_operand *operand)
{
    if (walk->malformed)
        return false;
    uint32_t *state = walk->state;
    /* The common case, for speed: one word of the instruction's own, neither optional nor repeated. */
    if (state[TOP_AT] < state[TOP_END] && patterns[state[TOP_AT]] < WPG_PATTERN_STRING &&
        walk->at < walk->inst->count && state[SUB_AT] == state[SUB_END] && !state[MASK] && !state[SECOND]) {
        *operand = (wpg_operand){(wpg_operand_kind)patterns[state[TOP_AT]++], walk->at++, 1};
        return true;
    }
    if (state[SECOND]) {
        unsigned kind = state[SECOND] - 1;
        state[SECOND] = 0;
        return give_pattern(walk, operand, kind);
    }
    for (;;) {
        unsigned level = state[SUB_AT] < state[SUB_END] ? SUB_AT : TOP_AT;
        if (level == TOP_AT && state[MASK]) {
            if (!next_mask_bit(walk))
                return false;
            continue;
        }
        bool more = walk->at < walk->inst->count;
        if (state[level] == state[level + 1])
            return more ? stop(walk, WPG_OPERAND_FAULT_UNKNOWN) : false;
        uint8_t pattern = patterns[state[level]];
        if (!(pattern & WPG_PATTERN_REPEATED) || !more)
            state[level]++;
        if (more)
            return give_pattern(walk, operand, pattern & WPG_PATTERN_KIND);
        if (!(pattern & (WPG_PATTERN_REPEATED | WPG_PATTERN_OPTIONAL)))
            return stop(walk, WPG_OPERAND_FAULT_TRUNCATED);
    }
}

/* Does the instruction use an extended instruction of debug information? These have operands of their own. */
static bool is_debug_set(const wpg_module *module, uint32_t set)
{
    const wpg_inst *import = wpg_module_def(module, set);
    const char first = import && import->opcode == SpvOpExtInstImport && import->count > 2
                           ? *(const char *)&import->words[2]
                           : 0;
    return first == 'D' || first == 'O';
}

/* Used ids at a glance, for speed: most instructions of functions. False: it does not tell. There is room for
 * every word. */
static bool list_plainly(wpg_operand_list *list, struct glance glance, const wpg_module *module,
                         const wpg_inst *inst)
{
    const unsigned end = inst->count;
    unsigned at = glance.end_of_lead;
    uint16_t *next = list->data;
    if (!at || end < at)
        return false;
    for (unsigned uses = glance.uses; uses; uses &= uses - 1)
        *next++ = (uint16_t)(__builtin_ctz(uses) + 1);
    switch (glance.rest) {
    case WPG_REST_NONE:
    case WPG_REST_OPTIONAL:
        if (end != at)
            return false;
        break;
    case WPG_REST_LITERALS:
        at = end;
        break;
    case WPG_REST_ID:
        if (end > at + 1)
            return false;
        break;
    case WPG_REST_IDS:
        break;
    case WPG_REST_ID_PAIRS:
        if ((end - at) % 2)
            return false;
        break;
    case WPG_REST_EXT_INST:
        if (end == at || is_debug_set(module, inst->words[at - 1]))
            return false;
        at++;
        break;
    default:
        return false;
    }
    for (; at < end; at++)
        *next++ = (uint16_t)at;
    list->count = (size_t)(next - list->data);
    return true;
}

/* Are the used words of the lead, if there are any, one run that ends with it? */
#define LOWEST(uses)         ((uses) & (0u - (uses)))
#define IS_RUN(lead, uses)   (!(uses) || (uses) + LOWEST(uses) == 1u << (lead))
#define RUN_FROM(lead, uses) ((uses) ? __builtin_ctz((uses) | 1u << 31) + 1 : (lead) + 1)
#define RUN_IDS(lead, uses)  ((lead) + 1 - RUN_FROM(lead, uses)) /* of the lead */
#define HAS_RUN(lead, uses, rest)                                                                            \
    (IS_RUN(lead, uses) && RUN_IDS(lead, uses) <= WPG_SHORT_RUN && (rest) != WPG_REST_OTHER &&               \
     (rest) != WPG_REST_EXT_INST)
/* Words behind the lead when that run and used ids, or literals, are all that the instruction has. */
#define RUN_ROOM(lead, uses) (RUN_IDS(lead, uses) < WPG_SHORT_RUN ? WPG_SHORT_RUN - RUN_IDS(lead, uses) : 0)
#define RUN_MORE(lead, uses, rest)                                                                           \
    ((rest) == WPG_REST_ID                                   ? RUN_ROOM(lead, uses) > 0                      \
     : (rest) == WPG_REST_LITERALS                           ? 255                                           \
     : (rest) == WPG_REST_IDS || (rest) == WPG_REST_ID_PAIRS ? RUN_ROOM(lead, uses)                          \
                                                             : 0)

const wpg_used_run wpg_used_runs[WPG_USED_RUNS + 1] = {
#define WPG_TABLE_OPCODE(opcode, name, at, count, type, result, lead, uses, rest)                            \
    [opcode] = {(uint8_t)(HAS_RUN(lead, uses, rest) ? RUN_FROM(lead, uses) : 0), lead + 1,                   \
                (uint8_t)RUN_MORE(lead, uses, rest), (rest) == WPG_REST_ID_PAIRS,                            \
                (uint8_t)((rest) == WPG_REST_LITERALS ? RUN_IDS(lead, uses) + 1 : 0)},
#include "compiler/spirv/grammar_table.inc"
};

const uint16_t wpg_run_words[WPG_RUN_STARTS + WPG_SHORT_RUN] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25};
_Static_assert(WPG_RUN_STARTS == WPG_MOST_LEAD + 2, "see grammar.h");

/* OpExtInst of another set than one of debug information. */
static bool list_ext_inst(wpg_operand_list *list, const wpg_module *module, const wpg_inst *inst)
{
    if (inst->opcode != SpvOpExtInst || list->capacity < WPG_SHORT_RUN || inst->count < 5 ||
        inst->count - 4u > WPG_SHORT_RUN || is_debug_set(module, inst->words[3]))
        return false;
    memcpy(list->data, wpg_run_words + 4, WPG_SHORT_RUN * sizeof *list->data);
    list->data[0] = 3; /* the set; word 4 is the function's number */
    list->count = inst->count - 4u;
    return true;
}

/* OpConstant, OpSpecConstant of a known number: a literal alone. */
static bool list_constant(wpg_operand_list *list, const wpg_module *module, const wpg_inst *inst)
{
    if ((inst->opcode != SpvOpConstant && inst->opcode != SpvOpSpecConstant) || inst->count < 4 ||
        inst->count - 3u != literal_words(module, inst->type))
        return false;
    wpg_vec_clear(list);
    return true;
}

/* Apart from wpg_used_ids_by_grammar, for speed: the walk takes much of the stack. */
__attribute__((noinline)) static bool list_by_walk(wpg_operand_list *list, const wpg_module *module,
                                                   const wpg_inst *inst)
{
    unsigned opcode = inst->opcode;
    wpg_vec_clear(list);
    if (!wpg_vec_reserve(list, inst->count > WPG_SHORT_RUN ? inst->count : WPG_SHORT_RUN))
        return false;
    opcode = opcode == WPG_OP_EXT_INST_WITH_FORWARD_REFS ? (unsigned)SpvOpExtInst : opcode;
    if (opcode < sizeof glances / sizeof *glances && list_plainly(list, glances[opcode], module, inst))
        return true;
    wpg_operand_walk walk = wpg_operands(module, inst);
    wpg_operand operand;
    while (wpg_operand_next(&walk, &operand)) {
        if (!wpg_operand_is_id(&operand) || operand.kind == WPG_OPERAND_RESULT ||
            operand.kind == WPG_OPERAND_RESULT_TYPE)
            continue;
        for (uint16_t i = 0; i < operand.count; i++)
            list->data[list->count++] = (uint16_t)(operand.at + i);
    }
    return !walk.malformed;
}

bool wpg_used_ids_by_grammar(wpg_operand_list *list, const wpg_module *module, const wpg_inst *inst)
{
    return list_ext_inst(list, module, inst) || list_constant(list, module, inst) ||
           list_by_walk(list, module, inst);
}
