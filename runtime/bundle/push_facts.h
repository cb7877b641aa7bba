/* From the facts of a pipeline to its push-constant record: what a profile alone can carry of a bundle
 * (runtime/profile/push_record.h).
 *
 * Owns: nothing.
 * Threads: as the profile. */
#ifndef WPG_RUNTIME_BUNDLE_PUSH_FACTS_H
#define WPG_RUNTIME_BUNDLE_PUSH_FACTS_H

#include "runtime/bundle/facts.h"
#include "runtime/profile/profile.h"

/* Adds the keys push.<word> and unpushed.<word> of the facts to the profile. Facts of another kind, or
 * without such keys, add nothing. WPG_E_NOMEM. */
wpg_status wpg_push_facts_add(wpg_profile *profile, const wpg_facts *facts, wpg_error *err);

#endif
