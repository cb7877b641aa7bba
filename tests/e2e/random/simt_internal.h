/* What the interpreter's two ways of running share: simt.c runs lanes one by one, lockstep.c runs waves. */
#ifndef WPG_TESTS_E2E_RANDOM_SIMT_INTERNAL_H
#define WPG_TESTS_E2E_RANDOM_SIMT_INTERNAL_H

#include "tests/e2e/random/simt.h"

enum { PARTS = 8, MOST_STEPS = 4000000, MOST_NESTING = 64, LANE_WORDS = 4096 };

typedef struct value {
    uint32_t part[PARTS]; /* components; a pointer is {variable's id, word offset} */
} value;

/* What a label starts. */
typedef struct label {
    wpg_inst *first;       /* OpLabel */
    uint32_t number;       /* of all blocks of the module, from 0 */
    uint32_t merge, again; /* of a loop header: its merge block and continue target; else 0 */
    uint32_t first_edge, edge_count;
} label;

/* Where a lane is: one entry for each call and each loop around it. */
typedef struct place {
    uint32_t id; /* of the loop header, or of the call's result */
    uint32_t iteration;
    uint32_t trips;      /* while the lane lived */
    bool is_call, alive; /* alive: as it came there */
} place;

/* What a lane did, and where: the start of a block, its end, entering the loop it heads, an edge, a select.
 */
typedef struct note {
    uint64_t where; /* digest of the places */
    uint32_t event, lane;
} note;

typedef struct machine {
    const wpg_module *module;
    const simt_launch *launch;
    char *error;
    size_t error_size;
    value *values;      /* [bound] of the lane that runs; constants stay */
    label *labels;      /* [bound] */
    uint32_t *variable; /* [bound] words from the lane's memory, buffer binding, or number of a select */
    bool *is_buffer;    /* [bound] */
    uint32_t block_count;
    uint32_t *lane_words; /* [LANE_WORDS] variables of the lane that runs */
    uint32_t lane_used, global_used;
    place places[MOST_NESTING];
    uint32_t depth;
    simt_counts *counts;
    bool counting; /* lane by lane */
    note *notes;
    size_t note_count, note_capacity;
    uint32_t lane; /* that runs, by number in its wave */
    uint64_t steps;
    bool helper;      /* the lane that runs is a helper: it writes nothing */
    uint32_t demoted; /* lanes of the wave that demoted */
} machine;

/* False, with the message for simt_counts.error. */
bool simt_refuse(machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Finds labels, variables, constants. */
bool simt_prepare(machine *m);
/* A lane's variables as they are before the shader runs. */
bool simt_start_lane(machine *m, uint32_t invocation);
uint32_t simt_type_words(const machine *m, uint32_t type);
/* `count` words behind a pointer; NULL and an error where there are none. */
uint32_t *simt_words_at(machine *m, const value *pointer, uint32_t pointer_type, uint32_t count);
/* -- Counting (simt_counts.c): does nothing unless m->counting */

/* Makes what is counted, once labels are known. */
bool simt_counts_make(machine *m);
bool simt_note_block(machine *m, uint32_t label);
bool simt_note_entry(machine *m, uint32_t header_label);
/* At a branch or switch, before the lane moves on. */
bool simt_note_edge(machine *m, uint32_t label, uint32_t to);
bool simt_note_select(machine *m, const wpg_inst *inst);
/* The lane leaves all places but the outermost `depth`. */
void simt_leave_places(machine *m, uint32_t depth);
/* A wave is done: `members` lanes were live at its entry. */
void simt_add_up(machine *m, uint32_t members);

/* Which of the loops around it the lane leaves by a branch to label `to`, goes round, or enters. */
bool simt_move_to(machine *m, uint32_t to);
/* An instruction that is no terminator, phi or call, for one lane. */
bool simt_step(machine *m, const wpg_inst *inst);
/* Where a branch or switch goes. */
uint32_t simt_target(const machine *m, const wpg_inst *inst);
/* The phis at the start of a block, for an edge from block `from`; the instruction behind them. */
const wpg_inst *simt_phis(machine *m, const wpg_inst *inst, uint32_t from);
bool simt_open(machine *m, simt_counts *counts, const wpg_module *module, const simt_launch *launch);
void simt_close(machine *m);

#endif
