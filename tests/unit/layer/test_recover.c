/* What a killed process left becomes profiles: nothing is lost, and nothing is counted twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "layer/base/map_codec.h"
#include "layer/profile/live.h"
#include "layer/profile/recover.h"
#include "runtime/base/file.h"
#include "runtime/base/hash.h"
#include "runtime/counters/recover.h"
#include "runtime/profile/pipeline_record.h"
#include "runtime/profile/profile_io.h"

enum { COUNTERS = 64 };

static char folder[64], journal[160];
static wpg_writer entries;          /* of the frame that is put together */
static wpg_writer file;             /* the journal */
static uint64_t counters[COUNTERS]; /* of device 1 */

static int start(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/wavepgo-test-recover-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(journal, sizeof journal, "%s/" WPG_LIVE_PREFIX "2147483646-0" WPG_LIVE_ENDING, folder);
    wpg_write_bytes(&file, WPG_LIVE_MAGIC, sizeof WPG_LIVE_MAGIC - 1);
    memset(counters, 0, sizeof counters);
    return 0;
}

static int stop(void **state)
{
    char command[128];
    (void)state;
    wpg_writer_finish(&entries);
    wpg_writer_finish(&file);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void write_text(const char *text)
{
    wpg_write_uleb(&entries, strlen(text));
    wpg_write_bytes(&entries, text, strlen(text));
}

static void write_hash(uint64_t low)
{
    wpg_write_u64(&entries, low);
    wpg_write_u64(&entries, ~low);
}

/* A pipeline of one stage of two blocks, whose lanes are the counters `first` and first + 1. */
static void made(uint64_t pipeline, unsigned first, const char *name)
{
    static uint32_t lanes[] = {0, 1};
    static uint8_t methods[] = {WPG_METHOD_NAIVE, WPG_METHOD_NAIVE};
    static wpg_function_counters function = {.checksum = 0x0123456789abcdef,
                                             .kinds = WPG_KIND_LANES,
                                             .block_count = 2,
                                             .lanes = lanes,
                                             .methods = methods};
    static const wpg_counter_map map = {
        .functions = &function, .function_count = 1, .counter_count = 2, .slots = 1, .sample_rate = 1};
    wpg_write_u8(&entries, 'P');
    for (unsigned i = 0; i < 4; i++) /* device, first, count, rate */
        wpg_write_uleb(&entries, (const unsigned[]){1, first, 2, 0}[i]);
    write_hash(pipeline);
    wpg_write_u8(&entries, 0);
    write_text(name);
    wpg_write_uleb(&entries, 1);
    write_hash(pipeline + 1000);
    write_text("comp");
    write_text("main");
    wpg_map_encode(&entries, &map);
}

static void assigned(uint64_t pipeline, bool first_run, const char *name)
{
    wpg_write_u8(&entries, 'A');
    wpg_write_uleb(&entries, 1);
    write_hash(pipeline);
    wpg_write_u8(&entries, first_run);
    write_text(name);
}

static void ended(uint64_t pipeline, uint64_t one, uint64_t other)
{
    wpg_write_u8(&entries, 'E');
    wpg_write_uleb(&entries, 1);
    write_hash(pipeline);
    for (unsigned i = 0; i < 5; i++) /* binds, counted ones, values */
        wpg_write_uleb(&entries, (const uint64_t[]){0, 0, 2, one, other}[i]);
}

static void end_frame(void)
{
    wpg_write_u32(&file, WPG_LIVE_FRAME);
    wpg_write_u32(&file, (uint32_t)entries.size);
    wpg_write_u64(&file, wpg_hash64_bytes(entries.data, entries.size));
    wpg_write_bytes(&file, entries.data, entries.size);
    wpg_writer_finish(&entries);
    entries = (wpg_writer){0};
}

/* The profile that is there afterwards; the rest is gone. */
static wpg_profile *recovered(size_t cut, size_t profiles)
{
    char path[192];
    (void)snprintf(path, sizeof path, "%s.1", journal);
    assert_int_equal(wpg_file_write_atomic(journal, file.data, file.size - cut, NULL), WPG_OK);
    assert_int_equal(wpg_file_write_atomic(path, counters, sizeof counters, NULL), WPG_OK);
    wpg_recover_request request = {.type = WPG_RECOVER_MAGIC, .folder = folder};
    wpg_recover(&request);
    if (request.left)
        fail_msg("%s", request.why.message);
    assert_int_equal(request.runs, 1);
    assert_int_equal(request.profiles, profiles);
    assert_int_equal(access(journal, F_OK), -1);
    wpg_profile *profile = wpg_profile_create();
    (void)snprintf(path, sizeof path, "%s/all.profraw", folder);
    if (profiles)
        assert_int_equal(wpg_profile_read_file(profile, NULL, path, NULL), WPG_OK);
    return profile;
}

/* Lanes of the two blocks of a pipeline's stage, and how often its run was counted. */
static void expect(const wpg_profile *profile, uint64_t pipeline, uint64_t one, uint64_t other)
{
    char hex[WPG_HASH_HEX + 1], name[128], prefix[WPG_HASH_HEX + 16];
    const wpg_hash128 shader = {pipeline + 1000, ~(pipeline + 1000)};
    wpg_hash_to_hex(hex, shader);
    (void)snprintf(name, sizeof name, "%s.comp.main#lanes", hex);
    const wpg_profile_record *record =
        wpg_profile_find(profile, name, 0x0123456789abcdef & WPG_PROFILE_HASH_MASK);
    assert_non_null(record);
    assert_int_equal(record->counters[0], one);
    assert_int_equal(record->counters[1], other);
    uint64_t runs = 0;
    wpg_hash_to_hex(hex, (wpg_hash128){pipeline, ~pipeline});
    (void)snprintf(prefix, sizeof prefix, "pipeline.%s.", hex);
    for (size_t i = 0; i < wpg_profile_count(profile); i++)
        if (strncmp(wpg_profile_at(profile, i)->name, prefix, strlen(prefix)) == 0)
            runs += wpg_profile_at(profile, i)->counters[WPG_PIPELINE_RUNS];
    assert_int_equal(runs, 1);
}

/* The counters of an ended pipeline are another's; made again it goes on; the last frame may be cut. */
static void ended_pipelines(void **state)
{
    (void)state;
    made(1, 10, "all.profraw");
    assigned(1, true, "all.profraw");
    end_frame();
    ended(1, 7, 3);
    end_frame();
    made(2, 10, "all.profraw");
    assigned(2, true, "all.profraw");
    end_frame();
    made(1, 12, "all.profraw");
    assigned(1, false, "all.profraw");
    end_frame();
    counters[10] = 100;
    counters[11] = 50;
    counters[12] = 20;
    counters[13] = 1;
    wpg_profile *profile = recovered(0, 1);
    expect(profile, 1, 27, 4);
    expect(profile, 2, 100, 50);
    wpg_profile_destroy(profile);
    /* Killed before the end of the second was written down: its counters are still its own. */
    ended(2, 999, 999);
    end_frame();
    profile = recovered(1, 1);
    expect(profile, 1, 27, 4);
    expect(profile, 2, 100, 50);
    wpg_profile_destroy(profile);
}

/* Without an A entry the first of a hash counts the run. */
static void not_assigned(void **state)
{
    (void)state;
    made(1, 10, "all.profraw");
    ended(1, 1, 1);
    made(1, 10, "all.profraw");
    end_frame();
    counters[10] = counters[11] = 5;
    wpg_profile *profile = recovered(0, 1);
    expect(profile, 1, 6, 6);
    wpg_profile_destroy(profile);
}

/* The device is gone: what ended before counts, its counters do not. What is in a pool does not. */
static void devices_and_pools(void **state)
{
    (void)state;
    made(1, 10, "all.profraw");
    ended(1, 7, 3);
    made(2, 12, "all.profraw");
    ended(2, 8, 4);
    wpg_write_u8(&entries, 'R');
    wpg_write_uleb(&entries, 1);
    end_frame();
    counters[10] = counters[12] = 1000;
    wpg_profile *profile = recovered(0, 1);
    expect(profile, 1, 7, 3);
    expect(profile, 2, 8, 4);
    wpg_profile_destroy(profile);
    wpg_write_u8(&entries, 'B');
    write_text("all.profraw");
    wpg_write_uleb(&entries, 0);
    end_frame();
    wpg_profile_destroy(recovered(0, 0));
}

/* An end of nobody, or of other counters, is no journal: it stays. */
static void malformed(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        wpg_writer_finish(&file);
        file = (wpg_writer){0};
        wpg_write_bytes(&file, WPG_LIVE_MAGIC, sizeof WPG_LIVE_MAGIC - 1);
        made(1, 10, "all.profraw");
        ended(which == 0 ? 2 : 1, 1, 1);
        if (which == 1)
            ended(1, 1, 1);
        if (which == 2)
            wpg_write_u8(&entries, 'E');
        end_frame();
        assert_int_equal(wpg_file_write_atomic(journal, file.data, file.size, NULL), WPG_OK);
        wpg_recover_request request = {.type = WPG_RECOVER_MAGIC, .folder = folder};
        wpg_recover(&request);
        assert_int_equal(request.left, 1);
        assert_true(request.why.message[0]);
        assert_int_equal(access(journal, F_OK), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ended_pipelines, start, stop),
        cmocka_unit_test_setup_teardown(not_assigned, start, stop),
        cmocka_unit_test_setup_teardown(devices_and_pools, start, stop),
        cmocka_unit_test_setup_teardown(malformed, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
