/* See contents.h. */
#include "tests/corpus/contents.h"

#include <string.h>

typedef struct walk {
    const wpg_module *module;
    uint8_t *bytes;
    size_t size;
    uint32_t seed;
} walk;

/* How a matrix lies, as the member that holds it says. */
typedef struct matrix_form {
    uint32_t stride;
    bool rows;
} matrix_form;

static uint32_t mixed(uint32_t index, uint32_t seed)
{
    uint32_t x = (index + 1) * 2654435761u ^ seed * 0x9e3779b9u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

uint32_t contents_int(uint32_t index, uint32_t seed)
{
    return mixed(index, seed) % (seed ? 5 : 8);
}

float contents_float(uint32_t index, uint32_t seed)
{
    static const float numbers[2][8] = {{1, 0.5f, 0, 0.25f, 2, 0.75f, -0.5f, 1},
                                        {0, 1, 0.125f, -1, 3, 0.625f, 0.875f, 1.5f}};
    return numbers[seed != 0][mixed(index, seed) % 8];
}

uint16_t contents_half(uint32_t index, uint32_t seed)
{
    static const uint16_t halves[8] = {0x0000, 0x3c00, 0x3800, 0x3400, 0x3a00, 0xb800, 0x4000, 0x2e66};
    return halves[mixed(index, seed) % 8];
}

static uint32_t literal(const wpg_module *module, uint32_t type, SpvDecoration decoration, uint32_t absent)
{
    const wpg_inst *found = wpg_find_decoration(module, type, decoration);
    return found && found->count > 3 ? found->words[3] : absent;
}

const wpg_inst *contents_member(const wpg_module *module, uint32_t type, uint32_t member,
                                SpvDecoration decoration)
{
    WPG_INST_EACH (i, module) {
        if (i->opcode == SpvOpFunction)
            break;
        if (i->opcode == SpvOpMemberDecorate && i->words[1] == type && i->words[2] == member &&
            i->words[3] == (uint32_t)decoration)
            return i;
    }
    return NULL;
}

static uint32_t member_literal(const wpg_module *module, uint32_t type, uint32_t member,
                               SpvDecoration decoration, uint32_t absent)
{
    const wpg_inst *found = contents_member(module, type, member, decoration);
    return found && found->count > 4 ? found->words[4] : absent;
}

static matrix_form form_of(const wpg_module *module, uint32_t type, uint32_t member)
{
    return (matrix_form){member_literal(module, type, member, SpvDecorationMatrixStride, 16),
                         contents_member(module, type, member, SpvDecorationRowMajor) != NULL};
}

static uint32_t length_of(const wpg_module *module, const wpg_inst *array)
{
    const wpg_inst *length = wpg_module_def(module, array->words[3]);
    return length && length->count > 3 ? length->words[3] : 1;
}

uint32_t contents_type(const wpg_module *module, uint32_t variable)
{
    const wpg_inst *v = wpg_module_def(module, variable),
                   *pointer = v ? wpg_module_def(module, v->type) : NULL,
                   *of = pointer && pointer->count > 3 ? wpg_module_def(module, pointer->words[3]) : NULL;
    while (of && (of->opcode == SpvOpTypeArray || of->opcode == SpvOpTypeRuntimeArray))
        of = wpg_module_def(module, of->words[2]);
    return of ? of->result : 0;
}

static size_t size_of(const wpg_module *module, uint32_t type, uint32_t tail, matrix_form form,
                      unsigned depth)
{
    const wpg_inst *of = wpg_module_def(module, type);
    size_t size = 0;
    if (!of || depth > 32)
        return 0;
    switch (of->opcode) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        return of->words[2] / 8;
    case SpvOpTypePointer:
        return 8;
    case SpvOpTypeVector:
        return size_of(module, of->words[2], tail, form, depth + 1) * of->words[3];
    case SpvOpTypeMatrix: {
        const wpg_inst *column = wpg_module_def(module, of->words[2]);
        return (size_t)form.stride * (form.rows && column ? column->words[3] : of->words[3]);
    }
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
        size = literal(module, type, SpvDecorationArrayStride, 0);
        if (size == 0)
            size = size_of(module, of->words[2], tail, form, depth + 1);
        return size * (of->opcode == SpvOpTypeArray ? length_of(module, of) : tail);
    case SpvOpTypeStruct:
        for (uint32_t m = 0; m + 2 < of->count; m++) {
            const size_t end = member_literal(module, type, m, SpvDecorationOffset, 0) +
                               size_of(module, of->words[2 + m], tail, form_of(module, type, m), depth + 1);
            size = end > size ? end : size;
        }
        return size;
    default:
        return 0;
    }
}

size_t contents_size(const wpg_module *module, uint32_t type, uint32_t tail)
{
    return size_of(module, type, tail, (matrix_form){16, false}, 0);
}

bool contents_has_address(const wpg_module *module, uint32_t type)
{
    const wpg_inst *of = wpg_module_def(module, type);
    if (!of || of->opcode == SpvOpTypePointer)
        return of != NULL;
    if (of->opcode == SpvOpTypeArray || of->opcode == SpvOpTypeRuntimeArray)
        return contents_has_address(module, of->words[2]);
    for (uint32_t m = 0; of->opcode == SpvOpTypeStruct && m + 2 < of->count; m++)
        if (contents_has_address(module, of->words[2 + m]))
            return true;
    return false;
}

static void put(const walk *w, size_t at, const void *number, size_t size)
{
    if (at + size <= w->size)
        memcpy(w->bytes + at, number, size);
}

static void fill_scalar(const walk *w, const wpg_inst *type, size_t at, int diagonal)
{
    const uint32_t index = (uint32_t)(at / (type->words[2] / 8));
    if (type->opcode == SpvOpTypeInt) {
        const uint64_t number = contents_int(index, w->seed);
        put(w, at, &number, type->words[2] / 8);
        return;
    }
    float number = contents_float(index, w->seed);
    if (diagonal >= 0)
        number = diagonal ? 1 : number / 8;
    const double wide = (double)number;
    const uint16_t half = diagonal > 0 ? 0x3c00 : contents_half(index, w->seed);
    if (type->words[2] == 64)
        put(w, at, &wide, sizeof wide);
    else if (type->words[2] == 32)
        put(w, at, &number, sizeof number);
    else
        put(w, at, &half, sizeof half);
}

static void fill_matrix(const walk *w, const wpg_inst *type, size_t at, matrix_form form)
{
    const wpg_inst *column = wpg_module_def(w->module, type->words[2]),
                   *scalar = column ? wpg_module_def(w->module, column->words[2]) : NULL;
    if (!scalar)
        return;
    const size_t width = scalar->words[2] / 8;
    for (uint32_t c = 0; c < type->words[3]; c++)
        for (uint32_t r = 0; r < column->words[3]; r++)
            fill_scalar(w, scalar,
                        at + (size_t)form.stride * (form.rows ? r : c) + width * (form.rows ? c : r), c == r);
}

static void fill(const walk *w, uint32_t type, size_t at, matrix_form form, unsigned depth)
{
    const wpg_inst *of = wpg_module_def(w->module, type);
    if (!of || depth > 32 || at >= w->size)
        return;
    switch (of->opcode) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        fill_scalar(w, of, at, -1);
        return;
    case SpvOpTypeVector: {
        const size_t width = size_of(w->module, of->words[2], 0, form, depth);
        for (uint32_t i = 0; i < of->words[3]; i++)
            fill(w, of->words[2], at + i * width, form, depth + 1);
        return;
    }
    case SpvOpTypeMatrix:
        fill_matrix(w, of, at, form);
        return;
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray: {
        size_t stride = literal(w->module, type, SpvDecorationArrayStride, 0);
        if (stride == 0)
            stride = size_of(w->module, of->words[2], 1, form, depth);
        const uint32_t length = of->opcode == SpvOpTypeArray ? length_of(w->module, of) : UINT32_MAX;
        for (uint32_t i = 0; i < length && stride && at < w->size; i++, at += stride)
            fill(w, of->words[2], at, form, depth + 1);
        return;
    }
    case SpvOpTypeStruct:
        for (uint32_t m = 0; m + 2 < of->count; m++)
            fill(w, of->words[2 + m], at + member_literal(w->module, type, m, SpvDecorationOffset, 0),
                 form_of(w->module, type, m), depth + 1);
        return;
    default:
        return;
    }
}

void contents_fill(uint8_t *bytes, size_t size, const wpg_module *module, uint32_t type, uint32_t seed)
{
    const walk w = {module, bytes, size, seed};
    fill(&w, type, 0, (matrix_form){16, false}, 0);
}
