/* LLVM's fatal errors as errors. LLVM ends the process when it meets one (report_fatal_error calls exit after
 * the installed handler), so that the handler must not return: it jumps back to where the guarded call was
 * made. What LLVM had allocated then is lost, destructors do not run, locks of LLVM may stay held: after
 * WPG_E_UNSUPPORTED from a guarded call the LLVM context must be leaked, not disposed, and nothing but a new
 * context may be used. Good enough for a command; the layer never links LLVM. A crash (a signal) is not
 * caught.
 *
 * Threads: a guard is its thread's own; a fatal error outside any guard ends the process, as LLVM has it. */
#ifndef WPG_COMPILER_AMDGPU_LLVM_LLVM_GUARD_H
#define WPG_COMPILER_AMDGPU_LLVM_LLVM_GUARD_H

#include "runtime/base/error.h"

/* Puts the handler in place; wpg_llvm_initialise does. */
void wpg_llvm_guard_install(void);
/* Calls `call(data)`; its status, or WPG_E_UNSUPPORTED and *fatal = 1 when LLVM gave up in it. */
wpg_status wpg_llvm_guarded(wpg_status (*call)(void *data, wpg_error *err), void *data, int *fatal,
                            wpg_error *err);

#endif
