/* Writes the generated files, each whole or not at all. */
#include "runtime/cli/help/documents.h"

#include <stdlib.h>

#include "runtime/base/file.h"

static const char command_name[] = "help";

/* A file in memory: `printed` says whether everything went well; then it goes to FOLDER/PATH. */
typedef struct document {
    FILE *out;
    char *text;
    size_t size;
} document;

static bool start(document *page)
{
    *page = (document){0};
    page->out = open_memstream(&page->text, &page->size);
    if (!page->out)
        (void)wpg_complain(WPG_EXIT_FAILED, command_name, "no memory");
    return page->out;
}

static bool finish(document *page, bool printed, const char *folder, const char *path)
{
    wpg_error err;
    char name[4096];
    bool done = fclose(page->out) == 0 && printed;
    if (!done)
        (void)wpg_complain(WPG_EXIT_FAILED, command_name, "%s: a usage text is too long, or memory is out",
                           path);
    else if (snprintf(name, sizeof name, "%s/%s", folder, path) >= (int)sizeof name)
        done = wpg_complain(WPG_EXIT_FAILED, command_name, "%s: the name is too long", folder) == 0;
    else if (wpg_file_write_atomic(name, page->text, page->size, &err) != WPG_OK)
        done = wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message) == 0;
    free(page->text);
    return done;
}

static bool write_pages(const wpg_command_table *table, const char *folder)
{
    document page;
    if (!start(&page) || !finish(&page, wpg_man_overview(page.out, table), folder, "man/man1/wavepgo.1"))
        return false;
    for (size_t i = 0; i < table->count; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "man/man1/wavepgo-%s.1", table->commands[i].name);
        if (!start(&page) ||
            !finish(&page, wpg_man_command(page.out, table, &table->commands[i]), folder, path))
            return false;
    }
    return start(&page) &&
           finish(&page, wpg_man_settings(page.out, table), folder, "man/man5/wavepgo-settings.5");
}

static bool write_completions(const wpg_command_table *table, const char *folder)
{
    document file;
    return start(&file) &&
           finish(&file, wpg_completion_bash(file.out, table), folder,
                  "bash-completion/completions/wavepgo") &&
           start(&file) &&
           finish(&file, wpg_completion_zsh(file.out, table), folder, "zsh/site-functions/_wavepgo");
}

int wpg_write_documents(const wpg_command_table *table, const char *folder)
{
    return write_pages(table, folder) && write_completions(table, folder) ? 0 : WPG_EXIT_FAILED;
}
