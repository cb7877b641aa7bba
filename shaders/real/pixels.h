/* Images of 32-bit floats, four channels a pixel: kept in a folder, and compared with what was kept.
 * Owns: nothing. Threads: one. */
#ifndef WPG_SHADERS_REAL_PIXELS_H
#define WPG_SHADERS_REAL_PIXELS_H

#include <stddef.h>
#include <stdint.h>

/* How an image differs from another of its size. */
typedef struct bench_difference {
    size_t pixels;   /* whose bits differ */
    uint32_t steps;  /* the greatest distance of two channels, in steps of a 32-bit float (ULP) */
    size_t in_bytes; /* pixels that differ once channels are rounded to 8 bits, 0 to 1 */
    unsigned levels; /* the greatest distance of two such channels */
} bench_difference;

/* Writes the image to FOLDER/NAME.rgba32f if PIXELS=FOLDER is set; says so on standard error if it cannot. */
void bench_keep_pixels(const char *name, const float *channels, size_t pixels);
/* Compares it with the file of that name in the folder LIKE. Returns 1; 0 if LIKE is not set or there is no
 * such file; -1 if it is of another size, or memory runs out, which is said on standard error. */
int bench_compare_pixels(bench_difference *difference, const char *name, const float *channels,
                         size_t pixels);

#endif
