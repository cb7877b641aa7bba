/* Fuzzes the SPIR-V parser: what it takes is emitted word-identical, walked, hashed and edited; a renumbered
 * copy hashes alike. Inputs are words, native or swapped; a trailing part of a word is ignored. */
#include "compiler/spirv/builder.h"
#include "compiler/spirv/debug.h"
#include "compiler/spirv/grammar.h"
#include "compiler/spirv/stage.h"
#include "tests/fuzz/common/fuzz.h"

/* Every operand lies inside its instruction, in order and without gaps. */
static void walk(const wpg_module *module)
{
    wpg_source_line line;
    WPG_INST_EACH (inst, module) {
        unsigned next = 1;
        wpg_operand_walk operands = wpg_operands(module, inst);
        wpg_operand operand;
        while (wpg_operand_next(&operands, &operand)) {
            fuzz_check(operand.at == next && operand.count && operand.at + operand.count <= inst->count,
                       "operands");
            next += operand.count;
        }
        fuzz_check(operands.malformed || next == inst->count, "words left over");
        fuzz_check(!operands.malformed || module->has_unknown, "a malformed instruction was taken");
        if (inst->result)
            fuzz_check(wpg_module_def(module, inst->result) == inst, "definition");
        (void)wpg_line_of(&line, module, inst);
    }
}

static wpg_hash128 hash_of(const wpg_module *module)
{
    const wpg_spec_value values[] = {{0, 4, 1}, {1, 1, 3}, {2, 8, UINT64_MAX}};
    const wpg_stage stage = {SpvExecutionModelFragment, "main", values, 3};
    wpg_hash128 hash = {0, 0};
    fuzz_check(wpg_shader_hash(&hash, module, &stage, NULL) == WPG_OK, "hash");
    return hash;
}

/* Does a type or constant name an id that is defined behind it? SPIR-V forbids that (2.4), but for pointers.
 * Identity promises nothing there: which of two declarations needs the other is not defined. */
static bool names_later_ids(const wpg_module *module)
{
    bool *seen = calloc(module->bound + 1u, sizeof *seen), later = false;
    fuzz_check(seen != NULL, "memory");
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        wpg_operand_walk operands = wpg_operands(module, inst);
        wpg_operand operand;
        while (inst->result && wpg_operand_next(&operands, &operand)) {
            uint32_t id = inst->words[operand.at];
            later |= wpg_operand_is_id(&operand) && operand.kind != WPG_OPERAND_RESULT &&
                     id < module->bound && !seen[id] && wpg_module_def(module, id) != NULL;
        }
        if (inst->result)
            seen[inst->result] = true;
    }
    free(seen);
    return later;
}

/* The same module with its ids in reverse order. */
static void check_renumbered(const wpg_module *module, const uint32_t *words, size_t count)
{
    uint32_t *copy = malloc(count * sizeof *copy);
    fuzz_check(copy != NULL, "memory");
    memcpy(copy, words, count * sizeof *copy);
    uint32_t *at = copy + 5;
    WPG_INST_EACH (inst, module) {
        wpg_operand_walk operands = wpg_operands(module, inst);
        wpg_operand operand;
        while (wpg_operand_next(&operands, &operand))
            if (wpg_operand_is_id(&operand))
                at[operand.at] = module->bound - at[operand.at];
        at += inst->count;
    }
    wpg_module *other;
    fuzz_check(wpg_module_parse(&other, copy, count, NULL) == WPG_OK, "renumbered copy refused");
    fuzz_check(wpg_hash_equal(hash_of(module), hash_of(other)), "renumbered copy hashes otherwise");
    wpg_module_destroy(other);
    free(copy);
}

static void edit(wpg_module *module)
{
    wpg_inst *entry = NULL;
    size_t count;
    WPG_INST_EACH (inst, module) {
        if (!entry && inst->opcode == SpvOpEntryPoint && inst->count > 3 && wpg_inst_string(inst, 3))
            entry = inst;
    }
    uint32_t u32 = wpg_type_u32(module), pointer = wpg_type_pointer(module, SpvStorageClassPrivate, u32);
    uint32_t variable = wpg_global_variable(module, entry, SpvStorageClassPrivate, pointer);
    uint32_t one = wpg_const_u32(module, 1);
    fuzz_check(wpg_const_u32(module, 1) == one || module->arena.failed,
               "a constant made twice"); /* ids may run out */
    wpg_require_capability(module, SpvCapabilityInt64);
    wpg_require_import(module, "GLSL.std.450");
    wpg_decorate(module, variable, SpvDecorationRestrict, NULL, 0);
    if (module->first)
        wpg_inst_remove(module, module->first);
    uint32_t *words;
    if (wpg_module_emit(&words, &count, module, NULL) == WPG_OK)
        free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = size / 4;
    uint32_t *words = malloc(count * sizeof *words + 1);
    fuzz_check(words != NULL, "memory");
    memcpy(words, data, count * sizeof *words);
    wpg_module *module;
    if (wpg_module_parse(&module, words, count, NULL) == WPG_OK) {
        if (words[0] != SpvMagicNumber)
            for (size_t i = 0; i < count; i++)
                words[i] = __builtin_bswap32(words[i]);
        uint32_t *again;
        size_t again_count;
        fuzz_check(wpg_module_emit(&again, &again_count, module, NULL) == WPG_OK, "emit");
        fuzz_check(again_count == count && !memcmp(again, words, count * sizeof *words),
                   "emitted words differ");
        free(again);
        walk(module);
        if (!module->has_unknown && !names_later_ids(module))
            check_renumbered(module, words, count);
        edit(module);
        wpg_module_destroy(module);
    }
    free(words);
    return 0;
}
