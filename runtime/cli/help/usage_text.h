/* Takes a command's usage text (wpg_command.help) apart, for man pages and completions.
 *
 *     "  --use PROFILE         apply a profile: a merged\n"   option: two blanks, term, two blanks, text
 *     "                        file, or a folder of them\n"   continuation: six blanks at least
 *     "Folders are searched for *.profraw.\n"               prose: no blank
 *     "Exit code: 0 done, 1 failed.\n"                      prose on exit codes
 *
 * Owns: an item owns its texts.
 * Threads: any. */
#ifndef WPG_RUNTIME_CLI_HELP_USAGE_TEXT_H
#define WPG_RUNTIME_CLI_HELP_USAGE_TEXT_H

#include <stdbool.h>

typedef enum wpg_usage_kind { WPG_USAGE_OPTION, WPG_USAGE_PROSE, WPG_USAGE_EXIT } wpg_usage_kind;

enum { WPG_TERM_SIZE = 80, WPG_USAGE_SIZE = 2048 };

typedef struct wpg_usage_item {
    wpg_usage_kind kind;
    char term[WPG_TERM_SIZE];  /* "--use PROFILE", "--user, --system, --prefix DIR", "HASH"; prose: empty */
    char text[WPG_USAGE_SIZE]; /* one line */
} wpg_usage_item;

/* Reads the item at *at and moves *at behind it; false at the end. Consecutive lines of prose are one item.
 * A text that is too long for an item is cut, and *cut is set; it is left alone otherwise. */
bool wpg_usage_next(wpg_usage_item *item, const char **at, bool *cut);

/* One option of a term: "--use PROFILE" has name "--use", value "PROFILE". */
typedef struct wpg_usage_option {
    char name[WPG_TERM_SIZE], value[WPG_TERM_SIZE];
} wpg_usage_option;

/* Reads the option at *term and moves *term behind it; words that are no option are passed over. */
bool wpg_usage_next_option(wpg_usage_option *option, const char **term);

/* True if a usage text has an option of that name. */
bool wpg_usage_has(const char *usage, const char *name);

#endif
