/* Files appear whole or not at all: a write that fails half way leaves the old file and no temporary. */
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/file.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_replaced),
        cmocka_unit_test(full_disk_leaves_the_old_file),
        cmocka_unit_test(unwritable_places_fail),
        cmocka_unit_test(reads_are_checked),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
