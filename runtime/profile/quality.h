/* How good a profile is beside another one of the same shaders that was measured anew: per function and over
 * all, of what both have; what one alone has is counted, not compared. f(b): counts of block b in the first
 * profile, g(b): in the second, the measured one.
 *
 *     overlap(F)    = sum over F's blocks of min(f(b) / sum f, g(b) / sum g)    both sums over F
 *     overlap       = sum over F of overlap(F) * G(F) / sum of G                G(F) = sum of g(b) in F
 *     difference(F) = sum |f'(b) - g'(b)| / sum max(f'(b), g'(b))               f', g' scaled to a whole of 1
 *     difference    = the same over the blocks of all functions, each profile scaled as a whole
 *
 * Overlap asks what of a function's time is where the profile says (1 is best), function by function; the
 * difference, a mean of the blocks' relative differences weighted by their counts, also sees functions that
 * are too hot or too cold as a whole (0 is best). Source of the overlap: He, Yu, Wang, Oh, "Revamping
 * Sampling-Based PGO with Context-Sensitivity and Pseudo-instrumentation", CGO 2024 (block overlap). Threads:
 * plain data. */
#ifndef WPG_RUNTIME_PROFILE_QUALITY_H
#define WPG_RUNTIME_PROFILE_QUALITY_H

#include "runtime/profile/shader_view.h"

enum { WPG_QUALITY_LANES, WPG_QUALITY_WAVES, WPG_QUALITY_UNIFORM, WPG_QUALITY_KINDS };

typedef struct wpg_quality_score {
    bool known; /* both profiles have counts of the kind */
    double overlap, difference;
    double first, second; /* sums of counts */
} wpg_quality_score;

typedef struct wpg_quality_function {
    const wpg_shader_counts *first, *second; /* borrowed from the views */
    wpg_quality_score scores[WPG_QUALITY_KINDS];
} wpg_quality_function;

typedef struct wpg_quality {
    wpg_quality_function *functions; /* in both: by name, checksum and number of blocks; owned */
    size_t count;
    wpg_quality_score all[WPG_QUALITY_KINDS];
    size_t known[WPG_QUALITY_KINDS]; /* functions that have the kind */
    size_t only_first, only_second;  /* functions */
} wpg_quality;

/* WPG_E_NOMEM: nothing to finish. The views must outlive *quality. */
wpg_status wpg_quality_measure(wpg_quality *quality, const wpg_shader_view *first,
                               const wpg_shader_view *second, wpg_error *err);
void wpg_quality_finish(wpg_quality *quality);

const char *wpg_quality_kind_name(unsigned kind);

#endif
