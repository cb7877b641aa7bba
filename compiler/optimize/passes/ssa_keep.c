/* See ssa_keep.h. The bits of a loop of counted trips that makes floats of constants hang on what a driver
 * does: it computes these at compile time once it unrolls. Whether it unrolls hangs on the form. So such a
 * loop keeps the form that the program gave it: the variables that it reads and writes stay in memory. */
#include "compiler/optimize/passes/ssa_keep.h"

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/facts/foreseen.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/loops.h"
#include "compiler/spirv/builder.h"

/* folding: by construct, an id in each loop to be kept, or 0. NULL: memory ran out. */
static bool note_headers(uint32_t *found, wpg_kept *kept, const wpg_cfg *cfg, const uint32_t *folding)
{
    for (uint32_t c = 0; folding && c < cfg->construct_count; c++) {
        uint32_t label = cfg->blocks[cfg->constructs[c].header].id;
        if (!folding[c] || (label < kept->bound && kept->labels[label]))
            continue;
        *found = folding[c];
        if (label < kept->bound)
            kept->labels[label] = true;
    }
    return folding;
}

static bool add_headers(uint32_t *found, wpg_kept *kept, wpg_module *values, uint32_t function,
                        wpg_arena *arena)
{
    wpg_view *view;
    const wpg_status status = wpg_view_create(&view, values, function, NULL);
    if (status != WPG_OK)
        return status == WPG_E_UNSUPPORTED; /* not structured: no pass changes it */
    const bool fits = note_headers(found, kept, view->cfg, wpg_loops_that_fold(view, arena));
    wpg_view_destroy(kept->view);
    kept->view = view;
    return fits;
}

static bool add_accessed(wpg_kept *kept, const wpg_module *module, const wpg_inst *inst)
{
    wpg_operand_list operands = {0};
    bool known = wpg_used_ids(&operands, module, inst);
    for (size_t i = 0; i < operands.count; i++) {
        const wpg_inst *def = wpg_module_def(module, inst->words[operands.data[i]]);
        const wpg_inst *type = def && def->type ? wpg_module_def(module, def->type) : NULL;
        const wpg_inst *root =
            type && type->opcode == SpvOpTypePointer ? wpg_pointer_root(module, def->result) : NULL;
        const bool own =
            root && root->opcode == SpvOpVariable &&
            (root->words[3] == SpvStorageClassFunction || root->words[3] == SpvStorageClassPrivate);
        if (own && root->result < kept->bound)
            kept->variables[root->result] = true;
    }
    wpg_vec_free(&operands);
    return known;
}

/* Variables that the loops of the graph read and write. */
static bool add_of_loops(wpg_kept *kept, const wpg_module *module, const wpg_cfg *cfg, wpg_arena *arena)
{
    bool fits = true;
    for (uint32_t c = 0; fits && c < cfg->construct_count; c++) {
        wpg_loop loop;
        if (cfg->constructs[c].kind != WPG_CONSTRUCT_LOOP ||
            !kept->labels[cfg->blocks[cfg->constructs[c].header].id] ||
            !wpg_loop_members(&loop, cfg, c, arena))
            continue;
        for (uint32_t b = 0; b < cfg->count; b++)
            for (const wpg_inst *inst = cfg->blocks[b].label;
                 fits && loop.members[b] && inst != cfg->blocks[b].terminator; inst = inst->next)
                fits = add_accessed(kept, module, inst);
    }
    return fits && !arena->failed;
}

/* The same of a function that is as it came. */
static bool add_variables(wpg_kept *kept, wpg_module *module, const wpg_function_profile *profile,
                          wpg_arena *arena)
{
    wpg_cfg *cfg;
    if (profile->cfg && profile->cfg->module == module && profile->cfg_edits == module->edits)
        return add_of_loops(kept, module, profile->cfg, arena);
    wpg_inst *def = wpg_module_def(module, profile->function);
    const wpg_status status = def ? wpg_cfg_create(&cfg, module, def, NULL) : WPG_E_UNSUPPORTED;
    if (status != WPG_OK)
        return status == WPG_E_UNSUPPORTED;
    const bool fits = add_of_loops(kept, module, cfg, arena);
    wpg_cfg_destroy(cfg);
    return fits;
}

static bool begin(wpg_kept *kept, const wpg_context *context, wpg_arena *arena)
{
    if (!kept->labels) {
        kept->bound = context->module->bound;
        kept->labels = WPG_ARENA_ARRAY(arena, bool, kept->bound);
        kept->variables = WPG_ARENA_ARRAY(arena, bool, kept->bound);
    }
    return kept->labels && kept->variables;
}

static bool add_all_variables(wpg_kept *kept, wpg_context *context, wpg_arena *arena)
{
    bool fits = true;
    for (uint32_t i = 0; fits && i < context->profile_count; i++)
        fits = add_variables(kept, context->module, &context->profiles[i], arena);
    return fits;
}

bool wpg_kept_foresee(wpg_kept *kept, wpg_context *context, wpg_arena *arena)
{
    uint32_t found = 0;
    bool fits = begin(kept, context, arena);
    for (uint32_t i = 0; fits && i < context->profile_count; i++) {
        const wpg_function_profile *profile = &context->profiles[i];
        if (profile->cfg && profile->cfg->module == context->module &&
            profile->cfg_edits == context->module->edits)
            fits = note_headers(&found, kept, profile->cfg,
                                wpg_loops_foreseen_to_fold(context->module, profile->cfg, arena));
    }
    kept->any = found;
    return fits && (!found || add_all_variables(kept, context, arena));
}

bool wpg_kept_add(uint32_t *found, wpg_kept *kept, wpg_context *context, wpg_module *values, wpg_arena *arena)
{
    *found = 0;
    bool fits = begin(kept, context, arena);
    for (uint32_t i = 0; fits && i < context->profile_count; i++)
        fits = add_headers(found, kept, values, context->profiles[i].function, arena);
    if (fits && *found)
        fits = add_all_variables(kept, context, arena);
    kept->any |= *found != 0;
    if (*found || !fits) {
        wpg_view_destroy(kept->view);
        kept->view = NULL;
    }
    return fits;
}

/* -- Pins -- */

static uint32_t add_pin(wpg_module *module, uint32_t pointer_type)
{
    uint32_t type_void = wpg_type_void(module), type = wpg_type_function(module, type_void, &pointer_type, 1),
             pin = wpg_module_fresh_id(module);
    (void)wpg_inst_add(module, NULL, SpvOpFunction, type_void, pin, SpvFunctionControlMaskNone, type);
    (void)wpg_inst_add(module, NULL, SpvOpFunctionParameter, pointer_type, wpg_module_fresh_id(module));
    (void)wpg_inst_add(module, NULL, SpvOpLabel, wpg_module_fresh_id(module));
    (void)wpg_inst_insert(module, NULL, SpvOpReturn, NULL, 0);
    (void)wpg_inst_insert(module, NULL, SpvOpFunctionEnd, NULL, 0);
    return pin;
}

static bool stands_with_variables(const wpg_inst *inst)
{
    return inst->opcode == SpvOpVariable || inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine;
}

bool wpg_kept_pin(wpg_module *module, const wpg_kept *kept)
{
    wpg_map pins = {0};     /* by pointer type */
    wpg_inst *where = NULL; /* behind the variables of the function; NULL: to be looked for */
    bool fits = true;
    for (wpg_inst *inst = wpg_first_function(module); inst && fits && !module->arena.failed;
         inst = inst->next) {
        if (!stands_with_variables(inst)) {
            where = NULL;
            continue;
        }
        if (inst->opcode != SpvOpVariable || inst->result >= kept->bound || !kept->variables[inst->result])
            continue;
        uint64_t pin;
        if (!wpg_map_get(&pins, inst->type, &pin)) {
            pin = add_pin(module, inst->type);
            fits = wpg_map_set(&pins, inst->type, pin);
        }
        if (!where)
            for (where = inst->next; stands_with_variables(where);)
                where = where->next;
        where = wpg_inst_add(module, where, SpvOpFunctionCall, wpg_type_void(module),
                             wpg_module_fresh_id(module), (uint32_t)pin, inst->result);
    }
    wpg_map_free(&pins);
    return fits && !module->arena.failed;
}

void wpg_kept_unpin(wpg_module *module, const wpg_kept *kept)
{
    bool in_pin = false;
    for (wpg_inst *inst = wpg_first_function(module), *next; inst; inst = next) {
        next = inst->next;
        if (inst->opcode == SpvOpFunction)
            in_pin = inst->result >= kept->bound; /* the tier makes no functions */
        if (in_pin || (inst->opcode == SpvOpFunctionCall && inst->words[3] >= kept->bound))
            wpg_inst_remove(module, inst);
    }
}
