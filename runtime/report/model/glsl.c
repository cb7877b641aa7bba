/* A shader without source lines as GLSL, by SPIRV-Cross where the machine has its C library. Each block of
 * the normal form gets a line number of its own (OpLine), which SPIRV-Cross writes as #line. So each line of
 * the GLSL belongs to a block, and has its counts.
 *
 *     normal form --OpLine block + 1--> SPIRV-Cross --"#line 5"--> lines of block 4
 *
 * The text is a generated file (wpg_report_file.generated). An expression may stand in a later block than
 * its instructions, as SPIRV-Cross puts expressions where they are used. The library is opened at run time:
 * nothing else needs it. Source: SPIRV-Cross, spirv_cross_c.h (its interface is stable). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/graph/cfg.h"
#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "runtime/report/model/internal.h"
#include "runtime/report/model/shader_source.h"

enum {
    BACKEND_GLSL = 1,
    TAKE_OWNERSHIP = 1,
    COMMON = 0x1000000,
    GLSL = 0x2000000,
    GLSL_VERSION = 8 | GLSL,
    GLSL_VULKAN = 10 | GLSL,
    LINE_DIRECTIVES = 37 | COMMON,
    VERSION_450 = 450,
    MOST_SHADERS = 64,
};
static const double LEAST_SHARE = 0.001; /* of all work; cheaper shaders have no text */

typedef struct cross {
    void *library;
    int (*context_create)(void **context);
    void (*context_destroy)(void *context);
    int (*parse)(void *context, const uint32_t *words, size_t count, void **ir);
    int (*compiler)(void *context, int backend, void *ir, int mode, void **compiler);
    int (*options)(void *compiler, void **options);
    int (*set_bool)(void *options, unsigned option, unsigned char value);
    int (*set_uint)(void *options, unsigned option, unsigned value);
    int (*install)(void *compiler, void *options);
    int (*compile)(void *compiler, const char **source);
} cross;

static bool cross_open(cross *c)
{
    static const char *const names[] = {"libspirv-cross-c-shared.so.0", "libspirv-cross-c-shared.so"};
    *c = (cross){0};
    for (size_t i = 0; i < sizeof names / sizeof *names && !c->library; i++)
        c->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!c->library)
        return false;
    const struct {
        const char *name;
        void *place;
    } symbols[] = {{"spvc_context_create", &c->context_create},
                   {"spvc_context_destroy", &c->context_destroy},
                   {"spvc_context_parse_spirv", &c->parse},
                   {"spvc_context_create_compiler", &c->compiler},
                   {"spvc_compiler_create_compiler_options", &c->options},
                   {"spvc_compiler_options_set_bool", &c->set_bool},
                   {"spvc_compiler_options_set_uint", &c->set_uint},
                   {"spvc_compiler_install_compiler_options", &c->install},
                   {"spvc_compiler_compile", &c->compile}};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(c->library, symbols[i].name);
        if (!symbol) {
            (void)dlclose(c->library);
            return false;
        }
        memcpy(symbols[i].place, &symbol, sizeof symbol);
    }
    return true;
}

/* The text, malloc'd; NULL: SPIRV-Cross cannot say it in GLSL. */
static char *to_glsl(const cross *c, const uint32_t *words, size_t count)
{
    void *context = NULL, *ir, *compiler, *options;
    const char *text = NULL;
    char *copy = NULL;
    if (c->context_create(&context) != 0)
        return NULL;
    if (c->parse(context, words, count, &ir) == 0 &&
        c->compiler(context, BACKEND_GLSL, ir, TAKE_OWNERSHIP, &compiler) == 0 &&
        c->options(compiler, &options) == 0 && c->set_uint(options, GLSL_VERSION, VERSION_450) == 0 &&
        c->set_bool(options, GLSL_VULKAN, 1) == 0 && c->set_bool(options, LINE_DIRECTIVES, 1) == 0 &&
        c->install(compiler, options) == 0 && c->compile(compiler, &text) == 0 && text)
        copy = strdup(text);
    c->context_destroy(context);
    return copy;
}

/* -- Lines of blocks */

/* Lines, and what an older SPIRV-Tools does not know and GLSL has no word for. */
static bool is_left_out(const wpg_inst *inst)
{
    enum { MAXIMALLY_RECONVERGES = 6023 };
    const char *name = inst->opcode == SpvOpExtension ? wpg_inst_string(inst, 1) : NULL;
    return inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine ||
           (inst->opcode == SpvOpExecutionMode && inst->words[2] == MAXIMALLY_RECONVERGES) ||
           (name && strcmp(name, "SPV_KHR_maximal_reconvergence") == 0);
}

static void strip(wpg_module *module)
{
    for (wpg_inst *inst = module->first, *next; inst; inst = next) {
        next = inst->next;
        if (is_left_out(inst))
            wpg_inst_remove(module, inst);
    }
}

/* Line = number of the label among all of the entry function, from 1; other functions have none. */
static void number_blocks(wpg_module *module, const wpg_inst *entry)
{
    const uint32_t file = wpg_module_fresh_id(module);
    const uint32_t name[] = {file, 'b'};
    uint32_t line = 0;
    /* Strings stand before names (SPIR-V 1.6, 2.4, 7). */
    (void)wpg_inst_insert(module, wpg_module_section_end(module, WPG_SECTION_EXECUTION_MODE), SpvOpString,
                          name, 2);
    bool inside = false;
    for (wpg_inst *inst = module->first; inst; inst = inst->next) {
        if (inst->opcode == SpvOpFunction)
            inside = inst == entry;
        if (!inside || inst->opcode != SpvOpLabel)
            continue;
        wpg_inst *at = inst->next;
        while (at && (at->opcode == SpvOpPhi || at->opcode == SpvOpVariable))
            at = at->next;
        (void)wpg_inst_add(module, at, SpvOpLine, file, ++line, 0);
    }
}

/* Nothing but brackets, "else" and the like: no code of a block. */
static bool is_frame(const char *line, size_t length)
{
    size_t at = 0;
    while (at < length &&
           (line[at] == ' ' || line[at] == '\t' || line[at] == '{' || line[at] == '}' || line[at] == ';'))
        at++;
    return at == length || (length - at == 4 && strncmp(line + at, "else", 4) == 0) ||
           (length - at == 2 && strncmp(line + at, "do", 2) == 0);
}

typedef struct glsl_text {
    char *text; /* without directives */
    size_t length;
    WPG_VEC(wpg_report_line) lines;
} glsl_text;

/* The extension that directives with a file's name ask for. */
static const char line_extension[] = "GL_GOOGLE_cpp_style_line_directive";

/* Takes the directives out, and notes which block each line is of. */
static bool split(glsl_text *to, const char *text, wpg_report_function *function)
{
    uint32_t line = 0, block = WPG_REPORT_NONE;
    bool in_entry = false;
    to->text = malloc(strlen(text) + 2); /* the last line may lack its end */
    if (!to->text)
        return false;
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\n");
        unsigned number = 0;
        int used = 0;
        if (sscanf(at, " #line %u%n", &number, &used) == 1 && (size_t)used <= length) {
            block = number && number <= function->counts->block_count ? number - 1 : WPG_REPORT_NONE;
            in_entry = true;
        } else if (!memmem(at, length, line_extension, sizeof line_extension - 1)) {
            line++;
            memcpy(to->text + to->length, at, length);
            to->length += length;
            to->text[to->length++] = '\n';
            if (length && *at == '}') /* the function ends */
                in_entry = false;
            if (in_entry && block != WPG_REPORT_NONE && !is_frame(at, length)) {
                wpg_report_block *of = &function->blocks[block];
                if (!of->line)
                    of->line = line;
                if (!wpg_vec_push(&to->lines, (wpg_report_line){0, line, of->lanes, of->waves, of->uniform}))
                    return false;
            }
        }
        at += length + (at[length] == '\n');
    }
    to->text[to->length] = '\0';
    return true;
}

static bool keep(wpg_report *report, wpg_report_shader *shader, wpg_report_function *function,
                 glsl_text *text)
{
    char name[96];
    (void)snprintf(name, sizeof name, "%s.%.8s.glsl", shader->stage, shader->hex);
    const wpg_report_file file = {.name = wpg_arena_strdup(&report->arena, name),
                                  .text = wpg_arena_strdup(&report->arena, text->text),
                                  .generated = true};
    wpg_report_line *lines =
        wpg_arena_memdup(&report->arena, text->lines.data, text->lines.count * sizeof *lines);
    if (!file.name || !file.text || !lines || !wpg_vec_push(&report->files, file))
        return false;
    const uint32_t index = (uint32_t)report->files.count - 1;
    for (size_t i = 0; i < text->lines.count; i++)
        lines[i].file = index;
    for (size_t b = 0; b < function->counts->block_count; b++)
        function->blocks[b].file = function->blocks[b].line ? index : WPG_REPORT_NONE;
    shader->lines = lines;
    shader->line_count = text->lines.count;
    shader->is_generated = true;
    return true;
}

static wpg_report_function *entry_function(wpg_report_shader *shader)
{
    for (size_t i = 0; i < shader->function_count; i++)
        if (shader->functions[i].counts->function == 0)
            return &shader->functions[i];
    return NULL;
}

static void write_shader(wpg_report_loader *loader, const cross *c, wpg_report_shader *shader,
                         wpg_shader_source *source)
{
    static const wpg_validate_options allowed = {.vulkan_minor = 3,
                                                 .uniform_buffer_standard_layout = true,
                                                 .scalar_block_layout = true,
                                                 .workgroup_scalar_block_layout = true,
                                                 .relax_block_layout = true,
                                                 .local_size_id = true};
    wpg_report_function *function = entry_function(shader);
    wpg_inst **functions;
    uint32_t count, *words = NULL;
    size_t word_count = 0;
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_status status =
        function ? wpg_normalize(source->module, &source->stage, NULL, NULL) : WPG_E_NOT_FOUND;
    source->stage.spec_count = 0;
    if (status == WPG_OK)
        status = wpg_stage_functions(&functions, &count, source->module, &source->stage, &arena, NULL);
    if (status == WPG_OK) {
        strip(source->module);
        number_blocks(source->module, functions[0]);
        status = wpg_module_emit(&words, &word_count, source->module, NULL);
    }
    /* The library is not made for modules that are not valid. */
    char *text = status == WPG_OK && wpg_spirv_validate(words, word_count, &allowed, NULL) == WPG_OK
                     ? to_glsl(c, words, word_count)
                     : NULL;
    glsl_text split_text = {0};
    if (text && split(&split_text, text, function) && split_text.lines.count)
        (void)keep(loader->report, shader, function, &split_text);
    free(split_text.text);
    wpg_vec_free(&split_text.lines);
    free(text);
    free(words);
    wpg_arena_finish(&arena);
}

void wpg_report_write_glsl(wpg_report_loader *loader)
{
    wpg_report *report = loader->report;
    cross c;
    double all = 0;
    size_t written = 0;
    for (size_t i = 0; i < report->shader_count; i++)
        all += report->shaders[i].cost;
    if (!cross_open(&c))
        return;
    for (size_t i = 0; i < report->shader_count && written < MOST_SHADERS; i++) {
        wpg_report_shader *shader = &report->shaders[i];
        wpg_shader_source source;
        if (!shader->has_module || shader->line_count || shader->cost < all * LEAST_SHARE ||
            !wpg_report_find_source(&source, loader, shader, NULL))
            continue;
        write_shader(loader, &c, shader, &source);
        wpg_shader_source_finish(&source);
        written++;
    }
    (void)dlclose(c.library);
}
