/* The fixpoint: every value starts as constant and is raised until nothing changes. See divergence.h. */
#include "compiler/analysis/values/divergence_internal.h"

#include "compiler/spirv/builder.h"
#include "compiler/spirv/grammar.h"

enum { NO = WPG_NO_BLOCK, ANYTHING = WPG_DIVERGENT | WPG_STATE_VARIES };

/* -- What the module says */

static void decorate(wpg_divergence *d, uint32_t id, uint32_t decoration, uint32_t parameter)
{
    switch ((SpvDecoration)decoration) {
    case SpvDecorationNonWritable:
        d->decorated[id] |= WPG_DECORATED_NON_WRITABLE;
        break;
    case SpvDecorationVolatile:
    case SpvDecorationCoherent:
        d->decorated[id] |= WPG_DECORATED_VOLATILE;
        break;
    case SpvDecorationBlock:
        d->decorated[id] |= WPG_DECORATED_BLOCK;
        break;
    case SpvDecorationBufferBlock:
        d->decorated[id] |= WPG_DECORATED_BUFFER_BLOCK;
        break;
    case SpvDecorationBuiltIn:
        d->decorated[id] |= WPG_DECORATED_BUILTIN;
        d->builtin[id] = parameter;
        break;
    default:
        break;
    }
}

static void read_annotations(wpg_divergence *d)
{
    bool groups = false;
    uint32_t functions = 0;
    WPG_INST_EACH (inst, d->module) {
        functions += inst->opcode == SpvOpFunction;
        groups |= inst->opcode == SpvOpGroupDecorate || inst->opcode == SpvOpGroupMemberDecorate;
        if (inst->count < 3 || inst->words[1] >= d->bound)
            continue;
        uint32_t id = inst->words[1];
        if (inst->opcode == SpvOpDecorate) {
            decorate(d, id, inst->words[2], inst->count > 3 ? inst->words[3] : UINT32_MAX);
        } else if (inst->opcode == SpvOpMemberDecorate && inst->count > 3) {
            d->non_writable[id] += inst->words[3] == SpvDecorationNonWritable;
            if (inst->words[3] == SpvDecorationVolatile || inst->words[3] == SpvDecorationCoherent)
                d->decorated[id] |= WPG_DECORATED_VOLATILE;
        }
    }
    d->one_function = functions == 1;
    /* Groups are old and rare: with them anything may be volatile. */
    for (uint32_t id = 0; groups && id < d->bound; id++)
        d->decorated[id] |= WPG_DECORATED_VOLATILE;
}

/* -- Memory */

/* The struct type a variable holds, through arrays; 0 if it holds none. */
static uint32_t held_struct(const wpg_divergence *d, const wpg_inst *variable)
{
    const wpg_inst *type = wpg_module_def(d->module, variable->type);
    if (!type || type->opcode != SpvOpTypePointer || type->count < 4)
        return 0;
    type = wpg_module_def(d->module, type->words[3]);
    for (unsigned depth = 0; type && type->count > 2 && depth < 16; depth++) {
        if (type->opcode == SpvOpTypeStruct)
            return type->result;
        if (type->opcode != SpvOpTypeArray && type->opcode != SpvOpTypeRuntimeArray)
            return 0;
        type = wpg_module_def(d->module, type->words[2]);
    }
    return 0;
}

static bool is_volatile(const wpg_divergence *d, const wpg_inst *variable)
{
    return ((d->decorated[variable->result] | d->decorated[held_struct(d, variable)]) &
            WPG_DECORATED_VOLATILE) != 0;
}

static bool is_read_only(const wpg_divergence *d, const wpg_inst *variable)
{
    uint32_t type = held_struct(d, variable);
    const wpg_inst *def = wpg_module_def(d->module, type);
    if (d->decorated[variable->result] & WPG_DECORATED_NON_WRITABLE)
        return true;
    return def && def->count > 2 && d->non_writable[type] >= def->count - 2u;
}

static wpg_state input_state(const wpg_divergence *d, const wpg_inst *variable)
{
    if (!(d->decorated[variable->result] & WPG_DECORATED_BUILTIN))
        return WPG_DIVERGENT;
    switch ((SpvBuiltIn)d->builtin[variable->result]) {
    case SpvBuiltInWorkgroupSize:
        return WPG_UNIFORM_CONSTANT;
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInLaunchSizeKHR:
    case SpvBuiltInPatchVertices:
        return WPG_UNIFORM_DISPATCH;
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInNumSubgroups:
        return WPG_UNIFORM_WORKGROUP;
    case SpvBuiltInSubgroupId:
    case SpvBuiltInSubgroupSize: /* may vary between subgroups */
    case SpvBuiltInBaseVertex:
    case SpvBuiltInBaseInstance:
    case SpvBuiltInDrawIndex: /* one draw of an indirect command is not in another's subgroups */
    case SpvBuiltInDeviceIndex:
        return WPG_UNIFORM_SUBGROUP;
    case SpvBuiltInHelperInvocation: /* changes while the invocation runs */
        return ANYTHING;
    default:
        return WPG_DIVERGENT;
    }
}

/* What the memory behind a variable may differ by, at one address. */
static wpg_state memory_state(const wpg_divergence *d, const wpg_inst *variable)
{
    if (is_volatile(d, variable))
        return ANYTHING;
    const wpg_inst *type = wpg_module_def(d->module, variable->type);
    switch (type && type->count > 3 ? (SpvStorageClass)type->words[2] : SpvStorageClassMax) {
    case SpvStorageClassPushConstant:
    case SpvStorageClassUniformConstant:
        return WPG_UNIFORM_DISPATCH;
    case SpvStorageClassUniform: {
        uint8_t decorated = d->decorated[held_struct(d, variable)];
        if (decorated & WPG_DECORATED_BLOCK && !(decorated & WPG_DECORATED_BUFFER_BLOCK))
            return WPG_UNIFORM_DISPATCH;
        return is_read_only(d, variable) ? WPG_UNIFORM_DISPATCH : WPG_UNIFORM_SUBGROUP | WPG_STATE_VARIES;
    }
    case SpvStorageClassStorageBuffer:
        return is_read_only(d, variable) ? WPG_UNIFORM_DISPATCH : WPG_UNIFORM_SUBGROUP | WPG_STATE_VARIES;
    case SpvStorageClassWorkgroup:
        return WPG_UNIFORM_SUBGROUP | WPG_STATE_VARIES;
    case SpvStorageClassInput:
        return input_state(d, variable);
    default:
        return ANYTHING;
    }
}

static wpg_state content_of(const wpg_divergence *d, uint32_t variable)
{
    if (d->use[variable] != WPG_VARIABLE_PARTS)
        return ANYTHING;
    return wpg_state_join(d->content[variable], d->stores[variable] > 1 ? WPG_STATE_VARIES : 0);
}

static wpg_state load_state(const wpg_divergence *d, const wpg_inst *inst, uint32_t block)
{
    if (inst->count < 4 || (inst->count > 4 && inst->words[4] & SpvMemoryAccessVolatileMask))
        return ANYTHING;
    uint32_t pointer = inst->words[3];
    if (d->source[inst->result] != NO)
        return wpg_divergence_seen(d, d->source[inst->result], block);
    wpg_state address = wpg_divergence_seen(d, pointer, block);
    uint32_t root = wpg_divergence_root(d, pointer);
    const wpg_inst *variable = wpg_module_def(d->module, root);
    if (variable && root < d->bound && d->use[root] != WPG_VARIABLE_NONE)
        return wpg_state_join(address, content_of(d, root));
    if (variable)
        return wpg_state_join(address, memory_state(d, variable));
    const wpg_inst *def = wpg_module_def(d->module, pointer);
    const wpg_inst *type = def ? wpg_module_def(d->module, def->type) : NULL;
    if (type && type->opcode == SpvOpTypePointer && type->count > 3 &&
        type->words[2] == SpvStorageClassPhysicalStorageBuffer)
        return wpg_state_join(address, WPG_UNIFORM_SUBGROUP | WPG_STATE_VARIES);
    return ANYTHING;
}

/* A store to a variable used in parts; true if news. */
static bool note_store(wpg_divergence *d, const wpg_inst *inst, uint32_t block, bool first_pass)
{
    uint32_t root = inst->count > 2 ? wpg_divergence_root(d, inst->words[1]) : 0;
    if (!root || root >= d->bound || d->use[root] != WPG_VARIABLE_PARTS)
        return false;
    wpg_state state = wpg_state_join(wpg_divergence_seen(d, inst->words[1], block),
                                     wpg_divergence_seen(d, inst->words[2], block));
    state = wpg_state_join(state, wpg_divergence_reach(d, block));
    state = wpg_state_join(d->content[root], state);
    bool changed = state != d->content[root];
    d->content[root] = state;
    if (first_pass)
        d->stores[root] += d->cfg->blocks[block].loop != NO ? 2 : 1;
    return changed;
}

/* -- Instructions */

static bool between(unsigned opcode, SpvOp first, SpvOp last)
{
    return opcode >= (unsigned)first && opcode <= (unsigned)last;
}

/* The result depends on the operands alone. */
static bool is_pure(unsigned opcode)
{
    return between(opcode, SpvOpVectorExtractDynamic, SpvOpTranspose) ||
           between(opcode, SpvOpConvertFToU, SpvOpConvertUToPtr) || opcode == SpvOpBitcast ||
           between(opcode, SpvOpSNegate, SpvOpSMulExtended) ||
           between(opcode, SpvOpAny, SpvOpFUnordGreaterThanEqual) ||
           between(opcode, SpvOpShiftRightLogical, SpvOpBitCount) ||
           between(opcode, SpvOpSDot, SpvOpSUDotAccSat) || opcode == SpvOpCopyLogical ||
           opcode == SpvOpAccessChain || opcode == SpvOpInBoundsAccessChain ||
           opcode == SpvOpPtrAccessChain || opcode == SpvOpInBoundsPtrAccessChain ||
           opcode == SpvOpSampledImage || opcode == SpvOpImage ||
           opcode == SpvOpGroupNonUniformBallotBitExtract || opcode == SpvOpGroupNonUniformBallotFindLSB ||
           opcode == SpvOpGroupNonUniformBallotFindMSB;
}

/* All active lanes get the same. */
static bool is_subgroup_wide(const wpg_inst *inst)
{
    switch ((SpvOp)inst->opcode) {
    case SpvOpGroupNonUniformAll:
    case SpvOpGroupNonUniformAny:
    case SpvOpGroupNonUniformAllEqual:
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformBroadcastFirst:
    case SpvOpGroupNonUniformBallot:
    case SpvOpSubgroupBallotKHR:
    case SpvOpSubgroupFirstInvocationKHR:
    case SpvOpSubgroupAllKHR:
    case SpvOpSubgroupAnyKHR:
    case SpvOpSubgroupAllEqualKHR:
        return true;
    case SpvOpGroupNonUniformBallotBitCount:
    case SpvOpGroupNonUniformIAdd:
    case SpvOpGroupNonUniformFAdd:
    case SpvOpGroupNonUniformIMul:
    case SpvOpGroupNonUniformFMul:
    case SpvOpGroupNonUniformSMin:
    case SpvOpGroupNonUniformUMin:
    case SpvOpGroupNonUniformFMin:
    case SpvOpGroupNonUniformSMax:
    case SpvOpGroupNonUniformUMax:
    case SpvOpGroupNonUniformFMax:
    case SpvOpGroupNonUniformBitwiseAnd:
    case SpvOpGroupNonUniformBitwiseOr:
    case SpvOpGroupNonUniformBitwiseXor:
    case SpvOpGroupNonUniformLogicalAnd:
    case SpvOpGroupNonUniformLogicalOr:
    case SpvOpGroupNonUniformLogicalXor:
        return inst->count > 4 && inst->words[4] == SpvGroupOperationReduce;
    default:
        return false;
    }
}

/* GLSL.std.450, but for what looks at other lanes or writes through a pointer. */
static bool is_pure_extended(const wpg_divergence *d, const wpg_inst *inst)
{
    enum { INTERPOLATE_FIRST = 76, INTERPOLATE_LAST = 78, MODF = 35, FREXP = 51, LAST = 81 };
    if (inst->count < 5 || !wpg_is_glsl_set(d->module, inst->words[3]))
        return false;
    uint32_t number = inst->words[4];
    return number && number <= LAST && number != MODF && number != FREXP &&
           (number < INTERPOLATE_FIRST || number > INTERPOLATE_LAST);
}

static wpg_state operands_state(wpg_divergence *d, const wpg_inst *inst, uint32_t block)
{
    wpg_state state = WPG_UNIFORM_CONSTANT;
    if (!wpg_used_ids(&d->used, d->module, inst))
        return ANYTHING;
    for (size_t i = 0; i < d->used.count; i++)
        state = wpg_state_join(state, wpg_divergence_seen(d, inst->words[d->used.data[i]], block));
    return state;
}

static wpg_state inst_state(wpg_divergence *d, const wpg_inst *inst, uint32_t block)
{
    unsigned opcode = inst->opcode;
    if (opcode == SpvOpLoad)
        return load_state(d, inst, block);
    if (opcode == SpvOpVariable)
        return WPG_UNIFORM_CONSTANT; /* its address */
    if (is_pure(opcode) || (opcode == SpvOpExtInst && is_pure_extended(d, inst)))
        return operands_state(d, inst, block);
    if (opcode == SpvOpArrayLength || wpg_opcode_image_access(inst->opcode) == WPG_IMAGE_QUERY)
        return wpg_state_join(operands_state(d, inst, block), WPG_UNIFORM_DISPATCH);
    if (wpg_opcode_reads_sampled(
            inst->opcode)) /* nothing writes through the same descriptor; no derivative */
        return wpg_state_join(operands_state(d, inst, block), WPG_UNIFORM_SUBGROUP);
    if (is_subgroup_wide(inst))
        return WPG_UNIFORM_SUBGROUP | WPG_STATE_VARIES;
    return ANYTHING;
}

static wpg_state phi_state(const wpg_divergence *d, const wpg_phi_node *phi)
{
    const wpg_cfg *cfg = d->cfg;
    wpg_state state = WPG_UNIFORM_CONSTANT;
    uint32_t forward = NO, any = NO;
    bool forward_differ = false, differ = false;
    for (uint32_t i = 0; i < phi->count; i++) {
        const wpg_phi_operand *operand = &d->operands[phi->first + i];
        if (operand->node == phi->node)
            continue;
        state = wpg_state_join(state, wpg_divergence_seen(d, operand->node, phi->block));
        differ |= any != NO && any != operand->node;
        any = operand->node;
        if (cfg->blocks[operand->predecessor].rpo >= cfg->blocks[phi->block].rpo)
            continue;
        forward_differ |= forward != NO && forward != operand->node;
        forward = operand->node;
    }
    if (forward_differ)
        state = wpg_state_join(state, wpg_divergence_parted(d, phi->block));
    /* A value that changes on the way round a loop. */
    bool changes = differ && phi->count && cfg->blocks[phi->block].merge &&
                   cfg->blocks[phi->block].merge->opcode == SpvOpLoopMerge;
    return wpg_state_join(state, changes ? WPG_STATE_VARIES : WPG_UNIFORM_CONSTANT);
}

/* -- Fixpoint */

static bool raise_node(wpg_divergence *d, uint32_t node, wpg_state by)
{
    wpg_state joined = wpg_state_join(d->states[node], by);
    bool changed = joined != d->states[node];
    d->states[node] = joined;
    return changed;
}

static bool pass_block(wpg_divergence *d, uint32_t b, bool first)
{
    const wpg_block *block = &d->cfg->blocks[b];
    bool changed = false;
    for (uint32_t p = d->phis_at[b]; p != UINT32_MAX; p = d->phis[p].next)
        changed |= raise_node(d, d->phis[p].node, phi_state(d, &d->phis[p]));
    for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
        if (inst->opcode == SpvOpStore)
            changed |= note_store(d, inst, b, first);
        else if (inst->result && inst->result < d->bound && inst->opcode != SpvOpPhi)
            changed |= raise_node(d, inst->result, inst_state(d, inst, b));
    }
    if (block->successor_count > 1 && block->terminator->count > 1)
        changed |= wpg_divergence_branch(d, b, wpg_divergence_seen(d, block->terminator->words[1], b));
    return changed;
}

/* States of what stands outside the function's reachable blocks. */
static void start_states(wpg_divergence *d)
{
    for (uint32_t i = 0; i < d->node_count; i++) {
        d->block_of[i] = NO;
        d->states[i] = i < d->bound ? ANYTHING : WPG_UNIFORM_CONSTANT;
    }
    WPG_INST_EACH (inst, d->module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->result && inst->result < d->bound && inst->opcode != SpvOpUndef)
            d->states[inst->result] = WPG_UNIFORM_CONSTANT;
    }
    for (uint32_t i = 0; i < d->cfg->order_count; i++) {
        const wpg_block *block = &d->cfg->blocks[d->cfg->order[i]];
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
            if (!inst->result || inst->result >= d->bound)
                continue;
            d->block_of[inst->result] = d->cfg->order[i];
            d->states[inst->result] = WPG_UNIFORM_CONSTANT;
        }
    }
    for (uint32_t p = 0; p < d->phi_count; p++)
        d->block_of[d->phis[p].node] = d->phis[p].block;
}

static wpg_status compute(wpg_divergence *d)
{
    const wpg_cfg *cfg = d->cfg;
    wpg_arena *arena = d->arena;
    const uint32_t bound = d->bound;
    d->decorated = WPG_ARENA_ARRAY(arena, uint8_t, bound);
    d->builtin = WPG_ARENA_ARRAY(arena, uint32_t, bound);
    d->non_writable = WPG_ARENA_ARRAY(arena, uint32_t, bound);
    d->content = WPG_ARENA_ARRAY(arena, wpg_state, bound);
    d->stores = WPG_ARENA_ARRAY(arena, uint32_t, bound);
    if (arena->failed)
        return WPG_E_NOMEM;
    read_annotations(d);
    if (!wpg_divergence_follow(d) || !wpg_divergence_control(d))
        return WPG_E_NOMEM;
    d->states = WPG_ARENA_ARRAY(arena, wpg_state, d->node_count);
    d->block_of = WPG_ARENA_ARRAY(arena, uint32_t, d->node_count);
    if (arena->failed)
        return WPG_E_NOMEM;
    start_states(d);
    for (bool changed = true, first = true; changed; first = false) {
        changed = first; /* what is stored is known in full after one pass */
        for (uint32_t i = 0; i < cfg->order_count; i++)
            changed |= pass_block(d, cfg->order[i], first);
    }
    return WPG_OK;
}

wpg_status wpg_divergence_compute(wpg_divergence **divergence, const wpg_cfg *cfg, wpg_arena *arena)
{
    wpg_divergence *d = WPG_ARENA_NEW(arena, wpg_divergence);
    if (!d)
        return WPG_E_NOMEM;
    const uint32_t bound = cfg->module->bound;
    *d = (wpg_divergence){
        .cfg = cfg, .module = cfg->module, .arena = arena, .bound = bound, .node_count = bound};
    const wpg_status status = compute(d);
    wpg_vec_free(&d->used);
    *divergence = status == WPG_OK ? d : NULL;
    return status;
}

wpg_uniformity wpg_divergence_at(const wpg_divergence *d, uint32_t id, uint32_t block)
{
    if (id >= d->bound)
        return WPG_DIVERGENT;
    return (wpg_uniformity)(wpg_divergence_seen(d, id, block) & WPG_STATE_LEVEL);
}

bool wpg_divergence_varies(const wpg_divergence *d, uint32_t id)
{
    return id >= d->bound || d->states[id] & WPG_STATE_VARIES;
}

uint32_t wpg_divergence_origin(const wpg_divergence *d, uint32_t id)
{
    for (unsigned depth = 0; id < d->bound && d->source[id] != NO && d->source[id] != WPG_NODE_UNDEFINED;
         depth++) {
        if (depth == 64)
            break;
        id = d->source[id];
    }
    return id;
}

bool wpg_divergence_is_outside(const wpg_divergence *d, uint32_t id, uint32_t construct)
{
    uint32_t origin = wpg_divergence_origin(d, id);
    if (origin >= d->node_count || origin == WPG_NODE_UNDEFINED)
        return false;
    uint32_t at = d->block_of[origin];
    return at == NO ? (d->states[origin] & WPG_STATE_LEVEL) < WPG_DIVERGENT
                    : !wpg_construct_holds(d->cfg, construct, at);
}
