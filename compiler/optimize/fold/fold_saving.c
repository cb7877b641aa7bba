#include "compiler/optimize/fold/fold_saving.h"

#include <spirv/unified1/GLSL.std.450.h>

#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

/* Of a branch: masks of lanes, phis behind it. */
static const double BRANCH_COST = 4;

typedef struct question {
    const wpg_module *module;
    const wpg_load_folded *folded;
    const wpg_weight_plan *weights;
    const wpg_equal_plan *equal;
} question;

static bool becomes_one(const question *q, uint32_t id)
{
    return wpg_is_one(q->folded->after, id) && !wpg_is_one(q->folded->before, id);
}

/* Do drivers find that nothing needs it any more, or that an earlier instruction has done it? */
static bool is_dead(const question *q, const wpg_inst *inst)
{
    const wpg_weight_plan *weights = q->weights;
    return inst->result && weights && (weights->dead[inst->result] || weights->repeats[inst->result]);
}

/* A quotient by a constant becomes a product, and drivers know powers by 0.5, 1, 2, 4. */
static bool is_cheap_by_constant(const question *q, const wpg_inst *inst)
{
    return inst->opcode == SpvOpFDiv ? becomes_one(q, inst->words[4])
                                     : inst->opcode == SpvOpExtInst && inst->words[4] == GLSLstd450Pow &&
                                           becomes_one(q, inst->words[6]);
}

/* Weighted instructions that the constant operands of an instruction save. */
static double saved_at(const question *q, const wpg_inst *inst)
{
    const double cost = wpg_inst_cost(q->module, inst);
    if (is_dead(q, inst) || (inst->result && becomes_one(q, inst->result)))
        return cost;
    const bool divides = inst->opcode == SpvOpUDiv || inst->opcode == SpvOpSDiv ||
                         inst->opcode == SpvOpUMod || inst->opcode == SpvOpSRem || inst->opcode == SpvOpSMod;
    if (divides && becomes_one(q, inst->words[4]))
        return cost * 0.75;
    if (q->folded->floats && is_cheap_by_constant(q, inst))
        return cost * 0.5;
    if (inst->result && q->equal && q->equal->merged && q->equal->merged[inst->result])
        return wpg_equal_saving(q->module, inst);
    return 0;
}

/* Scalars of an array's type, 0 where its length is not known. A structure counts its members as scalars. */
static double scalars_of(const wpg_module *module, uint32_t type)
{
    enum { MOST_DEPTH = 8 };
    double scalars = 1;
    for (int depth = 0; depth < MOST_DEPTH; depth++) {
        const wpg_inst *def = wpg_module_def(module, type);
        const SpvOp opcode = def ? (SpvOp)def->opcode : SpvOpNop;
        uint64_t count = 0;
        uint32_t width;
        if (opcode == SpvOpTypeStruct)
            return scalars * (def->count - 2.0);
        if (opcode != SpvOpTypeArray && opcode != SpvOpTypeVector && opcode != SpvOpTypeMatrix)
            return scalars;
        if (opcode != SpvOpTypeArray)
            count = def->words[3];
        else if (!wpg_const_value(module, def->words[3], &count, &width))
            return 0;
        scalars *= (double)count;
        type = def->words[2];
    }
    return scalars;
}

/* Does code that still runs read from the pointer? Stores alone are nobody's need. */
static bool is_read(const question *q, uint32_t pointer)
{
    const wpg_view *view = q->folded->view;
    for (uint32_t u = view->first_user[pointer]; u < view->first_user[pointer + 1]; u++) {
        const wpg_inst *user = view->users[u];
        const bool chain = user->opcode == SpvOpAccessChain || user->opcode == SpvOpInBoundsAccessChain;
        if (user->opcode == SpvOpStore && user->words[1] == pointer)
            continue;
        if (!user->result || (chain && is_read(q, user->result)))
            return true;
        const uint32_t block = view->block_of[user->result];
        if (!chain && block != WPG_NO_BLOCK && q->folded->after->runs[block] && !is_dead(q, user))
            return true;
    }
    return false;
}

/* Arrays of which no read is left. lavapipe clears all arrays of a shader in each run (tables.h). */
static double fallen_arrays(const question *q)
{
    const wpg_block *first = &q->folded->view->cfg->blocks[0];
    double scalars = 0;
    for (const wpg_inst *inst = first->label->next; inst != first->terminator; inst = inst->next) {
        if (inst->opcode != SpvOpVariable)
            continue;
        const wpg_inst *pointer = wpg_module_def(q->module, inst->type);
        if (wpg_module_opcode_of(q->module, pointer->words[3]) == SpvOpTypeArray && !is_read(q, inst->result))
            scalars += scalars_of(q->module, pointer->words[3]);
    }
    return scalars;
}

static bool is_decided(const question *q, const wpg_inst *end)
{
    return (end->opcode == SpvOpBranchConditional || end->opcode == SpvOpSwitch) &&
           becomes_one(q, end->words[1]);
}

void wpg_fold_saving_measure(wpg_fold_saving *out, const wpg_module *module,
                             const wpg_function_profile *profile, const wpg_load_folded *folded,
                             const wpg_weight_plan *weights, const wpg_equal_plan *equal)
{
    const question q = {.module = module, .folded = folded, .weights = weights, .equal = equal};
    const wpg_cfg *cfg = folded->view->cfg;
    *out = (wpg_fold_saving){0};
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block_weight *weight = profile ? wpg_profile_block(profile, cfg->blocks[b].id) : NULL;
        const double runs = weight && profile->has_lanes ? (double)weight->lanes : 1;
        out->entries = b == 0 ? runs : out->entries;
        for (const wpg_inst *inst = cfg->blocks[b].label->next; inst != cfg->blocks[b].terminator;
             inst = inst->next) {
            const double cost = wpg_inst_cost(module, inst);
            out->whole += runs * cost;
            out->saved += runs * saved_at(&q, inst);
            out->code += cost;
            if (!folded->after->runs[b] || is_dead(&q, inst))
                out->fallen += cost;
        }
        if (is_decided(&q, cfg->blocks[b].terminator))
            out->branches += runs * BRANCH_COST;
    }
    out->arrays = out->entries * fallen_arrays(&q);
}
