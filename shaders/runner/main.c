/* wavepgo-bench: runs the GLSL benchmarks of shaders/ without a window. See bench.c. */
#include "shaders/runner/bench.h"

int main(int argc, char **argv)
{
    static const bench_case *const tables[] = {bench_compute_cases, bench_scene_cases, bench_graphics_cases,
                                               NULL};
    return bench_run_program(argc, argv, tables);
}
