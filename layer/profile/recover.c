#include "layer/profile/recover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layer/base/map_codec.h"
#include "layer/profile/live.h"
#include "runtime/base/log.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"
#include "runtime/profile/made_record.h"
#include "runtime/profile/profile_io.h"

enum {
    JOURNAL_MOST = 512 << 20, /* bytes */
    NAME_MOST = 255,
    ENTRY_MOST = 4096, /* characters of an entry point */
    STAGES_MOST = 1 << 16,
    COUNTERS_MOST = 1 << 17, /* of a pipeline: the scratch block of runtime/counters/layout.h has no more */
};

typedef struct left_pipeline {
    uint64_t device;
    wpg_counted *counted;
    char name[NAME_MOST + 1];
    bool assigned; /* the name is what it counted into, not only what it would */
    bool pooled;   /* it ended, and a pool has its counts */
} left_pipeline;

typedef struct left_base {
    char name[NAME_MOST + 1];
    wpg_profile *profile; /* NULL: nothing */
} left_base;

typedef struct left_maker {
    uint64_t device;
    char name[WPG_MADE_NAME];
} left_maker;

typedef struct left_run {
    char path[4400]; /* of the journal */
    size_t folder;   /* its length, with the slash */
    long process;
    WPG_VEC(left_pipeline) pipelines;
    WPG_VEC(left_base) bases;
    WPG_VEC(left_maker) makers;
    WPG_VEC(uint64_t) retired; /* devices */
    wpg_map latest;            /* device and pipeline -> index of the last P entry + 1 */
    wpg_map seen;              /* low half of a pipeline's hash -> 1 */
} left_run;

static void finish(left_run *run)
{
    for (size_t i = 0; i < run->pipelines.count; i++) {
        free(run->pipelines.data[i].counted->slot);
        wpg_counted_destroy(run->pipelines.data[i].counted);
    }
    for (size_t i = 0; i < run->bases.count; i++)
        wpg_profile_destroy(run->bases.data[i].profile);
    wpg_vec_free(&run->pipelines);
    wpg_vec_free(&run->bases);
    wpg_vec_free(&run->makers);
    wpg_vec_free(&run->retired);
    wpg_map_free(&run->latest);
    wpg_map_free(&run->seen);
}

/* -- Entries */

static wpg_status malformed(wpg_error *err)
{
    return wpg_fail(err, WPG_E_FORMAT, "the journal is malformed, or of another version of wavepgo");
}

static wpg_hash128 read_hash(wpg_reader *in)
{
    wpg_hash128 hash = {0};
    hash.low = wpg_read_u64(in);
    hash.high = wpg_read_u64(in);
    return hash;
}

static bool read_text(char *text, size_t size, wpg_reader *in)
{
    uint64_t length = wpg_read_uleb(in);
    const uint8_t *bytes = length < size ? wpg_read_bytes(in, (size_t)length) : NULL;
    text[0] = '\0';
    if (!bytes || memchr(bytes, 0, (size_t)length))
        return length == 0 && !in->overrun;
    memcpy(text, bytes, (size_t)length);
    text[length] = '\0';
    return true;
}

/* A file of the journal's own folder, and no journal. */
static bool read_name(char name[NAME_MOST + 1], wpg_reader *in)
{
    return read_text(name, NAME_MOST + 1, in) && *name && !strchr(name, '/') && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0 && !strstr(name, WPG_LIVE_ENDING);
}

static wpg_status read_stage(wpg_counted_stage *stage, wpg_reader *in, wpg_error *err)
{
    char entry[ENTRY_MOST + 1];
    stage->shader = read_hash(in);
    if (!read_text(stage->stage, sizeof stage->stage, in) || !read_text(entry, sizeof entry, in))
        return malformed(err);
    stage->entry = strdup(entry);
    return stage->entry ? wpg_map_decode(&stage->map, in, err) : wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

static uint64_t key_of(uint64_t device, wpg_hash128 pipeline)
{
    return pipeline.low ^ device * UINT64_C(0x9e3779b97f4a7c15);
}

/* The pipeline of the last P entry of that hash; NULL: there is none. */
static left_pipeline *latest_of(const left_run *run, uint64_t device, wpg_hash128 pipeline)
{
    uint64_t place;
    if (!wpg_map_get(&run->latest, key_of(device, pipeline), &place))
        return NULL;
    left_pipeline *left = &run->pipelines.data[place - 1];
    return left->device == device && wpg_hash_equal(left->counted->pipeline, pipeline) ? left : NULL;
}

static wpg_status read_pipeline(left_run *run, wpg_reader *in, wpg_error *err)
{
    left_pipeline left = {.device = wpg_read_uleb(in)};
    uint64_t first = wpg_read_uleb(in), count = wpg_read_uleb(in), rate = wpg_read_uleb(in);
    wpg_hash128 pipeline = read_hash(in);
    bool shader_only = wpg_read_u8(in) != 0;
    if (!read_name(left.name, in))
        return malformed(err);
    uint64_t stages = wpg_read_uleb(in);
    if (in->overrun || count > COUNTERS_MOST || first > SIZE_MAX / 16 || stages > STAGES_MOST)
        return malformed(err);
    wpg_counter_slot *slot = calloc(1, sizeof *slot);
    if (slot) {
        atomic_init(&slot->first, (size_t)first);
        atomic_init(&slot->count, (size_t)count);
    }
    left.counted = slot ? wpg_counted_create(pipeline, slot, (size_t)stages) : NULL;
    if (!left.counted || !wpg_vec_push(&run->pipelines, left)) {
        wpg_counted_destroy(left.counted);
        free(slot);
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    }
    wpg_counted *counted = left.counted;
    counted->shader_only = shader_only;
    counted->recovered = true;
    counted->first_run = !wpg_map_get(&run->seen, pipeline.low, NULL);
    if (!wpg_map_set(&run->seen, pipeline.low, 1) ||
        !wpg_map_set(&run->latest, key_of(left.device, pipeline), run->pipelines.count))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    counted->rate = rate;
    counted->binds = counted->binds_counted = counted->sampled = rate > 0;
    for (size_t i = 0; i < stages; i++)
        WPG_TRY(read_stage(&counted->stages[i], in, err));
    wpg_counted_pack(counted);
    return WPG_OK;
}

/* An end of what the journal does not know is another version's, or a mistake. */
static wpg_status read_end(left_run *run, wpg_reader *in, wpg_error *err)
{
    const uint64_t device = wpg_read_uleb(in);
    const wpg_hash128 pipeline = read_hash(in);
    const uint64_t binds = wpg_read_uleb(in), binds_counted = wpg_read_uleb(in), count = wpg_read_uleb(in);
    left_pipeline *left = latest_of(run, device, pipeline);
    if (in->overrun || !left || left->counted->ended || count != atomic_load(&left->counted->slot->count))
        return malformed(err);
    for (uint64_t i = 0; i < count; i++)
        left->counted->values[i] = wpg_read_uleb(in);
    left->counted->ended = true;
    left->counted->binds = binds;
    left->counted->binds_counted = binds_counted;
    return WPG_OK;
}

static wpg_status read_maker(left_run *run, wpg_reader *in, wpg_error *err)
{
    left_maker maker = {.device = wpg_read_uleb(in)};
    wpg_made made;
    if (!read_text(maker.name, sizeof maker.name, in) || !wpg_made_record_parse(&made, maker.name))
        return malformed(err);
    return wpg_vec_push(&run->makers, maker) ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

static const char *maker_of(const left_run *run, uint64_t device)
{
    for (size_t i = 0; i < run->makers.count; i++)
        if (run->makers.data[i].device == device)
            return run->makers.data[i].name;
    return "";
}

static wpg_status read_assign(left_run *run, wpg_reader *in, wpg_error *err)
{
    char name[NAME_MOST + 1];
    uint64_t device = wpg_read_uleb(in);
    wpg_hash128 pipeline = read_hash(in);
    bool first_run = wpg_read_u8(in) != 0;
    if (!read_name(name, in))
        return malformed(err);
    left_pipeline *left = latest_of(run, device, pipeline);
    if (left) {
        left->assigned = true;
        left->counted->first_run = first_run;
        (void)snprintf(left->name, sizeof left->name, "%s", name);
    }
    return WPG_OK;
}

static wpg_status read_base(left_run *run, wpg_reader *in, wpg_error *err)
{
    left_base base = {.profile = NULL};
    if (!read_name(base.name, in))
        return malformed(err);
    uint64_t size = wpg_read_uleb(in);
    const uint8_t *bytes = size <= JOURNAL_MOST ? wpg_read_bytes(in, (size_t)size) : NULL;
    if (in->overrun || (size && !bytes))
        return malformed(err);
    for (size_t i = 0; i < run->pipelines.count; i++)
        run->pipelines.data[i].pooled |=
            run->pipelines.data[i].counted->ended && strcmp(run->pipelines.data[i].name, base.name) == 0;
    left_base *known = NULL;
    for (size_t i = 0; i < run->bases.count; i++)
        if (strcmp(run->bases.data[i].name, base.name) == 0)
            known = &run->bases.data[i];
    if (!known) {
        if (!wpg_vec_push(&run->bases, base))
            return wpg_fail(err, WPG_E_NOMEM, "out of memory");
        known = &run->bases.data[run->bases.count - 1];
    }
    wpg_profile_destroy(known->profile);
    known->profile = NULL;
    if (!size)
        return WPG_OK;
    known->profile = wpg_profile_create();
    return known->profile ? wpg_profile_read_memory(known->profile, NULL, bytes, (size_t)size, err)
                          : wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

static wpg_status read_entries(left_run *run, wpg_reader *in, wpg_error *err)
{
    while (in->at < in->size) {
        uint8_t kind = wpg_read_u8(in);
        if (kind == 'P')
            WPG_TRY(read_pipeline(run, in, err));
        else if (kind == 'M')
            WPG_TRY(read_maker(run, in, err));
        else if (kind == 'E')
            WPG_TRY(read_end(run, in, err));
        else if (kind == 'A')
            WPG_TRY(read_assign(run, in, err));
        else if (kind == 'B')
            WPG_TRY(read_base(run, in, err));
        else if (kind == 'R') {
            if (!wpg_vec_push(&run->retired, wpg_read_uleb(in)))
                return wpg_fail(err, WPG_E_NOMEM, "out of memory");
        } else
            return malformed(err);
        if (in->overrun)
            return malformed(err);
    }
    return WPG_OK;
}

/* A last frame that was cut off is as if it had not been begun: its pipeline never ran. */
static wpg_status read_journal(left_run *run, const uint8_t *data, size_t size, wpg_error *err)
{
    const size_t magic = sizeof WPG_LIVE_MAGIC - 1;
    if (size < magic)
        return WPG_OK; /* killed at once */
    _Static_assert(sizeof WPG_LIVE_MAGIC == sizeof WPG_LIVE_MAGIC_2 &&
                       sizeof WPG_LIVE_MAGIC == sizeof WPG_LIVE_MAGIC_3,
                   "all headers are of one length");
    if (memcmp(data, WPG_LIVE_MAGIC, magic) != 0 && memcmp(data, WPG_LIVE_MAGIC_3, magic) != 0 &&
        memcmp(data, WPG_LIVE_MAGIC_2, magic) != 0)
        return malformed(err);
    wpg_reader in = wpg_reader_over(data, size);
    wpg_read_seek(&in, magic);
    while (in.size - in.at > WPG_LIVE_FRAME_SIZE) {
        uint32_t mark = wpg_read_u32(&in), length = wpg_read_u32(&in);
        uint64_t checksum = wpg_read_u64(&in);
        const uint8_t *entries = mark == WPG_LIVE_FRAME ? wpg_read_bytes(&in, length) : NULL;
        if (!entries || wpg_hash64_bytes(entries, length) != checksum)
            break;
        wpg_reader frame = wpg_reader_over(entries, length);
        WPG_TRY(read_entries(run, &frame, err));
    }
    return WPG_OK;
}

/* -- Counts */

static bool has_retired(const left_run *run, uint64_t device)
{
    for (size_t i = 0; i < run->retired.count; i++)
        if (run->retired.data[i] == device)
            return true;
    return false;
}

static wpg_status read_counts(const left_run *run, const left_pipeline *left, wpg_error *err)
{
    char path[4480];
    size_t first = atomic_load(&left->counted->slot->first),
           size = atomic_load(&left->counted->slot->count) * 8;
    (void)snprintf(path, sizeof path, "%s.%llu", run->path, (unsigned long long)left->device);
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    size_t got = 0;
    while (file >= 0 && got < size) {
        ssize_t more =
            pread(file, (uint8_t *)left->counted->values + got, size - got, (off_t)(first * 8 + got));
        if (more <= 0 && !(more < 0 && errno == EINTR))
            break;
        got += more > 0 ? (size_t)more : 0;
    }
    if (file >= 0)
        (void)close(file);
    return got == size ? WPG_OK : wpg_fail(err, WPG_E_IO, "cannot read the counters in %s", path);
}

static wpg_status add_pipeline(wpg_profile *total, const left_run *run, const left_pipeline *left,
                               wpg_error *err)
{
    wpg_counted *counted = left->counted;
    if (left->pooled || (!counted->ended && has_retired(run, left->device)))
        return WPG_OK;
    if (!counted->ended)
        WPG_TRY(read_counts(run, left, err));
    counted->made = maker_of(run, left->device);
    WPG_TRY(wpg_counted_unpack(counted, err));
    wpg_status status = wpg_files_records(total, counted, err);
    wpg_counted_pack(counted);
    return status;
}

/* What counted into one file. */
static wpg_status add_up(wpg_profile *total, const left_run *run, const left_pipeline *const *list,
                         size_t count, wpg_error *err)
{
    for (size_t i = 0; i < run->bases.count; i++)
        if (run->bases.data[i].profile && strcmp(run->bases.data[i].name, list[0]->name) == 0)
            WPG_TRY(wpg_profile_merge(total, run->bases.data[i].profile, 1, NULL, err));
    for (size_t i = 0; i < count; i++)
        WPG_TRY(add_pipeline(total, run, list[i], err));
    return WPG_OK;
}

static wpg_status write_one(const left_run *run, const left_pipeline *const *list, size_t count,
                            size_t *written, wpg_error *err)
{
    char path[4700];
    const char *name = list[0]->name, *dot = strrchr(name, '.');
    int stem = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    (void)snprintf(path, sizeof path, "%.*s%s", (int)run->folder, run->path, name);
    /* It may be another process's, which this one had not found out. */
    if (!list[0]->assigned && access(path, F_OK) == 0)
        (void)snprintf(path, sizeof path, "%.*s%.*s.%ld%s", (int)run->folder, run->path, stem, name,
                       run->process, name + stem);
    wpg_profile *total = wpg_profile_create();
    wpg_status status =
        total ? add_up(total, run, list, count, err) : wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK && wpg_profile_count(total)) {
        status = wpg_profile_write_file(path, total, WPG_PROFILE_RAW_10, err);
        *written += status == WPG_OK;
    }
    wpg_profile_destroy(total);
    return status;
}

/* By file, then in the order of the journal. */
static int by_name(const void *left, const void *right)
{
    const left_pipeline *a = *(const left_pipeline *const *)left, *b = *(const left_pipeline *const *)right;
    const int order = strcmp(a->name, b->name);
    return order ? order : a < b ? -1 : a > b;
}

static wpg_status write_profiles(const left_run *run, size_t *written, wpg_error *err)
{
    const size_t count = run->pipelines.count;
    const left_pipeline **list = calloc(count ? count : 1, sizeof *list);
    if (!list)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        list[i] = &run->pipelines.data[i];
    qsort(list, count, sizeof *list, by_name);
    wpg_status status = WPG_OK;
    for (size_t i = 0, next; i < count && status == WPG_OK; i = next) {
        next = i + 1;
        while (next < count && strcmp(list[next]->name, list[i]->name) == 0)
            next++;
        status = write_one(run, list + i, next - i, written, err);
    }
    free(list);
    return status;
}

/* -- Folders */

/* "wavepgo-<pid>-<token>.live" */
static bool is_journal(long *process, const char *name)
{
    char *end;
    size_t length = strlen(name), prefix = sizeof WPG_LIVE_PREFIX - 1, tail = sizeof WPG_LIVE_ENDING - 1;
    if (length <= prefix + tail || strncmp(name, WPG_LIVE_PREFIX, prefix) != 0 ||
        strcmp(name + length - tail, WPG_LIVE_ENDING) != 0)
        return false;
    *process = strtol(name + prefix, &end, 10);
    return end != name + prefix && *end == '-';
}

/* The journal first: counters without one are of no use, and its next reader would miss them. */
static void remove_run(const left_run *run, const char *folder)
{
    const char *name = run->path + run->folder;
    size_t length = strlen(name);
    (void)unlink(run->path);
    DIR *listing = opendir(folder);
    for (const struct dirent *entry; listing && (entry = readdir(listing));)
        if (strncmp(entry->d_name, name, length) == 0 && entry->d_name[length] == '.')
            (void)unlinkat(dirfd(listing), entry->d_name, 0);
    if (listing)
        (void)closedir(listing);
}

static bool held(int file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_SETLK, &lock) != 0;
}

static void recover_one(wpg_recover_request *request, const char *name, long process)
{
    left_run run = {.process = process};
    uint8_t *data = NULL;
    size_t size = 0;
    int length = snprintf(run.path, sizeof run.path, "%s/%s", request->folder, name);
    if (length < 0 || (size_t)length >= sizeof run.path - 64)
        return;
    run.folder = (size_t)length - strlen(name);
    /* Held until the end, so that two readers do not write at once; wpg_file_read would drop the lock: it
     * closes. */
    int file = open(run.path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    if (file < 0)
        return;
    if (!held(file) && fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink &&
        info.st_size <= JOURNAL_MOST) {
        size = (size_t)info.st_size;
        data = malloc(size + 1);
        wpg_status status = data && pread(file, data, size, 0) == (ssize_t)size
                                ? WPG_OK
                                : wpg_fail(&request->why, WPG_E_IO, "cannot be read");
        if (status == WPG_OK)
            status = read_journal(&run, data, size, &request->why);
        if (status == WPG_OK)
            status = write_profiles(&run, &request->profiles, &request->why);
        if (status == WPG_OK) {
            remove_run(&run, request->folder);
            request->runs++;
        } else
            request->left++;
    }
    (void)close(file);
    free(data);
    finish(&run);
}

void wpg_recover(wpg_recover_request *request)
{
    DIR *listing = opendir(request->folder);
    long process;
    request->runs = request->left = request->profiles = 0;
    /* Our own journal is not opened: closing it would drop its lock. */
    for (const struct dirent *entry; listing && (entry = readdir(listing));)
        if (is_journal(&process, entry->d_name) && !wpg_live_is_own(entry->d_name))
            recover_one(request, entry->d_name, process);
    if (listing)
        (void)closedir(listing);
}

void wpg_recover_told(const char *folder)
{
    wpg_recover_request request = {.folder = folder};
    wpg_recover(&request);
    if (request.runs)
        wpg_log_info("%s: the counts of %zu killed runs are in %zu profiles now", folder, request.runs,
                     request.profiles);
    if (request.left)
        wpg_log_warn("%s: the counts of %zu killed runs (" WPG_LIVE_PREFIX "*" WPG_LIVE_ENDING
                     ") cannot be made into profiles: %s",
                     folder, request.left, request.why.message);
}
