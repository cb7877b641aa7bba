/* Random shaders in the forms that front ends make: Tint of WGSL, ANGLE of GLSL ES, Zink of NIR. Values stand
 * in Function variables; the forms are counted. Same seed, same text, from one compiler of this file.
 *
 * Owns nothing; the caller frees a shader with front_end_finish. Threads: any.
 *
 * Every loop ends: its counter is stepped by nothing else, and words that bound loops are small. No result is
 * undefined: divisors are guarded, indices are masked, neighbours are asked in uniform control flow alone. */
#ifndef WPG_TESTS_SUPPORT_FRONT_ENDS_H
#define WPG_TESTS_SUPPORT_FRONT_ENDS_H

#include <stdbool.h>
#include <stdint.h>

/* Words of the uniform block: four unsigned (they bound loops: 0 to 9), four signed, four floats. */
enum { FRONT_END_WORDS = 12, FRONT_END_BOUNDS = 4, FRONT_END_SIGNED = 4, FRONT_END_FLOATS = 8 };
enum { FRONT_END_OUTPUTS = 3 }; /* integers, floats, integers; four of each */

typedef enum front_end_form {
    FORM_EXIT_BLOCK,  /* a loop is left through an empty block of its own */
    FORM_GUARD,       /* Tint's count of iterations, 2^64, in two words */
    FORM_SECOND_EXIT, /* another way out of a loop */
    FORM_CONTINUE,
    FORM_BACK_TEST, /* the back edge tests */
    FORM_BITCAST,   /* a counter that is compared with the other sign */
    FORM_NEGATED,   /* a negated condition */
    FORM_JOINED,    /* OpLogicalAnd, OpLogicalOr; or by blocks and a variable */
    FORM_BOOL,      /* a boolean in memory, or as 0 and 1 */
    FORM_COUNTER_IN_ARRAY,
    FORM_INDEX, /* an element of an array variable, by an index of a variable */
    FORM_DIVISION,
    FORM_WEIGHT,
    FORM_DERIVATIVE,
    FORM_KILL,
    FORM_DEMOTE,
    FORM_SWITCH,
    FORM_STANDING,      /* a word alone decides a branch */
    FORM_FIRST_TRIP,    /* a branch asks for the loop's first trip */
    FORM_CAST_CONSTANT, /* Zink's constants of the other sign */
    FRONT_END_FORMS
} front_end_form;

extern const char *const front_end_form_names[FRONT_END_FORMS];

typedef enum front_end_frame {
    /* Inputs: FragCoord and two floats at location 0. The uniform block is binding 0 of set 0. With `pushes`,
     * push constants of four unsigned words; the uniform block's bounds are rarely read then. */
    FRONT_END_FRAGMENT,
    /* As tests/unit/compiler/analysis/program_spirv.h has it: three words of a storage buffer each lane, by
     * the same ids. No floats. The words lie in the buffer from FRONT_END_AT on. */
    FRONT_END_LANES,
    FRONT_END_LANES_FRAGMENT
} front_end_frame;

enum { FRONT_END_AT = 1008 };

typedef struct front_end_job {
    front_end_frame frame;
    uint32_t seed;
    uint32_t local_size; /* of FRONT_END_LANES */
    unsigned statements; /* about so many, loops and branches among them */
    bool pushes;
    bool steady; /* no float decides anything or becomes an integer */
} front_end_job;

typedef struct front_end_shader {
    char *text; /* SPIR-V 1.0 assembly, malloc'd */
    unsigned forms[FRONT_END_FORMS];
} front_end_shader;

void front_end_make(front_end_shader *shader, const front_end_job *job);
void front_end_finish(front_end_shader *shader);

#endif
