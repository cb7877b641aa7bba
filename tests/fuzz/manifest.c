/* Fuzzes the reader of JSON that others write: layer manifests. */
#include "runtime/cli/common/manifest.h"
#include "tests/fuzz/common/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    wpg_manifest manifest = {0};
    wpg_error err = {0};
    char *text = NULL;
    wpg_status status = wpg_manifest_read(&manifest, path, &err);
    fuzz_check(status == WPG_OK || err.message[0], "a failure without a message");
    if (status == WPG_OK) {
        for (size_t i = 0; i < manifest.count; i++)
            (void)wpg_is_own_layer(manifest.layers[i].name);
        wpg_manifest_finish(&manifest);
    }
    if (wpg_manifest_with_library(&text, path, "/usr/lib/libVkLayer_wavepgo.so", NULL) == WPG_OK)
        fuzz_check(text != NULL, "no text");
    free(text);
    return 0;
}
