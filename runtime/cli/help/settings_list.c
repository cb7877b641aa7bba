/* Prints the settings by group: as options, by name, as Markdown. */
#include <ctype.h>
#include <string.h>

#include "runtime/cli/help/help.h"

/* What a group is for, below its name. */
static const char *const group_text[WPG_GROUP_COUNT] = {
    "what to do, what to count, where files go", "use mode: thresholds, limits, passes",
    "tune mode: candidates, and when one wins",  "other ways of counting and optimising, to compare with",
    "what tests of the layer set and look at",
};

const char *wpg_setting_group_text(wpg_setting_group group)
{
    return group_text[group];
}

const char *wpg_setting_value(const wpg_setting_info *info)
{
    if (info->type == WPG_SETTING_CHOICE)
        return info->choices;
    return info->type >= WPG_SETTING_TEXT ? "TEXT" : info->type == WPG_SETTING_BOOL ? "0|1" : "N";
}

void wpg_setting_option(char option[WPG_OPTION_SIZE], const wpg_setting_info *info)
{
    size_t at = 0;
    option[at++] = '-';
    option[at++] = '-';
    for (const char *key = info->key; *key && at < WPG_OPTION_SIZE - 1; key++)
        option[at++] = *key == '_' ? '-' : (char)tolower((unsigned char)*key);
    option[at] = '\0';
}

const wpg_setting_info *wpg_setting_named(const char *name)
{
    size_t count;
    const wpg_setting_info *table = wpg_settings_table(&count);
    for (size_t i = 0; i < count; i++) {
        const char *key = table[i].key, *at = name;
        while (*key && *at && (*at == '-' ? '_' : toupper((unsigned char)*at)) == *key) {
            key++;
            at++;
        }
        if (!*key && !*at)
            return &table[i];
    }
    return NULL;
}

enum { INDENT = 6, WIDTH = 100 };

/* Words of `text` in lines of at most WIDTH columns; gives the column behind the last one. */
static size_t print_words(FILE *out, size_t column, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > INDENT && column + 1 + length > WIDTH) {
            (void)fprintf(out, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            (void)fputc(' ', out);
            column++;
        }
        (void)fwrite(text, 1, length, out);
        column += length;
        text += length + (text[length] == ' ');
    }
    return column;
}

static void print_one(FILE *out, const char *name, const wpg_setting_info *info)
{
    (void)fprintf(out, "  %s %s\n%*s", name, wpg_setting_value(info), INDENT, "");
    size_t column = print_words(out, INDENT, info->help);
    if (*info->preset) {
        char preset[80];
        (void)snprintf(preset, sizeof preset, "(default %s)", info->preset);
        (void)print_words(out, column, preset);
    }
    (void)fputc('\n', out);
}

void wpg_print_setting(FILE *out, const wpg_setting_info *info)
{
    char option[WPG_OPTION_SIZE];
    wpg_setting_option(option, info);
    print_one(out, info->key, info);
    (void)fprintf(out, "Group: %s. Option of 'wavepgo run': %s. Variable: WAVEPGO_%s.\n",
                  wpg_setting_group_name(info->group), option, info->key);
}

static void print_by_group(FILE *out, bool options)
{
    size_t count;
    const wpg_setting_info *table = wpg_settings_table(&count);
    for (int group = 0; group < WPG_GROUP_COUNT; group++) {
        (void)fprintf(out, "\n%s: %s\n", wpg_setting_group_name((wpg_setting_group)group), group_text[group]);
        for (size_t i = 0; i < count; i++) {
            char option[WPG_OPTION_SIZE];
            wpg_setting_option(option, &table[i]);
            if ((int)table[i].group == group)
                print_one(out, options ? option : table[i].key, &table[i]);
        }
    }
}

void wpg_print_setting_options(FILE *out)
{
    print_by_group(out, true);
}

void wpg_print_settings(FILE *out)
{
    (void)fputs(
        "Each setting is an option of 'wavepgo run' (--flush-interval 5), a variable\n"
        "(WAVEPGO_FLUSH_INTERVAL=5) and a line of ~/.config/wavepgo/wavepgo.conf (flush_interval = 5),\n"
        "or of ~/.config/wavepgo/EXECUTABLE.conf for one program.\n",
        out);
    print_by_group(out, false);
}

/* Text in a Markdown table: a bar would end the cell, an angle bracket would open a tag. */
static void print_cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            (void)fputs(", ", out);
        else if (*text == '<')
            (void)fputs("&lt;", out);
        else
            (void)fputc(*text, out);
    }
}

void wpg_print_setting_tables(FILE *out)
{
    size_t count;
    const wpg_setting_info *table = wpg_settings_table(&count);
    for (int group = 0; group < WPG_GROUP_COUNT; group++) {
        (void)fprintf(out, "%s### %s: %s\n\n| setting | value | default | meaning |\n|---|---|---|---|\n",
                      group ? "\n" : "", wpg_setting_group_name((wpg_setting_group)group), group_text[group]);
        for (size_t i = 0; i < count; i++) {
            if ((int)table[i].group != group)
                continue;
            (void)fprintf(out, "| `%s` | ", table[i].key);
            print_cell(out, wpg_setting_value(&table[i]));
            (void)fprintf(out, " | %s | ", table[i].preset);
            print_cell(out, table[i].help);
            (void)fputs(" |\n", out);
        }
    }
}
