/* Cuts blocks that never ran, as an experiment: see cut_dead.h.
 *
 *     if c { A } else { B }, B dead    =>    if true { A } else { B }
 *     switch x { 0: A 1: B default: D }, B dead    =>    switch x { 0: A default: D }
 *                                        D dead    =>    switch x { 1: B default: A }
 *
 * Only terminators of blocks that ran are changed; blocks behind a dead block go with it. A dead loop goes
 * with the arm it stands in. A loop whose body never ran keeps its header, and its test is decided. Continue
 * constructs are left alone: they must reach their back edge. Merge instructions and labels stay: a constant
 * condition removes no edge. A switch only loses cases, and a dead default takes a target that the switch
 * had. The rules of fall-through are about targets, and no target is new. Folding removes the lost parents
 * from phis. */
#include "compiler/optimize/passes/cut_dead.h"

#include "compiler/analysis/graph/cfg.h"
#include "compiler/analysis/graph/normal_form.h"
#include "compiler/optimize/ir/loops.h"
#include "compiler/spirv/builder.h"
#include "runtime/base/vec.h"

typedef struct cutter {
    wpg_module *module;
    wpg_cfg *cfg;
    const uint64_t *counts;
    const bool *known; /* may be NULL: all */
    wpg_cut_info *info;
    bool out_of_memory;
} cutter;

static bool is_dead(const cutter *c, uint32_t block)
{
    return block != WPG_NO_BLOCK && (!c->known || c->known[block]) && c->counts[block] == 0;
}

static void decide_branch(cutter *c, wpg_inst *branch)
{
    uint32_t yes = wpg_cfg_find(c->cfg, branch->words[2]), no = wpg_cfg_find(c->cfg, branch->words[3]);
    if (yes == no || (!is_dead(c, yes) && !is_dead(c, no)))
        return;
    if (is_dead(c, yes) && is_dead(c, no)) {
        c->info->undecided++;
        return;
    }
    branch->words[1] = wpg_const_bool(c->module, is_dead(c, no));
    c->info->decided++;
}

/* Words of one literal of the switch; 0 if its selector's type is not known. */
static uint32_t literal_words(const cutter *c, const wpg_inst *terminator)
{
    const wpg_inst *selector = wpg_module_def(c->module, terminator->words[1]);
    const wpg_inst *type = selector ? wpg_module_def(c->module, selector->type) : NULL;
    return !type || type->opcode != SpvOpTypeInt ? 0 : type->words[2] > 32 ? 2 : 1;
}

static void decide_switch(cutter *c, uint32_t block)
{
    wpg_inst *terminator = c->cfg->blocks[block].terminator;
    uint32_t literal = literal_words(c, terminator), live = 0, dropped = 0;
    WPG_VEC(uint32_t) operands = {0};
    if (!literal)
        return;
    if (!wpg_vec_reserve(&operands, terminator->count)) {
        c->out_of_memory = true;
        return;
    }
    operands.data[operands.count++] = terminator->words[1];
    operands.data[operands.count++] = terminator->words[2];
    for (uint32_t at = 3; at + literal < terminator->count; at += literal + 1) {
        uint32_t target = terminator->words[at + literal];
        if (is_dead(c, wpg_cfg_find(c->cfg, target))) {
            dropped++;
            continue;
        }
        live = live ? live : target;
        for (uint32_t i = 0; i <= literal; i++)
            operands.data[operands.count++] = terminator->words[at + i];
    }
    bool no_default = is_dead(c, wpg_cfg_find(c->cfg, terminator->words[2]));
    if (no_default && !live) {
        c->info->undecided++;
    } else if (no_default || dropped) {
        if (no_default)
            operands.data[1] = live;
        c->info->cases += dropped + no_default;
        wpg_inst_set_operands(c->module, terminator, operands.data, operands.count);
    }
    wpg_vec_free(&operands);
}

static bool has_dead_target(const cutter *c, uint32_t block)
{
    bool any = false;
    for (uint32_t s = 0; s < c->cfg->blocks[block].successor_count; s++)
        any |= is_dead(c, c->cfg->blocks[block].successors[s]);
    return any;
}

static void cut_function(cutter *c)
{
    for (uint32_t i = 0; i < c->cfg->order_count; i++) {
        uint32_t block = c->cfg->order[i];
        SpvOp end = (SpvOp)c->cfg->blocks[block].terminator->opcode;
        c->info->blocks++;
        if (is_dead(c, block))
            c->info->dead++;
        else if ((end == SpvOpBranchConditional || end == SpvOpSwitch) &&
                 wpg_block_is_in_continue(c->cfg, block))
            c->info->left += has_dead_target(c, block);
        else if (end == SpvOpBranchConditional)
            decide_branch(c, c->cfg->blocks[block].terminator);
        else if (end == SpvOpSwitch)
            decide_switch(c, block);
    }
}

static const wpg_function_weights *weights_of(const wpg_weights *weights, uint32_t ordinal)
{
    for (uint32_t i = 0; i < weights->function_count; i++)
        if (weights->functions[i].ordinal == ordinal)
            return &weights->functions[i];
    return NULL;
}

static wpg_status look_at(wpg_cut_info *info, wpg_module *module, wpg_inst *function,
                          const wpg_function_weights *w, wpg_error *err)
{
    const uint64_t *counts = w ? (w->waves ? w->waves : w->lanes) : NULL;
    cutter c = {.module = module, .counts = counts, .known = w ? w->known : NULL, .info = info};
    wpg_error why;
    wpg_status status = counts ? wpg_cfg_create(&c.cfg, module, function, &why) : WPG_OK;
    if (status == WPG_E_NOMEM)
        return wpg_fail(err, status, "out of memory");
    if (!c.cfg) {
        info->unknown++;
        return WPG_OK;
    }
    if (c.cfg->count != w->block_count || wpg_cfg_checksum(c.cfg, WPG_NORMAL_FORM_VERSION) != w->checksum)
        info->mismatch = true;
    else if (!c.cfg->count || !counts[0] || (c.known && !c.known[0]))
        info->unknown++; /* of a function that never ran nothing is known */
    else
        cut_function(&c);
    wpg_cfg_destroy(c.cfg);
    return c.out_of_memory ? wpg_fail(err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}

wpg_status wpg_cut_dead(wpg_cut_info *info, wpg_module *module, const wpg_stage *stage,
                        const wpg_weights *weights, wpg_error *err)
{
    *info = (wpg_cut_info){0};
    const wpg_inst *entry = wpg_find_entry_point(module, stage->model, stage->entry);
    if (!entry || entry->count < 3)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no entry point '%s'", stage->entry);
    uint32_t other = 0;
    for (wpg_inst *f = wpg_first_function(module); f; f = wpg_next_function(f->next)) {
        uint32_t ordinal = f->result == entry->words[2] ? 0 : ++other;
        WPG_TRY(look_at(info, module, f, weights_of(weights, ordinal), err));
    }
    return module->arena.failed ? wpg_fail(err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}
