/* Width, colours and pager of standard output. */
#include "runtime/report/text/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/descriptor.h"
#include "runtime/base/text.h"

enum { DEFAULT_WIDTH = 80 };

static ssize_t write_escaped(void *cookie, const char *text, size_t size)
{
    static unsigned char before; /* one stream */
    char *shown = malloc(4 * size + 1);
    (void)cookie;
    if (!shown)
        return 0;
    bool written = wpg_write_all(STDOUT_FILENO, shown, wpg_escape_controls(shown, text, size, &before));
    free(shown);
    return written ? (ssize_t)size : 0;
}

void wpg_terminal_escape_stdout(void)
{
    static bool done;
    FILE *escaped = done ? NULL : fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_escaped});
    if (!escaped)
        return;
    (void)setvbuf(escaped, NULL, _IOLBF, BUFSIZ);
    stdout = escaped;
    done = true;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

static int width_of(int descriptor)
{
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : DEFAULT_WIDTH;
}

/* The shell command of the pager, NULL: none is wanted. */
static const char *pager_command(void)
{
    const char *pager = getenv("PAGER");
    if (!pager)
        return "command -v less >/dev/null 2>&1 && exec less; exec cat";
    return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
}

/* Puts the pager behind standard output. Without a pager everything stays as it is. */
static int start_pager(void)
{
    const char *command = pager_command();
    int ends[2];
    if (!command || pipe(ends) != 0)
        return 0;
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[0], STDIN_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)setenv("LESS", "FRX", 0);
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    (void)close(ends[0]);
    if (child > 0)
        (void)dup2(ends[1], STDOUT_FILENO);
    (void)close(ends[1]);
    if (child < 0)
        return 0;
    (void)signal(SIGPIPE, SIG_IGN); /* the reader may leave */
    (void)signal(SIGINT, SIG_IGN);  /* the pager's */
    return child;
}

void wpg_terminal_open(wpg_terminal *terminal, const wpg_terminal_options *options)
{
    const char *kind = getenv("TERM");
    const bool is_terminal = isatty(STDOUT_FILENO) != 0;
    const bool able = is_terminal && kind && *kind && strcmp(kind, "dumb") != 0;
    *terminal = (wpg_terminal){.width = is_terminal ? width_of(STDOUT_FILENO) : 0};
    terminal->color = options->color == WPG_COLOR_ALWAYS ||
                      (options->color == WPG_COLOR_AUTO && able && !is_set("NO_COLOR"));
    if (terminal->color)
        wpg_terminal_escape_stdout();
    if (able && !options->no_pager)
        terminal->pager = start_pager();
    terminal->out = stdout;
}

bool wpg_terminal_close(wpg_terminal *terminal)
{
    const bool written = fflush(terminal->out) == 0 && !ferror(terminal->out);
    if (!terminal->pager)
        return written;
    (void)close(STDOUT_FILENO);
    while (waitpid(terminal->pager, NULL, 0) < 0 && errno == EINTR)
        ;
    terminal->pager = 0;
    return true;
}

void wpg_terminal_color(const wpg_terminal *terminal, wpg_color color)
{
    static const char *const codes[WPG_COLORS] = {"\033[0m",  "\033[1m",  "\033[2m",
                                                  "\033[33m", "\033[31m", "\033[1;31m"};
    if (!terminal->color || (unsigned)color >= WPG_COLORS)
        return;
    (void)fflush(terminal->out);
    (void)wpg_write_all(STDOUT_FILENO, codes[color], strlen(codes[color]));
}

wpg_color wpg_heat_color(double part, double hottest)
{
    const double share = hottest > 0 ? part / hottest : 0;
    if (part <= 0)
        return WPG_COLOR_DIM;
    return share >= 0.75   ? WPG_COLOR_HOTTEST
           : share >= 0.25 ? WPG_COLOR_HOT
           : share >= 0.05 ? WPG_COLOR_WARM
                           : WPG_COLOR_PLAIN;
}
