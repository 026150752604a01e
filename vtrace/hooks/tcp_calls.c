/* SPDX-License-Identifier: MIT */
/* vtrace --record: the functions of libc with which a program uses TCP. Each calls the next
 * function of its name and, when a session is recorded, notes what was sent or received. In these
 * notes a connection has a number, because several descriptors can lead to it, and a descriptor to
 * another one later. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "call_record.h"
#include "hooks.h"
#include "replay.h"

#define PUBLIC	__attribute__((visibility("default")))
#define FDS_MAX 4096 /* descriptors that are followed */

enum { FD_OTHER, FD_LISTENS, FD_CONNECTED, FD_KINDS };

static bool recording;
/* Per descriptor: the number of its connection * FD_KINDS + its kind. */
static _Atomic uint32_t ends[FDS_MAX];

/* The next function of that name; it is looked up once. */
#define NEXT(name)                                                          \
	({                                                                  \
		static __typeof__(&name) _Atomic next;                      \
		__typeof__(&name) found = atomic_load(&next);               \
		if (!found) {                                               \
			*(void **)(void *)&found = dlsym(RTLD_NEXT, #name); \
			atomic_store(&next, found);                         \
		}                                                           \
		found;                                                      \
	})

__attribute__((constructor)) static void begin_recording(void)
{
	if (!getenv(REPLAY_VARIABLE))
		return;
	replay_rows_begin();
	recording = memory_watch_begin();
}

static uint32_t end_of(int fd)
{
	return fd >= 0 && fd < FDS_MAX ? atomic_load_explicit(&ends[fd], memory_order_relaxed) : 0;
}

static bool has_kind(int fd, int kind)
{
	return recording && end_of(fd) % FD_KINDS == (uint32_t)kind;
}

static void set_end(int fd, uint32_t end)
{
	if (fd >= 0 && fd < FDS_MAX)
		atomic_store_explicit(&ends[fd], end, memory_order_relaxed);
}

/* A new connection, or a socket that listens. */
static void begin_end(int fd, uint32_t kind)
{
	static _Atomic uint32_t numbers;

	set_end(fd, (atomic_fetch_add(&numbers, 1) + 1) * FD_KINDS + kind);
}

static uint64_t number_of(int fd)
{
	return end_of(fd) / FD_KINDS;
}

static bool is_tcp(int fd)
{
	int type = 0, family = 0;
	socklen_t n = sizeof type;

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) || type != SOCK_STREAM)
		return false;
	n = sizeof family;
	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &n) == 0 &&
	       (family == AF_INET || family == AF_INET6);
}

static void note_row(enum replay_row row, const uint64_t *args)
{
	record_event(row, args, 0);
}

static void note_socket(enum replay_row row, int fd, const void *address, socklen_t n)
{
	note_row(row, (uint64_t[]){ number_of(fd), (uintptr_t)address, n });
}

/* ------------------------------------------------------------------------ connections -- */

PUBLIC int listen(int fd, int backlog)
{
	const int rc = NEXT(listen)(fd, backlog);
	const int err = errno;
	struct sockaddr_storage address;
	socklen_t n = sizeof address;

	if (recording && rc == 0 && is_tcp(fd) &&
	    getsockname(fd, (struct sockaddr *)&address, &n) == 0) {
		begin_end(fd, FD_LISTENS);
		note_socket(REPLAY_LISTEN, fd, &address, n);
	}
	errno = err;
	return rc;
}

static int note_accepted(int listener, int fd)
{
	const int err = errno;
	struct sockaddr_storage peer;
	socklen_t n = sizeof peer;

	if (fd >= 0 && has_kind(listener, FD_LISTENS) &&
	    getpeername(fd, (struct sockaddr *)&peer, &n) == 0) {
		begin_end(fd, FD_CONNECTED);
		note_row(REPLAY_ACCEPT,
			 (uint64_t[]){ number_of(listener), number_of(fd), (uintptr_t)&peer, n });
	}
	errno = err;
	return fd;
}

PUBLIC int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict n)
{
	return note_accepted(fd, NEXT(accept)(fd, address, n));
}

PUBLIC int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict n, int flags)
{
	return note_accepted(fd, NEXT(accept4)(fd, address, n, flags));
}

PUBLIC int connect(int fd, const struct sockaddr *address, socklen_t n)
{
	const int rc = NEXT(connect)(fd, address, n);
	const int err = errno;

	if (recording && !has_kind(fd, FD_CONNECTED) && (rc == 0 || err == EINPROGRESS) &&
	    address->sa_family != AF_UNSPEC && is_tcp(fd)) {
		begin_end(fd, FD_CONNECTED);
		note_socket(REPLAY_CONNECT, fd, address, n);
	}
	errno = err;
	return rc;
}

static bool has_other_descriptor(uint32_t end)
{
	for (int fd = 0; fd < FDS_MAX; fd++)
		if (end_of(fd) == end)
			return true;
	return false;
}

/* The descriptor leads to that end from now on, 0: to none. A connection without any is closed. */
static void change_end(int fd, uint32_t end)
{
	const uint32_t was = end_of(fd);
	const int err = errno;

	set_end(fd, end);
	if (was && was != end && !has_other_descriptor(was))
		note_row(REPLAY_CLOSE, (uint64_t[]){ was / FD_KINDS });
	errno = err;
}

PUBLIC int dup(int fd)
{
	const int other = NEXT(dup)(fd);

	if (recording)
		set_end(other, end_of(fd));
	return other;
}

PUBLIC int dup2(int fd, int other)
{
	const int rc = NEXT(dup2)(fd, other);

	if (recording && rc >= 0)
		change_end(other, end_of(fd));
	return rc;
}

PUBLIC int dup3(int fd, int other, int flags)
{
	const int rc = NEXT(dup3)(fd, other, flags);

	if (recording && rc >= 0)
		change_end(other, end_of(fd));
	return rc;
}

/* The result of fcntl: a further descriptor of fd's connection, for two of its commands. */
static int follow_fcntl(int fd, int command, int rc)
{
	if (recording && rc >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
		set_end(rc, end_of(fd));
	return rc;
}

PUBLIC int fcntl(int fd, int command, ...)
{
	va_list ap;
	void *argument;

	va_start(ap, command);
	argument = va_arg(ap, void *); /* or an int, or nothing: it is passed on as it came */
	va_end(ap);
	return follow_fcntl(fd, command, NEXT(fcntl)(fd, command, argument));
}

PUBLIC int fcntl64(int fd, int command, ...)
{
	va_list ap;
	void *argument;

	va_start(ap, command);
	argument = va_arg(ap, void *);
	va_end(ap);
	return follow_fcntl(fd, command, NEXT(fcntl64)(fd, command, argument));
}

PUBLIC int close(int fd)
{
	if (recording)
		change_end(fd, 0);
	return NEXT(close)(fd);
}

/* ------------------------------------------------------------------------------- bytes -- */

static void note_piece(enum replay_row row, int fd, const char *data, size_t n, size_t all)
{
	note_row(row, (uint64_t[]){ number_of(fd), (uintptr_t)data, n, all });
}

/* The first n bytes of the vector, in pieces that a record has room for. Returns n, which is -1
 * where the function has failed. */
static ssize_t note_vector(enum replay_row row, int fd, const struct iovec *v, int nv, ssize_t n)
{
	const int err = errno;
	size_t left = n > 0 ? (size_t)n : 0, kept = 0;

	if (n < 0 || !has_kind(fd, FD_CONNECTED))
		return n;
	memory_watch_look(row == REPLAY_SEND ? WATCH_SENDS : WATCH_RECEIVED);
	if (!left && row == REPLAY_RECV)
		note_piece(row, fd, NULL, 0, 0);
	for (int i = 0; i < nv && left; i++)
		for (size_t at = 0; at < v[i].iov_len && left;) {
			size_t piece = v[i].iov_len - at;

			if (piece > left)
				piece = left;
			if (piece > RECORD_DATA_MAX)
				piece = RECORD_DATA_MAX;
			if (kept >= REPLAY_STREAM_MAX) {
				note_piece(row, fd, NULL, 0, left);
				left = 0;
				break;
			}
			note_piece(row, fd, (const char *)v[i].iov_base + at, piece, 0);
			at += piece;
			left -= piece;
			kept += piece;
		}
	errno = err;
	return n;
}

static ssize_t note_bytes(enum replay_row row, int fd, const void *data, ssize_t n)
{
	const struct iovec v = { (void *)(uintptr_t)data, n > 0 ? (size_t)n : 0 };

	return note_vector(row, fd, &v, 1, n);
}

PUBLIC ssize_t write(int fd, const void *data, size_t n)
{
	return note_bytes(REPLAY_SEND, fd, data, NEXT(write)(fd, data, n));
}

PUBLIC ssize_t writev(int fd, const struct iovec *v, int nv)
{
	return note_vector(REPLAY_SEND, fd, v, nv, NEXT(writev)(fd, v, nv));
}

PUBLIC ssize_t send(int fd, const void *data, size_t n, int flags)
{
	return note_bytes(REPLAY_SEND, fd, data, NEXT(send)(fd, data, n, flags));
}

PUBLIC ssize_t sendto(int fd, const void *data, size_t n, int flags, const struct sockaddr *to,
		      socklen_t len)
{
	return note_bytes(REPLAY_SEND, fd, data, NEXT(sendto)(fd, data, n, flags, to, len));
}

PUBLIC ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	const ssize_t n = NEXT(sendmsg)(fd, m, flags);

	return note_vector(REPLAY_SEND, fd, m->msg_iov, (int)m->msg_iovlen, n);
}

PUBLIC ssize_t read(int fd, void *data, size_t n)
{
	return note_bytes(REPLAY_RECV, fd, data, NEXT(read)(fd, data, n));
}

PUBLIC ssize_t readv(int fd, const struct iovec *v, int nv)
{
	return note_vector(REPLAY_RECV, fd, v, nv, NEXT(readv)(fd, v, nv));
}

/* Bytes that are only peeked at will be received again. */
PUBLIC ssize_t recv(int fd, void *data, size_t n, int flags)
{
	const ssize_t got = NEXT(recv)(fd, data, n, flags);

	return flags & MSG_PEEK ? got : note_bytes(REPLAY_RECV, fd, data, got);
}

PUBLIC ssize_t recvfrom(int fd, void *restrict data, size_t n, int flags,
			struct sockaddr *restrict from, socklen_t *restrict len)
{
	const ssize_t got = NEXT(recvfrom)(fd, data, n, flags, from, len);

	return flags & MSG_PEEK ? got : note_bytes(REPLAY_RECV, fd, data, got);
}

PUBLIC ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	const ssize_t got = NEXT(recvmsg)(fd, m, flags);

	return flags & MSG_PEEK ? got
				: note_vector(REPLAY_RECV, fd, m->msg_iov, (int)m->msg_iovlen, got);
}

/* Programs that were compiled with _FORTIFY_SOURCE call these instead. */
ssize_t __read_chk(int fd, void *data, size_t n, size_t room);
ssize_t __recv_chk(int fd, void *data, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict data, size_t n, size_t room, int flags,
		       struct sockaddr *restrict from, socklen_t *restrict len);

PUBLIC ssize_t __read_chk(int fd, void *data, size_t n, size_t room)
{
	return note_bytes(REPLAY_RECV, fd, data, NEXT(__read_chk)(fd, data, n, room));
}

PUBLIC ssize_t __recv_chk(int fd, void *data, size_t n, size_t room, int flags)
{
	const ssize_t got = NEXT(__recv_chk)(fd, data, n, room, flags);

	return flags & MSG_PEEK ? got : note_bytes(REPLAY_RECV, fd, data, got);
}

PUBLIC ssize_t __recvfrom_chk(int fd, void *restrict data, size_t n, size_t room, int flags,
			      struct sockaddr *restrict from, socklen_t *restrict len)
{
	const ssize_t got = NEXT(__recvfrom_chk)(fd, data, n, room, flags, from, len);

	return flags & MSG_PEEK ? got : note_bytes(REPLAY_RECV, fd, data, got);
}

/* ----------------------------------------------------------------------------- streams -- */

/* The streams of libc call its own read() and write(), which cannot be replaced. So a stream of a
 * connection gets functions of its own, which call those of this file. */

static ssize_t read_stream(void *fd, char *data, size_t n)
{
	return read((int)(intptr_t)fd, data, n);
}

/* Returns the number of bytes that were written before an error. */
static ssize_t write_stream(void *fd, const char *data, size_t n)
{
	size_t done = 0;
	ssize_t piece = 1;

	for (; done < n && piece > 0; done += piece > 0 ? (size_t)piece : 0)
		piece = write((int)(intptr_t)fd, data + done, n - done);
	return (ssize_t)done;
}

static int close_stream(void *fd)
{
	return close((int)(intptr_t)fd);
}

PUBLIC FILE *fdopen(int fd, const char *mode)
{
	const cookie_io_functions_t functions = { .read = read_stream,
						  .write = write_stream,
						  .close = close_stream };
	FILE *f;

	if (!has_kind(fd, FD_CONNECTED))
		return NEXT(fdopen)(fd, mode);
	f = fopencookie((void *)(intptr_t)fd, mode, functions);
	if (f)
		f->_fileno = fd; /* for fileno(); the stream itself does not use it */
	return f;
}

PUBLIC int vdprintf(int fd, const char *restrict format, va_list args)
{
	char *text;
	int n;

	if (!has_kind(fd, FD_CONNECTED))
		return NEXT(vdprintf)(fd, format, args);
	n = vasprintf(&text, format, args);
	if (n < 0)
		return n;
	if (write_stream((void *)(intptr_t)fd, text, (size_t)n) < n)
		n = -1;
	free(text);
	return n;
}

PUBLIC int dprintf(int fd, const char *restrict format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vdprintf(fd, format, args);
	va_end(args);
	return n;
}

/* With _FORTIFY_SOURCE. */
int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list args)
	__attribute__((format(printf, 3, 0)));
int __dprintf_chk(int fd, int flag, const char *restrict format, ...)
	__attribute__((format(printf, 3, 4)));

PUBLIC int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list args)
{
	return has_kind(fd, FD_CONNECTED) ? vdprintf(fd, format, args)
					  : NEXT(__vdprintf_chk)(fd, flag, format, args);
}

PUBLIC int __dprintf_chk(int fd, int flag, const char *restrict format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = __vdprintf_chk(fd, flag, format, args);
	va_end(args);
	return n;
}
