/* The what-if of `wavepgo estimate`: whatever a profile says of whatever control flow, cutting what never ran
 * gives a valid module; of a profile that can be, blocks that ran stay and those that did not go. */
#include "compiler/optimize/passes/cut_dead.h"
#include "compiler/optimize/ir/pass.h"
#include "tests/unit/compiler/analysis/program_spirv.h"
#include "tests/unit/compiler/optimize/use.h"

enum { KERNELS = 600, FORMS = 5 };

typedef struct cut_result {
    wpg_cut_info info;
    uint32_t before, after; /* blocks */
    uint32_t *words;
    size_t count;
} cut_result;

/* Cut, folded and valid. */
static void cut(cut_result *r, const use_shader *s, const char *name)
{
    wpg_error err = {0};
    wpg_module *module = NULL;
    const wpg_weights weights = {&s->weights, 1};
    wpg_normal_info folded = {0};
    *r = (cut_result){0};
    if (wpg_module_parse(&module, s->words, s->count, &err) != WPG_OK ||
        wpg_cut_dead(&r->info, module, &s->stage, &weights, &err) != WPG_OK)
        fail_msg("%s: %s", name, err.message);
    wpg_validate_options allowed = {.vulkan_minor = 1};
    if (wpg_fold_branches(module, &folded, &err) != WPG_OK ||
        wpg_module_emit(&r->words, &r->count, module, &err) != WPG_OK ||
        wpg_spirv_validate(r->words, r->count, &allowed, &err) != WPG_OK)
        fail_msg("%s: %s", name, err.message);
    r->before = s->weights.block_count;
    WPG_INST_EACH (inst, module)
        r->after += inst->opcode == SpvOpLabel;
    wpg_module_destroy(module);
}

static bool has_label(const cut_result *r, uint32_t id)
{
    wpg_module *module = NULL;
    assert_int_equal(wpg_module_parse(&module, r->words, r->count, NULL), WPG_OK);
    bool has = wpg_module_opcode_of(module, id) == SpvOpLabel;
    wpg_module_destroy(module);
    return has;
}

static uint32_t label_of(const use_shader *s, uint32_t block)
{
    wpg_module *module;
    wpg_view *view = use_view(&module, s);
    uint32_t id = view->cfg->blocks[block].id;
    wpg_view_destroy(view);
    wpg_module_destroy(module);
    return id;
}

static bool is_reachable(const use_shader *s, uint32_t block)
{
    wpg_module *module;
    wpg_view *view = use_view(&module, s);
    bool reachable = view->cfg->blocks[block].rpo != WPG_NO_BLOCK;
    wpg_view_destroy(view);
    wpg_module_destroy(module);
    return reachable;
}

static void from_program(use_shader *s, uint64_t seed)
{
    program p;
    program_words spirv;
    bool fragment = seed % 3 == 0;
    program_make(&p, seed, 3 + (int)(seed % 18), fragment);
    program_spirv(&spirv, &p, 64);
    *s = (use_shader){.stage = {.model = fragment ? SpvExecutionModelFragment : SpvExecutionModelGLCompute,
                                .entry = "main"}};
    s->count = spirv.words.count;
    s->words = malloc(s->count * sizeof *s->words);
    assert_non_null(s->words);
    memcpy(s->words, spirv.words.data, s->count * sizeof *s->words);
    wpg_vec_free(&spirv.words);
    program_finish(&p);
    use_normalize(s);
    use_profile(s);
}

/* Counts that need not fit anything; the entry ran. */
static void random_counts(use_shader *s, uint64_t seed, unsigned form)
{
    uint64_t random = seed * 2654435761u + form + 1;
    for (uint32_t b = 0; b < s->weights.block_count; b++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        bool ran = b == 0 || (uint32_t)(random >> 40) % 8 < (form == 1 ? 6 : form == 2 ? 4 : 2);
        s->waves[b] = form == 4 ? b == 0 : ran;
    }
}

/* A profile that can be: three lanes walk, with a liking for one way. False if one does not come to an end.
 */
static bool walk_counts(use_shader *s, uint64_t seed)
{
    wpg_module *module;
    wpg_view *view = use_view(&module, s);
    uint64_t random = seed * 977 + 5;
    bool ends = true;
    memset(s->waves, 0, s->weights.block_count * sizeof *s->waves);
    for (unsigned lane = 0; lane < 3 && ends; lane++) {
        uint32_t b = 0, steps = 0;
        for (; steps < 2000; steps++) {
            const wpg_block *block = &view->cfg->blocks[b];
            s->waves[b]++;
            if (!block->successor_count)
                break;
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            uint32_t way = (uint32_t)(random >> 40) % (2 * block->successor_count);
            b = block->successors[way < block->successor_count ? way : 0];
        }
        ends = steps < 2000;
    }
    wpg_view_destroy(view);
    wpg_module_destroy(module);
    return ends;
}

/* Every block that ran is there. */
static void expect_executed(const cut_result *r, const use_shader *s, const char *name)
{
    wpg_module *before, *after = NULL;
    wpg_view *view = use_view(&before, s);
    assert_int_equal(wpg_module_parse(&after, r->words, r->count, NULL), WPG_OK);
    for (uint32_t b = 0; b < s->weights.block_count; b++)
        if (s->waves[b] && wpg_module_opcode_of(after, view->cfg->blocks[b].id) != SpvOpLabel)
            fail_msg("%s: block %u ran and is gone", name, b);
    wpg_module_destroy(after);
    wpg_view_destroy(view);
    wpg_module_destroy(before);
}

static void every_profile_of_every_kernel(void **state)
{
    (void)state;
    unsigned decided = 0, cases = 0, undecided = 0, removed = 0, walked = 0, gone = 0;
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        use_shader s;
        cut_result r;
        char name[64];
        from_program(&s, seed);
        for (unsigned form = 1; form < FORMS; form++) {
            snprintf(name, sizeof name, "program %llu, profile %u", (unsigned long long)seed, form);
            random_counts(&s, seed, form);
            cut(&r, &s, name);
            assert_false(r.info.mismatch);
            decided += r.info.decided;
            cases += r.info.cases;
            undecided += r.info.undecided;
            removed += r.before - r.after;
            free(r.words);
        }
        if (walk_counts(&s, seed)) {
            snprintf(name, sizeof name, "program %llu, walked", (unsigned long long)seed);
            cut(&r, &s, name);
            walked++;
            gone += r.info.dead && r.after < r.before;
            assert_int_equal(r.info.undecided, 0);
            expect_executed(&r, &s, name);
            free(r.words);
        }
        use_free(&s);
    }
    assert_true(decided > KERNELS && cases > KERNELS / 10 && undecided && removed > KERNELS);
    assert_true(walked > KERNELS / 2 && gone > KERNELS / 4);
}

/* All counts alive: not a word changes. */
static void nothing_dead_changes_nothing(void **state)
{
    (void)state;
    use_shader s;
    wpg_error err = {0};
    wpg_module *module = NULL;
    wpg_cut_info info;
    uint32_t *words;
    size_t count;
    from_program(&s, 77);
    for (uint32_t b = 0; b < s.weights.block_count; b++)
        s.waves[b] = 1;
    const wpg_weights weights = {&s.weights, 1};
    assert_int_equal(wpg_module_parse(&module, s.words, s.count, &err), WPG_OK);
    assert_int_equal(wpg_cut_dead(&info, module, &s.stage, &weights, &err), WPG_OK);
    assert_int_equal(info.dead + info.decided + info.cases + info.undecided, 0);
    assert_true(info.blocks > 1);
    assert_int_equal(wpg_module_emit(&words, &count, module, &err), WPG_OK);
    assert_int_equal(count, s.count);
    assert_memory_equal(words, s.words, count * sizeof *words);
    free(words);
    wpg_module_destroy(module);
    use_free(&s);
}

/* Where the profile is no ground to stand on, nothing is cut. */
static void it_must_refuse(void **state)
{
    (void)state;
    use_shader s;
    cut_result r;
    from_program(&s, 78);
    for (uint32_t b = 0; b < s.weights.block_count; b++)
        s.waves[b] = 0; /* it never ran */
    cut(&r, &s, "never ran");
    assert_int_equal(r.info.unknown, 1);
    assert_int_equal(r.info.decided + r.info.cases, 0);
    free(r.words);
    s.waves[0] = 1;
    s.weights.checksum ^= 1;
    cut(&r, &s, "another shader");
    assert_true(r.info.mismatch);
    assert_int_equal(r.info.decided + r.info.cases, 0);
    free(r.words);
    s.weights.checksum ^= 1;
    s.weights.waves = s.weights.lanes = NULL;
    cut(&r, &s, "not measured");
    assert_int_equal(r.info.unknown, 1);
    assert_int_equal(r.info.decided + r.info.cases, 0);
    free(r.words);
    s.weights.waves = s.waves;
    bool *known = calloc(s.weights.block_count, sizeof *known);
    assert_non_null(known);
    known[0] = true;
    s.weights.known = known;
    cut(&r, &s, "known in part");
    assert_int_equal(r.info.dead + r.info.decided + r.info.cases, 0);
    free(r.words);
    free(known);
    wpg_cut_info info;
    wpg_error err;
    wpg_module *module = NULL;
    const wpg_weights weights = {&s.weights, 1};
    wpg_stage other = {.model = SpvExecutionModelVertex, .entry = "main"};
    assert_int_equal(wpg_module_parse(&module, s.words, s.count, &err), WPG_OK);
    assert_int_equal(wpg_cut_dead(&info, module, &other, &weights, &err), WPG_E_NOT_FOUND);
    wpg_module_destroy(module);
    use_free(&s);
}

/* Lanes stand in where waves were not measured. */
static void lanes_will_do(void **state)
{
    (void)state;
    use_shader s;
    cut_result r, by_lanes;
    from_program(&s, 121);
    random_counts(&s, 121, 2);
    cut(&r, &s, "waves");
    memcpy(s.lanes, s.waves, s.weights.block_count * sizeof *s.lanes);
    s.weights.waves = NULL;
    cut(&by_lanes, &s, "lanes");
    assert_true(r.info.decided);
    assert_int_equal(r.count, by_lanes.count);
    assert_memory_equal(r.words, by_lanes.words, r.count * sizeof *r.words);
    free(r.words);
    free(by_lanes.words);
    use_free(&s);
}

static void dead_code_of_a_shader_goes(void **state)
{
    (void)state;
    static const char source[] = USE_COMPUTE_HEAD
        "void main() {\n"
        "  uint i = gl_GlobalInvocationID.x, r = 0u;\n"
        "  if (src.data[i] > 7u) { for (int k = 0; k < params.n; ++k) r += src.data[i + uint(k)]; }\n"
        "  else r = 3u;\n"
        "  for (int k = 0; k < params.m; ++k) r ^= src.data[uint(k)] * 5u;\n"
        "  switch (params.n) { case 1: r += 11u; case 2: r *= 12u; break; case 3: r -= 13u; break;\n"
        "                      default: r ^= 14u; }\n"
        "  dst.data[i] = r;\n"
        "}\n";
    use_shader s;
    cut_result r;
    use_glsl(&s, source, "comp", SpvExecutionModelGLCompute);
    use_normalize(&s);
    use_profile(&s);
    /* Only what dominates the end, and what a block that ran leads to without a choice. */
    wpg_module *module;
    wpg_view *view = use_view(&module, &s);
    uint32_t last = 0, kept = 0;
    for (uint32_t b = 0; b < view->cfg->count; b++)
        if (view->cfg->blocks[b].terminator->opcode == SpvOpReturn)
            last = b;
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        bool always = wpg_cfg_dominates(view->cfg, b, last);
        s.waves[b] = always;
        kept += always;
    }
    /* The `else`, and case 3. */
    for (uint32_t b = 0; b < view->cfg->count; b++)
        if (view->cfg->blocks[b].terminator->opcode == SpvOpBranchConditional &&
            view->cfg->blocks[b].loop == WPG_NO_BLOCK) {
            uint32_t no = wpg_cfg_find(view->cfg, view->cfg->blocks[b].terminator->words[3]);
            s.waves[no] = 1;
            kept++;
        } else if (view->cfg->blocks[b].terminator->opcode == SpvOpSwitch) {
            const wpg_inst *choice = view->cfg->blocks[b].terminator;
            s.waves[wpg_cfg_find(view->cfg, choice->words[8])] = 1;
            kept++;
        }
    wpg_view_destroy(view);
    wpg_module_destroy(module);
    cut(&r, &s, "shader");
    assert_int_equal(r.info.undecided, 0);
    assert_int_equal(r.info.decided, 2); /* the if, the loop that had no trips */
    assert_int_equal(r.info.cases, 3);
    uint32_t gone = 0;
    for (uint32_t b = 0; b < s.weights.block_count; b++) {
        bool there = has_label(&r, label_of(&s, b));
        if (s.waves[b])
            assert_true(there);
        else if (is_reachable(&s, b))
            gone += !there;
    }
    assert_int_equal(r.info.dead, r.info.blocks - kept);
    assert_true(gone + 1 >= r.info.dead); /* the loop that stays keeps an empty continue target */
    char *text = disassemble(r.words, r.count);
    assert_non_null(text);
    assert_null(strstr(text, "OpIMul")); /* case 2, and the body of the second loop */
    free(text);
    free(r.words);
    use_free(&s);
}

/* It is no pass, and stays none. */
static void no_pass_cuts(void **state)
{
    (void)state;
    for (size_t i = 0; i < wpg_pass_count; i++) {
        assert_null(strstr(wpg_passes[i].name, "cut"));
        assert_null(strstr(wpg_passes[i].name, "dead"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_profile_of_every_kernel),
        cmocka_unit_test(nothing_dead_changes_nothing),
        cmocka_unit_test(it_must_refuse),
        cmocka_unit_test(lanes_will_do),
        cmocka_unit_test(dead_code_of_a_shader_goes),
        cmocka_unit_test(no_pass_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
