#include "runtime/cli/merge/select.h"

#include <fnmatch.h>
#include <string.h>

bool wpg_merge_chooses(const wpg_merge_options *options)
{
    for (int part = 0; part < WPG_MADE_PARTS; part++)
        if (options->select[part])
            return true;
    return false;
}

static bool matches(const wpg_merge_options *options, const wpg_made *made)
{
    for (int part = 0; part < WPG_MADE_PARTS; part++)
        if (options->select[part] && fnmatch(options->select[part], made->parts[part], 0) != 0)
            return false;
    return true;
}

bool wpg_merge_takes(const wpg_merge_options *options, const wpg_profile *profile)
{
    bool any = false;
    for (size_t i = 0; i < wpg_profile_count(profile); i++) {
        wpg_made made;
        if (!wpg_made_record_parse(&made, wpg_profile_at(profile, i)->name))
            continue;
        if (!matches(options, &made))
            return false;
        any = true;
    }
    return any;
}

bool wpg_merge_parse_select(wpg_merge_options *options, int *at, int argc, char **argv)
{
    if (strncmp(argv[*at], "--", 2) != 0)
        return false;
    const char *option = argv[*at] + 2;
    for (int part = 0; part < WPG_MADE_PARTS; part++) {
        const char *name = wpg_made_part_name((wpg_made_part)part);
        const size_t length = strlen(name);
        if (strncmp(option, name, length) != 0 || (option[length] && option[length] != '='))
            continue;
        if (!option[length] && *at + 1 >= argc)
            return false;
        options->select[part] = option[length] ? option + length + 1 : argv[++*at];
        return true;
    }
    return false;
}
