/* Finds or makes types, constants, capabilities and extensions. Each function returns the id of an equal
 * declaration if the module has one. Otherwise it inserts a declaration at the end of its section. Structs
 * are always new. Deterministic: the result depends on the module's words and the order of calls alone.
 * Threads, ownership, failure: as module.h. */
#ifndef WPG_COMPILER_SPIRV_BUILDER_H
#define WPG_COMPILER_SPIRV_BUILDER_H

#include "compiler/spirv/module.h"

void wpg_require_capability(wpg_module *module, SpvCapability capability);
bool wpg_has_capability(const wpg_module *module, SpvCapability capability);
void wpg_require_extension(wpg_module *module, const char *name);
/* True if the id is the imported set GLSL.std.450. */
bool wpg_is_glsl_set(const wpg_module *module, uint32_t set);
/* Id of the imported instruction set ("GLSL.std.450"), importing it when absent. */
uint32_t wpg_require_import(wpg_module *module, const char *name);
/* Raises the version word to at least 1.`minor`. */
void wpg_require_version(wpg_module *module, unsigned minor);

uint32_t wpg_type_void(wpg_module *module);
uint32_t wpg_type_bool(wpg_module *module);
uint32_t wpg_type_int(wpg_module *module, uint32_t width, bool is_signed);
static inline uint32_t wpg_type_u32(wpg_module *module)
{
    return wpg_type_int(module, 32, false);
}
uint32_t wpg_type_float(wpg_module *module, uint32_t width);
uint32_t wpg_type_vector(wpg_module *module, uint32_t component, uint32_t count);
uint32_t wpg_type_pointer(wpg_module *module, SpvStorageClass storage, uint32_t type);
uint32_t wpg_type_function(wpg_module *module, uint32_t result, const uint32_t *params, size_t count);
/* Always a new struct type (its layout decorations are the caller's). */
uint32_t wpg_type_struct_new(wpg_module *module, const uint32_t *members, size_t count);

uint32_t wpg_const_bool(wpg_module *module, bool value);
uint32_t wpg_const_u32(wpg_module *module, uint32_t value);
uint32_t wpg_const_u64(wpg_module *module, uint64_t value); /* needs Int64 */
/* Constant of any scalar int or float type; `bits` holds the value's bits, sign-extended for narrow signed
 * types as the specification asks. */
uint32_t wpg_const_scalar(wpg_module *module, uint32_t type, uint64_t bits);
uint32_t wpg_const_composite(wpg_module *module, uint32_t type, const uint32_t *parts, size_t count);
uint32_t wpg_const_null(wpg_module *module, uint32_t type);
uint32_t wpg_undef(wpg_module *module, uint32_t type); /* module-scope OpUndef */

/* True for a constant of the module. Specialisation constants and undefined values count. */
bool wpg_is_module_constant(const wpg_module *module, uint32_t id);
/* Reads a scalar OpConstant, OpConstantTrue, OpConstantFalse or OpConstantNull. False for any other id, a
 * specialisation constant included. *bits is zero-extended; *width is in bits, 1 for a bool. */
bool wpg_const_value(const wpg_module *module, uint32_t id, uint64_t *bits, uint32_t *width);

void wpg_decorate(wpg_module *module, uint32_t id, SpvDecoration decoration, const uint32_t *literals,
                  size_t count);
void wpg_decorate_member(wpg_module *module, uint32_t type, uint32_t member, SpvDecoration decoration,
                         const uint32_t *literals, size_t count);

/* A global variable with that pointer type; adds it to the interface of `entry_point` (the OpEntryPoint
 * instruction) when the module's version asks for that class there (1.4 and later: every class; before: Input
 * and Output). */
uint32_t wpg_global_variable(wpg_module *module, wpg_inst *entry_point, SpvStorageClass storage,
                             uint32_t pointer_type);
/* Adds a variable to an entry point's interface unless it is there. */
void wpg_entry_point_add_interface(wpg_module *module, wpg_inst *entry_point, uint32_t variable);
/* The OpEntryPoint with that model and name, or NULL. */
wpg_inst *wpg_find_entry_point(const wpg_module *module, SpvExecutionModel model, const char *name);
/* The OpExecutionMode/Id of the function id with that mode, or NULL. */
const wpg_inst *wpg_find_execution_mode(const wpg_module *module, uint32_t function, SpvExecutionMode mode);
/* The decoration of the constant that sets the workgroup's size. That constant needs no user (SPIR-V 1.6,
 * 3.21, WorkgroupSize). */
bool wpg_sets_workgroup_size(const wpg_inst *inst);

#endif
