/* Turns LLVM's fatal errors into errors. LLVM calls exit after the installed handler (report_fatal_error), so
 * the handler must not return: it jumps back to the guarded call. The memory that LLVM held is lost,
 * destructors do not run, locks of LLVM may stay held. After WPG_E_UNSUPPORTED from a guarded call, leak the
 * LLVM context and use only a new one. That is good enough for a command; the layer never links LLVM. A crash
 * (a signal) is not caught.
 *
 * Threads: a guard belongs to its thread. A fatal error outside any guard ends the process, as in LLVM. */
#ifndef WPG_COMPILER_AMDGPU_LLVM_LLVM_GUARD_H
#define WPG_COMPILER_AMDGPU_LLVM_LLVM_GUARD_H

#include "runtime/base/error.h"

/* Puts the handler in place; the first wpg_target_machine does. */
void wpg_llvm_guard_install(void);
/* Calls `call(data)`; its status, or WPG_E_UNSUPPORTED and *fatal = 1 when LLVM gave up in it. */
wpg_status wpg_llvm_guarded(wpg_status (*call)(void *data, wpg_error *err), void *data, int *fatal,
                            wpg_error *err);

#endif
