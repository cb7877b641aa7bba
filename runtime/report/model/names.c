/* What a person calls a shader and a pipeline. The first that there is:
 *
 *     pipeline: its debug name (VK_EXT_debug_utils)      shader: the source file that its module names
 *               the names of its shaders                         the debug name of its module
 *                                                                 OpName of the entry function, the entry
 *                                                                 point's name; "main" is no name
 *                                                                 its stage and the hash's first digits
 *
 * Names come from the program: bytes that would steer a terminal are replaced. */
#include <stdio.h>
#include <string.h>

#include "compiler/spirv/debug.h"
#include "runtime/report/model/internal.h"

enum { NAME_LENGTH = 96, MOST_NAMED = 4 };

static const char *clean(wpg_arena *arena, const char *text)
{
    char *copy = wpg_arena_strdup(arena, text);
    for (char *at = copy; at && *at; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
        if (at - copy >= NAME_LENGTH)
            *at = '\0';
    }
    return copy;
}

/* Entry points and files that say nothing: all shaders of some front end have them. */
static bool says_something(const char *name)
{
    static const char *const empty[] = {"main", "src.main", "-", "dawn_entry_point", "main_"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        if (!name || strcmp(name, empty[i]) == 0)
            return false;
    return *name != '\0';
}

const char *wpg_report_name_of_id(const wpg_module *module, uint32_t id)
{
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode == SpvOpName && inst->count > 2 && inst->words[1] == id)
            return wpg_inst_string(inst, 2);
    }
    return NULL;
}

const char *wpg_report_module_name(wpg_report_loader *loader, const wpg_module *module,
                                   const wpg_report_sources *sources, const wpg_stage *stage)
{
    wpg_report *report = loader->report;
    char text[NAME_LENGTH * 2];
    const char *file = sources->count
                           ? wpg_report_base_name(report->files.data[sources->files[sources->count - 1]].name)
                           : NULL;
    const char *function = NULL;
    WPG_INST_EACH (inst, module) {
        const char *entry =
            inst->opcode == SpvOpEntryPoint && inst->count > 3 ? wpg_inst_string(inst, 3) : NULL;
        if (entry && inst->words[1] == (uint32_t)stage->model && strcmp(entry, stage->entry) == 0)
            function = wpg_report_name_of_id(module, inst->words[2]);
    }
    if (!says_something(function))
        function = says_something(stage->entry) ? stage->entry : NULL;
    if (says_something(file) && function && strncmp(file, function, strlen(function)) != 0)
        (void)snprintf(text, sizeof text, "%.*s %.*s", NAME_LENGTH - 1, file, NAME_LENGTH - 1, function);
    else if (says_something(file))
        (void)snprintf(text, sizeof text, "%.*s", NAME_LENGTH - 1, file);
    else if (function)
        (void)snprintf(text, sizeof text, "%.*s", NAME_LENGTH - 1, function);
    else
        return NULL;
    return clean(&report->arena, text);
}

/* The first text whose key starts so, NULL if there is none. */
static const char *fact_text(const wpg_facts *facts, const char *prefix)
{
    for (size_t i = 0; facts && i < wpg_facts_size(facts); i++) {
        const wpg_fact *fact = wpg_facts_at(facts, i);
        if (fact->rule == WPG_FACT_IS && strncmp(fact->key, prefix, strlen(prefix)) == 0 && *fact->text)
            return fact->text;
    }
    return NULL;
}

/* The debug name of the module in one of the shader's pipelines. */
static const char *debug_name(const wpg_report *report, const wpg_report_shader *shader)
{
    char key[32];
    (void)snprintf(key, sizeof key, "module.%s.", shader->stage);
    for (size_t i = 0; i < shader->pipeline_count; i++) {
        const char *text = fact_text(
            wpg_bundle_find(&report->bundle, "pipeline", report->pipelines[shader->pipelines[i]].hex), key);
        if (text)
            return text;
    }
    return NULL;
}

static void name_shader(wpg_report *report, wpg_report_shader *shader)
{
    char text[NAME_LENGTH];
    const char *given = shader->name ? NULL : debug_name(report, shader);
    if (given)
        shader->name = clean(&report->arena, given);
    if (!shader->name && says_something(shader->entry))
        shader->name = clean(&report->arena, shader->entry);
    if (!shader->name) {
        (void)snprintf(text, sizeof text, "%s %.8s", shader->stage, shader->hex);
        shader->name = wpg_arena_strdup(&report->arena, text);
    }
    if (!shader->name)
        shader->name = shader->hex;
}

static void name_pipeline(wpg_report *report, wpg_report_pipeline *pipeline)
{
    char text[NAME_LENGTH * MOST_NAMED] = "";
    const char *given = fact_text(wpg_bundle_find(&report->bundle, "pipeline", pipeline->hex), "name.");
    size_t length = 0;
    if (given) {
        pipeline->name = clean(&report->arena, given);
    } else {
        for (size_t i = 0; i < pipeline->stage_count && i < MOST_NAMED && length + NAME_LENGTH < sizeof text;
             i++)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? " + " : "",
                                       report->shaders[pipeline->stages[i].shader].name);
        pipeline->name = wpg_arena_strdup(&report->arena, length ? text : pipeline->hex);
    }
    if (!pipeline->name)
        pipeline->name = pipeline->hex;
}

void wpg_report_name_all(wpg_report_loader *loader)
{
    wpg_report *report = loader->report;
    for (size_t i = 0; i < report->shader_count; i++)
        name_shader(report, &report->shaders[i]);
    for (size_t i = 0; i < report->pipeline_count; i++)
        name_pipeline(report, &report->pipelines[i]);
}

const char *wpg_report_place(char *buffer, size_t size, const wpg_report *report,
                             const wpg_report_shader *shader, uint32_t function, uint32_t block)
{
    for (size_t i = 0; i < shader->function_count; i++) {
        const wpg_report_function *f = &shader->functions[i];
        if (f->counts->function != function || block >= f->counts->block_count)
            continue;
        const wpg_report_block *b = &f->blocks[block];
        const char *kind = wpg_report_block_kind_name(b->kind);
        if (b->file == WPG_REPORT_NONE)
            break;
        (void)snprintf(buffer, size, "%s:%u%s%s", wpg_report_base_name(report->files.data[b->file].name),
                       b->line, *kind ? " " : "", kind);
        return buffer;
    }
    (void)snprintf(buffer, size, "block %u", block);
    return buffer;
}
