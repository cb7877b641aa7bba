/* See evaluate.h. Memory: let S be the last store to the part that dominates the load. The load gives a
 * constant where S wrote one, and every other store to the part wrote the same or dominates S. After a store
 * that dominates S, control comes to S before it comes to the load: else there were a way to the load without
 * S. What is read before anything is written has no S, and stays as it is. */
#include "compiler/normalize/evaluate.h"

#include "compiler/spirv/const_float.h"
#include "compiler/spirv/const_fold.h"

enum {
    MAX_DEPTH = 256,
    MAX_STEPS = 4096, /* of one question: parts of composites are not remembered */
};

enum { NOT_ASKED, NOT_CONSTANT, CONSTANT };

typedef struct answer {
    uint64_t bits;
    uint32_t width;
} answer;

static bool evaluate(wpg_evaluator *e, uint32_t id, answer *out, uint32_t depth);
static bool evaluate_part(wpg_evaluator *e, const wpg_part *part, answer *out, uint32_t depth);

/* -- Dominators (Cooper, Harvey, Kennedy 2001), of what control reaches -- */

static uint32_t meet(const wpg_evaluator *e, uint32_t a, uint32_t b)
{
    const wpg_flow_block *blocks = e->flow->blocks;
    while (a != b) {
        if (blocks[a].rank > blocks[b].rank)
            a = e->dominators.data[a];
        else
            b = e->dominators.data[b];
    }
    return a;
}

/* True: another round may change more. The first round visits each block behind all that lead to it by edges
 * forward. That round is enough, unless an edge back changed something. */
static bool lead_on(wpg_evaluator *e, uint32_t from, bool first_round)
{
    const wpg_flow *flow = e->flow;
    wpg_targets t = wpg_targets_of(e->module, flow->blocks[from].terminator);
    bool again = false;
    for (uint32_t at = t.at; at < t.end; at += t.step) {
        uint32_t to = wpg_flow_find(flow, t.words[at]);
        if ((flow->only && flow->only[from] && flow->only[from] != t.words[at]) || !to)
            continue;
        uint32_t *dominator = &e->dominators.data[to], old = *dominator;
        *dominator = old == WPG_NONE ? from : meet(e, old, from);
        if (*dominator != old)
            again |= !first_round || flow->blocks[to].rank <= flow->blocks[from].rank;
    }
    return again;
}

static bool find_dominators(wpg_evaluator *e)
{
    if (e->dominators.count)
        return true;
    if (!wpg_vec_reserve(&e->dominators, e->flow->count)) {
        e->out_of_memory = true;
        return false;
    }
    e->dominators.count = e->flow->count;
    for (uint32_t b = 0; b < e->flow->count; b++)
        e->dominators.data[b] = WPG_NONE;
    e->dominators.data[0] = 0;
    for (bool again = true, first = true; again; first = false) {
        again = false;
        for (uint32_t i = 0; i < e->flow->order_count; i++)
            if (e->dominators.data[e->flow->order[i]] != WPG_NONE)
                again |= lead_on(e, e->flow->order[i], first);
    }
    return true;
}

static bool dominates(wpg_evaluator *e, uint32_t a, uint32_t b)
{
    if (!find_dominators(e) || e->dominators.data[a] == WPG_NONE || e->dominators.data[b] == WPG_NONE)
        return false;
    while (e->flow->blocks[b].rank > e->flow->blocks[a].rank)
        b = e->dominators.data[b];
    return a == b;
}

/* -- Memory -- */

/* Is the store done on every way to the position? */
static bool comes_before(wpg_evaluator *e, const wpg_store *store, uint32_t label, uint32_t at)
{
    if (store->label == label)
        return store->at < at;
    uint32_t from = wpg_flow_find(e->flow, store->label), to = wpg_flow_find(e->flow, label);
    return from < e->flow->count && to < e->flow->count && dominates(e, from, to);
}

static bool is_reached(const wpg_evaluator *e, const wpg_store *store)
{
    const uint32_t block = wpg_flow_find(e->flow, store->label);
    return block < e->flow->count && e->flow->blocks[block].reachable;
}

/* Of the stores that write the whole part on every way to the load, the last one; NULL: there is none. Such
 * stores stand one behind the other, since each dominates the load. */
static const wpg_store *last_before(wpg_evaluator *e, const wpg_part *from, const wpg_stored_id *load)
{
    const wpg_store *last = NULL;
    for (uint32_t s = e->stored.ids[from->id].first; s; s = e->stored.stores.data[s - 1].next) {
        const wpg_store *store = &e->stored.stores.data[s - 1];
        if (wpg_part_relation(wpg_stored_part(&e->stored, store), from) == WPG_PART_COVERS &&
            is_reached(e, store) && comes_before(e, store, load->label, load->at) &&
            (!last || comes_before(e, last, store->label, store->at)))
            last = store;
    }
    return last;
}

static bool evaluate_load(wpg_evaluator *e, const wpg_inst *load, const wpg_part *part, answer *out,
                          uint32_t depth)
{
    wpg_part from;
    if (!wpg_stored_source(&from, &e->stored, load, part)) {
        e->out_of_memory |= e->stored.out_of_memory;
        return false;
    }
    const wpg_store *last = last_before(e, &from, &e->stored.ids[load->result]);
    bool any = false;
    for (uint32_t s = last ? e->stored.ids[from.id].first : 0; s; s = e->stored.stores.data[s - 1].next) {
        const wpg_store *store = &e->stored.stores.data[s - 1];
        const wpg_part *to = wpg_stored_part(&e->stored, store); /* until a value is evaluated */
        const wpg_part_overlap overlap = wpg_part_relation(to, &from);
        if (overlap == WPG_PART_APART || !is_reached(e, store) ||
            comes_before(e, store, last->label, last->at))
            continue;
        wpg_part value = {.id = store->value};
        answer more;
        if (overlap != WPG_PART_COVERS ||
            !wpg_part_extend(&value, from.path + to->depth, from.depth - to->depth) ||
            !evaluate_part(e, &value, &more, depth) || (any && more.bits != out->bits))
            return false;
        *out = more;
        any = true;
    }
    return any;
}

/* -- Parts of composites -- */

static wpg_part rest_of(const wpg_part *part, uint32_t id, uint32_t from)
{
    wpg_part rest = {.id = id};
    (void)wpg_part_extend(&rest, part->path + from, part->depth - from);
    return rest;
}

/* The indices of the instruction from word `at` on, and then the part's. */
static bool part_below(wpg_part *out, const wpg_part *part, const wpg_inst *inst, uint32_t id, uint32_t at)
{
    *out = (wpg_part){.id = id};
    return wpg_part_extend(out, inst->words + at, inst->count - at) &&
           wpg_part_extend(out, part->path, part->depth);
}

static bool evaluate_inserted(wpg_evaluator *e, const wpg_inst *inst, const wpg_part *part, answer *out,
                              uint32_t depth)
{
    uint32_t indices = inst->count - 5u, common = 0;
    while (common < indices && common < part->depth && inst->words[5 + common] == part->path[common])
        common++;
    if (common < indices && common == part->depth)
        return false;
    wpg_part from =
        common == indices ? rest_of(part, inst->words[3], common) : rest_of(part, inst->words[4], 0);
    return evaluate_part(e, &from, out, depth);
}

/* Is each operand one part of what is constructed? A vector may be of vectors. */
static bool is_by_parts(const wpg_module *module, const wpg_inst *inst)
{
    const wpg_inst *type = wpg_module_def(module, inst->type);
    return type && (type->opcode != SpvOpTypeVector || type->words[3] + 3u == inst->count);
}

static bool evaluate_null(const wpg_evaluator *e, const wpg_inst *null, const wpg_part *part, answer *out)
{
    uint32_t type = null->type;
    bool is_float, is_signed;
    for (uint32_t i = 0; i < part->depth; i++) {
        const wpg_inst *def = wpg_module_def(e->module, type);
        if (!def)
            return false;
        bool is_struct = def->opcode == SpvOpTypeStruct;
        if (is_struct ? part->path[i] + 2u >= def->count
                      : def->opcode != SpvOpTypeVector && def->opcode != SpvOpTypeMatrix &&
                            def->opcode != SpvOpTypeArray)
            return false;
        type = def->words[is_struct ? 2 + part->path[i] : 2];
    }
    *out = (answer){.width = wpg_scalar_width(e->module, type, &is_float, &is_signed)};
    return out->width;
}

static bool evaluate_part(wpg_evaluator *e, const wpg_part *part, answer *out, uint32_t depth)
{
    const wpg_inst *inst = wpg_module_def(e->module, part->id);
    wpg_part from;
    if (!part->depth)
        return evaluate(e, part->id, out, depth);
    if (!inst || depth > MAX_DEPTH || e->steps++ > MAX_STEPS)
        return false;
    switch (inst->opcode) {
    case SpvOpConstantComposite:
    case SpvOpCompositeConstruct:
        if (part->path[0] >= inst->count - 3u || !is_by_parts(e->module, inst))
            return false;
        from = rest_of(part, inst->words[3 + part->path[0]], 1);
        return evaluate_part(e, &from, out, depth + 1);
    case SpvOpConstantNull:
        return evaluate_null(e, inst, part, out);
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
        from = rest_of(part, inst->words[3], 0);
        return evaluate_part(e, &from, out, depth + 1);
    case SpvOpCompositeExtract:
        return part_below(&from, part, inst, inst->words[3], 4) && evaluate_part(e, &from, out, depth + 1);
    case SpvOpCompositeInsert:
        return evaluate_inserted(e, inst, part, out, depth + 1);
    case SpvOpLoad:
        return evaluate_load(e, inst, part, out, depth + 1);
    default:
        return false;
    }
}

/* -- Scalars -- */

static bool evaluate_phi(wpg_evaluator *e, const wpg_inst *phi, answer *out, uint32_t depth)
{
    bool any = false;
    const wpg_inst *label = phi->prev;
    while (label->opcode != SpvOpLabel)
        label = label->prev;
    for (uint32_t i = 3; i + 1 < phi->count; i += 2) {
        answer more;
        uint32_t parent = wpg_flow_find(e->flow, phi->words[i + 1]);
        if (parent >= e->flow->count || !e->flow->blocks[parent].reachable ||
            (e->flow->only && e->flow->only[parent] && e->flow->only[parent] != label->result))
            continue;
        if (!evaluate(e, phi->words[i], &more, depth) || (any && more.bits != out->bits))
            return false;
        *out = more;
        any = true;
    }
    return any;
}

/* What wpg_fold_scalar knows; most instructions are none of these. */
static bool is_foldable(SpvOp opcode)
{
    switch (opcode) {
    case SpvOpCopyObject:
    case SpvOpSelect:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpBitcast:
        return true;
    default:
        return (opcode >= SpvOpSNegate && opcode <= SpvOpSMod) ||
               (opcode >= SpvOpLogicalEqual && opcode <= SpvOpSLessThanEqual) ||
               (opcode >= SpvOpShiftRightLogical && opcode <= SpvOpNot);
    }
}

static bool is_float_comparison(SpvOp opcode)
{
    return opcode >= SpvOpFOrdEqual && opcode <= SpvOpFUnordGreaterThanEqual;
}

static bool evaluate_inst(wpg_evaluator *e, const wpg_inst *inst, answer *out, uint32_t depth)
{
    const wpg_part part = {.id = inst->result};
    uint64_t operands[WPG_FOLD_OPERANDS];
    uint32_t widths[WPG_FOLD_OPERANDS], count = inst->count - 3u;
    const SpvOp opcode = (SpvOp)inst->opcode;
    wpg_part from;
    bool is_float, is_signed;
    switch (opcode) {
    case SpvOpPhi:
        return evaluate_phi(e, inst, out, depth);
    case SpvOpLoad:
        return evaluate_load(e, inst, &part, out, depth);
    case SpvOpCompositeExtract:
        return part_below(&from, &part, inst, inst->words[3], 4) && evaluate_part(e, &from, out, depth);
    default:
        break;
    }
    out->width = wpg_scalar_width(e->module, inst->type, &is_float, &is_signed);
    bool compares = is_float_comparison(opcode);
    if (!out->width || is_float || count < 1 || count > WPG_FOLD_OPERANDS ||
        (!compares && !is_foldable(opcode)))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        answer operand;
        if (!evaluate(e, inst->words[3 + i], &operand, depth))
            return false;
        operands[i] = operand.bits;
        widths[i] = operand.width;
    }
    out->bits = 0;
    if (compares)
        return count == 2 && widths[0] == 32 && widths[1] == 32 &&
               wpg_fold_float_comparison(&out->bits, opcode, operands[0], operands[1]);
    return wpg_fold_scalar(&out->bits, opcode, out->width, operands, widths, count);
}

/* A value asked for while it is being evaluated depends on itself: not constant, and so is the circle. */
static bool evaluate(wpg_evaluator *e, uint32_t id, answer *out, uint32_t depth)
{
    const wpg_inst *inst = wpg_module_def(e->module, id);
    if (!inst || !inst->type || id >= e->values_count || depth > MAX_DEPTH)
        return false;
    if (inst->opcode < SpvOpFunction)
        return wpg_const_value(e->module, id, &out->bits, &out->width);
    wpg_known *known = &e->values[id];
    if (known->state == NOT_ASKED) {
        known->state = NOT_CONSTANT;
        if (!wpg_vec_push(&e->asked, id))
            e->out_of_memory = true;
        if (evaluate_inst(e, inst, out, depth + 1))
            *known = (wpg_known){.bits = out->bits, .width = (uint8_t)out->width, .state = CONSTANT};
    }
    *out = (answer){.bits = known->bits, .width = known->width};
    return known->state == CONSTANT;
}

bool wpg_evaluate(wpg_evaluator *evaluator, uint32_t id, uint64_t *bits, uint32_t *width)
{
    answer found;
    evaluator->steps = 0;
    bool is_constant = evaluate(evaluator, id, &found, 0);
    if (is_constant) {
        *bits = found.bits;
        *width = found.width;
    }
    return is_constant;
}

void wpg_evaluator_forget(wpg_evaluator *evaluator)
{
    uint32_t *id;
    WPG_VEC_EACH (id, &evaluator->asked)
        evaluator->values[*id].state = NOT_ASKED;
    wpg_vec_clear(&evaluator->asked);
    wpg_vec_clear(&evaluator->dominators);
}

void wpg_evaluator_init(wpg_evaluator *evaluator, wpg_module *module, const wpg_flow *flow)
{
    *evaluator = (wpg_evaluator){.module = module, .flow = flow};
}

wpg_status wpg_evaluator_begin(wpg_evaluator *evaluator, const wpg_fold_job *job, wpg_error *err)
{
    const wpg_module *module = evaluator->module;
    wpg_evaluator_forget(evaluator);
    if (evaluator->values_count < module->bound) {
        const uint32_t want = module->bound + module->bound / 2;
        wpg_arena_finish(&evaluator->arena);
        evaluator->values = WPG_ARENA_ARRAY(&evaluator->arena, wpg_known, want); /* none is asked about */
        evaluator->values_count = evaluator->values ? want : 0;
        if (!evaluator->values)
            return wpg_fail(err, WPG_E_NOMEM, "out of memory for values");
    }
    return wpg_stored_read(&evaluator->stored, module, job, err);
}

void wpg_evaluator_finish(wpg_evaluator *evaluator)
{
    wpg_stored_finish(&evaluator->stored);
    wpg_vec_free(&evaluator->asked);
    wpg_vec_free(&evaluator->dominators);
    wpg_arena_finish(&evaluator->arena);
}
