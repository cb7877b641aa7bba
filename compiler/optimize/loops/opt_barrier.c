/* See opt_barrier.h.
 *
 * In a loop, the result of one trip meets the next trip's arithmetic in a phi, and no driver rewrites through
 * a phi. Unrolling removes the phi. Then Mesa turns v * a + x * b of a first trip with v = x into x * (a +
 * b). That is legal without NoContraction, but has other last bits than the loop had. NoContraction on the
 * copy would go too far: the copy must contract within a trip as the loop does. So the copy's phis get a
 * optimisation barrier: bits that go through integers.
 *
 *      v = phi(start, next)       =>     p = phi(start, next); v = bitcast(bitcast(p) | zero)
 *
 * zero = n * (n + 1) & 1: of two consecutive numbers one is even (modulo 2^32 too), and compilers do not see
 * that. The optimisation barrier is an or, not an exclusive or, because optimisation barriers may follow each
 * other: (p ^ zero) ^ zero is p to every compiler. n is a value that differs between invocations, if there is
 * one. Drivers that specialise on uniform values (lavapipe 22.3.6, in shaders above 100 values) would fold a
 * uniform n. Only header phis connect trips, because loops with floating-point memory between trips are
 * refused. So nothing changes within a trip or outside the loop. Measured on lavapipe 25.0.7:
 * shaders/trip_uniform.comp differs without optimisation barriers. */
#include "compiler/optimize/loops/opt_barrier.h"

#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

/* Does a value of the type hold floating-point numbers? Yes where it cannot be told. */
static bool holds_floats(const wpg_module *module, uint32_t type, unsigned depth)
{
    const wpg_inst *def = wpg_module_def(module, type);
    if (!def || depth > 8)
        return true;
    switch (def->opcode) {
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypePointer:
        return false;
    case SpvOpTypeVector:
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
        return holds_floats(module, def->words[2], depth + 1);
    case SpvOpTypeStruct:
        for (uint16_t i = 2; i < def->count; i++)
            if (holds_floats(module, def->words[i], depth + 1))
                return true;
        return false;
    default:
        return true;
    }
}

bool wpg_bears_floats(const wpg_module *module, uint32_t type)
{
    return holds_floats(module, type, 0);
}

/* Components of a scalar or vector of 32-bit numbers of that kind; 0 for other types. */
static uint32_t words_of(const wpg_module *module, uint32_t type, SpvOp kind)
{
    const wpg_inst *def = wpg_module_def(module, type);
    uint32_t count = 1;
    if (def && def->opcode == SpvOpTypeVector) {
        count = def->words[3];
        def = wpg_module_def(module, def->words[2]);
    }
    /* A third operand of OpTypeFloat names another encoding. */
    bool plain = def && def->opcode == kind && def->words[2] == 32;
    return plain && (kind != SpvOpTypeFloat || def->count == 3) ? count : 0;
}

bool wpg_opt_barrier_wanted(const wpg_module *module, const wpg_inst *phi)
{
    return phi->opcode == SpvOpPhi && words_of(module, phi->type, SpvOpTypeFloat) != 0;
}

bool wpg_opt_barrier_hides(const wpg_module *module, uint32_t type)
{
    return wpg_module_opcode_of(module, type) == SpvOpTypeBool || words_of(module, type, SpvOpTypeInt) ||
           words_of(module, type, SpvOpTypeFloat);
}

bool wpg_carries_floats_in_memory(const wpg_view *view, const wpg_loop *loop)
{
    const wpg_module *module = view->module;
    uint64_t stored = 0, loaded = 0; /* storage classes, one bit each */
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        const wpg_block *block = &view->cfg->blocks[b];
        for (const wpg_inst *inst = block->label->next; loop->members[b] && inst != block->terminator;
             inst = inst->next) {
            bool store = inst->opcode == SpvOpStore;
            if ((!store && inst->opcode != SpvOpLoad) || inst->count < 3)
                continue;
            const wpg_inst *value = store ? wpg_module_def(module, inst->words[2]) : inst;
            if (value && !wpg_bears_floats(module, value->type))
                continue;
            SpvStorageClass class = wpg_pointer_class(module, inst->words[store ? 1 : 3]);
            uint64_t bit = UINT64_C(1) << (class == SpvStorageClassPhysicalStorageBuffer ? 63 : class % 63);
            if (store)
                stored |= bit;
            else
                loaded |= bit;
        }
    }
    return (stored & loaded) != 0;
}

const char *wpg_opt_barrier_refusal(const wpg_view *view, const wpg_loop *loop)
{
    if (!(loop->traits & WPG_TRAIT_FLOAT))
        return NULL;
    const wpg_block *header = &view->cfg->blocks[loop->header];
    for (const wpg_inst *inst = header->label->next; inst != header->terminator; inst = inst->next)
        if (inst->opcode == SpvOpPhi && wpg_bears_floats(view->module, inst->type) &&
            !wpg_opt_barrier_wanted(view->module, inst))
            return "a value goes from trip to trip whose arithmetic drivers may re-associate once unrolled";
    return wpg_carries_floats_in_memory(view, loop)
               ? "floating-point memory is written and read in it: unrolled, drivers may re-associate"
               : NULL;
}

static bool is_constant(const wpg_module *module, const wpg_view *view, uint32_t id)
{
    const wpg_inst *def = wpg_module_def(module, id);
    return !def || (!wpg_view_is_local(view, id) && def->opcode != SpvOpFunctionParameter) ||
           def->opcode == SpvOpUndef;
}

/* The start of a header phi of 32-bit numbers that is no constant; 0 if there is none. */
static uint32_t varying_start(const wpg_module *module, const wpg_view *view, const wpg_loop *loop,
                              uint32_t preheader)
{
    const wpg_block *header = &view->cfg->blocks[loop->header];
    for (const wpg_inst *phi = header->label->next; phi != header->terminator; phi = phi->next)
        for (unsigned i = 3; phi->opcode == SpvOpPhi && i + 1 < phi->count; i += 2)
            if (phi->words[i + 1] == view->cfg->blocks[preheader].id &&
                (words_of(module, phi->type, SpvOpTypeFloat) || words_of(module, phi->type, SpvOpTypeInt)) &&
                !is_constant(module, view, phi->words[i]))
                return phi->words[i];
    return 0;
}

uint32_t wpg_opt_barrier_source(uint32_t *agreed, const wpg_view *view, uint32_t preheader,
                                const wpg_divergence *divergence)
{
    uint32_t any = 0, varying = 0, same = 0;
    for (uint32_t id = 0; id < view->bound; id++) {
        uint32_t block = wpg_view_is_local(view, id) ? view->block_of[id] : WPG_NO_BLOCK;
        const wpg_inst *inst = block != WPG_NO_BLOCK ? wpg_module_def(view->module, id) : NULL;
        if (!inst || !inst->type || is_constant(view->module, view, id) ||
            view->cfg->blocks[block].rpo == WPG_NO_BLOCK || !wpg_cfg_dominates(view->cfg, block, preheader) ||
            (!words_of(view->module, inst->type, SpvOpTypeFloat) &&
             !words_of(view->module, inst->type, SpvOpTypeInt)))
            continue;
        any = any ? any : id;
        if (!varying && wpg_divergence_at(divergence, id, preheader) == WPG_DIVERGENT)
            varying = id;
        if (!same && wpg_divergence_at(divergence, id, preheader) <= WPG_UNIFORM_SUBGROUP)
            same = id;
    }
    if (agreed)
        *agreed = same;
    return varying ? varying : any;
}

static uint32_t add(wpg_module *module, wpg_inst *where, SpvOp opcode, uint32_t type, uint32_t a, uint32_t b)
{
    uint32_t id = wpg_module_fresh_id(module);
    wpg_inst_add(module, where, opcode, type, id, a, b);
    return id;
}

uint32_t wpg_opt_barrier_zero_of(wpg_module *module, uint32_t n, wpg_inst *where)
{
    uint32_t u32 = wpg_type_u32(module), one = wpg_const_u32(module, 1);
    const wpg_inst *def = wpg_module_def(module, n), *type = wpg_module_def(module, def->type);
    uint32_t scalar = def->type;
    if (type->opcode == SpvOpTypeVector) {
        scalar = type->words[2];
        n = add(module, where, SpvOpCompositeExtract, scalar, n, 0);
    }
    if (scalar != u32) {
        uint32_t bits = wpg_module_fresh_id(module);
        wpg_inst_add(module, where, SpvOpBitcast, u32, bits, n);
        n = bits;
    }
    uint32_t product = add(module, where, SpvOpIMul, u32, n, add(module, where, SpvOpIAdd, u32, n, one));
    return add(module, where, SpvOpBitwiseAnd, u32, product, one);
}

uint32_t wpg_opt_barrier_zero(wpg_module *module, const wpg_view *view, const wpg_loop *loop,
                              uint32_t preheader, uint32_t otherwise, wpg_inst *where)
{
    uint32_t n = varying_start(module, view, loop, preheader);
    return wpg_opt_barrier_zero_of(module, n ? n : otherwise, where);
}

void wpg_opt_barrier_insert(wpg_module *module, const wpg_inst *phi, uint32_t value, uint32_t result,
                            uint32_t zero, wpg_inst *where)
{
    uint32_t floats = words_of(module, phi->type, SpvOpTypeFloat), type = wpg_type_u32(module);
    uint32_t count = floats ? floats : words_of(module, phi->type, SpvOpTypeInt);
    if (!count) { /* a Boolean */
        uint32_t boolean = wpg_type_bool(module), none = wpg_const_u32(module, 0);
        uint32_t differs = add(module, where, SpvOpINotEqual, boolean, zero, none);
        wpg_inst_add(module, where, SpvOpLogicalOr, boolean, result, value, differs);
        return;
    }
    if (count > 1) {
        uint32_t words[6] = {type = wpg_type_vector(module, type, count), wpg_module_fresh_id(module)};
        for (uint32_t i = 0; i < count && i < 4; i++)
            words[2 + i] = zero;
        wpg_inst_insert(module, where, SpvOpCompositeConstruct, words, 2 + (count < 4 ? count : 4));
        zero = words[1];
    }
    if (!floats) {
        wpg_inst_add(module, where, SpvOpBitwiseOr, phi->type, result, value, zero);
        return;
    }
    uint32_t bits = wpg_module_fresh_id(module);
    wpg_inst_add(module, where, SpvOpBitcast, type, bits, value);
    bits = add(module, where, SpvOpBitwiseOr, type, bits, zero);
    wpg_inst_add(module, where, SpvOpBitcast, phi->type, result, bits);
}
