/* See push_solve.h. Source: Wegman, Zadeck, "Constant Propagation with Conditional Branches" (TOPLAS 1991).
 *
 * Integers and booleans are computed, where SPIR-V defines the result. Of float operations those are computed
 * whose result is the same number everywhere (const_float.h). Any other operation on constants is "some
 * constant". */
#include "compiler/optimize/facts/push_solve.h"

#include <string.h>

#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"
#include "compiler/spirv/const_float.h"
#include "compiler/spirv/const_fold.h"

/* A block that runs: its instructions that do not vary, as far as is known. */
typedef struct open_block {
    bool is_read;
    size_t first, count; /* in solver.open */
} open_block;

typedef struct solver {
    wpg_solution *solution;
    const wpg_module *module;
    const wpg_cfg *cfg;
    const uint32_t *folded;
    const bool *hidden;
    open_block *blocks;             /* [cfg->count] */
    WPG_VEC(const wpg_inst *) open; /* most instructions vary at once: rounds go by lists of the others */
    bool changed, nomem;
} solver;

static wpg_solved varies(void)
{
    return (wpg_solved){.kind = WPG_SOLVED_VARIES};
}

static wpg_solved value(uint64_t bits)
{
    return (wpg_solved){.kind = WPG_SOLVED_VALUE, .bits = bits};
}

static wpg_solved of_constant(const wpg_module *module, uint32_t id)
{
    uint64_t bits;
    uint32_t width;
    if (wpg_const_value(module, id, &bits, &width))
        return (wpg_solved){WPG_SOLVED_VALUE, id, bits};
    return (wpg_solved){.kind = WPG_SOLVED_SOME, .constant = id};
}

static wpg_solved value_of(const solver *s, uint32_t id)
{
    if (id >= s->solution->view->bound)
        return varies();
    if (wpg_is_module_constant(s->module, id))
        return of_constant(s->module, id);
    return wpg_view_is_local(s->solution->view, id) ? s->solution->values[id] : varies();
}

static wpg_solved_kind kind_of(const solver *s, uint32_t id)
{
    if (id >= s->solution->view->bound)
        return WPG_SOLVED_VARIES;
    if (wpg_is_module_constant(s->module, id))
        return WPG_SOLVED_SOME; /* or VALUE */
    return wpg_view_is_local(s->solution->view, id) ? s->solution->values[id].kind : WPG_SOLVED_VARIES;
}

static wpg_solved meet(wpg_solved a, wpg_solved b)
{
    if (a.kind == WPG_SOLVED_NEVER)
        return b;
    if (b.kind == WPG_SOLVED_NEVER)
        return a;
    if (a.kind == WPG_SOLVED_VALUE && b.kind == WPG_SOLVED_VALUE && a.bits == b.bits)
        return a;
    if (a.kind == WPG_SOLVED_SOME && b.kind == WPG_SOLVED_SOME && a.constant && a.constant == b.constant)
        return a;
    return varies();
}

/* -- Edges */

static bool takes(const solver *s, uint32_t from, uint32_t to)
{
    const wpg_block *block = &s->cfg->blocks[from];
    const wpg_inst *end = block->terminator;
    if (!s->solution->runs[from])
        return false;
    if (end->opcode != SpvOpBranchConditional && end->opcode != SpvOpSwitch)
        return true;
    wpg_solved selector = value_of(s, end->words[1]);
    if (selector.kind == WPG_SOLVED_NEVER)
        return false;
    if (selector.kind != WPG_SOLVED_VALUE)
        return true;
    uint32_t target;
    if (end->opcode == SpvOpBranchConditional) {
        target = end->words[selector.bits ? 2 : 3];
    } else {
        const wpg_inst *def = wpg_module_def(s->module, end->words[1]);
        const wpg_inst *type = def ? wpg_module_def(s->module, def->type) : NULL;
        if (!type || type->opcode != SpvOpTypeInt || type->words[2] != 32)
            return true;
        target = end->words[2];
        for (uint32_t i = 3; i + 1 < end->count; i += 2)
            if (end->words[i] == (uint32_t)selector.bits) {
                target = end->words[i + 1];
                break;
            }
    }
    return s->cfg->blocks[to].id == target;
}

bool wpg_solution_takes(const wpg_solution *solution, uint32_t from, uint32_t to)
{
    solver s = {.solution = (wpg_solution *)(uintptr_t)solution,
                .module = solution->view->module,
                .cfg = solution->view->cfg};
    return takes(&s, from, to);
}

/* -- Instructions */

/* Width in bits of a scalar integer or bool type (1), 0 of any other. */
static uint32_t int_width(const wpg_module *module, uint32_t type)
{
    bool is_float, is_signed;
    uint32_t width = wpg_scalar_width(module, type, &is_float, &is_signed);
    return is_float ? 0 : width;
}

static uint32_t type_of(const wpg_module *module, uint32_t id)
{
    const wpg_inst *def = wpg_module_def(module, id);
    return def ? def->type : 0;
}

static bool is_f32(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = wpg_module_def(module, type);
    return def && def->opcode == SpvOpTypeFloat && def->words[2] == 32;
}

/* A 32-bit number: Zink's uniform blocks are words, and floats of them are bitcasts. */
static bool is_word(const wpg_module *module, uint32_t type)
{
    return is_f32(module, type) || int_width(module, type) == 32;
}

/* The value where one operand alone decides it. */
static bool decided(uint64_t *out, SpvOp opcode, wpg_solved a, wpg_solved b)
{
    bool zero = (a.kind == WPG_SOLVED_VALUE && a.bits == 0) || (b.kind == WPG_SOLVED_VALUE && b.bits == 0);
    bool one = (a.kind == WPG_SOLVED_VALUE && a.bits == 1) || (b.kind == WPG_SOLVED_VALUE && b.bits == 1);
    *out = opcode == SpvOpLogicalOr;
    if (opcode == SpvOpUMod || opcode == SpvOpSMod || opcode == SpvOpSRem)
        return b.kind == WPG_SOLVED_VALUE && b.bits == 1;
    return opcode == SpvOpLogicalOr
               ? one
               : zero && (opcode == SpvOpLogicalAnd || opcode == SpvOpBitwiseAnd || opcode == SpvOpIMul);
}

/* An integer or bool of one or two of them. */
static bool fold(uint64_t *out, const solver *s, const wpg_inst *inst, uint32_t width, const uint64_t *bits,
                 uint32_t count)
{
    uint32_t widths[3] = {0};
    for (uint32_t i = 0; i < count; i++)
        widths[i] = int_width(s->module, type_of(s->module, inst->words[3 + i]));
    return wpg_fold_scalar(out, (SpvOp)inst->opcode, width, bits, widths, count);
}

static wpg_solved part_of_constant(const solver *s, uint32_t id, uint32_t index)
{
    const wpg_inst *def = wpg_module_def(s->module, id);
    if (def && def->opcode == SpvOpConstantNull)
        return value(0);
    return def && def->opcode == SpvOpConstantComposite && index < def->count - 3u
               ? of_constant(s->module, def->words[3 + index])
               : (wpg_solved){.kind = WPG_SOLVED_SOME};
}

/* Number of components of a vector of 32-bit integers; 0: it is none. */
static uint32_t int_components(const wpg_module *module, uint32_t id)
{
    const wpg_inst *type = wpg_module_def(module, type_of(module, id));
    return type && type->opcode == SpvOpTypeVector && int_width(module, type->words[2]) == 32 ? type->words[3]
                                                                                              : 0;
}

/* Component `index` of the vector `id`, through what only moves components. */
static wpg_solved component(const solver *s, uint32_t id, uint32_t index, unsigned depth)
{
    const wpg_inst *inst = wpg_module_def(s->module, id);
    wpg_solved whole = value_of(s, id);
    if (!inst || depth > 16 || whole.kind == WPG_SOLVED_NEVER)
        return whole;
    if (whole.constant)
        return part_of_constant(s, whole.constant, index);
    uint32_t width = int_components(s->module, id), from;
    switch (width && wpg_view_is_local(s->solution->view, id) ? (SpvOp)inst->opcode : SpvOpNop) {
    case SpvOpCopyObject:
        return component(s, inst->words[3], index, depth + 1);
    case SpvOpBitcast:
        if (int_components(s->module, inst->words[3]) == width)
            return component(s, inst->words[3], index, depth + 1);
        break;
    case SpvOpVectorShuffle:
        from = int_components(s->module, inst->words[3]);
        if (inst->count > 5 + index && from && inst->words[5 + index] != UINT32_MAX)
            return inst->words[5 + index] < from
                       ? component(s, inst->words[3], inst->words[5 + index], depth + 1)
                       : component(s, inst->words[4], inst->words[5 + index] - from, depth + 1);
        break;
    case SpvOpCompositeConstruct:
        if (inst->count == 3 + width)
            return value_of(s, inst->words[3 + index]);
        break;
    case SpvOpCompositeInsert:
        if (inst->count == 6)
            return inst->words[5] == index ? value_of(s, inst->words[3])
                                           : component(s, inst->words[4], index, depth + 1);
        break;
    default:
        break;
    }
    return whole;
}

static wpg_solved extract(const solver *s, const wpg_inst *inst)
{
    wpg_solved whole = value_of(s, inst->words[3]);
    uint32_t id = whole.constant;
    if (inst->count == 5 && int_components(s->module, inst->words[3]))
        return component(s, inst->words[3], inst->words[4], 0);
    const uint32_t member = whole.kind == WPG_SOLVED_NEVER ? 0 : wpg_member_taken_out(s->module, inst);
    if (member)
        return value_of(s, member);
    if (whole.kind == WPG_SOLVED_NEVER || whole.kind == WPG_SOLVED_VARIES)
        return whole;
    for (uint32_t i = 4; id && i < inst->count; i++) {
        const wpg_inst *def = wpg_module_def(s->module, id);
        uint32_t index = inst->words[i];
        id = def && def->opcode == SpvOpConstantComposite && index < def->count - 3u ? def->words[3 + index]
                                                                                     : 0;
    }
    return id ? of_constant(s->module, id) : (wpg_solved){.kind = WPG_SOLVED_SOME};
}

/* Arithmetic of known floats without a rounding: a weight made of others. */
static bool exact_float(uint64_t *bits, const solver *s, const wpg_inst *inst)
{
    const uint32_t first = inst->opcode == SpvOpExtInst ? 5 : 3, count = inst->count - first;
    uint64_t operands[WPG_FLOAT_OPERANDS];
    if (inst->count <= first || count > WPG_FLOAT_OPERANDS || !is_f32(s->module, inst->type))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        wpg_solved operand = value_of(s, inst->words[first + i]);
        if (operand.kind != WPG_SOLVED_VALUE ||
            !is_word(s->module, type_of(s->module, inst->words[first + i])))
            return false;
        operands[i] = operand.bits;
    }
    return wpg_fold_exact_float(bits, (SpvOp)inst->opcode, first == 5 ? inst->words[4] : 0, operands, count);
}

/* Is it a float zero that was computed? Its sign may differ. */
static bool is_computed_zero(const wpg_module *module, const wpg_inst *cast, wpg_solved value)
{
    return !value.constant && (value.bits & 0x7fffffff) == 0 &&
           is_f32(module, type_of(module, cast->words[3])) && !is_f32(module, cast->type);
}

static wpg_solved compute(const solver *s, const wpg_inst *inst)
{
    SpvOp opcode = (SpvOp)inst->opcode;
    uint32_t width = int_width(s->module, inst->type);
    uint64_t bits;
    if (opcode == SpvOpCopyObject)
        return value_of(s, inst->words[3]);
    if (opcode == SpvOpCompositeExtract && inst->count > 4)
        return extract(s, inst);
    if (opcode == SpvOpSelect) {
        wpg_solved condition = value_of(s, inst->words[3]);
        if (condition.kind == WPG_SOLVED_VALUE)
            return value_of(s, inst->words[condition.bits ? 4 : 5]);
    }
    wpg_solved a = inst->count > 3 ? value_of(s, inst->words[3]) : varies();
    if (opcode == SpvOpBitcast && a.kind == WPG_SOLVED_VALUE && is_word(s->module, inst->type) &&
        is_word(s->module, type_of(s->module, inst->words[3])) && !is_computed_zero(s->module, inst, a))
        return value(a.bits);
    if (inst->count == 4 && width && a.kind == WPG_SOLVED_VALUE) {
        if (width == 32 && is_f32(s->module, type_of(s->module, inst->words[3])) &&
            wpg_fold_float_to_int(&bits, opcode, a.bits))
            return value(bits);
        return fold(&bits, s, inst, width, &a.bits, 1) ? value(bits) : (wpg_solved){.kind = WPG_SOLVED_SOME};
    }
    if (inst->count == 5 && width) {
        wpg_solved b = value_of(s, inst->words[4]);
        if (decided(&bits, opcode, a, b))
            return value(bits);
        if (a.kind == WPG_SOLVED_VALUE && b.kind == WPG_SOLVED_VALUE) {
            if (fold(&bits, s, inst, width, (const uint64_t[]){a.bits, b.bits}, 2))
                return value(bits);
            if (is_f32(s->module, type_of(s->module, inst->words[3])) &&
                wpg_fold_float_comparison(&bits, opcode, a.bits, b.bits))
                return value(bits);
        }
    }
    if (inst->count == 6 && width) {
        wpg_solved b = value_of(s, inst->words[4]), third = value_of(s, inst->words[5]);
        if (a.kind == WPG_SOLVED_VALUE && b.kind == WPG_SOLVED_VALUE && third.kind == WPG_SOLVED_VALUE &&
            fold(&bits, s, inst, width, (const uint64_t[]){a.bits, b.bits, third.bits}, 3))
            return value(bits);
    }
    return exact_float(&bits, s, inst) ? value(bits) : (wpg_solved){.kind = WPG_SOLVED_SOME};
}

static bool any_varies(const solver *s, const wpg_inst *inst, const wpg_operand_list *operands)
{
    for (size_t i = 0; i < operands->count; i++) {
        const uint32_t id = inst->words[operands->data[i]];
        if (kind_of(s, id) == WPG_SOLVED_VARIES && wpg_module_opcode_of(s->module, id) != SpvOpExtInstImport)
            return true;
    }
    return false;
}

static wpg_solved evaluate(const solver *s, const wpg_inst *inst, wpg_operand_list *operands)
{
    if (s->folded && s->folded[inst->result])
        return of_constant(s->module, s->folded[inst->result]);
    unsigned traits = wpg_inst_traits(s->module, inst);
    if (!(traits & WPG_TRAIT_PURE) || (traits & WPG_TRAIT_READS) ||
        !wpg_used_ids(operands, s->module, inst) || operands->count == 0)
        return varies();
    if ((traits & WPG_TRAIT_FLOAT) && any_varies(s, inst, operands)) /* no float operand decides alone */
        return varies();
    wpg_solved result = compute(s, inst);
    /* A value that one operand decides stands; else one that varies decides, then one not reached. */
    if (result.kind == WPG_SOLVED_VALUE)
        return result;
    bool chosen = inst->opcode == SpvOpSelect && value_of(s, inst->words[3]).kind == WPG_SOLVED_VALUE;
    if (chosen || inst->opcode == SpvOpCopyObject || inst->opcode == SpvOpCompositeExtract)
        return result;
    bool never = false;
    for (size_t i = 0; i < operands->count; i++) {
        uint32_t id = inst->words[operands->data[i]];
        if (wpg_module_opcode_of(s->module, id) == SpvOpExtInstImport)
            continue;
        wpg_solved_kind kind = kind_of(s, id);
        if (kind == WPG_SOLVED_VARIES)
            return varies();
        never |= kind == WPG_SOLVED_NEVER;
    }
    return never ? (wpg_solved){.kind = WPG_SOLVED_NEVER} : result;
}

static wpg_solved join(const solver *s, const wpg_inst *phi, uint32_t block)
{
    wpg_solved all = {.kind = WPG_SOLVED_NEVER};
    for (uint32_t i = 3; i + 1 < phi->count; i += 2) {
        uint32_t from = wpg_cfg_find(s->cfg, phi->words[i + 1]);
        if (from != WPG_NO_BLOCK && takes(s, from, block))
            all = meet(all, value_of(s, phi->words[i]));
    }
    return all;
}

/* Values only go down: never, one, varies. */
static void lower(solver *s, uint32_t id, wpg_solved to)
{
    wpg_solved *now = &s->solution->values[id];
    wpg_solved both = meet(*now, to);
    /* "Some constant" without a name stays what it is when it is found again. */
    if (now->kind == WPG_SOLVED_SOME && to.kind == WPG_SOLVED_SOME && !to.constant && !now->constant)
        both = *now;
    if (both.kind != now->kind || both.bits != now->bits) {
        *now = both;
        s->changed = true;
    }
}

/* False: it varies, and no round looks at it again. */
static bool visit_inst(solver *s, const wpg_inst *inst, uint32_t index, wpg_operand_list *operands)
{
    if (!inst->result || inst->result >= s->solution->view->bound ||
        s->solution->values[inst->result].kind == WPG_SOLVED_VARIES)
        return false;
    lower(s, inst->result,
          s->hidden && s->hidden[inst->result] ? varies()
          : inst->opcode == SpvOpPhi           ? join(s, inst, index)
                                               : evaluate(s, inst, operands));
    return s->solution->values[inst->result].kind != WPG_SOLVED_VARIES;
}

static void visit(solver *s, uint32_t index, wpg_operand_list *operands)
{
    const wpg_block *block = &s->cfg->blocks[index];
    open_block *open = &s->blocks[index];
    if (!open->is_read) {
        *open = (open_block){.is_read = true, .first = s->open.count};
        for (const wpg_inst *inst = block->label->next; inst && inst != block->terminator; inst = inst->next)
            if (visit_inst(s, inst, index, operands))
                s->nomem |= !wpg_vec_push(&s->open, inst); /* NOLINT(bugprone-sizeof-expression) */
        open->count = s->open.count - open->first;
    } else {
        size_t left = open->first;
        for (size_t i = open->first; i < open->first + open->count; i++)
            if (visit_inst(s, s->open.data[i], index, operands))
                s->open.data[left++] = s->open.data[i];
        open->count = left - open->first;
    }
    for (uint32_t i = 0; i < block->successor_count; i++) {
        uint32_t to = block->successors[i];
        if (!s->solution->runs[to] && takes(s, index, to))
            s->solution->runs[to] = s->changed = true;
    }
}

static bool make_tables(wpg_solution *solution, const wpg_view *view, wpg_arena *arena)
{
    if (solution->view == view) {
        memset(solution->values, 0, view->bound * sizeof *solution->values);
        memset(solution->runs, 0, view->cfg->count * sizeof *solution->runs);
        return true;
    }
    *solution = (wpg_solution){.values = WPG_ARENA_ARRAY(arena, wpg_solved, view->bound),
                               .runs = WPG_ARENA_ARRAY(arena, bool, view->cfg->count)};
    if (!solution->values || !solution->runs)
        return false;
    solution->view = view;
    return true;
}

bool wpg_push_solve(wpg_solution *solution, const wpg_view *view, const uint32_t *folded, const bool *hidden,
                    wpg_arena *arena)
{
    if (!make_tables(solution, view, arena))
        return false;
    solver s = {.solution = solution,
                .module = view->module,
                .cfg = view->cfg,
                .folded = folded,
                .hidden = hidden,
                .blocks = WPG_ARENA_ARRAY(arena, open_block, view->cfg->count)};
    if (!s.blocks)
        return false;
    wpg_operand_list operands = {0};
    for (const wpg_inst *inst = view->function->next; inst && inst->opcode == SpvOpFunctionParameter;
         inst = inst->next)
        solution->values[inst->result] = varies();
    solution->runs[0] = true;
    do {
        s.changed = false;
        for (uint32_t i = 0; i < view->cfg->order_count; i++)
            if (solution->runs[view->cfg->order[i]])
                visit(&s, view->cfg->order[i], &operands);
    } while (s.changed && !s.nomem);
    wpg_vec_free(&operands);
    wpg_vec_free(&s.open);
    return !s.nomem;
}

const wpg_solution *wpg_push_unfolded(const wpg_view *view)
{
    wpg_view_memo *memo = view->memo;
    if (!memo->unfolded) {
        wpg_solution *made = WPG_ARENA_NEW(memo->arena, wpg_solution);
        if (made && wpg_push_solve(made, view, NULL, NULL, memo->arena))
            memo->unfolded = made;
    }
    return memo->unfolded;
}
