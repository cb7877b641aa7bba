#include "compiler/amdgpu/llvm/msgpack.h"

#include <string.h>

static void put(wpg_msgpack *w, uint8_t byte)
{
    if (!wpg_vec_push(&w->bytes, byte))
        w->failed = true;
}

static void put_number(wpg_msgpack *w, uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i-- > 0;)
        put(w, (uint8_t)(value >> (8 * i)));
}

void wpg_msgpack_finish(wpg_msgpack *w)
{
    wpg_vec_free(&w->bytes);
}

void wpg_msgpack_map(wpg_msgpack *w, uint32_t pairs)
{
    put(w, pairs < 16 ? (uint8_t)(0x80 | pairs) : 0xdf);
    if (pairs >= 16)
        put_number(w, pairs, 4);
}

void wpg_msgpack_array(wpg_msgpack *w, uint32_t values)
{
    put(w, values < 16 ? (uint8_t)(0x90 | values) : 0xdd);
    if (values >= 16)
        put_number(w, values, 4);
}

void wpg_msgpack_text(wpg_msgpack *w, const char *text)
{
    size_t size = strlen(text);
    put(w, size < 32 ? (uint8_t)(0xa0 | size) : 0xdb);
    if (size >= 32)
        put_number(w, size, 4);
    for (size_t i = 0; i < size; i++)
        put(w, (uint8_t)text[i]);
}

void wpg_msgpack_number(wpg_msgpack *w, uint64_t value)
{
    if (value < 128) {
        put(w, (uint8_t)value);
        return;
    }
    put(w, value >> 32 ? 0xcf : 0xce);
    put_number(w, value, value >> 32 ? 8 : 4);
}

void wpg_msgpack_bool(wpg_msgpack *w, bool value)
{
    put(w, value ? 0xc3 : 0xc2);
}

typedef struct reader {
    const uint8_t *at, *end;
} reader;

static bool take(reader *r, unsigned bytes, uint64_t *value)
{
    if ((size_t)(r->end - r->at) < bytes)
        return false;
    *value = 0;
    while (bytes-- > 0)
        *value = *value << 8 | *r->at++;
    return true;
}

/* One value's head; containers are flattened, since keys are looked for at any depth. Of a text: its bytes;
 * of a number: its value. */
static bool next(reader *r, const uint8_t **text, uint64_t *size, uint64_t *number, bool *is_number)
{
    uint64_t head;
    *text = NULL;
    *is_number = false;
    if (!take(r, 1, &head))
        return false;
    if (head < 0x80 || (head >= 0xcc && head <= 0xcf)) {
        *is_number = true;
        *number = head;
        return head < 0x80 || take(r, 1u << (head - 0xcc), number);
    }
    if (head < 0xa0 || head >= 0xe0 ||
        (head >= 0xc0 && head <= 0xc3)) /* maps, arrays, negative, nil, bools */
        return true;
    if (head >= 0xd0 && head <= 0xd3) /* signed */
        return take(r, 1u << (head - 0xd0), number);
    if (head >= 0xdc) /* arrays and maps of many */
        return take(r, head & 1 ? 4 : 2, size);
    if (head < 0xc0)
        *size = head & 31;
    else if (head >= 0xd9 && head <= 0xdb) {
        if (!take(r, 1u << (head - 0xd9), size))
            return false;
    } else if (head >= 0xc4 && head <= 0xc6) { /* bytes */
        if (!take(r, 1u << (head - 0xc4), size) || *size > (uint64_t)(r->end - r->at))
            return false;
        r->at += *size;
        return true;
    } else if (head == 0xca || head == 0xcb) { /* floats */
        return take(r, head == 0xca ? 4 : 8, number);
    } else {
        return false; /* extensions: AMDGPU has none */
    }
    if (*size > (uint64_t)(r->end - r->at))
        return false;
    *text = r->at;
    r->at += *size;
    return true;
}

bool wpg_msgpack_find(uint64_t *value, const uint8_t *bytes, size_t size, const char *key)
{
    reader r = {bytes, bytes + size};
    const uint8_t *text;
    uint64_t length, number;
    bool is_number, armed = false;
    while (next(&r, &text, &length, &number, &is_number)) {
        if (armed && is_number) {
            *value = number;
            return true;
        }
        armed = text && length == strlen(key) && memcmp(text, key, length) == 0;
    }
    return false;
}
