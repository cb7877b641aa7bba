/* Description of a function for matching: see match.h. */
#include "compiler/analysis/match/match_form.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/values/sites.h"
#include "compiler/spirv/grammar.h"
#include "runtime/base/hash.h"
#include "runtime/base/map.h"

enum { TYPE_DEPTH = 6, TYPE_MEMBERS = 8 };

typedef struct describer {
    const wpg_cfg *cfg;
    const wpg_module *module;
    wpg_form *form;
    uint64_t *decorated; /* [bound]: what decorations say of an id, in any order */
    uint32_t *loose;     /* [blocks]: hash of a block's sorted features */
    wpg_map shapes;      /* what type_shape found, by type and depth: types of types fan out */
} describer;

static uint64_t mix(uint64_t hash, uint64_t value)
{
    uint64_t words[2] = {hash, value};
    uint8_t bytes[16]; /* byte by byte: equal on every machine */
    for (unsigned i = 0; i < 16; i++)
        bytes[i] = (uint8_t)(words[i / 8] >> (8 * (i % 8)));
    return wpg_hash64_bytes(bytes, sizeof bytes);
}

/* Bindings, locations and built-ins tell interface variables apart. */
static void read_decorations(describer *d)
{
    WPG_INST_EACH (inst, d->module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode != SpvOpDecorate || inst->count < 4 || inst->words[1] >= d->module->bound)
            continue;
        switch (inst->words[2]) {
        case SpvDecorationBuiltIn:
        case SpvDecorationLocation:
        case SpvDecorationComponent:
        case SpvDecorationBinding:
        case SpvDecorationDescriptorSet:
            d->decorated[inst->words[1]] ^= mix(inst->words[2], inst->words[3]);
            break;
        default:
            break;
        }
    }
}

/* A type by its make. Pointers stop at structures: members may refer back. */
static uint64_t type_shape(describer *d, uint32_t id, unsigned depth)
{
    const wpg_inst *type = wpg_module_def(d->module, id);
    uint64_t key = (uint64_t)depth << 32 | id, hash;
    if (!type || depth == 0)
        return 0;
    if (wpg_map_get(&d->shapes, key, &hash))
        return hash;
    hash = mix(type->opcode, type->count);
    wpg_operand_walk walk = wpg_operands(d->module, type);
    wpg_operand operand;
    unsigned members = 0;
    while (wpg_operand_next(&walk, &operand) && members++ < TYPE_MEMBERS) {
        if (operand.kind == WPG_OPERAND_RESULT)
            continue;
        for (uint16_t i = 0; i < operand.count; i++) {
            uint32_t word = type->words[operand.at + i];
            hash = mix(hash, wpg_operand_is_id(&operand) ? type_shape(d, word, depth - 1) : word);
        }
    }
    (void)wpg_map_set(&d->shapes, key, hash); /* without room it is found again */
    return hash;
}

static bool is_constant(const wpg_inst *def)
{
    return def->opcode >= SpvOpConstantTrue && def->opcode <= SpvOpSpecConstantOp;
}

/* What an operand is, but for values: a variable by its interface, a function's own values not at all. */
static uint64_t operand_kind(describer *d, uint32_t id)
{
    const wpg_inst *def = wpg_module_def(d->module, id);
    if (!def || def->opcode != SpvOpVariable || def->count < 4 || def->words[3] == SpvStorageClassFunction)
        return 0;
    return mix(mix(d->decorated[id], def->words[3]), type_shape(d, def->type, TYPE_DEPTH));
}

/* The same with values: constants by their words, values by what makes them. */
static uint64_t operand_exactly(describer *d, uint32_t id)
{
    const wpg_inst *def = wpg_module_def(d->module, id);
    if (!def)
        return 0;
    uint64_t hash = def->opcode;
    if (is_constant(def))
        for (uint16_t i = 3; i < def->count; i++)
            hash = mix(hash, def->opcode == SpvOpConstant ? def->words[i] : 0);
    return mix(hash, operand_kind(d, id));
}

/* Says nothing of what the shader does. */
static bool is_silent(const describer *d, const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpLabel:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpNop:
    case SpvOpName:
    case SpvOpVariable: /* of the function: what uses it tells */
        return true;
    case SpvOpExtInst: {
        const wpg_inst *set = wpg_module_def(d->module, inst->words[3]);
        const char *name = set && set->opcode == SpvOpExtInstImport ? wpg_inst_string(set, 2) : NULL;
        return name && strncmp(name, "NonSemantic.", 12) == 0;
    }
    default:
        return false;
    }
}

static void describe_instruction(describer *d, const wpg_inst *inst, uint32_t *feature, uint64_t *exact)
{
    uint64_t kind = mix(inst->opcode, inst->type ? type_shape(d, inst->type, TYPE_DEPTH) : 0);
    uint64_t whole = kind;
    if (inst->opcode == SpvOpExtInst && inst->count > 4)
        kind = mix(kind, inst->words[4]);
    wpg_operand_walk walk = wpg_operands(d->module, inst);
    wpg_operand operand;
    while (wpg_operand_next(&walk, &operand)) {
        if (operand.kind == WPG_OPERAND_RESULT || operand.kind == WPG_OPERAND_RESULT_TYPE)
            continue;
        for (uint16_t i = 0; i < operand.count; i++) {
            uint32_t word = inst->words[operand.at + i];
            uint64_t touched = wpg_operand_is_id(&operand) ? operand_kind(d, word) : 0;
            kind = touched ? mix(kind, touched) : kind;
            whole = mix(whole, wpg_operand_is_id(&operand) ? operand_exactly(d, word) : word);
        }
    }
    *feature = (uint32_t)kind;
    *exact = mix(whole, kind);
}

static int compare_features(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static void sort_features(uint32_t *features, uint32_t count)
{
    if (count)
        qsort(features, count, sizeof *features, compare_features);
}

/* Whether it heads a loop, whether one continues there, and how lanes leave the shader in it. Whether it
 * branches is not looked at: an `if` put behind a block makes a header of it. Nor what it is the merge block
 * of: code before it decides that. */
static uint32_t part_of(const wpg_cfg *cfg, uint32_t b)
{
    const wpg_block *block = &cfg->blocks[b];
    uint32_t leaves = block->successor_count ? 0 : block->terminator->opcode;
    return leaves << 2 | (uint32_t)(block->continues != WPG_NO_BLOCK) << 1 |
           (uint32_t)(block->merge && block->merge->opcode == SpvOpLoopMerge);
}

static uint64_t path_of(const wpg_cfg *cfg, uint32_t construct)
{
    uint64_t hash = 0;
    for (; construct != WPG_NO_BLOCK; construct = cfg->constructs[construct].parent)
        hash = mix(hash, cfg->constructs[construct].kind + 1);
    return hash;
}

static void describe_block(describer *d, uint32_t b)
{
    const wpg_block *block = &d->cfg->blocks[b];
    wpg_block_form *made = &d->form->blocks[b];
    made->part = part_of(d->cfg, b);
    made->end = block->terminator->opcode;
    made->path = path_of(d->cfg, block->construct);
    made->first = d->form->feature_count;
    for (const wpg_inst *inst = block->label;; inst = inst->next) {
        if (!is_silent(d, inst)) {
            uint64_t exact;
            describe_instruction(d, inst, &d->form->features[d->form->feature_count++], &exact);
            made->exact = mix(made->exact, exact);
            made->count++;
        }
        if (inst == block->terminator)
            break;
    }
    sort_features(d->form->features + made->first, made->count);
    uint64_t hash = made->part;
    for (uint32_t i = 0; i < made->count; i++)
        hash = mix(hash, d->form->features[made->first + i]);
    d->loose[b] = (uint32_t)hash;
}

static void describe_neighbours(const describer *d, uint32_t b)
{
    const wpg_block *block = &d->cfg->blocks[b];
    wpg_block_form *made = &d->form->blocks[b];
    made->around = made->exact;
    for (uint32_t i = 0; i < block->successor_count; i++)
        made->around = mix(made->around, d->loose[block->successors[i]]);
    for (uint32_t i = 0; i < block->predecessor_count; i++)
        made->around = mix(made->around, mix(1, d->loose[block->predecessors[i]]));
}

static bool describe_selects(describer *d)
{
    wpg_select_site *sites;
    if (wpg_select_sites(&sites, &d->form->select_count, d->cfg, &d->form->arena) != WPG_OK)
        return false;
    for (uint32_t i = d->form->select_count; i > 0; i--) {
        wpg_block_form *block = &d->form->blocks[sites[i - 1].block];
        block->first_select = i - 1;
        block->select_count++;
    }
    return true;
}

static uint32_t instructions_of(const wpg_cfg *cfg)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label; inst; inst = inst->next) {
            count++;
            if (inst == cfg->blocks[b].terminator)
                break;
        }
    return count;
}

wpg_status wpg_form_create(wpg_form **out, const wpg_cfg *cfg, wpg_error *err)
{
    wpg_form *form = calloc(1, sizeof *form);
    if (!form)
        return wpg_fail(err, WPG_E_NOMEM, "no memory to describe a function");
    wpg_arena scratch;
    wpg_arena_init(&form->arena);
    wpg_arena_init(&scratch);
    uint32_t instructions = instructions_of(cfg);
    form->block_count = cfg->count;
    form->blocks = WPG_ARENA_ARRAY(&form->arena, wpg_block_form, cfg->count);
    form->features = WPG_ARENA_ARRAY(&form->arena, uint32_t, instructions);
    describer d = {.cfg = cfg,
                   .module = cfg->module,
                   .form = form,
                   .decorated = WPG_ARENA_ARRAY(&scratch, uint64_t, cfg->module->bound),
                   .loose = WPG_ARENA_ARRAY(&scratch, uint32_t, cfg->count)};
    bool good = !form->arena.failed && !scratch.failed;
    if (good) {
        read_decorations(&d);
        for (uint32_t b = 0; b < cfg->count; b++)
            describe_block(&d, b);
        for (uint32_t b = 0; b < cfg->count; b++)
            describe_neighbours(&d, b);
        form->sorted =
            wpg_arena_memdup(&form->arena, form->features, form->feature_count * sizeof *form->features);
        good = describe_selects(&d) && !form->arena.failed;
    }
    wpg_arena_finish(&scratch);
    wpg_map_free(&d.shapes);
    if (!good) {
        wpg_form_destroy(form);
        return wpg_fail(err, WPG_E_NOMEM, "no memory to describe a function");
    }
    sort_features(form->sorted, form->feature_count);
    *out = form;
    return WPG_OK;
}

void wpg_form_destroy(wpg_form *form)
{
    if (!form)
        return;
    wpg_arena_finish(&form->arena);
    free(form);
}

uint32_t wpg_form_blocks(const wpg_form *form)
{
    return form->block_count;
}

uint32_t wpg_form_selects(const wpg_form *form)
{
    return form->select_count;
}

uint32_t wpg_common_features(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    uint32_t i = 0, j = 0, common = 0;
    while (i < a_count && j < b_count) {
        common += a[i] == b[j];
        uint32_t x = a[i], y = b[j];
        i += x <= y;
        j += y <= x;
    }
    return common;
}

double wpg_form_likeness(const wpg_form *a, const wpg_form *b)
{
    uint32_t common = wpg_common_features(a->sorted, a->feature_count, b->sorted, b->feature_count);
    uint32_t all = a->feature_count + b->feature_count;
    return all ? 2.0 * common / all : 0;
}
