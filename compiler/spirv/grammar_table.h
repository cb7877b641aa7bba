/* Encoding of grammar_table.inc, shared by its generator (generate/grammar_gen.c) and its reader (grammar.c).
 * An operand pattern is one byte:
 *
 *       7        6       5 4 3 2 1 0
 *     | `*` | `?` (once) |   kind    |
 *
 * The operands of an instruction are a run of patterns. An enumerant with parameters has a run of its own.
 * That run follows the enumerant; in a mask the lowest bit's run comes first. Threads: constants only. */
#ifndef WPG_COMPILER_SPIRV_GRAMMAR_TABLE_H
#define WPG_COMPILER_SPIRV_GRAMMAR_TABLE_H

enum {
    WPG_PATTERN_RESULT_TYPE, /* up to LITERAL as in wpg_operand_kind */
    WPG_PATTERN_RESULT,
    WPG_PATTERN_ID,
    WPG_PATTERN_SCOPE,
    WPG_PATTERN_SEMANTICS,
    WPG_PATTERN_LITERAL,         /* one word */
    WPG_PATTERN_STRING,          /* up to and with the word that holds a zero byte */
    WPG_PATTERN_ENUM,            /* one word, no enumerant has parameters */
    WPG_PATTERN_TYPED_LITERAL,   /* as wide as the instruction's result type */
    WPG_PATTERN_EXT_INST,        /* one word; chooses the rest by the imported set */
    WPG_PATTERN_SPEC_OP,         /* one word; the rest are that opcode's operands */
    WPG_PATTERN_PAIR_LITERAL_ID, /* OpSwitch: the literal is as wide as the selector */
    WPG_PATTERN_PAIR_ID_LITERAL,
    WPG_PATTERN_PAIR_ID_ID,
    WPG_PATTERN_FIRST_PARAMETRIC, /* from here: enumerants that may have parameters */
    WPG_PATTERN_KINDS = 32,

    WPG_PATTERN_KIND = 0x3f,
    WPG_PATTERN_OPTIONAL = 0x40,
    WPG_PATTERN_REPEATED = 0x80,
};

/* The same at a glance, for speed. An instruction starts with `lead` operands of one word each that must be
 * there. Bit n of `uses`: word n + 1 is an id that is used. What may follow them: */
enum {
    WPG_REST_NONE,     /* nothing */
    WPG_REST_OPTIONAL, /* something that the patterns tell, or nothing */
    WPG_REST_OTHER,    /* something that the patterns tell */
    WPG_REST_LITERALS, /* any number of literals of one word */
    WPG_REST_ID,       /* one used id, or none */
    WPG_REST_IDS,      /* any number of used ids */
    WPG_REST_ID_PAIRS, /* any even number of used ids */
    WPG_REST_EXT_INST, /* a literal, and by the imported set used ids or other things */
    WPG_MOST_LEAD = 16 /* bits of `uses`; with more the rest is OTHER */
};

#endif
