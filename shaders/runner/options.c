/* Command line of wavepgo-bench, and where it finds its shaders. See options.h. */
#include "shaders/runner/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void bench_options_usage(void)
{
    (void)puts(
        "usage: wavepgo-bench [options]\n"
        "Runs GLSL benchmarks without a window; prints a checksum of each output, and times.\n"
        "  --list              names, invocations and expected lane counts; needs no device\n"
        "  --case NAME|GLOB    only these cases (may be given several times)\n"
        "  --size SIZE         small, demo (default) or full\n"
        "  --repeat N          timed executions after one warm-up (default 5; 0: the warm-up is it)\n"
        "  --device TEXT       the first device whose name contains TEXT; a number: that one, from 0\n"
        "  --checksum          one execution a case, and only `checksum  case` lines\n"
        "  --compile-only      create the pipelines, submit nothing, allocate no memory\n"
        "  --dump-image DIR    write each output to DIR/<case>.ppm (images) or .bin\n"
        "  --clock WHICH       device (default; the wall clock where it tells nothing) or processor: the "
        "time\n"
        "                      of all processors in this process, for software drivers on busy machines\n"
        "  --stable-power      hold the stable power state of an AMD GPU (through libdrm_amdgpu) while\n"
        "                      cases run; its clocks are told with or without (in JSON of --compare:\n"
        "                      the least and the most of each side)\n"
        "  --binds N           bind the pipeline and do the work N times in each execution (default 1)\n"
        "  --frames N          record the commands anew for each execution, as programs with frames do; N\n"
        "                      executions come before those that are timed, and one is timed where --repeat\n"
        "                      is 0. The processor's time has the recording in it\n"
        "  --info              one JSON object: device, driver, what it can do; runs nothing\n"
        "  --statistics        what the driver's compiler says of each pipeline (needs\n"
        "                      VK_KHR_pipeline_executable_properties); creates pipelines, runs nothing\n"
        "  --json FILE         one JSON object a line for each case; - is stdout instead of the table\n"
        "  --shaders DIR       where the .spv files are\n"
        "  --compare '[NAME:] VAR=VALUE ...' --against 'VAR=VALUE ...'\n"
        "                      run each case under both environments in alternating child processes;\n"
        "                      either list may be empty, values may be quoted; ratios are the first over\n"
        "                      the second. Several --compare take turns, each with its NAME. With\n"
        "                      --compile-only creation alone is compared\n"
        "  --rounds N          compare: processes a side and case (default 5)\n"
        "Exit status: 0, 77 if there is no Vulkan device, 1 if a case failed or checksums differ, 2 for\n"
        "a bad option.");
}

static bool parse_count(uint32_t *value, const char *text, uint32_t least)
{
    char *end;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || n < least || n > BENCH_MAX_REPEAT)
        return false;
    *value = (uint32_t)n;
    return true;
}

/* Beside the executable as built (build/bin, build/shaders) or as installed (bin, share/wavepgo/shaders). */
static void find_shaders(bench_options *o)
{
    static const char *const places[] = {"../shaders", "../" WPG_SHADER_DATADIR "/wavepgo/shaders"};
    char exe[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    o->shader_folder = ".";
    if (length <= 0)
        return;
    exe[length] = 0;
    char *slash = strrchr(exe, '/');
    if (slash)
        *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int written = snprintf(o->found_folder, sizeof o->found_folder, "%s/%s", exe, places[i]);
        if (written > 0 && written < (int)sizeof o->found_folder && access(o->found_folder, X_OK) == 0) {
            o->shader_folder = o->found_folder;
            return;
        }
    }
}

static bool set_option(bench_options *o, int option, const char *value)
{
    switch (option) {
    case 'l':
        o->list = true;
        return true;
    case 'k':
        o->checksum = true;
        return true;
    case 'P':
        o->stable_power = true;
        return true;
    case 'C':
        o->compile_only = true;
        return true;
    case 'h':
        o->help = true;
        return true;
    case 'c':
        if (o->glob_count == BENCH_MAX_GLOBS)
            return false;
        o->globs[o->glob_count++] = value;
        return true;
    case 's':
        return bench_size_parse(&o->size, value);
    case 'r':
        return parse_count(&o->repeat, value, 0);
    case 'R':
        return parse_count(&o->rounds, value, 1);
    case 'j':
        o->json = value;
        return true;
    case 'b':
        return parse_count(&o->binds, value, 1);
    case 'f':
        return parse_count(&o->frames, value, 1);
    case 'i':
        o->info = o->compile_only = true;
        return true;
    case 'T':
        o->statistics = o->compile_only = true;
        return true;
    case 'K':
        o->processor_clock = strcmp(value, "processor") == 0;
        return o->processor_clock || strcmp(value, "device") == 0;
    case 'd':
        o->device = value;
        return true;
    case 'D':
        o->dump_folder = value;
        return true;
    case 'S':
        o->shader_folder = value;
        return true;
    case 'A':
        if (o->compare_count == BENCH_MAX_SIDES)
            return false;
        o->compare[o->compare_count++] = value;
        return true;
    case 'B':
        o->against = value;
        return true;
    default:
        return false;
    }
}

bool bench_options_parse(bench_options *o, int argc, char **argv)
{
    static const struct option table[] = {
        {"list", no_argument, NULL, 'l'},
        {"case", required_argument, NULL, 'c'},
        {"size", required_argument, NULL, 's'},
        {"repeat", required_argument, NULL, 'r'},
        {"rounds", required_argument, NULL, 'R'},
        {"json", required_argument, NULL, 'j'},
        {"device", required_argument, NULL, 'd'},
        {"checksum", no_argument, NULL, 'k'},
        {"shaders", required_argument, NULL, 'S'},
        {"dump-image", required_argument, NULL, 'D'},
        {"compare", required_argument, NULL, 'A'},
        {"against", required_argument, NULL, 'B'},
        {"help", no_argument, NULL, 'h'},
        {"compile-only", no_argument, NULL, 'C'},
        {"binds", required_argument, NULL, 'b'},
        {"info", no_argument, NULL, 'i'},
        {"statistics", no_argument, NULL, 'T'},
        {"clock", required_argument, NULL, 'K'},
        {"stable-power", no_argument, NULL, 'P'},
        {"frames", required_argument, NULL, 'f'},
        {NULL, 0, NULL, 0},
    };
    memset(o, 0, sizeof *o);
    o->size = BENCH_DEMO;
    o->repeat = 5;
    o->rounds = 5;
    o->binds = 1;
    int option, index = 0;
    while ((option = getopt_long(argc, argv, "h", table, &index)) != -1) {
        if (option == '?')
            return false;
        if (!set_option(o, option, optarg)) {
            (void)fprintf(stderr, "wavepgo-bench: bad value for --%s: %s\n", table[index].name,
                          optarg ? optarg : "");
            return false;
        }
    }
    if (optind < argc) {
        (void)fprintf(stderr, "wavepgo-bench: unexpected argument: %s\n", argv[optind]);
        return false;
    }
    if (!o->compare_count != !o->against) {
        (void)fprintf(stderr, "wavepgo-bench: --compare and --against go together\n");
        return false;
    }
    if (!o->shader_folder)
        find_shaders(o);
    return true;
}

bool bench_options_select(const bench_options *o, const bench_case *c)
{
    for (uint32_t i = 0; i < o->glob_count; i++)
        if (bench_case_matches(c, o->globs[i]))
            return true;
    return o->glob_count == 0;
}
