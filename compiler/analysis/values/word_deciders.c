/* See word_deciders.h. Two facts of each id, and of each variable of the shader's own:
 *
 *     varies   it may differ between invocations, or no constant propagation follows it
 *     words    the sites that it is computed of
 *
 * A variable has the facts of everything stored into it. First `varies` is solved, then `words`: a comparison
 * with what varies decides nothing, and drops its words. A third fact goes the other way, from a use to what
 * it uses:
 *
 *     placed   it is on its way to the coordinates of a texel
 *
 * `varies` and `words` are solved in two modes at once. In the mode MORE floats are followed into integers,
 * whole numbers and scaled vectors, too: less varies there, and words reach further. */
#include "compiler/analysis/values/word_deciders.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <string.h>

#include "compiler/spirv/builder.h"
#include "runtime/base/vec.h"

enum { PLAIN, MORE, MODES };
enum { IN_PLAIN = 1 << PLAIN, IN_MORE = 1 << MORE, IN_BOTH = IN_PLAIN | IN_MORE };

/* `to` is computed of `from`. Words follow it from `from` to `to`, placed the other way. */
typedef struct edge {
    uint32_t from, to;
    uint8_t words; /* the modes */
    bool tests;    /* no words where `to` varies */
    bool placed;
} edge;

typedef struct id_words {
    uint64_t of[MODES];
} id_words;

typedef struct decider {
    const wpg_cfg *cfg;
    const wpg_module *module;
    const wpg_word_site *sites;
    uint32_t count, bound;
    uint32_t *variable; /* [bound] of pointers: the variable of the shader's own that they lead to; 0: none */
    id_words *words;    /* [bound] */
    uint8_t *varies;    /* [bound] the modes in which the id does */
    bool *placed;       /* [bound] */
    bool *is_read;      /* [bound] an edge comes from the id */
    bool *is_late;      /* [bound] of the edges to the id, one stands behind one that comes from the id */
    bool changed;       /* something that is late: another round may find more */
    bool nomem;
    const wpg_inst **insts; /* of reachable blocks, in reverse post-order */
    uint32_t inst_count;
    const wpg_inst **pending; /* in their order: what the next round has to visit */
    WPG_VEC(edge) edges;      /* in the order of insts, read once: rounds by instructions would cost more */
} decider;

static unsigned varies(const decider *d, uint32_t id)
{
    return id < d->bound ? d->varies[id] : IN_BOTH;
}

static uint64_t words(const decider *d, uint32_t id, unsigned mode)
{
    return id < d->bound ? d->words[id].of[mode] : 0;
}

static void set_varies(decider *d, uint32_t id, unsigned modes)
{
    if (id < d->bound && (modes & ~(unsigned)d->varies[id])) {
        d->varies[id] |= (uint8_t)modes;
        d->changed |= d->is_late[id];
    }
}

static void set_placed(decider *d, uint32_t id)
{
    if (id < d->bound && !d->placed[id]) {
        d->placed[id] = true;
        d->changed |= d->is_late[id];
    }
}

static void add_words(decider *d, uint32_t id, unsigned mode, uint64_t more)
{
    if (id < d->bound && more & ~d->words[id].of[mode]) {
        d->words[id].of[mode] |= more;
        d->changed |= d->is_late[id];
    }
}

/* Words that the instruction itself reads. */
static void add_own_words(decider *d, uint32_t id, uint64_t more)
{
    for (unsigned mode = 0; mode < MODES; mode++)
        add_words(d, id, mode, more);
}

/* The variable of the shader's own that a pointer leads to; 0: any other memory. */
static uint32_t find_own_variable(const wpg_module *module, uint32_t pointer)
{
    const wpg_inst *def = wpg_module_def(module, pointer);
    while (def && (def->opcode == SpvOpAccessChain || def->opcode == SpvOpInBoundsAccessChain ||
                   def->opcode == SpvOpCopyObject))
        def = wpg_module_def(module, def->words[3]);
    if (!def || def->opcode != SpvOpVariable)
        return 0;
    return def->words[3] == SpvStorageClassFunction || def->words[3] == SpvStorageClassPrivate ? def->result
                                                                                               : 0;
}

static uint32_t own_variable(const decider *d, uint32_t pointer)
{
    return pointer < d->bound ? d->variable[pointer] : 0;
}

/* A load that is the same for all invocations of a draw or dispatch. */
static bool is_draw_load(const wpg_module *module, const wpg_inst *load)
{
    wpg_word_place place;
    const wpg_inst *variable =
        wpg_word_place_of(&place, module, load) ? wpg_module_def(module, place.variable) : NULL;
    return variable && variable->opcode == SpvOpVariable &&
           (variable->words[3] == SpvStorageClassUniform ||
            variable->words[3] == SpvStorageClassPushConstant);
}

static uint64_t site_at(const decider *d, const wpg_word_place *place)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (memcmp(&d->sites[i].place, place, sizeof *place) == 0)
            return UINT64_C(1) << i;
    return 0;
}

/* The site of component `c` of a vector; 0: none. */
static uint64_t site_of_part(const decider *d, const wpg_inst *vector, uint32_t c)
{
    wpg_word_place place;
    return wpg_word_place_of_part(&place, d->module, vector, c) ? site_at(d, &place) : 0;
}

/* The sites that a load, a part of one, or a cast or shuffle of one holds. */
static uint64_t sites_of(const decider *d, const wpg_inst *inst)
{
    const wpg_inst *type = wpg_module_def(d->module, inst->type);
    wpg_word_place place;
    uint64_t sites = 0;
    if (inst->opcode == SpvOpCompositeExtract)
        return inst->count == 5 ? site_of_part(d, wpg_module_def(d->module, inst->words[3]), inst->words[4])
                                : 0;
    if (type && type->opcode == SpvOpTypeVector) {
        for (uint32_t c = 0; c < type->words[3]; c++)
            sites |= site_of_part(d, inst, c);
        return sites;
    }
    return inst->opcode == SpvOpLoad && wpg_word_place_of(&place, d->module, inst) ? site_at(d, &place) : 0;
}

/* Is it a part of a vector that was loaded, cast or shuffled? Its site is known then. */
static bool is_traced(const decider *d, const wpg_inst *inst)
{
    uint32_t component;
    if (inst->opcode != SpvOpCompositeExtract || inst->count != 5)
        return false;
    const wpg_inst *load =
        wpg_word_trace(d->module, wpg_module_def(d->module, inst->words[3]), inst->words[4], &component);
    return load && is_draw_load(d->module, load);
}

/* Functions of GLSL.std.450 that make one weight of others. */
static bool mixes(uint32_t number)
{
    switch (number) {
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450FClamp:
    case GLSLstd450FMix:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450NClamp:
        return true;
    default:
        return false;
    }
}

/* Functions that make whole numbers, or the rest to these. */
static bool rounds(uint32_t number)
{
    switch (number) {
    case GLSLstd450Round:
    case GLSLstd450RoundEven:
    case GLSLstd450Trunc:
    case GLSLstd450FAbs:
    case GLSLstd450FSign:
    case GLSLstd450Floor:
    case GLSLstd450Ceil:
    case GLSLstd450Fract:
    case GLSLstd450Step:
        return true;
    default:
        return false;
    }
}

typedef enum effect {
    UNKNOWN,    /* not followed */
    MOVES,      /* moves values: operands [first, count), by steps */
    MOVES_MORE, /* the same in the mode MORE, else not followed */
    TESTS,      /* compares two numbers */
    JOINS,      /* of two Booleans: one alone may decide it */
} effect;

static effect effect_of(const wpg_inst *inst, unsigned *first, unsigned *step)
{
    const SpvOp opcode = (SpvOp)inst->opcode;
    *first = 3;
    *step = 1;
    switch (opcode) {
    case SpvOpExtInst:
        *first = 5;
        return mixes(inst->words[4]) ? MOVES : rounds(inst->words[4]) ? MOVES_MORE : UNKNOWN;
    case SpvOpConvertFToS:
    case SpvOpConvertFToU:
    case SpvOpVectorTimesScalar:
    case SpvOpFDiv:
        return MOVES_MORE;
    case SpvOpPhi:
        *step = 2;
        return MOVES;
    case SpvOpCompositeConstruct:
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpSelect:
    case SpvOpLogicalNot:
    case SpvOpBitcast:
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpNot:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpBitFieldUExtract:
    case SpvOpBitFieldSExtract:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpFNegate:
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
        return MOVES;
    case SpvOpLogicalAnd:
    case SpvOpLogicalOr:
    case SpvOpLogicalEqual:
    case SpvOpLogicalNotEqual:
        return JOINS;
    default:
        return opcode >= SpvOpIEqual && opcode <= SpvOpFUnordGreaterThanEqual ? TESTS : UNKNOWN;
    }
}

/* How many operands of a composite instruction are ids; the rest are indices. */
static unsigned ids_of(const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpCompositeExtract:
        return 1;
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
        return 2;
    default:
        return 0;
    }
}

/* Returns whether a later round may find more. */
static bool visit_varies(decider *d, const wpg_inst *inst)
{
    unsigned first, step, ids = ids_of(inst);
    uint32_t variable;
    if (inst->opcode == SpvOpStore) {
        variable = own_variable(d, inst->words[1]);
        if (variable)
            set_varies(d, variable, varies(d, inst->words[2]));
        return variable && varies(d, variable) != IN_BOTH;
    }
    if (!inst->result || inst->opcode == SpvOpVariable || varies(d, inst->result) == IN_BOTH)
        return false;
    if (inst->opcode == SpvOpLoad) {
        variable = own_variable(d, inst->words[3]);
        set_varies(d, inst->result,
                   variable                        ? varies(d, variable)
                   : is_draw_load(d->module, inst) ? 0
                                                   : IN_BOTH);
        return variable && varies(d, variable) != IN_BOTH;
    }
    const effect kind = effect_of(inst, &first, &step);
    if (!ids && kind == UNKNOWN) {
        set_varies(d, inst->result, IN_BOTH);
        return false;
    }
    const unsigned end = ids ? first + ids : inst->count;
    unsigned any = !ids && kind == MOVES_MORE ? IN_PLAIN : 0, all = IN_BOTH;
    for (unsigned i = first; i < end && i < inst->count; i += step) {
        any |= varies(d, inst->words[i]);
        all &= varies(d, inst->words[i]);
    }
    set_varies(d, inst->result, kind == JOINS ? all : any);
    return varies(d, inst->result) != IN_BOTH;
}

/* There is room in the list. */
static void link(decider *d, edge e)
{
    if (e.from >= d->bound || e.to >= d->bound)
        return;
    d->is_read[e.from] = true;
    d->is_late[e.to] |= d->is_read[e.to];
    d->edges.data[d->edges.count++] = e;
}

/* Adds the facts that the instruction itself has, and its edges. */
static void read_edges(decider *d, const wpg_inst *inst)
{
    unsigned first, step, ids = ids_of(inst);
    uint32_t variable;
    if (!wpg_vec_reserve(&d->edges, inst->count)) {
        d->nomem = true;
        return;
    }
    if (wpg_opcode_takes_texels(inst->opcode))
        set_placed(d, inst->words[4]);
    if (inst->opcode == SpvOpStore) {
        variable = own_variable(d, inst->words[1]);
        if (variable)
            link(d, (edge){inst->words[2], variable, .words = IN_BOTH, .placed = true});
        return;
    }
    if (!inst->result || inst->opcode == SpvOpVariable)
        return;
    if (inst->opcode == SpvOpLoad) {
        variable = own_variable(d, inst->words[3]);
        if (variable)
            link(d, (edge){variable, inst->result, .words = IN_BOTH, .placed = true});
        else
            add_own_words(d, inst->result, sites_of(d, inst));
        return;
    }
    const bool traced = is_traced(d, inst);
    if (traced || inst->opcode == SpvOpBitcast || inst->opcode == SpvOpVectorShuffle)
        add_own_words(d, inst->result, sites_of(d, inst));
    const effect kind = effect_of(inst, &first, &step);
    edge e = {.to = inst->result, .tests = kind == TESTS};
    e.words = traced || (kind == UNKNOWN && !ids) ? 0 : kind == MOVES_MORE ? IN_MORE : IN_BOTH;
    e.placed = kind == MOVES || kind == MOVES_MORE || ids;
    const unsigned end = ids ? first + ids : inst->count;
    for (unsigned i = first; (e.words || e.placed) && i < end && i < inst->count; i += step) {
        e.from = inst->words[i];
        link(d, e);
    }
}

static void solve_varies(decider *d)
{
    const wpg_inst **from = d->insts;
    uint32_t count = d->inst_count;
    do {
        uint32_t left = 0;
        d->changed = false;
        for (uint32_t i = 0; i < count; i++)
            if (visit_varies(d, from[i]))
                d->pending[left++] = from[i];
        from = d->pending;
        count = left;
    } while (d->changed);
}

static void solve_words(decider *d)
{
    do {
        d->changed = false;
        for (size_t i = 0; i < d->edges.count; i++) {
            const edge *e = &d->edges.data[i];
            const id_words from = d->words[e->from];
            if (!(from.of[PLAIN] | from.of[MORE]))
                continue;
            const unsigned modes = e->words & ~(e->tests ? (unsigned)d->varies[e->to] : 0);
            for (unsigned mode = 0; mode < MODES; mode++)
                if (modes >> mode & 1)
                    add_words(d, e->to, mode, from.of[mode]);
        }
    } while (d->changed);
}

/* Uses stand behind what they use. */
static void solve_placed(decider *d)
{
    do {
        d->changed = false;
        for (size_t i = d->edges.count; i-- > 0;) {
            const edge *e = &d->edges.data[i];
            if (e->placed && d->placed[e->to])
                set_placed(d, e->from);
        }
    } while (d->changed);
}

/* The words of one of two operands, where only the other varies. */
static uint64_t words_of_steady(const decider *d, const wpg_inst *inst, unsigned mode)
{
    const unsigned a = varies(d, inst->words[3]) >> mode & 1, b = varies(d, inst->words[4]) >> mode & 1;
    return a != b ? words(d, inst->words[a ? 4 : 3], mode) : 0;
}

/* The words that scale what varies by this instruction, or choose between two such values. */
static uint64_t weighs(const decider *d, const wpg_inst *inst, unsigned mode)
{
    switch (inst->opcode) {
    case SpvOpFMul:
    case SpvOpVectorTimesScalar:
    case SpvOpDot:
        return words_of_steady(d, inst, mode);
    case SpvOpExtInst:
        return inst->words[4] == GLSLstd450FMix && inst->count == 8 &&
                       varies(d, inst->result) >> mode & ~(varies(d, inst->words[7]) >> mode) & 1
                   ? words(d, inst->words[7], mode)
                   : 0;
    default:
        return 0;
    }
}

/* The words that are added to what varies, on its way to a texel's coordinates. */
static uint64_t moves(const decider *d, const wpg_inst *inst, unsigned mode)
{
    return (inst->opcode == SpvOpFAdd || inst->opcode == SpvOpFSub) && d->placed[inst->result]
               ? words_of_steady(d, inst, mode)
               : 0;
}

/* The words that an index is computed of, where the index is the same for all invocations. */
static uint64_t indexes(const decider *d, const wpg_inst *inst)
{
    uint64_t found = 0;
    if (inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain)
        for (unsigned i = 4; i < inst->count; i++)
            found |= varies(d, inst->words[i]) & IN_PLAIN ? 0 : words(d, inst->words[i], PLAIN);
    return found;
}

static void find_uses(wpg_word_uses *uses, decider *d)
{
    uint64_t more = 0; /* words of all uses in the mode MORE */
    solve_varies(d);
    solve_words(d);
    solve_placed(d);
    for (uint32_t i = 0; i < d->cfg->order_count; i++) {
        const wpg_inst *end = d->cfg->blocks[d->cfg->order[i]].terminator;
        if (end->opcode == SpvOpBranchConditional || end->opcode == SpvOpSwitch) {
            uses->deciding |= words(d, end->words[1], PLAIN);
            more |= words(d, end->words[1], MORE);
        }
    }
    for (uint32_t i = 0; i < d->inst_count; i++) {
        uses->weighing |= weighs(d, d->insts[i], PLAIN);
        uses->indexing |= indexes(d, d->insts[i]);
        more |= weighs(d, d->insts[i], MORE) | moves(d, d->insts[i], MORE);
    }
    uses->rounding_or_moving = more & ~uses->deciding & ~uses->weighing;
}

/* Loads and stores are visited several times, and their pointers are followed once. */
static void find_variable(decider *d, const wpg_inst *inst)
{
    const uint32_t pointer = inst->opcode == SpvOpLoad    ? inst->words[3]
                             : inst->opcode == SpvOpStore ? inst->words[1]
                                                          : 0;
    if (pointer && pointer < d->bound)
        d->variable[pointer] = find_own_variable(d->module, pointer);
}

static uint32_t count_insts(const wpg_cfg *cfg)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const wpg_block *block = &cfg->blocks[cfg->order[i]];
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next)
            count++;
    }
    return count;
}

/* The tables, the instructions and the variables. */
static bool read_function(decider *d, wpg_arena *arena)
{
    const uint32_t most = count_insts(d->cfg);
    d->variable = WPG_ARENA_ARRAY(arena, uint32_t, d->bound);
    d->words = WPG_ARENA_ARRAY(arena, id_words, d->bound);
    d->varies = WPG_ARENA_ARRAY(arena, uint8_t, d->bound);
    d->placed = WPG_ARENA_ARRAY(arena, bool, d->bound);
    d->is_read = WPG_ARENA_ARRAY(arena, bool, d->bound);
    d->is_late = WPG_ARENA_ARRAY(arena, bool, d->bound);
    d->insts = wpg_arena_alloc_raw(arena, most, sizeof *d->insts);
    d->pending = wpg_arena_alloc_raw(arena, most, sizeof *d->pending);
    if (arena->failed)
        return false;
    for (uint32_t i = 0; i < d->cfg->order_count; i++) {
        const wpg_block *block = &d->cfg->blocks[d->cfg->order[i]];
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
            find_variable(d, inst);
            d->insts[d->inst_count++] = inst;
        }
    }
    return true;
}

wpg_status wpg_word_deciders(wpg_word_uses *uses, const wpg_cfg *cfg, const wpg_word_site *sites,
                             uint32_t count, wpg_arena *arena)
{
    decider d = {.cfg = cfg,
                 .module = cfg->module,
                 .sites = sites,
                 .count = count < 64 ? count : 64,
                 .bound = cfg->module->bound};
    *uses = (wpg_word_uses){0};
    if (!count)
        return WPG_OK;
    if (!read_function(&d, arena))
        return WPG_E_NOMEM;
    for (uint32_t i = 0; i < d.inst_count; i++)
        read_edges(&d, d.insts[i]);
    find_uses(uses, &d);
    wpg_vec_free(&d.edges);
    return d.nomem ? WPG_E_NOMEM : WPG_OK;
}
