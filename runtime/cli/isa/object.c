/* Makes the code object that -o writes. */
#include "runtime/cli/isa/isa.h"

bool wpg_isa_is_linked(const wpg_isa *isa)
{
    return isa->options.abi == WPG_AMDGPU_HSA && !isa->options.relocatable;
}

wpg_isa_object wpg_isa_object_of(const wpg_isa *isa)
{
    const unsigned version = isa->options.code_object ? isa->options.code_object : WPG_CODE_OBJECT;
    const wpg_amdgpu_code *code = isa->versions[isa->version_count - 1].code; /* the one to run */
    wpg_isa_object object = {.bytes = code->elf,
                             .size = code->elf_size,
                             .shared = wpg_isa_is_linked(isa),
                             .version = isa->options.abi == WPG_AMDGPU_HSA ? version : 0};
    if (object.shared) {
        object.bytes = isa->linked;
        object.size = isa->linked_size;
    }
    return object;
}
