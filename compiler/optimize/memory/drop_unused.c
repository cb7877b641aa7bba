/* Dead code by mark and sweep, control flow included (Cytron et al., "Efficiently Computing Static Single
 * Assignment Form and the Control Dependence Graph", 1991, section 7.1). See promote.h.
 *
 *      roots       instructions with effects, but stores to memory of the function that nobody loads
 *      mark        what they use; the constructs around them, with conditions, breaks and continues
 *      sweep       a construct without a mark becomes a branch to its merge block; the rest goes one by one
 *
 * Control dependence is that of structured control flow: whether a block runs is decided by the headers of
 * the constructs around it, and by what leaves these. */
#include <string.h>

#include "compiler/analysis/graph/cfg.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/memory/promote.h"

enum { NONE = UINT32_MAX };

typedef struct work_item {
    wpg_inst *inst;
    uint32_t block, next; /* next: of the same variable's stores, + 1; 0 ends the list */
} work_item;

/* What is live of one function. */
typedef struct sweeper {
    wpg_module *module;
    wpg_inst *function;
    wpg_cfg *cfg; /* NULL: the control flow is not structured, and stays */
    wpg_arena arena;
    uint32_t bound;
    bool *live;            /* [bound] by result; declarations of the module, too, and what cannot go */
    uint32_t *root;        /* [bound] of pointers: the function's variable that they lead into; 0: none */
    bool *own;             /* [bound] variables of functions that are only loaded and stored to */
    uint32_t *first_store; /* [bound] of such a variable that nobody loads: the first of `stores`, + 1 */
    uint32_t *block_of;    /* [bound] of results */
    bool *block_live, *construct_live;
    uint32_t
        *first_block; /* [constructs] of the blocks that the construct decides about; NONE ends the list */
    uint32_t *next_block;         /* [blocks] */
    WPG_VEC(uint32_t) constructs; /* live, and not looked at yet */
    WPG_VEC(work_item) stores;
    WPG_VEC(work_item) work;
    wpg_operand_list operands;
    bool has_lines;
    bool failed;
} sweeper;

/* -- What may go -- */

/* Goes where nobody uses its result. */
static bool may_go(const sweeper *s, const wpg_inst *inst)
{
    return inst->result && inst->result < s->bound &&
           (inst->opcode == SpvOpPhi || inst->opcode == SpvOpUndef || inst->opcode == SpvOpVariable ||
            (wpg_inst_traits(s->module, inst) & WPG_TRAIT_PURE)) &&
           !(inst->opcode == SpvOpLoad && wpg_access_is_volatile(inst)) &&
           !wpg_inst_is_non_semantic(s->module, inst);
}

/* The variable of a function that a pointer leads into; 0: none. */
static uint32_t function_root(const sweeper *s, uint32_t id)
{
    if (wpg_pointer_class(s->module, id) != SpvStorageClassFunction)
        return 0;
    const wpg_inst *root = wpg_pointer_root(s->module, id);
    return root && root->opcode == SpvOpVariable && root->result < s->bound ? root->result : 0;
}

static uint32_t own_root(const sweeper *s, uint32_t pointer)
{
    const uint32_t root = pointer < s->bound ? s->root[pointer] : 0;
    return root && s->own[root] ? root : 0;
}

/* A variable is not the function's own where a pointer into it goes anywhere but to loads, stores and chains.
 */
static void note_uses(sweeper *s, const wpg_inst *inst)
{
    const bool access =
        inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain ||
        ((inst->opcode == SpvOpLoad || inst->opcode == SpvOpStore) && !wpg_access_is_volatile(inst));
    s->failed |= !wpg_used_ids(&s->operands, s->module, inst);
    for (size_t i = 0; i < s->operands.count; i++) {
        const unsigned at = s->operands.data[i];
        const uint32_t id = inst->words[at], root = id < s->bound ? s->root[id] : 0;
        if (root && !(access && wpg_is_access(inst, at)))
            s->own[root] = false;
    }
}

/* Blocks, roots and own variables, by id. Blocks are numbered as in the graph, and stand in an order in which
 * pointers come before their uses: no phi has one into a variable of the function. */
static void read_function(sweeper *s)
{
    uint32_t block = NONE;
    for (const wpg_inst *inst = s->function; wpg_in_function(inst); inst = inst->next) {
        if (inst->opcode == SpvOpLabel)
            block++;
        s->has_lines |= inst->opcode == SpvOpLine;
        note_uses(s, inst);
        if (!inst->result || inst->result >= s->bound)
            continue;
        s->block_of[inst->result] = block;
        switch (inst->opcode) {
        case SpvOpVariable:
            s->own[inst->result] = true;
            s->root[inst->result] = function_root(s, inst->result);
            break;
        case SpvOpAccessChain:
        case SpvOpInBoundsAccessChain:
        case SpvOpCopyObject:
        case SpvOpImageTexelPointer:
            s->root[inst->result] = function_root(s, inst->result);
            break;
        default:
            break;
        }
    }
}

/* -- Mark -- */

static void push(sweeper *s, wpg_inst *inst, uint32_t block)
{
    const work_item item = {.inst = inst, .block = block};
    s->failed |= !wpg_vec_push(&s->work, item);
}

static void mark(sweeper *s, uint32_t id)
{
    if (id >= s->bound || s->live[id])
        return;
    s->live[id] = true;
    wpg_inst *def = s->block_of[id] != NONE ? wpg_module_def(s->module, id) : NULL;
    if (def)
        push(s, def, s->block_of[id]);
}

/* The construct whose header decides whether the block's instructions run; NONE: they always run. A loop's
 * header belongs to the loop, that of a selection to what is around it. */
static uint32_t decided_by(const wpg_cfg *cfg, uint32_t b)
{
    const wpg_block *block = &cfg->blocks[b];
    const uint32_t c = block->construct;
    return c != WPG_NO_BLOCK && block->heads == c && cfg->constructs[c].kind != WPG_CONSTRUCT_LOOP
               ? cfg->constructs[c].parent
               : c;
}

static void mark_construct(sweeper *s, uint32_t c)
{
    if (c == WPG_NO_BLOCK || s->construct_live[c])
        return;
    s->construct_live[c] = true;
    s->failed |= !wpg_vec_push(&s->constructs, c);
}

static void mark_block(sweeper *s, uint32_t b)
{
    if (!s->cfg || b == NONE || s->block_live[b])
        return;
    s->block_live[b] = true;
    const wpg_block *block = &s->cfg->blocks[b];
    if (!block->merge)
        push(s, block->terminator, b);
    mark_construct(s, decided_by(s->cfg, b));
}

/* Control goes from one block to the other. Where the first heads a selection, and its own branch leads out
 * of that, the selection decides it. */
static void mark_way(sweeper *s, uint32_t from, uint32_t to)
{
    const uint32_t c = s->cfg && from != NONE ? s->cfg->blocks[from].heads : WPG_NO_BLOCK;
    mark_block(s, from);
    if (c != WPG_NO_BLOCK && s->cfg->constructs[c].kind != WPG_CONSTRUCT_LOOP &&
        s->cfg->constructs[c].merge != to)
        mark_construct(s, c);
}

/* Blocks that go to the target from inside, with the constructs in between. */
static void mark_ways(sweeper *s, uint32_t c, uint32_t target)
{
    const wpg_block *to = &s->cfg->blocks[target];
    for (uint32_t i = 0; i < to->predecessor_count; i++)
        if (wpg_construct_holds(s->cfg, c, to->predecessors[i]))
            mark_way(s, to->predecessors[i], target);
}

/* What a live construct needs. Not by recursion: a shader may nest as deep as it likes. */
static void visit_construct(sweeper *s, uint32_t c)
{
    const wpg_construct *construct = &s->cfg->constructs[c];
    push(s, s->cfg->blocks[construct->header].terminator, construct->header);
    mark_block(s, construct->header);
    mark_construct(s, construct->parent); /* a loop's header does not: it belongs to the loop */
    mark_ways(s, c, construct->merge);
    if (construct->continue_target != WPG_NO_BLOCK)
        mark_ways(s, c, construct->continue_target);
    for (uint32_t b = s->first_block[c]; b != NONE; b = s->next_block[b])
        mark_block(s, b);
}

/* A load makes all stores to the variable live. */
static void mark_stores(sweeper *s, const wpg_inst *load)
{
    const uint32_t root = own_root(s, load->words[3]);
    for (uint32_t i = root ? s->first_store[root] : 0; i; i = s->stores.data[i - 1].next)
        push(s, s->stores.data[i - 1].inst, s->stores.data[i - 1].block);
    if (root)
        s->first_store[root] = 0;
}

static void mark_all(sweeper *s)
{
    while ((s->work.count || s->constructs.count) && !s->failed) {
        if (s->constructs.count) {
            visit_construct(s, wpg_vec_pop(&s->constructs));
            continue;
        }
        const work_item item = wpg_vec_pop(&s->work);
        mark_block(s, item.block);
        mark(s, item.inst->type);
        s->failed |= !wpg_used_ids(&s->operands, s->module, item.inst);
        for (size_t i = 0; i < s->operands.count; i++) {
            const uint32_t id = item.inst->words[s->operands.data[i]];
            mark(s, id);
            if (s->cfg && item.inst->opcode == SpvOpPhi && i % 2)
                mark_way(s, wpg_cfg_find(s->cfg, id), item.block);
        }
        if (item.inst->opcode == SpvOpLoad)
            mark_stores(s, item.inst);
    }
}

/* -- Roots -- */

static bool is_flow(const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpLabel:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
        return true;
    default:
        return false;
    }
}

static void add_root(sweeper *s, wpg_inst *inst, uint32_t block)
{
    const uint32_t root = inst->opcode == SpvOpStore ? own_root(s, inst->words[1]) : 0;
    const bool goes = may_go(s, inst);
    if (inst->result && inst->result < s->bound)
        s->live[inst->result] |= !goes;
    if (root) {
        const work_item item = {inst, block, s->first_store[root]};
        s->failed |= !wpg_vec_push(&s->stores, item);
        s->first_store[root] = (uint32_t)s->stores.count;
    } else if (!goes && inst->opcode != SpvOpLine && inst->opcode != SpvOpNoLine &&
               !(s->cfg && is_flow(inst))) {
        push(s, inst, block);
    }
}

static void add_roots(sweeper *s)
{
    uint32_t block = NONE;
    for (wpg_inst *inst = s->function; wpg_in_function(inst); inst = inst->next) {
        block += inst->opcode == SpvOpLabel && s->cfg;
        add_root(s, inst, block);
    }
    for (uint32_t c = 0; s->cfg && c < s->cfg->construct_count; c++)
        s->first_block[c] = NONE;
    for (uint32_t b = s->cfg ? s->cfg->count : 0; b-- > 0;) {
        const uint32_t c = decided_by(s->cfg, b);
        if (c == WPG_NO_BLOCK) {
            mark_block(s, b);
        } else {
            s->next_block[b] = s->first_block[c];
            s->first_block[c] = b;
        }
    }
}

/* -- Sweep -- */

static void remove_block(sweeper *s, uint32_t b)
{
    const wpg_block *block = &s->cfg->blocks[b];
    for (wpg_inst *inst = block->label, *next; inst; inst = next) {
        next = inst == block->terminator ? NULL : inst->next;
        wpg_inst_remove(s->module, inst);
    }
}

/* Dead, and not inside another that is. */
static bool is_outermost_dead(const sweeper *s, uint32_t c)
{
    const uint32_t parent = c == WPG_NO_BLOCK ? c : s->cfg->constructs[c].parent;
    return c != WPG_NO_BLOCK && !s->construct_live[c] &&
           (parent == WPG_NO_BLOCK || s->construct_live[parent]);
}

/* A dead construct becomes a branch from its header to its merge block. */
static void remove_constructs(sweeper *s)
{
    for (uint32_t b = 0; b < s->cfg->count; b++) {
        const wpg_block *block = &s->cfg->blocks[b];
        if (is_outermost_dead(s, block->heads)) {
            const uint32_t merge = s->cfg->blocks[s->cfg->constructs[block->heads].merge].id;
            wpg_inst_remove(s->module, block->merge);
            wpg_inst_rewrite(s->module, block->terminator, SpvOpBranch, &merge, 1);
        } else if (!s->block_live[b]) {
            remove_block(s, b);
        }
    }
}

/* Lines of what went: another line or the block's end follows, or the line is said again. */
static void drop_lines(sweeper *s)
{
    const wpg_inst *line = NULL;
    for (wpg_inst *inst = s->function, *next; wpg_in_function(inst); inst = next) {
        next = inst->next;
        if (inst->opcode == SpvOpLabel || inst->opcode == SpvOpNoLine)
            line = NULL;
        if (inst->opcode != SpvOpLine)
            continue;
        const uint16_t follows = next ? next->opcode : SpvOpFunctionEnd;
        const bool again = line && memcmp(line->words, inst->words, 4 * sizeof *line->words) == 0;
        if (again || follows == SpvOpLine || follows == SpvOpNoLine || follows == SpvOpLabel ||
            follows == SpvOpFunctionEnd)
            wpg_inst_remove(s->module, inst);
        else
            line = inst;
    }
}

static void sweep(sweeper *s)
{
    for (size_t i = 0; i < s->stores.count; i++) {
        wpg_inst *store = s->stores.data[i].inst;
        const uint32_t root = own_root(s, store->words[1]);
        if (root && s->first_store[root])
            wpg_inst_remove(s->module, store);
    }
    if (s->cfg)
        remove_constructs(s);
    for (wpg_inst *inst = s->function, *next; wpg_in_function(inst); inst = next) {
        next = inst->next;
        if (inst->result && inst->result < s->bound && !s->live[inst->result])
            wpg_inst_remove(s->module, inst);
    }
    if (s->has_lines)
        drop_lines(s);
}

/* The function's graph; taken, it belongs to the caller. NULL: there is none. */
static wpg_cfg *take_graph(wpg_graphs *graphs, const wpg_inst *function)
{
    for (size_t i = 0; i < graphs->of.count; i++) {
        wpg_cfg *cfg = graphs->of.data[i];
        if (!cfg || cfg->function != function)
            continue;
        graphs->of.data[i] = NULL;
        return cfg;
    }
    return NULL;
}

static bool drop_in(wpg_module *module, wpg_inst *function, wpg_graphs *graphs)
{
    sweeper s = {.module = module, .function = function, .bound = module->bound};
    wpg_error err;
    s.cfg = take_graph(graphs, function);
    if (!s.cfg && wpg_cfg_create(&s.cfg, module, function, &err) == WPG_E_NOMEM)
        return false;
    wpg_arena_init(&s.arena);
    s.live = WPG_ARENA_ARRAY(&s.arena, bool, s.bound);
    s.root = WPG_ARENA_ARRAY(&s.arena, uint32_t, s.bound);
    s.own = WPG_ARENA_ARRAY(&s.arena, bool, s.bound);
    s.first_store = WPG_ARENA_ARRAY(&s.arena, uint32_t, s.bound);
    s.block_of = wpg_arena_alloc_raw(&s.arena, s.bound, sizeof *s.block_of);
    s.block_live = WPG_ARENA_ARRAY(&s.arena, bool, s.cfg ? s.cfg->count : 1);
    s.construct_live = WPG_ARENA_ARRAY(&s.arena, bool, s.cfg ? s.cfg->construct_count + 1u : 1);
    s.first_block = WPG_ARENA_ARRAY(&s.arena, uint32_t, s.cfg ? s.cfg->construct_count + 1u : 1);
    s.next_block = WPG_ARENA_ARRAY(&s.arena, uint32_t, s.cfg ? s.cfg->count : 1);
    s.failed = s.arena.failed;
    if (!s.failed) {
        memset(s.block_of, 0xff, s.bound * sizeof *s.block_of); /* NONE */
        read_function(&s);
    }
    if (!s.failed)
        add_roots(&s);
    if (!s.failed)
        mark_all(&s);
    if (!s.failed)
        sweep(&s);
    const bool fits = !s.failed && !module->arena.failed;
    wpg_vec_free(&s.stores);
    wpg_vec_free(&s.work);
    wpg_vec_free(&s.constructs);
    wpg_vec_free(&s.operands);
    wpg_arena_finish(&s.arena);
    wpg_cfg_destroy(s.cfg);
    return fits;
}

/* Nothing but a return: so are functions that pin variables, and each would cost tables of all ids. */
static bool is_empty(const wpg_inst *function)
{
    const wpg_inst *inst = function->next;
    while (inst && inst->opcode == SpvOpFunctionParameter)
        inst = inst->next;
    return inst && inst->opcode == SpvOpLabel && inst->next && inst->next->opcode == SpvOpReturn;
}

bool wpg_drop_unused(wpg_module *module, wpg_graphs *graphs)
{
    const uint32_t bound = module->bound;
    for (wpg_inst *function = wpg_first_function(module); function;
         function = wpg_next_function(function->next))
        if (!is_empty(function) && !drop_in(module, function, graphs))
            return false;
    wpg_drop_annotations(module, bound);
    return true;
}
