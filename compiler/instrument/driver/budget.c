/* See budget.h. */
#include "compiler/instrument/driver/budget.h"

#include <stdio.h>
#include <stdlib.h>

#include "compiler/spirv/debug.h"

enum {
    MOST_WORDS = 1 << 22, /* these three: so that the products fit 64 bits */
    MOST_BLOCKS = 1 << 18,
    MOST_BARRIERS = 1 << 10,
    BLOCKS_OF_AN_ATOMIC = 5,
    COST_OF_A_BLOCK = 48, /* at a barrier, in units of words x sqrt(blocks) */
};

/* Of wpg_budget_price. */
enum { WORDS_OF_A_SHADER = 580, WORDS_OF_AN_ATOMIC = 75 };

wpg_code_size wpg_code_size_of(const wpg_module *module, const wpg_instrument_target *target)
{
    wpg_code_size size = {0};
    const wpg_inst *inst = module->first;
    while (inst && inst->opcode != SpvOpFunction)
        inst = inst->next;
    for (; inst; inst = inst->next) {
        if (!wpg_is_remark(module, inst))
            size.words += inst->count;
        size.blocks += inst->opcode == SpvOpLabel;
        size.atomics += inst->opcode >= SpvOpAtomicLoad && inst->opcode <= SpvOpAtomicXor;
        size.suspensions += inst->opcode == SpvOpControlBarrier && target->suspends_at_barriers;
    }
    return size;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t squared(wpg_code_size size)
{
    uint64_t words = least(size.words, MOST_WORDS), blocks = least(size.blocks, MOST_BLOCKS);
    return words * words * (blocks ? blocks : 1);
}

/* Rounded down. */
static uint64_t root_of(uint64_t number)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= number)
            root |= bit;
    return root;
}

static uint64_t with_suspensions(wpg_code_size size)
{
    uint64_t blocks = least(size.blocks, MOST_BLOCKS);
    blocks += (uint64_t)BLOCKS_OF_AN_ATOMIC * least(size.atomics, MOST_BLOCKS);
    return root_of(squared(size)) + COST_OF_A_BLOCK * blocks * least(size.suspensions, MOST_BARRIERS);
}

uint64_t wpg_budget_cost(wpg_code_size counted, wpg_code_size plain)
{
    enum { BITS = 8 };
    if (!counted.suspensions)
        return squared(counted) / (squared(plain) ? squared(plain) : 1);
    const uint64_t of_plain = with_suspensions(plain);
    const uint64_t factor =
        least((with_suspensions(counted) << BITS) / (of_plain ? of_plain : 1), UINT64_C(1) << 30);
    return factor * factor >> 2 * BITS;
}

/* About the most that `auto` adds: no copy is made of what stays small. */
enum { FIXED_WORDS = 1024, WORDS_OF_A_BLOCK = 192 };

/* A copy is instrumented by `options`, but for the budget: the module stays as it is. */
static wpg_status try(wpg_code_size *size, const uint32_t *words, size_t count, const wpg_stage *stage,
                      const wpg_instrument_options *options, wpg_error *err)
{
    wpg_instrument_options own = *options;
    wpg_module *copy = NULL;
    wpg_counter_map *map = NULL;
    own.budget = 0;
    wpg_status status = wpg_module_parse(&copy, words, count, err);
    if (status == WPG_OK)
        status = wpg_instrument(&map, copy, stage, &own, err);
    if (status == WPG_OK)
        *size = wpg_code_size_of(copy, &options->target);
    wpg_counter_map_destroy(map);
    wpg_module_destroy(copy);
    return status;
}

static bool fits(wpg_code_size size, wpg_code_size plain, uint32_t budget)
{
    if (size.words <= WPG_BUDGET_FREE_WORDS)
        return true;
    return size.words < plain.words + WPG_BUDGET_MOST_WORDS &&
           wpg_budget_cost(size, plain) <= (uint64_t)budget * budget;
}

static uint32_t factor_of(wpg_code_size size, wpg_code_size plain)
{
    uint64_t cost = wpg_budget_cost(size, plain);
    uint32_t root = 1;
    while (root < 1000 && (uint64_t)root * root < cost)
        root++;
    return root;
}

uint64_t wpg_budget_price(wpg_code_size size)
{
    return WORDS_OF_A_SHADER + (uint64_t)size.words + (uint64_t)WORDS_OF_AN_ATOMIC * size.atomics;
}

/* Kernels keep the form that runs fastest: without tables of paths they ran 1.2 times as long
 * (shaders/measured/2026-11-29-auto-naive.md). */
static bool is_compared(const wpg_instrument_options *options, const wpg_stage *stage)
{
    return options->target.loops_over_lanes && stage->model <= SpvExecutionModelFragment;
}

/* Of two forms of counting one is no dearer: a tenth is less than the price can tell. */
static bool no_dearer(uint64_t one, uint64_t other)
{
    return 10 * one <= 11 * other;
}

/* Counting in place runs slower: only where all else is dearer to compile by a quarter. */
static bool much_dearer(uint64_t one, uint64_t other)
{
    return 4 * one > 5 * other;
}

/* Leaves the tables of paths out, takes private counters for every block, or counts in place, where `naive`
 * would be cheaper to compile. `why` as in wpg_budget_choose. */
static wpg_status compare_with_naive(wpg_instrument_options *options, char *why, size_t room,
                                     const uint32_t *words, size_t count, wpg_code_size plain,
                                     wpg_code_size by_auto, const wpg_stage *stage, wpg_error *err)
{
    wpg_instrument_options in_place = *options, direct = *options, additive = *options, best = *options;
    wpg_code_size size;
    if (!is_compared(options, stage) || no_dearer(wpg_budget_price(by_auto), wpg_budget_price(plain)))
        return WPG_OK;
    in_place.strategy = WPG_STRATEGY_NAIVE;
    WPG_TRY(try(&size, words, count, stage, &in_place, err));
    const uint64_t naive = wpg_budget_price(size);
    direct.no_paths = true;
    WPG_TRY(try(&size, words, count, stage, &direct, err));
    const uint64_t tables = size.words < by_auto.words ? by_auto.words - size.words : 0;
    uint64_t least_price = wpg_budget_price(by_auto) + tables;
    if (no_dearer(least_price, naive))
        return WPG_OK;
    if (wpg_budget_price(size) < least_price) {
        best = direct;
        least_price = wpg_budget_price(size);
    }
    if (!no_dearer(least_price, naive)) {
        additive.strategy = WPG_STRATEGY_ADDITIVE;
        WPG_TRY(try(&size, words, count, stage, &additive, err));
        if (fits(size, plain, options->budget) && wpg_budget_price(size) < least_price) {
            best = additive;
            least_price = wpg_budget_price(size);
        }
    }
    if (much_dearer(least_price, naive)) {
        best = in_place;
        (void)snprintf(why, room, "counted in place: else it would be %u %% dearer to compile (BUDGET)",
                       (unsigned)(100 * least_price / naive - 100));
    }
    *options = best;
    return WPG_OK;
}

static wpg_status choose(wpg_instrument_options *options, char *why, size_t room, const uint32_t *words,
                         size_t count, wpg_code_size plain, const wpg_stage *stage, wpg_error *err)
{
    wpg_code_size by_auto, naive, lane;
    WPG_TRY(try(&by_auto, words, count, stage, options, err));
    if (fits(by_auto, plain, options->budget))
        return compare_with_naive(options, why, room, words, count, plain, by_auto, stage, err);
    options->no_paths = true;
    WPG_TRY(try(&by_auto, words, count, stage, options, err));
    if (fits(by_auto, plain, options->budget))
        return WPG_OK;
    options->strategy = WPG_STRATEGY_NAIVE;
    WPG_TRY(try(&naive, words, count, stage, options, err));
    /* It runs slower, too: only where it saves much. */
    if (fits(naive, plain, (options->budget + 1) / 2)) {
        (void)snprintf(why, room,
                       "counted in place: else it would be %u times as dear to compile, now %u (BUDGET)",
                       factor_of(by_auto, plain), factor_of(naive, plain));
        return WPG_OK;
    }
    options->strategy = WPG_STRATEGY_LANE;
    WPG_TRY(try(&lane, words, count, stage, options, err));
    if (!fits(lane, plain, options->budget))
        return wpg_fail(err, WPG_E_UNSUPPORTED, "counting would make it %u times as dear to compile (BUDGET)",
                        factor_of(lane, plain));
    (void)snprintf(
        why, room, "waves and uniform absent: else it would be %u times as dear to compile, now %u (BUDGET)",
        (unsigned)least(factor_of(naive, plain), factor_of(by_auto, plain)), factor_of(lane, plain));
    return WPG_OK;
}

wpg_status wpg_budget_choose(wpg_instrument_options *options, char *why, size_t room,
                             const wpg_module *module, const wpg_stage *stage, wpg_error *err)
{
    const wpg_code_size plain = wpg_code_size_of(module, &options->target);
    uint32_t *words = NULL;
    size_t count = 0;
    *why = '\0';
    wpg_code_size most = plain;
    most.words =
        (uint32_t)least(plain.words + FIXED_WORDS + WORDS_OF_A_BLOCK * (uint64_t)plain.blocks, MOST_WORDS);
    const bool cheap = !is_compared(options, stage) || plain.blocks < 2 ||
                       no_dearer(wpg_budget_price(most), wpg_budget_price(plain));
    if (cheap && most.words <= WPG_BUDGET_FREE_WORDS)
        return WPG_OK;
    WPG_TRY(wpg_module_emit(&words, &count, module, err));
    wpg_status status = choose(options, why, room, words, count, plain, stage, err);
    free(words);
    return status;
}
