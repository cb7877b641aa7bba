/* Where phis go: at the dominance frontiers of stores, where a load follows before the next store (pruned
 * SSA; Cytron et al., 1991, 4.2). See promote.h. */
#include <string.h>

#include "compiler/optimize/memory/promote_internal.h"

typedef WPG_VEC(uint32_t) id_list;

static bool list(wpg_promoter *p, uint32_t *first, uint32_t *seen, uint32_t block)
{
    if (*seen == block + 1)
        return true;
    *seen = block + 1;
    const wpg_promote_listed_block item = {block, *first};
    *first = (uint32_t)p->blocks.count;
    return wpg_vec_push(&p->blocks, item);
}

/* Blocks that store to each candidate, and those that ask for its value as they begin. */
static bool list_accesses(wpg_promoter *p)
{
    for (uint32_t b = 0; b < p->cfg->count; b++)
        for (uint32_t a = p->first_access[b]; a < p->first_access[b + 1]; a++) {
            const wpg_inst *inst = p->accesses.data[a];
            wpg_promote_candidate *c = wpg_promote_accessed(p, inst);
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

typedef struct frontiers {
    uint32_t *first; /* [count + 1] */
    uint32_t *blocks;
} frontiers;

/* Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", figure 5. Twice: count, then fill. */
static bool find_frontiers(frontiers *f, wpg_promoter *p)
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

static bool mark_live(wpg_promoter *p, const marks *m, id_list *work, const wpg_promote_candidate *c,
                      uint32_t mark)
{
    wpg_vec_clear(work);
    for (uint32_t i = c->first_load; i != WPG_PROMOTE_NONE; i = p->blocks.data[i].next) {
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

static bool add_phi(wpg_promoter *p, uint32_t variable, uint32_t block)
{
    const wpg_promote_phi one = {
        .variable = variable,
        .block = block,
        .id = wpg_module_fresh_id(p->module),
        .next = p->phis_of[block],
        .values = WPG_ARENA_ARRAY(&p->arena, uint32_t, p->cfg->blocks[block].predecessor_count)};
    p->phis_of[block] = (uint32_t)p->phis.count;
    return wpg_vec_push(&p->phis, one) && one.id && one.values;
}

static bool place_phis(wpg_promoter *p, const frontiers *f, const marks *m, id_list *work, uint32_t variable)
{
    const wpg_promote_candidate *c = &p->candidates.data[variable];
    const uint32_t mark = variable + 1;
    if (!c->variable || c->first_load == WPG_PROMOTE_NONE || c->first_store == WPG_PROMOTE_NONE)
        return true;
    for (uint32_t i = c->first_store; i != WPG_PROMOTE_NONE; i = p->blocks.data[i].next)
        m->stores[p->blocks.data[i].block] = mark;
    if (!mark_live(p, m, work, c, mark))
        return false;
    wpg_vec_clear(work);
    for (uint32_t i = c->first_store; i != WPG_PROMOTE_NONE; i = p->blocks.data[i].next)
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

bool wpg_promote_place_phis(wpg_promoter *p)
{
    frontiers f = {0};
    id_list work = {0};
    marks m = {.stores = WPG_ARENA_ARRAY(&p->arena, uint32_t, p->cfg->count),
               .live = WPG_ARENA_ARRAY(&p->arena, uint32_t, p->cfg->count),
               .phi = WPG_ARENA_ARRAY(&p->arena, uint32_t, p->cfg->count)};
    p->phis_of = WPG_ARENA_ARRAY(&p->arena, uint32_t, p->cfg->count);
    bool fits = list_accesses(p) && find_frontiers(&f, p) && !p->arena.failed;
    for (uint32_t b = 0; fits && b < p->cfg->count; b++)
        p->phis_of[b] = WPG_PROMOTE_NONE;
    for (uint32_t v = 0; fits && v < p->candidates.count; v++)
        fits = place_phis(p, &f, &m, &work, v);
    wpg_vec_free(&work);
    return fits;
}
