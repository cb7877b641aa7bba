/* See front_ends.h. */
#include "tests/support/front_ends_values.h"

const char *const front_end_form_names[FRONT_END_FORMS] = {
    "exit blocks",
    "iteration guards",
    "second exits",
    "continues",
    "tests at back edges",
    "bitcasts",
    "negations",
    "joined",
    "booleans",
    "counters in arrays",
    "indices",
    "divisions",
    "weights",
    "derivatives",
    "kills",
    "demotes",
    "switches",
    "standing conditions",
    "first trips",
    "cast constants",
};

/* -- Statements ---------------------------------------------------------------------------------------- */

static void statements(writer *w);

static void assign(writer *w)
{
    unsigned to = draw(w, VARIABLES);
    switch (draw(w, 4)) {
    case 0:
        store(w, w->i[to], as(w, T_INT, uint_value(w, false, 2)));
        break;
    case 1:
        store(w, w->i[to],
              guarded_signed(w, load(w, T_INT, w->i[draw(w, VARIABLES)]), signed_word(w), draw(w, 2)));
        break;
    case 2: {
        uint32_t place = indexed(w, uint_leaf(w, false));
        store(w, place, uint_value(w, false, 1));
        break;
    }
    default:
        store(w, w->u[to], uint_value(w, false, 2));
        break;
    }
}

static void assign_float(writer *w)
{
    uint32_t value = float_value(w);
    if (draw(w, 3) == 0)
        value = binary(w, T_FLOAT, draw(w, 2) ? "FAdd" : "FSub", value, float_value(w));
    store(w, w->f[draw(w, VARIABLES)], draw(w, 3) || w->depth ? clamped(w, value) : value);
}

/* A dear side that few need: a branch would do. */
static void select_statement(writer *w)
{
    uint32_t c = condition(w, false);
    if (!has_floats(w)) {
        uint32_t dear = guarded_unsigned(w, uint_value(w, false, 2), uint_leaf(w, false), true);
        store(w, w->u[draw(w, VARIABLES)], choose(w, T_UINT, c, dear, uint_leaf(w, false)));
        return;
    }
    uint32_t a = call(w, "Sin", float_leaf(w), 0, 0), b = call(w, "Cos", float_leaf(w), 0, 0);
    uint32_t dear = binary(w, T_FLOAT, "FMul", call(w, "Exp2", a, 0, 0), b);
    store(w, w->f[draw(w, VARIABLES)], choose(w, T_FLOAT, c, dear, float_leaf(w)));
}

static void if_statement(writer *w)
{
    bool uniform = draw(w, 2), saved = w->uniform;
    uint32_t yes = fresh(w), merge = fresh(w), no = draw(w, 2) ? fresh(w) : merge;
    selection(w, condition(w, uniform), yes, no, merge);
    w->uniform &= uniform;
    w->depth++;
    label(w, yes);
    statements(w);
    branch(w, merge);
    if (no != merge) {
        label(w, no);
        if (draw(w, 3)) /* else an empty block, as Zink's */
            statements(w);
        branch(w, merge);
    }
    w->depth--;
    label(w, merge);
    w->uniform = saved;
}

/* What a branch is made for. */
static void dear_arm(writer *w, uint32_t start, uint32_t merge, bool dear)
{
    label(w, start);
    for (unsigned n = dear ? 3 : 1; n; n--)
        if (has_floats(w))
            assign_float(w);
        else
            store(w, w->u[draw(w, VARIABLES)],
                  guarded_unsigned(w, uint_leaf(w, false), uint_leaf(w, false), true));
    if (dear)
        assign(w);
    branch(w, merge);
}

/* A condition that is one for all trips of the loops around, or one for the first trip. */
static void way_statement(writer *w)
{
    const counter *c = w->counter_count ? &w->counters[w->counter_count - 1] : NULL;
    uint32_t yes = fresh(w), no = fresh(w), merge = fresh(w), one;
    bool first = c && c->first && draw(w, 2), first_dear = draw(w, 2);
    if (first) {
        uint32_t i = load(w, c->type, c->pointer);
        one = binary(w, T_BOOL, "IEqual", i, c->first);
        note(w, FORM_FIRST_TRIP);
    } else {
        one = bound_word(w);
        one = binary(w, T_BOOL, draw(w, 2) ? "IEqual" : "ULessThan", one, literal(w, 1 + draw(w, 4)));
        note(w, FORM_STANDING);
    }
    selection(w, one, yes, no, merge);
    w->depth++;
    dear_arm(w, yes, merge, first_dear);
    dear_arm(w, no, merge, !first_dear);
    w->depth--;
    label(w, merge);
}

static void switch_statement(writer *w)
{
    bool uniform = draw(w, 2), saved = w->uniform;
    uint32_t merge = fresh(w), other = fresh(w), cases[3];
    uint32_t selector = draw(w, 2) ? bound_word(w) : uint_leaf(w, uniform);
    put(w, "OpSelectionMerge %%%u None\nOpSwitch %%%u %%%u", merge, selector, other);
    for (unsigned c = 0; c < 3; c++)
        put(w, " %u %%%u", c, cases[c] = fresh(w));
    put(w, "\n");
    w->uniform &= uniform;
    w->depth++;
    for (unsigned c = 0; c < 4; c++) {
        label(w, c < 3 ? cases[c] : other);
        if (c < 3 || draw(w, 2))
            assign(w);
        if (has_floats(w) && draw(w, 2))
            assign_float(w);
        branch(w, c < 2 && draw(w, 4) == 0 ? cases[c + 1] : merge);
    }
    w->depth--;
    label(w, merge);
    w->uniform = saved;
    note(w, FORM_SWITCH);
}

static void bool_statement(writer *w)
{
    bool uniform = w->uniform && draw(w, 2);
    uint32_t c = condition(w, uniform);
    store(w, w->b[uniform ? 0 : 1 + draw(w, VARIABLES - 1)], c);
    note(w, FORM_BOOL);
}

static void derivative(writer *w)
{
    static const char *const ops[] = {"DPdx", "DPdy", "Fwidth"};
    uint32_t of = binary(w, T_FLOAT, "FMul", load(w, T_FLOAT, w->f[draw(w, VARIABLES)]), w->input[0]);
    store(w, w->f[draw(w, VARIABLES)], clamped(w, unary(w, T_FLOAT, ops[draw(w, 3)], of)));
    note(w, FORM_DERIVATIVE);
}

/* Few invocations go. */
static void leave_pixel(writer *w)
{
    bool demotes = draw(w, 2);
    uint32_t gone = fresh(w), merge = fresh(w);
    uint32_t some = binary(w, T_UINT, "BitwiseAnd",
                           binary(w, T_UINT, "IAdd", w->hash, load(w, T_UINT, w->u[0])), literal(w, 31));
    selection(w, binary(w, T_BOOL, "IEqual", some, literal(w, draw(w, 32))), gone, merge, merge);
    label(w, gone);
    if (demotes) {
        put(w, "OpDemoteToHelperInvocationEXT\n");
        branch(w, merge);
    } else {
        put(w, "OpKill\n");
    }
    label(w, merge);
    note(w, demotes ? FORM_DEMOTE : FORM_KILL);
}

/* A way out of the loop, or of the trip; through an empty block, or one that remembers. */
static void second_exit(writer *w, bool uniform)
{
    uint32_t leave = fresh(w), next = fresh(w), kept = 0;
    bool goes_on = w->again && draw(w, 3) == 0;
    uint32_t c = condition(w, uniform);
    if (draw(w, 3) == 0) {
        note(w, FORM_NEGATED);
        selection(w, unary(w, T_BOOL, "LogicalNot", c), next, leave, next);
    } else {
        selection(w, c, leave, next, next);
    }
    label(w, leave);
    if (!goes_on && draw(w, 2)) {
        kept = w->b[uniform && w->uniform ? 0 : 1];
        store(w, kept, constant(w, T_BOOL, 1));
        note(w, FORM_BOOL);
    }
    branch(w, goes_on ? w->again : w->merge);
    label(w, next);
    note(w, goes_on ? FORM_CONTINUE : FORM_SECOND_EXIT);
}

/* -- Loops --------------------------------------------------------------------------------------------- */

typedef enum shape { LIKE_TINT, LIKE_ANGLE, LIKE_ZINK, TESTS_LAST, SHAPES } shape;

typedef struct loop {
    shape shape;
    counter counter;
    uint32_t bound; /* unsigned */
    uint32_t step;
    bool down, from_one, uniform;
    uint32_t low, high; /* Tint's guard; 0: none */
} loop;

/* The counter as the wanted type. */
static uint32_t count_as(writer *w, const loop *l, type t)
{
    uint32_t value = load(w, l->counter.type, l->counter.pointer);
    if (t == l->counter.type)
        return value;
    note(w, FORM_BITCAST);
    return as(w, t, value);
}

static uint32_t plain_test(writer *w, const loop *l)
{
    bool is_signed = draw(w, 2);
    type t = is_signed ? T_INT : T_UINT;
    uint32_t i = count_as(w, l, t);
    if (l->down)
        return binary(w, T_BOOL,
                      is_signed                    ? "SGreaterThan"
                      : l->step == 1 && draw(w, 2) ? "INotEqual"
                                                   : "UGreaterThan",
                      i, constant(w, t, 0));
    uint32_t n = is_signed ? as(w, T_INT, l->bound) : l->bound;
    if (l->from_one)
        return binary(w, T_BOOL, is_signed ? "SLessThanEqual" : "ULessThanEqual", i, n);
    switch (draw(w, 4)) {
    case 0:
        return binary(w, T_BOOL, is_signed ? "SGreaterThan" : "UGreaterThan", n, i);
    case 1:
        note(w, FORM_NEGATED);
        return unary(w, T_BOOL, "LogicalNot",
                     binary(w, T_BOOL, is_signed ? "SGreaterThanEqual" : "UGreaterThanEqual", i, n));
    case 2:
        if (l->step == 1 && l->shape != TESTS_LAST)
            return binary(w, T_BOOL, "INotEqual", i, n);
        /* fallthrough */
    default:
        return binary(w, T_BOOL, is_signed ? "SLessThan" : "ULessThan", i, n);
    }
}

/* Whether the loop goes on. */
static uint32_t loop_test(writer *w, const loop *l)
{
    uint32_t goes_on = plain_test(w, l);
    if (draw(w, 5))
        return goes_on;
    note(w, FORM_JOINED);
    if (draw(w, 2))
        return binary(w, T_BOOL, "LogicalAnd", goes_on, comparison(w, l->uniform));
    note(w, FORM_NEGATED);
    uint32_t ends = unary(w, T_BOOL, "LogicalNot", goes_on);
    return unary(w, T_BOOL, "LogicalNot", binary(w, T_BOOL, "LogicalOr", ends, comparison(w, l->uniform)));
}

static void start(writer *w, loop *l)
{
    bool from_word = draw(w, 3) != 0;
    l->shape = (shape)draw(w, SHAPES);
    l->counter.type = draw(w, 2) ? T_INT : T_UINT;
    l->step = 1 + (draw(w, 4) == 0);
    l->down = l->shape != TESTS_LAST && draw(w, 4) == 0;
    l->from_one = !l->down && draw(w, 4) == 0;
    l->uniform = w->uniform && draw(w, 2);
    if (from_word || l->uniform)
        l->bound = bound_word(w);
    else if (draw(w, 2))
        l->bound = literal(w, 1 + draw(w, 4));
    else
        l->bound = binary(w, T_UINT, "BitwiseAnd", uint_leaf(w, false), literal(w, 7));
    if (draw(w, 3) == 0) { /* in an element of an array, which holds unsigned words */
        uint32_t array = fresh(w);
        put_to(&w->variables, "%%%u = OpVariable %%f_array Function\n", array);
        l->counter.type = T_UINT;
        l->counter.pointer = element(w, array, literal(w, draw(w, ELEMENTS)));
        note(w, FORM_COUNTER_IN_ARRAY);
    } else {
        l->counter.pointer = variable(w, l->counter.type);
    }
    l->counter.uniform = l->uniform;
    uint32_t first = constant(w, l->counter.type, l->from_one);
    l->counter.first = l->down ? 0 : first;
    if (l->down)
        first = l->counter.type == T_INT ? as(w, T_INT, l->bound) : l->bound;
    store(w, l->counter.pointer, first);
    if (l->down && l->step == 2) /* would pass zero */
        l->step = 1;
    if (l->shape == LIKE_TINT && draw(w, 4)) {
        l->low = variable(w, T_UINT);
        l->high = variable(w, T_UINT);
        store(w, l->low, literal(w, UINT32_MAX));
        store(w, l->high, literal(w, UINT32_MAX));
    }
}

/* Out through a block of its own. */
static void leave_unless(writer *w, uint32_t goes_on, uint32_t merge)
{
    uint32_t next = fresh(w), leave = fresh(w);
    selection(w, goes_on, next, leave, next);
    label(w, leave);
    branch(w, merge);
    label(w, next);
    note(w, FORM_EXIT_BLOCK);
}

static void check_guard(writer *w, const loop *l)
{
    uint32_t low = binary(w, T_BOOL, "INotEqual", load(w, T_UINT, l->low), literal(w, 0));
    uint32_t high = binary(w, T_BOOL, "INotEqual", load(w, T_UINT, l->high), literal(w, 0));
    leave_unless(w, binary(w, T_BOOL, "LogicalOr", low, high), w->merge);
    note(w, FORM_GUARD);
}

static void step_guard(writer *w, const loop *l)
{
    uint32_t low = binary(w, T_UINT, "ISub", load(w, T_UINT, l->low), literal(w, 1));
    store(w, l->low, low);
    uint32_t borrowed = binary(w, T_BOOL, "IEqual", low, literal(w, UINT32_MAX));
    uint32_t carry = choose(w, T_UINT, borrowed, literal(w, 1), literal(w, 0));
    store(w, l->high, binary(w, T_UINT, "ISub", load(w, T_UINT, l->high), carry));
}

static void step(writer *w, const loop *l)
{
    type t = l->counter.type;
    uint32_t value = load(w, t, l->counter.pointer), by = constant(w, t, l->step);
    if (draw(w, 3) == 0) {
        by = as(w, t, constant(w, t == T_INT ? T_UINT : T_INT, l->step));
        note(w, FORM_CAST_CONSTANT);
    }
    store(w, l->counter.pointer, binary(w, t, l->down ? "ISub" : "IAdd", value, by));
}

static void test_first(writer *w, const loop *l)
{
    uint32_t body = fresh(w);
    switch ((int)l->shape) {
    case LIKE_TINT:
        branch(w, body);
        label(w, body);
        if (l->low)
            check_guard(w, l);
        leave_unless(w, loop_test(w, l), w->merge);
        break;
    case LIKE_ANGLE: {
        uint32_t test = fresh(w);
        branch(w, test);
        label(w, test);
        branch_if(w, loop_test(w, l), body, w->merge);
        label(w, body);
        break;
    }
    case LIKE_ZINK: {
        uint32_t leave = fresh(w), empty = fresh(w), end = fresh(w);
        branch(w, body);
        label(w, body);
        note(w, FORM_NEGATED);
        selection(w, unary(w, T_BOOL, "LogicalNot", loop_test(w, l)), leave, empty, end);
        label(w, leave);
        branch(w, w->merge);
        label(w, empty);
        branch(w, end);
        label(w, end);
        note(w, FORM_EXIT_BLOCK);
        break;
    }
    default:
        branch(w, body);
        label(w, body);
        break;
    }
}

static void loop_statement(writer *w)
{
    loop l = {0};
    start(w, &l);
    uint32_t header = fresh(w), saved_merge = w->merge, saved_again = w->again;
    uint32_t merge = fresh(w), again = fresh(w);
    bool saved = w->uniform, saved_whole = w->whole;
    branch(w, header);
    label(w, header);
    put(w, "OpLoopMerge %%%u %%%u None\n", merge, again);
    w->merge = merge;
    w->again = l.shape == LIKE_ZINK ? 0 : again;
    w->uniform &= l.uniform;
    w->whole = l.uniform;
    w->depth++;
    w->counters[w->counter_count++] = l.counter;
    test_first(w, &l);
    statements(w);
    if (draw(w, 2)) {
        second_exit(w, l.uniform);
        statements(w);
    }
    for (unsigned f = 0; has_floats(w) && f < VARIABLES; f++)
        if (draw(w, 4) == 0)
            store(w, w->f[f], clamped(w, load(w, T_FLOAT, w->f[f])));
    if (l.shape == LIKE_ZINK)
        step(w, &l);
    branch(w, again);
    label(w, again);
    if (l.low)
        step_guard(w, &l);
    if (l.shape != LIKE_ZINK)
        step(w, &l);
    if (l.shape == TESTS_LAST) {
        note(w, FORM_BACK_TEST);
        branch_if(w, plain_test(w, &l), header, merge);
    } else {
        branch(w, header);
    }
    label(w, merge);
    w->counter_count--;
    w->depth--;
    w->merge = saved_merge;
    w->again = saved_again;
    w->whole = saved_whole;
    w->uniform = saved;
}

static void statement(writer *w)
{
    bool floats = has_floats(w);
    unsigned kind = draw(w, 20);
    if (kind < 4 && w->depth < MOST_DEPTH && w->counter_count < MOST_COUNTERS)
        loop_statement(w);
    else if (kind < 7 && w->depth < MOST_DEPTH)
        if_statement(w);
    else if (kind == 7)
        switch_statement(w);
    else if (kind == 8)
        bool_statement(w);
    else if (kind == 9)
        select_statement(w);
    else if (kind == 10 && w->merge && (w->uniform || !w->whole))
        second_exit(w, w->uniform);
    else if (kind == 11 && w->kills)
        leave_pixel(w);
    else if ((kind == 11 || kind == 12) && floats && !w->kills && w->uniform)
        derivative(w);
    else if (kind < 15)
        way_statement(w);
    else if (kind < 18 && floats)
        assign_float(w);
    else
        assign(w);
}

static void statements(writer *w)
{
    for (unsigned n = 1 + draw(w, 3); n; n--) {
        if (!w->budget) {
            assign(w);
            return;
        }
        w->budget--;
        statement(w);
    }
}

/* -- Frames -------------------------------------------------------------------------------------------- */

static void declare_types(text *t)
{
    put_to(t,
           "%%1 = OpTypeVoid\n%%2 = OpTypeFunction %%1\n%%bool = OpTypeBool\n"
           "%%uint = OpTypeInt 32 0\n%%int = OpTypeInt 32 1\n%%four = OpConstant %%uint %d\n"
           "%%array = OpTypeArray %%uint %%four\n%%f_array = OpTypePointer Function %%array\n",
           ELEMENTS);
    for (type k = T_UINT; k <= T_BOOL; k++)
        if (k != T_FLOAT)
            put_to(t, "%%f_%s = OpTypePointer Function %%%s\n", type_names[k], type_names[k]);
}

static void fragment_head(text *t, const writer *w)
{
    put_to(t, "OpCapability Shader\n");
    if (w->kills)
        put_to(t, "OpCapability DemoteToHelperInvocationEXT\n"
                  "OpExtension \"SPV_EXT_demote_to_helper_invocation\"\n");
    put_to(t, "%%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n"
              "OpEntryPoint Fragment %%3 \"main\" %%coord %%at %%out0 %%out1 %%out2\n"
              "OpExecutionMode %%3 OriginUpperLeft\n"
              "OpDecorate %%coord BuiltIn FragCoord\nOpDecorate %%at Location 0\n"
              "OpDecorate %%Block Block\n"
              "OpDecorate %%block DescriptorSet 0\nOpDecorate %%block Binding 0\n");
    for (unsigned k = 0; k < FRONT_END_OUTPUTS; k++)
        put_to(t, "OpDecorate %%out%u Location %u\n", k, k);
    for (unsigned k = 0; k < (w->vectors ? 3 : FRONT_END_WORDS); k++)
        put_to(t, "OpMemberDecorate %%Block %u Offset %u\n", k, k * (w->vectors ? 16 : 4));
    for (unsigned k = 0; w->job->pushes && k < FRONT_END_BOUNDS; k++)
        put_to(t, "OpMemberDecorate %%Push %u Offset %u\n%s", k, k * 4, k ? "" : "OpDecorate %Push Block\n");
    declare_types(t);
    put_to(t, "%%float = OpTypeFloat 32\n%%f_float = OpTypePointer Function %%float\n"
              "%%v2float = OpTypeVector %%float 2\n");
    for (type k = T_UINT; k <= T_FLOAT; k++)
        put_to(t,
               "%%v4%s = OpTypeVector %%%s 4\n%%b_%s = OpTypePointer Uniform %%%s\n"
               "%%b_v4%s = OpTypePointer Uniform %%v4%s\n",
               type_names[k], type_names[k], type_names[k], type_names[k], type_names[k], type_names[k]);
    put_to(t, "%%Block = OpTypeStruct");
    for (unsigned k = 0; k < (w->vectors ? 3 : FRONT_END_WORDS); k++)
        put_to(t, w->vectors ? " %%v4%s" : " %%%s", type_names[word_type(w->vectors ? 4 * k : k)]);
    put_to(t, "\n%%b_Block = OpTypePointer Uniform %%Block\n%%block = OpVariable %%b_Block Uniform\n"
              "%%n_v4 = OpTypePointer Input %%v4float\n%%n_v2 = OpTypePointer Input %%v2float\n"
              "%%coord = OpVariable %%n_v4 Input\n%%at = OpVariable %%n_v2 Input\n"
              "%%o_float = OpTypePointer Output %%v4float\n%%o_uint = OpTypePointer Output %%v4uint\n");
    for (unsigned k = 0; k < FRONT_END_OUTPUTS; k++)
        put_to(t, "%%out%u = OpVariable %%o_%s Output\n", k, k == 1 ? "float" : "uint");
    if (w->job->pushes)
        put_to(t, "%%Push = OpTypeStruct %%uint %%uint %%uint %%uint\n"
                  "%%p_Push = OpTypePointer PushConstant %%Push\n%%push = OpVariable %%p_Push PushConstant\n"
                  "%%p_uint = OpTypePointer PushConstant %%uint\n");
}

static uint32_t extract(writer *w, const char *of, unsigned part)
{
    uint32_t id = fresh(w);
    put(w, "%%%u = OpCompositeExtract %%float %%%s %u\n", id, of, part);
    return id;
}

static void fragment_start(writer *w)
{
    put(w, "%%place = OpLoad %%v4float %%coord\n%%input = OpLoad %%v2float %%at\n");
    uint32_t x = unary(w, T_UINT, "ConvertFToU", extract(w, "place", 0));
    uint32_t y = unary(w, T_UINT, "ConvertFToU", extract(w, "place", 1));
    uint32_t pixel = binary(w, T_UINT, "IAdd", binary(w, T_UINT, "IMul", y, literal(w, 64)), x);
    uint32_t spread = binary(w, T_UINT, "IMul", pixel, literal(w, 747796405));
    w->hash = binary(w, T_UINT, "BitwiseXor", spread,
                     binary(w, T_UINT, "ShiftRightLogical", spread, literal(w, 13)));
    for (unsigned k = 0; k < 2; k++)
        w->input[k] = extract(w, "input", k);
}

static void four(writer *w, const char *part_type, unsigned out, const uint32_t parts[4])
{
    put(w, "%%result%u = OpCompositeConstruct %%v4%s %%%u %%%u %%%u %%%u\nOpStore %%out%u %%result%u\n", out,
        part_type, parts[0], parts[1], parts[2], parts[3], out, out);
}

static void fragment_end(writer *w)
{
    uint32_t ints[4], floats[4], others[4];
    for (unsigned k = 0; k < 4; k++) {
        ints[k] = load(w, T_UINT, w->u[k]);
        floats[k] = load(w, T_FLOAT, w->f[k]);
        uint32_t one = choose(w, T_UINT, load(w, T_BOOL, w->b[k]), literal(w, 77), literal(w, 0));
        uint32_t i = as(w, T_UINT, load(w, T_INT, w->i[k]));
        uint32_t a = load(w, T_UINT, element(w, w->array, literal(w, k)));
        others[k] = binary(w, T_UINT, "IAdd", binary(w, T_UINT, "BitwiseXor", i, a), one);
    }
    four(w, "uint", 0, ints);
    four(w, "float", 1, floats);
    four(w, "uint", 2, others);
}

static void lanes_head(text *t, const writer *w)
{
    bool fragment = w->job->frame == FRONT_END_LANES_FRAGMENT;
    put_to(t, "OpCapability Shader\n");
    if (fragment)
        put_to(t, "OpCapability DemoteToHelperInvocationEXT\n"
                  "OpExtension \"SPV_EXT_demote_to_helper_invocation\"\n"
                  "OpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %%3 \"main\"\n"
                  "OpExecutionMode %%3 OriginUpperLeft\n");
    else
        put_to(t,
               "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %%3 \"main\" %%13\n"
               "OpExecutionMode %%3 LocalSize %u 1 1\nOpDecorate %%13 BuiltIn GlobalInvocationId\n",
               w->job->local_size);
    put_to(t, "OpDecorate %%7 ArrayStride 4\nOpMemberDecorate %%8 0 Offset 0\nOpDecorate %%8 BufferBlock\n"
              "OpDecorate %%11 DescriptorSet 0\nOpDecorate %%11 Binding 0\n");
    declare_types(t);
    put_to(t, "%%6 = OpTypeVector %%uint 3\n%%7 = OpTypeRuntimeArray %%uint\n%%8 = OpTypeStruct %%7\n"
              "%%9 = OpTypePointer Uniform %%8\n%%10 = OpTypePointer Uniform %%uint\n"
              "%%11 = OpVariable %%9 Uniform\n");
    if (!fragment)
        put_to(t, "%%12 = OpTypePointer Input %%6\n%%13 = OpVariable %%12 Input\n");
}

/* `mine` and `shared` of program_spirv.h: pointers 14 and 15. */
static void lanes_start(writer *w)
{
    uint32_t lane = literal(w, 0);
    if (w->job->frame == FRONT_END_LANES) {
        uint32_t all = fresh(w);
        lane = fresh(w);
        put(w, "%%%u = OpLoad %%6 %%13\n%%%u = OpCompositeExtract %%uint %%%u 0\n", all, lane, all);
    }
    uint32_t base = binary(w, T_UINT, "IMul", lane, literal(w, 3));
    for (unsigned k = 0; k < 2; k++)
        put(w, "%%%u = OpAccessChain %%10 %%11 %%%u %%%u\n", 14 + k, literal(w, 0),
            binary(w, T_UINT, "IAdd", base, literal(w, k)));
    w->hash = load(w, T_UINT, 14);
}

static void lanes_end(writer *w)
{
    uint32_t sum = load(w, T_UINT, w->u[0]), other = as(w, T_UINT, load(w, T_INT, w->i[0]));
    for (unsigned k = 1; k < VARIABLES; k++) {
        uint32_t one = choose(w, T_UINT, load(w, T_BOOL, w->b[k]), literal(w, 77), literal(w, 0));
        sum = binary(w, T_UINT, "BitwiseXor", sum, load(w, T_UINT, w->u[k]));
        sum = binary(w, T_UINT, "IAdd", sum, one);
        other = binary(w, T_UINT, "BitwiseXor", other, as(w, T_UINT, load(w, T_INT, w->i[k])));
        other = binary(w, T_UINT, "IAdd", other, load(w, T_UINT, element(w, w->array, literal(w, k))));
    }
    store(w, 14, sum);
    store(w, 15, other);
}

static void set_variables(writer *w)
{
    w->array = fresh(w);
    put_to(&w->variables, "%%%u = OpVariable %%f_array Function\n", w->array);
    for (unsigned k = 0; k < VARIABLES; k++) {
        w->u[k] = variable(w, T_UINT);
        w->i[k] = variable(w, T_INT);
        w->b[k] = variable(w, T_BOOL);
        uint32_t own = binary(w, T_UINT, "ShiftRightLogical", w->hash, literal(w, 3 * k));
        store(w, w->u[k], own);
        store(w, w->i[k], as(w, T_INT, binary(w, T_UINT, "IAdd", own, literal(w, 5 + k))));
        store(w, w->b[k], constant(w, T_BOOL, k & 1));
        store(w, element(w, w->array, literal(w, k)), binary(w, T_UINT, "IMul", own, literal(w, 7 + k)));
        if (!has_floats(w))
            continue;
        w->f[k] = variable(w, T_FLOAT);
        store(w, w->f[k], k < 2 ? w->input[k] : number(w, 0.25f + (float)k));
    }
}

void front_end_make(front_end_shader *shader, const front_end_job *job)
{
    *shader = (front_end_shader){0};
    writer w = {.job = job,
                .shader = shader,
                .random = job->seed * UINT64_C(0x9e3779b97f4a7c15) + 7,
                .next = 100,
                .budget = job->statements,
                .uniform = true};
    bool fragment = job->frame == FRONT_END_FRAGMENT;
    draw(&w, 2);
    w.vectors = draw(&w, 2);
    w.kills = job->frame == FRONT_END_LANES_FRAGMENT || (fragment && draw(&w, 3) == 0);
    if (fragment)
        fragment_start(&w);
    else
        lanes_start(&w);
    set_variables(&w);
    bool early = draw(&w, 2);
    for (unsigned n = 0; early && n < FRONT_END_BOUNDS; n++)
        w.early[n] = bound_word(&w);
    loop_statement(&w);
    while (w.budget)
        statements(&w);
    if (fragment)
        fragment_end(&w);
    else
        lanes_end(&w);
    text all = {0};
    if (fragment)
        fragment_head(&all, &w);
    else
        lanes_head(&all, &w);
    const text parts[] = {w.constants, w.variables, w.body};
    for (unsigned k = 0; k < 3; k++) {
        if (k == 1)
            put_to(&all, "%%3 = OpFunction %%1 None %%2\n%%first = OpLabel\n");
        for (const char *at = parts[k].data; at && *at;) {
            int length = (int)(strchr(at, '\n') + 1 - at);
            put_to(&all, "%.*s", length, at);
            at += length;
        }
        free(parts[k].data);
    }
    put_to(&all, "OpReturn\nOpFunctionEnd\n");
    shader->text = all.data;
}

void front_end_finish(front_end_shader *shader)
{
    free(shader->text);
    shader->text = NULL;
}
