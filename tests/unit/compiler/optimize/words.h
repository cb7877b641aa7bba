/* What the tests of versions share: a run of use mode on a shader whose words of uniform blocks had given
 * values. Header only. */
#ifndef WPG_TESTS_UNIT_COMPILER_OPTIMIZE_WORDS_H
#define WPG_TESTS_UNIT_COMPILER_OPTIMIZE_WORDS_H

#include "compiler/analysis/values/value_sites.h"
#include "compiler/analysis/values/word_sites.h"
#include "tests/unit/compiler/optimize/use.h"

enum { WORDS_MOST = 32 };

/* Which word of its block a site is: members are words, or vectors of four; or the one member is an array of
 * vectors. */
USE uint32_t words_number(const wpg_word_place *place)
{
    if (place->count == 3)
        return 4 * place->indices[1] + place->indices[2];
    return place->count == 1 ? place->indices[0] : 4 * place->indices[0] + place->indices[1];
}

/* The values of the shader's word sites, which come in an order of their own, where its one block holds
 * `held`. */
USE void words_of(uint32_t values[WORDS_MOST], use_shader *s, const uint32_t *held)
{
    wpg_module *module = NULL;
    wpg_word_site *sites;
    wpg_arena arena;
    uint32_t count;
    use_normalize(s);
    wpg_view *view = use_view(&module, s);
    wpg_arena_init(&arena);
    assert_int_equal(wpg_word_sites(&sites, &count, view->cfg, &arena), WPG_OK);
    assert_in_range(count, 0, WORDS_MOST);
    for (uint32_t i = 0; i < count; i++)
        values[i] = held[words_number(&sites[i].place)];
    wpg_arena_finish(&arena);
    wpg_view_destroy(view);
    wpg_module_destroy(module);
}

/* Gives the profile of a normalised shader these values of its words, in the order of sites, in `waves` of
 * 1000. `values` are WORDS_MOST or as many as the shader has sites; `words` and `shares` are WORDS_MOST and
 * stay the caller's. */
USE void words_give(use_shader *s, wpg_value_weight *words, wpg_value_share *shares, const uint32_t *values,
                    uint64_t waves)
{
    wpg_module *module = NULL;
    wpg_word_site *sites;
    wpg_arena arena;
    uint32_t count;
    wpg_view *view = use_view(&module, s);
    wpg_arena_init(&arena);
    assert_int_equal(wpg_word_sites(&sites, &count, view->cfg, &arena), WPG_OK);
    assert_in_range(count, 0, WORDS_MOST);
    for (uint32_t i = 0; i < count; i++) {
        shares[i] = (wpg_value_share){values[i], waves};
        words[i] = (wpg_value_weight){.kind = WPG_VALUE_WORD,
                                      .type = sites[i].type,
                                      .asked = 1000,
                                      .agreed = 1000,
                                      .shares = &shares[i],
                                      .share_count = 1};
    }
    s->weights.words = words;
    s->weights.word_count = count;
    wpg_arena_finish(&arena);
    wpg_view_destroy(view);
    wpg_module_destroy(module);
}

/* A use of the shader, whose words had these values (words_give). */
USE void words_use(use_result *r, use_shader *s, const uint32_t *values, uint64_t waves,
                   const wpg_optimize_options *options)
{
    wpg_value_weight words[WORDS_MOST];
    wpg_value_share shares[WORDS_MOST];
    use_normalize(s); /* again, for some: a normal form stays what it is */
    use_profile(s);
    words_give(s, words, shares, values, waves);
    use_run(r, s, options, true);
    s->weights.words = NULL;
    s->weights.word_count = 0;
}

/* The same of a source text behind "#version 450". */
USE void words_run(use_result *r, const char *head, const char *body, const char *stage,
                   SpvExecutionModel model, const uint32_t *values, uint64_t waves,
                   const wpg_optimize_options *options)
{
    char source[4096];
    use_shader s;
    snprintf(source, sizeof source, "#version 450\n%s%s", head, body);
    use_glsl(&s, source, stage, model);
    words_use(r, &s, values, waves, options);
    use_free(&s);
}

#endif
