/* Splits costs into stacks. Rounding: each weight is the difference of two rounded running sums, so that the
 * weights of a whole add up to the whole. */
#include "runtime/report/export/stacks.h"

#include <math.h>
#include <string.h>

/* A whole that is handed out in parts. */
typedef struct dealer {
    double whole, parts; /* the whole; the sum of all parts */
    double dealt;        /* parts so far */
    uint64_t given;
} dealer;

static uint64_t deal(dealer *from, double part)
{
    from->dealt += part;
    const double share = from->parts > 0 ? from->dealt / from->parts : 0;
    const uint64_t sum = (uint64_t)floor(from->whole * (share < 1 ? share : 1) + 0.5);
    const uint64_t weight = sum > from->given ? sum - from->given : 0;
    from->given += weight;
    return weight;
}

static bool put(wpg_report_stacks *stacks, const wpg_report_stack *stack)
{
    return !stack->weight || wpg_vec_push(stacks, *stack);
}

static double part_work(const wpg_report_shader *shader, const wpg_report_line_part *part)
{
    return (double)(shader->has_waves ? part->work_waves : part->work_lanes);
}

/* The lines of a shader with so much of the cost. */
static bool split_shader(wpg_report_stacks *stacks, const wpg_report *report, uint32_t pipeline,
                         uint32_t index, uint64_t weight)
{
    const wpg_report_shader *shader = &report->shaders[index];
    wpg_report_stack stack = {.pipeline = pipeline, .shader = index, .file = WPG_REPORT_NONE};
    dealer lines = {.whole = (double)weight};
    bool done = true;
    for (size_t i = 0; i < shader->line_part_count; i++)
        lines.parts += part_work(shader, &shader->line_parts[i]);
    for (size_t i = 0; i < shader->line_part_count && done; i++) {
        const wpg_report_line_part *part = &shader->line_parts[i];
        stack.function = shader->source_functions[part->function].name;
        stack.file = part->file;
        stack.line = part->line;
        stack.weight = deal(&lines, part_work(shader, part));
        done = put(stacks, &stack);
    }
    if (lines.given < weight && done) {
        const wpg_report_stack rest = {
            .pipeline = pipeline, .shader = index, .file = WPG_REPORT_NONE, .weight = weight - lines.given};
        done = put(stacks, &rest);
    }
    return done;
}

static bool split_pipeline(wpg_report_stacks *stacks, const wpg_report *report, uint32_t index)
{
    const wpg_report_pipeline *pipeline = &report->pipelines[index];
    const double whole = report->cost_is_time ? (double)pipeline->gpu_ns : pipeline->work;
    dealer stages = {.whole = whole, .parts = pipeline->work};
    bool done = true;
    for (size_t i = 0; i < pipeline->stage_count && done; i++)
        done = split_shader(stacks, report, index, pipeline->stages[i].shader,
                            deal(&stages, pipeline->stages[i].work));
    const uint64_t all = (uint64_t)floor(whole + 0.5);
    if (stages.given < all && done) {
        const wpg_report_stack rest = {.pipeline = index,
                                       .shader = WPG_REPORT_NONE,
                                       .file = WPG_REPORT_NONE,
                                       .weight = all - stages.given};
        done = put(stacks, &rest);
    }
    return done;
}

wpg_status wpg_report_stacks_make(wpg_report_stacks *stacks, const wpg_report *report)
{
    bool done = true;
    *stacks = (wpg_report_stacks){0};
    for (uint32_t i = 0; i < report->pipeline_count && done; i++)
        done = split_pipeline(stacks, report, i);
    for (uint32_t i = 0; i < report->shader_count && done && !report->cost_is_time; i++)
        if (!report->shaders[i].pipeline_count)
            done = split_shader(stacks, report, WPG_REPORT_NONE, i,
                                (uint64_t)floor(report->shaders[i].cost + 0.5));
    if (done)
        return WPG_OK;
    wpg_vec_free(stacks);
    return WPG_E_NOMEM;
}

const char *wpg_report_shader_label(char *buffer, size_t size, const wpg_report_shader *shader)
{
    char bare[32];
    (void)snprintf(bare, sizeof bare, "%s %.8s", shader->stage, shader->hex);
    if (strcmp(bare, shader->name) == 0)
        (void)snprintf(buffer, size, "%s", bare);
    else
        (void)snprintf(buffer, size, "%s %.100s %.8s", shader->stage, shader->name, shader->hex);
    return buffer;
}

size_t wpg_report_stack_frames(char frames[WPG_STACK_FRAMES][WPG_STACK_TEXT], const wpg_report *report,
                               const wpg_report_stack *stack)
{
    size_t count = 0;
    if (stack->pipeline == WPG_REPORT_NONE)
        (void)snprintf(frames[count++], WPG_STACK_TEXT, "(no pipeline)");
    else
        (void)snprintf(frames[count++], WPG_STACK_TEXT, "%.140s %.8s",
                       report->pipelines[stack->pipeline].name, report->pipelines[stack->pipeline].hex);
    if (stack->shader == WPG_REPORT_NONE)
        return count;
    const wpg_report_shader *shader = &report->shaders[stack->shader];
    (void)wpg_report_shader_label(frames[count++], WPG_STACK_TEXT, shader);
    if (!stack->function)
        return count;
    (void)snprintf(frames[count++], WPG_STACK_TEXT, "%.150s", stack->function);
    (void)snprintf(frames[count++], WPG_STACK_TEXT, "%.140s:%u",
                   wpg_report_base_name(report->files.data[stack->file].name), stack->line);
    return count;
}

const char *wpg_report_stacks_unit(const wpg_report *report)
{
    return report->cost_is_time ? "GPU time" : "work";
}
