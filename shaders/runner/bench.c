/* wavepgo-bench: runs the GLSL benchmarks of shaders/ without a window.
 *
 * A plain Vulkan 1.1 program that knows nothing of the layer: the test program and the measuring stick of the
 * project.
 *
 *     main.c -> options.c -> case table (case.c, cases_*.c)
 *                      -> device.c -> run.c (pipeline.c, resources.c, timing.c) -> report.c
 *                                  -> statistics.c, info.c: nothing is run
 *                      -> compare.c: itself again (child.c), in two or more environments
 *
 * Threads: one. */
#include "shaders/runner/bench.h"

#include <string.h>
#include "shaders/runner/compare.h"
#include "shaders/runner/info.h"
#include "shaders/runner/report.h"
#include "shaders/runner/statistics.h"

typedef struct outputs {
    FILE *json;
    bool table;
} outputs;

static bool run_case(const bench_options *options, const bench_device *dev, const bench_power *power,
                     const bench_case *c, outputs out)
{
    bench_result result;
    bench_clocks clocks;
    bench_power_read(&clocks.begin, power);
    bench_run(&result, dev, c, options);
    bench_power_read(&clocks.end, power);
    if (out.table || result.state == BENCH_FAILED)
        bench_report_row(options, c, &result);
    if (out.json)
        bench_report_json(out.json, options, dev, c, &result, power, &clocks);
    return result.state != BENCH_FAILED;
}

static bool show_statistics(const bench_options *options, const bench_device *dev, const bench_case *c,
                            outputs out)
{
    wpg_error err = {0};
    bench_work work = {0};
    bench_pipeline p = {0};
    if (bench_missing_feature(dev, c))
        return true;
    wpg_status status = c->prepare(&work, options->size, &err);
    if (status == WPG_OK)
        status = bench_pipeline_create(&p, dev, c, &work, options->shader_folder, &err);
    if (status == WPG_OK)
        status = bench_statistics_print(out.json, out.table, dev, c, &p, &err);
    if (status != WPG_OK)
        (void)fprintf(stderr, "wavepgo-bench: %s: %s\n", c->name, err.message);
    bench_pipeline_destroy(&p, dev);
    bench_work_finish(&work);
    return status == WPG_OK;
}

static int run_all(const bench_options *options)
{
    wpg_error err = {0};
    bench_device dev;
    bench_power power = {0};
    outputs out = {NULL, false};
    bool failed = false;
    if (!bench_json_open(&out.json, options))
        return 1;
    out.table = out.json != stdout;
    wpg_status status = bench_device_create(&dev, options->device,
                                            (options->compile_only ? BENCH_DEVICE_NO_MEMORY : 0u) |
                                                (options->statistics ? BENCH_DEVICE_STATISTICS : 0u),
                                            &err);
    if (status != WPG_OK) {
        (void)fprintf(stderr, "wavepgo-bench: %s\n", err.message);
        bench_device_destroy(&dev);
        bench_json_close(out.json);
        return status == WPG_E_NOT_FOUND ? BENCH_EXIT_NO_DEVICE : 1;
    }
    size_t count;
    const bench_case *cases = bench_cases(&count);
    if (options->info)
        bench_info_json(out.json ? out.json : stdout, &dev);
    else if (out.table && !options->statistics)
        bench_report_header(options, &dev);
    const bool told = out.table && !options->compile_only && !options->checksum;
    if (!options->compile_only)
        bench_power_start(&power, &dev, options);
    if (told)
        bench_power_line(&power);
    for (size_t i = 0; i < count && !options->info; i++)
        if (bench_options_select(options, &cases[i]))
            failed |= !(options->statistics ? show_statistics(options, &dev, &cases[i], out)
                                            : run_case(options, &dev, &power, &cases[i], out));
    if (told)
        bench_power_line(&power);
    bench_power_stop(&power);
    bench_device_destroy(&dev);
    return !bench_json_close(out.json) || failed;
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

int bench_run_program(int argc, char **argv, const bench_case *const *tables)
{
    bench_options options;
    bench_cases_take(tables);
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
    return options.compare_count ? bench_compare(&options) : run_all(&options);
}
