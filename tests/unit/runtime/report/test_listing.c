/* Listings of SPIR-V, and places in texts. Damaged modules are listed, too: nothing is read beyond an
 * instruction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/report/listing/listing.h"
#include "runtime/report/model/places.h"

#define OP(count, opcode) ((uint32_t)(count) << 16 | (uint32_t)(opcode))

/* %9 = a * 3 of uint, with names and constants; a square root; a type of its own. */
static const uint32_t words[] = {
    SpvMagicNumber,
    0x10300,
    0,
    40,
    0,
    OP(2, SpvOpCapability),
    SpvCapabilityShader,
    OP(6, SpvOpExtInstImport),
    1,
    0x4c534c47,
    0x6474732e,
    0x3035342e,
    0, /* GLSL.std.450 */
    OP(3, SpvOpMemoryModel),
    SpvAddressingModelLogical,
    SpvMemoryModelGLSL450,
    OP(3, SpvOpName),
    9,
    0x00746f68, /* "hot" */
    OP(4, SpvOpName),
    10,
    0x1b286166,
    0x5d30, /* "fa(\x1b0]" */
    OP(2, SpvOpTypeVoid),
    2,
    OP(3, SpvOpTypeFunction),
    3,
    2,
    OP(4, SpvOpTypeInt),
    4,
    32,
    0,
    OP(4, SpvOpTypeInt),
    5,
    32,
    1,
    OP(3, SpvOpTypeFloat),
    6,
    32,
    OP(4, SpvOpTypeVector),
    7,
    6,
    4,
    OP(2, SpvOpTypeBool),
    8,
    OP(4, SpvOpConstant),
    4,
    20,
    3,
    OP(4, SpvOpConstant),
    5,
    21,
    0xffffffff,
    OP(4, SpvOpConstant),
    6,
    22,
    0x3f000000,
    OP(3, SpvOpConstantTrue),
    8,
    23,
    OP(5, SpvOpFunction),
    2,
    10,
    0,
    3,
    OP(2, SpvOpLabel),
    11,
    OP(5, SpvOpIMul),
    4,
    9,
    20,
    20,
    OP(5, SpvOpIAdd),
    5,
    12,
    21,
    21,
    OP(6, SpvOpExtInst),
    6,
    13,
    1,
    31,
    22,
    OP(6, SpvOpExtInst),
    6,
    14,
    1,
    200,
    22,
    OP(4, SpvOpCompositeConstruct),
    7,
    15,
    13,
    OP(6, SpvOpSelect),
    4,
    16,
    23,
    9,
    20,
    OP(1, SpvOpReturn),
    OP(1, SpvOpFunctionEnd),
};

static char *list(const wpg_module *module)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    wpg_listing listing;
    bool inside = false;
    assert_int_equal(wpg_listing_init(&listing, module, NULL), WPG_OK);
    WPG_INST_EACH (inst, module) {
        inside |= inst->opcode == SpvOpLabel;
        if (inside && inst->opcode != SpvOpFunctionEnd) {
            wpg_listing_print(out, &listing, inst);
            (void)fputc('\n', out);
        }
    }
    wpg_listing_finish(&listing);
    (void)fclose(out);
    return text;
}

static void test_listing(void **state)
{
    wpg_module *module;
    (void)state;
    assert_int_equal(wpg_module_parse(&module, words, sizeof words / sizeof *words, NULL), WPG_OK);
    char *text = list(module);
    assert_string_equal(text, "%11 = OpLabel\n"
                              "%hot.9 = OpIMul uint 3 3\n"
                              "%12 = OpIAdd int -1 -1\n"
                              "%13 = OpExtInst float Sqrt 0.5\n"
                              "%14 = OpExtInst float %1 200 0.5\n"
                              "%15 = OpCompositeConstruct floatx4 %13\n"
                              "%16 = OpSelect uint true %hot.9 3\n"
                              "OpReturn\n");
    free(text);
    wpg_module_destroy(module);
}

/* Every word in turn becomes another: what still parses is listed, and read within its bounds (the sanitizer
 * looks). A name with a terminal's commands gives its letters alone. */
static void test_damaged(void **state)
{
    const size_t count = sizeof words / sizeof *words;
    size_t listed = 0;
    (void)state;
    for (size_t i = 5; i < count; i++) {
        uint32_t damaged[sizeof words / sizeof *words];
        wpg_module *module;
        memcpy(damaged, words, sizeof words);
        damaged[i] ^= 39;
        if (wpg_module_parse(&module, damaged, count, NULL) != WPG_OK)
            continue;
        char *text = list(module);
        assert_null(strchr(text, '\x1b'));
        listed++;
        free(text);
        wpg_module_destroy(module);
    }
    assert_true(listed > 10);
}

/* Without a report, blocks are numbers; a number is no other word's. */
static void test_places(void **state)
{
    char text[WPG_PLACE_SIZE];
    (void)state;
    assert_string_equal(wpg_report_block_text(text, NULL, NULL, 0, 4), "block 4");
    char *same =
        wpg_report_with_places("from block 4, subblock 5, block x, block 6", NULL, NULL, 0, WPG_REPORT_NONE);
    assert_string_equal(same, "from block 4, subblock 5, block x, block 6");
    free(same);
    assert_string_equal(wpg_report_called(text, "sky.frag", "0123456789abcdef"), "sky.frag 01234567");
    assert_string_equal(wpg_report_called(text, "frag 01234567", "0123456789abcdef"), "frag 01234567");
    assert_null(wpg_report_shader_of(NULL, "00"));
    assert_null(wpg_report_pipeline_of(NULL, "00"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_listing), cmocka_unit_test(test_damaged),
                                       cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
