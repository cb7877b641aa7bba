/* Tables of values in counter memory: the commonest values of a site, with how often each was seen.
 *
 * A table is open addressing; it starts at zero. Value 0 has a counter of its own, so 0 in a slot means free.
 * A taken slot keeps its value, so its counts are exact and add up over runs. A value that finds its three
 * slots taken is counted as such. If that count is zero the table holds all values. Otherwise a value outside
 * the table may be as common as that count, no more: then the commonest are marked approximate.
 *
 *     value v: x = v * 0x9e3779b1, slots x >> 28 and two more by exclusive or (consecutive numbers, which are
 *     common, spread evenly: Fibonacci hashing, Knuth, TAOCP 3, 6.4)
 *
 * Owns: nothing. Threads: one module, one thread. */
#ifndef WPG_COMPILER_INSTRUMENT_PROBES_VALUE_TABLE_H
#define WPG_COMPILER_INSTRUMENT_PROBES_VALUE_TABLE_H

#include "compiler/analysis/values/value_sites.h"
#include "compiler/instrument/probes/probe.h"

typedef struct wpg_value_table {
    uint32_t first;  /* its first counter, of WPG_VALUES_COUNTERS */
    uint32_t offset; /* id of a u32 to add to the first counter; 0 = none */
    wpg_value_type type;
    uint32_t sign, floating; /* ids of u32 in place of the type, 0 = none: 2^31 of types with a sign, else 0;
                                all bits of floats, else 0 */
} wpg_value_table;

/* Table number `k` (id of a u32) of `count` tables beside each other, of those types. Emits code. */
wpg_value_table wpg_value_table_of(wpg_inject *in, uint32_t first, uint32_t k, const wpg_value_type *types,
                                   uint32_t count);

/* Counts a value (id of a u32). Stands in a branch that one lane takes: the blocks that its phi names are of
 * that branch. */
void wpg_value_table_add(wpg_inject *in, const wpg_value_table *table, uint32_t value);

/* Tries one slot for a value, in a loop of the caller's. Counts as wpg_value_table_add does, by three atomic
 * operations in the code in place of six. `number` is the id of a u32: the number of the try, from 0, below
 * WPG_TABLE_TRIES. Returns the id of a Boolean: the value is counted, and the loop goes on with the next. */
enum { WPG_TABLE_TRIES = 3 };
uint32_t wpg_value_table_try(wpg_inject *in, const wpg_value_table *table, uint32_t value, uint32_t number);

#endif
