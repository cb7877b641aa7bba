/* When things happen, as the shim sees them (shim_layer.c): SHIM_TIMES names a file that gets a line each,
 *
 *     present N SECONDS                     the Nth image (from 1) is about to be presented
 *     pipeline HANDLE SECONDS END THREAD    was made between these times, on the thread of that name
 *     bind HANDLE SECONDS                   the first bind of that pipeline
 *
 * in seconds since 1970 (CLOCK_REALTIME), so that a script can compare them with its own. Without the setting
 * nothing is noted. Threads: any. */
#ifndef WPG_TEST_SHIM_TIMES_H
#define WPG_TEST_SHIM_TIMES_H

#include <stdint.h>

#include <vulkan/vulkan.h>

/* Nanoseconds since 1970; 0 without SHIM_TIMES. */
uint64_t shim_times_now(void);
void shim_times_present(unsigned number);
/* `begin` is what shim_times_now said before. Null handles are left out. */
void shim_times_pipelines(uint64_t begin, uint32_t count, const VkPipeline *pipelines);
void shim_times_bind(VkPipeline pipeline);

#endif
