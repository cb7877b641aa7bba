/* wavepgo doctor: runs the parts and prints the report. */
#include "runtime/cli/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/log.h"
#include "runtime/cli/common/command.h"

static const char command_name[] = "doctor";

/* -- Text */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void print_said(const json_t *list, const char *title)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        const char *advice = text_of(item, "do");
        (void)printf("%-9s %s\n", title, text_of(item, "what"));
        if (*advice)
            (void)printf("%9s   -> %s\n", "", advice);
    }
}

/* Objects and arrays of texts, a line each. The first line of a part has its title. */
static void print_part(const json_t *root, const char *title)
{
    const json_t *part = json_object_get(root, title);
    size_t i;
    json_t *item;
    const char *key;
    if (json_is_string(part))
        (void)printf("%-9s %s\n", title, json_string_value(part));
    json_array_foreach(part, i, item)
    {
        (void)printf("%-9s %s", i ? "" : title, json_is_string(item) ? json_string_value(item) : "");
        if (json_is_object(item)) {
            (void)printf("%s%s%s", text_of(item, "name"), *text_of(item, "state") ? ": " : "",
                         text_of(item, "state"));
        }
        (void)putchar('\n');
    }
    if (json_is_object(part)) {
        bool first = true;
        json_object_foreach((json_t *)(uintptr_t)part, key, item) if (json_is_string(item))
        {
            (void)printf("%-9s %s: %s\n", first ? title : "", key, json_string_value(item));
            first = false;
        }
    }
}

static void print_text(const wpg_doctor *doctor)
{
    static const char *const parts[] = {"program", "manifests", "enabled", "loader", "order",
                                        "devices", "mode",      "files",   "blocked"};
    print_said(doctor->problems, "PROBLEM");
    if (!json_array_size(doctor->problems))
        (void)printf("%-9s nothing keeps the layer from working\n", "ok");
    print_said(doctor->notes, "note");
    (void)putchar('\n');
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        print_part(doctor->root, parts[i]);
}

/* What loading the settings has to complain of goes to the log: it is a finding here. */
static void load_settings(wpg_doctor *doctor)
{
    char path[64], text[8192], *rest = NULL;
    int fd = memfd_create("wavepgo-doctor", MFD_CLOEXEC);
    if (fd >= 0) {
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        wpg_log_open(WPG_LOG_WARN, path);
    }
    wpg_settings_load_for(&doctor->settings, doctor->program ? doctor->program_name : NULL);
    wpg_log_close();
    ssize_t length = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : 0;
    text[length > 0 ? length : 0] = '\0';
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        wpg_doctor_problem(doctor, NULL, "%s", wpg_doctor_message(line));
    if (fd >= 0)
        (void)close(fd);
}

/* -- The command */

static int parse(wpg_doctor *doctor, bool *json, int argc, char **argv)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        if (strcmp(argv[at], "--json") != 0)
            return wpg_usage_error(command_name, "no option is called '%s'", argv[at]);
        *json = true;
    }
    doctor->program = at < argc ? argv[at] : NULL;
    return 0;
}

int wpg_command_doctor(int argc, char **argv)
{
    wpg_doctor doctor = {0};
    bool json = false;
    int code = parse(&doctor, &json, argc, argv);
    if (code)
        return code;
    doctor.root = json_object();
    doctor.problems = json_array();
    doctor.notes = json_array();
    if (!doctor.root || !doctor.problems || !doctor.notes)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
    wpg_doctor_set(doctor.root, "version", WPG_VERSION);
    (void)json_object_set_new(doctor.root, "problems", doctor.problems);
    (void)json_object_set_new(doctor.root, "notes", doctor.notes);
    if (doctor.program)
        wpg_doctor_program(&doctor);
    load_settings(&doctor);
    wpg_doctor_manifests(&doctor);
    wpg_doctor_enabled(&doctor);
    wpg_doctor_probe(&doctor);
    wpg_doctor_files(&doctor);
    bool healthy = json_array_size(doctor.problems) == 0;
    (void)json_object_set_new(doctor.root, "ok", json_boolean(healthy));
    if (json) {
        (void)json_dumpf(doctor.root, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
        (void)putchar('\n');
    } else
        print_text(&doctor);
    wpg_settings_finish(&doctor.settings);
    json_decref(doctor.root);
    return healthy ? 0 : WPG_EXIT_FAILED;
}
