/* Scopes: which arms of selections are scopes of their own, and which scope a block lies in. Each shader
 * names its blocks by the element of a buffer that they write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compiler/instrument/code/structure.h"
#include "compiler/normalize/normalize.h"
#include "compiler/spirv/builder.h"
#include "tests/support/assemble.h"

typedef struct subject {
    wpg_module *module;
    wpg_cfg *cfg;
    wpg_arena arena;
    wpg_mask_classes classes;
    wpg_structure structure;
} subject;

/* MANY: 16 conditions, so 32 blocks. */
static void begin(subject *s, const char *body, bool small_arms)
{
    char source[4096];
    uint32_t *words;
    size_t count;
    const wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    (void)snprintf(source, sizeof source,
                   "#version 450\nlayout(local_size_x = 64) in;\n"
                   "layout(set = 0, binding = 0) buffer O { uint o[]; };\n"
                   "#define IF(b) if ((x & b) != 0u) o[x] = b;\n"
                   "#define FOUR(b) IF(b) IF(b * 2u) IF(b * 4u) IF(b * 8u)\n"
                   "#define MANY FOUR(1u) FOUR(16u) FOUR(256u) FOUR(4096u)\n"
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
    assert_true(wpg_structure_make(&s->structure, s->cfg, &s->classes, small_arms, &s->arena));
    free(words);
}

static void end(subject *s)
{
    wpg_cfg_destroy(s->cfg);
    wpg_module_destroy(s->module);
    wpg_arena_finish(&s->arena);
}

/* The scope of the block that writes o[element]. */
static uint32_t scope(const subject *s, uint32_t element)
{
    for (uint32_t b = 0; b < s->cfg->count; b++)
        for (const wpg_inst *i = s->cfg->blocks[b].label; i != s->cfg->blocks[b].terminator; i = i->next) {
            uint64_t value;
            uint32_t width;
            if (i->opcode == SpvOpAccessChain && i->count == 6 &&
                wpg_const_value(s->module, i->words[5], &value, &width) && value == element)
                return s->structure.scope_of[b];
        }
    fail_msg("no block writes o[%u]", element);
    return 0;
}

static void arms(void **state)
{
    (void)state;
    subject s;
    begin(&s, "if (x < 5u) { o[1] = x; MANY o[2] = x; } else { o[3] = x; MANY o[4] = x; } o[5] = x;", false);
    assert_int_equal(s.structure.scope_count, 3);
    assert_true(scope(&s, 0) == scope(&s, 5) && scope(&s, 1) == scope(&s, 2) && scope(&s, 3) == scope(&s, 4));
    assert_true(scope(&s, 0) != scope(&s, 1) && scope(&s, 1) != scope(&s, 3) && scope(&s, 0) != scope(&s, 3));
    for (uint32_t i = 1; i < 3; i++) {
        const wpg_scope *arm = &s.structure.scopes[i];
        assert_int_equal(arm->around, 0);
        assert_int_equal(s.classes.class_of[arm->root], s.classes.class_of[arm->exit]);
    }
    end(&s);
    /* Else-ifs: the first else has most of the shader in it, its arms do not. */
    begin(&s,
          "if (x < 5u) { o[1] = x; MANY } else if (x < 9u) { o[2] = x; MANY } else if (x < 12u) { o[3] = x; "
          "MANY } else { o[4] = x; MANY }",
          false);
    for (uint32_t a = 0; a < 5; a++)
        for (uint32_t b = a + 1; b < 5; b++)
            assert_true(scope(&s, a) != scope(&s, b));
    end(&s);
}

static void no_arms(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "if (x < 5u) { o[1] = x; FOUR(1u) } MANY MANY",                               /* small */
        "if (x < 5u) { o[1] = x; MANY MANY MANY }",                                   /* all there is */
        "for (uint i = 0u; i < x; i++) { if (x < i) { o[1] = x; MANY } } MANY MANY",  /* in a loop */
        "if (x < 5u) { o[1] = x; MANY if (o[x] == 3u) return; o[2] = x; } MANY MANY", /* left early */
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        subject s;
        begin(&s, bodies[i], false);
        for (uint32_t k = 0; k < s.structure.scope_count; k++)
            assert_true(s.cfg->blocks[s.structure.scopes[k].exit].successor_count == 0);
        end(&s);
    }
}

/* As the tests of random shaders ask for: any arm outside of loops, in arms as well. */
static void small_arms(void **state)
{
    (void)state;
    subject s;
    begin(&s, "if (x < 5u) { o[1] = x; if (x > 2u) o[2] = x; o[3] = x; }", true);
    assert_int_equal(s.structure.scope_count, 3);
    assert_true(scope(&s, 1) == scope(&s, 3) && scope(&s, 1) != scope(&s, 2) && scope(&s, 0) != scope(&s, 1));
    assert_int_equal(s.structure.scopes[scope(&s, 2)].around, scope(&s, 1));
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arms), cmocka_unit_test(no_arms),
                                       cmocka_unit_test(small_arms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
