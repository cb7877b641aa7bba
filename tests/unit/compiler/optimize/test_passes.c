/* What LLVM's profcheck asks of its passes, asked of each of ours (wpg_passes): biased synthetic weights in;
 * after the pass lanes conserve flow through the blocks it made, waves obey max(arms) <= header <= sum(arms),
 * and in the module that comes out each conditional branch carries weights or is called unknown by a pass. */
#include <dirent.h>

#include "compiler/optimize/ir/pass.h"
#include "compiler/optimize/ir/weights_check.h"
#include "tests/support/pass_check.h"
#include "tests/unit/compiler/optimize/biased.h"

enum { MOST_SHADERS = 64 };

static struct {
    use_shader shaders[MOST_SHADERS];
    char *names[MOST_SHADERS];
    size_t count;
} all;

static const char *stage_of(const char *name, SpvExecutionModel *model)
{
    static const struct {
        const char *end;
        SpvExecutionModel model;
    } stages[] = {{"comp", SpvExecutionModelGLCompute},
                  {"frag", SpvExecutionModelFragment},
                  {"vert", SpvExecutionModelVertex}};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof stages / sizeof *stages; i++)
        if (strcmp(dot + 1, stages[i].end) == 0) {
            *model = stages[i].model;
            return stages[i].end;
        }
    return NULL;
}

/* Every GLSL file of the folder that is in normal form and whose lanes end. */
static void take_folder(const char *folder)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", WPG_SOURCE_DIR, folder);
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        SpvExecutionModel model;
        const char *stage = stage_of(entries[i]->d_name, &model);
        snprintf(path, sizeof path, "%s/%s/%s", WPG_SOURCE_DIR, folder, entries[i]->d_name);
        char *text = stage && all.count < MOST_SHADERS ? read_text(path) : NULL;
        use_shader s;
        if (text && !strstr(text, "#include")) { /* the assembler takes one file */
            use_glsl(&s, text, stage, model);
            use_normalize(&s);
            if (biased_profile(&s, 2)) {
                all.names[all.count] = strdup(entries[i]->d_name);
                all.shaders[all.count++] = s;
            } else {
                use_free(&s);
            }
        }
        free(text);
        free(entries[i]);
    }
    free(entries);
}

static int take_all(void **state)
{
    (void)state;
    take_folder("tests/golden/optimize");
    take_folder("shaders");
    assert_true(all.count > 10);
    return 0;
}

static int drop_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < all.count; i++) {
        use_free(&all.shaders[i]);
        free(all.names[i]);
    }
    return 0;
}

static void expect_none(test_faults faults, const char *shader, const char *pass)
{
    if (faults.count)
        fail_msg("%s after %s: %s (one of %llu)", shader, pass, faults.first,
                 (unsigned long long)faults.count);
}

/* Letters of every pass but one, and not of annotate when `hints`. */
static void leave_out_others(wpg_optimize_options *options, const wpg_pass *pass, bool hints)
{
    wpg_optimize_defaults(options);
    options->unflatten_cost = 8;
    options->max_growth = 1000;
    options->scalarise = true;
    size_t at = 0;
    for (size_t i = 0; i < wpg_pass_count; i++)
        if (&wpg_passes[i] != pass && (wpg_passes[i].wanted || !hints))
            options->passes[at++] = wpg_passes[i].letter;
}

/* The counts that the synthetic profile starts with are themselves without fault. */
static void counts_fit_before(void **state)
{
    (void)state;
    for (size_t i = 0; i < all.count; i++) {
        const use_shader *s = &all.shaders[i];
        wpg_module *module;
        wpg_view *view = use_view(&module, s);
        wpg_arena arena;
        wpg_arena_init(&arena);
        wpg_weights_findings findings = {0};
        assert_int_equal(wpg_weights_check(&findings, view->cfg, &s->weights, WPG_CHECK_COUNTS, 0, &arena),
                         WPG_OK);
        if (findings.total)
            fail_msg("%s: %s", all.names[i], findings.items[0].text);
        wpg_arena_finish(&arena);
        wpg_view_destroy(view);
        wpg_module_destroy(module);
    }
}

/* One pass on one shader, by hand, so that the tables it leaves can be looked at; true if it did something.
 */
static bool tables_fit_after(const use_shader *s, const char *name, const wpg_pass *pass)
{
    wpg_optimize_options options;
    wpg_remarks remarks = {0};
    wpg_weights weights = {&s->weights, 1};
    wpg_module *module = NULL, *values = NULL;
    wpg_error err = {0};
    bool changed = false;
    leave_out_others(&options, pass, false);
    wpg_arena_init(&remarks.arena);
    assert_int_equal(wpg_module_parse(&module, s->words, s->count, &err), WPG_OK);
    wpg_context context = {
        .module = module, .stage = &s->stage, .options = &options, .remarks = &remarks, .err = &err};
    assert_int_equal(wpg_profiles_bind(&context, &weights), WPG_OK);
    assert_int_equal(context.profile_count, 1);
    if (pass->wanted)
        (void)pass->wanted(&context, &context.profiles[0]);
    assert_int_equal(wpg_ssa_form(&values, &context, wpg_ssa_tier), WPG_OK);
    if (values)
        context.module = values;
    assert_int_equal(pass->run(&changed, &context, &context.profiles[0]), WPG_OK);
    expect_none(test_profile_faults(&context, &context.profiles[0]), name, pass->name);
    wpg_profiles_finish(&context);
    wpg_module_destroy(module);
    wpg_module_destroy(values);
    wpg_arena_finish(&remarks.arena);
    return changed;
}

static void branches_fit_after(const use_shader *s, const char *name, const wpg_pass *pass)
{
    wpg_optimize_options options;
    use_result r;
    use_shader out = {0};
    wpg_module *module;
    leave_out_others(&options, pass, true);
    use_run(&r, s, &options, true);
    out.words = r.words;
    out.count = r.count;
    wpg_view *view = use_view(&module, &out);
    expect_none(test_branch_faults(view->cfg, r.remarks->unknown, r.remarks->unknown_count), name,
                pass->name);
    wpg_view_destroy(view);
    wpg_module_destroy(module);
    use_done(&r);
}

static void every_pass_keeps_the_profile(void **state)
{
    (void)state;
    for (size_t p = 0; p < wpg_pass_count; p++) {
        unsigned did = 0;
        for (size_t i = 0; i < all.count; i++) {
            did += tables_fit_after(&all.shaders[i], all.names[i], &wpg_passes[p]);
            branches_fit_after(&all.shaders[i], all.names[i], &wpg_passes[p]);
        }
        if (!did)
            fail_msg("%s did nothing to any of %zu shaders: nothing was tested", wpg_passes[p].name,
                     all.count);
    }
}

/* Tuning tries every pass that stands in the table: what it does not know is left out where a verdict is
 * applied. */
static void every_pass_is_tuned(void **state)
{
    (void)state;
    const char *letters = WPG_TUNED_PASSES;
    for (size_t i = 0; i < wpg_pass_count; i++)
        assert_non_null(strchr(letters, wpg_passes[i].letter));
    for (size_t i = 1; letters[i]; i++)
        assert_true(letters[i - 1] < letters[i]); /* sets are written in this order */
}

/* Lost is what was done and is refused now, at the same block; not what is done still, what nothing is said
 * of, or a hint. */
static void what_is_lost_is_named(void **state)
{
    (void)state;
    wpg_remark done[] = {{WPG_REMARK_DONE, "annotate", 0, 0, "weights"},
                         {WPG_REMARK_DONE, "trip-guard", 0, 3, "its trips are constant now"},
                         {WPG_REMARK_DONE, "unflatten", 0, 4, "still"},
                         {WPG_REMARK_DONE, "value-guard", 1, 4, "gone"}};
    wpg_remark later[] = {{WPG_REMARK_REFUSED, "annotate", 0, 0, "no weights"},
                          {WPG_REMARK_REFUSED, "unflatten", 0, 4, "one of two"},
                          {WPG_REMARK_DONE, "unflatten", 0, 4, "the other"},
                          {WPG_REMARK_REFUSED, "value-guard", 0, 4, "of another function"},
                          {WPG_REMARK_REFUSED, "value-guard", 1, 4, "counted trips"}};
    wpg_remarks before = {.items = done, .count = 4}, now = {.items = later, .count = 5};
    assert_ptr_equal(wpg_remarks_lost(&before, &now), &done[3]);
    wpg_remarks *copy = wpg_remarks_copy(&before);
    assert_non_null(copy);
    assert_string_equal(wpg_remarks_lost(copy, &now)->text, "gone");
    wpg_remarks_destroy(copy);
    now.count = 4;
    assert_null(wpg_remarks_lost(&before, &now));
    assert_null(wpg_remarks_lost(NULL, &now));
    assert_null(wpg_remarks_lost(&before, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_fit_before),
        cmocka_unit_test(every_pass_is_tuned),
        cmocka_unit_test(every_pass_keeps_the_profile),
        cmocka_unit_test(what_is_lost_is_named),
    };
    return cmocka_run_group_tests(tests, take_all, drop_all);
}
