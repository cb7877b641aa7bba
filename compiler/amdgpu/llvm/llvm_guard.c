#include "compiler/amdgpu/llvm/llvm_guard.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/ErrorHandling.h>

static _Thread_local struct {
    jmp_buf back;
    int armed;
    char reason[160];
} guard;

static void give_up(const char *reason)
{
    if (!guard.armed)
        return; /* LLVM then ends the process */
    guard.armed = 0;
    (void)snprintf(guard.reason, sizeof guard.reason, "%s", reason);
    longjmp(guard.back, 1);
}

void wpg_llvm_guard_install(void)
{
    LLVMInstallFatalErrorHandler(give_up);
}

wpg_status wpg_llvm_guarded(wpg_status (*call)(void *data, wpg_error *err), void *data, int *fatal,
                            wpg_error *err)
{
    *fatal = 0;
    if (setjmp(guard.back)) {
        *fatal = 1;
        return wpg_fail(err, WPG_E_UNSUPPORTED, "LLVM gave up: %s", guard.reason);
    }
    guard.armed = 1;
    wpg_status status = call(data, err);
    guard.armed = 0;
    return status;
}
