/* Stands in for libFuzzer where the compiler has none: runs every file of the folders given once, and, for a
 * fuzzer that has a mutator, so many mutations of each; the same ones in every run.
 *
 *     fuzz_NAME FOLDER... [-rounds=N] */
#include <dirent.h>

#include "tests/fuzz/common/fuzz.h"

#pragma weak LLVMFuzzerInitialize
#pragma weak LLVMFuzzerCustomMutator

enum { MOST = 1 << 16 };
static unsigned inputs;
static uint32_t state;

/* A byte or two change. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    for (unsigned i = 0; size && size <= most && i < 2; i++) {
        state = state * 1664525u + 1013904223u;
        data[(uint64_t)state * size >> 32] ^= (uint8_t)(state >> 8);
    }
    return size;
}

static void run_file(const char *path, unsigned rounds)
{
    static uint8_t mutated[MOST];
    uint8_t *data;
    size_t size;
    wpg_error err = {0};
    (void)fprintf(stderr, "%s\n", path); /* the last line names what crashed */
    fuzz_check(wpg_file_read(&data, &size, path, MOST, &err) == WPG_OK, err.message);
    (void)LLVMFuzzerTestOneInput(data, size);
    inputs++;
    for (unsigned round = 0; LLVMFuzzerCustomMutator && round < rounds; round++) {
        memcpy(mutated, data, size);
        state = round;
        (void)LLVMFuzzerTestOneInput(mutated, LLVMFuzzerCustomMutator(mutated, size, MOST, round));
    }
    free(data);
}

static void run_folder(const char *folder, unsigned rounds)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            run_file(path, rounds);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

int main(int argc, char **argv)
{
    unsigned rounds = 4;
    if (LLVMFuzzerInitialize)
        (void)LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "-rounds=", 8) == 0)
            rounds = (unsigned)strtoul(argv[i] + 8, NULL, 10);
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-')
            run_folder(argv[i], rounds);
    (void)printf("%u inputs, each mutated %u times\n", inputs, LLVMFuzzerCustomMutator ? rounds : 0);
    return inputs == 0;
}
