/* Memory that runs out, at every allocation in turn: analysis and instrument give an error and leak or break
 * nothing. The C library's allocator is replaced by one that fails on demand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "compiler/instrument/code/instrument.h"
#include "tests/unit/compiler/analysis/program_spirv.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)

int main(void)
{
    (void)printf("skipped: the allocator cannot be replaced in this build\n");
    return 77;
}

#else

/* glibc's own, under the names it keeps for replacements. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

static long left = -1; /* allocations until one fails; negative: none does */
static bool failed;
static long held; /* blocks allocated and not freed */

static bool fails(void)
{
    if (left < 0 || left-- > 0)
        return false;
    failed = true;
    left = 0; /* and every one after it, until the test says otherwise */
    return true;
}

static void *counted(void *block)
{
    held += block != NULL;
    return block;
}

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *old, size_t size)
{
    if (fails())
        return NULL;
    return old ? __libc_realloc(old, size) : counted(__libc_malloc(size));
}

void free(void *old)
{
    held -= old != NULL;
    __libc_free(old);
}

/* Whether the run with `budget` allocations met a failure. */
static bool run(const program_words *spirv, const wpg_stage *stage, long budget)
{
    wpg_error err = {0};
    wpg_module *module;
    wpg_counter_map *map = NULL;
    long before = held;
    wpg_instrument_options options = {.target = {.subgroup_basic = true,
                                                 .subgroup_ballot = true,
                                                 .subgroup_arithmetic = true,
                                                 .subgroup_size = 8,
                                                 .demote_to_helper = true,
                                                 .max_spirv_minor = 3},
                                      .directory_entry = 0x1000,
                                      .select_sites = true,
                                      .probes = WPG_PROBES_ALL};
    assert_int_equal(wpg_module_parse(&module, spirv->words.data, spirv->words.count, &err), WPG_OK);
    failed = false;
    left = budget;
    wpg_status status = wpg_instrument(&map, module, stage, &options, &err);
    left = -1;
    assert_int_equal(status, failed ? WPG_E_NOMEM : WPG_OK);
    if (status == WPG_OK)
        wpg_counter_map_destroy(map);
    wpg_module_destroy(module);
    assert_int_equal(held, before);
    return failed;
}

static void test_every_allocation(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        program p;
        program_words spirv;
        bool fragment = seed % 2;
        program_make(&p, 770 + seed, 400, fragment);
        program_spirv(&spirv, &p, 64);
        wpg_stage stage = {.model = fragment ? SpvExecutionModelFragment : SpvExecutionModelGLCompute,
                           .entry = "main"};
        long budget = 0;
        while (run(&spirv, &stage, budget))
            budget++;
        assert_true(budget > 2);
        wpg_vec_free(&spirv.words);
        program_finish(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
    return cmocka_run_group_tests_name("memory that runs out", tests, NULL, NULL);
}

#endif
