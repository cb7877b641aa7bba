/* Remarks: what the passes did and refused, and the branches without weights. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/optimize/ir/optimize.h"
#include "compiler/optimize/ir/pass.h"
#include "runtime/base/text.h"

void wpg_remarks_destroy(wpg_remarks *remarks)
{
    if (!remarks)
        return;
    wpg_arena_finish(&remarks->arena);
    free(remarks);
}

wpg_remarks *wpg_remarks_copy(const wpg_remarks *remarks)
{
    wpg_remarks *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    wpg_arena_init(&made->arena);
    made->mismatch = remarks->mismatch;
    made->wave_size = remarks->wave_size;
    made->push_words = remarks->push_words;
    made->saved_within = remarks->saved_within;
    made->saved_alone = remarks->saved_alone;
    made->count = remarks->count;
    made->items = WPG_ARENA_ARRAY(&made->arena, wpg_remark, remarks->count);
    for (uint32_t i = 0; made->items && i < made->count; i++) {
        made->items[i] = remarks->items[i];
        made->items[i].pass = wpg_arena_strdup(&made->arena, remarks->items[i].pass);
    }
    if (!made->arena.failed)
        return made;
    wpg_remarks_destroy(made);
    return NULL;
}

/* The hints gain little; a branch without weights is a remark of its own. */
static bool is_hint(const wpg_remark *remark)
{
    return strcmp(remark->pass, "annotate") == 0 || strcmp(remark->pass, "flatten") == 0;
}

static bool has(const wpg_remarks *remarks, const wpg_remark *like, wpg_remark_kind kind)
{
    for (uint32_t i = 0; remarks && i < remarks->count; i++) {
        const wpg_remark *it = &remarks->items[i];
        if (it->kind == kind && it->ordinal == like->ordinal && it->block == like->block &&
            strcmp(it->pass, like->pass) == 0)
            return true;
    }
    return false;
}

const wpg_remark *wpg_remarks_lost(const wpg_remarks *before, const wpg_remarks *now)
{
    for (uint32_t i = 0; before && i < before->count; i++) {
        const wpg_remark *it = &before->items[i];
        if (it->kind == WPG_REMARK_DONE && !is_hint(it) && has(now, it, WPG_REMARK_REFUSED) &&
            !has(now, it, WPG_REMARK_DONE))
            return it;
    }
    return NULL;
}

/* Room for one more in an array of the remarks' arena that is grown at powers of two; NULL when memory ran
 * out: the module matters more than what is said about it. */
static void *grow(wpg_remarks *remarks, void *items, uint32_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items;
    void *grown = wpg_arena_alloc(&remarks->arena, count ? (size_t)count * 2 : 1, size);
    if (grown && count)
        memcpy(grown, items, count * size);
    return grown;
}

void wpg_remark_add(wpg_context *context, wpg_remark_kind kind, const char *pass, uint32_t ordinal,
                    uint32_t block, const char *fmt, ...)
{
    wpg_remarks *remarks = context->remarks;
    wpg_remark *items = grow(remarks, remarks->items, remarks->count, sizeof *items);
    if (!items)
        return;
    remarks->items = items;
    wpg_remark *remark = &remarks->items[remarks->count++];
    *remark = (wpg_remark){.kind = kind, .pass = pass, .ordinal = ordinal, .block = block};
    va_list arguments;
    va_start(arguments, fmt);
    wpg_format_list(remark->text, sizeof remark->text, fmt, arguments);
    va_end(arguments);
}

void wpg_branch_is_unknown(wpg_context *context, uint32_t label, const char *pass)
{
    wpg_remarks *remarks = context->remarks;
    wpg_unknown_branch *unknown = grow(remarks, remarks->unknown, remarks->unknown_count, sizeof *unknown);
    if (!unknown)
        return;
    remarks->unknown = unknown;
    remarks->unknown[remarks->unknown_count++] = (wpg_unknown_branch){label, pass};
}
