/* A function seen by ids: definitions, users, blocks. See pass.h. */
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/pass.h"

#include <string.h>

#include "compiler/spirv/grammar.h"

wpg_inst *wpg_inst_label(wpg_inst *inst)
{
    while (inst && inst->opcode != SpvOpLabel) {
        if (inst->opcode == SpvOpFunction)
            return NULL;
        inst = inst->prev;
    }
    return inst;
}

/* Of the last result at or before the instruction: at the latest the label's. */
uint32_t wpg_view_block_of(const wpg_view *view, const wpg_inst *inst)
{
    while (inst && !inst->result)
        inst = inst->prev;
    return inst && inst->result < view->bound ? view->block_of[inst->result] : WPG_NO_BLOCK;
}

static wpg_inst *function_by_id(wpg_module *module, uint32_t id)
{
    wpg_inst *inst = wpg_module_def(module, id);
    return inst && inst->opcode == SpvOpFunction ? inst : NULL;
}

static void number_definition(wpg_view *view, const wpg_inst *inst, uint32_t *block)
{
    view->instruction_count += !wpg_inst_is_non_semantic(view->module, inst);
    if (inst->opcode == SpvOpLabel)
        *block = wpg_cfg_find(view->cfg, inst->result);
    if (inst->result && inst->result < view->bound && inst->opcode != SpvOpFunction) {
        view->block_of[inst->result] = *block;
        view->position[inst->result] = view->instruction_count;
    }
}

typedef struct use {
    uint32_t id;
    wpg_inst *user;
} use;
typedef WPG_VEC(use) use_list;

/* Numbers definitions, lists the uses in the order of the function, and counts those of each id. */
static bool list_uses(use_list *uses, wpg_view *view)
{
    wpg_operand_list list = {0};
    uint32_t block = WPG_NO_BLOCK;
    bool fits = wpg_vec_reserve(uses, (size_t)view->bound * 2); /* most functions have fewer */
    view->arena.failed |= !fits;
    for (wpg_inst *inst = view->function; fits && wpg_in_function(inst); inst = inst->next) {
        number_definition(view, inst, &block);
        fits = wpg_used_ids(&list, view->module, inst);
        if (fits && !wpg_vec_reserve(uses, list.count)) {
            view->arena.failed = 1;
            fits = false;
        }
        for (size_t i = 0; fits && i < list.count; i++) {
            const uint32_t id = inst->words[list.data[i]];
            fits = id < view->bound;
            if (!fits)
                break;
            view->first_user[id]++;
            uses->data[uses->count++] = (use){id, inst};
        }
    }
    wpg_vec_free(&list);
    return fits;
}

/* Users of one id stand in the order of the function. */
static wpg_status index_users(wpg_view *view, wpg_error *err)
{
    use_list uses = {0};
    bool fits = list_uses(&uses, view);
    uint32_t *first = view->first_user, sum = 0;
    for (uint32_t id = 0; id <= view->bound; id++) { /* the end of each range; the last one is empty */
        sum += first[id];
        first[id] = sum;
    }
    if (fits) {
        view->users = wpg_arena_alloc_raw(&view->arena, uses.count, sizeof(wpg_inst *));
        fits = view->users != NULL;
        for (size_t i = fits ? uses.count : 0; i-- > 0;) /* backwards: the ends become starts */
            view->users[--first[uses.data[i].id]] = uses.data[i].user;
    }
    wpg_vec_free(&uses);
    if (view->arena.failed)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    return fits ? WPG_OK : wpg_fail(err, WPG_E_UNSUPPORTED, "an instruction the grammar does not know");
}

wpg_status wpg_view_create(wpg_view **out, wpg_module *module, uint32_t function, wpg_error *err)
{
    wpg_inst *opfunction = function_by_id(module, function);
    if (!opfunction)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no function %%%u", function);
    wpg_view *view = calloc(1, sizeof *view);
    if (!view)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_arena_init(&view->arena);
    view->module = module;
    view->function = opfunction;
    view->bound = module->bound;
    wpg_status status = wpg_cfg_create(&view->cfg, module, opfunction, err);
    if (status == WPG_OK) {
        view->block_of = wpg_arena_alloc_raw(&view->arena, view->bound, sizeof *view->block_of);
        view->position = WPG_ARENA_ARRAY(&view->arena, uint32_t, view->bound);
        view->first_user = WPG_ARENA_ARRAY(&view->arena, uint32_t, (size_t)view->bound + 1);
        view->memo = WPG_ARENA_NEW(&view->arena, wpg_view_memo);
        if (view->arena.failed) {
            status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
        } else {
            view->memo->arena = &view->arena;
            memset(view->block_of, 0xff, view->bound * sizeof *view->block_of); /* WPG_NO_BLOCK */
        }
    }
    if (status == WPG_OK)
        status = index_users(view, err);
    if (status != WPG_OK) {
        wpg_view_destroy(view);
        return status;
    }
    *out = view;
    return WPG_OK;
}

const wpg_divergence *wpg_view_divergence(const wpg_view *view)
{
    wpg_view_memo *memo = view->memo;
    if (!memo->divergence && wpg_divergence_compute(&memo->divergence, view->cfg, memo->arena) != WPG_OK)
        memo->divergence = NULL;
    return memo->divergence;
}

bool wpg_view_post_dominates(const wpg_view *view, uint32_t a, uint32_t b)
{
    wpg_view_memo *memo = view->memo;
    if (!memo->post)
        memo->post = wpg_cfg_post_dominance(view->cfg, memo->arena);
    if (!memo->post)
        view->module->arena.failed = 1;
    return memo->post && wpg_post_dominates(memo->post, a, b);
}

void wpg_view_destroy(wpg_view *view)
{
    if (!view)
        return;
    wpg_cfg_destroy(view->cfg);
    wpg_arena_finish(&view->arena);
    free(view);
}
