/* wavepgo show --use-log: the layer's JSON lines as text. A cut last line (a killed program) is tolerated and
 * said. */
#include "runtime/cli/command.h"
#include "runtime/cli/show.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "runtime/base/file.h"

static const char command_name[] = "show";
enum { USE_LOG_LIMIT = 1 << 30 };

typedef struct use_totals {
    size_t pipelines, variants, stages, optimised, unchanged, original, marked, done, refused, bad_lines;
} use_totals;

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void print_remark(FILE *out, const json_t *remark, use_totals *totals)
{
    bool done = json_is_true(json_object_get(remark, "done"));
    (void)fprintf(out, "      %-7s %-10s block %-4lld %s\n", done ? "done" : "refused",
                  text_of(remark, "pass"), (long long)json_integer_value(json_object_get(remark, "block")),
                  text_of(remark, "text"));
    totals->done += done;
    totals->refused += !done;
}

static void print_stage(FILE *out, const json_t *stage, use_totals *totals)
{
    const char *result = text_of(stage, "result"), *found = text_of(stage, "found"),
               *why = text_of(stage, "why");
    size_t index;
    json_t *remark;
    (void)fprintf(out, "  %-5s %s %s: %s", text_of(stage, "stage"), text_of(stage, "shader"),
                  text_of(stage, "entry"), result);
    if (strcmp(found, "anchors") == 0)
        (void)fprintf(out, ", profile found by anchors, %.0f %% matched, of %s",
                      json_number_value(json_object_get(stage, "matched")), text_of(stage, "like"));
    else if (strcmp(found, "no") != 0 && *found)
        (void)fprintf(out, ", profile found by %s hash", found);
    (void)fprintf(out, "%s%s\n", *why ? ": " : "", why);
    totals->stages++;
    totals->optimised += strcmp(result, "optimised") == 0;
    totals->unchanged += strcmp(result, "unchanged") == 0;
    totals->marked += strcmp(result, "marked") == 0;
    totals->original += strcmp(result, "original") == 0;
    json_array_foreach(json_object_get(stage, "remarks"), index, remark)
    {
        print_remark(out, remark, totals);
    }
}

static void print_line(FILE *out, const char *line, use_totals *totals)
{
    json_error_t error;
    json_t *pipeline = json_loads(line, 0, &error), *stage;
    size_t index;
    if (!pipeline) {
        totals->bad_lines++;
        return;
    }
    const char *verdict = text_of(pipeline, "verdict"), *variant = text_of(pipeline, "variant");
    const bool none = strcmp(variant, "0x0") == 0;
    totals->pipelines += !*variant;
    totals->variants += *variant && !none;
    (void)fprintf(out, "pipeline %s%s%s%s\n", text_of(pipeline, "pipeline"),
                  *verdict   ? ", tuning: "
                  : none     ? ": no variant comes of its push constants"
                  : *variant ? ", variant for words of push constants "
                             : "",
                  verdict, none ? "" : variant);
    json_array_foreach(json_object_get(pipeline, "stages"), index, stage)
    {
        print_stage(out, stage, totals);
    }
    json_decref(pipeline);
}

int wpg_show_use_log(FILE *out, const char *path)
{
    uint8_t *data;
    size_t size;
    wpg_error err;
    use_totals totals = {0};
    char *rest = NULL;
    if (wpg_file_read(&data, &size, path, USE_LOG_LIMIT, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    for (char *line = strtok_r((char *)data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        print_line(out, line, &totals);
    free(data);
    (void)fprintf(out, "%zu pipelines, %zu stages: %zu optimised, %zu unchanged, %zu original",
                  totals.pipelines, totals.stages, totals.optimised, totals.unchanged, totals.original);
    if (totals.marked)
        (void)fprintf(out, ", %zu marked", totals.marked);
    if (totals.variants)
        (void)fprintf(out, ", %zu variants", totals.variants);
    (void)fprintf(out, "; %zu changes made, %zu refused\n", totals.done, totals.refused);
    if (totals.bad_lines && !totals.pipelines)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s is no use log", path);
    if (totals.bad_lines)
        (void)wpg_complain(
            0, command_name,
            "%zu lines of %s could not be read (a program that was stopped leaves a cut last line)",
            totals.bad_lines, path);
    return 0;
}
