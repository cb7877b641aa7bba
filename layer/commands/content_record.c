/* See content_record.h. */
#include "layer/commands/content_record.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/loss_attribution.h"
#include "layer/commands/record_queries.h"
#include "layer/contents/contents.h"
#include "layer/variants/variants_internal.h"

enum {
    MOST_CANDIDATES = 256, /* of the draws of one pass (compare.comp) */
    RECENT_GROUPS = 8,
    LOOKS = 1024,    /* of passes, by hash */
    IDLE_PASSES = 4, /* of one look in a row: then no comparison stands before the next */
    COMPUTE_OBJECT = WPG_OBJECT_STAGES - 1
};

/* What the comparison reads (compare.comp). */
typedef struct header {
    uint32_t check_count, group_count, unused[2];
} header;
typedef struct check {
    uint64_t address;
    uint32_t value, candidate;
} check;
typedef struct group {
    uint64_t predicates;
    uint32_t first, count;
} group;

/* A draw's choice, and which draws may share it. */
typedef struct choice {
    uint64_t key; /* of pipelines and addresses; 0: none */
    uint32_t count;
    VkPipeline pipelines[WPG_MOST_CONTENTS]; /* by predicate; the last predicate is of the program's own */
    VkBuffer buffer;
    uint32_t offset; /* of the first predicate */
} choice;

typedef struct wpg_content_recording {
    bool follows;  /* this recording */
    bool open;     /* in a pass whose comparison stands before it, and nothing became visible since */
    bool compared; /* in a pass whose comparison stands before it */
    bool idle;     /* in a pass that has none, since none of its look had a draw for it */
    uint32_t look; /* of the pass */
    uint32_t slot;
    uint32_t program_queries;
    bool program_condition, feeds_back;
    wpg_content_bound bound;
    wpg_content_block *blocks;
    WPG_VEC(uint32_t) slots;
    WPG_VEC(check) checks; /* of the pass */
    WPG_VEC(group) groups;
    uint32_t candidates;
    choice recent[RECENT_GROUPS], now;
    uint32_t next_recent;
    VkPipeline general;
} wpg_content_recording;

static atomic_uint_least64_t draws, comparisons;
/* By look: passes in a row whose comparison no draw asked, up to IDLE_PASSES. Looks may share a place. */
static atomic_uchar idle_passes[LOOKS];

uint64_t wpg_content_draws(void)
{
    return atomic_load(&draws);
}

uint64_t wpg_content_comparisons(void)
{
    return atomic_load(&comparisons);
}

/* -- Life */

void wpg_content_begin(wpg_recording *recording, VkCommandBufferUsageFlags flags)
{
    if (!recording->device->contents || recording->secondary || recording->pool->is_protected ||
        !wpg_contents_on_family(recording->device, recording->pool->family))
        return;
    if (!recording->contents)
        recording->contents = calloc(1, sizeof *recording->contents);
    if (recording->contents)
        recording->contents->follows = !(flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
}

void wpg_content_forget_state(wpg_recording *recording)
{
    if (recording->contents)
        memset(&recording->contents->bound, 0, sizeof recording->contents->bound);
}

/* The program says that the command buffer is not pending: its memory may serve another. */
void wpg_content_reset(wpg_recording *recording)
{
    wpg_content_recording *c = recording->contents;
    if (!c)
        return;
    for (size_t i = 0; i < c->slots.count; i++)
        wpg_contents_slot_back(recording->device, c->slots.data[i]);
    wpg_contents_give_back(recording->device, &c->blocks);
    wpg_vec_clear(&c->slots);
    wpg_vec_clear(&c->checks);
    wpg_vec_clear(&c->groups);
    c->follows = c->open = c->compared = c->idle = c->program_condition = c->feeds_back = false;
    c->program_queries = 0;
    wpg_content_forget_state(recording);
}

void wpg_content_destroy(wpg_recording *recording)
{
    wpg_content_recording *c = recording->contents;
    if (!c)
        return;
    wpg_content_reset(recording);
    wpg_vec_free(&c->slots);
    wpg_vec_free(&c->checks);
    wpg_vec_free(&c->groups);
    free(c);
    recording->contents = NULL;
}

/* -- Passes */

static VkPipeline program_pipeline(const wpg_bound *bound)
{
    return bound->variants ? bound->actual : bound->given;
}

static void emit_comparison(wpg_recording *recording, uint32_t slot)
{
    const wpg_device_commands *next = &recording->device->next;
    const VkCommandBuffer commands = recording->handle;
    const VkMemoryBarrier before = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    const VkMemoryBarrier after = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                   .dstAccessMask = VK_ACCESS_CONDITIONAL_RENDERING_READ_BIT_EXT};
    next->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &before, 0, NULL, 0, NULL);
    next->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                          wpg_contents_comparison(recording->device));
    next->CmdDispatchBase(commands, slot, 0, 0, 1, 1, 1);
    next->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_PIPELINE_STAGE_CONDITIONAL_RENDERING_BIT_EXT, 0, 1, &after, 0, NULL, 0, NULL);
    const VkPipeline compute = program_pipeline(&recording->bound[WPG_BIND_COMPUTE]);
    if (compute)
        next->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute);
}

static uint32_t look_of_pass(const VkRenderPassBeginInfo *info)
{
    const struct {
        VkRenderPass pass;
        VkExtent2D extent;
    } look = {info->renderPass, info->renderArea.extent};
    return (uint32_t)(wpg_hash64_bytes(&look, sizeof look) % LOOKS);
}

/* Without the images: programs draw to several by turns. */
static uint32_t look_of_rendering(const VkRenderingInfo *info)
{
    uint32_t look[6] = {info->renderArea.extent.width, info->renderArea.extent.height, info->viewMask,
                        info->colorAttachmentCount,
                        info->pDepthAttachment ? (uint32_t)info->pDepthAttachment->loadOp + 1 : 0};
    for (uint32_t i = 0; i < info->colorAttachmentCount; i++)
        look[5] = look[5] * 3 + (uint32_t)info->pColorAttachments[i].loadOp;
    return (uint32_t)(wpg_hash64_bytes(look, sizeof look) % LOOKS);
}

/* Before a pass begins that is drawn inline and resumes nothing. */
static void pass_begins(wpg_recording *recording, bool followed, uint32_t look)
{
    wpg_content_recording *c = recording->contents;
    if (!c || !c->follows)
        return;
    c->open = c->compared = c->idle = c->feeds_back = false;
    c->look = look;
    if (!followed || c->program_queries || c->program_condition || recording->objects[COMPUTE_OBJECT] ||
        !wpg_contents_built())
        return;
    c->idle = atomic_load_explicit(&idle_passes[look], memory_order_relaxed) >= IDLE_PASSES;
    if (c->idle)
        return;
    const uint32_t slot = wpg_contents_slot(recording->device);
    if (slot == WPG_CONTENT_SLOTS)
        return;
    if (!wpg_vec_push(&c->slots, slot)) {
        wpg_contents_slot_back(recording->device, slot);
        return;
    }
    wpg_record_settle(recording);
    emit_comparison(recording, slot);
    atomic_fetch_add_explicit(&comparisons, 1, memory_order_relaxed);
    c->slot = slot;
    c->open = c->compared = true;
    c->candidates = 0;
    wpg_vec_clear(&c->checks);
    wpg_vec_clear(&c->groups);
    memset(c->recent, 0, sizeof c->recent);
}

/* A pass had a draw for its comparison, or had none. */
static void note_use(const wpg_content_recording *c, bool used)
{
    atomic_uchar *idle = &idle_passes[c->look];
    const unsigned char before = atomic_load_explicit(idle, memory_order_relaxed);
    if (used && before)
        atomic_store_explicit(idle, 0, memory_order_relaxed);
    else if (!used && before < IDLE_PASSES)
        atomic_store_explicit(idle, (unsigned char)(before + 1), memory_order_relaxed);
}

/* The pass ends: what its comparison reads. Where there is no memory for that the predicates stay as they
 * are, and the program's own pipelines run. */
static void pass_ends(wpg_recording *recording)
{
    wpg_content_recording *c = recording->contents;
    if (!c)
        return;
    if (c->compared)
        note_use(c, c->groups.count != 0);
    c->open = c->compared = c->idle = false;
    if (!c->groups.count)
        return;
    const uint32_t checks = (uint32_t)(c->checks.count * sizeof *c->checks.data);
    const uint32_t groups = (uint32_t)(c->groups.count * sizeof *c->groups.data);
    const header head = {.check_count = (uint32_t)c->checks.count, .group_count = (uint32_t)c->groups.count};
    wpg_content_block *block;
    uint32_t offset;
    if (!wpg_contents_take(recording->device, &c->blocks, (uint32_t)sizeof head + checks + groups, &block,
                           &offset)) {
        c->groups.count = 0;
        return;
    }
    uint8_t *at = block->bytes + offset;
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, c->checks.data, checks);
    memcpy(at + sizeof head + checks, c->groups.data, groups);
    wpg_contents_slot_set(recording->device, c->slot, block->address + offset);
    wpg_vec_clear(&c->checks);
    wpg_vec_clear(&c->groups);
}

/* Something may have become visible to shaders: draws from here on have no predicates. */
static void becomes_visible(wpg_recording *recording)
{
    if (recording && recording->contents)
        recording->contents->open = recording->contents->idle = false;
}

/* -- Draws */

static uint64_t mix(uint64_t key, uint64_t value)
{
    const uint64_t both[2] = {key, value};
    return wpg_hash64_bytes(both, sizeof both) | 1;
}

/* Addresses of the candidate's words; false: one is not known. */
static bool find_addresses(uint64_t addresses[WPG_MOST_WORD_TESTS], wpg_recording *recording,
                           const wpg_content_variant *candidate)
{
    for (uint32_t i = 0; i < candidate->count; i++)
        if (!(addresses[i] =
                  wpg_contents_address(recording->device, &recording->contents->bound, &candidate->tests[i])))
            return false;
    return true;
}

static const choice *known_choice(const wpg_content_recording *c, uint64_t key)
{
    for (uint32_t i = 0; i < RECENT_GROUPS; i++)
        if (c->recent[i].key == key)
            return &c->recent[i];
    return NULL;
}

/* Adds the draw's candidates to the pass. False: there is no room; nothing is added that counts. */
static bool add_choice(wpg_recording *recording, const wpg_variant_set *set, uint32_t ready)
{
    wpg_content_recording *c = recording->contents;
    uint64_t addresses[WPG_MOST_CONTENTS][WPG_MOST_WORD_TESTS];
    const wpg_content_variant *candidates[WPG_MOST_CONTENTS];
    uint64_t key = mix((uint64_t)(uintptr_t)set, ready);
    uint32_t count = 0;
    for (uint32_t k = 0; k < ready; k++) {
        if (!find_addresses(addresses[count], recording, set->contents[k]))
            continue;
        for (uint32_t i = 0; i < set->contents[k]->count; i++)
            key = mix(key, addresses[count][i]);
        candidates[count++] = set->contents[k];
    }
    const choice *known = count ? known_choice(c, key) : NULL;
    if (known) {
        c->now = *known;
        return true;
    }
    wpg_content_block *block;
    uint32_t offset;
    if (!count || c->candidates + count > MOST_CANDIDATES)
        return false;
    size_t checks = 0;
    for (uint32_t k = 0; k < count; k++)
        checks += candidates[k]->count;
    /* All of the pass must fit into one block. */
    if (sizeof(header) + (c->checks.count + checks) * sizeof(check) + (c->groups.count + 1) * sizeof(group) >
            WPG_CONTENT_BLOCK / 2 ||
        !wpg_vec_reserve(&c->checks, c->checks.count + checks) ||
        !wpg_vec_reserve(&c->groups, c->groups.count + 1) ||
        !wpg_contents_take(recording->device, &c->blocks, (count + 1) * 4, &block, &offset))
        return false;
    c->now = (choice){.key = key, .count = count, .buffer = block->buffer, .offset = offset};
    /* Until the comparison has run: the program's own. */
    uint32_t *predicates = (uint32_t *)(void *)(block->bytes + offset);
    memset(predicates, 0, count * sizeof *predicates);
    predicates[count] = 1;
    for (uint32_t k = 0; k < count; k++) {
        c->now.pipelines[k] = candidates[k]->pipeline;
        for (uint32_t i = 0; i < candidates[k]->count; i++)
            c->checks.data[c->checks.count++] =
                (check){addresses[k][i], candidates[k]->tests[i].bits, c->candidates + k};
    }
    c->groups.data[c->groups.count++] = (group){block->address + offset, c->candidates, count};
    c->candidates += count;
    c->recent[c->next_recent++ % RECENT_GROUPS] = c->now;
    return true;
}

/* Does the GPU know where any of the set's candidates has its words? */
static bool has_candidate(wpg_recording *recording, const wpg_variant_set *set, uint32_t ready)
{
    uint64_t addresses[WPG_MOST_WORD_TESTS];
    bool any = false;
    for (uint32_t k = 0; k < ready && !any; k++)
        any = find_addresses(addresses, recording, set->contents[k]);
    return any;
}

uint32_t wpg_content_choices(wpg_recording *recording, wpg_bound *bound)
{
    wpg_content_recording *c = recording->contents;
    const wpg_variant_set *set = bound->variants;
    const uint32_t ready = set ? atomic_load_explicit(&set->contents_ready, memory_order_acquire) : 0;
    if (!ready || c->feeds_back || c->program_condition || bound->actual != bound->base)
        return 1;
    if (c->idle && has_candidate(recording, set, ready)) { /* the next pass of this look has a comparison */
        note_use(c, true);
        c->idle = false;
    }
    if (!c->open)
        return 1;
    if (!add_choice(recording, set, ready))
        return 1;
    c->general = bound->actual;
    atomic_fetch_add_explicit(&draws, 1, memory_order_relaxed);
    return c->now.count + 1;
}

void wpg_content_choose(wpg_recording *recording, uint32_t turn)
{
    wpg_content_recording *c = recording->contents;
    const wpg_device_commands *next = &recording->device->next;
    const VkPipeline pipeline = turn < c->now.count ? c->now.pipelines[turn] : c->general;
    const VkConditionalRenderingBeginInfoEXT condition = {
        .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
        .buffer = c->now.buffer,
        .offset = c->now.offset + turn * 4u};
    if (turn)
        next->CmdEndConditionalRenderingEXT(recording->handle);
    wpg_attribution_bind(recording->device, &recording->blamed, pipeline);
    next->CmdBindPipeline(recording->handle, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    next->CmdBeginConditionalRenderingEXT(recording->handle, &condition);
}

void wpg_content_chosen(wpg_recording *recording)
{
    recording->device->next.CmdEndConditionalRenderingEXT(recording->handle);
}

/* -- The commands */

VKAPI_ATTR void VKAPI_CALL wpg_content_CmdBindDescriptorSets(VkCommandBuffer commands,
                                                             VkPipelineBindPoint point,
                                                             VkPipelineLayout layout, uint32_t first,
                                                             uint32_t count, const VkDescriptorSet *sets,
                                                             uint32_t offset_count, const uint32_t *offsets)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return;
    if (recording && recording->contents && point == VK_PIPELINE_BIND_POINT_GRAPHICS)
        wpg_contents_bind(recording->device, &recording->contents->bound, first, count, sets, offset_count,
                          offsets);
    next->CmdBindDescriptorSets(commands, point, layout, first, count, sets, offset_count, offsets);
}

/* Where runs are timed, too, the command goes on through the hook that ends them. */
#define ON(name, arguments)                                                                                  \
    do {                                                                                                     \
        if (recording && recording->runs)                                                                    \
            wpg_record_##name arguments;                                                                     \
        else                                                                                                 \
            next->name arguments;                                                                            \
    } while (0)
#define STRAIGHT_ON(name, arguments) next->name arguments

#define BEGIN(name, parameters, arguments, followed, look)                                                   \
    VKAPI_ATTR void VKAPI_CALL wpg_content_##name parameters                                                 \
    {                                                                                                        \
        wpg_recording *recording;                                                                            \
        const wpg_device_commands *next = wpg_record_enter(&recording, commands);                            \
        if (!next)                                                                                           \
            return;                                                                                          \
        if (recording) {                                                                                     \
            wpg_runs_close(recording);                                                                       \
            pass_begins(recording, followed, look);                                                          \
        }                                                                                                    \
        ON(name, arguments);                                                                                 \
    }
BEGIN(CmdBeginRenderPass,
      (VkCommandBuffer commands, const VkRenderPassBeginInfo *info, VkSubpassContents contents),
      (commands, info, contents), contents == VK_SUBPASS_CONTENTS_INLINE, look_of_pass(info))
BEGIN(CmdBeginRenderPass2,
      (VkCommandBuffer commands, const VkRenderPassBeginInfo *info, const VkSubpassBeginInfo *subpass),
      (commands, info, subpass), subpass->contents == VK_SUBPASS_CONTENTS_INLINE, look_of_pass(info))
BEGIN(CmdBeginRenderPass2KHR,
      (VkCommandBuffer commands, const VkRenderPassBeginInfo *info, const VkSubpassBeginInfo *subpass),
      (commands, info, subpass), subpass->contents == VK_SUBPASS_CONTENTS_INLINE, look_of_pass(info))
BEGIN(CmdBeginRendering, (VkCommandBuffer commands, const VkRenderingInfo *info), (commands, info),
      !info->flags, look_of_rendering(info))
BEGIN(CmdBeginRenderingKHR, (VkCommandBuffer commands, const VkRenderingInfo *info), (commands, info),
      !info->flags, look_of_rendering(info))

#define END(name, parameters, arguments)                                                                     \
    VKAPI_ATTR void VKAPI_CALL wpg_content_##name parameters                                                 \
    {                                                                                                        \
        wpg_recording *recording;                                                                            \
        const wpg_device_commands *next = wpg_record_enter(&recording, commands);                            \
        if (!next)                                                                                           \
            return;                                                                                          \
        if (recording)                                                                                       \
            pass_ends(recording);                                                                            \
        ON(name, arguments);                                                                                 \
    }
END(CmdEndRenderPass, (VkCommandBuffer commands), (commands))
END(CmdEndRenderPass2, (VkCommandBuffer commands, const VkSubpassEndInfo *info), (commands, info))
END(CmdEndRenderPass2KHR, (VkCommandBuffer commands, const VkSubpassEndInfo *info), (commands, info))
END(CmdEndRendering, (VkCommandBuffer commands), (commands))
END(CmdEndRenderingKHR, (VkCommandBuffer commands), (commands))

#define VISIBLE(name, parameters, arguments, go)                                                             \
    VKAPI_ATTR void VKAPI_CALL wpg_content_##name parameters                                                 \
    {                                                                                                        \
        wpg_recording *recording;                                                                            \
        const wpg_device_commands *next = wpg_record_enter(&recording, commands);                            \
        if (!next)                                                                                           \
            return;                                                                                          \
        becomes_visible(recording);                                                                          \
        go(name, arguments);                                                                                 \
    }
VISIBLE(CmdNextSubpass, (VkCommandBuffer commands, VkSubpassContents contents), (commands, contents), ON)
VISIBLE(CmdNextSubpass2,
        (VkCommandBuffer commands, const VkSubpassBeginInfo *begin, const VkSubpassEndInfo *end),
        (commands, begin, end), ON)
VISIBLE(CmdNextSubpass2KHR,
        (VkCommandBuffer commands, const VkSubpassBeginInfo *begin, const VkSubpassEndInfo *end),
        (commands, begin, end), ON)
VISIBLE(CmdPipelineBarrier,
        (VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
         VkDependencyFlags flags, uint32_t memory_count, const VkMemoryBarrier *memory, uint32_t buffer_count,
         const VkBufferMemoryBarrier *buffers, uint32_t image_count, const VkImageMemoryBarrier *images),
        (commands, from, to, flags, memory_count, memory, buffer_count, buffers, image_count, images), ON)
VISIBLE(CmdPipelineBarrier2, (VkCommandBuffer commands, const VkDependencyInfo *info), (commands, info), ON)
VISIBLE(CmdPipelineBarrier2KHR, (VkCommandBuffer commands, const VkDependencyInfo *info), (commands, info),
        ON)
VISIBLE(CmdWaitEvents,
        (VkCommandBuffer commands, uint32_t event_count, const VkEvent *events, VkPipelineStageFlags from,
         VkPipelineStageFlags to, uint32_t memory_count, const VkMemoryBarrier *memory, uint32_t buffer_count,
         const VkBufferMemoryBarrier *buffers, uint32_t image_count, const VkImageMemoryBarrier *images),
        (commands, event_count, events, from, to, memory_count, memory, buffer_count, buffers, image_count,
         images),
        STRAIGHT_ON)
VISIBLE(CmdWaitEvents2,
        (VkCommandBuffer commands, uint32_t count, const VkEvent *events, const VkDependencyInfo *infos),
        (commands, count, events, infos), STRAIGHT_ON)
VISIBLE(CmdWaitEvents2KHR,
        (VkCommandBuffer commands, uint32_t count, const VkEvent *events, const VkDependencyInfo *infos),
        (commands, count, events, infos), STRAIGHT_ON)

/* -- What the program does itself */

static void query(wpg_recording *recording, int more)
{
    wpg_content_recording *c = recording ? recording->contents : NULL;
    if (c && (more > 0 || c->program_queries))
        c->program_queries += (uint32_t)more;
}

#define QUERY(name, parameters, arguments, more)                                                             \
    VKAPI_ATTR void VKAPI_CALL wpg_content_##name parameters                                                 \
    {                                                                                                        \
        wpg_recording *recording;                                                                            \
        const wpg_device_commands *next = wpg_record_enter(&recording, commands);                            \
        if (!next)                                                                                           \
            return;                                                                                          \
        query(recording, more);                                                                              \
        ON(name, arguments);                                                                                 \
    }
QUERY(CmdBeginQuery, (VkCommandBuffer commands, VkQueryPool pool, uint32_t index, VkQueryControlFlags flags),
      (commands, pool, index, flags), 1)
QUERY(CmdEndQuery, (VkCommandBuffer commands, VkQueryPool pool, uint32_t index), (commands, pool, index), -1)
QUERY(CmdBeginQueryIndexedEXT,
      (VkCommandBuffer commands, VkQueryPool pool, uint32_t index, VkQueryControlFlags flags,
       uint32_t stream),
      (commands, pool, index, flags, stream), 1)
QUERY(CmdEndQueryIndexedEXT, (VkCommandBuffer commands, VkQueryPool pool, uint32_t index, uint32_t stream),
      (commands, pool, index, stream), -1)

VKAPI_ATTR void VKAPI_CALL wpg_content_CmdBeginConditionalRenderingEXT(
    VkCommandBuffer commands, const VkConditionalRenderingBeginInfoEXT *info)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return;
    if (recording && recording->contents)
        recording->contents->program_condition = true;
    next->CmdBeginConditionalRenderingEXT(commands, info);
}

VKAPI_ATTR void VKAPI_CALL wpg_content_CmdEndConditionalRenderingEXT(VkCommandBuffer commands)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return;
    if (recording && recording->contents)
        recording->contents->program_condition = false;
    next->CmdEndConditionalRenderingEXT(commands);
}

VKAPI_ATTR void VKAPI_CALL wpg_content_CmdBeginTransformFeedbackEXT(VkCommandBuffer commands, uint32_t first,
                                                                    uint32_t count, const VkBuffer *buffers,
                                                                    const VkDeviceSize *offsets)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return;
    if (recording && recording->contents)
        recording->contents->feeds_back = true; /* for the rest of the pass */
    next->CmdBeginTransformFeedbackEXT(commands, first, count, buffers, offsets);
}

/* -- Newer ways of binding descriptors */

/* The sets, or the one that is named, are not known from here on. */
static const wpg_device_commands *unknown_sets(VkCommandBuffer commands, uint32_t set)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (next && recording && recording->contents) {
        if (set < WPG_CONTENT_SETS)
            recording->contents->bound.sets[set] = VK_NULL_HANDLE;
        else
            wpg_content_forget_state(recording);
    }
    return next;
}

#define BY_INFO(name)                                                                                        \
    static VKAPI_ATTR void VKAPI_CALL hook_##name(VkCommandBuffer commands, const void *info)                \
    {                                                                                                        \
        const wpg_device_commands *next = unknown_sets(commands, UINT32_MAX);                                \
        if (next)                                                                                            \
            ((void(VKAPI_PTR *)(VkCommandBuffer, const void *))next->name)(commands, info);                  \
    }
BY_INFO(CmdBindDescriptorSets2)
BY_INFO(CmdBindDescriptorSets2KHR)
BY_INFO(CmdPushDescriptorSet2)
BY_INFO(CmdPushDescriptorSet2KHR)
BY_INFO(CmdPushDescriptorSetWithTemplate2)
BY_INFO(CmdPushDescriptorSetWithTemplate2KHR)
BY_INFO(CmdSetDescriptorBufferOffsets2EXT)

#define PUSHED(name)                                                                                         \
    static VKAPI_ATTR void VKAPI_CALL hook_##name(VkCommandBuffer commands, VkPipelineBindPoint point,       \
                                                  VkPipelineLayout layout, uint32_t set, uint32_t count,     \
                                                  const VkWriteDescriptorSet *writes)                        \
    {                                                                                                        \
        const wpg_device_commands *next = unknown_sets(commands, set);                                       \
        if (next)                                                                                            \
            ((PFN_vkCmdPushDescriptorSetKHR)next->name)(commands, point, layout, set, count, writes);        \
    }
PUSHED(CmdPushDescriptorSet)
PUSHED(CmdPushDescriptorSetKHR)

#define PUSHED_BY_TEMPLATE(name)                                                                             \
    static VKAPI_ATTR void VKAPI_CALL hook_##name(VkCommandBuffer commands, VkDescriptorUpdateTemplate by,   \
                                                  VkPipelineLayout layout, uint32_t set, const void *data)   \
    {                                                                                                        \
        const wpg_device_commands *next = unknown_sets(commands, set);                                       \
        if (next)                                                                                            \
            ((PFN_vkCmdPushDescriptorSetWithTemplateKHR)next->name)(commands, by, layout, set, data);        \
    }
PUSHED_BY_TEMPLATE(CmdPushDescriptorSetWithTemplate)
PUSHED_BY_TEMPLATE(CmdPushDescriptorSetWithTemplateKHR)

static VKAPI_ATTR void VKAPI_CALL hook_CmdSetDescriptorBufferOffsetsEXT(
    VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t first,
    uint32_t count, const uint32_t *indices, const VkDeviceSize *offsets)
{
    const wpg_device_commands *next = unknown_sets(commands, UINT32_MAX);
    if (next)
        ((void(VKAPI_PTR *)(VkCommandBuffer, VkPipelineBindPoint, VkPipelineLayout, uint32_t, uint32_t,
                            const uint32_t *, const VkDeviceSize *))next->CmdSetDescriptorBufferOffsetsEXT)(
            commands, point, layout, first, count, indices, offsets);
}

#define NEW(command)                                                                                         \
    {                                                                                                        \
        "vk" #command, (PFN_vkVoidFunction)hook_##command                                                    \
    }
static const struct {
    const char *name;
    PFN_vkVoidFunction function;
} new_hooks[] = {NEW(CmdBindDescriptorSets2),
                 NEW(CmdBindDescriptorSets2KHR),
                 NEW(CmdPushDescriptorSet),
                 NEW(CmdPushDescriptorSetKHR),
                 NEW(CmdPushDescriptorSetWithTemplate),
                 NEW(CmdPushDescriptorSetWithTemplateKHR),
                 NEW(CmdPushDescriptorSet2),
                 NEW(CmdPushDescriptorSet2KHR),
                 NEW(CmdPushDescriptorSetWithTemplate2),
                 NEW(CmdPushDescriptorSetWithTemplate2KHR),
                 NEW(CmdSetDescriptorBufferOffsetsEXT),
                 NEW(CmdSetDescriptorBufferOffsets2EXT)};

PFN_vkVoidFunction wpg_content_new_hook(const char *name)
{
    for (size_t i = 0; i < sizeof new_hooks / sizeof *new_hooks; i++)
        if (strcmp(new_hooks[i].name, name) == 0)
            return new_hooks[i].function;
    return NULL;
}
