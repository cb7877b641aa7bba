/* See folding.h.
 *
 * Unrolling makes induction variables constant, and in the first copy every value that starts as a constant.
 * Drivers then fold what is computed from them with their own compile-time arithmetic. Its last bits may
 * differ from the hardware's, or on a software driver from its run-time approximation. Measured on lavapipe:
 * cos(0.5) in the first of six copies of a loop. SPIR-V allows that; bit-equality does not. Source: precision
 * rules of the Vulkan specification, "Precision and Operation of SPIR-V Instructions". */
#include "compiler/optimize/facts/folding.h"

#include <spirv/unified1/GLSL.std.450.h>

#include "compiler/optimize/facts/induction.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

/* Mesa unrolls 32 rounds by itself; twice the most that any driver we know does. */
enum { LONG_LOOP = 256 };

bool wpg_is_exact_function(uint32_t number)
{
    switch (number) {
    case GLSLstd450Round:
    case GLSLstd450RoundEven:
    case GLSLstd450Trunc:
    case GLSLstd450FAbs:
    case GLSLstd450FSign:
    case GLSLstd450Floor:
    case GLSLstd450Ceil:
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450FClamp:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450NClamp:
    case GLSLstd450Step:
    case GLSLstd450Ldexp:
    case GLSLstd450FrexpStruct:
    case GLSLstd450ModfStruct:
        return true;
    default:
        return number >= GLSLstd450PackSnorm4x8 && number <= GLSLstd450UnpackDouble2x32;
    }
}

bool wpg_is_rounded(const wpg_module *module, const wpg_inst *inst)
{
    return (wpg_inst_traits(module, inst) & WPG_TRAIT_FLOAT) &&
           !(inst->opcode == SpvOpExtInst && wpg_is_exact_function(inst->words[4]));
}

bool wpg_is_fused_by_use(const wpg_module *module, const wpg_inst *inst)
{
    if (!(wpg_inst_traits(module, inst) & WPG_TRAIT_FLOAT) ||
        wpg_find_decoration(module, inst->result, SpvDecorationNoContraction))
        return false;
    return inst->opcode != SpvOpExtInst || !wpg_is_exact_function(inst->words[4]);
}

static bool is_product(const wpg_module *module, uint32_t id)
{
    switch (wpg_module_opcode_of(module, id)) {
    case SpvOpFMul:
    case SpvOpVectorTimesScalar:
    case SpvOpMatrixTimesScalar:
        return true;
    default:
        return false;
    }
}

/* May the result differ between compile time and run time? */
static bool is_inexact(const wpg_module *module, const bool *may, const wpg_inst *inst)
{
    if (!(wpg_inst_traits(module, inst) & WPG_TRAIT_FLOAT))
        return false;
    switch ((SpvOp)inst->opcode) {
    case SpvOpExtInst:
        return !wpg_is_exact_function(inst->words[4]);
    case SpvOpFAdd:
    case SpvOpFSub: /* contracted with a product at run time, not when folded */
        return !wpg_find_decoration(module, inst->result, SpvDecorationNoContraction) &&
               ((is_product(module, inst->words[3]) && may[inst->words[3]]) ||
                (is_product(module, inst->words[4]) && may[inst->words[4]]));
    case SpvOpFMul:
    case SpvOpFNegate:
    case SpvOpVectorTimesScalar:
    case SpvOpMatrixTimesScalar:
    case SpvOpOuterProduct:
    case SpvOpConvertSToF: /* correctly rounded: Vulkan 1.3, Precision of Individual Operations */
    case SpvOpConvertUToF:
        return false;
    default:
        return true;
    }
}

uint32_t wpg_first_rounded(const wpg_module *module, const wpg_cfg *cfg, const bool *may, const bool *is,
                           const wpg_loop *loop)
{
    for (uint32_t b = 0; b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label;
             loop->members[b] && inst != cfg->blocks[b].terminator; inst = inst->next)
            if (inst->result && may[inst->result] && !is[inst->result] && is_inexact(module, may, inst))
                return inst->result;
    return 0;
}

static uint32_t first_exposed(const wpg_view *view, const bool *may, const bool *is, const wpg_loop *loop)
{
    return wpg_first_rounded(view->module, view->cfg, may, is, loop);
}

uint32_t wpg_unrolled_folds(const wpg_unrolled *unrolled, const wpg_loop *loop)
{
    return loop->traits & WPG_TRAIT_FLOAT ? first_exposed(unrolled->view, unrolled->may, unrolled->is, loop)
                                          : 0;
}

uint32_t wpg_unrolling_folds(const wpg_view *view, const wpg_loop *loop, uint32_t known, wpg_arena *arena)
{
    if (!(loop->traits & WPG_TRAIT_FLOAT))
        return 0;
    wpg_unrolled with;
    const wpg_unrolled *f = known ? &with : wpg_unrolled_of(view);
    if (!f || (known && !wpg_unrolled_with_one(&with, view, known, arena)))
        return view->cfg->blocks[loop->header].id;
    return first_exposed(view, f->may, f->is, loop);
}

bool wpg_runs_long(const wpg_induction *i, SpvOp compare, uint32_t bound, bool bound_last, bool stays)
{
    uint32_t rounds = 0;
    for (uint32_t value = i->first; rounds < LONG_LOOP; value += i->step, rounds++)
        if (wpg_compare_ints(compare, bound_last ? value : bound, bound_last ? bound : value) != stays)
            break;
    return rounds == LONG_LOOP;
}

/* Does the test stay in the loop so often that no driver unrolls it? */
static bool runs_long(const wpg_view *view, const wpg_loop *loop, const wpg_inst *compare, bool stays)
{
    for (unsigned at = 3; compare->count == 5 && at <= 4; at++) {
        wpg_induction i;
        uint32_t bound;
        if (wpg_is_u32_const(view->module, compare->words[7 - at], &bound) &&
            wpg_read_induction(&i, view, loop, compare->words[at]))
            return wpg_runs_long(&i, (SpvOp)compare->opcode, bound, at == 3, stays);
    }
    return false;
}

/* Is there a way out of the loop by what is no constant once it is unrolled? */
static bool leaves_by_what_varies(const wpg_unrolled *f, const wpg_loop *loop)
{
    const wpg_cfg *cfg = f->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        for (uint32_t s = 0; block->successor_count > 1 && s < block->successor_count; s++)
            if (wpg_loop_is_left_by(cfg, loop, b, block->successors[s]) &&
                !f->may[block->terminator->words[1]])
                return true;
    }
    return false;
}

/* Is the value what an uncounted loop's counter was when the loop was left, or more by a constant? */
static bool is_left_over(const wpg_unrolled *f, uint32_t id, unsigned depth)
{
    const wpg_view *view = f->view;
    const wpg_inst *inst = wpg_module_def(view->module, id);
    uint32_t block = id < view->bound ? view->block_of[id] : WPG_NO_BLOCK;
    if (!inst || block == WPG_NO_BLOCK || depth > 6)
        return false;
    if (inst->opcode == SpvOpIAdd || inst->opcode == SpvOpBitcast)
        return is_left_over(f, inst->words[3], depth + 1);
    if (inst->opcode != SpvOpPhi)
        return false;
    uint32_t headed = view->cfg->blocks[block].heads;
    wpg_loop loop;
    if (headed != WPG_NO_BLOCK && view->cfg->constructs[headed].kind == WPG_CONSTRUCT_LOOP)
        return wpg_loop_describe(&loop, view, headed) && leaves_by_what_varies(f, &loop);
    for (unsigned i = 3; i + 1 < inst->count; i += 2)
        if (is_left_over(f, inst->words[i], depth + 1))
            return true;
    return false;
}

/* Does the test count from what a loop before left over? Nobody counts its rounds then. */
static bool starts_anywhere(const wpg_unrolled *f, const wpg_loop *loop, const wpg_inst *compare)
{
    const wpg_view *view = f->view;
    for (unsigned at = 3; at <= 4; at++) {
        const wpg_inst *phi = wpg_module_def(view->module, compare->words[at]);
        if (phi && phi->opcode == SpvOpIAdd)
            phi = wpg_module_def(view->module, phi->words[3]);
        if (!phi || phi->opcode != SpvOpPhi || view->block_of[phi->result] != loop->header)
            continue;
        for (unsigned i = 3; i + 1 < phi->count; i += 2)
            if (phi->words[i + 1] != view->cfg->blocks[loop->back_edge].id &&
                is_left_over(f, phi->words[i], 0))
                return true;
    }
    return false;
}

/* Is each test that leaves the loop one that no driver counts, or counts to a large number? */
static bool stays_a_loop(const wpg_unrolled *f, const wpg_loop *loop)
{
    const wpg_cfg *cfg = f->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        for (uint32_t s = 0; block->successor_count > 1 && s < block->successor_count; s++) {
            const wpg_inst *end = block->terminator,
                           *compare = wpg_module_def(f->view->module, end->words[1]);
            if (!wpg_loop_is_left_by(cfg, loop, b, block->successors[s]) || !f->may[end->words[1]])
                continue;
            if (end->opcode != SpvOpBranchConditional || !compare ||
                !wpg_opcode_compares_ints(compare->opcode) ||
                (!runs_long(f->view, loop, compare, end->words[2] != cfg->blocks[block->successors[s]].id) &&
                 !starts_anywhere(f, loop, compare)))
                return false;
        }
    }
    return true;
}

/* May a driver count the loop's trips, and unroll it? */
static bool may_be_counted(const wpg_unrolled *f, const wpg_loop *loop)
{
    return !stays_a_loop(f, loop);
}

uint32_t wpg_may_fold_by_itself(const wpg_view *view, uint32_t block)
{
    const wpg_cfg *cfg = view->cfg;
    uint32_t exposed = 0;
    for (uint32_t c = 0; c < cfg->construct_count && !exposed; c++) {
        wpg_loop loop;
        if (cfg->constructs[c].kind != WPG_CONSTRUCT_LOOP || !wpg_loop_describe(&loop, view, c) ||
            !(loop.traits & WPG_TRAIT_FLOAT) || !loop.members[block])
            continue;
        const wpg_unrolled *f = wpg_unrolled_of(view);
        if (!f)
            return cfg->blocks[loop.header].id;
        if (may_be_counted(f, &loop))
            exposed = first_exposed(view, f->may, f->is, &loop);
    }
    return exposed;
}

/* Describes the construct. True for a loop of floating-point work that a driver may count, and unroll. */
static bool is_counted_float_loop(const wpg_unrolled *f, uint32_t construct, wpg_loop *loop)
{
    return f->view->cfg->constructs[construct].kind == WPG_CONSTRUCT_LOOP &&
           wpg_loop_describe(loop, f->view, construct) && (loop->traits & WPG_TRAIT_FLOAT) &&
           may_be_counted(f, loop);
}

const uint32_t *wpg_loops_that_fold(const wpg_view *view, wpg_arena *arena)
{
    const wpg_cfg *cfg = view->cfg;
    uint32_t *ids = WPG_ARENA_ARRAY(arena, uint32_t, cfg->construct_count + 1u);
    const wpg_unrolled *f = wpg_unrolled_of(view);
    if (!ids || !f)
        return NULL;
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        wpg_loop loop;
        if (is_counted_float_loop(f, c, &loop))
            ids[c] = first_exposed(view, f->may, f->is, &loop);
    }
    return arena->failed ? NULL : ids;
}

bool wpg_is_in_counted_float_loop(const wpg_view *view, uint32_t block)
{
    const wpg_cfg *cfg = view->cfg;
    bool counted = false;
    for (uint32_t c = 0; c < cfg->construct_count && !counted; c++) {
        wpg_loop loop;
        if (cfg->constructs[c].kind != WPG_CONSTRUCT_LOOP || !wpg_loop_describe(&loop, view, c) ||
            !(loop.traits & WPG_TRAIT_FLOAT) || !loop.members[block])
            continue;
        const wpg_unrolled *f = wpg_unrolled_of(view);
        counted = !f || may_be_counted(f, &loop);
    }
    return counted;
}

const bool *wpg_unrollable_loops(const wpg_view *view)
{
    wpg_view_memo *memo = view->memo;
    if (memo->unrollable)
        return memo->unrollable;
    const uint32_t count = view->cfg->construct_count;
    bool *unrollable = WPG_ARENA_ARRAY(memo->arena, bool, count + 1u);
    const wpg_unrolled *f = wpg_unrolled_of(view);
    if (!unrollable || !f)
        return NULL;
    for (uint32_t c = 0; c < count; c++) {
        wpg_loop loop;
        unrollable[c] = is_counted_float_loop(f, c, &loop);
    }
    memo->unrollable = memo->arena->failed ? NULL : unrollable;
    return memo->unrollable;
}
