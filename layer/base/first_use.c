#include "layer/base/first_use.h"

#include "layer/base/clock.h"
#include "layer/base/denials.h"
#include "layer/base/loss_attribution.h"

/* The lowest bit of first_use_began: no pipeline has been noted for that call yet. */
static const uint64_t UNTOLD = 1;

static bool is_wanted(const wpg_device *device)
{
    return device->mode == WPG_MODE_GENERATE && wpg_the_process.settings.compile_limit > 0 &&
           wpg_attribution_has_new(device);
}

static void note(wpg_device *device, double seconds)
{
    wpg_hash128 hash;
    if (wpg_process_is_owner() && wpg_attribution_dearest_new(device, &hash))
        wpg_pace_note(hash, wpg_pace_of(hash), seconds, WPG_AT_FIRST_USE);
}

static bool is_long(double *seconds, uint64_t began)
{
    *seconds = (double)(wpg_now() - began) * 1e-9;
    return *seconds > wpg_the_process.settings.compile_limit;
}

/* Notes a pipeline if the call has lasted too long; once a call. */
static void look(wpg_device *device, uint64_t began)
{
    double seconds;
    if (is_long(&seconds, began) &&
        atomic_compare_exchange_strong(&device->first_use_began, &began, began & ~UNTOLD))
        note(device, seconds);
}

uint64_t wpg_first_use_begin(wpg_device *device)
{
    uint64_t none = 0, now;
    if (!is_wanted(device))
        return 0;
    now = wpg_now() | UNTOLD;
    return atomic_compare_exchange_strong(&device->first_use_began, &none, now) ? now : 0;
}

void wpg_first_use_end(wpg_device *device, uint64_t began)
{
    if (!began)
        return;
    look(device, began);
    atomic_store(&device->first_use_began, 0);
}

void wpg_first_use_poll(wpg_device *device, bool ready)
{
    uint64_t began = atomic_load_explicit(&device->first_use_polled, memory_order_relaxed);
    double seconds;
    if (!ready && !began && is_wanted(device))
        atomic_store(&device->first_use_polled, wpg_now());
    else if (ready && began && (began = atomic_exchange(&device->first_use_polled, 0)) &&
             is_long(&seconds, began))
        note(device, seconds);
}

void wpg_first_use_look(void)
{
    wpg_process *process = &wpg_the_process;
    (void)pthread_mutex_lock(&process->lock);
    for (wpg_device *device = process->device_list; device; device = device->next_device) {
        const uint64_t began = atomic_load(&device->first_use_began);
        if (began & UNTOLD)
            look(device, began);
    }
    (void)pthread_mutex_unlock(&process->lock);
}
