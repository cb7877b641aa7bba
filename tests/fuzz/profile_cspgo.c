/* Fuzzes the reader of context-sensitive sample profiles: what it takes, the writer writes again byte by
 * byte. */
#include "runtime/profile/cspgo_text.h"
#include "tests/fuzz/common/fuzz.h"

static const char seed[] =
    "[a:3 @ b:2 @ c]:30:10\n 1: 10\n 2: 0\n 3: 20 d:20\n !CFGChecksum: 1152921504606846975\n"
    "[d]:0:0\n !CFGChecksum: 0\n";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_seed("cspgo", seed, sizeof seed - 1);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wpg_arena arena;
    wpg_cspgo_record *records;
    size_t count;
    wpg_writer w = {0};
    wpg_arena_init(&arena);
    char *text = malloc(size + 1); /* so that a read behind the end is seen */
    fuzz_check(text != NULL, "memory");
    memcpy(text, data, size);
    if (wpg_cspgo_read(&records, &count, text, size, &arena, NULL) == WPG_OK) {
        for (size_t i = 0; i < count; i++)
            fuzz_check(wpg_cspgo_write(&w, &records[i], NULL) == WPG_OK, "what was read cannot be written");
        bool ends = size == 0 || text[size - 1] == '\n';
        fuzz_check(w.size == size + !ends && memcmp(w.data ? (char *)w.data : "", text, size) == 0,
                   "what was read is written otherwise");
    }
    free(text);
    wpg_writer_finish(&w);
    wpg_arena_finish(&arena);
    return 0;
}
