/* One entry point of a module of the corpus as a pipeline of its own, ready to run: compute stages as they
 * are, fragment and vertex stages with a partner (partner.h). Ownership: everything until subject_drop.
 * Threads: one. */
#ifndef WPG_TESTS_CORPUS_SUBJECT_H
#define WPG_TESTS_CORPUS_SUBJECT_H

#include "tests/corpus/interface.h"
#include "tests/corpus/resources.h"

enum { SUBJECT_WIDTH = 31, SUBJECT_HEIGHT = 19, SUBJECT_TARGETS = 8, SUBJECT_VERTICES = 24 };

typedef struct subject {
    wpg_module *module;
    const wpg_inst *entry;
    uint32_t model;
    layout layout;
    uint32_t set_count, push_size, push_type;
    given *given;
    interface inputs, outputs;
    struct {
        VkFormat format;
        uint32_t size, components; /* bytes a pixel; 0: no target at that location */
    } targets[SUBJECT_TARGETS];
    uint32_t target_count;
    VkDescriptorSetLayout sets[LAYOUT_SETS];
    VkPipelineLayout pipeline_layout;
    VkShaderModule own, partner;
    VkRenderPass pass;
    VkPipeline pipeline;
} subject;

/* False: *why says why this program leaves it out, or that the driver refused it. `to` is zeroed then. */
bool subject_make(subject *to, const char **why, vk_program *vk, const uint32_t *words, size_t count,
                  uint32_t model, const char *entry, given *by);
void subject_drop(subject *of, vk_program *vk);

/* Runs it once with a data set, and `more` times after that. Gives the hash of what the first run wrote. */
uint64_t subject_run(const subject *of, vk_program *vk, uint32_t data_set, uint32_t more);

#endif
