/* What passes are said to save, by the counts: un-flatten and push constants, and that nobody pays for it who
 * does not ask. */
#include "tests/unit/compiler/optimize/use.h"

static double saved_by(const use_result *r, const char *pass)
{
    double saved = -1;
    for (uint32_t i = 0; i < r->remarks->saving_count; i++)
        if (strcmp(r->remarks->savings[i].pass, pass) == 0)
            saved = r->remarks->savings[i].share;
    return saved;
}

static void between(double value, double low, double high)
{
    if (!(value >= low && value <= high))
        fail_msg("%.3f is not between %.3f and %.3f", value, low, high);
}

/* The dear side of a select is needed by so many of 128 waves. */
static double unflattened(uint64_t waves, bool measure)
{
    use_shader s;
    use_result r;
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    options.measure = measure;
    use_golden(&s, "select_rare.comp");
    use_profile(&s);
    use_rare(&s, 0, waves, 0);
    use_run(&r, &s, &options, true);
    use_expect(&r, WPG_REMARK_DONE, "unflatten", "waves need it");
    const double saved = saved_by(&r, "unflatten");
    use_done(&r);
    use_free(&s);
    return saved;
}

static void a_rare_side(void **state)
{
    (void)state;
    const double never = unflattened(0, true), some = unflattened(12, true);
    between(never, 0.3, 1);
    between(some, 0.2, never - 0.01);
    assert_true(unflattened(3, false) < 0);
}

static double folded(const char *body, bool known)
{
    use_shader s;
    use_result r;
    char source[1024];
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    const wpg_push_value value = {0, 0};
    options.measure = true;
    options.pushes = &value;
    options.push_count = known;
    (void)snprintf(source, sizeof source,
                   "#version 450\nlayout(local_size_x = 64) in;\n"
                   "layout(push_constant) uniform P { uint kind; } p;\n"
                   "layout(std430, binding = 0) buffer B { uint x[]; } b;\n"
                   "void main() { uint i = gl_GlobalInvocationID.x, h = b.x[i]; %s b.x[i] = h; }\n",
                   body);
    use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
    use_normalize(&s);
    use_profile(&s);
    use_run(&r, &s, &options, true);
    const double saved = saved_by(&r, "push-fold");
    use_done(&r);
    use_free(&s);
    return saved;
}

static void push_constants(void **state)
{
    (void)state;
    static const char divides[] = "h = h / (p.kind + 7u); h ^= h >> 3; h = h % (p.kind + 5u);",
                      decides[] = "if (p.kind > 3u) h *= 3u; h = h * h + (h >> 9);";
    between(folded(divides, true), 0.2, 0.9);
    between(folded(decides, true), 0.02, 0.6);
    assert_true(folded(decides, false) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rare_side), cmocka_unit_test(push_constants)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
