/* wavepgo compare: options, rounds, where the result goes. */
#include "runtime/cli/compare/compare.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/common/compare_file.h"
#include "runtime/cli/common/enable.h"
#include "runtime/cli/common/profile_hash.h"
#include "runtime/cli/common/program_path.h"
#include "runtime/cli/common/recover.h"
#include "runtime/cli/common/setting_option.h"

static const char command_name[] = "compare";
enum { MOST_ROUNDS = 10000, LOG_TAIL = 2000 };

typedef struct work {
    wpg_compare_options options;
    wpg_setting_options settings;
    char folder[PATH_MAX], log[PATH_MAX + 8];
    char profile[PATH_MAX]; /* for the environment: the program may change folder */
    char program[PATH_MAX]; /* "": not found */
    char profile_hash[WPG_HASH_HEX + 1];
    wpg_report *report; /* names; NULL: there are none */
    wpg_rounds rounds;
    bool interrupted;
    char date[32];
} work;

/* -- Options */

/* "--name VALUE" or "--name=VALUE": the value, and how many words; NULL: another option. An empty value is
 * refused by whoever takes it. */
static const char *value_of(int *used, const char *name, int left, char **argv)
{
    const size_t length = strlen(name);
    if (strncmp(argv[0], name, length) != 0 || (argv[0][length] && argv[0][length] != '='))
        return NULL;
    if (argv[0][length] == '=')
        return argv[0] + length + 1;
    if (left < 2 || strcmp(argv[1], "--") == 0)
        return "";
    *used = 2;
    return argv[1];
}

/* 0; or an exit code after a message. */
static int take(work *w, int *used, int left, char **argv)
{
    wpg_compare_options *options = &w->options;
    const char *value;
    double number;
    *used = 1;
    if ((value = value_of(used, "--profile", left, argv))) {
        options->profile = value;
        return *value ? 0 : wpg_usage_error(command_name, "'--profile' needs a profile: a file or a bundle");
    }
    if ((value = value_of(used, "-o", left, argv))) {
        options->result = value;
        return *value ? 0 : wpg_usage_error(command_name, "'-o' needs a file");
    }
    if ((value = value_of(used, "--rounds", left, argv))) {
        if (!wpg_parse_real(&number, value) || number < 1 || number > MOST_ROUNDS || number != (int)number)
            return wpg_usage_error(command_name, "--rounds: '%s' is no number from 1 to %d", value,
                                   (int)MOST_ROUNDS);
        options->rounds = (int)number;
        return 0;
    }
    if ((value = value_of(used, "--duration", left, argv))) {
        if (!wpg_parse_real(&options->duration, value) || options->duration <= 0 || options->duration > 86400)
            return wpg_usage_error(command_name, "--duration: '%s' is no number of seconds up to 86400",
                                   value);
        return 0;
    }
    *used = wpg_setting_option_take(&w->settings, left, argv);
    return *used ? 0 : WPG_EXIT_USAGE;
}

static bool *switch_of(wpg_compare_options *options, const char *word)
{
    return strcmp(word, "--json") == 0     ? &options->json
           : strcmp(word, "--csv") == 0    ? &options->csv
           : strcmp(word, "--bare") == 0   ? &options->bare
           : strcmp(word, "--output") == 0 ? &options->output
                                           : NULL;
}

static int parse(work *w, int argc, char **argv)
{
    int at = 1;
    for (int used = 1; at < argc && argv[at][0] == '-'; at += used) {
        bool *on = switch_of(&w->options, argv[at]);
        used = 1;
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        if (on)
            *on = true;
        else if (strncmp(argv[at], "--", 2) != 0 && strncmp(argv[at], "-o", 2) != 0)
            return wpg_usage_error(command_name, "no option is called '%s'", argv[at]);
        else {
            const int code = take(w, &used, argc - at, argv + at);
            if (code)
                return code;
        }
    }
    w->options.program = argv + at;
    if (!w->options.profile)
        return wpg_usage_error(command_name, "no profile is given: --profile PROFILE-or-bundle");
    if (at >= argc)
        return wpg_usage_error(
            command_name,
            "no program is given: put it after '--', as in 'wavepgo compare --profile PROFILE -- game'");
    if (w->options.json && w->options.csv)
        return wpg_usage_error(command_name, "--json and --csv cannot be combined");
    return 0;
}

/* -- Before the first run */

static int load_names(work *w)
{
    const wpg_report_options options = {.path = w->options.profile};
    wpg_error err;
    wpg_recover_folder(command_name, w->options.profile, true);
    const wpg_status status = wpg_report_load(&w->report, &options, &err);
    if (status == WPG_OK || status == WPG_E_NOT_FOUND) /* no counts: usual push constants alone will do */
        return 0;
    return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
}

static int make_folder(work *w)
{
    const char *place = *wpg_environment_get("TMPDIR") ? wpg_environment_get("TMPDIR") : "/tmp";
    if ((size_t)snprintf(w->folder, sizeof w->folder, "%s/wavepgo-compare-XXXXXX", place) >=
            sizeof w->folder ||
        !mkdtemp(w->folder)) {
        w->folder[0] = '\0';
        return wpg_complain(WPG_EXIT_FAILED, command_name, "cannot make a folder in %s: %s", place,
                            strerror(errno));
    }
    (void)snprintf(w->log, sizeof w->log, "%s/log", w->folder);
    return 0;
}

/* Of which program and profile the figures are. */
static void identify(work *w)
{
    wpg_hash128 hash;
    if (!wpg_program_path(w->program, w->options.program[0]))
        w->program[0] = '\0';
    if (wpg_profile_hash(&hash, w->profile))
        wpg_hash_to_hex(w->profile_hash, hash);
}

static int prepare(work *w)
{
    struct stat info;
    if (stat(w->options.profile, &info) != 0)
        return wpg_complain(WPG_EXIT_FAILED, command_name,
                            "cannot read profile %s: %s; 'wavepgo merge' makes a profile", w->options.profile,
                            strerror(errno));
    if (!realpath(w->options.profile, w->profile))
        return wpg_complain(WPG_EXIT_FAILED, command_name, "cannot read profile %s: %s", w->options.profile,
                            strerror(errno));
    int code = load_names(w);
    identify(w);
    code = code ? code : wpg_enable_layer(false, command_name);
    code = code ? code : make_folder(w);
    if (!code)
        wpg_run_prepare();
    return code;
}

/* -- Runs */

static void set_environment(const work *w, wpg_side side)
{
    char pattern[2 * PATH_MAX + 16];
    size_t at = 0;
    for (const char *from = w->folder; *from; from++) {
        if (*from == '%') /* a pattern's letter elsewhere */
            pattern[at++] = '%';
        pattern[at++] = *from;
    }
    (void)snprintf(pattern + at, sizeof pattern - at, "/%%p.times");
    const bool use = side == WPG_SIDE_USE;
    wpg_environment_set(false, "WAVEPGO_MODE", use || !w->options.bare ? "use" : "off");
    wpg_environment_set(false, "WAVEPGO_PROFILE_USE", use ? w->profile : "none");
    wpg_environment_set(false, "WAVEPGO_TIMES", pattern);
    wpg_environment_set(false, "WAVEPGO_TIMESTAMPS", w->options.bare ? "0" : "1");
    wpg_environment_set(false, "WAVEPGO_SUMMARY", "0");
    wpg_environment_set(false, "WAVEPGO_COMPILE", "blocking"); /* what it runs, not when it gets there */
}

static void progress(const char *what)
{
    if (isatty(STDERR_FILENO))
        (void)fprintf(stderr, "\r\033[K%s", what);
}

/* The end of what the program said. */
static void show_log(const work *w)
{
    char text[LOG_TAIL + 1];
    FILE *file = fopen(w->log, "r");
    if (!file)
        return;
    (void)fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    (void)fseek(file, size > LOG_TAIL ? size - LOG_TAIL : 0, SEEK_SET);
    text[fread(text, 1, LOG_TAIL, file)] = '\0';
    (void)fclose(file);
    if (*text)
        (void)fprintf(stderr, "%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

/* 0; or an exit code after a message. `round` 0: the run before the first. */
static int run_once(work *w, wpg_measured *measured, wpg_side side, int round)
{
    char what[80] = "";
    wpg_run run;
    wpg_error err;
    if (round)
        (void)snprintf(what, sizeof what, "round %d of %d: %s", round, w->options.rounds,
                       wpg_side_name(side));
    else
        (void)snprintf(what, sizeof what, "first run, not measured: %s", wpg_side_name(side));
    progress(what);
    set_environment(w, side);
    wpg_run_program(&run, &w->options, w->log);
    progress("");
    const wpg_status status = wpg_measure(measured, &run, w->folder, &err);
    w->interrupted |= run.interrupted;
    if (status != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    if (!run.failed)
        return 0;
    wpg_measured_finish(measured);
    show_log(w);
    return wpg_complain(WPG_EXIT_FAILED, command_name, "%s (%s)", run.why, what);
}

/* The runs that fill caches, and tell whether there is anything to compare. */
static int warm_up(work *w)
{
    for (int side = 0; side < WPG_SIDES && !w->interrupted; side++) {
        wpg_measured measured;
        const int code = run_once(w, &measured, (wpg_side)side, 0);
        if (code)
            return code;
        const bool timed = measured.processes > 0;
        wpg_measured_finish(&measured);
        if (!timed && !w->interrupted && side == WPG_SIDE_USE)
            return wpg_complain(WPG_EXIT_FAILED, command_name,
                                "%s made no Vulkan device under the layer: 'wavepgo doctor -- %s' tells why",
                                w->options.program[0], w->options.program[0]);
    }
    return 0;
}

static void round_finish(wpg_round *round)
{
    for (int side = 0; side < WPG_SIDES; side++)
        wpg_measured_finish(&round->side[side]);
}

/* A round that is not whole is dropped. */
static int run_round(work *w, int number)
{
    wpg_round round = {0};
    const wpg_side first = number % 2 ? WPG_SIDE_OFF : WPG_SIDE_USE;
    int code = run_once(w, &round.side[first], first, number);
    if (!code && !w->interrupted)
        code = run_once(w, &round.side[1 - first], 1 - first, number);
    if (code || w->interrupted)
        round_finish(&round);
    else if (!wpg_vec_push(&w->rounds, round)) {
        round_finish(&round);
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
    }
    return code;
}

/* -- The result */

static int write_json(const wpg_compare_result *result, const char *path)
{
    wpg_error err;
    char *text = wpg_compare_json(result);
    if (!text)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
    int code = 0;
    if (!path)
        (void)fputs(text, stdout);
    else if (wpg_file_write_atomic(path, text, strlen(text), &err) != WPG_OK)
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    free(text);
    return code;
}

static int say(work *w)
{
    char beside[PATH_MAX + 32];
    wpg_comparison comparison;
    wpg_error err;
    if (wpg_compare_rounds(&comparison, &w->rounds, w->report, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    const wpg_compare_result result = {.options = &w->options,
                                       .rounds = &w->rounds,
                                       .comparison = &comparison,
                                       .date = w->date,
                                       .program = w->program,
                                       .profile_hash = w->profile_hash,
                                       .interrupted = w->interrupted};
    int code = 0;
    if (w->options.json)
        code = write_json(&result, NULL);
    else if (w->options.csv)
        wpg_compare_print_csv(stdout, &result);
    else
        wpg_compare_print_text(stdout, &result);
    if (!code && w->options.result)
        code = write_json(&result, w->options.result);
    /* For `wavepgo run --use` and the report. A profile in a folder of others is no reason to fail. An
     * earlier result stays where nothing was measured. */
    const bool nothing = comparison.headline == WPG_FIGURES;
    if (!nothing && wpg_compare_file_path(beside, sizeof beside, w->profile))
        (void)write_json(&result, beside);
    if (nothing && w->options.duration > 0)
        code =
            wpg_complain(WPG_EXIT_FAILED, command_name,
                         "nothing to compare: in %g s %s presented too few frames, and the GPU ran nothing "
                         "that was timed. A longer --duration?",
                         w->options.duration, w->options.program[0]);
    wpg_comparison_finish(&comparison);
    if (fflush(stdout) != 0 || ferror(stdout))
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "cannot write: %s", strerror(errno));
    return code;
}

static int compare(work *w)
{
    const time_t now = time(NULL);
    struct tm date;
    if (gmtime_r(&now, &date))
        (void)strftime(w->date, sizeof w->date, "%Y-%m-%dT%H:%M:%SZ", &date);
    int code = warm_up(w);
    for (int round = 1; round <= w->options.rounds && !code && !w->interrupted; round++)
        code = run_round(w, round);
    if (w->interrupted)
        (void)wpg_complain(0, command_name, "stopped: %zu of %d rounds were measured", w->rounds.count,
                           w->options.rounds);
    else if (code && w->rounds.count)
        (void)wpg_complain(0, command_name, "%zu of %d rounds were measured before", w->rounds.count,
                           w->options.rounds);
    if (!w->rounds.count)
        return code ? code : WPG_EXIT_FAILED;
    const int said = say(w);
    return code ? code : said;
}

int wpg_command_compare(int argc, char **argv)
{
    work w = {.options = {.rounds = WPG_COMPARE_ROUNDS}};
    int code = wpg_setting_options_init(&w.settings, command_name);
    code = code ? code : parse(&w, argc, argv);
    code = code ? code : prepare(&w);
    code = code ? code : compare(&w);
    for (size_t i = 0; i < w.rounds.count; i++)
        round_finish(&w.rounds.data[i]);
    wpg_vec_free(&w.rounds);
    wpg_report_destroy(w.report);
    wpg_setting_options_finish(&w.settings);
    if (w.folder[0]) {
        (void)unlink(w.log);
        (void)rmdir(w.folder);
    }
    return code;
}
