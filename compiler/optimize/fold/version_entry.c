/* See version_entry.h.
 *
 *     x = block.size, y = block.stride                       the words of all tests, once each
 *     if (((x ^ 120000) | (y ^ 64)) == 0)     version 1
 *     else if (((x ^ 4096) | (y ^ 8)) == 0)   version 2
 *     else                                    copy
 */
#include "compiler/optimize/fold/version_entry.h"

#include "compiler/optimize/loops/cloner.h"
#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/spirv/builder.h"

/* -- The copy -- */

typedef struct copier {
    wpg_module *module;
    uint32_t *copies; /* [bound] of the function's ids; 0: not the function's */
    uint32_t bound;
    wpg_operand_list operands;
    bool nomem;
} copier;

static uint32_t copied(const copier *c, uint32_t id)
{
    return id < c->bound && c->copies[id] ? c->copies[id] : id;
}

static void copy_inst(copier *c, const wpg_inst *inst, wpg_inst *where)
{
    wpg_inst *copy = wpg_inst_copy(c->module, where, inst, copied(c, inst->result));
    if (c->module->arena.failed || !wpg_used_ids(&c->operands, c->module, inst)) {
        c->nomem = true;
        return;
    }
    for (size_t i = 0; i < c->operands.count; i++)
        copy->words[c->operands.data[i]] = copied(c, inst->words[c->operands.data[i]]);
}

uint32_t wpg_version_copy(uint32_t **copies, uint32_t *bound, wpg_module *module, const wpg_inst *function,
                          wpg_arena *arena)
{
    copier c = {.module = module, .bound = module->bound};
    const wpg_inst *end = wpg_function_end((wpg_inst *)function);
    wpg_inst *where = end->next;
    *copies = c.copies = WPG_ARENA_ARRAY(arena, uint32_t, c.bound);
    *bound = c.bound;
    if (!c.copies)
        return 0;
    for (const wpg_inst *inst = function; inst != end; inst = inst->next)
        if (inst->result)
            c.copies[inst->result] = wpg_module_fresh_id(module);
    wpg_decorate_copies(module, c.copies, c.bound);
    for (const wpg_inst *inst = function; inst != where; inst = inst->next) {
        copy_inst(&c, inst, where);
        if (inst == end)
            break;
    }
    wpg_vec_free(&c.operands);
    return c.nomem || module->arena.failed ? 0 : copied(&c, function->result);
}

/* -- The entry -- */

typedef struct entry {
    wpg_module *module;
    const wpg_inst *function;
    const wpg_word_source *sources;
    uint32_t words[WPG_MOST_WORD_SITES]; /* by fact: the word in the entry block; 0: no test needs it */
} entry;

static uint32_t binary(const entry *e, SpvOp opcode, uint32_t type, uint32_t a, uint32_t b)
{
    uint32_t result = wpg_module_fresh_id(e->module);
    (void)wpg_inst_add(e->module, NULL, opcode, type, result, a, b);
    return result;
}

/* A Boolean: every word has its value. One comparison, of the differences together: drivers that put a
 * constant in place of what was compared with it (Mesa's nir_opt_if) do not see one word. The difference of a
 * single word is joined with a zero that they do not see through. */
static uint32_t emit_test(const entry *e, const wpg_version *version)
{
    wpg_module *m = e->module;
    uint32_t u32 = wpg_type_u32(m), all = 0;
    for (uint32_t f = 0; f < WPG_MOST_WORD_SITES; f++) {
        if (!(version->tested >> f & 1))
            continue;
        uint32_t wanted = wpg_const_u32(m, version->set.bits[f]);
        uint32_t differs = binary(e, SpvOpBitwiseXor, u32, e->words[f], wanted);
        all = all ? binary(e, SpvOpBitwiseOr, u32, all, differs) : differs;
    }
    if (!(version->tested & (version->tested - 1)))
        all = binary(e, SpvOpBitwiseOr, u32, all, wpg_opt_barrier_zero_of(m, all, NULL));
    return binary(e, SpvOpIEqual, wpg_type_bool(m), all, wpg_const_u32(m, 0));
}

static void begin_block(const entry *e, uint32_t label)
{
    (void)wpg_inst_add(e->module, NULL, SpvOpLabel, label);
}

static void call(const entry *e, uint32_t function, uint32_t next)
{
    (void)wpg_inst_add(e->module, NULL, SpvOpFunctionCall, e->function->type, wpg_module_fresh_id(e->module),
                       function);
    (void)wpg_inst_add(e->module, NULL, SpvOpBranch, next);
}

/* In an open block: if (test) version else the others, and behind them the block `merge`, left open. */
static void choose(const entry *e, const wpg_version *versions, uint32_t count, uint32_t other,
                   uint32_t merge)
{
    wpg_module *m = e->module;
    uint32_t agrees = emit_test(e, versions);
    const uint32_t here = wpg_module_fresh_id(m), others = wpg_module_fresh_id(m);
    (void)wpg_inst_add(m, NULL, SpvOpSelectionMerge, merge, SpvSelectionControlDontFlattenMask);
    (void)wpg_inst_add(m, NULL, SpvOpBranchConditional, agrees, here, others);
    begin_block(e, here);
    call(e, versions->function, merge);
    begin_block(e, others);
    if (count == 1) {
        call(e, other, merge);
    } else {
        choose(e, versions + 1, count - 1, other, wpg_module_fresh_id(m));
        (void)wpg_inst_add(m, NULL, SpvOpBranch, merge);
    }
    begin_block(e, merge);
}

void wpg_version_entry(wpg_module *module, const wpg_inst *function, const wpg_version *versions,
                       uint32_t count, uint32_t other, const wpg_word_source *sources)
{
    const uint32_t old = function->result, result = wpg_module_fresh_id(module);
    entry e = {.module = module, .function = function, .sources = sources};
    uint64_t tested = 0;
    for (uint32_t v = 0; v < count; v++)
        tested |= versions[v].tested;
    (void)wpg_inst_add(module, NULL, SpvOpFunction, function->type, result, SpvFunctionControlMaskNone,
                       function->words[4]);
    begin_block(&e, wpg_module_fresh_id(module));
    for (uint32_t f = 0; f < WPG_MOST_WORD_SITES; f++)
        if (tested >> f & 1)
            e.words[f] = wpg_word_load(module, NULL, &sources[f]);
    choose(&e, versions, count, other, wpg_module_fresh_id(module));
    (void)wpg_inst_insert(module, NULL, SpvOpReturn, NULL, 0);
    (void)wpg_inst_insert(module, NULL, SpvOpFunctionEnd, NULL, 0);
    for (wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        if (inst->opcode == SpvOpEntryPoint && inst->words[2] == old)
            inst->words[2] = result;
        else if ((inst->opcode == SpvOpExecutionMode || inst->opcode == SpvOpExecutionModeId) &&
                 inst->words[1] == old)
            inst->words[1] = result;
    }
}
