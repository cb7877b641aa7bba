/* See value_table.h. */
#include "compiler/instrument/probes/value_table.h"

#include <assert.h>

#include "compiler/analysis/values/word_sites.h"

static uint32_t constant(wpg_inject *in, uint32_t value)
{
    return wpg_const_u32(in->module, value);
}

/* Index of counter `number` of the table. */
static uint32_t counter_of(wpg_inject *in, const wpg_value_table *table, uint32_t number)
{
    uint32_t index = constant(in, table->first + number);
    return table->offset ? WPG_EMIT(in, SpvOpIAdd, in->t_u32, table->offset, index) : index;
}

/* Index of its low word. */
static uint32_t word_of(wpg_inject *in, const wpg_value_table *table, uint32_t number)
{
    if (!table->offset)
        return constant(in, 2 * (table->first + number));
    return WPG_EMIT(in, SpvOpShiftLeftLogical, in->t_u32, counter_of(in, table, number), in->c_one);
}

/* Bool: slot `slot` has or now gets the value; `wanted` is the value, or 0 to leave the slot as it is. */
static uint32_t take_slot(wpg_inject *in, uint32_t words, const wpg_value_table *table, uint32_t slot,
                          uint32_t value, uint32_t wanted)
{
    uint32_t four = WPG_EMIT(in, SpvOpShiftLeftLogical, in->t_u32, slot, constant(in, 2));
    uint32_t at = WPG_EMIT(in, SpvOpIAdd, in->t_u32, four, word_of(in, table, WPG_VALUES_VALUE(0)));
    uint32_t pointer = wpg_memory_word_at(in, words, at);
    uint32_t old = WPG_EMIT(in, SpvOpAtomicCompareExchange, in->t_u32, pointer, in->memory.scope,
                            in->memory.semantics, in->memory.semantics, wanted, in->c_zero);
    uint32_t fresh = WPG_EMIT(in, SpvOpIEqual, in->t_bool, old, in->c_zero);
    uint32_t same = WPG_EMIT(in, SpvOpIEqual, in->t_bool, old, value);
    return WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, fresh, same);
}

/* Index of a slot's count. */
static uint32_t count_of(wpg_inject *in, const wpg_value_table *table, uint32_t slot)
{
    uint32_t two = WPG_EMIT(in, SpvOpShiftLeftLogical, in->t_u32, slot, in->c_one);
    return WPG_EMIT(in, SpvOpIAdd, in->t_u32, two, counter_of(in, table, WPG_VALUES_COUNT(0)));
}

/* Numbers of 32 bits in the order of the values they stand for. */
static uint32_t ordered(wpg_inject *in, const wpg_value_table *table, uint32_t value)
{
    uint32_t sign = table->sign ? table->sign : constant(in, 0x80000000u);
    if (!table->sign && table->type == WPG_VALUE_SINT)
        return WPG_EMIT(in, SpvOpBitwiseXor, in->t_u32, value, sign);
    if (!table->sign && table->type != WPG_VALUE_FLOAT)
        return value;
    uint32_t negative = WPG_EMIT(in, SpvOpShiftRightArithmetic, in->t_u32, value, constant(in, 31));
    if (table->floating)
        negative = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, negative, table->floating);
    uint32_t flip = WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, negative, sign);
    return WPG_EMIT(in, SpvOpBitwiseXor, in->t_u32, value, flip);
}

/* Largest of all and largest of all complements: zero is where both start. */
static void note_extremes(wpg_inject *in, uint32_t words, const wpg_value_table *table, uint32_t value)
{
    uint32_t key = ordered(in, table, value);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t pointer = wpg_memory_word_at(in, words, word_of(in, table, WPG_VALUES_GREATEST + i));
        uint32_t number = i ? WPG_EMIT(in, SpvOpNot, in->t_u32, key) : key;
        (void)WPG_EMIT(in, SpvOpAtomicUMax, in->t_u32, pointer, in->memory.scope, in->memory.semantics,
                       number);
    }
}

/* The exclusive or of the first slot and the second. */
static uint32_t odd_of(wpg_inject *in, uint32_t hash)
{
    uint32_t shifted = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, hash, constant(in, 20));
    uint32_t even = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, shifted, constant(in, WPG_VALUES_ENTRIES - 2));
    return WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, even, in->c_one);
}

/* The first slot is another value's: two more. Index of the count that gets the sample. */
static uint32_t look_further(wpg_inject *in, uint32_t words, const wpg_value_table *table, uint32_t hash,
                             uint32_t slot, uint32_t value)
{
    uint32_t second = WPG_EMIT(in, SpvOpBitwiseXor, in->t_u32, slot, odd_of(in, hash));
    uint32_t third = WPG_EMIT(in, SpvOpBitwiseXor, in->t_u32, second, constant(in, 2));
    uint32_t in_second = take_slot(in, words, table, second, value, value);
    uint32_t wanted = WPG_EMIT(in, SpvOpSelect, in->t_u32, in_second, in->c_zero, value);
    uint32_t in_third = take_slot(in, words, table, third, value, wanted);
    note_extremes(in, words, table, value);
    uint32_t others = counter_of(in, table, WPG_VALUES_OTHERS);
    uint32_t index = WPG_EMIT(in, SpvOpSelect, in->t_u32, in_third, count_of(in, table, third), others);
    return WPG_EMIT(in, SpvOpSelect, in->t_u32, in_second, count_of(in, table, second), index);
}

static uint32_t label_before(const wpg_inst *inst)
{
    while (inst->opcode != SpvOpLabel)
        inst = inst->prev;
    return inst->result;
}

void wpg_value_table_add(wpg_inject *in, const wpg_value_table *table, uint32_t value)
{
    uint32_t words = wpg_memory_words(in), zero_count = counter_of(in, table, WPG_VALUES_ZERO);
    uint32_t hash = WPG_EMIT(in, SpvOpIMul, in->t_u32, value, constant(in, 0x9e3779b1u));
    uint32_t slot = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, hash, constant(in, 28));
    uint32_t zero = WPG_EMIT(in, SpvOpIEqual, in->t_bool, value, in->c_zero);
    uint32_t taken = take_slot(in, words, table, slot, value, value);
    uint32_t found = WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, zero, taken);
    uint32_t index = WPG_EMIT(in, SpvOpSelect, in->t_u32, zero, zero_count, count_of(in, table, slot));
    uint32_t missed = WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, found);
    uint32_t from = label_before(in->where->prev);
    wpg_if further = wpg_if_begin(in, missed);
    uint32_t other = look_further(in, words, table, hash, slot, value);
    uint32_t end = label_before(in->where->prev);
    wpg_if_end(in, further);
    index = WPG_EMIT(in, SpvOpPhi, in->t_u32, index, from, other, end);
    wpg_memory_add_at(in, index, in->c_one);
}

uint32_t wpg_value_table_try(wpg_inject *in, const wpg_value_table *table, uint32_t value, uint32_t number)
{
    const uint32_t words = wpg_memory_words(in);
    uint32_t first = WPG_EMIT(in, SpvOpIEqual, in->t_bool, number, in->c_zero);
    uint32_t second = WPG_EMIT(in, SpvOpIEqual, in->t_bool, number, in->c_one);
    uint32_t hash = WPG_EMIT(in, SpvOpIMul, in->t_u32, value, constant(in, 0x9e3779b1u));
    uint32_t slot = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, hash, constant(in, 28));
    uint32_t apart = wpg_select_u32(in, first, in->c_zero, odd_of(in, hash));
    uint32_t two = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, number, constant(in, 2));
    slot = WPG_EMIT(in, SpvOpBitwiseXor, in->t_u32, slot, apart);
    slot = WPG_EMIT(in, SpvOpBitwiseXor, in->t_u32, slot, two);

    uint32_t taken = take_slot(in, words, table, slot, value, value);
    uint32_t zero = WPG_EMIT(in, SpvOpIEqual, in->t_bool, value, in->c_zero);
    uint32_t found = WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, zero, taken);

    /* The first try notes the greatest, the second the least, if the first slot is another value's. A maximum
     * with zero changes nothing. */
    uint32_t key = ordered(in, table, value), not_key = WPG_EMIT(in, SpvOpNot, in->t_u32, key);
    uint32_t greatest = wpg_select_u32(in, found, in->c_zero, key);
    uint32_t extreme = wpg_select_u32(in, first, greatest, in->c_zero);
    extreme = wpg_select_u32(in, second, not_key, extreme);
    uint32_t odd = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, number, in->c_one);
    uint32_t at = WPG_EMIT(in, SpvOpShiftLeftLogical, in->t_u32, odd, in->c_one);
    at = WPG_EMIT(in, SpvOpIAdd, in->t_u32, at, word_of(in, table, WPG_VALUES_GREATEST));
    (void)WPG_EMIT(in, SpvOpAtomicUMax, in->t_u32, wpg_memory_word_at(in, words, at), in->memory.scope,
                   in->memory.semantics, extreme);

    uint32_t index =
        wpg_select_u32(in, taken, count_of(in, table, slot), counter_of(in, table, WPG_VALUES_OTHERS));
    index = wpg_select_u32(in, zero, counter_of(in, table, WPG_VALUES_ZERO), index);
    uint32_t last = WPG_EMIT(in, SpvOpIEqual, in->t_bool, number, constant(in, WPG_TABLE_TRIES - 1));
    uint32_t done = WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, found, last);
    wpg_memory_add_at(in, index, wpg_select_u32(in, done, in->c_one, in->c_zero));
    return done;
}

/* Bit k of a set of up to 64 bits: u32, 0 or 1. */
static uint32_t bit_of(wpg_inject *in, uint64_t set, uint32_t k, uint32_t count)
{
    uint32_t bits = constant(in, (uint32_t)set);
    if (count > 32) {
        uint32_t low = WPG_EMIT(in, SpvOpULessThan, in->t_bool, k, constant(in, 32));
        bits = wpg_select_u32(in, low, bits, constant(in, (uint32_t)(set >> 32)));
        k = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, k, constant(in, 31));
    }
    uint32_t down = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, bits, k);
    return WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, down, in->c_one);
}

wpg_value_table wpg_value_table_of(wpg_inject *in, uint32_t first, uint32_t k, const wpg_value_type *types,
                                   uint32_t count)
{
    static_assert((int)WPG_MOST_WORD_SITES <= 64, "bits of a set");
    uint64_t with_sign = 0, floats = 0;
    for (uint32_t i = 0; i < count; i++) {
        with_sign |= (uint64_t)(types[i] == WPG_VALUE_SINT || types[i] == WPG_VALUE_FLOAT) << i;
        floats |= (uint64_t)(types[i] == WPG_VALUE_FLOAT) << i;
    }
    uint32_t is_float = bit_of(in, floats, k, count);
    uint32_t has_sign = with_sign == floats ? is_float : bit_of(in, with_sign, k, count);
    return (wpg_value_table){
        .first = first,
        .offset = WPG_EMIT(in, SpvOpIMul, in->t_u32, k, constant(in, WPG_VALUES_COUNTERS)),
        .sign = WPG_EMIT(in, SpvOpShiftLeftLogical, in->t_u32, has_sign, constant(in, 31)),
        .floating = WPG_EMIT(in, SpvOpISub, in->t_u32, in->c_zero, is_float),
    };
}
