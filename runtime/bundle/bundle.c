#include "runtime/bundle/bundle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/file_batch.h"
#include "runtime/bundle/verdicts.h"

enum { PATH_SIZE = 4352, SPIRV_LIMIT = 256 << 20 };

/* What may be in a bundle. */
typedef struct kind {
    const char *name, *folder, *ending;
    bool facts;
} kind;

static const kind kinds[] = {
    {"pipeline", "pipelines", ".facts", true},  {"shader", "shaders", ".info", true},
    {"extremes", "shaders", ".extremes", true}, {"spirv", "shaders", ".spv", false},
    {"verdict", "verdicts", ".facts", true},    {"profile", "", ".profraw", false},
    {"profile", "", ".profdata", false},        {"profile", "", ".proftext", false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const kind *kind_called(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* A subject becomes part of a path: nothing but a hash will do. */
static bool is_hash(const char *text)
{
    return strlen(text) == WPG_HASH_HEX && strspn(text, "0123456789abcdef") == WPG_HASH_HEX;
}

static wpg_status compose(char *path, size_t size, wpg_error *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static wpg_status compose(char *path, size_t size, wpg_error *err, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int length = vsnprintf(path, size, fmt, args);
    va_end(args);
    return length >= 0 && (size_t)length < size ? WPG_OK : wpg_fail(err, WPG_E_LIMIT, "a path is too long");
}

wpg_status wpg_bundle_facts_path(char *path, size_t size, const char *bundle, const char *name,
                                 const char *subject, const char *tag, wpg_error *err)
{
    const kind *k = kind_called(name);
    if (!k || !is_hash(subject))
        return wpg_fail(err, WPG_E_ARGUMENT, "a bundle holds no %.40s of %.40s", name, subject);
    return compose(path, size, err, "%s/%s/%s%s%s", bundle, k->folder, subject, tag, k->ending);
}

bool wpg_is_bundle(const char *path)
{
    char index[PATH_SIZE];
    struct stat info;
    return compose(index, sizeof index, NULL, "%s/%s", path, WPG_BUNDLE_INDEX) == WPG_OK &&
           stat(index, &info) == 0 && S_ISREG(info.st_mode);
}

/* -- Loading */

wpg_facts *wpg_bundle_find(const wpg_bundle *bundle, const char *name, const char *subject)
{
    size_t low = 0, high = bundle->sets.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        wpg_facts *at = bundle->sets.data[middle];
        int order = strcmp(wpg_facts_kind(at), name);
        if (order == 0)
            order = strcmp(wpg_facts_subject(at), subject);
        if (order == 0)
            return at;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int by_kind(const void *left, const void *right)
{
    const wpg_facts *a = *(wpg_facts *const *)left, *b = *(wpg_facts *const *)right;
    int order = strcmp(wpg_facts_kind(a), wpg_facts_kind(b));
    return order ? order : strcmp(wpg_facts_subject(a), wpg_facts_subject(b));
}

/* Have two processes given one shader with other words? That is no conflict: shader_info.h. */
static bool words_differ(const wpg_facts *a, const wpg_facts *b)
{
    return strcmp(wpg_facts_kind(a), "shader") == 0 &&
           strcmp(wpg_facts_get_text(a, "words"), wpg_facts_get_text(b, "words")) != 0;
}

/* Puts sets of equal kind and subject together. */
static wpg_status settle(wpg_bundle *bundle, wpg_error *err)
{
    size_t kept = 0;
    if (bundle->sets.count)
        qsort(bundle->sets.data, bundle->sets.count, sizeof *bundle->sets.data, by_kind);
    wpg_status status = WPG_OK;
    for (size_t i = 0; i < bundle->sets.count; i++) {
        wpg_facts *set = bundle->sets.data[i];
        if (kept && status == WPG_OK && by_kind(&bundle->sets.data[kept - 1], &set) == 0 &&
            strcmp(wpg_facts_kind(set), "verdict") == 0) {
            bundle->sets.data[kept - 1] = wpg_verdict_merge(bundle->sets.data[kept - 1], set);
        } else if (kept && status == WPG_OK && by_kind(&bundle->sets.data[kept - 1], &set) == 0) {
            const bool other_words = words_differ(bundle->sets.data[kept - 1], set);
            status = wpg_facts_merge(bundle->sets.data[kept - 1], set, 1, &bundle->conflicts, err);
            bundle->conflicts -= other_words && bundle->conflicts;
            wpg_facts_destroy(set);
        } else
            bundle->sets.data[kept++] = set;
    }
    bundle->sets.count = kept;
    return status;
}

static wpg_status add_facts(wpg_bundle *bundle, const char *path, const char *name, uint64_t weight,
                            wpg_error *err)
{
    wpg_facts *facts, *weighted;
    WPG_TRY(wpg_facts_read_file(&facts, path, err));
    wpg_status status = WPG_OK;
    if (strcmp(wpg_facts_kind(facts), name) != 0 || !is_hash(wpg_facts_subject(facts)))
        status = wpg_fail(err, WPG_E_FORMAT, "%s: these are facts of %.40s %.40s", path,
                          wpg_facts_kind(facts), wpg_facts_subject(facts));
    if (status == WPG_OK && weight != 1) {
        weighted = wpg_facts_create(wpg_facts_kind(facts), wpg_facts_subject(facts));
        status = weighted ? wpg_facts_merge(weighted, facts, weight, NULL, err)
                          : wpg_fail(err, WPG_E_NOMEM, "no memory for a bundle");
        wpg_facts_destroy(facts);
        facts = weighted;
    }
    if (status == WPG_OK && !wpg_vec_push(&bundle->sets, facts))
        status = wpg_fail(err, WPG_E_NOMEM, "no memory for a bundle");
    if (status != WPG_OK)
        wpg_facts_destroy(facts);
    return status;
}

static void free_spirv(wpg_bundle_spirv *one)
{
    free(one->subject);
    free(one->path);
}

static wpg_status read_words(wpg_bundle_spirv *one, wpg_error *err)
{
    uint8_t *data;
    size_t size;
    if (one->words.low || one->words.high)
        return WPG_OK;
    WPG_TRY(wpg_file_read(&data, &size, one->path, SPIRV_LIMIT, err));
    one->words = wpg_hash_bytes(data, size);
    free(data);
    return WPG_OK;
}

/* Two processes may give one shader with other words (shader_info.h). The smaller hash stays, as of the fact
 * `words`: so the order of bundles makes no difference. Takes `one`. */
static wpg_status choose_spirv(wpg_bundle_spirv *there, wpg_bundle_spirv *one, wpg_error *err)
{
    wpg_status status = read_words(there, err);
    if (status == WPG_OK)
        status = read_words(one, err);
    if (status == WPG_OK && (one->words.high < there->words.high ||
                             (one->words.high == there->words.high && one->words.low < there->words.low))) {
        const wpg_bundle_spirv other = *there;
        *there = *one;
        *one = other;
    }
    free_spirv(one);
    return status;
}

static wpg_status add_spirv(wpg_bundle *bundle, const char *path, wpg_error *err)
{
    wpg_bundle_spirv one = {.path = strdup(path)};
    wpg_hash128 hash = {0};
    uint64_t at;
    const char *name = strrchr(path, '/') + 1;
    char *dot = one.path ? strchr(name, '.') : NULL;
    one.subject = dot ? strndup(name, (size_t)(dot - name)) : NULL;
    const bool named = !one.subject || is_hash(one.subject);
    if (one.subject && named && wpg_hash_from_hex(&hash, one.subject)) {
        if (wpg_map_get(&bundle->spirv_at, hash.low, &at) &&
            strcmp(bundle->spirv.data[at].subject, one.subject) == 0)
            return choose_spirv(&bundle->spirv.data[at], &one, err);
        if (wpg_map_set(&bundle->spirv_at, hash.low, bundle->spirv.count) &&
            wpg_vec_push(&bundle->spirv, one))
            return WPG_OK;
    }
    free_spirv(&one);
    return named ? wpg_fail(err, WPG_E_NOMEM, "no memory for a bundle")
                 : wpg_fail(err, WPG_E_FORMAT, "%s: its name is no shader's hash", path);
}

/* The index is untrusted: a file is where its kind is kept, and nowhere else. */
static bool is_place(const kind **found, const char *path, const char *name)
{
    for (size_t i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        size_t folder = strlen(k->folder), length = strlen(path), ending = strlen(k->ending);
        if (strcmp(k->name, name) != 0 || length <= folder + 1 + ending ||
            strcmp(path + length - ending, k->ending) != 0)
            continue;
        const char *file = path;
        if (folder && (strncmp(path, k->folder, folder) != 0 || path[folder] != '/'))
            continue;
        if (folder)
            file += folder + 1;
        if (strchr(file, '/') || file[0] == '.')
            continue;
        *found = k;
        return true;
    }
    return false;
}

static wpg_status load_file(wpg_bundle *bundle, const char *folder, const wpg_fact *fact, const kind *k,
                            uint64_t weight, wpg_error *err)
{
    char path[PATH_SIZE];
    struct stat info;
    WPG_TRY(compose(path, sizeof path, err, "%s/%s", folder, fact->key));
    const wpg_status status = k->facts                 ? add_facts(bundle, path, k->name, weight, err)
                              : stat(path, &info) != 0 ? WPG_E_NOT_FOUND
                                                       : WPG_OK;
    if (status == WPG_E_NOT_FOUND)
        return wpg_fail(err, WPG_E_NOT_FOUND, "bundle %s lacks %s, which its index names", folder, fact->key);
    return status == WPG_OK && strcmp(k->name, "spirv") == 0 ? add_spirv(bundle, path, err) : status;
}

/* `only`: one kind; NULL: all. */
static wpg_status load_listed(wpg_bundle *bundle, const char *folder, const wpg_facts *index,
                              const char *only, uint64_t weight, wpg_error *err)
{
    for (size_t i = 0; i < wpg_facts_size(index); i++) {
        const wpg_fact *fact = wpg_facts_at(index, i);
        const kind *k;
        if (fact->rule != WPG_FACT_IS || !kind_called(fact->text) || (only && strcmp(fact->text, only) != 0))
            continue; /* a property, or a kind of a later version */
        if (!is_place(&k, fact->key, fact->text))
            return wpg_fail(err, WPG_E_FORMAT, "%s: its index names %s as a %s", folder, fact->key,
                            fact->text);
        WPG_TRY(load_file(bundle, folder, fact, k, weight, err));
    }
    return WPG_OK;
}

static wpg_status load(wpg_bundle *bundle, const char *path, const char *only, uint64_t weight,
                       wpg_error *err)
{
    char index_path[PATH_SIZE];
    wpg_facts *index;
    WPG_TRY(compose(index_path, sizeof index_path, err, "%s/%s", path, WPG_BUNDLE_INDEX));
    WPG_TRY(wpg_facts_read_file(&index, index_path, err));
    wpg_status status = strcmp(wpg_facts_kind(index), "bundle") == 0
                            ? load_listed(bundle, path, index, only, weight, err)
                            : wpg_fail(err, WPG_E_FORMAT, "%s is no bundle's index", index_path);
    wpg_facts_destroy(index);
    wpg_error later;
    wpg_status settled = settle(bundle, &later);
    return status == WPG_OK && settled != WPG_OK ? wpg_fail(err, settled, "%s", later.message) : status;
}

wpg_status wpg_bundle_load(wpg_bundle *bundle, const char *path, uint64_t weight, wpg_error *err)
{
    return load(bundle, path, NULL, weight, err);
}

wpg_status wpg_bundle_load_kind(wpg_bundle *bundle, const char *path, const char *only, wpg_error *err)
{
    return load(bundle, path, only, 1, err);
}

void wpg_bundle_finish(wpg_bundle *bundle)
{
    for (size_t i = 0; i < bundle->sets.count; i++)
        wpg_facts_destroy(bundle->sets.data[i]);
    for (size_t i = 0; i < bundle->spirv.count; i++)
        free_spirv(&bundle->spirv.data[i]);
    wpg_map_free(&bundle->spirv_at);
    wpg_vec_free(&bundle->sets);
    wpg_vec_free(&bundle->spirv);
    *bundle = (wpg_bundle){0};
}

/* -- Saving */

static wpg_status copy_spirv(const char *folder, const wpg_bundle_spirv *spirv, wpg_error *err)
{
    char path[PATH_SIZE];
    uint8_t *data;
    size_t size;
    WPG_TRY(compose(path, sizeof path, err, "%s/shaders/%s.spv", folder, spirv->subject));
    if (access(path, F_OK) == 0)
        return WPG_OK; /* it is one of those that were merged, or of an equal shader */
    WPG_TRY(wpg_file_read(&data, &size, spirv->path, SPIRV_LIMIT, err));
    wpg_status status = wpg_file_write_atomic(path, data, size, err);
    free(data);
    return status;
}

wpg_status wpg_bundle_save(const char *path, wpg_bundle *bundle, wpg_error *err)
{
    char file[PATH_SIZE];
    WPG_TRY(wpg_make_folders(path, err));
    for (size_t i = 0; i < bundle->spirv.count; i++)
        WPG_TRY(copy_spirv(path, &bundle->spirv.data[i], err));
    for (size_t i = 0; i < bundle->sets.count; i++) {
        wpg_facts *set = bundle->sets.data[i];
        WPG_TRY(wpg_bundle_facts_path(file, sizeof file, path, wpg_facts_kind(set), wpg_facts_subject(set),
                                      "", err));
        WPG_TRY(wpg_facts_write_file(file, set, err));
    }
    return wpg_bundle_write_index(path, err);
}

/* -- The index */

static wpg_status list_kind(wpg_facts *index, const char *bundle, const kind *k, wpg_error *err)
{
    char folder[PATH_SIZE], key[PATH_SIZE];
    WPG_TRY(compose(folder, sizeof folder, err, "%s/%s", bundle, k->folder));
    DIR *directory = opendir(folder);
    if (!directory)
        return errno == ENOENT ? WPG_OK : wpg_fail(err, WPG_E_IO, "cannot read folder %s", folder);
    wpg_status status = WPG_OK;
    for (struct dirent *entry; status == WPG_OK && (entry = readdir(directory));) {
        const kind *found;
        if (compose(key, sizeof key, NULL, "%s%s%s", k->folder, *k->folder ? "/" : "", entry->d_name) !=
                WPG_OK ||
            !is_place(&found, key, k->name) || found != k)
            continue;
        /* A name that is no word (a blank in it, say) is a file of somebody else's. */
        status = wpg_facts_is(index, key, k->name, err);
        status = status == WPG_E_ARGUMENT ? WPG_OK : status;
    }
    (void)closedir(directory);
    return status;
}

wpg_status wpg_bundle_write_index(const char *path, wpg_error *err)
{
    char file[PATH_SIZE];
    WPG_TRY(compose(file, sizeof file, err, "%s/%s", path, WPG_BUNDLE_INDEX));
    WPG_TRY(wpg_make_folders(path, err));
    /* Listing and writing are one step for all processes: an index never names less than an earlier one. */
    int lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0)
        (void)flock(lock, LOCK_EX);
    wpg_facts *index = wpg_facts_create("bundle", "wavepgo");
    wpg_status status = index ? wpg_facts_is(index, "wavepgo", WPG_VERSION, err)
                              : wpg_fail(err, WPG_E_NOMEM, "no memory for an index");
    for (size_t i = 0; i < KINDS && status == WPG_OK; i++)
        status = list_kind(index, path, &kinds[i], err);
    if (status == WPG_OK)
        status = wpg_facts_write_file(file, index, err);
    wpg_facts_destroy(index);
    if (lock >= 0)
        (void)close(lock);
    return status;
}

size_t wpg_bundle_sweep(const char *path)
{
    char folder[PATH_SIZE];
    size_t removed = wpg_file_sweep(path, WPG_BUNDLE_INDEX);
    for (size_t i = 0; i < KINDS; i++)
        if (compose(folder, sizeof folder, NULL, "%s/%s", path, kinds[i].folder) == WPG_OK)
            removed += wpg_file_sweep(folder, kinds[i].ending);
    return removed;
}

/* -- Replacing */

static void remove_kind(const char *bundle, const kind *k)
{
    char folder[PATH_SIZE], key[PATH_SIZE], path[PATH_SIZE];
    DIR *directory =
        compose(folder, sizeof folder, NULL, "%s/%s", bundle, k->folder) == WPG_OK ? opendir(folder) : NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const kind *found;
        if (compose(key, sizeof key, NULL, "%s%s%s", k->folder, *k->folder ? "/" : "", entry->d_name) ==
                WPG_OK &&
            is_place(&found, key, k->name) && found == k &&
            compose(path, sizeof path, NULL, "%s/%s", bundle, key) == WPG_OK)
            (void)unlink(path);
    }
    if (directory)
        (void)closedir(directory);
}

void wpg_bundle_remove(const char *path)
{
    char part[PATH_SIZE];
    for (size_t i = 0; i < KINDS; i++)
        remove_kind(path, &kinds[i]);
    static const char *const parts[] = {"pipelines", "shaders", "verdicts"};
    static const char *const files[] = {WPG_BUNDLE_COMPARE, WPG_BUNDLE_INDEX};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (compose(part, sizeof part, NULL, "%s/%s", path, files[i]) == WPG_OK)
            (void)unlink(part);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (compose(part, sizeof part, NULL, "%s/%s", path, parts[i]) == WPG_OK)
            (void)rmdir(part);
    (void)rmdir(path);
}

/* The name of something in the folder that no bundle has; false if there is none. */
static bool has_foreign(char *name, size_t size, const char *path)
{
    bool foreign = false;
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && !foreign && (entry = readdir(directory));) {
        static const char *const ours[] = {".",         "..",      WPG_BUNDLE_INDEX, WPG_BUNDLE_COMPARE,
                                           "pipelines", "shaders", "verdicts"};
        const kind *found;
        foreign = !is_place(&found, entry->d_name, "profile");
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            foreign &= strcmp(entry->d_name, ours[i]) != 0;
        if (foreign)
            (void)snprintf(name, size, "%s", entry->d_name);
    }
    if (directory)
        (void)closedir(directory);
    return foreign;
}

wpg_status wpg_bundle_replace(const char *path, const char *made, wpg_error *err)
{
    struct stat info;
    if (lstat(path, &info) != 0 || (S_ISDIR(info.st_mode) && rmdir(path) == 0))
        return rename(made, path) == 0
                   ? WPG_OK
                   : wpg_fail(err, WPG_E_IO, "cannot rename to %s: %s", path, strerror(errno));
    if (!wpg_is_bundle(path))
        return wpg_fail(err, WPG_E_ARGUMENT, "%s is there and is no bundle", path);
    char name[NAME_MAX + 1];
    if (has_foreign(name, sizeof name, path))
        return wpg_fail(err, WPG_E_ARGUMENT, "%s holds %.100s, which is no part of a bundle", path, name);
    if (renameat2(AT_FDCWD, made, AT_FDCWD, path, RENAME_EXCHANGE) != 0)
        return wpg_fail(err, WPG_E_IO, "cannot replace %s: %s", path, strerror(errno));
    wpg_bundle_remove(made);
    if (stat(made, &info) == 0)
        return wpg_fail(err, WPG_E_IO, "%s is replaced; files in it that are not a bundle's are in %s now",
                        path, made);
    return WPG_OK;
}

void wpg_bundle_trips_key(char key[WPG_FACTS_WORD], uint32_t function, uint32_t block, uint64_t checksum)
{
    (void)snprintf(key, WPG_FACTS_WORD, "trips.fn%" PRIu32 ".block%" PRIu32 ".%015" PRIx64, function, block,
                   checksum);
}
