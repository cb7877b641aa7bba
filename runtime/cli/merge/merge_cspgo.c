#include "runtime/cli/merge/merge_cspgo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/normalize/contexts.h"
#include "runtime/base/vec.h"
#include "runtime/report/model/shader_source.h"
#include "runtime/profile/cspgo_text.h"
#include "runtime/profile/shader_view.h"

typedef struct cspgo_job {
    const wpg_cspgo_options *options;
    wpg_cspgo_summary *summary;
    wpg_writer *out;
    wpg_arena arena; /* of one shader's records */
    WPG_VEC(wpg_cspgo_frame) frames;
    WPG_VEC(wpg_cspgo_count) counts;
    WPG_VEC(const char *) names; /* of the shader's source functions, as written */
} cspgo_job;

static wpg_status no_memory(wpg_error *err)
{
    return wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

static void note(const cspgo_job *job, const wpg_shader_counts *shader, const char *what, const char *why)
{
    char text[512], hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, shader->shader);
    (void)snprintf(text, sizeof text, "%s.%s.%.64s: %s: %.200s", hex, shader->stage, shader->entry, what,
                   why);
    if (job->options->note)
        job->options->note(job->options->command, text);
}

/* The counts asked for; NULL if they were not measured. */
static const uint64_t *counts_of(const cspgo_job *job, const wpg_shader_counts *shader)
{
    switch (job->options->unit) {
    case WPG_CSPGO_WAVES:
        return shader->waves;
    case WPG_CSPGO_LANES:
        return shader->lanes;
    default:
        return shader->waves ? shader->waves : shader->lanes;
    }
}

/* -- The shader ---------------------------------------------------------------------------------------- */

static wpg_status make_table(wpg_context_table **table, const uint32_t *words, size_t count,
                             const wpg_shader_info *info, const wpg_shader_counts *shader, wpg_error *err)
{
    wpg_module *module;
    wpg_stage stage = {0};
    wpg_spec_value *spec = NULL;
    WPG_TRY(wpg_module_parse(&module, words, count, err));
    wpg_status status = wpg_shader_source_stage(&stage, module, shader, err);
    if (!status)
        status = wpg_shader_source_specialise(&stage, &spec, info, err);
    if (!status)
        status = wpg_normalize_contexts(table, module, &stage, NULL, err);
    free(spec);
    wpg_module_destroy(module);
    return status;
}

/* Do the counts belong to that normal form? */
static bool belongs(const wpg_context_table *table, const wpg_shader_counts *function)
{
    return function->function < table->normal_count &&
           table->normal[function->function].checksum == function->checksum &&
           table->normal[function->function].block_count == function->block_count;
}

/* The call paths of a shader, from the first folder that has them; NULL with the reason in *err. */
static wpg_context_table *find_table(const cspgo_job *job, const wpg_shader_counts *shader, size_t functions,
                                     wpg_error *err)
{
    (void)wpg_fail(err, WPG_E_NOT_FOUND, "its SPIR-V is not there (give a bundle, or --shaders DIR)");
    for (size_t i = 0; i < job->options->folder_count; i++) {
        uint32_t *words;
        size_t count;
        wpg_shader_info info;
        wpg_context_table *table = NULL;
        wpg_error detail = {0};
        wpg_status status =
            wpg_shader_source_read(&words, &count, &info, job->options->folders[i], shader->shader, &detail);
        if (status == WPG_E_NOT_FOUND)
            continue;
        if (status == WPG_OK) {
            status = make_table(&table, words, count, &info, shader, &detail);
            free(words);
            wpg_shader_info_finish(&info);
        }
        bool any = false;
        for (size_t f = 0; f < functions && table; f++)
            any |= belongs(table, &shader[f]);
        if (any)
            return table;
        if (table)
            (void)wpg_fail(
                err, WPG_E_MISMATCH,
                "the checksum of its SPIR-V differs (other specialisation values, or another version "
                "of the normal form)");
        else
            (void)wpg_fail(err, status, "%s", detail.message);
        wpg_context_table_destroy(table);
    }
    return NULL;
}

/* -- Records ------------------------------------------------------------------------------------------- */

static const char *function_name(cspgo_job *job, const wpg_shader_counts *shader, const char *function)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, shader->shader);
    size_t size = WPG_HASH_HEX + 1 + strlen(shader->stage) + 1 + strlen(function) + 1;
    char *name = wpg_arena_alloc(&job->arena, size, 1);
    if (name)
        (void)snprintf(name, size, "%s.%s.%s", hex, shader->stage, function);
    return name;
}

static bool add_frames(cspgo_job *job, const wpg_context_table *table, uint32_t context)
{
    size_t depth = 0;
    for (uint32_t c = context; c != WPG_NO_CONTEXT; c = table->contexts[c].parent)
        depth++;
    wpg_vec_clear(&job->frames);
    if (!wpg_vec_reserve(&job->frames, depth))
        return false;
    job->frames.count = depth;
    uint32_t call = 0;
    for (uint32_t c = context; c != WPG_NO_CONTEXT; c = table->contexts[c].parent) {
        const wpg_context *at = &table->contexts[c];
        job->frames.data[--depth] = (wpg_cspgo_frame){job->names.data[at->function], call};
        if (at->parent != WPG_NO_CONTEXT)
            call = table->functions[table->contexts[at->parent].function].block_count + 1 + at->call;
    }
    return true;
}

static uint64_t count_at(const uint64_t *counts, uint32_t block)
{
    return block == WPG_NO_BLOCK ? 0 : counts[block];
}

/* Blocks are probes 1 to n, calls n + 1 and following, as LLVM numbers them. */
static wpg_status write_context(cspgo_job *job, const wpg_context_table *table, uint32_t c,
                                const uint64_t *counts, wpg_error *err)
{
    const wpg_context *context = &table->contexts[c];
    const wpg_source_function *function = &table->functions[context->function];
    wpg_vec_clear(&job->counts);
    if (!add_frames(job, table, c) ||
        !wpg_vec_reserve(&job->counts, (size_t)function->block_count + function->call_count))
        return no_memory(err);
    for (uint32_t b = 0; b < function->block_count; b++)
        job->counts.data[job->counts.count++] =
            (wpg_cspgo_count){.probe = b + 1, .count = count_at(counts, context->home[b])};
    for (uint32_t k = 0; k < function->call_count; k++) {
        uint64_t count = count_at(counts, context->call_home[k]);
        job->counts.data[job->counts.count++] =
            (wpg_cspgo_count){.probe = function->block_count + 1 + k,
                              .count = count,
                              .target = job->names.data[function->calls[k].callee],
                              .target_count = count};
    }
    const wpg_cspgo_record record = {.frames = job->frames.data,
                                     .frame_count = job->frames.count,
                                     .checksum = function->checksum,
                                     .head = job->counts.data[0].count,
                                     .counts = job->counts.data,
                                     .count_count = job->counts.count};
    WPG_TRY(wpg_cspgo_write(job->out, &record, err));
    job->summary->records++;
    return WPG_OK;
}

static wpg_status write_contexts(cspgo_job *job, const wpg_context_table *table,
                                 const wpg_shader_counts *function, const uint64_t *counts, wpg_error *err)
{
    wpg_vec_clear(&job->names);
    for (uint32_t i = 0; i < table->function_count; i++) {
        const char *name = function_name(job, function, table->functions[i].name);
        /* NOLINTNEXTLINE(bugprone-sizeof-expression): a vector of pointers */
        if (!name || !wpg_vec_push(&job->names, name))
            return no_memory(err);
    }
    for (uint32_t c = 0; c < table->context_count; c++)
        if (table->contexts[c].ordinal == function->function)
            WPG_TRY(write_context(job, table, c, counts, err));
    return WPG_OK;
}

/* One context named as the function's records are, blocks of the normal form as probes. */
static wpg_status write_flat(cspgo_job *job, const wpg_shader_counts *function, const uint64_t *counts,
                             wpg_error *err)
{
    wpg_record_name parts = {.shader = function->shader,
                             .entry = (char *)(uintptr_t)function->entry,
                             .function = function->function};
    char *name;
    memcpy(parts.stage, function->stage, sizeof parts.stage);
    WPG_TRY(wpg_record_name_compose(&name, &parts, err));
    *strrchr(name, '#') = 0;
    wpg_vec_clear(&job->counts);
    wpg_status status = wpg_vec_reserve(&job->counts, function->block_count) ? WPG_OK : no_memory(err);
    for (size_t b = 0; b < function->block_count && !status; b++)
        job->counts.data[job->counts.count++] =
            (wpg_cspgo_count){.probe = (uint32_t)b + 1, .count = counts[b]};
    const wpg_cspgo_frame frame = {name, 0};
    const wpg_cspgo_record record = {&frame,           1, function->checksum, counts[0], job->counts.data,
                                     job->counts.count};
    if (!status)
        status = wpg_cspgo_write(job->out, &record, err);
    job->summary->records += status == WPG_OK;
    free(name);
    return status;
}

/* The functions of one shader stage: contexts where they are known and fit the format, else flat. */
static wpg_status write_shader(cspgo_job *job, const wpg_shader_counts *shader, size_t functions,
                               wpg_error *err)
{
    wpg_error why = {0};
    size_t measured = 0, joined = 0;
    for (size_t f = 0; f < functions; f++)
        measured += shader[f].block_count && counts_of(job, &shader[f]);
    if (!measured) {
        note(job, shader, "left out", "these counts were not measured");
        return WPG_OK;
    }
    job->summary->shaders++;
    wpg_context_table *table = find_table(job, shader, functions, &why);
    wpg_status status = WPG_OK;
    for (size_t f = 0; f < functions && !status; f++) {
        const uint64_t *counts = shader[f].block_count ? counts_of(job, &shader[f]) : NULL;
        if (!counts)
            continue;
        size_t size = job->out->size, records = job->summary->records;
        if (table && belongs(table, &shader[f])) {
            status = write_contexts(job, table, &shader[f], counts, &why);
            joined += status == WPG_OK;
            if (status != WPG_E_LIMIT)
                continue;
            job->out->size = size; /* all or nothing of a function */
            job->summary->records = records;
        } else if (table) {
            (void)wpg_fail(&why, WPG_E_MISMATCH, "counts of another version of the normal form");
        }
        note(job, shader, "written without contexts", why.message);
        status = write_flat(job, &shader[f], counts, &why);
        if (status == WPG_E_LIMIT) {
            note(job, shader, "left out", why.message);
            status = WPG_OK;
        }
    }
    job->summary->with_contexts += joined > 0;
    wpg_context_table_destroy(table);
    wpg_arena_finish(&job->arena);
    return status ? wpg_fail(err, status, "%s", why.message) : WPG_OK;
}

wpg_status wpg_merge_cspgo(wpg_writer *w, wpg_cspgo_summary *summary, const wpg_profile *profile,
                           const wpg_cspgo_options *options, wpg_error *err)
{
    cspgo_job job = {.options = options, .summary = summary, .out = w};
    wpg_shader_view *view;
    *summary = (wpg_cspgo_summary){0};
    WPG_TRY(wpg_shader_view_create(&view, profile, err));
    wpg_arena_init(&job.arena);
    wpg_status status = WPG_OK;
    for (size_t i = 0, next; i < view->shader_count && !status; i = next) {
        const wpg_shader_counts *first = &view->shaders[i];
        next = i + 1;
        while (next < view->shader_count && wpg_hash_equal(first->shader, view->shaders[next].shader) &&
               !strcmp(first->stage, view->shaders[next].stage) &&
               !strcmp(first->entry, view->shaders[next].entry))
            next++;
        status = write_shader(&job, first, next - i, err);
    }
    if (!status && !summary->records)
        status = wpg_fail(err, WPG_E_NOT_FOUND, "no shader has counts of that kind: nothing to write");
    wpg_shader_view_destroy(view);
    wpg_arena_finish(&job.arena);
    wpg_vec_free(&job.frames);
    wpg_vec_free(&job.counts);
    wpg_vec_free(&job.names);
    return status;
}
