/* wavepgo-isa: options, and the steps in order. See isa.h. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"
#include "runtime/cli/command.h"
#include "runtime/cli/isa/isa.h"
#include "runtime/cli/spec_option.h"
#include "runtime/gpu/gpu.h"

static const char command_name[] = WPG_ISA_COMMAND;

static bool is_file_name(const char *text)
{
    return strchr(text, '/') || strchr(text, '.');
}

/* "lanes,uniform": what is counted beside waves, "waves" may be named. */
static int take_count(wpg_counter_options *counting, const char *list)
{
    counting->lanes = counting->uniform = false;
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ",");
        if (length == 5 && strncmp(at, "lanes", length) == 0)
            counting->lanes = true;
        else if (length == 7 && strncmp(at, "uniform", length) == 0)
            counting->uniform = true;
        else if (length != 5 || strncmp(at, "waves", length) != 0)
            return wpg_usage_error(command_name, "--count takes waves, lanes, uniform, by commas");
        at += length + (at[length] == ',');
    }
    return 0;
}

static int take_placement(wpg_counter_options *counting, const char *name)
{
    static const struct {
        const char *name;
        wpg_counter_placement placement;
    } known[] = {{"wave", WPG_PLACE_WAVE}, {"lane", WPG_PLACE_LANE}, {"lane-memory", WPG_PLACE_LANE_MEMORY}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            counting->placement = known[i].placement;
            return 0;
        }
    return wpg_usage_error(command_name, "--placement takes wave, lane or lane-memory");
}

static int take_value(wpg_isa_options *options, const char *name, const char *value)
{
    struct {
        const char *name;
        const char **value;
    } texts[] = {
        {"--entry", &options->entry},     {"--gpu", &options->gpu},           {"-o", &options->out},
        {"--profile", &options->profile}, {"--counters", &options->counters}, {"--html", &options->html}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(name, texts[i].name) == 0) {
            *texts[i].value = value;
            return 0;
        }
    if (strcmp(name, "--wave") == 0) {
        options->wave_size = strcmp(value, "32") == 0 ? 32 : strcmp(value, "64") == 0 ? 64 : 0;
        return options->wave_size ? 0 : wpg_usage_error(command_name, "--wave takes 32 or 64");
    }
    if (strcmp(name, "--abi") == 0) {
        options->abi = strcmp(value, "pal") == 0 ? WPG_AMDGPU_PAL : WPG_AMDGPU_HSA;
        return strcmp(value, "pal") == 0 || strcmp(value, "hsa") == 0
                   ? 0
                   : wpg_usage_error(command_name, "--abi takes hsa or pal");
    }
    if (strcmp(name, "--driver") == 0) {
        options->radv = strcmp(value, "llvm") != 0;
        options->driver = is_file_name(value) ? value : NULL;
        return !options->radv || options->driver || strcmp(value, "radv") == 0
                   ? 0
                   : wpg_usage_error(command_name, "--driver takes radv, or RADV's ICD.json");
    }
    if (strcmp(name, "--count") == 0)
        return take_count(&options->counting, value);
    if (strcmp(name, "--placement") == 0)
        return take_placement(&options->counting, value);
    wpg_spec_value spec;
    if (!wpg_spec_option(&spec, value))
        return wpg_usage_error(command_name, "--spec takes ID=VALUE");
    return wpg_vec_push(&options->spec, spec) ? 0
                                              : wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
}

static bool takes_value(const char *name)
{
    static const char *const names[] = {"--entry", "--gpu",      "-o",      "--profile",
                                        "--html",  "--wave",     "--abi",   "--driver",
                                        "--spec",  "--counters", "--count", "--placement"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int parse(wpg_isa_options *options, int argc, char **argv)
{
    bool counting = false;
    for (int at = 1; at < argc; at++) {
        const char *text = argv[at];
        int code = 0;
        counting |= strcmp(text, "--count") == 0 || strcmp(text, "--placement") == 0;
        if (takes_value(text)) {
            if (at + 1 >= argc)
                return wpg_usage_error(command_name, "'%s' needs a value", text);
            code = take_value(options, text, argv[++at]);
        } else if (strcmp(text, "--json") == 0) {
            options->json = true;
        } else if (strcmp(text, "--generate") == 0) {
            options->generate = true;
        } else if (strcmp(text, "--ir") == 0) {
            options->ir = true;
        } else if (text[0] == '-') {
            return wpg_usage_error(command_name, "no option is called '%s'", text);
        } else if (options->in) {
            return wpg_usage_error(command_name, "one module at a time");
        } else {
            options->in = text;
        }
        if (code)
            return code;
    }
    if ((options->generate || options->counters) && options->profile)
        return wpg_usage_error(command_name, "either --generate or --profile");
    if (options->counters && !options->out)
        return wpg_usage_error(command_name, "--counters makes a profile: where to? -o OUT.profraw");
    options->generate |= options->counters != NULL;
    if (counting && !options->generate)
        return wpg_usage_error(command_name, "--count and --placement are of --generate");
    return options->in ? 0 : wpg_usage_error(command_name, "which module? SHADER.spv");
}

/* The GPU that is here, if none was named; else one that many know. */
static int choose_gpu(wpg_isa *isa)
{
    wpg_isa_options *options = &isa->options;
    if (!options->gpu && wpg_gpu_default_target(&options->gpu, NULL) != WPG_OK) {
        options->gpu = "gfx1100";
        isa->guessed_gpu = true;
    }
    if (!wpg_amdgpu_has_wave(options->gpu, 32) && !wpg_amdgpu_has_wave(options->gpu, 64)) {
        (void)wpg_complain(WPG_EXIT_USAGE, command_name,
                           "no GPU is named '%s' here; known are:", options->gpu);
        for (unsigned i = 0; wpg_amdgpu_gpu(i); i++)
            (void)fprintf(stderr, "%s%s", i ? ", " : "    ", wpg_amdgpu_gpu(i));
        (void)fputc('\n', stderr);
        return WPG_EXIT_USAGE;
    }
    if (options->wave_size && !wpg_amdgpu_has_wave(options->gpu, options->wave_size))
        return wpg_complain(WPG_EXIT_USAGE, command_name, "%s has no waves of %u", options->gpu,
                            options->wave_size);
    return 0;
}

static int write_page(const wpg_isa *isa)
{
    wpg_error err = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *page = open_memstream(&text, &size);
    if (!page)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
    wpg_isa_html(page, isa);
    bool good = fclose(page) == 0;
    wpg_status status = good ? wpg_file_write_atomic(isa->options.html, text, size, &err)
                             : wpg_fail(&err, WPG_E_NOMEM, "out of memory");
    free(text);
    return status == WPG_OK ? 0 : wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
}

/* The last version's, which is the one to run. */
static int write_elf(const wpg_isa *isa)
{
    wpg_error err = {0};
    const wpg_amdgpu_code *code = isa->versions[isa->version_count - 1].code;
    return wpg_file_write_atomic(isa->options.out, code->elf, code->elf_size, &err) == WPG_OK
               ? 0
               : wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
}

static int run(wpg_isa *isa)
{
    wpg_error err = {0};
    int code = choose_gpu(isa);
    if (code)
        return code;
    wpg_status status = wpg_isa_read(isa, &err);
    if (status == WPG_OK)
        status = wpg_isa_compile(isa, &err);
    if (status == WPG_OK && isa->options.radv)
        status = wpg_isa_radv(isa, &err);
    if (status != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s: %s", isa->options.in, err.message);
    if (isa->options.counters)
        return wpg_isa_read_counters(isa, &err) == WPG_OK
                   ? 0
                   : wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    if (isa->options.json)
        wpg_isa_json(stdout, isa);
    else
        wpg_isa_text(stdout, isa);
    if (isa->options.html)
        code = write_page(isa);
    if (!code && isa->options.out)
        code = write_elf(isa);
    if (fflush(stdout) != 0)
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "standard output cannot be written");
    return code;
}

int main(int argc, char **argv)
{
    wpg_isa isa = {.options.counting = {.lanes = true, .uniform = true}};
    int code = parse(&isa.options, argc, argv);
    if (!code)
        code = run(&isa);
    wpg_isa_finish(&isa);
    return code;
}
