/* A libdrm_amdgpu for tests. See fake_drm.h. */
#include "tests/support/fake_drm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/gpu/drm_abi.h"

#define SHOWN __attribute__((visibility("default")))

extern SHOWN fake_drm_state fake_drm;
fake_drm_state fake_drm = {.family = 145,
                           .external_rev = 1,
                           .name = "Fake Radeon",
                           .sensors = {0, 1234, 567, 45678, 9},
                           .power = WPG_DRM_PSTATE_NONE};

struct wpg_drm_device {
    int node;
};
static struct wpg_drm_device the_device;

SHOWN int amdgpu_device_initialize(int node, uint32_t *major, uint32_t *minor, wpg_drm_device **device);
int amdgpu_device_initialize(int node, uint32_t *major, uint32_t *minor, wpg_drm_device **device)
{
    if (fake_drm.initialize)
        return fake_drm.initialize;
    *major = 3;
    *minor = 49;
    the_device.node = node;
    *device = &the_device;
    fake_drm.devices++;
    return 0;
}

SHOWN int amdgpu_device_deinitialize(wpg_drm_device *device);
int amdgpu_device_deinitialize(wpg_drm_device *device)
{
    if (device != &the_device)
        abort();
    fake_drm.devices--;
    return 0;
}

SHOWN int amdgpu_query_gpu_info(wpg_drm_device *device, wpg_drm_gpu_info *info);
int amdgpu_query_gpu_info(wpg_drm_device *device, wpg_drm_gpu_info *info)
{
    (void)device;
    if (fake_drm.info)
        return fake_drm.info;
    info->asic_id = 0x744c;
    info->family_id = fake_drm.family;
    info->chip_external_rev = fake_drm.external_rev;
    info->max_engine_clk = 2371000;
    info->max_memory_clk = 1249000;
    info->pci_rev_id = 0xc8;
    return 0;
}

#ifndef FAKE_DRM_OLD
struct wpg_drm_context {
    int number;
};
static struct wpg_drm_context the_context;

static void tell(const char *what, unsigned value)
{
    const char *path = getenv("FAKE_DRM_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    (void)fprintf(file, "%s %u\n", what, value);
    (void)fclose(file);
}

SHOWN int amdgpu_query_sensor_info(wpg_drm_device *device, unsigned type, unsigned size, void *value);
int amdgpu_query_sensor_info(wpg_drm_device *device, unsigned type, unsigned size, void *value)
{
    (void)device;
    if (fake_drm.sensor)
        return fake_drm.sensor;
    if (size != sizeof fake_drm.sensors[0] || type >= sizeof fake_drm.sensors / sizeof fake_drm.sensors[0])
        abort();
    if (!fake_drm.mute)
        memcpy(value, &fake_drm.sensors[type], size);
    return 0;
}

SHOWN const char *amdgpu_get_marketing_name(wpg_drm_device *device);
const char *amdgpu_get_marketing_name(wpg_drm_device *device)
{
    (void)device;
    return fake_drm.name;
}

SHOWN int amdgpu_cs_ctx_create2(wpg_drm_device *device, uint32_t priority, wpg_drm_context **context);
int amdgpu_cs_ctx_create2(wpg_drm_device *device, uint32_t priority, wpg_drm_context **context)
{
    if (device != &the_device)
        abort();
    if (fake_drm.create)
        return fake_drm.create;
    *context = &the_context;
    fake_drm.contexts++;
    tell("context", priority);
    return 0;
}

SHOWN int amdgpu_cs_ctx_free(wpg_drm_context *context);
int amdgpu_cs_ctx_free(wpg_drm_context *context)
{
    if (context != &the_context || !fake_drm.contexts)
        abort();
    fake_drm.contexts--;
    tell("free", 0);
    return 0;
}

SHOWN int amdgpu_cs_ctx_stable_pstate(wpg_drm_context *context, uint32_t op, uint32_t flags,
                                      uint32_t *answer);
int amdgpu_cs_ctx_stable_pstate(wpg_drm_context *context, uint32_t op, uint32_t flags, uint32_t *answer)
{
    const char *refuse = getenv("FAKE_DRM_REFUSE");
    if (context != &the_context || !fake_drm.contexts)
        abort();
    if (op == WPG_DRM_GET_STABLE_PSTATE) {
        if (!fake_drm.get)
            *answer =
                fake_drm.mute
                    ? op
                    : fake_drm.power; /* the field of a call that nobody answers still has the question */
        return fake_drm.get;
    }
    if (op != WPG_DRM_SET_STABLE_PSTATE)
        abort();
    if (refuse)
        return -atoi(refuse);
    if (fake_drm.set)
        return fake_drm.set;
    fake_drm.sets++;
    if (!fake_drm.deaf && !fake_drm.mute)
        fake_drm.power = flags;
    tell("state", flags);
    return 0;
}
#endif
