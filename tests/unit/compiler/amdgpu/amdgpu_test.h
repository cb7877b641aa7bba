/* What the tests of compiler/amdgpu share: modules from files and text, normalised; every target. */
#ifndef WPG_TESTS_AMDGPU_TEST_H
#define WPG_TESTS_AMDGPU_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/amdgpu/llvm/amdgpu.h"
#include "compiler/normalize/normalize.h"
#include "runtime/base/file.h"
#include "tests/support/assemble.h"

typedef struct amd_shader {
    wpg_module *module;
    wpg_stage stage;
    char entry[64];
} amd_shader;

static inline void amd_close(amd_shader *s)
{
    wpg_module_destroy(s->module);
    s->module = NULL;
}

/* False: not a compute shader, or not to be normalised. */
static inline bool amd_open_words(amd_shader *s, const uint32_t *words, size_t count, wpg_error *err)
{
    memset(s, 0, sizeof *s);
    if (wpg_module_parse(&s->module, words, count, err) != WPG_OK)
        return false;
    WPG_INST_EACH (inst, s->module)
        if (inst->opcode == SpvOpEntryPoint && inst->words[1] == SpvExecutionModelGLCompute && !s->entry[0])
            (void)snprintf(s->entry, sizeof s->entry, "%s", wpg_inst_string(inst, 3));
    s->stage = (wpg_stage){.model = SpvExecutionModelGLCompute, .entry = s->entry};
    if (wpg_normalize(s->module, &s->stage, NULL, err) == WPG_OK)
        return true;
    amd_close(s);
    return false;
}

static inline void amd_open_file(amd_shader *s, const char *path)
{
    uint8_t *data;
    size_t size;
    wpg_error err = {0};
    assert_int_equal(wpg_file_read(&data, &size, path, 1 << 24, &err), WPG_OK);
    bool opened = amd_open_words(s, (const uint32_t *)(const void *)data, size / 4, &err);
    free(data);
    if (!opened)
        fail_msg("%s: %s", path, err.message);
}

static inline void amd_open_glsl(amd_shader *s, const char *source)
{
    uint32_t *words;
    size_t count;
    wpg_error err = {0};
    assert_true(assemble_glsl(&words, &count, source, "comp", "vulkan1.2"));
    bool opened = amd_open_words(s, words, count, &err);
    free(words);
    if (!opened)
        fail_msg("%s", err.message);
}

static const struct amd_target {
    const char *gpu;
    unsigned wave;
} amd_targets[] = {{"gfx900", 64},  {"gfx90a", 64},  {"gfx1030", 32}, {"gfx1030", 64},
                   {"gfx1100", 32}, {"gfx1100", 64}, {"gfx1201", 32}, {"gfx1201", 64}};

enum { AMD_TARGETS = sizeof amd_targets / sizeof *amd_targets };

#endif
