/* Options of output, its begin and its end. */
#include "runtime/cli/common/output.h"

#include <errno.h>
#include <string.h>

#include "runtime/cli/common/command.h"

static int read_color(wpg_output *output, const char *command, const char *value)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (unsigned i = 0; value && i < sizeof names / sizeof *names; i++)
        if (strcmp(value, names[i]) == 0) {
            output->terminal.color = (wpg_color_choice)i;
            return 1;
        }
    (void)wpg_usage_error(command, "--color takes auto, always or never");
    return -1;
}

int wpg_output_option(wpg_output *output, const char *command, int argc, char **argv, int *at)
{
    const char *option = argv[*at];
    if (strcmp(option, "--json") == 0)
        output->json = true;
    else if (strcmp(option, "--csv") == 0)
        output->csv = true;
    else if (strcmp(option, "--no-pager") == 0)
        output->terminal.no_pager = true;
    else if (strncmp(option, "--color=", strlen("--color=")) == 0)
        return read_color(output, command, option + strlen("--color="));
    else if (strcmp(option, "--color") == 0)
        return read_color(output, command, *at + 1 < argc ? argv[++*at] : NULL);
    else
        return 0;
    return 1;
}

void wpg_output_open(wpg_terminal *terminal, const wpg_output *output)
{
    const bool document = output->json || output->csv;
    wpg_terminal_options options = output->terminal;
    if (document)
        options = (wpg_terminal_options){.color = WPG_COLOR_NEVER, .no_pager = true};
    wpg_terminal_open(terminal, &options);
}

int wpg_output_close(wpg_terminal *terminal, const char *command, int code)
{
    if (wpg_terminal_close(terminal))
        return code;
    return wpg_complain(WPG_EXIT_FAILED, command, "cannot write: %s", strerror(errno));
}
