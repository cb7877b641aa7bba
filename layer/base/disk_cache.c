#include "layer/base/disk_cache.h"

#include "layer/base/state.h"

static wpg_cache the_cache;

const wpg_cache *wpg_disk_cache(void)
{
    return &the_cache;
}

void wpg_disk_cache_setup(void)
{
    wpg_cache_init(&the_cache, wpg_the_process.settings.cache, wpg_the_process.folder);
}
