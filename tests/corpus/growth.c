/* What counting makes of modules, and what that costs a driver's compiler:
 *
 *     growth [-s] [-o] [-l SECONDS] [-n TIMES] [-p PROBES] [-F FORMS]
 *            -v VERTEX.spv -f FRAGMENT.spv FILE.spv...
 *
 * FILE "-": the names are read from standard input.
 *
 * A line for each first entry point (fragment and compute) and each form: file, form, words, blocks, phis,
 * milliseconds of processor time in the driver, all threads; "-" where it did not end within the limit, or
 * crashed. Limit 0: nothing is compiled. -s: the driver suspends at barriers. -o: it loops over lanes. Forms:
 * as given, in normal form, each strategy, `auto` without tables (direct), and with the usual budget. Each
 * form (of FORMS, or all) is compiled in a process of its own, after a small pipeline of VERTEX and FRAGMENT;
 * TIMES times (1), the forms by turns, and the least time is written. PROBES: as the setting, none by
 * default. Nothing of the shader runs: lavapipe, which compiles at the first use, is given a draw without
 * pixels or a dispatch of no groups. Threads: one. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compiler/instrument/code/instrument.h"
#include "compiler/normalize/normalize.h"
#include "runtime/base/file.h"
#include "tests/corpus/layout.h"
#include "tests/support/targets.h"

static unsigned limit = 60; /* seconds; 0: nothing is compiled */
static bool suspends, loops;
static unsigned times = 1;
static const char *vertex_path, *fragment_path, *wanted, *probes = "none";

enum { AS_GIVEN = -2, NORMAL_FORM = -1, WITH_BUDGET = 100, WITHOUT_TABLES, BUDGET = 8 };

static const struct form {
    const char *name;
    int strategy; /* wpg_strategy_choice; or one of the two below */
} forms[] = {{"given", AS_GIVEN},
             {"normal", NORMAL_FORM},
             {"auto", WPG_STRATEGY_AUTO},
             {"derived", WPG_STRATEGY_DERIVED},
             {"additive", WPG_STRATEGY_ADDITIVE},
             {"naive", WPG_STRATEGY_NAIVE},
             {"lane", WPG_STRATEGY_LANE},
             {"direct", WITHOUT_TABLES},
             {"budget", WITH_BUDGET}};
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct subject {
    uint32_t *words;
    size_t count;
    wpg_stage stage;
    layout layout;
} subject;

static double processor_time(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* False: this program cannot give the stage what it takes. */
static bool read_subject(subject *s, const wpg_module *module)
{
    const wpg_inst *entry = NULL;
    for (const wpg_inst *i = module->first; i && !entry; i = i->next)
        entry = i->opcode == SpvOpEntryPoint ? i : NULL;
    if (!entry ||
        (entry->words[1] != SpvExecutionModelFragment && entry->words[1] != SpvExecutionModelGLCompute))
        return false;
    s->stage = (wpg_stage){.model = (SpvExecutionModel)entry->words[1], .entry = wpg_inst_string(entry, 3)};
    return layout_read(&s->layout, module);
}

/* The words of a form; false where it is passed through. */
static bool make_words(uint32_t **words, size_t *count, const subject *s, int strategy)
{
    wpg_instrument_options options = {.target = wpg_target_of_most,
                                      .directory_entry = UINT64_C(0x100000000000),
                                      .select_sites = true,
                                      .select_work = 6,
                                      .strategy = strategy >= WITH_BUDGET ? WPG_STRATEGY_AUTO
                                                                          : (wpg_strategy_choice)strategy,
                                      .no_paths = strategy == WITHOUT_TABLES,
                                      .budget = strategy == WITH_BUDGET ? BUDGET : 0};
    wpg_module *module = NULL;
    wpg_counter_map *map = NULL;
    options.target.suspends_at_barriers = suspends;
    options.target.loops_over_lanes = loops;
    if (wpg_probes_parse(&options.probes, probes, NULL) != WPG_OK) {
        (void)fprintf(stderr, "growth: PROBES '%s' is no list of probes\n", probes);
        exit(2);
    }
    if (strategy == AS_GIVEN) {
        *words = s->words;
        *count = s->count;
        return true;
    }
    return wpg_module_parse(&module, s->words, s->count, NULL) == WPG_OK &&
           wpg_normalize(module, &s->stage, NULL, NULL) == WPG_OK &&
           (strategy == NORMAL_FORM || wpg_instrument(&map, module, &s->stage, &options, NULL) == WPG_OK) &&
           wpg_module_emit(words, count, module, NULL) == WPG_OK;
}

static unsigned count_of(const uint32_t *words, size_t count, SpvOp opcode)
{
    unsigned found = 0;
    for (size_t at = 5; at < count && words[at] >> 16; at += words[at] >> 16)
        found += (words[at] & 0xffff) == (uint32_t)opcode;
    return found;
}

static void draw(vk_program *vk, const vk_stage stages[2], VkPipelineLayout of)
{
    vk_state state;
    VkPipeline pipeline;
    vk_fill_state(&state, vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    state.info.layout = of;
    state.scissor.extent = (VkExtent2D){0, 0};
    VK_MUST(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &state.info, NULL, &pipeline));
    if (!vk->memoryless)
        vk_draw(vk, pipeline, 3);
    vkDestroyPipeline(vk->device, pipeline, NULL);
}

static void dispatch(vk_program *vk, vk_stage stage, VkPipelineLayout of)
{
    VkPipeline pipeline;
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .stage = vk_stage_info(stage), .layout = of};
    VK_MUST(vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    if (!vk->memoryless)
        vk_dispatch(vk, pipeline, 0);
    vkDestroyPipeline(vk->device, pipeline, NULL);
}

static void read_words(uint32_t **words, size_t *count, const char *path)
{
    vk_read_spirv(words, count, path);
}

/* Writes the milliseconds to `out`. */
static void child(const subject *s, const uint32_t *words, size_t count, FILE *out)
{
    vk_program vk;
    VkResult result;
    VkDescriptorSetLayout sets[LAYOUT_SETS];
    uint32_t *vertex_words, *fragment_words;
    size_t vertex_count, fragment_count;
    vk_open(&vk, VK_API_VERSION_1_3, VK_STYLE_VERSIONS, 64);
    read_words(&vertex_words, &vertex_count, vertex_path);
    read_words(&fragment_words, &fragment_count, fragment_path);
    vk_stage stages[2] = {
        {VK_SHADER_STAGE_VERTEX_BIT, vk_module(&vk, vertex_words, vertex_count, &result), NULL},
        {VK_SHADER_STAGE_FRAGMENT_BIT, vk_module(&vk, fragment_words, fragment_count, &result), NULL}};
    draw(&vk, stages, vk.layout);
    layout_make(sets, &vk, &s->layout);
    VkPipelineLayout of;
    const VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, 128};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = LAYOUT_SETS,
                                             .pSetLayouts = sets,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &range};
    VK_MUST(vkCreatePipelineLayout(vk.device, &info, NULL, &of));
    VkShaderModule module = vk_module(&vk, words, count, &result);
    double began = processor_time();
    if (s->stage.model == SpvExecutionModelFragment) {
        stages[1].module = module;
        draw(&vk, stages, of);
    } else {
        dispatch(&vk, (vk_stage){VK_SHADER_STAGE_COMPUTE_BIT, module, NULL}, of);
    }
    (void)fprintf(out, "%.2f", processor_time() - began);
    (void)fflush(out);
    _exit(0);
}

/* Milliseconds; below 0: it did not end. */
static double compile(const subject *s, const uint32_t *words, size_t count)
{
    char text[64] = "";
    int ends[2], status;
    if (pipe(ends) != 0)
        exit(2);
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        (void)alarm(limit);
        (void)close(STDIN_FILENO); /* the end of this process would move it back to what was not read */
        child(s, words, count, fdopen(ends[1], "w"));
    }
    (void)close(ends[1]);
    ssize_t got = read(ends[0], text, sizeof text - 1);
    (void)close(ends[0]);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        exit(2);
    return got > 0 ? strtod(text, NULL) : -1;
}

static bool is_wanted(const struct form *form)
{
    return !wanted || strstr(wanted, form->name);
}

static void measure(const char *file, const subject *s)
{
    uint32_t *words[FORMS] = {0};
    size_t count[FORMS];
    double ms[FORMS];
    for (size_t f = 0; f < FORMS; f++)
        if (is_wanted(&forms[f]) && !make_words(&words[f], &count[f], s, forms[f].strategy))
            words[f] = NULL;
    for (unsigned turn = 0; turn < times; turn++)
        for (size_t f = 0; f < FORMS; f++) {
            if (!words[f] || (turn && ms[f] < 0))
                continue;
            const double one = limit ? compile(s, words[f], count[f]) : -1;
            ms[f] = !turn || one < ms[f] ? one : ms[f];
        }
    for (size_t f = 0; f < FORMS; f++) {
        if (!words[f])
            continue;
        printf("%s\t%s\t%zu\t%u\t%u\t", file, forms[f].name, count[f],
               count_of(words[f], count[f], SpvOpLabel), count_of(words[f], count[f], SpvOpPhi));
        printf(ms[f] < 0 ? "-\n" : "%.2f\n", ms[f]);
        if (words[f] != s->words)
            free(words[f]);
    }
}

static void check(const char *file)
{
    subject s = {0};
    uint8_t *data;
    size_t size;
    wpg_module *module = NULL;
    const char *slash = strrchr(file, '/');
    if (wpg_file_read(&data, &size, file, (size_t)64 << 20, NULL) != WPG_OK)
        return;
    s.words = (uint32_t *)(void *)data;
    s.count = size / 4;
    if (wpg_module_parse(&module, s.words, s.count, NULL) == WPG_OK && read_subject(&s, module))
        measure(slash ? slash + 1 : file, &s);
    wpg_module_destroy(module);
    free(data);
}

int main(int argc, char **argv)
{
    char line[4096];
    int option;
    while ((option = getopt(argc, argv, "sol:n:p:v:f:F:")) != -1)
        if (option == 's')
            suspends = true;
        else if (option == 'o')
            loops = true;
        else if (option == 'l')
            limit = (unsigned)strtoul(optarg, NULL, 10);
        else if (option == 'n')
            times = (unsigned)strtoul(optarg, NULL, 10);
        else if (option == 'p')
            probes = optarg;
        else if (option == 'F')
            wanted = optarg;
        else if (option == 'v')
            vertex_path = optarg;
        else if (option == 'f')
            fragment_path = optarg;
        else
            return 2;
    for (int i = optind; i < argc; i++) {
        if (strcmp(argv[i], "-") != 0) {
            check(argv[i]);
            continue;
        }
        while (fgets(line, sizeof line, stdin)) {
            line[strcspn(line, "\n")] = 0;
            check(line);
        }
    }
    return 0;
}
