/* Ray-tracing pipelines under the layer: raygen, miss, closest-hit, any-hit, intersection and callable
 * shaders that count every block of theirs themselves (shaders/rays.glsl).
 *
 *     rays SCENARIO SPIRV-FOLDER [PROFILE-FOLDER]
 *
 *     plain, deferred    how the pipeline is made
 *     library            linked from a library of all stages but raygen, which the link adds
 *     many               every shader four times, most of them of no group
 *     replay             its group handles may be captured: not touched
 *     compile            not run
 *
 * Prints what the shaders computed, and how often blocks ran, by stage. With PROFILE-FOLDER (filled by the
 * layer when the device goes): each block's lanes must be what the shader itself has counted. Exit code 0 =
 * exact, 1 = not, 77 = the device cannot. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/profile_io.h"
#include "runtime/profile/shader_view.h"
#include "tests/e2e/oracle/block_map.h"
#include "tests/e2e/vk_rays.h"

enum { INPUTS, RESULTS, SEEN, WORDS = 4096, WIDTH = 1000, STAGES = 6, GROUPS = 5 };

static const struct {
    const char *name;
    VkShaderStageFlagBits bit;
    SpvExecutionModel model;
} kinds[STAGES] = {
    {"rgen", VK_SHADER_STAGE_RAYGEN_BIT_KHR, SpvExecutionModelRayGenerationKHR},
    {"rmiss", VK_SHADER_STAGE_MISS_BIT_KHR, SpvExecutionModelMissKHR},
    {"rchit", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, SpvExecutionModelClosestHitKHR},
    {"rahit", VK_SHADER_STAGE_ANY_HIT_BIT_KHR, SpvExecutionModelAnyHitKHR},
    {"rint", VK_SHADER_STAGE_INTERSECTION_BIT_KHR, SpvExecutionModelIntersectionKHR},
    {"rcall", VK_SHADER_STAGE_CALLABLE_BIT_KHR, SpvExecutionModelCallableKHR},
};

typedef struct shaders {
    vk_stage stages[STAGES];
    uint32_t *words[STAGES];
    size_t counts[STAGES];
} shaders;

static void die(const char *what, const char *which)
{
    fprintf(stderr, "rays: %s %s\n", what, which);
    exit(VK_EXIT_FAILURE);
}

static void load(shaders *all, vk_program *vk, const char *folder)
{
    for (int i = 0; i < STAGES; i++) {
        char path[1024];
        VkResult result;
        snprintf(path, sizeof path, "%s/rays.%s.spv", folder, kinds[i].name);
        vk_read_spirv(&all->words[i], &all->counts[i], path);
        all->stages[i] =
            (vk_stage){kinds[i].bit, vk_module(vk, all->words[i], all->counts[i], &result), NULL};
        if (!all->stages[i].module)
            die("no module of", path);
    }
}

/* Copies of the stages behind them: of no group, but compiled. */
static VkPipeline make_many(vk_program *vk, const shaders *all, VkResult *result)
{
    enum { COPIES = 4 };
    vk_rays rays;
    VkPipelineShaderStageCreateInfo stages[COPIES * STAGES];
    vk_rays_fill(&rays, vk, all->stages, STAGES);
    for (uint32_t i = 0; i < COPIES * STAGES; i++)
        stages[i] = rays.stages[(i < STAGES ? i : i * 5 + i / STAGES) % STAGES];
    rays.info.stageCount = COPIES * STAGES;
    rays.info.pStages = stages;
    return vk_rays_pipeline(vk, &rays.info, VK_RAYS_PLAIN, result);
}

/* A library of everything but the raygen shader; and the pipeline linked from it. */
static VkPipeline make_linked(vk_program *vk, const shaders *all, VkPipeline *library, VkResult *result)
{
    vk_rays part, link;
    vk_rays_fill(&part, vk, all->stages + 1, STAGES - 1);
    part.info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    part.info.pLibraryInterface = &part.interface;
    *library = vk_rays_pipeline(vk, &part.info, VK_RAYS_PLAIN, result);
    if (!*library)
        return VK_NULL_HANDLE;
    VkPipelineLibraryCreateInfoKHR libraries = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
                                                .libraryCount = 1,
                                                .pLibraries = library};
    vk_rays_fill(&link, vk, all->stages, 1);
    link.info.pLibraryInfo = &libraries;
    link.info.pLibraryInterface = &link.interface;
    return vk_rays_pipeline(vk, &link.info, VK_RAYS_PLAIN, result);
}

static void run(vk_program *vk, const shaders *all, const char *scenario)
{
    VkResult result;
    VkPipeline library = VK_NULL_HANDLE, pipeline;
    vk_rays rays;
    vk_rays_fill(&rays, vk, all->stages, STAGES);
    if (strcmp(scenario, "replay") == 0)
        rays.info.flags = VK_PIPELINE_CREATE_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR;
    if (strcmp(scenario, "library") == 0)
        pipeline = make_linked(vk, all, &library, &result);
    else if (strcmp(scenario, "many") == 0)
        pipeline = make_many(vk, all, &result);
    else
        pipeline = vk_rays_pipeline(
            vk, &rays.info, strcmp(scenario, "deferred") == 0 ? VK_RAYS_DEFERRED : VK_RAYS_PLAIN, &result);
    if (!pipeline)
        die("no pipeline for", scenario);
    if (!vk->memoryless && strcmp(scenario, "compile") != 0) {
        vk_scene scene;
        uint64_t state = 0x9e3779b97f4a7c15u;
        for (size_t i = 0; i < WORDS; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            vk->buffers[INPUTS].words[i] = (uint32_t)(state >> 33);
        }
        vk_scene_make(&scene, vk);
        vk_rays_trace(vk, pipeline, GROUPS, &scene, WIDTH);
        vk_scene_drop(&scene, vk);
    }
    vkDestroyPipeline(vk->device, pipeline, NULL);
    vkDestroyPipeline(vk->device, library, NULL);
    for (int i = 0; i < STAGES; i++)
        vkDestroyShaderModule(vk->device, all->stages[i].module, NULL);
}

/* -- The profile */

static wpg_profile *read_profiles(const char *folder)
{
    DIR *dir = opendir(folder);
    wpg_error err = {0};
    wpg_profile *profile = wpg_profile_create();
    if (!dir || !profile)
        die("cannot open", folder);
    for (struct dirent *e; (e = readdir(dir));) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (strstr(e->d_name, ".profraw") && wpg_profile_read_file(profile, NULL, path, &err) != WPG_OK)
            die("cannot read:", err.message);
    }
    closedir(dir);
    return profile;
}

static unsigned compare_stage(const wpg_shader_view *view, const shaders *all, int kind, const uint32_t *seen)
{
    static block_map map;
    const wpg_stage stage = {.model = kinds[kind].model, .entry = "main"};
    const wpg_shader_counts *counts = NULL;
    unsigned wrong = 0;
    block_map_make(&map, all->words[kind], all->counts[kind], &stage);
    for (size_t i = 0; i < view->shader_count; i++)
        if (strcmp(view->shaders[i].stage, kinds[kind].name) == 0)
            counts = &view->shaders[i];
    if (!counts || !counts->lanes || map.function_count != 1 ||
        counts->checksum != map.functions[0].checksum || counts->block_count != map.functions[0].block_count)
        die("no counts of stage", kinds[kind].name);
    for (uint32_t mark = 0; mark < SIM_MARKS; mark++) {
        uint64_t lanes = 0;
        for (uint32_t b = 0; b < map.functions[0].block_count; b++)
            lanes += map.functions[0].blocks[b].marks >> mark & 1 ? counts->lanes[b] : 0;
        if (lanes == seen[mark])
            continue;
        printf("%s: marker %u: %llu lanes, expected %u\n", kinds[kind].name, mark, (unsigned long long)lanes,
               seen[mark]);
        wrong++;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: rays SCENARIO SPIRV-FOLDER [PROFILE-FOLDER]\n");
        return 2;
    }
    vk_program vk;
    shaders all;
    static uint32_t seen[WORDS];
    vk_open(&vk, VK_API_VERSION_1_2, VK_STYLE_RAYS, WORDS);
    load(&all, &vk, argv[2]);
    run(&vk, &all, argv[1]);
    if (!vk.memoryless) {
        uint32_t sum = 0;
        for (size_t i = 0; i < WIDTH; i++)
            sum = sum * 31 + vk.buffers[RESULTS].words[i];
        memcpy(seen, vk.buffers[SEEN].words, sizeof seen);
        printf("results %08x\n", sum);
    }
    vk_close(&vk);
    for (int i = 0; i < STAGES; i++)
        printf("%s: %u invocations\n", kinds[i].name, seen[64 * i]);
    unsigned wrong = 0;
    if (argc == 4) {
        wpg_shader_view *view = NULL;
        wpg_error err = {0};
        wpg_profile *profile = read_profiles(argv[3]);
        if (wpg_shader_view_create(&view, profile, &err) != WPG_OK)
            die("no view:", err.message);
        for (int i = 0; i < STAGES; i++)
            wrong += compare_stage(view, &all, i, &seen[64 * i]);
        wpg_shader_view_destroy(view);
        wpg_profile_destroy(profile);
        fprintf(stderr, "%u disagreements\n", wrong);
    }
    for (int i = 0; i < STAGES; i++)
        free(all.words[i]);
    return wrong != 0;
}
