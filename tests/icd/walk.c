/* wpg_icd_walk LAYER SHADERS [--fresh] [--odd] [--reload] [--pieces a,b]
 *
 * Runs every piece of the application (walk_app.c) once, counting; then again with each driver call failing,
 * one at a time, and with each of the layer's allocations failing. The mode is in the environment
 * (WAVEPGO_*). Rules:
 *
 *   - nothing crashes;
 *   - a call of the application fails if, and only if, the driver failed that very call with the
 *     application's own objects, and then with the driver's result. Without memory, instance and device may
 *     be refused;
 *   - every object is destroyed once, with the allocator it was made with, and nothing gone is used (icd.c);
 *   - afterwards the layer works as before: the last run of a piece gives the driver as many changed shaders
 *     as the first (not with ICD_WALK_RACES, where a thread of the layer makes them).
 *
 * --fresh: each case in a process of its own, so that loading and unloading fail too. --odd: odd limits and
 * absent features instead of failures. --reload: the layer loaded and unloaded again and again. Exit code 1
 * when a rule is broken. */
#include "tests/icd/walk.h"
#include "tests/support/effort.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    char name[160]; /* of the case */
    unsigned cases, complaints;
    bool called[ICD_COMMANDS];
} walk;

enum { MOST_COMPLAINTS = 40 };

void walk_complain(const char *format, ...)
{
    va_list arguments;
    if (walk.complaints++ >= MOST_COMPLAINTS)
        return;
    fprintf(stderr, "FAIL: %s: ", walk.name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static void crashed(int number)
{
    static const char text[] = "\nFAIL: crashed in case ";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    (void)!write(STDERR_FILENO, walk.name, strlen(walk.name));
    (void)!write(STDERR_FILENO, "\n", 1);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* Sanitizers, where there are any. */
extern void __asan_set_death_callback(void (*callback)(void)) __attribute__((weak));
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static void died(void)
{
    fprintf(stderr, "FAIL: in case %s\n", walk.name);
}

static void look_for_leaks(void)
{
    if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
        walk_complain("leaked memory, in this case or one before it");
}

/* -- The application's calls */

PFN_vkVoidFunction walk_enter(walk_app *app, icd_command command)
{
    walk.called[command] = true;
    app->own = icd.fault.own;
    app->foreign = icd.fault.foreign;
    icd.application = command;
    return app->procs[command];
}

VkResult walk_leave(walk_app *app, icd_command command, VkResult result)
{
    const icd_fault *fault = &icd.fault;
    bool own = fault->own > app->own;
    icd.application = ICD_NO_COMMAND;
    if (own) {
        /* What failed may have been made in another way, or the same way again. */
        bool again = result == VK_SUCCESS && icd.calls[command] > fault->last[command];
        if (result != fault->with && !again)
            walk_complain("%s gives %d, the driver gave %d", icd_names[command], (int)result,
                          (int)fault->with);
        app->refused++;
    } else if (result < 0) {
        bool new_device = command == ICD_CreateInstance || command == ICD_CreateDevice;
        bool memory = result == VK_ERROR_OUT_OF_HOST_MEMORY &&
                      ((walk_allocation_failed() && new_device) || walk_block_failed());
        if (!memory)
            walk_complain("%s gives %d, which is not the application's", icd_names[command], (int)result);
        app->refused++;
    }
    return result;
}

/* -- Cases */

/* What the layer intercepts has been called. */
static void look_for_uncalled(void)
{
    (void)strcpy(walk.name, "all pieces");
    for (int i = 0; i < ICD_COMMANDS; i++)
        if (walk_intercepted[i] && !walk.called[i])
            walk_complain("%s is intercepted, and the walk does not call it", icd_names[i]);
}

/* Runs a piece; the fault is armed already. Returns pipelines that went down changed. */
static unsigned run(const walk_piece *piece)
{
    walk_app app = {0};
    unsigned changed = icd.changed;
    walk.cases++;
    icd.wrongs = 0;
    piece->run(&app);
    walk_fail_allocation(0, false);
    icd_reset();
    if (icd.wrongs)
        walk_complain("%u wrong uses of the driver", icd.wrongs);
    if (walk_allocated())
        walk_complain("%zu blocks of the application's allocator are left", walk_allocated());
    return icd.changed - changed;
}

/* With nothing failing; counts the calls and the allocations. */
static unsigned run_piece(const walk_piece *piece, unsigned calls[ICD_COMMANDS], unsigned *allocations)
{
    walk_fail_block(0, false);
    icd_arm(ICD_NO_COMMAND, 0, VK_SUCCESS);
    walk_fail_allocation(0, false);
    walk_app app = {0};
    unsigned changed = icd.changed;
    walk.cases++;
    icd.wrongs = 0;
    piece->run(&app);
    *allocations = walk_allocations();
    memcpy(calls, icd.calls, sizeof icd.calls);
    icd_reset();
    if (icd.wrongs || app.refused)
        walk_complain("%u wrong uses, %u calls refused with nothing failing", icd.wrongs, app.refused);
    return icd.changed - changed;
}

static void fail_call(const walk_piece *piece, icd_command command, unsigned at, VkResult with, bool lasting)
{
    (void)snprintf(walk.name, sizeof walk.name, "%s, %s number %u%s gives %d", piece->name,
                   icd_names[command], at, lasting ? " and later" : "", (int)with);
    icd_arm(command, at, with);
    icd.fault.lasting = lasting;
    (void)run(piece);
}

/* Every call, of commands that are called hundreds of times a part. */
static void fail_calls(const walk_piece *piece, const unsigned calls[ICD_COMMANDS])
{
    for (int c = 0; c < ICD_COMMANDS; c++) {
        if (!icd.can_fail[c])
            continue;
        unsigned step = calls[c] / 64 + 1;
        for (unsigned n = 1; n <= calls[c]; n += step) {
            for (int lasting = 0; lasting < 2; lasting++) {
                fail_call(piece, (icd_command)c, n, VK_ERROR_OUT_OF_DEVICE_MEMORY, lasting);
                if (icd_may_lose_device((icd_command)c) || c == ICD_CreateComputePipelines)
                    fail_call(piece, (icd_command)c, n, VK_ERROR_DEVICE_LOST, lasting);
            }
        }
    }
    look_for_leaks();
}

/* Every allocation, or so many of them, spread, where there are more. */
static unsigned most_allocations(void)
{
    const char *most = getenv("ICD_WALK_ALLOCATIONS");
    return most ? (unsigned)strtoul(most, NULL, 10) : effort_count(250, 1000);
}

static void fail_allocations(const walk_piece *piece, unsigned count)
{
    unsigned most = most_allocations(), step = most && count > most ? (count + most - 1) / most : 1;
    for (unsigned n = 1, lasting = 0; n <= count; n += lasting ? step : 0, lasting = !lasting) {
        (void)snprintf(walk.name, sizeof walk.name, "%s, allocation %u%s of %u fails", piece->name, n,
                       lasting ? " and later" : "", count);
        icd_arm(ICD_NO_COMMAND, 0, VK_SUCCESS);
        walk_fail_allocation(n, lasting);
        (void)run(piece);
    }
    look_for_leaks();
}

/* The application's own allocator refuses. */
static void fail_blocks(const walk_piece *piece, unsigned count)
{
    for (unsigned n = 1, lasting = 0; n <= count; n += lasting, lasting = !lasting) {
        (void)snprintf(walk.name, sizeof walk.name, "%s, block %u%s of the application's %u is refused",
                       piece->name, n, lasting ? " and later" : "", count);
        icd_arm(ICD_NO_COMMAND, 0, VK_SUCCESS);
        walk_fail_block(n, lasting);
        (void)run(piece);
    }
    walk_fail_block(0, false);
    look_for_leaks();
}

static void walk_piece_through(const walk_piece *piece)
{
    unsigned calls[ICD_COMMANDS], again[ICD_COMMANDS], allocations, unused, before = walk.cases;
    (void)snprintf(walk.name, sizeof walk.name, "%s", piece->name);
    unsigned first = run_piece(piece, calls, &allocations);
    /* The second run finds what the first left behind: caches, files. */
    unsigned second = run_piece(piece, calls, &allocations);
    look_for_leaks();
    unsigned blocks = walk_blocks();
    fail_calls(piece, calls);
    fail_blocks(piece, blocks);
    fail_allocations(piece, allocations);
    (void)snprintf(walk.name, sizeof walk.name, "%s, at the end", piece->name);
    unsigned last = run_piece(piece, again, &unused);
    /* What a thread of the layer makes before the application destroys it is another number each time. */
    const bool races = getenv("ICD_WALK_RACES") != NULL;
    if (!races && (first != second || first != last))
        walk_complain("%u pipelines went down changed, then %u, at the end %u", first, second, last);
    for (int i = 0; i < ICD_COMMANDS; i++)
        if (!races && calls[i] != again[i])
            walk_complain("%s is called %u times at first and %u at the end", icd_names[i], calls[i],
                          again[i]);
    look_for_leaks();
    printf("%s: %u allocations, %u pipelines changed, %u cases\n", piece->name, allocations, first,
           walk.cases - before);
}

static bool is_asked_for(const char *list, const walk_piece *piece)
{
    const char *name = piece->name;
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return !*list && !piece->apart;
}

/* -- Each case in a process of its own */

static unsigned in_child(const char *layer, const walk_piece *piece, unsigned fail)
{
    int pipes[2], status = 0;
    unsigned count = 0;
    (void)snprintf(walk.name, sizeof walk.name, "%s, from loading on, allocation %u fails", piece->name,
                   fail);
    walk.cases++;
    fflush(NULL);
    if (pipe(pipes) != 0)
        return 0;
    pid_t child = fork();
    if (child == 0) {
        walk.complaints = 0;
        walk_fail_allocation(fail, false);
        if (!walk_load(layer))
            _exit(3);
        walk_app app = {0};
        piece->run(&app);
        icd_reset();
        if (icd.wrongs)
            walk_complain("%u wrong uses of the driver", icd.wrongs);
        count = walk_allocations();
        (void)!write(pipes[1], &count, sizeof count);
        if (walk.complaints)
            _exit(1);
        exit(0); /* through the layer's own end, and the leak checker's */
    }
    (void)close(pipes[1]);
    (void)!read(pipes[0], &count, sizeof count);
    (void)close(pipes[0]);
    if (waitpid(child, &status, 0) != child || status != 0)
        walk_complain("ends with status 0x%x", (unsigned)status);
    return count;
}

static void walk_fresh(const char *layer, const walk_piece *piece)
{
    /* What comes at the end of the process is not in the count. */
    unsigned count = in_child(layer, piece, 0) + 64;
    unsigned most = most_allocations() / 8, step = most && count > most ? (count + most - 1) / most : 1;
    for (unsigned n = 1; n <= count; n += step)
        (void)in_child(layer, piece, n);
    printf("%s: %u processes\n", piece->name, walk.cases);
}

/* -- Loaded and unloaded many times in one process */

static void walk_reloading(const char *layer, const char *pieces)
{
    enum { ROUNDS = 20 };
    unsigned calls[ICD_COMMANDS], allocations, first = 0;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned changed = 0;
        (void)snprintf(walk.name, sizeof walk.name, "loaded %d times", round + 1);
        if (!walk_load(layer)) {
            walk_complain("cannot be loaded");
            return;
        }
        for (size_t i = 0; i < walk_piece_count; i++)
            if (is_asked_for(pieces, &walk_pieces[i]))
                changed += run_piece(&walk_pieces[i], calls, &allocations);
        if (!walk_unload(layer))
            walk_complain("is gone, and with it what it counted for the next time");
        first = round ? first : changed;
        if (changed != first)
            walk_complain("%u pipelines changed, %u at first", changed, first);
    }
    look_for_leaks();
    printf("%u pipelines changed, %d times\n", first, ROUNDS);
}

/* -- Odd limits, absent features */

/* What the device is like, and what the layer says where nothing can be counted then (NULL: it counts). */
typedef struct oddity {
    icd_odd odd;
    const char *lacks, *reason;
    walk_ask asks;
} oddity;

static const oddity oddities[] = {
    {ICD_ODD_MINIMAL, "", NULL, 0},
    {ICD_ODD_ALIGNED, "", NULL, 0},
    {ICD_ODD_SUBGROUP_1, "", NULL, 0},
    {ICD_ODD_SUBGROUP_128, "", NULL, 0},
    {ICD_ODD_SUBGROUP_NONE, "", NULL, 0},
    {ICD_ODD_NO_HOST, "", "no memory type fits", 0},
    {ICD_ODD_NO_MEMORY, "", NULL, 0}, /* a driver that only compiles */
    {ICD_ODD_TINY_HEAP, "", "no memory type fits", 0},
    {ICD_ODD_SMALL_HEAP, "", NULL, 0},
    {ICD_ODD_NOT_COHERENT, "", "no memory type fits", 0},
    {ICD_ODD_DISCRETE, "", NULL, 0},
    {ICD_ODD_NO_ADDRESS, "", NULL, 0},
    {ICD_ODD_TRANSFER, "", NULL, 0},
    {ICD_ODD_NO_QUEUES, "", "no queue that can copy", 0},
    {ICD_ODD_OLD, "", "Vulkan 1.0 only", 0},
    {ICD_ORDINARY, "bufferDeviceAddress", "no bufferDeviceAddress", 0},
    {ICD_ORDINARY, "vertexPipelineStoresAndAtomics", NULL, 0},
    {ICD_ORDINARY, "fragmentStoresAndAtomics", NULL, 0},
    {ICD_ORDINARY, "shaderInt64", NULL, 0},
    {ICD_ORDINARY, "shaderBufferInt64Atomics", NULL, 0},
    {ICD_ORDINARY, "shaderDemoteToHelperInvocation", NULL, 0},
    {ICD_ORDINARY, "vulkanMemoryModel,vulkanMemoryModelDeviceScope", NULL, 0},
    {ICD_ORDINARY, "vulkanMemoryModelDeviceScope", NULL, 0},
    {ICD_ORDINARY, "pipelineStatisticsQuery", NULL, 0},
    {ICD_ORDINARY, "hostQueryReset", NULL, 0},
    {ICD_ORDINARY, "performanceCounterQueryPools", NULL, 0},
    {ICD_ORDINARY, "VK_KHR_performance_query", NULL, 0},
    {ICD_ORDINARY, "VK_EXT_external_memory_host", NULL, 0},
    {ICD_ORDINARY, "importable-buffers", NULL, 0},
    {ICD_ORDINARY, "vkGetPhysicalDeviceExternalBufferProperties", NULL, 0},
    {ICD_ORDINARY, "VK_KHR_shader_maximal_reconvergence", NULL, 0},
    {ICD_ORDINARY, "VK_KHR_shader_non_semantic_info", NULL, 0},
    {ICD_ORDINARY, "vkGetPhysicalDeviceFeatures2", "no bufferDeviceAddress", 0},
    {ICD_ORDINARY, "vkGetPhysicalDeviceProperties2", "no bufferDeviceAddress", 0},
    {ICD_ORDINARY, "vkGetMemoryHostPointerPropertiesEXT", NULL, 0},
    {ICD_ORDINARY, "vkGetBufferDeviceAddress", "vkGetBufferDeviceAddress is missing", 0},
    {ICD_ORDINARY, "vkGetShaderModuleCreateInfoIdentifierEXT", NULL, 0},
    {ICD_ORDINARY, "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR", NULL, 0},
    {ICD_ORDINARY, "vkAcquireProfilingLockKHR", NULL, 0},
    {ICD_ORDINARY, "vkResetQueryPool", NULL, 0},
    {ICD_ORDINARY, "", "the device is a group of several", WALK_ASKS_GROUP},
    {ICD_ORDINARY, "", "the program makes a protected queue", WALK_ASKS_PROTECTED},
};

/* Whether the log says so, behind *from; moves *from to its end. */
static bool log_says(const char *what, long *from)
{
    const char *path = getenv("WAVEPGO_LOG_FILE");
    FILE *file = path ? fopen(path, "r") : NULL;
    char line[1024];
    bool said = false;
    if (!file)
        return true;
    (void)fseek(file, *from, SEEK_SET);
    while (fgets(line, sizeof line, file))
        said |= what && strstr(line, what) != NULL;
    *from = ftell(file);
    (void)fclose(file);
    return said;
}

static void walk_one_oddity(const walk_piece *piece, const oddity *one, unsigned usual)
{
    const char *mode = getenv("WAVEPGO_MODE");
    bool generates = mode && strcmp(mode, "generate") == 0;
    unsigned calls[ICD_COMMANDS], allocations;
    static long log_end;
    icd.odd = one->odd;
    icd.lacks = one->lacks;
    walk_asks = one->asks;
    (void)log_says(NULL, &log_end);
    unsigned changed = run_piece(piece, calls, &allocations);
    if (generates && one->reason && changed)
        walk_complain("%u pipelines are counted", changed);
    if (generates && one->reason && !log_says(one->reason, &log_end))
        walk_complain("the log does not say: %s", one->reason);
    if ((!generates || !one->reason) && usual && !changed)
        walk_complain("nothing is changed any more");
}

static void walk_oddly(const walk_piece *piece)
{
    unsigned calls[ICD_COMMANDS], allocations, before = walk.cases;
    for (int replays = 0; replays < 2; replays++) {
        icd.replays = replays;
        (void)snprintf(walk.name, sizeof walk.name, "%s", piece->name);
        unsigned usual = run_piece(piece, calls, &allocations);
        for (size_t i = 0; i < sizeof oddities / sizeof *oddities; i++) {
            (void)snprintf(walk.name, sizeof walk.name, "%s, %s %s%s", piece->name,
                           icd_odd_names[oddities[i].odd], oddities[i].lacks,
                           replays ? ", addresses replayed" : "");
            walk_one_oddity(piece, &oddities[i], usual);
        }
        icd.odd = ICD_ORDINARY;
        icd.lacks = "";
        walk_asks = WALK_ASKS_NOTHING;
        if (run_piece(piece, calls, &allocations) != usual)
            walk_complain("after oddities another number of pipelines is changed");
    }
    icd.replays = false;
    look_for_leaks();
    printf("%s: %u cases\n", piece->name, walk.cases - before);
}

/* -- */

static void each_piece(const char *pieces, void (*walk_it)(const walk_piece *piece))
{
    for (size_t i = 0; i < walk_piece_count; i++)
        if (is_asked_for(pieces, &walk_pieces[i]))
            walk_it(&walk_pieces[i]);
}

int main(int argc, char **argv)
{
    bool fresh = false, odd = false, reload = false;
    const char *pieces = "";
    if (argc < 3) {
        fprintf(stderr, "usage: %s LAYER SHADERS [--fresh] [--odd] [--reload] [--pieces a,b]\n", argv[0]);
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        fresh |= strcmp(argv[i], "--fresh") == 0;
        odd |= strcmp(argv[i], "--odd") == 0;
        reload |= strcmp(argv[i], "--reload") == 0;
        if (strcmp(argv[i], "--pieces") == 0 && i + 1 < argc)
            pieces = argv[++i];
    }
    walk_settings = getenv("ICD_WALK_SETTINGS");
    icd.counts = true;
    if (!walk_app_init(argv[2]))
        return 2;
    if (__asan_set_death_callback)
        __asan_set_death_callback(died);
    else
        for (int *s = (int[]){SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, 0}; *s; s++)
            (void)signal(*s, crashed);
    if (fresh) {
        for (size_t i = 0; i < walk_piece_count; i++)
            if (is_asked_for(pieces, &walk_pieces[i]))
                walk_fresh(argv[1], &walk_pieces[i]);
    } else if (reload)
        walk_reloading(argv[1], pieces);
    else if (!walk_load(argv[1]))
        return 2;
    else
        each_piece(pieces, odd ? walk_oddly : walk_piece_through);
    if (!*pieces && !reload)
        look_for_uncalled();
    walk_app_finish();
    printf("%u cases, %u failures\n", walk.cases, walk.complaints);
    return walk.complaints > 0;
}
