/* Counts of source lines. A line's count in one place is that of the most frequent block of its function with
 * an instruction of the line. Places (copies of the function that inlining made) are added up.
 *
 *     words --wpg_normalize_source--> source functions: block -> lines
 *     words --wpg_normalize_contexts--> copy of a function: block -> block that was counted
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/normalize/contexts.h"
#include "compiler/normalize/normalize.h"
#include "compiler/spirv/debug.h"
#include "runtime/base/arithmetic.h"
#include "runtime/report/internal.h"

/* Counts of a block of a source function, over all contexts. */
typedef struct sums {
    uint64_t lanes, waves, uniform;
    bool placed; /* some copy of the block is there still */
} sums;

typedef struct line_reader {
    wpg_report_loader *loader;
    const wpg_report_sources *sources;
    wpg_map places; /* file << 32 | line -> index in lines; of one function */
    WPG_VEC(wpg_report_line) lines;
} line_reader;

static const wpg_shader_counts *counts_of(const wpg_report_shader *shader, uint32_t ordinal)
{
    for (size_t i = 0; i < shader->function_count; i++)
        if (shader->functions[i].counts->function == ordinal)
            return shader->functions[i].counts;
    return NULL;
}

static void add_context(sums *blocks, const wpg_context *context, uint32_t block_count,
                        const wpg_shader_counts *counts)
{
    for (uint32_t b = 0; counts && b < block_count; b++) {
        const uint32_t home = context->home[b];
        if (home == WPG_NO_BLOCK || home >= counts->block_count)
            continue;
        blocks[b].placed = true;
        blocks[b].lanes = wpg_add_saturating(blocks[b].lanes, counts->lanes ? counts->lanes[home] : 0);
        blocks[b].waves = wpg_add_saturating(blocks[b].waves, counts->waves ? counts->waves[home] : 0);
        blocks[b].uniform =
            wpg_add_saturating(blocks[b].uniform, counts->uniform ? counts->uniform[home] : 0);
    }
}

static bool put_line(line_reader *reader, uint32_t file, uint32_t line, const sums *counts)
{
    const uint64_t key = (uint64_t)file << 32 | line;
    uint64_t at;
    if (!wpg_map_get(&reader->places, key, &at)) {
        at = reader->lines.count;
        return wpg_map_set(&reader->places, key, at) &&
               wpg_vec_push(&reader->lines,
                            (wpg_report_line){file, line, counts->lanes, counts->waves, counts->uniform});
    }
    wpg_report_line *known = &reader->lines.data[at];
    if (counts->lanes > known->lanes || (counts->lanes == known->lanes && counts->waves > known->waves))
        *known = (wpg_report_line){file, line, counts->lanes, counts->waves, counts->uniform};
    return true;
}

/* The lines of a source function. */
static bool read_function(line_reader *reader, const wpg_module *module, wpg_inst *function,
                          const sums *blocks, uint32_t block_count)
{
    uint32_t block = 0, file = WPG_REPORT_NONE;
    const char *last = NULL;
    bool inside = false, done = true;
    wpg_source_line at = {0};
    for (const wpg_inst *inst = function; inst && inst->opcode != SpvOpFunctionEnd && done;
         inst = inst->next) {
        if (inst->opcode == SpvOpLabel) {
            block += inside;
            inside = true;
            at.line = 0;
        } else if (inst->opcode == SpvOpNoLine) {
            at.line = 0;
        } else if (inst->opcode == SpvOpLine && inst->next) {
            if (!wpg_line_of(&at, module, inst->next))
                at.line = 0;
            if (!last || !at.file || strcmp(last, at.file) != 0)
                file = wpg_report_file_of(reader->loader, reader->sources, at.file);
            last = at.file;
        } else if (inside && block < block_count && blocks[block].placed && at.line &&
                   file != WPG_REPORT_NONE && inst->opcode != SpvOpVariable && inst->opcode != SpvOpPhi) {
            done = put_line(reader, file, at.line, &blocks[block]);
        }
    }
    return done;
}

static int by_place(const void *left, const void *right)
{
    const wpg_report_line *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Sorts, and adds up what several functions say of one line (two functions on a line). */
static wpg_status keep_lines(wpg_report_shader *shader, line_reader *reader, wpg_arena *arena)
{
    size_t kept = 0;
    if (!reader->lines.count)
        return WPG_OK;
    qsort(reader->lines.data, reader->lines.count, sizeof *reader->lines.data, by_place);
    wpg_report_line *lines = wpg_arena_memdup(arena, reader->lines.data, reader->lines.count * sizeof *lines);
    if (!lines)
        return WPG_E_NOMEM;
    for (size_t i = 0; i < reader->lines.count; i++) {
        if (kept && by_place(&lines[kept - 1], &lines[i]) == 0) {
            wpg_report_line *into = &lines[kept - 1];
            into->lanes = wpg_add_saturating(into->lanes, lines[i].lanes);
            into->waves = wpg_add_saturating(into->waves, lines[i].waves);
            into->uniform = wpg_add_saturating(into->uniform, lines[i].uniform);
        } else {
            lines[kept++] = lines[i];
        }
    }
    shader->lines = lines;
    shader->line_count = kept;
    return WPG_OK;
}

static wpg_status read_lines(wpg_report_shader *shader, line_reader *reader, const wpg_module *source,
                             const wpg_context_table *table)
{
    wpg_inst *function = wpg_next_function(source->first);
    wpg_status status = WPG_OK;
    for (uint32_t f = 0; function && f < table->function_count && status == WPG_OK; f++) {
        const uint32_t block_count = table->functions[f].block_count;
        sums *blocks = calloc((size_t)block_count + 1, sizeof *blocks);
        if (!blocks)
            return WPG_E_NOMEM;
        for (uint32_t c = 0; c < table->context_count; c++)
            if (table->contexts[c].function == f)
                add_context(blocks, &table->contexts[c], block_count,
                            counts_of(shader, table->contexts[c].ordinal));
        wpg_map_free(&reader->places);
        if (!read_function(reader, source, function, blocks, block_count))
            status = WPG_E_NOMEM;
        free(blocks);
        function = wpg_next_function(wpg_function_end(function));
    }
    return status;
}

wpg_status wpg_report_read_lines(wpg_report_loader *loader, wpg_report_shader *shader,
                                 const wpg_report_sources *sources, const uint32_t *words, size_t count,
                                 const wpg_stage *stage, wpg_error *err)
{
    wpg_module *source = NULL, *normal = NULL;
    wpg_context_table *table = NULL;
    line_reader reader = {.loader = loader, .sources = sources};
    wpg_status status = wpg_module_parse(&source, words, count, err);
    if (status == WPG_OK)
        status = wpg_module_parse(&normal, words, count, err);
    if (status == WPG_OK)
        status = wpg_normalize_source(source, stage, err);
    if (status == WPG_OK)
        status = wpg_normalize_contexts(&table, normal, stage, NULL, err);
    if (status == WPG_OK && (read_lines(shader, &reader, source, table) != WPG_OK ||
                             keep_lines(shader, &reader, &loader->report->arena) != WPG_OK))
        status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_map_free(&reader.places);
    wpg_vec_free(&reader.lines);
    wpg_context_table_destroy(table);
    wpg_module_destroy(normal);
    wpg_module_destroy(source);
    return status;
}
