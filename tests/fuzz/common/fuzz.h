/* What all fuzzers share. A fuzzer is one file tests/fuzz/NAME.c with LLVMFuzzerTestOneInput; its seeds lie
 * in tests/fuzz/corpus. Built with clang and WPG_FUZZ it is a libFuzzer program, else it runs the seeds once
 * (standalone.c). run.sh runs either. Threads: none. */
#ifndef WPG_TESTS_FUZZ_H
#define WPG_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"

/* libFuzzer's interface (LLVM documentation, "libFuzzer"). */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* What must hold for every input; else the input is a finding. */
static inline void fuzz_check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* A copy with a zero byte behind it, on the heap so that a read behind that is seen. The caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_check(text != NULL, "memory");
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* Writes a seed into the folder that WPG_FUZZ_SEEDS names, if it does. Fuzzers whose seeds are not written by
 * hand give them as they begin: mkdir new && WPG_FUZZ_SEEDS=new fuzz_NAME -runs=0 */
static inline void fuzz_seed(const char *name, const void *data, size_t size)
{
    const char *folder = getenv("WPG_FUZZ_SEEDS");
    char path[4096];
    if (!folder)
        return;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    fuzz_check(wpg_file_write_atomic(path, data, size, NULL) == WPG_OK, "a seed cannot be written");
}

/* The path of a file that holds the bytes, for readers that want one; the same file each time. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
