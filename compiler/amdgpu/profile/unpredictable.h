/* Branches that part waves evenly, which no guess gets right: told to LLVM by `!unpredictable`, before it
 * optimises. By counts of the normal form, since what they are about is lost behind structurising
 * (structurizecfg drops the mark). LLVM 22.1.8 makes the same code with every branch of 46 shaders so marked:
 * a hint for other versions, and never more than that, since structurised blocks that turn out otherwise make
 * candidates.c go without. Threads: plain data. Source: LLVM LangRef, "unpredictable". */
#ifndef WPG_COMPILER_AMDGPU_PROFILE_UNPREDICTABLE_H
#define WPG_COMPILER_AMDGPU_PROFILE_UNPREDICTABLE_H

#include "compiler/amdgpu/llvm/amdgpu.h"
#include "compiler/amdgpu/profile/origins.h"

/* By block of the normal form whether it ends in such a branch, by the rule of weights_from.h, in `arena`;
 * none without counts of both lanes and waves. WPG_E_MISMATCH: counts of another form. */
wpg_status wpg_unpredictable_find(wpg_amdgpu_marks *marks, const wpg_module *normal,
                                  const wpg_origin_counts *from, wpg_arena *arena, wpg_error *err);

#endif
