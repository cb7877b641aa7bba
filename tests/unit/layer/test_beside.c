/* Names of files beside a file, where containers number their processes anew: another process may have
 * claimed the name that this one's number gives, and a file of this number may be an earlier process's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "layer/base/disk_cache.h"
#include "layer/base/state.h"
#include "layer/files/beside.h"
#include "layer/files/file_locks.h"

enum { PATH = 512 };
static char folder[] = "/tmp/wavepgo-test-beside-XXXXXX";

static void in_folder(char path[PATH], const char *format, long number)
{
    char name[128];
    (void)snprintf(name, sizeof name, format, number);
    (void)snprintf(path, PATH, "%s/%s", folder, name);
}

static void make(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

/* A process that holds `path` until its input ends, as one of another container with our number would. */
static pid_t holder(int *end, const char *path)
{
    int ready[2], stop[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(stop), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)close(stop[1]);
        byte = wpg_file_lock(path);
        if (write(ready[1], &byte, 1) == 1)
            (void)!read(stop[0], &byte, 1);
        _exit(0);
    }
    (void)close(stop[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_true(byte);
    *end = stop[1];
    return child;
}

static void claims(void **state)
{
    char path[PATH], mine[PATH], other[PATH], earlier[PATH];
    int end;
    (void)state;
    /* Its own file it does not take for left (below): the folder is read once, by the first call. */
    in_folder(path, "c.profraw", 0);
    wpg_beside_claim(path, sizeof path);
    in_folder(mine, "c.%ld.profraw", (long)getpid());
    assert_string_equal(path, mine);
    make(mine);
    /* What an earlier process of this number left is nobody's, and goes. */
    in_folder(path, "a.profraw", 0);
    in_folder(earlier, "a.%ld.profraw", (long)getpid());
    make(path);
    make(earlier);
    assert_int_equal(wpg_beside_remove(path), 1);
    assert_int_not_equal(access(earlier, F_OK), 0);
    /* The name is another's: a number that no process has. */
    in_folder(other, "b.%ld.profraw", (long)getpid());
    pid_t child = holder(&end, other);
    in_folder(path, "b.profraw", 0);
    wpg_beside_claim(path, sizeof path);
    in_folder(other, "b.%ld.profraw", (long)getpid() + (1 << 22));
    assert_string_equal(path, other);
    (void)close(end);
    assert_int_equal(waitpid(child, NULL, 0), child);
    in_folder(path, "c.profraw", 0);
    assert_int_equal(wpg_beside_remove(path), 0);
    assert_int_equal(access(mine, F_OK), 0);
    assert_int_equal(unlink(mine), 0);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)setenv("XDG_CACHE_HOME", folder, 1);
    wpg_disk_cache_setup();
    return 0;
}

static int take_down(void **state)
{
    char command[64];
    (void)state;
    wpg_beside_finish();
    wpg_file_locks_finish();
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(claims)};
    return cmocka_run_group_tests(tests, set_up, take_down);
}
