/* Places of blocks, names beside hashes. */
#include "runtime/report/model/places.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char block_word[] = "block ";

const char *wpg_report_line_of(char buffer[WPG_PLACE_SIZE], const wpg_report *report,
                               const wpg_report_shader *shader, uint32_t function, uint32_t block)
{
    (void)wpg_report_place(buffer, WPG_PLACE_SIZE, report, shader, function, block);
    if (strncmp(buffer, block_word, strlen(block_word)) == 0 && !strchr(buffer, ':'))
        *buffer = '\0'; /* no line is known */
    return buffer;
}

const char *wpg_report_block_text(char buffer[WPG_PLACE_SIZE], const wpg_report *report,
                                  const wpg_report_shader *shader, uint32_t function, uint32_t block)
{
    char place[WPG_PLACE_SIZE] = "";
    if (report && shader)
        (void)wpg_report_line_of(place, report, shader, function, block);
    (void)snprintf(buffer, WPG_PLACE_SIZE, *place ? "block %u (%.*s)" : "block %u", block,
                   WPG_PLACE_SIZE - 32, place);
    return buffer;
}

/* Reads "block N" at *at; false: something else is there. */
static bool read_block(uint32_t *block, const char **at, const char *start)
{
    const size_t length = strlen(block_word);
    const char *text = *at;
    char *end;
    if (strncmp(text, block_word, length) != 0 || !isdigit((unsigned char)text[length]) ||
        (text > start && isalnum((unsigned char)text[-1])))
        return false;
    *block = (uint32_t)strtoul(text + length, &end, 10);
    *at = end;
    return true;
}

char *wpg_report_with_places(const char *text, const wpg_report *report, const wpg_report_shader *shader,
                             uint32_t function, uint32_t except)
{
    char *made = NULL, place[WPG_PLACE_SIZE];
    size_t size = 0;
    uint32_t block;
    FILE *out = open_memstream(&made, &size);
    if (!out)
        return NULL;
    for (const char *at = text; *at;) {
        if (read_block(&block, &at, text))
            (void)fputs(
                wpg_report_block_text(place, report, block == except ? NULL : shader, function, block), out);
        else
            (void)fputc(*at++, out);
    }
    if (fclose(out) != 0) {
        free(made);
        return NULL;
    }
    return made;
}

const wpg_report_shader *wpg_report_shader_of(const wpg_report *report, const char *hex)
{
    for (size_t i = 0; report && i < report->shader_count; i++)
        if (strcmp(report->shaders[i].hex, hex) == 0)
            return &report->shaders[i];
    return NULL;
}

const wpg_report_pipeline *wpg_report_pipeline_of(const wpg_report *report, const char *hex)
{
    for (size_t i = 0; report && i < report->pipeline_count; i++)
        if (strcmp(report->pipelines[i].hex, hex) == 0)
            return &report->pipelines[i];
    return NULL;
}

const char *wpg_report_called(char buffer[WPG_PLACE_SIZE], const char *name, const char *hex)
{
    char digits[9];
    (void)snprintf(digits, sizeof digits, "%.8s", hex);
    if (strstr(name, digits))
        (void)snprintf(buffer, WPG_PLACE_SIZE, "%.*s", WPG_PLACE_SIZE - 1, name);
    else
        (void)snprintf(buffer, WPG_PLACE_SIZE, "%.*s %s", WPG_PLACE_SIZE - 16, name, digits);
    return buffer;
}
