/* wavepgo show: reads a profile and hands it to a printer. */
#include "runtime/cli/common/command.h"
#include "runtime/cli/common/recover.h"
#include "runtime/cli/show/show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/bundle/bundle.h"
#include "runtime/bundle/folder.h"

static const char command_name[] = "show";

static int show_profile(const char *path, const wpg_show_options *options)
{
    wpg_error err;
    wpg_profile_stats stats = {0};
    wpg_shader_view *view = NULL;
    wpg_profile *profile = wpg_profile_create();
    if (!profile)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
    wpg_recover_folder(command_name, path, true);
    wpg_bundle bundle = {0};
    wpg_show_options all = *options;
    wpg_status status = WPG_OK;
    if (wpg_is_bundle(path)) {
        status = wpg_bundle_load(&bundle, path, 1, &err);
        all.bundle = &bundle;
    }
    wpg_status found = status == WPG_OK ? wpg_profile_load(profile, &stats, path, &err) : WPG_OK;
    if (found != WPG_OK && !(found == WPG_E_NOT_FOUND && all.bundle)) /* a bundle may be without profiles */
        status = found;
    if (status == WPG_OK)
        status = wpg_shader_view_create(&view, profile, &err);
    if (status != WPG_OK)
        (void)wpg_complain(0, command_name, "%s", err.message);
    else if (options->json)
        wpg_show_json(stdout, path, view, &all);
    else
        wpg_show_text(stdout, path, view, &all);
    wpg_shader_view_destroy(view);
    wpg_profile_destroy(profile);
    wpg_bundle_finish(&bundle);
    if (status != WPG_OK)
        return WPG_EXIT_FAILED;
    return fflush(stdout) == 0 && !ferror(stdout)
               ? 0
               : wpg_complain(WPG_EXIT_FAILED, command_name, "cannot write: %s", strerror(errno));
}

static bool parse_count(size_t *value, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *value = (size_t)number;
    return errno == 0 && end != text && *end == '\0' && *text != '-';
}

int wpg_command_show(int argc, char **argv)
{
    wpg_show_options options = {.top = 20};
    const char *path = NULL, *use_log = NULL;
    for (int at = 1; at < argc; at++) {
        const char *value = at + 1 < argc ? argv[at + 1] : NULL;
        if (strcmp(argv[at], "--json") == 0) {
            options.json = true;
        } else if (strcmp(argv[at], "--blocks") == 0) {
            options.blocks = true;
        } else if (strcmp(argv[at], "--values") == 0) {
            options.values = true;
        } else if (strcmp(argv[at], "--top") == 0) {
            if (!value || !parse_count(&options.top, value))
                return wpg_usage_error(command_name, "--top takes a number");
            at++;
        } else if (strcmp(argv[at], "--use-log") == 0) {
            if (!value)
                return wpg_usage_error(
                    command_name,
                    "--use-log needs the file that 'wavepgo run --use PROFILE --use-log FILE' wrote");
            use_log = argv[++at];
        } else if (argv[at][0] == '-' && argv[at][1]) {
            return wpg_usage_error(command_name, "no option is called '%s'", argv[at]);
        } else if (path) {
            return wpg_usage_error(command_name, "give one file or folder; 'wavepgo merge' joins several");
        } else {
            path = argv[at];
        }
    }
    if (use_log)
        return path ? wpg_usage_error(command_name, "--use-log cannot be combined with a profile")
                    : wpg_show_use_log(stdout, use_log);
    if (!path)
        return wpg_usage_error(command_name, "no profile is given: name a file or a folder");
    return show_profile(path, &options);
}
