/* Opens and writes files inside a program that is not ours.
 *
 * No call waits for another process, raises a signal in the program, or writes through another user's link.
 *
 * Owns: nothing; the caller closes each descriptor.
 * Threads: any.
 * Source: open(2), O_NOFOLLOW; setrlimit(2), RLIMIT_FSIZE. */
#ifndef WPG_RUNTIME_BASE_DESCRIPTOR_H
#define WPG_RUNTIME_BASE_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/error.h"

/* As write. Where the file may not grow (RLIMIT_FSIZE) or nobody reads the pipe, write only fails, with EFBIG
 * or EPIPE: the calling thread holds SIGXFSZ and SIGPIPE back for the call, and takes the one that it caused.
 */
ssize_t wpg_write_quietly(int fd, const void *data, size_t size);
/* Takes the space of `size` bytes, as fallocate, in the same quiet way; false with errno. */
bool wpg_allocate_quietly(int fd, size_t size);
/* All bytes, or false with errno. */
bool wpg_write_all(int fd, const void *data, size_t size);
/* Writes the first `size` bytes of the file `from`, wherever its offset stands; false with errno. */
bool wpg_copy_all(int to, int from, uint64_t size);

/* Opens a file of lines for appending and makes it if it is missing. A link is followed if this user or root
 * made it. A named pipe that nobody reads is an error; lines for a full one are lost. */
wpg_status wpg_open_append(int *fd, const char *path, wpg_error *err);

#endif
