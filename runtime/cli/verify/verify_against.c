/* `wavepgo verify --against`: the distance of a profile's counts from another's, for each function and over
 * all (runtime/profile/quality.h). */
#include "runtime/cli/verify/verify.h"

#include <inttypes.h>
#include <stdlib.h>

#include "runtime/bundle/folder.h"
#include "runtime/cli/common/command.h"
#include "runtime/report/text/figures.h"
#include "runtime/profile/quality.h"

enum { MOST_LINES = 20 }; /* of functions, in text */

/* The worst by what it counts first: the difference, times how much was measured of it. */
static double weight_of(const wpg_quality_function *f)
{
    for (unsigned kind = WPG_QUALITY_KINDS; kind-- > 0;)
        if (kind != WPG_QUALITY_UNIFORM && f->scores[kind].known)
            return (1 - f->scores[kind].overlap) * f->scores[kind].second;
    return 0;
}

static int worst_first(const void *left, const void *right)
{
    const wpg_quality_function *a = left, *b = right;
    double x = weight_of(a), y = weight_of(b);
    if (x != y)
        return x > y ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first; /* as in the view */
}

static void print_scores(const wpg_quality_score scores[WPG_QUALITY_KINDS], bool json)
{
    const char *between = "";
    for (unsigned kind = 0; kind < WPG_QUALITY_KINDS; kind++) {
        if (!scores[kind].known)
            continue;
        if (json)
            (void)printf("%s\"%s\": {\"overlap\": %.6f, \"difference\": %.6f}", between,
                         wpg_quality_kind_name(kind), scores[kind].overlap, scores[kind].difference);
        else
            (void)printf("  %-7s %6.2f %% %6.2f %%", wpg_quality_kind_name(kind), scores[kind].overlap * 100,
                         scores[kind].difference * 100);
        between = ", ";
    }
}

static void print_text(const wpg_quality *quality, const wpg_profile_overlap *overlap, const char *other)
{
    (void)printf("against %s: overlap of all counters in both %.2f %%; records in one only: %zu, %zu\n",
                 other, overlap->common * 100, overlap->only_first, overlap->only_second);
    for (unsigned kind = 0; kind < WPG_QUALITY_KINDS; kind++)
        if (quality->all[kind].known)
            (void)printf("  %-8s block overlap %.2f %%, weighted relative difference %.2f %% over %zu "
                         "functions\n",
                         wpg_quality_kind_name(kind), quality->all[kind].overlap * 100,
                         quality->all[kind].difference * 100, quality->known[kind]);
    if (quality->count)
        (void)printf("  by function, the worst first: block overlap, weighted relative difference\n");
    for (size_t i = 0; i < quality->count && i < MOST_LINES; i++) {
        const wpg_shader_counts *f = quality->functions[i].first;
        char hex[WPG_HASH_HEX + 1];
        wpg_hash_to_hex(hex, f->shader);
        (void)printf("  %s.%s.%s function %" PRIu32 ":", hex, f->stage, f->entry, f->function);
        print_scores(quality->functions[i].scores, false);
        (void)printf("\n");
    }
    if (quality->count > MOST_LINES)
        (void)printf("  (%zu more; --json has all)\n", quality->count - MOST_LINES);
}

static void print_json(const wpg_quality *quality, const wpg_profile_overlap *overlap)
{
    (void)printf(", \"against\": {\"overlap\": %.6f, \"only_first\": %zu, \"only_second\": %zu",
                 overlap->common, overlap->only_first, overlap->only_second);
    for (unsigned kind = 0; kind < WPG_QUALITY_KINDS; kind++)
        if (quality->all[kind].known) /* the name alone: the difference, as it always was */
            (void)printf(", \"%s\": %.6f", wpg_quality_kind_name(kind), quality->all[kind].difference);
    (void)printf(", \"all\": {");
    print_scores(quality->all, true);
    (void)printf("}, \"functions\": [");
    for (size_t i = 0; i < quality->count; i++) {
        const wpg_shader_counts *f = quality->functions[i].first;
        char hex[WPG_HASH_HEX + 1];
        wpg_hash_to_hex(hex, f->shader);
        (void)printf("%s\n{\"shader\": \"%s\", \"stage\": \"%s\", \"entry\": ", i ? "," : "", hex, f->stage);
        wpg_json_string(stdout, f->entry);
        (void)printf(", \"function\": %" PRIu32 ", ", f->function);
        print_scores(quality->functions[i].scores, true);
        (void)printf("}");
    }
    (void)printf("]}");
}

int wpg_verify_against(const char *command, const char *path, bool json, const wpg_profile *profile,
                       const wpg_shader_view *view)
{
    wpg_error err;
    wpg_quality quality;
    wpg_profile *other = wpg_profile_create();
    wpg_shader_view *other_view = NULL;
    wpg_status status =
        other ? wpg_profile_load(other, NULL, path, &err) : wpg_fail(&err, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK)
        status = wpg_shader_view_create(&other_view, other, &err);
    if (status == WPG_OK)
        status = wpg_quality_measure(&quality, view, other_view, &err);
    if (status == WPG_OK) {
        wpg_profile_overlap overlap;
        wpg_profile_measure_overlap(&overlap, profile, other);
        if (quality.count > 1)
            qsort(quality.functions, quality.count, sizeof *quality.functions, worst_first);
        if (json)
            print_json(&quality, &overlap);
        else
            print_text(&quality, &overlap, path);
        wpg_quality_finish(&quality);
    }
    wpg_shader_view_destroy(other_view);
    wpg_profile_destroy(other);
    return status == WPG_OK ? 0 : wpg_complain(WPG_EXIT_FAILED, command, "%s", err.message);
}
