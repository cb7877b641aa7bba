/* Kernels whose loops run eight trips, and profiles that tell which way lanes went in them. For unswitching
 * and peeling. Header only. */
#ifndef WPG_TESTS_UNIT_COMPILER_OPTIMIZE_WAYS_H
#define WPG_TESTS_UNIT_COMPILER_OPTIMIZE_WAYS_H

#include "tests/unit/compiler/optimize/use.h"

enum { PARTS = 8 };

/* Scales the counts of the blocks that only `way` leads to; `apart`: its waves are all there, none whole. */
USE void ways_of_block(use_shader *s, const wpg_cfg *cfg, uint32_t way, uint64_t parts, bool apart)
{
    if (cfg->blocks[way].predecessor_count != 1)
        return;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (cfg->blocks[b].rpo == WPG_NO_BLOCK || !wpg_cfg_dominates(cfg, way, b))
            continue;
        s->lanes[b] = s->lanes[b] * parts / PARTS;
        s->waves[b] = apart ? s->waves[b] : s->waves[b] * parts / PARTS;
        s->uniform[b] = apart ? 0 : s->waves[b];
    }
}

/* Of the n-th selection (by block) that stands in a loop, `parts` of PARTS lanes take the first way, evenly
 * the rest the others; waves go together, or not (`apart`). */
USE void ways_take(use_shader *s, unsigned n, uint64_t parts, bool apart)
{
    wpg_module *module = NULL;
    wpg_view *view = use_view(&module, s);
    const wpg_cfg *cfg = view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (block->loop == WPG_NO_BLOCK || !block->merge || block->merge->opcode != SpvOpSelectionMerge ||
            n--)
            continue;
        for (uint32_t w = 0; w < block->successor_count; w++)
            ways_of_block(s, cfg, block->successors[w],
                          w == 0 ? parts : (PARTS - parts) / (block->successor_count - 1), apart);
        break;
    }
    wpg_view_destroy(view);
    wpg_module_destroy(module);
}

/* A kernel whose loops run eight trips. */
USE void ways_make(use_shader *s, const char *head, const char *body, const char *stage,
                   SpvExecutionModel model)
{
    char source[2048];
    snprintf(source, sizeof source, "%s%s", head, body);
    use_glsl(s, source, stage, model);
    for (size_t i = 0; i < 4; i++)
        s->trips[i] = 8;
    use_profile(s);
}

USE void ways_make_compute(use_shader *s, const char *body)
{
    ways_make(s, USE_COMPUTE_HEAD, body, "comp", SpvExecutionModelGLCompute);
}

#define DEAR  "v = sin(v) * cos(x + v) + sqrt(abs(v));"
#define CHEAP "v -= x;"

#endif
