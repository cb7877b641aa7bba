#include "runtime/base/bytes.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"

const uint8_t *wpg_read_bytes(wpg_reader *r, size_t size)
{
    if (r->overrun || size > r->size - r->at) {
        r->overrun = true;
        return NULL;
    }
    const uint8_t *view = r->data + r->at;
    r->at += size;
    return view;
}

static uint64_t read_little(wpg_reader *r, size_t size)
{
    const uint8_t *bytes = wpg_read_bytes(r, size);
    uint64_t value = 0;
    for (size_t i = 0; bytes && i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint8_t wpg_read_u8(wpg_reader *r)
{
    return (uint8_t)read_little(r, 1);
}

uint32_t wpg_read_u32(wpg_reader *r)
{
    return (uint32_t)read_little(r, 4);
}

uint64_t wpg_read_u64(wpg_reader *r)
{
    return read_little(r, 8);
}

uint64_t wpg_read_uleb(wpg_reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = wpg_read_u8(r);
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return r->overrun ? 0 : value;
    }
    r->overrun = true;
    return 0;
}

void wpg_read_seek(wpg_reader *r, size_t at)
{
    if (at > r->size)
        r->overrun = true;
    else
        r->at = at;
}

void wpg_writer_finish(wpg_writer *w)
{
    free(w->data);
    *w = (wpg_writer){0};
}

void wpg_write_bytes(wpg_writer *w, const void *data, size_t size)
{
    if (w->out_of_memory || !size)
        return;
    if (size > w->capacity - w->size) {
        size_t want = w->capacity + w->capacity / 2 + 256;
        if (size > SIZE_MAX / 4 - w->size) {
            w->out_of_memory = true;
            return;
        }
        if (want < w->size + size)
            want = w->size + size;
        uint8_t *moved = realloc(w->data, want);
        if (!moved) {
            w->out_of_memory = true;
            return;
        }
        w->data = moved;
        w->capacity = want;
    }
    memcpy(w->data + w->size, data, size);
    w->size += size;
}

static void write_little(wpg_writer *w, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    wpg_write_bytes(w, bytes, size);
}

void wpg_write_u8(wpg_writer *w, uint8_t value)
{
    write_little(w, value, 1);
}

void wpg_write_u32(wpg_writer *w, uint32_t value)
{
    write_little(w, value, 4);
}

void wpg_write_u64(wpg_writer *w, uint64_t value)
{
    write_little(w, value, 8);
}

void wpg_write_uleb(wpg_writer *w, uint64_t value)
{
    do {
        uint8_t byte = value & 0x7f;
        value >>= 7;
        wpg_write_u8(w, value ? byte | 0x80 : byte);
    } while (value);
}

void wpg_write_text(wpg_writer *w, const char *fmt, ...)
{
    char small[256];
    va_list args;
    va_start(args, fmt);
    int length = wpg_format_list(small, sizeof small, fmt, args);
    va_end(args);
    if (length < 0) {
        w->out_of_memory = true;
        return;
    }
    if ((size_t)length < sizeof small) {
        wpg_write_bytes(w, small, (size_t)length);
        return;
    }
    char *large = malloc((size_t)length + 1);
    if (!large) {
        w->out_of_memory = true;
        return;
    }
    va_start(args, fmt);
    (void)wpg_format_list(large, (size_t)length + 1, fmt, args);
    va_end(args);
    wpg_write_bytes(w, large, (size_t)length);
    free(large);
}

void wpg_write_align(wpg_writer *w, size_t alignment)
{
    while (!w->out_of_memory && (w->size & (alignment - 1)))
        wpg_write_u8(w, 0);
}

void wpg_write_u64_at(wpg_writer *w, size_t at, uint64_t value)
{
    if (w->out_of_memory || at > w->size || w->size - at < 8)
        return;
    for (size_t i = 0; i < 8; i++)
        w->data[at + i] = (uint8_t)(value >> (8 * i));
}
