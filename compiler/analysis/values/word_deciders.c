/* See word_deciders.h. Two facts of each id, and of each variable of the shader's own:
 *
 *     varies   it may differ between invocations, or no constant propagation follows it
 *     words    the sites that it is computed of
 *
 * A variable has the facts of everything stored into it. First `varies` is solved, then `words`: a comparison
 * with what varies decides nothing, and drops its words. */
#include "compiler/analysis/values/word_deciders.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <string.h>

#include "compiler/spirv/builder.h"

typedef struct decider {
    const wpg_cfg *cfg;
    const wpg_module *module;
    const wpg_word_site *sites;
    uint32_t count, bound;
    uint64_t *words; /* [bound] */
    bool *varies;    /* [bound] */
    bool changed;
} decider;

static bool varies(const decider *d, uint32_t id)
{
    return id >= d->bound || d->varies[id];
}

static uint64_t words(const decider *d, uint32_t id)
{
    return id < d->bound ? d->words[id] : 0;
}

static void set_varies(decider *d, uint32_t id)
{
    if (id < d->bound && !d->varies[id])
        d->varies[id] = d->changed = true;
}

static void add_words(decider *d, uint32_t id, uint64_t more)
{
    if (id < d->bound && more & ~d->words[id]) {
        d->words[id] |= more;
        d->changed = true;
    }
}

/* The variable of the shader's own that a pointer leads to; 0: any other memory. */
static uint32_t own_variable(const wpg_module *module, uint32_t pointer)
{
    const wpg_inst *def = wpg_module_def(module, pointer);
    while (def && (def->opcode == SpvOpAccessChain || def->opcode == SpvOpInBoundsAccessChain ||
                   def->opcode == SpvOpCopyObject))
        def = wpg_module_def(module, def->words[3]);
    if (!def || def->opcode != SpvOpVariable)
        return 0;
    return def->words[3] == SpvStorageClassFunction || def->words[3] == SpvStorageClassPrivate ? def->result
                                                                                               : 0;
}

/* A load that is the same for all invocations of a draw or dispatch. */
static bool is_draw_load(const wpg_module *module, const wpg_inst *load)
{
    wpg_word_place place;
    const wpg_inst *variable =
        wpg_word_place_of(&place, module, load) ? wpg_module_def(module, place.variable) : NULL;
    return variable && variable->opcode == SpvOpVariable &&
           (variable->words[3] == SpvStorageClassUniform ||
            variable->words[3] == SpvStorageClassPushConstant);
}

static uint64_t site_at(const decider *d, const wpg_word_place *place)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (memcmp(&d->sites[i].place, place, sizeof *place) == 0)
            return UINT64_C(1) << i;
    return 0;
}

/* The site of component `c` of a vector; 0: none. */
static uint64_t site_of_part(const decider *d, const wpg_inst *vector, uint32_t c)
{
    wpg_word_place place;
    return wpg_word_place_of_part(&place, d->module, vector, c) ? site_at(d, &place) : 0;
}

/* The sites that a load, a part of one, or a cast or shuffle of one holds. */
static uint64_t sites_of(const decider *d, const wpg_inst *inst)
{
    const wpg_inst *type = wpg_module_def(d->module, inst->type);
    wpg_word_place place;
    uint64_t sites = 0;
    if (inst->opcode == SpvOpCompositeExtract)
        return inst->count == 5 ? site_of_part(d, wpg_module_def(d->module, inst->words[3]), inst->words[4])
                                : 0;
    if (type && type->opcode == SpvOpTypeVector) {
        for (uint32_t c = 0; c < type->words[3]; c++)
            sites |= site_of_part(d, inst, c);
        return sites;
    }
    return inst->opcode == SpvOpLoad && wpg_word_place_of(&place, d->module, inst) ? site_at(d, &place) : 0;
}

/* Is it a part of a vector that was loaded, cast or shuffled? Its site is known then. */
static bool is_traced(const decider *d, const wpg_inst *inst)
{
    uint32_t component;
    if (inst->opcode != SpvOpCompositeExtract || inst->count != 5)
        return false;
    const wpg_inst *load =
        wpg_word_trace(d->module, wpg_module_def(d->module, inst->words[3]), inst->words[4], &component);
    return load && is_draw_load(d->module, load);
}

/* Functions of GLSL.std.450 that make one weight of others. */
static bool mixes(uint32_t number)
{
    switch (number) {
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450FClamp:
    case GLSLstd450FMix:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450NClamp:
        return true;
    default:
        return false;
    }
}

typedef enum effect {
    UNKNOWN, /* not followed */
    MOVES,   /* moves values: operands [first, count), by steps */
    TESTS,   /* compares two numbers */
    JOINS,   /* of two Booleans: one alone may decide it */
} effect;

static effect effect_of(const wpg_inst *inst, unsigned *first, unsigned *step)
{
    const SpvOp opcode = (SpvOp)inst->opcode;
    *first = 3;
    *step = 1;
    switch (opcode) {
    case SpvOpExtInst:
        *first = 5;
        return mixes(inst->words[4]) ? MOVES : UNKNOWN;
    case SpvOpPhi:
        *step = 2;
        return MOVES;
    case SpvOpCompositeConstruct:
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpSelect:
    case SpvOpLogicalNot:
    case SpvOpBitcast:
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpNot:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpFNegate:
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
        return MOVES;
    case SpvOpLogicalAnd:
    case SpvOpLogicalOr:
    case SpvOpLogicalEqual:
    case SpvOpLogicalNotEqual:
        return JOINS;
    default:
        return opcode >= SpvOpIEqual && opcode <= SpvOpFUnordGreaterThanEqual ? TESTS : UNKNOWN;
    }
}

/* How many operands of a composite instruction are ids; the rest are indices. */
static unsigned ids_of(const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpCompositeExtract:
        return 1;
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
        return 2;
    default:
        return 0;
    }
}

static void visit_varies(decider *d, const wpg_inst *inst)
{
    unsigned first, step, ids = ids_of(inst), count = 0;
    uint32_t variable;
    if (inst->opcode == SpvOpStore) {
        variable = own_variable(d->module, inst->words[1]);
        if (variable && varies(d, inst->words[2]))
            set_varies(d, variable);
        return;
    }
    if (!inst->result || inst->opcode == SpvOpVariable || varies(d, inst->result))
        return;
    if (inst->opcode == SpvOpLoad) {
        variable = own_variable(d->module, inst->words[3]);
        if (variable ? varies(d, variable) : !is_draw_load(d->module, inst))
            set_varies(d, inst->result);
        return;
    }
    effect kind = effect_of(inst, &first, &step);
    if (kind == UNKNOWN && !ids) {
        set_varies(d, inst->result);
        return;
    }
    unsigned end = ids ? first + ids : inst->count;
    for (unsigned i = first; i < end && i < inst->count; i += step)
        count += varies(d, inst->words[i]);
    if (kind == JOINS ? count == 2 : count != 0)
        set_varies(d, inst->result);
}

static void visit_words(decider *d, const wpg_inst *inst)
{
    unsigned first, step, ids = ids_of(inst);
    uint32_t variable;
    if (inst->opcode == SpvOpStore) {
        variable = own_variable(d->module, inst->words[1]);
        add_words(d, variable, variable ? words(d, inst->words[2]) : 0);
        return;
    }
    if (!inst->result || inst->opcode == SpvOpVariable)
        return;
    if (inst->opcode == SpvOpLoad) {
        variable = own_variable(d->module, inst->words[3]);
        add_words(d, inst->result, variable ? words(d, variable) : sites_of(d, inst));
        return;
    }
    const bool traced = is_traced(d, inst);
    if (traced || inst->opcode == SpvOpBitcast || inst->opcode == SpvOpVectorShuffle)
        add_words(d, inst->result, sites_of(d, inst));
    if (traced)
        return;
    effect kind = effect_of(inst, &first, &step);
    if ((kind == UNKNOWN && !ids) || (kind == TESTS && varies(d, inst->result)))
        return;
    unsigned end = ids ? first + ids : inst->count;
    for (unsigned i = first; i < end && i < inst->count; i += step)
        add_words(d, inst->result, words(d, inst->words[i]));
}

static void solve(decider *d, void (*visit)(decider *, const wpg_inst *))
{
    do {
        d->changed = false;
        for (uint32_t i = 0; i < d->cfg->order_count; i++) {
            const wpg_block *block = &d->cfg->blocks[d->cfg->order[i]];
            for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next)
                visit(d, inst);
        }
    } while (d->changed);
}

/* The words that scale what varies by this instruction, or choose between two such values. */
static uint64_t weighs(const decider *d, const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpFMul:
    case SpvOpVectorTimesScalar:
    case SpvOpDot:
        return varies(d, inst->words[3]) != varies(d, inst->words[4])
                   ? words(d, inst->words[varies(d, inst->words[3]) ? 4 : 3])
                   : 0;
    case SpvOpExtInst:
        return inst->words[4] == GLSLstd450FMix && inst->count == 8 && varies(d, inst->result) &&
                       !varies(d, inst->words[7])
                   ? words(d, inst->words[7])
                   : 0;
    default:
        return 0;
    }
}

wpg_status wpg_word_deciders(uint64_t *deciding, uint64_t *weighing, const wpg_cfg *cfg,
                             const wpg_word_site *sites, uint32_t count, wpg_arena *arena)
{
    decider d = {.cfg = cfg,
                 .module = cfg->module,
                 .sites = sites,
                 .count = count < 64 ? count : 64,
                 .bound = cfg->module->bound,
                 .words = WPG_ARENA_ARRAY(arena, uint64_t, cfg->module->bound),
                 .varies = WPG_ARENA_ARRAY(arena, bool, cfg->module->bound)};
    *deciding = *weighing = 0;
    if (!d.words || !d.varies)
        return WPG_E_NOMEM;
    if (!count)
        return WPG_OK;
    solve(&d, visit_varies);
    solve(&d, visit_words);
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const wpg_inst *end = cfg->blocks[cfg->order[i]].terminator;
        if (end->opcode == SpvOpBranchConditional || end->opcode == SpvOpSwitch)
            *deciding |= words(&d, end->words[1]);
        for (const wpg_inst *inst = cfg->blocks[cfg->order[i]].label->next; inst != end; inst = inst->next)
            *weighing |= weighs(&d, inst);
    }
    return WPG_OK;
}
