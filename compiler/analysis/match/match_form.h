/* The description of a function that match_form.c makes and match.c reads. Private to compiler/analysis. */
#ifndef WPG_COMPILER_ANALYSIS_MATCH_FORM_H
#define WPG_COMPILER_ANALYSIS_MATCH_FORM_H

#include "compiler/analysis/match/match.h"

typedef struct wpg_block_form {
    uint64_t exact;  /* instructions in order, with constants and literals */
    uint64_t around; /* `exact` of the block, and what its neighbours do */
    uint64_t path;   /* kinds of the constructs around it */
    uint32_t part;   /* its part in the control flow; blocks of two parts never match */
    uint32_t end;    /* what ends it */
    uint32_t first;  /* its features: form->features[first] .. [first + count - 1], sorted */
    uint32_t count;
    uint32_t first_select, select_count;
} wpg_block_form;

struct wpg_form {
    wpg_arena arena;
    wpg_block_form *blocks;
    uint32_t block_count;
    uint32_t *features; /* what each instruction does, hashed */
    uint32_t feature_count;
    uint32_t *sorted; /* all features, sorted */
    uint32_t select_count;
};

/* The number of features that two sorted lists have in common. A feature counts as often as both lists hold
 * it. */
uint32_t wpg_common_features(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count);

#endif
