/* See region.h.
 *
 * A region starts as everything in the block that depends on the index through access chains, loads, integer
 * arithmetic and parts of composites, if all its other operands are uniform over the subgroup. Explicit
 * samples and fetches of images chosen by the index belong to it, whatever their coordinates.
 *
 * Then members are removed, until nothing changes, that cannot be computed before the first use of a result
 * outside. The guard stands there: members in front of it are sunk into its arms, later ones hoisted.
 * Pointers, images and samplers go through no phi, so all their users are members too. */
#include "compiler/optimize/passes/region.h"

#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

enum { DEEPEST = 12, MOST_STEPS = 512 }; /* of expressions that are compared; in comparing two */

typedef struct finder {
    const wpg_view *view;
    const wpg_divergence *divergence;
    wpg_region *region;
    WPG_VEC(wpg_inst *) list; /* the block without label and end */
    wpg_map places;           /* result id -> place in list */
    bool *member, *uniform;   /* [list.count]; uniform: its result is one for all lanes */
    wpg_operand_list operands;
    uint32_t guard; /* place in list; list.count: the end */
    uint32_t steps; /* of comparing two values: a bound for what a module may ask of us */
    bool nomem;
} finder;

static bool place_of(const finder *f, uint32_t id, uint32_t *place)
{
    uint64_t found;
    if (!wpg_map_get(&f->places, id, &found))
        return false;
    *place = (uint32_t)found;
    return true;
}

static bool is_member(const finder *f, uint32_t id)
{
    uint32_t place;
    return place_of(f, id, &place) && f->member[place];
}

/* The index, or a member that is uniform once the index is. */
static bool is_scalar(const finder *f, uint32_t id)
{
    uint32_t place;
    return id == f->region->index || (place_of(f, id, &place) && f->member[place] && f->uniform[place]);
}

static bool is_uniform(const finder *f, uint32_t id)
{
    return is_scalar(f, id) || wpg_is_module_constant(f->view->module, id) ||
           wpg_divergence_at(f->divergence, id, f->region->block) <= WPG_UNIFORM_SUBGROUP;
}

static const wpg_inst *type_of(const finder *f, const wpg_inst *inst)
{
    return wpg_module_def(f->view->module, inst->type);
}

/* 32-bit words of a value, as far as types without constants tell. */
static uint32_t words_of(const wpg_module *module, uint32_t type, unsigned depth)
{
    const wpg_inst *def = wpg_module_def(module, type);
    uint32_t sum = 0;
    if (!def || depth > 8)
        return 0;
    switch (def->opcode) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        return def->words[2] > 32 ? 2 : 1;
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        return def->words[3] * words_of(module, def->words[2], depth + 1);
    case SpvOpTypeArray: {
        uint64_t length;
        uint32_t width;
        return wpg_const_value(module, def->words[3], &length, &width) && length <= 1024
                   ? (uint32_t)length * words_of(module, def->words[2], depth + 1)
                   : 0;
    }
    case SpvOpTypeStruct:
        for (uint16_t i = 2; i < def->count; i++)
            sum += words_of(module, def->words[i], depth + 1);
        return sum;
    default:
        return 0;
    }
}

/* -- What may be a member -- */

static bool chain_fits(const finder *f, const wpg_inst *chain)
{
    const wpg_inst *base = wpg_module_def(f->view->module, chain->words[3]);
    if (!is_scalar(f, chain->words[3])) {
        if (!base || base->opcode != SpvOpVariable)
            return false;
        switch ((SpvStorageClass)base->words[3]) {
        case SpvStorageClassUniform:
        case SpvStorageClassStorageBuffer:
        case SpvStorageClassUniformConstant:
            break;
        default:
            return false;
        }
    }
    for (unsigned i = 4; i < chain->count; i++)
        if (!is_uniform(f, chain->words[i]))
            return false;
    return true;
}

static bool load_fits(const finder *f, const wpg_inst *load)
{
    const uint32_t harmless = SpvMemoryAccessAlignedMask | SpvMemoryAccessNontemporalMask;
    const wpg_module *module = f->view->module;
    const wpg_inst *root = wpg_pointer_root(module, load->words[3]);
    return root && is_scalar(f, load->words[3]) && (load->count == 4 || !(load->words[4] & ~harmless)) &&
           !wpg_variable_has(module, root, SpvDecorationVolatile) &&
           !wpg_variable_has(module, root, SpvDecorationCoherent);
}

static bool operands_fit(const finder *f, const wpg_inst *inst)
{
    for (size_t i = 0; i < f->operands.count; i++)
        if (!is_uniform(f, inst->words[f->operands.data[i]]))
            return false;
    return true;
}

/* Samples and fetches that need no neighbours, of an image that the index chooses. */
static bool is_explicit_sample(const finder *f, const wpg_inst *inst)
{
    return wpg_opcode_reads_sampled(inst->opcode) && inst->count > 4 &&
           !(wpg_inst_traits(f->view->module, inst) & WPG_TRAITS_FIXED) && is_scalar(f, inst->words[3]);
}

static bool fits(const finder *f, const wpg_inst *inst)
{
    unsigned traits = wpg_inst_traits(f->view->module, inst);
    switch ((SpvOp)inst->opcode) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return inst->count > 4 && chain_fits(f, inst);
    case SpvOpLoad:
        return inst->count > 3 && load_fits(f, inst);
    case SpvOpSampledImage: /* of an image and a sampler, either chosen by the index */
    case SpvOpImage:
    case SpvOpCompositeExtract:
    case SpvOpCompositeConstruct:
    case SpvOpVectorShuffle:
    case SpvOpCopyObject:
    case SpvOpBitcast:
    case SpvOpUConvert:
    case SpvOpSConvert:
        return operands_fit(f, inst);
    case SpvOpExtInst:
    case SpvOpFunctionCall:
        return false;
    default:
        if (is_explicit_sample(f, inst))
            return true;
        /* Integers: bools and floats decide nothing about what is loaded. */
        return (traits & WPG_TRAIT_SPECULATABLE) && !(traits & WPG_TRAIT_FLOAT) && type_of(f, inst) &&
               type_of(f, inst)->opcode == SpvOpTypeInt && operands_fit(f, inst);
    }
}

/* Depends on the index, and may be a member as the others stand. */
static bool may_be_member(finder *f, const wpg_inst *inst)
{
    bool depends = false;
    if (!inst->result || !inst->type || inst->opcode == SpvOpPhi || inst->opcode == SpvOpVariable)
        return false;
    if (!wpg_used_ids(&f->operands, f->view->module, inst))
        return false;
    for (size_t i = 0; i < f->operands.count; i++)
        depends |= is_scalar(f, inst->words[f->operands.data[i]]);
    return depends && fits(f, inst);
}

/* -- Striking out -- */

static bool drop(finder *f, uint32_t place)
{
    bool was = f->member[place];
    f->member[place] = false;
    return was;
}

static bool is_used_outside(const finder *f, uint32_t id)
{
    for (uint32_t u = f->view->first_user[id]; u < f->view->first_user[id + 1]; u++) {
        const wpg_inst *user = f->view->users[u];
        if (!user->result || !is_member(f, user->result))
            return true;
    }
    return false;
}

/* Where the guard may stand at the latest: before the first user outside, and not between an
 * OpSampledImage and its users, which share a block. */
static void place_guard(finder *f)
{
    uint32_t n = (uint32_t)f->list.count, at;
    f->guard = n;
    for (uint32_t k = 0; k < n && f->guard == n; k++) {
        if (f->member[k] || !wpg_used_ids(&f->operands, f->view->module, f->list.data[k]))
            continue;
        for (size_t i = 0; i < f->operands.count; i++)
            if (is_member(f, f->list.data[k]->words[f->operands.data[i]]))
                f->guard = k;
    }
    for (uint32_t k = f->guard; k-- > 0;) {
        const wpg_inst *image = f->list.data[k];
        if (f->member[k] || image->opcode != SpvOpSampledImage)
            continue;
        for (uint32_t u = f->view->first_user[image->result]; u < f->view->first_user[image->result + 1]; u++)
            if (place_of(f, f->view->users[u]->result, &at) && at >= f->guard) {
                f->guard = k;
                break;
            }
    }
}

/* Is an operand made behind the guard, and not by a member? */
static bool comes_late(finder *f, const wpg_inst *inst)
{
    uint32_t at;
    if (!wpg_used_ids(&f->operands, f->view->module, inst))
        return true;
    for (size_t i = 0; i < f->operands.count; i++)
        if (place_of(f, inst->words[f->operands.data[i]], &at) && !f->member[at] && at >= f->guard)
            return true;
    return false;
}

static bool strike_out(finder *f)
{
    bool changed = false;
    for (uint32_t k = 0; k < f->list.count; k++) {
        const wpg_inst *inst = f->list.data[k];
        if (f->member[k] &&
            (!may_be_member(f, inst) ||
             (!wpg_type_may_be_merged(f->view->module, inst->type) && is_used_outside(f, inst->result))))
            changed |= drop(f, k);
    }
    place_guard(f);
    for (uint32_t k = 0; k < f->list.count; k++)
        if (f->member[k] && comes_late(f, f->list.data[k]))
            changed |= drop(f, k);
    return changed;
}

/* What no longer leads to a load has no business behind the guard. */
static bool trim(finder *f)
{
    bool changed = false;
    for (uint32_t k = (uint32_t)f->list.count; k-- > 0;) {
        const wpg_inst *inst = f->list.data[k];
        bool wanted = inst->opcode == SpvOpLoad || !f->uniform[k];
        if (!f->member[k] || wanted)
            continue;
        bool after_load = false, feeds = false;
        if (wpg_used_ids(&f->operands, f->view->module, inst))
            for (size_t i = 0; i < f->operands.count; i++) {
                uint32_t at;
                after_load |= place_of(f, inst->words[f->operands.data[i]], &at) && f->member[at];
            }
        for (uint32_t u = f->view->first_user[inst->result]; u < f->view->first_user[inst->result + 1]; u++)
            feeds |= f->view->users[u]->result && is_member(f, f->view->users[u]->result);
        if (!feeds && !after_load)
            changed |= drop(f, k);
    }
    return changed;
}

/* -- What stands in the way -- */

/* Something between the members and the guard that loads must not pass. */
static bool is_crossed(const finder *f)
{
    uint32_t first = f->guard, last = f->guard;
    for (uint32_t k = 0; k < f->list.count; k++)
        if (f->member[k]) {
            first = k < first ? k : first;
            last = k > last ? k : last;
        }
    for (uint32_t k = first; k < last && k < f->list.count; k++) {
        const wpg_inst *inst = f->list.data[k];
        unsigned traits = wpg_inst_traits(f->view->module, inst);
        if (f->member[k])
            continue;
        if (inst->opcode == SpvOpStore && inst->count > 1) {
            SpvStorageClass class = wpg_pointer_class(f->view->module, inst->words[1]);
            if (class == SpvStorageClassFunction || class == SpvStorageClassPrivate ||
                class == SpvStorageClassOutput)
                continue;
        }
        if (traits & (WPG_TRAIT_WRITES | WPG_TRAIT_BARRIER | WPG_TRAIT_UNKNOWN | WPG_TRAIT_DEMOTE))
            return true;
    }
    return false;
}

/* Are the two values the same expression, as drivers find out? What is too deep to tell, or loaded of memory
 * that may have changed between, is as `sure` says: not the same if it must be sure. */
static bool same_value(finder *f, uint32_t a, uint32_t b, unsigned depth, bool sure)
{
    const wpg_module *module = f->view->module;
    const wpg_inst *x = wpg_module_def(module, a), *y = wpg_module_def(module, b);
    wpg_operand_list ids = {0};
    if (a == b)
        return true;
    if (!x || !y || x->opcode != y->opcode || x->count != y->count || x->type != y->type)
        return false;
    unsigned traits = wpg_inst_traits(module, x);
    if (!(traits & WPG_TRAIT_PURE) ||
        (sure && (traits & WPG_TRAIT_READS) && !(is_member(f, a) && is_member(f, b))))
        return false;
    if (depth >= DEEPEST || ++f->steps > MOST_STEPS || !wpg_used_ids(&ids, module, x)) {
        wpg_vec_free(&ids);
        return !sure;
    }
    bool same = true;
    for (uint16_t i = 3, next = 0; i < x->count && same; i++) {
        bool id = next < ids.count && ids.data[next] == i;
        next = (uint16_t)(next + id);
        same = id ? same_value(f, x->words[i], y->words[i], depth + 1, sure) : x->words[i] == y->words[i];
    }
    if (!same && !sure && ids.count == 2 && x->count == 5) /* a sum or product the other way round */
        same = same_value(f, x->words[3], y->words[4], depth + 1, sure) &&
               same_value(f, x->words[4], y->words[3], depth + 1, sure);
    wpg_vec_free(&ids);
    return same;
}

/* Memory that nothing writes: a driver takes two equal loads of it for one. */
static bool is_read_only(const finder *f, const wpg_inst *read)
{
    const wpg_module *module = f->view->module;
    const wpg_inst *root = read->opcode == SpvOpLoad ? wpg_pointer_root(module, read->words[3]) : NULL;
    return read->opcode != SpvOpLoad || wpg_load_is_read_only(module, read) ||
           (root && wpg_variable_has(module, root, SpvDecorationNonWritable));
}

/* What is read again elsewhere is one value to a driver, which may factor or contract floating-point
 * arithmetic with it for that: behind the guard's phi they would be two. Within the region they stay one
 * (seen_equal), if they were before. */
static bool is_read_twice(finder *f, const wpg_inst *read)
{
    const wpg_inst *end = wpg_function_end(f->view->function);
    for (const wpg_inst *other = f->view->function; other && other != end; other = other->next) {
        f->steps = 0;
        if (other != read && other->opcode == read->opcode && other->result &&
            !(is_member(f, other->result) && is_read_only(f, read)) &&
            same_value(f, other->result, read->result, 0, false))
            return true;
    }
    return false;
}

/* An earlier member that is the same expression, which is then seen for both: behind the guard two phis
 * would be two values to a driver that computes with one. 0 if there is none. */
static uint32_t seen_equal(finder *f, const wpg_inst *member)
{
    wpg_region *region = f->region;
    for (size_t i = 0; i < region->members.count; i++) {
        f->steps = 0;
        if (region->members.data[i]->opcode == member->opcode && !region->same.data[i] &&
            same_value(f, region->members.data[i]->result, member->result, 0, true)) {
            region->seen.data[i] = true;
            return region->members.data[i]->result;
        }
    }
    return 0;
}

/* NULL, or why the loads stay as they are. */
static const char *finish(finder *f)
{
    wpg_region *region = f->region;
    for (uint32_t k = 0; k < f->list.count; k++) {
        wpg_inst *inst = f->list.data[k];
        if (!f->member[k])
            continue;
        bool opaque = !wpg_type_may_be_merged(f->view->module, inst->type),
             seen = !opaque && is_used_outside(f, inst->result);
        uint32_t same = seen ? seen_equal(f, inst) : 0;
        if (!wpg_vec_push(&region->members, inst) || !wpg_vec_push(&region->seen, seen) ||
            !wpg_vec_push(&region->same, same)) {
            f->nomem = true;
            return NULL;
        }
        if (inst->opcode != SpvOpLoad && f->uniform[k])
            continue;
        if (!opaque && is_read_twice(f, inst))
            return "a value loaded with it is read elsewhere, too: drivers may compute with both as one";
        region->loads++;
        region->words += opaque ? 4 : words_of(f->view->module, inst->type, 0);
    }
    if (region->loads && is_crossed(f))
        return "something between the loads writes, waits or demotes";
    region->before = f->guard < f->list.count ? f->list.data[f->guard]
                     : f->view->cfg->blocks[region->block].merge
                         ? f->view->cfg->blocks[region->block].merge
                         : f->view->cfg->blocks[region->block].terminator;
    return NULL;
}

static bool list_block(finder *f)
{
    const wpg_block *block = &f->view->cfg->blocks[f->region->block];
    const wpg_inst *end = block->merge ? block->merge : block->terminator;
    for (wpg_inst *inst = block->label->next; inst != end; inst = inst->next)
        if ((inst->result && !wpg_map_set(&f->places, inst->result, f->list.count)) ||
            !wpg_vec_push(&f->list, inst))
            return false;
    f->member = calloc(f->list.count + 1, sizeof *f->member);
    f->uniform = calloc(f->list.count + 1, sizeof *f->uniform);
    return f->member && f->uniform;
}

static bool has_loads(const finder *f)
{
    for (uint32_t k = 0; k < f->list.count; k++)
        if (f->member[k] && (f->list.data[k]->opcode == SpvOpLoad || !f->uniform[k]))
            return true;
    return false;
}

wpg_status wpg_region_find(wpg_region *region, const char **why, const wpg_view *view,
                           const wpg_divergence *divergence, uint32_t block, uint32_t index)
{
    finder f = {.view = view, .divergence = divergence, .region = region};
    *region = (wpg_region){.block = block, .index = index};
    *why = NULL;
    f.nomem = !list_block(&f);
    for (uint32_t k = 0; !f.nomem && k < f.list.count; k++) {
        f.member[k] = may_be_member(&f, f.list.data[k]);
        f.uniform[k] = f.member[k] && !is_explicit_sample(&f, f.list.data[k]);
    }
    if (!f.nomem && has_loads(&f)) {
        while (strike_out(&f) || trim(&f))
            ;
        uint32_t at;
        if (!has_loads(&f))
            *why = "the values loaded with it are needed before all their operands are there";
        else if (place_of(&f, index, &at) && at >= f.guard)
            *why = "the guard would stand before the index is computed";
        else
            *why = finish(&f);
    }
    wpg_vec_free(&f.list);
    wpg_map_free(&f.places);
    wpg_vec_free(&f.operands);
    free(f.member);
    free(f.uniform);
    if (*why || f.nomem)
        wpg_region_free(region);
    return f.nomem ? WPG_E_NOMEM : WPG_OK;
}

void wpg_region_free(wpg_region *region)
{
    wpg_vec_free(&region->members);
    wpg_vec_free(&region->seen);
    wpg_vec_free(&region->same);
    region->loads = 0;
}
