/* See copies.h. Loop variables are phis, or still in memory: the normal form leaves them where they were. */
#include "compiler/instrument/code/copies.h"

#include "compiler/spirv/builder.h"

enum { MOST = 32, MOST_ASKED_FOR = 1024, GUESSED = 8, STEPS = 8 };

bool wpg_loop_leaves(const wpg_cfg *cfg, uint32_t loop, uint32_t to)
{
    uint32_t steps = cfg->count;
    while (wpg_construct_holds(cfg, loop, to) && steps-- > 0) {
        const wpg_block *block = &cfg->blocks[to];
        if (block->successor_count != 1 || to == cfg->constructs[loop].continue_target)
            return false;
        to = block->successors[0];
    }
    return !wpg_construct_holds(cfg, loop, to);
}

static bool indexes(const wpg_module *module, const wpg_inst *inst)
{
    if ((inst->opcode != SpvOpAccessChain && inst->opcode != SpvOpInBoundsAccessChain) || inst->count < 5)
        return false;
    const wpg_inst *type = wpg_module_def(module, inst->type);
    if (!type || type->opcode != SpvOpTypePointer)
        return false;
    switch (type->words[2]) {
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
    case SpvStorageClassWorkgroup:
    case SpvStorageClassInput:
    case SpvStorageClassOutput:
        break;
    default:
        return false;
    }
    for (unsigned i = 4; i < inst->count; i++)
        if (!wpg_is_module_constant(module, inst->words[i]))
            return true;
    return false;
}

bool wpg_loop_indexes(const wpg_module *module, const wpg_cfg *cfg, uint32_t loop)
{
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!wpg_construct_holds(cfg, loop, b))
            continue;
        for (const wpg_inst *inst = cfg->blocks[b].label; inst != cfg->blocks[b].terminator;
             inst = inst->next)
            if (indexes(module, inst))
                return true;
    }
    return false;
}

/* A whole number; false for any other id. */
static bool number_of(const wpg_module *module, uint32_t id, int64_t *value)
{
    uint64_t bits;
    uint32_t width;
    const wpg_inst *constant = wpg_module_def(module, id);
    const wpg_inst *type = constant ? wpg_module_def(module, constant->type) : NULL;
    if (!type || type->opcode != SpvOpTypeInt || !wpg_const_value(module, id, &bits, &width))
        return false;
    const uint64_t sign = UINT64_C(1) << (width - 1);
    *value = (int64_t)(type->words[3] && width < 64 ? (bits ^ sign) - sign : bits);
    return true;
}

/* What the variable was last given before the loop, if that is a number. */
static bool stored_before(const wpg_module *module, const wpg_cfg *cfg, uint32_t loop, uint32_t variable,
                          int64_t *value)
{
    const uint32_t header = cfg->constructs[loop].header;
    for (uint32_t at = cfg->blocks[header].rpo; at-- > 0;) {
        const wpg_block *block = &cfg->blocks[cfg->order[at]];
        const wpg_inst *last = NULL;
        for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next)
            if (inst->opcode == SpvOpStore && inst->words[1] == variable)
                last = inst;
        if (last)
            return number_of(module, last->words[2], value);
    }
    return false;
}

/* The number with which the loop's variable behind `id` starts. */
static bool start_of(const wpg_module *module, const wpg_cfg *cfg, uint32_t loop, uint32_t id, int64_t *value)
{
    for (int steps = STEPS; steps > 0; steps--) {
        const wpg_inst *def = wpg_module_def(module, id);
        if (!def)
            return false;
        switch (def->opcode) {
        case SpvOpBitcast:
        case SpvOpCopyObject:
        case SpvOpUConvert:
        case SpvOpSConvert:
        case SpvOpIAdd:
        case SpvOpISub:
            id = wpg_is_module_constant(module, def->words[3]) && def->count > 4 ? def->words[4]
                                                                                 : def->words[3];
            break;
        case SpvOpLoad:
            return stored_before(module, cfg, loop, def->words[3], value);
        case SpvOpPhi:
            for (unsigned i = 3; i + 1 < def->count; i += 2)
                if (number_of(module, def->words[i], value))
                    return true;
            return false;
        default:
            return false;
        }
    }
    return false;
}

static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Trips after which the block's branch leaves the loop; 0: no constant tells. */
static uint64_t trips_by(const wpg_module *module, const wpg_cfg *cfg, uint32_t loop, const wpg_block *block)
{
    const wpg_inst *test = wpg_module_def(module, block->terminator->words[1]);
    if (test && test->opcode == SpvOpLogicalNot)
        test = wpg_module_def(module, test->words[3]);
    if (!test || test->count != 5)
        return 0;
    for (unsigned i = 3; i < 5; i++) {
        int64_t bound, start = 0;
        if (!wpg_is_module_constant(module, test->words[i]))
            continue;
        if (!number_of(module, test->words[i], &bound))
            return MOST; /* floats */
        (void)start_of(module, cfg, loop, test->words[7 - i], &start);
        return distance(bound, start) + 1;
    }
    return 0;
}

uint32_t wpg_loop_copies(const wpg_module *module, const wpg_cfg *cfg, uint32_t loop)
{
    const wpg_block *header = &cfg->blocks[cfg->constructs[loop].header];
    const wpg_inst *merge = header->merge;
    if (!merge || header->rpo == WPG_NO_BLOCK || merge->opcode != SpvOpLoopMerge ||
        merge->words[3] & SpvLoopControlDontUnrollMask)
        return 1;
    uint64_t trips = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (block->loop != loop || block->terminator->opcode != SpvOpBranchConditional)
            continue;
        for (uint32_t i = 0; i < block->successor_count; i++) {
            const uint64_t here =
                wpg_loop_leaves(cfg, loop, block->successors[i]) ? trips_by(module, cfg, loop, block) : 0;
            trips = here && (!trips || here < trips) ? here : trips;
        }
    }
    if (!trips)
        return wpg_loop_indexes(module, cfg, loop) ? GUESSED : 1;
    if (merge->words[3] & SpvLoopControlUnrollMask)
        return trips < MOST_ASKED_FOR ? (uint32_t)trips : MOST_ASKED_FOR;
    return trips <= MOST + 1 ? (uint32_t)trips : 1;
}
