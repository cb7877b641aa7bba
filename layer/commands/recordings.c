/* The map from command buffers to recordings. */
#include "layer/commands/record.h"

atomic_uint_fast64_t wpg_record_generation = 1;
/* initial-exec: read by one instruction, where the model of a library costs a call for each draw. The library
 * is opened at run time, and then this model takes static TLS, of which the C library keeps some in reserve:
 * glibc 1,664 bytes by default (elf/dl-tls.c; tunable glibc.rtld.optional_static_tls), shared by all such
 * libraries. The layer's whole TLS is this and libstdc++'s 16 bytes. tests/e2e/library.sh holds it to 128.
 * Without that room dlopen fails: the loader says so and goes on without the layer. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
    VkCommandBuffer handle;
    uint64_t device; /* its dispatch key */
    wpg_recording *recording;
    uint64_t generation;
} latest;

static wpg_handles recordings = WPG_HANDLES_INIT;

static uint64_t key_of(VkCommandBuffer commands)
{
    return (uint64_t)(uintptr_t)commands;
}

wpg_recording *wpg_recording_of(VkCommandBuffer commands)
{
    uint64_t now = atomic_load_explicit(&wpg_record_generation, memory_order_relaxed);
    uint64_t device = wpg_dispatch_key(commands);
    if (latest.handle == commands && latest.device == device && latest.generation == now)
        return latest.recording;
    wpg_recording *recording = wpg_handles_get(&recordings, key_of(commands));
    /* A handle that went unseen, and came again on another device, is not followed. */
    if (recording && wpg_dispatch_key(recording->device->handle) != device)
        return NULL;
    if (recording) {
        latest.handle = commands;
        latest.device = device;
        latest.recording = recording;
        latest.generation = now;
    }
    return recording;
}

const wpg_device_commands *wpg_record_enter(wpg_recording **recording, VkCommandBuffer commands)
{
    *recording = wpg_recording_of(commands);
    if (*recording)
        return &(*recording)->device->next;
    wpg_device *device = wpg_device_of(commands);
    return device ? &device->next : NULL;
}

bool wpg_recording_keep(wpg_recording *recording)
{
    return wpg_handles_set(&recordings, key_of(recording->handle), recording);
}

void wpg_recording_forget(const wpg_recording *recording)
{
    (void)wpg_handles_remove(&recordings, key_of(recording->handle));
}

wpg_recording *wpg_recording_find(VkCommandBuffer commands)
{
    return wpg_handles_get(&recordings, key_of(commands));
}
