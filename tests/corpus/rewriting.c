/* What rewriting costs, by step, without a driver:
 *
 *      corpus_rewriting [--repeat N] PROFILE FILE.spv...
 *
 *      words --parse--> --name--> hash --normalise--> --generate--> --emit--> words
 *                                             `-----> --use (of that: the SSA tier's hook)--> --emit
 *
 * PROFILE is a profile or bundle that knows the shaders; with "-" there is no `use`. Prints one line a file:
 * milliseconds of this thread's processor time, medians of N runs (5), and how often the hook was asked; the
 * sizes of the words, and hashes of those made. The first entry point of each module counts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/analysis/values/select_work.h"
#include "compiler/instrument/code/instrument.h"
#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/optimize/ir/optimize.h"
#include "runtime/base/file.h"
#include "runtime/base/hash.h"
#include "runtime/bundle/folder.h"
#include "runtime/profile/weights.h"
#include "runtime/report/model/shader_source.h"
#include "tests/support/targets.h"

enum { MOST_RUNS = 99 };

enum step { PARSE, NAME, NORMALISE, GENERATE, USE, HOOK, EMIT, STEPS };
static const char *const step_names[STEPS] = {"parse", "name", "normalise", "generate",
                                              "use",   "hook", "emit"};

typedef struct measured {
    double ms[STEPS][MOST_RUNS];
    unsigned hook_runs;
    size_t generate_words, use_words;
    uint64_t generate_hash, use_hash;
} measured;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double hook_ms;
static unsigned hook_runs;

static wpg_status timed_hook(uint32_t **out, size_t *out_count, const uint32_t *words, size_t count,
                             wpg_error *err)
{
    const double start = now();
    const wpg_status status = wpg_ssa_tier(out, out_count, words, count, err);
    hook_ms += now() - start;
    hook_runs++;
    return status;
}

static bool failed(const char *file, const char *step, const wpg_error *err)
{
    fprintf(stderr, "corpus_rewriting: %s: %s: %s\n", file, step, err->message);
    return false;
}

/* Words of the module; the time goes to EMIT, of the larger form. */
static bool emit(measured *m, unsigned run, size_t *count, uint64_t *hash, const wpg_module *module,
                 wpg_error *err)
{
    uint32_t *words = NULL;
    const double start = now();
    const bool done = wpg_module_emit(&words, count, module, err) == WPG_OK;
    const double ms = now() - start;
    if (ms > m->ms[EMIT][run])
        m->ms[EMIT][run] = ms;
    *hash = done ? wpg_hash64_bytes(words, *count * sizeof *words) : 0;
    free(words);
    return done;
}

static bool generate(measured *m, unsigned run, wpg_module *module, const wpg_stage *stage, wpg_error *err)
{
    wpg_instrument_options options = {.target = wpg_target_of_most,
                                      .directory_entry = UINT64_C(0x100000200000),
                                      .directory_cells = UINT64_C(0x100000000000),
                                      .directory_tag = 1,
                                      .directory_shift = 14,
                                      .select_sites = true,
                                      .select_work = WPG_SELECT_WORK};
    wpg_counter_map *map = NULL;
    if (wpg_probes_parse(&options.probes, "default", err) != WPG_OK)
        return false;
    const double start = now();
    const wpg_status status = wpg_instrument(&map, module, stage, &options, err);
    m->ms[GENERATE][run] = now() - start;
    wpg_counter_map_destroy(map);
    return status == WPG_OK && emit(m, run, &m->generate_words, &m->generate_hash, module, err);
}

static bool use(measured *m, unsigned run, wpg_module **module, const wpg_stage *stage, wpg_hash128 hash,
                const wpg_shader_view *view, wpg_error *err)
{
    const wpg_shader_names names = {hash, hash};
    const wpg_shader_counts *first;
    wpg_weights weights = {0};
    wpg_optimize_options options;
    wpg_remarks *remarks = NULL;
    wpg_arena arena;
    bool changed = false;
    const size_t found =
        wpg_shader_names_find(&first, view, &names, wpg_stage_name(stage->model), stage->entry);
    if (!found)
        return true;
    wpg_arena_init(&arena);
    wpg_optimize_defaults(&options);
    wpg_status status = wpg_weights_of_shader(&weights, &arena, first, found);
    hook_ms = 0;
    hook_runs = 0;
    const double start = now();
    if (status == WPG_OK)
        status = wpg_optimize(&remarks, &changed, module, stage, &weights, &options, timed_hook, err);
    m->ms[USE][run] = now() - start;
    m->ms[HOOK][run] = hook_ms;
    m->hook_runs = hook_runs;
    wpg_remarks_destroy(remarks);
    wpg_arena_finish(&arena);
    return status == WPG_OK && emit(m, run, &m->use_words, &m->use_hash, *module, err);
}

static bool first_stage(wpg_stage *stage, char **entry, const wpg_module *module)
{
    WPG_INST_EACH (inst, module)
        if (inst->opcode == SpvOpEntryPoint && wpg_inst_string(inst, 3)) {
            *entry = strdup(wpg_inst_string(inst, 3));
            *stage = (wpg_stage){.model = (SpvExecutionModel)inst->words[1], .entry = *entry};
            return *entry != NULL;
        }
    return false;
}

static bool run_once(measured *m, unsigned run, const char *file, const uint32_t *words, size_t count,
                     const wpg_shader_view *view)
{
    wpg_error err = {0};
    wpg_module *module = NULL, *other = NULL;
    wpg_stage stage;
    wpg_hash128 hash;
    char *entry = NULL;
    double start = now();
    bool good = wpg_module_parse(&module, words, count, &err) == WPG_OK;
    m->ms[PARSE][run] = now() - start;
    good = good && first_stage(&stage, &entry, module);
    start = now();
    good = good && wpg_shader_hash(&hash, module, &stage, &err) == WPG_OK;
    m->ms[NAME][run] = now() - start;
    start = now();
    good = good && wpg_normalize(module, &stage, NULL, &err) == WPG_OK;
    m->ms[NORMALISE][run] = now() - start;
    good = good && generate(m, run, module, &stage, &err);
    if (good && view)
        good = wpg_module_parse(&other, words, count, &err) == WPG_OK &&
               wpg_normalize(other, &stage, NULL, &err) == WPG_OK &&
               use(m, run, &other, &stage, hash, view, &err);
    wpg_module_destroy(module);
    wpg_module_destroy(other);
    free(entry);
    return good || failed(file, "rewriting", &err);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool measure(const char *file, unsigned runs, const wpg_shader_view *view)
{
    static measured m;
    uint8_t *data = NULL;
    size_t size = 0;
    wpg_error err = {0};
    memset(&m, 0, sizeof m);
    if (wpg_file_read(&data, &size, file, (size_t)64 << 20, &err) != WPG_OK)
        return failed(file, "read", &err);
    bool good = true;
    wpg_arena_scope scope; /* as the layer's builder: what a shader took serves the next */
    wpg_arena_scope_begin(&scope);
    for (unsigned run = 0; run < runs && good; run++)
        good = run_once(&m, run, file, (const uint32_t *)(const void *)data, size / 4, view);
    wpg_arena_scope_end(&scope);
    free(data);
    if (!good)
        return false;
    const char *slash = strrchr(file, '/');
    printf("%s words %zu generate %zu %016" PRIx64 " use %zu %016" PRIx64 ":", slash ? slash + 1 : file,
           size / 4, m.generate_words, m.generate_hash, m.use_words, m.use_hash);
    for (int step = 0; step < STEPS; step++) {
        qsort(m.ms[step], runs, sizeof(double), by_size);
        printf(" %s %.2f", step_names[step], m.ms[step][runs / 2]);
    }
    printf(" (asked %u times)\n", m.hook_runs);
    return true;
}

int main(int argc, char **argv)
{
    unsigned runs = 5;
    int at = 1, code = 0;
    if (argc > 2 && strcmp(argv[1], "--repeat") == 0) {
        runs = (unsigned)strtoul(argv[2], NULL, 10);
        at = 3;
    }
    if (argc < at + 2 || runs < 1 || runs > MOST_RUNS) {
        fprintf(stderr, "usage: corpus_rewriting [--repeat N] PROFILE FILE.spv...\n");
        return 2;
    }
    wpg_error err = {0};
    wpg_profile *profile = wpg_profile_create();
    wpg_shader_view *view = NULL;
    if (strcmp(argv[at], "-") != 0 &&
        (!profile || wpg_profile_load(profile, NULL, argv[at], &err) != WPG_OK ||
         wpg_shader_view_create(&view, profile, &err) != WPG_OK))
        code = !failed(argv[at], "profile", &err);
    for (int i = at + 1; i < argc && !code; i++)
        code = !measure(argv[i], runs, view);
    wpg_shader_view_destroy(view);
    wpg_profile_destroy(profile);
    return code;
}
