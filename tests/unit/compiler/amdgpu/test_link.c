/* Linked code objects have what HIP's loader asks for (AMDGPUUsage, "Code Object"; ROCr,
 * loader/executable.cpp): the kernel and its descriptor among the dynamic symbols, the metadata in a segment,
 * nothing left to relocate. And what a linker that is not there, or is none, comes to. */
#include "tests/unit/compiler/amdgpu/elf_view.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "compiler/amdgpu/counters/generate.h"
#include "compiler/amdgpu/llvm/link.h"
#include "compiler/amdgpu/llvm/msgpack.h"

static const char kernel_source[] =
    "#version 450\n"
    "layout(local_size_x = 32, local_size_y = 2) in;\n"
    "layout(set = 0, binding = 0) buffer B { uint data[]; };\n"
    "layout(push_constant) uniform P { uint n; };\n"
    "const uint table[5] = uint[](3u, 1u, 4u, 1u, 5u);\n"
    "void main() {\n"
    "    uint i = gl_GlobalInvocationID.x;\n"
    "    for (uint k = 0; k < data[i]; k++) if (k % n == 1u) data[k] += table[i % 5u] * gl_NumWorkGroups.y;\n"
    "}\n";

static wpg_amdgpu_code *object_of(const amd_shader *s, const char *gpu, unsigned version, bool counting)
{
    const wpg_amdgpu_options options = {.gpu = gpu, .code_object = version, .lines = true};
    wpg_amdgpu_code *code = NULL;
    wpg_counter_table table;
    wpg_error err = {0};
    wpg_status status =
        counting ? wpg_amdgpu_generate(&code, &table, s->module, &s->stage, &options,
                                       &(wpg_counter_options){.lanes = true, .uniform = true}, &err)
                 : wpg_amdgpu_compile(&code, s->module, &s->stage, &options, &err);
    if (status != WPG_OK)
        fail_msg("%s: %s", gpu, err.message);
    if (counting)
        wpg_counter_table_finish(&table);
    return code;
}

/* Loaded as they are: code is not writable, and no byte of it wants an address. */
static void check_segments(const elf_view *elf, const wpg_amdgpu_code *code, uint64_t kernel)
{
    bool found = false, noted = false;
    for (unsigned i = 0; i < elf->head.e_phnum; i++) {
        Elf64_Phdr p;
        elf_take(&p, elf, elf->head.e_phoff + i * sizeof p, sizeof p);
        assert_true(p.p_offset <= elf->size && p.p_filesz <= elf->size - p.p_offset);
        if (p.p_type == PT_LOAD) {
            assert_true(!(p.p_flags & PF_W) || !(p.p_flags & PF_X));
            if (p.p_flags & PF_X && kernel >= p.p_vaddr && kernel < p.p_vaddr + p.p_filesz)
                found = true;
        }
        if (p.p_type == PT_NOTE) {
            size_t size;
            uint64_t bytes = 0, lanes = 0;
            const uint8_t *note = elf_metadata(&size, elf, p.p_offset, p.p_filesz);
            noted = note && wpg_msgpack_find(&bytes, note, size, ".kernarg_segment_size") &&
                    wpg_msgpack_find(&lanes, note, size, ".max_flat_workgroup_size");
            assert_int_equal(bytes, code->argument_bytes); /* nothing hidden behind what we ask for */
            assert_int_equal(lanes, 32 * 2);
        }
    }
    assert_true(found && noted);
    for (unsigned i = 0; i < elf->head.e_shnum; i++)
        assert_true(elf_section(elf, i).sh_type != SHT_REL && elf_section(elf, i).sh_type != SHT_RELA);
}

static void check_symbols(const elf_view *elf, const wpg_amdgpu_code *code, bool counting, uint64_t *kernel)
{
    Elf64_Sym symbol;
    char name[128];
    assert_true(elf_symbol(&symbol, elf, SHT_DYNSYM, code->kernel));
    assert_int_equal(ELF64_ST_TYPE(symbol.st_info), STT_FUNC);
    assert_int_equal(symbol.st_value % 256, 0);
    *kernel = symbol.st_value;
    (void)snprintf(name, sizeof name, "%s.kd", code->kernel);
    assert_true(elf_symbol(&symbol, elf, SHT_DYNSYM, name));
    assert_int_equal(ELF64_ST_TYPE(symbol.st_info), STT_OBJECT);
    assert_int_equal(ELF64_ST_BIND(symbol.st_info), STB_GLOBAL);
    assert_int_equal(symbol.st_value % 64, 0);
    assert_int_equal(symbol.st_size, 64);
    assert_int_equal(elf_symbol(&symbol, elf, SHT_DYNSYM, WPG_COUNTER_BOUNDS), counting);
    Elf64_Shdr s = elf_of_type(elf, SHT_DYNSYM);
    for (uint64_t at = sizeof symbol; at < s.sh_size; at += sizeof symbol) {
        elf_take(&symbol, elf, s.sh_offset + at, sizeof symbol);
        assert_int_not_equal(symbol.st_shndx, SHN_UNDEF);
    }
}

static void check_linked(const amd_shader *s, const char *gpu, unsigned version, bool counting)
{
    wpg_amdgpu_code *code = object_of(s, gpu, version, counting);
    uint8_t *bytes;
    size_t size;
    uint64_t kernel;
    wpg_error err = {0};
    wpg_status status = wpg_amdgpu_link(&bytes, &size, code->elf, code->elf_size, NULL, &err);
    if (status == WPG_E_NOT_FOUND) {
        print_message("%s\n", err.message);
        wpg_amdgpu_code_destroy(code);
        skip();
    }
    if (status != WPG_OK)
        fail_msg("%s, version %u: %s", gpu, version, err.message);
    const elf_view object = elf_open(code->elf, code->elf_size), elf = elf_open(bytes, size);
    assert_int_equal(object.head.e_type, ET_REL);
    assert_int_equal(elf.head.e_type, ET_DYN);
    assert_int_equal(elf.head.e_flags, object.head.e_flags);
    assert_int_equal(elf.head.e_ident[EI_OSABI], 64);                             /* HSA */
    assert_int_equal(elf.head.e_ident[EI_ABIVERSION], version ? version - 2 : 3); /* 3 is version 5 */
    check_symbols(&elf, code, counting, &kernel);
    check_segments(&elf, code, kernel);
    free(bytes);
    wpg_amdgpu_code_destroy(code);
}

static void linked(void **state)
{
    amd_shader s;
    (void)state;
    amd_open_glsl(&s, kernel_source);
    for (unsigned i = 0; i < AMD_TARGETS; i++)
        check_linked(&s, amd_targets[i].gpu, 0, i % 2);
    check_linked(&s, "gfx942", 5, true);
    check_linked(&s, "gfx1100", 6, false);
    amd_close(&s);
}

static void same_again(void **state)
{
    amd_shader s;
    uint8_t *bytes[2];
    size_t size[2];
    wpg_error err = {0};
    (void)state;
    amd_open_glsl(&s, kernel_source);
    wpg_amdgpu_code *code = object_of(&s, "gfx1100", 0, false);
    for (unsigned i = 0; i < 2; i++) {
        wpg_status status = wpg_amdgpu_link(&bytes[i], &size[i], code->elf, code->elf_size, NULL, &err);
        if (status == WPG_E_NOT_FOUND)
            skip();
        assert_int_equal(status, WPG_OK);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    for (unsigned i = 0; i < 2; i++)
        free(bytes[i]);
    wpg_amdgpu_code_destroy(code);
    amd_close(&s);
}

static unsigned open_files(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    (void)closedir(folder);
    return count;
}

static void refused(void **state)
{
    static const struct {
        const char *linker, *words;
        wpg_status status;
    } cases[] = {
        {"no-such-linker-is-here", "the linker no-such-linker-is-here is not there", WPG_E_NOT_FOUND},
        {"/nowhere/ld.lld", "the linker /nowhere/ld.lld is not there", WPG_E_NOT_FOUND},
        {"/", "/ cannot be started", WPG_E_IO},
        {"true", "true made no shared object of AMDGPU", WPG_E_FORMAT},
        {"echo", "echo made no shared object of AMDGPU", WPG_E_FORMAT}, /* of its arguments: text */
        {"false", "false failed (exit code 1)", WPG_E_UNSUPPORTED},
    };
    static const uint8_t nothing[] = "no object";
    uint8_t *bytes = NULL;
    size_t size = 0;
    wpg_error err = {0};
    (void)state;
    const unsigned before = open_files();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wpg_status status = wpg_amdgpu_link(&bytes, &size, nothing, sizeof nothing, cases[i].linker, &err);
        if (status != cases[i].status || strncmp(err.message, cases[i].words, strlen(cases[i].words)) != 0)
            fail_msg("%s: %d, %s", cases[i].linker, (int)status, err.message);
    }
    wpg_status status = wpg_amdgpu_link(&bytes, &size, nothing, sizeof nothing, NULL, &err);
    if (status != WPG_E_NOT_FOUND) { /* in the linker's own words */
        assert_int_equal(status, WPG_E_UNSUPPORTED);
        assert_non_null(strstr(err.message, "error: "));
    }
    assert_null(bytes);
    assert_int_equal(open_files(), before);
}

/* A program may be started without standard files. */
static void without_standard_files(void **state)
{
    static const uint8_t nothing[] = "no object";
    uint8_t *bytes = NULL;
    size_t size;
    wpg_error err = {0};
    (void)state;
    int kept[3];
    for (int i = 0; i < 3; i++) {
        kept[i] = fcntl(i, F_DUPFD, 10);
        (void)close(i);
    }
    wpg_status status = wpg_amdgpu_link(&bytes, &size, nothing, sizeof nothing, "false", &err);
    for (int i = 0; i < 3; i++) {
        (void)dup2(kept[i], i);
        (void)close(kept[i]);
    }
    assert_int_equal(status, WPG_E_UNSUPPORTED);
    assert_string_equal(err.message, "false failed (exit code 1)");
}

static void versions(void **state)
{
    amd_shader s;
    wpg_amdgpu_code *code;
    wpg_error err = {0};
    const wpg_amdgpu_options options = {.gpu = "gfx1100", .code_object = 4};
    (void)state;
    amd_open_glsl(&s, kernel_source);
    assert_int_equal(wpg_amdgpu_compile(&code, s.module, &s.stage, &options, &err), WPG_E_ARGUMENT);
    amd_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linked),   cmocka_unit_test(same_again),
        cmocka_unit_test(refused),  cmocka_unit_test(without_standard_files),
        cmocka_unit_test(versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
