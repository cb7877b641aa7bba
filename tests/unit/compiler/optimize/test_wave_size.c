/* The choice of a wave size: from the fill of waves, within the device's limits, where the stage does not
 * care. */
#include "tests/unit/compiler/optimize/use.h"

#define LOOP USE_COMPUTE_HEAD "void main() { uint i = gl_GlobalInvocationID.x, v = src.data[i];\n"

static const char plain[] = LOOP "while (v > 3u) v /= 3u; dst.data[i] = v; }";

/* The shader after its first block is run by as many lanes of each wave as `percent` says. */
static void idle(use_shader *s, const char *source, unsigned percent)
{
    use_glsl(s, source, "comp", SpvExecutionModelGLCompute);
    use_profile(s);
    for (uint32_t b = 1; b < s->weights.block_count; b++) {
        s->lanes[b] = s->lanes[b] * percent / 100;
        if (percent != 100)
            s->uniform[b] = 0;
    }
}

static wpg_optimize_options choice(uint32_t smallest, uint32_t usual, uint32_t most, double fill)
{
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    options.wave =
        (wpg_wave_choice){.smallest = smallest, .usual = usual, .most_per_workgroup = most, .fill = fill};
    return options;
}

static uint32_t chosen(use_result *r, const use_shader *s, const wpg_optimize_options *options)
{
    use_run(r, s, options, true);
    return r->remarks->wave_size;
}

static void takes_smaller_waves(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    wpg_optimize_options options = choice(32, 64, 64, 0.5);
    idle(&s, plain, 25);
    assert_int_equal(chosen(&r, &s, &options), 32);
    use_expect(&r, WPG_REMARK_DONE, "wave-size", "waves of 32 instead of 64: waves of 8");
    use_done(&r);
    /* Another threshold. */
    options.wave.fill = 0.1;
    assert_int_equal(chosen(&r, &s, &options), 0);
    assert_false(use_said(&r, WPG_REMARK_DONE, "wave-size", ""));
    use_done(&r);
    /* Left out. */
    options = choice(32, 64, 64, 0.5);
    strcpy(options.passes, "w");
    assert_int_equal(chosen(&r, &s, &options), 0);
    use_done(&r);
    use_free(&s);
}

/* A fill that is exactly the threshold is not above it. Counted waves as large as the usual ones are
 * compared; larger ones are another device's. */
static void takes_the_threshold(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    wpg_optimize_options options = choice(32, 64, 64, 1);
    use_glsl(&s, plain, "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    for (uint32_t b = 0; b < s.weights.block_count; b++) {
        s.waves[b] = 4;
        s.lanes[b] = 64; /* waves of 16, full: the fill is 1 exactly */
        s.uniform[b] = 0;
    }
    assert_int_equal(chosen(&r, &s, &options), 32);
    use_expect(&r, WPG_REMARK_DONE, "wave-size", "waves of 16 were filled to 100 %");
    use_done(&r);
    options.wave.fill = 0.999;
    assert_int_equal(chosen(&r, &s, &options), 0);
    use_done(&r);
    options.wave.fill = 1;
    for (uint32_t b = 0; b < s.weights.block_count; b++)
        s.lanes[b] = 4 * 64; /* waves of 64, as usual */
    assert_int_equal(chosen(&r, &s, &options), 32);
    use_done(&r);
    for (uint32_t b = 0; b < s.weights.block_count; b++)
        s.lanes[b] = 4 * 64 + 1; /* counted where waves are larger */
    assert_int_equal(chosen(&r, &s, &options), 0);
    use_done(&r);
    use_free(&s);
}

static void leaves_full_waves(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    wpg_optimize_options options = choice(32, 64, 64, 0.5);
    idle(&s, plain, 100);
    assert_int_equal(chosen(&r, &s, &options), 0);
    use_done(&r);
    use_free(&s);
}

/* A block is judged by what it costs: idle lanes in many cheap instructions weigh less than full waves in a
 * few dear ones. */
static void weighs_blocks(void **state)
{
    (void)state;
#define CHEAP "v = v * 3u + 1u; v ^= 5u; v = v * 7u + 3u; v ^= 9u;"
    static const char dear_first[] = LOOP
        "float f = float(v);\n"
        "f = sin(f) + cos(f) + exp(f) + pow(f, 3.0) + tan(f) + log(f) + atan(f) + sinh(f);\n"
        "if (v > 3u) { " CHEAP CHEAP CHEAP CHEAP CHEAP CHEAP CHEAP CHEAP "} dst.data[i] = v + uint(f); }";
    use_shader s;
    use_result r;
    wpg_optimize_options options = choice(32, 64, 64, 0.5);
    use_glsl(&s, dear_first, "comp", SpvExecutionModelGLCompute);
    use_profile(&s);
    s.lanes[1] /= 8; /* the arm */
    s.uniform[1] = 0;
    assert_int_equal(chosen(&r, &s, &options), 0);
    use_done(&r);
    use_free(&s);
}

static void asks_nothing_of_what_is_not_there(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    idle(&s, plain, 25);
    wpg_optimize_options options = choice(64, 64, 64, 0.5); /* one size only */
    assert_int_equal(chosen(&r, &s, &options), 0);
    use_done(&r);
    options = choice(0, 0, 0, 0.5);
    assert_int_equal(chosen(&r, &s, &options), 0);
    use_done(&r);
    options = choice(32, 64, 64, 0.5);
    s.weights.waves = NULL; /* lanes only */
    assert_int_equal(chosen(&r, &s, &options), 0);
    use_done(&r);
    use_free(&s);
}

/* 64 invocations are two waves of 32. */
static void keeps_within_limits(void **state)
{
    (void)state;
    use_shader s;
    use_result r;
    idle(&s, plain, 25);
    wpg_optimize_options options = choice(32, 64, 1, 0.5);
    assert_int_equal(chosen(&r, &s, &options), 0);
    use_expect(&r, WPG_REMARK_REFUSED, "wave-size", "more waves than the device takes");
    use_done(&r);
    options.wave.most_per_workgroup = 2;
    assert_int_equal(chosen(&r, &s, &options), 32);
    use_done(&r);
    use_free(&s);
}

static void keeps_what_sees_its_waves(void **state)
{
    (void)state;
    static const char ballot[] =
        "#version 450\n#extension GL_KHR_shader_subgroup_vote : require\nlayout(local_size_x = 64) in;\n"
        "layout(std430, binding = 0) buffer B { uint b[]; };\n"
        "void main() { uint i = gl_GlobalInvocationID.x; while (b[i] > 3u) b[i] /= 3u;\n"
        "if (subgroupAny(b[i] == 2u)) b[i]++; }";
    use_shader s;
    use_result r;
    wpg_optimize_options options = choice(32, 64, 64, 0.5);
    idle(&s, ballot, 25);
    assert_int_equal(chosen(&r, &s, &options), 0);
    use_expect(&r, WPG_REMARK_REFUSED, "wave-size", "subgroup instruction");
    use_done(&r);
    use_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_smaller_waves),
        cmocka_unit_test(takes_the_threshold),
        cmocka_unit_test(leaves_full_waves),
        cmocka_unit_test(weighs_blocks),
        cmocka_unit_test(asks_nothing_of_what_is_not_there),
        cmocka_unit_test(keeps_within_limits),
        cmocka_unit_test(keeps_what_sees_its_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
