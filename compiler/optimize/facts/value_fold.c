/* Which branches of a loop a few known values decide, and the effect on the arithmetic around them. See
 * value_fold.h.
 *
 * Only branches are decided. The known values stay variables wherever they are computed with. A driver drops
 * the other ways of a branch on a constant. Then arithmetic may meet that a phi kept apart, and a driver may
 * contract or re-associate it. So a phi with one way left gets an optimisation barrier (opt_barrier.h).
 * Nothing is done if a sum or product is used both in code that stays and in code that falls away: drivers
 * fuse by how often, and by what, a value is used (Mesa's is_only_used_by_fadd, ACO's use counts). */
#include "compiler/optimize/facts/value_fold.h"

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/facts/induction.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/spirv/builder.h"
#include "compiler/spirv/const_fold.h"

enum { DEEPEST = 12 };

/* -- Values -- */

typedef struct known {
    uint32_t bits, facts; /* facts: mask of those it follows from */
    uint32_t width;       /* 1: a Boolean */
} known;

const uint32_t *wpg_value_loads(const wpg_view *view, const wpg_function_profile *profile, wpg_arena *arena)
{
    uint32_t *fact_of = WPG_ARENA_ARRAY(arena, uint32_t, view->bound);
    if (!fact_of)
        return NULL;
    for (uint32_t id = 0; id < view->bound; id++) {
        wpg_value_place place;
        const wpg_inst *inst = wpg_view_is_local(view, id) ? wpg_module_def(view->module, id) : NULL;
        fact_of[id] = WPG_NO_FACT;
        if (!inst || inst->opcode != SpvOpLoad || !wpg_value_place_of(&place, view->module, inst) ||
            !wpg_load_is_draw_constant(view->module, inst, &(const char *){NULL}))
            continue;
        fact_of[id] = wpg_value_fact_at(profile, &place);
    }
    return fact_of;
}

/* 32 of an integer, 1 of a Boolean; 0: neither. */
static uint32_t width_of(const wpg_module *module, uint32_t type)
{
    bool is_float, is_signed;
    uint32_t width = wpg_scalar_width(module, type, &is_float, &is_signed);
    return !is_float && (width == 32 || width == 1) ? width : 0;
}

static bool compute(known *out, const wpg_inst *inst, uint32_t width, known a, known b)
{
    const uint64_t bits[] = {a.bits, b.bits};
    const uint32_t widths[] = {a.width, b.width};
    uint64_t result = 0;
    if (!wpg_fold_scalar(&result, (SpvOp)inst->opcode, width, bits, widths, inst->count - 3u))
        return false;
    *out = (known){(uint32_t)result, a.facts | b.facts, width};
    return true;
}

static bool evaluate_excluded(known *out, const wpg_value_fold *f, const wpg_inst *inst);

static bool evaluate(known *out, const wpg_value_fold *f, uint32_t id, unsigned depth)
{
    const wpg_module *module = f->view->module;
    const wpg_inst *inst = wpg_module_def(module, id);
    uint64_t bits;
    uint32_t width;
    if (wpg_const_value(module, id, &bits, &width)) {
        *out = (known){(uint32_t)bits, 0, width};
        return width == 32 || width == 1;
    }
    if (!inst || depth > DEEPEST || !wpg_view_is_local(f->view, id) ||
        !(width = width_of(module, inst->type)))
        return false;
    uint32_t fact = id < f->view->bound ? f->fact_of[id] : WPG_NO_FACT;
    if (fact != WPG_NO_FACT) {
        *out = (known){f->bits[fact], UINT32_C(1) << fact, width};
        return (f->facts >> fact & 1) != 0;
    }
    known a = {0}, b = {0};
    bool has_a = inst->count > 3 && inst->opcode != SpvOpPhi && evaluate(&a, f, inst->words[3], depth + 1);
    if (inst->count == 4)
        return has_a && compute(out, inst, width, a, b);
    if (inst->count != 5 || inst->opcode == SpvOpPhi)
        return false;
    if (evaluate_excluded(out, f, inst))
        return true;
    bool has_b = evaluate(&b, f, inst->words[4], depth + 1);
    /* One side decides an and, or an or. */
    bool joins = inst->opcode == SpvOpLogicalAnd || inst->opcode == SpvOpLogicalOr;
    bool decides = inst->opcode == SpvOpLogicalOr;
    if (joins && has_a && !a.bits == !decides)
        return *out = (known){decides, a.facts, 1}, true;
    if (joins && has_b && !b.bits == !decides)
        return *out = (known){decides, b.facts, 1}, true;
    return has_a && has_b && compute(out, inst, width, a, b);
}

/* Compared with what it is known not to be? */
static bool evaluate_excluded(known *out, const wpg_value_fold *f, const wpg_inst *inst)
{
    if (inst->opcode != SpvOpIEqual && inst->opcode != SpvOpINotEqual)
        return false;
    for (unsigned side = 3; side < 5; side++) {
        uint32_t id = inst->words[side], value;
        uint32_t fact = id < f->view->bound ? f->fact_of[id] : WPG_NO_FACT;
        if (fact == WPG_NO_FACT || !(f->excluded >> fact & 1) ||
            !wpg_is_u32_const(f->view->module, inst->words[7 - side], &value) || value != f->bits[fact])
            continue;
        *out = (known){inst->opcode == SpvOpINotEqual, UINT32_C(1) << fact, 1};
        return true;
    }
    return false;
}

/* -- Branches -- */

/* A branch within the loop it stands in: no loop's header, none that leaves the loop or goes round. */
static bool stays_inside(const wpg_value_fold *f, uint32_t b)
{
    const wpg_cfg *cfg = f->view->cfg;
    const wpg_block *block = &cfg->blocks[b];
    if (!f->loop->members[b] || block->rpo == WPG_NO_BLOCK || block->loop == WPG_NO_BLOCK ||
        (block->merge && block->merge->opcode == SpvOpLoopMerge))
        return false;
    for (uint32_t s = 0; s < block->successor_count; s++)
        if (!wpg_construct_holds(cfg, block->loop, block->successors[s]) ||
            block->successors[s] == cfg->constructs[block->loop].header)
            return false;
    return block->successor_count > 1;
}

bool wpg_value_fold_find(wpg_value_fold *f, uint32_t *needed)
{
    const wpg_cfg *cfg = f->view->cfg;
    if (!f->folds)
        f->folds = WPG_ARENA_ARRAY(f->arena, wpg_guard_fold, cfg->count);
    f->fold_count = 0;
    *needed = 0;
    if (!f->folds)
        return false;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_inst *end = cfg->blocks[b].terminator;
        known value;
        if ((end->opcode != SpvOpBranchConditional && end->opcode != SpvOpSwitch) || !stays_inside(f, b))
            continue;
        uint32_t fact = end->words[1] < f->view->bound ? f->fact_of[end->words[1]] : WPG_NO_FACT;
        if (end->opcode == SpvOpSwitch && fact != WPG_NO_FACT && f->excluded >> fact & 1) {
            f->folds[f->fold_count++] = (wpg_guard_fold){end, b, f->bits[fact], true};
            continue;
        }
        if (!evaluate(&value, f, end->words[1], 0) || !value.facts)
            continue;
        *needed |= value.facts;
        f->folds[f->fold_count++] = (wpg_guard_fold){.terminator = end, .block = b, .bits = value.bits};
    }
    return true;
}

uint32_t wpg_fold_target(const wpg_inst *end, uint32_t bits)
{
    if (end->opcode == SpvOpBranchConditional)
        return end->words[bits ? 2 : 3];
    for (unsigned i = 3; i + 1 < end->count; i += 2)
        if (end->words[i] == bits)
            return end->words[i + 1];
    return end->words[2];
}

/* Do other bits of the selector lead there, too? */
static bool others_lead_to(const wpg_inst *end, uint32_t bits, uint32_t label)
{
    for (unsigned i = 3; i + 1 < end->count; i += 2)
        if (end->words[i] != bits && end->words[i + 1] == label)
            return true;
    return end->words[2] == label;
}

static const wpg_guard_fold *fold_at(const wpg_value_fold *f, uint32_t block)
{
    for (uint32_t i = 0; i < f->fold_count; i++)
        if (f->folds[i].block == block)
            return &f->folds[i];
    return NULL;
}

bool wpg_value_fold_edge_is_live(const wpg_value_fold *f, uint32_t from, uint32_t to)
{
    const wpg_guard_fold *fold = fold_at(f, from);
    const wpg_block *block = &f->view->cfg->blocks[from];
    uint32_t label = f->view->cfg->blocks[to].id;
    uint64_t bits;
    if (!f->live[from] || block->successor_count < 2)
        return f->live[from];
    if (fold && fold->excluded)
        return others_lead_to(block->terminator, fold->bits, label);
    if (fold)
        return wpg_fold_target(block->terminator, fold->bits) == label;
    return !wpg_const_value(f->view->module, block->terminator->words[1], &bits, &(uint32_t){0}) ||
           wpg_fold_target(block->terminator, (uint32_t)bits) == label;
}

/* Blocks of the loop that are reached from its header; reverse post-order, again and again while a way round
 * an inner loop adds some. */
static void find_live(wpg_value_fold *f)
{
    const wpg_cfg *cfg = f->view->cfg;
    f->live[f->loop->header] = true;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < cfg->order_count; i++) {
            uint32_t b = cfg->order[i];
            for (uint32_t s = 0; f->live[b] && s < cfg->blocks[b].successor_count; s++) {
                uint32_t to = cfg->blocks[b].successors[s];
                if (f->loop->members[to] && !f->live[to] && wpg_value_fold_edge_is_live(f, b, to))
                    f->live[to] = again = true;
            }
        }
    }
}

bool wpg_value_fold_flow(wpg_value_fold *f)
{
    f->live = WPG_ARENA_ARRAY(f->arena, bool, f->view->cfg->count);
    if (f->live)
        find_live(f);
    return f->live != NULL;
}

bool wpg_value_fold_value(uint32_t *bits, const wpg_value_fold *f, uint32_t id)
{
    known value;
    if (!evaluate(&value, f, id, 0))
        return false;
    *bits = value.bits;
    return true;
}

/* -- What it does to arithmetic -- */

/* The loop before the folds. */
static wpg_value_fold before(const wpg_value_fold *f)
{
    wpg_value_fold old = *f;
    old.fold_count = 0;
    old.live = f->was_live;
    return old;
}

static uint32_t ways_into(const wpg_value_fold *f, uint32_t b)
{
    const wpg_block *block = &f->view->cfg->blocks[b];
    uint32_t ways = 0;
    for (uint32_t p = 0; p < block->predecessor_count; p++)
        ways += wpg_value_fold_edge_is_live(f, block->predecessors[p], b);
    return ways;
}

/* Is one way into the block left, of several? */
static bool ways_vanish(const wpg_value_fold *f, uint32_t b)
{
    const wpg_value_fold old = before(f);
    return f->loop->members[b] && f->live[b] && b != f->loop->header && ways_into(f, b) == 1 &&
           ways_into(&old, b) > 1;
}

/* Marks phis of which one way is left. */
static const char *barriers_refusal(wpg_value_fold *f)
{
    const wpg_view *view = f->view;
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        const wpg_block *block = &view->cfg->blocks[b];
        if (!ways_vanish(f, b))
            continue;
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
            if (inst->opcode != SpvOpPhi || !wpg_bears_floats(view->module, inst->type))
                continue;
            if (!wpg_opt_barrier_wanted(view->module, inst))
                return "a value merges behind a branch whose arithmetic drivers may re-associate once it is "
                       "decided";
            f->barriers[inst->result] = true;
        }
    }
    return NULL;
}

/* A loop that a driver may unroll does so by how much stands in it: with less in it, or another way out, the
 * trips may meet where they did not, or the other way round. */
static const char *trips_refusal(const wpg_value_fold *f)
{
    const bool *unrollable = wpg_unrollable_loops(f->view);
    if (!unrollable) {
        f->arena->failed = 1;
        return "";
    }
    for (uint32_t c = 0; c < f->view->cfg->construct_count; c++)
        for (uint32_t i = 0; unrollable[c] && i < f->fold_count; i++)
            if (wpg_construct_holds(f->view->cfg, c, f->folds[i].block))
                return "a loop around the branch has counted trips: drivers unroll it or not by what stands "
                       "in it";
    return NULL;
}

/* Does the use of `id` by `user` stay? */
static bool use_is_live(const wpg_value_fold *f, uint32_t id, wpg_inst *user)
{
    const wpg_cfg *cfg = f->view->cfg;
    const wpg_inst *label = wpg_inst_label(user);
    uint32_t block = label ? wpg_cfg_find(cfg, label->result) : WPG_NO_BLOCK;
    if (block == WPG_NO_BLOCK || !f->loop->members[block] || !f->live[block])
        return block == WPG_NO_BLOCK || !f->loop->members[block];
    bool live = user->opcode != SpvOpPhi;
    for (unsigned i = 3; !live && i + 1 < user->count; i += 2) {
        uint32_t from = wpg_cfg_find(cfg, user->words[i + 1]);
        live = user->words[i] == id && (from == WPG_NO_BLOCK || !f->loop->members[from] ||
                                        wpg_value_fold_edge_is_live(f, from, block));
    }
    return live;
}

static const char *uses_refusal(const wpg_value_fold *f)
{
    const wpg_view *view = f->view;
    const wpg_value_fold old = before(f);
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        const wpg_block *block = &view->cfg->blocks[b];
        if (!f->loop->members[b] || !f->live[b])
            continue;
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
            uint32_t stay = 0, fall = 0;
            if (!inst->result || !wpg_is_fused_by_use(view->module, inst))
                continue;
            for (uint32_t u = view->first_user[inst->result]; u < view->first_user[inst->result + 1]; u++)
                if (use_is_live(f, inst->result, view->users[u]))
                    stay++;
                else
                    fall += use_is_live(&old, inst->result, view->users[u]);
            if (stay && fall)
                return "a sum or product is used in what stays and in what falls away: drivers fuse by uses";
        }
    }
    return NULL;
}

/* A driver may put the constant in place of the value behind the guard (Mesa does, for uniform values): where
 * floating-point arithmetic or a loop's test depends on it, that changes bits. */
typedef struct spread {
    bool *tainted; /* [bound] computed of a value that drivers may know, and others */
    bool *fixed;   /* [bound] of such values and constants alone */
    bool grew;     /* since it was last asked */
    wpg_operand_list operands;
} spread;

static void mark(spread *s, bool *set, uint32_t id, bool holds)
{
    s->grew |= holds && !set[id];
    set[id] |= holds;
}

static bool is_fixed(const spread *s, const wpg_view *view, uint32_t id)
{
    return s->fixed[id] || wpg_is_module_constant(view->module, id);
}

/* A phi that becomes a copy of what it is on the way that is left; one of a loop's header is what all its
 * ways are. */
static void spread_to_phi(spread *s, const wpg_value_fold *f, uint32_t b, const wpg_inst *phi)
{
    bool vanish = ways_vanish(f, b), any = false, all = true;
    for (unsigned i = 3; i + 1 < phi->count; i += 2) {
        uint32_t from = wpg_cfg_find(f->view->cfg, phi->words[i + 1]);
        if (vanish && (from == WPG_NO_BLOCK || !wpg_value_fold_edge_is_live(f, from, b)))
            continue;
        any |= s->tainted[phi->words[i]];
        all &= is_fixed(s, f->view, phi->words[i]);
    }
    mark(s, s->tainted, phi->result, all || (vanish && any));
    mark(s, s->fixed, phi->result, all);
}

static void spread_to(spread *s, const wpg_value_fold *f, uint32_t b, const wpg_inst *inst)
{
    unsigned traits = wpg_inst_traits(f->view->module, inst);
    bool any = false, all = true;
    if (inst->opcode == SpvOpPhi) {
        spread_to_phi(s, f, b, inst);
        return;
    }
    if (!(traits & WPG_TRAIT_PURE) || (traits & WPG_TRAIT_READS) ||
        !wpg_used_ids(&s->operands, f->view->module, inst))
        return;
    for (size_t i = 0; i < s->operands.count; i++) {
        uint32_t id = inst->words[s->operands.data[i]];
        any |= s->tainted[id];
        all &= is_fixed(s, f->view, id);
    }
    mark(s, s->tainted, inst->result, any);
    mark(s, s->fixed, inst->result, any && all);
}

static const char *spread_verdict(const spread *s, const wpg_value_fold *f)
{
    const wpg_view *view = f->view;
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        const wpg_block *block = &view->cfg->blocks[b];
        if (!f->loop->members[b] || !f->live[b])
            continue;
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
            if (!inst->result || inst->opcode == SpvOpPhi || !s->tainted[inst->result])
                continue;
            if (wpg_inst_traits(view->module, inst) & WPG_TRAIT_FLOAT)
                return "floating-point arithmetic of the loop depends on the value";
            if (inst->opcode == SpvOpSelect && s->fixed[inst->words[3]] &&
                wpg_bears_floats(view->module, inst->type))
                return "a choice of floating-point values depends on the value";
        }
        if (block->successor_count < 2)
            continue;
        if (s->tainted[block->terminator->words[1]] && block->terminator->opcode == SpvOpBranchConditional &&
            !stays_inside(f, b))
            return "a loop's test depends on the value: known, drivers may unroll it";
        if (s->fixed[block->terminator->words[1]] && !fold_at(f, b))
            return "a branch depends on the value in a way that is not followed here";
    }
    return NULL;
}

static const char *spread_refusal(const wpg_value_fold *f)
{
    const wpg_view *view = f->view;
    spread s = {.tainted = WPG_ARENA_ARRAY(f->arena, bool, view->bound),
                .fixed = WPG_ARENA_ARRAY(f->arena, bool, view->bound)};
    if (!s.tainted || !s.fixed)
        return "";
    uint32_t facts = f->facts & ~f->hidden, known_of = (f->facts | f->vague) & ~f->hidden;
    for (uint32_t id = 0; id < view->bound; id++) {
        s.fixed[id] = f->fact_of[id] != WPG_NO_FACT && (facts >> f->fact_of[id] & 1);
        s.tainted[id] = f->fact_of[id] != WPG_NO_FACT && (known_of >> f->fact_of[id] & 1);
        const wpg_inst *inst = wpg_view_is_local(view, id) ? wpg_module_def(view->module, id) : NULL;
        if (inst && inst->count == 5 && evaluate_excluded(&(known){0}, f, inst))
            s.fixed[id] = s.tainted[id] = true;
    }
    do { /* again, for what goes round the loop */
        s.grew = false;
        for (uint32_t i = 0; i < view->cfg->order_count; i++) {
            uint32_t b = view->cfg->order[i];
            const wpg_block *block = &view->cfg->blocks[b];
            for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next)
                if (inst->result && inst->type)
                    spread_to(&s, f, b, inst);
        }
    } while (s.grew);
    const char *why = spread_verdict(&s, f);
    wpg_vec_free(&s.operands);
    return why;
}

static void measure(wpg_value_fold *f)
{
    const wpg_view *view = f->view;
    for (uint32_t i = 0; i < f->fold_count; i++) {
        uint64_t lanes = 0;
        if (wpg_block_lanes(&lanes, view, f->profile, f->folds[i].block))
            f->runs += lanes;
    }
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        const wpg_block *block = &view->cfg->blocks[b];
        if (!f->was_live[b] || f->live[b])
            continue;
        const wpg_block_weight *weight = wpg_profile_block(f->profile, block->id);
        f->dead_ran |= weight && (weight->lanes || weight->waves || weight->unknown_by);
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next)
            f->dead_cost += wpg_inst_cost(view->module, inst);
    }
}

const char *wpg_value_fold_refusal(wpg_value_fold *f)
{
    f->live = WPG_ARENA_ARRAY(f->arena, bool, f->view->cfg->count);
    f->was_live = WPG_ARENA_ARRAY(f->arena, bool, f->view->cfg->count);
    f->barriers = WPG_ARENA_ARRAY(f->arena, bool, f->view->bound);
    if (!f->live || !f->was_live || !f->barriers)
        return "";
    wpg_value_fold old = before(f);
    find_live(&old);
    find_live(f);
    measure(f);
    if (wpg_carries_floats_in_memory(f->view, f->loop))
        return "floating-point memory is written and read in it: drivers may re-associate across its "
               "branches";
    const char *why = barriers_refusal(f);
    if (!why)
        why = trips_refusal(f);
    if (!why)
        why = uses_refusal(f);
    return why ? why : spread_refusal(f);
}
