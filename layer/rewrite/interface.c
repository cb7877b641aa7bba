/* Which outputs of a stage somebody reads.
 *
 *     vertex or evaluation --outputs--> fragment --outputs--> attachments
 *                              ^                     ^
 *             what the fragment stage needs     targets.h
 *
 * A fragment stage is asked in its normal form, with its specialisation: there a read that leads nowhere
 * shows. Left alone: outputs before control, geometry and mesh stages, and of a part whose fragment stage
 * is elsewhere. A whole pipeline without a fragment stage reads none. */
#include "layer/rewrite/interface.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/normalize/normalize.h"
#include "layer/base/answers.h"
#include "layer/base/build_id.h"
#include "layer/base/disk_cache.h"
#include "layer/rewrite/rewrite.h"
#include "runtime/base/bytes.h"

static wpg_rewrite *stage_of(const wpg_pipeline_plan *plan, VkShaderStageFlagBits bit)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->stages[i].stage_bit == bit)
            return &plan->stages[i];
    return NULL;
}

/* The stage whose outputs are what a fragment stage reads; NULL: another kind. */
static wpg_rewrite *last_before_fragments(const wpg_pipeline_plan *plan)
{
    if (stage_of(plan, VK_SHADER_STAGE_GEOMETRY_BIT) || stage_of(plan, VK_SHADER_STAGE_MESH_BIT_EXT))
        return NULL;
    if (stage_of(plan, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT))
        return stage_of(plan, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT);
    return stage_of(plan, VK_SHADER_STAGE_VERTEX_BIT);
}

static bool make_normal(wpg_rewrite *stage)
{
    wpg_error err;
    wpg_module *module = NULL;
    if (wpg_module_parse(&module, stage->words, stage->word_count, &err) != WPG_OK ||
        wpg_normalize(module, &stage->stage, NULL, &err) != WPG_OK) {
        wpg_module_destroy(module);
        return false;
    }
    stage->normal = module;
    return true;
}

/* The normal form is kept for the rewriting of the stage itself. False: the stage cannot be asked. */
static bool ask_module(wpg_output_use *use, wpg_rewrite *fragment, const wpg_output_use *targets)
{
    wpg_error err;
    return (fragment->normal || make_normal(fragment)) &&
           wpg_inputs_read(use, fragment->normal, targets, &err) == WPG_OK;
}

/* The key of the answer in the disk cache. False when memory runs out. */
static bool key_of(wpg_hash128 *key, const wpg_rewrite *fragment, const wpg_output_use *targets)
{
    wpg_writer w = {0};
    size_t size;
    const void *build = wpg_build_id(&size);
    wpg_write_text(&w, "inputs %d ", (int)targets->known);
    wpg_write_bytes(&w, targets->read, sizeof targets->read);
    wpg_write_bytes(&w, &fragment->words_hash, sizeof fragment->words_hash);
    wpg_write_bytes(&w, &fragment->hash, sizeof fragment->hash); /* with entry point and specialisation */
    wpg_write_bytes(&w, build, size);
    const bool good = !w.out_of_memory;
    if (good)
        *key = wpg_hash_bytes(w.data, w.size);
    wpg_writer_finish(&w);
    return good;
}

/* The answer is kept: asking takes a fifth of a millisecond, and 20 for the largest surfaces. False: it
 * is not, and it is not to be asked for now. */
static bool ask_fragments(wpg_output_use *use, wpg_rewrite *fragment, const wpg_output_use *targets,
                          wpg_rewrite_when when)
{
    wpg_hash128 key;
    uint8_t *data = NULL;
    size_t size;
    *use = (wpg_output_use){0};
    const bool keyed = key_of(&key, fragment, targets);
    if (keyed && wpg_cache_get(&data, &size, wpg_disk_cache(), key, NULL) == WPG_OK) {
        use->known = size == sizeof use->read;
        if (use->known)
            memcpy(use->read, data, size);
        free(data);
        return true;
    }
    if (when == WPG_REWRITE_IF_KEPT)
        return false;
    if (!ask_module(use, fragment, targets))
        *use = (wpg_output_use){0};
    else if (keyed) /* of one byte: not known */
        (void)wpg_cache_put(wpg_disk_cache(), key, use->read, use->known ? sizeof use->read : 1, NULL);
    return true;
}

/* True if the stage has an output that `use` does not read. Parses the module unless the cache knows. */
static bool writes_unread(wpg_rewrite *stage, const wpg_output_use *use)
{
    wpg_hash128 key, answer = {0};
    if (!use->known)
        return false;
    const bool keyed = wpg_answer_key(&key, "writes unread", stage, use->read, sizeof use->read);
    if (keyed && wpg_answer_find(&answer, key))
        return answer.low != 0;
    if (wpg_rewrite_parse(stage, NULL) != WPG_OK)
        return false;
    answer.low = wpg_writes_unread(stage->module, use);
    if (keyed)
        wpg_answer_note(key, answer);
    return answer.low != 0;
}

static void tell(wpg_rewrite *stage, const wpg_output_use *use)
{
    if (writes_unread(stage, use))
        stage->outputs = *use;
}

void wpg_interface_note(wpg_pipeline_plan *plan, const wpg_output_use *targets)
{
    static const wpg_output_use unknown = {0}, none = {.known = true};
    wpg_output_use use = none;
    wpg_rewrite *fragment = stage_of(plan, VK_SHADER_STAGE_FRAGMENT_BIT),
                *before = last_before_fragments(plan);
    if (strchr(wpg_the_process.settings.skip_passes, WPG_PASS_OUTPUTS))
        return;
    if (!targets)
        targets = &unknown;
    if (fragment)
        tell(fragment, targets);
    if (!before || (!fragment && plan->part))
        return;
    if (!writes_unread(before, &none))
        return; /* built-ins alone */
    if (fragment && !ask_fragments(&use, fragment, targets, plan->when))
        plan->later = true;
    else
        tell(before, &use);
}
