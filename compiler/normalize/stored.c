/* See stored.h. A pointer is followed through access chains of constant indices. A variable escapes where a
 * pointer into it is used by anything but loads, stores and access chains, or where a store's index is not
 * constant. */
#include "compiler/normalize/stored.h"

bool wpg_part_extend(wpg_part *part, const uint32_t *path, uint32_t depth)
{
    if (part->depth + depth > WPG_PART_DEPTH)
        return false;
    for (uint32_t i = 0; i < depth; i++)
        part->path[part->depth++] = path[i];
    return true;
}

wpg_part_overlap wpg_part_relation(const wpg_part *a, const wpg_part *b)
{
    uint32_t common = 0;
    while (common < a->depth && common < b->depth && a->path[common] == b->path[common])
        common++;
    return common == a->depth ? WPG_PART_COVERS : common == b->depth ? WPG_PART_INSIDE : WPG_PART_APART;
}

static bool is_chain(const wpg_inst *inst)
{
    return inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain;
}

static uint32_t root_of(const wpg_stored *stored, uint32_t id)
{
    return id < stored->count && stored->leads[id] ? stored->ids[id].root : 0;
}

/* What the pointer leads to. False: an index is not constant, or there are too many. */
static bool place_of(wpg_part *place, const wpg_stored *stored, uint32_t pointer)
{
    const wpg_inst *chain[WPG_PART_DEPTH];
    uint32_t links = 0;
    *place = (wpg_part){.id = root_of(stored, pointer)};
    for (uint32_t id = pointer; id != place->id; id = chain[links - 1]->words[3]) {
        if (links == WPG_PART_DEPTH)
            return false;
        chain[links++] = wpg_module_def(stored->module, id);
    }
    while (links) {
        const wpg_inst *inst = chain[--links];
        for (uint32_t i = 4; i < inst->count; i++) {
            uint64_t index;
            uint32_t width, word;
            if (!wpg_const_value(stored->module, inst->words[i], &index, &width) || index > UINT32_MAX)
                return false;
            word = (uint32_t)index;
            if (!wpg_part_extend(place, &word, 1))
                return false;
        }
    }
    return true;
}

/* True if all that the variable's stores write is known. */
static bool find_parts(wpg_stored *stored, uint32_t variable)
{
    wpg_stored_id *entry = &stored->ids[variable];
    for (uint32_t s = entry->has_parts ? 0 : entry->first; s && !entry->escapes;) {
        wpg_store *store = &stored->stores.data[s - 1];
        wpg_part to;
        entry->escapes = !place_of(&to, stored, store->pointer);
        if (!entry->escapes && !wpg_vec_push(&stored->parts, to))
            stored->out_of_memory = entry->escapes = true;
        store->part = (uint32_t)stored->parts.count - 1;
        s = store->next;
    }
    entry->has_parts = true;
    return !entry->escapes;
}

bool wpg_stored_source(wpg_part *from, wpg_stored *stored, const wpg_inst *load, const wpg_part *part)
{
    return load->result < stored->count && stored->ids[load->result].label &&
           root_of(stored, load->words[3]) && place_of(from, stored, load->words[3]) &&
           find_parts(stored, from->id) && wpg_part_extend(from, part->path, part->depth);
}

/* -- Reading -- */

/* The entry of a result, to be written to. Only its one definition asks for the entry. */
static wpg_stored_id *note(wpg_stored *stored, uint32_t id)
{
    if (stored->noted_count < stored->count)
        stored->noted[stored->noted_count++] = id;
    return &stored->ids[id];
}

static void find_pointer(wpg_stored *stored, const wpg_inst *inst)
{
    const uint32_t root = inst->opcode == SpvOpVariable && inst->words[3] == SpvStorageClassFunction
                              ? inst->result
                          : is_chain(inst) ? root_of(stored, inst->words[3])
                                           : 0;
    if (!root)
        return;
    note(stored, inst->result)->root = root;
    stored->leads[inst->result] = true;
}

static void find_pointers(wpg_stored *stored, const wpg_fold_job *job)
{
    for (size_t i = 0; job->blocks && i < job->pointer_count; i++)
        find_pointer(stored, job->pointers[i]);
    for (const wpg_inst *inst = job->function; !job->blocks && wpg_in_function(inst); inst = inst->next)
        find_pointer(stored, inst);
}

static void escape(wpg_stored *stored, uint32_t id)
{
    if (root_of(stored, id))
        stored->ids[root_of(stored, id)].escapes = true;
}

static bool add_store(wpg_stored *stored, uint32_t pointer, uint32_t value, uint32_t label, uint32_t at)
{
    const uint32_t root = root_of(stored, pointer);
    if (!root)
        return true;
    const wpg_store store = {
        .value = value, .pointer = pointer, .label = label, .at = at, .next = stored->ids[root].first};
    if (!wpg_vec_push(&stored->stores, store))
        return false;
    stored->ids[root].first = (uint32_t)stored->stores.count;
    return true;
}

/* Arithmetic has neither pointers nor literals. */
static bool is_arithmetic(const wpg_inst *inst)
{
    return inst->opcode >= SpvOpSNegate && inst->opcode <= SpvOpFwidthCoarse && inst->opcode != SpvOpSelect;
}

static bool read_inst(wpg_stored *stored, const wpg_inst *inst, uint32_t label, uint32_t at)
{
    switch (inst->opcode) {
    case SpvOpVariable:
        return inst->count < 5 || add_store(stored, inst->result, inst->words[4], label, at);
    case SpvOpLoad:
        if (!wpg_access_is_volatile(inst)) {
            wpg_stored_id *entry = note(stored, inst->result);
            entry->label = label;
            entry->at = at;
        }
        return true;
    case SpvOpStore:
        escape(stored, inst->words[2]);
        if (wpg_access_is_volatile(inst))
            escape(stored, inst->words[1]);
        return add_store(stored, inst->words[1], inst->words[2], label, at);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return true;
    default:
        /* A literal may look like an id: one variable less. */
        for (uint32_t i = inst->type ? 3 : inst->result ? 2 : 1; i < inst->count; i++)
            escape(stored, inst->words[i]);
        return true;
    }
}

/* Forgets the function before, and makes room for every id there is now. */
static bool start(wpg_stored *stored, const wpg_module *module)
{
    for (uint32_t i = 0; i < stored->noted_count; i++) {
        stored->ids[stored->noted[i]] = (wpg_stored_id){0};
        stored->leads[stored->noted[i]] = false;
    }
    stored->noted_count = 0;
    wpg_vec_clear(&stored->stores);
    wpg_vec_clear(&stored->parts);
    stored->out_of_memory = false;
    stored->module = module;
    if (module->bound <= stored->count)
        return true;
    const uint32_t want = module->bound + module->bound / 2;
    wpg_arena_finish(&stored->arena);
    stored->ids = WPG_ARENA_ARRAY(&stored->arena, wpg_stored_id, want);
    stored->leads = WPG_ARENA_ARRAY(&stored->arena, bool, want);
    stored->noted = (uint32_t *)wpg_arena_alloc_raw(&stored->arena, want, sizeof *stored->noted);
    stored->count = stored->arena.failed ? 0 : want;
    return stored->count;
}

wpg_status wpg_stored_read(wpg_stored *stored, const wpg_module *module, const wpg_fold_job *job,
                           wpg_error *err)
{
    bool fits = start(stored, module);
    uint32_t label = 0, at = 0;
    if (fits)
        find_pointers(stored, job);
    for (const wpg_inst *inst = job->function; fits && wpg_in_function(inst); inst = inst->next, at++) {
        if (is_arithmetic(inst))
            continue;
        if (inst->opcode == SpvOpLabel) {
            label = inst->result;
            at = 0;
        }
        fits = read_inst(stored, inst, label, at);
    }
    return fits ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory for %u ids", module->bound);
}

void wpg_stored_finish(wpg_stored *stored)
{
    wpg_arena_finish(&stored->arena);
    wpg_vec_free(&stored->stores);
    wpg_vec_free(&stored->parts);
}
