/* Makes a failing shader smaller while it still fails. */
#ifndef WPG_TESTS_E2E_RANDOM_SHRINK_H
#define WPG_TESTS_E2E_RANDOM_SHRINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the words still show the fault. */
typedef bool shrink_still(void *user, const uint32_t *words, size_t count);

/* Decides branches one way for good, drops what is then out of reach, and drops stores and barriers, as long
 * as `still` holds. *words (malloc'd) is replaced. At most `tries` calls of `still`. Returns how many steps
 * held. */
unsigned shrink(uint32_t **words, size_t *count, shrink_still *still, void *user, unsigned tries);

#endif
