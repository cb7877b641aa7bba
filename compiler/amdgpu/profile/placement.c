#include "compiler/amdgpu/profile/placement.h"

#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/amdgpu/llvm/lines.h"
#include "compiler/amdgpu/translate/probes.h"

static wpg_status begin(wpg_placement *p, const wpg_blocks *blocks, uint32_t sums, wpg_arena *arena,
                        wpg_error *err)
{
    *p = (wpg_placement){.sum_count = sums};
    p->sums = WPG_ARENA_ARRAY(arena, wpg_flow_sum, sums);
    p->from = WPG_ARENA_ARRAY(arena, uint32_t, sums);
    p->parts = WPG_ARENA_ARRAY(arena, unsigned, sums);
    p->origin = WPG_ARENA_ARRAY(arena, uint32_t, blocks->count);
    for (uint32_t b = 0; !arena->failed && b < blocks->count; b++)
        p->origin[b] = WPG_NO_ORIGIN;
    return arena->failed ? wpg_fail(err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}

/* The entry stands for its block whatever was made of it. */
static void end(wpg_placement *p, const wpg_blocks *blocks)
{
    p->origin[0] = 0;
    for (uint32_t b = 0; b < blocks->count; b++)
        p->placed += p->origin[b] != WPG_NO_ORIGIN;
}

/* -- Probes */

/* The next probe from *at on; *at is behind it. */
static bool next_probe(uint32_t *from, LLVMValueRef *at, uint32_t count)
{
    while (*at) {
        LLVMValueRef here = *at;
        *at = LLVMGetNextInstruction(here);
        if (wpg_probe_of(from, here) && *from < count)
            return true;
    }
    return false;
}

wpg_status wpg_place_by_probes(wpg_placement *p, const wpg_blocks *blocks, uint32_t count, wpg_arena *arena,
                               wpg_error *err)
{
    uint32_t from, copies = 0;
    WPG_TRY(begin(p, blocks, count, arena, err));
    for (uint32_t b = 0; b < blocks->count; b++)
        for (LLVMValueRef at = LLVMGetFirstInstruction(blocks->blocks[b]); next_probe(&from, &at, count);
             copies++) {
            p->sums[from].block_count++;
            p->origin[b] = p->origin[b] == WPG_NO_ORIGIN ? from : p->origin[b];
        }
    uint32_t *members = WPG_ARENA_ARRAY(arena, uint32_t, copies),
             *next = WPG_ARENA_ARRAY(arena, uint32_t, count);
    if (!members || !next)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t i = 0, first = 0; i < count; first += p->sums[i++].block_count) {
        p->sums[i].blocks = members + first;
        p->from[i] = i;
        p->parts[i] = 1;
        next[i] = first;
    }
    for (uint32_t b = 0; b < blocks->count; b++)
        for (LLVMValueRef at = LLVMGetFirstInstruction(blocks->blocks[b]); next_probe(&from, &at, count);)
            members[next[from]++] = b;
    end(p, blocks);
    return WPG_OK;
}

/* -- Lines */

/* Most of a block's instructions; the earlier origin of equals. *parts: of how many copies it is one. */
static uint32_t origin_of(unsigned *parts, LLVMBasicBlockRef block, uint32_t *votes, uint32_t count)
{
    uint32_t best = WPG_NO_ORIGIN, from;
    unsigned told;
    *parts = 1;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (!LLVMIsAPHINode(i) && wpg_lines_of(&from, NULL, i) && from < count)
            votes[from]++;
    for (from = 0; from < count; from++) {
        if (votes[from] && (best == WPG_NO_ORIGIN || votes[from] > votes[best]))
            best = from;
    }
    memset(votes, 0, count * sizeof *votes);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && best != WPG_NO_ORIGIN;
         i = LLVMGetNextInstruction(i))
        if (!LLVMIsAPHINode(i) && wpg_lines_of(&from, &told, i) && from == best && told > *parts)
            *parts = told;
    return best;
}

wpg_status wpg_place_by_lines(wpg_placement *p, const wpg_blocks *blocks, uint32_t count, wpg_arena *arena,
                              wpg_error *err)
{
    uint32_t *votes = WPG_ARENA_ARRAY(arena, uint32_t, count),
             *members = WPG_ARENA_ARRAY(arena, uint32_t, blocks->count);
    WPG_TRY(begin(p, blocks, blocks->count, arena, err));
    for (uint32_t b = 0; b < blocks->count; b++) {
        members[b] = b;
        p->origin[b] = origin_of(&p->parts[b], blocks->blocks[b], votes, count);
        p->from[b] = p->origin[b] == WPG_NO_ORIGIN ? 0 : p->origin[b];
        p->sums[b] = (wpg_flow_sum){0, &members[b], p->origin[b] != WPG_NO_ORIGIN && b > 0};
    }
    end(p, blocks);
    return WPG_OK;
}
