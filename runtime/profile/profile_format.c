#include "runtime/profile/profile_format.h"

#include "runtime/profile/md5.h"

const char *wpg_profile_refusal(uint64_t version_field, bool raw)
{
#define WPG_PROFILE_FLAG(name, bit, raw_refusal, indexed_refusal)                                            \
    {                                                                                                        \
        const char *refusal = raw ? (raw_refusal) : (indexed_refusal);                                       \
        if (refusal && (version_field >> (bit)) & 1)                                                         \
            return refusal;                                                                                  \
    }
#include "runtime/profile/profile_format.inc"
    if (!(version_field & WPG_PROFILE_IR_FLAG))
        return "a front-end profile (no IR-level flag)";
    return NULL;
}

size_t wpg_raw_header_size(unsigned version)
{
    size_t size = 0;
#define WPG_RAW_HEADER_FIELD(name, first) size += version >= (first) ? 8 : 0;
#include "runtime/profile/profile_format.inc"
    return size;
}

size_t wpg_raw_data_size(unsigned version)
{
    size_t size = 0;
#define WPG_RAW_DATA_FIELD(name, bits, first) size += version >= (first) ? (bits) / 8 : 0;
#include "runtime/profile/profile_format.inc"
    return (size + 7) & ~(size_t)7;
}

static uint16_t wpg_read_u16(wpg_reader *r)
{
    unsigned low = wpg_read_u8(r), high = wpg_read_u8(r);
    return (uint16_t)(low | high << 8);
}

static void wpg_write_u16(wpg_writer *w, uint16_t value)
{
    wpg_write_u8(w, (uint8_t)value);
    wpg_write_u8(w, (uint8_t)(value >> 8));
}

void wpg_raw_header_read(wpg_raw_header *header, wpg_reader *r, unsigned version)
{
#define WPG_RAW_HEADER_FIELD(name, first) header->name = version >= (first) ? wpg_read_u64(r) : 0;
#include "runtime/profile/profile_format.inc"
}

void wpg_raw_header_write(wpg_writer *w, const wpg_raw_header *header, unsigned version)
{
#define WPG_RAW_HEADER_FIELD(name, first)                                                                    \
    if (version >= (first))                                                                                  \
        wpg_write_u64(w, header->name);
#include "runtime/profile/profile_format.inc"
}

void wpg_raw_data_read(wpg_raw_data *data, wpg_reader *r, unsigned version)
{
    size_t start = r->at;
#define WPG_RAW_DATA_FIELD(name, bits, first)                                                                \
    data->name = version >= (first) ? wpg_read_u##bits(r) : (uint##bits##_t)0;
#include "runtime/profile/profile_format.inc"
    (void)wpg_read_bytes(r, wpg_raw_data_size(version) - (r->at - start));
}

void wpg_raw_data_write(wpg_writer *w, const wpg_raw_data *data, unsigned version)
{
#define WPG_RAW_DATA_FIELD(name, bits, first)                                                                \
    if (version >= (first))                                                                                  \
        wpg_write_u##bits(w, data->name);
#include "runtime/profile/profile_format.inc"
    wpg_write_align(w, 8);
}

void wpg_indexed_header_read(wpg_indexed_header *header, wpg_reader *r, unsigned version)
{
#define WPG_INDEXED_HEADER_FIELD(name, first) header->name = version >= (first) ? wpg_read_u64(r) : 0;
#include "runtime/profile/profile_format.inc"
}

void wpg_indexed_header_write(wpg_writer *w, const wpg_indexed_header *header, unsigned version)
{
#define WPG_INDEXED_HEADER_FIELD(name, first)                                                                \
    if (version >= (first))                                                                                  \
        wpg_write_u64(w, header->name);
#include "runtime/profile/profile_format.inc"
}

uint64_t wpg_profile_name_ref(const char *name, size_t length)
{
    uint8_t digest[WPG_MD5_SIZE];
    wpg_md5(digest, name, length);
    uint64_t low = 0;
    for (unsigned i = 0; i < 8; i++)
        low |= (uint64_t)digest[i] << (8 * i);
    return low;
}
