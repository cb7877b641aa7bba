#include "compiler/amdgpu/llvm/machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wpg_machine_name(char name[WPG_MACHINE_NAME], uint32_t index)
{
    (void)snprintf(name, WPG_MACHINE_NAME, "wpg.%u", index);
}

static bool starts(const char *line, size_t length, const char *prefix)
{
    return length >= strlen(prefix) && memcmp(line, prefix, strlen(prefix)) == 0;
}

static const char *find(const char *line, size_t length, const char *text)
{
    return memmem(line, length, text, strlen(text));
}

/* The width in an instruction's name: b64, dwordx4; what is narrower than a dword moves one. */
static unsigned width(const char *name, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++) {
        if (i + 6 < length && memcmp(name + i, "dwordx", 6) == 0)
            return (unsigned)(name[i + 6] - '0');
        if (name[i] == '_' && name[i + 1] == 'b' && i + 2 < length && isdigit((unsigned char)name[i + 2])) {
            unsigned bits = (unsigned)strtoul(name + i + 2, NULL, 10);
            return bits > 32 ? bits / 32 : 1;
        }
    }
    return 1;
}

unsigned wpg_machine_scratch(const char *line, size_t length, bool pal)
{
    while (length && isspace((unsigned char)*line))
        line++, length--;
    size_t name = 0;
    while (name < length && !isspace((unsigned char)line[name]))
        name++;
    bool moves = find(line, name, "_load_") || find(line, name, "_store_");
    if (starts(line, name, "scratch_"))
        return moves ? width(line, name) : 0;
    if (!starts(line, name, "buffer_") || !moves || (pal && !find(line, length, "Folded")))
        return 0;
    return width(line, name);
}

typedef struct jump {
    uint32_t from, label;
} jump;

typedef struct reading {
    wpg_arena *arena;
    bool pal, falls; /* falls: the block before leads on to the next */
    wpg_machine_block *blocks;
    uint32_t *labels; /* by block; UINT32_MAX: none */
    uint32_t count, room;
    jump *jumps; /* to the next block where `label` is UINT32_MAX; in order of `from` */
    uint32_t jump_count, jump_room;
} reading;

static bool add_jump(reading *r, uint32_t label)
{
    if (r->jump_count == r->jump_room) {
        uint32_t room = r->jump_room * 2 + 64;
        jump *grown = WPG_ARENA_ARRAY(r->arena, jump, room);
        if (!grown)
            return false;
        if (r->jump_count)
            memcpy(grown, r->jumps, r->jump_count * sizeof *grown);
        r->jumps = grown;
        r->jump_room = room;
    }
    r->jumps[r->jump_count++] = (jump){r->count - 1, label};
    return true;
}

static bool add_block(reading *r, int64_t structurised, uint32_t label)
{
    if (r->count && r->falls && !add_jump(r, UINT32_MAX))
        return false;
    if (r->count == r->room) {
        uint32_t room = r->room * 2 + 64;
        wpg_machine_block *blocks = WPG_ARENA_ARRAY(r->arena, wpg_machine_block, room);
        uint32_t *labels = WPG_ARENA_ARRAY(r->arena, uint32_t, room);
        if (!blocks || !labels)
            return false;
        if (r->count) {
            memcpy(blocks, r->blocks, r->count * sizeof *blocks);
            memcpy(labels, r->labels, r->count * sizeof *labels);
        }
        r->blocks = blocks;
        r->labels = labels;
        r->room = room;
    }
    r->blocks[r->count] = (wpg_machine_block){.structurised = structurised};
    r->labels[r->count++] = label;
    r->falls = true;
    return true;
}

/* The number behind the underscore of ".LBB0_5". */
static uint32_t label_number(const char *line, size_t length)
{
    const char *at = find(line, length, ".LBB"),
               *number = at ? memchr(at, '_', length - (size_t)(at - line)) : NULL;
    return number && isdigit((unsigned char)number[1]) ? (uint32_t)strtoul(number + 1, NULL, 10) : UINT32_MAX;
}

/* "wpg.5.preheader" is a block that code generation made of block 5, and runs as often as who knows. */
static int64_t block_name(const char *line, size_t length)
{
    const char *name = find(line, length, "; %wpg.");
    char *end;
    if (!name)
        return WPG_MACHINE_FOREIGN;
    int64_t number = (int64_t)(uint32_t)strtoul(name + 7, &end, 10);
    return end > name + 7 && (*end == '\n' || *end == '\0') ? number : WPG_MACHINE_FOREIGN;
}

bool wpg_machine_begins_block(int64_t *structurised, const char *line, size_t length)
{
    if ((!starts(line, length, ".LBB") && !starts(line, length, "; %bb.")) || !memchr(line, ':', length))
        return false;
    *structurised = block_name(line, length);
    return true;
}

static bool instruction(reading *r, const char *line, size_t length)
{
    wpg_machine_block *block = &r->blocks[r->count - 1];
    block->instructions++;
    block->scratch += wpg_machine_scratch(line, length, r->pal);
    if (starts(line, length, "\ts_cbranch_") || starts(line, length, "\ts_branch"))
        if (!add_jump(r, label_number(line, length)))
            return false;
    if (starts(line, length, "\ts_branch") || starts(line, length, "\ts_endpgm") ||
        starts(line, length, "\ts_setpc_"))
        r->falls = false;
    return true;
}

static bool read_line(reading *r, const char *line, size_t length)
{
    int64_t structurised;
    if (wpg_machine_begins_block(&structurised, line, length))
        return add_block(r, structurised,
                         starts(line, length, ".LBB") ? label_number(line, length) : UINT32_MAX);
    if (length < 2 || line[0] != '\t' || !islower((unsigned char)line[1]))
        return true;
    return (r->count || add_block(r, WPG_MACHINE_FOREIGN, UINT32_MAX)) && instruction(r, line, length);
}

/* Where a jump leads; UINT32_MAX: nowhere. */
static uint32_t target(const reading *r, const jump *j)
{
    if (j->label == UINT32_MAX)
        return j->from + 1 < r->count ? j->from + 1 : UINT32_MAX;
    for (uint32_t b = 0; b < r->count; b++)
        if (r->labels[b] == j->label)
            return b;
    return UINT32_MAX;
}

static wpg_status make_graph(wpg_machine *machine, const reading *r, wpg_error *err)
{
    uint32_t *first = WPG_ARENA_ARRAY(r->arena, uint32_t, (size_t)r->count + 1);
    uint32_t *targets = WPG_ARENA_ARRAY(r->arena, uint32_t, r->jump_count);
    if (!first || !targets)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < r->jump_count; i++) {
        targets[i] = target(r, &r->jumps[i]);
        if (targets[i] == UINT32_MAX)
            return wpg_fail(err, WPG_E_FORMAT, "machine block %u branches to a label that is not there",
                            r->jumps[i].from);
        first[r->jumps[i].from + 1]++;
    }
    for (uint32_t b = 0; b < r->count; b++)
        first[b + 1] += first[b];
    *machine = (wpg_machine){{r->count, first, targets}, r->blocks};
    return WPG_OK;
}

wpg_status wpg_machine_read(wpg_machine *machine, const char *assembly, const char *kernel, bool pal,
                            wpg_arena *arena, wpg_error *err)
{
    reading r = {.arena = arena, .pal = pal};
    size_t kernel_length = strlen(kernel);
    bool inside = false;
    for (const char *line = assembly; *line;) {
        size_t length = strcspn(line, "\n");
        if (!inside)
            inside = length > kernel_length && memcmp(line, kernel, kernel_length) == 0 &&
                     line[kernel_length] == ':';
        else if (starts(line, length, ".Lfunc_end") || starts(line, length, "\t.section"))
            break;
        else if (!read_line(&r, line, length))
            return wpg_fail(err, WPG_E_NOMEM, "out of memory");
        line += length + (line[length] == '\n');
    }
    if (!r.count)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no kernel '%s' in the assembly", kernel);
    return make_graph(machine, &r, err);
}
