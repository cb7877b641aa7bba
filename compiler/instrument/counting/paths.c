/* See paths.h. */
#include "compiler/instrument/counting/paths.h"
#include "compiler/instrument/sampling/sample.h"

/* Bits of a word of a key. The next one says that it was written. The last one stays zero: a counter that has
 * it is taken for a torn read (runtime/counters/counters.c). */
enum { KEY_BITS = 30, LANES_WIDTH = 8 /* a wave has 128 lanes at most */ };
/* Bits of a number of visits: as many as there are in the fewest words, but rather one more word than few. */
enum { MOST_WIDTH = 16, GOOD_WIDTH = 7, LEAST_WIDTH = 6 };
/* Places of a table, as a power of two. Waves of other stages are often partial, by any number of lanes. */
enum { COMPUTE_BITS = 4, OTHER_BITS = 7 };
enum { FEW_TALLIES = 2 }; /* of fewer, nothing is saved */
/* Marks that lanes of a wave may differ in: each takes a ballot. One alone is mostly the test of an array's
 * end, where few waves differ. */
enum { MOST_MIXED = 12, FEW_ARMS = 2 };

/* -- Planning */

typedef struct layout {
    const wpg_chooser *c;
    const wpg_region *region;
    uint32_t count; /* tallies */
    wpg_path_part *parts;
    wpg_path_field *fields; /* [count] */
    uint32_t part_count, word, at;
} layout;

/* Visits that are the loop's trips, or one more. */
static bool is_of_trips(const wpg_chooser *c, const wpg_tally *t, bool *one_more)
{
    if (t->method != WPG_METHOD_TRIPS || t->lanes_cell != WPG_NO_CELL)
        return false;
    const wpg_loop_plan *loop = &c->loops.data[t->loop];
    uint32_t passes = 0;
    for (uint32_t i = 0; i < loop->exit_count; i++)
        passes += t->passes[i];
    *one_more = passes == loop->exit_count;
    return passes == 0 || *one_more;
}

static wpg_path_part *add_part(layout *l, uint32_t tally, uint32_t width, bool of_trips)
{
    if (l->at + width > KEY_BITS) {
        l->word++;
        l->at = 0;
    }
    wpg_path_part *part = &l->parts[l->part_count++];
    *part = (wpg_path_part){
        .tally = tally, .of_trips = of_trips, .field = {(uint8_t)l->word, (uint8_t)l->at, (uint8_t)width, 0}};
    l->at += width;
    return part;
}

/* Marks that are neighbours in one cell are one part. */
static void lay_mark(layout *l, uint32_t i)
{
    const wpg_tally *tallies = l->c->tallies.data, *t = &tallies[l->region->tallies[i]];
    wpg_path_part *last = l->part_count ? &l->parts[l->part_count - 1] : NULL;
    const wpg_tally *first = last ? &tallies[last->tally] : NULL;
    if (first && first->method == WPG_METHOD_MARK && first->lanes_cell == t->lanes_cell &&
        first->mark + last->field.width == t->mark && l->at < KEY_BITS) {
        last->field.width++;
        l->at++;
    } else {
        last = add_part(l, l->region->tallies[i], 1, false);
    }
    l->fields[i] = last->field;
    l->fields[i].shift = (uint8_t)(last->field.shift + last->field.width - 1);
    l->fields[i].width = 1;
}

static void lay_visits(layout *l, uint32_t i, uint32_t width)
{
    const wpg_tally *t = &l->c->tallies.data[l->region->tallies[i]];
    bool one_more = false, of_trips = is_of_trips(l->c, t, &one_more);
    const wpg_path_part *part = NULL;
    for (uint32_t p = 0; of_trips && p < l->part_count; p++)
        if (l->parts[p].of_trips && l->c->tallies.data[l->parts[p].tally].loop == t->loop)
            part = &l->parts[p];
    if (!part)
        part = add_part(l, l->region->tallies[i], width, of_trips);
    l->fields[i] = part->field;
    l->fields[i].plus = one_more && of_trips;
}

/* Returns how many words a key takes. */
static uint32_t lay_out(layout *l, uint32_t width)
{
    l->part_count = l->word = 0;
    l->at = LANES_WIDTH;
    for (uint32_t i = 0; i < l->count && l->word < WPG_PATH_WORDS; i++) {
        if (l->c->tallies.data[l->region->tallies[i]].method == WPG_METHOD_MARK)
            lay_mark(l, i);
        else
            lay_visits(l, i, width);
    }
    return l->word + 1;
}

/* The fewest words in which numbers are not too narrow; 0: too many. */
static uint32_t choose_layout(layout *l)
{
    for (uint32_t words = 1; words <= WPG_PATH_WORDS; words++)
        for (uint32_t width = MOST_WIDTH; width >= (words < WPG_PATH_WORDS ? GOOD_WIDTH : LEAST_WIDTH);
             width--)
            if (lay_out(l, width) <= words)
                return words;
    return 0;
}

static uint32_t round_up(uint32_t number, uint32_t to)
{
    return (number + to - 1) / to * to;
}

/* Keys begin a cache line, so that no addition to a counter takes them away from readers. */
static void reserve_table(wpg_chooser *c, wpg_path_table *table, uint32_t words)
{
    const bool copied = wpg_sample_has_copies(c->plan);
    uint32_t next = c->plan->options->first_counter + c->plan->counter_count;
    *table = (wpg_path_table){.first = round_up(next, WPG_SPREAD),
                              .words = (uint8_t)words,
                              .bits = copied ? COMPUTE_BITS : OTHER_BITS,
                              .copies = copied ? WPG_COPIES : 1};
    c->plan->counter_count += table->first - next + wpg_path_counters(table);
}

/* Of a block's visits in SUMS, a lane knows the wave's if all were by all of E. Of a side of a select it
 * knows its own only. */
static bool tells_sums(const wpg_chooser *c, const wpg_region *r)
{
    for (uint32_t i = r->group_start[WPG_FLUSH_SUMS]; i < r->group_start[WPG_FLUSH_GROUPS]; i++)
        if (c->tallies.data[r->tallies[i]].lanes_cell == WPG_NO_CELL ||
            c->tallies.data[r->tallies[i]].uniform_cell == WPG_NO_CELL)
            return false;
    return wpg_shares_uniform(r);
}

static void tell_map(wpg_chooser *c, const wpg_region *r, const wpg_path_plan *path, const layout *l)
{
    wpg_counter_path told = {.table = path->table,
                             .mixed = path->mixed,
                             .full = c->tallies.data[r->tallies[0]].full,
                             .size = c->plan->options->target.subgroup_size,
                             .lanes = path->lanes,
                             .first = (uint32_t)c->plan->path_fields.count,
                             .count = l->count};
    for (uint32_t i = 0; i < l->count; i++)
        c->failed |= !wpg_vec_push(&c->plan->path_fields, l->fields[i]);
    c->failed |= !wpg_vec_push(&c->plan->paths, told);
}

/* A second table, for waves whose lanes differ. All tallies of the region must be marks, and few. */
static void plan_mixed(wpg_chooser *c, wpg_region *r, layout *l)
{
    uint32_t differ = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        if (c->tallies.data[r->tallies[i]].method != WPG_METHOD_MARK)
            return;
        differ += !c->tallies.data[r->tallies[i]].steady && r->tallies[i] != r->start_mark;
    }
    if (differ < FEW_ARMS)
        return;
    wpg_path_plan *mixed = l->count <= MOST_MIXED ? WPG_ARENA_NEW(&c->plan->arena, wpg_path_plan) : NULL;
    wpg_path_part *parts = WPG_ARENA_ARRAY(&c->plan->arena, wpg_path_part, l->count);
    c->failed |= !parts || (!mixed && l->count <= MOST_MIXED);
    if (!mixed || !parts)
        return;
    l->parts = parts;
    l->part_count = l->word = 0;
    l->at = LANES_WIDTH;
    for (uint32_t i = 0; i < l->count; i++)
        l->fields[i] = add_part(l, r->tallies[i], LANES_WIDTH, false)->field;
    *mixed = (wpg_path_plan){
        .mixed = true, .lanes = {.width = LANES_WIDTH}, .parts = parts, .part_count = l->part_count};
    reserve_table(c, &mixed->table, l->word + 1);
    r->mixed = mixed;
    tell_map(c, r, mixed, l);
}

static void plan_region(wpg_chooser *c, wpg_region *r)
{
    const bool has_sums = tells_sums(c, r);
    layout l = {.c = c, .region = r, .count = r->group_start[has_sums ? WPG_FLUSH_GROUPS : WPG_FLUSH_SUMS]};
    if (r->exit == WPG_NO_BLOCK || l.count < FEW_TALLIES)
        return;
    for (uint32_t i = 0; i < l.count; i++)
        if (c->tallies.data[r->tallies[i]].full == WPG_NO_COUNTER)
            return;
    wpg_path_plan *path = WPG_ARENA_NEW(&c->plan->arena, wpg_path_plan);
    l.parts = WPG_ARENA_ARRAY(&c->plan->arena, wpg_path_part, l.count);
    l.fields = WPG_ARENA_ARRAY(&c->plan->arena, wpg_path_field, l.count);
    if (!path || !l.parts || !l.fields) {
        c->failed = true;
        return;
    }
    uint32_t words = choose_layout(&l);
    if (!words)
        return;
    *path = (wpg_path_plan){
        .has_sums = has_sums, .lanes = {.width = LANES_WIDTH}, .parts = l.parts, .part_count = l.part_count};
    reserve_table(c, &path->table, words);
    r->path = path;
    tell_map(c, r, path, &l);
    plan_mixed(c, r, &l);
}

/* Blocks counted in place, such as the start of a shader that lanes leave early: every wave adds to them. */
static void spread_counters(wpg_chooser *c)
{
    uint32_t first = WPG_NO_COUNTER, count = 0;
    if (!wpg_sample_has_copies(c->plan))
        return;
    for (uint32_t i = 0; i < c->tallies.count && count < WPG_SPREAD; i++) {
        wpg_tally *t = &c->tallies.data[i];
        if (t->region != WPG_NO_BLOCK || t->full == WPG_NO_COUNTER)
            continue;
        if (!count) {
            first = round_up(c->plan->options->first_counter + c->plan->counter_count, WPG_SPREAD);
            c->plan->counter_count = first + WPG_COPIES * WPG_SPREAD - c->plan->options->first_counter;
        }
        t->spread = first + count++;
        wpg_counter_spread made = {.counter = t->full, .first = t->spread};
        c->failed |= !wpg_vec_push(&c->plan->spreads, made);
    }
}

void wpg_plan_paths(wpg_chooser *c)
{
    spread_counters(c);
    if (c->plan->options->high_start || c->plan->options->no_paths)
        return; /* keys of a table start at zero */
    for (uint32_t r = 0; r < c->regions.count && !c->failed; r++)
        plan_region(c, &c->regions.data[r]);
}

/* -- Injecting */

void wpg_paths_declare(wpg_inject *in)
{
    if (in->plan->spreads.count)
        wpg_sample_declare_copies(in);
    for (uint32_t i = 0; i < in->plan->function_count; i++) {
        for (uint32_t r = 0; r < in->plan->functions[i].region_count; r++) {
            const wpg_path_plan *path = in->plan->functions[i].regions[r].path;
            if (!path)
                continue;
            wpg_memory_declare_words(in);
            if (path->table.copies > 1)
                wpg_sample_declare_copies(in);
        }
    }
}

static uint32_t either(wpg_inject *in, uint32_t a, uint32_t b)
{
    return a && b ? WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, a, b) : a ? a : b;
}

static uint32_t shifted(wpg_inject *in, SpvOp opcode, uint32_t value, uint32_t by)
{
    return by ? WPG_EMIT(in, opcode, in->t_u32, value, wpg_const_u32(in->module, by)) : value;
}

static uint32_t differs(wpg_inject *in, uint32_t a, uint32_t b)
{
    return WPG_EMIT(in, SpvOpBitwiseXor, in->t_u32, a, b);
}

/* The false side of a select: its lanes are not counted, and not read (wpg_side_terms). */
static bool is_of_waves_alone(const wpg_tally *t)
{
    return t->lanes_cell == WPG_NO_CELL && t->method != WPG_METHOD_TRIPS;
}

/* What is asked of all parts of a lane's path, u32; 0: nothing yet. */
typedef struct path_check {
    uint32_t visits;  /* all together: too large a number has bits that no field holds */
    uint32_t differs; /* not zero if some visits were not by all of E: then waves cannot be told. If all of
                         every lane's were, no wave came without the lane. Of a side of a select: not zero
                         if a wave came without this lane */
} path_check;

static uint32_t number_of(wpg_inject *in, const wpg_function_plan *f, const wpg_path_part *part,
                          path_check *check)
{
    const wpg_tally *t = &f->tallies[part->tally];
    uint32_t mask = (UINT32_C(1) << part->field.width) - 1;
    if (t->method == WPG_METHOD_MARK) {
        uint32_t marks = shifted(in, SpvOpShiftRightLogical, wpg_cell_load(in, t->lanes_cell), t->mark);
        return WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, marks, wpg_const_u32(in->module, mask));
    }
    uint32_t visits = part->of_trips         ? wpg_cell_load(in, f->loops[t->loop].trips_cell)
                      : is_of_waves_alone(t) ? wpg_cell_load(in, t->waves_cell)
                                             : wpg_cell_visits(in, f, t);
    check->visits = either(in, check->visits, visits);
    uint32_t of_wave = t->uniform_cell != WPG_NO_CELL ? t->uniform_cell : t->waves_cell;
    if (of_wave != WPG_NO_CELL && !is_of_waves_alone(t))
        check->differs = either(in, check->differs, differs(in, visits, wpg_cell_load(in, of_wave)));
    return visits;
}

/* Index of a word of the key at a place of the table. */
static uint32_t word_at(wpg_inject *in, const wpg_path_plan *path, uint32_t word, uint32_t place)
{
    uint32_t first = wpg_const_u32(in->module, 2 * path->table.first + (word << path->table.bits));
    return WPG_EMIT(in, SpvOpIAdd, in->t_u32, place, first);
}

/* Fibonacci hashing (Knuth, TAOCP 3, 6.4). */
static uint32_t hash_of(wpg_inject *in, const uint32_t *key, uint32_t words)
{
    uint32_t hash = 0;
    for (uint32_t w = 0; w < words; w++) {
        hash = hash ? differs(in, hash, key[w]) : key[w];
        hash = WPG_EMIT(in, SpvOpIMul, in->t_u32, hash, wpg_const_u32(in->module, 0x9e3779b1));
    }
    return hash;
}

static uint32_t is_set(wpg_inject *in, uint32_t value)
{
    return WPG_EMIT(in, SpvOpINotEqual, in->t_bool, value, in->c_zero);
}

static uint32_t both(wpg_inject *in, uint32_t a, uint32_t b)
{
    return WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, a, b);
}

/* Bool, equal in all lanes: some live lane's number is not zero. */
static uint32_t some_set(wpg_inject *in, uint32_t number, uint32_t live)
{
    uint32_t set = is_set(in, number);
    return wpg_any_in(in, wpg_live_ballot(in, live ? both(in, set, live) : set));
}

/* A key without numbers. Returns the number of leaving lanes, u32. */
static uint32_t begin_key(wpg_inject *in, const wpg_path_plan *path, const wpg_leaving *leaving,
                          uint32_t *key)
{
    for (uint32_t w = 0; w < path->table.words; w++)
        key[w] = wpg_const_u32(in->module, UINT32_C(1) << KEY_BITS);
    return WPG_EMIT(in, SpvOpGroupNonUniformBallotBitCount, in->t_u32, in->subgroup_scope,
                    SpvGroupOperationReduce, leaving->now.mask);
}

static void put(wpg_inject *in, uint32_t *key, wpg_path_field field, uint32_t number)
{
    key[field.word] = either(in, key[field.word], shifted(in, SpvOpShiftLeftLogical, number, field.shift));
}

/* This lane's path. Returns a u32 that is not zero if the key cannot tell a number; 0: it can tell all. */
static uint32_t make_key(wpg_inject *in, const wpg_function_plan *f, const wpg_path_plan *path,
                         const wpg_leaving *leaving, uint32_t *key)
{
    path_check check = {0};
    uint32_t width = 0;
    put(in, key, path->lanes, begin_key(in, path, leaving, key));
    for (uint32_t i = 0; i < path->part_count; i++) {
        const wpg_path_field field = path->parts[i].field;
        uint32_t number = number_of(in, f, &path->parts[i], &check);
        put(in, key, field, number);
        if (f->tallies[path->parts[i].tally].method != WPG_METHOD_MARK)
            width = field.width; /* of all visits the same */
    }
    if (check.visits)
        check.visits = shifted(in, SpvOpShiftRightLogical, check.visits, width);
    return either(in, check.visits, check.differs);
}

/* u32: how many lanes of a wave have the mark. */
static uint32_t lanes_with(wpg_inject *in, const wpg_function_plan *f, const wpg_path_part *part,
                           const wpg_leaving *leaving, uint32_t lanes)
{
    const wpg_tally *t = &f->tallies[part->tally];
    if (f->regions[t->region].start_mark == part->tally)
        return lanes;
    uint32_t bit = wpg_const_u32(in->module, UINT32_C(1) << t->mark);
    uint32_t has = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, wpg_cell_load(in, t->lanes_cell), bit);
    has = is_set(in, has);
    if (t->steady)
        return wpg_select_u32(in, has, lanes, in->c_zero);
    uint32_t mask = wpg_live_ballot(in, leaving->now.live ? both(in, has, leaving->now.live) : has);
    return WPG_EMIT(in, SpvOpGroupNonUniformBallotBitCount, in->t_u32, in->subgroup_scope,
                    SpvGroupOperationReduce, mask);
}

/* The wave's marks: the same in all lanes. */
static void make_mixed_key(wpg_inject *in, const wpg_function_plan *f, const wpg_path_plan *path,
                           const wpg_leaving *leaving, uint32_t *key)
{
    uint32_t lanes = begin_key(in, path, leaving, key);
    put(in, key, path->lanes, wpg_select_u32(in, leaving->now.equal, lanes, in->c_zero));
    for (uint32_t i = 0; i < path->part_count; i++)
        put(in, key, path->parts[i].field, lanes_with(in, f, &path->parts[i], leaving, lanes));
}

/* u32: not zero if the place does not hold this lane's key. */
static uint32_t look_up(wpg_inject *in, const wpg_path_plan *path, wpg_path_use *use)
{
    uint32_t other = 0;
    use->place = shifted(in, SpvOpShiftRightLogical, use->first, 32u - path->table.bits);
    for (uint32_t w = 0; w < path->table.words; w++) {
        uint32_t pointer = wpg_memory_word_at(in, use->words, word_at(in, path, w, use->place));
        use->found =
            WPG_EMIT(in, SpvOpAtomicLoad, in->t_u32, pointer, in->memory.scope, in->memory.semantics);
        other = either(in, other, differs(in, use->found, use->key[w]));
    }
    return other;
}

wpg_path_use wpg_path_ask(wpg_inject *in, const wpg_function_plan *f, const wpg_path_plan *path,
                          const wpg_leaving *leaving)
{
    wpg_path_use use = {.words = wpg_memory_words(in), .tallied = in->c_true};
    use.key = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, path->table.words);
    if (!use.key)
        return use; /* the module is spoilt */
    if (path->mixed) {
        make_mixed_key(in, f, path, leaving, use.key);
        use.first = use.hash = hash_of(in, use.key, path->table.words);
        use.tallied = is_set(in, look_up(in, path, &use));
        return use;
    }
    use.rest = make_key(in, f, path, leaving, use.key);
    /* One place for the wave: lanes of other paths must not find theirs. */
    use.hash = hash_of(in, use.key, path->table.words);
    use.first = WPG_EMIT(in, SpvOpGroupNonUniformBroadcastFirst, in->t_u32, in->subgroup_scope, use.hash);
    uint32_t other = either(in, use.rest, look_up(in, path, &use));
    uint32_t alone = WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, leaving->now.equal);
    use.tallied = WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, some_set(in, other, leaving->now.live), alone);
    return use;
}

/* The lane that gets the first word writes the others. */
static void take_words(wpg_inject *in, const wpg_path_plan *path, const wpg_path_use *use)
{
    uint32_t pointer = wpg_memory_word_at(in, use->words, word_at(in, path, 0, use->place));
    uint32_t old = WPG_EMIT(in, SpvOpAtomicCompareExchange, in->t_u32, pointer, in->memory.scope,
                            in->memory.semantics, in->memory.semantics, use->key[0], in->c_zero);
    if (path->table.words == 1)
        return;
    wpg_if mine = wpg_if_begin(in, WPG_EMIT(in, SpvOpIEqual, in->t_bool, old, in->c_zero));
    for (uint32_t w = 1; w < path->table.words; w++) {
        pointer = wpg_memory_word_at(in, use->words, word_at(in, path, w, use->place));
        (void)WPG_EMIT(in, SpvOpAtomicIAdd, in->t_u32, pointer, in->memory.scope, in->memory.semantics,
                       use->key[w]); /* to zero; a store that drivers know by another name */
    }
    wpg_if_end(in, mine);
}

void wpg_path_take(wpg_inject *in, const wpg_path_plan *path, const wpg_path_use *use,
                   const wpg_leaving *leaving)
{
    if (!use->key)
        return;
    uint32_t open = WPG_EMIT(in, SpvOpIEqual, in->t_bool, use->found, in->c_zero);
    if (!path->mixed) {
        /* Of lanes that differ, no wave has the path: the place would be lost. */
        uint32_t unlike = either(in, differs(in, use->hash, use->first), use->rest);
        uint32_t alike = WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, some_set(in, unlike, leaving->now.live));
        open = both(in, both(in, open, leaving->now.equal), alike);
    }
    wpg_if taken = wpg_if_begin(in, both(in, open, leaving->elected));
    take_words(in, path, use);
    wpg_if_end(in, taken);
}

void wpg_path_count(wpg_inject *in, const wpg_path_plan *path, const wpg_path_use *use,
                    const wpg_leaving *leaving)
{
    if (!use->key)
        return;
    uint32_t found = WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, use->tallied);
    wpg_if counted = wpg_if_begin(in, both(in, found, leaving->elected));
    uint32_t first = wpg_const_u32(in->module, path->table.first + wpg_path_keys(&path->table));
    uint32_t at = WPG_EMIT(in, SpvOpIAdd, in->t_u32, use->place, first);
    if (path->table.copies > 1) {
        uint32_t from = shifted(in, SpvOpShiftLeftLogical, wpg_sample_copy(in), path->table.bits);
        at = WPG_EMIT(in, SpvOpIAdd, in->t_u32, from, at);
    }
    wpg_memory_add_at(in, at, in->c_one);
    wpg_if_end(in, counted);
}
