/* Pseudo probes mark the blocks of the normal form in a shader, at no cost when the shader runs. A later tool
 * reads the mark and knows the block, whatever was done to the shader since. Each reachable block has one
 * probe, behind its phis and variables, as an instruction of a non-semantic set:
 *
 *     %shader   = OpString "<shader hash>.<stage>"
 *     %function = OpString "<ordinal> <checksum>"
 *     %block    = OpString "<block id>"
 *     %set      = OpExtInstImport "NonSemantic.WavepgoPseudoProbe.1"
 *     OpExtInst %void %set 1 %shader %function %block
 *
 * The operands are strings because shader identity ignores strings and non-semantic instructions: a shader
 * with probes keeps its hash. A pass that copies a block copies its probe, and the counts of the copies add
 * up. A pass that joins blocks leaves several probes in one block. Normalising removes probes. Sources:
 * SPV_KHR_non_semantic_info; the pseudo probes of LLVM's CSSPGO. Threads: as module.h. */
#ifndef WPG_COMPILER_ANALYSIS_PSEUDO_PROBE_H
#define WPG_COMPILER_ANALYSIS_PSEUDO_PROBE_H

#include "compiler/spirv/stage.h"

#define WPG_PSEUDO_PROBE_SET "NonSemantic.WavepgoPseudoProbe.1"

/* Puts one probe into each reachable block of the normal form of `stage`, whose identity is `shader`. The
 * device must take the extension SPV_KHR_non_semantic_info (Vulkan 1.3, or VK_KHR_shader_non_semantic_info).
 * After a failure the module may hold some of the probes. Errors as wpg_cfg_create. */
wpg_status wpg_pseudo_probes_insert(wpg_module *module, const wpg_stage *stage, wpg_hash128 shader,
                                    wpg_error *err);

typedef struct wpg_pseudo_probe {
    wpg_hash128 shader;
    char stage[8];
    uint32_t function; /* ordinal in the normal form, as in wpg_function_counters */
    uint32_t block;    /* id in the normal form */
    uint64_t checksum; /* of that function's graph */
    /* The probe's place now: number of its function in the module, number of its block in the function, label
     * id. */
    uint32_t in_function, in_block, label;
} wpg_pseudo_probe;

/* Lift takes the probes out of a module: an optimiser that does not know probes then sees none. Put places
 * each probe behind its label again, if the label is still there. The lifted list lives in the arena. */
wpg_status wpg_pseudo_probes_lift(wpg_pseudo_probe **list, size_t *count, wpg_module *module,
                                  wpg_arena *arena, wpg_error *err);
wpg_status wpg_pseudo_probes_put(wpg_module *module, const wpg_pseudo_probe *list, size_t count,
                                 wpg_error *err);

/* The probes of any module in module order; the list lives in the arena. *malformed counts the instructions
 * that look like a probe and cannot be read (may be NULL). WPG_E_NOMEM only. */
wpg_status wpg_pseudo_probes_list(wpg_pseudo_probe **list, size_t *count, size_t *malformed,
                                  const wpg_module *module, wpg_arena *arena, wpg_error *err);

#endif
