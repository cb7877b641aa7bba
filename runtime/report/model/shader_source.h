/* Finds the SPIR-V of a shader that a profile has counts of: in bundles (shaders/<hash>.spv beside
 * <hash>.info) and in folders of dumps (<hash>.spv). Files are untrusted. Threads: no shared state. */
#ifndef WPG_RUNTIME_REPORT_MODEL_SHADER_SOURCE_H
#define WPG_RUNTIME_REPORT_MODEL_SHADER_SOURCE_H

#include "compiler/spirv/stage.h"
#include "runtime/bundle/shader_info.h"
#include "runtime/profile/shader_view.h"

/* The words of the shader, malloc'd. *info is the bundle's knowledge of the shader, empty in a folder of
 * dumps: release it with wpg_shader_info_finish. WPG_E_NOT_FOUND if the shader is in neither place. */
wpg_status wpg_shader_source_read(uint32_t **words, size_t *count, wpg_shader_info *info, const char *folder,
                                  wpg_hash128 shader, wpg_error *err);

/* The counted stage: its entry point in the module, without specialisation values. Borrows the name from
 * `shader`. WPG_E_NOT_FOUND: the module has no such entry point. */
wpg_status wpg_shader_source_stage(wpg_stage *stage, const wpg_module *module,
                                   const wpg_shader_counts *shader, wpg_error *err);

/* The specialisation values of *info as the compiler takes them: malloc'd into *spec, which the caller frees,
 * and set in *stage. */
wpg_status wpg_shader_source_specialise(wpg_stage *stage, wpg_spec_value **spec, const wpg_shader_info *info,
                                        wpg_error *err);

/* The names of a shader: `before` is what older profiles have (compiler/spirv/stage.h). */
typedef struct wpg_shader_names {
    wpg_hash128 now, before;
} wpg_shader_names;

/* Of a module as the program gave it, before any pass. */
wpg_status wpg_shader_names_of(wpg_shader_names *names, const wpg_module *module, const wpg_stage *stage,
                               wpg_error *err);
/* wpg_shader_view_find by either name. */
size_t wpg_shader_names_find(const wpg_shader_counts **first, const wpg_shader_view *view,
                             const wpg_shader_names *names, const char *stage, const char *entry);

/* A shader with counts, found in a bundle, in a folder of dumps, or in a module's own file. The hash of a
 * file must be the shader's. In a bundle or a dump the file's name is trusted. Owned by the caller; words
 * outlive the module. */
typedef struct wpg_shader_source {
    uint32_t *words; /* malloc'd */
    size_t count;
    wpg_module *module; /* parsed */
    wpg_stage stage;    /* borrows the entry point's name of the counts, and *spec */
    wpg_spec_value *spec;
} wpg_shader_source;

/* WPG_E_NOT_FOUND: the place has another shader or none. *in_folder says whether the place is a folder,
 * even after a failure. */
wpg_status wpg_shader_source_find(wpg_shader_source *source, bool *in_folder, const char *place,
                                  const wpg_shader_counts *shader, wpg_error *err);
void wpg_shader_source_finish(wpg_shader_source *source);

#endif
