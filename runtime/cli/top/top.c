/* wavepgo top: options, and the loop. */
#include "runtime/cli/top/top.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/base/text.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/common/recover.h"

static const char command_name[] = "top";
enum { PLAIN_WIDTH = 100 }; /* of --once */

typedef struct top_options {
    const char *path;
    double interval;
    bool once;
} top_options;

static int parse(top_options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const bool joined = strncmp(argv[i], "--interval=", 11) == 0;
        if (strcmp(argv[i], "--once") == 0)
            options->once = true;
        else if (joined || strcmp(argv[i], "--interval") == 0) {
            const char *value = joined ? argv[i] + 11 : i + 1 < argc ? argv[++i] : "";
            if (!wpg_parse_real(&options->interval, value) || options->interval < 0.1 ||
                options->interval > 3600)
                return wpg_usage_error(command_name,
                                       "--interval: '%s' is no number of seconds from 0.1 to 3600", value);
        } else if (argv[i][0] == '-' && argv[i][1])
            return wpg_usage_error(command_name, "no option is called '%s'", argv[i]);
        else if (options->path)
            return wpg_usage_error(command_name, "give one bundle: the folder that the run writes");
        else
            options->path = argv[i];
    }
    return options->path ? 0 : wpg_usage_error(command_name, "no bundle is given");
}

static int print_once(const top_options *options)
{
    wpg_top_source source = {.path = options->path};
    wpg_top_snapshot now;
    wpg_top_rows rows = {0};
    wpg_error err;
    wpg_recover_folder(command_name, options->path, true);
    wpg_status status = wpg_top_read(&now, &source, &err);
    if (status == WPG_OK)
        status = wpg_top_compare(&rows, NULL, &now, &source, &err);
    if (status == WPG_OK)
        wpg_top_print(stdout, &rows, 0, PLAIN_WIDTH);
    wpg_top_rows_finish(&rows);
    wpg_top_snapshot_finish(&now);
    wpg_top_source_finish(&source);
    if (status != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    return fflush(stdout) == 0 && !ferror(stdout)
               ? 0
               : wpg_complain(WPG_EXIT_FAILED, command_name, "cannot write: %s", strerror(errno));
}

/* What the loop keeps. */
typedef struct live {
    wpg_top_source source;
    wpg_top_snapshot before, now;
    wpg_top_rows rows;
    bool any;          /* `now` was read */
    char trouble[256]; /* the last reading failed: files are replaced while they are read */
} live;

static void look(live *l)
{
    wpg_top_snapshot next;
    wpg_error err;
    const double written = wpg_top_written(l->source.path);
    if (l->any && written == l->now.when)
        return;
    l->trouble[0] = '\0';
    if (wpg_top_read(&next, &l->source, &err) != WPG_OK) {
        (void)snprintf(l->trouble, sizeof l->trouble, "%s", err.message);
        wpg_top_snapshot_finish(&next);
        return;
    }
    wpg_top_snapshot_finish(&l->before);
    l->before = l->now;
    l->now = next;
    wpg_top_rows_finish(&l->rows); /* their hashes are the snapshot's */
    if (wpg_top_compare(&l->rows, l->any ? &l->before : NULL, &l->now, &l->source, &err) != WPG_OK)
        (void)snprintf(l->trouble, sizeof l->trouble, "%s", err.message);
    l->any = true;
}

static void draw(const live *l)
{
    char head[600], of[80];
    struct timespec clock;
    (void)clock_gettime(CLOCK_REALTIME, &clock);
    const double age = (double)clock.tv_sec + (double)clock.tv_nsec * 1e-9 - l->now.when;
    if (!l->any)
        (void)snprintf(head, sizeof head, "%.200s: %s (q quits)", l->source.path,
                       l->trouble[0] ? l->trouble : "nothing was counted yet");
    else {
        if (l->rows.seconds > 0)
            (void)snprintf(of, sizeof of, "of %.1f s", l->rows.seconds);
        else
            (void)snprintf(of, sizeof of, "since the run began");
        (void)snprintf(head, sizeof head, "%.200s: %zu pipeline%s %s, written %.0f s ago (q quits)",
                       l->source.path, l->rows.count, wpg_plural(l->rows.count), of, age > 0 ? age : 0);
    }
    wpg_screen_draw(head, l->any ? &l->rows : NULL);
}

static int show_live(const top_options *options)
{
    live l = {.source = {.path = options->path}};
    if (!wpg_screen_enter())
        return wpg_usage_error(command_name, "standard output is no terminal: --once prints one table");
    do {
        look(&l);
        draw(&l);
    } while (!wpg_screen_wait(options->interval));
    wpg_screen_leave();
    wpg_top_rows_finish(&l.rows);
    wpg_top_snapshot_finish(&l.before);
    wpg_top_snapshot_finish(&l.now);
    wpg_top_source_finish(&l.source);
    return 0;
}

int wpg_command_top(int argc, char **argv)
{
    top_options options = {.interval = 1};
    struct stat info;
    const int code = parse(&options, argc, argv);
    if (code)
        return code;
    if (stat(options.path, &info) != 0)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "cannot read %s: %s", options.path,
                            strerror(errno));
    return options.once ? print_once(&options) : show_live(&options);
}
