/* Runs modules of the corpus as pipelines in one process, hundreds alive at a time, and prints what each
 * wrote:
 *
 *     corpus_run [-aRz] [-b ALIVE] [-l SECONDS] [-n RUNS] FILE.spv...    - reads names from standard input
 *
 * A case is an entry point: a name is a file (all of its entry points) or FILE, stage and entry point, with
 * tabs between. A line for each case, in the order of the names: file, stage, entry point, a hash of all
 * that it wrote with data set 0, and with data set 1; or "-" and why it is left out.
 *
 *     -a  each case again, once no thread works any more: hashes stand behind a slash if they differ
 *     -b  so many pipelines are alive at a time (256)
 *     -l  seconds of processor time for one case (5)
 *     -n  so many more runs of each case with data set 0: for profiles
 *     -R  the last case first: what depends on memory that others left differs then
 *     -z  variables of the modules begin with zeros (zeros.h)
 *
 * The cases run in a child process. Where the child crashes, or a case does not end, the case is named so
 * and the next child goes on behind it. The last line on standard error: cases, processor time of creation
 * and of all. Exit code 77: no device. Threads: one, beside the driver's. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "tests/corpus/list.h"
#include "tests/corpus/subject.h"
#include "tests/corpus/zeros.h"

enum { DATA_SETS = 2, PASSES = 2, MOST_MODULE = 64 << 20, NONE = -1 };

/* Shared by parent and child. */
typedef struct item {
    const char *path, *entry;
    uint32_t model;
    bool done;
    char why[80]; /* empty: it ran */
    uint64_t hashes[PASSES][DATA_SETS];
} item;

static struct state {
    int current;            /* being made or run */
    struct timespec began;  /* of `current`: the child's processor time */
    double creation, total; /* seconds of processor time */
    size_t count;
    item items[];
} * state;

static struct {
    bool again, reversed, zeros;
    uint32_t alive, seconds, more;
} options = {.alive = 256, .seconds = 5};

static double seconds_of(struct timespec t)
{
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double processor_time(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return seconds_of(now);
}

static void begin(int number)
{
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &state->began);
    state->current = number;
}

static void finish(item *i, const char *why)
{
    (void)snprintf(i->why, sizeof i->why, "%s", why);
    i->done = true;
}

static bool make(subject *to, item *i, vk_program *vk)
{
    uint8_t *data;
    size_t size;
    const char *why = "no file";
    bool made = false;
    if (wpg_file_read(&data, &size, i->path, MOST_MODULE, NULL) == WPG_OK) {
        uint32_t *words = (uint32_t *)(void *)data, *zeroed = NULL;
        size_t count = size / 4;
        if (options.zeros && zeros_begin(&zeroed, &count, words, count))
            words = zeroed;
        made = subject_make(to, &why, vk, words, count, i->model, i->entry, given_read(i->path));
        free(zeroed);
        free(data);
    }
    if (!made)
        finish(i, why);
    return made;
}

/* Until the threads of the process have had nothing to do for a while. */
static void wait_for_threads(void)
{
    const struct timespec pause = {0, 100000000};
    for (int quiet = 0; quiet < 3;) {
        const double before = processor_time();
        (void)nanosleep(&pause, NULL);
        quiet = processor_time() - before < 0.002 ? quiet + 1 : 0;
    }
}

static void run_batch(vk_program *vk, const int *numbers, size_t count, subject *subjects)
{
    for (size_t n = 0; n < count; n++) {
        const double before = processor_time();
        begin(numbers[n]);
        (void)make(&subjects[n], &state->items[numbers[n]], vk);
        state->creation += processor_time() - before;
    }
    for (int pass = 0; pass <= options.again; pass++) {
        state->current = NONE;
        if (pass)
            wait_for_threads();
        for (size_t n = 0; n < count; n++) {
            item *i = &state->items[numbers[n]];
            if (!subjects[n].pipeline)
                continue;
            begin(numbers[n]);
            for (uint32_t set = 0; set < DATA_SETS; set++)
                i->hashes[pass][set] = subject_run(&subjects[n], vk, set, set || pass ? 0 : options.more);
        }
    }
    for (size_t n = 0; n < count; n++) {
        item *i = &state->items[numbers[n]];
        if (!subjects[n].pipeline)
            continue;
        begin(numbers[n]);
        subject_drop(&subjects[n], vk);
        if (!options.again)
            memcpy(i->hashes[1], i->hashes[0], sizeof i->hashes[0]);
        i->done = true;
    }
    state->current = NONE;
}

static void child(void)
{
    vk_program vk;
    state->current = NONE;
    vk_open(&vk, VK_API_VERSION_1_3, VK_STYLE_ALL, 64);
    if (vk.memoryless)
        exit(VK_EXIT_SKIP);
    int *numbers = calloc(options.alive, sizeof *numbers);
    subject *subjects = calloc(options.alive, sizeof *subjects);
    if (!numbers || !subjects)
        exit(2);
    size_t count = 0;
    for (size_t n = 0; n < state->count; n++) {
        const size_t at = options.reversed ? state->count - 1 - n : n;
        if (!state->items[at].done)
            numbers[count++] = (int)at;
        if (count == options.alive || (n + 1 == state->count && count)) {
            memset(subjects, 0, options.alive * sizeof *subjects);
            run_batch(&vk, numbers, count, subjects);
            count = 0;
        }
    }
    vk_close(&vk);
    exit(0);
}

/* Ends a child whose case runs for too long. */
static void watch(pid_t pid)
{
    clockid_t clock;
    struct timespec now;
    static int waited, last = NONE; /* tenths of seconds; a case that waits for ever uses no processor time */
    const int current = state->current;
    waited = current == last ? waited + 1 : 0;
    last = current;
    if (current == NONE || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &now) != 0)
        return;
    if (seconds_of(now) - seconds_of(state->began) > options.seconds || waited > 10 * 60 * 10) {
        finish(&state->items[current], "does not end");
        (void)kill(pid, SIGKILL);
    }
}

/* The exit code of a child that ended by itself; 0 for one that a case ended. */
static int run_child(void)
{
    const struct timespec tenth = {0, 100000000};
    struct rusage used;
    sigset_t children;
    int status;
    (void)sigemptyset(&children);
    (void)sigaddset(&children, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &children, NULL);
    (void)fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)sigprocmask(SIG_UNBLOCK, &children, NULL);
        child();
    }
    while (pid > 0 && wait4(pid, &status, WNOHANG, &used) == 0) {
        (void)sigtimedwait(&children, NULL, &tenth);
        watch(pid);
    }
    if (pid < 0)
        return 2;
    state->total += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                    (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    const int current = state->current;
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || current == NONE))
        return WEXITSTATUS(status);
    if (current == NONE) {
        fprintf(stderr, "the driver crashes without a case\n");
        return 2;
    }
    if (!state->items[current].done)
        finish(&state->items[current], WIFSIGNALED(status) ? "crashes" : "ends the program");
    return 0;
}

/* Adds the entry points of a file, or the one that the name names. */
static void add_cases(struct state **to, size_t *room, const char *name)
{
    char *path = strdup(name), *stage = path ? strchr(path, '\t') : NULL, *entry = NULL;
    uint8_t *data = NULL;
    size_t size = 0;
    wpg_module *module = NULL;
    if (!path)
        exit(2);
    if (stage) {
        *stage++ = 0;
        entry = strchr(stage, '\t');
        if (entry)
            *entry++ = 0;
    }
    if (wpg_file_read(&data, &size, path, MOST_MODULE, NULL) == WPG_OK)
        (void)wpg_module_parse(&module, (const uint32_t *)(const void *)data, size / 4, NULL);
    for (const wpg_inst *i = module ? module->first : NULL; i && i->opcode != SpvOpFunction; i = i->next) {
        const char *found = i->opcode == SpvOpEntryPoint ? wpg_inst_string(i, 3) : NULL;
        const char *model = found ? wpg_stage_name((SpvExecutionModel)i->words[1]) : NULL;
        if (!model || (entry && (strcmp(found, entry) != 0 || strcmp(model, stage) != 0)))
            continue;
        if ((*to)->count == *room) {
            *room *= 2;
            *to = realloc(*to, sizeof **to + *room * sizeof(item));
            if (!*to)
                exit(2);
        }
        (*to)->items[(*to)->count++] = (item){.path = path, .entry = strdup(found), .model = i->words[1]};
    }
    wpg_module_destroy(module);
    free(data);
}

static void leave_out_stages(void)
{
    for (size_t n = 0; n < state->count; n++)
        if (state->items[n].model != SpvExecutionModelVertex &&
            state->items[n].model != SpvExecutionModelFragment &&
            state->items[n].model != SpvExecutionModelGLCompute)
            finish(&state->items[n], "a stage that is not run here");
}

static void print(const item *i)
{
    const uint64_t(*h)[DATA_SETS] = i->hashes;
    printf("%s\t%s\t%s\t", i->path, wpg_stage_name((SpvExecutionModel)i->model), i->entry);
    if (i->why[0])
        printf("-\t%s\n", i->why);
    else if (memcmp(h[0], h[1], sizeof h[0]) == 0)
        printf("%016llx\t%016llx\n", (unsigned long long)h[0][0], (unsigned long long)h[0][1]);
    else
        printf("%016llx/%016llx\t%016llx/%016llx\n", (unsigned long long)h[0][0], (unsigned long long)h[1][0],
               (unsigned long long)h[0][1], (unsigned long long)h[1][1]);
}

static bool read_options(int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "aRzb:l:n:")) != -1)
        switch (option) {
        case 'a':
            options.again = true;
            break;
        case 'R':
            options.reversed = true;
            break;
        case 'z':
            options.zeros = true;
            break;
        case 'b':
            options.alive = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 'l':
            options.seconds = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 'n':
            options.more = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        default:
            return false;
        }
    return optind < argc && options.alive;
}

int main(int argc, char **argv)
{
    size_t count, room = 256, ran = 0;
    if (!read_options(argc, argv)) {
        fprintf(stderr,
                "usage: corpus_run [-aRz] [-b ALIVE] [-l SECONDS] [-n RUNS] FILE.spv... (- reads names from "
                "standard input)\n");
        return 2;
    }
    char **names = list_names(&count, argc - optind, argv + optind);
    struct state *cases = calloc(1, sizeof *cases + room * sizeof(item));
    if (!names || !cases)
        return 2;
    for (size_t n = 0; n < count; n++)
        add_cases(&cases, &room, names[n]);
    const size_t size = sizeof *cases + cases->count * sizeof(item);
    state = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (state == MAP_FAILED)
        return 2;
    memcpy(state, cases, size);
    leave_out_stages();
    for (bool more = true; more;) {
        const int code = run_child();
        if (code)
            return code;
        more = false;
        for (size_t n = 0; n < state->count; n++)
            more |= !state->items[n].done;
    }
    for (size_t n = 0; n < state->count; n++) {
        print(&state->items[n]);
        ran += !state->items[n].why[0];
    }
    fprintf(stderr, "%zu cases, %zu ran; processor time: creation %.2f s, all %.2f s\n", state->count, ran,
            state->creation, state->total);
    return 0;
}
