#include <stdlib.h>

#include <llvm-c/Core.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "compiler/amdgpu/counters/counters.h"
#include "compiler/amdgpu/flow/blocks.h"

enum { SPACE_GLOBAL = 1, SPACE_PRIVATE = 5 };

typedef struct inserter {
    LLVMBuilderRef builder;
    LLVMTypeRef i64;
    wpg_blocks blocks;
    LLVMValueRef array;      /* the address, i64 */
    LLVMValueRef *variables; /* [blocks], of WPG_PLACE_LANE */
} inserter;

/* array[slot] += value, of each lane that comes here. */
static void add(inserter *in, uint32_t slot, LLVMValueRef value)
{
    LLVMContextRef context = LLVMGetTypeContext(in->i64);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, SPACE_GLOBAL);
    LLVMValueRef at =
        LLVMBuildAdd(in->builder, in->array, LLVMConstInt(in->i64, slot * UINT64_C(8), false), "");
    unsigned scope = LLVMGetSyncScopeID(context, "agent", 5);
    at = LLVMBuildIntToPtr(in->builder, at, pointer, "");
    LLVMBuildAtomicRMWSyncScope(in->builder, LLVMAtomicRMWBinOpAdd, at, value, LLVMAtomicOrderingMonotonic,
                                scope);
}

static void count(inserter *in, uint32_t b)
{
    LLVMValueRef one = LLVMConstInt(in->i64, 1, false);
    if (!in->variables) {
        add(in, b, one);
        return;
    }
    LLVMValueRef now = LLVMBuildLoad2(in->builder, in->i64, in->variables[b], "");
    LLVMBuildStore(in->builder, LLVMBuildAdd(in->builder, now, one, ""), in->variables[b]);
}

static wpg_status insert(inserter *in, wpg_counter_address address, void *data, wpg_error *err)
{
    for (uint32_t b = 0; b < in->blocks.count; b++) {
        LLVMValueRef at = LLVMGetFirstInstruction(in->blocks.blocks[b]);
        LLVMValueRef end = LLVMGetBasicBlockTerminator(in->blocks.blocks[b]);
        while (LLVMIsAPHINode(at))
            at = LLVMGetNextInstruction(at);
        LLVMPositionBuilderBefore(in->builder, at);
        if (b == 0) {
            in->array = address(data, in->builder, err);
            if (!in->array)
                return err ? err->status : WPG_E_UNSUPPORTED;
            for (uint32_t i = 0; in->variables && i < in->blocks.count; i++) {
                in->variables[i] = LLVMBuildAlloca(in->builder, in->i64, "");
                LLVMBuildStore(in->builder, LLVMConstInt(in->i64, 0, false), in->variables[i]);
            }
        }
        count(in, b);
        if (!in->variables || !LLVMIsAReturnInst(end))
            continue;
        LLVMPositionBuilderBefore(in->builder, end);
        for (uint32_t i = 0; i < in->blocks.count; i++)
            add(in, i, LLVMBuildLoad2(in->builder, in->i64, in->variables[i], ""));
    }
    return WPG_OK;
}

/* Variables become phis. */
static wpg_status promote(LLVMModuleRef llvm, wpg_error *err)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(llvm, "function(mem2reg)", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return WPG_OK;
    char *text = LLVMGetErrorMessage(error);
    wpg_status status = wpg_fail(err, WPG_E_UNSUPPORTED, "LLVM: %s", text);
    LLVMDisposeErrorMessage(text);
    return status;
}

wpg_status wpg_lane_counters_insert(wpg_counter_table *table, LLVMModuleRef llvm, LLVMValueRef function,
                                    const wpg_counter_options *options, wpg_counter_address address,
                                    void *data, wpg_error *err)
{
    inserter in = {0};
    wpg_counter_table made = {.has = {false, true, false}};
    LLVMContextRef context = LLVMGetModuleContext(llvm);
    WPG_TRY(wpg_blocks_of(&in.blocks, function, err));
    in.i64 = LLVMInt64TypeInContext(context);
    made.checksum = in.blocks.checksum;
    made.block_count = made.count = in.blocks.count;
    made.how = malloc(in.blocks.count + 1);
    if (options->placement == WPG_PLACE_LANE)
        in.variables = calloc(in.blocks.count + 1, sizeof(LLVMValueRef));
    in.builder = LLVMCreateBuilderInContext(context);
    wpg_status status = WPG_OK;
    if (!made.how || (options->placement == WPG_PLACE_LANE && !in.variables))
        status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; status == WPG_OK && b < in.blocks.count; b++)
        made.how[b] = WPG_COUNTED_PER_LANE;
    if (status == WPG_OK)
        status = insert(&in, address, data, err);
    if (status == WPG_OK && in.variables)
        status = promote(llvm, err);
    if (status == WPG_OK)
        status = wpg_counter_bounds_add(llvm, function, &made, err);
    LLVMDisposeBuilder(in.builder);
    wpg_blocks_finish(&in.blocks);
    free(in.variables);
    if (status == WPG_OK)
        *table = made;
    else
        wpg_counter_table_finish(&made);
    return status;
}
