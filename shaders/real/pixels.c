#include "shaders/real/pixels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void path_of(char path[4096], const char *folder, const char *name)
{
    (void)snprintf(path, 4096, "%s/%s.rgba32f", folder, name);
}

void bench_keep_pixels(const char *name, const float *channels, size_t pixels)
{
    const char *folder = getenv("PIXELS");
    char path[4096];
    if (!folder)
        return;
    path_of(path, folder, name);
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(channels, 16, pixels, file) == pixels;
    if (file && fclose(file))
        written = false;
    if (!written)
        fprintf(stderr, "cannot write %s\n", path);
}

/* Numbers in their order, so that neighbours are one apart. */
static int64_t place_of(float channel)
{
    int32_t bits;
    memcpy(&bits, &channel, sizeof bits);
    return bits < 0 ? -(int64_t)(bits & INT32_MAX) : bits;
}

static int byte_of(float channel)
{
    return channel >= 1 ? 255 : channel > 0 ? (int)(channel * 255 + 0.5f) : 0;
}

/* `a` against `b`, [pixels * 4] each. */
static bench_difference differ(const float *a, const float *b, size_t pixels)
{
    bench_difference found = {0};
    for (size_t p = 0; p < pixels; p++) {
        int levels = 0;
        if (!memcmp(&a[p * 4], &b[p * 4], 16))
            continue;
        found.pixels++;
        for (size_t i = p * 4; i < p * 4 + 4; i++) {
            const int64_t steps = llabs(place_of(a[i]) - place_of(b[i]));
            const int apart = abs(byte_of(a[i]) - byte_of(b[i]));
            if (steps > found.steps)
                found.steps = steps > UINT32_MAX ? UINT32_MAX : (uint32_t)steps;
            levels = apart > levels ? apart : levels;
        }
        found.in_bytes += levels > 0;
        if ((unsigned)levels > found.levels)
            found.levels = (unsigned)levels;
    }
    return found;
}

int bench_compare_pixels(bench_difference *difference, const char *name, const float *channels, size_t pixels)
{
    const char *folder = getenv("LIKE");
    char path[4096];
    if (!folder)
        return 0;
    path_of(path, folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    float *kept = malloc(pixels * 16 + 1);
    const bool fits = kept && fread(kept, 1, pixels * 16 + 1, file) == pixels * 16;
    if (fits)
        *difference = differ(channels, kept, pixels);
    else
        fprintf(stderr, "%s: not an image of %zu pixels\n", path, pixels);
    free(kept);
    (void)fclose(file);
    return fits ? 1 : -1;
}
