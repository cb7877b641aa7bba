/* Branches where lanes part evenly get `!unpredictable` in the translation, no others do; behind
 * structurising nothing is left of it, and candidates compile by it. */
#include "compiler/amdgpu/profile/candidates.h"
#include "compiler/amdgpu/driver/emit.h"
#include "compiler/amdgpu/profile/unpredictable.h"
#include "compiler/analysis/graph/cfg.h"
#include "tests/unit/compiler/amdgpu/amdgpu_test.h"

/* if/else by data, in a loop that all lanes go round as often. */
static const char parting[] = "#version 450\n"
                              "layout(local_size_x = 32) in;\n"
                              "layout(std430, binding = 0) buffer Data { uint data[]; };\n"
                              "layout(push_constant) uniform Push { uint rounds; };\n"
                              "void main() {\n"
                              "  uint gid = gl_GlobalInvocationID.x, h = data[gid], other = gid;\n"
                              "  for (uint i = 0u; i < rounds; ++i) {\n"
                              "    if ((h & 1u) == 0u) { data[gid + i * 64u] = h; h = h * 3u + 1u; }\n"
                              "    else { data[other ^ i] = h; h = (h >> 1) ^ i; other += h; }\n"
                              "  }\n"
                              "  data[gid] = h + other;\n"
                              "}\n";

enum { MOST_BLOCKS = 64, ENTERED = 10, ROUNDS = 100 };

typedef struct counts {
    uint64_t waves[MOST_BLOCKS], lanes[MOST_BLOCKS];
    wpg_origin_counts from;
} counts;

/* Of ENTERED waves of 32 that go ROUNDS times round: of 32 lanes `first` go into the first arm, in each wave.
 */
static void make_counts(counts *c, const wpg_module *module, unsigned first)
{
    wpg_cfg *cfg;
    unsigned arms = 0;
    assert_int_equal(wpg_cfg_create(&cfg, module, wpg_next_function(module->first), NULL), WPG_OK);
    assert_true(cfg->count <= MOST_BLOCKS);
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        bool header =
            block->heads != WPG_NO_BLOCK && cfg->constructs[block->heads].kind == WPG_CONSTRUCT_LOOP;
        bool in_loop = block->loop != WPG_NO_BLOCK;
        c->waves[b] = in_loop ? ENTERED * (ROUNDS + (uint64_t)header) : ENTERED;
        c->lanes[b] = c->waves[b] * 32;
    }
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (block->successor_count != 2 || block->heads == WPG_NO_BLOCK ||
            cfg->constructs[block->heads].kind != WPG_CONSTRUCT_SELECTION)
            continue;
        for (unsigned arm = 0; arm < 2; arm++) {
            uint32_t to = block->successors[arm];
            c->lanes[to] = (uint64_t)ENTERED * ROUNDS * (arm ? 32 - first : first);
            c->waves[to] = c->lanes[to] ? ENTERED * ROUNDS : 0;
            arms++;
        }
    }
    assert_int_equal(arms, 2);
    c->from = (wpg_origin_counts){cfg->count, c->waves, c->lanes, NULL};
    wpg_cfg_destroy(cfg);
}

static unsigned times(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

/* Branches so marked in the text of the IR. */
static unsigned marked_in_ir(const amd_shader *s, wpg_amdgpu_marks marks, wpg_amdgpu_until until)
{
    wpg_amdgpu_code *code;
    wpg_error err = {0};
    const wpg_amdgpu_options options = {.gpu = "gfx1100", .until = until, .ir = true, .marks = marks};
    if (wpg_amdgpu_compile(&code, s->module, &s->stage, &options, &err) != WPG_OK)
        fail_msg("%s", err.message);
    unsigned found = times(code->ir, ", !unpredictable");
    wpg_amdgpu_code_destroy(code);
    return found;
}

static uint32_t find(const amd_shader *s, const counts *c, wpg_arena *arena, wpg_amdgpu_marks *marks)
{
    wpg_error err = {0};
    if (wpg_unpredictable_find(marks, s->module, &c->from, arena, &err) != WPG_OK)
        fail_msg("%s", err.message);
    return marks->count;
}

static void marks_what_parts_evenly(void **state)
{
    amd_shader s;
    wpg_arena arena;
    wpg_amdgpu_marks marks;
    counts c;
    (void)state;
    wpg_arena_init(&arena);
    amd_open_glsl(&s, parting);
    static const struct {
        unsigned first, marked; /* lanes of 32 that go into the first arm */
    } cases[] = {{16, 1}, {8, 1}, {24, 1}, {4, 0}, {0, 0}, {32, 0}, {30, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_counts(&c, s.module, cases[i].first);
        assert_int_equal(find(&s, &c, &arena, &marks), cases[i].marked);
        assert_int_equal(marked_in_ir(&s, marks, WPG_AMDGPU_TRANSLATED), cases[i].marked);
    }
    make_counts(&c, s.module, 16);
    assert_int_equal(find(&s, &c, &arena, &marks), 1);
    assert_int_equal(marked_in_ir(&s, marks, WPG_AMDGPU_STRUCTURISED), 0);
    /* Arms that no wave runs with the other: half of the waves each, with all their lanes. */
    for (uint32_t b = 0; b < c.from.block_count; b++)
        if (c.lanes[b] == (uint64_t)ENTERED * ROUNDS * 16)
            c.waves[b] /= 2;
    assert_int_equal(find(&s, &c, &arena, &marks), 0);
    c.from.waves = NULL; /* lanes alone do not tell */
    assert_int_equal(find(&s, &c, &arena, &marks), 0);
    make_counts(&c, s.module, 16);
    c.from.block_count++;
    assert_int_equal(wpg_unpredictable_find(&marks, s.module, &c.from, &arena, NULL), WPG_E_MISMATCH);
    assert_null(marks.unpredictable);
    amd_close(&s);
    wpg_arena_finish(&arena);
}

static void candidates_are_told(void **state)
{
    amd_shader s;
    wpg_arena arena;
    counts c;
    wpg_amdgpu_options options = {.gpu = "gfx1100"};
    wpg_amdgpu_counts structurised;
    wpg_origins origins;
    wpg_amdgpu_use use;
    wpg_amdgpu_code *code;
    wpg_error err = {0};
    (void)state;
    wpg_arena_init(&arena);
    amd_open_glsl(&s, parting);
    make_counts(&c, s.module, 16);
    wpg_amdgpu_graph graph;
    assert_int_equal(wpg_amdgpu_graph_of(&graph, s.module, &s.stage, &options, &err), WPG_OK);
    assert_int_equal(wpg_amdgpu_origin_counts(&structurised, &origins, s.module, &s.stage, &options, &c.from,
                                              graph.checksum, &arena, &err),
                     WPG_OK);
    assert_int_equal(find(&s, &c, &arena, &options.marks), 1);
    if (wpg_amdgpu_compile_use(&code, &use, s.module, &s.stage, &options, &structurised, NULL, &err) !=
        WPG_OK)
        fail_msg("%s", err.message);
    assert_int_equal(use.candidates[WPG_WEIGHTS_NONE].marked, 0);
    assert_int_equal(use.candidates[WPG_WEIGHTS_WAVES].status, WPG_OK);
    assert_int_equal(use.candidates[WPG_WEIGHTS_WAVES].marked, 1);
    wpg_amdgpu_code_destroy(code);
    amd_close(&s);
    wpg_arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(marks_what_parts_evenly),
                                       cmocka_unit_test(candidates_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
