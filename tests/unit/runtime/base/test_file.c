/* Files appear whole or not at all: a write that fails half way leaves the old file and no temporary. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/file_batch.h"
#include "tests/unit/runtime/base/base_test.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/wavepgo-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *in_folder(const char *name)
{
    static char paths[2][256];
    static unsigned turn;
    char *path = paths[turn++ % 2];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static unsigned files_in(const char *path)
{
    DIR *dir = opendir(path);
    assert_non_null(dir);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    (void)closedir(dir);
    return count;
}

static void expect_content(const char *path, const char *text)
{
    uint8_t *data;
    size_t size;
    wpg_error err = {0};
    if (wpg_file_read(&data, &size, path, 1 << 20, &err) != WPG_OK)
        fail_msg("%s", err.message);
    assert_int_equal(size, strlen(text));
    assert_string_equal((char *)data, text); /* a zero byte follows */
    free(data);
}

static void written_and_replaced(void **state)
{
    (void)state;
    const char *path = in_folder("a/b/c.txt");
    assert_int_equal(wpg_file_write_atomic(path, "one", 3, NULL), WPG_OK);
    expect_content(path, "one");
    assert_int_equal(wpg_file_write_atomic(path, "longer", 6, NULL), WPG_OK);
    expect_content(path, "longer");
    assert_int_equal(wpg_file_write_atomic(path, "", 0, NULL), WPG_OK);
    expect_content(path, "");
    assert_int_equal(files_in(in_folder("a/b")), 1);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0644);
}

/* Files cannot grow past a limit, as on a full disk: write fails with part of the bytes out. */
static void full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    const char *path = in_folder("full.bin");
    enum { SIZE = 1 << 20 };
    char *big = malloc(SIZE);
    memset(big, 'b', SIZE);
    assert_int_equal(wpg_file_write_atomic(path, "old", 3, NULL), WPG_OK);
    unsigned before = files_in(folder);
    struct rlimit saved, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &saved), 0);
    small = saved;
    small.rlim_cur = 64 * 1024;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    wpg_error err = {0}, fresh = {0};
    wpg_status status = wpg_file_write_atomic(path, big, SIZE, &err);
    wpg_status new_file = wpg_file_write_atomic(in_folder("new.bin"), big, SIZE, &fresh);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
    (void)signal(SIGXFSZ, handler);
    assert_int_equal(status, WPG_E_IO);
    assert_non_null(strstr(err.message, "full.bin"));
    assert_int_equal(new_file, WPG_E_IO);
    expect_content(in_folder("full.bin"), "old");
    assert_int_equal(access(in_folder("new.bin"), F_OK), -1);
    assert_int_equal(files_in(folder), before); /* no temporary is left */
    assert_int_equal(wpg_file_write_atomic(in_folder("full.bin"), big, SIZE, NULL),
                     WPG_OK); /* and now it goes */
    free(big);
}

/* Renaming would put a file in its place, for all of the machine: `-o /dev/null` by root. A pipe stands for
 * it. */
static void special_files_stay(void **state)
{
    (void)state;
    char read_back[8] = "";
    struct stat info;
    wpg_error err = {0};
    wpg_file_batch batch;
    const char *path = in_folder("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    assert_int_equal(wpg_file_write_atomic(path, "through", 7, NULL), WPG_OK);
    assert_int_equal(read(reader, read_back, sizeof read_back), 7);
    assert_string_equal(read_back, "through");
    wpg_file_batch_init(&batch, NULL);
    assert_int_equal(wpg_file_batch_put(&batch, path, "x", 1, NULL, &err), WPG_E_IO);
    assert_non_null(strstr(err.message, "no regular file"));
    wpg_file_batch_commit(&batch);
    assert_int_equal(stat(path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    (void)close(reader);
}

static void unwritable_places_fail(void **state)
{
    (void)state;
    wpg_error err = {0};
    assert_int_equal(wpg_file_write_atomic(in_folder("plain"), "x", 1, NULL), WPG_OK);
    /* a file where a folder should be, a folder where the file should be */
    assert_int_equal(wpg_file_write_atomic(in_folder("plain/below"), "x", 1, &err), WPG_E_IO);
    assert_non_null(strstr(err.message, "plain"));
    assert_int_equal(wpg_make_folders(in_folder("plain"), NULL), WPG_E_IO);
    assert_int_equal(wpg_make_folders(in_folder("is/a/folder"), NULL), WPG_OK);
    assert_int_equal(wpg_make_folders(in_folder("is/a/folder"), NULL), WPG_OK);
    unsigned before = files_in(in_folder("is/a"));
    assert_int_equal(wpg_file_write_atomic(in_folder("is/a/folder"), "x", 1, NULL), WPG_E_IO);
    assert_int_equal(files_in(in_folder("is/a")), before);
    assert_int_equal(wpg_file_write_atomic(in_folder("is/a/folder"), "x", 1, &err), WPG_E_IO);
    assert_non_null(strstr(err.message, "is/a/folder: it is a folder"));
    /* a file system that takes no files, whoever asks (permissions do not stop root) */
    assert_int_not_equal(wpg_file_write_atomic("/proc/wavepgo-test", "x", 1, &err), WPG_OK);
    if (geteuid() != 0) {
        const char *locked = in_folder("locked");
        assert_int_equal(mkdir(locked, 0555), 0);
        assert_int_equal(wpg_file_write_atomic(in_folder("locked/x"), "x", 1, &err), WPG_E_IO);
    }
}

static void reads_are_checked(void **state)
{
    (void)state;
    uint8_t *data = NULL;
    size_t size;
    wpg_error err = {0};
    assert_int_equal(wpg_file_read(&data, &size, in_folder("absent"), 10, &err), WPG_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "absent"));
    assert_int_equal(wpg_file_read(&data, &size, folder, 10, &err), WPG_E_IO);
    assert_int_equal(wpg_file_read(&data, &size, "/dev/zero", 10, &err), WPG_E_IO);
    assert_int_equal(wpg_file_write_atomic(in_folder("eleven"), "12345678901", 11, NULL), WPG_OK);
    assert_int_equal(wpg_file_read(&data, &size, in_folder("eleven"), 10, &err), WPG_E_LIMIT);
    assert_null(data);
    assert_int_equal(wpg_file_read(&data, &size, in_folder("eleven"), 11, &err), WPG_OK);
    assert_int_equal(size, 11);
    free(data);
}

static unsigned ended, ended_badly;

static void count_done(void *who, const wpg_error *err)
{
    ended++;
    ended_badly += err != NULL;
    if (who)
        *(bool *)who = err == NULL;
}

/* More than one commit's worth, in two folders. Nothing is there under its name before its commit. */
static void batches_appear_whole(void **state)
{
    (void)state;
    enum { FILES = 300 };
    wpg_file_batch batch;
    wpg_file_batch_init(&batch, count_done);
    ended = ended_badly = 0;
    for (unsigned i = 0; i < FILES; i++) {
        char name[64], text[16];
        (void)snprintf(name, sizeof name, "batch/%s/%u.bin", i < FILES / 2 ? "a" : "b", i);
        (void)snprintf(text, sizeof text, "%u", i);
        assert_int_equal(wpg_file_batch_put(&batch, in_folder(name), text, strlen(text), NULL, NULL), WPG_OK);
        assert_int_equal(access(in_folder(name), F_OK), -1);
    }
    assert_in_range(ended, FILES / 2, FILES - 1);
    wpg_file_batch_commit(&batch);
    wpg_file_batch_commit(&batch); /* of nothing */
    assert_int_equal(ended, FILES);
    assert_int_equal(ended_badly, 0);
    assert_int_equal(files_in(in_folder("batch/a")), FILES / 2);
    assert_int_equal(files_in(in_folder("batch/b")), FILES - FILES / 2);
    expect_content(in_folder("batch/a/17.bin"), "17");
    expect_content(in_folder("batch/b/299.bin"), "299");
    /* One of them cannot be: the others are. */
    bool good = false, bad = true;
    assert_int_equal(wpg_make_folders(in_folder("batch/c/folder"), NULL), WPG_OK);
    assert_int_equal(wpg_file_batch_put(&batch, in_folder("batch/c/one"), "1", 1, &good, NULL), WPG_OK);
    assert_int_equal(wpg_file_batch_put(&batch, in_folder("batch/c/folder"), "2", 1, &bad, NULL), WPG_OK);
    wpg_file_batch_commit(&batch);
    assert_true(good && !bad);
    assert_int_equal(files_in(in_folder("batch/c")), 2);
}

/* What a killed process left goes, what a living one writes stays. */
static void leftovers_are_swept(void **state)
{
    (void)state;
    const char *place = in_folder("sweep");
    char folder_of[128];
    (void)snprintf(folder_of, sizeof folder_of, "%s", place);
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        wpg_file_batch batch;
        wpg_file_batch_init(&batch, NULL);
        bool good = wpg_file_batch_put(&batch, in_folder("sweep/1.info"), "1", 1, NULL, NULL) == WPG_OK &&
                    wpg_file_batch_put(&batch, in_folder("sweep/2.profraw"), "2", 1, NULL, NULL) == WPG_OK &&
                    wpg_file_batch_put(&batch, in_folder("sweep/3.profraw"), "3", 1, NULL, NULL) == WPG_OK;
        _exit(write(ready[1], &good, 1) == 1 && pause() ? 1 : 0);
    }
    bool good = false;
    assert_int_equal(read(ready[0], &good, 1), 1);
    assert_true(good);
    assert_int_equal(files_in(folder_of), 3);
    assert_int_equal(wpg_file_sweep(folder_of, ".profraw"), 0);
    assert_int_equal(files_in(folder_of), 3);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    /* Names that are not ours. */
    static const char *const others[] = {"sweep/a.profraw",           "sweep/a.profraw.tmp.",
                                         "sweep/a.profraw.tmp.12345", "sweep/a.profraw.tmp.1234567",
                                         "sweep/a.other.tmp.123456",  "sweep/a.profraw.tmp.12_456"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(wpg_file_write_atomic(in_folder(others[i]), "x", 1, NULL), WPG_OK);
    assert_int_equal(symlink("a.profraw", in_folder("sweep/b.profraw.tmp.123456")), 0);
    /* Empty ones may be about to be locked, as long as they are young. */
    static const char *const empty[] = {"sweep/c.profraw.tmp.Young1", "sweep/c.profraw.tmp.older2"};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(wpg_file_write_atomic(in_folder(empty[i]), "", 0, NULL), WPG_OK);
    const struct timespec long_ago[2] = {{1000000000, 0}, {1000000000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, in_folder(empty[1]), long_ago, 0), 0);
    assert_int_equal(wpg_file_sweep(folder_of, ".profraw"), 2 + 1);
    assert_int_equal(access(in_folder(empty[0]), F_OK), 0);
    assert_int_equal(unlink(in_folder(empty[0])), 0);
    assert_int_equal(wpg_file_sweep(folder_of, ".info"), 1);
    assert_int_equal(wpg_file_sweep(folder_of, ".profraw"), 0);
    assert_int_equal(wpg_file_sweep(in_folder("sweep/absent"), ".profraw"), 0);
    assert_int_equal(files_in(folder_of), 1 + sizeof others / sizeof *others);
    (void)close(ready[0]);
    (void)close(ready[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_replaced), cmocka_unit_test(full_disk_leaves_the_old_file),
        cmocka_unit_test(special_files_stay),   cmocka_unit_test(unwritable_places_fail),
        cmocka_unit_test(reads_are_checked),    cmocka_unit_test(batches_appear_whole),
        cmocka_unit_test(leftovers_are_swept),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
