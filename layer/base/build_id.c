/* This library's own GNU build id. It is part of every cache key, so another build never reads our
 * entries. */
#include "layer/base/build_id.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct search {
    const uint8_t *found;
    size_t size;
} search;

static int look(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    search *result = data;
    uintptr_t self = (uintptr_t)&look;
    bool ours = false;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        ours |= segment->p_type == PT_LOAD && self >= start && self - start < segment->p_memsz;
    }
    for (int i = 0; ours && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE)
            continue;
        const uint8_t *at = (const uint8_t *)(object->dlpi_addr + segment->p_vaddr),
                      *end = at + segment->p_memsz;
        while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
            ElfW(Nhdr) note;
            memcpy(&note, at, sizeof note);
            const uint8_t *name = at + sizeof note;
            size_t name_size = ((size_t)note.n_namesz + 3) & ~(size_t)3;
            size_t text_size = ((size_t)note.n_descsz + 3) & ~(size_t)3;
            if (name_size > (size_t)(end - name) || text_size > (size_t)(end - name) - name_size)
                break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
                result->found = name + name_size;
                result->size = note.n_descsz;
                return 1;
            }
            at = name + name_size + text_size;
        }
    }
    return ours;
}

static search own;

static void find(void)
{
    (void)dl_iterate_phdr(look, &own);
}

const void *wpg_build_id(size_t *size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, find);
    *size = own.size;
    return own.found;
}
