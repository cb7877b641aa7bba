/* The bytes of a kernel that counts itself are what its assembly says, instruction by instruction: what
 * test_generate reads in the text (each block counted once, and nothing else in those registers) holds of the
 * code object. */
#include <ctype.h>
#include <glob.h>

#include "compiler/amdgpu/counters/generate.h"
#include "tests/unit/compiler/amdgpu/disassembly.h"
#include "tests/support/effort.h"

/* One instruction of the assembly: its text from the mnemonic on, to the end of the line or a comment. */
typedef struct reader {
    const char *at;
    bool ours; /* in inline assembly, which is written as people do */
} reader;

static bool next_line(reader *r, char line[DISASSEMBLED_LINE])
{
    while (*r->at) {
        const char *begin = r->at, *end = begin + strcspn(begin, "\n");
        r->at = end + (*end == '\n');
        const char *text = begin + strspn(begin, " \t");
        if (strncmp(begin, ".Lfunc_end", 10) == 0 || strncmp(text, ".section", 8) == 0)
            return false;
        r->ours = strncmp(text, ";;#ASMSTART", 11) == 0 ? true
                  : strncmp(text, ";;#ASMEND", 9) == 0  ? false
                                                        : r->ours;
        if (!islower((unsigned char)*text) || *begin == '.' || memchr(text, ':', strcspn(text, " \t;\n")))
            continue;
        size_t length = strcspn(text, ";\n");
        while (length && isspace((unsigned char)text[length - 1]))
            length--;
        (void)snprintf(line, DISASSEMBLED_LINE, "%.*s", (int)length, text);
        return true;
    }
    return false;
}

static reader open_assembly(const wpg_amdgpu_code *code)
{
    char label[96];
    (void)snprintf(label, sizeof label, "\n%s:", code->kernel);
    const char *at = strstr(code->assembly, label);
    assert_non_null(at);
    return (reader){at + strcspn(at + 1, "\n") + 1, false};
}

/* What gfx12 calls it. */
static bool renamed(const char *a, size_t n, const char *b, size_t m)
{
    static const char *const names[][2] = {
        {"s_add_u32", "s_add_co_u32"},      {"s_addc_u32", "s_add_co_ci_u32"},
        {"s_sub_u32", "s_sub_co_u32"},      {"s_subb_u32", "s_sub_co_ci_u32"},
        {"s_ff1_i32_b32", "s_ctz_i32_b32"}, {"s_ff1_i32_b64", "s_ctz_i32_b64"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i][0]) == n && strncmp(names[i][0], a, n) == 0 && strlen(names[i][1]) == m &&
            strncmp(names[i][1], b, m) == 0)
            return true;
    return false;
}

/* Mnemonics, but for the encoding that people leave to the assembler. */
static bool same_name(const char *a, const char *b, bool ours)
{
    size_t n = strcspn(a, " \t"), m = strcspn(b, " \t");
    if (ours && m > 4 && n + 4 == m && (strncmp(b + n, "_e32", 4) == 0 || strncmp(b + n, "_e64", 4) == 0))
        m = n;
    return (n == m && strncmp(a, b, n) == 0) || (ours && renamed(a, n, b, m));
}

/* The registers in a line, one behind the other. */
static void registers(char out[DISASSEMBLED_LINE], const char *line)
{
    size_t n = 0;
    for (const char *at = line + strcspn(line, " \t"); *at; at++) {
        bool begins = !isalnum((unsigned char)at[-1]) && at[-1] != '_';
        bool is_one =
            begins &&
            (((*at == 's' || *at == 'v') && (at[1] == '[' || isdigit((unsigned char)at[1]))) ||
             strncmp(at, "exec", 4) == 0 || strncmp(at, "vcc", 3) == 0 || strncmp(at, "m0", 2) == 0);
        if (!is_one)
            continue;
        size_t length = at[1] == '[' ? strcspn(at, "]") + 1 : strcspn(at, ", \t");
        assert_true(n + length + 2 < DISASSEMBLED_LINE);
        memcpy(out + n, at, length);
        n += length;
        out[n++] = ' ';
        at += length - 1;
    }
    out[n] = '\0';
}

/* White space apart. */
static bool same_text(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " \t");
        b += strspn(b, " \t");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

/* A scalar load without an offset, which gfx10 on encodes by the register that is none. */
static bool same_load(const char *text, const char *bytes)
{
    size_t n = strlen(text), m = strlen(bytes);
    return strncmp(text, "s_load", 6) == 0 && n > 5 && m > 6 && n == m - 1 &&
           strcmp(text + n - 5, ", 0x0") == 0 && strcmp(bytes + m - 6, ", null") == 0 &&
           strncmp(text, bytes, n - 5) == 0;
}

/* Halves of registers, which the disassembler names a second time. */
static bool same_halves(const char *text, const char *bytes)
{
    size_t n = strlen(text);
    return strncmp(text, bytes, n) == 0 && strncmp(bytes + n, " op_sel:", 8) == 0;
}

/* `text` of the assembly, `bytes` disassembled. */
static bool agree(const char *text, const char *bytes, bool ours)
{
    char a[DISASSEMBLED_LINE], b[DISASSEMBLED_LINE];
    if (!same_name(text, bytes, ours))
        return false;
    if (strncmp(text, "s_branch", 8) == 0 || strncmp(text, "s_cbranch", 9) == 0) /* to a label, and so far */
        return true;
    if (!ours)
        return same_text(text, bytes) || same_load(text, bytes) || same_halves(text, bytes);
    registers(a, text);
    registers(b, bytes);
    return strcmp(a, b) == 0;
}

typedef struct totals {
    unsigned kernels, instructions, ours, counters;
} totals;

static void check(totals *all, amd_shader *s, const struct amd_target *target, wpg_amdgpu_abi abi)
{
    const wpg_amdgpu_options options = {
        .gpu = target->gpu, .wave_size = target->wave, .abi = abi, .assembly = true};
    const wpg_counter_options counters = {.lanes = true, .uniform = true};
    wpg_counter_table table;
    wpg_amdgpu_code *code;
    wpg_error err = {0};
    char line[DISASSEMBLED_LINE];
    unsigned by_register[128] = {0}, counted = 0;
    disassembly d;
    if (wpg_amdgpu_generate(&code, &table, s->module, &s->stage, &options, &counters, &err) != WPG_OK)
        fail_msg("%s, %s: %s", s->entry, target->gpu, err.message);
    disassemble(&d, code, target->gpu, abi);
    reader r = open_assembly(code);
    size_t at = 0;
    for (; next_line(&r, line); at++) {
        unsigned a, b;
        int end = 0;
        if (at >= d.count || !agree(line, d.lines[at], r.ours))
            fail_msg("%s, %s wave%u, instruction %zu: '%s' in the assembly, '%s' in the bytes", s->entry,
                     target->gpu, target->wave, at, line, at < d.count ? d.lines[at] : "nothing");
        all->ours += r.ours;
        /* The waves of blocks: each register goes up by one at one place. */
        if ((sscanf(d.lines[at], "s_add_u32 s%u, s%u, 1%n", &a, &b, &end) == 2 ||
             sscanf(d.lines[at], "s_add_co_u32 s%u, s%u, 1%n", &a, &b, &end) == 2) &&
            end && !d.lines[at][end] && a == b && a >= 44 && a < 128)
            by_register[a]++;
    }
    for (; at < d.count; at++) /* what aligns the end */
        assert_true(strncmp(d.lines[at], "s_nop", 5) == 0 || strncmp(d.lines[at], "s_code_end", 10) == 0);
    for (unsigned i = 0; i < 128; i++) {
        assert_true(by_register[i] <= 1);
        counted += by_register[i];
    }
    unsigned in_registers = 0;
    for (uint32_t b = 0; b < table.block_count; b++)
        in_registers += table.how[b] == WPG_COUNTED_IN_REGISTERS;
    assert_int_equal(counted, in_registers);
    all->kernels++;
    all->instructions += (unsigned)d.count;
    all->counters += counted;
    disassembly_free(&d);
    wpg_amdgpu_code_destroy(code);
    wpg_counter_table_finish(&table);
}

static void bytes_are_the_assembly(void **state)
{
    glob_t found;
    totals all = {0};
    (void)state;
    if (glob(WPG_BINARY_DIR "/shaders/*.comp.spv", 0, NULL, &found) != 0) {
        print_message("no shaders were built\n");
        skip();
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        amd_shader s;
        amd_open_file(&s, found.gl_pathv[i]);
        for (unsigned t = 0; t < AMD_TARGETS; t++)
            if (effort_pair(i, t, AMD_TARGETS, 3))
                check(&all, &s, &amd_targets[t], t % 3 == 2 ? WPG_AMDGPU_PAL : WPG_AMDGPU_HSA);
        amd_close(&s);
    }
    globfree(&found);
    print_message("%u kernels, %u instructions, %u of counters' own, %u blocks in registers\n", all.kernels,
                  all.instructions, all.ours, all.counters);
    assert_true(all.counters > 100 && all.ours > all.counters);
}

/* The comparison sees what it should. */
static void differences_are_seen(void **state)
{
    (void)state;
    assert_true(agree("s_add_u32 s44, s44, 1", "s_add_u32 s44, s44, 1", true));
    assert_false(agree("s_add_u32 s44, s44, 1", "s_add_u32 s45, s45, 1", true));
    assert_false(agree("s_add_u32 s44, s44, 1", "s_addc_u32 s44, s44, 1", true));
    assert_true(agree("v_mov_b32 v1, 0", "v_mov_b32_e32 v1, 0", true));
    assert_false(agree("v_mov_b32 v1, 0", "v_mov_b32_e32 v1, 0", false));
    assert_false(agree("v_mov_b32_e32 v1, s2", "v_mov_b32_e32 v1, s44", false));
    assert_false(agree("s_mov_b64 s[40:41], exec", "s_mov_b64 s[40:41], vcc", true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(differences_are_seen),
                                       cmocka_unit_test(bytes_are_the_assembly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
