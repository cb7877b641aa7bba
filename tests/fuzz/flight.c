/* Fuzzes the reader of flight records, which processes leave that a driver crashed: what is read is within
 * its bounds, and no pipeline is there twice. */
#include "runtime/bundle/flight.h"
#include "tests/fuzz/common/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    wpg_flight_page page = {
        .magic = WPG_FLIGHT_MAGIC, .order = WPG_FLIGHT_ORDER, .mode = "generate", .program = "game"};
    (void)argc, (void)argv;
    page.slots[1] = page.slots[7] = (wpg_hash128){1, 2};
    page.slots[9] = (wpg_hash128){3, 0};
    fuzz_seed("record", &page, sizeof page);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wpg_flight flight;
    if (wpg_flight_read(&flight, data, size, NULL) != WPG_OK)
        return 0;
    fuzz_check(flight.count <= WPG_FLIGHT_SLOTS, "too many pipelines");
    fuzz_check(strlen(flight.mode) < sizeof flight.mode && strlen(flight.program) < sizeof flight.program,
               "a text without an end");
    for (size_t i = 0; i < flight.count; i++) {
        fuzz_check(flight.pipelines[i].low || flight.pipelines[i].high, "a free slot");
        for (size_t k = 0; k < i; k++)
            fuzz_check(!wpg_hash_equal(flight.pipelines[i], flight.pipelines[k]), "a pipeline twice");
    }
    return 0;
}
