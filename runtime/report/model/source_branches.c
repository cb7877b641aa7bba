/* Conditional branches of the source, found again in the normal form. A source block starts in its home, but
 * a call inlined in the block may put its end elsewhere. The branch of the normal form is the one that leads
 * to the homes of both successors.
 *
 *     source: b --true--> t     normal form: home(b) ... p --true--> home(t)
 *               --false-> f                              p --false-> home(f)
 */
#include <string.h>

#include "runtime/base/arithmetic.h"
#include "runtime/profile/probe_records.h"
#include "runtime/report/model/internal.h"

bool wpg_report_number_labels(wpg_map *labels, const wpg_inst *function)
{
    uint32_t count = 0;
    for (const wpg_inst *inst = function; inst && inst->opcode != SpvOpFunctionEnd; inst = inst->next)
        if (inst->opcode == SpvOpLabel && !wpg_map_set(labels, inst->result, count++))
            return false;
    return true;
}

static const wpg_report_function *function_of(const wpg_report_shader *shader, uint32_t ordinal)
{
    for (size_t i = 0; i < shader->function_count; i++)
        if (shader->functions[i].counts->function == ordinal)
            return &shader->functions[i];
    return NULL;
}

/* The first edge that leaves `from`: edges are in the order of their blocks. */
static size_t first_edge(const wpg_report_function *function, uint32_t from)
{
    size_t low = 0, high = function->edge_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (function->edges[middle].from < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The edges from the block of edge `first` to both. */
static bool edges_to(const wpg_report_edge *edges[2], const wpg_report_function *function, size_t first,
                     const uint32_t to[2])
{
    edges[0] = edges[1] = NULL;
    for (size_t i = first; i < function->edge_count && function->edges[i].from == function->edges[first].from;
         i++)
        for (unsigned way = 0; way < 2; way++)
            if (function->edges[i].to == to[way])
                edges[way] = &function->edges[i];
    return edges[0] && edges[1];
}

/* The edges of the branch that leads to both: that of `home`, else the first there is. */
static bool find_edges(const wpg_report_edge *edges[2], const wpg_report_function *function, uint32_t home,
                       const uint32_t to[2])
{
    const size_t own = first_edge(function, home);
    bool found =
        own < function->edge_count && function->edges[own].from == home && edges_to(edges, function, own, to);
    for (size_t i = 0; i < function->edge_count && !found; i++)
        if (!i || function->edges[i - 1].from != function->edges[i].from)
            found = edges_to(edges, function, i, to);
    return found && edges[0]->known && edges[1]->known;
}

static bool add_waves(wpg_report_source_branch *branch, const wpg_shader_counts *counts, uint32_t block)
{
    const wpg_profile_record *record = counts->records[WPG_RECORD_BRANCHES];
    wpg_branch_counts found;
    for (size_t i = 0; i < wpg_branch_count(record); i++) {
        wpg_branch_at(&found, record, i);
        if (found.block != block)
            continue;
        for (unsigned way = 0; way < 2; way++)
            branch->waves[way] = wpg_add_saturating(branch->waves[way], found.waves[way]);
        return true;
    }
    return false;
}

bool wpg_report_count_branch(wpg_report_source_branch *branch, const wpg_report_shader *shader,
                             const wpg_context_table *table, uint32_t source_function, uint32_t block,
                             const wpg_inst *inst, const wpg_map *labels)
{
    uint64_t sides[2];
    size_t copies = 0;
    if (inst->opcode != SpvOpBranchConditional || inst->count < 4 ||
        !wpg_map_get(labels, inst->words[2], &sides[0]) || !wpg_map_get(labels, inst->words[3], &sides[1]))
        return false;
    if (sides[0] >= table->functions[source_function].block_count ||
        sides[1] >= table->functions[source_function].block_count)
        return false;
    *branch = (wpg_report_source_branch){.has_waves = true};
    for (uint32_t c = 0; c < table->context_count; c++) {
        const wpg_context *context = &table->contexts[c];
        const wpg_report_function *function = function_of(shader, context->ordinal);
        if (context->function != source_function || !function)
            continue;
        const uint32_t to[2] = {context->home[sides[0]], context->home[sides[1]]};
        const wpg_report_edge *edges[2] = {NULL, NULL};
        if (to[0] == to[1] || !find_edges(edges, function, context->home[block], to))
            continue;
        copies++;
        for (unsigned way = 0; way < 2; way++)
            branch->lanes[way] = wpg_add_saturating(branch->lanes[way], edges[way]->lanes);
        branch->has_waves &= add_waves(branch, function->counts, edges[0]->from);
    }
    return copies > 0;
}
