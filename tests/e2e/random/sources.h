/* Where random shaders come from. Same seed, same words, on every machine with the same glslang. Header-only
 * generators of other tests write them: the block tables of tests/unit/compiler/analysis/program.h (every
 * shape that structured SPIR-V allows) and the GLSL of tests/unit/compiler/normalize/generate.h (functions,
 * early returns, short circuits, specialisation constants). */
#ifndef WPG_TESTS_E2E_RANDOM_SOURCES_H
#define WPG_TESTS_E2E_RANDOM_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANDOM_WORDS = 1024, RANDOM_BUFFERS = 2 };

/* A compute shader, or a fragment shader, over storage buffers 0 and 1 of set 0; each invocation writes words
 * of its own only. */
typedef struct random_source {
    const char *name;
    uint64_t seed;
    uint32_t local_size, groups;
    bool fragment;   /* kills and demotes; its invocations numbered by a flat input */
    bool large;      /* more statements than a driver compiles in a second */
    uint32_t *words; /* SPIR-V, entry point "main"; malloc'd */
    size_t count;
    uint32_t buffers[RANDOM_BUFFERS][RANDOM_WORDS]; /* what they hold at the start */
} random_source;

/* The program of a seed; for the interpreter in step: larger ones too, and fragment shaders. False if the
 * front end cannot make it (it has said why). Free with _finish. */
bool random_source_make(random_source *source, uint64_t seed, bool simulated);
/* Does the program of the seed come from GLSL, and so need a front end installed? */
bool random_source_needs_glsl(uint64_t seed);
void random_source_finish(random_source *source);

#endif
