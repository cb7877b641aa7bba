/* One run's figures, from how it ended and from the files of the layer (runtime/tune/times.h). */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/cli/compare/compare.h"

enum {
    FILE_LIMIT = 256 << 20,
    FIRST_FRAMES = 30, /* left out, but a quarter of all at most */
    FEWEST_FRAMES = 10,
};

const char *wpg_side_name(wpg_side side)
{
    return side == WPG_SIDE_OFF ? "off" : "use";
}

const char *wpg_figure_key(wpg_figure figure)
{
    static const char *const keys[] = {"wall", "processor", "frame-median", "frame-99", "gpu"};
    return figure < WPG_FIGURES ? keys[figure] : "";
}

const char *wpg_figure_title(wpg_figure figure)
{
    static const char *const titles[] = {"wall time", "processor time", "frame time, median",
                                         "frame time, 99th percentile", "GPU time"};
    return figure < WPG_FIGURES ? titles[figure] : "";
}

const wpg_times_pipeline *wpg_measured_find(const wpg_measured *measured, wpg_hash128 pipeline)
{
    for (size_t i = 0; i < measured->times.pipelines.count; i++)
        if (wpg_hash_equal(measured->times.pipelines.data[i].hash, pipeline))
            return &measured->times.pipelines.data[i];
    return NULL;
}

/* -- Several processes */

static bool add_pipeline(wpg_measured *measured, const wpg_times_pipeline *one)
{
    wpg_times_pipeline *known = (wpg_times_pipeline *)(uintptr_t)wpg_measured_find(measured, one->hash);
    if (!known)
        return wpg_vec_push(&measured->times.pipelines, *one);
    known->changed |= one->changed;
    known->runs += one->runs;
    known->commands += one->commands;
    known->nanoseconds += one->nanoseconds;
    known->first_commands += one->first_commands;
    known->first_nanoseconds += one->first_nanoseconds;
    return true;
}

/* Pipelines are added up. Frames are those of the process with the most. Takes what it keeps of `one`. */
static bool add_process(wpg_measured *measured, wpg_times *one)
{
    wpg_times *all = &measured->times;
    bool good = true;
    measured->processes++;
    for (size_t i = 0; i < one->pipelines.count && good; i++)
        good = add_pipeline(measured, &one->pipelines.data[i]);
    all->made += one->made;
    all->changed += one->changed;
    if (!all->device[0] || one->presents > all->presents) {
        memcpy(all->device, one->device, sizeof all->device);
        memcpy(all->program, one->program, sizeof all->program);
        all->driver = one->driver;
        all->version = one->version;
    }
    if (one->presents > all->presents) {
        all->presents = one->presents;
        wpg_vec_free(&all->frames);
        all->frames.data = one->frames.data;
        all->frames.count = one->frames.count;
        all->frames.capacity = one->frames.capacity;
        memset(&one->frames, 0, sizeof one->frames);
    }
    return good;
}

static wpg_status read_file(wpg_measured *measured, const char *path, wpg_error *err)
{
    uint8_t *data;
    size_t size;
    wpg_times one;
    wpg_error inner;
    WPG_TRY(wpg_file_read(&data, &size, path, FILE_LIMIT, err));
    wpg_status status = wpg_times_decode(&one, (const char *)data, &inner);
    free(data);
    if (status != WPG_OK)
        return wpg_fail(err, status, "%s: %s", path, inner.message);
    const bool good = add_process(measured, &one);
    wpg_times_finish(&one);
    return good ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

static wpg_status read_folder(wpg_measured *measured, const char *folder, wpg_error *err)
{
    char path[4400];
    wpg_status status = WPG_OK;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.' ||
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path)
            continue;
        if (status == WPG_OK && length > 6 && strcmp(entry->d_name + length - 6, ".times") == 0)
            status = read_file(measured, path, err);
        if (strcmp(entry->d_name, "log") != 0)
            (void)unlink(path);
    }
    if (directory)
        (void)closedir(directory);
    return status;
}

/* -- Figures */

static void read_frames(wpg_measured *measured)
{
    const size_t count = measured->times.frames.count;
    const size_t first = count / 4 < FIRST_FRAMES ? count / 4 : FIRST_FRAMES, left = count - first;
    double *seconds = left >= FEWEST_FRAMES ? malloc(left * sizeof *seconds) : NULL;
    if (!seconds)
        return;
    for (size_t i = 0; i < left; i++)
        seconds[i] = (double)measured->times.frames.data[first + i] * 1e-9;
    measured->figures[WPG_FIGURE_FRAME] = wpg_quantile(seconds, left, 0.5);
    measured->figures[WPG_FIGURE_FRAME_99] = wpg_quantile(seconds, left, 0.99);
    free(seconds);
}

wpg_status wpg_measure(wpg_measured *measured, const wpg_run *run, const char *folder, wpg_error *err)
{
    *measured = (wpg_measured){0};
    for (int i = 0; i < WPG_FIGURES; i++)
        measured->figures[i] = NAN;
    wpg_status status = read_folder(measured, folder, err);
    if (status != WPG_OK) {
        wpg_measured_finish(measured);
        return status;
    }
    const double frames = (double)measured->times.presents;
    if (!run->stopped) {
        measured->figures[WPG_FIGURE_WALL] = run->wall;
        measured->figures[WPG_FIGURE_PROCESSOR] = run->processor;
    } else if (frames > 0)
        measured->figures[WPG_FIGURE_PROCESSOR] = run->processor / frames;
    read_frames(measured);
    double gpu = 0;
    for (size_t i = 0; i < measured->times.pipelines.count; i++) {
        uint64_t commands;
        const double each = wpg_times_steady(&commands, &measured->times.pipelines.data[i]);
        gpu += each * (double)measured->times.pipelines.data[i].commands * 1e-9;
    }
    if (measured->times.pipelines.count)
        measured->figures[WPG_FIGURE_GPU] = gpu;
    return WPG_OK;
}

void wpg_measured_finish(wpg_measured *measured)
{
    wpg_times_finish(&measured->times);
}
