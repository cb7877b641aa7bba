/* Checks whether counts of a structurised function are possible: of a profile before use, and of a phase's
 * result. Rules, all necessary (flow/flow.h says why waves conserve flow here):
 *
 *     lanes and waves each conserve flow over the graph
 *     no arm has more waves than its headers, no header more than its arms together
 *     waves <= lanes <= waves * wave size
 *     uniform <= waves
 *
 * The flow rule alone finds a single changed count, unless a return path and a cycle of unknown edges hide
 * it. The entry's count stands for the dispatch and is free. Plain data, no LLVM. Threads: plain data. */
#ifndef WPG_COMPILER_AMDGPU_PROFILE_VERIFY_H
#define WPG_COMPILER_AMDGPU_PROFILE_VERIFY_H

#include "compiler/amdgpu/flow/flow.h"
#include "compiler/amdgpu/llvm/counts.h"

typedef enum wpg_counts_rule {
    WPG_COUNTS_WAVES_FLOW,
    WPG_COUNTS_LANES_FLOW,
    WPG_COUNTS_ARMS,       /* more waves than all its predecessors or successors have */
    WPG_COUNTS_LANES_FEW,  /* a wave without a lane */
    WPG_COUNTS_LANES_MANY, /* more lanes than waves hold */
    WPG_COUNTS_UNIFORM,    /* more waves with all lanes than waves */
    WPG_COUNTS_RULES,
} wpg_counts_rule;

typedef struct wpg_counts_problem {
    wpg_counts_rule rule;
    uint32_t block;
    uint64_t count, bound; /* what stands there, and what it may be */
} wpg_counts_problem;

enum { WPG_COUNTS_PROBLEMS = 8 };
typedef struct wpg_counts_verdict {
    uint32_t problems; /* 0: possible. A flow that fails counts once, every other rule once a block */
    wpg_counts_problem first[WPG_COUNTS_PROBLEMS];
} wpg_counts_verdict;

/* WPG_E_MISMATCH: the counts are of another number of blocks. A verdict with problems is no error. */
wpg_status wpg_counts_verify(wpg_counts_verdict *verdict, const wpg_flow_graph *graph,
                             const wpg_amdgpu_counts *counts, unsigned wave_size, wpg_arena *arena,
                             wpg_error *err);

/* "waves conserve flow", ...: what was broken. Static storage. */
const char *wpg_counts_rule_name(wpg_counts_rule rule);

#endif
