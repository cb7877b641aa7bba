/* What the layer would do with the present settings, where its files go, and whether they can be written. */
#include "runtime/cli/doctor/doctor.h"

#include <limits.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "runtime/bundle/bundle.h"
#include "runtime/bundle/cache.h"
#include "runtime/bundle/denied.h"
#include "runtime/bundle/folder.h"
#include "runtime/bundle/push_facts.h"
#include "runtime/config/pattern.h"

enum { SPACE_LEAST_MIB = 64 };

/* The pattern as the layer of PROGRAM would expand it: %e is the program's name, not this command's. */
static bool expand(char path[PATH_MAX], const wpg_doctor *doctor, const char *pattern)
{
    char named[PATH_MAX], expanded[PATH_MAX], folder[PATH_MAX];
    size_t used = 0;
    const char *name = *doctor->program_name ? doctor->program_name : "PROGRAM";
    for (const char *at = pattern; *at && used < sizeof named - 1; at++) {
        if (at[0] == '%' && at[1] == 'e') {
            used += (size_t)snprintf(named + used, sizeof named - used, "%s", name);
            at++;
        } else {
            named[used++] = *at;
            if (*at == '%' && at[1] && used < sizeof named - 1)
                named[used++] = *++at;
        }
        if (used >= sizeof named)
            return false;
    }
    named[used] = '\0';
    if (wpg_pattern_expand(expanded, sizeof expanded, named, "HASH", NULL) != WPG_OK)
        return false;
    if (*expanded == '/' || !getcwd(folder, sizeof folder))
        return snprintf(path, PATH_MAX, "%s", expanded) < PATH_MAX;
    return snprintf(path, PATH_MAX, "%s/%s", folder, expanded) < PATH_MAX;
}

/* The nearest folder above that exists: what is missing below it would be made. */
static void existing_above(char folder[PATH_MAX], const char *path)
{
    (void)snprintf(folder, PATH_MAX, "%s", path);
    do {
        char *slash = strrchr(folder, '/');
        if (!slash || slash == folder) {
            (void)strcpy(folder, "/");
            return;
        }
        *slash = '\0';
    } while (access(folder, F_OK) != 0);
}

static void judge(wpg_doctor *doctor, json_t *files, const char *what, const char *path, const char *advice)
{
    char folder[PATH_MAX], state[PATH_MAX + 128];
    struct statvfs space;
    existing_above(folder, path);
    bool writable = access(folder, W_OK | X_OK) == 0;
    unsigned long long mib =
        statvfs(folder, &space) == 0 ? (unsigned long long)space.f_bavail * space.f_frsize >> 20 : 0;
    (void)snprintf(state, sizeof state, "%s (%s%llu MiB free)", path, writable ? "" : "not writable, ", mib);
    wpg_doctor_set(files, what, state);
    if (!writable)
        wpg_doctor_problem(doctor, advice, "%s cannot be written: %s is not writable", what, folder);
    else if (mib < SPACE_LEAST_MIB)
        wpg_doctor_problem(doctor, advice, "%s: %s has %llu MiB left", what, folder, mib);
}

/* A bundle without counts serves by its values of push constants. */
static bool has_values(wpg_profile *profile, const char *path)
{
    wpg_bundle bundle = {0};
    wpg_status status = wpg_is_bundle(path) ? wpg_bundle_load(&bundle, path, 1, NULL) : WPG_E_NOT_FOUND;
    for (size_t i = 0; i < bundle.sets.count && status == WPG_OK; i++)
        status = wpg_push_facts_add(profile, bundle.sets.data[i], NULL);
    wpg_bundle_finish(&bundle);
    return status == WPG_OK && wpg_profile_count(profile) > 0;
}

static void judge_profile(wpg_doctor *doctor, json_t *files)
{
    const char *path = doctor->settings.profile_use;
    wpg_profile *profile = wpg_profile_create();
    wpg_profile_stats stats;
    wpg_error err = {0};
    char state[PATH_MAX + 64];
    if (!*path) {
        wpg_doctor_problem(doctor, "wavepgo run --use PROFILE",
                           "MODE is use, and PROFILE_USE names no profile");
        return;
    }
    wpg_status status = profile ? wpg_profile_load(profile, &stats, path, &err) : WPG_E_NOMEM;
    if (status == WPG_E_NOT_FOUND && has_values(profile, path))
        status = WPG_OK;
    wpg_profile_destroy(profile);
    (void)snprintf(state, sizeof state, "%s%s", path, status == WPG_OK ? "" : " (cannot be used)");
    wpg_doctor_set(files, "profile to use", state);
    if (status != WPG_OK)
        wpg_doctor_problem(doctor, "wavepgo merge makes a profile", "the profile cannot be used: %s",
                           err.message);
}

/* What follows from an entry of the deny list. */
typedef enum denial { NOTHING, LESS_COUNTED, SUSPECTED, PASSES } denial;

static const struct {
    const char *mode, *says;
    denial what;
} denials[] = {
    {WPG_DENIED_SLOW, "generate, slow to compile, lanes only in", LESS_COUNTED},
    {WPG_DENIED_SLOWER, "generate, slow to compile, passes through in", LESS_COUNTED},
    {"generate" WPG_DENIED_ENDED, "generate, in the driver's hands at the end of", SUSPECTED},
    {"use" WPG_DENIED_ENDED, "use, in the driver's hands at the end of", SUSPECTED},
    {"generate" WPG_DENIED_ENDED2, "generate, twice in the driver's hands at the end of", SUSPECTED},
    {"use" WPG_DENIED_ENDED2, "use, twice in the driver's hands at the end of", SUSPECTED},
    {"generate" WPG_DENIED_ENDED3, "generate, three times in the driver's hands at the end of", PASSES},
    {"use" WPG_DENIED_ENDED3, "use, three times in the driver's hands at the end of", PASSES},
    {"generate", "generate, device lost in", PASSES},
    {"use", "use, device lost in", PASSES},
};

static denial judge_denial(const char **says, const wpg_denied *list, const wpg_denied_entry *entry)
{
    for (size_t i = 0; i < sizeof denials / sizeof *denials; i++) {
        if (strcmp(entry->mode, denials[i].mode) != 0)
            continue;
        *says = denials[i].says;
        const char *mode = *entry->mode == 'g' ? "generate" : "use";
        const int times = entry->mode[strlen(entry->mode) - 1] == '2' ? 2 : 1;
        if (denials[i].what == SUSPECTED && wpg_denied_ended(list, entry->pipeline, mode) != times)
            return NOTHING; /* it came through since, or did not once more */
        return denials[i].what;
    }
    return NOTHING;
}

static void note_denials(wpg_doctor *doctor, size_t count, const char *what)
{
    if (count)
        wpg_doctor_note(doctor, "wavepgo clean --denied forgets that", "%zu of the pipelines %s", count,
                        what);
}

/* The deny list: what was blocked by a lost device or a crash, or took a driver long. */
static void read_denied(wpg_doctor *doctor, const char *folder)
{
    wpg_denied list;
    wpg_error err = {0};
    json_t *blocked = json_array();
    size_t of[PASSES + 1] = {0};
    if (wpg_denied_read(&list, folder, &err) != WPG_OK)
        wpg_doctor_problem(doctor, "wavepgo clean --denied", "the deny list cannot be read: %s", err.message);
    for (size_t i = 0; i < list.count; i++) {
        const wpg_denied_entry *entry = &list.entries[i];
        char hex[WPG_HASH_HEX + 1], state[256], when[32] = "";
        const char *says = "";
        time_t seconds = (time_t)entry->when;
        struct tm date;
        const denial what = judge_denial(&says, &list, entry);
        of[what]++;
        if (what == NOTHING)
            continue;
        if (gmtime_r(&seconds, &date))
            (void)strftime(when, sizeof when, "%Y-%m-%d", &date);
        wpg_hash_to_hex(hex, entry->pipeline);
        (void)snprintf(state, sizeof state, "%s %s, %s", says, entry->program, when);
        json_t *item = json_object();
        wpg_doctor_set(item, "name", hex);
        wpg_doctor_set(item, "state", state);
        (void)json_array_append_new(blocked, item);
    }
    note_denials(
        doctor, of[PASSES],
        "pass through, since a device was lost, or three runs in a row ended, with them in the driver's "
        "hands");
    note_denials(
        doctor, of[SUSPECTED],
        "were in the driver's hands when the program ended: after three such runs in a row they pass "
        "through");
    note_denials(doctor, of[LESS_COUNTED],
                 "are counted in part or not at all, since the driver took long to compile the counters");
    wpg_denied_finish(&list);
    (void)json_object_set_new(doctor->root, "blocked", blocked);
}

void wpg_doctor_files(wpg_doctor *doctor)
{
    static const char *const modes[] = {"off", "generate: pipelines are counted", "use: a profile is applied",
                                        "tune: candidates are timed against the original"};
    const wpg_settings *settings = &doctor->settings;
    json_t *files = json_object();
    char path[PATH_MAX];
    wpg_cache cache;
    /* The settings cannot tell what `run` sets; its default goes for what this environment leaves open. */
    const char *pattern = *settings->profile_file  ? settings->profile_file
                          : doctor->by_environment ? "%e-%b.profraw"
                                                   : "%e.wavepgo/%b.profraw";
    bool decided = settings->mode >= 0 && settings->mode < (int)(sizeof modes / sizeof *modes);
    wpg_doctor_set(doctor->root, "mode",
                   !decided ? NULL
                   : settings->mode == WPG_MODE_OFF
                       ? "off in this environment: 'wavepgo run --generate', '--use' or '--tune' decides"
                       : modes[settings->mode]);
    if (settings->mode == WPG_MODE_OFF && doctor->by_environment)
        wpg_doctor_problem(doctor, "WAVEPGO_MODE=generate, or WAVEPGO_MODE=use with WAVEPGO_PROFILE_USE",
                           "the environment enables the layer, but MODE is off: the layer does nothing");
    if (settings->mode == WPG_MODE_USE || settings->mode == WPG_MODE_TUNE)
        judge_profile(doctor, files);
    else if (*settings->bundle && expand(path, doctor, settings->bundle))
        judge(doctor, files, "bundle", path, "--bundle DIR, or WAVEPGO_BUNDLE");
    else if (expand(path, doctor, pattern))
        judge(doctor, files, "profiles", path, "--profile-file PATTERN, or WAVEPGO_PROFILE_FILE");
    else
        wpg_doctor_problem(doctor, "--profile-file PATTERN", "the pattern of the profile files is too long");
    (void)getcwd(path, sizeof path);
    wpg_cache_init(&cache, settings->cache, path);
    if (cache.folder[0] && (size_t)snprintf(path, sizeof path, "%s/", cache.folder) < sizeof path) {
        judge(doctor, files, "cache", path, "--cache DIR, or --cache none");
    } else
        wpg_doctor_set(files, "cache", "none");
    (void)json_object_set_new(doctor->root, "files", files);
    read_denied(doctor, cache.folder);
}
