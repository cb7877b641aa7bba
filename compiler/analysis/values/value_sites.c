/* Enumeration of value sites. See value_sites.h. */
#include "compiler/analysis/values/value_sites.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/values/divergence_internal.h"
#include "compiler/spirv/builder.h"
#include "compiler/spirv/grammar.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"

enum { NO = WPG_NO_BLOCK };

/* An OpSampledImage: positions of it and of its last use in the block. */
typedef struct sample_span {
    wpg_inst *inst, *after; /* itself; the instruction behind its last use */
    uint64_t made, last;
} sample_span;

typedef struct placed_site {
    wpg_value_site site;
    uint64_t position; /* in its block */
    uint32_t serial;
} placed_site;

typedef struct site_walk {
    const wpg_cfg *cfg;
    const wpg_module *module;
    const wpg_divergence *d;
    WPG_VEC(placed_site) sites;
    wpg_map asked; /* what was asked already: origin, kind and, if it matters, block */
    /* Of one block: positions of definitions, from 1; sampled images by id. */
    uint32_t looked_at;
    wpg_map place, sample_of;
    WPG_VEC(sample_span) samples;
    uint32_t uniformity; /* sites of either sort */
    uint32_t values;
    bool failed;
} site_walk;

/* -- Values */

/* Scalars of up to 32 bits, and 64-bit integers and addresses. */
static bool type_of(wpg_value_type *type, const wpg_module *module, uint32_t id)
{
    const wpg_inst *def = wpg_module_def(module, id);
    const wpg_inst *t = def ? wpg_module_def(module, def->type) : NULL;
    if (!t || t->count < 2)
        return false;
    switch ((SpvOp)t->opcode) {
    case SpvOpTypeBool:
        *type = WPG_VALUE_BOOL;
        return true;
    case SpvOpTypeInt:
        *type = t->count > 3 && t->words[3] ? WPG_VALUE_SINT : WPG_VALUE_UINT;
        if (t->count > 3 && t->words[2] == 64)
            *type = WPG_VALUE_WIDE;
        return t->count > 3 && (t->words[2] <= 32 || t->words[2] == 64);
    case SpvOpTypeFloat:
        *type = WPG_VALUE_FLOAT;
        return t->count > 2 && t->words[2] == 32;
    case SpvOpTypePointer:
        *type = WPG_VALUE_WIDE;
        return t->count > 2 && t->words[2] == SpvStorageClassPhysicalStorageBuffer;
    default:
        return false;
    }
}

static bool is_specialisable(const site_walk *w, uint32_t id, uint32_t block)
{
    return !wpg_is_module_constant(w->module, id) &&
           wpg_divergence_at(w->d, id, block) <= WPG_UNIFORM_DISPATCH && !wpg_divergence_varies(w->d, id);
}

/* -- Places */

/* Positions in the block at hand, and its sampled images with their last uses. */
static void look_at(site_walk *w, uint32_t b)
{
    const wpg_block *block = &w->cfg->blocks[b];
    const wpg_inst *end = block->terminator->next;
    uint64_t position = 0;
    if (w->looked_at == b)
        return;
    w->looked_at = b;
    wpg_map_free(&w->place);
    wpg_map_free(&w->sample_of);
    wpg_vec_clear(&w->samples);
    for (wpg_inst *inst = block->label; inst != end; inst = inst->next) {
        wpg_operand_walk walk = wpg_operands(w->module, inst);
        wpg_operand operand;
        position++;
        if (inst->result && !wpg_map_set(&w->place, inst->result, position))
            w->failed = true;
        uint64_t sample;
        while (w->samples.count && wpg_operand_next(&walk, &operand))
            if (operand.kind == WPG_OPERAND_ID &&
                wpg_map_get(&w->sample_of, inst->words[operand.at], &sample)) {
                w->samples.data[sample].last = position;
                w->samples.data[sample].after = inst->next;
            }
        if (inst->opcode == SpvOpSampledImage &&
            (!wpg_vec_push(&w->samples, (sample_span){inst, inst->next, position, position}) ||
             !wpg_map_set(&w->sample_of, inst->result, w->samples.count - 1)))
            w->failed = true;
    }
}

static uint64_t position_of(const wpg_block *block, const wpg_inst *before)
{
    uint64_t position = 1;
    for (const wpg_inst *inst = block->label; inst != before && inst != block->terminator; inst = inst->next)
        position++;
    return position;
}

/* Whether the site has its value at a position. */
static bool has_value(const site_walk *w, const placed_site *placed)
{
    uint64_t made;
    return placed->site.reload || !wpg_map_get(&w->place, placed->site.value, &made) ||
           made < placed->position;
}

/* An OpSampledImage and what uses it stay in one block (SPIR-V 3.52.10), so no code with control flow goes
 * between them: the site moves in front of such pairs, or behind them if its value is made in between. */
static void find_place(site_walk *w, placed_site *placed)
{
    wpg_value_site *site = &placed->site;
    const wpg_block *block = &w->cfg->blocks[site->block];
    look_at(w, site->block);
    placed->position = position_of(block, site->before);
    placed_site first = *placed;
    for (size_t i = w->samples.count; i-- > 0;) {
        const sample_span *span = &w->samples.data[i];
        if (span->made < placed->position && placed->position <= span->last) {
            site->before = span->inst;
            placed->position = span->made;
        }
    }
    if (!has_value(w, placed)) {
        *placed = first;
        for (size_t i = 0; i < w->samples.count; i++) {
            const sample_span *span = &w->samples.data[i];
            if (span->made < placed->position && placed->position <= span->last) {
                site->before = span->after;
                placed->position = span->last + 1;
            }
        }
    }
    if (site->before == block->merge)
        site->before = block->terminator;
}

/* -- Taking */

static void take(site_walk *w, wpg_value_site site)
{
    bool values = (site.ask & WPG_ASK_VALUES) != 0;
    uint32_t *count = values ? &w->values : &w->uniformity;
    if (*count >= (uint32_t)(values ? WPG_MOST_VALUE_SITES : WPG_MOST_UNIFORMITY_SITES))
        return;
    /* What never changes is asked once of each kind; other values once in a block. */
    bool one_value = is_specialisable(w, site.value, site.block);
    uint64_t key = (uint64_t)wpg_divergence_origin(w->d, site.value) << 32 | (uint64_t)site.kind << 28;
    key |= one_value ? 0 : 1 + (uint64_t)site.block;
    if (wpg_map_get(&w->asked, key, NULL))
        return;
    if (!wpg_map_set(&w->asked, key, 1))
        w->failed = true;
    placed_site placed = {.site = site, .serial = (uint32_t)w->sites.count};
    find_place(w, &placed);
    if (!wpg_vec_push(&w->sites, placed))
        w->failed = true;
    ++*count;
}

/* A value used by `inst` of `block`. `values`: ask about values whatever is proved. */
static void consider(site_walk *w, wpg_value_kind kind, uint32_t value, uint32_t block, wpg_inst *before,
                     wpg_inst *use, bool values)
{
    wpg_value_site site = {.kind = kind, .value = value, .block = block, .before = before, .use = use};
    if (wpg_is_module_constant(w->module, value) || !type_of(&site.type, w->module, value))
        return;
    if (wpg_divergence_at(w->d, value, block) == WPG_DIVERGENT)
        site.ask |= WPG_ASK_UNIFORMITY;
    if (site.type != WPG_VALUE_WIDE && (values || is_specialisable(w, value, block)))
        site.ask |= WPG_ASK_VALUES;
    if (site.ask)
        take(w, site);
}

/* -- Indices */

/* What a chain's base points to: how many of its indices choose a descriptor; false if it is no buffer and
 * no descriptor. */
static bool chain_base(uint32_t *descriptors, bool *buffer, const wpg_module *module, const wpg_inst *chain)
{
    const wpg_inst *base = wpg_module_def(module, chain->words[3]);
    const wpg_inst *pointer = base ? wpg_module_def(module, base->type) : NULL;
    if (!pointer || pointer->opcode != SpvOpTypePointer || pointer->count < 4)
        return false;
    const wpg_inst *type = wpg_module_def(module, pointer->words[3]);
    bool array = type && (type->opcode == SpvOpTypeArray || type->opcode == SpvOpTypeRuntimeArray);
    *descriptors = array && base->opcode == SpvOpVariable ? 1 : 0;
    switch ((SpvStorageClass)pointer->words[2]) {
    case SpvStorageClassUniformConstant:
        *buffer = false;
        return *descriptors != 0;
    case SpvStorageClassUniform:
    case SpvStorageClassStorageBuffer:
        *buffer = true;
        return true;
    case SpvStorageClassPhysicalStorageBuffer:
        *buffer = true;
        *descriptors = 0;
        return true;
    default:
        return false;
    }
}

static void chain_sites(site_walk *w, wpg_inst *inst, uint32_t block)
{
    bool pointer_first = inst->opcode == SpvOpPtrAccessChain || inst->opcode == SpvOpInBoundsPtrAccessChain;
    uint32_t descriptors;
    bool buffer;
    if (!chain_base(&descriptors, &buffer, w->module, inst))
        return;
    for (uint32_t i = 4; i < inst->count; i++) {
        bool descriptor = !pointer_first && i - 4 < descriptors;
        if (descriptor || buffer)
            consider(w, descriptor ? WPG_VALUE_DESCRIPTOR_INDEX : WPG_VALUE_BUFFER_INDEX, inst->words[i],
                     block, inst, inst, false);
    }
}

static void address_site(site_walk *w, wpg_inst *inst, uint32_t block)
{
    const wpg_inst *type = wpg_module_def(w->module, inst->type);
    if (type && type->opcode == SpvOpTypePointer && type->count > 2 &&
        type->words[2] == SpvStorageClassPhysicalStorageBuffer)
        consider(w, WPG_VALUE_ADDRESS, inst->result, block, inst->next, inst, false);
}

static void argument_sites(site_walk *w, wpg_inst *inst, uint32_t block)
{
    for (uint32_t i = 4; i < inst->count; i++)
        consider(w, WPG_VALUE_ARGUMENT, inst->words[i], block, inst, inst, true);
}

/* -- Control */

static bool is_comparison(unsigned opcode)
{
    return opcode >= SpvOpIEqual && opcode <= SpvOpFUnordGreaterThanEqual;
}

typedef void (*leaf_visitor)(site_walk *w, uint32_t block, wpg_inst *comparison, void *context);

/* The comparisons a condition is made of, through and, or, not; the condition itself if it is none. */
static void visit_leaves(site_walk *w, uint32_t block, uint32_t condition, unsigned depth, leaf_visitor visit,
                         void *context)
{
    wpg_inst *inst = wpg_module_def(w->module, condition);
    enum { DEEPEST = 4 };
    if (!inst || wpg_is_module_constant(w->module, condition))
        return;
    bool joins = inst->opcode == SpvOpLogicalAnd || inst->opcode == SpvOpLogicalOr;
    if (depth < DEEPEST &&
        ((joins && inst->count > 4) || (inst->opcode == SpvOpLogicalNot && inst->count > 3))) {
        visit_leaves(w, block, inst->words[3], depth + 1, visit, context);
        if (joins)
            visit_leaves(w, block, inst->words[4], depth + 1, visit, context);
        return;
    }
    visit(w, block, inst, context);
}

/* A load that gives the same at the end of `before` as in the loop: of a variable whose value was made
 * outside, by constant indices. */
static bool can_reload(const site_walk *w, uint32_t value, uint32_t loop, const wpg_block *before)
{
    const wpg_inst *load = wpg_module_def(w->module, value);
    if (!load || load->opcode != SpvOpLoad || load->count < 4)
        return false;
    const wpg_inst *pointer = wpg_module_def(w->module, load->words[3]);
    if (pointer && pointer->opcode == SpvOpAccessChain && pointer->count > 3) {
        for (uint32_t i = 4; i < pointer->count; i++)
            if (!wpg_is_module_constant(w->module, pointer->words[i]))
                return false;
        pointer = wpg_module_def(w->module, pointer->words[3]);
    }
    if (!pointer || pointer->opcode != SpvOpVariable)
        return false;
    bool followed = wpg_divergence_origin(w->d, value) != value;
    uint32_t at = wpg_cfg_find(w->cfg, before->id);
    return followed ? wpg_divergence_is_outside(w->d, value, loop) : is_specialisable(w, value, at);
}

/* The block that enters the loop and goes nowhere else; NO if there is none. */
static uint32_t preheader_of(const wpg_cfg *cfg, uint32_t loop)
{
    uint32_t header = cfg->constructs[loop].header, found = NO;
    const wpg_block *block = &cfg->blocks[header];
    for (uint32_t p = 0; p < block->predecessor_count; p++) {
        uint32_t from = block->predecessors[p];
        if (cfg->blocks[from].rpo >= block->rpo)
            continue;
        if (found != NO)
            return NO;
        found = from;
    }
    return found != NO && cfg->blocks[found].successor_count == 1 ? found : NO;
}

static void bound_site(site_walk *w, uint32_t block, uint32_t bound, uint32_t loop, wpg_inst *use)
{
    const wpg_cfg *cfg = w->cfg;
    uint32_t before = preheader_of(cfg, loop);
    wpg_value_site site = {.kind = WPG_VALUE_LOOP_BOUND, .ask = WPG_ASK_VALUES, .value = bound, .use = use};
    if (!type_of(&site.type, w->module, bound) || site.type == WPG_VALUE_WIDE)
        return;
    /* Asked once where the loop is entered, if the value is there already or can be loaded there. */
    uint32_t at = w->d->block_of[bound];
    bool there = before != NO && at != NO && wpg_cfg_dominates(cfg, at, before);
    bool reload = before != NO && !there && can_reload(w, bound, loop, &cfg->blocks[before]);
    site.block = there || reload ? before : block;
    site.before = cfg->blocks[site.block].terminator;
    site.reload = reload ? wpg_module_def(w->module, bound) : NULL;
    if (wpg_divergence_at(w->d, bound, block) == WPG_DIVERGENT)
        site.ask |= WPG_ASK_UNIFORMITY;
    take(w, site);
}

/* An exit of a loop compares what changes with what does not. */
static void bound_leaf(site_walk *w, uint32_t block, wpg_inst *comparison, void *context)
{
    uint32_t loop = *(const uint32_t *)context;
    if (!is_comparison(comparison->opcode) || comparison->count < 5)
        return;
    for (uint32_t i = 3; i < 5; i++) {
        uint32_t side = comparison->words[i], other = comparison->words[7 - i];
        bool fixed = wpg_divergence_is_outside(w->d, side, loop) || is_specialisable(w, side, block);
        if (fixed && !wpg_is_module_constant(w->module, side) && wpg_divergence_varies(w->d, other))
            bound_site(w, block, side, loop, comparison);
    }
}

/* A branch on uniform values: the values compared, or the condition itself. */
static void condition_leaf(site_walk *w, uint32_t block, wpg_inst *inst, void *context)
{
    wpg_inst *end = w->cfg->blocks[block].terminator;
    (void)context;
    if (!is_comparison(inst->opcode) || inst->count < 5) {
        if (is_specialisable(w, inst->result, block))
            consider(w, WPG_VALUE_CONDITION, inst->result, block, end, end, true);
        return;
    }
    for (uint32_t i = 3; i < 5; i++)
        if (is_specialisable(w, inst->words[i], block))
            consider(w, WPG_VALUE_CONDITION, inst->words[i], block, end, end, true);
}

static void end_sites(site_walk *w, uint32_t b)
{
    const wpg_cfg *cfg = w->cfg;
    const wpg_block *block = &cfg->blocks[b];
    if (block->terminator->opcode == SpvOpSwitch && block->terminator->count > 2) {
        consider(w, WPG_VALUE_SWITCH, block->terminator->words[1], b, block->terminator, block->terminator,
                 true);
    } else if (block->terminator->opcode == SpvOpBranchConditional && block->terminator->count > 3) {
        uint32_t loop = NO;
        for (uint32_t s = 0; block->loop != NO && s < block->successor_count; s++)
            if (!wpg_construct_holds(cfg, block->loop, block->successors[s]))
                loop = block->loop;
        visit_leaves(w, b, block->terminator->words[1], 0, loop != NO ? bound_leaf : condition_leaf, &loop);
    }
}

static void block_sites(site_walk *w, uint32_t b)
{
    const wpg_block *block = &w->cfg->blocks[b];
    for (wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
        switch ((SpvOp)inst->opcode) {
        case SpvOpAccessChain:
        case SpvOpInBoundsAccessChain:
        case SpvOpPtrAccessChain:
        case SpvOpInBoundsPtrAccessChain:
            chain_sites(w, inst, b);
            break;
        case SpvOpConvertUToPtr:
        case SpvOpBitcast:
        case SpvOpLoad:
            address_site(w, inst, b);
            break;
        case SpvOpFunctionCall:
            argument_sites(w, inst, b);
            break;
        default:
            break;
        }
    }
    end_sites(w, b);
}

static int by_place(const void *left, const void *right)
{
    const placed_site *a = left, *b = right;
    if (a->site.block != b->site.block)
        return a->site.block < b->site.block ? -1 : 1;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return a->serial < b->serial ? -1 : a->serial > b->serial;
}

wpg_status wpg_value_sites(wpg_value_site **sites, uint32_t *count, const wpg_cfg *cfg,
                           const wpg_divergence *divergence, wpg_arena *arena)
{
    site_walk w = {.cfg = cfg, .module = cfg->module, .d = divergence, .looked_at = NO};
    for (uint32_t b = 0; b < cfg->count && !w.failed; b++)
        if (cfg->blocks[b].rpo != NO)
            block_sites(&w, b);
    if (w.sites.count)
        qsort(w.sites.data, w.sites.count, sizeof *w.sites.data, by_place);
    *sites = WPG_ARENA_ARRAY(arena, wpg_value_site, w.sites.count);
    for (size_t i = 0; *sites && i < w.sites.count; i++)
        (*sites)[i] = w.sites.data[i].site;
    *count = (uint32_t)w.sites.count;
    wpg_vec_free(&w.sites);
    wpg_map_free(&w.asked);
    wpg_map_free(&w.place);
    wpg_map_free(&w.sample_of);
    wpg_vec_free(&w.samples);
    return w.failed || !*sites ? WPG_E_NOMEM : WPG_OK;
}
