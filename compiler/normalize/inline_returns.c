/* Makes a function that returns inside loops and switches fit for inlining. Each such return becomes a store
 * of the value and of a flag, and a break. Behind the construct a branch on the flag leads outwards, to a
 * return that lies in ifs only.
 *
 *     loop { if (c) return v; }        flag = false
 *     rest                      =>     loop { if (c) { value = v; flag = true; break; } }
 *                                      if (flag) return value;
 *                                      rest
 *
 * The new edge to the merge block ends the dominance of values defined inside and used behind the construct.
 * These values are kept in variables. The function is left unchanged if some value cannot be (opaque types,
 * pointers), or if a merge block has a second role (loop header, continue target). Source: SPIR-V 1.6,
 * 2.11. */
#include "compiler/normalize/context_recorder.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/grammar.h"

enum { MAX_TYPE_DEPTH = 16 };

typedef struct unnester {
    wpg_inliner *in;
    wpg_module *module;
    const wpg_flow *flow;
    bool *marked;       /* by block: heads a loop or switch that a return leaves */
    bool *marked_merge; /* by block: the merge block of one */
    uint32_t *block_of; /* by id: block number + 1 of values defined inside marked constructs */
    uint32_t *kept_in;  /* by id: variable that holds the value, 0 = none */
    uint32_t bound;
    uint32_t flag, value, value_type; /* variables */
    WPG_VEC(uint32_t) crossing;       /* values used behind their construct */
} unnester;

static bool is_breakable(const wpg_flow_block *header)
{
    return header->merge->opcode == SpvOpLoopMerge || header->terminator->opcode == SpvOpSwitch;
}

/* Innermost loop or switch around a block in construct `c`; WPG_NONE if none. */
static uint32_t breakable_from(const wpg_flow *flow, uint32_t c)
{
    while (c != WPG_NONE && !is_breakable(&flow->blocks[c]))
        c = flow->blocks[c].construct;
    return c;
}

static uint32_t merge_of(const wpg_flow *flow, uint32_t header)
{
    return wpg_flow_find(flow, flow->blocks[header].merge->words[1]);
}

static bool returns(const wpg_flow_block *block)
{
    return block->reachable &&
           (block->terminator->opcode == SpvOpReturn || block->terminator->opcode == SpvOpReturnValue);
}

/* May a variable hold it? */
static bool is_storable(const wpg_module *module, uint32_t type, uint32_t depth)
{
    const wpg_inst *t = wpg_module_def(module, type);
    if (!t || depth > MAX_TYPE_DEPTH)
        return false;
    switch (t->opcode) {
    case SpvOpTypeBool:
        return true;
    case SpvOpTypeInt:
        return t->words[2] != 8 && t->words[2] != 16 ? true
               : t->words[2] == 8                    ? wpg_has_capability(module, SpvCapabilityInt8)
                                                     : wpg_has_capability(module, SpvCapabilityInt16);
    case SpvOpTypeFloat:
        return t->words[2] != 16 || wpg_has_capability(module, SpvCapabilityFloat16);
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeArray:
        return is_storable(module, t->words[2], depth + 1);
    case SpvOpTypeStruct:
        for (uint32_t i = 2; i < t->count; i++)
            if (!is_storable(module, t->words[i], depth + 1))
                return false;
        return true;
    default:
        return false;
    }
}

/* -- May it be done? ----------------------------------------------------------------------------------- */

static bool mark_constructs(unnester *u)
{
    for (uint32_t i = 0; i < u->flow->order_count; i++) {
        const wpg_flow_block *block = &u->flow->blocks[u->flow->order[i]];
        uint32_t c = returns(block) ? breakable_from(u->flow, block->construct) : WPG_NONE;
        if (c == WPG_NONE)
            continue;
        if (block->in_continue)
            return false;
        if (block->terminator->opcode == SpvOpReturnValue && !is_storable(u->module, u->value_type, 0))
            return false;
        for (; c != WPG_NONE; c = breakable_from(u->flow, u->flow->blocks[c].construct))
            u->marked[c] = u->marked_merge[merge_of(u->flow, c)] = true;
    }
    for (uint32_t i = 0; i < u->flow->count; i++) {
        const wpg_flow_block *header = &u->flow->blocks[i];
        if (header->merge && header->merge->opcode == SpvOpLoopMerge &&
            u->marked[wpg_flow_find(u->flow, header->merge->words[2])])
            return false; /* a marked header is some loop's continue target */
    }
    return true;
}

/* A marked construct's merge block must be nothing else that a break cannot be added to. */
static bool merges_are_free(const unnester *u)
{
    for (uint32_t i = 0; i < u->flow->count; i++) {
        const wpg_flow_block *header = &u->flow->blocks[i];
        if (u->marked[i]) {
            const wpg_flow_block *merge = &u->flow->blocks[merge_of(u->flow, i)];
            if (merge->in_continue || (merge->merge && merge->merge->opcode == SpvOpLoopMerge))
                return false;
        }
        if (!header->merge || header->merge->opcode != SpvOpLoopMerge)
            continue;
        uint32_t target = wpg_flow_find(u->flow, header->merge->words[2]);
        if (u->marked_merge[target])
            return false;
    }
    return true;
}

/* Does the value of block `def` lose its dominance over block `use`? It does if it lies in a marked construct
 * that `use` lies outside of. */
static bool crosses(const unnester *u, uint32_t def, uint32_t use)
{
    for (uint32_t c = u->flow->blocks[def].construct; c != WPG_NONE; c = u->flow->blocks[c].construct) {
        if (!u->marked[c])
            continue;
        uint32_t k = u->flow->blocks[use].construct;
        while (k != WPG_NONE && k != c)
            k = u->flow->blocks[k].construct;
        if (k == WPG_NONE)
            return true;
    }
    return false;
}

/* The block in which operand `at` of `inst`, an instruction of `block`, must be at hand. */
static uint32_t use_block(const unnester *u, const wpg_inst *inst, uint32_t at, uint32_t block)
{
    return inst->opcode == SpvOpPhi ? wpg_flow_find(u->flow, inst->words[at + 1]) : block;
}

static bool note_use(unnester *u, const wpg_inst *inst, uint32_t at, uint32_t block)
{
    uint32_t id = inst->words[at], def = id < u->bound ? u->block_of[id] : 0;
    if (!def || u->kept_in[id] || (inst->opcode == SpvOpPhi && at + 1u >= inst->count))
        return true;
    uint32_t use = use_block(u, inst, at, block);
    if (use >= u->flow->count || !crosses(u, def - 1, use))
        return true;
    u->kept_in[id] = 1; /* the variable comes later */
    if (!is_storable(u->module, wpg_module_def(u->module, id)->type, 0))
        return false;
    if (!wpg_vec_push(&u->crossing, id))
        u->in->out_of_memory = true;
    return true;
}

/* Fills `crossing`; false if one of them fits no variable. */
static bool find_crossing(unnester *u)
{
    for (uint32_t i = 0; i < u->flow->order_count; i++) {
        uint32_t b = u->flow->order[i];
        if (u->flow->blocks[b].construct == WPG_NONE)
            continue;
        const wpg_flow_block *block = &u->flow->blocks[b];
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next)
            if (inst->result && inst->type && inst->result < u->bound)
                u->block_of[inst->result] = b + 1;
    }
    for (uint32_t i = 0; i < u->flow->order_count; i++) {
        uint32_t b = u->flow->order[i];
        const wpg_flow_block *block = &u->flow->blocks[b];
        for (const wpg_inst *inst = block->label->next;; inst = inst->next) {
            wpg_operand_walk walk = wpg_operands(u->module, inst);
            wpg_operand operand;
            while (wpg_operand_next(&walk, &operand))
                if (operand.kind >= WPG_OPERAND_ID && wpg_operand_is_id(&operand) &&
                    !note_use(u, inst, operand.at, b))
                    return false;
            if (inst == block->terminator)
                break;
        }
    }
    return true;
}

/* -- Doing it ------------------------------------------------------------------------------------------ */

static uint32_t add_variable(unnester *u, uint32_t type)
{
    uint32_t pointer = wpg_type_pointer(u->module, SpvStorageClassFunction, type);
    uint32_t id = wpg_module_fresh_id(u->module);
    wpg_inst_add(u->module, u->flow->blocks[0].label->next, SpvOpVariable, pointer, id,
                 SpvStorageClassFunction);
    return id;
}

/* First instruction of a block that is neither phi, variable nor line. */
static wpg_inst *body_of(wpg_inst *label)
{
    wpg_inst *inst = label->next;
    while (inst->opcode == SpvOpPhi || inst->opcode == SpvOpVariable || inst->opcode == SpvOpLine ||
           inst->opcode == SpvOpNoLine)
        inst = inst->next;
    return inst;
}

static uint32_t load(unnester *u, wpg_inst *where, uint32_t type, uint32_t variable)
{
    uint32_t id = wpg_module_fresh_id(u->module);
    wpg_inst_add(u->module, where, SpvOpLoad, type, id, variable);
    return id;
}

/* Uses of crossing values outside their construct read the variable. A terminator's merge instruction must
 * stay before it. */
static void load_operand(unnester *u, wpg_inst *inst, uint32_t at, uint32_t b)
{
    uint32_t id = inst->words[at], variable = id < u->bound ? u->kept_in[id] : 0;
    if (!variable || (inst->opcode == SpvOpPhi && at + 1u >= inst->count))
        return;
    uint32_t use = use_block(u, inst, at, b);
    if (use >= u->flow->count || !crosses(u, u->block_of[id] - 1, use))
        return;
    const wpg_flow_block *block = &u->flow->blocks[use];
    wpg_inst *where = inst;
    if (inst->opcode == SpvOpPhi || inst == block->terminator)
        where = block->merge ? block->merge : block->terminator;
    inst->words[at] = load(u, where, wpg_module_def(u->module, id)->type, variable);
}

static void load_crossing(unnester *u)
{
    for (uint32_t i = 0; i < u->flow->order_count; i++) {
        uint32_t b = u->flow->order[i];
        const wpg_flow_block *block = &u->flow->blocks[b];
        for (wpg_inst *inst = block->label->next;; inst = inst->next) {
            wpg_operand_walk walk = wpg_operands(u->module, inst);
            wpg_operand operand;
            while (wpg_operand_next(&walk, &operand))
                if (operand.kind >= WPG_OPERAND_ID && wpg_operand_is_id(&operand))
                    load_operand(u, inst, operand.at, b);
            if (inst == block->terminator)
                break;
        }
    }
}

static void store_crossing(unnester *u)
{
    for (size_t i = 0; i < u->crossing.count; i++) {
        uint32_t id = u->crossing.data[i];
        wpg_inst *def = wpg_module_def(u->module, id);
        u->kept_in[id] = add_variable(u, def->type);
        wpg_inst *where = def->next;
        if (def->opcode == SpvOpPhi)
            where = body_of(u->flow->blocks[u->block_of[id] - 1].label);
        wpg_inst_add(u->module, where, SpvOpStore, u->kept_in[id], id);
    }
}

/* A new branch comes to `label` from `from`: its phis take an undefined value, which nothing reads. */
static void add_parent(unnester *u, uint32_t label, uint32_t from)
{
    wpg_inst *phi = wpg_next_phi(wpg_module_def(u->module, label)->next);
    for (; phi; phi = wpg_next_phi(phi->next)) {
        wpg_vec_clear(&u->in->words);
        if (!wpg_vec_reserve(&u->in->words, phi->count + 1u)) {
            u->in->out_of_memory = true;
            return;
        }
        uint32_t *words = u->in->words.data;
        memcpy(words, phi->words + 1, (phi->count - 1u) * sizeof *words);
        words[phi->count - 1u] = wpg_undef(u->module, phi->type);
        words[phi->count] = from;
        wpg_inst_set_operands(u->module, phi, words, phi->count + 1u);
    }
}

static void turn_return(unnester *u, wpg_flow_block *block, uint32_t breakable)
{
    wpg_inst *end = block->terminator;
    uint32_t merge = u->flow->blocks[breakable].merge->words[1];
    if (end->opcode == SpvOpReturnValue)
        wpg_inst_add(u->module, end, SpvOpStore, u->value, end->words[1]);
    wpg_inst_add(u->module, end, SpvOpStore, u->flag, wpg_const_bool(u->module, true));
    wpg_inst_rewrite(u->module, end, SpvOpBranch, &merge, 1);
    add_parent(u, merge, block->label->result);
}

/* Behind the marked construct of `header`: if (flag) leave further; what was there goes on in a new block. */
static void ask_flag(unnester *u, uint32_t header)
{
    wpg_module *module = u->module;
    const wpg_flow_block *merge = &u->flow->blocks[merge_of(u->flow, header)];
    uint32_t old = merge->label->result, leave = wpg_module_fresh_id(module),
             rest = wpg_module_fresh_id(module);
    uint32_t outer = breakable_from(u->flow, u->flow->blocks[header].construct);
    wpg_inst *where = body_of(merge->label);
    uint32_t flag = load(u, where, wpg_type_bool(module), u->flag);
    wpg_inst_add(module, where, SpvOpSelectionMerge, rest, SpvSelectionControlMaskNone);
    wpg_inst_add(module, where, SpvOpBranchConditional, flag, leave, rest);
    wpg_inst_add(module, where, SpvOpLabel, leave);
    if (outer != WPG_NONE) {
        uint32_t target = u->flow->blocks[outer].merge->words[1];
        wpg_inst_add(module, where, SpvOpBranch, target);
        add_parent(u, target, leave);
    } else if (u->value) {
        wpg_inst_add(module, where, SpvOpReturnValue, load(u, where, u->value_type, u->value));
    } else {
        wpg_inst_insert(module, where, SpvOpReturn, NULL, 0);
    }
    wpg_inst_add(module, where, SpvOpLabel, rest);
    wpg_inline_rename_parent(u->in, merge->terminator, old, rest);
    if (u->in->recorder) /* lanes that leave run `old` too, but not what stood there */
        wpg_record_move(u->in->recorder, old, rest);
}

static void change(unnester *u)
{
    bool is_void = wpg_module_opcode_of(u->module, u->value_type) == SpvOpTypeVoid;
    u->flag = add_variable(u, wpg_type_bool(u->module));
    u->value = is_void ? 0 : add_variable(u, u->value_type);
    store_crossing(u);
    load_crossing(u);
    wpg_inst_add(u->module, body_of(u->flow->blocks[0].label), SpvOpStore, u->flag,
                 wpg_const_bool(u->module, false));
    for (uint32_t i = 0; i < u->flow->order_count; i++) {
        wpg_flow_block *block = &u->flow->blocks[u->flow->order[i]];
        uint32_t c = returns(block) ? breakable_from(u->flow, block->construct) : WPG_NONE;
        if (c != WPG_NONE)
            turn_return(u, block, c);
    }
    for (uint32_t i = 0; i < u->flow->order_count; i++)
        if (u->marked[u->flow->order[i]])
            ask_flag(u, u->flow->order[i]);
    if (!wpg_inline_reserve(u->in))
        u->in->out_of_memory = true;
}

bool wpg_inline_unnest(wpg_inliner *in, const wpg_flow *flow, const wpg_inline_function *callee)
{
    unnester u = {.in = in,
                  .module = in->module,
                  .flow = flow,
                  .bound = in->module->bound,
                  .value_type = callee->inst->type};
    u.marked = calloc(flow->count, sizeof *u.marked);
    u.marked_merge = calloc(flow->count, sizeof *u.marked_merge);
    u.block_of = calloc(u.bound, sizeof *u.block_of);
    u.kept_in = calloc(u.bound, sizeof *u.kept_in);
    bool done = u.marked && u.marked_merge && u.block_of && u.kept_in;
    if (!done)
        in->out_of_memory = true;
    done = done && mark_constructs(&u) && merges_are_free(&u) && find_crossing(&u);
    if (done)
        change(&u);
    wpg_vec_free(&u.crossing);
    free(u.marked);
    free(u.marked_merge);
    free(u.block_of);
    free(u.kept_in);
    return done;
}
