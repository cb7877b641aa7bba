/* What a person calls a pipeline: as the report has it, else by the facts of the bundle. Pipelines that are
 * linked from libraries count under their shaders: the report has these alone. */
#include <string.h>

#include "runtime/cli/compare/compare.h"

static const char *shader_name(const wpg_report *report, const char *stage)
{
    for (size_t i = 0; i < report->shader_count; i++)
        if (strncmp(report->shaders[i].hex, stage, WPG_HASH_HEX) == 0)
            return report->shaders[i].name;
    return NULL;
}

/* "vert 1234abcd + frag 5678abcd" of the facts "stage.<stage> <hash> <entry>". */
static void by_stages(char name[WPG_COMPARE_NAME], const wpg_report *report, const wpg_facts *facts)
{
    size_t length = 0;
    for (size_t i = 0; i < wpg_facts_size(facts) && length < WPG_COMPARE_NAME; i++) {
        const wpg_fact *fact = wpg_facts_at(facts, i);
        if (fact->rule != WPG_FACT_IS || strncmp(fact->key, "stage.", 6) != 0)
            continue;
        const char *known = shader_name(report, fact->text), *plus = length ? " + " : "";
        const size_t room = WPG_COMPARE_NAME - length;
        length +=
            (size_t)(known ? snprintf(name + length, room, "%s%s", plus, known)
                           : snprintf(name + length, room, "%s%.8s %.8s", plus, fact->key + 6, fact->text));
    }
}

void wpg_compare_name(char name[WPG_COMPARE_NAME], const wpg_report *report, const char *hex)
{
    name[0] = '\0';
    for (size_t i = 0; report && i < report->pipeline_count; i++)
        if (strcmp(report->pipelines[i].hex, hex) == 0) {
            if (strcmp(report->pipelines[i].name, hex) != 0)
                (void)snprintf(name, WPG_COMPARE_NAME, "%s", report->pipelines[i].name);
            return;
        }
    const wpg_facts *facts = report ? wpg_bundle_find(&report->bundle, "pipeline", hex) : NULL;
    for (size_t i = 0; facts && i < wpg_facts_size(facts) && !name[0]; i++) {
        const wpg_fact *fact = wpg_facts_at(facts, i);
        if (fact->rule == WPG_FACT_IS && strncmp(fact->key, "name.", 5) == 0)
            (void)snprintf(name, WPG_COMPARE_NAME, "%s", fact->text);
    }
    if (facts && !name[0])
        by_stages(name, report, facts);
}
