/* Fuzzes the reader of what a killed process left: the input is the entries of a journal's one whole frame,
 * beside 4 KiB of counters. They become profiles, and nothing else is left; or all stays as it is, and there
 * is a message. Nothing is written outside the folder. */
#include <dirent.h>
#include <unistd.h>

#include "layer/profile/live.h"
#include "layer/base/map_codec.h"
#include "layer/profile/recover.h"
#include "runtime/base/hash.h"
#include "tests/fuzz/common/fuzz.h"

static char folder[64], journal[128], counters[136];

static void remove_folder(void)
{
    (void)rmdir(folder);
}

static void write_text(wpg_writer *out, const char *text)
{
    wpg_write_uleb(out, strlen(text));
    wpg_write_bytes(out, text, strlen(text));
}

static void write_seed(wpg_writer *out)
{
    static uint32_t lanes[] = {10, 11};
    static uint8_t methods[] = {WPG_METHOD_NAIVE, WPG_METHOD_NAIVE};
    static wpg_function_counters function = {.checksum = 0x0123456789abcdef,
                                             .kinds = WPG_KIND_LANES,
                                             .block_count = 2,
                                             .lanes = lanes,
                                             .methods = methods};
    static const wpg_counter_map map = {
        .functions = &function, .function_count = 1, .counter_count = 14, .slots = 1, .sample_rate = 1};
    wpg_write_u8(out, 'M');
    wpg_write_uleb(out, 1);
    write_text(out, "made.game.Game%203.device.driver.0%2E1%2E0#pipelines");
    wpg_write_u8(out, 'P');
    for (unsigned i = 0; i < 4; i++) /* device, first, count, rate */
        wpg_write_uleb(out, (const unsigned[]){1, 16, 14, 4}[i]);
    wpg_write_u64(out, 1), wpg_write_u64(out, 2), wpg_write_u8(out, 0);
    write_text(out, "a.profraw");
    wpg_write_uleb(out, 1);
    wpg_write_u64(out, 3), wpg_write_u64(out, 4);
    write_text(out, "comp");
    write_text(out, "main");
    wpg_map_encode(out, &map);
    wpg_write_u8(out, 'A');
    wpg_write_uleb(out, 1);
    wpg_write_u64(out, 1), wpg_write_u64(out, 2), wpg_write_u8(out, 1);
    write_text(out, "b.profraw");
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    wpg_writer out = {0};
    (void)argc, (void)argv;
    (void)snprintf(folder, sizeof folder, "/tmp/wavepgo-fuzz.XXXXXX");
    fuzz_check(mkdtemp(folder) != NULL && atexit(remove_folder) == 0, "no temporary folder");
    (void)snprintf(journal, sizeof journal, "%s/" WPG_LIVE_PREFIX "2147483646-0" WPG_LIVE_ENDING, folder);
    (void)snprintf(counters, sizeof counters, "%s.1", journal);
    write_seed(&out);
    fuzz_seed("journal", out.data, out.size);
    const size_t journal_size = out.size;
    wpg_write_u8(&out, 'E');
    wpg_write_uleb(&out, 1);
    wpg_write_u64(&out, 1), wpg_write_u64(&out, 2);
    for (unsigned i = 0; i < 17; i++) /* binds, counted ones, 14 values */
        wpg_write_uleb(&out, (const unsigned[]){8, 2, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 300, 5}[i % 14]);
    write_seed(&out); /* and made again */
    fuzz_seed("ended", out.data, out.size);
    out.size = journal_size;
    wpg_write_u8(&out, 'B');
    write_text(&out, "b.profraw");
    wpg_write_uleb(&out, 0);
    wpg_write_u8(&out, 'R');
    wpg_write_uleb(&out, 1);
    fuzz_seed("retired", out.data, out.size);
    wpg_writer_finish(&out);
    return 0;
}

static size_t empty_folder(void)
{
    size_t count = 0;
    DIR *listing = opendir(folder);
    for (const struct dirent *entry; listing && (entry = readdir(listing));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            count += unlinkat(dirfd(listing), entry->d_name, 0) == 0;
    if (listing)
        (void)closedir(listing);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t values[512] = {[20] = 7, [26] = 5, [27] = UINT64_MAX};
    wpg_writer out = {0};
    wpg_write_bytes(&out, WPG_LIVE_MAGIC, sizeof WPG_LIVE_MAGIC - 1);
    wpg_write_u32(&out, WPG_LIVE_FRAME);
    wpg_write_u32(&out, (uint32_t)size);
    wpg_write_u64(&out, wpg_hash64_bytes(data, size));
    wpg_write_bytes(&out, data, size);
    fuzz_check(wpg_file_write_atomic(journal, out.data, out.size, NULL) == WPG_OK &&
                   wpg_file_write_atomic(counters, values, sizeof values, NULL) == WPG_OK,
               "the input cannot be written");
    wpg_writer_finish(&out);
    wpg_recover_request request = {.type = WPG_RECOVER_MAGIC, .folder = folder};
    wpg_recover(&request);
    fuzz_check(request.runs + request.left == 1, "one journal is not one run");
    fuzz_check(request.left == 0 || request.why.message[0], "a failure without a message");
    bool kept = access(journal, F_OK) == 0 && access(counters, F_OK) == 0;
    fuzz_check(kept == (request.left == 1), "a journal that was read stays, or one that was not goes");
    size_t there = empty_folder();
    fuzz_check(request.left || there <= request.profiles, "more than profiles is left");
    return 0;
}
