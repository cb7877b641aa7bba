/* Live lanes: the masks that waves, lanes and uniform are counted by.
 *
 * L, the live lanes at a point, is the ballot of "not a helper" over the active lanes, taken before any
 * branch. E, the live lanes at the entry, is the same ballot at the start of the entry function. E is an SSA
 * value. E is a Private variable if functions are left uninlined, or if a demote changes E.
 *
 * Demotes. A demoted lane goes on as a helper and can do no more work, so E loses the lane. No lane is told
 * that another lane has demoted. There are two ways to find out.
 *
 * By structure: all lanes of a construct that is not left early come to its merge block, unless they demote.
 * If such a construct holds a demote, its header records L. (A loop's header in effect records L at entry:
 * later iterations add nothing.) At the merge block, a recorded lane that is not in L has demoted. This does
 * not depend on whether a driver keeps demoted lanes in its ballots; lavapipe does not.
 *
 * By witness, for other constructs, where the driver allows it: at each counted point the lanes in the ballot
 * of "helper now" over the active lanes leave E. Each lane keeps its own E, and a lane that is not active
 * does not learn of the demote. So the elected lane's E is not enough. Every live lane's E is a superset of
 * the true E, and the true E is a superset of L. So L equals the true E if L equals the E of some live lane
 * here. That costs one further ballot, in modules that demote only.
 *
 * Wave segments (ray-tracing stages; nothing demotes there). Behind a call that may bring other lanes
 * together, the lanes present take E anew. Lanes that did not make the call keep their E. Where lanes of
 * several segments meet, E is the union of their Es: no lane of any of these segments may be missing. At each
 * counted point the lanes present make that union by a bitwise or of the subgroup, and store it. Lanes meet
 * at a merge block or continue target of a construct in which a segment ended: the first block of its class
 * (compiler/analysis/graph/mask.c), and counted. A lane that a driver moved to another slot no longer knows
 * the lanes that stayed. Then uniform is too low until the next segment, never too high.
 *
 * Three cases cannot be decided without memory shared by the wave:
 *     - a lane demotes and then returns or is terminated,
 *     - a lane demotes in a construct that others leave early, before a lane that goes on has met it at a
 *       counted point,
 *     - a lane demotes in one arm, as seen from the other arm before they meet.
 *
 * Such a lane stays in E. So uniform is too low until the next merge block that tells, never too high.
 *
 * Asked once. Ballots are what counting in registers costs: a software driver makes them lane by lane. Where
 * E is an SSA value, all blocks of a group (steady.h) have the same L. So L, and who is elected, are found
 * out at the first of them that asks, or before the steady loops around it; for an arm of another branch, the
 * ballot of the branch's condition tells. Should a driver bring lanes together later than the structure says,
 * this counts the wave of the structure. Lanes do not depend on it: what combines their cells asks anew.
 * Counting in place asks anew, too: it is the oracle. */
#include "compiler/instrument/code/inject.h"

static uint32_t find_builtin(const wpg_module *module, SpvBuiltIn builtin)
{
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode == SpvOpDecorate && inst->count == 4 && inst->words[2] == SpvDecorationBuiltIn &&
            inst->words[3] == (uint32_t)builtin)
            return inst->words[1];
    }
    return 0;
}

/* A built-in input of the module, made where it has none. */
static uint32_t declare_builtin(wpg_inject *in, SpvBuiltIn builtin, uint32_t type)
{
    wpg_module *m = in->module;
    uint32_t found = find_builtin(m, builtin);
    if (found) {
        wpg_entry_point_add_interface(m, in->plan->entry_point, found);
        return found;
    }
    uint32_t pointer = wpg_type_pointer(m, SpvStorageClassInput, type);
    found = wpg_global_variable(m, in->plan->entry_point, SpvStorageClassInput, pointer);
    wpg_decorate(m, found, SpvDecorationBuiltIn, (const uint32_t[]){(uint32_t)builtin}, 1);
    return found;
}

void wpg_live_declare_lane(wpg_inject *in)
{
    SpvExecutionModel model = in->plan->stage->model;
    if (model >= SpvExecutionModelRayGenerationKHR && model <= SpvExecutionModelCallableKHR)
        return; /* lanes may move in such a stage: the built-in would have to be read as volatile */
    in->lane_variable = declare_builtin(in, SpvBuiltInSubgroupLocalInvocationId, in->t_u32);
    if (model == SpvExecutionModelFragment &&
        !wpg_find_decoration(in->module, in->lane_variable, SpvDecorationFlat))
        wpg_decorate(in->module, in->lane_variable, SpvDecorationFlat, NULL, 0);
}

void wpg_live_declare(wpg_inject *in)
{
    if (in->plan->helper_test == WPG_HELPER_OP) {
        wpg_require_capability(in->module, SpvCapabilityDemoteToHelperInvocation);
        wpg_require_extension(in->module, "SPV_EXT_demote_to_helper_invocation");
    } else if (in->plan->helper_test == WPG_HELPER_BUILTIN) {
        in->helper_variable = declare_builtin(in, SpvBuiltInHelperInvocation, in->t_bool);
    }
}

uint32_t wpg_live_helper(wpg_inject *in)
{
    if (in->plan->helper_test == WPG_HELPER_OP)
        return wpg_emit(in, SpvOpIsHelperInvocationEXT, in->t_bool, NULL, 0);
    if (in->plan->helper_test == WPG_HELPER_BUILTIN)
        return WPG_EMIT(in, SpvOpLoad, in->t_bool, in->helper_variable);
    return 0;
}

uint32_t wpg_live_ballot(wpg_inject *in, uint32_t condition)
{
    return WPG_EMIT(in, SpvOpGroupNonUniformBallot, in->t_uvec4, in->subgroup_scope, condition);
}

bool wpg_plan_keeps_entry_mask(const wpg_plan *plan)
{
    return !plan->demotes && !plan->segments && plan->function_count == 1;
}

void wpg_live_declare_masks(wpg_inject *in)
{
    if (wpg_plan_keeps_entry_mask(in->plan))
        return;
    uint32_t pointer = wpg_type_pointer(in->module, SpvStorageClassPrivate, in->t_uvec4);
    in->entry_mask_variable =
        wpg_global_variable(in->module, in->plan->entry_point, SpvStorageClassPrivate, pointer);
}

/* One Function variable for each watched construct, zero outside it. */
static void declare_watched(wpg_inject *in, const wpg_function_plan *function)
{
    wpg_module *m = in->module;
    const wpg_cfg *cfg = function->cfg;
    in->watched = NULL;
    if (!function->watches)
        return;
    in->watched = WPG_ARENA_ARRAY(&m->arena, uint32_t, cfg->construct_count);
    uint32_t pointer = wpg_type_pointer(m, SpvStorageClassFunction, in->t_uvec4);
    uint32_t zero = wpg_const_null(m, in->t_uvec4);
    for (uint32_t p = 0; in->watched && p < function->point_count; p++) {
        uint32_t construct = function->points[p].record;
        if (construct == WPG_NO_BLOCK)
            continue;
        in->watched[construct] = wpg_module_fresh_id(m);
        wpg_inst_add(m, cfg->blocks[0].label->next, SpvOpVariable, pointer, in->watched[construct],
                     SpvStorageClassFunction, zero);
    }
}

/* -- What is known of a group */

/* An id, and the block in which it is computed; 0 = none. */
typedef struct known_value {
    uint32_t id, block;
} known_value;

typedef struct wpg_known {
    known_value live, mask, equal, elected; /* of wpg_live, and of wpg_live_elect */
} wpg_known;

static uint32_t keep(known_value *value, uint32_t id, uint32_t block)
{
    if (value)
        *value = (known_value){id, block};
    return id;
}

/* The id, where it can be used in the block; else 0. Nothing computed in a loop is used behind it: some
 * drivers would compute it anew there (loses_exit_values). */
static uint32_t recall(const wpg_inject *in, known_value value, uint32_t block)
{
    if (!value.id || !wpg_cfg_dominates(in->cfg, value.block, block))
        return 0;
    uint32_t loop = in->cfg->blocks[value.block].loop;
    return loop == WPG_NO_BLOCK || wpg_construct_holds(in->cfg, loop, block) ? value.id : 0;
}

static wpg_known *known_of(wpg_inject *in, const wpg_function_plan *function, uint32_t block)
{
    uint32_t class = function->classes.class_of[block];
    return in->known && class != WPG_NO_BLOCK ? &in->known[function->steady->group_of[class]] : NULL;
}

/* What is to be found out of the lanes at `block` is found out at the block that this returns: outside of
 * steady loops. Emits there until `leave`. */
static uint32_t visit(wpg_inject *in, const wpg_function_plan *function, uint32_t block, wpg_inst **where)
{
    uint32_t place = in->known ? function->steady->place_of[block] : block;
    *where = in->where;
    if (place != block)
        in->where = wpg_block_end(in->cfg, place);
    return place;
}

static void leave(wpg_inject *in, wpg_inst *where)
{
    in->where = where;
}

/* Where E is a value nothing changes it, and the lanes of a group stay the same. */
static void begin_known(wpg_inject *in, const wpg_function_plan *function)
{
    in->known = NULL;
    if (in->entry_mask_variable || !function->steady)
        return;
    in->known = WPG_ARENA_ARRAY(&in->module->arena, wpg_known, function->classes.class_count);
    wpg_known *first = known_of(in, function, 0);
    if (!first)
        return;
    (void)keep(&first->mask, in->entry_mask, 0);
    (void)keep(&first->equal, in->c_true, 0);
}

static uint32_t live_of(wpg_inject *in, uint32_t helper)
{
    return helper ? WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, helper) : 0;
}

void wpg_live_enter(wpg_inject *in, const wpg_function_plan *function)
{
    in->entry_mask = 0;
    in->known = NULL;
    declare_watched(in, function);
    if (!function->is_entry) {
        /* Where nothing changes E it is what the entry function stored: read it once. */
        if (!in->plan->demotes && !in->plan->segments)
            in->entry_mask = WPG_EMIT(in, SpvOpLoad, in->t_uvec4, in->entry_mask_variable);
        return;
    }
    uint32_t live = live_of(in, wpg_live_helper(in));
    in->entry_mask = wpg_live_ballot(in, live ? live : in->c_true);
    if (in->entry_mask_variable)
        wpg_inst_add(in->module, in->where, SpvOpStore, in->entry_mask_variable, in->entry_mask);
    begin_known(in, function);
}

static uint32_t t_bvec4(wpg_inject *in)
{
    return wpg_type_vector(in->module, in->t_bool, 4);
}

uint32_t wpg_live_masks_equal(wpg_inject *in, uint32_t a, uint32_t b)
{
    uint32_t parts = WPG_EMIT(in, SpvOpIEqual, t_bvec4(in), a, b);
    return WPG_EMIT(in, SpvOpAll, in->t_bool, parts);
}

/* A watched construct's header: its variable becomes, or gains, L. */
static void record(wpg_inject *in, uint32_t construct, uint32_t mask)
{
    uint32_t variable = in->watched[construct];
    uint32_t before = WPG_EMIT(in, SpvOpLoad, in->t_uvec4, variable);
    uint32_t all = WPG_EMIT(in, SpvOpBitwiseOr, in->t_uvec4, before, mask);
    wpg_inst_add(in->module, in->where, SpvOpStore, variable, all);
}

/* Its merge block: the complement of the lanes that have demoted in it. Zero again, it is ready for the next
 * time; and a merge block that heads a loop resolves nothing in later iterations. */
static uint32_t resolve(wpg_inject *in, uint32_t construct, uint32_t mask)
{
    uint32_t variable = in->watched[construct];
    uint32_t recorded = WPG_EMIT(in, SpvOpLoad, in->t_uvec4, variable);
    wpg_inst_add(in->module, in->where, SpvOpStore, variable, wpg_const_null(in->module, in->t_uvec4));
    uint32_t absent = WPG_EMIT(in, SpvOpNot, in->t_uvec4, recorded);
    return WPG_EMIT(in, SpvOpBitwiseOr, in->t_uvec4, absent, mask);
}

/* E as this lane knows it, after taking out who is found to have demoted. */
static uint32_t update_entry_mask(wpg_inject *in, const wpg_point *point, uint32_t helper, uint32_t mask)
{
    uint32_t staying = WPG_EMIT(in, SpvOpNot, in->t_uvec4, wpg_live_ballot(in, helper));
    if (in->watched && point->resolve != WPG_NO_BLOCK) {
        uint32_t others = resolve(in, point->resolve, mask);
        staying = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_uvec4, staying, others);
    }
    uint32_t known = WPG_EMIT(in, SpvOpLoad, in->t_uvec4, in->entry_mask_variable);
    uint32_t entry = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_uvec4, known, staying);
    wpg_inst_add(in->module, in->where, SpvOpStore, in->entry_mask_variable, entry);
    return entry;
}

/* E of the lanes that are here, each of which is told. */
static uint32_t join_segments(wpg_inject *in)
{
    uint32_t known = WPG_EMIT(in, SpvOpLoad, in->t_uvec4, in->entry_mask_variable);
    uint32_t all = WPG_EMIT(in, SpvOpGroupNonUniformBitwiseOr, in->t_uvec4, in->subgroup_scope,
                            SpvGroupOperationReduce, known);
    wpg_inst_add(in->module, in->where, SpvOpStore, in->entry_mask_variable, all);
    return all;
}

void wpg_live_begin_segment(wpg_inject *in)
{
    uint32_t mask = wpg_live_ballot(in, in->c_true);
    wpg_inst_add(in->module, in->where, SpvOpStore, in->entry_mask_variable, mask);
}

/* Whether the ballot of `condition` holds any lane. */
static uint32_t any_lane(wpg_inject *in, uint32_t condition)
{
    uint32_t none = wpg_const_null(in->module, in->t_uvec4);
    uint32_t empty = wpg_live_masks_equal(in, wpg_live_ballot(in, condition), none);
    return WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, empty);
}

wpg_live wpg_live_now(wpg_inject *in, const wpg_function_plan *function, const wpg_point *point)
{
    uint32_t helper = wpg_live_helper(in);
    wpg_live now = {.live = live_of(in, helper)};
    if (function->is_entry && point->block == 0 && !point->before) {
        /* Where E was taken, L is E. */
        now.mask = in->entry_mask;
        now.equal = in->c_true;
        now.uniform = in->c_one;
    } else {
        now.mask = wpg_live_ballot(in, now.live ? now.live : in->c_true);
        uint32_t equal;
        if (in->plan->demotes) {
            equal = wpg_live_masks_equal(in, now.mask, update_entry_mask(in, point, helper, now.mask));
            equal = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, now.live, equal);
            equal = any_lane(in, equal);
        } else if (in->plan->segments) {
            equal = wpg_live_masks_equal(in, now.mask, join_segments(in));
        } else {
            equal = wpg_live_masks_equal(in, now.mask, in->entry_mask);
        }
        now.equal = equal;
        now.uniform = WPG_EMIT(in, SpvOpSelect, in->t_u32, equal, in->c_one, in->c_zero);
    }
    if (in->watched && point->record != WPG_NO_BLOCK)
        record(in, point->record, now.mask);
    return now;
}

uint32_t wpg_live_test(wpg_inject *in, const wpg_function_plan *function, uint32_t block)
{
    if (in->plan->helper_test != WPG_HELPER_OP && in->plan->helper_test != WPG_HELPER_BUILTIN)
        return 0;
    wpg_known *known = known_of(in, function, block);
    uint32_t live = known ? recall(in, known->live, block) : 0;
    return live ? live : keep(known ? &known->live : NULL, live_of(in, wpg_live_helper(in)), block);
}

uint32_t wpg_live_mask(wpg_inject *in, const wpg_function_plan *function, uint32_t block, uint32_t live)
{
    wpg_known *known = known_of(in, function, block);
    uint32_t mask = known ? recall(in, known->mask, block) : 0;
    if (mask)
        return mask;
    if (!known)
        return wpg_live_ballot(in, live ? live : in->c_true);
    wpg_inst *where;
    uint32_t place = visit(in, function, block, &where);
    live = wpg_live_test(in, function, place);
    (void)keep(&known->mask, wpg_live_ballot(in, live ? live : in->c_true), place);
    leave(in, where);
    return known->mask.id;
}

uint32_t wpg_live_elected(wpg_inject *in, const wpg_function_plan *function, uint32_t block, wpg_live now)
{
    wpg_known *known = known_of(in, function, block);
    uint32_t elected = known ? recall(in, known->elected, block) : 0;
    if (elected)
        return elected;
    if (!known)
        return wpg_live_elect(in, now);
    wpg_inst *where;
    uint32_t place = visit(in, function, block, &where);
    now.live = wpg_live_test(in, function, place);
    now.mask = wpg_live_mask(in, function, place, now.live);
    (void)keep(&known->elected, wpg_live_elect(in, now), place);
    leave(in, where);
    return known->elected.id;
}

static uint32_t equal_of(wpg_inject *in, const wpg_function_plan *function, wpg_known *known, uint32_t block)
{
    uint32_t equal = recall(in, known->equal, block);
    if (equal)
        return equal;
    wpg_inst *where;
    uint32_t place = visit(in, function, block, &where);
    uint32_t mask = wpg_live_mask(in, function, place, wpg_live_test(in, function, place));
    (void)keep(&known->equal, wpg_live_masks_equal(in, mask, in->entry_mask), place);
    leave(in, where);
    return known->equal.id;
}

wpg_live wpg_live_known(wpg_inject *in, const wpg_function_plan *function, const wpg_point *point)
{
    wpg_known *known = known_of(in, function, point->block);
    if (!known)
        return wpg_live_now(in, function, point);
    wpg_live now = {.live = wpg_live_test(in, function, point->block),
                    .equal = equal_of(in, function, known, point->block)};
    now.mask = wpg_live_mask(in, function, point->block, now.live);
    now.uniform = WPG_EMIT(in, SpvOpSelect, in->t_u32, now.equal, in->c_one, in->c_zero);
    return now;
}

void wpg_live_learn(wpg_inject *in, const wpg_function_plan *function, uint32_t from, uint32_t to,
                    uint32_t mask)
{
    wpg_known *known = known_of(in, function, to);
    if (known && wpg_edge_runs_block(in->cfg, from, to))
        (void)keep(&known->mask, mask, from);
}

/* An election that the driver makes among all active lanes costs as much as a ballot. The lowest lane of a
 * mask that is there anyway costs less, and serves where only some of the active lanes are live. */
uint32_t wpg_live_elect(wpg_inject *in, wpg_live now)
{
    if (!in->lane_variable)
        return WPG_EMIT(in, SpvOpGroupNonUniformElect, in->t_bool, in->subgroup_scope);
    uint32_t first = WPG_EMIT(in, SpvOpGroupNonUniformBallotFindLSB, in->t_u32, in->subgroup_scope, now.mask);
    uint32_t lane = WPG_EMIT(in, SpvOpLoad, in->t_u32, in->lane_variable);
    uint32_t is_first = WPG_EMIT(in, SpvOpIEqual, in->t_bool, first, lane);
    return now.live ? WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, now.live, is_first) : is_first;
}
