/* What the interpreter (simt.h) counts: lanes note what they did and where; notes that agree are one event of
 * the wave. */
#include "tests/e2e/random/simt_internal.h"

#include <stdlib.h>
#include <string.h>

/* -- What there is to count */

static void add_edge(machine *m, label *from, uint32_t to)
{
    simt_counts *counts = m->counts;
    for (uint32_t e = from->first_edge; e < counts->edge_count; e++)
        if (counts->edges[e].to == m->labels[to].number)
            return;
    counts->edges[counts->edge_count++] = (simt_edge){.from = from->number, .to = m->labels[to].number};
    from->edge_count++;
}

/* A branch has two targets side by side, a switch a default and then pairs of literal and target. */
static void number_edges(machine *m, label *from, const wpg_inst *end)
{
    from->first_edge = m->counts->edge_count;
    uint32_t step = end->opcode == SpvOpSwitch ? 2 : 1, stop = step == 2 ? end->count : 4;
    for (uint32_t i = 2; i < stop; i += step)
        add_edge(m, from, end->words[i]);
}

static size_t most_edges(const wpg_inst *inst)
{
    return inst->opcode == SpvOpBranchConditional ? 2 : inst->opcode == SpvOpSwitch ? inst->count / 2u : 0;
}

bool simt_counts_make(machine *m)
{
    simt_counts *counts = m->counts;
    size_t edges = 0, selects = 0, blocks = m->block_count;
    WPG_INST_EACH (inst, m->module) {
        edges += most_edges(inst);
        selects += inst->opcode == SpvOpSelect;
    }
    counts->block_count = m->block_count;
    counts->ends = calloc(blocks + 1, sizeof *counts->ends);
    counts->loops = calloc(blocks + 1, sizeof *counts->loops);
    counts->edges = calloc(edges + 1, sizeof *counts->edges);
    counts->selects = calloc(selects + 1, sizeof *counts->selects);
    if (!counts->ends || !counts->loops || !counts->edges || !counts->selects)
        return simt_refuse(m, "out of memory");
    for (uint32_t f = 0; f < counts->function_count; f++) {
        simt_function *c = &counts->functions[f];
        c->waves = calloc(4 * (size_t)c->block_count + 1, sizeof *c->waves);
        c->lanes = c->waves + c->block_count;
        c->uniform = c->lanes + c->block_count;
        c->uniform_most = c->uniform + c->block_count;
        if (!c->waves)
            return simt_refuse(m, "out of memory");
    }
    label *open = NULL;
    WPG_INST_EACH (inst, m->module) {
        if (inst->opcode == SpvOpLabel)
            open = &m->labels[inst->result];
        if (open && most_edges(inst))
            number_edges(m, open, inst);
        if (inst->opcode == SpvOpSelect) {
            m->variable[inst->result] = counts->select_count;
            counts->selects[counts->select_count++].id = inst->result;
        }
    }
    return true;
}

/* -- Notes */

static uint64_t mix(uint64_t digest, uint64_t next)
{
    digest = (digest ^ next) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

static bool take_note(machine *m, uint32_t event)
{
    if (m->helper || !m->counting)
        return true;
    if (m->note_count == m->note_capacity) {
        size_t capacity = m->note_capacity ? 2 * m->note_capacity : 4096;
        note *notes = realloc(m->notes, capacity * sizeof *notes);
        if (!notes)
            return simt_refuse(m, "out of memory");
        m->notes = notes;
        m->note_capacity = capacity;
    }
    uint64_t where = 1;
    for (uint32_t i = 0; i < m->depth; i++)
        where = mix(mix(where, m->places[i].id), m->places[i].iteration);
    m->notes[m->note_count++] = (note){where, event, m->lane};
    return true;
}

/* Events: starts, ends and loop entries of blocks, edges, selects that hold and that do not. */
bool simt_note_block(machine *m, uint32_t at)
{
    return take_note(m, m->labels[at].number);
}

bool simt_note_entry(machine *m, uint32_t header_label)
{
    return take_note(m, 2 * m->block_count + m->labels[header_label].number);
}

bool simt_note_edge(machine *m, uint32_t at, uint32_t to)
{
    const label *from = &m->labels[at];
    for (uint32_t e = from->first_edge; e < from->first_edge + from->edge_count; e++)
        if (m->counts->edges[e].to == m->labels[to].number)
            return take_note(m, m->block_count + from->number) && take_note(m, 3 * m->block_count + e);
    return true;
}

bool simt_note_select(machine *m, const wpg_inst *inst)
{
    bool holds = m->values[inst->words[3]].part[0] != 0;
    return take_note(m, 3 * m->block_count + m->counts->edge_count + 2 * m->variable[inst->result] + !holds);
}

void simt_leave_places(machine *m, uint32_t depth)
{
    while (m->depth > depth) {
        const place *left = &m->places[--m->depth];
        if (!m->counting || left->is_call || !left->alive)
            continue;
        simt_loop *loop = &m->counts->loops[m->labels[left->id].number];
        uint32_t bucket = 0;
        while (bucket < SIMT_TRIP_BUCKETS - 1 && left->trips >> bucket)
            bucket++;
        bool first = true;
        for (uint32_t k = 0; k < SIMT_TRIP_BUCKETS; k++)
            first &= loop->buckets[k] == 0;
        loop->least = first || left->trips < loop->least ? (uint32_t)left->trips : loop->least;
        loop->most = first || left->trips > loop->most ? (uint32_t)left->trips : loop->most;
        loop->trips += left->trips;
        loop->buckets[bucket]++;
    }
}

/* -- Waves */

static int by_event_and_place(const void *left, const void *right)
{
    const note *a = left, *b = right;
    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    if (a->where != b->where)
        return a->where < b->where ? -1 : 1;
    return a->lane < b->lane ? -1 : a->lane > b->lane;
}

static void count_block(const machine *m, uint32_t block, uint64_t lanes, uint32_t members)
{
    simt_function *f = m->counts->functions;
    for (; block >= f->block_count; f++)
        block -= f->block_count;
    f->waves[block]++;
    f->lanes[block] += lanes;
    f->uniform[block] += !m->demoted && lanes == members;
    f->uniform_most[block] += lanes + m->demoted >= members;
}

static simt_tally *tally_of(const machine *m, uint32_t event)
{
    simt_counts *counts = m->counts;
    uint32_t blocks = m->block_count;
    if (event < 2 * blocks)
        return &counts->ends[event - blocks];
    if (event < 3 * blocks)
        return &counts->loops[event - 2 * blocks].entered;
    event -= 3 * blocks;
    if (event < counts->edge_count)
        return &counts->edges[event].went;
    event -= counts->edge_count;
    return &counts->selects[event / 2].took[event % 2];
}

void simt_add_up(machine *m, uint32_t members)
{
    if (m->note_count)
        qsort(m->notes, m->note_count, sizeof *m->notes, by_event_and_place);
    for (size_t i = 0, end; i < m->note_count; i = end) {
        const note *first = &m->notes[i];
        for (end = i + 1; end < m->note_count && m->notes[end].event == first->event &&
                          m->notes[end].where == first->where;)
            end++;
        if (first->event < m->block_count) {
            count_block(m, first->event, end - i, members);
            continue;
        }
        simt_tally *tally = tally_of(m, first->event);
        tally->waves++;
        tally->lanes += end - i;
    }
}

void simt_counts_finish(simt_counts *counts)
{
    for (uint32_t f = 0; f < counts->function_count; f++)
        free(counts->functions[f].waves);
    free(counts->ends);
    free(counts->loops);
    free(counts->edges);
    free(counts->selects);
    counts->function_count = 0;
}
