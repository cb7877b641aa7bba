/* See known_words.h. */
#include "compiler/optimize/fold/known_words.h"

#include "compiler/analysis/values/counted_reads.h"
#include "compiler/optimize/ir/word_facts.h"
#include "compiler/spirv/builder.h"

_Static_assert((int)WPG_MOST_CHOICES >= (int)WPG_MOST_COUNTED, "a choice has room for every read");

static uint64_t bit_of(uint32_t fact)
{
    return UINT64_C(1) << fact;
}

/* The fact about the load, or about component `c` of the vector it loads; UINT32_MAX: none of the set. */
static uint32_t fact_of(wpg_known_words *k, const wpg_inst *load, wpg_word_place place, uint32_t c)
{
    if (c != WPG_NO_BLOCK && place.count < WPG_WORD_DEPTH)
        place.indices[place.count++] = c;
    uint32_t fact = wpg_word_fact_at(k->profile, &place);
    if (fact >= WPG_MOST_WORD_SITES || !(k->set->known >> fact & 1))
        return UINT32_MAX;
    if (!k->sources[fact].load)
        k->sources[fact] = (wpg_word_source){load, c, NULL};
    return fact;
}

static bool add(wpg_known_words *k, wpg_inst *inst, uint32_t constant, uint64_t facts)
{
    wpg_known_load load = {.inst = inst, .constant = constant, .words = facts};
    load.group = UINT64_C(1) << k->loads.count % 64;
    return !facts || wpg_vec_push(&k->loads, load);
}

/* The fact about component `c` of a vector; UINT32_MAX: none of the set. */
static uint32_t fact_of_part(wpg_known_words *k, const wpg_inst *vector, uint32_t c)
{
    wpg_word_place place;
    uint32_t component;
    const wpg_inst *load = wpg_word_trace(k->module, vector, c, &component);
    return load && wpg_word_place_of(&place, k->module, load) ? fact_of(k, load, place, component)
                                                              : UINT32_MAX;
}

/* A vector all of whose components are known. Floats only where they are equal, unless they may become
 * constants: as weights and equal words, which are no operands of arithmetic then (weight_fold.h). */
static bool add_vector(wpg_known_words *k, wpg_inst *vector, const wpg_inst *type)
{
    wpg_module *m = k->module;
    const bool floats = wpg_module_opcode_of(m, type->words[2]) == SpvOpTypeFloat;
    uint32_t parts[4], first = 0;
    uint64_t facts = 0;
    for (uint32_t c = 0; c < type->words[3]; c++) {
        const uint32_t fact = c < 4 ? fact_of_part(k, vector, c) : UINT32_MAX;
        if (fact == UINT32_MAX || (k->single && c && fact != first) ||
            (floats && !k->folds_floats && c && k->set->bits[fact] != k->set->bits[first]))
            return true;
        parts[c] = wpg_const_scalar(m, type->words[2], k->set->bits[fact]);
        facts |= bit_of(fact);
        first = c ? first : fact;
    }
    return add(k, vector, wpg_const_composite(m, vector->type, parts, type->words[3]), facts);
}

static bool is_word_type(const wpg_inst *type)
{
    return type && (type->opcode == SpvOpTypeInt || type->opcode == SpvOpTypeFloat) && type->words[2] == 32;
}

static bool add_load(wpg_known_words *k, wpg_inst *inst)
{
    wpg_module *m = k->module;
    wpg_word_place place;
    uint32_t fact = UINT32_MAX;
    const wpg_inst *type = wpg_module_def(m, inst->type);
    switch ((SpvOp)inst->opcode) {
    case SpvOpLoad:
    case SpvOpBitcast:
    case SpvOpVectorShuffle:
        if (type && type->opcode == SpvOpTypeVector)
            return !is_word_type(wpg_module_def(m, type->words[2])) || add_vector(k, inst, type);
        if (inst->opcode == SpvOpLoad && wpg_word_place_of(&place, m, inst))
            fact = fact_of(k, inst, place, WPG_NO_BLOCK);
        break;
    case SpvOpCompositeExtract:
        if (inst->count == 5)
            fact = fact_of_part(k, wpg_module_def(m, inst->words[3]), inst->words[4]);
        break;
    default:
        break;
    }
    if (fact == UINT32_MAX || !is_word_type(type))
        return true;
    return add(k, inst, wpg_const_scalar(m, inst->type, k->set->bits[fact]), bit_of(fact));
}

/* The facts about what a counter chooses among. 0: one is none of the set. */
static uint64_t facts_of(wpg_known_choice *choice, wpg_known_words *k, const wpg_counted_read *read,
                         const wpg_inst *inst)
{
    uint64_t facts = 0;
    *choice = (wpg_known_choice){read->index, read->part, read->width, read->count, {0}, {0}};
    for (uint32_t i = 0; i < read->count; i++) {
        const uint32_t fact = wpg_word_fact_at(k->profile, &read->places[i]);
        if (fact >= WPG_MOST_WORD_SITES || !(k->set->known >> fact & 1))
            return 0;
        facts |= bit_of(fact);
        choice->cases[i] = read->linear[i];
        choice->constants[i] = wpg_const_scalar(k->module, inst->type, k->set->bits[fact]);
    }
    return facts;
}

static bool add_choice(wpg_known_words *k, wpg_inst *inst, const wpg_counted_read *read)
{
    wpg_known_choice choice, *kept;
    const uint64_t facts = facts_of(&choice, k, read, inst);
    if (!facts)
        return true;
    for (uint32_t i = 0; i < read->count; i++) {
        const uint32_t fact = wpg_word_fact_at(k->profile, &read->places[i]);
        const wpg_word_place *place = &k->profile->words.data[fact].place;
        if (!k->sources[fact].load)
            k->sources[fact] = (wpg_word_source){
                read->load, read->loads_vector ? place->indices[place->count - 1] : WPG_NO_BLOCK, place};
    }
    kept = wpg_arena_memdup(&k->module->arena, &choice, sizeof choice);
    if (!kept || !add(k, inst, inst->result, facts))
        return false;
    k->loads.data[k->loads.count - 1].choice = kept;
    return true;
}

bool wpg_known_words_collect(wpg_known_words *known, wpg_inst *function)
{
    wpg_arena arena;
    wpg_counters counters = {.module = known->module, .function = function, .arena = &arena};
    wpg_counted_read read;
    bool fits = true;
    wpg_arena_init(&arena);
    for (wpg_inst *inst = function->next; wpg_in_function(inst) && fits; inst = inst->next) {
        fits = add_load(known, inst);
        if (fits && !known->single && wpg_counted_read_of(&read, &counters, inst))
            fits = add_choice(known, inst, &read);
    }
    fits = fits && !arena.failed;
    wpg_arena_finish(&arena);
    return fits && !known->module->arena.failed;
}

uint32_t wpg_word_load(wpg_module *module, wpg_inst *where, const wpg_word_source *source)
{
    wpg_module *m = module;
    const wpg_inst *load = source->load, *chain = wpg_module_def(m, load->words[3]);
    uint32_t u32 = wpg_type_u32(m), words[16] = {0}, count = 0, type = load->type;
    uint32_t pointer = wpg_module_fresh_id(m), value = wpg_module_fresh_id(m);
    for (unsigned i = 1; i < chain->count && count < 16; i++)
        words[count++] = chain->words[i];
    words[1] = pointer;
    if (source->place)
        count = 2 + wpg_word_chain(&words[2], m, source->place, source->component != WPG_NO_BLOCK);
    (void)wpg_inst_insert(m, where, (SpvOp)chain->opcode, words, count);
    (void)wpg_inst_add(m, where, SpvOpLoad, type, value, pointer);
    if (source->component != WPG_NO_BLOCK) {
        uint32_t part = wpg_module_fresh_id(m);
        type = wpg_module_def(m, type)->words[2];
        (void)wpg_inst_add(m, where, SpvOpCompositeExtract, type, part, value, source->component);
        value = part;
    }
    if (type == u32)
        return value;
    uint32_t cast = wpg_module_fresh_id(m);
    (void)wpg_inst_add(m, where, SpvOpBitcast, u32, cast, value);
    return cast;
}
