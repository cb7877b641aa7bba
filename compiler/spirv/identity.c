/* The instructions that shader identity hashes.
 *
 *     module --less names, lines, remarks-->
 *         head | declarations, as the code needs them | functions | annotations
 *
 * Front ends declare types, constants and variables when they first need them. Debug information (glslang
 * -gVS) needs some declarations earlier than the code does, and some that the code never needs. So the order
 * of declarations carries no meaning, and neither does a declaration without a user:
 *
 *     - The head (capabilities to execution modes) and the functions keep the order of the module.
 *     - The walk over head and functions meets the id of a declaration. The declaration stands at the first
 *       such place, behind the declarations it needs itself.
 *     - A declaration that the walk does not meet is left out, unless it is the workgroup's size.
 *     - Annotations come last. stage.c sorts them by their renumbered words. An annotation of a declaration
 *       left out is left out.
 *
 * SPIR-V gives no meaning to the order of declarations and to unused ones (2.4, 2.16.1). So no two shaders
 * that differ for a driver get one hash.
 *
 * A module with an opcode that the grammar does not know keeps every instruction in its order: the opcode's
 * operands may hold ids. Sources: SPIR-V 1.6, 2.4; SPV_KHR_non_semantic_info;
 * NonSemantic.Shader.DebugInfo.100. */
#include "compiler/spirv/identity.h"

#include <string.h>

#include "compiler/spirv/builder.h"
#include "compiler/spirv/debug.h"
#include "compiler/spirv/grammar.h"

/* -- What is left out ---------------------------------------------------------------------------------- */

static bool cannot_change_code(const wpg_module *module, const wpg_inst *inst)
{
    const char *name;
    switch ((int)inst->opcode) {
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpString:
    case SpvOpSource:
    case SpvOpSourceContinued:
    case SpvOpSourceExtension:
    case SpvOpModuleProcessed:
    case SpvOpLine:
    case SpvOpNoLine:
        return true;
    case SpvOpExtInst:
    case WPG_OP_EXT_INST_WITH_FORWARD_REFS:
        return wpg_is_remark(module, inst);
    case SpvOpExtInstImport:
        return wpg_is_remark_set(inst);
    case SpvOpExtension:
        name = wpg_inst_string(inst, 1);
        return name && (!strcmp(name, "SPV_KHR_non_semantic_info") ||
                        !strcmp(name, "SPV_KHR_relaxed_extended_instruction"));
    default:
        return false;
    }
}

/* -- Order --------------------------------------------------------------------------------------------- */

/* Of one id. */
enum { DECLARED = 1, PLACED = 2 };

/* A declaration that waits for what it needs, and how much of that was looked at: the type, then used ids. */
typedef struct step {
    const wpg_inst *inst;
    size_t next;
} step;

typedef struct order {
    const wpg_module *module;
    uint8_t *ids; /* [bound] */
    step *steps;  /* room for every declaration */
    wpg_operand_list used;
    bool failed; /* memory ran out */
    wpg_identity *out;
} order;

static void put(order *o, const wpg_inst *inst)
{
    o->out->list[o->out->count++] = inst;
}

/* Is it a declaration that is not placed yet? */
static bool waits(const order *o, uint32_t id)
{
    return id < o->module->bound && o->ids[id] == DECLARED;
}

/* The next id that names a declaration not placed yet; NULL where there is none left. */
static const wpg_inst *next_declaration(order *o, step *at)
{
    const wpg_inst *inst = at->inst;
    if (!at->next) {
        at->next = 1;
        if (waits(o, inst->type))
            return wpg_module_def(o->module, inst->type);
    }
    if (!wpg_used_ids(&o->used, o->module, inst)) {
        o->failed = true;
        return NULL;
    }
    while (at->next <= o->used.count) {
        const uint32_t id = inst->words[o->used.data[at->next++ - 1]];
        if (waits(o, id))
            return wpg_module_def(o->module, id);
    }
    return NULL;
}

/* Puts what the instruction needs, as far as that is not placed, each behind its own needs. Pointers to
 * themselves (OpTypeForwardPointer) end at the declaration that waits already. */
static void place_needs(order *o, const wpg_inst *inst)
{
    size_t depth = 0;
    o->steps[depth++] = (step){inst, 0};
    while (depth) {
        step *top = &o->steps[depth - 1];
        const wpg_inst *needed = next_declaration(o, top);
        if (needed) {
            o->ids[needed->result] = PLACED;
            o->steps[depth++] = (step){needed, 0};
        } else if (--depth) {
            put(o, top->inst);
        }
    }
}

/* What hangs on declarations: placed by these. */
static bool is_annotation(const wpg_inst *inst)
{
    return wpg_opcode_is_annotation(inst->opcode) || inst->opcode == SpvOpTypeForwardPointer;
}

/* Names many targets, some of which may be left out. */
static bool is_group(const wpg_inst *annotation)
{
    return annotation->opcode == SpvOpGroupDecorate || annotation->opcode == SpvOpGroupMemberDecorate;
}

/* Whether the annotated id was left out. Groups of decorations are kept whole. */
static bool is_of_nothing(const order *o, const wpg_inst *annotation)
{
    return annotation->count > 1 && waits(o, annotation->words[1]);
}

/* What stands before the first function. */
static void put_declarations(order *o, const wpg_inst *functions)
{
    for (const wpg_inst *inst = o->module->first; inst != functions; inst = inst->next)
        if (!cannot_change_code(o->module, inst) && !is_annotation(inst) &&
            (!inst->result || inst->opcode == SpvOpExtInstImport))
            put(o, inst);
        else if (!cannot_change_code(o->module, inst) && !is_annotation(inst))
            o->ids[inst->result] = DECLARED;
    for (size_t i = 0, count = o->out->count; i < count; i++)
        place_needs(o, o->out->list[i]);
    for (const wpg_inst *inst = functions; inst; inst = inst->next)
        if (!cannot_change_code(o->module, inst))
            place_needs(o, inst);
    for (const wpg_inst *inst = o->module->first; inst != functions; inst = inst->next)
        if (is_annotation(inst) && !is_group(inst) &&
            (wpg_sets_workgroup_size(inst) || !is_of_nothing(o, inst)))
            place_needs(o, inst); /* of OpDecorateId, for one */
}

static void put_functions(order *o, const wpg_inst *functions)
{
    for (const wpg_inst *inst = functions; inst; inst = inst->next)
        if (!cannot_change_code(o->module, inst))
            put(o, inst);
}

static void put_annotations(order *o, const wpg_inst *functions)
{
    o->out->annotations = o->out->count;
    for (const wpg_inst *inst = o->module->first; inst != functions; inst = inst->next)
        if (is_annotation(inst) && !is_of_nothing(o, inst))
            put(o, inst);
}

static void keep_order(wpg_identity *out, const wpg_module *module)
{
    WPG_INST_EACH (inst, module) {
        if (!cannot_change_code(module, inst))
            out->list[out->count++] = inst;
    }
    out->annotations = out->count;
}

bool wpg_identity_stream(wpg_identity *out, const wpg_module *module, uint32_t version, wpg_arena *arena)
{
    const wpg_inst *functions = module->first;
    size_t total = 0;
    *out = (wpg_identity){0};
    WPG_INST_EACH (inst, module) {
        total++;
    }
    out->list = WPG_ARENA_ARRAY(arena, const wpg_inst *, total + 1);
    if (!out->list)
        return false;
    if (version == 1 || module->has_unknown) {
        keep_order(out, module);
        return true;
    }
    order o = {.module = module, .out = out};
    o.ids = WPG_ARENA_ARRAY(arena, uint8_t, module->bound + 1);
    o.steps = wpg_arena_alloc_raw(arena, total + 2, sizeof *o.steps);
    if (!o.ids || !o.steps)
        return false;
    while (functions && functions->opcode != SpvOpFunction)
        functions = functions->next;
    put_declarations(&o, functions);
    put_functions(&o, functions);
    put_annotations(&o, functions);
    wpg_vec_free(&o.used);
    return !o.failed;
}
