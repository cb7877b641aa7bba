/* What a person means by a part of a name or hash. */
#include <stdio.h>
#include <string.h>

#include "runtime/report/model/internal.h"

enum { NAME = 200, SAID = 5 };
typedef enum fitness { NOT, PART, EXACT } fitness;

/* "NAME HASH" asks for both. */
static fitness fit(const char *name, const char *hex, const char *part)
{
    char both[NAME];
    if (!*part)
        return NOT;
    if (strcmp(hex, part) == 0 || strcmp(name, part) == 0)
        return EXACT;
    if (strncmp(hex, part, strlen(part)) == 0 || strstr(name, part))
        return PART;
    const char *space = strrchr(part, ' ');
    if (!space || (size_t)(space - part) >= sizeof both || !space[1])
        return NOT;
    (void)snprintf(both, sizeof both, "%.*s", (int)(space - part), part);
    return strncmp(hex, space + 1, strlen(space + 1)) == 0 && strstr(name, both) ? PART : NOT;
}

typedef struct search {
    uint32_t first[3]; /* the first that fits so well */
    size_t count[3];   /* [PART]: exact ones, too */
    char list[SAID * 48];
    size_t length;
} search;

static void look_at(search *s, uint32_t index, const char *name, const char *hex, const char *part)
{
    const fitness fits = fit(name, hex, part);
    for (unsigned f = PART; f <= (unsigned)fits; f++)
        if (s->count[f]++ == 0)
            s->first[f] = index;
    if (fits && s->count[PART] <= SAID && s->length < sizeof s->list)
        s->length += (size_t)snprintf(s->list + s->length, sizeof s->list - s->length, "%s%.24s %.8s",
                                      s->count[PART] > 1 ? ", " : "", name, hex);
}

static wpg_status ambiguous(const search *s, const char *what, const char *part, wpg_error *err)
{
    return wpg_fail(err, WPG_E_ARGUMENT, "%zu %s have '%.40s': %s%s", s->count[PART], what, part, s->list,
                    s->count[PART] > SAID ? ", ..." : "");
}

/* Every shader that has the part is a stage of the pipeline. */
static bool has_all(const wpg_report *report, uint32_t pipeline, const char *part)
{
    const wpg_report_pipeline *p = &report->pipelines[pipeline];
    for (uint32_t i = 0; i < report->shader_count; i++) {
        bool stage = fit(report->shaders[i].name, report->shaders[i].hex, part) == NOT;
        for (size_t s = 0; s < p->stage_count && !stage; s++)
            stage = p->stages[s].shader == i;
        if (!stage)
            return false;
    }
    return true;
}

wpg_status wpg_report_find(wpg_report_found *found, const wpg_report *report, const char *part,
                           wpg_error *err)
{
    search shaders = {.length = 0}, pipelines = {.length = 0};
    *found = (wpg_report_found){WPG_REPORT_NONE, WPG_REPORT_NONE};
    for (uint32_t i = 0; i < report->shader_count; i++)
        look_at(&shaders, i, report->shaders[i].name, report->shaders[i].hex, part);
    for (uint32_t i = 0; i < report->pipeline_count; i++)
        look_at(&pipelines, i, report->pipelines[i].name, report->pipelines[i].hex, part);
    for (unsigned f = EXACT; f >= PART; f--) {
        if (shaders.count[f] == 1)
            found->shader = shaders.first[f];
        else if (pipelines.count[f] == 1 && (f == EXACT || has_all(report, pipelines.first[f], part)))
            found->pipeline = pipelines.first[f];
        else
            continue;
        return WPG_OK;
    }
    if (shaders.count[PART])
        return ambiguous(&shaders, "shaders", part, err);
    if (pipelines.count[PART])
        return ambiguous(&pipelines, "pipelines", part, err);
    return wpg_fail(err, WPG_E_NOT_FOUND, "no shader or pipeline has '%.60s' in its name or hash", part);
}

wpg_status wpg_report_find_shader(uint32_t *index, const wpg_report *report, const char *part, wpg_error *err)
{
    wpg_report_found found;
    WPG_TRY(wpg_report_find(&found, report, part, err));
    *index = found.shader;
    if (found.pipeline == WPG_REPORT_NONE)
        return WPG_OK;
    const wpg_report_pipeline *pipeline = &report->pipelines[found.pipeline];
    for (size_t i = 0; i < pipeline->stage_count; i++) {
        const uint32_t one = pipeline->stages[i].shader;
        if (*index == WPG_REPORT_NONE || report->shaders[one].cost > report->shaders[*index].cost)
            *index = one;
    }
    return *index != WPG_REPORT_NONE
               ? WPG_OK
               : wpg_fail(err, WPG_E_NOT_FOUND, "pipeline %.60s has no counts of a shader", pipeline->name);
}
