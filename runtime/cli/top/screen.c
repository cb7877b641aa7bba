/* The table, and the terminal: plain ANSI (ECMA-48), the alternate screen of xterm. What is drawn goes by one
 * write, past stdio: standard output escapes control characters (wpg_escape_terminal). */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/text.h"
#include "runtime/cli/top/top.h"

enum { FIGURES = 46, NARROW = 12, LINE = 512 };

/* -- The table */

static const char *figure(char *buffer, size_t size, const char *format, double value)
{
    if (value < 0)
        return "-";
    (void)snprintf(buffer, size, value >= 1e9 ? "%.3g" : format, value);
    return buffer;
}

static void print_row(FILE *out, const wpg_top_row *row, size_t names)
{
    char name[LINE], share[32], draws[32], lanes[32], uniform[32];
    const bool named = row->name && strcmp(row->name, row->hex) != 0;
    if (named && names > 2 * NARROW)
        (void)snprintf(name, sizeof name, "%-*.*s %.8s", (int)names - 9, (int)names - 9, row->name, row->hex);
    else
        (void)snprintf(name, sizeof name, "%.*s", named ? (int)names : 8, named ? row->name : row->hex);
    (void)fprintf(out, "%-*s %7s %11s %11s %8s\n", (int)names, name,
                  figure(share, sizeof share, "%.1f%%", row->share * 100),
                  figure(draws, sizeof draws, "%.0f", row->draws),
                  figure(lanes, sizeof lanes, "%.1f", row->lanes_per_wave),
                  figure(uniform, sizeof uniform, "%.1f%%", row->uniform < 0 ? -1 : row->uniform * 100));
}

void wpg_top_print(FILE *out, const wpg_top_rows *rows, size_t most, size_t width)
{
    const size_t names = width > FIGURES + NARROW ? width - FIGURES : NARROW;
    const size_t shown = most && most < rows->count ? most : rows->count;
    (void)fprintf(out, "%-*s %7s %11s %11s %8s\n", (int)names, "PIPELINE", rows->timed ? "GPU" : "WORK",
                  rows->seconds > 0 ? "DRAWS/S" : "DRAWS", "LANES/WAVE", "UNIFORM");
    for (size_t i = 0; i < shown; i++)
        print_row(out, &rows->rows[i], names < LINE - 1 ? names : LINE - 1);
}

/* -- The terminal */

static struct {
    bool taken, keys; /* keys: standard input is a terminal whose state was changed */
    bool closed;      /* it has no more keys */
    struct termios before;
    struct sigaction old[4];
} screen;

static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

static const int ends[4] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void put(const char *text, size_t length)
{
    while (length) {
        const ssize_t written = write(STDOUT_FILENO, text, length);
        if (written <= 0)
            return;
        text += written;
        length -= (size_t)written;
    }
}

static void put_text(const char *text)
{
    put(text, strlen(text));
}

void wpg_screen_leave(void)
{
    if (!screen.taken)
        return;
    screen.taken = false;
    put_text("\033[?25h\033[?1049l");
    if (screen.keys)
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &screen.before);
    for (int i = 0; i < 4; i++)
        (void)sigaction(ends[i], &screen.old[i], NULL);
}

bool wpg_screen_enter(void)
{
    struct sigaction action = {.sa_handler = end}; /* no SA_RESTART: waiting ends */
    if (!isatty(STDOUT_FILENO))
        return false;
    (void)sigemptyset(&action.sa_mask);
    for (int i = 0; i < 4; i++)
        (void)sigaction(ends[i], &action, &screen.old[i]);
    screen.keys = tcgetattr(STDIN_FILENO, &screen.before) == 0;
    if (screen.keys) {
        struct termios raw = screen.before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        raw.c_cc[VSUSP] = _POSIX_VDISABLE; /* stopped, the terminal would stay as it is here */
        screen.keys = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
    }
    screen.taken = true;
    (void)atexit(wpg_screen_leave);
    put_text("\033[?1049h\033[?25l");
    return true;
}

static void size_of(size_t *rows, size_t *columns)
{
    struct winsize size;
    *rows = 24;
    *columns = 80;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col) {
        *rows = size.ws_row;
        *columns = size.ws_col;
    }
}

/* Lines no longer than the screen, names without control characters. */
static void put_lines(FILE *out, const char *text, size_t columns)
{
    char escaped[4 * LINE + 1];
    unsigned char before = 0;
    while (*text) {
        size_t length = strcspn(text, "\n"), shown = length < columns ? length : columns;
        shown = shown < LINE ? shown : LINE;
        escaped[wpg_escape_controls(escaped, text, shown, &before)] = '\0';
        (void)fprintf(out, "%s\033[K\r\n", escaped);
        text += length + (text[length] == '\n');
    }
}

void wpg_screen_draw(const char *head, const wpg_top_rows *rows)
{
    size_t height, width, size = 0, drawn = 0;
    char *table = NULL, *all = NULL;
    size_of(&height, &width);
    FILE *out = open_memstream(&table, &size);
    if (!out)
        return;
    (void)fprintf(out, "%s\n\n", head);
    if (rows)
        wpg_top_print(out, rows, height > 5 ? height - 5 : 1, width);
    if (fclose(out) == 0 && (out = open_memstream(&all, &drawn))) {
        (void)fputs("\033[H", out);
        put_lines(out, table, width);
        (void)fputs("\033[J", out);
        if (fclose(out) == 0)
            put(all, drawn);
    }
    free(table);
    free(all);
}

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

bool wpg_screen_wait(double seconds)
{
    const double until = now() + seconds;
    for (double left = seconds; left > 0 && !ended; left = until - now()) {
        struct pollfd keys = {.fd = screen.keys && !screen.closed ? STDIN_FILENO : -1, .events = POLLIN};
        char key;
        /* A signal that comes just before the wait ends is seen after it: a tenth of a second at most. */
        const int ready = poll(&keys, 1, left < 0.1 ? (int)(left * 1000) + 1 : 100);
        if (ready <= 0)
            continue;
        if (read(STDIN_FILENO, &key, 1) != 1)
            screen.closed = true;
        else if (key == 'q' || key == 'Q')
            return true;
        else
            return ended; /* another key: look at once */
    }
    return ended;
}
