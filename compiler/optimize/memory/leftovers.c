/* What the passes of promote.h leave: declarations that nothing names any more, and memory that SPIRV-Tools
 * might still make values of. See promote.h. */
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/memory/promote.h"
#include "compiler/spirv/builder.h"

/* -- Declarations -- */

static bool names_one_id(const wpg_inst *inst)
{
    return inst->opcode == SpvOpName || inst->opcode == SpvOpMemberName ||
           wpg_opcode_is_annotation(inst->opcode);
}

void wpg_drop_annotations(wpg_module *module, uint32_t bound)
{
    for (wpg_inst *inst = module->first, *next; inst && inst->opcode != SpvOpFunction; inst = next) {
        next = inst->next;
        if (names_one_id(inst) && inst->count > 1 && inst->words[1] < bound &&
            !wpg_module_def(module, inst->words[1]))
            wpg_inst_remove(module, inst);
    }
}

static bool note_uses(bool *used, uint32_t bound, wpg_operand_list *operands, const wpg_module *module,
                      const wpg_inst *inst)
{
    if (!wpg_used_ids(operands, module, inst))
        return false;
    if (inst->type < bound)
        used[inst->type] = true;
    for (size_t i = 0; i < operands->count; i++) {
        const uint32_t id = inst->words[operands->data[i]];
        if (id < bound)
            used[id] = true;
    }
    return true;
}

/* Of an instruction before the first function. */
static bool is_declaration(const wpg_inst *inst)
{
    return inst->result && wpg_inst_section(inst) == WPG_SECTION_GLOBAL;
}

/* A pointer that is declared ahead of its type names what comes later. */
static bool declares_ahead(const wpg_module *module)
{
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpTypeForwardPointer)
            return true;
    return false;
}

/* Declarations come before their users: from the last to the first, each is looked at once. */
bool wpg_drop_declarations(wpg_module *module)
{
    if (declares_ahead(module) || wpg_has_decoration_groups(module))
        return true;
    wpg_arena arena;
    wpg_operand_list operands = {0};
    wpg_arena_init(&arena);
    bool *used = WPG_ARENA_ARRAY(&arena, bool, module->bound), fits = used != NULL;
    wpg_inst *const function = wpg_first_function(module);
    bool inside = false;
    for (wpg_inst *inst = module->first; fits && inst; inst = inst->next) { /* entry points stand before */
        inside |= inst == function;
        if (inside || wpg_sets_workgroup_size(inst) ||
            (!is_declaration(inst) && (!names_one_id(inst) || inst->opcode == SpvOpDecorateId)))
            fits = note_uses(used, module->bound, &operands, module, inst);
    }
    for (wpg_inst *inst = function ? function->prev : NULL, *before; fits && inst; inst = before) {
        before = inst->prev;
        if (!is_declaration(inst))
            continue;
        if (inst->result < module->bound && !used[inst->result])
            wpg_inst_remove(module, inst);
        else
            fits = note_uses(used, module->bound, &operands, module, inst);
    }
    wpg_vec_free(&operands);
    wpg_arena_finish(&arena);
    if (fits)
        wpg_drop_annotations(module, module->bound);
    return fits;
}

/* -- Memory -- */

typedef struct leftover {
    bool found, loaded_whole, indexed, escapes;
    bool is_private, shared; /* shared: by functions */
    uint32_t user;           /* a function that uses it; 0: none */
} leftover;

static void note_access(leftover *l, const wpg_module *module, const wpg_inst *inst, unsigned operand,
                        const wpg_inst *variable)
{
    const bool whole = inst->words[operand] == variable->result;
    const bool chain = inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain;
    l->escapes |= !wpg_is_access(inst, operand);
    l->loaded_whole |= inst->opcode == SpvOpLoad && whole;
    for (unsigned i = 4; chain && i < inst->count; i++)
        l->indexed |= wpg_module_opcode_of(module, inst->words[i]) != SpvOpConstant;
}

static void note_user(leftover *l, uint32_t function)
{
    if (!function)
        return;
    l->shared |= l->user && l->user != function;
    l->user = function;
}

static bool is_left(const leftover *l)
{
    if (l->is_private)
        return l->user && !l->shared;
    return l->found && !l->escapes && (!l->indexed || l->loaded_whole);
}

bool wpg_memory_is_left(bool *left, const wpg_module *module)
{
    wpg_arena arena;
    wpg_operand_list operands = {0};
    wpg_arena_init(&arena);
    leftover *of = WPG_ARENA_ARRAY(&arena, leftover, module->bound);
    bool fits = of != NULL;
    uint32_t function = 0;
    *left = wpg_has_decoration_groups(module);
    WPG_INST_EACH (inst, module) {
        if (!fits || *left)
            break;
        if (inst->opcode == SpvOpFunction)
            function = inst->result;
        if (inst->opcode == SpvOpVariable && inst->words[3] == SpvStorageClassPrivate)
            of[inst->result].is_private = true;
        if (inst->opcode == SpvOpVariable && inst->words[3] == SpvStorageClassFunction)
            of[inst->result].found = true;
        if (names_one_id(inst))
            continue;
        fits = wpg_used_ids(&operands, module, inst);
        for (size_t i = 0; i < operands.count; i++) {
            const wpg_inst *root = wpg_pointer_root(module, inst->words[operands.data[i]]);
            if (!root || root->opcode != SpvOpVariable)
                continue;
            note_user(&of[root->result], function);
            if (root->words[3] == SpvStorageClassFunction)
                note_access(&of[root->result], module, inst, operands.data[i], root);
        }
    }
    for (uint32_t id = 0; fits && id < module->bound; id++)
        *left |= is_left(&of[id]);
    wpg_vec_free(&operands);
    wpg_arena_finish(&arena);
    return fits;
}
