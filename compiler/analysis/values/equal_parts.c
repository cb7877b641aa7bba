/* See equal_parts.h.
 *
 *     u = block.radius          given: (1, 1, 1)
 *     v = exp(-u * distance)    one number, three times: drivers that see the components apart compute it
 *                               three times, and once if they see that u.x, u.y and u.z are one value
 *
 * Every vector is taken to be such at first. What is not computed of such ones alone is taken out, until
 * nothing changes: so variables of loops that start and go on as such ones stay. */
#include "compiler/analysis/values/equal_parts.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <string.h>

#include "compiler/spirv/builder.h"
#include "compiler/spirv/grammar.h"

typedef WPG_VEC(const wpg_inst *) candidate_list; /* that may take something out, in the order of the walk */

typedef struct finder {
    const wpg_equal_parts *of;
    const wpg_module *module;
    const bool *given;
    bool *equal;
    wpg_operand_list *operands;
} finder;

static uint32_t parts_of(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = wpg_module_def(module, type);
    return def && def->opcode == SpvOpTypeVector ? def->words[3] : 0;
}

static bool is_function_by_component(uint32_t number)
{
    return (number >= GLSLstd450Round && number <= GLSLstd450InverseSqrt) ||
           (number >= GLSLstd450FMin && number <= GLSLstd450Fma && number != GLSLstd450IMix) ||
           (number >= GLSLstd450NMin && number <= GLSLstd450NClamp) || number == GLSLstd450Ldexp;
}

bool wpg_is_by_component(const wpg_module *module, const wpg_inst *inst)
{
    const uint16_t opcode = inst->opcode;
    switch ((SpvOp)opcode) {
    case SpvOpExtInst:
        return inst->count > 5 && is_function_by_component(inst->words[4]) &&
               wpg_is_glsl_set(module, inst->words[3]);
    case SpvOpBitcast: {
        const wpg_inst *of = wpg_module_def(module, inst->words[3]);
        return of && parts_of(module, of->type) == parts_of(module, inst->type);
    }
    case SpvOpVectorTimesScalar:
    case SpvOpSelect:
    case SpvOpPhi:
    case SpvOpCopyObject:
    case SpvOpFNegate:
    case SpvOpSNegate:
    case SpvOpNot:
        return true;
    default:
        /* Conversions, arithmetic, comparisons: each range of numbers holds nothing else. */
        return (opcode >= SpvOpConvertFToU && opcode <= SpvOpQuantizeToF16) ||
               (opcode >= SpvOpIAdd && opcode <= SpvOpFMod) ||
               (opcode >= SpvOpIsNan && opcode <= SpvOpIsInf) ||
               (opcode >= SpvOpLogicalEqual && opcode <= SpvOpFUnordGreaterThanEqual) ||
               (opcode >= SpvOpShiftRightLogical && opcode <= SpvOpBitwiseAnd);
    }
}

/* -- Values -- */

static bool is_equal_constant(const wpg_inst *def)
{
    if (def->opcode == SpvOpConstantNull)
        return true;
    if (def->opcode != SpvOpConstantComposite)
        return false;
    for (uint32_t i = 4; i < def->count; i++)
        if (def->words[i] != def->words[3])
            return false;
    return true;
}

/* Scalars count as such vectors. */
static bool is_equal(const finder *f, uint32_t id)
{
    if (id < f->of->bound && f->equal[id])
        return true;
    const wpg_inst *def = wpg_module_def(f->module, id);
    return def && def->type && (!parts_of(f->module, def->type) || is_equal_constant(def));
}

/* The vector that a scalar is a component of, if its components are equal; else the scalar. */
static uint32_t source_of(const finder *f, uint32_t id)
{
    const wpg_inst *def = wpg_module_def(f->module, id);
    if (!def || def->opcode != SpvOpCompositeExtract || def->count != 5)
        return id;
    const wpg_inst *from = wpg_module_def(f->module, def->words[3]);
    return from && parts_of(f->module, from->type) && is_equal(f, def->words[3]) ? def->words[3] : id;
}

static bool is_equal_construct(const finder *f, const wpg_inst *inst)
{
    for (unsigned i = 3; i < inst->count; i++)
        if (source_of(f, inst->words[i]) != source_of(f, inst->words[3]) || !is_equal(f, inst->words[i]))
            return false;
    return true;
}

/* All components come from one vector of equal ones. */
static bool is_equal_shuffle(const finder *f, const wpg_inst *inst)
{
    const wpg_inst *one = wpg_module_def(f->module, inst->words[3]);
    const uint32_t parts = one ? parts_of(f->module, one->type) : 0;
    bool first = true, second = true;
    for (unsigned i = 5; i < inst->count; i++) {
        first &= inst->words[i] < parts || (inst->words[3] == inst->words[4] && inst->words[i] != UINT32_MAX);
        second &= inst->words[i] >= parts && inst->words[i] != UINT32_MAX;
    }
    return (first && is_equal(f, inst->words[3])) || (second && is_equal(f, inst->words[4]));
}

static bool is_equal_phi(const finder *f, const wpg_inst *phi)
{
    for (uint32_t i = 3; i + 1 < phi->count; i += 2) {
        const uint32_t from = wpg_cfg_find(f->of->cfg, phi->words[i + 1]);
        if (from != WPG_NO_BLOCK && (!f->of->runs || f->of->runs[from]) && !is_equal(f, phi->words[i]))
            return false;
    }
    return true;
}

/* The first operand of such an operation that is a value. */
static unsigned first_value(const wpg_inst *inst)
{
    return inst->opcode == SpvOpExtInst ? 5 : 3;
}

static bool gives_equal(const finder *f, const wpg_inst *inst)
{
    bool equal;
    if (f->given && f->given[inst->result])
        return true;
    switch (inst->opcode) {
    case SpvOpPhi:
        return is_equal_phi(f, inst);
    case SpvOpCompositeConstruct:
        return is_equal_construct(f, inst);
    case SpvOpVectorShuffle:
        return is_equal_shuffle(f, inst);
    case SpvOpLoad:
        return wpg_module_opcode_of(f->module, inst->words[3]) == SpvOpVariable &&
               inst->words[3] < f->of->bound && f->equal[inst->words[3]];
    default:
        equal = wpg_is_by_component(f->module, inst);
        for (unsigned i = first_value(inst); equal && i < inst->count; i++)
            equal = is_equal(f, inst->words[i]);
        return equal;
    }
}

/* -- Variables of the shader's own -- */

static void start_variable(const finder *f, const wpg_inst *variable)
{
    const wpg_inst *pointer = wpg_module_def(f->module, variable->type);
    f->equal[variable->result] = pointer && variable->count == 4 && parts_of(f->module, pointer->words[3]);
}

/* Takes out variables that are used otherwise than by loads and stores of the whole. False: the instruction
 * is not known. */
static bool leave_variables(const finder *f, const wpg_inst *inst)
{
    if (!wpg_used_ids(f->operands, f->module, inst))
        return false;
    for (size_t i = 0; i < f->operands->count; i++) {
        const uint16_t at = f->operands->data[i];
        const uint32_t id = inst->words[at];
        const bool whole = (inst->opcode == SpvOpLoad && at == 3) || (inst->opcode == SpvOpStore && at == 1);
        if (!whole && id < f->of->bound && f->equal[id] &&
            wpg_module_opcode_of(f->module, id) == SpvOpVariable)
            f->equal[id] = false;
    }
    return true;
}

/* -- The walk -- */

static bool lower(finder *f, uint32_t id)
{
    const bool was = f->equal[id];
    f->equal[id] = false;
    return was;
}

static bool visit(finder *f, const wpg_inst *inst)
{
    if (inst->opcode == SpvOpStore)
        return inst->words[1] < f->of->bound && f->equal[inst->words[1]] && !is_equal(f, inst->words[2]) &&
               lower(f, inst->words[1]);
    return inst->result && inst->result < f->of->bound && f->equal[inst->result] &&
           inst->opcode != SpvOpVariable && !gives_equal(f, inst) && lower(f, inst->result);
}

static bool start(const finder *f)
{
    const wpg_cfg *cfg = f->of->cfg;
    bool any_variable = f->module->has_unknown; /* what is not known has to be found */
    for (uint32_t b = 0; b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label->next; inst != cfg->blocks[b].terminator;
             inst = inst->next)
            if (inst->result && inst->result < f->of->bound && inst->opcode == SpvOpVariable) {
                start_variable(f, inst);
                any_variable |= f->equal[inst->result];
            } else if (inst->result && inst->result < f->of->bound) {
                f->equal[inst->result] = parts_of(f->module, inst->type) != 0;
            }
    for (uint32_t b = 0; any_variable && b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label->next; inst != cfg->blocks[b].terminator;
             inst = inst->next)
            if (!leave_variables(f, inst))
                return false;
    return true;
}

/* The id whose place in `equal` hangs on the instruction. */
static uint32_t into_of(const wpg_inst *inst)
{
    return inst->opcode == SpvOpStore ? inst->words[1] : inst->result;
}

static bool list_candidates(candidate_list *list, const finder *f)
{
    const wpg_cfg *cfg = f->of->cfg;
    for (uint32_t o = 0; o < cfg->order_count; o++) {
        const uint32_t b = cfg->order[o];
        for (const wpg_inst *inst = cfg->blocks[b].label->next;
             (!f->of->runs || f->of->runs[b]) && inst != cfg->blocks[b].terminator; inst = inst->next) {
            const uint32_t into = into_of(inst);
            if (into && into < f->of->bound && f->equal[into] && inst->opcode != SpvOpVariable &&
                !wpg_vec_push(list, inst)) /* NOLINT(bugprone-sizeof-expression) */
                return false;
        }
    }
    return true;
}

/* Takes out of `equal`, which holds all that may be, what is not. The list keeps what stays, and `gone` (may
 * be NULL) gets the rest. */
static bool find(bool *equal, const wpg_equal_parts *parts, const bool *given, candidate_list *list,
                 candidate_list *gone)
{
    finder f = {.of = parts, .module = parts->cfg->module, .given = given, .equal = equal};
    bool fits = true;
    for (bool changed = true; changed;) {
        size_t kept = 0;
        changed = false;
        for (size_t i = 0; i < list->count; i++) {
            const wpg_inst *inst = list->data[i];
            changed |= visit(&f, inst);
            if (equal[into_of(inst)])
                list->data[kept++] = inst;
            else if (gone)
                fits &= wpg_vec_push(gone, inst); /* NOLINT(bugprone-sizeof-expression) */
        }
        list->count = kept;
    }
    return fits;
}

/* -- What it rests on -- */

static uint64_t words_behind(const wpg_equal_parts *parts, const wpg_inst *inst, wpg_operand_list *operands)
{
    uint64_t words = inst->result && parts->given[inst->result] ? parts->words[inst->result] : 0;
    (void)wpg_used_ids(operands, parts->cfg->module, inst);
    for (size_t i = 0; i < operands->count; i++) {
        const uint32_t id = inst->words[operands->data[i]];
        words |= id < parts->bound ? parts->rests[id] : 0;
    }
    return words;
}

/* The list has all that makes merged ones. */
static void find_rests(const wpg_equal_parts *parts, const candidate_list *list, wpg_operand_list *operands)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < list->count; i++) {
            const wpg_inst *inst = list->data[i];
            const uint32_t into = into_of(inst);
            const uint64_t rests = parts->rests[into] | words_behind(parts, inst, operands);
            changed |= rests != parts->rests[into];
            parts->rests[into] = rests;
        }
    }
}

bool wpg_equal_parts_find(wpg_equal_parts *parts)
{
    const uint32_t bound = parts->bound;
    bool *before = WPG_ARENA_ARRAY(parts->arena, bool, bound + 1u);
    parts->equal = WPG_ARENA_ARRAY(parts->arena, bool, bound + 1u);
    parts->merged = WPG_ARENA_ARRAY(parts->arena, bool, bound + 1u);
    parts->rests = WPG_ARENA_ARRAY(parts->arena, uint64_t, bound + 1u);
    if (!before || !parts->equal || !parts->merged || !parts->rests)
        return false;
    wpg_operand_list operands = {0};
    const finder f = {.of = parts, .module = parts->cfg->module, .equal = before, .operands = &operands};
    if (!start(&f))
        memset(before, 0, bound * sizeof *before);
    memcpy(parts->equal, before, bound * sizeof *before);
    /* What is equal if nothing is given stays so: only the others are asked again. */
    candidate_list list = {0}, others = {0};
    const bool fits = list_candidates(&list, &f) && find(before, parts, NULL, &list, &others) &&
                      find(parts->equal, parts, parts->given, &others, NULL);
    for (uint32_t id = 0; id < bound; id++)
        parts->merged[id] = parts->equal[id] && !before[id];
    if (fits && parts->given && parts->words)
        find_rests(parts, &others, &operands);
    wpg_vec_free(&operands);
    wpg_vec_free(&list);
    wpg_vec_free(&others);
    return fits;
}
