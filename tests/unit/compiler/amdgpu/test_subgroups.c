/* Subgroup instructions: what the translated moves between lanes give, by a model of them, for every
 * operation, width and set of active lanes; what becomes of them in the machine code; and that whole-wave
 * mode and counters keep out of each other's way. */
#include "tests/unit/compiler/amdgpu/amdgpu_test.h"
#include "tests/unit/compiler/amdgpu/counter_check.h"
#include "tests/unit/compiler/amdgpu/lane_model.h"
#include "tests/unit/compiler/amdgpu/whole_wave.h"
#include "tests/support/effort.h"

#include <inttypes.h>

#include <llvm-c/IRReader.h>

#define HEAD                                                                                                 \
    "#version 450\n"                                                                                         \
    "#extension GL_KHR_shader_subgroup_basic : enable\n"                                                     \
    "#extension GL_KHR_shader_subgroup_arithmetic : enable\n"                                                \
    "#extension GL_KHR_shader_subgroup_clustered : enable\n"                                                 \
    "#extension GL_KHR_shader_subgroup_ballot : enable\n"                                                    \
    "#extension GL_KHR_shader_subgroup_shuffle : enable\n"                                                   \
    "#extension GL_KHR_shader_subgroup_shuffle_relative : enable\n"                                          \
    "#extension GL_KHR_shader_subgroup_quad : enable\n"                                                      \
    "#extension GL_EXT_shader_explicit_arithmetic_types : enable\n"                                          \
    "#extension GL_EXT_shader_subgroup_extended_types_int8 : enable\n"                                       \
    "#extension GL_EXT_shader_subgroup_extended_types_int16 : enable\n"                                      \
    "#extension GL_EXT_shader_subgroup_extended_types_int64 : enable\n"                                      \
    "#extension GL_EXT_shader_subgroup_extended_types_float16 : enable\n"                                    \
    "layout(local_size_x = 64) in;\n"                                                                        \
    "layout(set = 0, binding = 0) buffer A { %s a[]; };\n"                                                   \
    "layout(set = 0, binding = 1) buffer D { %s d[]; };\n"

typedef enum kind { SIGNED, UNSIGNED, FLOATING, BOOLEAN } kind;

static const struct type {
    const char *name, *stored;
    unsigned width;
    kind kind;
} types[] = {{"int8_t", "int8_t", 8, SIGNED},    {"uint16_t", "uint16_t", 16, UNSIGNED},
             {"int", "int", 32, SIGNED},         {"uint", "uint", 32, UNSIGNED},
             {"int64_t", "int64_t", 64, SIGNED}, {"uint64_t", "uint64_t", 64, UNSIGNED},
             {"float", "float", 32, FLOATING},   {"double", "double", 64, FLOATING},
             {"bool", "uint", 1, BOOLEAN}};

static const char *const operations[] = {"Add", "Mul", "Min", "Max", "And", "Or", "Xor"};

typedef enum form { REDUCE, INCLUSIVE, EXCLUSIVE, CLUSTERED } form;

static const struct case_form {
    form form;
    unsigned cluster;
} forms[] = {{REDUCE, 64},   {INCLUSIVE, 64}, {EXCLUSIVE, 64}, {CLUSTERED, 1},  {CLUSTERED, 2},
             {CLUSTERED, 4}, {CLUSTERED, 8},  {CLUSTERED, 16}, {CLUSTERED, 32}, {CLUSTERED, 64}};

enum {
    TYPES = sizeof types / sizeof *types,
    OPERATIONS = sizeof operations / sizeof *operations,
    FORMS = sizeof forms / sizeof *forms
};

static const uint64_t masks[] = {~UINT64_C(0),
                                 1,
                                 UINT64_C(1) << 63 | UINT64_C(1) << 31,
                                 UINT64_C(0x5555555555555555),
                                 UINT64_C(0xffff0000ffff8000),
                                 UINT64_C(0x00000001fffffff0),
                                 UINT64_C(0x8a61c0d7f0123e5b)};

enum { MASKS = sizeof masks / sizeof *masks };

static bool has(const struct type *type, unsigned operation)
{
    return type->kind == BOOLEAN ? operation > 3 : type->kind != FLOATING || operation < 4;
}

static void expression(char text[160], const struct type *type, unsigned operation, const struct case_form *f)
{
    static const char *const names[] = {"", "Inclusive", "Exclusive", "Clustered"};
    const char *value =
        type->kind == BOOLEAN ? "a[gl_LocalInvocationIndex] != 0u" : "a[gl_LocalInvocationIndex]";
    char cluster[16] = "";
    if (f->form == CLUSTERED)
        (void)snprintf(cluster, sizeof cluster, ", %uu", f->cluster);
    (void)snprintf(text, 160, "%s(subgroup%s%s(%s%s))", type->stored, names[f->form], operations[operation],
                   value, cluster);
}

/* -- The model */

/* Sums and products of floats are exact in any order: powers of two. */
static void fill(uint64_t input[64], const struct type *type)
{
    uint64_t value = 77;
    for (unsigned l = 0; l < 64; l++) {
        value = value * UINT64_C(6364136223846793005) + 1442695040888963407u;
        lane_bits bits = {.u = value >> 1 ^ value << 13};
        double number = (double)(1 << (value >> 60 & 1)) * (value >> 61 & 1 ? 1 : -1);
        if (type->kind == FLOATING && type->width == 64)
            bits.d = number;
        else if (type->kind == FLOATING)
            bits = (lane_bits){.f = (float)number};
        else if (type->kind == BOOLEAN)
            bits.u = bits.u >> 40 & 1;
        input[l] = bits.u;
    }
}

static uint64_t combined(const struct type *type, unsigned operation, uint64_t a, uint64_t b)
{
    int64_t x = lane_signed(a, type->width), y = lane_signed(b, type->width);
    bool less = type->kind == SIGNED ? x < y : a < b;
    if (type->kind == FLOATING)
        return lane_float_op("+*<>"[operation], a, b, type -> width);
    switch (operation) {
    case 0:
        return lane_cut(a + b, type->width);
    case 1:
        return lane_cut(a * b, type->width);
    case 2:
        return less ? a : b;
    case 3:
        return less ? b : a;
    case 4:
        return a & b;
    case 5:
        return a | b;
    default:
        return a ^ b;
    }
}

/* What SPIR-V says an exclusive scan begins with. */
static uint64_t identity(const struct type *type, unsigned operation)
{
    lane_bits bits = {.u = 0};
    uint64_t all = lane_cut(~UINT64_C(0), type->width), top = UINT64_C(1) << (type->width - 1);
    if (type->kind == FLOATING) {
        double value = operation == 0   ? 0
                       : operation == 1 ? 1
                       : operation == 2 ? __builtin_inf()
                                        : -__builtin_inf();
        if (type->width == 64)
            bits.d = value;
        else
            bits.f = (float)value;
        return bits.u;
    }
    const uint64_t of[] = {0, 1, type->kind == SIGNED ? top - 1 : all, type->kind == SIGNED ? top : 0, all,
                           0, 0};
    return of[operation];
}

/* As SPIR-V has it: of a lane, from the active lanes that count for it. */
static uint64_t wanted(const lane_model *m, const struct type *type, unsigned operation,
                       const struct case_form *f, unsigned lane)
{
    unsigned cluster = f->form == CLUSTERED && f->cluster < m->wave ? f->cluster : m->wave;
    unsigned first = lane & ~(cluster - 1), end = first + cluster;
    if (f->form == INCLUSIVE || f->form == EXCLUSIVE)
        end = lane + (f->form == INCLUSIVE);
    uint64_t sum = identity(type, operation);
    for (unsigned l = first; l < end; l++)
        if (m->active >> l & 1)
            sum = combined(type, operation, sum, lane_cut(m->input[l], type->width));
    return sum;
}

/* Says whether the lanes have what the `at`-th store of a shader shall store. */
typedef void (*lane_check)(const lane_model *m, const uint64_t *got, unsigned at, const void *data);

/* Evaluates what the kernel stores, in order, with each set of active lanes. */
static unsigned evaluate_stores(LLVMValueRef function, const struct amd_target *target,
                                const uint64_t input[64], lane_check check, const void *data)
{
    static lane_model m;
    unsigned stores = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsAStoreInst(i) || LLVMIsAAllocaInst(LLVMGetOperand(i, 1)))
                continue;
            for (unsigned mask = 0; mask < MASKS; mask++) {
                m.wave = target->wave;
                m.active = lane_cut(masks[mask], target->wave);
                m.input = input;
                m.count = 0;
                m.why[0] = '\0';
                const uint64_t *got = lane_eval(&m, LLVMGetOperand(i, 0));
                if (m.why[0])
                    fail_msg("store %u, %s wave%u: not known: %s", stores, target->gpu, target->wave, m.why);
                check(&m, got, stores, data);
            }
            stores++;
        }
    return stores;
}

/* Translates a shader for each target, and gives how many stores it had. */
static unsigned evaluate(const char *source, const uint64_t input[64], lane_check check, const void *data)
{
    unsigned stores = 0;
    amd_shader s;
    amd_open_glsl(&s, source);
    for (unsigned i = 0; i < AMD_TARGETS; i++) {
        wpg_amdgpu_code *code;
        wpg_error err = {0};
        const wpg_amdgpu_options options = {.gpu = amd_targets[i].gpu,
                                            .wave_size = amd_targets[i].wave,
                                            .until = WPG_AMDGPU_TRANSLATED,
                                            .ir = true};
        if (wpg_amdgpu_compile(&code, s.module, &s.stage, &options, &err) != WPG_OK)
            fail_msg("%s wave%u: %s", options.gpu, options.wave_size, err.message);
        LLVMContextRef context = LLVMContextCreate();
        LLVMMemoryBufferRef text =
            LLVMCreateMemoryBufferWithMemoryRangeCopy(code->ir, strlen(code->ir), "ir");
        LLVMModuleRef module;
        char *message;
        assert_false(LLVMParseIRInContext(context, text, &module, &message));
        stores =
            evaluate_stores(LLVMGetNamedFunction(module, code->kernel), &amd_targets[i], input, check, data);
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
        wpg_amdgpu_code_destroy(code);
    }
    amd_close(&s);
    return stores;
}

/* A shader with every operation of a type; `before` them all. */
static void all_of_type(char *source, size_t size, const struct type *type, const char *before)
{
    char text[160];
    size_t used =
        (size_t)snprintf(source, size, HEAD "void main() { %s {\n", type->stored, type->stored, before);
    for (unsigned o = 0, n = 0; o < OPERATIONS; o++)
        for (unsigned f = 0; f < FORMS && has(type, o); f++) {
            expression(text, type, o, &forms[f]);
            used += (size_t)snprintf(source + used, size - used, "d[gl_LocalInvocationIndex + %uu] = %s;\n",
                                     64 * n++, text);
            assert_true(used < size);
        }
    (void)snprintf(source + used, size - used, "} }\n");
}

static void check_sum(const lane_model *m, const uint64_t *got, unsigned at, const void *data)
{
    const struct type *type = data;
    const struct case_form *f = &forms[at % FORMS];
    unsigned operation = at / FORMS + (type->kind == BOOLEAN ? 4 : 0);
    for (unsigned l = 0; l < m->wave; l++) {
        uint64_t want = wanted(m, type, operation, f, l);
        if ((m->active >> l & 1) && lane_cut(got[l], type->width) != want)
            fail_msg("%s of %s, form %u, wave%u, active %" PRIx64 ": lane %u has %" PRIx64 ", not %" PRIx64,
                     operations[operation], type->name, at % FORMS, m->wave, m->active, l, got[l], want);
    }
}

static void sums(void **state)
{
    static char source[16384];
    uint64_t input[64];
    (void)state;
    for (unsigned t = 0; t < TYPES; t++) {
        unsigned operations_had = types[t].kind == BOOLEAN ? 3 : types[t].kind == FLOATING ? 4 : 7;
        all_of_type(source, sizeof source, &types[t], "");
        fill(input, &types[t]);
        assert_int_equal(evaluate(source, input, check_sum, &types[t]), FORMS * operations_had);
    }
}

/* -- Other lanes */

typedef enum way { FLIPS, IN_QUAD, ONE, ADDS } way;

static const struct move {
    const char *text;
    way way;
    unsigned n;
} named_moves[] = {
    {"subgroupQuadSwapHorizontal(%s)", FLIPS, 1}, {"subgroupQuadSwapVertical(%s)", FLIPS, 2},
    {"subgroupQuadSwapDiagonal(%s)", FLIPS, 3},   {"subgroupQuadBroadcast(%s, 2u)", IN_QUAD, 2},
    {"subgroupBroadcast(%s, 9u)", ONE, 9},        {"subgroupShuffle(%s, 30u)", ONE, 30},
    {"subgroupShuffleDown(%s, 3u)", ADDS, 3},     {"subgroupShuffleUp(%s, 17u)", ADDS, 0u - 17},
};

enum { NAMED = sizeof named_moves / sizeof *named_moves };

static void check_move(const lane_model *m, const uint64_t *got, unsigned at, const void *data)
{
    const struct move flips = {"", FLIPS, at}, *c = at < 64 ? &flips : &named_moves[at - 64];
    (void)data;
    for (unsigned l = 0; l < m->wave; l++) {
        unsigned from = c->way == FLIPS  ? l ^ c->n
                        : c->way == ADDS ? l + c->n
                        : c->way == ONE  ? c->n
                                         : (l & ~3u) | c->n;
        if (!(m->active >> l & 1) || from >= m->wave || !(m->active >> from & 1))
            continue; /* undefined */
        if (lane_cut(got[l], 32) != lane_cut(m->input[from], 32))
            fail_msg("move %u, wave%u: lane %u has %" PRIx64 ", not lane %u's", at, m->wave, l, got[l], from);
    }
}

/* Every mask of an exclusive or, then those with a name. */
static void moves(void **state)
{
    static char source[16384];
    uint64_t input[64];
    size_t used = (size_t)snprintf(source, sizeof source, HEAD "void main() {\n", "uint", "uint");
    (void)state;
    for (unsigned n = 0; n < 64 + NAMED; n++) {
        char text[64];
        if (n < 64)
            (void)snprintf(text, sizeof text, "subgroupShuffleXor(%%s, %uu)", n);
        else
            (void)snprintf(text, sizeof text, "%s", named_moves[n - 64].text);
        const char *at = strstr(text, "%s");
        used += (size_t)snprintf(source + used, sizeof source - used,
                                 "d[gl_LocalInvocationIndex + %uu] = %.*sa[gl_LocalInvocationIndex]%s;\n",
                                 n * 64, (int)(at - text), text, at + 2);
        assert_true(used < sizeof source - 4);
    }
    (void)snprintf(source + used, sizeof source - used, "}\n");
    fill(input, &types[3]);
    assert_int_equal(evaluate(source, input, check_move, NULL), 64 + NAMED);
}

/* -- The machine code */

static unsigned times(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

/* Lanes are read one by one where halves meet, and for an exclusive scan's shift: at most three a word, where
 * a loop over lanes read 32 or 64. */
static void check_machine_code(const wpg_amdgpu_code *code, const struct type *type,
                               const struct amd_target *target)
{
    unsigned operations_had = 0, words = type->width == 64 ? 2 : 1;
    for (unsigned o = 0; o < OPERATIONS; o++)
        operations_had += has(type, o);
    unsigned lanes_read = times(code->assembly, "v_readlane_b32");
    if (lanes_read > operations_had * words * 12)
        fail_msg("%s, %s wave%u: %u lanes are read", type->name, target->gpu, target->wave, lanes_read);
    if (type->kind != BOOLEAN)
        assert_true(times(code->assembly, "row_half_mirror") >= 4 * operations_had);
    assert_int_equal(code->figures.scratch_bytes, 0);
    assert_int_equal(code->figures.vgpr_spills, 0);
}

static void machine_code(void **state)
{
    static char source[16384];
    static const struct type halves = {"float16_t", "float16_t", 16, FLOATING};
    char why[200] = "";
    (void)state;
    for (unsigned t = 0; t <= TYPES; t++) {
        const struct type *type = t < TYPES ? &types[t] : &halves;
        amd_shader s;
        all_of_type(source, sizeof source, type, "if (gl_LocalInvocationIndex % 3u != 1u)");
        amd_open_glsl(&s, source);
        for (unsigned i = 0; i < AMD_TARGETS; i++) {
            if (!effort_pair(t, i, AMD_TARGETS, 5))
                continue;
            wpg_amdgpu_code *code;
            wpg_counter_table table;
            wpg_error err = {0};
            wpg_counter_options counters = {.lanes = true, .uniform = true, .accumulators = t % 2 ? 0 : 4};
            wpg_amdgpu_options options = {
                .gpu = amd_targets[i].gpu, .wave_size = amd_targets[i].wave, .assembly = true};
            if (wpg_amdgpu_generate(&code, &table, s.module, &s.stage, &options, &counters, &err) != WPG_OK)
                fail_msg("%s, %s wave%u: %s", type->name, options.gpu, options.wave_size, err.message);
            check_machine_code(code, type, &amd_targets[i]);
            whole_wave_seen seen = whole_wave_read(code->assembly, code->kernel);
            if (seen.why[0])
                fail_msg("%s, %s wave%u: %s", type->name, options.gpu, options.wave_size, seen.why);
            assert_true((seen.regions > 0) == (type->kind != BOOLEAN));
            if (!counters_are_right(code->assembly, code->kernel, &table, why))
                fail_msg("%s, %s wave%u: %s", type->name, options.gpu, options.wave_size, why);
            wpg_counter_table_finish(&table);
            wpg_amdgpu_code_destroy(code);
        }
        amd_close(&s);
    }
}

/* The reader of the assembly sees what it shall. */
static void reader(void **state)
{
    (void)state;
    static const char begin[] = "\nk:\n\ts_or_saveexec_b32 s1, -1\n", end[] = "\ts_mov_b32 exec_lo, s1\n",
                      counter[] = "\t;;#ASMSTART\n\ts_add_u32 s44, s44, 1\n\t;;#ASMEND\n";
    static const struct {
        const char *parts[4];
        bool right;
        unsigned regions;
    } cases[] = {
        {{begin, end, counter, "\ts_endpgm\n"}, true, 1},
        {{begin, counter, end, "\ts_endpgm\n"}, false, 1},
        {{begin, ".LBB0_1:\n", end, "\ts_endpgm\n"}, false, 1},
        {{begin, "\ts_cbranch_execz .LBB0_1\n", end, "\ts_endpgm\n"}, false, 1},
        {{begin, "\ts_mov_b32 exec_lo, s2\n", end, "\ts_endpgm\n"}, false, 1},
        {{begin, "\ts_endpgm\n", "", ""}, false, 1},
        {{"\nk:\n\ts_or_saveexec_b64 s[4:5], -1\n", "\ts_mov_b64 exec, s[4:5]\n", counter, "\ts_endpgm\n"},
         true,
         1},
        {{"\nk:\n", counter, "\ts_endpgm\n", ""}, true, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        (void)snprintf(text, sizeof text, "%s%s%s%s.Lfunc_end0:\n", cases[i].parts[0], cases[i].parts[1],
                       cases[i].parts[2], cases[i].parts[3]);
        whole_wave_seen seen = whole_wave_read(text, "k");
        assert_int_equal(seen.why[0] == '\0', cases[i].right);
        assert_int_equal(seen.regions, cases[i].regions);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
        cmocka_unit_test(moves),
        cmocka_unit_test(machine_code),
        cmocka_unit_test(reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
