/* Counter maps and remarks as bytes, for the disk cache. Decoding trusts no input. Threads: no shared
 * state. */
#ifndef WPG_LAYER_BASE_MAP_CODEC_H
#define WPG_LAYER_BASE_MAP_CODEC_H

#include "compiler/instrument/code/instrument.h"
#include "compiler/optimize/ir/optimize.h"
#include "runtime/base/bytes.h"

void wpg_map_encode(wpg_writer *out, const wpg_counter_map *map);
/* Release *map with wpg_counter_map_destroy. WPG_E_FORMAT: the bytes are not an encoder's output. */
wpg_status wpg_map_decode(wpg_counter_map **map, wpg_reader *in, wpg_error *err);

void wpg_remarks_encode(wpg_writer *out, const wpg_remarks *remarks); /* NULL = none */
wpg_status wpg_remarks_decode(wpg_remarks **remarks, wpg_reader *in, wpg_error *err);

#endif
