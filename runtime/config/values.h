/* Checks of setting values beyond numbers and choices: frames, lists, patterns, misspelt keys.
 *
 * The command refuses a wrong value before the program starts. The layer logs it once.
 *
 * Owns: nothing.
 * Threads: any. */
#ifndef WPG_RUNTIME_CONFIG_VALUES_H
#define WPG_RUNTIME_CONFIG_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "A-B", "A-", "-B" or "A": frames count from 1, A is at most B. */
bool wpg_frames_parse(uint64_t *first, uint64_t *last, const char *text);

/* Index of `value` in "a|b|c", -1 if it is none of them; letters without case. */
int wpg_choice_index(const char *choices, const char *value);

/* The first item of the list, separated by commas or blanks, that is none of "a|b|c"; NULL if all are.
 * *length: of the item. */
const char *wpg_foreign_item(int *length, const char *list, const char *choices);

/* The first % of a file-name pattern that is followed by none of `letters`; NULL if there is none. Where `m`
 * is among them, %1m to %9m are right, too. */
const char *wpg_foreign_percent(const char *pattern, const char *letters);

/* Of the names, the one that a misspelt `key` most likely means; NULL if none is near. */
const char *wpg_nearest_name(const char *key, const char *(*name)(size_t index), size_t count);

#endif
