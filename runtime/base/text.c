#include "runtime/base/text.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* glibc has this locale built in: nothing is allocated, nothing is to be freed. */
static locale_t c_locale;
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* The thread's locale until now; 0 when there is nothing to put back. */
static locale_t enter(void)
{
    (void)pthread_once(&made, make_locale);
    return c_locale ? uselocale(c_locale) : (locale_t)0;
}

static void leave(locale_t before)
{
    int saved = errno;
    if (before)
        (void)uselocale(before);
    errno = saved;
}

int wpg_format_list(char *buffer, size_t size, const char *fmt, va_list args)
{
    locale_t before = enter();
    int length = vsnprintf(buffer, size, fmt, args);
    leave(before);
    return length;
}

int wpg_format(char *buffer, size_t size, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int length = wpg_format_list(buffer, size, fmt, args);
    va_end(args);
    return length;
}

bool wpg_parse_real(double *out, const char *text)
{
    char *end;
    locale_t before = enter();
    errno = 0;
    *out = strtod(text, &end);
    bool good = errno == 0;
    leave(before);
    return good && end != text && *end == '\0' && *out == *out;
}

char wpg_upper(char letter)
{
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

bool wpg_same_start(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (wpg_upper(a[i]) != wpg_upper(b[i]))
            return false;
        if (!a[i])
            return true;
    }
    return true;
}

bool wpg_same_word(const char *a, const char *b)
{
    return wpg_same_start(a, b, (size_t)-1);
}

size_t wpg_escape_controls(char *out, const char *text, size_t length, unsigned char *before)
{
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        bool c0 = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
        bool c1 =
            c >= 0x80 && c < 0xa0 && (*before < 0x80 || *before == 0xc2); /* else it continues a letter */
        if (c0 || c1) {
            const char escaped[] = {'\\', 'x', digits[c >> 4], digits[c & 15]};
            for (size_t k = 0; k < sizeof escaped; k++)
                out[used++] = escaped[k];
        } else
            out[used++] = (char)c;
        *before = c;
    }
    out[used] = '\0';
    return used;
}
