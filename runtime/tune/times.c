#include "runtime/tune/times.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MOST = 400 };
static const char first_line[] = "wavepgo-times 1";

/* -- Writing */

static void write_text(wpg_writer *out, const char *key, const char *text)
{
    char clean[256];
    (void)snprintf(clean, sizeof clean, "%s", text);
    for (char *at = clean; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
    wpg_write_text(out, "%s %s\n", key, clean);
}

void wpg_times_encode(wpg_writer *out, const wpg_times *times)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_write_text(out, "%s\n", first_line);
    write_text(out, "program", times->program);
    wpg_write_text(out, "pid %" PRIu64 "\n", times->pid);
    if (times->device[0]) {
        write_text(out, "device", times->device);
        wpg_write_text(out, "driver %" PRIx32 " %08" PRIx32 "\n", times->driver, times->version);
    }
    wpg_write_text(out, "pipelines %" PRIu64 " %" PRIu64 "\n", times->made, times->changed);
    wpg_write_text(out, "presents %" PRIu64 "\n", times->presents);
    for (size_t i = 0; i < times->pipelines.count; i++) {
        const wpg_times_pipeline *p = &times->pipelines.data[i];
        wpg_hash_to_hex(hex, p->hash);
        wpg_write_text(out, "pipeline %s %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                       hex, (int)p->changed, p->runs, p->commands, p->nanoseconds, p->first_commands,
                       p->first_nanoseconds);
    }
    for (size_t i = 0; i < times->frames.count; i++)
        wpg_write_text(out, "frame %" PRIu64 "\n", times->frames.data[i]);
    wpg_write_text(out, "end\n");
}

/* -- Reading */

static bool read_pipeline(wpg_times *times, const char *text)
{
    wpg_times_pipeline p = {0};
    char hex[WPG_HASH_HEX + 1];
    int changed, used = -1;
    if (sscanf(text, "%32[0-9a-f] %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 "%n", hex,
               &changed, &p.runs, &p.commands, &p.nanoseconds, &p.first_commands, &p.first_nanoseconds,
               &used) != 7 ||
        used < 0 || text[used] || !wpg_hash_from_hex(&p.hash, hex) || p.first_commands > p.commands ||
        p.first_nanoseconds > p.nanoseconds)
        return false;
    p.changed = changed != 0;
    return wpg_vec_push(&times->pipelines, p);
}

static bool read_line(wpg_times *times, const char *key, const char *text)
{
    uint64_t frame;
    int used = -1;
    if (strcmp(key, "program") == 0)
        (void)snprintf(times->program, sizeof times->program, "%s", text);
    else if (strcmp(key, "device") == 0)
        (void)snprintf(times->device, sizeof times->device, "%s", text);
    else if (strcmp(key, "pipeline") == 0)
        return read_pipeline(times, text);
    else if (strcmp(key, "frame") == 0)
        return sscanf(text, "%" SCNu64 "%n", &frame, &used) == 1 && !text[used] &&
               wpg_vec_push(&times->frames, frame);
    else if (strcmp(key, "pid") == 0)
        return sscanf(text, "%" SCNu64 "%n", &times->pid, &used) == 1 && !text[used];
    else if (strcmp(key, "presents") == 0)
        return sscanf(text, "%" SCNu64 "%n", &times->presents, &used) == 1 && !text[used];
    else if (strcmp(key, "pipelines") == 0)
        return sscanf(text, "%" SCNu64 " %" SCNu64 "%n", &times->made, &times->changed, &used) == 2 &&
               !text[used];
    else if (strcmp(key, "driver") == 0)
        return sscanf(text, "%" SCNx32 " %" SCNx32 "%n", &times->driver, &times->version, &used) == 2 &&
               !text[used];
    else
        return false;
    return true;
}

static wpg_status decode(wpg_times *times, const char *text, wpg_error *err)
{
    char line[LINE_MOST];
    for (size_t number = 1; *text; number++) {
        const size_t length = strcspn(text, "\n");
        if (!text[length] || length >= sizeof line)
            return wpg_fail(err, WPG_E_FORMAT, "line %zu is cut or too long", number);
        memcpy(line, text, length);
        line[length] = '\0';
        text += length + 1;
        if (number == 1 && strcmp(line, first_line) != 0)
            return wpg_fail(err, WPG_E_FORMAT, "its first line is not '%s'", first_line);
        if (strcmp(line, "end") == 0)
            return *text ? wpg_fail(err, WPG_E_FORMAT, "text follows its end") : WPG_OK;
        char *space = strchr(line, ' ');
        if (space)
            *space = '\0';
        if (number > 1 && (!space || !read_line(times, line, space + 1)))
            return wpg_fail(err, WPG_E_FORMAT, "line %zu is no such line: %.40s", number, line);
    }
    return wpg_fail(err, WPG_E_FORMAT, "its end is missing");
}

wpg_status wpg_times_decode(wpg_times *times, const char *text, wpg_error *err)
{
    *times = (wpg_times){0};
    const wpg_status status = decode(times, text, err);
    if (status != WPG_OK)
        wpg_times_finish(times);
    return status;
}

void wpg_times_finish(wpg_times *times)
{
    wpg_vec_free(&times->pipelines);
    wpg_vec_free(&times->frames);
    *times = (wpg_times){0};
}

double wpg_times_steady(uint64_t *commands, const wpg_times_pipeline *p)
{
    const bool apart = p->runs > 1 && p->commands > p->first_commands;
    *commands = apart ? p->commands - p->first_commands : p->commands;
    const uint64_t nanoseconds = apart ? p->nanoseconds - p->first_nanoseconds : p->nanoseconds;
    return *commands ? (double)nanoseconds / (double)*commands : 0;
}
