/* MD5, by which LLVM's profiles refer to names. It protects nothing.
 *
 * Owns: nothing.
 * Threads: any.
 * Source: RFC 1321. */
#ifndef WPG_RUNTIME_PROFILE_MD5_H
#define WPG_RUNTIME_PROFILE_MD5_H

#include <stddef.h>
#include <stdint.h>

enum { WPG_MD5_SIZE = 16 };

void wpg_md5(uint8_t digest[WPG_MD5_SIZE], const void *data, size_t size);

#endif
