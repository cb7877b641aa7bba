#include "layer/profile/changed.h"

#include <stdio.h>
#include <string.h>

#include "layer/base/summary.h"
#include "layer/profile/use.h"
#include "runtime/bundle/bundle.h"

enum { NAMES = 3, NAME_LENGTH = 48 };

/* The pipeline's own name, else the name of one of its modules. false: it has none. */
static bool name_of(char name[NAME_LENGTH], wpg_hash128 pipeline)
{
    static const char *const prefixes[] = {"name.", "module."};
    char hex[WPG_HASH_HEX + 1], path[8400];
    wpg_facts *facts;
    wpg_hash_to_hex(hex, pipeline);
    name[0] = '\0';
    if (wpg_bundle_facts_path(path, sizeof path, wpg_use_bundle(), "pipeline", hex, "", NULL) != WPG_OK ||
        wpg_facts_read_file(&facts, path, NULL) != WPG_OK)
        return false;
    for (size_t k = 0; k < 2 && !*name; k++)
        for (size_t i = 0; i < wpg_facts_size(facts) && !*name; i++) {
            const wpg_fact *fact = wpg_facts_at(facts, i);
            if (fact->rule == WPG_FACT_IS && strncmp(fact->key, prefixes[k], strlen(prefixes[k])) == 0)
                (void)snprintf(name, NAME_LENGTH, "%s", fact->text);
        }
    wpg_facts_destroy(facts);
    return *name != '\0';
}

void wpg_changed_names(char *text, size_t size)
{
    wpg_hash128 pipelines[WPG_SUMMARY_KEPT];
    const size_t count = *wpg_use_bundle() ? wpg_summary_changed_pipelines(pipelines) : 0;
    size_t kept = count < WPG_SUMMARY_KEPT ? count : WPG_SUMMARY_KEPT, shown = 0, length = 0;
    char name[NAME_LENGTH];
    *text = '\0';
    for (size_t i = 0; i < kept && shown < NAMES; i++)
        if (name_of(name, pipelines[i]) && length < size) {
            length += (size_t)snprintf(text + length, size - length, "%s%s", shown ? ", " : " (", name);
            shown++;
        }
    if (shown && length < size)
        (void)(count > shown ? snprintf(text + length, size - length, " and %zu other%s)", count - shown,
                                        count - shown == 1 ? "" : "s")
                             : snprintf(text + length, size - length, ")"));
}
