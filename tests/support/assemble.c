/* See assemble.h. */
#include "tests/support/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0;
    if (!file)
        return NULL;
    for (size_t got = 1; got;) {
        char *grown = realloc(text, size + 4096 + 1);
        if (!grown)
            break;
        text = grown;
        got = fread(text + size, 1, 4096, file);
        size += got;
        text[size] = 0;
    }
    fclose(file);
    return text;
}

static bool write_all(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(text, 1, strlen(text), file) == strlen(text);
    return file && fclose(file) == 0 && written;
}

static bool read_words(uint32_t **words, size_t *count, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    *words = size > 0 ? malloc((size_t)size) : NULL;
    *count = *words ? fread(*words, sizeof(uint32_t), (size_t)size / sizeof(uint32_t), file) : 0;
    fclose(file);
    if (*count)
        return true;
    free(*words);
    return false;
}

/* Runs `command` with the names of a file holding `text` and of its output; reads the output. */
static bool assemble(uint32_t **words, size_t *count, const char *text, const char *command)
{
    char folder[] = "/tmp/assemble-XXXXXX", line[1024], in[64], out[64], log[64];
    if (!mkdtemp(folder))
        return false;
    snprintf(in, sizeof in, "%s/in", folder);
    snprintf(out, sizeof out, "%s/out.spv", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(line, sizeof line, "%s -o %s %s >%s 2>&1", command, out, in, log);
    bool done = write_all(in, text) && system(line) == 0 && read_words(words, count, out);
    if (!done) {
        char *said = read_text(log);
        fprintf(stderr, "%s\n%s\n", line, said ? said : "");
        free(said);
    }
    unlink(in);
    unlink(out);
    unlink(log);
    rmdir(folder);
    return done;
}

bool assemble_glsl(uint32_t **words, size_t *count, const char *source, const char *stage, const char *target)
{
    char command[256];
    snprintf(command, sizeof command, "glslangValidator -V --quiet -S %s --target-env %s", stage, target);
    return assemble(words, count, source, command);
}

bool assemble_text(uint32_t **words, size_t *count, const char *text, const char *target)
{
    char command[256];
    snprintf(command, sizeof command, "spirv-as --preserve-numeric-ids --target-env %s", target);
    return assemble(words, count, text, command);
}
