/* Reads and writes whole files; a written file appears whole or not at all.
 *
 * Owns: nothing; the caller frees what a read returns.
 * Threads: any, on different paths. */
#ifndef WPG_RUNTIME_BASE_FILE_H
#define WPG_RUNTIME_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

/* Reads a regular file of at most `limit` bytes. *data is malloc'd (one zero byte follows it); the caller
 * frees it. What is no regular file is refused; a pipe is not waited for. */
wpg_status wpg_file_read(uint8_t **data, size_t *size, const char *path, size_t limit, wpg_error *err);

/* For what a user names on a command line: "-" is standard input, /dev/fd/N (a shell's <(command)) descriptor
 * N; both are read to their end, whatever they are. Anything else as wpg_file_read. */
wpg_status wpg_file_read_given(uint8_t **data, size_t *size, const char *path, size_t limit, wpg_error *err);

/* Writes under a temporary name beside `path`, fsyncs and renames: readers see the old file or the new one.
 * On failure the temporary is removed and an existing file is left as it was. Makes missing parent folders.
 * What is no file is written as it is: a device, a pipe. A named pipe that nobody reads is an error.
 * The umask says who may read a new file. */
wpg_status wpg_file_write_atomic(const char *path, const void *data, size_t size, wpg_error *err);
/* The same without fsync, for files that are written again each second: on a busy disk fsync takes seconds.
 * After a crash of the machine the file may be empty. */
wpg_status wpg_file_replace(const char *path, const void *data, size_t size, wpg_error *err);

/* Makes a folder and its missing parents (mode 0777 less umask); fine if it is there. */
wpg_status wpg_make_folders(const char *path, wpg_error *err);

#endif
