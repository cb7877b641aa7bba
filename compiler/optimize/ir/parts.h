/* Parts of composites. Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_IR_PARTS_H
#define WPG_COMPILER_OPTIMIZE_IR_PARTS_H

#include "compiler/spirv/module.h"

/* What an OpCompositeExtract takes, through constructs and inserts: an id, and how many indices are left. */
uint32_t wpg_part_of(const wpg_module *module, const wpg_inst *extract, uint32_t *left);

#endif
