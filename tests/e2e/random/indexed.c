/* See indexed.h. What a loop gets before its exit, and drivers that unroll by an array's length, must not
 * change what it does. */
#include "tests/e2e/random/indexed.h"

#include "compiler/spirv/builder.h"
#include "tests/unit/compiler/analysis/program_spirv.h"

enum { MOST_LOOPS = 2 };

typedef struct writer {
    wpg_module *m;
    wpg_inst *at; /* code goes before it */
    uint64_t random;
    uint32_t u32;
    uint32_t array, index, sum; /* variables of the loop that is written */
} writer;

static uint32_t draw(writer *w, uint32_t below)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(w->random >> 33) % below;
}

static uint32_t emit(writer *w, SpvOp opcode, uint32_t type, uint32_t a, uint32_t b)
{
    uint32_t id = wpg_module_fresh_id(w->m), operands[4] = {type, id, a, b};
    wpg_inst_insert(w->m, w->at, opcode, operands, 4);
    return id;
}

static uint32_t number(writer *w, uint32_t value)
{
    return wpg_const_u32(w->m, value);
}

/* Those of the program's words are volatile, as program_spirv.h has them. */
static uint32_t load(writer *w, uint32_t pointer)
{
    uint32_t id = wpg_module_fresh_id(w->m);
    if (pointer == ID_MINE || pointer == ID_SHARED)
        wpg_inst_add(w->m, w->at, SpvOpLoad, w->u32, id, pointer, SpvMemoryAccessVolatileMask);
    else
        wpg_inst_add(w->m, w->at, SpvOpLoad, w->u32, id, pointer);
    return id;
}

static void store(writer *w, uint32_t pointer, uint32_t value)
{
    if (pointer == ID_MINE)
        wpg_inst_add(w->m, w->at, SpvOpStore, pointer, value, SpvMemoryAccessVolatileMask);
    else
        wpg_inst_add(w->m, w->at, SpvOpStore, pointer, value);
}

static uint32_t element(writer *w, uint32_t index)
{
    return emit(w, SpvOpAccessChain, wpg_type_pointer(w->m, SpvStorageClassFunction, w->u32), w->array,
                index);
}

static uint32_t variable(writer *w, uint32_t type)
{
    uint32_t id = wpg_module_fresh_id(w->m);
    wpg_inst *function = wpg_next_function(w->m->first);
    while (function->opcode != SpvOpLabel)
        function = function->next;
    wpg_inst_add(w->m, function->next, SpvOpVariable, wpg_type_pointer(w->m, SpvStorageClassFunction, type),
                 id, SpvStorageClassFunction);
    return id;
}

static uint32_t array_type(writer *w, uint32_t length)
{
    uint32_t count = number(w, length), id = wpg_module_fresh_id(w->m);
    wpg_inst_add(w->m, wpg_module_section_end(w->m, WPG_SECTION_GLOBAL), SpvOpTypeArray, id, w->u32, count);
    return id;
}

static void label(writer *w, uint32_t id)
{
    wpg_inst_add(w->m, w->at, SpvOpLabel, id);
}

static void branch(writer *w, uint32_t to)
{
    wpg_inst_add(w->m, w->at, SpvOpBranch, to);
}

/* One trip: reads, maybe writes the element, maybe under a condition of its own. */
static void body(writer *w)
{
    uint32_t index = load(w, w->index), from = element(w, index), value = load(w, from);
    uint32_t sum = emit(w, SpvOpIAdd, w->u32, load(w, w->sum), value);
    store(w, w->sum, sum);
    if (draw(w, 2))
        store(w, element(w, index), sum);
    if (draw(w, 2) == 0)
        return;
    uint32_t then = wpg_module_fresh_id(w->m), merge = wpg_module_fresh_id(w->m);
    uint32_t odd = emit(w, SpvOpIEqual, wpg_type_bool(w->m),
                        emit(w, SpvOpBitwiseAnd, w->u32, sum, number(w, 1)), number(w, 1));
    wpg_inst_add(w->m, w->at, SpvOpSelectionMerge, merge, 0);
    wpg_inst_add(w->m, w->at, SpvOpBranchConditional, odd, then, merge);
    label(w, then);
    store(w, w->sum, emit(w, SpvOpBitwiseXor, w->u32, sum, number(w, 0x155)));
    branch(w, merge);
    label(w, merge);
}

static uint32_t goes_on(writer *w, uint32_t bound)
{
    return emit(w, SpvOpULessThan, wpg_type_bool(w->m), load(w, w->index), bound);
}

static void step(writer *w)
{
    store(w, w->index, emit(w, SpvOpIAdd, w->u32, load(w, w->index), number(w, 1)));
}

/* A loop of 1 to `length` trips before `at`, the rest of whose block gets the label `after`. */
static void loop(writer *w, uint32_t after)
{
    uint32_t length = 2 + draw(w, 4), header = wpg_module_fresh_id(w->m), again = wpg_module_fresh_id(w->m);
    uint32_t test = wpg_module_fresh_id(w->m), inside = wpg_module_fresh_id(w->m);
    w->array = variable(w, array_type(w, length));
    w->index = variable(w, w->u32);
    w->sum = variable(w, w->u32);
    uint32_t mine = load(w, ID_MINE), from = draw(w, 2) ? mine : load(w, ID_SHARED);
    for (uint32_t i = 0; i < length; i++)
        store(w, element(w, number(w, i)), emit(w, SpvOpShiftRightLogical, w->u32, mine, number(w, i + 3)));
    store(w, w->index, number(w, 0));
    store(w, w->sum, mine);
    uint32_t high = emit(w, SpvOpShiftRightLogical, w->u32, from, number(w, 17));
    uint32_t bound =
        emit(w, SpvOpIAdd, w->u32, emit(w, SpvOpUMod, w->u32, high, number(w, length)), number(w, 1));
    bool tests_first = draw(w, 4) != 0;
    branch(w, header);
    label(w, header);
    wpg_inst_add(w->m, w->at, SpvOpLoopMerge, after, again, SpvLoopControlMaskNone);
    branch(w, tests_first ? test : inside);
    if (tests_first) {
        label(w, test);
        wpg_inst_add(w->m, w->at, SpvOpBranchConditional, goes_on(w, bound), inside, after);
    }
    label(w, inside);
    body(w);
    if (!tests_first)
        step(w);
    branch(w, again);
    label(w, again);
    if (tests_first) {
        step(w);
        branch(w, header);
    } else {
        wpg_inst_add(w->m, w->at, SpvOpBranchConditional, goes_on(w, bound), header, after);
    }
    label(w, after);
    store(w, ID_MINE, load(w, w->sum));
}

/* Phis that named the block now name its rest. */
static void rename_in_phis(wpg_module *m, uint32_t from, uint32_t to)
{
    WPG_INST_EACH (inst, m) {
        for (uint32_t i = 4; inst->opcode == SpvOpPhi && i < inst->count; i += 2)
            if (inst->words[i] == from)
                inst->words[i] = to;
    }
}

static bool is_continue_target(const wpg_module *m, uint32_t block)
{
    WPG_INST_EACH (inst, m) {
        if (inst->opcode == SpvOpLoopMerge && inst->words[2] == block)
            return true;
    }
    return false;
}

void random_add_indexed_loops(wpg_module *m, uint64_t seed)
{
    writer w = {.m = m, .random = seed * UINT64_C(0x9e3779b97f4a7c15) + 3, .u32 = wpg_type_u32(m)};
    uint32_t block = 0, made = 0;
    for (wpg_inst *inst = wpg_next_function(m->first); inst && made < MOST_LOOPS; inst = inst->next) {
        if (inst->opcode == SpvOpLabel)
            block = inst->result;
        bool branches = inst->opcode == SpvOpBranch || inst->opcode == SpvOpBranchConditional ||
                        inst->opcode == SpvOpSwitch || inst->opcode == SpvOpReturn;
        if (!branches || inst->prev->opcode == SpvOpLoopMerge || is_continue_target(m, block) ||
            (made && draw(&w, 3)))
            continue;
        w.at = inst->prev->opcode == SpvOpSelectionMerge ? inst->prev : inst;
        uint32_t after = wpg_module_fresh_id(m);
        loop(&w, after);
        rename_in_phis(m, block, after);
        made++;
    }
}
