/* The builder: finds what is there, makes what is not, keeps the section order valid, reads constants. */
#include "tests/unit/compiler/spirv/spirv_test.h"

static wpg_module *parse_golden(const char *name)
{
    test_words words = test_golden(name);
    wpg_module *module = test_parse(words);
    free(words.data);
    return module;
}

static void test_finds(void **state)
{
    (void)state;
    wpg_module *m = parse_golden("shapes");
    test_words before = test_emit(m);
    wpg_require_capability(m, SpvCapabilityInt64);
    wpg_require_extension(m, "SPV_GOOGLE_user_type");
    assert_int_equal(wpg_require_import(m, "GLSL.std.450"), test_find(m, SpvOpExtInstImport, 0)->result);
    wpg_require_version(m, 0);
    uint32_t f32 = test_find(m, SpvOpTypeFloat, 0)->result, u32 = test_find(m, SpvOpTypeInt, 1)->result;
    assert_int_equal(wpg_type_void(m), test_find(m, SpvOpTypeVoid, 0)->result);
    assert_int_equal(wpg_type_bool(m), test_find(m, SpvOpTypeBool, 0)->result);
    assert_int_equal(wpg_type_int(m, 16, false), test_find(m, SpvOpTypeInt, 0)->result);
    assert_int_equal(wpg_type_u32(m), u32);
    assert_int_equal(wpg_type_float(m, 32), f32);
    assert_int_equal(wpg_type_vector(m, f32, 4), test_find(m, SpvOpTypeVector, 1)->result);
    assert_int_equal(wpg_type_pointer(m, SpvStorageClassStorageBuffer, u32),
                     test_find(m, SpvOpTypePointer, 4)->result);
    assert_int_equal(wpg_type_function(m, wpg_type_void(m), NULL, 0),
                     test_find(m, SpvOpTypeFunction, 0)->result);
    assert_int_equal(wpg_const_u32(m, 2), test_find(m, SpvOpConstant, 2)->result);
    assert_int_equal(wpg_const_u64(m, 0x1122334455667788), test_find(m, SpvOpConstant, 6)->result);
    assert_int_equal(wpg_const_scalar(m, wpg_type_int(m, 16, false), 7),
                     test_find(m, SpvOpConstant, 7)->result);
    /* Of two equal ones the first. */
    assert_int_equal(wpg_const_u32(m, 0), test_find(m, SpvOpConstant, 0)->result);
    const uint32_t parts[] = {wpg_const_u32(m, 1), wpg_const_u32(m, 2)};
    assert_int_equal(wpg_const_composite(m, wpg_type_vector(m, u32, 2), parts, 2),
                     test_find(m, SpvOpConstantComposite, 0)->result);
    test_words after = test_emit(m);
    assert_true(test_same(before, after));
    free(before.data);
    free(after.data);
    wpg_module_destroy(m);
}

/* Declares one of everything; gives the ids. */
static size_t build(uint32_t ids[32], wpg_module *m)
{
    size_t n = 0;
    wpg_require_capability(m, SpvCapabilityInt64);
    wpg_require_capability(m, SpvCapabilityInt8);
    wpg_require_capability(m, SpvCapabilityFloat16);
    wpg_require_capability(m, SpvCapabilityPhysicalStorageBufferAddresses);
    wpg_require_extension(m, "SPV_KHR_physical_storage_buffer");
    ids[n++] = wpg_require_import(m, "GLSL.std.450");
    ids[n++] = wpg_require_import(m, "NonSemantic.DebugPrintf");
    uint32_t u32 = ids[n++] = wpg_type_u32(m), i8 = ids[n++] = wpg_type_int(m, 8, true);
    uint32_t f16 = ids[n++] = wpg_type_float(m, 16), boolean = ids[n++] = wpg_type_bool(m);
    uint32_t v3 = ids[n++] = wpg_type_vector(m, u32, 3);
    ids[n++] = wpg_type_pointer(m, SpvStorageClassPhysicalStorageBuffer, v3);
    ids[n++] = wpg_type_function(m, wpg_type_void(m), (uint32_t[]){u32, f16}, 2);
    ids[n++] = wpg_const_bool(m, true);
    ids[n++] = wpg_const_bool(m, false);
    ids[n++] = wpg_const_u32(m, 123456);
    ids[n++] = wpg_const_u64(m, UINT64_C(1) << 40);
    ids[n++] = wpg_const_scalar(m, i8, 0xfd);
    ids[n++] = wpg_const_scalar(m, f16, 0x3c00);
    ids[n++] = wpg_const_scalar(m, boolean, 1);
    ids[n++] = wpg_const_null(m, v3);
    ids[n++] = wpg_const_composite(m, v3, (uint32_t[]){ids[11], ids[11], ids[11]}, 3);
    ids[n++] = wpg_undef(m, v3);
    return n;
}

static void test_makes(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEST_GOLDENS; i++) {
        uint32_t ids[32], again[32];
        wpg_module *m = parse_golden(test_goldens[i]);
        size_t count = build(ids, m);
        test_validate(m);
        test_words once = test_emit(m);
        assert_int_equal(build(again, m), count);
        assert_memory_equal(ids, again, count * sizeof *ids);
        test_words twice = test_emit(m);
        assert_true(test_same(once, twice)); /* nothing was made twice */
        wpg_module_destroy(m);
        /* The same calls on the same words give the same words; and a fresh parse finds what was made. */
        m = parse_golden(test_goldens[i]);
        build(again, m);
        test_words other = test_emit(m);
        assert_true(test_same(once, other));
        wpg_module_destroy(m);
        m = test_parse(once);
        build(again, m);
        assert_memory_equal(ids, again, count * sizeof *ids);
        wpg_module_destroy(m);
        free(once.data);
        free(twice.data);
        free(other.data);
    }
}

static void test_const_value(void **state)
{
    (void)state;
    wpg_module *m = parse_golden("spec");
    uint64_t bits;
    uint32_t width, ids[32];
    build(ids, m);
    assert_true(wpg_const_value(m, wpg_const_scalar(m, wpg_type_int(m, 8, true), 0xfd), &bits, &width));
    assert_int_equal(bits, 0xfd);
    assert_int_equal(width, 8);
    assert_int_equal(wpg_module_def(m, ids[13])->words[3], 0xfffffffd); /* sign-extended in the words */
    assert_int_equal(wpg_module_def(m, ids[14])->words[3], 0x3c00);
    assert_true(wpg_const_value(m, ids[12], &bits, &width));
    assert_int_equal(bits, UINT64_C(1) << 40);
    assert_int_equal(width, 64);
    assert_true(wpg_const_value(m, wpg_const_bool(m, true), &bits, &width));
    assert_true(bits == 1 && width == 1);
    assert_true(wpg_const_value(m, wpg_const_null(m, wpg_type_u32(m)), &bits, &width));
    assert_true(bits == 0 && width == 32);
    assert_false(wpg_const_value(m, ids[16], &bits, &width)); /* a vector */
    assert_false(
        wpg_const_value(m, test_find(m, SpvOpSpecConstant, 0)->result, &bits, &width)); /* not yet known */
    assert_false(wpg_const_value(m, test_find(m, SpvOpSpecConstantTrue, 0)->result, &bits, &width));
    assert_false(wpg_const_value(m, 0, &bits, &width));
    assert_false(wpg_const_value(m, UINT32_MAX, &bits, &width));
    assert_int_equal(wpg_const_scalar(m, wpg_type_vector(m, wpg_type_u32(m), 3), 1), 0); /* no scalar type */
    wpg_module_destroy(m);
}

/* Declarations that others change or remove under the index. */
static void test_index_follows_edits(void **state)
{
    (void)state;
    wpg_module *m = parse_golden("spec");
    uint32_t u32 = wpg_type_u32(m), five = wpg_const_u32(m, 5), six = wpg_const_u32(m, 6);
    wpg_inst_remove(m, wpg_module_def(m, five));
    uint32_t again = wpg_const_u32(m, 5);
    assert_int_not_equal(again, five);
    assert_int_equal(wpg_const_u32(m, 5), again);
    /* A raw insertion and a rewrite are found. */
    uint32_t raw = wpg_module_fresh_id(m);
    wpg_inst_add(m, wpg_module_section_end(m, WPG_SECTION_GLOBAL), SpvOpConstant, u32, raw, 77);
    assert_int_equal(wpg_const_u32(m, 77), raw);
    wpg_inst_rewrite(m, wpg_module_def(m, six), SpvOpConstant, (uint32_t[]){u32, six, 66}, 3);
    assert_int_equal(wpg_const_u32(m, 66), six);
    assert_int_not_equal(wpg_const_u32(m, 6), six);
    /* A specialisation constant frozen in place. */
    wpg_inst *spec = test_find(m, SpvOpSpecConstant, 0);
    wpg_inst_rewrite(m, spec, SpvOpConstant, (uint32_t[]){spec->type, spec->result, 4321}, 3);
    assert_int_equal(wpg_const_u32(m, 4321), spec->result);
    /* Two equal ones, the noted one removed: the other is found. */
    uint32_t twin = wpg_module_fresh_id(m);
    wpg_inst_add(m, wpg_module_section_end(m, WPG_SECTION_GLOBAL), SpvOpConstant, u32, twin, 77);
    wpg_inst_remove(m, wpg_module_def(m, raw));
    assert_int_equal(wpg_const_u32(m, 77), twin);
    /* A pointer type with a stride is another type. */
    uint32_t stride = 4, pointer = wpg_type_pointer(m, SpvStorageClassStorageBuffer, u32);
    wpg_decorate(m, pointer, SpvDecorationArrayStride, &stride, 1);
    uint32_t plain = wpg_type_pointer(m, SpvStorageClassStorageBuffer, u32);
    assert_int_not_equal(plain, pointer);
    assert_int_equal(wpg_type_pointer(m, SpvStorageClassStorageBuffer, u32), plain);
    wpg_module_destroy(m);
}

static void test_annotations_and_entry_points(void **state)
{
    (void)state;
    wpg_module *m = parse_golden("shapes");
    wpg_inst *entry = wpg_find_entry_point(m, SpvExecutionModelFragment, "main");
    assert_ptr_equal(entry, test_find(m, SpvOpEntryPoint, 0));
    assert_null(wpg_find_entry_point(m, SpvExecutionModelVertex, "main"));
    assert_null(wpg_find_entry_point(m, SpvExecutionModelFragment, "mai"));
    assert_ptr_equal(wpg_find_execution_mode(m, entry->words[2], SpvExecutionModeDepthReplacing),
                     test_find(m, SpvOpExecutionMode, 1));
    assert_null(wpg_find_execution_mode(m, entry->words[2], SpvExecutionModeEarlyFragmentTests));

    uint32_t u32 = wpg_type_u32(m), block = wpg_type_struct_new(m, (uint32_t[]){u32, u32}, 2);
    assert_int_not_equal(wpg_type_struct_new(m, (uint32_t[]){u32, u32}, 2), block);
    uint32_t offset = 0, binding = 2, set = 0;
    wpg_decorate(m, block, SpvDecorationBlock, NULL, 0);
    wpg_decorate_member(m, block, 0, SpvDecorationOffset, &offset, 1);
    offset = 4;
    wpg_decorate_member(m, block, 1, SpvDecorationOffset, &offset, 1);
    uint32_t pointer = wpg_type_pointer(m, SpvStorageClassStorageBuffer, block);
    uint32_t variable = wpg_global_variable(m, entry, SpvStorageClassStorageBuffer, pointer);
    wpg_decorate(m, variable, SpvDecorationDescriptorSet, &set, 1);
    wpg_decorate(m, variable, SpvDecorationBinding, &binding, 1);
    uint32_t own = wpg_global_variable(m, entry, SpvStorageClassPrivate,
                                       wpg_type_pointer(m, SpvStorageClassPrivate, u32));
    assert_int_equal(entry->words[entry->count - 1], own); /* 1.4 and later list every class */
    wpg_entry_point_add_interface(m, entry, own);
    assert_int_equal(entry->words[entry->count - 2], variable);
    test_validate(m);
    assert_int_equal(wpg_find_decoration(m, variable, SpvDecorationBinding)->words[3], 2);
    assert_null(wpg_find_decoration(m, variable, SpvDecorationLocation));
    wpg_module_destroy(m);

    /* Before 1.4 only Input and Output are listed. */
    m = test_parse_text(
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"main\"\n"
        "OpExecutionMode %1 LocalSize 1 1 1\nOpModuleProcessed \"x\"\n%2 = OpTypeVoid\n"
        "%3 = OpTypeFunction %2\n%1 = OpFunction %2 None %3\n%4 = OpLabel\nOpReturn\nOpFunctionEnd\n");
    m->version = 0x00010300;
    entry = wpg_find_entry_point(m, SpvExecutionModelGLCompute, "main");
    u32 = wpg_type_u32(m);
    wpg_global_variable(m, entry, SpvStorageClassPrivate, wpg_type_pointer(m, SpvStorageClassPrivate, u32));
    assert_int_equal(entry->count, 5);
    uint32_t builtin = SpvBuiltInLocalInvocationIndex;
    variable =
        wpg_global_variable(m, entry, SpvStorageClassInput, wpg_type_pointer(m, SpvStorageClassInput, u32));
    wpg_decorate(m, variable, SpvDecorationBuiltIn, &builtin, 1);
    assert_int_equal(entry->words[5], variable);
    test_validate(m);
    wpg_require_version(m, 2);
    assert_int_equal(m->version, 0x00010300);
    wpg_require_version(m, 5);
    assert_int_equal(m->version, 0x00010500);
    wpg_module_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds),
        cmocka_unit_test(test_makes),
        cmocka_unit_test(test_const_value),
        cmocka_unit_test(test_index_follows_edits),
        cmocka_unit_test(test_annotations_and_entry_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
