/* Where random shaders come from. Same seed, same words, on every machine with the same glslang and the same
 * compiler of this program. Generators of other tests write them:
 *
 * - the block tables of tests/unit/compiler/analysis/program.h: every shape that structured SPIR-V allows;
 * - the GLSL of tests/unit/compiler/normalize/generate.h: functions, early returns, short circuits,
 *   specialisation constants;
 * - tests/support/front_ends.h: loops as Tint, ANGLE and Zink make them. */
#ifndef WPG_TESTS_E2E_RANDOM_SOURCES_H
#define WPG_TESTS_E2E_RANDOM_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/spirv/module.h"

enum { RANDOM_WORDS = 1024, RANDOM_BUFFERS = 2 };
/* Fragment shaders are drawn with so many triangles into so many pixels; invocations are numbered by
 * triangle, row and column. */
enum { RANDOM_WIDTH = 16, RANDOM_HEIGHT = 7, RANDOM_TRIANGLES = 3 };
enum { RANDOM_PIXELS = RANDOM_WIDTH * RANDOM_HEIGHT };

/* A shader over storage buffers 0 and 1 of set 0; each invocation writes words of its own only. */
typedef struct random_source {
    const char *name;
    uint64_t seed;
    SpvExecutionModel stage;     /* compute, fragment (kills and demotes), or vertex */
    uint32_t local_size, groups; /* local_size * groups invocations in all; other than compute: one group */
    bool large;                  /* more statements than a driver compiles in a second */
    uint32_t *words;             /* SPIR-V, entry point "main"; malloc'd */
    size_t count;
    uint32_t buffers[RANDOM_BUFFERS][RANDOM_WORDS]; /* what they hold at the start */
} random_source;

/* The program of a seed. Stage: "comp", "frag", "vert", or NULL for what the seed says. For the interpreter
 * in step larger ones, and no vertex shaders. False if the front end cannot make it (it has said why). Free
 * with _finish. */
bool random_source_make(random_source *source, uint64_t seed, const char *stage, bool simulated);
/* The smallest shader of the stage: it returns. */
bool random_source_trivial(random_source *source, SpvExecutionModel stage, uint32_t local_size,
                           uint32_t groups);
/* Makes a shader of _trivial, or of blocks, write the number of the wave each invocation runs in, the
 * smallest invocation number in it, plus one, to buffer 1. Vertex shaders, which have no waves, count there
 * how often each invocation runs. `module` is the shader or its normal form. */
void random_source_report(wpg_module *module, const random_source *source);
/* Does the program of the seed come from text, and so need glslang or spirv-as installed? */
bool random_source_needs_tools(uint64_t seed, const char *stage, bool simulated);
void random_source_finish(random_source *source);

#endif
