/* The case table as a whole, and what prepare functions share. */
#include "shaders/runner/case.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CASES = 64 };

const bench_case *bench_cases(size_t *count)
{
    static bench_case all[MAX_CASES];
    static size_t filled;
    if (!filled) {
        const bench_case *tables[] = {bench_compute_cases, bench_scene_cases, bench_graphics_cases};
        for (size_t t = 0; t < 3; t++)
            for (const bench_case *c = tables[t]; c->name && filled < MAX_CASES; c++)
                all[filled++] = *c;
    }
    *count = filled;
    return all;
}

bool bench_case_is_compute(const bench_case *c)
{
    const char *dot = strrchr(c->files[0], '.');
    return dot && !strcmp(dot, ".comp");
}

bool bench_case_matches(const bench_case *c, const char *glob)
{
    return fnmatch(glob, c->name, 0) == 0;
}

static const char *const size_names[BENCH_SIZES] = {"small", "demo", "full"};

const char *bench_size_name(bench_size size)
{
    return size_names[size];
}

bool bench_size_parse(bench_size *size, const char *name)
{
    for (int i = 0; i < BENCH_SIZES; i++) {
        if (!strcmp(name, size_names[i])) {
            *size = (bench_size)i;
            return true;
        }
    }
    return false;
}
