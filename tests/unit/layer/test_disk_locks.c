/* No lock of the layer is held while the disk is waited for: what the program's threads take to make a
 * pipeline stays free. The test counts the locks that a thread holds, and looks whenever that thread opens,
 * syncs or renames a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "layer/bundle_files.h"
#include "layer/state.h"
#include "runtime/bundle/bundle.h"

/* A sanitizer has these calls for itself: there this test rests. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAN_WATCH 0
#else
#define CAN_WATCH 1
#endif

static unsigned touched, held_then; /* the disk: how often, and how often with a lock held */

#if CAN_WATCH
static _Thread_local unsigned held;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    held++;
    return REAL(pthread_mutex_lock)(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    held--;
    return REAL(pthread_mutex_unlock)(mutex);
}

static void touch(void)
{
    touched++;
    held_then += held > 0;
}

/* Files are not to survive a power cut here. */
int fsync(int file)
{
    (void)file;
    touch();
    return 0;
}

int syncfs(int file)
{
    (void)file;
    touch();
    return 0;
}

int rename(const char *from, const char *to)
{
    touch();
    return REAL(rename)(from, to);
}

int mkostemp(char *name, int flags)
{
    touch();
    return REAL(mkostemp)(name, flags);
}
#endif

static char folder[] = "/tmp/wpg-locks-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[64];
    (void)state;
    wpg_bundle_files_finish();
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void extremes(void **state)
{
    (void)state;
    if (!CAN_WATCH)
        skip();
    const wpg_hash128 shaders[2] = {{1, 2}, {3, 4}};
    wpg_the_process.mode = WPG_MODE_GENERATE;
    wpg_the_process.settings.bundle = folder;
    assert_true(wpg_bundle_on());
    for (int i = 0; i < 2; i++)
        wpg_bundle_extreme(shaders[i], "trips", 3 - i, 7 + i);
    wpg_bundle_extreme(shaders[0], "trips", 1, 2);
    touched = held_then = 0;
    wpg_bundle_write();
    assert_true(touched > 0);
    assert_int_equal(held_then, 0);
    for (int i = 0; i < 2; i++) {
        char path[4096], hex[WPG_HASH_HEX + 1];
        wpg_facts *facts;
        wpg_error err;
        wpg_hash_to_hex(hex, shaders[i]);
        assert_int_equal(wpg_bundle_facts_path(path, sizeof path, folder, "extremes", hex, "", &err), WPG_OK);
        assert_int_equal(wpg_facts_read_file(&facts, path, &err), WPG_OK);
        const wpg_fact *fact = wpg_facts_find(facts, "trips");
        assert_non_null(fact);
        assert_int_equal(fact->low, i ? 2 : 1);
        assert_int_equal(fact->high, i ? 8 : 7);
        wpg_facts_destroy(facts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(extremes)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
