#include "runtime/profile/pipeline_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "pipeline.", suffix[] = "#entry";
/* The shader part is spelled by record_name.c, as a lanes record of the entry function. */
static const char inner_suffix[] = "#lanes";

wpg_status wpg_pipeline_record_compose(char **name, wpg_hash128 pipeline, const wpg_record_name *stage,
                                       wpg_error *err)
{
    wpg_record_name parts = *stage;
    char hex[WPG_HASH_HEX + 1], *inner;
    parts.kind = WPG_RECORD_LANES;
    parts.function = 0;
    WPG_TRY(wpg_record_name_compose(&inner, &parts, err));
    size_t length = strlen(inner) - (sizeof inner_suffix - 1);
    size_t size = sizeof prefix + WPG_HASH_HEX + 1 + length + sizeof suffix;
    char *result = malloc(size);
    if (result) {
        wpg_hash_to_hex(hex, pipeline);
        (void)snprintf(result, size, "%s%s.%.*s%s", prefix, hex, (int)length, inner, suffix);
    }
    free(inner);
    if (!result)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a record's name");
    *name = result;
    return WPG_OK;
}

wpg_status wpg_pipeline_record_parse(wpg_hash128 *pipeline, wpg_record_name *stage, const char *name,
                                     wpg_error *err)
{
    const size_t fixed = sizeof prefix - 1 + WPG_HASH_HEX + 1;
    size_t length = strlen(name);
    if (length < fixed + sizeof suffix - 1 || strncmp(name, prefix, sizeof prefix - 1) != 0 ||
        strcmp(name + length - (sizeof suffix - 1), suffix) != 0 || name[fixed - 1] != '.' ||
        !wpg_hash_from_hex(pipeline, name + sizeof prefix - 1))
        return wpg_fail(err, WPG_E_FORMAT, "no pipeline record's name");
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, *pipeline);
    if (memcmp(hex, name + sizeof prefix - 1, WPG_HASH_HEX) != 0) /* spelled otherwise than compose does */
        return wpg_fail(err, WPG_E_FORMAT, "no pipeline record's name");
    size_t inner_length = length - fixed - (sizeof suffix - 1), size = inner_length + sizeof inner_suffix;
    char *inner = malloc(size);
    if (!inner)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a record's name");
    (void)snprintf(inner, size, "%.*s%s", (int)inner_length, name + fixed, inner_suffix);
    wpg_status status = wpg_record_name_parse(stage, inner, err);
    free(inner);
    if (status == WPG_OK && stage->function != 0) {
        wpg_record_name_finish(stage);
        return wpg_fail(err, WPG_E_FORMAT, "no pipeline record's name");
    }
    return status;
}
