/* Lines change no instruction, and name blocks that there are. */
#include "compiler/analysis/graph/cfg.h"
#include "tests/unit/compiler/amdgpu/amdgpu_test.h"

/* The instructions of an assembly text: no directives, labels or comments; malloc'd. */
static char *instructions(const char *assembly)
{
    char *text = malloc(strlen(assembly) + 1), *to = text;
    assert_non_null(text);
    for (const char *line = assembly; *line;) {
        const char *end = strchr(line, '\n'), *next = end ? end + 1 : line + strlen(line);
        if (line[0] == '\t' && line[1] != '.' && line[1] != ';') {
            const char *comment = memchr(line, ';', (size_t)(next - line));
            size_t length = (size_t)((comment ? comment : next) - line);
            while (length && (line[length - 1] == ' ' || line[length - 1] == '\n'))
                length--;
            memcpy(to, line, length);
            to += length;
            *to++ = '\n';
        }
        if (strncmp(line, ".Lfunc_end", 10) == 0)
            break; /* debug sections follow */
        line = next;
    }
    *to = '\0';
    return text;
}

static unsigned blocks_named(const char *assembly, uint32_t block_count)
{
    unsigned long line;
    bool *seen = calloc(block_count, sizeof *seen);
    unsigned count = 0;
    assert_non_null(seen);
    for (const char *at = assembly; (at = strstr(at, "\t.loc\t")) != NULL; at++) {
        assert_int_equal(sscanf(at, "\t.loc\t%*u %lu", &line), 1);
        assert_true(line <= block_count);
        if (line && !seen[line - 1]) {
            seen[line - 1] = true;
            count++;
        }
    }
    free(seen);
    return count;
}

static void compare(const char *name, const char *gpu)
{
    char path[4096];
    amd_shader s;
    wpg_cfg *cfg;
    wpg_error err = {0};
    char *texts[2];
    (void)snprintf(path, sizeof path, "%s/shaders/%s.comp.spv", WPG_BINARY_DIR, name);
    amd_open_file(&s, path);
    wpg_inst *function = wpg_next_function(s.module->first);
    assert_int_equal(wpg_cfg_create(&cfg, s.module, function, &err), WPG_OK);
    for (unsigned lines = 0; lines < 2; lines++) {
        wpg_amdgpu_options options = {.gpu = gpu, .assembly = true, .lines = lines};
        wpg_amdgpu_code *code;
        if (wpg_amdgpu_compile(&code, s.module, &s.stage, &options, &err) != WPG_OK)
            fail_msg("%s, %s: %s", name, gpu, err.message);
        texts[lines] = instructions(code->assembly);
        unsigned named = blocks_named(code->assembly, cfg->count);
        if (lines)
            assert_true(named > 1 && named * 2 >= cfg->count); /* some were merged or hold nothing */
        else
            assert_int_equal(named, 0);
        wpg_amdgpu_code_destroy(code);
    }
    assert_true(strlen(texts[0]) > 100);
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
    wpg_cfg_destroy(cfg);
    amd_close(&s);
}

static void lines_change_no_instruction(void **state)
{
    static const char *const names[] = {"mandelbrot", "rfc_divergent", "uber", "bvh"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        compare(names[i], "gfx1100");
        compare(names[i], "gfx90a");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_change_no_instruction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
