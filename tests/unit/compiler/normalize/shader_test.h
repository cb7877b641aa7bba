/* What the tests of the CFG tier share: making modules with the front ends, normalising them, running compute
 * shaders on the software driver. Header only: each test is one executable. */
#ifndef WPG_TESTS_NORMALIZE_SHADER_TEST_H
#define WPG_TESTS_NORMALIZE_SHADER_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/spirv/builder.h"

#define GOLDEN_DIR WPG_SOURCE_DIR "/tests/golden/normalize/"

typedef struct words {
    uint32_t *data;
    size_t count;
} words;

static inline words read_words(const char *path)
{
    words w = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return w;
    (void)fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    w.data = malloc((size_t)size + 4);
    w.count = fread(w.data, 4, (size_t)size / 4, file);
    (void)fclose(file);
    return w;
}

static inline const char *scratch_dir(void)
{
    static char dir[64];
    if (!dir[0]) {
        (void)snprintf(dir, sizeof dir, "/tmp/wpg-normalize-XXXXXX");
        assert_non_null(mkdtemp(dir));
    }
    return dir;
}

static inline void remove_scratch(void)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", scratch_dir());
    if (system(command))
        (void)fprintf(stderr, "cannot remove %s\n", scratch_dir());
}

/* Runs a tool that turns `in` into the module `out`; false if it fails (its output is then printed). */
static inline bool run_tool(const char *command)
{
    char line[2048];
    (void)snprintf(line, sizeof line, "%s > %s/log 2>&1", command, scratch_dir());
    if (system(line) == 0)
        return true;
    (void)snprintf(line, sizeof line, "cat %s/log", scratch_dir());
    if (system(line))
        (void)fprintf(stderr, "no log\n");
    return false;
}

/* Compiles or assembles a file by its ending: .spvasm, .hlsl (`entry` is the entry point), else GLSL. */
static inline words compile_file(const char *path)
{
    char command[1600], out[128];
    const char *ending = strrchr(path, '.');
    (void)snprintf(out, sizeof out, "%s/compiled.spv", scratch_dir());
    if (ending && !strcmp(ending, ".spvasm"))
        (void)snprintf(command, sizeof command,
                       "spirv-as --target-env spv1.3 --preserve-numeric-ids %s -o %s", path, out);
    else if (ending && !strcmp(ending, ".hlsl"))
        (void)snprintf(command, sizeof command,
                       "glslangValidator -D -V --target-env vulkan1.1 -S comp -e main %s -o %s", path, out);
    else
        (void)snprintf(command, sizeof command, "glslangValidator -V --target-env vulkan1.1 %s -o %s", path,
                       out);
    if (!run_tool(command))
        fail_msg("%s", command);
    words w = read_words(out);
    assert_true(w.count > 5);
    return w;
}

static const wpg_validate_options validate_all = {.vulkan_minor = 3,
                                                  .uniform_buffer_standard_layout = true,
                                                  .scalar_block_layout = true,
                                                  .workgroup_scalar_block_layout = true,
                                                  .local_size_id = true};

static inline bool is_valid(const words *w)
{
    return wpg_spirv_validate(w->data, w->count, &validate_all, NULL) == WPG_OK;
}

static inline void assert_valid(const words *w, const char *what)
{
    wpg_error err = {0};
    if (wpg_spirv_validate(w->data, w->count, &validate_all, &err))
        fail_msg("%s: %s", what, err.message);
}

static inline wpg_module *parse(const words *w)
{
    wpg_module *module = NULL;
    wpg_error err = {0};
    if (wpg_module_parse(&module, w->data, w->count, &err))
        fail_msg("parse: %s", err.message);
    return module;
}

static inline words emit(const wpg_module *module)
{
    words w = {0};
    wpg_error err = {0};
    if (wpg_module_emit(&w.data, &w.count, module, &err))
        fail_msg("emit: %s", err.message);
    return w;
}

/* The normal form of `in`; valid, and its own normal form. */
static inline words normal_form(const words *in, const wpg_stage *stage, wpg_normal_info *info,
                                const char *what)
{
    wpg_error err = {0};
    wpg_normal_info again;
    wpg_module *module = parse(in);
    if (wpg_normalize(module, stage, info, &err))
        fail_msg("%s: %s", what, err.message);
    words out = emit(module);
    wpg_module_destroy(module);
    assert_valid(&out, what);
    module = parse(&out);
    assert_int_equal(wpg_normalize(module, stage, &again, &err), WPG_OK);
    words twice = emit(module);
    wpg_module_destroy(module);
    if (twice.count != out.count || memcmp(twice.data, out.data, out.count * 4) != 0)
        fail_msg("%s: normalising the normal form changes it", what);
    free(twice.data);
    return out;
}

static inline uint32_t count_of(const words *w, SpvOp opcode)
{
    uint32_t count = 0;
    wpg_module *module = parse(w);
    WPG_INST_EACH (inst, module)
        count += inst->opcode == opcode;
    wpg_module_destroy(module);
    return count;
}

#endif
