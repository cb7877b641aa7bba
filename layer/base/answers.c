/* See answers.h. */
#include "layer/base/answers.h"

#include <pthread.h>
#include <string.h>

#include "compiler/normalize/normalize.h"
#include "layer/base/build_id.h"
#include "layer/base/disk_cache.h"
#include "runtime/base/bytes.h"
#include "runtime/base/log.h"
#include "runtime/bundle/answers.h"
#include "runtime/config/pattern.h"

enum { MOST_WAITING = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static wpg_answers *answers; /* opened at the first question */

static wpg_answers *open_own(void)
{
    char program[256];
    wpg_executable_name(program, sizeof program);
    return wpg_answers_open(wpg_disk_cache(), program);
}

static wpg_answers *opened(void)
{
    (void)pthread_mutex_lock(&lock);
    if (!answers)
        answers = open_own();
    wpg_answers *all = answers;
    (void)pthread_mutex_unlock(&lock);
    return all;
}

bool wpg_answer_key(wpg_hash128 *key, const char *question, const wpg_rewrite *stage, const void *more,
                    size_t size)
{
    size_t build_size;
    const void *build = wpg_build_id(&build_size);
    wpg_writer w = {0};
    wpg_write_bytes(&w, WPG_VERSION, sizeof WPG_VERSION);
    wpg_write_u32(&w, WPG_IDENTITY_VERSION);
    wpg_write_u32(&w, WPG_NORMAL_FORM_VERSION);
    wpg_write_bytes(&w, question, strlen(question) + 1);
    wpg_write_bytes(&w, stage->stage.entry, strlen(stage->stage.entry) + 1);
    wpg_write_bytes(&w, &stage->words_hash, sizeof stage->words_hash);
    wpg_write_u32(&w, (uint32_t)stage->stage.model);
    wpg_write_u64(&w, stage->stage.spec_count);
    for (size_t i = 0; i < stage->stage.spec_count; i++) {
        wpg_write_u32(&w, stage->stage.spec[i].constant_id);
        wpg_write_u32(&w, stage->stage.spec[i].size);
        wpg_write_u64(&w, stage->stage.spec[i].bits);
    }
    wpg_write_bytes(&w, build, build_size);
    wpg_write_bytes(&w, more, size);
    const bool good = !w.out_of_memory;
    if (good)
        *key = wpg_hash_bytes(w.data, w.size);
    wpg_writer_finish(&w);
    return good;
}

bool wpg_answer_find(wpg_hash128 *answer, wpg_hash128 key)
{
    wpg_answers *all = opened();
    return all && wpg_answers_find(answer, all, key);
}

static void flush(wpg_answers *all)
{
    wpg_error err;
    if (all && wpg_answers_flush(all, &err) != WPG_OK)
        wpg_log_once(WPG_LOG_INFO, "shader hashes are not cached: %s", err.message); /* costs time only */
}

void wpg_answer_note(wpg_hash128 key, wpg_hash128 answer)
{
    wpg_answers *all = opened();
    if (all && wpg_answers_note(all, key, answer) >= MOST_WAITING)
        flush(all);
}

void wpg_answers_keep(void)
{
    (void)pthread_mutex_lock(&lock);
    wpg_answers *all = answers;
    (void)pthread_mutex_unlock(&lock);
    flush(all);
}

void wpg_answers_finish(void)
{
    (void)pthread_mutex_lock(&lock);
    wpg_answers_close(answers);
    answers = NULL;
    (void)pthread_mutex_unlock(&lock);
}
