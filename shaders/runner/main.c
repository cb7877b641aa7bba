/* wavepgo-bench: runs the GLSL benchmarks of shaders/ without a window.
 *
 * A plain Vulkan 1.1 program that knows nothing of the layer: the test program and the measuring stick of the
 * project.
 *
 *   options.c -> case table (case.c, cases_*.c) -> device.c -> run.c (pipeline.c, resources.c, timing.c) ->
 * report.c
 *                                               -> compare.c: itself again, in two environments
 *
 * Threads: one. */
#include <string.h>
#include "shaders/runner/compare.h"
#include "shaders/runner/report.h"

static int run_all(const bench_options *options)
{
    wpg_error err = {0};
    bench_device dev;
    FILE *json = NULL;
    bool failed = false;
    if (!bench_json_open(&json, options))
        return 1;
    bool table = json != stdout;
    wpg_status status = bench_device_create(&dev, options->device, options->compile_only, &err);
    if (status != WPG_OK) {
        (void)fprintf(stderr, "wavepgo-bench: %s\n", err.message);
        bench_device_destroy(&dev);
        bench_json_close(json);
        return status == WPG_E_NOT_FOUND ? BENCH_EXIT_NO_DEVICE : 1;
    }
    size_t count;
    const bench_case *cases = bench_cases(&count);
    if (table)
        bench_report_header(options, &dev);
    for (size_t i = 0; i < count; i++) {
        bench_result result;
        if (!bench_options_select(options, &cases[i]))
            continue;
        bench_run(&result, &dev, &cases[i], options);
        if (table || result.state == BENCH_FAILED)
            bench_report_row(options, &cases[i], &result);
        if (json)
            bench_report_json(json, options, &dev, &cases[i], &result);
        failed |= result.state == BENCH_FAILED;
    }
    bench_device_destroy(&dev);
    return !bench_json_close(json) || failed;
}

/* Every --case must name something: a misspelt name in a script should not pass. */
static bool globs_match(const bench_options *options)
{
    size_t count;
    const bench_case *cases = bench_cases(&count);
    for (uint32_t g = 0; g < options->glob_count; g++) {
        bool found = false;
        for (size_t i = 0; i < count && !found; i++)
            found = bench_case_matches(&cases[i], options->globs[g]);
        if (!found) {
            (void)fprintf(stderr, "wavepgo-bench: no case matches %s (see --list)\n", options->globs[g]);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    bench_options options;
    if (!bench_options_parse(&options, argc, argv))
        return 2;
    if (options.help) {
        bench_options_usage();
        return 0;
    }
    if (!globs_match(&options))
        return 2;
    if (options.list) {
        bench_report_list(&options);
        return 0;
    }
    return options.compare ? bench_compare(&options) : run_all(&options);
}
