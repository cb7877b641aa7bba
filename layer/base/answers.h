/* Answers about shaders, kept across pipelines and runs: 16 bytes by key. The cache folder stores the answers
 * (runtime/bundle/answers.h). With CACHE=none they last as long as the process.
 *
 * Threads: any, after wpg_disk_cache_setup. */
#ifndef WPG_LAYER_BASE_ANSWERS_H
#define WPG_LAYER_BASE_ANSWERS_H

#include "layer/base/stage.h"

/* The key of a question about a stage: a hash of question, words, entry point, specialisation values, build
 * and `more`: further bytes that the answer depends on. False when memory runs out. */
bool wpg_answer_key(wpg_hash128 *key, const char *question, const wpg_rewrite *stage, const void *more,
                    size_t size);

bool wpg_answer_find(wpg_hash128 *answer, wpg_hash128 key);
void wpg_answer_note(wpg_hash128 key, wpg_hash128 answer);

/* Writes the new answers to the disk. wpg_answer_note does so by itself after 256 of them. */
void wpg_answers_keep(void);
/* Frees the table, at the end of the process. Call wpg_answers_keep before. */
void wpg_answers_finish(void);

#endif
