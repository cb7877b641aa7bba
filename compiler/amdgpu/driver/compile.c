/* The stages in order, and the disposal of every LLVM object.
 *
 *     translate -> OPTIMISE -> STRUCTURISE -> hook -> object -> figures
 *
 * LLVM reports problems in two ways. Our handler keeps diagnostics of the context (a kernel that needs too
 * much LDS, an operand that cannot be lowered), and the stage fails when it is done. LLVM's own handler would
 * end the process. Fatal errors: llvm_guard.h. */
#include "compiler/amdgpu/driver/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "compiler/amdgpu/driver/figures.h"
#include "compiler/amdgpu/llvm/llvm_guard.h"
#include "compiler/amdgpu/llvm/machine.h"

typedef struct job {
    wpg_amdgpu_code *code;
    const wpg_module *normal;
    const wpg_stage *stage;
    const wpg_amdgpu_options *options;
    const wpg_hooks *hooks;

    wpg_arena arena;
    LLVMContextRef context;
    LLVMModuleRef llvm;
    LLVMTargetMachineRef machine;
    wpg_translation_options translation;
    wpg_translation out;
    char complaint[160]; /* the first diagnostic that was an error */
} job;

static void diagnosed(LLVMDiagnosticInfoRef info, void *data)
{
    job *j = data;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || j->complaint[0])
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    (void)snprintf(j->complaint, sizeof j->complaint, "%s", text && *text ? text : "an error without a text");
    LLVMDisposeMessage(text);
}

static wpg_status complained(const job *j, wpg_error *err)
{
    return j->complaint[0] ? wpg_fail(err, WPG_E_UNSUPPORTED, "LLVM: %s", j->complaint) : WPG_OK;
}

static wpg_status run_passes(job *j, const char *passes, wpg_error *err)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(j->llvm, passes, j->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        char *text = LLVMGetErrorMessage(error);
        wpg_status status = wpg_fail(err, WPG_E_UNSUPPORTED, "LLVM: %s", text);
        LLVMDisposeErrorMessage(text);
        return status;
    }
    return complained(j, err);
}

/* From a copy, always: code generation uses the module up, and of a copy, whose uses stand in another order,
 * it makes other code here and there. So text and object are of the same. */
static wpg_status emit(LLVMMemoryBufferRef *buffer, job *j, LLVMCodeGenFileType file, wpg_error *err)
{
    LLVMModuleRef module = LLVMCloneModule(j->llvm);
    char *message = NULL;
    wpg_status status = WPG_OK;
    if (LLVMTargetMachineEmitToMemoryBuffer(j->machine, module, file, &message, buffer))
        status = wpg_fail(err, WPG_E_UNSUPPORTED, "LLVM: %s", message ? message : "no code was emitted");
    else if ((status = complained(j, err)) != WPG_OK)
        LLVMDisposeMemoryBuffer(*buffer);
    LLVMDisposeMessage(message);
    LLVMDisposeModule(module);
    return status;
}

static char *copy_of(LLVMMemoryBufferRef buffer, size_t *size)
{
    *size = LLVMGetBufferSize(buffer);
    char *copy = malloc(*size + 1);
    if (copy) {
        memcpy(copy, LLVMGetBufferStart(buffer), *size);
        copy[*size] = '\0';
    }
    LLVMDisposeMemoryBuffer(buffer);
    return copy;
}

static wpg_status generate_code(job *j, wpg_error *err)
{
    LLVMMemoryBufferRef buffer;
    wpg_amdgpu_code *code = j->code;
    size_t size;
    if (j->options->assembly) {
        WPG_TRY(emit(&buffer, j, LLVMAssemblyFile, err));
        code->assembly = copy_of(buffer, &size);
        if (!code->assembly)
            return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    }
    WPG_TRY(emit(&buffer, j, LLVMObjectFile, err));
    code->elf = (uint8_t *)copy_of(buffer, &code->elf_size);
    if (!code->elf)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    return wpg_figures_read(&code->figures, code->elf, code->elf_size, code->kernel, code->assembly, err);
}

static wpg_status keep_ir(job *j, wpg_error *err)
{
    if (!j->options->ir)
        return WPG_OK;
    char *text = LLVMPrintModuleToString(j->llvm);
    free(j->code->ir);
    j->code->ir = strdup(text);
    LLVMDisposeMessage(text);
    return j->code->ir ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

/* What a caller wants to know of the kernel outlives the translation. */
static wpg_status keep_facts(job *j, wpg_error *err)
{
    wpg_amdgpu_code *code = j->code;
    size_t bytes = j->out.argument_count * sizeof *code->arguments;
    code->kernel = strdup(j->out.kernel);
    code->arguments = malloc(bytes + 1);
    if (!code->kernel || !code->arguments)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (bytes)
        memcpy(code->arguments, j->out.arguments, bytes);
    code->argument_count = j->out.argument_count;
    code->argument_bytes = j->out.argument_bytes;
    code->wave_size = j->translation.wave_size;
    memcpy(code->local_size, j->out.local_size, sizeof code->local_size);
    return WPG_OK;
}

/* So that the assembly tells which of them each machine block comes from (machine.h). */
static void name_blocks(LLVMValueRef function)
{
    uint32_t index = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        char name[WPG_MACHINE_NAME];
        wpg_machine_name(name, index++);
        LLVMSetValueName2(LLVMBasicBlockAsValue(b), name, strlen(name));
    }
}

static wpg_status stages(void *data, wpg_error *err)
{
    job *j = data;
    WPG_TRY(wpg_translate(&j->out, j->llvm, &j->arena, j->normal, j->stage, &j->translation, err));
    WPG_TRY(keep_facts(j, err));
    j->translation.counters_offset = j->code->counters_offset = j->out.counters_offset;
    if (j->options->until == WPG_AMDGPU_TRANSLATED)
        return keep_ir(j, err);
    WPG_TRY(run_passes(j, WPG_AMDGPU_OPTIMISE, err));
    if (j->options->until == WPG_AMDGPU_OPTIMISED)
        return keep_ir(j, err);
    LLVMValueRef function = LLVMGetNamedFunction(j->llvm, j->out.kernel);
    if (!function)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "LLVM removed the kernel");
    if (j->hooks->optimised)
        WPG_TRY(j->hooks->optimised(j->hooks->data, j->llvm, function, &j->translation, err));
    if (j->hooks->phases)
        return wpg_profcheck_run(j->hooks->phases, j->llvm, function, j->machine, WPG_AMDGPU_STRUCTURE_PASSES,
                                 err);
    WPG_TRY(run_passes(j, WPG_AMDGPU_STRUCTURISE, err));
    j->code->blocks = LLVMCountBasicBlocks(function);
    name_blocks(function);
    if (j->hooks->structured)
        WPG_TRY(j->hooks->structured(j->hooks->data, j->llvm, function, &j->translation, err));
    WPG_TRY(keep_ir(j, err));
    return j->options->until == WPG_AMDGPU_STRUCTURISED ? WPG_OK : generate_code(j, err);
}

static wpg_status choose_target(job *j, wpg_error *err)
{
    const wpg_amdgpu_options *options = j->options;
    const wpg_gpu *gpu = wpg_gpu_find(options->gpu);
    if (!gpu)
        return wpg_fail(err, WPG_E_ARGUMENT, "no GPU is named '%s' here", options->gpu ? options->gpu : "");
    if (options->code_object && options->code_object != 5 && options->code_object != 6)
        return wpg_fail(err, WPG_E_ARGUMENT, "code object version %u is not supported: 5 or 6",
                        options->code_object);
    unsigned wave = options->wave_size ? options->wave_size : gpu->wave32 ? 32 : 64;
    if (!wpg_amdgpu_has_wave(gpu->name, wave))
        return wpg_fail(err, WPG_E_ARGUMENT, "%s has no waves of %u", gpu->name, wave);
    WPG_TRY(wpg_target_machine(&j->machine, gpu, wave, options->abi, err));
    j->translation = (wpg_translation_options){
        .abi = options->abi == WPG_AMDGPU_PAL ? &wpg_tr_abi_pal : &wpg_tr_abi_hsa,
        .gpu = gpu,
        .wave_size = wave,
        .code_object = options->code_object ? options->code_object : WPG_CODE_OBJECT,
        .triple = wpg_amdgpu_triple(options->abi),
        .contract = options->contract,
        .lines = options->lines,
        .probes = options->probes && options->until > WPG_AMDGPU_EMITTED,
        .marks = options->marks,
        .counters = j->hooks->counters,
    };
    return WPG_OK;
}

static wpg_status run(job *j, wpg_error *err)
{
    int fatal;
    WPG_TRY(choose_target(j, err));
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(j->machine);
    char *data_layout = LLVMCopyStringRepOfTargetData(layout);
    LLVMDisposeTargetData(layout);
    j->translation.data_layout = data_layout;
    j->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(j->context, diagnosed, j);
    j->llvm = LLVMModuleCreateWithNameInContext("wavepgo", j->context);
    wpg_status status = wpg_llvm_guarded(stages, j, &fatal, err);
    LLVMDisposeMessage(data_layout);
    if (fatal) /* left to the process: see llvm_guard.h */
        return status;
    LLVMDisposeModule(j->llvm);
    LLVMContextDispose(j->context);
    LLVMDisposeTargetMachine(j->machine);
    return status;
}

wpg_status wpg_amdgpu_compile_with(wpg_amdgpu_code **code, const wpg_module *normal, const wpg_stage *stage,
                                   const wpg_amdgpu_options *options, const wpg_hooks *hooks, wpg_error *err)
{
    job j = {.normal = normal, .stage = stage, .options = options, .hooks = hooks};
    j.code = calloc(1, sizeof *j.code);
    if (!j.code)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_arena_init(&j.arena);
    wpg_status status = run(&j, err);
    wpg_arena_finish(&j.arena);
    if (status == WPG_OK)
        *code = j.code;
    else
        wpg_amdgpu_code_destroy(j.code);
    return status;
}

wpg_status wpg_amdgpu_compile_hooked(wpg_amdgpu_code **code, const wpg_module *normal, const wpg_stage *stage,
                                     const wpg_amdgpu_options *options, wpg_structured_hook hook, void *data,
                                     wpg_error *err)
{
    const wpg_hooks hooks = {.structured = hook, .data = data};
    return wpg_amdgpu_compile_with(code, normal, stage, options, &hooks, err);
}

wpg_status wpg_amdgpu_phases(wpg_profcheck_phases *phases, const wpg_module *normal, const wpg_stage *stage,
                             const wpg_amdgpu_options *options, wpg_error *err)
{
    const wpg_hooks hooks = {.phases = phases};
    wpg_amdgpu_options until = *options;
    wpg_amdgpu_code *code;
    until.until = WPG_AMDGPU_STRUCTURISED;
    until.ir = until.assembly = until.lines = false;
    *phases = (wpg_profcheck_phases){0};
    WPG_TRY(wpg_amdgpu_compile_with(&code, normal, stage, &until, &hooks, err));
    wpg_amdgpu_code_destroy(code);
    return WPG_OK;
}

wpg_status wpg_amdgpu_compile(wpg_amdgpu_code **code, const wpg_module *normal, const wpg_stage *stage,
                              const wpg_amdgpu_options *options, wpg_error *err)
{
    return wpg_amdgpu_compile_with(code, normal, stage, options, &(wpg_hooks){0}, err);
}

void wpg_amdgpu_code_destroy(wpg_amdgpu_code *code)
{
    if (!code)
        return;
    free(code->elf);
    free(code->assembly);
    free(code->ir);
    free(code->kernel);
    free(code->arguments);
    free(code);
}
