/* Counter memory: 64-bit little-endian counters behind one pointer. There are two ways to the pointer:
 *
 *     by address   Each function reads the pointer once, from the cell of an array that a seed leads to. Seed
 *                  and cells lie at literal addresses (runtime/counters/directory.h). No descriptor and no
 *                  64-bit integer is needed: an address is a constant uvec2, and OpBitcast makes it a pointer
 *                  (SPV_KHR_physical_storage_buffer).
 *     by binding   The pointer is a storage buffer of a descriptor set, whose range is its counters.
 *
 * Without 64-bit atomics, and by binding, a counter is two words. The addition that wraps the low word adds
 * one to the high word. The pair is exact once all additions are done, and memory is read only then. */
#include "compiler/instrument/sampling/sample.h"

static uint32_t block_struct(wpg_inject *in, uint32_t member)
{
    uint32_t type = wpg_type_struct_new(in->module, &member, 1);
    wpg_decorate(in->module, type, SpvDecorationBlock, NULL, 0);
    wpg_decorate_member(in->module, type, 0, SpvDecorationOffset, (const uint32_t[]){0}, 1);
    return wpg_type_pointer(in->module, in->memory.storage, type);
}

static uint32_t block_array(wpg_inject *in, uint32_t element, uint32_t stride)
{
    uint32_t array = wpg_module_fresh_id(in->module);
    wpg_inst_add(in->module, wpg_module_section_end(in->module, WPG_SECTION_GLOBAL), SpvOpTypeRuntimeArray,
                 array, element);
    wpg_decorate(in->module, array, SpvDecorationArrayStride, &stride, 1);
    return block_struct(in, array);
}

static uint32_t const_address(wpg_inject *in, uint64_t address)
{
    uint32_t halves[] = {wpg_const_u32(in->module, (uint32_t)address),
                         wpg_const_u32(in->module, (uint32_t)(address >> 32))};
    return wpg_const_composite(in->module, in->t_uvec2, halves, 2);
}

/* Memory model operand 1 is the addressing model, 2 the memory model. */
static bool uses_vulkan_model(const wpg_module *module)
{
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpMemoryModel)
            return inst->words[2] == SpvMemoryModelVulkan;
    }
    return false;
}

static SpvScope counter_scope(wpg_inject *in)
{
    if (!uses_vulkan_model(in->module))
        return SpvScopeDevice;
    if (!in->plan->options->target.memory_model_device_scope)
        return SpvScopeQueueFamily;
    wpg_require_capability(in->module, SpvCapabilityVulkanMemoryModelDeviceScope);
    return SpvScopeDevice;
}

static void use_addresses(wpg_module *m)
{
    wpg_require_capability(m, SpvCapabilityPhysicalStorageBufferAddresses);
    /* Beside SPV_EXT_physical_storage_buffer too, under which no uvec2 becomes a pointer. */
    wpg_require_extension(m, "SPV_KHR_physical_storage_buffer");
    WPG_INST_EACH (inst, m) {
        if (inst->opcode == SpvOpMemoryModel)
            inst->words[1] = SpvAddressingModelPhysicalStorageBuffer64;
    }
}

static void declare_directory(wpg_inject *in)
{
    const wpg_instrument_options *options = in->plan->options;
    in->memory.p_seed = wpg_type_pointer(in->module, in->memory.storage, in->t_u32);
    in->memory.p_seeds = block_struct(in, in->t_u32);
    in->memory.p_cell = wpg_type_pointer(in->module, in->memory.storage, in->t_uvec2);
    in->memory.p_cells = block_struct(in, in->t_uvec2);
    in->memory.seeds = const_address(in, options->directory_entry);
    in->memory.cells = options->directory_cells ? options->directory_cells : options->directory_entry;
}

static void declare_bound(wpg_inject *in)
{
    wpg_module *m = in->module;
    if ((m->version >> 8 & 0xff) < 3)
        wpg_require_extension(m, "SPV_KHR_storage_buffer_storage_class");
    in->memory.bound =
        wpg_global_variable(m, in->plan->entry_point, SpvStorageClassStorageBuffer, in->memory.p_counters);
    wpg_decorate(m, in->memory.bound, SpvDecorationDescriptorSet, &in->plan->options->counter_set, 1);
    wpg_decorate(m, in->memory.bound, SpvDecorationBinding, (const uint32_t[]){0}, 1);
}

void wpg_memory_declare(wpg_inject *in)
{
    wpg_module *m = in->module;
    const wpg_instrument_options *options = in->plan->options;
    const bool wide = options->target.int64_atomics;
    in->memory.storage =
        options->by_binding ? SpvStorageClassStorageBuffer : SpvStorageClassPhysicalStorageBuffer;
    if (!options->by_binding)
        use_addresses(m);
    if (wide) {
        wpg_require_capability(m, SpvCapabilityInt64);
        wpg_require_capability(m, SpvCapabilityInt64Atomics);
    }
    in->memory.t_counter = wide ? wpg_type_int(m, 64, false) : in->t_u32;
    if (!wide && in->plan->map->sample_rate > 1)
        wpg_memory_declare_product(in);
    in->memory.p_counter = wpg_type_pointer(m, in->memory.storage, in->memory.t_counter);
    in->memory.p_counters = block_array(in, in->memory.t_counter, wide ? 8 : 4);
    if (options->by_binding)
        declare_bound(in);
    else
        declare_directory(in);
    in->memory.scope = wpg_const_u32(m, counter_scope(in));
    in->memory.semantics = in->c_zero;
    if (in->plan->map->slots > 1 && wpg_sample_inputs(in))
        in->memory.slot_stride = in->plan->map->counter_count / in->plan->map->slots;
}

/* The copy of the counters that this lane's group adds to. */
static uint32_t slot_offset(wpg_inject *in)
{
    uint32_t slot = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, wpg_sample_group(in),
                             wpg_const_u32(in->module, WPG_SLOTS - 1));
    return WPG_EMIT(in, SpvOpIMul, in->t_u32, slot, wpg_const_u32(in->module, in->memory.slot_stride));
}

/* As a uvec2: the array's address and eight times the cell's number, with carry. An access chain would do,
 * but LLVM 15 crashes on what lavapipe 25 makes of an index that comes from memory, on x86 of 32 bits. */
static uint32_t address_of_cell(wpg_inject *in, uint32_t cell)
{
    uint32_t start = wpg_const_u32(in->module, (uint32_t)in->memory.cells);
    uint32_t bytes = WPG_EMIT(in, SpvOpShiftLeftLogical, in->t_u32, cell, wpg_const_u32(in->module, 3));
    uint32_t low = WPG_EMIT(in, SpvOpIAdd, in->t_u32, start, bytes);
    uint32_t carries = WPG_EMIT(in, SpvOpULessThan, in->t_bool, low, start);
    uint32_t above = wpg_const_u32(in->module, (uint32_t)(in->memory.cells >> 32));
    uint32_t next = wpg_const_u32(in->module, (uint32_t)(in->memory.cells >> 32) + 1);
    uint32_t high = WPG_EMIT(in, SpvOpSelect, in->t_u32, carries, next, above);
    return WPG_EMIT(in, SpvOpCompositeConstruct, in->t_uvec2, low, high);
}

/* The pointer to the counters, by the directory. */
static uint32_t look_up(wpg_inject *in)
{
    const wpg_instrument_options *options = in->plan->options;
    uint32_t seeds = WPG_EMIT(in, SpvOpBitcast, in->memory.p_seeds, in->memory.seeds);
    uint32_t at = WPG_EMIT(in, SpvOpAccessChain, in->memory.p_seed, seeds, in->c_zero);
    uint32_t seed = WPG_EMIT(in, SpvOpLoad, in->t_u32, at, SpvMemoryAccessAlignedMask, 4);
    uint32_t product =
        WPG_EMIT(in, SpvOpIMul, in->t_u32, seed, wpg_const_u32(in->module, options->directory_tag));
    uint32_t cell = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, product,
                             wpg_const_u32(in->module, options->directory_shift));
    uint32_t cells = WPG_EMIT(in, SpvOpBitcast, in->memory.p_cells, address_of_cell(in, cell));
    at = WPG_EMIT(in, SpvOpAccessChain, in->memory.p_cell, cells, in->c_zero);
    uint32_t address = WPG_EMIT(in, SpvOpLoad, in->t_uvec2, at, SpvMemoryAccessAlignedMask, 8);
    return WPG_EMIT(in, SpvOpBitcast, in->memory.p_counters, address);
}

void wpg_memory_enter(wpg_inject *in)
{
    in->base = in->memory.bound ? in->memory.bound : look_up(in);
    in->weight = wpg_sample_weight(in);
    in->offset = 0;
    if (in->memory.slot_stride)
        in->offset = slot_offset(in);
}

static uint32_t word_pointer(wpg_inject *in, uint32_t index)
{
    uint32_t at = wpg_const_u32(in->module, index);
    if (in->offset) {
        bool wide = in->plan->options->target.int64_atomics;
        uint32_t words = wide ? in->offset : WPG_EMIT(in, SpvOpIAdd, in->t_u32, in->offset, in->offset);
        at = WPG_EMIT(in, SpvOpIAdd, in->t_u32, words, at);
    }
    return WPG_EMIT(in, SpvOpAccessChain, in->memory.p_counter, in->base, in->c_zero, at);
}

static uint32_t atomic_add(wpg_inject *in, uint32_t pointer, uint32_t value)
{
    return WPG_EMIT(in, SpvOpAtomicIAdd, in->memory.t_counter, pointer, in->memory.scope,
                    in->memory.semantics, value);
}

/* The 64-bit value to add: times the weight of a sampled group. */
static uint32_t wide_value(wpg_inject *in, uint32_t value)
{
    const uint32_t type = in->memory.t_counter;
    if (!in->weight)
        return value == in->c_one ? wpg_const_u64(in->module, 1) : WPG_EMIT(in, SpvOpUConvert, type, value);
    uint32_t weight = WPG_EMIT(in, SpvOpUConvert, type, in->weight);
    if (value == in->c_one)
        return weight;
    return WPG_EMIT(in, SpvOpIMul, type, WPG_EMIT(in, SpvOpUConvert, type, value), weight);
}

static void add_wide(wpg_inject *in, const wpg_add *adds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t pointer = word_pointer(in, adds[i].counter);
        atomic_add(in, pointer, wide_value(in, adds[i].value));
    }
}

enum { MOST_ADDS = 3 };

/* value times the weight: low word, and high word or 0 where there can be none. */
static uint32_t weighted(wpg_inject *in, uint32_t value, uint32_t *high)
{
    *high = 0;
    if (!in->weight)
        return value;
    if (value == in->c_one)
        return in->weight;
    uint32_t product = WPG_EMIT(in, SpvOpUMulExtended, in->memory.t_product, value, in->weight);
    *high = WPG_EMIT(in, SpvOpCompositeExtract, in->t_u32, product, 1);
    return WPG_EMIT(in, SpvOpCompositeExtract, in->t_u32, product, 0);
}

/* All low words first, so that the additions are under way together; then one branch that is hardly ever
 * taken. */
static void add_narrow(wpg_inject *in, const wpg_add *adds, size_t count)
{
    uint32_t carries[MOST_ADDS], highs[MOST_ADDS], any = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t low = weighted(in, adds[i].value, &highs[i]);
        uint32_t old = atomic_add(in, word_pointer(in, 2 * adds[i].counter), low);
        uint32_t sum = WPG_EMIT(in, SpvOpIAdd, in->t_u32, old, low);
        carries[i] = WPG_EMIT(in, SpvOpULessThan, in->t_bool, sum, low);
        any = any ? WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, any, carries[i]) : carries[i];
        if (highs[i])
            any = WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, any,
                           WPG_EMIT(in, SpvOpINotEqual, in->t_bool, highs[i], in->c_zero));
    }
    wpg_if carry = wpg_if_begin(in, any);
    for (size_t i = 0; i < count; i++) {
        uint32_t one = WPG_EMIT(in, SpvOpSelect, in->t_u32, carries[i], in->c_one, in->c_zero);
        if (highs[i])
            one = WPG_EMIT(in, SpvOpIAdd, in->t_u32, one, highs[i]);
        atomic_add(in, word_pointer(in, 2 * adds[i].counter + 1), one);
    }
    wpg_if_end(in, carry);
}

void wpg_memory_add(wpg_inject *in, const wpg_add *adds, size_t count)
{
    if (in->plan->options->target.int64_atomics) {
        add_wide(in, adds, count);
        return;
    }
    for (size_t i = 0; i < count; i += MOST_ADDS)
        add_narrow(in, adds + i, count - i < MOST_ADDS ? count - i : MOST_ADDS);
}

void wpg_memory_add_at(wpg_inject *in, uint32_t index, uint32_t value)
{
    if (in->plan->options->target.int64_atomics) {
        uint32_t pointer = WPG_EMIT(in, SpvOpAccessChain, in->memory.p_counter, in->base, in->c_zero, index);
        atomic_add(in, pointer, wide_value(in, value));
        return;
    }
    uint32_t more, amount = weighted(in, value, &more);
    uint32_t low = WPG_EMIT(in, SpvOpIAdd, in->t_u32, index, index);
    uint32_t pointer = WPG_EMIT(in, SpvOpAccessChain, in->memory.p_counter, in->base, in->c_zero, low);
    uint32_t old = atomic_add(in, pointer, amount);
    uint32_t sum = WPG_EMIT(in, SpvOpIAdd, in->t_u32, old, amount);
    uint32_t carries = WPG_EMIT(in, SpvOpULessThan, in->t_bool, sum, amount);
    uint32_t above = WPG_EMIT(in, SpvOpSelect, in->t_u32, carries, in->c_one, in->c_zero);
    if (more)
        above = WPG_EMIT(in, SpvOpIAdd, in->t_u32, above, more);
    wpg_if carry = wpg_if_begin(in, WPG_EMIT(in, SpvOpINotEqual, in->t_bool, above, in->c_zero));
    uint32_t high = WPG_EMIT(in, SpvOpIAdd, in->t_u32, low, in->c_one);
    pointer = WPG_EMIT(in, SpvOpAccessChain, in->memory.p_counter, in->base, in->c_zero, high);
    atomic_add(in, pointer, above);
    wpg_if_end(in, carry);
}

void wpg_memory_declare_product(wpg_inject *in)
{
    if (!in->memory.t_product)
        in->memory.t_product = wpg_type_struct_new(in->module, (const uint32_t[]){in->t_u32, in->t_u32}, 2);
}

void wpg_memory_declare_words(wpg_inject *in)
{
    wpg_module *m = in->module;
    if (in->memory.p_words)
        return;
    in->memory.p_words = in->memory.p_counters;
    in->memory.p_word = in->memory.p_counter;
    if (!in->plan->options->target.int64_atomics)
        return;
    uint32_t array = wpg_module_fresh_id(m);
    wpg_inst_add(m, wpg_module_section_end(m, WPG_SECTION_GLOBAL), SpvOpTypeRuntimeArray, array, in->t_u32);
    wpg_decorate(m, array, SpvDecorationArrayStride, (const uint32_t[]){4}, 1);
    in->memory.p_words = block_struct(in, array);
    in->memory.p_word = wpg_type_pointer(m, in->memory.storage, in->t_u32);
}

uint32_t wpg_memory_words(wpg_inject *in)
{
    return in->memory.p_words == in->memory.p_counters
               ? in->base
               : WPG_EMIT(in, SpvOpBitcast, in->memory.p_words, in->base);
}

uint32_t wpg_memory_word_at(wpg_inject *in, uint32_t words, uint32_t index)
{
    return WPG_EMIT(in, SpvOpAccessChain, in->memory.p_word, words, in->c_zero, index);
}

/* Most visits are by full waves: all lanes there, all of E. One counter then tells all three: a visit is a
 * wave, uniform, and as many lanes as a full wave has. What a full wave is, is the target's word only: it
 * need not be true, since what does not fit is counted the long way. */
static uint32_t all_full(wpg_inject *in, uint32_t lanes, uint32_t waves, uint32_t uniform)
{
    /* Below 2^24 visits, the product fits. */
    uint32_t size = wpg_const_u32(in->module, in->plan->options->target.subgroup_size);
    if (waves == in->c_one && uniform == in->c_one)
        return WPG_EMIT(in, SpvOpIEqual, in->t_bool, lanes, size);
    uint32_t product = waves == in->c_one ? size : WPG_EMIT(in, SpvOpIMul, in->t_u32, waves, size);
    uint32_t full = WPG_EMIT(in, SpvOpIEqual, in->t_bool, lanes, product);
    uint32_t same = WPG_EMIT(in, SpvOpIEqual, in->t_bool, waves, uniform);
    full = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, full, same);
    if (waves == in->c_one)
        return full;
    uint32_t few = WPG_EMIT(in, SpvOpULessThan, in->t_bool, waves, wpg_const_u32(in->module, 1u << 24));
    return WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, full, few);
}

/* The distance from `full` to this workgroup's copy of `full`. */
static uint32_t to_copy(wpg_inject *in, const wpg_tally *tally)
{
    uint32_t from =
        WPG_EMIT(in, SpvOpIMul, in->t_u32, wpg_sample_copy(in), wpg_const_u32(in->module, WPG_SPREAD));
    return WPG_EMIT(in, SpvOpIAdd, in->t_u32, from, wpg_const_u32(in->module, tally->spread - tally->full));
}

void wpg_memory_add_tally(wpg_inject *in, const wpg_tally *tally, uint32_t lanes, uint32_t waves,
                          uint32_t uniform)
{
    wpg_add adds[3];
    size_t count = 0;
    const wpg_add all[] = {{tally->lanes, lanes}, {tally->waves, waves}, {tally->uniform, uniform}};
    for (unsigned i = 0; i < 3; i++)
        if (all[i].counter != WPG_NO_COUNTER)
            adds[count++] = all[i];
    if (tally->full == WPG_NO_COUNTER) {
        wpg_memory_add(in, adds, count);
        return;
    }
    /* The first addition is to `full` or, beside it, to `lanes`; so there is one atomic for both. */
    uint32_t full = all_full(in, lanes, waves, uniform), before = in->offset;
    uint32_t own = tally->spread == WPG_NO_COUNTER ? in->c_zero : to_copy(in, tally);
    uint32_t beside = WPG_EMIT(in, SpvOpSelect, in->t_u32, full, own, in->c_one);
    in->offset = before ? WPG_EMIT(in, SpvOpIAdd, in->t_u32, before, beside) : beside;
    uint32_t value = WPG_EMIT(in, SpvOpSelect, in->t_u32, full, waves, lanes);
    wpg_memory_add(in, &(wpg_add){tally->full, value}, 1);
    in->offset = before;
    wpg_if others = wpg_if_begin(in, WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, full));
    /* A flush loop has this branch once, for all its tallies. In place, each block would have its own. */
    if (tally->region != WPG_NO_BLOCK && count > 2) {
        wpg_memory_add(in, adds + 1, 1);
        wpg_if some = wpg_if_begin(in, WPG_EMIT(in, SpvOpINotEqual, in->t_bool, uniform, in->c_zero));
        wpg_memory_add(in, adds + 2, count - 2);
        wpg_if_end(in, some);
    } else {
        wpg_memory_add(in, adds + 1, count - 1);
    }
    wpg_if_end(in, others);
}
