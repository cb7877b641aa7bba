/* Writes what a merge made: a profile in any format, or a bundle. */
#include "runtime/cli/merge/merge_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/cli/common/command.h"

static void say_note(const char *command, const char *text)
{
    (void)wpg_complain(0, command, "%s", text);
}

static wpg_status encode_cspgo(uint8_t **data, size_t *size, const wpg_merge_state *state,
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

static int write_cspgo(const wpg_merge_state *state, const wpg_merge_options *options)
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

int wpg_merge_write_profile(const wpg_merge_state *state, const wpg_merge_options *options)
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
int wpg_merge_write_bundle(wpg_merge_state *state, const wpg_merge_options *options)
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
