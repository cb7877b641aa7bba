/* Slots of the array, views of it, and the symbol that describes it. */
#include "compiler/amdgpu/counters/counters.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

void wpg_counter_table_finish(wpg_counter_table *table)
{
    free(table->how);
    *table = (wpg_counter_table){0};
}

uint32_t wpg_counter_slot(const wpg_counter_table *table, wpg_counter_kind kind, uint32_t block)
{
    uint32_t slot = block;
    if (!table->has[kind] || block >= table->block_count)
        return UINT32_MAX;
    for (int before = 0; before < (int)kind; before++)
        slot += table->has[before] ? table->block_count : 0;
    return slot;
}

void wpg_counters_view(wpg_amdgpu_counts *counts, const wpg_counter_table *table, uint64_t *array)
{
    uint64_t **const to[] = {&counts->waves, &counts->lanes, &counts->uniform};
    counts->checksum = table->checksum;
    counts->block_count = table->block_count;
    for (int kind = 0; kind < 3; kind++) {
        uint32_t first = wpg_counter_slot(table, (wpg_counter_kind)kind, 0);
        *to[kind] = first == UINT32_MAX ? NULL : array + first;
    }
}

wpg_status wpg_counter_bounds_add(LLVMModuleRef llvm, LLVMValueRef function, const wpg_counter_table *table,
                                  wpg_error *err)
{
    LLVMContextRef context = LLVMGetModuleContext(llvm);
    LLVMTypeRef word = LLVMInt32TypeInContext(context);
    wpg_counter_bounds b = {0};
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    if (LLVMGetNamedGlobal(llvm, WPG_COUNTER_BOUNDS))
        return wpg_fail(err, WPG_E_ARGUMENT, "the module has counters already");
    memcpy(b.kernel, name, length < sizeof b.kernel ? length : sizeof b.kernel - 1);
    uint32_t kinds = 0;
    for (unsigned kind = 0; kind < 3; kind++)
        kinds |= (uint32_t)table->has[kind] << kind;
    LLVMValueRef fields[] = {
        LLVMConstInt(LLVMInt64TypeInContext(context), table->checksum, false),
        LLVMConstInt(word, 0, false),
        LLVMConstInt(word, table->count, false),
        LLVMConstInt(word, table->block_count, false),
        LLVMConstInt(word, kinds, false),
        LLVMConstStringInContext2(context, b.kernel, sizeof b.kernel, true),
    };
    LLVMValueRef value = LLVMConstStructInContext(context, fields, sizeof fields / sizeof *fields, false);
    LLVMValueRef symbol = LLVMAddGlobalInAddressSpace(llvm, LLVMTypeOf(value), WPG_COUNTER_BOUNDS, 1);
    LLVMSetInitializer(symbol, value);
    LLVMSetGlobalConstant(symbol, true);
    LLVMSetVisibility(symbol, LLVMProtectedVisibility);
    LLVMSetSection(symbol, ".wpg_counters");
    LLVMSetAlignment(symbol, 8);
    return WPG_OK;
}
