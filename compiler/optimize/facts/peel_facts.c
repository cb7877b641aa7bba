/* See peel_facts.h. Two kinds of values are other in the first trip than in all further ones:
 *
 * Comparisons of a counter i (a phi of the header: start, then i + step, step a constant). After the first
 * trip i lies between start + step and what the loop's test lets pass plus a step, and does not wrap:
 *
 *   - The test runs in each trip that is followed by another (it dominates the back edge) and lets only
 *     i <= most pass, step > 0. What passed is at most `most`, so the next i, one step on, is at most
 *     most + step, which is asked to be a number of the type the test compares; so i + step did not wrap, and
 *     by induction i has grown by a step in each trip. (A test of i + step itself: i was let pass as such,
 *     but for the start, of which start + step is asked to be a number of the type, too.) Downwards alike.
 *   - The test is i != n, and step odd, n the same in all trips: then i takes all 2^32 values before it comes
 *     to the start again, n among them, where the loop ends.
 *
 * So i is not its start again; where the start is a constant, a comparison with a constant that is one way on
 * both ends of the range is that way all over it (comparisons are monotone).
 *
 * Phis of the header whose value on the back edge is one constant c: in the first trip by what is known of
 * that, and, given that the phi is c, in any further one (induction). `if (first) { ...; first = false; }` is
 * one.
 *
 * Source of the idea: M. Zhou, X. Shen, "Code motion of peeled loop iterations", and LLVM's LoopPeel
 * (countToEliminateCompares), which peel by such conditions. */
#include "compiler/optimize/facts/peel_facts.h"

#include "compiler/optimize/facts/induction.h"
#include "compiler/spirv/builder.h"

enum { DEEPEST = 8 };

typedef struct counter {
    uint32_t phi, next, start; /* ids */
    int64_t step;
    bool has_start; /* the start is a constant */
    uint32_t start_bits;
} counter;

/* What is known of a counter after the first trip. */
typedef struct range {
    bool never_again; /* it is not its start again */
    bool ordered;     /* it moves one way, in the order of numbers of this kind: */
    bool is_signed;
    bool bounded;   /* start a constant: it lies in */
    int64_t lo, hi; /* both included */
} range;

static int64_t number(uint32_t bits, bool is_signed)
{
    return is_signed ? (int64_t)(int32_t)bits : (int64_t)bits;
}

/* -- Counters -- */

static uint32_t value_from(const wpg_inst *phi, uint32_t label)
{
    for (unsigned i = 3; i + 1 < phi->count; i += 2)
        if (phi->words[i + 1] == label)
            return phi->words[i];
    return 0;
}

static bool read_counter(counter *c, const wpg_view *view, const wpg_loop *loop, uint32_t preheader,
                         const wpg_inst *phi)
{
    const wpg_module *module = view->module;
    const wpg_inst *type = wpg_module_def(module, phi->type);
    *c = (counter){.phi = phi->result,
                   .start = value_from(phi, view->cfg->blocks[preheader].id),
                   .next = value_from(phi, view->cfg->blocks[loop->back_edge].id)};
    const wpg_inst *next = wpg_module_def(module, c->next);
    uint32_t step;
    if (!c->start || !next || next->count != 5 || !type || type->opcode != SpvOpTypeInt ||
        type->words[2] != 32)
        return false;
    bool left = next->words[3] == phi->result, right = next->words[4] == phi->result;
    if (left == right || !wpg_is_u32_const(module, next->words[left ? 4 : 3], &step) || !step)
        return false;
    if (next->opcode == SpvOpISub && left)
        step = 0u - step;
    else if (next->opcode != SpvOpIAdd)
        return false;
    c->step = (int32_t)step;
    c->has_start = wpg_is_u32_const(module, c->start, &c->start_bits);
    return true;
}

/* The comparison of `a`, which stands at index `at`, with the other. */
static bool compared(const wpg_inst *compare, unsigned at, uint32_t a, uint32_t other)
{
    return wpg_compare_ints((SpvOp)compare->opcode, at == 3 ? a : other, at == 3 ? other : a);
}

static bool is_equality(const wpg_inst *compare)
{
    return compare->opcode == SpvOpIEqual || compare->opcode == SpvOpINotEqual;
}

/* Of an order: is -1 below 0 in it? */
static bool compares_signed(const wpg_inst *compare)
{
    return wpg_compare_ints((SpvOp)compare->opcode, UINT32_MAX, 0) ==
           wpg_compare_ints((SpvOp)compare->opcode, 0, 1);
}

/* What this test lets pass bounds the counter. */
static void learn_from_test(range *r, const counter *c, const wpg_view *view, const wpg_guard_plan *test,
                            unsigned at)
{
    const wpg_module *module = view->module;
    const wpg_inst *compare = test->compare;
    bool on_next = compare->words[at] == c->next, up = c->step > 0;
    bool below = compared(compare, at, 0, 1) == test->stays_on,
         same = compared(compare, at, 0, 0) == test->stays_on,
         above = compared(compare, at, 1, 0) == test->stays_on;
    uint32_t bits = 0;
    if (is_equality(compare)) {
        uint32_t block = view->block_of[compare->words[7 - at]];
        bool stands_still = block == WPG_NO_BLOCK || !test->loop.members[block];
        r->never_again |= below && above && !same && stands_still && (c->step & 1);
        return;
    }
    if (below == above || below != up) /* it lets pass what the counter moves away from */
        return;
    bool is_signed = compares_signed(compare),
         known = wpg_is_u32_const(module, compare->words[7 - at], &bits);
    int64_t least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX;
    int64_t passes = known ? number(bits, is_signed) : up ? most : least; /* the last that may pass */
    passes += same ? 0 : up ? -1 : 1;
    int64_t second = number(c->start_bits, is_signed) + c->step, end = passes + c->step;
    if (end < least || end > most || (on_next && (!c->has_start || second < least || second > most)))
        return;
    r->never_again = r->ordered = true;
    r->is_signed = is_signed;
    r->bounded = c->has_start;
    r->lo = up ? second : end;
    r->hi = up ? end : second;
}

static range range_of(const counter *c, const wpg_view *view, const wpg_loop *loop)
{
    range r = {0};
    wpg_guard_plan test = {.loop = *loop};
    for (uint32_t b = 0; b < view->cfg->count && !r.ordered; b++) {
        if (!loop->members[b] || !wpg_read_loop_test(&test, view, b))
            continue;
        for (unsigned at = 3; at <= 4; at++)
            if (test.compare->words[at] == c->phi || test.compare->words[at] == c->next)
                learn_from_test(&r, c, view, &test, at);
    }
    return r;
}

/* -- Comparisons -- */

/* The comparison of the counter, at index `at`, with a constant, in further trips. */
static bool later_by_range(uint32_t *later, const range *r, const wpg_inst *compare, unsigned at,
                           uint32_t bits)
{
    if (!r->bounded || r->lo > r->hi)
        return false;
    if (is_equality(compare)) {
        *later = compare->opcode == SpvOpINotEqual;
        return number(bits, r->is_signed) < r->lo || number(bits, r->is_signed) > r->hi;
    }
    if (compares_signed(compare) != r->is_signed && (r->lo < 0 || r->hi > INT32_MAX))
        return false;
    *later = compared(compare, at, (uint32_t)r->lo, bits);
    return compared(compare, at, (uint32_t)r->hi, bits) == *later;
}

/* The same, with its start. */
static bool later_by_start(uint32_t *later, const range *r, const counter *c, const wpg_inst *compare,
                           unsigned at)
{
    if (is_equality(compare)) {
        *later = compare->opcode == SpvOpINotEqual;
        return r->never_again;
    }
    *later = compared(compare, at, c->step > 0, c->step < 0);
    return r->ordered && compares_signed(compare) == r->is_signed;
}

/* WPG_NO_FACT where there is no room, or one about the id already. */
static uint32_t add_fact(wpg_peel_facts *f, uint32_t id)
{
    if (f->count >= WPG_MOST_FACTS || f->fact_of[id] != WPG_NO_FACT)
        return WPG_NO_FACT;
    f->fact_of[id] = f->count;
    return f->count++;
}

static void set_first(wpg_peel_facts *f, uint32_t fact, uint32_t bits)
{
    f->first[fact] = bits;
    f->of_first |= UINT32_C(1) << fact;
}

static void set_later(wpg_peel_facts *f, uint32_t fact, uint32_t bits)
{
    f->later[fact] = bits;
    f->of_later |= UINT32_C(1) << fact;
}

static void compare_fact(wpg_peel_facts *f, const counter *c, const range *r, const wpg_module *module,
                         const wpg_inst *compare, unsigned at)
{
    uint32_t other = compare->words[7 - at], bits, first, later;
    bool constant = wpg_is_u32_const(module, other, &bits), with_start = other == c->start;
    if (!constant && !with_start)
        return;
    bool same = with_start || (constant && c->has_start && bits == c->start_bits);
    bool known = (same && later_by_start(&later, r, c, compare, at)) ||
                 (constant && later_by_range(&later, r, compare, at, bits));
    if (!known || (!same && !c->has_start))
        return;
    first = same ? compared(compare, at, 0, 0) : compared(compare, at, c->start_bits, bits);
    uint32_t fact = first != later ? add_fact(f, compare->result) : WPG_NO_FACT;
    if (fact == WPG_NO_FACT)
        return;
    set_first(f, fact, first);
    set_later(f, fact, later);
}

static void find_comparisons(wpg_peel_facts *f, const wpg_value_fold *base, uint32_t preheader)
{
    const wpg_view *view = base->view;
    const wpg_block *header = &view->cfg->blocks[base->loop->header];
    for (const wpg_inst *phi = header->label->next; phi != header->terminator; phi = phi->next) {
        counter c;
        if (phi->opcode != SpvOpPhi || !read_counter(&c, view, base->loop, preheader, phi))
            continue;
        range r = range_of(&c, view, base->loop);
        for (uint32_t u = view->first_user[c.phi]; r.never_again && u < view->first_user[c.phi + 1]; u++) {
            const wpg_inst *user = view->users[u];
            uint32_t block = user->result ? view->block_of[user->result] : WPG_NO_BLOCK;
            if (block == WPG_NO_BLOCK || !base->loop->members[block] || user->count != 5 ||
                !wpg_opcode_compares_ints(user->opcode) || user->words[3] == user->words[4])
                continue;
            compare_fact(f, &c, &r, view->module, user, user->words[3] == c.phi ? 3 : 4);
        }
    }
}

/* -- Phis of the header -- */

/* The value of an id at the back edge, through phis that ways not taken lead to, too. */
static bool settles(uint32_t *bits, const wpg_value_fold *f, uint32_t id, unsigned depth)
{
    const wpg_inst *inst = wpg_module_def(f->view->module, id);
    if (wpg_value_fold_value(bits, f, id))
        return true;
    uint32_t block = inst && id < f->view->bound ? f->view->block_of[id] : WPG_NO_BLOCK;
    if (depth > DEEPEST || block == WPG_NO_BLOCK || !f->loop->members[block] || inst->opcode != SpvOpPhi ||
        block == f->loop->header)
        return false;
    bool any = false;
    for (unsigned i = 3; i + 1 < inst->count; i += 2) {
        uint32_t from = wpg_cfg_find(f->view->cfg, inst->words[i + 1]), value;
        if (from != WPG_NO_BLOCK && f->loop->members[from] && !wpg_value_fold_edge_is_live(f, from, block))
            continue;
        if (!settles(&value, f, inst->words[i], depth + 1) || (any && value != *bits))
            return false;
        *bits = value;
        any = true;
    }
    return any;
}

/* The folding as things stand, with what is reached. */
static bool see(wpg_value_fold *out, const wpg_peel_facts *f, const wpg_value_fold *base, bool later)
{
    uint32_t needed;
    *out = wpg_peel_folding(f, base, later);
    return wpg_value_fold_find(out, &needed) && wpg_value_fold_flow(out);
}

static bool is_small(const wpg_module *module, const wpg_inst *phi)
{
    const wpg_inst *type = phi->opcode == SpvOpPhi ? wpg_module_def(module, phi->type) : NULL;
    return type && (type->opcode == SpvOpTypeBool || (type->opcode == SpvOpTypeInt && type->words[2] == 32));
}

/* Phis that start as constants: known in the first trip. */
static void find_starts(wpg_peel_facts *f, const wpg_value_fold *base, uint32_t preheader)
{
    const wpg_cfg *cfg = base->view->cfg;
    const wpg_module *module = base->view->module;
    const wpg_block *header = &cfg->blocks[base->loop->header];
    for (const wpg_inst *phi = header->label->next; phi != header->terminator; phi = phi->next) {
        uint32_t start = is_small(module, phi) ? value_from(phi, cfg->blocks[preheader].id) : 0, width;
        uint64_t bits;
        uint32_t fact =
            start && wpg_const_value(module, start, &bits, &width) ? add_fact(f, phi->result) : WPG_NO_FACT;
        if (fact != WPG_NO_FACT)
            set_first(f, fact, (uint32_t)bits);
    }
}

/* Is the phi one constant in all further trips? Then that is known. False when memory ran out. */
static bool find_phi(bool *found, wpg_peel_facts *f, const wpg_value_fold *base, const wpg_inst *phi)
{
    uint32_t back = value_from(phi, base->view->cfg->blocks[base->loop->back_edge].id), bits, again;
    uint32_t fact = f->fact_of[phi->result];
    wpg_value_fold first, later;
    *found = false;
    if (!back || (fact != WPG_NO_FACT && (f->of_later >> fact & 1)))
        return true;
    if (!see(&first, f, base, false))
        return false;
    if (!settles(&bits, &first, back, 0) ||
        (fact != WPG_NO_FACT && (f->of_first >> fact & 1) && f->first[fact] == bits))
        return true;
    wpg_peel_facts before = *f;
    if (fact == WPG_NO_FACT && (fact = add_fact(f, phi->result)) == WPG_NO_FACT)
        return true;
    set_later(f, fact, bits);
    f->plain |= UINT32_C(1) << fact;
    if (!see(&later, f, base, true))
        return false;
    *found = settles(&again, &later, back, 0) && again == bits;
    if (!*found) {
        if (before.count < f->count)
            f->fact_of[phi->result] = WPG_NO_FACT;
        *f = before;
    }
    return true;
}

static bool find_phis(wpg_peel_facts *f, const wpg_value_fold *base)
{
    const wpg_block *header = &base->view->cfg->blocks[base->loop->header];
    for (bool again = true; again;) {
        again = false;
        for (const wpg_inst *phi = header->label->next; phi != header->terminator; phi = phi->next) {
            bool found = false;
            if (is_small(base->view->module, phi) && !find_phi(&found, f, base, phi))
                return false;
            again |= found;
        }
    }
    return true;
}

/* -- All of it -- */

wpg_value_fold wpg_peel_folding(const wpg_peel_facts *facts, const wpg_value_fold *base, bool later)
{
    wpg_value_fold f = *base;
    f.fact_of = facts->fact_of;
    f.bits = later ? facts->later : facts->first;
    f.facts = later ? facts->of_later : facts->of_first;
    f.hidden = later ? ~facts->plain : UINT32_MAX;
    return f;
}

bool wpg_peel_facts_find(wpg_peel_facts *facts, const wpg_value_fold *base, uint32_t preheader)
{
    wpg_arena *arena = base->arena;
    *facts = (wpg_peel_facts){.fact_of = WPG_ARENA_ARRAY(arena, uint32_t, base->view->bound),
                              .first = WPG_ARENA_ARRAY(arena, uint32_t, WPG_MOST_FACTS),
                              .later = WPG_ARENA_ARRAY(arena, uint32_t, WPG_MOST_FACTS)};
    if (!facts->fact_of || !facts->first || !facts->later)
        return false;
    for (uint32_t id = 0; id < base->view->bound; id++)
        facts->fact_of[id] = WPG_NO_FACT;
    find_comparisons(facts, base, preheader);
    find_starts(facts, base, preheader);
    return find_phis(facts, base);
}
