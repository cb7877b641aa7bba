/* The list of probes, and helpers of their plans and their code. */
#include "compiler/instrument/probes/probe.h"

#include "compiler/instrument/code/strategy.h"
#include "compiler/spirv/debug.h"

#include <string.h>

const wpg_probe *const wpg_probes[] = {&wpg_probe_branches,        &wpg_probe_switch,
                                       &wpg_probe_loops,           &wpg_probe_entry,
                                       &wpg_probe_values_of_sites, &wpg_probe_words,
                                       &wpg_probe_inputs,          &wpg_probe_lane_branches,
                                       &wpg_probe_lane_loops,      NULL};

/* -- The setting */

static bool word_is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(word, name, length) == 0;
}

wpg_status wpg_probes_parse(uint32_t *probes, const char *text, wpg_error *err)
{
    wpg_status status = WPG_OK;
    *probes = 0;
    while (text && *text) {
        size_t length = strcspn(text, ", ");
        uint32_t bits = 0;
        for (unsigned i = 0; wpg_probes[i]; i++)
            bits |= word_is(text, length, wpg_probes[i]->name) ? wpg_probes[i]->bit : 0;
        if (word_is(text, length, "all"))
            bits = WPG_PROBES_ALL;
        else if (word_is(text, length, "every"))
            bits = WPG_PROBE_EVERY;
        else if (word_is(text, length, "default"))
            bits = WPG_PROBES_DEFAULT;
        else if (length && !bits && !word_is(text, length, "none"))
            status = wpg_fail(err, WPG_E_ARGUMENT, "no probe is called '%.*s'",
                              (int)(length < 40 ? length : 40), text);
        *probes |= bits;
        text += length;
        text += strspn(text, ", ");
    }
    return status;
}

/* -- Planning */

/* The words of one probe as the counter map keeps them. */
static bool keep_table(wpg_probe_plan *p, wpg_probe_table *table)
{
    wpg_arena *arena = &p->plan->map->arena;
    size_t words = p->first.count;
    wpg_probe_word(p); /* the end of the last one */
    if (p->failed)
        return false;
    *table = (wpg_probe_table){
        .record = p->probe->record,
        .word_count = (uint32_t)words,
        .first = wpg_arena_memdup(arena, p->first.data, p->first.count * sizeof *p->first.data),
        .terms = wpg_arena_memdup(arena, p->terms.data, p->terms.count * sizeof *p->terms.data),
        .site_count = (uint32_t)p->sites.count,
        .sites = wpg_arena_memdup(arena, p->sites.data, p->sites.count * sizeof *p->sites.data),
        .range_count = (uint32_t)p->ranges.count,
        .ranges = wpg_arena_memdup(arena, p->ranges.data, p->ranges.count * sizeof *p->ranges.data),
        .reservoir = p->reservoir};
    return table->first && table->terms && table->sites && table->ranges;
}

/* Does the probe work in a function whose waves are counted, or are not? */
static bool works(const wpg_probe *probe, const wpg_plan *plan, bool has_waves)
{
    if (probe->by_either)
        return has_waves || !wpg_strategy_naive.refuses(plan);
    return probe->by_lane != has_waves;
}

/* By block, each block's in the order they were placed. */
static bool keep_points(wpg_probe_plan *p, wpg_function_plan *f)
{
    uint32_t blocks = f->cfg->count;
    uint32_t *at = WPG_ARENA_ARRAY(&p->plan->arena, uint32_t, (size_t)blocks + 1);
    f->probes = WPG_ARENA_ARRAY(&p->plan->arena, wpg_probe_point, p->points.count);
    if (!at || !f->probes)
        return false;
    for (size_t i = 0; i < p->points.count; i++)
        at[p->points.data[i].block + 1]++;
    for (uint32_t b = 0; b < blocks; b++)
        at[b + 1] += at[b];
    for (size_t i = 0; i < p->points.count; i++)
        f->probes[at[p->points.data[i].block]++] = p->points.data[i];
    f->probe_count = (uint32_t)p->points.count;
    return true;
}

static uint32_t wanted_count(uint32_t probes)
{
    uint32_t count = 0;
    for (unsigned i = 0; wpg_probes[i]; i++)
        count += (probes & wpg_probes[i]->bit) != 0;
    return count;
}

wpg_status wpg_plan_probes(wpg_plan *plan, wpg_function_plan *function, wpg_function_counters *counters)
{
    uint32_t wanted = plan->options->probes;
    if (!(counters->kinds & WPG_KIND_LANES) || !wanted_count(wanted))
        return WPG_OK;
    wpg_probe_plan p = {.plan = plan,
                        .function = function,
                        .counters = counters,
                        .has_lines = wpg_may_have_lines(plan->module)};
    counters->tables = WPG_ARENA_ARRAY(&plan->map->arena, wpg_probe_table, wanted_count(wanted));
    bool good = counters->tables != NULL;
    for (unsigned i = 0; wpg_probes[i] && good; i++) {
        if (!(wanted & wpg_probes[i]->bit) || !works(wpg_probes[i], plan, wpg_probe_has_waves(&p)))
            continue;
        p.probe = wpg_probes[i];
        wpg_vec_clear(&p.first);
        wpg_vec_clear(&p.terms);
        wpg_vec_clear(&p.sites);
        wpg_vec_clear(&p.ranges);
        p.reservoir = (wpg_probe_reservoir){0};
        wpg_probes[i]->plan(&p);
        good = !p.failed;
        if (good && p.first.count)
            good = keep_table(&p, &counters->tables[counters->table_count++]);
    }
    if (good)
        wpg_probe_place_flushes(&p);
    good = good && !p.failed;
    good = good && keep_points(&p, function);
    wpg_vec_free(&p.points);
    wpg_vec_free(&p.first);
    wpg_vec_free(&p.terms);
    wpg_vec_free(&p.sites);
    wpg_vec_free(&p.ranges);
    return good ? WPG_OK : WPG_E_NOMEM;
}

/* -- Injecting */

void wpg_probes_declare(wpg_inject *in)
{
    const bool has_waves = in->plan->strategy->kinds & WPG_KIND_WAVES;
    uint32_t used = 0;
    bool by_wave = false;
    for (uint32_t f = 0; f < in->plan->function_count; f++)
        for (uint32_t i = 0; i < in->plan->functions[f].probe_count; i++) {
            used |= in->plan->functions[f].probes[i].probe->bit;
            by_wave |= !in->plan->functions[f].probes[i].probe->by_lane;
        }
    if (!used)
        return;
    if (by_wave) {
        wpg_require_version(in->module, 3);
        wpg_require_capability(in->module, SpvCapabilityGroupNonUniform);
        wpg_require_capability(in->module, SpvCapabilityGroupNonUniformBallot);
        in->subgroup_scope = wpg_const_u32(in->module, SpvScopeSubgroup);
    }
    wpg_live_declare(in);
    for (unsigned i = 0; wpg_probes[i]; i++)
        if (used & wpg_probes[i]->bit && works(wpg_probes[i], in->plan, has_waves) && wpg_probes[i]->declare)
            wpg_probes[i]->declare(in);
}
