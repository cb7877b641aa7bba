/* Copies every function of a module: fresh ids for all results, everything else unchanged. Decorations of
 * results (NoContraction, RelaxedPrecision, NonUniform, ...) are copied. Names and lines are not: no code
 * depends on them. Source: SPIR-V 1.6, 2.4 (functions may stand in any order), 3.42.3 (annotations). */
#include <string.h>

#include "compiler/instrument/sampling/sample.h"
#include "compiler/spirv/grammar.h"
#include "runtime/base/vec.h"

static bool ids_are_seen(const wpg_module *module, const wpg_inst *inst)
{
    wpg_operand_walk walk = wpg_operands(module, inst);
    wpg_operand operand;
    while (wpg_operand_next(&walk, &operand))
        ;
    return !walk.malformed;
}

bool wpg_sample_can_clone(const wpg_module *module)
{
    bool in_functions = false;
    for (wpg_inst *inst = module->has_unknown ? module->first : NULL; inst; inst = inst->next) {
        in_functions |= inst->opcode == SpvOpFunction;
        if (in_functions && !ids_are_seen(module, inst))
            return false;
    }
    return true;
}

typedef struct cloner {
    wpg_module *module;
    wpg_inst *end;    /* the last instruction that is not a copy */
    uint32_t *copies; /* [bound] id in the copy, 0 where none */
    uint32_t bound;   /* of the module before */
    WPG_VEC(uint32_t) words;
    bool failed;
} cloner;

static uint32_t copied(const cloner *c, uint32_t id)
{
    return id < c->bound && c->copies[id] ? c->copies[id] : id;
}

static bool is_line(const wpg_inst *inst)
{
    return inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine;
}

/* The instruction's operands with the copies' ids, in c->words. */
static bool translate(cloner *c, const wpg_inst *inst)
{
    wpg_vec_clear(&c->words);
    if (!wpg_vec_reserve(&c->words, inst->count)) {
        c->failed = true;
        return false;
    }
    memcpy(c->words.data, inst->words, inst->count * sizeof *inst->words);
    wpg_operand_walk walk = wpg_operands(c->module, inst);
    wpg_operand operand;
    while (wpg_operand_next(&walk, &operand)) {
        if (wpg_operand_is_id(&operand))
            c->words.data[operand.at] = copied(c, inst->words[operand.at]);
    }
    return true;
}

static void copy_inst(cloner *c, const wpg_inst *inst, wpg_inst *where)
{
    if (translate(c, inst))
        wpg_inst_insert(c->module, where, (SpvOp)inst->opcode, c->words.data + 1, inst->count - 1u);
}

/* OpGroupDecorate and its like: the copies among the targets. */
static void copy_group_targets(cloner *c, const wpg_inst *inst)
{
    wpg_vec_clear(&c->words);
    bool good = wpg_vec_push(&c->words, inst->words[1]);
    for (unsigned i = 2; i < inst->count && good; i++)
        if (copied(c, inst->words[i]) != inst->words[i])
            good = wpg_vec_push(&c->words, copied(c, inst->words[i]));
    c->failed |= !good;
    if (good && c->words.count > 1)
        wpg_inst_insert(c->module, inst->next, SpvOpGroupDecorate, c->words.data, c->words.count);
}

static void copy_decorations(cloner *c)
{
    for (wpg_inst *inst = c->module->first, *next; inst && inst->opcode != SpvOpFunction; inst = next) {
        next = inst->next;
        switch ((SpvOp)inst->opcode) {
        case SpvOpDecorate:
        case SpvOpDecorateId:
        case SpvOpDecorateString:
            if (inst->count > 1 && copied(c, inst->words[1]) != inst->words[1])
                copy_inst(c, inst, next);
            break;
        case SpvOpGroupDecorate:
            if (inst->count > 2)
                copy_group_targets(c, inst);
            break;
        default:
            break;
        }
    }
}

static void copy_functions(cloner *c)
{
    wpg_inst *first = wpg_first_function(c->module);
    for (wpg_inst *inst = first;; inst = inst->next) {
        if (inst->result)
            c->copies[inst->result] = wpg_module_fresh_id(c->module);
        if (inst == c->end)
            break;
    }
    for (wpg_inst *inst = first; !c->failed; inst = inst->next) {
        if (!is_line(inst))
            copy_inst(c, inst, NULL);
        if (inst == c->end)
            break;
    }
}

uint32_t wpg_sample_clone(wpg_inject *in)
{
    wpg_module *m = in->module;
    cloner c = {.module = m, .end = m->last, .bound = m->bound};
    c.copies = WPG_ARENA_ARRAY(&m->arena, uint32_t, c.bound);
    if (!c.copies)
        return 0;
    copy_functions(&c);
    copy_decorations(&c);
    wpg_vec_free(&c.words);
    in->failed |= c.failed;
    return copied(&c, in->plan->functions[0].function->result);
}
