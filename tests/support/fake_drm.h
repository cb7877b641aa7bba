/* A libdrm_amdgpu that answers as a test says, and tells what it was asked. The test that opens it by dlopen
 * finds the one state by the symbol `fake_drm`; in other programs the environment speaks:
 *
 *     FAKE_DRM_LOG=FILE      appends a line for each context made ("context N") or freed ("free N"),
 *                            and each power state set ("state N")
 *
 *     FAKE_DRM_REFUSE=ERRNO  what setting a power state fails with
 *
 * Built with FAKE_DRM_OLD it has no sensors, names and power states, as libdrm once had none.
 *
 * Threads: setting power states and contexts is under the caller's lock; the rest is set while nobody asks.
 */
#ifndef WPG_TEST_FAKE_DRM_H
#define WPG_TEST_FAKE_DRM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fake_drm_state {
    int initialize, info, sensor, create, get, set; /* results: 0 or a negative errno */
    uint32_t family, external_rev;
    const char *name;
    uint32_t sensors[5];        /* by AMDGPU_INFO_SENSOR_* */
    bool mute;                  /* sensors and power states report success and write nothing */
    bool deaf;                  /* setting a power state reports success and does nothing */
    uint32_t power;             /* the GPU's power state */
    unsigned devices, contexts; /* alive */
    unsigned sets;              /* power states set, ever */
} fake_drm_state;

#endif
