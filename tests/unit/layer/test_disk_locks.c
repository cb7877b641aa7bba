/* No lock of the layer is held while the disk is waited for: what the program's threads take to make a
 * pipeline stays free. The test counts the locks that a thread holds, and looks whenever that thread opens,
 * syncs or renames a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "layer/profile/bundle_files.h"
#include "layer/profile/stale.h"
#include "layer/base/state.h"
#include "layer/profile/writer.h"
#include "runtime/base/file.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/shader_info.h"

/* A sanitizer has these calls for itself: there locks are not watched. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAN_WATCH 0
#else
#define CAN_WATCH 1
#endif

static sem_t shader_there; /* a file of a shader's words got its name */
static _Thread_local unsigned touched_here;
static atomic_uint touched, held_then; /* the disk: how often, and how often with a lock held */

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
    touched_here++;
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
    int result = REAL(rename)(from, to);
    size_t length = strlen(to);
    if (length > 4 && strcmp(to + length - 4, ".spv") == 0)
        (void)sem_post(&shader_there);
    return result;
}

int mkostemp(char *name, int flags)
{
    touch();
    return REAL(mkostemp)(name, flags);
}
#endif

static atomic_uint shaders_read; /* files of shaders that were opened */

#if CAN_WATCH
static int open_at(const char *path, int flags, mode_t mode)
{
    size_t length = strlen(path);
    touch();
    shaders_read += length > 4 && strcmp(path + length - 4, ".spv") == 0;
    return openat(AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_at(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_at(path, flags, mode);
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
    wpg_the_process.settings.bundle_pipelines = 3;
    assert_true(wpg_bundle_on());
    uint32_t word = 0;
    for (int i = 0; i < 2; i++) { /* the bundle keeps extremes of shaders that are its own */
        wpg_rewrite stage = {.words = &word,
                             .word_count = 1,
                             .entry = "main",
                             .stage = {.model = SpvExecutionModelGLCompute, .entry = "main"},
                             .hash = shaders[i]};
        wpg_bundle_pipeline(&(wpg_bundle_subject){.part = true, .count = 1, .stages = &stage});
    }
    wpg_bundle_extreme((wpg_hash128){5, 6}, "trips", 1, 2);
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
    char path[4096], hex[WPG_HASH_HEX + 1];
    wpg_error err;
    wpg_hash_to_hex(hex, (wpg_hash128){5, 6});
    assert_int_equal(wpg_bundle_facts_path(path, sizeof path, folder, "extremes", hex, "", &err), WPG_OK);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* -- Many shaders */

/* More words than wait for the next flush: the writer's thread writes them, and who makes pipelines does not.
 */
static void many_shaders(void **state)
{
    (void)state;
    if (!CAN_WATCH)
        skip();
    const size_t count = ((size_t)64 << 20) / sizeof(uint32_t) + 1;
    uint32_t *big = calloc(count, sizeof *big);
    assert_non_null(big);
    wpg_rewrite stage = {.words = big,
                         .word_count = count,
                         .entry = "main",
                         .stage = {.model = SpvExecutionModelGLCompute, .entry = "main"},
                         .hash = {70, 70}};
    const wpg_bundle_subject subject = {.part = true, .count = 1, .stages = &stage};
    char path[4096];
    wpg_error err;
    wpg_the_process.pid = getpid();
    wpg_the_process.mode = WPG_MODE_GENERATE;
    wpg_the_process.settings.bundle = folder;
    wpg_the_process.settings.flush_interval = 1e6;
    wpg_the_process.settings.bundle_pipelines = 3;
    assert_int_equal(wpg_bundle_shader_path(path, sizeof path, folder, stage.hash, ".spv", &err), WPG_OK);
    assert_int_equal(sem_init(&shader_there, 0, 0), 0);
    wpg_writer_start();
    held_then = touched_here = 0;
    wpg_bundle_pipeline(&subject);
    assert_int_equal(touched_here, 0);
    while (sem_wait(&shader_there) != 0)
        continue;
    assert_int_equal(access(path, F_OK), 0);
    wpg_writer_stop();
    free(big);
}

/* -- Stale profiles */

/* void main() {}, for compute, in one block */
static const uint32_t words[] = {
    0x07230203, 0x00010000, 0,          6, 0,  0x00020011, 1, 0x0003000e, 0,          1, 0x0005000f, 5, 1,
    0x6e69616d, 0,          0x00060010, 1, 17, 1,          1, 1,          0x00020013, 2, 0x00030021, 3, 2,
    0x00050036, 2,          1,          0, 3,  0x000200f8, 4, 0x000100fd, 0x00010038};
static const uint64_t lanes[1] = {64};
enum { CANDIDATES = 3, SEARCHERS = 4 };

static void put_shader(wpg_hash128 shader)
{
    char path[4096];
    wpg_facts *facts;
    wpg_error err;
    wpg_shader_info info = {.shader = shader, .stage = "comp", .entry = (char[]){"main"}};
    assert_int_equal(wpg_bundle_shader_path(path, sizeof path, folder, shader, ".spv", &err), WPG_OK);
    assert_int_equal(wpg_file_write_atomic(path, words, sizeof words, &err), WPG_OK);
    assert_int_equal(wpg_shader_info_encode(&facts, &info, &err), WPG_OK);
    assert_int_equal(wpg_bundle_shader_path(path, sizeof path, folder, shader, ".info", &err), WPG_OK);
    assert_int_equal(wpg_facts_write_file(path, facts, &err), WPG_OK);
    wpg_facts_destroy(facts);
}

static void *search(void *argument)
{
    wpg_weights weights;
    wpg_rewrite *stage = argument;
    (void)wpg_stale_find(&weights, stage, true);
    return NULL;
}

/* Threads look for two shaders, that the profile does not know, among three that it knows. Each of those is
 * read once, with no lock held, and all threads are told the same of the same shader. */
static void stale(void **state)
{
    (void)state;
    wpg_shader_counts counts[CANDIDATES];
    wpg_shader_view view = {.shaders = counts, .shader_count = CANDIDATES};
    wpg_rewrite stages[SEARCHERS];
    pthread_t threads[SEARCHERS];
    for (uint64_t i = 0; i < CANDIDATES; i++) {
        counts[i] = (wpg_shader_counts){
            .shader = {i, i}, .stage = "comp", .entry = "main", .block_count = 1, .lanes = lanes};
        put_shader(counts[i].shader);
    }
    wpg_stale_open(folder, &view);
    touched = held_then = shaders_read = 0;
    for (uint64_t i = 0; i < SEARCHERS; i++) {
        stages[i] = (wpg_rewrite){.words = words,
                                  .word_count = sizeof words / sizeof *words,
                                  .entry = "main",
                                  .stage = {.model = SpvExecutionModelGLCompute, .entry = "main"},
                                  .hash = {7 + i % 2, 7},
                                  .matched = -1};
        assert_int_equal(pthread_create(&threads[i], NULL, search, &stages[i]), 0);
    }
    for (int i = 0; i < SEARCHERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(shaders_read, CAN_WATCH ? CANDIDATES : 0);
    assert_int_equal(held_then, 0);
    for (int i = 0; i < SEARCHERS; i++) {
        assert_true(stages[i].matched >= 0);
        assert_true(stages[i].matched == stages[i % 2].matched);
        assert_true(wpg_hash_equal(stages[i].like, stages[i % 2].like));
    }
    wpg_stale_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(extremes), cmocka_unit_test(many_shaders),
                                       cmocka_unit_test(stale)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
