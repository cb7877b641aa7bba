/* Reads the assembly of an instrumented kernel and says whether it counts as its table has it: each block
 * once, in its own registers or at its own place in memory; all registers added to memory before each end;
 * every loop header able to; and nothing but that touches the registers set apart. Works on text alone, so
 * that anything may be shown to it. */
#ifndef WPG_TESTS_COUNTER_CHECK_H
#define WPG_TESTS_COUNTER_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/amdgpu/counters/generate.h"

typedef struct counter_seen {
    unsigned ones[128], lanes[128], carries[128], flushed[128], zeroed[128]; /* by register */
    unsigned *stored;                                                        /* by slot */
    unsigned ends, epochs, backs, ticks, foreign, begins;
    char foreign_line[160];
} counter_seen;

/* A scalar register from s40 on is named. */
static inline bool names_reserved(const char *line)
{
    for (const char *at = line; *at && *at != ';' && *at != '\n'; at++) {
        unsigned first, last;
        bool begins =
            at == line || !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.", at[-1]);
        if (!begins || *at != 's')
            continue;
        if (sscanf(at, "s[%u:%u]", &first, &last) != 2) {
            char *end;
            last = (unsigned)strtoul(at + 1, &end, 10);
            if (end == at + 1 || (*end && strchr("abcdefghijklmnopqrstuvwxyz_", *end)))
                continue;
        }
        if (last >= 40 && last < 106)
            return true;
    }
    return false;
}

static inline void read_ours(counter_seen *seen, const char *line, uint32_t slots)
{
    unsigned a, b, c;
    int end = 0;
    if (sscanf(line, "s_add_u32 s%u, s%u, 1%n", &a, &b, &end) == 2 && end && line[end] < ' ' && a == b &&
        a < 128)
        seen->ones[a]++;
    else if (sscanf(line, "s_add_u32 s%u, s%u, s42%n", &a, &b, &end) == 2 && end && a == b && a < 128)
        seen->lanes[a]++;
    else if (sscanf(line, "s_addc_u32 s%u, s%u, 0%n", &a, &b, &end) == 2 && end && a == b && a < 128)
        seen->carries[a]++;
    else if (sscanf(line, "v_writelane_b32 v0, s%u, %u%n", &a, &c, &end) == 2 && end && a < 128 && a != 42)
        seen->flushed[a]++;
    else if (sscanf(line, "v_mov_b32 v2, 0x%x%n", &a, &end) == 1 && end && a / 8 < slots)
        seen->stored[a / 8]++;
    else if (sscanf(line, "s_mov_b32 s%u, 0%n", &a, &end) == 1 && end && line[end] < ' ' && a < 128)
        seen->zeroed[a]++;
    seen->epochs += strncmp(line, ".Lwpg_epoch:", 12) == 0;
    seen->backs += strncmp(line, ".Lwpg_back_", 11) == 0;
    seen->ticks += strncmp(line, "s_add_u32 s43, s43, 0x", 22) == 0;
    seen->begins += strncmp(line, "s_mov_b32 s40, exec_lo", 22) == 0 ||
                    strncmp(line, "s_mov_b64 s[40:41], exec", 24) == 0;
}

static inline void read_code(counter_seen *seen, const char *assembly, const char *kernel, uint32_t slots)
{
    char label[80];
    bool ours = false;
    (void)snprintf(label, sizeof label, "\n%s:", kernel);
    const char *line = strstr(assembly, label);
    for (line = line ? line + 1 : ""; *line;) {
        const char *next = strchr(line, '\n');
        const char *text = line + strspn(line, " \t");
        next = next ? next + 1 : line + strlen(line);
        if (strncmp(line, ".Lfunc_end", 10) == 0 || strncmp(text, ".section", 8) == 0)
            break;
        if (strncmp(text, ";;#ASMSTART", 11) == 0)
            ours = true;
        else if (strncmp(text, ";;#ASMEND", 9) == 0)
            ours = false;
        else if (ours)
            read_ours(seen, text, slots);
        else if (names_reserved(text)) {
            if (!seen->foreign++)
                (void)snprintf(seen->foreign_line, sizeof seen->foreign_line, "%.*s", (int)(next - text),
                               text);
        }
        seen->ends += !ours && strncmp(text, "s_endpgm", 8) == 0;
        line = next;
    }
}

/* Register of a block's counter: they are given out by kind, then by block. */
static inline unsigned register_of(const wpg_counter_table *table, wpg_counter_kind kind, uint32_t block)
{
    unsigned sgpr = 44;
    for (int k = 0; k <= (int)kind; k++)
        for (uint32_t b = 0; table->has[k] && b < (k == (int)kind ? block : table->block_count); b++)
            sgpr += table->how[b] == WPG_COUNTED_IN_REGISTERS;
    return sgpr;
}

static inline bool check_seen(const counter_seen *seen, const wpg_counter_table *table, char why[200])
{
    const unsigned *const counts[] = {seen->ones, seen->lanes, seen->carries};
    enum { WHY = 200 };
    for (uint32_t b = 0; b < table->block_count; b++)
        for (int kind = 0; kind < 3; kind++) {
            if (!table->has[kind])
                continue;
            unsigned slot = wpg_counter_slot(table, (wpg_counter_kind)kind, b);
            unsigned sgpr = register_of(table, (wpg_counter_kind)kind, b);
            bool memory = table->how[b] == WPG_COUNTED_IN_MEMORY;
            unsigned times = memory ? seen->stored[slot] : counts[kind][sgpr];
            if (times != 1)
                return (void)snprintf(why, WHY, "block %u, kind %d: counted %u times", b, kind, times), false;
            if (!memory &&
                (seen->flushed[sgpr] != table->flushes || seen->zeroed[sgpr] != 1 + (table->loops > 0)))
                return (void)snprintf(why, WHY, "s%u: flushed %u times, zeroed %u times", sgpr,
                                      seen->flushed[sgpr], seen->zeroed[sgpr]),
                       false;
        }
    if (seen->begins != 1 || seen->ends == 0 || (table->registers && seen->ends != table->flushes))
        return (void)snprintf(why, WHY, "%u beginnings, %u ends", seen->begins, seen->ends), false;
    if (seen->epochs != (table->loops > 0) || seen->backs != table->loops || seen->ticks != table->loops)
        return (void)snprintf(why, WHY, "%u epochs, %u ways back of %u loops", seen->epochs, seen->backs,
                              table->loops),
               false;
    if (seen->foreign)
        return (void)snprintf(why, WHY, "not ours: %.150s", seen->foreign_line), false;
    return true;
}

static inline bool counters_are_right(const char *assembly, const char *kernel,
                                      const wpg_counter_table *table, char why[200])
{
    counter_seen seen = {.stored = calloc(table->count + 1, sizeof(unsigned))};
    if (!seen.stored)
        return false;
    read_code(&seen, assembly, kernel, table->count);
    bool right = check_seen(&seen, table, why);
    free(seen.stored);
    return right;
}

#endif
