/* The mutator of the SPIR-V fuzzers: most of what it makes of a valid module is valid. It edits instructions
 * (operands of the same type, constants, branch targets) and grows control flow: splits blocks, puts in ifs
 * with any way to leave their arm, and loops. spirv-val judges afterwards; now and then bytes are changed as
 * libFuzzer does, for what the parser must refuse. */
#include "compiler/spirv/builder.h"
#include "tests/fuzz/common/spirv.h"

static uint32_t random_state;

static uint32_t next_random(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return below ? (uint32_t)((uint64_t)random_state * below >> 32) : 0;
}

/* Some constant, or instruction of a function's body; NULL if there is none. */
static wpg_inst *pick(wpg_module *module)
{
    uint32_t count = 0;
    wpg_inst *picked = NULL;
    bool inside = false;
    WPG_INST_EACH (inst, module) {
        inside |= inst->opcode == SpvOpFunction;
        if ((inside || inst->opcode == SpvOpConstant) && next_random(++count) == 0)
            picked = inst;
    }
    return picked;
}

/* An operand becomes another id of its type, or another block; a constant another number. */
static void change_operand(wpg_module *module, wpg_inst *inst)
{
    if (inst->opcode == SpvOpConstant && inst->count == 4) {
        static const uint32_t numbers[] = {0, 1, 2, 3, 7, 16, 255, 0x7fffffff, 0x80000000u, 0xffffffffu};
        inst->words[3] = numbers[next_random(sizeof numbers / sizeof *numbers)];
        return;
    }
    if (inst->count < 2)
        return;
    uint32_t at = 1 + next_random(inst->count - 1u), id = inst->words[at];
    const wpg_inst *def = wpg_module_def(module, id);
    if (!def || id == inst->result || id == inst->type)
        return;
    for (unsigned tries = 0; tries < 64; tries++) {
        uint32_t other = next_random(module->bound);
        const wpg_inst *as = wpg_module_def(module, other);
        bool same = as && as->type == def->type && (as->type || as->opcode == def->opcode);
        if (same && other != id) {
            inst->words[at] = other;
            return;
        }
    }
}

static void swap_targets(wpg_inst *inst)
{
    if (inst->opcode != SpvOpBranchConditional || inst->count < 4)
        return;
    uint32_t target = inst->words[2];
    inst->words[2] = inst->words[3];
    inst->words[3] = target;
}

/* An instruction that gives no value goes: a store, a barrier, a hint. */
static void drop(wpg_module *module, wpg_inst *inst)
{
    if (inst->opcode == SpvOpStore || inst->opcode == SpvOpControlBarrier)
        wpg_inst_remove(module, inst);
}

/* The same again under another id, its uses left as they are. */
static void repeat(wpg_module *module, wpg_inst *inst)
{
    uint32_t operands[16];
    if (inst->count < 2 || inst->count > 17 || inst->opcode == SpvOpFunction || inst->opcode == SpvOpLabel ||
        wpg_opcode_is_terminator((SpvOp)inst->opcode))
        return;
    memcpy(operands, inst->words + 1, (inst->count - 1u) * sizeof *operands);
    if (inst->result)
        operands[inst->type ? 1 : 0] = wpg_module_fresh_id(module);
    (void)wpg_inst_insert(module, inst->next, (SpvOp)inst->opcode, operands, inst->count - 1u);
}

/* Where a block may be cut: at `inst`, or before the merge instruction that must stay with it. NULL: nowhere
 * there. */
static wpg_inst *cut_at(wpg_inst *inst)
{
    if (inst->prev && (inst->prev->opcode == SpvOpSelectionMerge || inst->prev->opcode == SpvOpLoopMerge))
        inst = inst->prev;
    switch (inst->opcode) {
    case SpvOpFunction:
    case SpvOpFunctionParameter:
    case SpvOpFunctionEnd:
    case SpvOpLabel:
    case SpvOpPhi:
    case SpvOpVariable:
    case SpvOpConstant:
        return NULL;
    default:
        return inst;
    }
}

/* What comes from block `from` comes from `to` now. */
static void move_phis(wpg_inst *function, uint32_t from, uint32_t to)
{
    for (wpg_inst *inst = function; inst && inst->opcode != SpvOpFunctionEnd; inst = inst->next)
        for (uint32_t at = 4; inst->opcode == SpvOpPhi && at < inst->count; at += 2)
            if (inst->words[at] == from)
                inst->words[at] = to;
}

/* A place in a function: what stands there, its block and its function. */
typedef struct place {
    wpg_inst *where, *label, *function;
} place;

static bool find_place(place *at, wpg_inst *inst)
{
    *at = (place){.where = cut_at(inst)};
    for (wpg_inst *i = at->where; i && !at->function; i = i->prev) {
        if (i->opcode == SpvOpLabel && !at->label)
            at->label = i;
        if (i->opcode == SpvOpFunction)
            at->function = i;
    }
    return at->where && at->label && at->function;
}

static uint32_t some_label(const place *at)
{
    uint32_t count = 0, id = at->label->result;
    for (const wpg_inst *i = at->function; i && i->opcode != SpvOpFunctionEnd; i = i->next)
        if (i->opcode == SpvOpLabel && next_random(++count) == 0)
            id = i->result;
    return id;
}

/* A truth value: one computed before (spirv-val sees whether it may be used), or a constant. */
static uint32_t some_condition(wpg_module *module, const place *at)
{
    uint32_t count = 0, id = wpg_const_bool(module, next_random(2));
    for (const wpg_inst *i = at->function; i && i != at->where; i = i->next)
        if (i->type && i->result && wpg_module_opcode_of(module, i->type) == SpvOpTypeBool &&
            next_random(++count) == 0)
            id = i->result;
    return id;
}

static void add_label(wpg_module *module, const place *at, uint32_t id)
{
    (void)wpg_inst_add(module, at->where, SpvOpLabel, id);
}

static void add_branch(wpg_module *module, const place *at, uint32_t to)
{
    (void)wpg_inst_add(module, at->where, SpvOpBranch, to);
}

static void split(wpg_module *module, const place *at)
{
    uint32_t rest = wpg_module_fresh_id(module);
    move_phis(at->function, at->label->result, rest);
    add_branch(module, at, rest);
    add_label(module, at, rest);
}

static void insert_if(wpg_module *module, const place *at)
{
    uint32_t condition = some_condition(module, at), arm = wpg_module_fresh_id(module),
             merge = wpg_module_fresh_id(module);
    move_phis(at->function, at->label->result, merge);
    (void)wpg_inst_add(module, at->where, SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
    (void)wpg_inst_add(module, at->where, SpvOpBranchConditional, condition, arm, merge);
    add_label(module, at, arm);
    static const SpvOp leaving[] = {SpvOpReturn, SpvOpKill, SpvOpTerminateInvocation, SpvOpUnreachable};
    uint32_t how = next_random(8);
    if (how < 4)
        (void)wpg_inst_insert(module, at->where, leaving[how], NULL, 0);
    else
        add_branch(module, at, how < 7 ? some_label(at) : merge);
    add_label(module, at, merge);
}

/* A loop that leaves at its head or at its end. */
static void insert_loop(wpg_module *module, const place *at)
{
    uint32_t condition = some_condition(module, at), head = wpg_module_fresh_id(module),
             body = wpg_module_fresh_id(module), next = wpg_module_fresh_id(module),
             merge = wpg_module_fresh_id(module);
    bool at_end = next_random(2);
    move_phis(at->function, at->label->result, merge);
    add_branch(module, at, head);
    add_label(module, at, head);
    (void)wpg_inst_add(module, at->where, SpvOpLoopMerge, merge, next, SpvLoopControlMaskNone);
    if (at_end)
        add_branch(module, at, body);
    else
        (void)wpg_inst_add(module, at->where, SpvOpBranchConditional, condition, body, merge);
    add_label(module, at, body);
    add_branch(module, at, next);
    add_label(module, at, next);
    if (at_end)
        (void)wpg_inst_add(module, at->where, SpvOpBranchConditional, condition, head, merge);
    else
        add_branch(module, at, head);
    add_label(module, at, merge);
}

static void edit(wpg_module *module)
{
    place at;
    wpg_inst *inst = pick(module);
    if (!inst)
        return;
    switch (next_random(16)) {
    case 0:
        swap_targets(inst);
        break;
    case 1:
        drop(module, inst);
        break;
    case 2:
        repeat(module, inst);
        break;
    case 3:
        if (find_place(&at, inst))
            split(module, &at);
        break;
    case 4:
    case 5:
        if (find_place(&at, inst))
            insert_if(module, &at);
        break;
    case 6:
        if (find_place(&at, inst))
            insert_loop(module, &at);
        break;
    default:
        change_operand(module, inst);
    }
}

void fuzz_edit(wpg_module *module, uint32_t seed, uint32_t steps)
{
    random_state = seed * 2654435761u + 1;
    for (; steps; steps--)
        edit(module);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    fuzz_module input;
    wpg_module *module = NULL;
    random_state = seed * 2654435761u + 1;
    if (next_random(16) == 0 || !fuzz_module_init(&input, data, size))
        return LLVMFuzzerMutate(data, size, most);
    uint32_t *out = NULL;
    size_t out_count;
    if (wpg_module_parse(&module, input.words, input.count, NULL) == WPG_OK) {
        for (uint32_t steps = next_random(4); steps; steps--)
            edit(module);
        input.choices[next_random(sizeof input.choices)] = (uint8_t)next_random(256);
        memcpy(&module->generator, input.choices, sizeof module->generator);
        if (wpg_module_emit(&out, &out_count, module, NULL) == WPG_OK && out_count * sizeof *out <= most) {
            size = out_count * sizeof *out;
            memcpy(data, out, size);
        }
    } else {
        size = LLVMFuzzerMutate(data, size, most);
    }
    wpg_module_destroy(module);
    free(out);
    fuzz_module_finish(&input);
    return size;
}
