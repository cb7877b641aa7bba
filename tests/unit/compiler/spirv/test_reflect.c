/* What a module asks of the pipeline around it (reflect.h): from GLSL whose layout is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compiler/spirv/reflect.h"
#include "tests/support/assemble.h"

static wpg_status reflect(wpg_reflection *r, const char *source, const char *stage, SpvExecutionModel model,
                          wpg_error *err)
{
    uint32_t *words;
    size_t count;
    wpg_module *module = NULL;
    const wpg_stage of = {.model = model, .entry = "main"};
    if (!assemble_glsl(&words, &count, source, stage, "vulkan1.2"))
        fail_msg("GLSL does not compile");
    assert_int_equal(wpg_module_parse(&module, words, count, err), WPG_OK);
    wpg_status status = wpg_reflect(r, module, &of, err);
    wpg_module_destroy(module);
    free(words);
    return status;
}

static const wpg_reflect_binding *binding(const wpg_reflection *r, uint32_t set, uint32_t number)
{
    for (uint32_t i = 0; i < r->binding_count; i++)
        if (r->bindings[i].set == set && r->bindings[i].binding == number)
            return &r->bindings[i];
    fail_msg("no binding %u of set %u", number, set);
    return NULL;
}

static void every_descriptor(void **state)
{
    (void)state;
    static const char source[] =
        "#version 460\n"
        "layout(local_size_x = 1) in;\n"
        "layout(set = 0, binding = 0) buffer A { uint a[]; };\n"
        "layout(set = 0, binding = 1) uniform B { uint b; } blocks[3];\n"
        "layout(set = 0, binding = 2) uniform sampler2D c[2][4];\n"
        "layout(set = 1, binding = 0) uniform texture2D d;\n"
        "layout(set = 1, binding = 1) uniform sampler e;\n"
        "layout(set = 1, binding = 2, r32ui) uniform uimage2D f;\n"
        "layout(set = 3, binding = 7) uniform samplerBuffer g;\n"
        "layout(set = 3, binding = 8, r32f) uniform imageBuffer h;\n"
        "void main() {\n"
        "  a[0] = blocks[1].b + uint(texture(c[1][2], vec2(0)).x) + uint(texture(sampler2D(d, e), "
        "vec2(0)).x)\n"
        "       + imageLoad(f, ivec2(0)).x + uint(texelFetch(g, 0).x) + uint(imageLoad(h, 0).x);\n"
        "}\n";
    static const struct {
        uint32_t set, binding, count;
        wpg_descriptor type;
    } expected[] = {
        {0, 0, 1, WPG_DESCRIPTOR_STORAGE_BUFFER},
        {0, 1, 3, WPG_DESCRIPTOR_UNIFORM_BUFFER},
        {0, 2, 8, WPG_DESCRIPTOR_COMBINED_IMAGE_SAMPLER},
        {1, 0, 1, WPG_DESCRIPTOR_SAMPLED_IMAGE},
        {1, 1, 1, WPG_DESCRIPTOR_SAMPLER},
        {1, 2, 1, WPG_DESCRIPTOR_STORAGE_IMAGE},
        {3, 7, 1, WPG_DESCRIPTOR_UNIFORM_TEXEL_BUFFER},
        {3, 8, 1, WPG_DESCRIPTOR_STORAGE_TEXEL_BUFFER},
    };
    wpg_reflection r;
    wpg_error err = {0};
    assert_int_equal(reflect(&r, source, "comp", SpvExecutionModelGLCompute, &err), WPG_OK);
    assert_int_equal(r.binding_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < r.binding_count; i++) {
        const wpg_reflect_binding *b = binding(&r, expected[i].set, expected[i].binding);
        assert_int_equal(b->type, expected[i].type);
        assert_int_equal(b->count, expected[i].count);
    }
    assert_int_equal(r.push_bytes, 0);
}

static void push_constants_to_their_end(void **state)
{
    (void)state;
    static const struct {
        const char *members;
        uint32_t bytes;
    } cases[] = {
        {"uint a;", 4},
        {"vec3 a; float b;", 16},
        {"layout(offset = 32) vec2 a;", 40},
        {"mat4 a; vec4 b;", 80},
        {"layout(row_major) mat3 a; uint b;", 52},
        {"vec4 a[4]; uint b[3];", 76},
        {"uint a; struct { uvec2 b; uint c[2]; } d;", 24},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char source[512];
        wpg_reflection r;
        wpg_error err = {0};
        snprintf(source, sizeof source,
                 "#version 450\nlayout(local_size_x = 1) in;\n"
                 "struct S { uvec2 b; uint c[2]; };\n"
                 "layout(push_constant, std430) uniform P { %s } p;\n"
                 "layout(set = 0, binding = 0) buffer A { uint o; };\nvoid main() { o = uint(%s); }\n",
                 i == 6 ? "uint a; S d;" : cases[i].members,
                 i == 6             ? "p.d.c[1]"
                 : i == 3 || i == 4 ? "p.a[0][0]"
                 : i == 5           ? "p.a[1].x"
                 : i == 0           ? "p.a"
                                    : "p.a.x");
        assert_int_equal(reflect(&r, source, "comp", SpvExecutionModelGLCompute, &err), WPG_OK);
        assert_int_equal(r.push_bytes, cases[i].bytes);
    }
}

static void what_goes_in_and_out(void **state)
{
    (void)state;
    wpg_reflection r;
    wpg_error err = {0};
    assert_int_equal(reflect(&r,
                             "#version 450\n"
                             "layout(location = 0) in vec3 a;\nlayout(location = 2) in uvec2 b[2];\n"
                             "layout(location = 5) in mat3 c;\nlayout(location = 9) in int d;\n"
                             "layout(location = 0) out vec4 o;\n"
                             "void main() { o = vec4(a, b[1].x) + vec4(c[2], d); gl_Position = o; }\n",
                             "vert", SpvExecutionModelVertex, &err),
                     WPG_OK);
    static const wpg_component inputs[] = {
        WPG_COMPONENT_FLOAT, WPG_COMPONENT_NONE,  WPG_COMPONENT_UINT,  WPG_COMPONENT_UINT, WPG_COMPONENT_NONE,
        WPG_COMPONENT_FLOAT, WPG_COMPONENT_FLOAT, WPG_COMPONENT_FLOAT, WPG_COMPONENT_NONE, WPG_COMPONENT_INT};
    for (size_t i = 0; i < WPG_REFLECT_LOCATIONS; i++) {
        assert_int_equal(r.inputs[i], i < 10 ? inputs[i] : WPG_COMPONENT_NONE);
        assert_int_equal(r.outputs[i], WPG_COMPONENT_NONE); /* of a fragment shader alone */
    }
    assert_int_equal(reflect(&r,
                             "#version 450\n"
                             "layout(location = 0) in vec3 a;\n"
                             "layout(location = 0) out vec4 o;\nlayout(location = 3) out ivec2 p;\n"
                             "layout(location = 4) out uint q;\n"
                             "void main() { o = vec4(a, 1); p = ivec2(a.xy); q = 7u; gl_FragDepth = a.z; }\n",
                             "frag", SpvExecutionModelFragment, &err),
                     WPG_OK);
    assert_int_equal(r.outputs[0], WPG_COMPONENT_FLOAT);
    assert_int_equal(r.outputs[3], WPG_COMPONENT_INT);
    assert_int_equal(r.outputs[4], WPG_COMPONENT_UINT);
    assert_int_equal(r.inputs[0], WPG_COMPONENT_NONE);
    assert_false(r.dual_source || r.multiview);
    assert_int_equal(reflect(&r,
                             "#version 450\n#extension GL_EXT_multiview : require\n"
                             "layout(location = 0, index = 0) out vec4 o;\n"
                             "layout(location = 0, index = 1) out vec4 p;\n"
                             "void main() { o = p = vec4(gl_ViewIndex); }\n",
                             "frag", SpvExecutionModelFragment, &err),
                     WPG_OK);
    assert_true(r.dual_source && r.multiview);
}

static void topology(void **state)
{
    (void)state;
    wpg_reflection r;
    wpg_error err = {0};
    assert_int_equal(reflect(&r,
                             "#version 450\nlayout(lines_adjacency) in;\n"
                             "layout(points, max_vertices = 1) out;\n"
                             "void main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); }\n",
                             "geom", SpvExecutionModelGeometry, &err),
                     WPG_OK);
    assert_int_equal(r.primitive, SpvExecutionModeInputLinesAdjacency);
    assert_int_equal(reflect(&r,
                             "#version 450\nlayout(vertices = 5) out;\n"
                             "void main() { gl_TessLevelOuter[0] = 1.0; }\n",
                             "tesc", SpvExecutionModelTessellationControl, &err),
                     WPG_OK);
    assert_int_equal(r.output_vertices, 5);
}

static void it_must_refuse(void **state)
{
    (void)state;
    wpg_reflection r;
    wpg_error err = {0};
    assert_int_equal(reflect(&r,
                             "#version 450\nlayout(location = 0) in dvec2 a;\n"
                             "void main() { gl_Position = vec4(a, 0, 1); }\n",
                             "vert", SpvExecutionModelVertex, &err),
                     WPG_E_UNSUPPORTED);
    assert_int_equal(reflect(&r,
                             "#version 450\nlayout(local_size_x = 1) in;\n"
                             "layout(set = 0, binding = 0) buffer A { uint a; };\n"
                             "layout(set = 0, binding = 0) uniform B { uint b; };\nvoid main() { a = b; }\n",
                             "comp", SpvExecutionModelGLCompute, &err),
                     WPG_E_UNSUPPORTED);
    assert_int_equal(reflect(&r, "#version 450\nlayout(local_size_x = 1) in;\nvoid main() { }\n", "comp",
                             SpvExecutionModelFragment, &err),
                     WPG_E_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_descriptor), cmocka_unit_test(push_constants_to_their_end),
        cmocka_unit_test(what_goes_in_and_out), cmocka_unit_test(topology), cmocka_unit_test(it_must_refuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
