/* Names of places in blocks: by members, by numbers where a member has no name, and of any length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/analysis/values/place_names.h"
#include "tests/support/assemble.h"

#define LONG "a_name_of_fifty_characters_which_nobody_would_write_"

static const char SOURCE[] =
    "#version 450\n"
    "layout(local_size_x = 1) in;\n"
    "struct Light { vec3 colour; float reach; };\n"
    "struct " LONG "T { float " LONG "1; };\n"
    "layout(set = 3, binding = 7) uniform P { Light lights[4]; mat4 view; uint count; " LONG "T " LONG
    "2; } p;\n"
    "layout(binding = 1) buffer W { float w[]; };\n"
    "void main() { w[0] = p.lights[2].colour.y + p.view[1].z + float(p.count) + p." LONG "2." LONG "1; }\n";

typedef struct subject {
    uint32_t *words;
    wpg_module *module;
    uint32_t block;
} subject;

static void make(subject *s)
{
    size_t count;
    wpg_error err = {0};
    if (!assemble_glsl(&s->words, &count, SOURCE, "comp", "vulkan1.1"))
        skip();
    if (wpg_module_parse(&s->module, s->words, count, &err) != WPG_OK)
        fail_msg("%s", err.message);
    s->block = 0;
    for (const wpg_inst *inst = s->module->first; inst; inst = inst->next)
        if (inst->opcode == SpvOpVariable && inst->words[3] == SpvStorageClassUniform && !s->block)
            s->block = inst->result;
    /* glslang's storage buffers are of the Uniform class, too: the block has binding 7. */
    for (const wpg_inst *inst = s->module->first; inst; inst = inst->next)
        if (inst->opcode == SpvOpDecorate && inst->words[2] == SpvDecorationBinding && inst->words[3] == 7)
            s->block = inst->words[1];
    assert_true(s->block != 0);
}

static void drop(subject *s)
{
    wpg_module_destroy(s->module);
    free(s->words);
}

static void remove_all(wpg_module *module, SpvOp opcode)
{
    for (wpg_inst *inst = module->first, *next; inst; inst = next) {
        next = inst->next;
        if (inst->opcode == opcode)
            wpg_inst_remove(module, inst);
    }
}

static void expect(const subject *s, const char *wanted, uint32_t count, const uint32_t *indices)
{
    char name[WPG_PLACE_NAME];
    wpg_word_place place = {.variable = s->block, .count = count};
    for (uint32_t i = 0; i < count; i++)
        place.indices[i] = indices[i];
    wpg_place_name(name, s->module, &place);
    assert_string_equal(name, wanted);
}

static void by_members(void **state)
{
    (void)state;
    subject s;
    make(&s);
    expect(&s, "lights[2].colour.y", 4, (const uint32_t[]){0, 2, 0, 1});
    expect(&s, "lights[3].reach", 3, (const uint32_t[]){0, 3, 1});
    expect(&s, "view[1].z", 3, (const uint32_t[]){1, 1, 2});
    expect(&s, "count", 1, (const uint32_t[]){2});
    /* Cut, and ended. */
    char name[WPG_PLACE_NAME];
    const wpg_word_place far = {.variable = s.block, .count = 2, .indices = {3, 0}};
    wpg_place_name(name, s.module, &far);
    assert_int_equal(strlen(name), WPG_PLACE_NAME - 1);
    assert_memory_equal(name, LONG "2." LONG, WPG_PLACE_NAME - 1);
    drop(&s);
}

/* Engines strip names. A place that leads nowhere has a name, too. */
static void without_names(void **state)
{
    (void)state;
    subject s;
    make(&s);
    remove_all(s.module, SpvOpMemberName);
    expect(&s, "set 3 binding 7 [0][2][0].y", 4, (const uint32_t[]){0, 2, 0, 1});
    expect(&s, "set 3 binding 7 [2]", 1, (const uint32_t[]){2});
    expect(&s, "set 3 binding 7 ", 1, (const uint32_t[]){99});
    expect(&s, "set 3 binding 7 [2][5]", 3, (const uint32_t[]){2, 5, 6}); /* into a number */
    remove_all(s.module, SpvOpDecorate);
    char name[WPG_PLACE_NAME], wanted[WPG_PLACE_NAME];
    const wpg_word_place place = {.variable = s.block, .count = 1, .indices = {2}};
    wpg_place_name(name, s.module, &place);
    (void)snprintf(wanted, sizeof wanted, "%%%u[2]", s.block);
    assert_string_equal(name, wanted);
    drop(&s);
}

static void without_control_characters(void **state)
{
    (void)state;
    char name[] = "a\x1b[31mb\n\x7f";
    wpg_place_name_clean(name);
    assert_string_equal(name, "a [31mb  ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_members), cmocka_unit_test(without_names),
                                       cmocka_unit_test(without_control_characters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
