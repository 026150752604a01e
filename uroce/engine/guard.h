/* SPDX-License-Identifier: MIT */
/*
 * Copying from and to memory of the application that it may have unmapped since it
 * registered it. A real device has pinned the pages; here the copy must survive the fault.
 *
 * It does not in a thread that blocks SIGSEGV or SIGBUS, nor when the application replaces
 * our handlers by its own: then the fault ends the process, as any other would.
 */
#ifndef UROCE_ENGINE_GUARD_H
#define UROCE_ENGINE_GUARD_H

#include <stddef.h>
#include <stdint.h>

/* Installs the handlers of SIGSEGV and SIGBUS; what is not ours goes to the handlers that
 * were there before. Once a process, later calls do nothing. 0, or -1 with errno. */
int guard_install(void);

/* memcpy() that returns -1 (errno EFAULT) where it would have faulted: how much was copied
 * before is unknown. The aligned word that holds the last byte is written last, after all
 * others: programs wait for the last byte of a message. */
int guard_copy(void *dst, const void *src, size_t n);

/* 8 aligned bytes, as one. 0, or -1 (errno EFAULT). */
int guard_store(uint64_t *p, uint64_t value);
/* Atomic on 8 aligned bytes: *old is what was there. 0, or -1 (errno EFAULT). */
int guard_fetch_add(uint64_t *p, uint64_t add, uint64_t *old);
int guard_cmp_swap(uint64_t *p, uint64_t compare, uint64_t swap, uint64_t *old);

#endif
