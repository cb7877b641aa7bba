/* What memory of a shader is filled with: small numbers by the type of each member. Integers are few and
 * small, so that loops over them end and indexes stay inside; floats are 0, 1 and simple fractions; matrices
 * are near the identity. The same numbers on every machine. Threads: no state. */
#ifndef WPG_TESTS_CORPUS_CONTENTS_H
#define WPG_TESTS_CORPUS_CONTENTS_H

#include "compiler/spirv/module.h"

/* Id of the type behind a variable, without the arrays of descriptors around it; 0: none. */
uint32_t contents_type(const wpg_module *module, uint32_t variable);
/* Bytes of a type by its layout decorations. A run-time array counts as `tail` elements. */
size_t contents_size(const wpg_module *module, uint32_t type, uint32_t tail);
/* Fills what of the type lies within `size`; padding is left as it is. Another seed gives other numbers. */
void contents_fill(uint8_t *bytes, size_t size, const wpg_module *module, uint32_t type, uint32_t seed);
/* A pointer to memory is among the members. */
bool contents_has_address(const wpg_module *module, uint32_t type);

/* The decoration of a struct's member; NULL: none. */
const wpg_inst *contents_member(const wpg_module *module, uint32_t type, uint32_t member,
                                SpvDecoration decoration);

/* The numbers by themselves: of place `index`. */
uint32_t contents_int(uint32_t index, uint32_t seed);
float contents_float(uint32_t index, uint32_t seed);
uint16_t contents_half(uint32_t index, uint32_t seed);

#endif
