/* What command buffers may bind (device->bindables). A record is made and destroyed with its pipeline.
 * Threads: read by any; `variants` is set under the variants' lock. */
#ifndef WPG_LAYER_BASE_BINDABLE_H
#define WPG_LAYER_BASE_BINDABLE_H

#include <vulkan/vulkan.h>

/* One VkPipeline of a pipeline hash, as commands find it. Immutable after creation. */
typedef struct wpg_bindable {
    VkPipeline pipeline; /* what the program holds */
    struct wpg_totals *totals;
    uint64_t push_signature;          /* of its layout's push-constant ranges: equal = compatible */
    uint64_t push_words;              /* words in those ranges */
    struct wpg_variant_set *variants; /* variants.h; NULL: none */
} wpg_bindable;

#endif
