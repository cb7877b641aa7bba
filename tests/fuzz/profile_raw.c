/* Fuzzes the reader of raw profiles, all versions. */
#include "tests/fuzz/common/profile.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const wpg_profile_format formats[] = {WPG_PROFILE_RAW_8, WPG_PROFILE_RAW_9, WPG_PROFILE_RAW_10,
                                          WPG_PROFILE_RAW_11};
    (void)argc, (void)argv;
    fuzz_seeds(formats, sizeof formats / sizeof formats[0]);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(wpg_raw_read, data, size, WPG_PROFILE_RAW_10);
    return 0;
}
