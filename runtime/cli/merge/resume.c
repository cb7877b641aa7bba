#include "runtime/cli/merge/resume.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/cli/common/command.h"

#define HEAD "# wavepgo merge: checkpoint 1, "
enum { CHECKPOINT_MOST = 1 << 30 };
static const uint64_t second = UINT64_C(1000000000);

static uint64_t now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
}

/* `seen` becomes the hash of itself and the bytes. */
static void see(wpg_hash128 *seen, const void *data, size_t size)
{
    const wpg_hash128 parts[2] = {*seen, wpg_hash_bytes(data, size)};
    *seen = wpg_hash_bytes(parts, sizeof parts);
}

static int begin_anew(const wpg_merge_resume *resume, const char *command, const char *why)
{
    return wpg_complain(WPG_EXIT_FAILED, command, "%s %s: remove it to begin anew", resume->path, why);
}

static bool read_head(wpg_merge_resume *resume, const char *text)
{
    char hex[WPG_HASH_HEX + 1];
    int used = 0;
    return sscanf(text, HEAD "%20" SCNu64 " files, %32[0-9a-f]%n", &resume->skip, hex, &used) == 2 && used &&
           text[used] == '\n' && wpg_hash_from_hex(&resume->skipped, hex) && resume->skip;
}

int wpg_merge_resume_begin(wpg_merge_resume *resume, wpg_profile *profile, const wpg_merge_options *options)
{
    uint8_t *data;
    size_t size;
    wpg_error err;
    *resume = (wpg_merge_resume){.on = options->resume, .seconds = options->resume_seconds};
    if (!resume->on)
        return 0;
    const int length = snprintf(resume->path, sizeof resume->path, "%s.partial", options->out);
    if (length < 0 || (size_t)length >= sizeof resume->path)
        return wpg_complain(WPG_EXIT_FAILED, options->command, "the name of OUT is too long");
    for (int part = 0; part < WPG_MADE_PARTS; part++)
        if (options->select[part])
            see(&resume->seen, options->select[part], strlen(options->select[part]) + 1);
    resume->written_at = now();
    wpg_status status = wpg_file_read(&data, &size, resume->path, CHECKPOINT_MOST, &err);
    if (status == WPG_E_NOT_FOUND)
        return 0;
    if (status != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, options->command, "%s", err.message);
    int code = 0;
    if (!read_head(resume, (const char *)data)) /* a zero byte follows the data */
        code = begin_anew(resume, options->command, "is no checkpoint of a merge");
    else if (wpg_profile_read_memory(profile, NULL, data, size, &err) != WPG_OK)
        code = begin_anew(resume, options->command, err.message);
    free(data);
    if (!code && !options->quiet)
        (void)wpg_complain(0, options->command, "goes on from %s, which has %" PRIu64 " file%s", resume->path,
                           resume->skip, wpg_plural(resume->skip));
    return code;
}

int wpg_merge_resume_next(wpg_merge_resume *resume, bool *skip, const char *path, uint64_t weight,
                          const char *command)
{
    struct stat info;
    *skip = false;
    if (!resume->on)
        return 0;
    uint64_t known[4] = {weight};
    if (strcmp(path, "-") != 0 && stat(path, &info) == 0) {
        known[1] = (uint64_t)info.st_size;
        known[2] = (uint64_t)info.st_mtim.tv_sec;
        known[3] = (uint64_t)info.st_mtim.tv_nsec;
    }
    see(&resume->seen, known, sizeof known);
    see(&resume->seen, path, strlen(path));
    *skip = resume->files++ < resume->skip;
    return resume->files == resume->skip && !wpg_hash_equal(resume->seen, resume->skipped)
               ? begin_anew(resume, command, "is of other inputs, or they changed")
               : 0;
}

int wpg_merge_resume_complete(const wpg_merge_resume *resume, const char *command)
{
    return resume->files < resume->skip ? begin_anew(resume, command, "is of more inputs") : 0;
}

static wpg_status write_checkpoint(const wpg_merge_resume *resume, const wpg_profile *profile, wpg_error *err)
{
    char head[128], hex[WPG_HASH_HEX + 1];
    uint8_t *text, *whole;
    size_t size;
    wpg_hash_to_hex(hex, resume->seen);
    const int length = snprintf(head, sizeof head, HEAD "%" PRIu64 " files, %s\n", resume->files, hex);
    WPG_TRY(wpg_profile_encode(&text, &size, profile, WPG_PROFILE_TEXT, err));
    whole = realloc(text, size + (size_t)length);
    if (!whole) {
        free(text);
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a checkpoint");
    }
    memmove(whole + length, whole, size);
    memcpy(whole, head, (size_t)length);
    wpg_status status = wpg_file_write_atomic(resume->path, whole, size + (size_t)length, err);
    free(whole);
    return status;
}

void wpg_merge_resume_done(wpg_merge_resume *resume, const wpg_profile *profile, const char *command)
{
    wpg_error err;
    const uint64_t start = now(), least = (uint64_t)(resume->seconds * (double)second);
    /* Checkpoints take at most a twentieth of the time. */
    if (!resume->on || start - resume->written_at < least || start - resume->written_at < 20 * resume->cost ||
        !wpg_profile_count(profile))
        return;
    if (write_checkpoint(resume, profile, &err) != WPG_OK) {
        (void)wpg_complain(0, command, "warning: no checkpoint: %s", err.message);
        resume->seconds = 1e9;
    }
    resume->written_at = now();
    resume->cost = least ? resume->written_at - start : 0;
}

void wpg_merge_resume_finish(wpg_merge_resume *resume)
{
    if (resume->on)
        (void)unlink(resume->path);
}
