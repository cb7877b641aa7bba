/* What NAME leaves of the shaders and pipelines. */
#include "runtime/cli/show/show.h"

bool wpg_show_wants_pipeline(const wpg_show_options *options, const wpg_report_pipeline *pipeline)
{
    if (options->pipeline)
        return pipeline == options->pipeline;
    bool wants = !options->shader;
    for (size_t i = 0; i < pipeline->stage_count; i++)
        wants |= &options->report->shaders[pipeline->stages[i].shader] == options->shader;
    return wants;
}

bool wpg_show_wants(const wpg_show_options *options, const wpg_report_shader *shader)
{
    const wpg_report_pipeline *pipeline = options->pipeline;
    if (!pipeline)
        return !options->shader || options->shader == shader;
    for (size_t i = 0; i < pipeline->stage_count; i++)
        if (&options->report->shaders[pipeline->stages[i].shader] == shader)
            return true;
    return false;
}
