/* A comparison as JSON. Times are in seconds; what was not measured is absent.
 *
 *     {
 *       "wavepgo-compare": 1,                  version of this schema
 *       "date": "2026-11-25T13:00:00Z",
 *       "command": ["vkcube", "--c", "600"],
 *       "program": "/usr/bin/vkcube",          the file that was started; absent: not found
 *       "profile": "vkcube.wavepgo",
 *       "profile-hash": "...",                 of what it said before the runs (profile_hash.h)
 *       "device": "llvmpipe (...)",
 *       "driver": {"id": 13, "version": 1},    VkDriverId, driverVersion
 *       "baseline": "timed",                   off runs: timed (by the layer), or bare (without its hooks)
 *       "duration": 10,                        seconds after which each run was stopped; absent: none was
 *       "rounds": 6, "rounds-wanted": 6, "interrupted": false,
 *       "headline": "frame-median",            which of "ratios" one line says
 *       "ratios": {                            wall, processor, frame-median, frame-99, gpu
 *         "frame-median": RATIO, ...
 *       },
 *       "work": 1.0,                           commands that the GPU ran, use over off
 *       "changed": 3,                          pipelines that use mode changed
 *       "noise": {"low": 0.95, "high": 1.04, "pipelines": 7},   ratios of unchanged pipelines of 1 % of the
 *                                              GPU time or more; absent: there are none
 *       "pipelines": [                         dearest first
 *         {"hash": "...", "name": "...",       name: absent where none is known
 *          "changed": true,                    other words than the program's own ran
 *          "verdict": "less",                  unchanged (the ratio is noise), untimed,
 *                                              few-rounds, noise, same, less, more
 *          "share": 0.5,                       of the GPU time of all, off
 *          "gpu": RATIO}, ...                  of a command
 *       ],
 *       "samples": [                           every run, in the order of rounds
 *         {"round": 1, "side": "off", "processes": 1, "presents": 600, "pipelines": 12, "changed": 0,
 *          "wall": 1.5, "processor": 2.5, "frame-median": 0.0166, "frame-99": 0.02, "gpu": 0.5}, ...
 *       ]
 *     }
 *     RATIO: {"ratio": 0.74, "low": 0.70, "high": 0.78, "confidence": 0.96875, "rounds": 6,
 *             "off": 0.0166, "use": 0.0123}     medians over the rounds
 *
 * "processor" of a stopped run is that of a frame. Intervals are shown from a confidence of 0.95 on. */
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "runtime/cli/compare/compare.h"

static void set(json_t *object, const char *key, json_t *value)
{
    (void)json_object_set_new(object, key, value);
}

/* Bytes that are no UTF-8 make no JSON string: each becomes '?'. */
static json_t *text(const char *from)
{
    json_t *made = json_string(from);
    char *copy = made ? NULL : strdup(from);
    for (char *at = copy; at && *at; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    if (copy)
        made = json_string(copy);
    free(copy);
    return made;
}

static json_t *ratio(const wpg_compared *c)
{
    json_t *made = json_object();
    set(made, "ratio", json_real(c->ratio.median));
    set(made, "low", json_real(c->ratio.low));
    set(made, "high", json_real(c->ratio.high));
    set(made, "confidence", json_real(c->ratio.confidence));
    set(made, "rounds", json_integer((json_int_t)c->ratio.count));
    set(made, "off", json_real(c->off));
    set(made, "use", json_real(c->use));
    return made;
}

static json_t *pipelines(const wpg_comparison *comparison)
{
    json_t *list = json_array();
    for (size_t i = 0; i < comparison->pipelines.count; i++) {
        const wpg_compared_pipeline *p = &comparison->pipelines.data[i];
        json_t *one = json_object();
        set(one, "hash", json_string(p->hex));
        if (p->name[0])
            set(one, "name", text(p->name));
        set(one, "changed", json_boolean(p->changed));
        set(one, "verdict", json_string(wpg_verdict_key(p->verdict)));
        set(one, "share", json_real(p->share));
        if (p->time.ratio.count)
            set(one, "gpu", ratio(&p->time));
        (void)json_array_append_new(list, one);
    }
    return list;
}

static json_t *noise(const wpg_noise *from)
{
    json_t *made = json_object();
    set(made, "low", json_real(from->low));
    set(made, "high", json_real(from->high));
    set(made, "pipelines", json_integer((json_int_t)from->count));
    return made;
}

static json_t *sample(const wpg_measured *measured, size_t round, wpg_side side)
{
    json_t *one = json_object();
    set(one, "round", json_integer((json_int_t)round + 1));
    set(one, "side", json_string(wpg_side_name(side)));
    set(one, "processes", json_integer((json_int_t)measured->processes));
    set(one, "presents", json_integer((json_int_t)measured->times.presents));
    set(one, "pipelines", json_integer((json_int_t)measured->times.made));
    set(one, "changed", json_integer((json_int_t)measured->times.changed));
    for (int f = 0; f < WPG_FIGURES; f++)
        if (!isnan(measured->figures[f]))
            set(one, wpg_figure_key((wpg_figure)f), json_real(measured->figures[f]));
    return one;
}

static json_t *samples(const wpg_rounds *rounds)
{
    json_t *list = json_array();
    for (size_t r = 0; r < rounds->count; r++)
        for (int side = 0; side < WPG_SIDES; side++)
            (void)json_array_append_new(list, sample(&rounds->data[r].side[side], r, (wpg_side)side));
    return list;
}

static void set_device(json_t *document, const wpg_rounds *rounds)
{
    const wpg_times *times = rounds->count ? &rounds->data[0].side[WPG_SIDE_USE].times : NULL;
    if (!times || !times->device[0])
        return;
    json_t *driver = json_object();
    set(document, "device", text(times->device));
    set(driver, "id", json_integer(times->driver));
    set(driver, "version", json_integer(times->version));
    set(document, "driver", driver);
}

char *wpg_compare_json(const wpg_compare_result *result)
{
    const wpg_compare_options *options = result->options;
    const wpg_comparison *comparison = result->comparison;
    json_t *document = json_object(), *command = json_array(), *ratios = json_object();
    for (char *const *word = options->program; *word; word++)
        (void)json_array_append_new(command, text(*word));
    for (int f = 0; f < WPG_FIGURES; f++)
        if (comparison->figures[f].ratio.count)
            set(ratios, wpg_figure_key((wpg_figure)f), ratio(&comparison->figures[f]));
    set(document, "wavepgo-compare", json_integer(1));
    set(document, "date", json_string(result->date));
    set(document, "command", command);
    if (*result->program)
        set(document, "program", text(result->program));
    set(document, "profile", text(options->profile));
    if (*result->profile_hash)
        set(document, "profile-hash", json_string(result->profile_hash));
    set_device(document, result->rounds);
    set(document, "baseline", json_string(options->bare ? "bare" : "timed"));
    if (options->duration > 0)
        set(document, "duration", json_real(options->duration));
    set(document, "rounds", json_integer((json_int_t)result->rounds->count));
    set(document, "rounds-wanted", json_integer(options->rounds));
    set(document, "interrupted", json_boolean(result->interrupted));
    if (comparison->headline != WPG_FIGURES)
        set(document, "headline", json_string(wpg_figure_key(comparison->headline)));
    set(document, "ratios", ratios);
    if (comparison->work.count)
        set(document, "work", json_real(comparison->work.median));
    set(document, "changed", json_integer((json_int_t)comparison->changed));
    if (comparison->noise.count)
        set(document, "noise", noise(&comparison->noise));
    set(document, "pipelines", pipelines(comparison));
    set(document, "samples", samples(result->rounds));
    char *made = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(document);
    const size_t length = made ? strlen(made) : 0;
    char *whole = made ? realloc(made, length + 2) : NULL;
    if (!whole) {
        free(made);
        return NULL;
    }
    memcpy(whole + length, "\n", 2);
    return whole;
}
