/* Floats that are the same number everywhere, against arithmetic done here in double precision; and what must
 * not be folded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <spirv/unified1/GLSL.std.450.h>
#include <string.h>

#include "compiler/spirv/const_float.h"

static uint64_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static const float numbers[] = {0.0F,  1.0F,   -1.0F, 0.25F,  0.75F,      -0.75F,       1.5F,   2.5F,  -2.5F,
                                3.99F, -3.99F, 22.0F, 1e9F,   -1e9F,      2147483520.F, 4.2e9F, 1e20F, -1e20F,
                                0.1F,  -0.1F,  1e-6F, -1e-6F, 8388609.0F, 4194304.5F,   2e-38F, 2.0F,  0.5F};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* What the function gives, computed in double precision. */
static double reference(uint32_t function, double x)
{
    switch (function) {
    case GLSLstd450Trunc:
        return trunc(x);
    case GLSLstd450Floor:
    case GLSLstd450Fract:
        return function == GLSLstd450Floor ? floor(x) : x - floor(x);
    case GLSLstd450Ceil:
        return ceil(x);
    case GLSLstd450FAbs:
        return fabs(x);
    case GLSLstd450FSign:
        return x > 0 ? 1 : x < 0 ? -1 : 0;
    default:
        return floor(x + 0.5);
    }
}

static void functions_of_one_number(void **state)
{
    (void)state;
    static const uint32_t functions[] = {GLSLstd450Trunc, GLSLstd450Floor,    GLSLstd450Fract,
                                         GLSLstd450Ceil,  GLSLstd450FAbs,     GLSLstd450FSign,
                                         GLSLstd450Round, GLSLstd450RoundEven};
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (size_t i = 0; i < NUMBERS; i++) {
            const uint64_t in = bits_of(numbers[i]);
            const double expected = reference(functions[f], (double)numbers[i]);
            const bool half = fabs((double)numbers[i] - trunc((double)numbers[i])) == 0.5;
            uint64_t out;
            const bool folded = wpg_fold_exact_float(&out, SpvOpExtInst, functions[f], &in, 1);
            if (functions[f] == GLSLstd450Round && half) {
                assert_false(folded); /* up or to the even one: the driver's choice */
            } else if (functions[f] == GLSLstd450RoundEven && half) {
                assert_true(folded);
                assert_true(fmod((double)float_of(out), 2) == 0);
                assert_true(fabs((double)float_of(out) - (double)numbers[i]) == 0.5);
            } else if (functions[f] == GLSLstd450Fract && (double)(float)expected != expected) {
                assert_false(folded); /* rounded */
            } else {
                assert_true(folded);
                assert_true((double)float_of(out) == expected);
            }
        }
}

static void steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUMBERS; i++)
        for (size_t k = 0; k < NUMBERS; k++) {
            const uint64_t in[2] = {bits_of(numbers[i]), bits_of(numbers[k])};
            uint64_t out;
            assert_true(wpg_fold_exact_float(&out, SpvOpExtInst, GLSLstd450Step, in, 2));
            assert_int_equal(out, bits_of(numbers[k] < numbers[i] ? 0.0F : 1.0F));
        }
}

static void integers(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUMBERS; i++) {
        const double whole = trunc((double)numbers[i]);
        uint64_t out;
        const bool fits = whole >= -2147483648.0 && whole <= 2147483647.0;
        assert_int_equal(wpg_fold_float_to_int(&out, SpvOpConvertFToS, bits_of(numbers[i])), fits);
        if (fits)
            assert_int_equal(out, (uint32_t)(int32_t)whole);
        const bool natural = whole >= 0 && whole <= 4294967295.0;
        assert_int_equal(wpg_fold_float_to_int(&out, SpvOpConvertFToU, bits_of(numbers[i])), natural);
        if (natural)
            assert_int_equal(out, (uint32_t)whole);
    }
}

static void what_is_the_drivers(void **state)
{
    (void)state;
    static const uint32_t odd[] = {0x7fc00000, 0x7f800000, 0xff800000, 1, 0x807fffff};
    uint64_t out;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        const uint64_t in = odd[i];
        assert_false(wpg_fold_exact_float(&out, SpvOpExtInst, GLSLstd450Floor, &in, 1));
        assert_false(wpg_fold_float_to_int(&out, SpvOpConvertFToS, in));
        assert_false(wpg_fold_float_to_int(&out, SpvOpConvertFToU, in));
    }
    const uint64_t one = bits_of(1.0F),
                   quotients[3][2] = {{0, bits_of(1024.0F)}, {one, bits_of(4.0F)}, {0, 0}};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(wpg_fold_exact_float(&out, SpvOpFDiv, 0, quotients[i], 2), i == 0);
    assert_false(wpg_fold_exact_float(&out, SpvOpExtInst, GLSLstd450Sin, &one, 1));
    assert_false(wpg_fold_exact_float(&out, SpvOpExtInst, GLSLstd450Sqrt, &one, 1));
    assert_false(wpg_fold_float_to_int(&out, SpvOpConvertSToF, one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_number),
        cmocka_unit_test(steps),
        cmocka_unit_test(integers),
        cmocka_unit_test(what_is_the_drivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
