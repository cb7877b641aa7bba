/* Reader and writer of little-endian bytes, with a sticky error: the caller checks once, at the end.
 *
 * After the first overrun a reader gives zeros.
 *
 * Owns: a reader borrows its bytes; a writer owns its buffer until wpg_writer_finish.
 * Threads: one reader or writer, one thread at a time. */
#ifndef WPG_RUNTIME_BASE_BYTES_H
#define WPG_RUNTIME_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wpg_reader {
    const uint8_t *data;
    size_t size, at;
    bool overrun; /* sticky */
} wpg_reader;

static inline wpg_reader wpg_reader_over(const void *data, size_t size)
{
    return (wpg_reader){.data = data, .size = size};
}
uint8_t wpg_read_u8(wpg_reader *r);
uint32_t wpg_read_u32(wpg_reader *r);
uint64_t wpg_read_u64(wpg_reader *r);
/* Unsigned LEB128 of at most 64 bits; a longer or overflowing one is an overrun. */
uint64_t wpg_read_uleb(wpg_reader *r);
/* A borrowed view of the next `size` bytes, or NULL after an overrun. */
const uint8_t *wpg_read_bytes(wpg_reader *r, size_t size);
/* Moves to an absolute offset; past the end is an overrun. */
void wpg_read_seek(wpg_reader *r, size_t at);

typedef struct wpg_writer {
    uint8_t *data; /* owned; release with wpg_writer_finish */
    size_t size, capacity;
    bool out_of_memory; /* sticky */
} wpg_writer;

void wpg_writer_finish(wpg_writer *w);
void wpg_write_u8(wpg_writer *w, uint8_t value);
void wpg_write_u32(wpg_writer *w, uint32_t value);
void wpg_write_u64(wpg_writer *w, uint64_t value);
void wpg_write_uleb(wpg_writer *w, uint64_t value);
void wpg_write_bytes(wpg_writer *w, const void *data, size_t size);
/* printf into the buffer, without the final NUL. */
void wpg_write_text(wpg_writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Zero bytes up to the next multiple of `alignment` (a power of two). */
void wpg_write_align(wpg_writer *w, size_t alignment);
/* Overwrites eight bytes written before; out of range is ignored. */
void wpg_write_u64_at(wpg_writer *w, size_t at, uint64_t value);

#endif
