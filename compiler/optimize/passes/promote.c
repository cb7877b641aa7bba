/* See promote.h. One function at a time:
 *
 *      find        variables that may go, by their uses
 *      place       phis, where stores of several paths meet and a load follows (dominance frontiers,
 *                  liveness)
 *      rename      down the dominator tree: loads become the value of the last store
 *      simplify    phis of one value become that value
 *      rewrite     operands, the phis themselves; variables, loads and stores go
 *
 * A load before any store is OpUndef: SPIR-V 1.6, OpVariable: without an initializer the value is undefined.
 */
#include "compiler/optimize/passes/promote.h"

#include <string.h>

#include "compiler/analysis/graph/cfg.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

enum { NONE = UINT32_MAX };

typedef struct candidate {
    wpg_inst *variable;
    uint32_t type;                    /* of the value */
    uint32_t first_store, first_load; /* lists of blocks: indices in promoter.blocks, NONE ends them */
    uint32_t seen_store, seen_load;   /* the block that was noted last + 1 */
    bool relaxed;                     /* RelaxedPrecision */
} candidate;

typedef struct listed_block {
    uint32_t block, next;
} listed_block;

typedef struct phi {
    uint32_t variable, block, id, next; /* next: of the same block, NONE ends the list */
    uint32_t *values;                   /* by predecessor */
} phi;

typedef struct promoter {
    wpg_module *module;
    wpg_cfg *cfg;
    wpg_arena arena;
    uint32_t bound;    /* ids of the module as it came */
    uint32_t *number;  /* [bound] of variables and of pointers into them: candidate + 1 */
    uint32_t *becomes; /* ids that become others, 0: none */
    uint32_t capacity; /* of becomes */
    WPG_VEC(candidate) candidates;
    WPG_VEC(listed_block) blocks;
    WPG_VEC(phi) phis;
    uint32_t *phis_of; /* [cfg->count] first phi of the block, or NONE */
    wpg_operand_list operands;
} promoter;

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

static bool add_variable(promoter *p, wpg_inst *inst)
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
    const candidate c = {
        .variable = inst, .type = pointer->words[3], .first_store = NONE, .first_load = NONE};
    p->number[inst->result] = (uint32_t)p->candidates.count + 1;
    return wpg_vec_push(&p->candidates, c);
}

static candidate *candidate_of(promoter *p, uint32_t id)
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
static bool is_part(const promoter *p, const wpg_inst *chain, uint32_t type)
{
    const wpg_inst *pointer = wpg_module_def(p->module, chain->type);
    for (unsigned i = 4; i < chain->count; i++)
        if (!step_into(p->module, &type, chain->words[i]))
            return false;
    return chain->count > 4 && pointer && pointer->opcode == SpvOpTypePointer && pointer->count == 4 &&
           pointer->words[3] == type;
}

static bool is_volatile(const wpg_inst *inst, unsigned at)
{
    return inst->count > at && (inst->words[at] & SpvMemoryAccessVolatileMask);
}

/* May `inst` use the pointer `inst->words[at]` to a value of `type`? */
static bool is_plain_use(const promoter *p, const wpg_inst *inst, unsigned at, uint32_t type)
{
    switch (inst->opcode) {
    case SpvOpLoad:
        return at == 3 && inst->type == type && !is_volatile(inst, 4);
    case SpvOpStore: {
        const wpg_inst *value = wpg_module_def(p->module, inst->words[2]);
        return at == 1 && value && value->type == type && !is_volatile(inst, 3);
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

static void refuse(promoter *p, uint32_t id)
{
    candidate *c = candidate_of(p, id);
    if (c)
        c->variable = NULL;
}

/* Chains come before what goes by them: blocks stand in an order in which definitions do. */
static bool judge_uses(promoter *p, wpg_inst *inst, bool reachable)
{
    const bool chain = inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain;
    if (!wpg_used_ids(&p->operands, p->module, inst))
        return false;
    for (size_t i = 0; i < p->operands.count; i++) {
        const unsigned at = p->operands.data[i];
        const uint32_t id = inst->words[at];
        const candidate *c = candidate_of(p, id);
        if (!c || !c->variable)
            continue;
        if (chain && at == 3 && reachable && id == c->variable->result && is_part(p, inst, c->type))
            p->number[inst->result] = p->number[id];
        else if (!reachable || !is_plain_use(p, inst, at, pointee(p->module, id)))
            refuse(p, id);
    }
    return true;
}

/* Decorations but RelaxedPrecision say something of the memory. */
static void judge_decorations(promoter *p)
{
    for (const wpg_inst *inst = p->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        if ((inst->opcode != SpvOpDecorate && inst->opcode != SpvOpDecorateId &&
             inst->opcode != SpvOpDecorateString) ||
            inst->count < 3)
            continue;
        candidate *c = candidate_of(p, inst->words[1]);
        if (c && inst->words[2] == SpvDecorationRelaxedPrecision)
            c->relaxed |= c->variable && c->variable->result == inst->words[1];
        else if (c)
            c->variable = NULL;
    }
}

static bool find(promoter *p)
{
    const wpg_block *entry = &p->cfg->blocks[0];
    for (wpg_inst *inst = entry->label; inst != entry->terminator; inst = inst->next)
        if (inst->opcode == SpvOpVariable && inst->result < p->bound && !add_variable(p, inst))
            return false;
    for (uint32_t b = 0; p->candidates.count && b < p->cfg->count; b++) {
        const wpg_block *block = &p->cfg->blocks[b];
        for (wpg_inst *inst = block->label; inst; inst = inst == block->terminator ? NULL : inst->next)
            if (!judge_uses(p, inst, block->rpo != WPG_NO_BLOCK))
                return false;
    }
    judge_decorations(p);
    return true;
}

/* -- Place -- */

static bool list(promoter *p, uint32_t *first, uint32_t *seen, uint32_t block)
{
    if (*seen == block + 1)
        return true;
    *seen = block + 1;
    const listed_block item = {block, *first};
    *first = (uint32_t)p->blocks.count;
    return wpg_vec_push(&p->blocks, item);
}

static candidate *accessed(promoter *p, const wpg_inst *inst)
{
    candidate *c = inst->opcode == SpvOpLoad    ? candidate_of(p, inst->words[3])
                   : inst->opcode == SpvOpStore ? candidate_of(p, inst->words[1])
                                                : NULL;
    return c && c->variable ? c : NULL;
}

/* Blocks that store to each candidate, and those that ask for its value as they begin. */
static bool list_accesses(promoter *p)
{
    for (uint32_t b = 0; b < p->cfg->count; b++)
        for (const wpg_inst *inst = p->cfg->blocks[b].label; inst != p->cfg->blocks[b].terminator;
             inst = inst->next) {
            candidate *c = accessed(p, inst);
            if (!c)
                continue;
            const bool whole = inst->opcode == SpvOpStore && inst->words[1] == c->variable->result;
            if (!whole && c->seen_store != b + 1 && !list(p, &c->first_load, &c->seen_load, b))
                return false;
            if (inst->opcode == SpvOpStore && !list(p, &c->first_store, &c->seen_store, b))
                return false;
        }
    return true;
}

typedef WPG_VEC(uint32_t) id_list;

typedef struct frontiers {
    uint32_t *first; /* [count + 1] */
    uint32_t *blocks;
} frontiers;

/* Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", figure 5. Twice: count, then fill. */
static bool find_frontiers(frontiers *f, promoter *p)
{
    const wpg_cfg *cfg = p->cfg;
    uint32_t *last = WPG_ARENA_ARRAY(&p->arena, uint32_t, cfg->count), *at = NULL;
    f->first = WPG_ARENA_ARRAY(&p->arena, uint32_t, (size_t)cfg->count + 1);
    for (int fill = 0; fill < 2; fill++) {
        if (p->arena.failed)
            return false;
        memset(last, 0, cfg->count * sizeof *last);
        for (uint32_t b = 0; b < cfg->count; b++) {
            const wpg_block *block = &cfg->blocks[b];
            if (block->rpo == WPG_NO_BLOCK || (block->predecessor_count < 2 && b != 0))
                continue;
            for (uint32_t i = 0; i < block->predecessor_count; i++)
                for (uint32_t runner = block->predecessors[i];
                     runner != WPG_NO_BLOCK && cfg->blocks[runner].rpo != WPG_NO_BLOCK &&
                     runner != block->idom;
                     runner = cfg->blocks[runner].idom) {
                    if (last[runner] == b + 1)
                        continue;
                    last[runner] = b + 1;
                    if (fill)
                        f->blocks[at[runner]++] = b;
                    else
                        f->first[runner + 1]++;
                }
        }
        if (fill)
            break;
        for (uint32_t b = 0; b < cfg->count; b++)
            f->first[b + 1] += f->first[b];
        f->blocks = WPG_ARENA_ARRAY(&p->arena, uint32_t, f->first[cfg->count]);
        at = wpg_arena_memdup(&p->arena, f->first, cfg->count * sizeof *at);
    }
    return true;
}

/* Marks of one candidate by block: its number + 1. */
typedef struct marks {
    uint32_t *stores, *live, *phi;
} marks;

static bool mark_live(promoter *p, const marks *m, id_list *work, const candidate *c, uint32_t mark)
{
    wpg_vec_clear(work);
    for (uint32_t i = c->first_load; i != NONE; i = p->blocks.data[i].next) {
        m->live[p->blocks.data[i].block] = mark;
        if (!wpg_vec_push(work, p->blocks.data[i].block))
            return false;
    }
    while (work->count) {
        const wpg_block *block = &p->cfg->blocks[wpg_vec_pop(work)];
        for (uint32_t i = 0; i < block->predecessor_count; i++) {
            const uint32_t from = block->predecessors[i];
            if (m->live[from] == mark || m->stores[from] == mark)
                continue;
            m->live[from] = mark;
            if (!wpg_vec_push(work, from))
                return false;
        }
    }
    return true;
}

static bool add_phi(promoter *p, uint32_t variable, uint32_t block)
{
    const phi one = {.variable = variable,
                     .block = block,
                     .id = wpg_module_fresh_id(p->module),
                     .next = p->phis_of[block],
                     .values = WPG_ARENA_ARRAY(&p->arena, uint32_t, p->cfg->blocks[block].predecessor_count)};
    p->phis_of[block] = (uint32_t)p->phis.count;
    return wpg_vec_push(&p->phis, one) && one.id && one.values;
}

static bool place_phis(promoter *p, const frontiers *f, const marks *m, id_list *work, uint32_t variable)
{
    const candidate *c = &p->candidates.data[variable];
    const uint32_t mark = variable + 1;
    if (!c->variable || c->first_load == NONE || c->first_store == NONE)
        return true;
    for (uint32_t i = c->first_store; i != NONE; i = p->blocks.data[i].next)
        m->stores[p->blocks.data[i].block] = mark;
    if (!mark_live(p, m, work, c, mark))
        return false;
    wpg_vec_clear(work);
    for (uint32_t i = c->first_store; i != NONE; i = p->blocks.data[i].next)
        if (!wpg_vec_push(work, p->blocks.data[i].block))
            return false;
    while (work->count) {
        const uint32_t from = wpg_vec_pop(work);
        for (uint32_t i = f->first[from]; i < f->first[from + 1]; i++) {
            const uint32_t b = f->blocks[i];
            if (m->live[b] != mark || m->phi[b] == mark)
                continue;
            m->phi[b] = mark;
            if (!add_phi(p, variable, b) || !wpg_vec_push(work, b))
                return false;
        }
    }
    return true;
}

static bool place(promoter *p)
{
    frontiers f = {0};
    id_list work = {0};
    marks m = {.stores = WPG_ARENA_ARRAY(&p->arena, uint32_t, p->cfg->count),
               .live = WPG_ARENA_ARRAY(&p->arena, uint32_t, p->cfg->count),
               .phi = WPG_ARENA_ARRAY(&p->arena, uint32_t, p->cfg->count)};
    p->phis_of = WPG_ARENA_ARRAY(&p->arena, uint32_t, p->cfg->count);
    bool fits = list_accesses(p) && find_frontiers(&f, p) && !p->arena.failed;
    for (uint32_t b = 0; fits && b < p->cfg->count; b++)
        p->phis_of[b] = NONE;
    for (uint32_t v = 0; fits && v < p->candidates.count; v++)
        fits = place_phis(p, &f, &m, &work, v);
    wpg_vec_free(&work);
    return fits;
}

/* -- Rename -- */

/* Makes room for every id there is now. */
static bool grow(promoter *p)
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
static uint32_t resolve(promoter *p, uint32_t id)
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

typedef struct undo {
    uint32_t variable, value;
} undo;

typedef struct renamer {
    promoter *p;
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
static size_t with_indices(const promoter *p, uint32_t *words, size_t first, const wpg_inst *chain)
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
    promoter *p = r->p;
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
    promoter *p = r->p;
    const wpg_block *block = &p->cfg->blocks[b];
    for (uint32_t i = p->phis_of[b]; i != NONE; i = p->phis.data[i].next)
        if (!set_value(r, p->phis.data[i].variable, p->phis.data[i].id))
            return false;
    for (wpg_inst *inst = block->label, *next; inst != block->terminator; inst = next) {
        next = inst->next;
        if (accessed(p, inst) && !rename_access(r, inst))
            return false;
    }
    for (uint32_t s = 0; s < block->successor_count; s++) {
        const wpg_block *to = &p->cfg->blocks[block->successors[s]];
        for (uint32_t i = p->phis_of[block->successors[s]]; i != NONE; i = p->phis.data[i].next)
            for (uint32_t k = 0; k < to->predecessor_count; k++)
                if (to->predecessors[k] == b)
                    p->phis.data[i].values[k] = value_now(r, p->phis.data[i].variable);
    }
    return true;
}

/* Down the dominator tree; children in the order of the blocks. */
static bool rename_all(promoter *p)
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
    for (uint32_t b = 0; fits && b != NONE;) {
        depth[b] = (uint32_t)r.undo.count;
        fits = rename_block(&r, b);
        if (first[b] != NONE) {
            b = first[b];
            continue;
        }
        for (;;) {
            while (r.undo.count > depth[b]) {
                const undo old = wpg_vec_pop(&r.undo);
                r.value[old.variable] = old.value;
            }
            if (b == 0) {
                b = NONE;
                break;
            }
            if (next[b] != NONE) {
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
static uint32_t only_value(promoter *p, const phi *one)
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

static void simplify(promoter *p)
{
    for (uint32_t i = 0; i < p->phis.count; i++) { /* predecessors that never run */
        const phi *one = &p->phis.data[i];
        for (uint32_t k = 0; k < p->cfg->blocks[one->block].predecessor_count; k++)
            if (!one->values[k])
                one->values[k] = wpg_undef(p->module, p->candidates.data[one->variable].type);
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < p->phis.count; i++) {
            const phi *one = &p->phis.data[i];
            const uint32_t only = p->becomes[one->id] ? 0 : only_value(p, one);
            if (!only)
                continue;
            p->becomes[one->id] = only;
            again = true;
        }
    }
}

static bool insert_phis(promoter *p)
{
    id_list words = {0};
    bool fits = true;
    for (size_t i = p->phis.count; i-- > 0 && fits;) { /* the last goes in first: they stand in order */
        const phi *one = &p->phis.data[i];
        const wpg_block *block = &p->cfg->blocks[one->block];
        const candidate *c = &p->candidates.data[one->variable];
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

static bool rewrite_operands(promoter *p)
{
    wpg_inst *end = wpg_function_end(p->cfg->function);
    for (wpg_inst *inst = p->cfg->function; inst && inst != end; inst = inst->next) {
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

static void remove_variables(promoter *p)
{
    wpg_inst *end = wpg_function_end(p->cfg->function);
    for (wpg_inst *inst = p->cfg->function, *next; inst && inst != end; inst = next) {
        next = inst->next;
        const candidate *c = candidate_of(p, inst->result);
        if (inst->result && c && c->variable)
            wpg_inst_remove(p->module, inst); /* the variable and the chains into it */
    }
}

static bool promote(promoter *p)
{
    if (!find(p))
        return false;
    if (!p->candidates.count)
        return true;
    if (!place(p) || !rename_all(p))
        return false;
    simplify(p);
    const bool fits = insert_phis(p) && rewrite_operands(p);
    if (fits)
        remove_variables(p);
    return fits;
}

static bool promote_function(wpg_module *module, wpg_inst *function)
{
    promoter p = {.module = module, .bound = module->bound};
    wpg_error err;
    const wpg_status status = wpg_cfg_create(&p.cfg, module, function, &err);
    if (status != WPG_OK)
        return status != WPG_E_NOMEM;
    wpg_arena_init(&p.arena);
    p.number = WPG_ARENA_ARRAY(&p.arena, uint32_t, p.bound);
    const bool fits = grow(&p) && !p.arena.failed && promote(&p);
    wpg_vec_free(&p.candidates);
    wpg_vec_free(&p.blocks);
    wpg_vec_free(&p.phis);
    wpg_vec_free(&p.operands);
    wpg_arena_finish(&p.arena);
    wpg_cfg_destroy(p.cfg);
    return fits && !module->arena.failed;
}

bool wpg_promote_variables(wpg_module *module)
{
    const uint32_t bound = module->bound;
    if (wpg_has_decoration_groups(module))
        return true;
    for (wpg_inst *function = wpg_next_function(module->first); function;
         function = wpg_next_function(function->next))
        if (!promote_function(module, function))
            return false;
    wpg_drop_annotations(module, bound);
    return true;
}
