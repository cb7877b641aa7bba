/* What is stored in variables of functions (storage class Function), as far as each store says which part of
 * which variable it writes. A front end passes arguments through such variables: without them a constant
 * argument decides nothing. Private to compiler/normalize. Threads: one. */
#ifndef WPG_COMPILER_NORMALIZE_STORED_H
#define WPG_COMPILER_NORMALIZE_STORED_H

#include "compiler/normalize/internal.h"
#include "runtime/base/vec.h"

enum { WPG_PART_DEPTH = 8 };

/* A part of a variable or of a value: the indices that lead there. */
typedef struct wpg_part {
    uint32_t id, depth, path[WPG_PART_DEPTH];
} wpg_part;

/* How two parts of one variable lie. */
typedef enum wpg_part_overlap {
    WPG_PART_APART,
    WPG_PART_COVERS, /* the first is the second, or has it inside */
    WPG_PART_INSIDE, /* the first is a part of the second */
} wpg_part_overlap;

typedef struct wpg_store {
    uint32_t value;     /* what is written */
    uint32_t pointer;   /* where */
    uint32_t part;      /* the same, once something asked about the variable: index in parts */
    uint32_t label, at; /* its block; its position there */
    uint32_t next;      /* index + 1 of another store to the variable */
} wpg_store;

/* By id. */
typedef struct wpg_stored_id {
    uint32_t root;      /* the variable that a pointer leads into, 0: no such pointer */
    uint32_t first;     /* of a variable: index + 1 in stores */
    uint32_t label, at; /* of a load: where it stands; label 0: none that is followed */
    bool escapes;       /* of a variable: written in ways that are not followed */
    bool has_parts;     /* of a variable: its stores have their parts, but if it escapes */
} wpg_stored_id;

/* Of one function at a time. A zeroed one holds none. */
typedef struct wpg_stored {
    const wpg_module *module;
    wpg_stored_id *ids; /* [count], in `arena` */
    bool *leads;        /* [count], in `arena`: the id has a root. A small table, asked of every operand */
    uint32_t count;
    WPG_VEC(wpg_store) stores;
    WPG_VEC(wpg_part) parts; /* id: the variable. Few variables are asked about, and all are stored to */
    bool out_of_memory;      /* in parts, since the function was read */
    uint32_t *noted;         /* [noted_count] ids that are not zero; room for `count`, in `arena` */
    uint32_t noted_count;
    wpg_arena arena;
} wpg_stored;

/* Reads a function in place of the one before. Until the next call the function must lose no instruction that
 * was read. */
wpg_status wpg_stored_read(wpg_stored *stored, const wpg_module *module, const wpg_fold_job *job,
                           wpg_error *err);
void wpg_stored_finish(wpg_stored *stored);

/* The part of a variable that `part` of a load's result comes from, in *from. False: not followed. */
bool wpg_stored_source(wpg_part *from, wpg_stored *stored, const wpg_inst *load, const wpg_part *part);
/* The part that a store to such a variable writes. */
static inline const wpg_part *wpg_stored_part(const wpg_stored *stored, const wpg_store *store)
{
    return &stored->parts.data[store->part];
}
/* Appends indices to a part's path. False: it would become too long. */
bool wpg_part_extend(wpg_part *part, const uint32_t *path, uint32_t depth);
wpg_part_overlap wpg_part_relation(const wpg_part *a, const wpg_part *b);

#endif
