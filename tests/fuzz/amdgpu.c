/* Fuzzes the translation to LLVM IR: any module that normalising lets through, valid or not, for any target
 * and ABI, becomes IR that LLVM's verifier accepts, the same the second time, or is refused with a reason. */
#include "compiler/amdgpu/llvm/amdgpu.h"
#include "tests/fuzz/common/spirv.h"

static wpg_amdgpu_options options_of(const uint8_t choices[4])
{
    static const char *const gpus[] = {"gfx900", "gfx90a", "gfx1030", "gfx1100", "gfx1201"};
    wpg_amdgpu_options options = {.gpu = gpus[choices[1] % 5],
                                  .abi = choices[2] & 1 ? WPG_AMDGPU_PAL : WPG_AMDGPU_HSA,
                                  .until = WPG_AMDGPU_TRANSLATED,
                                  .contract = choices[2] & 2,
                                  .ir = true};
    options.wave_size = choices[2] & 4 && wpg_amdgpu_has_wave(options.gpu, 32) ? 32 : 64;
    return options;
}

/* NULL: refused. */
static wpg_amdgpu_code *translated(const fuzz_module *input)
{
    wpg_amdgpu_options options = options_of(input->choices);
    wpg_amdgpu_code *code = NULL;
    wpg_error err = {0};
    wpg_stage stage;
    char name[64];
    wpg_module *module = fuzz_normal_form(&stage, name, input);
    if (module) {
        wpg_status status = wpg_amdgpu_compile(&code, module, &stage, &options, &err);
        fuzz_check(status == WPG_OK || (err.status == status && err.message[0]), "refused without a reason");
        fuzz_check((status == WPG_OK) == (code != NULL), "code and failure");
    }
    wpg_module_destroy(module);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_module input;
    if (!fuzz_module_init(&input, data, size))
        return 0;
    wpg_amdgpu_code *once = translated(&input), *again = translated(&input);
    fuzz_check((once != NULL) == (again != NULL), "refused the second time only");
    if (once)
        fuzz_check(strcmp(once->ir, again->ir) == 0, "another translation the second time");
    wpg_amdgpu_code_destroy(once);
    wpg_amdgpu_code_destroy(again);
    fuzz_module_finish(&input);
    return 0;
}
