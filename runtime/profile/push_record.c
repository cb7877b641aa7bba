#include "runtime/profile/push_record.h"

#include <stdio.h>
#include <string.h>

static const char prefix[] = "pipeline.", suffix[] = "#push";

void wpg_push_record_compose(char name[WPG_PUSH_RECORD_NAME], wpg_hash128 pipeline)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, pipeline);
    (void)snprintf(name, WPG_PUSH_RECORD_NAME, "%s%s%s", prefix, hex, suffix);
}

bool wpg_push_record_parse(wpg_hash128 *pipeline, const wpg_profile_record *record)
{
    char name[WPG_PUSH_RECORD_NAME];
    if (strncmp(record->name, prefix, sizeof prefix - 1) != 0 ||
        strlen(record->name) != sizeof prefix - 1 + WPG_HASH_HEX + sizeof suffix - 1 ||
        !wpg_hash_from_hex(pipeline, record->name + sizeof prefix - 1))
        return false;
    wpg_push_record_compose(name, *pipeline);
    return strcmp(name, record->name) == 0 && record->func_hash == WPG_PUSH_RECORD_HASH &&
           record->counter_count == WPG_PUSH_RECORD_COUNTERS;
}

uint64_t wpg_push_record_others(const wpg_profile_record *record, uint32_t word)
{
    return record->counters[1 + 2 * word];
}

uint64_t wpg_push_record_unpushed(const wpg_profile_record *record, uint32_t word)
{
    return record->counters[2 + 2 * word];
}
