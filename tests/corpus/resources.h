/* The buffers, images and samplers behind the descriptors of one module of the corpus: made by what its
 * variables declare, filled with the numbers of contents.h, hashed after a run. Ownership: everything until
 * resources_drop. Threads: one. */
#ifndef WPG_TESTS_CORPUS_RESOURCES_H
#define WPG_TESTS_CORPUS_RESOURCES_H

#include "tests/corpus/given.h"
#include "tests/corpus/layout.h"

typedef struct resources resources;

/* True if resources_make knows every descriptor of the module; else *why says which it does not. */
bool resources_known(const char **why, const vk_program *vk, const wpg_module *module, const layout *of);
/* Exits where the driver cannot make one. `sets`: layouts, as many as descriptor sets are bound. */
resources *resources_make(vk_program *vk, const wpg_module *module, const layout *of,
                          const VkDescriptorSetLayout *sets, uint32_t set_count);
void resources_drop(resources *of);

/* Host side: contents by number of the data set. Numbers of `by` stand in data set 0. */
void resources_fill(resources *of, uint32_t data_set, const given *by);
/* Recorded before the work: images get their contents. After the work: those that can be written are read. */
void resources_record_upload(resources *of);
void resources_record_download(resources *of);
const VkDescriptorSet *resources_sets(const resources *of);
/* Of all that the work could write, over `hash`. */
uint64_t resources_hash(const resources *of, uint64_t hash);
uint64_t hash_over(uint64_t hash, const void *data, size_t size);

#endif
