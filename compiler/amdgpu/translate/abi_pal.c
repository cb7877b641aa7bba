/* The ABI of AMD's platform abstraction library (PAL), which AMD's Vulkan drivers use: a shader of calling
 * convention amdgpu_cs, and metadata that names the content of each register.
 *
 *     s0 global table | s1 spill table | s2 s3 workgroups of the dispatch | s4.. descriptor sets 0..n-1 |
 *     workgroup id x y z (up to gfx11; trap temporaries later) | v0.. local ids
 *
 * Pointers in registers are the lower halves; the upper half is the program counter's. The pointer to the
 * workgroups is whole. A descriptor set is a table of V#s, 16 bytes each: bindings in order of number,
 * element by element. User data entries are the sets' pointers, then the words of push constants and the
 * counters' address, which all lie in the spill table. Buffers are LLVM's fat pointers (address space 7):
 * descriptor and 32-bit offset, bounds checked by the hardware.
 *
 * PAL loads the object as LLVM emits it. PAL reads symbols relative to their sections and relocates by itself
 * (GPUOpen-Drivers/pal c5e80007: util/elfReader.cpp, codeObjectUploader.cpp). The kernel has the name that
 * PAL expects. The metadata is LLPC's for a compute pipeline, without entries that only tell limits (llpc
 * 40cb8d95a: RegisterMetadataBuilder.cpp; lgc/test/BuiltIns/cs-numworkgroups.lgc).
 *
 * Further sources: LLVM 22, AMDGPUUsage, "amdpal", "Code Object Metadata", "User Data Mapping", "Buffer Fat
 * Pointer"; PAL's palPipelineAbi.h. */
#include "compiler/amdgpu/llvm/msgpack.h"
#include "compiler/amdgpu/translate/abi_arguments.h"

enum {
    GLOBAL_TABLE,
    SPILL_TABLE,
    GROUP_TABLE, /* two registers */
    FIRST_SET = GROUP_TABLE + 2,
    MOST_USER_DATA = 16, /* registers of COMPUTE_USER_DATA */
    MAP_ENTRIES = 32,
    SPACE_GLOBAL = 1,
    SPACE_LDS = 3,
    SPACE_CONSTANT = 4,
    SPACE_PRIVATE = 5,
    SPACE_BUFFER = 7,
    SPACE_RESOURCE = 8,
    /* User Data Mapping of AMDGPUUsage */
    MAP_GLOBAL = 0x10000000,
    MAP_SPILL = 0x10000002,
    MAP_WORKGROUP = 0x10000006,
    NO_SPILLING = 0xffff, /* of .spill_threshold */
};

/* Of t->abi_values. */
enum { HIGH, SPILL, GROUPS, GROUP_ID, LOCAL_ID = GROUP_ID + 3 };

static uint32_t set_count(const wpg_tr *t)
{
    return t->binding_count ? t->bindings[t->binding_count - 1].set + 1 : 0;
}

static bool spills(const wpg_tr *t)
{
    return t->push_bytes > 0 || t->options->counters;
}

/* -- Metadata */

static void pair_of_words(wpg_msgpack *w, wpg_hash128 hash)
{
    wpg_msgpack_array(w, 2);
    wpg_msgpack_number(w, hash.low);
    wpg_msgpack_number(w, hash.high);
}

/* MODE as the kernel finds it, which LLVM leaves to the driver: rounding to nearest (four bits of zero), then
 * whether denormals are kept, two bits of single floats, two of the others. */
static uint32_t float_mode(const wpg_tr *t)
{
    return (t->flushes_single ? 0 : 3u << 4) | (t->flushes_others ? 0 : 3u << 6);
}

static void hardware_stage(wpg_msgpack *w, const wpg_tr *t)
{
    uint32_t sets = set_count(t);
    wpg_msgpack_text(w, ".hardware_stages");
    wpg_msgpack_map(w, 1);
    wpg_msgpack_text(w, ".cs");
    wpg_msgpack_map(w, 5); /* LLVM adds registers, memory and the entry point's symbol */
    wpg_msgpack_text(w, ".user_sgprs");
    wpg_msgpack_number(w, FIRST_SET + sets);
    wpg_msgpack_text(w, ".float_mode");
    wpg_msgpack_number(w, float_mode(t));
    wpg_msgpack_text(w, ".threadgroup_dimensions");
    wpg_msgpack_array(w, 3);
    for (unsigned axis = 0; axis < 3; axis++)
        wpg_msgpack_number(w, t->local_size[axis]);
    wpg_msgpack_text(w, ".wavefront_size");
    wpg_msgpack_number(w, t->options->wave_size);
    wpg_msgpack_text(w, ".user_data_reg_map");
    wpg_msgpack_array(w, MAP_ENTRIES);
    for (uint32_t i = 0; i < MAP_ENTRIES; i++)
        wpg_msgpack_number(w, i == GLOBAL_TABLE                        ? MAP_GLOBAL
                              : i == SPILL_TABLE && spills(t)          ? MAP_SPILL
                              : i == GROUP_TABLE                       ? MAP_WORKGROUP
                              : i >= FIRST_SET && i < FIRST_SET + sets ? i - FIRST_SET
                                                                       : UINT32_MAX);
}

static void shader_of(wpg_msgpack *w, wpg_hash128 hash)
{
    wpg_msgpack_text(w, ".shaders");
    wpg_msgpack_map(w, 1);
    wpg_msgpack_text(w, ".compute");
    wpg_msgpack_map(w, 2);
    wpg_msgpack_text(w, ".api_shader_hash");
    pair_of_words(w, hash);
    wpg_msgpack_text(w, ".hardware_mapping");
    wpg_msgpack_array(w, 1);
    wpg_msgpack_text(w, ".cs");
}

static void registers_of(wpg_msgpack *w)
{
    static const char *const on[] = {".tgid_x_en", ".tgid_y_en", ".tgid_z_en"};
    wpg_msgpack_text(w, ".compute_registers");
    wpg_msgpack_map(w, 5);
    for (unsigned i = 0; i < 3; i++) {
        wpg_msgpack_text(w, on[i]);
        wpg_msgpack_bool(w, true);
    }
    wpg_msgpack_text(w, ".tg_size_en");
    wpg_msgpack_bool(w, false);
    wpg_msgpack_text(w, ".tidig_comp_cnt");
    wpg_msgpack_number(w, 2);
}

static void pipeline(wpg_msgpack *w, const wpg_tr *t, wpg_hash128 hash)
{
    uint32_t sets = set_count(t);
    uint32_t limit = sets + t->push_bytes / 4 + (t->options->counters ? 2 : 0);
    wpg_msgpack_map(w, 2);
    wpg_msgpack_text(w, "amdpal.version");
    wpg_msgpack_array(w, 2);
    wpg_msgpack_number(w, 3);
    wpg_msgpack_number(w, 0);
    wpg_msgpack_text(w, "amdpal.pipelines");
    wpg_msgpack_array(w, 1);
    wpg_msgpack_map(w, 9);
    wpg_msgpack_text(w, ".api");
    wpg_msgpack_text(w, "Vulkan");
    wpg_msgpack_text(w, ".type");
    wpg_msgpack_text(w, "Cs");
    wpg_msgpack_text(w, ".internal_pipeline_hash");
    pair_of_words(w, hash);
    wpg_msgpack_text(w, ".spill_threshold"); /* the first entry that is in the spill table only */
    wpg_msgpack_number(w, spills(t) ? sets : NO_SPILLING);
    wpg_msgpack_text(w, ".user_data_limit"); /* PAL wants one at least */
    wpg_msgpack_number(w, limit ? limit : 1);
    shader_of(w, hash);
    hardware_stage(w, t);
    registers_of(w);
    wpg_msgpack_text(w, ".xgl_cache_info");
    wpg_msgpack_map(w, 2);
    wpg_msgpack_text(w, ".128_bit_cache_hash");
    pair_of_words(w, hash);
    wpg_msgpack_text(w, ".llpc_version");
    wpg_msgpack_text(w, "wavepgo " WPG_VERSION);
}

static bool add_metadata(wpg_tr *t)
{
    wpg_msgpack w = {0};
    wpg_hash128 hash;
    wpg_error why = {0};
    wpg_status status = wpg_shader_hash(&hash, t->module, t->stage, &why);
    if (status != WPG_OK)
        return wpg_tr_fail(t, status, "%s", why.message);
    pipeline(&w, t, hash);
    if (!w.failed) {
        LLVMMetadataRef text = LLVMMDStringInContext2(t->context, (const char *)w.bytes.data, w.bytes.count);
        LLVMMetadataRef node = LLVMMDNodeInContext2(t->context, &text, 1);
        LLVMAddNamedMetadataOperand(t->llvm, "amdgpu.pal.metadata.msgpack",
                                    LLVMMetadataAsValue(t->context, node));
    }
    bool failed = w.failed;
    wpg_msgpack_finish(&w);
    return !failed || wpg_tr_fail(t, WPG_E_NOMEM, "out of memory");
}

/* -- The function */

static void lay_out_sets(wpg_tr *t)
{
    uint32_t set = 0, at = 0;
    for (uint32_t i = 0; i < t->binding_count; i++) {
        if (t->bindings[i].set != set)
            at = 0;
        set = t->bindings[i].set;
        t->bindings[i].offset = at;
        at += 16 * (t->bindings[i].count ? t->bindings[i].count : 1);
    }
}

/* A lower half of an address, as a pointer to what does not change. */
static LLVMValueRef whole_pointer(wpg_tr *t, LLVMValueRef low)
{
    LLVMValueRef address =
        LLVMBuildOr(t->builder, t->abi_values[HIGH], LLVMBuildZExt(t->builder, low, t->t_i64, ""), "");
    return LLVMBuildIntToPtr(t->builder, address, LLVMPointerTypeInContext(t->context, SPACE_CONSTANT), "");
}

static bool take_ids(wpg_tr *t, uint32_t first_scalar)
{
    const wpg_gpu *gpu = t->options->gpu;
    uint32_t next = first_scalar;
    for (unsigned axis = 0; axis < 3; axis++) {
        static const char *const names[] = {"llvm.amdgcn.workgroup.id.x", "llvm.amdgcn.workgroup.id.y",
                                            "llvm.amdgcn.workgroup.id.z"};
        t->abi_values[GROUP_ID + axis] = gpu->major < 12 ? LLVMGetParam(t->function, next++)
                                                         : wpg_tr_call(t, names[axis], NULL, 0, NULL, 0);
        if (!t->abi_values[GROUP_ID + axis])
            return false;
    }
    for (unsigned axis = 0; axis < 3; axis++) {
        LLVMValueRef id = LLVMGetParam(t->function, gpu->packed_ids ? next : next + axis);
        if (gpu->packed_ids) {
            id = LLVMBuildLShr(t->builder, id, LLVMConstInt(t->t_i32, 10 * axis, false), "");
            id = LLVMBuildAnd(t->builder, id, LLVMConstInt(t->t_i32, 1023, false), "");
        }
        t->abi_values[LOCAL_ID + axis] = id;
    }
    return true;
}

static bool begin(wpg_tr *t)
{
    const wpg_gpu *gpu = t->options->gpu;
    uint32_t sets = set_count(t), user = FIRST_SET + sets;
    if (user > MOST_USER_DATA)
        return wpg_tr_fail(t, WPG_E_LIMIT, "%u descriptor sets, but %u registers for them", sets,
                           MOST_USER_DATA - (unsigned)FIRST_SET);
    lay_out_sets(t);
    t->out->kernel = "_amdgpu_cs_main";
    t->out->counters_offset = (sets + t->push_bytes / 4) * 4;
    uint32_t scalars = user + (gpu->major < 12 ? 3 : 0), count = scalars + (gpu->packed_ids ? 1 : 3);
    LLVMTypeRef types[MOST_USER_DATA + 6];
    for (uint32_t i = 0; i < count; i++)
        types[i] = t->t_i32;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(t->context), types, count, false);
    t->function = LLVMAddFunction(t->llvm, t->out->kernel, type);
    LLVMSetFunctionCallConv(t->function, 90 /* amdgpu_cs */);
    unsigned inreg = LLVMGetEnumAttributeKindForName("inreg", 5);
    for (uint32_t i = 0; i < scalars; i++)
        LLVMAddAttributeAtIndex(t->function, i + 1, LLVMCreateEnumAttribute(t->context, inreg, 0));
    wpg_tr_describe_kernel(t);
    LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, t->function, "entry"));
    LLVMValueRef counter = wpg_tr_call(t, "llvm.amdgcn.s.getpc", NULL, 0, NULL, 0);
    if (!counter)
        return false;
    LLVMValueRef upper = LLVMConstInt(t->t_i64, UINT64_C(0xffffffff00000000), false);
    t->abi_values[HIGH] = LLVMBuildAnd(t->builder, counter, upper, "");
    t->abi_values[SPILL] = LLVMGetParam(t->function, SPILL_TABLE);
    LLVMValueRef low = LLVMGetParam(t->function, GROUP_TABLE),
                 high = LLVMGetParam(t->function, GROUP_TABLE + 1);
    high = LLVMBuildShl(t->builder, LLVMBuildZExt(t->builder, high, t->t_i64, ""),
                        LLVMConstInt(t->t_i64, 32, false), "");
    low = LLVMBuildZExt(t->builder, low, t->t_i64, "");
    t->abi_values[GROUPS] = LLVMBuildIntToPtr(t->builder, LLVMBuildOr(t->builder, high, low, ""),
                                              LLVMPointerTypeInContext(t->context, SPACE_CONSTANT), "");
    return take_ids(t, user);
}

/* Where a descriptor lies. */
static LLVMValueRef descriptor(wpg_tr *t, const wpg_tr_binding *binding, LLVMValueRef element)
{
    LLVMValueRef set = whole_pointer(t, LLVMGetParam(t->function, FIRST_SET + binding->set));
    LLVMValueRef index = LLVMBuildZExt(t->builder, element, t->t_i64, "");
    index = LLVMBuildMul(t->builder, index, LLVMConstInt(t->t_i64, 16, false), "");
    return wpg_tr_offset(t, wpg_tr_offset_by(t, set, binding->offset), index);
}

static LLVMValueRef pal_buffer(wpg_tr *t, const wpg_tr_binding *binding, LLVMValueRef element)
{
    LLVMTypeRef resource = LLVMPointerTypeInContext(t->context, SPACE_RESOURCE);
    LLVMValueRef loaded = wpg_tr_load_invariant(t, resource, descriptor(t, binding, element), 16);
    return LLVMBuildAddrSpaceCast(t->builder, loaded, LLVMPointerTypeInContext(t->context, SPACE_BUFFER), "");
}

/* NUM_RECORDS, the third word: bytes, of a buffer without stride. */
static LLVMValueRef pal_length(wpg_tr *t, const wpg_tr_binding *binding, LLVMValueRef element)
{
    return wpg_tr_load_invariant(t, t->t_i32, wpg_tr_offset_by(t, descriptor(t, binding, element), 8), 4);
}

static LLVMValueRef pal_push(wpg_tr *t)
{
    return wpg_tr_offset_by(t, whole_pointer(t, t->abi_values[SPILL]), (uint64_t)set_count(t) * 4);
}

static LLVMValueRef group_id(wpg_tr *t, unsigned axis)
{
    return t->abi_values[GROUP_ID + axis];
}

static LLVMValueRef local_id(wpg_tr *t, unsigned axis)
{
    return t->abi_values[LOCAL_ID + axis];
}

static LLVMValueRef pal_groups(wpg_tr *t, unsigned axis)
{
    return wpg_tr_load_invariant(t, t->t_i32, wpg_tr_offset_by(t, t->abi_values[GROUPS], 4 * (uint64_t)axis),
                                 4);
}

const wpg_tr_abi wpg_tr_abi_pal = {
    .space_buffer = SPACE_BUFFER,
    .space_uniform = SPACE_CONSTANT,
    .space_global = SPACE_GLOBAL,
    .space_local = SPACE_LDS,
    .space_private = SPACE_PRIVATE,
    .index_bits = 32,
    .lanes = true,
    .buffer_align = 4,
    .begin = begin,
    .end = add_metadata,
    .buffer = pal_buffer,
    .length = pal_length,
    .push = pal_push,
    .local_id = local_id,
    .group_id = group_id,
    .groups = pal_groups,
};
