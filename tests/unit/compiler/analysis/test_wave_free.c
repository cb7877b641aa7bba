/* Which stages may run with waves of another size: one shader for each rule that refuses, and shaders beside
 * them that differ in what the rule is about and pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/analysis/graph/wave_free.h"
#include "tests/support/assemble.h"

typedef struct subject {
    const char *why; /* part of the reason; NULL: none, the stage does not see its waves */
    const char *stage, *source;
} subject;

#define HEAD                                                                                                 \
    "#version 450\n#extension GL_KHR_shader_subgroup_ballot : enable\n"                                      \
    "#extension GL_KHR_shader_subgroup_quad : enable\n"                                                      \
    "#extension GL_EXT_shader_atomic_float : enable\n#extension GL_KHR_memory_scope_semantics : enable\n"    \
    "#extension GL_ARB_shader_clock : enable\n"
#define COMPUTE                                                                                              \
    HEAD "layout(local_size_x = 64) in;\nlayout(std430, binding = 0) buffer B { uint b[]; };\n"              \
         "layout(std430, binding = 1) buffer F { float f[]; };\nshared uint s[64], t[64];\n"                 \
         "void main() { uint i = gl_LocalInvocationIndex;\n"

static const subject subjects[] = {
    {NULL, "comp", COMPUTE "while (b[i] > 3u) b[i] /= 3u; atomicAdd(b[0], i); }"},
    {"subgroup instruction", "comp", COMPUTE "b[i] = subgroupBroadcastFirst(i); }"},
    {"subgroup instruction", "comp", COMPUTE "if (subgroupElect()) b[i] = 1u; }"},
    {"subgroup instruction", "comp", COMPUTE "b[i] = subgroupQuadBroadcast(i, 1u); }"},
    {"built-in variable", "comp", COMPUTE "b[i] = gl_SubgroupSize; }"},
    {"built-in variable", "comp", COMPUTE "b[i] = gl_SubgroupInvocationID + gl_SubgroupID; }"},
    {"built-in variable", "comp", COMPUTE "b[i] = gl_SubgroupLtMask.x; }"},
    {"floating-point atomic", "comp", COMPUTE "atomicAdd(f[0], float(i)); }"},
    {"scope", "comp",
     COMPUTE "atomicAdd(b[0], i, gl_ScopeSubgroup, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed); }"},
    {"scope", "comp", COMPUTE "b[i] = 1u; subgroupMemoryBarrier(); b[0] = i; }"},
    {"clock", "comp", COMPUTE "b[i] = clock2x32ARB().x; }"},
    /* Workgroup memory. */
    {NULL, "comp", COMPUTE "s[i] = b[i]; barrier(); b[i] = s[63u - i]; }"},
    {"without a barrier", "comp", COMPUTE "s[i] = b[i]; b[i] = s[63u - i]; }"},
    {"without a barrier", "comp", COMPUTE "s[i] = b[i]; memoryBarrierShared(); b[i] = s[63u - i]; }"},
    {NULL, "comp", COMPUTE "s[i] = b[i]; t[i] = i; barrier(); b[i] = s[63u - i] + t[0]; }"},
    {NULL, "comp", COMPUTE "s[i] = b[i]; barrier(); t[i] = i; b[i] = s[63u - i]; }"}, /* another variable */
    {NULL, "comp",
     COMPUTE "s[i] = b[i]; barrier();\n"
             "for (uint k = 32u; k > 0u; k >>= 1) { if (i < k) s[i] += s[i + k]; barrier(); }\n"
             "b[i] = s[0]; }"},
    /* The last rounds in lockstep. */
    {"without a barrier", "comp",
     COMPUTE "s[i] = b[i]; barrier();\n"
             "for (uint k = 32u; k > 0u; k >>= 1) { if (i < k) s[i] += s[i + k]; }\nbarrier(); b[i] = s[0]; "
             "}"},
    /* A barrier in one arm only. */
    {"without a barrier", "comp", COMPUTE "s[i] = b[i]; if (b[9] > 1u) barrier(); b[i] = s[63u - i]; }"},
    {NULL, "comp",
     COMPUTE "s[i] = 0u; barrier(); atomicAdd(s[b[i]], 1u); atomicMax(s[0], i); barrier(); "
             "b[i] = s[i]; }"},
    {"without a barrier", "comp", COMPUTE "s[i] = 0u; atomicAdd(s[b[i]], 1u); }"},
    {"without a barrier", "comp", COMPUTE "atomicAdd(s[b[i]], 1u); b[i] = s[i]; }"},
    /* Stages. */
    {NULL, "vert", HEAD "layout(location = 0) in vec4 p; void main() { gl_Position = p * 2.0; }"},
    {NULL, "frag",
     HEAD "layout(location = 0) in vec2 p; layout(location = 0) out vec4 c;\n"
          "void main() { c = vec4(dFdx(p.x)); if (c.x > 1.0) discard; }"},
    {"subgroup instruction", "frag",
     HEAD "layout(location = 0) out vec4 c; void main() { c = vec4(subgroupElect()); }"},
    {"kind of stage", "tesc",
     HEAD "layout(vertices = 3) out; void main() { gl_TessLevelOuter[0] = 1.0;\n"
          "gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position; }"},
};

static SpvExecutionModel model_of(const char *stage)
{
    return strcmp(stage, "vert") == 0   ? SpvExecutionModelVertex
           : strcmp(stage, "tesc") == 0 ? SpvExecutionModelTessellationControl
           : strcmp(stage, "frag") == 0 ? SpvExecutionModelFragment
                                        : SpvExecutionModelGLCompute;
}

static void expect(const uint32_t *words, size_t count, SpvExecutionModel model, const char *expected,
                   const char *text)
{
    wpg_error err = {0};
    wpg_module *module;
    const char *why = "";
    wpg_stage stage = {.model = model, .entry = "main"};
    assert_int_equal(wpg_module_parse(&module, words, count, &err), WPG_OK);
    bool is_free = wpg_wave_free(module, &stage, &why);
    if (is_free != !expected || (expected && (!why || !strstr(why, expected))))
        fail_msg("'%s' instead of '%s' for\n%s", why ? why : "(free)", expected ? expected : "(free)", text);
    wpg_module_destroy(module);
}

static void judges(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        uint32_t *words;
        size_t count;
        assert_true(assemble_glsl(&words, &count, subjects[i].source, subjects[i].stage, "vulkan1.1"));
        expect(words, count, model_of(subjects[i].stage), subjects[i].why, subjects[i].source);
        free(words);
    }
}

/* What GLSL does not write: sets of vendors, subgroup modes, calls beside workgroup memory. */
#define TEXT_HEAD(capabilities, import, mode)                                                                \
    capabilities "OpCapability Shader\n" import "OpMemoryModel Logical GLSL450\n"                            \
                 "OpEntryPoint GLCompute %1 \"main\"\nOpExecutionMode %1 LocalSize 64 1 1\n" mode            \
                 "%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%4 = OpTypeInt 32 0\n%5 = OpConstant %4 7\n"      \
                 "%6 = OpTypePointer Workgroup %4\n"
#define PLAIN_BODY "%1 = OpFunction %2 None %3\n%10 = OpLabel\nOpReturn\nOpFunctionEnd\n"

static void judges_assembly(void **state)
{
    (void)state;
    static const struct {
        const char *why, *text;
    } cases[] = {
        {NULL, TEXT_HEAD("", "", "") PLAIN_BODY},
        {"instruction set",
         TEXT_HEAD("",
                   "OpExtension \"SPV_AMD_shader_ballot\"\n%9 = OpExtInstImport \"SPV_AMD_shader_ballot\"\n",
                   "") PLAIN_BODY},
        {"execution mode",
         TEXT_HEAD("OpCapability SubgroupDispatch\n", "", "OpExecutionMode %1 SubgroupSize 32\n") PLAIN_BODY},
        {NULL,
         TEXT_HEAD("", "", "") "%7 = OpVariable %6 Workgroup\n%1 = OpFunction %2 None %3\n%10 = OpLabel\n"
                               "OpStore %7 %5\nOpReturn\nOpFunctionEnd\n"},
        {"calls a function",
         TEXT_HEAD("", "", "") "%7 = OpVariable %6 Workgroup\n%1 = OpFunction %2 None %3\n%10 = OpLabel\n"
                               "OpStore %7 %5\n%11 = OpFunctionCall %2 %8\nOpReturn\nOpFunctionEnd\n"
                               "%8 = OpFunction %2 None %3\n%12 = OpLabel\n%13 = OpLoad %4 %7\nOpReturn\n"
                               "OpFunctionEnd\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t *words;
        size_t count;
        assert_true(assemble_text(&words, &count, cases[i].text, "spv1.3"));
        expect(words, count, SpvExecutionModelGLCompute, cases[i].why, cases[i].text);
        free(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(judges), cmocka_unit_test(judges_assembly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
