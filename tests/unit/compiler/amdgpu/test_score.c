/* Assembly text against a profile. No LLVM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/amdgpu/score.h"

static unsigned scratch(const char *line, bool pal)
{
    return wpg_score_scratch(line, strlen(line), pal);
}

static void widths(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        unsigned hsa, pal;
    } lines[] = {
        {"\tscratch_load_b32 v1, off, off offset:4     ; 4-byte Folded Reload", 1, 1},
        {"\tscratch_store_b64 off, v[2:3], off", 2, 2},
        {"\tscratch_load_b96 v[1:3], off, off", 3, 3},
        {"\tscratch_store_b128 off, v[0:3], s32 offset:16", 4, 4},
        {"\tscratch_load_u8 v1, off, off", 1, 1},
        {"\tscratch_store_d16_hi_b16 off, v1, off", 1, 1},
        {"\tscratch_store_dwordx4 off, v[0:3], s0", 4, 4},
        {"\tscratch_load_dword v1, off, s0", 1, 1},
        {"\tbuffer_store_dword v0, off, s[4:7], 0 offset:4 ; 4-byte Folded Spill", 1, 1},
        {"\tbuffer_load_dword v0, v1, s[4:7], 0 offen", 1, 0},
        {"\tbuffer_load_dwordx2 v[0:1], v1, s[4:7], 0 offen", 2, 0},
        {"\tbuffer_gl0_inv", 0, 0},
        {"\tbuffer_wbl2 sc1", 0, 0},
        {"\tglobal_load_b128 v[0:3], v4, s[0:1]", 0, 0},
        {"\tds_load_b32 v1, v2", 0, 0},
        {"\ts_load_b64 s[0:1], s[2:3], 0x0", 0, 0},
        {"\tv_writelane_b32 v40, s30, 0", 0, 0},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_int_equal(scratch(lines[i].line, false), lines[i].hsa);
        assert_int_equal(scratch(lines[i].line, true), lines[i].pal);
    }
}

static const char text[] = "\t.text\n\tother_thing\n"
                           "main:                                   ; @main\n"
                           "; %bb.0:                                ; %wpg.0\n"
                           "\ts_load_b64 s[0:1], s[2:3], 0x0\n"
                           "\tscratch_store_b32 off, v1, off          ; 4-byte Folded Spill\n"
                           ".LBB0_1:                                ; %wpg.2\n"
                           "                                        ; =>This Inner Loop Header: Depth=1\n"
                           "\tscratch_load_b64 v[1:2], off, off\n"
                           "; %bb.2:                                ;   in Loop: Header=BB0_1 Depth=1\n"
                           "\tv_nop\n"
                           ".LBB0_3:                                ; %wpg.1\n"
                           "\ts_endpgm\n"
                           ".Lfunc_end0:\n"
                           "\tscratch_load_b128 v[1:4], off, off\n";

static void weighs(void **state)
{
    (void)state;
    wpg_code_score score;
    uint64_t waves[] = {2, 3, 100};
    char name[WPG_SCORE_NAME];
    wpg_score_name(name, 4294967295u);
    assert_string_equal(name, "wpg.4294967295");
    assert_true(wpg_score_assembly(&score, text, "main", false, waves, 3));
    assert_int_equal(score.scratch, 2 * 1 + 100 * 2);
    assert_int_equal(score.scratch_text, 3);
    assert_int_equal(score.instructions, 5);
    assert_int_equal(score.executed, 2 * 2 + 100 * 2 + 3);
    assert_int_equal(score.blocks, 4);
    assert_int_equal(score.foreign, 1);
    waves[2] = UINT64_MAX; /* saturates */
    assert_true(wpg_score_assembly(&score, text, "main", false, waves, 3));
    assert_true(score.scratch == UINT64_MAX && score.executed == UINT64_MAX);
    assert_false(wpg_score_assembly(&score, text, "main", false, waves, 2)); /* a block too many */
    assert_false(wpg_score_assembly(&score, text, "mai", false, waves, 3));
    assert_false(wpg_score_assembly(&score, "", "main", false, waves, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(widths), cmocka_unit_test(weighs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
