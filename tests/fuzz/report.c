/* Fuzzes the report's readers of modules: files and sources, names, blocks, edges, branches, lines, words,
 * GLSL. Counts are made up, so that they contradict each other as counts of a damaged file may. Whatever the
 * parser takes is read or refused, and what is printed of it is the same twice. */
#include <stdio.h>

#include "compiler/normalize/normalize.h"
#include "runtime/report/model/internal.h"
#include "runtime/report/page/page.h"
#include "tests/fuzz/common/spirv.h"

/* The counts of one function, of the size that its graph has. */
typedef struct made {
    wpg_shader_counts counts;
    uint64_t *numbers; /* lanes, waves, uniform: one after the other */
} made;

static bool make_counts(made *m, const fuzz_module *input, const wpg_module *normal, const wpg_stage *stage)
{
    wpg_arena arena;
    wpg_inst **functions;
    uint32_t count = 0;
    wpg_cfg *cfg = NULL;
    wpg_arena_init(&arena);
    if (wpg_stage_functions(&functions, &count, normal, stage, &arena, NULL) == WPG_OK)
        (void)wpg_cfg_create(&cfg, normal, functions[0], NULL);
    wpg_arena_finish(&arena);
    if (!cfg)
        return false;
    m->counts = (wpg_shader_counts){.entry = stage->entry,
                                    .checksum = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION),
                                    .block_count = cfg->count};
    m->numbers = calloc((size_t)cfg->count * 3, sizeof *m->numbers);
    fuzz_check(m->numbers != NULL, "memory");
    for (size_t i = 0; i < (size_t)cfg->count * 3; i++)
        m->numbers[i] = (uint64_t)input->choices[i % sizeof input->choices] << (i % 7 * 9);
    m->counts.lanes = m->numbers;
    m->counts.waves = input->choices[0] & 1 ? m->numbers + cfg->count : NULL;
    m->counts.uniform = input->choices[0] & 2 ? m->numbers + 2 * (size_t)cfg->count : NULL;
    wpg_cfg_destroy(cfg);
    return true;
}

/* What the report prints of the module; NULL: it cannot be read. */
static char *printed(const fuzz_module *input)
{
    wpg_stage stage, normal_stage;
    char name[64], normal_name[64], *text = NULL;
    size_t size = 0;
    made m = {0};
    wpg_module *module = NULL, *normal = fuzz_normal_form(&normal_stage, normal_name, input);
    if (!normal || !make_counts(&m, input, normal, &normal_stage) ||
        wpg_module_parse(&module, input->words, input->count, NULL) != WPG_OK ||
        !fuzz_stage(&stage, name, module)) {
        wpg_module_destroy(module);
        wpg_module_destroy(normal);
        free(m.numbers);
        return NULL;
    }
    wpg_report report = {0};
    wpg_arena_init(&report.arena);
    const wpg_report_options options = {.path = "fuzz"};
    wpg_report_loader loader = {.report = &report, .options = &options};
    wpg_report_function function = {.counts = &m.counts};
    wpg_report_shader shader = {.stage = "comp",
                                .entry = stage.entry,
                                .functions = &function,
                                .function_count = 1,
                                .has_lanes = true,
                                .has_waves = m.counts.waves != NULL,
                                .has_uniform = m.counts.uniform != NULL};
    function.blocks = WPG_ARENA_ARRAY(&report.arena, wpg_report_block, m.counts.block_count);
    for (size_t b = 0; b < m.counts.block_count; b++)
        function.blocks[b] = (wpg_report_block){.lanes = m.counts.lanes[b],
                                                .waves = m.counts.waves ? m.counts.waves[b] : 0,
                                                .file = WPG_REPORT_NONE,
                                                .idom = WPG_REPORT_NONE};
    wpg_report_sources sources;
    FILE *out = open_memstream(&text, &size);
    if (wpg_report_read_sources(&sources, &loader, module, NULL) == WPG_OK) {
        shader.name = wpg_report_module_name(&loader, module, &sources, &stage);
        shader.has_module =
            wpg_report_read_blocks(&loader, &shader, &sources, normal, &normal_stage, NULL) == WPG_OK;
        (void)wpg_report_read_lines(&loader, &shader, &sources, input->words, input->count, &stage, NULL);
        wpg_report_json_shader(out, &shader);
        for (size_t i = 0; i < report.files.count; i++)
            wpg_report_json_file(out, &report.files.data[i]);
    }
    fuzz_check(fclose(out) == 0, "the report cannot be printed");
    fuzz_check(strchr(text, '<') == NULL, "a tag in the page's script");
    wpg_map_free(&loader.files);
    wpg_vec_free(&report.files);
    wpg_arena_finish(&report.arena);
    wpg_module_destroy(module);
    wpg_module_destroy(normal);
    free(m.numbers);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_module input;
    if (!fuzz_module_init(&input, data, size))
        return 0;
    char *first = printed(&input), *second = printed(&input);
    fuzz_check(!first == !second && (!first || strcmp(first, second) == 0), "two reports of one module");
    free(first);
    free(second);
    fuzz_module_finish(&input);
    return 0;
}
