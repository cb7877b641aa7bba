/* Renames results of calls and parents of phis while functions are inlined. */
#include "compiler/normalize/inline_internal.h"

#include <string.h>

bool wpg_inline_reserve(wpg_inliner *in)
{
    if (in->ids && in->id_count >= in->module->bound)
        return true;
    const uint32_t want = in->module->bound + in->module->bound / 2 + 1, more = want - in->id_count;
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_inline_id *ids = wpg_arena_alloc_raw(&arena, want, sizeof *ids);
    uint8_t *has = wpg_arena_alloc_raw(&arena, want, sizeof *has);
    if (!ids || !has) {
        wpg_arena_finish(&arena);
        return false;
    }
    if (in->id_count) {
        memcpy(ids, in->ids, in->id_count * sizeof *ids);
        memcpy(has, in->has, in->id_count * sizeof *has);
    }
    memset(ids + in->id_count, 0, more * sizeof *ids);
    memset(has + in->id_count, 0, more * sizeof *has);
    wpg_arena_finish(&in->arena);
    in->arena = arena;
    in->ids = ids;
    in->has = has;
    in->id_count = want;
    return true;
}

void wpg_inline_rename_parent(wpg_inliner *in, const wpg_inst *terminator, uint32_t from, uint32_t to)
{
    wpg_targets t = wpg_targets_of(in->module, terminator);
    for (uint32_t at = t.at; at < t.end; at += t.step) {
        wpg_inst *label = wpg_module_def(in->module, t.words[at]);
        for (wpg_inst *phi = wpg_next_phi(label ? label->next : NULL); phi; phi = wpg_next_phi(phi->next))
            for (uint32_t i = 4; i < phi->count; i += 2)
                if (phi->words[i] == from)
                    phi->words[i] = to;
    }
}

uint32_t wpg_inline_renamed(const wpg_inliner *in, uint32_t id)
{
    while (id < in->id_count && in->ids[id].rename)
        id = in->ids[id].rename;
    return id;
}
