/* Declarations shared by the files of subgroup instructions: subgroups.c (votes, ballots), subgroup_lanes.c
 * (values of other lanes), subgroup_sums.c (reductions and scans). Code goes to t->builder; NULL after
 * wpg_tr_fail. */
#ifndef WPG_COMPILER_AMDGPU_TRANSLATE_SUBGROUPS_H
#define WPG_COMPILER_AMDGPU_TRANSLATE_SUBGROUPS_H

#include "compiler/amdgpu/translate/translate_internal.h"

/* `value` of one lane, the same lane for all lanes that ask; NULL: the first active lane. */
LLVMValueRef wpg_tr_in_lane(wpg_tr *t, LLVMValueRef value, LLVMValueRef lane);
/* `value` of a lane that all active lanes name alike, though LLVM cannot know that. */
LLVMValueRef wpg_tr_in_same_lane(wpg_tr *t, LLVMValueRef value, LLVMValueRef lane);
/* Shuffles, broadcasts, rotations and quad operations. */
LLVMValueRef wpg_tr_other_lane(wpg_tr *t, const wpg_inst *inst);
/* OpGroupNonUniformIAdd and its like. */
LLVMValueRef wpg_tr_lane_arithmetic(wpg_tr *t, const wpg_inst *inst);
/* Bits of a mask as wide as the wave that stand for lanes before this one: i32. */
LLVMValueRef wpg_tr_bits_before(wpg_tr *t, LLVMValueRef mask);

/* DPP controls: which lane a lane reads (LLVM's AMDGPUUsage; "DPP16" of the ISA manuals). */
typedef enum wpg_dpp {
    WPG_DPP_QUAD = 0x000,  /* | lane of lane 0 | of 1 << 2 | of 2 << 4 | of 3 << 6 */
    WPG_DPP_SHIFT = 0x110, /* | n: n lanes below in the row of 16 */
    WPG_DPP_ROTATE = 0x120,
    WPG_DPP_WAVE_SHIFT = 0x138,   /* the lane below; gfx9 */
    WPG_DPP_MIRROR = 0x140,       /* lane ^ 15 */
    WPG_DPP_HALF_MIRROR = 0x141,  /* lane ^ 7 */
    WPG_DPP_BROADCAST_15 = 0x142, /* last lane of the row before; gfx9 */
    WPG_DPP_BROADCAST_31 = 0x143, /* lane 31 in the lanes behind; gfx9 */
    WPG_DPP_XOR = 0x160,          /* | mask: lane ^ mask in the row; gfx10 and later */
} wpg_dpp;

enum { WPG_DPP_SAME = WPG_DPP_QUAD | 0xe4 };

/* `value` of the lane that `control` says, in the rows of the mask `rows`; `old` in other rows and where
 * there is no such lane. `old` NULL: every lane is read and written. Any scalar of 32 or 64 bits. */
LLVMValueRef wpg_tr_dpp(wpg_tr *t, LLVMValueRef old, LLVMValueRef value, unsigned control, unsigned rows);

#endif
