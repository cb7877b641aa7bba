/* What the pairs' prepare functions share. A pair is two cases of one name (shaders/runner/case.h), with
 * shaders before and after a change; WPG_PAIR in the environment chooses. Both get the same inputs. Threads:
 * one. */
#ifndef SHADERS_PAIRS_PAIRS_H
#define SHADERS_PAIRS_PAIRS_H

#include "shaders/runner/case.h"

typedef struct pair {
    bench_case before, after;
} pair;

/* The pair NAME of a fragment shader, on a triangle that covers the target; and of a compute shader. */
#define PAIR_FRAGMENT(name, what)                                                                            \
    {                                                                                                        \
        {#name, what, {"fullscreen.vert", "pairs/" #name "_before.frag"}, 0, prepare_##name},                \
        {                                                                                                    \
#name, what, {"fullscreen.vert", "pairs/" #name "_after.frag" }, 0, prepare_##name               \
        }                                                                                                    \
    }
#define PAIR_COMPUTE(name, what)                                                                             \
    {                                                                                                        \
        {#name, what, {"pairs/" #name "_before.comp"}, 0, prepare_##name},                                   \
        {                                                                                                    \
#name, what, {"pairs/" #name "_after.comp" }, 0, prepare_##name                                  \
        }                                                                                                    \
    }

/* Each ended by a pair without a name. */
extern const pair pair_surfaces[], pair_screens[], pair_kernels[];

/* True for the shaders after the change. */
bool pair_is_after(void);

/* The next specialisation constant, for the shaders after the change only. */
void pair_constant(bench_work *work, uint32_t value);

/* A square target of the size's width, drawn by one triangle. */
void pair_target(bench_work *work, bench_size size, uint32_t small, uint32_t demo, uint32_t full);

/* The next texture: a smooth pattern with some noise, another one for each seed. */
wpg_status pair_texture(bench_work *work, uint32_t width, uint32_t height, uint32_t depth, uint32_t seed,
                        wpg_error *err);

/* Input `which`: random floats between -1 and 1. */
wpg_status pair_floats(bench_work *work, unsigned which, size_t count, wpg_error *err);

#endif
