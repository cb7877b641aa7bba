/* The table and the JSON lines. See report.h. */
#include "shaders/runner/report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void bench_report_list(const bench_options *options)
{
    size_t count;
    const bench_case *cases = bench_cases(&count);
    (void)printf("%-18s %12s  what it is for, and live lanes expected per execution (size %s)\n", "case",
                 "invocations", bench_size_name(options->size));
    for (size_t i = 0; i < count; i++) {
        wpg_error err;
        bench_work work = {0};
        if (!bench_options_select(options, &cases[i]))
            continue;
        if (cases[i].prepare(&work, options->size, &err) == WPG_OK) {
            (void)printf("%-18s %12" PRIu64 "  %s\n", cases[i].name, work.invocations, cases[i].summary);
            for (uint32_t e = 0; e < work.expected_count; e++)
                (void)printf("%-18s %12s    %s: %" PRIu64 "\n", "", "", work.expected[e].what,
                             work.expected[e].lanes);
        } else {
            (void)printf("%-18s %12s  %s\n", cases[i].name, "-", err.message);
        }
        bench_work_finish(&work);
    }
}

void bench_report_header(const bench_options *options, const bench_device *dev)
{
    if (options->checksum)
        return;
    (void)printf("device: %s (Vulkan %u.%u.%u), size %s", dev->properties.deviceName,
                 VK_VERSION_MAJOR(dev->properties.apiVersion), VK_VERSION_MINOR(dev->properties.apiVersion),
                 VK_VERSION_PATCH(dev->properties.apiVersion), bench_size_name(options->size));
    if (!options->compile_only)
        (void)printf(", %u timed executions after a warm-up", options->repeat);
    (void)printf("; times in ms\n%-18s %-16s %9s %5s %9s %9s %9s %9s\n", "case = pipeline", "checksum",
                 "creation", "clock", "median", "min", "max", "first");
}

void bench_report_row(const bench_options *options, const bench_case *c, const bench_result *result)
{
    if (result->state == BENCH_SKIPPED || result->state == BENCH_FAILED) {
        (void)fprintf(result->state == BENCH_FAILED ? stderr : stdout, "%-18s %s: %s\n", c->name,
                      bench_state_name(result->state), result->why);
    } else if (result->state == BENCH_COMPILED) {
        (void)printf("%-18s %-16s %9.3f\n", c->name, "compiled", result->create_ms);
    } else if (options->checksum) {
        (void)printf("%016" PRIx64 "  %s\n", result->checksum, c->name);
    } else {
        (void)printf("%-18s %016" PRIx64 " %9.3f %5s %9.3f %9.3f %9.3f %9.3f\n", c->name, result->checksum,
                     result->create_ms, result->clock, result->time.median, result->time.min,
                     result->time.max, result->first_ms);
    }
    (void)fflush(stdout);
}

void bench_json_string(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            (void)fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            (void)fprintf(out, "\\u%04x", *c);
        else
            (void)fputc(*c, out);
    }
    (void)fputc('"', out);
}

void bench_report_json(FILE *out, const bench_options *options, const bench_device *dev, const bench_case *c,
                       const bench_result *result, const bench_power *power, const bench_clocks *clocks)
{
    (void)fputs("{\"case\":", out);
    bench_json_string(out, c->name);
    (void)fprintf(out, ",\"pipeline\":");
    bench_json_string(out, c->name);
    (void)fprintf(out, ",\"state\":\"%s\",\"size\":\"%s\",\"device\":", bench_state_name(result->state),
                  bench_size_name(options->size));
    bench_json_string(out, dev->properties.deviceName);
    if (result->why[0]) {
        (void)fputs(",\"why\":", out);
        bench_json_string(out, result->why);
    }
    if (result->state == BENCH_OK || result->state == BENCH_COMPILED)
        (void)fprintf(out, ",\"create_ms\":%.6f,\"compile_ms\":%.6f", result->create_ms, result->compile_ms);
    if (result->state == BENCH_OK) {
        (void)fprintf(out, ",\"checksum\":\"%016" PRIx64 "\",\"clock\":\"%s\"", result->checksum,
                      result->clock);
        (void)fprintf(
            out,
            ",\"median_ms\":%.6f,\"min_ms\":%.6f,\"max_ms\":%.6f,\"wall_median_ms\":%.6f,\"first_ms\":%.6f",
            result->time.median, result->time.min, result->time.max, result->wall.median, result->first_ms);
        (void)fprintf(out, ",\"executions\":%u,\"binds\":%u,\"invocations\":%" PRIu64 ",\"expected_lanes\":{",
                      result->executions, options->binds, result->invocations);
        for (uint32_t i = 0; i < result->expected_count; i++) {
            (void)fputs(i ? "," : "", out);
            bench_json_string(out, result->expected[i].what);
            (void)fprintf(out, ":%" PRIu64, result->expected[i].lanes);
        }
        (void)fputs("}", out);
        bench_power_json(out, power, clocks);
    }
    (void)fputs("}\n", out);
    (void)fflush(out);
}

bool bench_json_open(FILE **out, const bench_options *options)
{
    *out = NULL;
    if (!options->json)
        return true;
    if (!strcmp(options->json, "-")) {
        *out = stdout;
        return true;
    }
    *out = fopen(options->json, "w");
    if (!*out)
        (void)fprintf(stderr, "wavepgo-bench: %s: %s\n", options->json, strerror(errno));
    return *out != NULL;
}

bool bench_json_close(FILE *out)
{
    if (!out)
        return true;
    bool bad = ferror(out) != 0;
    if ((out == stdout ? fflush(out) : fclose(out)) != 0 || bad) {
        (void)fprintf(stderr, "wavepgo-bench: the JSON file could not be written: %s\n", strerror(errno));
        return false;
    }
    return true;
}
