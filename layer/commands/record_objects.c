/* Shader objects in recordings. A draw with shader objects counts for the pipeline of the objects bound
 * together, under the hash of that pipeline made whole. If one bound object is unknown (made of a binary),
 * the draw is not attributed. Source: Vulkan 1.3 with VK_EXT_shader_object, 9.3: binding objects takes the
 * stages from a bound pipeline, binding a pipeline takes them from the objects. */
#include <stdlib.h>
#include <string.h>

#include "layer/profile/bundle_files.h"
#include "layer/commands/record_objects.h"

typedef struct shader_object {
    wpg_arena arena;
    wpg_rewrite stage; /* who it is; no words */
    uint64_t push_signature, push_words;
    bool optimised; /* made of words that use mode changed */
} shader_object;

static void object_destroy(shader_object *object)
{
    if (object)
        wpg_arena_finish(&object->arena);
    free(object);
}

/* -- Objects */

void wpg_record_object(wpg_device *device, wpg_shader shader, const wpg_pipeline_plan *plan,
                       const wpg_shader_create_info *info)
{
    if (!device->records || !shader || !plan->identified || plan->count != 1)
        return;
    shader_object *object = calloc(1, sizeof *object);
    if (!object)
        return;
    wpg_arena_init(&object->arena);
    bool good = wpg_rewrite_recall(&object->stage, &plan->stages[0], &object->arena);
    object->stage.words = NULL;
    object->stage.word_count = 0;
    object->optimised = plan->changed && device->mode == WPG_MODE_USE;
    good = good && wpg_record_ranges(&object->push_signature, &object->push_words, info->pPushConstantRanges,
                                     info->pushConstantRangeCount);
    if (good) /* a handle that was destroyed behind our back is another now */
        object_destroy(wpg_handles_remove(&device->objects, shader));
    if (!good || !wpg_handles_set(&device->objects, shader, object))
        object_destroy(object);
}

void wpg_record_object_gone(wpg_device *device, wpg_shader shader)
{
    if (device->records && shader)
        object_destroy(wpg_handles_remove(&device->objects, shader));
}

static void free_object(void *record, void *context)
{
    (void)context;
    object_destroy(record);
}

void wpg_record_objects_init(wpg_device *device)
{
    wpg_handles_init(&device->objects);
    wpg_handles_init(&device->combinations);
}

void wpg_record_objects_finish(wpg_device *device)
{
    wpg_handles_each(&device->objects, free_object, NULL);
    wpg_handles_finish(&device->objects);
    wpg_handles_free(&device->combinations);
}

/* -- Combinations */

typedef struct combination {
    const wpg_rewrite *stages[WPG_OBJECT_STAGES];
    uint32_t count;
    uint64_t key; /* of the shaders and their push constants */
    uint64_t push_signature, push_words;
    bool optimised; /* one of them */
} combination;

static wpg_bind_point point_of(unsigned rank)
{
    return rank == WPG_OBJECT_COMPUTE ? WPG_BIND_COMPUTE : WPG_BIND_GRAPHICS;
}

/* What is bound at a point; false: nothing, or something unknown. */
static bool gather(combination *bound, wpg_recording *recording, wpg_bind_point point)
{
    struct {
        wpg_hash128 hash;
        uint64_t signature, words;
    } parts[WPG_OBJECT_STAGES];
    memset(parts, 0, sizeof parts);
    *bound = (combination){.count = 0};
    for (unsigned rank = 0; rank < WPG_OBJECT_STAGES; rank++) {
        uint64_t handle = recording->objects[rank];
        if (!handle || point_of(rank) != point)
            continue;
        const shader_object *object = wpg_handles_get(&recording->device->objects, handle);
        if (!object)
            return false;
        parts[bound->count].hash = object->stage.hash;
        parts[bound->count].signature = object->push_signature;
        parts[bound->count].words = object->push_words;
        bound->stages[bound->count++] = &object->stage;
        bound->optimised |= object->optimised;
        /* All that are bound together have the same ranges. */
        bound->push_signature = object->push_signature;
        bound->push_words = object->push_words;
    }
    bound->key = wpg_hash_bytes(parts, bound->count * sizeof *parts).low;
    return bound->count > 0;
}

/* The record of a combination seen for the first time; the pipeline's facts say what it is made of. */
static wpg_bindable *make(wpg_device *device, const combination *bound)
{
    wpg_pipeline_plan plan;
    wpg_pipeline_plan_pass_known(&plan, device, bound->stages, bound->count, "made of shader objects");
    const bool own = plan.identified && wpg_record_has_totals(device, plan.hash);
    wpg_totals *totals = own ? wpg_totals_of(plan.hash) : plan.identified ? wpg_totals_others() : NULL;
    wpg_bindable *bindable = totals ? calloc(1, sizeof *bindable) : NULL;
    if (bindable) {
        *bindable = (wpg_bindable){.totals = totals,
                                   .push_signature = bound->push_signature,
                                   .push_words = own ? bound->push_words : 0};
        if (own && bound->optimised)
            wpg_totals_optimised(plan.hash);
        const wpg_bundle_subject subject = wpg_pipeline_plan_subject(&plan);
        wpg_bundle_describe(&subject);
    }
    wpg_pipeline_plan_finish(&plan);
    return bindable;
}

static const wpg_bindable *bindable_of(wpg_recording *recording, wpg_bind_point point)
{
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    wpg_device *device = recording->device;
    combination bound;
    if (!gather(&bound, recording, point))
        return NULL;
    wpg_bindable *bindable = wpg_handles_get(&device->combinations, bound.key);
    if (bindable)
        return bindable;
    (void)pthread_mutex_lock(&making);
    bindable = wpg_handles_get(&device->combinations, bound.key);
    if (!bindable && (bindable = make(device, &bound)) &&
        !wpg_handles_set(&device->combinations, bound.key, bindable)) {
        free(bindable);
        bindable = NULL;
    }
    (void)pthread_mutex_unlock(&making);
    return bindable;
}

/* -- Binding */

void wpg_record_objects_taken(wpg_recording *recording, wpg_bind_point point)
{
    for (unsigned rank = 0; rank < WPG_OBJECT_STAGES; rank++)
        if (point_of(rank) == point)
            recording->objects[rank] = 0;
}

VKAPI_ATTR void VKAPI_CALL wpg_record_CmdBindShadersEXT(VkCommandBuffer commands, uint32_t count,
                                                        const VkShaderStageFlagBits *stages,
                                                        const uint64_t *shaders)
{
    bool changed[WPG_BIND_POINTS] = {false};
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return;
    for (uint32_t i = 0; recording && i < count; i++) {
        unsigned rank = wpg_stage_rank(stages[i]);
        if (rank >= WPG_OBJECT_STAGES)
            continue;
        recording->objects[rank] = shaders ? shaders[i] : 0;
        changed[point_of(rank)] = true;
    }
    for (int point = 0; point < WPG_BIND_POINTS; point++)
        if (changed[point])
            wpg_record_bind(recording, &recording->bound[point],
                            bindable_of(recording, (wpg_bind_point)point));
    ((wpg_pfn_bind_shaders)next->CmdBindShadersEXT)(commands, count, stages, shaders);
}
