#include "compiler/amdgpu/profile/weights.h"

#include <inttypes.h>
#include <string.h>

#include <llvm-c/Core.h>

typedef struct attachment {
    LLVMContextRef context;
    unsigned prof;
    const wpg_blocks *blocks;
    const wpg_amdgpu_counts *counts;
    const wpg_flow_edges *edges;
    wpg_weights_from from;
    unsigned uniform_percent;
    wpg_weights_done *done;
} attachment;

static LLVMMetadataRef text(const attachment *a, const char *name)
{
    return LLVMMDStringInContext2(a->context, name, strlen(name));
}

static void set_prof(const attachment *a, LLVMValueRef instruction, LLVMMetadataRef *parts, size_t count)
{
    LLVMMetadataRef node = LLVMMDNodeInContext2(a->context, parts, count);
    LLVMSetMetadata(instruction, a->prof, LLVMMetadataAsValue(a->context, node));
}

static void set_unknown(const attachment *a, LLVMValueRef instruction)
{
    LLVMMetadataRef parts[] = {text(a, "unknown"), text(a, "wavepgo")};
    set_prof(a, instruction, parts, 2);
}

/* Weights are 32 bits wide and LLVM adds them up in 32 bits here and there: at most 2^31 together. */
static bool set_weights(const attachment *a, LLVMValueRef instruction, const uint64_t *counts, uint32_t count,
                        wpg_arena *arena)
{
    const uint64_t whole = UINT64_C(1) << 31;
    uint64_t largest = 0;
    LLVMMetadataRef *parts = WPG_ARENA_ARRAY(arena, LLVMMetadataRef, (size_t)count + 1);
    if (!parts)
        return false;
    for (uint32_t i = 0; i < count; i++)
        largest = counts[i] > largest ? counts[i] : largest;
    unsigned down = 0, up = 0;
    while (largest >> down > whole / count)
        down++;
    /* Small counts are scaled up, so that the 1 of a side that never ran is next to nothing. */
    while (!down && up < 31 && largest << (up + 1) <= whole / count)
        up++;
    parts[0] = text(a, "branch_weights");
    for (uint32_t i = 0; i < count; i++) {
        uint64_t weight = down ? counts[i] >> down : counts[i] << up;
        LLVMValueRef value = LLVMConstInt(LLVMInt32TypeInContext(a->context), weight ? weight : 1, 0);
        parts[i + 1] = LLVMValueAsMetadata(value);
    }
    set_prof(a, instruction, parts, (size_t)count + 1);
    return true;
}

static bool divergent(const attachment *a, uint32_t block)
{
    uint64_t waves = a->counts->waves[block], uniform = a->counts->uniform[block];
    return waves && (double)uniform * 100 < (double)waves * a->uniform_percent;
}

/* An edge back to a header, or out of a loop; entering a loop leads one deeper. */
static bool decides_loop(const wpg_blocks *blocks, uint32_t b)
{
    for (uint32_t e = blocks->first[b]; e < blocks->first[b + 1]; e++) {
        uint32_t to = blocks->to[e];
        if (blocks->depth[to] < blocks->depth[b] ||
            (blocks->header[to] && blocks->depth[to] == blocks->depth[b]))
            return true;
    }
    return false;
}

static bool flattened(const attachment *a, uint32_t b)
{
    const wpg_blocks *blocks = a->blocks;
    if (a->from != WPG_WEIGHTS_FLATTENED || decides_loop(a->blocks, b))
        return false;
    for (uint32_t e = blocks->first[b]; e < blocks->first[b + 1]; e++)
        if (divergent(a, blocks->to[e]))
            return true;
    return false;
}

/* Whether block `to` is an arm of `b` alone. */
static bool arm_of(const wpg_blocks *blocks, uint32_t b, uint32_t to)
{
    for (uint32_t p = 0; p < blocks->count; p++)
        for (uint32_t e = blocks->first[p]; e < blocks->first[p + 1]; e++)
            if (blocks->to[e] == to && p != b)
                return false;
    return true;
}

static bool parts_evenly(const attachment *a, uint32_t b)
{
    const wpg_blocks *blocks = a->blocks;
    const wpg_amdgpu_counts *c = a->counts;
    if (!c->lanes || decides_loop(blocks, b))
        return false;
    for (uint32_t e = blocks->first[b]; e < blocks->first[b + 1]; e++) {
        uint32_t to = blocks->to[e];
        if (arm_of(blocks, b, to) && wpg_parts_evenly(c->waves[b], c->lanes[b], c->waves[to], c->lanes[to]))
            return true;
    }
    return false;
}

static bool attach_branch(const attachment *a, uint32_t b, wpg_arena *arena)
{
    uint32_t first = a->blocks->first[b], count = a->blocks->first[b + 1] - first;
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(a->blocks->blocks[b]);
    bool known = true, ran = false;
    a->done->branches++;
    a->done->balanced += parts_evenly(a, b);
    for (uint32_t e = first; e < first + count; e++) {
        known &= a->edges->known[e];
        ran |= a->edges->counts[e] != 0;
    }
    if (!known || !ran) {
        *(known ? &a->done->never : &a->done->open) += 1;
        set_unknown(a, branch);
        return true;
    }
    a->done->weighted++;
    if (!flattened(a, b))
        return set_weights(a, branch, a->edges->counts + first, count, arena);
    a->done->flattened++;
    uint64_t *even = WPG_ARENA_ARRAY(arena, uint64_t, count);
    for (uint32_t i = 0; even && i < count; i++)
        even[i] = 1;
    return even && set_weights(a, branch, even, count, arena);
}

static void set_entry_count(const attachment *a, LLVMValueRef function, uint64_t count)
{
    LLVMValueRef value = LLVMConstInt(LLVMInt64TypeInContext(a->context), count, 0);
    LLVMMetadataRef parts[] = {text(a, "function_entry_count"), LLVMValueAsMetadata(value)};
    LLVMGlobalSetMetadata(function, a->prof, LLVMMDNodeInContext2(a->context, parts, 2));
}

static wpg_status check(const wpg_blocks *blocks, const wpg_amdgpu_counts *counts, wpg_weights_from from,
                        wpg_error *err)
{
    if (counts->block_count != blocks->count)
        return wpg_fail(err, WPG_E_MISMATCH, "the profile has %u blocks, the function %u: not applied",
                        counts->block_count, blocks->count);
    if (counts->checksum != blocks->checksum)
        return wpg_fail(err, WPG_E_MISMATCH,
                        "the profile is of control flow %015" PRIx64 ", the function's is %015" PRIx64
                        ": not applied",
                        counts->checksum, blocks->checksum);
    if (!counts->waves || (from == WPG_WEIGHTS_LANES && !counts->lanes) ||
        (from == WPG_WEIGHTS_FLATTENED && !counts->uniform))
        return wpg_fail(err, WPG_E_NOT_FOUND, "the profile has no counts of %s",
                        !counts->waves              ? "waves"
                        : from == WPG_WEIGHTS_LANES ? "lanes"
                                                    : "waves with all lanes");
    return WPG_OK;
}

static wpg_status attach(attachment *a, LLVMValueRef function, wpg_arena *arena, wpg_error *err)
{
    wpg_flow_edges edges;
    const wpg_blocks *blocks = a->blocks;
    WPG_TRY(check(blocks, a->counts, a->from, err));
    const uint64_t *counts = a->from == WPG_WEIGHTS_LANES ? a->counts->lanes : a->counts->waves;
    const wpg_flow_graph graph = wpg_flow_of_blocks(blocks);
    WPG_TRY(wpg_flow_derive(&edges, &graph, counts, arena, err));
    if (!edges.sound)
        return wpg_fail(err, WPG_E_MISMATCH,
                        "counts of %s are no flow at block %u (%" PRIu64 ", its edges give %" PRIu64
                        "): not applied",
                        a->from == WPG_WEIGHTS_LANES ? "lanes" : "waves", edges.problem.block,
                        edges.problem.count, edges.problem.explained);
    a->edges = &edges;
    for (uint32_t b = 0; b < blocks->count; b++) {
        if (blocks->first[b + 1] - blocks->first[b] > 1 && !attach_branch(a, b, arena))
            return wpg_fail(err, WPG_E_NOMEM, "out of memory");
        for (LLVMValueRef i = LLVMGetFirstInstruction(blocks->blocks[b]); i; i = LLVMGetNextInstruction(i))
            if (LLVMGetInstructionOpcode(i) == LLVMSelect) {
                set_unknown(a, i);
                a->done->selects++;
            }
    }
    set_entry_count(a, function, counts[0]);
    return WPG_OK;
}

wpg_status wpg_weights_attach(wpg_weights_done *done, LLVMValueRef function, const wpg_amdgpu_counts *counts,
                              wpg_weights_from from, unsigned uniform_percent, wpg_error *err)
{
    wpg_weights_done unwanted;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    attachment a = {
        .context = context,
        .prof = LLVMGetMDKindIDInContext(context, "prof", 4),
        .counts = counts,
        .from = from,
        .uniform_percent = uniform_percent,
        .done = done ? done : &unwanted,
    };
    *a.done = (wpg_weights_done){0};
    if (from == WPG_WEIGHTS_NONE)
        return WPG_OK;
    wpg_blocks blocks;
    wpg_arena arena;
    WPG_TRY(wpg_blocks_of(&blocks, function, err));
    a.blocks = &blocks;
    wpg_arena_init(&arena);
    wpg_status status = attach(&a, function, &arena, err);
    wpg_arena_finish(&arena);
    wpg_blocks_finish(&blocks);
    return status;
}

/* The weights of a terminator as probabilities; false: it has none, or none that fit. */
static bool read_weights(double *probabilities, LLVMValueRef branch, uint32_t count, unsigned prof)
{
    LLVMValueRef node = LLVMGetMetadata(branch, prof), operands[8];
    double sum = 0;
    unsigned length;
    if (!node || (unsigned)LLVMGetMDNodeNumOperands(node) != count + 1 ||
        count + 1 > sizeof operands / sizeof *operands)
        return false;
    LLVMGetMDNodeOperands(node, operands);
    const char *name = LLVMGetMDString(operands[0], &length);
    if (!name || length != 14 || memcmp(name, "branch_weights", 14) != 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        sum += probabilities[i] = (double)LLVMConstIntGetZExtValue(operands[i + 1]);
    for (uint32_t i = 0; i < count; i++)
        probabilities[i] /= sum;
    return sum > 0;
}

static wpg_status quality(double *difference, uint32_t *unweighted, const wpg_blocks *blocks, unsigned prof,
                          const uint64_t *measured, wpg_arena *arena, wpg_error *err)
{
    const wpg_flow_graph graph = wpg_flow_of_blocks(blocks);
    double *probabilities = WPG_ARENA_ARRAY(arena, double, wpg_flow_edge_count(&graph));
    double *frequencies = WPG_ARENA_ARRAY(arena, double, blocks->count);
    if (arena->failed)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    *unweighted = 0;
    for (uint32_t b = 0; b < blocks->count; b++) {
        uint32_t first = blocks->first[b], count = blocks->first[b + 1] - first;
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(blocks->blocks[b]);
        if (count > 1 && read_weights(probabilities + first, branch, count, prof))
            continue;
        *unweighted += count > 1;
        for (uint32_t e = first; e < first + count; e++)
            probabilities[e] = 1.0 / count;
    }
    WPG_TRY(wpg_flow_solve(frequencies, &graph, probabilities, arena, err));
    *difference = wpg_flow_difference(frequencies, measured, blocks->count);
    return WPG_OK;
}

wpg_status wpg_weights_quality(double *difference, uint32_t *unweighted, LLVMValueRef function,
                               const uint64_t *measured, wpg_error *err)
{
    unsigned prof = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(function)), "prof", 4);
    wpg_blocks blocks;
    wpg_arena arena;
    WPG_TRY(wpg_blocks_of(&blocks, function, err));
    wpg_arena_init(&arena);
    wpg_status status = quality(difference, unweighted, &blocks, prof, measured, &arena, err);
    wpg_arena_finish(&arena);
    wpg_blocks_finish(&blocks);
    return status;
}

const char *wpg_weights_name(wpg_weights_from from)
{
    static const char *const names[WPG_WEIGHTS_KINDS] = {
        [WPG_WEIGHTS_NONE] = "none",
        [WPG_WEIGHTS_LANES] = "lanes",
        [WPG_WEIGHTS_WAVES] = "waves",
        [WPG_WEIGHTS_FLATTENED] = "flattened",
    };
    return from < WPG_WEIGHTS_KINDS ? names[from] : "";
}
