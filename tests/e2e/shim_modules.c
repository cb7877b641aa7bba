#include "tests/e2e/shim_modules.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the record file's */

static uint64_t hash_words(const uint32_t *words, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes / 4; i++)
        hash = (hash ^ words[i]) * 0x100000001b3u;
    return hash;
}

static bool known(uint64_t hash)
{
    const char *path = getenv("SHIM_KNOWN");
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file)
        return true;
    bool found = false;
    unsigned long long line;
    while (!found && fscanf(file, "%llx", &line) == 1)
        found = line == hash;
    fclose(file);
    return found;
}

bool shim_look_at(const VkShaderModuleCreateInfo *info)
{
    uint64_t hash = hash_words(info->pCode, info->codeSize);
    const char *record = getenv("SHIM_RECORD");
    if (record) {
        pthread_mutex_lock(&lock);
        FILE *file = fopen(record, "a");
        if (file) {
            fprintf(file, "%016llx\n", (unsigned long long)hash);
            fclose(file);
        }
        pthread_mutex_unlock(&lock);
    }
    return !known(hash);
}

uint32_t *shim_miscounting(const VkShaderModuleCreateInfo *info, int n)
{
    enum { EXCHANGE = 229, ADD = 234, HEADER = 5 };
    uint32_t *words = malloc(info->codeSize);
    if (words)
        memcpy(words, info->pCode, info->codeSize);
    for (size_t at = HEADER; words && at < info->codeSize / 4 && words[at] >> 16; at += words[at] >> 16)
        if ((words[at] & 0xffff) == ADD && --n == 0) {
            words[at] = (words[at] & 0xffff0000u) | EXCHANGE;
            return words;
        }
    free(words);
    return NULL;
}
