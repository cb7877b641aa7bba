/* Pass: specialisation constants become constants. A constant takes the pipeline's value if there is one,
 * else the default. A specialisation operation is folded if it has a defined integer, boolean or structural
 * result. An operation that cannot be folded stays an OpSpecConstantOp over constants. A composite of such
 * operations stays an OpSpecConstantComposite. Ids are kept, so built-in decorations (WorkgroupSize),
 * LocalSizeId and array lengths keep their meaning. Needs: a parsed module, declarations before uses. Source:
 * SPIR-V 1.6, 2.9, 3.52.7 (OpSpecConstantOp). */
#include "compiler/normalize/internal.h"
#include "compiler/spirv/const_fold.h"

#include <string.h>

#include "runtime/base/vec.h"

enum { MAX_PARTS = 1024, MAX_DEPTH = 8 };

/* A scalar constant this pass made, to be used again by later folds. */
typedef struct made_scalar {
    uint32_t type, id;
    uint64_t bits;
} made_scalar;

typedef struct freezer {
    wpg_module *module;
    const wpg_stage *stage;
    uint32_t *spec_ids; /* SpecId + 1 by id */
    uint32_t spec_ids_count;
    WPG_VEC(made_scalar) made;
    bool out_of_memory;
} freezer;

static void const_words(uint32_t words[2], uint32_t *count, uint64_t bits, uint32_t width, bool sign)
{
    if (sign && width < 32 && bits >> (width - 1) & 1)
        bits |= UINT64_MAX << width;
    words[0] = (uint32_t)bits;
    words[1] = (uint32_t)(bits >> 32);
    *count = width > 32 ? 2 : 1;
}

/* Turns `inst` into the scalar constant `bits` of its type. */
static bool become_scalar(freezer *f, wpg_inst *inst, uint64_t bits)
{
    bool is_float, is_signed;
    uint32_t width = wpg_scalar_width(f->module, inst->type, &is_float, &is_signed);
    uint32_t operands[4] = {inst->type, inst->result}, count;
    if (!width)
        return false;
    if (width == 1) {
        wpg_inst_rewrite(f->module, inst, bits & 1 ? SpvOpConstantTrue : SpvOpConstantFalse, operands, 2);
        return true;
    }
    const_words(operands + 2, &count, bits, width, is_signed);
    wpg_inst_rewrite(f->module, inst, SpvOpConstant, operands, 2 + count);
    return true;
}

/* A scalar constant declared before `where`. */
static uint32_t scalar_before(freezer *f, wpg_inst *where, uint32_t type, uint64_t bits)
{
    made_scalar *m;
    WPG_VEC_EACH (m, &f->made)
        if (m->type == type && m->bits == bits)
            return m->id;
    uint32_t id = wpg_module_fresh_id(f->module);
    wpg_inst *inst = wpg_inst_add(f->module, where, SpvOpConstantNull, type, id);
    become_scalar(f, inst, bits);
    if (!wpg_vec_push(&f->made, (made_scalar){.type = type, .id = id, .bits = bits}))
        f->out_of_memory = true;
    return id;
}

static bool is_plain_constant(const wpg_module *module, uint32_t id)
{
    SpvOp opcode = wpg_module_opcode_of(module, id);
    return (opcode >= SpvOpConstantTrue && opcode <= SpvOpConstantNull) || opcode == SpvOpUndef;
}

/* -- Values of the application ------------------------------------------------------------------------- */

static const wpg_spec_value *value_of(const freezer *f, uint32_t id)
{
    uint32_t spec = id < f->spec_ids_count ? f->spec_ids[id] : 0;
    for (size_t i = 0; spec && i < f->stage->spec_count; i++)
        if (f->stage->spec[i].constant_id == spec - 1)
            return &f->stage->spec[i];
    return NULL;
}

static bool freeze_constant(freezer *f, wpg_inst *inst)
{
    const wpg_spec_value *value = value_of(f, inst->result);
    uint64_t bits = inst->opcode == SpvOpSpecConstantTrue;
    if (inst->opcode == SpvOpSpecConstant)
        bits = inst->words[3] | (inst->count > 4 ? (uint64_t)inst->words[4] << 32 : 0);
    if (value) {
        bool is_bool = inst->opcode != SpvOpSpecConstant; /* a VkBool32: any bit set is true */
        bits = is_bool ? value->bits != 0 : value->bits;
    }
    bool is_float, is_signed;
    uint32_t width = wpg_scalar_width(f->module, inst->type, &is_float, &is_signed);
    if (width && width < 64)
        bits &= (UINT64_C(1) << width) - 1;
    return become_scalar(f, inst, bits);
}

static bool freeze_composite(freezer *f, wpg_inst *inst)
{
    for (uint32_t i = 3; i < inst->count; i++)
        if (!is_plain_constant(f->module, inst->words[i]))
            return false;
    wpg_inst_rewrite(f->module, inst, SpvOpConstantComposite, inst->words + 1, inst->count - 1u);
    return true;
}

/* -- Shapes of constants ------------------------------------------------------------------------------- */

/* Parts of a composite type and the type of part `index`; 0 parts for scalars and unknown lengths. */
static uint32_t part_type(const wpg_module *module, uint32_t type, uint32_t index, uint32_t *parts)
{
    const wpg_inst *t = wpg_module_def(module, type);
    uint64_t bits;
    uint32_t width;
    *parts = 0;
    if (!t)
        return 0;
    switch (t->opcode) {
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        *parts = t->words[3];
        return t->words[2];
    case SpvOpTypeArray:
        if (wpg_const_value(module, t->words[3], &bits, &width) && bits <= MAX_PARTS)
            *parts = (uint32_t)bits;
        return t->words[2];
    case SpvOpTypeStruct:
        *parts = t->count - 2u;
        return index < *parts ? t->words[2 + index] : 0;
    default:
        return 0;
    }
}

static uint32_t null_before(freezer *f, wpg_inst *where, uint32_t type)
{
    uint32_t id = wpg_module_fresh_id(f->module);
    wpg_inst_add(f->module, where, SpvOpConstantNull, type, id);
    return id;
}

/* Id of part `index` of the constant `id`, 0 if it is no plain composite. A null's parts are made. */
static uint32_t part_of(freezer *f, wpg_inst *where, uint32_t id, uint32_t index)
{
    const wpg_inst *c = wpg_module_def(f->module, id);
    uint32_t parts, type = c ? part_type(f->module, c->type, index, &parts) : 0;
    if (!type || index >= parts)
        return 0;
    if (c->opcode == SpvOpConstantComposite)
        return index + 3u < c->count ? c->words[3 + index] : 0;
    return c->opcode == SpvOpConstantNull ? null_before(f, where, type) : 0;
}

/* Turns `inst` into a constant equal to `id`. */
static bool become_copy(freezer *f, wpg_inst *inst, uint32_t id)
{
    const wpg_inst *c = wpg_module_def(f->module, id);
    if (!c || c->opcode < SpvOpConstantTrue || c->opcode > SpvOpConstantNull || c->count < 3)
        return false;
    uint32_t operands[MAX_PARTS + 2];
    if (c->count > MAX_PARTS + 2)
        return false;
    memcpy(operands, c->words + 1, (c->count - 1u) * sizeof *operands);
    operands[0] = inst->type;
    operands[1] = inst->result;
    wpg_inst_rewrite(f->module, inst, (SpvOp)c->opcode, operands, c->count - 1u);
    return true;
}

static bool become_composite(freezer *f, wpg_inst *inst, const uint32_t *parts, uint32_t count)
{
    uint32_t operands[MAX_PARTS + 2] = {inst->type, inst->result};
    for (uint32_t i = 0; i < count; i++) {
        if (!parts[i] || !is_plain_constant(f->module, parts[i]))
            return false;
        operands[2 + i] = parts[i];
    }
    wpg_inst_rewrite(f->module, inst, SpvOpConstantComposite, operands, 2 + count);
    return true;
}

/* -- Operations ---------------------------------------------------------------------------------------- */

/* words[4...] are the operands of the operation. */

static bool fold_extract(freezer *f, wpg_inst *inst)
{
    uint32_t id = inst->words[4];
    for (uint32_t i = 5; i < inst->count && id; i++)
        id = part_of(f, inst, id, inst->words[i]);
    return id && become_copy(f, inst, id);
}

/* The constant `into` with the part at indices[0..depth) replaced by `part`; declared before `where`. */
static uint32_t insert_before(freezer *f, wpg_inst *where, uint32_t type, uint32_t into, uint32_t part,
                              const uint32_t *indices, uint32_t depth)
{
    uint32_t parts, ids[MAX_PARTS], inner[MAX_DEPTH + 1], types[MAX_DEPTH + 1];
    if (depth < 1 || depth > MAX_DEPTH)
        return 0;
    inner[0] = into;
    types[0] = type;
    for (uint32_t level = 0; level + 1 < depth; level++) {
        types[level + 1] = part_type(f->module, types[level], indices[level], &parts);
        inner[level + 1] = part_of(f, where, inner[level], indices[level]);
        if (!types[level + 1] || !inner[level + 1])
            return 0;
    }
    for (uint32_t level = depth; level-- > 0;) {
        part_type(f->module, types[level], 0, &parts);
        if (indices[level] >= parts || parts > MAX_PARTS)
            return 0;
        for (uint32_t i = 0; i < parts; i++)
            ids[i] = i == indices[level] ? part : part_of(f, where, inner[level], i);
        part = wpg_module_fresh_id(f->module);
        wpg_inst *made = wpg_inst_add(f->module, where, SpvOpConstantNull, types[level], part);
        if (!become_composite(f, made, ids, parts))
            return 0;
    }
    return part;
}

static bool fold_insert(freezer *f, wpg_inst *inst)
{
    if (inst->count < 7 || !is_plain_constant(f->module, inst->words[4]))
        return false;
    uint32_t id =
        insert_before(f, inst, inst->type, inst->words[5], inst->words[4], inst->words + 6, inst->count - 6u);
    return id && become_copy(f, inst, id);
}

static bool fold_shuffle(freezer *f, wpg_inst *inst)
{
    const wpg_inst *a = wpg_module_def(f->module, inst->words[4]);
    uint32_t first = 0, parts = inst->count - 6u, ids[16];
    if (inst->count < 7 || parts > 16 || !a || !part_type(f->module, a->type, 0, &first))
        return false;
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t index = inst->words[6 + i];
        if (index == UINT32_MAX) /* undefined component */
            return false;
        ids[i] = index < first ? part_of(f, inst, inst->words[4], index)
                               : part_of(f, inst, inst->words[5], index - first);
    }
    return become_composite(f, inst, ids, parts);
}

/* Widening of a normal floating-point value is exact; everything else depends on rounding. */
static bool fold_fconvert(freezer *f, wpg_inst *inst)
{
    uint64_t bits;
    uint32_t from, to;
    bool is_float, is_signed;
    to = wpg_scalar_width(f->module, inst->type, &is_float, &is_signed);
    if (!is_float || !wpg_const_value(f->module, inst->words[4], &bits, &from) || from != 32 || to != 64)
        return false;
    uint32_t narrow = (uint32_t)bits, exponent = narrow >> 23 & 0xff;
    if (exponent == 0xff || (!exponent && narrow << 1))
        return false;
    float value;
    double wide;
    memcpy(&value, &narrow, sizeof value);
    wide = value;
    memcpy(&bits, &wide, sizeof bits);
    return become_scalar(f, inst, bits);
}

/* Component `i` of operand `id`, itself if the operand is a scalar. */
static bool component(freezer *f, wpg_inst *where, uint32_t id, uint32_t i, uint64_t *bits, uint32_t *width)
{
    const wpg_inst *c = wpg_module_def(f->module, id);
    uint32_t parts = 0;
    if (c && part_type(f->module, c->type, 0, &parts) && parts) {
        if (c->opcode == SpvOpConstantNull) { /* no constant need be made to read a zero */
            bool is_float, is_signed;
            const wpg_inst *type = wpg_module_def(f->module, c->type);
            *bits = 0;
            *width = type ? wpg_scalar_width(f->module, type->words[2], &is_float, &is_signed) : 0;
            return *width != 0;
        }
        id = part_of(f, where, id, i);
    }
    return id && wpg_const_value(f->module, id, bits, width);
}

/* Integer and boolean arithmetic, by component. */
static bool fold_arithmetic(freezer *f, wpg_inst *inst)
{
    SpvOp opcode = (SpvOp)inst->words[3];
    uint32_t operand_count = inst->count - 4u, parts = 0, element = inst->type;
    const wpg_inst *type = wpg_module_def(f->module, inst->type);
    if (operand_count < 1 || operand_count > WPG_FOLD_OPERANDS || !type)
        return false;
    if (type->opcode == SpvOpTypeVector)
        element = part_type(f->module, inst->type, 0, &parts);
    bool is_float, is_signed;
    uint32_t lanes = parts ? parts : 1, width = wpg_scalar_width(f->module, element, &is_float, &is_signed);
    uint64_t out[16];
    if (!width || lanes > 16 || (is_float && opcode != SpvOpSelect))
        return false;
    for (uint32_t i = 0; i < lanes; i++) {
        uint64_t bits[WPG_FOLD_OPERANDS];
        uint32_t widths[WPG_FOLD_OPERANDS];
        for (uint32_t k = 0; k < operand_count; k++)
            if (!component(f, inst, inst->words[4 + k], i, &bits[k], &widths[k]))
                return false;
        out[i] = 0;
        if (!wpg_fold_scalar(&out[i], opcode, width, bits, widths, operand_count))
            return false;
    }
    if (!parts)
        return become_scalar(f, inst, out[0]);
    uint32_t ids[16];
    for (uint32_t i = 0; i < lanes; i++)
        ids[i] = scalar_before(f, inst, element, out[i]);
    return become_composite(f, inst, ids, lanes);
}

/* A select between composites by one scalar condition (SPIR-V 1.4). */
static bool fold_select(freezer *f, wpg_inst *inst)
{
    uint64_t bits;
    uint32_t width;
    if (inst->count != 7 || !wpg_const_value(f->module, inst->words[4], &bits, &width) || width != 1)
        return fold_arithmetic(f, inst);
    return become_copy(f, inst, inst->words[bits ? 5 : 6]);
}

static bool freeze_operation(freezer *f, wpg_inst *inst)
{
    if (inst->count < 5)
        return false;
    switch (inst->words[3]) {
    case SpvOpCompositeExtract:
        return fold_extract(f, inst);
    case SpvOpCompositeInsert:
        return fold_insert(f, inst);
    case SpvOpVectorShuffle:
        return fold_shuffle(f, inst);
    case SpvOpSelect:
        return fold_select(f, inst);
    case SpvOpFConvert:
        return fold_fconvert(f, inst);
    default:
        return fold_arithmetic(f, inst);
    }
}

/* -- The pass ------------------------------------------------------------------------------------------ */

static bool freeze(freezer *f, wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpSpecConstant:
        return freeze_constant(f, inst);
    case SpvOpSpecConstantComposite:
        return freeze_composite(f, inst);
    case SpvOpSpecConstantOp:
        return freeze_operation(f, inst);
    default:
        return false;
    }
}

static bool read_spec_ids(freezer *f, wpg_arena *arena)
{
    f->spec_ids_count = f->module->bound;
    f->spec_ids = WPG_ARENA_ARRAY(arena, uint32_t, f->module->bound);
    if (!f->spec_ids)
        return false;
    for (wpg_inst *inst = f->module->first, *next; inst && inst->opcode != SpvOpFunction; inst = next) {
        next = inst->next;
        if (inst->opcode != SpvOpDecorate || inst->count < 4 || inst->words[2] != SpvDecorationSpecId)
            continue;
        if (inst->words[1] < f->spec_ids_count && !f->spec_ids[inst->words[1]])
            f->spec_ids[inst->words[1]] = inst->words[3] + 1;
        wpg_inst_remove(f->module, inst);
    }
    return true;
}

wpg_status wpg_freeze_spec_constants(wpg_module *module, const wpg_stage *stage, wpg_normal_info *info,
                                     wpg_error *err)
{
    bool any = false;
    for (wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction && !any; inst = inst->next)
        any = inst->opcode >= SpvOpSpecConstantTrue && inst->opcode <= SpvOpSpecConstantOp;
    if (!any)
        return WPG_OK;
    wpg_arena arena;
    wpg_arena_init(&arena);
    freezer f = {.module = module, .stage = stage};
    f.out_of_memory = !read_spec_ids(&f, &arena);
    for (wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction && !f.out_of_memory;
         inst = inst->next)
        if (freeze(&f, inst) && info)
            info->constants_frozen++;
    wpg_vec_free(&f.made);
    wpg_arena_finish(&arena);
    return f.out_of_memory ? wpg_fail(err, WPG_E_NOMEM, "out of memory for constants") : WPG_OK;
}
