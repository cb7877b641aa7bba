/* `wavepgo help`: which text is asked for. */
#include "runtime/cli/help/help.h"

#include <string.h>

#include "runtime/cli/help/documents.h"

static const char command_name[] = "help";

void wpg_print_overview(FILE *out, const wpg_command_table *table)
{
    (void)fprintf(out, "wavepgo %s: profile-guided optimisation for Vulkan shaders\n\nusage:\n", WPG_VERSION);
    for (size_t i = 0; i < table->count; i++)
        (void)fprintf(out, "  wavepgo %-10s %s\n  %18s  %s\n", table->commands[i].name,
                      table->commands[i].arguments, "", table->commands[i].summary);
    (void)fprintf(
        out,
        "  wavepgo %-10s [COMMAND | settings | SETTING]\n  %18s  this text, a command's, the settings by "
        "group, or one setting\n"
        "  wavepgo version\n\n"
        "example:\n"
        "  wavepgo run --generate -- game args           # instrument: every pipeline counts while it runs\n"
        "  wavepgo merge -o game.profdata game.wavepgo/  # or llvm-profdata merge\n"
        "  wavepgo run --use game.profdata -- game args  # the same pipelines, recompiled with the "
        "profile\n",
        command_name, "");
}

void wpg_print_usage(FILE *out, const wpg_command *command)
{
    (void)fprintf(out, "usage: wavepgo %s %s\n\n%s\n\n%s", command->name, command->arguments,
                  command->summary, command->help);
    if (command->run == wpg_command_run)
        wpg_print_setting_options(out);
}

int wpg_command_help(const wpg_command_table *table, int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        wpg_print_overview(stdout, table);
        return 0;
    }
    if (strcmp(argv[1], "--write") == 0 && argc == 3)
        return wpg_write_documents(table, argv[2]);
    if (argc > 2)
        return wpg_usage_error(NULL, "help: one word at most: a command, settings, or a setting");
    if (strcmp(argv[1], "settings") == 0) {
        wpg_print_settings(stdout);
        return 0;
    }
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(argv[1], table->commands[i].name) == 0) {
            wpg_print_usage(stdout, &table->commands[i]);
            return 0;
        }
    const wpg_setting_info *info = wpg_setting_named(argv[1]);
    if (!info)
        return wpg_usage_error(NULL, "help: '%s' is neither a command nor a setting", argv[1]);
    wpg_print_setting(stdout, info);
    return 0;
}
