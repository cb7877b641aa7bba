/* Fuzzes the reader of text profiles. */
#include "tests/fuzz/common/profile.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const wpg_profile_format formats[] = {WPG_PROFILE_TEXT};
    (void)argc, (void)argv;
    fuzz_seeds(formats, sizeof formats / sizeof formats[0]);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(wpg_text_read, data, size, WPG_PROFILE_TEXT);
    return 0;
}
