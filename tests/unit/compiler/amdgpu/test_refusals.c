/* What is refused, and how it is said; what LLVM complains of; what readobj reads from the code objects. */
#include "tests/unit/compiler/amdgpu/amdgpu_test.h"

#include <unistd.h>

#define HEAD                                                                                                 \
    "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : enable\n"                            \
    "#extension GL_KHR_shader_subgroup_basic : enable\n#extension GL_KHR_shader_subgroup_arithmetic : "      \
    "enable\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) buffer Dst { uint d[]; } dst;\n"

static const wpg_amdgpu_options usual = {.gpu = "gfx1100", .wave_size = 32};

static void refused(amd_shader *s, const wpg_amdgpu_options *options, wpg_status status, const char *text)
{
    wpg_amdgpu_code *code = NULL;
    wpg_error err = {0};
    wpg_status got = wpg_amdgpu_compile(&code, s->module, &s->stage, options, &err);
    if (got != status || !strstr(err.message, text))
        fail_msg("expected %d with '%s', not %d with '%s'", (int)status, text, (int)got, err.message);
    assert_null(code);
}

static void glsl_refused(const char *source, wpg_status status, const char *text)
{
    amd_shader s;
    amd_open_glsl(&s, source);
    refused(&s, &usual, status, text);
    amd_close(&s);
}

static void instructions(void **state)
{
    (void)state;
    glsl_refused(HEAD "layout(set = 0, binding = 1, r32ui) uniform uimage2D im;\n"
                      "void main() { imageStore(im, ivec2(0), uvec4(1)); }",
                 WPG_E_UNSUPPORTED, "OpLoad");
    glsl_refused(HEAD "layout(set = 0, binding = 1) uniform sampler2D im;\n"
                      "void main() { dst.d[0] = uint(textureLod(im, vec2(0), 0.0).x); }",
                 WPG_E_UNSUPPORTED, "OpVariable, has no value here");
    glsl_refused(HEAD "layout(set = 0, binding = 1, r32ui) uniform uimage2D im;\n"
                      "void main() { imageAtomicAdd(im, ivec2(0), 1u); }",
                 WPG_E_UNSUPPORTED, "OpImageTexelPointer");
    glsl_refused(
        "#version 450\n#extension GL_ARB_shader_clock : enable\n#extension "
        "GL_EXT_shader_explicit_arithmetic_types : enable\nlayout(set = 0, binding = 0) buffer D { uvec2 "
        "d; };\nvoid main() { d = clock2x32ARB(); }",
        WPG_E_UNSUPPORTED, "OpReadClockKHR");
}

/* An array's length is a specialisation constant whose default, of other front ends, is no length. */
static void no_length(void **state)
{
    (void)state;
    amd_shader s;
    uint32_t *words;
    size_t count, patched = 0;
    wpg_error err = {0};
    assert_true(assemble_glsl(&words, &count,
                              HEAD
                              "layout(constant_id = 3) const uint N = 7; shared uint some[N];\n"
                              "void main() { some[0] = dst.d[0]; barrier(); dst.d[1] = some[dst.d[2]]; }",
                              "comp", "vulkan1.2"));
    for (size_t at = 5; at < count; at += words[at] >> 16)
        if ((words[at] & 0xffff) == SpvOpSpecConstant && words[at + 3] == 7) {
            words[at + 3] = 0;
            patched++;
        }
    assert_int_equal(patched, 1);
    assert_true(amd_open_words(&s, words, count, &err));
    free(words);
    refused(&s, &usual, WPG_E_UNSUPPORTED, "an array of length 0 under these specialisation values");
    amd_close(&s);
}

/* More workgroup memory than there is. */
static void what_llvm_refuses(void **state)
{
    (void)state;
    glsl_refused(HEAD
                 "shared uint big[20000]; void main() { big[gl_LocalInvocationIndex] = dst.d[0]; barrier(); "
                 "dst.d[1] = big[dst.d[2]]; }",
                 WPG_E_UNSUPPORTED, "LLVM: ");
}

static void targets(void **state)
{
    (void)state;
    amd_shader s;
    wpg_amdgpu_options options = usual;
    amd_open_glsl(&s, HEAD "void main() { dst.d[0] = 1u; }");
    options.gpu = "gfx9999";
    refused(&s, &options, WPG_E_ARGUMENT, "no GPU is named 'gfx9999'");
    options.gpu = NULL;
    refused(&s, &options, WPG_E_ARGUMENT, "no GPU is named");
    options = usual;
    options.gpu = "gfx90a";
    refused(&s, &options, WPG_E_ARGUMENT, "gfx90a has no waves of 32");
    options.gpu = "gfx1030";
    options.wave_size = 16;
    refused(&s, &options, WPG_E_ARGUMENT, "no waves of 16");
    assert_true(wpg_amdgpu_has_wave("gfx1030", 32) && wpg_amdgpu_has_wave("gfx900", 64));
    assert_false(wpg_amdgpu_has_wave("gfx900", 32) || wpg_amdgpu_has_wave("none", 64));
    s.stage.entry = "other";
    refused(&s, &usual, WPG_E_NOT_FOUND, "no such entry point");
    s.stage.model = SpvExecutionModelFragment;
    refused(&s, &usual, WPG_E_UNSUPPORTED, "only compute");
    amd_close(&s);
    /* Every name is one that LLVM makes code for. */
    amd_open_glsl(&s, HEAD "void main() { dst.d[gl_GlobalInvocationID.x] += 1u; }");
    for (unsigned i = 0; wpg_amdgpu_gpu(i); i++)
        for (unsigned abi = 0; abi < 2; abi++) {
            wpg_amdgpu_options any = {.gpu = wpg_amdgpu_gpu(i), .abi = (wpg_amdgpu_abi)abi};
            wpg_amdgpu_code *code;
            wpg_error err = {0};
            if (wpg_amdgpu_compile(&code, s.module, &s.stage, &any, &err) != WPG_OK)
                fail_msg("%s: %s", any.gpu, err.message);
            wpg_amdgpu_code_destroy(code);
        }
    amd_close(&s);
}

#define TEXT_HEAD                                                                                            \
    "OpCapability Shader\nOpCapability Int64\nOpMemoryModel Logical GLSL450\n"                               \
    "OpEntryPoint GLCompute %1 \"main\"\nOpExecutionMode %1 LocalSize 4 1 1\n"                               \
    "OpDecorate %20 DescriptorSet 0\nOpDecorate %20 Binding 0\nOpDecorate %10 Block\n"                       \
    "OpMemberDecorate %10 0 Offset 0\n%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%4 = OpTypeInt 32 0\n"        \
    "%5 = OpTypeFloat 32\n%6 = OpTypeVector %5 4\n%7 = OpConstant %4 0\n%8 = OpConstant %5 1.5\n"            \
    "%9 = OpTypeBool\n%10 = OpTypeStruct %4\n%11 = OpTypePointer StorageBuffer %10\n"                        \
    "%12 = OpTypePointer StorageBuffer %4\n%13 = OpConstant %4 7\n%14 = OpTypeInt 64 0\n"                    \
    "%15 = OpConstant %14 5\n%20 = OpVariable %11 StorageBuffer\n%1 = OpFunction %2 None %3\n%30 = "         \
    "OpLabel\n"
#define TEXT_END "OpReturn\nOpFunctionEnd\n"

/* Nothing that spirv-val would let through: the operands are of types that the instruction may not have. */
static void malformed(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "%40 = OpIAdd %4 %7 %8\n",
        "%40 = OpFAdd %5 %7 %7\n",
        "%40 = OpIAdd %5 %7 %7\n",
        "%40 = OpLoad %4 %7\n",
        "%40 = OpAccessChain %12 %20 %13\n",
        "%40 = OpAccessChain %11 %20 %7\n",
        "%40 = OpAccessChain %12 %20 %7 %7\n",
        "OpStore %20 %7\n",
        "%40 = OpCompositeExtract %5 %7 1\n",
        "%40 = OpCompositeConstruct %6 %8 %8\n",
        "%40 = OpVectorShuffle %6 %8 %8 0 1 2 3\n",
        "%40 = OpSelect %4 %7 %7 %7\n",
        "%40 = OpBitcast %4 %15\n",
        "%40 = OpAtomicIAdd %4 %20 %7 %7 %7\n",
        "%40 = OpDot %5 %8 %7\n",
        "%40 = OpIAdd %4 %41 %7\n%41 = OpIAdd %4 %7 %7\n",
        "%40 = OpULessThan %4 %7 %7\n",
        "%40 = OpConvertFToU %4 %7\n",
        "%40 = OpArrayLength %4 %20 0\n",
        "%40 = OpTranspose %6 %8\n",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[4096];
        uint32_t *words;
        size_t count;
        amd_shader s;
        wpg_error err = {0};
        wpg_amdgpu_code *code = NULL;
        (void)snprintf(text, sizeof text, "%s%s%s", TEXT_HEAD, bodies[i], TEXT_END);
        assert_true(assemble_text(&words, &count, text, "spv1.3"));
        if (!amd_open_words(&s, words, count, &err)) {
            free(words);
            continue; /* normalising has refused it already */
        }
        wpg_status status = wpg_amdgpu_compile(&code, s.module, &s.stage, &usual, &err);
        if (status == WPG_OK)
            fail_msg("accepted: %s", bodies[i]);
        assert_true(err.message[0] != '\0');
        amd_close(&s);
        free(words);
    }
}

/* -- Code objects as LLVM's reader sees them */

static char *notes_of(const wpg_amdgpu_code *code)
{
    static char text[1 << 16];
    char path[] = "/tmp/wpg-amdgpu-XXXXXX", command[256];
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, code->elf, code->elf_size), (ssize_t)code->elf_size);
    (void)close(file);
    (void)snprintf(command, sizeof command, "llvm-readobj-22 --file-headers --notes --symbols %s 2>&1", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t size = fread(text, 1, sizeof text - 1, pipe);
    int status = pclose(pipe);
    (void)unlink(path);
    text[size] = '\0';
    return status == 0 ? text : NULL;
}

static void expect_notes(const char *notes, const char *const *wanted)
{
    for (; *wanted; wanted++)
        if (!strstr(notes, *wanted))
            fail_msg("no '%s' in: %s", *wanted, strstr(notes, "Note") ? strstr(notes, "Note") : notes);
}

static void code_objects(void **state)
{
    (void)state;
    static const char *const hsa[] = {"EF_AMDGPU_MACH_AMDGCN_GFX1100",
                                      "NT_AMDGPU_METADATA",
                                      "AMDGPU Metadata",
                                      "amdhsa.kernels",
                                      ".wavefront_size: 32",
                                      "Name: main.kd",
                                      ".kernarg_segment_size:",
                                      ".reqd_workgroup_size",
                                      NULL};
    static const char *const pal[] = {"EF_AMDGPU_MACH_AMDGCN_GFX1100",
                                      "OS/ABI: AMDGPU_PAL",
                                      "amdpal.pipelines",
                                      ".api:            Vulkan",
                                      ".api_shader_hash:",
                                      ".internal_pipeline_hash:",
                                      ".entry_point_symbol: _amdgpu_cs_main",
                                      "Type: Relocatable",
                                      "Name: _amdgpu_cs_main",
                                      ".user_sgprs:     6", /* two tables, a whole pointer, two sets */
                                      ".float_mode:     192",
                                      ".tgid_x_en:      true",
                                      "- 268435456\n          - 268435458\n          - 268435462\n"
                                      "          - 4294967295\n          - 0\n          - 1\n",
                                      ".threadgroup_dimensions:",
                                      ".user_data_reg_map:",
                                      ".user_data_limit: 4",
                                      ".spill_threshold: 2",
                                      ".tidig_comp_cnt: 2",
                                      ".wavefront_size: 32",
                                      ".xgl_cache_info:",
                                      ".vgpr_count:",
                                      "amdpal.version",
                                      NULL};
    amd_shader s;
    if (system("command -v llvm-readobj-22 >/dev/null") != 0) {
        print_message("skipped: llvm-readobj-22 is not here\n");
        skip();
    }
    amd_open_glsl(&s, HEAD "layout(set = 1, binding = 3) uniform U { uint k; } u[2];\n"
                           "layout(push_constant) uniform P { uvec2 p; } push;\n"
                           "void main() { dst.d[gl_GlobalInvocationID.x] = push.p.y + u[push.p.x].k + "
                           "uint(dst.d.length()); }");
    for (unsigned abi = 0; abi < 2; abi++) {
        wpg_amdgpu_options options = usual;
        wpg_amdgpu_code *code;
        wpg_error err = {0};
        options.abi = (wpg_amdgpu_abi)abi;
        options.assembly = options.ir = true;
        if (wpg_amdgpu_compile(&code, s.module, &s.stage, &options, &err) != WPG_OK)
            fail_msg("%s", err.message);
        char *notes = notes_of(code);
        assert_non_null(notes);
        expect_notes(notes, abi ? pal : hsa);
        assert_non_null(strstr(code->assembly, "s_endpgm"));
        assert_non_null(strstr(code->ir, abi ? "amdgpu_cs" : "amdgpu_kernel"));
        assert_true(code->figures.occupancy > 0);
        wpg_amdgpu_code_destroy(code);
    }
    amd_close(&s);
}

/* PAL's metadata where nothing is spilled, and of kernels that want denormals of single floats kept (they are
 * flushed by default), and of the others flushed: the driver sets MODE by it. */
static void pal_says_what_is_so(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        const char *wanted[6];
    } cases[] = {
        {"#version 450\nlayout(local_size_x = 32) in;\nshared uint s; void main() { s = 1; }",
         {".spill_threshold: 65535", ".user_data_limit: 1\n", ".user_sgprs:     4\n", ".float_mode:     192",
          "- 268435456\n          - 4294967295\n          - 268435462\n          - 4294967295\n", NULL}},
        {"#version 450\n#extension GL_EXT_spirv_intrinsics : enable\nlayout(local_size_x = 32) in;\n"
         "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4464], 4459, 32);\n"
         "layout(set = 0, binding = 0) buffer B { float f[]; }; void main() { f[0] *= 2.0; }",
         {".float_mode:     240", ".spill_threshold: 65535", ".user_data_limit: 1\n", NULL}},
        {"#version 450\n#extension GL_EXT_spirv_intrinsics : enable\nlayout(local_size_x = 32) in;\n"
         "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4465], 4460, 16);\n"
         "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4464], 4459, 32);\n"
         "layout(set = 0, binding = 0) buffer B { float f[]; }; void main() { f[0] *= 2.0; }",
         {".float_mode:     48", NULL}},
    };
    if (system("command -v llvm-readobj-22 >/dev/null") != 0)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        amd_shader s;
        wpg_amdgpu_options options = usual;
        wpg_amdgpu_code *code;
        wpg_error err = {0};
        amd_open_glsl(&s, cases[i].source);
        options.abi = WPG_AMDGPU_PAL;
        if (wpg_amdgpu_compile(&code, s.module, &s.stage, &options, &err) != WPG_OK)
            fail_msg("%zu: %s", i, err.message);
        expect_notes(notes_of(code), cases[i].wanted);
        wpg_amdgpu_code_destroy(code);
        amd_close(&s);
    }
}

/* What lies where in the kernel's argument. */
static void arguments(void **state)
{
    (void)state;
    static const wpg_amdgpu_argument expected[] = {
        {WPG_AMDGPU_BUFFERS, 0, 0, 1, 0, 8},  {WPG_AMDGPU_BUFFERS, 1, 2, 3, 8, 24},
        {WPG_AMDGPU_TABLE, 1, 4, 1, 32, 8},   {WPG_AMDGPU_GROUPS, 0, 0, 1, 40, 12},
        {WPG_AMDGPU_LENGTHS, 0, 0, 1, 52, 4}, {WPG_AMDGPU_PUSH, 0, 0, 1, 64, 12},
    };
    amd_shader s;
    wpg_amdgpu_code *code;
    wpg_error err = {0};
    amd_open_glsl(
        &s, "#version 450\n#extension GL_EXT_nonuniform_qualifier : enable\n"
            "layout(set = 0, binding = 0) buffer D { uint d[]; } dst;\n"
            "layout(set = 1, binding = 2) uniform U { uint k; } u[3];\n"
            "layout(set = 1, binding = 4) buffer V { uint k; } v[];\n"
            "layout(push_constant) uniform P { uvec3 p; } push;\n"
            "void main() { dst.d[0] = push.p.z + u[push.p.x].k + v[push.p.y].k + uint(dst.d.length()); }");
    if (wpg_amdgpu_compile(&code, s.module, &s.stage, &usual, &err) != WPG_OK)
        fail_msg("%s", err.message);
    assert_int_equal(code->argument_count, 6);
    assert_int_equal(code->argument_bytes, 76);
    for (unsigned i = 0; i < 6; i++) {
        const wpg_amdgpu_argument *a = &code->arguments[i], *e = &expected[i];
        assert_int_equal(a->kind, e->kind);
        assert_int_equal(a->offset, e->offset);
        assert_int_equal(a->size, e->size);
        assert_int_equal(a->set, e->set);
        assert_int_equal(a->binding, e->binding);
        assert_int_equal(a->count, e->count);
    }
    wpg_amdgpu_code_destroy(code);
    amd_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions),        cmocka_unit_test(no_length),
        cmocka_unit_test(what_llvm_refuses),   cmocka_unit_test(targets),
        cmocka_unit_test(malformed),           cmocka_unit_test(code_objects),
        cmocka_unit_test(pal_says_what_is_so), cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
