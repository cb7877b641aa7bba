/* Divisions by what a word of a uniform block decides, as products for the values that the word had. Private
 * to compiler/optimize. Threads: one module, one thread. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_DIVISOR_TABLE_H
#define WPG_COMPILER_OPTIMIZE_FOLD_DIVISOR_TABLE_H

#include "compiler/optimize/fold/known_words.h"

enum { WPG_MOST_DIVISOR_CASES = 16, WPG_MOST_DIVISIONS = 8 };

/* n / divisor = (((n - h) >> halving) + h) >> shift for every n, where h is the high half of n * factor. The
 * factor is never 0. */
typedef struct wpg_divisor_product {
    uint32_t factor, halving, shift;
} wpg_divisor_product;
/* `divisor` is not 0. */
wpg_divisor_product wpg_divisor_product_of(uint32_t divisor);

/* A value of the word, and the divisors that follow from it. */
typedef struct wpg_divisor_case {
    uint32_t value;
    uint32_t divisors[WPG_MOST_DIVISIONS]; /* by division; none is 0 */
} wpg_divisor_case;

/* Divisions of one function: of unsigned 32-bit numbers, by divisors that the word decides. */
typedef struct wpg_divisor_table {
    uint32_t block;                          /* variable that the word is in */
    wpg_inst *divisions[WPG_MOST_DIVISIONS]; /* in module order */
    uint32_t division_count;
    wpg_divisor_case cases[WPG_MOST_DIVISOR_CASES];
    uint32_t case_count;
    bool no_scalar_unit; /* wpg_optimize_options */
} wpg_divisor_table;

/* Lists the divisions whose divisor is known once the loads of `folded` are, and not without them. The
 * division's block may be split. `block`: the variable that the word is in. False: there are none, or too
 * many, or a device with a scalar unit divides a uniform number, which it does once a wave. */
bool wpg_divisors_list(wpg_divisor_table *table, const wpg_load_folded *folded, uint32_t block,
                       bool no_scalar_unit);
/* Adds a case: the divisors that `folded` has for the word's value. False: one is not known there; nothing is
 * added. */
bool wpg_divisors_add(wpg_divisor_table *table, const wpg_load_folded *folded, uint32_t value);
/* Weighted instructions that the products save, less what the table costs, times the lanes that ran them.
 * `view` is of the function as it stands. */
double wpg_divisors_saving(const wpg_view *view, const wpg_divisor_table *table,
                           const wpg_function_profile *profile);

/* Puts the products there, for the cases of the table; all other values divide as before. `covered`: the
 * share of waves whose value is a case. Labels and result ids stay. `view` is of the function as it stands,
 * and stale afterwards. *divisions: how many stand behind a table; further ones repeat them. WPG_E_NOMEM
 * only. */
wpg_status wpg_divisors_apply(uint32_t *divisions, wpg_context *context, wpg_function_profile *profile,
                              const wpg_view *view, const wpg_divisor_table *table,
                              const wpg_word_source *source, double covered);

#endif
