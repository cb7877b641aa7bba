/* The table of AMD's GPUs, sorted by family and revision. See targets.h. */
#include "runtime/gpu/targets.h"

#include <stddef.h>

enum {
    SI = 110, /* Southern Islands */
    CI = 120, /* Sea Islands */
    KV = 125, /* Kaveri, Kabini */
    VI = 130, /* Volcanic Islands, Polaris */
    CZ = 135, /* Carrizo, Stoney */
    AI = 141, /* Vega, Instinct */
    RV = 142, /* Raven, Renoir */
    NV = 143, /* Navi 1x, 2x */
    VANGOGH = 144,
    GFX11_0_0 = 145, /* Navi 3x */
    REMBRANDT = 146,
    GFX11_0_1 = 148, /* Phoenix */
    GFX10_3_6 = 149, /* Raphael */
    GFX11_5_0 = 150, /* Strix */
    GFX10_3_7 = 151, /* Mendocino: LLVM has no processor of its own for it, Mesa takes Raphael's */
    GFX12_0_0 = 152, /* Navi 4x */
    LAST = 0xff
};

static const wpg_gpu_target table[] = {
    {SI, 0x05, 0x14, "gfx600", "tahiti"},
    {SI, 0x15, 0x28, "gfx601", "pitcairn"},
    {SI, 0x29, 0x3c, "gfx601", "verde"},
    {SI, 0x3c, 0x46, "gfx602", "oland"},
    {SI, 0x46, LAST, "gfx602", "hainan"},
    {CI, 0x14, 0x28, "gfx704", "bonaire"},
    {CI, 0x28, 0x3c, "gfx701", "hawaii"},
    {KV, 0x01, 0x81, "gfx700", "kaveri"},
    {KV, 0x81, 0xa1, "gfx703", "kabini"},
    {KV, 0xa1, LAST, "gfx703", "mullins"},
    {VI, 0x01, 0x14, "gfx802", "iceland"},
    {VI, 0x14, 0x28, "gfx802", "tonga"},
    {VI, 0x3c, 0x50, "gfx803", "fiji"},
    {VI, 0x50, 0x5a, "gfx803", "polaris10"},
    {VI, 0x5a, 0x64, "gfx803", "polaris11"},
    {VI, 0x64, 0x6e, "gfx803", "polaris12"},
    {VI, 0x6e, LAST, "gfx803", "vegam"},
    {CZ, 0x01, 0x21, "gfx801", "carrizo"},
    {CZ, 0x61, LAST, "gfx810", "stoney"},
    {AI, 0x01, 0x14, "gfx900", "vega10"},
    {AI, 0x14, 0x28, "gfx904", "vega12"},
    {AI, 0x28, 0x32, "gfx906", "vega20"},
    {AI, 0x32, 0x3c, "gfx908", "arcturus"},
    {AI, 0x3c, 0x46, "gfx90a", "aldebaran"},
    {AI, 0x46, 0x50, "gfx942", "mi300"},
    {AI, 0x50, 0x60, "gfx950", "mi350"},
    {RV, 0x01, 0x81, "gfx902", "raven"},
    {RV, 0x81, 0x90, "gfx909", "raven2"},
    {RV, 0x91, LAST, "gfx90c", "renoir"},
    {NV, 0x01, 0x0a, "gfx1010", "navi10"},
    {NV, 0x0a, 0x14, "gfx1011", "navi12"},
    {NV, 0x14, 0x28, "gfx1012", "navi14"},
    {NV, 0x28, 0x32, "gfx1030", "navi21"},
    {NV, 0x32, 0x3c, "gfx1031", "navi22"},
    {NV, 0x3c, 0x46, "gfx1032", "navi23"},
    {NV, 0x46, 0x50, "gfx1034", "navi24"},
    {NV, 0x82, 0x92, "gfx1013", "cyan_skillfish"},
    {VANGOGH, 0x01, LAST, "gfx1033", "vangogh"},
    {GFX11_0_0, 0x01, 0x10, "gfx1100", "navi31"},
    {GFX11_0_0, 0x10, 0x20, "gfx1102", "navi33"},
    {GFX11_0_0, 0x20, LAST, "gfx1101", "navi32"},
    {REMBRANDT, 0x01, LAST, "gfx1035", "rembrandt"},
    {GFX11_0_1, 0x01, LAST, "gfx1103", "phoenix"},
    {GFX10_3_6, 0x01, LAST, "gfx1036", "raphael"},
    {GFX11_5_0, 0x01, 0x40, "gfx1150", "strix"},
    {GFX11_5_0, 0x40, 0x50, "gfx1152", "krackan"},
    {GFX11_5_0, 0x50, 0xc0, "gfx1153", "gfx1153"},
    {GFX11_5_0, 0xc0, LAST, "gfx1151", "strix_halo"},
    {GFX10_3_7, 0x01, LAST, "gfx1036", "mendocino"},
    {GFX12_0_0, 0x40, 0x50, "gfx1200", "navi44"},
    {GFX12_0_0, 0x50, LAST, "gfx1201", "navi48"},
};

const wpg_gpu_target *wpg_gpu_target_of(uint32_t family, uint32_t external_rev)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].family == family && table[i].first_rev <= external_rev &&
            external_rev < table[i].end_rev)
            return &table[i];
    return NULL;
}
