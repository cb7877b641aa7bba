/* Fuzzes the readers of record names: what is read is composed again to the same name. */
#include "runtime/profile/made_record.h"
#include "runtime/profile/pipeline_record.h"
#include "tests/fuzz/common/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = fuzz_text(data, size), *again;
    wpg_record_name parts;
    wpg_hash128 pipeline;
    if (wpg_record_name_parse(&parts, name, NULL) == WPG_OK) {
        fuzz_check(wpg_record_name_compose(&again, &parts, NULL) == WPG_OK,
                   "a name that was read is refused");
        fuzz_check(strcmp(again, name) == 0, "a name changes");
        wpg_record_name_finish(&parts);
        free(again);
    }
    if (wpg_pipeline_record_parse(&pipeline, &parts, name, NULL) == WPG_OK) {
        fuzz_check(wpg_pipeline_record_compose(&again, pipeline, &parts, NULL) == WPG_OK,
                   "a pipeline's name that was read is refused");
        fuzz_check(strcmp(again, name) == 0, "a pipeline's name changes");
        wpg_record_name_finish(&parts);
        free(again);
    }
    wpg_made made;
    char composed[WPG_MADE_NAME];
    if (wpg_made_record_parse(&made, name)) {
        wpg_made_record_compose(composed, &made);
        fuzz_check(strcmp(composed, name) == 0, "a made record's name changes");
    }
    free(name);
    return 0;
}
