/* wavepgo-pairs: the runner of shaders/runner with the pairs for cases. See pairs.h. */
#include "shaders/pairs/pairs.h"
#include "shaders/runner/bench.h"

enum { MAX_PAIRS = 32 };

int main(int argc, char **argv)
{
    static bench_case chosen[MAX_PAIRS + 1];
    const bench_case *const tables[] = {chosen, NULL};
    const pair *all[] = {pair_surfaces, pair_screens, pair_kernels};
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const pair *p = all[i]; p->before.name && count < MAX_PAIRS; p++)
            chosen[count++] = pair_is_after() ? p->after : p->before;
    return bench_run_program(argc, argv, tables);
}
