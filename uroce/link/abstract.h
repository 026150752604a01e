/* SPDX-License-Identifier: MIT */
/*
 * Names of AF_UNIX sockets without a file (unix(7), abstract): bound by one process at most,
 * gone when it is gone, and of a network namespace, as UDP ports are.
 */
#ifndef UROCE_LINK_ABSTRACT_H
#define UROCE_LINK_ABSTRACT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

struct abstract {
	struct sockaddr_un un;
	socklen_t len;
};

/* "uroce/<user>/" and what the format says, which must fit. */
__attribute__((format(printf, 1, 2))) struct abstract abstract_name(const char *format, ...);
/* As /proc/net/unix has it: "@uroce/...". */
void abstract_print(const struct abstract *name, char *buf, size_t n);

/* A datagram socket that is told who sends (SO_PASSCRED), not blocking; bound to name, NULL:
 * to one that the kernel chooses. -1 with errno: EADDRINUSE. */
int abstract_bind(const struct abstract *name);
/* Is it bound to a datagram socket? */
bool abstract_taken(const struct abstract *name);

/* Makes this process the only one that has a lock of that name; close() gives it back. Waits
 * for the holder up to a time. -1 with errno: ETIMEDOUT (*holder: its pid, or 0). */
int abstract_lock(const struct abstract *name, int patience_ms, pid_t *holder);

/* Milliseconds, monotonic: how long to have patience with another process. */
int64_t now_ms(void);

#endif
