/* A library to preload: a process that crashes appends its command line and its call stack to a file of the
 * folder WPG_BACKTRACES, then ends as it would have. For machines without a debugger (hardware.sh).
 * Addresses are offsets into the named files: addr2line tells lines of a build with debug information. */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FRAMES = 64, TEXT = 512 };
static char path[4096];
static char alternate[65536]; /* a stack that overflows leaves no room */

static void say(int file, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t n = write(file, text, length);
        if (n <= 0)
            return;
        text += n;
        length -= (size_t)n;
    }
}

static void crashed(int number, siginfo_t *about, void *context)
{
    (void)context;
    void *frames[FRAMES];
    char text[TEXT];
    const int count = backtrace(frames, FRAMES);
    const int file = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644);
    const int own = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t length = own >= 0 ? read(own, text, sizeof text) : 0;
    for (ssize_t i = 0; i < length; i++)
        if (!text[i])
            text[i] = ' ';
    say(file, text, length > 0 ? (size_t)length : 0);
    const int n = snprintf(text, sizeof text, "\nsignal %d at %p\n", number, about->si_addr);
    say(file, text, (size_t)n);
    backtrace_symbols_fd(frames, count, file);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

__attribute__((constructor)) static void start(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    const char *folder = getenv("WPG_BACKTRACES");
    void *frame;
    if (!folder || snprintf(path, sizeof path, "%s/%d", folder, (int)getpid()) >= (int)sizeof path)
        return;
    (void)backtrace(&frame, 1); /* it loads a library the first time: not in a handler */
    const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    (void)sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        (void)sigaction(numbers[i], &action, NULL);
}
