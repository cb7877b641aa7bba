/* Prints the verdicts of a bundle: a line for each pipeline and device, below it a line for each
 * candidate. */
#include "runtime/cli/show/show.h"
#include "runtime/report/model/places.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/verdicts.h"
#include "runtime/tune/tuning.h"

static void print_candidate(FILE *out, const wpg_verdict *verdict, size_t alternative)
{
    const wpg_candidate *candidate = &verdict->alternatives[alternative];
    const wpg_tune_progress progress = wpg_tune_candidate_progress(verdict, alternative);
    const bool is_static = verdict->is_static;
    const char *outcome = wpg_outcome_name(candidate->outcome);
    if (is_static)
        (void)fprintf(out, "    passes %-8s %-9s %.3f of the cost", candidate->passes, outcome,
                      candidate->ratio);
    else if (candidate->looks)
        (void)fprintf(out, "    passes %-8s %-9s %.3f of the time (%.3f to %.3f)", candidate->passes, outcome,
                      candidate->ratio, candidate->low, candidate->high);
    else
        (void)fprintf(out, "    passes %-8s %s", candidate->passes, outcome);
    if (!is_static && progress.need)
        (void)fprintf(out, ", %u of %u sample%s\n", progress.have, progress.need, wpg_plural(progress.need));
    else
        (void)fprintf(out, ", %u sample%s\n", candidate->count, wpg_plural(candidate->count));
}

/* Whether it is finished. */
static bool print_verdict(FILE *out, const wpg_verdict *verdict, const wpg_show_options *options)
{
    const bool open = wpg_verdict_unfinished(verdict);
    char hex[WPG_HASH_HEX + 1], hash[WPG_HASH_HEX + 1];
    const wpg_candidate *winner = wpg_verdict_winner(verdict);
    wpg_hash_to_hex(hex, verdict->pipeline);
    char sure[16] = "-"; /* the driver's figures are no measurement */
    if (!verdict->is_static && !open)
        (void)snprintf(sure, sizeof sure, "%.1f%%", 100 * verdict->confidence);
    char passes[WPG_VERDICT_PASSES];
    if (open)
        (void)strcpy(passes, "open");
    else
        wpg_verdict_join(passes, winner ? winner->passes : "", wpg_verdict_by_value(verdict) != NULL);
    const wpg_report_pipeline *known = wpg_report_pipeline_of(options->report, hex);
    (void)fprintf(out, "%-19s  %-8s %6s %8u  %-10s %s, driver %08x%s%s\n", wpg_show_hash(hash, hex, options),
                  passes, sure, verdict->alternatives[0].count, verdict->is_static ? "static" : "measured",
                  verdict->device.name, verdict->device.version, known ? "  " : "", known ? known->name : "");
    for (size_t i = 1; i < verdict->count; i++)
        print_candidate(out, verdict, i);
    return !open;
}

void wpg_show_verdicts_text(FILE *out, const wpg_show_options *options)
{
    const wpg_bundle *bundle = options->bundle;
    bool first = true;
    size_t open = 0;
    for (size_t i = 0; i < bundle->sets.count; i++) {
        wpg_verdict *verdict;
        wpg_error err;
        if (strcmp(wpg_facts_kind(bundle->sets.data[i]), "verdict") != 0)
            continue;
        if (first)
            (void)fprintf(out, "\n%-19s  %-8s %6s %8s  %-10s %s\n", "PIPELINE (as tuned)", "PASSES", "SURE",
                          "SAMPLES", "HOW", "DEVICE");
        first = false;
        if (wpg_verdict_decode(&verdict, bundle->sets.data[i], &err) != WPG_OK) {
            (void)fprintf(out, "(a verdict cannot be read: %s)\n", err.message);
            continue;
        }
        open += !print_verdict(out, verdict, options);
        free(verdict);
    }
    if (open)
        (void)fprintf(
            out,
            "\n%zu pipeline%s open: `wavepgo run --tune BUNDLE -- PROGRAM` goes on from these samples; "
            "until then use mode applies passes that are safe by rule there.\n",
            open, open == 1 ? " is" : "s are");
}
