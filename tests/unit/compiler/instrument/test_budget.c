/* What counting may cost a compiler: small code is free, nested code gives way step by step, and the choice
 * is the same every time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "compiler/instrument/driver/budget.h"
#include "compiler/normalize/normalize.h"
#include "tests/support/assemble.h"

typedef struct counted {
    uint32_t *words;
    size_t count;
    wpg_code_size plain, size;
    uint32_t kinds, counters;
    char note[128];
    wpg_status status;
    char refused[256];
} counted;

static const wpg_instrument_options usual = {.target = {.subgroup_basic = true,
                                                        .subgroup_ballot = true,
                                                        .subgroup_arithmetic = true,
                                                        .subgroup_size = 8,
                                                        .int64_atomics = true,
                                                        .max_spirv_minor = 3},
                                             .directory_entry = UINT64_C(0x1000)};

static bool suspends, loops; /* as the target does */
static bool no_paths, fragment;
static bool remarks; /* more words, which the shader hash leaves out */

/* Many names, a line before each access, and a constant that nobody uses. */
static void add_remarks(wpg_module *module, const wpg_stage *stage)
{
    wpg_hash128 before, after;
    uint32_t name[32], uint_type = 0;
    assert_int_equal(wpg_shader_hash(&before, module, stage, NULL), WPG_OK);
    const size_t count = 1 + wpg_string_words(name + 1, "a long name, of more words than an instruction has");
    const uint32_t bound = module->bound, file = wpg_module_fresh_id(module);
    for (uint32_t id = 1; id < bound; id++) {
        const wpg_inst *def = wpg_module_def(module, id);
        if (!def)
            continue;
        name[0] = id;
        assert_non_null(wpg_inst_insert(module, wpg_module_section_end(module, WPG_SECTION_DEBUG), SpvOpName,
                                        name, count));
        if (def->opcode == SpvOpTypeInt)
            uint_type = id;
    }
    name[0] = file;
    assert_non_null(wpg_inst_insert(module, wpg_module_section_end(module, WPG_SECTION_EXECUTION_MODE),
                                    SpvOpString, name, count));
    assert_non_null(wpg_inst_add(module, wpg_module_section_end(module, WPG_SECTION_GLOBAL), SpvOpConstant,
                                 uint_type, wpg_module_fresh_id(module), 12345));
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpAccessChain)
            assert_non_null(wpg_inst_add(module, inst, SpvOpLine, file, 7, 1));
    }
    assert_int_equal(wpg_shader_hash(&after, module, stage, NULL), WPG_OK);
    assert_memory_equal(&before, &after, sizeof before);
}

static counted count(const char *source, wpg_strategy_choice strategy, uint32_t budget)
{
    counted c = {0};
    uint32_t *words;
    size_t word_count;
    wpg_module *module;
    wpg_counter_map *map = NULL;
    wpg_error err = {0};
    const wpg_stage stage = {.model = fragment ? SpvExecutionModelFragment : SpvExecutionModelGLCompute,
                             .entry = "main"};
    wpg_instrument_options options = usual;
    options.target.suspends_at_barriers = suspends;
    options.target.loops_over_lanes = loops;
    options.strategy = strategy;
    options.budget = budget;
    options.no_paths = no_paths;
    assert_true(assemble_glsl(&words, &word_count, source, fragment ? "frag" : "comp", "vulkan1.1"));
    assert_int_equal(wpg_module_parse(&module, words, word_count, NULL), WPG_OK);
    assert_int_equal(wpg_normalize(module, &stage, NULL, NULL), WPG_OK);
    if (remarks)
        add_remarks(module, &stage);
    c.plain = wpg_code_size_of(module, &options.target);
    c.status = wpg_instrument(&map, module, &stage, &options, &err);
    (void)snprintf(c.refused, sizeof c.refused, "%s", err.message);
    c.size = wpg_code_size_of(module, &options.target);
    if (c.status == WPG_OK) {
        c.kinds = map->functions[0].kinds;
        c.counters = map->counter_count;
        memcpy(c.note, map->note, sizeof c.note);
        assert_int_equal(wpg_module_emit(&c.words, &c.count, module, NULL), WPG_OK);
    }
    wpg_counter_map_destroy(map);
    wpg_module_destroy(module);
    free(words);
    return c;
}

static bool same(const counted *a, const counted *b)
{
    return a->count == b->count && memcmp(a->words, b->words, a->count * sizeof *a->words) == 0;
}

static size_t begin(char *text, size_t room)
{
    return (size_t)snprintf(text, room,
                            "#version 450\n%slayout(set = 0, binding = 0) buffer B { uint w[]; };\n"
                            "void main() { uint x = uint(%s.x);\n",
                            fragment ? "" : "layout(local_size_x = 8) in;\n",
                            fragment ? "gl_FragCoord" : "gl_GlobalInvocationID");
}

/* `depth` loops in each other, each with an early way out; `arms` conditions in the innermost. */
static char *nest(unsigned depth, unsigned arms)
{
    static char text[1 << 16];
    size_t used = begin(text, sizeof text);
    for (unsigned i = 0; i < depth; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "for (uint i%u = 0; i%u < w[%u]; i%u++) { if (w[x + %u] == 7u) return;\n", i,
                                 i, i, i, i);
    for (unsigned i = 0; i < arms; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "if (w[x * %uu] > %uu) { if (x == w[%u]) return; x += %uu; } else x ^= w[x];\n", i + 2, i, i, i);
    for (unsigned i = 0; i < depth; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "}\n");
    (void)snprintf(text + used, sizeof text - used, "w[x] = x; }\n");
    return text;
}

static void small_code(void **state)
{
    (void)state;
    counted with = count(nest(1, 1), WPG_STRATEGY_AUTO, 1), without = count(nest(1, 1), WPG_STRATEGY_AUTO, 0);
    assert_int_equal(with.status, WPG_OK);
    assert_true(with.size.words <= WPG_BUDGET_FREE_WORDS);
    assert_true(wpg_budget_cost(with.size, with.plain) > 1); /* dearer than the budget, and yet free */
    assert_true(same(&with, &without));
    free(with.words);
    free(without.words);
}

/* Step by step, as the budget shrinks: all of it, lanes alone, nothing; the choice keeps to the budget. */
static void steps(void **state)
{
    (void)state;
    const char *source = nest(4, 60);
    counted in_auto = count(source, WPG_STRATEGY_AUTO, 0), naive = count(source, WPG_STRATEGY_NAIVE, 0),
            lane = count(source, WPG_STRATEGY_LANE, 0);
    unsigned seen = 0;
    const uint64_t of_auto = wpg_budget_cost(in_auto.size, in_auto.plain),
                   of_naive = wpg_budget_cost(naive.size, naive.plain),
                   of_lane = wpg_budget_cost(lane.size, lane.plain);
    assert_true(in_auto.size.words > WPG_BUDGET_FREE_WORDS && naive.size.words > WPG_BUDGET_FREE_WORDS);
    assert_true(of_lane < of_naive && of_lane < of_auto);
    static const uint32_t budgets[] = {1000, 100, 50, 30, 20, 15, 12, 10, 8, 6, 5, 4, 3, 2, 1};
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        const uint32_t budget = budgets[i];
        counted c = count(source, WPG_STRATEGY_AUTO, budget),
                again = count(source, WPG_STRATEGY_AUTO, budget);
        const uint64_t limit = (uint64_t)budget * budget;
        if (c.status == WPG_OK) {
            assert_true(c.size.words <= WPG_BUDGET_FREE_WORDS || wpg_budget_cost(c.size, c.plain) <= limit);
            assert_true(same(&c, &again));
            bool is_auto = same(&c, &in_auto), is_naive = !is_auto && same(&c, &naive),
                 is_lane = same(&c, &lane);
            assert_int_equal(is_auto + is_naive + is_lane, 1);
            /* What is given up is given up for a reason, and said. */
            const uint64_t half = (budget + 1) / 2;
            if (is_lane)
                assert_true(of_auto > limit && of_naive > half * half &&
                            strstr(c.note, "waves and uniform absent"));
            if (is_naive)
                assert_true(of_auto > limit && strstr(c.note, "counted in place"));
            if (is_auto)
                assert_string_equal(c.note, "");
            seen |= is_auto ? 1 : is_naive ? 2 : 4;
            assert_int_equal(c.kinds == WPG_KIND_LANES, is_lane);
        } else {
            fail_msg("budget %u: %s", budget, c.refused);
        }
        free(c.words);
        free(again.words);
    }
    assert_int_equal(seen & 5, 5);
    free(in_auto.words);
    free(naive.words);
    free(lane.words);
}

/* One shader hash, one choice: else counts of one could not be added to the other's. */
static void same_for_a_hash(void **state)
{
    (void)state;
    const char *source = nest(4, 60);
    uint32_t kinds = 0;
    for (uint32_t budget = 1; budget < 40; budget++) {
        counted plain = count(source, WPG_STRATEGY_AUTO, budget);
        remarks = true;
        counted remarked = count(source, WPG_STRATEGY_AUTO, budget);
        remarks = false;
        assert_int_equal(plain.status, WPG_OK);
        assert_int_equal(remarked.status, WPG_OK);
        assert_true(remarked.count > plain.count + 10000);
        assert_int_equal(plain.size.words, remarked.size.words);
        assert_int_equal(plain.counters, remarked.counters);
        assert_int_equal(plain.kinds, remarked.kinds);
        assert_string_equal(plain.note, remarked.note);
        kinds |= 1u << plain.kinds;
        free(plain.words);
        free(remarked.words);
    }
    assert_true(kinds & (kinds - 1)); /* more than one form was chosen */
}

/* Where even lanes are too dear the module stays as it is. */
static void nothing(void **state)
{
    (void)state;
    counted c = count(nest(6, 300), WPG_STRATEGY_AUTO, 1), lane = count(nest(6, 300), WPG_STRATEGY_LANE, 0);
    assert_true(lane.size.words > WPG_BUDGET_FREE_WORDS && wpg_budget_cost(lane.size, lane.plain) > 1);
    assert_int_equal(c.status, WPG_E_UNSUPPORTED);
    assert_non_null(strstr(c.refused, "BUDGET"));
    assert_int_equal(c.size.words, c.plain.words);
    free(lane.words);
}

/* A strategy that was asked for is used, whatever it costs. */
static void asked(void **state)
{
    (void)state;
    counted with = count(nest(6, 200), WPG_STRATEGY_ADDITIVE, 1),
            without = count(nest(6, 200), WPG_STRATEGY_ADDITIVE, 0);
    assert_int_equal(with.status, WPG_OK);
    assert_true(same(&with, &without));
    free(with.words);
    free(without.words);
}

/* Lanes alone: one arm of each condition, and what runs as often as something else, follows. */
static void tree(void **state)
{
    (void)state;
    const char *source = "#version 450\nlayout(local_size_x = 8) in;\n"
                         "layout(set = 0, binding = 0) buffer B { uint w[]; };\n"
                         "void main() { uint x = gl_GlobalInvocationID.x;\n"
                         "if (w[x] > 1u) w[x] = 3u; else w[x] = 4u;\n"
                         "if (w[x + 1u] > 1u) w[x] += 3u; else w[x] += 4u;\n"
                         "for (uint i = 0; i < w[x]; i++) { if (w[i] > 2u) w[i]++; else w[i]--; } }\n";
    counted c = count(source, WPG_STRATEGY_LANE, 0);
    assert_int_equal(c.status, WPG_OK);
    /* start, an arm of each of three conditions, the loop's header or body */
    assert_int_equal(c.counters, 5);
    free(c.words);
}

/* Where atomics are loops over the lanes, few of them count lanes alone, in as many counters. A shader with
 * many ways out is counted as elsewhere: each would need its code. */
static void marks(void **state)
{
    (void)state;
    static char source[1 << 13];
    size_t used = (size_t)snprintf(source, sizeof source,
                                   "#version 450\nlayout(local_size_x = 8) in;\n"
                                   "layout(set = 0, binding = 0) buffer B { uint w[]; };\n"
                                   "void main() { uint x = gl_GlobalInvocationID.x;\n"
                                   "for (uint i = 0; i < w[x]; i++) {\n");
    for (unsigned i = 0; i < 40; i++)
        used += (size_t)snprintf(source + used, sizeof source - used,
                                 "if (w[x * %uu] > %uu) x += %uu; else x ^= w[x];\n", i + 2, i, i);
    (void)snprintf(source + used, sizeof source - used, "}\nw[x] = x; }\n");
    counted usually = count(source, WPG_STRATEGY_LANE, 0), ways = count(nest(2, 60), WPG_STRATEGY_LANE, 0);
    loops = true;
    counted with = count(source, WPG_STRATEGY_LANE, 0), as_before = count(nest(2, 60), WPG_STRATEGY_LANE, 0);
    loops = false;
    assert_true(same(&ways, &as_before));
    free(ways.words);
    free(as_before.words);
    assert_int_equal(with.counters, usually.counters);
    assert_true(usually.size.atomics >= usually.counters);
    assert_true(with.size.atomics * 2 < usually.size.atomics);
    free(usually.words);
    free(with.words);
}

/* Straight code of `lines` lines, then `arms` conditions in a row: with `early`, in a loop with another way
 * out. */
static char *row(unsigned lines, unsigned arms, bool early)
{
    static char text[1 << 14];
    size_t used = begin(text, sizeof text);
    for (unsigned i = 0; i < lines; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "x = x * w[%u] + %uu;\n", i, i);
    if (early)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "for (uint i = 0; i < w[0]; i++) { if (w[x] == 7u) return;\n");
    for (unsigned i = 0; i < arms; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "if (w[x * %uu] > %uu) x ^= w[%u];\n",
                                 i + 2, i, i);
    (void)snprintf(text + used, sizeof text - used, "%s w[x] = x; }\n", early ? "x++; }" : "");
    return text;
}

static uint64_t price_of(const char *source, wpg_strategy_choice strategy)
{
    counted c = count(source, strategy, 0);
    assert_int_equal(c.status, WPG_OK);
    free(c.words);
    return wpg_budget_price(c.size);
}

/* Where the driver loops over lanes, the form chosen for a graphics stage is no dearer than `naive`, or the
 * cheapest there is. */
static void beside_naive(void **state)
{
    (void)state;
    fragment = true;
    unsigned as_auto = 0, direct = 0, additive = 0, in_place = 0;
    for (unsigned lines = 0; lines < 24; lines += 4)
        for (unsigned arms = 0; arms < 9; arms += 2) {
            const char *source = row(lines, arms, lines % 8 == 0);
            loops = true;
            counted chosen = count(source, WPG_STRATEGY_AUTO, 8), with = count(source, WPG_STRATEGY_AUTO, 0);
            const uint64_t naive = price_of(source, WPG_STRATEGY_NAIVE),
                           private = price_of(source, WPG_STRATEGY_ADDITIVE);
            no_paths = true;
            counted without = count(source, WPG_STRATEGY_AUTO, 0);
            no_paths = loops = false;
            assert_int_equal(chosen.status, WPG_OK);
            const uint64_t price = wpg_budget_price(chosen.size);
            if (same(&chosen, &with)) {
                as_auto++;
            } else if (same(&chosen, &without)) {
                direct++;
            } else if (price == private) {
                additive++;
            } else {
                assert_int_equal(price, naive);
                assert_non_null(strstr(chosen.note, "counted in place"));
                in_place++;
            }
            /* A quarter more is the most that any form may take. */
            assert_true(4 * price <= 5 * naive);
            if (price * 10 > naive * 11)
                assert_true(price <= wpg_budget_price(without.size));
            free(chosen.words);
            free(with.words);
            free(without.words);
        }
    print_message("auto %u, direct %u, additive %u, in place %u\n", as_auto, direct, additive, in_place);
    assert_true(as_auto && direct && additive && in_place);
    /* A driver without such loops: loops is false again. And a kernel, whose run time counts more. */
    counted plain = count(nest(2, 4), WPG_STRATEGY_AUTO, 1000),
            unbounded = count(nest(2, 4), WPG_STRATEGY_AUTO, 0);
    assert_true(same(&plain, &unbounded));
    free(plain.words);
    free(unbounded.words);
    fragment = false;
    loops = true;
    plain = count(nest(2, 4), WPG_STRATEGY_AUTO, 1000);
    unbounded = count(nest(2, 4), WPG_STRATEGY_AUTO, 0);
    loops = false;
    assert_true(same(&plain, &unbounded));
    free(plain.words);
    free(unbounded.words);
}

/* Barriers count where the driver suspends there, and only there. */
static void barriers(void **state)
{
    (void)state;
    static char source[1 << 16];
    const char *plain = nest(4, 60), *end = strstr(plain, "w[x] = x; }\n");
    assert_non_null(end);
    (void)snprintf(source, sizeof source, "%.*sbarrier(); w[x] = x; }\n", (int)(end - plain), plain);
    counted usually = count(source, WPG_STRATEGY_NAIVE, 0);
    suspends = true;
    counted with = count(source, WPG_STRATEGY_NAIVE, 0), unbarred = count(plain, WPG_STRATEGY_NAIVE, 0);
    suspends = false;
    assert_true(same(&usually, &with));
    assert_int_equal(usually.size.suspensions, 0);
    assert_int_equal(unbarred.size.suspensions, 0);
    assert_int_equal(with.size.suspensions, 1);
    assert_true(with.size.atomics > with.plain.blocks);
    free(usually.words);
    free(with.words);
    free(unbarred.words);
}

static void sums(void **state)
{
    (void)state;
    const wpg_code_size plain = {.words = 1000, .blocks = 10};
    assert_int_equal(wpg_budget_cost(plain, plain), 1);
    assert_int_equal(wpg_budget_cost((wpg_code_size){.words = 2000, .blocks = 40}, plain), 16);
    assert_int_equal(wpg_budget_cost((wpg_code_size){0}, (wpg_code_size){0}), 0);
    /* 1,024 x 4 + 48 x 16, and 2,048 x 8 + 48 x (64 + 5 x 16). */
    const wpg_code_size one = {1024, 16, 0, 1};
    assert_int_equal(wpg_budget_cost((wpg_code_size){2048, 64, 16, 1}, one), 22);
    /* With barriers, atomics cost most. */
    const wpg_code_size many = {20000, 900, 0, 40};
    uint64_t cells = wpg_budget_cost((wpg_code_size){70000, 1500, 250, 40}, many);
    uint64_t in_place = wpg_budget_cost((wpg_code_size){70000, 1900, 1500, 40}, many);
    assert_true(in_place > 4 * cells);
    /* Sizes beyond any shader stay in range. */
    enum { MOST = UINT32_MAX };
    assert_true(wpg_budget_cost((wpg_code_size){.words = MOST, .blocks = MOST}, plain) > 1000);
    assert_true(wpg_budget_cost((wpg_code_size){MOST, MOST, MOST, MOST}, plain) > 1000 * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_code),  cmocka_unit_test(steps), cmocka_unit_test(nothing),
        cmocka_unit_test(asked),       cmocka_unit_test(tree),  cmocka_unit_test(barriers),
        cmocka_unit_test(sums),        cmocka_unit_test(marks), cmocka_unit_test(same_for_a_hash),
        cmocka_unit_test(beside_naive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
