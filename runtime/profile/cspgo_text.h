/* Writes LLVM's context-sensitive sample profiles as text, of the pseudo-probe kind (CSSPGO).
 *
 * `llvm-profdata merge --sample` and LLVM's SampleProfileLoader read the text:
 *
 *     [main:5 @ helper:4 @ leaf]:300:100      context, total, head (how often the function was entered)
 *      1: 100                                 probe: count; blocks are probes 1 to n, calls come after them
 *      4: 100 other:100                       a call's probe: what was called, how often
 *      !CFGChecksum: 1234                     of the last function of the context
 *
 * In a context, each function but the last stands with the probe of the call it makes. Every record of a file
 * stands in brackets and has a checksum: LLVM takes no mixture. llvm-profdata 19 and 22 take probes up to
 * 65535 and saturate totals.
 *
 * Owns: nothing; the writer borrows its records.
 * Threads: any.
 * Source: LLVM RFC "Context-sensitive Sample PGO with Pseudo-Instrumentation"; llvm-profdata 19 and 22. */
#ifndef WPG_RUNTIME_PROFILE_CSPGO_TEXT_H
#define WPG_RUNTIME_PROFILE_CSPGO_TEXT_H

#include "runtime/base/bytes.h"
#include "runtime/base/error.h"

enum { WPG_CSPGO_MAX_PROBE = 65535, WPG_CSPGO_MAX_FRAMES = 1024 };

typedef struct wpg_cspgo_frame {
    const char *function;
    uint32_t call; /* probe of the call that leads to the next frame; 0 in the last */
} wpg_cspgo_frame;

typedef struct wpg_cspgo_count {
    uint32_t probe; /* from 1, rising in a record */
    uint64_t count;
    const char *target; /* function called here, NULL if it is no call */
    uint64_t target_count;
} wpg_cspgo_count;

typedef struct wpg_cspgo_record {
    const wpg_cspgo_frame *frames; /* [frame_count], at least one, outermost first */
    size_t frame_count;
    uint64_t checksum, head;
    const wpg_cspgo_count *counts; /* [count_count] */
    size_t count_count;
} wpg_cspgo_record;

/* Appends one record; counts are clamped as in every format (profile_io.h). WPG_E_ARGUMENT: an invalid name,
 * no frame, a probe out of order; WPG_E_LIMIT: a probe above WPG_CSPGO_MAX_PROBE or too deep a context.
 * Nothing is appended on failure. */
wpg_status wpg_cspgo_write(wpg_writer *w, const wpg_cspgo_record *record, wpg_error *err);

#endif
