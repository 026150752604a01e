/* SPDX-License-Identifier: MIT */
/*
 * Functions of the C library that take the name of a file. Names of files of our device are
 * replaced by names in the tree (tree.c); all others stay as they are.
 */
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export.h"
#include "preload.h"

#define PLACE_MAX 512

/* Returns the name to use instead of path: path itself, or what was written to buf. Keeps errno. */
static const char *find(const char *path, char *buf, size_t size)
{
	const int err = errno;
	const char *rest, *place = tree_place(path, &rest);

	if (place && tree_file(place, rest, buf, size))
		path = buf;
	errno = err;
	return path;
}

/* The next definition of name, which is the C library's. It is looked up when the library is
 * loaded: a call may come from the handler of a signal, where dlsym(3) is not allowed. Only
 * what other libraries call before that is looked up here. */
static void *next_of(_Atomic(void *) *slot, const char *name)
{
	void *fn = atomic_load_explicit(slot, memory_order_relaxed);

	if (!fn) {
		fn = dlsym(RTLD_NEXT, name);
		atomic_store_explicit(slot, fn, memory_order_relaxed);
	}
	return fn;
}

/* The place of the next definition of name, with a constructor that fills it. */
#define NEXT(name)                                                      \
	static _Atomic(void *) next_##name;                             \
	__attribute__((constructor)) static void find_next_##name(void) \
	{                                                               \
		next_of(&next_##name, #name);                           \
	}

/* Defines type name(params): calls the next one with args, in which P is the path found. */
#define WRAP(type, name, path, params, args)                                             \
	NEXT(name)                                                                       \
	EXPORT type name params                                                          \
	{                                                                                \
		type(*const next) params = (type(*) params)next_of(&next_##name, #name); \
		char buf[PLACE_MAX];                                                     \
		const char *P = find(path, buf, sizeof buf);                             \
                                                                                         \
		return next args;                                                        \
	}

/* The same for open() and its kind, with a mode where the flags call for one. */
#define WRAP_OPEN(name, path, params, args)                                            \
	NEXT(name)                                                                     \
	EXPORT int name params                                                         \
	{                                                                              \
		int(*const next) params = (int(*) params)next_of(&next_##name, #name); \
		char buf[PLACE_MAX];                                                   \
		const char *P = find(path, buf, sizeof buf);                           \
		mode_t mode = 0;                                                       \
                                                                                       \
		if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {             \
			va_list ap;                                                    \
                                                                                       \
			va_start(ap, flags);                                           \
			mode = va_arg(ap, mode_t);                                     \
			va_end(ap);                                                    \
		}                                                                      \
		return next args;                                                      \
	}

WRAP_OPEN(open, path, (const char *path, int flags, ...), (P, flags, mode))
WRAP_OPEN(open64, path, (const char *path, int flags, ...), (P, flags, mode))
WRAP_OPEN(openat, path, (int dir, const char *path, int flags, ...), (dir, P, flags, mode))
WRAP_OPEN(openat64, path, (int dir, const char *path, int flags, ...), (dir, P, flags, mode))

WRAP(FILE *, fopen, path, (const char *path, const char *mode), (P, mode))
WRAP(FILE *, fopen64, path, (const char *path, const char *mode), (P, mode))
WRAP(DIR *, opendir, path, (const char *path), (P))
WRAP(int, access, path, (const char *path, int mode), (P, mode))
WRAP(int, faccessat, path, (int dir, const char *path, int mode, int flags), (dir, P, mode, flags))
WRAP(int, stat, path, (const char *path, struct stat *st), (P, st))
WRAP(int, stat64, path, (const char *path, struct stat64 *st), (P, st))
WRAP(int, lstat, path, (const char *path, struct stat *st), (P, st))
WRAP(int, lstat64, path, (const char *path, struct stat64 *st), (P, st))
WRAP(int, fstatat, path, (int dir, const char *path, struct stat *st, int flags),
     (dir, P, st, flags))
WRAP(int, fstatat64, path, (int dir, const char *path, struct stat64 *st, int flags),
     (dir, P, st, flags))
WRAP(int, statx, path, (int dir, const char *path, int flags, unsigned mask, struct statx *st),
     (dir, P, flags, mask, st))
WRAP(ssize_t, readlink, path, (const char *path, char *to, size_t size), (P, to, size))
WRAP(ssize_t, readlinkat, path, (int dir, const char *path, char *to, size_t size),
     (dir, P, to, size))

/* Returns the name that the file has for the program, not its name in the tree. */
NEXT(realpath)
EXPORT char *realpath(const char *path, char *to)
{
	char *(*const next)(const char *, char *) =
		(char *(*)(const char *, char *))next_of(&next_realpath, "realpath");
	char buf[PLACE_MAX], there[PATH_MAX];

	if (find(path, buf, sizeof buf) == path)
		return next(path, to);
	if (!next(buf, there)) /* is it there? */
		return NULL;
	return to ? strcpy(to, path) : strdup(path);
}

/* Programs read counters again by the same descriptor, and must see the new values. */
#define WRAP_READ(name, params, args)                                                          \
	NEXT(name)                                                                             \
	EXPORT ssize_t name params                                                             \
	{                                                                                      \
		ssize_t(*const next) params = (ssize_t(*) params)next_of(&next_##name, #name); \
                                                                                               \
		if (atomic_load_explicit(&tree_followed, memory_order_relaxed))                \
			tree_again(fd);                                                        \
		return next args;                                                              \
	}

WRAP_READ(read, (int fd, void *buf, size_t n), (fd, buf, n))
WRAP_READ(pread, (int fd, void *buf, size_t n, off_t at), (fd, buf, n, at))
WRAP_READ(pread64, (int fd, void *buf, size_t n, off64_t at), (fd, buf, n, at))

/* Functions that programs compiled with _FORTIFY_SOURCE call; they have checked the mode. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
char *__realpath_chk(const char *path, char *to, size_t room);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room);

WRAP(int, __open_2, path, (const char *path, int flags), (P, flags))
WRAP(int, __open64_2, path, (const char *path, int flags), (P, flags))
WRAP(int, __openat_2, path, (int dir, const char *path, int flags), (dir, P, flags))
WRAP(int, __openat64_2, path, (int dir, const char *path, int flags), (dir, P, flags))
WRAP_READ(__read_chk, (int fd, void *buf, size_t n, size_t room), (fd, buf, n, room))
WRAP_READ(__pread_chk, (int fd, void *buf, size_t n, off_t at, size_t room), (fd, buf, n, at, room))
WRAP_READ(__pread64_chk, (int fd, void *buf, size_t n, off64_t at, size_t room),
	  (fd, buf, n, at, room))

NEXT(__realpath_chk)
EXPORT char *__realpath_chk(const char *path, char *to, size_t room)
{
	char *(*const next)(const char *, char *, size_t) =
		(char *(*)(const char *, char *, size_t))next_of(&next___realpath_chk,
								 "__realpath_chk");

	return room < PATH_MAX ? next(path, to, room) : realpath(path, to);
}

#if defined(__GLIBC__) && __SIZEOF_POINTER__ == 8
/* Programs compiled with a glibc before 2.33 call stat() by these names. dlsym() does not find them
 * there, but where pointers have 64 bits they do the same as stat(). */
#define OLD_STAT(name, as, params, args) \
	int name params;                 \
	EXPORT int name params           \
	{                                \
		(void)version;           \
		return as args;          \
	}

OLD_STAT(__xstat, stat, (int version, const char *path, struct stat *st), (path, st))
OLD_STAT(__xstat64, stat64, (int version, const char *path, struct stat64 *st), (path, st))
OLD_STAT(__lxstat, lstat, (int version, const char *path, struct stat *st), (path, st))
OLD_STAT(__lxstat64, lstat64, (int version, const char *path, struct stat64 *st), (path, st))
OLD_STAT(__fxstatat, fstatat, (int version, int dir, const char *path, struct stat *st, int flags),
	 (dir, path, st, flags))
OLD_STAT(__fxstatat64, fstatat64,
	 (int version, int dir, const char *path, struct stat64 *st, int flags),
	 (dir, path, st, flags))
#endif
