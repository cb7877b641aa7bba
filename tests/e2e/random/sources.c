/* See sources.h. */
#include "tests/e2e/random/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/builder.h"
#include "tests/support/assemble.h"
#include "tests/unit/compiler/analysis/program_spirv.h"
#include "tests/unit/compiler/normalize/generate.h"

/* Whole waves, tail waves of every kind, workgroups smaller than any wave. */
static const uint32_t local_sizes[] = {1, 5, 8, 13, 21, 32, 33, 61, 64, 100};
enum { MOST_INVOCATIONS = 200 };

/* The lane's three words kept in variables instead: read at the start, `mine` and `shared` written where the
 * shader returns. Shorter to compile, and values live across blocks as in a real shader; what lavapipe 22.3
 * does to those, the other flavour avoids. */
/* A fragment shader's invocation number: a flat input at location 0. */
static void number_fragments(wpg_module *m, wpg_inst *entry)
{
    uint32_t u32 = wpg_type_u32(m), number = wpg_module_fresh_id(m);
    uint32_t input =
        wpg_global_variable(m, entry, SpvStorageClassInput, wpg_type_pointer(m, SpvStorageClassInput, u32));
    wpg_decorate(m, input, SpvDecorationLocation, (const uint32_t[]){0}, 1);
    wpg_decorate(m, input, SpvDecorationFlat, NULL, 0);
    wpg_inst *inst = wpg_next_function(m->first);
    while (inst->opcode != SpvOpIMul) /* the number times the words of a lane */
        inst = inst->next;
    wpg_inst_add(m, inst, SpvOpLoad, u32, number, input);
    inst->words[3] = number;
}

static bool into_registers(random_source *s)
{
    wpg_module *m = NULL;
    wpg_error err = {0};
    if (wpg_module_parse(&m, s->words, s->count, &err) != WPG_OK)
        return false;
    uint32_t u32 = wpg_type_u32(m), type = wpg_type_pointer(m, SpvStorageClassPrivate, u32), kept[3];
    wpg_inst *entry =
        wpg_find_entry_point(m, s->fragment ? SpvExecutionModelFragment : SpvExecutionModelGLCompute, "main");
    if (s->fragment)
        number_fragments(m, entry);
    for (unsigned i = 0; i < 3; i++)
        kept[i] = wpg_global_variable(m, entry, SpvStorageClassPrivate, type);
    for (wpg_inst *inst = m->first, *next; inst; inst = next) {
        next = inst->next;
        bool load = inst->opcode == SpvOpLoad;
        uint32_t pointer = load ? inst->words[3] : inst->opcode == SpvOpStore ? inst->words[1] : 0;
        if (pointer >= ID_MINE && pointer < ID_MINE + 3) {
            uint32_t variable = kept[pointer - ID_MINE];
            uint32_t operands[3] = {inst->type, inst->result, variable};
            if (!load) {
                operands[0] = variable;
                operands[1] = inst->words[2];
            }
            wpg_inst_set_operands(m, inst, operands, load ? 3 : 2);
        }
        if (inst->opcode == SpvOpAccessChain && inst->result == ID_MINE + 2) {
            for (uint32_t i = 0; i < 3; i++) {
                uint32_t value = wpg_module_fresh_id(m);
                wpg_inst_add(m, next, SpvOpLoad, u32, value, ID_MINE + i);
                wpg_inst_add(m, next, SpvOpStore, kept[i], value);
            }
        }
        for (uint32_t i = 0; inst->opcode == SpvOpReturn && i < 2; i++) {
            uint32_t value = wpg_module_fresh_id(m);
            wpg_inst_add(m, inst, SpvOpLoad, u32, value, kept[i]);
            wpg_inst_add(m, inst, SpvOpStore, ID_MINE + i, value);
        }
    }
    free(s->words);
    s->words = NULL;
    bool good = wpg_module_emit(&s->words, &s->count, m, &err) == WPG_OK;
    wpg_module_destroy(m);
    return good;
}

static bool from_blocks(random_source *s)
{
    program p;
    program_words spirv;
    program_make(&p, s->seed, 2 + (int)(s->seed / 4 % (s->large ? 16 : 6)), s->fragment);
    program_spirv(&spirv, &p, s->local_size);
    for (uint32_t i = 0; i < s->local_size * s->groups; i++) {
        program_lane lane = program_lane_start(i + (uint32_t)s->seed);
        s->buffers[0][3 * i] = lane.mine;
        s->buffers[0][3 * i + 1] = lane.shared + (uint32_t)s->seed;
        s->buffers[0][3 * i + 2] = (uint32_t)lane.fuel;
    }
    s->words = spirv.words.data;
    s->count = spirv.words.count;
    program_finish(&p);
    return (s->seed % 8 == 0 && !s->fragment) || into_registers(s);
}

static bool from_glsl(random_source *s)
{
    static char text[GENERATED_TEXT];
    generate_sized(text, s->seed, 1 + (int)(s->seed / 4 % 2), 6);
    char *size = strstr(text, "local_size_x = 64"), digits[8];
    if (!size)
        return false;
    /* Same length: a number of one or two digits, or three with the blank before it. */
    (void)snprintf(digits, sizeof digits, "%3u", s->local_size);
    memcpy(size + strlen("local_size_x ="), digits, 3);
    uint32_t state = (uint32_t)s->seed * 2654435761u + 12345;
    for (uint32_t i = 0; i < RANDOM_WORDS; i++) {
        state = state * 1664525u + 1013904223u;
        s->buffers[0][i] = state >> 8;
        s->buffers[1][i] = 0xdeadbeef;
    }
    return assemble_glsl(&s->words, &s->count, text, "comp", "vulkan1.1");
}

bool random_source_needs_glsl(uint64_t seed)
{
    return seed % 8 == 3;
}

bool random_source_make(random_source *s, uint64_t seed, bool simulated)
{
    memset(s, 0, sizeof *s);
    s->seed = seed;
    s->local_size = local_sizes[seed * 7 % (sizeof local_sizes / sizeof *local_sizes)];
    s->groups = MOST_INVOCATIONS / s->local_size;
    s->groups = s->groups > 7 ? 7 : s->groups;
    bool glsl = random_source_needs_glsl(seed);
    s->large = simulated;
    s->fragment = simulated && seed % 8 > 5;
    s->name = s->fragment ? "fragment"
              : glsl      ? "functions"
              : seed % 8  ? "blocks, registers"
                          : "blocks, memory";
    return glsl ? from_glsl(s) : from_blocks(s);
}

void random_source_finish(random_source *s)
{
    free(s->words);
    s->words = NULL;
}
