#include "tests/support/disassemble.h"

#include <string.h>

#include <spirv-tools/libspirv.h>

/* The newest, where the version cannot be read. */
static spv_target_env environment_of(const uint32_t *words, size_t count)
{
    static const spv_target_env by_minor[] = {
        SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2, SPV_ENV_UNIVERSAL_1_3,
        SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6};
    const uint32_t minor = count > 1 ? words[1] >> 8 & 0xff : 6;
    return by_minor[minor < 6 ? minor : 6];
}

char *disassemble(const uint32_t *words, size_t count)
{
    const uint32_t how = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
    spv_context context = spvContextCreate(environment_of(words, count));
    spv_diagnostic diagnostic = NULL;
    spv_text text = NULL;
    char *copy = NULL;
    if (context && spvBinaryToText(context, words, count, how, &text, &diagnostic) == SPV_SUCCESS)
        copy = strdup(text->str);
    spvTextDestroy(text);
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return copy;
}
