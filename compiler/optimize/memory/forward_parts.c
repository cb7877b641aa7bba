/* extract(construct(a, b), 1) -> b. See promote.h. */
#include "compiler/optimize/ir/parts.h"
#include "compiler/optimize/memory/promote.h"
#include "compiler/spirv/grammar.h"

typedef struct forwarder {
    wpg_module *module;
    uint32_t *instead; /* [bound] */
    wpg_operand_list operands;
    bool nomem;
} forwarder;

static void forward_operands(forwarder *f, wpg_inst *inst)
{
    f->nomem |= !wpg_used_ids(&f->operands, f->module, inst);
    for (size_t i = 0; i < f->operands.count; i++) {
        uint32_t *id = &inst->words[f->operands.data[i]];
        if (f->instead[*id])
            *id = f->instead[*id];
    }
}

bool wpg_forward_parts(bool *changed, wpg_module *module)
{
    wpg_arena arena;
    wpg_arena_init(&arena);
    forwarder f = {.module = module, .instead = WPG_ARENA_ARRAY(&arena, uint32_t, module->bound)};
    bool any = false;
    wpg_inst *first = wpg_first_function(module);
    for (wpg_inst *inst = f.instead ? first : NULL; inst && !f.nomem; inst = inst->next) {
        uint32_t left = 1;
        forward_operands(&f, inst);
        const uint32_t part = inst->opcode == SpvOpCompositeExtract ? wpg_part_of(module, inst, &left) : 0;
        if (left == 0 && part) {
            f.instead[inst->result] = part;
            any = true;
        }
    }
    for (wpg_inst *inst = any ? first : NULL; inst && !f.nomem; inst = inst->next)
        if (inst->opcode == SpvOpPhi) /* by back edges */
            forward_operands(&f, inst);
    const bool fits = f.instead && !f.nomem;
    wpg_vec_free(&f.operands);
    wpg_arena_finish(&arena);
    *changed |= any;
    return fits;
}
