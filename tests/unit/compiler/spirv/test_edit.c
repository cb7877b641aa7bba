/* Editing: instructions in and out with defs kept, uses replaced by the grammar, sections, walks, strings. */
#include "compiler/spirv/module_internal.h"
#include "tests/unit/compiler/spirv/spirv_test.h"

static wpg_module *parse_golden(const char *name)
{
    test_words words = test_golden(name);
    wpg_module *module = test_parse(words);
    free(words.data);
    return module;
}

static void test_insert_remove_move(void **state)
{
    (void)state;
    wpg_module *m = parse_golden("spec");
    test_words before = test_emit(m);
    wpg_inst *store = test_find(m, SpvOpStore, 0);
    uint32_t u32 = wpg_type_u32(m), id = wpg_module_fresh_id(m), value = store->words[2];
    assert_int_equal(id, before.data[3]);
    wpg_inst *add = wpg_inst_add(m, store, SpvOpIAdd, u32, id, value, value);
    assert_ptr_equal(wpg_module_def(m, id), add);
    assert_int_equal(add->type, u32);
    assert_int_equal(add->result, id);
    assert_int_equal(add->count, 5);
    assert_ptr_equal(add->next, store);
    assert_ptr_equal(store->prev, add);
    test_validate(m);

    /* Growing, shrinking, another opcode; operands may come from the instruction itself. */
    wpg_inst_rewrite(m, add, SpvOpBitFieldUExtract, (uint32_t[]){u32, id, value, value, value}, 5);
    assert_int_equal(add->words[0], 6u << 16 | SpvOpBitFieldUExtract);
    test_validate(m);
    uint32_t other = wpg_module_fresh_id(m);
    wpg_inst_rewrite(m, add, SpvOpCopyObject, (uint32_t[]){u32, other, value}, 3);
    assert_null(wpg_module_def(m, id));
    assert_ptr_equal(wpg_module_def(m, other), add);
    wpg_inst_set_operands(m, add, add->words + 1, 3);
    assert_int_equal(add->words[2], other);
    test_validate(m);

    wpg_inst_move(m, add, store->prev->prev); /* before the access chain */
    assert_ptr_equal(add->next->next, store);
    test_validate(m);
    wpg_inst_remove(m, add);
    assert_null(wpg_module_def(m, other));
    m->bound = before.data[3];
    test_words after = test_emit(m);
    assert_true(test_same(before, after));

    /* At the very ends. */
    wpg_inst *first = m->first, *last = m->last;
    wpg_inst_move(m, first, NULL);
    assert_ptr_equal(m->last, first);
    wpg_inst_move(m, first, m->first);
    assert_ptr_equal(m->first, first);
    assert_ptr_equal(m->last, last);
    wpg_inst *nop = wpg_inst_insert(m, NULL, SpvOpNop, NULL, 0);
    assert_ptr_equal(m->last, nop);
    wpg_inst_remove(m, nop);
    assert_ptr_equal(m->last, last);
    free(after.data);
    after = test_emit(m);
    assert_true(test_same(before, after));
    free(before.data);
    free(after.data);
    wpg_module_destroy(m);
}

static void test_copy(void **state)
{
    (void)state;
    wpg_module *m = parse_golden("spec");
    wpg_inst *store = test_find(m, SpvOpStore, 0);
    uint32_t u32 = wpg_type_u32(m), value = store->words[2];
    wpg_inst *add = wpg_inst_add(m, store, SpvOpIAdd, u32, wpg_module_fresh_id(m), value, value);
    const uint32_t id = wpg_module_fresh_id(m);
    wpg_inst *copy = wpg_inst_copy(m, store, add, id);
    assert_ptr_equal(wpg_module_def(m, id), copy);
    assert_ptr_equal(add->next, copy);
    assert_int_equal(copy->result, id);
    assert_int_equal(copy->words[2], id);
    assert_int_equal(copy->type, u32);
    assert_int_equal(copy->words[0], add->words[0]);
    assert_memory_equal(copy->words + 3, add->words + 3, 2 * sizeof *copy->words);
    copy->words[3] = add->result; /* its words are its own */
    assert_int_equal(add->words[3], value);
    wpg_inst *again = wpg_inst_copy(m, store, store, 0);
    assert_int_equal(again->result, 0);
    assert_int_equal(again->count, store->count);
    test_validate(m);
    wpg_module_destroy(m);
}

/* Words that do not fit an instruction end in the scratch one, and emit says so. */
static void test_too_long(void **state)
{
    (void)state;
    wpg_module *m = parse_golden("spec");
    wpg_inst *last = m->last;
    uint32_t *operands = calloc(0x10000, sizeof *operands);
    wpg_inst *inst = wpg_inst_insert(m, NULL, SpvOpTypeStruct, operands, 0xffff);
    assert_non_null(inst);
    assert_ptr_equal(m->last, last);
    wpg_inst_set_operands(m, inst, operands, 2); /* harmless */
    wpg_inst_move(m, inst, NULL);
    wpg_inst_remove(m, inst);
    uint32_t *words = NULL;
    size_t count;
    wpg_error err;
    assert_int_equal(wpg_module_emit(&words, &count, m, &err), WPG_E_NOMEM);
    assert_null(words);
    free(operands);
    wpg_module_destroy(m);
}

static void test_sections(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEST_GOLDENS; i++) {
        wpg_module *m = parse_golden(test_goldens[i]);
        wpg_section last = WPG_SECTION_CAPABILITY;
        WPG_INST_EACH (inst, m) {
            wpg_section here = wpg_inst_section(inst);
            assert_in_range(here, last, WPG_SECTION_FUNCTION);
            last = here;
        }
        for (int s = 0; s < WPG_SECTION_COUNT; s++) {
            wpg_inst *end = wpg_module_section_end(m, (wpg_section)s);
            assert_true(!end || wpg_inst_section(end) > (wpg_section)s);
            assert_true(!end || !end->prev || wpg_inst_section(end->prev) <= (wpg_section)s);
        }
        assert_ptr_equal(wpg_module_section_end(m, WPG_SECTION_GLOBAL), wpg_next_function(m->first));
        assert_null(wpg_module_section_end(m, WPG_SECTION_FUNCTION));
        wpg_module_destroy(m);
    }
    /* A line before a function stays with it; an unknown instruction among the extensions stays before the
     * types. */
    wpg_module *m =
        test_parse_text("OpCapability Shader\nOpMemoryModel Logical GLSL450\n%9 = OpString \"f\"\n"
                        "OpLine %9 1 1\n%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%3 = OpTypeInt 32 0\n"
                        "%4 = OpUndef %3\nOpLine %9 2 1\nOpLine %9 3 1\n"
                        "%5 = OpFunction %1 None %2\n%6 = OpLabel\n%7 = OpUndef %3\nOpReturn\n"
                        "OpFunctionEnd\n");
    wpg_inst *lines = test_find(m, SpvOpLine, 1);
    assert_ptr_equal(wpg_module_section_end(m, WPG_SECTION_GLOBAL), lines);
    wpg_type_float(m, 32); /* now by the builder's shortcut */
    wpg_type_float(m, 64);
    assert_ptr_equal(wpg_module_section_end(m, WPG_SECTION_GLOBAL), lines);
    assert_ptr_equal(wpg_module_section_end(m, WPG_SECTION_ANNOTATION), test_find(m, SpvOpLine, 0));
    assert_int_equal(wpg_inst_section(test_find(m, SpvOpLine, 0)), WPG_SECTION_GLOBAL);
    assert_int_equal(wpg_inst_section(lines), WPG_SECTION_FUNCTION);
    assert_int_equal(wpg_inst_section(test_find(m, SpvOpUndef, 0)), WPG_SECTION_GLOBAL);
    assert_int_equal(wpg_inst_section(test_find(m, SpvOpUndef, 1)), WPG_SECTION_FUNCTION);
    const uint32_t unknown = 0;
    wpg_inst_insert(m, test_find(m, SpvOpMemoryModel, 0), (SpvOp)9999, &unknown, 1);
    assert_ptr_equal(wpg_module_section_end(m, WPG_SECTION_MEMORY_MODEL), test_find(m, SpvOpString, 0));
    assert_ptr_equal(wpg_module_section_end(m, WPG_SECTION_ANNOTATION), test_find(m, SpvOpLine, 0));
    wpg_module_destroy(m);
}

/* The builder's shortcut to the first function survives functions that come and go before it. */
static void test_globals_end(void **state)
{
    (void)state;
    wpg_module *m = parse_golden("spec");
    wpg_type_float(m, 16);
    wpg_inst *first = wpg_next_function(m->first), *second = wpg_next_function(first->next);
    assert_ptr_equal(wpg_module_section_end(m, WPG_SECTION_GLOBAL), first);
    for (wpg_inst *inst = first, *next; inst != second; inst = next) {
        next = inst->next;
        wpg_inst_remove(m, inst);
    }
    assert_ptr_equal(wpg_module_section_end(m, WPG_SECTION_GLOBAL), second);
    wpg_type_vector(m, wpg_type_float(m, 16), 3);
    assert_ptr_equal(wpg_module_section_end(m, WPG_SECTION_GLOBAL), second);
    uint32_t id = wpg_module_fresh_id(m);
    wpg_inst *before = wpg_inst_add(m, second, SpvOpFunction, second->words[1], id, 0, second->words[4]);
    assert_ptr_equal(wpg_module_section_end(m, WPG_SECTION_GLOBAL), before);
    wpg_module_destroy(m);
}

/* -- Section ends, kept from edit to edit, against a walk -- */

typedef struct editing {
    wpg_module *m;
    wpg_inst *insts[4096]; /* those that stand in the module */
    size_t count;
    uint32_t random;
} editing;

static uint32_t below(editing *e, uint32_t most)
{
    e->random = e->random * 1664525u + 1013904223u;
    return (e->random >> 8) % most;
}

/* Instructions of every section, undecided ones, and one that the grammar does not know. */
static SpvOp some_opcode(editing *e)
{
    static const SpvOp opcodes[] = {SpvOpCapability,    SpvOpExtension, SpvOpExtInstImport, SpvOpMemoryModel,
                                    SpvOpEntryPoint,    SpvOpName,      SpvOpString,        SpvOpDecorate,
                                    SpvOpTypeInt,       SpvOpConstant,  SpvOpVariable,      SpvOpFunction,
                                    SpvOpExecutionMode, SpvOpLabel,     SpvOpIAdd,          SpvOpLine,
                                    SpvOpNoLine,        SpvOpUndef,     SpvOpNop,           SpvOpExtInst,
                                    (SpvOp)9999};
    return opcodes[below(e, sizeof opcodes / sizeof *opcodes)];
}

static wpg_inst *some_place(editing *e)
{
    return below(e, 16) ? e->insts[below(e, (uint32_t)e->count)] : NULL;
}

/* At an end half of the time, as the builder does. */
static void edit_once(editing *e)
{
    static const uint32_t operands[] = {0, 0, SpvStorageClassPrivate};
    wpg_inst *inst = e->insts[below(e, (uint32_t)e->count)];
    switch (below(e, e->count < 60 ? 3 : 5)) {
    case 0:
    case 1: {
        SpvOp opcode = some_opcode(e);
        wpg_inst *made = wpg_inst_insert(e->m, some_place(e), opcode, operands, 3);
        wpg_section section = wpg_inst_own_section(made);
        if (below(e, 2) && section != WPG_SECTION_COUNT)
            wpg_inst_move(e->m, made, wpg_module_section_end(e->m, section));
        e->insts[e->count++] = made;
        break;
    }
    case 2:
        wpg_inst_rewrite(e->m, inst, some_opcode(e), operands, 3);
        break;
    case 3:
        wpg_inst_move(e->m, inst, some_place(e));
        break;
    default:
        for (size_t i = 0; i < e->count; i++)
            if (e->insts[i] == inst)
                e->insts[i] = e->insts[--e->count];
        wpg_inst_remove(e->m, inst);
        break;
    }
}

static void test_ends_kept(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 60; seed++) {
        editing e = {.m = parse_golden(seed % 2 ? "spec" : "rays"), .random = seed};
        WPG_INST_EACH (inst, e.m)
            if (e.count < 200 && (seed % 3 || inst->opcode != SpvOpLine))
                e.insts[e.count++] = inst;
        unsigned kept = 0;
        for (unsigned i = 0; i < 1500; i++) {
            edit_once(&e);
            for (int s = 0; s < WPG_SECTION_FUNCTION; s++) {
                kept += e.m->ends->of[s].known;
                if (below(&e, 3)) /* else the end goes through another edit unasked */
                    assert_ptr_equal(wpg_module_section_end(e.m, (wpg_section)s),
                                     wpg_section_end_by_walk(e.m, (wpg_section)s));
            }
        }
        assert_true(kept > 1500); /* of 13,500: some come through edits */
        wpg_module_destroy(e.m);
    }
}

/* What passes do: append declarations and decorations, change functions. No end is looked for again. */
static void test_ends_stay_known(void **state)
{
    (void)state;
    wpg_module *m = parse_golden("spec");
    for (int s = 0; s < WPG_SECTION_FUNCTION; s++)
        wpg_module_section_end(m, (wpg_section)s);
    wpg_inst *store = test_find(m, SpvOpStore, 0);
    for (uint32_t i = 0; i < 50; i++) {
        uint32_t u32 = wpg_type_u32(m), constant = wpg_const_u32(m, 1000 + i), id = wpg_module_fresh_id(m);
        wpg_inst *add = wpg_inst_add(m, store, SpvOpIAdd, u32, id, constant, constant);
        wpg_inst_add(m, wpg_module_section_end(m, WPG_SECTION_ANNOTATION), SpvOpDecorate, id,
                     SpvDecorationNoContraction);
        if (i % 3 == 0)
            wpg_inst_rewrite(m, add, SpvOpCopyObject, (uint32_t[]){u32, id, constant}, 3);
        if (i % 3 == 1)
            wpg_inst_remove(m, add);
        for (int s = 0; s < WPG_SECTION_FUNCTION; s++) {
            assert_true(m->ends->of[s].known);
            assert_ptr_equal(m->ends->of[s].end, wpg_section_end_by_walk(m, (wpg_section)s));
        }
    }
    wpg_module_destroy(m);
}

/* A decoration behind the types is against the layout, and found all the same. */
static void test_late_decoration(void **state)
{
    (void)state;
    wpg_module *m =
        test_parse_text("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpDecorate %1 Block\n"
                        "%1 = OpTypeFloat 32\nOpDecorate %1 ArrayStride 4\n");
    assert_true(m->decorates_late);
    assert_non_null(wpg_find_decoration(m, 1, SpvDecorationArrayStride));
    assert_non_null(wpg_find_decoration(m, 1, SpvDecorationBlock));
    assert_null(wpg_find_decoration(m, 1, SpvDecorationVolatile));
    wpg_module_destroy(m);
    m = parse_golden("spec");
    assert_false(m->decorates_late);
    wpg_module_destroy(m);
}

static void test_walks(void **state)
{
    (void)state;
    wpg_module *m = parse_golden("rays");
    wpg_inst *main_function = wpg_next_function(m->first);
    assert_int_equal(main_function->opcode, SpvOpFunction);
    assert_ptr_equal(wpg_next_function(main_function), main_function);
    wpg_inst *end = wpg_function_end(main_function);
    assert_int_equal(end->opcode, SpvOpFunctionEnd);
    wpg_inst *second = wpg_next_function(end);
    assert_non_null(second);
    assert_null(wpg_next_function(wpg_function_end(second)));
    unsigned terminators = 0, labels = 0;
    WPG_INST_EACH (inst, m) {
        terminators += wpg_opcode_is_terminator((SpvOp)inst->opcode);
        labels += inst->opcode == SpvOpLabel;
    }
    assert_int_equal(terminators, labels);
    assert_false(wpg_opcode_is_terminator(SpvOpIgnoreIntersectionNV)); /* not one, unlike the KHR form */
    wpg_module_destroy(m);
}

static void test_strings(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "a", "abc", "abcd", "GLSL.std.450"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint32_t words[8];
        memset(words, 0xff, sizeof words);
        size_t count = wpg_string_words(words + 1, texts[i]);
        assert_int_equal(count, strlen(texts[i]) / 4 + 1);
        assert_int_equal(wpg_string_words(NULL, texts[i]), count);
        wpg_inst inst = {.words = words, .count = (uint16_t)(count + 1)};
        assert_string_equal(wpg_inst_string(&inst, 1), texts[i]);
        assert_null(wpg_inst_string(&inst, count + 1));
        inst.count--; /* the end cut off */
        assert_null(wpg_inst_string(&inst, 1));
    }
}

static void test_debug(void **state)
{
    (void)state;
    wpg_module *m = parse_golden("shapes");
    wpg_arena arena;
    wpg_arena_init(&arena);
    const char *const *files;
    size_t count;
    assert_int_equal(wpg_module_source_files(&files, &count, m, &arena), WPG_OK);
    assert_int_equal(count, 2);
    assert_string_equal(files[0], "shapes.frag");
    assert_string_equal(files[1], "shapes.h");
    wpg_source_line line;
    assert_true(wpg_line_of(&line, m, test_find(m, SpvOpLoad, 0)));
    assert_string_equal(line.file, "shapes.frag");
    assert_int_equal(line.line, 3);
    assert_int_equal(line.column, 7);
    assert_false(wpg_line_of(&line, m, test_find(m, SpvOpSwitch, 0)));    /* OpNoLine */
    assert_false(wpg_line_of(&line, m, test_find(m, SpvOpLoopMerge, 0))); /* another block */
    assert_false(wpg_line_of(&line, m, test_find(m, SpvOpVariable, 4)));  /* before any line */
    wpg_arena_finish(&arena);
    wpg_module_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_insert_remove_move),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_globals_end),
        cmocka_unit_test(test_ends_kept),
        cmocka_unit_test(test_ends_stay_known),
        cmocka_unit_test(test_late_decoration),
        cmocka_unit_test(test_walks),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_debug),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
