/* The table of AMD's GPUs: the names of known chips, its own order, and that LLVM knows each name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/gpu/targets.h"

/* As the kernel numbers them: its base for the chip and a stepping. */
static void chips(void **state)
{
    static const struct {
        uint32_t family, rev;
        const char *target;
    } known[] = {
        {130, 0x51, "gfx803"},  {135, 0x61, "gfx810"},  {141, 0x01, "gfx900"},  {141, 0x14, "gfx904"},
        {141, 0x28, "gfx906"},  {141, 0x32, "gfx908"},  {141, 0x3d, "gfx90a"},  {141, 0x46, "gfx942"},
        {141, 0x50, "gfx950"},  {142, 0x42, "gfx902"},  {142, 0x82, "gfx909"},  {142, 0xa1, "gfx90c"},
        {143, 0x03, "gfx1010"}, {143, 0x0a, "gfx1011"}, {143, 0x14, "gfx1012"}, {143, 0x29, "gfx1030"},
        {143, 0x32, "gfx1031"}, {143, 0x3c, "gfx1032"}, {143, 0x46, "gfx1034"}, {143, 0x84, "gfx1013"},
        {144, 0x01, "gfx1033"}, {145, 0x01, "gfx1100"}, {145, 0x10, "gfx1102"}, {145, 0x20, "gfx1101"},
        {146, 0x20, "gfx1035"}, {148, 0x01, "gfx1103"}, {148, 0x80, "gfx1103"}, {149, 0x01, "gfx1036"},
        {150, 0x11, "gfx1150"}, {150, 0xc1, "gfx1151"}, {150, 0x40, "gfx1152"}, {150, 0x50, "gfx1153"},
        {151, 0x01, "gfx1036"}, {152, 0x40, "gfx1200"}, {152, 0x51, "gfx1201"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const wpg_gpu_target *found = wpg_gpu_target_of(known[i].family, known[i].rev);
        assert_non_null(found);
        assert_string_equal(found->target, known[i].target);
    }
}

static void unknown(void **state)
{
    (void)state;
    assert_null(wpg_gpu_target_of(0, 0));
    assert_null(wpg_gpu_target_of(143, 0));
    assert_null(wpg_gpu_target_of(143, 0x50));
    assert_null(wpg_gpu_target_of(145, 0xff));
    assert_null(wpg_gpu_target_of(147, 1));
    assert_null(wpg_gpu_target_of(153, 1));
    assert_null(wpg_gpu_target_of(UINT32_MAX, UINT32_MAX));
}

enum { MOST = 256 };

/* Every entry, in the order of the GPUs that find one. */
static size_t all_entries(const wpg_gpu_target *found[MOST])
{
    size_t count = 0;
    for (uint32_t family = 0; family < 256; family++)
        for (uint32_t rev = 0; rev < 256; rev++) {
            const wpg_gpu_target *entry = wpg_gpu_target_of(family, rev);
            if (entry && (!count || entry != found[count - 1])) {
                assert_true(count < MOST);
                found[count++] = entry;
            }
        }
    return count;
}

/* The table has that order, too. So no entry hides another one, and none is found in two places. */
static void order(void **state)
{
    const wpg_gpu_target *found[MOST];
    size_t count = all_entries(found);
    (void)state;
    assert_true(count > 40);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(found[i], found[0] + i);
        assert_true(found[i]->first_rev < found[i]->end_rev);
        assert_ptr_equal(wpg_gpu_target_of(found[i]->family, found[i]->first_rev), found[i]);
        assert_ptr_equal(wpg_gpu_target_of(found[i]->family, found[i]->end_rev - 1), found[i]);
        for (size_t j = i + 1; j < count; j++)
            assert_string_not_equal(found[i]->chip, found[j]->chip);
    }
}

/* As `llc -mcpu=help` lists them; the newest LLVM that is here is asked. */
static void llvm_knows(void **state)
{
    static char list[1 << 16];
    const wpg_gpu_target *found[MOST];
    size_t count = all_entries(found), length;
    (void)state;
    FILE *llc = popen("llc-22 -march=amdgcn -mcpu=help </dev/null 2>&1", "r");
    assert_non_null(llc);
    length = fread(list, 1, sizeof list - 1, llc);
    (void)pclose(llc);
    list[length] = '\0';
    if (!strstr(list, "gfx1200")) {
        print_message("skip: llc-22 is not installed\n");
        skip();
    }
    for (size_t i = 0; i < count; i++) {
        char word[32];
        (void)snprintf(word, sizeof word, " %s ", found[i]->target);
        if (!strstr(list, word))
            fail_msg("LLVM does not know %s", found[i]->target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chips), cmocka_unit_test(unknown),
                                       cmocka_unit_test(order), cmocka_unit_test(llvm_knows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
