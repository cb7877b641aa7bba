/* See float_setting.h. */
#include "compiler/optimize/fold/float_setting.h"

/* Does the stage write nothing but its outputs? */
static bool writes_outputs_alone(const wpg_module *module)
{
    for (const wpg_inst *inst = wpg_first_function(module); inst; inst = inst->next) {
        if (inst->opcode == SpvOpStore) {
            SpvStorageClass class = wpg_pointer_class(module, inst->words[1]);
            if (class != SpvStorageClassOutput && class != SpvStorageClassFunction &&
                class != SpvStorageClassPrivate)
                return false;
        } else if ((wpg_inst_traits(module, inst) & WPG_TRAIT_WRITES) && inst->opcode != SpvOpFunctionCall) {
            return false;
        }
    }
    return true;
}

bool wpg_float_is_free(const wpg_context *context)
{
    for (const wpg_inst *inst = context->module->first; inst && inst->opcode != SpvOpFunction;
         inst = inst->next)
        if (inst->opcode == SpvOpExecutionMode && inst->count > 2 &&
            inst->words[2] == SpvExecutionModeSignedZeroInfNanPreserve)
            return false;
    switch (context->options->floats) {
    case WPG_FLOAT_STRICT:
        return false;
    case WPG_FLOAT_FRAGMENTS:
        return context->stage->model == SpvExecutionModelFragment && writes_outputs_alone(context->module);
    case WPG_FLOAT_STAGES:
    case WPG_FLOAT_SPEC:
        break;
    }
    return true;
}

bool wpg_float_may_fold(const wpg_context *context, const wpg_id_set *exact)
{
    return context->options->floats == WPG_FLOAT_SPEC && wpg_float_is_free(context) &&
           wpg_id_set_is_empty(exact);
}
