/* wavepgo-isa: the steps in order. See isa.h. */
#include "runtime/cli/common/command.h"
#include "runtime/cli/isa/isa.h"
#include "runtime/gpu/gpu.h"

static const char command_name[] = WPG_ISA_COMMAND;

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

static int run(wpg_isa *isa)
{
    wpg_error err = {0};
    int code = choose_gpu(isa);
    if (code)
        return code;
    if (wpg_isa_read(isa, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    wpg_status status = wpg_isa_compile(isa, &err);
    if (status == WPG_OK && isa->options.radv)
        status = wpg_isa_radv(isa, &err);
    if (status != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s: %s", isa->options.in, err.message);
    if (isa->options.counters)
        return wpg_isa_read_counters(isa, &err) == WPG_OK
                   ? 0
                   : wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    if (wpg_isa_write(isa, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    return 0;
}

int main(int argc, char **argv)
{
    wpg_isa isa = {.options.counting = {.lanes = true, .uniform = true}};
    int code = wpg_isa_parse(&isa.options, argc, argv);
    if (!code)
        code = run(&isa);
    wpg_isa_finish(&isa);
    return code;
}
