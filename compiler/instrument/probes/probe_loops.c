/* Loops: how often loops are entered, and how many trips their lanes make.
 *
 *     record: 1, then for each loop, outer before inner: block of the header, lanes that entered, waves that
 *             entered, trips of all lanes, then lanes by trips: 0, 1, 2-3, 4-7, ... (32 buckets)
 *     and ranges: the least and the most trips of a lane, for each loop
 *
 * A trip is one taking of the back edge by one lane: n for `for (i = 0; i < n; i++)`, one less than the runs
 * of the body for a do-while. Every lane that enters live is in one bucket. The lane counts its trips in a
 * private variable. It adds itself to the bucket when it leaves, by the merge block or early, or before it
 * demotes. So entries are the sum of the buckets and need no counter. Each live start of the header is an
 * entry or the end of a trip. So trips are the header's lanes less the entries.
 *
 * Of the lanes that leave together, the first adds at once for all that share its bucket; each other lane
 * adds for itself. Waves that entered are the waves at the merge block, if every lane comes there (the class
 * of compiler/analysis/graph/mask.h). Otherwise they are the waves that start the header with no trip behind
 * them: all lanes of an iteration agree on that.
 *
 * Where waves are not counted each lane adds itself. That record has another kind, without the word for
 * waves.
 *
 * Left out: loops that call a function which may kill or demote (such a lane would be in no bucket), loops
 * that are left early from a switch, and loops without a trip. */
#include "compiler/instrument/probes/probe.h"

#include "compiler/analysis/graph/mask.h"

/* GLSL.std.450 */
enum { UMIN = 38, FIND_UMSB = 75 };
enum { BUCKETS = 32, NO = WPG_NO_BLOCK };

typedef struct loop_site {
    uint32_t construct;
    uint32_t variable; /* trips; made at the first point that is emitted */
    uint32_t buckets;  /* first counter */
    uint32_t waves;    /* counter, WPG_NO_COUNTER: waves of block `waves_of` */
    uint32_t waves_of;
    uint32_t extremes; /* first of a range's counters, WPG_NO_COUNTER for none */
} loop_site;

typedef enum loop_action { LOOP_ENTER, LOOP_NEXT, LOOP_LEAVE } loop_action;

typedef struct loop_point {
    loop_site *site;
    loop_action action;
    uint32_t condition; /* id of a bool that holds for the lanes concerned, 0: all */
    bool negated;       /* or does not hold */
    bool stays;         /* goes on to run: the variable is made ready for the next time */
} loop_point;

/* -- Plan */

static bool holds(const wpg_cfg *cfg, uint32_t loop, uint32_t block)
{
    uint32_t c = cfg->blocks[block].construct;
    while (c != NO && c != loop)
        c = cfg->constructs[c].parent;
    return c == loop;
}

static void place(wpg_probe_plan *p, uint32_t block, wpg_inst *before, loop_point what)
{
    loop_point *kept = wpg_probe_alloc(p, 1, sizeof *kept);
    if (!kept)
        return;
    *kept = what;
    wpg_probe_place(p, block, before, kept);
}

/* Whether the block ends the function, or lanes, other than by an undefined end. */
static bool ends(const wpg_block *block)
{
    return block->successor_count == 0 && block->terminator->opcode != SpvOpUnreachable;
}

/* Edges of block b that leave the loop and are seen there: not those to a merge block at whose start lanes
 * are counted. */
static bool is_exit(const wpg_cfg *cfg, const wpg_construct *loop, uint32_t index, uint32_t to, bool at_merge)
{
    return to == loop->merge ? !at_merge : !holds(cfg, index, to);
}

typedef enum exit_shape { EXIT_NONE, EXIT_ALL, EXIT_CONDITION, EXIT_UNKNOWN } exit_shape;

static exit_shape exits_of(bool *negated, const wpg_cfg *cfg, uint32_t index, uint32_t b, bool at_merge)
{
    const wpg_block *block = &cfg->blocks[b];
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->successor_count; i++)
        count += is_exit(cfg, &cfg->constructs[index], index, block->successors[i], at_merge);
    if (ends(block) || (count && count == block->successor_count))
        return EXIT_ALL;
    if (!count)
        return EXIT_NONE;
    if (block->terminator->opcode != SpvOpBranchConditional)
        return EXIT_UNKNOWN;
    uint32_t yes = wpg_cfg_find(cfg, block->terminator->words[2]);
    *negated = !is_exit(cfg, &cfg->constructs[index], index, yes, at_merge);
    return EXIT_CONDITION;
}

/* Where a merge block heads a loop itself, its start is not only the end of this one. */
static bool counts_at_merge(const wpg_cfg *cfg, const wpg_construct *loop)
{
    const wpg_block *merge = &cfg->blocks[loop->merge];
    return merge->rpo != NO && !(merge->merge && merge->merge->opcode == SpvOpLoopMerge);
}

static bool calls_what_changes(const wpg_block *block)
{
    if (!block->changes_mask)
        return false;
    for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next)
        if (inst->opcode == SpvOpFunctionCall)
            return true;
    return false;
}

static bool can_count(const wpg_cfg *cfg, uint32_t index)
{
    const wpg_construct *loop = &cfg->constructs[index];
    bool negated, at_merge = counts_at_merge(cfg, loop);
    if (loop->kind != WPG_CONSTRUCT_LOOP || loop->back_edge == NO || cfg->blocks[loop->header].rpo == NO)
        return false;
    for (uint32_t b = 0; b < cfg->count; b++)
        if (cfg->blocks[b].rpo != NO && holds(cfg, index, b) &&
            (calls_what_changes(&cfg->blocks[b]) ||
             exits_of(&negated, cfg, index, b, at_merge) == EXIT_UNKNOWN))
            return false;
    return true;
}

static void place_exits(wpg_probe_plan *p, loop_site *site, uint32_t b, bool at_merge)
{
    const wpg_block *block = &p->function->cfg->blocks[b];
    loop_point leave = {.site = site, .action = LOOP_LEAVE};
    exit_shape shape = exits_of(&leave.negated, p->function->cfg, site->construct, b, at_merge);
    if (block->changes_mask)
        for (wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next)
            if (inst->opcode == SpvOpDemoteToHelperInvocation)
                place(p, b, inst, (loop_point){.site = site, .action = LOOP_LEAVE});
    leave.stays = !ends(block);
    leave.condition = shape == EXIT_CONDITION ? block->terminator->words[1] : 0;
    if (shape != EXIT_NONE)
        place(p, b, block->terminator, leave);
}

static void place_next(wpg_probe_plan *p, loop_site *site)
{
    const wpg_cfg *cfg = p->function->cfg;
    const wpg_construct *loop = &cfg->constructs[site->construct];
    wpg_inst *end = cfg->blocks[loop->back_edge].terminator;
    loop_point next = {.site = site, .action = LOOP_NEXT, .stays = true};
    if (end->opcode == SpvOpBranchConditional && cfg->blocks[loop->back_edge].successor_count == 2) {
        next.condition = end->words[1];
        next.negated = wpg_cfg_find(cfg, end->words[2]) != loop->header;
    }
    place(p, loop->back_edge, end, next);
}

static void place_points(wpg_probe_plan *p, loop_site *site)
{
    const wpg_cfg *cfg = p->function->cfg;
    const wpg_construct *loop = &cfg->constructs[site->construct];
    bool at_merge = counts_at_merge(cfg, loop);
    if (site->waves != WPG_NO_COUNTER)
        place(p, loop->header, NULL, (loop_point){.site = site, .action = LOOP_ENTER});
    for (uint32_t b = 0; b < cfg->count; b++)
        if (cfg->blocks[b].rpo != NO && holds(cfg, site->construct, b))
            place_exits(p, site, b, at_merge);
    place_next(p, site);
    if (at_merge)
        place(p, loop->merge, NULL, (loop_point){.site = site, .action = LOOP_LEAVE, .stays = true});
}

static void waves_word(wpg_probe_plan *p, const loop_site *site)
{
    wpg_probe_word(p);
    if (site->waves != WPG_NO_COUNTER)
        wpg_probe_add(p, WPG_TERM_COUNTER, site->waves);
    else
        wpg_probe_add(p, WPG_TERM_WAVES, site->waves_of);
}

static void words(wpg_probe_plan *p, const loop_site *site, uint32_t header)
{
    wpg_probe_describe(p, header);
    wpg_probe_word(p);
    for (uint32_t i = 0; i < BUCKETS; i++)
        wpg_probe_add(p, WPG_TERM_COUNTER, site->buckets + i);
    if (!p->probe->by_lane)
        waves_word(p, site);
    wpg_probe_word(p);
    wpg_probe_add(p, WPG_TERM_LANES, header);
    for (uint32_t i = 0; i < BUCKETS; i++)
        wpg_probe_subtract(p, WPG_TERM_COUNTER, site->buckets + i);
    for (uint32_t i = 0; i < BUCKETS; i++) {
        wpg_probe_word(p);
        wpg_probe_add(p, WPG_TERM_COUNTER, site->buckets + i);
    }
}

static void plan(wpg_probe_plan *p)
{
    const wpg_cfg *cfg = p->function->cfg;
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        loop_site *site = can_count(cfg, c) ? wpg_probe_alloc(p, 1, sizeof *site) : NULL;
        if (!site)
            continue;
        uint32_t header = cfg->constructs[c].header;
        site->construct = c;
        site->waves_of = wpg_loop_entry_block(cfg, &p->function->classes, c);
        site->waves = site->waves_of == NO && !p->probe->by_lane ? wpg_probe_counters(p, 1) : WPG_NO_COUNTER;
        site->buckets = wpg_probe_counters(p, BUCKETS);
        site->extremes = wpg_probe_range_of(p, header);
        if (!p->first.count)
            wpg_probe_describe(p, 1);
        words(p, site, header);
        place_points(p, site);
    }
}

/* -- Code */

static void declare(wpg_inject *in)
{
    if (!in->plan->options->high_start)
        wpg_memory_declare_words(in);
}

static uint32_t variable_of(wpg_inject *in, const wpg_function_plan *function, loop_site *site)
{
    wpg_module *m = in->module;
    if (!site->variable) {
        uint32_t pointer = wpg_type_pointer(m, SpvStorageClassFunction, in->t_u32);
        site->variable = wpg_module_fresh_id(m);
        wpg_inst_add(m, function->cfg->blocks[0].label->next, SpvOpVariable, pointer, site->variable,
                     SpvStorageClassFunction, in->c_zero);
    }
    return site->variable;
}

static void store(wpg_inject *in, uint32_t variable, uint32_t value)
{
    wpg_inst_add(in->module, in->where, SpvOpStore, variable, value);
}

static uint32_t concerned(wpg_inject *in, const loop_point *what)
{
    return what->condition && what->negated ? WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, what->condition)
                                            : what->condition;
}

static void emit_enter(wpg_inject *in, const wpg_function_plan *function, const loop_site *site,
                       uint32_t trips)
{
    uint32_t live = wpg_probe_live(in);
    uint32_t fresh = WPG_EMIT(in, SpvOpIEqual, in->t_bool, trips, in->c_zero);
    wpg_add add = {site->waves, in->c_one};
    wpg_probe_add_elected(in, function, wpg_probe_and(in, fresh, live), &add, 1);
}

static void emit_next(wpg_inject *in, const loop_site *site, const loop_point *what, uint32_t trips)
{
    uint32_t again = concerned(in, what);
    uint32_t step = again ? WPG_EMIT(in, SpvOpSelect, in->t_u32, again, in->c_one, in->c_zero) : in->c_one;
    store(in, site->variable, WPG_EMIT(in, SpvOpIAdd, in->t_u32, trips, step));
}

/* 0, 1, 2-3, 4-7, ... */
static uint32_t bucket_of(wpg_inject *in, uint32_t trips)
{
    uint32_t glsl = wpg_require_import(in->module, "GLSL.std.450");
    uint32_t top = WPG_EMIT(in, SpvOpExtInst, in->t_u32, glsl, FIND_UMSB, trips); /* ~0 of 0 */
    uint32_t bucket = WPG_EMIT(in, SpvOpIAdd, in->t_u32, top, in->c_one);
    return WPG_EMIT(in, SpvOpExtInst, in->t_u32, glsl, UMIN, bucket, wpg_const_u32(in->module, BUCKETS - 1));
}

/* The lanes that are of the bucket of the first of them are added by that one, the others each for itself. */
static void add_together(wpg_inject *in, const loop_site *site, uint32_t bucket)
{
    /* The elected lane is the first active one, so that it is of the first one's bucket. */
    uint32_t first = WPG_EMIT(in, SpvOpGroupNonUniformBroadcastFirst, in->t_u32, in->subgroup_scope, bucket);
    uint32_t same = WPG_EMIT(in, SpvOpIEqual, in->t_bool, bucket, first);
    uint32_t many = wpg_probe_lanes(in, same);
    uint32_t elected = WPG_EMIT(in, SpvOpGroupNonUniformElect, in->t_bool, in->subgroup_scope);
    uint32_t alone = WPG_EMIT(in, SpvOpSelect, in->t_u32, same, in->c_zero, in->c_one);
    uint32_t amount = WPG_EMIT(in, SpvOpSelect, in->t_u32, elected, many, alone);
    wpg_if adds = wpg_if_begin(in, WPG_EMIT(in, SpvOpINotEqual, in->t_bool, amount, in->c_zero));
    wpg_memory_add_at(in, wpg_probe_index(in, site->buckets, bucket), amount);
    wpg_if_end(in, adds);
}

static void emit_leave(wpg_inject *in, const loop_site *site, const loop_point *what, uint32_t trips,
                       bool by_lane)
{
    uint32_t leaving = concerned(in, what);
    uint32_t leaves = wpg_probe_and(in, leaving, wpg_probe_live(in)), bucket = bucket_of(in, trips);
    wpg_if among = {0};
    if (leaves)
        among = wpg_if_begin(in, leaves);
    if (site->extremes != WPG_NO_COUNTER)
        wpg_probe_note_extremes(in, site->extremes, trips);
    if (by_lane)
        wpg_memory_add_at(in, wpg_probe_index(in, site->buckets, bucket), in->c_one);
    else
        add_together(in, site, bucket);
    if (leaves)
        wpg_if_end(in, among);
    if (!what->stays)
        return;
    uint32_t kept = leaving ? WPG_EMIT(in, SpvOpSelect, in->t_u32, leaving, in->c_zero, trips) : in->c_zero;
    store(in, site->variable, kept);
}

static void emit(wpg_inject *in, const wpg_function_plan *function, const wpg_probe_point *point)
{
    const loop_point *what = point->site;
    uint32_t variable = variable_of(in, function, what->site);
    uint32_t trips = WPG_EMIT(in, SpvOpLoad, in->t_u32, variable);
    switch (what->action) {
    case LOOP_ENTER:
        emit_enter(in, function, what->site, trips);
        break;
    case LOOP_NEXT:
        emit_next(in, what->site, what, trips);
        break;
    case LOOP_LEAVE:
        emit_leave(in, what->site, what, trips, point->probe->by_lane);
        break;
    }
}

const wpg_probe wpg_probe_loops = {.name = "loops",
                                   .record = "trips",
                                   .bit = WPG_PROBE_LOOPS,
                                   .ids = 96,
                                   .plan = plan,
                                   .declare = declare,
                                   .emit = emit};
const wpg_probe wpg_probe_lane_loops = {.name = "loops",
                                        .record = "lane_trips",
                                        .bit = WPG_PROBE_LOOPS,
                                        .by_lane = true,
                                        .ids = 96,
                                        .plan = plan,
                                        .declare = declare,
                                        .emit = emit};
