/* See reservoir.h. */
#include "compiler/instrument/probes/reservoir.h"

uint32_t wpg_reservoir_plan(wpg_probe_plan *p, uint32_t width)
{
    p->reservoir = (wpg_probe_reservoir){wpg_probe_counters(p, WPG_RESERVOIR_COUNTERS(width)), width};
    return p->reservoir.first;
}

static uint32_t constant(wpg_inject *in, uint32_t value)
{
    return wpg_const_u32(in->module, value);
}

static uint32_t fold(wpg_inject *in, uint32_t value, uint32_t shift)
{
    uint32_t high = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, value, constant(in, shift));
    return WPG_EMIT(in, SpvOpBitwiseXor, in->t_u32, value, high);
}

/* MurmurHash3's finaliser (Appleby). Multiples of one number will not do: their products with the visit take
 * few values, and some places would never be taken again (for the golden ratio they are near norms of
 * quadratic integers over the root of 5). */
static uint32_t mixed(wpg_inject *in, uint32_t value)
{
    value = fold(in, value, 16);
    value = WPG_EMIT(in, SpvOpIMul, in->t_u32, value, constant(in, 0x85ebca6bu));
    value = fold(in, value, 13);
    value = WPG_EMIT(in, SpvOpIMul, in->t_u32, value, constant(in, 0xc2b2ae35u));
    return fold(in, value, 16);
}

void wpg_reservoir_offer(wpg_inject *in, uint32_t first, uint32_t *place, uint32_t *keep)
{
    uint32_t pointer = wpg_memory_word_at(in, wpg_memory_words(in), constant(in, 2 * first));
    uint32_t visit =
        WPG_EMIT(in, SpvOpAtomicIAdd, in->t_u32, pointer, in->memory.scope, in->memory.semantics, in->c_one);
    uint32_t fraction = mixed(in, visit);
    uint32_t visits = WPG_EMIT(in, SpvOpIAdd, in->t_u32, visit, in->c_one);
    uint32_t product = WPG_EMIT(in, SpvOpUMulExtended, in->memory.t_product, fraction, visits);
    uint32_t later = WPG_EMIT(in, SpvOpCompositeExtract, in->t_u32, product, 1);
    uint32_t places = constant(in, WPG_RESERVOIR_PLACES);
    uint32_t room = WPG_EMIT(in, SpvOpULessThan, in->t_bool, visit, places);
    *place = WPG_EMIT(in, SpvOpSelect, in->t_u32, room, visit, later);
    *keep = WPG_EMIT(in, SpvOpULessThan, in->t_bool, *place, places);
}

void wpg_reservoir_store(wpg_inject *in, uint32_t first, uint32_t width, uint32_t place, uint32_t word,
                         uint32_t value)
{
    uint32_t stride = 2 * WPG_RESERVOIR_STRIDE(width);
    uint32_t before = WPG_EMIT(in, SpvOpIMul, in->t_u32, place, constant(in, stride));
    uint32_t at = WPG_EMIT(in, SpvOpIAdd, in->t_u32, before, constant(in, 2 * (first + 1)));
    at = WPG_EMIT(in, SpvOpIAdd, in->t_u32, at, word);
    uint32_t pointer = wpg_memory_word_at(in, wpg_memory_words(in), at);
    wpg_inst_add(in->module, in->where, SpvOpAtomicStore, pointer, in->memory.scope, in->memory.semantics,
                 value);
}
