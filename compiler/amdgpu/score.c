/* Source: the text of LLVM 22's AMDGPUAsmPrinter with LLVMSetTargetMachineAsmVerbosity. */
#include "compiler/amdgpu/score.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wpg_score_name(char name[WPG_SCORE_NAME], uint32_t index)
{
    (void)snprintf(name, WPG_SCORE_NAME, "wpg.%u", index);
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

unsigned wpg_score_scratch(const char *line, size_t length, bool pal)
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

static uint64_t plus(uint64_t sum, uint64_t times, uint64_t n)
{
    uint64_t product = n && times > UINT64_MAX / n ? UINT64_MAX : times * n;
    return sum + product < sum ? UINT64_MAX : sum + product;
}

/* Whether the line opens a machine block; *index is its structurised block, or stays. */
static bool opens_block(const char *line, size_t length, uint32_t *index, bool *named)
{
    if (!starts(line, length, ".LBB") && !starts(line, length, "; %bb."))
        return false;
    const char *colon = memchr(line, ':', length);
    if (!colon)
        return false;
    size_t rest = length - (size_t)(colon - line);
    const char *name = find(colon, rest, "; %wpg.");
    *named = name != NULL;
    if (name)
        *index = (uint32_t)strtoul(name + 7, NULL, 10);
    return true;
}

static bool is_instruction(const char *line, size_t length)
{
    return length > 1 && line[0] == '\t' && islower((unsigned char)line[1]);
}

bool wpg_score_assembly(wpg_code_score *score, const char *assembly, const char *kernel, bool pal,
                        const uint64_t *waves, uint32_t block_count)
{
    bool inside = false;
    uint32_t block = 0;
    size_t kernel_length = strlen(kernel);
    *score = (wpg_code_score){0};
    for (const char *line = assembly; *line;) {
        size_t length = strcspn(line, "\n");
        bool named;
        if (!inside) {
            inside = length > kernel_length && memcmp(line, kernel, kernel_length) == 0 &&
                     line[kernel_length] == ':';
        } else if (starts(line, length, ".Lfunc_end") || starts(line, length, "\t.section")) {
            break;
        } else if (opens_block(line, length, &block, &named)) {
            score->blocks++;
            score->foreign += !named;
            if (block >= block_count)
                return false;
        } else if (is_instruction(line, length)) {
            unsigned dwords = wpg_score_scratch(line, length, pal);
            score->instructions++;
            score->scratch_text += dwords;
            score->executed = plus(score->executed, waves[block], 1);
            score->scratch = plus(score->scratch, waves[block], dwords);
        }
        line += length + (line[length] == '\n');
    }
    return inside && block_count;
}
