/* Decisions of use mode that differ between two use logs: results of stages, and changes made. Of several
 * lines of a shader the last counts. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "runtime/base/file.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/diff/diff.h"
#include "runtime/report/model/places.h"

enum { USE_LOG_LIMIT = 1 << 30 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Stages by shader hash: {"<hash>": stage}. NULL: it cannot be read, and the user was told. */
static json_t *read_log(const char *command, const char *path)
{
    json_t *stages = json_object(), *stage;
    uint8_t *data;
    size_t size, index, good = 0;
    wpg_error err;
    char *rest = NULL;
    if (wpg_file_read_given(&data, &size, path, USE_LOG_LIMIT, &err) != WPG_OK) {
        (void)wpg_complain(0, command, "%s", err.message);
        json_decref(stages);
        return NULL;
    }
    for (char *line = strtok_r((char *)data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        json_t *pipeline = json_loads(line, 0, NULL);
        good += pipeline != NULL;
        json_array_foreach(json_object_get(pipeline, "stages"), index, stage)
        {
            (void)json_object_set(stages, text_of(stage, "shader"), stage);
        }
        json_decref(pipeline);
    }
    if (!good && size) {
        (void)wpg_complain(0, command,
                           "%s is no use log: 'wavepgo run --use PROFILE --use-log FILE' writes one", path);
        json_decref(stages);
        stages = NULL;
    }
    free(data);
    return stages;
}

/* True if the stage has the remark: pass, block, and done. */
static bool has_remark(const json_t *stage, const json_t *wanted)
{
    size_t index;
    json_t *remark;
    json_array_foreach(json_object_get(stage, "remarks"), index, remark)
    {
        if (json_is_true(json_object_get(remark, "done")) &&
            strcmp(text_of(remark, "pass"), text_of(wanted, "pass")) == 0 &&
            json_equal(json_object_get(remark, "function"), json_object_get(wanted, "function")) &&
            json_equal(json_object_get(remark, "block"), json_object_get(wanted, "block")))
            return true;
    }
    return false;
}

static void add(wpg_diff *diff, uint32_t pair, const char *said)
{
    const wpg_diff_pair *of = &diff->pairs.data[pair];
    wpg_diff_change change = {
        .pair = pair, .what = "use", .weight = of->shares[0] > of->shares[1] ? of->shares[0] : of->shares[1]};
    (void)snprintf(change.text, sizeof change.text, "%.300s", said);
    wpg_diff_add(diff, change);
}

/* Changes that the first stage made and the second did not. */
static void compare_remarks(wpg_diff *diff, uint32_t pair, unsigned side, const json_t *stage,
                            const json_t *other)
{
    size_t index;
    json_t *remark;
    json_array_foreach(json_object_get(stage, "remarks"), index, remark)
    {
        char said[WPG_DIFF_TEXT], place[WPG_PLACE_SIZE];
        if (!json_is_true(json_object_get(remark, "done")) || has_remark(other, remark))
            continue;
        (void)wpg_report_block_text(place, diff->reports[side], diff->pairs.data[pair].shaders[side],
                                    (uint32_t)json_integer_value(json_object_get(remark, "function")),
                                    (uint32_t)json_integer_value(json_object_get(remark, "block")));
        (void)snprintf(said, sizeof said, "%.40s at %.150s only in %s", text_of(remark, "pass"), place,
                       side ? "B" : "A");
        add(diff, pair, said);
    }
}

static void compare_stage(wpg_diff *diff, uint32_t pair, json_t *const logs[2])
{
    const json_t *stages[2];
    char said[WPG_DIFF_TEXT];
    for (unsigned side = 0; side < 2; side++)
        stages[side] = diff->pairs.data[pair].shaders[side]
                           ? json_object_get(logs[side], diff->pairs.data[pair].shaders[side]->hex)
                           : NULL;
    if (!stages[0] && !stages[1])
        return;
    const char *before = stages[0] ? text_of(stages[0], "result") : "not in the log",
               *after = stages[1] ? text_of(stages[1], "result") : "not in the log";
    if (strcmp(before, after) != 0) {
        (void)snprintf(said, sizeof said, "%.60s -> %.60s", before, after);
        add(diff, pair, said);
    }
    if (!stages[0] || !stages[1])
        return;
    compare_remarks(diff, pair, 0, stages[0], stages[1]);
    compare_remarks(diff, pair, 1, stages[1], stages[0]);
}

int wpg_diff_use_logs(wpg_diff *diff, const char *command, const char *const paths[2])
{
    json_t *logs[2] = {read_log(command, paths[0]), read_log(command, paths[1])};
    const bool good = logs[0] && logs[1];
    for (uint32_t i = 0; good && i < diff->pairs.count; i++)
        compare_stage(diff, i, logs);
    json_decref(logs[0]);
    json_decref(logs[1]);
    return good ? 0 : WPG_EXIT_FAILED;
}
