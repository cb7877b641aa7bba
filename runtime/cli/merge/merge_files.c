/* Reads profiles and bundles, and writes what they add up to, in any format of profiles. */
#include "runtime/cli/merge/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/file_batch.h"
#include "runtime/base/text.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/folder.h"
#include "runtime/bundle/push_facts.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/common/recover.h"

typedef struct merge_state {
    wpg_profile *profile;
    wpg_bundle bundle; /* facts of the bundles that were read */
    wpg_profile_stats stats;
    size_t files, bad;
} merge_state;

static void progress(const wpg_merge_options *options, const merge_state *state, size_t done, size_t of)
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

static int read_inputs(merge_state *state, const wpg_merge_options *options, const wpg_merge_input *input)
{
    wpg_path_list list = {0};
    wpg_error err;
    int code = 0;
    wpg_recover_folder(options->command, input->path, options->quiet);
    const bool is_bundle = wpg_is_bundle(input->path);
    bool bundle = options->bundle && is_bundle;
    if (!options->bundle && !options->cspgo && is_bundle &&
        wpg_bundle_load(&state->bundle, input->path, input->weight, &err) != WPG_OK)
        (void)wpg_complain(0, options->command, "warning: values of push constants may be missing: %s",
                           err.message);
    if (bundle && wpg_bundle_load(&state->bundle, input->path, input->weight, &err) != WPG_OK) {
        state->bad++;
        (void)wpg_complain(0, options->command, "%s", err.message);
        code = options->keep_going ? 0 : WPG_EXIT_FAILED;
    }
    /* A bundle may be without profiles: everything passed through, say. Its facts are there. */
    wpg_status found = code ? WPG_OK : wpg_path_list_add(&list, input->path, &err);
    if (found != WPG_OK && !(is_bundle && !options->cspgo && found == WPG_E_NOT_FOUND))
        code = wpg_complain(WPG_EXIT_FAILED, options->command, "%s", err.message);
    for (size_t i = 0; i < list.count && !code; i++) {
        wpg_status status = read_one(state, list.paths[i], input->weight, &err);
        state->files++;
        if (status != WPG_OK) {
            state->bad++;
            (void)wpg_complain(0, options->command, "%s", err.message);
            code = options->keep_going && status != WPG_E_NOMEM ? 0 : WPG_EXIT_FAILED;
        }
        progress(options, state, i + 1, list.count);
    }
    wpg_path_list_finish(&list);
    return code;
}

static void say_note(const char *command, const char *text)
{
    (void)wpg_complain(0, command, "%s", text);
}

static wpg_status encode_cspgo(uint8_t **data, size_t *size, const merge_state *state,
                               const wpg_merge_options *options, wpg_error *err)
{
    wpg_writer w = {0};
    wpg_cspgo_summary summary;
    const wpg_cspgo_options how = {.unit = options->unit,
                                   .folders = options->shaders.data,
                                   .folder_count = options->shaders.count,
                                   .command = options->command,
                                   .note = options->quiet ? NULL : say_note};
    wpg_status status = wpg_merge_cspgo(&w, &summary, state->profile, &how, err);
    if (status != WPG_OK) {
        wpg_writer_finish(&w);
        return status;
    }
    if (!options->quiet)
        (void)wpg_complain(0, options->command, "%zu of %zu shader%s with call paths, %zu context%s",
                           summary.with_contexts, summary.shaders, wpg_plural(summary.shaders),
                           summary.records, wpg_plural(summary.records));
    *data = w.data;
    *size = w.size;
    return WPG_OK;
}

static int write_cspgo(const merge_state *state, const wpg_merge_options *options)
{
    uint8_t *data;
    size_t size;
    wpg_error err;
    if (encode_cspgo(&data, &size, state, options, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, options->command, "%s", err.message);
    int code = 0;
    if (strcmp(options->out, "-") == 0) {
        if (fwrite(data, 1, size, stdout) != size || fflush(stdout) != 0)
            code = wpg_complain(WPG_EXIT_FAILED, options->command, "cannot write: %s", strerror(errno));
    } else if (wpg_file_write_atomic(options->out, data, size, &err) != WPG_OK) {
        code = wpg_complain(WPG_EXIT_FAILED, options->command, "%s", err.message);
    }
    free(data);
    return code;
}

/* What a profile can carry of the bundles that were read: values of push constants. */
static int carry_facts(merge_state *state, const wpg_merge_options *options)
{
    wpg_error err;
    for (size_t i = 0; i < state->bundle.sets.count; i++)
        if (wpg_push_facts_add(state->profile, state->bundle.sets.data[i], &err) != WPG_OK)
            return wpg_complain(WPG_EXIT_FAILED, options->command, "%s", err.message);
    return 0;
}

static int write_out(merge_state *state, const wpg_merge_options *options)
{
    wpg_error err;
    if (options->cspgo)
        return write_cspgo(state, options);
    if (strcmp(options->out, "-") != 0)
        return wpg_profile_write_file(options->out, state->profile, options->format, &err) == WPG_OK
                   ? 0
                   : wpg_complain(WPG_EXIT_FAILED, options->command, "%s", err.message);
    uint8_t *data;
    size_t size;
    if (wpg_profile_encode(&data, &size, state->profile, options->format, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, options->command, "%s", err.message);
    bool written = fwrite(data, 1, size, stdout) == size && fflush(stdout) == 0;
    free(data);
    return written ? 0 : wpg_complain(WPG_EXIT_FAILED, options->command, "cannot write: %s", strerror(errno));
}

/* Made beside the place it is for, and put there whole. */
static int write_bundle(merge_state *state, const wpg_merge_options *options)
{
    const char *out = options->out;
    wpg_error err;
    char made[4200], profile[4300], place[4100];
    (void)snprintf(place, sizeof place, "%s", out);
    for (size_t length = strlen(place); length > 1 && place[length - 1] == '/';)
        place[--length] = '\0';
    (void)snprintf(made, sizeof made, "%s.tmp.XXXXXX", place);
    if (strlen(out) >= sizeof place || !mkdtemp(made))
        return wpg_complain(WPG_EXIT_FAILED, options->command, "cannot make a folder beside %s: %s", out,
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
    return status == WPG_OK ? 0 : wpg_complain(WPG_EXIT_FAILED, options->command, "%s", err.message);
}

/* What killed runs left half written of the bundles and folders that were merged, and killed merges of this
 * output. */
static void sweep(const wpg_merge_options *options)
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
        (void)wpg_complain(0, options->command, "removed %zu file%s that killed processes left half written",
                           removed, wpg_plural(removed));
}

/* What a format that needs SPIR-V looks for: the folders among the inputs, too. */
static int add_folders(wpg_merge_options *options)
{
    for (size_t i = 0; i < options->inputs.count && options->cspgo; i++) {
        struct stat info;
        const char *path = options->inputs.data[i].path;
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
            !wpg_vec_push(&options->shaders, path)) /* NOLINT(bugprone-sizeof-expression) */
            return wpg_complain(WPG_EXIT_FAILED, options->command, "out of memory");
    }
    return 0;
}

int wpg_merge_files(wpg_merge_options *options)
{
    merge_state state = {0};
    int code = add_folders(options);
    if (!code && !(state.profile = wpg_profile_create()))
        code = wpg_complain(WPG_EXIT_FAILED, options->command, "out of memory");
    for (size_t i = 0; i < options->inputs.count && !code; i++)
        code = read_inputs(&state, options, &options->inputs.data[i]);
    if (!code && !options->bundle && !options->cspgo)
        code = carry_facts(&state, options);
    if (!code && wpg_profile_count(state.profile) == 0 && !(options->bundle && state.bundle.sets.count))
        code = wpg_complain(WPG_EXIT_FAILED, options->command,
                            "no counts in %zu profile file%s: nothing is written. Did the program run under "
                            "'wavepgo run --generate'? 'wavepgo doctor' checks the layer",
                            state.files, wpg_plural(state.files));
    if (!code)
        code = options->bundle ? write_bundle(&state, options) : write_out(&state, options);
    if (!code)
        sweep(options);
    if (!code && state.bundle.conflicts)
        (void)wpg_complain(0, options->command,
                           "warning: the bundles contradict each other in %zu fact%s: were they made by "
                           "different builds of wavepgo?",
                           state.bundle.conflicts, wpg_plural(state.bundle.conflicts));
    if (!code && state.stats.mismatched)
        (void)wpg_complain(
            0, options->command,
            "warning: %zu record%s left out: a record of the same shader has another number of counters",
            state.stats.mismatched, wpg_plural(state.stats.mismatched));
    if (!code && state.bad)
        (void)wpg_complain(0, options->command, "warning: %zu of %zu file%s could not be read", state.bad,
                           state.files, wpg_plural(state.files));
    wpg_profile_destroy(state.profile);
    wpg_bundle_finish(&state.bundle);
    return code;
}
