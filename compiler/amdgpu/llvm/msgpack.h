/* msgpack, as much as AMDGPU's metadata needs: a writer of maps, arrays, strings, unsigned numbers and bools,
 * and a search by key. Ownership: the writer's bytes are its own until wpg_msgpack_finish. Threads: none
 * shared. Source: github.com/msgpack/msgpack/blob/master/spec.md. */
#ifndef WPG_COMPILER_AMDGPU_LLVM_MSGPACK_H
#define WPG_COMPILER_AMDGPU_LLVM_MSGPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/vec.h"

typedef struct wpg_msgpack {
    WPG_VEC(uint8_t) bytes;
    bool failed; /* memory ran out */
} wpg_msgpack;

void wpg_msgpack_finish(wpg_msgpack *w);
/* A map of so many pairs, or an array of so many values, follows. */
void wpg_msgpack_map(wpg_msgpack *w, uint32_t pairs);
void wpg_msgpack_array(wpg_msgpack *w, uint32_t values);
void wpg_msgpack_text(wpg_msgpack *w, const char *text);
void wpg_msgpack_number(wpg_msgpack *w, uint64_t value);
void wpg_msgpack_bool(wpg_msgpack *w, bool value);

/* Finds the first text `key` at any depth, and reads the unsigned number behind it. False if there is none.
 * The bytes are untrusted. */
bool wpg_msgpack_find(uint64_t *value, const uint8_t *bytes, size_t size, const char *key);

#endif
