/* Mask classes against the SIMT interpreter: blocks of one class must run equally often, each time under the
 * same live lanes. And against themselves: classes made by a rule with a condition left out must be caught.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/analysis/graph/mask.h"
#include "tests/unit/compiler/analysis/program_spirv.h"

typedef struct subject {
    program p;
    program_words spirv;
    wpg_module *module;
    wpg_cfg *cfg;
    wpg_mask_classes classes;
    program_run *run;
} subject;

static void make(subject *s, uint64_t seed, bool fragment, bool split)
{
    wpg_error err = {0};
    program_make(&s->p, seed, 3 + (int)(seed % 40), fragment);
    program_spirv(&s->spirv, &s->p, 64);
    assert_int_equal(wpg_module_parse(&s->module, s->spirv.words.data, s->spirv.words.count, &err), WPG_OK);
    wpg_status status = wpg_cfg_create(&s->cfg, s->module, wpg_next_function(s->module->first), &err);
    if (status != WPG_OK)
        fail_msg("program %llu: %s", (unsigned long long)seed, err.message);
    assert_int_equal(s->cfg->count, s->p.blocks.count);
    assert_int_equal(wpg_mask_classes_compute(&s->classes, s->cfg, &s->cfg->arena), WPG_OK);
    s->run = malloc(sizeof *s->run);
    assert_non_null(s->run);
    program_run_init(s->run, &s->p);
    s->run->split_fall_through = split;
    for (uint32_t wave = 0; wave < 6; wave++)
        program_wave(s->run, wave * 64, wave == 5 ? 3 : 4 << wave > 64 ? 64 : 4u << wave);
}

static void drop(subject *s)
{
    program_run_finish(s->run);
    free(s->run);
    wpg_cfg_destroy(s->cfg);
    wpg_module_destroy(s->module);
    wpg_vec_free(&s->spirv.words);
    program_finish(&s->p);
}

static bool same_visits(const program_run *run, uint32_t a, uint32_t b)
{
    const program_visits *x = &run->visits[a], *y = &run->visits[b];
    return x->count == y->count &&
           (x->count == 0 || memcmp(x->data, y->data, x->count * sizeof x->data[0]) == 0);
}

/* Programs of every size, with and without kills and demotes, and both ways a fall-through may run. */
static void test_classes(void **state)
{
    (void)state;
    size_t merged = 0, blocks = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        subject s = {0};
        make(&s, seed, seed % 2, seed % 4 < 2);
        for (uint32_t b = 0; b < s.cfg->count; b++) {
            uint32_t class = s.classes.class_of[b];
            if (class == WPG_NO_BLOCK) {
                assert_int_equal(s.run->visits[b].count, 0);
                continue;
            }
            uint32_t first = s.classes.representative[class];
            if (!same_visits(s.run, first, b))
                fail_msg("program %llu: blocks %u and %u are of one class", (unsigned long long)seed, first,
                         b);
            assert_true(wpg_cfg_dominates(s.cfg, first, b));
            assert_true(s.cfg->blocks[first].rpo <= s.cfg->blocks[b].rpo);
            assert_int_equal(s.classes.class_of[first], class);
            blocks++;
            merged += first != b;
        }
        drop(&s);
    }
    /* The rules find something: about a third of the blocks. */
    assert_true(merged * 5 > blocks);
}

typedef bool (*broken_rule)(const wpg_cfg *cfg, uint32_t b, uint32_t *with);

static bool chain_into_merge(const wpg_cfg *cfg, uint32_t b, uint32_t *with)
{
    const wpg_block *block = &cfg->blocks[b];
    *with = block->successor_count ? block->successors[0] : 0;
    return block->successor_count == 1 && cfg->blocks[*with].predecessor_count == 1 && !block->changes_mask;
}

static bool chain_over_demote(const wpg_cfg *cfg, uint32_t b, uint32_t *with)
{
    const wpg_block *block = &cfg->blocks[b];
    *with = block->successor_count ? block->successors[0] : 0;
    return block->successor_count == 1 && cfg->blocks[*with].predecessor_count == 1 && block->changes_mask;
}

static bool construct_of(const wpg_cfg *cfg, uint32_t header, const wpg_construct **found)
{
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        if (cfg->constructs[c].header == header &&
            cfg->blocks[cfg->constructs[c].merge].rpo != WPG_NO_BLOCK) {
            *found = &cfg->constructs[c];
            return true;
        }
    }
    return false;
}

static bool early_leaver(const wpg_cfg *cfg, uint32_t b, uint32_t *with)
{
    const wpg_construct *c;
    if (!construct_of(cfg, b, &c) || c->kind == WPG_CONSTRUCT_LOOP || !c->leaves_early || c->changes_mask)
        return false;
    *with = c->merge;
    return true;
}

static bool demote_inside(const wpg_cfg *cfg, uint32_t b, uint32_t *with)
{
    const wpg_construct *c;
    if (!construct_of(cfg, b, &c) || c->kind == WPG_CONSTRUCT_LOOP || c->leaves_early || !c->changes_mask)
        return false;
    *with = c->merge;
    return true;
}

static bool loop_header_itself(const wpg_cfg *cfg, uint32_t b, uint32_t *with)
{
    const wpg_construct *c;
    if (!construct_of(cfg, b, &c) || c->kind != WPG_CONSTRUCT_LOOP || c->leaves_early || c->changes_mask)
        return false;
    *with = c->merge;
    return true;
}

static bool merge_that_heads_loop(const wpg_cfg *cfg, uint32_t b, uint32_t *with)
{
    const wpg_construct *c, *next;
    if (!construct_of(cfg, b, &c) || c->leaves_early || c->changes_mask || c->kind == WPG_CONSTRUCT_LOOP ||
        !construct_of(cfg, c->merge, &next) || next->kind != WPG_CONSTRUCT_LOOP)
        return false;
    *with = c->merge;
    return true;
}

/* Each condition of the rules is needed: without it some program shows a difference. */
static void test_broken_rules(void **state)
{
    (void)state;
    const struct {
        const char *name;
        broken_rule rule;
    } rules[] = {{"chain into a merge block", chain_into_merge},
                 {"chain over a demote", chain_over_demote},
                 {"construct left early", early_leaver},
                 {"demote inside", demote_inside},
                 {"loop header as its entry", loop_header_itself},
                 {"merge block that heads a loop", merge_that_heads_loop}};
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++) {
        bool caught = false;
        for (uint64_t seed = 1; seed <= 4000 && !caught; seed++) {
            subject s = {0};
            make(&s, seed, seed % 2, false);
            for (uint32_t b = 0, with; b < s.cfg->count; b++) {
                if (s.cfg->blocks[b].rpo != WPG_NO_BLOCK && rules[r].rule(s.cfg, b, &with))
                    caught |= !same_visits(s.run, b, with);
            }
            drop(&s);
        }
        if (!caught)
            fail_msg("not caught: %s", rules[r].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes), cmocka_unit_test(test_broken_rules)};
    return cmocka_run_group_tests_name("mask classes", tests, NULL, NULL);
}
