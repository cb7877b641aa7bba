/* The lines of a usage text, told apart by their indentation. */
#include "runtime/cli/help/usage_text.h"

#include <string.h>

enum { OPTION_INDENT = 2, CONTINUATION_INDENT = 6 };
static const char exit_words[] = "Exit code: ";

/* Appends length bytes and a blank before them if there is something already. */
static void append(char *text, size_t size, const char *more, size_t length, bool *cut)
{
    size_t used = strlen(text), blank = used && length ? 1 : 0;
    if (used + blank + length >= size) {
        *cut = true;
        return;
    }
    if (blank)
        text[used++] = ' ';
    memcpy(text + used, more, length);
    text[used + length] = '\0';
}

static wpg_usage_kind kind_of(const char *line)
{
    return *line == ' '                                            ? WPG_USAGE_OPTION
           : strncmp(line, exit_words, sizeof exit_words - 1) == 0 ? WPG_USAGE_EXIT
                                                                   : WPG_USAGE_PROSE;
}

/* "  TERM  TEXT" */
static void start_option(wpg_usage_item *item, const char *line, size_t length, bool *cut)
{
    const char *term = line + OPTION_INDENT, *end = line + length, *gap = term;
    while (gap + 1 < end && (gap[0] != ' ' || gap[1] != ' '))
        gap++;
    if (gap + 1 >= end)
        gap = end;
    append(item->term, sizeof item->term, term, (size_t)(gap - term), cut);
    while (gap < end && *gap == ' ')
        gap++;
    append(item->text, sizeof item->text, gap, (size_t)(end - gap), cut);
}

/* True if the line goes on with the item before it. */
static bool goes_on(const wpg_usage_item *item, const char *line)
{
    size_t indent = strspn(line, " ");
    if (item->kind == WPG_USAGE_OPTION)
        return indent >= CONTINUATION_INDENT;
    return *line && indent == 0 && kind_of(line) == WPG_USAGE_PROSE;
}

bool wpg_usage_next(wpg_usage_item *item, const char **at, bool *cut)
{
    const char *line = *at;
    if (!*line)
        return false;
    *item = (wpg_usage_item){.kind = kind_of(line)};
    size_t length = strcspn(line, "\n");
    if (item->kind == WPG_USAGE_OPTION && length > OPTION_INDENT) {
        start_option(item, line, length, cut);
    } else {
        size_t skip = item->kind == WPG_USAGE_EXIT ? sizeof exit_words - 1 : 0;
        append(item->text, sizeof item->text, line + skip, length - skip, cut);
    }
    for (line += length + (line[length] == '\n'); *line && goes_on(item, line);
         line += length + (line[length] == '\n')) {
        size_t indent = strspn(line, " ");
        length = strcspn(line, "\n");
        append(item->text, sizeof item->text, line + indent, length - indent, cut);
    }
    *at = line;
    return true;
}

static size_t copy_word(char word[WPG_TERM_SIZE], const char *from)
{
    size_t length = strcspn(from, " ");
    bool comma = length > 1 && from[length - 1] == ',' && (from[length] == ' ' || !from[length]);
    size_t kept = length - comma < WPG_TERM_SIZE - 1 ? length - comma : WPG_TERM_SIZE - 1;
    memcpy(word, from, kept);
    word[kept] = '\0';
    return comma ? length - 1 : length;
}

bool wpg_usage_next_option(wpg_usage_option *option, const char **term)
{
    const char *at = *term;
    *option = (wpg_usage_option){0};
    while (*at && (*at != '-' || at[1] == ' ' || !at[1])) { /* a word that is no option */
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    if (!*at)
        return false;
    at += copy_word(option->name, at);
    if (*at == ' ' && at[1] != '-')
        at += 1 + copy_word(option->value, at + 1);
    at += strspn(at, ", ");
    *term = at;
    return true;
}

bool wpg_usage_has(const char *usage, const char *name)
{
    wpg_usage_item item;
    bool cut = false;
    while (wpg_usage_next(&item, &usage, &cut)) {
        wpg_usage_option option;
        for (const char *term = item.term; wpg_usage_next_option(&option, &term);)
            if (strcmp(option.name, name) == 0)
                return true;
    }
    return false;
}
