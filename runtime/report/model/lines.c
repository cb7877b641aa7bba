/* Counts of source lines, functions and branches. A line's count in one place is that of the most frequent
 * block of its function with an instruction of the line. Places (copies of the function that inlining made)
 * are added up.
 *
 *     words --wpg_normalize_source--> source functions: block -> lines
 *     words --wpg_normalize_contexts--> copy of a function: block -> block that was counted
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/normalize/normalize.h"
#include "compiler/spirv/debug.h"
#include "runtime/base/arithmetic.h"
#include "runtime/report/model/internal.h"

/* Counts of a block of a source function, over all contexts. */
typedef struct sums {
    uint64_t lanes, waves, uniform;
    bool placed; /* some copy of the block is there still */
} sums;

typedef struct line_reader {
    wpg_report_loader *loader;
    const wpg_report_sources *sources;
    const wpg_context_table *table;
    wpg_map places; /* file << 32 | line -> index in parts; of one function */
    WPG_VEC(wpg_report_line_part) parts;
    WPG_VEC(wpg_report_source_branch) branches;
    wpg_report_source_function *functions; /* [table->function_count] */
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

/* Where the reader stands in a source function. */
typedef struct line_cursor {
    const wpg_module *module;
    uint32_t function, block, block_count;
    const sums *blocks;
    wpg_source_line at; /* line 0: none */
    uint32_t file;
    const char *last; /* name of `file` */
} line_cursor;

static bool put_line(line_reader *reader, const line_cursor *cursor, bool is_work)
{
    const uint64_t key = (uint64_t)cursor->file << 32 | cursor->at.line;
    const sums *counts = &cursor->blocks[cursor->block];
    uint64_t index;
    if (!wpg_map_get(&reader->places, key, &index)) {
        const wpg_report_line_part part = {
            .function = cursor->function, .file = cursor->file, .line = cursor->at.line};
        index = reader->parts.count;
        if (!wpg_map_set(&reader->places, key, index) || !wpg_vec_push(&reader->parts, part))
            return false;
    }
    wpg_report_line_part *part = &reader->parts.data[index];
    if (is_work) {
        part->work_lanes = wpg_add_saturating(part->work_lanes, counts->lanes);
        part->work_waves = wpg_add_saturating(part->work_waves, counts->waves);
    }
    if (counts->lanes > part->lanes || (counts->lanes == part->lanes && counts->waves >= part->waves)) {
        part->lanes = counts->lanes;
        part->waves = counts->waves;
        part->uniform = counts->uniform;
    }
    wpg_report_source_function *function = &reader->functions[cursor->function];
    if (function->file == WPG_REPORT_NONE) {
        function->file = cursor->file;
        function->line = cursor->at.line;
    }
    return true;
}

static bool put_branch(line_reader *reader, const line_cursor *cursor, wpg_report_source_branch *branch)
{
    branch->file = cursor->file;
    branch->line = cursor->at.line;
    for (size_t i = 0; i < reader->branches.count; i++)
        branch->ordinal +=
            reader->branches.data[i].file == branch->file && reader->branches.data[i].line == branch->line;
    return wpg_vec_push(&reader->branches, *branch);
}

static void set_line(line_cursor *cursor, const line_reader *reader, const wpg_inst *inst)
{
    if (!wpg_line_of(&cursor->at, cursor->module, inst->next))
        cursor->at.line = 0;
    if (!cursor->last || !cursor->at.file || strcmp(cursor->last, cursor->at.file) != 0)
        cursor->file = wpg_report_file_of(reader->loader, reader->sources, cursor->at.file);
    cursor->last = cursor->at.file;
}

static bool is_placed(const line_cursor *cursor)
{
    return cursor->block < cursor->block_count && cursor->blocks[cursor->block].placed && cursor->at.line &&
           cursor->file != WPG_REPORT_NONE;
}

/* The lines and branches of a source function. */
static bool read_function(line_reader *reader, const wpg_report_shader *shader, line_cursor *cursor,
                          wpg_inst *function)
{
    wpg_map labels = {0};
    bool inside = false, done = wpg_report_number_labels(&labels, function);
    for (const wpg_inst *inst = function; inst && inst->opcode != SpvOpFunctionEnd && done;
         inst = inst->next) {
        if (inst->opcode == SpvOpLabel) {
            cursor->block += inside;
            inside = true;
            cursor->at.line = 0;
        } else if (inst->opcode == SpvOpNoLine) {
            cursor->at.line = 0;
        } else if (inst->opcode == SpvOpLine && inst->next) {
            set_line(cursor, reader, inst);
        } else if (inside && is_placed(cursor) && inst->opcode != SpvOpVariable && inst->opcode != SpvOpPhi) {
            wpg_report_source_branch branch;
            done = put_line(reader, cursor, wpg_report_is_work(inst));
            if (done && wpg_report_count_branch(&branch, shader, reader->table, cursor->function,
                                                cursor->block, inst, &labels))
                done = put_branch(reader, cursor, &branch);
        }
    }
    wpg_map_free(&labels);
    return done;
}

/* -- In order */

#define COMPARE(a, b, key)                                                                                   \
    if ((a)->key != (b)->key)                                                                                \
    return (a)->key < (b)->key ? -1 : 1

static int by_place(const void *left, const void *right)
{
    const wpg_report_line *a = left, *b = right;
    COMPARE(a, b, file);
    COMPARE(a, b, line);
    return 0;
}

static int by_function(const void *left, const void *right)
{
    const wpg_report_line_part *a = left, *b = right;
    COMPARE(a, b, function);
    COMPARE(a, b, file);
    COMPARE(a, b, line);
    return 0;
}

static int by_branch(const void *left, const void *right)
{
    const wpg_report_source_branch *a = left, *b = right;
    COMPARE(a, b, file);
    COMPARE(a, b, line);
    COMPARE(a, b, ordinal);
    return 0;
}

/* The lines of the shader: adds up what several functions say of one (two functions on a line). */
static wpg_status add_up(wpg_report_shader *shader, wpg_arena *arena)
{
    size_t kept = 0;
    wpg_report_line *lines = WPG_ARENA_ARRAY(arena, wpg_report_line, shader->line_part_count);
    if (!lines)
        return WPG_E_NOMEM;
    for (size_t i = 0; i < shader->line_part_count; i++) {
        const wpg_report_line_part *part = &shader->line_parts[i];
        lines[i] = (wpg_report_line){part->file, part->line, part->lanes, part->waves, part->uniform};
    }
    qsort(lines, shader->line_part_count, sizeof *lines, by_place);
    for (size_t i = 0; i < shader->line_part_count; i++) {
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

static wpg_status keep_lines(wpg_report_shader *shader, line_reader *reader, wpg_arena *arena)
{
    if (!reader->parts.count)
        return WPG_OK;
    qsort(reader->parts.data, reader->parts.count, sizeof *reader->parts.data, by_function);
    shader->line_parts =
        wpg_arena_memdup(arena, reader->parts.data, reader->parts.count * sizeof *reader->parts.data);
    shader->line_part_count = reader->parts.count;
    shader->source_functions = reader->functions;
    shader->source_function_count = reader->table->function_count;
    if (reader->branches.count) {
        qsort(reader->branches.data, reader->branches.count, sizeof *reader->branches.data, by_branch);
        shader->source_branches = wpg_arena_memdup(arena, reader->branches.data,
                                                   reader->branches.count * sizeof *reader->branches.data);
        shader->source_branch_count = shader->source_branches ? reader->branches.count : 0;
    }
    return shader->line_parts && !arena->failed ? add_up(shader, arena) : WPG_E_NOMEM;
}

/* -- Functions */

/* glslang calls its functions "f(u1;": what stands before the bracket is the source's name. */
static const char *source_name(const line_reader *reader, const wpg_module *module, const wpg_inst *function,
                               uint32_t index)
{
    const char *name = wpg_report_name_of_id(module, function->result);
    const char *end = name ? strchr(name, '(') : NULL;
    if (!name || !*name || end == name)
        name = reader->table->functions[index].name;
    const size_t length = end && end > name ? (size_t)(end - name) : strlen(name);
    char *copy = wpg_arena_alloc(&reader->loader->report->arena, length + 1, 1);
    if (!copy)
        return NULL;
    memcpy(copy, name, length);
    copy[length] = '\0';
    return copy;
}

static wpg_status read_lines(const wpg_report_shader *shader, line_reader *reader, const wpg_module *source)
{
    const wpg_context_table *table = reader->table;
    wpg_inst *function = wpg_next_function(source->first);
    wpg_status status = WPG_OK;
    reader->functions =
        WPG_ARENA_ARRAY(&reader->loader->report->arena, wpg_report_source_function, table->function_count);
    if (!reader->functions)
        return WPG_E_NOMEM;
    for (uint32_t f = 0; f < table->function_count; f++)
        reader->functions[f] = (wpg_report_source_function){.name = "", .file = WPG_REPORT_NONE};
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
        reader->functions[f].name = source_name(reader, source, function, f);
        reader->functions[f].lanes = blocks[0].lanes;
        reader->functions[f].waves = blocks[0].waves;
        line_cursor cursor = {.module = source,
                              .function = f,
                              .blocks = blocks,
                              .block_count = block_count,
                              .file = WPG_REPORT_NONE};
        if (!reader->functions[f].name || !read_function(reader, shader, &cursor, function))
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
    reader.table = table;
    if (status == WPG_OK && (read_lines(shader, &reader, source) != WPG_OK ||
                             keep_lines(shader, &reader, &loader->report->arena) != WPG_OK))
        status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_map_free(&reader.places);
    wpg_vec_free(&reader.parts);
    wpg_vec_free(&reader.branches);
    wpg_context_table_destroy(table);
    wpg_module_destroy(normal);
    wpg_module_destroy(source);
    return status;
}
