/* Counted reads: which words of a uniform block a loop's counter chooses among, and what is no such read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/analysis/values/counted_reads.h"
#include "compiler/analysis/values/word_sites.h"
#include "tests/support/assemble.h"

#define HEAD                                                                                                 \
    "#version 450\n"                                                                                         \
    "layout(local_size_x = 64) in;\n"                                                                        \
    "layout(std140, binding = 0) uniform P { uvec4 shape[4]; uint size; vec4 f[4]; ivec3 odd[5]; } p;\n"     \
    "layout(std430, binding = 1) buffer W { uint w[]; };\n"                                                  \
    "uint word(uint i) { return p.shape[i / 16u][(i & 15u) >> 2]; }\n"                                       \
    "void main() { uint lane = gl_GlobalInvocationID.x, x = lane;\n"

/* "18,19;20": words of the block, four a member or element, of each read in module order. */
static void expect(const char *body, const char *expected)
{
    char source[4096], text[1024] = "";
    uint32_t *words;
    size_t count, at = 0;
    wpg_module *module;
    wpg_arena arena;
    wpg_counted_read read;
    wpg_error err = {0};
    snprintf(source, sizeof source, "%s%s w[lane] = x; }\n", HEAD, body);
    if (!assemble_glsl(&words, &count, source, "comp", "vulkan1.1"))
        skip();
    assert_int_equal(wpg_module_parse(&module, words, count, &err), WPG_OK);
    wpg_arena_init(&arena);
    for (const wpg_inst *f = wpg_next_function(module->first); f; f = wpg_next_function(f->next)) {
        wpg_counters counters = {.module = module, .function = f, .arena = &arena};
        for (const wpg_inst *inst = f->next; wpg_in_function(inst); inst = inst->next) {
            if (!wpg_counted_read_of(&read, &counters, inst))
                continue;
            assert_true(!read.first_alone || read.count == 1);
            at += (size_t)snprintf(text + at, sizeof text - at, "%s", at ? ";" : "");
            for (uint32_t i = 0; i < read.count; i++) {
                const wpg_word_place *place = &read.places[i];
                assert_int_equal(place->count, 3);
                at += (size_t)snprintf(text + at, sizeof text - at, "%s%u", i ? "," : "",
                                       100 * place->indices[0] + 4 * place->indices[1] + place->indices[2]);
            }
        }
    }
    if (strcmp(text, expected) != 0)
        fail_msg("%s: \"%s\", not \"%s\"", body, text, expected);
    wpg_arena_finish(&arena);
    wpg_module_destroy(module);
    free(words);
}

static void finds_words(void **state)
{
    (void)state;
    expect("for (int i = 0; i < 2; i++) x /= p.shape[i].y;", "1,5");
    expect("for (int i = 0; i < 3; ++i) x /= p.shape[1][i];", "4,5,6");
    expect("for (uint i = 3u; i > 0u; i--) x /= p.shape[i][2];", "14,10,6");
    expect("for (int i = 2; i >= 0; i -= 2) x /= p.shape[1][i];", "6,4");
    expect("for (uint i = 1u; i != 5u; i += 2u) x /= p.shape[i].x;", "4,12");
    expect("for (int i = 0; i < 2; i++) { if (x == 7u) continue; x /= p.shape[i].x; }", "0,4");
    expect("for (int i = 0; i < 3; i++) x += uint(p.odd[i + 1].z);", "306,310,314");
    /* As Tint writes it: a byte's number, and no index past the end. */
    expect(
        "for (uint i = 0u; i < 2u; i++) { uint at = 24u + 4u * i; x /= p.shape[at / 16u][(at & 15u) >> 2]; }",
        "6,7");
    expect("for (int i = 0; i < 3; i++) x /= p.shape[i][i];", "0,5,10");
    expect("for (uint i = 0u; i < 2u; i++) x /= p.shape[min(i, 3u)].x;", "0,4");
    expect(
        "for (int i = 0; i < 2; i++) { x /= p.shape[i].x; for (int k = 1; k < 3; k++) x *= p.shape[k].w; }",
        "0,4;7,11");
}

static void finds_none(void **state)
{
    (void)state;
    expect("x /= p.shape[1].x;", "");                                                 /* constant */
    expect("for (int i = 0; i < 2; i++) x /= p.shape[lane & 3u].x;", "");             /* another number */
    expect("for (int i = 0; i < 2; i++) x /= p.shape[uint(i) + (lane & 1u)].x;", ""); /* and the counter */
    expect("for (uint i = lane; i < 3u; i++) x /= p.shape[i].x;", "");                /* any start */
    expect("for (uint i = 0u; i < 3u; i += p.size) x /= p.shape[i].x;", "");          /* any step */
    expect("for (uint i = 0u; i < 3u; i *= 2u) x /= p.shape[i].x;", "");              /* no step */
    expect("for (int i = 0; i < 5; i++) x /= p.shape[i].x;", "");                     /* past the end */
    expect("for (int i = 0; i < 4000; i++) x /= p.shape[i & 3].x;", "");              /* many trips */
    expect("for (int i = 0; i < 2; i++) x += uint(p.f[i].x);", "");                   /* floats */
    expect("for (int i = 0; i < 2; i++) for (int k = 0; k < 2; k++) x /= p.shape[i][k];", ""); /* two */
    expect("for (int i = 0; i < 2; i++) x /= word(uint(i));", ""); /* not inlined */
}

/* Of any number of trips, the first. */
static void finds_first(void **state)
{
    (void)state;
    expect("for (uint i = 0u; i < p.size; i++) x /= p.shape[i].x;", "0");
    expect("for (uint i = 1u; i <= p.size; i++) x /= p.shape[i >> 1][i & 1u];", "1");
    expect("for (int i = 0; i < int(p.size); i++) x += p.shape[i].y + p.shape[bitfieldExtract(i, 0, 2)].z;",
           "1;2");
    expect("int i = 0; while (true) { x /= p.shape[i & 1].x; if (x < 3u) break; i++; }", "0");
    expect("for (uint i = 4u; i < p.size; i++) x /= p.shape[i].x;", ""); /* past the end */
}

/* The sites of a kernel's first function. */
typedef struct listing {
    uint32_t *words;
    wpg_module *module;
    wpg_cfg *cfg;
    wpg_word_site *sites;
    uint32_t count;
} listing;

static void list_sites(listing *l, const char *source)
{
    size_t size;
    wpg_error err = {0};
    if (!assemble_glsl(&l->words, &size, source, "comp", "vulkan1.1"))
        skip();
    assert_int_equal(wpg_module_parse(&l->module, l->words, size, &err), WPG_OK);
    assert_int_equal(wpg_cfg_create(&l->cfg, l->module, wpg_first_function(l->module), &err), WPG_OK);
    assert_int_equal(wpg_word_sites(&l->sites, &l->count, l->cfg, &l->cfg->arena), WPG_OK);
}

static void drop_sites(listing *l)
{
    wpg_cfg_destroy(l->cfg);
    wpg_module_destroy(l->module);
    free(l->words);
}

/* They come last among the sites, and none twice. */
static void are_sites(void **state)
{
    (void)state;
    listing l;
    list_sites(&l, HEAD "for (uint i = 3u; i < p.size; i++) x /= p.shape[i].w;\n"
                        "for (int i = 0; i < 3; i++) x /= p.shape[1][i];\n"
                        "x += p.shape[1].y; for (int i = 0; i < 3; i++) x *= p.shape[i][2];\n"
                        "w[lane] = x + p.size; }\n");
    static const uint32_t expected[][2] = {{1, 1}, {1, 0}, {1, 2}, {0, 2}, {2, 2}, {3, 3}};
    /* size and shape[1].y; what counters choose among; a first trip's */
    assert_int_equal(l.count, 2 + 4 + 1);
    for (uint32_t i = 0; i < l.count; i++) {
        assert_int_equal(l.sites[i].counted, i >= 2);
        assert_int_equal(l.sites[i].type, WPG_VALUE_UINT);
        if (i == 0)
            continue;
        assert_int_equal(l.sites[i].place.indices[1], expected[i - 1][0]);
        assert_int_equal(l.sites[i].place.indices[2], expected[i - 1][1]);
        assert_int_equal(l.sites[i].component, WPG_NO_BLOCK); /* glslang loads components */
    }
    drop_sites(&l);
}

/* Where there are too many integers, those that decide a branch or an index have room behind all others. */
static void have_room(void **state)
{
    (void)state;
    listing l;
    char source[8192];
    size_t used = (size_t)snprintf(source, sizeof source,
                                   "#version 450\nlayout(local_size_x = 64) in;\n"
                                   "layout(std140, binding = 0) uniform P { uint p[40]; };\n"
                                   "layout(std430, binding = 1) buffer W { uint w[]; };\n"
                                   "void main() { uint x = gl_GlobalInvocationID.x; uint t[4];\n"
                                   "t[x & 3u] = x; t[~x & 3u] = 1u;\n");
    for (unsigned i = 0; i < 36; i++)
        used += (size_t)snprintf(source + used, sizeof source - used, "x += p[%u];\n", i);
    (void)snprintf(source + used, sizeof source - used,
                   "if (bitfieldExtract(p[36], 3, 2) == 1u) x *= 3u; x += p[37];\n"
                   "x += t[p[38] & 3u]; if (p[39] > x) x++; w[0] = x; }\n");
    list_sites(&l, source);
    assert_int_equal(l.count, WPG_MOST_INTEGER_SITES + 2);
    for (uint32_t i = 0; i < l.count; i++)
        assert_int_equal(l.sites[i].place.indices[1], i < WPG_MOST_INTEGER_SITES ? i
                                                      : i == l.count - 2         ? 36
                                                                                 : 38);
    drop_sites(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_words), cmocka_unit_test(finds_none), cmocka_unit_test(finds_first),
        cmocka_unit_test(are_sites),   cmocka_unit_test(have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
