/* Opens libdrm_amdgpu at run time. See system.h. */
#include <dlfcn.h>
#include <string.h>

#include "runtime/gpu/system.h"

/* A function's address by way of its bytes: ISO C converts no object pointer to a function's. */
static bool find(void *function, void *handle, const char *name)
{
    void *address = dlsym(handle, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

wpg_status wpg_drm_library_open(wpg_drm_library *library, const char *name, wpg_error *err)
{
    wpg_drm_library made = {.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)};
    if (!made.handle) {
        const char *why = dlerror();
        return wpg_fail(err, WPG_E_UNSUPPORTED, "libdrm_amdgpu is not here: %s", why ? why : name);
    }
    if (!find(&made.device_initialize, made.handle, "amdgpu_device_initialize") ||
        !find(&made.device_deinitialize, made.handle, "amdgpu_device_deinitialize") ||
        !find(&made.query_gpu_info, made.handle, "amdgpu_query_gpu_info")) {
        (void)dlclose(made.handle);
        return wpg_fail(err, WPG_E_UNSUPPORTED, "%s is not libdrm_amdgpu, or lacks what is needed", name);
    }
    (void)find(&made.query_sensor_info, made.handle, "amdgpu_query_sensor_info");
    (void)find(&made.get_marketing_name, made.handle, "amdgpu_get_marketing_name");
    if (!find(&made.ctx_create, made.handle, "amdgpu_cs_ctx_create2") ||
        !find(&made.ctx_free, made.handle, "amdgpu_cs_ctx_free") ||
        !find(&made.ctx_stable_pstate, made.handle, "amdgpu_cs_ctx_stable_pstate"))
        made.ctx_stable_pstate = NULL;
    *library = made;
    return WPG_OK;
}

void wpg_drm_library_close(wpg_drm_library *library)
{
    if (library->handle)
        (void)dlclose(library->handle);
    library->handle = NULL;
}
