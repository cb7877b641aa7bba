/* Facts: what the profile saw of uniform memory and of indices, by place. Private to compiler/optimize. */
#ifndef WPG_COMPILER_OPTIMIZE_IR_VALUE_FACTS_H
#define WPG_COMPILER_OPTIMIZE_IR_VALUE_FACTS_H

#include "compiler/optimize/ir/pass.h"

enum { WPG_MOST_FACTS = 32, WPG_NO_FACT = UINT32_MAX };

/* The place in memory that the load reads: a variable and constant indices. False for any other load. */
bool wpg_value_place_of(wpg_value_place *place, const wpg_module *module, const wpg_inst *load);
/* The number of the fact about that place, WPG_NO_FACT if there is none. */
uint32_t wpg_value_fact_at(const wpg_function_profile *profile, const wpg_value_place *place);
/* Takes what the profile saw at value sites of uniform memory into profile->facts, and how often lanes agreed
 * on indices into profile->indices. WPG_E_NOMEM only; a remark where the sites disagree with the module's. */
wpg_status wpg_value_facts_bind(wpg_context *context, wpg_function_profile *profile,
                                const wpg_function_weights *weights, const wpg_cfg *cfg);
/* How many of the waves asked saw the value: 0 to 1. */
double wpg_value_fact_share(const wpg_value_fact *fact);

#endif
