/* Locations and components of a stage's user-defined inputs and outputs. Private to compiler/optimize.
 * Threads: no shared state. Source: Vulkan 1.3, 15.1.3 (Interface Matching), 15.1.5 (Component Assignment).
 */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_INTERFACE_H
#define WPG_COMPILER_OPTIMIZE_FACTS_INTERFACE_H

#include "compiler/optimize/ir/pass.h"

/* The variable's places, one bit a component by location. False: it has none (a built-in), or they cannot
 * be told: *unknown. */
bool wpg_places_of(uint8_t places[WPG_OUTPUT_LOCATIONS], bool *unknown, const wpg_module *module,
                   const wpg_inst *variable);

/* True if somebody reads one of the variable's places. */
bool wpg_output_is_read(const wpg_output_use *use, const wpg_module *module, const wpg_inst *variable);

#endif
