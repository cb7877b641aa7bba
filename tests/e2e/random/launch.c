/* See launch.h. */
#include "tests/e2e/random/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/assemble.h"

static bool is_fragment(const random_source *source)
{
    return source->stage == SpvExecutionModelFragment;
}

bool launch_wants_report(const checker *c, const random_source *source)
{
    return !c->simulated && source->stage != SpvExecutionModelGLCompute;
}

static bool refuse(checker *c, const char *why)
{
    (void)snprintf(c->refused, sizeof c->refused, "%s", why);
    return false;
}

/* -- Opening ------------------------------------------------------------------------------------------- */

static bool open_simulated(checker *c)
{
    c->counters = (vkc_buffer){calloc(1, COUNTER_BYTES), COUNTER_BYTES, UINT64_C(0x7f0000001000), NULL};
    bool made = c->counters.data != NULL;
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++) {
        size_t size = RANDOM_WORDS * sizeof(uint32_t);
        c->buffers[i] = (vkc_buffer){calloc(1, size), size, 0, NULL};
        made = made && c->buffers[i].data;
    }
    return made;
}

/* The first number of the triangle's fragments, for each of them; its corners by push constants. */
static const char vertex_text[] =
    "#version 450\nlayout(push_constant) uniform Corners { vec2 corners[%u]; };\n"
    "layout(location = 0) flat out uint first;\n"
    "void main() { gl_Position = vec4(corners[gl_VertexIndex], 0.5, 1.0);\n"
    "first = uint(gl_VertexIndex) / 3u * %uu; }\n";

static bool make_vertex_shader(checker *c)
{
    char text[sizeof vertex_text + 32];
    (void)snprintf(text, sizeof text, vertex_text, 3u * RANDOM_TRIANGLES, (unsigned)RANDOM_PIXELS);
    return assemble_glsl(&c->vertex_words, &c->vertex_count, text, "vert", "vulkan1.1");
}

bool checker_open(checker *c, bool simulated, bool glsl, const char **why)
{
    memset(c, 0, sizeof *c);
    c->simulated = simulated;
    if (simulated)
        return open_simulated(c);
    c->device = vkc_open(why);
    if (!c->device)
        return false;
    bool made = vkc_buffer_make(&c->counters, c->device, COUNTER_BYTES) && c->counters.address;
    for (unsigned i = 0; made && i < RANDOM_BUFFERS; i++)
        made = vkc_buffer_make(&c->buffers[i], c->device, RANDOM_WORDS * sizeof(uint32_t));
    if (glsl)
        make_vertex_shader(c);
    *why = "no buffer with a device address";
    return made;
}

void checker_close(checker *c)
{
    if (c->simulated) {
        for (unsigned i = 0; i < RANDOM_BUFFERS; i++)
            free(c->buffers[i].data);
        free(c->counters.data);
        return;
    }
    if (!c->device)
        return;
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++)
        vkc_buffer_free(&c->buffers[i], c->device);
    for (unsigned i = 0; i < sizeof c->shapes / sizeof *c->shapes; i++)
        free(c->shapes[i]);
    free(c->vertex_words);
    vkc_buffer_free(&c->counters, c->device);
    vkc_close(c->device);
}

bool checker_has_stage(const checker *c, SpvExecutionModel stage)
{
    if (stage == SpvExecutionModelGLCompute)
        return true;
    if (stage == SpvExecutionModelFragment)
        return c->simulated || (c->vertex_words && vkc_has_stage(c->device, VKC_FRAGMENT) &&
                                vkc_has_subgroups(c->device, VKC_FRAGMENT));
    /* SwiftShader fills waves of vertices with further invocations, which it counts. */
    return !c->simulated && vkc_has_stage(c->device, VKC_VERTEX) && !vkc_is_swiftshader(c->device);
}

bool checker_has_subgroups(const checker *c, SpvExecutionModel stage)
{
    return c->simulated || vkc_has_subgroups(c->device, stage == SpvExecutionModelGLCompute  ? VKC_COMPUTE
                                                        : stage == SpvExecutionModelFragment ? VKC_FRAGMENT
                                                                                             : VKC_VERTEX);
}

uint32_t check_wave_size(const checker *c, const random_source *source)
{
    static const uint32_t sizes[] = {4, 8, 16, 32, 64};
    return c->simulated ? sizes[source->seed * 11 / 3 % 5] : vkc_subgroup_size(c->device);
}

/* -- Running ------------------------------------------------------------------------------------------- */

/* Wave by wave by the interpreter. */
static bool simulate(checker *c, const uint32_t *words, size_t count, const random_source *source)
{
    wpg_module *module = NULL;
    simt_counts counts = {.function_count = 0};
    simt_launch launch = {.local_size = source->local_size,
                          .groups = source->groups,
                          .width = RANDOM_WIDTH,
                          .pixels = RANDOM_PIXELS,
                          .waves = launch_waves(c, source),
                          .wave_size = check_wave_size(c, source),
                          .helpers = launch_helpers(c, source),
                          .memory_address = c->counters.address,
                          .memory = c->counters.data,
                          .memory_words = COUNTER_BYTES / sizeof(uint32_t)};
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++) {
        launch.buffers[i] = c->buffers[i].data;
        launch.buffer_words[i] = RANDOM_WORDS;
    }
    bool good =
        wpg_module_parse(&module, words, count, NULL) == WPG_OK && simt_run_waves(&counts, module, &launch);
    memcpy(c->refused, counts.error, sizeof c->refused);
    simt_counts_finish(&counts);
    wpg_module_destroy(module);
    return good;
}

/* Three corners of each triangle: much of the picture is covered, edges cut through quads and waves. */
static void place_corners(float *corners, uint64_t seed)
{
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (unsigned i = 0; i < 2 * 3 * RANDOM_TRIANGLES; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        corners[i] = (float)(state >> 40) * (2.8f / (1 << 24)) - 1.4f;
    }
}

static bool run_on_driver(checker *c, const uint32_t *words, size_t count, const random_source *source)
{
    float corners[VKC_PUSH_BYTES / sizeof(float)] = {0};
    vkc_job job = {.words = words, .word_count = count, .groups = {source->groups, 1, 1}};
    if (source->stage != SpvExecutionModelGLCompute) {
        bool fragment = is_fragment(source);
        job.vertices = fragment ? 3 * RANDOM_TRIANGLES : source->local_size;
        job.vertex_words = fragment ? c->vertex_words : NULL;
        job.vertex_word_count = c->vertex_count;
        job.width = RANDOM_WIDTH;
        job.height = RANDOM_HEIGHT;
        job.push = corners;
        place_corners(corners, source->seed);
    }
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++)
        job.bindings[i].buffer = &c->buffers[i];
    job.binding_count = RANDOM_BUFFERS;
    return vkc_run(c->device, &job, NULL) || refuse(c, "the driver refuses it");
}

/* The waves must be those that another shader over the same triangles had; each vertex must have run once. */
static bool check_report(checker *c, const random_source *source)
{
    const uint32_t *report = c->buffers[1].data;
    bool same = true;
    for (uint32_t i = 0; i < source->local_size; i++)
        same = same && report[i] == (is_fragment(source) ? c->drawn.waves[i] : 1);
    return same || refuse(c, "its waves are formed otherwise, or vertices run more than once");
}

bool launch_run(checker *c, const uint32_t *words, size_t count, const random_source *source)
{
    c->refused[0] = 0;
    if (is_fragment(source) && !launch_waves(c, source))
        return false;
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++)
        memcpy(c->buffers[i].data, source->buffers[i], sizeof source->buffers[i]);
    if (c->simulated)
        return simulate(c, words, count, source);
    bool good = run_on_driver(c, words, count, source);
    if (good && launch_wants_report(c, source)) {
        good = check_report(c, source);
        memcpy(c->buffers[1].data, source->buffers[1], sizeof source->buffers[1]);
    }
    return good;
}

/* -- Waves --------------------------------------------------------------------------------------------- */

/* Runs the smallest shader that reports; c->buffers[1] has what it says. */
static bool report_alone(checker *c, random_source *source)
{
    wpg_module *module = NULL;
    uint32_t *words = NULL;
    size_t count;
    bool good = source->words && wpg_module_parse(&module, source->words, source->count, NULL) == WPG_OK;
    if (good) {
        random_source_report(module, source);
        good = wpg_module_emit(&words, &count, module, NULL) == WPG_OK;
    }
    memset(c->buffers[1].data, 0, c->buffers[1].size);
    good = good && run_on_driver(c, words, count, source);
    free(words);
    wpg_module_destroy(module);
    return good;
}

static const uint32_t *simulated_waves(checker *c, const random_source *source)
{
    uint32_t size = source->local_size, wave = check_wave_size(c, source);
    for (uint32_t i = 0; i < RANDOM_WORDS; i++)
        c->simulated_shape[i] = i / size * size + i % size / wave * wave;
    return c->simulated_shape;
}

static const uint32_t *drawn_waves(checker *c, const random_source *source)
{
    if (c->drawn.known && c->drawn.seed == source->seed)
        return c->drawn.waves;
    random_source *trivial = calloc(1, sizeof *trivial);
    c->drawn.known = trivial && random_source_trivial(trivial, source->stage, source->local_size, 1);
    if (c->drawn.known) {
        trivial->seed = c->drawn.seed = source->seed;
        c->drawn.known = report_alone(c, trivial);
        memcpy(c->drawn.waves, c->buffers[1].data, sizeof c->drawn.waves);
        random_source_finish(trivial);
    }
    free(trivial);
    return c->drawn.known ? c->drawn.waves : NULL;
}

static const uint32_t *compute_waves(checker *c, const random_source *source)
{
    uint32_t size = source->local_size;
    if (size >= sizeof c->shapes / sizeof *c->shapes)
        return NULL;
    if (c->shapes[size])
        return c->shapes[size];
    random_source *trivial = calloc(1, sizeof *trivial);
    uint32_t *shape = malloc(RANDOM_WORDS * sizeof *shape), groups = RANDOM_WORDS / 3 / size;
    bool known = trivial && shape && random_source_trivial(trivial, source->stage, size, groups);
    if (known) {
        known = report_alone(c, trivial);
        memcpy(shape, c->buffers[1].data, RANDOM_WORDS * sizeof *shape);
        random_source_finish(trivial);
    }
    free(trivial);
    if (known)
        c->shapes[size] = shape;
    else
        free(shape);
    return c->shapes[size];
}

const uint32_t *launch_waves(checker *c, const random_source *source)
{
    if (c->simulated || source->stage == SpvExecutionModelVertex)
        return simulated_waves(c, source);
    return is_fragment(source) ? drawn_waves(c, source) : compute_waves(c, source);
}

const bool *launch_helpers(checker *c, const random_source *source)
{
    for (uint32_t i = 0; i < RANDOM_WORDS; i++)
        c->helpers[i] =
            c->simulated ? (i + source->seed) % (3 + source->seed % 11) == 0 : c->drawn.waves[i] == 0;
    return is_fragment(source) ? c->helpers : NULL;
}
