/* The walk: one application in pieces (walk_app.c), on the layer under test, on the failing driver, with a
 * small loader of its own between them (walk_loader.c). walk.c runs each piece again and again and fails
 * another call or allocation each time. Threads: one, besides what the layer starts. */
#ifndef WPG_TEST_ICD_WALK_H
#define WPG_TEST_ICD_WALK_H

#include "layer/base/newer.h"
#include "tests/icd/icd.h"

typedef struct walk_app {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    PFN_vkVoidFunction procs[ICD_COMMANDS]; /* the layer's, or the driver's where it does not intercept */
    unsigned own, foreign; /* failures of the driver, and blocks refused, before the call it is in */
    unsigned refused;      /* calls that failed, as they should */
} walk_app;

/* -- walk_loader.c */

/* Loads the layer; false: it cannot be loaded (said on standard error). */
bool walk_load(const char *path);
/* Lets go of it. Whether it is still there: it is marked never to be unloaded. */
bool walk_unload(const char *path);
/* Redirects what the layer's library calls to get memory; false: not on this machine. */
bool walk_hook_allocations(void);
/* Fails the n-th allocation of the calling thread from here on, and with `lasting` all later ones; 0: none.
 * The count of those since.  */
void walk_fail_allocation(unsigned at, bool lasting);
unsigned walk_allocations(void);
bool walk_allocation_failed(void);

VkResult walk_create_instance(walk_app *app, const VkInstanceCreateInfo *info);
VkResult walk_create_device(walk_app *app, const VkDeviceCreateInfo *info);
/* Fills app->procs from the device. */
void walk_find_commands(walk_app *app);
/* Commands that the layer has taken for itself on some device so far. */
extern bool walk_intercepted[ICD_COMMANDS];
/* As the loader does with what it hands out. */
void walk_adopt(const walk_app *app, void *dispatchable);
/* The application's allocator; blocks that it has given and not got back. */
extern const VkAllocationCallbacks walk_allocator;
size_t walk_allocated(void);
/* Fails the n-th block that is asked of it, and with `lasting` all later ones; 0: none. */
void walk_fail_block(unsigned at, bool lasting);
unsigned walk_blocks(void);
bool walk_block_failed(void);

/* -- walk_app.c */

typedef struct walk_piece {
    const char *name;
    void (*run)(walk_app *app);
    bool apart; /* run only where it is asked for by name */
} walk_piece;
extern const walk_piece walk_pieces[];
extern const size_t walk_piece_count;
/* What the application asks of its device besides the ordinary. */
typedef enum walk_ask { WALK_ASKS_NOTHING, WALK_ASKS_GROUP, WALK_ASKS_PROTECTED } walk_ask;
extern walk_ask walk_asks;
/* Settings that it passes with its instance (VK_EXT_layer_settings), "key=value,key=value"; numbers as
 * VK_LAYER_SETTING_TYPE_UINT32_EXT, the rest as strings. NULL: none. */
extern const char *walk_settings;
/* Reads the shaders. */
bool walk_app_init(const char *folder);
void walk_app_finish(void);

/* -- walk.c */

/* A case went wrong. */
void walk_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Before and after each call of the application. */
PFN_vkVoidFunction walk_enter(walk_app *app, icd_command command);
VkResult walk_leave(walk_app *app, icd_command command, VkResult result);

#define DO(name, ...) walk_leave(app, ICD_##name, ((PFN_vk##name)walk_enter(app, ICD_##name))(__VA_ARGS__))
#define RUN(name, ...)                                                                                       \
    do {                                                                                                     \
        ((PFN_vk##name)walk_enter(app, ICD_##name))(__VA_ARGS__);                                            \
        (void)walk_leave(app, ICD_##name, VK_SUCCESS);                                                       \
    } while (0)

#endif
