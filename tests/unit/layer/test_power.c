/* Which devices hold a stable power state, and that what is held is let go of: layer/base/power.c over a
 * made-up libdrm_amdgpu. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "layer/base/power.h"
#include "runtime/gpu/system.h"
#include "tests/support/fake_drm.h"

#define FAKE WPG_BINARY_DIR "/tests/fake_drm/libdrm_amdgpu.so.1"

static char folder[] = "/tmp/wpg-power-XXXXXX";
static char nodes[2][64];
static fake_drm_state *fake, fresh;
static void *library;
static bool offers_drm;
static wpg_instance instance;

static bool any(int node)
{
    return node >= 0;
}

static VKAPI_ATTR VkResult VKAPI_CALL extensions(VkPhysicalDevice physical, const char *layer,
                                                 uint32_t *count, VkExtensionProperties *list)
{
    (void)physical, (void)layer;
    if (list)
        (void)snprintf(list->extensionName, sizeof list->extensionName, "%s",
                       offers_drm ? VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME : "VK_EXT_other");
    *count = 1;
    return VK_SUCCESS;
}

/* A physical device's handle is its render minor here; 1: it has none. */
static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice physical, VkPhysicalDeviceProperties2 *all)
{
    VkPhysicalDeviceDrmPropertiesEXT *drm = all->pNext;
    assert_true(offers_drm);
    assert_int_equal(drm->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT);
    drm->hasRender = (uintptr_t)physical != 1;
    drm->renderMinor = (int64_t)(uintptr_t)physical;
}

static VkPhysicalDevice physical(uintptr_t minor)
{
    return (VkPhysicalDevice)minor;
}

static wpg_device device(wpg_mode mode)
{
    return (wpg_device){.instance = &instance, .mode = mode, .times = mode == WPG_MODE_TUNE};
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(nodes[i], sizeof nodes[i], "%s/renderD%zu", folder, 128 + i);
        FILE *file = fopen(nodes[i], "w");
        if (!file || fclose(file) != 0)
            return -1;
    }
    wpg_gpu_this_system = (wpg_gpu_system){.library = FAKE, .nodes = folder, .is_amdgpu = any};
    library = dlopen(FAKE, RTLD_NOW | RTLD_LOCAL);
    fake = library ? dlsym(library, "fake_drm") : NULL;
    if (!fake)
        return -1;
    fresh = *fake;
    instance.api_version = VK_API_VERSION_1_3;
    instance.next.EnumerateDeviceExtensionProperties = extensions;
    instance.next.GetPhysicalDeviceProperties2 = properties;
    wpg_the_process.pid = getpid();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++)
        (void)unlink(nodes[i]);
    (void)dlclose(library);
    return rmdir(folder);
}

static int renew(void **state)
{
    (void)state;
    *fake = fresh;
    offers_drm = true;
    wpg_the_process.settings.stable_power = WPG_STABLE_POWER_AUTO;
    return 0;
}

/* Whether a device of that mode has the state held while it lives. */
static bool holds(wpg_mode mode, bool times)
{
    wpg_device one = device(mode);
    one.times = times;
    fake->sets = 0;
    wpg_power_hold(&one, physical(128));
    bool held = fake->power == WPG_DRM_PSTATE_STANDARD;
    assert_int_equal(one.power != NULL, held);
    wpg_power_release(&one);
    assert_null(one.power);
    assert_int_equal(fake->power, WPG_DRM_PSTATE_NONE);
    assert_int_equal(fake->sets, held ? 2 : 0);
    assert_int_equal(fake->contexts + fake->devices, 0);
    return held;
}

static void by_setting(void **state)
{
    (void)state;
    assert_true(holds(WPG_MODE_TUNE, true));
    assert_false(holds(WPG_MODE_TUNE, false));
    assert_false(holds(WPG_MODE_USE, false) || holds(WPG_MODE_GENERATE, false) || holds(WPG_MODE_OFF, false));
    wpg_the_process.settings.stable_power = WPG_STABLE_POWER_ON;
    assert_true(holds(WPG_MODE_TUNE, true) && holds(WPG_MODE_USE, false) && holds(WPG_MODE_GENERATE, false));
    assert_false(holds(WPG_MODE_OFF, false));
    wpg_the_process.settings.stable_power = WPG_STABLE_POWER_OFF;
    assert_false(holds(WPG_MODE_TUNE, true));
}

static void refused(void **state)
{
    (void)state;
    fake->set = -EBUSY;
    assert_false(holds(WPG_MODE_TUNE, true));
    fake->set = 0;
    offers_drm = false;
    assert_false(holds(WPG_MODE_TUNE, true));
    offers_drm = true;
    instance.api_version = VK_API_VERSION_1_0; /* the command is not the program's to call */
    assert_false(holds(WPG_MODE_TUNE, true));
    instance.api_version = VK_API_VERSION_1_3;
    wpg_device one = device(WPG_MODE_TUNE);
    wpg_power_hold(&one, physical(1));
    wpg_power_hold(&one, physical(130));
    assert_null(one.power);
    wpg_the_process.pid = getpid() + 1; /* as in a forked child */
    assert_false(holds(WPG_MODE_TUNE, true));
    wpg_the_process.pid = getpid();
    assert_true(holds(WPG_MODE_TUNE, true));
}

/* Devices of one GPU hold it together, those of another GPU that one; whatever is left is let go of at the
 * end. */
static void shared(void **state)
{
    wpg_device a = device(WPG_MODE_TUNE), b = a, other = a;
    (void)state;
    wpg_power_hold(&a, physical(128));
    wpg_power_hold(&b, physical(128));
    assert_true(a.power && a.power == b.power);
    assert_int_equal(fake->contexts, 1);
    wpg_power_hold(&other, physical(129));
    assert_true(other.power && other.power != a.power);
    assert_int_equal(fake->contexts, 2);
    wpg_power_release(&a);
    assert_int_equal(fake->contexts, 2);
    wpg_power_release(&a); /* holds nothing any more */
    wpg_power_release(&b);
    assert_int_equal(fake->contexts, 1);
    wpg_power_finish();
    assert_int_equal(fake->contexts + fake->devices, 0);
    wpg_power_release(&other); /* a device that outlives the end of the program */
    wpg_power_finish();
    assert_int_equal(fake->contexts + fake->devices, 0);
}

static void *come_and_go(void *context)
{
    (void)context;
    for (int i = 0; i < 300; i++) {
        wpg_device one = device(WPG_MODE_TUNE);
        wpg_power_hold(&one, physical(128));
        if (!one.power)
            return &instance;
        wpg_power_release(&one);
    }
    return NULL;
}

static void threads(void **state)
{
    pthread_t all[4];
    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&all[i], NULL, come_and_go, NULL), 0);
    for (size_t i = 0; i < 4; i++) {
        void *failed;
        assert_int_equal(pthread_join(all[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(fake->contexts + fake->devices, 0);
    assert_int_equal(fake->power, WPG_DRM_PSTATE_NONE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, renew)
    const struct CMUnitTest tests[] = {TEST(by_setting), TEST(refused), TEST(shared), TEST(threads)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
