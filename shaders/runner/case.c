/* The case table as a whole, and what prepare functions share. */
#include "shaders/runner/case.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CASES = 64 };

static bench_case all[MAX_CASES];
static size_t filled;

void bench_cases_take(const bench_case *const *tables)
{
    for (; *tables; tables++)
        for (const bench_case *c = *tables; c->name && filled < MAX_CASES; c++)
            all[filled++] = *c;
}

const bench_case *bench_cases(size_t *count)
{
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
