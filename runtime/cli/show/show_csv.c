/* The profile as CSV: whole hashes, numbers without grouping, shares from 0 to 1, empty where nothing was
 * measured. */
#include "runtime/cli/show/show.h"
#include "runtime/report/model/places.h"
#include "runtime/report/text/table.h"

static void add_stages(wpg_table *table, const wpg_show_options *options, const wpg_report_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->stage_count; i++) {
        const wpg_report_stage *stage = &pipeline->stages[i];
        const wpg_report_shader *shader = &options->report->shaders[stage->shader];
        if (!wpg_show_wants(options, shader) || !wpg_show_wants_pipeline(options, pipeline))
            continue;
        wpg_table_copy(table, pipeline->hex);
        wpg_table_copy(table, pipeline->name);
        wpg_table_share(table, true, pipeline->cost, 1);
        wpg_table_copy(table, shader->hex);
        wpg_table_copy(table, shader->name);
        wpg_table_copy(table, shader->stage);
        wpg_table_copy(table, shader->entry);
        wpg_table_number(table, !stage->shared, stage->runs);
        wpg_table_number(table, stage->has_waves, stage->waves);
        wpg_table_number(table, !stage->shared, stage->lanes);
    }
}

static void add_blocks(wpg_table *table, const wpg_show_options *options, const wpg_report_shader *shader)
{
    for (size_t f = 0; f < shader->function_count; f++) {
        const wpg_shader_counts *counts = shader->functions[f].counts;
        for (uint32_t b = 0; b < counts->block_count; b++) {
            const wpg_report_block *block = &shader->functions[f].blocks[b];
            char place[WPG_PLACE_SIZE];
            wpg_table_copy(table, shader->hex);
            wpg_table_copy(table, shader->name);
            wpg_table_number(table, true, counts->function);
            wpg_table_number(table, true, b);
            wpg_table_copy(table, wpg_report_line_of(place, options->report, shader, counts->function, b));
            wpg_table_number(table, counts->waves != NULL, block->waves);
            wpg_table_number(table, counts->lanes != NULL, block->lanes);
            wpg_table_number(table, counts->uniform != NULL, block->uniform);
            wpg_table_number(table, shader->has_module, block->instructions);
        }
    }
}

bool wpg_show_csv(FILE *out, const wpg_show_options *options)
{
    static const wpg_column pipelines[] = {
        {.title = "pipeline"},    {.title = "pipeline_name"}, {.title = "cost"},  {.title = "shader"},
        {.title = "shader_name"}, {.title = "stage"},         {.title = "entry"}, {.title = "runs"},
        {.title = "waves"},       {.title = "lanes"}};
    static const wpg_column blocks[] = {
        {.title = "shader"}, {.title = "shader_name"}, {.title = "function"},
        {.title = "block"},  {.title = "place"},       {.title = "waves"},
        {.title = "lanes"},  {.title = "uniform"},     {.title = "instructions"}};
    const wpg_report *report = options->report;
    wpg_table table;
    if (options->blocks)
        wpg_table_init(&table, blocks, sizeof blocks / sizeof *blocks, true);
    else
        wpg_table_init(&table, pipelines, sizeof pipelines / sizeof *pipelines, true);
    for (size_t i = 0; i < report->shader_count && options->blocks; i++)
        if (wpg_show_wants(options, &report->shaders[i]))
            add_blocks(&table, options, &report->shaders[i]);
    for (size_t i = 0; i < report->pipeline_count && !options->blocks; i++)
        add_stages(&table, options, &report->pipelines[i]);
    wpg_table_csv(&table, out);
    const bool good = wpg_table_good(&table);
    wpg_table_finish(&table);
    return good;
}
