#include <inttypes.h>

#include "runtime/report/model/model.h"
#include "runtime/report/text/figures.h"
#include "runtime/cli/isa/isa.h"

static void member(FILE *out, const char *name, const char *value)
{
    (void)fprintf(out, ", \"%s\": ", name);
    if (value)
        wpg_json_string(out, value);
    else
        (void)fputs("null", out);
}

static void counts(FILE *out, const char *name, const uint64_t *values, uint32_t count)
{
    (void)fprintf(out, ", \"%s\": ", name);
    for (uint32_t i = 0; values && i < count; i++)
        (void)fprintf(out, "%s%" PRIu64, i ? ", " : "[", values[i]);
    (void)fputs(values ? "]" : "null", out);
}

static void arguments(FILE *out, const wpg_amdgpu_code *code)
{
    static const char *const kinds[] = {"buffers", "table", "groups", "lengths", "push", "counters"};
    (void)fprintf(out, ", \"argument_bytes\": %" PRIu32 ", \"arguments\": [", code->argument_bytes);
    for (uint32_t i = 0; i < code->argument_count; i++) {
        const wpg_amdgpu_argument *a = &code->arguments[i];
        (void)fprintf(out,
                      "%s{\"kind\": \"%s\", \"set\": %" PRIu32 ", \"binding\": %" PRIu32
                      ", \"count\": %" PRIu32 ", \"offset\": %" PRIu32 ", \"size\": %" PRIu32 "}",
                      i ? ", " : "", kinds[a->kind], a->set, a->binding, a->count, a->offset, a->size);
    }
    (void)fputc(']', out);
}

static void block(FILE *out, const char *name, uint32_t index)
{
    (void)fprintf(out, ", \"%s\": ", name);
    if (index != WPG_ISA_NO_BLOCK)
        (void)fprintf(out, "%" PRIu32, index);
    else
        (void)fputs("null", out);
}

static void version(FILE *out, const wpg_isa_version *v)
{
    (void)fputs("{\"title\": ", out);
    wpg_json_string(out, v->title);
    (void)fprintf(out, ", \"elf_bytes\": %zu, \"structurised_blocks\": %" PRIu32, v->code->elf_size,
                  v->code->blocks);
    for (size_t i = 0; i < wpg_isa_figure_count; i++)
        (void)fprintf(out, ", \"%s\": %" PRIu32, wpg_isa_figures[i].key,
                      wpg_isa_figure_of(v, &wpg_isa_figures[i]));
    arguments(out, v->code);
    (void)fputs(", \"lines\": [", out);
    for (size_t i = 0; i < v->listing.lines.count; i++) {
        const wpg_isa_line *line = &v->listing.lines.data[i];
        (void)fprintf(out, "%s\n {\"text\": ", i ? "," : "");
        wpg_json_string(out, line->text);
        (void)fprintf(out, ", \"code\": %s", line->is_code ? "true" : "false");
        block(out, "block", line->block);
        block(out, "structurised", line->structurised);
        (void)fputc('}', out);
    }
    (void)fputc(']', out);
    if (v->code->ir)
        member(out, "ir", v->code->ir);
    (void)fputc('}', out);
}

/* Of what -o wrote. */
static void code_object(FILE *out, const wpg_isa *isa)
{
    (void)fputs(",\n\"code_object\": ", out);
    if (!isa->options.out) {
        (void)fputs("null", out);
        return;
    }
    const wpg_isa_object object = wpg_isa_object_of(isa);
    (void)fputs("{\"file\": ", out);
    wpg_json_string(out, isa->options.out);
    (void)fprintf(out, ", \"type\": \"%s\", \"version\": ", object.shared ? "shared" : "relocatable");
    if (object.version)
        (void)fprintf(out, "%u", object.version);
    else
        (void)fputs("null", out);
    (void)fprintf(out, ", \"bytes\": %zu", object.size);
    member(out, "kernel", isa->versions[isa->version_count - 1].code->kernel);
    (void)fputc('}', out);
}

/* What the array of counters holds, block by block in the order of the structurised code. */
static void counters(FILE *out, const wpg_isa *isa)
{
    static const char *const kinds[] = {"waves", "lanes", "uniform"};
    static const char *const how[] = {"registers", "memory", "per lane"};
    const wpg_counter_table *table = &isa->counters;
    (void)fprintf(out,
                  ",\n\"counters\": {\"count\": %" PRIu32 ", \"checksum\": \"%015" PRIx64
                  "\", \"address_offset\": %" PRIu32,
                  table->count, table->checksum, isa->versions[1].code->counters_offset);
    for (unsigned kind = 0; kind < 3; kind++)
        if (table->has[kind])
            (void)fprintf(out, ", \"%s\": %" PRIu32, kinds[kind],
                          wpg_counter_slot(table, (wpg_counter_kind)kind, 0));
    (void)fputs(", \"blocks\": [", out);
    for (uint32_t b = 0; b < table->block_count; b++)
        (void)fprintf(out, "%s\"%s\"", b ? ", " : "", how[table->how[b]]);
    (void)fputs("]}", out);
}

static void candidates(FILE *out, const wpg_isa *isa)
{
    if (isa->options.generate)
        return;
    member(out, "not_used", *isa->not_used ? isa->not_used : NULL);
    if (isa->version_count < 2)
        return;
    (void)fprintf(out,
                  ",\n\"structurised\": {\"checksum\": \"%015" PRIx64
                  "\", \"exact\": %s, \"placed\": %" PRIu32 ", \"scale\": %.17g",
                  isa->structurised.checksum, isa->own ? "true" : "false",
                  isa->own ? isa->structurised.block_count : isa->origins.placed,
                  isa->own ? 1 : isa->origins.scale);
    if (!isa->own)
        (void)fprintf(out, ", \"carried_by\": \"%s\", \"rest\": %.6f",
                      isa->origins.by_lines ? "lines" : "probes", isa->origins.rest);
    counts(out, "waves", isa->structurised.waves, isa->structurised.block_count);
    counts(out, "lanes", isa->structurised.lanes, isa->structurised.block_count);
    counts(out, "uniform", isa->structurised.uniform, isa->structurised.block_count);
    (void)fputs("},\n\"candidates\": [", out);
    for (unsigned i = 0; i < WPG_WEIGHTS_KINDS; i++) {
        const wpg_amdgpu_candidate *c = &isa->use.candidates[i];
        (void)fprintf(out, "%s\n {\"weights\": \"%s\", \"made\": %s, \"chosen\": %s", i ? "," : "",
                      wpg_weights_name(c->from), c->status == WPG_OK ? "true" : "false",
                      c->chosen ? "true" : "false");
        member(out, "why", c->why);
        if (c->status == WPG_OK)
            (void)fprintf(out,
                          ", \"scratch_dwords\": %" PRIu64 ", \"instructions\": %" PRIu64
                          ", \"vgprs\": %" PRIu32 ", \"sgprs\": %" PRIu32 ", \"occupancy\": %" PRIu32
                          ", \"scratch_bytes\": %" PRIu32 ", \"branches\": %" PRIu32
                          ", \"weighted\": %" PRIu32 ", \"unpredictable\": %" PRIu32 ", \"off_by\": %.6f",
                          wpg_isa_unscaled(isa, c->score.scratch), wpg_isa_unscaled(isa, c->score.executed),
                          c->figures.vgprs, c->figures.sgprs, c->figures.occupancy, c->figures.scratch_bytes,
                          c->weights.branches, c->weights.weighted, c->marked, c->difference);
        (void)fputc('}', out);
    }
    (void)fputc(']', out);
}

static void statistics(FILE *out, const char *name, const wpg_estimate_result *result)
{
    (void)fprintf(out, ", \"%s\": ", name);
    if (!result->count) {
        (void)fputs("null", out);
        return;
    }
    const wpg_estimate_executable *from = &result->executables[0];
    for (size_t i = 0; i < from->count; i++) {
        (void)fputs(i ? ", " : "{", out);
        wpg_json_string(out, from->statistics[i].name);
        (void)fputs(": ", out);
        if (from->statistics[i].is_number)
            (void)fputs(from->statistics[i].value, out);
        else
            wpg_json_string(out, from->statistics[i].value);
    }
    (void)fputs(from->count ? "}" : "{}", out);
}

static void radv(FILE *out, const wpg_isa *isa)
{
    const wpg_estimate_pipeline *pipeline = &isa->radv.pipelines.data[0];
    (void)fputs(",\n\"radv\": {\"device\": ", out);
    wpg_json_string(out, isa->radv.device.name);
    member(out, "driver", isa->radv.device.info);
    member(out, "problem", *pipeline->problem ? pipeline->problem : NULL);
    statistics(out, "before", &pipeline->results[WPG_ESTIMATE_ORIGINAL]);
    (void)fprintf(out, ", \"unchanged\": %s", pipeline->results[WPG_ESTIMATE_USE].same ? "true" : "false");
    statistics(out, "after", &pipeline->results[WPG_ESTIMATE_USE]);
    (void)fputc('}', out);
}

/* "mandelbrot.comp:12" of each block, null where its line is not known. */
static void places(FILE *out, const wpg_isa *isa)
{
    char place[200];
    (void)fputs(", \"places\": [", out);
    for (uint32_t b = 0; b < isa->block_count; b++) {
        const wpg_source_line *at = isa->places ? &isa->places[b] : NULL;
        (void)fputs(b ? ", " : "", out);
        if (!at || !at->line || !at->file) {
            (void)fputs("null", out);
            continue;
        }
        (void)snprintf(place, sizeof place, "%.180s:%" PRIu32, wpg_report_base_name(at->file), at->line);
        wpg_json_string(out, place);
    }
    (void)fputc(']', out);
}

void wpg_isa_json(FILE *out, const wpg_isa *isa)
{
    const wpg_amdgpu_code *code = isa->versions[0].code;
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, isa->shader);
    (void)fprintf(out, "{\"version\": 1, \"shader\": \"%s\", \"stage\": \"comp\"", hex);
    member(out, "entry", isa->entry);
    member(out, "gpu", isa->options.gpu);
    (void)fprintf(out, ", \"example_gpu\": %s", isa->guessed_gpu ? "true" : "false");
    (void)fprintf(
        out, ", \"wave_size\": %u, \"abi\": \"%s\", \"local_size\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]",
        code->wave_size, isa->options.abi == WPG_AMDGPU_PAL ? "pal" : "hsa", code->local_size[0],
        code->local_size[1], code->local_size[2]);
    member(out, "profile", isa->options.profile);
    (void)fprintf(out, ", \"blocks\": %" PRIu32, isa->block_count);
    counts(out, "waves", isa->counts ? isa->counts->waves : NULL, isa->block_count);
    counts(out, "lanes", isa->counts ? isa->counts->lanes : NULL, isa->block_count);
    places(out, isa);
    (void)fputs(",\n\"versions\": [", out);
    for (unsigned v = 0; v < isa->version_count; v++) {
        (void)fputs(v ? ",\n" : "", out);
        version(out, &isa->versions[v]);
    }
    (void)fputc(']', out);
    code_object(out, isa);
    candidates(out, isa);
    if (isa->options.verify)
        wpg_isa_verify_json(out, isa);
    if (isa->options.generate)
        counters(out, isa);
    if (isa->options.radv)
        radv(out, isa);
    (void)fputs("}\n", out);
}
