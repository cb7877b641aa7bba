/* Weights on structurised functions, by counts of waves that were walked through them: every compute shader
 * of the tree. */
#include "tests/unit/compiler/amdgpu/amdgpu_test.h"

#include <glob.h>
#include <unistd.h>

#include <llvm-c/IRReader.h>

#include "compiler/amdgpu/driver/emit.h"
#include "compiler/amdgpu/llvm/profcheck.h"
#include "compiler/amdgpu/profile/verify.h"
#include "compiler/amdgpu/profile/weights.h"
#include "tests/unit/compiler/amdgpu/ir_walk.h"

typedef struct subject {
    const char *name;
    unsigned group_lanes;
    uint32_t branches, weighted, open, never, flattened, balanced; /* over all */
} subject;

typedef void (*looker)(subject *s, LLVMModuleRef module, LLVMValueRef function, const wpg_blocks *blocks,
                       wpg_amdgpu_counts *counts, unsigned wave_size);

typedef struct visit {
    subject *subject;
    looker look;
} visit;

static wpg_status structurised(void *data, LLVMModuleRef module, LLVMValueRef function,
                               const wpg_translation_options *options, wpg_error *err)
{
    visit *v = data;
    wpg_blocks blocks;
    WPG_TRY(wpg_blocks_of(&blocks, function, err));
    for (uint32_t seed = 1; seed <= 3; seed++) {
        wpg_amdgpu_counts counts;
        const ir_walk_options walk = {.wave_size = options->wave_size,
                                      .waves = 24,
                                      .group_lanes = v->subject->group_lanes,
                                      .seed = seed,
                                      .steps = 300};
        (void)ir_walk_run(&counts, &blocks, &walk);
        v->look(v->subject, module, function, &blocks, &counts, options->wave_size);
        ir_counts_free(&counts);
    }
    wpg_blocks_finish(&blocks);
    return WPG_OK;
}

static void each_shader(subject *s, looker look)
{
    static const struct amd_target targets[] = {{"gfx1100", 32}, {"gfx90a", 64}};
    static const char *const patterns[] = {"shaders/*.comp.spv", "tests/e2e/spirv/*.comp.spv"};
    unsigned shaders = 0;
    for (size_t p = 0; p < 2; p++) {
        glob_t found;
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s", WPG_BINARY_DIR, patterns[p]);
        if (glob(path, 0, NULL, &found) != 0)
            continue;
        for (size_t i = 0; i < found.gl_pathc; i++) {
            amd_shader shader;
            amd_open_file(&shader, found.gl_pathv[i]);
            s->name = found.gl_pathv[i];
            for (size_t t = 0; t < 2; t++) {
                visit v = {s, look};
                wpg_amdgpu_code *code;
                wpg_error err = {0};
                const wpg_amdgpu_options options = {
                    .gpu = targets[t].gpu, .wave_size = targets[t].wave, .until = WPG_AMDGPU_STRUCTURISED};
                s->group_lanes = 80; /* the last wave of a group lacks lanes */
                if (wpg_amdgpu_compile_hooked(&code, shader.module, &shader.stage, &options, structurised, &v,
                                              &err) != WPG_OK)
                    fail_msg("%s: %s", s->name, err.message);
                wpg_amdgpu_code_destroy(code);
                shaders++;
            }
            amd_close(&shader);
        }
        globfree(&found);
    }
    if (!shaders) {
        print_message("no shaders were built\n");
        skip();
    }
}

static void clear(LLVMValueRef function)
{
    unsigned prof = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(function)), "prof", 4);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            LLVMSetMetadata(i, prof, NULL);
    LLVMGlobalEraseMetadata(function, prof);
}

static uint32_t annotated(LLVMValueRef function)
{
    uint32_t n = 0;
    unsigned prof = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(function)), "prof", 4);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            n += LLVMGetMetadata(i, prof) != NULL;
    return n;
}

/* What waves really do in structurised code obeys every rule, and flow decides every edge of it. */
static void look_at_counts(subject *s, LLVMModuleRef module, LLVMValueRef function, const wpg_blocks *blocks,
                           wpg_amdgpu_counts *counts, unsigned wave_size)
{
    wpg_counts_verdict verdict;
    wpg_arena arena;
    (void)module;
    (void)function;
    wpg_arena_init(&arena);
    const wpg_flow_graph graph = wpg_flow_of_blocks(blocks);
    assert_int_equal(wpg_counts_verify(&verdict, &graph, counts, wave_size, &arena, NULL), WPG_OK);
    if (verdict.problems)
        fail_msg("%s: %s: block %u has %llu for %llu", s->name, wpg_counts_rule_name(verdict.first[0].rule),
                 verdict.first[0].block, (unsigned long long)verdict.first[0].count,
                 (unsigned long long)verdict.first[0].bound);
    wpg_arena_finish(&arena);
}

static void walked_waves_obey(void **state)
{
    (void)state;
    subject s = {0};
    each_shader(&s, look_at_counts);
}

/* Negative control: in each function a wave more in a block that is no arm and no loop of its own is seen. */
static void look_at_corruption(subject *s, LLVMModuleRef module, LLVMValueRef function,
                               const wpg_blocks *blocks, wpg_amdgpu_counts *counts, unsigned wave_size)
{
    (void)module;
    (void)wave_size;
    uint32_t seen = 0;
    for (uint32_t b = 0; b < blocks->count; b++) {
        wpg_weights_done done;
        counts->waves[b] += 1;
        wpg_status status =
            wpg_weights_attach(&done, function, counts, WPG_WEIGHTS_WAVES, WPG_UNIFORM_PERCENT, NULL);
        counts->waves[b] -= 1;
        seen += status == WPG_E_MISMATCH;
        if (status == WPG_E_MISMATCH)
            assert_int_equal(annotated(function), 0);
        clear(function);
    }
    if (blocks->count > 1 && !seen)
        fail_msg("%s: no corrupted count was seen", s->name);
    s->branches += blocks->count;
    s->weighted += seen;
}

static void corrupted_counts_are_refused(void **state)
{
    (void)state;
    subject s = {0};
    each_shader(&s, look_at_corruption);
    print_message("of %u counts with a wave more %u were seen\n", s.branches, s.weighted);
}

/* Frequencies by the weights are the counts. */
static void look_at_quality(subject *s, LLVMModuleRef module, LLVMValueRef function, const wpg_blocks *blocks,
                            wpg_amdgpu_counts *counts, unsigned wave_size)
{
    (void)wave_size;
    (void)blocks;
    wpg_error err = {0};
    for (unsigned from = WPG_WEIGHTS_LANES; from < WPG_WEIGHTS_KINDS; from++) {
        wpg_weights_done done;
        double difference;
        uint32_t unweighted;
        if (wpg_weights_attach(&done, function, counts, (wpg_weights_from)from, WPG_UNIFORM_PERCENT, &err) !=
            WPG_OK)
            fail_msg("%s, %s: %s", s->name, wpg_weights_name((wpg_weights_from)from), err.message);
        assert_int_equal(done.branches, done.weighted + done.never + done.open);
        if (from == WPG_WEIGHTS_WAVES) {
            s->branches += done.branches;
            s->weighted += done.weighted;
            s->open += done.open;
            s->never += done.never;
            s->balanced += done.balanced;
        } else if (from == WPG_WEIGHTS_FLATTENED) {
            s->flattened += done.flattened;
        }
        if (wpg_profcheck(module, NULL, "weights", &err) != WPG_OK)
            fail_msg("%s: %s", s->name, err.message);
        const uint64_t *measured = from == WPG_WEIGHTS_LANES ? counts->lanes : counts->waves;
        if (wpg_weights_quality(&difference, &unweighted, function, measured, &err) != WPG_OK)
            fail_msg("%s: %s", s->name, err.message);
        assert_int_equal(unweighted, done.never + done.open);
        if (from != WPG_WEIGHTS_FLATTENED && !done.open && !(difference < 1e-4))
            fail_msg("%s, %s: weights give other frequencies: %g", s->name,
                     wpg_weights_name((wpg_weights_from)from), difference);
        clear(function);
    }
}

static void weights_give_the_counts(void **state)
{
    (void)state;
    subject s = {0};
    each_shader(&s, look_at_quality);
    print_message("%u branches: %u weighted, %u never ran, %u open; %u flattened, %u part lanes evenly\n",
                  s.branches, s.weighted, s.never, s.open, s.flattened, s.balanced);
    assert_true(s.weighted > 100 && s.flattened > 0 && s.balanced > 0 && s.balanced < s.weighted);
}

/* A weight that is dropped is seen by LLVM's check, one that is turned round by the quality; another
 * function's profile attaches nothing. */
static void look_at_negatives(subject *s, LLVMModuleRef module, LLVMValueRef function,
                              const wpg_blocks *blocks, wpg_amdgpu_counts *counts, unsigned wave_size)
{
    (void)wave_size;
    wpg_error err = {0};
    LLVMContextRef context = LLVMGetModuleContext(module);
    unsigned prof = LLVMGetMDKindIDInContext(context, "prof", 4);
    counts->checksum ^= 1;
    assert_int_equal(wpg_weights_attach(NULL, function, counts, WPG_WEIGHTS_WAVES, 90, &err), WPG_E_MISMATCH);
    assert_non_null(strstr(err.message, "control flow"));
    counts->checksum ^= 1;
    counts->block_count--;
    assert_int_equal(wpg_weights_attach(NULL, function, counts, WPG_WEIGHTS_WAVES, 90, &err), WPG_E_MISMATCH);
    counts->block_count++;
    wpg_amdgpu_counts without = *counts;
    without.lanes = without.uniform = NULL;
    assert_int_equal(wpg_weights_attach(NULL, function, &without, WPG_WEIGHTS_LANES, 90, &err),
                     WPG_E_NOT_FOUND);
    assert_int_equal(wpg_weights_attach(NULL, function, &without, WPG_WEIGHTS_FLATTENED, 90, &err),
                     WPG_E_NOT_FOUND);
    assert_int_equal(annotated(function), 0);
    assert_int_equal(wpg_weights_attach(NULL, function, counts, WPG_WEIGHTS_NONE, 90, &err), WPG_OK);
    assert_int_equal(annotated(function), 0);
    assert_int_equal(wpg_profcheck(module, NULL, "nothing", &err), WPG_E_MISMATCH); /* no entry count */
    assert_int_equal(wpg_weights_attach(NULL, function, counts, WPG_WEIGHTS_WAVES, 90, &err), WPG_OK);
    for (uint32_t b = 0; b < blocks->count; b++) {
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(blocks->blocks[b]);
        LLVMValueRef node = LLVMGetMetadata(branch, prof);
        uint32_t unweighted;
        double difference;
        if (!node)
            continue;
        s->branches++;
        LLVMSetMetadata(branch, prof, NULL);
        assert_int_equal(wpg_profcheck(module, NULL, "dropping", &err), WPG_E_MISMATCH);
        LLVMSetMetadata(branch, prof, node);
        LLVMValueRef parts[8];
        if (LLVMGetMDNodeNumOperands(node) != 3)
            continue;
        LLVMGetMDNodeOperands(node, parts);
        uint64_t yes = LLVMConstIntGetZExtValue(parts[1]), no = LLVMConstIntGetZExtValue(parts[2]);
        if (yes < 4 * no) /* far apart, and of a share of the whole that shows */
            continue;
        LLVMMetadataRef turned[] = {LLVMMDStringInContext2(context, "branch_weights", 14),
                                    LLVMValueAsMetadata(parts[2]), LLVMValueAsMetadata(parts[1])};
        LLVMSetMetadata(branch, prof, LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, turned, 3)));
        if (wpg_weights_quality(&difference, &unweighted, function, counts->waves, NULL) == WPG_OK) {
            s->flattened++;
            s->weighted += difference > 1e-3;
        }
        LLVMSetMetadata(branch, prof, node);
    }
    clear(function);
}

static void wrong_weights_are_seen(void **state)
{
    (void)state;
    subject s = {0};
    each_shader(&s, look_at_negatives);
    print_message("%u dropped weights seen; of %u turned round %u\n", s.branches, s.flattened, s.weighted);
    assert_true(s.branches > 100 && s.flattened > 50 && s.weighted * 10 >= s.flattened * 9);
}

typedef struct losses {
    uint32_t structurizer, others, selects;
} losses;

static bool phases_of(losses *l, const char *name)
{
    amd_shader shader;
    char path[4096];
    wpg_error err = {0};
    (void)snprintf(path, sizeof path, "%s/shaders/%s.comp.spv", WPG_BINARY_DIR, name);
    if (access(path, R_OK) != 0)
        return false;
    amd_open_file(&shader, path);
    const wpg_amdgpu_options options = {.gpu = "gfx1100"};
    wpg_profcheck_phases seen;
    if (wpg_amdgpu_phases(&seen, shader.module, &shader.stage, &options, &err) != WPG_OK)
        fail_msg("%s: %s", name, err.message);
    assert_int_equal(seen.count, 6);
    for (uint32_t i = 0; i < seen.count; i++) {
        const wpg_profcheck_phase *phase = &seen.phase[i];
        bool structurizer = strcmp(phase->pass, "structurizecfg") == 0;
        assert_true(phase->branches_bare <= phase->branches);
        *(structurizer ? &l->structurizer : &l->others) += phase->branches_bare;
        l->selects += phase->selects_bare;
        if (phase->branches_bare)
            print_message("%s: %s drops %u of %u\n", name, phase->pass, phase->branches_bare,
                          phase->branches);
    }
    amd_close(&shader);
    return true;
}

/* Which passes drop profiles that stood there before structurising; what they drop is marked, and LLVM's
 * check content. */
static void phases(void **state)
{
    (void)state;
    static const char *const shaders[] = {"bvh", "lights", "loop_modes", "mandelbrot", "raymarch", "uber"};
    losses l = {0};
    for (size_t i = 0; i < sizeof shaders / sizeof *shaders; i++)
        if (!phases_of(&l, shaders[i])) {
            print_message("no shaders were built\n");
            skip();
        }
    assert_true(l.structurizer > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walked_waves_obey),
        cmocka_unit_test(corrupted_counts_are_refused),
        cmocka_unit_test(weights_give_the_counts),
        cmocka_unit_test(wrong_weights_are_seen),
        cmocka_unit_test(phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
