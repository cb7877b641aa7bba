/* Completions for bash and zsh: commands, options with what they take, settings. */
#include <ctype.h>
#include <string.h>

#include "runtime/cli/help/documents.h"
#include "runtime/cli/help/usage_text.h"

static const char help_name[] = "help";

/* -- Options of a command, from its usage text and, for `run`, from the settings */

enum { WORDS_SIZE = 256 };

typedef struct option_value {
    bool any;               /* the option takes a value */
    bool optional;          /* or none: a switch, 0 or 1 */
    bool files;             /* the value may be a file or a folder */
    bool list;              /* several of `words`, by commas */
    char words[WORDS_SIZE]; /* by blanks; empty: not known */
} option_value;

typedef void on_option(FILE *out, const wpg_command *command, const char *name, const char *about,
                       const option_value *value);

/* "auto|on|off" to "auto on off". Words with capitals or dots stand for something and are left out. */
static void set_words(option_value *value, const char *choices)
{
    size_t used = 0;
    while (*choices) {
        size_t length = strcspn(choices, "|");
        bool literal = true;
        for (size_t i = 0; i < length; i++)
            literal &= !isupper((unsigned char)choices[i]) && choices[i] != '.';
        if (literal && used + length + 2 < sizeof value->words) {
            if (used)
                value->words[used++] = ' ';
            memcpy(value->words + used, choices, length);
            used += length;
        }
        choices += length + (choices[length] == '|');
    }
    value->words[used] = '\0';
}

static option_value value_of_setting(const wpg_setting_info *info)
{
    option_value value = {.any = true};
    if (info->type == WPG_SETTING_CHOICE || info->type == WPG_SETTING_LIST)
        set_words(&value, info->choices);
    if (info->type == WPG_SETTING_BOOL)
        set_words(&value, "0|1");
    value.optional = info->type == WPG_SETTING_BOOL;
    value.list = info->type == WPG_SETTING_LIST;
    value.files = info->type == WPG_SETTING_TEXT || info->type == WPG_SETTING_PATTERN;
    return value;
}

/* From the word that stands for it in the usage text: "PROFILE", "hsa|pal", "radv|ICD.json", "N". */
static option_value value_of_option(const wpg_usage_option *option)
{
    static const char *const files[] = {"PROFILE", "BUNDLE", "FILE", "DIR", "OUT", "OTHER", "PAT", "N,FILE"};
    const wpg_setting_info *info =
        strncmp(option->name, "--", 2) == 0 ? wpg_setting_named(option->name + 2) : NULL;
    option_value value = {.any = *option->value};
    if (value.any && info && (info->type == WPG_SETTING_CHOICE || info->type == WPG_SETTING_LIST))
        return value_of_setting(info);
    if (strchr(option->value, '|'))
        set_words(&value, option->value);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        value.files |= strcmp(option->value, files[i]) == 0;
    value.files |= strchr(option->value, '.') != NULL;
    return value;
}

/* False if the usage text is too long to be taken apart. */
static bool each_option(FILE *out, const wpg_command *command, on_option *seen)
{
    bool cut = false;
    wpg_usage_item item;
    for (const char *at = command->help; wpg_usage_next(&item, &at, &cut);) {
        wpg_usage_option option;
        for (const char *term = item.term; wpg_usage_next_option(&option, &term);) {
            option_value value = value_of_option(&option);
            seen(out, command, option.name, item.text, &value);
        }
    }
    seen(out, command, "--help", "the options", &(option_value){0});
    if (command->run != wpg_command_run)
        return !cut;
    size_t count;
    const wpg_setting_info *settings = wpg_settings_table(&count);
    for (size_t i = 0; i < count; i++) {
        char name[WPG_OPTION_SIZE];
        option_value value = value_of_setting(&settings[i]);
        wpg_setting_option(name, &settings[i]);
        if (!wpg_usage_has(command->help, name))
            seen(out, command, name, settings[i].help, &value);
    }
    return !cut;
}

static bool takes_program(const wpg_command *command)
{
    return strstr(command->arguments, "-- PROGRAM") != NULL;
}

static bool takes_files(const wpg_command *command)
{
    return !takes_program(command) &&
           (strstr(command->arguments, "FILE") || strstr(command->arguments, ".spv"));
}

/* What `wavepgo help` takes. */
static void print_topics(FILE *out, const wpg_command_table *table)
{
    size_t count;
    const wpg_setting_info *settings = wpg_settings_table(&count);
    (void)fputs("settings", out);
    for (size_t i = 0; i < table->count; i++)
        (void)fprintf(out, " %s", table->commands[i].name);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out, " %s", settings[i].key);
}

/* -- bash */

static void bash_name(FILE *out, const wpg_command *command, const char *name, const char *about,
                      const option_value *value)
{
    (void)command, (void)about, (void)value;
    (void)fprintf(out, " %s", name);
}

static void bash_value(FILE *out, const wpg_command *command, const char *name, const char *about,
                       const option_value *value)
{
    (void)about;
    if (!value->any)
        return;
    (void)fprintf(out, "    '%s %s')", command->name, name);
    if (*value->words)
        (void)fprintf(out, " words='%s'", value->words);
    (void)fprintf(out, "%s%s%s ;;\n", value->list ? " list=yes" : "", value->files ? " files=yes" : "",
                  value->optional ? " optional=yes" : " value=yes");
}

/* The parts that no table changes. bash splits --mode=use at the equals sign (COMP_WORDBREAKS). */
static const char bash_start[] =
    "# bash completion of wavepgo. Generated by the build from the usage texts and the table of settings.\n"
    "_wavepgo() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]-}\n"
    "    local at words='' list='' files='' value='' optional='' options='' program='' before=''\n"
    "    COMPREPLY=()\n"
    "    if [[ $cur == '=' ]]; then\n"
    "        cur='' value=yes\n"
    "    elif [[ $prev == '=' ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD - 2]} value=yes\n"
    "    fi\n";

static const char bash_program[] =
    "    if [[ $program ]]; then\n"
    "        for ((at = 2; at < COMP_CWORD; at++)); do\n"
    "            [[ ${COMP_WORDS[at]} == -- ]] || continue\n"
    "            if declare -F _comp_command_offset >/dev/null; then\n"
    "                _comp_command_offset $((at + 1))\n"
    "            elif declare -F _command_offset >/dev/null; then\n"
    "                _command_offset $((at + 1))\n"
    "            elif ((at + 1 == COMP_CWORD)); then\n"
    "                mapfile -t COMPREPLY < <(compgen -A command -- \"$cur\")\n"
    "            else\n"
    "                files=yes\n"
    "                break\n"
    "            fi\n"
    "            return\n"
    "        done\n"
    "    fi\n";

static const char bash_end[] =
    "    if [[ $list && $cur == *,* ]]; then\n"
    "        before=${cur%,*},\n"
    "        cur=${cur##*,}\n"
    "    fi\n"
    "    if [[ ! $value && ! $files && ($cur == -* || (! $cur && ! $words && $program)) ]]; then\n"
    "        words=\"$options${program:+ --}\"\n"
    "    elif [[ ! $value && ! $optional && ! $files && ! $words && $program ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -A command -- \"$cur\")\n"
    "        return\n"
    "    fi\n"
    "    mapfile -t COMPREPLY < <(\n"
    "        [[ ! $words ]] || compgen -P \"$before\" -W \"$words\" -- \"$cur\"\n"
    "        [[ ! $files ]] || compgen -f -- \"$cur\"\n"
    "    )\n"
    "    [[ ! $files ]] || compopt -o filenames 2>/dev/null\n"
    "}\n"
    "complete -F _wavepgo wavepgo\n";

bool wpg_completion_bash(FILE *out, const wpg_command_table *table)
{
    bool good = true;
    (void)fputs(bash_start, out);
    (void)fputs("    if ((COMP_CWORD == 1)); then\n        mapfile -t COMPREPLY < <(compgen -W '", out);
    for (size_t i = 0; i < table->count; i++)
        (void)fprintf(out, "%s ", table->commands[i].name);
    (void)fprintf(out,
                  "%s version --help --version' -- \"$cur\")\n        return\n    fi\n    case $command in\n",
                  help_name);
    for (size_t i = 0; i < table->count; i++) {
        const wpg_command *command = &table->commands[i];
        (void)fprintf(out, "    %s)\n        %soptions='", command->name,
                      takes_program(command) ? "program=yes " : "");
        good &= each_option(out, command, bash_name);
        (void)fputs("'\n        ;;\n", out);
    }
    (void)fprintf(out, "    %s) ((COMP_CWORD > 2)) || words='", help_name);
    print_topics(out, table);
    (void)fputs("' ;;\n    esac\n", out);
    (void)fputs(bash_program, out);
    (void)fputs("    [[ $files ]] || case \"$command $prev\" in\n", out);
    for (size_t i = 0; i < table->count; i++)
        good &= each_option(out, &table->commands[i], bash_value);
    for (size_t i = 0; i < table->count; i++)
        if (takes_files(&table->commands[i]))
            (void)fprintf(out, "    '%s '*) [[ $cur == -* ]] || files=yes ;;\n", table->commands[i].name);
    (void)fputs("    esac\n", out);
    (void)fputs(bash_end, out);
    return good;
}

/* -- zsh */

/* Inside single quotes; brackets and colons would end a part of a specification. */
static void put_zsh(FILE *out, const char *text, const char *end)
{
    for (; text < end; text++) {
        if (*text == '\'')
            (void)fputs("'\\''", out);
        else {
            if (strchr("[]:\\", *text))
                (void)fputc('\\', out);
            (void)fputc(*text, out);
        }
    }
}

/* Up to the first semicolon: a line of a menu. */
static void put_zsh_about(FILE *out, const char *text)
{
    const char *end = strstr(text, "; ");
    put_zsh(out, text, end ? end : text + strlen(text));
}

static void zsh_option(FILE *out, const wpg_command *command, const char *name, const char *about,
                       const option_value *value)
{
    bool equals = value->any && command->run == wpg_command_run; /* both --mode use and --mode=use */
    (void)fprintf(out, " \\\n            '%s%s[", name, equals ? "=" : "");
    put_zsh_about(out, about);
    (void)fputc(']', out);
    if (value->any) {
        (void)fputs(value->optional ? "::value:" : ":value:", out);
        if (*value->words && value->list)
            (void)fprintf(out, "_values -s , value %s", value->words);
        else if (*value->words && value->files)
            (void)fprintf(out, "_alternative \"words\\:word\\:(%s)\" \"files\\:file\\:_files\"",
                          value->words);
        else if (*value->words)
            (void)fprintf(out, "(%s)", value->words);
        else
            (void)fputs(value->files ? "_files" : " ", out);
    }
    (void)fputc('\'', out);
}

bool wpg_completion_zsh(FILE *out, const wpg_command_table *table)
{
    bool good = true;
    (void)fputs("#compdef wavepgo\n"
                "# zsh completion of wavepgo. Generated by the build from the usage texts and the table of "
                "settings.\n"
                "_wavepgo() {\n"
                "    local -a commands\n"
                "    commands=(\n",
                out);
    for (size_t i = 0; i < table->count; i++) {
        (void)fprintf(out, "        '%s:", table->commands[i].name);
        put_zsh_about(out, table->commands[i].summary);
        (void)fputs("'\n", out);
    }
    (void)fputs("        'help:print help'\n"
                "        'version:print the version'\n"
                "    )\n"
                "    if ((CURRENT == 2)); then\n"
                "        _describe command commands\n"
                "        return\n"
                "    fi\n"
                "    shift words\n"
                "    ((CURRENT--))\n"
                "    case $words[1] in\n",
                out);
    for (size_t i = 0; i < table->count; i++) {
        const wpg_command *command = &table->commands[i];
        (void)fprintf(out, "    %s)\n        _arguments -S", command->name);
        good &= each_option(out, command, zsh_option);
        (void)fputs(takes_program(command) ? " \\\n            '*::program: _normal'"
                    : takes_files(command) ? " \\\n            '*:file:_files'"
                                           : "",
                    out);
        (void)fputs("\n        ;;\n", out);
    }
    (void)fputs("    help)\n        _arguments '1:topic:(", out);
    print_topics(out, table);
    (void)fputs(")'\n        ;;\n    esac\n}\n_wavepgo \"$@\"\n", out);
    return good;
}
