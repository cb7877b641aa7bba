/* See tables.h.
 *
 *     main: %t = OpVariable Function %table     =>     %t = OpVariable Private %table
 *     main: %t = OpVariable Function            =>     %t = OpVariable Private %table
 *           OpStore %t %table                          (glslang fills a table where it is read)
 *     main: %a = OpVariable Function            =>     %a = OpVariable Private
 *           OpStore %a %computed                       the same
 *
 * A function's variable is initialised where the function starts. The functions of versions start under
 * the test at the stage's entry. Drivers make constants of tables that the first block fills, or fill them
 * without a mask there. Under a test they store element by element for the lanes that are on. Measured: a
 * Bayer matrix of 8 x 8 made a version 1.08 times as slow as the shader it came from, and 0.92 here
 * (lavapipe 25.0.7).
 *
 * An array that a function computes stays an array. A variable of the module is there once for all versions.
 * lavapipe writes zeros to all arrays of a shader before each run, whatever arm they are in (Mesa:
 * lp_build_alloca). Measured: 20 arrays twice made a version 1.35 times as slow as the shader it came from
 * (lavapipe 25.0.7, shaders/measured/2026-11-29-retroarch.md).
 *
 * Why it is right: an invocation runs one of the functions, once. A table is never written otherwise. A read
 * of an array before it is written was undefined. Left alone: variables whose pointers go anywhere but into
 * loads, access chains and stores. */
#include "compiler/optimize/fold/tables.h"

#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

/* -- Which -- */

enum { ANYTHING = UINT32_MAX }; /* for no id */

/* Do only loads, access chains and stores use the pointer? Stores write `table` to all of it. With ANYTHING
 * they write any value to any part. Names and decorations stay right. */
static bool is_only_accessed(const wpg_module *module, const wpg_inst *function, uint32_t pointer,
                             uint32_t table)
{
    wpg_operand_list operands = {0};
    const wpg_inst *end = wpg_function_end((wpg_inst *)(uintptr_t)function);
    const uint32_t of_parts = table == ANYTHING ? ANYTHING : 0;
    bool fits = true;
    for (const wpg_inst *inst = function; inst != end && fits; inst = inst->next) {
        if (wpg_inst_is_non_semantic(module, inst) || inst->result == pointer)
            continue;
        fits = wpg_used_ids(&operands, module, inst);
        for (size_t i = 0; i < operands.count && fits; i++) {
            const uint16_t at = operands.data[i];
            if (inst->words[at] != pointer)
                continue;
            const bool chain = inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain;
            fits = inst->opcode == SpvOpStore
                       ? at == 1 && (table == ANYTHING || (inst->count == 3 && inst->words[2] == table))
                       : at == 3 && (inst->opcode == SpvOpLoad ||
                                     (chain && is_only_accessed(module, function, inst->result, of_parts)));
        }
    }
    wpg_vec_free(&operands);
    return fits;
}

static bool is_array(const wpg_module *module, const wpg_inst *variable)
{
    const wpg_inst *type = wpg_module_def(module, variable->type);
    return wpg_module_opcode_of(module, type->words[3]) == SpvOpTypeArray;
}

/* The constant that the array holds all the time; 0: none. */
static uint32_t table_of(const wpg_module *module, const wpg_inst *function, const wpg_inst *variable)
{
    const wpg_inst *end = wpg_function_end((wpg_inst *)(uintptr_t)function);
    uint32_t table = variable->count > 4 ? variable->words[4] : 0;
    for (const wpg_inst *inst = function; inst != end && !table; inst = inst->next)
        if (inst->opcode == SpvOpStore && inst->words[1] == variable->result)
            table = inst->words[2];
    return table && wpg_is_module_constant(module, table) &&
                   is_only_accessed(module, function, variable->result, table)
               ? table
               : 0;
}

/* -- The move -- */

static void set_class(wpg_module *module, wpg_inst *inst)
{
    const wpg_inst *type = wpg_module_def(module, inst->type);
    inst->type = inst->words[1] = wpg_type_pointer(module, SpvStorageClassPrivate, type->words[3]);
}

static void retype_chains(wpg_module *module, wpg_inst *function, uint32_t pointer)
{
    const wpg_inst *end = wpg_function_end(function);
    for (wpg_inst *inst = function; inst != end; inst = inst->next)
        if ((inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain) &&
            inst->words[3] == pointer) {
            set_class(module, inst);
            retype_chains(module, function, inst->result);
        }
}

static void drop_stores(wpg_module *module, wpg_inst *function, uint32_t variable)
{
    const wpg_inst *end = wpg_function_end(function);
    for (wpg_inst *inst = function, *next; inst != end; inst = next) {
        next = inst->next;
        if (inst->opcode == SpvOpStore && inst->words[1] == variable)
            wpg_inst_remove(module, inst);
    }
}

/* `table` 0: none. */
static void move(wpg_module *module, wpg_inst *function, wpg_inst *variable, uint32_t table)
{
    retype_chains(module, function, variable->result);
    if (table)
        drop_stores(module, function, variable->result);
    set_class(module, variable);
    const uint32_t words[] = {variable->type, variable->result, SpvStorageClassPrivate, table};
    wpg_inst_set_operands(module, variable, words, table ? 4 : 3);
    wpg_inst_move(module, variable, wpg_first_function(module));
    if (module->version < 0x00010400)
        return;
    for (wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpEntryPoint && inst->words[2] == function->result)
            wpg_entry_point_add_interface(module, inst, variable->result);
}

bool wpg_arrays_to_module(wpg_module *module, wpg_inst *function)
{
    wpg_inst *inst = function;
    while (inst->opcode != SpvOpLabel)
        inst = inst->next;
    for (wpg_inst *next = inst->next; next->opcode == SpvOpVariable;) {
        inst = next;
        next = next->next;
        if (!is_array(module, inst))
            continue;
        const uint32_t table = table_of(module, function, inst);
        if (table || (inst->count == 4 && is_only_accessed(module, function, inst->result, ANYTHING)))
            move(module, function, inst, table);
    }
    return !module->arena.failed;
}
