/* The document that the parts of the examination fill. */
#include "runtime/cli/doctor/doctor.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void wpg_doctor_set(json_t *object, const char *key, const char *text)
{
    /* Paths and names may be anything: what is no UTF-8 is shown byte by byte. */
    json_t *value = text ? json_string(text) : json_null();
    if (!value) {
        size_t length = strlen(text), used = 0;
        char *safe = malloc(length + 1);
        for (size_t i = 0; safe && i < length; i++)
            safe[used++] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
        if (safe)
            safe[used] = '\0';
        value = json_string(safe ? safe : "?");
        free(safe);
    }
    (void)json_object_set_new(object, key, value);
}

static void say(json_t *list, const char *advice, const char *fmt, va_list args)
{
    char text[4096];
    (void)vsnprintf(text, sizeof text, fmt, args);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *said = json_string_value(json_object_get(json_array_get(list, i), "what"));
        if (said && strcmp(said, text) == 0)
            return;
    }
    json_t *item = json_object();
    wpg_doctor_set(item, "what", text);
    wpg_doctor_set(item, "do", advice);
    (void)json_array_append_new(list, item);
}

void wpg_doctor_problem(wpg_doctor *doctor, const char *advice, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(doctor->problems, advice, fmt, args);
    va_end(args);
}

void wpg_doctor_note(wpg_doctor *doctor, const char *advice, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(doctor->notes, advice, fmt, args);
    va_end(args);
}

const char *wpg_doctor_message(const char *line)
{
    const char *at = strncmp(line, "wavepgo: ", 9) == 0 ? strchr(line + 9, ':') : NULL;
    return at && at[1] == ' ' ? at + 2 : line;
}
