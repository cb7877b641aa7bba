/* Names of source functions: the entry point's name, the OpName, or a hash of the function's own
 * instructions. In the hash, values of the function are numbered by first appearance. Types, constants and
 * variables are hashed by their definitions. Lines and names do not count. So the hash is equal in every
 * module with the same body. */
#include "compiler/normalize/context_recorder.h"

#include <stdio.h>
#include <string.h>

#include "compiler/spirv/grammar.h"
#include "runtime/base/hash.h"

enum { MOST_DEPTH = 32 };

typedef struct body_hash {
    const wpg_module *module;
    wpg_map local;  /* id of the function -> number */
    wpg_map global; /* id of a declaration -> its hash */
    uint64_t state;
} body_hash;

static uint64_t fold(uint64_t state, uint64_t value)
{
    uint8_t bytes[16];
    for (unsigned i = 0; i < 16; i++)
        bytes[i] = (uint8_t)(i < 8 ? state >> (8 * i) : value >> (8 * (i - 8)));
    return wpg_hash64_bytes(bytes, sizeof bytes);
}

/* A declaration that contains itself (a forward pointer) is 0 where it comes up again. */
static uint64_t declaration(body_hash *h, uint32_t id, unsigned depth)
{
    uint64_t known;
    const wpg_inst *inst = wpg_module_def(h->module, id);
    if (!inst || depth > MOST_DEPTH)
        return 0;
    if (wpg_map_get(&h->global, id, &known))
        return known;
    (void)wpg_map_set(&h->global, id, 0);
    uint64_t state = fold(0, inst->opcode);
    wpg_operand_walk walk = wpg_operands(h->module, inst);
    wpg_operand operand;
    while (wpg_operand_next(&walk, &operand)) {
        if (operand.kind == WPG_OPERAND_RESULT)
            continue;
        for (uint16_t i = 0; i < operand.count; i++) {
            uint32_t word = inst->words[operand.at + i];
            state = fold(state, wpg_operand_is_id(&operand) ? declaration(h, word, depth + 1) : word);
        }
    }
    (void)wpg_map_set(&h->global, id, state);
    return state;
}

static uint64_t id_value(body_hash *h, uint32_t id)
{
    uint64_t number;
    if (wpg_map_get(&h->local, id, &number))
        return number;
    return declaration(h, id, 0);
}

static uint64_t body_hash_of(const wpg_module *module, const wpg_inst *function)
{
    body_hash h = {.module = module};
    uint64_t count = 0;
    for (const wpg_inst *inst = function; inst && inst->opcode != SpvOpFunctionEnd; inst = inst->next)
        if (inst->result)
            (void)wpg_map_set(&h.local, inst->result, ++count);
    for (const wpg_inst *inst = function; inst && inst->opcode != SpvOpFunctionEnd; inst = inst->next) {
        if (inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine || inst->opcode == SpvOpNop)
            continue;
        h.state = fold(h.state, inst->opcode);
        wpg_operand_walk walk = wpg_operands(module, inst);
        wpg_operand operand;
        while (wpg_operand_next(&walk, &operand))
            for (uint16_t i = 0; i < operand.count; i++) {
                uint32_t word = inst->words[operand.at + i];
                h.state = fold(h.state, wpg_operand_is_id(&operand) ? id_value(&h, word) : word);
            }
    }
    wpg_map_free(&h.local);
    wpg_map_free(&h.global);
    return h.state;
}

/* -- Names --------------------------------------------------------------------------------------------- */

enum { LONGEST_NAME = 128, LONGEST_STEM = 96 };

static bool is_plain(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || c == '$';
}

/* What profiles can carry of a name, at most LONGEST_NAME bytes: "noise(vf3;" becomes "noise_vf3_". */
static void sanitise(char name[LONGEST_NAME + 1], const char *text)
{
    size_t length = strlen(text), kept = length <= LONGEST_NAME ? length : LONGEST_STEM;
    for (size_t i = 0; i < kept; i++)
        name[i] = is_plain(text[i]) ? text[i] : '_';
    name[kept] = 0;
    if (kept < length)
        (void)snprintf(name + kept, LONGEST_NAME + 1 - kept, ".%016llx",
                       (unsigned long long)wpg_hash64_bytes(text, length));
}

/* The second function of a name gets ".2" behind it, and so on. */
static const char *unique(wpg_arena *arena, wpg_map *taken, const char *name)
{
    char text[LONGEST_NAME + 16];
    uint64_t times = 0;
    (void)snprintf(text, sizeof text, "%s", name);
    while (wpg_map_get(taken, wpg_hash64_bytes(text, strlen(text)), NULL)) {
        (void)wpg_map_get(taken, wpg_hash64_bytes(name, strlen(name)), &times);
        (void)wpg_map_set(taken, wpg_hash64_bytes(name, strlen(name)), ++times);
        (void)snprintf(text, sizeof text, "%s.%llu", name, (unsigned long long)times);
    }
    if (!wpg_map_set(taken, wpg_hash64_bytes(text, strlen(text)), 1))
        arena->failed = 1;
    return wpg_arena_strdup(arena, text);
}

/* Names of functions and the entry point's, by id: pointers to strings of the module. */
static bool collect_names(wpg_map *names, const wpg_module *module)
{
    bool ok = true;
    for (const wpg_inst *at = module->first; at && at->opcode != SpvOpFunction && ok; at = at->next) {
        bool entry = at->opcode == SpvOpEntryPoint && at->count > 3;
        const char *text = entry                                      ? wpg_inst_string(at, 3)
                           : at->opcode == SpvOpName && at->count > 2 ? wpg_inst_string(at, 2)
                                                                      : NULL;
        uint32_t id = text && *text ? at->words[entry ? 2 : 1] : 0;
        /* The entry point comes before the names and wins. */
        if (id && wpg_module_opcode_of(module, id) == SpvOpFunction && !wpg_map_get(names, id, NULL))
            ok = wpg_map_set(names, id, (uintptr_t)text);
    }
    return ok;
}

wpg_status wpg_name_source_functions(wpg_context_table *table, const wpg_module *module, wpg_error *err)
{
    wpg_map names = {0}, taken = {0};
    bool ok = collect_names(&names, module);
    uint32_t index = 0;
    for (wpg_inst *f = wpg_first_function(module); f && ok; f = wpg_next_function(f->next)) {
        char name[LONGEST_NAME + 1];
        uint64_t text;
        if (wpg_map_get(&names, f->result, &text))
            sanitise(name, (const char *)(uintptr_t)text);
        else
            (void)snprintf(name, sizeof name, "fn.%016llx", (unsigned long long)body_hash_of(module, f));
        table->functions[index++].name = unique(&table->arena, &taken, name);
        ok = !table->arena.failed;
    }
    wpg_map_free(&names);
    wpg_map_free(&taken);
    return ok ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory for names");
}
