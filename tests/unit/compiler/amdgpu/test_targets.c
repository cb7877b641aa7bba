/* Every compute shader of the tree compiles for every target, wave size and ABI; what the ELF says. With
 * arguments: compiles these modules instead and prints figures. */
#include "tests/unit/compiler/amdgpu/amdgpu_test.h"
#include "tests/support/effort.h"

#include <glob.h>

static wpg_amdgpu_code *compiled(const amd_shader *s, const char *name, const wpg_amdgpu_options *options)
{
    wpg_amdgpu_code *code;
    wpg_error err = {0};
    if (wpg_amdgpu_compile(&code, s->module, &s->stage, options, &err) == WPG_OK)
        return code;
    fail_msg("%s, %s wave%u %s: %s", name, options->gpu, options->wave_size,
             options->abi == WPG_AMDGPU_PAL ? "pal" : "hsa", err.message);
    return NULL;
}

static void check_code(const wpg_amdgpu_code *code, const amd_shader *s, const wpg_amdgpu_options *options)
{
    assert_non_null(code->elf);
    assert_memory_equal(code->elf, "\177ELF", 4);
    assert_string_equal(code->kernel, options->abi == WPG_AMDGPU_PAL ? "_amdgpu_cs_main" : s->entry);
    assert_int_equal(code->wave_size, options->wave_size);
    assert_true(code->blocks > 0 && code->figures.code_bytes > 0);
    assert_true(code->figures.vgprs > 0 && code->figures.vgprs <= 512);
    assert_true(code->figures.sgprs > 0 && code->figures.sgprs <= 112);
}

/* The n-th shader: every day on some of the targets, at night on all. */
static void compile_everywhere(const char *path, size_t n)
{
    amd_shader s;
    amd_open_file(&s, path);
    for (unsigned i = 0; i < AMD_TARGETS; i++)
        for (unsigned abi = 0; abi < 2; abi++) {
            if (!effort_pair(n, 2 * i + abi, 2 * AMD_TARGETS, 5))
                continue;
            wpg_amdgpu_options options = {
                .gpu = amd_targets[i].gpu, .wave_size = amd_targets[i].wave, .abi = (wpg_amdgpu_abi)abi};
            wpg_amdgpu_code *code = compiled(&s, path, &options);
            check_code(code, &s, &options);
            wpg_amdgpu_code_destroy(code);
        }
    amd_close(&s);
}

static void compile_folder(const char *pattern, size_t least)
{
    glob_t found;
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", WPG_BINARY_DIR, pattern);
    if (glob(path, 0, NULL, &found) != 0) {
        print_message("no %s was built\n", path);
        skip();
    }
    assert_true(found.gl_pathc >= least);
    for (size_t i = 0; i < found.gl_pathc; i++)
        compile_everywhere(found.gl_pathv[i], i);
    globfree(&found);
}

static void benchmarks(void **state)
{
    (void)state;
    compile_folder("shaders/*.comp.spv", 10);
}

static void kernels(void **state)
{
    (void)state;
    compile_folder("tests/e2e/spirv/*.comp.spv", 10);
}

static int print_figures(int count, char **paths)
{
    int failures = 0;
    for (int i = 0; i < count; i++) {
        amd_shader s;
        amd_open_file(&s, paths[i]);
        for (unsigned n = 0; n < AMD_TARGETS * 2; n++) {
            wpg_amdgpu_options options = {.gpu = amd_targets[n / 2].gpu,
                                          .wave_size = amd_targets[n / 2].wave,
                                          .abi = (wpg_amdgpu_abi)(n % 2),
                                          .assembly = true};
            wpg_amdgpu_code *code;
            wpg_error err = {0};
            if (wpg_amdgpu_compile(&code, s.module, &s.stage, &options, &err) != WPG_OK) {
                printf("%s %s %u %u: %s\n", paths[i], options.gpu, options.wave_size, n % 2, err.message);
                failures++;
                continue;
            }
            printf("%s %s wave%u %s: blocks %u vgprs %u sgprs %u lds %u scratch %u code %u occupancy %u\n",
                   paths[i], options.gpu, code->wave_size, n % 2 ? "pal" : "hsa", code->blocks,
                   code->figures.vgprs, code->figures.sgprs, code->figures.lds_bytes,
                   code->figures.scratch_bytes, code->figures.code_bytes, code->figures.occupancy);
            if (getenv("WPG_TEST_VERBOSE"))
                puts(code->assembly);
            wpg_amdgpu_code_destroy(code);
        }
        amd_close(&s);
    }
    return failures > 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(benchmarks),
        cmocka_unit_test(kernels),
    };
    if (argc > 1)
        return print_figures(argc - 1, argv + 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
