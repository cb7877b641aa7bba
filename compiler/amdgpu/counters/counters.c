#include "compiler/amdgpu/counters/counters.h"

#include <stdio.h>
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "compiler/amdgpu/counters/inline_asm.h"
#include "compiler/amdgpu/flow/blocks.h"

typedef struct inserter {
    LLVMBuilderRef builder;
    LLVMValueRef function;
    wpg_counter_target target;
    wpg_blocks blocks;
    wpg_counter_table table;
    wpg_accumulator *accumulators;  /* [table.registers] by slot */
    wpg_block_registers *registers; /* [blocks] of those counted in registers */
} inserter;

/* -- What goes where ----------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Blocks in deep loops get registers first, of one depth the first ones: past the budget come the outermost,
 * last. */
static bool choose_blocks(inserter *in, uint32_t room)
{
    uint64_t *order = malloc((in->blocks.count + 1) * sizeof *order);
    if (!order)
        return false;
    for (uint32_t i = 0; i < in->blocks.count; i++)
        order[i] = (uint64_t)(UINT32_MAX - in->blocks.depth[i]) << 32 | i;
    qsort(order, in->blocks.count, sizeof *order, ascending);
    for (uint32_t i = 0; i < in->blocks.count; i++)
        in->table.how[(uint32_t)order[i]] = i < room ? WPG_COUNTED_IN_REGISTERS : WPG_COUNTED_IN_MEMORY;
    free(order);
    return true;
}

static bool plan(inserter *in, const wpg_counter_options *options)
{
    wpg_counter_table *table = &in->table;
    unsigned kinds = 1u + options->lanes + options->uniform;
    uint32_t room = wpg_counter_end(in->target.major) - WPG_COUNTER_FIRST, blocks = in->blocks.count;
    if (options->accumulators && options->accumulators < room)
        room = options->accumulators;
    *table = (wpg_counter_table){.checksum = in->blocks.checksum,
                                 .block_count = blocks,
                                 .has = {true, options->lanes, options->uniform},
                                 .how = calloc(blocks + 1, 1),
                                 .count = blocks * kinds};
    in->accumulators = calloc(room + 1, sizeof *in->accumulators);
    in->registers = calloc(blocks + 1, sizeof *in->registers);
    if (!table->how || !in->accumulators || !in->registers || !choose_blocks(in, room / kinds))
        return false;
    for (int kind = 0; kind < 3; kind++)
        for (uint32_t b = 0; table->has[kind] && b < blocks; b++) {
            if (table->how[b] != WPG_COUNTED_IN_REGISTERS)
                continue;
            wpg_block_registers *r = &in->registers[b];
            uint8_t *const to[] = {&r->waves, &r->lanes, &r->uniform};
            wpg_accumulator *made = &in->accumulators[table->registers];
            made->slot = wpg_counter_slot(table, (wpg_counter_kind)kind, b);
            made->sgpr = *to[kind] = (uint8_t)(WPG_COUNTER_FIRST + table->registers++);
        }
    in->target.base = (WPG_COUNTER_FIRST + table->registers + 1) & ~1u;
    return true;
}

/* -- Code ---------------------------------------------------------------------------------------------- */

static void go_behind_phis(inserter *in, LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(in->builder, at);
}

static wpg_status count_block(inserter *in, uint32_t b, wpg_error *err)
{
    wpg_text text = {0};
    if (in->table.how[b] == WPG_COUNTED_IN_REGISTERS) {
        wpg_text_count(&text, &in->target, in->registers[b]);
        return wpg_inline_asm(in->builder, &text, NULL, "~{scc}", err);
    }
    wpg_block_slots slots = {wpg_counter_slot(&in->table, WPG_COUNT_WAVES, b),
                             wpg_counter_slot(&in->table, WPG_COUNT_LANES, b),
                             wpg_counter_slot(&in->table, WPG_COUNT_UNIFORM, b)};
    wpg_text_count_in_memory(&text, &in->target, slots);
    return wpg_inline_asm(in->builder, &text, NULL, "~{scc},~{vcc},~{v0},~{v1},~{v2}", err);
}

static wpg_status begin(inserter *in, wpg_counter_address address, void *data, wpg_error *err)
{
    wpg_text text = {0};
    char used[64];
    unsigned base = in->target.base;
    wpg_text_begin(&text, &in->target, in->accumulators, in->table.registers);
    /* LLVM takes the register file's size from what is named (gfx9: fewer registers, more waves a SIMD): the
     * address is the topmost. */
    (void)snprintf(used, sizeof used, "~{s%u},~{s%u}", base, base + 1);
    WPG_TRY(wpg_inline_asm(in->builder, &text, NULL, used, err));
    LLVMValueRef array = address(data, in->builder, err);
    if (!array)
        return err ? err->status : WPG_E_UNSUPPORTED;
    wpg_text_address(&text, &in->target);
    return wpg_inline_asm(in->builder, &text, array, used, err);
}

static wpg_status flush(inserter *in, LLVMValueRef end, bool last, wpg_error *err)
{
    wpg_text text = {0};
    LLVMPositionBuilderBefore(in->builder, end);
    wpg_text_flush(&text, &in->target, in->accumulators, in->table.registers, last ? in->table.loops : 0);
    return wpg_inline_asm(in->builder, &text, NULL, "~{scc},~{vcc},~{v0},~{v1},~{v2}", err);
}

static wpg_status refuse_calls(const inserter *in, wpg_error *err)
{
    for (uint32_t b = 0; b < in->blocks.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(in->blocks.blocks[b]); i;
             i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsACallInst(i) && !LLVMIsAInvokeInst(i) && !LLVMIsACallBrInst(i))
                continue;
            LLVMValueRef callee = LLVMGetCalledValue(i);
            if (LLVMIsAInlineAsm(callee) || (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee)))
                continue;
            size_t length = 0;
            const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
            return wpg_fail(err, WPG_E_UNSUPPORTED,
                            "the kernel still calls '%.60s', which may overwrite the counters", name);
        }
    return WPG_OK;
}

/* Registers beyond s39 are LLVM's no more. */
static void reserve(const inserter *in)
{
    char limit[8];
    (void)snprintf(limit, sizeof limit, "%d", WPG_COUNTER_LIMIT);
    LLVMAddTargetDependentFunctionAttr(in->function, "amdgpu-num-sgpr", limit);
}

static wpg_status insert_all(inserter *in, wpg_counter_address address, void *data, wpg_error *err)
{
    uint32_t left = 0, loop = 0;
    for (uint32_t b = 0; b < in->blocks.count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(in->blocks.blocks[b]);
        in->table.flushes += end && LLVMIsAReturnInst(end);
        in->table.loops += in->blocks.header[b];
    }
    if (!in->table.flushes)
        return wpg_fail(err, WPG_E_UNSUPPORTED,
                        "the kernel never returns: nothing would add its counters to memory");
    if (!in->table.registers) /* nothing is kept that could overflow */
        in->table.loops = 0;
    for (uint32_t b = 0; b < in->blocks.count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(in->blocks.blocks[b]);
        go_behind_phis(in, in->blocks.blocks[b]);
        if (b == 0)
            WPG_TRY(begin(in, address, data, err));
        WPG_TRY(count_block(in, b, err));
        if (in->blocks.header[b] && in->table.loops) {
            wpg_text text = {0};
            wpg_text_tick(&text, &in->target, loop++);
            WPG_TRY(wpg_inline_asm(in->builder, &text, NULL, "~{scc},~{vcc},~{m0}", err));
        }
        if (LLVMIsAReturnInst(end) && in->table.registers)
            WPG_TRY(flush(in, end, ++left == in->table.flushes, err));
    }
    if (!in->table.registers)
        in->table.flushes = 0;
    return WPG_OK;
}

wpg_status wpg_counters_insert(wpg_counter_table *table, LLVMModuleRef llvm, LLVMValueRef function,
                               unsigned gpu_major, unsigned wave_size, const wpg_counter_options *options,
                               wpg_counter_address address, void *data, wpg_error *err)
{
    inserter in = {.function = function, .target = {gpu_major, wave_size, options->epoch, 0}};
    if (gpu_major < 9 || gpu_major > 12 || (wave_size != 64 && (wave_size != 32 || gpu_major < 10)))
        return wpg_fail(err, WPG_E_ARGUMENT, "no counters for waves of %u on gfx%u", wave_size, gpu_major);
    if (in.target.epoch == 0 || in.target.epoch > WPG_COUNTER_EPOCH)
        in.target.epoch = WPG_COUNTER_EPOCH;
    WPG_TRY(wpg_blocks_of(&in.blocks, function, err));
    in.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(llvm));
    wpg_status status = refuse_calls(&in, err);
    if (status == WPG_OK && !plan(&in, options))
        status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK)
        status = insert_all(&in, address, data, err);
    if (status == WPG_OK)
        status = wpg_counter_bounds_add(llvm, function, &in.table, err);
    reserve(&in);
    LLVMDisposeBuilder(in.builder);
    wpg_blocks_finish(&in.blocks);
    free(in.accumulators);
    free(in.registers);
    if (status == WPG_OK)
        *table = in.table;
    else
        wpg_counter_table_finish(&in.table);
    return status;
}
