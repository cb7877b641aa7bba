/* Does a stage see the size of its waves? See wave_free.h. */
#include "compiler/analysis/graph/wave_free.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/graph/cfg.h"
#include "compiler/spirv/builder.h"
#include "compiler/spirv/grammar.h"

/* -- Instructions */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* By name, so that what later versions add to a family is refused too. */
static const char *seen_by_opcode(const wpg_inst *inst)
{
    const wpg_opcode_info *info = wpg_opcode_lookup(inst->opcode);
    if (!info)
        return "it has an instruction that is not known";
    const char *name = info->name;
    if (begins(name, "OpGroup") || begins(name, "OpSubgroup"))
        return "it has a subgroup instruction";
    if (strstr(name, "Quad"))
        return "it has a quad instruction";
    if (strstr(name, "Cooperative"))
        return "it has a cooperative instruction";
    if (begins(name, "OpReadClock"))
        return "it reads a clock";
    if (begins(name, "OpAtomicF") && !begins(name, "OpAtomicFlag"))
        return "it has a floating-point atomic";
    return NULL;
}

/* An operand that is a scope: the subgroup, or one that is no constant. */
static const char *seen_by_scope(const wpg_module *module, const wpg_inst *inst)
{
    wpg_operand_walk walk = wpg_operands(module, inst);
    wpg_operand operand;
    while (wpg_operand_next(&walk, &operand)) {
        uint64_t scope;
        uint32_t width;
        if (operand.kind != WPG_OPERAND_SCOPE)
            continue;
        if (!wpg_const_value(module, inst->words[operand.at], &scope, &width))
            return "it has a scope that is no constant";
        if (scope == SpvScopeSubgroup)
            return "it has a subgroup as a scope";
        if (inst->opcode == SpvOpControlBarrier && operand.at == 1 && scope != SpvScopeWorkgroup)
            return "it has a barrier that is not the workgroup's";
    }
    return walk.malformed ? "it has operands that are not known" : NULL;
}

static bool tells_of_waves(uint32_t builtin)
{
    return (builtin >= SpvBuiltInSubgroupSize && builtin <= SpvBuiltInSubgroupLocalInvocationId) ||
           (builtin >= 4160 && builtin <= 4163) || /* cores and warps of Arm */
           (builtin >= SpvBuiltInSubgroupEqMask && builtin <= SpvBuiltInSubgroupLtMask) ||
           (builtin >= SpvBuiltInWarpsPerSMNV && builtin <= SpvBuiltInSMIDNV);
}

static bool mode_tells_of_waves(uint32_t mode)
{
    return mode == SpvExecutionModeSubgroupSize || mode == SpvExecutionModeSubgroupsPerWorkgroup ||
           mode == SpvExecutionModeSubgroupsPerWorkgroupId ||
           mode == SpvExecutionModeSubgroupUniformControlFlowKHR ||
           mode == SpvExecutionModeDerivativeGroupQuadsNV || mode == SpvExecutionModeDerivativeGroupLinearNV;
}

/* Sets of vendors have subgroup operations of their own (SPV_AMD_shader_ballot) and clocks. */
static bool is_plain_set(const wpg_inst *import)
{
    const char *name = wpg_inst_string(import, 2);
    return name && (strcmp(name, "GLSL.std.450") == 0 || begins(name, "NonSemantic."));
}

static const char *seen_outside_functions(const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpExtInstImport:
        return is_plain_set(inst) ? NULL : "it has an instruction set that is not known";
    case SpvOpDecorate:
        return inst->count >= 4 && inst->words[2] == SpvDecorationBuiltIn && tells_of_waves(inst->words[3])
                   ? "it has a built-in variable of waves"
                   : NULL;
    case SpvOpMemberDecorate:
        return inst->count >= 5 && inst->words[3] == SpvDecorationBuiltIn && tells_of_waves(inst->words[4])
                   ? "it has a built-in variable of waves"
                   : NULL;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return inst->count >= 3 && mode_tells_of_waves(inst->words[2]) ? "it has an execution mode of waves"
                                                                       : NULL;
    default:
        return NULL;
    }
}

/* -- Workgroup memory */

enum { MOST_VARIABLES = 64 };

typedef struct shared_memory {
    const wpg_module *module;
    uint32_t variables[MOST_VARIABLES];
    uint32_t count;
    bool aliased; /* they may share bytes: one for all */
    bool unknown; /* more than are kept */
} shared_memory;

static void find_shared(shared_memory *shared, const wpg_module *module)
{
    *shared = (shared_memory){.module = module};
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        shared->aliased |= inst->opcode == SpvOpCapability &&
                           inst->words[1] == SpvCapabilityWorkgroupMemoryExplicitLayoutKHR;
        if (inst->opcode != SpvOpVariable || inst->count < 4 || inst->words[3] != SpvStorageClassWorkgroup)
            continue;
        if (shared->count == MOST_VARIABLES)
            shared->unknown = true;
        else
            shared->variables[shared->count++] = inst->result;
    }
}

static bool is_shared_pointer(const wpg_module *module, uint32_t id)
{
    const wpg_inst *inst = wpg_module_def(module, id);
    const wpg_inst *type = inst && inst->type ? wpg_module_def(module, inst->type) : NULL;
    return type && type->opcode == SpvOpTypePointer && type->count > 2 &&
           type->words[2] == SpvStorageClassWorkgroup;
}

/* The variable's bit; 0: it could not be followed. */
static uint64_t bit_of(const shared_memory *shared, uint32_t pointer)
{
    for (unsigned hops = 0; hops < 64; hops++) {
        const wpg_inst *inst = wpg_module_def(shared->module, pointer);
        if (!inst || inst->count < 4)
            return 0;
        if (inst->opcode == SpvOpVariable) {
            for (uint32_t i = 0; i < shared->count; i++)
                if (shared->variables[i] == pointer)
                    return UINT64_C(1) << (shared->aliased ? 0 : i);
            return 0;
        }
        if (inst->opcode != SpvOpAccessChain && inst->opcode != SpvOpInBoundsAccessChain &&
            inst->opcode != SpvOpCopyObject)
            return 0;
        pointer = inst->words[3];
    }
    return 0;
}

/* Variables that may have been written since the last barrier: by stores, by atomics. */
typedef struct pending {
    uint64_t stored, atomic;
} pending;

enum { AT_LOAD = 1, AT_STORE = 2, AT_ATOMIC = 4 };

/* What the instruction does through its operand `at`, 0: nothing; -1: not known. */
static int access_of(const wpg_inst *inst, unsigned at)
{
    switch (inst->opcode) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpCopyObject:
        return at == 3 ? 0 : -1;
    case SpvOpLoad:
        return AT_LOAD;
    case SpvOpStore:
        return at == 1 ? AT_STORE : -1;
    case SpvOpCopyMemory:
        return at == 1 ? AT_STORE : at == 2 ? AT_LOAD : -1;
    case SpvOpAtomicStore:
    case SpvOpAtomicFlagClear:
        return AT_ATOMIC;
    default:
        return (inst->opcode >= SpvOpAtomicLoad && inst->opcode <= SpvOpAtomicXor) ||
                       inst->opcode == SpvOpAtomicFlagTestAndSet
                   ? AT_ATOMIC
                   : -1;
    }
}

static const char *run_access(pending *state, const shared_memory *shared, const wpg_inst *inst, unsigned at)
{
    int access = access_of(inst, at);
    if (access == 0)
        return NULL;
    uint64_t bit = access > 0 ? bit_of(shared, inst->words[at]) : 0;
    if (!bit)
        return "its workgroup memory could not be followed";
    if ((access == AT_LOAD && ((state->stored | state->atomic) & bit)) ||
        (access == AT_ATOMIC && (state->stored & bit)))
        return "it reads workgroup memory that was written without a barrier between";
    if (access == AT_STORE)
        state->stored |= bit;
    if (access == AT_ATOMIC)
        state->atomic |= bit;
    return NULL;
}

static const char *run_block(pending *state, const shared_memory *shared, const wpg_block *block)
{
    for (const wpg_inst *inst = block->label->next;; inst = inst->next) {
        if (inst->opcode == SpvOpControlBarrier)
            *state = (pending){0};
        if (inst->opcode == SpvOpFunctionCall)
            return "it calls a function beside workgroup memory";
        wpg_operand_walk walk = wpg_operands(shared->module, inst);
        wpg_operand operand;
        while (wpg_operand_next(&walk, &operand))
            if (operand.kind == WPG_OPERAND_ID &&
                is_shared_pointer(shared->module, inst->words[operand.at])) {
                const char *why = run_access(state, shared, inst, operand.at);
                if (why)
                    return why;
            }
        if (inst == block->terminator)
            return NULL;
    }
}

/* Forward, to the fixed point: what may be pending where a block begins is what may be where one of its
 * predecessors ends. */
static const char *run_function(const shared_memory *shared, const wpg_cfg *cfg)
{
    pending *in = calloc(cfg->count, sizeof *in);
    const char *why = in ? NULL : "out of memory";
    for (bool again = true; again && !why;) {
        again = false;
        for (uint32_t i = 0; i < cfg->order_count && !why; i++) {
            const wpg_block *block = &cfg->blocks[cfg->order[i]];
            pending state = in[cfg->order[i]];
            why = run_block(&state, shared, block);
            for (uint32_t s = 0; s < block->successor_count; s++) {
                pending *to = &in[block->successors[s]];
                again |= (state.stored & ~to->stored) || (state.atomic & ~to->atomic);
                to->stored |= state.stored;
                to->atomic |= state.atomic;
            }
        }
    }
    free(in);
    return why;
}

static const char *seen_through_memory(const wpg_module *module)
{
    shared_memory shared;
    find_shared(&shared, module);
    if (shared.count == 0)
        return NULL;
    if (shared.unknown)
        return "it has too many variables in workgroup memory";
    for (wpg_inst *f = wpg_first_function(module); f; f = wpg_next_function(f->next)) {
        wpg_cfg *cfg;
        if (wpg_cfg_create(&cfg, module, f, NULL) != WPG_OK)
            return "its control flow is not structured";
        const char *why = run_function(&shared, cfg);
        wpg_cfg_destroy(cfg);
        if (why)
            return why;
    }
    return NULL;
}

/* -- The proof */

static const char *seen(const wpg_module *module, const wpg_stage *stage)
{
    if (stage->model > SpvExecutionModelGLCompute || stage->model == SpvExecutionModelTessellationControl)
        return "its kind of stage has waves of a fixed kind";
    if (module->has_unknown)
        return "it has an instruction that is not known";
    bool in_functions = false;
    WPG_INST_EACH (inst, module) {
        in_functions |= inst->opcode == SpvOpFunction;
        const char *why = in_functions ? seen_by_opcode(inst) : seen_outside_functions(inst);
        if (!why && in_functions)
            why = seen_by_scope(module, inst);
        if (why)
            return why;
    }
    return seen_through_memory(module);
}

bool wpg_wave_free(const wpg_module *module, const wpg_stage *stage, const char **why)
{
    const char *reason = seen(module, stage);
    *why = reason;
    return reason == NULL;
}
