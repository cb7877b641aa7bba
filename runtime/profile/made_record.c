#include "runtime/profile/made_record.h"

#include <string.h>

static const char prefix[] = "made.", suffix[] = "#pipelines";
static const char digits[] = "0123456789ABCDEF";

const char *wpg_made_part_name(wpg_made_part part)
{
    static const char *const names[WPG_MADE_PARTS] = {[WPG_MADE_PROGRAM] = "program",
                                                      [WPG_MADE_APPLICATION] = "application",
                                                      [WPG_MADE_DEVICE] = "device",
                                                      [WPG_MADE_DRIVER] = "driver",
                                                      [WPG_MADE_WAVEPGO] = "wavepgo"};
    return names[part];
}

static bool is_plain(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

void wpg_made_record_compose(char name[WPG_MADE_NAME], const wpg_made *made)
{
    size_t used = sizeof prefix - 1;
    memcpy(name, prefix, used);
    for (int part = 0; part < WPG_MADE_PARTS; part++) {
        if (part)
            name[used++] = '.';
        for (size_t i = 0; i + 1 < WPG_MADE_TEXT && made->parts[part][i]; i++) {
            const char c = made->parts[part][i];
            if (is_plain(c)) {
                name[used++] = c;
                continue;
            }
            name[used++] = '%';
            name[used++] = digits[(unsigned char)c >> 4];
            name[used++] = digits[(unsigned char)c & 15];
        }
    }
    memcpy(name + used, suffix, sizeof suffix);
}

/* The part at *at, up to `end` or a dot; *at then stands behind it. False: no part that compose writes. */
static bool read_part(char text[WPG_MADE_TEXT], const char **at, const char *end)
{
    size_t length = 0;
    while (*at < end && **at != '.') {
        char c = *(*at)++;
        if (c == '%') {
            const char *high = end - *at >= 2 && **at ? strchr(digits, (*at)[0]) : NULL;
            const char *low = high && (*at)[1] ? strchr(digits, (*at)[1]) : NULL;
            if (!low)
                return false;
            c = (char)((high - digits) << 4 | (low - digits));
            *at += 2;
            if (!c || is_plain(c))
                return false;
        } else if (!is_plain(c))
            return false;
        if (length + 1 >= WPG_MADE_TEXT)
            return false;
        text[length++] = c;
    }
    text[length] = '\0';
    return true;
}

bool wpg_made_record_parse(wpg_made *made, const char *name)
{
    const size_t length = strlen(name);
    if (length < sizeof prefix + sizeof suffix - 2 || strncmp(name, prefix, sizeof prefix - 1) != 0 ||
        strcmp(name + length - (sizeof suffix - 1), suffix) != 0)
        return false;
    const char *at = name + sizeof prefix - 1, *end = name + length - (sizeof suffix - 1);
    for (int part = 0; part < WPG_MADE_PARTS; part++) {
        if (part && (at == end || *at++ != '.'))
            return false;
        if (!read_part(made->parts[part], &at, end))
            return false;
    }
    return at == end;
}
