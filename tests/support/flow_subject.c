/* See flow_subject.h. */
#include "tests/support/flow_subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compiler/normalize/normalize.h"
#include "compiler/spirv/builder.h"
#include "tests/support/assemble.h"

void flow_begin(flow_subject *s, const char *declarations, const char *body, bool small_arms)
{
    char source[4096];
    uint32_t *words;
    size_t count;
    const wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    (void)snprintf(source, sizeof source,
                   "#version 450\nlayout(local_size_x = 64) in;\n"
                   "layout(set = 0, binding = 0) buffer O { uint o[]; };\n%s"
                   "void main() { uint x = gl_GlobalInvocationID.x; o[0] = x;\n%s\no[9] = x; }\n",
                   declarations, body);
    *s = (flow_subject){0};
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
    assert_true(wpg_trunk_make(&s->structure, &s->classes, small_arms, &s->arena));
    free(words);
}

void flow_end(flow_subject *s)
{
    wpg_cfg_destroy(s->cfg);
    wpg_module_destroy(s->module);
    wpg_arena_finish(&s->arena);
}

uint32_t flow_block(const flow_subject *s, uint32_t element)
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
