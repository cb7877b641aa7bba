#include "layer/base/flight_recorder.h"

#include <pthread.h>
#include <stdatomic.h>

#include "layer/base/denials.h"
#include "layer/base/disk_cache.h"
#include "layer/base/state.h"
#include "runtime/base/log.h"
#include "runtime/bundle/flight.h"
#include "runtime/config/pattern.h"

enum { WORD = 64, WORDS = (WPG_FLIGHT_SLOTS + WORD - 1) / WORD };

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static wpg_flight_record record = {.file = -1};
static atomic_uint_fast64_t taken[WORDS]; /* a bit each slot */

static void open_record(void)
{
    wpg_error err;
    char program[sizeof record.page->program];
    if (!*wpg_disk_cache()->folder || !wpg_the_process.settings.crash_guard)
        return;
    wpg_denials_read(); /* it takes the records of others: before there is one of our own */
    wpg_executable_name(program, sizeof program);
    if (wpg_flight_open(&record, wpg_disk_cache()->folder, wpg_denials_mode(), program, &err) != WPG_OK)
        wpg_log_info("should the driver crash on a changed pipeline, no later run will know: %s",
                     err.message);
}

/* The number of a slot that is ours now; WPG_FLIGHT_SLOTS: all are taken. */
static uint32_t take_slot(void)
{
    for (uint32_t word = 0; word < WORDS; word++) {
        uint_fast64_t now = atomic_load_explicit(&taken[word], memory_order_relaxed);
        while (~now) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(~now);
            if (word * WORD + bit >= WPG_FLIGHT_SLOTS)
                break;
            if (atomic_compare_exchange_weak(&taken[word], &now, now | UINT64_C(1) << bit))
                return word * WORD + bit;
        }
    }
    return WPG_FLIGHT_SLOTS;
}

uint32_t wpg_flight_begin(wpg_hash128 hash)
{
    if (!wpg_process_is_owner()) /* a forked child writes nothing */
        return 0;
    (void)pthread_once(&opened, open_record);
    if (!record.page)
        return 0;
    const uint32_t slot = take_slot();
    if (slot == WPG_FLIGHT_SLOTS)
        return 0;
    record.page->slots[slot] = hash;
    return slot + 1;
}

void wpg_flight_end(uint32_t flight)
{
    if (!flight || !wpg_process_is_owner())
        return;
    record.page->slots[flight - 1] = (wpg_hash128){0};
    (void)atomic_fetch_and(&taken[(flight - 1) / WORD], ~(UINT64_C(1) << (flight - 1) % WORD));
}

void wpg_flight_finish(void)
{
    wpg_flight_remove(&record);
}

void wpg_flight_unload(void)
{
    wpg_flight_close(&record);
}
