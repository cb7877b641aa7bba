/* Compiles modules of the corpus on a driver that needs no hardware for that (RADV), as given and as the
 * layer would rewrite them:
 *
 *     corpus_driver FOLDER FILE.spv...       - reads names from standard input
 *
 * FOLDER/NAME.generate.spv and FOLDER/NAME.use.spv are what `corpus --out FOLDER` made of FILE's first entry
 * point. Each becomes a shader object (VK_EXT_shader_object), which needs no other stage, under a layout that
 * its own variables tell. What the driver takes as given it must take rewritten: else a FAIL line, and exit
 * code 1. A child process compiles; where it crashes on a module as given that is counted, and the next child
 * goes on behind it. Exit code 77: the driver has no shader objects. Threads: one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "layer/base/newer.h"
#include "runtime/base/file.h"
#include "tests/corpus/layout.h"
#include "tests/corpus/list.h"

enum { FORMS = 3 };
static const char *const form_names[FORMS] = {"as given", "generate", "use"};
#define STRUCTURE_SHADER_CREATE_INFO ((VkStructureType)1000482002)

/* Shared by parent and children. */
static struct state {
    size_t module;
    int form;
    unsigned compiled[FORMS], refused, crashed, left_out, failures;
} * state;

static VkResult compile(vk_program *vk, const wpg_inst *entry, const VkDescriptorSetLayout *sets,
                        const uint32_t *words, size_t size)
{
    static const VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, 256};
    wpg_pfn_create_shaders create =
        (wpg_pfn_create_shaders)vkGetDeviceProcAddr(vk->device, "vkCreateShadersEXT");
    wpg_pfn_destroy_shader destroy =
        (wpg_pfn_destroy_shader)vkGetDeviceProcAddr(vk->device, "vkDestroyShaderEXT");
    const wpg_shader_create_info info = {.sType = STRUCTURE_SHADER_CREATE_INFO,
                                         .stage = layout_stage(entry->words[1]),
                                         .codeType = WPG_SHADER_CODE_SPIRV,
                                         .codeSize = size,
                                         .pCode = words,
                                         .pName = wpg_inst_string(entry, 3),
                                         .setLayoutCount = LAYOUT_SETS,
                                         .pSetLayouts = sets,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &range};
    wpg_shader shader = 0;
    VkResult result = create(vk->device, 1, &info, NULL, &shader);
    destroy(vk->device, shader, NULL);
    return result;
}

static void fail(const char *file, int form, const char *what)
{
    const char *slash = strrchr(file, '/');
    printf("FAIL %s %s: %s\n", slash ? slash + 1 : file, form_names[form], what);
    state->failures++;
}

/* The three forms of one module, with the layout of the first. */
static void compile_forms(vk_program *vk, const char *folder, const char *file, const wpg_module *module,
                          const wpg_inst *entry)
{
    VkDescriptorSetLayout sets[LAYOUT_SETS];
    layout of;
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    if (!layout_read(&of, module) || !layout_stage(entry->words[1])) {
        state->left_out++;
        return;
    }
    layout_make(sets, vk, &of);
    for (int form = 0; form < FORMS; form++) {
        char path[4096];
        uint8_t *data;
        size_t size;
        if (form)
            (void)snprintf(path, sizeof path, "%s/%s.%s.spv", folder, name, form_names[form]);
        else
            (void)snprintf(path, sizeof path, "%s", file);
        if (wpg_file_read(&data, &size, path, (size_t)64 << 20, NULL) != WPG_OK)
            continue; /* passes through */
        state->form = form;
        VkResult result = compile(vk, entry, sets, (const uint32_t *)(const void *)data, size);
        free(data);
        if (result == VK_SUCCESS) {
            state->compiled[form]++;
        } else if (form) {
            fail(file, form, "refused by the driver");
        } else {
            state->refused++;
            break;
        }
    }
    layout_drop(vk, sets);
}

static void child(const char *folder, char **files, size_t count)
{
    vk_program vk;
    vk_open(&vk, VK_API_VERSION_1_3, VK_STYLE_OBJECTS, 64);
    for (; state->module < count; state->module++) {
        uint8_t *data;
        size_t size;
        wpg_module *module = NULL;
        const wpg_inst *entry = NULL;
        state->form = 0;
        if (wpg_file_read(&data, &size, files[state->module], (size_t)64 << 20, NULL) == WPG_OK) {
            (void)wpg_module_parse(&module, (const uint32_t *)(const void *)data, size / 4, NULL);
            for (const wpg_inst *i = module ? module->first : NULL; i && !entry; i = i->next)
                entry = i->opcode == SpvOpEntryPoint ? i : NULL;
            if (entry)
                compile_forms(&vk, folder, files[state->module], module, entry);
            else
                state->left_out++;
            wpg_module_destroy(module);
            free(data);
        }
        (void)fflush(stdout);
    }
    vk_close(&vk);
    exit(0);
}

int main(int argc, char **argv)
{
    size_t count;
    if (argc < 3) {
        fprintf(stderr, "usage: corpus_driver FOLDER FILE.spv... (- reads names from standard input)\n");
        return 2;
    }
    char **files = list_names(&count, argc - 2, argv + 2);
    state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!files || state == MAP_FAILED)
        return 2;
    while (state->module < count) {
        int status;
        (void)fflush(stdout);
        pid_t pid = fork();
        if (pid == 0)
            child(argv[1], files, count);
        if (pid < 0 || waitpid(pid, &status, 0) != pid)
            return 2;
        if (WIFEXITED(status) && WEXITSTATUS(status))
            return WEXITSTATUS(status);
        if (WIFSIGNALED(status)) {
            if (state->form)
                fail(files[state->module], state->form, "the driver crashes");
            else
                state->crashed++;
            state->module++;
        }
    }
    printf("%zu modules: %u compiled as given, %u of generate, %u of use; %u refused and %u crashed the "
           "driver as "
           "given, %u left out, %u failures\n",
           count, state->compiled[0], state->compiled[1], state->compiled[2], state->refused, state->crashed,
           state->left_out, state->failures);
    return state->failures != 0;
}
