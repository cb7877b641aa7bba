/* The operand walker, shape by shape, and the table against the headers of SPIRV-Headers. */
#define SPV_ENABLE_UTILITY_CODE
#include "tests/unit/compiler/spirv/spirv_test.h"

/* The header defines it inline only. */
extern void SpvHasResultAndType(SpvOp opcode, bool *has_result, bool *has_type);

/* Operands as text: "T" type, "R" result, "i" id, "s" scope, "m" semantics, "L<words>" literal, "S<words>"
 * string, "E" enumerant; "!" at the end when malformed. */
static const char *shape(const wpg_module *module, const wpg_inst *inst)
{
    static char text[256];
    size_t at = 0;
    unsigned next = 1;
    wpg_operand_walk walk = wpg_operands(module, inst);
    wpg_operand operand;
    while (wpg_operand_next(&walk, &operand) && at + 16 < sizeof text) {
        assert_int_equal(operand.at, next); /* no gap, no overlap */
        next += operand.count;
        assert_true(next <= inst->count);
        text[at++] = "TRismLSE"[operand.kind];
        if (operand.kind == WPG_OPERAND_LITERAL || operand.kind == WPG_OPERAND_STRING)
            at += (size_t)snprintf(text + at, sizeof text - at, "%u", operand.count);
        text[at++] = ' ';
    }
    assert_int_equal(walk.malformed, walk.fault != WPG_OPERAND_FAULT_NONE);
    if (walk.malformed)
        text[at++] = '!';
    else
        assert_int_equal(next, inst->count);
    text[at] = '\0';
    return text;
}

static void check(const wpg_module *module, SpvOp opcode, unsigned n, const char *want)
{
    assert_string_equal(shape(module, test_find(module, opcode, n)), want);
}

static void test_shapes(void **state)
{
    (void)state;
    test_words words = test_golden("shapes");
    wpg_module *m = test_parse(words);
    check(m, SpvOpExtension, 0, "S7 ");
    check(m, SpvOpExtInstImport, 0, "R S4 ");
    check(m, SpvOpMemoryModel, 0, "E E ");
    check(m, SpvOpEntryPoint, 0, "E i S2 i i i i ");
    check(m, SpvOpSource, 0, "E L1 i S4 ");
    check(m, SpvOpMemberName, 0, "i L1 S2 ");
    check(m, SpvOpDecorate, 0, "i E L1 ");
    check(m, SpvOpDecorate, 6, "i E ");
    check(m, SpvOpMemberDecorate, 1, "i L1 E L1 ");
    check(m, SpvOpDecorateString, 0, "i E S2 ");
    check(m, SpvOpTypeImage, 0, "R i E L1 L1 L1 L1 E ");
    check(m, SpvOpConstant, 6, "T R L2 ");  /* u64 */
    check(m, SpvOpConstant, 7, "T R L1 ");  /* u16 */
    check(m, SpvOpVariable, 4, "T R E i "); /* with initialiser */
    check(m, SpvOpFunction, 0, "T R E i ");
    check(m, SpvOpLine, 0, "i L1 L1 ");
    check(m, SpvOpLoad, 0, "T R i E L1 s ");
    check(m, SpvOpLoad, 1, "T R i ");
    check(m, SpvOpExtInst, 0, "T R i L1 i i ");
    check(m, SpvOpExtInst, 1, "T R i L1 i i i ");
    check(m, SpvOpImageSampleExplicitLod, 0, "T R i i E i i i i ");
    check(m, SpvOpImageGather, 0, "T R i i i E i ");
    check(m, SpvOpVectorShuffle, 0, "T R i i L1 L1 L1 L1 ");
    check(m, SpvOpSelectionMerge, 0, "i E ");
    check(m, SpvOpSwitch, 0, "i i L2 i L2 i "); /* 64-bit selector */
    check(m, SpvOpSwitch, 1, "i i L1 i ");
    check(m, SpvOpStore, 0, "i i E L1 s ");
    check(m, SpvOpAtomicIAdd, 0, "T R i s m i ");
    check(m, SpvOpPhi, 0, "T R i i i i i i ");
    check(m, SpvOpLoopMerge, 0, "i i E L1 L1 ");
    check(m, SpvOpBranchConditional, 0, "i i i L1 L1 ");
    check(m, SpvOpGroupNonUniformBallot, 0, "T R s i ");
    check(m, SpvOpReturn, 0, "");
    wpg_module_destroy(m);
    free(words.data);

    words = test_golden("spec");
    m = test_parse(words);
    check(m, SpvOpExecutionModeId, 0, "i E i i i ");
    check(m, SpvOpExecutionMode, 0, "i E L1 L1 L1 ");
    check(m, SpvOpSpecConstant, 3, "T R L2 ");
    check(m, SpvOpSpecConstantOp, 0, "T R L1 i i ");
    check(m, SpvOpSpecConstantOp, 1, "T R L1 i i i ");
    check(m, SpvOpSpecConstantOp, 2, "T R L1 i L1 "); /* CompositeExtract */
    wpg_module_destroy(m);
    free(words.data);

    words = test_golden("debug_info");
    m = test_parse(words);
    check(m, SpvOpExtInst, 1, "T R i L1 L1 L1 i E ");
    check(m, SpvOpExtInst, 2, "T R i L1 E i ");
    check(m, SpvOpExtInst, 3, "T R i L1 i i i L1 L1 i i E L1 i ");
    wpg_module_destroy(m);
    free(words.data);
}

#define W(opcode, count) ((uint32_t)(count) << 16 | (uint32_t)(opcode))

static wpg_module *odd;

/* Shape of hand-made words in `odd`. */
static const char *shape_of(uint32_t *words, uint16_t count)
{
    wpg_inst inst = {.words = words, .opcode = (uint16_t)(words[0] & 0xffff), .count = count};
    inst.type = count > 1 ? words[1] : 0;
    return shape(odd, &inst);
}
#define SHAPE(...)                                                                                           \
    shape_of((uint32_t[]){__VA_ARGS__},                                                                      \
             (uint16_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

static void test_odd_shapes(void **state)
{
    (void)state;
    odd = test_parse_text("OpCapability Shader\nOpCapability Int64\n%3 = OpExtInstImport \"OpenCL.std\"\n"
                          "OpMemoryModel Logical GLSL450\n%1 = OpTypeInt 32 0\n%2 = OpTypeInt 64 0\n"
                          "%4 = OpConstant %2 1\n%5 = OpConstant %1 1\n%6 = OpTypeVoid\n");
    assert_string_equal(SHAPE(W(9999, 2), 1), "!");
    assert_string_equal(SHAPE(W(SpvOpReturn, 2), 1), "!");
    assert_string_equal(SHAPE(W(SpvOpIAdd, 4), 1, 2, 3), "T R i !");
    assert_string_equal(SHAPE(W(SpvOpConstant, 3), 1, 2), "T R !");
    assert_string_equal(SHAPE(W(SpvOpConstant, 4), 2, 9, 1), "T R !");
    assert_string_equal(SHAPE(W(SpvOpConstant, 5), 6, 9, 1, 1),
                        "T R L2 "); /* of a type that is no number: the rest */
    /* Enumerants from a newer SPIR-V. The decorating opcodes say what their parameters are. */
    assert_string_equal(SHAPE(W(SpvOpDecorate, 5), 1, 0x7000, 8, 9), "i E L1 L1 ");
    assert_string_equal(SHAPE(W(SpvOpDecorateId, 4), 1, 0x7000, 8), "i E i ");
    assert_string_equal(SHAPE(W(SpvOpMemberDecorateString, 5), 1, 0, 0x7000, 0x61), "i L1 E S1 ");
    assert_string_equal(SHAPE(W(SpvOpExecutionMode, 4), 1, 0x7000, 9), "i E L1 ");
    assert_string_equal(SHAPE(W(SpvOpExecutionModeId, 4), 1, 0x7000, 9), "i E i ");
    assert_string_equal(SHAPE(W(SpvOpLoad, 5), 1, 9, 5, 0x40000000), "T R i E ");
    assert_string_equal(SHAPE(W(SpvOpLoad, 6), 1, 9, 5, 0x40000000, 7), "T R i E !");
    assert_string_equal(SHAPE(W(SpvOpLoad, 6), 1, 9, 5, 0x40000002, 7), "T R i E L1 ");
    assert_string_equal(SHAPE(W(SpvOpLoad, 7), 1, 9, 5, 0x40000002, 7, 8), "T R i E L1 !");
    /* OpSwitch with a selector of no known type. */
    assert_string_equal(SHAPE(W(SpvOpSwitch, 5), 6, 5, 1, 5), "i i !");
    assert_string_equal(SHAPE(W(SpvOpSwitch, 3), 6, 5), "i i ");
    assert_string_equal(SHAPE(W(SpvOpSwitch, 6), 4, 5, 1, 0, 5), "i i L2 i ");
    assert_string_equal(SHAPE(W(SpvOpSwitch, 5), 4, 5, 1, 0), "i i L2 !");
    assert_string_equal(SHAPE(W(SpvOpSwitch, 4), 4, 5, 1), "i i !");
    /* OpSpecConstantOp: embedded opcodes that make no sense. */
    assert_string_equal(SHAPE(W(SpvOpSpecConstantOp, 6), 1, 9, SpvOpStore, 4, 5), "T R !");
    assert_string_equal(SHAPE(W(SpvOpSpecConstantOp, 6), 1, 9, SpvOpSpecConstantOp, 4, 5), "T R !");
    assert_string_equal(SHAPE(W(SpvOpSpecConstantOp, 6), 1, 9, SpvOpExtInst, 3, 5), "T R !");
    assert_string_equal(SHAPE(W(SpvOpSpecConstantOp, 6), 1, 9, 0x10080, 4, 5), "T R !");
    /* OpenCL.std vloadn (171): offset, pointer, literal n; any other is ids. */
    assert_string_equal(SHAPE(W(SpvOpExtInst, 8), 1, 9, 3, 171, 4, 5, 77), "T R i L1 i i L1 ");
    assert_string_equal(SHAPE(W(SpvOpExtInst, 6), 1, 9, 3, 60, 4), "T R i L1 i ");
    /* Pairs. */
    assert_string_equal(SHAPE(W(SpvOpGroupMemberDecorate, 6), 1, 2, 70, 3, 71), "i i L1 i L1 ");
    assert_string_equal(SHAPE(W(SpvOpGroupMemberDecorate, 5), 1, 2, 70, 3), "i i L1 i !");
    assert_string_equal(SHAPE(W(SpvOpPhi, 4), 1, 2, 3), "T R i !");
    wpg_module_destroy(odd);
}

static void test_lookup(void **state)
{
    (void)state;
    assert_string_equal(wpg_opcode_lookup(SpvOpIAdd)->name, "OpIAdd");
    assert_string_equal(wpg_opcode_lookup(SpvOpTypeAccelerationStructureKHR)->name,
                        "OpTypeAccelerationStructureKHR");
    assert_string_equal(wpg_opcode_lookup(SpvOpDecorateString)->name, "OpDecorateString");
    assert_null(wpg_opcode_lookup(65535));
    assert_null(wpg_opcode_lookup(9999));
    /* Type and result against the C header's own table, for every opcode that both know. Headers newer than
     * the committed table changed some of Intel's kernel instructions, which no Vulkan module holds. */
    unsigned known = 0;
    for (unsigned opcode = 0; opcode < 65536; opcode++) {
        const wpg_opcode_info *info = wpg_opcode_lookup((uint16_t)opcode);
        bool has_type = false, has_result = false;
        SpvHasResultAndType((SpvOp)opcode, &has_result, &has_type);
        if (!info || strstr(info->name, "INTEL") || opcode == WPG_OP_EXT_INST_WITH_FORWARD_REFS)
            continue; /* headers may be older than the last one */
        known++;
        if (has_type != info->has_type || has_result != info->has_result)
            fail_msg("%s", info->name);
    }
    assert_in_range(known, 400, 2000);
}

/* What the table tells at a glance is what the walker finds, operand by operand. */
static void test_used_ids(void **state)
{
    (void)state;
    enum { MOST_WORDS = 12, FILLS = 40 };
    test_words golden = test_golden("shapes");
    wpg_module *m = test_parse(golden);
    wpg_operand_list list = {0};
    uint32_t words[MOST_WORDS], seed = 1;
    unsigned good = 0;
    for (unsigned opcode = 0; opcode < 6400; opcode++)
        for (unsigned fill = 0; fill < FILLS; fill++) {
            const unsigned count = 1 + fill % MOST_WORDS;
            for (unsigned i = 1; i < count; i++) {
                seed = seed * 1664525 + 1013904223;
                words[i] = seed >> 16 & 1 ? seed >> 20 & 7 : (seed >> 8) % m->bound;
            }
            const wpg_inst inst = {.words = words,
                                   .opcode = (uint16_t)opcode,
                                   .count = (uint16_t)count,
                                   .type = count > 1 ? words[1] : 0};
            wpg_operand_walk walk = wpg_operands(m, &inst);
            wpg_operand operand;
            const bool fits = wpg_used_ids(&list, m, &inst);
            size_t at = 0;
            while (wpg_operand_next(&walk, &operand))
                if (wpg_operand_is_id(&operand) && operand.kind > WPG_OPERAND_RESULT) {
                    assert_true(at < list.count);
                    assert_int_equal(list.data[at++], operand.at);
                }
            assert_int_equal(at, list.count);
            assert_int_equal(fits, !walk.malformed);
            good += fits;
        }
    assert_true(good > 1000);
    wpg_vec_free(&list);
    wpg_module_destroy(m);
    free(golden.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_odd_shapes),
                                       cmocka_unit_test(test_lookup), cmocka_unit_test(test_used_ids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
