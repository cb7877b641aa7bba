/* Random fragment shaders in the forms that front ends make (tests/support/front_ends.h), drawn as they are
 * and as use mode makes them: equal bits, for the words that the profile has and for others.
 *
 *     test_front_ends [old]      old: the driver of WPG_LVP_ICD_OLD, else the system's
 *
 *     WPG_RANDOM_KERNELS=N       how many shaders
 *     WPG_RANDOM_SEED=N          the first seed (1)
 *
 * Every third shader has no version, so that guards, unswitching and peeling find their loops; every
 * second of these only the last. Every fourth
 * has weights that FLOAT lets fall away: its floats may be rounded otherwise for the words of the profile. */
#include "tests/support/driver.h"
#include "tests/support/front_ends.h"
#include "tests/unit/compiler/optimize/biased.h"
#include "tests/unit/compiler/optimize/words_driver.h"

enum { WIDTH = 20, HEIGHT = 12, PIXELS = WIDTH * HEIGHT, TRIANGLES = 3, PARTS_OF_PIXEL = 4, ROUNDS = 3 };

/* What one shader is used with. */
typedef struct usage {
    uint32_t held[FRONT_END_WORDS], pushed[FRONT_END_BOUNDS];
} usage;

typedef struct picture {
    uint32_t words[FRONT_END_OUTPUTS][PIXELS][PARTS_OF_PIXEL];
} picture;

static const char vertex_source[] =
    "#version 450\nlayout(location = 0) out vec2 at;\n"
    "void main() { vec2 p[9] = vec2[](vec2(-1.0, -1.0), vec2(3.0, -1.0), vec2(-1.0, 3.0),"
    " vec2(-0.9, -0.7), vec2(0.8, -0.2), vec2(-0.3, 0.9), vec2(0.1, -0.95), vec2(0.97, 0.4), vec2(-0.5, "
    "0.3));\n"
    "at = p[gl_VertexIndex] * 0.43 + vec2(0.9, 0.6) + float(gl_VertexIndex / 3) * 0.21;\n"
    "gl_Position = vec4(p[gl_VertexIndex], 0.0, 1.0); }";
static uint32_t *vertex_words;
static size_t vertex_count;

static void draw_picture(picture *out, const uint32_t *words, size_t count, const usage *with)
{
    vkc_buffer uniform, colours[FRONT_END_OUTPUTS];
    uint32_t push[VKC_PUSH_BYTES / 4] = {0};
    assert_true(vkc_buffer_make(&uniform, device, sizeof with->held));
    memcpy(uniform.data, with->held, sizeof with->held);
    memcpy(push, with->pushed, sizeof with->pushed);
    vkc_job job = {.words = words,
                   .word_count = count,
                   .bindings = {{&uniform, VKC_UNIFORM}},
                   .binding_count = 1,
                   .push = push,
                   .vertex_words = vertex_words,
                   .vertex_word_count = vertex_count,
                   .vertices = 3 * TRIANGLES,
                   .width = WIDTH,
                   .height = HEIGHT,
                   .colour_count = FRONT_END_OUTPUTS};
    for (unsigned c = 0; c < FRONT_END_OUTPUTS; c++) {
        assert_true(vkc_buffer_make(&colours[c], device, sizeof out->words[c]));
        job.colours[c].buffer = &colours[c];
        job.colours[c].kind = c == 1 ? VKC_FLOATS : VKC_UINTS;
    }
    assert_true(vkc_run(device, &job, NULL));
    for (unsigned c = 0; c < FRONT_END_OUTPUTS; c++) {
        memcpy(out->words[c], colours[c].data, sizeof out->words[c]);
        vkc_buffer_free(&colours[c], device);
    }
    vkc_buffer_free(&uniform, device);
}

/* -- A profile ----------------------------------------------------------------------------------------- */

/* What the value of a site is, if it is a word of the block; else a one. */
static uint32_t site_value(const wpg_module *module, const wpg_value_site *site, const usage *with)
{
    const wpg_inst *inst = site->reload ? site->reload : wpg_module_def(module, site->value);
    wpg_word_place place;
    uint32_t part = 0;
    while (inst && inst->opcode == SpvOpBitcast)
        inst = wpg_module_def(module, inst->words[3]);
    if (inst && inst->opcode == SpvOpCompositeExtract) {
        part = inst->words[4];
        inst = wpg_module_def(module, inst->words[3]);
    }
    if (!inst || inst->opcode != SpvOpLoad || !wpg_word_place_of(&place, module, inst))
        return 1;
    if (place.count == 1 && wpg_module_def(module, inst->type)->opcode == SpvOpTypeVector)
        place.indices[place.count++] = site->part ? site->part - 1 : part;
    const wpg_inst *variable = wpg_module_def(module, place.variable);
    uint32_t number = words_number(&place);
    if (variable->words[3] == SpvStorageClassPushConstant)
        return number < FRONT_END_BOUNDS ? with->pushed[number] : 1;
    return variable->words[3] == SpvStorageClassUniform && number < FRONT_END_WORDS ? with->held[number] : 1;
}

/* Every value site saw what it has. */
static void give_values(use_shader *s, const usage *with)
{
    wpg_module *module = NULL;
    wpg_view *view = use_view(&module, s);
    wpg_divergence *divergence;
    wpg_value_site *sites;
    wpg_arena arena;
    uint32_t count;
    wpg_arena_init(&arena);
    if (!s->values)
        biased_add_values(s, 1);
    assert_int_equal(wpg_divergence_compute(&divergence, view->cfg, &arena), WPG_OK);
    assert_int_equal(wpg_value_sites(&sites, &count, view->cfg, divergence, &arena), WPG_OK);
    free(s->share);
    s->share = calloc(count + 1u, sizeof *s->share);
    for (uint32_t i = 0; i < count; i++) {
        s->share[i] = (wpg_value_share){site_value(module, &sites[i], with), BIASED_WAVES};
        s->values[i].shares = s->values[i].shares ? &s->share[i] : NULL;
    }
    wpg_arena_finish(&arena);
    wpg_view_destroy(view);
    wpg_module_destroy(module);
}

static bool is_steady(unsigned k)
{
    return k % 4 == 3;
}

static bool has_version(unsigned k)
{
    return k % 3 != 2 && vkc_mesa_major(device) >= 23;
}

static bool has_peel_alone(unsigned k)
{
    return k % 6 == 5;
}

/* Is the profile of all rounds' words, each a third of the waves? Else of the first round's alone. */
static bool is_of_several(unsigned k)
{
    return k % 3 == 1;
}

/* A visit for each round; what is not equal in all of them is no steady word. */
static void give_visits(use_shader *s, wpg_value_share *shares, wpg_word_visit visits[ROUNDS],
                        uint32_t bits[ROUNDS][WORDS_MOST], const usage rounds[ROUNDS])
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        words_of(bits[round], s, rounds[round].held);
        visits[round] = (wpg_word_visit){333, bits[round]};
        for (uint32_t i = 0; i < s->weights.word_count; i++)
            shares[i].waves = bits[round][i] == bits[0][i] ? shares[i].waves : 333;
    }
    s->weights.visits = visits;
    s->weights.visit_count = ROUNDS;
}

static void optimise(use_result *r, use_shader *s, unsigned k, const usage rounds[ROUNDS], uint32_t *seed)
{
    const usage *with = &rounds[0];
    uint32_t bits[ROUNDS][WORDS_MOST];
    wpg_word_visit visits[ROUNDS];
    static const uint32_t trips[] = {1, 2, 4, 6, 8};
    wpg_value_weight words[WORDS_MOST];
    wpg_value_share shares[WORDS_MOST];
    wpg_push_value pushes[FRONT_END_BOUNDS];
    uint32_t values[WORDS_MOST];
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    options.max_growth = 1000;
    options.unflatten_cost = 4;
    options.floats = is_steady(k) ? WPG_FLOAT_FRAGMENTS : WPG_FLOAT_STRICT;
    if (vkc_mesa_major(device) < 23) { /* as layer/base/features.c */
        (void)snprintf(options.passes, sizeof options.passes, "celtv");
        options.keep_trips = true;
    } else if (!has_version(k)) {
        (void)snprintf(options.passes, sizeof options.passes, has_peel_alone(k) ? "clt" : "c");
    }
    options.pushes = pushes;
    for (uint32_t i = 0; k % 4 == 1 && i < FRONT_END_BOUNDS; i++)
        pushes[options.push_count++] = (wpg_push_value){4 * i, with->pushed[i]};
    for (unsigned l = 0; l < 16; l++)
        s->trips[l] = trips[next(seed) % 5];
    words_of(values, s, with->held);
    unsigned kind =
        has_peel_alone(k) ? 1 : next(seed) % 4; /* all lanes alike; or each its way, the first trip another */
    if (kind == 0)
        use_profile(s);
    else
        assert_true(biased_profile_of(s, 1, kind == 1));
    give_values(s, with);
    words_give(s, words, shares, values, 1000);
    if (is_of_several(k))
        give_visits(s, shares, visits, bits, rounds);
    use_run(r, s, &options, true);
    s->weights.visits = NULL;
    s->weights.visit_count = 0;
    s->weights.words = NULL;
    s->weights.word_count = 0;
}

/* -- Shaders ------------------------------------------------------------------------------------------- */

static void first_words(usage *with, uint32_t *seed)
{
    static const uint32_t some[] = {0, 1, 2, 3, 7, 100, (uint32_t)-1, (uint32_t)-5, 0x80000000u};
    static const uint32_t weights[] = {0, 0x3f800000, 0, 0x3f000000, 0x3f800000};
    for (unsigned w = 0; w < FRONT_END_WORDS; w++)
        with->held[w] = w < FRONT_END_BOUNDS   ? next(seed) % 6
                        : w < FRONT_END_FLOATS ? some[next(seed) % 9]
                                               : weights[next(seed) % 5];
    for (unsigned w = 0; w < FRONT_END_BOUNDS; w++)
        with->pushed[w] = next(seed) % 6;
}

/* A word more or less; then all of them. Push constants stay: the result is for these alone. */
static void other_words(usage *with, unsigned round, uint32_t *seed)
{
    usage all;
    first_words(&all, seed);
    unsigned one = next(seed) % FRONT_END_WORDS;
    for (unsigned w = 0; w < FRONT_END_WORDS; w++) {
        if (round == 1 && w != one)
            continue;
        with->held[w] = w < FRONT_END_BOUNDS && next(seed) % 2 ? next(seed) % 10 : all.held[w];
        if (w >= FRONT_END_FLOATS && next(seed) % 2)
            with->held[w] = 0x3fa00000u + w; /* 1.25 and a little: never counted */
    }
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

/* Bits, but for the payload of a NaN. 0: equal; 1: rounded otherwise; 2: not equal. */
static unsigned difference(unsigned colour, uint32_t a, uint32_t b)
{
    if (a == b || (colour == 1 && is_nan(a) && is_nan(b)))
        return 0;
    return colour == 1 && is_near(a, b, 1e-3f) ? 1 : 2;
}

/* The worst difference of a part of a pixel; *at says where. */
static unsigned compare(const picture *before, const picture *after, unsigned *at)
{
    unsigned worst = 0;
    for (unsigned i = 0; i < FRONT_END_OUTPUTS * PIXELS * PARTS_OF_PIXEL; i++) {
        unsigned found = difference(i / (PIXELS * PARTS_OF_PIXEL), (&before->words[0][0][0])[i],
                                    (&after->words[0][0][0])[i]);
        *at = found > worst ? i : *at;
        worst = found > worst ? found : worst;
    }
    return worst;
}

enum { VERSIONS, PUSH_FOLD, VALUE_GUARD, TRIP_GUARD, UNSWITCH, PEEL, UNFLATTEN, PASSES };
static const char *const passes[PASSES] = {"versions", "push-fold", "value-guard", "trip-guard",
                                           "unswitch", "peel",      "unflatten"};

typedef struct tally {
    unsigned shaders, forms[FRONT_END_FORMS], done[PASSES];
    unsigned freed;   /* versions with optimisation barriers */
    unsigned several; /* shaders with more than one version */
    unsigned weights; /* of which a weight of 0 fell away */
    unsigned told;    /* whose picture hangs on the words */
    unsigned rounded;
} tally;

static void count(tally *t, const front_end_shader *shader, const use_result *r)
{
    t->shaders++;
    for (unsigned f = 0; f < FRONT_END_FORMS; f++)
        t->forms[f] += shader->forms[f] != 0;
    for (unsigned p = 0; p < PASSES; p++)
        t->done[p] += use_said(r, WPG_REMARK_DONE, passes[p], "") != 0;
    t->weights += use_said(r, WPG_REMARK_DONE, "versions", "had a weight of 0") &&
                  !use_said(r, WPG_REMARK_DONE, "versions", " 0 operations");
    t->several +=
        use_occurrences(r, "OpFunctionCall") > 2 && use_said(r, WPG_REMARK_DONE, "versions", "of waves");
    t->freed += use_said(r, WPG_REMARK_DONE, "versions", "") && use_occurrences(r, "OpBitwiseOr") > 8;
}

static void one_shader(tally *t, unsigned k)
{
    static picture first, before, after;
    front_end_shader shader;
    use_shader s = {.stage = {.model = SpvExecutionModelFragment, .entry = "main"}};
    use_result r;
    usage rounds[ROUNDS];
    uint32_t seed = 1973 * k + 11;
    if (getenv("WPG_TEST_VERBOSE"))
        fprintf(stderr, "seed %u\n", k);
    front_end_make(&shader, &(front_end_job){.frame = FRONT_END_FRAGMENT,
                                             .seed = k,
                                             .statements = 8 + k % 5 * 3,
                                             .pushes = k % 4 == 1,
                                             .steady = is_steady(k)});
    if (!assemble_text(&s.words, &s.count, shader.text, "spv1.3"))
        fail_msg("seed %u: assembly fails\n%s", k, shader.text);
    first_words(&rounds[0], &seed);
    for (unsigned round = 1; round < ROUNDS; round++) {
        rounds[round] = rounds[round - 1];
        other_words(&rounds[round], round, &seed);
    }
    optimise(&r, &s, k, rounds, &seed);
    count(t, &shader, &r);
    bool told = false;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned at = 0;
        draw_picture(&before, s.words, s.count, &rounds[round]);
        draw_picture(&after, r.words, r.count, &rounds[round]);
        unsigned worst = compare(&before, &after, &at);
        bool may_round = is_steady(k) && (round == 0 || is_of_several(k));
        t->rounded += worst && may_round;
        if (worst > may_round) {
            unsigned in_colour = at % (PIXELS * PARTS_OF_PIXEL);
            if (getenv("WPG_TEST_VERBOSE"))
                printf("%s\n-- optimised --\n%s\n", shader.text, r.text);
            fail_msg("seed %u, round %u: colour %u of pixel %u, %u, part %u has %08x, had %08x", k, round,
                     at / (PIXELS * PARTS_OF_PIXEL), in_colour / PARTS_OF_PIXEL % WIDTH,
                     in_colour / PARTS_OF_PIXEL / WIDTH, in_colour % PARTS_OF_PIXEL,
                     (&after.words[0][0][0])[at], (&before.words[0][0][0])[at]);
        }
        if (round == 0)
            first = before;
        told |= memcmp(&first, &before, sizeof first) != 0;
    }
    t->told += told;
    use_done(&r);
    use_free(&s);
    front_end_finish(&shader);
}

static unsigned setting(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text && *text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static void random_fragments(void **state)
{
    (void)state;
    if (!device || !vkc_has_stage(device, VKC_FRAGMENT))
        skip();
    tally t = {0};
    unsigned from = setting("WPG_RANDOM_SEED", 1);
    unsigned shaders = setting("WPG_RANDOM_KERNELS", effort_count(24, 200));
    assert_true(assemble_glsl(&vertex_words, &vertex_count, vertex_source, "vert", "vulkan1.1"));
    for (unsigned k = from; k - from < shaders; k++)
        one_shader(&t, k);
    free(vertex_words);
    printf("random fragment shaders: %u; that the words change %u; rounded otherwise %u\n", t.shaders, t.told,
           t.rounded);
    printf("  several versions %u\n", t.several);
    printf("  versions with barriers %u, with weights of 0 %u\n", t.freed, t.weights);
    for (unsigned p = 0; p < PASSES; p++)
        printf("  %s %u\n", passes[p], t.done[p]);
    for (unsigned f = 0; f < FRONT_END_FORMS; f++)
        printf("  %s %u\n", front_end_form_names[f], t.forms[f]);
    if (shaders < 200 && (shaders < 24 || from != 1))
        return; /* of few anything may be missing */
    for (unsigned f = 0; f < FRONT_END_FORMS; f++)
        if (t.forms[f] * 24 < shaders)
            fail_msg("%s in %u shaders alone", front_end_form_names[f], t.forms[f]);
    assert_true(t.told * 3 >= shaders * 2);
    assert_true(t.done[PUSH_FOLD] * 24 >= shaders && t.done[UNFLATTEN] * 12 >= shaders);
    if (vkc_mesa_major(device) < 23)
        return;
    assert_true(t.done[VERSIONS] * 4 >= shaders && t.done[TRIP_GUARD] * 24 >= shaders);
    if (shaders >= 200)
        assert_true(t.freed && t.weights && t.several && t.done[VALUE_GUARD] && t.done[UNSWITCH]);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "old") == 0) {
        const char *old = getenv("WPG_LVP_ICD_OLD");
        old = old && *old ? old : system_software_driver();
        if (old)
            (void)setenv("WPG_LVP_ICD", old, 1);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_fragments)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
