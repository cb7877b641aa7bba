/* Variables of structs and arrays become one variable for each member that is used (scalar replacement of
 * aggregates; Muchnick, "Advanced Compiler Design and Implementation", 1997, 12.2). See promote.h.
 *
 *      load s            ->   construct(load s.a, undef, load s.c)     where only a and c are ever read
 *      store s, v        ->   store s.a, v[0]; store s.c, v[2]
 *      chain s, 2, ...   ->   chain s.c, ...
 *
 * A variable goes if its pointer goes into plain loads, stores and chains alone, the first index of each
 * chain on it is a constant, and it has no initializer. Nested ones go in further rounds. */
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/memory/promote.h"
#include "compiler/spirv/builder.h"

enum { MOST_PARTS = 64, MOST_ROUNDS = 16 };
enum { ROOT, LOADED }; /* kinds in splitter.of */

typedef struct composite {
    wpg_inst *variable; /* NULL: it stays */
    uint32_t type, parts;
    uint32_t first_copy; /* of `copies`, + 1 */
    uint64_t used;       /* parts that are read or chained into */
    uint32_t *variables; /* [parts] made for it; 0: not used */
} composite;

/* The whole value of a variable goes to another. */
typedef struct copy {
    uint32_t to, next; /* next: of the same variable's copies, + 1; 0 ends the list */
} copy;

typedef struct splitter {
    wpg_module *module;
    wpg_inst *function;
    wpg_arena arena;
    uint32_t bound;
    uint32_t *of; /* [bound] of variables, chains into them and whole loads: 2 * (composite + 1) + kind */
    uint32_t *becomes; /* [bound] of chains: the variable of the part they lead to */
    bool *fixed;       /* [bound] ids that decorations forbid to split: variables and types */
    wpg_map relaxed;   /* type << 32 | member: RelaxedPrecision */
    wpg_map pointers;  /* pointer types by type: the builder's search reads all decorations */
    WPG_VEC(composite) composites;
    WPG_VEC(copy) copies;
    WPG_VEC(uint32_t) words;
    wpg_operand_list operands;
    bool failed;
} splitter;

/* -- Which may go -- */

static bool only_lays_out(uint32_t decoration)
{
    return decoration == SpvDecorationRowMajor || decoration == SpvDecorationColMajor ||
           decoration == SpvDecorationMatrixStride || decoration == SpvDecorationArrayStride ||
           decoration == SpvDecorationOffset || decoration == SpvDecorationRelaxedPrecision;
}

static void fix(splitter *s, uint32_t id)
{
    if (id < s->bound)
        s->fixed[id] = true;
}

static void read_decorations(splitter *s)
{
    const wpg_inst *end = wpg_annotations_end(s->module);
    for (const wpg_inst *inst = wpg_annotations_begin(s->module); inst != end; inst = inst->next) {
        if (inst->opcode == SpvOpMemberDecorate && inst->count > 3) {
            if (inst->words[3] == SpvDecorationRelaxedPrecision)
                s->failed |= !wpg_map_set(&s->relaxed, (uint64_t)inst->words[1] << 32 | inst->words[2], 1);
            else if (!only_lays_out(inst->words[3]))
                fix(s, inst->words[1]);
        } else if (wpg_opcode_is_annotation(inst->opcode) && inst->count > 2 &&
                   !(inst->opcode == SpvOpDecorate && inst->words[2] == SpvDecorationArrayStride)) {
            fix(s, inst->words[1]);
        }
    }
}

/* Members or elements; 0: none, or too many. */
static uint32_t count_parts(const splitter *s, const wpg_inst *type)
{
    uint64_t count = 0;
    uint32_t width;
    if (!type || (type->result < s->bound && s->fixed[type->result]))
        return 0;
    if (type->opcode == SpvOpTypeStruct)
        count = type->count - 2u;
    else if (type->opcode != SpvOpTypeArray || type->count != 4 ||
             wpg_module_opcode_of(s->module, type->words[3]) != SpvOpConstant ||
             !wpg_const_value(s->module, type->words[3], &count, &width))
        return 0;
    return count <= MOST_PARTS ? (uint32_t)count : 0;
}

static uint32_t part_type(const splitter *s, const composite *c, uint32_t part)
{
    const wpg_inst *type = wpg_module_def(s->module, c->type);
    return type->opcode == SpvOpTypeStruct ? type->words[2 + part] : type->words[2];
}

static void find_composites(splitter *s)
{
    for (wpg_inst *inst = s->function; wpg_in_function(inst); inst = inst->next) {
        if (inst->opcode != SpvOpVariable || inst->count > 4 || inst->result >= s->bound ||
            s->fixed[inst->result])
            continue;
        const wpg_inst *pointer = wpg_module_def(s->module, inst->type);
        if (!pointer || pointer->opcode != SpvOpTypePointer || pointer->count != 4)
            continue;
        const uint32_t parts = count_parts(s, wpg_module_def(s->module, pointer->words[3]));
        const composite c = {.variable = inst, .type = pointer->words[3], .parts = parts};
        if (!parts)
            continue;
        s->failed |= !wpg_vec_push(&s->composites, c);
        s->of[inst->result] = 2 * (uint32_t)s->composites.count + ROOT;
    }
}

static composite *at(splitter *s, unsigned kind, uint32_t id)
{
    const uint32_t of = id < s->bound ? s->of[id] : 0;
    composite *c = of && of % 2 == kind ? &s->composites.data[of / 2 - 1] : NULL;
    return c && c->variable ? c : NULL;
}

static bool is_chain(const wpg_inst *inst)
{
    return inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain;
}

/* The pointer at that word is one to the variable, or one made of it. */
static void judge_use(splitter *s, wpg_inst *inst, unsigned operand, composite *c)
{
    const uint32_t pointer = inst->words[operand];
    const bool whole = pointer == c->variable->result;
    const wpg_inst *value = inst->opcode == SpvOpStore ? wpg_module_def(s->module, inst->words[2]) : NULL;
    uint64_t index;
    uint32_t width;
    if (is_chain(inst) && operand == 3 && inst->result < s->bound) {
        s->of[inst->result] = s->of[pointer];
        if (!whole)
            return;
        if (inst->count > 4 && wpg_module_opcode_of(s->module, inst->words[4]) == SpvOpConstant &&
            wpg_const_value(s->module, inst->words[4], &index, &width) && index < c->parts)
            c->used |= UINT64_C(1) << index;
        else
            c->variable = NULL;
    } else if (!(inst->opcode == SpvOpLoad && operand == 3 && !wpg_access_is_volatile(inst) &&
                 (!whole || inst->type == c->type)) &&
               !(value && operand == 1 && !wpg_access_is_volatile(inst) &&
                 (!whole || value->type == c->type))) {
        c->variable = NULL;
    }
}

/* What was loaded as a whole is used here. */
static void note_read(splitter *s, const wpg_inst *inst, unsigned operand, composite *from)
{
    if (inst->opcode == SpvOpCompositeExtract && inst->count > 4 && inst->words[4] < from->parts) {
        from->used |= UINT64_C(1) << inst->words[4];
    } else if (operand == 2 && inst->opcode == SpvOpStore && at(s, ROOT, inst->words[1])) {
        const copy one = {s->of[inst->words[1]] / 2 - 1, from->first_copy};
        s->failed |= !wpg_vec_push(&s->copies, one);
        from->first_copy = (uint32_t)s->copies.count;
    } else {
        from->used = UINT64_MAX;
    }
}

/* Of a variable that is copied to one declared earlier the same parts are read. To a later one all of it
 * goes: what SPIRV-Tools does, which splits one after the other. */
static void spread_reads(splitter *s)
{
    for (uint32_t v = 0; v < s->composites.count; v++) {
        composite *from = &s->composites.data[v];
        for (uint32_t i = from->first_copy; i; i = s->copies.data[i - 1].next) {
            const composite *to = &s->composites.data[s->copies.data[i - 1].to];
            const bool earlier = to < from && to->variable && to->type == from->type;
            from->used |= earlier ? to->used : UINT64_MAX;
        }
    }
}

static void judge(splitter *s)
{
    for (wpg_inst *inst = s->function; wpg_in_function(inst); inst = inst->next)
        if (inst->opcode == SpvOpLoad && at(s, ROOT, inst->words[3]) && inst->result < s->bound)
            s->of[inst->result] = s->of[inst->words[3]] - ROOT + LOADED;
    for (wpg_inst *inst = s->function; wpg_in_function(inst); inst = inst->next) {
        s->failed |= !wpg_used_ids(&s->operands, s->module, inst);
        for (size_t i = 0; i < s->operands.count; i++) {
            const unsigned operand = s->operands.data[i];
            if (inst->words[operand] >= s->bound || !s->of[inst->words[operand]])
                continue;
            composite *c = at(s, ROOT, inst->words[operand]), *from = at(s, LOADED, inst->words[operand]);
            if (c)
                judge_use(s, inst, operand, c);
            if (from)
                note_read(s, inst, operand, from);
        }
    }
    spread_reads(s);
}

/* -- Splitting -- */

static uint32_t pointer_to(splitter *s, uint32_t type)
{
    uint64_t pointer;
    if (wpg_map_get(&s->pointers, type, &pointer))
        return (uint32_t)pointer;
    pointer = wpg_type_pointer(s->module, SpvStorageClassFunction, type);
    s->failed |= !wpg_map_set(&s->pointers, type, pointer);
    return (uint32_t)pointer;
}

static void make_variables(splitter *s, composite *c)
{
    c->variables = WPG_ARENA_ARRAY(&s->arena, uint32_t, c->parts);
    s->failed |= !c->variables;
    for (uint32_t part = 0; !s->failed && part < c->parts; part++) {
        if (!(c->used >> part & 1))
            continue;
        c->variables[part] = wpg_module_fresh_id(s->module);
        (void)wpg_inst_add(s->module, c->variable, SpvOpVariable, pointer_to(s, part_type(s, c, part)),
                           c->variables[part], SpvStorageClassFunction);
        if (wpg_map_get(&s->relaxed, (uint64_t)c->type << 32 | part, NULL))
            wpg_decorate(s->module, c->variables[part], SpvDecorationRelaxedPrecision, NULL, 0);
    }
}

static void split_load(splitter *s, wpg_inst *load, const composite *c)
{
    wpg_vec_clear(&s->words);
    s->failed |= !wpg_vec_push(&s->words, load->type) || !wpg_vec_push(&s->words, load->result);
    for (uint32_t part = 0; part < c->parts && !s->failed; part++) {
        const uint32_t type = part_type(s, c, part);
        uint32_t value;
        if (c->variables[part]) {
            value = wpg_module_fresh_id(s->module);
            (void)wpg_inst_add(s->module, load, SpvOpLoad, type, value, c->variables[part]);
        } else {
            value = wpg_undef(s->module, type);
        }
        s->failed |= !wpg_vec_push(&s->words, value);
    }
    if (!s->failed)
        wpg_inst_rewrite(s->module, load, SpvOpCompositeConstruct, s->words.data, s->words.count);
}

static void split_store(splitter *s, wpg_inst *store, const composite *c)
{
    for (uint32_t part = 0; part < c->parts; part++) {
        if (!c->variables[part])
            continue;
        const uint32_t value = wpg_module_fresh_id(s->module);
        (void)wpg_inst_add(s->module, store, SpvOpCompositeExtract, part_type(s, c, part), value,
                           store->words[2], part);
        (void)wpg_inst_add(s->module, store, SpvOpStore, c->variables[part], value);
    }
    wpg_inst_remove(s->module, store);
}

static void split_chain(splitter *s, wpg_inst *chain, const composite *c)
{
    uint64_t index = 0;
    uint32_t width;
    (void)wpg_const_value(s->module, chain->words[4], &index, &width);
    if (chain->count == 5) {
        s->becomes[chain->result] = c->variables[index];
        wpg_inst_remove(s->module, chain);
        return;
    }
    wpg_vec_clear(&s->words);
    s->failed |= !wpg_vec_push(&s->words, chain->type) || !wpg_vec_push(&s->words, chain->result) ||
                 !wpg_vec_push(&s->words, c->variables[index]);
    for (unsigned i = 5; i < chain->count; i++)
        s->failed |= !wpg_vec_push(&s->words, chain->words[i]);
    if (!s->failed)
        wpg_inst_set_operands(s->module, chain, s->words.data, s->words.count);
}

static void rewrite(splitter *s, wpg_inst *inst)
{
    const bool chain = is_chain(inst);
    const unsigned operand = chain || inst->opcode == SpvOpLoad ? 3 : inst->opcode == SpvOpStore ? 1 : 0;
    if (!operand)
        return;
    const uint32_t pointer = inst->words[operand];
    if (pointer < s->bound && s->becomes[pointer])
        inst->words[operand] = s->becomes[pointer];
    const composite *c = at(s, ROOT, pointer);
    if (!c || pointer != c->variable->result)
        return;
    if (chain)
        split_chain(s, inst, c);
    else if (inst->opcode == SpvOpLoad)
        split_load(s, inst, c);
    else
        split_store(s, inst, c);
}

static bool split_all(splitter *s)
{
    bool any = false;
    for (size_t i = 0; i < s->composites.count && !s->failed; i++)
        if (s->composites.data[i].variable) {
            make_variables(s, &s->composites.data[i]);
            any = true;
        }
    for (wpg_inst *inst = s->function, *next; any && !s->failed && wpg_in_function(inst); inst = next) {
        next = inst->next;
        rewrite(s, inst);
    }
    for (size_t i = 0; i < s->composites.count && !s->failed; i++)
        if (s->composites.data[i].variable)
            wpg_inst_remove(s->module, s->composites.data[i].variable);
    return any;
}

/* One level of nesting. *any: something was split. */
static bool split_round(bool *any, wpg_module *module, wpg_inst *function)
{
    splitter s = {.module = module, .function = function, .bound = module->bound};
    wpg_arena_init(&s.arena);
    s.of = WPG_ARENA_ARRAY(&s.arena, uint32_t, s.bound);
    s.fixed = WPG_ARENA_ARRAY(&s.arena, bool, s.bound);
    s.becomes = WPG_ARENA_ARRAY(&s.arena, uint32_t, s.bound);
    s.failed = s.arena.failed;
    *any = false;
    if (!s.failed) {
        read_decorations(&s);
        find_composites(&s);
    }
    if (!s.failed && s.composites.count) {
        judge(&s);
        *any = !s.failed && split_all(&s);
    }
    wpg_map_free(&s.relaxed);
    wpg_map_free(&s.pointers);
    wpg_vec_free(&s.composites);
    wpg_vec_free(&s.copies);
    wpg_vec_free(&s.words);
    wpg_vec_free(&s.operands);
    wpg_arena_finish(&s.arena);
    return !s.failed && !module->arena.failed;
}

bool wpg_split_composites(wpg_module *module)
{
    if (wpg_has_decoration_groups(module))
        return true;
    for (wpg_inst *function = wpg_first_function(module); function;
         function = wpg_next_function(function->next)) {
        bool any = wpg_has_variables(function);
        for (int round = 0; any && round < MOST_ROUNDS; round++)
            if (!split_round(&any, module, function))
                return false;
    }
    return true;
}
