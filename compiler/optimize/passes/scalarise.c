/* Region scalarisation ('r'): puts loads behind one guard if lanes agree on their index in nearly every wave,
 * though nothing proves it. Behind the guard the index is one number and the loads are uniform: scalar loads
 * on AMD.
 *
 *      p = chain buffer i            i' = OpGroupNonUniformBroadcastFirst i
 *      x = load p                    all = OpGroupNonUniformAll (i' == i)
 *      q = chain other x       =>    OpSelectionMerge m DontFlatten;  OpBranchConditional all a b
 *      y = load q                 a: p', x', q', y' with i';  OpBranch m
 *      ...y...                    b: p, x1, q, y1 as they were;  OpBranch m
 *                                 m: y = OpPhi y' a, y1 b;  ...y...
 *
 * Whatever depends on the first load through integers and further loads joins the region (region.c): the
 * loaded value is uniform too. Reads are duplicated, and moved within their block past nothing that writes.
 * None is speculated. Each lane computes what it computed before: it compared i' with its own i, whichever
 * lanes voted beside it. So a driver's way to reconverge does not matter. Clones behind the guard are not
 * NonUniform: that is half of the gain for descriptors.
 *
 * Floating-point arithmetic stays where it is. Refused are
 *     - loads of floats that are read again elsewhere (a driver computes with one value where it sees one
 *       load),
 *     - splits of exact arithmetic,
 *     - loops whose unrolling would change bits,
 *     - in fragment shaders, values that feed derivatives: helper lanes may not have voted.
 *
 * Needs: value probes (PROBES=values), SPIR-V 1.3, vote and ballot in the stage.
 * wpg_optimize_options.scalarise says that they are there and that the device gains. Keeps: result ids, block
 * weights. Source: SPIR-V 1.6, 3.49.21. */
#include <stdio.h>

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/ir/branch_weights.h"
#include "compiler/optimize/ir/pass.h"
#include "compiler/optimize/ir/split.h"
#include "compiler/optimize/passes/region.h"
#include "compiler/spirv/builder.h"

enum {
    MAX_REGIONS = 16, /* per function */
    LEAST_WORDS = 8,  /* loaded by a region that is worth a vote, a broadcast and a branch */
    SPIRV_1_3 = 0x00010300,
};

static const char PASS[] = "scalarise";

typedef struct scalariser {
    bool speak; /* say why regions are refused: only once none is left to make */
    wpg_context *context;
    wpg_function_profile *profile;
    wpg_view *view;
    wpg_divergence *divergence;
    wpg_arena arena; /* of one step */
    const wpg_slices *slices;
    wpg_map settled; /* index << 32 | label of a block: done with; a label alone: an arm of ours */
} scalariser;

static bool nearly_all_agree(const wpg_context *context, const wpg_uniform_fact *fact)
{
    return fact->asked && (double)fact->agreed >= context->options->uniform_share * (double)fact->asked;
}

bool wpg_scalarise_wanted(wpg_context *context, wpg_function_profile *profile)
{
    if (!context->options->scalarise || context->module->version < SPIRV_1_3 || !profile->has_waves)
        return false;
    for (size_t i = 0; i < profile->indices.count; i++)
        if (nearly_all_agree(context, &profile->indices.data[i]))
            return true;
    return false;
}

/* NULL if the region is legal and worth it; `text` holds messages with figures. */
static const char *refusal(scalariser *s, const wpg_region *region, char *text, size_t size)
{
    const wpg_view *view = s->view;
    const char *whole = wpg_block_stays_whole_because(view->cfg, region->block);
    if (whole)
        return whole;
    for (size_t i = 0; i < region->members.count; i++)
        if (region->seen.data[i] && wpg_id_set_has(&s->slices->helper, region->members.data[i]->result))
            return "it feeds an implicit-lod sample, derivative, quad or subgroup operation";
    if (region->words < LEAST_WORDS) {
        snprintf(text, size, "%u words are loaded with it, less than %d", region->words, LEAST_WORDS);
        return text;
    }
    if (region->members.count * 2 * 100 > (uint64_t)view->instruction_count * s->context->options->max_growth)
        return "the function would grow too much";
    if (wpg_split_parts_exact(view, &s->slices->exact, region->block, region->before))
        return "the branch would split exact floating-point arithmetic";
    if (wpg_split_parts_sampled(view, region->block, region->before, region->members.data,
                                region->members.count))
        return "the branch would part a sampled image from its use";
    if (wpg_is_in_counted_float_loop(view, region->block))
        return "a loop around it makes floats that a driver may re-associate if it unrolls it";
    return NULL;
}

/* -- The guard -- */

typedef struct arms {
    wpg_module *module;
    const wpg_region *region;
    uint32_t header, taken, other, merge; /* labels */
    wpg_map ids[2];                       /* of the arms: id of a member -> its own there */
    bool nomem;
} arms;

static uint32_t own_id(const arms *a, unsigned arm, uint32_t id)
{
    uint64_t own;
    return wpg_map_get(&a->ids[arm], id, &own) ? (uint32_t)own : id;
}

static void use_own_ids(arms *a, unsigned arm, wpg_inst *inst)
{
    wpg_operand_list operands = {0};
    if (!wpg_used_ids(&operands, a->module, inst))
        a->nomem = true;
    for (size_t i = 0; i < operands.count && !a->nomem; i++)
        inst->words[operands.data[i]] = own_id(a, arm, inst->words[operands.data[i]]);
    wpg_vec_free(&operands);
}

/* The copy's decorations are the original's, but for NonUniform where it no longer holds. */
static void decorate_copy(wpg_module *module, uint32_t of, uint32_t copy, bool uniform)
{
    for (wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        if (inst->opcode != SpvOpDecorate || inst->count < 3 || inst->words[1] != of ||
            (uniform && inst->words[2] == SpvDecorationNonUniform))
            continue;
        wpg_inst *other = wpg_inst_insert(module, inst, SpvOpDecorate, inst->words + 1, inst->count - 1u);
        if (other->count > 1)
            other->words[1] = copy;
    }
}

static void copy_member(arms *a, unsigned arm, size_t i, wpg_inst *where)
{
    const wpg_inst *member = a->region->members.data[i];
    if (a->region->same.data[i]) {
        a->nomem |= !wpg_map_set(&a->ids[arm], member->result, own_id(a, arm, a->region->same.data[i]));
        return;
    }
    uint32_t fresh = wpg_module_fresh_id(a->module);
    size_t count = member->count - 1u; /* type and result first */
    uint32_t *words = wpg_arena_memdup(&a->module->arena, member->words + 1, count * sizeof *words);
    if (!words)
        return; /* the module says so */
    words[1] = fresh;
    use_own_ids(a, arm, wpg_inst_insert(a->module, where, (SpvOp)member->opcode, words, count));
    decorate_copy(a->module, member->result, fresh, arm == 0);
    a->nomem |= !wpg_map_set(&a->ids[arm], member->result, fresh);
}

/* The arm of those who agree: copies of all members. */
static void fill_taken(arms *a, uint32_t first, wpg_inst *where)
{
    const wpg_region *region = a->region;
    a->nomem |= !wpg_map_set(&a->ids[0], region->index, first);
    for (size_t i = 0; i < region->members.count; i++)
        copy_member(a, 0, i, where);
}

/* The other arm: members themselves, but for those whose id the phi takes. */
static void fill_other(arms *a, wpg_inst *where)
{
    const wpg_region *region = a->region;
    for (size_t i = 0; i < region->members.count; i++) {
        wpg_inst *member = region->members.data[i];
        if (region->seen.data[i]) {
            copy_member(a, 1, i, where);
            continue;
        }
        wpg_inst_move(a->module, member, where);
        use_own_ids(a, 1, member);
    }
}

/* Phis, and behind them copies of those that are the same. */
static void join(arms *a)
{
    const wpg_region *region = a->region;
    for (unsigned copies = 0; copies < 2; copies++)
        for (size_t i = 0; i < region->members.count; i++) {
            wpg_inst *member = region->members.data[i];
            uint32_t same = region->same.data[i];
            if (!region->seen.data[i] || (same != 0) != (copies != 0))
                continue;
            uint32_t phi[] = {member->type,
                              member->result,
                              own_id(a, 0, member->result),
                              a->taken,
                              own_id(a, 1, member->result),
                              a->other};
            uint32_t copy[] = {member->type, member->result, same};
            wpg_inst_move(a->module, member, region->before);
            if (same)
                wpg_inst_rewrite(a->module, member, SpvOpCopyObject, copy, sizeof copy / sizeof *copy);
            else
                wpg_inst_rewrite(a->module, member, SpvOpPhi, phi, sizeof phi / sizeof *phi);
        }
}

/* Which of a count go with the waves that agree. */
static uint64_t part_of(uint64_t count, uint64_t part, uint64_t whole)
{
    return whole ? (uint64_t)((double)count * ((double)part / (double)whole)) : 0;
}

static wpg_status enter_counts(const scalariser *s, const arms *a, const wpg_uniform_fact *fact,
                               wpg_inst *branch)
{
    const wpg_block_weight *known = wpg_profile_block(s->profile, a->header);
    wpg_block_weight whole = known ? *known : (wpg_block_weight){.origin = fact->origin, .unknown_by = PASS};
    wpg_block_weight taken = {.origin = whole.origin, .unknown_by = whole.unknown_by}, other = taken;
    taken.waves = part_of(whole.waves, fact->agreed, fact->asked);
    taken.waves = taken.waves < whole.waves ? taken.waves : whole.waves;
    taken.lanes = taken.waves == whole.waves ? whole.lanes : part_of(whole.lanes, taken.waves, whole.waves);
    if (taken.lanes < taken.waves)
        taken.lanes = taken.waves;
    other.waves = whole.waves - taken.waves;
    other.lanes = wpg_less(whole.lanes, taken.lanes);
    if (!whole.unknown_by)
        wpg_branch_weigh(a->module, branch, taken.waves, other.waves);
    return wpg_profile_add_block(s->profile, a->taken, taken) &&
                   wpg_profile_add_block(s->profile, a->other, other) &&
                   wpg_profile_add_block(s->profile, a->merge, whole)
               ? WPG_OK
               : wpg_fail(s->context->err, WPG_E_NOMEM, "out of memory");
}

/* Makes the guard. The view is stale afterwards. */
static wpg_status apply(scalariser *s, const wpg_region *region, const wpg_uniform_fact *fact)
{
    wpg_module *module = s->context->module;
    wpg_inst *before = region->before;
    wpg_require_capability(module, SpvCapabilityGroupNonUniform);
    wpg_require_capability(module, SpvCapabilityGroupNonUniformVote);
    wpg_require_capability(module, SpvCapabilityGroupNonUniformBallot);
    uint32_t scope = wpg_const_u32(module, SpvScopeSubgroup), first = wpg_module_fresh_id(module),
             same = wpg_module_fresh_id(module), agree = wpg_module_fresh_id(module);
    arms a = {.module = module,
              .region = region,
              .header = s->view->cfg->blocks[region->block].id,
              .taken = wpg_module_fresh_id(module),
              .other = wpg_module_fresh_id(module),
              .merge = wpg_module_fresh_id(module)};
    wpg_inst_add(module, before, SpvOpGroupNonUniformBroadcastFirst,
                 wpg_module_def(module, region->index)->type, first, scope, region->index);
    wpg_inst_add(module, before, SpvOpIEqual, wpg_type_bool(module), same, first, region->index);
    wpg_inst_add(module, before, SpvOpGroupNonUniformAll, wpg_type_bool(module), agree, scope, same);
    wpg_inst_add(module, before, SpvOpSelectionMerge, a.merge, SpvSelectionControlDontFlattenMask);
    wpg_inst *branch = wpg_inst_add(module, before, SpvOpBranchConditional, agree, a.taken, a.other);
    wpg_inst_add(module, before, SpvOpLabel, a.taken);
    wpg_inst *end = wpg_inst_add(module, before, SpvOpBranch, a.merge);
    fill_taken(&a, first, end);
    wpg_inst_add(module, before, SpvOpLabel, a.other);
    end = wpg_inst_add(module, before, SpvOpBranch, a.merge);
    fill_other(&a, end);
    wpg_inst_add(module, before, SpvOpLabel, a.merge);
    join(&a);
    wpg_retarget_phis(s->view->cfg, region->block, a.merge);
    wpg_status status = enter_counts(s, &a, fact, branch);
    if (a.nomem || !wpg_map_set(&s->settled, (uint64_t)region->index << 32 | a.merge, 1) ||
        !wpg_map_set(&s->settled, a.taken, 1) || !wpg_map_set(&s->settled, a.other, 1))
        status = wpg_fail(s->context->err, WPG_E_NOMEM, "out of memory");
    wpg_map_free(&a.ids[0]);
    wpg_map_free(&a.ids[1]);
    wpg_remark_add(
        s->context, WPG_REMARK_DONE, PASS, s->profile->ordinal, fact->origin,
        "index in block %u: lanes agree in %llu of %llu waves asked; %u loads (%u words) behind one guard",
        fact->origin, (unsigned long long)fact->agreed, (unsigned long long)fact->asked, region->loads,
        region->words);
    return status;
}

/* -- Which -- */

typedef struct best_region {
    wpg_region region;
    const wpg_uniform_fact *fact;
    double gain;
} best_region;

/* Looks at the loads of one block with one index; keeps them in *best if they gain more. */
static wpg_status consider(scalariser *s, best_region *best, const wpg_uniform_fact *fact, uint32_t index,
                           uint32_t block)
{
    const wpg_cfg *cfg = s->view->cfg;
    uint64_t key = (uint64_t)index << 32 | cfg->blocks[block].id;
    const wpg_block_weight *weight = wpg_known_block(s->profile, cfg->blocks[block].id);
    wpg_region region;
    const char *why;
    char text[96];
    if (!weight || !weight->waves || weight->origin != fact->origin || wpg_map_get(&s->settled, key, NULL) ||
        wpg_map_get(&s->settled, cfg->blocks[block].id, NULL))
        return WPG_OK;
    if (wpg_region_find(&region, &why, s->view, s->divergence, block, index) != WPG_OK)
        return wpg_fail(s->context->err, WPG_E_NOMEM, "out of memory");
    if (!why && region.loads)
        why = refusal(s, &region, text, sizeof text);
    if (why && s->speak) {
        wpg_remark_add(s->context, WPG_REMARK_REFUSED, PASS, s->profile->ordinal, fact->origin,
                       "index in block %u: refused: %s", fact->origin, why);
        if (!wpg_map_set(&s->settled, key, 1))
            return wpg_fail(s->context->err, WPG_E_NOMEM, "out of memory");
    }
    double gain = (double)region.words * (double)weight->waves;
    if (!why && region.loads && gain > best->gain) {
        wpg_region previous = best->region;
        *best = (best_region){region, fact, gain};
        region = previous;
    }
    wpg_region_free(&region);
    return WPG_OK;
}

/* Is the index an integer, there for all of the block, or made in it, and still not provably uniform? */
static bool is_at_hand(const scalariser *s, uint32_t index, uint32_t block)
{
    const wpg_cfg *cfg = s->view->cfg;
    const wpg_inst *inst = wpg_module_def(s->context->module, index),
                   *type = inst && inst->type ? wpg_module_def(s->context->module, inst->type) : NULL;
    return type && type->opcode == SpvOpTypeInt && index < s->view->bound &&
           wpg_view_is_local(s->view, index) && s->view->block_of[index] != WPG_NO_BLOCK &&
           cfg->blocks[block].rpo != WPG_NO_BLOCK &&
           cfg->blocks[s->view->block_of[index]].rpo != WPG_NO_BLOCK &&
           wpg_cfg_dominates(cfg, s->view->block_of[index], block) &&
           wpg_divergence_at(s->divergence, index, block) == WPG_DIVERGENT;
}

/* The integer that the index is a one-to-one function of, the rest of it being uniform: where lanes agree on
 * the one they agree on the other (but for overflow, and the guard asks anyway), and more may be loaded by
 * it. */
static uint32_t root_of(const scalariser *s, uint32_t index, uint32_t block)
{
    const wpg_module *module = s->context->module;
    for (unsigned depth = 0; depth < 8; depth++) {
        const wpg_inst *inst = wpg_module_def(module, index),
                       *type = inst ? wpg_module_def(module, inst->type) : NULL;
        uint32_t inner = 0;
        switch (inst && inst->count > 3 ? (SpvOp)inst->opcode : SpvOpNop) {
        case SpvOpIAdd:
        case SpvOpISub:
        case SpvOpIMul:
        case SpvOpBitwiseXor:
        case SpvOpShiftLeftLogical:
            for (unsigned i = 3; i < 5; i++)
                if (wpg_divergence_at(s->divergence, inst->words[7 - i], block) <= WPG_UNIFORM_SUBGROUP &&
                    (i == 3 || inst->opcode != SpvOpShiftLeftLogical))
                    inner = inst->words[i];
            break;
        case SpvOpBitcast:
        case SpvOpNot:
        case SpvOpSNegate:
        case SpvOpCopyObject:
            inner = inst->words[3];
            break;
        default:
            return index;
        }
        const wpg_inst *from = wpg_module_def(module, inner);
        if (!from || !from->type || !type || wpg_module_def(module, from->type) == NULL ||
            wpg_module_def(module, from->type)->opcode != SpvOpTypeInt || !wpg_view_is_local(s->view, inner))
            return index;
        index = inner;
    }
    return index;
}

/* Finds the most worthwhile region over a fresh view and guards it; *done = false when there is none. */
static wpg_status step(bool *done, scalariser *s)
{
    best_region best = {0};
    wpg_error reason = {0};
    *done = false;
    wpg_status status = wpg_view_get(&s->view, s->context, s->profile->function, &reason);
    if (status != WPG_OK)
        return status == WPG_E_NOMEM ? wpg_fail(s->context->err, status, "out of memory") : WPG_OK;
    wpg_arena_init(&s->arena);
    status = wpg_divergence_compute(&s->divergence, s->view->cfg, &s->arena);
    for (size_t i = 0; i < s->profile->indices.count && status == WPG_OK; i++) {
        const wpg_uniform_fact *fact = &s->profile->indices.data[i];
        for (uint32_t b = 0;
             b < s->view->cfg->count && status == WPG_OK && nearly_all_agree(s->context, fact); b++)
            if (is_at_hand(s, fact->value, b)) {
                uint32_t root = root_of(s, fact->value, b);
                status = consider(s, &best, fact, fact->value, b);
                if (status == WPG_OK && root != fact->value && is_at_hand(s, root, b))
                    status = consider(s, &best, fact, root, b);
            }
    }
    if (status == WPG_OK && best.gain > 0) {
        status = apply(s, &best.region, best.fact);
        *done = true;
    }
    if (status == WPG_OK && s->arena.failed)
        status = wpg_fail(s->context->err, WPG_E_NOMEM, "out of memory");
    wpg_region_free(&best.region);
    wpg_arena_finish(&s->arena);
    if (*done)
        wpg_analyses_drop(s->context);
    s->view = NULL;
    return status;
}

wpg_status wpg_pass_scalarise(bool *changed, wpg_context *context, wpg_function_profile *profile)
{
    if (!wpg_scalarise_wanted(context, profile))
        return WPG_OK;
    scalariser s = {.context = context, .profile = profile};
    wpg_status status = wpg_slices_get(&s.slices, context);
    bool again = status == WPG_OK;
    for (unsigned made = 0; again && status == WPG_OK && made < MAX_REGIONS; made++) {
        status = step(&again, &s);
        *changed |= again;
    }
    s.speak = true;
    if (status == WPG_OK && !again)
        status = step(&again, &s);
    wpg_map_free(&s.settled);
    return status;
}
