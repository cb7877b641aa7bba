/* One run of the program: started in a process group of its own, waited for, timed, stopped. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/cli/compare/compare.h"

/* Seconds: between SIGTERM and SIGKILL; that children may outlive the program. */
static const double patience = 5, children = 2;

static sigset_t ours, before;

void wpg_run_prepare(void)
{
    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGCHLD);
    (void)sigaddset(&ours, SIGINT);
    (void)sigaddset(&ours, SIGTERM);
    struct sigaction hang_up;
    if (sigaction(SIGHUP, NULL, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) /* nohup */
        (void)sigaddset(&ours, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &ours, &before);
    /* Orphans of the program become our children: their processor time counts. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

/* -- The child */

static void redirect(const char *path, int flags, int descriptor)
{
    const int file = open(path, flags, 0666);
    if (file >= 0 && file != descriptor) {
        (void)dup2(file, descriptor);
        (void)close(file);
    }
}

/* Does not return. What keeps the program from starting goes through the pipe. */
static void become(const wpg_compare_options *options, const char *log, int failure)
{
    (void)setpgid(0, 0);
    redirect("/dev/null", O_RDONLY,
             STDIN_FILENO); /* of a group in the background nobody may read a terminal */
    if (!options->output) {
        redirect("/dev/null", O_WRONLY, STDOUT_FILENO);
        redirect(log ? log : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    } else
        (void)dup2(STDERR_FILENO, STDOUT_FILENO); /* ours is for the result */
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    (void)execvp(options->program[0], options->program);
    const int error = errno;
    (void)!write(failure, &error, sizeof error);
    _exit(127);
}

/* The child's id; -1: `why` says what is wrong. */
static pid_t start(wpg_run *run, const wpg_compare_options *options, const char *log)
{
    int failure[2], error = 0;
    if (pipe2(failure, O_CLOEXEC) != 0)
        error = errno;
    const pid_t child = error ? -1 : fork();
    if (child == 0)
        become(options, log, failure[1]);
    if (child < 0 && !error)
        error = errno;
    if (child > 0) {
        (void)setpgid(child, child); /* whoever comes first */
        (void)close(failure[1]);
        if (read(failure[0], &error, sizeof error) != (ssize_t)sizeof error)
            error = 0;
        (void)close(failure[0]);
        if (error)
            (void)waitpid(child, NULL, 0);
    }
    if (!error)
        return child;
    run->failed = true;
    (void)snprintf(run->why, sizeof run->why, "cannot run %.80s: %s", options->program[0], strerror(error));
    return -1;
}

/* -- Waiting */

/* Until a signal comes, at most so long. true: one that stops the comparison. */
static bool sleep_for(double time)
{
    struct timespec left = {.tv_sec = (time_t)time};
    left.tv_nsec = (long)((time - (double)left.tv_sec) * 1e9);
    const int signal = sigtimedwait(&ours, NULL, &left);
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

static void judge(wpg_run *run, const char *program, int status)
{
    if (run->stopped || run->interrupted)
        return;
    if (WIFSIGNALED(status))
        (void)snprintf(run->why, sizeof run->why, "%.80s was ended by signal %d (%s)", program,
                       WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        (void)snprintf(run->why, sizeof run->why, "%.80s failed with exit code %d", program,
                       WEXITSTATUS(status));
    run->failed = run->why[0] != '\0';
}

/* Children that outlive the program: a while they are waited for, then they are ended. */
static void reap(wpg_run *run, pid_t group)
{
    const double until = now() + children;
    bool killed = false;
    for (;;) {
        struct rusage used;
        const pid_t one = wait4(-1, NULL, WNOHANG, &used);
        if (one > 0)
            run->processor += seconds(&used.ru_utime) + seconds(&used.ru_stime);
        else if (one < 0 || killed)
            return;
        else if (now() < until && !run->interrupted)
            run->interrupted |= sleep_for(0.05);
        else {
            (void)kill(-group, SIGKILL);
            killed = true;
            run->interrupted |= sleep_for(0.05);
        }
    }
}

static void wait_for(wpg_run *run, const wpg_compare_options *options, pid_t child, double began)
{
    double stop = options->duration > 0 ? began + options->duration : 0, kill_at = 0;
    struct rusage used;
    int status;
    for (;;) {
        const pid_t ended = wait4(child, &status, WNOHANG, &used);
        if (ended == child || (ended < 0 && errno != EINTR))
            break;
        double left = 1;
        if (kill_at > 0 && now() >= kill_at)
            (void)kill(-child, SIGKILL);
        else if (kill_at > 0)
            left = kill_at - now();
        else if (stop > 0 && now() >= stop) {
            run->stopped = true;
            (void)kill(-child, SIGTERM);
            left = patience;
            kill_at = now() + patience;
        } else if (stop > 0)
            left = stop - now();
        if (sleep_for(left > 0.001 ? left : 0.001) && !run->interrupted) {
            run->interrupted = true;
            (void)kill(-child, SIGTERM);
            kill_at = now() + patience;
        }
    }
    run->wall = now() - began;
    run->processor = seconds(&used.ru_utime) + seconds(&used.ru_stime);
    judge(run, options->program[0], status);
    reap(run, child);
}

void wpg_run_program(wpg_run *run, const wpg_compare_options *options, const char *log)
{
    *run = (wpg_run){0};
    const double began = now();
    const pid_t child = start(run, options, log);
    if (child > 0)
        wait_for(run, options, child, began);
}
