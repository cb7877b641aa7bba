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
    bool changed;
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

static void visit(finder *f, const wpg_inst *inst)
{
    switch ((SpvOp)inst->opcode) {
    case SpvOpBitcast:
        if (is_float(f->module, inst->type))
            return;
        use(f, inst->words[3], f->as_integer[inst->result]);
        return;
    case SpvOpCompositeExtract:
        if (inst->count == 5) {
            use(f, inst->words[3], f->as_integer[inst->result] ? part(inst->words[4]) : 0);
            return;
        }
        break;
    case SpvOpVectorShuffle:
        use_shuffle(f, inst);
        return;
    default:
        break;
    }
    (void)wpg_used_ids(&f->operands, f->module, inst); /* of a malformed one, those before the fault */
    for (size_t i = 0; i < f->operands.count; i++)
        use(f, inst->words[f->operands.data[i]], ALL);
}

bool wpg_word_casts_find(wpg_word_casts *casts, const wpg_cfg *cfg, wpg_arena *arena)
{
    finder f = {.module = cfg->module,
                .as_integer = WPG_ARENA_ARRAY(arena, uint8_t, cfg->module->bound),
                .bound = cfg->module->bound,
                .changed = true};
    *casts = (wpg_word_casts){f.as_integer, f.bound};
    while (f.as_integer && f.changed) {
        f.changed = false;
        for (uint32_t b = cfg->count; b-- > 0;)
            for (const wpg_inst *inst = cfg->blocks[b].terminator; inst;
                 inst = inst == cfg->blocks[b].label ? NULL : inst->prev)
                visit(&f, inst);
    }
    wpg_vec_free(&f.operands);
    return f.as_integer != NULL;
}

bool wpg_word_is_cast(const wpg_word_casts *casts, const wpg_inst *load, uint32_t component)
{
    const unsigned parts = component == WPG_NO_BLOCK ? ALL : part(component);
    return load->result < casts->bound && !(casts->as_integer[load->result] & parts);
}
