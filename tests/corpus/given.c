/* See given.h. */
#include "tests/corpus/given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"

struct given {
    char *text;
};

given *given_read(const char *module_path)
{
    char path[4096];
    uint8_t *data;
    size_t size;
    given *to;
    const size_t length = strlen(module_path);
    if (length < 5 || length >= sizeof path || strcmp(module_path + length - 4, ".spv") != 0)
        return NULL;
    (void)snprintf(path, sizeof path, "%.*s.data", (int)(length - 4), module_path);
    if (wpg_file_read(&data, &size, path, (size_t)1 << 20, NULL) != WPG_OK)
        return NULL;
    to = malloc(sizeof *to);
    if (to)
        to->text = (char *)data; /* one zero byte follows */
    else
        free(data);
    return to;
}

void given_drop(given *from)
{
    if (from)
        free(from->text);
    free(from);
}

static void apply_line(const char *numbers, uint8_t *bytes, size_t size, size_t stride, bool real)
{
    size_t at = 0;
    while (*numbers && *numbers != '\n' && at + 4 <= size) {
        char *end;
        const float number = strtof(numbers, &end);
        uint32_t bits = 0;
        if (real)
            memcpy(&bits, &number, sizeof bits);
        else
            bits = (uint32_t)strtoll(numbers, &end, 10);
        if (end == numbers)
            return;
        memcpy(bytes + at, &bits, sizeof bits);
        at += stride;
        numbers = end;
        while (*numbers == ' ')
            numbers++;
    }
}

bool given_apply(const given *from, uint8_t *bytes, size_t size, uint32_t set, uint32_t binding)
{
    bool found = false;
    for (const char *line = from ? from->text : ""; *line;
         line += strcspn(line, "\n"), line += *line == '\n') {
        unsigned of_set, of_binding, stride;
        char type[8];
        int end = 0;
        if (strncmp(line, "push ", 5) == 0) {
            of_set = GIVEN_PUSH;
            if (sscanf(line, "push %u %u %7s%n", &of_binding, &stride, type, &end) != 3)
                continue;
        } else if (sscanf(line, "%u %u %u %7s%n", &of_set, &of_binding, &stride, type, &end) != 4) {
            continue;
        }
        if (of_set != set || of_binding != binding)
            continue;
        apply_line(line + end, bytes, size, stride ? stride : 4, strcmp(type, "float") == 0);
        found = true;
    }
    return found;
}
