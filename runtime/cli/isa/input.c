#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/graph/cfg.h"
#include "compiler/analysis/graph/normal_form.h"
#include "compiler/normalize/normalize.h"
#include "runtime/base/file.h"
#include "runtime/bundle/folder.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/isa/isa.h"

/* "PATH: why": of what the module has in it. */
static wpg_status of_module(const wpg_isa *isa, wpg_status status, const wpg_error *why, wpg_error *err)
{
    return status == WPG_OK ? WPG_OK : wpg_fail(err, status, "%s: %s", isa->options.in, why->message);
}

static void add_name(char *names, size_t room, const char *name)
{
    size_t length = strlen(names);
    (void)snprintf(names + length, room - length, "%s%s", length ? ", " : "", name);
}

/* The entry point that was named, else the only compute shader. */
static wpg_status find_stage(wpg_isa *isa, const wpg_module *module, wpg_error *err)
{
    const char *wanted = isa->options.entry, *found = NULL;
    char names[128] = "";
    unsigned count = 0;
    WPG_INST_EACH (inst, module) {
        if (inst->opcode != SpvOpEntryPoint || inst->count < 4 ||
            inst->words[1] != SpvExecutionModelGLCompute)
            continue;
        const char *name = wpg_inst_string(inst, 3);
        add_name(names, sizeof names, name);
        if (wanted && strcmp(name, wanted) != 0)
            continue;
        found = name;
        count++;
    }
    if (!*names)
        return wpg_fail(err, WPG_E_NOT_FOUND,
                        "no compute shader is in it: only these go down to machine code");
    if (!found)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no compute shader is called '%s': it has %s", wanted, names);
    if (count > 1)
        return wpg_fail(err, WPG_E_ARGUMENT, "it has several compute shaders: which one? --entry NAME of %s",
                        names);
    (void)snprintf(isa->entry, sizeof isa->entry, "%s", found);
    isa->stage = (wpg_stage){.model = SpvExecutionModelGLCompute,
                             .entry = isa->entry,
                             .spec = isa->options.spec.data,
                             .spec_count = isa->options.spec.count};
    return WPG_OK;
}

/* As Vulkan has it, no error; but who types one by hand wants to know. */
static void warn_of_spec(const wpg_isa *isa, const wpg_module *module)
{
    for (size_t i = 0; i < isa->options.spec.count; i++) {
        bool known = false;
        WPG_INST_EACH (inst, module)
            known |= inst->opcode == SpvOpDecorate && inst->count == 4 &&
                     inst->words[2] == SpvDecorationSpecId &&
                     inst->words[3] == isa->options.spec.data[i].constant_id;
        if (!known)
            (void)wpg_complain(0, WPG_ISA_COMMAND, "warning: %s has no specialisation constant %" PRIu32,
                               isa->options.in, isa->options.spec.data[i].constant_id);
    }
}

static wpg_status parse_module(wpg_isa *isa, size_t bytes, wpg_error *err)
{
    if (bytes % 4 != 0)
        return wpg_fail(err, WPG_E_FORMAT, "not SPIR-V, or cut off: %zu bytes are no whole number of words",
                        bytes);
    WPG_TRY(wpg_module_parse(&isa->normal, isa->words, isa->word_count, err));
    WPG_TRY(find_stage(isa, isa->normal, err));
    warn_of_spec(isa, isa->normal);
    WPG_TRY(wpg_shader_names_of(&isa->names, isa->normal, &isa->stage, err));
    isa->shader = isa->names.now;
    return wpg_normalize(isa->normal, &isa->stage, NULL, err);
}

static wpg_status read_module(wpg_isa *isa, wpg_error *err)
{
    uint8_t *bytes;
    size_t size;
    wpg_error why;
    WPG_TRY(wpg_file_read(&bytes, &size, isa->options.in, (size_t)WPG_SPIRV_MAX_WORDS * 4, err));
    isa->words = (uint32_t *)(void *)bytes;
    isa->word_count = size / 4;
    wpg_status status = parse_module(isa, size, &why);
    return of_module(isa, status, &why, err);
}

/* The entry function's counts, of the normal form that we have. */
static wpg_status find_counts(wpg_isa *isa, const wpg_cfg *cfg, wpg_error *err)
{
    char hex[WPG_HASH_HEX + 1];
    const wpg_shader_counts *first;
    size_t count = wpg_shader_names_find(&first, isa->view, &isa->names, "comp", isa->entry);
    wpg_hash_to_hex(hex, isa->shader);
    const uint64_t checksum = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION);
    for (size_t i = 0; i < count; i++)
        if (first[i].function == 0 && first[i].checksum == checksum && first[i].block_count == cfg->count)
            isa->counts = &first[i];
    isa->functions = count;
    isa->other_form = count && !isa->counts;
    if (!count)
        return wpg_fail(err, WPG_E_NOT_FOUND, "%s has no counts of shader %s (comp %s)", isa->options.profile,
                        hex, isa->entry);
    return WPG_OK;
}

static wpg_status read_profile(wpg_isa *isa, const wpg_cfg *cfg, wpg_error *err)
{
    isa->profile = wpg_profile_create();
    if (!isa->profile)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    WPG_TRY(wpg_profile_load(isa->profile, NULL, isa->options.profile, err));
    WPG_TRY(wpg_shader_view_create(&isa->view, isa->profile, err));
    return find_counts(isa, cfg, err);
}

/* Where the blocks are in the source. Without memory, nowhere. */
static void find_places(wpg_isa *isa, const wpg_cfg *cfg)
{
    isa->places = calloc((size_t)cfg->count + 1, sizeof *isa->places);
    for (uint32_t b = 0; isa->places && b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label; inst; inst = inst->next) {
            if (wpg_line_of(&isa->places[b], isa->normal, inst) || inst == cfg->blocks[b].terminator)
                break;
        }
}

wpg_status wpg_isa_read(wpg_isa *isa, wpg_error *err)
{
    wpg_cfg *cfg;
    WPG_TRY(read_module(isa, err));
    WPG_TRY(wpg_cfg_create(&cfg, isa->normal, wpg_first_function(isa->normal), err));
    isa->block_count = cfg->count;
    find_places(isa, cfg);
    wpg_status status = isa->options.profile ? read_profile(isa, cfg, err) : WPG_OK;
    wpg_cfg_destroy(cfg);
    return status;
}

void wpg_isa_finish(wpg_isa *isa)
{
    for (unsigned i = 0; i < WPG_ISA_VERSIONS; i++) {
        wpg_isa_listing_finish(&isa->versions[i].listing);
        wpg_amdgpu_code_destroy(isa->versions[i].code);
    }
    wpg_counter_table_finish(&isa->counters);
    free(isa->structurised.waves);
    free(isa->structurised.lanes);
    free(isa->structurised.uniform);
    for (size_t i = 0; i < isa->radv.pipelines.count; i++)
        wpg_estimate_pipeline_finish(&isa->radv.pipelines.data[i]);
    wpg_vec_free(&isa->radv.pipelines);
    wpg_shader_view_destroy(isa->view);
    wpg_profile_destroy(isa->profile);
    wpg_module_destroy(isa->normal);
    free(isa->places);
    free(isa->words);
    free(isa->linked);
    wpg_vec_free(&isa->options.spec);
    *isa = (wpg_isa){0};
}
