/* The program of the end-to-end tests about behaviour: a plain Vulkan program with the scenarios below. What
 * it prints to standard output must not depend on whether a layer is there.
 *
 *     app SCENARIO SPIRV-FOLDER [ARGUMENT]
 *
 *     compute      one dispatch, prints a checksum of its results
 *     old          the same as a Vulkan 1.0 program
 *     draw         a full-screen pass, prints a checksum of the pixels and how many
 *     malformed    creates shader modules of malformed words and prints each VkResult, then runs compute
 *     unread       compute with a module of a SPIR-V version that does not exist: the driver refuses
 *                  the pipeline
 *     invalid      breaks a rule of Vulkan that drivers do not mind (a buffer of no bytes), then computes
 *     leave        computes, then returns from main without destroying anything
 *     leave-early, leave-late
 *                  the same, but a handler of exit destroys it, registered before all or after all
 *     cut          computes, then ends as ARGUMENT says: quick_exit, _exit, abort, exec, or a signal's name
 *     cut-twice    the same on a second device, after a first one has computed and was destroyed
 *     fork         computes; a child then leaves by exit(0) while the parent goes on to its end
 *     forever      dispatches until it is killed; prints "ready" once, after ARGUMENT seconds
 *     late         as forever; before it prints "ready" it makes a second pipeline, and uses that one
 *     steady       as forever, and prints at once after each dispatch how many there were, and milliseconds
 *     threads      four threads make, use and destroy pipelines of one device at once
 *     core         compute, the device asked for with pEnabledFeatures alone
 *     versions     compute, the device asked for with the Vulkan11, 12 and 13 structures
 *     hooks        prints which library each device command leads to (that does depend on a layer)
 *     batch, derive, required, library, library-*, inline
 *                  ways of making pipelines: app_pipelines.c
 *     features     what shaders and pipelines may ask for beside the plain core: app_features.c
 *     dynamic-state, dynamic-linked
 *                  blending and masks as dynamic state, whole and linked: app_features.c
 *     many         many threads, devices and instances: app_many.c
 *     objects      shader objects: app_objects.c
 *     answers      what is told of pipelines that are at hand or not: app_answers.c
 *     variants, variants-train
 *                  push constants of usual and other values: app_variants.c
 *     shapes, shapes-train
 *                  push constants that belong together, and otherwise: app_variants.c
 *     variants-draw, variants-rendering, variants-linked, variants-draw-train
 *                  the same of draws: app_variants_draw.c
 *     contents, contents-train
 *                  what uniform blocks hold, changed in every way: app_contents.c
 *     divide, divide-all, counted, counted-all
 *                  divisors in a uniform buffer: app_divide.c
 *     push, push-core
 *                  push descriptors, by extensions and by Vulkan 1.4; ARGUMENT old: not by the commands of
 *                  VK_KHR_maintenance6: app_push.c
 *     stages       outputs that nobody reads: app_stages.c
 *     variants-feedback
 *                  and while transform feedback is active
 *     record, record-threads
 *                  command buffers whose draws, dispatches and push constants are known: app_record.c
 *     crowd        as many pipelines as ARGUMENT says, all alive: app_crowd.c
 *     churn        the same, one after the other: app_churn.c
 *     churn-parts, churn-objects
 *                  the same of linked pipelines, of shader objects
 *     named        computes with a module named "e2e module" and a pipeline named "e2e pipeline" once they
 *                  are there
 *     twice        opens and closes two devices in turn, both computing */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/e2e/app.h"

enum { THREADS = 4, ROUNDS = 12 };

static const char *folder;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;

void app_read_shader(uint32_t **words, size_t *count, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.spv", folder, name);
    vk_read_spirv(words, count, path);
}

VkShaderModule app_load(vk_program *vk, const char *name)
{
    return vk_load(vk, folder, name);
}

uint32_t app_checksum(const uint32_t *words, size_t count)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ words[i]) * 16777619u;
    return sum;
}

void app_fill(vk_program *vk)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < vk->buffers[0].count; i++) {
        state = state * 1664525u + 1013904223u;
        vk->buffers[0].words[i] = state >> 8;
    }
}

static VkPipeline make_pipeline(vk_program *vk, const uint32_t *words, size_t count)
{
    VkResult result;
    VkShaderModule module = vk_module(vk, words, count, &result);
    vk_stage stage = {.stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module};
    VkPipeline pipeline = module ? vk_compute_pipeline(vk, stage, &result) : VK_NULL_HANDLE;
    if (!pipeline) {
        printf("no pipeline: VkResult %d\n", (int)result);
        exit(VK_EXIT_FAILURE);
    }
    vkDestroyShaderModule(vk->device, module, NULL); /* allowed once the pipeline exists */
    return pipeline;
}

static void compute(vk_program *vk, const uint32_t *words, size_t count)
{
    app_fill(vk);
    VkPipeline pipeline = make_pipeline(vk, words, count);
    vk_dispatch(vk, pipeline, APP_INVOCATIONS / 32);
    printf("compute %08x\n", app_checksum(vk->buffers[1].words, APP_INVOCATIONS));
    vkDestroyPipeline(vk->device, pipeline, NULL);
}

static void draw(vk_program *vk)
{
    VkResult result;
    uint32_t *words[2];
    size_t count[2];
    app_read_shader(&words[0], &count[0], "triangle.vert");
    app_read_shader(&words[1], &count[1], "gradient.frag");
    vk_stage stages[2] = {
        {.stage = VK_SHADER_STAGE_VERTEX_BIT, .module = vk_module(vk, words[0], count[0], &result)},
        {.stage = VK_SHADER_STAGE_FRAGMENT_BIT, .module = vk_module(vk, words[1], count[1], &result)}};
    VkPipeline pipeline = vk_graphics_pipeline(vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, &result);
    if (!pipeline) {
        printf("no pipeline: VkResult %d\n", (int)result);
        exit(VK_EXIT_FAILURE);
    }
    vk_draw(vk, pipeline, 3);
    printf("draw %08x of %d pixels\n", app_checksum(vk->pixels.words, VK_WIDTH * VK_HEIGHT),
           VK_WIDTH * VK_HEIGHT);
    vkDestroyPipeline(vk->device, pipeline, NULL);
    for (int i = 0; i < 2; i++) {
        vkDestroyShaderModule(vk->device, stages[i].module, NULL);
        free(words[i]);
    }
}

/* Words that no reader may trust, made of a good module. None is given to a pipeline: what a driver does with
 * them then is its own affair. */
static void malformed(vk_program *vk, const uint32_t *good, size_t count)
{
    uint32_t *words = malloc(count * 4 + 64);
    if (!words)
        exit(VK_EXIT_FAILURE);
    for (int kind = 0; kind < 8; kind++) {
        size_t n = count;
        memcpy(words, good, count * 4);
        switch (kind) {
        case 0:
            words[0] = 0xdeadbeef;
            break; /* no magic */
        case 1:
            n = 3;
            break; /* ends in the header */
        case 2:
            n = count - 2;
            break; /* ends in an instruction */
        case 3:
            words[3] = 2;
            break; /* ids beyond the bound */
        case 4:
            words[5] = words[5] & 0xffff;
            break; /* an instruction of no words */
        case 5:
            words[5] = 0xffff0000u | words[5];
            break; /* one longer than the module */
        case 6:
            words[3] = 0xffffffff;
            break; /* a bound beyond every limit */
        default:
            memset(words + 5, 0xff, (count - 5) * 4); /* nothing but noise */
        }
        VkResult result;
        VkShaderModule module = vk_module(vk, words, n, &result);
        printf("malformed %d: VkResult %d\n", kind, (int)result);
        vkDestroyShaderModule(vk->device, module, NULL);
    }
    free(words);
}

static void invalid(vk_program *vk)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
    VkBuffer buffer = VK_NULL_HANDLE;
    vkCreateBuffer(vk->device, &info, NULL, &buffer);
    vkDestroyBuffer(vk->device, buffer, NULL);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static VkPipeline late_pipeline(vk_program *vk)
{
    uint32_t *words;
    size_t count;
    app_read_shader(&words, &count, "waves.comp");
    VkPipeline pipeline = make_pipeline(vk, words, count);
    free(words);
    return pipeline;
}

static void forever(vk_program *vk, const uint32_t *words, size_t count, double seconds, const char *scenario)
{
    const bool steady = strcmp(scenario, "steady") == 0, late = strcmp(scenario, "late") == 0;
    app_fill(vk);
    VkPipeline pipeline = make_pipeline(vk, words, count);
    double start = now();
    bool said = false;
    for (unsigned n = 1;; n++) {
        vk_dispatch(vk, pipeline, APP_INVOCATIONS / 32);
        if (steady) {
            printf("%u %.0f\n", n, (now() - start) * 1e3);
            fflush(stdout);
        }
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
        if (!said && !steady && now() - start > seconds) {
            if (late)
                pipeline = late_pipeline(vk);
            printf("ready\n");
            fflush(stdout);
            said = true;
        }
        if (now() - start > 300)
            exit(VK_EXIT_FAILURE); /* nobody killed it */
    }
}

static void give_name(vk_program *vk, VkObjectType type, uint64_t handle, const char *name)
{
    PFN_vkSetDebugUtilsObjectNameEXT set =
        (PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(vk->instance, "vkSetDebugUtilsObjectNameEXT");
    VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                          .objectType = type,
                                          .objectHandle = handle,
                                          .pObjectName = name};
    printf("name: VkResult %d\n", set ? (int)set(vk->device, &info) : -1);
}

static void named_objects(vk_program *vk, const uint32_t *words, size_t count)
{
    VkResult result;
    app_fill(vk);
    VkShaderModule module = vk_module(vk, words, count, &result);
    give_name(vk, VK_OBJECT_TYPE_SHADER_MODULE, (uint64_t)module, "e2e module");
    VkPipeline pipeline =
        vk_compute_pipeline(vk, (vk_stage){.stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module}, &result);
    give_name(vk, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline, "e2e pipeline");
    give_name(vk, VK_OBJECT_TYPE_SHADER_MODULE, (uint64_t)module, "e2e module, late");
    vk_dispatch(vk, pipeline, APP_INVOCATIONS / 32);
    printf("named %08x\n", app_checksum(vk->buffers[1].words, APP_INVOCATIONS));
    vkDestroyPipeline(vk->device, pipeline, NULL);
    vkDestroyShaderModule(vk->device, module, NULL);
}

typedef struct worker {
    vk_program *vk;
    const uint32_t *words;
    size_t count;
    uint32_t sum;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (int round = 0; round < ROUNDS; round++) {
        VkPipeline pipeline = make_pipeline(w->vk, w->words, w->count);
        pthread_mutex_lock(&queue_lock);
        vk_dispatch(w->vk, pipeline, APP_INVOCATIONS / 32);
        w->sum += app_checksum(w->vk->buffers[1].words, APP_INVOCATIONS);
        pthread_mutex_unlock(&queue_lock);
        vkDestroyPipeline(w->vk->device, pipeline, NULL);
    }
    return NULL;
}

static void threads(vk_program *vk, const uint32_t *words, size_t count)
{
    app_fill(vk);
    pthread_t ids[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){vk, words, count, 0};
        pthread_create(&ids[i], NULL, work, &workers[i]);
    }
    uint32_t sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(ids[i], NULL);
        sum += workers[i].sum;
    }
    printf("threads %08x\n", sum);
}

static vk_style style(const char *scenario)
{
    static const struct {
        const char *scenario;
        vk_style style;
    } table[] = {{"old", VK_STYLE_CORE},
                 {"core", VK_STYLE_CORE},
                 {"versions", VK_STYLE_VERSIONS},
                 {"library", VK_STYLE_LIBRARY},
                 {"inline", VK_STYLE_LIBRARY},
                 {"stages", VK_STYLE_LIBRARY},
                 {"required", VK_STYLE_LIBRARY},
                 {"batch", VK_STYLE_VERSIONS},
                 {"derive", VK_STYLE_VERSIONS},
                 {"objects", VK_STYLE_OBJECTS},
                 {"churn-parts", VK_STYLE_LIBRARY},
                 {"churn-objects", VK_STYLE_OBJECTS},
                 {"answers", VK_STYLE_ANSWERS},
                 {"features", VK_STYLE_EVERYTHING},
                 {"dynamic-state", VK_STYLE_DYNAMIC},
                 {"dynamic-linked", VK_STYLE_DYNAMIC},
                 {"push", VK_STYLE_PUSH},
                 {"push-core", VK_STYLE_PUSH_CORE},
                 {"variants-rendering", VK_STYLE_VERSIONS},
                 {"variants-linked", VK_STYLE_LIBRARY},
                 {"variants-feedback", VK_STYLE_FEEDBACK}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(scenario, table[i].scenario) == 0)
            return table[i].style;
    if (strncmp(scenario, "library-", 8) == 0)
        return VK_STYLE_LIBRARY;
    return VK_STYLE_FEATURES2;
}

static uint32_t api_version(const char *scenario)
{
    if (strcmp(scenario, "old") == 0)
        return VK_API_VERSION_1_0;
    if (strcmp(scenario, "push-core") == 0)
        return VK_MAKE_API_VERSION(0, 1, 4, 0);
    return style(scenario) >= VK_STYLE_VERSIONS ? VK_API_VERSION_1_3 : VK_API_VERSION_1_1;
}

/* Ends the process in a way that runs no destructor. */
static void cut(const char *way)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"SIGINT", SIGINT}, {"SIGTERM", SIGTERM}, {"SIGKILL", SIGKILL}};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (strcmp(way, signals[i].name) == 0) {
            (void)signal(signals[i].number, SIG_DFL);
            (void)raise(signals[i].number);
        }
    if (strcmp(way, "quick_exit") == 0)
        quick_exit(0);
    if (strcmp(way, "exec") == 0)
        (void)execlp("true", "true", (char *)NULL);
    if (strcmp(way, "abort") == 0)
        abort();
    _exit(0);
}

static vk_program vk;
static bool left; /* for the handler to destroy */

static void close_left(void)
{
    if (left)
        vk_close(&vk);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: app SCENARIO SPIRV-FOLDER [ARGUMENT]\n");
        return 2;
    }
    const char *scenario = argv[1];
    folder = argv[2];
    uint32_t *words;
    size_t count;
    app_read_shader(&words, &count, "count.comp");
    if (strcmp(scenario, "leave-early") == 0)
        (void)atexit(close_left);
    if (strcmp(scenario, "many") == 0) {
        app_many(argc > 3 ? argv[3] : NULL);
        free(words);
        return 0;
    }
    bool again = strcmp(scenario, "twice") == 0 || strcmp(scenario, "cut-twice") == 0;
    vk_debug_utils = strcmp(scenario, "named") == 0;
again:
    vk_open(&vk, api_version(scenario), style(scenario), APP_WORDS);
    if (strcmp(scenario, "draw") == 0)
        draw(&vk);
    else if (strcmp(scenario, "forever") == 0 || strcmp(scenario, "steady") == 0 ||
             strcmp(scenario, "late") == 0)
        forever(&vk, words, count, argc > 3 ? strtod(argv[3], NULL) : 1.0, scenario);
    else if (strcmp(scenario, "named") == 0)
        named_objects(&vk, words, count);
    else if (strcmp(scenario, "threads") == 0)
        threads(&vk, words, count);
    else if (strcmp(scenario, "hooks") == 0)
        app_hooks(&vk);
    else if (strcmp(scenario, "batch") == 0 || strcmp(scenario, "derive") == 0)
        app_batch(&vk, words, count, strcmp(scenario, "derive") == 0);
    else if (strcmp(scenario, "record") == 0)
        app_record(&vk, words, count);
    else if (strcmp(scenario, "variants-train") == 0)
        app_variants_train(&vk);
    else if (strcmp(scenario, "variants") == 0)
        app_variants(&vk);
    else if (strcmp(scenario, "shapes") == 0 || strcmp(scenario, "shapes-train") == 0)
        app_shapes(&vk, strcmp(scenario, "shapes-train") == 0);
    else if (strcmp(scenario, "variants-draw-train") == 0)
        app_variants_draw_train(&vk);
    else if (strcmp(scenario, "variants-draw") == 0)
        app_variants_draw(&vk, APP_VARIANTS_PASS);
    else if (strcmp(scenario, "variants-rendering") == 0)
        app_variants_draw(&vk, APP_VARIANTS_RENDERING);
    else if (strcmp(scenario, "variants-linked") == 0)
        app_variants_draw(&vk, APP_VARIANTS_LINKED);
    else if (strcmp(scenario, "variants-feedback") == 0)
        app_variants_feedback(&vk);
    else if (strcmp(scenario, "contents-train") == 0)
        app_contents_train(&vk);
    else if (strcmp(scenario, "contents") == 0)
        app_contents(&vk, argc > 3 ? argv[3] : NULL);
    else if (strncmp(scenario, "divide", 6) == 0 || strncmp(scenario, "counted", 7) == 0)
        app_divide(&vk, scenario);
    else if (strncmp(scenario, "push", 4) == 0)
        app_push(&vk, strcmp(scenario, "push-core") == 0, argc > 3 && strcmp(argv[3], "old") == 0);
    else if (strcmp(scenario, "record-threads") == 0)
        app_record_threads(&vk);
    else if (strcmp(scenario, "required") == 0)
        app_required(&vk, words, count);
    else if (strncmp(scenario, "library", 7) == 0)
        app_library(&vk, scenario);
    else if (strcmp(scenario, "stages") == 0)
        app_stages(&vk);
    else if (strcmp(scenario, "inline") == 0)
        app_inline(&vk);
    else if (strcmp(scenario, "crowd") == 0)
        app_crowd(&vk, argc > 3 ? argv[3] : NULL);
    else if (strncmp(scenario, "churn", 5) == 0)
        app_churn(&vk, scenario, argc > 3 ? argv[3] : NULL);
    else if (strcmp(scenario, "objects") == 0)
        app_objects(&vk);
    else if (strcmp(scenario, "features") == 0)
        app_features(&vk, argc > 3 ? argv[3] : NULL);
    else if (strncmp(scenario, "dynamic-", 8) == 0)
        app_dynamic_state(&vk, strcmp(scenario, "dynamic-linked") == 0);
    else if (strcmp(scenario, "answers") == 0)
        app_answers(&vk, argc > 3 ? argv[3] : NULL);
    else {
        if (strcmp(scenario, "malformed") == 0)
            malformed(&vk, words, count);
        if (strcmp(scenario, "invalid") == 0)
            invalid(&vk);
        if (strcmp(scenario, "unread") == 0)
            words[1] = 0x00010900;
        compute(&vk, words, count);
    }
    fflush(stdout);
    left = strncmp(scenario, "leave", 5) == 0;
    if (strcmp(scenario, "leave-late") == 0)
        (void)atexit(close_left);
    if (left)
        return 0;
    if (strncmp(scenario, "cut", 3) == 0 && !again)
        cut(argc > 3 ? argv[3] : "_exit");
    if (strcmp(scenario, "fork") == 0) {
        pid_t child = fork();
        if (child == 0)
            exit(0);
        int status = 0;
        waitpid(child, &status, 0);
        printf("child ended with %d\n", status);
    }
    vk_close(&vk);
    if (again) {
        again = false;
        goto again;
    }
    free(words);
    return 0;
}
