/* Loops that fold, told while variables stand in memory: the same loops as in SSA form. None that runs long,
 * leaves by a uniform, or rounds nothing of constants. */
#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/facts/foreseen.h"
#include "tests/unit/compiler/optimize/use.h"

#define HEAD                                                                                                 \
    "#version 450\nlayout(local_size_x = 64) in;\n"                                                          \
    "layout(std430, binding = 1) buffer Out { float data[]; } dst;\n"                                        \
    "layout(std140, binding = 2) uniform P { int n; float f; } p;\n"                                         \
    "void main() { uint at = gl_GlobalInvocationID.x; float x = dst.data[at];\n"
#define END " dst.data[at] = x; }"

typedef const uint32_t *(*find)(const wpg_view *view, wpg_arena *arena);

static const uint32_t *foresee(const wpg_view *view, wpg_arena *arena)
{
    return wpg_loops_foreseen_to_fold(view->module, view->cfg, arena);
}

static uint32_t count(const use_shader *s, find loops_of)
{
    wpg_module *module = NULL;
    wpg_view *view = use_view(&module, s);
    wpg_arena arena;
    wpg_arena_init(&arena);
    const uint32_t *ids = loops_of(view, &arena);
    assert_non_null(ids);
    uint32_t loops = 0;
    for (uint32_t c = 0; c < view->cfg->construct_count; c++) {
        assert_true(!ids[c] || view->cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP);
        assert_true(!ids[c] || (wpg_inst_traits(module, wpg_module_def(module, ids[c])) & WPG_TRAIT_FLOAT));
        loops += ids[c] != 0;
    }
    wpg_arena_finish(&arena);
    wpg_view_destroy(view);
    wpg_module_destroy(module);
    return loops;
}

/* Of the module in SSA form, by SPIRV-Tools. */
static uint32_t count_of_values(const use_shader *s)
{
    use_shader values = *s;
    wpg_error err = {0};
    assert_int_equal(wpg_ssa_tier(&values.words, &values.count, s->words, s->count, &err), WPG_OK);
    const uint32_t loops = count(&values, wpg_loops_that_fold);
    free(values.words);
    return loops;
}

static void tells_as_values_do(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint32_t loops;
    } cases[] = {
        {"for (int i = 0; i < 8; i++) x += sin(float(i));", 1},
        {"for (int i = 8; i > 0; i -= 2) x += x / (float(i) / 3.0);", 1},
        {"int n = 4; n = int(5.5); for (int i = 0; i < n; i++) x += cos(float(i));", 1},
        {"float w = 0.5; for (int i = 0; i < 8; i++) { x *= sqrt(w); w = w * 2.0; }", 1},
        {"const float w[3] = float[](0.1, 0.2, 0.3); for (int i = 0; i < 3; i++) x += exp(w[i]);", 1},
        {"for (int j = 0; j < p.n; j++) for (int i = 0; i < 8; i++) x += sin(float(i));", 1},
        {"for (int j = 0; j < 2; j++) for (int i = 0; i < 8; i++) x += sin(float(i));", 2},
        {"for (int i = 0; i < 8; i++) { if (x > 9.0) break; x += sin(float(i)); }", 1},
        /* Nothing rounded of constants alone. */
        {"for (int i = 0; i < 8; i++) x += float(i);", 0},
        {"for (int i = 0; i < 8; i++) x = sin(x);", 0},
        /* Not counted. */
        {"for (int i = 0; i < p.n; i++) x += sin(float(i));", 0},
        {"for (int i = p.n; i < 8; i++) x += sin(float(i) * p.f);", 0},
        {"while (x < 9.0) x += sin(p.f);", 0},
        /* Too long for any driver. */
        {"for (int i = 0; i < 1000; i++) x += sin(float(i));", 0},
        {"for (int i = 1000; i > 0; i -= 2) x += sin(float(i));", 0},
        {"int n = 0; while (x < p.f) { if (++n > 500) break; x += sin(float(n)); }", 0},
        {"uint n = 0u; while (x < p.f) { if (++n > 5u) break; x += sin(float(n)); }", 1},
        /* Starts where the loop before it left. */
        {"int i = 0; for (; i < 9; i++) if (x * float(i) > p.f) break; for (; i < 9; i++) x += "
         "sin(float(i));",
         0},
        {"x = sin(x);", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        use_shader s;
        snprintf(text, sizeof text, HEAD "%s" END, cases[i].body);
        use_glsl(&s, text, "comp", SpvExecutionModelGLCompute);
        const uint32_t told = count(&s, foresee), are = count_of_values(&s);
        if (told != cases[i].loops || are != cases[i].loops)
            fail_msg("%s: %u loops foreseen, %u fold, not %u", cases[i].body, told, are, cases[i].loops);
        use_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tells_as_values_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
