/* Value sites: which values are asked, about what, where; the caps; that code placed there keeps sampled
 * images with their uses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compiler/analysis/values/value_sites.h"
#include "tests/support/assemble.h"

typedef struct subject {
    uint32_t *words;
    wpg_module *module;
    wpg_cfg *cfg;
    wpg_value_site *sites;
    uint32_t count;
} subject;

static void make(subject *s, const char *source, const char *stage, const char *target)
{
    size_t count;
    wpg_error err = {0};
    wpg_divergence *d;
    if (!assemble_glsl(&s->words, &count, source, stage, target))
        skip();
    if (wpg_module_parse(&s->module, s->words, count, &err) != WPG_OK ||
        wpg_cfg_create(&s->cfg, s->module, wpg_next_function(s->module->first), &err) != WPG_OK)
        fail_msg("%s", err.message);
    assert_int_equal(wpg_divergence_compute(&d, s->cfg, &s->cfg->arena), WPG_OK);
    assert_int_equal(wpg_value_sites(&s->sites, &s->count, s->cfg, d, &s->cfg->arena), WPG_OK);
}

static void drop(subject *s)
{
    wpg_cfg_destroy(s->cfg);
    wpg_module_destroy(s->module);
    free(s->words);
}

/* "bound uint uv@3 ...": kind, type, asked about uniformity (u), values (v), block, r if it is loaded again.
 */
static void expect(const subject *s, const char *list)
{
    static const char *const kinds[] = {"index",  "descriptor", "address", "bound",
                                        "switch", "condition",  "argument"};
    static const char *const types[] = {"bool", "uint", "sint", "float", "wide"};
    char text[2048] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const wpg_value_site *site = &s->sites[i];
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%s%s %s %s%s@%u%s", i ? ", " : "",
                             kinds[site->kind], types[site->type], site->ask & WPG_ASK_UNIFORMITY ? "u" : "",
                             site->ask & WPG_ASK_VALUES ? "v" : "", site->block, site->reload ? " r" : "");
    }
    assert_string_equal(text, list);
}

#define HEAD                                                                                                 \
    "#version 450\n"                                                                                         \
    "layout(local_size_x = 64) in;\n"                                                                        \
    "layout(push_constant) uniform P { uint n; int mode; float scale; };\n"                                  \
    "layout(binding = 0) uniform U { uint u[4]; };\n"                                                        \
    "layout(binding = 1) readonly buffer R { uint r[]; };\n"                                                 \
    "layout(binding = 2) buffer W { uint w[]; };\n"                                                          \
    "void main() {\n uint lane = gl_LocalInvocationID.x;\n"

static void test_indices(void **state)
{
    (void)state;
    subject s;
    /* By lane: uniformity. By a push constant: values. By the workgroup, by a constant: nothing. */
    make(&s, HEAD " w[lane] = 1u; w[n] = 2u; w[gl_WorkGroupID.x] = 3u; w[7] = 4u; w[lane] = u[2]; }\n",
         "comp", "vulkan1.1");
    expect(&s, "index uint u@0, index uint v@0");
    drop(&s);
}

static void test_loops(void **state)
{
    (void)state;
    subject s;
    /* Bounds are asked where the loop is entered; what is computed in the loop is asked there. */
    make(&s,
         HEAD " for (uint i = 0u; i < n; i++) w[7] += i;\n"
              " uint m = r[lane];\n"
              " for (uint i = 0u; i < m; i++) w[8] += i;\n"
              " for (uint i = 0u; i < n * 2u; i++) w[9] += i;\n"
              " for (uint i = 0u; i < 5u; i++) w[10] += i; }\n",
         "comp", "vulkan1.1");
    expect(&s, "bound uint v@0 r, index uint u@5, bound uint uv@5 r, bound uint v@12");
    drop(&s);
}

static void test_control(void **state)
{
    (void)state;
    subject s;
    make(&s,
         HEAD " switch (mode) { case 0: w[1] = 1u; break; case 1: w[2] = 1u; break; default: break; }\n"
              " switch (lane & 3u) { case 0u: w[3] = 1u; break; default: break; }\n"
              " if (scale > 0.5) w[4] = 1u;\n"
              " if (scale > 0.7) w[5] = 1u;\n"
              " if (lane > 3u) w[6] = 1u;\n"
              " if (lane > n) w[7] = 1u; }\n",
         "comp", "vulkan1.1");
    expect(
        &s,
        "switch sint v@0, switch uint uv@4, condition float v@7, condition float v@9, condition uint v@13");
    drop(&s);
}

static void test_descriptors_and_addresses(void **state)
{
    (void)state;
    subject s;
    make(&s,
         "#version 460\n#extension GL_EXT_nonuniform_qualifier : require\n"
         "#extension GL_EXT_buffer_reference : require\n"
         "layout(buffer_reference, std430) buffer B { uint x; };\n"
         "layout(push_constant) uniform P { B table; uint which; };\n"
         "layout(binding = 1) uniform sampler2D t[8];\n"
         "layout(binding = 2) buffer L { B list[]; };\n"
         "layout(location = 0) in vec2 uv; layout(location = 1) flat in int id;\n"
         "layout(location = 0) out vec4 color;\n"
         "void main() { color = texture(t[nonuniformEXT(id)], uv) + texture(t[which], uv);\n"
         " color.x += float(table.x); color.y += float(list[id].x); }\n",
         "frag", "vulkan1.2");
    expect(&s, "descriptor sint u@0, descriptor uint v@0, index sint u@0, address wide u@0");
    drop(&s);
}

/* Code between an OpSampledImage and its use would part them. */
static void test_samples_stay_together(void **state)
{
    (void)state;
    subject s;
    make(&s,
         "#version 450\n"
         "layout(binding = 0) uniform texture2D t; layout(binding = 1) uniform sampler p;\n"
         "layout(binding = 2) readonly buffer R { vec2 r[]; };\n"
         "layout(location = 0) flat in int id; layout(location = 0) out vec4 color;\n"
         "void main() { color = texture(sampler2D(t, p), r[id]); }\n",
         "frag", "vulkan1.1");
    assert_int_equal(s.count, 1);
    /* The index is loaded between the two: asked behind the sample. */
    bool sampled = false;
    for (const wpg_inst *inst = s.cfg->blocks[0].label; inst != s.sites[0].before; inst = inst->next)
        sampled |= inst->opcode == SpvOpImageSampleImplicitLod;
    assert_true(sampled);
    drop(&s);
}

static void test_caps(void **state)
{
    (void)state;
    char source[65536];
    size_t at = (size_t)snprintf(source, sizeof source, "%s", HEAD);
    for (int i = 0; i < 100; i++)
        at += (size_t)snprintf(source + at, sizeof source - at, "w[lane * %du] = u[n + %du];\n", i + 3, i);
    (void)snprintf(source + at, sizeof source - at, "}\n");
    subject s;
    make(&s, source, "comp", "vulkan1.1");
    assert_int_equal(s.count, WPG_MOST_UNIFORMITY_SITES + WPG_MOST_VALUE_SITES);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_descriptors_and_addresses),
        cmocka_unit_test(test_samples_stay_together),
        cmocka_unit_test(test_caps),
    };
    return cmocka_run_group_tests_name("value sites", tests, NULL, NULL);
}
