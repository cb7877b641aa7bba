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

#include "compiler/spirv/stage.h"
#include "layer/base/newer.h"
#include "runtime/base/file.h"
#include "tests/e2e/vk.h"

enum { SETS = 8, BINDINGS = 64, FORMS = 3, UNSIZED = 16 };
static const char *const form_names[FORMS] = {"as given", "generate", "use"};
#define STRUCTURE_SHADER_CREATE_INFO ((VkStructureType)1000482002)

/* Shared by parent and children. */
static struct state {
    size_t module;
    int form;
    unsigned compiled[FORMS], refused, crashed, left_out, failures;
} * state;

typedef struct layout {
    VkDescriptorSetLayoutBinding bindings[SETS][BINDINGS];
    uint32_t counts[SETS];
} layout;

static uint32_t decoration_of(const wpg_module *module, uint32_t id, SpvDecoration decoration,
                              uint32_t absent)
{
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode == SpvOpDecorate && inst->words[1] == id && inst->words[2] == (uint32_t)decoration)
            return inst->count > 3 ? inst->words[3] : 0;
    }
    return absent;
}

/* false: not a descriptor that this program knows. */
static bool descriptor_type(VkDescriptorType *type, const wpg_module *module, const wpg_inst *of,
                            uint32_t storage)
{
    bool sampled_image = of->opcode == SpvOpTypeSampledImage;
    const wpg_inst *image = sampled_image ? wpg_module_def(module, of->words[2]) : of;
    bool buffer = image && image->opcode == SpvOpTypeImage && image->words[3] == SpvDimBuffer;
    switch (of->opcode) {
    case SpvOpTypeSampler:
        *type = VK_DESCRIPTOR_TYPE_SAMPLER;
        return true;
    case SpvOpTypeSampledImage:
        *type = buffer ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        return true;
    case SpvOpTypeImage:
        if (of->words[3] == SpvDimSubpassData)
            *type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
        else if (of->words[7] == 2)
            *type = buffer ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        else
            *type = buffer ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
        return true;
    case SpvOpTypeStruct:
        *type = storage == SpvStorageClassStorageBuffer ||
                        decoration_of(module, of->result, SpvDecorationBufferBlock, 1) == 0
                    ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                    : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        return true;
    default:
        return false;
    }
}

/* Adds a variable's descriptor; two variables may share a binding if they are of one type. */
static bool add_variable(layout *to, const wpg_module *module, const wpg_inst *variable)
{
    uint32_t set = decoration_of(module, variable->result, SpvDecorationDescriptorSet, 0),
             binding = decoration_of(module, variable->result, SpvDecorationBinding, 0), count = 1;
    const wpg_inst *pointer = wpg_module_def(module, variable->type),
                   *of = pointer && pointer->count > 3 ? wpg_module_def(module, pointer->words[3]) : NULL;
    while (of && (of->opcode == SpvOpTypeArray || of->opcode == SpvOpTypeRuntimeArray)) {
        const wpg_inst *length = of->opcode == SpvOpTypeArray ? wpg_module_def(module, of->words[3]) : NULL;
        count *= length && length->count > 3 ? length->words[3] : UNSIZED;
        of = wpg_module_def(module, of->words[2]);
    }
    VkDescriptorType type;
    if (!of || set >= SETS || count == 0 || count > 4096 ||
        !descriptor_type(&type, module, of, variable->words[3]))
        return false;
    for (uint32_t i = 0; i < to->counts[set]; i++)
        if (to->bindings[set][i].binding == binding)
            return to->bindings[set][i].descriptorType == type &&
                   to->bindings[set][i].descriptorCount >= count;
    if (to->counts[set] == BINDINGS)
        return false;
    to->bindings[set][to->counts[set]++] =
        (VkDescriptorSetLayoutBinding){binding, type, count, VK_SHADER_STAGE_ALL, NULL};
    return true;
}

static bool read_layout(layout *to, const wpg_module *module)
{
    *to = (layout){0};
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode == SpvOpVariable &&
            (inst->words[3] == SpvStorageClassUniform || inst->words[3] == SpvStorageClassUniformConstant ||
             inst->words[3] == SpvStorageClassStorageBuffer) &&
            !add_variable(to, module, inst))
            return false;
    }
    return true;
}

static VkShaderStageFlagBits stage_of(uint32_t model)
{
    switch (model) {
    case SpvExecutionModelVertex:
        return VK_SHADER_STAGE_VERTEX_BIT;
    case SpvExecutionModelTessellationControl:
        return VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
    case SpvExecutionModelTessellationEvaluation:
        return VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    case SpvExecutionModelGeometry:
        return VK_SHADER_STAGE_GEOMETRY_BIT;
    case SpvExecutionModelFragment:
        return VK_SHADER_STAGE_FRAGMENT_BIT;
    case SpvExecutionModelGLCompute:
        return VK_SHADER_STAGE_COMPUTE_BIT;
    default:
        return (VkShaderStageFlagBits)0;
    }
}

static VkResult compile(vk_program *vk, const wpg_inst *entry, const VkDescriptorSetLayout *sets,
                        const uint32_t *words, size_t size)
{
    static const VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, 256};
    wpg_pfn_create_shaders create =
        (wpg_pfn_create_shaders)vkGetDeviceProcAddr(vk->device, "vkCreateShadersEXT");
    wpg_pfn_destroy_shader destroy =
        (wpg_pfn_destroy_shader)vkGetDeviceProcAddr(vk->device, "vkDestroyShaderEXT");
    const wpg_shader_create_info info = {.sType = STRUCTURE_SHADER_CREATE_INFO,
                                         .stage = stage_of(entry->words[1]),
                                         .codeType = WPG_SHADER_CODE_SPIRV,
                                         .codeSize = size,
                                         .pCode = words,
                                         .pName = wpg_inst_string(entry, 3),
                                         .setLayoutCount = SETS,
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
    VkDescriptorSetLayout sets[SETS];
    layout of;
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    if (!read_layout(&of, module) || !stage_of(entry->words[1])) {
        state->left_out++;
        return;
    }
    for (uint32_t s = 0; s < SETS; s++) {
        const VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                          VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                      .bindingCount = of.counts[s],
                                                      .pBindings = of.bindings[s]};
        if (vkCreateDescriptorSetLayout(vk->device, &info, NULL, &sets[s]) != VK_SUCCESS)
            exit(VK_EXIT_FAILURE);
    }
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
    for (uint32_t s = 0; s < SETS; s++)
        vkDestroyDescriptorSetLayout(vk->device, sets[s], NULL);
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

static char **names(size_t *count, int argc, char **argv)
{
    size_t room = 1 << 16;
    char **files = calloc(room, sizeof *files), line[4096];
    *count = 0;
    for (int i = 2; files && i < argc && *count < room; i++)
        if (strcmp(argv[i], "-") != 0)
            files[(*count)++] = argv[i];
        else
            while (*count < room && fgets(line, sizeof line, stdin)) {
                line[strcspn(line, "\n")] = 0;
                files[(*count)++] = strdup(line);
            }
    return files;
}

int main(int argc, char **argv)
{
    size_t count;
    if (argc < 3) {
        fprintf(stderr, "usage: corpus_driver FOLDER FILE.spv... (- reads names from standard input)\n");
        return 2;
    }
    char **files = names(&count, argc, argv);
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
