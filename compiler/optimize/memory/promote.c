/* See promote.h. One function at a time:
 *
 *      find        variables that may go, by their uses
 *      place       phis, where stores of several paths meet and a load follows          promote_phis.c
 *      rename      down the dominator tree: loads become the value of the last store
 *      simplify    phis of one value become that value
 *      rewrite     operands, the phis themselves; variables, loads and stores go
 *
 * A load before any store is OpUndef: SPIR-V 1.6, OpVariable: without an initializer the value is undefined.
 */
#include "compiler/optimize/memory/promote.h"

#include <string.h>

#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/memory/promote_internal.h"
#include "compiler/spirv/builder.h"

static bool is_plain(const wpg_module *module, uint32_t type)
{
    switch (wpg_module_opcode_of(module, type)) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeBool:
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        return true;
    default:
        return false;
    }
}

/* -- Find -- */

static bool list_pointer(wpg_promoter *p, wpg_inst *inst)
{
    return wpg_vec_push(&p->pointers, inst); /* NOLINT(bugprone-sizeof-expression): a vector of pointers */
}

static bool add_variable(wpg_promoter *p, wpg_inst *inst)
{
    const wpg_inst *pointer = wpg_module_def(p->module, inst->type);
    if (!pointer || pointer->opcode != SpvOpTypePointer || pointer->count != 4 ||
        !is_plain(p->module, pointer->words[3]))
        return true;
    if (inst->count > 4) {
        const wpg_inst *initializer = wpg_module_def(p->module, inst->words[4]);
        if (!initializer || initializer->type != pointer->words[3])
            return true;
    }
    const wpg_promote_candidate c = {.variable = inst,
                                     .type = pointer->words[3],
                                     .first_store = WPG_PROMOTE_NONE,
                                     .first_load = WPG_PROMOTE_NONE};
    p->number[inst->result] = (uint32_t)p->candidates.count + 1;
    return wpg_vec_push(&p->candidates, c) && list_pointer(p, inst);
}

static wpg_promote_candidate *candidate_of(wpg_promoter *p, uint32_t id)
{
    return id < p->bound && p->number[id] ? &p->candidates.data[p->number[id] - 1] : NULL;
}

/* A constant index below the number of parts; *type becomes the part's. */
static bool step_into(const wpg_module *module, uint32_t *type, uint32_t index)
{
    const wpg_inst *def = wpg_module_def(module, *type);
    uint64_t value;
    uint32_t width;
    if (!def || (def->opcode != SpvOpTypeVector && def->opcode != SpvOpTypeMatrix) || def->count != 4 ||
        wpg_module_opcode_of(module, index) != SpvOpConstant ||
        !wpg_const_value(module, index, &value, &width) || value >= def->words[3])
        return false;
    *type = def->words[2];
    return true;
}

/* A pointer to a component or column at constant places. */
static bool is_part(const wpg_promoter *p, const wpg_inst *chain, uint32_t type)
{
    const wpg_inst *pointer = wpg_module_def(p->module, chain->type);
    for (unsigned i = 4; i < chain->count; i++)
        if (!step_into(p->module, &type, chain->words[i]))
            return false;
    return chain->count > 4 && pointer && pointer->opcode == SpvOpTypePointer && pointer->count == 4 &&
           pointer->words[3] == type;
}

/* May `inst` use the pointer `inst->words[at]` to a value of `type`? */
static bool is_plain_use(const wpg_promoter *p, const wpg_inst *inst, unsigned at, uint32_t type)
{
    switch (inst->opcode) {
    case SpvOpLoad:
        return at == 3 && inst->type == type && !wpg_access_is_volatile(inst);
    case SpvOpStore: {
        const wpg_inst *value = wpg_module_def(p->module, inst->words[2]);
        return at == 1 && value && value->type == type && !wpg_access_is_volatile(inst);
    }
    default:
        return false;
    }
}

static uint32_t pointee(const wpg_module *module, uint32_t pointer)
{
    const wpg_inst *def = wpg_module_def(module, pointer),
                   *type = def ? wpg_module_def(module, def->type) : NULL;
    return type && type->opcode == SpvOpTypePointer && type->count == 4 ? type->words[3] : 0;
}

static void refuse(wpg_promoter *p, uint32_t id)
{
    wpg_promote_candidate *c = candidate_of(p, id);
    if (c)
        c->variable = NULL;
}

/* Chains come before what goes by them: blocks stand in an order in which definitions do. */
static bool judge_uses(wpg_promoter *p, wpg_inst *inst, bool reachable)
{
    const bool chain = inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain;
    if (!wpg_used_ids(&p->operands, p->module, inst))
        return false;
    for (size_t i = 0; i < p->operands.count; i++) {
        const unsigned at = p->operands.data[i];
        const uint32_t id = inst->words[at];
        const wpg_promote_candidate *c = candidate_of(p, id);
        if (!c || !c->variable)
            continue;
        if (chain && at == 3 && reachable && id == c->variable->result && is_part(p, inst, c->type)) {
            p->number[inst->result] = p->number[id];
            if (!list_pointer(p, inst))
                return false;
        } else if (!reachable || !is_plain_use(p, inst, at, pointee(p->module, id)))
            refuse(p, id);
    }
    if (inst->opcode != SpvOpLoad && inst->opcode != SpvOpStore)
        return true;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): a vector of pointers */
    return !wpg_promote_accessed(p, inst) || wpg_vec_push(&p->accesses, inst);
}

/* Decorations but RelaxedPrecision say something of the memory. */
static void judge_decorations(wpg_promoter *p)
{
    for (const wpg_inst *inst = p->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        if ((inst->opcode != SpvOpDecorate && inst->opcode != SpvOpDecorateId &&
             inst->opcode != SpvOpDecorateString) ||
            inst->count < 3)
            continue;
        wpg_promote_candidate *c = candidate_of(p, inst->words[1]);
        if (c && inst->words[2] == SpvDecorationRelaxedPrecision)
            c->relaxed |= c->variable && c->variable->result == inst->words[1];
        else if (c)
            c->variable = NULL;
    }
}

static bool find(wpg_promoter *p)
{
    const wpg_block *entry = &p->cfg->blocks[0];
    for (wpg_inst *inst = entry->label; inst != entry->terminator; inst = inst->next)
        if (inst->opcode == SpvOpVariable && inst->result < p->bound && !add_variable(p, inst))
            return false;
    for (uint32_t b = 0; p->candidates.count && b < p->cfg->count; b++) {
        const wpg_block *block = &p->cfg->blocks[b];
        p->first_access[b] = (uint32_t)p->accesses.count;
        for (wpg_inst *inst = block->label; inst; inst = inst == block->terminator ? NULL : inst->next)
            if (!judge_uses(p, inst, block->rpo != WPG_NO_BLOCK))
                return false;
    }
    p->first_access[p->cfg->count] = (uint32_t)p->accesses.count;
    judge_decorations(p);
    return true;
}

wpg_promote_candidate *wpg_promote_accessed(wpg_promoter *p, const wpg_inst *inst)
{
    wpg_promote_candidate *c = inst->opcode == SpvOpLoad    ? candidate_of(p, inst->words[3])
                               : inst->opcode == SpvOpStore ? candidate_of(p, inst->words[1])
                                                            : NULL;
    return c && c->variable ? c : NULL;
}

/* -- Rename -- */

/* Makes room for every id there is now. */
static bool grow(wpg_promoter *p)
{
    if (p->module->bound <= p->capacity)
        return true;
    const uint32_t capacity = p->module->bound + p->module->bound / 8 + 64;
    uint32_t *more = WPG_ARENA_ARRAY(&p->arena, uint32_t, capacity);
    if (!more)
        return false;
    if (p->capacity)
        memcpy(more, p->becomes, p->capacity * sizeof *more);
    p->becomes = more;
    p->capacity = capacity;
    return true;
}

/* What the id is in the end. Shortens the way. */
static uint32_t resolve(wpg_promoter *p, uint32_t id)
{
    uint32_t end = id;
    while (end < p->capacity && p->becomes[end])
        end = p->becomes[end];
    while (id != end) {
        const uint32_t next = p->becomes[id];
        p->becomes[id] = end;
        id = next;
    }
    return end;
}

typedef WPG_VEC(uint32_t) id_list;

typedef struct undo {
    uint32_t variable, value;
} undo;

typedef struct renamer {
    wpg_promoter *p;
    uint32_t *value; /* [candidates] now; 0: none yet */
    WPG_VEC(undo) undo;
} renamer;

static bool set_value(renamer *r, uint32_t variable, uint32_t value)
{
    const undo old = {variable, r->value[variable]};
    r->value[variable] = value;
    return wpg_vec_push(&r->undo, old);
}

static uint32_t value_now(renamer *r, uint32_t variable)
{
    const uint32_t value = r->value[variable];
    return value ? value : wpg_undef(r->p->module, r->p->candidates.data[variable].type);
}

/* Operands of a composite instruction: `first` words, then the chain's indices as numbers. */
static size_t with_indices(const wpg_promoter *p, uint32_t *words, size_t first, const wpg_inst *chain)
{
    for (unsigned i = 4; i < chain->count; i++) {
        uint64_t value = 0;
        uint32_t width;
        (void)wpg_const_value(p->module, chain->words[i], &value, &width);
        words[first++] = (uint32_t)value;
    }
    return first;
}

static bool rename_access(renamer *r, wpg_inst *inst)
{
    wpg_promoter *p = r->p;
    const uint32_t pointer = inst->words[inst->opcode == SpvOpLoad ? 3 : 1], v = p->number[pointer] - 1;
    const wpg_inst *variable = p->candidates.data[v].variable,
                   *chain = pointer == variable->result ? NULL : wpg_module_def(p->module, pointer);
    uint32_t words[6]; /* of a matrix two indices */
    if (inst->opcode == SpvOpLoad && !chain) {
        p->becomes[inst->result] = value_now(r, v);
        wpg_inst_remove(p->module, inst);
        return true;
    }
    if (inst->opcode == SpvOpLoad) {
        words[0] = inst->type, words[1] = inst->result, words[2] = value_now(r, v);
        wpg_inst_rewrite(p->module, inst, SpvOpCompositeExtract, words, with_indices(p, words, 3, chain));
        return true;
    }
    uint32_t value = resolve(p, inst->words[2]);
    if (chain) {
        words[0] = p->candidates.data[v].type, words[1] = wpg_module_fresh_id(p->module);
        words[2] = value, words[3] = value_now(r, v);
        value = words[1];
        (void)wpg_inst_insert(p->module, inst, SpvOpCompositeInsert, words, with_indices(p, words, 4, chain));
    }
    wpg_inst_remove(p->module, inst);
    return set_value(r, v, value);
}

static bool rename_block(renamer *r, uint32_t b)
{
    wpg_promoter *p = r->p;
    const wpg_block *block = &p->cfg->blocks[b];
    for (uint32_t i = p->phis_of[b]; i != WPG_PROMOTE_NONE; i = p->phis.data[i].next)
        if (!set_value(r, p->phis.data[i].variable, p->phis.data[i].id))
            return false;
    for (uint32_t a = p->first_access[b]; a < p->first_access[b + 1]; a++) {
        wpg_inst *inst = p->accesses.data[a];
        if (wpg_promote_accessed(p, inst) && !rename_access(r, inst))
            return false;
    }
    for (uint32_t s = 0; s < block->successor_count; s++) {
        const wpg_block *to = &p->cfg->blocks[block->successors[s]];
        for (uint32_t i = p->phis_of[block->successors[s]]; i != WPG_PROMOTE_NONE; i = p->phis.data[i].next)
            for (uint32_t k = 0; k < to->predecessor_count; k++)
                if (to->predecessors[k] == b)
                    p->phis.data[i].values[k] = value_now(r, p->phis.data[i].variable);
    }
    return true;
}

/* Down the dominator tree; children in the order of the blocks. */
static bool rename_all(wpg_promoter *p)
{
    const wpg_cfg *cfg = p->cfg;
    renamer r = {.p = p, .value = WPG_ARENA_ARRAY(&p->arena, uint32_t, p->candidates.count)};
    uint32_t *first = WPG_ARENA_ARRAY(&p->arena, uint32_t, cfg->count),
             *next = WPG_ARENA_ARRAY(&p->arena, uint32_t, cfg->count),
             *depth = WPG_ARENA_ARRAY(&p->arena, uint32_t, cfg->count);
    if (p->arena.failed || !grow(p))
        return false;
    memset(first, 0xff, cfg->count * sizeof *first);
    for (uint32_t b = cfg->count; b-- > 0;)
        if (cfg->blocks[b].idom != WPG_NO_BLOCK) {
            next[b] = first[cfg->blocks[b].idom];
            first[cfg->blocks[b].idom] = b;
        }
    bool fits = true;
    for (uint32_t v = 0; v < p->candidates.count; v++) {
        const wpg_inst *variable = p->candidates.data[v].variable;
        r.value[v] = variable && variable->count > 4 ? variable->words[4] : 0;
    }
    for (uint32_t b = 0; fits && b != WPG_PROMOTE_NONE;) {
        depth[b] = (uint32_t)r.undo.count;
        fits = rename_block(&r, b);
        if (first[b] != WPG_PROMOTE_NONE) {
            b = first[b];
            continue;
        }
        for (;;) {
            while (r.undo.count > depth[b]) {
                const undo old = wpg_vec_pop(&r.undo);
                r.value[old.variable] = old.value;
            }
            if (b == 0) {
                b = WPG_PROMOTE_NONE;
                break;
            }
            if (next[b] != WPG_PROMOTE_NONE) {
                b = next[b];
                break;
            }
            b = cfg->blocks[b].idom;
        }
    }
    wpg_vec_free(&r.undo);
    return fits && grow(p);
}

/* -- Simplify and rewrite -- */

/* The one value of a phi but itself; 0: several. */
static uint32_t only_value(wpg_promoter *p, const wpg_promote_phi *one)
{
    uint32_t only = 0;
    for (uint32_t k = 0; k < p->cfg->blocks[one->block].predecessor_count; k++) {
        const uint32_t value = resolve(p, one->values[k]);
        if (value == one->id || value == only)
            continue;
        if (only)
            return 0;
        only = value;
    }
    return only;
}

static void simplify(wpg_promoter *p)
{
    for (uint32_t i = 0; i < p->phis.count; i++) { /* predecessors that never run */
        const wpg_promote_phi *one = &p->phis.data[i];
        for (uint32_t k = 0; k < p->cfg->blocks[one->block].predecessor_count; k++)
            if (!one->values[k])
                one->values[k] = wpg_undef(p->module, p->candidates.data[one->variable].type);
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < p->phis.count; i++) {
            const wpg_promote_phi *one = &p->phis.data[i];
            const uint32_t only = p->becomes[one->id] ? 0 : only_value(p, one);
            if (!only)
                continue;
            p->becomes[one->id] = only;
            again = true;
        }
    }
}

static bool insert_phis(wpg_promoter *p)
{
    id_list words = {0};
    bool fits = true;
    for (size_t i = p->phis.count; i-- > 0 && fits;) { /* the last goes in first: they stand in order */
        const wpg_promote_phi *one = &p->phis.data[i];
        const wpg_block *block = &p->cfg->blocks[one->block];
        const wpg_promote_candidate *c = &p->candidates.data[one->variable];
        if (p->becomes[one->id])
            continue;
        wpg_vec_clear(&words);
        fits = wpg_vec_push(&words, c->type) && wpg_vec_push(&words, one->id);
        for (uint32_t k = 0; k < block->predecessor_count && fits; k++)
            fits = wpg_vec_push(&words, resolve(p, one->values[k])) &&
                   wpg_vec_push(&words, p->cfg->blocks[block->predecessors[k]].id);
        if (!fits)
            break;
        (void)wpg_inst_insert(p->module, block->label->next, SpvOpPhi, words.data, words.count);
        if (c->relaxed)
            wpg_decorate(p->module, one->id, SpvDecorationRelaxedPrecision, NULL, 0);
    }
    wpg_vec_free(&words);
    return fits;
}

static bool rewrite_operands(wpg_promoter *p)
{
    for (wpg_inst *inst = p->cfg->function; wpg_in_function(inst); inst = inst->next) {
        bool any = false;
        for (unsigned at = 1; at < inst->count && !any; at++)
            any = inst->words[at] < p->capacity && p->becomes[inst->words[at]];
        if (!any)
            continue;
        if (inst->opcode == SpvOpSwitch) /* its literals are as wide as the selector, which must be there */
            inst->words[1] = resolve(p, inst->words[1]);
        if (!wpg_used_ids(&p->operands, p->module, inst))
            return false;
        for (size_t i = 0; i < p->operands.count; i++)
            inst->words[p->operands.data[i]] = resolve(p, inst->words[p->operands.data[i]]);
    }
    return true;
}

static void remove_variables(wpg_promoter *p)
{
    for (size_t i = 0; i < p->pointers.count; i++) /* the variable and the chains into it */
        if (candidate_of(p, p->pointers.data[i]->result)->variable)
            wpg_inst_remove(p->module, p->pointers.data[i]);
}

static bool promote(wpg_promoter *p)
{
    if (!find(p))
        return false;
    if (!p->candidates.count)
        return true;
    if (!wpg_promote_place_phis(p) || !rename_all(p))
        return false;
    simplify(p);
    const bool fits = insert_phis(p) && rewrite_operands(p);
    if (fits)
        remove_variables(p);
    return fits;
}

static bool promote_function(wpg_module *module, wpg_inst *function, wpg_graphs *graphs)
{
    wpg_promoter p = {.module = module, .bound = module->bound};
    wpg_error err;
    const wpg_status status = wpg_cfg_create(&p.cfg, module, function, &err);
    if (status != WPG_OK)
        return status != WPG_E_NOMEM;
    wpg_arena_init(&p.arena);
    p.number = WPG_ARENA_ARRAY(&p.arena, uint32_t, p.bound);
    p.first_access = WPG_ARENA_ARRAY(&p.arena, uint32_t, (size_t)p.cfg->count + 1);
    const bool fits = grow(&p) && !p.arena.failed && promote(&p);
    wpg_vec_free(&p.candidates);
    wpg_vec_free(&p.accesses);
    wpg_vec_free(&p.pointers);
    wpg_vec_free(&p.blocks);
    wpg_vec_free(&p.phis);
    wpg_vec_free(&p.operands);
    wpg_arena_finish(&p.arena);
    if (!wpg_vec_push(&graphs->of, p.cfg)) { /* NOLINT(bugprone-sizeof-expression): a vector of pointers */
        wpg_cfg_destroy(p.cfg);
        return false;
    }
    return fits && !module->arena.failed;
}

bool wpg_promote_variables(wpg_module *module, wpg_graphs *graphs)
{
    if (wpg_has_decoration_groups(module))
        return true;
    for (wpg_inst *function = wpg_first_function(module); function;
         function = wpg_next_function(function->next))
        if (wpg_has_variables(function) && !promote_function(module, function, graphs))
            return false;
    return true;
}

bool wpg_has_variables(const wpg_inst *function)
{
    for (const wpg_inst *inst = function; wpg_in_function(inst); inst = inst->next)
        if (inst->opcode == SpvOpVariable)
            return true;
    return false;
}

void wpg_graphs_finish(wpg_graphs *graphs)
{
    for (size_t i = 0; i < graphs->of.count; i++)
        wpg_cfg_destroy(graphs->of.data[i]);
    wpg_vec_free(&graphs->of);
}
