/* Backward slices: the ids that feed outputs which must stay exact, those that feed quad or subgroup
 * operations, and those that feed some outputs or all others. See legality.h. Conservative: memory is
 * followed by variable where the variable is known, else by storage class. Calls and unknown instructions
 * give up (`all`). */
#include "compiler/optimize/ir/legality.h"

/* An instruction that writes memory, with what is known of its pointer. */
typedef struct memory_write {
    const wpg_inst *inst, *root;
    uint32_t pointer; /* 0 if it is no plain one */
    SpvStorageClass class;
    size_t next; /* the next write with that root, NONE after the last */
} memory_write;

static const size_t NONE = SIZE_MAX;

typedef struct slice {
    const wpg_module *module;
    wpg_id_set *set;
    WPG_VEC(uint32_t) work;
    WPG_VEC(memory_write) writes; /* all of the module */
    WPG_VEC(size_t) loose;        /* those without a known root */
    wpg_map last;                 /* variable -> the last write with that root */
    wpg_map followed;             /* variable or storage class whose stores are in already */
    wpg_operand_list operands;
    bool nomem;
} slice;

void wpg_id_set_free(wpg_id_set *set)
{
    free(set->bits);
    *set = (wpg_id_set){0};
}

bool wpg_id_set_has(const wpg_id_set *set, uint32_t id)
{
    return set->all || (id < set->bound && (set->bits[id / 64] >> (id % 64) & 1));
}

bool wpg_id_set_is_empty(const wpg_id_set *set)
{
    bool any = set->all;
    for (uint32_t i = 0; !any && set->bits && i < (set->bound + 63) / 64; i++)
        any = set->bits[i] != 0;
    return !any;
}

static void add_id(slice *s, uint32_t id)
{
    if (id >= s->set->bound || wpg_id_set_has(s->set, id))
        return;
    s->set->bits[id / 64] |= UINT64_C(1) << (id % 64);
    if (!wpg_vec_push(&s->work, id))
        s->nomem = true;
}

static void add_operands(slice *s, const wpg_inst *inst)
{
    if (!wpg_used_ids(&s->operands, s->module, inst))
        s->set->all = true;
    for (size_t i = 0; i < s->operands.count; i++)
        add_id(s, inst->words[s->operands.data[i]]);
}

/* The pointer a writing instruction writes through, 0 if it is no plain one. */
static uint32_t written_pointer(const wpg_inst *inst)
{
    switch ((SpvOp)inst->opcode) {
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
    case SpvOpAtomicStore:
        return inst->count > 1 ? inst->words[1] : 0;
    default:
        return inst->result && inst->count > 3 && inst->opcode != SpvOpFunctionCall ? inst->words[3] : 0;
    }
}

/* Memory that no descriptor reaches: a load of one class sees stores of that class only. */
static bool is_own_memory(SpvStorageClass class)
{
    return class == SpvStorageClassFunction || class == SpvStorageClassPrivate ||
           class == SpvStorageClassOutput || class == SpvStorageClassWorkgroup;
}

/* May the write reach memory that a load through a pointer with this root and class reads? */
static bool may_reach(const memory_write *write, const wpg_inst *root, SpvStorageClass class)
{
    if (write->inst->opcode == SpvOpImageWrite)
        return !is_own_memory(class);
    if (!write->pointer)
        return true;
    if (is_own_memory(class) || is_own_memory(write->class))
        return class == write->class && (!root || !write->root || root == write->root);
    return true;
}

/* What a load of own memory through a known root sees: writes through that root, and loose ones. */
static void follow_variable(slice *s, const wpg_inst *root, SpvStorageClass class)
{
    uint64_t last;
    size_t *loose;
    WPG_VEC_EACH (loose, &s->loose)
        if (may_reach(&s->writes.data[*loose], root, class))
            add_operands(s, s->writes.data[*loose].inst);
    if (!wpg_map_get(&s->last, root->result, &last))
        return;
    for (size_t at = (size_t)last; at != NONE; at = s->writes.data[at].next)
        if (may_reach(&s->writes.data[at], root, class))
            add_operands(s, s->writes.data[at].inst);
}

/* `load` is the instruction that reads, 0 or no load where an image is read. */
static void follow_memory(slice *s, const wpg_inst *load)
{
    uint32_t pointer = load && load->count > 3 ? load->words[3] : 0;
    const wpg_inst *root = wpg_pointer_root(s->module, pointer);
    SpvStorageClass class = wpg_pointer_class(s->module, pointer);
    uint64_t key = root ? root->result : UINT64_C(1) << 32 | (uint32_t) class;
    if (wpg_map_get(&s->followed, key, NULL))
        return;
    if (!wpg_map_set(&s->followed, key, 1))
        s->nomem = true;
    if (root && load->opcode == SpvOpLoad && wpg_load_is_read_only(s->module, load))
        return;
    if (root && is_own_memory(class)) {
        follow_variable(s, root, class);
        return;
    }
    const memory_write *write;
    WPG_VEC_EACH (write, &s->writes)
        if (may_reach(write, root, class))
            add_operands(s, write->inst);
}

static void follow(slice *s, const wpg_inst *inst)
{
    unsigned traits = wpg_inst_traits(s->module, inst);
    if (inst->opcode == SpvOpFunctionCall || inst->opcode == SpvOpFunctionParameter ||
        (traits & WPG_TRAIT_UNKNOWN)) {
        s->set->all = true;
        return;
    }
    add_operands(s, inst);
    if (traits & WPG_TRAIT_READS) {
        if (inst->opcode == SpvOpLoad || (traits & WPG_TRAIT_WRITES))
            follow_memory(s, inst);
        else
            follow_memory(s, NULL);
    }
}

static bool add_write(slice *s, const wpg_inst *inst)
{
    uint32_t pointer = written_pointer(inst);
    memory_write made = {inst, wpg_pointer_root(s->module, pointer), pointer,
                         wpg_pointer_class(s->module, pointer), NONE};
    size_t at = s->writes.count;
    uint64_t last;
    if (!made.root)
        return wpg_vec_push(&s->writes, made) && wpg_vec_push(&s->loose, at);
    if (wpg_map_get(&s->last, made.root->result, &last))
        made.next = (size_t)last;
    return wpg_vec_push(&s->writes, made) && wpg_map_set(&s->last, made.root->result, at);
}

/* The set, empty. */
static wpg_status make_set(slice *s, wpg_id_set *set, const wpg_module *module, wpg_error *err)
{
    *s = (slice){.module = module, .set = set};
    *set = (wpg_id_set){.bound = module->bound};
    set->bits = calloc((size_t)module->bound / 64 + 1, sizeof(uint64_t));
    return set->bits ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

static void list_writes(slice *s)
{
    for (const wpg_inst *inst = wpg_first_function(s->module); inst; inst = inst->next)
        if (wpg_inst_traits(s->module, inst) & WPG_TRAIT_WRITES && !add_write(s, inst))
            s->nomem = true;
}

static wpg_status begin(slice *s, wpg_id_set *set, const wpg_module *module, wpg_error *err)
{
    WPG_TRY(make_set(s, set, module, err));
    list_writes(s);
    return WPG_OK;
}

static wpg_status finish(slice *s, wpg_error *err)
{
    while (!s->nomem && !s->set->all && s->work.count) {
        const wpg_inst *inst = wpg_module_def(s->module, wpg_vec_pop(&s->work));
        if (inst && wpg_inst_section(inst) == WPG_SECTION_FUNCTION && inst->opcode != SpvOpLabel &&
            inst->opcode != SpvOpFunction)
            follow(s, inst);
    }
    bool nomem = s->nomem;
    wpg_vec_free(&s->work);
    wpg_vec_free(&s->writes);
    wpg_vec_free(&s->loose);
    wpg_map_free(&s->last);
    wpg_vec_free(&s->operands);
    wpg_map_free(&s->followed);
    if (!nomem)
        return WPG_OK;
    wpg_id_set_free(s->set);
    return wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

/* Is the output, or any member of its block, one that must be bit-exact from pipeline to pipeline? */
static bool is_exact_output(const wpg_module *module, const wpg_inst *variable)
{
    if (wpg_variable_has(module, variable, SpvDecorationInvariant))
        return true;
    const wpg_inst *pointer = wpg_module_def(module, variable->type);
    uint32_t held = pointer && pointer->count > 3 ? pointer->words[3] : 0;
    const wpg_inst *type = wpg_module_def(module, held);
    while (type && (type->opcode == SpvOpTypeArray || type->opcode == SpvOpTypeRuntimeArray)) {
        held = type->words[2];
        type = wpg_module_def(module, held);
    }
    const wpg_inst *end = wpg_annotations_end(module);
    for (const wpg_inst *inst = wpg_annotations_begin(module); inst != end; inst = inst->next) {
        uint32_t builtin;
        if (inst->opcode == SpvOpDecorate && inst->count >= 4 && inst->words[1] == variable->result &&
            inst->words[2] == SpvDecorationBuiltIn)
            builtin = inst->words[3];
        else if (inst->opcode == SpvOpMemberDecorate && inst->count >= 5 && inst->words[1] == held &&
                 inst->words[3] == SpvDecorationBuiltIn)
            builtin = inst->words[4];
        else if (inst->opcode == SpvOpDecorationGroup)
            return true; /* not looked through */
        else
            continue;
        switch ((SpvBuiltIn)builtin) {
        case SpvBuiltInPosition:
        case SpvBuiltInClipDistance:
        case SpvBuiltInCullDistance:
        case SpvBuiltInFragDepth:
        case SpvBuiltInSampleMask:
        case SpvBuiltInTessLevelInner:
        case SpvBuiltInTessLevelOuter:
            return true;
        default:
            break;
        }
    }
    return false;
}

wpg_status wpg_exact_slice(wpg_id_set *set, const wpg_module *module, wpg_error *err)
{
    slice s;
    WPG_TRY(make_set(&s, set, module, err));
    wpg_map exact = {0};
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpVariable && inst->count >= 4 && inst->words[3] == SpvStorageClassOutput &&
            is_exact_output(module, inst) && !wpg_map_set(&exact, inst->result, 1))
            s.nomem = true;
    if (exact.count)
        list_writes(&s);
    bool any = false;
    const memory_write *write;
    WPG_VEC_EACH (write, &s.writes) {
        const wpg_inst *root = write->root;
        bool unknown = write->pointer && !root && write->class == SpvStorageClassOutput;
        if (!unknown && !(root && wpg_map_get(&exact, root->result, NULL)))
            continue;
        any = true;
        add_operands(&s, write->inst);
    }
    if (exact.count && !any)
        for (const wpg_inst *inst = wpg_first_function(module); inst; inst = inst->next)
            if (inst->opcode == SpvOpFunctionCall)
                s.set->all = true; /* may be written in a callee through a pointer */
    /* Which value is stored depends on the branches too. */
    for (const wpg_inst *inst = wpg_first_function(module); any && inst; inst = inst->next)
        if ((inst->opcode == SpvOpBranchConditional || inst->opcode == SpvOpSwitch) && inst->count > 1)
            add_id(&s, inst->words[1]);
    wpg_map_free(&exact);
    return finish(&s, err);
}

wpg_status wpg_helper_slice(wpg_id_set *set, const wpg_module *module, wpg_error *err)
{
    slice s;
    WPG_TRY(begin(&s, set, module, err));
    for (const wpg_inst *inst = wpg_first_function(module); inst; inst = inst->next)
        if (wpg_inst_traits(module, inst) & (WPG_TRAIT_DERIVATIVE | WPG_TRAIT_SUBGROUP))
            add_operands(&s, inst);
    return finish(&s, err);
}

/* A store whose effect is seen by loads of the shader alone, or by nobody. */
static bool is_silent_store(const wpg_module *module, const wpg_inst *inst, const wpg_map *ignored)
{
    if (inst->opcode != SpvOpStore || inst->count < 3)
        return false;
    const wpg_inst *root = wpg_pointer_root(module, inst->words[1]);
    const SpvStorageClass class = wpg_pointer_class(module, inst->words[1]);
    return class == SpvStorageClassFunction || class == SpvStorageClassPrivate ||
           (root && wpg_map_get(ignored, root->result, NULL));
}

static bool has_effect(const wpg_module *module, const wpg_inst *inst, const wpg_map *ignored)
{
    enum {
        EFFECTS =
            WPG_TRAIT_WRITES | WPG_TRAIT_BARRIER | WPG_TRAIT_SUBGROUP | WPG_TRAIT_DEMOTE | WPG_TRAIT_UNKNOWN
    };
    if (wpg_opcode_is_terminator((SpvOp)inst->opcode))
        return true;
    return (wpg_inst_traits(module, inst) & EFFECTS) && !is_silent_store(module, inst, ignored);
}

/* May an operand of some value be undefined behaviour, though the result is of no use? Coordinates of samples
 * may be anything. */
static bool asks_for_values(const wpg_module *module, const wpg_inst *inst)
{
    const wpg_image_access access = wpg_opcode_image_access(inst->opcode);
    if (access == WPG_IMAGE_IMPLICIT || access == WPG_IMAGE_EXPLICIT)
        return false;
    return inst->result && !(wpg_inst_traits(module, inst) &
                             (WPG_TRAIT_SPECULATABLE | WPG_TRAIT_DERIVATIVE | WPG_TRAIT_WRITES));
}

/* What passes a pointer on to where its contents are not followed. */
static bool hides_memory(const wpg_module *module, const wpg_inst *inst)
{
    return inst->opcode == SpvOpFunctionCall || inst->opcode == SpvOpCopyMemory ||
           inst->opcode == SpvOpCopyMemorySized || (wpg_inst_traits(module, inst) & WPG_TRAIT_UNKNOWN);
}

wpg_status wpg_effect_slice(wpg_id_set *set, const wpg_module *module, const wpg_map *ignored, bool defined,
                            wpg_error *err)
{
    slice s;
    WPG_TRY(begin(&s, set, module, err));
    for (const wpg_inst *inst = wpg_first_function(module); inst; inst = inst->next) {
        if (wpg_inst_section(inst) != WPG_SECTION_FUNCTION || inst->opcode == SpvOpPhi ||
            wpg_inst_is_non_semantic(module, inst))
            continue;
        s.set->all |= hides_memory(module, inst);
        if (has_effect(module, inst, ignored) || (defined && asks_for_values(module, inst)))
            add_operands(&s, inst);
        if (inst->result && has_effect(module, inst, ignored))
            add_id(&s, inst->result);
    }
    return finish(&s, err);
}

wpg_status wpg_store_slice(wpg_id_set *set, const wpg_module *module, uint32_t variable, const uint32_t *ids,
                           size_t count, wpg_error *err)
{
    slice s;
    WPG_TRY(begin(&s, set, module, err));
    const memory_write *write;
    WPG_VEC_EACH (write, &s.writes)
        if (write->root && write->root->result == variable)
            add_operands(&s, write->inst);
    for (size_t i = 0; i < count; i++)
        add_id(&s, ids[i]);
    return finish(&s, err);
}
