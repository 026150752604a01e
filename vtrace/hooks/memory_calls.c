/* SPDX-License-Identifier: MIT */
/*
 * libvtrace-memory.so: free(), realloc(), munmap(), mmap() and mremap() of the program, for the
 * rule freed of vtrace --check. No other mode loads it. Each goes on to the function that would
 * have been called without it. A function of the program itself comes before these, and may go on
 * to them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "freed.h"

#define PUBLIC __attribute__((visibility("default")))
#define FROM   record_from(__builtin_return_address(0), __builtin_frame_address(0))

/* A child may have dropped libvtrace.so from LD_PRELOAD. */
#pragma weak vtrace_may_be_registered
#pragma weak vtrace_is_registered
#pragma weak vtrace_note_freed

/* Those of a sanitizer, which must not be looked up: it may call them before it has begun. */
extern __typeof__(free) __interceptor_free __attribute__((weak));
extern __typeof__(realloc) __interceptor_realloc __attribute__((weak));

/* NULL: there is none; or dlsym() itself frees or allocates, as the text of an earlier error. */
static void *find_next(const char *name, void *_Atomic *kept)
{
	static __thread bool is_looking __attribute__((tls_model("initial-exec")));
	void *found = atomic_load_explicit(kept, memory_order_relaxed);

	if (found || is_looking)
		return found;
	is_looking = true;
	found = dlsym(RTLD_NEXT, name);
	is_looking = false;
	atomic_store_explicit(kept, found, memory_order_relaxed);
	return found;
}

static bool may_be_registered(const void *p)
{
	return vtrace_may_be_registered && vtrace_may_be_registered(p);
}

/* The length of a block of malloc(); 0: no part of it is registered. */
static uint64_t registered_len(void *p)
{
	const uint64_t len = may_be_registered(p) ? malloc_usable_size(p) : 0;

	return len && vtrace_is_registered((uintptr_t)p, len) ? len : 0;
}

/* It cannot fail, so it is noted while nobody else can have the block. */
PUBLIC void free(void *p)
{
	static void *_Atomic next;
	void (*on)(void *) = __interceptor_free;
	const uint64_t len = registered_len(p);

	if (!on)
		on = (void (*)(void *))find_next("free", &next);
	if (len)
		vtrace_note_freed((uintptr_t)p, len, SHARED_BY_FREE, FROM);
	if (on)
		on(p);
}

PUBLIC void *realloc(void *p, size_t size)
{
	static void *_Atomic next;
	void *(*on)(void *, size_t) = __interceptor_realloc;
	const uint64_t at = (uintptr_t)p, len = registered_len(p);
	void *now;

	if (!on)
		on = (void *(*)(void *, size_t))find_next("realloc", &next);
	if (!on) {
		errno = ENOMEM;
		return NULL;
	}
	now = on(p, size);
	if (len && (uintptr_t)now != at && (now || !size))
		vtrace_note_freed(at, len, SHARED_BY_REALLOC, FROM);
	return now;
}

/* The length of the pages; 0: no part of them is registered. */
static uint64_t registered_pages(const void *p, size_t len)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t pages = (len + page - 1) / page * page;

	return may_be_registered(p) && vtrace_is_registered((uintptr_t)p, pages) ? pages : 0;
}

/* A sanitizer of the program goes on to these functions, so they must not go on to it. */
PUBLIC int munmap(void *p, size_t len)
{
	static void *_Atomic next;
	int (*const on)(void *, size_t) = (int (*)(void *, size_t))find_next("munmap", &next);
	const uint64_t pages = registered_pages(p, len);
	const int rc = on ? on(p, len) : (int)syscall(SYS_munmap, p, len);

	if (rc == 0 && pages)
		vtrace_note_freed((uintptr_t)p, pages, SHARED_BY_MUNMAP, FROM);
	return rc;
}

/* Pages that are mapped over others take their place. */
PUBLIC void *mmap(void *p, size_t len, int prot, int flags, int fd, off_t at)
{
	static void *_Atomic next;
	void *(*const on)(void *, size_t, int, int, int, off_t) =
		(void *(*)(void *, size_t, int, int, int, off_t))find_next("mmap", &next);
	const uint64_t pages = flags & MAP_FIXED ? registered_pages(p, len) : 0;
	void *now;

	if (!on) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	now = on(p, len, prot, flags, fd, at);
	if (now != MAP_FAILED && pages)
		vtrace_note_freed((uintptr_t)p, pages, SHARED_BY_MMAP, FROM);
	return now;
}

#if __WORDSIZE == 64 /* else it has another type, and is not seen */
PUBLIC void *mmap64(void *p, size_t len, int prot, int flags, int fd, off64_t at)
	__attribute__((alias("mmap")));
#endif

/* Where the pages stay at their place, what is cut off is not looked at. */
PUBLIC void *mremap(void *p, size_t len, size_t size, int flags, ...)
{
	static void *_Atomic next;
	void *(*const on)(void *, size_t, size_t, int, ...) =
		(void *(*)(void *, size_t, size_t, int, ...))find_next("mremap", &next);
	const uint64_t pages = registered_pages(p, len);
	va_list args;
	void *now, *to;

	va_start(args, flags);
	to = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
	va_end(args);
	if (!on) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	now = on(p, len, size, flags, to);
	if (now != MAP_FAILED && now != p && pages)
		vtrace_note_freed((uintptr_t)p, pages, SHARED_BY_MREMAP, FROM);
	return now;
}
