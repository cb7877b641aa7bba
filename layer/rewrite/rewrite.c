/* Rewrites one stage, and keeps the result in the disk cache. */
#include "layer/rewrite/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/graph/pseudo_probe.h"
#include "compiler/normalize/normalize.h"
#include "layer/base/answers.h"
#include "layer/base/build_id.h"
#include "layer/base/disk_cache.h"
#include "layer/base/map_codec.h"
#include "layer/base/state.h"
#include "runtime/base/file.h"
#include "runtime/base/log.h"

/* -- Identity */

static bool model_of(SpvExecutionModel *model, VkShaderStageFlagBits stage)
{
    static const struct {
        VkShaderStageFlagBits stage;
        SpvExecutionModel model;
    } table[] = {
        {VK_SHADER_STAGE_VERTEX_BIT, SpvExecutionModelVertex},
        {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, SpvExecutionModelTessellationControl},
        {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, SpvExecutionModelTessellationEvaluation},
        {VK_SHADER_STAGE_GEOMETRY_BIT, SpvExecutionModelGeometry},
        {VK_SHADER_STAGE_TASK_BIT_EXT, SpvExecutionModelTaskEXT},
        {VK_SHADER_STAGE_MESH_BIT_EXT, SpvExecutionModelMeshEXT},
        {VK_SHADER_STAGE_FRAGMENT_BIT, SpvExecutionModelFragment},
        {VK_SHADER_STAGE_COMPUTE_BIT, SpvExecutionModelGLCompute},
        {VK_SHADER_STAGE_RAYGEN_BIT_KHR, SpvExecutionModelRayGenerationKHR},
        {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, SpvExecutionModelAnyHitKHR},
        {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, SpvExecutionModelClosestHitKHR},
        {VK_SHADER_STAGE_MISS_BIT_KHR, SpvExecutionModelMissKHR},
        {VK_SHADER_STAGE_INTERSECTION_BIT_KHR, SpvExecutionModelIntersectionKHR},
        {VK_SHADER_STAGE_CALLABLE_BIT_KHR, SpvExecutionModelCallableKHR},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].stage == stage) {
            *model = table[i].model;
            return true;
        }
    return false;
}

unsigned wpg_stage_rank(VkShaderStageFlagBits stage)
{
    static const VkShaderStageFlagBits order[] = {VK_SHADER_STAGE_VERTEX_BIT,
                                                  VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                                  VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
                                                  VK_SHADER_STAGE_GEOMETRY_BIT,
                                                  VK_SHADER_STAGE_TASK_BIT_EXT,
                                                  VK_SHADER_STAGE_MESH_BIT_EXT,
                                                  VK_SHADER_STAGE_FRAGMENT_BIT,
                                                  VK_SHADER_STAGE_COMPUTE_BIT,
                                                  VK_SHADER_STAGE_RAYGEN_BIT_KHR,
                                                  VK_SHADER_STAGE_ANY_HIT_BIT_KHR,
                                                  VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR,
                                                  VK_SHADER_STAGE_MISS_BIT_KHR,
                                                  VK_SHADER_STAGE_INTERSECTION_BIT_KHR,
                                                  VK_SHADER_STAGE_CALLABLE_BIT_KHR};
    unsigned rank = 0;
    while (rank < sizeof order / sizeof *order && order[rank] != stage)
        rank++;
    return rank;
}

/* Specialisation bytes as values; entries that reach outside the data are an error. */
static wpg_status read_specialization(wpg_rewrite *rewrite, wpg_error *err)
{
    const VkSpecializationInfo *info = rewrite->specialization;
    if (!info || info->mapEntryCount == 0)
        return WPG_OK;
    rewrite->spec = calloc(info->mapEntryCount, sizeof *rewrite->spec);
    if (!rewrite->spec)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < info->mapEntryCount; i++) {
        const VkSpecializationMapEntry *entry = &info->pMapEntries[i];
        wpg_spec_value *value = &rewrite->spec[i];
        if ((entry->size != 1 && entry->size != 2 && entry->size != 4 && entry->size != 8) ||
            entry->offset > info->dataSize || entry->size > info->dataSize - entry->offset)
            return wpg_fail(err, WPG_E_FORMAT, "specialisation entry %u is malformed", (unsigned)i);
        value->constant_id = entry->constantID;
        value->size = (uint32_t)entry->size;
        const uint8_t *bytes = (const uint8_t *)info->pData + entry->offset;
        uint16_t half;
        uint32_t word;
        switch (entry->size) {
        case 1:
            value->bits = *bytes;
            break;
        case 2:
            memcpy(&half, bytes, sizeof half);
            value->bits = half;
            break;
        case 4:
            memcpy(&word, bytes, sizeof word);
            value->bits = word;
            break;
        default:
            memcpy(&value->bits, bytes, sizeof value->bits);
        }
    }
    rewrite->stage.spec = rewrite->spec;
    rewrite->stage.spec_count = info->mapEntryCount;
    return WPG_OK;
}

static void dump(const wpg_rewrite *rewrite, const char *suffix, const uint32_t *words, size_t count)
{
    char path[4300], hex[WPG_HASH_HEX + 1];
    const char *folder = wpg_the_process.settings.dump;
    wpg_error err;
    if (!folder || !*folder)
        return;
    wpg_hash_to_hex(hex, rewrite->hash);
    if (folder[0] == '/')
        (void)snprintf(path, sizeof path, "%s/%s%s.spv", folder, hex, suffix);
    else
        (void)snprintf(path, sizeof path, "%s/%s/%s%s.spv", wpg_the_process.folder, folder, hex, suffix);
    if (wpg_file_write_atomic(path, words, count * sizeof *words, &err) != WPG_OK)
        wpg_log_once(WPG_LOG_WARN, "DUMP: %s", err.message);
}

wpg_status wpg_rewrite_identify(wpg_rewrite *rewrite, wpg_error *err)
{
    rewrite->found = "no";
    rewrite->stage.entry = rewrite->entry;
    if (!model_of(&rewrite->stage.model, rewrite->stage_bit))
        return wpg_fail(err, WPG_E_UNSUPPORTED, "this kind of stage has no identity");
    WPG_TRY(read_specialization(rewrite, err));
    rewrite->words_hash = wpg_hash_bytes(rewrite->words, rewrite->word_count * sizeof *rewrite->words);
    wpg_hash128 key;
    const bool keyed = wpg_answer_key(&key, "shader hash", rewrite, NULL, 0);
    if (!keyed || !wpg_answer_find(&rewrite->hash, key)) {
        WPG_TRY(wpg_rewrite_parse(rewrite, err));
        WPG_TRY(wpg_shader_hash(&rewrite->hash, rewrite->module, &rewrite->stage, err));
        if (keyed)
            wpg_answer_note(key, rewrite->hash);
    }
    dump(rewrite, "", rewrite->words, rewrite->word_count);
    return WPG_OK;
}

bool wpg_rewrite_recall(wpg_rewrite *rewrite, const wpg_rewrite *known, wpg_arena *arena)
{
    *rewrite = (wpg_rewrite){.stage_bit = known->stage_bit,
                             .words = known->words,
                             .word_count = known->word_count,
                             .entry = arena ? wpg_arena_strdup(arena, known->entry) : known->entry,
                             .stage = known->stage,
                             .hash = known->hash,
                             .words_hash = known->words_hash,
                             .outputs = known->outputs,
                             .found = "no"};
    rewrite->stage.entry = rewrite->entry;
    rewrite->stage.spec = NULL;
    if (!rewrite->entry)
        return false;
    if (!known->spec)
        return true;
    size_t size = known->stage.spec_count * sizeof *rewrite->spec;
    rewrite->spec = malloc(size);
    if (!rewrite->spec)
        return false;
    memcpy(rewrite->spec, known->spec, size);
    rewrite->stage.spec = rewrite->spec;
    return true;
}

wpg_status wpg_rewrite_parse(wpg_rewrite *rewrite, wpg_error *err)
{
    if (rewrite->module)
        return WPG_OK;
    return wpg_module_parse(&rewrite->module, rewrite->words, rewrite->word_count, err);
}

void wpg_rewrite_reset(wpg_rewrite *rewrite)
{
    wpg_module_destroy(rewrite->module);
    wpg_module_destroy(rewrite->normal);
    wpg_remarks_destroy(rewrite->remarks);
    free(rewrite->out_words);
    rewrite->module = rewrite->normal = NULL;
    rewrite->remarks = NULL;
    rewrite->out_words = NULL;
    rewrite->out_count = 0;
    rewrite->changed = rewrite->later = false;
    rewrite->wave_size = 0;
    rewrite->outputs = (wpg_output_use){0};
    rewrite->why = (wpg_error){0};
    rewrite->found = "no";
    rewrite->anchors = (wpg_hash128){0};
}

static size_t put_hash(uint8_t *bytes, size_t at, wpg_hash128 hash)
{
    for (int half = 0; half < 2; half++)
        for (int shift = 56; shift >= 0; shift -= 8)
            bytes[at++] = (uint8_t)((half ? hash.low : hash.high) >> shift);
    return at;
}

wpg_hash128 wpg_pipeline_hash(const wpg_rewrite *stages, size_t count)
{
    /* In the canonical (big-endian) form of XXH3-128, so that the hash of hashes is the same everywhere. Of
     * more than 16 stages, the hash of those before stands for them beside the next ones. */
    uint8_t bytes[16 * 16];
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (at == sizeof bytes) {
            wpg_hash128 before = wpg_hash_bytes(bytes, at);
            at = put_hash(bytes, 0, before);
        }
        at = put_hash(bytes, at, stages[i].hash);
    }
    return wpg_hash_bytes(bytes, at);
}

void wpg_rewrite_finish(wpg_rewrite *rewrite)
{
    wpg_module_destroy(rewrite->module);
    wpg_module_destroy(rewrite->normal);
    wpg_counter_map_destroy(rewrite->map);
    wpg_remarks_destroy(rewrite->remarks);
    free(rewrite->out_words);
    free(rewrite->spec);
    *rewrite = (wpg_rewrite){0};
}

/* -- Cache entries: flags, words, then the map or the remarks */

enum { CACHE_VERSION = 17, FLAG_CHANGED = 1 };

/* What every key begins with: another version of ours, or of the normal form, is another key. The hash leaves
 * out names, but our words keep them: the words themselves are in the key. */
static void begin_key(wpg_writer *key, const wpg_rewrite *rewrite, const char *mode)
{
    wpg_write_text(key, "wavepgo %s %s %d %d ", WPG_VERSION, mode, CACHE_VERSION, WPG_NORMAL_FORM_VERSION);
    wpg_write_u64(key, rewrite->hash.low);
    wpg_write_u64(key, rewrite->hash.high);
    wpg_write_u64(key, rewrite->words_hash.low);
    wpg_write_u64(key, rewrite->words_hash.high);
    size_t size;
    const void *build = wpg_build_id(&size);
    wpg_write_bytes(key, build, size);
}

static bool end_key(wpg_hash128 *hash, wpg_writer *key)
{
    bool good = !key->out_of_memory;
    if (good)
        *hash = wpg_hash_bytes(key->data, key->size);
    wpg_writer_finish(key);
    return good;
}

/* An entry of at most 15 bytes goes into the table of answers, without a file of its own. Entries of stages
 * that no pass changed are that short. */
static bool pack(wpg_hash128 *answer, const wpg_writer *entry)
{
    uint8_t bytes[sizeof *answer] = {0};
    if (entry->size >= sizeof bytes)
        return false;
    bytes[0] = (uint8_t)entry->size;
    memcpy(bytes + 1, entry->data, entry->size);
    memcpy(answer, bytes, sizeof bytes);
    return true;
}

static void keep(const wpg_rewrite *rewrite, wpg_hash128 key)
{
    wpg_writer w = {0};
    wpg_hash128 small;
    wpg_error err;
    wpg_write_u8(&w, rewrite->changed ? FLAG_CHANGED : 0);
    wpg_write_u64(&w, rewrite->changed ? rewrite->out_count : 0);
    if (rewrite->changed)
        wpg_write_bytes(&w, rewrite->out_words, rewrite->out_count * sizeof *rewrite->out_words);
    wpg_write_u8(&w, rewrite->map != NULL);
    if (rewrite->map)
        wpg_map_encode(&w, rewrite->map);
    else
        wpg_remarks_encode(&w, rewrite->remarks);
    if (!w.out_of_memory && pack(&small, &w))
        wpg_answer_note(key, small);
    else if (!w.out_of_memory && wpg_cache_put(wpg_disk_cache(), key, w.data, w.size, &err) != WPG_OK &&
             err.status != WPG_E_NOT_FOUND)
        wpg_log_once(WPG_LOG_WARN, "the cache of rewritten shaders: %s", err.message);
    wpg_writer_finish(&w);
}

static bool read_entry(wpg_rewrite *rewrite, const uint8_t *data, size_t size, bool with_map)
{
    wpg_reader r = wpg_reader_over(data, size);
    bool changed = wpg_read_u8(&r) & FLAG_CHANGED;
    uint64_t count = wpg_read_u64(&r);
    const uint8_t *bytes =
        count <= size / sizeof(uint32_t) ? wpg_read_bytes(&r, (size_t)count * sizeof(uint32_t)) : NULL;
    bool has_map = wpg_read_u8(&r) != 0, good = bytes && !r.overrun && has_map == with_map;
    if (good && changed) {
        rewrite->out_words = malloc((size_t)count * sizeof(uint32_t));
        good = rewrite->out_words != NULL;
        if (good)
            memcpy(rewrite->out_words, bytes, (size_t)count * sizeof(uint32_t));
        rewrite->out_count = (size_t)count;
    }
    if (good)
        good = (with_map ? wpg_map_decode(&rewrite->map, &r, NULL)
                         : wpg_remarks_decode(&rewrite->remarks, &r, NULL)) == WPG_OK;
    if (!good) {
        free(rewrite->out_words);
        rewrite->out_words = NULL;
        rewrite->out_count = 0;
        return false;
    }
    rewrite->changed = changed;
    return true;
}

static bool recall(wpg_rewrite *rewrite, wpg_hash128 key, bool with_map)
{
    wpg_hash128 small;
    uint8_t bytes[sizeof small], *data;
    size_t size;
    if (wpg_answer_find(&small, key)) {
        memcpy(bytes, &small, sizeof bytes);
        if (bytes[0] < sizeof bytes && read_entry(rewrite, bytes + 1, bytes[0], with_map))
            return true;
    }
    if (wpg_cache_get(&data, &size, wpg_disk_cache(), key, NULL) != WPG_OK)
        return false;
    const bool good = read_entry(rewrite, data, size, with_map);
    free(data);
    return good;
}

/* -- Rewriting */

static wpg_status check(wpg_rewrite *rewrite, const wpg_validate_options *validate)
{
    wpg_error err;
    if (!wpg_the_process.settings.validate || !rewrite->changed)
        return WPG_OK;
    if (wpg_spirv_validate(rewrite->out_words, rewrite->out_count, validate, &err) == WPG_OK)
        return WPG_OK;
    /* What was not quite valid before may stay so. */
    if (wpg_spirv_validate(rewrite->words, rewrite->word_count, validate, NULL) != WPG_OK)
        return WPG_OK;
    return wpg_fail(&rewrite->why, WPG_E_FORMAT, "the rewritten module is not valid: %s", err.message);
}

static void dump_changed(const wpg_rewrite *rewrite, const char *suffix)
{
    if (rewrite->changed)
        dump(rewrite, suffix, rewrite->out_words, rewrite->out_count);
}

static wpg_status instrument_in_scope(wpg_rewrite *rewrite, const wpg_instrument_options *options)
{
    wpg_error *err = &rewrite->why;
    WPG_TRY(wpg_rewrite_parse(rewrite, err));
    WPG_TRY(wpg_normalize(rewrite->module, &rewrite->stage, NULL, err));
    /* The values are frozen into the module now. */
    WPG_TRY(wpg_instrument(&rewrite->map, rewrite->module, &rewrite->stage, options, err));
    WPG_TRY(wpg_module_emit(&rewrite->out_words, &rewrite->out_count, rewrite->module, err));
    rewrite->changed = true;
    return WPG_OK;
}

static wpg_status instrument(wpg_rewrite *rewrite, const wpg_instrument_options *options)
{
    wpg_arena_scope scope;
    wpg_arena_scope_begin(&scope);
    const wpg_status status = instrument_in_scope(rewrite, options);
    wpg_arena_scope_end(&scope);
    return status;
}

/* A validator older than VK_KHR_shader_maximal_reconvergence refuses its execution mode. The rest is then
 * judged without it: the same module, instrumented anew but for the mode. */
static bool valid_without_reconvergence(const wpg_rewrite *rewrite, const wpg_instrument_options *options,
                                        const wpg_validate_options *validate)
{
    wpg_instrument_options plain = *options;
    wpg_rewrite twin = {.stage = rewrite->stage, .words = rewrite->words, .word_count = rewrite->word_count};
    plain.target.maximal_reconvergence = false;
    bool valid = options->target.maximal_reconvergence &&
                 wpg_module_parse(&twin.module, twin.words, twin.word_count, NULL) == WPG_OK &&
                 instrument(&twin, &plain) == WPG_OK && check(&twin, validate) == WPG_OK;
    wpg_rewrite_finish(&twin);
    if (valid)
        wpg_log_once(WPG_LOG_INFO,
                     "this build's spirv-val does not know MaximallyReconvergesKHR: modules are "
                     "validated without it");
    return valid;
}

wpg_status wpg_rewrite_generate(wpg_rewrite *rewrite, const wpg_instrument_options *options,
                                const wpg_validate_options *validate, bool stable)
{
    wpg_writer w = {0};
    wpg_hash128 key;
    const wpg_instrument_target *target = &options->target;
    begin_key(&w, rewrite, "generate");
    wpg_write_text(&w, "%d%d%d%u %u %d%d%d%d %u %d %d %x ", target->subgroup_basic, target->subgroup_ballot,
                   target->subgroup_arithmetic, target->subgroup_size, target->subgroup_most,
                   target->int64_atomics, target->demote_to_helper, target->maximal_reconvergence,
                   target->memory_model_device_scope, target->max_spirv_minor, options->select_sites,
                   (int)options->strategy, options->probes);
    wpg_write_text(&w, "%u %u %u %d %d %d%d%d %u ", options->budget, options->sample, options->sample_seed,
                   target->early_tests, options->high_start, target->loses_exit_values,
                   target->suspends_at_barriers, target->loops_over_lanes, options->select_work);
    wpg_write_u64(&w, options->directory_entry);
    wpg_write_u64(&w, options->directory_cells);
    wpg_write_u32(&w, options->directory_tag);
    wpg_write_u32(&w, options->directory_shift);
    wpg_write_u32(&w, options->first_counter);
    wpg_write_u32(&w, options->by_binding ? options->counter_set + 1 : 0);
    bool keyed = end_key(&key, &w) && stable;
    if (!keyed || !recall(rewrite, key, true)) {
        WPG_TRY(instrument(rewrite, options));
        if (keyed)
            keep(rewrite, key);
    }
    dump_changed(rewrite, ".generate");
    if (check(rewrite, validate) == WPG_OK || valid_without_reconvergence(rewrite, options, validate))
        return WPG_OK;
    rewrite->changed = false;
    return rewrite->why.status;
}

void wpg_rewrite_not_by_rule(char leave_out[WPG_LETTERS_BY_RULE], const wpg_device_features *features)
{
    const wpg_settings *settings = &wpg_the_process.settings;
    size_t used = 0;
    if (settings->scalarise != WPG_SCALARISE_ON)
        leave_out[used++] = WPG_PASS_SCALARISE;
    if (settings->hints == WPG_HINTS_OFF || (settings->hints == WPG_HINTS_AUTO && features->hints_are_lost)) {
        leave_out[used++] = WPG_PASS_ANNOTATE;
        leave_out[used++] = WPG_PASS_FLATTEN;
    }
    leave_out[used] = '\0';
}

/* May, and shall, loads of the stage go behind a vote? */
static bool votes_on_loads(const wpg_device_features *features, VkShaderStageFlagBits stage)
{
    const VkSubgroupFeatureFlags needed =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
    const wpg_settings *settings = &wpg_the_process.settings;
    return (features->subgroup_stages & stage) && (features->subgroup_operations & needed) == needed &&
           (settings->scalarise == WPG_SCALARISE_ON ||
            (settings->scalarise == WPG_SCALARISE_AUTO && features->amd));
}

static void optimize_options(wpg_optimize_options *options, const wpg_device_features *features,
                             const wpg_rewrite *rewrite, const char *leave_out)
{
    const wpg_settings *settings = &wpg_the_process.settings;
    wpg_optimize_defaults(options);
    options->uniform_share = settings->uniform_share;
    options->lanes_alone = !settings->divergence_gate;
    options->rare_share = settings->rare_share;
    options->value_share = settings->value_share;
    options->scalarise = votes_on_loads(features, rewrite->stage_bit);
    options->outputs = rewrite->outputs;
    options->keep_size = features->specialises;
    options->no_scalar_unit = features->no_scalar_unit;
    options->floats = settings->floats == WPG_FLOATS_STRICT      ? WPG_FLOAT_STRICT
                      : settings->floats == WPG_FLOATS_FRAGMENTS ? WPG_FLOAT_FRAGMENTS
                      : settings->floats == WPG_FLOATS_STAGES    ? WPG_FLOAT_STAGES
                                                                 : WPG_FLOAT_SPEC;
    options->partial_descriptors = features->partial_descriptors;
    (void)snprintf(options->passes, sizeof options->passes, "%s%s%s", leave_out,
                   features->own_passes ? features->own_passes : "", settings->skip_passes);
}

static wpg_status to_normal_form(wpg_rewrite *rewrite)
{
    if (!rewrite->normal) {
        WPG_TRY(wpg_rewrite_parse(rewrite, &rewrite->why));
        return wpg_normalize(rewrite->module, &rewrite->stage, NULL, &rewrite->why);
    }
    wpg_module_destroy(rewrite->module);
    rewrite->module = rewrite->normal;
    rewrite->normal = NULL;
    return WPG_OK;
}

static wpg_status optimize_in_scope(wpg_rewrite *rewrite, const wpg_weights *weights,
                                    const wpg_optimize_options *options, bool probes)
{
    wpg_error *err = &rewrite->why;
    bool changed = false;
    WPG_TRY(to_normal_form(rewrite));
    if (probes)
        WPG_TRY(wpg_pseudo_probes_insert(rewrite->module, &rewrite->stage, rewrite->hash, err));
    WPG_TRY(wpg_optimize(&rewrite->remarks, &changed, &rewrite->module, &rewrite->stage, weights, options,
                         wpg_ssa_tier, err));
    if (changed || probes)
        WPG_TRY(wpg_module_emit(&rewrite->out_words, &rewrite->out_count, rewrite->module, err));
    rewrite->changed = changed || probes;
    return WPG_OK;
}

static wpg_status optimize(wpg_rewrite *rewrite, const wpg_weights *weights,
                           const wpg_optimize_options *options, bool probes)
{
    wpg_arena_scope scope;
    wpg_arena_scope_begin(&scope);
    const wpg_status status = optimize_in_scope(rewrite, weights, options, probes);
    wpg_arena_scope_end(&scope);
    return status;
}

static void key_values(wpg_writer *key, const wpg_value_weight *values, uint32_t count)
{
    wpg_write_u32(key, count);
    for (uint32_t i = 0; i < count; i++) {
        const wpg_value_weight *value = &values[i];
        wpg_write_u32(key, value->kind);
        wpg_write_u32(key, value->type);
        wpg_write_u32(key, value->block);
        wpg_write_u64(key, value->asked);
        wpg_write_u64(key, value->agreed);
        wpg_write_u64(key, value->others);
        wpg_write_u32(key, value->share_count);
        for (uint32_t k = 0; k < value->share_count; k++) {
            wpg_write_u32(key, value->shares[k].bits);
            wpg_write_u64(key, value->shares[k].waves);
        }
    }
}

static void key_visits(wpg_writer *key, const wpg_function_weights *function)
{
    wpg_write_u32(key, function->visit_count);
    for (uint32_t i = 0; i < function->visit_count; i++) {
        wpg_write_u64(key, function->visits[i].waves);
        for (uint32_t w = 0; w < function->word_count; w++)
            wpg_write_u32(key, function->visits[i].bits[w]);
    }
}

static void key_outputs(wpg_writer *key, const wpg_optimize_options *options)
{
    wpg_write_u8(key, options->outputs.known);
    wpg_write_u8(key, options->keep_size);
    if (options->outputs.known)
        wpg_write_bytes(key, options->outputs.read, sizeof options->outputs.read);
}

static bool by_anchors(const wpg_rewrite *rewrite)
{
    return (rewrite->anchors.low | rewrite->anchors.high) != 0;
}

/* Weights by anchors have a name (rewrite->anchors). Without the weights the name still finds the words. */
static void key_weights(wpg_writer *key, const wpg_rewrite *rewrite, const wpg_weights *weights)
{
    if (by_anchors(rewrite)) {
        wpg_write_text(key, "anchors ");
        wpg_write_u64(key, rewrite->anchors.low);
        wpg_write_u64(key, rewrite->anchors.high);
        return;
    }
    for (uint32_t i = 0; i < weights->function_count; i++) {
        const wpg_function_weights *function = &weights->functions[i];
        const uint64_t *const kinds[] = {function->lanes, function->waves, function->uniform};
        wpg_write_u32(key, function->ordinal);
        wpg_write_u64(key, function->checksum);
        wpg_write_u32(key, function->block_count);
        for (size_t j = 0; j < sizeof kinds / sizeof *kinds; j++) {
            wpg_write_u8(key, kinds[j] != NULL);
            for (uint32_t k = 0; kinds[j] && k < function->block_count; k++)
                wpg_write_u64(key, kinds[j][k]);
        }
        wpg_write_u8(key, function->known != NULL);
        for (uint32_t k = 0; function->known && k < function->block_count; k++)
            wpg_write_u8(key, function->known[k]);
        wpg_write_u32(key, function->selects ? function->select_count : 0);
        wpg_write_u8(key, function->select_known != NULL);
        for (uint32_t k = 0; function->select_known && k < function->select_count; k++)
            wpg_write_u8(key, function->select_known[k]);
        for (size_t k = 0; function->selects && k < (size_t)function->select_count * WPG_SELECT_COUNTERS; k++)
            wpg_write_u64(key, function->selects[k]);
        key_values(key, function->values, function->value_count);
        key_values(key, function->words, function->word_count);
        key_visits(key, function);
    }
}

static void key_options(wpg_writer *key, const wpg_optimize_options *options, bool probes)
{
    const wpg_wave_choice *wave = &options->wave;
    const double shares[] = {options->uniform_share, options->rare_share, options->value_share, wave->fill};
    const uint32_t numbers[] = {options->unflatten_cost,
                                options->max_guarded_trips,
                                options->max_growth,
                                wave->smallest,
                                wave->usual,
                                wave->most_per_workgroup,
                                (uint32_t)options->floats,
                                probes,
                                options->lanes_alone,
                                options->partial_descriptors,
                                options->no_scalar_unit,
                                options->scalarise};
    wpg_write_bytes(key, shares, sizeof shares);
    wpg_write_bytes(key, numbers, sizeof numbers);
    wpg_write_bytes(key, options->passes, strlen(options->passes) + 1);
    key_outputs(key, options);
}

static void key_given(wpg_writer *key, const wpg_optimize_options *options)
{
    const wpg_push_sets *sets = options->push_sets;
    wpg_write_u32(key, options->push_count);
    for (uint32_t i = 0; i < options->push_count; i++) {
        wpg_write_u32(key, options->pushes[i].offset);
        wpg_write_u32(key, options->pushes[i].value);
    }
    wpg_write_u64(key, options->push_along);
    wpg_write_u32(key, sets ? sets->count : UINT32_MAX);
    for (uint32_t i = 0; sets && i < sets->count; i++) {
        wpg_write_u64(key, sets->sets[i].words);
        wpg_write_u64(key, sets->sets[i].n);
        for (uint32_t w = 0; w < WPG_PUSH_SET_WORDS; w++)
            if (sets->sets[i].words >> w & 1)
                wpg_write_u32(key, sets->sets[i].values[w]);
    }
    wpg_write_u64(key, sets ? sets->loose : 0);
    wpg_write_u64(key, sets ? sets->others : 0);
    wpg_write_u32(key, options->alone);
    wpg_write_u8(key, options->keep_trips);
}

/* The words from the cache; else optimised, and kept there. `when`: rewrite->later may come of it. */
static wpg_status recall_or_optimize(wpg_rewrite *rewrite, const char *mode, const wpg_weights *weights,
                                     const wpg_optimize_options *options, bool probes, wpg_rewrite_when when)
{
    wpg_writer w = {0};
    wpg_hash128 key;
    begin_key(&w, rewrite, mode);
    key_options(&w, options, probes);
    key_given(&w, options);
    key_weights(&w, rewrite, weights);
    const bool keyed = end_key(&key, &w);
    if (keyed && recall(rewrite, key, false))
        return WPG_OK;
    rewrite->later = when == WPG_REWRITE_IF_KEPT;
    if (rewrite->later)
        return WPG_OK;
    WPG_TRY(optimize(rewrite, weights, options, probes));
    if (keyed)
        keep(rewrite, key);
    return WPG_OK;
}

wpg_status wpg_rewrite_use(wpg_rewrite *rewrite, const wpg_weights *weights,
                           const wpg_device_features *features, const wpg_wave_choice *wave,
                           const char *leave_out, wpg_rewrite_when when)
{
    static const wpg_weights none = {0};
    wpg_optimize_options options;
    bool probes = wpg_the_process.settings.pseudo_probes;
    if (probes && !features->non_semantic) {
        wpg_log_once(WPG_LOG_WARN, "no pseudo probes: the device has no VK_KHR_shader_non_semantic_info");
        probes = false;
    }
    if (!weights || (weights->function_count == 0 && !by_anchors(rewrite))) {
        if (!probes)
            return WPG_OK;
        weights = &none;
    }
    optimize_options(&options, features, rewrite, leave_out);
    options.wave = *wave;
    WPG_TRY(recall_or_optimize(rewrite, "use", weights, &options, probes, when));
    if (rewrite->later)
        return WPG_OK;
    if (rewrite->remarks &&
        rewrite->remarks->wave_size == wave->smallest) /* what the cache says is checked */
        rewrite->wave_size = wave->smallest;
    dump_changed(rewrite, ".use");
    if (check(rewrite, &features->validate) == WPG_OK)
        return WPG_OK;
    rewrite->changed = false;
    return rewrite->why.status;
}

/* As wpg_rewrite_use by rule, by options that the caller completes. */
static bool options_by_rule(wpg_optimize_options *options, const wpg_rewrite *rewrite,
                            const wpg_device_features *features)
{
    char leave_out[WPG_LETTERS_BY_RULE];
    wpg_rewrite_not_by_rule(leave_out, features);
    optimize_options(options, features, rewrite, leave_out);
    options->keep_trips =
        features->loses_by_trips && wpg_the_process.settings.variant_rule != WPG_VARIANT_RULE_ON;
    return wpg_the_process.settings.pseudo_probes && features->non_semantic;
}

wpg_status wpg_rewrite_for_values(wpg_rewrite *rewrite, const wpg_weights *weights,
                                  const wpg_device_features *features, const wpg_given_pushes *given,
                                  wpg_rewrite_when when)
{
    wpg_optimize_options options;
    const bool probes = options_by_rule(&options, rewrite, features);
    options.pushes = given->values;
    options.push_count = given->count;
    options.push_sets = given->sets;
    options.push_along = given->along;
    WPG_TRY(recall_or_optimize(rewrite, "values", weights, &options, probes, when));
    if (rewrite->later)
        return WPG_OK;
    dump_changed(rewrite, ".variant");
    return check(rewrite, &features->validate);
}

wpg_status wpg_rewrite_alone(wpg_rewrite *rewrite, const wpg_weights *weights,
                             const wpg_device_features *features, uint32_t number)
{
    wpg_optimize_options options;
    const bool probes = options_by_rule(&options, rewrite, features);
    /* Drivers that get no versions run both arms of the test. There is none here. */
    if (!strchr(wpg_the_process.settings.skip_passes, WPG_PASS_VERSIONS))
        for (char *at; (at = strchr(options.passes, WPG_PASS_VERSIONS));)
            memmove(at, at + 1, strlen(at));
    options.alone = number;
    WPG_TRY(recall_or_optimize(rewrite, "alone", weights, &options, probes, WPG_REWRITE_NOW));
    dump_changed(rewrite, ".alone");
    return check(rewrite, &features->validate);
}
