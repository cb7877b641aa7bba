#include "runtime/cli/common/spec_option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool wpg_spec_option(wpg_spec_value *value, const char *text)
{
    char *end;
    errno = 0;
    unsigned long id = strtoul(text, &end, 10);
    if (errno || end == text || *end != '=' || id > UINT32_MAX || !end[1])
        return false;
    const char *number = end + 1;
    *value = (wpg_spec_value){.constant_id = (uint32_t)id, .size = 4};
    if (strcmp(number, "true") == 0 || strcmp(number, "false") == 0) {
        value->bits = number[0] == 't';
        return true;
    }
    long long whole = strtoll(number, &end, 0);
    if (!errno && !*end && whole >= INT32_MIN && whole <= UINT32_MAX) {
        value->bits = (uint32_t)whole;
        return true;
    }
    errno = 0;
    float real = strtof(number, &end);
    uint32_t bits;
    memcpy(&bits, &real, sizeof bits);
    value->bits = bits;
    return !errno && !*end;
}
