/* Counters as they stand in the assembly of every compute shader, for every target. With arguments: prints
 * what counting costs these modules. */
#include <elf.h>
#include <glob.h>
#include <unistd.h>

#include "tests/unit/compiler/amdgpu/amdgpu_test.h"
#include "tests/unit/compiler/amdgpu/counter_check.h"
#include "tests/support/effort.h"

/* -- Right on everything ------------------------------------------------------------------------------- */

static wpg_amdgpu_code *generated(wpg_counter_table *table, const amd_shader *s, const char *name,
                                  const wpg_amdgpu_options *options, const wpg_counter_options *counters)
{
    wpg_amdgpu_code *code;
    wpg_error err = {0};
    if (wpg_amdgpu_generate(&code, table, s->module, &s->stage, options, counters, &err) == WPG_OK)
        return code;
    fail_msg("%s, %s wave%u: %s", name, options->gpu, options->wave_size, err.message);
    return NULL;
}

static void check_table(const wpg_counter_table *table, const wpg_amdgpu_code *code,
                        const wpg_counter_options *counters)
{
    uint32_t kinds = 1u + counters->lanes + counters->uniform;
    bool seen = false;
    assert_int_equal(table->block_count, code->blocks);
    assert_int_equal(table->count, table->block_count * kinds);
    assert_true(table->checksum >> 60 == 0 && table->checksum != 0);
    for (uint32_t b = 0; b < table->block_count; b++)
        seen |= table->how[b] == WPG_COUNTED_IN_MEMORY;
    if (!seen)
        assert_int_equal(table->registers, table->count);
}

static const Elf64_Shdr *section_named(const wpg_amdgpu_code *code, const char *name)
{
    const Elf64_Ehdr *head = (const void *)code->elf;
    const Elf64_Shdr *sections = (const void *)(code->elf + head->e_shoff);
    const char *names = (const char *)code->elf + sections[head->e_shstrndx].sh_offset;
    for (unsigned i = 0; i < head->e_shnum; i++)
        if (strcmp(names + sections[i].sh_name, name) == 0)
            return &sections[i];
    return NULL;
}

static void check_bounds(const wpg_counter_table *table, const wpg_amdgpu_code *code)
{
    wpg_counter_bounds bounds;
    const Elf64_Shdr *section = section_named(code, ".wpg_counters");
    assert_non_null(section);
    assert_int_equal(section->sh_size, sizeof bounds);
    memcpy(&bounds, code->elf + section->sh_offset, sizeof bounds);
    assert_true(bounds.checksum == table->checksum);
    assert_int_equal(bounds.first, 0);
    assert_int_equal(bounds.count, table->count);
    assert_int_equal(bounds.block_count, table->block_count);
    for (unsigned kind = 0; kind < 3; kind++)
        assert_int_equal(bounds.kinds >> kind & 1, table->has[kind]);
    assert_string_equal(bounds.kernel, code->kernel);
}

static void check_one(const amd_shader *s, const char *name, const struct amd_target *target,
                      wpg_amdgpu_abi abi, const wpg_counter_options *counters)
{
    char why[200] = "";
    wpg_counter_table table;
    wpg_amdgpu_options options = {
        .gpu = target->gpu, .wave_size = target->wave, .abi = abi, .assembly = true};
    wpg_amdgpu_code *code = generated(&table, s, name, &options, counters);
    check_table(&table, code, counters);
    check_bounds(&table, code);
    if (!counters_are_right(code->assembly, code->kernel, &table, why))
        fail_msg("%s, %s wave%u: %s", name, target->gpu, target->wave, why);
    if (target->gpu[3] == '9') /* where the descriptor says how many there are, these are in it */
        assert_true(code->figures.sgprs >= 44 + table.registers + 2);
    wpg_counter_table_finish(&table);
    wpg_amdgpu_code_destroy(code);
}

/* The n-th shader: every day on some of the targets, at night on all. */
static void check_everywhere(const char *path, size_t n)
{
    amd_shader s;
    const char *name = strrchr(path, '/') + 1;
    const wpg_counter_options all = {.lanes = true, .uniform = true}, waves = {.lanes = false},
                              few = {.lanes = true, .accumulators = 5},
                              none = {.uniform = true, .accumulators = 1};
    amd_open_file(&s, path);
    for (unsigned i = 0; i < AMD_TARGETS; i++) {
        if (!effort_pair(n, i, AMD_TARGETS, 2))
            continue;
        check_one(&s, name, &amd_targets[i], WPG_AMDGPU_HSA, &all);
        check_one(&s, name, &amd_targets[i], i % 2 ? WPG_AMDGPU_PAL : WPG_AMDGPU_HSA, i % 3 ? &few : &waves);
    }
    for (unsigned i = 0; i < 4; i++)
        if (effort_pair(n, i, 4, 1))
            check_one(&s, name, &amd_targets[i < 2 ? 0 : 2 * i], i ? WPG_AMDGPU_PAL : WPG_AMDGPU_HSA,
                      i ? &all : &none);
    amd_close(&s);
}

static void every_block_once(void **state)
{
    glob_t found;
    (void)state;
    if (glob(WPG_BINARY_DIR "/shaders/*.comp.spv", 0, NULL, &found) != 0) {
        print_message("no shaders were built\n");
        skip();
    }
    assert_true(found.gl_pathc >= 10);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_everywhere(found.gl_pathv[i], i);
    globfree(&found);
}

/* All cases of the switch are there: what it would lead to otherwise is no block. */
static void no_block_that_nothing_leads_to(void **state)
{
    amd_shader s;
    const wpg_counter_options few = {.lanes = true, .uniform = true, .accumulators = 1};
    (void)state;
    amd_open_glsl(
        &s,
        "#version 450\nlayout(local_size_x = 64) in;\n"
        "layout(set = 0, binding = 0) buffer B { uint d[]; } b;\n"
        "void main() { uint i = gl_GlobalInvocationID.x, n = b.d[i]; uint a = i;\n"
        "for (uint k = 0u; k < 3u; k++) for (uint j = 0u; j < (n & 3u) + 1u; j++) {\n"
        "switch (a >> j & 3u) { case 2u: a ^= 8u; case 3u: a += 11u; break; case 1u: continue; } a += j; }\n"
        "b.d[i] = a; }\n");
    for (unsigned i = 0; i < AMD_TARGETS; i++)
        check_one(&s, "switch", &amd_targets[i], WPG_AMDGPU_HSA, &few);
    amd_close(&s);
}

/* -- Keys ---------------------------------------------------------------------------------------------- */

#define LOOP                                                                                                 \
    "#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) buffer B { uint d[]; } b;\n"  \
    "void main() { uint i = gl_GlobalInvocationID.x, n = b.d[i]; uint a = i;\n"                              \
    "for (uint k = 0; k < n; k++) { a = a * 3u + k; if ((a & 8u) != 0u) a ^= b.d[a & 63u]; }\n"
#define END "b.d[i] = a; }\n"

/* The graph is the key: the same on every GPU and for either ABI, another for another graph. */
static void checksums(void **state)
{
    amd_shader a, b;
    wpg_counter_table first = {0}, table;
    const wpg_counter_options counters = {.lanes = true};
    (void)state;
    amd_open_glsl(&a, LOOP END);
    amd_open_glsl(&b, LOOP "if (a > 77u) b.d[a & 31u] = 3u;\n" END);
    for (unsigned i = 0; i < AMD_TARGETS; i++) {
        wpg_amdgpu_options options = {.gpu = amd_targets[i].gpu, .wave_size = amd_targets[i].wave};
        wpg_amdgpu_code_destroy(generated(&table, &a, "a", &options, &counters));
        if (i == 0)
            first = table;
        else {
            assert_true(table.checksum == first.checksum);
            wpg_counter_table_finish(&table);
        }
    }
    wpg_amdgpu_options options = {.gpu = "gfx1100"};
    wpg_amdgpu_code_destroy(generated(&table, &b, "b", &options, &counters));
    assert_true(table.checksum != first.checksum);
    wpg_counter_table_finish(&table);
    wpg_counter_table_finish(&first);
    amd_close(&a);
    amd_close(&b);
}

/* Past the registers go the blocks outside of loops. */
static void hot_blocks_get_registers(void **state)
{
    amd_shader s;
    wpg_counter_table table;
    const wpg_counter_options counters = {.accumulators = 1};
    wpg_amdgpu_options options = {.gpu = "gfx1100", .ir = true};
    (void)state;
    amd_open_glsl(&s, LOOP END);
    wpg_amdgpu_code *code = generated(&table, &s, "loop", &options, &counters);
    assert_true(table.block_count > 3);
    assert_int_equal(table.how[0], WPG_COUNTED_IN_MEMORY);
    assert_int_equal(table.how[table.block_count - 1], WPG_COUNTED_IN_MEMORY);
    assert_int_equal(table.registers, 1);
    assert_int_equal(table.loops, 1);
    assert_non_null(strstr(code->ir, "\"amdgpu-num-sgpr\"=\"40\""));
    wpg_amdgpu_code_destroy(code);
    wpg_counter_table_finish(&table);
    amd_close(&s);
}

static void slots(void **state)
{
    uint64_t array[6] = {1, 2, 3, 4, 5, 6};
    wpg_amdgpu_counts counts;
    wpg_counter_table table = {.checksum = 9, .block_count = 2, .has = {true, false, true}, .count = 4};
    (void)state;
    assert_int_equal(wpg_counter_slot(&table, WPG_COUNT_WAVES, 1), 1);
    assert_true(wpg_counter_slot(&table, WPG_COUNT_LANES, 0) == UINT32_MAX);
    assert_int_equal(wpg_counter_slot(&table, WPG_COUNT_UNIFORM, 1), 3);
    assert_true(wpg_counter_slot(&table, WPG_COUNT_UNIFORM, 2) == UINT32_MAX);
    wpg_counters_view(&counts, &table, array);
    assert_true(counts.waves == array && !counts.lanes && counts.uniform == array + 2);
    assert_true(counts.checksum == 9 && counts.block_count == 2);
}

/* -- Per lane ------------------------------------------------------------------------------------------ */

static unsigned times(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

static void lanes_before_structurising(void **state)
{
    amd_shader s;
    (void)state;
    amd_open_glsl(&s, LOOP END);
    for (unsigned i = 0; i < AMD_TARGETS; i++)
        for (int placement = WPG_PLACE_LANE; placement <= WPG_PLACE_LANE_MEMORY; placement++) {
            char why[200] = "";
            wpg_counter_table table;
            const wpg_counter_options counters = {.placement = (wpg_counter_placement)placement};
            wpg_amdgpu_options options = {
                .gpu = amd_targets[i].gpu, .wave_size = amd_targets[i].wave, .ir = true, .assembly = true};
            wpg_amdgpu_code *code = generated(&table, &s, "loop", &options, &counters);
            assert_true(table.has[WPG_COUNT_LANES] && !table.has[WPG_COUNT_WAVES] &&
                        !table.has[WPG_COUNT_UNIFORM]);
            assert_int_equal(table.count, table.block_count);
            assert_int_equal(table.how[0], WPG_COUNTED_PER_LANE);
            assert_int_equal(times(code->ir, "atomicrmw add"), table.block_count);
            assert_null(strstr(code->ir, "alloca"));
            assert_non_null(strstr(code->assembly, "atomic_add"));
            check_bounds(&table, code);
            /* Negative control: values of LLVM's are no counters of waves. */
            wpg_counter_table waves = table;
            waves.has[WPG_COUNT_WAVES] = true;
            waves.has[WPG_COUNT_LANES] = false;
            waves.how = calloc(table.block_count, 1);
            waves.flushes = 1;
            assert_false(counters_are_right(code->assembly, code->kernel, &waves, why));
            assert_non_null(strstr(why, "counted 0 times"));
            free(waves.how);
            wpg_counter_table_finish(&table);
            wpg_amdgpu_code_destroy(code);
        }
    amd_close(&s);
}

/* -- What the checker must refuse ---------------------------------------------------------------------- */

/* `assembly` with `insert` put before the n-th line that starts with `line`, that line left out if `without`.
 */
static char *changed(const char *assembly, const char *line, const char *insert, bool without)
{
    char *made = malloc(strlen(assembly) + strlen(insert) + 2);
    const char *at = strstr(assembly, line);
    assert_non_null(made);
    assert_non_null(at);
    const char *rest = without ? strchr(at, '\n') + 1 : at;
    (void)sprintf(made, "%.*s%s%s", (int)(at - assembly), assembly, insert, rest);
    return made;
}

static void wrong_code_is_seen(void **state)
{
    static const struct {
        const char *line, *insert, *why;
        bool without;
    } cases[] = {
        {"s_add_u32 s44, s44, 1\n", "", "counted 0 times", true},
        {"s_add_u32 s44, s44, 1\n", "s_add_u32 s44, s44, 1\n", "counted 2 times", false},
        {"v_writelane_b32 v0, s44, 0\n", "", "flushed 0 times", true},
        {"s_mov_b32 s45, 0\n", "", "zeroed 1 times", true},
        {".Lwpg_epoch:\n", "", "0 epochs", true},
        {"\ts_endpgm\n", "", "0 ends", true},
        {"\ts_endpgm\n", "\ts_mov_b32 s77, 0\n", "not ours: s_mov_b32 s77", false},
        {"\ts_endpgm\n", "\ts_load_b256 s[36:43], s[0:1], 0x0\n", "not ours: s_load_b256", false},
        {"\ts_endpgm\n", "\tv_cndmask_b32_e64 v0, v1, v2, s[40:41]\n", "not ours: v_cndmask", false},
    };
    amd_shader s;
    char why[200] = "";
    wpg_counter_table table;
    const wpg_counter_options counters = {.lanes = true, .uniform = true};
    wpg_amdgpu_options options = {.gpu = "gfx1100", .assembly = true};
    (void)state;
    amd_open_glsl(&s, LOOP END);
    wpg_amdgpu_code *code = generated(&table, &s, "loop", &options, &counters);
    assert_true(counters_are_right(code->assembly, code->kernel, &table, why));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = changed(code->assembly, cases[i].line, cases[i].insert, cases[i].without);
        assert_false(counters_are_right(text, code->kernel, &table, why));
        if (!strstr(why, cases[i].why))
            fail_msg("case %zu: %s", i, why);
        free(text);
    }
    /* What must pass: registers below, vector registers, other words. */
    char *text = changed(code->assembly, "\ts_endpgm\n",
                         "\ts_mov_b64 s[38:39], 0\n\tv_mov_b32 v44, s39 ; s44\n", false);
    assert_true(counters_are_right(text, code->kernel, &table, why));
    free(text);
    wpg_amdgpu_code_destroy(code);
    wpg_counter_table_finish(&table);
    amd_close(&s);
}

/* Machine code that LLVM's own compiler makes of an IR text; malloc'd. NULL: it is not installed. */
static char *by_llc(const char *ir, const char *gpu)
{
    char command[256], input[] = "/tmp/generate_XXXXXX";
    size_t size = 0, room = 1 << 20;
    char *text = calloc(room, 1);
    int fd = mkstemp(input);
    assert_non_null(text);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    assert_true(fputs(ir, file) >= 0 && fclose(file) == 0);
    (void)snprintf(command, sizeof command, "llc-22 -mcpu=%s -o - %s 2>/dev/null", gpu, input);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    while (size + 1 < room) {
        size_t got = fread(text + size, 1, room - 1 - size, out);
        if (!got)
            break;
        size += got;
    }
    int status = pclose(out);
    (void)remove(input);
    if (status == 0)
        return text;
    free(text);
    return NULL;
}

/* The same module with and without telling LLVM which registers are not its own: a kernel that needs many
 * scalar ones. */
static void registers_have_to_be_reserved(void **state)
{
    static const char attribute[] = "\"amdgpu-num-sgpr\"=\"40\"";
    amd_shader s;
    char why[200] = "", path[] = WPG_BINARY_DIR "/shaders/rfc_divergent.comp.spv";
    wpg_counter_table table;
    const wpg_counter_options counters = {.lanes = true, .uniform = true};
    wpg_amdgpu_options options = {.gpu = "gfx90a", .until = WPG_AMDGPU_STRUCTURISED, .ir = true};
    (void)state;
    amd_open_file(&s, path);
    wpg_amdgpu_code *code = generated(&table, &s, path, &options, &counters);
    char *right = by_llc(code->ir, "gfx90a"), *at = strstr(code->ir, attribute);
    assert_non_null(at);
    memset(at, ' ', sizeof attribute - 1);
    char *wrong = by_llc(code->ir, "gfx90a");
    bool installed = right && wrong;
    if (installed) {
        if (!counters_are_right(right, code->kernel, &table, why))
            fail_msg("%s", why);
        assert_false(counters_are_right(wrong, code->kernel, &table, why));
        assert_non_null(strstr(why, "not ours"));
    }
    free(right);
    free(wrong);
    wpg_amdgpu_code_destroy(code);
    wpg_counter_table_finish(&table);
    amd_close(&s);
    if (!installed) {
        print_message("llc-22 is not here\n");
        skip();
    }
}

static void refusals(void **state)
{
    amd_shader s;
    wpg_error err = {0};
    wpg_amdgpu_code *code;
    wpg_counter_table table;
    const wpg_counter_options counters = {.lanes = true};
    wpg_amdgpu_options options = {.gpu = "gfx1100", .until = WPG_AMDGPU_OPTIMISED};
    (void)state;
    amd_open_glsl(&s, LOOP END);
    assert_int_equal(wpg_amdgpu_generate(&code, &table, s.module, &s.stage, &options, &counters, &err),
                     WPG_E_ARGUMENT);
    options = (wpg_amdgpu_options){.gpu = "gfx900", .wave_size = 32};
    assert_int_equal(wpg_amdgpu_generate(&code, &table, s.module, &s.stage, &options, &counters, &err),
                     WPG_E_ARGUMENT);
    amd_close(&s);
}

/* -- Figures ------------------------------------------------------------------------------------------- */

static int print_cost(int count, char **paths)
{
    static const struct {
        const char *name;
        wpg_counter_options counters;
    } ways[] = {{"waves", {.lanes = false}},
                {"+ lanes", {.lanes = true}},
                {"+ uniform", {.lanes = true, .uniform = true}},
                {"per lane", {.placement = WPG_PLACE_LANE}},
                {"per lane, memory", {.placement = WPG_PLACE_LANE_MEMORY}}};
    for (int i = 0; i < count; i++)
        for (unsigned n = 0; n < AMD_TARGETS; n++) {
            amd_shader s;
            wpg_error err = {0};
            wpg_amdgpu_code *code;
            wpg_amdgpu_options options = {
                .gpu = amd_targets[n].gpu, .wave_size = amd_targets[n].wave, .assembly = true};
            amd_open_file(&s, paths[i]);
            for (int way = -1; way < (int)(sizeof ways / sizeof *ways); way++) {
                wpg_counter_table table = {0};
                wpg_status status = way < 0 ? wpg_amdgpu_compile(&code, s.module, &s.stage, &options, &err)
                                            : wpg_amdgpu_generate(&code, &table, s.module, &s.stage, &options,
                                                                  &ways[way].counters, &err);
                if (status != WPG_OK) {
                    printf("%s: %s\n", paths[i], err.message);
                    return 1;
                }
                const wpg_amdgpu_figures *f = &code->figures;
                printf("%s\t%s\t%u\t%s\tblocks %u\tregisters %u\tvgprs %u\tsgprs %u\toccupancy %u\tscratch "
                       "%u\tbytes %u\n",
                       s.entry, options.gpu, options.wave_size, way < 0 ? "none" : ways[way].name,
                       code->blocks, table.registers, f->vgprs, f->sgprs, f->occupancy, f->scratch_bytes,
                       f->code_bytes);
                wpg_amdgpu_code_destroy(code);
                wpg_counter_table_finish(&table);
            }
            amd_close(&s);
        }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return print_cost(argc - 1, argv + 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots),
        cmocka_unit_test(checksums),
        cmocka_unit_test(hot_blocks_get_registers),
        cmocka_unit_test(lanes_before_structurising),
        cmocka_unit_test(wrong_code_is_seen),
        cmocka_unit_test(registers_have_to_be_reserved),
        cmocka_unit_test(refusals),
        cmocka_unit_test(every_block_once),
        cmocka_unit_test(no_block_that_nothing_leads_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
