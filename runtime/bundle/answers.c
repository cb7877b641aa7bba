/* <folder>/answers/<XXH3-64 of the program's name>: records, little-endian. The last record of a key holds.
 *
 *     key low, high | answer low, high | XXH3-64 of "WPGANSW1" and the 32 bytes before
 *
 * The next flush replaces a file that has a damaged record: an appended record has to begin at a multiple of
 * the record's size. */
#include "runtime/bundle/answers.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/bytes.h"
#include "runtime/base/descriptor.h"
#include "runtime/base/file.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"

enum { BODY = 32, RECORD = BODY + 8, LARGEST = 8 * WPG_ANSWERS_MOST * RECORD };
static const char magic[8] = {'W', 'P', 'G', 'A', 'N', 'S', 'W', '1'};

typedef struct record {
    wpg_hash128 key, answer;
} record;

struct wpg_answers {
    pthread_mutex_t lock;
    wpg_map by_key; /* low half of the key -> index into records, of its last record */
    WPG_VEC(record) records;
    size_t written; /* records that the file has */
    bool anew;      /* the file is to be replaced */
    char path[4096];
};

static uint64_t check_of(const uint8_t body[BODY])
{
    uint8_t all[sizeof magic + BODY];
    memcpy(all, magic, sizeof magic);
    memcpy(all + sizeof magic, body, BODY);
    return wpg_hash64_bytes(all, sizeof all);
}

/* -- Reading */

static bool read_record(record *found, const uint8_t bytes[RECORD])
{
    wpg_reader r = wpg_reader_over(bytes, RECORD);
    found->key.low = wpg_read_u64(&r);
    found->key.high = wpg_read_u64(&r);
    found->answer.low = wpg_read_u64(&r);
    found->answer.high = wpg_read_u64(&r);
    return wpg_read_u64(&r) == check_of(bytes);
}

static bool add(wpg_answers *answers, record one)
{
    if (answers->records.count >= WPG_ANSWERS_MOST || !wpg_vec_reserve(&answers->records, 1) ||
        !wpg_map_set(&answers->by_key, one.key.low, answers->records.count))
        return false;
    return wpg_vec_push(&answers->records, one);
}

static void read_all(wpg_answers *answers)
{
    uint8_t *data;
    size_t size;
    wpg_error err;
    wpg_status status = wpg_file_read(&data, &size, answers->path, LARGEST, &err);
    answers->anew = status != WPG_OK && status != WPG_E_NOT_FOUND;
    if (status != WPG_OK)
        return;
    const size_t count = size / RECORD;
    const size_t first = count > WPG_ANSWERS_MOST / 2 ? count - WPG_ANSWERS_MOST / 2 : 0;
    answers->anew = size % RECORD != 0 || count > WPG_ANSWERS_MOST;
    for (size_t i = answers->anew ? first : 0; i < count; i++) {
        record one;
        if (!read_record(&one, data + i * RECORD))
            answers->anew = true;
        else if (!add(answers, one))
            break;
    }
    free(data);
}

wpg_answers *wpg_answers_open(const wpg_cache *cache, const char *program)
{
    wpg_answers *answers = calloc(1, sizeof *answers);
    if (!answers)
        return NULL;
    (void)pthread_mutex_init(&answers->lock, NULL);
    const int length = snprintf(answers->path, sizeof answers->path, "%s/" WPG_ANSWERS_FOLDER "/%016" PRIx64,
                                cache->folder, wpg_hash64_bytes(program, strlen(program)));
    if (!cache->folder[0] || length < 0 || (size_t)length >= sizeof answers->path)
        answers->path[0] = '\0';
    else
        read_all(answers);
    answers->written = answers->anew ? 0 : answers->records.count;
    return answers;
}

void wpg_answers_close(wpg_answers *answers)
{
    if (!answers)
        return;
    wpg_map_free(&answers->by_key);
    wpg_vec_free(&answers->records);
    (void)pthread_mutex_destroy(&answers->lock);
    free(answers);
}

/* -- Asking */

/* Under the lock. */
static bool find(wpg_hash128 *answer, const wpg_answers *answers, wpg_hash128 key)
{
    uint64_t index;
    if (!wpg_map_get(&answers->by_key, key.low, &index) ||
        !wpg_hash_equal(answers->records.data[index].key, key))
        return false;
    *answer = answers->records.data[index].answer;
    return true;
}

bool wpg_answers_find(wpg_hash128 *answer, wpg_answers *answers, wpg_hash128 key)
{
    (void)pthread_mutex_lock(&answers->lock);
    const bool found = find(answer, answers, key);
    (void)pthread_mutex_unlock(&answers->lock);
    return found;
}

size_t wpg_answers_note(wpg_answers *answers, wpg_hash128 key, wpg_hash128 answer)
{
    wpg_hash128 before;
    (void)pthread_mutex_lock(&answers->lock);
    if (!find(&before, answers, key) || !wpg_hash_equal(before, answer))
        (void)add(answers, (record){key, answer});
    const size_t waiting = answers->records.count - answers->written;
    (void)pthread_mutex_unlock(&answers->lock);
    return waiting;
}

/* -- Writing */

static void write_record(wpg_writer *w, const record *one)
{
    const size_t at = w->size;
    wpg_write_u64(w, one->key.low);
    wpg_write_u64(w, one->key.high);
    wpg_write_u64(w, one->answer.low);
    wpg_write_u64(w, one->answer.high);
    if (!w->out_of_memory)
        wpg_write_u64(w, check_of(w->data + at));
}

/* Encodes the records that the file lacks. No other thread will write these. Returns true if the file is to
 * be replaced. */
static bool take(wpg_writer *w, wpg_answers *answers)
{
    (void)pthread_mutex_lock(&answers->lock);
    const bool anew = answers->anew;
    for (size_t i = answers->written; i < answers->records.count; i++)
        write_record(w, &answers->records.data[i]);
    answers->written = answers->records.count;
    answers->anew = false;
    (void)pthread_mutex_unlock(&answers->lock);
    return anew;
}

static wpg_status append(const char *path, const wpg_writer *w, wpg_error *err)
{
    char folder[4096];
    int fd;
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    WPG_TRY(wpg_make_folders(folder, err));
    WPG_TRY(wpg_open_append(&fd, path, err));
    const bool written = wpg_write_all(fd, w->data, w->size);
    const int why = errno;
    (void)close(fd);
    return written ? WPG_OK : wpg_fail(err, WPG_E_IO, "cannot write %s: %s", path, strerror(why));
}

wpg_status wpg_answers_flush(wpg_answers *answers, wpg_error *err)
{
    wpg_writer w = {0};
    wpg_status status = WPG_OK;
    if (!answers->path[0])
        return WPG_OK;
    const bool anew = take(&w, answers);
    if (w.out_of_memory)
        status = wpg_fail(err, WPG_E_NOMEM, "out of memory for answers");
    else if (anew)
        status = wpg_file_replace(answers->path, w.data, w.size, err);
    else if (w.size)
        status = append(answers->path, &w, err);
    wpg_writer_finish(&w);
    return status;
}
