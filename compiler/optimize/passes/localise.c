/* See localise.h.
 *
 * Tint and naga put what a shader keeps in variables of the module into Private memory, with an initializer:
 * all variables of three.js materials. The SSA tier follows Function memory alone.
 *
 * Why it is right: an entry function runs once an invocation, and nothing calls it (SPIR-V 1.6, 2.16.1). So a
 * variable that no other function names lives as long as that function, and is initialized as it begins
 * (SPIR-V 1.6, OpVariable, Initializer). Drivers do the same (Mesa: nir_lower_global_vars_to_local). Left
 * alone: variables whose pointers go anywhere but into loads, stores and access chains. */
#include "compiler/optimize/passes/localise.h"

#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

typedef struct localiser {
    wpg_module *module;
    wpg_inst *
        *entry_of; /* [bound] the entry function that alone uses the Private variable; NULL: none does */
    bool *left;    /* [bound] variables that stay */
    uint32_t bound;
    wpg_operand_list operands;
} localiser;

static bool is_entry(const wpg_module *module, uint32_t function)
{
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpEntryPoint && inst->words[2] == function)
            return true;
    return false;
}

/* The Private variable that a pointer leads into; 0: none, or it is not known. */
static uint32_t private_root(const localiser *l, uint32_t pointer)
{
    if (wpg_pointer_class(l->module, pointer) != SpvStorageClassPrivate)
        return 0;
    const wpg_inst *root = wpg_pointer_root(l->module, pointer);
    return root && root->result < l->bound ? root->result : 0;
}

static bool note_uses(localiser *l, wpg_inst *inst, wpg_inst *entry)
{
    if (!wpg_used_ids(&l->operands, l->module, inst))
        return false;
    for (size_t i = 0; i < l->operands.count; i++) {
        const unsigned at = l->operands.data[i];
        const uint32_t variable = private_root(l, inst->words[at]);
        if (!variable)
            continue;
        if (!entry || !wpg_is_access(inst, at) || (l->entry_of[variable] && l->entry_of[variable] != entry))
            l->left[variable] = true;
        l->entry_of[variable] = entry;
    }
    return true;
}

/* Initializers at module scope, and what functions do. */
static bool find_uses(localiser *l)
{
    wpg_inst *entry = NULL;
    bool inside = false;
    for (wpg_inst *inst = l->module->first; inst; inst = inst->next) {
        if (inst->opcode == SpvOpFunction) {
            inside = true;
            entry = is_entry(l->module, inst->result) ? inst : NULL;
        }
        if ((inside || (inst->opcode == SpvOpVariable && inst->count > 4)) &&
            !wpg_inst_is_non_semantic(l->module, inst) && !note_uses(l, inst, entry))
            return false;
    }
    return true;
}

static bool goes(const localiser *l, uint32_t variable)
{
    return variable && variable < l->bound && l->entry_of[variable] && !l->left[variable];
}

static void set_class(wpg_module *module, wpg_inst *inst)
{
    const wpg_inst *type = wpg_module_def(module, inst->type);
    const uint32_t local = wpg_type_pointer(module, SpvStorageClassFunction, type->words[3]);
    if (inst->opcode == SpvOpVariable)
        inst->words[3] = SpvStorageClassFunction;
    inst->type = inst->words[1] = local;
}

/* Roots are asked for before any class changes. */
static bool retype_chains(localiser *l)
{
    WPG_VEC(wpg_inst *) chains = {0};
    bool fits = true;
    for (wpg_inst *inst = wpg_first_function(l->module); inst && fits; inst = inst->next)
        if ((inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain) &&
            goes(l, private_root(l, inst->result)))
            fits = wpg_vec_push(&chains, inst);
    for (size_t i = 0; i < chains.count && fits; i++)
        set_class(l->module, chains.data[i]);
    wpg_vec_free(&chains);
    return fits;
}

static void move_variables(localiser *l)
{
    for (wpg_inst *inst = l->module->first, *next; inst && inst->opcode != SpvOpFunction; inst = next) {
        next = inst->next;
        if (inst->opcode != SpvOpVariable || !goes(l, inst->result))
            continue;
        wpg_inst *where = l->entry_of[inst->result];
        while (where->opcode != SpvOpLabel)
            where = where->next;
        set_class(l->module, inst);
        wpg_inst_move(l->module, inst, where->next);
    }
}

/* From 1.4 on entry points name the Private variables, too. */
static bool leave_interfaces(localiser *l)
{
    WPG_VEC(uint32_t) words = {0};
    bool fits = true;
    for (wpg_inst *inst = l->module->first; inst && inst->opcode != SpvOpFunction && fits;
         inst = inst->next) {
        if (inst->opcode != SpvOpEntryPoint || !wpg_used_ids(&l->operands, l->module, inst))
            continue;
        const size_t count = l->operands.count;
        const unsigned first = count > 1 ? l->operands.data[1] : inst->count; /* behind the function */
        wpg_vec_clear(&words);
        for (unsigned i = 1; i < inst->count && fits; i++)
            if (i < first || !goes(l, inst->words[i]))
                fits = wpg_vec_push(&words, inst->words[i]);
        if (fits)
            wpg_inst_set_operands(l->module, inst, words.data, words.count);
    }
    wpg_vec_free(&words);
    return fits;
}

static bool has_private(const wpg_module *module)
{
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpVariable && inst->words[3] == SpvStorageClassPrivate)
            return true;
    return false;
}

bool wpg_localise_globals(wpg_module *module)
{
    if (!has_private(module))
        return true;
    wpg_arena arena;
    localiser l = {.module = module, .bound = module->bound};
    wpg_arena_init(&arena);
    l.entry_of = WPG_ARENA_ARRAY(&arena, wpg_inst *, l.bound);
    l.left = WPG_ARENA_ARRAY(&arena, bool, l.bound);
    bool fits = l.entry_of && l.left && find_uses(&l) && retype_chains(&l) && leave_interfaces(&l);
    if (fits)
        move_variables(&l);
    wpg_vec_free(&l.operands);
    wpg_arena_finish(&arena);
    return fits && !module->arena.failed;
}
