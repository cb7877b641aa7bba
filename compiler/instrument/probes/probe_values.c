/* Values: one sample at each value site (compiler/analysis/values/value_sites.h) for each wave that comes
 * there with a live lane.
 *
 *     record: 1, then for each site: kind | type << 8 | ask << 16, block, source line (0: unknown), waves
 *             asked, waves whose live lanes agreed, waves whose value found no room, waves that came there
 *
 *     value sites of the record, for n sites of the shader:
 *             i        the values of site i, with how often each was seen
 *             n + i    the smallest and the largest of those that did not find their first slot free
 *
 * In loops not every visit is sampled: one of 16, of 64 in loops in loops. The wave's first lane decides for
 * all. It counts its visits, starting at a number of its group's, and samples where the count's product with
 * a constant is small: multiples of the golden ratio are spread evenly, for any step (Knuth, TAOCP 3, 6.4).
 * So no period of the program hides anything, and every run samples the same visits. The record says how many
 * visits were sampled of how many; the waves that came are the block's.
 *
 * A value that is provably uniform is not compared: its waves agree. The sample is the value of the elected
 * lane, the wave's first live one, whether or not the others agree.
 *
 * Tables of values: value_table.h. In the common case a sample takes three atomics, one of them only where
 * the value is compared.
 *
 * Words of uniform blocks (compiler/analysis/values/word_sites.h) are asked the same way, at the entry, by
 * one wave of 64: a record of its own, so that it can be had alone. Of pixels and workgroups in small waves
 * one of 256 asks. One loop of code asks for all words, slot by slot: code for each would make many shaders
 * three times as long. Where there are two words or more, a reservoir (reservoir.h) keeps some visits with
 * all words, as further value sites of the record:
 *
 *             2n + i   word i of the visits kept: value | key << 32, with the number of visits it stands for;
 *                      the words of one visit have one key, made of them all
 *
 * Words are asked where only lanes are counted, too: a long shader whose waves would cost too much (budget.h)
 * is the one that versions gain most in. There the waves that came are those that were asked.
 *
 * Inputs of a fragment stage (compiler/analysis/values/input_sites.h) are asked as words are, without a
 * reservoir. Of an interpolated float the low bits are rounded away: a constant comes out of interpolation
 * with last bits of its own in each lane. */
#include "compiler/analysis/values/input_sites.h"
#include "compiler/analysis/values/value_sites.h"
#include "compiler/analysis/values/word_sites.h"
#include "compiler/instrument/probes/reservoir.h"
#include "compiler/instrument/probes/value_table.h"
#include "compiler/instrument/sampling/sample.h"
#include "compiler/spirv/debug.h"

enum {
    SHIFT_LOOP = 4,
    SHIFT_INNER_LOOP = 6,
    SHIFT_WORD = 6,
    SHIFT_SMALL_WAVES = 2, /* more than that for pixels and workgroups in waves of up to SMALL_WAVE lanes */
    SMALL_WAVE = 16,
    IDS_OF_A_WORD = 16, /* in the loop over all */
    TRY_BITS = 2,       /* of WPG_TABLE_TRIES */
    ROUNDED = 16,       /* units in the last place */
};

typedef struct value_point {
    const wpg_value_site *site;
    uint32_t agreed, disagreed; /* counters; WPG_NO_COUNTER: not counted */
    uint32_t table;             /* first counter of the table of values; WPG_NO_COUNTER: none */
    uint32_t shift;             /* asked at 1 of 2^shift visits */
    struct site_visits *visits; /* the function's; NULL where every visit is asked */
    /* Of the point of all words: `table` is the first word's, the others follow. */
    const wpg_value_site *all;
    uint32_t all_count; /* 0: a site's point */
    uint32_t reservoir; /* its first counter */
    uint32_t next;      /* variable: the next word << TRY_BITS, and its try; 0 until needed */
} value_point;

/* Of one function: the lane's count of visits to sites that are sampled. */
typedef struct site_visits {
    value_point start; /* the point that sets it, at the function's start */
    uint32_t variable;
    uint32_t block, shift, asked; /* where the last bool of is_asked was made, and its id; 0: none */
} site_visits;

/* -- Planning */

static void describe(wpg_probe_plan *p, const wpg_value_site *site)
{
    wpg_source_line line;
    bool known = p->has_lines && wpg_line_of(&line, p->plan->module, site->use);
    wpg_probe_describe(p, (uint32_t)site->kind | (uint32_t)site->type << 8 | site->ask << 16);
    wpg_probe_describe(p, site->block);
    wpg_probe_describe(p, known ? line.line : 0);
}

/* A word: all waves that were asked. */
static void asked_word(wpg_probe_plan *p, const value_point *point)
{
    wpg_probe_word(p);
    if (point->table == WPG_NO_COUNTER) {
        wpg_probe_add(p, WPG_TERM_COUNTER, point->agreed);
        wpg_probe_add(p, WPG_TERM_COUNTER, point->disagreed);
        return;
    }
    wpg_probe_add(p, WPG_TERM_COUNTER, point->table + WPG_VALUES_ZERO);
    for (uint32_t e = 0; e < WPG_VALUES_ENTRIES; e++)
        wpg_probe_add(p, WPG_TERM_COUNTER, point->table + WPG_VALUES_COUNT(e));
    wpg_probe_add(p, WPG_TERM_COUNTER, point->table + WPG_VALUES_OTHERS);
}

/* A draw has more waves where waves are small, and all of a draw have the same words. A draw of few vertices
 * is asked as often as elsewhere: else it may not be asked at all. */
static uint32_t shift_of_words(const wpg_plan *plan)
{
    const uint32_t size = plan->options->target.subgroup_size;
    const SpvExecutionModel model = plan->stage->model;
    const bool many = model == SpvExecutionModelFragment || model == SpvExecutionModelGLCompute;
    return SHIFT_WORD + (many && size && size <= SMALL_WAVE ? SHIFT_SMALL_WAVES : 0);
}

/* Which part of the visits is asked: none but what repeats, and no block that may lose lanes before the site,
 * so that those who came there are those of the block. */
static uint32_t shift_of(const wpg_probe_plan *p, const wpg_value_site *site)
{
    const wpg_cfg *cfg = p->function->cfg;
    uint32_t depth = 0;
    if (p->plan->options->probes & WPG_PROBE_EVERY || cfg->blocks[site->block].changes_mask)
        return 0;
    if (site->kind == WPG_VALUE_WORD || site->kind == WPG_VALUE_INPUT)
        return shift_of_words(p->plan);
    for (uint32_t c = cfg->blocks[site->block].loop; c != WPG_NO_BLOCK; c = cfg->constructs[c].parent)
        depth +=
            cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP && cfg->constructs[c].back_edge != WPG_NO_BLOCK;
    return depth == 0 ? 0 : depth == 1 ? SHIFT_LOOP : SHIFT_INNER_LOOP;
}

/* The record and the counters of a site; NULL when memory ran out. */
static value_point *plan_site(wpg_probe_plan *p, const wpg_value_site *site, site_visits *visits)
{
    value_point *point = wpg_probe_alloc(p, 1, sizeof *point);
    if (!point)
        return NULL;
    *point = (value_point){.site = site,
                           .agreed = WPG_NO_COUNTER,
                           .disagreed = WPG_NO_COUNTER,
                           .table = WPG_NO_COUNTER,
                           .shift = shift_of(p, site)};
    if (point->shift)
        point->visits = visits;
    if (site->ask & WPG_ASK_UNIFORMITY)
        point->agreed = wpg_probe_counters(p, 1);
    if (site->ask & WPG_ASK_VALUES)
        point->table = wpg_probe_counters(p, WPG_VALUES_COUNTERS);
    else
        point->disagreed = wpg_probe_counters(p, 1);
    describe(p, site);
    asked_word(p, point);
    if (point->agreed == WPG_NO_COUNTER) {
        asked_word(p, point);
    } else {
        wpg_probe_word(p);
        wpg_probe_add(p, WPG_TERM_COUNTER, point->agreed);
    }
    wpg_probe_word(p);
    if (point->table != WPG_NO_COUNTER)
        wpg_probe_add(p, WPG_TERM_COUNTER, point->table + WPG_VALUES_OTHERS);
    if (point->shift && wpg_probe_has_waves(p)) {
        wpg_probe_word(p);
        wpg_probe_add(p, WPG_TERM_WAVES, site->block);
    } else {
        asked_word(p, point);
    }
    wpg_probe_values(p, point->table,
                     site->type == WPG_VALUE_SINT    ? WPG_ORDER_SIGNED
                     : site->type == WPG_VALUE_FLOAT ? WPG_ORDER_FLOAT
                                                     : WPG_ORDER_UNSIGNED);
    return point;
}

/* The point that sets the count of visits: the first of the function. */
static site_visits *plan_visits(wpg_probe_plan *p, const wpg_value_site *sites, uint32_t count)
{
    site_visits *visits = wpg_probe_alloc(p, 1, sizeof *visits);
    bool sampled = false;
    for (uint32_t i = 0; visits && i < count; i++)
        sampled |= shift_of(p, &sites[i]) != 0;
    if (sampled) {
        visits->start.visits = visits;
        wpg_probe_place(p, 0, NULL, &visits->start);
    }
    return visits;
}

static void plan_sites(wpg_probe_plan *p, const wpg_value_site *sites, uint32_t count)
{
    if (count)
        wpg_probe_describe(p, 1);
    site_visits *visits = plan_visits(p, sites, count);
    for (uint32_t i = 0; visits && i < count; i++) {
        value_point *point = plan_site(p, &sites[i], visits);
        if (point)
            wpg_probe_place(p, sites[i].block, sites[i].before, point);
    }
}

/* Two words or more: one point asks all. */
static void plan_together(wpg_probe_plan *p, const wpg_value_site *words, uint32_t count)
{
    wpg_probe_describe(p, 1);
    site_visits *visits = plan_visits(p, words, count);
    value_point *all = wpg_probe_alloc(p, 1, sizeof *all);
    for (uint32_t i = 0; visits && all && i < count; i++) {
        const value_point *point = plan_site(p, &words[i], visits);
        if (point && i == 0)
            *all = *point;
    }
    if (!visits || !all)
        return;
    all->all = words;
    all->all_count = count;
    all->reservoir = wpg_reservoir_plan(p, count);
    p->plan->probe_ids += (uint64_t)count * IDS_OF_A_WORD;
    wpg_probe_place(p, words[0].block, words[0].before, all);
}

static void plan(wpg_probe_plan *p)
{
    wpg_divergence *divergence;
    wpg_value_site *sites;
    uint32_t count;
    const wpg_cfg *cfg = p->function->cfg;
    if (p->plan->options->high_start)
        return;
    if (wpg_divergence_compute(&divergence, cfg, &p->plan->arena) != WPG_OK ||
        wpg_value_sites(&sites, &count, cfg, divergence, &p->plan->arena) != WPG_OK) {
        p->failed = true;
        return;
    }
    plan_sites(p, sites, count);
}

static void plan_words(wpg_probe_plan *p)
{
    wpg_word_site *words;
    uint32_t count;
    const wpg_cfg *cfg = p->function->cfg;
    if (p->plan->options->high_start)
        return;
    if (wpg_word_sites(&words, &count, cfg, &p->plan->arena) != WPG_OK) {
        p->failed = true;
        return;
    }
    wpg_value_site *sites = WPG_ARENA_ARRAY(&p->plan->arena, wpg_value_site, count);
    for (uint32_t i = 0; sites && i < count; i++)
        sites[i] = (wpg_value_site){.kind = WPG_VALUE_WORD,
                                    .type = words[i].type,
                                    .ask = WPG_ASK_VALUES,
                                    .value = words[i].load->result,
                                    .before = cfg->blocks[0].terminator,
                                    .reload = words[i].load,
                                    .place = words[i].counted ? &words[i].place : NULL,
                                    .part = words[i].component == WPG_NO_BLOCK ? 0 : words[i].component + 1,
                                    .use = words[i].load};
    if (!sites)
        p->failed = true;
    else if (count > 1)
        plan_together(p, sites, count);
    else
        plan_sites(p, sites, count);
}

static void plan_inputs(wpg_probe_plan *p)
{
    wpg_input_site *inputs;
    uint32_t count;
    const wpg_cfg *cfg = p->function->cfg;
    if (p->plan->options->high_start || p->plan->stage->model != SpvExecutionModelFragment)
        return;
    if (wpg_input_sites(&inputs, &count, cfg, &p->plan->arena) != WPG_OK) {
        p->failed = true;
        return;
    }
    wpg_value_site *sites = WPG_ARENA_ARRAY(&p->plan->arena, wpg_value_site, count);
    for (uint32_t i = 0; sites && i < count; i++)
        sites[i] = (wpg_value_site){.kind = WPG_VALUE_INPUT,
                                    .type = inputs[i].type,
                                    .ask = WPG_ASK_UNIFORMITY | WPG_ASK_VALUES,
                                    .value = inputs[i].load->result,
                                    .before = cfg->blocks[0].terminator,
                                    .reload = inputs[i].load,
                                    .part = inputs[i].component == WPG_NO_BLOCK ? 0 : inputs[i].component + 1,
                                    .rounds = inputs[i].rounds,
                                    .use = inputs[i].load};
    if (sites)
        plan_sites(p, sites, count);
    else
        p->failed = true;
}

static void declare(wpg_inject *in)
{
    wpg_memory_declare_words(in);
    wpg_memory_declare_product(in);
}

/* -- The value */

/* A load made again where its value is not there yet; its pointer is a variable or a chain of constants, or
 * the site says where it leads. */
static uint32_t reload(wpg_inject *in, const wpg_value_site *site)
{
    const wpg_inst *load = site->reload;
    uint32_t pointer = load->words[3], indices[WPG_WORD_DEPTH + 1];
    const wpg_inst *chain = wpg_module_def(in->module, pointer);
    if (site->place)
        pointer = wpg_emit(in, SpvOpAccessChain, chain->type, indices,
                           wpg_word_chain(indices, in->module, site->place, site->part != 0));
    else if (chain && chain->opcode != SpvOpVariable)
        pointer = wpg_emit(in, (SpvOp)chain->opcode, chain->type, chain->words + 3, chain->count - 3u);
    uint32_t operands[4] = {pointer};
    size_t count = 1;
    for (; count + 3 < load->count && count < 4; count++)
        operands[count] = load->words[count + 3];
    return wpg_emit(in, SpvOpLoad, load->type, operands, count);
}

static uint32_t width_of(const wpg_module *module, uint32_t id)
{
    const wpg_inst *def = wpg_module_def(module, id);
    const wpg_inst *type = def ? wpg_module_def(module, def->type) : NULL;
    return type && type->count > 2 ? type->words[2] : 0;
}

/* To the next multiple of ROUNDED units in the last place, up to the next exponent. */
static uint32_t rounded(wpg_inject *in, uint32_t bits)
{
    uint32_t more = WPG_EMIT(in, SpvOpIAdd, in->t_u32, bits, wpg_const_u32(in->module, ROUNDED / 2));
    return WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, more,
                    wpg_const_u32(in->module, ~(uint32_t)(ROUNDED - 1)));
}

/* The value as an unsigned number of 32 bits; as two where it is wide. */
static uint32_t value_words(wpg_inject *in, const wpg_value_site *site)
{
    uint32_t value = site->reload ? reload(in, site) : site->value;
    if (site->part) {
        const wpg_inst *vector = wpg_module_def(in->module, site->reload->type);
        value = WPG_EMIT(in, SpvOpCompositeExtract, vector->words[2], value, site->part - 1);
    }
    const wpg_inst *def = wpg_module_def(in->module, value);
    switch (site->type) {
    case WPG_VALUE_BOOL:
        return WPG_EMIT(in, SpvOpSelect, in->t_u32, value, in->c_one, in->c_zero);
    case WPG_VALUE_WIDE:
        return WPG_EMIT(in, SpvOpBitcast, in->t_uvec2, value);
    case WPG_VALUE_FLOAT:
        value = WPG_EMIT(in, SpvOpBitcast, in->t_u32, value);
        return site->rounds ? rounded(in, value) : value;
    default:
        if (def && def->type == in->t_u32)
            return value;
        if (width_of(in->module, value) == 32)
            return WPG_EMIT(in, SpvOpBitcast, in->t_u32, value);
        return WPG_EMIT(in, site->type == WPG_VALUE_SINT ? SpvOpSConvert : SpvOpUConvert, in->t_u32, value);
    }
}

/* Bool: all active lanes have the same words. */
static uint32_t agree(wpg_inject *in, uint32_t words, bool wide)
{
    wpg_module *m = in->module;
    uint32_t type = wide ? in->t_uvec2 : in->t_u32;
    uint32_t first = WPG_EMIT(in, SpvOpGroupNonUniformBroadcastFirst, type, in->subgroup_scope, words);
    uint32_t differs;
    if (wide) {
        differs = WPG_EMIT(in, SpvOpINotEqual, wpg_type_vector(m, in->t_bool, 2), words, first);
        differs = WPG_EMIT(in, SpvOpAny, in->t_bool, differs);
    } else {
        differs = WPG_EMIT(in, SpvOpINotEqual, in->t_bool, words, first);
    }
    uint32_t mask = wpg_live_ballot(in, differs);
    uint32_t none = wpg_const_null(m, in->t_uvec4);
    uint32_t equal = WPG_EMIT(in, SpvOpIEqual, wpg_type_vector(m, in->t_bool, 4), mask, none);
    return WPG_EMIT(in, SpvOpAll, in->t_bool, equal);
}

/* -- Sampling */

static uint32_t constant(wpg_inject *in, uint32_t value)
{
    return wpg_const_u32(in->module, value);
}

static void store(wpg_inject *in, uint32_t variable, uint32_t value)
{
    wpg_inst_add(in->module, in->where, SpvOpStore, variable, value);
}

static void start_visits(wpg_inject *in, const wpg_function_plan *function, site_visits *visits)
{
    wpg_module *m = in->module;
    uint32_t pointer = wpg_type_pointer(m, SpvStorageClassFunction, in->t_u32);
    visits->variable = wpg_module_fresh_id(m);
    wpg_inst_add(m, function->cfg->blocks[0].label->next, SpvOpVariable, pointer, visits->variable,
                 SpvStorageClassFunction, in->c_zero);
    if (wpg_sample_inputs(in))
        store(in, visits->variable, wpg_sample_group(in));
}

/* Bool, equal in all active lanes: this visit is asked. Sites of one block are asked together. */
static uint32_t is_asked(wpg_inject *in, const value_point *point)
{
    site_visits *visits = point->visits;
    if (visits->asked && visits->block == point->site->block && visits->shift == point->shift)
        return visits->asked;
    uint32_t count = WPG_EMIT(in, SpvOpLoad, in->t_u32, visits->variable);
    uint32_t spread = WPG_EMIT(in, SpvOpIMul, in->t_u32, count, constant(in, 0x9e3779b1u));
    store(in, visits->variable, WPG_EMIT(in, SpvOpIAdd, in->t_u32, count, in->c_one));
    /* At the entry all lanes of a workgroup have one number. */
    if (point->site->kind != WPG_VALUE_WORD || in->plan->stage->model != SpvExecutionModelGLCompute)
        spread = WPG_EMIT(in, SpvOpGroupNonUniformBroadcastFirst, in->t_u32, in->subgroup_scope, spread);
    uint32_t bound = constant(in, 1u << (32 - point->shift));
    visits->asked = WPG_EMIT(in, SpvOpULessThan, in->t_bool, spread, bound);
    visits->block = point->site->block;
    visits->shift = point->shift;
    return visits->asked;
}

static void ask(wpg_inject *in, const value_point *point)
{
    uint32_t value = value_words(in, point->site), equal = 0;
    if (point->agreed != WPG_NO_COUNTER)
        equal = agree(in, value, point->site->type == WPG_VALUE_WIDE);
    wpg_if elected =
        wpg_if_begin(in, WPG_EMIT(in, SpvOpGroupNonUniformElect, in->t_bool, in->subgroup_scope));
    if (point->table == WPG_NO_COUNTER) {
        uint32_t index = WPG_EMIT(in, SpvOpSelect, in->t_u32, equal, constant(in, point->agreed),
                                  constant(in, point->disagreed));
        wpg_memory_add_at(in, index, in->c_one);
    } else {
        if (equal) {
            uint32_t one = WPG_EMIT(in, SpvOpSelect, in->t_u32, equal, in->c_one, in->c_zero);
            wpg_memory_add_at(in, constant(in, point->agreed), one);
        }
        wpg_value_table_add(in, &(wpg_value_table){.first = point->table, .type = point->site->type}, value);
    }
    wpg_if_end(in, elected);
}

/* ids[k] */
static uint32_t pick(wpg_inject *in, const uint32_t *ids, uint32_t count, uint32_t k)
{
    uint32_t value = ids[0];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t here = WPG_EMIT(in, SpvOpIEqual, in->t_bool, k, constant(in, i));
        value = wpg_select_u32(in, here, ids[i], value);
    }
    return value;
}

/* One visit with all its words, of which there are at least two. */
static void ask_together(wpg_inject *in, value_point *point)
{
    uint32_t place, kept, count = point->all_count;
    uint32_t *values = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, count);
    wpg_value_type *types = WPG_ARENA_ARRAY(&in->module->arena, wpg_value_type, count);
    if (!values || !types)
        return;
    wpg_if elected =
        wpg_if_begin(in, WPG_EMIT(in, SpvOpGroupNonUniformElect, in->t_bool, in->subgroup_scope));
    wpg_reservoir_offer(in, point->reservoir, &place, &kept);
    for (uint32_t w = 0; w < count; w++) {
        values[w] = value_words(in, &point->all[w]);
        types[w] = point->all[w].type;
    }
    uint32_t next = wpg_local_variable(in, &point->next);
    store(in, next, in->c_zero);
    wpg_repeat words = wpg_repeat_begin(in);
    uint32_t at = WPG_EMIT(in, SpvOpLoad, in->t_u32, next), try_bits = constant(in, TRY_BITS);
    uint32_t k = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, at, try_bits);
    uint32_t number = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, at, constant(in, (1u << TRY_BITS) - 1));
    uint32_t value = pick(in, values, count, k);
    wpg_value_table table = wpg_value_table_of(in, point->table, k, types, count);
    uint32_t done = wpg_value_table_try(in, &table, value, number);
    wpg_if keep = wpg_if_begin(in, WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, done, kept));
    wpg_reservoir_store(in, point->reservoir, count, place, k, value);
    wpg_if_end(in, keep);
    uint32_t after = WPG_EMIT(in, SpvOpIAdd, in->t_u32, k, in->c_one);
    after = WPG_EMIT(in, SpvOpShiftLeftLogical, in->t_u32, after, try_bits);
    uint32_t again = WPG_EMIT(in, SpvOpIAdd, in->t_u32, at, in->c_one);
    uint32_t following = wpg_select_u32(in, done, after, again);
    store(in, next, following);
    wpg_repeat_end(in, words,
                   WPG_EMIT(in, SpvOpULessThan, in->t_bool, following, constant(in, count << TRY_BITS)));
    wpg_if_end(in, elected);
}

static void emit(wpg_inject *in, const wpg_function_plan *function, const wpg_probe_point *place)
{
    value_point *point = place->site;
    if (!point->site) {
        start_visits(in, function, point->visits);
        return;
    }
    uint32_t asked = point->shift ? is_asked(in, point) : 0;
    uint32_t there = wpg_probe_and(in, asked, wpg_probe_live(in));
    wpg_if among = {0};
    if (there)
        among = wpg_if_begin(in, there);
    if (point->all_count)
        ask_together(in, point);
    else
        ask(in, point);
    if (there)
        wpg_if_end(in, among);
}

const wpg_probe wpg_probe_values_of_sites = {.name = "values",
                                             .record = "values",
                                             .bit = WPG_PROBE_VALUES,
                                             .ids = 224,
                                             .plan = plan,
                                             .declare = declare,
                                             .emit = emit};
const wpg_probe wpg_probe_words = {.name = "words",
                                   .record = "words",
                                   .bit = WPG_PROBE_WORDS,
                                   .by_either = true,
                                   .ids = 224,
                                   .plan = plan_words,
                                   .declare = declare,
                                   .emit = emit};
const wpg_probe wpg_probe_inputs = {.name = "inputs",
                                    .record = "inputs",
                                    .bit = WPG_PROBE_INPUTS,
                                    .ids = 232,
                                    .plan = plan_inputs,
                                    .declare = declare,
                                    .emit = emit};
