/* wavepgo install, wavepgo uninstall: the layer and its implicit manifest where the loader looks.
 *
 *     --user      $XDG_DATA_HOME/wavepgo/FAMILY/libVkLayer_wavepgo.so    (~/.local/share)
 *                 $XDG_DATA_HOME/vulkan/implicit_layer.d/VkLayer_wavepgo.json
 *     --system    PREFIX/lib/wavepgo/FAMILY/..., PREFIX/share/vulkan/implicit_layer.d/...    (/usr/local)
 *
 * The layer of another CPU family (32-bit programs), if one stands beside this command, is installed the same
 * way.
 *
 * Beside the library stands a receipt: one line for each file and folder made, with the content's hash. A
 * file that is not in the receipt with its content belongs to somebody else: it is neither replaced nor
 * removed. The receipt is written before the files, and the manifest last. So whatever an interrupted install
 * wrote can be removed, and the loader never finds a manifest without its library. */
#include "runtime/cli/common/command.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"
#include "runtime/cli/common/manifest.h"

enum { FILE_LIMIT = 256 << 20, TARGETS = 2, LIBRARY = 0, MANIFEST = 1 };
static const char receipt_head[] = "wavepgo install 1\n";

typedef struct place {
    const char *command; /* for messages */
    const wpg_layer_family *family;
    char paths[TARGETS][PATH_MAX];
    char receipt[PATH_MAX];
    char named[PATH_MAX]; /* the library, as the manifest names it */
    bool searched;        /* the loader looks there without being told */
} place;

/* -- Where */

/* Whether colon-separated `list` names `folder`. */
static bool lists(const char *list, const char *folder)
{
    size_t length = strlen(folder);
    for (const char *at = list; at && *at;) {
        size_t width = strcspn(at, ":"), bare = width;
        while (bare > 1 && at[bare - 1] == '/')
            bare--;
        if (bare == length && memcmp(at, folder, length) == 0)
            return true;
        at += width + (at[width] == ':');
    }
    return false;
}

static bool join(char path[PATH_MAX], const char *folder, const char *name)
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static bool fill(place *where, const char *libraries, const char *data)
{
    char folder[PATH_MAX], manifests[PATH_MAX];
    return snprintf(folder, sizeof folder, "%s/wavepgo/%s", libraries, where->family->cpu) < PATH_MAX &&
           join(manifests, data, "vulkan/implicit_layer.d") &&
           join(where->paths[LIBRARY], folder, WPG_LAYER_LIBRARY) &&
           join(where->paths[MANIFEST], manifests, where->family->manifest) &&
           join(where->receipt, folder, "installed");
}

static int find_place(place *where, bool user, const char *prefix)
{
    char data[PATH_MAX], libraries[PATH_MAX];
    bool good;
    if (user) {
        const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
        if (xdg && *xdg == '/')
            good = snprintf(data, sizeof data, "%s", xdg) < PATH_MAX;
        else if (home && *home == '/')
            good = join(data, home, ".local/share");
        else
            return wpg_complain(WPG_EXIT_FAILED, where->command, "HOME is not set");
        (void)snprintf(libraries, sizeof libraries, "%s", data);
        (void)snprintf(where->named, sizeof where->named, "../../wavepgo/%s/" WPG_LAYER_LIBRARY,
                       where->family->cpu);
        where->searched = true;
    } else {
        const char *folders = getenv("XDG_DATA_DIRS");
        good = join(data, prefix, "share") && join(libraries, prefix, "lib");
        where->searched = lists(folders && *folders ? folders : "/usr/local/share:/usr/share", data);
    }
    if (!good || !fill(where, libraries, data))
        return wpg_complain(WPG_EXIT_FAILED, where->command, "a path is too long");
    /* Absolute: a prefix may be a Flatpak extension, whose manifests are linked into another folder, and the
     * loader goes by where it found a manifest. Relative for a user: a home may be mounted elsewhere. */
    if (!user)
        (void)snprintf(where->named, sizeof where->named, "%s", where->paths[LIBRARY]);
    return 0;
}

/* -- The receipt */

typedef struct receipt {
    WPG_VEC(wpg_hash128) files[TARGETS]; /* contents that install has written there */
    WPG_VEC(char *) folders;             /* made by install, outermost first; owned */
} receipt;

static void receipt_finish(receipt *made)
{
    for (size_t i = 0; i < made->folders.count; i++)
        free(made->folders.data[i]);
    wpg_vec_free(&made->folders);
    for (int i = 0; i < TARGETS; i++)
        wpg_vec_free(&made->files[i]);
}

static bool is_above(const char *folder, const place *where)
{
    size_t length = strlen(folder);
    for (int i = 0; i < TARGETS; i++)
        if (strncmp(where->paths[i], folder, length) == 0 && where->paths[i][length] == '/')
            return true;
    return false;
}

static bool add_folder(receipt *made, const char *folder)
{
    for (size_t i = 0; i < made->folders.count; i++)
        if (strcmp(made->folders.data[i], folder) == 0)
            return true;
    char *copy = strdup(folder);
    if (copy && wpg_vec_push(&made->folders, copy))
        return true;
    free(copy);
    return false;
}

static bool has(const receipt *made, int target, wpg_hash128 hash)
{
    for (size_t i = 0; i < made->files[target].count; i++)
        if (wpg_hash_equal(made->files[target].data[i], hash))
            return true;
    return false;
}

/* Lines that name anything but this place's own files and the folders above them mean nothing. */
static void read_line(receipt *made, const place *where, char *line)
{
    wpg_hash128 hash;
    if (strncmp(line, "folder ", 7) == 0 && is_above(line + 7, where))
        (void)add_folder(made, line + 7);
    if (strncmp(line, "file ", 5) != 0 || !wpg_hash_from_hex(&hash, line + 5) ||
        line[5 + WPG_HASH_HEX] != ' ')
        return;
    for (int i = 0; i < TARGETS; i++)
        if (strcmp(line + 6 + WPG_HASH_HEX, where->paths[i]) == 0 && !has(made, i, hash))
            (void)wpg_vec_push(&made->files[i], hash);
}

static void receipt_read(receipt *made, const place *where)
{
    uint8_t *text;
    size_t size;
    char *rest = NULL;
    *made = (receipt){0};
    if (wpg_file_read(&text, &size, where->receipt, 1 << 20, NULL) != WPG_OK)
        return;
    if (strncmp((char *)text, receipt_head, sizeof receipt_head - 1) == 0)
        for (char *line = strtok_r((char *)text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            read_line(made, where, line);
    free(text);
}

static wpg_status receipt_write(const receipt *made, const place *where, wpg_error *err)
{
    char *text = NULL, hex[WPG_HASH_HEX + 1];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    (void)fputs(receipt_head, out);
    for (size_t i = 0; i < made->folders.count; i++)
        (void)fprintf(out, "folder %s\n", made->folders.data[i]);
    for (int i = 0; i < TARGETS; i++)
        for (size_t j = 0; j < made->files[i].count; j++) {
            wpg_hash_to_hex(hex, made->files[i].data[j]);
            (void)fprintf(out, "file %s %s\n", hex, where->paths[i]);
        }
    wpg_status status = fclose(out) == 0 ? wpg_file_write_atomic(where->receipt, text, size, err)
                                         : wpg_fail(err, WPG_E_NOMEM, "out of memory");
    free(text);
    return status;
}

/* Notes the folders above `path` that are not there yet. */
static bool note_missing(receipt *made, const char *path)
{
    char folder[PATH_MAX];
    struct stat info;
    (void)snprintf(folder, sizeof folder, "%s", path);
    for (char *at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (stat(folder, &info) != 0 && !add_folder(made, folder))
            return false;
        *at = '/';
    }
    return true;
}

/* -- Install */

typedef enum state { ABSENT, SAME, OLDER, FOREIGN } state;

typedef struct content {
    uint8_t *data; /* owned */
    size_t size;
    wpg_hash128 hash;
} content;

static state state_of(const char *path, int target, const content *wanted, const receipt *made)
{
    struct stat info;
    uint8_t *data;
    size_t size;
    if (lstat(path, &info) != 0)
        return errno == ENOENT ? ABSENT : FOREIGN;
    if (!S_ISREG(info.st_mode) || wpg_file_read(&data, &size, path, FILE_LIMIT, NULL) != WPG_OK)
        return FOREIGN;
    wpg_hash128 hash = wpg_hash_bytes(data, size);
    free(data);
    if (wanted && wpg_hash_equal(hash, wanted->hash))
        return SAME;
    return has(made, target, hash) ? OLDER : FOREIGN;
}

static wpg_status load_contents(content contents[TARGETS], const place *where, wpg_error *err)
{
    char source[PATH_MAX];
    wpg_manifest manifest;
    char *text;
    if (!wpg_family_manifest(source, "implicit", where->family))
        return wpg_fail(err, WPG_E_NOT_FOUND, "the layer's manifest is missing: %.180s", source);
    WPG_TRY(wpg_manifest_read(&manifest, source, err));
    wpg_status status = wpg_file_read(&contents[LIBRARY].data, &contents[LIBRARY].size,
                                      manifest.layers[0].library, FILE_LIMIT, err);
    wpg_manifest_finish(&manifest);
    if (status == WPG_OK)
        status = wpg_manifest_with_library(&text, source, where->named, err);
    if (status == WPG_OK) {
        contents[MANIFEST].data = (uint8_t *)text;
        contents[MANIFEST].size = strlen(text);
    }
    for (int i = 0; status == WPG_OK && i < TARGETS; i++)
        contents[i].hash = wpg_hash_bytes(contents[i].data, contents[i].size);
    return status;
}

/* Only what install writes goes into the receipt: an equal file that was there is not ours. */
static wpg_status write_targets(receipt *made, const place *where, const content contents[TARGETS],
                                const state states[TARGETS], wpg_error *err)
{
    bool noted = true;
    for (int i = 0; i < TARGETS; i++)
        if (states[i] != SAME)
            noted = noted && note_missing(made, where->paths[i]) &&
                    wpg_vec_push(&made->files[i], contents[i].hash);
    if (!noted)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    WPG_TRY(receipt_write(made, where, err));
    for (int i = 0; i < TARGETS; i++)
        if (states[i] != SAME) {
            WPG_TRY(wpg_file_write_atomic(where->paths[i], contents[i].data, contents[i].size, err));
            (void)printf("%s %s\n", states[i] == OLDER ? "replaced" : "wrote", where->paths[i]);
            made->files[i].data[0] = contents[i].hash;
            made->files[i].count = 1;
        }
    return receipt_write(made, where, err);
}

static int install_one(const place *where)
{
    content contents[TARGETS] = {0};
    state states[TARGETS];
    receipt made;
    wpg_error err;
    int code = 0;
    bool work = false;
    receipt_read(&made, where);
    if (load_contents(contents, where, &err) != WPG_OK)
        code = wpg_complain(WPG_EXIT_FAILED, where->command, "%s", err.message);
    for (int i = 0; !code && i < TARGETS; i++) {
        states[i] = state_of(where->paths[i], i, &contents[i], &made);
        work |= states[i] != SAME;
        if (states[i] == FOREIGN)
            code = wpg_complain(
                WPG_EXIT_FAILED, where->command,
                "%s was not written by this command: move it away and install again; nothing was changed",
                where->paths[i]);
    }
    if (!code && !work)
        (void)printf("installed already: %s\n", where->paths[MANIFEST]);
    else if (!code && write_targets(&made, where, contents, states, &err) != WPG_OK)
        code = wpg_complain(WPG_EXIT_FAILED, where->command, "%s", err.message);
    for (int i = 0; i < TARGETS; i++)
        free(contents[i].data);
    receipt_finish(&made);
    return code;
}

/* The other families' layers as far as they are beside this command. */
static int install(const place *wheres, size_t count)
{
    int code = 0;
    char source[PATH_MAX];
    for (size_t i = 0; !code && i < count; i++)
        if (i == 0 || wpg_family_manifest(source, "implicit", wheres[i].family))
            code = install_one(&wheres[i]);
    if (!code)
        (void)printf(
            "%s",
            "WAVEPGO_ENABLE=1 in a program's environment enables the layer, WAVEPGO_MODE says what it does; "
            "'wavepgo doctor' checks it\n");
    if (!code && !wheres[0].searched)
        (void)printf("note: the loader does not search this prefix by itself: add its share folder to "
                     "XDG_DATA_DIRS\n");
    return code;
}

/* -- Uninstall */

/* A manifest that somebody edited is kept under a name that the loader does not read: left in place it would
 * name a library that is gone. */
static bool set_aside(const char *path)
{
    char name[PATH_MAX];
    struct stat info;
    for (unsigned i = 0; i < 10; i++) {
        int length = i ? snprintf(name, sizeof name, "%s.edited%u", path, i)
                       : snprintf(name, sizeof name, "%s.edited", path);
        if (length < PATH_MAX && lstat(name, &info) != 0 && rename(path, name) == 0) {
            (void)printf("%s changed since it was installed: kept as %s\n", path, name);
            return true;
        }
    }
    return false;
}

static int uninstall_one(const place *where)
{
    receipt made;
    bool all = true, any = false;
    struct stat info;
    if (stat(where->receipt, &info) != 0)
        return 0;
    receipt_read(&made, where);
    for (int i = TARGETS - 1; i >= 0; i--) {
        if (!made.files[i].count)
            continue;
        state found = state_of(where->paths[i], i, NULL, &made);
        if (found == ABSENT)
            continue;
        if (found == OLDER && unlink(where->paths[i]) == 0) {
            (void)printf("removed %s\n", where->paths[i]);
            any = true;
            continue;
        }
        if (found == FOREIGN && i == MANIFEST && set_aside(where->paths[i])) {
            any = true;
            continue;
        }
        all = false;
        (void)wpg_complain(
            WPG_EXIT_FAILED, where->command, "%s stays: %s", where->paths[i],
            found == OLDER
                ? strerror(errno)
                : "it changed since it was installed; if nothing needs it, remove it and uninstall again");
    }
    if (all && unlink(where->receipt) != 0)
        all = wpg_complain(0, where->command, "%s stays: %s", where->receipt, strerror(errno)) != 0;
    for (size_t i = made.folders.count; all && i-- > 0;)
        if (rmdir(made.folders.data[i]) == 0)
            (void)printf("removed %s\n", made.folders.data[i]);
    if (all && !any)
        (void)printf("the files were gone already\n");
    receipt_finish(&made);
    return all ? 0 : WPG_EXIT_FAILED;
}

/* The first was installed first: the folders that all share are on its receipt. */
static int uninstall(const place *wheres, size_t count)
{
    int code = 0;
    bool any = false;
    struct stat info;
    for (size_t i = count; i-- > 0;) {
        any |= stat(wheres[i].receipt, &info) == 0;
        int one = uninstall_one(&wheres[i]);
        code = code ? code : one;
    }
    if (!any)
        (void)printf("nothing installed by this command at %s\n", wheres[0].paths[MANIFEST]);
    return code;
}

/* -- The commands */

enum { FAMILIES_MOST = 2 };

/* One place a family; *count of them. */
static int parse(place *wheres, size_t *count, const char *command, int argc, char **argv)
{
    const wpg_layer_family *families = wpg_layer_families(count);
    bool user = false, system = false;
    const char *prefix = NULL;
    for (int at = 1; at < argc; at++) {
        if (strcmp(argv[at], "--user") == 0)
            user = true;
        else if (strcmp(argv[at], "--system") == 0)
            system = true;
        else if (strncmp(argv[at], "--prefix=", 9) == 0)
            prefix = argv[at] + 9;
        else if (strcmp(argv[at], "--prefix") == 0 && at + 1 < argc)
            prefix = argv[++at];
        else
            return wpg_usage_error(command, "no option is called '%s'", argv[at]);
    }
    if (user == system)
        return wpg_usage_error(command, "add --user (for this user) or --system (for all users)");
    if (prefix && user)
        return wpg_usage_error(command, "--prefix needs --system");
    if (prefix && *prefix != '/')
        return wpg_usage_error(command, "--prefix needs an absolute path");
    int code = 0;
    *count = *count < FAMILIES_MOST ? *count : FAMILIES_MOST;
    for (size_t i = 0; !code && i < *count; i++) {
        wheres[i] = (place){.command = command, .family = &families[i]};
        code = find_place(&wheres[i], user, prefix ? prefix : "/usr/local");
    }
    return code;
}

int wpg_command_install(int argc, char **argv)
{
    static place wheres[FAMILIES_MOST]; /* large */
    size_t count;
    int code = parse(wheres, &count, "install", argc, argv);
    return code ? code : install(wheres, count);
}

int wpg_command_uninstall(int argc, char **argv)
{
    static place wheres[FAMILIES_MOST];
    size_t count;
    int code = parse(wheres, &count, "uninstall", argc, argv);
    return code ? code : uninstall(wheres, count);
}
