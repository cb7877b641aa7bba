#include "compiler/amdgpu/llvm/link.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STANDARD = 3, MOST_BYTES = 1 << 30 };

/* Above the standard ones, so that giving one to the linker overwrites no other, even where this process
 * was started with some of them closed. */
static int nameless_file(void)
{
    int made = memfd_create("wavepgo-link", MFD_CLOEXEC);
    if (made < 0 || made >= STANDARD)
        return made;
    int moved = fcntl(made, F_DUPFD_CLOEXEC, STANDARD);
    (void)close(made);
    return moved;
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t now = write(fd, bytes + done, size - done);
        if (now < 0 && errno != EINTR)
            return false;
        done += now > 0 ? (size_t)now : 0;
    }
    return lseek(fd, 0, SEEK_SET) == 0;
}

/* One zero byte follows what was read. */
static uint8_t *read_all(int fd, size_t *size)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size < 0 || st.st_size > MOST_BYTES)
        return NULL;
    uint8_t *bytes = malloc((size_t)st.st_size + 1);
    size_t done = 0;
    while (bytes && done < (size_t)st.st_size) {
        ssize_t now = pread(fd, bytes + done, (size_t)st.st_size - done, (off_t)done);
        if (now == 0 || (now < 0 && errno != EINTR))
            break;
        done += now > 0 ? (size_t)now : 0;
    }
    if (bytes)
        bytes[done] = '\0';
    *size = done;
    return bytes;
}

/* 0, or an errno. */
static int spawn(pid_t *child, const char *linker, const int files[STANDARD])
{
    const char *const words[] = {linker, "-shared", "--no-undefined", "--strip-debug",
                                 "-o",   "-",       "/dev/stdin",     NULL};
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    for (int to = 0; to < STANDARD && !failed; to++)
        failed = posix_spawn_file_actions_adddup2(&actions, files[to], to);
    if (!failed)
        failed = posix_spawnp(child, linker, &actions, NULL, (char *const *)(uintptr_t)words, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static wpg_status start(pid_t *child, const char **linker, const int files[STANDARD], wpg_error *err)
{
    static const char *const known[] = {"ld.lld-22", "ld.lld"};
    const char *given = *linker;
    int failed = ENOENT;
    for (size_t i = 0; i < (given ? 1 : sizeof known / sizeof *known) && failed == ENOENT; i++) {
        *linker = given ? given : known[i];
        failed = spawn(child, *linker, files);
    }
    if (failed == ENOENT)
        return given ? wpg_fail(err, WPG_E_NOT_FOUND, "the linker %s is not there", given)
                     : wpg_fail(err, WPG_E_NOT_FOUND,
                                "LLVM's linker is not there: neither %s nor %s is in PATH (Debian's package: "
                                "%s)",
                                known[0], known[1], WPG_LINKER_PACKAGE);
    return failed ? wpg_fail(err, WPG_E_IO, "%s cannot be started: %s", *linker, strerror(failed)) : WPG_OK;
}

/* Its first line. */
static void words_of(char *text, size_t room, int fd)
{
    size_t size;
    char *all = (char *)read_all(fd, &size);
    (void)snprintf(text, room, "%.*s", all ? (int)strcspn(all, "\n") : 0, all ? all : "");
    free(all);
}

static wpg_status finish(pid_t child, const char *linker, int words, wpg_error *err)
{
    char text[160];
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return wpg_fail(err, WPG_E_IO, "cannot learn how %s ended: %s", linker, strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return WPG_OK;
    words_of(text, sizeof text, words);
    if (WIFSIGNALED(status))
        return wpg_fail(err, WPG_E_UNSUPPORTED, "%s was ended by signal %d", linker, WTERMSIG(status));
    return wpg_fail(err, WPG_E_UNSUPPORTED, "%s failed (exit code %d)%s%s", linker, WEXITSTATUS(status),
                    *text ? ": " : "", text);
}

static bool is_shared_object(const uint8_t *elf, size_t size)
{
    Elf64_Ehdr head;
    if (!elf || size < sizeof head)
        return false;
    memcpy(&head, elf, sizeof head);
    return memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
           head.e_type == ET_DYN && head.e_machine == EM_AMDGPU;
}

static wpg_status link_files(uint8_t **elf, size_t *size, const char *linker, const int files[STANDARD],
                             wpg_error *err)
{
    pid_t child;
    WPG_TRY(start(&child, &linker, files, err));
    WPG_TRY(finish(child, linker, files[2], err));
    uint8_t *made = read_all(files[1], size);
    if (!is_shared_object(made, made ? *size : 0)) {
        free(made);
        return wpg_fail(err, WPG_E_FORMAT, "%s made no shared object of AMDGPU: is it LLVM's linker?",
                        linker);
    }
    *elf = made;
    return WPG_OK;
}

wpg_status wpg_amdgpu_link(uint8_t **elf, size_t *size, const uint8_t *object, size_t object_size,
                           const char *linker, wpg_error *err)
{
    int files[STANDARD];
    wpg_status status = WPG_OK;
    for (int i = 0; i < STANDARD; i++)
        files[i] = nameless_file();
    if (files[0] < 0 || files[1] < 0 || files[2] < 0 || !write_all(files[0], object, object_size))
        status = wpg_fail(err, WPG_E_IO, "no memory file for the linker: %s", strerror(errno));
    if (status == WPG_OK)
        status = link_files(elf, size, linker, files, err);
    for (int i = 0; i < STANDARD; i++)
        if (files[i] >= 0)
            (void)close(files[i]);
    return status;
}
