/* One stage of a pipeline: its words as the program gave them, who it is, and what was made of it. The record
 * that rooms hand on; layer/rewrite fills it. Threads: one stage, one thread. */
#ifndef WPG_LAYER_BASE_STAGE_H
#define WPG_LAYER_BASE_STAGE_H

#include "compiler/instrument/code/instrument.h"
#include "compiler/optimize/ir/optimize.h"
#include <vulkan/vulkan.h>

typedef struct wpg_rewrite {
    /* Given by the caller: borrowed. */
    VkShaderStageFlagBits stage_bit;
    const uint32_t *words;
    size_t word_count;
    const char *entry;
    const VkSpecializationInfo *specialization; /* NULL = none */

    /* After wpg_rewrite_identify. */
    wpg_stage stage;
    wpg_spec_value *spec;
    wpg_module *module;     /* after wpg_rewrite_parse; consumed by generate and use */
    wpg_module *normal;     /* use: its normal form, where the stage before asked for it; NULL: not made */
    wpg_output_use outputs; /* use: who reads what the stage writes; not known by default */
    wpg_hash128 hash;       /* the shader hash */
    wpg_hash128 words_hash; /* of the words as given, for cache keys */

    /* After generate or use. */
    bool changed; /* out_words replace the application's */
    bool later;   /* use: not decided; the cache lacks the words or the search's result (wpg_rewrite_when) */
    uint32_t *out_words;
    size_t out_count;
    wpg_counter_map *map; /* generate */
    wpg_remarks *remarks; /* use; NULL if there are none */
    uint32_t wave_size;   /* use: lanes of a wave that the driver is to be asked for; 0 = as it is */
    const char *found;    /* use: "pipeline", "shader", "anchors", "no" */
    double matched;       /* use, with anchors looked for: share of the counts that found a block, 0..1 */
    wpg_hash128 like;     /* of which shader, if matched is more than 0 */
    wpg_hash128 anchors;  /* use: the name of weights found by anchors; zero: other weights, or none */
    wpg_error why;        /* what was refused; message "" if nothing */
} wpg_rewrite;

#endif
