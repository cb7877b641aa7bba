/* What is compiled: for the listing with lines, which change no instruction; the ELF to write without. */
#include <stddef.h>
#include <string.h>

#include "runtime/cli/isa/isa.h"

#define FIGURE(name, key, field)                                                                             \
    {                                                                                                        \
        name, key, offsetof(wpg_amdgpu_figures, field)                                                       \
    }
const wpg_isa_figure wpg_isa_figures[] = {
    FIGURE("VGPRs", "vgprs", vgprs),
    FIGURE("SGPRs", "sgprs", sgprs),
    FIGURE("AGPRs", "agprs", agprs),
    FIGURE("waves a SIMD (occupancy)", "occupancy", occupancy),
    FIGURE("VGPRs spilled", "vgpr_spills", vgpr_spills),
    FIGURE("SGPRs spilled", "sgpr_spills", sgpr_spills),
    FIGURE("scratch, bytes a lane", "scratch_bytes", scratch_bytes),
    FIGURE("LDS, bytes a workgroup", "lds_bytes", lds_bytes),
    FIGURE("code, bytes", "code_bytes", code_bytes),
};
const size_t wpg_isa_figure_count = sizeof wpg_isa_figures / sizeof *wpg_isa_figures;

uint32_t wpg_isa_figure_of(const wpg_isa_version *version, const wpg_isa_figure *figure)
{
    uint32_t value;
    memcpy(&value, (const char *)&version->code->figures + figure->offset, sizeof value);
    return value;
}

static wpg_amdgpu_options options_of(const wpg_isa *isa)
{
    return (wpg_amdgpu_options){.gpu = isa->options.gpu,
                                .wave_size = isa->options.wave_size,
                                .abi = isa->options.abi,
                                .ir = isa->options.ir,
                                .assembly = true,
                                .lines = true};
}

static wpg_status list(wpg_isa_version *version, wpg_error *err)
{
    return wpg_isa_list(&version->listing, version->code->assembly, version->code->kernel, err);
}

wpg_status wpg_isa_compile(wpg_isa *isa, wpg_error *err)
{
    wpg_amdgpu_options options = options_of(isa);
    wpg_isa_version *before = &isa->versions[0];
    before->title = "code";
    WPG_TRY(wpg_amdgpu_compile(&before->code, isa->normal, &isa->stage, &options, err));
    isa->version_count = 1;
    return list(before, err);
}
