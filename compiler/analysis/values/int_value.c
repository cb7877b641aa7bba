/* See int_value.h. */
#include "compiler/analysis/values/int_value.h"

#include <spirv/unified1/GLSL.std.450.h>

#include "compiler/spirv/builder.h"
#include "compiler/spirv/const_fold.h"

enum { MOST_DEPTH = 16, MOST_STEPS = 64, WIDTH = 32 };

static bool is_int(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = wpg_module_def(module, type);
    return def && def->opcode == SpvOpTypeInt && def->words[2] == WIDTH;
}

static bool choose(uint32_t *out, const wpg_inst *inst, uint32_t a, uint32_t b)
{
    switch (inst->words[4]) {
    case GLSLstd450UMin:
        *out = a < b ? a : b;
        return true;
    case GLSLstd450UMax:
        *out = a > b ? a : b;
        return true;
    case GLSLstd450SMin:
        *out = (int32_t)a < (int32_t)b ? a : b;
        return true;
    case GLSLstd450SMax:
        *out = (int32_t)a > (int32_t)b ? a : b;
        return true;
    default:
        return false;
    }
}

static bool compute(uint32_t *out, wpg_int_walk *walk, const wpg_inst *inst, unsigned depth)
{
    const bool extended = inst->opcode == SpvOpExtInst;
    const unsigned first = extended ? 5 : 3, count = inst->count > first ? inst->count - first : 0;
    const uint32_t widths[] = {WIDTH, WIDTH, WIDTH};
    uint32_t operands[WPG_FOLD_OPERANDS] = {0};
    uint64_t bits[WPG_FOLD_OPERANDS], result;
    if (!is_int(walk->module, inst->type) || !count || count > (extended ? 2 : WPG_FOLD_OPERANDS) ||
        (extended && count != 2))
        return false;
    for (unsigned i = 0; i < count; i++) {
        const wpg_inst *def = wpg_module_def(walk->module, inst->words[first + i]);
        if (!def || !is_int(walk->module, def->type) ||
            !wpg_int_value(&operands[i], walk, def->result, depth + 1))
            return false;
        bits[i] = operands[i];
    }
    if (inst->opcode == SpvOpBitcast || inst->opcode == SpvOpCopyObject) {
        *out = operands[0];
        return true;
    }
    if (extended)
        return choose(out, inst, operands[0], operands[1]);
    if (!wpg_fold_scalar(&result, (SpvOp)inst->opcode, WIDTH, bits, widths, count))
        return false;
    *out = (uint32_t)result;
    return true;
}

bool wpg_int_value(uint32_t *out, wpg_int_walk *walk, uint32_t id, unsigned depth)
{
    const wpg_inst *def = wpg_module_def(walk->module, id);
    uint64_t bits;
    uint32_t width;
    if (!def || depth > MOST_DEPTH || walk->steps++ > MOST_STEPS)
        return false;
    if (wpg_is_module_constant(walk->module, id)) {
        const bool known = wpg_const_value(walk->module, id, &bits, &width) && width == WIDTH;
        *out = known ? (uint32_t)bits : 0;
        return known;
    }
    const wpg_int_leaf leaf = walk->leaf(out, walk, def, depth);
    return leaf == WPG_INT_COMPUTED ? compute(out, walk, def, depth) : leaf == WPG_INT_KNOWN;
}
