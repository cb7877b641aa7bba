/* runtime/gpu over made-up nodes and a made-up libdrm_amdgpu (tests/support/fake_drm.h): who is there, what
 * sensors say, and that each power state that is held is let go of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/gpu/system.h"
#include "tests/support/fake_drm.h"

#define FAKE WPG_BINARY_DIR "/tests/fake_drm/libdrm_amdgpu.so.1"

static char folder[] = "/tmp/wpg-gpu-XXXXXX";
static fake_drm_state *fake, fresh;
static void *fake_library;

static bool says_amdgpu(int node)
{
    char driver[8] = "";
    return pread(node, driver, sizeof driver - 1, 0) > 0 && strcmp(driver, "amdgpu") == 0;
}

static wpg_gpu_system machine = {.library = FAKE, .nodes = folder, .is_amdgpu = says_amdgpu};

static void node(const char *name, const char *driver)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!driver) {
        (void)unlink(path);
        return;
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(driver, file);
    (void)fclose(file);
}

static const char *const names[] = {"renderD130",  "renderD128", "renderD129",
                                    "renderD131x", "renderD",    "card0"};

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        node(names[i], i == 2 ? "i915" : "amdgpu");
    fake_library = dlopen(FAKE, RTLD_NOW | RTLD_LOCAL);
    fake = fake_library ? dlsym(fake_library, "fake_drm") : NULL;
    if (fake)
        fresh = *fake;
    return fake ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        node(names[i], NULL);
    (void)dlclose(fake_library);
    return rmdir(folder);
}

static int renew(void **state)
{
    (void)state;
    *fake = fresh;
    machine.library = FAKE;
    machine.nodes = folder;
    return 0;
}

static wpg_gpu *opened(void)
{
    wpg_gpu *gpu;
    wpg_error err = {0};
    if (wpg_gpu_open_in(&gpu, 128, &machine, &err) != WPG_OK)
        fail_msg("%s", err.message);
    return gpu;
}

static void refused(uint32_t minor, wpg_status status, const char *why)
{
    wpg_gpu *gpu = NULL;
    wpg_error err = {0};
    assert_int_equal(wpg_gpu_open_in(&gpu, minor, &machine, &err), status);
    assert_null(gpu);
    if (!strstr(err.message, why))
        fail_msg("not '%s': %s", why, err.message);
    assert_int_equal(fake->devices, 0);
}

/* -- Who */

static void listed(void **state)
{
    uint32_t minors[WPG_GPU_MOST] = {0};
    (void)state;
    wpg_error shut;
    assert_int_equal(wpg_gpu_minors_in(minors, WPG_GPU_MOST, &machine, &shut), 2);
    assert_int_equal(shut.status, WPG_OK);
    assert_int_equal(minors[0], 128);
    assert_int_equal(minors[1], 130);
    assert_int_equal(wpg_gpu_minors_in(minors, 1, &machine, NULL), 1);
    /* A node that cannot be opened, as without the rights to it, is told of. */
    char path[128];
    (void)snprintf(path, sizeof path, "%s/renderD133", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(wpg_gpu_minors_in(minors, WPG_GPU_MOST, &machine, &shut), 2);
    assert_int_equal(shut.status, WPG_E_IO);
    assert_non_null(strstr(shut.message, "renderD133: "));
    assert_int_equal(rmdir(path), 0);
    machine.nodes = "/nowhere";
    assert_int_equal(wpg_gpu_minors_in(minors, WPG_GPU_MOST, &machine, &shut), 0);
}

static void known(void **state)
{
    (void)state;
    wpg_gpu *gpu = opened();
    const wpg_gpu_info *info = wpg_gpu_about(gpu);
    const char *target;
    assert_int_equal(info->minor, 128);
    assert_int_equal(info->device, 0x744c);
    assert_int_equal(info->revision, 0xc8);
    assert_string_equal(info->chip, "navi31");
    assert_string_equal(info->name, "Fake Radeon");
    assert_true(info->most_shader_khz == 2371000 && info->most_memory_khz == 1249000);
    assert_int_equal(wpg_gpu_target_name(&target, info, NULL), WPG_OK);
    assert_string_equal(target, "gfx1100");
    wpg_gpu_close(gpu);
    assert_int_equal(fake->devices, 0);
    wpg_gpu_close(NULL);
    fake->name = NULL; /* libdrm knows no name for it */
    gpu = opened();
    assert_string_equal(wpg_gpu_about(gpu)->name, "");
    wpg_gpu_close(gpu);
}

static void not_there(void **state)
{
    (void)state;
    refused(132, WPG_E_NOT_FOUND, "renderD132");
    refused(129, WPG_E_NOT_FOUND, "not of an AMD GPU");
    fake->initialize = -EACCES;
    refused(128, WPG_E_IO, "does not take the GPU");
    fake->initialize = 0;
    fake->info = -EIO;
    refused(128, WPG_E_IO, "does not say which GPU");
    machine.library = "libdrm_nowhere.so.1";
    refused(128, WPG_E_UNSUPPORTED, "libdrm_amdgpu is not here");
    machine.library = "libm.so.6";
    refused(128, WPG_E_UNSUPPORTED, "is not libdrm_amdgpu");
}

static void default_target(void **state)
{
    const char *target = NULL;
    wpg_error err = {0};
    (void)state;
    assert_int_equal(wpg_gpu_default_target_in(&target, &machine, &err), WPG_OK);
    assert_string_equal(target, "gfx1100");
    fake->family = 199;
    fake->external_rev = 0x2a;
    assert_int_equal(wpg_gpu_default_target_in(&target, &machine, &err), WPG_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "family 199, external revision 0x2a"));
    assert_non_null(strstr(err.message, "renderD128"));
    machine.library = "libdrm_nowhere.so.1";
    assert_int_equal(wpg_gpu_default_target_in(&target, &machine, &err), WPG_E_UNSUPPORTED);
    machine.nodes = "/nowhere";
    assert_int_equal(wpg_gpu_default_target_in(&target, &machine, &err), WPG_E_NOT_FOUND);
    assert_string_equal(err.message, "no AMD GPU here");
    assert_int_equal(fake->devices, 0);
}

/* -- Sensors */

static void expect_text(wpg_gpu *gpu, const char *expected)
{
    wpg_gpu_clocks clocks;
    char text[160];
    wpg_gpu_read_clocks(&clocks, gpu);
    assert_string_equal(wpg_gpu_clocks_text(text, sizeof text, &clocks), expected);
}

static void sensors(void **state)
{
    (void)state;
    wpg_gpu *gpu = opened();
    wpg_gpu_clocks clocks;
    wpg_gpu_read_clocks(&clocks, gpu);
    assert_true(clocks.shader_mhz == 1234 && clocks.memory_mhz == 567 && clocks.load == 9 &&
                clocks.temperature == 45678);
    expect_text(gpu, "shader 1234 MHz, memory 567 MHz, load 9 %, temperature 45 C");
    fake->sensors[2] = 20001; /* what cannot be is not said */
    fake->sensors[3] = (uint32_t)-5000;
    fake->sensors[4] = 101;
    expect_text(gpu, "shader 1234 MHz, memory unknown, load unknown, temperature -5 C");
    fake->mute = true;
    expect_text(gpu, "clocks unknown");
    fake->mute = false;
    fake->sensor = -ENOENT;
    expect_text(gpu, "clocks unknown");
    wpg_gpu_close(gpu);
}

/* -- Power state */

static void held(void **state)
{
    (void)state;
    wpg_gpu *gpu = opened();
    fake->power = WPG_DRM_PSTATE_PEAK; /* somebody's choice, to be restored */
    wpg_gpu_close(gpu);
    assert_int_equal(fake->sets, 0); /* what was not held is not restored */
    gpu = opened();
    assert_int_equal(wpg_gpu_hold_stable(gpu, NULL), WPG_OK);
    assert_int_equal(fake->power, WPG_DRM_PSTATE_STANDARD);
    assert_int_equal(wpg_gpu_hold_stable(gpu, NULL), WPG_OK);
    assert_int_equal(fake->sets, 1);
    assert_int_equal(fake->contexts, 1);
    wpg_gpu_close(gpu);
    assert_int_equal(fake->sets, 2);
    assert_int_equal(fake->power, WPG_DRM_PSTATE_PEAK);
    assert_int_equal(fake->contexts + fake->devices, 0);
}

static void not_held(wpg_gpu *gpu, wpg_status status, const char *why, unsigned sets)
{
    wpg_error err = {0};
    fake->sets = 0;
    assert_int_equal(wpg_gpu_hold_stable(gpu, &err), status);
    if (!strstr(err.message, why))
        fail_msg("not '%s': %s", why, err.message);
    assert_int_equal(fake->contexts, 0);
    assert_int_equal(fake->sets, sets);
}

static void hold_refused(void **state)
{
    (void)state;
    wpg_gpu *gpu = opened();
    fake->set = -EACCES;
    not_held(gpu, WPG_E_IO, "does not permit", 0);
    fake->set = -EBUSY;
    not_held(gpu, WPG_E_IO, "another program holds", 0);
    fake->set = -EINVAL;
    not_held(gpu, WPG_E_UNSUPPORTED, "has no stable power state", 0);
    fake->set = -ENODEV;
    not_held(gpu, WPG_E_IO, "refuses a stable power state", 0);
    fake->set = 0;
    fake->get = -EINVAL;
    not_held(gpu, WPG_E_UNSUPPORTED, "has no stable power state", 0);
    fake->get = 0;
    fake->create = -ENOMEM;
    not_held(gpu, WPG_E_IO, "no context", 0);
    fake->create = 0;
    fake->mute = true; /* success, and nothing was answered */
    not_held(gpu, WPG_E_UNSUPPORTED, "does not tell", 0);
    fake->mute = false;
    fake->deaf = true; /* success, and nothing was done: set, and set back */
    not_held(gpu, WPG_E_UNSUPPORTED, "does not change", 2);
    fake->deaf = false;
    assert_int_equal(wpg_gpu_hold_stable(gpu, NULL), WPG_OK);
    wpg_gpu_close(gpu);
    assert_int_equal(fake->power, WPG_DRM_PSTATE_NONE);
}

/* A libdrm from before sensors and power states: who it is is known, the rest is not. */
static void old_library(void **state)
{
    wpg_error err = {0};
    (void)state;
    machine.library = WPG_BINARY_DIR "/tests/fake_drm_old/libdrm_amdgpu.so.1";
    wpg_gpu *gpu = opened();
    assert_string_equal(wpg_gpu_about(gpu)->target, "gfx1100");
    assert_string_equal(wpg_gpu_about(gpu)->name, "");
    expect_text(gpu, "clocks unknown");
    assert_int_equal(wpg_gpu_hold_stable(gpu, &err), WPG_E_UNSUPPORTED);
    assert_string_equal(err.message, "this libdrm_amdgpu knows no stable power state");
    wpg_gpu_close(gpu);
}

/* The child's copy closes nothing of the parent's. */
static void forked(void **state)
{
    int status = 0;
    (void)state;
    wpg_gpu *gpu = opened();
    assert_int_equal(wpg_gpu_hold_stable(gpu, NULL), WPG_OK);
    pid_t child = fork();
    if (child == 0) {
        wpg_gpu_clocks clocks;
        bool more = wpg_gpu_hold_stable(gpu, NULL) == WPG_OK;
        wpg_gpu_read_clocks(&clocks, gpu);
        wpg_gpu_close(gpu);
        _exit(!more && clocks.shader_mhz == WPG_GPU_UNKNOWN && fake->sets == 1 && fake->contexts == 1 ? 0
                                                                                                      : 1);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    wpg_gpu_close(gpu);
    assert_int_equal(fake->power, WPG_DRM_PSTATE_NONE);
}

static void *hold_often(void *gpu)
{
    for (int i = 0; i < 500; i++) {
        wpg_gpu_clocks clocks;
        if (wpg_gpu_hold_stable(gpu, NULL) != WPG_OK)
            return gpu;
        wpg_gpu_read_clocks(&clocks, gpu);
    }
    return NULL;
}

static void threads(void **state)
{
    pthread_t all[4];
    (void)state;
    wpg_gpu *gpu = opened();
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&all[i], NULL, hold_often, gpu), 0);
    for (size_t i = 0; i < 4; i++) {
        void *failed;
        assert_int_equal(pthread_join(all[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(fake->sets, 1);
    assert_int_equal(fake->contexts, 1);
    wpg_gpu_close(gpu);
    assert_int_equal(fake->power, WPG_DRM_PSTATE_NONE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, renew)
    const struct CMUnitTest tests[] = {TEST(listed),  TEST(known),  TEST(not_there),    TEST(default_target),
                                       TEST(sensors), TEST(held),   TEST(hold_refused), TEST(old_library),
                                       TEST(forked),  TEST(threads)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
