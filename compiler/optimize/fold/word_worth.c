/* See word_worth.h. A uniform number costs a load, and what is computed with it cannot be folded into an
 * address or a counter's step. In a loop that drivers unroll, products with the counter become constants,
 * too. Drivers that hoist the load save less; the test is their scalar unit's. */
#include "compiler/optimize/fold/word_worth.h"

#include "compiler/optimize/ir/legality.h"

/* Uses by an entering lane that pay for the test of a word, of two instructions: a use saves about one. */
static const double LEAST_USES = 4;

static bool is_integer_arithmetic(SpvOp opcode)
{
    switch (opcode) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
        return true;
    default:
        return false;
    }
}

static double runs_of(const wpg_view *view, const wpg_function_profile *profile, uint32_t block)
{
    const wpg_block_weight *weight = wpg_profile_block(profile, view->cfg->blocks[block].id),
                           *entry = wpg_profile_block(profile, view->cfg->blocks[0].id);
    return weight && entry && entry->lanes ? (double)weight->lanes / (double)entry->lanes : 0;
}

/* By arithmetic, also of what casts make of it. */
static double uses_of(const wpg_view *view, const wpg_function_profile *profile, uint32_t id, unsigned depth)
{
    double uses = 0;
    for (uint32_t u = view->first_user[id]; u < view->first_user[id + 1]; u++) {
        const wpg_inst *user = view->users[u];
        const uint32_t block = user->result < view->bound ? view->block_of[user->result] : WPG_NO_BLOCK;
        if (!user->result || block == WPG_NO_BLOCK)
            continue;
        if (user->opcode == SpvOpBitcast && depth < 4)
            uses += uses_of(view, profile, user->result, depth + 1);
        else if (is_integer_arithmetic((SpvOp)user->opcode))
            uses += runs_of(view, profile, block);
    }
    return uses;
}

/* Had the word the set's value wherever the decided words had theirs? */
static bool goes_along(const wpg_function_profile *profile, const wpg_word_set *set, uint64_t decided,
                       uint64_t word)
{
    for (uint32_t i = 0; i < profile->visit_count; i++)
        if (wpg_word_set_fits(set, decided, profile, &profile->visits[i]) &&
            !wpg_word_set_fits(set, word, profile, &profile->visits[i]))
            return false;
    return profile->visit_count != 0;
}

uint64_t wpg_words_worth_a_test(const wpg_view *view, const wpg_function_profile *profile,
                                const wpg_known_words *known, uint64_t decided)
{
    double uses[WPG_MOST_WORD_SITES] = {0};
    uint64_t worth = 0;
    if (!profile->has_lanes)
        return 0;
    for (size_t i = 0; i < known->loads.count; i++) {
        const wpg_known_load *load = &known->loads.data[i];
        const double of_load = uses_of(view, profile, load->inst->result, 0);
        for (uint32_t f = 0; f < WPG_MOST_WORD_SITES; f++)
            uses[f] += load->words >> f & 1 ? of_load / __builtin_popcountll(load->words) : 0;
    }
    for (uint32_t f = 0; f < WPG_MOST_WORD_SITES; f++)
        if (!(decided >> f & 1) && uses[f] >= LEAST_USES &&
            goes_along(profile, known->set, decided, UINT64_C(1) << f))
            worth |= UINT64_C(1) << f;
    return worth;
}
