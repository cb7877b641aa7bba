/* simt.h's second way to run a shader: the lanes of a wave in step, so that ballots, elections and reductions
 * mean something.
 *
 * Each lane knows the block it is to run next and the loops it is in (simt_move_to). Of all lanes those go
 * first that are furthest behind in structured order: outer iterations count most, then the place of the
 * inner loop or of the block, merge blocks after all that leads to them. Lanes with the same place in the
 * same iterations run the block together. That is structured reconvergence without a stack. */
#include "tests/e2e/random/simt_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LANES = 64 };

typedef struct wave_lane {
    value *values;
    uint32_t *words;
    place places[MOST_NESTING];
    uint32_t depth, block, from; /* labels: to run next, come from */
    bool running, helper;
} wave_lane;

typedef struct wave {
    machine *m;
    uint32_t *position; /* [bound] of each label in structured order */
    uint32_t unplaced;
    wave_lane lanes[MOST_LANES];
    uint32_t count;
    uint64_t steps;
    value *constants; /* every lane starts from a copy */
} wave;

/* -- Structured order ---------------------------------------------------------------------------------- */

/* Depth first, merge block and continue target before the rest: in reverse they come after it. */
static void put_in_order(wave *w, uint32_t label_id)
{
    const wpg_inst *merge = NULL, *inst = w->m->labels[label_id].first;
    if (w->position[label_id])
        return;
    w->position[label_id] = UINT32_MAX;
    for (; !wpg_opcode_is_terminator((SpvOp)inst->opcode); inst = inst->next) {
        if (inst->opcode == SpvOpLoopMerge || inst->opcode == SpvOpSelectionMerge)
            merge = inst;
    }
    if (merge)
        put_in_order(w, merge->words[1]);
    if (merge && merge->opcode == SpvOpLoopMerge)
        put_in_order(w, merge->words[2]);
    if (inst->opcode == SpvOpBranch) {
        put_in_order(w, inst->words[1]);
    } else if (inst->opcode == SpvOpBranchConditional) {
        put_in_order(w, inst->words[3]);
        put_in_order(w, inst->words[2]);
    } else if (inst->opcode == SpvOpSwitch) {
        for (uint32_t i = inst->count; i > 4; i -= 2)
            put_in_order(w, inst->words[i - 1]);
        put_in_order(w, inst->words[2]);
    }
    w->position[label_id] = w->unplaced--;
}

/* Which lane is further behind: negative if a is; 0 if they are together. */
static int compare(const wave *w, const wave_lane *a, const wave_lane *b)
{
    for (uint32_t i = 0;; i++) {
        uint32_t at_a = w->position[i < a->depth ? a->places[i].id : a->block];
        uint32_t at_b = w->position[i < b->depth ? b->places[i].id : b->block];
        if (at_a != at_b)
            return at_a < at_b ? -1 : 1;
        if (i >= a->depth || i >= b->depth)
            return 0;
        if (a->places[i].iteration != b->places[i].iteration)
            return a->places[i].iteration < b->places[i].iteration ? -1 : 1;
    }
}

/* -- Instructions of a wave ---------------------------------------------------------------------------- */

/* What single steps need: values, variables, and whether the lane writes. */
static void use_lane(wave *w, uint32_t l)
{
    w->m->values = w->lanes[l].values;
    w->m->lane_words = w->lanes[l].words;
    w->m->helper = w->lanes[l].helper;
}

static bool move_lane(wave *w, wave_lane *lane, uint32_t to)
{
    machine *m = w->m;
    m->depth = lane->depth;
    memcpy(m->places, lane->places, lane->depth * sizeof *lane->places);
    bool good = simt_move_to(m, to);
    lane->depth = m->depth;
    memcpy(lane->places, m->places, lane->depth * sizeof *lane->places);
    return good;
}

#define EACH_LANE(l, mask)                                                                                   \
    for (uint32_t l = 0; l < MOST_LANES; l++)                                                                \
        if ((mask) >> l & 1)

static uint64_t ballot_of(const value *v)
{
    return (uint64_t)v->part[1] << 32 | v->part[0];
}

/* Subgroup operations: the result is the same in all lanes but for an election and a scan. */
static bool subgroup(wave *w, const wpg_inst *inst, uint64_t mask)
{
    uint32_t operand = inst->count > 4 ? inst->words[inst->count - 1] : 0;
    uint32_t first = (uint32_t)__builtin_ctzll(mask);
    value v = {{0}};
    uint64_t set = 0;
    if (inst->opcode == SpvOpGroupNonUniformBallot || inst->opcode == SpvOpGroupNonUniformAll ||
        inst->opcode == SpvOpGroupNonUniformAny) {
        EACH_LANE(l, mask)
        set |= (uint64_t)(w->lanes[l].values[operand].part[0] & 1) << l;
    }
    switch (inst->opcode) {
    case SpvOpGroupNonUniformElect:
        EACH_LANE(l, mask)
        w->lanes[l].values[inst->result] = (value){{l == first}};
        return true;
    case SpvOpGroupNonUniformBallot:
        v = (value){{(uint32_t)set, (uint32_t)(set >> 32)}};
        break;
    case SpvOpGroupNonUniformAll:
        v = (value){{set == mask}};
        break;
    case SpvOpGroupNonUniformAny:
        v = (value){{set != 0}};
        break;
    case SpvOpGroupNonUniformBroadcastFirst:
        v = w->lanes[first].values[operand];
        break;
    case SpvOpGroupNonUniformBallotBitCount:
    case SpvOpGroupNonUniformBallotFindLSB:
        EACH_LANE(l, mask)
        {
            uint64_t ballot = ballot_of(&w->lanes[l].values[operand]);
            bool count = inst->opcode == SpvOpGroupNonUniformBallotBitCount;
            if (count && inst->words[4] == SpvGroupOperationExclusiveScan)
                ballot &= (UINT64_C(1) << l) - 1;
            /* The lowest bit of none is undefined: a number that some lane has, so that one who relies on it
             * is seen. */
            int lowest = ballot ? __builtin_ctzll(ballot) : (int)first;
            w->lanes[l].values[inst->result] =
                (value){{(uint32_t)(count ? __builtin_popcountll(ballot) : lowest)}};
        }
        return inst->opcode != SpvOpGroupNonUniformBallotBitCount ||
               inst->words[4] == SpvGroupOperationReduce ||
               inst->words[4] == SpvGroupOperationExclusiveScan || simt_refuse(w->m, "an inclusive scan");
    case SpvOpGroupNonUniformIAdd:
    case SpvOpGroupNonUniformUMax:
    case SpvOpGroupNonUniformUMin:
    case SpvOpGroupNonUniformBitwiseAnd:
    case SpvOpGroupNonUniformBitwiseOr:
        if (inst->words[4] != SpvGroupOperationReduce)
            return simt_refuse(w->m, "a scan");
        if (simt_type_words(w->m, inst->type) != 1)
            return simt_refuse(w->m, "a reduction of more than a word");
        v = w->lanes[first].values[operand];
        for (uint32_t k = 0; k < PARTS; k++) {
            EACH_LANE(l, mask & ~(UINT64_C(1) << first))
            {
                uint32_t more = w->lanes[l].values[operand].part[k], *have = &v.part[k];
                if (inst->opcode == SpvOpGroupNonUniformIAdd)
                    *have += more;
                else if (inst->opcode == SpvOpGroupNonUniformBitwiseAnd)
                    *have &= more;
                else if (inst->opcode == SpvOpGroupNonUniformBitwiseOr)
                    *have |= more;
                else if ((inst->opcode == SpvOpGroupNonUniformUMax) == (more > *have))
                    *have = more;
            }
        }
        break;
    default:
        return simt_refuse(w->m, "subgroup opcode %u", inst->opcode);
    }
    EACH_LANE(l, mask)
    w->lanes[l].values[inst->result] = v;
    return true;
}

static bool is_subgroup(uint16_t opcode)
{
    return opcode >= SpvOpGroupNonUniformElect && opcode <= SpvOpGroupNonUniformQuadSwap;
}

/* A block's end: where each lane goes. */
static bool leave_block(wave *w, const wpg_inst *inst, uint64_t mask)
{
    bool good = true;
    EACH_LANE(l, mask)
    {
        wave_lane *lane = &w->lanes[l];
        switch (inst->opcode) {
        case SpvOpReturn:
        case SpvOpKill:
        case SpvOpTerminateInvocation:
            lane->running = false;
            continue;
        case SpvOpBranch:
        case SpvOpBranchConditional:
        case SpvOpSwitch:
            break;
        default:
            return simt_refuse(w->m, "terminator %u", inst->opcode);
        }
        use_lane(w, l);
        lane->from = lane->block;
        lane->block = simt_target(w->m, inst);
        good = good && move_lane(w, lane, lane->block);
    }
    return good;
}

static bool run_block(wave *w, uint64_t mask)
{
    const wpg_inst *inst = w->m->labels[w->lanes[__builtin_ctzll(mask)].block].first->next, *after = inst;
    EACH_LANE(l, mask)
    {
        use_lane(w, l);
        after = simt_phis(w->m, inst, w->lanes[l].from);
    }
    for (inst = after; !wpg_opcode_is_terminator((SpvOp)inst->opcode); inst = inst->next) {
        if (is_subgroup(inst->opcode)) {
            if (!subgroup(w, inst, mask))
                return false;
            continue;
        }
        if (inst->opcode == SpvOpFunctionCall)
            return simt_refuse(w->m, "a call");
        EACH_LANE(l, mask)
        {
            use_lane(w, l);
            if (!simt_step(w->m, inst))
                return false;
            w->lanes[l].helper = w->m->helper;
        }
    }
    if (++w->steps > MOST_STEPS / 16)
        return simt_refuse(w->m, "a wave does not end");
    return leave_block(w, inst, mask);
}

static bool run_wave(wave *w)
{
    for (;;) {
        const wave_lane *last = NULL;
        uint64_t mask = 0;
        for (uint32_t l = 0; l < w->count; l++) {
            int order = !w->lanes[l].running ? 1 : last ? compare(w, &w->lanes[l], last) : -1;
            if (order < 0) {
                last = &w->lanes[l];
                mask = 0;
            }
            mask |= (uint64_t)(order <= 0) << l;
        }
        if (!mask)
            return true;
        if (!run_block(w, mask))
            return false;
    }
}

static bool make_lane(wave *w, wave_lane *lane)
{
    size_t bound = w->m->module->bound;
    if (lane->values)
        return true;
    lane->values = malloc(bound * sizeof(value));
    lane->words = calloc(LANE_WORDS, sizeof(uint32_t));
    if (!lane->values || !lane->words)
        return simt_refuse(w->m, "out of memory");
    memcpy(lane->values, w->constants, bound * sizeof(value));
    return true;
}

static bool run_all(wave *w, uint32_t entry_label)
{
    const simt_launch *launch = w->m->launch;
    uint32_t total = launch->local_size * launch->groups;
    bool good = true;
    for (uint32_t first = 0; good && first < total; first++) {
        w->count = 0;
        for (uint32_t i = 0; good && i < total; i++) {
            if (launch->waves[i] != launch->waves[first])
                continue;
            if (i < first || w->count == MOST_LANES) {
                w->count = i < first ? 0 : w->count;
                good = i < first || simt_refuse(w->m, "a wave of more than 64 lanes");
                break;
            }
            wave_lane *lane = &w->lanes[w->count];
            if (!make_lane(w, lane))
                return false;
            lane->depth = 0;
            use_lane(w, w->count);
            w->m->lane = w->count;
            good = simt_start_lane(w->m, i);
            lane->helper = launch->helpers && launch->helpers[i];
            w->count++;
            lane->running = true;
            lane->block = lane->from = entry_label;
        }
        w->steps = 0;
        good = good && run_wave(w);
    }
    return good;
}

bool simt_run_waves(simt_counts *counts, const wpg_module *module, const simt_launch *launch)
{
    machine m;
    wave *w = calloc(1, sizeof *w);
    uint32_t entry = 0;
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpEntryPoint)
            entry = inst->words[2];
    }
    bool good = simt_open(&m, counts, module, launch) && w;
    value *values = m.values;
    uint32_t *words = m.lane_words;
    if (good) {
        const wpg_inst *start = wpg_module_def(module, entry);
        while (start->opcode != SpvOpLabel)
            start = start->next;
        w->m = &m;
        w->unplaced = module->bound;
        w->position = calloc(module->bound, sizeof *w->position);
        w->constants = m.values;
        good = w->position || simt_refuse(&m, "out of memory");
        if (good) {
            put_in_order(w, start->result);
            good = run_all(w, start->result);
        }
    }
    for (uint32_t l = 0; w && l < MOST_LANES; l++) {
        free(w->lanes[l].values);
        free(w->lanes[l].words);
    }
    if (w)
        free(w->position);
    free(w);
    m.values = values;
    m.lane_words = words;
    simt_close(&m);
    return good;
}
