/* Random shaders on a real driver: every counter of every block must be what the interpreter (simt.h) says,
 * in every way of counting, and the output what it is without instrumentation.
 *
 *     e2e_random [FOLDER]      failing shaders go to FOLDER (default: here), shrunk
 *
 *     WPG_RANDOM_STAGE=comp|frag|vert   only these (default: by seed, mostly compute)
 *     WPG_RANDOM_KERNELS=N              how many (60)
 *     WPG_RANDOM_SEED=N                 the first seed (1)
 *     WPG_RANDOM_SECONDS=N              stop after so long
 *     WPG_RANDOM_BLOCKS=N               leave shaders with more out
 *     WPG_RANDOM_DRIVER=none            an interpreter in place of the driver (waves of 4 to 64 lanes)
 *     WPG_RANDOM_GLSL=0                 there is no glslang, and no spirv-as
 *     WPG_RANDOM_CONFIG=NAME|all        only this way of counting, or all of them for each shader
 *
 * The driver: see vk_compute.h. A shader whose output is wrong without instrumentation shows a driver's
 * fault: it is counted and left out on Mesa before 25, where such faults are known, and a failure elsewhere.
 * Exit code 0 = all exact, 1 = not, 77 = no device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/e2e/random/check.h"
#include "tests/e2e/random/shrink.h"
#include "tests/support/disassemble.h"

enum { MOST_FAILURES = 5, SHRINK_TRIES = 400, SHRINK_SECONDS = 40, MOST_BLOCKS = 24, MOST_SIMULATED = 300 };

typedef struct tally {
    uint64_t shaders, stages[3]; /* compute, fragment, vertex */
    uint64_t checks, excluded, unusable, large, barriers, failures;
} tally;

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

typedef struct fault {
    checker *c;
    const random_source *source;
    const check_config *config; /* NULL: the driver's */
    time_t until;               /* no shrinking after that */
    char message[CHECK_MESSAGE];
} fault;

static bool still_fails(void *user, const uint32_t *words, size_t count)
{
    fault *f = user;
    if (time(NULL) > f->until)
        return false;
    char ignored[CHECK_MESSAGE];
    if (!f->config)
        return check_words(f->c, words, count, f->source, NULL, f->message) == CHECK_DRIVER;
    return check_words(f->c, words, count, f->source, NULL, ignored) == CHECK_EXACT &&
           check_words(f->c, words, count, f->source, f->config, f->message) == CHECK_WRONG;
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size)
        (void)fprintf(stderr, "cannot write %s\n", path);
    if (file)
        (void)fclose(file);
}

/* Says what failed, shrinks it, and leaves it in the folder as text. */
static void explain(fault *f, const uint32_t *words, size_t count, const char *folder)
{
    const char *config = f->config ? f->config->name : "the driver alone";
    unsigned long long seed = f->source->seed;
    (void)printf("FAIL: seed %llu (%s, %u groups of %u), %s: %s\n", seed, f->source->name, f->source->groups,
                 f->source->local_size, config, f->message);
    uint32_t *small = malloc(count * sizeof *small);
    if (!small)
        return;
    memcpy(small, words, count * sizeof *small);
    f->until = time(NULL) + SHRINK_SECONDS;
    unsigned steps = shrink(&small, &count, still_fails, f, SHRINK_TRIES);
    f->until += SHRINK_SECONDS;
    still_fails(f, small, count);
    char path[1024], *text = disassemble(small, count);
    (void)snprintf(path, sizeof path, "%s/random-%llu.spvasm", folder, seed);
    if (text) {
        write_file(path, text, strlen(text));
        (void)printf("  after %u steps: %s\n  shrunk to %zu words in %s\n", steps, f->message, count, path);
    }
    free(text);
    free(small);
}

static unsigned blocks_of(const uint32_t *words, size_t count)
{
    unsigned blocks = 0;
    for (size_t i = 5; i < count && words[i] >> 16; i += words[i] >> 16)
        blocks += (words[i] & 0xffff) == SpvOpLabel;
    return blocks;
}

static void one_shader(checker *c, tally *t, uint64_t seed, const char *folder)
{
    if (getenv("WPG_RANDOM_VERBOSE"))
        (void)fprintf(stderr, "%ld seed %llu\n", (long)clock() / 1000, (unsigned long long)seed);
    static random_source source;
    static fault f;
    uint32_t *words = NULL;
    size_t count;
    const char *only = getenv("WPG_RANDOM_CONFIG"); /* empty: as if not set */
    only = only && *only ? only : NULL;
    const char *stage = getenv("WPG_RANDOM_STAGE");
    if (random_source_needs_tools(seed, stage, c->simulated) && !setting("WPG_RANDOM_GLSL", 1))
        return;
    f = (fault){.c = c, .source = &source};
    bool made = random_source_make(&source, seed, stage, c->simulated);
    if (made && !checker_has_stage(c, source.stage)) {
        random_source_finish(&source);
        return;
    }
    bool barriers = seed % 5 < 2 && source.stage == SpvExecutionModelGLCompute;
    if (!made || !check_normal_form(&words, &count, c, &source, barriers, f.message)) {
        (void)printf("seed %llu: %s\n", (unsigned long long)seed, f.message);
        t->unusable++;
        random_source_finish(&source);
        return;
    }
    if (blocks_of(words, count) >
        setting("WPG_RANDOM_BLOCKS",
                c->simulated ? MOST_SIMULATED
                             : MOST_BLOCKS)) { /* minutes in the driver, and no shape a smaller one lacks */
        t->large++;
        free(words);
        random_source_finish(&source);
        return;
    }
    t->shaders++;
    t->stages[source.stage == SpvExecutionModelFragment ? 1
              : source.stage == SpvExecutionModelVertex ? 2
                                                        : 0]++;
    t->barriers += barriers;
    check_verdict verdict = check_words(c, words, count, &source, NULL, f.message);
    if (verdict == CHECK_UNUSABLE) {
        (void)printf("seed %llu: %s\n", (unsigned long long)seed, f.message);
        t->unusable++;
    } else if (verdict == CHECK_DRIVER) {
        unsigned mesa = c->simulated ? 0 : vkc_mesa_major(c->device);
        t->excluded++;
        if ((mesa == 0 || mesa >= 25) && (c->simulated || !vkc_is_swiftshader(c->device))) {
            t->failures++;
            explain(&f, words, count, folder);
        }
    }
    for (size_t i = 0; verdict == CHECK_EXACT && i < check_config_count; i++) {
        f.config = &check_configs[i];
        bool wanted = c->simulated && !only ? true
                      : only                ? strcmp(only, "all") == 0 || strcmp(only, f.config->name) == 0
                                            : (seed / 2 + i) % f.config->every == 0;
        if (!wanted)
            continue;
        check_verdict counted = check_words(c, words, count, &source, f.config, f.message);
        t->checks += counted != CHECK_UNUSABLE;
        t->large += counted == CHECK_UNUSABLE;
        if (counted == CHECK_WRONG) {
            t->failures++;
            explain(&f, words, count, folder);
        }
    }
    free(words);
    random_source_finish(&source);
}

int main(int argc, char **argv)
{
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    static checker c;
    const char *why = "", *folder = argc > 1 ? argv[1] : ".";
    const char *driver = getenv("WPG_RANDOM_DRIVER");
    if (!checker_open(&c, driver && strcmp(driver, "none") == 0, setting("WPG_RANDOM_GLSL", 1), &why)) {
        (void)printf("skip: %s\n", why);
        checker_close(&c);
        return 77;
    }
    tally t = {0};
    uint64_t first = setting("WPG_RANDOM_SEED", 1), count = setting("WPG_RANDOM_KERNELS", 60);
    time_t begin = time(NULL), limit = (time_t)setting("WPG_RANDOM_SECONDS", 3600);
    for (uint64_t i = 0; i < count && t.failures < MOST_FAILURES && time(NULL) - begin < limit; i++)
        one_shader(&c, &t, first + i, folder);
    char waves[32] = "4 to 64";
    if (!c.simulated)
        (void)snprintf(waves, sizeof waves, "%u", vkc_subgroup_size(c.device));
    (void)printf("%s, %s, waves of %s: %llu shaders from seed %llu (%llu compute, %llu fragment, %llu "
                 "vertex), %llu with barriers, %llu checks, %llu "
                 "blocks, %llu block executions by waves, %llu numbers of selects and probes, %u functions "
                 "left as calls; %llu excluded as the "
                 "driver's own output is wrong, %llu unusable, %llu too large, %llu failures\n",
                 c.simulated ? "interpreter" : vkc_name(c.device),
                 c.simulated ? "in step" : vkc_driver(c.device), waves, (unsigned long long)t.shaders,
                 (unsigned long long)first, (unsigned long long)t.stages[0], (unsigned long long)t.stages[1],
                 (unsigned long long)t.stages[2], (unsigned long long)t.barriers,
                 (unsigned long long)t.checks, (unsigned long long)c.compared.blocks,
                 (unsigned long long)c.compared.executions, (unsigned long long)c.compared.numbers,
                 c.compared.functions, (unsigned long long)t.excluded, (unsigned long long)t.unusable,
                 (unsigned long long)t.large, (unsigned long long)t.failures);
    checker_close(&c);
    /* A run in which nearly everything is left out says nothing. */
    bool little = t.shaders == 0 || (t.excluded + t.unusable) * 2 > t.shaders;
    return t.failures || little ? 1 : 0;
}
