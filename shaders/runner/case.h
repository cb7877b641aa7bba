/* What a benchmark case is: shader files, sizes, inputs and what a profile of it must count.
 *
 * A case has one pipeline. Every pipeline sees the same descriptor set 0: binding 0 the output storage buffer
 * (compute only), 1 a uniform buffer, 2 and 3 read-only storage buffers, from 4 on the textures of the case;
 * and push constants from offset 0.
 * Threads: one. */
#ifndef SHADERS_RUNNER_CASE_H
#define SHADERS_RUNNER_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/base/error.h"

typedef enum bench_size { BENCH_SMALL, BENCH_DEMO, BENCH_FULL, BENCH_SIZES } bench_size;

enum {
    BENCH_MAX_STAGES = 5,
    BENCH_MAX_PUSH = 128, /* what Vulkan guarantees */
    BENCH_MAX_UNIFORM = 1024,
    BENCH_MAX_EXPECTED = 4,
    BENCH_INPUTS = 2,
    BENCH_TEXTURES = 4,
    BENCH_MAX_CONSTANTS = 16,
};

/* Device features a case needs; the case is skipped where they are missing. */
enum { BENCH_NEEDS_TESSELLATION = 1, BENCH_NEEDS_GEOMETRY = 2 };

typedef struct bench_expected {
    const char *what; /* which block or stage, in words */
    uint64_t lanes;   /* live lanes that start it in one execution of the case */
} bench_expected;

/* A texture: RGBA8, one level, repeated, filtered linearly. */
typedef struct bench_texels {
    uint32_t width, height, depth; /* depth 0: two dimensions */
    uint8_t *texels;               /* malloc'd */
} bench_texels;

/* One execution of a case at one size: filled in by its prepare function, freed by bench_work_finish. */
typedef struct bench_work {
    uint32_t groups[3];     /* compute: workgroups */
    uint32_t width, height; /* image shape of the output, RGBA8; 0 if the output is no image */
    size_t output_size;     /* compute: bytes of binding 0 */
    uint32_t vertices;      /* graphics: vertices drawn, or indices where there are any */
    uint32_t *indices;      /* graphics, optional: malloc'd, `vertices` of them */
    uint32_t patch_points;  /* graphics: control points a patch, 0 = triangle list */
    bool depth;             /* graphics: with a depth buffer */
    uint8_t push[BENCH_MAX_PUSH];
    uint32_t push_size;
    uint8_t uniform[BENCH_MAX_UNIFORM];
    uint32_t uniform_size;
    void *input[BENCH_INPUTS]; /* malloc'd contents of bindings 2 and 3, or NULL */
    size_t input_size[BENCH_INPUTS];
    bench_texels textures[BENCH_TEXTURES]; /* combined image samplers at bindings 4 and on */
    uint32_t texture_count;
    uint32_t constants[BENCH_MAX_CONSTANTS]; /* specialisation constants from id 0 on, in every stage */
    uint32_t constant_count;
    uint64_t invocations; /* compute: launched; graphics: of the vertex stage as asked for by the draw */
    bench_expected expected[BENCH_MAX_EXPECTED];
    uint32_t expected_count;
} bench_work;

typedef struct bench_case {
    const char *name; /* also the pipeline's name */
    const char *summary;
    const char
        *files[BENCH_MAX_STAGES + 1]; /* in pipeline order, NULL after the last; the suffix is the stage */
    unsigned needs;
    wpg_status (*prepare)(bench_work *work, bench_size size, wpg_error *err);
} bench_case;

/* All cases, compute first. Static storage. */
const bench_case *bench_cases(size_t *count);

bool bench_case_is_compute(const bench_case *c);

/* True if `name` matches the glob or equals it. */
bool bench_case_matches(const bench_case *c, const char *glob);

const char *bench_size_name(bench_size size);
bool bench_size_parse(bench_size *size, const char *name);

void bench_work_finish(bench_work *work);

/* For prepare functions: copies of plain structs, and an expected count. */
void bench_work_push(bench_work *work, const void *data, size_t size);
void bench_work_uniform(bench_work *work, const void *data, size_t size);
void bench_work_expect(bench_work *work, const char *what, uint64_t lanes);

void bench_work_constant(bench_work *work, uint32_t value); /* the next specialisation constant */

/* The next texture: zeroed texels to be filled in; NULL when memory runs out. */
uint8_t *bench_work_texture(bench_work *work, uint32_t width, uint32_t height, uint32_t depth);

/* A zeroed array of `count` elements of `size` bytes as input `which` (0 or 1); NULL when memory runs out. */
void *bench_work_input(bench_work *work, unsigned which, size_t count, size_t size);

/* Small deterministic generator (xorshift) for inputs: a value in [0, 1). */
float bench_random(uint32_t *state);

/* Compute: a dispatch of 8x8 workgroups over an image; edges leave partial groups, on purpose. */
void bench_work_image(bench_work *work, uint32_t width, uint32_t height);

/* Takes the program's tables, each ended by an entry without a name; NULL after the last. Once, before
 * anything else. */
void bench_cases_take(const bench_case *const *tables);

/* The tables of cases_compute.c, cases_scene.c and cases_graphics.c. */
extern const bench_case bench_compute_cases[];
extern const bench_case bench_scene_cases[];
extern const bench_case bench_graphics_cases[];

#endif
