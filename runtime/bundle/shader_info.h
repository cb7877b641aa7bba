/* What is known of one shader of a bundle, beside its words: shaders/<hash>.info, facts of kind "shader".
 *
 *     is stage comp                  as in record names (runtime/profile/record_name.h)
 *     is entry main
 *     is words <XXH3-128>            of the file <hash>.spv, as the program gave it
 *     is identity 2                  version of identity that <hash> is of; none: 1
 *     is normal-form 3               version of the CFG tier that block ids and checksums are of
 *     is spec.7 4 00000010           specialisation constant 7: bytes, bits in hexadecimal
 *     is function.0 <checksum> 12    a function that is counted (0 = entry): CFG checksum, in hexadecimal;
 *                                    blocks
 *
 * Two processes may give one shader with different words: names stripped, say. The hash sees no names.
 *
 * Owns: a decoded wpg_shader_info owns its lists, until wpg_shader_info_finish.
 * Threads: any.
 * Source of the hash: compiler/spirv/README.md, Identity. */
#ifndef WPG_RUNTIME_BUNDLE_SHADER_INFO_H
#define WPG_RUNTIME_BUNDLE_SHADER_INFO_H

#include "runtime/base/hash.h"
#include "runtime/bundle/facts.h"

typedef struct wpg_shader_spec {
    uint32_t id, size; /* size in bytes: 1, 2, 4 or 8 */
    uint64_t bits;
} wpg_shader_spec;

typedef struct wpg_shader_function {
    uint32_t ordinal, block_count;
    uint64_t checksum;
} wpg_shader_function;

typedef struct wpg_shader_info {
    wpg_hash128 shader, words;
    char stage[8];
    char *entry; /* owned when decoded */
    uint32_t identity, normal_form;
    wpg_shader_spec *specs; /* owned when decoded, as are the functions; ordered by id, by ordinal */
    size_t spec_count;
    wpg_shader_function *functions; /* none: the stage was not counted */
    size_t function_count;
} wpg_shader_info;

/* As facts; the caller destroys them. */
wpg_status wpg_shader_info_encode(wpg_facts **facts, const wpg_shader_info *info, wpg_error *err);
/* From facts that wpg_shader_info_encode gave or that a file held. Release with wpg_shader_info_finish. */
wpg_status wpg_shader_info_decode(wpg_shader_info *info, const wpg_facts *facts, wpg_error *err);
void wpg_shader_info_finish(wpg_shader_info *info);

/* "<bundle>/shaders/<hash><ending>", ending ".spv", ".info" or ".extremes". WPG_E_LIMIT if it does not fit.
 */
wpg_status wpg_bundle_shader_path(char *path, size_t size, const char *bundle, wpg_hash128 shader,
                                  const char *ending, wpg_error *err);
/* Reads shaders/<hash>.info of a bundle. */
wpg_status wpg_bundle_shader_info(wpg_shader_info *info, const char *bundle, wpg_hash128 shader,
                                  wpg_error *err);
/* Reads shaders/<hash>.spv of a bundle: malloc'd, the caller frees. The words are untrusted. */
wpg_status wpg_bundle_shader_words(uint32_t **words, size_t *count, const char *bundle, wpg_hash128 shader,
                                   wpg_error *err);

#endif
