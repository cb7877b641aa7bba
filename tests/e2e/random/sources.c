/* See sources.h. */
#include "tests/e2e/random/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/builder.h"
#include "tests/e2e/random/indexed.h"
#include "tests/support/assemble.h"
#include "tests/support/front_ends.h"
#include "tests/unit/compiler/analysis/program_spirv.h"
#include "tests/unit/compiler/normalize/generate.h"

/* Whole waves, tail waves of every kind, workgroups smaller than any wave. */
static const uint32_t local_sizes[] = {1, 5, 8, 13, 21, 32, 33, 61, 64, 100};
enum { MOST_INVOCATIONS = 200 };

static uint32_t input(wpg_module *m, wpg_inst *entry, uint32_t type, SpvDecoration decoration,
                      uint32_t literal)
{
    uint32_t variable =
        wpg_global_variable(m, entry, SpvStorageClassInput, wpg_type_pointer(m, SpvStorageClassInput, type));
    wpg_decorate(m, variable, decoration, &literal, 1);
    return variable;
}

static uint32_t value_before(wpg_module *m, wpg_inst *where, SpvOp opcode, uint32_t type,
                             const uint32_t *operands, size_t count)
{
    uint32_t id = wpg_module_fresh_id(m), all[8] = {type, id};
    memcpy(all + 2, operands, count * sizeof *operands);
    wpg_inst_insert(m, where, opcode, all, count + 2);
    return id;
}
#define VALUE(m, where, opcode, type, ...)                                                                   \
    value_before(m, where, opcode, type, (const uint32_t[]){__VA_ARGS__},                                    \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Where the invocation number is taken times the words of a lane. */
static wpg_inst *number_used(wpg_module *m)
{
    wpg_inst *inst = wpg_next_function(m->first);
    while (inst->opcode != SpvOpIMul)
        inst = inst->next;
    return inst;
}

/* A fragment shader's invocation number: a flat input, the triangle's first, plus row and column. */
static void number_fragments(wpg_module *m, wpg_inst *entry)
{
    wpg_inst *used = number_used(m);
    uint32_t u32 = wpg_type_u32(m), f32 = wpg_type_float(m, 32), vec4 = wpg_type_vector(m, f32, 4);
    uint32_t first = input(m, entry, u32, SpvDecorationLocation, 0);
    uint32_t place = input(m, entry, vec4, SpvDecorationBuiltIn, SpvBuiltInFragCoord);
    wpg_decorate(m, first, SpvDecorationFlat, NULL, 0);
    uint32_t at = VALUE(m, used, SpvOpLoad, vec4, place), part[2];
    for (uint32_t i = 0; i < 2; i++)
        part[i] = VALUE(m, used, SpvOpConvertFToU, u32, VALUE(m, used, SpvOpCompositeExtract, f32, at, i));
    uint32_t width = wpg_const_u32(m, (uint32_t)__builtin_ctz(RANDOM_WIDTH));
    uint32_t row = VALUE(m, used, SpvOpShiftLeftLogical, u32, part[1], width);
    uint32_t number = VALUE(m, used, SpvOpIAdd, u32, row, part[0]);
    used->words[3] = VALUE(m, used, SpvOpIAdd, u32, number, VALUE(m, used, SpvOpLoad, u32, first));
}

static void number_vertices(wpg_module *m, wpg_inst *entry)
{
    wpg_inst *used = number_used(m);
    uint32_t u32 = wpg_type_u32(m), index = input(m, entry, u32, SpvDecorationBuiltIn, SpvBuiltInVertexIndex);
    used->words[3] = VALUE(m, used, SpvOpLoad, u32, index);
}

/* What is no compute shader was written as a fragment shader. */
static void give_stage(wpg_module *m, const random_source *s)
{
    if (s->stage == SpvExecutionModelGLCompute)
        return;
    wpg_inst *entry = wpg_find_entry_point(m, SpvExecutionModelFragment, "main");
    if (s->stage == SpvExecutionModelFragment) {
        number_fragments(m, entry);
        return;
    }
    entry->words[1] = (uint32_t)s->stage;
    wpg_inst_remove(m,
                    (wpg_inst *)wpg_find_execution_mode(m, entry->words[2], SpvExecutionModeOriginUpperLeft));
    number_vertices(m, entry);
}

void random_source_report(wpg_module *m, const random_source *s)
{
    wpg_inst *used = number_used(m), *entry = wpg_find_entry_point(m, s->stage, "main");
    uint32_t u32 = wpg_type_u32(m), number = used->words[3], one = wpg_const_u32(m, 1);
    uint32_t report =
        wpg_global_variable(m, entry, SpvStorageClassUniform, wpg_module_def(m, ID_STATE)->type);
    wpg_decorate(m, report, SpvDecorationDescriptorSet, (const uint32_t[]){0}, 1);
    wpg_decorate(m, report, SpvDecorationBinding, (const uint32_t[]){1}, 1);
    uint32_t at = VALUE(m, used, SpvOpAccessChain, ID_P_UINT, report, wpg_const_u32(m, 0), number);
    if (s->stage == SpvExecutionModelVertex) {
        VALUE(m, used, SpvOpAtomicIAdd, u32, at, wpg_const_u32(m, SpvScopeDevice), wpg_const_u32(m, 0), one);
        return;
    }
    wpg_require_version(m, 3);
    wpg_require_capability(m, SpvCapabilityGroupNonUniformArithmetic);
    wpg_require_capability(m, SpvCapabilityGroupNonUniform);
    uint32_t least = VALUE(m, used, SpvOpGroupNonUniformUMin, u32, wpg_const_u32(m, SpvScopeSubgroup),
                           SpvGroupOperationReduce, number);
    wpg_inst_add(m, used, SpvOpStore, at, VALUE(m, used, SpvOpIAdd, u32, least, one));
}

/* The lane's three words kept in variables instead: read at the start, `mine` and `shared` written where the
 * shader returns. Shorter to compile, and values live across blocks as in a real shader; what lavapipe 22.3
 * does to those, the other flavour avoids. */
static void into_registers(wpg_module *m, const random_source *s)
{
    uint32_t u32 = wpg_type_u32(m), type = wpg_type_pointer(m, SpvStorageClassPrivate, u32), kept[3];
    wpg_inst *entry = wpg_find_entry_point(m, s->stage, "main");
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
}

/* The table as a shader of the stage; its blocks' three words in memory, or kept in variables. */
static bool from_program(random_source *s, program *p, bool registers, bool indexed)
{
    program_words spirv;
    wpg_module *m = NULL;
    p->fragment = s->stage != SpvExecutionModelGLCompute;
    program_spirv(&spirv, p, s->local_size);
    bool good = wpg_module_parse(&m, spirv.words.data, spirv.words.count, NULL) == WPG_OK;
    if (good) {
        give_stage(m, s);
        if (indexed)
            random_add_indexed_loops(m, s->seed);
        if (registers)
            into_registers(m, s);
        good = wpg_module_emit(&s->words, &s->count, m, NULL) == WPG_OK;
    }
    wpg_module_destroy(m);
    wpg_vec_free(&spirv.words);
    return good;
}

static bool from_blocks(random_source *s)
{
    program p;
    bool fragment = s->stage == SpvExecutionModelFragment;
    program_make(&p, s->seed, 2 + (int)(s->seed / 4 % (s->large ? 16 : 6)), fragment);
    for (uint32_t i = 0; i < s->local_size * s->groups; i++) {
        program_lane lane = program_lane_start(i + (uint32_t)s->seed);
        s->buffers[0][3 * i] = lane.mine;
        s->buffers[0][3 * i + 1] = lane.shared + (uint32_t)s->seed;
        s->buffers[0][3 * i + 2] = (uint32_t)lane.fuel;
    }
    bool indexed = fragment ? s->seed / 8 % 2 == 0 : s->seed % 32 == 9;
    bool good = from_program(s, &p, s->seed % 8 != 0 || fragment, indexed);
    program_finish(&p);
    return good;
}

bool random_source_trivial(random_source *s, SpvExecutionModel stage, uint32_t local_size, uint32_t groups)
{
    program p;
    memset(s, 0, sizeof *s);
    s->stage = stage;
    s->local_size = local_size;
    s->groups = groups;
    program_make(&p, 1, 0, false);
    bool good = from_program(s, &p, false, false);
    program_finish(&p);
    return good;
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

/* Loops and conditions as front ends make them; the last words of the buffer stand for a uniform block's. */
static bool from_front_end(random_source *s)
{
    static const uint32_t some[] = {0, 1, 2, 3, 7, 100, UINT32_MAX, 0x80000000u};
    bool fragment = s->stage == SpvExecutionModelFragment;
    front_end_shader shader;
    front_end_make(&shader, &(front_end_job){.frame = fragment ? FRONT_END_LANES_FRAGMENT : FRONT_END_LANES,
                                             .seed = (uint32_t)s->seed,
                                             .local_size = s->local_size,
                                             .statements = s->large ? 12 : 3});
    uint32_t *words = NULL;
    size_t count;
    wpg_module *m = NULL;
    bool good = assemble_text(&words, &count, shader.text, "spv1.0") &&
                wpg_module_parse(&m, words, count, NULL) == WPG_OK;
    if (good) {
        give_stage(m, s);
        good = wpg_module_emit(&s->words, &s->count, m, NULL) == WPG_OK;
    }
    wpg_module_destroy(m);
    free(words);
    front_end_finish(&shader);
    for (uint32_t i = 0; i < s->local_size * s->groups; i++) {
        program_lane lane = program_lane_start(i + (uint32_t)s->seed);
        s->buffers[0][3 * i] = lane.mine;
        s->buffers[0][3 * i + 1] = lane.shared;
    }
    for (uint32_t w = 0; w < FRONT_END_WORDS; w++)
        s->buffers[0][FRONT_END_AT + w] =
            w < FRONT_END_BOUNDS ? (uint32_t)(s->seed >> 2 * w) % 6 : some[(s->seed * 7 + 3 * w) % 8];
    return good;
}

/* Every eighth shader is a fragment shader, every sixteenth a vertex shader. */
static SpvExecutionModel stage_of_seed(uint64_t seed, const char *stage, bool simulated)
{
    if (stage)
        return strcmp(stage, "frag") == 0   ? SpvExecutionModelFragment
               : strcmp(stage, "vert") == 0 ? SpvExecutionModelVertex
                                            : SpvExecutionModelGLCompute;
    if (seed % 8 == 6 || (seed % 8 == 7 && simulated))
        return SpvExecutionModelFragment;
    return seed % 16 == 7 ? SpvExecutionModelVertex : SpvExecutionModelGLCompute;
}

/* Every eighth compute shader, every third fragment shader. */
static bool is_front_end(uint64_t seed, SpvExecutionModel stage)
{
    return stage == SpvExecutionModelFragment ? seed / 8 % 3 == 1
                                              : stage == SpvExecutionModelGLCompute && seed % 8 == 5;
}

static bool is_glsl(uint64_t seed, SpvExecutionModel stage)
{
    return seed % 8 == 3 && stage == SpvExecutionModelGLCompute;
}

bool random_source_needs_tools(uint64_t seed, const char *stage, bool simulated)
{
    SpvExecutionModel model = stage_of_seed(seed, stage, simulated);
    return is_glsl(seed, model) || is_front_end(seed, model);
}

bool random_source_make(random_source *s, uint64_t seed, const char *stage, bool simulated)
{
    memset(s, 0, sizeof *s);
    s->seed = seed;
    s->stage = stage_of_seed(seed, stage, simulated);
    s->local_size = local_sizes[seed * 7 % (sizeof local_sizes / sizeof *local_sizes)];
    s->groups = MOST_INVOCATIONS / s->local_size;
    s->groups = s->groups > 7 ? 7 : s->groups;
    if (s->stage == SpvExecutionModelVertex)
        s->groups = 1;
    if (s->stage == SpvExecutionModelFragment) {
        s->local_size = RANDOM_PIXELS * RANDOM_TRIANGLES;
        s->groups = 1;
    }
    bool glsl = is_glsl(seed, s->stage);
    s->large = simulated;
    bool front_end = is_front_end(seed, s->stage);
    s->name = front_end                               ? "front ends"
              : s->stage == SpvExecutionModelFragment ? "fragment"
              : s->stage == SpvExecutionModelVertex   ? "vertex"
              : glsl                                  ? "functions"
              : seed % 8                              ? "blocks, registers"
                                                      : "blocks, memory";
    return glsl ? from_glsl(s) : front_end ? from_front_end(s) : from_blocks(s);
}

void random_source_finish(random_source *s)
{
    free(s->words);
    s->words = NULL;
}
