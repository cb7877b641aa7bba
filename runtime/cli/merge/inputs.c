#include "runtime/cli/merge/inputs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cli/common/command.h"

bool wpg_merge_parse_weighted(wpg_merge_input *input, const char *text)
{
    char *end;
    *input = (wpg_merge_input){text, 1, false};
    if (!isdigit((unsigned char)*text))
        return true;
    errno = 0;
    const unsigned long long weight = strtoull(text, &end, 10);
    if (*end != ',' || !end[1])
        return true;
    *input = (wpg_merge_input){end + 1, weight, false};
    return errno == 0 && weight >= 1;
}

static char *trim(char *line)
{
    while (isspace((unsigned char)*line))
        line++;
    for (size_t length = strlen(line); length && isspace((unsigned char)line[length - 1]);)
        line[--length] = '\0';
    return line;
}

static bool is_stdin(const char *path)
{
    return strcmp(path, "-") == 0;
}

static int each_line(FILE *list, const char *path, bool from_stdin, const char *command,
                     wpg_merge_visit *visit, void *context)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    int code = 0;
    while (!code && getline(&line, &room, list) >= 0) {
        wpg_merge_input input;
        const char *text = trim(line);
        number++;
        if (!*text || *text == '#')
            continue;
        if (!wpg_merge_parse_weighted(&input, text))
            code =
                wpg_complain(WPG_EXIT_FAILED, command, "%s, line %zu: a weight is 1 or more", path, number);
        else if (from_stdin && is_stdin(input.path))
            code = wpg_complain(WPG_EXIT_FAILED, command, "the list on standard input names standard input");
        else
            code = visit(context, &input);
    }
    if (!code && ferror(list))
        code = wpg_complain(WPG_EXIT_FAILED, command, "cannot read the list %s", path);
    free(line);
    return code;
}

static int each_of_list(const char *path, const char *command, wpg_merge_visit *visit, void *context)
{
    FILE *list = is_stdin(path) ? stdin : fopen(path, "re");
    if (!list)
        return wpg_complain(WPG_EXIT_FAILED, command, "cannot read the list %s: %s", path, strerror(errno));
    int code =
        each_line(list, list == stdin ? "standard input" : path, list == stdin, command, visit, context);
    if (list != stdin)
        (void)fclose(list);
    return code;
}

int wpg_merge_each_input(const wpg_merge_options *options, wpg_merge_visit *visit, void *context)
{
    int code = 0;
    for (size_t i = 0; i < options->inputs.count && !code; i++) {
        const wpg_merge_input *input = &options->inputs.data[i];
        code =
            input->list ? each_of_list(input->path, options->command, visit, context) : visit(context, input);
    }
    return code;
}
