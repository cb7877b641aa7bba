/* The command line of wavepgo-isa. `wavepgo isa --help` lists it (runtime/cli/main.c). */
#include <string.h>

#include "runtime/cli/common/command.h"
#include "runtime/cli/common/spec_option.h"
#include "runtime/cli/isa/isa.h"

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
        {"--profile", &options->profile}, {"--counters", &options->counters}, {"--html", &options->html},
        {"--linker", &options->linker}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(name, texts[i].name) == 0) {
            *texts[i].value = value;
            return 0;
        }
    if (strcmp(name, "--wave") == 0) {
        options->wave_size = strcmp(value, "32") == 0 ? 32 : strcmp(value, "64") == 0 ? 64 : 0;
        return options->wave_size ? 0 : wpg_usage_error(command_name, "--wave takes 32 or 64");
    }
    if (strcmp(name, "--code-object-version") == 0) {
        options->code_object = strcmp(value, "5") == 0 ? 5 : strcmp(value, "6") == 0 ? 6 : 0;
        return options->code_object ? 0 : wpg_usage_error(command_name, "--code-object-version takes 5 or 6");
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
    static const char *const names[] = {
        "--entry",  "--gpu",  "-o",      "--profile",   "--html",     "--wave",   "--abi",
        "--driver", "--spec", "--count", "--placement", "--counters", "--linker", "--code-object-version"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* By name: a slip of the hand, `-o` before the module. */
static bool is_overwritten(const wpg_isa_options *options)
{
    return same(options->out, options->in) || same(options->html, options->in) ||
           same(options->out, options->html) || same(options->out, options->counters);
}

int wpg_isa_parse(wpg_isa_options *options, int argc, char **argv)
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
        } else if (strcmp(text, "--verify") == 0) {
            options->verify = true;
        } else if (strcmp(text, "--contract") == 0) {
            options->contract = true;
        } else if (strcmp(text, "--relocatable") == 0) {
            options->relocatable = true;
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
        return wpg_usage_error(command_name, "--profile cannot be combined with --generate or --counters");
    const bool to_standard_output = options->out && strcmp(options->out, "-") == 0;
    if (to_standard_output && (options->json || options->counters))
        return wpg_usage_error(command_name, "-o - leaves no room for %s on standard output",
                               options->json ? "--json" : "a profile");
    if (is_overwritten(options))
        return wpg_usage_error(command_name, "-o and --html need files of their own");
    if (options->code_object && options->abi == WPG_AMDGPU_PAL)
        return wpg_usage_error(command_name, "--code-object-version needs --abi hsa");
    if (options->counters && !options->out)
        return wpg_usage_error(command_name, "--counters makes a profile: name its file with -o OUT.profraw");
    options->generate |= options->counters != NULL;
    if (counting && !options->generate)
        return wpg_usage_error(command_name, "--count and --placement need --generate");
    return options->in ? 0 : wpg_usage_error(command_name, "no module is given: name a SHADER.spv");
}
