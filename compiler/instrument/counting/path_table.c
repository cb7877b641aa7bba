/* See path_table.h. */
#include "compiler/instrument/counting/path_table.h"
#include "compiler/instrument/sampling/sample.h"

/* Places of a table, as a power of two. Waves outside of compute stages are often partial, by any number of
 * lanes. One pipeline draws many surfaces there, each with paths of its own. The more tallies a table tells,
 * the more a wave without a place costs. Arms have few paths each, but there are many arms. */
enum { COMPUTE_ALIKE_BITS = 4, COMPUTE_BITS = 6, OTHER_BITS = 7, MANY_BITS = 9, MANY_TALLIES = 64 };
/* Most places of a table of all keys: 8 KiB with all copies. */
enum { COMPUTE_ALL_BITS = 7, OTHER_ALL_BITS = WPG_PATH_BITS, LEAST_ALL_BITS = 3 /* a cache line */ };

uint32_t wpg_next_line(const wpg_chooser *c)
{
    uint32_t next = c->plan->options->first_counter + c->plan->counter_count;
    return (next + WPG_SPREAD - 1) / WPG_SPREAD * WPG_SPREAD;
}

/* A table begins a cache line, so that no addition to a counter takes its keys away from readers. */
static void place(wpg_chooser *c, wpg_path_table *table)
{
    const uint32_t next = c->plan->options->first_counter + c->plan->counter_count;
    table->first = wpg_next_line(c);
    c->plan->counter_count += table->first - next + wpg_path_counters(table);
}

void wpg_table_reserve(wpg_chooser *c, wpg_path_table *table, uint32_t words, const wpg_region *region,
                       bool alike)
{
    const bool copied = wpg_sample_has_copies(c->plan);
    const bool arm = region->exit != WPG_NO_BLOCK && c->cfg->blocks[region->exit].successor_count;
    const bool many = region->told >= MANY_TALLIES && !arm;
    *table = (wpg_path_table){.words = (uint8_t)words,
                              .bits = copied ? (alike ? COMPUTE_ALIKE_BITS : COMPUTE_BITS)
                                      : many ? MANY_BITS
                                             : OTHER_BITS,
                              .copies = copied ? WPG_COPIES : 1};
    place(c, table);
}

bool wpg_table_reserve_all(wpg_chooser *c, wpg_path_table *table, uint64_t places, uint32_t most, bool part)
{
    const bool copied = wpg_sample_has_copies(c->plan);
    uint32_t bits = LEAST_ALL_BITS;
    while (places > UINT64_C(1) << bits)
        if (bits++ == (copied ? COMPUTE_ALL_BITS : OTHER_ALL_BITS))
            return false;
    *table = (wpg_path_table){.words = 1,
                              .bits = (uint8_t)bits,
                              .copies = copied ? WPG_COPIES : 1,
                              .most = (uint8_t)most,
                              .part = part};
    place(c, table);
    return true;
}

void wpg_table_declare(wpg_inject *in, const wpg_path_table *table)
{
    if (!table->most)
        wpg_memory_declare_words(in);
    if (table->copies > 1)
        wpg_sample_declare_copies(in);
}

static uint32_t shifted(wpg_inject *in, SpvOp opcode, uint32_t value, uint32_t by)
{
    return by ? WPG_EMIT(in, opcode, in->t_u32, value, wpg_const_u32(in->module, by)) : value;
}

static uint32_t differs(wpg_inject *in, uint32_t a, uint32_t b)
{
    return WPG_EMIT(in, SpvOpBitwiseXor, in->t_u32, a, b);
}

void wpg_field_put(wpg_inject *in, uint32_t *words, wpg_path_field field, uint32_t number)
{
    uint32_t moved = shifted(in, SpvOpShiftLeftLogical, number, field.shift);
    words[field.word] = wpg_either(in, words[field.word], moved);
}

uint32_t wpg_field_get(wpg_inject *in, const uint32_t *words, wpg_path_field field)
{
    uint32_t mask = (UINT32_C(1) << field.width) - 1;
    uint32_t number = shifted(in, SpvOpShiftRightLogical, words[field.word], field.shift);
    return WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, number, wpg_const_u32(in->module, mask));
}

wpg_table_use wpg_table_begin(wpg_inject *in, const wpg_path_table *table)
{
    wpg_table_use use = {.words = wpg_memory_words(in)};
    use.key = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, table->words);
    for (uint32_t w = 0; use.key && w < table->words; w++)
        use.key[w] = wpg_const_u32(in->module, UINT32_C(1) << WPG_KEY_BITS);
    return use;
}

/* Fibonacci hashing (Knuth, TAOCP 3, 6.4). */
void wpg_table_hash(wpg_inject *in, const wpg_path_table *table, wpg_table_use *use)
{
    use->hash = 0;
    for (uint32_t w = 0; w < table->words; w++) {
        use->hash = use->hash ? differs(in, use->hash, use->key[w]) : use->key[w];
        use->hash = WPG_EMIT(in, SpvOpIMul, in->t_u32, use->hash, wpg_const_u32(in->module, 0x9e3779b1));
    }
}

/* Index of a word of the key at the place. */
static uint32_t word_at(wpg_inject *in, const wpg_path_table *table, uint32_t word, uint32_t place)
{
    uint32_t first = wpg_const_u32(in->module, 2 * table->first + (word << table->bits));
    return WPG_EMIT(in, SpvOpIAdd, in->t_u32, place, first);
}

uint32_t wpg_table_look_up(wpg_inject *in, const wpg_path_table *table, wpg_table_use *use, uint32_t hash)
{
    uint32_t other = 0;
    use->place = shifted(in, SpvOpShiftRightLogical, hash, 32u - table->bits);
    for (uint32_t w = 0; w < table->words; w++) {
        uint32_t pointer = wpg_memory_word_at(in, use->words, word_at(in, table, w, use->place));
        use->found =
            WPG_EMIT(in, SpvOpAtomicLoad, in->t_u32, pointer, in->memory.scope, in->memory.semantics);
        other = wpg_either(in, other, differs(in, use->found, use->key[w]));
    }
    return other;
}

/* The lane that gets the first word writes the others. */
void wpg_table_take(wpg_inject *in, const wpg_path_table *table, const wpg_table_use *use, uint32_t when)
{
    uint32_t open = WPG_EMIT(in, SpvOpIEqual, in->t_bool, use->found, in->c_zero);
    wpg_if taken = wpg_if_begin(in, wpg_both(in, open, when));
    uint32_t pointer = wpg_memory_word_at(in, use->words, word_at(in, table, 0, use->place));
    uint32_t old = WPG_EMIT(in, SpvOpAtomicCompareExchange, in->t_u32, pointer, in->memory.scope,
                            in->memory.semantics, in->memory.semantics, use->key[0], in->c_zero);
    if (table->words > 1) {
        wpg_if mine = wpg_if_begin(in, WPG_EMIT(in, SpvOpIEqual, in->t_bool, old, in->c_zero));
        for (uint32_t w = 1; w < table->words; w++) {
            pointer = wpg_memory_word_at(in, use->words, word_at(in, table, w, use->place));
            (void)WPG_EMIT(in, SpvOpAtomicIAdd, in->t_u32, pointer, in->memory.scope, in->memory.semantics,
                           use->key[w]); /* to zero; a store that drivers know by another name */
        }
        wpg_if_end(in, mine);
    }
    wpg_if_end(in, taken);
}

void wpg_table_count(wpg_inject *in, const wpg_path_table *table, const wpg_table_use *use, uint32_t when)
{
    wpg_if counted = wpg_if_begin(in, when);
    uint32_t first = wpg_const_u32(in->module, table->first + wpg_path_keys(table));
    uint32_t at = WPG_EMIT(in, SpvOpIAdd, in->t_u32, use->place, first);
    if (table->copies > 1) {
        uint32_t from = shifted(in, SpvOpShiftLeftLogical, wpg_sample_copy(in), table->bits);
        at = WPG_EMIT(in, SpvOpIAdd, in->t_u32, from, at);
    }
    wpg_memory_add_at(in, at, in->c_one);
    wpg_if_end(in, counted);
}
