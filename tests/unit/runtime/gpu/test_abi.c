/* The binary interface as runtime/gpu states it, against libdrm's own headers, at compile time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "runtime/gpu/system.h"

#if __has_include(<libdrm/amdgpu.h>)
#include <libdrm/amdgpu.h>
#include <libdrm/amdgpu_drm.h>

#define SAME(ours, theirs)    _Static_assert((ours) == (theirs), #ours)
#define FIELD(ours, theirs)   SAME(offsetof(wpg_drm_gpu_info, ours), offsetof(struct amdgpu_gpu_info, theirs))
#define VERSION(ours, theirs) SAME(offsetof(wpg_drm_version, ours), offsetof(struct drm_version, theirs))

FIELD(asic_id, asic_id);
FIELD(chip_external_rev, chip_external_rev);
FIELD(family_id, family_id);
FIELD(max_engine_clk, max_engine_clk);
FIELD(max_memory_clk, max_memory_clk);
FIELD(pci_rev_id, pci_rev_id);
_Static_assert(sizeof(wpg_drm_gpu_info) >= sizeof(struct amdgpu_gpu_info), "room for what libdrm writes");
VERSION(name_length, name_len);
VERSION(name, name);
SAME(sizeof(wpg_drm_version), sizeof(struct drm_version));
SAME(WPG_DRM_IOCTL_VERSION, DRM_IOCTL_VERSION);
SAME(WPG_DRM_SENSOR_SHADER_CLOCK, AMDGPU_INFO_SENSOR_GFX_SCLK);
SAME(WPG_DRM_SENSOR_MEMORY_CLOCK, AMDGPU_INFO_SENSOR_GFX_MCLK);
SAME(WPG_DRM_SENSOR_TEMPERATURE, AMDGPU_INFO_SENSOR_GPU_TEMP);
SAME(WPG_DRM_SENSOR_LOAD, AMDGPU_INFO_SENSOR_GPU_LOAD);
SAME(WPG_DRM_GET_STABLE_PSTATE, AMDGPU_CTX_OP_GET_STABLE_PSTATE);
SAME(WPG_DRM_SET_STABLE_PSTATE, AMDGPU_CTX_OP_SET_STABLE_PSTATE);
SAME(WPG_DRM_PSTATE_NONE, AMDGPU_CTX_STABLE_PSTATE_NONE);
SAME(WPG_DRM_PSTATE_STANDARD, AMDGPU_CTX_STABLE_PSTATE_STANDARD);
SAME(WPG_DRM_PSTATE_PEAK, AMDGPU_CTX_STABLE_PSTATE_PEAK);
SAME(WPG_DRM_PRIORITY_NORMAL, AMDGPU_CTX_PRIORITY_NORMAL);

#define TYPE(function, ...)                                                                                  \
    _Static_assert(__builtin_types_compatible_p(__typeof__(function), __VA_ARGS__), #function)

TYPE(amdgpu_device_initialize, int(int, uint32_t *, uint32_t *, amdgpu_device_handle *));
TYPE(amdgpu_device_deinitialize, int(amdgpu_device_handle));
TYPE(amdgpu_query_gpu_info, int(amdgpu_device_handle, struct amdgpu_gpu_info *));
TYPE(amdgpu_query_sensor_info, int(amdgpu_device_handle, unsigned, unsigned, void *));
TYPE(amdgpu_get_marketing_name, const char *(amdgpu_device_handle));
TYPE(amdgpu_cs_ctx_create2, int(amdgpu_device_handle, uint32_t, amdgpu_context_handle *));
TYPE(amdgpu_cs_ctx_free, int(amdgpu_context_handle));
TYPE(amdgpu_cs_ctx_stable_pstate, int(amdgpu_context_handle, uint32_t, uint32_t, uint32_t *));
#endif

/* The library that is installed has all of it under these names. */
static void symbols(void **state)
{
    (void)state;
    wpg_drm_library library;
    wpg_error err = {0};
    if (wpg_drm_library_open(&library, wpg_gpu_this_system.library, &err) != WPG_OK) {
        print_message("skip: %s\n", err.message);
        skip();
    }
    assert_non_null(library.query_sensor_info);
    assert_non_null(library.get_marketing_name);
    assert_non_null(library.ctx_stable_pstate);
    wpg_drm_library_close(&library);
    assert_null(library.handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(symbols)};
#if !__has_include(<libdrm/amdgpu.h>)
    print_message("libdrm-dev is not installed: the interface was not compared\n");
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
