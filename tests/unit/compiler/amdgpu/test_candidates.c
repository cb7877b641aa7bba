/* One profile, several ways to compile by it: figures, choice, refusals, and that the weights reach the
 * machine's blocks. With an argument prints what shaders/measured has: `table`, the microbenchmarks of the
 * RFC; `survey`, all shaders. */
#include "tests/unit/compiler/amdgpu/amdgpu_test.h"

#include <glob.h>
#include <math.h>
#include <unistd.h>

#include <llvm-c/IRReader.h>

#include "compiler/amdgpu/profile/candidates.h"
#include "compiler/amdgpu/driver/emit.h"
#include "compiler/amdgpu/llvm/machine.h"
#include "compiler/amdgpu/profile/weights.h"
#include "tests/unit/compiler/amdgpu/ir_walk.h"
#include "tests/support/effort.h"

typedef struct profiling {
    ir_walk_options walk;
    wpg_amdgpu_counts counts;
    uint64_t coins;
} profiling;

static wpg_status profile(void *data, LLVMModuleRef module, LLVMValueRef function,
                          const wpg_translation_options *options, wpg_error *err)
{
    profiling *p = data;
    wpg_blocks blocks;
    (void)module;
    WPG_TRY(wpg_blocks_of(&blocks, function, err));
    p->walk.wave_size = options->wave_size;
    p->coins = ir_walk_run(&p->counts, &blocks, &p->walk);
    wpg_blocks_finish(&blocks);
    return WPG_OK;
}

/* A profile of the shader; ir_counts_free. */
static void take_profile(profiling *p, const amd_shader *s, wpg_amdgpu_options options)
{
    wpg_amdgpu_code *code;
    wpg_error err = {0};
    options.until = WPG_AMDGPU_STRUCTURISED;
    if (wpg_amdgpu_compile_hooked(&code, s->module, &s->stage, &options, profile, p, &err) != WPG_OK)
        fail_msg("%s", err.message);
    wpg_amdgpu_code_destroy(code);
}

static bool open_shader(amd_shader *s, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/shaders/%s.comp.spv", WPG_BINARY_DIR, name);
    if (access(path, R_OK) != 0)
        return false;
    amd_open_file(s, path);
    return true;
}

static const ir_walk_options made_up = {.waves = 24, .group_lanes = 80, .seed = 1, .steps = 300};

static void check_table(const wpg_amdgpu_use *use, const char *name)
{
    const wpg_amdgpu_candidate *none = &use->candidates[WPG_WEIGHTS_NONE], *chosen = NULL;
    for (unsigned i = 0; i < WPG_WEIGHTS_KINDS; i++) {
        const wpg_amdgpu_candidate *c = &use->candidates[i];
        if (c->status != WPG_OK)
            fail_msg("%s, %s: %s", name, wpg_weights_name(c->from), c->why);
        assert_true(*c->why && c->score.instructions > 0 && c->score.blocks > 0);
        /* Code generation's own blocks may be many only where it splits edges. */
        assert_true(c->score.foreign < c->score.blocks);
        assert_false(c->chosen && chosen);
        if (c->chosen)
            chosen = c;
    }
    assert_non_null(chosen);
    assert_true(chosen->score.scratch <= none->score.scratch);
    assert_true(chosen->figures.occupancy >= none->figures.occupancy);
}

/* Every compute shader by a made-up profile; twice, the same. */
static void every_shader(void **state)
{
    (void)state;
    static const struct amd_target targets[] = {{"gfx1100", 32}, {"gfx90a", 64}};
    static const char *const patterns[] = {"shaders/*.comp.spv", "tests/e2e/spirv/*.comp.spv"};
    uint32_t machine = 0, foreign = 0, guessed = 0, sound = 0;
    unsigned shaders = 0, chosen[WPG_WEIGHTS_KINDS] = {0};
    for (size_t p = 0; p < 2; p++) {
        glob_t found;
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s", WPG_BINARY_DIR, patterns[p]);
        if (glob(path, 0, NULL, &found) != 0)
            continue;
        for (size_t i = 0; i < found.gl_pathc; i++) {
            if (!effort_pair(i / 4, i % 4, 4, 1)) /* every fourth, of each kind below */
                continue;
            shaders++;
            amd_shader s;
            amd_open_file(&s, found.gl_pathv[i]);
            const struct amd_target *t = &targets[i % 2];
            const wpg_amdgpu_options options = {.gpu = t->gpu, .wave_size = t->wave};
            const wpg_amdgpu_use_options tight = {.vgprs = i % 4 < 2 ? 24 : 0};
            profiling by = {.walk = made_up};
            take_profile(&by, &s, options);
            wpg_amdgpu_use use[2];
            for (unsigned turn = 0; turn < 2; turn++) {
                wpg_amdgpu_code *code;
                wpg_error err = {0};
                if (wpg_amdgpu_compile_use(&code, &use[turn], s.module, &s.stage, &options, &by.counts,
                                           &tight, &err) != WPG_OK)
                    fail_msg("%s: %s", found.gl_pathv[i], err.message);
                assert_non_null(code->elf);
                assert_null(code->assembly);
                wpg_amdgpu_code_destroy(code);
                check_table(&use[turn], found.gl_pathv[i]);
            }
            assert_memory_equal(&use[0], &use[1], sizeof use[0]);
            for (unsigned k = 0; k < WPG_WEIGHTS_KINDS; k++)
                chosen[k] += use[0].candidates[k].chosen;
            machine += use[0].candidates[0].score.blocks;
            foreign += use[0].candidates[0].score.foreign;
            guessed += use[0].candidates[0].score.guessed;
            sound += use[0].candidates[0].score.sound;
            ir_counts_free(&by.counts);
            amd_close(&s);
        }
        globfree(&found);
    }
    if (!shaders) {
        print_message("no shaders were built\n");
        skip();
    }
    print_message("%u of %u machine blocks are code generation's own, the runs of %u of these a guess\n",
                  foreign, machine, guessed);
    print_message("counts are a flow of the machine's graph, too, in %u of %u\n", sound, shaders);
    /* A seventh of them in all shaders; a dozen shaders may have more. */
    assert_true(guessed * (effort_nightly() ? 4 : 3) < foreign && sound * 2 > shaders);
    for (unsigned k = 0; k < WPG_WEIGHTS_KINDS; k++)
        print_message("%s chosen for %u of %u shaders\n", wpg_weights_name((wpg_weights_from)k), chosen[k],
                      shaders);
}

static void refuses(void **state)
{
    (void)state;
    amd_shader s;
    wpg_amdgpu_code *code = NULL;
    wpg_amdgpu_use use;
    wpg_error err = {0};
    const wpg_amdgpu_options options = {.gpu = "gfx1100"};
    if (!open_shader(&s, "bvh")) {
        print_message("no shaders were built\n");
        skip();
    }
    profiling by = {.walk = made_up};
    take_profile(&by, &s, options);
    by.counts.checksum ^= 2;
    assert_int_equal(
        wpg_amdgpu_compile_use(&code, &use, s.module, &s.stage, &options, &by.counts, NULL, &err),
        WPG_E_MISMATCH);
    assert_non_null(strstr(err.message, "not applied"));
    by.counts.checksum ^= 2;
    by.counts.waves[by.counts.block_count - 1]++;
    assert_int_equal(
        wpg_amdgpu_compile_use(&code, &use, s.module, &s.stage, &options, &by.counts, NULL, &err),
        WPG_E_MISMATCH);
    assert_true(use.verdict.problems > 0);
    assert_non_null(strstr(err.message, "impossible counts"));
    assert_null(code);
    by.counts.waves[by.counts.block_count - 1]--;
    /* What a profile lacks costs its candidates only. */
    uint64_t *lanes = by.counts.lanes, *uniform = by.counts.uniform;
    by.counts.lanes = by.counts.uniform = NULL;
    assert_int_equal(
        wpg_amdgpu_compile_use(&code, &use, s.module, &s.stage, &options, &by.counts, NULL, &err), WPG_OK);
    assert_int_equal(use.candidates[WPG_WEIGHTS_LANES].status, WPG_E_NOT_FOUND);
    assert_int_equal(use.candidates[WPG_WEIGHTS_FLATTENED].status, WPG_E_NOT_FOUND);
    assert_int_equal(use.candidates[WPG_WEIGHTS_WAVES].status, WPG_OK);
    by.counts.lanes = lanes;
    by.counts.uniform = uniform;
    wpg_amdgpu_code_destroy(code);
    ir_counts_free(&by.counts);
    amd_close(&s);
}

typedef struct rfc_case {
    const char *shader;
    unsigned trips_cold; /* waves of 10,000 trips that run the cold arm, wave32 */
} rfc_case;

static const rfc_case rfc[] = {{"rfc_uniform", 1}, {"rfc_divergent", 32}, {"rfc_divergent_hot", 3200}};

enum { RFC_TRIPS = 10000, RFC_WAVES = 2 };

/* Where the push constants lie in the kernel's argument. */
static void rfc_argument(uint8_t *bytes, size_t size, const amd_shader *s, const wpg_amdgpu_options *options)
{
    wpg_amdgpu_code *code;
    uint32_t trips = RFC_TRIPS, offset = UINT32_MAX;
    wpg_amdgpu_options only = *options;
    only.until = WPG_AMDGPU_TRANSLATED;
    assert_int_equal(wpg_amdgpu_compile(&code, s->module, &s->stage, &only, NULL), WPG_OK);
    for (uint32_t i = 0; i < code->argument_count; i++)
        if (code->arguments[i].kind == WPG_AMDGPU_PUSH)
            offset = code->arguments[i].offset;
    assert_true(offset + sizeof trips <= size);
    memset(bytes, 0, size);
    memcpy(bytes + offset, &trips, sizeof trips);
    wpg_amdgpu_code_destroy(code);
}

static void rfc_profile(profiling *by, uint8_t argument[256], const amd_shader *s,
                        const wpg_amdgpu_options *options)
{
    rfc_argument(argument, 256, s, options);
    *by = (profiling){.walk = {.waves = RFC_WAVES,
                               .group_lanes = 64,
                               .argument = argument,
                               .argument_bytes = 256,
                               .steps = UINT32_MAX}};
    take_profile(by, s, *options);
    assert_int_equal(by->coins, 0); /* all of it follows from the argument and the ids */
}

static void rfc_use(const rfc_case *c, const char *gpu, unsigned wave, unsigned vgprs, bool print)
{
    amd_shader s;
    uint8_t argument[256];
    profiling by;
    wpg_amdgpu_use use;
    wpg_amdgpu_code *code;
    wpg_error err = {0};
    const wpg_amdgpu_options options = {.gpu = gpu, .wave_size = wave};
    const wpg_amdgpu_use_options tight = {.vgprs = vgprs};
    if (!open_shader(&s, c->shader)) {
        print_message("no shaders were built\n");
        skip();
    }
    rfc_profile(&by, argument, &s, &options);
    if (wave == 32) { /* the cold arm as the RFC has it */
        bool found = false;
        for (uint32_t b = 0; b < by.counts.block_count; b++)
            found |= by.counts.waves[b] == c->trips_cold * RFC_WAVES;
        assert_true(found);
    }
    if (wpg_amdgpu_compile_use(&code, &use, s.module, &s.stage, &options, &by.counts, &tight, &err) != WPG_OK)
        fail_msg("%s: %s", c->shader, err.message);
    check_table(&use, c->shader);
    if (print) {
        printf("| `%s` | %s wave%u, %u |", c->shader, gpu, wave, vgprs);
        for (unsigned i = 0; i < WPG_WEIGHTS_KINDS; i++)
            printf(" %s%llu%s |", use.candidates[i].chosen ? "**" : "",
                   (unsigned long long)use.candidates[i].score.scratch, use.candidates[i].chosen ? "**" : "");
        printf(" %u | %u |\n", use.candidates[0].score.scratch_text, use.candidates[0].figures.occupancy);
    }
    wpg_amdgpu_code_destroy(code);
    ir_counts_free(&by.counts);
    amd_close(&s);
}

static void microbenchmarks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rfc / sizeof *rfc; i++) {
        rfc_use(&rfc[i], "gfx1100", 32, 16, false);
        rfc_use(&rfc[i], "gfx90a", 64, 24, false);
    }
}

static int print_table(void)
{
    static const struct {
        const char *gpu;
        unsigned wave, vgprs;
    } on[] = {{"gfx1100", 32, 16},
              {"gfx1100", 32, 24},
              {"gfx1100", 64, 24},
              {"gfx1030", 32, 24},
              {"gfx900", 64, 24}};
    for (size_t t = 0; t < sizeof on / sizeof *on; t++)
        for (size_t i = 0; i < sizeof rfc / sizeof *rfc; i++)
            rfc_use(&rfc[i], on[t].gpu, on[t].wave, on[t].vgprs, true);
    return 0;
}

/* The annotated IR as text. */
static wpg_status annotate(void *data, LLVMModuleRef module, LLVMValueRef function,
                           const wpg_translation_options *options, wpg_error *err)
{
    (void)module;
    (void)options;
    return wpg_weights_attach(NULL, function, data, WPG_WEIGHTS_WAVES, 90, err);
}

typedef struct survival {
    unsigned branches, kept, dropped;
} survival;

/* "    successors: %bb.1(0x000346dc), %bb.2(0x7ffcb924)": the probabilities, of 2^31. */
static unsigned successors(const char *line, double probabilities[2])
{
    unsigned n = 0;
    for (const char *at = strstr(line, "successors:"); at && (at = strstr(at, "(0x")); at++, n++)
        if (n < 2)
            probabilities[n] = (double)strtoul(at + 1, NULL, 16) / 0x80000000u;
    return n;
}

/* Compares what the last machine pass but one sees at each block with the wave counts' edges. */
static void compare(survival *s, FILE *mir, const wpg_amdgpu_counts *counts, const wpg_flow_graph *graph,
                    const wpg_flow_edges *edges)
{
    char line[4096];
    uint32_t block = UINT32_MAX;
    while (fgets(line, sizeof line, mir)) {
        double p[2], wanted;
        const char *name = strstr(line, "wpg.");
        char *end;
        if (strncmp(line, "  bb.", 5) == 0) {
            block = name ? (uint32_t)strtoul(name + 4, &end, 10) : UINT32_MAX;
            if (name && *end != ':' && *end != ' ')
                block = UINT32_MAX;
        }
        if (block >= counts->block_count || !strstr(line, "successors:"))
            continue;
        uint32_t first = graph->first[block], count = graph->first[block + 1] - first;
        if (count != 2 || !counts->waves[block])
            continue;
        wanted = (double)edges->counts[first] / (double)counts->waves[block];
        if (fabs(wanted - 0.5) < 0.01)
            continue; /* says nothing */
        /* The last pass drops branches over what is cheap to run without a lane; what they led to keeps its
         * share. */
        unsigned n = successors(line, p);
        s->branches++;
        s->dropped += n == 1;
        for (unsigned i = 0; i < n && i < 2; i++)
            if (fabs(p[i] - wanted) < 1e-4 || fabs(p[i] - (1 - wanted)) < 1e-4) {
                s->kept++;
                break;
            }
    }
}

static void machine_blocks(survival *s, const char *name)
{
    amd_shader shader;
    wpg_amdgpu_code *code;
    wpg_error err = {0};
    wpg_amdgpu_options options = {.gpu = "gfx1100", .until = WPG_AMDGPU_STRUCTURISED, .ir = true};
    char path[] = "wpg-weights-XXXXXX", command[256];
    profiling by = {.walk = made_up};
    if (!open_shader(&shader, name)) {
        print_message("no shaders were built\n");
        skip();
    }
    take_profile(&by, &shader, options);
    if (wpg_amdgpu_compile_hooked(&code, shader.module, &shader.stage, &options, annotate, &by.counts,
                                  &err) != WPG_OK)
        fail_msg("%s: %s", name, err.message);
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, code->ir, strlen(code->ir)), strlen(code->ir));
    close(file);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    char *message;
    LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRangeCopy(code->ir, strlen(code->ir), "ir");
    assert_false(LLVMParseIRInContext(context, text, &module, &message));
    wpg_blocks blocks;
    wpg_flow_edges edges;
    wpg_arena arena;
    wpg_arena_init(&arena);
    assert_int_equal(wpg_blocks_of(&blocks, LLVMGetNamedFunction(module, code->kernel), &err), WPG_OK);
    const wpg_flow_graph graph = wpg_flow_of_blocks(&blocks);
    assert_int_equal(wpg_flow_derive(&edges, &graph, by.counts.waves, &arena, &err), WPG_OK);
    (void)snprintf(command, sizeof command, "llc-22 -mcpu=gfx1100 -stop-after=si-pre-emit-peephole -o - %s",
                   path);
    FILE *mir = popen(command, "r");
    assert_non_null(mir);
    compare(s, mir, &by.counts, &graph, &edges);
    assert_int_equal(pclose(mir), 0);
    (void)unlink(path);
    wpg_arena_finish(&arena);
    wpg_blocks_finish(&blocks);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    wpg_amdgpu_code_destroy(code);
    ir_counts_free(&by.counts);
    amd_close(&shader);
}

/* The C API shows no machine blocks; LLVM's own compiler prints them. */
static void weights_reach_machine_blocks(void **state)
{
    (void)state;
    static const char *const shaders[] = {"bvh", "lights", "mandelbrot", "raymarch", "uber", "rfc_divergent"};
    survival s = {0};
    if (system("llc-22 --version >/dev/null 2>&1") != 0) {
        print_message("llc-22 is not here\n");
        skip();
    }
    for (size_t i = 0; i < sizeof shaders / sizeof *shaders; i++)
        machine_blocks(&s, shaders[i]);
    print_message(
        "%u of %u branches have their weights in the last pass that looks at them, which dropped %u\n",
        s.kept, s.branches, s.dropped);
    assert_true(s.branches > 20 && s.kept == s.branches);
}

/* Of every compute shader by made-up profiles at tight register budgets: how often each candidate beats and
 * loses to `none` in scratch traffic, and what it saves over all that spill (geometric mean of the ratios).
 */
static int print_survey(void)
{
    static const struct amd_target targets[] = {{"gfx1100", 32}, {"gfx900", 64}};
    static const char *const patterns[] = {"shaders/*.comp.spv", "tests/e2e/spirv/*.comp.spv"};
    static const unsigned budgets[] = {12, 16, 24, 32};
    unsigned cases = 0, wins[WPG_WEIGHTS_KINDS + 1] = {0}, losses[WPG_WEIGHTS_KINDS + 1] = {0};
    double logs[WPG_WEIGHTS_KINDS + 1] = {0};
    for (unsigned n = 0; n < 2 * 2 * 4 * 3; n++) {
        glob_t found;
        char path[4096];
        const struct amd_target *t = &targets[n % 2];
        const wpg_amdgpu_options options = {.gpu = t->gpu, .wave_size = t->wave};
        const wpg_amdgpu_use_options tight = {.vgprs = budgets[n / 4 % 4]};
        (void)snprintf(path, sizeof path, "%s/%s", WPG_BINARY_DIR, patterns[n / 2 % 2]);
        if (glob(path, 0, NULL, &found) != 0)
            return 1;
        for (size_t i = 0; i < found.gl_pathc; i++) {
            amd_shader s;
            wpg_amdgpu_use use;
            wpg_amdgpu_code *code;
            profiling by = {.walk = made_up};
            by.walk.seed = 1 + n / 16;
            amd_open_file(&s, found.gl_pathv[i]);
            take_profile(&by, &s, options);
            if (wpg_amdgpu_compile_use(&code, &use, s.module, &s.stage, &options, &by.counts, &tight, NULL) ==
                WPG_OK) {
                double none = (double)use.candidates[0].score.scratch;
                wpg_amdgpu_code_destroy(code);
                cases += none > 0;
                for (unsigned k = 0; none > 0 && k <= WPG_WEIGHTS_KINDS; k++) {
                    double it = none;
                    for (unsigned c = 0; c < WPG_WEIGHTS_KINDS; c++)
                        if (c == k || (k == WPG_WEIGHTS_KINDS && use.candidates[c].chosen))
                            it = (double)use.candidates[c].score.scratch;
                    wins[k] += it < none;
                    losses[k] += it > none;
                    logs[k] += log((it + 1) / (none + 1));
                }
            }
            ir_counts_free(&by.counts);
            amd_close(&s);
        }
        globfree(&found);
    }
    for (unsigned k = 0; k <= WPG_WEIGHTS_KINDS; k++)
        printf("%-10s less %u, more %u of %u; mean ratio %.3f\n",
               k == WPG_WEIGHTS_KINDS ? "chosen" : wpg_weights_name((wpg_weights_from)k), wins[k], losses[k],
               cases, exp(logs[k] / (cases ? cases : 1)));
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shader),
        cmocka_unit_test(refuses),
        cmocka_unit_test(microbenchmarks),
        cmocka_unit_test(weights_reach_machine_blocks),
    };
    if (argc > 1 && strcmp(argv[1], "table") == 0)
        return print_table();
    if (argc > 1 && strcmp(argv[1], "survey") == 0)
        return print_survey();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
