/* Flatten ('f'): hints for selections with short arms. If nearly every wave takes both arms, the selection is
 * marked Flatten: all lanes run both arms side by side, instead of one arm after the other behind masks. If
 * nearly all waves go one way, it is marked DontFlatten: half of the work would be lost.
 *
 * A hint does all that straight code with OpSelect would. For shaders/divergent_short.comp RADV (navi31
 * 25.0.7; gfx1100, navi21 22.3.6) makes the same code of both, hash for hash, and lavapipe takes the same
 * time. Hints of the program are kept.
 *
 * A driver that follows the hint may merge and contract differently within one block. Example: x * a + b in
 * one arm, max(x * a, b) in the other. RADV makes a fused multiply-add while the arms are apart. Once they
 * are flat it makes one product for both, with its own rounding (measured, navi31). So arms hold no
 * floating-point work that could be fused, and none is joined behind them: a driver sees through a select
 * where it does not see through a branch. Drivers flatten small arms by themselves, so the same rule holds
 * for DontFlatten. Source: SPIR-V 1.6, 3.22 (Selection Control).
 *
 * Needs: waves. Keeps: everything but the merge instructions. */
#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/pass.h"
#include "compiler/optimize/loops/opt_barrier.h"

static const char PASS[] = "flatten";

enum {
    TINY_ARM = 8,      /* arms that cost less together are not worth a branch of their own */
    BRANCH_COST = 8,   /* what a branch costs a wave that goes both ways: masks saved, changed and restored */
    FLATTEN_COST = 48, /* most both arms may cost together: they need registers side by side */
};

/* A two-way selection, in block indices; an arm that is the merge block is none. */
typedef struct selection {
    uint32_t block, arms[2], merge;
    const wpg_block_weight *weight;
    uint64_t waves[2]; /* that ran the arms; 0 for one that is none */
    uint64_t both;     /* waves that ran both ways */
    uint32_t cost[2];
} selection;

typedef struct flattener {
    wpg_context *context;
    wpg_function_profile *profile;
    wpg_view *view;
    wpg_arena arena;
    uint32_t marked;
} flattener;

static const wpg_block_weight *weight_of(const flattener *f, uint32_t block)
{
    return wpg_known_block(f->profile, f->view->cfg->blocks[block].id);
}

static bool is_in_arm(const flattener *f, const selection *s, unsigned arm, uint32_t block)
{
    const wpg_cfg *cfg = f->view->cfg;
    return s->arms[arm] != s->merge && cfg->blocks[block].rpo != WPG_NO_BLOCK &&
           wpg_cfg_dominates(cfg, s->arms[arm], block) && !wpg_cfg_dominates(cfg, s->merge, block);
}

/* A load or store of a variable of the function's own, whole: a value, once the driver has made SSA form of
 * it. */
static bool keeps_value_in_variable(const wpg_module *module, const wpg_inst *inst)
{
    uint32_t pointer = inst->opcode == SpvOpLoad && inst->count == 4    ? inst->words[3]
                       : inst->opcode == SpvOpStore && inst->count == 3 ? inst->words[1]
                                                                        : 0;
    const wpg_inst *variable = wpg_module_def(module, pointer);
    return variable && variable->opcode == SpvOpVariable && variable->words[3] == SpvStorageClassFunction;
}

static uint32_t arm_cost(const flattener *f, const selection *s, unsigned arm)
{
    const wpg_cfg *cfg = f->view->cfg;
    uint32_t cost = 0, count;
    const uint32_t *from = wpg_cfg_dominated(&count, cfg, s->arms[arm]);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_in_arm(f, s, arm, from[i]))
            continue;
        const wpg_block *block = &cfg->blocks[from[i]];
        for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next)
            if (!keeps_value_in_variable(f->view->module, inst))
                cost += wpg_inst_cost(f->view->module, inst);
    }
    return cost;
}

/* Waves in which both ways had lanes, and those of each arm; false if that was not measured. */
static bool count_waves(selection *s, const flattener *f)
{
    const wpg_block_weight *arms[2] = {NULL, NULL};
    for (unsigned i = 0; i < 2; i++) {
        if (s->arms[i] == s->merge)
            continue;
        arms[i] = weight_of(f, s->arms[i]);
        if (!arms[i] || f->view->cfg->blocks[s->arms[i]].predecessor_count != 1)
            return false;
        s->waves[i] = arms[i]->waves;
    }
    if (arms[0] && arms[1]) {
        s->both = wpg_less(arms[0]->waves + arms[1]->waves, s->weight->waves);
        return true;
    }
    const wpg_block_weight *arm = arms[0] ? arms[0] : arms[1];
    if (f->profile->has_lanes && (arm->lanes == s->weight->lanes || !arm->lanes))
        return true; /* s->both is 0 */
    if (!arm->uniform_known)
        return false;
    /* A wave not full in the arm: its other lanes may be elsewhere. */
    s->both = wpg_less(arm->waves, arm->uniform);
    return true;
}

/* Fills *s for a block that heads a two-way selection without a hint; false if it is none, or not measured.
 */
static bool describe(selection *s, const flattener *f, uint32_t block)
{
    const wpg_cfg *cfg = f->view->cfg;
    const wpg_block *b = &cfg->blocks[block];
    if (b->rpo == WPG_NO_BLOCK || b->terminator->opcode != SpvOpBranchConditional || !b->merge ||
        b->merge->opcode != SpvOpSelectionMerge || b->merge->count < 3 ||
        b->merge->words[2] != SpvSelectionControlMaskNone)
        return false;
    *s = (selection){
        .block = block,
        .arms = {wpg_cfg_find(cfg, b->terminator->words[2]), wpg_cfg_find(cfg, b->terminator->words[3])},
        .merge = wpg_cfg_find(cfg, b->merge->words[1]),
        .weight = weight_of(f, block)};
    if (s->arms[0] == s->arms[1] || !s->weight || !s->weight->waves || !count_waves(s, f))
        return false;
    for (unsigned i = 0; i < 2; i++)
        s->cost[i] = arm_cost(f, s, i);
    return true;
}

/* May everyone run the arm? One block of instructions that are safe to speculate. */
static bool everyone_may_run(const flattener *f, const selection *s, unsigned arm)
{
    const wpg_block *block = &f->view->cfg->blocks[s->arms[arm]];
    if (s->arms[arm] == s->merge)
        return true;
    if (block->predecessor_count != 1 || block->terminator->opcode != SpvOpBranch || block->merge ||
        block->successors[0] != s->merge)
        return false;
    for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next)
        if (inst->opcode != SpvOpLine && inst->opcode != SpvOpNoLine &&
            !keeps_value_in_variable(f->view->module, inst) &&
            !(wpg_inst_traits(f->view->module, inst) & WPG_TRAIT_SPECULATABLE))
            return false;
    return true;
}

static bool stores_floats(const wpg_module *module, const wpg_inst *inst)
{
    const wpg_inst *value =
        inst->opcode == SpvOpStore && inst->count > 2 ? wpg_module_def(module, inst->words[2]) : NULL;
    return inst->opcode == SpvOpStore && (!value || wpg_bears_floats(module, value->type));
}

/* Floating-point work in an arm that could be fused, or floats that the arms join. */
static bool bears_floats(const flattener *f, const selection *s)
{
    const wpg_module *module = f->view->module;
    const wpg_cfg *cfg = f->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!is_in_arm(f, s, 0, b) && !is_in_arm(f, s, 1, b))
            continue;
        for (const wpg_inst *inst = cfg->blocks[b].label; inst != cfg->blocks[b].terminator;
             inst = inst->next)
            if (wpg_is_fused_by_use(module, inst) || stores_floats(module, inst))
                return true;
    }
    for (const wpg_inst *inst = cfg->blocks[s->merge].label; inst != cfg->blocks[s->merge].terminator;
         inst = inst->next)
        if (inst->opcode == SpvOpPhi && wpg_bears_floats(module, inst->type))
            return true;
    return false;
}

/* NULL if the selection may have a hint at all, else why not (static storage). */
static const char *refusal(flattener *f, const selection *s)
{
    if (bears_floats(f, s))
        return "its arms make floats that a driver may contract otherwise in straight code";
    if (wpg_is_in_counted_float_loop(f->view, s->block))
        return "a loop around it makes floats that a driver may re-associate if it unrolls it";
    return NULL;
}

static void mark(flattener *f, const selection *s, SpvSelectionControlMask control, const char *name,
                 const char *what, uint64_t waves)
{
    const char *why = refusal(f, s);
    uint32_t origin = s->weight->origin;
    if (why) {
        wpg_remark_add(f->context, WPG_REMARK_REFUSED, PASS, f->profile->ordinal, origin,
                       "selection at block %u: no %s: %s", origin, name, why);
        return;
    }
    f->view->cfg->blocks[s->block].merge->words[2] = control;
    f->marked++;
    wpg_remark_add(f->context, WPG_REMARK_DONE, PASS, f->profile->ordinal, origin,
                   "selection at block %u: %llu of %llu waves %s (cost %u); %s", origin,
                   (unsigned long long)waves, (unsigned long long)s->weight->waves, what,
                   s->cost[0] + s->cost[1], name);
}

static void control(flattener *f, const selection *s)
{
    double waves = (double)s->weight->waves, apart = (double)s->both / waves, wasted = 0;
    uint32_t cost = s->cost[0] + s->cost[1];
    for (unsigned i = 0; i < 2; i++) /* what waves would run that do not */
        wasted += (double)s->cost[i] * (double)wpg_less(s->weight->waves, s->waves[i]);
    if (1 - apart >= f->context->options->uniform_share && cost >= TINY_ARM)
        mark(f, s, SpvSelectionControlDontFlattenMask, "DontFlatten", "went one way only",
             wpg_less(s->weight->waves, s->both));
    else if (apart >= 0.5 && wasted <= (double)BRANCH_COST * waves && cost <= FLATTEN_COST &&
             everyone_may_run(f, s, 0) && everyone_may_run(f, s, 1))
        mark(f, s, SpvSelectionControlFlattenMask, "Flatten", "ran both short arms", s->both);
}

wpg_status wpg_pass_flatten(bool *changed, wpg_context *context, wpg_function_profile *profile)
{
    flattener f = {.context = context, .profile = profile};
    wpg_error reason = {0};
    if (!profile->has_waves)
        return WPG_OK;
    wpg_status status = wpg_view_get(&f.view, context, profile->function, &reason);
    if (status != WPG_OK)
        return status == WPG_E_NOMEM ? wpg_fail(context->err, status, "out of memory") : WPG_OK;
    wpg_arena_init(&f.arena);
    for (uint32_t b = 0; b < f.view->cfg->count; b++) {
        selection s;
        if (describe(&s, &f, b))
            control(&f, &s);
    }
    *changed |= f.marked != 0;
    status = f.arena.failed ? wpg_fail(context->err, WPG_E_NOMEM, "out of memory") : WPG_OK;
    wpg_arena_finish(&f.arena);
    return status;
}
