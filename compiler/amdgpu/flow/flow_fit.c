#include "compiler/amdgpu/flow/flow_fit.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 400, WORK = 1 << 30 /* multiplications, about */ };

typedef struct fit {
    const wpg_flow_graph *graph;
    const wpg_flow_sum *sums;
    uint32_t sum_count;
    double *worth;         /* by edge: odds */
    double *probabilities; /* by edge */
    double *frequencies;   /* by block, as the next */
    double *lacks;         /* the logarithm of how many times as often it should run, for each sum */
    double *told;          /* how many sums speak of it */
    double *lacks_ahead, *told_ahead; /* the same of all that a run from there on comes through */
    double *near;    /* what a visit lacks: the block's, or of one that no sum speaks of its targets' */
    uint32_t *order; /* blocks, each behind those it leads to but for edges that go back */
    uint32_t ordered;
} fit;

static bool prepare(fit *f, bool from_given, wpg_arena *arena)
{
    const wpg_flow_graph *graph = f->graph;
    uint32_t n = graph->block_count, edges = wpg_flow_edge_count(graph), depth = 0;
    f->worth = WPG_ARENA_ARRAY(arena, double, edges);
    f->frequencies = WPG_ARENA_ARRAY(arena, double, n);
    f->lacks = WPG_ARENA_ARRAY(arena, double, n);
    f->told = WPG_ARENA_ARRAY(arena, double, n);
    f->near = WPG_ARENA_ARRAY(arena, double, n);
    f->lacks_ahead = WPG_ARENA_ARRAY(arena, double, n);
    f->told_ahead = WPG_ARENA_ARRAY(arena, double, n);
    f->order = WPG_ARENA_ARRAY(arena, uint32_t, n);
    uint32_t *stack = WPG_ARENA_ARRAY(arena, uint32_t, n), *next = WPG_ARENA_ARRAY(arena, uint32_t, n);
    bool *seen = WPG_ARENA_ARRAY(arena, bool, n);
    if (arena->failed)
        return false;
    for (uint32_t e = 0; e < edges; e++)
        f->worth[e] = from_given ? fmax(f->probabilities[e], 1e-4) : 1;
    for (uint32_t b = 0; b < n; b++)
        next[b] = graph->first[b];
    seen[0] = true;
    for (stack[depth++] = 0; depth;) {
        uint32_t b = stack[depth - 1];
        if (next[b] == graph->first[b + 1]) {
            f->order[f->ordered++] = b;
            depth--;
        } else if (!seen[graph->targets[next[b]++]]) {
            uint32_t to = graph->targets[next[b] - 1];
            seen[to] = true;
            stack[depth++] = to;
        }
    }
    return true;
}

/* Sides that never ran keep next to nothing, so that every loop has a way out that counts. */
static void normalise(fit *f)
{
    const double least = 1e-10;
    for (uint32_t b = 0; b < f->graph->block_count; b++) {
        uint32_t first = f->graph->first[b], end = f->graph->first[b + 1];
        double sum = 0;
        for (uint32_t e = first; e < end; e++)
            sum += f->worth[e];
        for (uint32_t e = first; e < end; e++) {
            f->worth[e] = fmax(f->worth[e] / sum, least);
            f->probabilities[e] = f->worth[e];
        }
    }
}

static wpg_status solve(fit *f, double entries, wpg_error *err)
{
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_status status = wpg_flow_solve(f->frequencies, f->graph, f->probabilities, &arena, err);
    wpg_arena_finish(&arena);
    for (uint32_t b = 0; status == WPG_OK && b < f->graph->block_count; b++)
        f->frequencies[b] *= entries;
    return status;
}

/* By how much the sums are off; fills in what blocks lack. */
static double compare(fit *f)
{
    double apart = 0, larger = 0;
    for (uint32_t b = 0; b < f->graph->block_count; b++)
        f->lacks[b] = f->told[b] = f->near[b] = 0;
    for (uint32_t s = 0; s < f->sum_count; s++) {
        const wpg_flow_sum *sum = &f->sums[s];
        double is = 0;
        for (uint32_t i = 0; i < sum->block_count; i++)
            is += f->frequencies[sum->blocks[i]];
        if (!sum->block_count)
            continue;
        apart += fabs(is - sum->count);
        larger += fmax(is, sum->count);
        /* What never ran is told by less than a run. */
        double lack = log(fmax(sum->count, 1e-3)) - log(fmax(is, 1e-3));
        for (uint32_t i = 0; i < sum->block_count; i++) {
            f->lacks[sum->blocks[i]] += lack;
            f->told[sum->blocks[i]]++;
        }
    }
    for (uint32_t i = 0; i < f->ordered; i++) {
        uint32_t b = f->order[i];
        f->near[b] = f->told[b] > 0 ? f->lacks[b] / f->told[b] : 0;
        for (uint32_t e = f->graph->first[b]; !(f->told[b] > 0) && e < f->graph->first[b + 1]; e++)
            f->near[b] += f->probabilities[e] * f->near[f->graph->targets[e]];
    }
    return larger > 0 ? apart / larger : 0;
}

static wpg_status look_ahead(fit *f, wpg_error *err)
{
    double *const ahead[] = {f->lacks_ahead, f->told_ahead};
    wpg_arena arena;
    memcpy(f->lacks_ahead, f->lacks, f->graph->block_count * sizeof *f->lacks);
    memcpy(f->told_ahead, f->told, f->graph->block_count * sizeof *f->told);
    wpg_arena_init(&arena);
    wpg_status status = wpg_flow_ahead(ahead, 2, f->graph, f->probabilities, &arena, err);
    wpg_arena_finish(&arena);
    return status;
}

/* Edges are worth more by what is lacking where they lead. Near: at the target, which finds long loops' trips
 * at once, and is blind where two targets lack alike. Far: in all that a run will come through, against the
 * most that any of the block's edges leads through; slow in long loops. By turns they make up for each other.
 */
static wpg_status step_by(fit *f, double step, bool far, wpg_error *err)
{
    const wpg_flow_graph *graph = f->graph;
    if (far)
        WPG_TRY(look_ahead(f, err));
    for (uint32_t b = 0; b < graph->block_count; b++) {
        double most = 1;
        for (uint32_t e = graph->first[b]; far && e < graph->first[b + 1]; e++)
            most = fmax(most, f->told_ahead[graph->targets[e]]);
        for (uint32_t e = graph->first[b]; e < graph->first[b + 1]; e++) {
            uint32_t to = graph->targets[e];
            double lack = far ? f->lacks_ahead[to] / most : f->near[to];
            f->worth[e] *= exp(fmax(-40, fmin(40, step * lack)));
        }
    }
    return WPG_OK;
}

/* What the fit is now, kept and taken back. */
static void copy_worth(fit *f, double *to, const double *from)
{
    memcpy(to, from, wpg_flow_edge_count(f->graph) * sizeof *to);
}

/* Less than `least` of a run is none, where the block ran at all. */
static void drop_traces(fit *f, double least)
{
    for (uint32_t b = 0; b < f->graph->block_count; b++) {
        uint32_t first = f->graph->first[b], end = f->graph->first[b + 1];
        double kept = 0;
        for (uint32_t e = first; e < end; e++)
            if (f->frequencies[b] * f->worth[e] >= least)
                kept += f->worth[e];
        for (uint32_t e = first; e < end; e++)
            f->probabilities[e] = kept <= 0                                  ? f->worth[e]
                                  : f->frequencies[b] * f->worth[e] >= least ? f->worth[e] / kept
                                                                             : 0;
    }
}

/* Without traces, as far as every loop is still left then. */
static wpg_status finish(fit *f, double entries, wpg_error *err)
{
    static const double least[] = {0.25, 1e-2, 1e-4};
    normalise(f);
    WPG_TRY(solve(f, entries, err));
    double *frequencies = f->frequencies;
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        drop_traces(f, least[i]);
        f->frequencies = f->lacks; /* not needed any more */
        wpg_status status = solve(f, entries, NULL);
        f->frequencies = frequencies;
        if (status != WPG_E_UNSUPPORTED)
            return status == WPG_OK ? WPG_OK : wpg_fail(err, status, "out of memory");
    }
    normalise(f);
    return WPG_OK;
}

/* One step from f->worth; *now: what is off then. WPG_E_UNSUPPORTED: a loop would never be left. */
static wpg_status try_step(fit *f, double step, bool far, double entries, double *now)
{
    WPG_TRY(step_by(f, step, far, NULL));
    normalise(f);
    WPG_TRY(solve(f, entries, NULL));
    *now = compare(f);
    return WPG_OK;
}

static wpg_status go_back(fit *f, const double *best, double entries, double *now, wpg_error *err)
{
    copy_worth(f, f->worth, best);
    normalise(f);
    WPG_TRY(solve(f, entries, err));
    *now = compare(f);
    return WPG_OK;
}

enum { CLOSE_ENOUGH = 1000000 }; /* one part of so many */

/* Rounds of one kind of steps, which grow while they help; near ones may make it worse for a while, far ones
 * not. */
static wpg_status go(fit *f, bool far, unsigned rounds, double entries, double *rest, double *best,
                     wpg_error *err)
{
    double step = far ? 0.25 : 1, most = 64, before = *rest, now;
    for (unsigned round = 0; round < rounds; round++) {
        if (*rest * (double)CLOSE_ENOUGH < 1 || step < 1e-3)
            break;
        wpg_status status = try_step(f, step, far, entries, &now);
        if (status == WPG_E_NOMEM)
            return wpg_fail(err, status, "out of memory");
        if (status != WPG_OK || (far && now >= *rest)) {
            most = step = step / 2;
            WPG_TRY(go_back(f, best, entries, &before, err));
            continue;
        }
        if (now < *rest) {
            *rest = now;
            copy_worth(f, best, f->worth);
        }
        step = now < before ? fmin(step * 1.3, most) : fmin(1, most);
        before = now;
    }
    return go_back(f, best, entries, &before, err);
}

static wpg_status improve(fit *f, double entries, double *rest, double *best, wpg_error *err)
{
    const double n = f->graph->block_count, a_round = n * n * n;
    const unsigned rounds =
        a_round * (double)MOST_ROUNDS <= (double)WORK ? MOST_ROUNDS : 8 + (unsigned)((double)WORK / a_round);
    normalise(f);
    WPG_TRY(solve(f, entries, err));
    *rest = compare(f);
    copy_worth(f, best, f->worth);
    for (unsigned turn = 0; turn < 4; turn++)
        WPG_TRY(go(f, turn % 2, rounds / 4, entries, rest, best, err));
    return WPG_OK;
}

wpg_status wpg_flow_fit(double *probabilities, bool from_given, double *rest, const wpg_flow_graph *graph,
                        double entries, const wpg_flow_sum *sums, uint32_t sum_count, wpg_error *err)
{
    fit f = {.graph = graph, .sums = sums, .sum_count = sum_count, .probabilities = probabilities};
    wpg_arena arena;
    wpg_arena_init(&arena);
    double *best = WPG_ARENA_ARRAY(&arena, double, wpg_flow_edge_count(graph));
    wpg_status status =
        prepare(&f, from_given, &arena) && best ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK)
        status = improve(&f, entries, rest, best, err);
    if (status == WPG_OK)
        status = finish(&f, entries, err);
    wpg_arena_finish(&arena);
    return status;
}
