/* Settings as options of a command: "--flush-interval 5" is WAVEPGO_FLUSH_INTERVAL=5 of the program that is
 * started. Every value goes through the table of runtime/config, so that a bad one is refused before the
 * program starts. Threads: changes the process's environment. */
#ifndef WPG_RUNTIME_CLI_COMMON_SETTING_OPTION_H
#define WPG_RUNTIME_CLI_COMMON_SETTING_OPTION_H

#include <stdbool.h>

#include "runtime/config/settings.h"

typedef struct wpg_setting_options {
    wpg_settings checked;
    const char *command; /* that complains */
    bool print;          /* variables are printed, too, as shell assignments */
} wpg_setting_options;

/* Refuses what the environment has wrong: 0, or an exit code after a message. */
int wpg_setting_options_init(wpg_setting_options *options, const char *command);
void wpg_setting_options_finish(wpg_setting_options *options);

/* Sets a variable. 0, or an exit code after a message. A relative file stays where the user meant it, even if
 * the program changes folder. */
int wpg_setting_set(wpg_setting_options *options, const char *key, const char *value);
/* One option that is a setting: "--key value", "--key=value", "--key" for a switch, of `left` words. Returns
 * how many words it took, 0 after a message. */
int wpg_setting_option_take(wpg_setting_options *options, int left, char **argv);

#endif
