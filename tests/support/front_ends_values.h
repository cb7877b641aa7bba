/* What front_ends.c writes with: text, ids, words of the host, values and conditions. Included there alone.
 * Owns the texts of a writer. Threads: any, one writer each. */
#ifndef WPG_TESTS_SUPPORT_FRONT_ENDS_VALUES_H
#define WPG_TESTS_SUPPORT_FRONT_ENDS_VALUES_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/front_ends.h"

typedef enum type { T_UINT, T_INT, T_FLOAT, T_BOOL } type;
static const char *const type_names[] = {"uint", "int", "float", "bool"};

typedef struct text {
    char *data;
    size_t used, size;
} text;

enum { VARIABLES = 4, MOST_CONSTANTS = 256, MOST_COUNTERS = 4, MOST_DEPTH = 3, ELEMENTS = 4 };

typedef struct counter {
    uint32_t pointer;
    type type;
    bool uniform;
    uint32_t first; /* what it starts with, if that is a constant; else 0 */
} counter;

typedef struct writer {
    const front_end_job *job;
    front_end_shader *shader;
    text constants, variables, body;
    struct {
        type type;
        uint32_t bits, id;
    } known[MOST_CONSTANTS];
    unsigned known_count;
    uint64_t random;
    uint32_t next, u[VARIABLES], i[VARIABLES], f[VARIABLES], b[VARIABLES], array;
    uint32_t hash, input[2];
    uint32_t early[FRONT_END_BOUNDS]; /* bound words, loaded where the shader begins */
    unsigned budget, depth;
    counter counters[MOST_COUNTERS];
    unsigned counter_count;
    uint32_t merge, again; /* of the innermost loop; again 0: no trip may be cut short */
    bool uniform;          /* all invocations are here, or none */
    bool whole;            /* of the innermost loop: all invocations leave it together */
    bool kills;            /* else neighbours may be asked */
    bool vectors;          /* the block has three vectors, else twelve words */
} writer;

static bool has_floats(const writer *w)
{
    return w->job->frame == FRONT_END_FRAGMENT;
}

/* -- Text ---------------------------------------------------------------------------------------------- */

static void put_list(text *t, const char *format, va_list arguments)
{
    char line[512];
    int length = vsnprintf(line, sizeof line, format, arguments);
    if (length < 0 || (size_t)length >= sizeof line)
        abort();
    while (t->used + (size_t)length + 1 > t->size) {
        t->size = t->size ? 2 * t->size : 4096;
        t->data = realloc(t->data, t->size);
        if (!t->data)
            abort();
    }
    memcpy(t->data + t->used, line, (size_t)length + 1);
    t->used += (size_t)length;
}

static void put_to(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_to(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_list(t, format, arguments);
    va_end(arguments);
}

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_list(&w->body, format, arguments);
    va_end(arguments);
}

static unsigned draw(writer *w, unsigned below)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(w->random >> 35) % below;
}

static void note(writer *w, front_end_form form)
{
    w->shader->forms[form]++;
}

static uint32_t fresh(writer *w)
{
    return w->next++;
}

static uint32_t unary(writer *w, type t, const char *op, uint32_t a)
{
    uint32_t id = fresh(w);
    put(w, "%%%u = Op%s %%%s %%%u\n", id, op, type_names[t], a);
    return id;
}

static uint32_t binary(writer *w, type t, const char *op, uint32_t a, uint32_t b)
{
    uint32_t id = fresh(w);
    put(w, "%%%u = Op%s %%%s %%%u %%%u\n", id, op, type_names[t], a, b);
    return id;
}

static uint32_t choose(writer *w, type t, uint32_t condition, uint32_t a, uint32_t b)
{
    uint32_t id = fresh(w);
    put(w, "%%%u = OpSelect %%%s %%%u %%%u %%%u\n", id, type_names[t], condition, a, b);
    return id;
}

static uint32_t load(writer *w, type t, uint32_t pointer)
{
    return unary(w, t, "Load", pointer);
}

static void store(writer *w, uint32_t pointer, uint32_t value)
{
    put(w, "OpStore %%%u %%%u\n", pointer, value);
}

static void label(writer *w, uint32_t id)
{
    put(w, "%%%u = OpLabel\n", id);
}

static void branch(writer *w, uint32_t to)
{
    put(w, "OpBranch %%%u\n", to);
}

static void branch_if(writer *w, uint32_t condition, uint32_t yes, uint32_t no)
{
    put(w, "OpBranchConditional %%%u %%%u %%%u\n", condition, yes, no);
}

static void selection(writer *w, uint32_t condition, uint32_t yes, uint32_t no, uint32_t merge)
{
    put(w, "OpSelectionMerge %%%u None\n", merge);
    branch_if(w, condition, yes, no);
}

static uint32_t constant(writer *w, type t, uint32_t bits)
{
    for (unsigned k = 0; k < w->known_count; k++)
        if (w->known[k].type == t && w->known[k].bits == bits)
            return w->known[k].id;
    if (w->known_count == MOST_CONSTANTS)
        abort();
    uint32_t id = fresh(w);
    float f;
    memcpy(&f, &bits, sizeof f);
    if (t == T_FLOAT)
        put_to(&w->constants, "%%%u = OpConstant %%float %a\n", id, (double)f);
    else if (t == T_INT)
        put_to(&w->constants, "%%%u = OpConstant %%int %d\n", id, (int)bits);
    else if (t == T_UINT)
        put_to(&w->constants, "%%%u = OpConstant %%uint %u\n", id, bits);
    else
        put_to(&w->constants, "%%%u = OpConstant%s %%bool\n", id, bits ? "True" : "False");
    w->known[w->known_count].type = t;
    w->known[w->known_count].bits = bits;
    w->known[w->known_count++].id = id;
    return id;
}

static uint32_t number(writer *w, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return constant(w, T_FLOAT, bits);
}

static uint32_t literal(writer *w, uint32_t value)
{
    return constant(w, T_UINT, value);
}

static uint32_t variable(writer *w, type t)
{
    uint32_t id = fresh(w);
    put_to(&w->variables, "%%%u = OpVariable %%f_%s Function\n", id, type_names[t]);
    return id;
}

static uint32_t element(writer *w, uint32_t array, uint32_t index)
{
    uint32_t id = fresh(w);
    put(w, "%%%u = OpAccessChain %%f_uint %%%u %%%u\n", id, array, index);
    return id;
}

static uint32_t call(writer *w, const char *name, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t id = fresh(w);
    put(w, "%%%u = OpExtInst %%float %%glsl %s %%%u", id, name, a);
    if (b)
        put(w, " %%%u", b);
    if (c)
        put(w, " %%%u", c);
    put(w, "\n");
    return id;
}

/* -- Words of the host --------------------------------------------------------------------------------- */

static type word_type(unsigned n)
{
    return n < FRONT_END_BOUNDS ? T_UINT : n < FRONT_END_FLOATS ? T_INT : T_FLOAT;
}

static uint32_t block_word(writer *w, unsigned n)
{
    type t = word_type(n);
    uint32_t at = fresh(w);
    if (w->job->frame != FRONT_END_FRAGMENT) {
        put(w, "%%%u = OpAccessChain %%10 %%11 %%%u %%%u\n", at, literal(w, 0), literal(w, FRONT_END_AT + n));
        uint32_t value = load(w, T_UINT, at);
        return t == T_INT ? unary(w, T_INT, "Bitcast", value) : value;
    }
    if (!w->vectors) {
        put(w, "%%%u = OpAccessChain %%b_%s %%block %%%u\n", at, type_names[t], literal(w, n));
        return load(w, t, at);
    }
    if (draw(w, 2)) {
        put(w, "%%%u = OpAccessChain %%b_%s %%block %%%u %%%u\n", at, type_names[t], literal(w, n / 4),
            literal(w, n % 4));
        return load(w, t, at);
    }
    uint32_t all = fresh(w), part = fresh(w);
    put(w, "%%%u = OpAccessChain %%b_v4%s %%block %%%u\n", at, type_names[t], literal(w, n / 4));
    put(w, "%%%u = OpLoad %%v4%s %%%u\n", all, type_names[t], at);
    put(w, "%%%u = OpCompositeExtract %%%s %%%u %u\n", part, type_names[t], all, n % 4);
    return part;
}

/* One of the first four, unsigned; of push constants where there are any. */
static uint32_t bound_word(writer *w)
{
    unsigned n = draw(w, FRONT_END_BOUNDS);
    if (w->early[n] && draw(w, 2))
        return w->early[n];
    if (!w->job->pushes || draw(w, 4) == 0)
        return block_word(w, n);
    uint32_t at = fresh(w);
    put(w, "%%%u = OpAccessChain %%p_uint %%push %%%u\n", at, literal(w, n));
    return load(w, T_UINT, at);
}

static uint32_t signed_word(writer *w)
{
    return block_word(w, FRONT_END_BOUNDS + draw(w, FRONT_END_SIGNED));
}

static uint32_t weight(writer *w)
{
    return block_word(w, FRONT_END_FLOATS + draw(w, FRONT_END_WORDS - FRONT_END_FLOATS));
}

/* -- Values -------------------------------------------------------------------------------------------- */

/* The counter of a loop around, unsigned; 0: there is none. */
static uint32_t counter_value(writer *w, bool uniform)
{
    if (!w->counter_count)
        return 0;
    const counter *c = &w->counters[draw(w, w->counter_count)];
    if (uniform && !c->uniform)
        return 0;
    uint32_t value = load(w, c->type, c->pointer);
    return c->type == T_INT ? unary(w, T_UINT, "Bitcast", value) : value;
}

/* Of Tint's: by 1 where the divisor is zero, or the quotient has no room. */
static uint32_t guarded_signed(writer *w, uint32_t a, uint32_t b, bool remainder)
{
    uint32_t zero = binary(w, T_BOOL, "IEqual", b, constant(w, T_INT, 0));
    uint32_t least = binary(w, T_BOOL, "IEqual", a, constant(w, T_INT, 0x80000000u));
    uint32_t minus = binary(w, T_BOOL, "IEqual", b, constant(w, T_INT, UINT32_MAX));
    uint32_t wide = binary(w, T_BOOL, "LogicalAnd", least, minus);
    uint32_t by = choose(w, T_INT, binary(w, T_BOOL, "LogicalOr", zero, wide), constant(w, T_INT, 1), b);
    uint32_t quotient = binary(w, T_INT, "SDiv", a, by);
    note(w, FORM_DIVISION);
    return remainder ? binary(w, T_INT, "ISub", a, binary(w, T_INT, "IMul", quotient, by)) : quotient;
}

static uint32_t guarded_unsigned(writer *w, uint32_t a, uint32_t b, bool remainder)
{
    uint32_t zero = binary(w, T_BOOL, "IEqual", b, literal(w, 0));
    note(w, FORM_DIVISION);
    return binary(w, T_UINT, remainder ? "UMod" : "UDiv", a, choose(w, T_UINT, zero, literal(w, 1), b));
}

static uint32_t as(writer *w, type t, uint32_t value)
{
    return unary(w, t, "Bitcast", value);
}

static uint32_t indexed(writer *w, uint32_t index)
{
    note(w, FORM_INDEX);
    return element(w, w->array, binary(w, T_UINT, "BitwiseAnd", index, literal(w, ELEMENTS - 1)));
}

static uint32_t uint_leaf(writer *w, bool uniform)
{
    uint32_t counted = 0;
    switch (draw(w, uniform ? 4 : 8)) {
    case 0:
        return literal(w, draw(w, 9));
    case 1:
        return as(w, T_UINT, signed_word(w));
    case 2:
        counted = counter_value(w, uniform);
        return counted ? counted : bound_word(w);
    case 3:
        return bound_word(w);
    case 4:
        return load(w, T_UINT, indexed(w, load(w, T_UINT, w->u[draw(w, VARIABLES)])));
    case 5:
        return as(w, T_UINT, load(w, T_INT, w->i[draw(w, VARIABLES)]));
    default:
        return load(w, T_UINT, w->u[draw(w, VARIABLES)]);
    }
}

static uint32_t uint_value(writer *w, bool uniform, unsigned depth)
{
    static const char *const plain[] = {"IAdd", "IMul", "BitwiseXor", "ISub", "BitwiseOr", "BitwiseAnd"};
    if (!depth || draw(w, 4) == 0)
        return uint_leaf(w, uniform);
    uint32_t a = uint_value(w, uniform, depth - 1);
    switch (draw(w, 5)) {
    case 0:
        return guarded_unsigned(w, a, draw(w, 3) ? bound_word(w) : uint_leaf(w, uniform), draw(w, 2));
    case 1:
        return as(w, T_UINT, guarded_signed(w, as(w, T_INT, a), signed_word(w), draw(w, 2)));
    case 2:
        return binary(w, T_UINT, draw(w, 2) ? "ShiftLeftLogical" : "ShiftRightLogical", a,
                      literal(w, 1 + draw(w, 7)));
    default:
        return binary(w, T_UINT, plain[draw(w, 6)], a, uint_value(w, uniform, depth - 1));
    }
}

static uint32_t float_value(writer *w);

static uint32_t comparison(writer *w, bool uniform)
{
    static const char *const ops[] = {"ULessThan", "UGreaterThanEqual", "IEqual", "INotEqual"};
    static const char *const signed_ops[] = {"SLessThan", "SGreaterThan", "SLessThanEqual"};
    static const char *const float_ops[] = {"FOrdLessThan", "FOrdEqual", "FOrdGreaterThan"};
    unsigned kind = draw(w, has_floats(w) ? 6 : 3);
    if (kind == 0)
        return binary(w, T_BOOL, signed_ops[draw(w, 3)], as(w, T_INT, uint_leaf(w, uniform)),
                      constant(w, T_INT, draw(w, 5) - 1));
    if (kind == 3)
        return binary(w, T_BOOL, float_ops[draw(w, 3)], weight(w), number(w, draw(w, 2) ? 0.25f : 1.0f));
    if (kind == 4 && !uniform && !w->job->steady)
        return binary(w, T_BOOL, float_ops[2 * draw(w, 2)], float_value(w), number(w, 0.75f));
    if (kind == 1 && !uniform)
        return binary(w, T_BOOL, ops[draw(w, 2)],
                      binary(w, T_UINT, "BitwiseAnd", uint_leaf(w, false), literal(w, 7)), literal(w, 4));
    return binary(w, T_BOOL, ops[draw(w, 4)], uint_value(w, uniform, 1), literal(w, draw(w, 5)));
}

/* By blocks and a variable, as ANGLE has && and ||. */
static uint32_t short_circuit(writer *w, uint32_t first, bool uniform)
{
    uint32_t kept = variable(w, T_BOOL), other = fresh(w), merge = fresh(w);
    bool is_and = draw(w, 2);
    store(w, kept, first);
    selection(w, first, is_and ? other : merge, is_and ? merge : other, merge);
    label(w, other);
    store(w, kept, comparison(w, uniform));
    branch(w, merge);
    label(w, merge);
    note(w, FORM_BOOL);
    return load(w, T_BOOL, kept);
}

static uint32_t condition(writer *w, bool uniform)
{
    uint32_t c = comparison(w, uniform);
    switch (draw(w, 8)) {
    case 0:
        note(w, FORM_NEGATED);
        return unary(w, T_BOOL, "LogicalNot", c);
    case 1:
        note(w, FORM_JOINED);
        return binary(w, T_BOOL, draw(w, 2) ? "LogicalAnd" : "LogicalOr", c, comparison(w, uniform));
    case 2:
        note(w, FORM_JOINED);
        return short_circuit(w, c, uniform);
    case 3: /* the first variable is uniform, the others need not be */
        note(w, FORM_BOOL);
        return load(w, T_BOOL, w->b[uniform ? 0 : draw(w, VARIABLES)]);
    case 4: { /* as 0 or 1 in an integer, as Zink has it */
        uint32_t kept = variable(w, T_UINT);
        store(w, kept, choose(w, T_UINT, c, literal(w, 1), literal(w, 0)));
        note(w, FORM_BOOL);
        return binary(w, T_BOOL, "INotEqual", load(w, T_UINT, kept), literal(w, 0));
    }
    default:
        return c;
    }
}

static uint32_t float_leaf(writer *w)
{
    static const float some[] = {0.5f, 0.25f, 1.5f, 2.0f};
    switch (draw(w, 6)) {
    case 0:
        return number(w, some[draw(w, 4)]);
    case 1:
        return w->input[draw(w, 2)];
    case 2: {
        uint32_t byte = binary(w, T_UINT, "BitwiseAnd", uint_leaf(w, false), literal(w, 255));
        return binary(w, T_FLOAT, "FMul", unary(w, T_FLOAT, "ConvertUToF", byte), number(w, 0x1p-8f));
    }
    default:
        return load(w, T_FLOAT, w->f[draw(w, VARIABLES)]);
    }
}

/* Grows to no more than some three times what the variables hold. */
static uint32_t float_value(writer *w)
{
    uint32_t a = float_leaf(w), b = float_leaf(w);
    switch (draw(w, 9)) {
    case 0:
        return binary(w, T_FLOAT, "FAdd", binary(w, T_FLOAT, "FMul", a, w->input[draw(w, 2)]), b);
    case 1:
        return binary(w, T_FLOAT, "FMul", a, call(w, "Sin", b, 0, 0));
    case 2:
        return binary(w, T_FLOAT, "FSub", a, binary(w, T_FLOAT, "FMul", b, number(w, 0.25f)));
    case 3:
        note(w, FORM_WEIGHT);
        return call(w, "FMix", a, call(w, "Sin", b, 0, 0), weight(w));
    case 4:
        note(w, FORM_WEIGHT);
        return binary(w, T_FLOAT, "FAdd", binary(w, T_FLOAT, "FMul", call(w, "Cos", a, 0, 0), weight(w)), b);
    case 5: {
        uint32_t rest = binary(w, T_FLOAT, "FSub", number(w, 1), weight(w));
        note(w, FORM_WEIGHT);
        return binary(w, T_FLOAT, "FAdd", binary(w, T_FLOAT, "FMul", a, rest), b);
    }
    case 6:
        return call(w, "FMax", a, unary(w, T_FLOAT, "FNegate", b), 0);
    case 7: {
        uint32_t half = call(w, "FClamp", a, number(w, -1), number(w, 1));
        return binary(w, T_FLOAT, "FAdd", binary(w, T_FLOAT, "FMul", half, b),
                      binary(w, T_FLOAT, "FMul", half, w->input[0]));
    }
    default:
        return binary(w, T_FLOAT, "FAdd", a, b);
    }
}

static uint32_t clamped(writer *w, uint32_t value)
{
    return call(w, "FClamp", value, number(w, -40), number(w, 40));
}

#endif
