/* Pseudo probes: marks left in a shader that cost nothing when it runs and tell a later tool which block of
 * the normal form it looks at, whatever was done to the shader since. One in each reachable block, behind
 * phis and variables, as an instruction of a non-semantic set:
 *
 *     %shader   = OpString "<shader hash>.<stage>"
 *     %function = OpString "<ordinal> <checksum>"
 *     %block    = OpString "<block id>"
 *     %set      = OpExtInstImport "NonSemantic.WavepgoPseudoProbe.1"
 *     OpExtInst %void %set 1 %shader %function %block
 *
 * Strings, not constants: shader identity ignores strings and non-semantic instructions, so that a shader
 * with probes keeps its hash. A pass that copies a block copies its probe (counts of the copies add up), one
 * that joins blocks leaves several in one. Normalising removes them. Sources: SPV_KHR_non_semantic_info; the
 * pseudo probes of LLVM's CSSPGO. Threads: as module.h. */
#ifndef WPG_COMPILER_ANALYSIS_PSEUDO_PROBE_H
#define WPG_COMPILER_ANALYSIS_PSEUDO_PROBE_H

#include "compiler/spirv/stage.h"

#define WPG_PSEUDO_PROBE_SET "NonSemantic.WavepgoPseudoProbe.1"

/* Puts one probe into each reachable block of the normal form of `stage`, whose identity is `shader`. The
 * device must take the extension SPV_KHR_non_semantic_info (Vulkan 1.3, or VK_KHR_shader_non_semantic_info).
 * On failure the module may hold some. Errors as wpg_cfg_create. */
wpg_status wpg_pseudo_probes_insert(wpg_module *module, const wpg_stage *stage, wpg_hash128 shader,
                                    wpg_error *err);

typedef struct wpg_pseudo_probe {
    wpg_hash128 shader;
    char stage[8];
    uint32_t function; /* ordinal in the normal form, as in wpg_function_counters */
    uint32_t block;    /* id in the normal form */
    uint64_t checksum; /* of that function's graph */
    /* Where it is now: number of the function in the module, of the block in the function, label id. */
    uint32_t in_function, in_block, label;
} wpg_pseudo_probe;

/* Takes the probes out of a module, so that an optimiser that does not know them sees none, and puts them
 * back, each behind its label if that is still there. What lift gives lives in the arena. */
wpg_status wpg_pseudo_probes_lift(wpg_pseudo_probe **list, size_t *count, wpg_module *module,
                                  wpg_arena *arena, wpg_error *err);
wpg_status wpg_pseudo_probes_put(wpg_module *module, const wpg_pseudo_probe *list, size_t count,
                                 wpg_error *err);

/* The probes of any module, in its order; in the arena. What does not read as a probe is counted in
 * *malformed (may be NULL). WPG_E_NOMEM only. */
wpg_status wpg_pseudo_probes_list(wpg_pseudo_probe **list, size_t *count, size_t *malformed,
                                  const wpg_module *module, wpg_arena *arena, wpg_error *err);

#endif
