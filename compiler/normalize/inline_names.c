/* Renames results of calls and parents of phis while functions are inlined. */
#include "compiler/normalize/inline_internal.h"

#include <string.h>

bool wpg_inline_reserve(wpg_inliner *in)
{
    if (in->ids && in->id_count >= in->module->bound)
        return true;
    uint32_t want = in->module->bound + in->module->bound / 2 + 1;
    wpg_inline_id *ids = realloc(in->ids, want * sizeof *ids);
    if (ids)
        in->ids = ids;
    uint8_t *has = ids ? realloc(in->has, want * sizeof *has) : NULL;
    if (!has)
        return false;
    in->has = has;
    memset(ids + in->id_count, 0, (want - in->id_count) * sizeof *ids);
    memset(has + in->id_count, 0, (want - in->id_count) * sizeof *has);
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
