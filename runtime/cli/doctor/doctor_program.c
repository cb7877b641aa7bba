/* Examines PROGRAM without running it: can a Vulkan layer get into it? */
#include "runtime/cli/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/cli/common/container.h"
#include "runtime/cli/common/elf_look.h"
#include "runtime/cli/common/enable.h"
#include "runtime/cli/common/manifest.h"
#include "runtime/cli/common/program_path.h"

static const char containers[] = "the container needs the layer inside: see layer/README.md, Sandboxes";

static size_t first_bytes(char *bytes, size_t size, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd >= 0 ? read(fd, bytes, size - 1) : 0;
    if (fd >= 0)
        (void)close(fd);
    bytes[got > 0 ? got : 0] = '\0';
    return got > 0 ? (size_t)got : 0;
}

static void look_at_rights(wpg_doctor *doctor, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return;
    if ((info.st_mode & S_ISUID) || (info.st_mode & S_ISGID) ||
        getxattr(path, "security.capability", NULL, 0) > 0)
        wpg_doctor_problem(doctor, "run a copy without setuid, setgid and file capabilities",
                           "%s runs with raised rights: the loader and the layer ignore the environment",
                           path);
}

/* The machine field of a Windows program's COFF header ("PE Format", Microsoft). */
static const char *windows_family(const char *bytes, size_t size)
{
    uint32_t at = 0;
    uint16_t machine = 0;
    if (size >= 0x40)
        memcpy(&at, bytes + 0x3c, sizeof at);
    if (size >= 6 && at <= size - 6)
        memcpy(&machine, bytes + at + 4, sizeof machine);
    return machine == 0x8664 ? "x86_64" : machine == 0x14c ? "x86" : "unknown";
}

static void look_at_elf(wpg_doctor *doctor, char *state, size_t size, const char *path, const wpg_elf *elf)
{
    (void)snprintf(state, size, "%s, %s%s", path, elf->family, elf->is_static ? ", static" : "");
    size_t count;
    const wpg_layer_family *families = wpg_layer_families(&count), *other = NULL;
    char manifest[PATH_MAX];
    for (size_t i = 1; i < count; i++)
        if (strcmp(elf->family, families[i].cpu) == 0 &&
            wpg_family_manifest(manifest, "explicit", &families[i]))
            other = &families[i];
    if (other)
        wpg_doctor_note(doctor, NULL,
                        "%s is a program for %s: %s beside this command serves it. This report looked at "
                        "loader and driver for %s programs only",
                        path, elf->family, other->layer, families[0].cpu);
    else if (strcmp(elf->family, families[0].cpu) != 0)
        wpg_doctor_problem(
            doctor, "build and install the layer for that CPU family (layer/README.md: 32-bit programs)",
            "%s is a program for %s, this layer is for %s", path, elf->family, families[0].cpu);
    else if (elf->is_static)
        wpg_doctor_problem(doctor, "none: a program without a dynamic linker loads no layer",
                           "%s is linked statically: no layer can be loaded into it", path);
    else if (!elf->needs_loader)
        wpg_doctor_note(
            doctor, NULL,
            "%s itself does not name libvulkan.so: a library or another program that it starts may", path);
}

static void look_at_file(wpg_doctor *doctor, char *state, size_t size, const char *path)
{
    char head[4096];
    wpg_elf elf;
    wpg_error err;
    size_t got = first_bytes(head, sizeof head, path);
    if (got >= 2 && memcmp(head, "#!", 2) == 0) {
        head[strcspn(head, "\n")] = '\0';
        (void)snprintf(state, size, "%s, a script (%.200s): what it starts is what counts", path, head);
    } else if (got >= 2 && memcmp(head, "MZ", 2) == 0) {
        const char *family = windows_family(head, got);
        (void)snprintf(state, size, "%s, a Windows program (%s)", path, family);
        wpg_doctor_note(doctor, "wavepgo run -- wine PROGRAM.exe",
                        "Wine runs it, and Wine's Vulkan loads the layer");
        if (strcmp(family, "x86") == 0)
            wpg_doctor_note(
                doctor, "with older Wine, build the layer for x86",
                "a 32-bit Windows program: Wine of the new WoW64 uses this layer, older Wine a 32-bit one");
    } else if (wpg_elf_look(&elf, path, &err) != WPG_OK) {
        (void)snprintf(state, size, "%s", path);
        wpg_doctor_problem(doctor, NULL, "%s", err.message);
    } else if (elf.is_elf)
        look_at_elf(doctor, state, size, path, &elf);
    else
        (void)snprintf(state, size, "%s, no program that is known here", path);
}

/* Launchers that start the game in a container or a sandbox. */
static void look_at_launcher(wpg_doctor *doctor, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *const command[] = {(char *)(uintptr_t)path, NULL};
    const wpg_container container = wpg_container_of(command);
    if (strcmp(name, "steam") == 0)
        wpg_doctor_note(
            doctor, "set a game's launch options to: wavepgo run --generate -- %command%",
            "Steam starts games by itself, mostly in a container that takes implicit layers along");
    else if (container == WPG_CONTAINER_FLATPAK)
        wpg_doctor_problem(doctor, containers, "Flatpak programs do not see the host's layers");
    else if (container == WPG_CONTAINER_SNAP)
        wpg_doctor_problem(doctor, containers, "snap programs do not see the host's layers");
    else if (container == WPG_CONTAINER_STEAM && !wpg_layer_is_installed())
        wpg_doctor_problem(doctor, "wavepgo install --user",
                           "Steam's container takes only installed layers along, and this one is not");
    else if (container == WPG_CONTAINER_BWRAP || container == WPG_CONTAINER_STEAM)
        wpg_doctor_note(doctor, containers, "%s starts the program in a container", name);
}

void wpg_doctor_program(wpg_doctor *doctor)
{
    char path[PATH_MAX], state[PATH_MAX + 512];
    const char *slash = strrchr(doctor->program, '/');
    (void)snprintf(doctor->program_name, sizeof doctor->program_name, "%s",
                   slash ? slash + 1 : doctor->program);
    if (!wpg_program_path(path, doctor->program)) {
        wpg_doctor_set(doctor->root, "program", doctor->program);
        wpg_doctor_problem(doctor, NULL, "no program is called %s: %s", doctor->program, strerror(ENOENT));
        return;
    }
    look_at_file(doctor, state, sizeof state, path);
    look_at_rights(doctor, path);
    look_at_launcher(doctor, path);
    wpg_doctor_set(doctor->root, "program", state);
}
