/* Pseudo probes: one a block, valid, no change of identity; they survive optimisers and name their blocks
 * after that; what is no probe is not taken for one. */
#include "tests/unit/compiler/normalize/shader_test.h"

#include "compiler/analysis/graph/cfg.h"
#include "compiler/analysis/graph/pseudo_probe.h"

#define HEAD                                                                                                 \
    "#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) buffer In { uint a[]; };\n"   \
    "layout(set = 0, binding = 1) buffer Out { uint b[]; };\n"

static const char *const shaders[] = {
    HEAD "void main() { b[gl_GlobalInvocationID.x] = 1u; }\n",
    HEAD
    "uint f(uint v) { if (v > 3u) return a[v]; return v + 1u; }\n"
    "void main() { uint i = gl_GlobalInvocationID.x, s = 0u;\n"
    "  for (uint k = 0u; k < a[i]; k++) { if ((k & 3u) == 1u) continue; s += f(k); if (s > 99u) break; }\n"
    "  switch (s & 3u) { case 0u: s++; case 1u: s *= 3u; break; default: s = f(s); } b[i] = s; }\n",
    HEAD "uint g(uint v) { do { v = v * 3u + 1u; } while ((v & 8u) == 0u); return v; }\n"
         "void main() { uint i = gl_GlobalInvocationID.x; b[i] = g(a[i]) + (a[i] > 5u ? g(i) : 0u); }\n",
};
enum { SHADERS = sizeof shaders / sizeof shaders[0] };

static const wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
static const wpg_hash128 identity = {0x0123456789abcdef, 0xfedcba9876543210};

static words compile_text(const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/case.comp", scratch_dir());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
    return compile_file(path);
}

/* The normal form, with DontInline on every function if asked for. */
static wpg_module *normal_module(const char *text, bool keep)
{
    wpg_error err = {0};
    words in = compile_text(text);
    wpg_module *module = parse(&in);
    for (wpg_inst *f = wpg_next_function(module->first); f && keep; f = wpg_next_function(f->next))
        f->words[3] |= SpvFunctionControlDontInlineMask;
    if (wpg_normalize(module, &stage, NULL, &err))
        fail_msg("%s", err.message);
    free(in.data);
    return module;
}

typedef struct listing {
    wpg_arena arena;
    wpg_pseudo_probe *list;
    size_t count, malformed;
} listing;

static listing list_of(const wpg_module *module)
{
    listing l = {0};
    wpg_arena_init(&l.arena);
    assert_int_equal(wpg_pseudo_probes_list(&l.list, &l.count, &l.malformed, module, &l.arena, NULL), WPG_OK);
    return l;
}

static wpg_hash128 hash_of(const wpg_module *module)
{
    wpg_hash128 hash;
    assert_int_equal(wpg_shader_hash(&hash, module, &stage, NULL), WPG_OK);
    return hash;
}

static void test_every_block_and_no_other_identity(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * SHADERS; i++) {
        wpg_error err = {0};
        wpg_module *module = normal_module(shaders[i / 2], i & 1);
        wpg_hash128 before = hash_of(module);
        if (wpg_pseudo_probes_insert(module, &stage, identity, &err))
            fail_msg("%s", err.message);
        words out = emit(module);
        assert_valid(&out, "with probes");
        assert_true(wpg_hash_equal(before, hash_of(module)));
        listing l = list_of(module);
        assert_int_equal(l.malformed, 0);
        size_t at = 0;
        uint32_t number = 0, ordinal = 1;
        uint32_t entry = wpg_find_entry_point(module, stage.model, stage.entry)->words[2];
        for (wpg_inst *f = wpg_next_function(module->first); f; f = wpg_next_function(f->next), number++) {
            wpg_cfg *cfg;
            uint32_t own = f->result == entry ? 0 : ordinal++;
            assert_int_equal(wpg_cfg_create(&cfg, module, f, NULL), WPG_OK);
            for (uint32_t b = 0; b < cfg->count; b++) {
                if (cfg->blocks[b].rpo == WPG_NO_BLOCK)
                    continue;
                assert_true(at < l.count);
                const wpg_pseudo_probe *probe = &l.list[at++];
                assert_true(wpg_hash_equal(probe->shader, identity));
                assert_string_equal(probe->stage, "comp");
                assert_int_equal(probe->function, own);
                assert_int_equal(probe->block, b);
                assert_int_equal(probe->in_function, number);
                assert_int_equal(probe->in_block, b);
                assert_int_equal(probe->label, cfg->blocks[b].id);
                assert_true(probe->checksum == wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION));
            }
            wpg_cfg_destroy(cfg);
        }
        assert_int_equal(at, l.count);
        /* Normalising again takes them out. */
        assert_int_equal(wpg_normalize(module, &stage, NULL, NULL), WPG_OK);
        listing none = list_of(module);
        assert_int_equal(none.count, 0);
        assert_true(wpg_hash_equal(before, hash_of(module)));
        wpg_arena_finish(&none.arena);
        wpg_arena_finish(&l.arena);
        wpg_module_destroy(module);
        free(out.data);
    }
}

/* Blocks of the normal form that have a probe in the words, and still one label each. */
static size_t surviving(const words *w, size_t blocks)
{
    wpg_module *module = parse(w);
    listing l = list_of(module);
    size_t kept = 0;
    assert_int_equal(l.malformed, 0);
    for (uint32_t b = 0; b < 1000; b++) {
        bool found = false;
        for (size_t i = 0; i < l.count; i++)
            found |= l.list[i].block == b && wpg_hash_equal(l.list[i].shader, identity);
        kept += found;
    }
    assert_true(kept <= blocks);
    wpg_arena_finish(&l.arena);
    wpg_module_destroy(module);
    return kept;
}

static void test_they_survive(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHADERS; i++) {
        wpg_error err = {0};
        wpg_module *module = normal_module(shaders[i], false);
        assert_int_equal(wpg_pseudo_probes_insert(module, &stage, identity, NULL), WPG_OK);
        listing l = list_of(module);
        words out = emit(module), ssa = {0};
        assert_int_equal(surviving(&out, l.count), l.count);
        /* The SSA tier joins and removes no block. */
        if (wpg_ssa_tier(&ssa.data, &ssa.count, out.data, out.count, &err))
            fail_msg("%s", err.message);
        assert_int_equal(surviving(&ssa, l.count), l.count);
        /* spirv-opt -O joins blocks and may unroll or remove some: none of these here is dead. */
        char command[512], in_path[128], out_path[128];
        (void)snprintf(in_path, sizeof in_path, "%s/in.spv", scratch_dir());
        (void)snprintf(out_path, sizeof out_path, "%s/out.spv", scratch_dir());
        FILE *file = fopen(in_path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(out.data, 4, out.count, file), out.count);
        (void)fclose(file);
        (void)snprintf(command, sizeof command, "spirv-opt -O %s -o %s", in_path, out_path);
        if (!run_tool(command))
            fail_msg("spirv-opt failed");
        words optimised = read_words(out_path);
        assert_valid(&optimised, "after spirv-opt");
        size_t kept = surviving(&optimised, l.count);
        print_message("shader %zu: %zu blocks, %zu found after spirv-opt -O\n", i, l.count, kept);
        /* Empty blocks on the way out of a loop or switch may go. */
        assert_true(kept * 4 >= l.count * 3);
        free(optimised.data);
        free(ssa.data);
        free(out.data);
        wpg_arena_finish(&l.arena);
        wpg_module_destroy(module);
    }
}

static void test_what_is_no_probe(void **state)
{
    (void)state;
    static const char *const strings[][3] = {
        {"0123456789abcdef0123456789abcdef.comp", "0 0123456789abcdef", "7"}, /* the only good one */
        {"0123456789abcdef0123456789abcde.comp", "0 0123456789abcdef", "7"},
        {"0123456789abcdef0123456789abcdef.compute12", "0 0123456789abcdef", "7"},
        {"0123456789abcdef0123456789abcdef", "0 0123456789abcdef", "7"},
        {"0123456789abcdef0123456789abcdef.comp", "0 0123456789abcde", "7"},
        {"0123456789abcdef0123456789abcdef.comp", "0 0123456789ABCDEF", "7"},
        {"0123456789abcdef0123456789abcdef.comp", "00 0123456789abcdef", "7"},
        {"0123456789abcdef0123456789abcdef.comp", "0 0123456789abcdef", "4294967296"},
        {"0123456789abcdef0123456789abcdef.comp", "0 0123456789abcdef", "7x"},
        {"0123456789abcdef0123456789abcdef.comp", "0 0123456789abcdef", ""},
    };
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        wpg_module *module = normal_module(shaders[0], false);
        uint32_t set = wpg_require_import(module, WPG_PSEUDO_PROBE_SET), ids[3];
        for (int k = 0; k < 3; k++) {
            uint32_t operands[32];
            ids[k] = operands[0] = wpg_module_fresh_id(module);
            size_t count = wpg_string_words(operands + 1, strings[i][k]);
            wpg_inst_insert(module, wpg_module_section_end(module, WPG_SECTION_DEBUG), SpvOpString, operands,
                            count + 1);
        }
        wpg_inst *end = wpg_next_function(module->first);
        while (end->opcode != SpvOpReturn)
            end = end->next;
        wpg_inst_add(module, end, SpvOpExtInst, wpg_type_void(module), wpg_module_fresh_id(module), set, 1,
                     ids[0], ids[1], ids[2]);
        wpg_inst_add(module, end, SpvOpExtInst, wpg_type_void(module), wpg_module_fresh_id(module), set, 2,
                     ids[0], ids[1], ids[2]);
        wpg_inst_add(module, end, SpvOpExtInst, wpg_type_void(module), wpg_module_fresh_id(module), set, 1,
                     ids[0], ids[1], set);
        listing l = list_of(module);
        assert_int_equal(l.count, i == 0);
        assert_int_equal(l.malformed, i == 0 ? 2 : 3);
        wpg_arena_finish(&l.arena);
        wpg_module_destroy(module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_block_and_no_other_identity),
                                       cmocka_unit_test(test_they_survive),
                                       cmocka_unit_test(test_what_is_no_probe)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_scratch();
    return failed;
}
