/* Word facts: what the profile saw of the words of uniform blocks (compiler/analysis/values/word_sites.h), by
 * place. Private to compiler/optimize. */
#ifndef WPG_COMPILER_OPTIMIZE_IR_WORD_FACTS_H
#define WPG_COMPILER_OPTIMIZE_IR_WORD_FACTS_H

#include "compiler/optimize/ir/pass.h"

/* Takes what was seen into profile->words. WPG_E_NOMEM only; a remark where the sites disagree with the
 * module's. */
wpg_status wpg_word_facts_bind(wpg_context *context, wpg_function_profile *profile,
                               const wpg_function_weights *weights, const wpg_cfg *cfg);
/* The number of the fact about that place, UINT32_MAX if there is none. */
uint32_t wpg_word_fact_at(const wpg_function_profile *profile, const wpg_word_place *place);
/* How many of the waves asked saw the value: 0 to 1. */
double wpg_word_fact_share(const wpg_word_fact *fact);

#endif
