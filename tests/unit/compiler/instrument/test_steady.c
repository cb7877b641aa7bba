/* Steady control: which loops all lanes leave together, which blocks have the same lanes, and where what
 * holds for them is found out. Each shader names its blocks by the element of a buffer that they write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compiler/instrument/code/steady.h"
#include "compiler/normalize/normalize.h"
#include "compiler/spirv/builder.h"
#include "tests/support/assemble.h"

typedef struct subject {
    wpg_module *module;
    wpg_cfg *cfg;
    wpg_arena arena;
    wpg_mask_classes classes;
    wpg_structure structure;
    wpg_steady steady;
} subject;

/* `u` is equal for all lanes of a dispatch, `x` for none. */
static void begin(subject *s, const char *body)
{
    char source[4096];
    uint32_t *words;
    size_t count;
    const wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    (void)snprintf(source, sizeof source,
                   "#version 450\nlayout(local_size_x = 64) in;\n"
                   "layout(set = 0, binding = 0) buffer O { uint o[]; };\n"
                   "layout(set = 0, binding = 1) uniform U { uint u, v; };\n"
                   "void main() { uint x = gl_GlobalInvocationID.x; o[0] = x;\n%s\no[9] = x; }\n",
                   body);
    *s = (subject){0};
    wpg_arena_init(&s->arena);
    assert_true(assemble_glsl(&words, &count, source, "comp", "vulkan1.1"));
    assert_int_equal(wpg_module_parse(&s->module, words, count, NULL), WPG_OK);
    assert_int_equal(wpg_normalize(s->module, &stage, NULL, NULL), WPG_OK);
    wpg_inst *function = s->module->first;
    while (function->opcode != SpvOpFunction)
        function = function->next;
    assert_int_equal(wpg_cfg_create(&s->cfg, s->module, function, NULL), WPG_OK);
    assert_int_equal(wpg_mask_classes_compute(&s->classes, s->cfg, &s->arena), WPG_OK);
    assert_true(wpg_structure_make(&s->structure, s->cfg, &s->classes, false, &s->arena));
    assert_true(wpg_steady_make(&s->steady, &s->structure, &s->classes, &s->arena));
    free(words);
}

static void end(subject *s)
{
    wpg_cfg_destroy(s->cfg);
    wpg_module_destroy(s->module);
    wpg_arena_finish(&s->arena);
}

/* The block that writes o[element]. */
static uint32_t block(const subject *s, uint32_t element)
{
    for (uint32_t b = 0; b < s->cfg->count; b++)
        for (const wpg_inst *i = s->cfg->blocks[b].label; i != s->cfg->blocks[b].terminator; i = i->next) {
            uint64_t value;
            uint32_t width;
            if (i->opcode == SpvOpAccessChain && i->count == 6 &&
                wpg_const_value(s->module, i->words[5], &value, &width) && value == element)
                return b;
        }
    fail_msg("no block writes o[%u]", element);
    return 0;
}

static bool together(const subject *s, uint32_t a, uint32_t b)
{
    const uint32_t *class_of = s->classes.class_of, *group_of = s->steady.group_of;
    return group_of[class_of[block(s, a)]] == group_of[class_of[block(s, b)]];
}

/* The innermost loop around the block that writes o[element]. */
static bool in_steady_loop(const subject *s, uint32_t element)
{
    uint32_t loop = s->cfg->blocks[block(s, element)].loop;
    assert_int_not_equal(loop, WPG_NO_BLOCK);
    return s->steady.loop[loop];
}

static void loops(void **state)
{
    (void)state;
    subject s;
    begin(&s, "for (uint i = 0u; i < u; i++) for (uint k = 0u; k < 3u; k++) o[1] = k;");
    assert_true(in_steady_loop(&s, 1) && together(&s, 0, 1) && together(&s, 1, 9));
    assert_int_equal(s.cfg->blocks[s.steady.place_of[block(&s, 1)]].loop, WPG_NO_BLOCK);
    end(&s);
    begin(&s, "for (uint i = 0u; i < x; i++) o[1] = i;");
    assert_true(!in_steady_loop(&s, 1) && !together(&s, 0, 1) && together(&s, 0, 9));
    assert_int_equal(s.steady.place_of[block(&s, 1)], block(&s, 1));
    end(&s);
    /* What only some lanes can do makes a loop unsteady. */
    begin(&s, "for (uint i = 0u; i < u; i++) { o[1] = i; if (o[x] == 7u) break; o[2] = i; }");
    assert_true(!in_steady_loop(&s, 1) && !together(&s, 0, 1) && !together(&s, 1, 2));
    end(&s);
    begin(&s, "for (uint i = 0u; i < u; i++) { o[1] = i; if (x > 7u) { if (v == i) break; } o[2] = i; }");
    assert_true(!in_steady_loop(&s, 1) && !together(&s, 0, 1));
    end(&s);
    begin(&s, "for (uint i = 0u; i < u; i++) { o[1] = i; if (v == i) break; o[2] = i; }");
    assert_true(in_steady_loop(&s, 1) && together(&s, 0, 1) && together(&s, 1, 2));
    end(&s);
    begin(&s, "for (uint i = 0u; i < u; i++) { o[1] = i; if (o[x] == 7u) continue; o[2] = i; }");
    assert_true(in_steady_loop(&s, 1) && together(&s, 0, 1) && !together(&s, 1, 2));
    end(&s);
}

static void branches(void **state)
{
    (void)state;
    subject s;
    begin(&s, "if (u == 1u) o[1] = x; else { o[2] = x; if (x > 5u) o[3] = x; }");
    assert_true(together(&s, 0, 1) && together(&s, 0, 2) && !together(&s, 0, 3) && together(&s, 0, 9));
    end(&s);
    begin(&s, "switch (u) { case 1u: o[1] = x; break; case 2u: o[2] = x; break; default: o[3] = x; }");
    assert_true(together(&s, 0, 1) && together(&s, 0, 2) && together(&s, 0, 3));
    end(&s);
    begin(&s, "if (u == 1u) { o[1] = x; return; } o[2] = x;");
    assert_true(together(&s, 0, 1) && together(&s, 0, 2));
    end(&s);
    begin(&s, "if (x > u) { o[1] = x; return; } o[2] = x;");
    assert_true(!together(&s, 0, 1) && !together(&s, 0, 2));
    end(&s);
}

/* A loop in an arm: steady, with the arm's lanes. */
static void arms(void **state)
{
    (void)state;
    subject s;
    begin(&s, "if (x > 5u) { o[1] = x; for (uint i = 0u; i < u; i++) o[2] = i; o[3] = x; }");
    assert_true(in_steady_loop(&s, 2) && together(&s, 1, 2) && together(&s, 1, 3) && !together(&s, 0, 2));
    assert_int_equal(s.steady.place_of[block(&s, 2)], block(&s, 1));
    end(&s);
    /* The bound is a value that a lane computes for itself. */
    begin(&s, "uint n = x * v; for (uint i = 0u; i < n; i++) { o[1] = i; if (u == i) o[2] = i; }");
    assert_true(!in_steady_loop(&s, 1) && !together(&s, 0, 1) && together(&s, 1, 2));
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops), cmocka_unit_test(branches),
                                       cmocka_unit_test(arms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
