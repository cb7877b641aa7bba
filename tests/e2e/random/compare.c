/* See compare.h. */
#include "tests/e2e/random/compare.h"

#include <stdio.h>
#include <string.h>

#include "compiler/analysis/values/sites.h"

static bool differ(comparison *c, const wpg_function_counters *f, uint32_t block, const char *what,
                   uint64_t got, uint64_t want)
{
    c->numbers++;
    if (got == want)
        return false;
    (void)snprintf(c->message, COMPARE_MESSAGE, "function %%%u block %u: %s is %llu, should be %llu",
                   f->function, block, what, (unsigned long long)got, (unsigned long long)want);
    return true;
}

/* -- Blocks */

static bool same_blocks(comparison *c, const wpg_function_counters *got, simt_function *want)
{
    for (uint32_t b = 0; b < got->block_count; b++) {
        const struct {
            const char *name;
            const uint32_t *indices;
            uint64_t want, most;
        } kinds[] = {{"lanes", got->lanes, want->lanes[b], want->lanes[b]},
                     {"waves", got->waves, want->waves[b], want->waves[b]},
                     {"uniform", got->uniform, want->uniform[b], want->uniform_most[b]}};
        c->blocks++;
        c->executions += want->waves[b];
        for (unsigned k = 0; k < 3; k++) {
            if (!kinds[k].indices)
                continue;
            uint64_t value = wpg_counter_value(c->map, kinds[k].indices[b], c->values, c->have);
            if (value >= kinds[k].want && value <= kinds[k].most) {
                if (c->settle && k == 2)
                    want->uniform[b] = want->uniform_most[b] = value;
                continue;
            }
            (void)snprintf(c->message, COMPARE_MESSAGE,
                           "function %%%u block %u: %s is %llu, should be %llu to %llu (%s)", got->function,
                           b, kinds[k].name, (unsigned long long)value, (unsigned long long)kinds[k].want,
                           (unsigned long long)kinds[k].most, wpg_method_name((wpg_method)got->methods[b]));
            return false;
        }
    }
    return true;
}

/* -- Selects */

static const simt_select *find_select(const comparison *c, uint32_t id)
{
    for (uint32_t i = 0; i < c->want->select_count; i++)
        if (c->want->selects[i].id == id)
            return &c->want->selects[i];
    return NULL;
}

static bool same_selects(comparison *c, const wpg_function_counters *got, const wpg_cfg *cfg,
                         wpg_arena *arena)
{
    static const char *const names[] = {"a select's lanes, true", "a select's lanes, false",
                                        "a select's waves, true", "a select's waves, false"};
    wpg_select_site *sites = NULL;
    uint32_t count = 0;
    if (!got->selects)
        return true;
    if (wpg_select_sites(&sites, &count, cfg, arena) != WPG_OK ||
        differ(c, got, 0, "the number of selects", got->select_count, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (got->selects[i] == WPG_NO_COUNTER) /* left out: no pass can use it */
            continue;
        const simt_select *want = find_select(c, sites[i].inst->result);
        if (!want)
            return !differ(c, got, sites[i].block, "a select without a number", 1, 0);
        const uint64_t numbers[] = {want->took[0].lanes, want->took[1].lanes, want->took[0].waves,
                                    want->took[1].waves};
        /* Without waves: the first two. */
        for (uint32_t k = 0; k < (got->waves ? WPG_SELECT_COUNTERS : WPG_SELECT_WAVES_TRUE); k++) {
            uint64_t value = wpg_counter_value(c->map, got->selects[i] + k, c->values, c->have);
            if (differ(c, got, sites[i].block, names[k], value, numbers[k]))
                return false;
        }
    }
    return true;
}

/* -- Probes: their records as words */

typedef struct record {
    comparison *c;
    const wpg_function_counters *f;
    const wpg_probe_table *table;
    uint32_t first_block; /* of the function, in the interpreter's numbers */
} record;

static uint64_t word(const record *r, uint32_t at)
{
    return wpg_probe_value(r->c->map, r->f, r->table, at, r->c->values, r->c->have);
}

static bool bad_shape(const record *r, const char *what)
{
    (void)snprintf(r->c->message, COMPARE_MESSAGE, "function %%%u, %s: not what it should be: %s",
                   r->f->function, r->table->record, what);
    return false;
}

static const simt_tally *edge(const record *r, uint32_t from, uint32_t to)
{
    const simt_counts *want = r->c->want;
    for (uint32_t e = 0; e < want->edge_count; e++)
        if (want->edges[e].from == r->first_block + from && want->edges[e].to == r->first_block + to)
            return &want->edges[e].went;
    return NULL;
}

static const simt_tally *end_of(const record *r, uint32_t block)
{
    return &r->c->want->ends[r->first_block + block];
}

/* The two targets of a branch are the block's edges, in order. Without waves where lanes count for
 * themselves. */
static bool same_branches_of(const record *r, bool waves)
{
    const simt_counts *want = r->c->want;
    const uint32_t size = waves ? 6 : 3;
    if (r->table->word_count % size != 1)
        return bad_shape(r, "the size of a record of branches");
    for (uint32_t w = 1; w < r->table->word_count; w += size) {
        uint32_t block = (uint32_t)word(r, w), e = 0;
        if (block >= r->f->block_count)
            return bad_shape(r, "a branch's block");
        while (e < want->edge_count && want->edges[e].from != r->first_block + block)
            e++;
        if (e + 1 >= want->edge_count || want->edges[e + 1].from != want->edges[e].from)
            return bad_shape(r, "a branch without two ways");
        const simt_tally *yes = &want->edges[e].went, *no = &want->edges[e + 1].went;
        if (differ(r->c, r->f, block, "lanes where a branch's condition holds", word(r, w + 1), yes->lanes) ||
            differ(r->c, r->f, block, "lanes where it does not", word(r, w + 2), no->lanes))
            return false;
        if (waves &&
            (differ(r->c, r->f, block, "waves where a branch's condition holds", word(r, w + 3),
                    yes->waves) ||
             differ(r->c, r->f, block, "waves where it does not", word(r, w + 4), no->waves) ||
             differ(r->c, r->f, block, "waves at a branch", word(r, w + 5), end_of(r, block)->waves)))
            return false;
    }
    return true;
}

static bool same_branches(const record *r)
{
    return same_branches_of(r, true);
}

static bool same_lane_branches(const record *r)
{
    return same_branches_of(r, false);
}

static bool same_cases(const record *r)
{
    if (r->table->word_count % 5 != 1)
        return bad_shape(r, "the size of a record of switches");
    for (uint32_t w = 1; w < r->table->word_count; w += 5) {
        uint32_t block = (uint32_t)word(r, w);
        const simt_tally *went = edge(r, block, (uint32_t)word(r, w + 1));
        if (!went || block >= r->f->block_count)
            return bad_shape(r, "a way of a switch");
        if (differ(r->c, r->f, block, "lanes of a switch's target", word(r, w + 2), went->lanes) ||
            differ(r->c, r->f, block, "waves of a switch's target", word(r, w + 3), went->waves) ||
            differ(r->c, r->f, block, "waves at a switch", word(r, w + 4), end_of(r, block)->waves))
            return false;
    }
    return true;
}

/* Least and most trips. */
static bool same_range(const record *r, uint32_t block, const simt_loop *want)
{
    uint64_t got[2];
    uint32_t i = 0;
    while (i < r->table->range_count && r->table->ranges[i].block != block)
        i++;
    if (i == r->table->range_count)
        return bad_shape(r, "a loop without a range");
    if (wpg_probe_range_value(got, &r->table->ranges[i], r->c->values, r->c->have) !=
        (want->entered.lanes != 0))
        return bad_shape(r, "a range of what did not run, or none of what did");
    return want->entered.lanes == 0 || (!differ(r->c, r->f, block, "least trips", got[0], want->least) &&
                                        !differ(r->c, r->f, block, "most trips", got[1], want->most));
}

static bool same_loops_of(const record *r, bool waves)
{
    const uint32_t fixed = waves ? 4 : 3;
    if (r->table->word_count % (fixed + SIMT_TRIP_BUCKETS) != 1)
        return bad_shape(r, "the size of a record of loops");
    for (uint32_t w = 1; w < r->table->word_count; w += fixed + SIMT_TRIP_BUCKETS) {
        uint32_t block = (uint32_t)word(r, w);
        if (block >= r->f->block_count)
            return bad_shape(r, "a loop's block");
        const simt_loop *want = &r->c->want->loops[r->first_block + block];
        bool wrong =
            differ(r->c, r->f, block, "lanes that enter a loop", word(r, w + 1), want->entered.lanes) ||
            (waves &&
             differ(r->c, r->f, block, "waves that enter a loop", word(r, w + 2), want->entered.waves)) ||
            differ(r->c, r->f, block, "trips of a loop", word(r, w + fixed - 1), want->trips);
        for (uint32_t k = 0; !wrong && k < SIMT_TRIP_BUCKETS; k++)
            wrong = differ(r->c, r->f, block, "lanes by trips", word(r, w + fixed + k), want->buckets[k]);
        if (wrong || (r->c->from_zero && !same_range(r, block, want)))
            return false;
    }
    return true;
}

static bool same_loops(const record *r)
{
    return same_loops_of(r, true);
}

static bool same_lane_loops(const record *r)
{
    return same_loops_of(r, false);
}

static bool same_entry(const record *r)
{
    const simt_function *want = &r->c->want->functions[0];
    uint64_t by_fullness = 0;
    if (r->table->word_count != 15)
        return bad_shape(r, "the size of a record of entries");
    for (uint32_t k = 6; k < 15; k++)
        by_fullness += word(r, k);
    /* In the interpreter's order the entry function need not be the first. */
    for (uint32_t f = 0; f < r->c->want->function_count; f++)
        if (r->c->want->functions[f].id == r->f->function)
            want = &r->c->want->functions[f];
    return !differ(r->c, r->f, 0, "waves at the entry", word(r, 1), want->waves[0]) &&
           !differ(r->c, r->f, 0, "lanes at the entry", word(r, 2), want->lanes[0]) &&
           !differ(r->c, r->f, 0, "waves by fullness", by_fullness, want->waves[0]);
}

static bool same_records(comparison *c, const wpg_function_counters *f, const simt_function *want)
{
    static const struct {
        const char *name;
        bool (*same)(const record *r);
    } kinds[] = {{"branches", same_branches},
                 {"cases", same_cases},
                 {"trips", same_loops},
                 {"entry_mask", same_entry},
                 {"lane_branches", same_lane_branches},
                 {"lane_trips", same_lane_loops}};
    for (uint32_t t = 0; t < f->table_count; t++)
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(f->tables[t].record, kinds[k].name) == 0 &&
                !kinds[k].same(&(record){c, f, &f->tables[t], want->first_block}))
                return false;
    return true;
}

bool compare_counts(comparison *c)
{
    for (uint32_t f = 0; f < c->map->function_count; f++) {
        const wpg_function_counters *got = &c->map->functions[f];
        simt_function *want = NULL;
        for (uint32_t k = 0; k < c->want->function_count; k++)
            if (c->want->functions[k].id == got->function)
                want = &c->want->functions[k];
        if (!want || want->block_count != got->block_count) {
            (void)snprintf(c->message, COMPARE_MESSAGE, "function %%%u: not the interpreter's blocks",
                           got->function);
            return false;
        }
        c->functions += f > 0;
        wpg_arena arena;
        wpg_cfg *cfg = NULL;
        wpg_arena_init(&arena);
        bool same = wpg_cfg_create(&cfg, c->plain, wpg_module_def(c->plain, got->function), NULL) == WPG_OK &&
                    same_blocks(c, got, want) && same_selects(c, got, cfg, &arena) &&
                    same_records(c, got, want);
        wpg_cfg_destroy(cfg);
        wpg_arena_finish(&arena);
        if (!same)
            return false;
    }
    return true;
}
