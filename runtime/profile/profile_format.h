/* Structures and functions that follow from profile_format.inc, and what readers and writers share.
 *
 * Private to runtime/profile.
 *
 * Owns: nothing.
 * Threads: any, on different profiles.
 * Source: see profile_format.inc. */
#ifndef WPG_RUNTIME_PROFILE_PROFILE_FORMAT_H
#define WPG_RUNTIME_PROFILE_PROFILE_FORMAT_H

#include "runtime/base/bytes.h"
#include "runtime/profile/profile_io.h"

#define WPG_RAW_MAGIC_64  UINT64_C(0xff6c70726f667281) /* "\xfflprofr\x81", most significant byte first */
#define WPG_RAW_MAGIC_32  UINT64_C(0xff6c70726f665281) /* "\xfflprofR\x81" */
#define WPG_INDEXED_MAGIC UINT64_C(0x8169666f72706cff) /* "\xfflprofi\x81", least significant byte first */

#define WPG_PROFILE_VERSION_MASK UINT64_C(0xffffffff) /* LLVM keeps the upper half for flags */

enum wpg_profile_flag_bit {
#define WPG_PROFILE_FLAG(name, bit, raw, indexed) WPG_PROFILE_BIT_##name = bit,
#include "runtime/profile/profile_format.inc"
};
#define WPG_PROFILE_IR_FLAG (UINT64_C(1) << WPG_PROFILE_BIT_IR)

enum {
    WPG_RAW_FIRST_VERSION = 8,
    WPG_RAW_LAST_VERSION = 11,
    WPG_INDEXED_FIRST_VERSION = 4,
    WPG_INDEXED_LAST_VERSION = 13,
    WPG_INDEXED_WRITTEN_VERSION = 7,
    WPG_INDEXED_BITMAP_VERSION = 11, /* first with bitmap bytes in each record */
    WPG_RAW_VTABLE_SIZE = 24,
    WPG_VALUE_KIND_MEMOP = 1, /* LLVM's IPVK_MemOPSize */
    WPG_VALUE_KINDS = 3,      /* 0 indirect call target, 1 memop size, 2 vtable */
    WPG_VALUES_PER_SITE = 255 /* a site's value count is 8 bits in the binary formats */
};

typedef struct wpg_raw_header {
#define WPG_RAW_HEADER_FIELD(name, first) uint64_t name;
#include "runtime/profile/profile_format.inc"
} wpg_raw_header;

typedef struct wpg_raw_data {
#define WPG_RAW_DATA_FIELD(name, bits, first) uint##bits##_t name;
#include "runtime/profile/profile_format.inc"
} wpg_raw_data;

typedef struct wpg_indexed_header {
#define WPG_INDEXED_HEADER_FIELD(name, first) uint64_t name;
#include "runtime/profile/profile_format.inc"
} wpg_indexed_header;

typedef struct wpg_indexed_summary {
#define WPG_INDEXED_SUMMARY_FIELD(name) uint64_t name;
#include "runtime/profile/profile_format.inc"
} wpg_indexed_summary;

/* Why a profile of these flags cannot be taken ("a temporal profile"), NULL if it can. */
const char *wpg_profile_refusal(uint64_t version_field, bool raw);

/* Bytes of a raw profile's header or data record in that version. */
size_t wpg_raw_header_size(unsigned version);
size_t wpg_raw_data_size(unsigned version);
/* Fields absent from the version read as 0 and are not written. */
void wpg_raw_header_read(wpg_raw_header *header, wpg_reader *r, unsigned version);
void wpg_raw_header_write(wpg_writer *w, const wpg_raw_header *header, unsigned version);
void wpg_raw_data_read(wpg_raw_data *data, wpg_reader *r, unsigned version);
void wpg_raw_data_write(wpg_writer *w, const wpg_raw_data *data, unsigned version);
void wpg_indexed_header_read(wpg_indexed_header *header, wpg_reader *r, unsigned version);
void wpg_indexed_header_write(wpg_writer *w, const wpg_indexed_header *header, unsigned version);

/* Low half of MD5(name), by which binary profiles refer to names. */
uint64_t wpg_profile_name_ref(const char *name, size_t length);

/* Value data of one record as raw and indexed files hold it (LLVM's ValueProfData). Reading consumes exactly
 * one from `r` and adds its MemOPSize pairs to the record of the profile, unless `profile` is NULL (then it
 * is only checked and skipped). */
wpg_status wpg_value_data_read(wpg_profile *profile, const char *name, uint64_t func_hash, wpg_reader *r,
                               wpg_error *err);
/* Writes at least the 8-byte header. *truncated is set if a site lost values. */
void wpg_value_data_write(wpg_writer *w, const wpg_profile_record *record, bool *truncated);

/* The site's pairs by falling count, equal counts by value, as LLVM's writers order them; malloc'd, NULL when
 * memory runs out. */
wpg_profile_value *wpg_site_by_count(const wpg_profile_site *site);

/* Adds pairs (any order, doubles allowed; they are sorted in place) to a site of an existing record. */
wpg_status wpg_profile_add_pairs(wpg_profile *profile, const char *name, uint64_t func_hash, size_t site,
                                 wpg_profile_value *pairs, size_t count, wpg_error *err);

/* Adds a record read from a file: what the model cannot hold (an odd name, reserved hash bits) is counted as
 * ignored, another counter count as mismatched. *taken tells whether its values may be added. */
wpg_status wpg_profile_take_record(wpg_profile *profile, wpg_profile_stats *stats, bool *taken,
                                   const char *name, uint64_t func_hash, const uint64_t *counters,
                                   size_t count, wpg_error *err);

/* One reader and one writer a format. Readers may leave part of the file in `profile` when they fail. */
wpg_status wpg_raw_read(wpg_profile *profile, wpg_profile_stats *stats, const uint8_t *data, size_t size,
                        wpg_error *err);
wpg_status wpg_indexed_read(wpg_profile *profile, wpg_profile_stats *stats, const uint8_t *data, size_t size,
                            wpg_error *err);
wpg_status wpg_text_read(wpg_profile *profile, wpg_profile_stats *stats, const uint8_t *data, size_t size,
                         wpg_error *err);
wpg_status wpg_raw_write(wpg_writer *w, const wpg_profile *profile, unsigned version, wpg_error *err);
wpg_status wpg_indexed_write(wpg_writer *w, const wpg_profile *profile, wpg_error *err);
wpg_status wpg_text_write(wpg_writer *w, const wpg_profile *profile, wpg_error *err);

static inline uint64_t wpg_clamp_counter(uint64_t count)
{
    return count < WPG_PROFILE_COUNTER_CLAMP ? count : WPG_PROFILE_COUNTER_CLAMP;
}

#endif
