/* See known_words.h. */
#include "compiler/optimize/fold/known_words.h"

#include "compiler/analysis/values/counted_reads.h"
#include "compiler/optimize/facts/first_trip.h"
#include "compiler/optimize/facts/induction.h"
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

/* The fact about a scalar that is loaded or taken out of a vector; UINT32_MAX: none of the set. */
static uint32_t fact_of_scalar(wpg_known_words *k, const wpg_inst *inst)
{
    wpg_word_place place;
    if (inst->opcode == SpvOpLoad && wpg_word_place_of(&place, k->module, inst))
        return fact_of(k, inst, place, WPG_NO_BLOCK);
    if (inst->opcode == SpvOpCompositeExtract && inst->count == 5)
        return fact_of_part(k, wpg_module_def(k->module, inst->words[3]), inst->words[4]);
    return UINT32_MAX;
}

static bool add_load(wpg_known_words *k, wpg_inst *inst)
{
    wpg_module *m = k->module;
    const SpvOp opcode = (SpvOp)inst->opcode;
    if (opcode != SpvOpLoad && opcode != SpvOpCompositeExtract && opcode != SpvOpBitcast &&
        opcode != SpvOpVectorShuffle)
        return true;
    const wpg_inst *type = wpg_module_def(m, inst->type);
    if (type && type->opcode == SpvOpTypeVector &&
        (opcode == SpvOpLoad || opcode == SpvOpBitcast || opcode == SpvOpVectorShuffle))
        return !is_word_type(wpg_module_def(m, type->words[2])) || add_vector(k, inst, type);
    if (!is_word_type(type))
        return true;
    const uint32_t fact = fact_of_scalar(k, inst);
    return fact == UINT32_MAX ||
           add(k, inst, wpg_const_scalar(m, inst->type, k->set->bits[fact]), bit_of(fact));
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

/* The words that a read chooses among are read again by their places. */
static void note_sources(wpg_known_words *k, const wpg_counted_read *read)
{
    for (uint32_t i = 0; i < read->count; i++) {
        const uint32_t fact = wpg_word_fact_at(k->profile, &read->places[i]);
        const wpg_word_place *place = &k->profile->words.data[fact].place;
        if (!k->sources[fact].load)
            k->sources[fact] = (wpg_word_source){
                read->load, read->loads_vector ? place->indices[place->count - 1] : WPG_NO_BLOCK, place};
    }
}

static bool add_choice(wpg_known_words *k, wpg_inst *inst, const wpg_counted_read *read)
{
    wpg_known_choice choice, *kept;
    const uint64_t facts = facts_of(&choice, k, read, inst);
    if (!facts)
        return true;
    note_sources(k, read);
    kept = wpg_arena_memdup(&k->module->arena, &choice, sizeof choice);
    if (!kept || !add(k, inst, inst->result, facts))
        return false;
    k->loads.data[k->loads.count - 1].choice = kept;
    return true;
}

typedef WPG_VEC(uint32_t) id_list;

/* -- What known words compute -- */

/* Of words that are known, and of the counter of a loop in its first trip. */
typedef struct word_walk {
    wpg_int_walk walk;
    wpg_known_words *known;
    uint32_t counter, first; /* the phi, and what it starts with; 0: none */
    uint64_t facts;          /* that the value is made of */
} word_walk;

static wpg_int_leaf word_leaf(uint32_t *out, wpg_int_walk *walk, const wpg_inst *def, unsigned depth)
{
    word_walk *of = (word_walk *)walk;
    const wpg_known_loads *loads = &of->known->loads;
    uint64_t bits;
    uint32_t width;
    (void)depth;
    if (of->counter && def->result == of->counter) {
        *out = of->first;
        return WPG_INT_KNOWN;
    }
    for (size_t i = loads->count; i-- > 0;)
        if (loads->data[i].inst == def && !loads->data[i].choice &&
            wpg_const_value(walk->module, loads->data[i].constant, &bits, &width)) {
            of->facts |= loads->data[i].words;
            *out = (uint32_t)bits;
            return WPG_INT_KNOWN;
        }
    return def->opcode == SpvOpLoad || def->opcode == SpvOpPhi ? WPG_INT_UNKNOWN : WPG_INT_COMPUTED;
}

static word_walk walk_of(wpg_known_words *k)
{
    return (word_walk){.walk = {.module = k->module, .leaf = word_leaf}, .known = k};
}

/* A load by an index that known words make. Dolphin reads its last stage's words by the number of stages. */
static bool add_indexed(wpg_known_words *k, wpg_inst *load)
{
    word_walk walk = walk_of(k);
    wpg_word_place place;
    if (load->opcode != SpvOpLoad || !is_word_type(wpg_module_def(k->module, load->type)) ||
        !wpg_word_place_by(&place, &walk.walk, load) || !walk.facts)
        return true;
    const uint32_t fact = wpg_word_fact_at(k->profile, &place);
    if (fact >= WPG_MOST_WORD_SITES || !(k->set->known >> fact & 1))
        return true;
    if (!k->sources[fact].load)
        k->sources[fact] = (wpg_word_source){load, WPG_NO_BLOCK, &k->profile->words.data[fact].place};
    return add(k, load, wpg_const_scalar(k->module, load->type, k->set->bits[fact]),
               walk.facts | bit_of(fact));
}

/* -- Loops of one trip -- */

static bool note_counter(id_list *counters, uint32_t id)
{
    for (size_t i = 0; i < counters->count; i++)
        if (counters->data[i] == id)
            return true;
    return wpg_vec_push(counters, id);
}

/* What the first trip reads, where it is the only one. `counters`: of such loops. */
static bool add_first(id_list *counters, wpg_known_words *k, wpg_inst *inst, const wpg_counted_read *read,
                      const wpg_view *view)
{
    wpg_known_choice choice;
    word_walk bound = walk_of(k);
    const uint64_t facts = facts_of(&choice, k, read, inst);
    const uint32_t block = view->block_of[inst->result];
    if (!facts || block == WPG_NO_BLOCK || !wpg_runs_in_first_trip(view, block, read->counter, &bound.walk))
        return true;
    note_sources(k, read);
    return add(k, inst, choice.constants[0], facts | bound.facts) && note_counter(counters, read->counter);
}

/* Is a fact of the set about the word that the first trip reads? */
static bool is_first_known(const wpg_known_words *k, const wpg_counted_read *read)
{
    const uint32_t fact = read->first_alone ? wpg_word_fact_at(k->profile, read->places) : UINT32_MAX;
    return fact < WPG_MOST_WORD_SITES && k->set->known >> fact & 1;
}

/* The constant that an induction variable starts with. */
static bool start_of(uint32_t *first, const wpg_module *module, const wpg_inst *phi)
{
    for (unsigned i = 3; i + 1 < phi->count; i += 2)
        if (wpg_is_u32_const(module, phi->words[i], first))
            return true;
    return false;
}

/* May the instruction compute the counter's next value? A driver that knows this value may unroll. */
static bool may_step(const wpg_inst *inst)
{
    return inst->opcode == SpvOpPhi || inst->opcode == SpvOpIAdd || inst->opcode == SpvOpISub ||
           inst->opcode == SpvOpBitcast || inst->opcode == SpvOpCopyObject;
}

/* What the first trip computes of its counter. */
static bool add_computed(wpg_known_words *k, uint32_t counter, const wpg_view *view)
{
    const wpg_inst *phi = wpg_module_def(k->module, counter);
    for (uint32_t u = view->first_user[counter]; u < view->first_user[counter + 1]; u++) {
        wpg_inst *user = view->users[u];
        word_walk walk = walk_of(k);
        const uint32_t block = user->result ? view->block_of[user->result] : WPG_NO_BLOCK;
        uint32_t value;
        if (block == WPG_NO_BLOCK || may_step(user) || !is_word_type(wpg_module_def(k->module, user->type)) ||
            !wpg_runs_in_first_trip(view, block, counter, &walk.walk))
            continue;
        walk.walk.steps = 0;
        walk.counter = counter;
        if (start_of(&walk.first, k->module, phi) && wpg_int_value(&value, &walk.walk, user->result, 0) &&
            !add(k, user, wpg_const_scalar(k->module, user->type, value), walk.facts))
            return false;
    }
    return true;
}

bool wpg_known_words_collect(wpg_known_words *known, wpg_inst *function, const wpg_view *view)
{
    wpg_arena arena;
    wpg_counters counters = {.module = known->module, .function = function, .arena = &arena};
    wpg_counted_read read;
    id_list once = {0}; /* counters of loops of one trip */
    wpg_view *own = NULL;
    wpg_error reason = {0};
    bool fits = true;
    wpg_arena_init(&arena);
    for (wpg_inst *inst = function->next; wpg_in_function(inst) && fits; inst = inst->next) {
        fits = add_load(known, inst);
        if (!fits || known->single)
            continue;
        if (!wpg_counted_read_of(&read, &counters, inst)) {
            fits = add_indexed(known, inst);
            continue;
        }
        if (is_first_known(known, &read) && !view) {
            fits = wpg_view_create(&own, known->module, function->result, &reason) != WPG_E_NOMEM;
            view = own;
        }
        if (!read.first_alone)
            fits = add_choice(known, inst, &read);
        else if (view)
            fits = fits && add_first(&once, known, inst, &read, view);
    }
    for (size_t i = 0; i < once.count && fits; i++)
        fits = add_computed(known, once.data[i], view);
    fits = fits && !arena.failed;
    wpg_vec_free(&once);
    wpg_view_destroy(own);
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
