/* One child process for each pipeline: a driver that crashes on a shader ends that child alone. The child
 * writes facts to a temporary file, so facts from before a crash survive. */
#include "runtime/cli/estimate/estimate.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 300, LINE = 1024, FIELDS = 4 };

/* -- The child */

/* Drivers talk; the layer shall not be there, nor any cache that hides the compiler's work. */
static void set_up(const wpg_estimate *estimate)
{
    const char *manifest = estimate->driver;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
    }
    (void)setenv("WAVEPGO_DISABLE", "1", 1);
    (void)unsetenv("VK_INSTANCE_LAYERS");
    (void)setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    (void)setenv("RADV_DEBUG", "nocache", 0);
    if (manifest) {
        (void)setenv("VK_DRIVER_FILES", manifest, 1);
        (void)setenv("VK_ICD_FILENAMES", manifest, 1);
    } else if (estimate->any_manifest) {
        (void)unsetenv("VK_DRIVER_FILES");
        (void)unsetenv("VK_ICD_FILENAMES");
    }
    (void)alarm(PATIENCE_SECONDS);
}

static wpg_status run_child(FILE *out, const wpg_estimate *estimate, const wpg_estimate_pipeline *pipeline,
                            int *exited, wpg_error *err)
{
    (void)fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return wpg_fail(err, WPG_E_IO, "no child process can be made");
    if (child == 0) {
        set_up(estimate);
        wpg_estimate_child(out, estimate, pipeline);
        (void)fflush(out);
        _exit(0); /* what drivers do at exit is not asked about */
    }
    while (waitpid(child, exited, 0) < 0)
        ;
    return WPG_OK;
}

/* -- What it wrote */

typedef struct reader {
    wpg_estimate *estimate;
    wpg_estimate_pipeline *pipeline;
    int form;   /* that is being compiled; -1: none yet */
    bool ended; /* the child came to its end */
    bool out_of_memory;
} reader;

/* Longer texts are cut: names, for people. */
static void copy_text(char *to, size_t size, const char *text)
{
    (void)snprintf(to, size, "%s", text);
}
#define COPY(to, text) copy_text((to), sizeof(to), (text))

/* Room for one more at a power of two; false when memory ran out. */
static bool grow(void **items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return true;
    void *moved = realloc(*items, (count ? 2 * count : 1) * size);
    if (moved)
        *items = moved;
    return moved != NULL;
}

static void add_executable(reader *r, char *const *fields)
{
    wpg_estimate_result *result = &r->pipeline->results[r->form];
    wpg_estimate_executable made = {.subgroup_size = (uint32_t)strtoul(fields[2], NULL, 10)};
    if (result->count == WPG_ESTIMATE_EXECUTABLES)
        return;
    if (!grow((void **)&result->executables, result->count, sizeof made)) {
        r->out_of_memory = true;
        return;
    }
    COPY(made.name, fields[0]);
    COPY(made.stages, fields[1]);
    result->executables[result->count++] = made;
}

static void add_statistic(reader *r, char *const *fields, bool is_number)
{
    wpg_estimate_result *result = &r->pipeline->results[r->form];
    wpg_estimate_executable *last = result->count ? &result->executables[result->count - 1] : NULL;
    wpg_estimate_statistic made = {.is_number = is_number, .number = strtod(fields[1], NULL)};
    if (!last || last->count == WPG_ESTIMATE_STATISTICS)
        return;
    if (!grow((void **)&last->statistics, last->count, sizeof made)) {
        r->out_of_memory = true;
        return;
    }
    COPY(made.name, fields[0]);
    COPY(made.value, fields[1]);
    last->statistics[last->count++] = made;
}

static void read_line(reader *r, const char *what, char *const *fields)
{
    wpg_estimate_device *device = &r->estimate->device;
    bool has_form = r->form >= 0;
    if (strcmp(what, "device") == 0) {
        COPY(device->name, fields[0]);
        COPY(device->driver, fields[1]);
        COPY(device->info, fields[2]);
    } else if (strcmp(what, "absent") == 0) {
        COPY(device->problem, fields[0]);
    } else if (strcmp(what, "form") == 0 || strcmp(what, "failed") == 0) {
        int form = atoi(fields[0]);
        r->form = form >= 0 && form < WPG_ESTIMATE_FORMS ? form : -1;
        if (r->form >= 0 && *what == 'f' && what[1] == 'a')
            COPY(r->pipeline->results[form].problem, fields[1]);
    } else if (strcmp(what, "time") == 0 && has_form) {
        wpg_estimate_result *result = &r->pipeline->results[r->form];
        if (result->time_count < WPG_ESTIMATE_REPEATS)
            result->times[result->time_count++] = strtod(fields[0], NULL);
    } else if (strcmp(what, "executable") == 0 && has_form) {
        add_executable(r, fields);
    } else if ((strcmp(what, "number") == 0 || strcmp(what, "text") == 0) && has_form) {
        add_statistic(r, fields, *what == 'n');
    } else if (strcmp(what, "end") == 0) {
        r->ended = true;
    }
}

static void read_lines(reader *r, FILE *in)
{
    char line[LINE];
    rewind(in);
    while (fgets(line, sizeof line, in)) {
        char *fields[FIELDS] = {"", "", "", ""}, *at = line;
        line[strcspn(line, "\n")] = '\0';
        for (int i = 0; i < FIELDS; i++) {
            fields[i] = at;
            at += strcspn(at, "\t");
            if (*at)
                *at++ = '\0';
        }
        read_line(r, fields[0], fields + 1);
    }
}

static void result_clear(wpg_estimate_result *result, const char *why)
{
    for (size_t i = 0; i < result->count; i++)
        free(result->executables[i].statistics);
    free(result->executables);
    *result = (wpg_estimate_result){0};
    COPY(result->problem, why);
}

/* What is not there has a reason. */
static void explain(reader *r, int exited)
{
    char why[128];
    if (WIFSIGNALED(exited) && WTERMSIG(exited) == SIGALRM)
        (void)snprintf(why, sizeof why, "the driver took more than %d seconds", PATIENCE_SECONDS);
    else
        (void)snprintf(why, sizeof why, "the driver crashed on it (%s %d)",
                       WIFSIGNALED(exited) ? "signal" : "exit code",
                       WIFSIGNALED(exited) ? WTERMSIG(exited) : WEXITSTATUS(exited));
    if (!r->ended && r->form >= 0)
        result_clear(&r->pipeline->results[r->form], why);
    for (int form = 0; form < WPG_ESTIMATE_FORMS; form++) {
        wpg_estimate_result *result = &r->pipeline->results[form];
        if (!result->count && !result->same && !*result->problem)
            COPY(result->problem, r->ended ? "the driver reports no statistics for it" : why);
    }
}

/* Is the form made of other words than the original, or missing? */
static void look_at_form(wpg_estimate_pipeline *pipeline, wpg_estimate_form form)
{
    wpg_estimate_result *result = &pipeline->results[form];
    result->same = true;
    for (size_t i = 0; i < pipeline->stage_count; i++) {
        const wpg_estimate_words *words = &pipeline->stages[i].forms[form];
        bool waves = form == WPG_ESTIMATE_USE && pipeline->stages[i].wave_size;
        if (words->words || words->missing || waves)
            result->same = false;
        if (words->missing)
            COPY(result->problem, pipeline->stages[i].note);
    }
}

static void sum_up_times(wpg_estimate_pipeline *pipeline)
{
    for (int form = 0; form < WPG_ESTIMATE_FORMS; form++) {
        wpg_estimate_result *result = &pipeline->results[form];
        result->compile_us = wpg_estimate_median(result->times, result->time_count);
    }
}

wpg_status wpg_estimate_compile(wpg_estimate *estimate, wpg_estimate_pipeline *pipeline, wpg_error *err)
{
    reader r = {.estimate = estimate, .pipeline = pipeline, .form = -1};
    int exited = 0;
    FILE *facts = tmpfile();
    if (!facts)
        return wpg_fail(err, WPG_E_IO, "no temporary file can be made");
    look_at_form(pipeline, WPG_ESTIMATE_USE);
    look_at_form(pipeline, WPG_ESTIMATE_CUT);
    if (estimate->how.changed && pipeline->results[WPG_ESTIMATE_USE].same) {
        (void)fclose(facts);
        return WPG_OK;
    }
    wpg_status status = run_child(facts, estimate, pipeline, &exited, err);
    if (status == WPG_OK)
        read_lines(&r, facts);
    (void)fclose(facts);
    if (status != WPG_OK)
        return status;
    if (r.out_of_memory)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (*estimate->device.problem)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "%s", estimate->device.problem);
    explain(&r, exited);
    sum_up_times(pipeline);
    if (!pipeline->results[WPG_ESTIMATE_ORIGINAL].count)
        (void)snprintf(pipeline->problem, sizeof pipeline->problem,
                       "not possible as the program gave it: %.150s",
                       pipeline->results[WPG_ESTIMATE_ORIGINAL].problem);
    return WPG_OK;
}
