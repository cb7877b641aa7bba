/* What the tests of use mode share: a module from GLSL or assembly, a synthetic profile of it, one run of
 * wpg_optimize, and looks at the result. Header only; every function may go unused. */
#ifndef WPG_TESTS_UNIT_COMPILER_OPTIMIZE_USE_H
#define WPG_TESTS_UNIT_COMPILER_OPTIMIZE_USE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/analysis/graph/normal_form.h"
#include "compiler/analysis/values/sites.h"
#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/optimize/ir/loops.h"
#include "compiler/optimize/ir/optimize.h"
#include "tests/support/assemble.h"
#include "tests/support/disassemble.h"

#define USE static __attribute__((unused))

enum { USE_LANES = 1024, USE_WAVE = 8 };

/* A shader of one function, and counts for its blocks. */
typedef struct use_shader {
    uint32_t *words;
    size_t count;
    wpg_stage stage;
    wpg_function_weights weights; /* its arrays are malloc'd */
    uint64_t *lanes, *waves, *uniform, *selects;
    wpg_value_weight *values;
    wpg_value_share *share; /* of every site of `values` */
    uint32_t trips[16];     /* per loop construct, outer before inner; 0 = 1 */
} use_shader;

typedef struct use_result {
    wpg_remarks *remarks;
    bool changed;
    uint32_t *words;
    size_t count;
    char *text; /* disassembly */
} use_result;

USE wpg_view *use_view(wpg_module **module, const use_shader *s)
{
    wpg_error err = {0};
    wpg_view *view = NULL;
    if (wpg_module_parse(module, s->words, s->count, &err) != WPG_OK)
        fail_msg("parse: %s", err.message);
    wpg_inst *function = wpg_next_function((*module)->first);
    if (wpg_view_create(&view, *module, function->result, &err) != WPG_OK)
        fail_msg("view: %s", err.message);
    return view;
}

/* Every block run by every lane that comes to its loops: loop bodies times trips; waves full and uniform.
 * Selects: all lanes take the false side. */
/* The block by which those leave who fail the loop's first test, where it is one of its own. */
USE bool use_is_way_out(const wpg_cfg *cfg, const wpg_loop *loop, uint32_t block)
{
    return loop->top_tested && loop->members[block] && !loop->inside[block] &&
           cfg->blocks[block].predecessor_count == 1 &&
           cfg->blocks[block].predecessors[0] == loop->first_test;
}

USE void use_profile(use_shader *s)
{
    wpg_module *module = NULL;
    wpg_view *view = use_view(&module, s);
    const wpg_cfg *cfg = view->cfg;
    wpg_arena arena;
    wpg_arena_init(&arena);
    s->lanes = calloc(cfg->count, sizeof *s->lanes);
    s->waves = calloc(cfg->count, sizeof *s->waves);
    s->uniform = calloc(cfg->count, sizeof *s->uniform);
    for (uint32_t b = 0; b < cfg->count; b++)
        s->lanes[b] = cfg->blocks[b].rpo == WPG_NO_BLOCK ? 0 : USE_LANES;
    unsigned number = 0;
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        wpg_loop loop;
        if (cfg->constructs[c].kind != WPG_CONSTRUCT_LOOP)
            continue;
        uint32_t trips = s->trips[number++ % 16];
        trips = trips ? trips : 1;
        if (!wpg_loop_describe(&loop, view, c))
            continue;
        for (uint32_t b = 0; b < cfg->count; b++) {
            if (!loop.members[b] || use_is_way_out(cfg, &loop, b))
                continue;
            bool head = false; /* in the straight line that runs before the first test */
            for (uint32_t h = loop.header; loop.top_tested;) {
                head |= h == b;
                if (h == loop.first_test)
                    break;
                h = cfg->blocks[h].successors[0];
            }
            s->lanes[b] *= trips + (head ? 1 : 0);
        }
    }
    for (uint32_t c = 0; c < cfg->construct_count; c++) { /* nobody breaks off or returns inside a loop */
        wpg_loop loop;
        if (!wpg_loop_describe(&loop, view, c))
            continue;
        for (uint32_t b = 0; b < cfg->count; b++)
            if (loop.members[b] && !use_is_way_out(cfg, &loop, b) &&
                (cfg->blocks[b].successor_count == 0 ||
                 (cfg->blocks[b].terminator->opcode == SpvOpBranch && b != loop.header &&
                  cfg->blocks[b].successors[0] == loop.merge)))
                s->lanes[b] = 0;
    }
    for (uint32_t b = 0; b < cfg->count; b++)
        s->waves[b] = s->uniform[b] = (s->lanes[b] + USE_WAVE - 1) / USE_WAVE;
    wpg_select_site *sites;
    uint32_t site_count;
    assert_int_equal(wpg_select_sites(&sites, &site_count, cfg, &arena), WPG_OK);
    s->selects = calloc((size_t)site_count * 4 + 1, sizeof *s->selects);
    for (uint32_t i = 0; i < site_count; i++) {
        s->selects[i * 4 + 1] = s->lanes[sites[i].block];
        s->selects[i * 4 + 3] = s->waves[sites[i].block];
    }
    s->weights = (wpg_function_weights){.checksum = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION),
                                        .block_count = cfg->count,
                                        .lanes = s->lanes,
                                        .waves = s->waves,
                                        .uniform = s->uniform,
                                        .select_count = site_count,
                                        .selects = s->selects};
    wpg_arena_finish(&arena);
    wpg_view_destroy(view);
    wpg_module_destroy(module);
}

USE void use_glsl(use_shader *s, const char *source, const char *stage, SpvExecutionModel model)
{
    *s = (use_shader){.stage = {.model = model, .entry = "main"}};
    if (!assemble_glsl(&s->words, &s->count, source, stage, "vulkan1.1"))
        fail_msg("GLSL does not compile");
}

USE void use_text(use_shader *s, const char *text, SpvExecutionModel model)
{
    *s = (use_shader){.stage = {.model = model, .entry = "main"}};
    if (!assemble_text(&s->words, &s->count, text, "spv1.3"))
        fail_msg("assembly fails");
}

/* As the layer does before anything else. */
USE void use_normalize(use_shader *s)
{
    wpg_error err = {0};
    wpg_module *module = NULL;
    if (wpg_module_parse(&module, s->words, s->count, &err) != WPG_OK ||
        wpg_normalize(module, &s->stage, NULL, &err) != WPG_OK)
        fail_msg("normalize: %s", err.message);
    free(s->words);
    if (wpg_module_emit(&s->words, &s->count, module, &err) != WPG_OK)
        fail_msg("emit: %s", err.message);
    wpg_module_destroy(module);
}

/* A file of tests/golden/optimize; the stage from its name's end (".comp", ".vert", ".frag", or ".spvasm",
 * which is compute). */
USE void use_golden(use_shader *s, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/golden/optimize/%s", WPG_SOURCE_DIR, name);
    char *text = read_text(path);
    if (!text)
        fail_msg("cannot read %s", path);
    const char *end = strrchr(name, '.') + 1;
    if (strcmp(end, "spvasm") == 0)
        use_text(s, text, SpvExecutionModelGLCompute);
    else
        use_glsl(s, text, end,
                 strcmp(end, "vert") == 0   ? SpvExecutionModelVertex
                 : strcmp(end, "frag") == 0 ? SpvExecutionModelFragment
                                            : SpvExecutionModelGLCompute);
    free(text);
}

USE void use_free(use_shader *s)
{
    free(s->words);
    free(s->lanes);
    free(s->waves);
    free(s->uniform);
    free(s->selects);
    free(s->values);
    free(s->share);
    *s = (use_shader){0};
}

/* Select site i: of `of` waves (all of its block when 0), `rare` need the true side. */
USE void use_rare(use_shader *s, uint32_t site, uint64_t rare, uint64_t of)
{
    assert_in_range(site, 0, s->weights.select_count - 1);
    uint64_t *c = s->selects + (size_t)site * 4;
    uint64_t waves = of ? of : c[2] + c[3], lanes = waves * USE_WAVE;
    c[0] = rare;
    c[1] = lanes - rare;
    c[2] = rare;
    c[3] = waves;
}

USE void use_run(use_result *r, const use_shader *s, const wpg_optimize_options *options, bool with_ssa)
{
    wpg_error err = {0};
    wpg_module *module = NULL;
    wpg_optimize_options defaults;
    wpg_optimize_defaults(&defaults);
    wpg_weights weights = {.functions = &s->weights, .function_count = 1};
    *r = (use_result){0};
    if (wpg_module_parse(&module, s->words, s->count, &err) != WPG_OK)
        fail_msg("parse: %s", err.message);
    if (wpg_optimize(&r->remarks, &r->changed, &module, &s->stage, &weights, options ? options : &defaults,
                     with_ssa ? wpg_ssa_tier : NULL, &err) != WPG_OK)
        fail_msg("optimize: %s", err.message);
    if (wpg_module_emit(&r->words, &r->count, module, &err) != WPG_OK)
        fail_msg("emit: %s", err.message);
    wpg_module_destroy(module);
    wpg_validate_options valid = {.vulkan_minor = 1};
    r->text = disassemble(r->words, r->count);
    if (wpg_spirv_validate(r->words, r->count, &valid, &err) != WPG_OK)
        fail_msg("invalid output: %s\n%s", err.message, r->text);
    if (getenv("WPG_TEST_VERBOSE"))
        for (uint32_t i = 0; i < r->remarks->count; i++)
            printf("%s %s: %s\n", r->remarks->items[i].kind == WPG_REMARK_DONE ? "done" : "refused",
                   r->remarks->items[i].pass, r->remarks->items[i].text);
}

USE void use_done(use_result *r)
{
    wpg_remarks_destroy(r->remarks);
    free(r->words);
    free(r->text);
    *r = (use_result){0};
}

USE unsigned use_said(const use_result *r, wpg_remark_kind kind, const char *pass, const char *part)
{
    unsigned found = 0;
    for (uint32_t i = 0; i < r->remarks->count; i++) {
        const wpg_remark *remark = &r->remarks->items[i];
        found += remark->kind == kind && strcmp(remark->pass, pass) == 0 && strstr(remark->text, part);
    }
    return found;
}

USE void use_expect(const use_result *r, wpg_remark_kind kind, const char *pass, const char *part)
{
    if (use_said(r, kind, pass, part))
        return;
    for (uint32_t i = 0; i < r->remarks->count; i++)
        fprintf(stderr, "  said: %s %s: %s\n",
                r->remarks->items[i].kind == WPG_REMARK_DONE ? "done" : "refused", r->remarks->items[i].pass,
                r->remarks->items[i].text);
    fail_msg("no %s remark of %s with '%s'", kind == WPG_REMARK_DONE ? "done" : "refused", pass, part);
}

USE unsigned use_occurrences(const use_result *r, const char *part)
{
    unsigned found = 0;
    for (const char *at = r->text; (at = strstr(at, part)) != NULL; at++)
        found++;
    return found;
}

/* Parts of shaders that many tests start with. */
#define USE_COMPUTE_HEAD                                                                                     \
    "#version 450\n"                                                                                         \
    "layout(local_size_x = 64) in;\n"                                                                        \
    "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"                                 \
    "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"                                         \
    "layout(std140, binding = 2) uniform Params { int n; int m; float f; } params;\n"

#endif
