/* What the profile tests share: a sample profile, comparison, scratch files, and the stock llvm-profdata
 * tools. The tools are LLVM_PROFDATA_<version> if set (as tests/setup.sh does), else llvm-profdata-<version>
 * of PATH. */
#ifndef WPG_TESTS_PROFILE_TEST_H
#define WPG_TESTS_PROFILE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/base/file.h"
#include "runtime/profile/profile_io.h"

#define SHADER_A "0123456789abcdef0123456789abcdef.comp.main"
#define SHADER_B "fedcba98765432100123456789abcdef.frag.main"

static char scratch[64];

static inline int make_scratch(void **state)
{
    (void)state;
    (void)snprintf(scratch, sizeof scratch, "/tmp/wavepgo-test-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static inline int remove_scratch(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    return system(command);
}

/* Path of a scratch file; static storage, four at a time. */
static inline const char *scratch_file(const char *name)
{
    static char paths[4][128];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

/* The command of that tool version, or NULL. */
static inline const char *find_profdata(int version)
{
    static char command[256];
    char variable[32], probe[300];
    (void)snprintf(variable, sizeof variable, "LLVM_PROFDATA_%d", version);
    const char *set = getenv(variable);
    if (set && *set)
        (void)snprintf(command, sizeof command, "%s", set);
    else
        (void)snprintf(command, sizeof command, "llvm-profdata-%d", version);
    (void)snprintf(probe, sizeof probe, "command -v '%s' >/dev/null 2>&1", command);
    return system(probe) == 0 ? command : NULL;
}

/* As find_profdata; says why and skips the test where it is absent. */
static inline const char *need_profdata(int version)
{
    const char *tool = find_profdata(version);
    if (!tool) {
        print_message("SKIPPED: llvm-profdata-%d is not installed\n", version);
        skip();
    }
    return tool;
}

/* For the part of a test that compares with the tool: NULL where it is absent, said aloud. */
static inline const char *optional_profdata(int version)
{
    const char *tool = find_profdata(version);
    if (!tool)
        print_message("SKIPPED IN PART: llvm-profdata-%d is not installed\n", version);
    return tool;
}

/* Runs a shell command; its stdout and stderr in a malloc'd string, its exit code must be 0. */
static inline char *run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline char *run(const char *fmt, ...)
{
    char command[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(command, sizeof command - 8, fmt, args);
    va_end(args);
    strcat(command, " 2>&1");
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t size = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    for (size_t got; (got = fread(text + size, 1, capacity - size - 1, pipe)) > 0;) {
        size += got;
        if (size + 1 == capacity)
            text = realloc(text, capacity *= 2);
    }
    text[size] = '\0';
    int code = pclose(pipe);
    if (code != 0)
        fail_msg("'%s' failed (%d):\n%s", command, code, text);
    return text;
}

static inline void write_bytes(const char *path, const void *data, size_t size)
{
    wpg_error err = {0};
    if (wpg_file_write_atomic(path, data, size, &err) != WPG_OK)
        fail_msg("%s", err.message);
}

#define must(expr)                                                                                           \
    do {                                                                                                     \
        wpg_error err = {0};                                                                                 \
        if ((expr) != WPG_OK)                                                                                \
            fail_msg("%s: %s", #expr, err.message);                                                          \
    } while (0)

static inline void save(const char *path, const wpg_profile *profile, wpg_profile_format format)
{
    must(wpg_profile_write_file(path, profile, format, &err));
}

static inline wpg_profile *load(const char *path)
{
    wpg_profile *profile = wpg_profile_create();
    must(wpg_profile_read_file(profile, NULL, path, &err));
    return profile;
}

/* Two shaders with records of several sizes, zeros, one huge counter, two functions of one name, value sites.
 */
static inline wpg_profile *sample_profile(void)
{
    wpg_profile *p = wpg_profile_create();
    const uint64_t lanes[] = {640, 320, 0, 77, UINT64_C(5000000000), 1};
    const uint64_t waves[] = {10, 10, 0, 3, 78125000, 1}, uniform[] = {10, 0, 0, 1, 78125000, 0};
    const uint64_t one[] = {921600}, values[] = {12, 34};
    const uint64_t a = UINT64_C(0x0123456789abcdef), b = 42;
    must(wpg_profile_add(p, SHADER_A "#waves", a, waves, 6, 1, &err));
    must(wpg_profile_add(p, SHADER_A "#lanes", a, lanes, 6, 1, &err));
    must(wpg_profile_add(p, SHADER_A "#uniform", a, uniform, 6, 1, &err));
    must(wpg_profile_add(p, SHADER_B "#lanes", b, one, 1, 1, &err));
    must(wpg_profile_add(p, SHADER_B "#lanes", a, lanes, 3, 1, &err));
    must(wpg_profile_add(p, SHADER_B ".fn1#lanes", WPG_PROFILE_HASH_MASK, lanes, 2, 1, &err));
    must(wpg_profile_add(p, SHADER_B "#values", b, values, 2, 1, &err));
    must(wpg_profile_reserve_sites(p, SHADER_B "#values", b, 4, &err));
    must(wpg_profile_add_value(p, SHADER_B "#values", b, 2, 7, 100, &err));
    must(wpg_profile_add_value(p, SHADER_B "#values", b, 0, 0, 5, &err));
    /* UINT64_MAX and the one below it are keys that LLVM's own sets cannot hold: llvm-profdata 19 and 22 warn
     */
    must(wpg_profile_add_value(p, SHADER_B "#values", b, 0, UINT64_MAX - 2, 3, &err));
    must(wpg_profile_add_value(p, SHADER_B "#values", b, 0, 16, 9, &err));
    must(wpg_profile_add_value(p, SHADER_A "#waves", a, 0, 1000, 2, &err));
    return p;
}

static inline void expect_equal(const wpg_profile *want, const wpg_profile *got)
{
    assert_int_equal(wpg_profile_count(got), wpg_profile_count(want));
    for (size_t i = 0; i < wpg_profile_count(want); i++) {
        const wpg_profile_record *a = wpg_profile_at(want, i), *b = wpg_profile_at(got, i);
        assert_string_equal(b->name, a->name);
        assert_true(b->func_hash == a->func_hash);
        assert_int_equal(b->counter_count, a->counter_count);
        for (size_t c = 0; c < a->counter_count; c++)
            if (a->counters[c] != b->counters[c])
                fail_msg("%s[%zu]: %llu, not %llu", a->name, c, (unsigned long long)b->counters[c],
                         (unsigned long long)a->counters[c]);
        if (a->site_count != b->site_count)
            fail_msg("%s: %zu value sites, not %zu", a->name, b->site_count, a->site_count);
        for (size_t s = 0; s < a->site_count; s++) {
            assert_int_equal(b->sites[s].count, a->sites[s].count);
            for (size_t v = 0; v < a->sites[s].count; v++) {
                assert_true(b->sites[s].pairs[v].value == a->sites[s].pairs[v].value);
                assert_true(b->sites[s].pairs[v].count == a->sites[s].pairs[v].count);
            }
        }
    }
}

/* A profile from what `llvm-profdata show --all-functions --counts --memop-sizes` prints. */
static inline wpg_profile *parse_show(const char *text)
{
    wpg_profile *p = wpg_profile_create();
    char name[256] = "";
    unsigned long long hash = 0, value, count;
    unsigned site, sites = 0;
    for (const char *line = text; line && *line;) {
        const char *end = strchr(line, '\n');
        int length = end ? (int)(end - line) : (int)strlen(line);
        if (length > 3 && strncmp(line, "  ", 2) == 0 && line[2] != ' ' && line[length - 1] == ':') {
            (void)snprintf(name, sizeof name, "%.*s", length - 3, line + 2);
            sites = 0;
        } else if (sscanf(line, " Hash: %llx", &hash) == 1) {
        } else if (sscanf(line, " Number of Memory Intrinsics Calls: %u", &sites) == 1) {
        } else if (strncmp(line, "    Block counts: [", 19) == 0) {
            uint64_t counters[64];
            size_t n = 0;
            for (const char *at = line + 19; *at != ']' && n < 64;) {
                char *next;
                counters[n++] = strtoull(at, &next, 10);
                at = *next == ',' ? next + 2 : next;
            }
            must(wpg_profile_add(p, name, hash, counters, n, 1, &err));
            must(wpg_profile_reserve_sites(p, name, hash, sites, &err));
        } else if (sscanf(line, "\t[ %u, %llu, %llu ]", &site, &value, &count) == 3) {
            must(wpg_profile_add_value(p, name, hash, site, value, count, &err));
        }
        line = end ? end + 1 : NULL;
    }
    return p;
}

/* What the tool shows of the file must be the profile. */
static inline void expect_shown(const char *tool, const char *path, const wpg_profile *want)
{
    char *text = run("'%s' show --all-functions --counts --memop-sizes '%s'", tool, path);
    assert_null(strstr(text, "warning"));
    wpg_profile *shown = parse_show(text);
    expect_equal(want, shown);
    wpg_profile_destroy(shown);
    free(text);
}

#endif
