/* Blocks of the normal form, as counted: kind, place in the source, instructions, and the lanes of the edges
 * between them. Edges follow from the blocks' lanes by conservation of flow; the probe of branches tells
 * those of conditional branches by itself. */
#include <string.h>

#include "compiler/analysis/graph/cfg.h"
#include "compiler/analysis/graph/lane_flow.h"
#include "compiler/normalize/normalize.h"
#include "compiler/spirv/debug.h"
#include "runtime/base/arithmetic.h"
#include "runtime/profile/probe_records.h"
#include "runtime/report/model/internal.h"

const char *wpg_report_block_kind_name(wpg_report_block_kind kind)
{
    static const char *const names[WPG_BLOCK_KINDS] = {"", "entry", "loop", "if", "switch"};
    return kind < WPG_BLOCK_KINDS ? names[kind] : "";
}

bool wpg_report_is_work(const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpLabel:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpNop:
    case SpvOpPhi:
    case SpvOpVariable:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
    case SpvOpUnreachable:
        return false;
    default:
        return true;
    }
}

static wpg_report_block_kind kind_of(const wpg_cfg *cfg, uint32_t b)
{
    const wpg_block *block = &cfg->blocks[b];
    if (block->heads != WPG_NO_BLOCK && cfg->constructs[block->heads].kind == WPG_CONSTRUCT_LOOP)
        return WPG_BLOCK_LOOP;
    if (block->terminator->opcode == SpvOpSwitch)
        return WPG_BLOCK_SWITCH;
    if (block->terminator->opcode == SpvOpBranchConditional)
        return WPG_BLOCK_IF;
    return b == 0 ? WPG_BLOCK_ENTRY : WPG_BLOCK_PLAIN;
}

static uint32_t depth_of(const wpg_cfg *cfg, uint32_t b)
{
    uint32_t depth = 0;
    for (uint32_t c = cfg->blocks[b].construct; c != WPG_NO_BLOCK; c = cfg->constructs[c].parent)
        depth += cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP;
    return depth;
}

static void read_block(wpg_report_block *to, wpg_report_loader *loader, const wpg_report_sources *sources,
                       const wpg_cfg *cfg, uint32_t b)
{
    const wpg_block *block = &cfg->blocks[b];
    to->kind = kind_of(cfg, b);
    to->depth = depth_of(cfg, b);
    to->idom = block->idom == WPG_NO_BLOCK ? WPG_REPORT_NONE : block->idom;
    const bool decides = to->kind == WPG_BLOCK_IF || to->kind == WPG_BLOCK_SWITCH;
    wpg_source_line line;
    bool found = decides && wpg_line_of(&line, cfg->module, block->terminator);
    for (const wpg_inst *inst = block->label; inst; inst = inst->next) {
        to->instructions += wpg_report_is_work(inst);
        found = found || (wpg_report_is_work(inst) && wpg_line_of(&line, cfg->module, inst));
        if (inst == block->terminator)
            break;
    }
    if (found) {
        to->file = wpg_report_file_of(loader, sources, line.file);
        to->line = line.line;
    }
}

/* -- Edges */

static uint32_t edge_between(const wpg_report_edge *edges, size_t count, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < count; i++)
        if (edges[i].from == from && edges[i].to == to)
            return (uint32_t)i;
    return WPG_REPORT_NONE;
}

/* Which blocks a conditional branch goes to: 0 where it holds. */
static void set_branch(wpg_report_edge *edges, size_t count, const wpg_cfg *cfg,
                       const wpg_branch_counts *branch)
{
    if (branch->block >= cfg->count)
        return;
    const wpg_inst *end = cfg->blocks[branch->block].terminator;
    if (end->opcode != SpvOpBranchConditional || end->words[2] == end->words[3])
        return;
    for (unsigned way = 0; way < 2; way++) {
        const uint32_t at = edge_between(edges, count, branch->block, wpg_cfg_find(cfg, end->words[2 + way]));
        if (at != WPG_REPORT_NONE) {
            edges[at].lanes = branch->lanes[way];
            edges[at].known = true;
        }
    }
}

static void set_branches(wpg_report_edge *edges, size_t count, const wpg_cfg *cfg,
                         const wpg_shader_counts *counts)
{
    wpg_branch_counts branch;
    const wpg_profile_record *record = counts->records[WPG_RECORD_BRANCHES],
                             *by_lane = counts->records[WPG_RECORD_LANE_BRANCHES];
    for (size_t i = 0; i < wpg_branch_count(record); i++) {
        wpg_branch_at(&branch, record, i);
        set_branch(edges, count, cfg, &branch);
    }
    for (size_t i = 0; i < wpg_lane_branch_count(by_lane); i++) {
        wpg_lane_branch_at(&branch, by_lane, i);
        set_branch(edges, count, cfg, &branch);
    }
}

static wpg_status read_edges(wpg_report_function *function, const wpg_cfg *cfg, wpg_arena *arena)
{
    wpg_block_graph graph;
    wpg_conservation flow;
    wpg_arena local;
    wpg_arena_init(&local);
    const wpg_shader_counts *counts = function->counts;
    wpg_status status = wpg_block_graph_of(&graph, cfg, &local);
    if (status == WPG_OK && !wpg_lane_flow_create(&flow, &graph, &local))
        status = WPG_E_NOMEM;
    const size_t count = status == WPG_OK ? graph.first[graph.count] : 0;
    wpg_report_edge *edges = WPG_ARENA_ARRAY(arena, wpg_report_edge, count);
    for (uint32_t b = 0; status == WPG_OK && counts->lanes && b < cfg->count; b++) {
        flow.counts[b] = counts->lanes[b];
        flow.known[b] = true;
    }
    if (status == WPG_OK && counts->lanes) {
        flow.exact = !counts->samples;
        status = wpg_conservation_solve(&flow, &local) ? WPG_OK : WPG_E_NOMEM;
    }
    for (uint32_t b = 0; status == WPG_OK && edges && b < cfg->count; b++)
        for (uint32_t e = graph.first[b]; e < graph.first[b + 1]; e++)
            edges[e] =
                (wpg_report_edge){b, graph.successors[e], flow.edges[e], counts->lanes && flow.edge_known[e]};
    wpg_arena_finish(&local);
    if (status != WPG_OK || !edges)
        return WPG_E_NOMEM;
    set_branches(edges, count, cfg, counts);
    function->edges = edges;
    function->edge_count = count;
    return WPG_OK;
}

wpg_status wpg_report_read_blocks(wpg_report_loader *loader, wpg_report_shader *shader,
                                  const wpg_report_sources *sources, const wpg_module *normal,
                                  const wpg_stage *stage, wpg_error *err)
{
    wpg_arena arena;
    wpg_inst **functions;
    uint32_t count = 0;
    wpg_arena_init(&arena);
    wpg_status status = wpg_stage_functions(&functions, &count, normal, stage, &arena, err);
    for (size_t i = 0; status == WPG_OK && i < shader->function_count; i++) {
        wpg_report_function *function = &shader->functions[i];
        const wpg_shader_counts *counts = function->counts;
        wpg_cfg *cfg = NULL;
        if (counts->function >= count)
            status = wpg_fail(err, WPG_E_MISMATCH, "its SPIR-V has no function %u", counts->function);
        else
            status = wpg_cfg_create(&cfg, normal, functions[counts->function], err);
        if (status == WPG_OK && (wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION) != counts->checksum ||
                                 cfg->count != counts->block_count))
            status = wpg_fail(err, WPG_E_MISMATCH,
                              "the counts are of other code than its SPIR-V: the checksums differ");
        for (uint32_t b = 0; status == WPG_OK && b < cfg->count; b++)
            read_block(&function->blocks[b], loader, sources, cfg, b);
        if (status == WPG_OK && (read_edges(function, cfg, &loader->report->arena) != WPG_OK ||
                                 wpg_report_read_branches(function, cfg, &loader->report->arena) != WPG_OK ||
                                 wpg_report_read_words(function, cfg, &loader->report->arena) != WPG_OK ||
                                 wpg_report_read_inputs(function, cfg, &loader->report->arena) != WPG_OK))
            status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
        wpg_cfg_destroy(cfg);
    }
    wpg_arena_finish(&arena);
    return status;
}
