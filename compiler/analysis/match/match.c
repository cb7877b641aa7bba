/* Alignment of two forms, and counts carried along it: see match.h. */
#include "compiler/analysis/match/match.h"

#include "compiler/analysis/graph/lane_flow.h"
#include "compiler/analysis/graph/mask.h"
#include "compiler/analysis/match/match_form.h"

enum { MAX_CELLS = 4 << 20 }; /* pairs of blocks compared */

enum { ENOUGH = 4 }; /* instructions of a block that may be found within a larger one */

/* What the alignment gains where two blocks meet; 0: they must not. Instructions in common count most; equal
 * blocks, neighbours, parts and constructs around decide between candidates. */
static uint32_t gain(const wpg_form *from, uint32_t i, const wpg_form *to, uint32_t j)
{
    const wpg_block_form *a = &from->blocks[i], *b = &to->blocks[j];
    if (a->part != b->part)
        return 0;
    uint32_t common =
        wpg_common_features(from->features + a->first, a->count, to->features + b->first, b->count);
    uint32_t less = a->count < b->count ? a->count : b->count;
    /* Half of the instructions of both; or most of the smaller: an `if` put into a block cuts it in two. */
    if (common * 4 < a->count + b->count && (less < ENOUGH || common * 4 < less * 3))
        return 0;
    return 1 + common * 8 + (a->exact == b->exact ? common * 4 + 1 : 0) + (a->around == b->around ? 2 : 0) +
           (a->path == b->path ? 2 : 0) + (a->end == b->end ? 2 : 0);
}

static void match_selects(wpg_match *match, const wpg_form *from, const wpg_form *to)
{
    for (uint32_t j = 0; j < to->block_count; j++) {
        const wpg_block_form *new_block = &to->blocks[j];
        if (match->block[j] == WPG_NO_BLOCK)
            continue;
        const wpg_block_form *old_block = &from->blocks[match->block[j]];
        for (uint32_t k = 0; k < new_block->select_count; k++)
            if (old_block->select_count == new_block->select_count)
                match->select[new_block->first_select + k] = old_block->first_select + k;
    }
}

static void measure(wpg_match *match, const wpg_form *from, const wpg_form *to)
{
    uint32_t common = 0, all = from->feature_count + to->feature_count;
    for (uint32_t j = 0; j < to->block_count; j++) {
        if (match->block[j] == WPG_NO_BLOCK)
            continue;
        const wpg_block_form *a = &from->blocks[match->block[j]], *b = &to->blocks[j];
        common += wpg_common_features(from->features + a->first, a->count, to->features + b->first, b->count);
        match->blocks++;
    }
    match->likeness = all ? 2.0 * common / all : 0;
}

wpg_status wpg_match_forms(wpg_match *match, const wpg_form *from, const wpg_form *to, wpg_arena *arena,
                           wpg_error *err)
{
    uint32_t n = from->block_count, m = to->block_count;
    *match = (wpg_match){0};
    if ((uint64_t)n * m > MAX_CELLS)
        return wpg_fail(err, WPG_E_LIMIT, "%u and %u blocks are too many to compare", n, m);
    wpg_arena scratch;
    wpg_arena_init(&scratch);
    size_t width = (size_t)m + 1;
    uint32_t *best = WPG_ARENA_ARRAY(&scratch, uint32_t, ((size_t)n + 1) * width);
    match->block = WPG_ARENA_ARRAY(arena, uint32_t, m);
    match->select = WPG_ARENA_ARRAY(arena, uint32_t, to->select_count);
    if (!best || arena->failed) {
        wpg_arena_finish(&scratch);
        return wpg_fail(err, WPG_E_NOMEM, "no memory to match two functions");
    }
    for (uint32_t j = 0; j < m; j++)
        match->block[j] = WPG_NO_BLOCK;
    for (uint32_t s = 0; s < to->select_count; s++)
        match->select[s] = UINT32_MAX;
    /* best[i][j]: the most that blocks from i and from j on gain; so that, of equal gains, earlier blocks
     * meet. */
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t j = m; j-- > 0;) {
            uint32_t skip_old = best[(i + 1) * width + j], skip_new = best[i * width + j + 1];
            uint32_t most = skip_old > skip_new ? skip_old : skip_new, g = gain(from, i, to, j);
            if (g && best[(i + 1) * width + j + 1] + g > most)
                most = best[(i + 1) * width + j + 1] + g;
            best[i * width + j] = most;
        }
    for (uint32_t i = 0, j = 0; i < n && j < m;) {
        uint32_t g = gain(from, i, to, j);
        if (g && best[i * width + j] == best[(i + 1) * width + j + 1] + g)
            match->block[j++] = i++;
        else if (best[i * width + j] == best[(i + 1) * width + j])
            i++;
        else
            j++;
    }
    wpg_arena_finish(&scratch);
    match_selects(match, from, to);
    measure(match, from, to);
    return WPG_OK;
}

double wpg_match_share(const wpg_match *match, const wpg_form *from, const wpg_form *to,
                       const wpg_block_counts *counts)
{
    const uint64_t *weights = counts->lanes ? counts->lanes : counts->waves;
    double all = 0, found = 0;
    for (uint32_t i = 0; i < from->block_count && weights; i++)
        all += (double)weights[i];
    if (all <= 0) /* nothing ran */
        return from->block_count ? (double)match->blocks / from->block_count : 0;
    for (uint32_t j = 0; j < to->block_count; j++)
        if (match->block[j] != WPG_NO_BLOCK)
            found += (double)weights[match->block[j]];
    return found / all;
}

/* -- Counts */

typedef struct carrier {
    wpg_carried *to;
    const wpg_cfg *cfg;
    const wpg_mask_classes *classes;
} carrier;

static void copy_block(const carrier *c, uint32_t block, const wpg_block_counts *from, uint32_t old)
{
    uint64_t *const into[] = {c->to->lanes, c->to->waves, c->to->uniform};
    const uint64_t *const out_of[] = {from->lanes, from->waves, from->uniform};
    for (unsigned k = 0; k < 3; k++)
        if (into[k])
            into[k][block] = out_of[k][old];
    c->to->known[block] = true;
}

/* Blocks of one class run equally often; two matched ones that do not contradict each other, or the graph. */
static bool spread_classes(const carrier *c)
{
    wpg_carried *to = c->to;
    const wpg_block_counts own = {to->lanes, to->waves, to->uniform};
    for (uint32_t b = 0; b < c->cfg->count; b++) {
        uint32_t class = c->classes->class_of[b];
        if (class == WPG_NO_BLOCK || !to->known[b])
            continue;
        uint32_t first = c->classes->representative[class];
        if (!to->known[first])
            copy_block(c, first, &own, b);
        else if ((to->lanes && to->lanes[first] != to->lanes[b]) ||
                 (to->waves && to->waves[first] != to->waves[b]) ||
                 (to->uniform && to->uniform[first] != to->uniform[b]))
            return false;
    }
    for (uint32_t b = 0; b < c->cfg->count; b++) {
        uint32_t class = c->classes->class_of[b];
        if (class != WPG_NO_BLOCK && !to->known[b] && to->known[c->classes->representative[class]])
            copy_block(c, b, &own, c->classes->representative[class]);
    }
    return true;
}

/* Lanes by flow. A block whose waves are measured elsewhere is known only where no lane ran: then no wave
 * did. */
static wpg_status spread_lanes(const carrier *c, wpg_arena *scratch)
{
    wpg_carried *to = c->to;
    uint64_t *lanes = wpg_arena_memdup(scratch, to->lanes, c->cfg->count * sizeof *lanes);
    bool *known = wpg_arena_memdup(scratch, to->known, c->cfg->count * sizeof *known);
    if (!lanes || !known)
        return WPG_E_NOMEM;
    WPG_TRY(wpg_lane_flow_solve(lanes, known, &to->sound, NULL, c->cfg));
    for (uint32_t b = 0; b < c->cfg->count && to->sound; b++) {
        if (to->known[b] || !known[b] || (lanes[b] && to->waves))
            continue;
        to->lanes[b] = lanes[b];
        to->known[b] = true;
    }
    return WPG_OK;
}

wpg_status wpg_match_carry(wpg_carried *carried, const wpg_match *match, const wpg_block_counts *counts,
                           const wpg_cfg *cfg, wpg_arena *arena, wpg_error *err)
{
    wpg_mask_classes classes;
    const carrier c = {.to = carried, .cfg = cfg, .classes = &classes};
    wpg_arena scratch;
    wpg_arena_init(&scratch);
    *carried = (wpg_carried){.known = WPG_ARENA_ARRAY(arena, bool, cfg->count), .sound = true};
    carried->lanes = counts->lanes ? WPG_ARENA_ARRAY(arena, uint64_t, cfg->count) : NULL;
    carried->waves = counts->waves ? WPG_ARENA_ARRAY(arena, uint64_t, cfg->count) : NULL;
    carried->uniform = counts->uniform ? WPG_ARENA_ARRAY(arena, uint64_t, cfg->count) : NULL;
    wpg_status status = arena->failed ? WPG_E_NOMEM : wpg_mask_classes_compute(&classes, cfg, &scratch);
    for (uint32_t b = 0; status == WPG_OK && b < cfg->count; b++)
        if (match->block[b] != WPG_NO_BLOCK)
            copy_block(&c, b, counts, match->block[b]);
    if (status == WPG_OK)
        carried->sound = spread_classes(&c);
    if (status == WPG_OK && carried->sound && carried->lanes)
        status = spread_lanes(&c, &scratch);
    wpg_arena_finish(&scratch);
    return status == WPG_OK ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "no memory to carry counts over");
}
