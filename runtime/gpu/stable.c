/* Holds the stable power state.
 *
 * A context of our own asks for the state. The kernel keeps it for the whole GPU while that context asks. The
 * state is read back before a hold is reported: some kernels, and stand-ins for them, report success and do
 * nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/gpu/internal.h"

static wpg_status refused(int result, wpg_error *err)
{
    switch (abs(result)) {
    case EACCES:
    case EPERM:
        return wpg_fail(err, WPG_E_IO, "the kernel does not permit a stable power state");
    case EBUSY:
        return wpg_fail(err, WPG_E_IO, "another program holds a stable power state of the GPU");
    case EINVAL:
    case ENOSYS:
    case ENOTTY:
    case EOPNOTSUPP:
        return wpg_fail(err, WPG_E_UNSUPPORTED, "the kernel has no stable power state for this GPU");
    default:
        return wpg_fail(err, WPG_E_IO, "the kernel refuses a stable power state: %s", strerror(abs(result)));
    }
}

static wpg_status ask(uint32_t *state, const wpg_gpu *gpu, wpg_drm_context *context, wpg_error *err)
{
    uint32_t answer = UINT32_MAX;
    int result = gpu->library.ctx_stable_pstate(context, WPG_DRM_GET_STABLE_PSTATE, 0, &answer);
    if (result != 0)
        return refused(result, err);
    if (answer > WPG_DRM_PSTATE_PEAK)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "the kernel does not tell the GPU's power state");
    *state = answer;
    return WPG_OK;
}

static int set(const wpg_gpu *gpu, wpg_drm_context *context, uint32_t state)
{
    return gpu->library.ctx_stable_pstate(context, WPG_DRM_SET_STABLE_PSTATE, state, NULL);
}

static wpg_status hold(wpg_gpu *gpu, wpg_error *err)
{
    wpg_drm_context *context;
    uint32_t before, now = WPG_DRM_PSTATE_NONE;
    if (!gpu->library.ctx_stable_pstate)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "this libdrm_amdgpu knows no stable power state");
    int result = gpu->library.ctx_create(gpu->device, WPG_DRM_PRIORITY_NORMAL, &context);
    if (result != 0)
        return wpg_fail(err, WPG_E_IO, "the GPU gives no context: %s", strerror(abs(result)));
    wpg_status status = ask(&before, gpu, context, err);
    if (status == WPG_OK) {
        result = set(gpu, context, WPG_DRM_PSTATE_STANDARD);
        status = result == 0 ? ask(&now, gpu, context, err) : refused(result, err);
        if (status == WPG_OK && now != WPG_DRM_PSTATE_STANDARD)
            status = wpg_fail(err, WPG_E_UNSUPPORTED, "the kernel does not change the GPU's power state");
        if (status != WPG_OK && result == 0)
            (void)set(gpu, context, before);
    }
    if (status != WPG_OK) {
        (void)gpu->library.ctx_free(context);
        return status;
    }
    gpu->context = context;
    gpu->before = before;
    return WPG_OK;
}

void wpg_gpu_restore(wpg_gpu *gpu)
{
    if (!gpu->context)
        return;
    (void)set(gpu, gpu->context, gpu->before);
    (void)gpu->library.ctx_free(gpu->context);
    gpu->context = NULL;
}

wpg_status wpg_gpu_hold_stable(wpg_gpu *gpu, wpg_error *err)
{
    wpg_status status = WPG_OK;
    if (gpu->owner != getpid())
        return wpg_fail(err, WPG_E_UNSUPPORTED, "the GPU was opened by the process before it forked");
    (void)pthread_mutex_lock(&gpu->lock);
    if (!gpu->context)
        status = hold(gpu, err);
    (void)pthread_mutex_unlock(&gpu->lock);
    return status;
}
