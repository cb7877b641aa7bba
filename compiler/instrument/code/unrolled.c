/* Marks loops that a driver must not unroll once they count.
 *
 * Mesa's NIR unrolls a loop whose bound it does not know by the length of an array that the loop's counter
 * indexes. It leaves the loop itself behind the copies. Mesa 22.3.6 then puts the loop's exit into the first
 * `if` of the loop (25.0.7 is right; partial_unroll in nir_opt_loop_unroll.c). That is right while the exit
 * is the first `if`, as in
 *
 *     header: LoopMerge, condition of the exit, BranchConditional body merge
 *
 * It is wrong once counting has put an `if` before the exit (an election, a helper test). Then the loop ends
 * in the lanes that count, and outputs and counts are wrong. Straight code before the exit does no harm. So
 * DontUnroll is set on a loop that gets an `if` before its exit, indexes an array that is no buffer, and has
 * a bound that is no constant. The hint changes no result on any driver.
 *
 * And each copy that a driver makes of a loop has the counting code of its blocks. Nests of loops that the
 * driver's compiler folds to little without counters took up to 266 times as long to compile on Intel's
 * (shaders/measured/2026-11-27-unrolled.md). So DontUnroll is set on a loop whose copies would have more than
 * MOST_COPIED words of that code, innermost first. */
#include "compiler/instrument/code/copies.h"
#include "compiler/instrument/code/inject.h"

enum { NO = WPG_NO_BLOCK, MOST_COPIED = 4096 };

/* Loop control bits whose operands stand before those of PeelCount and PartialCount, which contradict
 * DontUnroll, and bits without an operand. */
enum {
    WITH_OPERAND = SpvLoopControlDependencyLengthMask | SpvLoopControlMinIterationsMask |
                   SpvLoopControlMaxIterationsMask | SpvLoopControlIterationMultipleMask,
    UNROLL_COUNTS = SpvLoopControlPeelCountMask | SpvLoopControlPartialCountMask,
    KNOWN = SpvLoopControlUnrollMask | SpvLoopControlDontUnrollMask | SpvLoopControlDependencyInfiniteMask |
            WITH_OPERAND | UNROLL_COUNTS
};

/* The first block, in reverse post-order, whose conditional branch leaves the loop. */
static uint32_t first_exit(const wpg_cfg *cfg, uint32_t loop)
{
    for (uint32_t at = cfg->blocks[cfg->constructs[loop].header].rpo; at < cfg->order_count; at++) {
        const wpg_block *block = &cfg->blocks[cfg->order[at]];
        if (block->loop != loop || block->terminator->opcode != SpvOpBranchConditional)
            continue;
        for (uint32_t i = 0; i < block->successor_count; i++)
            if (wpg_loop_leaves(cfg, loop, block->successors[i]))
                return cfg->order[at];
    }
    return NO;
}

/* Counting has made branches in the block. */
static bool is_split(const wpg_block *block)
{
    for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next)
        if (inst != block->merge && (inst->opcode == SpvOpSelectionMerge || inst->opcode == SpvOpLoopMerge))
            return true;
    return false;
}

static bool split_before(const wpg_cfg *cfg, uint32_t loop, uint32_t exit)
{
    for (uint32_t at = cfg->blocks[cfg->constructs[loop].header].rpo; at <= cfg->blocks[exit].rpo; at++)
        if (wpg_construct_holds(cfg, loop, cfg->order[at]) && is_split(&cfg->blocks[cfg->order[at]]))
            return true;
    return false;
}

static bool bound_is_constant(const wpg_module *module, const wpg_block *exit)
{
    const wpg_inst *test = wpg_module_def(module, exit->terminator->words[1]);
    for (unsigned i = 3; test && i < test->count && i < 5; i++)
        if (wpg_is_module_constant(module, test->words[i]))
            return true;
    return false;
}

static void forbid_unrolling(wpg_module *module, wpg_inst *merge)
{
    uint32_t operands[3 + 4] = {merge->words[1], merge->words[2]}, control = merge->words[3], kept = 3;
    if (control & ~(uint32_t)KNOWN)
        return;
    for (uint32_t left = control & WITH_OPERAND; left && kept + 1 < merge->count; left &= left - 1, kept++)
        operands[kept] = merge->words[kept + 1];
    control &= ~((uint32_t)SpvLoopControlUnrollMask | UNROLL_COUNTS);
    operands[2] = control | SpvLoopControlDontUnrollMask;
    wpg_inst_set_operands(module, merge, operands, kept);
}

static uint32_t length_of(const wpg_block *block)
{
    uint32_t words = 0;
    for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next)
        words += inst->count;
    return words;
}

void wpg_note_lengths(wpg_inject *in, const wpg_cfg *cfg)
{
    in->lengths = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, cfg->count);
    for (uint32_t b = 0; in->lengths && b < cfg->count; b++)
        in->lengths[b] = length_of(&cfg->blocks[b]);
}

static uint32_t loop_around(const wpg_cfg *cfg, uint32_t construct)
{
    do
        construct = cfg->constructs[construct].parent;
    while (construct != NO && cfg->constructs[construct].kind != WPG_CONSTRUCT_LOOP);
    return construct;
}

/* added: [constructs] words that counting added to the blocks of each loop, in none of its inner loops. */
static void limit_copies(wpg_module *module, const wpg_cfg *cfg, uint64_t *added)
{
    for (uint32_t c = cfg->construct_count; c-- > 0;) {
        if (cfg->constructs[c].kind != WPG_CONSTRUCT_LOOP || added[c] == 0)
            continue;
        const uint32_t around = loop_around(cfg, c);
        uint64_t copied = added[c] * wpg_loop_copies(module, cfg, c);
        if (copied > MOST_COPIED && copied > added[c]) {
            forbid_unrolling(module, cfg->blocks[cfg->constructs[c].header].merge);
            copied = added[c];
        }
        if (around != NO)
            added[around] += copied;
    }
}

static void keep_small(wpg_inject *in, const wpg_cfg *cfg)
{
    uint64_t *added = WPG_ARENA_ARRAY(&in->module->arena, uint64_t, cfg->construct_count);
    if (!added || !in->lengths)
        return;
    for (uint32_t b = 0; b < cfg->count; b++)
        if (cfg->blocks[b].loop != NO && cfg->blocks[b].rpo != NO)
            added[cfg->blocks[b].loop] += length_of(&cfg->blocks[b]) - in->lengths[b];
    limit_copies(in->module, cfg, added);
}

void wpg_keep_rolled(wpg_inject *in, const wpg_cfg *cfg)
{
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        wpg_block *header = &cfg->blocks[cfg->constructs[c].header];
        if (cfg->constructs[c].kind != WPG_CONSTRUCT_LOOP || header->rpo == NO || !header->merge ||
            header->merge->words[3] & SpvLoopControlDontUnrollMask)
            continue;
        uint32_t exit = first_exit(cfg, c);
        if (exit != NO && split_before(cfg, c, exit) && !bound_is_constant(in->module, &cfg->blocks[exit]) &&
            wpg_loop_indexes(in->module, cfg, c))
            forbid_unrolling(in->module, header->merge);
    }
    keep_small(in, cfg);
}
