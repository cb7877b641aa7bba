/* One measurement in a process of its own. See child.h. */
#include "shaders/runner/child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_CHILD_OUTPUT = 1 << 20 };

void bench_assignments_finish(bench_assignments *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->data[i]);
    wpg_vec_free(list);
}

/* At white space, which '...' and "..." keep, as does a backslash outside quotes. */
bool bench_assignments_parse(bench_assignments *list, const char *text)
{
    const char *space = " \t\n";
    memset(list, 0, sizeof *list);
    for (text += strspn(text, space); *text; text += strspn(text, space)) {
        char *word = malloc(strlen(text) + 1);
        size_t length = 0;
        char quote = 0;
        if (!word || !wpg_vec_push(list, word)) {
            free(word);
            return false;
        }
        for (; *text && (quote || !strchr(space, *text)); text++) {
            if (!quote && *text == '\\' && text[1])
                word[length++] = *++text;
            else if (quote ? *text == quote : *text == '\'' || *text == '"')
                quote = quote ? 0 : *text;
            else
                word[length++] = *text;
        }
        word[length] = 0;
        if (quote || !strchr(word, '=') || *word == '=') {
            (void)fprintf(stderr, "wavepgo-bench: not VAR=VALUE: %s\n", word);
            return false;
        }
    }
    return true;
}

static _Noreturn void become_child(const bench_options *o, const bench_case *c, const bench_assignments *env,
                                   int output)
{
    char repeat[16], binds[16], frames[16];
    const char *fixed[] = {"wavepgo-bench",
                           "--json",
                           "-",
                           "--case",
                           c->name,
                           "--size",
                           bench_size_name(o->size),
                           "--repeat",
                           repeat,
                           "--shaders",
                           o->shader_folder,
                           "--binds",
                           binds};
    enum { FIXED = sizeof fixed / sizeof *fixed };
    char *argv[FIXED + 9];
    int argc = 0;
    (void)snprintf(repeat, sizeof repeat, "%u", o->repeat);
    (void)snprintf(binds, sizeof binds, "%u", o->binds);
    for (size_t i = 0; i < FIXED; i++)
        argv[argc++] = (char *)fixed[i];
    if (o->compile_only)
        argv[argc++] = (char *)"--compile-only";
    if (o->frames) {
        (void)snprintf(frames, sizeof frames, "%u", o->frames);
        argv[argc++] = (char *)"--frames";
        argv[argc++] = frames;
    }
    if (o->stable_power)
        argv[argc++] = (char *)"--stable-power";
    if (o->processor_clock) {
        argv[argc++] = (char *)"--clock";
        argv[argc++] = (char *)"processor";
    }
    if (o->device) {
        argv[argc++] = (char *)"--device";
        argv[argc++] = (char *)o->device;
    }
    argv[argc] = NULL;
    for (size_t i = 0; i < env->count; i++)
        putenv(env->data[i]);
    if (dup2(output, STDOUT_FILENO) >= 0)
        execv("/proc/self/exe", argv);
    (void)fprintf(stderr, "wavepgo-bench: cannot run itself: %s\n", strerror(errno));
    _exit(126);
}

/* Reads until the child closes its end; a longer output than the limit is read on and dropped. */
static void read_all(char *text, int from)
{
    size_t length = 0;
    char rest[4096];
    for (;;) {
        bool full = length == MAX_CHILD_OUTPUT;
        ssize_t n =
            full ? read(from, rest, sizeof rest) : read(from, text + length, MAX_CHILD_OUTPUT - length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        if (!full)
            length += (size_t)n;
    }
    text[length] = 0;
}

static bool positive_after(double *value, const char *line, const char *key)
{
    const char *at = strstr(line, key);
    char *end;
    if (!at)
        return false;
    at += strlen(key);
    *value = strtod(at, &end);
    return end != at && *value > 0;
}

/* The text between `key` and the quote that ends it, escapes as they are. */
static void string_after(char *text, size_t size, const char *line, const char *key)
{
    const char *at = strstr(line, key);
    size_t length = 0;
    for (at = at ? at + strlen(key) : ""; *at && *at != '"' && length + 1 < size; at++) {
        text[length++] = *at;
        if (*at == '\\' && at[1] && length + 1 < size)
            text[length++] = *++at;
    }
    text[length] = 0;
}

/* The child's line of JSON is the one that begins as ours do: a layer may print lines of its own. */
static void parse_output(bench_measurement *m, const char *text, bool compile_only)
{
    static const char begin[] = "{\"case\":";
    const char *line = text;
    while (line && strncmp(line, begin, sizeof begin - 1) != 0) {
        line = strchr(line, '\n');
        if (line)
            line++;
    }
    if (!line)
        return;
    m->skipped = strstr(line, "\"state\":\"skipped\"") != NULL;
    string_after(m->why, sizeof m->why, line, "\"why\":\"");
    string_after(m->checksum, sizeof m->checksum, line, "\"checksum\":\"");
    string_after(m->stable_power, sizeof m->stable_power, line, "\"stable_power\":\"");
    (void)positive_after(&m->shader_mhz[0], line, "\"begin\":{\"shader_mhz\":");
    (void)positive_after(&m->shader_mhz[1], line, "\"end\":{\"shader_mhz\":");
    m->ok = positive_after(&m->create_ms, line, "\"create_ms\":") &&
            (compile_only || (*m->checksum && positive_after(&m->time_ms, line, "\"median_ms\":") &&
                              positive_after(&m->compile_ms, line, "\"compile_ms\":")));
}

bool bench_child_run(bench_measurement *m, const bench_options *o, const bench_case *c,
                     const bench_assignments *env)
{
    int ends[2], status;
    memset(m, 0, sizeof *m);
    char *text = malloc(MAX_CHILD_OUTPUT + 1);
    if (!text || pipe(ends) != 0) {
        free(text);
        return false;
    }
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become_child(o, c, env, ends[1]);
    }
    close(ends[1]);
    if (child > 0) {
        read_all(text, ends[0]);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        m->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (m->exit_status == 0)
            parse_output(m, text, o->compile_only);
    }
    close(ends[0]);
    free(text);
    return child > 0;
}
