#include "compiler/amdgpu/counters/generate.h"

#include <llvm-c/Core.h>

#include "compiler/amdgpu/counters/counters.h"
#include "compiler/amdgpu/driver/emit.h"

enum { SPACE_CONSTANT = 4, PAL_SPILL_TABLE = 1 /* parameter of abi_pal.c */ };

typedef struct generator {
    const wpg_counter_options *counters;
    const wpg_translation_options *translation;
    LLVMValueRef function;
    wpg_counter_table table;
} generator;

/* A lower half of an address; the upper one is the program counter's (abi_pal.c). */
static LLVMValueRef whole_pointer(LLVMBuilderRef b, LLVMModuleRef llvm, LLVMValueRef low)
{
    static const char name[] = "llvm.amdgcn.s.getpc";
    LLVMContextRef context = LLVMGetModuleContext(llvm);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
    unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    LLVMValueRef getpc = LLVMGetIntrinsicDeclaration(llvm, id, NULL, 0);
    LLVMValueRef here = LLVMBuildCall2(b, LLVMIntrinsicGetType(context, id, NULL, 0), getpc, NULL, 0, "");
    here = LLVMBuildAnd(b, here, LLVMConstInt(i64, UINT64_C(0xffffffff00000000), false), "");
    LLVMValueRef address = LLVMBuildOr(b, here, LLVMBuildZExt(b, low, i64, ""), "");
    return LLVMBuildIntToPtr(b, address, LLVMPointerTypeInContext(context, SPACE_CONSTANT), "");
}

static LLVMValueRef address(void *data, LLVMBuilderRef b, wpg_error *err)
{
    generator *g = data;
    LLVMModuleRef llvm = LLVMGetGlobalParent(g->function);
    LLVMContextRef context = LLVMGetModuleContext(llvm);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
    (void)err;
    const bool pal = g->translation->abi == &wpg_tr_abi_pal;
    LLVMValueRef base = LLVMGetParam(g->function, pal ? PAL_SPILL_TABLE : 0);
    if (pal)
        base = whole_pointer(b, llvm, base);
    LLVMValueRef offset = LLVMConstInt(i64, g->translation->counters_offset, false);
    LLVMValueRef from = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(context), base, &offset, 1, "");
    LLVMValueRef loaded = LLVMBuildLoad2(b, i64, from, "");
    LLVMSetAlignment(loaded, 4);
    return loaded;
}

static wpg_status count_waves(void *data, LLVMModuleRef llvm, LLVMValueRef function,
                              const wpg_translation_options *translation, wpg_error *err)
{
    generator *g = data;
    g->translation = translation;
    g->function = function;
    return wpg_counters_insert(&g->table, llvm, function, translation->gpu->major, translation->wave_size,
                               g->counters, address, g, err);
}

static wpg_status count_lanes(void *data, LLVMModuleRef llvm, LLVMValueRef function,
                              const wpg_translation_options *translation, wpg_error *err)
{
    generator *g = data;
    g->translation = translation;
    g->function = function;
    return wpg_lane_counters_insert(&g->table, llvm, function, g->counters, address, g, err);
}

wpg_status wpg_amdgpu_generate(wpg_amdgpu_code **code, wpg_counter_table *table, const wpg_module *normal,
                               const wpg_stage *stage, const wpg_amdgpu_options *options,
                               const wpg_counter_options *counters, wpg_error *err)
{
    generator g = {.counters = counters};
    bool early = counters->placement != WPG_PLACE_WAVE;
    const wpg_hooks hooks = {.optimised = early ? count_lanes : NULL,
                             .structured = early ? NULL : count_waves,
                             .data = &g,
                             .counters = true};
    if (options->until > WPG_AMDGPU_STRUCTURISED)
        return wpg_fail(err, WPG_E_ARGUMENT, "counters exist only from the structurised stage on");
    wpg_status status = wpg_amdgpu_compile_with(code, normal, stage, options, &hooks, err);
    if (status == WPG_OK)
        *table = g.table;
    else
        wpg_counter_table_finish(&g.table);
    return status;
}
