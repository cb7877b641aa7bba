/* See index_memory.h.
 *
 * Front ends put sizes and offsets into small arrays that are indexed by what varies, so that no SSA tier
 * makes values of them: `uint o[4] = {0, 0, 0, 0}; o[dim] = dim == 0 ? ne00 : ne01;` (llama.cpp's concat).
 *
 * The walk goes from the variable to its users, from loads on to the users of their results, and stops with
 * "no" at the first user that is not named below. */
#include "compiler/optimize/facts/index_memory.h"

#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/loops/opt_barrier.h"

enum { MOST_VISITS = 256 };

typedef struct walk {
    const wpg_view *view;
    uint32_t seen[MOST_VISITS], count;
} walk;

static bool is_own(SpvStorageClass class)
{
    return class == SpvStorageClassFunction || class == SpvStorageClassPrivate;
}

/* A scalar or vector of 32-bit integers. */
static bool is_words(const wpg_module *module, uint32_t type)
{
    return wpg_module_opcode_of(module, type) != SpvOpTypeBool && wpg_opt_barrier_hides(module, type) &&
           !wpg_bears_floats(module, type);
}

/* Integer arithmetic and moves: the result is a value to follow. */
static bool passes_on(const wpg_module *module, const wpg_inst *inst)
{
    const unsigned traits = wpg_inst_traits(module, inst);
    return inst->result && is_words(module, inst->type) &&
           (inst->opcode == SpvOpPhi ||
            ((traits & WPG_TRAIT_PURE) &&
             !(traits & (WPG_TRAIT_FLOAT | WPG_TRAIT_READS | WPG_TRAIT_SUBGROUP))));
}

static bool follow(walk *w, uint32_t id);

static bool follow_use(walk *w, const wpg_inst *user, uint32_t id)
{
    const wpg_module *module = w->view->module;
    switch ((SpvOp)user->opcode) {
    case SpvOpLoad:
        return is_words(module, user->type) && follow(w, user->result);
    case SpvOpStore:
        if (user->words[1] == id)
            return true;
        return !is_own(wpg_pointer_class(module, user->words[1])) &&
               wpg_pointer_class(module, user->words[1]) != SpvStorageClassOutput &&
               wpg_pointer_class(module, user->words[1]) != SpvStorageClassMax;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        /* As an index into memory of the shader's own the value would decide what is read there. */
        return user->words[3] == id ? follow(w, user->result)
                                    : !is_own(wpg_pointer_class(module, user->result)) &&
                                          wpg_pointer_class(module, user->result) != SpvStorageClassMax;
    default:
        return passes_on(module, user) && follow(w, user->result);
    }
}

static bool follow(walk *w, uint32_t id)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (w->seen[i] == id)
            return true;
    if (w->count == MOST_VISITS || id >= w->view->bound)
        return false;
    w->seen[w->count++] = id;
    for (uint32_t u = w->view->first_user[id]; u < w->view->first_user[id + 1]; u++)
        if (!wpg_inst_is_non_semantic(w->view->module, w->view->users[u]) &&
            !follow_use(w, w->view->users[u], id))
            return false;
    return true;
}

bool wpg_is_index_memory(const wpg_view *view, uint32_t pointer)
{
    const wpg_module *module = view->module;
    const wpg_inst *root = wpg_pointer_root(module, pointer);
    /* A variable of the module may have users in other functions, which the view does not see. */
    if (!root || root->opcode != SpvOpVariable || root->words[3] != SpvStorageClassFunction)
        return false;
    const wpg_inst *type = wpg_module_def(module, root->type);
    if (!type || type->opcode != SpvOpTypePointer || wpg_bears_floats(module, type->words[3]))
        return false;
    walk w = {.view = view};
    return follow(&w, root->result);
}

bool wpg_goes_into_addresses(const wpg_view *view, uint32_t id)
{
    walk w = {.view = view};
    return follow(&w, id);
}
