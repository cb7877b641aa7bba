/* Files appear whole or not at all: a write that fails half way leaves the old file and no temporary. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/descriptor.h"
#include "runtime/base/file.h"
#include "runtime/base/file_batch.h"
#include "runtime/base/log.h"
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
    assert_int_equal(wpg_file_replace(path, "again", 5, NULL), WPG_OK);
    expect_content(path, "again");
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

/* A limit of size ends no program: SIGXFSZ, whose default does, does not reach it. Nor does SIGPIPE. */
static void no_signal_reaches_the_program(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20, LIMIT = 4096 };
    const char *path = in_folder("limited.bin"), *log = in_folder("limited.log");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit small = {LIMIT, LIMIT};
        int ends[2];
        char *big = calloc(1, SIZE);
        wpg_error err = {0};
        (void)signal(SIGXFSZ, SIG_DFL);
        (void)signal(SIGPIPE, SIG_DFL);
        if (!big || setrlimit(RLIMIT_FSIZE, &small) != 0 || pipe(ends) != 0)
            _exit(1);
        if (wpg_file_write_atomic(path, big, SIZE, &err) != WPG_E_IO || !strstr(err.message, "too large"))
            _exit(2);
        wpg_log_open(WPG_LOG_WARN, log);
        for (int i = 0; i < LIMIT; i++)
            wpg_log_warn("a line");
        wpg_log_close();
        (void)close(ends[0]);
        if (wpg_write_quietly(ends[1], "x", 1) != -1)
            _exit(3);
        (void)raise(SIGXFSZ); /* still the program's own */
        _exit(4);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGXFSZ);
    struct stat info;
    assert_int_equal(stat(log, &info), 0);
    assert_int_equal(info.st_size, LIMIT);
    assert_int_equal(access(path, F_OK), -1);
}

/* Nobody writes into this pipe and nobody reads it: whoever waits for that waits for ever. */
static void pipes_are_not_waited_for(void **state)
{
    (void)state;
    uint8_t *data;
    size_t size;
    int fd;
    wpg_error err = {0};
    const char *path = in_folder("nobody");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(wpg_file_read(&data, &size, path, 100, &err), WPG_E_IO);
    assert_non_null(strstr(err.message, "not a regular file"));
    assert_int_equal(wpg_file_write_atomic(path, "x", 1, &err), WPG_E_IO);
    assert_non_null(strstr(err.message, "no process reads"));
    assert_int_equal(wpg_open_append(&fd, path, &err), WPG_E_IO);
    assert_non_null(strstr(err.message, "no process reads"));
}

/* The user's umask decides who may read a file, as for any other program's. */
static void files_follow_the_umask(void **state)
{
    (void)state;
    static const mode_t masks[] = {077, 002};
    for (size_t i = 0; i < 2; i++) {
        char name[16];
        struct stat info;
        wpg_file_batch batch;
        wpg_file_batch_init(&batch, NULL);
        mode_t before = umask(masks[i]);
        for (char letter = 'a'; letter <= 'b'; letter++) {
            (void)snprintf(name, sizeof name, "mode%zu%c", i, letter);
            assert_int_equal(wpg_file_batch_put(&batch, in_folder(name), "x", 1, NULL, NULL), WPG_OK);
        }
        wpg_file_batch_commit(&batch);
        (void)umask(before);
        for (char letter = 'a'; letter <= 'b'; letter++) {
            (void)snprintf(name, sizeof name, "mode%zu%c", i, letter);
            assert_int_equal(stat(in_folder(name), &info), 0);
            assert_int_equal(info.st_mode & 0777, 0666 & ~masks[i]);
        }
    }
}

/* A link that another user made (in /tmp, say) does not lead a log to one of this user's files. */
static void links_of_others_are_not_followed(void **state)
{
    (void)state;
    int fd = -1;
    wpg_error err = {0};
    char link[256], chain[256];
    (void)snprintf(link, sizeof link, "%s/own.log", folder);
    (void)snprintf(chain, sizeof chain, "%s/chain.log", folder);
    assert_int_equal(symlink("target.log", link), 0);
    assert_int_equal(symlink(link, chain), 0);
    if (wpg_open_append(&fd, chain, &err) != WPG_OK)
        fail_msg("%s", err.message);
    assert_true(wpg_write_all(fd, "one", 3));
    (void)close(fd);
    expect_content(in_folder("target.log"), "one");
    if (geteuid() != 0)
        return; /* only root can make a link of somebody else */
    assert_int_equal(lchown(link, 12345, 12345), 0);
    assert_int_equal(wpg_open_append(&fd, chain, &err), WPG_E_IO);
    assert_non_null(strstr(err.message, "link of another user"));
    expect_content(in_folder("target.log"), "one");
}

/* `merge - <file`, and what the shell makes of <(command). */
static void given_descriptors_are_read(void **state)
{
    (void)state;
    int ends[2];
    uint8_t *data;
    size_t size;
    char path[32], big[3 * 4096];
    wpg_error err = {0};
    memset(big, 'x', sizeof big);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], big, sizeof big), sizeof big);
    (void)close(ends[1]);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    if (wpg_file_read_given(&data, &size, path, sizeof big, &err) != WPG_OK)
        fail_msg("%s", err.message);
    assert_int_equal(size, sizeof big);
    assert_memory_equal(data, big, sizeof big);
    assert_int_equal(data[size], 0);
    free(data);
    (void)close(ends[0]);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], big, 101), 101);
    assert_int_equal(wpg_file_read_given(&data, &size, path, 100, &err), WPG_E_LIMIT);
    (void)close(ends[0]);
    (void)close(ends[1]);
    assert_int_equal(wpg_file_read_given(&data, &size, path, 100, &err), WPG_E_NOT_FOUND);
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

/* A file that begins with what another holds, wherever that one's offset stands; a cut one is none. */
static void begins_with_another(void **state)
{
    (void)state;
    enum { SIZE = 600 * 1000 }; /* more than one piece is copied */
    wpg_file_batch batch;
    wpg_error err = {0};
    char *text = malloc(SIZE + 4);
    assert_non_null(text);
    for (int i = 0; i < SIZE; i++)
        text[i] = (char)('a' + i % 23);
    assert_int_equal(wpg_file_write_atomic(in_folder("first"), text, SIZE, NULL), WPG_OK);
    const int from = open(in_folder("first"), O_RDONLY | O_CLOEXEC);
    assert_true(from >= 0 && lseek(from, 100, SEEK_SET) == 100);
    wpg_file_batch_init(&batch, NULL);
    assert_int_equal(
        wpg_file_batch_put_behind(&batch, in_folder("both"), from, SIZE - 1, "end", 3, NULL, NULL), WPG_OK);
    wpg_file_batch_commit(&batch);
    memcpy(text + SIZE - 1, "end", 4);
    expect_content(in_folder("both"), text);
    assert_int_equal(
        wpg_file_batch_put_behind(&batch, in_folder("cut"), from, SIZE + 1, "end", 3, NULL, &err), WPG_E_IO);
    wpg_file_batch_commit(&batch);
    assert_int_equal(access(in_folder("cut"), F_OK), -1);
    (void)close(from);
    free(text);
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
        cmocka_unit_test(written_and_replaced),
        cmocka_unit_test(full_disk_leaves_the_old_file),
        cmocka_unit_test(special_files_stay),
        cmocka_unit_test(unwritable_places_fail),
        cmocka_unit_test(reads_are_checked),
        cmocka_unit_test(batches_appear_whole),
        cmocka_unit_test(begins_with_another),
        cmocka_unit_test(leftovers_are_swept),
        cmocka_unit_test(no_signal_reaches_the_program),
        cmocka_unit_test(pipes_are_not_waited_for),
        cmocka_unit_test(files_follow_the_umask),
        cmocka_unit_test(links_of_others_are_not_followed),
        cmocka_unit_test(given_descriptors_are_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
