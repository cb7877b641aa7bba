/* What the pieces of the application share. */
#ifndef WPG_TEST_ICD_WALK_APP_H
#define WPG_TEST_ICD_WALK_APP_H

#include "tests/icd/walk.h"

typedef enum walk_shader {
    PUSH_COMP,
    COUNT_COMP,
    TRIANGLE_VERT,
    PLAIN_FRAG,
    RAYS_RGEN,
    RAYS_RMISS,
    VARIANTS_COMP,
    VARIANTS_VERT,
    VARIANTS_FRAG,
    SHADERS
} walk_shader;

/* Fixed-function state of a plain graphics pipeline; pointers into itself. */
typedef struct walk_state {
    VkPipelineVertexInputStateCreateInfo vertex;
    VkPipelineInputAssemblyStateCreateInfo assembly;
    VkPipelineViewportStateCreateInfo viewport;
    VkPipelineRasterizationStateCreateInfo raster;
    VkPipelineMultisampleStateCreateInfo samples;
    VkPipelineColorBlendStateCreateInfo blend;
    VkPipelineColorBlendAttachmentState target;
    VkViewport port;
    VkRect2D scissor;
} walk_state;

/* Instance, device, queue. false: one of them could not be made; walk_end is to be called all the same. */
bool walk_begin(walk_app *app);
void walk_end(walk_app *app);
/* One more device of the same instance and physical device, in an app of its own. */
bool walk_begin_device(walk_app *app);

VkShaderModuleCreateInfo walk_words(walk_shader which);
VkShaderModule walk_module(walk_app *app, walk_shader which);
VkPipelineLayout walk_layout(walk_app *app);
VkRenderPass walk_pass(walk_app *app);
VkPipelineShaderStageCreateInfo walk_stage(VkShaderStageFlagBits stage, VkShaderModule module);
void walk_fill_state(walk_state *state);
VkGraphicsPipelineCreateInfo walk_graphics(const walk_state *state,
                                           const VkPipelineShaderStageCreateInfo *stages, uint32_t count,
                                           VkPipelineLayout layout, VkRenderPass pass);
/* The driver is told which pipelines the application has. */
void walk_hold(const VkPipeline *pipelines, uint32_t count);
void walk_destroy_pipelines(walk_app *app, const VkPipeline *pipelines, uint32_t count);

/* walk_record.c */
void walk_run_commands(walk_app *app);
/* Draws and dispatches with shader objects, and submits that. */
void walk_run_objects(walk_app *app, const VkShaderStageFlagBits *stages, const wpg_shader *shaders,
                      uint32_t count);

/* walk_variants.c */
void walk_run_variants(walk_app *app);

/* walk_devices.c */
void walk_run_devices(walk_app *app);

#endif
