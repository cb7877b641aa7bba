/* What the files of the test program share. */
#ifndef WPG_TESTS_E2E_APP_H
#define WPG_TESTS_E2E_APP_H

#include "tests/e2e/vk.h"

enum { APP_INVOCATIONS = 32 * 40, APP_WORDS = 4096 };

/* A shader of the SPIR-V folder; *words is malloc'd. Exits when it is not there. */
void app_read_shader(uint32_t **words, size_t *count, const char *name);
uint32_t app_checksum(const uint32_t *words, size_t count);
void app_fill(vk_program *vk);

/* The module of a shader of the SPIR-V folder; exits when it cannot be made. */
VkShaderModule app_load(vk_program *vk, const char *name);

/* Whose code each device command leads to (hooks.c). */
void app_hooks(vk_program *vk);

/* Scenarios about ways of making pipelines (app_pipelines.c). */
void app_batch(vk_program *vk, const uint32_t *words, size_t count, bool derive);
void app_required(vk_program *vk, const uint32_t *words, size_t count);
void app_library(vk_program *vk, const char *scenario);
void app_inline(vk_program *vk);

/* Scenario about what a program is told (app_answers.c). path NULL: its pipeline cache is not kept. */
void app_answers(vk_program *vk, const char *path);

/* Scenario about what shaders and pipelines may ask for (app_features.c). only NULL: all of it. */
/* Draws with blending, write mask and sample mask as dynamic state, where the device has that; linked: by an
 * optimised link of libraries. */
void app_dynamic_state(vk_program *vk, bool linked);
void app_features(vk_program *vk, const char *only);

/* Of the same: commands that the device makes (app_generated.c). */
void app_generated(vk_program *vk);

/* Scenario about many threads, devices and instances (app_many.c); it opens what it needs. */
void app_many(const char *seed);

/* Scenario about a great many pipelines (app_crowd.c). argument NULL: 10,000. */
void app_crowd(vk_program *vk, const char *argument);
/* What it shares with others: a pipeline of "push.comp" under one specialisation value, which exits where
 * that fails; a dispatch of it; KiB of resident memory. */
VkPipeline app_make_of_value(vk_program *vk, const uint32_t *words, size_t count, uint32_t factor);
void app_run_of_value(vk_program *vk, VkPipeline pipeline);
long app_resident(void);
/* Scenarios that make, run and destroy one thing after the other (app_churn.c). argument NULL: 1,000. */
void app_churn(vk_program *vk, const char *scenario, const char *argument);

/* Scenario about shader objects (app_objects.c). */
void app_objects(vk_program *vk);

/* Scenarios about variants by push constants (app_variants.c). */
void app_variants_train(vk_program *vk);
void app_variants(vk_program *vk);
void app_shapes(vk_program *vk, bool train);
/* The same of graphics pipelines (app_variants_draw.c): in render passes, without, and of optimised links. */
typedef enum app_variants_way {
    APP_VARIANTS_PASS,
    APP_VARIANTS_RENDERING,
    APP_VARIANTS_LINKED
} app_variants_way;
void app_variants_draw_train(vk_program *vk);
void app_variants_draw(vk_program *vk, app_variants_way way);
void app_variants_feedback(vk_program *vk);

/* Scenarios about contents of uniform blocks (app_contents.c). frames NULL: 200. */
void app_contents_train(vk_program *vk);
void app_contents(vk_program *vk, const char *frames);

/* Scenarios about push descriptors (app_push.c). core: by the commands of Vulkan 1.4; old: not by those of
 * VK_KHR_maintenance6. */
void app_push(vk_program *vk, bool core, bool old);

/* Scenarios about divisors in uniform buffers (app_divide.c): divide, counted; with "-all" values beside the
 * usual ones, too. */
void app_divide(vk_program *vk, const char *scenario);

/* Scenario about outputs that nobody reads (app_stages.c). */
void app_stages(vk_program *vk);

/* Scenarios about what is recorded (app_record.c). */
void app_record(vk_program *vk, const uint32_t *words, size_t count);
void app_record_threads(vk_program *vk);

#endif
