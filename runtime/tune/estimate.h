/* What a driver's compiler says that a pipeline costs, and which of two is cheaper by that: the static
 * verdict, where nothing can be timed.
 *
 *     cost of an executable = waves (of the profile) * max(inverse throughput, latency / occupancy)
 *     cost of a pipeline    = their sum
 *
 * A SIMD holds `occupancy` waves. It is done with these after their work, occupancy * inverse throughput, or
 * after the time that one of them takes, latency, whichever is later: each costs its share of that. Waves are
 * those that entered the stage by the profile, so that stages are weighed by how often they run; inside a
 * stage the driver's figures rest on its own guess of how often blocks run, which no profile changes: where a
 * pass adds a second body behind a guard, it counts both. Such passes can lose here and win when timed.
 * Smaller waves are taken to be as many more as they are smaller (none is empty).
 *
 * A candidate wins where its cost lies below (1 - margin) of the original's, and it neither spills more nor
 * outgrows the instruction cache; it loses where it costs more than (1 + margin), or spills more. Everything
 * between is a tie, and a tie is the original's. Figures are of the names that RADV gives (Mesa, ACO:
 * "Latency", "Inverse Throughput", in cycles; "Subgroups per SIMD"); a driver that does not give all three
 * has no say. Threads: plain data. */
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

/* Takes a figure by the driver's name for it; others are none of ours. */
void wpg_executable_take(wpg_executable *executable, const char *name, double value);
/* Whether all figures that the rule asks for are there. */
bool wpg_executable_complete(const wpg_executable *executable);

/* The candidate's cost over the original's into *ratio, and what that means. `waves` are those of the
 * original's executables; where all are 0, each counts once. WPG_OUTCOME_OPEN: they cannot be compared. */
wpg_outcome wpg_estimate_compare(double *ratio, const wpg_estimate *original, const wpg_estimate *candidate,
                                 const double waves[WPG_MOST_EXECUTABLES], double margin);

#endif
