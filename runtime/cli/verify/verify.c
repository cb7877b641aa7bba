/* wavepgo verify: checks a profile against the modules it was counted in.
 *
 *     profile --> functions --find module, normalise, compare checksums-->
 *         rules (verify_checks.c) --> findings
 *
 * Modules come from bundles, folders of <hash>.spv (DUMP), and named files. Exit code 1 if a rule is
 * broken. */
#include "runtime/cli/verify/verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/normalize/normalize.h"
#include "runtime/base/text.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/folder.h"
#include "runtime/cli/common/command.h"
#include "runtime/report/text/figures.h"
#include "runtime/cli/common/recover.h"
#include "runtime/report/model/places.h"
#include "runtime/report/model/shader_source.h"

static const char command_name[] = "verify";

typedef struct verify_job {
    const char *profile, *against;
    bool json;
    WPG_VEC(const char *) places; /* bundles, folders, modules: where shaders are looked for */
    wpg_verify_result result;
    wpg_verify_beyond beyond;
    size_t functions, without_module, sampled;
} verify_job;

/* -- Modules */

/* WPG_E_NOT_FOUND: no place has it; else why the one that has it cannot be used. */
static wpg_status find_module(wpg_module **module, wpg_stage *stage, const verify_job *job,
                              const wpg_shader_counts *shader, wpg_error *err)
{
    wpg_status worst = WPG_E_NOT_FOUND;
    for (size_t i = 0; i < job->places.count; i++) {
        const char *place = job->places.data[i];
        wpg_shader_source source;
        bool in_folder;
        wpg_status status = wpg_shader_source_find(&source, &in_folder, place, shader, err);
        if (status == WPG_OK)
            status = wpg_normalize(source.module, &source.stage, NULL, err);
        if (status == WPG_OK) { /* the normal form bears the values of specialisation */
            *module = source.module;
            *stage = source.stage;
            stage->spec = NULL;
            stage->spec_count = 0;
            source.module = NULL;
        }
        wpg_shader_source_finish(&source);
        if (status == WPG_OK)
            return WPG_OK;
        if (status != WPG_E_NOT_FOUND && in_folder)
            worst = status;
    }
    return worst;
}

/* `module` NULL: not at hand. `function` NULL: it has none of that number. */
static void verify_function(verify_job *job, const wpg_shader_counts *f, const wpg_module *module,
                            wpg_inst *function)
{
    wpg_error err = {0};
    wpg_cfg *cfg = NULL;
    job->functions++;
    job->sampled += f->samples != NULL;
    if (module && !function)
        wpg_verify_add(&job->result, f, "module", 0, "its module has no function %" PRIu32, f->function);
    else if (function && wpg_cfg_create(&cfg, module, function, &err) != WPG_OK)
        wpg_verify_add(&job->result, f, "module", 0, "its control flow cannot be read: %.120s", err.message);
    if (cfg) {
        uint64_t checksum = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION);
        job->result.checks += 2;
        if (checksum != f->checksum || cfg->count != f->block_count) {
            wpg_verify_add(&job->result, f, "checksum", 0,
                           "checksum %015" PRIx64 ", %zu blocks in the profile, %015" PRIx64 ", %" PRIu32
                           " blocks in the module",
                           f->checksum, f->block_count, checksum, cfg->count);
            wpg_cfg_destroy(cfg);
            cfg = NULL;
        }
    }
    job->without_module += !cfg;
    wpg_verify_function(&job->result, f, cfg);
    wpg_cfg_destroy(cfg);
}

/* The functions of one shader stage. */
static void verify_shader(verify_job *job, const wpg_shader_counts *first, size_t count)
{
    wpg_error err = {0};
    wpg_module *module = NULL;
    wpg_stage stage = {0};
    wpg_status status = find_module(&module, &stage, job, first, &err);
    const bool absent = status == WPG_E_NOT_FOUND && wpg_verify_is_beyond(&job->beyond, first->shader);
    if (status != WPG_OK && job->places.count && !absent)
        wpg_verify_add(&job->result, first, "module", 0, "%.160s",
                       status == WPG_E_NOT_FOUND ? "its SPIR-V is in none of the places given" : err.message);
    wpg_inst **functions = NULL;
    uint32_t function_count = 0;
    wpg_arena arena;
    wpg_arena_init(&arena);
    if (status == WPG_OK)
        status = wpg_stage_functions(&functions, &function_count, module, &stage, &arena, &err);
    for (size_t i = 0; i < count; i++)
        verify_function(job, &first[i], status == WPG_OK ? module : NULL,
                        first[i].function < function_count ? functions[first[i].function] : NULL);
    wpg_arena_finish(&arena);
    wpg_module_destroy(module);
}

/* -- Output */

/* Names and places, if something is to be said; NULL: there are none. */
static wpg_report *load_names(const verify_job *job)
{
    const wpg_report_options options = {
        .path = job->profile, .places = job->places.data, .place_count = job->places.count};
    wpg_report *names = NULL;
    if (!job->result.findings.count || wpg_report_load(&names, &options, NULL) != WPG_OK)
        return NULL;
    return names;
}

static void print_json_finding(const wpg_verify_finding *finding, const char *hex, const char *name,
                               const char *place, bool first)
{
    const wpg_shader_counts *f = finding->function;
    (void)printf("%s{\"shader\": \"%s\", \"stage\": \"%s\", \"entry\": ", first ? "" : ", ", hex, f->stage);
    wpg_json_string(stdout, f->entry);
    (void)printf(", \"name\": ");
    wpg_json_string(stdout, name);
    (void)printf(", \"function\": %" PRIu32 ", \"rule\": \"%s\", \"block\": %" PRIu32 ", \"place\": ",
                 f->function, finding->rule, finding->block);
    if (*place)
        wpg_json_string(stdout, place);
    else
        (void)printf("null");
    (void)printf(", \"text\": ");
    wpg_json_string(stdout, finding->text);
    (void)printf("}");
}

static void print_finding(const verify_job *job, const wpg_report *names, const wpg_verify_finding *finding,
                          bool first)
{
    char hex[WPG_HASH_HEX + 1], place[WPG_PLACE_SIZE] = "";
    const wpg_shader_counts *f = finding->function;
    wpg_hash_to_hex(hex, f->shader);
    const wpg_report_shader *shader = wpg_report_shader_of(names, hex);
    if (shader)
        (void)wpg_report_line_of(place, names, shader, f->function, finding->block);
    if (job->json) {
        print_json_finding(finding, hex, shader ? shader->name : f->entry, place, first);
        return;
    }
    char *text = wpg_report_with_places(finding->text, names, shader, f->function, WPG_REPORT_NONE);
    (void)printf("%s.%s.%s function %" PRIu32, hex, f->stage, f->entry, f->function);
    if (shader && shader->has_module)
        (void)printf(" (%s)", shader->name);
    (void)printf(": %s: %s\n", finding->rule, text ? text : finding->text);
    free(text);
}

static int report(const verify_job *job, const wpg_profile *profile, const wpg_shader_view *view)
{
    const wpg_verify_result *result = &job->result;
    size_t broken = result->findings.count + view->inconsistent;
    int code = broken ? WPG_EXIT_FAILED : 0;
    wpg_report *names = load_names(job);
    if (job->json)
        (void)printf("{\"functions\": %zu, \"without_module\": %zu, \"sampled\": %zu, \"checks\": %" PRIu64
                     ", \"inconsistent_records\": %zu, \"findings\": [",
                     job->functions, job->without_module, job->sampled, result->checks, view->inconsistent);
    for (size_t i = 0; i < result->findings.count; i++)
        print_finding(job, names, &result->findings.data[i], i == 0);
    wpg_report_destroy(names);
    if (job->json) {
        (void)printf("]");
    } else {
        (void)printf("%s: %zu function%s, %" PRIu64 " check%s, %zu broken", job->profile, job->functions,
                     wpg_plural(job->functions), result->checks, wpg_plural(result->checks), broken);
        if (view->inconsistent)
            (void)printf(" (%zu record%s of other sizes than their shader's)", view->inconsistent,
                         wpg_plural(view->inconsistent));
        if (job->without_module)
            (void)printf("; %zu without their module: control flow not checked", job->without_module);
        if (job->sampled)
            (void)printf("; %zu sampled", job->sampled);
        (void)printf("\n");
    }
    if (job->against && wpg_verify_against(command_name, job->against, job->json, profile, view) != 0)
        code = WPG_EXIT_FAILED;
    if (job->json)
        (void)printf("}\n");
    return code;
}

static int verify(verify_job *job)
{
    wpg_error err = {0};
    wpg_profile *profile = wpg_profile_create();
    wpg_shader_view *view = NULL;
    int code;
    wpg_recover_folder(command_name, job->profile, true);
    if (!profile || wpg_profile_load(profile, NULL, job->profile, &err) != WPG_OK ||
        wpg_shader_view_create(&view, profile, &err) != WPG_OK) {
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s", profile ? err.message : "out of memory");
    } else if (!view->shader_count) {
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s has no counts of shaders", job->profile);
    } else if (wpg_verify_beyond_find(&job->beyond, view, job->places.data, job->places.count, &err) !=
               WPG_OK) {
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    } else {
        for (size_t i = 0, count; i < view->shader_count; i += count) {
            const wpg_shader_counts *first = &view->shaders[i];
            count = wpg_shader_view_find(&first, view, first->shader, first->stage, first->entry);
            verify_shader(job, first, count);
        }
        code = job->result.out_of_memory ? wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory")
                                         : report(job, profile, view);
    }
    wpg_verify_beyond_finish(&job->beyond);
    wpg_shader_view_destroy(view);
    wpg_profile_destroy(profile);
    return code;
}

int wpg_command_verify(int argc, char **argv)
{
    verify_job job = {0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            job.json = true;
        } else if (strcmp(argv[i], "--against") == 0) {
            if (i + 1 >= argc)
                return wpg_usage_error(command_name, "'--against' needs a profile");
            job.against = argv[++i];
        } else if (argv[i][0] == '-' && argv[i][1]) {
            return wpg_usage_error(command_name, "no option is called '%s'", argv[i]);
        } else if (!job.profile) {
            job.profile = argv[i];
        } else if (!wpg_vec_push(&job.places,
                                 (const char *)argv[i])) { /* NOLINT(bugprone-sizeof-expression) */
            return wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
        }
    }
    if (!job.profile)
        return wpg_usage_error(command_name, "no profile is given: name a profile or a bundle");
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): a vector of pointers */
    if (wpg_is_bundle(job.profile) && !wpg_vec_push(&job.places, job.profile))
        return wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
    int code = verify(&job);
    wpg_vec_free(&job.places);
    wpg_vec_free(&job.result.findings);
    return code;
}
