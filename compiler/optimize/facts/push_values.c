/* See push_values.h. Byte order is little-endian.
 *
 * The constant has the bits of memory, NaN payloads and denormals included. That is legal: a load gives the
 * value in memory, OpConstant gives the value of its literal words. A driver may flush or quiet either of
 * them afterwards. push_fold.c makes sure that no arithmetic becomes foldable by the constant. */
#include "compiler/optimize/facts/push_values.h"

#include <string.h>

#include "compiler/optimize/facts/block_layout.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

enum { MOST_PARTS = 64, MOST_DEPTH = 8 };

typedef struct folding {
    wpg_module *module;
    const wpg_push_known *known;
    uint64_t words;
    const char *why;
} folding;

void wpg_push_known_make(wpg_push_known *known, const wpg_push_value *values, size_t count)
{
    *known = (wpg_push_known){0};
    for (size_t i = 0; i < count; i++) {
        uint32_t word = values[i].offset / 4;
        if (values[i].offset % 4 || word >= WPG_PUSH_FOLD_WORDS)
            continue;
        known->known |= UINT64_C(1) << word;
        known->words[word] = values[i].value;
    }
}

bool wpg_is_push_load(const wpg_module *module, const wpg_inst *inst)
{
    return inst->opcode == SpvOpLoad && inst->count >= 4 &&
           wpg_pointer_class(module, inst->words[3]) == SpvStorageClassPushConstant;
}

/* -- Layout */

/* The place of one element; `at` is that of the whole. */
static bool element(wpg_block_place *out, folding *f, wpg_block_place at, uint64_t index)
{
    if (!wpg_block_element(out, &f->why, f->module, at, index))
        return false;
    f->why = "it lies beyond the words that are followed";
    return out->offset < WPG_PUSH_FOLD_WORDS * 4;
}

static bool locate(wpg_block_place *out, folding *f, uint32_t pointer, unsigned depth)
{
    const wpg_inst *def = wpg_module_def(f->module, pointer);
    const wpg_inst *type = def ? wpg_module_def(f->module, def->type) : NULL;
    f->why = "its pointer is not followed";
    if (!def || depth > MOST_DEPTH)
        return false;
    switch ((SpvOp)def->opcode) {
    case SpvOpVariable:
        if (!type || type->opcode != SpvOpTypePointer)
            return false;
        *out = (wpg_block_place){.type = type->words[3]};
        return true;
    case SpvOpCopyObject:
        return def->count >= 4 && locate(out, f, def->words[3], depth + 1);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        if (def->count < 4 || !locate(out, f, def->words[3], depth + 1))
            return false;
        for (uint32_t i = 4; i < def->count; i++) {
            uint64_t index;
            uint32_t width;
            f->why = "an index is not constant";
            if (!wpg_const_value(f->module, def->words[i], &index, &width) || !element(out, f, *out, index))
                return false;
        }
        return true;
    default:
        return false;
    }
}

/* -- Constants */

static bool read_bytes(uint64_t *bits, folding *f, uint32_t offset, uint32_t size)
{
    *bits = 0;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t byte = offset + i, word = byte / 4;
        if (word >= WPG_PUSH_FOLD_WORDS || !(f->known->known >> word & 1)) {
            f->why = "not all of its words are known";
            return false;
        }
        f->words |= UINT64_C(1) << word;
        *bits |= (uint64_t)(f->known->words[word] >> byte % 4 * 8 & 0xff) << i * 8;
    }
    return true;
}

static uint32_t part_count(folding *f, const wpg_inst *def)
{
    uint64_t length;
    uint32_t width;
    switch ((SpvOp)def->opcode) {
    case SpvOpTypeStruct:
        return def->count - 2u;
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        return def->words[3];
    case SpvOpTypeArray:
        return wpg_const_value(f->module, def->words[3], &length, &width) && length <= MOST_PARTS
                   ? (uint32_t)length
                   : 0;
    default:
        return 0;
    }
}

/* A type that may only be loaded and stored (8- and 16-bit storage) has no constants. */
static bool has_constants(const wpg_module *module, const wpg_inst *scalar)
{
    bool integer = scalar->opcode == SpvOpTypeInt;
    uint32_t width = scalar->words[2];
    return width >= 32 || wpg_has_capability(module, !integer      ? SpvCapabilityFloat16
                                                     : width == 16 ? SpvCapabilityInt16
                                                                   : SpvCapabilityInt8);
}

static uint32_t make(folding *f, wpg_block_place at, unsigned depth)
{
    const wpg_inst *def = wpg_module_def(f->module, at.type);
    uint32_t size = wpg_block_scalar_size(f->module, at.type);
    if (size) {
        uint64_t bits;
        f->why = "its type has no constants";
        if (!has_constants(f->module, def) || !read_bytes(&bits, f, at.offset, size))
            return 0;
        if (def->opcode == SpvOpTypeInt && def->words[3] && size < 4 && bits >> (size * 8 - 1))
            bits |= ~UINT64_C(0) << size * 8;
        return wpg_const_scalar(f->module, at.type, bits);
    }
    uint32_t parts[MOST_PARTS], count = def ? part_count(f, def) : 0;
    f->why = "its type is not followed";
    if (!count || count > MOST_PARTS || depth > MOST_DEPTH)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        wpg_block_place part;
        if (!element(&part, f, at, i) || !(parts[i] = make(f, part, depth + 1)))
            return 0;
    }
    return wpg_const_composite(f->module, at.type, parts, count);
}

uint32_t wpg_push_constant_of(uint64_t *words, const char **why, wpg_module *module, const wpg_inst *load,
                              const wpg_push_known *known)
{
    folding f = {.module = module, .known = known};
    wpg_block_place at;
    uint32_t made = 0;
    if (load->count > 4 && (load->words[4] & SpvMemoryAccessVolatileMask))
        f.why = "it is volatile";
    else if (wpg_has_decoration_groups(module))
        f.why = "decorations come in groups";
    else if (locate(&at, &f, load->words[3], 0))
        made = at.type == load->type ? make(&f, at, 0) : 0;
    if (made)
        *words |= f.words;
    *why = f.why;
    return made;
}
