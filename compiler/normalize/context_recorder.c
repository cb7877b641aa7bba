/* Follows blocks and calls through inlining: see contexts.h and context_recorder.h. */
#include "compiler/normalize/context_recorder.h"

static void set(wpg_context_recorder *recorder, wpg_map *map, uint32_t key, size_t value)
{
    if (!wpg_map_set(map, key, value))
        recorder->out_of_memory = true;
}

/* What is known of a label; NULL when it is not known, or memory runs out. */
static wpg_label_origins *origins_of(wpg_context_recorder *recorder, uint32_t label, bool make)
{
    uint64_t index;
    if (wpg_map_get(&recorder->labels, label, &index))
        return &recorder->label_origins.data[index];
    if (!make)
        return NULL;
    if (!wpg_vec_push(&recorder->label_origins, (wpg_label_origins){0})) {
        recorder->out_of_memory = true;
        return NULL;
    }
    set(recorder, &recorder->labels, label, recorder->label_origins.count - 1);
    return &recorder->label_origins.data[recorder->label_origins.count - 1];
}

static void add_origin(wpg_context_recorder *recorder, uint32_t label, uint32_t node, uint32_t block)
{
    wpg_label_origins *of = origins_of(recorder, label, true);
    if (!of || !wpg_vec_push(&recorder->origins, (wpg_label_origin){.node = node, .block = block})) {
        recorder->out_of_memory = true;
        return;
    }
    uint32_t made = (uint32_t)recorder->origins.count;
    if (of->last)
        recorder->origins.data[of->last - 1].next = made;
    else
        of->first = made;
    of->last = made;
}

static void add_call(wpg_context_recorder *recorder, uint32_t result, uint32_t node, uint32_t call)
{
    if (wpg_vec_push(&recorder->recorded_calls, (wpg_recorded_call){node, call}))
        set(recorder, &recorder->calls, result, recorder->recorded_calls.count - 1);
    else
        recorder->out_of_memory = true;
}

static uint32_t add_node(wpg_context_recorder *recorder, wpg_context_node node)
{
    if (!wpg_vec_push(&recorder->nodes, node)) {
        recorder->out_of_memory = true;
        return 0;
    }
    return (uint32_t)recorder->nodes.count - 1;
}

/* -- The source functions ------------------------------------------------------------------------------ */

static wpg_status read_function(wpg_context_recorder *recorder, wpg_source_function *f, uint32_t index,
                                const wpg_module *module, wpg_inst *function, wpg_error *err)
{
    wpg_cfg *cfg;
    WPG_TRY(wpg_cfg_create(&cfg, module, function, err));
    f->checksum = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION);
    f->block_count = cfg->count;
    uint32_t calls = 0;
    for (const wpg_inst *inst = function; inst != cfg->blocks[cfg->count - 1].terminator; inst = inst->next)
        calls += inst->opcode == SpvOpFunctionCall;
    wpg_source_call *list = WPG_ARENA_ARRAY(&recorder->table->arena, wpg_source_call, calls);
    wpg_status status = list ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; b < cfg->count && !status; b++) {
        add_origin(recorder, cfg->blocks[b].id, index, b);
        for (const wpg_inst *inst = cfg->blocks[b].label; inst != cfg->blocks[b].terminator;
             inst = inst->next) {
            uint64_t callee;
            if (inst->opcode != SpvOpFunctionCall)
                continue;
            if (!wpg_map_get(&recorder->functions, inst->words[3], &callee)) {
                status = wpg_fail(err, WPG_E_FORMAT, "call of %%%u, which is no function", inst->words[3]);
                break;
            }
            add_call(recorder, inst->result, index, f->call_count);
            list[f->call_count++] = (wpg_source_call){.block = b, .callee = (uint32_t)callee};
        }
    }
    f->calls = list;
    wpg_cfg_destroy(cfg);
    return status;
}

wpg_status wpg_record_begin(wpg_context_recorder *recorder, const wpg_module *module, wpg_error *err)
{
    wpg_context_table *table = recorder->table;
    uint32_t count = 0;
    for (wpg_inst *f = wpg_first_function(module); f; f = wpg_next_function(f->next))
        set(recorder, &recorder->functions, f->result, count++);
    table->functions = WPG_ARENA_ARRAY(&table->arena, wpg_source_function, count);
    if (!table->functions)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    WPG_TRY(wpg_name_source_functions(table, module, err));
    for (wpg_inst *f = wpg_first_function(module); f; f = wpg_next_function(f->next)) {
        uint32_t index = table->function_count++;
        (void)add_node(recorder, (wpg_context_node){.parent = WPG_NO_CONTEXT, .function = index});
        const wpg_inst *first = f->next;
        while (first && first->opcode == SpvOpFunctionParameter)
            first = first->next;
        if (first && first->opcode != SpvOpFunctionEnd) /* a declaration has no body */
            WPG_TRY(read_function(recorder, &table->functions[index], index, module, f, err));
    }
    return recorder->out_of_memory ? wpg_fail(err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}

void wpg_record_finish(wpg_context_recorder *recorder)
{
    wpg_map_free(&recorder->functions);
    wpg_map_free(&recorder->labels);
    wpg_map_free(&recorder->calls);
    wpg_vec_free(&recorder->nodes);
    wpg_vec_free(&recorder->label_origins);
    wpg_vec_free(&recorder->origins);
    wpg_vec_free(&recorder->recorded_calls);
}

/* -- While inlining ------------------------------------------------------------------------------------ */

/* One splice: the callee's contexts copied below the call's. */
typedef struct splice {
    wpg_context_recorder *recorder;
    uint32_t root, under; /* node of the callee itself; what it becomes */
    wpg_map copies;       /* node -> its copy */
} splice;

static uint32_t copy_of(splice *s, uint32_t node)
{
    uint64_t made;
    if (node == s->root)
        return s->under;
    if (wpg_map_get(&s->copies, node, &made))
        return (uint32_t)made;
    /* Paths are as long as calls are deep; parents come before children in nodes. */
    uint32_t path[64], depth = 0, at = node;
    while (at != s->root && depth < 64 && !wpg_map_get(&s->copies, at, &made)) {
        path[depth++] = at;
        at = s->recorder->nodes.data[at].parent;
        if (at == WPG_NO_CONTEXT) { /* not below the callee: cannot be */
            s->recorder->out_of_memory = true;
            return s->under;
        }
    }
    uint32_t parent = at == s->root ? s->under : depth < 64 ? (uint32_t)made : copy_of(s, at);
    while (depth) {
        wpg_context_node copy = s->recorder->nodes.data[path[--depth]];
        copy.parent = parent;
        parent = add_node(s->recorder, copy);
        set(s->recorder, &s->copies, path[depth], parent);
    }
    return parent;
}

static void copy_block(splice *s, const wpg_inliner *in, const wpg_flow_block *block, uint32_t to)
{
    wpg_context_recorder *recorder = s->recorder;
    const wpg_label_origins *from = origins_of(recorder, block->label->result, false);
    bool goes_on = from && from->goes_on;
    for (uint32_t at = from ? from->first : 0; at && !recorder->out_of_memory;) {
        wpg_label_origin origin = recorder->origins.data[at - 1];
        add_origin(recorder, to, copy_of(s, origin.node), origin.block);
        at = origin.next;
    }
    wpg_label_origins *made = goes_on ? origins_of(recorder, to, true) : NULL;
    if (made)
        made->goes_on = true;
    for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next) {
        uint64_t call;
        if (inst->opcode == SpvOpFunctionCall && wpg_map_get(&recorder->calls, inst->result, &call)) {
            wpg_recorded_call known = recorder->recorded_calls.data[call];
            add_call(recorder, wpg_inline_mapped(in, inst->result), copy_of(s, known.node), known.call);
        }
    }
}

void wpg_record_splice(wpg_context_recorder *recorder, const wpg_inliner *in, const wpg_call_site *site,
                       const wpg_inline_function *callee, bool join_entry, uint32_t post)
{
    uint64_t call, function;
    if (recorder->out_of_memory || !wpg_map_get(&recorder->calls, site->call->result, &call) ||
        !wpg_map_get(&recorder->functions, callee->inst->result, &function))
        return;
    wpg_recorded_call known = recorder->recorded_calls.data[call];
    splice s = {.recorder = recorder, .root = (uint32_t)function};
    s.under = add_node(recorder, (wpg_context_node){known.node, known.call, (uint32_t)function});
    for (uint32_t i = 0; i < callee->order_count; i++) {
        const wpg_flow_block *block = &callee->blocks[callee->order[i]];
        uint32_t to = !i && join_entry ? site->label : wpg_inline_mapped(in, block->label->result);
        copy_block(&s, in, block, to);
    }
    wpg_label_origins *after = post ? origins_of(recorder, post, true) : NULL;
    if (after)
        after->goes_on = true;
    wpg_map_free(&s.copies);
}

void wpg_record_move(wpg_context_recorder *recorder, uint32_t from, uint32_t to)
{
    const wpg_label_origins *old = origins_of(recorder, from, false);
    if (!old)
        return;
    wpg_label_origins moved = *old;
    wpg_label_origins *made = origins_of(recorder, to, true);
    if (made)
        *made = moved;
    *origins_of(recorder, from, false) = (wpg_label_origins){0};
}
