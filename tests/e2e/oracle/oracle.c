/* Runs one kernel on the GPU under the layer, runs it again on the CPU (sim.h), and compares every counter of
 * every block, exactly.
 *
 *     oracle KERNEL STAGE VARIANT SPIRV-FOLDER PROFILE-FOLDER
 *
 * VARIANT changes the shape: compute, task, mesh 64 or 21 invocations a workgroup (21 leaves partial waves),
 * fragment "full" or "part" (a triangle with helper lanes along its edges), other stages "plain". The profile
 * must be the only one in PROFILE-FOLDER, which the layer fills when the device is destroyed. Prints one line
 * per disagreement and a summary; exit code 0 = exact, 1 = not, 77 = the device cannot run the kernel. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/values/value_sites.h"
#include "runtime/bundle/bundle.h"
#include "runtime/profile/profile_io.h"
#include "runtime/profile/probe_records.h"
#include "runtime/profile/value_records.h"
#include "runtime/profile/shader_view.h"
#include "tests/e2e/oracle/block_map.h"
#include "tests/e2e/oracle/kernels.h"
#include "tests/e2e/oracle/sim.h"
#include "tests/e2e/vk_rays.h"

enum { WORDS = 16384, INVOCATIONS = WORDS / 4, INPUTS = 0, RESULTS = 1, WAVES = 2, LANES = 3 };

static unsigned branches_compared, loops_compared, ranges_compared;

typedef struct run {
    const oracle_kernel *kernel;
    const char *stage, *variant, *spirv_folder, *profile_folder;
    bool compile_only;
    bool ray_waves;                    /* the device says that raygen shaders have subgroup operations */
    uint32_t local, spec, invocations; /* of a compute kernel; most invocation numbers of any */
    uint32_t *words;                   /* the kernel's module */
    size_t count;
    uint32_t inputs[WORDS], results[WORDS], waves[WORDS], lanes[WORDS];
} run;

static void die(const char *what, const char *which)
{
    fprintf(stderr, "oracle: %s %s\n", what, which);
    exit(VK_EXIT_FAILURE);
}

static VkShaderModule load(vk_program *vk, const run *r, const char *name, uint32_t **words, size_t *count)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.spv", r->spirv_folder, name);
    uint32_t *data;
    size_t size;
    vk_read_spirv(&data, &size, path);
    VkResult result;
    VkShaderModule module = vk_module(vk, data, size, &result);
    if (!module)
        die("no shader module from", path);
    if (words) {
        *words = data;
        *count = size;
    } else {
        free(data);
    }
    return module;
}

static void skip(const char *why)
{
    printf("skip: %s\n", why);
    exit(VK_EXIT_SKIP);
}

/* Same numbers everywhere: a multiplicative generator, upper half taken. */
static void fill_inputs(uint32_t *inputs)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < WORDS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        inputs[i] = (uint32_t)(state >> 33);
    }
}

/* Stages of workgroups, which have waves as compute has. */
static bool has_workgroups(const run *r)
{
    return strcmp(r->stage, "comp") == 0 || strcmp(r->stage, "task") == 0 || strcmp(r->stage, "mesh") == 0;
}

static void run_workgroups(vk_program *vk, run *r, const char *name)
{
    r->local = (uint32_t)strtoul(r->variant, NULL, 10);
    r->spec = r->local == 64 ? 5 : 2;
    uint32_t groups = r->local == 64 ? 6 : 19;
    r->invocations = r->local * groups;
    const uint32_t values[2] = {r->local, r->spec};
    const VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {1, 4, 4}};
    const VkSpecializationInfo info = {2, entries, sizeof values, values};
    bool compute = strcmp(r->stage, "comp") == 0, task = strcmp(r->stage, "task") == 0;
    VkResult result;
    vk_stage stages[3] = {{compute ? VK_SHADER_STAGE_COMPUTE_BIT
                           : task  ? VK_SHADER_STAGE_TASK_BIT_EXT
                                   : VK_SHADER_STAGE_MESH_BIT_EXT,
                           load(vk, r, name, &r->words, &r->count), &info}};
    uint32_t count = 1;
    if (task)
        stages[count++] =
            (vk_stage){VK_SHADER_STAGE_MESH_BIT_EXT, load(vk, r, "plain.mesh", NULL, NULL), NULL};
    if (!compute)
        stages[count++] =
            (vk_stage){VK_SHADER_STAGE_FRAGMENT_BIT, load(vk, r, "plain.frag", NULL, NULL), NULL};
    VkPipeline pipeline =
        compute ? vk_compute_pipeline(vk, stages[0], &result)
                : vk_graphics_pipeline(vk, stages, count, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, &result);
    if (!pipeline)
        die("no pipeline for", name);
    if (!r->compile_only && compute)
        vk_dispatch(vk, pipeline, groups);
    else if (!r->compile_only)
        vk_draw_mesh(vk, pipeline, groups);
    vkDestroyPipeline(vk->device, pipeline, NULL);
    for (uint32_t i = 0; i < count; i++)
        vkDestroyShaderModule(vk->device, stages[i].module, NULL);
}

static void run_rays(vk_program *vk, run *r, const char *name)
{
    enum { STAGES = 3, GROUPS = 3 };
    VkPhysicalDeviceSubgroupProperties subgroups = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &subgroups};
    vkGetPhysicalDeviceProperties2(vk->physical, &properties);
    /* Who comes back together from a call is the driver's own: known of lavapipe only, which says so by the
     * shim. */
    r->ray_waves = (subgroups.supportedStages & VK_SHADER_STAGE_RAYGEN_BIT_KHR) && getenv("SHIM_RAY_WAVES");
    const vk_stage stages[STAGES] = {
        {VK_SHADER_STAGE_RAYGEN_BIT_KHR, load(vk, r, name, &r->words, &r->count), NULL},
        {VK_SHADER_STAGE_MISS_BIT_KHR, load(vk, r, "plain.rmiss", NULL, NULL), NULL},
        {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, load(vk, r, "plain.rchit", NULL, NULL), NULL}};
    vk_rays rays;
    VkResult result;
    vk_rays_fill(&rays, vk, stages, STAGES);
    VkPipeline pipeline = vk_rays_pipeline(vk, &rays.info, VK_RAYS_PLAIN, &result);
    if (!pipeline)
        die("no pipeline for", name);
    r->invocations = 397; /* the last wave is a partial one */
    if (!r->compile_only) {
        vk_scene scene;
        vk_scene_make(&scene, vk);
        vk_rays_trace(vk, pipeline, GROUPS, &scene, r->invocations);
        vk_scene_drop(&scene, vk);
    }
    vkDestroyPipeline(vk->device, pipeline, NULL);
    for (uint32_t i = 0; i < STAGES; i++)
        vkDestroyShaderModule(vk->device, stages[i].module, NULL);
}

static void run_graphics(vk_program *vk, run *r, const char *name)
{
    if (strcmp(r->stage, "frag") != 0 && !vk->features.vertexPipelineStoresAndAtomics)
        skip("the device has no vertexPipelineStoresAndAtomics");
    if (strncmp(r->stage, "tes", 3) == 0 && !vk->features.tessellationShader)
        skip("the device has no tessellation");
    if (strcmp(r->stage, "geom") == 0 && !vk->features.geometryShader)
        skip("the device has no geometry shaders");
    if (strncmp(name, "demote", 6) == 0 && !vk->demote)
        skip("the device has no demote to helper invocation");
    static const struct {
        const char *name;
        VkShaderStageFlagBits bit;
    } bits[] = {{"vert", VK_SHADER_STAGE_VERTEX_BIT},
                {"tesc", VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT},
                {"tese", VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT},
                {"geom", VK_SHADER_STAGE_GEOMETRY_BIT},
                {"frag", VK_SHADER_STAGE_FRAGMENT_BIT}};
    const uint32_t small = strcmp(r->variant, "part") == 0;
    const VkSpecializationMapEntry entry = {1, 0, 4};
    const VkSpecializationInfo info = {1, &entry, sizeof small, &small};
    bool tessellated = strncmp(r->stage, "tes", 3) == 0;
    vk_stage stages[VK_MAX_STAGES];
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        vk_stage *stage = &stages[count];
        *stage = (vk_stage){.stage = bits[i].bit};
        if (strcmp(bits[i].name, r->stage) == 0) {
            stage->module = load(vk, r, name, &r->words, &r->count);
        } else if (bits[i].bit == VK_SHADER_STAGE_VERTEX_BIT) {
            stage->module = load(vk, r, "triangle.vert", NULL, NULL);
            stage->specialization = &info;
        } else if (bits[i].bit == VK_SHADER_STAGE_FRAGMENT_BIT ||
                   (tessellated && strncmp(bits[i].name, "tes", 3) == 0)) {
            char plain[32];
            snprintf(plain, sizeof plain, "plain.%s", bits[i].name);
            stage->module = load(vk, r, plain, NULL, NULL);
        } else {
            continue;
        }
        count++;
    }
    VkResult result;
    VkPipeline pipeline = vk_graphics_pipeline(
        vk, stages, count,
        tessellated ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, &result);
    if (!pipeline)
        die("no pipeline for", name);
    bool fragment = strcmp(r->stage, "frag") == 0;
    r->invocations = fragment ? VK_WIDTH * VK_HEIGHT : tessellated ? 20 * 49 : 60;
    if (!r->compile_only)
        vk_draw(vk, pipeline, fragment ? 3 : 60);
    vkDestroyPipeline(vk->device, pipeline, NULL);
    for (uint32_t i = 0; i < count; i++)
        vkDestroyShaderModule(vk->device, stages[i].module, NULL);
}

/* What the counts must be, from the waves the GPU formed. */
static void expect(sim_counts *counts, bool *waves_known, uint32_t *expected_results, const run *r)
{
    static uint32_t ids[INVOCATIONS];
    sim_launch launch = {.kernel = r->kernel->run,
                         .inputs = r->inputs,
                         .results = expected_results,
                         .lanes = r->lanes,
                         .spec = r->spec};
    *waves_known = has_workgroups(r) || strcmp(r->stage, "frag") == 0 || r->ray_waves;
    memset(counts, 0, sizeof *counts);
    for (uint32_t wave = 0; wave < r->invocations; wave++) {
        if (!*waves_known) {
            if (r->waves[wave])
                sim_wave(counts, &launch, &wave, 1, strcmp(r->stage, "rgen") ? r->waves[wave] : 1);
            continue;
        }
        size_t members = 0;
        for (uint32_t id = 0; id < r->invocations; id++)
            if (r->waves[id] == wave + 1)
                ids[members++] = id;
        if (members)
            sim_wave(counts, &launch, ids, members, 1);
    }
}

static wpg_profile *read_profile(const char *folder)
{
    DIR *dir = opendir(folder);
    char path[1024] = "";
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!strstr(e->d_name, ".profraw"))
            continue;
        if (path[0])
            die("more than one profile in", folder);
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    }
    if (!path[0])
        die("no profile in", folder);
    closedir(dir);
    wpg_error err = {0};
    wpg_profile *profile = wpg_profile_create();
    if (!profile || wpg_profile_read_file(profile, NULL, path, &err) != WPG_OK)
        die("cannot read:", err.message);
    return profile;
}

static unsigned compared; /* counters of blocks and selects */

/* Compares one kind of counter of the whole kernel; returns the number of disagreements. */
static unsigned compare(const char *kind, const uint64_t *expected, const bool *marked, const block_map *map,
                        const uint64_t *const *actual)
{
    unsigned wrong = 0;
    uint64_t sum[SIM_MARKS] = {0};
    for (uint32_t f = 0; f < map->function_count; f++)
        for (uint32_t b = 0; b < map->functions[f].block_count; b++) {
            const block_map_block *block = &map->functions[f].blocks[b];
            uint64_t value = actual[f][b];
            compared++;
            for (uint32_t m = 0; m < SIM_MARKS; m++)
                sum[m] += block->marks >> m & 1 ? value : 0;
            uint64_t same = block->unreachable             ? 0
                            : block->same_as != UINT32_MAX ? actual[f][block->same_as]
                                                           : value;
            if (!block->marks && same != value) {
                printf("%s: function %u block %u without marker: %llu, expected %llu\n", kind, f, b,
                       (unsigned long long)value, (unsigned long long)same);
                wrong++;
            }
        }
    for (uint32_t m = 0; m < SIM_MARKS; m++)
        if (sum[m] != expected[m]) {
            printf("%s: marker %u: %llu, expected %llu%s\n", kind, m, (unsigned long long)sum[m],
                   (unsigned long long)expected[m], marked[m] ? "" : " (never run on the CPU)");
            wrong++;
        }
    return wrong;
}

/* Select sites of the entry function: the kernel's, in order. */
static unsigned compare_selects(const sim_counts *counts, const block_map *map,
                                const wpg_shader_counts *entry, bool waves_known)
{
    unsigned wrong = 0;
    uint32_t sites = 0;
    for (uint32_t f = 0; f < map->function_count; f++)
        sites += map->functions[f].select_count;
    if (sites != counts->select_count)
        die("the normal form has another number of selects than", "the kernel");
    if (sites == 0)
        return 0;
    if (!entry->selects || entry->select_counter_count != (size_t)sites * SIM_SELECT_COUNTERS)
        die("selects are absent for stage", entry->stage);
    static const char *const names[] = {"lanes true", "lanes false", "waves true", "waves false"};
    for (uint32_t i = 0; i < sites * SIM_SELECT_COUNTERS; i++) {
        uint32_t kind = i % SIM_SELECT_COUNTERS;
        compared += kind < SIM_WAVES_TRUE || waves_known;
        if ((kind < SIM_WAVES_TRUE || waves_known) && entry->selects[i] != counts->selects[i]) {
            printf("select %u, %s: %llu, expected %llu\n", i / SIM_SELECT_COUNTERS, names[kind],
                   (unsigned long long)entry->selects[i], (unsigned long long)counts->selects[i]);
            wrong++;
        }
    }
    return wrong;
}

static unsigned differ(const char *what, uint32_t f, uint32_t block, uint64_t got, uint64_t want)
{
    compared++;
    if (got == want)
        return 0;
    printf("%s: function %u block %u: %llu, expected %llu\n", what, f, block, (unsigned long long)got,
           (unsigned long long)want);
    return 1;
}

/* One value site in a loop, of whose visits a part was asked: what was seen was there. */
static unsigned compare_part(uint32_t number, const sim_site *expected, const wpg_value_site_counts *site)
{
    uint64_t seen = site->others;
    unsigned wrong = site->agreed > site->asked || site->agreed > expected->agreed;
    for (size_t i = 0; i < site->value_count; i++) {
        uint64_t there = 0;
        for (uint32_t v = 0; v < expected->value_count; v++)
            if (site->values[i].value == expected->values[v].value)
                there = expected->values[v].count;
        wrong += site->values[i].count > there;
        seen += site->values[i].count;
    }
    wrong += (site->ask & WPG_ASK_VALUES) && seen != site->asked;
    if (wrong)
        printf("value site %u: %llu asked of %llu are no part of what was there\n", number,
               (unsigned long long)site->asked, (unsigned long long)site->came);
    return wrong;
}

/* One value site: which waves asked and agreed; each value that is in the table with its exact count, the
 * rest as others; smallest and largest of all. */
static unsigned compare_site(uint32_t number, const sim_site *expected, const wpg_value_site_counts *site)
{
    uint64_t others = 0;
    unsigned wrong = 0;
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t v = 0; v < expected->value_count; v++) {
        uint64_t found = 0;
        uint32_t value = expected->values[v].value;
        for (size_t i = 0; i < site->value_count; i++)
            found = site->values[i].value == value ? site->values[i].count : found;
        others += found ? 0 : expected->values[v].count;
        wrong += found && found != expected->values[v].count;
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    wrong += site->asked != expected->asked || site->agreed != expected->agreed;
    if (site->ask & WPG_ASK_VALUES)
        wrong += site->others != others || !site->has_range || site->least != least || site->most != most;
    if (wrong)
        printf("value site %u: asked %llu agreed %llu others %llu range %llu to %llu of %zu values, expected "
               "%llu "
               "%llu %llu %u to %u of %u\n",
               number, (unsigned long long)site->asked, (unsigned long long)site->agreed,
               (unsigned long long)site->others, (unsigned long long)site->least,
               (unsigned long long)site->most, site->value_count, (unsigned long long)expected->asked,
               (unsigned long long)expected->agreed, (unsigned long long)others, least, most,
               expected->value_count);
    return wrong;
}

static unsigned compare_sites(const sim_counts *counts, const wpg_shader_counts *entry)
{
    const wpg_profile_record *record = entry->records[WPG_RECORD_VALUES];
    const char *probes = getenv("WAVEPGO_PROBES"), *start = getenv("WAVEPGO_COUNTER_START");
    if (!counts->site_count || !probes || !strstr(probes, "values") || start)
        return 0;
    if (wpg_value_site_count(record) != counts->site_count)
        die("the profile has another number of value sites than", "the kernel");
    uint64_t asked = 0, came = 0;
    unsigned wrong = 0;
    for (uint32_t i = 0; i < counts->site_count; i++) {
        wpg_value_site_counts site;
        if (!wpg_value_site_at(&site, record, i))
            die("no memory for", "value sites");
        wrong += differ("waves that came to value site", 0, i, site.came, counts->sites[i].asked);
        if (site.asked < site.came && !strstr(probes, "every"))
            wrong += compare_part(i, &counts->sites[i], &site);
        else
            wrong += compare_site(i, &counts->sites[i], &site);
        asked += site.asked;
        came += site.came;
        wpg_value_site_finish(&site);
    }
    printf("values: asked %llu of %llu\n", (unsigned long long)asked, (unsigned long long)came);
    return wrong;
}

/* The number of the first block with one that control comes to from block b without a choice. */
static uint32_t first_mark(const block_map *map, uint32_t f, uint32_t b)
{
    for (unsigned steps = 0; b < map->functions[f].block_count && steps < BLOCK_MAP_BLOCKS; steps++) {
        const block_map_block *block = &map->functions[f].blocks[b];
        if (block->marks)
            return (uint32_t)__builtin_ctzll(block->marks);
        if (block->calls)
            break;
        b = block->leads_to;
    }
    return UINT32_MAX;
}

/* Branches between blocks that have numbers. A function that was inlined twice has each branch twice. */
static unsigned compare_branches(const block_map *map, const wpg_shader_counts *const *functions,
                                 const sim_counts *counts, bool waves_known)
{
    static uint64_t lanes[SIM_MARKS][SIM_MARKS], waves[SIM_MARKS][SIM_MARKS];
    static bool met[SIM_MARKS][SIM_MARKS];
    unsigned wrong = 0;
    for (uint32_t f = 0; f < map->function_count; f++) {
        const wpg_profile_record *record = functions[f]->records[WPG_RECORD_BRANCHES];
        const wpg_profile_record *by_lane = functions[f]->records[WPG_RECORD_LANE_BRANCHES];
        for (size_t i = 0; i < wpg_branch_count(record) + wpg_lane_branch_count(by_lane); i++) {
            wpg_branch_counts branch;
            if (by_lane)
                wpg_lane_branch_at(&branch, by_lane, i);
            else
                wpg_branch_at(&branch, record, i);
            const block_map_block *block = &map->functions[f].blocks[branch.block % BLOCK_MAP_BLOCKS];
            uint32_t to[2] = {first_mark(map, f, block->targets[0]), first_mark(map, f, block->targets[1])};
            if (!block->marks || block->calls || to[0] == to[1] || to[0] == UINT32_MAX || to[1] == UINT32_MAX)
                continue;
            uint32_t from = 63 - (uint32_t)__builtin_clzll(block->marks);
            for (unsigned side = 0; side < 2; side++) {
                lanes[from][to[side]] += branch.lanes[side];
                waves[from][to[side]] += branch.waves[side];
                met[from][to[side]] = true;
            }
            branches_compared++;
        }
    }
    for (uint32_t from = 0; from < SIM_MARKS; from++)
        for (uint32_t to = 0; to < SIM_MARKS; to++) {
            if (!met[from][to])
                continue;
            wrong += differ("lanes of a direction, by number", from, to, lanes[from][to],
                            counts->edge_lanes[from][to]);
            if (waves_known)
                wrong += differ("waves of a direction, by number", from, to, waves[from][to],
                                counts->edge_waves[from][to]);
        }
    return wrong;
}

/* Widens the least and most trips of a loop by what the bundle says of it. */
static void add_range(sim_loop *loop, const wpg_bundle *bundle, const wpg_shader_counts *function,
                      uint32_t block)
{
    char hex[WPG_HASH_HEX + 1], key[WPG_FACTS_WORD];
    wpg_hash_to_hex(hex, function->shader);
    wpg_bundle_trips_key(key, function->function, block, function->checksum);
    const wpg_facts *facts = wpg_bundle_find(bundle, "extremes", hex);
    const wpg_fact *fact = facts ? wpg_facts_find(facts, key) : NULL;
    if (!fact)
        return;
    loop->least = (uint32_t)fact->low < loop->least ? (uint32_t)fact->low : loop->least;
    loop->most = (uint32_t)fact->high > loop->most ? (uint32_t)fact->high : loop->most;
}

static unsigned compare_loops(const block_map *map, const wpg_shader_counts *const *functions,
                              const sim_counts *counts, const wpg_bundle *bundle)
{
    static sim_loop loops[SIM_MARKS];
    static bool met[SIM_MARKS];
    unsigned wrong = 0;
    for (uint32_t f = 0; f < map->function_count; f++) {
        const wpg_profile_record *record = functions[f]->records[WPG_RECORD_TRIPS];
        const wpg_profile_record *by_lane = functions[f]->records[WPG_RECORD_LANE_TRIPS];
        for (size_t i = 0; i < wpg_loop_count(record) + wpg_lane_loop_count(by_lane); i++) {
            wpg_loop_counts loop;
            if (by_lane)
                wpg_lane_loop_at(&loop, by_lane, i);
            else
                wpg_loop_at(&loop, record, i);
            uint32_t mark = first_mark(map, f, loop.block);
            if (mark == UINT32_MAX)
                continue;
            loops[mark].lanes += loop.lanes;
            loops[mark].trips += loop.trips;
            for (unsigned k = 0; k < SIM_TRIP_BUCKETS; k++)
                loops[mark].buckets[k] += loop.buckets[k];
            loops_compared++;
            if (!met[mark])
                loops[mark].least = UINT32_MAX;
            if (bundle)
                add_range(&loops[mark], bundle, functions[f], loop.block);
            met[mark] = true;
        }
    }
    for (uint32_t mark = 0; mark < SIM_MARKS; mark++) {
        const sim_loop *want = &counts->loops[mark];
        if (!met[mark])
            continue;
        wrong += differ("lanes that enter the loop at number", 0, mark, loops[mark].lanes, want->lanes);
        wrong += differ("trips of the loop at number", 0, mark, loops[mark].trips, want->trips);
        for (unsigned k = 0; k < SIM_TRIP_BUCKETS; k++)
            wrong += differ("lanes by trips of the loop at number", k, mark, loops[mark].buckets[k],
                            want->buckets[k]);
        if (!bundle || !want->lanes)
            continue;
        ranges_compared++;
        wrong += differ("least trips of the loop at number", 0, mark, loops[mark].least, want->least);
        wrong += differ("most trips of the loop at number", 0, mark, loops[mark].most, want->most);
    }
    return wrong;
}

static unsigned compare_entry(const wpg_shader_counts *function, const sim_counts *counts)
{
    wpg_entry_counts entry;
    uint64_t waves = 0;
    if (!wpg_entry_read(&entry, function->records[WPG_RECORD_ENTRY_MASK]))
        return 0;
    for (unsigned i = 0; i < WPG_FULLNESS_BUCKETS; i++)
        waves += entry.eighths[i];
    bool sizes = entry.whole <= entry.waves && entry.sizes >= entry.lanes;
    return differ("waves at entry", 0, 0, entry.waves, counts->waves[0]) +
           differ("lanes at entry", 0, 0, entry.lanes, counts->lanes[0]) +
           differ("waves by fullness", 0, 0, waves, counts->waves[0]) + differ("sizes", 0, 0, sizes, true);
}

static unsigned compare_profile(const run *r, const block_map *map, const sim_counts *counts,
                                bool waves_known)
{
    wpg_profile *profile = read_profile(r->profile_folder);
    wpg_shader_view *view = NULL;
    wpg_error err = {0};
    wpg_bundle bundle = {0};
    if (wpg_is_bundle(r->profile_folder) && wpg_bundle_load(&bundle, r->profile_folder, 1, &err) != WPG_OK)
        die("cannot read the bundle:", err.message);
    if (wpg_shader_view_create(&view, profile, &err) != WPG_OK)
        die("no view:", err.message);
    const wpg_shader_counts *entry = NULL;
    const wpg_shader_counts *functions[BLOCK_MAP_FUNCTIONS] = {0};
    const uint64_t *lanes[BLOCK_MAP_FUNCTIONS] = {0}, *waves[BLOCK_MAP_FUNCTIONS] = {0},
                   *uniform[BLOCK_MAP_FUNCTIONS] = {0};
    for (uint32_t f = 0; f < map->function_count; f++)
        for (size_t i = 0; i < view->shader_count; i++) {
            const wpg_shader_counts *s = &view->shaders[i];
            if (strcmp(s->stage, r->stage) != 0 || s->function != map->functions[f].ordinal)
                continue;
            if (s->checksum != map->functions[f].checksum || s->block_count != map->functions[f].block_count)
                die("the profile's checksum or block count is not the normal form's:", r->stage);
            entry = s->function == 0 ? s : entry;
            functions[f] = s;
            lanes[f] = s->lanes;
            waves[f] = s->waves;
            uniform[f] = s->uniform;
        }
    /* Counted lane by lane, waves and uniform must be absent, never zero. */
    const char *strategy = getenv("WAVEPGO_STRATEGY");
    bool by_lane = strategy && strcmp(strategy, "lane") == 0;
    waves_known &= !by_lane;
    unsigned wrong = 0;
    for (uint32_t f = 0; f < map->function_count; f++) {
        if (!lanes[f])
            die("lanes are absent for stage", r->stage);
        if (waves_known && (!waves[f] || !uniform[f]))
            die("waves or uniform are absent for stage", r->stage);
        if (by_lane && (waves[f] || uniform[f]))
            die("waves or uniform without subgroup operations for stage", r->stage);
    }
    wrong += compare("lanes", counts->lanes, counts->marked, map, lanes);
    if (waves_known) {
        wrong += compare("waves", counts->waves, counts->marked, map, waves);
        wrong += compare("uniform", counts->uniform, counts->marked, map, uniform);
    }
    if (entry && (entry->selects || waves_known))
        wrong += compare_selects(counts, map, entry, waves_known);
    if (entry)
        wrong += compare_sites(counts, entry);
    wrong += compare_branches(map, functions, counts, waves_known);
    wrong += compare_loops(map, functions, counts, wpg_is_bundle(r->profile_folder) ? &bundle : NULL);
    if (waves_known && entry)
        wrong += compare_entry(entry, counts);
    wpg_shader_view_destroy(view);
    wpg_profile_destroy(profile);
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: oracle KERNEL STAGE VARIANT SPIRV-FOLDER PROFILE-FOLDER\n");
        return 2;
    }
    static run r;
    r.stage = argv[2];
    r.variant = argv[3];
    r.spirv_folder = argv[4];
    r.profile_folder = argv[5];
    r.kernel = oracle_find_kernel(argv[1]);
    if (!r.kernel)
        die("no kernel", argv[1]);
    char name[128];
    snprintf(name, sizeof name, "%s.%s", argv[1], r.stage);

    r.compile_only = strcmp(r.profile_folder, "compile") == 0;

    vk_program vk;
    bool mesh = strcmp(r.stage, "task") == 0 || strcmp(r.stage, "mesh") == 0;
    bool rays = strcmp(r.stage, "rgen") == 0;
    vk_open(&vk, mesh || rays || strncmp(name, "terminate", 9) == 0 ? VK_API_VERSION_1_3 : VK_API_VERSION_1_1,
            mesh   ? VK_STYLE_MESH
            : rays ? VK_STYLE_RAYS
                   : VK_STYLE_FEATURES2,
            WORDS);
    if (!vk.memoryless)
        fill_inputs(vk.buffers[INPUTS].words);
    else if (!r.compile_only)
        skip("a driver without memory runs nothing");
    if (has_workgroups(&r))
        run_workgroups(&vk, &r, name);
    else if (rays)
        run_rays(&vk, &r, name);
    else
        run_graphics(&vk, &r, name);
    if (r.compile_only) {
        printf("%s %s: compiled for %s\n", name, r.variant, vk.device_name);
        free(r.words);
        vk_close(&vk);
        return 0;
    }
    memcpy(r.inputs, vk.buffers[INPUTS].words, sizeof r.inputs);
    memcpy(r.results, vk.buffers[RESULTS].words, sizeof r.results);
    memcpy(r.waves, vk.buffers[WAVES].words, sizeof r.waves);
    memcpy(r.lanes, vk.buffers[LANES].words, sizeof r.lanes);
    vk_close(&vk);

    static sim_counts counts;
    static uint32_t expected[WORDS];
    bool waves_known;
    expect(&counts, &waves_known, expected, &r);
    unsigned wrong = 0;
    for (uint32_t id = 0; id < r.invocations; id++)
        if (expected[id] != r.results[id] && wrong++ < 5)
            printf("result of invocation %u: %u, expected %u\n", id, r.results[id], expected[id]);

    if (strcmp(r.profile_folder, "none") != 0) {
        const wpg_spec_value spec[2] = {{0, 4, r.local}, {1, 4, r.spec}};
        bool compute = has_workgroups(&r);
        const wpg_stage stage = {r.kernel->model, "main", compute ? spec : NULL, compute ? 2 : 0};
        static block_map map;
        block_map_make(&map, r.words, r.count, &stage);
        wrong += compare_profile(&r, &map, &counts, waves_known);
    }
    if (branches_compared || loops_compared)
        printf("probes: %u branches, %u loops, %u ranges of trips\n", branches_compared, loops_compared,
               ranges_compared);
    free(r.words);
    printf("%s %s: %llu lanes and %llu waves at entry, %u counters compared, %u disagreements\n", name,
           r.variant, (unsigned long long)counts.lanes[0],
           (unsigned long long)(waves_known ? counts.waves[0] : 0), compared, wrong);
    return wrong ? 1 : 0;
}
