/* Puts constants in place of loads whose values are taken as given, at the uses where no result can differ.
 * For push constants (push_fold.c) and for words of uniform blocks (versions.c). The control flow graph
 * stays, and so does every table of the profile. Works best on values in SSA form. Private to
 * compiler/optimize. Threads: one module, one thread. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_LOAD_FOLD_H
#define WPG_COMPILER_OPTIMIZE_FOLD_LOAD_FOLD_H

#include "compiler/optimize/facts/push_solve.h"
#include "compiler/optimize/ir/legality.h"

enum { WPG_MOST_CHOICES = 16 };

/* What a load equals where it reads one of several known words, by an index. For any other index it stays. */
typedef struct wpg_known_choice {
    uint32_t index, part,
        width; /* ids, 0: none; the case is index * width + part, or the one that there is */
    uint32_t count;
    uint32_t cases[WPG_MOST_CHOICES], constants[WPG_MOST_CHOICES];
} wpg_known_choice;

/* A load, or a component of one, and the constant of its type that it equals. */
typedef struct wpg_known_load {
    wpg_inst *inst;
    uint32_t constant;              /* the load itself where there is a choice: one constant, but not which */
    const wpg_known_choice *choice; /* NULL: the constant stands for the load */
    uint64_t words;                 /* the caller's: what the constant depends on */
    uint64_t group;                 /* one bit; loads of one bit are folded together or not at all */
} wpg_known_load;

/* What is folded. The pointers live as long as the folding. */
typedef struct wpg_load_folded {
    uint32_t loads, dead_blocks;
    uint64_t words;
    bool floats; /* floats that are known become constants, too */
    const wpg_view *view;
    const wpg_id_set *exact; /* wpg_exact_slice */
    const wpg_solution *before, *after;
} wpg_load_folded;

typedef struct wpg_load_fold {
    wpg_context *context;
    const char *pass, *what; /* for remarks; static storage */
    uint32_t function, ordinal;
    const wpg_known_load *loads;
    size_t load_count;
    const wpg_view *view; /* of the function as it stands; NULL: one is made */
    bool always;          /* there is a folding where no load decides anything, too */
    bool silent;          /* nothing is said where there is none: the caller has another way */
    /* Loads of these words alone are folded, too, where they decide nothing and loads of the words `decided`
     * do. NULL: none are. */
    uint64_t (*along)(const struct wpg_load_fold *job, uint64_t decided);
    void *of; /* the caller's */
} wpg_load_fold;

/* What wpg_load_fold_find found. */
typedef struct wpg_load_folding wpg_load_folding;

/* Finds the loads that may be folded and decide a branch, loop bound, index or divisor. Changes nothing.
 * *folding is NULL if there are none; remarks say why. Else *folded says what is folded, and `job` stays with
 * its pointers until wpg_load_folding_destroy. WPG_E_NOMEM only. */
wpg_status wpg_load_fold_find(wpg_load_folding **folding, wpg_load_folded *folded, const wpg_load_fold *job);
/* Folds them. Nothing of the function was changed since they were found. */
void wpg_load_folding_apply(wpg_load_folding *folding);
void wpg_load_folding_destroy(wpg_load_folding *folding); /* NULL is fine */
#endif
