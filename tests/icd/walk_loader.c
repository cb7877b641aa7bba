/* A loader of one layer and one driver, and the hooks on the layer's allocations.
 *
 * The hooks replace addresses in the library's own tables (ELF: DT_JMPREL, DT_RELA), so that the very library
 * that is shipped is tested, and only its own calls are counted: neither the driver's nor the application's.
 * Source: the loader's LoaderLayerInterface.md; System V ABI, AMD64 supplement, 4.4. */
#include "tests/icd/walk.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vulkan/vk_layer.h>

static void *loaded;
static PFN_vkGetInstanceProcAddr layer_instance_proc;
static PFN_vkGetDeviceProcAddr layer_device_proc;

/* -- Loading */

bool walk_load(const char *path)
{
    loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!loaded) {
        fprintf(stderr, "walk: %s\n", dlerror());
        return false;
    }
    if (!walk_hook_allocations())
        fprintf(stderr, "walk: allocations cannot be made to fail here\n");
    PFN_vkNegotiateLoaderLayerInterfaceVersion negotiate =
        (PFN_vkNegotiateLoaderLayerInterfaceVersion)dlsym(loaded, "vkNegotiateLoaderLayerInterfaceVersion");
    VkNegotiateLayerInterface talk = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT,
                                      .loaderLayerInterfaceVersion = 2};
    if (!negotiate || negotiate(&talk) != VK_SUCCESS) {
        fprintf(stderr, "walk: %s does not talk\n", path);
        return false;
    }
    layer_instance_proc = talk.pfnGetInstanceProcAddr;
    layer_device_proc = talk.pfnGetDeviceProcAddr;
    return true;
}

bool walk_unload(const char *path)
{
    (void)dlclose(loaded);
    loaded = NULL;
    void *still = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (still)
        (void)dlclose(still);
    return still;
}

/* -- Dispatch pointers: an instance's and a device's own address will do. */

static void set_dispatch(void *object, const void *table)
{
    memcpy(object, &table, sizeof table);
}

void walk_adopt(const walk_app *app, void *dispatchable)
{
    if (dispatchable)
        set_dispatch(dispatchable, app->device);
}

static VkResult VKAPI_CALL set_device_data(VkDevice device, void *object)
{
    set_dispatch(object, device);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL below_create_instance(const VkInstanceCreateInfo *info,
                                                            const VkAllocationCallbacks *allocator,
                                                            VkInstance *instance)
{
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)icd_instance_proc(VK_NULL_HANDLE, "vkCreateInstance");
    VkResult result = create(info, allocator, instance);
    if (result == VK_SUCCESS)
        set_dispatch(*instance, *instance);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL below_create_device(VkPhysicalDevice physical,
                                                          const VkDeviceCreateInfo *info,
                                                          const VkAllocationCallbacks *allocator,
                                                          VkDevice *device)
{
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)icd_instance_proc(VK_NULL_HANDLE, "vkCreateDevice");
    VkResult result = create(physical, info, allocator, device);
    if (result == VK_SUCCESS)
        set_dispatch(*device, *device);
    return result;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL below_instance_proc(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkCreateInstance") == 0)
        return (PFN_vkVoidFunction)below_create_instance;
    if (strcmp(name, "vkCreateDevice") == 0)
        return (PFN_vkVoidFunction)below_create_device;
    return icd_instance_proc(instance, name);
}

VkResult walk_create_instance(walk_app *app, const VkInstanceCreateInfo *info)
{
    VkLayerInstanceLink link = {.pfnNextGetInstanceProcAddr = below_instance_proc};
    VkLayerInstanceCreateInfo chain = {.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
                                       .pNext = info->pNext,
                                       .function = VK_LAYER_LINK_INFO,
                                       .u.pLayerInfo = &link};
    VkInstanceCreateInfo mine = *info;
    mine.pNext = &chain;
    PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)layer_instance_proc(VK_NULL_HANDLE, "vkCreateInstance");
    app->instance = VK_NULL_HANDLE;
    VkResult result = create(&mine, &walk_allocator, &app->instance);
    if (result != VK_SUCCESS) {
        app->instance = VK_NULL_HANDLE;
        return result;
    }
    for (int i = 0; i < ICD_COMMANDS; i++)
        app->procs[i] = layer_instance_proc(app->instance, icd_names[i]);
    return result;
}

VkResult walk_create_device(walk_app *app, const VkDeviceCreateInfo *info)
{
    VkLayerDeviceLink link = {.pfnNextGetInstanceProcAddr = below_instance_proc,
                              .pfnNextGetDeviceProcAddr = icd_device_proc};
    VkLayerDeviceCreateInfo callback = {.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
                                        .pNext = info->pNext,
                                        .function = VK_LOADER_DATA_CALLBACK,
                                        .u.pfnSetDeviceLoaderData = set_device_data};
    VkLayerDeviceCreateInfo chain = {.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
                                     .pNext = &callback,
                                     .function = VK_LAYER_LINK_INFO,
                                     .u.pLayerInfo = &link};
    VkDeviceCreateInfo mine = *info;
    mine.pNext = &chain;
    set_dispatch(app->physical, app->instance);
    app->device = VK_NULL_HANDLE;
    VkResult result = ((PFN_vkCreateDevice)app->procs[ICD_CreateDevice])(app->physical, &mine,
                                                                         &walk_allocator, &app->device);
    if (result != VK_SUCCESS)
        app->device = VK_NULL_HANDLE;
    return result;
}

bool walk_intercepted[ICD_COMMANDS];

void walk_find_commands(walk_app *app)
{
    for (int i = 0; i < ICD_COMMANDS; i++) {
        PFN_vkVoidFunction found = layer_device_proc(app->device, icd_names[i]);
        if (found)
            app->procs[i] = found;
        walk_intercepted[i] |= found && found != icd_device_proc(app->device, icd_names[i]);
    }
}

/* -- The application's allocator: counts, and knows its blocks by a mark. */

static size_t blocks;
static struct {
    unsigned count, fail;
    bool lasting, failed;
} app_blocks;
static const uint64_t mark = UINT64_C(0x57505f7061676521);

static void *VKAPI_PTR allocate(void *user, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
    (void)user, (void)alignment, (void)scope;
    unsigned n = ++app_blocks.count;
    if (app_blocks.fail && (n == app_blocks.fail || (n > app_blocks.fail && app_blocks.lasting))) {
        app_blocks.failed = true;
        return NULL;
    }
    uint64_t *block = malloc(size + 16);
    if (!block)
        return NULL;
    block[0] = mark;
    blocks++;
    return block + 2;
}

static void VKAPI_PTR release(void *user, void *memory)
{
    (void)user;
    uint64_t *block = memory ? (uint64_t *)memory - 2 : NULL;
    if (!block)
        return;
    if (block[0] != mark)
        walk_complain("the application's allocator is given what is not its own");
    blocks--;
    free(block);
}

static void *VKAPI_PTR reallocate(void *user, void *old, size_t size, size_t alignment,
                                  VkSystemAllocationScope scope)
{
    release(user, old);
    return size ? allocate(user, size, alignment, scope) : NULL;
}

const VkAllocationCallbacks walk_allocator = {
    .pfnAllocation = allocate, .pfnReallocation = reallocate, .pfnFree = release};

size_t walk_allocated(void)
{
    return blocks;
}

void walk_fail_block(unsigned at, bool lasting)
{
    app_blocks.count = 0;
    app_blocks.fail = at;
    app_blocks.lasting = lasting;
    app_blocks.failed = false;
}

unsigned walk_blocks(void)
{
    return app_blocks.count;
}

bool walk_block_failed(void)
{
    return app_blocks.failed;
}

/* -- The layer's allocations */

static struct {
    pthread_t thread;
    unsigned count, fail;
    bool failed, lasting;
} tap;

void walk_fail_allocation(unsigned at, bool lasting)
{
    tap.lasting = lasting;
    tap.thread = pthread_self();
    tap.count = 0;
    tap.fail = at;
    tap.failed = false;
}

unsigned walk_allocations(void)
{
    return tap.count;
}

bool walk_allocation_failed(void)
{
    return tap.failed;
}

static bool refuse(void)
{
    if (!pthread_equal(tap.thread, pthread_self()))
        return false;
    tap.count++;
    if (!tap.fail || tap.count < tap.fail || (tap.count > tap.fail && !tap.lasting))
        return false;
    tap.failed = true;
    errno = ENOMEM;
    return true;
}

static void *tapped_malloc(size_t size)
{
    return refuse() ? NULL : malloc(size);
}

static void *tapped_calloc(size_t count, size_t size)
{
    return refuse() ? NULL : calloc(count, size);
}

static void *tapped_realloc(void *old, size_t size)
{
    return refuse() ? NULL : realloc(old, size);
}

static char *tapped_strdup(const char *text)
{
    return refuse() ? NULL : strdup(text);
}

static FILE *tapped_fopen(const char *path, const char *mode)
{
    return refuse() ? NULL : fopen(path, mode);
}

static int tapped_mkostemp(char *name, int flags)
{
    return refuse() ? -1 : mkostemp(name, flags);
}

static void *tapped_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return refuse() ? MAP_FAILED : mmap(at, size, protection, flags, file, offset);
}

static int tapped_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                                 void *argument)
{
    return refuse() ? EAGAIN : pthread_create(thread, attributes, run, argument);
}

static DIR *tapped_opendir(const char *path)
{
    return refuse() ? NULL : opendir(path);
}

static DIR *tapped_fdopendir(int file)
{
    return refuse() ? NULL : fdopendir(file);
}

/* fsync and syncfs: files are not to survive a power cut here, and there are thousands of them. */
static int tapped_fsync(int file)
{
    (void)file;
    return 0;
}

typedef void (*any_function)(void);
static const struct {
    const char *name;
    any_function function;
} taps[] = {
    {"malloc", (any_function)tapped_malloc},
    {"calloc", (any_function)tapped_calloc},
    {"realloc", (any_function)tapped_realloc},
    {"strdup", (any_function)tapped_strdup},
    {"fopen", (any_function)tapped_fopen},
    {"fopen64", (any_function)tapped_fopen},
    {"mkostemp", (any_function)tapped_mkostemp},
    {"mkostemp64", (any_function)tapped_mkostemp},
    {"mmap", (any_function)tapped_mmap},
    {"mmap64", (any_function)tapped_mmap},
    {"fsync", (any_function)tapped_fsync},
    {"syncfs", (any_function)tapped_fsync},
    {"opendir", (any_function)tapped_opendir},
    {"fdopendir", (any_function)tapped_fdopendir},
    {"pthread_create", (any_function)tapped_pthread_create},
};

#if defined(__x86_64__) && defined(__LP64__)
static void put(ElfW(Addr) place, any_function function)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = place & ~(page - 1);
    /* The table may have been made read-only (RELRO). */
    if (mprotect((void *)first, page * 2, PROT_READ | PROT_WRITE) != 0 &&
        mprotect((void *)first, page, PROT_READ | PROT_WRITE) != 0)
        return;
    memcpy((void *)place, &function, sizeof function);
}

static unsigned redirect(const struct dl_phdr_info *library, const ElfW(Dyn) * dynamic)
{
    const ElfW(Rela) * tables[2] = {0};
    size_t sizes[2] = {0};
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    unsigned done = 0;
    for (const ElfW(Dyn) *at = dynamic; at->d_tag != DT_NULL; at++) {
        if (at->d_tag == DT_SYMTAB)
            symbols = (const void *)at->d_un.d_ptr;
        else if (at->d_tag == DT_STRTAB)
            names = (const void *)at->d_un.d_ptr;
        else if (at->d_tag == DT_JMPREL || at->d_tag == DT_RELA)
            tables[at->d_tag == DT_RELA] = (const void *)at->d_un.d_ptr;
        else if (at->d_tag == DT_PLTRELSZ || at->d_tag == DT_RELASZ)
            sizes[at->d_tag == DT_RELASZ] = at->d_un.d_val / sizeof **tables;
    }
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; symbols && names && i < sizes[t]; i++) {
            const ElfW(Rela) *at = &tables[t][i];
            unsigned long type = ELF64_R_TYPE(at->r_info);
            if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
                continue;
            const char *name = names + symbols[ELF64_R_SYM(at->r_info)].st_name;
            for (size_t j = 0; j < sizeof taps / sizeof *taps; j++)
                if (strcmp(taps[j].name, name) == 0) {
                    put(library->dlpi_addr + at->r_offset, taps[j].function);
                    done++;
                }
        }
    return done;
}

static int look(struct dl_phdr_info *library, size_t size, void *done)
{
    (void)size;
    if (!library->dlpi_name || !strstr(library->dlpi_name, "VkLayer_wavepgo"))
        return 0;
    for (unsigned i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_DYNAMIC)
            *(unsigned *)done =
                redirect(library, (const void *)(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr));
    return 1;
}

bool walk_hook_allocations(void)
{
    unsigned done = 0;
    (void)dl_iterate_phdr(look, &done);
    return done > 0;
}
#else
bool walk_hook_allocations(void)
{
    return sizeof taps == 0;
}
#endif
