/* wavepgo report: reads a bundle or a profile, and writes what people look at. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/cli/common/command.h"
#include "runtime/cli/common/recover.h"
#include "runtime/report/printers.h"

static const char command_name[] = "report";

int wpg_command_report(int argc, char **argv)
{
    wpg_report_options options = {0};
    bool json = false;
    wpg_error err;
    wpg_report *report;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (argv[i][0] == '-' && argv[i][1])
            return wpg_usage_error(command_name, "no option is called '%s'", argv[i]);
        else if (options.path)
            return wpg_usage_error(command_name, "give one bundle or profile; 'wavepgo merge' joins several");
        else
            options.path = argv[i];
    }
    if (!options.path)
        return wpg_usage_error(command_name, "no bundle or profile is given");
    wpg_recover_folder(command_name, options.path, true);
    if (wpg_report_load(&report, &options, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    if (json)
        wpg_report_json(stdout, report);
    wpg_report_destroy(report);
    return fflush(stdout) == 0 && !ferror(stdout)
               ? 0
               : wpg_complain(WPG_EXIT_FAILED, command_name, "cannot write: %s", strerror(errno));
}
