/* Waves whose lanes differ: how large the keys of their tables may be, by the steps a wave takes without;
 * by how many reductions their numbers are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compiler/instrument/code/instrument.h"
#include "compiler/normalize/normalize.h"
#include "tests/support/assemble.h"
#include "tests/support/targets.h"

/* The module of `body`, counted for waves of so many lanes. */
static wpg_module *instrumented(wpg_counter_map **map, const char *body, uint32_t lanes)
{
    char text[4096];
    uint32_t *words;
    size_t count;
    wpg_module *module;
    const wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    wpg_instrument_options options = {.target = wpg_target_of_most, .directory_entry = UINT64_C(0x1000)};
    options.target.subgroup_size = options.target.subgroup_most = lanes;
    (void)snprintf(text, sizeof text,
                   "#version 450\nlayout(local_size_x = 64) in;\n"
                   "layout(set = 0, binding = 0) buffer O { uint o[]; };\n"
                   "void main() { uint x = gl_GlobalInvocationID.x;\n%s}\n",
                   body);
    assert_true(assemble_glsl(&words, &count, text, "comp", "vulkan1.1"));
    assert_int_equal(wpg_module_parse(&module, words, count, NULL), WPG_OK);
    assert_int_equal(wpg_normalize(module, &stage, NULL, NULL), WPG_OK);
    assert_int_equal(wpg_instrument(map, module, &stage, &options, NULL), WPG_OK);
    free(words);
    return module;
}

/* Words of a key of the waves whose lanes differ; 0: the region has no such table. `loops` have a number of
 * trips that is each lane's own, `arms` a condition that is. */
static uint32_t key_words(unsigned loops, unsigned arms, uint32_t lanes)
{
    char body[4096] = "";
    size_t used = 0;
    uint32_t found = 0;
    wpg_counter_map *map;
    for (unsigned i = 0; i < loops; i++)
        used += (size_t)snprintf(body + used, sizeof body - used,
                                 "for (uint i = 0u; i < (x >> %u); i++) o[i] += %uu;\n", i % 5u, i);
    for (unsigned i = 0; i < arms; i++)
        used += (size_t)snprintf(body + used, sizeof body - used, "if ((x & %uu) != 0u) o[x] += %uu;\n",
                                 1u << i % 6u, i);
    wpg_module *module = instrumented(&map, body, lanes);
    for (uint32_t i = 0; i < map->path_count; i++)
        if (map->paths[i].mixed) {
            assert_int_equal(found, 0);
            found = map->paths[i].table.words;
        }
    wpg_counter_map_destroy(map);
    wpg_module_destroy(module);
    return found;
}

static void by_steps(void **state)
{
    (void)state;
    for (unsigned loops = 1; loops < 14; loops += 2)
        for (unsigned arms = 0; arms < 40; arms += 13) {
            const bool many_steps = loops + arms + 1 >= 4 * 8; /* one tally is the region's start */
            assert_in_range(key_words(loops, arms, 8), 0, many_steps ? 24 : 6);
            assert_in_range(key_words(loops, arms, 32), 0, 6);
        }
    assert_int_equal(key_words(3, 0, 8), 0); /* few tallies */
    assert_in_range(key_words(2, 7, 8), 1, 6);
    assert_in_range(key_words(2, 7, 32), 1, 6);
    assert_int_equal(key_words(10, 0, 8), 0);
    assert_in_range(key_words(10, 39, 8), 7, 24);
    assert_int_equal(key_words(17, 39, 8), 0); /* too many reductions */
}

/* How many reductions to the most and the fewest of the lanes' numbers there are. */
static unsigned extremes(const char *body)
{
    unsigned found = 0;
    wpg_counter_map *map;
    wpg_module *module = instrumented(&map, body, 32);
    WPG_INST_EACH (inst, module)
        found += inst->opcode == SpvOpGroupNonUniformUMax || inst->opcode == SpvOpGroupNonUniformUMin;
    wpg_counter_map_destroy(map);
    wpg_module_destroy(module);
    return found;
}

/* One lane has the most of all that is counted in a loop, and one the fewest. Of few numbers each is asked
 * for. */
static void by_leaders(void **state)
{
    (void)state;
    assert_int_equal(extremes("for (uint i = 0u; i < x; i++) o[i] += x;"), 2);
    assert_int_equal(extremes("for (uint i = 0u; i < x; i++) {"
                              " if ((o[i] & 1u) != 0u) o[x] += 1u;"
                              " if ((o[i] & 2u) != 0u) o[x] += 2u;"
                              " if ((o[i] & 4u) != 0u) o[x] += 3u; }"),
                     2);
    assert_int_equal(extremes("for (uint i = 0u; i < x; i++) {"
                              " if ((o[i] & 1u) != 0u) o[x] += 1u;"
                              " if (o[i] == 9u) break;"
                              " o[i]++;"
                              " if (o[i] == 11u) break;"
                              " if ((o[i] & 4u) != 0u) o[x] += 3u; }"),
                     2);
    assert_int_equal(extremes("for (uint i = 0u; i < x; i++) {"
                              " if ((o[i] & 1u) != 0u) o[x] += 1u;"
                              " if ((o[i] & 2u) != 0u) o[x] += 2u; }"
                              "for (uint i = 0u; i < o[x]; i++) {"
                              " if ((o[i] & 1u) != 0u) o[x] += 1u;"
                              " if ((o[i] & 2u) != 0u) o[x] += 2u; }"),
                     4);
}

/* The table in which every key has its place; NULL: there is none. */
static const wpg_counter_path *all_keys(const wpg_counter_map *map)
{
    for (uint32_t i = 0; i < map->path_count; i++)
        if (map->paths[i].table.most)
            return &map->paths[i];
    return NULL;
}

static bool has_all_keys(const char *body, uint32_t lanes)
{
    wpg_counter_map *map;
    wpg_module *module = instrumented(&map, body, lanes);
    const bool has = all_keys(map) != NULL;
    wpg_counter_map_destroy(map);
    wpg_module_destroy(module);
    return has;
}

static void expect_counts(const wpg_counter_map *map, const uint64_t *values, size_t have, uint32_t block,
                          uint64_t lanes, uint64_t waves, uint64_t uniform)
{
    const wpg_function_counters *f = &map->functions[0];
    assert_int_equal(wpg_counter_value(map, f->lanes[block], values, have), lanes);
    assert_int_equal(wpg_counter_value(map, f->waves[block], values, have), waves);
    assert_int_equal(wpg_counter_value(map, f->uniform[block], values, have), uniform);
}

/* Each number of lanes, each number of lanes that came to the arm, in every copy. */
static void by_place(void **state)
{
    (void)state;
    const char *const arm = "if ((x & 1u) != 0u) o[x] += 1u;\n";
    wpg_counter_map *map;
    wpg_module *module = instrumented(&map, arm, 8);
    const wpg_counter_path *path = all_keys(map);
    assert_non_null(path);
    assert_false(path->table.part);
    assert_int_equal(map->functions[0].block_count, 3);
    const size_t have = map->first_counter + map->counter_count;
    uint64_t *values = calloc(have, sizeof *values);
    assert_non_null(values);
    for (uint32_t lanes = 1; lanes <= 8; lanes++)
        for (uint32_t came = 0; came <= lanes; came++) {
            const uint32_t copy = (lanes + came) % path->table.copies;
            uint64_t *count = &values[path->table.first + (copy << path->table.bits) + lanes - 1 + 8 * came];
            *count = 3;
            expect_counts(map, values, have, 0, UINT64_C(3) * lanes, 3, 3);
            expect_counts(map, values, have, 1, UINT64_C(3) * came, came ? 3 : 0, came == lanes ? 3 : 0);
            *count = 0;
        }
    /* No wave has a place behind the last: all of what is there is a torn read. */
    values[path->table.first + 8 * 9] = 7;
    expect_counts(map, values, have, 0, 0, 0, 0);
    free(values);
    wpg_counter_map_destroy(map);
    wpg_module_destroy(module);
    assert_false(has_all_keys("if ((x & 1u) != 0u) o[x] += 1u; if ((x & 2u) != 0u) o[x] += 1u;", 8));
    assert_false(has_all_keys(arm, 32));
    assert_false(has_all_keys("for (uint i = 0u; i < x; i++) o[i] += 1u;", 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_steps), cmocka_unit_test(by_leaders),
                                       cmocka_unit_test(by_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
