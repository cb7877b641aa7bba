/* Assembly text against a profile. No LLVM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/amdgpu/llvm/machine.h"
#include "compiler/amdgpu/profile/score.h"

static unsigned scratch(const char *line, bool pal)
{
    return wpg_machine_scratch(line, strlen(line), pal);
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
                           "\ts_cbranch_execz .LBB0_4\n"
                           "; %bb.1:                                ; %wpg.2.preheader\n"
                           "\tv_nop\n"
                           "\ts_branch .LBB0_3\n"
                           ".LBB0_2:                                ;   in Loop: Header=BB0_3 Depth=1\n"
                           "\tscratch_store_b128 off, v[0:3], off\n"
                           ".LBB0_3:                                ; %wpg.2\n"
                           "                                        ; =>This Inner Loop Header: Depth=1\n"
                           "\tscratch_load_b64 v[1:2], off, off\n"
                           "\ts_cbranch_scc1 .LBB0_2\n"
                           ".LBB0_4:                                ; %wpg.1\n"
                           "\ts_endpgm\n"
                           ".Lfunc_end0:\n"
                           "\tscratch_load_b128 v[1:4], off, off\n";

static wpg_status score_of(wpg_code_score *score, const char *kernel, const uint64_t *waves, uint32_t count)
{
    return wpg_score_assembly(score, text, kernel, false, waves, count, NULL);
}

/* 7 waves, 100 trips in all. How many waves skip the loop is open; that 0 did would be a guess, so blocks 1
 * (of code generation) get at most what leads to it, block 2 what leads to it: 100. */
static void weighs(void **state)
{
    (void)state;
    wpg_code_score score;
    uint64_t waves[] = {7, 7, 100};
    char name[WPG_MACHINE_NAME];
    wpg_machine_name(name, 4294967295u);
    assert_string_equal(name, "wpg.4294967295");
    assert_int_equal(score_of(&score, "main", waves, 3), WPG_OK);
    assert_int_equal(score.scratch_text, 7);
    assert_int_equal(score.instructions, 9);
    assert_int_equal(score.blocks, 5);
    assert_int_equal(score.foreign, 2);
    assert_int_equal(score.guessed, 2);
    assert_int_equal(score.scratch, 7 * 1 + 100 * 4 + 100 * 2);
    assert_int_equal(score.executed, 7 * 3 + 7 * 2 + 100 + 100 * 2 + 7);
    waves[2] = UINT64_C(1) << 56; /* saturates nothing yet */
    assert_int_equal(score_of(&score, "main", waves, 3), WPG_OK);
    assert_int_equal(score_of(&score, "main", waves, 2), WPG_E_FORMAT); /* a block too many */
    assert_int_equal(score_of(&score, "mai", waves, 3), WPG_E_NOT_FOUND);
    assert_int_equal(score_of(&score, "", waves, 3), WPG_E_NOT_FOUND);
    assert_int_equal(wpg_score_assembly(&score, "k:\n\ts_branch .LBB0_7\n", "k", false, waves, 3, NULL),
                     WPG_E_FORMAT);
    /* Not named at all, which flow cannot help. */
    assert_int_equal(wpg_score_assembly(&score, "k:\n; %bb.0:\n\tv_nop\n", "k", false, waves, 3, NULL),
                     WPG_OK);
    assert_true(score.guessed == 1 && score.executed == 0);
}

/* Without the way round the loop flow decides all. */
static void follows_flow(void **state)
{
    (void)state;
    static const char split[] = "k:\n"
                                "; %bb.0:                                ; %wpg.0\n"
                                "\ts_cbranch_execz .LBB0_3\n"
                                "; %bb.1:\n"
                                "\tscratch_load_b32 v1, off, off\n"
                                "; %bb.2:                                ; %wpg.1\n"
                                "\tv_nop\n"
                                ".LBB0_3:                                ; %wpg.2\n"
                                "\ts_endpgm\n";
    const uint64_t waves[] = {1000, 3, 1000};
    wpg_code_score score;
    assert_int_equal(wpg_score_assembly(&score, split, "k", false, waves, 3, NULL), WPG_OK);
    assert_int_equal(score.scratch, 3);
    assert_int_equal(score.foreign, 1);
    assert_int_equal(score.guessed, 0);
    assert_true(score.sound);
    const uint64_t impossible[] = {1000, 3, 999};
    assert_int_equal(wpg_score_assembly(&score, split, "k", false, impossible, 3, NULL), WPG_OK);
    assert_false(score.sound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(widths), cmocka_unit_test(weighs),
                                       cmocka_unit_test(follows_flow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
