/* Private memory as values. A variable that is only loaded and stored whole is a sequence of SSA values.
 * Stores define the values, virtual phis join them where definitions meet, and each load copies the value
 * that reaches it. Phis stand on the iterated dominance frontier of the stores, where the variable is live.
 * The module is not changed: the result is a table of phis and a source for each load. Source: Cytron,
 * Ferrante, Rosen, Wegman, Zadeck, "Efficiently Computing Static Single Assignment Form and the Control
 * Dependence Graph" (1991). */
#include "compiler/analysis/values/divergence_internal.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/grammar.h"
#include "runtime/base/vec.h"

enum { NO = WPG_NO_BLOCK };

/* A whole load or store of a followed variable. */
typedef struct access_of {
    uint32_t variable, block, order; /* order: of the instruction in the function */
    uint32_t load, value;            /* result of a load, or value of a store */
} access_of;

typedef struct follow_walk {
    wpg_divergence *d;
    WPG_VEC(wpg_phi_node) phis;
    WPG_VEC(wpg_phi_operand) operands;
    WPG_VEC(access_of) accesses;
    /* Dominance frontiers, in rows. */
    uint32_t *frontier_at, *frontier;
    /* Of the variable at hand, by block. */
    uint8_t *live, *has_phi, *defs; /* live at the start; has a phi; stores there */
    uint32_t *phi_of, *leaving;     /* index of the phi; node at the end, where `known` is its number */
    uint32_t *known, number;
    uint32_t start; /* node of what it starts with */
    bool any_live;
    WPG_VEC(uint32_t) work;
    bool failed;
} follow_walk;

/* -- Which variables */

uint32_t wpg_divergence_root(const wpg_divergence *d, uint32_t pointer)
{
    for (unsigned depth = 0; depth < 64; depth++) {
        const wpg_inst *inst = wpg_module_def(d->module, pointer);
        if (!inst || inst->count < 4)
            return 0;
        switch ((SpvOp)inst->opcode) {
        case SpvOpVariable:
            return inst->result;
        case SpvOpAccessChain:
        case SpvOpInBoundsAccessChain:
        case SpvOpPtrAccessChain:
        case SpvOpInBoundsPtrAccessChain:
        case SpvOpCopyObject:
        case SpvOpImageTexelPointer:
            pointer = inst->words[3];
            break;
        default:
            return 0;
        }
    }
    return 0;
}

static void note_use(wpg_divergence *d, uint32_t variable, wpg_variable_use use)
{
    if (variable && d->use[variable] != WPG_VARIABLE_NONE && d->use[variable] < (uint8_t)use)
        d->use[variable] = (uint8_t)use;
}

static bool is_chain(const wpg_inst *inst)
{
    return inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain;
}

/* What one operand that points into a variable means for it. `at`: which word of the instruction. */
static wpg_variable_use use_of(const wpg_inst *inst, uint16_t at, bool whole)
{
    bool pointer = (inst->opcode == SpvOpLoad && at == 3) || (inst->opcode == SpvOpStore && at == 1);
    uint16_t access = inst->opcode == SpvOpLoad ? 4 : 3;
    if (pointer) {
        bool is_volatile = inst->count > access && inst->words[access] & SpvMemoryAccessVolatileMask;
        return is_volatile ? WPG_VARIABLE_ESCAPES : whole ? WPG_VARIABLE_WHOLE : WPG_VARIABLE_PARTS;
    }
    return is_chain(inst) && at == 3 ? WPG_VARIABLE_PARTS : WPG_VARIABLE_ESCAPES;
}

static void survey_uses(wpg_divergence *d)
{
    for (wpg_inst *inst = d->cfg->function; inst && inst->opcode != SpvOpFunctionEnd; inst = inst->next) {
        (void)wpg_used_ids(&d->used, d->module, inst); /* of a malformed one, those before the fault */
        for (size_t i = 0; i < d->used.count; i++) {
            uint32_t id = inst->words[d->used.data[i]];
            const wpg_inst *def = wpg_module_def(d->module, id);
            if (!def || (def->opcode != SpvOpVariable && !is_chain(def) && def->opcode != SpvOpCopyObject))
                continue;
            uint32_t root = wpg_divergence_root(d, id);
            note_use(d, root, use_of(inst, d->used.data[i], root == id));
        }
    }
}

static void declare(wpg_divergence *d, const wpg_inst *inst)
{
    if (inst->opcode != SpvOpVariable || inst->count < 4)
        return;
    if (inst->words[3] == SpvStorageClassFunction ||
        (inst->words[3] == SpvStorageClassPrivate && d->one_function))
        d->use[inst->result] = WPG_VARIABLE_WHOLE;
}

static void find_variables(wpg_divergence *d)
{
    WPG_INST_EACH (inst, d->module) {
        if (inst->opcode == SpvOpFunction)
            break;
        declare(d, inst);
    }
    for (const wpg_inst *inst = d->cfg->function; inst && inst->opcode != SpvOpFunctionEnd; inst = inst->next)
        declare(d, inst);
    survey_uses(d);
    /* Operands that cannot be read may be anything. */
    for (uint32_t id = 0; d->module->has_unknown && id < d->bound; id++)
        note_use(d, id, WPG_VARIABLE_ESCAPES);
}

/* -- Accesses */

static void collect(follow_walk *w)
{
    const wpg_divergence *d = w->d;
    uint32_t order = 0;
    for (uint32_t b = 0; b < d->cfg->count; b++) {
        const wpg_block *block = &d->cfg->blocks[b];
        for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next) {
            bool load = inst->opcode == SpvOpLoad && inst->count > 3;
            bool store = inst->opcode == SpvOpStore && inst->count > 2;
            if ((!load && !store) || block->rpo == NO)
                continue;
            uint32_t variable = inst->words[load ? 3 : 1];
            if (variable >= d->bound || d->use[variable] != WPG_VARIABLE_WHOLE)
                continue;
            access_of access = {variable, b, order++, load ? inst->result : 0, load ? 0 : inst->words[2]};
            if (!wpg_vec_push(&w->accesses, access))
                w->failed = true;
        }
    }
}

static int by_variable(const void *left, const void *right)
{
    const access_of *a = left, *b = right;
    if (a->variable != b->variable)
        return a->variable < b->variable ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* -- Frontiers */

static bool walk_frontiers(follow_walk *w, uint32_t *count, uint32_t *rows, uint64_t most)
{
    const wpg_cfg *cfg = w->d->cfg;
    uint64_t total = 0;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        uint32_t b = cfg->order[i];
        const wpg_block *block = &cfg->blocks[b];
        for (uint32_t p = 0; block->predecessor_count > 1 && p < block->predecessor_count; p++) {
            uint32_t runner = block->predecessors[p];
            if (cfg->blocks[runner].rpo == NO)
                continue;
            for (; runner != NO && runner != block->idom; runner = cfg->blocks[runner].idom) {
                if (rows)
                    rows[w->frontier_at[runner] + count[runner]] = b;
                count[runner]++;
                if (++total > most)
                    return false;
            }
        }
    }
    return true;
}

static bool find_frontiers(follow_walk *w)
{
    wpg_arena *arena = w->d->arena;
    uint32_t blocks = w->d->cfg->count;
    uint32_t *count = WPG_ARENA_ARRAY(arena, uint32_t, blocks);
    w->frontier_at = WPG_ARENA_ARRAY(arena, uint32_t, (size_t)blocks + 1);
    enum { A_BLOCK = 64, LEAST = 1 << 20 };
    if (!count || !w->frontier_at || !walk_frontiers(w, count, NULL, (uint64_t)A_BLOCK * blocks + LEAST))
        return false;
    for (uint32_t b = 0; b < blocks; b++)
        w->frontier_at[b + 1] = w->frontier_at[b] + count[b];
    memset(count, 0, blocks * sizeof *count);
    w->frontier = WPG_ARENA_ARRAY(arena, uint32_t, w->frontier_at[blocks]);
    return w->frontier && walk_frontiers(w, count, w->frontier, UINT64_MAX);
}

/* -- One variable */

static void push(follow_walk *w, uint32_t block)
{
    if (!wpg_vec_push(&w->work, block))
        w->failed = true;
}

/* Where the variable's value at the start may still be read. */
static void find_live(follow_walk *w, const access_of *list, size_t count)
{
    const wpg_cfg *cfg = w->d->cfg;
    memset(w->live, 0, cfg->count);
    memset(w->defs, 0, cfg->count);
    w->any_live = false;
    wpg_vec_clear(&w->work);
    for (size_t i = 0; i < count; i++) {
        uint32_t b = list[i].block;
        if (list[i].load && !w->defs[b] && !w->live[b]) {
            w->live[b] = w->any_live = true;
            push(w, b);
        }
        w->defs[b] |= !list[i].load;
    }
    while (w->work.count && !w->failed) {
        const wpg_block *block = &cfg->blocks[wpg_vec_pop(&w->work)];
        for (uint32_t p = 0; p < block->predecessor_count; p++) {
            uint32_t from = block->predecessors[p];
            if (cfg->blocks[from].rpo == NO || w->defs[from] || w->live[from])
                continue;
            w->live[from] = true;
            push(w, from);
        }
    }
}

/* Phis on the iterated frontier; the entry counts as a definition, of what the variable starts with. */
static void place_phis(follow_walk *w, const access_of *list, size_t count)
{
    memset(w->has_phi, 0, w->d->cfg->count);
    if (!w->any_live)
        return;
    uint32_t last = 0;
    wpg_vec_clear(&w->work);
    push(w, 0);
    for (size_t i = 0; i < count; i++) { /* in the order of the blocks */
        if (list[i].load || list[i].block == last)
            continue;
        last = list[i].block;
        push(w, last);
    }
    while (w->work.count && !w->failed) {
        uint32_t b = wpg_vec_pop(&w->work);
        for (uint32_t f = w->frontier_at[b]; f < w->frontier_at[b + 1]; f++) {
            uint32_t to = w->frontier[f];
            if (w->has_phi[to] || !w->live[to])
                continue;
            w->has_phi[to] = true;
            w->phi_of[to] = (uint32_t)w->phis.count;
            wpg_phi_node phi = {w->d->node_count++, to, 0, 0, UINT32_MAX};
            if (!wpg_vec_push(&w->phis, phi))
                w->failed = true;
            push(w, to);
        }
    }
}

/* What the variable holds before anything is stored. */
static uint32_t start_of(const wpg_divergence *d, uint32_t variable)
{
    const wpg_inst *inst = wpg_module_def(d->module, variable);
    return inst && inst->count > 4 && inst->words[4] < d->bound ? inst->words[4]
                                                                : (uint32_t)WPG_NODE_UNDEFINED;
}

/* The node at the end of a block; found by way of its dominators, and kept for these. */
static uint32_t leaving(follow_walk *w, uint32_t block)
{
    const wpg_block *blocks = w->d->cfg->blocks;
    uint32_t at = block, node;
    while (w->known[at] != w->number && !w->has_phi[at] && blocks[at].idom != NO)
        at = blocks[at].idom;
    if (w->known[at] == w->number)
        node = w->leaving[at];
    else
        node = w->has_phi[at] ? w->phis.data[w->phi_of[at]].node : w->start;
    for (uint32_t b = block;; b = blocks[b].idom) {
        w->leaving[b] = node;
        w->known[b] = w->number;
        if (b == at)
            return node;
    }
}

static uint32_t entering(follow_walk *w, uint32_t block)
{
    const uint32_t idom = w->d->cfg->blocks[block].idom;
    return w->has_phi[block] ? w->phis.data[w->phi_of[block]].node : idom == NO ? w->start : leaving(w, idom);
}

static uint32_t stored_node(const wpg_divergence *d, const access_of *store)
{
    return store->value < d->bound ? store->value : (uint32_t)WPG_NODE_UNDEFINED;
}

static void rename_variable(follow_walk *w, const access_of *list, size_t count)
{
    w->number++;
    w->start = start_of(w->d, list[0].variable);
    for (size_t i = 0; i < count; i++) /* the last store of a block stands */
        if (!list[i].load) {
            w->leaving[list[i].block] = stored_node(w->d, &list[i]);
            w->known[list[i].block] = w->number;
        }
    uint32_t now = 0;
    bool is_known = false;
    for (size_t i = 0; i < count; i++) {
        is_known &= i && list[i].block == list[i - 1].block;
        if (!list[i].load)
            now = stored_node(w->d, &list[i]);
        else if (!is_known)
            now = entering(w, list[i].block);
        is_known = true;
        if (list[i].load)
            w->d->source[list[i].load] = now;
    }
}

static void join_phis(follow_walk *w, size_t from)
{
    const wpg_cfg *cfg = w->d->cfg;
    for (size_t i = from; i < w->phis.count; i++) {
        wpg_phi_node *phi = &w->phis.data[i];
        const wpg_block *block = &cfg->blocks[phi->block];
        phi->first = (uint32_t)w->operands.count;
        for (uint32_t p = 0; p < block->predecessor_count; p++) {
            uint32_t predecessor = block->predecessors[p];
            if (cfg->blocks[predecessor].rpo == NO)
                continue;
            wpg_phi_operand operand = {leaving(w, predecessor), predecessor};
            if (!wpg_vec_push(&w->operands, operand))
                w->failed = true;
        }
        phi->count = (uint32_t)w->operands.count - phi->first;
    }
}

static bool follow_variables(follow_walk *w)
{
    wpg_divergence *d = w->d;
    wpg_arena *arena = d->arena;
    size_t blocks = d->cfg->count;
    w->known = WPG_ARENA_ARRAY(arena, uint32_t, blocks);
    w->phi_of = WPG_ARENA_ARRAY(arena, uint32_t, blocks);
    w->leaving = WPG_ARENA_ARRAY(arena, uint32_t, blocks);
    w->live = WPG_ARENA_ARRAY(arena, uint8_t, blocks);
    w->has_phi = WPG_ARENA_ARRAY(arena, uint8_t, blocks);
    w->defs = WPG_ARENA_ARRAY(arena, uint8_t, blocks);
    if (arena->failed)
        return false;
    /* Work is variables times blocks: beyond this, the rest is not followed. */
    size_t budget = (size_t)1 << 26;
    for (size_t i = 0, end; i < w->accesses.count && !w->failed; i = end) {
        const access_of *list = &w->accesses.data[i];
        for (end = i; end < w->accesses.count && w->accesses.data[end].variable == list->variable;)
            end++;
        if (budget < blocks) {
            d->use[list->variable] = WPG_VARIABLE_ESCAPES;
            continue;
        }
        budget -= blocks;
        size_t before = w->phis.count;
        find_live(w, list, end - i);
        place_phis(w, list, end - i);
        if (w->failed)
            return false;
        rename_variable(w, list, end - i);
        join_phis(w, before);
    }
    return !w->failed;
}

/* -- Phis of the module */

static void real_phis(follow_walk *w)
{
    const wpg_divergence *d = w->d;
    for (uint32_t i = 0; i < d->cfg->order_count; i++) {
        uint32_t b = d->cfg->order[i];
        const wpg_block *block = &d->cfg->blocks[b];
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
            if (inst->opcode != SpvOpPhi || !inst->result)
                continue;
            wpg_phi_node phi = {inst->result, b, (uint32_t)w->operands.count, 0, UINT32_MAX};
            for (uint16_t k = 3; k + 1 < inst->count; k += 2) {
                wpg_phi_operand operand = {inst->words[k], wpg_cfg_find(d->cfg, inst->words[k + 1])};
                if (operand.predecessor == NO || d->cfg->blocks[operand.predecessor].rpo == NO)
                    continue;
                if (!wpg_vec_push(&w->operands, operand))
                    w->failed = true;
                phi.count++;
            }
            if (!wpg_vec_push(&w->phis, phi))
                w->failed = true;
        }
    }
}

static bool keep(follow_walk *w)
{
    wpg_divergence *d = w->d;
    d->phi_count = (uint32_t)w->phis.count;
    d->phis = wpg_arena_memdup(d->arena, w->phis.data, w->phis.count * sizeof *d->phis);
    d->operands = wpg_arena_memdup(d->arena, w->operands.data, w->operands.count * sizeof *d->operands);
    d->phis_at = WPG_ARENA_ARRAY(d->arena, uint32_t, d->cfg->count);
    if (!d->phis || !d->operands || !d->phis_at)
        return false;
    for (uint32_t b = 0; b < d->cfg->count; b++)
        d->phis_at[b] = UINT32_MAX;
    for (uint32_t i = 0; i < d->phi_count; i++) {
        d->phis[i].next = d->phis_at[d->phis[i].block];
        d->phis_at[d->phis[i].block] = i;
    }
    return true;
}

bool wpg_divergence_follow(wpg_divergence *d)
{
    follow_walk w = {.d = d};
    d->use = WPG_ARENA_ARRAY(d->arena, uint8_t, d->bound);
    d->source = WPG_ARENA_ARRAY(d->arena, uint32_t, d->bound);
    if (!d->use || !d->source)
        return false;
    for (uint32_t id = 0; id < d->bound; id++)
        d->source[id] = NO;
    find_variables(d);
    real_phis(&w);
    if (find_frontiers(&w)) {
        collect(&w);
        if (w.accesses.count)
            qsort(w.accesses.data, w.accesses.count, sizeof *w.accesses.data, by_variable);
        w.failed |= !follow_variables(&w);
    } else {
        for (uint32_t id = 0; id < d->bound; id++) /* a graph of unusual shape */
            note_use(d, id, WPG_VARIABLE_ESCAPES);
    }
    bool kept = keep(&w);
    wpg_vec_free(&w.phis);
    wpg_vec_free(&w.operands);
    wpg_vec_free(&w.accesses);
    wpg_vec_free(&w.work);
    return kept && !w.failed && !d->arena->failed;
}
