/* Shader identity: hashes one stream of words, equal for every way of writing the same shader down.
 *
 *     version, schema | instructions that identity sees (identity.c), ids renumbered by first appearance,
 *     annotations sorted | 0 (no instruction has 0 words) | model | entry point string | number of
 *     specialisation values | for each, by constant id: constant id, low word, high word
 *
 * Any change of this stream gives every shader a new name. A change does three things:
 *     - raise WPG_IDENTITY_VERSION,
 *     - keep the stream of the version before, for profiles named by it,
 *     - keep the list of its hashes in tests/golden/spirv.
 *
 * The stream depends on the grammar table (grammar.h). Threads: no state. Source: README.md, Identity. */
#include "compiler/spirv/stage.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/builder.h"
#include "compiler/spirv/grammar.h"
#include "compiler/spirv/identity.h"

const char *wpg_stage_name(SpvExecutionModel model)
{
    switch ((unsigned)model) {
    case SpvExecutionModelVertex:
        return "vert";
    case SpvExecutionModelTessellationControl:
        return "tesc";
    case SpvExecutionModelTessellationEvaluation:
        return "tese";
    case SpvExecutionModelGeometry:
        return "geom";
    case SpvExecutionModelFragment:
        return "frag";
    case SpvExecutionModelGLCompute:
        return "comp";
    case SpvExecutionModelTaskNV:
    case SpvExecutionModelTaskEXT:
        return "task";
    case SpvExecutionModelMeshNV:
    case SpvExecutionModelMeshEXT:
        return "mesh";
    case SpvExecutionModelRayGenerationKHR:
        return "rgen";
    case SpvExecutionModelIntersectionKHR:
        return "rint";
    case SpvExecutionModelAnyHitKHR:
        return "rahit";
    case SpvExecutionModelClosestHitKHR:
        return "rchit";
    case SpvExecutionModelMissKHR:
        return "rmiss";
    case SpvExecutionModelCallableKHR:
        return "rcall";
    default:
        return NULL;
    }
}

/* -- The instruction stream ---------------------------------------------------------------------------- */

typedef struct stream {
    uint32_t *words;
    size_t count;
    uint32_t *renumbered; /* [bound] new id of an id, 0 = not seen yet; NULL = ids are kept */
    uint32_t next_id;
    wpg_operand_list used;
} stream;

static void renumber_word(stream *s, const wpg_module *module, uint32_t *word)
{
    const uint32_t id = *word;
    if (id >= module->bound)
        return;
    if (!s->renumbered[id])
        s->renumbered[id] = s->next_id++;
    *word = s->renumbered[id];
}

/* In the order of the words: type, result, used ids. False: out of memory. */
static bool renumber(stream *s, const wpg_module *module, const wpg_inst *inst, uint32_t *words)
{
    unsigned at = 1;
    if (!wpg_used_ids(&s->used, module, inst))
        return false;
    if (inst->type)
        renumber_word(s, module, &words[at++]);
    if (inst->result)
        renumber_word(s, module, &words[at]);
    for (size_t i = 0; i < s->used.count; i++)
        renumber_word(s, module, &words[s->used.data[i]]);
    return true;
}

static bool put_instructions(stream *s, const wpg_module *module, const wpg_inst *const *seen, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const wpg_inst *inst = seen[i];
        uint32_t *words = s->words + s->count;
        memcpy(words, inst->words, inst->count * sizeof *words);
        words[0] = (uint32_t)inst->count << 16 | inst->opcode;
        if (s->renumbered && !renumber(s, module, inst, words))
            return false;
        s->count += inst->count;
    }
    return true;
}

static int by_words(const void *a, const void *b)
{
    const uint32_t *x = *(const uint32_t *const *)a, *y = *(const uint32_t *const *)b;
    for (size_t i = 0, count = x[0] >> 16; i < count; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Orders the last `count` instructions of the stream, which start at word `from`. */
static bool sort_instructions(stream *s, size_t from, size_t count, wpg_arena *arena)
{
    uint32_t *copy = WPG_ARENA_ARRAY(arena, uint32_t, s->count - from + 1);
    const uint32_t **starts = WPG_ARENA_ARRAY(arena, const uint32_t *, count + 1);
    if (!copy || !starts)
        return false;
    memcpy(copy, s->words + from, (s->count - from) * sizeof *copy);
    for (size_t i = 0, at = 0; i < count; at += copy[at] >> 16)
        starts[i++] = copy + at;
    if (count)
        qsort(starts, count, sizeof *starts, by_words);
    for (size_t i = 0; i < count; from += starts[i++][0] >> 16)
        memcpy(s->words + from, starts[i], (starts[i][0] >> 16) * sizeof *copy);
    return true;
}

static bool put_module(stream *s, const wpg_module *module, uint32_t version, wpg_arena *arena)
{
    wpg_identity seen;
    if (!wpg_identity_stream(&seen, module, version, arena))
        return false;
    s->words[s->count++] = module->version;
    s->words[s->count++] = module->schema;
    if (!put_instructions(s, module, seen.list, seen.annotations))
        return false;
    const size_t from = s->count, count = seen.count - seen.annotations;
    return put_instructions(s, module, seen.list + seen.annotations, count) &&
           sort_instructions(s, from, count, arena);
}

/* -- Specialisation values ----------------------------------------------------------------------------- */

static uint64_t low_bits(uint64_t bits, uint32_t width)
{
    return width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits;
}

/* The scalar specialisation constant decorated with SpecId `constant_id`, NULL if none. */
static const wpg_inst *find_spec_constant(const wpg_module *module, uint32_t constant_id)
{
    for (const wpg_inst *at = module->first; at && at->opcode != SpvOpFunction; at = at->next) {
        if (at->opcode != SpvOpDecorate || at->count != 4 || at->words[2] != SpvDecorationSpecId ||
            at->words[3] != constant_id)
            continue;
        const wpg_inst *def = wpg_module_def(module, at->words[1]);
        if (def && (def->opcode == SpvOpSpecConstant || def->opcode == SpvOpSpecConstantTrue ||
                    def->opcode == SpvOpSpecConstantFalse))
            return def;
    }
    return NULL;
}

/* Whether `value` differs from the constant's default; *bits is the value as it counts: 0 or 1 for a bool,
 * masked to the type's width otherwise. */
static bool differs_from_default(uint64_t *bits, const wpg_module *module, const wpg_inst *constant,
                                 const wpg_spec_value *value)
{
    if (constant->opcode != SpvOpSpecConstant) {
        *bits = low_bits(value->bits, value->size < 8 ? value->size * 8 : 64) != 0;
        return *bits != (constant->opcode == SpvOpSpecConstantTrue);
    }
    const wpg_inst *type = wpg_module_def(module, constant->type);
    uint32_t width = type && type->count > 2 ? type->words[2] : 32;
    uint64_t preset = constant->count > 3 ? constant->words[3] : 0;
    if (constant->count > 4)
        preset |= (uint64_t)constant->words[4] << 32;
    *bits = low_bits(value->bits, width);
    return *bits != low_bits(preset, width);
}

static int by_constant_id(const void *a, const void *b)
{
    uint32_t x = ((const wpg_spec_value *)a)->constant_id, y = ((const wpg_spec_value *)b)->constant_id;
    return x < y ? -1 : x > y;
}

/* Fills `kept` with the values that count, sorted; gives how many. */
static size_t keep_spec_values(wpg_spec_value *kept, const wpg_module *module, const wpg_stage *stage)
{
    size_t count = 0;
    for (size_t i = 0; i < stage->spec_count; i++) {
        const wpg_spec_value *value = &stage->spec[i];
        const wpg_inst *constant = find_spec_constant(module, value->constant_id);
        size_t earlier = 0;
        while (earlier < i && stage->spec[earlier].constant_id != value->constant_id)
            earlier++;
        uint64_t bits;
        if (constant && earlier == i && differs_from_default(&bits, module, constant, value))
            kept[count++] = (wpg_spec_value){value->constant_id, 0, bits};
    }
    if (count)
        qsort(kept, count, sizeof *kept, by_constant_id);
    return count;
}

static void put_stage(stream *s, const wpg_module *module, const wpg_stage *stage, wpg_spec_value *kept)
{
    s->words[s->count++] = 0;
    s->words[s->count++] = (uint32_t)stage->model;
    s->count += wpg_string_words(s->words + s->count, stage->entry);
    size_t count = keep_spec_values(kept, module, stage);
    s->words[s->count++] = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        s->words[s->count++] = kept[i].constant_id;
        s->words[s->count++] = (uint32_t)kept[i].bits;
        s->words[s->count++] = (uint32_t)(kept[i].bits >> 32);
    }
}

static wpg_status hash_by(wpg_hash128 *hash, const wpg_module *module, const wpg_stage *stage,
                          uint32_t version, wpg_error *err)
{
    size_t limit = 5 + wpg_string_words(NULL, stage->entry) + 3 * stage->spec_count;
    WPG_INST_EACH (inst, module) {
        limit += inst->count;
    }
    stream s = {.words = malloc(limit * sizeof(uint32_t)), .next_id = 1};
    wpg_spec_value *kept = calloc(stage->spec_count + 1, sizeof *kept);
    if (!module->has_unknown)
        s.renumbered = calloc(module->bound, sizeof(uint32_t));
    wpg_arena arena;
    wpg_arena_init(&arena);
    bool enough =
        s.words && kept && (module->has_unknown || s.renumbered) && put_module(&s, module, version, &arena);
    if (enough) {
        put_stage(&s, module, stage, kept);
        *hash = wpg_hash_bytes(s.words, s.count * sizeof(uint32_t));
    }
    wpg_arena_finish(&arena);
    free(s.words);
    free(kept);
    free(s.renumbered);
    wpg_vec_free(&s.used);
    return enough ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "no memory to hash a SPIR-V module");
}

wpg_status wpg_shader_hash(wpg_hash128 *hash, const wpg_module *module, const wpg_stage *stage,
                           wpg_error *err)
{
    return hash_by(hash, module, stage, WPG_IDENTITY_VERSION, err);
}

wpg_status wpg_shader_hash_before(wpg_hash128 *hash, const wpg_module *module, const wpg_stage *stage,
                                  wpg_error *err)
{
    return hash_by(hash, module, stage, WPG_IDENTITY_VERSION - 1, err);
}

wpg_status wpg_stage_functions(wpg_inst ***functions, uint32_t *count, const wpg_module *module,
                               const wpg_stage *stage, wpg_arena *arena, wpg_error *err)
{
    const wpg_inst *entry = wpg_find_entry_point(module, stage->model, stage->entry);
    const uint32_t id = entry && entry->count > 2 ? entry->words[2] : 0;
    WPG_VEC(wpg_inst *) all = {0}; /* in one walk */
    wpg_inst *first = NULL;
    bool fits = true;
    for (wpg_inst *f = wpg_first_function(module); f && fits; f = wpg_next_function(f->next)) {
        first = f->result == id ? f : first;
        fits = wpg_vec_push(&all, f); /* NOLINT(bugprone-sizeof-expression): a vector of pointers */
    }
    wpg_inst **made = fits ? WPG_ARENA_ARRAY(arena, wpg_inst *, all.count + 1) : NULL;
    uint32_t made_count = 0;
    if (made && first)
        made[made_count++] = first;
    for (size_t i = 0; i < all.count && made_count; i++)
        if (all.data[i] != first)
            made[made_count++] = all.data[i];
    wpg_vec_free(&all);
    if (!made)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a table of functions");
    if (!first)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no entry point '%s'", stage->entry);
    *functions = made;
    *count = made_count;
    return WPG_OK;
}

uint32_t wpg_stage_workgroup(const wpg_module *module, const wpg_inst *entry_point)
{
    uint64_t product = 0;
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        const bool mode = inst->opcode == SpvOpExecutionMode || inst->opcode == SpvOpExecutionModeId;
        const wpg_inst *parts = NULL;
        if (wpg_sets_workgroup_size(inst)) {
            parts = wpg_module_def(module, inst->words[1]);
            if (!parts || parts->opcode != SpvOpConstantComposite || parts->count != 6)
                return 0;
        } else if (mode && inst->count == 6 && inst->words[1] == entry_point->words[2] &&
                   (inst->words[2] == SpvExecutionModeLocalSize ||
                    inst->words[2] == SpvExecutionModeLocalSizeId)) {
            parts = inst;
        } else {
            continue;
        }
        product = 1;
        for (unsigned i = 3; i < 6; i++) {
            uint64_t value = parts->words[i];
            uint32_t width = 32;
            bool literal = parts == inst && inst->words[2] == SpvExecutionModeLocalSize;
            if ((!literal && !wpg_const_value(module, parts->words[i], &value, &width)) || value == 0 ||
                value > UINT16_MAX)
                return 0;
            product *= value;
        }
        if (parts != inst)
            break;
    }
    return product <= UINT16_MAX ? (uint32_t)product : 0;
}

bool wpg_stage_feeds_back(const wpg_module *module)
{
    return wpg_has_capability(module, SpvCapabilityTransformFeedback);
}
