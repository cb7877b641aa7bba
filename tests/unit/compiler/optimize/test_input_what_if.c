/* Inputs of fragment stages: which components are asked about, and what they would save as constants. */
#include "compiler/analysis/values/input_sites.h"
#include "tests/unit/compiler/optimize/use.h"

enum { ONE = 0x3f800000, ZERO = 0 };

static void start(use_shader *s, const char *source)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "#version 450\n%s", source);
    use_glsl(s, text, "frag", SpvExecutionModelFragment);
    use_normalize(s);
    use_profile(s);
}

/* -- Sites */

/* "0.1.2f* 1u": location of the variable, indices, type; * rounds. */
static void sites(const char *expected, const char *source)
{
    char text[400] = "";
    use_shader s;
    wpg_module *module = NULL;
    wpg_input_site *found;
    uint32_t count;
    wpg_arena arena;
    start(&s, source);
    wpg_view *view = use_view(&module, &s);
    wpg_arena_init(&arena);
    assert_int_equal(wpg_input_sites(&found, &count, view->cfg, &arena), WPG_OK);
    for (uint32_t i = 0; i < count; i++) {
        const wpg_inst *location =
            wpg_find_decoration(module, found[i].place.variable, SpvDecorationLocation);
        size_t length = strlen(text);
        length += (size_t)snprintf(text + length, sizeof text - length, "%s", i ? " " : "");
        length += location ? (size_t)snprintf(text + length, sizeof text - length, "%u", location->words[3])
                           : (size_t)snprintf(text + length, sizeof text - length, "block");
        for (uint32_t k = 0; k < found[i].place.count; k++)
            length += (size_t)snprintf(text + length, sizeof text - length, ".%u", found[i].place.indices[k]);
        (void)snprintf(text + length, sizeof text - length, "%c%s", "?uif"[found[i].type],
                       found[i].rounds ? "*" : "");
    }
    assert_string_equal(text, expected);
    wpg_arena_finish(&arena);
    wpg_view_destroy(view);
    wpg_module_destroy(module);
    use_free(&s);
}

static void which_components(void **state)
{
    (void)state;
    /* All of a vector; parts alone; flat ones and integers, which are not interpolated. */
    sites("0.0f* 0.1f* 0.2f* 0.3f*", "layout(location = 0) in vec4 a; layout(location = 0) out vec4 o;\n"
                                     "void main() { o = a; }");
    sites("0.1f* 0.2f*", "layout(location = 0) in vec4 a; layout(location = 0) out vec4 o;\n"
                         "void main() { o = a.yzyz; }");
    sites("3f 1u 2i", "layout(location = 3) flat in float a; layout(location = 1) flat in uint b;\n"
                      "layout(location = 2) flat in int c; layout(location = 0) out vec4 o;\n"
                      "void main() { o = vec4(a, float(b), float(c), 1.0); }");
    /* Members of blocks, elements of arrays; not built-ins, not by an index that is not constant. */
    sites("0.1.2f* 5.1f*", "layout(location = 0) in B { vec4 one; vec4 two; } b;\n"
                           "layout(location = 5) in float c[2]; layout(location = 0) out vec4 o;\n"
                           "void main() { o = vec4(b.two.z, c[1], gl_FragCoord.xy); }");
    sites("", "layout(location = 0) in float a[4]; layout(location = 0) out vec4 o;\n"
              "void main() { o = vec4(a[int(gl_FragCoord.x) & 3]); }");
}

/* -- What they would save */

#define HEAD                                                                                                 \
    "layout(location = 0) in vec4 a; layout(location = 1) in vec2 b; layout(location = 0) out vec4 o;\n"     \
    "layout(binding = 0) uniform sampler2D image;\n"                                                         \
    "vec4 dear(vec4 x) { return texture(image, x.xy) * sin(x.z) + exp(x) * cos(x.w); }\n"

/* The share that is saved if the input at site `site` had these bits. */
static double saved(const char *body, uint32_t site, uint32_t bits)
{
    char source[1024];
    double saving = -1;
    use_shader s;
    wpg_module *module;
    wpg_error err = {0};
    (void)snprintf(source, sizeof source, "%s%s", HEAD, body);
    start(&s, source);
    assert_int_equal(wpg_module_parse(&module, s.words, s.count, &err), WPG_OK);
    const wpg_weights weights = {.functions = &s.weights, .function_count = 1};
    const wpg_known_input known = {site, bits};
    if (wpg_inputs_what_if(&saving, module, &s.stage, &weights, &known, 1, wpg_ssa_tier, &err) != WPG_OK)
        fail_msg("%s: %s", body, err.message);
    wpg_module_destroy(module);
    use_free(&s);
    return saving;
}

static void between(double value, double low, double high)
{
    if (!(value >= low && value <= high))
        fail_msg("%.3f is not between %.3f and %.3f", value, low, high);
}

static void what_falls_away(void **state)
{
    (void)state;
    /* A branch that is decided, a product with 0, a mix; what such an input decides nothing of. */
    static const char branch[] = "void main() { vec4 v = a; if (b.x < 0.5) v = dear(v); o = v; }";
    static const char product[] = "void main() { o = a + dear(a) * b.x; }";
    static const char blend[] = "void main() { o = mix(dear(a), dear(a.wzyx), b.x); }";
    between(saved(branch, 4, ONE), 0.01, 0.3); /* what a branch skips did not run */
    between(saved(branch, 4, ZERO), 0.01, 0.3);
    between(saved(product, 4, ZERO), 0.7, 1);
    between(saved(product, 4, ONE), 0, 0.1);
    between(saved(blend, 4, ZERO), 0.3, 0.7);
    between(saved("void main() { o = vec4(b.x) + dear(a); }", 0, ONE), 0, 0.1);
}

static void refuses_a_site_that_is_not_there(void **state)
{
    (void)state;
    double saving;
    use_shader s;
    wpg_module *module;
    wpg_error err = {0};
    start(&s, HEAD "void main() { o = a; }");
    assert_int_equal(wpg_module_parse(&module, s.words, s.count, &err), WPG_OK);
    const wpg_weights weights = {.functions = &s.weights, .function_count = 1};
    const wpg_known_input known = {4, ONE};
    assert_int_equal(wpg_inputs_what_if(&saving, module, &s.stage, &weights, &known, 1, wpg_ssa_tier, &err),
                     WPG_E_MISMATCH);
    assert_true(saving < 0);
    wpg_module_destroy(module);
    use_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_components),
        cmocka_unit_test(what_falls_away),
        cmocka_unit_test(refuses_a_site_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
