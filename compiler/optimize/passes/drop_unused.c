/* Dead code of values, by mark and sweep (Cytron et al., 1991, section 7.1, without the control flow). See
 * promote.h. Roots are all instructions that are not pure, but stores to memory of the function that nobody
 * loads. */
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/passes/promote.h"

typedef struct sweeper {
    wpg_module *module;
    uint32_t bound;
    bool *live;            /* [bound] results that are used, and variables that are loaded */
    bool *own;             /* [bound] variables of functions that are only loaded and stored to */
    uint32_t *first_store; /* [bound] of such a variable: the first in `next`, + 1 */
    WPG_VEC(struct {
        wpg_inst *store;
        uint32_t next;
    })
    stores;
    WPG_VEC(wpg_inst *) work;
    wpg_operand_list operands;
} sweeper;

static uint32_t own_root(const sweeper *s, uint32_t pointer)
{
    const wpg_inst *root = wpg_pointer_root(s->module, pointer);
    return root && root->result < s->bound && s->own[root->result] ? root->result : 0;
}

/* The variable of the function that the instruction uses at that word, or leads into; 0: none. */
static uint32_t function_root(const sweeper *s, uint32_t id)
{
    if (wpg_pointer_class(s->module, id) != SpvStorageClassFunction)
        return 0;
    const wpg_inst *root = wpg_pointer_root(s->module, id);
    return root && root->opcode == SpvOpVariable && root->result < s->bound ? root->result : 0;
}

static bool is_volatile(const wpg_inst *inst)
{
    const unsigned at = inst->opcode == SpvOpLoad ? 4 : 3;
    return inst->count > at && (inst->words[at] & SpvMemoryAccessVolatileMask);
}

static bool find_own(sweeper *s)
{
    for (const wpg_inst *inst = wpg_next_function(s->module->first); inst; inst = inst->next)
        if (inst->opcode == SpvOpVariable && inst->result < s->bound)
            s->own[inst->result] = true;
    for (const wpg_inst *inst = wpg_next_function(s->module->first); inst; inst = inst->next) {
        const bool access = inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain ||
                            ((inst->opcode == SpvOpLoad || inst->opcode == SpvOpStore) && !is_volatile(inst));
        if (!wpg_used_ids(&s->operands, s->module, inst))
            return false;
        for (size_t i = 0; i < s->operands.count; i++) {
            const unsigned at = s->operands.data[i];
            const uint32_t root = function_root(s, inst->words[at]);
            if (root && !(access && wpg_is_access(inst, at)))
                s->own[root] = false;
        }
    }
    return true;
}

static bool is_unused_kind(const sweeper *s, const wpg_inst *inst)
{
    return inst->result && inst->result < s->bound &&
           (inst->opcode == SpvOpPhi || inst->opcode == SpvOpUndef || inst->opcode == SpvOpVariable ||
            (wpg_inst_traits(s->module, inst) & WPG_TRAIT_PURE)) &&
           !(inst->opcode == SpvOpLoad && is_volatile(inst)) && !wpg_inst_is_non_semantic(s->module, inst);
}

static bool add_roots(sweeper *s)
{
    for (wpg_inst *inst = wpg_next_function(s->module->first); inst; inst = inst->next) {
        const uint32_t root = inst->opcode == SpvOpStore ? own_root(s, inst->words[1]) : 0;
        if (root) {
            if (!wpg_vec_reserve(&s->stores, 1))
                return false;
            s->stores.data[s->stores.count].store = inst;
            s->stores.data[s->stores.count].next = s->first_store[root];
            s->first_store[root] = (uint32_t)++s->stores.count;
        } else if (!is_unused_kind(s, inst) && !wpg_vec_push(&s->work, inst)) {
            return false;
        }
    }
    return true;
}

static bool mark(sweeper *s, uint32_t id)
{
    wpg_inst *def = wpg_module_def(s->module, id);
    if (!def || id >= s->bound || s->live[id])
        return true;
    s->live[id] = true;
    return !is_unused_kind(s, def) || wpg_vec_push(&s->work, def);
}

/* A load makes all stores to the variable live. */
static bool mark_stores(sweeper *s, const wpg_inst *load)
{
    const uint32_t root = own_root(s, load->words[3]);
    for (uint32_t i = root ? s->first_store[root] : 0; i; i = s->stores.data[i - 1].next)
        if (!wpg_vec_push(&s->work, s->stores.data[i - 1].store))
            return false;
    if (root)
        s->first_store[root] = 0;
    return true;
}

static bool mark_all(sweeper *s)
{
    while (s->work.count) {
        const wpg_inst *inst = wpg_vec_pop(&s->work);
        if (!wpg_used_ids(&s->operands, s->module, inst))
            return false;
        for (size_t i = 0; i < s->operands.count; i++)
            if (!mark(s, inst->words[s->operands.data[i]]))
                return false;
        if (inst->opcode == SpvOpLoad && !mark_stores(s, inst))
            return false;
    }
    return true;
}

static void sweep(sweeper *s)
{
    for (size_t i = 0; i < s->stores.count; i++) {
        wpg_inst *store = s->stores.data[i].store;
        const uint32_t root = own_root(s, store->words[1]);
        if (root && s->first_store[root])
            wpg_inst_remove(s->module, store);
    }
    for (wpg_inst *inst = wpg_next_function(s->module->first), *next; inst; inst = next) {
        next = inst->next;
        if (is_unused_kind(s, inst) && !s->live[inst->result])
            wpg_inst_remove(s->module, inst);
    }
}

bool wpg_drop_unused(wpg_module *module)
{
    wpg_arena arena;
    sweeper s = {.module = module, .bound = module->bound};
    wpg_arena_init(&arena);
    s.live = WPG_ARENA_ARRAY(&arena, bool, s.bound);
    s.own = WPG_ARENA_ARRAY(&arena, bool, s.bound);
    s.first_store = WPG_ARENA_ARRAY(&arena, uint32_t, s.bound);
    const bool fits = !arena.failed && find_own(&s) && add_roots(&s) && mark_all(&s);
    if (fits)
        sweep(&s);
    wpg_vec_free(&s.stores);
    wpg_vec_free(&s.work);
    wpg_vec_free(&s.operands);
    wpg_arena_finish(&arena);
    wpg_drop_annotations(module, s.bound);
    return fits;
}

void wpg_drop_annotations(wpg_module *module, uint32_t bound)
{
    for (wpg_inst *inst = module->first, *next; inst && inst->opcode != SpvOpFunction; inst = next) {
        next = inst->next;
        const bool names = inst->opcode == SpvOpName || inst->opcode == SpvOpDecorate ||
                           inst->opcode == SpvOpDecorateId || inst->opcode == SpvOpDecorateString;
        if (names && inst->count > 1 && inst->words[1] < bound && !wpg_module_def(module, inst->words[1]))
            wpg_inst_remove(module, inst);
    }
}
