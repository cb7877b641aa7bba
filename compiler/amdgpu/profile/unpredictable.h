/* Branches that part waves evenly, which no guess gets right. LLVM gets `!unpredictable` on them before it
 * optimises. They are found by counts of the normal form, because structurizecfg drops the mark. LLVM 22.1.8
 * makes the same code even where every branch is marked: the mark is a hint for other versions. Where marks
 * change the structurised blocks, candidates.c leaves them out. Threads: plain data. Source: LLVM LangRef,
 * "unpredictable". */
#ifndef WPG_COMPILER_AMDGPU_PROFILE_UNPREDICTABLE_H
#define WPG_COMPILER_AMDGPU_PROFILE_UNPREDICTABLE_H

#include "compiler/amdgpu/llvm/amdgpu.h"
#include "compiler/amdgpu/profile/origins.h"

/* By block of the normal form, in `arena`: true if the block ends in such a branch, by the rule of
 * weights_from.h. All false without counts of both lanes and waves. WPG_E_MISMATCH: counts of another
 * form. */
wpg_status wpg_unpredictable_find(wpg_amdgpu_marks *marks, const wpg_module *normal,
                                  const wpg_origin_counts *from, wpg_arena *arena, wpg_error *err);

#endif
