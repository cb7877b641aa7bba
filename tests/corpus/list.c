/* See list.h. */
#include "tests/corpus/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char **list_names(size_t *count, int argc, char **argv)
{
    size_t room = 1 << 16;
    char **files = calloc(room, sizeof *files), line[4096];
    *count = 0;
    for (int i = 0; files && i < argc && *count < room; i++)
        if (strcmp(argv[i], "-") != 0)
            files[(*count)++] = argv[i];
        else
            while (*count < room && fgets(line, sizeof line, stdin)) {
                line[strcspn(line, "\n")] = 0;
                files[(*count)++] = strdup(line);
            }
    return files;
}
