/* Values that uniform memory had while the profile was taken, keyed by place: the variable and the constant
 * indices into it. The SSA tier keeps places. See value_facts.h. */
#include "compiler/optimize/ir/value_facts.h"

#include <string.h>

#include "compiler/analysis/values/value_sites.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

static const char PASS[] = "value-guard";

static bool same_place(const wpg_value_place *a, const wpg_value_place *b)
{
    return a->variable == b->variable && a->count == b->count &&
           memcmp(a->indices, b->indices, a->count * sizeof *a->indices) == 0;
}

uint32_t wpg_value_fact_at(const wpg_function_profile *profile, const wpg_value_place *place)
{
    for (uint32_t f = 0; f < profile->facts.count && f < WPG_MOST_FACTS; f++)
        if (same_place(&profile->facts.data[f].place, place))
            return f;
    return WPG_NO_FACT;
}

static bool add_indices(wpg_value_place *place, const wpg_module *module, uint32_t pointer, unsigned depth)
{
    const wpg_inst *inst = wpg_module_def(module, pointer);
    if (inst && inst->opcode == SpvOpVariable) {
        place->variable = inst->result;
        return true;
    }
    if (!inst || depth > 8 || inst->count < 4 ||
        (inst->opcode != SpvOpAccessChain && inst->opcode != SpvOpInBoundsAccessChain) ||
        !add_indices(place, module, inst->words[3], depth + 1))
        return false;
    for (unsigned i = 4; i < inst->count; i++) {
        uint64_t bits;
        uint32_t width;
        if (place->count >= WPG_PLACE_DEPTH || !wpg_const_value(module, inst->words[i], &bits, &width) ||
            bits > UINT32_MAX)
            return false;
        place->indices[place->count++] = (uint32_t)bits;
    }
    return true;
}

bool wpg_value_place_of(wpg_value_place *place, const wpg_module *module, const wpg_inst *load)
{
    *place = (wpg_value_place){0};
    return load->opcode == SpvOpLoad && load->count >= 4 && add_indices(place, module, load->words[3], 0);
}

double wpg_value_fact_share(const wpg_value_fact *fact)
{
    return fact->asked ? (double)fact->waves / (double)fact->asked : 0;
}

static bool is_int32(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = wpg_module_def(module, type);
    return def && def->opcode == SpvOpTypeInt && def->words[2] == 32;
}

/* Adds what one site saw: sites of one place are taken together, by the value of the first. */
static bool add_fact(wpg_function_profile *profile, const wpg_value_place *place,
                     const wpg_value_weight *seen, uint32_t block)
{
    uint32_t known = wpg_value_fact_at(profile, place);
    if (known != WPG_NO_FACT) {
        wpg_value_fact *fact = &profile->facts.data[known];
        fact->asked += seen->asked;
        for (uint32_t i = 0; i < seen->share_count; i++)
            if (seen->shares[i].bits == fact->bits)
                fact->waves += seen->shares[i].waves;
        return true;
    }
    return wpg_vec_push(&profile->facts, (wpg_value_fact){.place = *place,
                                                          .bits = seen->shares[0].bits,
                                                          .waves = seen->shares[0].waves,
                                                          .asked = seen->asked,
                                                          .origin = block});
}

static bool is_about_control(const wpg_value_site *site)
{
    return site->kind == WPG_VALUE_SWITCH || site->kind == WPG_VALUE_CONDITION;
}

/* NULL if the value guard may test the loaded value at its place; the reason (static storage) otherwise. */
static const char *fact_refusal(wpg_value_place *place, const wpg_module *module, const wpg_inst *load)
{
    const char *why = NULL;
    if (!load || load->opcode != SpvOpLoad)
        return "it is computed: what it is computed of is looked at by itself";
    if (!is_int32(module, load->type))
        return "it is no 32-bit integer: only versions take floats";
    if (wpg_pointer_class(module, load->words[3]) == SpvStorageClassPushConstant)
        return "it is a push constant: variants are chosen by it, without a guard";
    if (!wpg_load_is_draw_constant(module, load, &why))
        return why;
    return wpg_value_place_of(place, module, load) ? NULL : "its place in memory is not known";
}

static wpg_status take_sites(wpg_context *context, wpg_function_profile *profile,
                             const wpg_function_weights *w, const wpg_value_site *sites,
                             const wpg_divergence *divergence)
{
    for (uint32_t i = 0; i < w->value_count; i++) {
        const wpg_value_weight *seen = &w->values[i];
        const wpg_inst *load =
            wpg_module_def(context->module, wpg_divergence_origin(divergence, sites[i].value));
        wpg_value_place place;
        if (!seen->share_count || !seen->asked || !is_about_control(&sites[i]))
            continue;
        const char *why = fact_refusal(&place, context->module, load);
        if (why) {
            wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, w->ordinal, seen->block,
                           "value in block %u: refused: %s", seen->block, why);
            continue;
        }
        if (!add_fact(profile, &place, seen, seen->block))
            return wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
    }
    return WPG_OK;
}

/* Indices into buffers and arrays of descriptors that are not provably uniform: how often lanes agreed. A
 * load of a followed variable is entered under what was stored, too: that is what the SSA tier leaves of it.
 */
static bool take_indices(const wpg_module *module, wpg_function_profile *profile,
                         const wpg_function_weights *w, const wpg_value_site *sites,
                         const wpg_divergence *divergence)
{
    for (uint32_t i = 0; i < w->value_count; i++) {
        const wpg_value_weight *seen = &w->values[i];
        wpg_uniform_fact fact = {sites[i].value, seen->agreed, seen->asked, seen->block};
        const wpg_inst *value = wpg_module_def(module, fact.value);
        if (!seen->asked || seen->agreed > seen->asked || !(sites[i].ask & WPG_ASK_UNIFORMITY) || !value ||
            (sites[i].kind != WPG_VALUE_BUFFER_INDEX && sites[i].kind != WPG_VALUE_DESCRIPTOR_INDEX) ||
            !is_int32(module, value->type))
            continue;
        uint32_t origin = wpg_divergence_origin(divergence, fact.value);
        bool good = wpg_vec_push(&profile->indices, fact);
        fact.value = origin;
        const wpg_inst *stored = wpg_module_def(module, origin);
        if (good && origin != sites[i].value && stored && stored->type == value->type)
            good = wpg_vec_push(&profile->indices, fact);
        if (!good)
            return false;
    }
    return true;
}

wpg_status wpg_value_facts_bind(wpg_context *context, wpg_function_profile *profile,
                                const wpg_function_weights *w, const wpg_cfg *cfg)
{
    wpg_divergence *divergence = NULL;
    wpg_value_site *sites = NULL;
    uint32_t count = 0;
    wpg_arena arena;
    if (!w->value_count)
        return WPG_OK;
    wpg_arena_init(&arena);
    wpg_status status = wpg_divergence_compute(&divergence, cfg, &arena);
    if (status == WPG_OK)
        status = wpg_value_sites(&sites, &count, cfg, divergence, &arena);
    bool agree = status == WPG_OK && count == w->value_count;
    for (uint32_t i = 0; agree && i < count; i++)
        agree = w->values[i].kind == (uint32_t)sites[i].kind &&
                w->values[i].type == (uint32_t)sites[i].type && w->values[i].block == sites[i].block;
    if (status != WPG_OK)
        status = wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
    else if (agree && !take_indices(context->module, profile, w, sites, divergence))
        status = wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
    else if (agree)
        status = take_sites(context, profile, w, sites, divergence);
    else
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, w->ordinal, 0,
                       "the profile's value sites are not the shader's: values left alone");
    wpg_arena_finish(&arena);
    return status;
}
