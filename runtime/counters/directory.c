/* Seeds and cells: directory.h says how they lead a shader to its counters. */
#include "runtime/counters/directory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 1 << 14 };
static const uint32_t step = 0x9e3779b1; /* odd: tries give different seeds */

typedef struct wpg_directory_member {
    struct wpg_directory_member *next; /* of the same seed */
    uint32_t tag;
    uint32_t cells; /* the first of those it owns; 0: none */
    uint64_t address;
} member;

static unsigned shift_of(size_t count)
{
    unsigned shift = 32;
    for (; count > 1; count >>= 1)
        shift--;
    return shift;
}

size_t wpg_directory_seeds_at(size_t count)
{
    return count * sizeof(uint64_t);
}

size_t wpg_directory_bytes(size_t count)
{
    return wpg_directory_seeds_at(count) + count * sizeof(uint32_t);
}

wpg_directory_key wpg_directory_key_of(wpg_hash128 hash, size_t count)
{
    return (wpg_directory_key){(size_t)hash.low & (count - 1), (uint32_t)hash.high | 1, shift_of(count)};
}

wpg_status wpg_directory_init(wpg_directory *directory, size_t count, void *words, uint64_t scratch,
                              wpg_error *err)
{
    *directory = (wpg_directory){.count = count, .cells = words, .scratch = scratch};
    if (!words)
        return WPG_OK;
    directory->members = calloc(count, sizeof *directory->members);
    directory->owners = calloc(count, sizeof *directory->owners);
    directory->next_cell = calloc(count, sizeof *directory->next_cell);
    if (!directory->members || !directory->owners || !directory->next_cell)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for a directory of %zu entries", count);
    directory->seeds = (uint32_t *)(void *)((char *)words + wpg_directory_seeds_at(count));
    memset(directory->seeds, 0, count * sizeof *directory->seeds);
    for (size_t i = 0; i < count; i++)
        directory->cells[i] = scratch;
    return WPG_OK;
}

void wpg_directory_finish(wpg_directory *directory)
{
    for (size_t i = 0; directory->members && i < directory->count; i++) {
        for (member *at = directory->members[i], *next; at; at = next) {
            next = at->next;
            free(at);
        }
    }
    free(directory->members);
    free(directory->owners);
    free(directory->next_cell);
    *directory = (wpg_directory){0};
}

static size_t cell_of(uint32_t tag, uint32_t seed, uint32_t shift)
{
    return (uint32_t)(tag * seed) >> shift;
}

/* Does the seed lead each pipeline of the list to a cell of its own, free or taken for it before? */
static bool seed_fits(const wpg_directory *directory, const member *list, uint32_t seed, uint32_t shift)
{
    for (const member *at = list; at; at = at->next) {
        size_t cell = cell_of(at->tag, seed, shift);
        if (!cell || (directory->owners[cell] && directory->owners[cell] != at))
            return false;
        for (const member *other = list; other != at; other = other->next)
            if (cell_of(other->tag, seed, shift) == cell)
                return false;
    }
    return true;
}

/* Cells first, then the seed that leads there: a shader may run meanwhile. */
static void publish(wpg_directory *directory, size_t index, uint32_t seed, uint32_t shift)
{
    for (member *at = directory->members[index]; at; at = at->next) {
        size_t cell = cell_of(at->tag, seed, shift);
        if (!directory->owners[cell]) {
            directory->owners[cell] = at;
            directory->next_cell[cell] = at->cells;
            at->cells = (uint32_t)cell;
        }
        __atomic_store_n(&directory->cells[cell], at->address, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&directory->seeds[index], seed, __ATOMIC_RELEASE);
}

wpg_status wpg_directory_add(wpg_directory *directory, wpg_hash128 hash, uint64_t address, wpg_error *err)
{
    if (!directory->cells)
        return WPG_OK;
    wpg_directory_key key = wpg_directory_key_of(hash, directory->count);
    member **list = &directory->members[key.seed];
    for (const member *at = *list; at; at = at->next)
        if (at->tag == key.tag)
            return wpg_fail(err, WPG_E_LIMIT, "another pipeline has the same directory seed %zu and tag %08x",
                            key.seed, key.tag);
    member *made = calloc(1, sizeof *made);
    if (!made)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for a directory entry");
    *made = (member){.next = *list, .tag = key.tag, .address = address};
    for (uint32_t tries = 1; tries <= MOST_TRIES; tries++) {
        if (!seed_fits(directory, made, tries * step, key.shift))
            continue;
        *list = made;
        publish(directory, key.seed, tries * step, key.shift);
        return WPG_OK;
    }
    free(made);
    return wpg_fail(err, WPG_E_LIMIT, "the address directory is full: %zu entries, see SLOTS",
                    directory->count);
}

void wpg_directory_remove(wpg_directory *directory, wpg_hash128 hash)
{
    if (!directory->cells)
        return;
    const wpg_directory_key key = wpg_directory_key_of(hash, directory->count);
    member **at = &directory->members[key.seed];
    while (*at && (*at)->tag != key.tag)
        at = &(*at)->next;
    member *gone = *at;
    if (!gone)
        return;
    *at = gone->next;
    for (uint32_t cell = gone->cells, next; cell; cell = next) {
        next = directory->next_cell[cell];
        __atomic_store_n(&directory->cells[cell], directory->scratch, __ATOMIC_RELAXED);
        directory->owners[cell] = NULL;
        directory->next_cell[cell] = 0;
    }
    free(gone);
}
