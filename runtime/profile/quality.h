/* How good a profile is: it is compared with another profile of the same shaders that was measured anew.
 *
 * Compared are the functions that both profiles have, each alone and all together. A function that only one
 * profile has is counted, not compared. f(b) is the count of block b in the first profile, g(b) in the
 * second, the measured one.
 *
 *     overlap(F)    = sum over F's blocks of min(f(b) / sum f, g(b) / sum g)    both sums over F
 *     overlap       = sum over F of overlap(F) * G(F) / sum of G                G(F) = sum of g(b) in F
 *     difference(F) = sum |f'(b) - g'(b)| / sum max(f'(b), g'(b))               f', g' scaled to a whole of 1
 *     difference    = the same over the blocks of all functions, each profile scaled as a whole
 *
 * The overlap is the share of a function's time that lies where the profile says: 1 is best. The difference
 * is a mean of the blocks' relative differences, weighted by their counts: 0 is best. The difference also
 * sees functions that are too hot or too cold as a whole.
 *
 * Owns: wpg_quality owns its list; functions are borrowed from the views.
 * Threads: any; plain data.
 * Source of the overlap: He, Yu, Wang, Oh, "Revamping Sampling-Based PGO with Context-Sensitivity and
 * Pseudo-instrumentation", CGO 2024 (block overlap). */
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
