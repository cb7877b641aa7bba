/* The legality rules of use mode (compiler/optimize/README.md) as predicates for every pass: what may be
 * moved, duplicated or put under new control flow. An unknown instruction counts as having every bad
 * property. Private to compiler/optimize. Threads: no shared state. */
#ifndef WPG_COMPILER_OPTIMIZE_IR_LEGALITY_H
#define WPG_COMPILER_OPTIMIZE_IR_LEGALITY_H

#include "compiler/analysis/graph/inst_cost.h"
#include "compiler/optimize/ir/pass.h"

typedef enum wpg_trait {
    /* No side effect, and the result depends on the operands alone (with READS, also on memory). Running it
     * later, or in fewer invocations, changes nothing. */
    WPG_TRAIT_PURE = 1 << 0,
    /* PURE, and may run where it did not run before: no memory, no integer division, no image. */
    WPG_TRAIT_SPECULATABLE = 1 << 1,
    WPG_TRAIT_READS = 1 << 2,
    WPG_TRAIT_WRITES = 1 << 3,  /* store, atomic, image write, call, vertex emission */
    WPG_TRAIT_BARRIER = 1 << 4, /* control or memory barrier */
    /* Implicit level of detail or a derivative: works on a quad's neighbours. */
    WPG_TRAIT_DERIVATIVE = 1 << 5,
    WPG_TRAIT_SUBGROUP = 1 << 6, /* subgroup, quad, ballot, cooperative or clustered work */
    WPG_TRAIT_FLOAT = 1 << 7,    /* floating-point arithmetic that a driver may contract or reassociate */
    WPG_TRAIT_DEMOTE = 1 << 8,   /* changes the live mask, or reads it */
    WPG_TRAIT_UNKNOWN = 1 << 9,
} wpg_trait;

/* Traits that forbid new control flow around an instruction. */
enum { WPG_TRAITS_FIXED = WPG_TRAIT_BARRIER | WPG_TRAIT_DERIVATIVE | WPG_TRAIT_SUBGROUP | WPG_TRAIT_UNKNOWN };

enum {
    WPG_COMMON_OPCODES = SpvOpPtrDiff + 1,
    WPG_TRAITS_PLAIN = 1 << 15, /* in the table: no trait at all */
};
/* Of the opcodes that shaders are full of; 0: another, or the opcode alone does not tell. */
extern const uint16_t wpg_common_traits[WPG_COMMON_OPCODES];
unsigned wpg_rare_traits(const wpg_module *module, const wpg_inst *inst);

/* Inline: most passes ask it of every instruction. */
static inline unsigned wpg_inst_traits(const wpg_module *module, const wpg_inst *inst)
{
    const unsigned common = inst->opcode < WPG_COMMON_OPCODES ? wpg_common_traits[inst->opcode] : 0;
    return common ? common & ~(unsigned)WPG_TRAITS_PLAIN : wpg_rare_traits(module, inst);
}
/* The name of a fixed trait in a remark ("an implicit-lod sample or derivative"). */
const char *wpg_trait_name(unsigned traits);
/* Union over the instructions of all functions. */
unsigned wpg_module_traits(const wpg_module *module);

/* -- Memory -- */

/* The OpVariable (or other origin) a pointer was made from, through access chains and copies; NULL if
 * unknown.
 */
const wpg_inst *wpg_pointer_root(const wpg_module *module, uint32_t pointer);
/* True if the operand (its word) is the pointer that a load, a store or an access chain goes by. */
bool wpg_is_access(const wpg_inst *inst, unsigned operand);
SpvStorageClass wpg_pointer_class(const wpg_module *module,
                                  uint32_t pointer); /* SpvStorageClassMax if none */
/* The Function or Private variable that the pointer leads into; 0: none, or not known. */
uint32_t wpg_own_variable(const wpg_module *module, uint32_t pointer);
/* True if the variable, its struct type or one of its members has that decoration. */
bool wpg_variable_has(const wpg_module *module, const wpg_inst *variable, SpvDecoration decoration);
/* True for a load of memory that nothing can write while the shader runs: push constants, uniform blocks,
 * inputs, uniform constants; not Volatile. */
bool wpg_load_is_read_only(const wpg_module *module, const wpg_inst *load);
/* True for a load that gives one value for a whole draw or dispatch, and may be guarded on. It reads a push
 * constant, a uniform block, or NonWritable non-volatile storage that nothing in the shader can alias
 * (Restrict, or no write to buffer memory at all), by a constant access path. On false, *why (static) names
 * the failed rule. */
bool wpg_load_is_draw_constant(const wpg_module *module, const wpg_inst *load, const char **why);

/* True if decorations come in groups: a copy of an id would have to join them. */
bool wpg_has_decoration_groups(const wpg_module *module);
/* Types a phi may have in every module: no pointer, image or sampler. */
bool wpg_type_may_be_merged(const wpg_module *module, uint32_t type);

/* -- Slices -- */

/* A set of result ids, conservative: `all` when the slice could not be followed. */
typedef struct wpg_id_set {
    uint64_t *bits; /* [(bound + 63) / 64], malloc'd */
    uint32_t bound;
    bool all;
} wpg_id_set;

void wpg_id_set_free(wpg_id_set *set);
bool wpg_id_set_has(const wpg_id_set *set, uint32_t id);
bool wpg_id_set_is_empty(const wpg_id_set *set);

/* All ids that feed an exact output, by data, through memory and by the branches of the module. Exact
 * outputs: Position, ClipDistance, CullDistance, FragDepth, the sample mask, tessellation levels, Invariant
 * outputs. */
wpg_status wpg_exact_slice(wpg_id_set *set, const wpg_module *module, wpg_error *err);
/* All ids that feed, by data and memory, an operand of an implicit-LOD sample, derivative, quad or subgroup
 * operation. */
wpg_status wpg_helper_slice(wpg_id_set *set, const wpg_module *module, wpg_error *err);

typedef struct wpg_slices {
    wpg_id_set exact, helper;
} wpg_slices;
/* The exact slice of context->module, alone or with the helper slice, kept for the next pass (analyses.c).
 * The slices are valid until one of them is asked for after an edit. A pass that asks once has the slices of
 * the module as it found it. */
wpg_status wpg_exact_get(const wpg_id_set **exact, wpg_context *context);
wpg_status wpg_slices_get(const wpg_slices **slices, wpg_context *context);

/* All ids that feed, by data, through memory and by the branches of the module, anything but stores to the
 * variables of `ignored` (keys: result ids). A value outside the set is of no use to the rest of the stage.
 * `defined`: also what feeds operands for which some values are undefined behaviour (indices, divisors, texel
 * coordinates), wherever the result goes. A value outside that set may be anything. */
wpg_status wpg_effect_slice(wpg_id_set *set, const wpg_module *module, const wpg_map *ignored, bool defined,
                            wpg_error *err);
/* All ids that feed, by data and through memory, stores to the variable, and these ids. */
wpg_status wpg_store_slice(wpg_id_set *set, const wpg_module *module, uint32_t variable, const uint32_t *ids,
                           size_t count, wpg_error *err);

#endif
