/* Formats numbers for people and strings for JSON. */
#include "runtime/report/text/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *wpg_group_digits(char *buffer, uint64_t value)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *to = buffer;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

/* The character at `at`, and its length in bytes: UTF-8, else the byte as Latin-1. */
static uint32_t character(size_t *length, const unsigned char *at)
{
    const size_t more = at[0] >= 0xf0 && at[0] < 0xf5   ? 3
                        : at[0] >= 0xe0 && at[0] < 0xf0 ? 2
                        : at[0] >= 0xc2 && at[0] < 0xe0 ? 1
                                                        : 0;
    uint32_t code = more ? at[0] & (0x3fu >> more) : at[0];
    *length = 1;
    for (size_t i = 1; i <= more; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return at[0];
        code = code << 6 | (at[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return at[0];
    *length = 1 + more;
    return code;
}

void wpg_json_string(FILE *out, const char *text)
{
    enum { SURROGATES = 0x10000 };
    size_t length;
    (void)fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at; at += length) {
        const uint32_t c = character(&length, at);
        if (c == '"' || c == '\\')
            (void)fprintf(out, "\\%c", (int)c);
        else if (c >= SURROGATES)
            (void)fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((c - SURROGATES) >> 10),
                          0xdc00 + ((c - SURROGATES) & 0x3ff));
        else if (c < 0x20 || c >= 0x7f || c == '<') /* ASCII alone; no tag in a page's script */
            (void)fprintf(out, "\\u%04x", c);
        else
            (void)fputc((int)c, out);
    }
    (void)fputc('"', out);
}

void wpg_csv_string(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        (void)fputs(text, out);
        return;
    }
    (void)fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

void wpg_html_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            (void)fputs("&lt;", out);
            break;
        case '>':
            (void)fputs("&gt;", out);
            break;
        case '&':
            (void)fputs("&amp;", out);
            break;
        case '"':
            (void)fputs("&quot;", out);
            break;
        default:
            (void)fputc((unsigned char)*text < 0x20 && *text != '\t' ? ' ' : *text, out);
            break;
        }
}
