/* Matching of two versions of a shader. Blocks carry tags (they store to tags[N], N of their own), by which a
 * test knows which block is which; counts come of random walks over the old graph, so that lanes conserve
 * flow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/analysis/graph/lane_flow.h"
#include "compiler/analysis/match/match.h"
#include "compiler/normalize/normalize.h"
#include "compiler/spirv/builder.h"
#include "runtime/base/file.h"
#include "tests/support/assemble.h"

#define HEAD                                                                                                 \
    "#version 450\nlayout(local_size_x = 64) in;\n"                                                          \
    "layout(set = 0, binding = 0) buffer T { uint tags[]; };\n"                                              \
    "layout(set = 0, binding = 1) buffer D { float data[]; };\n"                                             \
    "layout(push_constant) uniform P { uint n; float k; };\n"

/* %s: places where a version differs. */
static const char text[] = HEAD "void main() {\n"
                                "  uint id = gl_GlobalInvocationID.x;\n"
                                "  float sum = data[id] * %s;\n"
                                "  tags[0] = id;\n"
                                "  %s\n"
                                "  if (sum > 1.0) { sum = sqrt(sum) + k; tags[1] = id; %s }\n"
                                "  else { sum = sum * sum - k; tags[2] = id; }\n"
                                "  for (uint i = 0u; i < n; i++) {\n"
                                "    tags[3] = i;\n"
                                "    if (data[i] < sum) { sum += sin(data[i]); tags[4] = i; %s }\n"
                                "    sum = fract(sum) + (sum > k ? data[i + 1u] : 0.5);\n"
                                "  }\n"
                                "  tags[5] = id;\n"
                                "  %s\n"
                                "  data[id] = sum;\n"
                                "}\n";

typedef struct version {
    wpg_module *module;
    wpg_cfg *cfg;
    wpg_form *form;
    uint64_t *counts;
} version;

/* Lanes of every block, of `walks` lanes that choose their way by chance. */
static uint64_t *walk(const wpg_cfg *cfg, unsigned walks)
{
    uint64_t *counts = calloc(cfg->count, sizeof *counts), random = 88172645463325252u;
    assert_non_null(counts);
    for (unsigned w = 0; w < walks; w++)
        for (uint32_t b = 0;;) {
            counts[b]++;
            const wpg_block *block = &cfg->blocks[b];
            if (!block->successor_count)
                break;
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            b = block->successors[(random >> 20) % block->successor_count];
        }
    return counts;
}

static void make_words(version *v, const uint32_t *words, size_t count, SpvExecutionModel model,
                       const char *entry_name)
{
    wpg_error err = {0};
    const wpg_stage stage = {.model = model, .entry = entry_name};
    assert_int_equal(wpg_module_parse(&v->module, words, count, &err), WPG_OK);
    assert_int_equal(wpg_normalize(v->module, &stage, NULL, &err), WPG_OK);
    const wpg_inst *entry = wpg_find_entry_point(v->module, stage.model, stage.entry);
    assert_int_equal(wpg_cfg_create(&v->cfg, v->module, wpg_module_def(v->module, entry->words[2]), &err),
                     WPG_OK);
    assert_int_equal(wpg_form_create(&v->form, v->cfg, &err), WPG_OK);
    v->counts = walk(v->cfg, 1000);
}

static void make_source(version *v, const char *source)
{
    uint32_t *words;
    size_t count;
    assert_true(assemble_glsl(&words, &count, source, "comp", "vulkan1.1"));
    make_words(v, words, count, SpvExecutionModelGLCompute, "main");
    free(words);
}

/* A benchmark's shader: a compute shader, or a fragment shader where there is none of that name. */
static void make_file(version *v, const char *name)
{
    char path[4096];
    uint8_t *bytes;
    size_t size;
    SpvExecutionModel model = SpvExecutionModelGLCompute;
    assert_true(snprintf(path, sizeof path, "%s/shaders/%s.comp.spv", WPG_BINARY_DIR, name) <
                (int)sizeof path);
    if (wpg_file_read(&bytes, &size, path, 1 << 20, NULL) != WPG_OK) {
        model = SpvExecutionModelFragment;
        assert_true(snprintf(path, sizeof path, "%s/shaders/%s.frag.spv", WPG_BINARY_DIR, name) <
                    (int)sizeof path);
        if (wpg_file_read(&bytes, &size, path, 1 << 20, NULL) != WPG_OK)
            fail_msg("%s is not built", path);
    }
    make_words(v, (const uint32_t *)(const void *)bytes, size / 4, model, name);
    free(bytes);
}

static void make(version *v, const char *factor, const char *first, const char *arm, const char *body,
                 const char *last)
{
    char source[4096];
    assert_true(snprintf(source, sizeof source, text, factor, first, arm, body, last) < (int)sizeof source);
    make_source(v, source);
}

static void drop(version *v)
{
    free(v->counts);
    wpg_form_destroy(v->form);
    wpg_cfg_destroy(v->cfg);
    wpg_module_destroy(v->module);
}

/* N of the last `tags[N] = ` of the block, -1 if it has none. */
static int tag_of(const version *v, uint32_t block)
{
    const wpg_block *b = &v->cfg->blocks[block];
    int tag = -1;
    for (const wpg_inst *inst = b->label; inst != b->terminator; inst = inst->next) {
        if (inst->opcode != SpvOpAccessChain || inst->count != 6)
            continue;
        const wpg_inst *index = wpg_module_def(v->module, inst->words[5]);
        const wpg_inst *type = wpg_module_def(v->module, inst->type);
        const wpg_inst *to = type ? wpg_module_def(v->module, type->words[3]) : NULL;
        if (index && index->opcode == SpvOpConstant && to && to->opcode == SpvOpTypeInt)
            tag = (int)index->words[3];
    }
    return tag;
}

typedef struct result {
    wpg_arena arena;
    wpg_match match;
    wpg_carried carried;
    double share;
    unsigned right; /* tagged blocks that found their like */
} result;

static void compare(result *r, const version *from, const version *to)
{
    wpg_error err = {0};
    const wpg_block_counts counts = {from->counts, from->counts, from->counts};
    *r = (result){0};
    wpg_arena_init(&r->arena);
    assert_int_equal(wpg_match_forms(&r->match, from->form, to->form, &r->arena, &err), WPG_OK);
    r->share = wpg_match_share(&r->match, from->form, to->form, &counts);
    assert_int_equal(wpg_match_carry(&r->carried, &r->match, &counts, to->cfg, &r->arena, &err), WPG_OK);
    uint32_t last = 0, matched = 0;
    for (uint32_t b = 0; b < to->cfg->count; b++) {
        uint32_t old = r->match.block[b];
        if (old == WPG_NO_BLOCK)
            continue;
        assert_true(old < from->cfg->count && (!matched++ || old > last));
        last = old;
        if (tag_of(to, b) >= 0 && tag_of(from, old) >= 0) {
            if (tag_of(to, b) != tag_of(from, old))
                fail_msg("block %u (tag %d) was given the counts of block %u (tag %d)", b, tag_of(to, b), old,
                         tag_of(from, old));
            r->right++;
        }
        assert_true(r->carried.known[b]);
        assert_int_equal(r->carried.lanes[b], from->counts[old]);
    }
    assert_int_equal(r->match.blocks, matched);
}

static void check_known_fit(const result *r, const version *to)
{
    bool sound;
    uint64_t *lanes =
        wpg_arena_memdup((wpg_arena *)(uintptr_t)&r->arena, r->carried.lanes, to->cfg->count * sizeof *lanes);
    bool *known = wpg_arena_memdup((wpg_arena *)(uintptr_t)&r->arena, r->carried.known, to->cfg->count);
    assert_true(r->carried.sound);
    assert_int_equal(wpg_lane_flow_solve(lanes, known, &sound, NULL, to->cfg), WPG_OK);
    assert_true(sound);
}

/* Other constants, other names: everything is found, tag by tag, select by select. */
static void test_constants(void **state)
{
    (void)state;
    version from = {0}, to = {0};
    result r;
    make(&from, "2.0", "", "", "", "");
    make(&to, "7.5", "", "", "", "");
    compare(&r, &from, &to);
    assert_int_equal(r.match.blocks, from.cfg->count);
    assert_int_equal(r.right, 6);
    assert_true(r.share > 0.999 && r.match.likeness > 0.999);
    assert_true(wpg_form_selects(from.form) == wpg_form_selects(to.form));
    for (uint32_t s = 0; s < wpg_form_selects(to.form); s++)
        assert_int_equal(r.match.select[s], s);
    check_known_fit(&r, &to);
    wpg_arena_finish(&r.arena);
    drop(&from);
    drop(&to);
}

/* Code put in at several places: what was there before is found, the new blocks are not, nor given counts. */
static void test_insertions(void **state)
{
    static const char *const added[][4] = {
        {"if (id > 77u) { tags[90] = id; sum += 3.0; }", "", "", ""},
        {"", "if (k > 2.0) { tags[90] = id; sum *= k; }", "", ""},
        {"", "", "if (k > 2.0) { tags[90] = i; data[i] = k; }", ""},
        {"", "", "", "for (uint j = 0u; j < n / 2u; j++) { tags[90] = j; sum = cos(sum); }"},
        {"for (uint j = 0u; j < n; j++) { tags[90] = j; sum *= k; }", "", "",
         "if (sum < 0.0) { tags[91] = id; sum = -sum; }"},
    };
    (void)state;
    version from = {0};
    make(&from, "2.0", "", "", "", "");
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        version to = {0};
        result r;
        unsigned fresh = 0;
        make(&to, "2.0", added[i][0], added[i][1], added[i][2], added[i][3]);
        assert_true(to.cfg->count > from.cfg->count);
        compare(&r, &from, &to);
        if (r.share < 0.9 || r.right < 5)
            fail_msg("insertion %zu: share %.3f, %u tags", i, r.share, r.right);
        check_known_fit(&r, &to);
        for (uint32_t b = 0; b < to.cfg->count; b++)
            if (tag_of(&to, b) >= 90) {
                fresh++;
                assert_int_equal(r.match.block[b], WPG_NO_BLOCK);
                assert_false(r.carried.known[b]);
                assert_int_equal(r.carried.lanes[b], 0);
            }
        assert_true(fresh > 0);
        wpg_arena_finish(&r.arena);
        drop(&to);
    }
    drop(&from);
}

/* Blocks taken out: the rest is found, and the share tells what is lost. */
static void test_removals(void **state)
{
    (void)state;
    version from = {0}, to = {0};
    result r;
    make(&from, "2.0", "for (uint j = 0u; j < n; j++) { tags[90] = j; sum = cos(sum) * data[j]; }", "", "",
         "");
    make(&to, "2.0", "", "", "", "");
    compare(&r, &from, &to);
    assert_int_equal(r.right, 6);
    for (uint32_t b = 0; b < to.cfg->count; b++)
        assert_true(r.carried.known[b]);
    assert_true(r.share > 0.3 && r.share < 0.9); /* the loop ran about as often as all the rest */
    wpg_arena_finish(&r.arena);
    drop(&from);
    drop(&to);
}

/* An arm that was rewritten: its lanes follow from the header's and the other arm's, its waves do not. */
static void test_rewritten(void **state)
{
    static const char arm[] = "sum = sum * sum - k; tags[2] = id;",
                      other[] = "ivec3 h = ivec3(7, 9, int(id)) ^ 3; h = bitCount(h) | (h << 5); barrier();";
    (void)state;
    version from = {0}, to = {0};
    char source[4096], *at;
    wpg_error err = {0};
    wpg_carried carried;
    result r;
    make(&from, "2.0", "", "", "", "");
    assert_true(snprintf(source, sizeof source - sizeof other, text, "2.0", "", "", "", "") < 3000);
    assert_non_null(at = strstr(source, arm));
    memmove(at + strlen(other), at + strlen(arm), strlen(at + strlen(arm)) + 1);
    memcpy(at, other, strlen(other));
    make_source(&to, source);
    compare(&r, &from, &to);
    check_known_fit(&r, &to);
    const wpg_block_counts lanes_only = {from.counts, NULL, NULL};
    assert_int_equal(wpg_match_carry(&carried, &r.match, &lanes_only, to.cfg, &r.arena, &err), WPG_OK);
    uint32_t unmatched = 0;
    for (uint32_t b = 0; b < to.cfg->count; b++) {
        if (r.match.block[b] != WPG_NO_BLOCK)
            continue;
        unmatched++;
        assert_false(r.carried.known[b]);
        assert_true(carried.known[b]);
        for (uint32_t old = 0; old < from.cfg->count; old++)
            if (tag_of(&from, old) == 2)
                assert_int_equal(carried.lanes[b], from.counts[old]);
    }
    assert_int_equal(unmatched, 1);
    wpg_arena_finish(&r.arena);
    drop(&from);
    drop(&to);
}

/* Plainly another shader: few instructions alike, few counts that find a block. */
static void test_others(void **state)
{
    static const char *const others[] = {
        HEAD "void main() { uint x = gl_LocalInvocationIndex; uint s = 0u;\n"
             "while (x != 1u) { x = (x & 1u) == 0u ? x >> 1 : 3u * x + 1u; s++; if (s > 200u) break; }\n"
             "tags[x] = s; barrier(); tags[s] = x; }\n",
        HEAD "shared vec4 tile[64]; void main() { vec4 v = vec4(data[0], data[1], data[2], data[3]);\n"
             "tile[gl_LocalInvocationIndex] = normalize(v); barrier();\n"
             "for (int i = 0; i < 4; i++) v = cross(v.xyz, tile[i].xyz).xyzx;\n"
             "if (any(greaterThan(v, vec4(k)))) v = reflect(v, tile[1]); data[4] = dot(v, v); }\n"};
    (void)state;
    version from = {0};
    make(&from, "2.0", "", "", "", "");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        version to = {0};
        result r;
        make_source(&to, others[i]);
        compare(&r, &from, &to);
        if (wpg_form_likeness(from.form, to.form) > 0.6 || r.match.likeness > 0.4 || r.share > 0.6)
            fail_msg("shader %zu: likeness %.3f, matched %.3f, share %.3f", i,
                     wpg_form_likeness(from.form, to.form), r.match.likeness, r.share);
        wpg_arena_finish(&r.arena);
        drop(&to);
    }
    drop(&from);
}

/* The benchmarks' shaders (built into the build folder): each is itself, and none is another. The three of
 * the RFC differ by a constant, and are each other. */
static void test_benchmarks(void **state)
{
    static const char *const names[] = {"bvh",  "lights",      "mandelbrot",   "post",
                                        "mesh", "raymarch",    "select_rare",  "trip_uniform",
                                        "uber", "rfc_uniform", "rfc_divergent"};
    enum { COUNT = sizeof names / sizeof *names };
    (void)state;
    version all[COUNT] = {0};
    for (size_t i = 0; i < COUNT; i++)
        make_file(&all[i], names[i]);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++) {
            result r;
            bool alike = i == j || (strncmp(names[i], "rfc", 3) == 0 && strncmp(names[j], "rfc", 3) == 0);
            compare(&r, &all[i], &all[j]);
            if (alike != (r.match.likeness >= WPG_MATCH_LIKENESS && r.share >= 0.9))
                fail_msg("%s as %s: likeness %.3f, share %.3f", names[i], names[j], r.match.likeness,
                         r.share);
            if (!alike && getenv("WPG_MATCH_PRINT"))
                print_message("%s as %s: likeness %.3f (%.3f), share %.3f\n", names[i], names[j],
                              r.match.likeness, wpg_form_likeness(all[i].form, all[j].form), r.share);
            if (i == j)
                assert_int_equal(r.match.blocks, all[i].cfg->count);
            wpg_arena_finish(&r.arena);
        }
    for (size_t i = 0; i < COUNT; i++)
        drop(&all[i]);
}

/* Lanes by flow: what one unknown block must have is found, a wrong count is told with its block. */
static void test_flow(void **state)
{
    (void)state;
    version v = {0};
    make(&v, "2.0", "if (id > 77u) { tags[90] = id; sum += 3.0; } else { tags[91] = id; sum += 4.0; }", "",
         "if (k > 2.0) break;", "");
    size_t inferred = 0, caught = 0;
    for (uint32_t hole = 0; hole < v.cfg->count; hole++) {
        uint64_t *lanes = calloc(v.cfg->count, sizeof *lanes);
        bool *known = calloc(v.cfg->count, sizeof *known), sound;
        wpg_lane_fault fault;
        assert_true(lanes && known);
        for (uint32_t b = 0; b < v.cfg->count; b++) {
            known[b] = b != hole;
            lanes[b] = known[b] ? v.counts[b] : 12345;
        }
        assert_int_equal(wpg_lane_flow_solve(lanes, known, &sound, &fault, v.cfg), WPG_OK);
        assert_true(sound);
        if (known[hole])
            assert_int_equal(lanes[hole], v.counts[hole]);
        inferred += known[hole];
        for (uint32_t b = 0; b < v.cfg->count; b++) {
            known[b] = true;
            lanes[b] = v.counts[b] + (b == hole);
        }
        assert_int_equal(wpg_lane_flow_solve(lanes, known, &sound, &fault, v.cfg), WPG_OK);
        caught += !sound;
        free(lanes);
        free(known);
    }
    assert_int_equal(inferred, v.cfg->count);
    assert_int_equal(caught, v.cfg->count);
    drop(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants), cmocka_unit_test(test_insertions),
        cmocka_unit_test(test_removals),  cmocka_unit_test(test_rewritten),
        cmocka_unit_test(test_others),    cmocka_unit_test(test_benchmarks),
        cmocka_unit_test(test_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
