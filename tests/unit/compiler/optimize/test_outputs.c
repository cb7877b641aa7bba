/* Outputs that nobody reads: which are taken off a stage, each rule that keeps one; what a stage reads. */
#include "tests/unit/compiler/optimize/use.h"

#define HEAD                                                                                                 \
    "#version 450\n"                                                                                         \
    "layout(location = 0) in vec4 place;\n"                                                                  \
    "layout(location = 1) in vec4 normal;\n"                                                                 \
    "layout(location = 0) out vec4 a;\n"                                                                     \
    "layout(location = 1) out vec4 b;\n"                                                                     \
    "layout(std140, binding = 2) uniform Params { mat4 m; int n; float f; } params;\n"
#define FRAGMENT                                                                                             \
    "#version 450\n"                                                                                         \
    "layout(location = 0) in vec4 a;\n"                                                                      \
    "layout(location = 1) in vec4 b;\n"                                                                      \
    "layout(location = 0) out vec4 colour;\n"                                                                \
    "layout(location = 1) out vec4 second;\n"                                                                \
    "layout(binding = 0) uniform sampler2D picture;\n"                                                       \
    "layout(std430, binding = 1) buffer Data { vec4 data[]; } memory;\n"

static wpg_output_use reading(uint32_t locations)
{
    wpg_output_use use = {.known = true};
    for (uint32_t i = 0; i < 32; i++)
        use.read[i] = locations >> i & 1 ? 15 : 0;
    return use;
}

/* Runs the pass on what compiles from `source`, whose outputs are read as `use` says. */
static void run(use_result *r, const char *source, const char *stage, SpvExecutionModel model,
                wpg_output_use use, bool keep_size)
{
    use_shader s;
    wpg_optimize_options options;
    use_glsl(&s, source, stage, model);
    use_normalize(&s);
    wpg_optimize_defaults(&options);
    options.outputs = use;
    options.keep_size = keep_size;
    strcpy(options.passes, "afsu");
    use_profile(&s);
    use_run(r, &s, &options, true);
    use_free(&s);
}

static void vertex(use_result *r, const char *source, uint32_t locations)
{
    run(r, source, "vert", SpvExecutionModelVertex, reading(locations), false);
}

static void goes(const char *source, uint32_t locations, const char *said)
{
    use_result r;
    vertex(&r, source, locations);
    use_expect(&r, WPG_REMARK_DONE, "outputs", said);
    assert_true(r.changed);
    assert_non_null(strstr(r.text, "OpTypePointer Private"));
    assert_non_null(strstr(r.text, "Location 1")); /* inputs still find it */
    use_done(&r);
}

static void stays(const char *source, uint32_t locations, const char *said)
{
    use_result r;
    vertex(&r, source, locations);
    if (*said)
        use_expect(&r, WPG_REMARK_REFUSED, "outputs", said);
    else
        assert_int_equal(use_said(&r, WPG_REMARK_REFUSED, "outputs", ""), 0);
    assert_int_equal(use_said(&r, WPG_REMARK_DONE, "outputs", ""), 0);
    assert_false(r.changed);
    use_done(&r);
}

#define STRAIGHT HEAD "void main() { a = place; b = sin(normal) * 3.0; gl_Position = params.m * place; }"

static void takes_what_nobody_reads(void **state)
{
    (void)state;
    goes(STRAIGHT, 1, "nobody reads the output at location 1");
    goes(STRAIGHT, 0, "location 0");
    stays(STRAIGHT, 3, "");
    /* What the shader itself reads of it is what it wrote. */
    goes(HEAD "void main() { b = normal; b.x = 2.0; a = b.yxzw; gl_Position = place; }", 1, "location 1");
}

static void asks_who_reads(void **state)
{
    (void)state;
    use_result r;
    wpg_output_use use = reading(0);
    use.known = false;
    run(&r, STRAIGHT, "vert", SpvExecutionModelVertex, use, false);
    assert_false(r.changed);
    use_done(&r);
    /* One component is enough; components of another location say nothing. */
    use = reading(1);
    use.read[1] = 8;
    run(&r, STRAIGHT, "vert", SpvExecutionModelVertex, use, false);
    assert_false(r.changed);
    use_done(&r);
#define PACKED                                                                                               \
    "#version 450\n"                                                                                         \
    "layout(location = 0) in vec4 place;\n"                                                                  \
    "layout(location = 1, component = 0) out vec2 a;\n"                                                      \
    "layout(location = 1, component = 2) out vec2 b;\n"                                                      \
    "void main() { a = place.xy; b = place.zw; gl_Position = place; }"
    use.read[1] = 3;
    run(&r, PACKED, "vert", SpvExecutionModelVertex, use, false);
    assert_int_equal(use_said(&r, WPG_REMARK_DONE, "outputs", "location 1"), 1);
    use_done(&r);
    use.read[1] = 2 | 4;
    run(&r, PACKED, "vert", SpvExecutionModelVertex, use, false);
    assert_false(r.changed);
    use_done(&r);
}

/* An array and a matrix take a location each element and column. */
static void counts_locations(void **state)
{
    (void)state;
#define WIDE                                                                                                 \
    "#version 450\n"                                                                                         \
    "layout(location = 0) in vec4 place;\n"                                                                  \
    "layout(location = 1) out mat3 a[2];\n"                                                                  \
    "void main() { a[0] = mat3(place.x); a[1] = mat3(place.y); gl_Position = place; }"
    use_result r;
    for (uint32_t at = 0; at < 9; at++) {
        vertex(&r, WIDE, UINT32_C(1) << at);
        assert_int_equal(r.changed, at < 1 || at > 6);
        use_done(&r);
    }
}

static void keeps_last_bits(void **state)
{
    (void)state;
    stays(HEAD "void main() { vec4 w = params.m * place; a = place; b = w; gl_Position = w; }", 1,
          "floats that it is made of are used elsewhere");
    stays(HEAD
          "void main() { float x = place.x * params.f; a = place; b = normal + x; gl_Position = place * x; }",
          1, "are used elsewhere");
    /* Through memory of the shader's own. */
    stays(HEAD "vec4 kept; void main() { kept = place * params.f; vec4 other[2]; other[0] = kept;\n"
               "other[params.n & 1] = normal; a = place; b = other[1]; gl_Position = kept; }",
          1, "are used elsewhere");
    /* Exact work is the same whoever uses it. */
    goes(HEAD "void main() { vec4 w = floor(place); a = w; b = w + 1.0; gl_Position = w; }", 1, "location 1");
    goes(HEAD "void main() { precise vec4 w = place * params.f; a = w; b = w; gl_Position = place; }", 1,
         "location 1");
}

static void keeps_branches_and_loops(void **state)
{
    (void)state;
    stays(HEAD "void main() { a = place; b = vec4(0); gl_Position = place;\n"
               "if (params.n > 3) { b = sin(normal); gl_Position = place * params.f; } }",
          1, "floats are computed beside it in a branch or loop");
    stays(HEAD "void main() { a = place; vec4 sum = vec4(0), other = vec4(0);\n"
               "for (int i = 0; i < params.n; i++) { sum += normal; other += place; }\n"
               "b = sum; gl_Position = other; }",
          1, "floats are computed beside it in a branch or loop");
    /* The branch goes with it: what decides it loses a user. */
    stays(HEAD
          "void main() { float x = place.x * params.f; a = place; b = vec4(0); gl_Position = place * x;\n"
          "if (x > 0.0) b = sin(normal); }",
          1, "are used elsewhere");
    goes(HEAD "void main() { a = place; b = vec4(0); if (params.n > 3) b = sin(normal); gl_Position = place "
              "* params.f; }",
         1, "location 1");
    goes(HEAD "void main() { a = place; vec4 sum = vec4(0);\n"
              "for (int i = 0; i < params.n; i++) sum += normal; b = sum; gl_Position = place * params.f; }",
         1, "location 1");
}

/* An output that stays keeps others: what it is made of is used. */
static void judges_together(void **state)
{
    (void)state;
    const char *source =
        HEAD "void main() { vec4 w = sin(normal), x = w * 2.0; a = w; b = x; gl_Position = x; }";
    use_result r;
    vertex(&r, source, 0);
    use_expect(&r, WPG_REMARK_REFUSED, "outputs", "location 0 stays");
    use_expect(&r, WPG_REMARK_REFUSED, "outputs", "location 1 stays");
    assert_false(r.changed);
    use_done(&r);
    goes(HEAD "void main() { vec4 w = sin(normal); a = w; b = w * 2.0; gl_Position = place; }", 0,
         "location 0");
}

static void leaves_alone(void **state)
{
    (void)state;
    use_result r;
    stays("#version 450\n"
          "layout(location = 0) in vec4 place;\n"
          "layout(location = 1) out Block { vec4 b; } block;\n"
          "void main() { block.b = place; gl_Position = place; }",
          0, "");
    stays("#version 450\n"
          "layout(location = 0) in vec4 place;\n"
          "layout(xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16, location = 1) out vec4 b;\n"
          "void main() { b = place; gl_Position = place; }",
          0, "");
    stays("#version 450\n"
          "layout(location = 0) in vec4 place;\n"
          "layout(location = 1) invariant out vec4 b;\n"
          "void main() { b = place; gl_Position = place; }",
          0, "");
    /* A driver that compiles large stages with branches otherwise. */
    const char *branches = HEAD
        "void main() { a = place; b = vec4(0); if (params.n > 3) b = sin(normal); gl_Position = place; }";
    run(&r, branches, "vert", SpvExecutionModelVertex, reading(1), true);
    use_expect(&r, WPG_REMARK_REFUSED, "outputs", "compiles large stages with branches otherwise");
    assert_false(r.changed);
    use_done(&r);
    run(&r, STRAIGHT, "vert", SpvExecutionModelVertex, reading(1), true);
    assert_true(r.changed);
    use_done(&r);
}

/* -- Fragment stages */

static void takes_colours(void **state)
{
    (void)state;
    use_result r;
    const char *source = FRAGMENT "void main() { colour = a; second = sin(b); if (a.x < 0.5) discard; }";
    run(&r, source, "frag", SpvExecutionModelFragment, reading(1), false);
    use_expect(&r, WPG_REMARK_DONE, "outputs", "location 1");
    assert_non_null(strstr(r.text, "OpKill"));
    use_done(&r);
    /* A store to nowhere is no work. */
    run(&r, source, "frag", SpvExecutionModelFragment, reading(2), false);
    use_expect(&r, WPG_REMARK_REFUSED, "outputs", "nothing is computed for it alone");
    assert_false(r.changed);
    use_done(&r);
    /* Depth and memory stay. */
    run(&r, FRAGMENT "void main() { colour = sin(a); second = b; gl_FragDepth = a.x; memory.data[0] = b; }",
        "frag", SpvExecutionModelFragment, reading(0), false);
    assert_int_equal(use_said(&r, WPG_REMARK_DONE, "outputs", ""), 1);
    assert_int_equal(use_occurrences(&r, "OpStore"), 4);
    use_done(&r);
}

static void reads_of(wpg_output_use *use, const char *source, uint32_t targets)
{
    use_shader s;
    wpg_module *module = NULL;
    wpg_error err = {0};
    const wpg_output_use outputs = reading(targets);
    use_glsl(&s, source, "frag", SpvExecutionModelFragment);
    use_normalize(&s);
    assert_int_equal(wpg_module_parse(&module, s.words, s.count, &err), WPG_OK);
    assert_int_equal(wpg_inputs_read(use, module, &outputs, &err), WPG_OK);
    assert_true(use->known);
    wpg_module_destroy(module);
    use_free(&s);
}

static void tells_what_is_read(void **state)
{
    (void)state;
    wpg_output_use use;
    reads_of(&use, FRAGMENT "void main() { colour = a; second = b; }", 3);
    assert_int_equal(use.read[0], 15);
    assert_int_equal(use.read[1], 15);
    reads_of(&use, FRAGMENT "void main() { colour = a; second = b; }", 1);
    assert_int_equal(use.read[1], 0);
    /* As front ends do: every input is loaded, one is used. */
    reads_of(&use,
             FRAGMENT "vec4 f(vec4 p, vec4 q) { return p; } void main() { vec4 q = b; colour = f(a, q); }",
             3);
    assert_int_equal(use.read[0], 15);
    assert_int_equal(use.read[1], 0);
    /* Branches, discards and memory are effects. */
    reads_of(&use, FRAGMENT "void main() { if (b.x > 0.0) discard; }", 0);
    assert_int_equal(use.read[1], 15);
    reads_of(&use, FRAGMENT "void main() { memory.data[0] = b; }", 0);
    assert_int_equal(use.read[1], 15);
    /* By a pointer of its own. */
    reads_of(&use, FRAGMENT "void main() { colour = interpolateAtCentroid(b); }", 1);
    assert_int_equal(use.read[1], 15);
    /* Coordinates of a sample may be anything; an index may not, though the result is of no use. */
    reads_of(&use, FRAGMENT "void main() { second = texture(picture, b.xy); }", 1);
    assert_int_equal(use.read[1], 0);
    reads_of(&use, FRAGMENT "void main() { second = memory.data[int(b.x)]; }", 1);
    assert_int_equal(use.read[1], 15);
    reads_of(&use, FRAGMENT "void main() { second = texelFetch(picture, ivec2(b.xy), 0); }", 1);
    assert_int_equal(use.read[1], 15);
    reads_of(&use, FRAGMENT "void main() { second = vec4(7 / int(b.x)); }", 1);
    assert_int_equal(use.read[1], 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_what_nobody_reads),
        cmocka_unit_test(asks_who_reads),
        cmocka_unit_test(counts_locations),
        cmocka_unit_test(keeps_last_bits),
        cmocka_unit_test(keeps_branches_and_loops),
        cmocka_unit_test(judges_together),
        cmocka_unit_test(leaves_alone),
        cmocka_unit_test(takes_colours),
        cmocka_unit_test(tells_what_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
