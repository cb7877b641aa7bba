/* What the layer did, for the one line at the end. Threads: any. */
#ifndef WPG_LAYER_BASE_SUMMARY_H
#define WPG_LAYER_BASE_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/hash.h"

/* Counts a pipeline that went through vkCreate*Pipelines. `why` NULL: it was made from rewritten words (in
 * use mode also: examined and left unchanged). Otherwise the reason why it passed through. Reasons are
 * grouped by their text up to the first colon. */
void wpg_summary_pipeline(const char *why);
/* Counts an examined pipeline whose words were changed. */
void wpg_summary_changed(wpg_hash128 pipeline);
/* Counts a stage that is counted in a cheaper way than asked for, to keep to BUDGET or COMPILE_LIMIT. */
void wpg_summary_cheaper(void);
/* The first of these; returns how many there are, each hash counted once. */
enum { WPG_SUMMARY_KEPT = 32 };
size_t wpg_summary_changed_pipelines(wpg_hash128 pipelines[WPG_SUMMARY_KEPT]);
/* What was counted so far. */
typedef struct wpg_summary_counts {
    uint64_t pipelines, changed, passed;
} wpg_summary_counts;
wpg_summary_counts wpg_summary_count(void);
/* Nanoseconds spent on one pipeline by us and by the driver. */
void wpg_summary_time(uint64_t ours, uint64_t drivers);
typedef enum wpg_summary_kind {
    WPG_SUMMARY_NEW,
    WPG_SUMMARY_REPLACED, /* an earlier run's */
    WPG_SUMMARY_POOLED,   /* added to those of earlier runs */
} wpg_summary_kind;
/* A profile was written for the first time in this run. */
void wpg_summary_file(const char *path, wpg_summary_kind kind);
/* Prints the line, if the setting asks for it. Put into it: " (NAMES)" of what was changed, or ""; "; ..." of
 * variants and tuning, or ""; how many pipelines more were seen, and not made yet. */
void wpg_summary_print(const char *names, const char *more, uint64_t waiting);
void wpg_summary_finish(void);

#endif
