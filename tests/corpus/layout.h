/* Which descriptors a module of the corpus asks for, as a pipeline layout of any program would have them. */
#ifndef WPG_TESTS_CORPUS_LAYOUT_H
#define WPG_TESTS_CORPUS_LAYOUT_H

#include "compiler/spirv/stage.h"
#include "tests/e2e/vk.h"

enum { LAYOUT_SETS = 8, LAYOUT_BINDINGS = 64 };

typedef struct layout {
    VkDescriptorSetLayoutBinding bindings[LAYOUT_SETS][LAYOUT_BINDINGS];
    uint32_t counts[LAYOUT_SETS];
    uint32_t variables[LAYOUT_SETS][LAYOUT_BINDINGS]; /* ids of the first variable of each binding */
} layout;

/* False: the module has a variable that this program knows no descriptor for. */
bool layout_read(layout *to, const wpg_module *module);
/* Exits where one cannot be made. */
void layout_make(VkDescriptorSetLayout sets[LAYOUT_SETS], const vk_program *vk, const layout *of);
void layout_drop(const vk_program *vk, VkDescriptorSetLayout sets[LAYOUT_SETS]);

/* 0 for a model that is none of the pipelines of vertices or compute. */
VkShaderStageFlagBits layout_stage(uint32_t model);

#endif
