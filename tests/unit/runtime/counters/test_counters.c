/* Directory, counters and drains over a driver in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <cmocka.h>

#include "runtime/counters/counters.h"
#include "tests/unit/runtime/counters/fake_vk.h"

static const VkPhysicalDeviceMemoryProperties two_types = {
    .memoryTypeCount = 2,
    .memoryTypes = {{VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0},
                    {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 1}},
    .memoryHeapCount = 2,
    .memoryHeaps = {{UINT64_C(1) << 34, 0}, {UINT64_C(1) << 31, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}}};
static const VkPhysicalDeviceMemoryProperties no_types;
static const uint32_t families[] = {0, 2};

static wpg_counters_config config_of(const VkPhysicalDeviceMemoryProperties *types)
{
    return (wpg_counters_config){.limits = {.types = types, .families = families, .family_count = 2},
                                 .device_type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                                 .bytes = 4 << 20,
                                 .slots = 256};
}

static wpg_counters *create(const wpg_counters_vk *vk, const wpg_counters_config *config)
{
    wpg_counters *counters = NULL;
    wpg_error err = {0};
    if (wpg_counters_create(&counters, vk, config, &err) != WPG_OK)
        fail_msg("%s", err.message);
    return counters;
}

/* What a shader does: reads its directory entry, adds to counter `index` there. */
static void count(wpg_counters *counters, const wpg_counter_slot *slot, size_t index, uint64_t by)
{
    wpg_drain *drain = wpg_counters_drain(counters);
    uint64_t *memory = fake_at(drain->counters);
    memory[atomic_load(&slot->first) + index] += by;
}

static void counts_and_reads(wpg_counters_placement placement, uint64_t start)
{
    wpg_counters_vk vk = fake_vk();
    wpg_counters_config config = config_of(&two_types);
    config.placement = placement;
    config.start = start;
    wpg_counters *counters = create(&vk, &config);
    wpg_counter_slot *slot;
    wpg_error err;
    uint64_t values[3] = {0};
    assert_int_equal(wpg_counters_claim(&slot, counters, (wpg_hash128){300, 9}, &err), WPG_OK);
    assert_int_equal(wpg_counters_place(counters, slot, 3, &err), WPG_OK);
    wpg_counters_read(values, counters, slot);
    assert_true(values[0] == 0 && values[1] == 0 && values[2] == 0);
    count(counters, slot, 0, 5);
    count(counters, slot, 2, UINT64_C(1) << 33); /* across the boundary of the low word */
    wpg_drain *drain = wpg_counters_drain(counters);
    unsigned submits = fake.submits;
    assert_int_equal(wpg_drain_submit(drain, NULL, 0, &err), WPG_OK);
    assert_int_equal(fake.submits, submits + 1);
    assert_int_equal(wpg_drain_wait(drain, 1), WPG_OK);
    wpg_counters_read(values, counters, slot);
    assert_true(values[0] == 5 && values[1] == 0 && values[2] == UINT64_C(1) << 33);
    wpg_counters_destroy(counters, true);
    assert_int_equal(fake.live, 0);
}

static void on_the_host(void **state)
{
    (void)state;
    counts_and_reads(WPG_COUNTERS_HOST, 0);
    counts_and_reads(WPG_COUNTERS_HOST, 0xfffffffe);
}

static void on_the_device(void **state)
{
    (void)state;
    counts_and_reads(WPG_COUNTERS_DEVICE, 0);
    counts_and_reads(WPG_COUNTERS_DEVICE, 0xfffffffe);
    counts_and_reads(WPG_COUNTERS_AUTO, 7); /* no memory is both: device memory */
}

/* In device memory nothing is seen before a drain. */
static void stale_until_drained(void **state)
{
    (void)state;
    wpg_counters_vk vk = fake_vk();
    wpg_counters_config config = config_of(&two_types);
    config.placement = WPG_COUNTERS_DEVICE;
    wpg_counters *counters = create(&vk, &config);
    wpg_counter_slot *slot;
    wpg_error err;
    uint64_t values[1] = {0};
    assert_int_equal(wpg_counters_claim(&slot, counters, (wpg_hash128){1, 1}, &err), WPG_OK);
    assert_int_equal(wpg_counters_place(counters, slot, 1, &err), WPG_OK);
    count(counters, slot, 0, 3);
    wpg_counters_read(values, counters, slot);
    assert_true(values[0] == 0);
    fake.fence = VK_NOT_READY;
    assert_int_equal(wpg_drain_submit(wpg_counters_drain(counters), NULL, 2, &err), WPG_OK);
    assert_int_equal(wpg_drain_wait(wpg_counters_drain(counters), 0), WPG_E_NOT_FOUND);
    assert_int_equal(wpg_drain_submit(wpg_counters_drain(counters), NULL, 2, &err), WPG_E_LIMIT);
    fake.fence = VK_SUCCESS;
    assert_int_equal(wpg_drain_wait(wpg_counters_drain(counters), 0), WPG_OK);
    wpg_counters_read(values, counters, slot);
    assert_true(values[0] == 3);
    fake.fence = VK_ERROR_DEVICE_LOST;
    assert_int_equal(wpg_drain_submit(wpg_counters_drain(counters), NULL, 2, &err), WPG_OK);
    assert_int_equal(wpg_drain_wait(wpg_counters_drain(counters), 0), WPG_E_IO);
    wpg_counters_destroy(counters, true);
    assert_int_equal(fake.live, 0);
}

/* The low word has wrapped, the carry is not there yet: the last value stands. */
static void torn_counter(void **state)
{
    (void)state;
    wpg_counters_vk vk = fake_vk();
    wpg_counters_config config = config_of(&two_types);
    config.placement = WPG_COUNTERS_HOST;
    config.start = 0xfffffffe;
    wpg_counters *counters = create(&vk, &config);
    wpg_counter_slot *slot;
    uint64_t values[1] = {0};
    assert_int_equal(wpg_counters_claim(&slot, counters, (wpg_hash128){1, 1}, NULL), WPG_OK);
    assert_int_equal(wpg_counters_place(counters, slot, 1, NULL), WPG_OK);
    uint64_t *counter = fake_at(wpg_counters_drain(counters)->counters) + atomic_load(&slot->first);
    *counter = 0xffffffff;
    wpg_counters_read(values, counters, slot);
    assert_true(values[0] == 1);
    *counter = 0x00000001;
    wpg_counters_read(values, counters, slot);
    assert_true(values[0] == 1);
    *counter = 0x100000001;
    wpg_counters_read(values, counters, slot);
    assert_true(values[0] == 3);
    wpg_counters_destroy(counters, true);
}

/* Cells that hold no count are read as they are: they fall, and may be as large as they like. */
static void cells_are_no_counts(void **state)
{
    (void)state;
    wpg_counters_vk vk = fake_vk();
    wpg_counters_config config = config_of(&two_types);
    config.placement = WPG_COUNTERS_HOST;
    wpg_counters *counters = create(&vk, &config);
    wpg_counter_slot *slot;
    uint64_t values[3] = {0};
    assert_int_equal(wpg_counters_claim(&slot, counters, (wpg_hash128){1, 1}, NULL), WPG_OK);
    assert_int_equal(wpg_counters_place(counters, slot, 3, NULL), WPG_OK);
    uint64_t *memory = fake_at(wpg_counters_drain(counters)->counters) + atomic_load(&slot->first);
    memory[0] = 5;
    memory[1] = 0xbf80000000000007; /* -1 above: no count is so large */
    memory[2] = 9;
    wpg_counters_read(values, counters, slot);
    wpg_counters_read_cells(values, counters, slot, 1, 5);
    assert_true(values[0] == 5 && values[1] == 0xbf80000000000007 && values[2] == 9);
    memory[0] = 4;
    memory[1] = 3;
    memory[2] = 2;
    wpg_counters_read(values, counters, slot);
    wpg_counters_read_cells(values, counters, slot, 1, 2);
    assert_true(values[0] == 5 && values[1] == 3 && values[2] == 2);
    wpg_counters_destroy(counters, true);
}

/* Where a shader with these literals adds: imported, the device's addresses are ours. */
static uint64_t shader_goes(wpg_counters_way way)
{
    uint32_t seed = *(const uint32_t *)(uintptr_t)way.seed;
    return ((const uint64_t *)(uintptr_t)way.cells)[(uint32_t)(way.tag * seed) >> way.shift];
}

/* The scratch block before a slot is placed, its own counters after. */
static void directory_leads(void **state)
{
    (void)state;
    wpg_counters_vk vk = fake_vk();
    wpg_counters_config config = config_of(&two_types);
    config.limits.host_import = true;
    config.limits.external_buffers = fake_external_buffers;
    config.placement = WPG_COUNTERS_HOST;
    wpg_counters *counters = create(&vk, &config);
    assert_int_equal(wpg_counters_address_kind(counters), WPG_ADDRESS_IMPORTED);
    wpg_counter_slot *slot, *other;
    assert_int_equal(wpg_counters_claim(&slot, counters, (wpg_hash128){256 + 17, 1}, NULL), WPG_OK);
    wpg_counters_way way = wpg_counters_way_of(counters, slot);
    uint64_t scratch = shader_goes(way);
    assert_int_not_equal(scratch, 0);
    assert_int_equal(wpg_counters_place(counters, slot, 10, NULL), WPG_OK);
    assert_int_equal(shader_goes(way), scratch + atomic_load(&slot->first) * 8);
    /* One more of the same low bits: each goes to its own, by the literals it had. */
    assert_int_equal(wpg_counters_claim(&other, counters, (wpg_hash128){512 + 17, 5}, NULL), WPG_OK);
    wpg_counters_way others = wpg_counters_way_of(counters, other);
    assert_int_equal(others.seed, way.seed);
    assert_int_equal(wpg_counters_place(counters, other, 10, NULL), WPG_OK);
    assert_int_equal(shader_goes(way), scratch + atomic_load(&slot->first) * 8);
    assert_int_equal(shader_goes(others), scratch + atomic_load(&other->first) * 8);
    assert_int_equal(wpg_counters_place(counters, other, 10, NULL), WPG_OK); /* again: nothing changes */
    assert_int_equal(shader_goes(others), scratch + atomic_load(&other->first) * 8);
    /* Equal in another run: the literals do not depend on what was made before. */
    wpg_counters_destroy(counters, true);
    counters = create(&vk, &config);
    assert_int_equal(wpg_counters_claim(&other, counters, (wpg_hash128){512 + 17, 5}, NULL), WPG_OK);
    assert_int_equal(wpg_counters_place(counters, other, 3, NULL), WPG_OK);
    assert_int_equal(wpg_counters_claim(&slot, counters, (wpg_hash128){256 + 17, 1}, NULL), WPG_OK);
    wpg_counters_way again = wpg_counters_way_of(counters, slot);
    assert_memory_equal(&again, &way, sizeof way);
    wpg_counters_destroy(counters, true);
    assert_int_equal(fake.live, 0);
}

static wpg_address_kind kind_with(wpg_counters_config *config, const wpg_counters_vk *vk, wpg_replay *replay)
{
    wpg_counters *counters = create(vk, config);
    wpg_address_kind kind = wpg_counters_address_kind(counters);
    *replay = wpg_counters_replay(counters);
    wpg_counters_destroy(counters, true);
    assert_int_equal(fake.live, 0);
    return kind;
}

static void address_kinds(void **state)
{
    (void)state;
    wpg_counters_vk vk = fake_vk();
    wpg_counters_config config = config_of(&two_types);
    wpg_replay replay;
    assert_int_equal(kind_with(&config, &vk, &replay), WPG_ADDRESS_ORDINARY);
    config.limits.capture_replay = true;
    assert_int_equal(kind_with(&config, &vk, &replay), WPG_ADDRESS_REPLAYED);
    assert_true(replay.buffer >= FAKE_BASE && replay.memory == 77);
    config.replay = replay; /* the next run asks for the same and gets it */
    wpg_replay again;
    assert_int_equal(kind_with(&config, &vk, &again), WPG_ADDRESS_REPLAYED);
    assert_true(again.buffer == replay.buffer);
    fake.refuse_replay = true; /* taken: another address, still replayable */
    assert_int_equal(kind_with(&config, &vk, &again), WPG_ADDRESS_REPLAYED);
    assert_true(again.buffer != replay.buffer);
    config.limits.host_import = true;
    config.limits.external_buffers = fake_external_buffers;
    assert_int_equal(kind_with(&config, &vk, &again), WPG_ADDRESS_IMPORTED);
    fake.moved_import = true; /* a card sees host pages elsewhere */
    assert_int_equal(kind_with(&config, &vk, &again), WPG_ADDRESS_REPLAYED);
    fake.moved_import = false;
    /* The physical device says that it cannot: no such buffer is made. */
    unsigned imports = fake.imports;
    fake.not_importable = true;
    assert_int_equal(kind_with(&config, &vk, &again), WPG_ADDRESS_REPLAYED);
    fake.not_importable = false;
    fake.dedicated_only = true;
    assert_int_equal(kind_with(&config, &vk, &again), WPG_ADDRESS_REPLAYED);
    fake.dedicated_only = false;
    config.limits.external_buffers = NULL;
    assert_int_equal(kind_with(&config, &vk, &again), WPG_ADDRESS_REPLAYED);
    config.limits.external_buffers = fake_external_buffers;
    assert_int_equal(fake.imports, imports);
    fake.refuse_import = true;
    config.limits.capture_replay = false;
    assert_int_equal(kind_with(&config, &vk, &again), WPG_ADDRESS_ORDINARY);
}

/* A driver without hardware: literal addresses, nothing to read. */
static void no_memory(void **state)
{
    (void)state;
    wpg_counters_vk vk = fake_vk();
    wpg_counters_config config = config_of(&no_types);
    for (int round = 0; round < 2; round++) {
        wpg_counters *counters = create(&vk, &config);
        wpg_counter_slot *slot;
        uint64_t values[4] = {0};
        assert_false(wpg_counters_readable(counters));
        assert_null(wpg_counters_drain(counters));
        assert_int_equal(wpg_counters_claim(&slot, counters, (wpg_hash128){2, 0}, NULL), WPG_OK);
        wpg_counters_way way = wpg_counters_way_of(counters, slot);
        assert_true(way.cells == WPG_LITERAL_ADDRESS && way.seed == WPG_LITERAL_ADDRESS + 256 * 8 + 2 * 4);
        assert_int_equal(wpg_counters_place(counters, slot, 4, NULL), WPG_OK);
        wpg_counters_read(values, counters, slot);
        wpg_counters_destroy(counters, true);
        assert_int_equal(fake.live, 0);
        config = config_of(&two_types); /* memory, but no addresses */
        fake.zero_addresses = true;
    }
}

/* Less memory than asked for is taken, down to a least; below that creation fails and leaves nothing. */
static void short_of_memory(void **state)
{
    (void)state;
    wpg_counters_vk vk = fake_vk();
    wpg_counters_config config = config_of(&two_types);
    wpg_counters *counters = NULL;
    wpg_error err;
    fake.refuse_above = 1 << 20;
    counters = create(&vk, &config);
    wpg_counter_slot *slot;
    assert_int_equal(wpg_counters_claim(&slot, counters, (wpg_hash128){2, 0}, NULL), WPG_OK);
    assert_int_equal(wpg_counters_place(counters, slot, 1 << 17, &err), WPG_E_LIMIT);
    wpg_counters_destroy(counters, true);
    fake.refuse_above = 4096;
    assert_int_equal(wpg_counters_create(&counters, &vk, &config, &err), WPG_E_IO);
    assert_int_equal(fake.live, 0);
}

static void memory_types(void **state)
{
    (void)state;
    const VkMemoryPropertyFlags host =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags device = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    assert_int_equal(wpg_memory_type(&two_types, 3, host, 0, 1), 0);
    assert_int_equal(wpg_memory_type(&two_types, 3, host, device, 1), 0); /* preferred, not required */
    assert_int_equal(wpg_memory_type(&two_types, 3, device, 0, 1), 1);
    assert_int_equal(wpg_memory_type(&two_types, 1, device, 0, 1), UINT32_MAX);
    assert_int_equal(wpg_memory_type(&two_types, 3, host | device, 0, 1), UINT32_MAX);
    assert_int_equal(wpg_memory_type(&two_types, 3, device, 0, SIZE_MAX), UINT32_MAX); /* heap too small */
    assert_int_equal(wpg_memory_type(&no_types, 3, 0, 0, 1), UINT32_MAX);
}

/* A retired slot is read and its counters start from zero for the next, where the host can write them. */
static void retires(wpg_counters_placement placement, uint64_t start, bool again)
{
    wpg_counters_vk vk = fake_vk();
    wpg_counters_config config = config_of(&two_types);
    config.placement = placement;
    config.start = start;
    wpg_counters *counters = create(&vk, &config);
    wpg_counter_slot *slot, *other;
    uint64_t values[3] = {0}, none[3] = {0};
    assert_int_equal(wpg_counters_claim(&slot, counters, (wpg_hash128){300, 9}, NULL), WPG_OK);
    assert_int_equal(wpg_counters_claim(&other, counters, (wpg_hash128){300, 9}, NULL), WPG_OK);
    assert_ptr_equal(slot, other);
    assert_int_equal(wpg_counters_place(counters, slot, 3, NULL), WPG_OK);
    atomic_store(&slot->listed, true);
    assert_false(wpg_counters_release(counters, slot));
    assert_false(wpg_counters_retire(counters, slot, atomic_load(&slot->claims))); /* the other uses it */
    assert_true(wpg_counters_release(counters, slot));
    /* Made again before it was retired: it goes on. */
    assert_int_equal(wpg_counters_claim(&other, counters, (wpg_hash128){300, 9}, NULL), WPG_OK);
    assert_ptr_equal(slot, other);
    assert_false(wpg_counters_retire(counters, slot, atomic_load(&slot->claims)));
    assert_true(wpg_counters_release(counters, slot));
    count(counters, slot, 2, 7);
    assert_int_equal(wpg_drain_submit(wpg_counters_drain(counters), NULL, 0, NULL), WPG_OK);
    assert_int_equal(wpg_drain_wait(wpg_counters_drain(counters), 1), WPG_OK);
    assert_false(wpg_counters_retire(counters, slot, 1)); /* a drain after the first claims has not all */
    assert_true(wpg_counters_retire(counters, slot, 3));
    const size_t first = atomic_load(&slot->first);
    /* Made again after: another slot, and other counters as long as these are not read. */
    assert_int_equal(wpg_counters_claim(&other, counters, (wpg_hash128){300, 9}, NULL), WPG_OK);
    assert_ptr_not_equal(slot, other);
    assert_int_equal(wpg_counters_place(counters, other, 3, NULL), WPG_OK);
    assert_int_not_equal(atomic_load(&other->first), first);
    wpg_counters_read(values, counters, slot);
    assert_true(values[2] == 7);
    wpg_counters_reuse(counters, slot);
    assert_int_equal(wpg_counters_claim(&slot, counters, (wpg_hash128){301, 9}, NULL), WPG_OK);
    assert_int_equal(wpg_counters_place(counters, slot, 3, NULL), WPG_OK);
    assert_int_equal(atomic_load(&slot->first) == first, again);
    wpg_counters_read(none, counters, slot);
    assert_true(!none[0] && !none[1] && !none[2]);
    wpg_counters_destroy(counters, true);
    assert_int_equal(fake.live, 0);
}

static void retired_slots(void **state)
{
    (void)state;
    retires(WPG_COUNTERS_HOST, 0, true);
    retires(WPG_COUNTERS_HOST, 0xfffffffe, true);
    retires(WPG_COUNTERS_DEVICE, 0, false); /* no host write reaches them */
}

/* A pipeline that was not made leaves nothing. */
static void unlisted_slots_go(void **state)
{
    (void)state;
    wpg_counters_vk vk = fake_vk();
    wpg_counters_config config = config_of(&two_types);
    wpg_counters *counters = create(&vk, &config);
    size_t first = 0;
    for (uint64_t i = 0; i < 10000; i++) { /* 4 MiB hold a fifth of them */
        wpg_counter_slot *slot;
        assert_int_equal(wpg_counters_claim(&slot, counters, (wpg_hash128){i, i}, NULL), WPG_OK);
        assert_int_equal(wpg_counters_place(counters, slot, 250, NULL), WPG_OK);
        first = first ? first : atomic_load(&slot->first);
        assert_int_equal(atomic_load(&slot->first), first);
        assert_false(wpg_counters_release(counters, slot));
    }
    wpg_counters_destroy(counters, true);
}

enum { THREADS = 8, PIPELINES = 50, ROUNDS = 400 };
static wpg_counters *shared;

/* Makes pipelines that others make too, and lets them go. What is not listed comes back with its last user:
 * no two threads see different slots of one hash at a time. */
static void *make_and_release(void *argument)
{
    uint64_t random = (uintptr_t)argument;
    for (int round = 0; round < ROUNDS; round++) {
        wpg_counter_slot *slot;
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        const size_t which = (size_t)(random >> 33) % PIPELINES;
        if (wpg_counters_claim(&slot, shared, (wpg_hash128){which % 7, which}, NULL) != WPG_OK ||
            wpg_counters_place(shared, slot, 1 + which, NULL) != WPG_OK)
            return "failed";
        if (!atomic_load(&slot->users) || slot->hash.high != which || atomic_load(&slot->count) != 1 + which)
            return "it is another's";
        (void)wpg_counters_release(shared, slot);
    }
    return NULL;
}

static void threads_agree(void **state)
{
    (void)state;
    wpg_counters_vk vk = fake_vk();
    wpg_counters_config config = config_of(&two_types);
    pthread_t threads[THREADS];
    shared = create(&vk, &config);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_and_release, (void *)(i + 1)), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    wpg_counters_destroy(shared, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_host),         cmocka_unit_test(on_the_device),
        cmocka_unit_test(cells_are_no_counts), cmocka_unit_test(stale_until_drained),
        cmocka_unit_test(torn_counter),        cmocka_unit_test(directory_leads),
        cmocka_unit_test(address_kinds),       cmocka_unit_test(no_memory),
        cmocka_unit_test(short_of_memory),     cmocka_unit_test(memory_types),
        cmocka_unit_test(retired_slots),       cmocka_unit_test(unlisted_slots_go),
        cmocka_unit_test(threads_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
