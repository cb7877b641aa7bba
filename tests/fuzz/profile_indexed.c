/* Fuzzes the reader of indexed profiles. A name must agree with its hash, which a fuzzer does not find by
 * itself: the seeds hold agreeing ones. */
#include "tests/fuzz/common/profile.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const wpg_profile_format formats[] = {WPG_PROFILE_INDEXED};
    (void)argc, (void)argv;
    fuzz_seeds(formats, sizeof formats / sizeof formats[0]);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(wpg_indexed_read, data, size, WPG_PROFILE_INDEXED);
    return 0;
}
