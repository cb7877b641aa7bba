/* Source texts of a module: OpSource with OpSourceContinued, and DebugSource of
 * NonSemantic.Shader.DebugInfo.100. Sources: SPIR-V 1.6, 3.42.2; the extended instruction set's
 * specification. */
#include <string.h>

#include "compiler/spirv/debug.h"
#include "runtime/base/hash.h"
#include "runtime/report/model/internal.h"

enum { DEBUG_SOURCE = 35, DEBUG_SOURCE_CONTINUED = 102 };

const char *wpg_report_base_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');
    const char *last = !slash || (back && back > slash) ? back : slash;
    return last && last[1] ? last + 1 : path;
}

static const char *string_at(const wpg_module *module, uint32_t id)
{
    const wpg_inst *inst = wpg_module_def(module, id);
    return inst && inst->opcode == SpvOpString ? wpg_inst_string(inst, 2) : NULL;
}

/* Index in report->files; one is added where the pair is new. */
static uint32_t file_index(wpg_report_loader *loader, const char *name, const char *text)
{
    wpg_report *report = loader->report;
    const uint64_t key =
        wpg_hash64_bytes(name, strlen(name)) * 3 + (text ? wpg_hash64_bytes(text, strlen(text)) : 1);
    uint64_t index;
    if (wpg_map_get(&loader->files, key, &index))
        return (uint32_t)index;
    const wpg_report_file file = {.name = wpg_arena_strdup(&report->arena, name),
                                  .text = text ? wpg_arena_strdup(&report->arena, text) : NULL};
    if (!file.name || (text && !file.text) || !wpg_map_set(&loader->files, key, report->files.count) ||
        !wpg_vec_push(&report->files, file))
        return WPG_REPORT_NONE;
    return (uint32_t)report->files.count - 1;
}

/* The text of OpSource and of the OpSourceContinued behind it; of DebugSource and its continuations.
 * NULL: none. */
static const char *joined(const wpg_module *module, const wpg_inst *inst, const char *first, wpg_arena *arena)
{
    const bool extended = inst->opcode == SpvOpExtInst;
    size_t length = first ? strlen(first) : 0;
    char *text = NULL;
    if (!first)
        return NULL;
    for (unsigned pass = 0; pass < 2; pass++) {
        size_t at = strlen(first);
        for (const wpg_inst *next = inst->next; next; next = next->next) {
            const char *more = !extended && next->opcode == SpvOpSourceContinued ? wpg_inst_string(next, 1)
                               : extended && next->opcode == SpvOpExtInst && next->count > 5 &&
                                       next->words[3] == inst->words[3] &&
                                       next->words[4] == DEBUG_SOURCE_CONTINUED
                                   ? string_at(module, next->words[5])
                                   : NULL;
            if (!more && (!extended || next->opcode != SpvOpExtInst))
                break;
            if (more && text)
                memcpy(text + at, more, strlen(more));
            at += more ? strlen(more) : 0;
        }
        if (at == length && !text)
            return first;
        length = at;
        if (!text && !(text = wpg_arena_alloc(arena, length + 1, 1)))
            return NULL;
        memcpy(text, first, strlen(first));
    }
    return text;
}

static const char *source_of(const char **text, const wpg_module *module, const wpg_inst *inst,
                             wpg_arena *arena)
{
    if (inst->opcode == SpvOpSource && inst->count > 3) {
        const char *first = inst->count > 4 ? wpg_inst_string(inst, 4) : NULL;
        *text = first && *first ? joined(module, inst, first, arena) : NULL;
        return string_at(module, inst->words[3]);
    }
    if (inst->opcode != SpvOpExtInst || inst->count < 6 || inst->words[4] != DEBUG_SOURCE)
        return NULL;
    const wpg_inst *set = wpg_module_def(module, inst->words[3]);
    const char *set_name = set && set->opcode == SpvOpExtInstImport ? wpg_inst_string(set, 2) : NULL;
    if (!set_name || (strcmp(set_name, "NonSemantic.Shader.DebugInfo.100") != 0 &&
                      strcmp(set_name, "OpenCL.DebugInfo.100") != 0))
        return NULL;
    *text = inst->count > 6 ? joined(module, inst, string_at(module, inst->words[6]), arena) : NULL;
    return string_at(module, inst->words[5]);
}

wpg_status wpg_report_read_sources(wpg_report_sources *sources, wpg_report_loader *loader,
                                   const wpg_module *module, wpg_error *err)
{
    wpg_arena *arena = &loader->report->arena;
    wpg_arena local;
    size_t most = 0, count = 0;
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        most += inst->opcode == SpvOpSource || inst->opcode == SpvOpExtInst;
    }
    uint32_t *list = WPG_ARENA_ARRAY(arena, uint32_t, most);
    if (!list)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_arena_init(&local);
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        const char *text = NULL, *name = source_of(&text, module, inst, &local);
        const uint32_t index = name && *name ? file_index(loader, name, text) : WPG_REPORT_NONE;
        if (index != WPG_REPORT_NONE && count < most)
            list[count++] = index;
    }
    const bool failed = local.failed;
    wpg_arena_finish(&local);
    *sources = (wpg_report_sources){list, count};
    return failed ? wpg_fail(err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}

uint32_t wpg_report_file_of(wpg_report_loader *loader, const wpg_report_sources *sources, const char *name)
{
    if (!name || !*name)
        return WPG_REPORT_NONE;
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(loader->report->files.data[sources->files[i]].name, name) == 0)
            return sources->files[i];
    return file_index(loader, name, NULL);
}
