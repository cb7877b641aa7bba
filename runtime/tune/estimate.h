/* The static verdict: which of two pipelines costs less by the driver's figures, where nothing can be timed.
 *
 *     cost of an executable = waves (of the profile) * max(inverse throughput, latency / occupancy)
 *     cost of a pipeline    = their sum
 *
 * A SIMD holds `occupancy` waves. It is done with these waves after their work (occupancy * inverse
 * throughput) or after the time of one wave (latency), whichever is later. Each wave costs its share of that.
 *
 * Waves are those that entered the stage by the profile: stages are weighed by how often they run. Smaller
 * waves are taken to be as many more as they are smaller; none is taken to be empty. Inside a stage the
 * driver's figures rest on its own guess of how often a block runs, which no profile changes. Where a pass
 * adds a second body behind a guard, the driver counts both. Such a pass can lose here and win when timed.
 *
 * A candidate wins where its cost is below (1 - margin) of the original's, it spills no more, and it does not
 * outgrow the instruction cache. It loses where its cost is above (1 + margin) of the original's, or where it
 * spills more. All else is a tie, and the original stands.
 *
 * The figures have the names that RADV gives them. A driver without all three has no static verdict.
 *
 * Owns: nothing.
 * Threads: any; plain data.
 * Source: Mesa, ACO: "Latency" and "Inverse Throughput", in cycles; "Subgroups per SIMD". */
#ifndef WPG_RUNTIME_TUNE_ESTIMATE_H
#define WPG_RUNTIME_TUNE_ESTIMATE_H

#include "runtime/bundle/verdicts.h"

enum {
    WPG_MOST_EXECUTABLES = 8,
    WPG_CODE_CACHE = 32768, /* bytes: RDNA's instruction cache of two compute units; GCN's and CDNA's too */
};

/* One executable: a stage, or several that were merged. Registers and bytes as the driver counts them. */
typedef struct wpg_executable {
    uint32_t stages; /* bits of the API's shader stages */
    uint32_t wave;   /* lanes; 0: not told */
    double latency, inverse_throughput, occupancy;
    double spills; /* registers spilled, scratch bytes a lane, together: only more or less of it counts */
    double code_size;
} wpg_executable;

typedef struct wpg_estimate {
    size_t count; /* 0: the driver does not tell enough */
    wpg_executable executables[WPG_MOST_EXECUTABLES];
} wpg_estimate;

/* Takes a figure by the driver's name for it; figures of other names are ignored. */
void wpg_executable_take(wpg_executable *executable, const char *name, double value);
/* Whether all figures that the rule asks for are there. */
bool wpg_executable_complete(const wpg_executable *executable);

/* The candidate's cost over the original's into *ratio, and what that means. `waves` are those of the
 * original's executables; where all are 0, each counts once. WPG_OUTCOME_OPEN: they cannot be compared. */
wpg_outcome wpg_estimate_compare(double *ratio, const wpg_estimate *original, const wpg_estimate *candidate,
                                 const double waves[WPG_MOST_EXECUTABLES], double margin);

#endif
