/* Reads profiles and bundles one after another, and writes what they add up to. */
#include "runtime/cli/merge/merge_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/file_batch.h"
#include "runtime/base/text.h"
#include "runtime/bundle/folder.h"
#include "runtime/bundle/push_facts.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/common/recover.h"
#include "runtime/cli/merge/inputs.h"
#include "runtime/cli/merge/select.h"

static void progress(const wpg_merge_state *state, bool end)
{
    if (!state->options->quiet && isatty(STDERR_FILENO) && (end || state->files % 16 == 0))
        (void)fprintf(stderr, "\r%zu file%s, %zu record%s%s", state->files, wpg_plural(state->files),
                      wpg_profile_count(state->profile), wpg_plural(wpg_profile_count(state->profile)),
                      end ? "\n" : "");
}

/* A file or bundle that cannot be read: an end, or left out. */
static int bad_input(wpg_merge_state *state, wpg_status status, const char *why)
{
    state->bad++;
    (void)wpg_complain(0, state->options->command, "%s", why);
    return state->options->keep_going && status != WPG_E_NOMEM ? 0 : WPG_EXIT_FAILED;
}

/* -- One file */

/* `chooses`: the file is added only if it is of the part of the fleet that is asked for. */
static wpg_status read_one(wpg_merge_state *state, const char *path, uint64_t weight, bool chooses,
                           wpg_error *err)
{
    wpg_profile *one = wpg_profile_create();
    if (!one)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_profile_stats read = {0};
    wpg_status status = wpg_profile_read_given(one, &read, path, err);
    const bool taken = status == WPG_OK && (!chooses || wpg_merge_takes(state->options, one));
    if (taken)
        status = wpg_profile_merge(state->profile, one, weight, &state->stats, err);
    else if (status == WPG_OK)
        state->left_out++;
    if (taken) {
        state->stats.ignored += read.ignored;
        state->stats.mismatched += read.mismatched;
    }
    wpg_profile_destroy(one);
    return status;
}

static int read_file(wpg_merge_state *state, const char *path, uint64_t weight, bool chooses)
{
    wpg_error err;
    bool skip;
    int code = wpg_merge_resume_next(&state->resume, &skip, path, weight, state->options->command);
    state->files++;
    if (code || skip)
        return code;
    wpg_status status = read_one(state, path, weight, chooses, &err);
    if (status != WPG_OK)
        code = bad_input(state, status, err.message);
    if (!code)
        wpg_merge_resume_done(&state->resume, state->profile, state->options->command);
    progress(state, false);
    return code;
}

/* -- One bundle */

/* Whether all profiles of the bundle are of the part that is asked for. */
static bool takes_bundle(wpg_merge_state *state, const wpg_path_list *list)
{
    bool takes = list->count > 0;
    for (size_t i = 0; i < list->count && takes; i++) {
        wpg_profile *one = wpg_profile_create();
        takes = one && wpg_profile_read_given(one, NULL, list->paths[i], NULL) == WPG_OK &&
                wpg_merge_takes(state->options, one);
        wpg_profile_destroy(one);
    }
    return takes;
}

/* What a profile can carry of a bundle: values of push constants. Bundle by bundle, so that merging profiles
 * and merging bundles give the same, and that no bundle is held. */
static wpg_status carry_facts(wpg_merge_state *state, const wpg_merge_input *input, wpg_error *err)
{
    wpg_bundle bundle = {0};
    wpg_profile *carried = wpg_profile_create();
    wpg_status status =
        carried ? wpg_bundle_load(&bundle, input->path, 1, err) : wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (size_t i = 0; i < bundle.sets.count && status == WPG_OK; i++)
        status = wpg_push_facts_add(carried, bundle.sets.data[i], err);
    if (status == WPG_OK)
        status = wpg_profile_merge(state->profile, carried, input->weight, &state->stats, err);
    wpg_profile_destroy(carried);
    wpg_bundle_finish(&bundle);
    return status;
}

static int read_facts(wpg_merge_state *state, const wpg_merge_input *input)
{
    wpg_error err;
    const wpg_merge_options *options = state->options;
    if (options->bundle) {
        const wpg_status status = wpg_bundle_load(&state->bundle, input->path, input->weight, &err);
        return status == WPG_OK ? 0 : bad_input(state, status, err.message);
    }
    char index[4200];
    bool skip;
    (void)snprintf(index, sizeof index, "%s/%s", input->path, WPG_BUNDLE_INDEX);
    int code = wpg_merge_resume_next(&state->resume, &skip, index, input->weight, options->command);
    if (code || skip)
        return code;
    const wpg_status status = carry_facts(state, input, &err);
    if (status == WPG_E_NOMEM)
        return wpg_complain(WPG_EXIT_FAILED, options->command, "%s", err.message);
    if (status != WPG_OK)
        (void)wpg_complain(0, options->command, "warning: values of push constants may be missing: %s",
                           err.message);
    wpg_merge_resume_done(&state->resume, state->profile, options->command);
    return 0;
}

/* -- One input */

/* A format that needs SPIR-V looks for it in folders among the inputs, too. */
static int note_folder(wpg_merge_state *state, const char *path)
{
    struct stat info;
    if (!state->options->cspgo || stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return 0;
    char *copy = strdup(path);
    if (copy && wpg_vec_push(&state->folders, copy)) { /* NOLINT(bugprone-sizeof-expression) */
        const char *folder = copy;
        if (wpg_vec_push(&state->options->shaders, folder)) /* NOLINT(bugprone-sizeof-expression) */
            return 0;
    } else {
        free(copy);
    }
    return wpg_complain(WPG_EXIT_FAILED, state->options->command, "out of memory");
}

static int read_input(void *context, const wpg_merge_input *input)
{
    wpg_merge_state *state = context;
    const wpg_merge_options *options = state->options;
    wpg_path_list list = {0};
    wpg_error err;
    wpg_recover_folder(options->command, input->path, options->quiet);
    const bool is_bundle = wpg_is_bundle(input->path);
    int code = note_folder(state, input->path);
    /* A bundle may be without profiles: everything passed through, say. Its facts are there. */
    const wpg_status found = code ? WPG_OK : wpg_path_list_add(&list, input->path, &err);
    if (found != WPG_OK && !(is_bundle && !options->cspgo && found == WPG_E_NOT_FOUND))
        code = found == WPG_E_NOT_FOUND && options->keep_going
                   ? bad_input(state, found, err.message)
                   : wpg_complain(WPG_EXIT_FAILED, options->command, "%s", err.message);
    bool chooses = wpg_merge_chooses(options);
    if (!code && chooses && is_bundle && !takes_bundle(state, &list)) {
        state->left_out += list.count;
        state->files += list.count;
        wpg_path_list_finish(&list);
        return 0;
    }
    chooses &= !is_bundle;
    if (!code && is_bundle && !options->cspgo)
        code = read_facts(state, input);
    for (size_t i = 0; i < list.count && !code; i++)
        code = read_file(state, list.paths[i], input->weight, chooses);
    wpg_path_list_finish(&list);
    state->swept += code ? 0 : wpg_bundle_sweep(input->path);
    return code;
}

/* -- All */

/* What killed merges of this output left half written. */
static void sweep(wpg_merge_state *state)
{
    const wpg_merge_options *options = state->options;
    char place[4100];
    (void)snprintf(place, sizeof place, "%s", options->out);
    char *slash = strrchr(place, '/');
    if (slash)
        *slash = '\0';
    if (!options->bundle && strcmp(options->out, "-") != 0)
        state->swept += wpg_file_sweep(!slash ? "." : *place ? place : "/", slash ? slash + 1 : place);
    if (state->swept && !options->quiet)
        (void)wpg_complain(0, options->command, "removed %zu file%s that killed processes left half written",
                           state->swept, wpg_plural(state->swept));
}

static void say_left_out(const wpg_merge_state *state)
{
    const char *command = state->options->command;
    if (state->left_out && !state->options->quiet)
        (void)wpg_complain(0, command, "%zu of %zu file%s left out: made by others than asked for",
                           state->left_out, state->files, wpg_plural(state->files));
    if (state->bundle.conflicts)
        (void)wpg_complain(0, command,
                           "warning: the bundles contradict each other in %zu fact%s: were they made by "
                           "different builds of wavepgo?",
                           state->bundle.conflicts, wpg_plural(state->bundle.conflicts));
    if (state->stats.mismatched)
        (void)wpg_complain(
            0, command,
            "warning: %zu record%s left out: a record of the same shader has another number of counters",
            state->stats.mismatched, wpg_plural(state->stats.mismatched));
    if (state->bad)
        (void)wpg_complain(0, command, "warning: %zu of %zu file%s could not be read", state->bad,
                           state->files, wpg_plural(state->files));
}

static int read_all(wpg_merge_state *state)
{
    const wpg_merge_options *options = state->options;
    if (!(state->profile = wpg_profile_create()))
        return wpg_complain(WPG_EXIT_FAILED, options->command, "out of memory");
    int code = wpg_merge_resume_begin(&state->resume, state->profile, options);
    if (!code)
        code = wpg_merge_each_input(options, read_input, state);
    if (!code)
        code = wpg_merge_resume_complete(&state->resume, options->command);
    if (!code)
        progress(state, true);
    if (!code && wpg_profile_count(state->profile) == 0 && !options->allow_empty &&
        !(options->bundle && state->bundle.sets.count)) {
        say_left_out(state);
        code = state->left_out
                   ? wpg_complain(WPG_EXIT_FAILED, options->command,
                                  "nothing is written: no profile is of the part that was asked for. "
                                  "'wavepgo show' tells who made one")
                   : wpg_complain(
                         WPG_EXIT_FAILED, options->command,
                         "no counts in %zu profile file%s: nothing is written. Did the program run under "
                         "'wavepgo run --generate'? 'wavepgo doctor' checks the layer",
                         state->files, wpg_plural(state->files));
    }
    return code;
}

int wpg_merge_files(wpg_merge_options *options)
{
    wpg_merge_state state = {.options = options};
    int code = read_all(&state);
    if (!code)
        code = options->bundle ? wpg_merge_write_bundle(&state, options)
                               : wpg_merge_write_profile(&state, options);
    if (!code) {
        wpg_merge_resume_finish(&state.resume);
        sweep(&state);
        say_left_out(&state);
    }
    wpg_profile_destroy(state.profile);
    wpg_bundle_finish(&state.bundle);
    for (size_t i = 0; i < state.folders.count; i++)
        free(state.folders.data[i]);
    wpg_vec_free(&state.folders);
    return code;
}
