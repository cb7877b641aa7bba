/* Fuzzes the reader of facts (bundles): what is read is written, read again and written as the same; merging
 * it with itself doubles; what it says of a shader is decoded or refused; its sets of push constants are
 * written and read as the same. */
#include "runtime/bundle/facts.h"
#include "runtime/bundle/push_facts.h"
#include "runtime/bundle/shader_info.h"
#include "tests/fuzz/common/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char seed[] =
        "wavepgo-facts 1 shader 00000000000000020000000000000001\nis stage comp\n"
        "is function.0 12ab 3\nis spec.1 4 0000000a\nsum draws 12\nrange trips -1 5\n"
        "count push.00 0x00000001 7\ncount push.00 * 5\n"
        "is pushes.f62011fbdee07649 00000005 - 3f800000\nsum pushed.f62011fbdee07649 9\n"
        "sum pushed.others 3\nsum loose.01 1\nend\n";
    (void)argc, (void)argv;
    fuzz_seed("facts", seed, sizeof seed - 1);
    return 0;
}

static void try_sets(const wpg_facts *facts)
{
    wpg_push_sets sets = {0}, again = {0};
    wpg_facts *said = wpg_facts_create("pipeline", "x");
    fuzz_check(wpg_push_facts_sets(&sets, facts, NULL) == WPG_OK, "sets are not read");
    fuzz_check(said && wpg_push_facts_say(said, &sets, NULL) == WPG_OK, "sets are not written");
    fuzz_check(wpg_push_facts_sets(&again, said, NULL) == WPG_OK, "own sets are not read");
    fuzz_check(again.count == sets.count, "own sets change");
    for (uint32_t i = 0; i < sets.count; i++)
        fuzz_check(memcmp(&sets.sets[i], &again.sets[i], sizeof *sets.sets) == 0, "an own set changes");
    wpg_push_sets_finish(&sets);
    wpg_push_sets_finish(&again);
    wpg_facts_destroy(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wpg_facts *facts, *again;
    wpg_shader_info info;
    wpg_error err = {0};
    wpg_writer out = {0}, out2 = {0};
    wpg_status status = wpg_facts_decode(&facts, data, size, &err);
    fuzz_check(status == WPG_OK || (err.status == status && err.message[0]), "a failure without a message");
    if (status != WPG_OK)
        return 0;
    wpg_facts_encode(&out, facts);
    fuzz_check(wpg_facts_decode(&again, out.data, out.size, NULL) == WPG_OK, "own output is not read");
    wpg_facts_encode(&out2, again);
    fuzz_check(out.size == out2.size && memcmp(out.data, out2.data, out.size) == 0, "own output changes");
    fuzz_check(wpg_facts_merge(facts, again, 2, NULL, NULL) == WPG_OK, "facts do not merge with themselves");
    if (wpg_shader_info_decode(&info, facts, NULL) == WPG_OK)
        wpg_shader_info_finish(&info);
    try_sets(facts);
    wpg_writer_finish(&out);
    wpg_writer_finish(&out2);
    wpg_facts_destroy(facts);
    wpg_facts_destroy(again);
    return 0;
}
