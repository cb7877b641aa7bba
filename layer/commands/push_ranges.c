/* Ranges of push constants: which words they have, and which layouts are compatible by them. */
#include <stdlib.h>
#include <string.h>

#include "layer/commands/record.h"
#include "runtime/base/hash.h"

uint64_t wpg_record_words(uint32_t offset, uint32_t size)
{
    uint64_t words = 0;
    for (uint32_t i = offset / 4; i < WPG_PUSH_WORDS && i * 4 + 4 <= (uint64_t)offset + size; i++)
        words |= UINT64_C(1) << i;
    return words;
}

static int by_content(const void *left, const void *right)
{
    const VkPushConstantRange *a = left, *b = right;
    if (a->stageFlags != b->stageFlags)
        return a->stageFlags < b->stageFlags ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->size < b->size ? -1 : a->size > b->size;
}

bool wpg_record_ranges(uint64_t *signature, uint64_t *words, const VkPushConstantRange *ranges,
                       uint32_t count)
{
    *signature = *words = 0; /* as of a layout without any */
    if (!count)
        return true;
    VkPushConstantRange *sorted = calloc(count, sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, ranges, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_content);
    *signature = wpg_hash64_bytes(sorted, count * sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        *words |= wpg_record_words(sorted[i].offset, sorted[i].size);
    free(sorted);
    return true;
}
