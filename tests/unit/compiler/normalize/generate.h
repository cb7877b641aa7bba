/* Random GLSL compute shaders with functions, for comparing a shader with its normal form: every kind of
 * structured control flow, early returns at any depth, calls where expressions stand (conditions, increments,
 * short circuits), specialisation constants, constant conditions. Every program ends (loops burn fuel) and
 * reads no undefined value. Same seed, same text. Header only. */
#ifndef WPG_TESTS_NORMALIZE_GENERATE_H
#define WPG_TESTS_NORMALIZE_GENERATE_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

enum { GENERATED_FUNCTIONS = 5, GENERATED_STATEMENTS = 10, GENERATED_TEXT = 64 * 1024 };

typedef struct generator {
    uint64_t state;
    char *text;
    size_t used;
    int function, statements;    /* being written; statements left */
    int loops, breakable, depth; /* nesting */
    int names;
    int functions; /* how many there are; the one after them is main */
} generator;

static inline uint32_t pick(generator *g, uint32_t below)
{
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(g->state >> 33) % below;
}

static inline void __attribute__((format(printf, 2, 3))) say(generator *g, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (g->used < GENERATED_TEXT)
        g->used += (size_t)vsnprintf(g->text + g->used, GENERATED_TEXT - g->used, fmt, args);
    va_end(args);
}

static inline void expression(generator *g, int depth);

static inline void condition(generator *g, int depth)
{
    static const char *const constant[] = {"SB",    "SI > 2",       "SI == 3",   "true",
                                           "false", "(1 + SI < 5)", "(SU != 7u)"};
    uint32_t kind = pick(g, depth > 0 ? 9 : 4);
    if (kind < 1) {
        say(g, "%s", constant[pick(g, sizeof constant / sizeof *constant)]);
    } else if (kind < 6) {
        static const char *const compare[] = {"<", ">", "==", "!=", "<=", ">="};
        say(g, "((");
        expression(g, depth - 1);
        say(g, " & 15u) %s ", compare[pick(g, 6)]);
        say(g, "%uu)", pick(g, 16));
    } else if (kind < 8) {
        say(g, "(");
        condition(g, depth - 1);
        say(g, " %s ", pick(g, 2) ? "&&" : "||");
        condition(g, depth - 1);
        say(g, ")");
    } else {
        say(g, "!(");
        condition(g, 0);
        say(g, ")");
    }
}

static inline void expression(generator *g, int depth)
{
    uint32_t kind = pick(g, depth > 0 ? 12 : 4);
    if (kind < 3) {
        static const char *const leaf[] = {"x", "y", "z", "id", "state", "w[x & 3u]", "SU", "uint(SI)"};
        say(g, "%s", leaf[pick(g, 8)]);
    } else if (kind < 4) {
        say(g, "%uu", pick(g, 100));
    } else if (kind < 8) {
        static const char *const op[] = {"+", "*", "^", "-", "&", "|"};
        say(g, "(");
        expression(g, depth - 1);
        say(g, " %s ", op[pick(g, 6)]);
        expression(g, depth - 1);
        say(g, ")");
    } else if (kind < 9) {
        say(g, "(");
        condition(g, depth - 1);
        say(g, " ? ");
        expression(g, depth - 1);
        say(g, " : ");
        expression(g, depth - 1);
        say(g, ")");
    } else if (g->function > 0 && g->loops < 2) {
        say(g, "f%u(", pick(g, (uint32_t)g->function));
        expression(g, depth - 1);
        say(g, ", ");
        expression(g, depth - 1);
        say(g, ")");
    } else {
        say(g, "i0");
    }
}

static inline void block(generator *g);

static inline void loop(generator *g)
{
    int name = g->names++;
    uint32_t kind = pick(g, 4);
    say(g, "{ uint c%d = 0u; ", name);
    g->loops++;
    if (kind < 2) {
        say(g, "for (uint i%d = 0u; i%d < ", name, name);
        if (pick(g, 4))
            say(g, "(x & %uu) + 1u", pick(g, 2) ? 3u : 7u);
        else
            say(g, "%s", pick(g, 2) ? "uint(SI)" : "0u");
        say(g, "; i%d += 1u", name);
        if (!pick(g, 3)) {
            say(g, " + (");
            expression(g, 1);
            say(g, " & 1u)");
        }
        say(g, ") ");
    } else if (kind == 2) {
        say(g, "while (c%d < 6u && ", name);
        condition(g, 1);
        say(g, ") ");
    } else {
        say(g, "do ");
    }
    int outer = g->breakable;
    g->breakable = 2;
    say(g, "{ if (fuel == 0u) break; fuel--; c%d++;\n", name);
    block(g);
    say(g, "}");
    g->breakable = outer;
    if (kind == 3) {
        say(g, " while (c%d < 5u && ", name);
        condition(g, 1);
        say(g, ");");
    }
    g->loops--;
    say(g, " }\n");
}

static inline void choice(generator *g)
{
    uint32_t constant = pick(g, 6);
    say(g, "switch (");
    if (constant)
        expression(g, 1);
    else
        say(g, "uint(SI)");
    say(g, constant ? " & 3u) {\n" : ") {\n");
    int outer = g->breakable;
    g->breakable = outer == 2 ? 3 : 1; /* break leaves the switch; continue needs a loop */
    for (uint32_t i = 0, cases = 1 + pick(g, 3); i < cases; i++) {
        say(g, "case %uu: ", i + 1);
        block(g);
        if (pick(g, 3) || i + 1 == cases)
            say(g, "break;\n");
    }
    if (pick(g, 2)) {
        say(g, "default: ");
        block(g);
        say(g, pick(g, 2) ? "break;\n" : "x++;\n");
    }
    g->breakable = outer;
    say(g, "}\n");
}

static inline void leave(generator *g)
{
    uint32_t kind = pick(g, 5);
    say(g, "if (");
    condition(g, 1);
    say(g, ") { ");
    if (kind < 2 || !g->breakable) {
        say(g, "state += %uu; return", pick(g, 9));
        if (g->function < g->functions) {
            say(g, " ");
            expression(g, 1);
        }
        say(g, "; }\n");
    } else {
        say(g, "%s; }\n", kind == 2 && g->breakable >= 2 ? "continue" : "break");
    }
}

static inline void statement(generator *g)
{
    static const char *const variable[] = {"x", "y", "z", "state", "w[y & 3u]"};
    uint32_t kind = pick(g, 12);
    if (kind < 5 || g->depth > 4) {
        say(g, "%s %s ", variable[pick(g, 5)], pick(g, 2) ? "=" : "+=");
        expression(g, 2);
        say(g, ";\n");
    } else if (kind < 7) {
        say(g, "if (");
        condition(g, 2);
        say(g, ") ");
        block(g);
        if (pick(g, 2)) {
            say(g, " else ");
            block(g);
        }
    } else if (kind < 9 && g->loops < 2) {
        loop(g);
    } else if (kind < 10) {
        choice(g);
    } else if (kind < 11) {
        leave(g);
    } else if (g->function > 0 && g->loops < 2) {
        say(g, "p%u(%s, ", pick(g, (uint32_t)g->function), variable[pick(g, 4)]);
        expression(g, 1);
        say(g, ");\n");
    }
}

static inline void block(generator *g)
{
    say(g, "{ ");
    g->depth++;
    for (uint32_t i = 0, count = 1 + pick(g, 3); i < count && g->statements > 0; i++) {
        g->statements--;
        statement(g);
    }
    g->depth--;
    say(g, "}\n");
}

static inline void body(generator *g, int statements)
{
    g->statements = statements;
    say(g, "uint z = x ^ 5u, i0 = y; uint w[4] = uint[4](1u, x, y, 7u);\n");
    while (g->statements > 0)
        block(g);
}

/* Writes a program to text[GENERATED_TEXT], with so many functions (two each) and statements in main and at
 * most in a function. Specialisation: 0 int SI, 1 uint SU, 2 bool SB. */
static inline void generate_sized(char *text, uint64_t seed, int functions, int statements)
{
    generator g = {.state = seed * 0x9e3779b97f4a7c15u + 1, .text = text, .functions = functions};
    say(&g, "#version 450\nlayout(local_size_x = 64) in;\n"
            "layout(constant_id = 0) const int SI = 3;\nlayout(constant_id = 1) const uint SU = 7u;\n"
            "layout(constant_id = 2) const bool SB = true;\n"
            "layout(set = 0, binding = 0) buffer In { uint a[]; };\n"
            "layout(set = 0, binding = 1) buffer Out { uint b[]; };\n"
            "uint state = 1u, fuel = 300u, id = 0u;\n");
    for (g.function = 0; g.function < functions; g.function++) {
        say(&g, "uint f%d(uint x, uint y) {\n", g.function);
        body(&g, statements - 6 + (int)pick(&g, 6));
        say(&g, "return x + z * 3u + w[1];\n}\n");
        int returning = g.function;
        say(&g, "void p%d(inout uint x, uint y) {\n", returning);
        g.function = returning;
        say(&g, "x += f%d(y, x);\n", returning);
        if (pick(&g, 2))
            say(&g, "if ((x & 1u) == 0u) return;\n");
        say(&g, "state ^= x; x = y * 2u;\n}\n");
    }
    say(&g, "void main() {\nid = gl_GlobalInvocationID.x; uint x = a[id], y = a[(id + 7u) & 255u];\n"
            "b[id] = 1u;\n");
    body(&g, statements);
    say(&g, "b[id] = x + 31u * y + 17u * z + state + w[0] + w[2];\n}\n");
}

static inline void generate(char *text, uint64_t seed)
{
    generate_sized(text, seed, GENERATED_FUNCTIONS, GENERATED_STATEMENTS);
}

#endif
