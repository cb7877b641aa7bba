/* wavepgo clean: removes what the layer keeps beside profiles: the cache of rewritten modules and the deny
 * list. Profiles are the user's own and stay. Prints what it removed, or with --dry-run what it would
 * remove. */
#include "runtime/cli/common/command.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "runtime/bundle/cache.h"
#include "runtime/bundle/denied.h"
#include "runtime/bundle/flight.h"
#include "runtime/config/settings.h"

static const char command_name[] = "clean";

typedef struct clean_options {
    bool dry_run, cache, denied;
    const char *folder; /* NULL: the settings' */
} clean_options;

static int parse(clean_options *options, int argc, char **argv)
{
    for (int at = 1; at < argc; at++) {
        if (strcmp(argv[at], "--dry-run") == 0)
            options->dry_run = true;
        else if (strcmp(argv[at], "--cache") == 0)
            options->cache = true;
        else if (strcmp(argv[at], "--denied") == 0)
            options->denied = true;
        else if (strcmp(argv[at], "--folder") == 0 && at + 1 < argc)
            options->folder = argv[++at];
        else
            return wpg_usage_error(command_name, "no option is called '%s'", argv[at]);
    }
    if (!options->cache && !options->denied)
        options->cache = options->denied = true;
    return 0;
}

static int clean_cache(const clean_options *options, const wpg_cache *cache)
{
    size_t files;
    uint64_t bytes;
    wpg_error err;
    wpg_status status = wpg_cache_clear(&files, &bytes, cache, options->dry_run, &err);
    (void)printf("cache: %s%zu file%s, %" PRIu64 " bytes%s\n", options->dry_run ? "" : "removed ", files,
                 files == 1 ? "" : "s", bytes, options->dry_run ? " would be removed" : "");
    return status == WPG_OK ? 0 : wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
}

/* What killed processes left in the driver's hands would be on the list at the next run. */
static void drop_flights(const wpg_cache *cache)
{
    wpg_flights flights;
    char path[4200];
    if (wpg_flights_take(&flights, cache->folder, NULL) != WPG_OK)
        return;
    wpg_flights_finish(&flights);
    (void)snprintf(path, sizeof path, "%s/flights", cache->folder);
    (void)rmdir(path); /* where no process lives */
}

static int clean_denied(const clean_options *options, const wpg_cache *cache)
{
    wpg_denied list;
    wpg_error err;
    char path[4200], hex[WPG_HASH_HEX + 1];
    int code = 0;
    if (!options->dry_run)
        drop_flights(cache);
    if (wpg_denied_read(&list, cache->folder, &err) != WPG_OK)
        (void)wpg_complain(0, command_name, "%s", err.message);
    if (!options->dry_run && wpg_denied_path(path, sizeof path, cache->folder) && unlink(path) != 0 &&
        errno != ENOENT)
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "cannot remove %s: %s", path, strerror(errno));
    else
        (void)printf("deny list: %s%zu pipeline%s%s\n", options->dry_run ? "" : "removed ", list.count,
                     list.count == 1 ? "" : "s", options->dry_run ? " would be removed" : "");
    for (size_t i = 0; i < list.count; i++) {
        wpg_hash_to_hex(hex, list.entries[i].pipeline);
        (void)printf("  %s %s %s\n", hex, list.entries[i].mode, list.entries[i].program);
    }
    wpg_denied_finish(&list);
    return code;
}

int wpg_command_clean(int argc, char **argv)
{
    clean_options options = {0};
    wpg_settings settings;
    wpg_cache cache;
    char here[4096];
    int code = parse(&options, argc, argv);
    if (code)
        return code;
    wpg_settings_load(&settings);
    wpg_cache_init(&cache, options.folder ? options.folder : settings.cache,
                   getcwd(here, sizeof here) ? here : ".");
    wpg_settings_finish(&settings);
    if (!cache.folder[0]) {
        (void)printf("there is no cache folder\n");
        return 0;
    }
    (void)printf("%s\n", cache.folder);
    if (options.cache)
        code = clean_cache(&options, &cache);
    if (options.denied && clean_denied(&options, &cache) != 0)
        code = WPG_EXIT_FAILED;
    return code;
}
