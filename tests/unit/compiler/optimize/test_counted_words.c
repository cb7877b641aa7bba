/* Versions for words that a loop's counter chooses among: what is put in place of the reads, and where none
 * is. */
#include "tests/unit/compiler/optimize/words.h"

#define HEAD                                                                                                 \
    "layout(local_size_x = 64) in;\n"                                                                        \
    "layout(std430, binding = 0) buffer Out { uint data[]; } dst;\n"                                         \
    "layout(std140, binding = 1) uniform P { uvec4 shape[4]; } p;\n"                                         \
    "void main() { uint x = gl_GlobalInvocationID.x;\n"
#define TAIL " dst.data[gl_GlobalInvocationID.x] = x; }"

static const uint32_t held[WORDS_MOST] = {7, 11, 13, 17, 19, 23}; /* in the order of sites */

static void compute(use_result *r, const char *body, uint64_t waves, const wpg_optimize_options *options)
{
    words_run(r, HEAD, body, "comp", SpvExecutionModelGLCompute, held, waves, options);
}

/* Two divisors: two comparisons with the index, and two choices that end in the load itself. */
static void chooses_divisors(void **state)
{
    (void)state;
    use_result r;
    compute(&r, "for (int i = 0; i < 2; i++) x = x / p.shape[i].y + x % p.shape[i].y;" TAIL, 1000, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 2 words of uniform blocks (shape[0].y, shape[1].y): ");
    assert_int_equal(use_occurrences(&r, "OpFunctionCall"), 2);
    assert_int_equal(use_occurrences(&r, "OpBitwiseXor"), 2);
    assert_true(use_occurrences(&r, "OpSelect %uint") >= 2);
    assert_true(use_occurrences(&r, " %uint_7") > 2 && use_occurrences(&r, " %uint_11") > 2);
    assert_int_equal(use_occurrences(&r, "OpUDiv"), 2);
    use_done(&r);
}

/* By an index and a component: their number together. */
static void chooses_components(void **state)
{
    (void)state;
    use_result r;
    compute(&r, "for (uint i = 6u; i < 10u; i++) x = x / p.shape[i >> 2][i & 3u] + i;" TAIL, 1000, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 4 words of uniform blocks (");
    for (uint32_t i = 0; i < 4; i++) {
        char choice[64];
        snprintf(choice, sizeof choice, " %%uint_%u %%", (unsigned)held[i]); /* and else another value */
        assert_int_equal(use_occurrences(&r, choice), 1);
        snprintf(choice, sizeof choice, " %%uint_%u\n", 6 + i); /* compared with its number */
        assert_true(use_occurrences(&r, choice) >= 1);
    }
    use_done(&r);
}

/* A word that is read by a constant index, too, is tested once. */
static void shares_words(void **state)
{
    (void)state;
    use_result r;
    compute(&r, "x /= p.shape[1].x; for (int i = 0; i < 3; i++) x = x / p.shape[i].x + 3u;" TAIL, 1000, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 3 words of uniform blocks (");
    assert_int_equal(use_occurrences(&r, "OpBitwiseXor"), 3);
    use_done(&r);
}

static void leaves(const char *body, uint64_t waves)
{
    use_result r;
    compute(&r, body, waves, NULL);
    if (use_occurrences(&r, "OpFunctionCall") || use_occurrences(&r, "OpSelect "))
        fail_msg("%s: changed", body);
    use_done(&r);
}

static void leaves_others(void **state)
{
    (void)state;
    leaves("for (int i = 0; i < 2; i++) x += p.shape[i].y;" TAIL, 1000);        /* decides nothing */
    leaves("for (int i = 0; i < 2; i++) x /= p.shape[x & 3u].y;" TAIL, 1000);   /* no counter */
    leaves("for (int i = 0; i < 2; i++) x = x / p.shape[i].y + 1u;" TAIL, 300); /* many values */
    leaves("for (uint i = 0u; i < x; i++) x = x / p.shape[i & 1u].y;" TAIL, 1000);
}

/* Floats that are made of them keep the load: which float it is, a driver may not know. */
static void leaves_floats(void **state)
{
    (void)state;
    use_result r;
    compute(
        &r,
        "for (int i = 0; i < 2; i++) x = x / p.shape[i].y + floatBitsToUint(sin(float(p.shape[i].y)));" TAIL,
        1000, NULL);
    use_expect(&r, WPG_REMARK_DONE, "versions", "for 2 words of uniform blocks (");
    assert_true(use_occurrences(&r, "OpSelect %uint") >= 2);
    assert_int_equal(use_occurrences(&r, "OpConvertUToF"), 2);
    for (const char *at = strstr(r.text, "OpConvertUToF"); at; at = strstr(at + 1, "OpConvertUToF")) {
        char made[32];
        const char *type = strchr(at, '%'), *id = type ? strchr(type + 1, '%') : NULL;
        assert_non_null(id);
        snprintf(made, sizeof made, "%.*s = OpLoad", (int)strcspn(id, " \n"), id);
        assert_non_null(strstr(r.text, made));
    }
    use_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_divisors), cmocka_unit_test(chooses_components),
        cmocka_unit_test(shares_words),     cmocka_unit_test(leaves_others),
        cmocka_unit_test(leaves_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
