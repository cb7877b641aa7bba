#include "runtime/report/model/shader_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/file.h"

wpg_status wpg_shader_source_read(uint32_t **words, size_t *count, wpg_shader_info *info, const char *folder,
                                  wpg_hash128 shader, wpg_error *err)
{
    char path[4096], hex[WPG_HASH_HEX + 1];
    uint8_t *data;
    size_t size;
    *info = (wpg_shader_info){0};
    if (wpg_bundle_shader_words(words, count, folder, shader, NULL) == WPG_OK) {
        (void)wpg_bundle_shader_info(info, folder, shader, NULL); /* a dump's defaults will do without it */
        return WPG_OK;
    }
    wpg_hash_to_hex(hex, shader);
    if (snprintf(path, sizeof path, "%s/%s.spv", folder, hex) >= (int)sizeof path)
        return wpg_fail(err, WPG_E_NOT_FOUND, "too long a path");
    WPG_TRY(wpg_file_read(&data, &size, path, (size_t)WPG_SPIRV_MAX_WORDS * 4, err));
    *words = (uint32_t *)(void *)data;
    *count = size / 4;
    return WPG_OK;
}

wpg_status wpg_shader_source_stage(wpg_stage *stage, const wpg_module *module,
                                   const wpg_shader_counts *shader, wpg_error *err)
{
    WPG_INST_EACH (inst, module) {
        const char *name =
            inst->opcode == SpvOpEntryPoint && inst->count > 3 ? wpg_inst_string(inst, 3) : NULL;
        const char *kind = name ? wpg_stage_name((SpvExecutionModel)inst->words[1]) : NULL;
        if (kind && !strcmp(kind, shader->stage) && !strcmp(name, shader->entry)) {
            stage->model = (SpvExecutionModel)inst->words[1];
            stage->entry = shader->entry;
            return WPG_OK;
        }
    }
    return wpg_fail(err, WPG_E_NOT_FOUND, "its SPIR-V has no such entry point");
}

wpg_status wpg_shader_source_specialise(wpg_stage *stage, wpg_spec_value **spec, const wpg_shader_info *info,
                                        wpg_error *err)
{
    *spec = calloc(info->spec_count ? info->spec_count : 1, sizeof **spec);
    if (!*spec)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (size_t i = 0; i < info->spec_count; i++)
        (*spec)[i] = (wpg_spec_value){info->specs[i].id, info->specs[i].size, info->specs[i].bits};
    stage->spec = *spec;
    stage->spec_count = info->spec_count;
    return WPG_OK;
}

wpg_status wpg_shader_names_of(wpg_shader_names *names, const wpg_module *module, const wpg_stage *stage,
                               wpg_error *err)
{
    WPG_TRY(wpg_shader_hash(&names->now, module, stage, err));
    return wpg_shader_hash_before(&names->before, module, stage, err);
}

size_t wpg_shader_names_find(const wpg_shader_counts **first, const wpg_shader_view *view,
                             const wpg_shader_names *names, const char *stage, const char *entry)
{
    size_t count = wpg_shader_view_find(first, view, names->now, stage, entry);
    return count ? count : wpg_shader_view_find(first, view, names->before, stage, entry);
}

static wpg_status read_file(wpg_shader_source *source, const char *path, wpg_error *err)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    WPG_TRY(wpg_file_read(&bytes, &size, path, (size_t)WPG_SPIRV_MAX_WORDS * 4, err));
    source->words = (uint32_t *)(void *)bytes;
    source->count = size / 4;
    return WPG_OK;
}

/* Parses the words; are they that shader, with the values of *info? */
static wpg_status identify(wpg_shader_source *source, const wpg_shader_info *info,
                           const wpg_shader_counts *shader, bool by_hash, wpg_error *err)
{
    wpg_shader_names names;
    WPG_TRY(wpg_module_parse(&source->module, source->words, source->count, err));
    WPG_TRY(wpg_shader_source_stage(&source->stage, source->module, shader, err));
    WPG_TRY(wpg_shader_source_specialise(&source->stage, &source->spec, info, err));
    if (!by_hash)
        return WPG_OK;
    WPG_TRY(wpg_shader_names_of(&names, source->module, &source->stage, err));
    return wpg_hash_equal(names.now, shader->shader) || wpg_hash_equal(names.before, shader->shader)
               ? WPG_OK
               : wpg_fail(err, WPG_E_NOT_FOUND, "another shader");
}

wpg_status wpg_shader_source_find(wpg_shader_source *source, bool *in_folder, const char *place,
                                  const wpg_shader_counts *shader, wpg_error *err)
{
    struct stat file;
    wpg_shader_info info = {0};
    *source = (wpg_shader_source){0};
    *in_folder = stat(place, &file) == 0 && S_ISDIR(file.st_mode);
    wpg_status status =
        *in_folder ? wpg_shader_source_read(&source->words, &source->count, &info, place, shader->shader, err)
                   : read_file(source, place, err);
    if (status == WPG_OK)
        status = identify(source, &info, shader, !*in_folder, err);
    wpg_shader_info_finish(&info);
    if (status != WPG_OK)
        wpg_shader_source_finish(source);
    return status;
}

void wpg_shader_source_finish(wpg_shader_source *source)
{
    wpg_module_destroy(source->module);
    free(source->spec);
    free(source->words);
    *source = (wpg_shader_source){0};
}
