/* Push constants in the facts of a pipeline, and the way to the pipeline's records: what a profile alone can
 * carry of a bundle (runtime/profile/push_record.h, push_set_record.h).
 *
 * A set of words (runtime/base/push_sets.h) is two facts. KEY is 16 digits, made of the words and values. So
 * equal sets of several files have one key, and their counts add up:
 *
 *     is pushes.KEY 00001000 - 00000020     the words in their order; - was never pushed, or is loose; those
 *                                           at the end are left out, and a set of none is -
 *     sum pushed.KEY 1200                   draws and dispatches
 *     sum pushed.others 40                  of sets that found no room
 *     sum loose.NN 1                        files in which word NN is loose
 *
 * Owns: nothing.
 * Threads: as the profile. */
#ifndef WPG_RUNTIME_BUNDLE_PUSH_FACTS_H
#define WPG_RUNTIME_BUNDLE_PUSH_FACTS_H

#include "runtime/base/push_sets.h"
#include "runtime/bundle/facts.h"
#include "runtime/profile/profile.h"

/* Adds the values and sets of push constants of the facts to the profile. Facts of another kind, or without
 * such keys, add nothing. A set that is not written as above is left out. WPG_E_NOMEM. */
wpg_status wpg_push_facts_add(wpg_profile *profile, const wpg_facts *facts, wpg_error *err);

/* Writes the sets as facts. As wpg_facts_is. */
wpg_status wpg_push_facts_say(wpg_facts *facts, const wpg_push_sets *sets, wpg_error *err);
/* The commonest sets of the facts, sorted. *sets is empty before. WPG_E_NOMEM. */
wpg_status wpg_push_facts_sets(wpg_push_sets *sets, const wpg_facts *facts, wpg_error *err);

#endif
