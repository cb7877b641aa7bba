/* Conversions between types. Floats out of an integer's range, and NaN, give some integer (undefined in
 * SPIR-V); conversions between floats round to nearest even. */
#include "compiler/amdgpu/translate/translate_internal.h"

static bool same_count(LLVMTypeRef a, LLVMTypeRef b)
{
    return wpg_tr_components(a) == wpg_tr_components(b);
}

/* Out of range LLVM gives poison; frozen it is some number. The hardware's conversions saturate. */
static bool to_int(wpg_tr *t, const wpg_inst *inst, LLVMValueRef a, LLVMTypeRef type, LLVMOpcode opcode)
{
    if (!wpg_tr_is_float(LLVMTypeOf(a)) || !wpg_tr_is_int(type))
        return wpg_tr_malformed(t);
    return wpg_tr_define(t, inst,
                         LLVMBuildFreeze(t->builder, LLVMBuildCast(t->builder, opcode, a, type, ""), ""));
}

static bool from_int(wpg_tr *t, const wpg_inst *inst, LLVMValueRef a, LLVMTypeRef type, LLVMOpcode opcode)
{
    if (!wpg_tr_is_int(LLVMTypeOf(a)) || !wpg_tr_is_float(type))
        return wpg_tr_malformed(t);
    return wpg_tr_define(t, inst, LLVMBuildCast(t->builder, opcode, a, type, ""));
}

static bool between_ints(wpg_tr *t, const wpg_inst *inst, LLVMValueRef a, LLVMTypeRef type, bool is_signed)
{
    uint32_t from = wpg_tr_bits(LLVMTypeOf(a)), to = wpg_tr_bits(type);
    if (!wpg_tr_is_int(LLVMTypeOf(a)) || !wpg_tr_is_int(type))
        return wpg_tr_malformed(t);
    LLVMOpcode opcode = from > to ? LLVMTrunc : is_signed ? LLVMSExt : LLVMZExt;
    return wpg_tr_define(t, inst, from == to ? a : LLVMBuildCast(t->builder, opcode, a, type, ""));
}

static bool between_floats(wpg_tr *t, const wpg_inst *inst, LLVMValueRef a, LLVMTypeRef type)
{
    uint32_t from = wpg_tr_bits(LLVMTypeOf(a)), to = wpg_tr_bits(type);
    if (!wpg_tr_is_float(LLVMTypeOf(a)) || !wpg_tr_is_float(type))
        return wpg_tr_malformed(t);
    LLVMOpcode opcode = from > to ? LLVMFPTrunc : LLVMFPExt;
    return wpg_tr_define(t, inst, from == to ? a : LLVMBuildCast(t->builder, opcode, a, type, ""));
}

/* Rounds to half precision (flushing no denormals) and back. */
static bool quantize(wpg_tr *t, const wpg_inst *inst, LLVMValueRef a, LLVMTypeRef type)
{
    if (LLVMTypeOf(a) != type || wpg_tr_scalar(type) != t->t_f32)
        return wpg_tr_malformed(t);
    LLVMTypeRef half = wpg_tr_with_components(t->t_f16, wpg_tr_components(type));
    LLVMValueRef rounded = LLVMBuildFPTrunc(t->builder, a, half, "");
    rounded = LLVMBuildFPExt(t->builder, rounded, type, "");
    /* What would be denormal as a half becomes a zero of its sign (SPIR-V 1.6, OpQuantizeToF16). */
    LLVMValueRef size = wpg_tr_call1(t, "llvm.fabs", rounded);
    LLVMValueRef zero = wpg_tr_call2(t, "llvm.copysign", LLVMConstNull(type), a);
    if (!size || !zero)
        return false;
    LLVMValueRef small = LLVMBuildFCmp(t->builder, LLVMRealOLT, size, wpg_tr_float(type, 0x1p-14), "");
    return wpg_tr_define(t, inst, LLVMBuildSelect(t->builder, small, zero, rounded, ""));
}

/* Same bits; a pointer counts as 64. */
static bool bitcast(wpg_tr *t, const wpg_inst *inst, LLVMValueRef a, LLVMTypeRef type)
{
    LLVMTypeRef from = LLVMTypeOf(a);
    bool from_pointer = LLVMGetTypeKind(from) == LLVMPointerTypeKind;
    bool to_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    if (from_pointer && to_pointer)
        return from == type ? wpg_tr_define(t, inst, a) : wpg_tr_malformed(t);
    if (from_pointer || to_pointer) {
        LLVMTypeRef pointer = from_pointer ? from : type;
        LLVMTypeRef other = from_pointer ? type : from;
        if (LLVMGetPointerAddressSpace(pointer) != t->abi->space_global)
            return wpg_tr_refuse(t);
        if (!wpg_tr_is_int(other) || wpg_tr_bits(other) * wpg_tr_components(other) != 64)
            return wpg_tr_malformed(t);
        if (to_pointer)
            return wpg_tr_define(
                t, inst,
                LLVMBuildIntToPtr(t->builder, LLVMBuildBitCast(t->builder, a, t->t_i64, ""), type, ""));
        return wpg_tr_define(
            t, inst, LLVMBuildBitCast(t->builder, LLVMBuildPtrToInt(t->builder, a, t->t_i64, ""), type, ""));
    }
    if ((!wpg_tr_is_int(from) && !wpg_tr_is_float(from)) ||
        (!wpg_tr_is_int(type) && !wpg_tr_is_float(type)) ||
        wpg_tr_bits(from) * wpg_tr_components(from) != wpg_tr_bits(type) * wpg_tr_components(type))
        return wpg_tr_malformed(t);
    return wpg_tr_define(t, inst, LLVMBuildBitCast(t->builder, a, type, ""));
}

wpg_tr_result wpg_tr_conversions(wpg_tr *t, const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpFConvert:
    case SpvOpQuantizeToF16:
    case SpvOpBitcast:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
        break;
    default:
        return WPG_TR_OTHER;
    }
    const wpg_tr_type *result = wpg_tr_result_type(t, inst);
    LLVMValueRef a = result ? wpg_tr_value(t, inst, 3) : NULL;
    if (!a)
        return WPG_TR_FAILED;
    LLVMTypeRef type = result->llvm;
    bool casts = inst->opcode == SpvOpBitcast || inst->opcode == SpvOpConvertPtrToU ||
                 inst->opcode == SpvOpConvertUToPtr;
    if (!casts && !same_count(LLVMTypeOf(a), type))
        return wpg_tr_did(wpg_tr_malformed(t));
    switch (inst->opcode) {
    case SpvOpConvertFToU:
        return wpg_tr_did(to_int(t, inst, a, type, LLVMFPToUI));
    case SpvOpConvertFToS:
        return wpg_tr_did(to_int(t, inst, a, type, LLVMFPToSI));
    case SpvOpConvertSToF:
        return wpg_tr_did(from_int(t, inst, a, type, LLVMSIToFP));
    case SpvOpConvertUToF:
        return wpg_tr_did(from_int(t, inst, a, type, LLVMUIToFP));
    case SpvOpUConvert:
        return wpg_tr_did(between_ints(t, inst, a, type, false));
    case SpvOpSConvert:
        return wpg_tr_did(between_ints(t, inst, a, type, true));
    case SpvOpFConvert:
        return wpg_tr_did(between_floats(t, inst, a, type));
    case SpvOpQuantizeToF16:
        return wpg_tr_did(quantize(t, inst, a, type));
    default:
        return wpg_tr_did(bitcast(t, inst, a, type));
    }
}
