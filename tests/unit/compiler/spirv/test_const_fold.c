/* The constant folder against arithmetic done here: all of eight bits, and the edges of other widths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/spirv/const_fold.h"

/* Eight bits, computed in int; false where SPIR-V defines no result. */
static bool reference8(int *out, SpvOp opcode, int a, int b)
{
    int sa = a < 128 ? a : a - 256, sb = b < 128 ? b : b - 256;
    switch (opcode) {
    case SpvOpIAdd:
        *out = a + b;
        return true;
    case SpvOpISub:
        *out = a - b;
        return true;
    case SpvOpIMul:
        *out = a * b;
        return true;
    case SpvOpUDiv:
        *out = b ? a / b : 0;
        return b;
    case SpvOpUMod:
        *out = b ? a % b : 0;
        return b;
    case SpvOpSDiv:
        *out = sb ? sa / sb : 0;
        return sb && !(sa == -128 && sb == -1);
    case SpvOpSRem:
        *out = sb ? sa % sb : 0;
        return sb && !(sa == -128 && sb == -1);
    case SpvOpSMod:
        *out = sb ? ((sa % sb) + sb) % sb : 0;
        return sb && !(sa == -128 && sb == -1);
    case SpvOpShiftLeftLogical:
        *out = b < 8 ? a << b : 0;
        return b < 8;
    case SpvOpShiftRightLogical:
        *out = b < 8 ? a >> b : 0;
        return b < 8;
    case SpvOpShiftRightArithmetic:
        *out = b < 8 ? sa >> b : 0;
        return b < 8;
    case SpvOpULessThan:
        *out = a < b;
        return true;
    case SpvOpSLessThan:
        *out = sa < sb;
        return true;
    case SpvOpSGreaterThanEqual:
        *out = sa >= sb;
        return true;
    case SpvOpUGreaterThan:
        *out = a > b;
        return true;
    case SpvOpIEqual:
        *out = a == b;
        return true;
    default:
        *out = a ^ b;
        return opcode == SpvOpBitwiseXor;
    }
}

static void test_folder(void **state)
{
    (void)state;
    static const SpvOp opcodes[] = {SpvOpIAdd,
                                    SpvOpISub,
                                    SpvOpIMul,
                                    SpvOpUDiv,
                                    SpvOpUMod,
                                    SpvOpSDiv,
                                    SpvOpSRem,
                                    SpvOpSMod,
                                    SpvOpShiftLeftLogical,
                                    SpvOpShiftRightLogical,
                                    SpvOpShiftRightArithmetic,
                                    SpvOpULessThan,
                                    SpvOpSLessThan,
                                    SpvOpSGreaterThanEqual,
                                    SpvOpUGreaterThan,
                                    SpvOpIEqual,
                                    SpvOpBitwiseXor};
    for (size_t k = 0; k < sizeof opcodes / sizeof *opcodes; k++)
        for (int a = 0; a < 256; a++)
            for (int b = 0; b < 256; b++) {
                bool compare = opcodes[k] >= SpvOpIEqual && opcodes[k] <= SpvOpSLessThanEqual;
                uint64_t got = 0, bits[2] = {(uint64_t)a, (uint64_t)b};
                uint32_t widths[2] = {8, 8};
                int want;
                bool defined = reference8(&want, opcodes[k], a, b);
                if (wpg_fold_scalar(&got, opcodes[k], compare ? 1 : 8, bits, widths, 2) != defined ||
                    (defined && got != (uint64_t)(uint8_t)want))
                    fail_msg("opcode %d of %d, %d: %llu, not %d", opcodes[k], a, b, (unsigned long long)got,
                             want);
            }
}

static void expect_fold(SpvOp opcode, uint32_t width, uint64_t a, uint32_t from, uint64_t want)
{
    uint64_t got = 0;
    assert_true(wpg_fold_scalar(&got, opcode, width, &a, &from, 1));
    assert_true(got == want);
}

static void test_folder_edges(void **state)
{
    (void)state;
    uint64_t least = UINT64_C(1) << 63, out = 0, pair[2] = {least, UINT64_MAX};
    uint32_t widths[3] = {64, 64, 64};
    assert_false(wpg_fold_scalar(&out, SpvOpSDiv, 64, pair, widths, 2));
    pair[1] = 2;
    assert_true(wpg_fold_scalar(&out, SpvOpSDiv, 64, pair, widths, 2));
    assert_true(out == UINT64_C(0xc000000000000000));
    pair[1] = 64;
    assert_false(wpg_fold_scalar(&out, SpvOpShiftLeftLogical, 64, pair, widths, 2));
    expect_fold(SpvOpSConvert, 64, 0x80, 8, UINT64_C(0xffffffffffffff80));
    expect_fold(SpvOpSConvert, 16, 0xffffff80, 32, 0xff80);
    expect_fold(SpvOpUConvert, 8, 0x1234, 16, 0x34);
    expect_fold(SpvOpSNegate, 16, 1, 16, 0xffff);
    expect_fold(SpvOpNot, 8, 0x0f, 8, 0xf0);
    expect_fold(SpvOpLogicalNot, 1, 1, 1, 0);
    uint64_t select[3] = {0, 5, 9};
    uint32_t mixed[3] = {1, 32, 32};
    assert_true(wpg_fold_scalar(&out, SpvOpSelect, 32, select, mixed, 3));
    assert_true(out == 9);
    assert_false(wpg_fold_scalar(&out, SpvOpFAdd, 32, pair, widths, 2));
    widths[0] = 0;
    assert_false(wpg_fold_scalar(&out, SpvOpIAdd, 32, pair, widths, 2));
}

/* Bit by bit. */
static void fields(void **state)
{
    (void)state;
    static const uint64_t some[] = {0, 0x80000001, 0xffffffff, 0x12345678, 0xdeadbeef};
    const uint32_t widths[3] = {32, 32, 32};
    for (size_t v = 0; v < sizeof some / sizeof *some; v++)
        for (uint64_t offset = 0; offset <= 33; offset++)
            for (uint64_t count = 0; count <= 33; count++) {
                const uint64_t in[3] = {some[v], offset, count};
                uint64_t plain = 0, extended, got;
                for (uint64_t b = 0; b < count && offset + b < 32; b++)
                    plain |= (some[v] >> (offset + b) & 1) << b;
                extended = plain;
                for (uint64_t b = count; count && count <= 32 && b < 32; b++)
                    extended |= (plain >> (count - 1) & 1) << b;
                const bool defined = offset + count <= 32;
                assert_int_equal(wpg_fold_scalar(&got, SpvOpBitFieldUExtract, 32, in, widths, 3), defined);
                assert_true(!defined || got == plain);
                assert_int_equal(wpg_fold_scalar(&got, SpvOpBitFieldSExtract, 32, in, widths, 3), defined);
                assert_true(!defined || got == extended);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_folder), cmocka_unit_test(test_folder_edges),
                                       cmocka_unit_test(fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
