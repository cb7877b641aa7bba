#include "compiler/amdgpu/flow/blocks.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "runtime/base/hash.h"

static bool collect(wpg_blocks *b, LLVMValueRef function)
{
    b->count = LLVMCountBasicBlocks(function);
    b->blocks = malloc((b->count + 1) * sizeof *b->blocks);
    b->first = malloc((b->count + 1) * sizeof *b->first);
    b->header = calloc(b->count + 1, sizeof *b->header);
    b->depth = calloc(b->count + 1, sizeof *b->depth);
    if (!b->blocks || !b->first || !b->header || !b->depth)
        return false;
    LLVMGetBasicBlocks(function, b->blocks);
    size_t edges = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b->blocks[i]);
        b->first[i] = (uint32_t)edges;
        edges += end ? LLVMGetNumSuccessors(end) : 0;
        if (!wpg_map_set(&b->index, (uint64_t)(uintptr_t)b->blocks[i], i))
            return false;
    }
    b->first[b->count] = (uint32_t)edges;
    b->to = malloc((edges + 1) * sizeof *b->to);
    if (!b->to)
        return false;
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t e = b->first[i]; e < b->first[i + 1]; e++)
            b->to[e] = wpg_blocks_index(
                b, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(b->blocks[i]), e - b->first[i]));
    return true;
}

/* The words: number of blocks, then of each block the number of successors and these. */
static bool sum(wpg_blocks *b)
{
    size_t edges = b->first[b->count], n = 0;
    uint32_t *words = malloc((1 + b->count + edges) * sizeof *words);
    if (!words)
        return false;
    words[n++] = b->count;
    for (uint32_t i = 0; i < b->count; i++) {
        words[n++] = b->first[i + 1] - b->first[i];
        for (uint32_t e = b->first[i]; e < b->first[i + 1]; e++)
            words[n++] = b->to[e];
    }
    b->checksum = wpg_hash64_bytes(words, n * sizeof *words) & ((UINT64_C(1) << 60) - 1);
    free(words);
    return true;
}

/* The blocks of the loop round the back edge from -> header, one deeper: those from which `from` is reached
 * without passing the header. A header with several back edges is one loop: `inside` is marked with its
 * number. */
static void deepen(wpg_blocks *b, uint32_t from, uint32_t header, uint32_t *inside, uint32_t *stack)
{
    uint32_t n = 0;
    if (inside[header] != header + 1) {
        inside[header] = header + 1;
        b->depth[header]++;
    }
    stack[n++] = from;
    while (n) {
        uint32_t at = stack[--n];
        if (inside[at] == header + 1)
            continue;
        inside[at] = header + 1;
        b->depth[at]++;
        for (uint32_t p = 0; p < b->count; p++) /* few blocks: no lists of predecessors */
            for (uint32_t e = b->first[p]; e < b->first[p + 1]; e++)
                if (b->to[e] == at && inside[p] != header + 1 && (!n || stack[n - 1] != p))
                    stack[n++] = p;
    }
}

static bool find_loops(wpg_blocks *b)
{
    size_t edges = b->first[b->count];
    enum { NEW, OPEN, DONE };
    uint8_t *state = calloc(b->count + 1, 1), *back = calloc(edges + 1, 1);
    uint32_t *next = malloc((b->count + 1) * sizeof *next), *inside = calloc(b->count + 1, sizeof *inside);
    uint32_t *stack = malloc((b->count + edges + 1) * sizeof *stack), n = 0;
    bool ok = state && back && next && inside && stack;
    if (ok && b->count) {
        memcpy(next, b->first, b->count * sizeof *next);
        state[0] = OPEN;
        stack[n++] = 0;
    }
    while (n) {
        uint32_t at = stack[n - 1];
        if (next[at] == b->first[at + 1]) {
            state[at] = DONE;
            n--;
            continue;
        }
        uint32_t e = next[at]++, to = b->to[e];
        if (state[to] == OPEN)
            b->header[to] = back[e] = 1;
        else if (state[to] == NEW) {
            state[to] = OPEN;
            stack[n++] = to;
        }
    }
    for (uint32_t header = 0; ok && header < b->count; header++)
        for (uint32_t i = 0; b->header[header] && i < b->count; i++)
            for (uint32_t e = b->first[i]; e < b->first[i + 1]; e++)
                if (back[e] && b->to[e] == header)
                    deepen(b, i, header, inside, stack);
    free(state);
    free(back);
    free(next);
    free(inside);
    free(stack);
    return ok;
}

wpg_status wpg_blocks_of(wpg_blocks *blocks, LLVMValueRef function, wpg_error *err)
{
    *blocks = (wpg_blocks){0};
    if (collect(blocks, function) && sum(blocks) && find_loops(blocks))
        return WPG_OK;
    wpg_blocks_finish(blocks);
    return wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

void wpg_blocks_finish(wpg_blocks *blocks)
{
    free(blocks->blocks);
    free(blocks->first);
    free(blocks->to);
    free(blocks->header);
    free(blocks->depth);
    wpg_map_free(&blocks->index);
    *blocks = (wpg_blocks){0};
}

uint32_t wpg_blocks_index(const wpg_blocks *blocks, LLVMBasicBlockRef block)
{
    uint64_t index;
    return wpg_map_get(&blocks->index, (uint64_t)(uintptr_t)block, &index) ? (uint32_t)index : UINT32_MAX;
}
