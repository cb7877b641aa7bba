/* The names of a compute shader:
 *
 *     e2e_old_name FILE.spv ENTRY
 *
 * prints its hash, and the hash that the version of identity before this one gave it. */
#include <stdio.h>
#include <stdlib.h>

#include "compiler/spirv/stage.h"
#include "runtime/base/file.h"

int main(int argc, char **argv)
{
    uint8_t *bytes;
    size_t size;
    wpg_error err = {0};
    wpg_module *module;
    wpg_hash128 now, before;
    char hex[2][WPG_HASH_HEX + 1];
    if (argc != 3)
        return 2;
    const wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = argv[2]};
    if (wpg_file_read(&bytes, &size, argv[1], (size_t)WPG_SPIRV_MAX_WORDS * 4, &err) != WPG_OK ||
        wpg_module_parse(&module, (const uint32_t *)(const void *)bytes, size / 4, &err) != WPG_OK ||
        wpg_shader_hash(&now, module, &stage, &err) != WPG_OK ||
        wpg_shader_hash_before(&before, module, &stage, &err) != WPG_OK) {
        fprintf(stderr, "e2e_old_name: %s\n", err.message);
        return 1;
    }
    wpg_hash_to_hex(hex[0], now);
    wpg_hash_to_hex(hex[1], before);
    printf("%s %s\n", hex[0], hex[1]);
    wpg_module_destroy(module);
    free(bytes);
    return 0;
}
