/* Reads the assembly of a kernel and says whether whole-wave mode is what it must be beside counters: what is
 * not active is switched on and off again in one straight run of code, and no counter lies in it, nor an end.
 * Works on text alone. */
#ifndef WPG_TESTS_WHOLE_WAVE_H
#define WPG_TESTS_WHOLE_WAVE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct whole_wave_seen {
    unsigned regions;
    char why[200]; /* empty: right */
} whole_wave_seen;

static inline void whole_wave_line(whole_wave_seen *seen, char saved[24], const char *line, int length)
{
    char name[24];
    int end = 0;
    const char *text = line + strspn(line, " \t");
    bool begins = (sscanf(text, "s_or_saveexec_b32 %20[^,], -1%n", name, &end) == 1 ||
                   sscanf(text, "s_or_saveexec_b64 %20[^,], -1%n", name, &end) == 1) &&
                  end;
    bool ends = sscanf(text, "s_mov_b32 exec_lo, %20[^ \n]%n", name, &end) == 1 ||
                sscanf(text, "s_mov_b64 exec, %20[^ \n]%n", name, &end) == 1;
    bool out_of_line = strncmp(text, ";;#ASMSTART", 11) == 0 || strncmp(text, "s_cbranch", 9) == 0 ||
                       strncmp(text, "s_branch", 8) == 0 || strncmp(text, "s_endpgm", 8) == 0 ||
                       strncmp(text, "s_barrier", 9) == 0 || strncmp(line, ".LBB", 4) == 0;
    bool other_mask = strstr(text, "saveexec") && text < line + length && !begins;
    if (!saved[0] && begins) {
        seen->regions++;
        (void)snprintf(saved, 24, "%s", name);
    } else if (saved[0] && ends && strcmp(saved, name) == 0)
        saved[0] = '\0';
    else if (saved[0] && !seen->why[0] &&
             (begins || ends || out_of_line || (other_mask && strncmp(text, "s_", 2) == 0)))
        (void)snprintf(seen->why, sizeof seen->why, "in whole-wave mode: %.*s", length, line);
}

static inline whole_wave_seen whole_wave_read(const char *assembly, const char *kernel)
{
    whole_wave_seen seen = {0};
    char label[80], saved[24] = "", one[256];
    (void)snprintf(label, sizeof label, "\n%s:", kernel);
    const char *line = strstr(assembly, label);
    for (line = line ? line + 1 : ""; *line && strncmp(line, ".Lfunc_end", 10) != 0;) {
        const char *next = strchr(line, '\n');
        next = next ? next + 1 : line + strlen(line);
        (void)snprintf(one, sizeof one, "%.*s", (int)(next - line < 250 ? next - line : 250), line);
        one[strcspn(one, "\n")] = '\0';
        whole_wave_line(&seen, saved, one, (int)strlen(one));
        line = next;
    }
    if (saved[0] && !seen.why[0])
        (void)snprintf(seen.why, sizeof seen.why, "whole-wave mode does not end");
    return seen;
}

#endif
