/* wavepgo merge: merges profiles into one, as llvm-profdata merge does; also folders, patterns and
 * bundles. */
#include "runtime/cli/common/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/file_batch.h"
#include "runtime/base/text.h"
#include "runtime/base/vec.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/folder.h"
#include "runtime/bundle/push_facts.h"
#include "runtime/cli/common/recover.h"
#include "runtime/cli/merge/merge_cspgo.h"

static const char command_name[] = "merge";

typedef struct merge_input {
    const char *path;
    uint64_t weight;
} merge_input;

typedef struct merge_options {
    const char *out;
    wpg_profile_format format;
    bool quiet, keep_going;
    bool bundle, plain, cspgo; /* what is written: asked for by --format, else by the name of OUT */
    wpg_cspgo_unit unit;
    WPG_VEC(merge_input) inputs;
    WPG_VEC(const char *) shaders; /* folders that may hold SPIR-V: --shaders, then the inputs */
} merge_options;

static bool parse_format(merge_options *options, const char *name)
{
    static const struct {
        const char *name;
        wpg_profile_format format;
    } formats[] = {{"indexed", WPG_PROFILE_INDEXED}, {"text", WPG_PROFILE_TEXT},
                   {"raw8", WPG_PROFILE_RAW_8},      {"raw9", WPG_PROFILE_RAW_9},
                   {"raw10", WPG_PROFILE_RAW_10},    {"raw11", WPG_PROFILE_RAW_11}};
    options->cspgo = strcmp(name, "cspgo-text") == 0;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            options->format = formats[i].format;
            return true;
        }
    }
    return options->cspgo;
}

static bool parse_unit(wpg_cspgo_unit *unit, const char *name)
{
    *unit = strcmp(name, "waves") == 0 ? WPG_CSPGO_WAVES : WPG_CSPGO_LANES;
    return *unit == WPG_CSPGO_WAVES || strcmp(name, "lanes") == 0;
}

/* "N,FILE" */
static bool parse_weighted(merge_input *input, const char *text)
{
    char *end;
    errno = 0;
    input->weight = strtoull(text, &end, 10);
    input->path = end + 1;
    return errno == 0 && end != text && *text != '-' && *end == ',' && end[1] && input->weight >= 1;
}

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), width = strlen(ending);
    return length > width && strcmp(text + length - width, ending) == 0;
}

static bool names_bundle(const char *out)
{
    return ends_in(out, ".bundle") || ends_in(out, ".wavepgo") || ends_in(out, "/") || wpg_is_bundle(out);
}

static int add_input(merge_options *options, merge_input input)
{
    return wpg_vec_push(&options->inputs, input)
               ? 0
               : wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
}

static int parse(merge_options *options, int argc, char **argv)
{
    bool only_files = false;
    for (int at = 1; at < argc; at++) {
        const char *argument = argv[at], *value = at + 1 < argc ? argv[at + 1] : NULL;
        bool took_value = false;
        merge_input input = {argument, 1};
        int code = 0;
        if (only_files || argument[0] != '-' || !argument[1]) {
            code = add_input(options, input);
        } else if (strcmp(argument, "--") == 0) {
            only_files = true;
        } else if (strcmp(argument, "--quiet") == 0) {
            options->quiet = true;
        } else if (strcmp(argument, "--keep-going") == 0) {
            options->keep_going = true;
        } else if (strncmp(argument, "--format=", 9) == 0 || strcmp(argument, "--format") == 0) {
            took_value = argument[8] == '\0';
            const char *name = took_value ? value : argument + 9;
            if (name && strcmp(name, "bundle") == 0)
                options->bundle = true;
            else if (name && parse_format(options, name))
                options->plain = true;
            else
                code = wpg_usage_error(
                    command_name,
                    "--format is one of indexed, bundle, text, raw8, raw9, raw10, raw11, cspgo-text");
        } else if (strncmp(argument, "--count=", 8) == 0 || strcmp(argument, "--count") == 0) {
            took_value = argument[7] == '\0';
            const char *name = took_value ? value : argument + 8;
            if (!name || !parse_unit(&options->unit, name))
                code = wpg_usage_error(command_name, "--count is waves or lanes");
        } else if (strncmp(argument, "--shaders=", 10) == 0 || strcmp(argument, "--shaders") == 0) {
            took_value = argument[9] == '\0';
            const char *folder = took_value ? value : argument + 10;
            if (!folder)
                code = wpg_usage_error(command_name, "--shaders takes a folder");
            else if (!wpg_vec_push(&options->shaders, folder)) /* NOLINT(bugprone-sizeof-expression) */
                code = wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
        } else if (strncmp(argument, "--weighted=", 11) == 0 || strcmp(argument, "--weighted") == 0) {
            took_value = argument[10] == '\0';
            const char *text = took_value ? value : argument + 11;
            if (!text || !parse_weighted(&input, text))
                code = wpg_usage_error(command_name, "--weighted takes N,FILE with N at least 1");
            else
                code = add_input(options, input);
        } else if (strcmp(argument, "-o") == 0 && value) {
            options->out = value;
            took_value = true;
        } else if (strncmp(argument, "-o", 2) == 0 && argument[2]) {
            options->out = argument + 2;
        } else {
            code = wpg_usage_error(command_name, "no option is called '%s', or it needs a value", argument);
        }
        if (code)
            return code;
        at += took_value;
    }
    if (!options->out)
        return wpg_usage_error(command_name, "no output is given: add -o OUT");
    options->bundle |= !options->plain && names_bundle(options->out);
    if (!options->inputs.count)
        return wpg_usage_error(command_name, "no profile is given: name files or folders");
    if (!options->cspgo && (options->unit != WPG_CSPGO_AUTO || options->shaders.count))
        return wpg_usage_error(command_name, "--count and --shaders need --format=cspgo-text");
    for (size_t i = 0; i < options->inputs.count && options->cspgo; i++) {
        struct stat info;
        const char *path = options->inputs.data[i].path;
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
            !wpg_vec_push(&options->shaders, path)) /* NOLINT(bugprone-sizeof-expression) */
            return wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
    }
    return 0;
}

typedef struct merge_state {
    wpg_profile *profile;
    wpg_bundle bundle; /* facts of the bundles that were read */
    wpg_profile_stats stats;
    size_t files, bad;
} merge_state;

static void progress(const merge_options *options, const merge_state *state, size_t done, size_t of)
{
    if (!options->quiet && isatty(STDERR_FILENO) && (done % 16 == 0 || done == of))
        (void)fprintf(stderr, "\r%zu of %zu file%s, %zu record%s%s", done, of, wpg_plural(of),
                      wpg_profile_count(state->profile), wpg_plural(wpg_profile_count(state->profile)),
                      done == of ? "\n" : "");
}

static wpg_status read_one(merge_state *state, const char *path, uint64_t weight, wpg_error *err)
{
    wpg_profile *one = wpg_profile_create();
    if (!one)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_profile_stats read = {0};
    wpg_status status = wpg_profile_read_given(one, &read, path, err);
    if (status == WPG_OK)
        status = wpg_profile_merge(state->profile, one, weight, &state->stats, err);
    state->stats.ignored += read.ignored;
    state->stats.mismatched += read.mismatched;
    wpg_profile_destroy(one);
    return status;
}

static int merge_input_files(merge_state *state, const merge_options *options, const merge_input *input)
{
    wpg_path_list list = {0};
    wpg_error err;
    int code = 0;
    wpg_recover_folder(command_name, input->path, options->quiet);
    const bool is_bundle = wpg_is_bundle(input->path);
    bool bundle = options->bundle && is_bundle;
    if (!options->bundle && !options->cspgo && is_bundle &&
        wpg_bundle_load(&state->bundle, input->path, input->weight, &err) != WPG_OK)
        (void)wpg_complain(0, command_name, "warning: values of push constants may be missing: %s",
                           err.message);
    if (bundle && wpg_bundle_load(&state->bundle, input->path, input->weight, &err) != WPG_OK) {
        state->bad++;
        (void)wpg_complain(0, command_name, "%s", err.message);
        code = options->keep_going ? 0 : WPG_EXIT_FAILED;
    }
    /* A bundle may be without profiles: everything passed through, say. Its facts are there. */
    wpg_status found = code ? WPG_OK : wpg_path_list_add(&list, input->path, &err);
    if (found != WPG_OK && !(is_bundle && !options->cspgo && found == WPG_E_NOT_FOUND))
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    for (size_t i = 0; i < list.count && !code; i++) {
        wpg_status status = read_one(state, list.paths[i], input->weight, &err);
        state->files++;
        if (status != WPG_OK) {
            state->bad++;
            (void)wpg_complain(0, command_name, "%s", err.message);
            code = options->keep_going && status != WPG_E_NOMEM ? 0 : WPG_EXIT_FAILED;
        }
        progress(options, state, i + 1, list.count);
    }
    wpg_path_list_finish(&list);
    return code;
}

static void say_note(const char *text)
{
    (void)wpg_complain(0, command_name, "%s", text);
}

static wpg_status encode_cspgo(uint8_t **data, size_t *size, const merge_state *state,
                               const merge_options *options, wpg_error *err)
{
    wpg_writer w = {0};
    wpg_cspgo_summary summary;
    const wpg_cspgo_options how = {.unit = options->unit,
                                   .folders = options->shaders.data,
                                   .folder_count = options->shaders.count,
                                   .note = options->quiet ? NULL : say_note};
    wpg_status status = wpg_merge_cspgo(&w, &summary, state->profile, &how, err);
    if (status != WPG_OK) {
        wpg_writer_finish(&w);
        return status;
    }
    if (!options->quiet)
        (void)wpg_complain(0, command_name, "%zu of %zu shader%s with call paths, %zu context%s",
                           summary.with_contexts, summary.shaders, wpg_plural(summary.shaders),
                           summary.records, wpg_plural(summary.records));
    *data = w.data;
    *size = w.size;
    return WPG_OK;
}

static int write_cspgo(const merge_state *state, const merge_options *options)
{
    uint8_t *data;
    size_t size;
    wpg_error err;
    if (encode_cspgo(&data, &size, state, options, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    int code = 0;
    if (strcmp(options->out, "-") == 0) {
        if (fwrite(data, 1, size, stdout) != size || fflush(stdout) != 0)
            code = wpg_complain(WPG_EXIT_FAILED, command_name, "cannot write: %s", strerror(errno));
    } else if (wpg_file_write_atomic(options->out, data, size, &err) != WPG_OK) {
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    }
    free(data);
    return code;
}

/* What a profile can carry of the bundles that were read: values of push constants. */
static int carry_facts(merge_state *state)
{
    wpg_error err;
    for (size_t i = 0; i < state->bundle.sets.count; i++)
        if (wpg_push_facts_add(state->profile, state->bundle.sets.data[i], &err) != WPG_OK)
            return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    return 0;
}

static int write_out(merge_state *state, const merge_options *options)
{
    wpg_error err;
    if (options->cspgo)
        return write_cspgo(state, options);
    if (strcmp(options->out, "-") != 0)
        return wpg_profile_write_file(options->out, state->profile, options->format, &err) == WPG_OK
                   ? 0
                   : wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    uint8_t *data;
    size_t size;
    if (wpg_profile_encode(&data, &size, state->profile, options->format, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    bool written = fwrite(data, 1, size, stdout) == size && fflush(stdout) == 0;
    free(data);
    return written ? 0 : wpg_complain(WPG_EXIT_FAILED, command_name, "cannot write: %s", strerror(errno));
}

/* Made beside the place it is for, and put there whole. */
static int write_bundle(merge_state *state, const char *out)
{
    wpg_error err;
    char made[4200], profile[4300], place[4100];
    (void)snprintf(place, sizeof place, "%s", out);
    for (size_t length = strlen(place); length > 1 && place[length - 1] == '/';)
        place[--length] = '\0';
    (void)snprintf(made, sizeof made, "%s.tmp.XXXXXX", place);
    if (strlen(out) >= sizeof place || !mkdtemp(made))
        return wpg_complain(WPG_EXIT_FAILED, command_name, "cannot make a folder beside %s: %s", out,
                            strerror(errno));
    const mode_t mask = umask(0); /* mkdtemp makes it for this user alone; no other thread runs here */
    (void)umask(mask);
    (void)chmod(made, 0777 & ~mask);
    (void)snprintf(profile, sizeof profile, "%s/merged.profdata", made);
    wpg_status status = wpg_profile_count(state->profile)
                            ? wpg_profile_write_file(profile, state->profile, WPG_PROFILE_INDEXED, &err)
                            : WPG_OK;
    if (status == WPG_OK)
        status = wpg_bundle_save(made, &state->bundle, &err);
    if (status == WPG_OK)
        status = wpg_bundle_replace(place, made, &err);
    else
        wpg_bundle_remove(made);
    if (status == WPG_E_ARGUMENT)
        wpg_bundle_remove(made);
    return status == WPG_OK ? 0 : wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
}

/* What killed runs left half written of the bundles and folders that were merged, and killed merges of this
 * output. */
static void sweep(const merge_options *options)
{
    char place[4100];
    (void)snprintf(place, sizeof place, "%s", options->out);
    char *slash = strrchr(place, '/');
    size_t removed = 0;
    if (slash)
        *slash = '\0';
    if (!options->bundle && strcmp(options->out, "-") != 0)
        removed += wpg_file_sweep(!slash ? "." : *place ? place : "/", slash ? slash + 1 : place);
    for (size_t i = 0; i < options->inputs.count; i++)
        removed += wpg_bundle_sweep(options->inputs.data[i].path);
    if (removed && !options->quiet)
        (void)wpg_complain(0, command_name, "removed %zu file%s that killed processes left half written",
                           removed, wpg_plural(removed));
}

int wpg_command_merge(int argc, char **argv)
{
    merge_options options = {.format = WPG_PROFILE_INDEXED};
    merge_state state = {0};
    int code = parse(&options, argc, argv);
    if (!code && !(state.profile = wpg_profile_create()))
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
    for (size_t i = 0; i < options.inputs.count && !code; i++)
        code = merge_input_files(&state, &options, &options.inputs.data[i]);
    if (!code && !options.bundle && !options.cspgo)
        code = carry_facts(&state);
    if (!code && wpg_profile_count(state.profile) == 0 && !(options.bundle && state.bundle.sets.count))
        code = wpg_complain(WPG_EXIT_FAILED, command_name,
                            "no counts in %zu profile file%s: nothing is written. Did the program run under "
                            "'wavepgo run --generate'? 'wavepgo doctor' checks the layer",
                            state.files, wpg_plural(state.files));
    if (!code)
        code = options.bundle ? write_bundle(&state, options.out) : write_out(&state, &options);
    if (!code)
        sweep(&options);
    if (!code && state.bundle.conflicts)
        (void)wpg_complain(0, command_name,
                           "warning: the bundles contradict each other in %zu fact%s: were they made by "
                           "different builds of wavepgo?",
                           state.bundle.conflicts, wpg_plural(state.bundle.conflicts));
    if (!code && state.stats.mismatched)
        (void)wpg_complain(
            0, command_name,
            "warning: %zu record%s left out: a record of the same shader has another number of counters",
            state.stats.mismatched, wpg_plural(state.stats.mismatched));
    if (!code && state.bad)
        (void)wpg_complain(0, command_name, "warning: %zu of %zu file%s could not be read", state.bad,
                           state.files, wpg_plural(state.files));
    wpg_profile_destroy(state.profile);
    wpg_bundle_finish(&state.bundle);
    wpg_vec_free(&options.inputs);
    wpg_vec_free(&options.shaders);
    return code;
}
