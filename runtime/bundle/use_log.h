/* The use log: one JSON line for each pipeline, with what use mode found, did and refused.
 *
 * The layer writes it (WAVEPGO_USE_LOG), `wavepgo show --use-log` prints it. A line, here broken:
 *
 *     {"pipeline": "<hash>", "verdict": "ut",
 *      "stages": [{"shader": "<hash>", "stage": "frag", "entry": "main",
 *                  "found": "pipeline" | "shader" | "anchors" | "no",
 *                  "result": "optimised" | "marked" | "unchanged" | "original", "why": "...",
 *                  "remarks": [{"pass": "unflatten", "done": true, "function": 0, "block": 4,
 *                               "text": "..."}]}],
 *      "run": "2026-11-22T10:00:00Z 4711 game"}
 *
 *     "found": "anchors"      the counts are of another version of the shader: "like" is its hash, "matched"
 *                             the percentage of counts that found a block (94.3)
 *     "found": "no"           there are no counts of the shader; a variant needs none
 *     "result": "marked"      pseudo probes were put in and nothing else was changed
 *     "result": "original"    the program's own words were used; "why" gives the reason
 *     "variant": "0x1b"       in place of the verdict: the line is of a variant, for the push-constant words
 *                             with these bits; "0x0": no variant was made
 *     "contents": 2           in place of the verdict: the line is of the second pipeline for contents of
 *                             uniform blocks
 *     "run"                   when the process began, its id, its program; it tells the runs of a file apart
 *
 * One write appends one line.
 *
 * Owns: nothing.
 * Threads: any. */
#ifndef WPG_RUNTIME_BUNDLE_USE_LOG_H
#define WPG_RUNTIME_BUNDLE_USE_LOG_H

#include <stdbool.h>

#include "runtime/base/bytes.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"

typedef struct wpg_use_remark {
    const char *pass, *text;
    bool done;
    uint32_t function, block;
} wpg_use_remark;

typedef struct wpg_use_stage {
    wpg_hash128 shader;
    const char *stage, *entry;
    const char *found, *result, *why; /* why: "" if there is nothing to say */
    double matched;   /* percent of the counts that found a block, by anchors; written with found "anchors" */
    wpg_hash128 like; /* whose counts these are; with found "anchors" */
    const wpg_use_remark *remarks;
    size_t remark_count;
} wpg_use_stage;

/* What a line is of. All zero: of the pipeline itself, and tuning says nothing of it. */
typedef struct wpg_use_form {
    const char *verdict; /* what tuning said of the pipeline on this device: letters of the passes that are
                            applied, or in words why none or which are; NULL: nothing */
    const uint64_t *variant; /* the words that the variant is for; NULL: no variant */
    uint32_t contents;       /* which of the pipelines for contents, from 1; 0: none of them */
} wpg_use_form;

/* Appends the line, newline included, to `out`. */
void wpg_use_log_line(wpg_writer *out, wpg_hash128 pipeline, const char *run, const wpg_use_stage *stages,
                      size_t stage_count, const wpg_use_form *form);

/* Appends bytes to a file in one write (O_APPEND), making it if needed. */
wpg_status wpg_use_log_append(const char *path, const wpg_writer *line, wpg_error *err);

#endif
