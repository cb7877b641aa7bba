/* Values of other lanes: broadcasts, shuffles, rotations, quad operations. */
#include "compiler/amdgpu/translate/subgroups.h"

static LLVMValueRef word(const wpg_tr *t, uint64_t value)
{
    return LLVMConstInt(t->t_i32, value, false);
}

/* -- A value as 32-bit words, and back */

enum { MOST_WORDS = 8 };

typedef struct words {
    LLVMValueRef at[MOST_WORDS];
    unsigned count;
    LLVMTypeRef type; /* of the value */
} words;

static bool split(words *w, wpg_tr *t, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    uint32_t count = wpg_tr_components(type), bits = wpg_tr_bits(type);
    w->type = type;
    w->count = 0;
    if (!bits)
        return wpg_tr_malformed(t);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef part = count == 1 ? value : wpg_tr_get(t, value, i);
        part = LLVMBuildBitCast(t->builder, part, LLVMIntTypeInContext(t->context, bits), "");
        if (bits <= 32) {
            w->at[w->count++] = LLVMBuildZExtOrBitCast(t->builder, part, t->t_i32, "");
            continue;
        }
        LLVMValueRef high = LLVMBuildLShr(t->builder, part, LLVMConstInt(t->t_i64, 32, false), "");
        w->at[w->count++] = LLVMBuildTrunc(t->builder, part, t->t_i32, "");
        w->at[w->count++] = LLVMBuildTrunc(t->builder, high, t->t_i32, "");
    }
    return true;
}

static LLVMValueRef join(wpg_tr *t, const words *w)
{
    uint32_t count = wpg_tr_components(w->type), bits = wpg_tr_bits(w->type);
    LLVMTypeRef scalar = count == 1 ? w->type : LLVMGetElementType(w->type);
    LLVMTypeRef as_int = LLVMIntTypeInContext(t->context, bits);
    LLVMValueRef result = LLVMGetPoison(w->type);
    for (uint32_t i = 0, at = 0; i < count; i++) {
        LLVMValueRef part = w->at[at++];
        if (bits > 32) {
            LLVMValueRef high = LLVMBuildZExt(t->builder, w->at[at++], t->t_i64, "");
            high = LLVMBuildShl(t->builder, high, LLVMConstInt(t->t_i64, 32, false), "");
            part = LLVMBuildOr(t->builder, LLVMBuildZExt(t->builder, part, t->t_i64, ""), high, "");
        }
        part =
            LLVMBuildBitCast(t->builder, LLVMBuildTruncOrBitCast(t->builder, part, as_int, ""), scalar, "");
        if (count == 1)
            return part;
        result = wpg_tr_set(t, result, part, i);
    }
    return result;
}

LLVMValueRef wpg_tr_in_lane(wpg_tr *t, LLVMValueRef value, LLVMValueRef lane)
{
    words w;
    if (!split(&w, t, value))
        return NULL;
    for (unsigned i = 0; i < w.count; i++) {
        w.at[i] = lane ? wpg_tr_call2(t, "llvm.amdgcn.readlane", w.at[i], lane)
                       : wpg_tr_call1(t, "llvm.amdgcn.readfirstlane", w.at[i]);
        if (!w.at[i])
            return NULL;
    }
    return join(t, &w);
}

LLVMValueRef wpg_tr_in_same_lane(wpg_tr *t, LLVMValueRef value, LLVMValueRef lane)
{
    if (!LLVMIsAConstantInt(lane))
        lane = wpg_tr_call1(t, "llvm.amdgcn.readfirstlane", lane);
    return lane ? wpg_tr_in_lane(t, value, lane) : NULL;
}

LLVMValueRef wpg_tr_dpp(wpg_tr *t, LLVMValueRef old, LLVMValueRef value, unsigned control, unsigned rows)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef everywhere = LLVMConstInt(t->t_i1, !old, false);
    return wpg_tr_call(t, "llvm.amdgcn.update.dpp", &type, 1,
                       (LLVMValueRef[]){old ? old : LLVMGetPoison(type), value, word(t, control),
                                        word(t, rows), word(t, 15), everywhere},
                       6);
}

/* -- Which lane is meant */

/* A lane's partner is lane ^ `mask`: which DPP control says so. */
static bool dpp_of_xor(unsigned *control, const wpg_tr *t, uint64_t mask)
{
    static const unsigned quads[] = {0xe4, 0xb1, 0x4e, 0x1b};
    if (mask < 4)
        *control = WPG_DPP_QUAD | quads[mask];
    else if (mask == 7 || mask == 15)
        *control = mask == 7 ? WPG_DPP_HALF_MIRROR : WPG_DPP_MIRROR;
    else if (mask == 8)
        *control = WPG_DPP_ROTATE | 8;
    else if (mask < 16 && t->options->gpu->major >= 10)
        *control = WPG_DPP_XOR | (unsigned)mask;
    else
        return false;
    return true;
}

/* How a lane finds the one it reads. */
typedef struct source {
    LLVMValueRef lane; /* by its number, unless one of these */
    bool near;         /* in the same half of 64 lanes */
    bool moves;        /* by a DPP control */
    bool crosses;      /* in the other row, at the place ^ place */
    unsigned control, place;
} source;

static bool source_of_xor(source *from, wpg_tr *t, uint64_t mask)
{
    LLVMValueRef lane = wpg_tr_lane(t);
    if (!lane)
        return false;
    from->lane = LLVMBuildXor(t->builder, lane, word(t, mask), "");
    from->near = mask < 32;
    from->moves = dpp_of_xor(&from->control, t, mask);
    from->crosses = mask >= 16 && mask < 32 && t->options->gpu->major >= 10;
    from->place = mask & 15;
    return true;
}

/* `base` | the lane's number in it, of `size` lanes each. */
static LLVMValueRef in_group(wpg_tr *t, LLVMValueRef lane, LLVMValueRef number, uint32_t size)
{
    LLVMValueRef base = LLVMBuildAnd(t->builder, lane, word(t, ~(size - 1)), "");
    return LLVMBuildOr(t->builder, base, LLVMBuildAnd(t->builder, number, word(t, size - 1), ""), "");
}

static bool source_in_quad(source *from, wpg_tr *t, LLVMValueRef number)
{
    LLVMValueRef lane = wpg_tr_lane(t);
    if (!lane)
        return false;
    from->near = true;
    from->moves = LLVMIsAConstantInt(number) != NULL;
    if (from->moves) /* that lane of the quad, for all four */
        from->control = WPG_DPP_QUAD | ((unsigned)LLVMConstIntGetZExtValue(number) & 3) * 0x55;
    from->lane = in_group(t, lane, number, 4);
    return true;
}

static bool source_of_rotation(source *from, wpg_tr *t, const wpg_inst *inst, LLVMValueRef by)
{
    LLVMValueRef lane = wpg_tr_lane(t);
    uint32_t cluster = t->options->wave_size;
    uint64_t bits;
    if (!lane)
        return false;
    if (inst->count > 6) {
        if (!wpg_tr_constant(t, inst, 6, &bits))
            return false;
        if (!bits || bits & (bits - 1))
            return wpg_tr_malformed(t);
        cluster = bits < cluster ? (uint32_t)bits : cluster;
    }
    from->near = cluster <= 32;
    from->lane = in_group(t, lane, LLVMBuildAdd(t->builder, lane, by, ""), cluster);
    return true;
}

static bool source_of(source *from, wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef other = wpg_tr_value_of(t, inst, 5, t->t_i32), lane = wpg_tr_lane(t);
    uint64_t bits;
    *from = (source){.lane = other};
    if (!other || !lane)
        return false;
    switch ((int)inst->opcode) {
    case SpvOpGroupNonUniformShuffleXor:
        if (LLVMIsAConstantInt(other))
            return source_of_xor(from, t, LLVMConstIntGetZExtValue(other));
        from->lane = LLVMBuildXor(t->builder, lane, other, "");
        return true;
    case SpvOpGroupNonUniformShuffleUp:
        from->lane = LLVMBuildSub(t->builder, lane, other, "");
        return true;
    case SpvOpGroupNonUniformShuffleDown:
        from->lane = LLVMBuildAdd(t->builder, lane, other, "");
        return true;
    case SpvOpGroupNonUniformRotateKHR:
        return source_of_rotation(from, t, inst, other);
    case SpvOpGroupNonUniformQuadBroadcast:
        return source_in_quad(from, t, other);
    case SpvOpGroupNonUniformQuadSwap: /* across: 1, down: 2, both: 3 */
        return wpg_tr_constant(t, inst, 5, &bits) && source_of_xor(from, t, (bits & 3) + 1);
    default: /* shuffle */
        return true;
    }
}

/* -- Reading it: what is not active there is undefined */

/* Lane `place` ^ its own of the other row of 32 lanes. */
static LLVMValueRef across_rows(wpg_tr *t, LLVMValueRef value, unsigned place)
{
    uint32_t select[2] = {0, 0};
    LLVMValueRef no = LLVMConstInt(t->t_i1, 0, false);
    for (unsigned i = 0; i < 16; i++)
        select[i / 8] |= (uint32_t)(i ^ place) << i % 8 * 4;
    return wpg_tr_call(
        t, "llvm.amdgcn.permlanex16", &t->t_i32, 1,
        (LLVMValueRef[]){LLVMGetPoison(t->t_i32), value, word(t, select[0]), word(t, select[1]), no, no}, 6);
}

/* gfx10 has nothing that takes a value from one half of 64 lanes to the other. */
static LLVMValueRef from_any(wpg_tr *t, LLVMValueRef value, LLVMValueRef lane)
{
    LLVMValueRef result = value;
    for (uint32_t n = 0; n < t->options->wave_size; n++) {
        LLVMValueRef there = wpg_tr_call2(t, "llvm.amdgcn.readlane", value, word(t, n));
        if (!there)
            return NULL;
        LLVMValueRef meant = LLVMBuildICmp(t->builder, LLVMIntEQ, lane, word(t, n), "");
        result = LLVMBuildSelect(t->builder, meant, there, result, "");
    }
    return result;
}

static LLVMValueRef shuffled_word(wpg_tr *t, LLVMValueRef value, const source *from)
{
    if (from->moves)
        return wpg_tr_dpp(t, NULL, value, from->control, 15);
    if (from->crosses)
        return across_rows(t, value, from->place);
    unsigned major = t->options->gpu->major;
    if (from->near || t->options->wave_size == 32 || major == 9 || major == 12) {
        LLVMValueRef bytes = LLVMBuildShl(t->builder, from->lane, word(t, 2), "");
        return wpg_tr_call(t, "llvm.amdgcn.ds.bpermute", NULL, 0, (LLVMValueRef[]){bytes, value}, 2);
    }
    if (major == 10)
        return from_any(t, value, from->lane);
    return wpg_tr_call(t, "llvm.amdgcn.wave.shuffle", &t->t_i32, 1, (LLVMValueRef[]){value, from->lane}, 2);
}

static LLVMValueRef shuffled(wpg_tr *t, LLVMValueRef value, const source *from)
{
    words w;
    if (!split(&w, t, value))
        return NULL;
    for (unsigned i = 0; i < w.count; i++)
        if (!(w.at[i] = shuffled_word(t, w.at[i], from)))
            return NULL;
    return join(t, &w);
}

LLVMValueRef wpg_tr_other_lane(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef value = wpg_tr_value(t, inst, 4), lane;
    source from;
    if (!value)
        return NULL;
    if (!wpg_tr_bits(LLVMTypeOf(value))) {
        wpg_tr_malformed(t);
        return NULL;
    }
    switch ((int)inst->opcode) {
    case SpvOpGroupNonUniformBroadcastFirst:
        return wpg_tr_in_lane(t, value, NULL);
    case SpvOpGroupNonUniformBroadcast:
        lane = wpg_tr_value_of(t, inst, 5, t->t_i32);
        return lane ? wpg_tr_in_same_lane(t, value, lane) : NULL;
    default:
        return source_of(&from, t, inst) ? shuffled(t, value, &from) : NULL;
    }
}
