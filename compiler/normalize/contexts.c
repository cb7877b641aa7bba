/* Makes the table of contexts from the record and the normal form: see contexts.h. */
#include "compiler/normalize/contexts.h"

#include <stdlib.h>

#include "compiler/normalize/context_recorder.h"

enum { MOST_ENTRIES = 16 << 20 }; /* blocks and calls of all contexts together */

typedef struct finisher {
    wpg_context_recorder *recorder;
    wpg_context_table *table;
    const wpg_module *module;
    uint32_t *context_of; /* by node: index + 1, 0 = none yet */
    WPG_VEC(uint32_t) path;
    uint32_t capacity; /* of table->contexts */
    uint64_t entries;
    bool failed;
} finisher;

static wpg_status no_memory(wpg_error *err)
{
    return wpg_fail(err, WPG_E_NOMEM, "out of memory for contexts");
}

static uint32_t *filled(finisher *f, uint32_t count)
{
    uint32_t *list = WPG_ARENA_ARRAY(&f->table->arena, uint32_t, count);
    f->failed |= !list;
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = UINT32_MAX; /* WPG_NO_BLOCK, WPG_NO_CONTEXT */
    return list;
}

static void add_context(finisher *f, uint32_t node, uint32_t parent, uint32_t ordinal)
{
    wpg_context_table *table = f->table;
    const wpg_context_node *from = &f->recorder->nodes.data[node];
    const wpg_source_function *function = &table->functions[from->function];
    f->entries += function->block_count + 2ull * function->call_count;
    if (f->entries > MOST_ENTRIES || table->context_count == f->capacity) {
        f->failed = true;
        return;
    }
    table->contexts[table->context_count++] = (wpg_context){.parent = parent,
                                                            .call = from->call,
                                                            .function = from->function,
                                                            .ordinal = ordinal,
                                                            .home = filled(f, function->block_count),
                                                            .callee_context = filled(f, function->call_count),
                                                            .call_home = filled(f, function->call_count)};
    f->context_of[node] = table->context_count;
}

/* The context of a node, made with its callers' if it is not there; WPG_NO_CONTEXT after a failure. */
static uint32_t context_of(finisher *f, uint32_t node, uint32_t ordinal)
{
    wpg_vec_clear(&f->path);
    for (uint32_t at = node; at != WPG_NO_CONTEXT && !f->context_of[at];
         at = f->recorder->nodes.data[at].parent)
        if (!wpg_vec_push(&f->path, at))
            f->failed = true;
    while (f->path.count && !f->failed) {
        uint32_t at = wpg_vec_pop(&f->path), parent = f->recorder->nodes.data[at].parent;
        add_context(f, at, parent == WPG_NO_CONTEXT ? WPG_NO_CONTEXT : f->context_of[parent] - 1, ordinal);
    }
    return f->context_of[node] - 1;
}

/* The arrays are ours until the table is handed out. */
static void put(const uint32_t *list, uint32_t at, uint32_t value)
{
    ((uint32_t *)list)[at] = value;
}

static const wpg_label_origins *origins_of(const finisher *f, uint32_t label)
{
    uint64_t index;
    return wpg_map_get(&f->recorder->labels, label, &index) ? &f->recorder->label_origins.data[index] : NULL;
}

static void place_calls(finisher *f, const wpg_block *block, uint32_t b, uint32_t ordinal)
{
    for (const wpg_inst *inst = block->label; inst != block->terminator && !f->failed; inst = inst->next) {
        uint64_t index;
        if (inst->opcode != SpvOpFunctionCall || !wpg_map_get(&f->recorder->calls, inst->result, &index))
            continue;
        wpg_recorded_call call = f->recorder->recorded_calls.data[index];
        uint32_t context = context_of(f, call.node, ordinal);
        if (!f->failed)
            put(f->table->contexts[context].call_home, call.call, b);
    }
}

static wpg_status read_normal(finisher *f, uint32_t ordinal, wpg_inst *function, wpg_error *err)
{
    wpg_cfg *cfg;
    WPG_TRY(wpg_cfg_create(&cfg, f->module, function, err));
    uint32_t count = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_label_origins *of = origins_of(f, cfg->blocks[b].id);
        for (uint32_t at = of ? of->first : 0; at; at = f->recorder->origins.data[at - 1].next)
            count++;
    }
    wpg_arena *arena = &f->table->arena;
    uint32_t *first = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count + 1u);
    wpg_context_origin *origins = WPG_ARENA_ARRAY(arena, wpg_context_origin, count);
    bool *is_synthetic = WPG_ARENA_ARRAY(arena, bool, cfg->count);
    f->failed |= arena->failed != 0;
    count = 0;
    for (uint32_t b = 0; b < cfg->count && !f->failed; b++) {
        const wpg_label_origins *of = origins_of(f, cfg->blocks[b].id);
        first[b] = count;
        is_synthetic[b] = !of || (!of->first && !of->goes_on);
        for (uint32_t at = of ? of->first : 0; at && !f->failed;
             at = f->recorder->origins.data[at - 1].next) {
            const wpg_label_origin *origin = &f->recorder->origins.data[at - 1];
            uint32_t context = context_of(f, origin->node, ordinal);
            if (f->failed)
                break;
            origins[count++] = (wpg_context_origin){context, origin->block};
            put(f->table->contexts[context].home, origin->block, b);
        }
        place_calls(f, &cfg->blocks[b], b, ordinal);
    }
    f->table->normal[ordinal] =
        (wpg_context_blocks){.checksum = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION),
                             .block_count = cfg->count,
                             .first = first,
                             .origins = origins,
                             .is_synthetic = is_synthetic};
    if (!f->failed)
        first[cfg->count] = count;
    wpg_cfg_destroy(cfg);
    if (f->entries > MOST_ENTRIES)
        return wpg_fail(err, WPG_E_LIMIT, "too many contexts");
    return f->failed ? no_memory(err) : WPG_OK;
}

/* A call that was inlined happens where the callee's entry starts. */
static void link_calls(const wpg_context_table *table)
{
    for (uint32_t c = 0; c < table->context_count; c++) {
        const wpg_context *context = &table->contexts[c];
        if (context->parent == WPG_NO_CONTEXT)
            continue;
        const wpg_context *caller = &table->contexts[context->parent];
        put(caller->callee_context, context->call, c);
        put(caller->call_home, context->call, context->home[0]);
    }
}

static wpg_status finish(wpg_context_recorder *recorder, const wpg_module *module, wpg_error *err)
{
    wpg_context_table *table = recorder->table;
    finisher f = {.recorder = recorder, .table = table, .module = module};
    if (recorder->out_of_memory)
        return no_memory(err);
    uint32_t count = 0;
    wpg_inst *entry = NULL;
    for (const wpg_inst *at = module->first; at && at->opcode != SpvOpFunction; at = at->next)
        if (at->opcode == SpvOpEntryPoint)
            entry = wpg_module_def(module, at->words[2]);
    for (wpg_inst *at = wpg_first_function(module); at; at = wpg_next_function(at->next))
        count++;
    f.capacity = (uint32_t)recorder->nodes.count;
    f.context_of = calloc(recorder->nodes.count + 1, sizeof *f.context_of);
    table->contexts = WPG_ARENA_ARRAY(&table->arena, wpg_context, recorder->nodes.count);
    table->normal = WPG_ARENA_ARRAY(&table->arena, wpg_context_blocks, count);
    wpg_status status = f.context_of && table->contexts && table->normal ? WPG_OK : no_memory(err);
    if (!status && (!entry || entry->opcode != SpvOpFunction))
        status = wpg_fail(err, WPG_E_FORMAT, "the entry point names no function");
    /* The order of record names: the entry function, then the others as they stand. */
    if (!status)
        status = read_normal(&f, table->normal_count++, entry, err);
    for (wpg_inst *at = wpg_first_function(module); at && !status; at = wpg_next_function(at->next))
        if (at != entry)
            status = read_normal(&f, table->normal_count++, at, err);
    if (!status)
        link_calls(table);
    wpg_vec_free(&f.path);
    free(f.context_of);
    return status;
}

wpg_status wpg_normalize_contexts(wpg_context_table **out, wpg_module *module, const wpg_stage *stage,
                                  wpg_normal_info *info, wpg_error *err)
{
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_context_table *table = WPG_ARENA_NEW(&arena, wpg_context_table);
    if (!table)
        return no_memory(err);
    table->arena = arena;
    wpg_context_recorder recorder = {.table = table};
    wpg_status status = wpg_normalize_recorded(module, stage, &recorder, info, err);
    if (status == WPG_OK)
        status = finish(&recorder, module, err);
    wpg_record_finish(&recorder);
    if (status == WPG_OK)
        *out = table;
    else
        wpg_context_table_destroy(table);
    return status;
}

void wpg_context_table_destroy(wpg_context_table *table)
{
    if (!table)
        return;
    wpg_arena arena = table->arena; /* the table lives in it */
    wpg_arena_finish(&arena);
}
