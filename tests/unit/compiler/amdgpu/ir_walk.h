/* Runs waves through a structurised function lane by lane and counts, as the oracle of what a profile of it
 * may look like. Of the function's values those are computed that branches hang on, as far as they are
 * integers made of ids, constants and the kernel's argument; a branch that hangs on anything else (memory,
 * floats) is decided by a made-up coin, for some blocks one for all lanes of the wave and for some one for
 * each. Lanes that part wait for each other as the hardware's do: of all blocks where lanes stand the first
 * in reverse post-order runs, with all lanes that stand there. */
#ifndef WPG_TESTS_AMDGPU_IR_WALK_H
#define WPG_TESTS_AMDGPU_IR_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/amdgpu/flow/blocks.h"
#include "compiler/amdgpu/llvm/counts.h"

typedef struct ir_walk_options {
    unsigned wave_size, waves,
        group_lanes;         /* waves in all; lanes of a workgroup, of which the last wave may lack some */
    const uint8_t *argument; /* the bytes of the kernel's argument; the rest reads as unknown */
    size_t argument_bytes;
    uint32_t seed, steps; /* of the coin; blocks a lane runs before coins send it to the end */
} ir_walk_options;

typedef struct ir_value {
    uint64_t bits;
    bool known;
} ir_value;

typedef struct ir_inst {
    LLVMOpcode op;
    unsigned width, from_width, predicate,
        count; /* `count` operands, values by index; of phis, with `from` */
    char id;   /* of a call: 'x' workitem, 'X' workgroup, 'm' minimum..., 0 unknown */
    unsigned axis;
    uint32_t operands[16], from[16], result;
    int64_t offset;
} ir_inst;

typedef struct ir_walk {
    const ir_walk_options *options;
    const wpg_blocks *blocks;
    wpg_map values; /* LLVMValueRef -> index */
    ir_inst *insts; /* needed ones, in order */
    uint32_t *first, inst_count, value_count;
    ir_value *constants; /* by value: what it is when it is constant */
    bool *needed;
    LLVMValueRef *refs;
    uint32_t *conditions, *order, *distance;
    uint64_t coins; /* branches decided by a coin */
} ir_walk;

enum { IR_ARGUMENT = 0x10000000 }; /* where the kernel's argument lies */

static inline uint64_t ir_hash(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t words[4] = {a, b, c, d};
    return wpg_hash64_bytes(words, sizeof words);
}

static inline uint64_t ir_cut(uint64_t bits, unsigned width)
{
    return width >= 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

static inline int64_t ir_signed(uint64_t bits, unsigned width)
{
    return width >= 64 ? (int64_t)bits : (int64_t)(bits << (64 - width)) >> (64 - width);
}

static inline unsigned ir_width(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : kind == LLVMPointerTypeKind ? 64 : 0;
}

static inline uint32_t ir_index(ir_walk *w, LLVMValueRef v)
{
    uint64_t index;
    if (wpg_map_get(&w->values, (uint64_t)(uintptr_t)v, &index))
        return (uint32_t)index;
    index = w->value_count++;
    assert_true(wpg_map_set(&w->values, (uint64_t)(uintptr_t)v, index));
    w->refs = realloc(w->refs, w->value_count * sizeof *w->refs);
    w->constants = realloc(w->constants, w->value_count * sizeof *w->constants);
    w->needed = realloc(w->needed, w->value_count);
    w->refs[index] = v;
    w->needed[index] = false;
    w->constants[index] = (ir_value){0, false};
    if (LLVMIsAConstantInt(v) && ir_width(v) <= 64)
        w->constants[index] = (ir_value){LLVMConstIntGetZExtValue(v), true};
    else if (LLVMIsAConstantPointerNull(v))
        w->constants[index] = (ir_value){0, true};
    else if (LLVMIsAArgument(v) && ir_width(v) == 64 && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind)
        w->constants[index] = (ir_value){IR_ARGUMENT, true};
    return (uint32_t)index;
}

static inline void ir_call(ir_inst *i, LLVMValueRef v)
{
    static const struct {
        const char *name;
        char id;
        unsigned axis;
    } known[] = {
        {"llvm.amdgcn.workitem.id.x", 'x', 0},
        {"llvm.amdgcn.workitem.id.y", 'x', 1},
        {"llvm.amdgcn.workitem.id.z", 'x', 2},
        {"llvm.amdgcn.workgroup.id.x", 'X', 0},
        {"llvm.amdgcn.workgroup.id.y", 'X', 1},
        {"llvm.amdgcn.workgroup.id.z", 'X', 2},
        {"llvm.umin.i32", 'u', 0},
        {"llvm.umax.i32", 'U', 0},
        {"llvm.smin.i32", 's', 0},
        {"llvm.smax.i32", 'S', 0},
    };
    size_t length;
    LLVMValueRef callee = LLVMGetCalledValue(v);
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(name, known[k].name) == 0) {
            i->id = known[k].id;
            i->axis = known[k].axis;
        }
    i->count = i->id == 'x' || i->id == 'X' || !i->id ? 0 : 2;
}

/* Of a GEP with constant indices the offset; else the result is unknown. Bytes are what the translator
 * indexes. */
static inline bool ir_gep(ir_inst *i, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(v);
    LLVMValueRef index = LLVMGetNumOperands(v) == 2 ? LLVMGetOperand(v, 1) : NULL;
    if (!index || !LLVMIsAConstantInt(index) || LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return false;
    i->offset = LLVMConstIntGetSExtValue(index) * (LLVMGetIntTypeWidth(type) / 8);
    i->count = 1;
    return true;
}

static inline void ir_decode(ir_walk *w, ir_inst *i, LLVMValueRef v)
{
    *i = (ir_inst){.op = LLVMGetInstructionOpcode(v), .width = ir_width(v), .result = ir_index(w, v)};
    i->count = (unsigned)LLVMGetNumOperands(v);
    switch ((int)i->op) {
    case LLVMICmp:
        i->predicate = LLVMGetICmpPredicate(v);
        i->from_width = ir_width(LLVMGetOperand(v, 0));
        break;
    case LLVMSExt:
        i->from_width = ir_width(LLVMGetOperand(v, 0));
        break;
    case LLVMPHI:
        i->count = LLVMCountIncoming(v);
        break;
    case LLVMCall:
        ir_call(i, v);
        break;
    case LLVMGetElementPtr:
        if (!ir_gep(i, v))
            i->op = LLVMUnreachable;
        break;
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMSelect:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMLoad:
    case LLVMFreeze:
        break;
    default:
        i->op = LLVMUnreachable; /* unknown */
    }
    if (!i->width || i->width > 64 || i->count > 16)
        i->op = LLVMUnreachable;
    for (unsigned k = 0; i->op != LLVMUnreachable && k < i->count; k++) {
        bool phi = i->op == LLVMPHI;
        i->operands[k] = ir_index(w, phi ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k));
        if (phi)
            i->from[k] = wpg_blocks_index(w->blocks, LLVMGetIncomingBlock(v, k));
    }
}

/* What conditions hang on, then the instructions of that in order. */
static inline void ir_slice(ir_walk *w)
{
    uint32_t *work = calloc(1 << 20, sizeof *work), n = 0;
    for (uint32_t b = 0; b < w->blocks->count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(w->blocks->blocks[b]);
        if (w->blocks->first[b + 1] - w->blocks->first[b] < 2)
            continue;
        assert_int_equal(LLVMGetInstructionOpcode(end), LLVMBr);
        w->conditions[b] = ir_index(w, LLVMGetCondition(end));
        work[n++] = w->conditions[b];
    }
    while (n) {
        uint32_t v = work[--n];
        if (w->needed[v] || !LLVMIsAInstruction(w->refs[v]))
            continue;
        w->needed[v] = true;
        ir_inst inst;
        ir_decode(w, &inst, w->refs[v]);
        for (unsigned k = 0; inst.op != LLVMUnreachable && k < inst.count; k++) {
            assert_true(n < (1 << 20));
            work[n++] = inst.operands[k];
        }
    }
    free(work);
    for (uint32_t b = 0; b < w->blocks->count; b++) {
        w->first[b] = w->inst_count;
        for (LLVMValueRef v = LLVMGetFirstInstruction(w->blocks->blocks[b]); v;
             v = LLVMGetNextInstruction(v)) {
            uint64_t index;
            if (!wpg_map_get(&w->values, (uint64_t)(uintptr_t)v, &index) || !w->needed[index])
                continue;
            w->insts = realloc(w->insts, (w->inst_count + 1) * sizeof *w->insts);
            ir_decode(w, &w->insts[w->inst_count++], v);
        }
    }
    w->first[w->blocks->count] = w->inst_count;
}

static inline uint32_t ir_post_order(ir_walk *w, uint32_t b, bool *seen, uint32_t n)
{
    seen[b] = true;
    for (uint32_t e = w->blocks->first[b]; e < w->blocks->first[b + 1]; e++)
        if (!seen[w->blocks->to[e]])
            n = ir_post_order(w, w->blocks->to[e], seen, n);
    w->order[b] = w->blocks->count - n;
    return n + 1;
}

/* Blocks to the end. */
static inline void ir_distances(ir_walk *w)
{
    const wpg_blocks *g = w->blocks;
    for (uint32_t b = 0; b < g->count; b++)
        w->distance[b] = g->first[b] == g->first[b + 1] ? 0 : UINT32_MAX / 2;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < g->count; b++)
            for (uint32_t e = g->first[b]; e < g->first[b + 1]; e++)
                if (w->distance[g->to[e]] + 1 < w->distance[b]) {
                    w->distance[b] = w->distance[g->to[e]] + 1;
                    changed = true;
                }
    }
}

typedef struct ir_lane {
    ir_value *values;
    uint32_t at, before, steps, local[3], group;
    bool done;
} ir_lane;

static inline bool ir_compare(unsigned predicate, uint64_t a, uint64_t b, unsigned width)
{
    int64_t x = ir_signed(a, width), y = ir_signed(b, width);
    switch (predicate) {
    case LLVMIntEQ:
        return a == b;
    case LLVMIntNE:
        return a != b;
    case LLVMIntUGT:
        return a > b;
    case LLVMIntUGE:
        return a >= b;
    case LLVMIntULT:
        return a < b;
    case LLVMIntULE:
        return a <= b;
    case LLVMIntSGT:
        return x > y;
    case LLVMIntSGE:
        return x >= y;
    case LLVMIntSLT:
        return x < y;
    default:
        return x <= y;
    }
}

static inline ir_value ir_load(const ir_walk *w, uint64_t address, unsigned width)
{
    uint64_t bits = 0;
    if (address < IR_ARGUMENT || address - IR_ARGUMENT + width / 8 > w->options->argument_bytes)
        return (ir_value){0, false};
    memcpy(&bits, w->options->argument + (address - IR_ARGUMENT), width / 8);
    return (ir_value){bits, true};
}

static inline ir_value ir_evaluate(const ir_walk *w, const ir_inst *i, const ir_lane *lane)
{
    const ir_value none = {0, false};
    ir_value v[3] = {none, none, none};
    uint64_t r;
    if (i->op == LLVMUnreachable)
        return none;
    for (unsigned k = 0; k < i->count && k < 3; k++)
        v[k] = lane->values[i->operands[k]];
    uint64_t a = v[0].bits, b = v[1].bits;
    if (i->op == LLVMSelect)
        return v[0].known ? v[a ? 1 : 2] : none;
    /* What one side decides alone. */
    if (i->op == LLVMAnd && ((v[0].known && !a) || (v[1].known && !b)))
        return (ir_value){0, true};
    if (i->op == LLVMOr && i->width == 1 && ((v[0].known && a) || (v[1].known && b)))
        return (ir_value){1, true};
    for (unsigned k = 0; k < i->count && k < 2; k++)
        if (!v[k].known)
            return none;
    switch ((int)i->op) {
    case LLVMAdd:
        r = a + b;
        break;
    case LLVMSub:
        r = a - b;
        break;
    case LLVMMul:
        r = a * b;
        break;
    case LLVMUDiv:
        r = b ? a / b : 0;
        break;
    case LLVMURem:
        r = b ? a % b : 0;
        break;
    case LLVMSDiv:
    case LLVMSRem: {
        int64_t x = ir_signed(a, i->width), y = ir_signed(b, i->width);
        if (!y || y == -1)
            return none;
        r = (uint64_t)(i->op == LLVMSDiv ? x / y : x % y);
        break;
    }
    case LLVMShl:
        r = b < 64 ? a << b : 0;
        break;
    case LLVMLShr:
        r = b < 64 ? a >> b : 0;
        break;
    case LLVMAShr:
        r = (uint64_t)(ir_signed(a, i->width) >> (b < 64 ? b : 63));
        break;
    case LLVMAnd:
        r = a & b;
        break;
    case LLVMOr:
        r = a | b;
        break;
    case LLVMXor:
        r = a ^ b;
        break;
    case LLVMICmp:
        r = ir_compare(i->predicate, a, b, i->from_width);
        break;
    case LLVMSExt:
        r = (uint64_t)ir_signed(a, i->from_width);
        break;
    case LLVMGetElementPtr:
        r = a + (uint64_t)i->offset;
        break;
    case LLVMLoad:
        return ir_load(w, a, i->width);
    case LLVMCall:
        switch (i->id) {
        case 'x':
            r = lane->local[i->axis];
            break;
        case 'X':
            r = i->axis ? 0 : lane->group;
            break;
        case 'u':
            r = a < b ? a : b;
            break;
        case 'U':
            r = a > b ? a : b;
            break;
        case 's':
            r = ir_compare(LLVMIntSLT, a, b, i->width) ? a : b;
            break;
        case 'S':
            r = ir_compare(LLVMIntSGT, a, b, i->width) ? a : b;
            break;
        default:
            return none;
        }
        break;
    default:
        r = a; /* zext, trunc, freeze */
    }
    return (ir_value){ir_cut(r, i->width), true};
}

static inline void ir_run_block(const ir_walk *w, ir_lane *lane)
{
    uint32_t i = w->first[lane->at], end = w->first[lane->at + 1], n = 0;
    ir_value phis[256];
    for (; i + n < end && w->insts[i + n].op == LLVMPHI; n++) {
        const ir_inst *phi = &w->insts[i + n];
        assert_true(n < 256);
        phis[n] = (ir_value){0, false};
        for (unsigned k = 0; k < phi->count; k++)
            if (phi->from[k] == lane->before)
                phis[n] = lane->values[phi->operands[k]];
    }
    for (uint32_t k = 0; k < n; k++)
        lane->values[w->insts[i + k].result] = phis[k];
    for (i += n; i < end; i++)
        lane->values[w->insts[i].result] = ir_evaluate(w, &w->insts[i], lane);
}

/* Where the lane goes from its block; `visit` numbers what the wave runs. */
static inline void ir_leave(ir_walk *w, ir_lane *lane, uint64_t wave, uint64_t visit, unsigned number)
{
    const wpg_blocks *g = w->blocks;
    uint32_t b = lane->at, first = g->first[b], side = 0;
    lane->before = b;
    if (first == g->first[b + 1]) {
        lane->done = true;
        return;
    }
    if (g->first[b + 1] - first == 2) {
        ir_value condition = lane->values[w->conditions[b]];
        if (condition.known) {
            side = !condition.bits;
        } else {
            uint64_t kind = ir_hash(w->options->seed, b, 1, 0), odds = kind >> 8 & 255;
            uint64_t coin = ir_hash(w->options->seed, wave << 32 | visit, b, kind & 1 ? number : 0);
            side = (coin & 255) < odds;
            w->coins++;
        }
        if (lane->steps > w->options->steps)
            side = w->distance[g->to[first + 1]] < w->distance[g->to[first]];
    }
    lane->steps++;
    lane->at = g->to[first + side];
}

static inline void ir_run_wave(ir_walk *w, wpg_amdgpu_counts *counts, ir_lane *lanes, unsigned count,
                               uint64_t wave)
{
    for (uint64_t visit = 0;; visit++) {
        uint32_t b = UINT32_MAX, active = 0;
        for (unsigned l = 0; l < count; l++)
            if (!lanes[l].done && (b == UINT32_MAX || w->order[lanes[l].at] < w->order[b]))
                b = lanes[l].at;
        if (b == UINT32_MAX)
            return;
        bool here[64];
        for (unsigned l = 0; l < count; l++) {
            here[l] = !lanes[l].done && lanes[l].at == b;
            active += here[l];
        }
        counts->waves[b]++;
        counts->lanes[b] += active;
        counts->uniform[b] += active == count;
        for (unsigned l = 0; l < count; l++)
            if (here[l]) {
                ir_run_block(w, &lanes[l]);
                ir_leave(w, &lanes[l], wave, visit, l + 1);
            }
    }
}

/* Allocates the counts (ir_counts_free). Gives the branches that coins decided. */
static inline uint64_t ir_walk_run(wpg_amdgpu_counts *counts, const wpg_blocks *blocks,
                                   const ir_walk_options *options)
{
    ir_walk w = {.options = options, .blocks = blocks};
    uint32_t n = blocks->count;
    w.first = calloc(n + 1, sizeof *w.first);
    w.conditions = calloc(n, sizeof *w.conditions);
    w.order = calloc(n, sizeof *w.order);
    w.distance = calloc(n, sizeof *w.distance);
    bool *seen = calloc(n, sizeof *seen);
    (void)ir_post_order(&w, 0, seen, 0);
    free(seen);
    ir_distances(&w);
    ir_slice(&w);
    *counts = (wpg_amdgpu_counts){.checksum = blocks->checksum, .block_count = n};
    counts->waves = calloc(n, sizeof *counts->waves);
    counts->lanes = calloc(n, sizeof *counts->lanes);
    counts->uniform = calloc(n, sizeof *counts->uniform);
    unsigned of_group = (options->group_lanes + options->wave_size - 1) / options->wave_size;
    for (unsigned wave = 0; wave < options->waves; wave++) {
        ir_lane lanes[64];
        unsigned begin = wave % of_group * options->wave_size, count = 0;
        for (; count < options->wave_size && begin + count < options->group_lanes; count++) {
            lanes[count] =
                (ir_lane){.before = UINT32_MAX, .local = {begin + count}, .group = wave / of_group};
            lanes[count].values = malloc((w.value_count + 1) * sizeof(ir_value));
            if (w.value_count)
                memcpy(lanes[count].values, w.constants, w.value_count * sizeof(ir_value));
        }
        ir_run_wave(&w, counts, lanes, count, wave);
        while (count)
            free(lanes[--count].values);
    }
    wpg_map_free(&w.values);
    free(w.insts);
    free(w.first);
    free(w.constants);
    free(w.needed);
    free(w.refs);
    free(w.conditions);
    free(w.order);
    free(w.distance);
    return w.coins;
}

static inline void ir_counts_free(wpg_amdgpu_counts *counts)
{
    free(counts->waves);
    free(counts->lanes);
    free(counts->uniform);
}

#endif
