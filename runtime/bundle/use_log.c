#include "runtime/bundle/use_log.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/descriptor.h"

static void write_string(wpg_writer *out, const char *name, const char *text)
{
    wpg_write_text(out, "\"%s\": \"", name);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            wpg_write_text(out, "\\%c", c);
        else if (c < 0x20 ||
                 c >= 0x7f) /* bytes above ASCII as Latin-1: valid JSON whatever the application named */
            wpg_write_text(out, "\\u%04x", c);
        else
            wpg_write_u8(out, c);
    }
    wpg_write_text(out, "\"");
}

static void write_hash(wpg_writer *out, const char *name, wpg_hash128 hash)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, hash);
    write_string(out, name, hex);
}

static void write_stage(wpg_writer *out, const wpg_use_stage *stage)
{
    const struct {
        const char *name, *text;
    } fields[] = {{"stage", stage->stage},
                  {"entry", stage->entry},
                  {"found", stage->found},
                  {"result", stage->result},
                  {"why", stage->why}};
    wpg_write_text(out, "{");
    write_hash(out, "shader", stage->shader);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        wpg_write_text(out, ", ");
        write_string(out, fields[i].name, fields[i].text ? fields[i].text : "");
    }
    if (stage->found && strcmp(stage->found, "anchors") == 0) {
        wpg_write_text(out, ", ");
        write_hash(out, "like", stage->like);
        wpg_write_text(out, ", \"matched\": %.1f", stage->matched);
    }
    wpg_write_text(out, ", \"remarks\": [");
    for (size_t i = 0; i < stage->remark_count; i++) {
        const wpg_use_remark *remark = &stage->remarks[i];
        wpg_write_text(out, "%s{", i ? ", " : "");
        write_string(out, "pass", remark->pass);
        wpg_write_text(out, ", \"done\": %s, \"function\": %u, \"block\": %u, ",
                       remark->done ? "true" : "false", remark->function, remark->block);
        write_string(out, "text", remark->text);
        wpg_write_text(out, "}");
    }
    wpg_write_text(out, "]}");
}

void wpg_use_log_line(wpg_writer *out, wpg_hash128 pipeline, const char *run, const wpg_use_stage *stages,
                      size_t stage_count, const wpg_use_form *form)
{
    wpg_write_text(out, "{");
    write_hash(out, "pipeline", pipeline);
    if (form->verdict) {
        wpg_write_text(out, ", ");
        write_string(out, "verdict", form->verdict);
    }
    if (form->variant)
        wpg_write_text(out, ", \"variant\": \"0x%llx\"", (unsigned long long)*form->variant);
    if (form->contents)
        wpg_write_text(out, ", \"contents\": %u", form->contents);
    wpg_write_text(out, ", \"stages\": [");
    for (size_t i = 0; i < stage_count; i++) {
        wpg_write_text(out, "%s", i ? ", " : "");
        write_stage(out, &stages[i]);
    }
    wpg_write_text(out, "], ");
    write_string(out, "run", run);
    wpg_write_text(out, "}\n");
}

wpg_status wpg_use_log_append(const char *path, const wpg_writer *line, wpg_error *err)
{
    if (line->out_of_memory)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for the use log");
    int fd;
    WPG_TRY(wpg_open_append(&fd, path, err));
    ssize_t put = wpg_write_quietly(fd, line->data, line->size);
    int saved = errno;
    (void)close(fd);
    if (put != (ssize_t)line->size)
        return wpg_fail(err, WPG_E_IO, "cannot write %s: %s", path,
                        put < 0 ? strerror(saved) : "short write");
    return WPG_OK;
}
