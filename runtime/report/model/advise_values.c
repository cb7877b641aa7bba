/* Advice by values that probes saw: uniforms and inputs of one value, indices that all lanes share. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/profile/value_records.h"
#include "runtime/report/model/advise.h"
#include "runtime/report/text/figures.h"

enum { LEAST_ASKED = 4 };

/* What use mode's version of the stage saves by its words; -1: use mode makes none. */
static double saved_by_version(const wpg_report_shader *shader)
{
    for (size_t i = 0; i < shader->remarks.count; i++)
        if (shader->remarks.data[i].done && strcmp(shader->remarks.data[i].pass, "versions") == 0)
            return wpg_advise_saved_by(shader->remarks.data[i].text);
    return -1;
}

typedef struct word_list {
    char text[WPG_ADVICE_TEXT * 3 / 4];
    size_t length, count;
    uint64_t asked, came;
    uint32_t block;
} word_list;

/* Front ends cast: a word that is loaded as an integer may be a float. Its value as one stands beside. */
static void value_text(char text[64], const wpg_value_site_counts *site)
{
    enum { LEAST = 0x30000000, MOST = 0x4f000000 }; /* 5e-10 to 2e9 */
    const uint32_t bits = (uint32_t)site->values[0].value, size = bits & 0x7fffffff;
    wpg_value_site_counts real = *site;
    char value[24], other[24];
    real.type = WPG_VALUES_FLOAT;
    (void)snprintf(text, 64, "%s", wpg_value_text(value, site, bits));
    if (site->type != WPG_VALUES_FLOAT && size >= LEAST && size < MOST)
        (void)snprintf(text, 64, "0x%08x (%s as a float)", bits, wpg_value_text(other, &real, bits));
}

static void list_word(word_list *list, const char *name, const wpg_value_site_counts *site)
{
    enum { MOST_NAMED = 6 };
    char value[64];
    value_text(value, site);
    if (!list->count++)
        list->block = site->block;
    list->asked = list->asked && list->asked < site->asked ? list->asked : site->asked;
    if (list->count <= MOST_NAMED && list->length < sizeof list->text)
        list->length +=
            (size_t)snprintf(list->text + list->length, sizeof list->text - list->length, "%s%s = %s",
                             list->count > 1 ? ", " : "", name ? name : "a word without a name", value);
    else if (list->count == MOST_NAMED + 1 && list->length < sizeof list->text)
        list->length +=
            (size_t)snprintf(list->text + list->length, sizeof list->text - list->length, ", ...");
}

/* All words of one value together: what they decide depends on all of them. */
void wpg_advise_words(wpg_adviser *a, const wpg_report_function *function)
{
    const wpg_profile_record *record = function->counts->records[WPG_RECORD_WORDS];
    word_list list = {.text = ""};
    for (size_t i = 0; i < wpg_value_site_count(record); i++) {
        wpg_value_site_counts site;
        if (!wpg_value_site_at(&site, record, i)) {
            a->failed = true;
            return;
        }
        if (site.asked >= LEAST_ASKED && site.value_count && site.values[0].count >= site.asked)
            list_word(&list, i < function->word_count ? function->word_names[i] : NULL, &site);
        wpg_value_site_finish(&site);
    }
    if (!list.count)
        return;
    const double saving = saved_by_version(&a->report->shaders[a->shader]);
    wpg_advise_add(
        a, WPG_ADVICE_CONSTANT, function->counts->function, list.block, saving,
        wpg_advise_text(a, "make %s specialisation constant%s: %s",
                        list.count == 1 ? "this uniform a" : "these uniforms", list.count == 1 ? "" : "s",
                        list.text),
        wpg_advise_text(a, "%zu word%s had one value in all of at least %" PRIu64 " waves that were asked%s",
                        list.count, list.count == 1 ? "" : "s", list.asked,
                        saving < 0 ? "" : "; use mode does this behind a test at the entry"));
}

void wpg_advise_indices(wpg_adviser *a, const wpg_report_function *function)
{
    const wpg_profile_record *record = function->counts->records[WPG_RECORD_VALUES];
    for (size_t i = 0; i < wpg_value_site_count(record); i++) {
        wpg_value_site_counts site;
        if (!wpg_value_site_at(&site, record, i)) {
            a->failed = true;
            return;
        }
        const bool index = strcmp(site.kind, "index") == 0 || strcmp(site.kind, "descriptor") == 0 ||
                           strcmp(site.kind, "address") == 0;
        if (index && site.asked >= LEAST_ASKED && site.agreed == site.asked)
            wpg_advise_add(
                a, WPG_ADVICE_UNIFORM, function->counts->function, site.block, -1,
                wpg_advise_text(
                    a,
                    "this %s is one value in each wave: read it by subgroupBroadcastFirst, or from a uniform "
                    "block",
                    strcmp(site.kind, "descriptor") == 0 ? "descriptor index"
                    : strcmp(site.kind, "index") == 0    ? "buffer index"
                                                         : "address"),
                wpg_advise_text(a, "all lanes agreed in all %" PRIu64 " waves that were asked", site.asked));
        wpg_value_site_finish(&site);
    }
}

/* -- Inputs */

/* "v_color.w = 1 (line 12)" */
static void list_input(word_list *list, const wpg_report_input *input, const wpg_value_site_counts *site)
{
    enum { MOST_NAMED = 6 };
    char value[24], line[24] = "";
    list->count++;
    list->asked += site->asked;
    list->came += site->came;
    if (list->count > MOST_NAMED || list->length >= sizeof list->text)
        return;
    if (site->line)
        (void)snprintf(line, sizeof line, " (line %u)", site->line);
    list->length +=
        (size_t)snprintf(list->text + list->length, sizeof list->text - list->length, "%s%s = %s%s",
                         list->count > 1 ? ", " : "", input ? input->name : "one without a name",
                         wpg_value_text(value, site, site->values[0].value), line);
}

bool wpg_report_is_steady(const wpg_value_site_counts *site)
{
    return site->asked >= LEAST_ASKED && site->agreed == site->asked && site->value_count &&
           site->values[0].count >= site->asked;
}

/* All inputs of one value together: each is one interpolation, and a part of an output before. */
void wpg_advise_inputs(wpg_adviser *a, const wpg_report_function *function)
{
    const wpg_profile_record *record = function->counts->records[WPG_RECORD_INPUTS];
    word_list list = {.text = ""};
    bool rounded = false;
    const wpg_report_shader *shader = &a->report->shaders[a->shader];
    for (size_t i = 0; i < wpg_value_site_count(record); i++) {
        const wpg_report_input *input = i < function->input_count ? &function->inputs[i] : NULL;
        wpg_value_site_counts site;
        if (!wpg_value_site_at(&site, record, i)) {
            a->failed = true;
            return;
        }
        if (wpg_report_is_steady(&site)) {
            list_input(&list, input, &site);
            rounded |= !input || input->rounds;
        }
        wpg_value_site_finish(&site);
    }
    if (list.count)
        wpg_advise_add(
            a, WPG_ADVICE_INPUT, function->counts->function, 0,
            shader->has_input_saving ? shader->input_saving : -1,
            wpg_advise_text(a, "make %s, and drop %s from the stage before: %s%s",
                            list.count == 1 ? "this input a constant" : "these inputs constants",
                            list.count == 1 ? "it" : "them", list.text, list.count > 6 ? ", ..." : ""),
            wpg_advise_text(
                a, "all lanes had one value in all %" PRIu64 " waves that were asked, of %" PRIu64 "%s",
                list.asked / list.count, list.came / list.count,
                rounded ? "; interpolated ones but for their last four bits" : ""));
}
