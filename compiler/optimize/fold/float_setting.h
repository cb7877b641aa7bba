/* What the setting FLOAT allows to take as given of floats that are not known. Private to compiler/optimize.
 * Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_FLOAT_SETTING_H
#define WPG_COMPILER_OPTIMIZE_FOLD_FLOAT_SETTING_H

#include "compiler/optimize/ir/legality.h"

/* May a product with 0 be taken as 0, and may drivers see float work that they join otherwise? Vulkan allows
 * both where SignedZeroInfNanPreserve is absent. By default yes in fragment stages that write nothing but
 * their outputs: these are colours, apart from what is exact (legality.h). */
bool wpg_float_is_free(const wpg_context *context);

/* May known floats become constants in float work, which drivers then compute, join and round as they do
 * with constants? Vulkan allows it as above; FLOAT=spec asks for it. Not in stages with an exact output:
 * `exact` is wpg_exact_slice of the module. */
bool wpg_float_may_fold(const wpg_context *context, const wpg_id_set *exact);

#endif
