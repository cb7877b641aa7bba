/* Prints compiler/spirv/grammar_table.inc from the JSON grammars of SPIRV-Headers (jansson):
 *
 *     grammar_gen [FOLDER]                 the table, on stdout; FOLDER holds spirv.core.grammar.json and the
 *                                          extinst.*.grammar.json files (default /usr/include/spirv/unified1)
 *     grammar_gen --check TABLE [FOLDER]   compares a table with what would be printed: exit 0 equal,
 *                                          1 different, 77 made from another version of the grammar
 *
 * Exit status 2 and a message on any other failure. A build-time tool: one thread.
 * Table layout: grammar_table.h. */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/grammar_table.h"

enum { DIFFERENT = 1, FAILED = 2, OTHER_VERSION = 77 };

static void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fputs("grammar_gen: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
    exit(FAILED);
}

static json_t *load(const char *folder, const char *file)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
        die("path too long: %s", folder);
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        die("%s:%d: %s", path, error.line, error.text);
    return root;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text)
        die("a grammar entry lacks \"%s\"", key);
    return text;
}

/* Numbers are JSON integers or strings of C integers ("0x0001"). */
static uint32_t number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value))
        return (uint32_t)json_integer_value(value);
    if (!json_is_string(value))
        die("a grammar entry lacks the number \"%s\"", key);
    return (uint32_t)strtoul(json_string_value(value), NULL, 0);
}

/* -- Operand patterns: one byte an operand ------------------------------------------------------------- */

/* Operand kinds whose enumerants have parameters; one list for the whole table. */
static struct {
    const char *kind;
    const json_t *entry;
} parametric[WPG_PATTERN_KINDS];
static unsigned parametric_count;

static uint8_t patterns[65536];
static size_t pattern_count;

static uint8_t plain_kind(const char *kind)
{
    static const struct {
        const char *kind;
        uint8_t code;
    } table[] = {
        {"IdResultType", WPG_PATTERN_RESULT_TYPE},
        {"IdResult", WPG_PATTERN_RESULT},
        {"IdRef", WPG_PATTERN_ID},
        {"IdScope", WPG_PATTERN_SCOPE},
        {"IdMemorySemantics", WPG_PATTERN_SEMANTICS},
        {"LiteralInteger", WPG_PATTERN_LITERAL},
        {"LiteralString", WPG_PATTERN_STRING},
        {"LiteralContextDependentNumber", WPG_PATTERN_TYPED_LITERAL},
        {"LiteralExtInstInteger", WPG_PATTERN_EXT_INST},
        {"LiteralSpecConstantOpInteger", WPG_PATTERN_SPEC_OP},
        {"PairLiteralIntegerIdRef", WPG_PATTERN_PAIR_LITERAL_ID},
        {"PairIdRefLiteralInteger", WPG_PATTERN_PAIR_ID_LITERAL},
        {"PairIdRefIdRef", WPG_PATTERN_PAIR_ID_ID},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].kind, kind))
            return table[i].code;
    return WPG_PATTERN_KINDS;
}

/* `kinds`: operand_kinds of the grammar the operand belongs to; NULL is fine. */
static uint8_t pattern_of(const json_t *operand, const json_t *kinds, const json_t *core_kinds)
{
    const char *kind = text_of(operand, "kind");
    uint8_t code = plain_kind(kind);
    for (unsigned i = 0; i < parametric_count && code == WPG_PATTERN_KINDS; i++)
        if (!strcmp(parametric[i].kind, kind))
            code = (uint8_t)(WPG_PATTERN_FIRST_PARAMETRIC + i);
    for (int list = 0; list < 2 && code == WPG_PATTERN_KINDS; list++) {
        size_t i;
        json_t *entry;
        json_array_foreach(list ? core_kinds : kinds, i, entry)
        {
            if (!strcmp(text_of(entry, "kind"), kind) && strstr(text_of(entry, "category"), "Enum"))
                code = WPG_PATTERN_ENUM;
        }
    }
    if (code == WPG_PATTERN_KINDS)
        die("operand kind %s is new: teach it to the walker in grammar.c", kind);
    const char *quantifier = json_string_value(json_object_get(operand, "quantifier"));
    if (!quantifier)
        return code;
    if (!strcmp(quantifier, "?"))
        return code | WPG_PATTERN_OPTIONAL;
    if (!strcmp(quantifier, "*"))
        return code | WPG_PATTERN_REPEATED;
    die("quantifier %s is new", quantifier);
}

/* Adds the patterns of a JSON operand list, sharing an equal run that is there already; gives where it
 * starts. */
static size_t add_patterns(size_t *count, const json_t *operands, const json_t *kinds,
                           const json_t *core_kinds)
{
    uint8_t row[256];
    *count = json_array_size(operands);
    if (*count > sizeof row)
        die("too many operands");
    for (size_t i = 0; i < *count; i++)
        row[i] = pattern_of(json_array_get(operands, i), kinds, core_kinds);
    for (size_t at = 0; at + *count <= pattern_count; at++)
        if (!memcmp(patterns + at, row, *count))
            return at;
    if (pattern_count + *count > sizeof patterns)
        die("too many operand patterns");
    memcpy(patterns + pattern_count, row, *count);
    pattern_count += *count;
    return pattern_count - *count;
}

static bool has_parameters(const json_t *kind)
{
    size_t i;
    json_t *enumerant;
    json_array_foreach(json_object_get(kind, "enumerants"), i, enumerant)
    {
        if (json_array_size(json_object_get(enumerant, "parameters")))
            return true;
    }
    return false;
}

static void find_parametric_kinds(const json_t *kinds)
{
    size_t i;
    json_t *kind;
    json_array_foreach(kinds, i, kind)
    {
        if (!has_parameters(kind))
            continue;
        if (WPG_PATTERN_FIRST_PARAMETRIC + parametric_count >= WPG_PATTERN_KINDS)
            die("too many operand kinds with parameters");
        parametric[parametric_count].kind = text_of(kind, "kind");
        parametric[parametric_count++].entry = kind;
    }
}

/* -- Tables -------------------------------------------------------------------------------------------- */

/* Aliases share an opcode; the name of the least special vendor is kept. */
static int vendor_rank(const char *name)
{
    static const char *const suffixes[] = {"KHR", "EXT", "NV", "AMD", "INTEL", "GOOGLE", "QCOM", "HUAWEI"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t tail = strlen(suffixes[i]);
        if (length > tail && !strcmp(name + length - tail, suffixes[i]))
            return (int)i + 1;
    }
    return 0;
}

static int by_number(const void *a, const void *b, const char *key)
{
    uint32_t x = number_of(*(json_t *const *)a, key), y = number_of(*(json_t *const *)b, key);
    return x < y ? -1 : x > y;
}

static int by_opcode(const void *a, const void *b)
{
    int order = by_number(a, b, "opcode");
    if (order)
        return order;
    const char *x = text_of(*(json_t *const *)a, "opname"), *y = text_of(*(json_t *const *)b, "opname");
    int rank = vendor_rank(x) - vendor_rank(y);
    return rank ? rank : strcmp(x, y);
}

static int by_value(const void *a, const void *b)
{
    return by_number(a, b, "value");
}

/* Members of a JSON array in `order`. */
static json_t **sorted(size_t *count, const json_t *array, int (*order)(const void *, const void *))
{
    *count = json_array_size(array);
    json_t **list = malloc((*count + 1) * sizeof(json_t *));
    if (!list)
        die("out of memory");
    for (size_t i = 0; i < *count; i++)
        list[i] = json_array_get(array, i);
    qsort(list, *count, sizeof(json_t *), order);
    return list;
}

static bool is_used_id(unsigned kind)
{
    return kind == WPG_PATTERN_ID || kind == WPG_PATTERN_SCOPE || kind == WPG_PATTERN_SEMANTICS;
}

/* What may follow the leading operands: patterns `at` to `end`. */
static unsigned rest_of(size_t at, size_t end)
{
    if (at == end)
        return WPG_REST_NONE;
    const unsigned pattern = patterns[at], kind = pattern & WPG_PATTERN_KIND;
    const bool may_be_absent = pattern & (WPG_PATTERN_OPTIONAL | WPG_PATTERN_REPEATED);
    if (kind == WPG_PATTERN_EXT_INST && !may_be_absent)
        return WPG_REST_EXT_INST;
    if (at + 1 == end && is_used_id(kind) && may_be_absent)
        return pattern & WPG_PATTERN_REPEATED ? WPG_REST_IDS : WPG_REST_ID;
    if (at + 1 == end && pattern & WPG_PATTERN_REPEATED && kind == WPG_PATTERN_LITERAL)
        return WPG_REST_LITERALS;
    if (at + 1 == end && pattern & WPG_PATTERN_REPEATED && kind == WPG_PATTERN_PAIR_ID_ID)
        return WPG_REST_ID_PAIRS;
    return may_be_absent ? WPG_REST_OPTIONAL : WPG_REST_OTHER;
}

/* The run of patterns at a glance (grammar_table.h). */
static void print_glance(FILE *out, size_t at, size_t length)
{
    unsigned lead = 0, uses = 0;
    for (; lead < length && lead < WPG_MOST_LEAD; lead++) {
        const unsigned pattern = patterns[at + lead];
        if (pattern > WPG_PATTERN_ENUM || pattern == WPG_PATTERN_STRING)
            break;
        uses |= (unsigned)is_used_id(pattern) << lead;
    }
    (void)fprintf(out, ", %u, %u, %u)\n", lead, uses, rest_of(at + lead, at + length));
}

static void print_opcodes(FILE *out, const json_t *core)
{
    const json_t *kinds = json_object_get(core, "operand_kinds");
    size_t count;
    json_t **list = sorted(&count, json_object_get(core, "instructions"), by_opcode);
    (void)fputs("#ifdef WPG_TABLE_OPCODE /* opcode, name, first pattern, patterns, has type, has result, "
                "lead, uses, rest */\n",
                out);
    for (size_t i = 0; i < count; i++) {
        uint32_t opcode = number_of(list[i], "opcode");
        if (i && number_of(list[i - 1], "opcode") == opcode)
            continue;
        size_t length, at = add_patterns(&length, json_object_get(list[i], "operands"), kinds, NULL);
        bool type = false, result = false;
        for (size_t k = 0; k < length; k++) {
            type |= patterns[at + k] == WPG_PATTERN_RESULT_TYPE && k == 0;
            result |= patterns[at + k] == WPG_PATTERN_RESULT && k == (size_t)type;
            if (patterns[at + k] <= WPG_PATTERN_RESULT && k > 1)
                die("%s has its result in an odd place", text_of(list[i], "opname"));
        }
        (void)fprintf(out, "WPG_TABLE_OPCODE(%u, \"%s\", %zu, %zu, %d, %d", opcode,
                      text_of(list[i], "opname"), at, length, type, result);
        print_glance(out, at, length);
    }
    (void)fputs("#undef WPG_TABLE_OPCODE\n#endif\n\n", out);
    free(list);
}

static void print_enumerants(FILE *out, const json_t *core)
{
    const json_t *kinds = json_object_get(core, "operand_kinds");
    (void)fputs("#ifdef WPG_TABLE_ENUMERANT /* kind, value, first pattern, patterns */\n", out);
    for (unsigned k = 0; k < parametric_count; k++) {
        size_t count;
        json_t **list = sorted(&count, json_object_get(parametric[k].entry, "enumerants"), by_value);
        (void)fprintf(out, "/* %s */\n", parametric[k].kind);
        for (size_t i = 0; i < count; i++) {
            uint32_t value = number_of(list[i], "value");
            if (i && number_of(list[i - 1], "value") == value)
                continue;
            size_t length, at = add_patterns(&length, json_object_get(list[i], "parameters"), kinds, NULL);
            for (size_t p = 0; p < length; p++)
                if ((patterns[at + p] & WPG_PATTERN_KIND) >= WPG_PATTERN_FIRST_PARAMETRIC)
                    die("a parameter of %s has parameters itself", text_of(list[i], "enumerant"));
            (void)fprintf(out, "WPG_TABLE_ENUMERANT(%u, %u, %zu, %zu)\n", WPG_PATTERN_FIRST_PARAMETRIC + k,
                          value, at, length);
        }
        free(list);
    }
    (void)fputs("#undef WPG_TABLE_ENUMERANT\n#endif\n\n#ifdef WPG_TABLE_KIND /* kind, is a mask, name */\n",
                out);
    for (unsigned k = 0; k < parametric_count; k++)
        (void)fprintf(out, "WPG_TABLE_KIND(%u, %d, \"%s\")\n", WPG_PATTERN_FIRST_PARAMETRIC + k,
                      !strcmp(text_of(parametric[k].entry, "category"), "BitEnum"), parametric[k].kind);
    (void)fputs("#undef WPG_TABLE_KIND\n#endif\n\n", out);
}

/* Operands of extended instructions are ids, save in these sets; only their rows with other operands appear.
 */
static void print_sets(FILE *out, const json_t *core, const char *folder)
{
    static const struct {
        const char *name, *file;
    } sets[] = {
        {"DebugInfo", "extinst.debuginfo.grammar.json"},
        {"OpenCL.DebugInfo.100", "extinst.opencl.debuginfo.100.grammar.json"},
        {"OpenCL.std", "extinst.opencl.std.100.grammar.json"},
    };
    const json_t *core_kinds = json_object_get(core, "operand_kinds");
    (void)fputs("#ifdef WPG_TABLE_EXT_INST /* set, instruction, first pattern, patterns */\n", out);
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        json_t *root = load(folder, sets[s].file);
        size_t count;
        json_t **list = sorted(&count, json_object_get(root, "instructions"), by_opcode);
        for (size_t i = 0; i < count; i++) {
            size_t length, at = add_patterns(&length, json_object_get(list[i], "operands"),
                                             json_object_get(root, "operand_kinds"), core_kinds);
            bool only_ids = true;
            for (size_t p = 0; p < length; p++)
                only_ids &= (patterns[at + p] & WPG_PATTERN_KIND) == WPG_PATTERN_ID;
            if (!only_ids)
                (void)fprintf(out, "WPG_TABLE_EXT_INST(\"%s\", %u, %zu, %zu)\n", sets[s].name,
                              number_of(list[i], "opcode"), at, length);
        }
        free(list);
        json_decref(root);
    }
    (void)fputs("#undef WPG_TABLE_EXT_INST\n#endif\n\n", out);
}

static void version_of(char text[64], const json_t *core)
{
    (void)snprintf(text, 64, "%u.%u.%u", number_of(core, "major_version"), number_of(core, "minor_version"),
                   number_of(core, "revision"));
}

static void print_table(FILE *out, const json_t *core, const char *folder)
{
    char version[64];
    version_of(version, core);
    find_parametric_kinds(json_object_get(core, "operand_kinds"));
    (void)fprintf(
        out,
        "/* Generated by compiler/spirv/generate/grammar_gen.c from SPIRV-Headers (version.revision "
        "%s): do not edit.\n * Layout: grammar_table.h. */\n#define WPG_GRAMMAR_VERSION \"%s\"\n\n",
        version, version);
    print_opcodes(out, core);
    print_enumerants(out, core);
    print_sets(out, core, folder);
    (void)fputs("#ifdef WPG_TABLE_PATTERNS\n", out);
    for (size_t i = 0; i < pattern_count; i++)
        (void)fprintf(out, "%u,%s", patterns[i], i % 25 == 24 || i + 1 == pattern_count ? "\n" : " ");
    (void)fputs("#undef WPG_TABLE_PATTERNS\n#endif\n", out);
}

/* -- Check --------------------------------------------------------------------------------------------- */

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        die("%s: %s", path, strerror(errno));
    enum { LIMIT = 16 << 20 };
    char *text = malloc(LIMIT);
    if (!text)
        die("out of memory");
    *size = fread(text, 1, LIMIT - 1, file);
    text[*size] = '\0';
    (void)fclose(file);
    return text;
}

static int check(const char *path, const json_t *core, const char *folder)
{
    size_t size, fresh_size = 0;
    char *text = read_all(path, &size), *fresh = NULL;
    char version[64], define[128];
    version_of(version, core);
    (void)snprintf(define, sizeof define, "#define WPG_GRAMMAR_VERSION \"%s\"\n", version);
    if (!strstr(text, define)) {
        (void)printf("skipped: the installed grammar is version %s, the committed table is of another\n",
                     version);
        free(text);
        return OTHER_VERSION;
    }
    FILE *out = open_memstream(&fresh, &fresh_size);
    if (!out)
        die("out of memory");
    print_table(out, core, folder);
    if (fclose(out))
        die("out of memory");
    size_t at = 0, line = 1;
    for (; at < size && at < fresh_size && text[at] == fresh[at]; at++)
        line += text[at] == '\n';
    bool same = at == size && at == fresh_size;
    if (same)
        (void)printf("%s is what the installed grammar %s gives\n", path, version);
    else
        (void)printf("%s:%zu differs from what the installed grammar %s gives\n", path, line, version);
    free(text);
    free(fresh);
    return same ? 0 : DIFFERENT;
}

int main(int argc, char **argv)
{
    bool checking = argc > 2 && !strcmp(argv[1], "--check");
    int at = checking ? 3 : 1;
    if (argc > at + 1 || (argc > 1 && argv[1][0] == '-' && !checking))
        die("usage: grammar_gen [--check TABLE] [FOLDER]");
    const char *folder = argc > at ? argv[at] : "/usr/include/spirv/unified1";
    json_t *core = load(folder, "spirv.core.grammar.json");
    int status = 0;
    if (checking)
        status = check(argv[2], core, folder);
    else
        print_table(stdout, core, folder);
    json_decref(core);
    return ferror(stdout) || fflush(stdout) ? FAILED : status;
}
