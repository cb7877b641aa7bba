/* Fuzzes the reader of tuning's verdicts: what is read is within its bounds, is written and read again as the
 * same, merges, and can be gone on with. */
#include "runtime/bundle/verdicts.h"
#include "runtime/tune/tuning.h"
#include "tests/fuzz/common/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    wpg_verdict verdict = {.pipeline = {1, 2},
                           .device = {.name = "a device", .vendor = 0x10005, .driver = 13, .version = 7},
                           .build = "0123abcd",
                           .confidence = 0.95,
                           .margin = 0.01,
                           .count = 3};
    wpg_facts *facts;
    wpg_writer out = {0};
    (void)argc, (void)argv;
    for (uint32_t i = 0; i < 3; i++) {
        wpg_candidate *at = &verdict.alternatives[i];
        at->passes[0] = i ? (char)('s' + i) : '\0';
        at->outcome = i == 2 ? WPG_OUTCOME_WINS : WPG_OUTCOME_OPEN;
        at->ratio = at->low = at->high = i == 2 ? 0.5 : 0;
        at->looks = i == 2;
        at->count = 16 - (i == 1);
        for (uint32_t j = 0; j < at->count; j++)
            at->samples[j] = (wpg_sample){j % 3, j % 2, 1000 + j};
    }
    fuzz_check(wpg_verdict_encode(&facts, &verdict, NULL) == WPG_OK, "a seed is not encoded");
    wpg_facts_encode(&out, facts);
    fuzz_seed("verdict", out.data, out.size);
    wpg_writer_finish(&out);
    wpg_facts_destroy(facts);
    return 0;
}

static void check_bounds(const wpg_verdict *verdict)
{
    fuzz_check(verdict->count >= 1 && verdict->count <= 1 + WPG_VERDICT_CANDIDATES, "too many candidates");
    for (size_t i = 0; i < verdict->count; i++) {
        const wpg_candidate *at = &verdict->alternatives[i];
        fuzz_check(at->count <= WPG_VERDICT_SAMPLES && memchr(at->passes, 0, sizeof at->passes) &&
                       at->outcome <= WPG_OUTCOME_UNDECIDED && at->ratio >= 0 && at->ratio <= 1e8,
                   "a candidate out of bounds");
    }
}

/* Tuning goes on from whatever was read, and comes to an end. */
static void go_on(wpg_verdict *verdict)
{
    wpg_tuning tuning;
    wpg_tuning_init(&tuning, verdict);
    for (unsigned i = 0; i < 4000 && !wpg_verdict_settled(verdict); i++) {
        size_t chosen = wpg_tuning_choose(&tuning);
        fuzz_check(chosen < verdict->count, "a choice out of bounds");
        (void)wpg_tuning_add(&tuning, chosen, (wpg_sample){i % 2, 0, 100 + i % 7});
    }
    fuzz_check(wpg_verdict_settled(verdict), "tuning does not end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wpg_facts *facts, *again;
    wpg_verdict *verdict, *back;
    wpg_error err = {0};
    wpg_writer out = {0}, out2 = {0};
    if (wpg_facts_decode(&facts, data, size, NULL) != WPG_OK)
        return 0;
    wpg_status status = wpg_verdict_decode(&verdict, facts, &err);
    fuzz_check(status == WPG_OK || (err.status == status && err.message[0]), "a failure without a message");
    if (status == WPG_OK) {
        check_bounds(verdict);
        fuzz_check(wpg_verdict_encode(&again, verdict, NULL) == WPG_OK, "what was read is not written");
        fuzz_check(wpg_verdict_decode(&back, again, NULL) == WPG_OK, "own output is not read");
        wpg_facts_encode(&out, again);
        wpg_facts_destroy(again);
        fuzz_check(wpg_verdict_encode(&again, back, NULL) == WPG_OK, "own output is not written");
        wpg_facts_encode(&out2, again);
        fuzz_check(out.size == out2.size && memcmp(out.data, out2.data, out.size) == 0, "own output changes");
        again = wpg_verdict_merge(again, facts);
        facts = again;
        go_on(back);
        free(back);
        free(verdict);
    }
    wpg_writer_finish(&out);
    wpg_writer_finish(&out2);
    wpg_facts_destroy(facts);
    return 0;
}
