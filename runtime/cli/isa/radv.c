/* Compiles the same shader through RADV, in the child of `wavepgo estimate`. RADV needs no hardware if
 * RADV_FORCE_FAMILY names a family. Mesa's versions name families differently: the first name that Mesa takes
 * is used. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/cli/isa/isa.h"

/* RADV's names of what LLVM calls by the number, the newer Mesa's first. NULL: RADV has no such hardware. */
static const char *const *families_of(const char *gpu)
{
    static const struct {
        const char *gpu, *families[3];
    } known[] = {
        {"gfx900", {"vega10"}},
        {"gfx902", {"raven"}},
        {"gfx906", {"vega20"}},
        {"gfx909", {"raven2"}},
        {"gfx90c", {"renoir"}},
        {"gfx90a", {"mi200", "aldebaran"}},
        {"gfx1010", {"navi10"}},
        {"gfx1011", {"navi12"}},
        {"gfx1012", {"navi14"}},
        {"gfx1030", {"navi21"}},
        {"gfx1031", {"navi22"}},
        {"gfx1032", {"navi23"}},
        {"gfx1033", {"vangogh"}},
        {"gfx1034", {"navi24"}},
        {"gfx1035", {"rembrandt"}},
        {"gfx1100", {"navi31", "gfx1100"}},
        {"gfx1101", {"navi32", "gfx1101"}},
        {"gfx1102", {"navi33", "gfx1102"}},
        {"gfx1103", {"phoenix", "gfx1103"}},
        {"gfx1200", {"gfx1200", "navi44"}},
        {"gfx1201", {"gfx1201", "navi48"}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].gpu, gpu) == 0)
            return known[i].families;
    return NULL;
}

/* One pipeline of the one stage, in its forms. */
static wpg_status describe(wpg_isa *isa, wpg_error *err)
{
    wpg_estimate_pipeline made = {.hash = isa->shader, .is_shader = true, .stage_count = 1};
    wpg_estimate_stage *stage = &made.stages[0];
    static const wpg_shader_counts nothing = {.stage = "comp"};
    stage->counts = isa->counts ? isa->counts : &nothing;
    stage->functions = isa->functions;
    stage->stage = isa->stage;
    stage->forms[WPG_ESTIMATE_ORIGINAL].count = isa->word_count;
    stage->forms[WPG_ESTIMATE_ORIGINAL].words = malloc(isa->word_count * sizeof *isa->words);
    size_t bytes = isa->stage.spec_count * sizeof *stage->spec;
    stage->spec = bytes ? malloc(bytes) : NULL;
    if (stage->spec)
        memcpy(stage->spec, isa->stage.spec, bytes);
    stage->stage.spec = stage->spec;
    if (!stage->forms[WPG_ESTIMATE_ORIGINAL].words || (bytes && !stage->spec) ||
        !wpg_vec_push(&isa->radv.pipelines, made)) {
        wpg_estimate_pipeline_finish(&made);
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    }
    memcpy(stage->forms[WPG_ESTIMATE_ORIGINAL].words, isa->words, isa->word_count * sizeof *isa->words);
    return wpg_estimate_make_forms(&isa->radv, &isa->radv.pipelines.data[0], err);
}

/* Hashes are no figures, and too large for the numbers of many readers of JSON. */
static void drop_hashes(wpg_estimate_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        wpg_estimate_executable *it = &result->executables[i];
        size_t kept = 0;
        for (size_t j = 0; j < it->count; j++)
            if (!strstr(it->statistics[j].name, "hash") && !strstr(it->statistics[j].name, "Hash"))
                it->statistics[kept++] = it->statistics[j];
        it->count = kept;
    }
}

/* By the drivers that the environment names, if RADV is one of them; else by all that are installed. */
static wpg_status compile(wpg_isa *isa, wpg_estimate_pipeline *pipeline, wpg_error *err)
{
    wpg_status status = wpg_estimate_compile(&isa->radv, pipeline, err);
    if (status == WPG_E_UNSUPPORTED && !isa->radv.any_manifest &&
        (getenv("VK_DRIVER_FILES") || getenv("VK_ICD_FILENAMES")) && !isa->radv.driver) {
        isa->radv.any_manifest = true;
        memset(&isa->radv.device, 0, sizeof isa->radv.device);
        status = wpg_estimate_compile(&isa->radv, pipeline, err);
    }
    drop_hashes(&pipeline->results[WPG_ESTIMATE_ORIGINAL]);
    drop_hashes(&pipeline->results[WPG_ESTIMATE_USE]);
    return status;
}

wpg_status wpg_isa_radv(wpg_isa *isa, wpg_error *err)
{
    const char *const *families = families_of(isa->options.gpu);
    const char *forced = getenv("RADV_FORCE_FAMILY");
    wpg_status status = WPG_E_UNSUPPORTED;
    isa->radv.driver = isa->options.driver;
    isa->radv.radv = true;
    if (isa->options.driver && access(isa->options.driver, R_OK) != 0)
        return wpg_fail(err, WPG_E_NOT_FOUND, "--driver: no %s", isa->options.driver);
    WPG_TRY(describe(isa, err));
    wpg_estimate_pipeline *pipeline = &isa->radv.pipelines.data[0];
    if (*pipeline->problem)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "%s", pipeline->problem);
    wpg_estimate_words *what_if = &pipeline->stages[0].forms[WPG_ESTIMATE_CUT]; /* nobody asked for it */
    free(what_if->words);
    *what_if = (wpg_estimate_words){0};
    if (forced || !families)
        return forced ? compile(isa, pipeline, err)
                      : wpg_fail(err, WPG_E_UNSUPPORTED, "RADV has no %s", isa->options.gpu);
    for (size_t i = 0; i < 3 && families[i] && status != WPG_OK; i++) {
        (void)setenv("RADV_FORCE_FAMILY", families[i], 1);
        memset(&isa->radv.device, 0, sizeof isa->radv.device);
        memset(pipeline->results, 0, sizeof pipeline->results); /* a device that is not there gave none */
        *pipeline->problem = '\0';
        status = compile(isa, pipeline, err);
        if (status == WPG_OK && !*isa->radv.device.name)
            status = wpg_fail(err, WPG_E_UNSUPPORTED, "the driver takes no %s", isa->options.gpu);
    }
    (void)unsetenv("RADV_FORCE_FAMILY");
    return status;
}
