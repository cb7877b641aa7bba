/* See counted_reads.h. A counter has one constant that it starts with, one step, and at most one comparison
 * with a constant. */
#include "compiler/analysis/values/counted_reads.h"

#include <string.h>

#include "compiler/analysis/values/int_value.h"
#include "compiler/spirv/builder.h"
#include "compiler/spirv/const_fold.h"

enum { MOST_DEPTH = 16, WIDTH = 32 };

static bool is_int(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = wpg_module_def(module, type);
    return def && def->opcode == SpvOpTypeInt && def->words[2] == WIDTH;
}

static bool constant_of(uint32_t *out, const wpg_module *module, uint32_t id)
{
    uint64_t bits;
    uint32_t width;
    if (!wpg_is_module_constant(module, id) || !wpg_const_value(module, id, &bits, &width) || width != WIDTH)
        return false;
    *out = (uint32_t)bits;
    return true;
}

/* -- Counters -- */

/* The phi or variable that an id is the value of, through casts; 0: none. */
static uint32_t read_from(const wpg_counters *c, uint32_t id)
{
    const wpg_inst *def = wpg_module_def(c->module, id);
    for (unsigned depth = 0; def && def->count > 3 && depth < MOST_DEPTH; depth++) {
        if (def->opcode == SpvOpPhi)
            return is_int(c->module, def->type) ? def->result : 0;
        if (def->opcode == SpvOpLoad)
            return wpg_module_opcode_of(c->module, def->words[3]) == SpvOpVariable ? def->words[3] : 0;
        if (def->opcode != SpvOpBitcast && def->opcode != SpvOpCopyObject)
            return 0;
        def = wpg_module_def(c->module, def->words[3]);
    }
    return 0;
}

/* What is added to the counter, if the value is that sum. */
static bool step_of(uint32_t *step, const wpg_counters *c, uint32_t value, uint32_t counter)
{
    const wpg_inst *def = wpg_module_def(c->module, value);
    while (def && def->opcode == SpvOpBitcast && def->count > 3)
        def = wpg_module_def(c->module, def->words[3]);
    if (!def || (def->opcode != SpvOpIAdd && def->opcode != SpvOpISub) || def->count != 5)
        return false;
    if (read_from(c, def->words[3]) == counter && constant_of(step, c->module, def->words[4])) {
        *step = def->opcode == SpvOpISub ? -*step : *step;
        return true;
    }
    return def->opcode == SpvOpIAdd && read_from(c, def->words[4]) == counter &&
           constant_of(step, c->module, def->words[3]);
}

static void note_once(wpg_counter *counter, uint32_t *known, bool *has, uint32_t value)
{
    counter->is_none |= *has && *known != value;
    *known = value;
    *has = true;
}

static void note_value(wpg_counters *c, uint32_t id, uint32_t value)
{
    wpg_counter *counter = &c->of[id];
    uint32_t number;
    counter->only = counter->values++ ? 0 : value;
    if (constant_of(&number, c->module, value))
        note_once(counter, &counter->start, &counter->has_start, number);
    else if (step_of(&number, c, value, id))
        note_once(counter, &counter->step, &counter->has_step, number);
    else
        counter->is_none = true;
}

static void note(wpg_counters *c, const wpg_inst *inst)
{
    uint32_t limit;
    if (inst->opcode == SpvOpPhi && is_int(c->module, inst->type)) {
        for (unsigned i = 3; i + 1 < inst->count; i += 2)
            note_value(c, inst->result, inst->words[i]);
    } else if (inst->opcode == SpvOpStore && inst->words[1] < c->bound) {
        if (wpg_module_opcode_of(c->module, inst->words[1]) == SpvOpVariable)
            note_value(c, inst->words[1], inst->words[2]);
    } else if (inst->opcode == SpvOpVariable && inst->count > 4) {
        note_value(c, inst->result, inst->words[4]);
    } else if (wpg_opcode_compares_ints(inst->opcode) && inst->opcode != SpvOpIEqual && inst->count == 5 &&
               constant_of(&limit, c->module, inst->words[4])) {
        wpg_counter *counter = &c->of[read_from(c, inst->words[3])];
        if (!counter->has_limit) {
            note_once(counter, &counter->limit, &counter->has_limit, limit);
            counter->test = inst->opcode;
        }
    }
}

static bool find_counters(wpg_counters *c)
{
    if (c->of)
        return true;
    c->bound = c->module->bound;
    c->of = WPG_ARENA_ARRAY(c->arena, wpg_counter, c->bound);
    for (const wpg_inst *inst = c->function->next; c->of && wpg_in_function(inst); inst = inst->next)
        note(c, inst);
    return c->of != NULL;
}

/* Values for which the comparison says what it says of the first; the first where there is no limit. */
static uint32_t values_of(uint32_t values[WPG_MOST_COUNTED], const wpg_counters *c, uint32_t id)
{
    const wpg_counter *counter = &c->of[id];
    const uint32_t widths[] = {WIDTH, WIDTH};
    uint64_t first = 0, now;
    if (!id || counter->is_none || !counter->has_start || !counter->has_step)
        return 0;
    if (!counter->has_limit) {
        values[0] = counter->start;
        return 1;
    }
    for (uint32_t count = 0, value = counter->start;; value += counter->step) {
        const uint64_t bits[] = {value, counter->limit};
        if (!wpg_fold_scalar(&now, (SpvOp)counter->test, 1, bits, widths, 2))
            return 0;
        first = count ? first : now;
        if (now != first)
            return count;
        if (count == WPG_MOST_COUNTED)
            return 0;
        values[count++] = value;
    }
}

/* -- What an index is then -- */

typedef struct evaluation {
    wpg_int_walk walk;
    const wpg_counters *counters;
    uint32_t counter, value; /* 0: none was met yet */
} evaluation;

static wpg_int_leaf leaf(uint32_t *out, wpg_int_walk *walk, const wpg_inst *def, unsigned depth)
{
    evaluation *e = (evaluation *)walk;
    if (def->opcode != SpvOpPhi && def->opcode != SpvOpLoad)
        return WPG_INT_COMPUTED;
    const uint32_t counter = read_from(e->counters, def->result);
    if (counter && e->counters->of[counter].only)
        return wpg_int_value(out, walk, e->counters->of[counter].only, depth + 1) ? WPG_INT_KNOWN
                                                                                  : WPG_INT_UNKNOWN;
    if (!counter || (e->counter && e->counter != counter))
        return WPG_INT_UNKNOWN;
    e->counter = counter;
    *out = e->value;
    return WPG_INT_KNOWN;
}

static evaluation evaluation_of(const wpg_counters *counters, uint32_t counter, uint32_t value)
{
    return (evaluation){.walk = {.module = counters->module, .leaf = leaf},
                        .counters = counters,
                        .counter = counter,
                        .value = value};
}

static bool evaluate(uint32_t *out, evaluation *e, uint32_t id)
{
    return wpg_int_value(out, &e->walk, id, 0);
}

/* -- Reads -- */

/* The load, and the chain of a uniform variable that it is through. */
static const wpg_inst *chain_of(const wpg_module *module, const wpg_inst *load)
{
    if (!load || load->opcode != SpvOpLoad || load->count < 4 ||
        (load->count > 4 && load->words[4] & SpvMemoryAccessVolatileMask))
        return NULL;
    const wpg_inst *chain = wpg_module_def(module, load->words[3]);
    if (!chain || (chain->opcode != SpvOpAccessChain && chain->opcode != SpvOpInBoundsAccessChain) ||
        chain->count < 5 || chain->count - 4u >= WPG_WORD_DEPTH)
        return NULL;
    const wpg_inst *variable = wpg_module_def(module, chain->words[3]);
    return variable && variable->opcode == SpvOpVariable && variable->words[3] == SpvStorageClassUniform
               ? chain
               : NULL;
}

/* The type of what an index chooses in a type, and how many there are; NULL: not told. */
static const wpg_inst *element_of(uint32_t *length, const wpg_module *module, const wpg_inst *type,
                                  uint32_t index)
{
    switch (type ? (SpvOp)type->opcode : SpvOpNop) {
    case SpvOpTypeStruct:
        *length = type->count - 2u;
        return index < *length ? wpg_module_def(module, type->words[2 + index]) : NULL;
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        *length = type->words[3];
        return wpg_module_def(module, type->words[2]);
    case SpvOpTypeArray:
        return constant_of(length, module, type->words[3]) ? wpg_module_def(module, type->words[2]) : NULL;
    default:
        return NULL;
    }
}

static const wpg_inst *type_of_variable(const wpg_module *module, uint32_t variable)
{
    const wpg_inst *def = wpg_module_def(module, variable);
    return wpg_module_def(module, wpg_module_def(module, def->type)->words[3]);
}

static bool is_within(const wpg_module *module, const wpg_word_place *place)
{
    const wpg_inst *type = type_of_variable(module, place->variable);
    for (uint32_t i = 0; i < place->count; i++) {
        uint32_t length = 0;
        type = element_of(&length, module, type, place->indices[i]);
        if (!type || place->indices[i] >= length)
            return false;
    }
    return true;
}

/* The vector whose component the last index of a chain chooses; NULL: it is none. */
static const wpg_inst *last_vector(const wpg_module *module, const wpg_inst *chain)
{
    const wpg_inst *type = type_of_variable(module, chain->words[3]);
    for (unsigned i = 4; i + 1 < chain->count; i++) {
        uint32_t number = 0, length;
        (void)constant_of(&number, module, chain->words[i]); /* no number: all elements have one type */
        type = element_of(&length, module, type, number);
    }
    return type && type->opcode == SpvOpTypeVector ? type : NULL;
}

/* The place with that value of the counter, and its number. */
static bool place_with(wpg_word_place *place, uint32_t *linear, const wpg_counted_read *read, evaluation *e,
                       const wpg_inst *chain, const wpg_inst *value)
{
    uint32_t index = 0, part = 0;
    *place = (wpg_word_place){.variable = chain->words[3]};
    for (unsigned i = 4; i < chain->count; i++) {
        if (!evaluate(&part, e, chain->words[i]))
            return false;
        place->indices[place->count++] = part;
        if (chain->words[i] == read->index && i != read->part_at)
            index = part;
    }
    if (value->opcode != SpvOpLoad) {
        part = value->words[4];
        if (value->opcode == SpvOpVectorExtractDynamic && !evaluate(&part, e, value->words[4]))
            return false;
        place->indices[place->count++] = part;
    }
    *linear = !read->part ? index : read->index ? index * read->width + part : part;
    return true;
}

static bool add_place(wpg_counted_read *read, const wpg_module *module, const wpg_word_place *place,
                      uint32_t linear)
{
    for (uint32_t i = 0; i < read->count; i++)
        if (memcmp(&read->places[i], place, sizeof *place) == 0)
            return read->linear[i] == linear;
    if (!is_within(module, place))
        return false;
    read->places[read->count] = *place;
    read->linear[read->count++] = linear;
    return true;
}

/* What the place hangs on. False: on two indices, or on nothing. */
static bool find_dynamic(wpg_counted_read *read, const wpg_module *module, const wpg_inst *chain,
                         const wpg_inst *value)
{
    uint32_t number;
    const wpg_inst *type = wpg_module_def(module, read->load->type), *vector = last_vector(module, chain);
    const bool loads_vector = type && type->opcode == SpvOpTypeVector;
    if (loads_vector != (value->opcode != SpvOpLoad) || !is_int(module, value->type))
        return false;
    read->loads_vector = loads_vector;
    if (value->opcode == SpvOpVectorExtractDynamic && !constant_of(&number, module, value->words[4])) {
        read->part = value->words[4];
        read->width = type->words[3];
    }
    for (unsigned i = 4; i < chain->count; i++) {
        if (constant_of(&number, module, chain->words[i]))
            continue;
        if (vector && i + 1u == chain->count) {
            read->part = chain->words[i];
            read->part_at = i;
            read->width = vector->words[3];
        } else if (read->index) {
            return false;
        } else {
            read->index = chain->words[i];
        }
    }
    return read->index || read->part;
}

/* The counter that both hang on; 0: none. */
static uint32_t counter_of(const wpg_counted_read *read, const wpg_counters *counters)
{
    evaluation e = evaluation_of(counters, 0, 0);
    uint32_t number;
    if (read->index)
        (void)evaluate(&number, &e, read->index);
    if (read->part)
        (void)evaluate(&number, &e, read->part);
    return e.counter;
}

bool wpg_counted_read_of(wpg_counted_read *read, wpg_counters *counters, const wpg_inst *value)
{
    const wpg_module *module = counters->module;
    const bool extracts = value->opcode == SpvOpVectorExtractDynamic ||
                          (value->opcode == SpvOpCompositeExtract && value->count == 5);
    if (value->opcode != SpvOpLoad && !extracts)
        return false;
    wpg_inst *load = wpg_module_def(module, extracts ? value->words[3] : value->result);
    const wpg_inst *chain = chain_of(module, load);
    if (!chain)
        return false;
    *read = (wpg_counted_read){.load = load};
    if (!find_dynamic(read, module, chain, value) || !find_counters(counters))
        return false;
    uint32_t values[WPG_MOST_COUNTED];
    const uint32_t counter = counter_of(read, counters), count = values_of(values, counters, counter);
    read->counter = counter;
    read->first_alone = count && !counters->of[counter].has_limit;
    for (uint32_t i = 0; i < count; i++) {
        evaluation e = evaluation_of(counters, counter, values[i]);
        wpg_word_place place;
        uint32_t linear;
        if (!place_with(&place, &linear, read, &e, chain, value) || !add_place(read, module, &place, linear))
            return false;
    }
    return count != 0;
}
