/* `wavepgo merge --format=cspgo-text`: joins the records of a profile with the call paths of their shaders.
 *
 *     profile --> counts per block of the normal form --+
 *                                                       +--> counts per block per call path --> text
 *     SPIR-V of the shader --normalise--> contexts -----+
 *
 * A profile has no call paths: they come from the shaders' SPIR-V. SPIR-V is found by shader hash, in bundles
 * (shaders/<hash>.spv beside <hash>.info) and in folders of dumps (<hash>.spv). A shader without SPIR-V, or
 * with another checksum, is written flat: one context for each function of the normal form, its blocks as
 * probes. Threads: one. */
#ifndef WPG_RUNTIME_CLI_MERGE_MERGE_CSPGO_H
#define WPG_RUNTIME_CLI_MERGE_MERGE_CSPGO_H

#include "runtime/base/bytes.h"
#include "runtime/profile/profile.h"

typedef enum wpg_cspgo_unit {
    WPG_CSPGO_AUTO, /* waves where they were measured, else lanes */
    WPG_CSPGO_WAVES,
    WPG_CSPGO_LANES,
} wpg_cspgo_unit;

typedef struct wpg_cspgo_options {
    wpg_cspgo_unit unit;
    const char *const *folders; /* where shaders are looked for, in this order: bundles or folders of dumps */
    size_t folder_count;
    /* Called with messages for the user about one shader ("<shader>: written without contexts: ..."). */
    void (*note)(const char *command, const char *text);
    const char *command; /* who says it */
} wpg_cspgo_options;

typedef struct wpg_cspgo_summary {
    size_t shaders, with_contexts,
        records; /* shader stages; of them, those with call paths; records written */
} wpg_cspgo_summary;

/* Appends the text to `w`. WPG_E_NOT_FOUND: no shader record with counts of that unit. */
wpg_status wpg_merge_cspgo(wpg_writer *w, wpg_cspgo_summary *summary, const wpg_profile *profile,
                           const wpg_cspgo_options *options, wpg_error *err);

#endif
