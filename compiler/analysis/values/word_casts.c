/* See word_casts.h. Backwards to a fixed point: a component is an integer if any use but a cast to floats
 * takes it, or takes what a cast, extract or shuffle makes of it. */
#include "compiler/analysis/values/word_casts.h"

#include "compiler/spirv/grammar.h"

enum { ALL = 0xff, MOST_PARTS = 8 };

typedef struct finder {
    const wpg_module *module;
    uint8_t *as_integer;
    uint32_t bound;
    wpg_operand_list operands;
    WPG_VEC(const wpg_inst *) passing; /* their operands hang on how their result is used */
    bool changed, failed;
} finder;

static void use(finder *f, uint32_t id, unsigned parts)
{
    if (id >= f->bound || (f->as_integer[id] | parts) == f->as_integer[id])
        return;
    f->as_integer[id] |= (uint8_t)parts;
    f->changed = true;
}

static bool is_float(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = wpg_module_def(module, type);
    if (def && def->opcode == SpvOpTypeVector)
        def = wpg_module_def(module, def->words[2]);
    return def && def->opcode == SpvOpTypeFloat;
}

/* One bit a component; past the table all of them. */
static unsigned part(uint32_t index)
{
    return index < MOST_PARTS ? 1u << index : ALL;
}

/* Components of the operands that become used components of the result. */
static void use_shuffle(finder *f, const wpg_inst *inst)
{
    const wpg_inst *first = wpg_module_def(f->module, inst->words[3]);
    const wpg_inst *type = first ? wpg_module_def(f->module, first->type) : NULL;
    if (!type || type->opcode != SpvOpTypeVector)
        return;
    for (unsigned i = 5; i < inst->count; i++)
        if (f->as_integer[inst->result] & part(i - 5) && inst->words[i] != UINT32_MAX) {
            const bool in_first = inst->words[i] < type->words[3];
            use(f, inst->words[in_first ? 3 : 4], part(inst->words[i] - (in_first ? 0 : type->words[3])));
        }
}

/* False: the operands do not hang on how the result is used. */
static bool pass_on(finder *f, const wpg_inst *inst)
{
    switch ((SpvOp)inst->opcode) {
    case SpvOpBitcast:
        if (!is_float(f->module, inst->type))
            use(f, inst->words[3], f->as_integer[inst->result]);
        return true;
    case SpvOpCompositeExtract:
        if (inst->count == 5)
            use(f, inst->words[3], f->as_integer[inst->result] ? part(inst->words[4]) : 0);
        return inst->count == 5;
    case SpvOpVectorShuffle:
        use_shuffle(f, inst);
        return true;
    default:
        return false;
    }
}

static void visit(finder *f, const wpg_inst *inst)
{
    if (pass_on(f, inst)) {
        f->failed |= !wpg_vec_push(&f->passing, inst); /* NOLINT(bugprone-sizeof-expression) */
        return;
    }
    (void)wpg_used_ids(&f->operands, f->module, inst); /* of a malformed one, those before the fault */
    for (size_t i = 0; i < f->operands.count; i++)
        use(f, inst->words[f->operands.data[i]], ALL);
}

bool wpg_word_casts_find(wpg_word_casts *casts, const wpg_cfg *cfg, wpg_arena *arena)
{
    finder f = {.module = cfg->module,
                .as_integer = WPG_ARENA_ARRAY(arena, uint8_t, cfg->module->bound),
                .bound = cfg->module->bound};
    *casts = (wpg_word_casts){f.as_integer, f.bound};
    for (uint32_t b = f.as_integer ? cfg->count : 0; b-- > 0;)
        for (const wpg_inst *inst = cfg->blocks[b].terminator; inst;
             inst = inst == cfg->blocks[b].label ? NULL : inst->prev)
            visit(&f, inst);
    for (f.changed = true; f.changed && !f.failed;) {
        f.changed = false;
        for (size_t i = 0; i < f.passing.count; i++)
            (void)pass_on(&f, f.passing.data[i]);
    }
    wpg_vec_free(&f.operands);
    wpg_vec_free(&f.passing);
    return f.as_integer && !f.failed;
}

bool wpg_word_is_cast(const wpg_word_casts *casts, const wpg_inst *load, uint32_t component)
{
    const unsigned parts = component == WPG_NO_BLOCK ? ALL : part(component);
    return load->result < casts->bound && !(casts->as_integer[load->result] & parts);
}
