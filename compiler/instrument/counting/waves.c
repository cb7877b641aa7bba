/* See waves.h. */
#include "compiler/instrument/counting/waves.h"

#include <assert.h>

enum { MOST_WORDS = 40, FEWEST_BITS = 6 };
/* A reduction costs code, and so does a word of a key. Without a table a wave adds one tally a lane and step.
 * Where it takes MANY_STEPS, more code pays. */
enum { MOST_REDUCTIONS = 24, MOST_KEY_WORDS = 6 };
enum { MANY_STEPS = 4, MANY_STEPS_REDUCTIONS = 40, MANY_STEPS_KEY_WORDS = WPG_PATH_WORDS };
/* Of more words for what all lanes add up than this, numbers get narrower. */
enum { FEW_SUMS = 8 };
/* A leader costs a reduction, and a ballot that is as dear. Fewer numbers have a reduction each. */
enum { LEADER_REDUCTIONS = 2, FEWEST_LED = 3 };

/* Variables of inject.h: the next tally; where parts of numbers begin. */
enum { NEXT, BEGIN };

/* -- Planning */

typedef struct layout {
    const wpg_chooser *c;
    const wpg_region *region;
    wpg_wave_fields *fields;
    wpg_wave_leaders *leaders;
    uint32_t leader_count;
    uint32_t used[MOST_WORDS]; /* bits of each word */
    uint32_t from, words;      /* fields are in words [from, words) */
    uint32_t width, more;      /* of a lane's visits; what the sum of all lanes takes more */
    uint32_t reductions;
    uint32_t added_up; /* words of what all lanes add up */
    bool all_keys;     /* each possible key gets a place: what is always once takes no field */
} layout;

static wpg_path_field give_field(layout *l, uint32_t width)
{
    uint32_t word = l->from;
    while (word < l->words && l->used[word] + width > WPG_KEY_BITS)
        word++;
    if (word == MOST_WORDS)
        return (wpg_path_field){0}; /* too many: the caller gives up */
    if (word == l->words)
        l->words++;
    wpg_path_field field = {(uint8_t)word, (uint8_t)l->used[word], (uint8_t)width, 0};
    l->used[word] += width;
    return field;
}

static bool is_in(const wpg_region *r, uint32_t i, wpg_flush_group group)
{
    return i >= r->group_start[group] && i < r->group_start[group + 1];
}

static bool is_alike(const wpg_region *r, uint32_t i)
{
    return is_in(r, i, WPG_FLUSH_STEADY) || is_in(r, i, WPG_FLUSH_VISITS);
}

static const wpg_tally *planned(const layout *l, uint32_t i)
{
    return &l->c->tallies.data[l->region->tallies[i]];
}

static bool is_start(const wpg_region *r, uint32_t i)
{
    return r->tallies[i] == r->start_mark;
}

/* Does the loop lead this tally? */
static bool is_led(const wpg_region *r, uint32_t i, const wpg_tally *t, uint32_t loop)
{
    return t->led_by == loop && (is_in(r, i, WPG_FLUSH_TRIPS) || is_in(r, i, WPG_FLUSH_LARGEST));
}

static wpg_wave_leaders leaders_of(const layout *l, uint32_t loop)
{
    uint32_t of_last = 0, of_first = 0;
    for (uint32_t i = 0; i < l->region->told; i++) {
        if (!is_led(l->region, i, planned(l, i), loop))
            continue;
        of_first += (uint32_t)is_in(l->region, i, WPG_FLUSH_TRIPS);
        of_last += 1u + (planned(l, i)->uniform_cell != WPG_NO_CELL);
    }
    return (wpg_wave_leaders){loop, of_last >= FEWEST_LED, of_first >= FEWEST_LED};
}

static void find_leaders(layout *l)
{
    for (uint32_t i = 0; i < l->region->told; i++) {
        const uint32_t loop = planned(l, i)->led_by;
        bool again = loop == WPG_NO_BLOCK;
        for (uint32_t k = 0; k < l->leader_count; k++)
            again |= l->leaders[k].loop == loop;
        if (!again)
            l->leaders[l->leader_count++] = leaders_of(l, loop);
    }
}

/* A leader's numbers are added up with the zeros of all other lanes. */
static void give_led(layout *l, uint32_t i)
{
    const wpg_tally *t = planned(l, i);
    for (uint32_t k = 0; k < l->leader_count; k++) {
        const wpg_wave_leaders *leaders = &l->leaders[k];
        if (!is_led(l->region, i, t, leaders->loop))
            continue;
        const bool trips = is_in(l->region, i, WPG_FLUSH_TRIPS);
        if (leaders->last)
            l->fields[i].waves = give_field(l, l->width);
        if (trips ? leaders->first : leaders->last && t->uniform_cell != WPG_NO_CELL)
            l->fields[i].uniform = give_field(l, l->width);
    }
}

static void give_sums(layout *l, uint32_t i)
{
    const wpg_region *r = l->region;
    if (is_start(r, i) || is_alike(r, i))
        return;
    const wpg_tally *t = planned(l, i);
    const bool mark = t->method == WPG_METHOD_MARK;
    const bool unread = t->lanes_cell == WPG_NO_CELL && !is_in(r, i, WPG_FLUSH_TRIPS); /* wpg_side_terms */
    l->fields[i].lanes = give_field(l, unread ? 1 : mark ? 1 + l->more : l->width + l->more);
    if (is_in(r, i, WPG_FLUSH_SUMS))
        l->fields[i].waves = give_field(l, l->width + l->more);
}

static void give_others(layout *l, uint32_t i)
{
    const wpg_region *r = l->region;
    wpg_wave_fields *fields = &l->fields[i];
    if (is_start(r, i) && l->all_keys) {
        fields->waves = (wpg_path_field){.plus = 1};
        return;
    }
    if (is_start(r, i) || is_alike(r, i)) {
        fields->waves = give_field(l, is_in(r, i, WPG_FLUSH_VISITS) ? l->width : 1);
        return;
    }
    if (is_in(r, i, WPG_FLUSH_MARKS))
        return;
    const bool told = is_in(r, i, WPG_FLUSH_TRIPS) || planned(l, i)->uniform_cell != WPG_NO_CELL;
    if (!fields->waves.width) {
        fields->waves = give_field(l, l->width);
        l->reductions++;
    }
    if (told && !fields->uniform.width) {
        fields->uniform = give_field(l, l->width);
        l->reductions += !is_in(r, i, WPG_FLUSH_SUMS);
    }
}

static void lay_out(layout *l, wpg_wave_plan *wave, uint32_t width)
{
    const wpg_region *r = l->region;
    for (uint32_t i = 0; i < r->told; i++)
        l->fields[i] = (wpg_wave_fields){0};
    for (uint32_t w = 0; w < MOST_WORDS; w++)
        l->used[w] = 0;
    l->from = l->reductions = 0;
    l->words = 1;
    l->width = width;
    wave->width = width;
    wave->lanes = give_field(l, WPG_LANES_WIDTH);
    (void)give_field(l, 1); /* whether they are all of E */
    if (width)
        wave->rest = give_field(l, 1 + l->more);
    for (uint32_t i = 0; i < r->told; i++)
        give_sums(l, i);
    l->added_up = l->words;
    for (uint32_t i = 0; i < r->told; i++)
        give_led(l, i);
    const bool added = l->words > 1 || l->used[0] > WPG_LANES_WIDTH + 1u;
    wave->sums = added ? l->words : 0;
    l->reductions = wave->sums;
    for (uint32_t k = 0; k < l->leader_count; k++)
        l->reductions += LEADER_REDUCTIONS * ((uint32_t)l->leaders[k].last + l->leaders[k].first);
    l->from = added && !l->all_keys ? l->words : 0;
    for (uint32_t i = 0; i < r->told; i++)
        give_others(l, i);
    wave->words = l->words;
}

bool wpg_has_visits(const wpg_region *r)
{
    for (uint32_t i = 0; i < r->told; i++)
        if (!is_in(r, i, WPG_FLUSH_STEADY) && !is_in(r, i, WPG_FLUSH_MARKS))
            return true;
    return false;
}

/* Two sums to a word, or three where there are many. */
static void choose_layout(layout *l, wpg_wave_plan *wave)
{
    uint32_t wide = WPG_KEY_BITS / 2 - l->more, narrow = WPG_KEY_BITS / 3 - l->more;
    if (!wpg_has_visits(l->region)) {
        lay_out(l, wave, 0);
        return;
    }
    lay_out(l, wave, wide);
    if (l->added_up > FEW_SUMS && l->more + FEWEST_BITS <= WPG_KEY_BITS / 3)
        lay_out(l, wave, narrow);
}

static void tell_map(wpg_chooser *c, const wpg_region *r, const wpg_wave_plan *wave)
{
    wpg_counter_path told = {.table = wave->table,
                             .mixed = true,
                             .full = c->tallies.data[r->tallies[0]].full,
                             .size = c->plan->options->target.subgroup_size,
                             .lanes = wave->lanes,
                             .first = (uint32_t)c->plan->path_fields.count,
                             .count = r->told};
    for (uint32_t i = 0; i < r->told; i++) {
        c->failed |= !wpg_vec_push(&c->plan->path_fields, wave->fields[i].lanes) ||
                     !wpg_vec_push(&c->plan->path_fields, wave->fields[i].waves) ||
                     !wpg_vec_push(&c->plan->path_fields, wave->fields[i].uniform);
    }
    c->failed |= !wpg_vec_push(&c->plan->paths, told);
}

/* May a wave that leaves the region lack lanes of E? As wpg_live_known finds it. */
static bool may_lack_lanes(const wpg_chooser *c, const wpg_region *r)
{
    const wpg_function_plan *f = c->f;
    const wpg_plan *plan = c->plan;
    if (!wpg_plan_keeps_entry_mask(plan) || !f->steady)
        return true;
    const uint32_t first = f->classes.class_of[0], last = f->classes.class_of[r->exit];
    return first == WPG_NO_BLOCK || last == WPG_NO_BLOCK ||
           f->steady->group_of[first] != f->steady->group_of[last];
}

/* Gives each possible key of marks a place of its own. False: there are too many. */
static bool plan_all_keys(wpg_chooser *c, layout *l, wpg_wave_plan *wave, uint32_t most)
{
    const wpg_region *r = l->region;
    const bool part = may_lack_lanes(c, r);
    uint64_t places = (uint64_t)most * (part ? 2 : 1);
    if (wave->width)
        return false;
    for (uint32_t i = 0; i < r->told && places < UINT32_MAX; i++)
        places *= is_start(r, i) ? 1 : is_alike(r, i) ? 2 : most + 1;
    l->all_keys = true;
    lay_out(l, wave, 0);
    if (wave->words == 1 && wpg_table_reserve_all(c, &wave->table, places, most, part))
        return true;
    l->all_keys = false;
    lay_out(l, wave, 0);
    return false;
}

uint32_t wpg_plan_waves(wpg_chooser *c, wpg_region *r)
{
    uint32_t most = c->plan->options->target.subgroup_most;
    layout l = {.c = c, .region = r, .fields = WPG_ARENA_ARRAY(&c->plan->arena, wpg_wave_fields, r->told)};
    wpg_wave_plan *wave = WPG_ARENA_NEW(&c->plan->arena, wpg_wave_plan);
    l.leaders = WPG_ARENA_ARRAY(&c->plan->arena, wpg_wave_leaders, r->told);
    c->failed |= !l.fields || !l.leaders || !wave;
    /* lavapipe 22.3.6 gets the program's own data wrong then: seed 28000079 of e2e/random. */
    if (c->failed || c->plan->options->target.loses_exit_values)
        return 0;
    most = most && most < WPG_PATH_LANES ? most : WPG_PATH_LANES;
    const bool slow = r->told >= MANY_STEPS * most;
    while (UINT32_C(1) << l.more < most)
        l.more++;
    find_leaders(&l);
    wave->fields = l.fields;
    wave->leaders = l.leaders;
    wave->leader_count = l.leader_count;
    choose_layout(&l, wave);
    if (l.words >= MOST_WORDS || l.reductions > (slow ? MANY_STEPS_REDUCTIONS : MOST_REDUCTIONS))
        return 0;
    if (!plan_all_keys(c, &l, wave, most) && wave->words <= (slow ? MANY_STEPS_KEY_WORDS : MOST_KEY_WORDS) &&
        (r->told > WPG_FEW_TOLD || l.reductions <= WPG_FEW_REDUCTIONS))
        wpg_table_reserve(c, &wave->table, wave->words, r, false);
    if (wave->table.words)
        tell_map(c, r, wave);
    r->wave = wave;
    return l.reductions + 1;
}

/* -- Injecting */

typedef struct flush {
    const wpg_function_plan *f;
    const wpg_region *r;
    const wpg_wave_plan *wave;
    const wpg_leaving *leaving;
    uint32_t lanes, rank, step;
    uint32_t begin, first; /* u32 where parts begin, bool: at zero; 0: there are no parts */
    uint32_t rest;         /* u32: bits of numbers behind the parts */
    uint32_t *words;       /* [wave->words] of this lane, then of the wave */
    uint32_t *lane_numbers, *wave_numbers, *uniform_numbers; /* [told] u32; 0: by its group */
} flush;

void wpg_waves_declare(wpg_inject *in, const wpg_wave_plan *wave)
{
    if (wave->table.words)
        wpg_table_declare(in, &wave->table);
}

static const wpg_tally *tally_at(const flush *s, uint32_t i)
{
    return &s->f->tallies[s->r->tallies[i]];
}

static uint32_t mark_of(wpg_inject *in, const flush *s, const wpg_tally *t)
{
    const wpg_path_field field = {.shift = (uint8_t)t->mark, .width = 1};
    uint32_t bit = wpg_field_get(in, (const uint32_t[]){wpg_cell_load(in, t->lanes_cell)}, field);
    return s->first ? wpg_select_u32(in, s->first, bit, in->c_zero) : bit;
}

/* What this round has of a number of visits. */
static uint32_t part_of(wpg_inject *in, flush *s, uint32_t number)
{
    uint32_t most = wpg_const_u32(in->module, (UINT32_C(1) << s->wave->width) - 1);
    uint32_t beyond = WPG_EMIT(in, SpvOpULessThan, in->t_bool, s->begin, number);
    uint32_t left = WPG_EMIT(in, SpvOpISub, in->t_u32, number, s->begin);
    left = wpg_select_u32(in, beyond, left, in->c_zero);
    s->rest = wpg_either(in, s->rest, left);
    return wpg_select_u32(in, WPG_EMIT(in, SpvOpULessThan, in->t_bool, left, most), left, most);
}

/* Of a side of a select, not all cells are there. */
static uint32_t part_of_cell(wpg_inject *in, flush *s, uint32_t cell)
{
    return cell == WPG_NO_CELL ? in->c_zero : part_of(in, s, wpg_cell_load(in, cell));
}

/* The most or the fewest of the lanes' numbers. */
static uint32_t extreme(wpg_inject *in, const flush *s, SpvOp opcode, uint32_t number)
{
    uint32_t none = opcode == SpvOpGroupNonUniformUMin ? wpg_const_u32(in->module, UINT32_MAX) : in->c_zero;
    uint32_t live = s->leaving->now.live;
    return wpg_reduce(in, opcode, live ? wpg_select_u32(in, live, number, none) : number);
}

/* This lane's numbers: what is added up goes to its word. */
static void pack_tally(wpg_inject *in, flush *s, uint32_t i)
{
    const wpg_tally *t = tally_at(s, i);
    const wpg_wave_fields *fields = &s->wave->fields[i];
    if (is_start(s->r, i))
        return;
    if (t->method == WPG_METHOD_MARK) {
        s->lane_numbers[i] = mark_of(in, s, t);
    } else if (is_in(s->r, i, WPG_FLUSH_VISITS) || is_in(s->r, i, WPG_FLUSH_TRIPS)) {
        s->lane_numbers[i] = part_of(in, s, wpg_cell_visits(in, s->f, t));
    } else {
        s->lane_numbers[i] = part_of_cell(in, s, t->lanes_cell);
        s->wave_numbers[i] = part_of_cell(in, s, t->waves_cell);
        s->uniform_numbers[i] = part_of_cell(in, s, t->uniform_cell);
    }
    if (fields->lanes.width)
        wpg_field_put(in, s->words, fields->lanes, s->lane_numbers[i]);
    if (is_in(s->r, i, WPG_FLUSH_SUMS))
        wpg_field_put(in, s->words, fields->waves, s->wave_numbers[i]);
}

/* Bool, true in one live lane: one that has the most of the number, or by UMin the fewest. */
static uint32_t find_leader(wpg_inject *in, const flush *s, SpvOp opcode, uint32_t number)
{
    wpg_live now = s->leaving->now;
    uint32_t is = WPG_EMIT(in, SpvOpIEqual, in->t_bool, number, extreme(in, s, opcode, number));
    now.mask = wpg_live_ballot(in, now.live ? wpg_both(in, is, now.live) : is);
    return wpg_live_elect(in, now);
}

static uint32_t add_up(wpg_inject *in, uint32_t sum, uint32_t number)
{
    return sum ? WPG_EMIT(in, SpvOpIAdd, in->t_u32, sum, number) : number;
}

/* This lane's sum of what the loop's leader is asked for. */
static uint32_t led_sum(wpg_inject *in, const flush *s, uint32_t loop, bool first)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < s->r->told; i++) {
        const wpg_tally *t = tally_at(s, i);
        if (!is_led(s->r, i, t, loop))
            continue;
        if (is_in(s->r, i, WPG_FLUSH_TRIPS))
            sum = add_up(in, sum, s->lane_numbers[i]);
        else if (!first)
            sum = add_up(in, sum, s->wave_numbers[i]);
        if (!first && t->uniform_cell != WPG_NO_CELL)
            sum = add_up(in, sum, s->uniform_numbers[i]);
    }
    return sum;
}

/* Puts the leader's numbers into its words; `leader` is false in all other lanes. */
static void pack_led(wpg_inject *in, flush *s, uint32_t loop, bool first, uint32_t leader)
{
    uint32_t words[MOST_WORDS] = {0};
    for (uint32_t i = 0; i < s->r->told; i++) {
        const wpg_wave_fields *fields = &s->wave->fields[i];
        const bool trips = is_in(s->r, i, WPG_FLUSH_TRIPS);
        if (!is_led(s->r, i, tally_at(s, i), loop))
            continue;
        if (!first)
            wpg_field_put(in, words, fields->waves, trips ? s->lane_numbers[i] : s->wave_numbers[i]);
        if (trips == first && fields->uniform.width)
            wpg_field_put(in, words, fields->uniform, trips ? s->lane_numbers[i] : s->uniform_numbers[i]);
    }
    for (uint32_t w = 0; w < s->wave->sums; w++)
        if (words[w])
            s->words[w] = wpg_either(in, s->words[w], wpg_select_u32(in, leader, words[w], in->c_zero));
}

/* Only where all of E leave is the number of uniform visits the fewest of a lane; elsewhere it is 0. */
static void pack_leaders(wpg_inject *in, flush *s, const wpg_wave_leaders *l)
{
    if (l->last)
        pack_led(in, s, l->loop, false,
                 find_leader(in, s, SpvOpGroupNonUniformUMax, led_sum(in, s, l->loop, false)));
    if (!l->first)
        return;
    uint32_t leader = find_leader(in, s, SpvOpGroupNonUniformUMin, led_sum(in, s, l->loop, true));
    pack_led(in, s, l->loop, true, wpg_both(in, leader, s->leaving->now.equal));
}

/* True if the sums over the wave have the field's number. */
static bool is_summed(const wpg_wave_plan *wave, wpg_path_field field)
{
    return field.width && field.word < wave->sums;
}

/* How often all lanes came to where the region starts: once, which the first round adds. */
static uint32_t by_start(wpg_inject *in, const flush *s)
{
    return s->first ? wpg_select_u32(in, s->first, in->c_one, in->c_zero) : in->c_one;
}

/* The wave's numbers, once its words are there. */
static void combine_tally(wpg_inject *in, flush *s, uint32_t i)
{
    const wpg_wave_fields *fields = &s->wave->fields[i];
    if (is_start(s->r, i)) {
        uint32_t once = by_start(in, s);
        s->lane_numbers[i] = is_alike(s->r, i) ? once : WPG_EMIT(in, SpvOpIMul, in->t_u32, once, s->lanes);
        return;
    }
    uint32_t own = s->lane_numbers[i];
    if (fields->lanes.width)
        s->lane_numbers[i] = wpg_field_get(in, s->words, fields->lanes);
    const bool trips = is_in(s->r, i, WPG_FLUSH_TRIPS), largest = is_in(s->r, i, WPG_FLUSH_LARGEST);
    if (is_summed(s->wave, fields->waves))
        s->wave_numbers[i] = wpg_field_get(in, s->words, fields->waves);
    else if (trips || largest)
        s->wave_numbers[i] = extreme(in, s, SpvOpGroupNonUniformUMax, trips ? own : s->wave_numbers[i]);
    if (is_summed(s->wave, fields->uniform)) {
        s->uniform_numbers[i] = wpg_field_get(in, s->words, fields->uniform);
    } else if (trips) {
        uint32_t fewest = extreme(in, s, SpvOpGroupNonUniformUMin, own);
        s->uniform_numbers[i] = wpg_select_u32(in, s->leaving->now.equal, fewest, in->c_zero);
    } else if (largest && fields->uniform.width) {
        s->uniform_numbers[i] = extreme(in, s, SpvOpGroupNonUniformUMax, s->uniform_numbers[i]);
    }
}

static void reduce_words(wpg_inject *in, flush *s)
{
    for (uint32_t w = 0; w < s->wave->sums; w++) {
        uint32_t own = s->words[w] ? s->words[w] : in->c_zero;
        if (s->leaving->now.live)
            own = wpg_select_u32(in, s->leaving->now.live, own, in->c_zero);
        s->words[w] = wpg_reduce(in, SpvOpGroupNonUniformIAdd, own);
    }
}

/* Finds the wave's numbers of this round. Returns how many lanes have more: u32, or 0 if there is one round
 * only. */
static uint32_t find_numbers(wpg_inject *in, flush *s)
{
    const wpg_wave_plan *wave = s->wave;
    for (uint32_t i = 0; i < s->r->told; i++)
        pack_tally(in, s, i);
    if (s->rest) {
        uint32_t width = wpg_const_u32(in->module, wave->width);
        uint32_t more = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, s->rest, width);
        more = wpg_select_u32(in, wpg_is_set(in, more), in->c_one, in->c_zero);
        wpg_field_put(in, s->words, wave->rest, more);
    }
    for (uint32_t k = 0; k < s->wave->leader_count; k++)
        pack_leaders(in, s, &s->wave->leaders[k]);
    reduce_words(in, s);
    for (uint32_t i = 0; i < s->r->told; i++)
        combine_tally(in, s, i);
    return s->rest ? wpg_field_get(in, s->words, wave->rest) : 0;
}

/* The sums are there as they are. */
static wpg_table_use make_key(wpg_inject *in, const flush *s)
{
    const wpg_wave_plan *wave = s->wave;
    const wpg_path_field all_of_e = {wave->lanes.word, WPG_LANES_WIDTH, 1, 0};
    wpg_table_use use = wpg_table_begin(in, &wave->table);
    if (!use.key)
        return use;
    for (uint32_t w = 0; w < wave->sums; w++)
        use.key[w] = wpg_either(in, use.key[w], s->words[w]);
    wpg_field_put(in, use.key, wave->lanes, s->lanes);
    wpg_field_put(in, use.key, all_of_e, wpg_select_u32(in, s->leaving->now.equal, in->c_one, in->c_zero));
    for (uint32_t i = 0; i < s->r->told; i++) {
        const wpg_wave_fields *fields = &wave->fields[i];
        uint32_t waves = is_start(s->r, i)   ? by_start(in, s)
                         : is_alike(s->r, i) ? s->lane_numbers[i]
                                             : s->wave_numbers[i];
        if (fields->waves.width && !is_summed(wave, fields->waves))
            wpg_field_put(in, use.key, fields->waves, waves);
        if (fields->uniform.width && !is_summed(wave, fields->uniform))
            wpg_field_put(in, use.key, fields->uniform, s->uniform_numbers[i]);
    }
    wpg_table_hash(in, &wave->table, &use);
    return use;
}

/* numbers[k - from], for k in [from, to). */
static uint32_t pick(wpg_inject *in, const uint32_t *numbers, uint32_t from, uint32_t to, const uint32_t *is)
{
    uint32_t value = numbers[from];
    for (uint32_t i = from + 1; i < to; i++)
        if (numbers[i] != value)
            value = wpg_select_u32(in, is[i], numbers[i], value);
    return value;
}

static uint32_t as_waves(wpg_inject *in, uint32_t condition)
{
    return wpg_select_u32(in, condition, in->c_one, in->c_zero);
}

/* This lane's tally is k. Marks and visits that are alike come before other marks, and these before the rest
 * (plan.h). */
static void add_tally(wpg_inject *in, const flush *s, uint32_t k)
{
    const wpg_region *r = s->r;
    const uint32_t told = r->told, alike = r->group_start[WPG_FLUSH_MARKS];
    const uint32_t marks = r->group_start[WPG_FLUSH_TRIPS];
    uint32_t *is = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, told);
    if (!is)
        return;
    for (uint32_t i = 0; i < told; i++)
        is[i] = WPG_EMIT(in, SpvOpIEqual, in->t_bool, k, wpg_const_u32(in->module, i));
    uint32_t number = pick(in, s->lane_numbers, 0, told, is), lanes = number, waves = number,
             uniform = number;
    if (marks < told) {
        waves = pick(in, s->wave_numbers, marks, told, is);
        uniform = pick(in, s->uniform_numbers, marks, told, is);
    }
    if (alike < marks) {
        uint32_t all = WPG_EMIT(in, SpvOpIEqual, in->t_bool, number, s->lanes);
        uint32_t of_mark = as_waves(in, wpg_both(in, all, s->leaving->now.equal));
        uint32_t some = as_waves(in, wpg_is_set(in, number));
        uint32_t here = WPG_EMIT(in, SpvOpULessThan, in->t_bool, k, wpg_const_u32(in->module, marks));
        waves = marks < told ? wpg_select_u32(in, here, some, waves) : some;
        uniform = marks < told ? wpg_select_u32(in, here, of_mark, uniform) : of_mark;
    }
    if (alike) {
        uint32_t here = WPG_EMIT(in, SpvOpULessThan, in->t_bool, k, wpg_const_u32(in->module, alike));
        uint32_t of_all = WPG_EMIT(in, SpvOpIMul, in->t_u32, number, s->lanes);
        uint32_t by_all = wpg_select_u32(in, s->leaving->now.equal, number, in->c_zero);
        lanes = alike < told ? wpg_select_u32(in, here, of_all, number) : of_all;
        waves = alike < told ? wpg_select_u32(in, here, number, waves) : number;
        uniform = alike < told ? wpg_select_u32(in, here, by_all, uniform) : by_all;
    }
    uint32_t when = WPG_EMIT(in, SpvOpULessThan, in->t_bool, k, wpg_const_u32(in->module, told));
    if (s->leaving->now.live)
        when = wpg_both(in, when, s->leaving->now.live);
    when = wpg_both(in, when, wpg_is_set(in, wpg_either(in, lanes, waves)));
    wpg_if some = wpg_if_begin(in, when);
    in->offset = WPG_EMIT(in, SpvOpIMul, in->t_u32, k, wpg_const_u32(in->module, WPG_TALLY_COUNTERS));
    wpg_memory_add_tally(in, tally_at(s, 0), lanes, waves, uniform);
    in->offset = 0;
    wpg_if_end(in, some);
}

static void add_all(wpg_inject *in, const flush *s)
{
    wpg_scratch_store(in, NEXT, in->c_zero);
    wpg_repeat repeat = wpg_repeat_begin(in);
    uint32_t first = wpg_scratch_load(in, NEXT);
    add_tally(in, s, WPG_EMIT(in, SpvOpIAdd, in->t_u32, first, s->rank));
    uint32_t next = WPG_EMIT(in, SpvOpIAdd, in->t_u32, first, s->step);
    wpg_scratch_store(in, NEXT, next);
    wpg_repeat_end(in, repeat,
                   WPG_EMIT(in, SpvOpULessThan, in->t_bool, next, wpg_const_u32(in->module, s->r->told)));
}

/* The sum of `place` and the next digit, of a key that its place tells. */
static uint32_t add_digit(wpg_inject *in, uint32_t place, uint32_t *scale, uint32_t digit, uint32_t radix)
{
    if (*scale > 1)
        digit = WPG_EMIT(in, SpvOpIMul, in->t_u32, digit, wpg_const_u32(in->module, *scale));
    *scale *= radix;
    return WPG_EMIT(in, SpvOpIAdd, in->t_u32, place, digit);
}

/* Each key has a place: the wave adds one there. */
static void add_to_place(wpg_inject *in, const flush *s)
{
    const wpg_path_table *table = &s->wave->table;
    const uint32_t most = table->most;
    uint32_t scale = most, place = WPG_EMIT(in, SpvOpISub, in->t_u32, s->lanes, in->c_one);
    assert(table->part || s->leaving->now.equal == in->c_true || in->module->arena.failed);
    if (table->part)
        place = add_digit(in, place, &scale, as_waves(in, s->leaving->now.equal), 2);
    for (uint32_t i = 0; i < s->r->told; i++)
        if (!is_start(s->r, i))
            place = add_digit(in, place, &scale, s->lane_numbers[i], is_alike(s->r, i) ? 2 : most + 1);
    /* A driver whose waves are larger than it says must not reach other memory. */
    place = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, place,
                     wpg_const_u32(in->module, (UINT32_C(1) << table->bits) - 1));
    wpg_table_count(in, table, &(wpg_table_use){.place = place}, s->leaving->elected);
}

/* A wave whose numbers the table has adds one; any other adds them, and takes the place if that is free. One
 * round of several is as good as a wave: each adds its own numbers. */
static void add_round(wpg_inject *in, const flush *s)
{
    const wpg_path_table *table = &s->wave->table;
    if (!table->words) {
        add_all(in, s);
        return;
    }
    wpg_table_use use = make_key(in, s);
    if (!use.key)
        return;
    /* Lanes might see a key appear one after the other; they have one key, and follow one answer. */
    uint32_t other = wpg_table_look_up(in, table, &use, use.hash);
    other = wpg_is_set(
        in, WPG_EMIT(in, SpvOpGroupNonUniformBroadcastFirst, in->t_u32, in->subgroup_scope, other));
    wpg_if tallied = wpg_if_begin(in, other);
    add_all(in, s);
    wpg_table_take(in, table, &use, s->leaving->elected);
    wpg_if_end(in, tallied);
    uint32_t found = WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, other);
    wpg_table_count(in, table, &use, wpg_both(in, found, s->leaving->elected));
}

static uint32_t count_bits(wpg_inject *in, uint32_t mask, SpvGroupOperation operation)
{
    return WPG_EMIT(in, SpvOpGroupNonUniformBallotBitCount, in->t_u32, in->subgroup_scope, operation, mask);
}

static bool give_memory(wpg_inject *in, flush *s)
{
    s->words = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, s->wave->words);
    s->lane_numbers = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, s->r->told);
    s->wave_numbers = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, s->r->told);
    s->uniform_numbers = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, s->r->told);
    return s->words && s->lane_numbers && s->wave_numbers && s->uniform_numbers;
}

void wpg_wave_flush(wpg_inject *in, const wpg_function_plan *f, const wpg_region *r,
                    const wpg_leaving *leaving)
{
    flush s = {.f = f, .r = r, .wave = r->wave, .leaving = leaving};
    wpg_repeat rounds = {0};
    if (!give_memory(in, &s))
        return; /* the module is spoilt */
    s.lanes = count_bits(in, leaving->now.mask, SpvGroupOperationReduce);
    if (s.wave->table.most) {
        (void)find_numbers(in, &s);
        add_to_place(in, &s);
        return;
    }
    s.rank = count_bits(in, leaving->now.mask, SpvGroupOperationExclusiveScan);
    s.step = s.lanes;
    if (leaving->now.live) /* helpers alone: no step would be a loop without end */
        s.step = wpg_select_u32(in, wpg_is_set(in, s.lanes), s.lanes, in->c_one);
    if (s.wave->width) {
        wpg_scratch_store(in, BEGIN, in->c_zero);
        rounds = wpg_repeat_begin(in);
        s.begin = wpg_scratch_load(in, BEGIN);
        s.first = WPG_EMIT(in, SpvOpIEqual, in->t_bool, s.begin, in->c_zero);
    }
    uint32_t more = find_numbers(in, &s);
    add_round(in, &s);
    if (!s.wave->width)
        return;
    uint32_t part = wpg_const_u32(in->module, (UINT32_C(1) << s.wave->width) - 1);
    wpg_scratch_store(in, BEGIN, WPG_EMIT(in, SpvOpIAdd, in->t_u32, s.begin, part));
    wpg_repeat_end(in, rounds, more ? wpg_is_set(in, more) : wpg_const_bool(in->module, false));
}
