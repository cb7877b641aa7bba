/* Graphs: dominance against its definition on random graphs, constructs against theirs on random programs,
 * large functions, the checksum, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "compiler/analysis/graph/cfg.h"
#include "compiler/analysis/graph/mask.h"
#include "compiler/analysis/graph/internal.h"
#include "compiler/analysis/values/sites.h"
#include "tests/support/assemble.h"
#include "tests/unit/compiler/analysis/program_spirv.h"

/* -- Dominance ----------------------------------------------------------------------------------------- */

enum { MOST_NODES = 48 };

/* Nodes reached from `root` without going through `without`. */
static uint64_t reached(const wpg_graph *g, uint32_t root, uint32_t without)
{
    uint64_t seen = root == without ? 0 : UINT64_C(1) << root, old;
    do {
        old = seen;
        for (uint32_t v = 0; v < g->count; v++) {
            for (uint32_t i = g->at[v]; seen >> v & 1 && i < g->at[v + 1]; i++)
                seen |= g->to[i] == without ? 0 : UINT64_C(1) << g->to[i];
        }
    } while (seen != old);
    return seen;
}

static void test_dominance(void **state)
{
    (void)state;
    program random = {.random = 7};
    for (int round = 0; round < 600; round++) {
        wpg_arena arena;
        wpg_arena_init(&arena);
        wpg_edge edges[200];
        uint32_t count = 1 + program_random(&random, MOST_NODES);
        size_t edge_count = program_random(&random, 3 * count + 1);
        for (size_t i = 0; i < edge_count; i++)
            edges[i] = (wpg_edge){program_random(&random, count), program_random(&random, count)};
        wpg_graph forward, backward;
        wpg_dom_tree tree;
        assert_true(wpg_graph_make(&forward, count, edges, edge_count, false, &arena));
        assert_true(wpg_graph_make(&backward, count, edges, edge_count, true, &arena));
        uint32_t root = program_random(&random, count);
        assert_true(wpg_dominators(&tree, &forward, &backward, root, &arena));
        uint64_t all = reached(&forward, root, WPG_NO_BLOCK);
        for (uint32_t a = 0; a < count; a++) {
            uint64_t others = reached(&forward, root, a);
            for (uint32_t b = 0; b < count; b++) {
                bool both = (all >> a & 1) && (all >> b & 1);
                bool dominates = a == b || (both && !(others >> b & 1));
                assert_int_equal(wpg_dom_tree_dominates(&tree, a, b), dominates);
            }
        }
        assert_int_equal(tree.reached, __builtin_popcountll(all));
        assert_int_equal(tree.idom[root], WPG_NO_BLOCK);
        wpg_arena_finish(&arena);
    }
}

/* A ladder of two sides: quadratic for algorithms that walk up the tree edge by edge. */
static void test_dominance_ladder(void **state)
{
    (void)state;
    enum { RUNGS = 100000, COUNT = 2 * RUNGS };
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_edge *edges = WPG_ARENA_ARRAY(&arena, wpg_edge, (size_t)3 * RUNGS);
    assert_non_null(edges);
    size_t n = 0;
    for (uint32_t i = 0; i < RUNGS; i++) {
        if (i + 1 < RUNGS) {
            edges[n++] = (wpg_edge){i, i + 1};
            edges[n++] = (wpg_edge){RUNGS + i, RUNGS + i + 1};
        }
        edges[n++] = (wpg_edge){i, RUNGS + i};
    }
    wpg_graph forward, backward;
    wpg_dom_tree tree;
    assert_true(wpg_graph_make(&forward, COUNT, edges, n, false, &arena));
    assert_true(wpg_graph_make(&backward, COUNT, edges, n, true, &arena));
    assert_true(wpg_dominators(&tree, &forward, &backward, 0, &arena));
    assert_int_equal(tree.idom[RUNGS], 0);
    assert_int_equal(tree.idom[COUNT - 1], 0);
    assert_int_equal(tree.idom[RUNGS - 1], RUNGS - 2);
    wpg_arena_finish(&arena);
}

/* -- Constructs ---------------------------------------------------------------------------------------- */

static wpg_cfg *make_cfg(wpg_module **module, program_words *spirv)
{
    wpg_error err = {0};
    wpg_cfg *cfg;
    assert_int_equal(wpg_module_parse(module, spirv->words.data, spirv->words.count, &err), WPG_OK);
    if (wpg_cfg_create(&cfg, *module, wpg_next_function((*module)->first), &err) != WPG_OK)
        fail_msg("%s", err.message);
    wpg_vec_free(&spirv->words);
    return cfg;
}

/* The construct by its definition: a path along structural edges from the entry to the block misses either.
 */
static bool holds(const program *p, int header, int merge, int block, bool *seen, int *stack)
{
    for (int pass = 0; pass < 2; pass++) {
        int without = pass ? merge : header, depth = 0;
        memset(seen, 0, p->blocks.count);
        if (without != 0) {
            seen[0] = true;
            stack[depth++] = 0;
        }
        while (depth) {
            const program_block *b = &p->blocks.data[stack[--depth]];
            int next[MAX_TARGETS + 2], count = 0;
            for (int t = 0; t < b->target_count; t++)
                next[count++] = b->targets[t];
            next[count++] = b->merge;
            next[count++] = b->continue_target;
            for (int i = 0; i < count; i++) {
                if (next[i] == NONE || next[i] == without || seen[next[i]])
                    continue;
                seen[next[i]] = true;
                stack[depth++] = next[i];
            }
        }
        /* Every path goes through the header, and not every one through the merge block. */
        if (pass == 0 ? seen[block] : !seen[block])
            return false;
    }
    return true;
}

static void check_constructs(const program *p, const wpg_cfg *cfg)
{
    bool *inside = calloc(p->blocks.count, sizeof *inside), *seen = calloc(p->blocks.count, sizeof *seen);
    int *stack = calloc(p->blocks.count, sizeof *stack);
    assert_true(inside && seen && stack);
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        const wpg_construct *construct = &cfg->constructs[c];
        bool early = false, demotes = false;
        assert_true(construct->parent == WPG_NO_BLOCK || construct->parent < c);
        for (uint32_t b = 0; b < cfg->count; b++) {
            inside[b] = holds(p, (int)construct->header, (int)construct->merge, (int)b, seen, stack);
            /* Said of a block by the innermost construct and its parents. */
            uint32_t at = cfg->blocks[b].construct;
            while (at != WPG_NO_BLOCK && at != c)
                at = cfg->constructs[at].parent;
            assert_int_equal(inside[b], at == c);
        }
        for (uint32_t b = 0; b < cfg->count; b++) {
            const program_block *block = &p->blocks.data[b];
            if (!inside[b] || cfg->blocks[b].rpo == WPG_NO_BLOCK)
                continue;
            demotes |= block->demotes;
            early |= block->target_count == 0;
            for (int t = 0; t < block->target_count; t++)
                early |= !inside[block->targets[t]] && block->targets[t] != (int)construct->merge;
        }
        assert_int_equal(construct->leaves_early, early);
        assert_int_equal(construct->has_demote, demotes);
        assert_int_equal(construct->changes_mask, demotes);
    }
    free(inside);
    free(seen);
    free(stack);
}

static void test_constructs(void **state)
{
    (void)state;
    size_t constructs = 0, early = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        program p;
        program_words spirv;
        wpg_module *module;
        program_make(&p, seed, 2 + (int)(seed % 25), seed % 2);
        program_spirv(&spirv, &p, 64);
        wpg_cfg *cfg = make_cfg(&module, &spirv);
        check_constructs(&p, cfg);
        constructs += cfg->construct_count;
        for (uint32_t c = 0; c < cfg->construct_count; c++)
            early += cfg->constructs[c].leaves_early;
        uint32_t sites = 0, expected = 0;
        wpg_select_site *list;
        assert_int_equal(wpg_select_sites(&list, &sites, cfg, &cfg->arena), WPG_OK);
        for (size_t b = 0; b < p.blocks.count; b++)
            expected += p.blocks.data[b].selects && cfg->blocks[b].rpo != WPG_NO_BLOCK;
        assert_int_equal(sites, expected);
        wpg_cfg_destroy(cfg);
        wpg_module_destroy(module);
        program_finish(&p);
    }
    assert_true(early > 100 && early < constructs);
}

/* 50 000 blocks: ifs nested in ifs as deep as they go, then a long chain of loops. */
static void test_large(void **state)
{
    (void)state;
    enum { DEEP = 12000, LOOPS = 8000 };
    program p = {.random = 1};
    order_list o = {0};
    int at = program_block_new(&p), first_merge = NONE;
    program_place(&o, at);
    int *merges = calloc(DEEP, sizeof *merges);
    assert_non_null(merges);
    for (int i = 0; i < DEEP; i++) {
        int then = program_block_new(&p);
        merges[i] = program_block_new(&p);
        program_if(&p, at, then, merges[i]);
        p.blocks.data[at].merge = merges[i];
        program_place(&o, then);
        at = then;
    }
    for (int i = DEEP; i-- > 0;) {
        program_branch(&p, at, merges[i]);
        program_place(&o, merges[i]);
        at = first_merge = merges[i];
    }
    for (int i = 0; i < LOOPS; i++) {
        program_scope scope = {NONE, NONE, NONE, false};
        at = program_loop(&p, &o, at, scope, 100);
    }
    p.blocks.data[at].end = END_RETURN;
    program_layout(&p, &o);
    program_words spirv;
    wpg_module *module;
    program_spirv(&spirv, &p, 64);
    wpg_cfg *cfg = make_cfg(&module, &spirv);
    assert_true(cfg->construct_count >= DEEP + LOOPS);
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        if (c < DEEP || cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP)
            assert_false(cfg->constructs[c].leaves_early);
    }
    assert_true(cfg->count > 40000);
    assert_true(first_merge != NONE);
    wpg_cfg_destroy(cfg);
    wpg_module_destroy(module);
    program_finish(&p);
    wpg_vec_free(&o.order);
    free(merges);
}

/* -- Checksum ------------------------------------------------------------------------------------------ */

static uint64_t checksum_of(const program *p)
{
    program_words spirv;
    wpg_module *module;
    program_spirv(&spirv, p, 64);
    wpg_cfg *cfg = make_cfg(&module, &spirv);
    uint64_t sum = wpg_cfg_checksum(cfg, 1);
    assert_int_equal(sum >> 60, 0);
    assert_true(wpg_cfg_checksum(cfg, 2) != sum);
    wpg_cfg_destroy(cfg);
    wpg_module_destroy(module);
    return sum;
}

static bool same_flow(const program *a, const program *b)
{
    bool same = a->blocks.count == b->blocks.count;
    for (size_t i = 0; same && i < a->blocks.count; i++) {
        const program_block *x = &a->blocks.data[i], *y = &b->blocks.data[i];
        same = x->end == y->end && x->merge == y->merge && x->continue_target == y->continue_target &&
               x->target_count == y->target_count;
        for (int t = 0; same && t < x->target_count; t++)
            same = x->targets[t] == y->targets[t];
    }
    return same;
}

static void test_checksum(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    uint64_t sums[COUNT];
    program programs[COUNT];
    for (uint64_t seed = 0; seed < COUNT; seed++) {
        program p;
        program_make(&p, 100 + seed, 12, false);
        program_make(&programs[seed], 100 + seed, 12, false);
        sums[seed] = checksum_of(&p);
        /* What is no control flow does not count. */
        for (size_t b = 0; b < p.blocks.count; b++) {
            p.blocks.data[b].selects ^= true;
            p.blocks.data[b].threshold = 3;
        }
        assert_int_equal(checksum_of(&p), sums[seed]);
        for (uint64_t other = 0; other < seed; other++)
            assert_int_equal(sums[other] == sums[seed], same_flow(&programs[other], &programs[seed]));
        program_finish(&p);
    }
    for (unsigned i = 0; i < COUNT; i++)
        program_finish(&programs[i]);
}

/* The same on every machine and in every later build: profiles depend on it. */
static void test_checksum_value(void **state)
{
    (void)state;
    program p;
    program_make(&p, 5, 10, false);
    char text[32];
    (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)checksum_of(&p));
    assert_string_equal(text, "0b7894a6915b4f23");
    program_finish(&p);
}

/* -- Effects ------------------------------------------------------------------------------------------- */

static wpg_cfg *from_text(wpg_module **module, const char *text, const char *target)
{
    uint32_t *words;
    size_t count;
    wpg_cfg *cfg;
    wpg_error err = {0};
    assert_true(assemble_text(&words, &count, text, target));
    assert_int_equal(wpg_module_parse(module, words, count, &err), WPG_OK);
    if (wpg_cfg_create(&cfg, *module, wpg_next_function((*module)->first), &err) != WPG_OK)
        fail_msg("%s", err.message);
    free(words);
    return cfg;
}

/* Calls change masks where some function kills, and only there. */
static void check_call(const char *end, bool changes)
{
    char text[2000];
    wpg_module *module;
    (void)snprintf(text, sizeof text,
                   "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %%1 \"main\"\n"
                   "OpExecutionMode %%1 OriginUpperLeft\n%%2 = OpTypeVoid\n%%3 = OpTypeFunction %%2\n"
                   "%%1 = OpFunction %%2 None %%3\n%%10 = OpLabel\n%%11 = OpFunctionCall %%2 %%4\n"
                   "OpBranch %%12\n%%12 = OpLabel\nOpReturn\nOpFunctionEnd\n"
                   "%%4 = OpFunction %%2 None %%3\n%%13 = OpLabel\n%s\nOpFunctionEnd\n",
                   end);
    wpg_cfg *cfg = from_text(&module, text, "spv1.0");
    wpg_mask_classes classes;
    assert_int_equal(cfg->blocks[0].changes_mask, changes);
    assert_int_equal(wpg_mask_classes_compute(&classes, cfg, &cfg->arena), WPG_OK);
    assert_int_equal(classes.class_count, changes ? 2 : 1);
    wpg_cfg_destroy(cfg);
    wpg_module_destroy(module);
}

static void test_calls(void **state)
{
    (void)state;
    check_call("OpReturn", false);
    check_call("OpKill", true);
}

/* What follows a reordering of a ray-tracing stage's lanes is another wave segment. */
static void test_segments(void **state)
{
    (void)state;
    wpg_module *module;
    wpg_mask_classes classes;
    wpg_cfg *cfg = from_text(
        &module,
        "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\nOpMemoryModel Logical GLSL450\n"
        "OpEntryPoint RayGenerationKHR %1 \"main\" %9\n%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n"
        "%4 = OpTypeInt 32 0\n%5 = OpConstant %4 0\n%8 = OpTypePointer CallableDataKHR %4\n"
        "%9 = OpVariable %8 CallableDataKHR\n%1 = OpFunction %2 None %3\n%10 = OpLabel\n"
        "OpBranch %11\n%11 = OpLabel\nOpExecuteCallableKHR %5 %9\nOpBranch %12\n%12 = OpLabel\nOpReturn\n"
        "OpFunctionEnd\n",
        "spv1.4");
    assert_int_equal(wpg_mask_classes_compute(&classes, cfg, &cfg->arena), WPG_OK);
    assert_int_equal(classes.class_count, 2);
    assert_int_equal(classes.class_of[0], classes.class_of[1]);
    assert_true(cfg->blocks[1].changes_mask);
    wpg_cfg_destroy(cfg);
    wpg_module_destroy(module);
}

/* Literals of a switch over 64 bits are two words each; equal targets are one edge. */
static void test_wide_switch(void **state)
{
    (void)state;
    wpg_module *module;
    wpg_cfg *cfg = from_text(
        &module,
        "OpCapability Shader\nOpCapability Int64\nOpMemoryModel Logical GLSL450\n"
        "OpEntryPoint GLCompute %1 \"main\"\nOpExecutionMode %1 LocalSize 1 1 1\n%2 = OpTypeVoid\n"
        "%3 = OpTypeFunction %2\n%4 = OpTypeInt 64 0\n%5 = OpConstant %4 7\n%1 = OpFunction %2 None %3\n"
        "%10 = OpLabel\nOpSelectionMerge %13 None\nOpSwitch %5 %13 4294967297 %11 2 %12 3 %11 4 %13\n"
        "%11 = OpLabel\nOpBranch %12\n%12 = OpLabel\nOpBranch %13\n%13 = OpLabel\nOpReturn\nOpFunctionEnd\n",
        "spv1.0");
    const wpg_block *entry = &cfg->blocks[0];
    assert_int_equal(entry->successor_count, 3);
    assert_int_equal(entry->successors[0], 3);
    assert_int_equal(entry->successors[1], 1);
    assert_int_equal(entry->successors[2], 2);
    assert_int_equal(cfg->blocks[3].predecessor_count, 2);
    assert_int_equal(cfg->constructs[0].kind, WPG_CONSTRUCT_SWITCH);
    const struct wpg_dom_tree *post = wpg_cfg_post_dominance(cfg, &cfg->arena);
    assert_non_null(post);
    assert_true(wpg_post_dominates(post, 3, 1) && wpg_post_dominates(post, 2, 1));
    assert_false(wpg_post_dominates(post, 1, 0));
    /* %11 has two literals, %12 has one, %13 is the default; %11's branch is no switch. */
    assert_true(wpg_cfg_takes_several_values(cfg, 0, 1));
    assert_false(wpg_cfg_takes_several_values(cfg, 0, 2));
    assert_true(wpg_cfg_takes_several_values(cfg, 0, 3));
    assert_false(wpg_cfg_takes_several_values(cfg, 1, 2));
    wpg_cfg_destroy(cfg);
    wpg_module_destroy(module);
}

/* -- Refusals ------------------------------------------------------------------------------------------ */

static const char head[] =
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"main\"\n"
    "OpExecutionMode %1 LocalSize 1 1 1\n%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%4 = OpTypeBool\n"
    "%5 = OpConstantTrue %4\n%1 = OpFunction %2 None %3\n";

static void refused(const char *body, const char *reason)
{
    uint32_t *words;
    size_t count;
    wpg_module *module;
    wpg_error err = {0};
    wpg_cfg *cfg;
    char text[2000];
    (void)snprintf(text, sizeof text, "%s%s\nOpFunctionEnd\n", head, body);
    assert_true(assemble_text(&words, &count, text, "spv1.0"));
    assert_int_equal(wpg_module_parse(&module, words, count, &err), WPG_OK);
    wpg_status status = wpg_cfg_create(&cfg, module, wpg_next_function(module->first), &err);
    if (status == WPG_OK)
        fail_msg("accepted: %s", body);
    if (!strstr(err.message, reason))
        fail_msg("'%s' does not say '%s'", err.message, reason);
    wpg_module_destroy(module);
    free(words);
}

static void test_refusals(void **state)
{
    (void)state;
    refused("%10 = OpLabel\nOpBranch %99", "no block");
    refused("%10 = OpLabel\nOpBranchConditional %5 %11 %12\n%11 = OpLabel\nOpBranch %13\n"
            "%12 = OpLabel\nOpBranch %13\n%13 = OpLabel\nOpReturn",
            "without a selection merge");
    refused(
        "%10 = OpLabel\nOpBranch %11\n%11 = OpLabel\nOpBranchConditional %5 %11 %12\n%12 = OpLabel\nOpReturn",
        "no loop header");
    refused(
        "%10 = OpLabel\nOpSelectionMerge %10 None\nOpBranchConditional %5 %11 %12\n%11 = OpLabel\nOpReturn\n"
        "%12 = OpLabel\nOpReturn",
        "merge block");
    refused(
        "%10 = OpLabel\nOpSelectionMerge %13 None\nOpBranchConditional %5 %11 %13\n%11 = OpLabel\n"
        "OpSelectionMerge %13 None\nOpBranchConditional %5 %12 %13\n%12 = OpLabel\nOpReturn\n%13 = OpLabel\n"
        "OpReturn",
        "merge block");
    refused("%10 = OpLabel\nOpSelectionMerge %14 None\nOpBranchConditional %5 %11 %12\n%11 = OpLabel\n"
            "OpSelectionMerge %13 None\nOpBranchConditional %5 %15 %13\n%15 = OpLabel\nOpBranch %13\n"
            "%13 = OpLabel\nOpBranch %14\n%12 = OpLabel\nOpBranch %15\n%14 = OpLabel\nOpReturn",
            "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dominance),   cmocka_unit_test(test_dominance_ladder),
        cmocka_unit_test(test_constructs),  cmocka_unit_test(test_large),
        cmocka_unit_test(test_checksum),    cmocka_unit_test(test_checksum_value),
        cmocka_unit_test(test_calls),       cmocka_unit_test(test_segments),
        cmocka_unit_test(test_wide_switch), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests_name("control-flow graph", tests, NULL, NULL);
}
