/* LLVM's own check that passes keep profiles (prof-verify), run in our pipeline through LLVMRunPasses. Every
 * branch and select must have a `!prof`, possibly `unknown`, and the function an entry count. The check asks
 * whether something stands there, not whether it is right (that is profile/verify.h and wpg_weights_quality).
 * Threads: one module, one thread. Source: LLVM 22, ProfileVerify.cpp; "RFC: profile information propagation
 * unittesting". */
#ifndef WPG_COMPILER_AMDGPU_LLVM_PROFCHECK_H
#define WPG_COMPILER_AMDGPU_LLVM_PROFCHECK_H

#include <llvm-c/TargetMachine.h>

#include <stdint.h>

#include "runtime/base/error.h"

/* WPG_E_MISMATCH: prof-verify complains, or LLVM refused to run it; the message names `after`, the phase, and
 * the first complaint. */
wpg_status wpg_profcheck(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *after,
                         wpg_error *err);

/* What one pass did to the profile of a function. */
typedef struct wpg_profcheck_phase {
    char pass[40];
    uint32_t branches, selects; /* after it */
    uint32_t branches_bare,
        selects_bare; /* of these without a `!prof`, then marked unknown with the pass's name */
} wpg_profcheck_phase;

enum { WPG_PROFCHECK_PHASES = 8 };
typedef struct wpg_profcheck_phases {
    wpg_profcheck_phase phase[WPG_PROFCHECK_PHASES];
    uint32_t count;
} wpg_profcheck_phases;

/* Runs the passes of `pipeline` (function passes, names by comma) one by one on `function`. LLVM's
 * prof-inject first makes up weights for bare branches and selects. After each pass, branches and selects
 * that lost their `!prof` are marked `!{!"unknown", !"PASS"}`. Then prof-verify must be content; otherwise
 * WPG_E_MISMATCH. Passes after the first WPG_PROFCHECK_PHASES are skipped. */
wpg_status wpg_profcheck_run(wpg_profcheck_phases *phases, LLVMModuleRef module, LLVMValueRef function,
                             LLVMTargetMachineRef machine, const char *pipeline, wpg_error *err);

#endif
