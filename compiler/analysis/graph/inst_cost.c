/* Costs of instructions: see inst_cost.h. Numbers of extended instructions: the GLSL.std.450 set. */
#include "compiler/analysis/graph/inst_cost.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>

#include "compiler/spirv/grammar.h"

bool wpg_is_non_semantic_set(const wpg_module *module, uint32_t set)
{
    const wpg_inst *import = wpg_module_def(module, set);
    if (!import || import->opcode != SpvOpExtInstImport || import->count < 3)
        return false;
    const char first = *(const char *)&import->words[2]; /* asked of every extended instruction: for speed */
    if (first != 'N' && first != 'O')
        return false;
    const char *name = wpg_inst_string(import, 2);
    return name && (strncmp(name, "NonSemantic.", 12) == 0 || strcmp(name, "OpenCL.DebugInfo.100") == 0);
}

static uint32_t components(const wpg_module *module, uint32_t type)
{
    const wpg_inst *inst = wpg_module_def(module, type);
    if (inst && inst->opcode == SpvOpTypeVector && inst->count == 4)
        return inst->words[3];
    if (inst && inst->opcode == SpvOpTypeMatrix && inst->count == 4)
        return inst->words[3] * components(module, inst->words[2]);
    return 1;
}

static uint32_t ext_cost(uint32_t number)
{
    switch (number) {
    case GLSLstd450Sin:
    case GLSLstd450Cos:
    case GLSLstd450Exp:
    case GLSLstd450Log:
    case GLSLstd450Exp2:
    case GLSLstd450Log2:
    case GLSLstd450Sqrt:
    case GLSLstd450InverseSqrt:
    case GLSLstd450Length:
    case GLSLstd450Distance:
        return 8;
    case GLSLstd450Tan:
    case GLSLstd450Asin:
    case GLSLstd450Acos:
    case GLSLstd450Atan:
    case GLSLstd450Sinh:
    case GLSLstd450Cosh:
    case GLSLstd450Tanh:
    case GLSLstd450Asinh:
    case GLSLstd450Acosh:
    case GLSLstd450Atanh:
    case GLSLstd450Atan2:
    case GLSLstd450Pow:
    case GLSLstd450Determinant:
    case GLSLstd450MatrixInverse:
    case GLSLstd450Normalize:
    case GLSLstd450Refract:
        return 16;
    case GLSLstd450SmoothStep:
    case GLSLstd450Reflect:
    case GLSLstd450FaceForward:
    case GLSLstd450Cross:
        return 4;
    default:
        return 1;
    }
}

/* Labels, and what moves values: asked first, since their types need no look. */
static bool is_free(SpvOp opcode)
{
    switch (opcode) {
    case SpvOpLabel:
    case SpvOpPhi:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpNop:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpCompositeExtract:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpCopyObject:
    case SpvOpBitcast:
    case SpvOpUndef:
    case SpvOpBranch:
        return true;
    default:
        return false;
    }
}

uint32_t wpg_inst_cost(const wpg_module *module, const wpg_inst *inst)
{
    const SpvOp opcode = (SpvOp)inst->opcode;
    if (opcode == SpvOpLoad)
        return 4;
    if (is_free(opcode) || wpg_inst_is_non_semantic(module, inst))
        return 0;
    const uint32_t width = components(module, inst->type);
    switch (opcode) {
    case SpvOpExtInst:
        return inst->count > 4 ? ext_cost(inst->words[4]) * width : 1;
    case SpvOpFDiv:
        return 6 * width;
    case SpvOpFRem:
    case SpvOpFMod:
        return 8 * width;
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSRem:
    case SpvOpSMod:
        return 16 * width;
    case SpvOpMatrixTimesVector:
    case SpvOpVectorTimesMatrix:
    case SpvOpMatrixTimesMatrix:
    case SpvOpDot:
        return 4 * width;
    default:
        return wpg_opcode_takes_texels(inst->opcode) ? 32 : width;
    }
}
