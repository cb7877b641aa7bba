#include "runtime/bundle/flight.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/descriptor.h"
#include "runtime/base/file.h"
#include "runtime/base/vec.h"

enum { PATH_SIZE = 4200 };

/* -- Reading */

static bool has_end(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

static bool is_known(const wpg_flight *flight, wpg_hash128 hash)
{
    for (size_t i = 0; i < flight->count; i++)
        if (wpg_hash_equal(flight->pipelines[i], hash))
            return true;
    return false;
}

wpg_status wpg_flight_read(wpg_flight *flight, const uint8_t *data, size_t size, wpg_error *err)
{
    wpg_flight_page page;
    flight->count = 0;
    if (size != sizeof page)
        return wpg_fail(err, WPG_E_FORMAT, "a flight record has %zu bytes, not %zu", sizeof page, size);
    memcpy(&page, data, sizeof page);
    if (memcmp(page.magic, WPG_FLIGHT_MAGIC, sizeof page.magic) != 0 || page.order != WPG_FLIGHT_ORDER ||
        !has_end(page.program, sizeof page.program) ||
        (strncmp(page.mode, "generate", sizeof page.mode) != 0 &&
         strncmp(page.mode, "use", sizeof page.mode) != 0))
        return wpg_fail(err, WPG_E_FORMAT, "no flight record of this machine");
    memcpy(flight->mode, page.mode, sizeof flight->mode);
    memcpy(flight->program, page.program, sizeof flight->program);
    for (size_t i = 0; i < WPG_FLIGHT_SLOTS; i++)
        if ((page.slots[i].low || page.slots[i].high) && !is_known(flight, page.slots[i]))
            flight->pipelines[flight->count++] = page.slots[i];
    return WPG_OK;
}

/* A record lock: a forked child does not hold it. */
static bool lock(int file)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_SETLK, &whole) == 0;
}

/* The lock comes first: of two processes that take, one gets the record. */
static bool take(wpg_flight *flight, const char *path)
{
    uint8_t data[sizeof(wpg_flight_page) + 1];
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool found = false;
    if (file < 0)
        return false;
    if (lock(file)) {
        const ssize_t size = read(file, data, sizeof data);
        found = size > 0 && wpg_flight_read(flight, data, (size_t)size, NULL) == WPG_OK && flight->count;
        (void)unlink(path);
    }
    (void)close(file);
    return found;
}

wpg_status wpg_flights_take(wpg_flights *flights, const char *folder, wpg_error *err)
{
    char path[PATH_SIZE];
    WPG_VEC(wpg_flight) found = {0};
    wpg_status status = WPG_OK;
    *flights = (wpg_flights){0};
    if (!*folder)
        return WPG_OK;
    (void)snprintf(path, sizeof path, "%s/flights", folder);
    DIR *dir = opendir(path);
    if (!dir)
        return errno == ENOENT ? WPG_OK
                               : wpg_fail(err, WPG_E_IO, "cannot read %.160s: %s", path, strerror(errno));
    for (const struct dirent *entry; status == WPG_OK && (entry = readdir(dir));) {
        wpg_flight flight;
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/flights/%s", folder, entry->d_name);
        if (take(&flight, path) && !wpg_vec_push(&found, flight))
            status = wpg_fail(err, WPG_E_NOMEM, "out of memory for flight records");
    }
    (void)closedir(dir);
    *flights = (wpg_flights){.entries = found.data, .count = found.count};
    return status;
}

void wpg_flights_finish(wpg_flights *flights)
{
    free(flights->entries);
    *flights = (wpg_flights){0};
}

/* -- Writing */

static wpg_flight_page *map_page(int file)
{
    /* All of its space now: a page that a full disk has no room for would kill the program. */
    if (file < 0 || !wpg_allocate_quietly(file, sizeof(wpg_flight_page)) || !lock(file))
        return NULL;
    void *page = mmap(NULL, sizeof(wpg_flight_page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return page == MAP_FAILED ? NULL : page;
}

wpg_status wpg_flight_open(wpg_flight_record *record, const char *folder, const char *mode,
                           const char *program, wpg_error *err)
{
    uint64_t token = 0;
    const size_t size = sizeof record->path;
    int length = *folder ? snprintf(record->path, size, "%s/flights", folder) : -1;
    record->page = NULL;
    record->file = -1;
    if (length < 0 || (size_t)length + 48 >= size)
        return wpg_fail(err, WPG_E_NOT_FOUND, "there is no cache folder");
    WPG_TRY(wpg_make_folders(record->path, err));
    if (getrandom(&token, sizeof token, GRND_NONBLOCK) != sizeof token)
        token = (uint64_t)time(NULL);
    (void)snprintf(record->path + length, size - (size_t)length, "/%ld-%016" PRIx64, (long)getpid(), token);
    record->file = open(record->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    record->page = map_page(record->file);
    if (!record->page) {
        wpg_status status = wpg_fail(err, WPG_E_IO, "cannot make %.160s: %s", record->path, strerror(errno));
        if (record->file >= 0)
            (void)unlink(record->path);
        wpg_flight_close(record);
        return status;
    }
    record->page->order = WPG_FLIGHT_ORDER;
    (void)snprintf(record->page->mode, sizeof record->page->mode, "%s", mode);
    (void)snprintf(record->page->program, sizeof record->page->program, "%s", program);
    memcpy(record->page->magic, WPG_FLIGHT_MAGIC, sizeof record->page->magic);
    return WPG_OK;
}

void wpg_flight_remove(const wpg_flight_record *record)
{
    if (record->page)
        (void)unlink(record->path);
}

void wpg_flight_close(wpg_flight_record *record)
{
    if (record->page)
        (void)munmap(record->page, sizeof *record->page);
    if (record->file >= 0)
        (void)close(record->file);
    record->page = NULL;
    record->file = -1;
}
