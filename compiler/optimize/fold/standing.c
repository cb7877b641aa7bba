/* See standing.h. */
#include "compiler/optimize/fold/standing.h"

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/loops/opt_barrier.h"

enum {
    FREED_TRIPS = 64, /* most, on average, of a loop that is freed: drivers unroll no more */
    FREED_SIZE = 4096 /* most instructions that it unrolls to */
};

/* -- Standing -- */

/* What is still to be followed in a loop. */
typedef struct slice {
    wpg_standing *s;
    const wpg_loop *loop;
    uint32_t *worklist, count; /* [bound] ids; each is put in once, as it is marked */
    bool chosen;               /* a branch in the loop chooses one of the values */
    bool nomem;
} slice;

static void stand_by(slice *c, uint32_t id)
{
    wpg_standing *s = c->s;
    if (id >= s->view->bound || !wpg_view_is_local(s->view, id) || s->opaque[id] || s->known[id])
        return;
    s->opaque[id] = true;
    c->worklist[c->count++] = id;
}

/* All that the marked ids are computed of inside the loop, but the loads themselves. What was computed before
 * the loop is kept, as operands of what is marked are. */
static void follow(slice *c)
{
    const wpg_view *view = c->s->view;
    while (c->count) {
        uint32_t id = c->worklist[--c->count], block = view->block_of[id];
        const wpg_inst *inst = wpg_module_def(view->module, id);
        if (!inst || block == WPG_NO_BLOCK || !c->loop->members[block])
            continue;
        c->chosen |= inst->opcode == SpvOpPhi && block != c->loop->header;
        wpg_operand_list operands = {0};
        c->nomem |= !wpg_used_ids(&operands, view->module, inst);
        for (size_t i = 0; i < operands.count; i++) {
            uint32_t from = inst->words[operands.data[i]], at = from < view->bound ? view->block_of[from] : 0;
            if (from < view->bound && at != WPG_NO_BLOCK && c->loop->members[at])
                stand_by(c, from);
        }
        wpg_vec_free(&operands);
    }
}

/* Does the block's branch decide whether the loop is left? */
static bool leaves(const wpg_cfg *cfg, const wpg_loop *loop, uint32_t b)
{
    const wpg_block *block = &cfg->blocks[b];
    bool leaves = false;
    for (uint32_t i = 0; block->successor_count > 1 && i < block->successor_count; i++)
        leaves |= wpg_loop_is_left_by(cfg, loop, b, block->successors[i]);
    return leaves;
}

/* Marks what decides whether the loop is left, or with `all` what decides any branch in it. */
static void stand_loop(slice *c, bool all)
{
    const wpg_cfg *cfg = c->s->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++)
        if (cfg->blocks[b].successor_count > 1 && (leaves(cfg, c->loop, b) || (all && c->loop->members[b])))
            stand_by(c, cfg->blocks[b].terminator->words[1]);
    follow(c);
}

/* -- Freeing -- */

/* Few trips, as the profile has them? */
static bool is_short(const wpg_standing *s, const wpg_loop *loop)
{
    uint64_t entries, lanes;
    if (!s->profile || !wpg_loop_entries(&entries, s->view, s->profile, loop) || !entries ||
        !wpg_block_lanes(&lanes, s->view, s->profile, loop->header))
        return false;
    double trips = (double)lanes / (double)entries;
    return trips <= (double)FREED_TRIPS && trips * (double)loop->instructions <= (double)FREED_SIZE;
}

/* Is the test constant in each trip? Of a logical operation both sides have to be. */
static bool is_counted(const wpg_standing *s, const wpg_unrolled *of, uint32_t id, unsigned depth)
{
    const wpg_inst *inst = wpg_module_def(s->view->module, id);
    if (!inst || depth > 16 || (inst->opcode != SpvOpLogicalAnd && inst->opcode != SpvOpLogicalOr))
        return of->may[id];
    return is_counted(s, of, inst->words[3], depth + 1) && is_counted(s, of, inst->words[4], depth + 1);
}

/* Is there a test that the given values make countable? */
static bool becomes_countable(const wpg_standing *s, const wpg_loop *loop, const wpg_unrolled *before,
                              const wpg_unrolled *now)
{
    const wpg_cfg *cfg = s->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        uint32_t test = leaves(cfg, loop, b) ? cfg->blocks[b].terminator->words[1] : 0;
        if (test && is_counted(s, now, test, 0) && !is_counted(s, before, test, 0))
            return true;
    }
    return false;
}

static bool is_member(const wpg_standing *s, const wpg_loop *loop, uint32_t id)
{
    uint32_t block = id < s->view->bound ? s->view->block_of[id] : WPG_NO_BLOCK;
    return block != WPG_NO_BLOCK && loop->members[block];
}

static uint32_t block_of_user(const wpg_view *view, wpg_inst *user)
{
    const wpg_inst *label = wpg_inst_label(user);
    return label ? wpg_cfg_find(view->cfg, label->result) : WPG_NO_BLOCK;
}

static void hide(wpg_standing *s, const wpg_inst *inst)
{
    s->hidden[inst->result] = s->opaque[inst->result] = true;
}

/* What unrolling does to the value's users, where the loop's arithmetic rounds. Behind the loop, a phi may
 * have one way left: a barrier hides it. Arithmetic that is used directly, behind the loop or in it, stands
 * in more places or with other neighbours than before. `mark`: puts the barriers. */
static bool users_keep_it(wpg_standing *s, const wpg_loop *loop, uint32_t id, bool mark)
{
    const wpg_view *view = s->view;
    const wpg_inst *def = wpg_module_def(view->module, id);
    const bool inside = is_member(s, loop, id);
    if (!def || !def->type || !wpg_bears_floats(view->module, def->type) ||
        (inside && s->view->cfg->blocks[view->block_of[id]].heads != WPG_NO_BLOCK && def->opcode == SpvOpPhi))
        return true;
    if (!inside && !wpg_is_rounded(view->module, def))
        return true;
    for (uint32_t u = view->first_user[id]; u < view->first_user[id + 1]; u++) {
        wpg_inst *user = view->users[u];
        uint32_t block = block_of_user(view, user);
        bool user_inside = block != WPG_NO_BLOCK && loop->members[block];
        if (user_inside == inside)
            continue;
        if (!inside && user->opcode == SpvOpPhi && block == loop->header)
            continue;
        if (!inside || user->opcode != SpvOpPhi || !wpg_opt_barrier_wanted(view->module, user))
            return false;
        if (mark)
            hide(s, user);
    }
    return true;
}

/* Would unrolling make the value constant where it was not? A phi of a short-circuit has a constant on one
 * way already. Unrolling decides no more of it, unless it decides the way, which is asked by itself. */
static bool becomes_known(const wpg_view *view, const wpg_unrolled *now, uint32_t id, unsigned depth)
{
    const wpg_cfg *cfg = view->cfg;
    const wpg_inst *inst = wpg_module_def(view->module, id);
    if (!now->may[id] || now->is[id])
        return false;
    const uint32_t block = view->block_of[id];
    if (!inst || block == WPG_NO_BLOCK || depth > 16 ||
        (inst->opcode != SpvOpLogicalNot && inst->opcode != SpvOpPhi))
        return true;
    for (uint32_t c = 0; c < cfg->construct_count; c++)
        if (inst->opcode == SpvOpPhi && cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP &&
            (cfg->constructs[c].header == block || cfg->constructs[c].merge == block))
            return true;
    for (unsigned i = 3; i < inst->count; i += 2)
        if (becomes_known(view, now, inst->words[i], depth + 1))
            return true;
    return false;
}

/* Would unrolling decide a branch or select of the loop's body? */
static bool decides_more(const wpg_view *view, const wpg_loop *loop, const wpg_inst *inst, uint32_t b,
                         const wpg_unrolled *now)
{
    const wpg_cfg *cfg = view->cfg;
    if (inst->opcode == SpvOpSelect)
        return becomes_known(view, now, inst->words[3], 0) && wpg_bears_floats(view->module, inst->type);
    if ((inst->opcode != SpvOpBranchConditional && inst->opcode != SpvOpSwitch) ||
        !becomes_known(view, now, inst->words[1], 0) || leaves(cfg, loop, b))
        return false;
    /* A test of a loop inside has barriers at that loop's phis. */
    uint32_t inner = cfg->blocks[b].loop;
    wpg_loop described;
    return inner == WPG_NO_BLOCK || inner == loop->construct || !wpg_loop_describe(&described, view, inner) ||
           !leaves(cfg, &described, b);
}

bool wpg_unrolling_decides(const wpg_view *view, const wpg_loop *loop, uint32_t known, wpg_arena *arena)
{
    wpg_unrolled now;
    bool any = false, decided = false;
    if (!(loop->traits & WPG_TRAIT_FLOAT))
        return false;
    if (!wpg_unrolled_with_one(&now, view, known, arena))
        return true;
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        const wpg_block *block = &view->cfg->blocks[b];
        for (const wpg_inst *inst = block->label; loop->members[b] && inst;
             inst = inst == block->terminator ? NULL : inst->next) {
            any |= wpg_is_rounded(view->module, inst);
            decided |= decides_more(view, loop, inst, b, &now);
        }
    }
    return any && decided;
}

/* May the value differ by trip, as far as its operands tell? What a phi chooses may. */
static bool may_differ_by_trip(const wpg_standing *s, const wpg_loop *loop, uint32_t id, unsigned depth)
{
    const wpg_inst *inst = is_member(s, loop, id) ? wpg_module_def(s->view->module, id) : NULL;
    if (!inst || s->known[id])
        return false;
    if (depth > 16 || inst->opcode == SpvOpPhi || inst->opcode == SpvOpLoad)
        return true;
    wpg_operand_list operands = {0};
    bool may = !wpg_used_ids(&operands, s->view->module, inst);
    for (size_t i = 0; !may && i < operands.count; i++)
        may = may_differ_by_trip(s, loop, inst->words[operands.data[i]], depth + 1);
    wpg_vec_free(&operands);
    return may;
}

/* Can arithmetic of two trips or ways meet nowhere but in phis that get barriers? `mark`: puts them.
 * `counted`: the loop's trips can be counted without the given values. A branch that these alone decide is
 * then none that unrolling decides. */
static bool trips_stay_apart(wpg_standing *s, const wpg_loop *loop, const wpg_unrolled *now, bool counted,
                             bool mark)
{
    const wpg_view *view = s->view;
    bool any = false, decided = false;
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        const wpg_block *block = &view->cfg->blocks[b];
        for (const wpg_inst *inst = block->label; loop->members[b] && inst;
             inst = inst == block->terminator ? NULL : inst->next) {
            any |= wpg_is_rounded(view->module, inst);
            decided |= decides_more(view, loop, inst, b, now) &&
                       (!counted ||
                        may_differ_by_trip(s, loop, inst->words[inst->opcode == SpvOpSelect ? 3 : 1], 0));
            if (!inst->type || !wpg_bears_floats(view->module, inst->type))
                continue;
            if ((wpg_inst_traits(view->module, inst) & WPG_TRAIT_FLOAT) &&
                wpg_id_set_has(s->exact, inst->result))
                return false;
            if (inst->opcode != SpvOpPhi || block->heads == WPG_NO_BLOCK)
                continue;
            if (!wpg_opt_barrier_wanted(view->module, inst))
                return false;
            if (mark)
                hide(s, inst);
        }
    }
    for (uint32_t id = 0; any && id < view->bound; id++)
        if (wpg_view_is_local(view, id) && !users_keep_it(s, loop, id, mark))
            return false;
    return !any || !decided;
}

/* Is float memory that the loop writes never read in it? Each access names a variable: no driver forwards a
 * store to a load of another variable. */
static bool memory_is_apart(const wpg_standing *s, const wpg_loop *loop)
{
    const wpg_module *module = s->view->module;
    bool *stored = WPG_ARENA_ARRAY(s->arena, bool, s->view->bound);
    for (int pass = 0; stored && pass < 2; pass++)
        for (uint32_t b = 0; b < s->view->cfg->count; b++) {
            const wpg_block *block = &s->view->cfg->blocks[b];
            for (const wpg_inst *inst = block->label->next; loop->members[b] && inst != block->terminator;
                 inst = inst->next) {
                if (inst->opcode == SpvOpCopyMemory || inst->opcode == SpvOpFunctionCall)
                    return false;
                if (inst->opcode != (pass ? SpvOpLoad : SpvOpStore) || inst->count < 3)
                    continue;
                const wpg_inst *value = pass ? inst : wpg_module_def(module, inst->words[2]);
                const wpg_inst *root = wpg_pointer_root(module, inst->words[pass ? 3 : 1]);
                if (value && !wpg_bears_floats(module, value->type))
                    continue;
                if (!root || root->opcode != SpvOpVariable || root->result >= s->view->bound)
                    return false;
                if (pass && stored[root->result])
                    return false;
                stored[root->result] |= !pass;
            }
        }
    return stored != NULL;
}

/* Does no float go from a trip to another, out of the loop, or as a result of arithmetic into it? */
static bool trips_share_nothing(const wpg_standing *s, const wpg_loop *loop)
{
    const wpg_view *view = s->view;
    for (uint32_t id = 0; id < view->bound; id++) {
        const wpg_inst *def = wpg_view_is_local(view, id) ? wpg_module_def(view->module, id) : NULL;
        const bool inside = def && is_member(s, loop, id);
        if (!def || !def->type || !wpg_bears_floats(view->module, def->type))
            continue;
        if (inside && def->opcode == SpvOpPhi && view->cfg->blocks[view->block_of[id]].heads != WPG_NO_BLOCK)
            return false;
        for (uint32_t u = view->first_user[id]; u < view->first_user[id + 1]; u++) {
            uint32_t block = block_of_user(view, view->users[u]);
            bool user_inside = block != WPG_NO_BLOCK && loop->members[block];
            if (user_inside != inside && (inside || wpg_is_rounded(view->module, def)))
                return false;
        }
    }
    return memory_is_apart(s, loop);
}

/* With barriers, a loop whose trips the given values make countable. Without any, a loop that a driver may
 * unroll already: barriers would change what that driver computes. */
static bool may_be_freed(wpg_standing *s, const wpg_loop *loop, bool unrollable, const wpg_unrolled *before,
                         const wpg_unrolled *now)
{
    if (!is_short(s, loop) || wpg_unrolled_folds(now, loop))
        return false;
    if (s->barriers && becomes_countable(s, loop, before, now) && !wpg_opt_barrier_refusal(s->view, loop) &&
        trips_stay_apart(s, loop, now, false, false))
        return true;
    return unrollable && trips_share_nothing(s, loop) && trips_stay_apart(s, loop, now, true, false);
}

/* Was the loop's test found to stand, for a loop around it? */
static bool stands(const wpg_standing *s, const wpg_loop *loop)
{
    const wpg_cfg *cfg = s->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++)
        if (leaves(cfg, loop, b) && s->opaque[cfg->blocks[b].terminator->words[1]])
            return true;
    return false;
}

bool wpg_standing_find(wpg_standing *s)
{
    const wpg_view *view = s->view;
    const wpg_cfg *cfg = view->cfg;
    const bool *unrollable = wpg_unrollable_loops(view);
    slice c = {.s = s, .worklist = WPG_ARENA_ARRAY(s->arena, uint32_t, view->bound)};
    wpg_loop *loops = WPG_ARENA_ARRAY(s->arena, wpg_loop, cfg->construct_count + 1u);
    bool *frees = WPG_ARENA_ARRAY(s->arena, bool, cfg->construct_count + 1u);
    const wpg_unrolled *before = wpg_unrolled_of(view);
    wpg_unrolled now;
    if (!before || !unrollable || !c.worklist || !loops || !frees ||
        !wpg_unrolled_with(&now, view, s->known, s->arena))
        return false;
    for (uint32_t i = 0; i < cfg->construct_count; i++) {
        if (!wpg_loop_describe(&loops[i], view, i) ||
            (!s->every_loop && !(loops[i].traits & WPG_TRAIT_FLOAT)))
            continue;
        frees[i] = !s->every_loop && may_be_freed(s, &loops[i], unrollable[i], before, &now);
        if (frees[i])
            continue;
        c.loop = &loops[i];
        c.chosen = false;
        stand_loop(&c, unrollable[i]);
        if (c.chosen && !unrollable[i])
            stand_loop(&c, true);
    }
    for (uint32_t i = 0; i < cfg->construct_count; i++)
        if (frees[i] && !stands(s, &loops[i])) {
            (void)trips_stay_apart(s, &loops[i], &now, unrollable[i], true);
            s->freed++;
        }
    return !c.nomem && !s->arena->failed;
}
