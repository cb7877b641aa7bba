/* The counts beside an instruction. If the kernel counted its own structurised blocks, these counts, by the
 * machine block of the instruction. Otherwise counts of the normal form's blocks, by the instruction's
 * line. */
#include <inttypes.h>

#include "runtime/cli/isa/isa.h"

uint32_t wpg_isa_block(const wpg_isa *isa, const wpg_isa_line *line)
{
    return isa->own ? line->structurised : line->block;
}

uint32_t wpg_isa_placed(const wpg_isa *isa, const wpg_isa_listing *listing)
{
    return isa->own ? listing->structurised : listing->placed;
}

uint32_t wpg_isa_blocks(const wpg_isa *isa)
{
    return isa->own ? isa->structurised.block_count : isa->block_count;
}

bool wpg_isa_counted(const wpg_isa *isa)
{
    return isa->own || isa->counts;
}

/* `own` where the kernel counted its blocks itself, else `carried`. */
static bool count_of(uint64_t *count, const wpg_isa *isa, uint32_t block, const uint64_t *own,
                     const uint64_t *carried)
{
    const uint64_t *counts = isa->own ? own : carried;
    if (!counts || block >= wpg_isa_blocks(isa))
        return false;
    *count = counts[block];
    return true;
}

bool wpg_isa_waves(uint64_t *waves, const wpg_isa *isa, uint32_t block)
{
    return count_of(waves, isa, block, isa->structurised.waves, isa->counts ? isa->counts->waves : NULL);
}

bool wpg_isa_lanes(uint64_t *lanes, const wpg_isa *isa, uint32_t block)
{
    return count_of(lanes, isa, block, isa->structurised.lanes, isa->counts ? isa->counts->lanes : NULL);
}

void wpg_isa_weighted_by(FILE *out, const wpg_isa *isa)
{
    if (isa->own)
        (void)fputs("weighted by the waves that the kernel counted itself", out);
    else
        (void)fprintf(out,
                      "weighted by waves carried over to %" PRIu32 " of %" PRIu32
                      " structurised blocks by %s, to the others by flow (%.1f %% left over)",
                      isa->origins.placed, isa->versions[0].code->blocks,
                      isa->origins.by_lines ? "lines" : "pseudo probes", isa->origins.rest * 100);
}
