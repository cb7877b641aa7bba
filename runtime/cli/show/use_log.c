/* wavepgo show --use-log: prints the layer's JSON lines as text, run by run. The layer appends runs to the
 * file, so each run is summed by itself. A cut last line (a killed program) is tolerated and reported. */
#include "runtime/cli/common/command.h"
#include "runtime/cli/show/show.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/base/vec.h"
#include "runtime/report/model/places.h"

static const char command_name[] = "show";
enum { USE_LOG_LIMIT = 1 << 30 };

typedef struct use_totals {
    const wpg_report *report; /* names and places; may be NULL */
    size_t pipelines, variants, contents, stages, optimised, unchanged, original, marked, done, refused;
} use_totals;

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* "loop at block 10: refused: it never ran": the reason; all of the text where it has no such part. */
static const char *reason_of(const json_t *remark)
{
    static const char mark[] = ": refused: ";
    const char *text = text_of(remark, "text"), *at = strstr(text, mark);
    return at ? at + sizeof mark - 1 : text;
}

static bool is_done(const json_t *remark)
{
    return json_is_true(json_object_get(remark, "done"));
}

static bool same_refusal(const json_t *a, const json_t *b)
{
    return !is_done(a) && !is_done(b) && strcmp(text_of(a, "pass"), text_of(b, "pass")) == 0 &&
           strcmp(reason_of(a), reason_of(b)) == 0;
}

/* The text without the word that stands before it in the line. malloc'd. */
static char *told_of(const json_t *remark)
{
    const char *text = text_of(remark, "text"), *reason = reason_of(remark);
    char *told = NULL;
    if (reason == text || is_done(remark))
        return strdup(text);
    const size_t before = (size_t)(strstr(text, ": refused: ") - text);
    if (asprintf(&told, "%.*s: %s", (int)before, text, reason) < 0)
        return NULL;
    return told;
}

/* Numbers of blocks get their places where the report has the shader. The text is not told the remark's own
 * block twice. `more`: refusals for the same reason that are not printed. */
static void print_remark(FILE *out, const json_t *remark, const char *hash, size_t more,
                         const use_totals *totals)
{
    char place[WPG_PLACE_SIZE];
    const wpg_report_shader *shader = wpg_report_shader_of(totals->report, hash);
    const uint32_t function = (uint32_t)json_integer_value(json_object_get(remark, "function"));
    const json_int_t block = json_integer_value(json_object_get(remark, "block"));
    char *told = told_of(remark);
    char *text = shader && told
                     ? wpg_report_with_places(told, totals->report, shader, function, (uint32_t)block)
                     : strdup(told ? told : "");
    if (shader)
        (void)wpg_report_block_text(place, totals->report, shader, function, (uint32_t)block);
    else
        (void)snprintf(place, sizeof place, "block %-4lld", (long long)block);
    (void)fprintf(out, "      %-7s %-10s %s %s", is_done(remark) ? "done" : "refused",
                  text_of(remark, "pass"), place, text ? text : "");
    if (more)
        (void)fprintf(out, " (and %zu more)", more);
    (void)fputc('\n', out);
    free(text);
    free(told);
}

/* What was done comes first. Of refusals for one reason the first is printed, with their number. */
static void print_remarks(FILE *out, const json_t *remarks, const char *hash, bool done, use_totals *totals)
{
    const json_t *remark, *other;
    size_t i, j;
    json_array_foreach(remarks, i, remark)
    {
        size_t before = 0, more = 0;
        if (is_done(remark) != done)
            continue;
        totals->done += done;
        totals->refused += !done;
        json_array_foreach(remarks, j, other)
        {
            before += j < i && same_refusal(remark, other);
            more += j > i && same_refusal(remark, other);
        }
        if (!before)
            print_remark(out, remark, hash, more, totals);
    }
}

static void print_stage(FILE *out, const json_t *stage, use_totals *totals)
{
    const char *result = text_of(stage, "result"), *found = text_of(stage, "found"),
               *why = text_of(stage, "why");
    const json_t *remarks = json_object_get(stage, "remarks");
    const wpg_report_shader *shader = wpg_report_shader_of(totals->report, text_of(stage, "shader"));
    (void)fprintf(out, "  %-5s %s %s: %s", text_of(stage, "stage"), text_of(stage, "shader"),
                  shader ? shader->name : text_of(stage, "entry"), result);
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
    print_remarks(out, remarks, text_of(stage, "shader"), true, totals);
    print_remarks(out, remarks, text_of(stage, "shader"), false, totals);
}

static void print_pipeline(FILE *out, const json_t *pipeline, use_totals *totals)
{
    json_t *stage;
    size_t index;
    const char *verdict = text_of(pipeline, "verdict"), *variant = text_of(pipeline, "variant");
    const bool none = strcmp(variant, "0x0") == 0;
    const json_int_t contents = json_integer_value(json_object_get(pipeline, "contents"));
    char number[64] = "";
    if (contents > 0)
        (void)snprintf(number, sizeof number, ", number %lld for contents of uniform blocks",
                       (long long)contents);
    totals->pipelines += !*variant && contents <= 0;
    totals->variants += *variant && !none;
    totals->contents += contents > 0;
    const wpg_report_pipeline *known = wpg_report_pipeline_of(totals->report, text_of(pipeline, "pipeline"));
    (void)fprintf(out, "pipeline %s%s%s%s%s%s%s\n", text_of(pipeline, "pipeline"), known ? " " : "",
                  known ? known->name : "",
                  *verdict   ? ", tuning: "
                  : none     ? ": no variant was made for its push constants"
                  : *variant ? ", variant for words of push constants "
                             : "",
                  verdict, none ? "" : variant, number);
    json_array_foreach(json_object_get(pipeline, "stages"), index, stage)
    {
        print_stage(out, stage, totals);
    }
}

static void print_totals(FILE *out, const use_totals *totals)
{
    (void)fprintf(out, "%zu pipeline%s, %zu stage%s: %zu optimised, %zu unchanged, %zu original",
                  totals->pipelines, wpg_plural(totals->pipelines), totals->stages,
                  wpg_plural(totals->stages), totals->optimised, totals->unchanged, totals->original);
    if (totals->marked)
        (void)fprintf(out, ", %zu marked", totals->marked);
    if (totals->variants)
        (void)fprintf(out, ", %zu variant%s", totals->variants, wpg_plural(totals->variants));
    if (totals->contents)
        (void)fprintf(out, ", %zu for contents", totals->contents);
    (void)fprintf(out, "; %zu change%s made, %zu refused\n", totals->done, wpg_plural(totals->done),
                  totals->refused);
}

typedef struct use_line {
    json_t *pipeline;
    bool printed;
} use_line;
typedef WPG_VEC(use_line) use_lines;

/* Runs in the order of their first lines; those of processes that ran at the same time are mixed in the file.
 */
static void print_runs(FILE *out, use_lines *lines, const wpg_report *report)
{
    bool several = false;
    for (size_t i = 1; i < lines->count; i++)
        several |=
            strcmp(text_of(lines->data[i].pipeline, "run"), text_of(lines->data[0].pipeline, "run")) != 0;
    for (size_t first = 0; first < lines->count; first++) {
        const char *run = text_of(lines->data[first].pipeline, "run");
        use_totals totals = {.report = report};
        if (lines->data[first].printed)
            continue;
        if (several)
            (void)fprintf(out, "%srun %s\n", first ? "\n" : "",
                          *run ? run : "of an earlier version of wavepgo");
        for (size_t i = first; i < lines->count; i++)
            if (!lines->data[i].printed && strcmp(text_of(lines->data[i].pipeline, "run"), run) == 0) {
                print_pipeline(out, lines->data[i].pipeline, &totals);
                lines->data[i].printed = true;
            }
        print_totals(out, &totals);
    }
}

static size_t parse_lines(use_lines *lines, char *text)
{
    json_error_t error;
    char *rest = NULL;
    size_t bad = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        use_line made = {.pipeline = json_loads(line, 0, &error)};
        bool kept = made.pipeline && wpg_vec_push(lines, made);
        if (!kept)
            json_decref(made.pipeline);
        bad += !kept;
    }
    return bad;
}

int wpg_show_use_log(FILE *out, const char *path, const wpg_report *report)
{
    uint8_t *data;
    size_t size;
    wpg_error err;
    use_lines lines = {0};
    int code = 0;
    if (wpg_file_read_given(&data, &size, path, USE_LOG_LIMIT, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    size_t bad = parse_lines(&lines, (char *)data), good = lines.count;
    free(data);
    if (good)
        print_runs(out, &lines, report);
    else
        print_totals(out, &(use_totals){0});
    for (size_t i = 0; i < lines.count; i++)
        json_decref(lines.data[i].pipeline);
    wpg_vec_free(&lines);
    if (bad && !good)
        code = wpg_complain(WPG_EXIT_FAILED, command_name,
                            "%s is no use log: 'wavepgo run --use PROFILE --use-log FILE' writes one", path);
    else if (bad)
        (void)wpg_complain(
            0, command_name,
            "%zu line%s of %s could not be read (a program that was stopped leaves a cut last line)", bad,
            wpg_plural(bad), path);
    return code;
}
