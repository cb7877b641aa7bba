/* Un-flattening: a rare, expensive side of a select goes into a branch; each legality rule that must stop it.
 */
#include "tests/unit/compiler/optimize/use.h"

static void makes_a_branch(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_golden(&s, "select_rare.comp");
    use_profile(&s);
    use_rare(&s, 0, 3, 0);
    use_run(&r, &s, NULL, true);
    assert_true(r.changed);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "3 of 128 waves need it");
    assert_int_equal(use_occurrences(&r, "OpSelect "), 0);
    assert_int_equal(use_occurrences(&r, "OpSelectionMerge"), 1);
    assert_int_equal(use_occurrences(&r, "DontFlatten"), 1);
    /* The chain stands after the branch. */
    assert_true(strstr(r.text, "Pow") > strstr(r.text, "OpBranchConditional"));
    assert_non_null(strstr(r.text, " 3 128"));
    use_done(&r);
    use_free(&s);
}

static void is_deterministic(void **state)
{
    (void)state;
    use_shader s;
    use_result a, b;
    use_golden(&s, "select_rare.comp");
    use_profile(&s);
    use_rare(&s, 0, 3, 0);
    use_run(&a, &s, NULL, true);
    use_run(&b, &s, NULL, true);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.words, b.words, a.count * sizeof(uint32_t));
    use_done(&a);
    use_done(&b);
    use_free(&s);
}

static void leaves_common_sides(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_golden(&s, "select_rare.comp");
    use_profile(&s);
    use_rare(&s, 0, 60, 0);
    use_run(&r, &s, NULL, true);
    assert_false(use_said(&r, WPG_REMARK_DONE, "unflatten", ""));
    assert_int_equal(use_occurrences(&r, "OpSelect "), 1);
    use_done(&r);
    use_free(&s);
}

/* Few lanes, but every wave: not rare. */
static void counts_waves_not_lanes(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_golden(&s, "select_rare.comp");
    use_profile(&s);
    uint64_t *c = s.selects;
    c[0] = 128, c[1] = USE_LANES - 128, c[2] = 128, c[3] = 128;
    use_run(&r, &s, NULL, true);
    assert_false(use_said(&r, WPG_REMARK_DONE, "unflatten", ""));
    use_done(&r);
    /* Without wave counts few lanes are not enough either, none at all is. */
    s.weights.waves = s.weights.uniform = NULL;
    c[2] = c[3] = 0;
    use_run(&r, &s, NULL, true);
    assert_false(use_said(&r, WPG_REMARK_DONE, "unflatten", ""));
    use_done(&r);
    c[0] = 0, c[1] = USE_LANES;
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "select");
    use_done(&r);
    use_free(&s);
}

/* Runs a compute body with site `site` rare and expects the refusal. */
static void refuses(const char *head, const char *body, const char *stage, SpvExecutionModel model,
                    const char *why)
{
    use_shader s;
    use_result r;
    char *source = malloc(strlen(head) + strlen(body) + 1);
    assert_non_null(source);
    strcat(strcpy(source, head), body);
    use_glsl(&s, source, stage, model);
    free(source);
    use_profile(&s);
    for (uint32_t i = 0; i < s.weights.select_count; i++)
        use_rare(&s, i, 1, 0);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_REFUSED, "unflatten", why);
    assert_false(use_said(&r, WPG_REMARK_DONE, "unflatten", ""));
    use_done(&r);
    use_free(&s);
}

#define FRAG_HEAD                                                                                            \
    "#version 450\n"                                                                                         \
    "layout(location = 0) in vec2 uv;\n"                                                                     \
    "layout(location = 0) out vec4 color;\n"                                                                 \
    "layout(binding = 0) uniform sampler2D tex;\n"

static void refuses_implicit_lod(void **state)
{
    (void)state;
    refuses(FRAG_HEAD, "void main() { vec4 e = texture(tex, uv); color = vec4(mix(uv.x, e.x, uv.y > 0.5)); }",
            "frag", SpvExecutionModelFragment, "is an implicit-lod sample or derivative");
}

static void refuses_derivatives(void **state)
{
    (void)state;
    refuses(FRAG_HEAD, "void main() { float e = dFdx(uv.x); color = vec4(mix(uv.x, e, uv.y > 0.5)); }",
            "frag", SpvExecutionModelFragment, "is an implicit-lod sample or derivative");
}

static void refuses_operands_of_derivatives(void **state)
{
    (void)state;
    refuses(
        FRAG_HEAD,
        "void main() { float e = pow(uv.x, 3.3) * exp(uv.y) * sin(uv.x); float c = mix(uv.x, e, uv.y > 0.5);"
        " color = vec4(dFdx(c)); }",
        "frag", SpvExecutionModelFragment, "it feeds an implicit-lod sample");
    refuses(
        FRAG_HEAD,
        "void main() { float e = pow(uv.x, 3.3) * exp(uv.y) * sin(uv.x); float c = mix(uv.x, e, uv.y > 0.5);"
        " color = texture(tex, vec2(c)); }",
        "frag", SpvExecutionModelFragment, "it feeds an implicit-lod sample");
}

static void allows_explicit_lod(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             FRAG_HEAD "void main() { float e = textureLod(tex, uv * 3.0, 1.0).x * exp(uv.x);"
                       " color = vec4(mix(uv.x, e, uv.y > 0.5)); }",
             "frag", SpvExecutionModelFragment);
    use_profile(&s);
    use_rare(&s, 0, 0, 0);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "select");
    assert_true(strstr(r.text, "ImageSampleExplicitLod") > strstr(r.text, "OpBranchConditional"));
    use_done(&r);
    use_free(&s);
}

static void refuses_subgroup_operations(void **state)
{
    (void)state;
    refuses("#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : enable\n"
            "layout(local_size_x = 64) in;\nlayout(std430, binding = 1) buffer Out { float data[]; } dst;\n",
            "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i);"
            " float e = subgroupAdd(x); dst.data[i] = mix(x, e, (i & 64u) != 0u); }",
            "comp", SpvExecutionModelGLCompute, "is a subgroup or quad operation");
    refuses("#version 450\n#extension GL_KHR_shader_subgroup_quad : enable\n"
            "layout(local_size_x = 64) in;\nlayout(std430, binding = 1) buffer Out { float data[]; } dst;\n",
            "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i);"
            " float e = mix(x, exp(x) * pow(x, 2.2) * sin(x), (i & 64u) != 0u);"
            " dst.data[i] = subgroupQuadBroadcast(e, 1u); }",
            "comp", SpvExecutionModelGLCompute, "it feeds an implicit-lod sample, derivative, quad");
}

static void refuses_position(void **state)
{
    (void)state;
    const char *head = "#version 450\nlayout(location = 0) in vec4 p;\nlayout(location = 0) out float o;\n";
    refuses(head,
            "void main() { float e = pow(p.x, 3.3) * exp(p.y) * sin(p.z);"
            " gl_Position = vec4(mix(p.x, e, p.y > 0.5), p.yzw); o = 1.0; }",
            "vert", SpvExecutionModelVertex, "feeds Position");
    refuses(head,
            "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };"
            "void main() { float e = pow(p.x, 3.3) * exp(p.y) * sin(p.z);"
            " gl_ClipDistance[0] = mix(p.x, e, p.y > 0.5); gl_Position = p; o = 1.0; }",
            "vert", SpvExecutionModelVertex, "feeds Position");
    refuses("#version 450\nlayout(location = 0) in vec4 p;\ninvariant layout(location = 0) out float o;\n",
            "void main() { float e = pow(p.x, 3.3) * exp(p.y) * sin(p.z);"
            " o = mix(p.x, e, p.y > 0.5); gl_Position = p; }",
            "vert", SpvExecutionModelVertex, "feeds Position");
}

static void refuses_depth_and_sample_mask(void **state)
{
    (void)state;
    refuses(FRAG_HEAD,
            "void main() { float e = pow(uv.x, 3.3) * exp(uv.y) * sin(uv.x);"
            " gl_FragDepth = mix(uv.x, e, uv.y > 0.5); color = vec4(1); }",
            "frag", SpvExecutionModelFragment, "feeds Position, FragDepth");
    refuses(FRAG_HEAD,
            "void main() { float e = pow(uv.x, 3.3) * exp(uv.y) * sin(uv.x);"
            " gl_SampleMask[0] = int(mix(uv.x, e, uv.y > 0.5)); color = vec4(1); }",
            "frag", SpvExecutionModelFragment, "feeds Position, FragDepth");
}

/* What feeds other outputs of a vertex shader may move. */
static void allows_other_outputs(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             "#version 450\nlayout(location = 0) in vec4 p;\nlayout(location = 0) out float o;\n"
             "void main() { float e = pow(p.x, 3.3) * exp(p.y) * sin(p.z);"
             " o = mix(p.x, e, p.y > 0.5); gl_Position = p; }",
             "vert", SpvExecutionModelVertex);
    use_profile(&s);
    use_rare(&s, 0, 0, 0);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "select");
    use_done(&r);
    use_free(&s);
}

/* A branch between a product and the sum that Position is made of: a driver would contract them in one block.
 */
static void refuses_to_split_exact_arithmetic(void **state)
{
    (void)state;
    refuses("#version 450\nlayout(location = 0) in vec4 p;\nlayout(location = 0) out float o;\n",
            "void main() { vec4 product = p * p.w; float e = pow(p.x, 3.3) * exp(p.y) * sin(p.z);"
            " o = mix(p.x, e, p.y > 0.5); gl_Position = product + p; }",
            "vert", SpvExecutionModelVertex, "split exact floating-point arithmetic");
}

static void refuses_stores_in_between(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             USE_COMPUTE_HEAD
             "void main() { uint i = gl_GlobalInvocationID.x; uint x = dst.data[i + 64u];"
             " float e = pow(uintBitsToFloat(x), 2.2) * exp(float(x)); dst.data[i + 64u] = 7u;"
             " dst.data[i] = floatBitsToUint(mix(1.0, e, (i & 1u) != 0u)); }",
             "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    use_rare(&s, 0, 0, 0);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "select");
    /* The arithmetic went; the load stayed before the store. */
    const char *load = strstr(r.text, "OpLoad %uint"), *branch = strstr(r.text, "OpBranchConditional");
    assert_true(load && branch && load < branch);
    assert_true(strstr(r.text, "%uint_7") && strstr(r.text, "Pow") > branch);
    use_done(&r);
    use_free(&s);
}

static void keeps_loads_at_barriers(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             "#version 450\nlayout(local_size_x = 64) in;\nshared float mem[64];\n"
             "layout(std430, binding = 1) buffer Out { float data[]; } dst;\n"
             "void main() { uint i = gl_LocalInvocationIndex; mem[i] = float(i); barrier(); float x = "
             "mem[63u - i];"
             " float e = pow(x, 2.2) * exp(x) * sin(x); barrier(); mem[i] = 0.0;"
             " dst.data[i] = mix(1.0, e, (i & 1u) != 0u); }",
             "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    use_rare(&s, 0, 0, 0);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "select");
    const char *second = strstr(strstr(r.text, "OpControlBarrier") + 1, "OpControlBarrier");
    const char *load = strstr(strstr(r.text, "OpControlBarrier"), "OpLoad %float");
    assert_true(load && second && load < second);
    use_done(&r);
    use_free(&s);
}

static void refuses_volatile_loads(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             "#version 450\nlayout(local_size_x = 64) in;\n"
             "layout(std430, binding = 0) volatile readonly buffer In { float data[]; } src;\n"
             "layout(std430, binding = 1) buffer Out { float data[]; } dst;\n"
             "void main() { uint i = gl_GlobalInvocationID.x; float x = src.data[i];"
             " float e = pow(x, 2.2) * exp(x) * sin(x); dst.data[i] = mix(1.0, e, (i & 1u) != 0u); }",
             "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    use_rare(&s, 0, 0, 0);
    use_run(&r, &s, NULL, true);
    const char *load = strstr(r.text, "Volatile"), *branch = strstr(r.text, "OpBranchConditional");
    assert_non_null(branch);
    load = strstr(r.text, "OpLoad %float");
    assert_true(load && load < branch);
    use_done(&r);
    use_free(&s);
}

static void refuses_cheap_sides(void **state)
{
    (void)state;
    refuses(USE_COMPUTE_HEAD,
            "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i);"
            " dst.data[i] = floatBitsToUint(mix(x, x * 2.0 + 1.0, (i & 64u) != 0u)); }",
            "comp", SpvExecutionModelGLCompute, "costs 2, less than 24");
}

/* Work the other side needs too stays; alone it is not enough. */
static void keeps_shared_work(void **state)
{
    (void)state;
    refuses(USE_COMPUTE_HEAD,
            "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i);"
            " float e = pow(x, 3.0) * sin(x) * exp(x); "
            " dst.data[i] = floatBitsToUint(mix(x, e + 1.0, (i & 64u) != 0u)); dst.data[i + 1u] = uint(e); }",
            "comp", SpvExecutionModelGLCompute, "costs 1, less than 24");
}

static void joins_selects_of_one_condition(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(
        &s,
        USE_COMPUTE_HEAD
        "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i); bool rare = (i & 64u) != 0u;"
        " float e = pow(x, 3.0) * sin(x); float g = exp(x) * cos(e);"
        " float a = mix(x, e, rare); float b = mix(x + 1.0, g, rare);"
        " dst.data[i] = floatBitsToUint(a) ^ floatBitsToUint(b); }",
        "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    assert_int_equal(s.weights.select_count, 2);
    use_rare(&s, 0, 2, 0);
    use_rare(&s, 1, 2, 0);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "2 selects");
    assert_int_equal(use_occurrences(&r, "OpSelectionMerge"), 1);
    assert_int_equal(use_occurrences(&r, "OpPhi"), 2);
    use_done(&r);
    use_free(&s);
}

/* The second select's rare side alone needs the first one: that goes into the branch, and is none of its
 * phis. */
static void sinks_a_select_that_another_needs(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(
        &s,
        USE_COMPUTE_HEAD
        "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i); bool rare = (i & 64u) != 0u;"
        " float a = mix(x, x * 3.0, rare); float g = pow(a, 3.0) * sin(a) * exp(a);"
        " dst.data[i] = floatBitsToUint(mix(x + 1.0, g, rare)); }",
        "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    assert_int_equal(s.weights.select_count, 2);
    use_rare(&s, 0, 2, 0);
    use_rare(&s, 1, 2, 0);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "1 select ");
    assert_int_equal(use_occurrences(&r, "OpPhi"), 1);
    const char *branch = strstr(r.text, "OpBranchConditional");
    assert_non_null(branch);
    assert_true(strstr(r.text, "OpSelect ") > branch);
    use_done(&r);
    use_free(&s);
}

/* In a loop's body: split; the back edge's phis follow. */
static void works_in_loop_bodies(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(
        &s,
        USE_COMPUTE_HEAD
        "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i);"
        " for (int k = 0; k < params.n; k++) {"
        "  float e = pow(x, 3.0) * sin(x) * exp(x); x = mix(x + 1.0, e, x > 100.0); if (x > 1e6) break; }"
        " dst.data[i] = floatBitsToUint(x); }",
        "comp", SpvExecutionModelGLCompute);
    s.trips[0] = 5;
    use_profile(&s);
    use_rare(&s, 0, 4, 0);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "select");
    use_done(&r);
    use_free(&s);
}

static const char LOOP_HEADER_SELECT[] =
    "OpCapability Shader\n%1 = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n"
    "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n"
    "OpDecorate %buf DescriptorSet 0\nOpDecorate %buf Binding 1\nOpDecorate %struct Block\n"
    "OpMemberDecorate %struct 0 Offset 0\n"
    "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n%bool = OpTypeBool\n"
    "%int = OpTypeInt 32 1\n%i0 = OpConstant %int 0\n%i1 = OpConstant %int 1\n%i9 = OpConstant %int 9\n"
    "%f1 = OpConstant %float 1\n%f50 = OpConstant %float 50\n"
    "%struct = OpTypeStruct %float\n%ptr = OpTypePointer StorageBuffer %struct\n"
    "%pf = OpTypePointer StorageBuffer %float\n%buf = OpVariable %ptr StorageBuffer\n"
    "%main = OpFunction %void None %fn\n%entry = OpLabel\nOpBranch %header\n"
    "%header = OpLabel\n%i = OpPhi %int %i0 %entry %next %cont\n%x = OpPhi %float %f1 %entry %y %cont\n"
    "%a = OpExtInst %float %1 Pow %x %f50\n%b = OpExtInst %float %1 Sin %a\n%c = OpExtInst %float %1 Exp %b\n"
    "%big = OpFOrdGreaterThan %bool %x %f50\n"
    "%y = OpSelect %float %big %c %f1\n"
    "%again = OpSLessThan %bool %i %i9\n"
    "OpLoopMerge %merge %cont None\nOpBranchConditional %again %cont %merge\n"
    "%cont = OpLabel\n%next = OpIAdd %int %i %i1\n%SELECT OpBranch %header\n"
    "%merge = OpLabel\n%p = OpAccessChain %pf %buf %i0\nOpStore %p %y\nOpReturn\nOpFunctionEnd\n";

static void refuses_loop_headers(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    char text[sizeof LOOP_HEADER_SELECT];
    strcpy(text, LOOP_HEADER_SELECT);
    memset(strstr(text, "%SELECT"), ' ', 7);
    use_text(&s, text, SpvExecutionModelGLCompute);
    s.trips[0] = 9;
    use_profile(&s);
    use_rare(&s, 0, 1, 0);
    use_run(&r, &s, NULL, false);
    use_expect(&r, WPG_REMARK_REFUSED, "unflatten", "it is in a loop header");
    use_done(&r);
    use_free(&s);
}

static void refuses_continue_constructs(void **state)
{
    (void)state;
    refuses(USE_COMPUTE_HEAD,
            "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i);"
            " for (int k = 0; k < 5; k++, x = mix(x + 1.0, pow(x, 3.0) * sin(x) * exp(x), x > 100.0)) {"
            "  dst.data[i + k] = uint(x); }"
            " dst.data[i] = floatBitsToUint(x); }",
            "comp", SpvExecutionModelGLCompute, "it is in a continue construct");
}

static void keeps_decorations(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             USE_COMPUTE_HEAD "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i);"
                              " precise float e = x * x + 3.0 * sin(x) * exp(x) + pow(x, 1.1);"
                              " dst.data[i] = floatBitsToUint(mix(x, e, (i & 64u) != 0u)); }",
             "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    use_rare(&s, 0, 0, 0);
    use_run(&r, &s, NULL, true);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "select");
    assert_true(use_occurrences(&r, "NoContraction") >= 4);
    use_done(&r);
    use_free(&s);
}

/* A value of the split block comes by a phi into a later one: from the block's second half now. */
static void moves_phis_of_successors(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_glsl(&s,
             USE_COMPUTE_HEAD "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i);"
                              " float e = mix(x, pow(x, 3.0) * sin(x) * exp(x), (i & 64u) != 0u);"
                              " if (src.data[i] == 7u) { e = e * 2.0 + 1.0; dst.data[i + 1u] = 5u; } "
                              "dst.data[i] = floatBitsToUint(e); }",
             "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    use_rare(&s, 0, 1, 0);
    use_run(&r, &s, NULL, true); /* validates */
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "1 select");
    assert_int_equal(use_occurrences(&r, "OpPhi"), 2);
    use_done(&r);
    use_free(&s);
}

static void keeps_samples_with_their_sampled_image(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    use_golden(&s, "shared_sampled_image.spvasm");
    use_profile(&s);
    use_rare(&s, 0, 1, 0);
    use_run(&r, &s, NULL, false);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "1 select");
    const char *branch = strstr(r.text, "OpBranchConditional"), *last = r.text;
    for (const char *at = r.text; (at = strstr(at + 1, "OpImageSampleExplicitLod")) != NULL;)
        last = at;
    assert_true(last < branch && strstr(r.text, "Pow") > branch);
    use_done(&r);
    use_free(&s);
}

/* glslang makes the sampled image before the coordinates. A branch between would part it from its use. */
static void refuses_between_sampled_image_and_sample(void **state)
{
    (void)state;
    refuses("#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 2) uniform texture2D t;\n"
            "layout(binding = 3) uniform sampler s;\nlayout(std430, binding = 1) buffer Out { vec4 data[]; } "
            "dst;\n",
            "void main() { uint i = gl_GlobalInvocationID.x; float x = float(i); dst.data[i] = "
            "textureLod(sampler2D("
            "t, s), vec2(mix(x, exp(x) * pow(x, 2.2) * sin(x), (i & 64u) != 0u), 0.5), 0.0); }",
            "comp", SpvExecutionModelGLCompute, "the branch would part a sampled image from its use");
}

static void can_be_left_out(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    strcpy(options.passes, "u");
    use_golden(&s, "select_rare.comp");
    use_profile(&s);
    use_rare(&s, 0, 3, 0);
    use_run(&r, &s, &options, true);
    assert_false(use_said(&r, WPG_REMARK_DONE, "unflatten", ""));
    assert_false(r.changed);
    assert_int_equal(r.count, s.count);
    assert_memory_equal(r.words, s.words, r.count * sizeof(uint32_t));
    use_done(&r);
    use_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_a_branch),
        cmocka_unit_test(is_deterministic),
        cmocka_unit_test(leaves_common_sides),
        cmocka_unit_test(counts_waves_not_lanes),
        cmocka_unit_test(refuses_implicit_lod),
        cmocka_unit_test(refuses_derivatives),
        cmocka_unit_test(refuses_operands_of_derivatives),
        cmocka_unit_test(allows_explicit_lod),
        cmocka_unit_test(refuses_subgroup_operations),
        cmocka_unit_test(refuses_position),
        cmocka_unit_test(refuses_depth_and_sample_mask),
        cmocka_unit_test(allows_other_outputs),
        cmocka_unit_test(refuses_to_split_exact_arithmetic),
        cmocka_unit_test(refuses_stores_in_between),
        cmocka_unit_test(keeps_loads_at_barriers),
        cmocka_unit_test(refuses_volatile_loads),
        cmocka_unit_test(refuses_cheap_sides),
        cmocka_unit_test(keeps_shared_work),
        cmocka_unit_test(joins_selects_of_one_condition),
        cmocka_unit_test(sinks_a_select_that_another_needs),
        cmocka_unit_test(works_in_loop_bodies),
        cmocka_unit_test(refuses_loop_headers),
        cmocka_unit_test(refuses_continue_constructs),
        cmocka_unit_test(keeps_decorations),
        cmocka_unit_test(moves_phis_of_successors),
        cmocka_unit_test(keeps_samples_with_their_sampled_image),
        cmocka_unit_test(refuses_between_sampled_image_and_sample),
        cmocka_unit_test(can_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
