/* Starts the probe's child process (probe.h) and reports its facts. */
#include "runtime/cli/doctor/doctor.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/cli/common/enable.h"
#include "runtime/cli/common/manifest.h"
#include "runtime/cli/common/probe.h"

enum { PATIENCE_SECONDS = 60, TEXT_LIMIT = 16 << 20 };

/* -- The child */

static void set_up(const wpg_doctor *doctor, const char *folder)
{
    char path[PATH_MAX + 16];
    int noise = snprintf(path, sizeof path, "%s/noise", folder) < PATH_MAX
                    ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)
                    : -1;
    if (noise >= 0) {
        (void)dup2(noise, STDOUT_FILENO);
        (void)dup2(noise, STDERR_FILENO);
    }
    if (!doctor->by_environment)
        (void)wpg_enable_layer(false, "doctor");
    /* What devices can do is asked in the mode that needs most of them, with nothing written elsewhere. */
    (void)setenv("VK_LOADER_DEBUG", "error,warn,layer", 1);
    (void)setenv("WAVEPGO_MODE", "generate", 1);
    (void)setenv("WAVEPGO_LOG", "info", 1);
    (void)setenv("WAVEPGO_SUMMARY", "0", 1);
    (void)setenv("WAVEPGO_CACHE", "none", 1);
    (void)unsetenv("WAVEPGO_BUNDLE");
    (void)unsetenv("WAVEPGO_DUMP");
    (void)snprintf(path, sizeof path, "%s/log", folder);
    (void)setenv("WAVEPGO_LOG_FILE", path, 1);
    (void)snprintf(path, sizeof path, "%s/%%b.profraw", folder);
    (void)setenv("WAVEPGO_PROFILE_FILE", path, 1);
    (void)alarm(PATIENCE_SECONDS);
}

/* The child's exit status as waitpid gives it; -1 when there was none. */
static int run_child(const wpg_doctor *doctor, const char *folder)
{
    int status = -1;
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        set_up(doctor, folder);
        int code = wpg_probe_run(folder);
        (void)fflush(NULL);
        /* Exit handlers run: the layer's own end is part of what is tried. */
        exit(code);
    }
    if (child > 0)
        while (waitpid(child, &status, 0) < 0)
            ;
    return status;
}

/* -- What it saw */

static char *read_text(const char *folder, const char *name)
{
    char path[PATH_MAX];
    uint8_t *text;
    size_t size;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX ||
        wpg_file_read(&text, &size, path, TEXT_LIMIT, NULL) != WPG_OK)
        return NULL;
    return (char *)text;
}

static bool same_content(const char *a, const char *b)
{
    uint8_t *left, *right;
    size_t left_size, right_size;
    if (wpg_file_read(&left, &left_size, a, 256 << 20, NULL) != WPG_OK)
        return false;
    bool same = false;
    if (wpg_file_read(&right, &right_size, b, 256 << 20, NULL) == WPG_OK) {
        same = left_size == right_size && memcmp(left, right, left_size) == 0;
        free(right);
    }
    free(left);
    return same;
}

/* `wavepgo run` and an installed layer of another version: the loader goes by the name and takes one. */
static void judge_library(wpg_doctor *doctor, const char *mapped)
{
    char folder[PATH_MAX], path[PATH_MAX + 64];
    wpg_manifest own;
    wpg_doctor_set(doctor->root, "library", mapped);
    if (!wpg_own_manifest_folder(folder, "explicit"))
        return;
    (void)snprintf(path, sizeof path, "%s/%s", folder, wpg_own_manifest_name());
    if (wpg_manifest_read(&own, path, NULL) != WPG_OK)
        return;
    if (own.count && !same_content(own.layers[0].library, mapped))
        wpg_doctor_problem(doctor, "wavepgo install once more, or wavepgo uninstall",
                           "the loader takes %s, which is another build than this command's", mapped);
    wpg_manifest_finish(&own);
}

/* The last callstack that the loader printed for `what`: names, the program's side first. */
static void read_order(wpg_doctor *doctor, const char *noise)
{
    json_t *order = json_array();
    const char *at = noise ? strstr(noise, "vkCreateInstance layer callstack setup to:") : NULL;
    bool next = false;
    while (at && *at) {
        size_t length = strcspn(at, "\n");
        char line[512];
        (void)snprintf(line, sizeof line, "%.*s", (int)length, at);
        char *text = strstr(line, "LAYER:");
        text = text ? text + 6 + strspn(text + 6, " ") : line;
        if (strncmp(text, "<Dr", 3) == 0)
            break;
        if (next && *text != '<') {
            json_t *item = json_object();
            wpg_doctor_set(item, "name", text);
            (void)json_array_append_new(order, item);
        } else if (strncmp(text, "Type: ", 6) == 0 && json_array_size(order))
            wpg_doctor_set(json_array_get(order, json_array_size(order) - 1), "state", text + 6);
        next = strncmp(text, "||", 2) == 0;
        at += length + (at[length] == '\n');
    }
    (void)json_object_set_new(doctor->root, "order", order);
}

/* What the layer logged of one device. */
static void read_device(wpg_doctor *doctor, json_t *devices, char *const *fields, const char *log,
                        bool *counts)
{
    json_t *item = json_object();
    char name[320], state[1024] = "the layer said nothing of it";
    long from = strtol(fields[4], NULL, 10), to = strtol(fields[5], NULL, 10);
    int result = (int)strtol(fields[3], NULL, 10);
    bool good = false;
    (void)snprintf(name, sizeof name, "%s (Vulkan %s)", fields[1], fields[2]);
    if (result != 0)
        (void)snprintf(state, sizeof state, "vkCreateDevice gives VkResult %d", result);
    long length = log ? (long)strlen(log) : 0;
    while (from >= 0 && from < to && to <= length) {
        char line[1024];
        size_t width = strcspn(log + from, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)width, log + from);
        const char *message = wpg_doctor_message(line);
        if (strncmp(message, "device ", 7) == 0) {
            const char *what = strncmp(message + 7, fields[1], strlen(fields[1])) == 0
                                   ? message + 7 + strlen(fields[1])
                                   : message + 7;
            (void)snprintf(state, sizeof state, "%s", *what == ':' ? what + 2 : what);
            good = strncmp(message, "device passes through", 21) != 0;
        } else if (strncmp(line, "wavepgo: warning", 16) == 0)
            wpg_doctor_note(doctor, NULL, "%s: %s", fields[1], message);
        from += (long)width + 1;
    }
    *counts |= good;
    wpg_doctor_set(item, "name", name);
    wpg_doctor_set(item, "state", state);
    (void)json_object_set_new(item, "counts", json_boolean(good));
    (void)json_array_append_new(devices, item);
}

/* Fields of a line, parted by tabs. */
static size_t split(char **fields, size_t most, char *line)
{
    size_t count = 0;
    for (char *at = line; at && count < most;) {
        fields[count++] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = '\0';
    }
    return count;
}

typedef struct seen {
    char step[256]; /* the last that was reached */
    bool loader, instance, mapped, counts;
    size_t devices;
} seen;

static void read_facts(wpg_doctor *doctor, seen *what, char *facts, const char *log)
{
    json_t *devices = json_array();
    char *rest = NULL, *fields[6], text[PATH_MAX + 64];
    for (char *line = facts ? strtok_r(facts, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        size_t count = split(fields, 6, line);
        if (strcmp(fields[0], "at") == 0 && count == 2)
            (void)snprintf(what->step, sizeof what->step, "%s", fields[1]);
        else if (strcmp(fields[0], "absent") == 0 && count == 2)
            wpg_doctor_problem(doctor, "install it and a driver (Debian: libvulkan1, mesa-vulkan-drivers)",
                               "there is no Vulkan here: %s", fields[1]);
        else if (strcmp(fields[0], "loader") == 0 && count == 3) {
            what->loader = true;
            (void)snprintf(text, sizeof text, "%s, %s", fields[1], fields[2]);
            wpg_doctor_set(doctor->root, "loader", text);
        } else if (strcmp(fields[0], "instance") == 0 && count == 2) {
            what->instance = strcmp(fields[1], "0") == 0;
            if (strcmp(fields[1], "-9") == 0) /* VK_ERROR_INCOMPATIBLE_DRIVER */
                wpg_doctor_problem(doctor,
                                   "install a driver (Debian: mesa-vulkan-drivers); VK_DRIVER_FILES and "
                                   "VK_ICD_FILENAMES, where set, must name its manifest",
                                   "there is a Vulkan loader, but no driver");
            else if (!what->instance)
                wpg_doctor_problem(doctor, "VK_LOADER_DEBUG=all with any Vulkan program says why",
                                   "vkCreateInstance gives VkResult %s", fields[1]);
        } else if (strcmp(fields[0], "mapped") == 0 && count == 2) {
            what->mapped = true;
            judge_library(doctor, fields[1]);
        } else if (strcmp(fields[0], "device") == 0 && count == 6) {
            what->devices++;
            read_device(doctor, devices, fields, log, &what->counts);
        }
    }
    (void)json_object_set_new(doctor->root, "devices", devices);
}

/* Why the layer was not loaded, in the loader's words: its first line that names us. */
static void say_not_loaded(wpg_doctor *doctor, const char *noise)
{
    char line[512] = "";
    for (const char *at = noise; at && *at;) {
        size_t length = strcspn(at, "\n");
        bool complains = strncmp(at, "ERROR", 5) == 0 || strstr(at, "ERROR") == at + 15;
        (void)snprintf(line, sizeof line, "%.*s", complains ? (int)length : 0, at);
        if (strstr(line, "avepgo") || strstr(line, "WAVEPGO"))
            break;
        *line = '\0';
        at += length + (at[length] == '\n');
    }
    wpg_doctor_problem(doctor, "VK_LOADER_DEBUG=all with any Vulkan program says more",
                       "the layer is enabled, but the loader did not load it%s%s", *line ? ": " : "", line);
}

/* Warnings before the first device: of the instance, and of settings. */
static void read_log(wpg_doctor *doctor, const char *log)
{
    for (const char *at = log; at && *at;) {
        size_t length = strcspn(at, "\n");
        char line[1024];
        (void)snprintf(line, sizeof line, "%.*s", (int)length, at);
        const char *message = wpg_doctor_message(line);
        if (strstr(line, "is below this layer"))
            wpg_doctor_problem(doctor,
                               "enable the layer by 'wavepgo run', not by WAVEPGO_ENABLE: it is then below",
                               "%s", message);
        else if (strncmp(message, "setting ignored", 15) == 0)
            wpg_doctor_problem(doctor, NULL, "%s", message);
        at += length + (at[length] == '\n');
    }
}

static void judge(wpg_doctor *doctor, const seen *what, int status, const char *noise)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        wpg_doctor_problem(doctor, NULL, "%s takes more than %d seconds", what->step, (int)PATIENCE_SECONDS);
    else if (WIFSIGNALED(status))
        wpg_doctor_problem(doctor, "try it without the layer (vulkaninfo): does it crash, too?",
                           "the trial crashes (%s): %s", strsignal(WTERMSIG(status)), what->step);
    if (what->instance && !what->mapped)
        say_not_loaded(doctor, noise);
    if (what->instance && !what->devices && WIFEXITED(status))
        wpg_doctor_problem(doctor, "is the user in the groups video and render?",
                           "there is no Vulkan device");
    if (what->mapped && what->devices && !what->counts && WIFEXITED(status))
        wpg_doctor_problem(doctor, NULL, "no device here can be counted on");
}

static void remove_folder(const char *folder)
{
    DIR *open_folder = opendir(folder);
    const struct dirent *entry;
    while (open_folder && (entry = readdir(open_folder)))
        if (entry->d_name[0] != '.')
            (void)unlinkat(dirfd(open_folder), entry->d_name, 0);
    if (open_folder)
        (void)closedir(open_folder);
    (void)rmdir(folder);
}

void wpg_doctor_probe(wpg_doctor *doctor)
{
    char folder[PATH_MAX];
    const char *temporary = wpg_environment_get("TMPDIR");
    seen what = {.step = "starting"};
    if (snprintf(folder, sizeof folder, "%s/wavepgo-doctor.XXXXXX", *temporary ? temporary : "/tmp") >=
            PATH_MAX ||
        !mkdtemp(folder)) {
        wpg_doctor_problem(doctor, "set TMPDIR to a folder that can be written", "no temporary folder in %s",
                           *temporary ? temporary : "/tmp");
        return;
    }
    int status = run_child(doctor, folder);
    char *facts = read_text(folder, "facts"), *noise = read_text(folder, "noise"),
         *log = read_text(folder, "log");
    read_log(doctor, log);
    read_facts(doctor, &what, facts, log);
    if (what.instance)
        read_order(doctor, noise);
    judge(doctor, &what, status, noise);
    free(facts);
    free(noise);
    free(log);
    remove_folder(folder);
}
